# SPDX-License-Identifier: Apache-2.0
"""BUG-07: break, continue and return inside a loop."""

import host_exec
import numpy as np
import pytest
from outcomes import everywhere

import asc


@asc.jit
def first_multiple(n: int, d: int) -> int:
    for i in range(1, n):
        if i % d == 0:
            return i
    return -1


@asc.jit
def jumping(out: asc.GlobalAddress, n: int):
    o = asc.GlobalTensor()
    o.set_global_buffer(out)
    total = 0
    for i in range(n):
        if i == 2:
            continue
        if i == 6:
            break
        total += i
    o.set_value(0, total)
    o.set_value(1, first_multiple(n, 5))
    o.set_value(2, first_multiple(3, 5))


def launch():
    a = np.zeros(8, np.int32)
    jumping[1](a, 20)
    return a[:3].tolist()


def test_values(tmp_path):
    assert everywhere(launch, tmp_path / "cache") == [13, 5, -1]


def printed():
    return jumping[1].compile(np.zeros(8, np.int32), 20).text["ascendc"]


def test_the_printed_program_has_the_same_jumps():
    text = printed()
    for word, times in (("continue;", 1), ("break;", 1), ("return i;", 1), ("return -1;", 1), ("for (", 2)):
        assert text.count(word) == times, f"{word}\n{text}"


@pytest.mark.host
def test_the_printed_program_computes_the_same():
    (a,) = host_exec.run_printed(printed(), "jumping", "AIV_ONLY", 1, [np.zeros(8, np.int32), 20])
    assert a[:3].tolist() == [13, 5, -1]
