# SPDX-License-Identifier: Apache-2.0
"""Arrays that no memory can hold, objects that change while they are looked at: refused, never a crash."""

import numpy as np
import pytest
from args_kernels import copy

import asc


class Interface:
    """An object of another library: its memory by __array_interface__ alone."""

    def __init__(self, array, **changes):
        self.array = array
        self.interface = {**array.__array_interface__, **changes}

    @property
    def __array_interface__(self):
        return self.interface


def numbers(count=8):
    return np.arange(count, dtype=np.int32)


@pytest.mark.parametrize("count", [2**61, 2**62, 2**62 + 2, 2**63 - 1])
def test_a_tensor_of_more_bytes_than_can_be_counted_is_refused(count):
    torch = pytest.importorskip("torch")
    x = torch.ones(1, dtype=torch.int32).expand(count)
    with pytest.raises(ValueError, match=r"copy\(\) argument 'x': its shape and strides count more bytes"):
        copy[1](x, numbers(), 8)


@pytest.mark.parametrize(
    ("shape", "strides"),
    [
        ((-1,), None),
        ((-2, -4), None),
        ((2**62, 4), None),
        ((2**61, 2**3), None),
        ((2, 4), (2**63 - 1, 4)),
        ((3, 4), (2**62, 4)),
        ((2, 2, 2), (-(2**62), -(2**62), -(2**62))),
    ],
)
def test_an_interface_of_an_impossible_shape_is_refused(shape, strides):
    x = Interface(numbers(), shape=shape, strides=strides)
    with pytest.raises(ValueError, match=r"copy\(\) argument 'x': its shape and strides count more bytes"):
        copy[1](x, numbers(), 8)


@pytest.mark.parametrize(("shape", "strides"), [((0, 2**62), None), ((0, 4), (2**63 - 1, 4))])
def test_an_empty_array_of_any_shape_is_empty(shape, strides):
    y = numbers()
    copy[1](Interface(numbers(), shape=shape, strides=strides), y, 0)
    assert y.tolist() == list(range(8))


@pytest.mark.parametrize("shape", [(), (8,), (2, 3)])
def test_elements_at_no_address_are_refused(shape):
    nowhere, somewhere = Interface(numbers(), shape=shape, data=(0, False)), numbers()
    for arguments, name in (((nowhere, somewhere), "x"), ((somewhere, nowhere), "y")):
        with pytest.raises(ValueError, match=rf"argument '{name}': it has elements, .* lie at address 0"):
            copy[1](*arguments, 1)
    copy[1](Interface(numbers(), shape=(0,), data=(0, False)), somewhere, 0)


def test_an_interface_that_changes_while_it_is_read():
    class Changing(Interface):
        @property
        def dtype(self):
            # Lets go of what the dict held, and takes its place in memory.
            for key in ("typestr", "data", "shape"):
                self.interface[key] = None
            self.others = [(f"{i:>3}", i) for i in range(1000)]
            raise AttributeError

    class Flag:
        def __bool__(self):
            x.interface.update(data=None, shape=None)
            x.others = [(2**40 + i, i) for i in range(1000)]
            return False

    data = numbers()
    address = data.__array_interface__["data"][0]
    for make in (
        lambda: Changing(data, typestr="".join(["<", "i", "4"])),
        lambda: Interface(data, data=(address, Flag())),
    ):
        x, y = make(), np.zeros(8, np.int32)
        with pytest.raises(TypeError, match=r"argument 'x': its __array_interface__ has no"):
            copy[1](x, y, 8)
        assert not y.any()


def test_an_array_that_tells_another_element_type_when_asked_again():
    class Changing:
        asked = 0

        def __dlpack__(self, **options):
            self.asked += 1
            array = numbers() if self.asked == 1 else np.zeros(64, np.complex128)[::2]
            return array.__dlpack__(**options)

        def __dlpack_device__(self):
            return (1, 0)

    with pytest.raises(TypeError, match=r"argument 'x': its element type changed"):
        copy[1](Changing(), numbers(), 8)


def test_a_grid_function_that_changes_an_array():
    x, y = numbers(), numbers()

    def grid(arguments):
        arguments["x"].dtype = np.int16
        return 1

    with pytest.raises(TypeError, match=r"argument 'x': its element type changed"):
        copy[grid](x, y, 8)


@pytest.mark.parametrize("plain_first", [True, False])
def test_attributes_of_one_object_say_nothing_of_others_of_its_type(plain_first):
    from types import SimpleNamespace

    class Plain(SimpleNamespace):  # a type that nobody has looked at yet
        pass

    @asc.jit
    def anything(value, y: asc.GlobalAddress):
        pass

    def pass_plain():
        anything[1](Plain(width=3), numbers())

    if plain_first:
        pass_plain()
    for wrapped in (lambda x: x, asc.raw):
        y = np.zeros(8, np.int32)
        copy[1](wrapped(Plain(__array_interface__=numbers().__array_interface__)), y, 8)
        assert y.tolist() == list(range(8))
    pass_plain()
    with pytest.raises(TypeError, match="takes an array or tensor, got .*Plain"):
        copy[1](Plain(width=3), numbers(), 8)
    with pytest.raises(TypeError, match="item 1 is a .*Plain"):
        asc.pointers([numbers(), Plain(width=3)])


def test_a_kernel_compiled_for_one_struct_may_be_launched_with_another():
    from asc.language.core.struct import Field, Struct

    class First(Struct):
        value = Field(asc.int32)

    class Second(Struct):
        value = Field(asc.int32)

    class Reader:
        asked = 0

        @property
        def one(self):
            self.asked += 1
            if self.asked == 1:
                kernel[1](Second(value=2), y)
            return 1

    reader, x, y = Reader(), numbers(), numbers()

    @asc.jit
    def kernel(struct, out: asc.GlobalAddress):
        g = asc.GlobalTensor()
        g.set_global_buffer(out)
        g.set_value(0, struct.value + reader.one)

    kernel[1](First(value=1), x)
    assert (x[0], y[0]) == (2, 3)


def test_a_struct_is_its_own_memory():
    from asc.language.core.struct import Field, Struct

    class Pair(Struct):
        first = Field(asc.int32)
        second = Field(asc.int64)

    pair = Pair(first=1, second=2)
    for memory in (b"", bytearray(16), None, Pair):
        with pytest.raises(TypeError, match="ctypes_struct of a Pair"):
            pair.ctypes_struct = memory
    pair.ctypes_struct = Pair.ctypes_class(3, 4)
    assert (pair.first, pair.second) == (3, 4)
