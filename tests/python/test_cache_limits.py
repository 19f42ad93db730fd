# SPDX-License-Identifier: Apache-2.0
"""What bounds the kernel cache in memory, and launches while kernels are compiled."""

import array

import pytest

import asc

MOST = 256  # specialisations that a function keeps


def launch(kernel, *arguments):
    out = array.array("i", [0] * 8)
    kernel[1](out, *arguments)
    return out[0]


def test_a_function_keeps_a_bounded_number_of_specialisations():
    @asc.jit
    def kernel(out: asc.GlobalAddress, C: asc.ConstExpr):
        o = asc.GlobalTensor()
        o.set_global_buffer(out)
        o.set_value(0, C)

    for value in range(MOST + 50):
        assert launch(kernel, value) == value
        assert launch(kernel, 0) == 0  # in use all the time: it stays
    info = kernel.cache_info()
    assert len(info["specialisations"]) == MOST
    assert info["compiled"] == MOST + 50
    assert info["hits"] == MOST + 50
    assert asc._asc.cache_drain()
    assert launch(kernel, 1) == 1  # went long ago, and comes from disk
    info = kernel.cache_info()
    assert (info["compiled"], info["disk_hits"]) == (MOST + 50, 1)
    assert len(info["specialisations"]) == MOST


class Reader:
    """Its attributes launch kernels."""

    def __init__(self):
        self.launched = 0

    @property
    def own(self):
        return launch(reads_itself)

    @property
    def table(self):
        return launch(scaled, 4)

    @property
    def deeper(self):
        self.launched += 1
        return launch(reads_deeper, self.launched)


reader = Reader()


@asc.jit
def scaled(out: asc.GlobalAddress, C: asc.ConstExpr):
    o = asc.GlobalTensor()
    o.set_global_buffer(out)
    o.set_value(0, C * 10)


@asc.jit
def reads_another(out: asc.GlobalAddress):
    o = asc.GlobalTensor()
    o.set_global_buffer(out)
    o.set_value(0, reader.table + 2)


@asc.jit
def reads_itself(out: asc.GlobalAddress):
    o = asc.GlobalTensor()
    o.set_global_buffer(out)
    o.set_value(0, reader.own)


@asc.jit
def reads_deeper(out: asc.GlobalAddress, C: asc.ConstExpr):
    o = asc.GlobalTensor()
    o.set_global_buffer(out)
    o.set_value(0, reader.deeper)


def test_a_kernel_launched_while_another_is_compiled():
    assert launch(reads_another) == 42


def test_a_kernel_that_is_launched_to_compile_itself():
    with pytest.raises(asc.CompileError) as caught:
        launch(reads_itself)
    text = str(caught.value)
    assert text.startswith(
        "RecursionError: reads_itself is launched by Python code that runs to compile it\n"
    )
    assert "o.set_value(0, reader.own)" in text and len(text) < 500
    assert isinstance(caught.value.__cause__, RecursionError)
    with pytest.raises(asc.CompileError):  # nothing is left of the first attempt
        launch(reads_itself)


def test_kernels_that_are_launched_to_compile_each_other_without_end():
    with pytest.raises(asc.CompileError) as caught:
        launch(reads_deeper, 0)
    text = str(caught.value)
    assert "reads_deeper: 8 kernels are being compiled, each for a launch by the last one" in text
    assert reader.launched == 8 and len(text) < 2500
