# SPDX-License-Identifier: Apache-2.0
"""Measures one thing in the environment that runs it, and prints one JSON object.

usage: worker.py asc|pyasc import|first|compile|warm|simulate [OPTIONS AS JSON]

`asc` and `pyasc` share the package name `asc`, so each side has an environment of its own. The peer has no
CANN here: its device compiler and its launcher are replaced by functions that do nothing. That leaves what is
compared: Python function -> IR -> passes -> Ascend C text.
Times are seconds. Nothing heavy is imported before a measurement that would count it."""

import json
import os
import sys
import time

FOLDER = os.path.dirname(os.path.abspath(__file__))
COUNT, CORES, TILE = 1 << 20, 8, 2048


def quiet_environment(side):
    """No cache, no dumps, no device: the work itself is measured."""
    for name in ("PYASC_DUMP_PATH", "PYASC_SIM", "PYASC_DRY_RUN"):
        os.environ.pop(name, None)
    if side == "pyasc":
        os.environ["PYASC_COMPILER"] = os.environ["PYASC_LINKER"] = "/bin/true"


def measure_import(side):
    """Time of `import asc` and what it adds to the peak resident set, in kilobytes."""
    with open("/proc/self/status") as f:
        before = next(int(line.split()[1]) for line in f if line.startswith("VmHWM"))
    t = time.perf_counter()
    import asc

    t = time.perf_counter() - t
    with open("/proc/self/status") as f:
        peak = next(int(line.split()[1]) for line in f if line.startswith("VmHWM"))
    return {"seconds": t, "rss_kb": peak, "rss_added_kb": peak - before, "file": asc.__file__}


def no_device(side):
    """Replaces the peer's device compiler and launcher; returns a list that receives each printed text."""
    texts = []
    if side == "pyasc":
        from asc.runtime.compiler import CompiledKernel, Compiler
        from asc.runtime.launcher import Launcher

        def keep_text(self, source, kernel_args=None):
            texts.append(source)
            return CompiledKernel(binary=b"", kernel_args=None)

        Compiler.run_compilation = keep_text
        Launcher.run = lambda *args, **kwargs: None
        Launcher.__init__ = lambda self, options: None
    return texts


def arrays(side):
    import numpy as np

    return [np.zeros(COUNT, np.float32) for _ in range(3)]


def compile_text(side, kernel, args, texts):
    """One compilation that reads no cache; returns the Ascend C."""
    if side == "pyasc":
        kernel[CORES](*args, always_compile=True)
        return texts.pop()
    return kernel[CORES].compile(*args, always_compile=True).text["ascendc"]


def measure_first(side):
    """From a source file to its text, in a fresh process: capture, parse, lower, passes, print."""
    import asc  # noqa: F401

    texts = no_device(side)
    args = [*arrays(side), COUNT // CORES]
    sys.path.insert(0, FOLDER)
    t = time.perf_counter()
    from kernel_vadd import add_kernel

    text = compile_text(side, add_kernel, args, texts)
    return {"seconds": time.perf_counter() - t, "text_bytes": len(text)}


def pyasc_stages(kernel, args):
    """The peer's three steps from the parsed function to text, without argument binding and cache keys."""
    from asc.codegen.function_visitor import CodegenOptions
    from asc.codegen.specialization import Specialization
    from asc.runtime.compiler import CompileOptions, Compiler

    names = ["x", "y", "z", "share"]
    types = {name: kernel.get_arg_type(value) for name, value in zip(names, args, strict=True)}

    def once():
        module = kernel._run_codegen(Specialization(types, {}), CodegenOptions())
        compiler = Compiler(CompileOptions())
        compiler.run_passes(module)
        return compiler.run_translation(module)

    return once


def measure_compile(side, repeat=20):
    """The warmed-up compilation, parse excluded: every single time."""
    import asc  # noqa: F401

    no_device(side)
    sys.path.insert(0, FOLDER)
    from kernel_vadd import add_kernel

    args = [*arrays(side), COUNT // CORES]
    if side == "asc":  # timed inside: the same three steps, without argument binding
        handle = add_kernel[CORES]
        handle._time_compile(3, *args)
        return {"times": handle._time_compile(repeat, *args)}
    once = pyasc_stages(add_kernel, args)
    for _ in range(3):
        once()
    times = []
    for _ in range(repeat):
        t = time.perf_counter()
        once()
        times.append(time.perf_counter() - t)
    return {"times": times}


def measure_warm(side, repeat=7, calls=2000):
    """A launch that has been compiled before, to a device that does nothing, `kernel[8]` included."""
    if side == "asc":
        os.environ["PYASC_DRY_RUN"] = "1"
    import asc  # noqa: F401

    no_device(side)
    sys.path.insert(0, FOLDER)
    from kernel_vadd import add_kernel

    x, y, z = arrays(side)
    add_kernel[CORES](x, y, z, COUNT // CORES)
    times = []
    for _ in range(repeat):
        t = time.perf_counter()
        for _ in range(calls):
            add_kernel[CORES](x, y, z, 131072)
        times.append((time.perf_counter() - t) / calls)
    return {"times": times}


def in_mode(kernel, mode, args):
    """A launch in one mode of the simulator, chosen by the kernel's options or by the environment."""
    if hasattr(kernel, "options"):
        handle = kernel.options(mode=mode)[CORES]
        return lambda: handle(*args)

    def run():
        os.environ["PYASC_SIM"] = mode
        kernel[CORES](*args)

    return run


def measure_simulate(side, floor=None, repeat=30):
    """The simulated vector add in both modes, the plain C++ floor and torch, in turn, on the same arrays."""
    import ctypes

    import numpy as np

    rng = np.random.default_rng(1)
    x, y = (rng.random(COUNT, dtype=np.float32) for _ in range(2))
    z = np.zeros_like(x)
    threads = len(os.sched_getaffinity(0))
    runs, errors = {}, {}

    library = ctypes.CDLL(floor)
    library.floor_new.restype = ctypes.c_void_p
    library.floor_new.argtypes = [ctypes.c_int, ctypes.c_int64]
    pointer = ctypes.c_void_p
    library.floor_add.argtypes = [pointer] * 4 + [ctypes.c_int64, ctypes.c_int, ctypes.c_int64]
    pool = library.floor_new(threads, TILE)
    pointers = [a.ctypes.data for a in (x, y, z)]
    runs["floor"] = lambda: library.floor_add(pool, *pointers, COUNT, CORES, TILE)
    # torch's idle threads would spin on the cores that the next measurement needs.
    os.environ.update(OMP_WAIT_POLICY="PASSIVE", KMP_BLOCKTIME="0", GOMP_SPINCOUNT="0")
    try:
        import torch

        tx, ty = torch.from_numpy(x), torch.from_numpy(y)
        runs["torch"] = lambda: tx + ty
    except ImportError as e:
        errors["torch"] = str(e)
    try:
        sys.path.insert(0, FOLDER)
        from kernel_vadd import add_kernel

        for mode in ("fast", "check"):
            runs[mode] = in_mode(add_kernel, mode, (x, y, z, COUNT // CORES))
    except Exception as e:
        errors["asc"] = f"{type(e).__name__}: {e}"

    times = {name: [] for name in runs}
    for name in list(runs):
        z.fill(0)
        try:
            runs[name]()
            runs[name]()
            if name != "torch" and not np.array_equal(z, x + y):
                raise ValueError("wrong result")
        except Exception as e:
            errors[name] = f"{type(e).__name__}: {e}"
            del runs[name]
    for _ in range(repeat):
        for name, run in runs.items():
            t = time.perf_counter()
            run()
            times[name].append(time.perf_counter() - t)
    return {"times": times, "errors": errors, "threads": threads}


def main():
    side, what = sys.argv[1:3]
    options = json.loads(sys.argv[3]) if len(sys.argv) > 3 else {}
    quiet_environment(side)
    print(json.dumps(globals()["measure_" + what](side, **options)))


if __name__ == "__main__":
    main()
