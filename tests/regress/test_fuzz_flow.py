# SPDX-License-Identifier: Apache-2.0
"""Kernels that the random search found to go wrong: paths of control flow that meet, compile-time numbers.
Expected values are Python's."""

import host_exec
import numpy as np
import pytest

import asc
from asc.language.core.struct import Field, Struct


def run(kernel, *args, out="int32"):
    """What the simulator leaves."""
    array = np.zeros(32, out)
    kernel[1](array, *args)
    return array


def run_on_host(kernel, *args, out="int32"):
    array = np.zeros(32, out)
    text = kernel[1].compile(array, *args).text["ascendc"]
    return host_exec.run_printed(text, kernel.__name__, "AIV_ONLY", 1, [array, *args])[0]


@asc.jit
def literal_with_continue(out: asc.GlobalAddress, n: asc.int64):
    o = asc.GlobalTensor()
    o.set_global_buffer(out)
    b = 1
    for i in range(4):
        b = b + n
        if i == 1:
            continue
        o.set_value(i, b)


def test_literal_with_continue():
    assert run(literal_with_continue, 3, out="int64")[:4].tolist() == [4, 0, 10, 13]


@asc.jit
def literal_in_nested_loops(x, turns):
    c = 1
    for i1 in range(turns):
        for i2 in range(turns):
            c = x
            if i2:
                continue
    return c


@asc.jit
def calls_nested_loops(out: asc.GlobalAddress, x: asc.int64):
    o = asc.GlobalTensor()
    o.set_global_buffer(out)
    o.set_value(0, literal_in_nested_loops(x, 1))


def test_literal_in_nested_loops():
    assert run(calls_nested_loops, 7, out="int64")[0] == 7


@asc.jit
def bool_and_known_bool(out: asc.GlobalAddress, n: asc.int64):
    o = asc.GlobalTensor()
    o.set_global_buffer(out)
    d = n > 1
    for i in range(4):
        d = d and any([o.get_value(1) > 0, True])
    o.set_value(0, d)


def test_bool_and_known_bool():
    assert run(bool_and_known_bool, 3)[0] == 1


@asc.jit
def reversed_unsigned(out: asc.GlobalAddress, u: asc.uint8, first: asc.uint8):
    o = asc.GlobalTensor()
    o.set_global_buffer(out)
    count = 0
    for i in reversed(range(1, u)):
        count += 1
    o.set_value(0, count)
    for i in reversed(range(first, 2)):
        count += 10
    o.set_value(1, count)


@pytest.mark.parametrize("u, first", [(0, 1), (5, 0)])
def test_reversed_unsigned(u, first):
    count = len(range(1, u))
    assert run(reversed_unsigned, u, first)[:2].tolist() == [count, count + 10 * len(range(first, 2))]


@asc.jit
def swapped_tensors(out: asc.GlobalAddress, n: int):
    a = asc.GlobalTensor()
    a.set_global_buffer(out)
    b = asc.GlobalTensor()
    b.set_global_buffer(out + 8)
    for i in range(n):
        a, b = b, a
    b.set_value(0, 1)
    a.set_value(0, 2)


@pytest.mark.parametrize("way", [run, pytest.param(run_on_host, marks=pytest.mark.host)])
@pytest.mark.parametrize("n", [1, 2, 3])
def test_swapped_tensors(n, way):
    first, second = (1, 2) if n % 2 else (2, 1)
    result = way(swapped_tensors, n)
    assert (result[0], result[8]) == (first, second)


@asc.jit
def bound_again(out: asc.GlobalAddress, n: int):
    a = asc.GlobalTensor()
    a.set_global_buffer(out)
    b = asc.GlobalTensor()
    b.set_global_buffer(out + 8)
    cur = b
    if n > 2:
        cur = a
    a.set_global_buffer(out + 16)
    cur.set_value(0, 5)


def test_bound_again():
    with pytest.raises(asc.CompileError, match="'cur' may be the tensor 'a', whose handle line .* changes"):
        run(bound_again, 3)


@asc.jit
def bound_again_by_the_copy(out: asc.GlobalAddress, n: int):
    a = asc.GlobalTensor()
    a.set_global_buffer(out)
    cur = a
    if n > 2:
        cur = a[8:]
    cur.set_global_buffer(out + 16)
    a.set_value(0, 5)


@asc.jit
def bound_again_in_a_branch(out: asc.GlobalAddress, n: int):
    a = asc.GlobalTensor()
    a.set_global_buffer(out)
    cur = a[8:]
    if n > 2:
        cur = a
    if n > 4:
        a.set_global_buffer(out + 16)
    cur.set_value(0, 5)


@asc.jit
def bound_again_by_the_next_turn(out: asc.GlobalAddress, n: int):
    a = asc.GlobalTensor()
    a.set_global_buffer(out)
    cur = a[8:]
    for i in range(n):
        a.set_global_buffer(out + i * 4)
        cur.set_value(0, i)
        if i & 1:
            cur = a


@asc.jit
def stale_in_the_next_turn(out: asc.GlobalAddress, n: int):
    a = asc.GlobalTensor()
    a.set_global_buffer(out)
    cur = a[8:]
    if n > 2:
        cur = a
    for i in range(n):
        cur.set_value(0, i)
        a.set_global_buffer(out + i * 4)


@pytest.mark.parametrize(
    "kernel, read",
    [
        (bound_again_by_the_copy, "a.set_value(0, 5)"),
        (bound_again_in_a_branch, "cur.set_value(0, 5)"),
        (bound_again_by_the_next_turn, "cur.set_value(0, i)"),
        (stale_in_the_next_turn, "cur.set_value(0, i)"),
    ],
)
def test_a_copy_of_a_handle_that_changes_is_not_read(kernel, read):
    with pytest.raises(asc.CompileError, match="whose handle line .* changes") as error:
        run(kernel, 3)
    assert read in str(error.value)


@asc.jit
def chosen_each_turn(out: asc.GlobalAddress, n: int):
    a = asc.GlobalTensor()
    a.set_global_buffer(out)
    b = asc.GlobalTensor()
    b.set_global_buffer(out + 24)
    last = b
    for i in range(n):
        last.set_value(1, i)
        a.set_global_buffer(out + i * 4)
        cur = a
        if i & 1:
            cur = b
        cur.set_value(0, i + 1)
        last = cur
    a.set_global_buffer(out + 30)
    a.set_value(0, 9)


@pytest.mark.parametrize("way", [run, pytest.param(run_on_host, marks=pytest.mark.host)])
def test_chosen_each_turn(way):
    want = np.zeros(32, "int32")
    for i in range(4):  # a copy that is read before the handle changes, or not at all, is right
        want[25 if i in (0, 2) else 4 * i - 3] = i
        want[24 if i & 1 else 4 * i] = i + 1
    want[30] = 9
    assert way(chosen_each_turn, 4).tolist() == want.tolist()


@asc.jit
def same(tensor, other):
    other.set_value(3, 1)
    return tensor


@asc.jit
def handed_back(out: asc.GlobalAddress):
    a = asc.GlobalTensor()
    a.set_global_buffer(out)
    b = same(a, a[8:])
    c = same(a[4:], b)
    a.set_global_buffer(out + 16)
    b.set_value(0, 5)
    c.set_value(1, 6)


@pytest.mark.parametrize("way", [run, pytest.param(run_on_host, marks=pytest.mark.host)])
def test_a_tensor_that_a_function_hands_back_is_the_callers(way):
    result = way(handed_back)
    assert {i: v for i, v in enumerate(result.tolist()) if v} == {3: 1, 5: 6, 11: 1, 16: 5}


@asc.jit
def types_of_the_turns_do_not_meet(out: asc.GlobalAddress, n: int):
    o = asc.GlobalTensor()
    o.set_global_buffer(out)
    x = o.get_value(1)
    for i in range(n):
        for j in range(n):
            x = o.get_value(2) * 0.5
            if j:
                continue
            o.set_value(0, x > 0)
    o.set_value(3, int(x))


def test_an_inner_loop_that_does_not_meet_its_head_is_an_error_behind_both():
    with pytest.raises(asc.CompileError, match="'x' is int32 when the loop begins .* and float32"):
        run(types_of_the_turns_do_not_meet, 3)


@asc.jit
def follows_a_literal(out: asc.GlobalAddress, n: asc.int64):
    o = asc.GlobalTensor()
    o.set_global_buffer(out)
    y = n
    x = 1
    for i in range(3):
        o.set_value(i, y)
        y = x + i
        x = n + i


def test_a_name_that_follows_a_literal_of_a_loop_takes_its_type_too():
    assert run(follows_a_literal, 7, out="int64")[:3].tolist() == [7, 1, 8]


class Counted(Struct):
    rows = Field(asc.int32)


@asc.jit
def struct_of_a_turn(out: asc.GlobalAddress, n: int):
    o = asc.GlobalTensor()
    o.set_global_buffer(out)
    for i in range(4, 1, -1):
        counted = Counted()
        counted.rows += i * n
    o.set_value(0, counted.rows)


@pytest.mark.parametrize("way", [run, pytest.param(run_on_host, marks=pytest.mark.host)])
def test_struct_of_a_turn(way):
    assert way(struct_of_a_turn, 1)[0] == 2


@asc.jit
def known_ceiling(out: asc.GlobalAddress):
    o = asc.GlobalTensor()
    o.set_global_buffer(out)
    o.set_value(0, asc.ceildiv(asc.uint8(1), 2))


def test_known_ceiling():
    assert run(known_ceiling)[0] == 1


@asc.jit
def least_int32(out: asc.GlobalAddress, n: asc.int64):
    o = asc.GlobalTensor()
    o.set_global_buffer(out)
    o.set_value(0, -2147483648 >> n)


@pytest.mark.host
def test_least_int32():
    assert run_on_host(least_int32, 1, out="int64")[0] == -(2**30)


@asc.jit
def known_floats(out: asc.GlobalAddress, x: float):
    o = asc.GlobalTensor()
    o.set_global_buffer(out)
    known = asc.number(0.25, asc.float16) / 5
    at_run_time = asc.number(x, asc.float16) / 5
    o.set_value(0, known * known)
    o.set_value(1, at_run_time * at_run_time)


def test_known_floats():
    result = run(known_floats, 0.25, out="float32")
    assert result[0] == result[1] == np.float32(0.05) * np.float32(0.05)


@asc.jit
def comprehension_over_a_display(out: asc.GlobalAddress, n: int):
    o = asc.GlobalTensor()
    o.set_global_buffer(out)
    values = [e * e + i for i, e in enumerate((n * 3, n, o.get_value(1)))]
    o.set_value(0, values[0])
    o.set_value(1, sum([e % 11 for e in (n + 9, values[1])]))


@pytest.mark.parametrize("way", [run, pytest.param(run_on_host, marks=pytest.mark.host)])
def test_comprehension_over_a_display(way):
    assert way(comprehension_over_a_display, 5)[:2].tolist() == [225, 14 % 11 + 26 % 11]


@asc.jit
def known_float_and_literal(out: asc.GlobalAddress, x: float):
    o = asc.GlobalTensor()
    o.set_global_buffer(out)
    known = asc.float32(0.5)
    o.set_value(0, known - 0.3)
    o.set_value(1, x - 0.3)
    o.set_value(2, asc.float32(0.3) == 0.3)
    o.set_value(3, x - 0.2 == 0.3)


def test_a_literal_beside_a_float_of_a_given_type_takes_that_type():
    result = run(known_float_and_literal, 0.5, out="float32")
    half, third, fifth = np.float32(0.5), np.float32(0.3), np.float32(0.2)
    assert result[:4].tolist() == [half - third, half - third, 1, half - fifth == third]


@asc.jit
def decided_break_behind_a_continue(out: asc.GlobalAddress, n: int):
    o = asc.GlobalTensor()
    o.set_global_buffer(out)
    x = 0
    for s in asc.static_range(3):
        if n > s:
            continue
        x = 10 + s
        if s == 1:
            break
        x += 100
    else:
        x += 1000
    o.set_value(0, x)


@pytest.mark.parametrize("way", [run, pytest.param(run_on_host, marks=pytest.mark.host)])
@pytest.mark.parametrize("n, x", [(0, 11), (1, 11), (2, 1112), (3, 1000)])
def test_a_break_that_is_decided_ends_only_the_turns_that_reach_it(n, x, way):
    assert way(decided_break_behind_a_continue, n)[0] == x


@asc.jit
def left_with_another_type(out: asc.GlobalAddress, n: int, u: asc.uint32):
    o = asc.GlobalTensor()
    o.set_global_buffer(out)
    last = 1
    for i, last in enumerate((n, u)):
        if i:
            break
        if n > 7:
            continue
        o.set_value(1, last)
    o.set_value(0, last)


def test_only_the_turn_that_breaks_gives_the_type_behind_the_loop():
    assert run(left_with_another_type, 5, 8)[:2].tolist() == [8, 5]


@asc.jit
def left_early_with_another_type(out: asc.GlobalAddress, n: int):
    o = asc.GlobalTensor()
    o.set_global_buffer(out)
    for i in asc.static_range(3):
        last = 0.5 * n
        if n == i:
            o.set_value(1, 1)
            continue
        last = n + i
        if n < 9:
            break
        o.set_value(2, last)
    else:
        last = 0
    o.set_value(0, last)


@pytest.mark.parametrize("way", [run, pytest.param(run_on_host, marks=pytest.mark.host)])
def test_the_turns_that_go_on_do_not_meet_the_one_that_breaks(way):
    assert way(left_early_with_another_type, 0)[:3].tolist() == [1, 1, 0]
    assert way(left_early_with_another_type, 9)[:3].tolist() == [0, 0, 11]


@asc.jit
def else_that_jumps(out: asc.GlobalAddress, n: int, m: int):
    o = asc.GlobalTensor()
    o.set_global_buffer(out)
    x = 0
    for a in asc.static_range(3):
        for b in (1, 2, 3):
            if b * a > n:
                break
            x += a * 10 + b
        else:
            x += 1000
            if x > 2000:
                break
            if m == a:
                continue
        x += 7
    o.set_value(0, x)


def python_of_else_that_jumps(n, m):
    x = 0
    for a in range(3):
        for b in (1, 2, 3):
            if b * a > n:
                break
            x += a * 10 + b
        else:
            x += 1000
            if x > 2000:
                break
            if m == a:
                continue
        x += 7
    return x


@pytest.mark.parametrize("way", [run, pytest.param(run_on_host, marks=pytest.mark.host)])
@pytest.mark.parametrize("n, m", [(7, 9), (7, 0), (1, 0), (2, 1), (0, 2)])
def test_a_jump_in_an_unrolled_loops_else_is_the_outer_loops(n, m, way):
    assert way(else_that_jumps, n, m)[0] == python_of_else_that_jumps(n, m)


@asc.jit
def bound_in_a_chain(out: asc.GlobalAddress, n: int):
    o = asc.GlobalTensor()
    o.set_global_buffer(out)
    if 0 < n < (y := n * 2) < (z := 100 - n):
        o.set_value(0, y + z)
    while 0 < n < (w := n * 3) < 50:
        o.set_value(n, w)
        n += 1


def test_a_chain_that_holds_has_bound_its_names():
    want = [0] * 32
    want[0] = 103
    for n in range(3, 17):
        want[n] = 3 * n
    assert run(bound_in_a_chain, 3).tolist() == want
    assert not run(bound_in_a_chain, 0).any()


@asc.jit
def bound_in_an_operand(out: asc.GlobalAddress, n: int):
    o = asc.GlobalTensor()
    o.set_global_buffer(out)
    if (0 < n < (y := n * 2)) < 1:
        o.set_value(0, y)


def test_a_chain_that_is_an_operand_may_not_hold():
    with pytest.raises(asc.CompileError, match="'y' may be unset here"):
        run(bound_in_an_operand, 3)


@asc.jit
def zero_minus_an_integer(out: asc.GlobalAddress, n: int):
    o = asc.GlobalTensor()
    o.set_global_buffer(out)
    o.set_value(0, 0.0 - n)


@pytest.mark.parametrize("way", [run, pytest.param(run_on_host, marks=pytest.mark.host)])
def test_zero_minus_zero_is_positive(way):
    assert not np.signbit(way(zero_minus_an_integer, 0, out="float32")[0])
