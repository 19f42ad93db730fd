# SPDX-License-Identifier: Apache-2.0
"""Source capture: where a kernel's text comes from, when it is refused, and the place that errors show."""

import importlib
import linecache
import subprocess
import sys
import zipfile

import numpy as np
import pytest

import asc

HEAD = "import asc\n"
KERNEL = """
@asc.jit
def kern(out: asc.GlobalAddress):
    o = asc.GlobalTensor()
    o.set_global_buffer(out)
    o.set_value(0, {v})
"""


def run(kernel, *args):
    """Launches `kernel` on one core; the first element of its output."""
    out = np.zeros(8, np.int32)
    kernel[1](out, *args)
    return int(out[0])


@pytest.fixture
def module(tmp_path, monkeypatch):
    """`module(text)` writes and imports a new module; `module(text, name)` gives it that name."""
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    names = []

    def make(text, name=None, encoding="utf-8"):
        name = name or f"captured_{len(names)}"
        names.append(name)
        (tmp_path / f"{name}.py").write_bytes(text.encode(encoding))
        importlib.invalidate_caches()
        return importlib.import_module(name)

    yield make
    for name in names:
        sys.modules.pop(name, None)


def run_cell(name, text):
    """What a notebook does with a cell."""
    linecache.cache[name] = (len(text), None, text.splitlines(True), name)
    namespace = {"asc": asc, "__name__": "nb"}
    exec(compile(text, name, "exec"), namespace)
    return namespace


# ---- where the text comes from ----


def test_exec_without_text_is_refused_when_decorated():
    with pytest.raises(asc.CompileError, match="`kern` cannot be found.*<string>"):
        exec(KERNEL.format(v=4), {"asc": asc, "__name__": "nb"})


def test_text_of_another_cell_is_not_taken():
    with pytest.raises(asc.CompileError, match="`kern` cannot be found"):
        exec(compile(KERNEL.format(v=4), "<cell never registered>", "exec"), {"asc": asc, "__name__": "nb"})


@pytest.mark.parametrize("name", ["<cell 1>", "<ipython-input-3-a1b2>", "/no/such/folder/ipykernel_7/123.py"])
def test_notebook_cells(name):
    first = run_cell(name, KERNEL.format(v=1))["kern"]
    assert run(first) == 1
    again = run_cell(name, KERNEL.format(v=2))["kern"]
    assert run(again) == 2
    assert run(first) == 1


def test_upgrade_in_place_then_reload(module, tmp_path):
    text = "import asc\n{pad}" + KERNEL
    m = module(text.format(pad="", v=1), "kmod")
    (tmp_path / "kmod.py").write_text(text.format(pad="# moved\n" * 3, v=2))
    assert run(m.kern) == 1
    importlib.reload(m)
    assert run(m.kern) == 2


def test_module_in_a_zip_file(tmp_path, monkeypatch):
    path = tmp_path / "kernels.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("zipped_kernel.py", HEAD + KERNEL.format(v=6))
    monkeypatch.syspath_prepend(str(path))
    assert run(importlib.import_module("zipped_kernel").kern) == 6


def test_decoration_imports_nothing(tmp_path):
    path = tmp_path / "alone.py"
    text = "import sys, asc\nbefore = set(sys.modules)\n" + KERNEL.format(v=1)
    path.write_text(text + "print(sorted(set(sys.modules) - before))\n")
    done = subprocess.run([sys.executable, str(path)], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


def test_python_warns_of_an_escape_once(module, recwarn):
    m = module(HEAD + KERNEL.format(v='8 if "\\d" else 9'))
    at_import = len(recwarn)
    assert run(m.kern) == 8
    assert len(recwarn) == at_import


# ---- a text that is not the function's ----

PLAIN = "def kern(out):\n    x = 1\n    x = x + 1\n    return\n"


@pytest.mark.parametrize(
    "now",
    [
        "# one line more\n" + PLAIN,
        "\n" * 20 + PLAIN,
        "x = 1\n",
        PLAIN.replace("kern", "other"),
        PLAIN.replace("out", "res"),
        PLAIN.replace("(out)", "(out, n)"),
        PLAIN.replace("    x = x + 1\n", ""),
        PLAIN.replace("    x = x + 1\n", "    # x = x + 1\n"),
        PLAIN.replace("    return\n", "    x = 3\n    return\n"),
        PLAIN.replace("x + 1", "(x + 1"),
        PLAIN.replace("x = 1", "x = '''"),
    ],
)
def test_changed_since_import(module, tmp_path, now):
    plain = module(PLAIN, "plain").kern
    (tmp_path / "plain.py").write_text(now)
    with pytest.raises(asc.CompileError, match="`kern` has changed since import"):
        asc.jit(plain)[1](np.zeros(8, np.int32))


def test_pytest_rewriting_of_assert_is_no_change():
    @asc.jit
    def kern(out: asc.GlobalAddress, n: asc.ConstExpr[int]):
        assert n > 0, "n is the value to write"
        o = asc.GlobalTensor()
        o.set_global_buffer(out)
        o.set_value(0, n)

    assert run(kern, 5) == 5


def test_lambda_and_async_def_are_refused_when_decorated():
    with pytest.raises(asc.CompileError, match="lambda"):
        asc.jit(lambda out: None)
    with pytest.raises(asc.CompileError, match="`kern` is an `async def`"):

        @asc.jit
        async def kern(out):
            pass


# ---- how files are written ----


def test_coding_cookie(module):
    text = "# -*- coding: latin-1 -*-\n" + HEAD + KERNEL.format(v='2 if "é" == "\\xe9" else 1')
    assert run(module(text, encoding="latin-1").kern) == 2


@pytest.mark.parametrize("newline", ["\n", "\r\n", "\r"])
def test_line_ends(module, newline):
    text = HEAD + KERNEL.format(v='len("""a\nb""")')
    assert run(module(text.replace("\n", newline)).kern) == 3


def test_byte_order_mark_and_form_feed(module):
    kernel = KERNEL.format(v=3).replace("@asc", "\f@asc").replace("    o.set_value", "\f    o.set_value")
    assert run(module("\ufeff" + HEAD + kernel).kern) == 3


def test_tabs(module):
    text = HEAD + "if True:\n" + KERNEL.format(v=4).replace("    ", "\t").replace("\n", "\n\t") + "\n"
    assert run(module(text).kern) == 4


def test_nested_definitions_keep_their_strings(module):
    text = (
        HEAD
        + '''
class Kernels:
    class Inner:
        @staticmethod
        @asc.jit
        def kern(out: asc.GlobalAddress):
            """Text
at column 0: def fake(
"""
            s = """
    four, and a comment sign: #
"""
# a comment at column 0
            o = asc.GlobalTensor()
            o.set_global_buffer(out)
            o.set_value(0, len(s))

    # a comment behind the kernel
    after = 1
'''
    )
    assert run(module(text).Kernels.Inner.kern) == len("\n    four, and a comment sign: #\n")


def test_one_line_and_no_newline_at_the_end(module):
    m = module(HEAD + KERNEL.format(v="two()") + "@asc.jit\ndef two() -> int: return 2")
    assert run(m.kern) == 2


@pytest.mark.skipif(sys.version_info < (3, 12), reason="f-strings nest their quotes since Python 3.12")
def test_nested_fstrings(module):
    value = """len(f"{"a" + f"{"}"}"} # no comment {
        1  # a comment with " and }
        :{">"}3}")"""
    expected = len("a} # no comment   1")
    assert run(module(HEAD + KERNEL.format(v=value)).kern) == expected


# ---- decorators, and the line an error points at ----

STACKED = """
def tag(*a, **k):
    return lambda f: f


@tag(lambda c: (c["n"] + (1 if c["n"] else 2)), names=["x(", ")"])
@tag(
    text="def fake(",
)
@asc.jit
def helper(v: int) -> int:
    w = v + 1
    return w + {name}


@tag()
# a comment between decorators
@asc.jit
def kern(out: asc.GlobalAddress):
    o = asc.GlobalTensor()
    o.set_global_buffer(out)
    o.set_value(0, helper(3))
"""


def test_stacked_decorators(module):
    assert run(module(HEAD + STACKED.format(name=1)).kern) == 5


def test_error_shows_the_line_of_callee_and_caller(module):
    text = HEAD + STACKED.format(name="missing_name")
    m = module(text)
    with pytest.raises(asc.CompileError) as caught:
        run(m.kern)
    lines = text.splitlines()
    error = caught.value
    guilty = "    return w + missing_name"
    assert (error.file, error.line, error.text) == (m.__file__, lines.index(guilty) + 1, guilty)
    assert error.col == guilty.index("missing_name")
    caller = error.sites[1]
    assert (caller.line, caller.text) == (len(lines), lines[-1])
    shown = str(error).splitlines()
    at = shown.index(next(line for line in shown if line.rstrip().endswith(guilty.strip())))
    assert shown[at + 1].index("^") == shown[at].index("missing_name")


def test_column_behind_text_of_several_bytes(module):
    guilty = '        é = "ünï"; o.set_value(0, missing_name)'
    m = module(f"""
import asc
def make():
    @asc.jit
    def kern(out: asc.GlobalAddress):
        o = asc.GlobalTensor()
        o.set_global_buffer(out)
{guilty}
    return kern
""")
    with pytest.raises(asc.CompileError) as caught:
        run(m.make())
    assert caught.value.text == guilty
    assert caught.value.col == guilty.encode().index(b"missing_name")


def test_string_annotations(module):
    m = module("""from __future__ import annotations
from typing import TYPE_CHECKING, Optional
import asc
if TYPE_CHECKING:
    from nowhere import Missing


@asc.jit
def kern(out: asc.GlobalAddress, n: int, K: asc.ConstExpr[int], W: "asc.ConstExpr[float]",
         m: Missing, p: Optional[int]):
    o = asc.GlobalTensor()
    o.set_global_buffer(out)
    for i in asc.static_range(K):
        o.set_value(i, n + i + m + p)
""")
    out = np.zeros(8, np.int32)
    m.kern[1](out, 10, 8, 0.5, 100, 1000)
    np.testing.assert_array_equal(out, 1110 + np.arange(8))
