# SPDX-License-Identifier: Apache-2.0
"""Names of ours and of the user's in printed programs, and results that go where an argument came from: the
program must compile, and compute what Python and the simulator do."""

import time

import host_exec
import numpy as np
import pytest

import asc

pytestmark = pytest.mark.host


def check(kernel, want, *args):
    """`want`: the first array after a run, in the simulator and on the host."""
    text = kernel[1].compile(*args).text["ascendc"]
    host = host_exec.run_printed(text, kernel.__name__, "AIV_ONLY", 1, args)[0]
    given = [a.copy() if isinstance(a, np.ndarray) else a for a in args]
    kernel[1](*given)
    assert given[0].tolist() == host.tolist() == want


@asc.jit
def is_aiv():
    return asc.ascend_is_aiv()


@asc.jit
def broken(n):
    return n + 1


@asc.jit
def i_next(n):
    return n * 2


@asc.jit
def result(n):
    return n + 1, n + 2


is_aic = 7


@asc.jit
def functions_called_as_our_names(out: asc.GlobalAddress, n: int):
    o = asc.GlobalTensor()
    o.set_global_buffer(out)
    before = n * is_aic
    flag = (n > 100 or asc.ascend_is_aiv()) and (n > 99 or not asc.ascend_is_aic())
    if is_aiv() and flag and not asc.ascend_is_aic():
        o.set_value(0, n)
    for i in range(n):
        if broken(i) > 5:
            break
    else:
        o.set_value(1, broken(3))
    for i in range(0, i_next(n), 3):
        i += i_next(1)
        o.set_value(2, i)
    o.set_value(3, result(n)[1])
    o.set_value(4, before)


def test_functions_called_as_our_names():
    def python(n):
        total = [n, broken_of(n), 0, n + 2, n * 7]
        for i in range(0, n * 2, 3):
            total[2] = i + 2
        return total

    def broken_of(n):
        return 4 if all(i + 1 <= 5 for i in range(n)) else 0

    for n in (4, 9):
        check(functions_called_as_our_names, python(n), np.zeros(5, np.int32), n)


@asc.jit
def split(t):
    t.set_size(64)
    rest = t[8:]
    return rest, t.get_value(0)


@asc.jit
def a_tensor_in_and_out(out: asc.GlobalAddress, x: asc.GlobalAddress, turns: int):
    o, g = asc.GlobalTensor(), asc.GlobalTensor()
    o.set_global_buffer(out)
    g.set_global_buffer(x)
    t = asc.LocalTensor(asc.int32, asc.TPosition.VECCALC, 0, 64)
    asc.data_copy(t, g, 64)
    first = 0
    for _ in range(turns):
        t, first = split(t)
    o.set_value(0, first)
    o.set_value(1, t.get_value(0))


def test_a_result_that_replaces_its_argument():
    x = np.arange(100, 164, dtype=np.int32)
    for turns in (0, 1, 3):
        view, first = x.tolist(), 0
        for _ in range(turns):
            view, first = view[8:], view[0]
        check(a_tensor_in_and_out, [first, view[0]], np.zeros(2, np.int32), x, turns)


class Counts(asc.Struct):
    n = asc.Field(asc.int32)
    total = asc.Field(asc.int32)


@asc.jit
def count_up(bound, counts):
    for i in range(bound.n):
        counts.n += 1
        counts.total += i


@asc.jit
def one_struct_twice(out: asc.GlobalAddress, given: Counts):
    o = asc.GlobalTensor()
    o.set_global_buffer(out)
    counts = given.create_local()
    count_up(counts, counts)
    o.set_value(0, counts.n)
    o.set_value(1, counts.total)


def test_one_struct_as_two_arguments():
    """The range is fixed before the first turn, whatever the turns do to the struct by its other name."""
    check(one_struct_twice, [8, 6], np.zeros(2, np.int32), Counts(n=4, total=0))


@asc.jit
def event_ids_are_numbers(out: asc.GlobalAddress, n: int):
    o = asc.GlobalTensor()
    o.set_global_buffer(out)
    pipe = asc.TPipe()
    taken = pipe.alloc_event_id(asc.HardEvent.MTE2_V)
    o.set_value(0, min(taken, n))
    o.set_value(1, max(pipe.fetch_event_id(asc.HardEvent.MTE2_V), n))
    o.set_value(2, pipe.fetch_event_id(asc.HardEvent.MTE2_V) * 1000)
    pipe.release_event_id(taken, asc.HardEvent.MTE2_V)


def test_event_ids_are_numbers():
    check(event_ids_are_numbers, [0, 5, 1000], np.zeros(3, np.int32), 5)


@asc.jit
def unrolled(out: asc.GlobalAddress, n: int):
    o = asc.GlobalTensor()
    o.set_global_buffer(out)
    for i in asc.static_range(3000):
        third: asc.ConstExpr = i * 3
        o.set_value(n & 7, n * third)


def test_a_long_unrolled_loop_prints_in_time():
    """Each turn declares `third` again: the search for a free name must not begin at third_2 every time."""
    begin = time.perf_counter()
    text = unrolled[1].compile(np.zeros(8, np.int32), 3).text["ascendc"]
    assert time.perf_counter() - begin < 10  # 30 s when it did
    assert "constexpr int32_t third = 0;" in text and "constexpr int32_t third_3000 = 8997;" in text
