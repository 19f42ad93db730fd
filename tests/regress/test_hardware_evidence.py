# SPDX-License-Identifier: Apache-2.0
"""Public measurements on an Ascend 910B4 that the simulator must agree with, as far as its ops exist."""

import warnings

import numpy as np
import pytest
from outcomes import findings_of

import asc


@asc.jit
def copy_out(x: asc.GlobalAddress, z: asc.GlobalAddress, n: int):
    """UB to GM at fixed addresses: the first n elements."""
    gx = asc.GlobalTensor()
    gx.set_global_buffer(x)
    gz = asc.GlobalTensor()
    gz.set_global_buffer(z)
    t = asc.LocalTensor(x.dtype, asc.TPosition.VECOUT, 0, 64)
    asc.data_copy(t, gx, 64)
    asc.set_flag(asc.HardEvent.MTE2_MTE3, 0)
    asc.wait_flag(asc.HardEvent.MTE2_MTE3, 0)
    asc.data_copy(gz, t, n)


@asc.jit
def copy_out_of_a_queue(x: asc.GlobalAddress, z: asc.GlobalAddress, n: int):
    """The same with queues and a vector op between."""
    gx = asc.GlobalTensor()
    gx.set_global_buffer(x)
    gz = asc.GlobalTensor()
    gz.set_global_buffer(z)
    pipe = asc.TPipe()
    x_in = asc.TQue(asc.TPosition.VECIN, 1)
    z_out = asc.TQue(asc.TPosition.VECOUT, 1)
    pipe.init_buffer(x_in, 1, 256)
    pipe.init_buffer(z_out, 1, 256)
    t = x_in.alloc_tensor(x.dtype)
    asc.data_copy(t, gx, 64)
    x_in.enque(t)
    t = x_in.deque(x.dtype)
    u = z_out.alloc_tensor(x.dtype)
    asc.adds(u, t, 0, 64)
    z_out.enque(u)
    x_in.free_tensor(t)
    u = z_out.deque(x.dtype)
    asc.data_copy(gz, u, n)
    z_out.free_tensor(u)


KERNELS = pytest.mark.parametrize("kernel", [copy_out, copy_out_of_a_queue], ids=lambda k: k.__name__)
X = np.arange(1, 65, dtype=np.float32)


def launch(kernel, n, **options):
    z = np.full(64, 99, np.float32)
    kernel.options(**options)[1](X, z, n)
    return z


@KERNELS
@pytest.mark.parametrize("size", [4, 16])
def test_4_and_16_bytes_change_nothing(kernel, size):
    with pytest.warns(UserWarning, match=f"{size} bytes"):
        z = launch(kernel, size // 4, on_finding="warn")
    assert (z == 99).all()
    z = np.full(64, 99, np.float32)
    found = findings_of(lambda: kernel[1](X, z, size // 4), asc.AlignmentError)
    assert [f.id for f in found] == ["ASC-A102"]
    assert (z == 99).all()


@KERNELS
@pytest.mark.parametrize("size", [32, 64, 256])
def test_32_and_64_bytes_are_exact(kernel, size):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        z = launch(kernel, size // 4)
    assert np.array_equal(z[: size // 4], X[: size // 4]) and (z[size // 4 :] == 99).all()


@KERNELS
@pytest.mark.parametrize(("size", "moved"), [(36, 32), (60, 32), (100, 96), (252, 224)])
def test_the_count_form_rounds_down_to_whole_blocks(kernel, size, moved):
    with pytest.warns(UserWarning, match=f"{size} bytes"):
        z = launch(kernel, size // 4, on_finding="warn")
    assert np.array_equal(z[: moved // 4], X[: moved // 4]) and (z[moved // 4 :] == 99).all()


@KERNELS
def test_fast_mode_rounds_down_as_well(kernel):
    z = launch(kernel, 9, mode="fast")
    assert np.array_equal(z[:8], X[:8]) and (z[8:] == 99).all()


def test_fixed_addresses_reserve_nothing():
    """Two tensors may be made at one address: they are the same bytes."""

    @asc.jit
    def shared(x: asc.GlobalAddress, z: asc.GlobalAddress):
        gx = asc.GlobalTensor()
        gx.set_global_buffer(x)
        gz = asc.GlobalTensor()
        gz.set_global_buffer(z)
        t = asc.LocalTensor(x.dtype, asc.TPosition.VECIN, 0, 64)
        u = asc.LocalTensor(x.dtype, asc.TPosition.VECOUT, 0, 64)
        asc.data_copy(t, gx, 64)
        asc.set_flag(asc.HardEvent.MTE2_MTE3, 0)
        asc.wait_flag(asc.HardEvent.MTE2_MTE3, 0)
        asc.data_copy(gz, u, 64)

    z = np.zeros(64, np.float32)
    shared[1](X, z)
    assert np.array_equal(z, X)
