# SPDX-License-Identifier: Apache-2.0
"""MultiCoreMatmulTiling: its tilings keep to what the documentation asks, and kernels run with them."""

import numpy as np
import pytest
from test_matmul import exact, multiply, whole_numbers, workspace

import asc
import asc.lib.host as host

L1, L0A, L0B, L0C, UB = 512 * 1024, 64 * 1024, 64 * 1024, 128 * 1024, 192 * 1024
BYTES = {host.DataType.DT_FLOAT16: 2, host.DataType.DT_FLOAT: 4, host.DataType.DT_INT8: 1}


def maker(m, n, k, cores, dtype=host.DataType.DT_FLOAT16, bias=False, c_position=host.TPosition.GM):
    made = host.MultiCoreMatmulTiling(host.get_ascendc_platform())
    nd, gm = host.CubeFormat.ND, host.TPosition.GM
    assert made.set_a_type(gm, nd, dtype, False) == made.set_b_type(gm, nd, dtype, False) == 0
    assert made.set_c_type(c_position, nd, host.DataType.DT_FLOAT) == 0
    assert made.set_bias_type(gm, nd, host.DataType.DT_FLOAT) == 0
    assert made.set_dim(cores) == made.set_org_shape(m, n, k) == made.set_shape(m, n, k) == 0
    assert made.enable_bias(bias) == made.set_buffer_space(-1, -1, -1) == 0
    return made


def tiling_of(made):
    tiling = asc.adv.TCubeTiling()
    assert made.get_tiling(tiling) == 0
    return tiling


def check(t, cores, size):
    """Tables 1 and 2 of the page on TCubeTiling."""
    parts = -(-t.m // t.single_core_m) * -(-t.n // t.single_core_n)
    assert 1 <= t.used_core_num == parts <= cores
    assert 0 < t.single_core_m <= t.m and 0 < t.single_core_n <= t.n and t.single_core_k == t.k_a == t.k_b
    assert t.base_m % 16 == t.base_n % 16 == t.base_k % max(16, 32 // size) == 0
    assert min(t.base_m, t.base_n, t.base_k, t.depth_a1, t.depth_b1, t.step_m, t.step_n) > 0
    assert t.base_m * t.base_k * size * t.db_l0a <= L0A and t.base_n * t.base_k * size * t.db_l0b <= L0B
    assert t.base_m * t.base_n * 4 * t.db_l0c <= L0C
    assert t.depth_a1 in (t.step_m * t.step_k_a, 2 * t.step_m * t.step_k_a)
    assert t.depth_b1 in (t.step_n * t.step_k_b, 2 * t.step_n * t.step_k_b)
    left = t.base_m * t.base_k * t.depth_a1 * size
    right = t.base_n * t.base_k * t.depth_b1 * size
    assert left + right + (t.base_n * 4 if t.is_bias else 0) <= L1
    assert t.is_bias == 0 or t.base_n * 4 <= 1024
    assert t.iterate_order in (0, 1) and {t.db_l0a, t.db_l0b, t.db_l0c} <= {1, 2}


SHAPES = [(512, 1024, 512), (128, 30720, 64), (1, 1, 1), (17, 40000, 3), (5000, 1, 7000), (1000, 1001, 1002)]


@pytest.mark.parametrize("dtype", BYTES)
@pytest.mark.parametrize(("m", "n", "k"), SHAPES)
def test_tilings_keep_to_the_rules(m, n, k, dtype):
    for cores in (1, 2, 7, 24, 48):
        for bias in (False, True):
            tiling = tiling_of(maker(m, n, k, cores, dtype, bias))
            check(tiling, cores, BYTES[dtype])
            assert (tiling.m, tiling.n, tiling.k_a, tiling.is_bias) == (m, n, k, bias)


def test_cores_share_the_work():
    for m, n, k in SHAPES[:2]:
        for cores in (2, 24, 48):
            t = tiling_of(maker(m, n, k, cores))
            assert t.single_core_m * t.single_core_n <= 1.5 * m * n / cores


@pytest.mark.parametrize(("m", "n", "k", "cores"), [(80, 200, 33, 6), (33, 17, 9, 48), (64, 64, 64, 1)])
def test_kernels_run_with_them(m, n, k, cores):
    a, b = whole_numbers(m, k), whole_numbers(k, n)
    bias = np.zeros(n, np.float32)
    tiling = tiling_of(maker(m, n, k, cores))
    for kernel, per_block in ((multiply, 2), (asc.jit(matmul_cube_only=True)(multiply.fn), 1)):
        c = np.full((m, n), np.nan, np.float32)
        kernel[-(-tiling.used_core_num // per_block)](a, b, bias, c, tiling, workspace())
        assert asc.last_findings() == []
        np.testing.assert_array_equal(c, exact(a, b))


def test_wishes_are_kept():
    made = maker(1024, 640, 256, 2, bias=True, c_position=host.TPosition.VECCALC)
    assert made.set_fix_split(256, 128, -1) == made.set_traverse(host.MatrixTraverse.FIRSTN) == 0
    t = tiling_of(made)
    check(t, 2, 2)
    assert (t.base_m, t.base_n, t.iterate_order) == (256, 128, 1)
    assert (made.get_base_m(), made.get_base_n(), made.get_base_k()) == (256, 128, t.base_k)
    assert t.single_core_m % 256 == 0 and t.single_core_n % 128 == 0 and t.base_m * t.base_n * 4 <= UB
    part = maker(64, 64, 64, 1)
    assert part.set_org_shape(64, 96, 128) == part.set_shape(-1, 32, -1) == 0
    t = tiling_of(part)
    assert (t.single_core_m, t.single_core_n, t.single_core_k) == (64, 32, 128)
    small = maker(256, 256, 256, 1)
    assert small.set_buffer_space(64 * 1024, 32 * 1024, -1) == 0
    t = tiling_of(small)
    assert t.base_m * t.base_n * 4 <= 32 * 1024
    assert (t.base_m * t.depth_a1 + t.base_n * t.depth_b1) * t.base_k * 2 <= 64 * 1024


def test_what_cannot_be_is_minus_one():
    made = maker(64, 64, 64, 1)
    assert made.set_dim(0) == made.set_org_shape(0, 1, 1) == made.set_shape(1, 0, 1) == -1
    assert made.set_fix_split(17, 16) == made.set_fix_split(16, 16, 16) == made.set_buffer_space(0) == -1
    nd, nz, gm = host.CubeFormat.ND, host.CubeFormat.NZ, host.TPosition.GM
    assert made.set_a_type(gm, nz, host.DataType.DT_FLOAT16, False) == -1
    assert made.set_a_type(gm, nd, host.DataType.DT_STRING, False) == -1
    assert made.set_fix_split(4096, 4096) == 0 and made.get_tiling(asc.adv.TCubeTiling()) == -1
    empty = host.MultiCoreMatmulTiling(host.get_ascendc_platform())
    assert empty.get_tiling(asc.adv.TCubeTiling()) == -1
    with pytest.raises(TypeError, match="takes a platform, not 5"):
        host.MultiCoreMatmulTiling(5)
    with pytest.raises(NotImplementedError, match=r"MultiCoreMatmulTiling.set_sparse is not yet supported"):
        made.set_sparse(True)
    with pytest.raises(AttributeError, match="no_such_setter"):
        made.no_such_setter(1)


@pytest.mark.parametrize("dtype", [asc.float32, np.float16, "float32", 1])
def test_an_element_type_is_one_of_the_hosts(dtype):
    made = maker(32, 32, 32, 1)
    for name in ("set_a_type", "set_b_type", "set_c_type", "set_bias_type"):
        with pytest.raises(
            TypeError, match=r"data_type is a member of asc\.lib\.host\.DataType, as DT_FLOAT16, not"
        ):
            getattr(made, name)(host.TPosition.GM, host.CubeFormat.ND, dtype)
    assert tiling_of(made).base_k == tiling_of(maker(32, 32, 32, 1)).base_k


def test_sizes_that_cannot_be():
    made = maker(32, 32, 32, 4)
    for size in (0, -2, 2**31):
        assert made.set_org_shape(32, size, 32) == made.set_shape(32, 32, size) == made.set_dim(size) == -1
    assert made.set_dim(10**7) == -1  # no launch has so many
    for wrong in (1.5, "8"):
        with pytest.raises(TypeError):
            made.set_dim(wrong)
        with pytest.raises(TypeError):
            made.set_shape(wrong, 32, 32)
    assert tiling_of(made).used_core_num == tiling_of(maker(32, 32, 32, 4)).used_core_num
    assert made.set_shape(64, 32, 32) == 0  # more than there is
    assert made.get_tiling(asc.adv.TCubeTiling()) == -1
