# SPDX-License-Identifier: Apache-2.0
"""The kernel of the warm call: three arrays, four scalars, and eight globals that each launch checks again.

It uses only names that pyasc has too, so one source serves both sides."""

import asc

BUFFERS = 2
PAIRS = 32
EVENT = 0
FIRST = 0
STEP = 1
SHIFT = 0
PARTS = 3
BYTES = 4


@asc.jit
def warm_kernel(
    x: asc.GlobalAddress,
    y: asc.GlobalAddress,
    z: asc.GlobalAddress,
    share: int,
    turns: int,
    offset: int,
    factor: float,
):
    start = asc.get_block_idx() * share + offset + SHIFT
    x_gm = asc.GlobalTensor()
    z_gm = asc.GlobalTensor()
    x_gm.set_global_buffer(x + start, share)
    z_gm.set_global_buffer(z + start, share)
    tile = share // PAIRS // BUFFERS
    x_ub = asc.LocalTensor(x.dtype, asc.TPosition.VECIN, FIRST, tile * PARTS)
    z_ub = asc.LocalTensor(x.dtype, asc.TPosition.VECOUT, tile * PARTS * BYTES, tile)
    for i in range(FIRST, turns, STEP):
        asc.data_copy(x_ub, x_gm[i * tile :], tile)
        asc.set_flag(asc.HardEvent.MTE2_V, EVENT)
        asc.wait_flag(asc.HardEvent.MTE2_V, EVENT)
        asc.muls(z_ub, x_ub, factor, tile)
        asc.set_flag(asc.HardEvent.V_MTE3, EVENT)
        asc.wait_flag(asc.HardEvent.V_MTE3, EVENT)
        asc.data_copy(z_gm[i * tile :], z_ub, tile)
