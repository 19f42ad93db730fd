# SPDX-License-Identifier: Apache-2.0
"""Three ways of running a case: the oracle, the simulator in check mode, the printed program on the host;
and what it means when
they differ."""

import dataclasses
import linecache
import os
import pathlib
import re
import sys
import traceback

import numpy as np
from case import Given, Outcome, exact, oracle

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "python"))
os.environ["PYASC_CACHE_MAX_BYTES"] = "0"  # every kernel is lowered here and now
import host_exec

import asc

GOOD = ("equal", "finding", "refused")


@dataclasses.dataclass
class Verdict:
    """`status`: one of GOOD, or the kind of a fault; `detail` shows it."""

    status: str
    detail: str = ""

    @property
    def is_fault(self):
        return self.status not in GOOD


@dataclasses.dataclass
class Simulated:
    outcome: Outcome
    text: str = ""
    kernel_type: str = "AIV_ONLY"


def safe_oracle(case):
    try:
        return oracle(case)
    except Exception:  # what the oracle does not foresee is a fault too: its own
        return Outcome("oracle error", traceback.format_exc())


def load(case):
    """(kernel, arguments of a launch) of a case; its source is found through linecache."""
    name = f"<fuzz {case.seed} {abs(hash(case.source))}>"
    linecache.cache[name] = (len(case.source), None, case.source.splitlines(True), name)
    scope = {"__name__": "fuzz"}
    exec(compile(case.source, name, "exec"), scope)
    given = {k: scope[v.name](**v.fields) if isinstance(v, Given) else v for k, v in case.copies().items()}
    return scope["kernel"], given


def simulate(case):
    text = ""
    try:
        kernel, arguments = load(case)
        compiled = kernel[case.blocks].compile(*arguments.values())
        text = compiled.text["ascendc"]
        kernel[case.blocks](*arguments.values())
    except asc.CompileError as error:
        return Simulated(Outcome("refused", str(error)), text)
    except asc.KernelError as error:
        return Simulated(Outcome("finding", f"{type(error).__name__}: {error}"), text)
    except Exception:
        return Simulated(Outcome("internal error", traceback.format_exc()), text)
    return Simulated(
        Outcome("ran", arrays={k: v for k, v in arguments.items() if isinstance(v, np.ndarray)}), text
    )


def run_on_host(case, compiled):
    """The arrays by name after the printed program ran on the host."""
    arguments = load(case)[1]
    names = [p.name for p in compiled.parameters]
    names = [n if n in arguments else n.removesuffix("_gm").rstrip("_") for n in names]
    result = compiled.run("AIV_ONLY", case.blocks, [arguments[n] for n in names])
    return dict(zip([n for n in names if isinstance(arguments[n], np.ndarray)], result.arrays, strict=True))


def bits(array):
    """An array's bits; every NaN is the same one, whose sign no language promises."""
    if array.dtype.kind != "f":
        return array
    return np.where(np.isnan(array), array.dtype.type(np.nan), array).view(f"u{array.dtype.itemsize}")


def differences(wanted, got):
    lines = []
    for name, want in wanted.items():
        if name not in got:
            lines.append(f"{name}: no result")
            continue
        for i in np.nonzero(bits(want) != bits(got[name]))[0][:8]:
            lines.append(f"{name}[{i}]: oracle {want[i]!r}, got {got[name][i]!r}")
    return "\n".join(lines)


def compare_simulated(case, wanted, simulated):
    """The verdict as far as the simulator goes; None if the host must still be asked."""
    got = simulated.outcome
    if wanted.status in ("oracle error", "useless"):
        return Verdict(wanted.status, wanted.detail)
    if got.status == "internal error":
        return Verdict("internal error", got.detail)
    if wanted.status == "refused":
        return Verdict(
            "refused" if got.status == "refused" else "accepted", f"the oracle refuses: {wanted.detail}"
        )
    if got.status == "refused":
        status = "finding" if wanted.status == "finding" else "compile error"
        return Verdict(status, got.detail)
    if wanted.status == "finding":
        kind = wanted.detail.split(":")[0]
        if got.status == "finding":
            return Verdict("finding")
        wide = exact(case)
        if kind == "scalar" and wide.status == "ran" and not differences(wide.arrays, got.arrays):
            return Verdict("finding", "none: the values form offsets, which are computed in 64 bits")
        return Verdict("missing finding", f"the oracle foresees {kind}: {wanted.detail}")
    if got.status == "finding":
        return Verdict("unexpected finding", got.detail)
    different = differences(wanted.arrays, got.arrays)
    return Verdict("simulator differs", different) if different else None


def compare_host(case, wanted, compiled):
    try:
        got = run_on_host(case, compiled)
    except host_exec.HostError as error:
        return Verdict("host fails", str(error))
    different = differences(wanted.arrays, got)
    return Verdict("host differs", different) if different else Verdict("equal")


def compile_all(simulated):
    """{seed: compiled kernel or HostError} of a batch {seed: Simulated}; programs that do not compile are
    left out one by one."""
    left, results = dict(simulated), {}
    while left:
        seeds = list(left)
        try:
            compiled = host_exec.compile_batch([left[s].text for s in seeds])
            results.update(zip(seeds, compiled))
            break
        except host_exec.HostError as error:
            named = re.search(r"program (\d+): \w+:\d+:\d+: (fatal )?error", str(error))
            bad = seeds[int(named[1])] if named else seeds[0]
            results[bad] = error
            del left[bad]
    return results


def check(case, wanted=None, host=True):
    """(verdict, oracle's outcome, Simulated) of one case; without the host's part if that is not wanted."""
    wanted = wanted or safe_oracle(case)
    if wanted.status in ("oracle error", "useless"):
        return Verdict(wanted.status, wanted.detail), wanted, Simulated(wanted)
    simulated = simulate(case)
    verdict = compare_simulated(case, wanted, simulated)
    if verdict is None and not host:
        verdict = Verdict("equal")
    if verdict is None:
        compiled = compile_all({0: simulated})[0]
        if isinstance(compiled, host_exec.HostError):
            verdict = Verdict("host refuses", str(compiled))
        else:
            verdict = compare_host(case, wanted, compiled)
    return verdict, wanted, simulated
