# SPDX-License-Identifier: Apache-2.0
"""Kernels that the tests of arguments launch, and objects that speak one protocol each."""

import warnings

import numpy as np

import asc


@asc.jit
def bump(x: asc.GlobalAddress, y: asc.GlobalAddress, n: int):
    """y[i] = x[i] + 1, one element after the other."""
    g = asc.GlobalTensor()
    o = asc.GlobalTensor()
    g.set_global_buffer(x)
    o.set_global_buffer(y)
    for i in range(n):
        o.set_value(i, g.get_value(i) + 1)


@asc.jit
def copy(x: asc.GlobalAddress, y: asc.GlobalAddress, n: int):
    g = asc.GlobalTensor()
    o = asc.GlobalTensor()
    g.set_global_buffer(x)
    o.set_global_buffer(y)
    for i in range(n):
        o.set_value(i, g.get_value(i))


@asc.jit
def fill(x: asc.GlobalAddress, n: int, value: float):
    g = asc.GlobalTensor()
    g.set_global_buffer(x)
    for i in range(n):
        g.set_value(i, value)


@asc.jit
def total(x: asc.GlobalAddress, out: asc.GlobalAddress, n: int):
    """out[0] = sum of x; x is only read."""
    g = asc.GlobalTensor()
    o = asc.GlobalTensor()
    g.set_global_buffer(x)
    o.set_global_buffer(out)
    for i in range(n):
        o.set_value(0, o.get_value(0) + g.get_value(i))


@asc.jit
def first(x: asc.GlobalAddress, out: asc.GlobalAddress):
    g = asc.GlobalTensor()
    o = asc.GlobalTensor()
    g.set_global_buffer(x)
    o.set_global_buffer(out)
    o.set_value(0, g.get_value(0))


def quietly(call, *args):
    """The call without its PerformanceWarning: layouts are what the test is about."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", asc.PerformanceWarning)
        return call(*args)


class OnlyDLPack:
    """An array that can be had by `__dlpack__` alone, version 1 or older."""

    def __init__(self, array, versioned=True, device=(1, 0)):
        self.array, self.versioned, self.device = array, versioned, device

    def __dlpack__(self, **keywords):
        if not self.versioned:
            if keywords:
                raise TypeError("unexpected keyword arguments")
            return self.array.__dlpack__()
        return self.array.__dlpack__(**keywords)

    def __dlpack_device__(self):
        return self.device


class OnlyInterface:
    """An array that can be had by `__array_interface__` alone."""

    def __init__(self, array, **changed):
        self.array = array
        self.__array_interface__ = {**array.__array_interface__, **changed}


def as_floats(array):
    return np.asarray(array, dtype=np.float64)
