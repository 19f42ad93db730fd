# SPDX-License-Identifier: Apache-2.0
"""Deep nesting of functions and expressions: it works, or is one short error, on any thread's stack."""

import subprocess
import sys

import numpy as np
import pytest

import asc

PROGRAM = r"""
import linecache, sys, threading
import numpy as np
import asc

def load(text):
    linecache.cache["deep"] = (len(text), None, text.splitlines(True), "deep")
    names = {{"asc": asc}}
    exec(compile(text, "deep", "exec"), names)
    return names["top"]

HELPERS = "@asc.jit\ndef h0(v): return v\n" + "".join(
    f"@asc.jit\ndef h{{i}}(v): return h{{i - 1}}(v) + 1\n" for i in range(1, {count} + 1))
KERNEL = "@asc.jit\ndef top(out: asc.GlobalAddress, n: int):\n    o = asc.GlobalTensor()\n" \
    "    o.set_global_buffer(out)\n    o.set_value(0, {value})\n"

def run():
    out = np.zeros(8, np.int32)
    for _ in range(2):
        try:
            load(HELPERS + KERNEL)[1](out, 4)
            print("value", out[0])
        except asc.CompileError as error:
            print("error", len(str(error).splitlines()), error.message)
    load(KERNEL.replace({value!r}, "n"))[1](out, 9)
    print("after", out[0])

sys.setrecursionlimit(100000)
threading.stack_size({stack})
thread = threading.Thread(target=run)
thread.start()
thread.join()
"""


def run(count, value, stack):
    code = PROGRAM.format(count=count, value=value, stack=stack)
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=300, check=False
    )
    assert done.returncode == 0, f"{done.returncode}\n{done.stdout}\n{done.stderr}"
    *results, after = done.stdout.splitlines()
    assert after == "after 9"
    assert len(results) == 2 and results[0] == results[1]
    return results[0]


def is_short(result, words):
    kind, lines, message = result.split(" ", 2)
    assert kind == "error" and int(lines) <= 40, result
    assert words in message, result


@pytest.mark.parametrize("stack", [256 * 1024, 512 * 1024])
def test_helpers_on_a_small_stack(stack):
    """200 functions that call each other: a result, or an error that names the stack."""
    result = run(200, "h200(n)", stack)
    if result != "value 204":
        is_short(result, "functions that call each other fill the stack of this thread")


def test_helpers_on_a_usual_stack():
    assert run(200, "h200(n)", 8 << 20) == "value 204"


def test_more_functions_than_there_may_be():
    is_short(run(1500, "h1500(n)", 64 << 20), "more than 500 functions call each other")


@pytest.mark.parametrize("stack", [256 * 1024, 8 << 20])
def test_a_long_sum(stack):
    result = run(0, "n" + " + n" * 900, stack)
    if result != "value 3604":
        is_short(result, "nested too deeply")


def test_a_long_sum_on_a_usual_stack():
    assert run(0, "n" + " + n" * 900, 8 << 20) == "value 3604"


@asc.jit
def many_constants(out: asc.GlobalAddress, COUNT: asc.ConstExpr[int], first: float):
    o = asc.GlobalTensor()
    o.set_global_buffer(out)
    for i in asc.static_range(COUNT):
        o.set_value(i, first + i * 7.25)


def test_more_constants_than_a_function_has_slots():
    out = np.zeros(40_000, np.float32)
    many_constants[1](out, out.size, 0.5)
    assert (out == np.float32(0.5) + (np.arange(out.size) * 7.25).astype(np.float32)).all()
