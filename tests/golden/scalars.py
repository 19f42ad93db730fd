# SPDX-License-Identifier: Apache-2.0
"""Scalar arithmetic: where C++ and Python agree plainly, and where they do not."""

import numpy as np

import asc


@asc.jit
def divisions(out: asc.GlobalAddress, a: int, b: int):
    gm = asc.GlobalTensor()
    gm.set_global_buffer(out)
    gm.set_value(0, a // b)
    gm.set_value(1, a % b)
    gm.set_value(2, (a + 1) // 4)
    gm.set_value(3, -a // 3)
    gm.set_value(4, -a % 3)
    block = asc.get_block_idx()
    gm.set_value(5, block // 2 + block % 2)
    gm.set_value(6, int(a / b))
    a //= b
    b %= 3
    gm.set_value(7, a * 10 + b)


@asc.jit
def mixed_types(out: asc.GlobalAddress, a: int, big: asc.int64, u: asc.uint32, x: float, flag: bool):
    gm = asc.GlobalTensor()
    gm.set_global_buffer(out)
    gm.set_value(0, a + big)
    gm.set_value(1, a * 2 - 7)
    gm.set_value(2, a + u)
    gm.set_value(3, u * 3)
    gm.set_value(4, int(a + x))
    gm.set_value(5, int(x * 3) + int(flag))
    gm.set_value(6, a + flag)
    gm.set_value(7, int(bool(a)))
    gm.set_value(8, big // a)
    gm.set_value(9, int(a / 2 * 1000))
    gm.set_value(10, a < x)
    gm.set_value(11, big > a)


@asc.jit
def bits(out: asc.GlobalAddress, a: int, b: int):
    gm = asc.GlobalTensor()
    gm.set_global_buffer(out)
    gm.set_value(0, a << 3)
    gm.set_value(1, a >> 1)
    gm.set_value(2, a & b | 1)
    gm.set_value(3, a ^ b)
    gm.set_value(4, ~a)
    gm.set_value(5, (a + b) << (b & 3))
    gm.set_value(6, -(a - b))
    gm.set_value(7, a - (b - 1))
    gm.set_value(8, not a)


@asc.jit
def functions(out: asc.GlobalAddress, a: int, b: int, big: asc.int64):
    gm = asc.GlobalTensor()
    gm.set_global_buffer(out)
    gm.set_value(0, min(a, b))
    gm.set_value(1, max(a, b, 4))
    gm.set_value(2, abs(b))
    gm.set_value(3, a**3)
    gm.set_value(4, 2**a)
    gm.set_value(5, min(a, big))
    gm.set_value(6, asc.ceildiv(a, 4))
    gm.set_value(7, max(0, b))


@asc.jit
def floats(out: asc.GlobalAddress, x: float, y: float):
    gm = asc.GlobalTensor()
    gm.set_global_buffer(out)
    gm.set_value(0, x / y)
    gm.set_value(1, x // y)
    gm.set_value(2, x % y)
    gm.set_value(3, min(x, y) + max(x, 0.5))
    gm.set_value(4, abs(y))
    gm.set_value(5, -x * 0.1)
    gm.set_value(6, x * 1e-3 + 2)
    gm.set_value(7, float(int(x)))
    gm.set_value(8, x if x > y else y)
    gm.set_value(9, x**2)


@asc.jit
def narrow(h: asc.GlobalAddress, out: asc.GlobalAddress, s: asc.int16, u: asc.uint8):
    """Types below 32 bits: arithmetic on half is in float32, bytes wrap."""
    h_gm = asc.GlobalTensor()
    h_gm.set_global_buffer(h)
    out_gm = asc.GlobalTensor()
    out_gm.set_global_buffer(out)
    a = h_gm.get_value(0)
    b = h_gm.get_value(1)
    h_gm.set_value(2, a + b)
    h_gm.set_value(3, a * b - a)
    h_gm.set_value(4, a / b)
    h_gm.set_value(5, max(a, b))
    h_gm.set_value(6, abs(a))
    out_gm.set_value(0, s + s)
    out_gm.set_value(1, u + u)
    out_gm.set_value(2, (u + 200) // 3)
    out_gm.set_value(3, a > b)


@asc.jit
def powers(out: asc.GlobalAddress, ints: asc.GlobalAddress, x: float, n: int, s: asc.int16):
    """A small whole power of a name is a product."""
    gm = asc.GlobalTensor()
    gm.set_global_buffer(out)
    whole = asc.GlobalTensor()
    whole.set_global_buffer(ints)
    gm.set_value(0, x**2)
    gm.set_value(1, x**3 + x**1)
    gm.set_value(2, (x + 1) ** 4)
    gm.set_value(3, x**-1 - x**-2)
    gm.set_value(4, x**0.5)
    gm.set_value(5, x**n)
    gm.set_value(6, (n * x) ** -3)
    gm.set_value(7, -(x**2) / x**2)
    whole.set_value(0, n**2)
    whole.set_value(1, 7 - n**3 % 5)
    whole.set_value(2, (n + 1) ** 2)
    whole.set_value(3, s**2)
    whole.set_value(4, 2**n)


def numbers(dtype=np.int64):
    return np.zeros(16, dtype)


def halves(*values):
    return np.array([*values, *[0] * 6], np.float16)


CASES = [
    ("divisions", divisions, 1, lambda: (numbers(np.int32), 17, 5)),
    ("divisions_signed", divisions, 1, lambda: (numbers(np.int32), -17, 5)),
    ("divisions_both_signed", divisions, 1, lambda: (numbers(np.int32), -17, -4)),
    ("mixed_types", mixed_types, 1, lambda: (numbers(), 6, -(2**40), 4_000_000_000, 2.5, True)),
    ("bits", bits, 1, lambda: (numbers(np.int32), 77, -6)),
    ("functions", functions, 1, lambda: (numbers(), 7, -6, 2**33)),
    ("floats", floats, 1, lambda: (numbers(np.float32), 7.25, -2.5)),
    ("powers", powers, 1, lambda: (numbers(np.float32), numbers(np.int32), 1.75, 3, -30)),
    ("narrow", narrow, 1, lambda: (halves(-0.3, 2.7), numbers(np.int32), -300, 250)),
]
