# SPDX-License-Identifier: Apache-2.0
"""What goes wrong in pyasc, the package whose kernels run here, and must not here.

Numbers are Python's own: the same source runs as Python, on the simulator, and printed on the host.
"""

import importlib
import sys

import numpy as np
import pytest
from language_oracle import Cases

import asc

CASES = Cases()


@asc.jit
def out_of(out: asc.GlobalAddress):
    o = asc.GlobalTensor()
    o.set_global_buffer(out)
    return o


# ---- a while loop's condition is computed once, before the loop ----


@CASES.add([0] * 8, 5)
@CASES.add([0] * 8, 0)
@asc.jit
def while_counts(out: asc.GlobalAddress, n: int):
    o = out_of(out)
    i = asc.number(0, asc.int32)
    while i < n:
        i = i + 1
    o.set_value(0, i)
    j = 0
    while j * j < n:
        j += 1
    o.set_value(1, j)
    total = 0
    while n > 0 and total < 6:
        total += n
        n -= 1
    o.set_value(2, total)
    o.set_value(3, n)
    k = 10
    while not k < 4:
        while k % 3:
            k -= 1
        k -= 2
    o.set_value(4, k)


# ---- a helper is compiled once for its name ----


@asc.jit
def times(n: int, k: asc.ConstExpr[int]):
    return n * k


def another_times():
    @asc.jit
    def times(n: int, k: asc.ConstExpr[int]):
        return n + k

    return times


other_times = another_times()


@asc.jit
def half_of(v):
    return v / 2 if isinstance(v, float) else v // 2


@CASES.add([0] * 8, 10)
@asc.jit
def helpers(out: asc.GlobalAddress, n: int):
    o = out_of(out)
    o.set_value(0, times(n, 2))
    o.set_value(1, times(n, 3))
    o.set_value(2, other_times(n, 2))
    o.set_value(3, times(n, 2) + other_times(n, 3))


@asc.jit
def bytes_of(dtype):
    return dtype.sizeof()


@asc.jit
def scaled(v, k):
    return v * k


@CASES.add([0] * 8, 7)
@asc.jit
def helpers_by_type(out: asc.GlobalAddress, n: int):
    o = out_of(out)
    o.set_value(0, scaled(n, 2))
    o.set_value(1, int(scaled(n, 0.5) * 2.0))
    o.set_value(2, int(scaled(0.25, n) * 4.0))


def test_a_helper_is_specialised_by_a_dtype_and_an_argument_type():
    @asc.jit
    def kernel(out: asc.GlobalAddress, x: asc.GlobalAddress):
        o = out_of(out)
        o.set_value(0, bytes_of(asc.float16) + 10 * bytes_of(asc.float32) + 100 * bytes_of(x.dtype))
        o.set_value(1, out_of(x).get_value(1))

    for dtype, size in ((np.int8, 1), (np.int64, 8)):
        a = np.zeros(4, np.int32)
        kernel[1](a, np.array([5, 6], dtype))
        assert a[:2].tolist() == [42 + 100 * size, 6]


MODULE = """import asc

K = {k}


@asc.jit
def by_k(n):
    return n * K
"""


def test_helpers_of_one_name_from_two_modules(tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(str(tmp_path))
    for name, k in (("twofold", 2), ("threefold", 3)):
        (tmp_path / f"{name}.py").write_text(MODULE.format(k=k))
        monkeypatch.delitem(sys.modules, name, raising=False)
    importlib.invalidate_caches()
    twofold, threefold = (importlib.import_module(name) for name in ("twofold", "threefold"))

    @asc.jit
    def kernel(out: asc.GlobalAddress, n: int):
        o = out_of(out)
        o.set_value(0, twofold.by_k(n))
        o.set_value(1, threefold.by_k(n))

    a = np.zeros(4, np.int32)
    kernel[1](a, 5)
    assert a[:2].tolist() == [10, 15]
    assert kernel[1].compile(a, 5).text["ascendc"].count("inline int32_t by_k") == 2


# ---- arithmetic that is not Python's ----


@CASES.add([0] * 16, 3, -7)
@CASES.add([0] * 16, -3, 4)
@asc.jit
def arithmetic(out: asc.GlobalAddress, n: int, m: int):
    o = out_of(out)
    o.set_value(0, int(2.5 * n * 8))
    o.set_value(1, int(n * 1.5 * 8))
    o.set_value(2, int(n / 2 * 8))
    o.set_value(3, int(m / 4 * 8))
    o.set_value(4, m // 2)
    o.set_value(5, m % 5)
    o.set_value(6, n // m)
    o.set_value(7, n % m)
    o.set_value(8, int(m / 2 // 1.5))
    o.set_value(9, int(m / 2 % 1.5 * 8))
    o.set_value(10, n**2)
    o.set_value(11, ~n + ~m)
    o.set_value(12, int((n + 0.5) * (m - 0.25) * 8))
    o.set_value(13, n * 2 + m << 1 ^ 5)
    o.set_value(14, (n & 6) | (m & 9))
    o.set_value(15, abs(m) - min(n, m) + max(n, m, 1))


@CASES.add([1, 2, 3, 4], [0] * 8, 2)
@CASES.add([1, 2, 3, 4], [0] * 8, 99)
@asc.jit
def right_sides(x: asc.GlobalAddress, out: asc.GlobalAddress, n: int):
    g = asc.GlobalTensor()
    g.set_global_buffer(x, 4)
    o = out_of(out)
    o.set_value(0, 1 if n < 4 and g.get_value(n) > 2 else 0)
    o.set_value(1, 1 if n >= 4 or g.get_value(n) > 2 else 0)


@CASES.add([0] * 8, 2)
@CASES.add([0] * 8, 4)
@CASES.add([0] * 8, 0)
@asc.jit
def a_bool_and_a_number(out: asc.GlobalAddress, n: int):
    o = out_of(out)
    o.set_value(0, n < 4 and n)
    o.set_value(1, n > 3 or n)
    o.set_value(2, n < 4 and n or 50)
    small = n < 3
    o.set_value(3, (small and n + 1) + 10)


# ---- the minus of a float gives what no operator takes ----


@CASES.add([0] * 8, 3)
@asc.jit
def negated(out: asc.GlobalAddress, n: int):
    o = out_of(out)
    x = n * 0.5
    o.set_value(0, int(-x * 8))
    o.set_value(1, int((-x + 1.0) * 8))
    o.set_value(2, int(-(x * 2.0) - -x))
    o.set_value(3, int(-(-x) * 8))
    o.set_value(4, 1 if -x < 0.0 else 0)
    o.set_value(5, -n + 1)
    y = -x
    y -= 1.5
    o.set_value(6, int(-y * 8))


@pytest.mark.parametrize("dtype", [np.float16, np.float32])
def test_minus_of_an_element(dtype):
    @asc.jit
    def kernel(x: asc.GlobalAddress, out: asc.GlobalAddress):
        g = out_of(x)
        o = out_of(out)
        v = g.get_value(0)
        o.set_value(0, -v)
        o.set_value(1, -v * 2 + 1)

    x, a = np.array([2.5], dtype), np.zeros(4, dtype)
    kernel[1](x, a)
    assert a[:2].tolist() == [-2.5, -4.0]
    x[0] = 0.0
    kernel[1](x, a)
    assert np.signbit(a[0])


# ---- syntax that is refused there ----


@asc.jit
def return_anywhere(n: int) -> int:
    if n < 0:
        return -1
    for i in range(100):
        if i * i == n:
            return i
    while n > 50:
        n -= 7
        if n % 5 == 0:
            return n
    return 1000


@CASES.add([0] * 16, 49)
@CASES.add([0] * 16, -5)
@CASES.add([0] * 16, 62)
@CASES.add([0] * 16, 3)
@asc.jit
def syntax(out: asc.GlobalAddress, n: int):
    o = out_of(out)
    o.set_value(0, return_anywhere(n))
    o.set_value(1, 1 if -1 < n < 50 != 49 else 0)
    for i in range(8):
        if i == n:
            o.set_value(2, i)
            break
    else:
        o.set_value(2, -1)
    x = y = n + 1
    x += 1
    o.set_value(3, x * 100 + y)
    part = o[4:6]
    part.set_value(0, 44)
    part[1:].set_value(0, 55)
    if n > 10:
        first = 1
        second = n * 2
    elif n > 0:
        first, second = 2, n
    else:
        first = 3
        second = -n
    o.set_value(6, first)
    o.set_value(7, second)
    total = 0
    for i in range(4):
        total = total + i * 0.25
    o.set_value(8, int(total * 4.0))
    if n < 0:
        return
    o.set_value(9, 9)


def test_the_length_of_a_slice():
    @asc.jit
    def kernel(x: asc.GlobalAddress, out: asc.GlobalAddress, n: int):
        g = asc.GlobalTensor()
        g.set_global_buffer(x, 64)
        o = out_of(out)
        o.set_value(0, g[8:40].get_size())
        o.set_value(1, g[n : n + 16].get_size())
        local = asc.LocalTensor(x.dtype, asc.TPosition.VECIN, 0, 64)
        o.set_value(2, local[16:40].get_size())

    a = np.zeros(8, np.int32)
    kernel[1](np.zeros(64, np.float32), a, 5)
    assert a[:3].tolist() == [32, 16, 24]


@pytest.mark.parametrize("index", range(len(CASES.items)), ids=CASES.names)
def test_simulator_and_python(index):
    CASES.check_simulator(index)


@pytest.mark.host
def test_printed_programs_and_python():
    CASES.check_host()
