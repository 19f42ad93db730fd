# SPDX-License-Identifier: Apache-2.0
"""Random kernels, run three ways: Python, the simulator, the printed Ascend C on the host. All must agree
to the bit.

./dev fuzz                          500 kernels from a random seed, which it prints
./dev fuzz --count 2000 --seed 7    seeds 7 to 2006
./dev fuzz --range 1000:3000        the same by a range of seeds; a run that was stopped goes on from the
seed it printed last
./dev fuzz --seed 1234              one kernel: source, printed program, the three results; --shrink makes a
failing one small
"""

import argparse
import collections
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
BATCH = 100
HANG_SECONDS = 30.0  # for one kernel
COMPILE_SECONDS = 400.0  # for a batch


class Batch:
    """A range of seeds in a child process; one that crashes or hangs is started again without the guilty
    seed."""

    def __init__(self, first, last, temporary):
        self.first, self.last, self.temporary = first, last, temporary
        self.skip, self.faults = {}, []
        self.start()

    def start(self):
        self.moved, self.size = time.monotonic(), 0
        self.path = pathlib.Path(self.temporary, f"events-{self.first}-{len(self.skip)}")
        command = [
            sys.executable,
            str(HERE / "worker.py"),
            str(self.first),
            str(self.last),
            ",".join(map(str, self.skip)),
        ]
        environment = os.environ | {"TMPDIR": self.temporary}
        with open(self.path, "w") as log:
            self.process = subprocess.Popen(
                command, stdout=log, stderr=subprocess.PIPE, text=True, env=environment
            )

    def hangs(self):
        size = self.path.stat().st_size
        if size != self.size:
            self.moved, self.size = time.monotonic(), size
        compiling = self.path.read_text().rstrip().rpartition("\n")[2].startswith('{"compiling"')
        return time.monotonic() - self.moved > (COMPILE_SECONDS if compiling else HANG_SECONDS)

    def results(self):
        """{seed: (status, detail)} when it has ended, else None."""
        hangs = self.process.poll() is None and self.hangs()
        if self.process.poll() is None and not hangs:
            return None
        if hangs:
            self.process.kill()
        errors = self.process.communicate()[1]
        events = [json.loads(line) for line in self.path.read_text().splitlines(True) if line.endswith("\n")]
        self.path.unlink()
        if self.process.returncode == 0:
            done = {e["seed"]: (e["status"], e["detail"]) for e in events if "status" in e}
            return done | self.skip
        if self.process.returncode == -signal.SIGTERM and not hangs:  # someone else ended it
            self.start()
            return None
        begun = [e["begin"] for e in events if "begin" in e]
        if not begun:
            raise SystemExit(f"the fuzzer's worker does not start:\n{errors}")
        self.skip[begun[-1]] = (
            ("hang", "no result")
            if hangs
            else ("crash", f"status {self.process.returncode}: {errors[-2000:]}")
        )
        self.start()
        return None


def counted(totals):
    return ", ".join(f"{count} {status}" for status, count in totals.most_common())


def run_range(first, last, jobs, show):
    """Counter of statuses over a range of seeds; `show` is called for every fault."""
    temporary = tempfile.mkdtemp(prefix="asc-fuzz-")
    totals = collections.Counter()
    starts = iter(range(first, last, BATCH))
    running, shown = [], 0
    try:
        warm = os.environ | {"TMPDIR": temporary}
        subprocess.run(
            [sys.executable, str(HERE / "worker.py"), "0", "0", ""],
            env=warm,
            stdout=subprocess.DEVNULL,
            check=False,
        )
        while True:
            while len(running) < jobs and (start := next(starts, None)) is not None:
                running.append(Batch(start, min(start + BATCH, last), temporary))
            if not running:
                return totals
            time.sleep(0.05)
            for batch in list(running):
                results = batch.results()
                if results is None:
                    continue
                running.remove(batch)
                for path in pathlib.Path(temporary).glob("asc-host-*/*batch-of-*"):
                    if time.time() - path.stat().st_mtime > 60:
                        path.unlink(missing_ok=True)
                for seed, (status, detail) in sorted(results.items()):
                    totals[status] += 1
                    show(seed, status, detail)
                done = min((b.first for b in running), default=batch.last)
                if (done - first) // 1000 > shown:
                    shown = (done - first) // 1000
                    print(f"up to seed {done - 1}: {counted(totals)}", flush=True)
    finally:
        for batch in running:
            batch.process.kill()
        shutil.rmtree(temporary, ignore_errors=True)


def replay(seed, shorten, seconds):
    """Shows everything of one kernel; True if it is equal three ways."""
    import check
    import generate
    import shrink

    case, wanted = generate.make_case(seed)
    verdict = shrink.verdict_apart(case, 60.0)
    if shorten and verdict.is_fault:
        case, verdict = shrink.shrink(case, verdict, seconds)
        wanted = check.safe_oracle(case)
    print(case.source)
    for name, value in case.arguments.items():
        print(f"# {name} = {shown(value)}")
    print(f"# on {case.blocks} block(s)\n")
    if verdict.status not in ("crash", "hang"):
        verdict, wanted, simulated = check.check(case, wanted)
        print(simulated.text)
        show_results(case, wanted, simulated)
    print(f"seed {seed}: {verdict.status}\n{verdict.detail}")
    return not verdict.is_fault


def show_results(case, wanted, simulated):
    import check

    print(f"oracle: {wanted.status} {wanted.detail}")
    print(f"simulator: {simulated.outcome.status} {simulated.outcome.detail}")
    results = [("oracle", wanted.arrays), ("simulator", simulated.outcome.arrays)]
    if simulated.text and wanted.arrays:
        compiled = check.compile_all({0: simulated})[0]
        try:
            results.append(("host", check.run_on_host(case, compiled)))
        except (AttributeError, check.host_exec.HostError) as error:
            print(f"host: {error if isinstance(error, check.host_exec.HostError) else compiled}")
    for name, arrays in results:
        for argument, array in (arrays or {}).items():
            print(f"{name}: {argument} = {shown(array)}")


def shown(value):
    if not hasattr(value, "dtype"):
        return repr(value)
    items = value.tolist()
    while len(items) > 1 and not items[-1] and items[-1] == items[-2]:
        items.pop()
    return f"{value.dtype.name}[{len(value)}] {items}"


def main():
    parser = argparse.ArgumentParser(
        prog="./dev fuzz", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--seed", type=int, help="first seed; alone: replay this one kernel")
    parser.add_argument("--count", type=int, help="how many kernels (default 500)")
    parser.add_argument("--range", dest="seeds", help="A:B, seeds A to B - 1")
    parser.add_argument("--jobs", type=int, default=2, help="processes (default 2)")
    parser.add_argument(
        "--shrink", action="store_true", help="with --seed: make a failing kernel small first"
    )
    parser.add_argument(
        "--ignore", default="", help="faults whose text matches this pattern are counted, not shown"
    )
    parser.add_argument("--seconds", type=float, default=120.0, help="time for --shrink")
    args = parser.parse_args()
    if args.seed is not None and args.count is None and args.seeds is None:
        return 0 if replay(args.seed, args.shrink, args.seconds) else 1
    if args.seeds:
        first, last = (int(part) for part in args.seeds.split(":"))
    else:
        first = int.from_bytes(os.urandom(3), "little") if args.seed is None else args.seed
        last = first + (args.count or 500)
    print(f"seeds {first} to {last - 1}", flush=True)
    good = ("equal", "finding", "refused")
    faults, totals_ignored = [], collections.Counter()

    def show(seed, status, detail):
        if status not in good and args.ignore and re.search(args.ignore, detail):
            totals_ignored[status] += 1
        elif status not in good:
            faults.append(seed)
            print(
                f"seed {seed}: {status}: {detail[:600]}\n  replay: ./dev fuzz --seed {seed} --shrink",
                flush=True,
            )

    began = time.monotonic()
    totals = run_range(first, last, args.jobs, show)
    words = counted(totals)
    print(f"seeds {first} to {last - 1}: {words}; {time.monotonic() - began:.0f} s")
    if totals_ignored:
        print(f"of these ignored: {dict(totals_ignored)}")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
