# SPDX-License-Identifier: Apache-2.0
"""Runs a range of seeds in a process of its own, so that a crash ends no more than this range. One JSON
line an event."""

import json
import sys

import check
import generate
import host_exec


def run(first, last, skip, log):
    def say(**event):
        print(json.dumps(event), file=log, flush=True)

    cases, outcomes, simulated = {}, {}, {}
    for seed in range(first, last):
        if seed in skip:
            continue
        say(begin=seed)
        case, wanted = generate.make_case(seed)
        got = check.simulate(case)
        verdict = check.compare_simulated(case, wanted, got)
        if verdict is None:
            cases[seed], outcomes[seed], simulated[seed] = case, wanted, got
            say(simulated=seed)
        else:
            say(seed=seed, status=verdict.status, detail=verdict.detail)
    say(compiling=len(simulated))
    compiled = check.compile_all(simulated)
    for seed, case in cases.items():
        say(begin=seed)
        if isinstance(compiled[seed], host_exec.HostError):
            verdict = check.Verdict("host refuses", str(compiled[seed]))
        else:
            verdict = check.compare_host(case, outcomes[seed], compiled[seed])
        say(seed=seed, status=verdict.status, detail=verdict.detail)


if __name__ == "__main__":
    run(int(sys.argv[1]), int(sys.argv[2]), {int(s) for s in sys.argv[3].split(",") if s}, sys.stdout)
