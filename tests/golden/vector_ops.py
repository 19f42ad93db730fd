# SPDX-License-Identifier: Apache-2.0
"""One op of each vector family, scalars of several kinds, a TBuf for the result."""

import numpy as np

import asc

COUNT = 64


@asc.jit
def vector_ops(x: asc.GlobalAddress, y: asc.GlobalAddress, slope: float, n: int):
    x_gm = asc.GlobalTensor()
    y_gm = asc.GlobalTensor()
    x_gm.set_global_buffer(x)
    y_gm.set_global_buffer(y)
    pipe = asc.TPipe()
    queue = asc.TQue(asc.TPosition.VECIN, 1)
    buf = asc.TBuf(asc.TPosition.VECCALC)
    pipe.init_buffer(queue, 1, COUNT * x.dtype.sizeof())
    pipe.init_buffer(buf, 2 * COUNT * x.dtype.sizeof())
    a = queue.alloc_tensor(x.dtype)
    asc.data_copy(a, x_gm, COUNT)
    queue.enque(a)
    a = queue.deque(x.dtype)
    both = buf.get(x.dtype)
    b = both[COUNT:]
    c = both[:COUNT]
    asc.duplicate(b, 2, COUNT)
    asc.adds(c, a, 0.5, COUNT)
    asc.mul(b, b, c, COUNT)
    asc.leaky_relu(b, b, slope, COUNT)
    asc.abs(c, a, COUNT)
    asc.axpy(b, c, n, COUNT)
    asc.mul_add_dst(b, c, a, COUNT)
    asc.set_flag(asc.HardEvent.V_MTE3)
    asc.wait_flag(asc.HardEvent.V_MTE3)
    asc.data_copy(y_gm, b, COUNT)
    queue.free_tensor(a)


def arguments():
    x = np.random.default_rng(3).standard_normal(COUNT).astype(np.float16)
    return [x, np.zeros_like(x), 0.125, 3]


CASES = [("vector_ops", vector_ops, 1, arguments)]
