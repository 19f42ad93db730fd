# SPDX-License-Identifier: Apache-2.0
"""`python -m asc doctor`: what is installed, what works, and what to do about the rest.

Each line is a check with a verdict: `ok`, `note` (nothing to do), `warning` (works, but perhaps not as meant)
or `error`. The exit status is 1 if there is an error, else 0. `--json` prints the same as one JSON object."""

import argparse
import os
import sys
import time
from array import array

import asc
from asc import _asc
from asc.tools import doctor_checks as checks

COUNT, BLOCKS = 1024, 2


@asc.jit
def add_one_by_one(x: asc.GlobalAddress, y: asc.GlobalAddress, z: asc.GlobalAddress, share: int):
    first = asc.get_block_idx() * share
    x_gm = asc.GlobalTensor()
    y_gm = asc.GlobalTensor()
    z_gm = asc.GlobalTensor()
    x_gm.set_global_buffer(x + first, share)
    y_gm.set_global_buffer(y + first, share)
    z_gm.set_global_buffer(z + first, share)
    x_ub = asc.LocalTensor(x.dtype, asc.TPosition.VECIN, 0, share)
    y_ub = asc.LocalTensor(x.dtype, asc.TPosition.VECIN, share * 4, share)
    z_ub = asc.LocalTensor(x.dtype, asc.TPosition.VECOUT, share * 8, share)
    asc.data_copy(x_ub, x_gm, share)
    asc.data_copy(y_ub, y_gm, share)
    asc.set_flag(asc.HardEvent.MTE2_V, 0)
    asc.wait_flag(asc.HardEvent.MTE2_V, 0)
    asc.add(z_ub, x_ub, y_ub, share)
    asc.set_flag(asc.HardEvent.V_MTE3, 0)
    asc.wait_flag(asc.HardEvent.V_MTE3, 0)
    asc.data_copy(z_gm, z_ub, share)


def self_test():
    """Compiles and runs a kernel on arrays of the standard library; compares with Python's own sums."""
    x = array("f", range(COUNT))
    y = array("f", [0.5 * i for i in range(COUNT)])
    z = array("f", bytes(4 * COUNT))
    times = []
    try:
        for _ in range(3):
            start = time.perf_counter()
            add_one_by_one[BLOCKS](x, y, z, COUNT // BLOCKS)
            times.append(time.perf_counter() - start)
    except Exception as e:
        text = f"a kernel fails: {type(e).__name__}: {e}"
        return checks.Check("self-test", "error", text, advice="see the variables above; else report this")
    if checks.is_dry_run():
        text = "PYASC_DRY_RUN is set: kernels are compiled and not executed"
        return checks.Check("self-test", "warning", text, advice="unset PYASC_DRY_RUN for results")
    wrong = [i for i in range(COUNT) if z[i] != x[i] + y[i]]
    if wrong:
        i = wrong[0]
        text = f"wrong result: {x[i]} + {y[i]} gave {z[i]} at element {i}; {len(wrong)} of {COUNT} are wrong"
        return checks.Check("self-test", "error", text, advice="please report this, with all that is above")
    text = (
        f"a vector add is right; first call {times[0] * 1e3:.1f} ms, later ones {min(times[1:]) * 1e6:.0f} us"
    )
    details = {"first_call_s": times[0], "later_call_s": min(times[1:])}
    return checks.Check("self-test", "ok", text, details)


def examine():
    """All checks, in the order in which they are printed."""
    yield checks.installation()
    yield checks.python()
    yield from checks.other_packages()
    yield from checks.backends()
    for name in ("numpy", "torch", "ml_dtypes"):
        yield checks.array_package(name)
    yield checks.cache_folder()
    yield from checks.environment()
    yield self_test()


def show(check):
    """The lines of one check."""
    lines = [f"{check.verdict:<8}{check.name:<13}{check.text}"]
    if check.advice:
        lines.append(f"{'':21}-> {check.advice}")
    return "\n".join(lines)


def main(arguments=None):
    """Prints the report; returns the exit status."""
    parser = argparse.ArgumentParser(
        prog="python -m asc doctor", description="Looks at this installation of asc."
    )
    parser.add_argument("--json", action="store_true", help="one JSON object instead of text")
    options = parser.parse_args(arguments)
    found = []
    for check in examine():
        found.append(check)
        if not options.json:
            print(show(check), flush=True)
    errors = sum(check.verdict == "error" for check in found)
    warnings = sum(check.verdict == "warning" for check in found)
    if options.json:
        import json

        print(json.dumps({"ok": not errors, "version": _asc.__version__, "checks": [vars(c) for c in found]}))
    elif errors or warnings:
        print(f"\n{errors} error(s), {warnings} warning(s)")
    else:
        print("\nasc works here")
    sys.stdout.flush()
    return os.EX_OK if not errors else 1
