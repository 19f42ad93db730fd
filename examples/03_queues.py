# SPDX-License-Identifier: Apache-2.0
"""Sigmoid of a vector of any length, with queues.

A pipe hands out local memory to queues. What a queue passes on (`enque`, `deque`) is ordered: whoever takes a
tensor sees all of it, so there are no flags here. Each queue has two tensors: the next tile is copied in
while this one is computed. `data_copy` moves whole 32-byte blocks, `data_copy_pad` also the rest."""

import numpy as np

import asc

TILE = 1024  # elements


@asc.jit
def copy_in(src: asc.GlobalTensor, waiting: asc.TQue, count):
    tile = waiting.alloc_tensor(src.dtype)
    asc.data_copy_pad(
        tile,
        src,
        asc.DataCopyExtParams(1, count * src.dtype.sizeof(), 0, 0, 0),
        asc.DataCopyPadExtParams(src.dtype),
    )
    waiting.enque(tile)


@asc.jit
def compute(waiting: asc.TQue, done: asc.TQue, dtype: asc.ConstExpr, count):
    """1 / (1 + exp(-x))"""
    x = waiting.deque(dtype)
    y = done.alloc_tensor(dtype)
    asc.muls(y, x, -1.0, count)
    asc.exp(y, y, count)
    asc.adds(y, y, 1.0, count)
    asc.reciprocal(y, y, count)
    done.enque(y)
    waiting.free_tensor(x)


@asc.jit
def copy_out(dst: asc.GlobalTensor, done: asc.TQue, count):
    tile = done.deque(dst.dtype)
    asc.data_copy_pad(dst, tile, asc.DataCopyExtParams(1, count * dst.dtype.sizeof(), 0, 0, 0))
    done.free_tensor(tile)


@asc.jit
def sigmoid(x: asc.GlobalAddress, y: asc.GlobalAddress, n: int):
    pipe = asc.TPipe()
    waiting = asc.TQue(asc.TPosition.VECIN, 2)
    done = asc.TQue(asc.TPosition.VECOUT, 2)
    pipe.init_buffer(waiting, 2, TILE * x.dtype.sizeof())
    pipe.init_buffer(done, 2, TILE * x.dtype.sizeof())
    x_gm = asc.GlobalTensor()
    y_gm = asc.GlobalTensor()
    x_gm.set_global_buffer(x, n)
    y_gm.set_global_buffer(y, n)
    # Core b takes the tiles b, b + cores, ...
    for first in range(asc.get_block_idx() * TILE, n, asc.get_block_num() * TILE):
        count = min(TILE, n - first)
        copy_in(x_gm[first:], waiting, count)
        compute(waiting, done, x.dtype, count)
        copy_out(y_gm[first:], done, count)


def main():
    x = np.linspace(-6, 6, 100_003, dtype=np.float32)
    y = np.zeros_like(x)
    sigmoid[8](x, y, x.size)
    expected = 1 / (1 + np.exp(-x.astype(np.float64)))
    np.testing.assert_allclose(y, expected, rtol=1e-6)
    print(f"sigmoid of {x.size} float32 elements: within 1e-6 of numpy")


if __name__ == "__main__":
    main()
