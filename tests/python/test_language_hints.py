# SPDX-License-Identifier: Apache-2.0
"""Habits from other kernel languages and from numpy: the error says what to write here."""

import linecache

import numpy as np
import pytest

import asc

HEAD = """@asc.jit
def kernel(ints: asc.GlobalAddress, n: int, x: float):
    o = asc.GlobalTensor()
    o.set_global_buffer(ints)
    local = asc.LocalTensor(asc.int32, asc.TPosition.VECCALC, 0, 64)
"""


def refusal(statements):
    name = "<cell of a newcomer>"
    text = HEAD + "".join(f"    {line}\n" for line in statements.split("\n"))
    linecache.cache[name] = (len(text), None, text.splitlines(True), name)
    namespace = {"asc": asc, "np": np, "math": __import__("math")}
    exec(compile(text, name, "exec"), namespace)
    with pytest.raises(asc.CompileError) as caught:
        namespace["kernel"][1].compile(np.zeros(8, np.int32), 5, 2.5)
    return caught.value


@pytest.mark.parametrize(
    ("statements", "hint"),
    [
        ("i = asc.program_id(0)", "asc.get_block_idx()"),
        ("k = asc.num_programs(0)", "asc.get_block_num()"),
        ("v = asc.load(ints + n)", "asc.data_copy(local, tensor[offset:], count)"),
        ("asc.store(ints + n, 3)", "asc.data_copy(tensor[offset:], local, count)"),
        ("i = asc.arange(0, 8)", "tensor[first:]"),
        ("y = asc.zeros((8,), asc.float32)", "asc.LocalTensor(dtype, position, address, size)"),
        ("y = asc.full((8,), 1.0)", "asc.duplicate fills it"),
        ("v = asc.where(n > 2, o, local)", "a if condition else b"),
        ("v = asc.dot(local, local)", "asc.mmad"),
        ("k = asc.cdiv(n, 8)", "asc.ceildiv(a, b)"),
        ("v = asc.sqrt(x)", "x ** 0.5"),
        ("v = asc.abs(n)", "abs(x)"),
        ("v = asc.exp(x)", "2.7182818 ** x"),
        ("asc.log(local, local, 8)", "asc.ln(dst, x, count)"),
        ("asc.maximum(local, local, local, 8)", "asc.max(dst, a, b, count)"),
        ("asc.minimum(local, local, local, 8)", "asc.min(dst, a, b, count)"),
        ("asc.multiply(local, local, local, 8)", "asc.mul(dst, a, b, count)"),
        ("asc.sigmoid(local, local, 8)", "asc.reciprocal"),
        ("asc.pow(local, local, local, 8)", "asc.ln"),
        ("asc.exp2(local, local, 8)", "asc.exp"),
        ("asc.debug_barrier()", "asc.pipe_barrier(pipe)"),
        ("i = tl.program_id(0)", "asc.get_block_idx()"),
        ("v = tl.load(ints)", "asc.data_copy"),
        ("i = threadIdx.x", "asc.get_block_idx()"),
        ("__syncthreads()", "asc.pipe_barrier(pipe)"),
        ("y = np.zeros(8)\ny[0] = n", "asc.LocalTensor(dtype, position, address, size)"),
        ("y = np.zeros(n)", "asc.LocalTensor(dtype, position, address, size)"),
        ("y = np.zeros(64, np.int32)\nasc.data_copy(y, o, 64)", "an array made here is a compile-time value"),
        ("y = np.ones(8)\no.set_value(0, y)", "an array made here is a compile-time value"),
        ("y = [0] * n", "local memory is asc.LocalTensor(...)"),
        ("v = np.sqrt(x)", "asc.sqrt computes on local tensors"),
        ("v = math.exp(x)", "asc.exp computes on local tensors"),
        ("v = np.float32(n)", "write value.cast(asc.float32)"),
        ("v = n.astype(asc.int64)", "cast(dtype)"),
        ("v = x.item()", "it is a number already"),
        ("v = o.load(0)", "get_value(i) reads an element"),
        ("o.store(0, n)", "set_value(i, value) writes an element"),
        ("k = len(ints)", "pass the number of elements as an argument"),
        ("k = len(o)", "use get_size()"),
        ("v = ints.get_value(0)", "g.set_global_buffer(ints); g.get_value(...)"),
        ("for v in o:\n    pass", "o.get_value(i)"),
    ],
)
def test_hint(statements, hint):
    error = refusal(statements)
    assert hint in error.hint, str(error)
    assert f"hint: {error.hint}" in str(error)
    assert error.text.strip() == statements.split("\n    ")[0].split("\n")[-1]


def test_names_of_hints_exist():
    """What a hint tells to write is there."""
    for name in ("get_block_idx", "get_block_num", "data_copy", "LocalTensor", "duplicate", "ceildiv", "mmad",
                 "pipe_barrier", "set_flag", "wait_flag", "GlobalAddress", "ConstExpr"):  # fmt: skip
        assert type(getattr(asc, name)).__name__ != "Unsupported", name


def test_other_names_get_no_such_hint():
    assert refusal("v = asc.progressing(0)").hint == ""
    assert refusal("v = missing").hint == ""
    assert "needs @asc.jit" in refusal("v = sorted(n)").hint


def test_a_dtype_as_annotation_of_an_array():
    @asc.jit
    def kernel(h: asc.float16, n: int):
        pass

    with pytest.raises(TypeError, match=r"kernel\(\) argument 'h': .* annotation asc.GlobalAddress"):
        kernel[1](np.zeros(8, np.float16), 3)
