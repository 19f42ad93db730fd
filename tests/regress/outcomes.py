# SPDX-License-Identifier: Apache-2.0
"""Runs a case as users meet it: cold and warm here, and in new processes that share a cache folder."""

import ast
import os
import pathlib
import subprocess
import sys

import asc

TESTS = pathlib.Path(__file__).resolve().parents[1]
FOLDERS = [str(TESTS / "regress"), str(TESTS / "python"), str(TESTS)]
SECONDS = 120


def run_file(path, cache, *, call="", **environment):
    """The output of a new process that imports a file as `m`, then runs `call`; its cache is in a folder."""
    code = f"import sys; sys.path[:0] = {[str(pathlib.Path(path).parent), *FOLDERS]!r}\n"
    code += f"import {pathlib.Path(path).stem} as m\n{call}"
    done = subprocess.run(
        [sys.executable, "-c", code],
        env=dict(os.environ, PYASC_CACHE_DIR=str(cache), **environment),
        capture_output=True,
        text=True,
        timeout=SECONDS,
        check=False,
    )
    assert done.returncode == 0, f"exit status {done.returncode}\n{done.stdout}{done.stderr}"
    return done.stdout


def everywhere(function, cache):
    """What `function()` of a test module returns, which must be the same each time; it is made of literals.

    Called twice here, twice in a new process on the empty folder `cache`, and once in a second one.
    """
    call = f"print(repr([m.{function.__name__}() for _ in range(%d)]))"
    path = function.__code__.co_filename
    results = {"here, first": function(), "here, again": function()}
    for where, times in (("new process", 2), ("second process", 1)):
        printed = run_file(path, cache, call=call % times).strip().splitlines()[-1]
        for i, result in enumerate(ast.literal_eval(printed)):
            results[f"{where}, call {i + 1}"] = result
    first = next(iter(results.values()))
    assert all(result == first for result in results.values()), results
    return first


def findings_of(call, error=asc.KernelError):
    """The findings with which `call()` ends; none if it ends well."""
    try:
        call()
    except error as caught:
        assert isinstance(caught, asc.KernelError)
        assert caught.findings and str(caught)
        return caught.findings
    return []


def brief(finding):
    """A finding as literals: id, the source text of its line, what it is about, and the range there."""
    return (finding.id, finding.site.text.strip(), finding.buffer, finding.range)
