# SPDX-License-Identifier: Apache-2.0
"""BUG-10: integers and offsets past 32 bits."""

import host_exec
import numpy as np
import pytest
from outcomes import brief, everywhere, findings_of

import asc

BIG = 3_000_000_000
FAR = 60_000 * 60_000


@asc.jit
def wide(out: asc.GlobalAddress, big: int, rows: int, cols: int):
    o = asc.GlobalTensor()
    o.set_global_buffer(out)
    o.set_value(0, big)
    o.set_value(1, rows * cols)
    o.set_value(2, asc.get_block_idx() + rows * cols)


@asc.jit
def far(x: asc.GlobalAddress, rows: int, cols: int):
    g = asc.GlobalTensor()
    g.set_global_buffer(x + rows * cols)
    g.set_value(0, 1)


def scalars():
    """What arrives where nothing leaves its type, and what is found where a product does."""
    a = np.zeros(4, np.int64)
    wide[1](a, BIG, 2, 3)
    inside = a.tolist()
    found = findings_of(lambda: wide[1](a, BIG, 60_000, 60_000))
    assert all("32-bit overflow" in f.message for f in found)
    return inside, [brief(f)[:2] for f in found], a.tolist()


def offsets():
    a = np.zeros(4, np.int64)
    found = findings_of(lambda: far[1](a, 60_000, 60_000), asc.BoundsError)
    return [brief(f) for f in found], [f.message for f in found], a.tolist()


def test_a_large_argument_arrives_and_a_product_is_right_or_found(tmp_path):
    inside, found, a = everywhere(scalars, tmp_path / "cache")
    assert inside == [BIG, 6, 6, 0]
    assert a[0] == BIG
    lines = {line for id, line in found if id == "ASC-S101"}
    assert len(lines) == len(found)
    for index, line in (
        (1, "o.set_value(1, rows * cols)"),
        (2, "o.set_value(2, asc.get_block_idx() + rows * cols)"),
    ):
        assert a[index] == FAR or line in lines, (a, found)


def test_an_offset_past_32_bits_is_outside_at_its_true_place(tmp_path):
    found, messages, a = everywhere(offsets, tmp_path / "cache")
    assert found == [("ASC-B102", "g.set_value(0, 1)", "x", (FAR, FAR + 1))]
    assert str(FAR) in messages[0]
    assert a == [0, 0, 0, 0]


def test_the_printed_offset_is_computed_in_64_bits():
    text = far[1].compile(np.zeros(4, np.int64), 60_000, 60_000).text["ascendc"]
    line = next(line for line in text.splitlines() if "SetGlobalBuffer" in line)
    assert "int64_t" in line, line


@pytest.mark.host
def test_a_large_argument_arrives_in_the_printed_program():
    a = np.zeros(4, np.int64)
    text = wide[1].compile(a, BIG, 2, 3).text["ascendc"]
    (got,) = host_exec.run_printed(text, "wide", "AIV_ONLY", 1, [a, BIG, 2, 3])
    assert got.tolist() == [BIG, 6, 6, 0]
