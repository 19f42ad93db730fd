# SPDX-License-Identifier: Apache-2.0
"""BUG-14: copies whose length or local start is not a multiple of 32 bytes."""

import numpy as np
import pytest
from outcomes import brief, everywhere, findings_of

import asc


@asc.jit(auto_sync=False)
def tail(x: asc.GlobalAddress, z: asc.GlobalAddress, MODE: asc.ConstExpr[int]):
    gx = asc.GlobalTensor()
    gx.set_global_buffer(x)
    gz = asc.GlobalTensor()
    gz.set_global_buffer(z)
    t = asc.LocalTensor(x.dtype, asc.TPosition.VECIN, 0, 32)
    asc.duplicate(t, -1.0, 32)
    asc.set_flag(asc.HardEvent.V_MTE2, 0)
    asc.wait_flag(asc.HardEvent.V_MTE2, 0)
    if MODE == 1:
        asc.data_copy(t, gx, 10)
    elif MODE == 2:
        asc.data_copy(t[1:], gx, 16)
    else:
        asc.data_copy(t, gx[1:], 16)
    asc.set_flag(asc.HardEvent.MTE2_MTE3, 0)
    asc.wait_flag(asc.HardEvent.MTE2_MTE3, 0)
    asc.data_copy(gz, t, 16)


X = np.arange(1, 18, dtype=np.float32)


def launch(mode, **options):
    z = np.full(16, 99, np.float32)
    found = findings_of(lambda: tail.options(**options)[1](X, z, mode))
    return found, z.tolist()


def short_count():
    found, _ = launch(1)
    return [(*brief(f)[:2], f.kind, f.message, f.fix) for f in found]


def misaligned_start():
    found, _ = launch(2)
    return [(*brief(f)[:2], f.kind, f.message) for f in found]


def element_aligned():
    """Only the element's own size counts in global memory; and the next launch after the findings works."""
    found, z = launch(3)
    return [brief(f) for f in found], z


def test_a_byte_count_that_is_no_multiple_of_32(tmp_path):
    (found,) = everywhere(short_count, tmp_path / "cache")
    id, line, kind, message, fix = found
    assert (id, line, kind) == ("ASC-A102", "asc.data_copy(t, gx, 10)", "alignment")
    assert "40 bytes" in message and "32" in message
    assert "data_copy_pad" in fix


def test_without_raising_the_length_is_rounded_down():
    with pytest.warns(UserWarning, match="40 bytes"):
        found, z = launch(1, on_finding="warn")
    assert found == []
    assert z == X[:8].tolist() + [-1.0] * 8


def test_a_local_start_that_is_no_multiple_of_32(tmp_path):
    found, *more = everywhere(misaligned_start, tmp_path / "cache")
    id, line, kind, message = found
    assert (id, line, kind) == ("ASC-A101", "asc.data_copy(t[1:], gx, 16)", "alignment")
    assert "4" in message and "32" in message
    assert not more


def test_a_constant_start_is_known_before_the_launch():
    diagnostics = tail[1].compile(X, X, 2).diagnostics
    assert [brief(d)[:2] for d in diagnostics] == [("ASC-A101", "asc.data_copy(t[1:], gx, 16)")]
    diagnostics = tail[1].compile(X, X, 1).diagnostics
    assert [brief(d)[:2] for d in diagnostics] == [("ASC-A102", "asc.data_copy(t, gx, 10)")]


def test_global_memory_asks_for_element_alignment_only(tmp_path):
    found, z = everywhere(element_aligned, tmp_path / "cache")
    assert found == []
    assert z == X[1:17].tolist()
