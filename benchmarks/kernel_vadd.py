# SPDX-License-Identifier: Apache-2.0
"""The vector add that the benchmarks compile: two buffers, flags between the pipes, 64 tiles of a block.

It uses only names that pyasc has too, so one source serves both sides."""

import asc

BUFFERS = 2
PAIRS = 32


@asc.jit
def add_kernel(x: asc.GlobalAddress, y: asc.GlobalAddress, z: asc.GlobalAddress, share: int):
    start = asc.get_block_idx() * share
    x_gm = asc.GlobalTensor()
    y_gm = asc.GlobalTensor()
    z_gm = asc.GlobalTensor()
    x_gm.set_global_buffer(x + start, share)
    y_gm.set_global_buffer(y + start, share)
    z_gm.set_global_buffer(z + start, share)

    tile = share // PAIRS // BUFFERS
    dtype = x.dtype
    room = tile * BUFFERS * dtype.sizeof()
    x_ub = asc.LocalTensor(dtype, asc.TPosition.VECIN, 0, tile * BUFFERS)
    y_ub = asc.LocalTensor(dtype, asc.TPosition.VECIN, room, tile * BUFFERS)
    z_ub = asc.LocalTensor(dtype, asc.TPosition.VECOUT, room + room, tile * BUFFERS)

    for i in range(PAIRS * BUFFERS):
        b = i % BUFFERS
        asc.data_copy(x_ub[b * tile :], x_gm[i * tile :], tile)
        asc.data_copy(y_ub[b * tile :], y_gm[i * tile :], tile)
        asc.set_flag(asc.HardEvent.MTE2_V, b)
        asc.wait_flag(asc.HardEvent.MTE2_V, b)
        asc.add(z_ub[b * tile :], x_ub[b * tile :], y_ub[b * tile :], tile)
        asc.set_flag(asc.HardEvent.V_MTE3, b)
        asc.wait_flag(asc.HardEvent.V_MTE3, b)
        asc.data_copy(z_gm[i * tile :], z_ub[b * tile :], tile)
        asc.set_flag(asc.HardEvent.MTE3_MTE2, b)
        asc.wait_flag(asc.HardEvent.MTE3_MTE2, b)
