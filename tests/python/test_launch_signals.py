# SPDX-License-Identifier: Apache-2.0
"""Signals while a kernel runs, is compiled or staged: handlers run as Python would run them."""

import os
import signal
import subprocess
import sys
import textwrap
import threading
import time

import numpy as np
import pytest

import asc

FOREVER = 1 << 40


@asc.jit
def count(x: asc.GlobalAddress, n: int):
    g = asc.GlobalTensor()
    g.set_global_buffer(x)
    at = 2 * asc.get_block_idx()
    g.set_value(at + 1, 1)
    for i in range(n):
        g.set_value(at, i)


@asc.jit
def tiles(x: asc.GlobalAddress, n: int):
    """Long in ops, short in turns of loops."""
    g = asc.GlobalTensor()
    g.set_global_buffer(x)
    local = asc.LocalTensor(asc.float32, asc.TPosition.VECCALC, 0, 8192)
    asc.duplicate(local, 1.0, 8192)
    for _ in range(n):
        asc.exp(local, local, 8192)
        asc.ln(local, local, 8192)


@asc.jit
def waits(x: asc.GlobalAddress, n: int):
    """Block 0 ends at once: the launching thread waits for the others."""
    g = asc.GlobalTensor()
    g.set_global_buffer(x)
    if asc.get_block_idx() > 0:
        for i in range(n):
            g.set_value(asc.get_block_idx(), i)


class Alarm(Exception):
    pass


@pytest.fixture
def alarm():
    """Calls `handler` for SIGALRM after some seconds, or every so often."""
    before = signal.getsignal(signal.SIGALRM)

    def start(handler, after, every=0.0):
        signal.signal(signal.SIGALRM, handler)
        signal.setitimer(signal.ITIMER_REAL, after, every)

    yield start
    signal.setitimer(signal.ITIMER_REAL, 0)
    signal.signal(signal.SIGALRM, before)


def raise_alarm(number, frame):
    raise Alarm


def in_a_while(seconds, number):
    timer = threading.Timer(seconds, os.kill, (os.getpid(), number))
    timer.start()
    return timer


@pytest.mark.parametrize("kernel", [count, tiles, waits], ids=lambda kernel: kernel.__name__)
@pytest.mark.parametrize("grid", [1, 3, 500])
def test_ctrl_c_stops_a_launch_within_a_second(kernel, grid):
    if kernel is waits and grid == 1:
        pytest.skip("block 0 does nothing")
    x = np.zeros(1024, np.int64 if kernel is not tiles else np.float32)
    references = sys.getrefcount(x)
    in_a_while(0.3, signal.SIGINT)
    start = time.monotonic()
    with pytest.raises(KeyboardInterrupt):
        kernel[grid](x, FOREVER if kernel is not tiles else 1 << 30)
    assert time.monotonic() - start < (1.3 if "ASC_UNDER_SANITIZER" not in os.environ else 30)
    assert sys.getrefcount(x) == references
    if kernel is count:
        assert x[0] > 0 and x[1] == 1, "what was written stays"
    kernel[1](x, 3)


def test_a_strided_array_keeps_what_was_written_too():
    x = np.zeros(64, np.int64)
    in_a_while(0.2, signal.SIGINT)
    with pytest.warns(asc.PerformanceWarning), pytest.raises(KeyboardInterrupt):
        count[1](x[::2], FOREVER)
    assert x[0] > 0 and x[2] == 1 and x[1] == 0


def test_a_handler_that_returns_lets_the_launch_go_on(alarm):
    seen = []
    alarm(lambda number, frame: seen.append(time.monotonic()), 0.1, 0.1)
    x = np.zeros(8, np.int64)
    start = time.monotonic()
    turns = 1_000_000
    while time.monotonic() - start < 0.6:  # long enough on any machine
        turns *= 2
        start = time.monotonic()
        count[1](x, turns)
        end = time.monotonic()
        if end - start > 0.6:
            break
    assert x[0] == turns - 1
    assert len([at for at in seen if start < at < end]) >= 2, "while the kernel ran, not after it"


def test_a_sigint_handler_that_returns_lets_the_launch_go_on():
    seen = []
    before = signal.signal(signal.SIGINT, lambda number, frame: seen.append(number))
    try:
        in_a_while(0.2, signal.SIGINT)
        x = np.zeros(8, np.int64)
        with pytest.raises(asc.TimeoutError):
            count.options(timeout=0.8)[1](x, FOREVER)
        assert seen == [signal.SIGINT]
    finally:
        signal.signal(signal.SIGINT, before)


def test_a_handlers_exception_comes_out_of_the_launch(alarm):
    alarm(raise_alarm, 0.2)
    x = np.zeros(8, np.int64)
    with pytest.raises(Alarm):
        count[2](x, FOREVER)
    count[1](x, 5)
    assert x[0] == 4


def test_a_handler_may_launch(alarm):
    y = np.zeros(8, np.int64)
    alarm(lambda number, frame: waits[6](y, 1000), 0.1)
    x = np.zeros(8, np.int64)
    with pytest.raises(asc.TimeoutError):
        count.options(timeout=0.5)[4](x, FOREVER)
    assert y.tolist() == [0, 999, 999, 999, 999, 999, 0, 0]


def test_a_launch_of_another_thread_is_not_stopped():
    x = np.zeros(8, np.int64)
    ended, over = [], threading.Event()

    def work():
        try:
            count.options(timeout=1.0)[1](x, FOREVER)
        except BaseException as error:
            ended.append(type(error))
        over.set()

    threading.Thread(target=work).start()
    in_a_while(0.2, signal.SIGINT)
    with pytest.raises(KeyboardInterrupt):
        over.wait()
    assert not ended
    assert over.wait(30)
    assert ended == [asc.TimeoutError]


@pytest.mark.filterwarnings("ignore::asc.PerformanceWarning")
def test_an_interrupt_while_kernels_are_compiled_and_staged(alarm):
    """It comes at any moment of a call: the call raises it or is complete, and the next one is right."""
    base = np.zeros((3, 64), np.int64)
    stopped = 0
    for turn in range(150):
        try:
            alarm(raise_alarm, 0.0002 + 0.00003 * turn)
            while True:
                count[1](base.T[:, 0], 10, always_compile=True)
        except Alarm:
            stopped += 1
        signal.setitimer(signal.ITIMER_REAL, 0)
        y = np.zeros(8, np.int64)
        count[1](y, 7)
        assert y[0] == 6
    assert stopped == 150


class Stop(BaseException):
    def __init__(self, reason, /):
        super().__init__(reason)


@pytest.mark.parametrize("ends", [KeyboardInterrupt, SystemExit, Stop])
def test_an_interrupt_in_the_users_own_code_is_not_lost(ends):
    """Python code that a launch runs to see what an argument is: what ends the program does end it."""

    class Interrupted:
        @property
        def __dlpack__(self):
            raise ends(3)

    with pytest.raises(ends) as caught:  # and not what the launch makes of an object that says nothing
        count[1](Interrupted(), 1)
    assert caught.value.args == (3,)
    assert any(entry.name == "__dlpack__" for entry in caught.traceback)
    time.sleep(0)  # and it comes once
    x = np.zeros(2, np.int64)
    count[1](x, 2)
    assert x.tolist() == [1, 1]


def run_program(text):
    """A program of its own, with the kernels of this file at hand."""
    head = f"import os, signal, sys, threading\nsys.path.insert(0, {os.path.dirname(__file__)!r})\n"
    return subprocess.run(
        [sys.executable, "-c", head + "from test_launch_signals import *\n" + textwrap.dedent(text)],
        timeout=60,
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.parametrize("thread", [False, True])
def test_an_exit_in_the_users_own_code_has_its_status(thread):
    done = run_program(
        f"""
        class Ends:
            @property
            def __dlpack__(self):
                sys.exit(3)
        def launch():
            count[1](Ends(), 1)
            print("goes on")
        if {thread}:
            one = threading.Thread(target=launch)
            one.start()
            one.join()
            sys.exit(4)
        launch()
        """
    )
    assert (done.returncode, done.stdout) == ((4 if thread else 3), ""), done.stderr


def test_pending_interrupts_are_pythons():
    """A signal that comes in a short launch is handled after it, as after any call."""
    done = run_program(
        f"""
        x = np.zeros(8, np.int64)
        count[1](x, 5)
        signal.signal(signal.SIGTERM, lambda number, frame: sys.exit(7))
        threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGTERM)).start()
        count[4](x, {FOREVER})
        """
    )
    assert done.returncode == 7, done.stderr
