# SPDX-License-Identifier: Apache-2.0
"""Launches from many threads, around forks, at the interpreter's end: right, without hang, crash, leak."""

import os
import subprocess
import sys
import textwrap
import threading
from pathlib import Path

import numpy as np
import pytest

import asc

# Python 3.12 and newer warn of every fork beside other threads; here that is what is tried.
FORKS = "ignore:This process:DeprecationWarning"

THREADS, LAUNCHES = 16, int(os.environ.get("ASC_TEST_LAUNCHES", "2000"))
GRIDS = (1, 2, 4, 7)
# A sanitizer keeps freed memory, and its figures say nothing.
counts_memory = pytest.mark.skipif("ASC_UNDER_SANITIZER" in os.environ, reason="under a sanitizer")


def asan_forgets_its_locks():
    """Is the ASan at hand, as GCC 12's, one that registers no handler for forks? A child then keeps the lock
    of a size class of ASan's allocator if a thread of the parent held it, and waits for ever when it next
    needs one of that size. gdb shows its thread in SizeClassAllocator64::GetFromAllocator and no lock of ours
    taken; a program of nothing but fork() among threads that call malloc() hangs there too."""
    with open("/proc/self/maps") as file:
        libraries = {line.split()[-1] for line in file if "libasan" in line}
    return any(b"__register_atfork" not in Path(library).read_bytes() for library in libraries)


# Of a child's own threads, which have the numbers of the parent's, TSan reports what is none.
forks = pytest.mark.skipif("libtsan" in os.environ.get("LD_PRELOAD", ""), reason="TSan takes them for others")
forks_among_threads = pytest.mark.skipif(
    asan_forgets_its_locks(), reason="this ASan leaves a child the locks of its allocator held"
)


def make_kernel(number):
    @asc.jit
    def kernel(x: asc.GlobalAddress, n: int, scale: asc.ConstExpr[int]):
        g = asc.GlobalTensor()
        g.set_global_buffer(x)
        block = asc.get_block_idx()
        total = 0
        for i in range(n):
            total = total + i * scale + number
        g.set_value(block, total + asc.get_block_num() * 1000)

    return kernel


def expected(number, grid, n, scale):
    return [scale * n * (n - 1) // 2 + number * n + grid * 1000] * grid


@asc.jit
def writes_outside(x: asc.GlobalAddress, n: int):
    g = asc.GlobalTensor()
    g.set_global_buffer(x)
    g.set_value(n, 1)


@asc.jit
def does_not_compile(x: asc.GlobalAddress):
    asc.no_such_op(x)


def resident():
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * 4096


def run_threads(work, count=THREADS):
    """Runs work(index) in threads that start together; returns what they raised."""
    barrier, errors = threading.Barrier(count), []

    def body(index):
        barrier.wait()
        try:
            work(index)
        except BaseException as error:
            errors.append(error)

    threads = [threading.Thread(target=body, args=(i,)) for i in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(600)
    assert not any(thread.is_alive() for thread in threads)
    return errors


def test_many_threads_many_kernels_shared_handles():
    kernels = [make_kernel(number) for number in range(8)]
    handles = [kernel[grid] for kernel, grid in zip(kernels, GRIDS, strict=False)]
    sizes = []

    def work(index):
        x = np.zeros(8, np.int64)
        for turn in range(LAUNCHES):
            number, grid = (index + turn) % 8, GRIDS[(index // 4 + turn) % 4]
            n, scale = turn % 13, turn // 100 % 3
            x[:] = -1
            if turn % 2:
                kernels[number][grid](x, n, scale)
            else:
                number = turn // 2 % 4
                grid = GRIDS[number]
                handles[number](x, n, scale)
            assert x.tolist() == expected(number, grid, n, scale) + [-1] * (8 - grid)
            if turn % 97 == 0:
                with pytest.raises(asc.KernelError):
                    writes_outside[1](x, 8)
                with pytest.raises(asc.CompileError):
                    does_not_compile[1](x)
            if index == 0 and turn % (LAUNCHES // 4) == LAUNCHES // 4 - 1:
                sizes.append(resident())
            if index == 1 and turn % 500 == 250:
                kernels[turn // 500 % 8].clear_cache()

    errors = run_threads(work)
    assert not errors
    if "ASC_UNDER_SANITIZER" not in os.environ:
        assert sizes[-1] - sizes[0] < 16_000_000, sizes


def test_a_cold_kernel_is_compiled_by_threads_at_once():
    for turn in range(20):
        kernel = make_kernel(turn)
        results = [None] * THREADS

        def work(index, kernel=kernel, results=results):
            x = np.zeros(8, np.int64)
            kernel[2](x, 5, index % 3)
            results[index] = x[:2].tolist()

        assert not run_threads(work)
        assert results == [expected(turn, 2, 5, index % 3) for index in range(THREADS)]


def test_one_array_shared_by_blocks_of_many_launches():
    @asc.jit
    def own_part(x: asc.GlobalAddress, begin: int, n: int):
        g = asc.GlobalTensor()
        g.set_global_buffer(x)
        for i in range(n):
            at = begin + asc.get_block_idx() * n + i
            g.set_value(at, at)

    x = np.zeros(THREADS * 4 * 500, np.int64)
    assert not run_threads(lambda index: own_part.options(threads=4)[4](x, index * 2000, 500))
    assert x.tolist() == list(range(x.size))


# ---- processes

PRELUDE = f"""
import os, sys, threading, time
sys.path.insert(0, {str(Path(__file__).parent)!r})
import numpy as np
import asc
from test_threads import make_kernel, expected

kernel = make_kernel(3)

def check(n=2000, grid=4):
    x = np.zeros(8, np.int64)
    kernel.options(threads=2)[grid](x, n, 0)
    assert x[:grid].tolist() == expected(3, grid, n, 0), x

def in_child(work=check):
    pid = os.fork()
    if pid == 0:
        code = 1
        try:
            work()
            code = 0
        finally:
            os._exit(code)
    return pid

def reap(pid):
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        done, status = os.waitpid(pid, os.WNOHANG)
        if done:
            return status
        time.sleep(0.001)
    os.kill(pid, 9)
    return "hangs"
"""


def run_program(program, timeout=120, **environment):
    return subprocess.run(
        [sys.executable, "-W", FORKS, "-c", PRELUDE + textwrap.dedent(program)],
        env=os.environ | environment,
        capture_output=True,
        text=True,
        timeout=timeout,
    )


def assert_clean(done, output):
    assert (done.returncode, done.stdout.split(), done.stderr) == (0, output.split(), "")


@forks
def test_fork_before_and_after_the_first_launch():
    assert_clean(
        run_program(
            """
            first = reap(in_child())
            check(200_000)  # on the pool
            statuses = [reap(in_child(lambda: check(200_000))) for _ in range(20)]
            check(200_000)
            print(first, set(statuses))
            """
        ),
        "0 {0}",
    )


@forks
@forks_among_threads
def test_fork_while_other_threads_launch():
    assert_clean(
        run_program(
            """
            stop = False
            def work():
                while not stop:
                    check(20_000)
                    kernel[2](np.zeros(8, np.int64), 3, 1, always_compile=True)
            threads = [threading.Thread(target=work) for _ in range(4)]
            for thread in threads: thread.start()
            statuses = set()
            for turn in range(60):
                statuses.add(reap(in_child(lambda: check(100_000))))
            stop = True
            for thread in threads: thread.join()
            print(statuses)
            """
        ),
        "{0}",
    )


@forks
@forks_among_threads
def test_fork_from_inside_threads():
    assert_clean(
        run_program(
            """
            statuses = []
            def work():
                for _ in range(10):
                    check(20_000)
                    statuses.append(reap(in_child(lambda: check(100_000))))
            threads = [threading.Thread(target=work) for _ in range(6)]
            for thread in threads: thread.start()
            for thread in threads: thread.join()
            print(len(statuses), set(statuses))
            """
        ),
        "60 {0}",
    )


@forks
def test_a_child_of_a_fork_can_be_interrupted():
    """The thread that forks is the main thread of the child, whichever it was before."""
    assert_clean(
        run_program(
            """
            import signal
            def forever():
                signal.signal(signal.SIGINT, signal.default_int_handler)
                x = np.zeros(8, np.int64)
                try:
                    kernel[2](x, 1 << 40, 1)
                except KeyboardInterrupt:
                    return
            def work():
                pid = in_child(forever)
                time.sleep(0.5)
                os.kill(pid, signal.SIGINT)
                print(reap(pid))
            check()
            work()
            thread = threading.Thread(target=work)
            thread.start()
            thread.join()
            """
        ),
        "0 0",
    )


@pytest.mark.parametrize("daemon", [True, False])
@pytest.mark.parametrize("n", [3, 300_000, 1 << 40], ids=["short", "long", "endless"])
def test_exit_while_threads_launch(daemon, n):
    if not daemon and n > 300_000:
        pytest.skip("Python waits for such a thread, for ever")
    for turn in range(4):
        done = run_program(
            f"""
            def work(index):
                x = np.zeros(8, np.int64)
                k = kernel.options(threads=2)
                for _ in range({"1 << 60" if daemon else 20}):
                    k[4](x, {n}, 0)
                    if index % 2:
                        k[1](x, 3, index, always_compile=True)
            check()
            threads = [threading.Thread(target=work, args=(i,), daemon={daemon}) for i in range(6)]
            for thread in threads: thread.start()
            time.sleep({0.05 + 0.03 * turn})
            print("end")
            """
        )
        assert_clean(done, "end")


def test_launches_at_exit():
    assert_clean(
        run_program(
            """
            import atexit
            def last():
                check(200_000)
                print("atexit", flush=True)
            atexit.register(last)
            check(200_000)
            """
        ),
        "atexit",
    )


@pytest.mark.parametrize("warm", [True, False])
def test_launches_of_finalisers_at_shutdown(warm):
    """What is compiled runs as long as what it was compiled from is there; the rest says why not."""
    done = run_program(
        """
        import array
        class Late:
            def __init__(self):
                self.x, self.handle = array.array("q", [0] * 8), kernel.options(threads=2)[4]
                self.cold = make_kernel(4)[2]
            def __del__(self, write=os.write, repr=repr, errors=BaseException):
                for handle in (self.handle, self.cold):
                    try:
                        handle(self.x, 200_000, 0)
                        write(1, repr(self.x.tolist()).encode() + b"\\n")
                    except errors as error:
                        write(1, repr(error).encode() + b"\\n")
        if {warm}:
            check(200_000)
        sys.late, held, cycle = Late(), Late(), Late()
        cycle.me = cycle
        """.replace("{warm}", str(warm))
    )
    assert (done.returncode, done.stderr) == (0, "")
    lines = done.stdout.splitlines()
    right = str(expected(3, 4, 200_000, 0) + [0] * 4)
    refused = ("while the interpreter shuts down", "after the interpreter shut down")
    assert len(lines) == 6 and (lines[0] == right) == warm, lines
    assert all(line == right or any(text in line for text in refused) for line in lines), lines


def test_sys_exit_and_os_exit_with_the_pool_awake():
    for ending, code in (("sys.exit(3)", 3), ("os._exit(4)", 4), ("raise SystemExit", 0)):
        done = run_program(f"check(200_000)\n{ending}\n")
        assert (done.returncode, done.stderr) == (code, "")


@counts_memory
@pytest.mark.parametrize("how", ["good", "CompileError", "LaunchError", "KernelError", "TypeError", "staged"])
def test_twenty_thousand_launches_leave_nothing(how):
    done = run_program(
        f"""
        import gc, warnings
        from test_threads import does_not_compile, resident, writes_outside
        warnings.simplefilter("ignore")
        how = {how!r}
        x = np.zeros(8, np.int64)
        calls = {{
            "good": lambda: kernel[2](x, 3, 1),
            "CompileError": lambda: does_not_compile[1](x),
            "LaunchError": lambda: kernel[2, stream](x, 3, 1),
            "KernelError": lambda: writes_outside[1](x, 8),
            "TypeError": lambda: kernel[2](x, [1], 1),
            "staged": lambda: kernel[2](np.zeros((8, 2), np.int64)[:, 0], 3, 1),
        }}
        import asc.lib.runtime as rt
        stream = rt.create_stream()
        rt.destroy_stream(stream)
        def turns(count):
            raised = 0
            for _ in range(count):
                try:
                    calls[how]()
                except Exception as error:
                    raised += 1
                    assert type(error).__name__ in (how, "BoundsError"), error
            assert raised == (0 if how in ("good", "staged") else count)
            gc.collect()
        turns(2_000)
        before, objects = resident(), len(gc.get_objects())
        references = sys.getrefcount(x)
        turns(20_000)
        print(sys.getrefcount(x) - references, len(gc.get_objects()) - objects, resident() - before)
        """,
        timeout=600,
    )
    assert done.returncode == 0, done.stderr
    references, objects, grown = map(int, done.stdout.split())
    assert references == 0 and abs(objects) < 50, done.stdout
    assert grown < 2_500_000, done.stdout
