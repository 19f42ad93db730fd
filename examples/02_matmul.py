# SPDX-License-Identifier: Apache-2.0
"""A @ B + bias for float16 matrices, by the Matmul object.

The host asks for a tiling: how many cores take part, which part of C each of them has, and in which blocks
it is computed. In a mixed kernel two vector cores share a block's cube core, so a tiling of `n` cores is
launched on `n / 2` blocks; `get_block_idx()` counts the vector cores. Each turn of `with matmul.iterate()`
has one block of C.
"""

import numpy as np

import asc
import asc.lib.host as host
from asc.adv import MatmulType, TCubeTiling

M, N, K = 200, 320, 96  # no multiples of the cores' parts: the last ones are smaller
CORES = 8  # vector cores


@asc.jit
def product(
    a: asc.GlobalAddress,
    b: asc.GlobalAddress,
    bias: asc.GlobalAddress,
    c: asc.GlobalAddress,
    tiling: TCubeTiling,
):
    # This core's part of C: rows first.
    core = asc.get_block_idx()
    parts = asc.ceildiv(tiling.m, tiling.single_core_m)
    row = core % parts * tiling.single_core_m
    column = core // parts * tiling.single_core_n
    a_gm = asc.GlobalTensor()
    b_gm = asc.GlobalTensor()
    bias_gm = asc.GlobalTensor()
    c_gm = asc.GlobalTensor()
    a_gm.set_global_buffer(a + row * tiling.k_a)
    b_gm.set_global_buffer(b + column)
    bias_gm.set_global_buffer(bias + column)
    c_gm.set_global_buffer(c + row * tiling.n + column)

    pipe = asc.TPipe()
    matmul = asc.adv.Matmul(
        a=MatmulType(asc.TPosition.GM, asc.CubeFormat.ND, a.dtype),
        b=MatmulType(asc.TPosition.GM, asc.CubeFormat.ND, b.dtype),
        c=MatmulType(asc.TPosition.GM, asc.CubeFormat.ND, c.dtype),
        bias=MatmulType(asc.TPosition.GM, asc.CubeFormat.ND, bias.dtype),
    )
    # Scratch memory for what the two kinds of core tell each other; the launch allocates it.
    asc.adv.register_matmul(pipe, asc.workspace(1 << 20, per_block=False), matmul, tiling)
    rows = min(tiling.m - row, tiling.single_core_m)
    columns = min(tiling.n - column, tiling.single_core_n)
    if core < tiling.used_core_num:
        matmul.set_tensor_a(a_gm)
        matmul.set_tensor_b(b_gm)
        matmul.set_bias(bias_gm)
        matmul.set_tail(rows, columns)
        with matmul.iterate():  # or all of them at once: matmul.iterate_all(c_gm)
            matmul.get_tensor_c(c_gm)  # each block to its place
        matmul.end()


def make_tiling():
    maker = host.MultiCoreMatmulTiling(host.get_ascendc_platform())
    gm, nd = host.TPosition.GM, host.CubeFormat.ND
    maker.set_a_type(gm, nd, host.DataType.DT_FLOAT16, False)
    maker.set_b_type(gm, nd, host.DataType.DT_FLOAT16, False)
    maker.set_c_type(gm, nd, host.DataType.DT_FLOAT)
    maker.set_bias_type(gm, nd, host.DataType.DT_FLOAT)
    maker.set_dim(CORES)  # at most so many
    maker.set_org_shape(M, N, K)  # the whole matrices
    maker.set_shape(M, N, K)  # what is computed of them
    maker.enable_bias(True)
    maker.set_buffer_space(-1, -1, -1)  # all of L1, L0C and UB
    tiling = TCubeTiling()
    if maker.get_tiling(tiling) != 0:
        raise ValueError("there is no such tiling")
    return tiling


if __name__ == "__main__":
    rng = np.random.default_rng(1)
    a = rng.integers(-5, 6, (M, K)).astype(np.float16)
    b = rng.integers(-5, 6, (K, N)).astype(np.float16)
    bias = rng.integers(-20, 21, N).astype(np.float32)
    c = np.zeros((M, N), np.float32)
    tiling = make_tiling()
    product[(tiling.used_core_num + 1) // 2](a, b, bias, c, tiling)
    expected = a.astype(np.float32) @ b.astype(np.float32) + bias
    assert (c == expected).all()
    print(
        f"C is right: {M} x {N}, {tiling.used_core_num} vector cores, parts of "
        f"{tiling.single_core_m} x {tiling.single_core_n}, blocks of {tiling.base_m} x {tiling.base_n}"
    )
