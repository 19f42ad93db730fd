# SPDX-License-Identifier: Apache-2.0
"""Random expressions of the kernel language, as text. A wrong one (types that do not meet) is thrown away
by the caller."""

from known import Lit, Num, Record, Seq, Tensor, kind_of

INTS = ("int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64")
CAST_TARGETS = (
    "int16",
    "int32",
    "int32",
    "int64",
    "int64",
    "uint8",
    "uint16",
    "uint32",
    "int8",
    "float32",
    "float16",
)


class ExpressionMaker:
    """`rng`, `helpers` [(name, parameter kinds, result kind)] and `constants` {name: number} are the
    generator's."""

    def names(self, env, kind):
        """Names of numbers; runtime ones thrice as often."""
        found = [n for n, v in env.items() if kind_of(v) == kind and isinstance(v, Num)] * 3
        return found + self.all_names(env, kind) + self.fields(env, kind)

    def fields(self, env, kind):
        return [
            f"{name}.{field}"
            for name, value in env.items()
            if isinstance(value, Record)
            for field, dtype in value.fields.items()
            if kind_of(Num(dtype)) == kind
        ]

    def all_names(self, env, kind):
        return [n for n, v in env.items() if kind_of(v) == kind] + [
            n for n, v in self.constants.items() if kind_of(Lit(v)) == kind
        ]

    def pick(self, *choices):
        return self.rng.choice(choices)

    def chance(self, p):
        return self.rng.random() < p

    def items(self, env, kind):
        """Items of sequences, as text."""
        return [
            f"{name}[{i - len(value.items) if self.chance(0.3) else i}]"
            for name, value in env.items()
            if isinstance(value, Seq)
            for i, item in enumerate(value.items)
            if kind_of(item) == kind
        ]

    def tensors(self, env, test=lambda t: True):
        return [n for n, v in env.items() if isinstance(v, Tensor) and v.elem and test(v)]

    # ---- integers ----

    def int_leaf(self, env):
        names = self.names(env, "int")
        roll = self.rng.random()
        if names and roll < 0.68:
            return self.rng.choice(names)
        items = self.items(env, "int")
        if items and roll < 0.75:
            return self.rng.choice(items)
        if roll < 0.88:
            return self.load(env, "int") or "1"
        if self.wild and self.chance(0.3):
            return str(self.pick(2**31 - 1, -(2**31), 2**30, 65535, 10**9, 2**33, 127, -128))
        return str(self.pick(0, 1, 2, 3, 4, 5, 7, 8, 10, 13, 16, 31, 100, -1, -2, -3, -7, 255, 300))

    def load(self, env, kind):
        tensors = self.tensors(
            env, lambda t: not t.local and t.elem != "uint64" and kind_of(Num(t.elem)) == kind
        )
        return tensors and f"{self.rng.choice(tensors)}.get_value({self.index(env)})" or None

    def index(self, env):
        return str(self.rng.randrange(8)) if self.chance(0.4) else f"({self.int_expr(env, 1)}) & 7"

    def positive(self, env):
        """A divisor: never zero, as long as it is not a wild one."""
        if self.wild and self.chance(0.3):
            return self.int_leaf(env)
        return self.pick(
            str(self.pick(1, 2, 3, 5, 7, 8, 16, -2, -3, -5)),
            f"(({self.int_leaf(env)}) & 7) + 1",
            f"max({self.int_leaf(env)}, 1)",
            f"(({self.int_leaf(env)}) % 5) - 6",
            f"(abs({self.int_leaf(env)}) % 9 + 1)",
        )

    def int_expr(self, env, depth):
        if depth <= 0 or self.chance(0.1):
            return self.int_leaf(env)
        a, b = f"({self.int_expr(env, depth - 1)})", f"({self.int_expr(env, self.rng.randrange(depth))})"
        form = self.rng.randrange(26)
        if form < 7:
            return f"{a} {self.pick('+', '-', '+', '-', '+', '&', '|', '^')} {b}"
        if form == 7:
            return f"({a} % {self.pick(11, 50, 64)}) * {self.int_leaf(env)}"
        if form == 8:
            return f"{a} * {self.pick(2, 3, -1, 4, 10)}"
        if form in (9, 10):
            return f"{a} {self.pick('//', '%')} ({self.positive(env)})"
        if form == 11:
            return f"{a} {self.pick('<<', '>>')} {self.pick('1', '3', f'({b} & 3)')}"
        if form == 12:
            return f"{self.pick('-', '~', '+')}{a}"
        if form == 13:
            return f"{self.pick('min', 'max')}({a}, {b}{self.pick('', '', ', ' + self.int_leaf(env))})"
        if form == 14:
            return f"abs({a})"
        if form == 15:
            return f"({a} if {self.bool_expr(env, depth - 1)} else {b})"
        if form == 16:
            return f"int({self.pick(self.bool_expr(env, depth - 1), self.float_leaf(env), a)})"
        if form == 17:
            return f"{a} {self.pick('+', '-', '*')} ({self.bool_expr(env, depth - 1)})"
        if form == 18:
            return self.cast_of(
                f"({a} & {self.pick(15, 63, 127)})" if self.chance(0.7) else a, self.pick(*CAST_TARGETS[:9])
            )
        if form == 19:
            return f"({a} {self.pick('and', 'or')} {b})"
        if form in (20, 24, 25):
            return self.call(env, "int", depth) or a
        if form == 21:
            return self.load(env, "int") or a
        if form == 22:
            return self.rare_int(env, a, b)
        return f"{a} {self.pick('+', '-')} {self.rng.randrange(12)}"

    def rare_int(self, env, a, b):
        return self.pick(
            f"({a} & 7) ** 2",
            f"2 ** ({a} & 7)",
            f"divmod({a}, {self.positive(env)})[{self.rng.randrange(2)}]",
            f"sum([{a}, {b}])",
            f"asc.ceildiv({a}, {self.positive(env)})",
            f"asc.ceildiv({a}, {self.pick(2, 3, 8)})",
            f"len([{a}, {b}])",
            f"sum([e % 11 for e in ({a}, {b})])",
            f"pow({a} & 3, 3)",
            f"max([{a}, {b}, {self.int_leaf(env)}])",
            "asc.get_block_idx()",
            "asc.get_block_num()",
            f"asc.number({a})",
        )

    def cast_of(self, expr, dtype):
        return self.pick(
            f"asc.{dtype}({expr})", f"asc.number({expr}, asc.{dtype})", f"({expr}).cast(asc.{dtype})"
        )

    # ---- floats ----

    def float_leaf(self, env):
        names = self.names(env, "float")
        roll = self.rng.random()
        if names and roll < 0.6:
            return self.rng.choice(names)
        items = self.items(env, "float")
        if items and roll < 0.7:
            return self.rng.choice(items)
        if roll < 0.8:
            return self.load(env, "float") or "0.5"
        return str(self.pick(0.5, 0.25, 1.5, -0.75, 0.1, 3.0, 1e-3, 100.0, -2.0, 0.3))

    def float_expr(self, env, depth):
        if depth <= 0 or self.chance(0.1):
            return self.float_leaf(env)
        a, b = f"({self.float_expr(env, depth - 1)})", f"({self.float_expr(env, self.rng.randrange(depth))})"
        form = self.rng.randrange(17)
        if form < 4:
            return f"{a} {self.pick('+', '-', '*')} {b}"
        if form == 4:
            return f"{a} / {self.pick(b, '4', '3.0', f'({self.positive(env)})')}"
        if form == 5:
            return f"{a} {self.pick('//', '%')} {self.pick(b, '0.5', '3', '-0.75')}"
        if form == 6:
            return f"{self.pick('-', '+')}{a}"
        if form == 7:
            return f"{self.pick('min', 'max')}({a}, {self.pick(b, f'({self.int_leaf(env)})')})"
        if form == 8:
            return f"abs({a})"
        if form == 9:
            return f"({a} if {self.bool_expr(env, depth - 1)} else {self.pick(b, b, self.int_leaf(env))})"
        if form == 10:
            return f"float({self.int_expr(env, depth - 1)})"
        if form == 11:
            return f"{a} {self.pick('+', '-', '*')} ({self.int_expr(env, depth - 1)})"
        if form == 12:
            return f"({self.int_expr(env, depth - 1)}) / ({self.positive(env)})"
        if form in (13, 15, 16):
            return self.call(env, "float", depth) or a
        return self.pick(
            f"{a} ** 2",
            self.cast_of(a, "float16"),
            self.cast_of(a, "float32"),
            f"({a} {self.pick('and', 'or')} {b})",
        )

    # ---- bools ----

    def bool_expr(self, env, depth):
        names = self.names(env, "bool")
        if names and self.chance(0.15):
            return self.rng.choice(names)
        a, b = f"({self.int_expr(env, depth - 1)})", f"({self.int_expr(env, max(depth - 2, 0))})"
        compare = self.pick("<", "<=", ">", ">=", "==", "!=")
        form = self.rng.randrange(14)
        if form < 4 or depth <= 0:
            return f"{a} {compare} {b}"
        if form == 4:
            left, right = self.float_expr(env, depth - 1), self.pick(self.float_leaf(env), self.int_leaf(env))
            return f"({left}) {compare} ({right})"
        if form in (5, 6):
            left, word, right = (
                self.bool_expr(env, depth - 1),
                self.pick("and", "or"),
                self.bool_expr(env, depth - 1),
            )
            return f"({left} {word} {right})"
        if form == 7:
            return f"not ({self.bool_expr(env, depth - 1)})"
        if form == 8:
            return f"{a} {compare} {self.int_leaf(env)} {self.pick('<', '<=', '>', '!=')} {b}"
        if form == 9:
            word, first, second = self.pick("in", "not in"), self.int_leaf(env), self.int_leaf(env)
            return f"{a} {word} ({first}, {second}, {self.rng.randrange(9)})"
        if form == 10:
            return f"bool({self.pick(a, self.float_leaf(env))})"
        if form == 11:
            left, sign = self.bool_expr(env, depth - 1), self.pick("&", "|", "^", "==", "!=")
            return f"({left}) {sign} ({self.bool_expr(env, depth - 1)})"
        if form == 12:
            return f"{self.pick('any', 'all')}([{self.bool_expr(env, depth - 1)}, {self.bool_expr(env, 0)}])"
        return self.call(env, "bool", depth) or f"{a} {compare} {b}"

    def expr(self, env, kind, depth):
        return getattr(self, f"{kind}_expr")(env, depth)

    # ---- calls of helpers ----

    def call(self, env, kind, depth):
        usable = [h for h in self.helpers if h.result == kind]
        return self.call_of(self.rng.choice(usable), env, depth) if usable else None

    def call_of(self, helper, env, depth):
        arguments, named = [], False
        for param in helper.params:
            if param.default and self.chance(0.5):
                named = True
                continue
            value = self.argument(param, env, depth)
            if value is None:
                return None
            named = named or param.keyword_only or self.chance(0.15)
            arguments.append(f"{param.name}={value}" if named else value)
        return f"{helper.name}({', '.join(arguments)})"

    def argument(self, param, env, depth):
        if param.kind == "const":
            return str(self.rng.randrange(1, 5))
        if param.kind == "tensor":
            tensors = self.tensors(env, lambda t: not t.local and t.elem == param.elem)
            return f"{self.rng.choice(tensors)}{self.pick('', '', '[1:]', '[2:9]')}" if tensors else None
        if param.kind == "struct":
            structs = [n for n, v in env.items() if isinstance(v, Record) and v.name == param.elem]
            return self.rng.choice(structs) if structs else None
        if param.kind == "pair":
            return f"({self.int_expr(env, depth - 1)}, {self.int_leaf(env)})"
        return self.expr(env, param.kind, depth - 1)
