# SPDX-License-Identifier: Apache-2.0
"""The threads behind launches: a machine that gives none, signals for the process, forks while one works."""

import os
import subprocess
import sys
import textwrap

import pytest

# Python 3.12 and newer warn of every fork beside other threads; here that is what is tried.
FORKS = "ignore:This process:DeprecationWarning"
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
        [sys.executable, "-W", FORKS, "-c", textwrap.dedent(program)],
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


@unsanitized
def test_a_fork_while_a_kernel_is_stored_leaves_it_usable(tmp_path):
    """The cache's thread prints the kernel then; the child has no such thread, and may find no lock of it."""
    program = """
        import importlib, os, signal, sys, time
        from array import array

        BODY = "import asc\\n@asc.jit\\ndef kernel(x: asc.GlobalAddress):\\n    g = asc.GlobalTensor()\\n" \\
            "    g.set_global_buffer(x, 8)\\n"
        for number in range(8):
            lines = [f"    g.set_value({i % 8}, {i + number})\\n" for i in range(3000)]
            with open(f"{sys.path[1]}/many{number}.py", "w") as file:
                file.writelines([BODY, *lines])
            kernel = importlib.import_module(f"many{number}").kernel
            x = array("i", bytes(32))
            kernel[1].compile(x)
            time.sleep(0.0005 * number)
            child = os.fork()
            if child == 0:
                signal.alarm(20)
                kernel[1](x)
                os._exit(x.tolist() != [2992 + i + number for i in range(8)])
            print(os.waitpid(child, 0)[1])
    """
    assert run_program(tmp_path, program, PYASC_CACHE_DIR=str(tmp_path / "cache")).split() == ["0"] * 8
