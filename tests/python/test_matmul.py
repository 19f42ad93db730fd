# SPDX-License-Identifier: Apache-2.0
"""The Matmul object against NumPy: dtypes, transposes, bias, tails, cores, orders, atomics; and its loop."""

import numpy as np
import pytest

import asc
from asc.adv import MatmulType, TCubeTiling

GM, VECIN = asc.TPosition.GM, asc.TPosition.VECIN
ND = asc.CubeFormat.ND
RNG = np.random.default_rng(11)


def whole_numbers(*shape, dtype=np.float16, most=6):
    """Sums of their products are exact in float32, in whatever order."""
    return RNG.integers(-most, most + 1, shape).astype(dtype)


def tiling_for(m, n, k, base=(16, 16, 16), single=None, **more):
    single_m, single_n = single or (m, n)
    cores = -(-m // single_m) * -(-n // single_n)
    return TCubeTiling(
        used_core_num=cores,
        m=m,
        n=n,
        k_a=k,
        k_b=k,
        single_core_m=single_m,
        single_core_n=single_n,
        single_core_k=k,
        base_m=base[0],
        base_n=base[1],
        base_k=base[2],
        **more,
    )


def workspace():
    return np.zeros(64, np.uint8)


@asc.jit
def tensor(address):
    t = asc.GlobalTensor()
    t.set_global_buffer(address)
    return t


@asc.jit
def multiply(
    a: asc.GlobalAddress,
    b: asc.GlobalAddress,
    bias: asc.GlobalAddress,
    c: asc.GlobalAddress,
    tiling: TCubeTiling,
    space: asc.GlobalAddress,
    TRANS_A: asc.ConstExpr = False,
    TRANS_B: asc.ConstExpr = False,
    ALL: asc.ConstExpr = True,
    ATOMIC: asc.ConstExpr = 0,
):
    """Every core computes its part of C; cores beyond the tiling's have none."""
    core = asc.get_block_idx()
    down = asc.ceildiv(tiling.m, tiling.single_core_m)
    row = core % down * tiling.single_core_m
    column = core // down * tiling.single_core_n
    a_at = row * tiling.k_a
    if TRANS_A:
        a_at = row
    b_at = column
    if TRANS_B:
        b_at = column * tiling.k_b
    left, right = tensor(a + a_at), tensor(b + b_at)
    added, result = tensor(bias + column), tensor(c + row * tiling.n + column)
    pipe = asc.TPipe()
    matmul = asc.adv.Matmul(
        MatmulType(GM, ND, a.dtype, TRANS_A),
        MatmulType(GM, ND, b.dtype, TRANS_B),
        MatmulType(GM, ND, c.dtype),
        MatmulType(GM, ND, bias.dtype),
    )
    asc.adv.register_matmul(pipe, space, matmul, tiling)
    if core < tiling.used_core_num:
        matmul.set_tensor_a(left, TRANS_A)
        matmul.set_tensor_b(right, TRANS_B)
        if tiling.is_bias != 0:
            matmul.set_bias(added)
        matmul.set_tail(
            min(tiling.m - row, tiling.single_core_m), min(tiling.n - column, tiling.single_core_n)
        )
        if ALL:
            matmul.iterate_all(result, ATOMIC)
        else:
            with matmul.iterate():
                matmul.get_tensor_c(result, en_atomic=ATOMIC)
        matmul.end()


def run(a, b, c, tiling, bias=None, kernel=multiply, blocks=None, **flags):
    bias = np.zeros(c.shape[1], np.int32 if c.dtype == np.int32 else np.float32) if bias is None else bias
    cores = tiling.used_core_num
    kernel[blocks or -(-cores // 2)](a, b, bias, c, tiling, workspace(), **flags)
    assert asc.last_findings() == []
    return c


def exact(a, b):
    return (a.astype(np.float64) @ b.astype(np.float64)).astype(np.float32)


# ---- the product ----


@pytest.mark.parametrize(
    ("source", "result"),
    [
        ("float16", "float32"),
        ("float32", "float32"),
        ("float16", "float16"),
        ("float32", "float16"),
        ("int8", "int32"),
    ],
)
def test_dtypes(source, result):
    a, b = whole_numbers(32, 24, dtype=source), whole_numbers(24, 48, dtype=source)
    base = (16, 16, 32 if source == "int8" else 16)
    c = run(a, b, np.full((32, 48), 7, result), tiling_for(32, 48, 24, base=base))
    np.testing.assert_array_equal(c, exact(a, b).astype(result))


def test_bfloat16():
    torch = pytest.importorskip("torch")
    a, b = torch.randn(32, 40).to(torch.bfloat16), torch.randn(40, 32).to(torch.bfloat16)
    c = torch.zeros(32, 32)
    multiply[1](a, b, torch.zeros(32), c, tiling_for(32, 32, 40), workspace())
    torch.testing.assert_close(c, a.float() @ b.float(), rtol=1e-5, atol=1e-5)


def test_fractions_are_close_to_numpy():
    a, b = RNG.random((48, 130), np.float32) - 0.5, RNG.random((130, 64), np.float32) - 0.5
    c = run(a, b, np.zeros((48, 64), np.float32), tiling_for(48, 64, 130, base=(32, 32, 32)))
    np.testing.assert_allclose(c, a.astype(np.float64) @ b, rtol=0, atol=130 * 2.0**-24)


@pytest.mark.parametrize("trans_b", [False, True])
@pytest.mark.parametrize("trans_a", [False, True])
def test_transposed(trans_a, trans_b):
    a, b = whole_numbers(40, 24), whole_numbers(24, 56)
    stored = [np.ascontiguousarray(x.T) if turned else x for x, turned in ((a, trans_a), (b, trans_b))]
    tiling = tiling_for(40, 56, 24, single=(24, 32))
    c = run(*stored, np.zeros((40, 56), np.float32), tiling, TRANS_A=trans_a, TRANS_B=trans_b)
    np.testing.assert_array_equal(c, exact(a, b))


@pytest.mark.parametrize("dtype", [np.float32, np.float16])
def test_bias(dtype):
    a, b, bias = whole_numbers(20, 16), whole_numbers(16, 36), whole_numbers(36, dtype=dtype, most=99)
    c = np.zeros((20, 36), np.float32)
    run(a, b, c, tiling_for(20, 36, 16, single=(20, 20), is_bias=1), bias)
    np.testing.assert_array_equal(c, exact(a, b) + bias.astype(np.float32))


@pytest.mark.parametrize("all_at_once", [True, False])
@pytest.mark.parametrize(
    ("m", "n", "k", "base", "single"),
    [
        (16, 16, 16, (16, 16, 16), None),
        (1, 1, 1, (16, 16, 16), None),
        (33, 47, 19, (16, 32, 16), None),  # tails in M, N and K
        (80, 96, 40, (32, 16, 16), (48, 48)),  # four cores, the lower two with less
        (100, 70, 33, (16, 64, 16), (32, 70)),
        (64, 64, 7, (64, 32, 16), (16, 32)),  # less than a block a core
    ],
)
def test_shapes(m, n, k, base, single, all_at_once):
    a, b = whole_numbers(m, k), whole_numbers(k, n)
    c = np.full((m, n), np.nan, np.float32)
    run(a, b, c, tiling_for(m, n, k, base, single), ALL=all_at_once)
    np.testing.assert_array_equal(c, exact(a, b))


def test_iterate_and_iterate_all_give_the_same_bits():
    a, b = RNG.random((50, 60), np.float32), RNG.random((60, 70), np.float32)
    tilings = [tiling_for(50, 70, 60, (16, 32, 16), iterate_order=order) for order in (0, 1)]
    found = [run(a, b, np.zeros((50, 70), np.float32), t, ALL=way) for t in tilings for way in (True, False)]
    for other in found[1:]:
        np.testing.assert_array_equal(found[0].view(np.int32), other.view(np.int32))


def test_more_cores_than_parts_leave_c_alone():
    a, b = whole_numbers(32, 8), whole_numbers(8, 16)
    c = run(a, b, np.zeros((32, 16), np.float32), tiling_for(32, 16, 8, single=(16, 16)), blocks=3)
    np.testing.assert_array_equal(c, exact(a, b))


@pytest.mark.parametrize("all_at_once", [True, False])
@pytest.mark.parametrize(("atomic", "combine"), [(0, None), (1, np.add), (2, np.maximum), (3, np.minimum)])
def test_atomic(atomic, combine, all_at_once):
    a, b, old = whole_numbers(33, 16), whole_numbers(16, 40), whole_numbers(33, 40, dtype=np.float32, most=60)
    c = run(a, b, old.copy(), tiling_for(33, 40, 16, single=(17, 40)), ATOMIC=atomic, ALL=all_at_once)
    np.testing.assert_array_equal(c, exact(a, b) if atomic == 0 else combine(old, exact(a, b)))


def test_fast_mode_gives_the_same_bits():
    a, b = RNG.random((40, 33), np.float32), RNG.random((33, 50), np.float32)
    tiling = tiling_for(40, 50, 33, single=(32, 32))
    c = run(a, b, np.zeros((40, 50), np.float32), tiling)
    fast = run(a, b, np.zeros((40, 50), np.float32), tiling, kernel=multiply.options(mode="fast"))
    np.testing.assert_array_equal(c.view(np.int32), fast.view(np.int32))


# ---- blocks one by one ----


@asc.jit
def blocks_in_order(
    a: asc.GlobalAddress,
    b: asc.GlobalAddress,
    c: asc.GlobalAddress,
    tiling: TCubeTiling,
    space: asc.GlobalAddress,
    BLOCK: asc.ConstExpr,
):
    pipe = asc.TPipe()
    matmul = asc.adv.Matmul(
        MatmulType(GM, ND, a.dtype), MatmulType(GM, ND, b.dtype), MatmulType(GM, ND, c.dtype)
    )
    asc.adv.register_matmul(pipe, space, matmul, tiling)
    result = tensor(c)
    if asc.get_block_idx() == 0:
        matmul.set_tensor_a(tensor(a))
        matmul.set_tensor_b(tensor(b))
        with matmul.iterate() as i:
            matmul.get_tensor_c(result[i * BLOCK :], en_sequential_write=True)


@pytest.mark.parametrize("order", [0, 1])
def test_order_of_blocks_and_sequential_write(order):
    m, n, k, base_m, base_n = 40, 70, 12, 16, 32
    a, b = whole_numbers(m, k), whole_numbers(k, n)
    c = np.full((9, base_m * base_n), np.nan, np.float32)
    tiling = tiling_for(m, n, k, (base_m, base_n, 16), iterate_order=order)
    blocks_in_order[1](a, b, c, tiling, workspace(), base_m * base_n)
    wanted = exact(a, b)
    down, along = range(0, m, base_m), range(0, n, base_n)
    places = [(r, s) for s in along for r in down] if order == 0 else [(r, s) for r in down for s in along]
    for packed, (r, s) in zip(c, places, strict=True):
        part = wanted[r : r + base_m, s : s + base_n]
        np.testing.assert_array_equal(packed[: part.size].reshape(part.shape), part)
        assert np.isnan(packed[part.size :]).all()


def test_sequential_iterate_all_packs_blocks():
    @asc.jit
    def kernel(
        a: asc.GlobalAddress,
        b: asc.GlobalAddress,
        c: asc.GlobalAddress,
        tiling: TCubeTiling,
        space: asc.GlobalAddress,
    ):
        pipe = asc.TPipe()
        matmul = asc.adv.Matmul(
            MatmulType(GM, ND, a.dtype), MatmulType(GM, ND, b.dtype), MatmulType(GM, ND, c.dtype)
        )
        asc.adv.register_matmul(pipe, space, matmul, tiling)
        if asc.get_block_idx() == 0:
            matmul.set_tensor_a(tensor(a))
            matmul.set_tensor_b(tensor(b))
            matmul.iterate_all(tensor(c), sync=False, en_sequential_write=True, wait_iterate_all=True)
            matmul.wait_iterate_all()

    a, b = whole_numbers(32, 8), whole_numbers(8, 32)
    c = np.zeros((4, 16, 16), np.float32)
    kernel[1](a, b, c, tiling_for(32, 32, 8), workspace())
    wanted = exact(a, b).reshape(2, 16, 2, 16)
    np.testing.assert_array_equal(c.reshape(2, 2, 16, 16), wanted.transpose(2, 0, 1, 3))


@asc.jit
def through_local(
    a: asc.GlobalAddress,
    b: asc.GlobalAddress,
    c: asc.GlobalAddress,
    tiling: TCubeTiling,
    space: asc.GlobalAddress,
    SEQUENTIAL: asc.ConstExpr,
    SIZE: asc.ConstExpr,
):
    pipe = asc.TPipe()
    matmul = asc.adv.Matmul(
        MatmulType(GM, ND, a.dtype), MatmulType(GM, ND, b.dtype), MatmulType(VECIN, ND, c.dtype)
    )
    asc.adv.register_matmul(pipe, space, matmul, tiling)
    local = asc.LocalTensor(c.dtype, VECIN, 0, SIZE)
    if asc.get_block_idx() == 0:
        matmul.set_tensor_a(tensor(a))
        matmul.set_tensor_b(tensor(b))
        with matmul.iterate() as i:
            matmul.get_tensor_c(local, en_sequential_write=SEQUENTIAL)
            asc.pipe_barrier(asc.PipeID.PIPE_ALL)
            if SEQUENTIAL:
                asc.data_copy(tensor(c)[i * SIZE :], local, SIZE)
        if not SEQUENTIAL:
            asc.data_copy(tensor(c), local, SIZE)


@pytest.mark.parametrize("sequential", [True, False])
def test_blocks_in_local_memory(sequential):
    a, b = whole_numbers(32, 8), whole_numbers(8, 32)
    c = np.zeros((2, 2, 16, 16) if sequential else (32, 32), np.float32)
    through_local[1](a, b, c, tiling_for(32, 32, 8), workspace(), sequential, 256 if sequential else 1024)
    wanted = exact(a, b)
    if sequential:
        wanted = wanted.reshape(2, 16, 2, 16).transpose(2, 0, 1, 3)
    np.testing.assert_array_equal(c, wanted)


def test_shapes_set_on_the_device():
    """Two products of other sizes with one object and one tiling."""

    @asc.jit
    def kernel(
        a: asc.GlobalAddress,
        b: asc.GlobalAddress,
        c: asc.GlobalAddress,
        tiling: TCubeTiling,
        space: asc.GlobalAddress,
    ):
        pipe = asc.TPipe()
        matmul = asc.adv.Matmul(
            MatmulType(GM, ND, a.dtype), MatmulType(GM, ND, b.dtype), MatmulType(GM, ND, c.dtype)
        )
        asc.adv.register_matmul(pipe, space, matmul, tiling)
        left, right, result = tensor(a), tensor(b), tensor(c)
        if asc.get_block_idx() == 0:
            matmul.set_org_shape(24, 40, 12)
            matmul.set_single_shape(20, 33, 12)
            matmul.set_tensor_a(left)
            matmul.set_tensor_b(right)
            matmul.iterate_all(result)
            matmul.set_org_shape(24, 20, 24, 12, 40)
            matmul.set_single_shape(3, 7, 5)
            matmul.set_tensor_a(left)
            matmul.set_tensor_b(right)
            matmul.iterate_all(result[24 * 40 :])

    a, b = whole_numbers(24, 12), whole_numbers(12, 40)
    c = np.zeros((48, 40), np.float32)
    kernel[1](a, b, c, tiling_for(64, 64, 64), workspace())
    wanted = np.zeros((48, 40), np.float32)
    wanted[:20, :33] = exact(a, b)[:20, :33]
    wanted[24:27, :7] = exact(a.reshape(-1, 24)[:3, :5], b.reshape(-1, 20)[:5, :7])
    np.testing.assert_array_equal(c, wanted)


def test_block_to_both_memories():
    @asc.jit
    def kernel(
        a: asc.GlobalAddress,
        b: asc.GlobalAddress,
        c: asc.GlobalAddress,
        tiling: TCubeTiling,
        space: asc.GlobalAddress,
    ):
        pipe = asc.TPipe()
        matmul = asc.adv.Matmul(
            MatmulType(GM, ND, a.dtype), MatmulType(GM, ND, b.dtype), MatmulType(GM, ND, c.dtype)
        )
        asc.adv.register_matmul(pipe, space, matmul, tiling)
        local = asc.LocalTensor(c.dtype, VECIN, 0, 256)
        result = tensor(c)
        if asc.get_block_idx() == 0:
            matmul.set_tensor_a(tensor(a))
            matmul.set_tensor_b(tensor(b))
            with matmul.iterate() as i:
                matmul.get_tensor_c(result[i * 512 :], en_sequential_write=True, optional_tensor=local)
                asc.muls(local, local, 2.0, 256)
                asc.set_flag(asc.HardEvent.V_MTE3)
                asc.wait_flag(asc.HardEvent.V_MTE3)
                asc.data_copy(result[i * 512 + 256 :], local, 256)

    a, b = whole_numbers(16, 8), whole_numbers(8, 32)
    c = np.zeros((2, 2, 16, 16), np.float32)
    kernel[1](a, b, c, tiling_for(16, 32, 8), workspace())
    wanted = exact(a, b).reshape(16, 2, 16).transpose(1, 0, 2)
    np.testing.assert_array_equal(c[:, 0], wanted)
    np.testing.assert_array_equal(c[:, 1], 2 * wanted)


# ---- the loop ----


@asc.jit
def loops(
    a: asc.GlobalAddress,
    b: asc.GlobalAddress,
    c: asc.GlobalAddress,
    out: asc.GlobalAddress,
    tiling: TCubeTiling,
    space: asc.GlobalAddress,
    CASE: asc.ConstExpr,
):
    pipe = asc.TPipe()
    matmul = asc.adv.Matmul(
        MatmulType(GM, ND, a.dtype), MatmulType(GM, ND, b.dtype), MatmulType(GM, ND, c.dtype)
    )
    asc.adv.register_matmul(pipe, space, matmul, tiling)
    left, right, result, o = tensor(a), tensor(b), tensor(c), tensor(out)
    if asc.get_block_idx() == 0:
        total = 0
        seen = 0
        if CASE == "jumps":
            for turn in range(3):
                matmul.set_tensor_a(left)
                matmul.set_tensor_b(right)
                with matmul.iterate() as i:
                    if i == 1:
                        continue
                    if i > 4 + turn:
                        break
                    matmul.get_tensor_c(result)
                    total += i
                o.set_value(turn, total)
        elif CASE == "nested":
            matmul.set_tensor_a(left)
            matmul.set_tensor_b(right)
            with matmul.iterate() as i:
                for k in range(i):
                    if k == 3:
                        break
                    total += k
                seen = i
                i = 100  # the next turn has its own
            o.set_value(0, total)
            o.set_value(1, seen)
        elif CASE == "retried":  # what stands first in the body is known by its end
            typed_later = asc.GlobalTensor()
            half = 0
            matmul.set_tensor_a(left)
            matmul.set_tensor_b(right)
            with matmul.iterate() as i:
                if i > 0:
                    typed_later.set_value(i, i)
                typed_later.set_global_buffer(out)
                half += 0.5
            o.set_value(0, int(half * 10))
        else:
            matmul.set_tensor_a(left)
            matmul.set_tensor_b(right)
            with matmul.iterate():
                seen += 1
            o.set_value(0, seen)


@pytest.mark.parametrize(
    ("case", "wanted"),
    [
        ("jumps", [0 + 2 + 3 + 4, 9 + 0 + 2 + 3 + 4 + 5, 23 + 0 + 2 + 3 + 4 + 5 + 6]),
        ("nested", [sum(sum(range(min(i, 3))) for i in range(9)), 8]),
        ("retried", [45, 1, 2, 3, 4, 5, 6, 7, 8]),
        ("unnamed", [9]),
    ],
)
def test_the_loop_is_a_loop(case, wanted):
    a, b = whole_numbers(48, 8), whole_numbers(8, 48)
    out = np.zeros(16, np.int32)
    loops[1](a, b, np.zeros((48, 48), np.float32), out, tiling_for(48, 48, 8), workspace(), case)
    assert out[: len(wanted)].tolist() == wanted


# ---- kernel types, cores, struct ----


def test_a_mixed_kernel_unless_said_otherwise():
    arguments = (
        whole_numbers(16, 8),
        whole_numbers(8, 16),
        np.zeros(16, np.float32),
        np.zeros((16, 16), np.float32),
        tiling_for(16, 16, 8),
        workspace(),
    )
    assert multiply[1].compile(*arguments).meta["kernel_type"] == "MIX_AIC_1_2"
    one = asc.jit(kernel_type="MIX_AIC_1_1")(multiply.fn)[1].compile(*arguments)
    assert one.meta["kernel_type"] == "MIX_AIC_1_1"
    alone = asc.jit(matmul_cube_only=True)(multiply.fn)[1].compile(*arguments)
    assert alone.meta["kernel_type"] == "AIC_ONLY"
    assert alone.text["ascendc"].startswith("#define ASCENDC_CUBE_ONLY\n#include")
    assert "ASCENDC_CUBE_ONLY" not in one.text["ascendc"]


def test_cube_cores_alone():
    """One core a block, and the registration may stand behind ascend_is_aic()."""

    @asc.jit(matmul_cube_only=True)
    def kernel(
        a: asc.GlobalAddress,
        b: asc.GlobalAddress,
        c: asc.GlobalAddress,
        tiling: TCubeTiling,
        space: asc.GlobalAddress,
    ):
        if asc.ascend_is_aic():
            row = asc.get_block_idx() * tiling.single_core_m
            pipe = asc.TPipe()
            matmul = asc.adv.Matmul(
                MatmulType(GM, ND, a.dtype), MatmulType(GM, ND, b.dtype), MatmulType(GM, ND, c.dtype)
            )
            asc.adv.register_matmul(pipe, space, matmul, tiling)
            matmul.set_tensor_a(tensor(a + row * tiling.k_a))
            matmul.set_tensor_b(tensor(b))
            matmul.iterate_all(tensor(c + row * tiling.n))
            matmul.end()

    a, b = whole_numbers(64, 24), whole_numbers(24, 40)
    c = np.zeros((64, 40), np.float32)
    kernel[4](a, b, c, tiling_for(64, 40, 24, single=(16, 40)), workspace())
    np.testing.assert_array_equal(c, exact(a, b))


def test_the_cube_core_of_a_mixed_kernel_goes_no_further():
    @asc.jit
    def kernel(a: asc.GlobalAddress, out: asc.GlobalAddress, tiling: TCubeTiling, space: asc.GlobalAddress):
        o = tensor(out)
        pipe = asc.TPipe()
        matmul = asc.adv.Matmul(
            MatmulType(GM, ND, a.dtype), MatmulType(GM, ND, a.dtype), MatmulType(GM, ND, a.dtype)
        )
        if asc.ascend_is_aic():
            o.set_value(0, 1)
        asc.adv.register_matmul(pipe, space, matmul, tiling)
        if asc.ascend_is_aic():
            o.set_value(8, 1)
        else:
            o.set_value(16 + asc.get_sub_block_idx() * 8, 1)

    out = np.zeros(32, np.int32)
    kernel[1](whole_numbers(16, 16), out, tiling_for(16, 16, 16), workspace())
    assert np.flatnonzero(out).tolist() == [0, 16, 24]


def test_the_tiling_is_the_device_s():
    assert len(TCubeTiling.struct_fields) == 50 and len(TCubeTiling().pack()) == 200
    tiling = TCubeTiling(m=3, trans_length=4)
    tiling.n = 5
    packed = np.frombuffer(tiling.pack(), np.int32)
    assert packed[[1, 2, 16]].tolist() == [3, 5, 4] and packed.sum() == 12
    with pytest.raises(RuntimeError, match="does not have a field 'rows'"):
        TCubeTiling(rows=1)


@asc.jit
def by_keyword(
    a: asc.GlobalAddress,
    b: asc.GlobalAddress,
    c: asc.GlobalAddress,
    tiling: TCubeTiling,
    space: asc.GlobalAddress,
    CASE: asc.ConstExpr,
):
    pipe = asc.TPipe()
    matmul = asc.adv.Matmul(
        c=MatmulType(GM, ND, c.dtype),
        b=MatmulType(GM, ND, b.dtype),
        a=MatmulType(GM, ND, a.dtype, True),
        bias=None,
    )
    asc.adv.register_matmul(pipe, space, matmul, tiling=tiling)
    matmul.set_tensor_a(transpose=True, tensor=tensor(a))
    matmul.set_tensor_b(transpose=False, tensor=tensor(b))
    if CASE == "all":
        matmul.iterate_all(sync=True, tensor=tensor(c))
    elif CASE == "none":
        matmul.iterate_all(tensor(c), 0, True, None, None, None)
    elif CASE == "none by keyword":
        matmul.iterate_all(tensor(c), en_sequential_write=None, wait_iterate_all=None, fake_msg=None)
    else:
        with matmul.iterate(local_c_matrix=None, sync=True):
            matmul.get_tensor_c(optional_tensor=None, en_atomic=0, tensor=tensor(c))


@pytest.mark.parametrize("case", ["all", "none", "none by keyword", "iterate"])
def test_operands_by_keyword(case):
    """In any order; an optional one that is None is not given."""
    a, b = whole_numbers(8, 32), whole_numbers(8, 48)
    c = np.zeros((32, 48), np.float32)
    by_keyword[1](a, b, c, tiling_for(32, 48, 8), workspace(), case)
    assert (c == a.astype(np.float32).T @ b.astype(np.float32)).all()


@asc.jit
def register_and_turn(
    pipe: asc.TPipe, space: asc.GlobalAddress, matmul: asc.adv.Matmul, tiling: TCubeTiling, x, y, z
):
    asc.adv.register_matmul(pipe, space, matmul, tiling)
    return y, z, x + y


def test_results_of_a_helper_that_registers():
    """They arrive together, also where the variables that take them are its arguments."""

    @asc.jit
    def kernel(a: asc.GlobalAddress, out: asc.GlobalAddress, tiling: TCubeTiling, space: asc.GlobalAddress):
        o = tensor(out)
        pipe = asc.TPipe()
        matmul = asc.adv.Matmul(
            MatmulType(GM, ND, a.dtype), MatmulType(GM, ND, a.dtype), MatmulType(GM, ND, a.dtype)
        )
        x = tiling.m
        y = tiling.n
        z = tiling.k_a
        x, y, z = register_and_turn(pipe, space, matmul, tiling, x, y, z)
        o.set_value(0, x)
        o.set_value(1, y)
        o.set_value(2, z)

    out = np.zeros(8, np.int32)
    kernel[1](whole_numbers(16, 16), out, tiling_for(48, 32, 16), workspace())
    assert out[:3].tolist() == [32, 16, 48 + 32]


@pytest.mark.parametrize(("trans_a", "trans_b"), [(False, False), (True, True)])
@pytest.mark.parametrize("dtype", [np.float32, np.int8])
def test_long_k(trans_a, trans_b, dtype):
    k = 2 * 4096 + 33
    a, b = whole_numbers(20, k, dtype=dtype), whole_numbers(k, 24, dtype=dtype)
    stored = [np.ascontiguousarray(x.T) if turned else x for x, turned in ((a, trans_a), (b, trans_b))]
    whole = np.int32 if dtype == np.int8 else np.float32
    bias = np.arange(24, dtype=whole)
    tiling = tiling_for(20, 24, k, (16, 16, 32), is_bias=1)
    c = run(*stored, np.zeros((20, 24), whole), tiling, bias, TRANS_A=trans_a, TRANS_B=trans_b)
    np.testing.assert_array_equal(c, a.astype(np.int64) @ b.astype(np.int64) + bias)


@pytest.mark.parametrize("all_at_once", [True, False])
def test_a_wrong_k_ends(all_at_once):
    """Beyond what any argument holds: one finding for the whole of it, not one turn a slice."""
    a, b, c = whole_numbers(16, 16), whole_numbers(16, 16), np.zeros((16, 16), np.float32)
    tiling = tiling_for(16, 16, 2**31 - 1)
    multiply.options(timeout=30.0, on_finding="collect")[1](
        a, b, c[0], c, tiling, workspace(), ALL=all_at_once
    )
    assert {f.id for f in asc.last_findings()} == {"ASC-B101"}
    assert np.isnan(c).all()


def test_tiling_in_a_kernel():
    """Made, set and changed on the device; an argument is each core's own copy."""

    @asc.jit
    def shrink(tiling: TCubeTiling):
        tiling.single_core_m = tiling.m // 2

    @asc.jit
    def kernel(
        a: asc.GlobalAddress,
        b: asc.GlobalAddress,
        c: asc.GlobalAddress,
        given: TCubeTiling,
        space: asc.GlobalAddress,
    ):
        given.trans_length = asc.property(asc.TOTAL_L0C_SIZE)
        shrink(given)
        core = asc.get_block_idx()
        tiling = TCubeTiling(
            m=given.m,
            n=given.n,
            k_a=given.k_a,
            k_b=given.k_b,
            single_core_m=given.single_core_m,
            base_m=16,
            base_n=16,
            base_k=16,
            used_core_num=2,
        )
        tiling.single_core_n = given.n
        tiling.single_core_k = given.k_a
        pipe = asc.TPipe()
        matmul = asc.adv.Matmul(
            MatmulType(GM, ND, a.dtype), MatmulType(GM, ND, b.dtype), MatmulType(GM, ND, c.dtype)
        )
        asc.adv.register_matmul(pipe, space, matmul, None)
        matmul.init(tiling)
        matmul.set_tensor_a(tensor(a + core * tiling.single_core_m * tiling.k_a))
        matmul.set_tensor_b(tensor(b))
        matmul.iterate_all(tensor(c + core * tiling.single_core_m * tiling.n))

    a, b = whole_numbers(40, 8), whole_numbers(8, 24)
    c = np.zeros((40, 24), np.float32)
    given = TCubeTiling(m=40, n=24, k_a=8, k_b=8)
    compiled = kernel[1].compile(a, b, c, given, workspace())
    assert "given.transLength = AscendC::TOTAL_L0C_SIZE;" in compiled.text["ascendc"]
    assert "tiling.singleCoreN = given.N;" in compiled.text["ascendc"]
    kernel[1](a, b, c, given, workspace())
    np.testing.assert_array_equal(c, exact(a, b))
    assert given == TCubeTiling(m=40, n=24, k_a=8, k_b=8)


def test_what_is_read_and_what_is_written():
    @asc.jit
    def kernel(
        a: asc.GlobalAddress,
        b: asc.GlobalAddress,
        c: asc.GlobalAddress,
        tiling: TCubeTiling,
        space: asc.GlobalAddress,
        ATOMIC: asc.ConstExpr,
    ):
        left, right, result = asc.GlobalTensor(), asc.GlobalTensor(), asc.GlobalTensor()
        left.set_global_buffer(a)
        right.set_global_buffer(b)
        result.set_global_buffer(c)
        pipe = asc.TPipe()
        matmul = asc.adv.Matmul(
            MatmulType(GM, ND, a.dtype), MatmulType(GM, ND, b.dtype), MatmulType(GM, ND, c.dtype)
        )
        asc.adv.register_matmul(pipe, space, matmul, tiling)
        matmul.set_tensor_a(left)
        matmul.set_tensor_b(right)
        matmul.iterate_all(result, ATOMIC)

    def access(atomic):
        compiled = kernel[1].compile(a, b, c, tiling_for(16, 16, 8), workspace(), atomic)
        return {entry["name"]: (entry["reads"], entry["writes"]) for entry in compiled.meta["arguments"]}

    a, b, c = whole_numbers(16, 8), whole_numbers(8, 16), np.zeros((16, 16), np.float32)
    found = access(0)
    assert (found["a"], found["b"], found["c"]) == ((True, False), (True, False), (False, True))
    assert access(1)["c"] == (True, True)
    a.flags.writeable = b.flags.writeable = False
    kernel[1](a, b, c, tiling_for(16, 16, 8), workspace(), 0)
    np.testing.assert_array_equal(c, exact(a, b))


@asc.jit
def from_workspace(
    a: asc.GlobalAddress,
    b: asc.GlobalAddress,
    c: asc.GlobalAddress,
    space: asc.GlobalAddress,
    K: asc.ConstExpr[int],
    PER_BLOCK: asc.ConstExpr[bool],
):
    """A goes to the workspace first: 128 rows, each of one value of `a`, again and again."""
    pipe = asc.TPipe()
    f32 = MatmulType(GM, ND, a.dtype)
    matmul = asc.adv.Matmul(f32, f32, f32, None)
    tiling = TCubeTiling(m=128, n=16, k_a=K, k_b=K, base_m=128, base_n=16, base_k=16)
    tiling.single_core_m = 128
    tiling.single_core_n = 16
    tiling.single_core_k = K
    asc.adv.register_matmul(pipe, space, matmul, tiling)
    rows = asc.GlobalTensor()
    rows.set_global_buffer(asc.GlobalAddress(asc.workspace(128 * K * 4, per_block=PER_BLOCK), asc.float32))
    left = tensor(a)
    row = asc.LocalTensor(a.dtype, asc.TPosition.VECCALC, 0, 8192)
    for i in range(128):
        asc.duplicate(row, left.get_value(i), 8192)
        asc.pipe_barrier(asc.PipeID.PIPE_ALL)
        for at in range(0, K, 8192):
            asc.data_copy(rows[i * K + at :], row, 8192)
        asc.pipe_barrier(asc.PipeID.PIPE_ALL)
    matmul.set_tensor_a(rows)
    matmul.set_tensor_b(tensor(b))
    matmul.iterate_all(tensor(c))
    matmul.end()


@pytest.mark.parametrize("per_block", [False, True])
@pytest.mark.parametrize("k", [8192, 40960])  # panels below and above what is read without a look at its end
def test_a_matrix_in_the_workspace(k, per_block):
    a, b = whole_numbers(128, 1, dtype="float32"), whole_numbers(k, 16, dtype="float32")
    c = np.zeros((128, 16), np.float32)
    from_workspace[1](a, b, c, workspace(), k, per_block)
    np.testing.assert_array_equal(c, np.repeat(a, k, axis=1).astype(np.float64) @ b.astype(np.float64))
