# SPDX-License-Identifier: Apache-2.0
"""Random statements of the kernel language, as text. A wrong one is thrown away by the caller."""

from generate_expr import CAST_TARGETS
from known import Lit, Num, Pointer, Record, Seq, Tensor, kind_of
from language_types import Refused

NAMES = tuple("a b c d e g k p q t total half best value item auto condition".split())
ROW = 64  # elements of an output for each block


class StatementMaker:
    def target(self, env, kind):
        """A name to assign: often one of that kind."""
        same = [n for n, v in env.items() if kind_of(v) == kind and n in NAMES]
        return self.rng.choice(same) if same and self.chance(0.6) else self.rng.choice(NAMES)

    def masked(self, expr):
        if self.wild and self.chance(0.6):
            return expr
        return self.pick(
            f"({expr}) % {self.pick(7, 50, 1009, 64)}",
            f"({expr}) & {self.pick(15, 63, 1023)}",
            f"min(max({expr}, {self.pick(-50, 0, -7)}), {self.pick(9, 100)})",
            expr,
        )

    def some_kind(self):
        return self.pick("int", "int", "int", "int", "float", "float", "bool")

    def statement(self, env, depth, loops):
        """Lines of one statement, which may be wrong."""
        forms = [
            (10, self.assign),
            (4, self.augment),
            (2, self.annotate),
            (2, self.multiple),
            (3, self.swap),
            (3, self.sequence),
            (5, self.store),
            (3, self.call_statement),
            (4, self.tensor_alias),
            (1, self.walrus),
            (1, self.rebuffer),
            (1, self.check),
        ]
        if self.structs:
            forms += [(4, self.new_struct), (6, self.set_field)]
        if depth > 0:
            forms += [
                (6, self.branch),
                (5, self.range_loop),
                (3, self.while_loop),
                (2, self.static_loop),
                (1, self.vector),
            ]
        if loops:
            forms += [(2, self.jump)]
        if self.can_return and depth < self.depth:
            forms += [(1, self.leave)]
        make = self.rng.choices([f for _, f in forms], [w for w, _ in forms])[0]
        return make(env, depth, loops)

    def assign(self, env, depth, loops):
        kind = self.some_kind()
        expr = self.expr(env, kind, self.rng.randrange(1, 4))
        if kind == "int":
            expr = self.masked(expr)
        return [f"{self.target(env, kind)} = {expr}"]

    def augment(self, env, depth, loops):
        kind = self.pick("int", "int", "float")
        names = [n for n, v in env.items() if kind_of(v) == kind and n in NAMES]
        if not names:
            return []
        name = self.rng.choice(names)
        if kind == "float":
            return [f"{name} {self.pick('+=', '-=', '*=', '/=')} {self.float_expr(env, 1)}"]
        lines = [f"{name} {self.pick('+=', '-=', '+=', '&=', '|=', '^=', '*=')} {self.int_expr(env, 1)}"]
        if "*" in lines[0] or self.chance(0.3):
            lines.append(f"{name} {self.pick('%=', '&=')} {self.pick(63, 255, 31)}")
        if self.chance(0.1):
            lines = [f"{name} {self.pick('//=', '%=')} {self.positive(env)}"]
        return lines

    def annotate(self, env, depth, loops):
        dtype = self.pick(*CAST_TARGETS)
        expr = (
            self.float_expr(env, 2)
            if dtype.startswith("f")
            else f"({self.int_expr(env, 2)}) & {self.pick(15, 63, 127)}"
        )
        return [f"{self.rng.choice(NAMES)}: asc.{dtype} = {expr}"]

    def multiple(self, env, depth, loops):
        kind = self.some_kind()
        expr = self.expr(env, kind, 2)
        first, second = self.target(env, kind), self.target(env, kind)
        return [f"{first} = {second} = {self.masked(expr) if kind == 'int' else expr}"]

    def swap(self, env, depth, loops):
        kinds = [self.pick("int", "int", "float") for _ in range(self.pick(2, 2, 3))]
        names = [self.target(env, kind) for kind in kinds]
        exprs = [
            self.masked(self.expr(env, k, self.rng.randrange(2))) if k == "int" else self.expr(env, k, 1)
            for k in kinds
        ]
        return [f"{', '.join(names)} = {', '.join(exprs)}"]

    def sequence(self, env, depth, loops):
        seqs = [n for n, v in env.items() if isinstance(v, Seq)]
        lists = [n for n in seqs if env[n].is_list]
        if lists and self.chance(0.5):
            name = self.rng.choice(lists)
            value = self.expr(env, self.some_kind(), 1)
            return [
                f"{name}.append({value})" if self.chance(0.5) else f"{name}[{self.pick(0, -1)}] = {value}"
            ]
        if seqs and self.chance(0.4):
            name = self.rng.choice(seqs)
            return [f"{', '.join(self.rng.choice(NAMES) for _ in env[name].items)} = {name}"]
        items = [self.expr(env, self.some_kind(), 1) for _ in range(self.pick(2, 3))]
        text = ", ".join(items)
        return [f"{self.fresh('pair')} = {self.pick(f'({text})', f'[{text}]')}"]

    def store(self, env, depth, loops):
        tensors = self.tensors(env, lambda t: not t.local)
        tensors = [t for t in tensors if t in self.outputs or t.startswith(("view", "own"))]
        if not tensors:
            return []
        name = self.rng.choice(tensors)
        kind = "float" if env[name].elem.startswith("f") else "int"
        expr = self.expr(env, self.pick(kind, kind, kind, "bool"), 2)
        if kind == "int" and env[name].elem not in ("int64", "int32"):
            expr = f"({expr}) & 63"
        return [f"{name}.set_value({self.index(env)}, {expr})"]

    def new_struct(self, env, depth, loops):
        known = [n for n, v in env.items() if isinstance(v, Record)]
        if known and self.chance(0.4):
            name = self.rng.choice(known)
            return [f"{self.fresh('rec')} = {name}{self.pick('', '', '.create_local()')}"]
        struct = self.rng.choice(list(self.structs))
        fields = [f for f in self.structs[struct] if self.chance(0.5)]
        values = ", ".join(f"{f} = {self.field_expr(env, self.structs[struct][f][0])}" for f in fields)
        return [f"{self.fresh('rec')} = {struct}({values})"]

    def field_expr(self, env, dtype):
        if dtype == "bool":
            return self.bool_expr(env, 1)
        if dtype.startswith("f"):
            return self.float_expr(env, 1)
        return f"({self.int_expr(env, 1)}) & {self.pick(15, 63, 127)}"

    def set_field(self, env, depth, loops):
        known = [n for n, v in env.items() if isinstance(v, Record)]
        if not known:
            return []
        name = self.rng.choice(known)
        field = self.rng.choice(list(env[name].fields))
        dtype = env[name].fields[field]
        if dtype in ("int32", "int64", "float32") and self.chance(0.4):
            op = self.pick("+=", "-=")
            return [f"{name}.{field} {op} {self.float_leaf(env) if dtype[0] == 'f' else self.int_leaf(env)}"]
        return [f"{name}.{field} = {self.field_expr(env, dtype)}"]

    def call_statement(self, env, depth, loops):
        usable = [h for h in self.helpers if h.result in ("several", "none")]
        if not usable:
            return []
        helper = self.rng.choice(usable)
        call = self.call_of(helper, env, 2)
        if call is None:
            return []
        if helper.result == "none":
            return [call]
        if self.chance(0.3):
            return [f"{self.fresh('pair')} = {call}"]
        return [f"{self.rng.choice(NAMES)}, {self.rng.choice(NAMES)} = {call}"]

    def tensor_alias(self, env, depth, loops):
        tensors = self.tensors(env, lambda t: not t.local)
        if not tensors:
            return []
        views = [n for n in tensors if n.startswith(("view", "own"))]
        if len(views) > 1 and self.chance(0.4):
            one, two = self.rng.sample(views, 2)
            return [f"{one}, {two} = {two}, {one}"]
        name = self.rng.choice(tensors)
        views = [n for n in tensors if n.startswith(("view", "own")) and env[n] == env[name]]
        to = self.rng.choice(views) if views and self.chance(0.6) else self.fresh("view")
        helpers = [h for h in self.helpers if h.result == "tensor"]
        call = helpers and self.chance(0.5) and self.call_of(self.rng.choice(helpers), env, 2)
        if call:
            return [f"{to} = {call}"]
        other = self.rng.choice([n for n in tensors if env[n] == env[name]])
        if other != name and self.chance(0.4):
            return [f"{to} = {name} if {self.bool_expr(env, 1)} else {other}"]
        first = self.pick("1", "2", "3", f"({self.int_expr(env, 1)}) & 3")
        return [f"{to} = {name}{self.pick('', '', f'[{first}:]', f'[{first}]', f'[1:{self.pick(9, 12)}]')}"]

    def rebuffer(self, env, depth, loops):
        """A tensor of its own, bound or bound again."""
        pointers = [n for n, v in env.items() if isinstance(v, Pointer) and n in ("out", "iout", "fout")]
        if not pointers:
            return []
        pointer = self.rng.choice(pointers)
        own = [n for n, v in env.items() if n.startswith("own") and v == Tensor(env[pointer].elem, False)]
        name = self.rng.choice(own) if own and self.chance(0.7) else self.fresh("own")
        offset = self.pick(
            "1", "2", f"(({self.int_expr(env, 1)}) & 3)", f"asc.get_block_idx() * {ROW} + 3", "16 - 12"
        )
        bind = f"{name}.set_global_buffer({pointer} + {offset})"
        return [bind] if name in own else [f"{name} = asc.GlobalTensor()", bind]

    def check(self, env, depth, loops):
        return [f"assert {self.int_expr(env, 1)} > -{10**9}"]

    def walrus(self, env, depth, loops):
        name = self.target(env, "int")
        expr = f"({name} := {self.masked(self.int_expr(env, 1))})"
        if self.chance(0.5):
            return [f"{self.target(env, 'int')} = {expr} {self.pick('+', '-')} {self.int_leaf(env)}"]
        return [
            f"if {expr} {self.pick('<', '>', '!=')} {self.int_leaf(env)}:",
            *self.indent(self.assign(env, 0, 0)),
        ]

    def jump(self, env, depth, loops):
        lines = [f"if {self.bool_expr(env, 1)}:"]
        if self.chance(0.4):
            lines += self.indent(self.assign(env, 0, 0))
        return [*lines, f"    {self.pick('break', 'continue')}"]

    def leave(self, env, depth, loops):
        lines = [f"if {self.bool_expr(env, 1)}:"]
        if self.result == "kernel":
            return [*lines, *self.indent(self.store(env, 0, 0)), "    return"]
        return [*lines, f"    return {self.result_expr(env)}"]

    # ---- constructs ----

    @staticmethod
    def indent(lines):
        return [f"    {line}" for line in lines]

    def block(self, env, depth, loops, size=None):
        """(lines, environment behind them)"""
        lines = []
        env = dict(env)
        for _ in range(size or self.rng.randrange(1, 4)):
            for _ in range(6):
                try:
                    made = self.statement(env, depth, loops)
                    after = self.follow(made, env, loops) if made else None
                except (Refused, RecursionError):
                    continue
                if after is not None:
                    lines, env = lines + made, after
                    break
        return lines, env

    def body(self, env, depth, loops, size=None):
        return self.indent(self.block(env, depth - 1, loops, size)[0] or ["pass"])

    def branch(self, env, depth, loops):
        lines = [f"if {self.bool_expr(env, 2)}:", *self.body(env, depth, loops)]
        if self.chance(0.3):
            lines += [f"elif {self.bool_expr(env, 2)}:", *self.body(env, depth, loops)]
        if self.chance(0.6):
            lines += ["else:", *self.body(env, depth, loops)]
        return lines

    def in_loop(self, env):
        """The environment of a loop's body, as far as it is known before the body is there."""
        return {
            n: Num(v.natural, True) if isinstance(v, Lit) and not isinstance(v.value, bool) else v
            for n, v in env.items()
        }

    def orelse(self, env, depth, loops):
        return ["else:", *self.body(env, depth, loops, 1)] if self.chance(0.25) else []

    def range_loop(self, env, depth, loops):
        small = f"({self.int_expr(env, 1)}) & 7"
        bounds = self.pick(
            str(self.rng.randrange(5)),
            str(self.rng.randrange(2, 6)),
            small,
            small,
            f"1, {small}",
            f"{small}, {self.rng.randrange(2, 7)}",
            f"{self.rng.randrange(9)}, {self.rng.randrange(3)}, {self.pick(-1, -2, -3)}",
            f"{small}, {self.pick(-3, -1, 0)}, {self.pick(-1, -2)}",
            f"{self.rng.randrange(-5, 5)}, {self.rng.randrange(10)}, {self.pick(2, 3)}",
            f"{small}, {self.rng.randrange(8)}, {self.positive(env)}",
            f"min({self.int_leaf(env)}, 6)",
            f"-3, {self.int_leaf(env)} % 5",
        )
        name = self.rng.choice(NAMES) if self.chance(0.25) else self.fresh("i")
        inner = self.in_loop(env) | {name: Num("int32")}
        iterable = f"{self.pick('range', 'range', 'asc.range')}({bounds})"
        if bounds.count(",") - bounds.count("(") < 2 and self.chance(0.1):
            iterable = f"reversed({iterable})"
        return [
            f"for {name} in {iterable}:",
            *self.body(inner, depth, loops + 1),
            *self.orelse(env, depth, loops),
        ]

    def while_loop(self, env, depth, loops):
        name = self.fresh("w")
        inner = self.in_loop(env) | {name: Num("int32", True)}
        test = f"{name} < {self.rng.randrange(1, 6)}"
        if self.chance(0.4):
            test = f"{test} and {self.bool_expr(self.in_loop(env), 1)}"
        lines = [
            f"{name} = 0",
            f"while {test}:",
            f"    {name} += {self.pick(1, 1, 2)}",
            *self.body(inner, depth, loops + 1),
        ]
        if self.chance(0.15):
            lines = [
                f"{name} = 0",
                "while True:",
                f"    {name} += 1",
                f"    if {name} > {self.rng.randrange(1, 5)}:",
                "        break",
                *self.body(inner, depth, loops + 1),
            ]
        return [*lines, *self.orelse(env, depth, loops)]

    def static_loop(self, env, depth, loops):
        name, other = self.fresh("s"), self.rng.choice(NAMES)
        a, b, c = (self.int_leaf(env) for _ in range(3))
        target, iterable, extra = self.pick(
            (name, f"asc.static_range({self.rng.randrange(4)})", {name: Lit(1)}),
            (name, f"[{a}, {b}, {c}]", {name: Num("int32")}),
            (f"{name}, {other}", f"zip([{a}, {b}], ({c}, 2))", {name: Num("int32"), other: Num("int32")}),
            (f"{name}, {other}", f"enumerate(({a}, {b}))", {name: Lit(1), other: Num("int32")}),
            (name, f"reversed([{a}, {b}])", {name: Num("int32")}),
        )
        tensors = self.tensors(env, lambda t: not t.local)
        if tensors and self.chance(0.25):
            name, items = self.fresh("view"), [self.rng.choice(tensors) for _ in range(self.pick(2, 3))]
            target, iterable = name, f"({', '.join(items)})"
            extra = {name: env[items[0]]}
        lines = self.body(env | extra, min(depth, self.pick(1, 1, 2)), loops + 1)
        if isinstance(extra[name], Lit) and self.chance(0.2):  # decided before the kernel runs
            jump = [f"if {name} == {self.rng.randrange(3)}:", f"    {self.pick('break', 'continue')}"]
            jump = self.indent(jump)
            lines = jump + lines if self.chance(0.5) else lines + jump
        return [f"for {target} in {iterable}:", *lines, *self.orelse(env, depth, loops)]
