# SPDX-License-Identifier: Apache-2.0
"""The threads behind launches: a machine that gives none, signals for the process, forks while one works."""

import os
import subprocess
import sys
import textwrap

import pytest

KERNEL = """
import asc

@asc.jit
def copy(x: asc.GlobalAddress, y: asc.GlobalAddress, n: int):
    x_gm = asc.GlobalTensor()
    x_gm.set_global_buffer(x, n)
    y_gm = asc.GlobalTensor()
    y_gm.set_global_buffer(y, n)
    share = n // asc.get_block_num()
    for i in range(asc.get_block_idx() * share, (asc.get_block_idx() + 1) * share):
        y_gm.set_value(i, x_gm.get_value(i))
"""
unsanitized = pytest.mark.skipif("ASC_UNDER_SANITIZER" in os.environ, reason="under a sanitizer")


def run_program(tmp_path, program, **environment):
    (tmp_path / "copies.py").write_text(KERNEL)
    path = os.pathsep.join([str(tmp_path), *filter(None, [os.environ.get("PYTHONPATH")])])
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(program)],
        env=os.environ | {"PYTHONPATH": path} | environment,
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert done.returncode == 0 and not done.stderr, (done.returncode, done.stderr[-2000:])
    return done.stdout


@unsanitized
def test_a_machine_without_threads_to_give_is_only_slower(tmp_path):
    program = """
        import resource
        from array import array
        from copies import copy

        x, y = array("i", range(4096)), array("i", bytes(4 * 4096))
        copy[1](x, y, 4096)
        # The stack of a new thread, 8 MiB, does not fit any more.
        pages = int(open("/proc/self/statm").read().split()[0])
        resource.setrlimit(resource.RLIMIT_AS, (pages * 4096 + (2 << 20),) * 2)
        for _ in range(3):
            y[:] = array("i", bytes(4 * 4096))
            copy.options(threads=8)[8](x, y, 4096)
            print(x == y)
    """
    assert run_program(tmp_path, program).split() == ["True"] * 3


def test_a_signal_for_the_process_ends_no_thread_of_the_pool(tmp_path):
    """Threads that were started before the main thread blocked the signal must not have it delivered."""
    program = """
        import os, signal
        from array import array
        from copies import copy

        x, y = array("i", range(4096)), array("i", bytes(4 * 4096))
        copy.options(threads=4)[8](x, y, 4096)
        print(len(os.listdir("/proc/self/task")) > 1)
        signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGUSR1})
        os.kill(os.getpid(), signal.SIGUSR1)
        print(signal.sigtimedwait([signal.SIGUSR1], 10).si_signo == signal.SIGUSR1)
    """
    assert run_program(tmp_path, program).split() == ["True", "True"]
