# SPDX-License-Identifier: Apache-2.0
"""get_value and set_value of every dtype: values, and findings exactly where an index leaves its tensor."""

import numpy as np
import pytest

import asc

ROOM = 64
DTYPES = ["int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64", "float16", "float32"]


@asc.jit
def read_local(x: asc.GlobalAddress, out: asc.GlobalAddress, at: int, n: int):
    x_gm = asc.GlobalTensor()
    x_gm.set_global_buffer(x, n)
    out_gm = asc.GlobalTensor()
    out_gm.set_global_buffer(out, 1)
    x_ub = asc.LocalTensor(x.dtype, asc.TPosition.VECCALC, 0, n)
    for i in range(n):
        x_ub.set_value(i, x_gm.get_value(i))
    out_gm.set_value(0, x_ub.get_value(at))


@asc.jit
def write_local(x: asc.GlobalAddress, out: asc.GlobalAddress, at: int, n: int):
    x_gm = asc.GlobalTensor()
    x_gm.set_global_buffer(x, n)
    out_gm = asc.GlobalTensor()
    out_gm.set_global_buffer(out, n)
    x_ub = asc.LocalTensor(x.dtype, asc.TPosition.VECCALC, 0, n)
    for i in range(n):
        x_ub.set_value(i, x_gm.get_value(i))
    x_ub.set_value(at, x_gm.get_value(0))
    for i in range(n):
        out_gm.set_value(i, x_ub.get_value(i))


@asc.jit
def read_global(x: asc.GlobalAddress, out: asc.GlobalAddress, at: int, n: int):
    x_gm = asc.GlobalTensor()
    x_gm.set_global_buffer(x, n)
    out_gm = asc.GlobalTensor()
    out_gm.set_global_buffer(out, 1)
    out_gm.set_value(0, x_gm.get_value(at))


@asc.jit
def write_global(x: asc.GlobalAddress, out: asc.GlobalAddress, at: int, n: int):
    x_gm = asc.GlobalTensor()
    x_gm.set_global_buffer(x, n)
    out_gm = asc.GlobalTensor()
    out_gm.set_global_buffer(out, n)
    out_gm.set_value(at, x_gm.get_value(1))


def values(dtype):
    """Both ends of the type and numbers in between; float16 and float32 exactly."""
    if dtype.startswith("float"):
        return np.linspace(-2048, 2048, ROOM, dtype=np.float64).astype(dtype)
    info = np.iinfo(dtype)
    rng = np.random.default_rng(5)
    x = rng.integers(info.min, info.max, ROOM, dtype=dtype, endpoint=True)
    x[:2] = info.max, info.min
    return x


@pytest.mark.parametrize("mode", ["check", "fast"])
@pytest.mark.parametrize("dtype", DTYPES)
def test_values(dtype, mode):
    x = values(dtype)
    for at in (0, 1, ROOM // 2, ROOM - 1):
        for kernel in (read_local, read_global):
            out = np.zeros(1, dtype)
            kernel.options(mode=mode)[1](x, out, at, ROOM)
            assert out[0] == x[at]
        out = np.zeros(ROOM, dtype)
        write_local.options(mode=mode)[1](x, out, at, ROOM)
        wanted = x.copy()
        wanted[at] = x[0]
        assert (out == wanted).all()
        out = np.zeros(ROOM, dtype)
        write_global.options(mode=mode)[1](x, out, at, ROOM)
        wanted = np.zeros(ROOM, dtype)
        wanted[at] = x[1]
        assert (out == wanted).all()


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("at", [-(2**31), -ROOM, -1, ROOM, ROOM + 1, 2**31 - 1])
def test_an_index_outside_is_found(dtype, at):
    x = values(dtype)
    for kernel in (read_local, read_global, write_local, write_global):
        out = np.zeros(1 if kernel in (read_local, read_global) else ROOM, dtype)
        untouched = out.copy()
        with pytest.raises(asc.BoundsError) as caught:
            kernel[1](x, out, at, ROOM)
        assert f"element {at} of" in str(caught.value)
        assert caught.value.findings[0].kind == "bounds"
        if kernel is write_global:
            assert (out == untouched).all()


@pytest.mark.parametrize("dtype", ["int32", "float32", "int64"])
def test_fast_keeps_the_bounds(dtype):
    x = values(dtype)
    for at in (-1, ROOM):
        with pytest.raises(asc.BoundsError):
            write_global.options(mode="fast")[1](x, np.zeros(ROOM, dtype), at, ROOM)
        with pytest.raises(asc.BoundsError):
            read_global.options(mode="fast")[1](x, np.zeros(1, dtype), at, ROOM)
    with pytest.raises(asc.BoundsError):  # beyond the memory itself
        read_local.options(mode="fast")[1](x, np.zeros(1, dtype), 1 << 20, ROOM)


@pytest.mark.parametrize("dtype", ["int32", "int64", "float32"])
def test_a_read_only_array_stays_as_it_is(dtype):
    x, out = values(dtype), np.zeros(ROOM, dtype)
    out.flags.writeable = False
    with pytest.raises(asc.KernelError, match="read-only"):
        write_global[1](x, out, 3, ROOM)
    assert not out.any()


@asc.jit
def freed(x: asc.GlobalAddress, out: asc.GlobalAddress):
    x_gm = asc.GlobalTensor()
    x_gm.set_global_buffer(x, 64)
    out_gm = asc.GlobalTensor()
    out_gm.set_global_buffer(out, 1)
    pipe = asc.TPipe()
    queue = asc.TQue(asc.TPosition.VECIN, 1)
    pipe.init_buffer(queue, 1, 512)
    tile = queue.alloc_tensor(x.dtype)
    asc.data_copy(tile, x_gm, 64)
    queue.enque(tile)
    tile = queue.deque(x.dtype)
    value = tile.get_value(5)
    queue.free_tensor(tile)
    out_gm.set_value(0, value + tile.get_value(6))


@pytest.mark.parametrize("dtype", ["int32", "int64", "float32"])
def test_a_freed_tensor_is_found(dtype):
    x, out = np.arange(64).astype(dtype), np.zeros(1, dtype)
    with pytest.raises(asc.QueueError, match="used after its buffer went back"):
        freed[1](x, out)


@asc.jit
def multiply_add(x: asc.GlobalAddress, out: asc.GlobalAddress, n: int):
    x_gm = asc.GlobalTensor()
    x_gm.set_global_buffer(x, n)
    out_gm = asc.GlobalTensor()
    out_gm.set_global_buffer(out, 4)
    horner = x_gm.get_value(0)
    total = x_gm.get_value(0)
    for i in range(n):
        v = x_gm.get_value(i)
        horner = horner * v + x_gm.get_value(n - 1 - i)
        total = total + v * x_gm.get_value(n - 1 - i)
    out_gm.set_value(0, horner)
    out_gm.set_value(1, total)
    out_gm.set_value(2, horner * total + horner * horner)
    out_gm.set_value(3, (horner + total) * total + 1.0)


def test_a_product_and_a_sum_round_each():
    """Not as a fused multiply-add, which rounds once."""
    x = np.random.default_rng(3).uniform(0.5, 1.5, 256).astype(np.float32)
    out = np.zeros(4, np.float32)
    multiply_add[1](x, out, x.size)
    horner = total = x[0]
    for i in range(x.size):
        horner = np.float32(np.float32(horner * x[i]) + x[-1 - i])
        total = np.float32(total + np.float32(x[i] * x[-1 - i]))
    wanted = [
        horner,
        total,
        np.float32(horner * total) + np.float32(horner * horner),
        np.float32(np.float32(horner + total) * total) + np.float32(1),
    ]
    assert (out == np.array(wanted, np.float32)).all()


@asc.jit
def carried(x: asc.GlobalAddress, out: asc.GlobalAddress, n: int):
    x_gm = asc.GlobalTensor()
    x_gm.set_global_buffer(x, 8)
    out_gm = asc.GlobalTensor()
    out_gm.set_global_buffer(out, 17)
    kept = asc.LocalTensor(x.dtype, asc.TPosition.VECCALC, 0, 16)
    total = x_gm.get_value(0)
    last = total
    for i in range(16):
        kept.set_value(i, total)
    for i in range(n):
        v = x_gm.get_value(i % 8)
        last = total
        total = (total - v) * v
        total = total / (v + 1.5) + last * 0.25
        if i % 3 == 0:
            total = v + total
        kept.set_value(i % 16, kept.get_value(i % 16) - last)
    for i in range(16):
        out_gm.set_value(i, kept.get_value(i) + total)
    for _ in range(n):
        total = total * 0.5 + 0.75
    out_gm.set_value(16, total)


@pytest.mark.parametrize("mode", ["check", "fast"])
def test_floats_that_go_from_one_instruction_to_the_next(mode):
    """From loads, moves and arithmetic, round loops and branches; 300,000 turns take more than one go."""
    x = np.random.default_rng(4).uniform(0.5, 1.5, 8).astype(np.float32)
    n, out = 300_000, np.zeros(17, np.float32)
    carried.options(mode=mode)[1](x, out, n)
    half, quarter, more, most = (np.float32(v) for v in (0.5, 0.25, 0.75, 1.5))
    total, kept = x[0], np.full(16, x[0], np.float32)
    for i in range(n):
        v, last = x[i % 8], total
        total = (total - v) * v / (v + most) + last * quarter
        if i % 3 == 0:
            total = v + total
        kept[i % 16] -= last
    wanted = kept + total
    for _ in range(n):
        total = total * half + more
    assert (out == np.append(wanted, total)).all()
