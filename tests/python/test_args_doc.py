# SPDX-License-Identifier: Apache-2.0
"""Runs the examples of docs/arguments.md."""

import linecache
import re
from pathlib import Path

import numpy as np
import pytest

import asc

TEXT = (Path(__file__).resolve().parents[2] / "docs" / "arguments.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"```python\n(.*?)```", TEXT, re.S)


def run(index, scope):
    """An example without a kernel goes on where the one before it ended."""
    name = f"<docs/arguments.md {index}>"
    code = BLOCKS[index]
    if "@asc.jit" not in code:
        run(index - 1, scope)
    linecache.cache[name] = (len(code), None, code.splitlines(True), name)
    exec(compile(code, name, "exec"), scope)


@pytest.mark.parametrize("index", range(len(BLOCKS)))
def test_example(index):
    run(index, {"asc": asc, "np": np, "pytest": pytest, "__name__": "arguments"})


def test_there_are_examples():
    assert len(BLOCKS) == 6
