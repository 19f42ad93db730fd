# SPDX-License-Identifier: Apache-2.0
"""Functions, binding times, objects: specialisation, arguments, results, closures, methods, containers."""

import dataclasses

import numpy as np
import pytest
from language_oracle import Cases

import asc
from asc.runtime.jit import MockTensor

CASES = Cases()
WIDTHS = [3, 5, 7]


@dataclasses.dataclass(frozen=True)
class Shape:
    rows: int = 4
    cols: int = 6

    @property
    def size(self):
        return self.rows * self.cols


SHAPE = Shape()


def twice(x):
    return 2 * x


@asc.jit
def out_of(out: asc.GlobalAddress):
    o = asc.GlobalTensor()
    o.set_global_buffer(out)
    return o


@asc.jit
def scale(v: int, by: int = 2, *, plus=0) -> int:
    return v * by + plus


@CASES.add([0] * 8, 7, 3)
@asc.jit
def arguments(out: asc.GlobalAddress, n: int, k: asc.ConstExpr[int]):
    o = out_of(out)
    o.set_value(0, scale(n))
    o.set_value(1, scale(n, by=k))
    o.set_value(2, scale(by=k, v=n))
    o.set_value(3, scale(n, k, plus=n))
    o.set_value(4, scale(1) + scale(scale(2)))


@asc.jit
def helper(n: int, k: asc.ConstExpr[int]):
    total = 0
    for _ in asc.static_range(k):
        total += n
    return total


@CASES.add([0] * 8, 10)
@asc.jit
def specialised_by_value(out: asc.GlobalAddress, n: int):
    o = out_of(out)
    o.set_value(0, helper(n, 2))
    o.set_value(1, helper(n, 3))
    o.set_value(2, helper(n, 2))


@asc.jit
def several(a, b):
    smaller = a
    larger = b
    if a > b:
        smaller, larger = b, a
    return smaller, larger, (a + b, "sum")


@CASES.add([0] * 8, 9, 4)
@CASES.add([0] * 8, 4, 9)
@asc.jit
def tuples(out: asc.GlobalAddress, a: int, b: int):
    o = out_of(out)
    low, high, (total, word) = several(a, b)
    o.set_value(0, low)
    o.set_value(1, high)
    o.set_value(2, total if word == "sum" else -1)
    result = several(high, low)
    o.set_value(3, result[0] * 100 + result[2][0])
    a, b = pair((b, a), 3)
    o.set_value(4, a)
    o.set_value(5, b)
    for _ in range(2):
        a, b = pair((a, b), 1)
    o.set_value(6, a * 100 + b)


@asc.jit
def pair(items, k):
    x, y = items
    return x + k, y * k


def make_adder(amount):
    @asc.jit
    def add(v: int) -> int:
        return v + amount

    return add


add_three, add_nine = make_adder(3), make_adder(9)


@CASES.add([0] * 8, 10)
@asc.jit
def closures(out: asc.GlobalAddress, n: int):
    o = out_of(out)
    o.set_value(0, add_three(n))
    o.set_value(1, add_nine(n))
    o.set_value(2, add_three(add_nine(n)))


@asc.jit
def apply(f, v: int, times: asc.ConstExpr[int]):
    for _ in asc.static_range(times):
        v = f(v)
    return v


@CASES.add([0] * 8, 1)
@asc.jit
def functions_as_arguments(out: asc.GlobalAddress, n: int):
    o = out_of(out)
    o.set_value(0, apply(add_three, n, 2))
    o.set_value(1, apply(add_nine, n, 3))
    o.set_value(2, apply(scale, n, 4))


@CASES.add([0] * 8, 5)
@asc.jit
def compile_time_objects(out: asc.GlobalAddress, n: int):
    o = out_of(out)
    o.set_value(0, SHAPE.size * n)
    o.set_value(1, twice(SHAPE.rows) + n)
    for i in asc.static_range(len(WIDTHS)):
        o.set_value(2 + i, WIDTHS[i] * n)
    other = Shape(cols=8)
    o.set_value(5, other.size)
    named = {"n": n, "k": 3}
    total = 0
    for key, value in named.items():
        total += value * len(key)
    o.set_value(6, total)


@asc.jit
def fill_row(row, value: int, count: int):
    for i in range(count):
        row.set_value(i, value + i)


@CASES.add([0] * 16, 3)
@asc.jit
def views_by_value(out: asc.GlobalAddress, n: int):
    o = out_of(out)
    fill_row(o, 10, n)
    fill_row(o[n:], 20, n)
    fill_row(o[2 * n : 3 * n], 30, n)


@asc.jit
def bind_to(tensor, address, offset: int):
    tensor.set_global_buffer(address + offset)


@CASES.add([0] * 16, 3)
@asc.jit
def untyped_tensor_through_helpers(out: asc.GlobalAddress, n: int):
    o = asc.GlobalTensor()
    bind_to(o, out, n)
    o.set_value(0, 7)
    alias = o
    bind_to(alias, out, n + 2)
    o.set_value(0, 8)


@CASES.add([0] * 8, 4)
@asc.jit
def lists_of_runtime_values(out: asc.GlobalAddress, n: int):
    o = out_of(out)
    nums = [n, n + 1, n * 2]
    n = n + 100
    o.set_value(0, nums[0] + nums[1] + nums[-1])
    o.set_value(1, len(nums))
    nums.append(n)
    o.set_value(2, max(nums))
    parts = nums[1:]
    o.set_value(3, len(parts) + parts[0])
    squares = [v * v for v in nums[:2]]
    o.set_value(4, squares[0] + squares[1])
    joined = (n, 1) + (2, n)
    o.set_value(5, joined[0] - joined[3] + joined[1] * 10 + joined[2])
    both = [n] * 2
    o.set_value(6, both[0] + both[1])
    o.set_value(7, 1 if any([n > 3, n < 0]) and all([n > 3, n > 4]) else 0)


class Ops:
    factor = 3
    __hidden = 1000

    def __init__(self, base):
        self.base = base
        self.parts = [1, 2]

    def total(self):
        return sum(self.parts) + self.base

    @asc.jit
    def add(self, v: int) -> int:
        return v * self.factor + self.base

    @staticmethod
    @asc.jit
    def negate(v: int) -> int:
        return -v

    @asc.jit
    def with_hidden(self, v: int) -> int:
        return v + self.__hidden


OPS = Ops(5)


def test_methods():
    @asc.jit
    def kernel(out: asc.GlobalAddress, n: int):
        o = out_of(out)
        o.set_value(0, OPS.add(n))
        o.set_value(1, Ops.negate(n))
        o.set_value(2, OPS.with_hidden(n))
        put = o.set_value
        put(3, n)
        put(4, n + 1)

    a = np.zeros(8, np.int32)
    kernel[1](a, 7)
    assert a[:5].tolist() == [26, -7, 1007, 7, 8]


def test_two_functions_of_one_name_are_two():
    def make(k):
        @asc.jit
        def same(v: int) -> int:
            return v + k

        return same

    first, second = make(1), make(2)

    @asc.jit
    def kernel(out: asc.GlobalAddress, n: int):
        o = out_of(out)
        o.set_value(0, first(n))
        o.set_value(1, second(n))

    a = np.zeros(4, np.int32)
    kernel[1](a, 10)
    assert a[:2].tolist() == [11, 12]
    assert kernel[1].compile(a, 10).text["ascendc"].count("inline int32_t same") == 2


def test_a_changed_global_a_redefined_helper_and_a_changed_attribute_are_seen():
    class Config:
        bias = 100

    @asc.jit
    def kernel(out: asc.GlobalAddress):
        o = out_of(out)
        o.set_value(0, STATE["k"] + CONFIG.bias)

    global STATE, CONFIG
    STATE, CONFIG = {"k": 1}, Config
    a = np.zeros(4, np.int32)
    seen = []
    for change in (lambda: None, lambda: STATE.update(k=2), lambda: setattr(Config, "bias", 200)):
        change()
        kernel[1](a)
        seen.append(int(a[0]))
    assert seen == [101, 102, 202]


def test_a_dtype_argument_specialises():
    @asc.jit
    def size_of(dtype):
        return dtype.sizeof()

    @asc.jit
    def kernel(x: asc.GlobalAddress, out: asc.GlobalAddress):
        o = out_of(out)
        o.set_value(0, size_of(x.dtype) * 10 + size_of(asc.float16))

    a = np.zeros(4, np.int32)
    kernel[1](np.zeros(4, np.float32), a)
    assert a[0] == 42


def test_element_type_of_a_second_buffer():
    @asc.jit
    def kernel(x: asc.GlobalAddress, y: asc.GlobalAddress):
        t = asc.GlobalTensor()
        t.set_global_buffer(x)
        t.set_global_buffer(y)

    with pytest.raises(asc.CompileError) as error:
        kernel[1].compile(MockTensor(asc.float32), MockTensor(asc.float16))
    text = str(error.value)
    line = kernel.fn.__code__.co_firstlineno
    assert f"'t' is GlobalTensor<float32> since line {line + 3}, this buffer holds float16" in text
    assert "t.set_global_buffer(y)" in text and "t.set_global_buffer(x)" in text


def test_by_reference_only_where_the_handle_changes():
    @asc.jit
    def kernel(out: asc.GlobalAddress, n: int):
        o = asc.GlobalTensor()
        bind_to(o, out, n)
        fill_row(o, 1, n)

    text = kernel[1].compile(np.zeros(8, np.int32), 2).text["ascendc"]
    assert (
        "void bind_to(AscendC::GlobalTensor<int32_t>& tensor, __gm__ int32_t* address, int32_t offset)"
        in text
    )
    assert "void fill_row(AscendC::GlobalTensor<int32_t> row, int32_t value, int32_t count)" in text


def test_what_a_python_method_reads_of_its_object_is_kept_in_mind():
    ops = Ops(5)

    @asc.jit
    def kernel(out: asc.GlobalAddress):
        o = out_of(out)
        o.set_value(0, ops.total())

    a = np.zeros(4, np.int32)
    seen = []
    for change in (lambda: None, lambda: ops.parts.append(10), lambda: setattr(ops, "base", 100)):
        change()
        kernel[1](a)
        seen.append(int(a[0]))
    assert seen == [8, 18, 113]
    kernel[1](a)
    assert kernel.cache_info()["hits"] == 1


@asc.jit
def bump(o, i: int, v: int) -> int:
    o.set_value(i, o.get_value(i) + v)
    return o.get_value(i)


@CASES.add([0] * 16, 3)
@asc.jit
def effects_in_order(out: asc.GlobalAddress, n: int):
    o = out_of(out)
    x = bump(o, 0, 1) * 10 + bump(o, 0, 1)
    o.set_value(1, x)
    y = o.get_value(0) + bump(o, 0, n) + o.get_value(0)
    o.set_value(2, y)
    o.set_value(3, bump(o, 0, 1) if n > 2 else bump(o, 0, 100))
    a, b = bump(o, 0, 1), bump(o, 0, 1)
    o.set_value(4, a * 100 + b)
    if n > 100 and bump(o, 0, 1000) > 0:
        o.set_value(5, 1)
    if n > 0 or bump(o, 0, 1000) > 0:
        o.set_value(6, 1)
    t = (bump(o, 0, 1), bump(o, 0, 1))
    o.set_value(7, t[1] * 10 + t[0])
    while bump(o, 8, 1) < 4:
        pass
    o.set_value(9, min(bump(o, 8, 1), bump(o, 8, 1)))
    o.set_value(bump(o, 10, 11), bump(o, 10, 1))
    o.set_value(12, 1 if 0 < bump(o, 8, 1) < bump(o, 8, 1) < 3 else 2)
    o.set_value(13, scale(bump(o, 8, 1), plus=bump(o, 8, 1)) + bump(o, 8, 1))


def test_enums_asserts_and_text():
    @asc.jit
    def kernel(out: asc.GlobalAddress, n: int, f: float):
        o = out_of(out)
        where = asc.TPosition.VECIN
        if n > 2:
            where = asc.TPosition.VECOUT
        t = asc.LocalTensor(asc.float32, where, 0, 64)
        assert n < 10, f"n is {n}"
        print("n", n, f"{f} and {n + 1!r}", sep="; ")
        o.set_value(0, 1 if t.get_position() == asc.TPosition.VECOUT else 2)
        o.set_value(1, 1 if where == asc.TPosition.VECIN else 2)

    text = kernel[1].compile(np.zeros(4, np.int32), 3, 1.5).text["ascendc"]
    assert "AscendC::TPosition where = AscendC::TPosition::VECIN;" in text
    assert 'ascendc_assert(n < 10, "n is %d", n);' in text
    assert '"n; %d; %f and %d\\n", n, f, n + 1' in text
    a = np.zeros(4, np.int32)
    kernel[1](a, 3, 1.5)
    assert a[:2].tolist() == [1, 2]
    kernel[1](a, 1, 1.5)
    assert a[:2].tolist() == [2, 1]


@pytest.mark.parametrize("index", range(len(CASES.items)), ids=CASES.names)
def test_simulator(index):
    CASES.check_simulator(index)


@pytest.mark.host
def test_printed_programs():
    CASES.check_host()
