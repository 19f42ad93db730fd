# SPDX-License-Identifier: Apache-2.0
"""Each vector op at each dtype of its row, run on the simulator, against its NumPy reference."""

import numpy as np
import op_reference as ref
import pytest

import asc
from asc import _asc

VECTOR_FAMILIES = ("VecUnary", "VecBinary", "VecBinaryAcc", "VecScalar", "VecScalarAcc", "VecFill")
ROWS = [row for row in _asc.op_table() if row["family"] in VECTOR_FAMILIES]
TILE = 2048


@asc.jit
def apply(
    a: asc.GlobalAddress,
    b: asc.GlobalAddress,
    z: asc.GlobalAddress,
    scalars: asc.GlobalAddress,
    n: int,
    OP: asc.ConstExpr,
    TENSORS: asc.ConstExpr[int],
    SCALAR: asc.ConstExpr[bool],
    TILE: asc.ConstExpr[int],
):
    a_gm = asc.GlobalTensor()
    b_gm = asc.GlobalTensor()
    z_gm = asc.GlobalTensor()
    scalar_gm = asc.GlobalTensor()
    a_gm.set_global_buffer(a)
    b_gm.set_global_buffer(b)
    z_gm.set_global_buffer(z)
    scalar_gm.set_global_buffer(scalars)
    a_local = asc.LocalTensor(a.dtype, asc.TPosition.VECIN, 0, TILE)
    b_local = asc.LocalTensor(b.dtype, asc.TPosition.VECIN, TILE * 4, TILE)
    z_local = asc.LocalTensor(z.dtype, asc.TPosition.VECOUT, TILE * 8, TILE)
    for i in range(asc.ceildiv(n, TILE)):
        asc.data_copy(a_local, a_gm[i * TILE :], TILE)
        asc.data_copy(b_local, b_gm[i * TILE :], TILE)
        asc.data_copy(z_local, z_gm[i * TILE :], TILE)
        asc.set_flag(asc.HardEvent.MTE2_V, 0)
        asc.wait_flag(asc.HardEvent.MTE2_V, 0)
        if TENSORS == 2:
            OP(z_local, a_local, b_local, TILE)
        elif TENSORS == 1 and SCALAR:
            OP(z_local, a_local, scalar_gm.get_value(0), TILE)
        elif TENSORS == 1:
            OP(z_local, a_local, TILE)
        else:
            OP(z_local, scalar_gm.get_value(0), TILE)
        asc.set_flag(asc.HardEvent.V_MTE3, 0)
        asc.wait_flag(asc.HardEvent.V_MTE3, 0)
        asc.data_copy(z_gm[i * TILE :], z_local, TILE)
        asc.set_flag(asc.HardEvent.MTE3_MTE2, 0)
        asc.wait_flag(asc.HardEvent.MTE3_MTE2, 0)


def device_array(values, dtype, size):
    """A padded array as the kernel takes it; bfloat16 bits go through torch."""
    padded = np.zeros(size, ref.storage(dtype))
    padded[: values.size] = values
    if dtype != "bfloat16":
        return padded, padded
    torch = pytest.importorskip("torch")
    return torch.from_numpy(padded.view(np.int16)).view(torch.bfloat16), padded


def run(case, **settings):
    size = -(-case.count // TILE) * TILE
    tensors = len(case.sources)
    a, _ = device_array(
        case.sources[0] if tensors else case.old_dst, case.source if tensors else case.dtype, size
    )
    b, _ = device_array(case.sources[1], case.source, size) if tensors == 2 else (a, None)
    z, result = device_array(case.old_dst, case.dtype, size)
    value = np.asarray(0 if case.scalar is None else case.scalar, ref.storage(case.source))
    scalar, _ = device_array(np.resize(value, 1), case.source, 16)
    kernel = apply.options(**settings) if settings else apply
    kernel[1](a, b, z, scalar, case.count, getattr(asc, case.op), tensors, case.scalar is not None, TILE)
    return result[: case.count]


def dtype_pairs(row):
    names = list(row["dtypes"])
    if row.get("combos"):
        return [tuple(combo) for combo in row["combos"]]
    return [(dtype, dtype) for dtype in row["dtypes"][names[0]]]


CASES = [(row["py_name"], dtype, source) for row in ROWS for dtype, source in dtype_pairs(row)]


def test_every_vector_row_has_a_reference():
    assert {row["py_name"] for row in ROWS} == set(ref.OPS)
    assert len(ROWS) >= 29


@pytest.mark.parametrize(("op", "dtype", "source"), CASES)
def test_op_against_numpy(op, dtype, source):
    for case in ref.cases(op, dtype, source):
        ref.check(case, run(case))


@pytest.mark.parametrize("op", ["add", "relu", "adds", "fused_mul_add", "duplicate"])
def test_fast_mode_gives_the_same_bits(op):
    row = next(row for row in ROWS if row["py_name"] == op)
    dtype, source = dtype_pairs(row)[0]
    for case in ref.cases(op, dtype, source):
        np.testing.assert_array_equal(run(case, mode="fast"), run(case))


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row["py_name"])
def test_dtypes_not_in_the_row_are_refused(row):
    allowed = set(row["dtypes"]["T"])
    refused = next(name for name in ("int64", "float64", "int8") if name not in allowed)
    tensors = sum(word in row["overloads"][0]["text"] for word in ("src:", "src0:", "src1:"))
    scalar = "scalar:" in row["overloads"][0]["text"]
    x = np.zeros(TILE, refused)
    with pytest.raises(asc.CompileError, match=rf"asc\.{row['py_name']}.*{refused}"):
        apply[1](x, x, x, x, 1, getattr(asc, row["py_name"]), tensors, scalar, TILE)


def test_count_zero_changes_nothing():
    @asc.jit
    def nothing(x: asc.GlobalAddress, n: int):
        gm = asc.GlobalTensor()
        gm.set_global_buffer(x)
        local = asc.LocalTensor(x.dtype, asc.TPosition.VECCALC, 0, 64)
        asc.data_copy(local, gm, 64)
        asc.set_flag(asc.HardEvent.MTE2_V)
        asc.wait_flag(asc.HardEvent.MTE2_V)
        asc.adds(local, local, 1, n)
        asc.set_flag(asc.HardEvent.V_MTE3)
        asc.wait_flag(asc.HardEvent.V_MTE3)
        asc.data_copy(gm, local, 64)

    x = np.arange(64, dtype=np.float32)
    nothing[1](x, 0)
    np.testing.assert_array_equal(x, np.arange(64))
    nothing[1](x, 10)
    np.testing.assert_array_equal(x, np.arange(64) + (np.arange(64) < 10))
