# SPDX-License-Identifier: Apache-2.0
"""BUG-16: more local memory than there is, and accesses outside a buffer or an argument."""

import numpy as np
import pytest
from outcomes import brief, everywhere, findings_of

import asc


@asc.jit(auto_sync=False)
def memory(x: asc.GlobalAddress, z: asc.GlobalAddress, N: asc.ConstExpr[int], OFF: asc.ConstExpr[int]):
    gx = asc.GlobalTensor()
    gx.set_global_buffer(x)
    gz = asc.GlobalTensor()
    gz.set_global_buffer(z)
    pipe = asc.TPipe()
    buf = asc.TBuf(asc.TPosition.VECIN)
    pipe.init_buffer(buf, N * 4)
    event = pipe.fetch_event_id(asc.HardEvent.MTE2_MTE3)
    t = buf.get(x.dtype)
    asc.data_copy(t, gx[OFF:], 64)
    asc.set_flag(asc.HardEvent.MTE2_MTE3, event)
    asc.wait_flag(asc.HardEvent.MTE2_MTE3, event)
    asc.data_copy(gz, t, 64)


COPY_IN = "asc.data_copy(t, gx[OFF:], 64)"


def launch(n, off):
    x = np.arange(64, dtype=np.float32)
    z = np.zeros_like(x)
    try:
        found = findings_of(lambda: memory[1](x, z, n, off))
    except asc.CompileError as error:
        return str(error), False
    return [(*brief(f), f.kind, f.core, f.message, f.text) for f in found], np.array_equal(x, z)


def launches():
    """The five cases, and the first again behind them."""
    return [launch(n, off) for n, off in ((64, 0), (65536, 0), (32, 0), (64, 8), (64, -8), (64, 0))]


@pytest.fixture(scope="module")
def outcome(tmp_path_factory):
    return everywhere(launches, tmp_path_factory.mktemp("memory") / "cache")


def test_what_fits_is_copied(outcome):
    assert outcome[0] == outcome[5] == ([], True)


def test_more_than_there_is(outcome):
    found, _ = outcome[1]
    id, line, buffer, _, kind, _, message, text = found[0]
    assert (id, line, kind) == ("ASC-B107", "pipe.init_buffer(buf, N * 4)", "bounds")
    plain = text.replace(",", "").replace("_", "")
    assert "262144 bytes" in plain and "196608" in plain
    assert "bits" not in text


def test_more_than_there_is_is_known_before_the_launch():
    x = np.zeros(64, np.float32)
    diagnostics = memory[1].compile(x, x, 65536, 0).diagnostics
    assert [brief(d)[:2] for d in diagnostics] == [("ASC-B107", "pipe.init_buffer(buf, N * 4)")]


def test_the_report_says_what_else_is_there():
    @asc.jit
    def two(x: asc.GlobalAddress):
        pipe = asc.TPipe()
        small = asc.TBuf(asc.TPosition.VECIN)
        large = asc.TBuf(asc.TPosition.VECOUT)
        pipe.init_buffer(small, 4096)
        pipe.init_buffer(large, 196608)

    (found, *_) = findings_of(lambda: two[1](np.zeros(8, np.float32)))
    plain = found.text.replace(",", "").replace("_", "")
    assert found.id == "ASC-B107"
    assert found.site.text.strip() == "pipe.init_buffer(large, 196608)"
    assert "small" in plain and "4096" in plain and "196608" in plain


def test_more_elements_than_the_buffer_has(outcome):
    found, _ = outcome[2]
    id, line, buffer, _, kind, _, message, _ = found[0]
    assert (id, line, buffer, kind) == ("ASC-B103", COPY_IN, "buf", "bounds")
    assert "64 elements" in message and "32 elements" in message


@pytest.mark.parametrize(("case", "elements"), [(3, (8, 72)), (4, (-8, 56))])
def test_outside_an_argument(outcome, case, elements):
    found, copied = outcome[case]
    id, line, buffer, range, kind, core, message, text = found[0]
    assert (id, line, buffer, range, kind) == ("ASC-B101", COPY_IN, "x", elements, "bounds")
    assert f"elements {elements[0]}..{elements[1] - 1} of 64" in message and "`x`" in message
    assert "core 0" in text or "block 0" in text
    assert core is not None
    assert not copied
