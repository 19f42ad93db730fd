# SPDX-License-Identifier: Apache-2.0
"""BUG-13: launch handles keep their own settings, in any thread."""

from concurrent.futures import ThreadPoolExecutor

import numpy as np
from outcomes import everywhere

import asc
import asc.lib.runtime as rt

# A core writes every 16th int: 64 bytes apart, so no two cores share a cache line.


@asc.jit
def who(out: asc.GlobalAddress):
    o = asc.GlobalTensor()
    o.set_global_buffer(out)
    o.set_value(asc.get_block_idx() * 16, asc.get_block_num())


def run(handle):
    b = np.zeros(128, np.int32)
    handle(b)
    return b[::16].tolist()


def two_handles():
    two, four = who[2], who[4]
    return run(two), run(four), run(two)


def many_threads():
    with ThreadPoolExecutor(8) as pool:
        results = list(pool.map(lambda cores: [run(who[cores]) for _ in range(50)], range(1, 9)))
    return [rows == [[cores] * cores + [0] * (8 - cores)] * 50 for cores, rows in enumerate(results, 1)]


def with_streams():
    two, four = who[2, rt.current_stream()], who[4, rt.current_stream()]
    with ThreadPoolExecutor(8) as pool:
        rows = list(pool.map(lambda cores: run(who[cores, rt.current_stream()]), range(1, 9)))
    return run(two), run(four), rows


def test_handles_with_streams(tmp_path):
    two, four, rows = everywhere(with_streams, tmp_path / "cache")
    assert (two, four) == ([2] * 2 + [0] * 6, [4] * 4 + [0] * 4)
    assert rows == [[cores] * cores + [0] * (8 - cores) for cores in range(1, 9)]


def test_two_handles(tmp_path):
    two, four, again = everywhere(two_handles, tmp_path / "cache")
    assert two == again == [2, 2, 0, 0, 0, 0, 0, 0]
    assert four == [4, 4, 4, 4, 0, 0, 0, 0]


def test_eight_threads_that_start_cold(tmp_path):
    assert everywhere(many_threads, tmp_path / "cache") == [True] * 8
