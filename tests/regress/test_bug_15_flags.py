# SPDX-License-Identifier: Apache-2.0
"""BUG-15: a flag that nobody sets, one that is set twice, an id that there is not."""

import time

import numpy as np
import pytest
from outcomes import brief, everywhere, findings_of

import asc


@asc.jit
def flags(x: asc.GlobalAddress, z: asc.GlobalAddress, MODE: asc.ConstExpr[int]):
    gx = asc.GlobalTensor()
    gx.set_global_buffer(x)
    gz = asc.GlobalTensor()
    gz.set_global_buffer(z)
    t = asc.LocalTensor(x.dtype, asc.TPosition.VECIN, 0, 64)
    u = asc.LocalTensor(x.dtype, asc.TPosition.VECOUT, 256, 64)
    asc.data_copy(t, gx, 64)
    if MODE != 1:
        asc.set_flag(asc.HardEvent.MTE2_V, 0)
        asc.wait_flag(asc.HardEvent.MTE2_V, 0)
    asc.adds(u, t, 1.0, 64)
    asc.set_flag(asc.HardEvent.V_MTE3, 0)
    if MODE == 3:
        asc.set_flag(asc.HardEvent.V_MTE3, 0)
    asc.wait_flag(asc.HardEvent.V_MTE3, 2 if MODE == 2 else 0)
    if MODE == 4:
        asc.set_flag(asc.HardEvent.V_MTE2, 9)
    asc.data_copy(gz, u, 64)


WAIT = "asc.wait_flag(asc.HardEvent.V_MTE3, 2 if MODE == 2 else 0)"
SET = "asc.set_flag(asc.HardEvent.V_MTE3, 0)"
SYNC = pytest.mark.parametrize("auto_sync", [False, True])


def launch(mode, auto_sync):
    """Findings of a launch in this mode, with messages, and whether the launch behind it is right."""
    x = np.arange(64, dtype=np.float32)
    z = np.zeros_like(x)
    found = findings_of(lambda: flags[1](x, z, mode, auto_sync=auto_sync))
    after = np.zeros_like(x)
    flags[1](x, after, 0, auto_sync=auto_sync)
    return [(*brief(f)[:2], f.message) for f in found], np.array_equal(after, x + 1)


def all_modes(auto_sync):
    return {mode: launch(mode, auto_sync) for mode in (0, 2, 3, 4)}


def modes_with_auto_sync():
    return all_modes(True)


def modes_without():
    return all_modes(False)


def found_in(mode, auto_sync):
    found, after = launch(mode, auto_sync)
    assert after
    return found


@SYNC
def test_every_flag_in_its_place(auto_sync):
    assert found_in(0, auto_sync) == []


@SYNC
def test_a_wait_that_nothing_answers(auto_sync):
    start = time.monotonic()
    found = found_in(2, auto_sync)
    assert time.monotonic() - start < 10
    waits = [message for id, line, message in found if line == WAIT]
    assert len(waits) == 1 and "V_MTE3" in waits[0] and "2" in waits[0]
    assert {id for id, line, _ in found if line == WAIT} <= {"ASC-Y103", "ASC-D101"}
    left = [(id, message) for id, line, message in found if line == SET]
    assert [id for id, _ in left] == ["ASC-Y101"] and "V_MTE3" in left[0][1] and "0" in left[0][1]


@SYNC
def test_an_event_set_twice(auto_sync):
    (id, line, message), *_ = found_in(3, auto_sync)
    assert (id, line) == ("ASC-Y102", SET)
    assert "V_MTE3" in message and "0" in message


@SYNC
def test_an_event_id_that_there_is_not(auto_sync):
    (id, line, message), *_ = found_in(4, auto_sync)
    assert (id, line) == ("ASC-L101", "asc.set_flag(asc.HardEvent.V_MTE2, 9)")
    assert "9" in message and "0..7" in message.replace(" to ", "..").replace("…", "..")


def test_cold_and_warm_alike(tmp_path):
    with_sync = everywhere(modes_with_auto_sync, tmp_path / "with")
    without = everywhere(modes_without, tmp_path / "without")
    assert with_sync == without
