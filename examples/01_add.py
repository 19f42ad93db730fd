# SPDX-License-Identifier: Apache-2.0
"""Adds two vectors with a kernel of eight cores, on whatever device is there.

Each core takes an equal share of the vectors and walks over it in tiles: copy in, add, copy out. There are
two buffers, and flags order the copies and the addition; without a flag the next step could read old data."""

import os
import tempfile

# One folder a kernel, with the IR, the printed Ascend C and the bytecode. Read when a kernel is compiled.
os.environ.setdefault("PYASC_DUMP_PATH", os.path.join(tempfile.gettempdir(), "asc_dump"))

import asc
import asc.lib.runtime as rt

try:
    import torch
except ImportError:
    torch = None
    import numpy as np

CORES = 8
BUFFERS = 2
TILES = 16  # of one core


@asc.jit
def add_vectors(x: asc.GlobalAddress, y: asc.GlobalAddress, z: asc.GlobalAddress, share: int):
    first = asc.get_block_idx() * share
    x_gm = asc.GlobalTensor()
    y_gm = asc.GlobalTensor()
    z_gm = asc.GlobalTensor()
    x_gm.set_global_buffer(x + first, share)
    y_gm.set_global_buffer(y + first, share)
    z_gm.set_global_buffer(z + first, share)
    # Local tensors lie where the kernel says: position, byte address, elements.
    tile = share // TILES
    room = tile * BUFFERS * x.dtype.sizeof()
    x_local = asc.LocalTensor(x.dtype, asc.TPosition.VECIN, 0, tile * BUFFERS)
    y_local = asc.LocalTensor(x.dtype, asc.TPosition.VECIN, room, tile * BUFFERS)
    z_local = asc.LocalTensor(x.dtype, asc.TPosition.VECOUT, room * 2, tile * BUFFERS)
    for i in range(TILES):
        buf = i % BUFFERS
        asc.data_copy(x_local[buf * tile :], x_gm[i * tile :], tile)
        asc.data_copy(y_local[buf * tile :], y_gm[i * tile :], tile)
        asc.set_flag(asc.HardEvent.MTE2_V, buf)
        asc.wait_flag(asc.HardEvent.MTE2_V, buf)
        asc.add(z_local[buf * tile :], x_local[buf * tile :], y_local[buf * tile :], tile)
        asc.set_flag(asc.HardEvent.V_MTE3, buf)
        asc.wait_flag(asc.HardEvent.V_MTE3, buf)
        asc.data_copy(z_gm[i * tile :], z_local[buf * tile :], tile)
        asc.set_flag(asc.HardEvent.MTE3_MTE2, buf)
        asc.wait_flag(asc.HardEvent.MTE3_MTE2, buf)


def make_inputs(n):
    """Two random float32 vectors of n elements and an empty result, of torch where it is installed."""
    if torch is not None:
        generator = torch.Generator().manual_seed(1)
        x, y = (torch.rand(n, generator=generator) for _ in range(2))
        return x, y, torch.zeros_like(x)
    generator = np.random.default_rng(1)
    x, y = (generator.random(n, dtype=np.float32) for _ in range(2))
    return x, y, np.zeros_like(x)


def main():
    n = CORES * TILES * 1024
    x, y, z = make_inputs(n)
    add_vectors[CORES, rt.current_stream()](x, y, z, n // CORES)

    expected = x + y
    wrong = int((z != expected).sum())
    if wrong:
        raise SystemExit(f"{wrong} of {n} elements differ from x + y")
    device = "the device simulator" if rt.is_model() else "an NPU"
    kind = (
        f"torch {torch.__version__} tensors" if torch is not None else "numpy arrays (torch is not installed)"
    )
    print(f"added 2 x {n} float32 elements, {kind}: equal to x + y in every bit")
    print(f"ran on {device}, platform {rt.get_soc_version().value}, {CORES} cores")
    print(f"the Ascend C is in {os.environ['PYASC_DUMP_PATH']}")


if __name__ == "__main__":
    main()
