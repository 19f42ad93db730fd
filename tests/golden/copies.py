# SPDX-License-Identifier: Apache-2.0
"""Tails: blocks of any number of bytes, and constants of Ascend C by their names."""

import numpy as np

import asc


@asc.jit
def tails(x: asc.GlobalAddress, z: asc.GlobalAddress, rows: int, n: int):
    gx = asc.GlobalTensor()
    gx.set_global_buffer(x)
    gz = asc.GlobalTensor()
    gz.set_global_buffer(z)
    t = asc.LocalTensor(x.dtype, asc.TPosition.VECIN, 0, 256)
    size = n * x.dtype.sizeof()
    width = asc.ceildiv(size, asc.property(asc.DEFAULT_C0_SIZE)) * asc.property(asc.DEFAULT_C0_SIZE) // 4
    asc.data_copy_pad(
        t, gx, asc.DataCopyExtParams(rows, size), asc.DataCopyPadExtParams(x.dtype, True, 0, 1, -1.0)
    )
    asc.set_flag(asc.HardEvent.MTE2_V, 0)
    asc.wait_flag(asc.HardEvent.MTE2_V, 0)
    asc.adds(t, t, 1, rows * width)
    asc.set_flag(asc.HardEvent.V_MTE3, 0)
    asc.wait_flag(asc.HardEvent.V_MTE3, 0)
    back = asc.DataCopyExtParams(rows, size)
    back.dst_stride = 4
    asc.data_copy_pad(gz, t, back)
    if size + asc.property(asc.ONE_BLK_SIZE) < asc.property(asc.TOTAL_L1_SIZE):
        gz.set_value(63, asc.property(asc.TOTAL_L0C_SIZE) // 1024)


CASES = [
    ("tails", tails, 1, lambda: (np.arange(64, dtype=np.float32), np.zeros(64, np.float32), 3, 10)),
]
