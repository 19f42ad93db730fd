# SPDX-License-Identifier: Apache-2.0
"""What the rules of the language imply behind what docs/language.md shows: what specialises a function, what
a loop that is lowered twice leaves, which types are widened, what dumps show."""

import ctypes
import linecache
import signal
import time

import numpy as np
import pytest

import asc
from asc.language.core.struct import Field, Struct


@asc.jit
def out_of(out: asc.GlobalAddress):
    o = asc.GlobalTensor()
    o.set_global_buffer(out)
    return o


def printed(kernel, *args):
    return kernel[1].compile(*args).text["ascendc"]


def numbers(dtype=np.int32):
    return np.zeros(8, dtype)


# ---- what specialises a function ----


@asc.jit
def plus(v, w):
    return v + w


def test_a_number_does_not_specialise_a_helper():
    @asc.jit
    def kernel(out: asc.GlobalAddress):
        o = out_of(out)
        o.set_value(0, plus(1, 2))
        o.set_value(1, plus(3, 40))

    a = numbers()
    assert printed(kernel, a).count("inline int32_t plus(int32_t v, int32_t w)") == 1
    kernel[1](a)
    assert a[:2].tolist() == [3, 43]


def test_a_sign_does_not_specialise_a_helper():
    @asc.jit
    def kernel(out: asc.GlobalAddress, n: int):
        o = out_of(out)
        o.set_value(0, plus(n, n))
        o.set_value(1, plus(-n, n))

    a = numbers()
    texts = {n: printed(kernel, a, n) for n in (5, 7, -5)}
    assert texts[5] == texts[7]
    for text in texts.values():
        assert text.count("inline int32_t plus") == 1
    for n in texts:
        kernel[1](a, n)
        assert a[:2].tolist() == [2 * n, 0]
    assert len(kernel.cache_info()["specialisations"]) == 2


@asc.jit
def one():
    return 1


@asc.jit
def two():
    return 2


@asc.jit
def chosen(what, v):
    if what is None:
        return v
    if isinstance(what, str):
        return v + len(what)
    if isinstance(what, tuple):
        return v + what[0]
    if isinstance(what, asc.DataType):
        return v + what.sizeof()
    if isinstance(what, asc.TPosition):
        return v + int(what)
    return v + what()


@pytest.mark.parametrize(
    ("first", "second", "values"),
    [
        (asc.int8, asc.int64, (1, 8)),
        (asc.TPosition.VECIN, asc.TPosition.VECOUT, (int(asc.TPosition.VECIN), int(asc.TPosition.VECOUT))),
        ("a", "abc", (1, 3)),
        (None, "", (0, 0)),
        (one, two, (1, 2)),
    ],
    ids=["dtype", "enum", "string", "none", "function"],
)
def test_what_specialises_a_helper(first, second, values):
    @asc.jit
    def kernel(out: asc.GlobalAddress, n: int, A: asc.ConstExpr, B: asc.ConstExpr):
        o = out_of(out)
        o.set_value(0, chosen(A, n))
        o.set_value(1, chosen(B, n))
        o.set_value(2, chosen(A, n))

    a = numbers()
    kernel[1](a, 10, first, second)
    assert a[:3].tolist() == [10 + values[0], 10 + values[1], 10 + values[0]]
    assert printed(kernel, a, 10, first, second).count("inline int32_t chosen") == 2


def test_a_tuple_specialises_by_its_length_and_what_is_in_it():
    @asc.jit
    def total(items):
        result = 0
        for item in items:
            result += item
        return result

    @asc.jit
    def kernel(out: asc.GlobalAddress, n: int):
        o = out_of(out)
        o.set_value(0, total((n, 2)))
        o.set_value(1, total((n, 2, 3)))
        o.set_value(2, total((n, 4)))

    a = numbers()
    kernel[1](a, 10)
    assert a[:3].tolist() == [12, 15, 14]
    assert printed(kernel, a, 10).count("inline int32_t total") == 2


def test_annotations_of_helpers_say_nothing():
    @asc.jit
    def helper(v: int, w: "nowhere.Type", x: str) -> bytes:  # noqa: F821
        return v + w + x

    @asc.jit
    def kernel(out: asc.GlobalAddress, n: int):
        out_of(out).set_value(0, helper(n * 0.5, n, n))

    a = numbers(np.float32)
    kernel[1](a, 5)
    assert a[0] == 12.5


# ---- loops that are lowered more than once ----


@asc.jit
def show(t, i, v):
    t.set_value(i, v)
    return v


def test_effects_of_a_loop_that_is_lowered_twice_are_printed_once():
    @asc.jit
    def kernel(out: asc.GlobalAddress, n: int):
        o = out_of(out)
        mean = 0
        for i in range(n):
            print(i)
            show(o, i, mean)
            mean += i * 0.5

    a = numbers(np.float32)
    text = printed(kernel, a, 4)
    assert text.count("AscendC::printf(") == 1
    assert text.count("inline float show(") == text.count("show(o, i, mean)") == 1
    assert "inline int32_t show(" not in text, "the round in which `mean` was an integer has left something"
    kernel[1](a, 4)
    assert a[:4].tolist() == [0.0, 0.0, 0.5, 1.5]


def test_an_error_of_an_earlier_round_is_none():
    """`mean` is an integer only until the body has been lowered once."""

    @asc.jit
    def kernel(out: asc.GlobalAddress, n: int):
        o = out_of(out)
        mean = 0
        for i in range(n):
            for k in range(2):
                assert isinstance(mean, float), "the mean is a float"
                mean += i * 0.25
            o.set_value(i, mean)

    a = numbers(np.float32)
    kernel[1](a, 4)
    assert a[:4].tolist() == [0.0, 0.5, 1.5, 3.0]
    text = printed(kernel, a, 4)
    assert text.count("for (") == 2 and text.count("o.SetValue(i, mean);") == 1


def test_the_first_error_is_shown_if_no_round_is_without():
    @asc.jit
    def kernel(out: asc.GlobalAddress, n: int):
        o = out_of(out)
        mean = 0
        for i in range(n):
            o.set_value(i, mean)
            missing(mean)  # noqa: F821
            mean += i * 0.25
            o.nothing()

    with pytest.raises(asc.CompileError, match="NameError: name 'missing' is not defined") as caught:
        kernel[1](numbers(), 4)
    assert caught.value.text.strip().startswith("missing(mean)")
    with pytest.raises(asc.CompileError, match="name 'missing'"):
        kernel[1](numbers(np.float32), 4)


def test_a_helper_that_fails_in_one_round_is_lowered_again_in_the_next():
    @asc.jit
    def half_of(v):
        assert isinstance(v, float), "v is a float"
        return v * 0.5

    @asc.jit
    def kernel(out: asc.GlobalAddress, n: int):
        o = out_of(out)
        mean = 0
        for i in range(n):
            o.set_value(i, half_of(mean))
            mean += i * 1.0

    a = numbers(np.float32)
    kernel[1](a, 4)
    assert a[:4].tolist() == [0.0, 0.0, 0.5, 1.5]
    assert printed(kernel, a, 4).count("inline float half_of(") == 1


def test_an_error_of_the_last_round_is_one_error():
    @asc.jit
    def kernel(out: asc.GlobalAddress, n: int):
        o = out_of(out)
        mean = 0
        for i in range(n):
            o.set_value(i, mean)
            mean += i * 0.5

    with pytest.raises(asc.CompileError, match="value is float32, a float; it takes int32") as caught:
        kernel[1](numbers(), 4)
    assert len(caught.value.sites) == 1
    assert str(caught.value).count("o.set_value(i, mean)") == 1


def kernel_of(lines):
    """A kernel with this many statements, half of them in loops and branches."""
    body = [
        f"    v{i} = v{i - 1} + n * {i}\n    if v{i} > n:\n        v{i} -= {i}\n    for j in range(n):\n"
        f"        v{i} = v{i} ^ j\n"
        for i in range(1, lines // 5 + 1)
    ]
    text = "@asc.jit\ndef kernel(out: asc.GlobalAddress, n: int):\n    v0 = n\n" + "".join(body)
    name = f"<linear {lines}>"
    linecache.cache[name] = (len(text), None, text.splitlines(True), name)
    namespace = {"asc": asc}
    exec(compile(text, name, "exec"), namespace)
    return namespace["kernel"]


def test_lowering_is_linear():
    """Eight times the lines take about eight times as long; a quadratic part would show as up to 64 times."""

    def seconds(kernel):
        taken = []
        for _ in range(5):
            kernel.clear_cache()
            start = time.thread_time()
            kernel[1].compile(numbers(), 3)
            taken.append(time.thread_time() - start)
        return min(taken)

    short, long = seconds(kernel_of(400)), seconds(kernel_of(3200))
    assert long < 24 * short, f"400 lines take {short * 1e3:.1f} ms, 3,200 lines {long * 1e3:.1f} ms"


# ---- addresses in 64 bits ----


def test_offsets_of_global_memory_are_widened():
    @asc.jit
    def kernel(out: asc.GlobalAddress, rows: int, cols: int):
        o = out_of(out + rows * cols)
        first = rows * cols
        o[first - rows * cols :].set_value(0, 7)

    text = printed(kernel, numbers(), 3, 4)
    assert "int64_t first = static_cast<int64_t>(rows) * cols;" in text
    assert "out_of(out + static_cast<int64_t>(rows) * cols)" in text


def test_offsets_that_fit_and_local_ones_are_not_widened():
    @asc.jit
    def kernel(out: asc.GlobalAddress, n: int):
        o = out_of(out)
        part = n % 4
        local = asc.LocalTensor(asc.int32, asc.TPosition.VECCALC, 0, 64)
        local[n * 8 :].set_value(0, n)
        o[part * 2 :].set_value(1, local.get_value(n * 8))

    a = numbers()
    text = printed(kernel, a, 5)
    assert "static_cast" not in text and "int64_t" not in text
    kernel[1](a, 5)
    assert a.tolist() == [0, 0, 0, 5, 0, 0, 0, 0]


def test_a_local_offset_that_leaves_its_type_is_found():
    @asc.jit
    def kernel(out: asc.GlobalAddress, n: int):
        local = asc.LocalTensor(asc.int32, asc.TPosition.VECCALC, 0, 64)
        out_of(out).set_value(0, local[n * 1000000000 :].get_value(0))

    with pytest.raises(asc.KernelError) as caught:
        kernel[1](numbers(), 5)
    first = caught.value.findings[0]
    assert (first.id, "5000000000 is outside int32" in first.message) == ("ASC-S101", True)


# ---- enums ----


class Place(Struct):
    where = Field(asc.int32, default=0)


def test_a_field_compares_with_an_enum_member():
    @asc.jit
    def kernel(out: asc.GlobalAddress, place: Place):
        o = out_of(out)
        o.set_value(0, place.where == asc.TPosition.VECOUT)
        o.set_value(1, asc.TPosition.VECIN == place.where)
        o.set_value(2, 5 if place.where != asc.TPosition.VECOUT else 7)

    for position in (asc.TPosition.VECIN, asc.TPosition.VECOUT):
        a = numbers()
        kernel[1](a, Place(where=int(position)))
        is_out = position == asc.TPosition.VECOUT
        assert a[:3].tolist() == [is_out, not is_out, 7 if is_out else 5]


# ---- dumps ----


def test_comments_with_the_python_text(tmp_path, monkeypatch):
    @asc.jit
    def kernel(out: asc.GlobalAddress, n: int):
        o = out_of(out)
        for i in range(n):
            o.set_value(i, n - i)

    line = "    o.SetValue(i, n - i);"
    shown = line + "  // o.set_value(i, n - i)"

    def dumped(name, **options):
        monkeypatch.setenv("PYASC_DUMP_PATH", str(tmp_path / name))
        kernel.options(**options)[1](numbers(), 4)
        monkeypatch.delenv("PYASC_DUMP_PATH")
        (path,) = (tmp_path / name).rglob("ascendc.cpp")
        return path.read_text().splitlines()

    assert shown in dumped("with")
    assert line in dumped("without", strip_loc=True)
    assert shown in dumped("again", strip_loc=False)
    compiled = kernel[1].compile(numbers(), 4)
    assert line in compiled.text["ascendc"].splitlines(), "cached text has no line of the source in it"
    for name, comments, wanted in (("saved", True, shown), ("bare", False, line)):
        folder = compiled.save(tmp_path / name, comments=comments)
        assert wanted in open(f"{folder}/ascendc.cpp", encoding="utf-8").read().splitlines()


# ---- signals ----

PRESS = ctypes.CDLL(None)["raise"]  # a C function: the signal waits for whoever asks next


def interrupted_kernel(statement):
    name = f"<interrupted {statement}>"
    text = (
        "@asc.jit\ndef kernel(out: asc.GlobalAddress, n: int):\n    o = out_of(out)\n"
        f"    {statement}\n    x = n\n    missing_name\n"
    )
    linecache.cache[name] = (len(text), None, text.splitlines(True), name)
    namespace = {"asc": asc, "out_of": out_of, "press": PRESS, "INT": int(signal.SIGINT)}
    exec(compile(text, name, "exec"), namespace)
    return namespace["kernel"]


@pytest.mark.parametrize("statement", ["press(INT)", "for i in range(n): press(INT); y = i"])
def test_an_interrupt_does_not_wait_for_the_end_of_the_lowering(statement):
    """The statement behind the signal is not reached: there is no error about `missing_name`."""
    with pytest.raises(KeyboardInterrupt):
        interrupted_kernel(statement)[1].compile(numbers(), 3)


def test_a_handler_that_returns_lets_the_lowering_go_on():
    seen = []
    before = signal.signal(signal.SIGINT, lambda number, frame: seen.append(number))
    try:
        with pytest.raises(asc.CompileError, match="missing_name"):
            interrupted_kernel("press(INT)")[1].compile(numbers(), 3)
    finally:
        signal.signal(signal.SIGINT, before)
    assert seen == [signal.SIGINT]


def test_what_a_handler_raises_is_what_the_caller_gets():
    def handler(number, frame):
        raise TimeoutError("of the user's own")

    before = signal.signal(signal.SIGINT, handler)
    try:
        with pytest.raises(TimeoutError, match="of the user's own"):
            interrupted_kernel("for i in range(n): press(INT); y = i")[1].compile(numbers(), 3)
    finally:
        signal.signal(signal.SIGINT, before)
