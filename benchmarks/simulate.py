# SPDX-License-Identifier: Apache-2.0
"""Measurements of the simulator, side by side in one process: against plain C++, torch, CPython, g++ -O0.

Each function returns {"times": {name: [seconds]}, "errors": {name: reason}}; what is compared takes turns."""

import ctypes
import os
import sys
import time

FOLDER = os.path.dirname(os.path.abspath(__file__))
COUNT, CORES, TILE, SMALL_TILE = 1 << 20, 8, 2048, 256
TURNS = 1 << 18  # of a scalar loop
POINTER = ctypes.c_void_p


def in_turn(runs, repeat, errors, check=None, clock=time.perf_counter):
    """Times of each run, taking turns after two calls to warm up; `check(name)` raises on a wrong result."""
    for name in list(runs):
        try:
            runs[name]()
            runs[name]()
            if check:
                check(name)
        except Exception as e:
            errors[name] = f"{type(e).__name__}: {e}".splitlines()[0]
            del runs[name]
    times = {name: [] for name in runs}
    for _ in range(repeat):
        for name, run in runs.items():
            t = clock()
            run()
            times[name].append(clock() - t)
    return {"times": times, "errors": errors}


def quiet_torch():
    """torch; its idle threads must not spin on the cores that the next measurement needs."""
    os.environ.update(OMP_WAIT_POLICY="PASSIVE", KMP_BLOCKTIME="0", GOMP_SPINCOUNT="0")
    import torch

    return torch


def load_floor(path):
    library = ctypes.CDLL(path)
    library.floor_new.restype = POINTER
    library.floor_new.argtypes = [ctypes.c_int, ctypes.c_int64]
    library.floor_add.argtypes = [POINTER] * 4 + [ctypes.c_int64, ctypes.c_int, ctypes.c_int64]
    library.floor_work.argtypes = [POINTER, ctypes.c_int, ctypes.c_int64]
    return library


def measure_add(side, floor, repeat=30):
    """The vector add in both modes and with small tiles, plain C++ and torch, on the same arrays."""
    import numpy as np

    sys.path.insert(0, FOLDER)
    from kernel_vadd import add_kernel

    rng = np.random.default_rng(1)
    x, y = (rng.random(COUNT, dtype=np.float32) for _ in range(2))
    z = np.zeros_like(x)
    runs, errors = {}, {}
    library = load_floor(floor)
    pool = library.floor_new(len(os.sched_getaffinity(0)), TILE)
    pointers = [a.ctypes.data for a in (x, y, z)]
    runs["floor"] = lambda: library.floor_add(pool, *pointers, COUNT, CORES, TILE)
    try:
        torch = quiet_torch()
        tx, ty = torch.from_numpy(x), torch.from_numpy(y)
        runs["torch.add"] = lambda: tx + ty
    except ImportError as e:
        errors["torch.add"] = str(e)
    for name, blocks in (("add", CORES), ("small", CORES * TILE // SMALL_TILE)):
        for mode in ("fast", "check"):
            handle = add_kernel.options(mode=mode)[blocks]
            runs[f"{name}.{mode}"] = lambda handle=handle, blocks=blocks: handle(x, y, z, COUNT // blocks)

    def check(name):
        if name != "torch.add" and not np.array_equal(z, x + y):
            raise ValueError("wrong result")
        z.fill(0)

    return in_turn(runs, repeat, errors, check)


def gelu_setup():
    import numpy as np

    sys.path.insert(0, FOLDER)
    from kernel_gelu import gelu

    x = np.random.default_rng(2).uniform(-4, 4, COUNT).astype(np.float32)
    return gelu, x, np.zeros_like(x)


def measure_chain(side, repeat=20):
    """A fused chain of vector ops against the same formula op by op in torch."""
    import numpy as np

    gelu, x, y = gelu_setup()
    handle = gelu.options(mode="fast")[CORES]
    runs, errors = {"gelu.fast": lambda: handle(x, y, COUNT // CORES, TILE)}, {}
    try:
        torch = quiet_torch()
        tx = torch.from_numpy(x)
        runs["torch.gelu"] = lambda: tx / (torch.exp(tx * -1.702) + 1.0)
    except ImportError as e:
        errors["torch.gelu"] = str(e)

    def check(name):
        if name == "gelu.fast" and not np.allclose(y, x / (1 + np.exp(-1.702 * x)), rtol=1e-5, atol=1e-6):
            raise ValueError("wrong result")

    return in_turn(runs, repeat, errors, check)


def measure_product(side, repeat=15):
    """float16 matrices to a float32 product by Matmul and by mmad, against torch's float32 product."""
    import numpy as np

    sys.path.insert(0, FOLDER)
    import kernel_mmad
    from kernel_matmul import product, tiling_for

    m, k, n = 512, 512, 1024
    rng = np.random.default_rng(3)
    a, b = (rng.integers(-5, 5, shape).astype(np.float16) for shape in ((m, k), (k, n)))
    c, space = np.zeros((m, n), np.float32), np.zeros(1 << 20, np.uint8)
    tiling = tiling_for(m, n, k, CORES)
    handle = product.options(mode="fast")[tiling.used_core_num]
    runs, errors = {"product.fast": lambda: handle(a, b, c, tiling, space)}, {}
    fractals = kernel_mmad.to_fractals(a, False), kernel_mmad.to_fractals(b, True)
    by_hand = kernel_mmad.multiply.options(mode="fast")[m * n // kernel_mmad.CORE**2]
    runs["mmad.fast"] = lambda: by_hand(*fractals, c, m, n, k)
    wide = a.astype(np.float32), b.astype(np.float32)
    try:
        torch = quiet_torch()
        ta, tb = (torch.from_numpy(x) for x in wide)
        runs["torch.matmul"] = lambda: ta @ tb
    except ImportError as e:
        errors["torch.matmul"] = str(e)

    def check(name):
        if name != "torch.matmul" and not np.array_equal(c, wide[0] @ wide[1]):  # whole numbers: exact
            raise ValueError("wrong result")
        c.fill(0)

    return in_turn(runs, repeat, errors, check)


def measure_threads(side, floor, repeat=20):
    """The chain on one thread and two, and what the machine makes of two threads of plain work."""
    gelu, x, y = gelu_setup()
    library = load_floor(floor)
    runs = {}
    for threads in (1, 2):
        handle = gelu.options(mode="fast", threads=threads)[CORES]
        runs[f"gelu.threads{threads}"] = lambda handle=handle: handle(x, y, COUNT // CORES, TILE)
        pool = library.floor_new(threads, TILE)
        runs[f"machine.threads{threads}"] = lambda pool=pool: library.floor_work(pool, CORES, COUNT // CORES)
    return in_turn(runs, repeat, {})


def measure_scalar(side, repeat=7):
    """Three scalar loops, a turn: the simulator in both modes, CPython, and the printed code by g++ -O0.

    CPU time: each runs on one thread, and what else the machine does shows less."""
    import numpy as np

    sys.path[:0] = [FOLDER, os.path.join(os.path.dirname(FOLDER), "tests", "python")]
    import kernel_scalar as loops

    x = np.arange(loops.ROOM, dtype=np.int32)
    cases = {
        "integers": (loops.integers, [np.zeros(1, np.int32), TURNS], lambda: loops.plain_integers(TURNS)),
        "floats": (
            loops.floats,
            [np.zeros(1, np.float32), 0.5, TURNS],
            lambda: loops.plain_floats(0.5, TURNS),
        ),
        "memory": (
            loops.memory,
            [x, np.zeros(loops.ROOM, np.int32), TURNS],
            lambda: loops.plain_memory(x.tolist(), TURNS),
        ),
    }
    runs, errors = {}, {}
    for name, (kernel, args, plain) in cases.items():
        for mode in ("fast", "check"):
            handle = kernel.options(mode=mode)[1]
            runs[f"{name}.{mode}"] = lambda handle=handle, args=args: handle(*args)
        runs[f"{name}.cpython"] = plain
        try:
            import host_exec

            text = kernel[1].compile(*args).text["ascendc"]
            program = host_exec.compile_printed(
                text, flags=tuple(f.replace("-O1", "-O0") for f in host_exec.FLAGS)
            )
            runs[f"{name}.gxx"] = lambda program=program, args=args: program.run("AIV_ONLY", 1, args)
        except Exception as e:
            errors[f"{name}.gxx"] = f"{type(e).__name__}: {e}".splitlines()[0]

    def check(name):
        loop, _, way = name.partition(".")
        if way in ("fast", "check"):
            kernel, args, plain = cases[loop]
            result = next(a for a in reversed(args) if isinstance(a, np.ndarray))
            if not np.array_equal(result, np.atleast_1d(np.array(plain(), result.dtype))):
                raise ValueError("wrong result")

    result = in_turn(runs, repeat, errors, check, time.process_time)
    result["times"] = {name: [t / TURNS for t in times] for name, times in result["times"].items()}
    return result
