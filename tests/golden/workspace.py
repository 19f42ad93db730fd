# SPDX-License-Identifier: Apache-2.0
"""Scratch memory that the launch allocates: of a block and shared, in helpers and in unrolled loops."""

import numpy as np

import asc
from asc.runtime import config

READY = 1


@asc.jit
def ints(address: asc.GlobalAddress, count: asc.ConstExpr[int]):
    tensor = asc.GlobalTensor()
    tensor.set_global_buffer(asc.GlobalAddress(address, asc.int32), count)
    return tensor


@asc.jit
def reverse(x, y, start: int, n: int, ROOM: asc.ConstExpr[int]):
    """y = x reversed, by way of scratch memory of its own."""
    kept = ints(asc.workspace(ROOM * 4), ROOM)
    for i in range(n):
        kept.set_value(i, x.get_value(start + i))
    for i in range(n):
        y.set_value(start + i, kept.get_value(n - 1 - i))


@asc.jit
def twice_reversed(x: asc.GlobalAddress, y: asc.GlobalAddress, z: asc.GlobalAddress, n: int):
    """Each call of the helper has an area; what the first one kept is not what the second one keeps."""
    x_gm = asc.GlobalTensor()
    x_gm.set_global_buffer(x)
    y_gm = asc.GlobalTensor()
    y_gm.set_global_buffer(y)
    z_gm = asc.GlobalTensor()
    z_gm.set_global_buffer(z)
    start = asc.get_block_idx() * n
    reverse(x_gm, y_gm, start, n, 100)
    reverse(y_gm, z_gm, start, n, 100)


@asc.jit
def areas(workspace: asc.GlobalAddress, n: int, ROOM: asc.ConstExpr[int]):
    """One area for all blocks, one of each block for each turn of an unrolled loop, one for all turns of a
    loop; and a parameter that has the name the workspace would have."""
    out = asc.GlobalTensor()
    out.set_global_buffer(workspace)
    block = asc.get_block_idx()
    row = block * 8
    shared = ints(asc.workspace(1024, per_block=False), 256)
    parts = [ints(asc.workspace(4 * ROOM + i), ROOM) for i in asc.static_range(3)]
    for i in range(n):
        one = ints(asc.workspace(4), 1)
        if i == 0:
            one.set_value(0, 0)
        one.set_value(0, one.get_value(0) + i)
        out.set_value(row + 4, one.get_value(0))
    for k in asc.static_range(3):
        parts[k].set_value(ROOM - 1, 10 * block + k)
    shared.set_value(block * 8, block + 100)
    for k in asc.static_range(3):
        out.set_value(row + k, parts[k].get_value(ROOM - 1))
    out.set_value(row + 3, shared.get_value(block * 8))


@asc.jit
def chosen(out: asc.GlobalAddress, n: int):
    """Addresses that a condition chooses and that a loop binds again; and one that nothing uses."""
    o = asc.GlobalTensor()
    o.set_global_buffer(out)
    block = asc.get_block_idx()
    kept = ints(asc.workspace(64) if block > 0 else asc.workspace(32, per_block=False), 8)
    kept.set_value(7, n + block)
    asc.workspace(4096)
    place = asc.workspace(8)
    i = 0
    while i < n:
        place = asc.workspace(16) + i
        i += 1
    last = asc.GlobalTensor()
    last.set_global_buffer(place)
    last.set_value(0, 5)
    o.set_value(block * 8, kept.get_value(7) * 10 + last.get_value(0))


@asc.jit(kernel_type=config.KernelType.MIX_AIC_1_2)
def handed_over(out: asc.GlobalAddress):
    """The cores of a block have one area: its vector cores write, its cube core reads."""
    o = asc.GlobalTensor()
    o.set_global_buffer(out)
    mine = ints(asc.workspace(64), 16)
    if asc.ascend_is_aiv():
        mine.set_value(8 * asc.get_sub_block_idx(), asc.get_block_idx() + 1)
        asc.cross_core_set_flag(READY, 2, asc.PipeID.PIPE_S)
    else:
        asc.cross_core_wait_flag(READY, 2, asc.PipeID.PIPE_S)
        o.set_value(asc.get_block_idx() * 8, mine.get_value(0) * 100 + mine.get_value(8))


def numbers(count):
    return np.arange(count, dtype=np.int32)


CASES = [
    (
        "twice_reversed",
        twice_reversed,
        3,
        lambda: (numbers(60), np.zeros(60, np.int32), np.zeros(60, np.int32), 20),
    ),
    ("areas", areas, 2, lambda: (np.zeros(16, np.int32), 5, 64)),
    ("chosen", chosen, 2, lambda: (np.zeros(16, np.int32), 3)),
    ("handed_over", handed_over, 2, lambda: (np.zeros(16, np.int32),)),
]
