# SPDX-License-Identifier: Apache-2.0
"""Scalars and offsets that pyasc refuses or gets wrong: unsigned numbers, casts, bools, far addresses."""

import itertools
import mmap

import host_exec
import numpy as np
import pytest

import asc
from asc.runtime.jit import MockTensor

UNSIGNED = (np.uint8, np.uint16, np.uint32, np.uint64)
INTS = ("int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64")
DTYPES = (*INTS, "float16", "float32")
every_unsigned = pytest.mark.parametrize("dtype", UNSIGNED, ids=lambda d: d.__name__)


@asc.jit
def out_of(out: asc.GlobalAddress):
    o = asc.GlobalTensor()
    o.set_global_buffer(out)
    return o


# ---- arithmetic and comparison of unsigned values ----


@asc.jit
def unsigned(x: asc.GlobalAddress, out: asc.GlobalAddress, n):
    o = out_of(out)
    v = out_of(x).get_value(0)
    o.set_value(0, v + n)
    o.set_value(1, v - n)
    o.set_value(2, v // n)
    o.set_value(3, v % n)
    o.set_value(4, v >> 3)
    o.set_value(5, v & 27 | 64)
    o.set_value(6, 1 if v > n else 0)
    o.set_value(7, 1 if 1 <= n < v else 0)
    o.set_value(8, 1 if v == n else 0)
    count = 0
    for i in range(n):
        if i < n:
            count += 1
    o.set_value(9, count)
    o.set_value(10, v ^ n)
    o.set_value(11, min(v, n) + max(n, 1))


def numpys(x, n):
    """The same over NumPy scalars of one type: they wrap as unsigned values do."""
    v, one = x[0], type(n)(1)
    with np.errstate(over="ignore"):
        return [v + n, v - n, v // n, v % n, v >> 3, v & 27 | 64, v > n, one <= n < v, v == n, n, v ^ n,
                min(v, n) + max(n, one)]  # fmt: skip


def cases_of(dtype):
    top = np.iinfo(dtype).max
    return [
        (np.array([value], dtype), dtype(n))
        for value, n in ((200, 5), (5, 5), (top, 7), (top - 1, 3), (0, 9))
    ]


@every_unsigned
def test_unsigned_elements_and_arguments(dtype):
    for x, n in cases_of(dtype):
        a = np.zeros(16, dtype)
        unsigned[1](x, a, n)
        assert a[:12].tolist() == [int(v) for v in numpys(x, n)], (x, n)


@pytest.mark.host
def test_printed_unsigned_arithmetic():
    launches = [(dtype, case) for dtype in UNSIGNED for case in cases_of(dtype)]
    texts = {}
    for dtype, (x, n) in launches:
        texts.setdefault(dtype, unsigned[1].compile(x, np.zeros(16, dtype), n).text["ascendc"])
    programs = dict(zip(texts, host_exec.compile_batch(texts.values())))
    for dtype, (x, n) in launches:
        a = programs[dtype].run("AIV_ONLY", 1, [x, np.zeros(16, dtype), n]).arrays[1]
        assert a[:12].tolist() == [int(v) for v in numpys(x, n)], (x, n)


@asc.jit
def wrapping(x: asc.GlobalAddress, out: asc.GlobalAddress, n):
    """What leaves the type wraps before the next operation sees it."""
    o = out_of(out)
    v = out_of(x).get_value(0)
    o.set_value(0, (v + n) // 2)
    o.set_value(1, (v - n) % 7)
    o.set_value(2, 1 if v + n > n else 0)
    o.set_value(3, (v * n) >> 1)
    o.set_value(4, ~v // 3)
    o.set_value(5, -v // 2)
    o.set_value(6, (v << 3) // 2)
    o.set_value(7, int((v + n) * 0.5))


def wrapped_by_numpy(v, n):
    t = type(v)
    with np.errstate(over="ignore"):
        half = np.float32(v + n) * np.float32(0.5)
        return [(v + n) // t(2), (v - n) % t(7), v + n > n, (v * n) >> t(1), ~v // t(3), (t(0) - v) // t(2),
                (v << t(3)) // t(2), int(half)]  # fmt: skip


@every_unsigned
def test_wrap_around_inside_an_expression(dtype):
    v, n = dtype(np.iinfo(dtype).max - 55), dtype(100)
    a = np.zeros(8, dtype)
    wrapping[1](np.array([v]), a, n)
    assert a.tolist() == [int(w) for w in wrapped_by_numpy(v, n)]


@pytest.mark.host
def test_printed_wrap_around():
    texts = [
        wrapping[1].compile(np.zeros(1, dtype), np.zeros(8, dtype), dtype(1)).text["ascendc"]
        for dtype in UNSIGNED
    ]
    for dtype, program in zip(UNSIGNED, host_exec.compile_batch(texts)):
        v, n = dtype(np.iinfo(dtype).max - 55), dtype(100)
        a = program.run("AIV_ONLY", 1, [np.array([v]), np.zeros(8, dtype), n]).arrays[1]
        assert a.tolist() == [int(w) for w in wrapped_by_numpy(v, n)]


def test_queries_take_part_in_arithmetic():
    @asc.jit
    def kernel(out: asc.GlobalAddress):
        o = out_of(out)
        o.set_value(0, asc.get_sub_block_num() + 1)
        o.set_value(1, asc.get_block_num() * 3 - asc.get_block_idx())
        o.set_value(2, 1 if asc.get_sub_block_num() > asc.get_sub_block_idx() else 0)

    a = np.zeros(8, np.int32)
    kernel[1](a)
    assert a[:3].tolist() == [2, 3, 1]


@pytest.mark.parametrize(
    ("operand", "words"), [(np.int64(3), "uint64.*int64|int64.*uint64"), (-1, "cast|unsigned|uint64")]
)
def test_what_has_no_common_type_asks_for_a_cast(operand, words):
    @asc.jit
    def kernel(x: asc.GlobalAddress, n, K: asc.ConstExpr):
        g = out_of(x)
        g.set_value(0, g.get_value(0) + (n if K is None else K))

    with pytest.raises(asc.CompileError, match=words) as caught:
        kernel[1](np.zeros(4, np.uint64), np.int64(3), None if isinstance(operand, np.int64) else operand)
    assert "cast" in str(caught.value)


# ---- casts ----


@asc.jit
def cast_element(x: asc.GlobalAddress, out: asc.GlobalAddress):
    o = out_of(out)
    g = out_of(x)
    for i in range(3):
        o.set_value(i, g.get_value(i).cast(o.dtype))


def values_of(source, target):
    values = [100, 7, 0]
    if not source.startswith("u") and not target.startswith("u"):
        values[1] = -99
    if source.startswith("float"):
        values[2] = 2.75
    return np.array(values, source)


def cast_by_numpy(x, target):
    return x.astype(target)[:3].tolist()


@pytest.mark.parametrize(("source", "target"), list(itertools.product(DTYPES, DTYPES)))
def test_every_cast(source, target):
    x, a = values_of(source, target), np.zeros(4, target)
    cast_element[1](x, a)
    assert a[:3].tolist() == cast_by_numpy(x, target)


def large_unsigned():
    """Values whose highest bit is set: read as signed numbers they would be negative."""
    largest = {"float16": 60_000, "int64": 2**63 - 1}
    for source, target in itertools.product(UNSIGNED, ("float32", "float16", "uint64", "int64")):
        top = int(np.iinfo(source).max)
        values = [min(v, largest.get(target, top)) for v in (top - 3, top // 2 + 1, 129)]
        yield np.array(values, source), target


def test_large_unsigned_numbers_stay_positive():
    for x, target in large_unsigned():
        a = np.zeros(4, target)
        cast_element[1](x, a)
        assert a[:3].tolist() == cast_by_numpy(x, target), (x, target)


@pytest.mark.host
def test_printed_casts_of_large_unsigned_numbers():
    cases = list(large_unsigned())
    texts = [cast_element[1].compile(x, np.zeros(4, target)).text["ascendc"] for x, target in cases]
    for (x, target), program in zip(cases, host_exec.compile_batch(texts)):
        a = program.run("AIV_ONLY", 1, [x, np.zeros(4, target)]).arrays[1]
        assert a[:3].tolist() == cast_by_numpy(x, target), (x, target)


@pytest.mark.host
def test_printed_casts():
    pairs = list(itertools.product(DTYPES, DTYPES))
    texts = [
        cast_element[1].compile(MockTensor(getattr(asc, s)), MockTensor(getattr(asc, t))).text["ascendc"]
        for s, t in pairs
    ]
    for (source, target), program in zip(pairs, host_exec.compile_batch(texts)):
        x = values_of(source, target)
        a = program.run("AIV_ONLY", 1, [x, np.zeros(4, target)]).arrays[1]
        assert a[:3].tolist() == cast_by_numpy(x, target), (source, target)


# ---- bool arguments ----


@asc.jit
def bools(out: asc.GlobalAddress, a: bool, n: int, b: bool, c: bool, x: float, d: bool):
    o = out_of(out)
    o.set_value(0, 1 if a else 0)
    o.set_value(1, n)
    o.set_value(2, 10 if b else 20)
    o.set_value(3, 30 if not c else 40)
    o.set_value(4, int(x * 2.0))
    o.set_value(5, a + b + c + d)


def bool_cases():
    for bits in range(16):
        a, b, c, d = (bool(bits >> i & 1) for i in range(4))
        wanted = [int(a), -5, 10 if b else 20, 40 if c else 30, 3, a + b + c + d]
        yield (a, -5, np.bool_(b), c, 1.5, np.bool_(d)), wanted


def test_bool_arguments():
    for args, wanted in bool_cases():
        out = np.zeros(8, np.int32)
        bools[1](out, *args)
        assert out[:6].tolist() == wanted


@pytest.mark.host
def test_printed_bool_arguments():
    out = np.zeros(8, np.int32)
    text = bools[1].compile(out, True, -5, True, True, 1.5, True).text["ascendc"]
    assert "bool a, int32_t n, bool b, bool c, float x, bool d" in text
    program = host_exec.compile_printed(text)
    for args, wanted in bool_cases():
        assert program.run("AIV_ONLY", 1, [out, *args]).arrays[0][:6].tolist() == wanted


# ---- addresses: any sign, 64 bits ----


@asc.jit
def offsets(x: asc.GlobalAddress, out: asc.GlobalAddress, n: int):
    o = out_of(out)
    o.set_value(0, out_of(x + 8 + n).get_value(0))
    o.set_value(1, out_of((x + 8) - 3).get_value(0))
    o.set_value(2, out_of(x + n + 8).get_value(1))
    o.set_value(3, out_of(n + (x + 8)).get_value(0))
    o.set_value(4, out_of(x + -1 + 6).get_value(0))


@pytest.mark.parametrize("n", [-8, -3, 0, 5])
def test_negative_offsets(n):
    x, a = np.arange(16, dtype=np.int32), np.zeros(8, np.int32)
    offsets[1](x, a, n)
    assert a[:5].tolist() == [8 + n, 5, 9 + n, 8 + n, 5]


@pytest.mark.host
def test_printed_negative_offsets():
    x, a = np.arange(16, dtype=np.int32), np.zeros(8, np.int32)
    program = host_exec.compile_printed(offsets[1].compile(x, a, -3).text["ascendc"])
    assert program.run("AIV_ONLY", 1, [x, a, -3]).arrays[1][:5].tolist() == [5, 5, 6, 5, 5]


@asc.jit
def far(x: asc.GlobalAddress, n: asc.int64, rows: int, cols: int):
    g = out_of(x + n)
    g.set_value(0, 7)
    out_of(x + rows * cols).set_value(1, 8)


def test_offsets_past_32_bits():
    size = 2**32 + 4096
    try:
        memory = mmap.mmap(-1, size, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | 0x4000)  # MAP_NORESERVE
    except OSError:
        pytest.skip("no address space for an array of 4 GiB")
    x = np.frombuffer(memory, np.int8)
    far[1](x, 2**32 + 5, 65_536, 65_536)
    assert (x[2**32 + 5], x[2**32 + 1], x[5], x[1]) == (7, 8, 0, 0)


@pytest.mark.parametrize("n", [-1, -(2**40), 2**32, 2**40])
def test_an_offset_outside_is_found_at_its_true_place(n):
    x = np.zeros(16, np.int8)
    with pytest.raises(asc.BoundsError) as caught:
        far[1](x, n, 0, 0)
    finding = caught.value.findings[0]
    assert (finding.buffer, finding.range) == ("x", (n, n + 1))
    assert x.tolist() == [0, 8] + [0] * 14
