# SPDX-License-Identifier: Apache-2.0
"""What an installed asc must do in a clean environment; wheels.py runs it there with `python -I`.

usage: smoke.py numpy|bare"""

import sys

LAZY = ("inspect", "dataclasses", "typing", "ast", "re", "pathlib", "numpy", "torch")

before = set(sys.modules)
import asc  # noqa: E402

eager = [name for name in LAZY if name in set(sys.modules) - before]

import array  # noqa: E402
import importlib.util  # noqa: E402
import json  # noqa: E402
import subprocess  # noqa: E402

COUNT, BLOCKS = 4096, 4


@asc.jit
def scaled_sum(x: asc.GlobalAddress, y: asc.GlobalAddress, z: asc.GlobalAddress, factor: float, n: int):
    first = asc.get_block_idx() * n
    x_gm = asc.GlobalTensor()
    y_gm = asc.GlobalTensor()
    z_gm = asc.GlobalTensor()
    x_gm.set_global_buffer(x + first, n)
    y_gm.set_global_buffer(y + first, n)
    z_gm.set_global_buffer(z + first, n)
    pipe = asc.TPipe()
    x_queue = asc.TQue(asc.TPosition.VECIN, 1)
    y_queue = asc.TQue(asc.TPosition.VECIN, 1)
    z_queue = asc.TQue(asc.TPosition.VECOUT, 1)
    pipe.init_buffer(x_queue, 1, n * 4)
    pipe.init_buffer(y_queue, 1, n * 4)
    pipe.init_buffer(z_queue, 1, n * 4)
    x_in = x_queue.alloc_tensor(x.dtype)
    y_in = y_queue.alloc_tensor(x.dtype)
    asc.data_copy(x_in, x_gm, n)
    asc.data_copy(y_in, y_gm, n)
    x_queue.enque(x_in)
    y_queue.enque(y_in)
    x_ub = x_queue.deque(x.dtype)
    y_ub = y_queue.deque(x.dtype)
    z_ub = z_queue.alloc_tensor(x.dtype)
    asc.muls(z_ub, x_ub, factor, n)
    asc.add(z_ub, z_ub, y_ub, n)
    z_queue.enque(z_ub)
    x_queue.free_tensor(x_ub)
    y_queue.free_tensor(y_ub)
    z_out = z_queue.deque(x.dtype)
    asc.data_copy(z_gm, z_out, n)
    z_queue.free_tensor(z_out)


def arrays(kind):
    """x, y, z of float32; every value and result is exact."""
    x, y = [float(i) for i in range(COUNT)], [0.5 * i for i in range(COUNT)]
    if kind == "numpy":
        import numpy as np

        return np.array(x, np.float32), np.array(y, np.float32), np.zeros(COUNT, np.float32)
    return array.array("f", x), array.array("f", y), array.array("f", bytes(4 * COUNT))


def check_doctor(kind):
    command = [sys.executable, "-I", "-m", "asc", "doctor", "--json"]
    done = subprocess.run(command, capture_output=True, text=True)
    answer = json.loads(done.stdout)
    bad = [check for check in answer["checks"] if check["verdict"] in ("error", "warning")]
    assert done.returncode == 0 and not bad, bad
    (numpy,) = [check for check in answer["checks"] if check["name"] == "numpy"]
    assert (numpy["verdict"] == "ok") == (kind == "numpy"), numpy


def main():
    kind = sys.argv[1]
    assert not eager, f"import asc imports {eager}"
    for name in ("numpy", "torch"):
        wanted = (name, kind) == ("numpy", "numpy")
        assert wanted or not importlib.util.find_spec(name), f"{name} is here: the environment is not clean"
    x, y, z = arrays(kind)
    for _ in range(2):
        scaled_sum[BLOCKS](x, y, z, 2.0, COUNT // BLOCKS)
        assert all(z[i] == 2.0 * i + 0.5 * i for i in range(COUNT))
    text = scaled_sum[BLOCKS].compile(x, y, z, 2.0, COUNT // BLOCKS).text["ascendc"]
    assert "AscendC::Muls(z_ub, x_ub, factor, n);" in text, text
    # One element too many: found, and the next launch works.
    try:
        scaled_sum[BLOCKS](x, y, z, 2.0, COUNT // BLOCKS + 8)
        raise AssertionError("an access outside an argument was not found")
    except asc.BoundsError as e:
        assert "outside argument `x`" in str(e), e
    scaled_sum[BLOCKS](x, y, z, 1.0, COUNT // BLOCKS)
    assert all(z[i] == 1.5 * i for i in range(COUNT))
    if hasattr(asc, "cache_info"):
        assert str(asc.cache_info())
    assert scaled_sum.cache_info() is not None
    check_doctor(kind)
    version = ".".join(map(str, sys.version_info[:3]))
    print(f"Python {version}, {kind}: imports, compiles, runs, finds, doctor ok")


main()
