# SPDX-License-Identifier: Apache-2.0
"""C = A * B with the Matmul object, all of a core's part at once."""

import asc
from asc.adv import MatmulType, TCubeTiling

ND, GM = asc.CubeFormat.ND, asc.TPosition.GM


@asc.jit
def product(
    a: asc.GlobalAddress,
    b: asc.GlobalAddress,
    c: asc.GlobalAddress,
    tiling: TCubeTiling,
    space: asc.GlobalAddress,
):
    core = asc.get_block_idx()
    parts = asc.ceildiv(tiling.m, tiling.single_core_m)
    row = core % parts * tiling.single_core_m
    column = core // parts * tiling.single_core_n
    left = asc.GlobalTensor()
    right = asc.GlobalTensor()
    result = asc.GlobalTensor()
    left.set_global_buffer(a + row * tiling.k_a)
    right.set_global_buffer(b + column)
    result.set_global_buffer(c + row * tiling.n + column)
    pipe = asc.TPipe()
    matmul = asc.adv.Matmul(
        MatmulType(GM, ND, a.dtype), MatmulType(GM, ND, b.dtype), MatmulType(GM, ND, c.dtype)
    )
    asc.adv.register_matmul(pipe, space, matmul, tiling)
    if core < tiling.used_core_num:
        matmul.set_tensor_a(left)
        matmul.set_tensor_b(right)
        matmul.iterate_all(result)
        matmul.end()


def tiling_for(m, n, k, cores):
    """The tiling of the host library, for float16 matrices and a float32 product."""
    from asc.lib import host

    maker = host.MultiCoreMatmulTiling(host.get_ascendc_platform())
    half = (host.TPosition.GM, host.CubeFormat.ND, host.DataType.DT_FLOAT16)
    maker.set_a_type(*half, False)
    maker.set_b_type(*half, False)
    maker.set_c_type(host.TPosition.GM, host.CubeFormat.ND, host.DataType.DT_FLOAT)
    maker.set_dim(cores)
    maker.set_org_shape(m, n, k)
    maker.set_shape(m, n, k)
    maker.enable_bias(False)
    maker.set_buffer_space(-1, -1, -1)
    tiling = TCubeTiling()
    maker.get_tiling(tiling)
    return tiling
