# SPDX-License-Identifier: Apache-2.0
"""BUG-12: one array, or overlapping views of one, passed as two arguments: the same memory."""

import numpy as np
import pytest
from outcomes import everywhere

import asc


@asc.jit
def bump(x: asc.GlobalAddress, z: asc.GlobalAddress, n: int):
    gx = asc.GlobalTensor()
    gx.set_global_buffer(x)
    gz = asc.GlobalTensor()
    gz.set_global_buffer(z)
    for i in range(n):
        gz.set_value(i, gx.get_value(i) + 1)
    gx.set_value(0, gz.get_value(0) * 10)


@asc.jit
def first(x: asc.GlobalAddress, z: asc.GlobalAddress):
    gx = asc.GlobalTensor()
    gx.set_global_buffer(x)
    gz = asc.GlobalTensor()
    gz.set_global_buffer(z)
    gz.set_value(0, gx.get_value(0))


def launches():
    same = np.arange(4, dtype=np.int32)
    bump[1](same, same, 4)
    x, z = np.arange(4, dtype=np.int32), np.zeros(4, np.int32)
    bump[1](x, z, 4)
    base = np.arange(6, dtype=np.int32)
    bump[1](base[:4], base[1:5], 4)
    return same.tolist(), x.tolist(), z.tolist(), base.tolist()


def launches_of_torch():
    import torch

    same = torch.arange(4, dtype=torch.int32)
    bump[1](same, same, 4)
    base = torch.arange(6, dtype=torch.int32)
    bump[1](base[:4], base[1:5], 4)
    return same.tolist(), base.tolist()


def never_written():
    """A strided array is seen through a copy; one that the kernel only reads must not be written back."""
    x = np.arange(8, dtype=np.int32)[::2]
    before = x.copy()
    z = np.zeros(4, np.int32)
    first[1](x, z)
    return np.array_equal(x, before), z.tolist()


def test_numpy(tmp_path):
    same, x, z, base = everywhere(launches, tmp_path / "cache")
    assert same == [10, 2, 3, 4]
    assert (x, z) == ([10, 1, 2, 3], [1, 2, 3, 4])
    assert base == [10, 1, 2, 3, 4, 5]


def test_torch(tmp_path):
    pytest.importorskip("torch")
    assert everywhere(launches_of_torch, tmp_path / "cache") == ([10, 2, 3, 4], [10, 1, 2, 3, 4, 5])


def test_an_argument_that_is_only_read_stays(tmp_path):
    with pytest.warns(asc.PerformanceWarning):
        assert never_written() == (True, [0, 0, 0, 0])
    fixed = np.arange(4, dtype=np.int32)
    fixed.flags.writeable = False
    z = np.zeros(4, np.int32)
    first[1](fixed, z)
    assert fixed.tolist() == [0, 1, 2, 3]
