# SPDX-License-Identifier: Apache-2.0
"""Measures asc against its peers, side by side, and prints one table; `./dev bench` is the way to call it.

usage: run.py [--rounds N] [--only import,first,compile,warm,simulate]

Every round runs each measurement on both sides, one after the other, in fresh processes, so that a slow spell
of the machine hits both. A figure is the median over all rounds, with the 10th and 90th percentiles in
brackets; a ratio is that of the medians. One JSON line with everything goes to benchmarks/history.jsonl."""

import argparse
import json
import os
import platform
import statistics
import subprocess
import sys
import time
from pathlib import Path

FOLDER = Path(__file__).resolve().parent
ROOT = FOLDER.parent
PYTHON = {"asc": ROOT / ".venv/bin/python", "pyasc": ROOT / ".venv-pyasc/bin/python"}
FLOOR = ROOT / "build/bench/floor.so"
PROCESS_MEASUREMENTS = ("import", "first", "compile", "warm")

# what, numerator, denominator, budget for the ratio
BUDGETS = [
    ("AST to Ascend C text", "asc.compile", "pyasc.compile", 1 / 40),
    ("first call, from source to text", "asc.first", "pyasc.first", 1 / 25),
    ("import asc, time", "asc.import", "pyasc.import", 1 / 10),
    ("import asc, peak memory", "asc.rss", "pyasc.rss", None),
    ("extension on disk", "asc.size", "pyasc.size", None),
    ("warm launch, null device", "asc.warm", "pyasc.warm", 1 / 50),
    ("simulated add, fast, over floor", "fast", "floor", 1.5),
    ("simulated add, check, over floor", "check", "floor", 2.5),
    ("simulated add, check over fast", "check", "fast", 1.5),
    ("simulated add, fast, over torch", "fast", "torch", None),
]
# what, figure, limit in the figure's own unit
LIMITS = {"asc.rss": 25e6, "asc.size": 6e6}


def worker(side, what, **options):
    """One measurement in a process of its own: (result, None), or (None, why it failed)."""
    command = [str(PYTHON[side]), str(FOLDER / "worker.py"), side, what, json.dumps(options)]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=300, stdin=subprocess.DEVNULL)
    except subprocess.TimeoutExpired:
        return None, "no end within 300 s"
    if done.returncode != 0:
        return None, (done.stderr.strip().splitlines() or ["exit " + str(done.returncode)])[-1]
    return json.loads(done.stdout.splitlines()[-1]), None


def extension_size(side):
    """Bytes of the package's shared objects."""
    find = (
        "import importlib.util as u, pathlib as p; "
        "print(sum(f.stat().st_size for f in p.Path(u.find_spec('asc').origin).parent.rglob('*.so')))"
    )
    done = subprocess.run([str(PYTHON[side]), "-c", find], capture_output=True, text=True, cwd=FOLDER)
    return int(done.stdout) if done.returncode == 0 and int(done.stdout) > 0 else None


def collect(sides, rounds, only):
    """All samples by name, and the reasons for what could not be measured."""
    samples, errors = {}, {}

    def add(name, values):
        samples.setdefault(name, []).extend(values)

    for _ in range(rounds):
        for what in PROCESS_MEASUREMENTS:
            for side in sides:
                name = f"{side}.{what}"
                if what not in only or name in errors:
                    continue
                result, why = worker(side, what)
                if why:
                    errors[name] = why
                    continue
                add(name, result["times"] if "times" in result else [result["seconds"]])
                if what == "import":
                    add(f"{side}.rss", [result["rss_kb"] * 1024])
        if "simulate" in only:
            result, why = worker("asc", "simulate", floor=str(FLOOR))
            if why:
                errors["simulate"] = why
                continue
            errors.update(result["errors"])
            for name, times in result["times"].items():
                add(name, times)
    for side in sides:
        size = extension_size(side)
        if size:
            add(f"{side}.size", [size])
    return {name: values for name, values in samples.items() if values}, errors


def summary(values):
    values = sorted(values)
    return {
        "median": statistics.median(values),
        "p10": values[len(values) // 10],
        "p90": values[(len(values) * 9) // 10 if len(values) > 1 else 0],
        "n": len(values),
    }


def show(name, figures):
    """A figure with its spread, in a unit that suits it."""
    figure = figures.get(name)
    if figure is None:
        return "-"
    if name.endswith((".rss", ".size")):
        return f"{figure['median'] / 1e6:.1f} MB"
    for unit, scale in (("s", 1.0), ("ms", 1e-3), ("us", 1e-6)):
        if figure["median"] >= scale or unit == "us":
            middle, low, high = (figure[k] / scale for k in ("median", "p10", "p90"))
            return f"{middle:.3g} {unit} [{low:.3g}..{high:.3g}]"
    raise AssertionError(name)


def budget_row(figures, what, top, bottom, budget):
    """One line of the table as a dict; `met` is None where there is no budget or no figure."""
    ratio = None
    if top in figures and bottom in figures:
        ratio = figures[top]["median"] / figures[bottom]["median"]
    wanted, met = [], []
    if budget is not None:
        wanted.append(f"<= 1/{1 / budget:.0f}" if budget < 1 else f"<= {budget:g}x")
        met.append(None if ratio is None else ratio <= budget)
    if top in LIMITS:
        wanted.append(f"<= {LIMITS[top] / 1e6:g} MB")
        met.append(figures[top]["median"] <= LIMITS[top] if top in figures else None)
    verdict = None if not met or None in met else all(met)
    return {
        "what": what,
        "top": top,
        "bottom": bottom,
        "ratio": ratio,
        "budget": ", ".join(wanted),
        "met": verdict,
    }


def print_table(rows, figures):
    table = [("what", "asc", "peer", "ratio", "budget", "")]
    for row in rows:
        ratio = row["ratio"]
        shown = "-" if ratio is None else f"1/{1 / ratio:.1f}" if ratio < 0.5 else f"{ratio:.2f}x"
        peer = f"{row['bottom'].partition('.')[0]}: {show(row['bottom'], figures)}"
        verdict = {True: "met", False: "MISSED", None: ""}[row["met"]]
        table.append((row["what"], show(row["top"], figures), peer, shown, row["budget"], verdict))
    widths = [max(len(line[i]) for line in table) for i in range(6)]
    for line in table:
        print("  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip())


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
    parser = argparse.ArgumentParser(description="asc against its peers, side by side")
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--only", default=",".join([*PROCESS_MEASUREMENTS, "simulate"]))
    options = parser.parse_args()
    sides = [side for side in ("asc", "pyasc") if PYTHON[side].exists()]
    started = time.time()
    samples, errors = collect(sides, options.rounds, options.only.split(","))
    figures = {name: summary(values) for name, values in samples.items()}
    rows = [budget_row(figures, *budget) for budget in BUDGETS]
    where = machine()
    print(f"{where['cpu']}, {where['cores']} cores, Python {where['python']}")
    print(f"{options.rounds} rounds, commit {commit() or 'none'}")
    print_table(rows, figures)
    for name, why in sorted(errors.items()):
        print(f"not measured: {name}: {why}")
    record = {
        "time": int(started),
        "commit": commit(),
        **where,
        "figures": figures,
        "rows": rows,
        "errors": errors,
    }
    with open(FOLDER / "history.jsonl", "a") as f:
        f.write(json.dumps(record) + "\n")
    print(f"added one line to {FOLDER.relative_to(ROOT)}/history.jsonl")
    sys.exit(0 if figures else 1)


if __name__ == "__main__":
    main()
