# SPDX-License-Identifier: Apache-2.0
"""BUG-09: `//` and `%` are Python's, whether run, folded, mixed or printed; division by zero is a finding."""

import host_exec
import numpy as np
import pytest
from outcomes import brief, everywhere, findings_of

import asc

PAIRS = ((-7, 2), (7, -2), (-8, 2), (7, 2))


@asc.jit
def divisions(out: asc.GlobalAddress, n: int, d: int, N: asc.ConstExpr[int], D: asc.ConstExpr[int]):
    o = asc.GlobalTensor()
    o.set_global_buffer(out)
    o.set_value(0, n // d)
    o.set_value(1, n % d)
    o.set_value(2, N // D)
    o.set_value(3, N % D)
    o.set_value(4, n // D)
    o.set_value(5, N % d)
    o.set_value(6, asc.ceildiv(n, d))
    o.set_value(7, asc.ceildiv(N, D))


def pythons(n, d):
    floor, rest, ceiling = n // d, n % d, -(-n // d)
    return [floor, rest, floor, rest, floor, rest, ceiling, ceiling]


def launches():
    rows = []
    for n, d in PAIRS:
        a = np.zeros(8, np.int32)
        divisions[1](a, n, d, n, d)
        rows.append(a.tolist())
    return rows


def by_zero():
    """What a zero divisor finds, and that the next launch works."""
    a = np.zeros(8, np.int32)
    found = findings_of(lambda: divisions[1](a, 1, 0, 1, 1), asc.ScalarError)
    divisions[1](a, 7, 2, 7, 2)
    return [brief(f)[:2] for f in found], a.tolist()


def test_one_rule_in_every_column(tmp_path):
    rows = everywhere(launches, tmp_path / "cache")
    assert rows == [pythons(n, d) for n, d in PAIRS]
    assert rows[0] == [-4, 1, -4, 1, -4, 1, -3, -3]


@pytest.mark.host
def test_the_printed_program_computes_the_same():
    for n, d in PAIRS:
        a = np.zeros(8, np.int32)
        text = divisions[1].compile(a, n, d, n, d).text["ascendc"]
        (got,) = host_exec.run_printed(text, "divisions", "AIV_ONLY", 1, [a, n, d])
        assert got.tolist() == pythons(n, d)


def test_division_by_zero(tmp_path):
    found, after = everywhere(by_zero, tmp_path / "cache")
    assert found[0] == ("ASC-S102", "o.set_value(0, n // d)")
    assert {id for id, _ in found} == {"ASC-S102"}
    assert after == pythons(7, 2)
