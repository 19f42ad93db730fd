# SPDX-License-Identifier: Apache-2.0
"""GlobalTensors that get their dtype late: in a loop behind their use, chosen by control flow, in calls.

Some of these were faults of ours: an internal error, or an error that named a variable nobody wrote.
"""

import host_exec
import numpy as np
import pytest

import asc


@asc.jit
def use(t, i: int):
    t.set_value(0, i)


@asc.jit
def bind(t, address):
    t.set_global_buffer(address)


@asc.jit
def walk(t, address, n: int):
    for i in range(n):
        if i > 0:
            t.set_value(0, i)
        t.set_global_buffer(address + i)


@asc.jit
def in_a_helper(out: asc.GlobalAddress, n: int):
    t = asc.GlobalTensor()
    walk(t, out, n)


@asc.jit
def in_the_kernel(out: asc.GlobalAddress, n: int):
    t = asc.GlobalTensor()
    for i in range(n):
        if i > 0:
            t.set_value(0, i)
        t.set_global_buffer(out + i)


@asc.jit
def by_helpers(out: asc.GlobalAddress, n: int):
    t = asc.GlobalTensor()
    i = 0
    while i < n:
        if i > 0:
            use(t, i)
        bind(t, out + i)
        i += 1


@asc.jit
def walk_by_helpers(address, n: int):
    t = asc.GlobalTensor()
    for i in range(n):
        for k in range(2):
            if i > 0 and k > 0:
                use(t, i)
        bind(t, address + i)


@asc.jit
def nested(out: asc.GlobalAddress, n: int):
    walk_by_helpers(out, n)


@pytest.mark.parametrize("way", ["simulator", pytest.param("host", marks=pytest.mark.host)])
@pytest.mark.parametrize(
    "kernel", [in_a_helper, in_the_kernel, by_helpers, nested], ids=lambda k: k.fn.__name__
)
def test_a_dtype_that_a_turn_before_gave(kernel, way):
    a = np.zeros(8, np.int32)
    if way == "host":
        text = kernel[1].compile(a, 5).text["ascendc"]
        (a,) = host_exec.run_printed(text, kernel.fn.__name__, "AIV_ONLY", 1, [a, 5])
    else:
        kernel[1](a, 5)
    assert a.tolist() == [1, 2, 3, 4, 0, 0, 0, 0]


def refusal(kernel, *args):
    with pytest.raises(asc.CompileError) as caught:
        kernel[1].compile(*args)
    return caught.value


def test_what_another_turn_makes_right_does_not_hide_what_is_wrong():
    @asc.jit
    def kernel(a: asc.GlobalAddress):
        t = asc.GlobalTensor()
        for i in range(4):
            first = t.get_value(0)
            t.set_global_buffer(a)
            t.set_value(i, first + missing)  # noqa: F821

    error = refusal(kernel, np.zeros(8, np.int32))
    assert error.message == "NameError: name 'missing' is not defined"


def test_one_that_no_turn_gives_is_refused_where_it_is_used():
    @asc.jit
    def kernel(out: asc.GlobalAddress, n: int):
        t = asc.GlobalTensor()
        for i in range(n):
            t.set_value(0, i)
            print(i)

    error = refusal(kernel, np.zeros(8, np.int32), 3)
    assert (error.message, error.text.strip()) == ("the tensor 't' has no dtype yet", "t.set_value(0, i)")
    assert error.hint == "call t.set_global_buffer(address) before"


# ---- chosen by control flow, then bound ----


@asc.jit
def chosen(out: asc.GlobalAddress, n: int, WAY: asc.ConstExpr[int]):
    a, b = asc.GlobalTensor(), asc.GlobalTensor()
    if WAY == 0:
        t = a if n > 2 else b
    elif WAY == 1:
        t = a
        if n > 2:
            t = b
    else:
        for _ in range(n):
            a, b = b, a
        t = a
    t.set_global_buffer(out)
    t.set_value(0, n)


@asc.jit
def chosen_in_call(out: asc.GlobalAddress, n: int):
    a, b = asc.GlobalTensor(), asc.GlobalTensor()
    t = a if n > 2 else b
    bind(t, out)
    t.set_value(0, n)


@pytest.mark.parametrize("n", [2, 5])
@pytest.mark.parametrize("way", [0, 1, 2, "call"])
def test_the_chosen_one_is_bound(way, n):
    a = np.zeros(8, np.int32)
    if way == "call":
        chosen_in_call[1](a, n)
    else:
        chosen[1](a, n, way)
    assert a[0] == n


@pytest.mark.host
def test_printed_choices():
    a = np.zeros(8, np.int32)
    texts = [chosen[1].compile(a, 5, way).text["ascendc"] for way in range(3)]
    texts.append(chosen_in_call[1].compile(a, 5).text["ascendc"])
    for program in host_exec.compile_batch(texts):
        assert program.run("AIV_ONLY", 1, [a, 5]).arrays[0][0] == 5


def test_all_that_it_may_be_have_one_dtype():
    @asc.jit
    def kernel(x: asc.GlobalAddress, y: asc.GlobalAddress, n: int):
        a, b = asc.GlobalTensor(), asc.GlobalTensor()
        t = a if n > 2 else b  # noqa: F841
        a.set_global_buffer(x)
        b.set_global_buffer(y)

    kernel[1].compile(np.zeros(8, np.int32), np.zeros(8, np.int32), 5)
    error = refusal(kernel, np.zeros(8, np.int32), np.zeros(8, np.float32), 5)
    assert error.message.startswith("'b' is GlobalTensor<int32> since line ")
    assert error.text.strip() == "b.set_global_buffer(y)"


@asc.jit
def unbound(out: asc.GlobalAddress, n: int, WAY: asc.ConstExpr[int]):
    a, b = asc.GlobalTensor(), asc.GlobalTensor()
    local = asc.LocalTensor(asc.int32, asc.TPosition.VECCALC, 0, 64)
    k = a if n > 2 else b
    if WAY == 0:
        k.set_value(0, 1)
    elif WAY == 1:
        asc.data_copy(local, k, 64)
    elif WAY == 2:
        asc.data_copy(local, a if n > 2 else b, 64)
    else:
        (a if n > 2 else b).set_value(0, 1)


@pytest.mark.parametrize("way", range(4))
def test_the_message_names_what_was_chosen_from(way):
    error = refusal(unbound, np.zeros(8, np.int32), 5, way)
    name = "the tensor 'k'" if way < 2 else "the tensor"
    assert error.message == f"{name} has no dtype yet: it is one of 'a' and 'b'"
    assert error.hint == "call their set_global_buffer(address) before control flow chooses one"


# ---- given back by a function ----


@asc.jit
def made():
    t = asc.GlobalTensor()
    return t


@asc.jit
def picked(a, b, n: int):
    return a if n > 2 else b


def test_one_without_a_dtype_cannot_be_returned():
    @asc.jit
    def first(out: asc.GlobalAddress):
        t = made()
        t.set_global_buffer(out)

    @asc.jit
    def second(out: asc.GlobalAddress, n: int):
        a, b = asc.GlobalTensor(), asc.GlobalTensor()
        t = picked(a, b, n)
        t.set_global_buffer(out)

    error = refusal(first, np.zeros(8, np.int32))
    assert (error.message, error.text.strip()) == ("the tensor 't' has no dtype yet", "return t")
    error = refusal(second, np.zeros(8, np.int32), 5)
    assert error.message == "the tensor has no dtype yet: it is one of 'a' and 'b'"
    assert error.text.strip() == "return a if n > 2 else b"
