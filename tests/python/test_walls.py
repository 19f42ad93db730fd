# SPDX-License-Identifier: Apache-2.0
"""Proofs that the architecture carries what comes later: mixed cores, cross-core order, cube ops,
operators by kind."""

import numpy as np
import pytest

import asc
from asc.runtime import config

READY, DONE = 3, 4


@asc.jit
def tell(flag: int):
    asc.cross_core_set_flag(flag, 2, asc.PipeID.PIPE_S)


@asc.jit
def hear(flag: int):
    asc.cross_core_wait_flag(flag, 2, asc.PipeID.PIPE_S)


@asc.jit(kernel_type=config.KernelType.MIX_AIC_1_2)
def handshake(log: asc.GlobalAddress, n: int):
    """Both vector cores of a block write, tell their cube core through a helper, and wait for what it made
    of it."""
    gm = asc.GlobalTensor()
    gm.set_global_buffer(log)
    if asc.ascend_is_aic():
        block = asc.get_block_idx()
        hear(READY)
        gm.set_value(block * 48, gm.get_value(block * 48 + 16) + gm.get_value(block * 48 + 32))
        tell(DONE)
    if asc.ascend_is_aiv():
        vector = asc.get_block_idx()
        block = vector // 2
        mine = block * 48 + 16 + asc.get_sub_block_idx() * 16
        gm.set_value(mine, 100 * block + vector + n)
        tell(READY)
        hear(DONE)
        gm.set_value(mine + 1, gm.get_value(block * 48))


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("mode", ["check", "fast"])
def test_cross_core_flag_in_a_helper_of_a_mixed_kernel(mode, threads):
    log = np.zeros(96, np.int32)
    handshake.options(mode=mode, threads=threads)[2](log, 7)
    for block in range(2):
        first, second = 100 * block + 2 * block + 7, 100 * block + 2 * block + 1 + 7
        base = block * 48
        assert log[base] == first + second
        assert log[base + 16 : base + 18].tolist() == [first, first + second]
        assert log[base + 32 : base + 34].tolist() == [second, first + second]


def test_a_wait_that_no_core_answers_is_a_deadlock_with_every_waiter():
    @asc.jit(kernel_type=config.KernelType.MIX_AIC_1_2)
    def stuck(x: asc.GlobalAddress):
        if asc.ascend_is_aiv():
            asc.cross_core_wait_flag(5, 2, asc.PipeID.PIPE_S)

    with pytest.raises(asc.DeadlockError) as caught:
        stuck[2](np.zeros(8, np.int32))
    assert caught.value.findings[0].site.text.strip() == "asc.cross_core_wait_flag(5, 2, asc.PipeID.PIPE_S)"


def test_two_programs_come_from_one_source():
    """One IR serves both core types; the kernel's type is found from the ops on each side."""

    @asc.jit
    def both(x: asc.GlobalAddress, out: asc.GlobalAddress):
        gm = asc.GlobalTensor()
        gm.set_global_buffer(out)
        if asc.ascend_is_aic():
            a = asc.GlobalTensor()
            a.set_global_buffer(x)
            l0a = asc.LocalTensor(x.dtype, asc.TPosition.A2, 0, 256)
            asc.load_data(l0a, a, asc.LoadData2DParams(repeat_times=1))
            gm.set_value(asc.get_block_idx() * 16, 1)
        else:
            local = asc.LocalTensor(asc.float32, asc.TPosition.VECCALC, 0, 64)
            asc.duplicate(local, 0, 64)
            gm.set_value(64 + asc.get_block_idx() * 16, 2)

    out = np.zeros(160, np.int32)
    compiled = both[2].compile(np.zeros(256, np.float16), out)
    assert compiled.meta["kernel_type"] == "MIX_AIC_1_2"
    text = compiled.text["ascendc"]
    assert (
        text.count("if ASCEND_IS_AIC {") == 1
        and "constexpr" not in text.split("if ASCEND_IS_AIC {")[0].split("both(")[1]
    )
    both[2](np.zeros(256, np.float16), out)
    assert out[:64:16].tolist() == [1, 1, 0, 0]
    assert out[64::16].tolist() == [2, 2, 2, 2, 0, 0]


@asc.jit
def matmul16(
    a: asc.GlobalAddress,
    b: asc.GlobalAddress,
    c: asc.GlobalAddress,
    M: asc.ConstExpr[int],
    K: asc.ConstExpr[int],
    N: asc.ConstExpr[int],
):
    """c = a @ b of fractals that lie in global memory as L0A and L0B hold them."""
    a_gm = asc.GlobalTensor()
    b_gm = asc.GlobalTensor()
    c_gm = asc.GlobalTensor()
    a_gm.set_global_buffer(a)
    b_gm.set_global_buffer(b)
    c_gm.set_global_buffer(c)
    l0a = asc.LocalTensor(a.dtype, asc.TPosition.A2, 0, M * K)
    l0b = asc.LocalTensor(b.dtype, asc.TPosition.B2, 0, K * N)
    l0c = asc.LocalTensor(asc.float32, asc.TPosition.CO1, 0, M * N)
    asc.load_data(l0a, a_gm, asc.LoadData2DParams(repeat_times=M * K // 256, src_stride=1))
    asc.load_data(l0b, b_gm, asc.LoadData2DParams(repeat_times=K * N // 256, src_stride=1))
    asc.set_flag(asc.HardEvent.MTE2_M, 0)
    asc.wait_flag(asc.HardEvent.MTE2_M, 0)
    asc.mmad(l0c, l0a, l0b, asc.MmadParams(m=M, n=N, k=K))
    asc.set_flag(asc.HardEvent.M_FIX, 0)
    asc.wait_flag(asc.HardEvent.M_FIX, 0)
    asc.fixpipe(c_gm, l0c, asc.FixpipeParamsV220(N, M, M, N))


def fractals(matrix, rows_inside):
    """16x16 fractals, row-major over the matrix; row-major inside (L0A) or column-major (L0B)."""
    m, n = matrix.shape
    blocks = matrix.reshape(m // 16, 16, n // 16, 16)
    return np.ascontiguousarray(
        blocks.transpose(0, 2, 1, 3) if rows_inside else blocks.transpose(0, 2, 3, 1)
    ).reshape(-1)


def test_one_cube_op_from_row_to_result():
    rng = np.random.default_rng(5)
    m, k, n = 32, 48, 16
    a = rng.integers(-8, 8, (m, k)).astype(np.float16)
    b = rng.integers(-8, 8, (k, n)).astype(np.float16)
    c = np.zeros((m, n), np.float32)
    compiled = matmul16[1].compile(fractals(a, True), fractals(b, False), c, m, k, n)
    assert compiled.meta["kernel_type"] == "AIC_ONLY"
    matmul16[1](fractals(a, True), fractals(b, False), c, m, k, n)
    np.testing.assert_array_equal(c, a.astype(np.float32) @ b.astype(np.float32))


def test_vector_op_on_a_cube_core_is_told_before_it_runs():
    @asc.jit(kernel_type=config.KernelType.AIC_ONLY)
    def wrong(x: asc.GlobalAddress):
        local = asc.LocalTensor(x.dtype, asc.TPosition.VECCALC, 0, 64)
        asc.relu(local, local, 64)

    with pytest.raises(asc.KernelError, match="relu.*AIC_ONLY") as caught:
        wrong[1](np.zeros(64, np.float32))
    assert caught.value.findings[0].site.text.strip() == "asc.relu(local, local, 64)"


def test_operators_of_a_value_that_is_no_number_come_from_the_table():
    """GlobalAddress has +, - and reflected + because the op table has rows for them; expressions know none
    of it."""

    @asc.jit
    def offsets(x: asc.GlobalAddress, n: int):
        first = asc.GlobalTensor()
        second = asc.GlobalTensor()
        third = asc.GlobalTensor()
        first.set_global_buffer(x + n)
        second.set_global_buffer(2 * n + x)
        third.set_global_buffer(x + 3 * n - n)
        first.set_value(0, 1)
        second.set_value(1, 2)
        third.set_value(2, 3)

    x = np.zeros(8, np.int32)
    offsets[1](x, 2)
    assert x.tolist() == [0, 0, 1, 0, 0, 2, 3, 0]

    @asc.jit
    def product(x: asc.GlobalAddress):
        gm = asc.GlobalTensor()
        gm.set_global_buffer(x * 2)

    with pytest.raises(asc.CompileError, match=r"GlobalAddress.*\*|\*.*GlobalAddress"):
        product[1](x)


def test_a_branch_of_one_core_type_with_an_effect_asks_for_that_core_type():
    @asc.jit
    def mixed(z: asc.GlobalAddress, n: int):
        a = asc.LocalTensor(asc.float16, asc.TPosition.A2, 0, 256)
        b = asc.LocalTensor(asc.float16, asc.TPosition.B2, 0, 256)
        c = asc.LocalTensor(asc.float32, asc.TPosition.CO1, 0, 256)
        o = asc.GlobalTensor()
        o.set_global_buffer(z)
        if asc.ascend_is_aic():
            asc.mmad(c, a, b, asc.MmadParams(16, 16, 16))
        if asc.ascend_is_aiv():
            o.set_value(asc.get_block_idx() * 16, n)

    z = np.zeros(32, np.int32)
    assert mixed[1].compile(z, 7).meta["kernel_type"] == "MIX_AIC_1_2"
    mixed[1](z, 7)
    assert z[::16].tolist() == [7, 7]


def test_flags_between_the_core_types_ask_for_both():
    @asc.jit
    def relay(z: asc.GlobalAddress, n: int):
        o = asc.GlobalTensor()
        o.set_global_buffer(z)
        if asc.ascend_is_aic():
            o.set_value(0, n)
            asc.cross_core_set_flag(3, 2, asc.PipeID.PIPE_S)
        else:
            asc.cross_core_wait_flag(3, 2, asc.PipeID.PIPE_S)
            o.set_value(16 + asc.get_block_idx() * 16, o.get_value(0) + 1)

    z = np.zeros(48, np.int32)
    relay[1](z, 7)
    assert z[::16].tolist() == [7, 8, 8]
