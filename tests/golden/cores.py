# SPDX-License-Identifier: Apache-2.0
"""Cube and vector cores in one kernel, a matrix product, printed text and asserts."""

import numpy as np
import op_reference

import asc
from asc.runtime import config

READY, DONE = 1, 2


@asc.jit
def signal(flag: int):
    asc.cross_core_set_flag(flag, 2, asc.PipeID.PIPE_S)


@asc.jit
def await_signal(flag: int):
    asc.cross_core_wait_flag(flag, 2, asc.PipeID.PIPE_S)


@asc.jit(kernel_type=config.KernelType.MIX_AIC_1_2)
def relay(log: asc.GlobalAddress, turns: int):
    """The vector cores of a block hand numbers to their cube core, which hands the sum back."""
    gm = asc.GlobalTensor()
    gm.set_global_buffer(log)
    if asc.ascend_is_aic():
        base = asc.get_block_idx() * 48
        for i in range(turns):
            await_signal(READY)
            gm.set_value(base, gm.get_value(base + 16) + gm.get_value(base + 32) * 2 + i)
            signal(DONE)
    else:
        base = asc.get_block_idx() // asc.get_sub_block_num() * 48
        mine = base + 16 + asc.get_sub_block_idx() * 16
        for i in range(turns):
            gm.set_value(mine, 100 * asc.get_block_idx() + i)
            signal(READY)
            await_signal(DONE)
            gm.set_value(mine + 1, gm.get_value(base))


@asc.jit
def two_sides(out: asc.GlobalAddress, n: int):
    """A predicate in a larger condition, stored, and negated."""
    gm = asc.GlobalTensor()
    gm.set_global_buffer(out)
    on_cube = asc.ascend_is_aic()
    place = asc.get_block_idx() * 16
    if on_cube:
        place += 64
    if n > 2 and asc.ascend_is_aiv():
        gm.set_value(place, n)
    if not asc.ascend_is_aiv():
        gm.set_value(place, -n)
    gm.set_value(place + 1, 1 if on_cube else 2)


@asc.jit
def matmul(a: asc.GlobalAddress, b: asc.GlobalAddress, c: asc.GlobalAddress):
    """c = a @ b, 16 x 16, of fractals as L0A and L0B hold them."""
    a_gm = asc.GlobalTensor()
    b_gm = asc.GlobalTensor()
    c_gm = asc.GlobalTensor()
    a_gm.set_global_buffer(a)
    b_gm.set_global_buffer(b)
    c_gm.set_global_buffer(c)
    l0a = asc.LocalTensor(a.dtype, asc.TPosition.A2, 0, 256)
    l0b = asc.LocalTensor(b.dtype, asc.TPosition.B2, 0, 256)
    l0c = asc.LocalTensor(c.dtype, asc.TPosition.CO1, 0, 256)
    asc.load_data(l0a, a_gm, asc.LoadData2DParams())
    asc.load_data(l0b, b_gm, asc.LoadData2DParams(0, 1, 1))
    asc.set_flag(asc.HardEvent.MTE2_M)
    asc.wait_flag(asc.HardEvent.MTE2_M)
    params = asc.MmadParams(m=16, n=16, k=16)
    asc.mmad(l0c, l0a, l0b, params)
    asc.pipe_barrier(asc.PipeID.PIPE_M)
    params.cmatrix_init_val = False
    asc.mmad(l0c, l0a, l0b, params)
    asc.set_flag(asc.HardEvent.M_FIX)
    asc.wait_flag(asc.HardEvent.M_FIX)
    asc.fixpipe(c_gm, l0c, asc.FixpipeParamsV220(16, 16, 16, 16, relu_en=True))


@asc.jit
def speaks(x: asc.GlobalAddress, n: int, big: asc.int64, factor: float):
    gm = asc.GlobalTensor()
    gm.set_global_buffer(x)
    block = asc.get_block_idx()
    print(f"block {block}: n = {n}, 100%")
    assert n > 0, f"n is {n}"
    assert gm.get_value(0) != 0
    if n > 3:
        print("big", big, factor, n > 4)
    gm.set_value(block * 16, n)


def matrices():
    rng = np.random.default_rng(2)
    a, b = (rng.normal(size=(16, 16)).astype(np.float16) for _ in range(2))
    return (
        op_reference.to_fractals(a, "zz"),
        op_reference.to_fractals(b, "zn"),
        np.zeros((16, 16), np.float32),
    )


CASES = [
    ("relay", relay, 2, lambda: (np.zeros(96, np.int32), 3)),
    ("two_sides", two_sides, 2, lambda: (np.zeros(128, np.int32), 5)),
    ("matmul", matmul, 1, lambda: matrices()),
    ("speaks", speaks, 2, lambda: (np.ones(32, np.int32), 5, -(2**35), 0.5)),
]
