# SPDX-License-Identifier: Apache-2.0
"""What a newcomer stumbled over: each message names the line of the mistake and what to write instead."""

import os
import signal
import subprocess
import sys
from typing import ClassVar

import numpy as np
import pytest

import asc
from asc.language.core.struct import Field, Struct


def refusal(call):
    """Text and line of the CompileError."""
    with pytest.raises(asc.CompileError) as caught:
        call()
    text = str(caught.value)
    lines = text.splitlines()
    place = next(i for i, line in enumerate(lines) if line.startswith("  at "))
    return text, lines[place + 1].strip()


# ---- a GlobalTensor that was never given its memory


@asc.jit
def unset(x: asc.GlobalAddress, WAY: asc.ConstExpr[int]):
    g = asc.GlobalTensor()
    t = asc.LocalTensor(asc.float32, asc.TPosition.VECCALC, 0, 64)
    if WAY == 0:
        asc.data_copy(t, g, 64)
    elif WAY == 1:
        asc.data_copy(g, t, 64)
    elif WAY == 2:
        asc.data_copy_pad(t, g, asc.DataCopyExtParams(1, 32, 0, 0, 0), asc.DataCopyPadExtParams(asc.float32))
    elif WAY == 3:
        g.set_value(0, 1.0)
    elif WAY == 4:
        asc.data_copy(t, src=g, count=64)
    else:
        print(g.dtype)


UNSET = [
    "asc.data_copy(t, g, 64)",
    "asc.data_copy(g, t, 64)",
    "asc.data_copy_pad(t, g, asc.DataCopyExtParams(1, 32, 0, 0, 0), asc.DataCopyPadExtParams(asc.float32))",
    "g.set_value(0, 1.0)",
    "asc.data_copy(t, src=g, count=64)",
    "print(g.dtype)",
]


@pytest.mark.parametrize("way", range(6))
def test_a_tensor_without_memory(way):
    text, line = refusal(lambda: unset[1](np.zeros(64, np.float32), way))
    assert text.startswith("the tensor 'g' has no dtype yet\n")
    assert line == UNSET[way]
    assert "hint: call g.set_global_buffer(address) before" in text


@asc.jit
def load(t, source):
    asc.data_copy(t, source, 64)


@asc.jit
def give(tensor, address: asc.GlobalAddress):
    tensor.set_global_buffer(address)


@asc.jit
def through_helper(x: asc.GlobalAddress, SET: asc.ConstExpr[bool]):
    g = asc.GlobalTensor()
    t = asc.LocalTensor(asc.float32, asc.TPosition.VECCALC, 0, 64)
    if SET:
        give(g, x)
    load(t, g)


def test_a_tensor_without_memory_through_a_helper():
    x = np.zeros(64, np.float32)
    text, line = refusal(lambda: through_helper[1](x, False))
    assert text.startswith("the tensor 'source' has no dtype yet\n")
    assert line == "asc.data_copy(t, source, 64)"
    assert "load(t, g)" in text
    through_helper[1](x, True)


@asc.jit
def set_later(x: asc.GlobalAddress, y: asc.GlobalAddress):
    g, gy = asc.GlobalTensor(), asc.GlobalTensor()
    gy.set_global_buffer(y)
    t = asc.LocalTensor(asc.float32, asc.TPosition.VECCALC, 0, 64)
    for i in range(2):
        if i > 0:
            asc.data_copy(t, g, 64)
            asc.set_flag(asc.HardEvent.MTE2_MTE3, 0)
            asc.wait_flag(asc.HardEvent.MTE2_MTE3, 0)
            asc.data_copy(gy, t, 64)
        g.set_global_buffer(x)


def test_memory_that_a_turn_before_gave():
    x, y = np.arange(64, dtype=np.float32), np.zeros(64, np.float32)
    set_later[1](x, y)
    np.testing.assert_array_equal(y, x)


def test_memory_of_another_dtype_that_a_turn_before_gave():
    text, line = refusal(lambda: set_later[1](np.zeros(64, np.int32), np.zeros(64, np.float32)))
    assert "the tensor 'g' has no dtype yet, and gets int32 later; float32 is needed here" in text
    assert line == "asc.data_copy(t, g, 64)"


# ---- an address used as a tensor


@asc.jit
def address_as_tensor(x: asc.GlobalAddress, i: int, WAY: asc.ConstExpr[int]):
    if WAY == 0:
        value = x[i + 1]
        print(value)
    elif WAY == 1:
        part = x[8:]
        part.set_value(0, 0)
    elif WAY == 2:
        x[0] = 1
    else:
        print(x)


@pytest.mark.parametrize(
    "way, written, use",
    [
        (0, "value = x[i + 1]", "g.get_value(i + 1)"),
        (1, "part = x[8:]", "g[8:]"),
        (2, "x[0] = 1", "g.set_value(0, ...)"),
        (3, "print(x)", "print(g.get_value(0))"),
    ],
)
def test_an_address_is_no_tensor(way, written, use):
    text, line = refusal(lambda: address_as_tensor[1](np.zeros(64, np.float32), 0, way))
    assert line == written
    assert text.endswith(f"hint: make a tensor of it: g = asc.GlobalTensor(); g.set_global_buffer(x); {use}")


# ---- a number where the op of a tensor wants one


@asc.jit
def scalar_for_tensor(v: asc.float32, WAY: asc.ConstExpr[int]):
    t = asc.LocalTensor(asc.float32, asc.TPosition.VECCALC, 0, 64)
    if WAY == 0:
        asc.add(t, v, 64)
    elif WAY == 1:
        asc.add(t, t, v, 64)
    elif WAY == 2:
        asc.mul(t, t, 2.0, 64)
    else:
        asc.exp(t, v, 64)


@pytest.mark.parametrize(
    "way, written, hint",
    [
        (0, "asc.add(t, v, 64)", "hint: src0 is a scalar: use asc.adds(dst: LocalTensor[T], src: "),
        (1, "asc.add(t, t, v, 64)", "hint: src1 is a scalar: use asc.adds(dst: LocalTensor[T], src: "),
        (2, "asc.mul(t, t, 2.0, 64)", "hint: src1 is a scalar: use asc.muls(dst: LocalTensor[T], src: "),
    ],
)
def test_a_scalar_for_a_tensor(way, written, hint):
    text, line = refusal(lambda: scalar_for_tensor[1](1.0, way))
    assert line == written
    assert hint in text


def test_a_scalar_for_a_tensor_of_an_op_without_a_scalar_form():
    text, line = refusal(lambda: scalar_for_tensor[1](1.0, 3))
    assert line == "asc.exp(t, v, 64)"
    assert "exps" not in text


# ---- compile() of the kernel, not of its launch handle


def test_compile_without_cores():
    cure = r"^set_later is a kernel: compile it with set_later\[cores\]\.compile\(\.\.\.\)"
    with pytest.raises(AttributeError, match=cure):
        set_later.compile(np.zeros(64, np.float32), np.zeros(64, np.float32))
    assert not hasattr(set_later, "compile")
    with pytest.raises(AttributeError, match="has no attribute 'kompile'"):
        print(set_later.kompile)
    assert set_later[1].compile(np.zeros(64, np.float32), np.zeros(64, np.float32))


# ---- a copy that is no multiple of 32 bytes


@asc.jit
def copy_some(x: asc.GlobalAddress, n: int):
    g = asc.GlobalTensor()
    g.set_global_buffer(x)
    t = asc.LocalTensor(g.dtype, asc.TPosition.VECCALC, 0, 128)
    asc.data_copy(t, g, n)


@pytest.mark.parametrize(
    "dtype, count, given, copied, cure",
    [
        (np.float32, 97, 388, "384 bytes (96 elements)", "32 bytes (8 elements: 96 or 104)"),
        (np.float16, 97, 194, "192 bytes (96 elements)", "32 bytes (16 elements: 96 or 112)"),
        (np.int8, 97, 97, "96 bytes (96 elements)", "32 bytes (32 elements: 96 or 128)"),
    ],
)
def test_a_tail_is_told_in_bytes(dtype, count, given, copied, cure):
    with pytest.raises(asc.AlignmentError) as caught:
        copy_some[1](np.zeros(128, dtype), count)
    text = str(caught.value)
    assert (
        f"{count} {dtype.__name__} are {given} bytes, not a multiple of 32: the device copies {copied} "
        in text
    )
    assert "\n    asc.data_copy(t, g, n)\n" in text
    assert f"fix: copy a multiple of {cure}, or use data_copy_pad for the tail" in text


# ---- a struct whose fields are written as a dataclass has them


def test_an_annotation_makes_no_field():
    with pytest.raises(RuntimeError, match=r"^Struct 'A': 'n' is annotated.* write n = Field\(asc\.int32\)$"):

        class A(Struct):
            n: asc.int32

    with pytest.raises(RuntimeError, match=r"write scale = Field\(asc\.float32, default=2\.0\)$"):

        class B(Struct):
            n = Field(asc.int32)
            scale: asc.float32 = 2.0

    class Inner(Struct):
        n: asc.int32 = Field(asc.int32)
        KINDS: ClassVar[int] = 3

    with pytest.raises(RuntimeError, match=r"write inner = StructField\(Inner\)$"):

        class C(Struct):
            inner: Inner

    with pytest.raises(RuntimeError, match=r"write n = Field\(asc\.int64\)$"):

        class D(Struct):
            n: "asc.int64"

    with pytest.raises(RuntimeError, match=r"at least one field, such as n = Field\(asc\.int32\)$"):

        class E(Struct):
            n: int

    class Derived(Inner):
        n: asc.int32

    assert Derived(n=3).n == 3


# ---- a reader that stops early


def test_output_that_nobody_reads(tmp_path):
    env = dict(os.environ, PYASC_CACHE_DIR=str(tmp_path))
    for command in (["cache", "stats"], ["--help"]):
        reader, writer = os.pipe()
        os.close(reader)
        with os.fdopen(writer, "wb") as out:
            done = subprocess.run(
                [sys.executable, "-m", "asc", *command],
                env=env,
                stdout=out,
                stderr=subprocess.PIPE,
                check=False,
            )
        assert (done.returncode, done.stderr) == (128 + signal.SIGPIPE, b"")


# ---- an argument that is not what its annotation says


class Tiling(Struct):
    n = Field(asc.int32)


class Wider(Tiling):
    m = Field(asc.int32, default=0)


@asc.jit
def with_struct(x: asc.GlobalAddress, tiling: Tiling):
    g = asc.GlobalTensor()
    g.set_global_buffer(x)
    g.set_value(0, tiling.n)


@asc.jit
def with_struct_by_name(x: asc.GlobalAddress, tiling: "Tiling"):
    pass


@asc.jit
def with_struct_left_out(x: asc.GlobalAddress, tiling: Tiling = None):
    pass


@asc.jit
def with_number(x: asc.GlobalAddress, n: int):
    g = asc.GlobalTensor()
    g.set_global_buffer(x)
    g.set_value(0, n)


@asc.jit
def with_pinned(x: asc.GlobalAddress, n: asc.int32):
    pass


@pytest.mark.parametrize("kernel", [with_struct, with_struct_by_name, with_struct_left_out])
@pytest.mark.parametrize(
    "given, shown",
    [(3, "int"), (2.5, "float"), (Tiling, "the class Tiling"), (np.zeros(4, np.int32), "numpy.ndarray")],
)
def test_no_struct_for_a_struct(kernel, given, shown):
    x = np.zeros(8, np.int32)
    with pytest.raises(TypeError) as caught:
        kernel[1](x, given)
    assert str(caught.value) == (
        f"{kernel.__name__}() argument 'tiling': the parameter is a struct Tiling, got {shown}; "
        "pass an instance, Tiling(...)"
    )
    kernel[1](x, Tiling(n=3))
    kernel[1](x, Wider(n=4))


def test_a_struct_that_may_be_left_out():
    with_struct_left_out[1](np.zeros(8, np.int32))
    with_struct_left_out[1](np.zeros(8, np.int32), None)


@pytest.mark.parametrize("kernel, kind", [(with_number, "int"), (with_pinned, "int32")])
def test_an_array_for_a_number(kernel, kind):
    torch = pytest.importorskip("torch")
    x = np.zeros(8, np.int32)
    for given, shown in ((torch.tensor(3), "Tensor"), (np.array(3), "numpy.ndarray")):
        with pytest.raises(TypeError) as caught:
            kernel[1](x, given)
        assert str(caught.value) == (
            f"{kernel.__name__}() argument 'n': the parameter is a number, {kind}, got {shown}; pass n.item()"
        )
        kernel[1](x, given.item())
    message = f"a number, {kind}, got numpy.ndarray; an array has the annotation asc.GlobalAddress"
    with pytest.raises(TypeError, match=message):
        kernel[1](x, np.zeros(4, np.float16))
    if kernel is with_number:
        assert x[0] == 3


# ---- a loop's step in the printed text

TILE = 64


@asc.jit
def strided(x: asc.GlobalAddress, n: asc.int64, m: asc.int32):
    g = asc.GlobalTensor()
    g.set_global_buffer(x)
    for off in range(0, n, TILE):
        g.set_value(off, 1)
    for off in range(0, n, m + m):
        g.set_value(off + 1, 2)


def test_a_step_is_printed_without_a_needless_cast():
    x = np.zeros(256, np.int32)
    text = strided[1].compile(x, 256, 32).text["ascendc"]
    first, second = [line for line in text.splitlines() if "for (" in line]
    assert first.endswith("off < n; off += TILE) {")
    assert "static_cast" in second or "_step" in second  # m + m may wrap where an int64 would not
    strided[1](x, 256, 32)
    wanted = np.zeros(256, np.int32)
    wanted[::64], wanted[1::64] = 1, 2
    np.testing.assert_array_equal(x, wanted)


def test_a_failed_assert_is_marked_at_its_condition():
    @asc.jit
    def kernel(n: int):
        assert n < 3, f"n is {n} of {n + 1}"

    with pytest.raises(asc.KernelError) as caught:
        kernel[1](5)
    (found,) = caught.value.findings
    assert "n is 5 of 6" in found.message
    assert found.site.text[found.site.col :].startswith("assert n < 3")
