# SPDX-License-Identifier: Apache-2.0
"""Numbers at the ends of their types: what Python's integers say is found, computed, or printed."""

from fractions import Fraction

import host_exec
import numpy as np
import pytest

import asc

LOW, HIGH = -(2**63), 2**63 - 1


@asc.jit
def out_of(out):
    o = asc.GlobalTensor()
    o.set_global_buffer(out)
    return o


@asc.jit
def product_and_sum(out: asc.GlobalAddress, a: asc.int64, b: asc.int64):
    o = out_of(out)
    assert a >= 0 and b >= 0
    o.set_value(0, a * b + (0 - asc.get_block_idx()))


@asc.jit
def quotient(out: asc.GlobalAddress, a: asc.int64, b: asc.int64):
    out_of(out).set_value(0, a // b)


@asc.jit
def remainder(out: asc.GlobalAddress, a: asc.int64, b: asc.int64):
    out_of(out).set_value(0, a % b)


@asc.jit
def remainder32(out: asc.GlobalAddress, a: asc.int32, b: asc.int32):
    out_of(out).set_value(0, a % b)


@asc.jit
def magnitude(out: asc.GlobalAddress, a: asc.int64):
    out_of(out).set_value(0, abs(a))


@asc.jit
def magnitude32(out: asc.GlobalAddress, a: asc.int32):
    out_of(out).set_value(0, abs(a))


CASES = [
    (
        product_and_sum,
        lambda a, b: a * b,
        [(2**40, 2**40), (2**32, 2**31), (2**31, 2**31), (3, 5), (2**62, 2)],
    ),
    (quotient, lambda a, b: a // b, [(LOW, -1), (LOW + 1, -1), (LOW, 1), (LOW, 2), (HIGH, -1), (-7, 2)]),
    (remainder, lambda a, b: a % b, [(LOW, -1), (LOW, 3), (HIGH, -2), (-7, 2)]),
    (remainder32, lambda a, b: a % b, [(-(2**31), -1), (-(2**31), 3), (2**31 - 1, -2)]),
    (magnitude, abs, [(LOW,), (LOW + 1,), (HIGH,)]),
    (magnitude32, abs, [(-(2**31),), (1 - 2**31,), (2**31 - 1,)]),
]


@pytest.mark.parametrize(
    ("kernel", "python", "args"), [(k, f, args) for k, f, all_args in CASES for args in all_args]
)
def test_a_result_is_pythons_or_a_finding(kernel, python, args):
    out = np.zeros(1, np.int32 if kernel in (remainder32, magnitude32) else np.int64)
    want = python(*args)
    if not np.iinfo(out.dtype).min <= want <= np.iinfo(out.dtype).max:
        with pytest.raises(asc.ScalarError) as caught:
            kernel[1](out, *args)
        assert [f.id for f in caught.value.findings] == ["ASC-S101"]
        if kernel in (magnitude, magnitude32):
            assert f"the value {want} is outside" in str(caught.value)
        kernel.options(mode="fast")[1](out, *args)  # computes what the device would, and says nothing
        assert (
            out[0] == (want + 2**63) % 2**64 - 2**63 if out.itemsize == 8 else (want + 2**31) % 2**32 - 2**31
        )
        return
    kernel[1](out, *args)
    assert out[0] == want


@pytest.mark.host
@pytest.mark.parametrize("args", [(-(2**31), -1), (-(2**31), 3), (7, -1), (-7, 2)])
def test_a_printed_remainder_does_not_trap(args):
    out = np.zeros(1, np.int32)
    text = remainder32[1].compile(out, *args).text["ascendc"]
    assert host_exec.run_printed(text, "remainder32", "AIV_ONLY", 1, [out, *args])[0][0] == args[0] % args[1]


@asc.jit
def last_of_range(out: asc.GlobalAddress, start: asc.uint32, stop: asc.uint32, step: asc.uint32):
    o = out_of(out)
    for i in range(start, stop, step):
        o.set_value(0, i)


@asc.jit
def last_of_wide_range(out: asc.GlobalAddress, start: asc.uint64, stop: asc.uint64, step: asc.uint64):
    o = out_of(out)
    for i in range(start, stop, step):
        o.set_value(0, i)


@pytest.mark.parametrize(("kernel", "dtype"), [(last_of_range, np.uint32), (last_of_wide_range, np.uint64)])
def test_a_counter_that_wraps_around_is_found(kernel, dtype):
    """The device's `i += step` would start again from the bottom and never end."""
    most = int(np.iinfo(dtype).max)
    for start, stop, step in [
        (0, 7, 2),
        (most - 5, most, 1),
        (most - 4, most - 1, 2),
        (5, 5, most),
        (0, most, most),
    ]:
        out = np.zeros(1, dtype)
        kernel[1](out, start, stop, step)
        assert [int(out[0])] == [*range(start, stop, step)][-1:] or not range(start, stop, step)
    for start, stop, step in [(most - 3, most, 2), (1, most, most), (most - 1, most, 3)]:
        with pytest.raises(
            asc.ScalarError, match=f"steps by {step} out of uint.* \\(0 to {most}\\)"
        ) as caught:
            kernel[1](np.zeros(1, dtype), start, stop, step)
        assert [f.id for f in caught.value.findings] == ["ASC-S101"]


@asc.jit
def shifts(out: asc.GlobalAddress, a: asc.uint32, n: asc.uint32):
    o = out_of(out)
    o.set_value(0, a << n)
    o.set_value(1, a >> n)


def test_a_scalar_shift_beyond_the_width_is_a_scalar_finding():
    out = np.zeros(2, np.uint32)
    shifts[1](out, 5, 31)
    assert out.tolist() == [5 << 31 & 0xFFFFFFFF, 0]
    with pytest.raises(asc.ScalarError) as caught:
        shifts[1](out, 5, 32)
    assert [f.id for f in caught.value.findings] == ["ASC-S104", "ASC-S104"]


# An integer whose nearest float32 is not that of its nearest float64: halfway between two float32, and one.
TIE = 2**60 + 2**36 + 1


def nearest_float32(value):
    """The float32 nearest to a whole number, found without rounding twice."""
    near = np.float32(value)
    around = [np.nextafter(near, np.float32(-np.inf)), near, np.nextafter(near, np.float32(np.inf))]
    return min(around, key=lambda x: abs(Fraction(float(x)) - value))


@asc.jit
def divide_constants(out: asc.GlobalAddress):
    o = out_of(out)
    a: asc.int64 = TIE
    b: asc.int64 = 1
    o.set_value(0, a / b)
    o.set_value(1, TIE)


@asc.jit
def divide_values(out: asc.GlobalAddress, a: asc.int64, b: asc.int64):
    o = out_of(out)
    o.set_value(0, a / b)
    o.set_value(1, a)


def test_constants_divide_as_values_do():
    want = nearest_float32(TIE)
    assert want != np.float32(float(TIE))  # the case is one
    folded, computed = np.zeros(2, np.float32), np.zeros(2, np.float32)
    divide_constants[1](folded)
    divide_values[1](computed, TIE, 1)
    assert folded.tolist() == computed.tolist() == [want, want]


def test_a_list_too_long_for_any_memory_is_refused(tmp_path):
    @asc.jit
    def kernel(out: asc.GlobalAddress, n: int):
        items = [n, n, n, n] * 2**62
        out_of(out).set_value(0, items[0])

    with pytest.raises(asc.CompileError, match="this list is too long"):
        kernel[1].compile(np.zeros(1, np.int32), 1)
