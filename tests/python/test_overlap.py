# SPDX-License-Identifier: Apache-2.0
"""Operands of one vector op that overlap in part (general constraints: address overlap)."""

import numpy as np
import pytest

import asc


@asc.jit
def shifted(x: asc.GlobalAddress, dst: int, src0: int, src1: int):
    g = asc.GlobalTensor()
    g.set_global_buffer(x)
    t = asc.LocalTensor(asc.float32, asc.TPosition.VECCALC, 0, 1024)
    asc.duplicate(t, 1.0, 1024)
    asc.add(t[dst:], t[src0:], t[src1:], 128)
    asc.muls(t[dst:], t[src0:], 2.0, 128)
    g.set_value(0, t.get_value(dst))


@pytest.mark.parametrize(
    ("dst", "src0", "src1", "named"),
    [
        (0, 0, 0, ()),  # the same
        (0, 128, 256, ()),  # apart
        (128, 0, 256, ()),
        (0, 64, 256, ()),  # 256 bytes ahead: what is written was read
        (0, 8, 256, ("src0", "src")),
        (8, 0, 256, ("src0", "src")),
        (64, 0, 256, ("src0", "src")),  # written before it is read
        (0, 512, 16, ("src1",)),
    ],
)
@pytest.mark.parametrize("known", [True, False])
def test_findings(dst, src0, src1, named, known):
    places = {}
    if known:

        @asc.jit
        def constant(
            x: asc.GlobalAddress, d: asc.ConstExpr[int], a: asc.ConstExpr[int], b: asc.ConstExpr[int]
        ):
            t = asc.LocalTensor(asc.float32, asc.TPosition.VECCALC, 0, 1024)
            asc.duplicate(t, 1.0, 1024)
            asc.add(t[d:], t[a:], t[b:], 128)
            asc.muls(t[d:], t[a:], 2.0, 128)

        found = constant[1].compile(np.zeros(8, np.float32), dst, src0, src1).diagnostics
        kernel = constant
    else:
        kernel = shifted
        kernel.options(on_finding="collect")[1](np.zeros(8, np.float32), dst, src0, src1)
        found = asc.last_findings()
    assert [f.id for f in found] == ["ASC-L111"] * len(named)
    for finding, name in zip(found, named):
        assert f"overlaps {name} at bytes" in finding.message
        places[finding.message] = finding
    if named and not known:
        with pytest.raises(asc.KernelError, match="in part"):
            kernel[1](np.zeros(8, np.float32), dst, src0, src1)
        kernel.options(mode="fast")[1](np.zeros(8, np.float32), dst, src0, src1)


@pytest.mark.parametrize("dtype", [np.float16, np.float32])
def test_relu_makes_plus_zero_of_minus_zero(dtype):
    """The manual's boundary values (tables 8, 24, 25): relu(-0) is +0 in both types, NaN stays."""

    @asc.jit
    def relu(x: asc.GlobalAddress, y: asc.GlobalAddress):
        gx = asc.GlobalTensor()
        gx.set_global_buffer(x)
        gy = asc.GlobalTensor()
        gy.set_global_buffer(y)
        a = asc.LocalTensor(x.dtype, asc.TPosition.VECIN, 0, 64)
        b = asc.LocalTensor(x.dtype, asc.TPosition.VECOUT, 1024, 64)
        asc.data_copy(a, gx, 64)
        asc.pipe_barrier(asc.PipeID.PIPE_ALL)
        asc.relu(b, a, 64)
        asc.pipe_barrier(asc.PipeID.PIPE_ALL)
        asc.data_copy(gy, b, 64)

    x = np.array([-0.0, 0.0, -1, 1, np.nan, -np.inf, np.inf, -1e-7] * 8, dtype)
    y = np.ones(64, dtype)
    relu[1](x, y)
    wanted = np.array([0.0, 0.0, 0, 1, np.nan, 0, np.inf, 0] * 8, dtype)
    np.testing.assert_array_equal(y, wanted)
    assert not np.signbit(y[~np.isnan(y)]).any()
