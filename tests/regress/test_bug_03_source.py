# SPDX-License-Identifier: Apache-2.0
"""BUG-03: a kernel's text is what was there when it was decorated: cells, exec, files edited after import."""

import importlib
import linecache
import sys

import numpy as np
import pytest
from outcomes import everywhere

import asc

CELL = """
@asc.jit
def store(out: asc.GlobalAddress):
    o = asc.GlobalTensor()
    o.set_global_buffer(out)
    o.set_value(0, {value})
"""


def value_of(kernel):
    a = np.zeros(8, np.int32)
    kernel[1](a)
    return int(a[0])


def run_cell(name, value):
    """The kernel that a notebook cell makes: its text is registered under the cell's name, then it runs."""
    text = CELL.format(value=value)
    linecache.cache[name] = (len(text), None, text.splitlines(True), name)
    namespace = {"asc": asc, "__name__": "notebook"}
    exec(compile(text, name, "exec"), namespace)
    return namespace["store"]


def cells():
    return [
        value_of(run_cell(name, value)) for name, value in (("<cell 1>", 1), ("<cell 1>", 2), ("<cell 2>", 3))
    ]


def test_a_cell_that_runs_again(tmp_path):
    assert everywhere(cells, tmp_path / "cache") == [1, 2, 3]


def test_exec_without_text_says_so_when_decorating():
    with pytest.raises(asc.CompileError, match=r"`store` cannot be found") as caught:
        exec(CELL.format(value=4), {"asc": asc, "__name__": "notebook"})
    assert "source text" in str(caught.value)


@pytest.fixture
def kernel_file(tmp_path, monkeypatch):
    """A function that writes the module `upgraded` with some lines before its kernel."""
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    yield lambda pad, value: (tmp_path / "upgraded.py").write_text(
        "import asc\n" + pad + CELL.format(value=value)
    )
    sys.modules.pop("upgraded", None)


def test_a_file_that_is_upgraded_before_the_first_launch(kernel_file):
    kernel_file("", 1)
    importlib.invalidate_caches()
    module = importlib.import_module("upgraded")
    kernel_file("# moved\n" * 3, 2)
    assert value_of(module.store) == 1
    assert value_of(module.store) == 1
    importlib.reload(module)
    assert value_of(module.store) == 2
