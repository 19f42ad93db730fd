# SPDX-License-Identifier: Apache-2.0
"""Errors while compiling, which pyasc reports with another type and without the source: here with both."""

import linecache
import math  # noqa: F401 - cells use it

import numpy as np
import pytest

import asc


class OwnError(Exception):
    """An exception of the user's."""


def fails():
    raise OwnError("words of its own")


def interrupted():
    raise KeyboardInterrupt


HEAD = """@asc.jit
def kernel(out: asc.GlobalAddress, n: int):
    o = asc.GlobalTensor()
    o.set_global_buffer(out)
"""


@pytest.fixture
def cell(request):
    """`cell(body)`: a kernel with these lines, as a notebook would define it."""

    def make(body):
        name = f"<cell of {request.node.name}>"
        text = HEAD + body
        linecache.cache[name] = (len(text), None, text.splitlines(True), name)
        namespace = dict(globals())
        exec(compile(text, name, "exec"), namespace)
        return namespace["kernel"]

    return make


PYTHON_ERRORS = [
    ("1 // 0", ZeroDivisionError, "integer division or modulo by zero"),
    ("math.sqrt(-1.0)", ValueError, "math domain error|nonnegative input"),
    ("{'a': 1}['b']", KeyError, "'b'"),
    ("(1, 2)[5]", IndexError, "out of range"),
    ("int('x')", ValueError, "invalid literal"),
    ("fails()", OwnError, "words of its own"),
    ("unknown_name", NameError, "name 'unknown_name' is not defined"),
    ("math.unknown", AttributeError, "module 'math' has no attribute 'unknown'"),
]
BLOCKS = {
    "straight": "    o.set_value(0, {})\n",
    "nested": """    if n > 1:
        for i in range(n):
            while i < 5:
                o.set_value(0, {})
""",
}
every_python_error = pytest.mark.parametrize(
    ("expression", "kind", "words"), PYTHON_ERRORS, ids=[e[0] for e in PYTHON_ERRORS]
)


@pytest.mark.parametrize("block", BLOCKS)
@every_python_error
def test_a_python_error_keeps_its_type_and_its_line(cell, block, expression, kind, words):
    with pytest.raises(asc.CompileError, match=f"^{kind.__name__}: .*({words})") as caught:
        cell(BLOCKS[block].format(expression))[1](np.zeros(8, np.int32), 3)
    assert caught.value.text.strip() == f"o.set_value(0, {expression})"
    assert f"o.set_value(0, {expression})" in str(caught.value)


@pytest.mark.parametrize(
    ("expression", "kind"), [(e, k) for e, k, _ in PYTHON_ERRORS if e in ("1 // 0", "int('x')", "fails()")]
)
def test_a_python_error_is_the_cause(cell, expression, kind):
    with pytest.raises(asc.CompileError) as caught:
        cell(BLOCKS["straight"].format(expression))[1](np.zeros(8, np.int32), 3)
    assert type(caught.value.__cause__) is kind


def test_an_interrupt_is_no_compile_error(cell):
    kernel = cell(BLOCKS["straight"].format("interrupted()"))
    with pytest.raises(KeyboardInterrupt):
        kernel[1](np.zeros(8, np.int32), 3)


@pytest.mark.parametrize(
    ("statement", "words"),
    [
        ("try:\n    pass\nfinally:\n    pass", "try"),
        ("lambda: 1", "lambda"),
        ("del o", "del"),
        ("class Inner:\n    pass", "class"),
    ],
)
def test_unsupported_syntax_in_a_block_shows_its_source(cell, statement, words):
    body = "    if n > 1:\n        for i in range(n):\n"
    body += "".join(f"            {line}\n" for line in statement.split("\n"))
    with pytest.raises(asc.CompileError, match=words) as caught:
        cell(body)[1](np.zeros(8, np.int32), 3)
    first = statement.split("\n")[0]
    assert caught.value.text.strip() == first
    assert first in str(caught.value) and "<source empty>" not in str(caught.value)


@pytest.mark.parametrize(
    ("body", "message", "line"),
    [
        ("    def inner(v):\n        return v\n", "def inside a kernel", "def inner(v):"),
        ("    part = o[0:4:2]\n", "step", "part = o[0:4:2]"),
        (
            "    if n > 1:\n        for i in range(n):\n            part = o[i::2]\n",
            "step",
            "part = o[i::2]",
        ),
    ],
)
def test_what_stays_refused_says_so_at_its_line(cell, body, message, line):
    with pytest.raises(asc.CompileError, match=message) as caught:
        cell(body)[1](np.zeros(8, np.int32), 3)
    assert caught.value.text.strip() == line
