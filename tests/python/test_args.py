# SPDX-License-Identifier: Apache-2.0
"""What may be an argument: protocols, dtypes, and what is refused by name."""

import array
import ctypes
import datetime
import decimal
import fractions
import mmap
import re
import sys
import weakref

import numpy as np
import pytest
from args_kernels import OnlyDLPack, OnlyInterface, bump, copy, fill, first, quietly, total

import asc
from asc.runtime.jit import MockTensor, MockValue


@asc.jit
def number(out: asc.GlobalAddress, v):
    o = asc.GlobalTensor()
    o.set_global_buffer(out)
    o.set_value(0, v)


@asc.jit
def pinned(out: asc.GlobalAddress, v: asc.int8, w: asc.uint64, f: asc.float16):
    o = asc.GlobalTensor()
    o.set_global_buffer(out)
    o.set_value(0, v)


# ---- protocols ----


@pytest.mark.parametrize("code", "bBhHiIlLqQfd")
def test_array_array(code):
    x = array.array(code, [1, 2, 3, 4])
    y = array.array(code, [0] * 4)
    copy[1](x, y, 4)
    assert y == x


@pytest.mark.parametrize(
    "make",
    [
        lambda a: memoryview(a),
        lambda a: memoryview(a.tobytes()).cast("i"),
        lambda a: bytearray(a.tobytes()),
        lambda a: (ctypes.c_int32 * 8)(*a.tolist()),
        lambda a: OnlyDLPack(a),
        lambda a: OnlyDLPack(a, versioned=False),
        lambda a: OnlyInterface(a),
        lambda a: np.asmatrix(a),
        lambda a: array.array("i", a.tolist()),
    ],
    ids="memoryview cast bytearray ctypes dlpack dlpack-old interface matrix array.array".split(),
)
def test_every_protocol_reads_the_same(make):
    a = np.arange(8, dtype=np.int32) * 3
    x = make(a)
    y = np.zeros(32, np.uint8) if isinstance(x, bytearray) else np.zeros(8, np.int32)
    copy[1](x, y, y.size)
    assert y.view(np.int32).tolist() == a.tolist()


@pytest.mark.parametrize("wrap", [OnlyDLPack, OnlyInterface, memoryview], ids=lambda w: w.__name__)
def test_every_protocol_is_written_in_place(wrap):
    a = np.zeros(8, np.float32)
    fill[1](wrap(a), 8, 2.5)
    assert a.tolist() == [2.5] * 8


@pytest.mark.parametrize("wrap", [OnlyDLPack, OnlyInterface, memoryview], ids=lambda w: w.__name__)
def test_every_protocol_sees_strides_in_logical_order(wrap):
    a = np.arange(24, dtype=np.int32).reshape(4, 6)
    y = np.zeros(12, np.int32)
    with pytest.warns(asc.PerformanceWarning, match="argument 'x' is not contiguous"):
        copy[1](wrap(a[:, ::2]), y, 12)
    assert y.tolist() == a[:, ::2].ravel().tolist()
    with pytest.warns(asc.PerformanceWarning, match="argument 'y' is not contiguous"):
        copy[1](y + 100, wrap(a[:, 1::2]), 12)
    assert a[:, 1::2].ravel().tolist() == (y + 100).tolist()


@pytest.mark.parametrize("wrap", [OnlyDLPack, OnlyInterface, memoryview], ids=lambda w: w.__name__)
def test_every_protocol_says_what_is_read_only(wrap):
    a = np.zeros(8, np.float32)
    a.flags.writeable = False
    with pytest.raises(asc.KernelError, match="argument `x`, a read-only array: element 0"):
        fill[1](wrap(a), 8, 2.5)
    assert not a.any()
    out = np.zeros(1, np.float32)
    total[1](wrap(a), out, 8)  # reading is fine


def test_the_buffer_goes_before_dlpack_and_that_before_the_interface():
    data = {name: np.full(1, value, np.int32) for name, value in (("d", 2), ("i", 3))}

    class Both:
        def __dlpack__(self, **keywords):
            return data["d"].__dlpack__(**keywords)

        def __dlpack_device__(self):
            return (1, 0)

        __array_interface__ = data["i"].__array_interface__

    class All(Both, ctypes.c_int32):
        pass

    out = np.zeros(1, np.int32)
    first[1](Both(), out)
    assert out[0] == 2
    first[1](All(1), out)
    assert out[0] == 1


def test_memory_maps(tmp_path):
    path = tmp_path / "x.bin"
    np.arange(8, dtype=np.float32).tofile(path)
    m = np.memmap(path, np.float32, "r+")
    bump[1](m, m, 8)
    m.flush()
    assert np.fromfile(path, np.float32).tolist() == [i + 1.0 for i in range(8)]
    with open(path, "r+b") as f, mmap.mmap(f.fileno(), 0) as raw:
        out = np.zeros(32, np.uint8)
        copy[1](raw, out, 32)
        assert out.tobytes() == raw[:]


def test_bytes_are_read_only():
    out = np.zeros(4, np.uint8)
    copy[1](b"\x01\x02\x03\x04", out, 4)
    assert out.tolist() == [1, 2, 3, 4]
    with pytest.raises(asc.KernelError, match="read-only"):
        copy[1](out, b"\0\0\0\0", 4)


def test_a_dlpack_object_that_copies_is_refused():
    class Copies(OnlyDLPack):
        def __dlpack__(self, **keywords):
            return self.array.__dlpack__(max_version=(1, 0), copy=True)

    with pytest.raises(TypeError, match=r"fill\(\) argument 'x': its __dlpack__ gives a copy"):
        fill[1](Copies(np.zeros(4, np.float32)), 4, 1.0)


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        (lambda: 1 / 0, r"gives no tensor \(division by zero\)"),
        (lambda: 5, "returned a int, no DLPack capsule"),
        (lambda: None, "returned a NoneType"),
    ],
)
def test_a_broken_dlpack_is_named(answer, message):
    class Broken:
        def __dlpack__(self, **keywords):
            return answer()

    with pytest.raises(TypeError, match="argument 'x': its __dlpack__ " + message):
        fill[1](Broken(), 4, 1.0)
    x = np.zeros(4, np.float32)
    fill[1](x, 4, 1.0)
    assert x.tolist() == [1.0] * 4


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"data": None}, "no address"),
        ({"data": ("a", False)}, "no address"),
        ({"typestr": 5}, "no typestr"),
        ({"typestr": ">f4"}, "big-endian"),
        ({"typestr": "<c8"}, "not supported"),
        ({"shape": None}, "shape and strides"),
        ({"strides": (4, 4, 4)}, "shape and strides"),
        ({"mask": np.zeros(4, bool)}, "mask"),
    ],
)
def test_a_broken_array_interface_is_named(changed, message):
    with pytest.raises(TypeError, match=f"argument 'x'.*{message}"):
        fill[1](OnlyInterface(np.zeros(4, np.float32), **changed), 4, 1.0)


# ---- dtypes ----

NUMPY_DTYPES = "bool int8 int16 int32 int64 uint8 uint16 uint32 uint64 float16 float32 float64".split()


@pytest.mark.parametrize("dtype", NUMPY_DTYPES)
def test_every_dtype_of_numpy_moves_bit_for_bit(dtype):
    rng = np.random.default_rng(7)
    a = (
        rng.integers(0, 2, 16).astype(bool)
        if dtype == "bool"
        else rng.integers(0, 0x70, 16 * 8).astype(np.uint8)
    )
    x = a if dtype == "bool" else a.view(dtype)[:16].copy()
    y = np.zeros_like(x)
    copy[1](x, y, 16)
    assert y.tobytes() == x.tobytes()


def test_bfloat16_of_ml_dtypes():
    ml_dtypes = pytest.importorskip("ml_dtypes")
    x = np.arange(16).astype(ml_dtypes.bfloat16)
    y = np.zeros_like(x)
    bump[1](x, y, 16)
    assert y.astype(np.float32).tolist() == [i + 1.0 for i in range(16)]
    quietly(bump[1], x[::-2], y[::2], 8)
    assert y[::2].astype(np.float32).tolist() == [i + 1.0 for i in range(15, 0, -2)]
    y.flags.writeable = False
    with pytest.raises(asc.KernelError, match="read-only"):
        bump[1](x, y, 16)
    with pytest.raises(TypeError, match="arrays of float8_e4m3fn are not supported"):
        copy[1](x.astype(ml_dtypes.float8_e4m3fn), y, 16)


def test_float64_may_be_copied_and_vector_ops_say_what_to_pass():
    @asc.jit
    def add(x: asc.GlobalAddress, y: asc.GlobalAddress):
        g = asc.GlobalTensor()
        g.set_global_buffer(x)
        a = asc.LocalTensor(x.dtype, asc.TPosition.VECIN, 0, 64)
        b = asc.LocalTensor(x.dtype, asc.TPosition.VECOUT, 1024, 64)
        asc.add(b, a, a, 64)

    x = np.zeros(64)
    with pytest.raises(asc.CompileError) as caught:
        add[1](x, x)
    assert (
        "x is float64, numpy's default; Add takes float16, float32, int16, int32: pass x.astype('float32') "
        "(torch: x.float())" in str(caught.value)
    )


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: np.zeros(4, ">f4"), r"big-endian; pass x.astype\(x.dtype.newbyteorder\('='\)\)"),
        (lambda: np.zeros(4, ">i8"), "big-endian"),
        (lambda: np.zeros(4, np.complex64), "complex64 are not supported; pass x.real and x.imag"),
        (lambda: np.zeros(4, "datetime64[s]"), r"datetime64\[s\] are not supported; pass x.view\('int64'\)"),
        (
            lambda: np.zeros(4, "timedelta64[ms]"),
            r"timedelta64\[ms\] are not supported; pass x.view\('int64'\)",
        ),
        (lambda: np.array([None] * 4), r"object are not supported; pass x.astype\('float32'\)"),
        (lambda: np.zeros(4, [("a", "f4"), ("b", "i4")]), "structured array: pass one field"),
        (lambda: np.array(["ab"]), "arrays of str64 are not supported"),
        (lambda: np.array([b"ab"]), "arrays of bytes16 are not supported"),
        (lambda: np.zeros(4, np.longdouble), r"are not supported; pass x.astype\('float32'\)"),
        (lambda: np.ma.array([1.0, 2.0], mask=[0, 1]), r"masked array.*pass x.filled\(value\)"),
        (lambda: array.array("u", "ab"), "buffer format"),
        (lambda: (ctypes.c_char_p * 2)(), "not supported"),
        (lambda: memoryview(b"abcd").cast("c"), "buffer format 'c'"),
        (lambda: 1j, "got complex|complex numbers are not supported"),
        (lambda: np.complex64(1), "got numpy.complex64"),
        (lambda: range(4), "got range"),
        (lambda: [np.zeros(4)], "got list: pass a numpy array or torch tensor, or asc.pointers"),
        (lambda: (1.0, 2.0), "got tuple"),
        (lambda: "x", "got str"),
        (lambda: None, "got None"),
        (lambda: 5, "got int"),
        (lambda: 5.0, "got float"),
        (lambda: True, "got bool"),
        (lambda: np.float32(5), "got numpy.float32"),
        (lambda: asc.float32, "got "),
        (lambda: np.float32, "got type"),
        (lambda: object(), "got object"),
        (lambda: decimal.Decimal(1), "got decimal.Decimal"),
        (lambda: fractions.Fraction(1), "got Fraction"),
        (lambda: datetime.datetime(2020, 1, 1), "got datetime.datetime"),
        (lambda: fill, "got asc.JITFunction"),
        (lambda: MockValue(asc.float32), "got MockValue"),
    ],
)
def test_what_is_no_array_fails_at_the_call(make, message):
    """Cold and warm, before anything is compiled; the next call works."""

    @asc.jit
    def fresh(x: asc.GlobalAddress, n: int, value: float):
        g = asc.GlobalTensor()
        g.set_global_buffer(x)
        for i in range(n):
            g.set_value(i, value)

    good = np.zeros(4, np.float32)
    value = make()
    for _ in range(2):
        with pytest.raises(TypeError, match=r"fresh\(\) argument 'x': .*" + message):
            fresh[1](value, 4, 1.0)
        fresh[1](good, 4, 3.0)
    assert good.tolist() == [3.0] * 4
    assert fresh.cache_info()["misses"] == 1


def test_a_string_annotation_is_known_too():
    @asc.jit
    def fresh(x: "asc.GlobalAddress"):
        g = asc.GlobalTensor()
        g.set_global_buffer(x)

    with pytest.raises(TypeError, match=r"fresh\(\) argument 'x': the parameter is an asc.GlobalAddress"):
        fresh[1](3)


def test_an_array_may_be_left_out_where_the_default_is_none():
    @asc.jit
    def affine(x: asc.GlobalAddress, y: asc.GlobalAddress, bias: asc.GlobalAddress = None):
        g = asc.GlobalTensor()
        o = asc.GlobalTensor()
        g.set_global_buffer(x)
        o.set_global_buffer(y)
        v = g.get_value(0) * 2
        if bias is not None:
            b = asc.GlobalTensor()
            b.set_global_buffer(bias)
            v = v + b.get_value(0)
        o.set_value(0, v)

    x, y, bias = np.full(1, 4, np.int32), np.zeros(1, np.int32), np.full(1, 100, np.int32)
    affine[1](x, y)
    assert y[0] == 8
    affine[1](x, y, bias)
    assert y[0] == 108
    affine[1](x, y, None)
    assert y[0] == 8
    with pytest.raises(TypeError, match="argument 'bias': .*got int"):
        affine[1](x, y, 3)


def test_more_types_than_are_kept_in_mind():
    """Each launch finds again what a type is, however many others came between."""
    rng = np.random.default_rng(7)
    kinds = [type(f"Kind{i}", ((int, float, np.ndarray)[i % 3],), {}) for i in range(300)]
    out = np.zeros(1, np.float32)
    for i in [*range(300), *rng.permutation(300), *rng.permutation(300)]:
        value = np.zeros(1, np.float32).view(kinds[i]) if i % 3 == 2 else kinds[i](i)
        if i % 3 == 2:
            fill[1](value, 1, float(i))
            assert value.tolist() == [float(i)]
        else:
            fill[1](out, 1, value)
            assert out.tolist() == [float(i)]


def test_objects_that_only_convert_to_arrays_say_so():
    class Converts:
        def __array__(self, *args, **kwargs):
            return np.zeros(4)

    class Cuda:
        __cuda_array_interface__ = {"data": (0, False)}

    array = np.zeros(4)
    for value in (Converts(), Cuda(), weakref.proxy(array)):
        with pytest.raises(
            TypeError,
            match=r"argument 'v': a (Converts|Cuda|weak\w+|weakref\.\w+) gives no memory .* in place",
        ):
            number[1](np.zeros(1, np.int32), value)


@pytest.mark.skipif(
    "pandas" not in sys.modules and not __import__("importlib.util").util.find_spec("pandas"),
    reason="no pandas",
)
def test_pandas_series():
    import pandas

    with pytest.raises(TypeError, match="argument 'x'"):
        fill[1](pandas.Series([1.0, 2.0]), 2, 1.0)


def test_a_released_buffer():
    m = memoryview(bytearray(8))
    m.release()
    with pytest.raises(ValueError, match="argument 'x': its buffer cannot be had"):
        copy[1](m, bytearray(8), 8)


# ---- numbers ----


@pytest.mark.parametrize("value", [2**63, -(2**63) - 1, 10**30])
def test_integers_beyond_64_bits_are_named(value):
    with pytest.raises(OverflowError, match=r"number\(\) argument 'v': the integer does not fit in 64 bits"):
        number[1](np.zeros(1, np.int64), value)


@pytest.mark.parametrize("value", [2**63 - 1, -(2**63), 2**31, -(2**31) - 1, 0, -1])
def test_64_bit_integers_arrive_whole(value):
    out = np.zeros(1, np.int64)
    number[1](out, value)
    assert out[0] == value


@pytest.mark.parametrize("value", [2**64 - 1, 2**63, 5])
def test_uint64_of_numpy_arrives_whole(value):
    out = np.zeros(1, np.uint64)
    number[1](out, np.uint64(value))
    assert int(out[0]) == value


@pytest.mark.parametrize("value", [1e39, -1e300])
def test_floats_beyond_float32_are_named(value):
    with pytest.raises(OverflowError, match=r"argument 'v': .* is not a value of float32"):
        number[1](np.zeros(1, np.float32), value)
    with pytest.raises(OverflowError, match=r"argument 'v': .* is not a value of float32"):
        number[1](np.zeros(1, np.float32), np.float64(value))


@pytest.mark.parametrize("value", [float("inf"), float("-inf"), 0.1, -0.0])
def test_other_floats_arrive_as_the_nearest_float32(value):
    out = np.ones(1, np.float32)
    number[1](out, value)
    assert out.tobytes() == np.float32(value).tobytes()


@pytest.mark.parametrize(
    ("args", "error", "message"),
    [
        ((128, 0, 0.0), OverflowError, "'v': 128 is not a value of int8"),
        ((np.uint64(2**64 - 1), 0, 0.0), OverflowError, f"'v': {2**64 - 1} is not a value of int8"),
        ((1.0, 0, 0.0), TypeError, "'v': 1 is not a value of int8|'v': 1.0 is not a value of int8"),
        ((1, -1, 0.0), OverflowError, "'w': -1 is not a value of uint64"),
        ((1, 2**64, 0.0), OverflowError, "'w': the integer does not fit"),
        ((1, 0, 1e6), OverflowError, "'f': .* is not a value of float16"),
        ((1, 0, 70000), OverflowError, "'f': .* is not a value of float16"),
        (
            (np.zeros(1), 0, 0.0),
            TypeError,
            r"'v': the parameter is a number, int8, got numpy.ndarray; pass v.item\(\)",
        ),
    ],
)
def test_pinned_parameters(args, error, message):
    out = np.zeros(1, np.int8)
    with pytest.raises(error, match=r"pinned\(\) argument " + f"(?:{message})"):
        pinned[1](out, *args)
    pinned[1](out, -128, 2**64 - 1, 65504.0)
    assert out[0] == -128


@pytest.mark.parametrize("scalar", [np.datetime64(1, "s"), np.str_("a"), np.longdouble(1), np.complex128(1)])
def test_numpy_scalars_without_a_dtype_here(scalar):
    with pytest.raises(TypeError, match=r"number\(\) argument 'v': numpy scalars of .* are not supported"):
        number[1](np.zeros(1, np.int32), scalar)


def test_mocks_compile_and_have_no_memory():
    text = (
        bump[1]
        .compile(MockTensor(asc.float32), MockTensor(asc.float32), MockValue(asc.int32))
        .text["ascendc"]
    )
    assert "__gm__ float* x" in text
    with pytest.raises(TypeError, match=r"bump\(\) argument 'x': the value is a mock"):
        bump[1](MockTensor(asc.float32), MockTensor(asc.float32), 3)


def test_every_message_is_one_line():
    with pytest.raises(TypeError) as caught:
        fill[1](np.zeros(4, complex), 4, 1.0)
    assert re.fullmatch(r"[^\n]+", str(caught.value))
