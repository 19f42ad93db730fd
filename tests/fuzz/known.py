# SPDX-License-Identifier: Apache-2.0
"""What the fuzzer's static reading of a kernel knows of a value before it runs, and of operations on such
values. See annotate.py."""

import ast
import dataclasses
import operator

from language_types import Finding, Refused, binary_types, join, meet, natural, promote
from values import binary, cast

# ---- what is known of a value ----


@dataclasses.dataclass(frozen=True)
class Lit:
    """A compile-time number; `dtype` where a cast or an annotation pins it."""

    value: object
    dtype: str | None = None

    @property
    def natural(self):
        return self.dtype or natural(self.value)

    @property
    def operand(self):
        return self.dtype or self.value

    def same(self, other):
        return (
            isinstance(other, Lit)
            and type(self.value) is type(other.value)
            and repr(self.value) == repr(other.value)
            and self.dtype == other.dtype
        )


@dataclasses.dataclass(frozen=True)
class Num:
    """A runtime number. `literal`: it began as a Python literal, so its variable may take another type
    where paths meet."""

    dtype: str
    literal: bool = False

    @property
    def natural(self):
        return self.dtype

    @property
    def operand(self):
        return self.dtype


@dataclasses.dataclass(frozen=True)
class Tensor:
    """`objects`: the numbers of the tensors that it may be, several where control flow chose."""

    elem: str | None
    local: bool
    objects: frozenset = dataclasses.field(default=frozenset(), compare=False, repr=False)

    def or_else(self, other):
        return dataclasses.replace(self, objects=self.objects | other.objects)


@dataclasses.dataclass(frozen=True)
class Pointer:
    elem: str


@dataclasses.dataclass(eq=False)
class Seq:
    """`region`: the block that made a list; only there may it change."""

    items: list
    is_list: bool
    region: int = -1


@dataclasses.dataclass(eq=False)
class Record:
    """A struct; aliases share it. `fields`: dtype by name. `frozen`: the host's, only read."""

    name: str
    fields: dict
    frozen: bool = False


@dataclasses.dataclass(frozen=True)
class Obj:
    """Any other compile-time object: None, a dtype's name, a function, a module."""

    value: object


def known_copy(env):
    """An environment whose lists and structs are its own; names that share one still do."""
    made = {}

    def copy(value):
        if not isinstance(value, (Seq, Record)):
            return value
        if id(value) not in made:
            if isinstance(value, Seq):
                made[id(value)] = Seq([copy(item) for item in value.items], value.is_list, value.region)
            else:
                made[id(value)] = dataclasses.replace(value)
        return made[id(value)]

    return {name: copy(value) for name, value in env.items()}


NUMBERS = (Lit, Num)
OPERATORS = {
    ast.Add: ("+", operator.add),
    ast.Sub: ("-", operator.sub),
    ast.Mult: ("*", operator.mul),
    ast.Div: ("/", operator.truediv),
    ast.FloorDiv: ("//", operator.floordiv),
    ast.Mod: ("%", operator.mod),
    ast.Pow: ("**", operator.pow),
    ast.LShift: ("<<", operator.lshift),
    ast.RShift: (">>", operator.rshift),
    ast.BitAnd: ("&", operator.and_),
    ast.BitOr: ("|", operator.or_),
    ast.BitXor: ("^", operator.xor),
}
COMPARISONS = {
    ast.Lt: ("<", operator.lt),
    ast.LtE: ("<=", operator.le),
    ast.Gt: (">", operator.gt),
    ast.GtE: (">=", operator.ge),
    ast.Eq: ("==", operator.eq),
    ast.NotEq: ("!=", operator.ne),
}
BUILTINS = {
    "min": min,
    "max": max,
    "abs": abs,
    "int": int,
    "float": float,
    "bool": bool,
    "len": len,
    "divmod": divmod,
    "pow": pow,
    "sum": sum,
    "any": any,
    "all": all,
    "zip": zip,
    "enumerate": enumerate,
    "reversed": reversed,
}
DTYPE_NAMES = {"int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float16", "float32"}


def call_of(name, *args):
    return ast.Call(ast.Name(name, ast.Load()), list(args), [])


def constant(lit):
    if lit.dtype is None:
        return ast.Constant(lit.value)
    return call_of("_c", ast.Constant(lit.value), ast.Constant(lit.dtype))


def static(value):
    """The Python object of a compile-time value; None if it is not one (and for None)."""
    if isinstance(value, (Lit, Obj)):
        return value.value
    if isinstance(value, Seq) and all(is_static(item) for item in value.items):
        return (list if value.is_list else tuple)(static(item) for item in value.items)
    return None


def is_static(value):
    return (
        isinstance(value, (Lit, Obj))
        or isinstance(value, Seq)
        and all(is_static(item) for item in value.items)
    )


def truth(value):
    """True or False if it is known before the kernel runs, else None."""
    if isinstance(value, (Lit, Obj)):
        return bool(value.value)
    if isinstance(value, Seq):
        return bool(value.items)
    if isinstance(value, Num):
        return None
    raise Refused("no truth value")


def kind_of(value):
    """int, float or bool of a number; None of anything else."""
    if isinstance(value, Lit):
        dtype = value.natural
    elif isinstance(value, Num):
        dtype = value.dtype
    else:
        return None
    return "bool" if dtype == "bool" else "float" if dtype.startswith("f") else "int"


def choose(yes, no):
    """A value by a runtime condition."""
    if isinstance(yes, (Lit, Obj)) and (yes.same(no) if isinstance(yes, Lit) else yes == no):
        return yes
    if isinstance(yes, Tensor) and yes == no:
        return yes.or_else(no)
    if not (isinstance(yes, NUMBERS) and isinstance(no, NUMBERS)):
        raise Refused("a condition that chooses between objects")
    if isinstance(yes, Lit) and isinstance(no, Lit):
        dtype = join(yes.natural, yes.dtype is None, no.natural, no.dtype is None) or promote(
            yes.natural, no.natural
        )
    elif yes.operand == no.operand and isinstance(yes, Num):
        dtype = yes.dtype
    elif {type(yes), type(no)} == {Lit, Num} and yes.natural == no.natural == "bool":
        dtype = "bool"
    else:
        dtype = meet(yes.operand, no.operand)
    return Num(dtype)


def binary_value(op, evaluate, a, b):
    if isinstance(a, Seq) or isinstance(b, Seq):
        if op == "+" and isinstance(a, Seq) and isinstance(b, Seq) and a.is_list == b.is_list:
            return Seq([*a.items, *b.items], a.is_list)
        seq, count = (a, b) if isinstance(a, Seq) else (b, a)
        if op == "*" and isinstance(count, Lit):
            return Seq(seq.items * count.value, seq.is_list)
        raise Refused(f"{op} of sequences")
    if isinstance(a, Pointer) and op in "+-" and isinstance(b, NUMBERS):
        return a
    if isinstance(b, Pointer) and op == "+" and isinstance(a, NUMBERS):
        return b
    if not (isinstance(a, NUMBERS) and isinstance(b, NUMBERS)):
        raise Refused(f"{op} of objects")
    if isinstance(a, Lit) and isinstance(b, Lit):
        try:
            value = evaluate(a.value, b.value)
            if isinstance(value, float) and (a.dtype or b.dtype):  # as the device computes it
                value = float(binary(op, device(a), device(b)).value)
        except (ArithmeticError, TypeError, ValueError) as error:
            raise Refused(str(error)) from error
        if isinstance(value, complex):
            raise Refused("a complex number")
        if a.dtype is None and b.dtype is None:
            if not isinstance(value, float):
                natural(value)
            return Lit(value)
        dtype = binary_types(op, a.operand, b.operand)[1]
        value = cast_static(value, dtype)
        return Lit(value) if isinstance(value, bool) else Lit(value, dtype)
    return Num(binary_types(op, a.operand, b.operand)[1])


def device(lit):
    """The operand of an operation that the device's types decide."""
    return cast(lit.value, lit.dtype) if lit.dtype else lit.value


def cast_static(value, dtype):
    try:
        result = cast(value, dtype).value
    except (Finding, OverflowError, ValueError) as error:
        raise Refused(str(error)) from error
    return bool(result) if dtype == "bool" else float(result) if dtype[0] == "f" else int(result)


def compare_value(op, a, b):
    name, evaluate = COMPARISONS[type(op)]
    if isinstance(a, Lit) and isinstance(b, Lit):
        if (a.dtype or b.dtype) and isinstance(a.value + b.value, float):
            return Lit(bool(binary(name, device(a), device(b)).value))
        return Lit(evaluate(a.value, b.value))
    if not (isinstance(a, NUMBERS) and isinstance(b, NUMBERS)):
        raise Refused("a comparison of objects")
    binary_types(name, a.operand, b.operand)
    return Num("bool")
