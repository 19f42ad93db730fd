# SPDX-License-Identifier: Apache-2.0
"""Loops: what stays a plain `for`, and what needs more."""

import numpy as np

import asc

ROWS = 3


@asc.jit
def ranges(out: asc.GlobalAddress, n: int, first: int, step: int):
    gm = asc.GlobalTensor()
    gm.set_global_buffer(out)
    for i in range(n):
        gm.set_value(i, i)
    for i in range(1, n, 2):
        gm.set_value(i, -i)
    for i in range(n - 1, -1, -1):
        gm.set_value(16 + n - 1 - i, i)
    for i in range(first, first + n * step, step):
        gm.set_value(32 + (i - first) // step, i)
    for i in range(ROWS):
        for j in range(i, ROWS):
            gm.set_value(48 + i * ROWS + j, 10 * i + j)


@asc.jit
def after_the_loop(out: asc.GlobalAddress, n: int, limit: int):
    gm = asc.GlobalTensor()
    gm.set_global_buffer(out)
    i = -1
    for i in range(n):
        if i * i > limit:
            break
    gm.set_value(0, i)
    total = 0
    for k in range(n):
        if k % 3 == 0:
            continue
        total += k
    gm.set_value(1, total)
    for m in range(n):
        m += 100
        gm.set_value(2 + m - 100, m)
    end = n
    for p in range(end):
        end -= 1
        gm.set_value(20 + p, end)


@asc.jit
def with_else(out: asc.GlobalAddress, n: int, wanted: int):
    gm = asc.GlobalTensor()
    gm.set_global_buffer(out)
    for i in range(n):
        if gm.get_value(i) == wanted:
            gm.set_value(n, i)
            break
    else:
        gm.set_value(n, -1)
    steps = 0
    while steps < n:
        steps += 2
    else:
        gm.set_value(n + 1, steps)


@asc.jit
def collatz(out: asc.GlobalAddress, start: int):
    gm = asc.GlobalTensor()
    gm.set_global_buffer(out)
    value = start
    turns = 0
    while value != 1 and turns < 100:
        value = value // 2 if value % 2 == 0 else 3 * value + 1
        turns += 1
    gm.set_value(0, turns)
    rest = turns
    while True:
        rest -= 10
        if rest < 0:
            break
    gm.set_value(1, rest)


@asc.jit
def unrolled(out: asc.GlobalAddress, n: int, COUNT: asc.ConstExpr[int]):
    gm = asc.GlobalTensor()
    gm.set_global_buffer(out)
    for i in asc.static_range(COUNT):
        gm.set_value(i, n * i)
    for name, value in zip(("low", "high"), (1, 9)):
        if name == "high":
            gm.set_value(COUNT, value)
    for place, value in enumerate([n, n + 1]):
        gm.set_value(COUNT + 1 + place, value)


def numbers():
    return np.zeros(64, np.int32)


CASES = [
    ("ranges", ranges, 1, lambda: (numbers(), 6, 20, 3)),
    ("ranges_down", ranges, 1, lambda: (numbers(), 6, 20, -3)),
    ("after_the_loop", after_the_loop, 1, lambda: (numbers(), 9, 20)),
    ("with_else", with_else, 1, lambda: (np.arange(64, dtype=np.int32) * 5, 10, 35)),
    ("with_else_missed", with_else, 1, lambda: (np.arange(64, dtype=np.int32) * 5, 10, 36)),
    ("collatz", collatz, 1, lambda: (numbers(), 27)),
    ("unrolled", unrolled, 1, lambda: (numbers(), 7, 3)),
]
