# SPDX-License-Identifier: Apache-2.0
"""A chain of vector ops on each tile: x / (1 + exp(-1.702 x)), a common approximation of gelu."""

import asc


@asc.jit
def gelu(x: asc.GlobalAddress, y: asc.GlobalAddress, share: int, TILE: asc.ConstExpr[int]):
    first = asc.get_block_idx() * share
    x_gm = asc.GlobalTensor()
    y_gm = asc.GlobalTensor()
    x_gm.set_global_buffer(x + first, share)
    y_gm.set_global_buffer(y + first, share)
    x_ub = asc.LocalTensor(x.dtype, asc.TPosition.VECIN, 0, TILE)
    e_ub = asc.LocalTensor(x.dtype, asc.TPosition.VECCALC, TILE * 4, TILE)
    y_ub = asc.LocalTensor(x.dtype, asc.TPosition.VECOUT, TILE * 8, TILE)
    for i in range(share // TILE):
        asc.data_copy(x_ub, x_gm[i * TILE :], TILE)
        asc.set_flag(asc.HardEvent.MTE2_V, 0)
        asc.wait_flag(asc.HardEvent.MTE2_V, 0)
        asc.muls(e_ub, x_ub, -1.702, TILE)
        asc.exp(e_ub, e_ub, TILE)
        asc.adds(e_ub, e_ub, 1.0, TILE)
        asc.div(y_ub, x_ub, e_ub, TILE)
        asc.set_flag(asc.HardEvent.V_MTE3, 0)
        asc.wait_flag(asc.HardEvent.V_MTE3, 0)
        asc.data_copy(y_gm[i * TILE :], y_ub, TILE)
        asc.set_flag(asc.HardEvent.MTE3_MTE2, 0)
        asc.wait_flag(asc.HardEvent.MTE3_MTE2, 0)
        asc.set_flag(asc.HardEvent.V_MTE2, 1)
        asc.wait_flag(asc.HardEvent.V_MTE2, 1)
