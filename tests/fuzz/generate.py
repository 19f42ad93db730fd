# SPDX-License-Identifier: Apache-2.0
"""Random kernels. `make_case(seed)` gives the same case for the same seed; most of them run without a
finding."""

import ast
import dataclasses
import random

import numpy as np
from annotate import Annotator, Loop, Maybe
from annotate_expr import NUMBERS, Lit, Num, Obj, Pointer, Seq, Tensor
from case import Case, oracle, parse
from generate_expr import CAST_TARGETS, INTS, ExpressionMaker, kind_of
from generate_vector import VectorMaker
from values import Refused

NAMES = ("a", "b", "c", "d", "e", "g", "k", "p", "q", "t", "total", "half", "best")
SIZE = 16  # elements of an input
ROW = 64  # elements of an output for each block


@dataclasses.dataclass
class Param:
    name: str
    kind: str
    default: str = ""
    keyword_only: bool = False
    elem: str = ""


@dataclasses.dataclass
class Helper:
    name: str
    params: list
    result: str


class Generator(ExpressionMaker, VectorMaker):
    def __init__(self, seed):
        self.rng = random.Random(seed)
        self.constants, self.functions, self.helpers = {}, {}, []
        self.count = 0

    # ---- what a piece of text does to the environment ----

    def follow(self, lines, env, loops=0):
        """The environment behind these lines (None if they never end); Refused if they are wrong."""
        annotator = Annotator(self.functions, self.constants)
        annotator.loops = [Loop() for _ in range(loops)]
        after = dict(env)
        return annotator.block(ast.parse("\n".join(lines)).body, after)[1]

    def fresh(self, prefix):
        self.count += 1
        return f"{prefix}{self.count}"

    def target(self, env, kind):
        """A name to assign: often one of that kind."""
        same = [n for n, v in env.items() if kind_of(v) == kind and n in NAMES]
        return self.rng.choice(same) if same and self.chance(0.6) else self.rng.choice(NAMES)

    def masked(self, expr):
        return self.pick(
            f"({expr}) % {self.pick(7, 50, 1009, 64)}",
            f"({expr}) & {self.pick(15, 63, 1023)}",
            f"min(max({expr}, {self.pick(-50, 0, -7)}), {self.pick(9, 100)})",
            expr,
        )

    def some_kind(self):
        return self.pick("int", "int", "int", "int", "float", "float", "bool")

    # ---- statements ----

    def statement(self, env, depth, loops):
        """Lines of one statement, which may be wrong."""
        forms = [
            (10, self.assign),
            (4, self.augment),
            (2, self.annotate),
            (2, self.multiple),
            (3, self.swap),
            (2, self.sequence),
            (5, self.store),
            (2, self.call_statement),
            (2, self.tensor_alias),
            (1, self.walrus),
        ]
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
        if seqs and self.chance(0.4):
            name = self.rng.choice(seqs)
            return [f"{', '.join(self.rng.choice(NAMES) for _ in env[name].items)} = {name}"]
        items = [self.expr(env, self.some_kind(), 1) for _ in range(self.pick(2, 3))]
        text = ", ".join(items)
        return [f"{self.fresh('pair')} = {self.pick(f'({text})', f'[{text}]')}"]

    def store(self, env, depth, loops):
        tensors = self.tensors(env, lambda t: not t.local)
        tensors = [t for t in tensors if t in self.outputs or t.startswith("view")]
        if not tensors:
            return []
        name = self.rng.choice(tensors)
        kind = "float" if env[name].elem.startswith("f") else "int"
        expr = self.expr(env, self.pick(kind, kind, kind, "bool"), 2)
        if kind == "int" and env[name].elem not in ("int64", "int32"):
            expr = f"({expr}) & 63"
        return [f"{name}.set_value({self.index(env)}, {expr})"]

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
        name = self.rng.choice(tensors)
        views = [n for n in tensors if n.startswith("view") and env[n] == env[name]]
        to = self.rng.choice(views) if views and self.chance(0.6) else self.fresh("view")
        first = self.pick("1", "2", "3", f"({self.int_expr(env, 1)}) & 3")
        return [f"{to} = {name}{self.pick('', '', f'[{first}:]', f'[{first}]', f'[1:{self.pick(9, 12)}]')}"]

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
        lines = self.body(env | extra, min(depth, 1), 0)
        if any(word in line for line in lines for word in ("break", "continue")):
            return []
        return [f"for {target} in {iterable}:", *lines]

    # ---- functions ----

    def result_expr(self, env):
        if self.result == "several":
            return f"{self.int_expr(env, 1)}, {self.float_expr(env, 1)}"
        return self.expr(env, self.result, 2)

    def helper(self):
        name = f"h{len(self.helpers)}"
        self.result = self.pick("int", "int", "float", "bool", "several", "none")
        params = [
            Param("x", "int"),
            *self.rng.sample(
                [
                    Param("y", "float"),
                    Param("n", "int", str(self.rng.randrange(-2, 9))),
                    Param("z", "bool", self.pick("True", "False")),
                ],
                self.rng.randrange(3),
            ),
        ]
        params.sort(key=lambda p: bool(p.default))
        if self.chance(0.2):
            params.insert(0, Param("v", "pair"))
        if self.result == "none" or self.chance(0.2):
            params.insert(0, Param("dst", "tensor", elem=self.pick("int64", "float32")))
        if self.chance(0.2):
            params.append(Param("K", "const", "2", keyword_only=True))
        env = {p.name: self.sample(p) for p in params}
        self.depth, self.can_return, self.outputs = 2, self.result != "none", ("dst",)
        lines, after = self.block(env, 2, 0, self.rng.randrange(1, 4))
        if self.result != "none":
            lines.append(f"return {self.result_expr(after)}")
        texts = []
        for p in params:
            if p.keyword_only:
                texts.append("*")
            texts.append(
                p.name
                + (": asc.ConstExpr[int]" if p.kind == "const" else "")
                + (f" = {p.default}" if p.default else "")
            )
        text = "\n".join([f"def {name}({', '.join(texts)}):", *self.indent(lines or ["pass"])])
        fdef = ast.parse(text).body[0]
        Annotator(self.functions | {name: fdef}, self.constants).function(fdef, env, name)
        self.functions[name] = fdef
        self.helpers.append(Helper(name, params, self.result))

    def sample(self, param):
        return {
            "int": Num("int32"),
            "float": Num("float32"),
            "bool": Num("bool"),
            "const": Lit(2),
            "pair": Seq([Num("int32"), Num("int32")], False),
            "tensor": Tensor(param.elem, False),
        }[param.kind]

    def kernel(self):
        """(lines of the kernel, arguments)"""
        rng, blocks = self.rng, self.pick(1, 1, 1, 2, 3)
        arguments = {"out": np.zeros(ROW * blocks, np.int64), "fout": np.zeros(ROW * blocks, np.float32)}
        extra = rng.sample(["xi", "xf", "xh", "xb", "xu", "xs", "hout", "iout"], rng.randrange(4))
        dtypes = {
            "xi": "int32",
            "xf": "float32",
            "xh": "float16",
            "xb": "uint8",
            "xu": "uint32",
            "xs": "int16",
            "hout": "float16",
            "iout": "int32",
        }
        for name in extra:
            arguments[name] = self.data(name, dtypes[name], blocks)
        scalars = {
            "n": ("int", rng.randrange(-9, 40)),
            "m": ("int", self.pick(-7, 3, 0, 12, 1000)),
            "x": ("float", self.pick(0.5, -1.25, 3.7)),
        }
        choices = {
            "big": ("asc.int64", self.pick(5, -11, 2**35)),
            "u": (f"asc.{self.pick('uint8', 'uint16', 'uint32')}", rng.randrange(200)),
            "flag": ("bool", self.chance(0.5)),
            "C": ("asc.ConstExpr[int]", rng.randrange(1, 9)),
            "y": ("float", self.pick(0.1, 100.25, -3.0)),
            "s": ("asc.int16", rng.randrange(-300, 300)),
        }
        scalars |= {name: choices[name] for name in rng.sample(list(choices), rng.randrange(4))}
        texts = [f"{name}: asc.GlobalAddress" for name in arguments]
        lines = []
        for name, array in arguments.items():
            lines.append(f"g{name} = asc.GlobalTensor()")
            offset = f" + asc.get_block_idx() * {ROW}" if len(array) == ROW * blocks and blocks > 1 else ""
            lines.append(f"g{name}.set_global_buffer({name}{offset})")
        env = {name: Pointer(array.dtype.name) for name, array in arguments.items()}
        for name, (annotation, value) in scalars.items():
            texts.append(f"{name}: {annotation}")
            arguments[name] = value
            dtype = (
                annotation[4:]
                if annotation.startswith("asc.")
                else {"float": "float32"}.get(annotation, annotation)
            )
            env[name] = Lit(value) if name == "C" else Num("int32" if dtype == "int" else dtype)
        env = self.follow(lines, env)
        self.result, self.can_return, self.depth = "kernel", True, 3
        self.outputs = tuple(n for n in ("gout", "gfout", "ghout", "giout") if n in env)
        body, env = self.block(env, 3, 0, rng.randrange(3, 9))
        lines += body + self.dump(env)
        return [f"def kernel({', '.join(texts)}):", *self.indent(lines)], arguments, blocks

    def data(self, name, dtype, blocks):
        if name in ("hout", "iout"):
            return np.zeros(ROW * blocks, dtype)
        low, high = (0, 200) if dtype[0] == "u" else (-20, 60)
        values = [self.rng.randrange(low, high) for _ in range(SIZE)]
        return np.array(values, dtype) if dtype in INTS else (np.array(values, np.float32) / 8).astype(dtype)

    def dump(self, env):
        """Statements that write every number to an output."""
        lines = []
        for index, (name, value) in enumerate((n, v) for n, v in env.items() if isinstance(v, NUMBERS)):
            at = 8 + index % (ROW - 8)
            if value.natural == "uint64":
                lines.append(f"gout.set_value({at}, {name}.cast(asc.int64))")
            else:
                lines.append(
                    f"{'gfout' if value.natural.startswith('f') else 'gout'}.set_value({at}, {name})"
                )
        return lines

    def case(self, seed):
        for name in ("TILE", "RATIO", "NEG")[: self.rng.randrange(4)]:
            self.constants[name] = {"TILE": self.pick(3, 16, 48), "RATIO": 0.25, "NEG": -3}[name]
        for _ in range(self.rng.randrange(4)):
            try:
                self.helper()
            except Refused:
                continue
        lines, arguments, blocks = self.kernel()
        parts = ["import asc", "\n".join(f"{k} = {v!r}" for k, v in self.constants.items())]
        parts += [f"@asc.jit\n{ast.unparse(f)}" for f in self.functions.values()]
        parts.append("@asc.jit\n" + ast.unparse(ast.parse("\n".join(lines))))
        return Case(seed, "\n\n\n".join(p for p in parts if p) + "\n", arguments, blocks)


def make_case(seed):
    """(case, what the oracle says of it)"""
    outcome = None
    for attempt in range(40):
        case = Generator(f"{seed}/{attempt}").case(str(seed))
        outcome = oracle(case)
        wanted = ("ran", "finding") if attempt == 0 and seed % 8 == 0 else ("ran",)
        if outcome.status in wanted:
            break
    return case, outcome


__all__ = ["Maybe", "Obj", "make_case", "parse"]
