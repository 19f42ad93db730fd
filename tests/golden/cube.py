# SPDX-License-Identifier: Apache-2.0
"""A matrix product of fractals: load, mmad, fixpipe, on the cube core alone."""

import numpy as np

import asc


@asc.jit
def cube(
    a: asc.GlobalAddress,
    b: asc.GlobalAddress,
    c: asc.GlobalAddress,
    M: asc.ConstExpr[int],
    K: asc.ConstExpr[int],
):
    a_gm = asc.GlobalTensor()
    b_gm = asc.GlobalTensor()
    c_gm = asc.GlobalTensor()
    a_gm.set_global_buffer(a)
    b_gm.set_global_buffer(b)
    c_gm.set_global_buffer(c)
    l0a = asc.LocalTensor(a.dtype, asc.TPosition.A2, 0, M * K)
    l0b = asc.LocalTensor(b.dtype, asc.TPosition.B2, 0, K * 16)
    l0c = asc.LocalTensor(asc.float32, asc.TPosition.CO1, 0, M * 16)
    asc.load_data(l0a, a_gm, asc.LoadData2DParams(repeat_times=M * K // 256, src_stride=1))
    asc.load_data(l0b, b_gm, asc.LoadData2DParams(repeat_times=K // 16, src_stride=1))
    asc.set_flag(asc.HardEvent.MTE2_M, 0)
    asc.wait_flag(asc.HardEvent.MTE2_M, 0)
    asc.mmad(l0c, l0a, l0b, asc.MmadParams(m=M, n=16, k=K))
    asc.set_flag(asc.HardEvent.M_FIX, 0)
    asc.wait_flag(asc.HardEvent.M_FIX, 0)
    asc.fixpipe(c_gm, l0c, asc.FixpipeParamsV220(16, M, M, 16))


def arguments():
    rng = np.random.default_rng(4)
    a, b = (rng.standard_normal(size).astype(np.float16) for size in (32 * 48, 48 * 16))
    return [a, b, np.zeros((32, 16), np.float32), 32, 48]


CASES = [("cube", cube, 1, arguments)]
