# SPDX-License-Identifier: Apache-2.0
"""BUG-04: brackets, lambdas and false definitions in stacked decorators; errors show the file's own lines."""

import traceback

import pytest
from outcomes import run_file

import asc

PROGRAM = """\
import numpy as np

import asc


def tag(*things, **named):
    return lambda function: function


@tag(lambda c: (c["n"] + (1 if c["n"] else 2)), names=["x(", ")"])
@tag(
    text="def fake(",
)
@asc.jit
def plus(v: int) -> int:
    w = v + 1
    return w + {term}


@tag()
@asc.jit
def stacked(out: asc.GlobalAddress):
    o = asc.GlobalTensor()
    o.set_global_buffer(out)
    o.set_value(0, plus(3))


def launch():
    a = np.zeros(8, np.int32)
    stacked[1](a)
    return int(a[0])
"""
GUILTY = "    return w + missing_name"
CALLER = "    o.set_value(0, plus(3))"


@pytest.fixture
def program(tmp_path, monkeypatch):
    """`program(term)`: the path of the file, and its namespace after running it."""

    def make(term):
        path = tmp_path / f"lines_{len(term)}.py"
        path.write_text(PROGRAM.format(term=term), encoding="utf-8")
        namespace = {"__name__": "lines", "__file__": str(path)}
        exec(compile(path.read_text(), str(path), "exec"), namespace)
        return path, namespace

    return make


def test_it_runs_with_all_decorators(program, tmp_path):
    path, namespace = program("1")
    assert [namespace["launch"]() for _ in range(2)] == [5, 5]
    for _ in range(2):
        assert run_file(path, tmp_path / "cache", call="print(m.launch(), m.launch())") == "5 5\n"


def test_the_error_shows_line_text_mark_and_caller(program):
    path, namespace = program("missing_name")
    lines = path.read_text().splitlines()
    for _ in range(2):
        with pytest.raises(asc.CompileError) as caught:
            namespace["launch"]()
        error = caught.value
        assert (error.file, error.line, error.text) == (str(path), lines.index(GUILTY) + 1, GUILTY)
        assert (error.sites[1].file, error.sites[1].line) == (str(path), lines.index(CALLER) + 1)
        shown = str(error).splitlines()
        guilty = next(i for i, line in enumerate(shown) if line.endswith(GUILTY.strip()))
        mark = shown[guilty + 1]
        start = shown[guilty].index("missing_name")
        assert mark == " " * start + "^" + "~" * (len("missing_name") - 1)
        assert any(line.endswith(CALLER.strip()) for line in shown)
        assert f"{path}:{lines.index(GUILTY) + 1}" in str(error)


def test_no_python_frame_of_the_compiler_is_shown(program):
    path, namespace = program("missing_name")
    with pytest.raises(asc.CompileError) as caught:
        namespace["launch"]()
    files = [frame.filename for frame in traceback.extract_tb(caught.value.__traceback__)]
    assert files == [__file__, str(path)]


def test_the_error_is_the_same_in_a_new_process(program, tmp_path):
    path, _ = program("missing_name")
    line = PROGRAM.format(term="missing_name").splitlines().index(GUILTY) + 1
    call = "try: m.launch()\nexcept m.asc.CompileError as e: print(e.line, e.message)"
    printed = [run_file(path, tmp_path / "cache", call=call) for _ in range(2)]
    assert printed[0] == printed[1]
    assert printed[0].startswith(f"{line} ") and "missing_name" in printed[0]
