# SPDX-License-Identifier: Apache-2.0
"""BUG-01: a kernel is compiled again when a global or a helper that it uses has changed, and only then."""

import numpy as np
from outcomes import run_file

import asc

BIAS = 1


@asc.jit
def step(v: int) -> int:
    return v + BIAS


first_step = step


@asc.jit
def stale(out: asc.GlobalAddress):
    o = asc.GlobalTensor()
    o.set_global_buffer(out)
    o.set_value(0, step(10))


def launch():
    a = np.zeros(8, np.int32)
    stale[1](a)
    return int(a[0])


def changes():
    """A changed global, then a helper defined again."""
    global BIAS, step
    BIAS, step = 1, first_step
    results = [launch()]
    BIAS = 5
    results.append(launch())

    @asc.jit
    def step(v: int) -> int:  # noqa: F811 - a helper defined again, as in a notebook
        return v * 100

    results.append(launch())
    return results


def test_changed_global_and_redefined_helper():
    for _ in range(3):
        assert changes() == [11, 15, 1000]


def test_nothing_changed_compiles_nothing():
    changes()
    before = stale.cache_info()["misses"]
    for _ in range(3):
        assert launch() == 1000
    assert stale.cache_info()["misses"] == before


def test_in_new_processes_and_after_an_edit(tmp_path):
    program = tmp_path / "edited.py"
    with open(__file__, encoding="utf-8") as own:
        text = own.read()
    for factor, last in ((100, 1000), (100, 1000), (200, 2000), (100, 1000)):
        program.write_text(text.replace("return v * 100", f"return v * {factor}"), encoding="utf-8")
        printed = run_file(program, tmp_path / "cache", call="print(m.changes(), m.changes())")
        assert printed.split("\n")[0] == f"{[11, 15, last]} {[11, 15, last]}"


def test_another_hash_seed_compiles_nothing(tmp_path):
    call = "print(m.changes(), m.asc.cache_info()['process']['compiled'])"
    for seed, compiled in (("0", 3), ("1", 0), ("2", 0)):
        printed = run_file(__file__, tmp_path / "cache", call=call, PYTHONHASHSEED=seed)
        assert printed == f"[11, 15, 1000] {compiled}\n"
