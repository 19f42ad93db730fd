# SPDX-License-Identifier: Apache-2.0
"""Blocks that meet in global memory give what running them in order gives, for any number of threads."""

import numpy as np
import pytest

import asc

TURNS = 30_000  # long enough for the pool


@asc.jit
def all_write(x: asc.GlobalAddress, n: int):
    g = asc.GlobalTensor()
    g.set_global_buffer(x)
    for i in range(n):
        g.set_value(i % 16, asc.get_block_idx() * 1000 + i % 7)


@asc.jit
def chain(x: asc.GlobalAddress, n: int):
    """Each block adds up what the one before it left."""
    g = asc.GlobalTensor()
    g.set_global_buffer(x)
    block = asc.get_block_idx()
    for i in range(n):
        g.set_value(block + 1, g.get_value(block) + i % 3 + 1)


@asc.jit
def bump(x: asc.GlobalAddress, log: asc.GlobalAddress, n: int):
    """All count in one place, and keep what they saw in places of their own."""
    g = asc.GlobalTensor()
    g.set_global_buffer(x)
    seen = asc.GlobalTensor()
    seen.set_global_buffer(log)
    for i in range(n):
        g.set_value(0, g.get_value(0) + 1)
    seen.set_value(g.get_value(0) // n, asc.get_block_idx() + 1)


@asc.jit
def tiles(x: asc.GlobalAddress, y: asc.GlobalAddress, turns: int):
    """Tiles of neighbours overlap by half."""
    block = asc.get_block_idx()
    source = asc.GlobalTensor()
    source.set_global_buffer(x)
    target = asc.GlobalTensor()
    target.set_global_buffer(y)
    local = asc.LocalTensor(asc.float32, asc.TPosition.VECCALC, 0, 1024)
    for _ in range(turns):
        asc.data_copy(local, source, 1024)
        asc.set_flag(asc.HardEvent.MTE2_V, 0)
        asc.wait_flag(asc.HardEvent.MTE2_V, 0)
        asc.adds(local, local, block, 1024)
        asc.set_flag(asc.HardEvent.V_MTE3, 0)
        asc.wait_flag(asc.HardEvent.V_MTE3, 0)
        asc.data_copy(target[block * 512], local, 1024)
        asc.set_flag(asc.HardEvent.MTE3_MTE2, 0)
        asc.wait_flag(asc.HardEvent.MTE3_MTE2, 0)


@pytest.mark.parametrize("mode", ["check", "fast"])
@pytest.mark.parametrize("threads", [1, 2, 4])
def test_results_do_not_depend_on_threads(mode, threads):
    for _ in range(3):  # what ran once is known; what is new is not
        options = {"mode": mode, "threads": threads, "always_compile": _ == 2}
        x = np.zeros(64, np.int64)
        all_write.options(**options)[8](x, TURNS)
        expected = [7000 + max(i for i in range(TURNS - 16, TURNS) if i % 16 == k) % 7 for k in range(16)]
        assert x[:16].tolist() == expected

        x = np.zeros(64, np.int64)
        chain.options(**options)[8](x, TURNS)
        last = (TURNS - 1) % 3 + 1
        assert x[:9].tolist() == [last * k for k in range(9)]

        x, log = np.zeros(8, np.int64), np.zeros(16, np.int64)
        bump.options(**options)[6](x, log, TURNS)
        assert x[0] == 6 * TURNS and log.tolist() == [0, 1, 2, 3, 4, 5, 6] + [0] * 9

        x, y = np.arange(1024, dtype=np.float32), np.zeros(10 * 512, np.float32)
        tiles.options(**options)[8](x, y, 200)
        expected = np.zeros(10 * 512, np.float32)
        for block in range(8):
            expected[block * 512 : block * 512 + 1024] = x + np.float32(block)
        np.testing.assert_array_equal(y, expected)


@asc.jit
def in_place(x: asc.GlobalAddress, n: int):
    g = asc.GlobalTensor()
    g.set_global_buffer(x)
    begin = asc.get_block_idx() * n
    for i in range(n):
        g.set_value(begin + i, g.get_value(begin + i) * 2 + 1)


def test_blocks_apart_run_at_once_in_place():
    x = np.arange(8 * TURNS, dtype=np.int64)
    in_place.options(threads=4)[8](x, TURNS)
    np.testing.assert_array_equal(x, np.arange(8 * TURNS) * 2 + 1)


def test_views_of_one_array_are_one_memory():
    @asc.jit
    def shift(x: asc.GlobalAddress, y: asc.GlobalAddress, n: int):
        source = asc.GlobalTensor()
        source.set_global_buffer(x)
        target = asc.GlobalTensor()
        target.set_global_buffer(y)
        begin = asc.get_block_idx() * n
        for i in range(n):
            target.set_value(begin + i, source.get_value(begin + i) + 1)

    results = []
    for threads in (1, 2, 4):
        base = np.zeros(8 * TURNS + 1, np.int64)
        shift.options(threads=threads, always_compile=True)[8](base[:-1], base[1:], TURNS)
        results.append(base)
    # Each element is one more than the one before it: in order, the whole is a chain.
    np.testing.assert_array_equal(results[0], np.arange(8 * TURNS + 1))
    for other in results[1:]:
        np.testing.assert_array_equal(results[0], other)
