# SPDX-License-Identifier: Apache-2.0
"""BUG-08: chains of `and`, `or`, `not`, chained comparison; a right side that must not run does not run."""

import host_exec
import numpy as np
import pytest
from outcomes import everywhere

import asc


@asc.jit
def conditions(x: asc.GlobalAddress, out: asc.GlobalAddress, n: int, FLAG: asc.ConstExpr[bool]):
    g = asc.GlobalTensor()
    g.set_global_buffer(x, 4)
    o = asc.GlobalTensor()
    o.set_global_buffer(out)
    o.set_value(0, 1 if 0 < n < 4 else 0)
    o.set_value(1, 1 if n > 0 and n < 4 and n != 2 else 0)
    o.set_value(2, 1 if FLAG and n > 3 else 0)
    inside = 0
    if n < 4 and g.get_value(n) > 0:
        inside = 1
    o.set_value(3, inside)
    o.set_value(4, 1 if not (n == 3 or n == 5) else 0)


EXPECTED = {2: [1, 0, 0, 1, 1], 3: [1, 1, 0, 1, 0], 4: [0, 0, 1, 0, 1], 1_000_000: [0, 0, 1, 0, 1]}
EXPECTED_OFF = {n: [*row[:2], 0, *row[3:]] for n, row in EXPECTED.items()}


def launches(flag=True):
    rows = {}
    for n in EXPECTED:
        a = np.zeros(8, np.int32)
        conditions[1](np.ones(4, np.int32), a, n, flag)
        rows[n] = a[:5].tolist()
    return rows


def launches_off():
    return launches(False)


def test_values(tmp_path):
    assert everywhere(launches, tmp_path / "cache") == EXPECTED


def test_with_the_flag_off(tmp_path):
    assert everywhere(launches_off, tmp_path / "cache") == EXPECTED_OFF


def test_the_check_would_see_a_read_outside():
    """The read that the condition guards is a finding when it does happen."""

    @asc.jit
    def unguarded(x: asc.GlobalAddress, out: asc.GlobalAddress, n: int):
        g = asc.GlobalTensor()
        g.set_global_buffer(x, 4)
        o = asc.GlobalTensor()
        o.set_global_buffer(out)
        o.set_value(0, 1 if g.get_value(n) > 0 and n < 4 else 0)

    with pytest.raises(asc.BoundsError, match="element 1000000 of 4"):
        unguarded[1](np.ones(4, np.int32), np.zeros(8, np.int32), 1_000_000)


@pytest.mark.host
@pytest.mark.parametrize("flag", [True, False])
def test_the_printed_program_computes_the_same(flag):
    x, a = np.ones(4, np.int32), np.zeros(8, np.int32)
    program = host_exec.compile_printed(conditions[1].compile(x, a, 1, flag).text["ascendc"])
    for n, row in (EXPECTED if flag else EXPECTED_OFF).items():
        assert program.run("AIV_ONLY", 1, [x, a, n]).arrays[1][:5].tolist() == row, n
