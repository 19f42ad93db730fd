# SPDX-License-Identifier: Apache-2.0
"""Numbers: promotion, Python's division, casts, folding; simulator and printed program against Python."""

import math

import numpy as np
import pytest
from language_oracle import Cases

import asc

CASES = Cases()
TILE = 48
RATIO = 0.25
FLAG = True


@asc.jit
def out_of(out: asc.GlobalAddress):
    o = asc.GlobalTensor()
    o.set_global_buffer(out)
    return o


@CASES.add([0] * 8, -7, 2, -7, 2)
@CASES.add([0] * 8, 7, -2, 7, -2)
@CASES.add([0] * 8, -8, 2, -8, 2)
@CASES.add([0] * 8, 7, 2, 7, 2)
@asc.jit
def floor_rules(out: asc.GlobalAddress, n: int, d: int, N: asc.ConstExpr[int], D: asc.ConstExpr[int]):
    o = out_of(out)
    o.set_value(0, n // d)
    o.set_value(1, n % d)
    o.set_value(2, N // D)
    o.set_value(3, N % D)
    o.set_value(4, n // D)
    o.set_value(5, N % d)
    o.set_value(6, asc.ceildiv(n, d))
    o.set_value(7, asc.ceildiv(N, D))


@CASES.add(np.zeros(8, np.float32), 7, 2.5)
@CASES.add(np.zeros(8, np.float32), -7, 2.5)
@asc.jit
def float_arithmetic(out: asc.GlobalAddress, n: int, x: float):
    o = out_of(out)
    o.set_value(0, n / 2)
    o.set_value(1, n * x)
    o.set_value(2, x * n + 1)
    o.set_value(3, n * 1.5 - x)
    o.set_value(4, (x * n) // 2.0)
    o.set_value(5, (x * n) % 2.0)
    o.set_value(6, -x + RATIO)
    o.set_value(7, n // 2 + 0.5)


@CASES.add([0] * 16, 13, 6)
@CASES.add([0] * 16, -13, 3)
@asc.jit
def integer_operators(out: asc.GlobalAddress, a: int, b: int):
    o = out_of(out)
    o.set_value(0, a & b)
    o.set_value(1, a | b)
    o.set_value(2, a ^ b)
    o.set_value(3, ~a)
    o.set_value(4, a << 2)
    o.set_value(5, a >> 1)
    o.set_value(6, b**2)
    o.set_value(7, +a)
    o.set_value(8, min(a, b, 5))
    o.set_value(9, max(a, b))
    o.set_value(10, abs(a))
    o.set_value(11, 1 << b)
    o.set_value(12, a * 3 - -b)
    o.set_value(13, divmod(a, b)[0] * 100 + divmod(a, b)[1])
    o.set_value(14, 2**b)
    o.set_value(15, pow(b, 3))


@CASES.add([0] * 8, 3, True)
@CASES.add([0] * 8, 0, False)
@asc.jit
def bools(out: asc.GlobalAddress, n: int, flag: bool):
    o = out_of(out)
    o.set_value(0, flag + flag)
    o.set_value(1, flag * n)
    o.set_value(2, 1 if flag & (n > 2) else 0)
    o.set_value(3, 1 if flag == (n > 0) else 0)
    o.set_value(4, int(flag) + int(not flag) * 10)
    o.set_value(5, bool(n) + 1)
    x = n > 1 or flag
    o.set_value(6, 5 if x else 6)
    o.set_value(7, -flag)


@CASES.add([0] * 8, 5)
@asc.jit
def compile_time(out: asc.GlobalAddress, n: int):
    o = out_of(out)
    o.set_value(0, TILE // 5 + TILE % 5)
    o.set_value(1, math.ceil(TILE / 7))
    o.set_value(2, int(TILE * RATIO) + len("abc"))
    half = TILE // 2
    o.set_value(3, half * n)
    o.set_value(4, asc.int32.sizeof() * n)
    o.set_value(5, 1 if FLAG else 0)
    sizes = {"a": 3, "b": n}
    o.set_value(6, sizes["a"] + sizes["b"])
    table = [1, 2, 3]
    table.append(n)
    table[0] = 10
    o.set_value(7, table[0] + table[-1] + len(table) + sum(table[1:3]))


@CASES.add([0] * 8, 5, 2)
@asc.jit
def chains(out: asc.GlobalAddress, n: int, m: int):
    o = out_of(out)
    o.set_value(0, 1 if 0 < m < n < 10 else 0)
    o.set_value(1, 1 if 0 < m > n < 10 else 0)
    o.set_value(2, 1 if n in (1, 3, 5) else 0)
    o.set_value(3, 1 if n not in [m, 4] else 0)
    o.set_value(4, 1 if m == 2 != n else 0)
    o.set_value(5, 10 if n is None else 20)


@CASES.add([0] * 8, 5, 2.5)
@asc.jit
def casts(out: asc.GlobalAddress, n: int, x: float):
    o = out_of(out)
    o.set_value(0, int(x))
    o.set_value(1, int(-x))
    o.set_value(2, int(float(n) / 2))
    big: asc.int64 = n
    o.set_value(3, big * 3)
    o.set_value(4, asc.number(7, asc.int64) + n)
    o.set_value(5, int(n > x))


@pytest.mark.parametrize("index", range(len(CASES.items)), ids=CASES.names)
def test_simulator(index):
    CASES.check_simulator(index)


@pytest.mark.host
def test_printed_programs():
    CASES.check_host()


def lowered(kernel, *args):
    return kernel[1].compile(*args).text["ir.lowered"]


@pytest.mark.parametrize(
    "left, right, result",
    [
        ("int8", "int8", "int8"),
        ("int8", "int16", "int16"),
        ("int32", "int64", "int64"),
        ("uint8", "int8", "int16"),
        ("uint16", "int32", "int32"),
        ("uint32", "int32", "int64"),
        ("uint32", "uint64", "uint64"),
        ("float16", "float16", "float32"),
        ("int64", "float16", "float32"),
        ("uint32", "float32", "float32"),
    ],
)
def test_promotion(left, right, result):
    @asc.jit
    def kernel(x: asc.GlobalAddress, y: asc.GlobalAddress):
        a = asc.GlobalTensor()
        a.set_global_buffer(x)
        b = asc.GlobalTensor()
        b.set_global_buffer(y)
        total = a.get_value(0) + b.get_value(0)
        swapped = b.get_value(0) * a.get_value(0)
        print(total, swapped)

    from asc.runtime.jit import MockTensor

    text = lowered(kernel, MockTensor(getattr(asc, left)), MockTensor(getattr(asc, right)))
    assert f"var %total: {result} =" in text
    assert f"var %swapped: {result} =" in text


@pytest.mark.parametrize(
    "dtype, expression, result",
    [
        ("int8", "v + 100", "int8"),
        ("int8", "v + 1000", "int32"),
        ("uint8", "v * 2", "uint8"),
        ("int64", "v + 1", "int64"),
        ("int16", "v + 1.5", "float32"),
        ("float16", "v * 2", "float32"),
        ("float16", "v", "float16"),
        ("int32", "v + 5000000000", "int64"),
        ("int32", "v / 2", "float32"),
        ("int32", "v > 2", "bool"),
        ("bool", "v + True", "int32"),
    ],
)
def test_literals_take_the_other_type(dtype, expression, result, tmp_path):
    import importlib.util

    source = (
        "import asc\n\n@asc.jit\ndef kernel(x: asc.GlobalAddress):\n    a = asc.GlobalTensor()\n"
        f"    a.set_global_buffer(x)\n    v = a.get_value(0)\n    w = {expression}\n    print(w)\n"
    )
    path = tmp_path / "literal.py"
    path.write_text(source)
    spec = importlib.util.spec_from_file_location("literal", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    from asc.runtime.jit import MockTensor

    elem = asc.bool_ if dtype == "bool" else getattr(asc, dtype)
    text = lowered(module.kernel, MockTensor(elem))
    assert f"var %w: {result} =" in text


@pytest.mark.parametrize(
    "dtype, expression, result",
    [
        ("int16", "v", "int32"),
        ("uint8", "v", "int32"),
        ("uint32", "v", "int64"),
        ("int64", "v", "int64"),
        ("float16", "v", "float16"),
        ("float32", "best + v", "float32"),
        ("int32", "v > 2", "int32"),
    ],
)
def test_a_literal_at_the_head_of_a_loop_takes_the_type_that_it_gets(dtype, expression, result, tmp_path):
    import importlib.util

    source = (
        "import asc\n\n@asc.jit\ndef kernel(x: asc.GlobalAddress, n: int):\n    a = asc.GlobalTensor()\n"
        "    a.set_global_buffer(x)\n    best = 0\n    for i in range(n):\n        v = a.get_value(i)\n"
        f"        if i > 2:\n            best = {expression}\n    print(best)\n"
    )
    path = tmp_path / "heads.py"
    path.write_text(source)
    spec = importlib.util.spec_from_file_location("heads", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    from asc.runtime.jit import MockTensor

    text = lowered(module.kernel, MockTensor(getattr(asc, dtype)), 3)
    assert f"var %best: {result} = 0" in text
    assert text.count("var %best") == 1


def test_mixed_signs_of_64_bits_ask_for_a_cast():
    @asc.jit
    def kernel(x: asc.GlobalAddress, n: asc.int64):
        a = asc.GlobalTensor()
        a.set_global_buffer(x)
        a.set_value(0, a.get_value(0) + n)

    with pytest.raises(asc.CompileError, match="uint64 and a signed integer have no common type") as error:
        kernel[1](np.zeros(4, np.uint64), 3)
    assert "x.cast(asc.int64)" in str(error.value)


def test_division_by_a_zero_that_is_known():
    @asc.jit
    def kernel(x: asc.GlobalAddress, n: int):
        a = asc.GlobalTensor()
        a.set_global_buffer(x)
        a.set_value(0, n % 0)

    with pytest.raises(asc.CompileError, match="ZeroDivisionError: integer division or modulo by zero"):
        kernel[1](np.zeros(4, np.int32), 3)


def test_constants_keep_their_names():
    @asc.jit
    def kernel(x: asc.GlobalAddress, LENGTH: asc.ConstExpr[int]):
        a = asc.GlobalTensor()
        a.set_global_buffer(x, LENGTH * x.dtype.sizeof() // 2)
        piece = LENGTH // TILE
        a.set_value(piece, TILE + 1)

    text = kernel[1].compile(np.zeros(512, np.int32), 480).text["ascendc"]
    assert "constexpr int32_t TILE = 48;" in text
    assert "a.SetGlobalBuffer(x, LENGTH * 4 / 2);" in text
    assert "constexpr int32_t piece = LENGTH / TILE;" in text
    assert "a.SetValue(piece, TILE + 1);" in text
