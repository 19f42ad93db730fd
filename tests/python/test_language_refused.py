# SPDX-License-Identifier: Apache-2.0
"""What a kernel may not say: one located error each, with what to write instead."""

import importlib.util

import numpy as np
import pytest

import asc
from asc.codegen.errors import CodegenError

HEAD = """import math
import numpy as np
import asc

K = 5
LIST = [1, 2, 3]


def plain(x):
    return x + 1


@asc.jit
def helper(v: int) -> int:
    return v + 1


@asc.jit
def first_by_place(v, /, w=1):
    return v + w


@asc.jit
def again(v: int) -> int:
    return again(v)


@asc.jit
def kernel(out: asc.GlobalAddress, n: int):
    o = asc.GlobalTensor()
    o.set_global_buffer(out)
"""
FIRST = HEAD.count("\n") + 1  # the first line of a case


def load(body, tmp_path, name="case"):
    path = tmp_path / f"{name}.py"
    path.write_text(HEAD + "".join(f"    {line}\n" for line in body.splitlines()))
    spec = importlib.util.spec_from_file_location(name, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def refuse(body, tmp_path):
    module = load(body, tmp_path)
    with pytest.raises(asc.CompileError) as error:
        module.kernel[1].compile(np.zeros(64, np.int32), 3)
    return error.value


# (statements, line of the error within them, marked text, message, what to write instead)
CASES = {
    "def": ("def inner():\n    return 1", 0, "def", "a def inside a kernel", "@asc.jit"),
    "lambda": ("f = lambda x: x", 0, "lambda x: x", "lambda is not supported", "@asc.jit function"),
    "class": ("class A:\n    pass", 0, "class A:", "a class inside a kernel", "define it outside"),
    "try": ("try:\n    pass\nexcept ValueError:\n    pass", 0, "try:", "try is not supported", "if"),
    "raise": ("raise ValueError(3)", 0, "raise ValueError(3)", "raise is not supported", "assert"),
    "del": ("x = 1\ndel x", 1, "del x", "del is not supported", ""),
    "global": ("global K\nK = 3", 0, "global K", "global is not supported", "argument"),
    "import": ("import math", 0, "import math", "import inside a kernel", "module level"),
    "from import": (
        "from math import pi",
        0,
        "from math import pi",
        "import inside a kernel",
        "module level",
    ),
    "match": ("match n:\n    case 1:\n        pass", 0, "match n:", "match is not supported", "elif"),
    "with": ("with open('x') as f:\n    pass", 0, "with", "with is not supported", ""),
    "yield": ("x = (yield 3)", 0, "yield 3", "yield is not supported", "tuple"),
    "generator": (
        "x = sum(i for i in range(3))",
        0,
        "(i for i in range(3))",
        "generator expression",
        "[...]",
    ),
    "set": ("x = {1, 2}", 0, "{1, 2}", "a set is not supported", "tuple"),
    "set comprehension": (
        "x = {i for i in range(3)}",
        0,
        "{i for i in range(3)}",
        "set comprehension",
        "list comp",
    ),
    "starred target": ("a, *b = 1, 2, 3", 0, "*b", "starred", ""),
    "starred argument": (
        "o.set_value(*[0, 1])",
        0,
        "*[0, 1]",
        "starred arguments",
        "write the arguments out",
    ),
    "double starred": ("helper(**{'v': 1})", 0, "**{'v': 1}", "**arguments", "write the arguments out"),
    "slice step": ("o.set_value(0, o[0:8:2].get_size())", 0, "2", "a slice of a tensor has no step", ""),
    "negative index": ("t = o[-1]", 0, "-1", "an index from the end", ""),
    "python call": ("o.set_value(0, plain(n))", 0, "n", "called with a runtime value: int32", "@asc.jit"),
    "recursion": ("o.set_value(0, again(n))", None, "again(v)", "recursion: again is called", "loop"),
    "unknown name": ("o.set_value(0, missing)", 0, "missing", "NameError: name 'missing' is not defined", ""),
    "unknown attribute": ("x = math.nothing", 0, "math.nothing", "AttributeError: module 'math'", ""),
    "unknown method": (
        "o.nothing()",
        0,
        "o.nothing",
        "AttributeError: GlobalTensor<int32> has no attribute",
        "",
    ),
    "not built": ("asc.scatter(o, o)", 0, "asc.scatter", "asc.scatter is not yet supported", ""),
    "unset": (
        "if n > 2:\n    x = 1\no.set_value(0, x)",
        2,
        "x",
        f"'x' may be unset here: line {FIRST + 1}",
        "assign x",
    ),
    "unset in loop": (
        "for i in range(n):\n    x = 1\no.set_value(0, x)",
        2,
        "x",
        "'x' may be unset here",
        "",
    ),
    "before": ("o.set_value(0, x)\nx = 1", 0, "x", f"'x' is read before line {FIRST + 1} assigns it", ""),
    "two types": (
        "x = n\nif n > 2:\n    x = 1.5 * n\no.set_value(0, int(x))",
        3,
        "x",
        f"'x' is float32 by line {FIRST + 2} and int32 by line {FIRST}",
        "one type",
    ),
    "loop type": (
        "x = n\nfor i in range(3):\n    x = x * 0.5",
        2,
        "x",
        f"'x' is int32 when the loop begins (line {FIRST}) and float32 for its next turn",
        "x: asc.float32 = ...",
    ),
    "loop string": (
        "x = 'a'\nfor i in range(3):\n    o.set_value(len(x), 1)\n    x = 'bc'",
        3,
        "x",
        "'x' is 'a' when the loop begins",
        "static_range",
    ),
    "branch list": (
        "x = [1]\nif n > 2:\n    x.append(2)",
        2,
        "x.append(2)",
        "may not change under runtime control",
        "",
    ),
    "outside list": ("LIST.append(4)", 0, "LIST.append(4)", "from outside the kernel", "list(x)"),
    "outside item": ("LIST[0] = 4", 0, "LIST[0]", "does not change what it takes from outside", "copy it"),
    "runtime index": ("o.set_value(0, LIST[n])", 0, "LIST[n]", "indexed by a runtime value", "static_range"),
    "kernel result": ("return n", 0, "n", "a kernel returns nothing", "global memory"),
    "missing argument": ("helper()", 0, "helper()", "TypeError: helper() is missing the argument 'v'", ""),
    "too many": ("helper(1, 2)", 0, "2", "TypeError: helper() takes 1 positional argument", ""),
    "keyword": ("helper(w=1)", 0, "1", "TypeError: helper() got an unexpected keyword argument 'w'", ""),
    "positional only": (
        "first_by_place(v=n)",
        0,
        "n",
        "TypeError: first_by_place() got a positional-only argument passed by its name: 'v'",
        "by its place",
    ),
    "launch": ("helper[1](n)", 0, "helper[1](n)", "is a launch: a kernel launches no kernel", "helper(...)"),
    "launch of constants": ("helper[1](3)", 0, "helper[1](3)", "is a launch", "helper(...)"),
    "range float": ("for i in range(1.5):\n    pass", 0, "1.5", "TypeError: range over 1.5", ""),
    "range step": ("for i in range(0, 5, 0):\n    pass", 0, "0", "ValueError: range() arg 3", ""),
    "for over int": ("for i in n:\n    pass", 0, "n", "for over int32 is not possible", "range"),
    "static range": (
        "for i in asc.static_range(n):\n    pass",
        0,
        "n",
        "static_range needs compile-time bounds",
        "range",
    ),
    "truth": ("if o:\n    pass", 0, "o", "GlobalTensor<int32> has no truth value", ""),
    "bad operand": ("x = n + 'a'", 0, "n + 'a'", "TypeError: int32 + 'a' is not possible", ""),
    "python error": ("x = 'a' + 1", 0, "'a' + 1", "TypeError: can only concatenate str", ""),
    "static assert": ("assert K == 4, f'K is {K}'", 0, "assert", "AssertionError: K is 5", ""),
    "f-string value": ("x = f'{n}'", 0, "f'{n}'", "an f-string with runtime values", "print"),
    "tensor item": ("o[0] = 3", 0, "o[0]", "an item of GlobalTensor<int32> cannot be assigned", "set_value"),
    "untyped": (
        "t = asc.GlobalTensor()\nt.set_value(0, 1)",
        1,
        "t.set_value(0, 1)",
        "has no dtype yet",
        "set_global_buffer",
    ),
    "queue rebound": (
        "q = asc.TQue(asc.TPosition.VECIN, 1)\nif n > 1:\n    q = asc.TQue(asc.TPosition.VECIN, 1)\n"
        "q.enque(q)",
        3,
        "q",
        "'q' is one TQue<VECIN, 1> by line",
        "use two names",
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_refused(name, tmp_path):
    body, line, marked, message, hint = CASES[name]
    error = refuse(body, tmp_path)
    assert message in error.message, error
    assert hint in error.hint, error
    site = error.sites[0]
    assert site.text[site.col :].startswith(marked), f"{site.text!r} at {site.col}"
    if line is not None:
        assert site.line == FIRST + line
    assert isinstance(error, CodegenError)


def test_the_next_call_works(tmp_path):
    refuse("x = missing", tmp_path)
    module = load("o.set_value(0, n)", tmp_path, "after")
    a = np.zeros(4, np.int32)
    module.kernel[1](a, 9)
    assert a[0] == 9


def test_callers_are_shown_up_to_the_kernel(tmp_path):
    path = tmp_path / "chain.py"
    path.write_text(
        "import asc\n\n@asc.jit\ndef inner(v):\n    return v + wrong\n\n"
        "@asc.jit\ndef outer(v):\n    return inner(v)\n\n"
        "@asc.jit\ndef kernel(out: asc.GlobalAddress):\n    x = outer(1)\n"
    )
    spec = importlib.util.spec_from_file_location("chain", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    with pytest.raises(asc.CompileError) as error:
        module.kernel[1].compile(np.zeros(4, np.int32))
    assert [(s.line, s.function) for s in error.value.sites] == [(5, "inner"), (9, "outer"), (13, "kernel")]


def test_a_compile_time_parameter_needs_a_compile_time_value():
    @asc.jit
    def buffers(v, k: asc.ConstExpr[int]):
        return v + k

    @asc.jit
    def kernel(out: asc.GlobalAddress, n: int):
        buffers(1, n)

    with pytest.raises(asc.CompileError, match="'k' is compile-time .asc.ConstExpr., but its value is int32"):
        kernel[1].compile(np.zeros(4, np.int32), 3)


def test_returns_of_two_types_and_a_missing_one():
    @asc.jit
    def mixed(v):
        if v > 1:
            return v * 0.5
        return v

    @asc.jit
    def open_end(v):
        if v > 1:
            return v

    @asc.jit
    def first(out: asc.GlobalAddress, n: int):
        mixed(n)

    @asc.jit
    def second(out: asc.GlobalAddress, n: int):
        open_end(n)

    with pytest.raises(asc.CompileError, match="this returns int32, line .* returns float32"):
        first[1].compile(np.zeros(4, np.int32), 3)
    with pytest.raises(asc.CompileError, match="its end can be reached without one"):
        second[1].compile(np.zeros(4, np.int32), 3)
