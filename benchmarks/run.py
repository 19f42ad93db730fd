# SPDX-License-Identifier: Apache-2.0
"""Measures asc against its peers, side by side, and prints one table; `./dev bench` is the way to call it.

usage: run.py [--rounds N] [--quick] [--only WHAT,...]

Every round runs each measurement on all sides, one after the other, in fresh processes, so that a slow spell
of the machine hits all. A figure is the median over all rounds, with the 10th and 90th percentiles in
brackets; a ratio is that of the medians. One JSON line with everything goes to benchmarks/history.jsonl."""

import argparse
import json
import os
import platform
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import budgets

FOLDER = Path(__file__).resolve().parent
ROOT = FOLDER.parent
PYTHON = {side: ROOT / f".venv{suffix}/bin/python" for side, suffix in
          (("asc", ""), ("pyasc", "-pyasc"), ("triton", "-triton"))}  # fmt: skip
FLOOR = str(ROOT / "build/bench/floor.so")
# what -> (sides, the worker's function, its options, name of the figure or None where it has names itself)
MEASUREMENTS = {
    "import": (("asc", "pyasc"), "import", {}),
    "first": (("asc", "pyasc"), "first", {}),
    "compile": (("asc", "pyasc"), "compile", {}),
    "warm_numpy": (("asc", "pyasc"), "warm", {"arrays": "numpy"}),
    "warm_torch": (("asc", "pyasc"), "warm", {"arrays": "torch"}),
    "triton": (("triton",), "triton", {}),
    "add": (("asc",), "add", {"floor": FLOOR}),
    "chain": (("asc",), "chain", {}),
    "product": (("asc",), "product", {}),
    "threads": (("asc",), "threads", {"floor": FLOOR}),
    "scalar": (("asc",), "scalar", {}),
}
# The peers' bytecode came with pip; asc's is written when it is first imported, unless this forbids it.
ENVIRONMENT = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
# A whole program: imports, one kernel, arrays of the standard library.
PROGRAM = """
import sys
sys.path.insert(0, sys.argv[1])
from array import array
from kernel_vadd import add_kernel
x, y, z = (array("f", bytes(4 * 16384)) for _ in range(3))
add_kernel[1](x, y, z, 16384)
"""


def worker(side, what, options):
    """One measurement in a process of its own: (result, None), or (None, why it failed)."""
    command = [str(PYTHON[side]), str(FOLDER / "worker.py"), side, what, json.dumps(options)]
    try:
        done = subprocess.run(
            command, capture_output=True, text=True, timeout=300, stdin=subprocess.DEVNULL, env=ENVIRONMENT
        )
    except subprocess.TimeoutExpired:
        return None, "no end within 300 s"
    if done.returncode != 0:
        return None, (done.stderr.strip().splitlines() or ["exit " + str(done.returncode)])[-1]
    return json.loads(done.stdout.splitlines()[-1]), None


def extension_size(side):
    """Bytes of the package's shared objects."""
    tag = f"*cpython-3{sys.version_info[1]}*.so" if side == "asc" else "*.so"
    find = (
        "import importlib.util as u, pathlib as p; "
        f"print(sum(f.stat().st_size for f in p.Path(u.find_spec('asc').origin).parent.rglob('{tag}')))"
    )
    done = subprocess.run([str(PYTHON[side]), "-c", find], capture_output=True, text=True, cwd=FOLDER)
    return int(done.stdout) if done.returncode == 0 and int(done.stdout) > 0 else None


def seconds_of(command, **options):
    t = time.perf_counter()
    subprocess.run(command, check=True, stdin=subprocess.DEVNULL, **options)
    return time.perf_counter() - t


def second_process(repeat=9):
    """A process that finds its kernel in the cache, and a bare one, taking turns: samples, or why not."""
    python = str(PYTHON["asc"])
    with tempfile.TemporaryDirectory() as folder:
        variables = {k: v for k, v in os.environ.items() if not k.startswith("PYASC_")}
        variables["PYASC_CACHE_DIR"] = os.path.join(folder, "cache")
        program = [python, "-c", PROGRAM, str(FOLDER)]
        subprocess.run(program, check=True, env=variables, cwd=folder, stdin=subprocess.DEVNULL)
        if not any(path.is_file() for path in Path(folder, "cache").rglob("*")):
            return {}, "not built: no cache on disk"
        samples = {"asc.process": [], "bare.process": []}
        for _ in range(repeat):
            samples["bare.process"].append(seconds_of([python, "-c", "pass"], env=variables, cwd=folder))
            samples["asc.process"].append(seconds_of(program, env=variables, cwd=folder))
    return samples, None


def collect(rounds, only, quick):
    """All samples by name, and the reasons for what could not be measured."""
    samples, errors = {}, {}

    def add(name, values):
        samples.setdefault(name, []).extend(values)

    for _ in range(rounds):
        for what in only:
            if what == "process":
                found, why = second_process(3 if quick else 9)
                for name, values in found.items():
                    add(name, values)
                if why:
                    errors["asc.process"] = why
                continue
            sides, function, options = MEASUREMENTS[what]
            for side in sides:
                name = f"{side}.{what}"
                if name in errors:
                    continue
                if not PYTHON[side].exists():
                    errors[name] = f"not installed: .venv-{side}"
                    continue
                short = {"repeat": 3} if quick and function not in ("import", "first") else {}
                result, why = worker(side, function, {**options, **short})
                if why:
                    errors[name] = why
                elif isinstance(result.get("times"), dict):
                    errors.update(result["errors"])
                    for figure, times in result["times"].items():
                        add(figure, times)
                else:
                    add(name, result["times"] if "times" in result else [result["seconds"]])
                    if what == "import":
                        add(f"{side}.rss", [result["rss_kb"] * 1024])
    for side in ("asc", "pyasc"):
        size = PYTHON[side].exists() and extension_size(side)
        if size:
            add(f"{side}.size", [size])
    return {name: values for name, values in samples.items() if values}, errors


def machine():
    model = ""
    with open("/proc/cpuinfo") as f:
        model = next((line.partition(":")[2].strip() for line in f if line.startswith("model name")), "")
    return {"cpu": model, "cores": len(os.sched_getaffinity(0)), "python": platform.python_version()}


def commit():
    done = subprocess.run(
        ["git", "describe", "--always", "--dirty"], cwd=ROOT, capture_output=True, text=True
    )
    return done.stdout.strip()


def main():
    known = [*MEASUREMENTS, "process"]
    parser = argparse.ArgumentParser(description="asc against its peers, side by side")
    parser.add_argument("--rounds", type=int, default=None, help="default: 7, with --quick 1")
    parser.add_argument("--quick", action="store_true", help="one round, few repetitions: a rough look")
    parser.add_argument("--only", default=",".join(known), help=f"some of {', '.join(known)}")
    options = parser.parse_args()
    only = options.only.split(",")
    if unknown := [what for what in only if what not in known]:
        parser.error(f"unknown: {', '.join(unknown)}; known are {', '.join(known)}")
    rounds = options.rounds or (1 if options.quick else 7)
    started, load = time.time(), os.getloadavg()[0]
    samples, errors = collect(rounds, only, options.quick)
    figures = {name: budgets.summary(values) for name, values in budgets.with_gains(samples).items()}
    rows = budgets.rows_of(figures)
    if only != known:
        rows = [row for row in rows if row["top"] in figures or row["top"] in errors]
    where = machine()
    print(f"{where['cpu']}, {where['cores']} cores, Python {where['python']}, load {load:.1f} before")
    if load > 0.5 * where["cores"]:
        print("the machine was busy: the figures say little; best on an idle one")
    print(f"{rounds} rounds, commit {commit() or 'none'}, {time.time() - started:.0f} s")
    budgets.print_table(rows, figures, errors)
    for name, why in sorted(errors.items()):
        print(f"not measured: {name}: {why}")
    record = {
        "time": int(started),
        "commit": commit(),
        "load": load,
        **where,
        "figures": figures,
        "rows": rows,
        "errors": errors,
    }
    line = json.dumps(record)
    with open(FOLDER / "history.jsonl", "a") as f:
        f.write(line + "\n")
    print(f"added one line to {FOLDER.relative_to(ROOT)}/history.jsonl")
    sys.exit(0 if figures else 1)


if __name__ == "__main__":
    main()
