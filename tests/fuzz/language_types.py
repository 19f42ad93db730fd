# SPDX-License-Identifier: Apache-2.0
"""Types of the kernel language for the fuzzer's oracle: dtypes, promotion, where they meet; written from the
language's rules alone, so that they are an independent reading of them."""

BITS = {
    "int8": 8,
    "int16": 16,
    "int32": 32,
    "int64": 64,
    "uint8": 8,
    "uint16": 16,
    "uint32": 32,
    "uint64": 64,
}
FLOATS = ("float16", "float32")
DTYPES = ("bool", *BITS, *FLOATS)


class Refused(Exception):
    """The program is one that the compiler must refuse."""


class Unclear(Refused):
    """The rules do not say whether the compiler refuses the program."""


class Finding(Exception):
    """The program does what the simulator must report. `kind` is the finding's kind."""

    def __init__(self, kind, message):
        super().__init__(message)
        self.kind = kind


class OutOfFuel(Exception):
    """The program runs for too long to be of use here."""


def is_signed(dtype):
    return dtype in BITS and dtype[0] == "i"


def is_unsigned(dtype):
    return dtype in BITS and dtype[0] == "u"


def limits(dtype):
    if dtype == "bool":
        return 0, 1
    bits = BITS[dtype]
    return (-(1 << (bits - 1)), (1 << (bits - 1)) - 1) if is_signed(dtype) else (0, (1 << bits) - 1)


def fits(dtype, value):
    low, high = limits(dtype)
    return low <= value <= high


def wrap(dtype, value):
    if dtype == "bool":
        return value != 0
    bits = BITS[dtype]
    value &= (1 << bits) - 1
    return value - (1 << bits) if is_signed(dtype) and value >> (bits - 1) else value


# ---- types of results ----


def computed(dtype):
    """The type in which arithmetic treats a value."""
    return "int32" if dtype == "bool" else "float32" if dtype in FLOATS else dtype


def natural(value):
    """The type of a compile-time number where nothing else gives it one."""
    if isinstance(value, bool):
        return "bool"
    if isinstance(value, float):
        return "float32"
    for dtype in ("int32", "int64", "uint64"):
        if fits(dtype, value):
            return dtype
    raise Refused(f"{value} fits no type")


def promote(a, b):
    a, b = computed(a), computed(b)
    if a == b:
        return a
    if a in FLOATS or b in FLOATS:
        return "float32"
    if is_signed(a) == is_signed(b):
        return a if BITS[a] > BITS[b] else b
    unsigned, signed = (a, b) if is_unsigned(a) else (b, a)
    if BITS[signed] > BITS[unsigned]:
        return signed
    if unsigned == "uint64":
        raise Refused("uint64 with a signed integer")
    return f"int{2 * BITS[unsigned]}"


def promote_literal(value, dtype):
    """A compile-time number takes the other side's type where it fits."""
    if isinstance(value, float):
        return "float32"
    if dtype == "bool":
        return computed(natural(value))
    if dtype in FLOATS:
        return "float32"
    if fits(dtype, int(value)):
        return dtype
    if is_unsigned(dtype) and value < 0:
        raise Refused("a negative number with an unsigned integer")
    return promote(natural(value), dtype)


def meet(a, b):
    """The common type of two operands: each the name of a dtype, or a compile-time number."""
    if isinstance(a, str) and isinstance(b, str):
        return promote(a, b)
    if isinstance(a, str):
        return promote_literal(b, a)
    if isinstance(b, str):
        return promote_literal(a, b)
    return promote(natural(a), natural(b))


def join(a, a_literal, b, b_literal):
    """The type of a variable where control flow merges; None if there is none."""
    if a == b:
        return a
    if "bool" in (a, b):
        return None
    if a_literal and b_literal:
        return a if a in FLOATS or b not in FLOATS and BITS[a] >= BITS[b] else b
    if b_literal:
        a, a_literal, b, b_literal = b, b_literal, a, a_literal
    if not a_literal or a in FLOATS:
        return None
    if b == "float32":
        return b
    return b if b == "int64" or a == b == "int32" else None


BITWISE = ("&", "|", "^")
INTEGER_ONLY = (*BITWISE, "<<", ">>")
COMPARES = ("<", "<=", ">", ">=", "==", "!=")


def is_bool(operand):
    return operand == "bool" if isinstance(operand, str) else isinstance(operand, bool)


def binary_types(op, a, b):
    """(type in which an operation computes, type of its result); operands as for `meet`."""
    if (op in BITWISE or op in ("==", "!=")) and is_bool(a) and is_bool(b):
        return "bool", "bool"
    dtype = meet(a, b)
    if op in INTEGER_ONLY and dtype in FLOATS:
        raise Refused(f"{op} of floats")
    if op == "/":
        dtype = "float32"
    if op == "**" and dtype not in FLOATS and not isinstance(b, str) and b < 0:
        dtype = "float32"
    if op in ("/", "//", "%") and dtype not in FLOATS and not isinstance(b, str) and b == 0:
        raise Refused("division by zero")
    return dtype, "bool" if op in COMPARES else dtype
