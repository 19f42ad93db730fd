# SPDX-License-Identifier: Apache-2.0
"""Kernels that the random search once found to go wrong, made small; expected values are Python's."""

import numpy as np
import pytest

import asc

TILE = 1


def run(kernel, *args, out="int32", cores=1):
    array = np.zeros(8, out)
    kernel[cores](array, *args)
    return array.tolist()


def refused(kernel, *args):
    with pytest.raises(asc.CompileError) as caught:
        run(kernel, *args)
    return str(caught.value)


@asc.jit
def both(x, y):
    return (x, y)


@asc.jit
def name_twice_in_a_target(out: asc.GlobalAddress, s: asc.int16):
    o = asc.GlobalTensor()
    o.set_global_buffer(out)
    q, q, q = (1, 1, s)
    for i in range(1):
        q, q = (q, 1)
    o.set_value(0, q)


def test_name_twice_in_a_target():
    assert run(name_twice_in_a_target, 7)[0] == 1


@asc.jit
def folded_remainder(out: asc.GlobalAddress):
    o = asc.GlobalTensor()
    o.set_global_buffer(out)
    best, q = ((1 | TILE) % 1, 1)
    o.set_value(0, o.get_value(0) < best != 1)
    o.set_value(1, best + q)


def test_folded_remainder():
    assert run(folded_remainder)[:2] == [int(0 < 0 != 1), 1]


@asc.jit
def typed_literals(out: asc.GlobalAddress):
    o = asc.GlobalTensor()
    o.set_global_buffer(out)
    o.set_value(0, asc.float16(0.001))
    o.set_value(1, asc.float32(0.1) == 0.1)


def test_typed_literals_are_rounded():
    assert run(typed_literals, out="float32")[0] == np.float32(np.float16(0.001))


@asc.jit
def unpacked_twice(out: asc.GlobalAddress, m: int):
    o = asc.GlobalTensor()
    o.set_global_buffer(out)
    pair = [1, m]
    a, t = pair
    e, best = pair
    o.set_value(0, a + t * 10 + e * 100 + best * 1000)


def test_unpacked_twice():
    assert run(unpacked_twice, 4)[0] == 4141


@asc.jit
def literal_of_another_path(out: asc.GlobalAddress, n: int):
    o = asc.GlobalTensor()
    o.set_global_buffer(out)
    c = 1
    for i in range(3):
        c = n
        c = o.get_value(1) + 2**40
    o.set_value(0, c)


def test_literal_of_another_path():
    assert run(literal_of_another_path, 3, out="int64")[0] == 2**40


@asc.jit
def name_that_no_path_reads(out: asc.GlobalAddress, m: int):
    o = asc.GlobalTensor()
    o.set_global_buffer(out)
    k: asc.uint32 = 1
    for g in range(1, 4):
        k = 1 < 3
    for s, total in zip([m, 1], (1, 1)):
        k = 1
    o.set_value(0, k)


def test_name_that_no_path_reads():
    assert run(name_that_no_path_reads, 2)[0] == 1


@asc.jit
def unsigned_ceiling(out: asc.GlobalAddress, u: asc.uint8, v: asc.uint8):
    o = asc.GlobalTensor()
    o.set_global_buffer(out)
    o.set_value(0, asc.ceildiv(u, v))
    o.set_value(1, asc.ceildiv(u, 3))
    o.set_value(2, asc.ceildiv(1, u))


@pytest.mark.parametrize("u, v", [(12, 5), (254, 255), (255, 1), (1, 255), (255, 255)])
def test_unsigned_ceiling(u, v):
    assert run(unsigned_ceiling, u, v)[:3] == [-(-u // v), -(-u // 3), 1]


@asc.jit
def unsigned_downwards(out: asc.GlobalAddress):
    o = asc.GlobalTensor()
    o.set_global_buffer(out)
    total = 0
    for i in asc.range(asc.uint32(3), 0, -1):
        total = total * 10 + i
    o.set_value(0, total)


def test_unsigned_downwards():
    assert run(unsigned_downwards)[0] == 321


@asc.jit
def results_into_a_name_that_may_be_unset(out: asc.GlobalAddress, n: int):
    o = asc.GlobalTensor()
    o.set_global_buffer(out)
    for i in range(n):
        k = i
    else:
        k, half = both(n, 1)
    o.set_value(0, k)


def test_results_into_a_name_that_may_be_unset():
    assert run(results_into_a_name_that_may_be_unset, 5)[0] == 5
    assert run(results_into_a_name_that_may_be_unset, 0)[0] == 0


@asc.jit
def negative_literal_and_unsigned(out: asc.GlobalAddress, n: int, u: asc.uint32):
    o = asc.GlobalTensor()
    o.set_global_buffer(out)
    for s, half in enumerate((n, u)):
        pass
    for i in range(1):
        half = half = -1
    else:
        half = 1
    o.set_value(0, half)


def test_negative_literal_that_nobody_reads():
    assert run(negative_literal_and_unsigned, 1, 3)[0] == 1


@asc.jit
def unsigned_then_negative(out: asc.GlobalAddress, n: int, u: asc.uint32):
    o = asc.GlobalTensor()
    o.set_global_buffer(out)
    half = u + 1
    for i in range(n):
        half = -1
    o.set_value(0, half)


@asc.jit
def unsigned_then_fitting(out: asc.GlobalAddress, n: int, u: asc.uint32):
    o = asc.GlobalTensor()
    o.set_global_buffer(out)
    half = u + 1
    for i in range(n):
        half = 9
    o.set_value(0, half)


@asc.jit
def unsigned_then_counter(out: asc.GlobalAddress, n: int, u: asc.uint32):
    o = asc.GlobalTensor()
    o.set_global_buffer(out)
    c = 0
    for i in range(3):
        c = c - 1
    half = u + 1
    while n > 0:
        half = c
        n = n - 1
    o.set_value(0, half)


def test_literals_take_a_heads_type_where_they_fit():
    assert run(unsigned_then_fitting, 0, 3)[0] == 4
    assert run(unsigned_then_fitting, 2, 3)[0] == 9
    for kernel in (unsigned_then_negative, unsigned_then_counter):
        text = refused(kernel, 2, 3)
        assert "'half'" in text
        assert "uint32" in text


@asc.jit
def only_in_a_while(out: asc.GlobalAddress, n: int):
    o = asc.GlobalTensor()
    o.set_global_buffer(out)
    while n > 5:
        k = 1
        n = n - 1
    o.set_value(0, k)


@asc.jit
def always_in_a_while(out: asc.GlobalAddress, n: int):
    o = asc.GlobalTensor()
    o.set_global_buffer(out)
    while True:
        k = n
        n = n - 1
        if n < 5:
            break
    o.set_value(0, k)


def test_names_that_a_while_sets():
    assert "'k' may be unset here" in refused(only_in_a_while, 9)
    assert run(always_in_a_while, 9)[0] == 5


# ---- misspelt and misunderstood


@asc.jit
def misspelt_op(out: asc.GlobalAddress):
    asc.data_cpoy(out, out, 8)


@asc.jit
def misspelt_method(out: asc.GlobalAddress):
    o = asc.GlobalTensor()
    o.set_global_buffer(out)
    o.set_valeu(0, 1)


@asc.jit
def misspelt_member(out: asc.GlobalAddress):
    asc.pipe_barrier(asc.PipeID.V)


@asc.jit
def misspelt_keyword(out: asc.GlobalAddress):
    t = asc.LocalTensor(asc.int32, asc.TPosition.VECCALC, 0, 64)
    asc.duplicate(t, 1, cnt=64)


@asc.jit
def misspelt_name(out: asc.GlobalAddress, length: int):
    o = asc.GlobalTensor()
    o.set_global_buffer(out)
    o.set_value(0, lenght)  # noqa: F821


@asc.jit
def element_by_index(out: asc.GlobalAddress, n: int):
    o = asc.GlobalTensor()
    o.set_global_buffer(out)
    o.set_value(0, o[n + 1] * 2)


@asc.jit
def element_stored(out: asc.GlobalAddress, n: int):
    o = asc.GlobalTensor()
    o.set_global_buffer(out)
    o.set_value(0, o[n])


@asc.jit
def sum_of_tensors(out: asc.GlobalAddress):
    t = asc.LocalTensor(asc.int32, asc.TPosition.VECCALC, 0, 64)
    u = asc.LocalTensor(asc.int32, asc.TPosition.VECCALC, 256, 64)
    asc.duplicate(t + u, 1, 64)


@asc.jit
def scaled_tensor(out: asc.GlobalAddress):
    t = asc.LocalTensor(asc.int32, asc.TPosition.VECCALC, 0, 64)
    asc.duplicate(t * 2, 1, 64)


@asc.jit
def shape_of_an_address(out: asc.GlobalAddress):
    o = asc.GlobalTensor()
    o.set_global_buffer(out, out.shape[0])


@pytest.mark.parametrize(
    "kernel, args, hint",
    [
        (misspelt_op, (), "did you mean asc.data_copy?"),
        (misspelt_method, (), "did you mean set_value?"),
        (misspelt_member, (), "did you mean asc.PipeID.PIPE_V?"),
        (misspelt_keyword, (), "did you mean count=?"),
        (misspelt_name, (3,), "did you mean length?"),
        (element_by_index, (3,), "o[n + 1] is a view that starts at element n + 1; write o.get_value(n + 1)"),
        (element_stored, (3,), "o[n] is a view that starts at element n; write o.get_value(n)"),
        (sum_of_tensors, (), "write asc.add(dst, t, u, count)"),
        (scaled_tensor, (), "write asc.muls(dst, t, 2, count)"),
        (
            shape_of_an_address,
            (),
            "an address has no shape on the device: pass the number of elements as an argument",
        ),
    ],
)
def test_hints(kernel, args, hint):
    assert hint in refused(kernel, *args)


@asc.jit
def quotient_of_typed_numbers(n):
    if n:
        return asc.int32(1) / 1
    return float(n)


@asc.jit
def calls_it(out: asc.GlobalAddress, n: int):
    o = asc.GlobalTensor()
    o.set_global_buffer(out)
    o.set_value(0, quotient_of_typed_numbers(n))


def test_a_quotient_of_typed_numbers_is_a_float():
    assert run(calls_it, 3, out="float32")[0] == 1.0
    assert run(calls_it, 0, out="float32")[0] == 0.0


@asc.jit
def typed_numbers(out: asc.GlobalAddress):
    o = asc.GlobalTensor()
    o.set_global_buffer(out)
    small: asc.int8 = 100
    o.set_value(0, small + small - small)
    wraps: asc.uint8 = 200
    o.set_value(1, wraps + wraps)
    o.set_value(2, 3 - wraps)


@asc.jit
def typed_number_kept(out: asc.GlobalAddress):
    o = asc.GlobalTensor()
    o.set_global_buffer(out)
    small: asc.int8 = 100
    both_of_them = small + small
    o.set_value(0, both_of_them)


@asc.jit
def typed_number_compared(out: asc.GlobalAddress):
    o = asc.GlobalTensor()
    o.set_global_buffer(out)
    small: asc.int8 = 100
    o.set_value(0, small + small > 150)


def test_typed_numbers_may_leave_their_type_on_the_way():
    assert run(typed_numbers)[:3] == [100, (200 + 200) % 256, (3 - 200) % 256]
    for kernel in (typed_number_kept, typed_number_compared):
        assert "the result 200 does not fit int8" in refused(kernel)


# ---- what a plain helper reads


class Settings:
    a = 1


SETTINGS = Settings()
SCALE = 10


def of_an_object(n):
    return n + SETTINGS.a


def in_a_comprehension(n):
    return sum(SCALE for _ in range(n))


@asc.jit
def reads_through_helpers(out: asc.GlobalAddress):
    o = asc.GlobalTensor()
    o.set_global_buffer(out)
    o.set_value(0, of_an_object(5))
    o.set_value(1, in_a_comprehension(3))


def test_changes_that_a_helper_would_see(monkeypatch):
    assert run(reads_through_helpers)[:2] == [6, 30]
    monkeypatch.setattr(SETTINGS, "a", 7)
    assert run(reads_through_helpers)[:2] == [12, 30]
    monkeypatch.setitem(globals(), "SCALE", 4)
    assert run(reads_through_helpers)[:2] == [12, 12]


def test_many_helpers_that_call_each_other(tmp_path):
    source = ["import asc", "", "@asc.jit", "def f0(x):", "    return x", ""]
    for i in range(1, 700):
        source += ["@asc.jit", f"def f{i}(x):", f"    return f{i - 1}(x)", ""]
    source += ["@asc.jit", "def kernel(out: asc.GlobalAddress, n: int):", "    f699(n)", ""]
    path = tmp_path / "deep.py"
    path.write_text("\n".join(source))
    module = {"__name__": "deep", "__file__": str(path)}
    exec(compile(path.read_text(), str(path), "exec"), module)
    assert "more than 500 functions call each other" in refused(module["kernel"], 1)


@asc.jit
def ceiling_keeps_its_type(out: asc.GlobalAddress, u: asc.uint16):
    o = asc.GlobalTensor()
    o.set_global_buffer(out)
    half = 1
    half -= asc.ceildiv(u, 1)
    o.set_value(0, half)


def test_ceiling_keeps_its_type():
    assert run(ceiling_keeps_its_type, 173)[0] == (1 - 173) % 2**16


@asc.jit
def spoilt_by_another_target(out: asc.GlobalAddress, m: int, x: float):
    o = asc.GlobalTensor()
    o.set_global_buffer(out)
    a = 1
    a, a = (m & 1023, 1)
    for i in range(3):
        a = a / 2
    o.set_value(0, a)
    d = 0
    if m:
        d = 1
    if m > 5:
        pass
    else:
        d = m
        d = x
    o.set_value(1, d)


def test_a_literal_belongs_to_its_path():
    assert run(spoilt_by_another_target, 3, 2.5, out="float32")[:2] == [0.125, 2.5]
    assert run(spoilt_by_another_target, 9, 2.5, out="float32")[:2] == [0.125, 1.0]


LOW = 1


@asc.jit
def constant_quotient(out: asc.GlobalAddress, n: int, C: asc.ConstExpr[int]):
    o = asc.GlobalTensor()
    o.set_global_buffer(out)
    c = (e := (C // (LOW & 1))) + n
    o.set_value(0, c + e)


def test_constant_quotient():
    array = np.zeros(8, np.int32)
    assert "asc_floor_div" not in constant_quotient[1].compile(array, 2, 5).text["ascendc"]
    assert run(constant_quotient, 2, 5)[0] == 12
    assert "asc_floor_mod" not in folded_remainder[1].compile(array).text["ascendc"]


@asc.jit
def wide_order(out: asc.GlobalAddress, m: asc.int64):
    o = asc.GlobalTensor()
    o.set_global_buffer(out)
    o.set_value(0, max(1 >> m, m))


def test_wide_order_names_its_type():
    array = np.zeros(8, np.int32)
    assert "asc_max<int64_t>(1" in wide_order[1].compile(array, 3).text["ascendc"]
    assert run(wide_order, 3)[0] == 3
