# SPDX-License-Identifier: Apache-2.0
"""BUG-17: comparisons of scalars with NaN."""

import host_exec
import numpy as np
import pytest
from outcomes import everywhere

import asc


@asc.jit
def compare(x: asc.GlobalAddress, out: asc.GlobalAddress):
    g = asc.GlobalTensor()
    g.set_global_buffer(x)
    o = asc.GlobalTensor()
    o.set_global_buffer(out)
    v = g.get_value(0)
    o.set_value(0, 1 if v != v else 0)
    o.set_value(1, 1 if v == v else 0)
    o.set_value(2, 1 if v < 1.0 else 0)
    o.set_value(3, 1 if not (v < 1.0) else 0)
    o.set_value(4, 1 if v >= 1.0 else 0)


VALUES = (np.nan, 0.5, 1.0, np.inf, -np.inf)


def pythons(v):
    return [int(v != v), int(v == v), int(v < 1.0), int(not (v < 1.0)), int(v >= 1.0)]


def launches():
    rows = []
    for value in VALUES:
        a = np.zeros(8, np.int32)
        compare[1](np.array([value], np.float32), a)
        rows.append(a[:5].tolist())
    return rows


def test_values(tmp_path):
    rows = everywhere(launches, tmp_path / "cache")
    assert rows == [pythons(v) for v in VALUES]
    assert rows[0] == [1, 0, 0, 1, 0]


@pytest.mark.host
@pytest.mark.parametrize("dtype", [np.float32, np.float16])
def test_the_printed_program_computes_the_same(dtype):
    x, a = np.zeros(1, dtype), np.zeros(8, np.int32)
    program = host_exec.compile_printed(compare[1].compile(x, a).text["ascendc"])
    for value in VALUES:
        x[0] = value
        assert program.run("AIV_ONLY", 1, [x, a]).arrays[1][:5].tolist() == pythons(value), value
