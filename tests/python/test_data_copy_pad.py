# SPDX-License-Identifier: Apache-2.0
"""data_copy_pad: blocks of any number of bytes, padded to whole 32-byte blocks of local memory."""

import host_exec
import ml_dtypes
import numpy as np
import pytest

import asc

DTYPES = [np.int8, np.uint16, np.int32, np.float16, ml_dtypes.bfloat16, np.float32, np.int64]
GUARD = 99


@asc.jit
def through(
    x: asc.GlobalAddress,
    seen: asc.GlobalAddress,
    z: asc.GlobalAddress,
    count: int,
    length: int,
    src_gap: int,
    dst_gap: int,
    pad: bool,
    left: int,
    right: int,
    value: asc.ConstExpr,
):
    gx = asc.GlobalTensor()
    gx.set_global_buffer(x)
    gs = asc.GlobalTensor()
    gs.set_global_buffer(seen)
    gz = asc.GlobalTensor()
    gz.set_global_buffer(z)
    t = asc.LocalTensor(x.dtype, asc.TPosition.VECIN, 0, 2048)
    asc.duplicate(t.reinterpret_cast(asc.int16), GUARD, 2048 * x.dtype.sizeof() // 2)
    asc.pipe_barrier(asc.PipeID.PIPE_ALL)
    size = x.dtype.sizeof()
    copy = asc.DataCopyExtParams(count, length * size, src_gap * size, dst_gap)
    asc.data_copy_pad(t, gx, copy, asc.DataCopyPadExtParams(x.dtype, pad, left, right, value))
    asc.pipe_barrier(asc.PipeID.PIPE_ALL)
    asc.data_copy(gs, t, 2048)
    back = asc.DataCopyExtParams(count, length * size, dst_gap, src_gap * size)
    if left == 0 and right == 0:
        asc.data_copy_pad(gz, t, back)


def reference(x, count, length, src_gap, dst_gap, pad, left, right, value):
    """(local memory, which of it is defined, global memory after the copy back)."""
    size = x.dtype.itemsize
    local = np.full(2048 * size // 2, GUARD, np.int16).view(x.dtype)
    known = np.ones(2048, bool)
    z = np.zeros_like(x)
    block = -(-(left + length + right) * size // 32) * 32 // size
    for i in range(count):
        start, source = i * (block + dst_gap * 32 // size), i * (length + src_gap)
        data = x[source : source + length]
        z[source : source + length] = data
        known[start : start + block] = pad or (left == 0 and right == 0)
        local[start : start + block] = value if pad else data[0]
        local[start + left : start + left + length] = data
        known[start + left : start + left + length] = True
    return local, known, z


CASES = [
    # count, length, source gap, destination gap (32-byte blocks), pad, left, right
    (1, 10, 0, 0, True, 0, 3),
    (1, 10, 0, 0, False, 0, 0),
    (4, 7, 3, 0, True, 2, 1),
    (3, 16, 0, 2, True, 0, 0),
    (5, 9, 1, 1, False, 0, 0),
    (2, 12, 4, 0, False, 1, 2),
    (1, 1, 0, 0, True, 0, 0),
]


@pytest.mark.parametrize("case", CASES, ids=str)
@pytest.mark.parametrize("dtype", DTYPES, ids=lambda t: np.dtype(t).name)
@pytest.mark.parametrize("mode", ["check", "fast"])
def test_against_numpy(dtype, case, mode):
    value = 0 if np.dtype(dtype).itemsize == 8 else 3
    x = np.arange(1, 129).astype(dtype)
    seen, z = np.zeros(2048, dtype), np.zeros(128, dtype)
    through.options(mode=mode)[1](x, seen, z, *case, value)
    local, known, back = reference(x, *case, value)
    np.testing.assert_array_equal(seen[known], local[known])
    if case[5] == case[6] == 0:
        np.testing.assert_array_equal(z, back)


@pytest.mark.host
@pytest.mark.parametrize("case", CASES, ids=str)
def test_printed_program(case):
    x = np.arange(1, 129).astype(np.float32)
    arrays = [x, np.zeros(2048, np.float32), np.zeros(128, np.float32)]
    compiled = through[1].compile(*arrays, *case, -1.5)
    result = host_exec.compile_printed(compiled.text["ascendc"]).run("AIV_ONLY", 1, [*arrays, *case])
    local, known, back = reference(x, *case, -1.5)
    np.testing.assert_array_equal(result.arrays[1][known], local[known])
    if case[5] == case[6] == 0:
        np.testing.assert_array_equal(result.arrays[2], back)


@asc.jit
def tail(x: asc.GlobalAddress, z: asc.GlobalAddress, n: int, length: int):
    gx = asc.GlobalTensor()
    gx.set_global_buffer(x)
    gz = asc.GlobalTensor()
    gz.set_global_buffer(z)
    t = asc.LocalTensor(x.dtype, asc.TPosition.VECIN, 0, 32)
    asc.data_copy_pad(t, gx, asc.DataCopyParams(n, length), asc.DataCopyPadParams(True, 0, 1, 0x3F800000))
    asc.pipe_barrier(asc.PipeID.PIPE_ALL)
    asc.data_copy_pad(gz, t, asc.DataCopyParams(n, length))


def test_the_short_form_and_nothing_beyond_the_block():
    x, z = np.arange(1, 17, dtype=np.float32), np.full(16, 99, np.float32)
    tail[1](x, z, 1, 40)
    assert z.tolist() == [*range(1, 11), *[99] * 6]
    text = tail[1].compile(x, z, 1, 40).text["ascendc"]
    assert (
        "DataCopyPad(t, gx, AscendC::DataCopyParams(n, length, 0, 0), AscendC::DataCopyPadParams(true, 0, 1, "
        in text
    )


@pytest.mark.parametrize(
    ("n", "length", "words"),
    [
        (0, 40, "block_count is 0, not in 1 to 4095"),
        (1, 0, "block_len is 0 bytes"),
        (1, 10, "block_len is 10 bytes, not a multiple of the 4 of a float32"),
    ],
)
def test_parameters_outside_their_range(n, length, words):
    with pytest.raises(asc.KernelError, match=words) as caught:
        tail[1](np.zeros(16, np.float32), np.zeros(16, np.float32), n, length)
    assert caught.value.findings[0].id == "ASC-L112"


def test_outside_the_argument():
    with pytest.raises(asc.BoundsError, match="x"):
        tail[1](np.zeros(8, np.float32), np.zeros(16, np.float32), 1, 40)
    with pytest.raises(asc.BoundsError, match="z"):
        tail[1](np.zeros(16, np.float32), np.zeros(8, np.float32), 1, 40)
