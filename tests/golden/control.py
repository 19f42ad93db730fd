# SPDX-License-Identifier: Apache-2.0
"""Branches, conditions, functions and constants."""

import numpy as np

import asc

LANES = 8
WIDTH = LANES * 4
SCALE = 0.125


@asc.jit
def min_and_max(gm: asc.GlobalTensor, n: int):
    low = gm.get_value(0)
    high = low
    for i in range(1, n):
        value = gm.get_value(i)
        if value < low:
            low = value
        elif value > high:
            high = value
    return low, high


@asc.jit
def sign(x: int):
    if x < 0:
        return -1
    if x == 0:
        return 0
    return 1


@asc.jit
def helpers(x: asc.GlobalAddress, out: asc.GlobalAddress, n: int):
    x_gm = asc.GlobalTensor()
    out_gm = asc.GlobalTensor()
    x_gm.set_global_buffer(x)
    out_gm.set_global_buffer(out)
    low, high = min_and_max(x_gm, n)
    out_gm.set_value(0, low)
    out_gm.set_value(1, high)
    low, high = high, low
    out_gm.set_value(2, low - high)
    out_gm.set_value(3, sign(low) * 10 + sign(high))
    _, high = min_and_max(x_gm[2:], n - 2)
    out_gm.set_value(4, high)


@asc.jit
def conditions(x: asc.GlobalAddress, out: asc.GlobalAddress, n: int, k: int):
    x_gm = asc.GlobalTensor()
    out_gm = asc.GlobalTensor()
    x_gm.set_global_buffer(x)
    out_gm.set_global_buffer(out)
    if 0 <= k < n:
        out_gm.set_value(0, 1)
    if k < n and x_gm.get_value(k) > 5:
        out_gm.set_value(1, 2)
    if k >= n or x_gm.get_value(k) == 0:
        out_gm.set_value(2, 3)
    if not (k == 1 or n == 1):
        out_gm.set_value(3, 4)
    which = 7 if k > 2 else -7 if k == 2 else 0
    out_gm.set_value(4, which)
    inside = k > 0 and k < n
    out_gm.set_value(5, inside)
    if (twice := k * 2) > n:
        out_gm.set_value(6, twice)
    else:
        pass


@asc.jit
def ends_early(out: asc.GlobalAddress, n: int):
    gm = asc.GlobalTensor()
    gm.set_global_buffer(out)
    if n == 0:
        return
    gm.set_value(0, n)
    for i in range(n):
        if i == 2:
            return
        gm.set_value(1 + i, i + 10)


@asc.jit
def ordered(a: int, b: int):
    if a < b:
        return a, b
    elif a > b:
        return b, a
    else:
        return a, a + 1


@asc.jit
def put(gm: asc.GlobalTensor, at: int, value: int):
    gm.set_value(at, value)
    if value < 0:
        gm.set_value(at + 1, 0)
        return
    gm.set_value(at + 1, value)
    return


@asc.jit
def first_above(gm: asc.GlobalTensor, n: int):
    """A number, and the tensor that it was given."""
    for i in range(n):
        if gm.get_value(i) > n:
            return i, gm
    return n, gm


@asc.jit
def ends(out: asc.GlobalAddress, n: int):
    """A function ends without a word."""
    gm = asc.GlobalTensor()
    gm.set_global_buffer(out)
    low, high = ordered(n, 3)
    put(gm, 0, low)
    put(gm, 2, -high)
    place, there = first_above(gm, n)
    there.set_value(4, place)


@asc.jit
def views(out: asc.GlobalAddress, n: int):
    """Items of lists have the list's name."""
    gm = asc.GlobalTensor()
    gm.set_global_buffer(out)
    rows = [gm[i * 4 :] for i in range(3)]
    heads = [gm.get_value(0), n, gm.get_value(1)]
    for i in asc.static_range(len(rows)):
        rows[i].set_value(i, heads[i] + n)
    for row, head in zip(rows, heads):
        row.set_value(3, head)


@asc.jit
def constants(
    x: asc.GlobalAddress, out: asc.GlobalAddress, TILE: asc.ConstExpr[int], RELU: asc.ConstExpr[bool]
):
    gm = asc.GlobalTensor()
    out_gm = asc.GlobalTensor()
    gm.set_global_buffer(x)
    out_gm.set_global_buffer(out)
    half_tile = TILE // 2
    bytes_of_tile = TILE * x.dtype.sizeof()
    a = asc.LocalTensor(x.dtype, asc.TPosition.VECIN, 0, TILE)
    b = asc.LocalTensor(x.dtype, asc.TPosition.VECIN, bytes_of_tile, TILE)
    asc.data_copy(a, gm, TILE)
    asc.set_flag(asc.HardEvent.MTE2_V)
    asc.wait_flag(asc.HardEvent.MTE2_V)
    asc.muls(b, a, SCALE, TILE)
    asc.pipe_barrier(asc.PipeID.PIPE_V)
    if RELU:
        asc.relu(b, b, half_tile)
        asc.pipe_barrier(asc.PipeID.PIPE_V)
    asc.adds(b[WIDTH:], b[WIDTH:], WIDTH - LANES, TILE - WIDTH)
    asc.set_flag(asc.HardEvent.V_MTE3)
    asc.wait_flag(asc.HardEvent.V_MTE3)
    asc.data_copy(out_gm, b, TILE)


@asc.jit
def rebound(x: asc.GlobalAddress, out: asc.GlobalAddress, n: int):
    """A handle that changes under control flow is a variable; one that does not is an alias."""
    first = asc.GlobalTensor()
    second = asc.GlobalTensor()
    first.set_global_buffer(x)
    second.set_global_buffer(x + n)
    first, second = second, first
    chosen = first
    if n > 4:
        chosen = second
    out_gm = asc.GlobalTensor()
    out_gm.set_global_buffer(out)
    out_gm.set_value(0, chosen.get_value(0))
    out_gm.set_value(1, first.get_value(1))


@asc.jit
def unpacked(x: asc.GlobalAddress, y: asc.GlobalAddress, n: int):
    """Several names made by one statement keep their names."""
    x_gm, y_gm = asc.GlobalTensor(), asc.GlobalTensor()
    x_gm.set_global_buffer(x)
    y_gm.set_global_buffer(y)
    low, (mid, high) = n, (n + 1, n + 2)
    y_gm.set_value(0, x_gm.get_value(low) + x_gm.get_value(mid) * x_gm.get_value(high))


@asc.jit
def sizes(out: asc.GlobalAddress, n: int):
    """A slice is as long as it says."""
    gm = asc.GlobalTensor()
    gm.set_global_buffer(out, 64)
    local = asc.LocalTensor(asc.float32, asc.TPosition.VECCALC, 0, 64)
    part = local[8:24]
    gm.set_value(0, part.get_size())
    gm.set_value(1, local[n:].get_size())
    gm.set_value(2, gm[16:].get_size())
    gm.set_value(3, gm[16:32].get_size())
    gm.set_value(4, gm.get_size())
    gm.set_value(5, local.reinterpret_cast(asc.float16).get_size())
    part.set_size(5)
    gm.set_value(6, part.get_length())
    gm.set_value(7, local.get_position() == asc.TPosition.VECCALC)


@asc.jit
def taste(out: asc.GlobalAddress, reals: asc.GlobalAddress, n: int, x: float, limit: asc.ConstExpr[int]):
    """Augmented assignments, enums, comparisons that are known in part, literals of a half."""
    gm = asc.GlobalTensor()
    gm.set_global_buffer(out)
    r = asc.GlobalTensor()
    r.set_global_buffer(reals)
    local = asc.LocalTensor(asc.float16, asc.TPosition.VECCALC, 0, 64)
    total = n
    small: asc.int8 = 3
    for i in range(n):
        total += i
        total *= i + 1
        total -= n - i
        total %= 1000
        total //= 2
        total //= n - 3
        total <<= 2
        total ^= n
        x -= i * 0.5
        x /= 2
        small += 1
    gm.set_value(0, total + small)
    gm.set_value(1, 0 < n < 9 < limit)
    gm.set_value(2, limit > n > 0 and limit > 3)
    if 0 < gm.get_value(0) < limit < 1000:
        gm.set_value(3, 1)
    gm.set_value(4, local.get_position() == asc.TPosition.VECCALC)
    gm.set_value(5, local.get_position() != asc.TPosition.VECIN)
    r.set_value(0, x**2)
    half: asc.float16 = x
    if half < 0.1:
        half = asc.number(0.2, asc.float16)
    asc.duplicate(local, 0.1, 64)
    asc.muls(local, local, 1.0 / 3, 64)
    local.set_value(0, 0.7)
    r.set_value(1, half)
    r.set_value(2, local.get_value(0) + local.get_value(1))


def ints(*values):
    return np.array(values, np.int32)


def ramp(dtype):
    return np.arange(-64, 64, dtype=dtype), np.zeros(128, dtype)


CASES = [
    ("taste", taste, 1, lambda: (np.zeros(8, np.int32), np.zeros(8, np.float32), 7, 2.5, 48)),
    ("helpers", helpers, 1, lambda: (ints(4, -3, 0, 9, 12, 7), ints(*[0] * 8), 6)),
    ("conditions", conditions, 1, lambda: (ints(4, 8, 0, 9), ints(*[0] * 8), 4, 3)),
    ("ends_early", ends_early, 1, lambda: (ints(*[0] * 8), 5)),
    ("ends", ends, 1, lambda: (ints(*[9] * 8), 7)),
    ("views", views, 1, lambda: (ints(*range(5, 17)), 7)),
    ("constants", constants, 1, lambda: (*ramp(np.float32), 128, True)),
    ("constants_plain", constants, 1, lambda: (*ramp(np.float16), 128, False)),
    ("unpacked", unpacked, 1, lambda: (ints(*range(9, 0, -1)), ints(0, 0), 2)),
    ("sizes", sizes, 1, lambda: (ints(*[0] * 64), 4)),
    ("rebound", rebound, 1, lambda: (ints(*range(16)), ints(0, 0), 5)),
]
