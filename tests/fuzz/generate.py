# SPDX-License-Identifier: Apache-2.0
"""Random kernels. `make_case(seed)` gives the same case for the same seed; most of them run without a
finding."""

import ast
import dataclasses
import random

import numpy as np
from annotate import Annotator
from case import Case, Given, oracle
from generate_expr import INTS, ExpressionMaker
from generate_stmt import ROW, StatementMaker
from generate_vector import VectorMaker
from known import NUMBERS, Lit, Num, Pointer, Record, Seq, Tensor, known_copy
from language_types import Refused
from paths import Loop

SIZE = 16  # elements of an input


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


class Generator(ExpressionMaker, StatementMaker, VectorMaker):
    def __init__(self, seed):
        self.rng = random.Random(seed)
        self.constants, self.functions, self.helpers, self.structs = {}, {}, [], {}
        self.wild = False
        self.count = 0

    # ---- what a piece of text does to the environment ----

    def follow(self, lines, env, loops=0):
        """The environment behind these lines (None if they never end); Refused if they are wrong."""
        annotator = Annotator(self.functions, self.constants, self.structs)
        annotator.loops = [Loop() for _ in range(loops)]
        after = known_copy(env)
        annotator.next_tensor = max(
            (n for v in env.values() if isinstance(v, Tensor) for n in v.objects), default=0
        )
        return annotator.block(ast.parse("\n".join(lines)).body, after)[1]

    def fresh(self, prefix):
        self.count += 1
        return f"{prefix}{self.count}"

    # ---- functions ----

    def result_expr(self, env):
        if self.result == "several":
            return f"{self.int_expr(env, 1)}, {self.float_expr(env, 1)}"
        if self.result == "tensor":
            return self.pick("dst", "dst", "dst[2:]", f"dst[{self.int_leaf(env)} & 3:]")
        return self.expr(env, self.result, 2)

    def helper(self):
        name = f"h{len(self.helpers)}"
        self.result = self.pick("int", "int", "int", "float", "float", "bool", "several", "none", "tensor")
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
        if self.result in ("none", "tensor") or self.chance(0.2):
            params.insert(0, Param("dst", "tensor", elem=self.pick("int64", "float32")))
        if self.structs and self.chance(0.4):
            params.insert(0, Param("rec", "struct", elem=self.rng.choice(list(self.structs))))
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
        Annotator(self.functions | {name: fdef}, self.constants, self.structs).function(fdef, env, name)
        self.functions[name] = fdef
        self.helpers.append(Helper(name, params, self.result))

    def sample(self, param):
        if param.kind == "struct":
            return self.record(param.elem)
        return {
            "int": Num("int32"),
            "float": Num("float32"),
            "bool": Num("bool"),
            "const": Lit(2),
            "pair": Seq([Num("int32"), Num("int32")], False),
            "tensor": Tensor(param.elem, False),
        }[param.kind]

    def record(self, name):
        return Record(name, {field: dtype for field, (dtype, _) in self.structs[name].items()})

    def struct(self):
        """The text of a struct's class."""
        name = f"S{len(self.structs)}"
        fields = {}
        for field in self.rng.sample(
            ["rows", "cols", "scale", "on", "tag", "wide"], self.rng.randrange(1, 4)
        ):
            dtype, default = {
                "rows": ("int32", self.rng.randrange(9)),
                "cols": ("int32", -3),
                "scale": ("float32", 0.5),
                "on": ("bool", True),
                "tag": ("uint8", 7),
                "wide": ("int64", 2**33),
            }[field]
            fields[field] = (dtype, default if self.chance(0.6) else 0)
        self.structs[name] = fields
        lines = [
            f"    {f} = Field(asc.{'bool_' if d == 'bool' else d}{f', default={v}' if v else ''})"
            for f, (d, v) in fields.items()
        ]
        return "\n".join([f"class {name}(Struct):", *lines])

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
        if self.structs and self.chance(0.4):
            given = Given(name := self.rng.choice(list(self.structs)), {})
            for field, (dtype, _) in self.structs[name].items():
                given.fields[field] = {"float32": -1.5, "bool": True}.get(dtype, rng.randrange(60))
            texts.append(f"cfg: {self.pick(name, 'object')}")
            arguments["cfg"], env["cfg"] = given, dataclasses.replace(self.record(name), frozen=True)
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
        for name, value in list(env.items()):
            if isinstance(value, Record):
                env = env | {f"{name}.{field}": Num(dtype) for field, dtype in value.fields.items()}
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
        seed = int(seed)
        self.wild = seed % 10 == 0
        classes = [self.struct() for _ in range(self.pick(0, 0, 1, 2))]
        for name in ("TILE", "RATIO", "NEG")[: self.rng.randrange(4)]:
            self.constants[name] = {"TILE": self.pick(3, 16, 48), "RATIO": 0.25, "NEG": -3}[name]
        for _ in range(self.rng.randrange(4)):
            try:
                self.helper()
            except Refused:
                continue
        lines, arguments, blocks = self.kernel()
        head = "import asc\nfrom asc.language.core.struct import Field, Struct" if classes else "import asc"
        parts = [head, *classes, "\n".join(f"{k} = {v!r}" for k, v in self.constants.items())]
        parts += [f"@asc.jit\n{ast.unparse(f)}" for f in self.functions.values()]
        parts.append("@asc.jit\n" + ast.unparse(ast.parse("\n".join(lines))))
        return Case(str(seed), "\n\n\n".join(p for p in parts if p) + "\n", arguments, blocks)


def make_case(seed):
    """(case, what the oracle says of it)"""
    outcome = None
    for attempt in range(40):
        case = Generator(f"{seed}/{attempt}").case(str(seed))
        outcome = oracle(case)
        wanted = ("ran", "finding") if seed % 10 == 0 else ("ran",)
        if outcome.status in wanted:
            break
    return case, outcome
