# SPDX-License-Identifier: Apache-2.0
"""Matrices through load_data, mmad and fixpipe: the simulator and the printed program against NumPy."""

import pathlib
import sys

import host_exec
import numpy as np
import pytest

import asc

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
import op_reference as ref

RNG = np.random.default_rng(7)


@asc.jit
def multiply(
    a: asc.GlobalAddress,
    b: asc.GlobalAddress,
    c: asc.GlobalAddress,
    M: asc.ConstExpr[int],
    K: asc.ConstExpr[int],
    N: asc.ConstExpr[int],
    A: asc.ConstExpr[int],
    B: asc.ConstExpr[int],
    ACC: asc.ConstExpr,
    TWICE: asc.ConstExpr[bool],
    RELU: asc.ConstExpr[bool],
):
    """A and B: elements of the operands as they lie in L0A and L0B; the result is M x N, rows 48 apart."""
    a_gm, b_gm, c_gm = asc.GlobalTensor(), asc.GlobalTensor(), asc.GlobalTensor()
    a_gm.set_global_buffer(a)
    b_gm.set_global_buffer(b)
    c_gm.set_global_buffer(c)
    size = a.dtype.sizeof()
    a_l1 = asc.LocalTensor(a.dtype, asc.TPosition.A1, 0, A)
    b_l1 = asc.LocalTensor(a.dtype, asc.TPosition.B1, 1 << 18, B)
    asc.data_copy(a_l1, a_gm, A)
    asc.data_copy(b_l1, b_gm, B)
    a_l0 = asc.LocalTensor(a.dtype, asc.TPosition.A2, 0, A)
    b_l0 = asc.LocalTensor(a.dtype, asc.TPosition.B2, 0, B)
    rows = asc.ceildiv(N, 16) * asc.ceildiv(M, 16) * 256
    c_l0 = asc.LocalTensor(ACC, asc.TPosition.CO1, 0, rows)
    asc.load_data(a_l0, a_l1, asc.LoadData2DParams(repeat_times=asc.ceildiv(A * size, 512), src_stride=1))
    asc.load_data(b_l0, b_l1, asc.LoadData2DParams(repeat_times=B * size // 512, src_stride=1))
    asc.mmad(c_l0, a_l0, b_l0, asc.MmadParams(M, N, K))
    if TWICE:
        asc.mmad(c_l0, a_l0, b_l0, asc.MmadParams(M, N, K, cmatrix_init_val=False))
    asc.fixpipe(c_gm, c_l0, asc.FixpipeParamsV220(N, M, asc.ceildiv(M, 16) * 16, 48, relu_en=RELU))


def numbers(shape, dtype):
    return RNG.integers(-4, 5, shape).astype(dtype)


def product(a, b, twice, relu):
    once = a.astype(np.float64) @ b.astype(np.float64)  # exact: small whole numbers
    total = once * 2 if twice else once
    return np.maximum(total, 0) if relu else total


@pytest.mark.host
@pytest.mark.parametrize(
    ("m", "k", "n", "dtype", "twice", "relu"),
    [
        (16, 16, 16, np.float16, False, False),
        (17, 40, 35, np.float16, True, False),
        (32, 16, 48, np.float16, False, True),
        (5, 3, 7, np.float16, False, False),
        (20, 24, 16, np.float32, True, True),
        (33, 40, 16, np.int8, True, False),
        (1, 256, 16, np.float16, False, False),
        (1, 512, 40, np.float16, True, False),
        (1, 128, 16, np.float32, False, False),
        (1, 512, 16, np.int8, False, True),
    ],
)
def test_a_product(m, k, n, dtype, twice, relu):
    left, right = numbers((m, k), dtype), numbers((k, n), dtype)
    # A vector on the left is k elements in a row (manual, Mmad: GEMV), not fractals of 16 rows.
    a = left.reshape(-1) if m == 1 else ref.to_fractals(left, "zz")
    b = ref.to_fractals(right, "zn")
    acc = asc.int32 if dtype == np.int8 else asc.float32
    c = np.full((m, 48), -7, np.int32 if dtype == np.int8 else np.float32)
    args = (a, b, c, m, k, n, a.size, b.size, acc, twice, relu)
    compiled = multiply[1].compile(*args)
    host = host_exec.run_printed(compiled.text["ascendc"], "multiply", "AIC_ONLY", 1, [a, b, c])[2]
    multiply[1](*args)
    want = np.full((m, 48), -7.0)
    want[:, :n] = product(left, right, twice, relu)
    np.testing.assert_array_equal(c, want)
    np.testing.assert_array_equal(host, want)


def test_operands_too_small_are_found():
    """One element less than the product reads, of each operand."""
    for m, k, n in [(1, 256, 16), (16, 16, 32)]:
        left, right = numbers((m, k), np.float16), numbers((k, n), np.float16)
        a = left.reshape(-1) if m == 1 else ref.to_fractals(left, "zz")
        b = ref.to_fractals(right, "zn")
        for less, name in [((16, 0), "fm"), ((0, 256), "filter")]:
            with pytest.raises(asc.BoundsError, match=rf"mmad: reads \d+ elements of {name}, a tensor of"):
                multiply[1](a, b, np.zeros((m, 48), np.float32), m, k, n, a.size - less[0], b.size - less[1],
                            asc.float32, False, False)  # fmt: skip
