# SPDX-License-Identifier: Apache-2.0
"""Every vector op, a kernel a family; one row of the output an op."""

import numpy as np

import asc

N = 128


@asc.jit
def unary(x: asc.GlobalAddress, z: asc.GlobalAddress):
    x_gm = asc.GlobalTensor()
    z_gm = asc.GlobalTensor()
    x_gm.set_global_buffer(x)
    z_gm.set_global_buffer(z)
    a = asc.LocalTensor(x.dtype, asc.TPosition.VECIN, 0, N)
    r = asc.LocalTensor(x.dtype, asc.TPosition.VECOUT, 1024, 7 * N)
    asc.data_copy(a, x_gm, N)
    asc.set_flag(asc.HardEvent.MTE2_V)
    asc.wait_flag(asc.HardEvent.MTE2_V)
    asc.abs(r, a, N)
    asc.exp(r[N:], a, N)
    asc.ln(r[2 * N :], a, N)
    asc.sqrt(r[3 * N :], a, N)
    asc.rsqrt(r[4 * N :], a, N)
    asc.reciprocal(r[5 * N :], a, N)
    asc.relu(r[6 * N :], a, N)
    asc.set_flag(asc.HardEvent.V_MTE3)
    asc.wait_flag(asc.HardEvent.V_MTE3)
    asc.data_copy(z_gm, r, 7 * N)


@asc.jit
def binary(x: asc.GlobalAddress, y: asc.GlobalAddress, z: asc.GlobalAddress):
    x_gm = asc.GlobalTensor()
    y_gm = asc.GlobalTensor()
    z_gm = asc.GlobalTensor()
    x_gm.set_global_buffer(x)
    y_gm.set_global_buffer(y)
    z_gm.set_global_buffer(z)
    a = asc.LocalTensor(x.dtype, asc.TPosition.VECIN, 0, N)
    b = asc.LocalTensor(x.dtype, asc.TPosition.VECIN, 512, N)
    r = asc.LocalTensor(x.dtype, asc.TPosition.VECOUT, 1024, 11 * N)
    asc.data_copy(a, x_gm, N)
    asc.data_copy(b, y_gm, N)
    asc.set_flag(asc.HardEvent.MTE2_V)
    asc.wait_flag(asc.HardEvent.MTE2_V)
    asc.add(r, a, b, N)
    asc.sub(r[N:], a, b, N)
    asc.mul(r[2 * N :], a, b, N)
    asc.div(r[3 * N :], a, b, N)
    asc.max(r[4 * N :], a, b, N)
    asc.min(r[5 * N :], a, b, N)
    asc.add_relu(r[6 * N :], a, b, N)
    asc.sub_relu(r[7 * N :], a, b, N)
    asc.duplicate(r[8 * N :], 1.5, 3 * N)
    asc.pipe_barrier(asc.PipeID.PIPE_V)
    asc.mul_add_dst(r[8 * N :], a, b, N)
    asc.fused_mul_add(r[9 * N :], a, b, N)
    asc.fused_mul_add_relu(r[10 * N :], a, b, N)
    asc.set_flag(asc.HardEvent.V_MTE3)
    asc.wait_flag(asc.HardEvent.V_MTE3)
    asc.data_copy(z_gm, r, 11 * N)


@asc.jit
def with_scalar(x: asc.GlobalAddress, z: asc.GlobalAddress, s: float):
    x_gm = asc.GlobalTensor()
    z_gm = asc.GlobalTensor()
    x_gm.set_global_buffer(x)
    z_gm.set_global_buffer(z)
    a = asc.LocalTensor(x.dtype, asc.TPosition.VECIN, 0, N)
    r = asc.LocalTensor(x.dtype, asc.TPosition.VECOUT, 1024, 6 * N)
    asc.data_copy(a, x_gm, N)
    asc.set_flag(asc.HardEvent.MTE2_V)
    asc.wait_flag(asc.HardEvent.MTE2_V)
    asc.adds(r, a, 1, N)
    asc.muls(r[N:], a, s, N)
    asc.maxs(r[2 * N :], a, s * 2, N)
    asc.mins(r[3 * N :], a, -0.25, N)
    asc.leaky_relu(r[4 * N :], a, 0.1, N)
    asc.duplicate(r[5 * N :], s, N)
    asc.pipe_barrier(asc.PipeID.PIPE_V)
    asc.axpy(r[5 * N :], a, s + 1, N)
    asc.set_flag(asc.HardEvent.V_MTE3)
    asc.wait_flag(asc.HardEvent.V_MTE3)
    asc.data_copy(z_gm, r, 6 * N)


@asc.jit
def integers(x: asc.GlobalAddress, y: asc.GlobalAddress, z: asc.GlobalAddress, distance: int):
    x_gm = asc.GlobalTensor()
    y_gm = asc.GlobalTensor()
    z_gm = asc.GlobalTensor()
    x_gm.set_global_buffer(x)
    y_gm.set_global_buffer(y)
    z_gm.set_global_buffer(z)
    a = asc.LocalTensor(x.dtype, asc.TPosition.VECIN, 0, N)
    b = asc.LocalTensor(x.dtype, asc.TPosition.VECIN, 512, N)
    r = asc.LocalTensor(x.dtype, asc.TPosition.VECOUT, 1024, 8 * N)
    asc.data_copy(a, x_gm, N)
    asc.data_copy(b, y_gm, N)
    asc.set_flag(asc.HardEvent.MTE2_V)
    asc.wait_flag(asc.HardEvent.MTE2_V)
    asc.bitwise_not(r, a, N)
    asc.bitwise_and(r[N:], a, b, N)
    asc.bitwise_or(r[2 * N :], a, b, N)
    asc.shift_left(r[3 * N :], a, 3, N)
    asc.shift_right(r[4 * N :], a, distance, N)
    asc.adds(r[5 * N :], a, -1, N)
    asc.mul(r[6 * N :], a, b, N)
    asc.duplicate(r[7 * N :], distance, N)
    asc.set_flag(asc.HardEvent.V_MTE3)
    asc.wait_flag(asc.HardEvent.V_MTE3)
    asc.data_copy(z_gm, r, 8 * N)


@asc.jit
def widened(x: asc.GlobalAddress, z: asc.GlobalAddress, s: float):
    """Half sources, float32 sums."""
    x_gm = asc.GlobalTensor()
    z_gm = asc.GlobalTensor()
    x_gm.set_global_buffer(x)
    z_gm.set_global_buffer(z)
    a = asc.LocalTensor(x.dtype, asc.TPosition.VECIN, 0, N)
    r = asc.LocalTensor(z.dtype, asc.TPosition.VECOUT, 1024, N)
    bits = r.reinterpret_cast(asc.uint16)
    asc.data_copy(a, x_gm, N)
    asc.set_flag(asc.HardEvent.MTE2_V)
    asc.wait_flag(asc.HardEvent.MTE2_V)
    asc.duplicate(bits, 0, bits.get_size())
    asc.pipe_barrier(asc.PipeID.PIPE_V)
    asc.mul_add_dst(r, a, a, N)
    asc.pipe_barrier(asc.PipeID.PIPE_V)
    asc.axpy(r, a, s, N)
    asc.set_flag(asc.HardEvent.V_MTE3)
    asc.wait_flag(asc.HardEvent.V_MTE3)
    asc.data_copy(z_gm, r, N)


def sources(count, dtype):
    rng = np.random.default_rng(11)
    if np.dtype(dtype).kind == "f":
        return [rng.normal(0, 3, N).astype(dtype) for _ in range(count)]
    info = np.iinfo(dtype)
    return [rng.integers(info.min, info.max, N, dtype, endpoint=True) for _ in range(count)]


def result(rows, dtype):
    return np.zeros(rows * N, dtype)


CASES = [
    ("unary", unary, 1, lambda: (*sources(1, np.float32), result(7, np.float32))),
    ("unary_half", unary, 1, lambda: (*sources(1, np.float16), result(7, np.float16))),
    ("binary", binary, 1, lambda: (*sources(2, np.float32), result(11, np.float32))),
    ("binary_half", binary, 1, lambda: (*sources(2, np.float16), result(11, np.float16))),
    ("with_scalar", with_scalar, 1, lambda: (*sources(1, np.float32), result(6, np.float32), 0.75)),
    ("with_scalar_half", with_scalar, 1, lambda: (*sources(1, np.float16), result(6, np.float16), 0.75)),
    ("integers", integers, 1, lambda: (*sources(2, np.int16), result(8, np.int16), 5)),
    ("widened", widened, 1, lambda: (*sources(1, np.float16), result(1, np.float32), -1.25)),
]
