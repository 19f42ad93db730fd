# SPDX-License-Identifier: Apache-2.0
"""Kernels of tests/golden: the printed texts, and printed programs that run as the simulator does.

A golden module tests/golden/NAME.py has CASES: (case, kernel, grid, function that makes the arguments).
Beside it lie NAME.CASE.cpp, the Ascend C, and NAME.CASE.ir. `./dev bless` writes them; read what it wrote.
"""

import importlib.util
import pathlib

import host_exec
import numpy as np
import pytest

import asc
from asc import _asc

ROOT = pathlib.Path(__file__).resolve().parents[2]
GOLDEN = ROOT / "tests/golden"


def load_cases():
    cases = []
    for path in sorted(GOLDEN.glob("*.py")):
        spec = importlib.util.spec_from_file_location(f"golden_{path.stem}", path)
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        for name, kernel, grid, arguments in module.CASES:
            full = f"{path.stem}.{name}"
            cases.append(pytest.param(full, kernel, grid, arguments, id=full))
    return cases


CASES = load_cases()
NAMES = [case.values[0] for case in CASES]
every_case = pytest.mark.parametrize(("name", "kernel", "grid", "arguments"), CASES)


def copies(arguments):
    return [np.array(a) if isinstance(a, np.ndarray) else a for a in arguments]


def runtime_arguments(compiled, kernel, arguments):
    """Those of the printed signature: compile-time ones are in the text."""
    code = kernel.fn.__code__
    named = dict(zip(code.co_varnames, arguments))
    return [named[entry["name"]] for entry in compiled.meta["arguments"]]


@every_case
def test_printed_texts(name, kernel, grid, arguments, golden):
    compiled = kernel[grid].compile(*arguments())
    golden(f"{name}.cpp", compiled.text["ascendc"])
    golden(f"{name}.ir", compiled.text["ir"].replace(f'"{ROOT}/', '"'))


def test_no_golden_file_is_left_over():
    wanted = {f"{name}.{ending}" for name in NAMES for ending in ("cpp", "ir")}
    assert {path.name for path in GOLDEN.iterdir() if path.suffix in (".cpp", ".ir")} == wanted


@pytest.mark.skipif(not hasattr(_asc, "parse_ir"), reason="the core offers no parser of IR text")
@every_case
def test_ir_text_reads_back(name, kernel, grid, arguments):
    text = kernel[grid].compile(*arguments()).text["ir"]
    assert _asc.parse_ir(text) == text


def bits(array):
    return np.ascontiguousarray(array).reshape(-1).view(np.uint8)


@pytest.mark.host
@pytest.mark.parametrize("mode", ["check", "fast"])
@every_case
def test_printed_program_runs_as_the_simulator_does(name, kernel, grid, arguments, mode):
    simulated = copies(arguments())
    compiled = kernel[grid].compile(*simulated)
    kernel.options(mode=mode)[grid](*simulated)
    assert asc.last_findings() == []
    printed = host_exec.compile_printed(compiled.text["ascendc"])
    given = runtime_arguments(compiled, kernel, arguments())
    scratch = host_exec.workspace_bytes(compiled, grid)
    result = printed.run(compiled.meta["kernel_type"], grid, given, workspace=scratch)
    expected = [a for a in runtime_arguments(compiled, kernel, simulated) if isinstance(a, np.ndarray)]
    inputs = [a for a in given if isinstance(a, np.ndarray)]
    assert len(expected) == len(result.arrays) > 0
    for actual, wanted in zip(result.arrays, expected):
        np.testing.assert_array_equal(
            bits(actual), bits(wanted), f"printed program: {actual}\nsimulator: {wanted}"
        )
    changed = [not np.array_equal(bits(a), bits(b)) for a, b in zip(expected, inputs)]
    assert any(changed), "the kernel writes nothing: the comparison says nothing"
