# SPDX-License-Identifier: Apache-2.0
"""Numbers of the kernel language for the fuzzer's oracle: arithmetic written from the language's rules alone.

A compile-time number is a plain Python number. A runtime number is a `Scalar`: its dtype's name and its
value. Signed values are kept exact, also outside of their type, because + - * << & | ^ ~ and unary minus
compute in 64 bits; any other use of such a value is a finding.
"""

import ctypes
import ctypes.util
import operator

import numpy as np
from language_types import (
    BITS,
    COMPARES,
    FLOATS,
    Finding,
    Refused,
    binary_types,
    computed,
    fits,
    is_signed,
    is_unsigned,
    wrap,
)

np.seterr(all="ignore")

_libm = ctypes.CDLL(ctypes.util.find_library("m"))
_libm.powf.restype = ctypes.c_float
_libm.powf.argtypes = [ctypes.c_float, ctypes.c_float]


def to_float32(value):
    """A number, rounded once."""
    if isinstance(value, (float, np.floating)):
        return np.float32(value)
    return np.uint64(value).astype(np.float32) if value > 1 << 62 else np.int64(value).astype(np.float32)


def type_of(operand):
    """What `meet` takes: the dtype of a runtime number, a compile-time number itself."""
    return operand.dtype if isinstance(operand, Scalar) else operand


class Limits:
    """`kept`: a use of a signed value outside of its type is a finding. Otherwise values are exact, as where
    the compiler computes an offset in 64 bits."""

    kept = True


class Scalar:
    """A runtime number."""

    __slots__ = ("dtype", "value")

    def __init__(self, dtype, value):
        self.dtype, self.value = dtype, value

    def __repr__(self):
        return f"{self.dtype}({self.value})"

    def used(self):
        """The value where it must lie in its type."""
        dtype = self.dtype if Limits.kept or is_unsigned(self.dtype) else "int64"
        if self.dtype in BITS and not fits(dtype, self.value):
            raise Finding("scalar", f"{self.value} is outside {self.dtype}")
        return self.value

    def __bool__(self):
        return bool(self.used() != 0)

    def __index__(self):
        if self.dtype in FLOATS:
            raise Refused("a float as an index")
        return int(self.used())

    def cast(self, dtype):
        return cast(self, getattr(dtype, "name", dtype))

    def __neg__(self):
        return unary("-", self)

    def __pos__(self):
        return convert(self, computed(self.dtype))

    def __invert__(self):
        return unary("~", self)

    def __abs__(self):
        return unary("abs", self)

    __hash__ = None


def convert(operand, dtype, wide=False):
    """An operand in the type of an operation or a place. `wide`: a signed value may stay outside of its
    own type."""
    if not isinstance(operand, Scalar):
        if dtype in FLOATS:
            return Scalar(dtype, to_float32(operand) if dtype == "float32" else np.float16(operand))
        if isinstance(operand, float):
            raise Refused("a float where an integer must be")
        if dtype == "bool":
            return Scalar(dtype, operand != 0)
        if not fits(dtype, int(operand)):
            raise Refused(f"{operand} does not fit {dtype}")
        return Scalar(dtype, int(operand))
    if operand.dtype == dtype:
        if not wide:
            operand.used()
        return operand
    value = operand.used()
    if operand.dtype in FLOATS:
        if dtype == "bool":
            return Scalar(dtype, bool(value != 0))
        if dtype in FLOATS:
            return Scalar(dtype, np.float32(value) if dtype == "float32" else np.float16(value))
        if not np.isfinite(value) or not fits(dtype, int(value)):
            raise Finding("scalar", f"{value} does not fit {dtype}")
        return Scalar(dtype, int(value))
    if dtype == "float32":
        return Scalar(dtype, to_float32(int(value)))
    if dtype == "float16":
        return Scalar(dtype, np.float16(float(value)))
    if dtype == "bool":
        return Scalar(dtype, value != 0)
    if not fits(dtype, int(value)):
        raise Finding("scalar", f"{value} does not fit {dtype}")
    return Scalar(dtype, int(value))


def cast(operand, dtype):
    """An explicit cast: integers keep their low bits."""
    if not isinstance(operand, Scalar):
        if isinstance(operand, float) and dtype in BITS:
            operand = int(operand)
        return convert(operand, dtype)
    value = operand.used()
    if operand.dtype in FLOATS or dtype in FLOATS:
        return convert(operand, dtype)
    return Scalar(dtype, wrap(dtype, int(value)))


def _float_power(base, exponent):
    """A small whole exponent is a product."""
    if not (abs(exponent) <= 4 and exponent == int(exponent)):
        return np.float32(_libm.powf(float(base), float(exponent)))
    product = np.float32(1)
    for _ in range(abs(int(exponent))):
        product = product * base
    return np.float32(1) / product if exponent < 0 else product


def _float_binary(op, a, b):
    if op == "+":
        return a + b
    if op == "-":
        return a - b
    if op == "*":
        return a * b
    if op == "/":
        return a / b
    if op == "//":
        return a // b
    if op == "%":
        return a % b
    if op == "**":
        return _float_power(a, b)
    return (b if b < a else a) if op == "min" else (b if b > a else a)


_WIDE = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "&": operator.and_,
    "|": operator.or_,
    "^": operator.xor,
}
_COMPARE = {
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
    "==": operator.eq,
    "!=": operator.ne,
}


def _shift(op, dtype, a, distance):
    if not 0 <= distance < BITS[dtype]:
        raise Finding("scalar", f"shift by {distance}")
    return a << distance if op == "<<" else a >> distance


def _int_binary(op, dtype, a, b):
    if op in ("//", "%"):
        if b == 0:
            raise Finding("scalar", "division by zero")
        return a // b if op == "//" else a % b
    if op == "**":
        if b < 0 or is_signed(dtype) and not fits(dtype, a**b):
            raise Finding("scalar", f"{a} ** {b}")
        return a**b
    if op in ("<<", ">>"):
        return _shift(op, dtype, a, b)
    if op in _WIDE:
        return _WIDE[op](a, b)
    return min(a, b) if op == "min" else max(a, b)


def binary(op, left, right):
    dtype, result = binary_types(op, type_of(left), type_of(right))
    wide = op in _WIDE or op == "<<"
    a = convert(left, dtype, wide).value
    b = convert(right, dtype, wide and op != "<<").value
    if op in COMPARES:
        return Scalar("bool", bool(_COMPARE[op](a, b)))
    if dtype == "bool":
        return Scalar("bool", bool(_WIDE[op](bool(a), bool(b))))
    if dtype in FLOATS:
        return Scalar(result, _float_binary(op, a, b))
    value = _int_binary(op, dtype, int(a), int(b))
    if is_unsigned(dtype):
        value = wrap(dtype, value)
    elif not fits("int64", value) or Limits.kept and not wide and not fits(dtype, value):
        raise Finding("scalar", f"{value} is outside {dtype}")
    return Scalar(result, value)


def unary(op, operand):
    dtype = computed(operand.dtype)
    if op == "~" and dtype in FLOATS:
        raise Refused("~ of a float")
    value = convert(operand, dtype, op != "abs").value
    if dtype in FLOATS:
        return Scalar(dtype, -value if op == "-" else np.abs(value))
    value = ~value if op == "~" else -value if op == "-" else abs(value)
    if is_unsigned(dtype):
        value = wrap(dtype, value)
    elif not fits("int64", value) or op == "abs" and not fits(dtype, value):
        raise Finding("scalar", f"{value} is outside {dtype}")
    return Scalar(dtype, value)


def _install(name, op, reflected=True):
    def forward(self, other):
        if not isinstance(other, (Scalar, int, float)):
            return NotImplemented
        return binary(op, self, other)

    def backward(self, other):
        return binary(op, other, self)

    setattr(Scalar, f"__{name}__", forward)
    if reflected:
        setattr(Scalar, f"__r{name}__", backward)


for _name, _op in {
    "add": "+",
    "sub": "-",
    "mul": "*",
    "truediv": "/",
    "floordiv": "//",
    "mod": "%",
    "pow": "**",
    "lshift": "<<",
    "rshift": ">>",
    "and": "&",
    "or": "|",
    "xor": "^",
}.items():
    _install(_name, _op)
for _name, _op in {"lt": "<", "le": "<=", "gt": ">", "ge": ">=", "eq": "==", "ne": "!="}.items():
    _install(_name, _op, False)
