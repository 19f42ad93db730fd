# SPDX-License-Identifier: Apache-2.0
"""Measures one thing in the environment that runs it, and prints one JSON object.

usage: worker.py asc|pyasc|triton WHAT [OPTIONS AS JSON]; WHAT is the end of a function's name: import, first,
compile, warm, triton, or one of simulate.py: add, chain, product, threads, scalar

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
    """Time of `import asc`, and the peak resident set then, in kilobytes."""
    t = time.perf_counter()
    import asc  # noqa: F401

    t = time.perf_counter() - t
    with open("/proc/self/status") as f:
        peak = next(int(line.split()[1]) for line in f if line.startswith("VmHWM"))
    return {"seconds": t, "rss_kb": peak}


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


def numpy_arrays(count):
    import numpy as np

    return [np.zeros(COUNT, np.float32) for _ in range(count)]


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
    args = [*numpy_arrays(3), COUNT // CORES]
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

    args = [*numpy_arrays(3), COUNT // CORES]
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


def measure_warm(side, arrays="numpy", repeat=7, calls=2000):
    """CPU time of a launch that was compiled before, to a device that does nothing, `kernel[8]` included."""
    if side == "asc":
        os.environ["PYASC_DRY_RUN"] = "1"
    import asc  # noqa: F401

    no_device(side)
    sys.path.insert(0, FOLDER)
    from kernel_warm import warm_kernel

    if arrays == "torch":
        import torch

        x, y, z = (torch.zeros(COUNT, dtype=torch.float32) for _ in range(3))
    else:
        x, y, z = numpy_arrays(3)
    warm_kernel[CORES](x, y, z, 131072, 64, 0, 0.5)
    times = []
    for _ in range(repeat):
        t = time.process_time()
        for _ in range(calls):
            warm_kernel[CORES](x, y, z, 131072, 64, 0, 0.5)
        times.append((time.process_time() - t) / calls)
    return {"times": times}


def measure_triton(side, repeat=5):
    """The vector add in Triton's interpreter."""
    os.environ["TRITON_INTERPRET"] = "1"
    import torch

    sys.path.insert(0, FOLDER)
    import triton
    from kernel_triton import add_kernel

    x, y = torch.rand(COUNT), torch.rand(COUNT)
    z = torch.zeros(COUNT)
    grid, times = (triton.cdiv(COUNT, TILE),), []
    for _ in range(repeat):
        t = time.perf_counter()
        add_kernel[grid](x, y, z, COUNT, TILE=TILE)
        times.append(time.perf_counter() - t)
    if not torch.equal(z, x + y):
        raise ValueError("wrong result")
    return {"times": times, "version": triton.__version__}


def main():
    side, what = sys.argv[1:3]
    options = json.loads(sys.argv[3]) if len(sys.argv) > 3 else {}
    quiet_environment(side)
    function = globals().get("measure_" + what)
    if function is None:
        import simulate

        function = getattr(simulate, "measure_" + what)
    print(json.dumps(function(side, **options)))


if __name__ == "__main__":
    main()
