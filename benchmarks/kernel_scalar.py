# SPDX-License-Identifier: Apache-2.0
"""Three fixed scalar loops, each as a kernel and as the Python function that computes the same: integers (a
hash), floats (a recurrence), memory (running sums of a local tensor). `n` turns each."""

import asc

ROOM = 1024  # elements of the tensors of `memory`


@asc.jit
def integers(out: asc.GlobalAddress, n: int):
    out_gm = asc.GlobalTensor()
    out_gm.set_global_buffer(out, 1)
    total = 1
    for i in range(n):
        total = (total * 31 + i) % 65521
    out_gm.set_value(0, total)


@asc.jit
def floats(out: asc.GlobalAddress, factor: float, n: int):
    out_gm = asc.GlobalTensor()
    out_gm.set_global_buffer(out, 1)
    value = 1.0 * factor
    for _ in range(n):
        value = value * factor + 0.25
    out_gm.set_value(0, value)


@asc.jit
def memory(x: asc.GlobalAddress, out: asc.GlobalAddress, n: int):
    x_gm = asc.GlobalTensor()
    x_gm.set_global_buffer(x, ROOM)
    out_gm = asc.GlobalTensor()
    out_gm.set_global_buffer(out, ROOM)
    data = asc.LocalTensor(x.dtype, asc.TPosition.VECCALC, 0, ROOM)
    for i in range(ROOM):
        data.set_value(i, x_gm.get_value(i))
    for _ in range(n // ROOM):
        for i in range(1, ROOM):
            data.set_value(i, (data.get_value(i - 1) + data.get_value(i)) & 65535)
    for i in range(ROOM):
        out_gm.set_value(i, data.get_value(i))


def plain_integers(n):
    total = 1
    for i in range(n):
        total = (total * 31 + i) % 65521
    return total


def plain_floats(factor, n):
    value = 1.0 * factor
    for _ in range(n):
        value = value * factor + 0.25
    return value


def plain_memory(x, n):
    data = list(x)
    for _ in range(n // ROOM):
        for i in range(1, ROOM):
            data[i] = (data[i - 1] + data[i]) & 65535
    return data
