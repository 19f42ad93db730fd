# SPDX-License-Identifier: Apache-2.0
"""Adding two vectors: by flags on two buffers, by queues with helpers, in a TBuf; scaling with a tail."""

import numpy as np

import asc

BUFFERS = 2
TILES = 4


@asc.jit
def add_by_flags(x: asc.GlobalAddress, y: asc.GlobalAddress, z: asc.GlobalAddress, share: int):
    first = asc.get_block_idx() * share
    x_gm = asc.GlobalTensor()
    y_gm = asc.GlobalTensor()
    z_gm = asc.GlobalTensor()
    x_gm.set_global_buffer(x + first, share)
    y_gm.set_global_buffer(y + first, share)
    z_gm.set_global_buffer(z + first, share)
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


@asc.jit
def load(i: int, gm: asc.GlobalTensor, queue: asc.TQue, tile: asc.ConstExpr[int]):
    local = queue.alloc_tensor(gm.dtype)
    asc.data_copy(local, gm[i * tile :], tile)
    queue.enque(local)


@asc.jit
def store(i: int, gm: asc.GlobalTensor, queue: asc.TQue, tile: asc.ConstExpr[int]):
    local = queue.deque(gm.dtype)
    asc.data_copy(gm[i * tile :], local, tile)
    queue.free_tensor(local)


@asc.jit
def add_by_queues(
    x: asc.GlobalAddress, y: asc.GlobalAddress, z: asc.GlobalAddress, share: int, tile: asc.ConstExpr[int]
):
    first = asc.get_block_idx() * share
    x_gm = asc.GlobalTensor()
    y_gm = asc.GlobalTensor()
    z_gm = asc.GlobalTensor()
    x_gm.set_global_buffer(x + first)
    y_gm.set_global_buffer(y + first)
    z_gm.set_global_buffer(z + first)
    pipe = asc.TPipe()
    x_in = asc.TQue(asc.TPosition.VECIN, BUFFERS)
    y_in = asc.TQue(asc.TPosition.VECIN, BUFFERS)
    z_out = asc.TQue(asc.TPosition.VECOUT, BUFFERS)
    pipe.init_buffer(x_in, BUFFERS, tile * x.dtype.sizeof())
    pipe.init_buffer(y_in, BUFFERS, tile * y.dtype.sizeof())
    pipe.init_buffer(z_out, BUFFERS, tile * z.dtype.sizeof())
    for i in range(share // tile):
        load(i, x_gm, x_in, tile)
        load(i, y_gm, y_in, tile)
        x_local = x_in.deque(x.dtype)
        y_local = y_in.deque(x.dtype)
        z_local = z_out.alloc_tensor(x.dtype)
        asc.add(z_local, x_local, y_local, tile)
        z_out.enque(z_local)
        x_in.free_tensor(x_local)
        y_in.free_tensor(y_local)
        store(i, z_gm, z_out, tile)


@asc.jit
def add_twice_in_a_buffer(x: asc.GlobalAddress, z: asc.GlobalAddress, n: asc.ConstExpr[int]):
    x_gm = asc.GlobalTensor()
    z_gm = asc.GlobalTensor()
    x_gm.set_global_buffer(x)
    z_gm.set_global_buffer(z)
    pipe = asc.TPipe()
    work = asc.TBuf(asc.TPosition.VECCALC)
    spare = asc.TBuf(asc.TPosition.VECCALC)
    pipe.init_buffer(spare, 32)
    pipe.init_buffer(work, n * x.dtype.sizeof())
    local = work.get(x.dtype)
    half = work.get(x.dtype, n // 2)
    loaded = pipe.fetch_event_id(asc.HardEvent.MTE2_V)
    added = pipe.alloc_event_id(asc.HardEvent.V_MTE3)
    asc.data_copy(local, x_gm, n)
    asc.set_flag(asc.HardEvent.MTE2_V, loaded)
    asc.wait_flag(asc.HardEvent.MTE2_V, loaded)
    asc.add(half, half, half, half.get_size())
    asc.pipe_barrier(asc.PipeID.PIPE_V)
    asc.add(local, local, local, n)
    asc.set_flag(asc.HardEvent.V_MTE3, added)
    asc.wait_flag(asc.HardEvent.V_MTE3, added)
    asc.data_copy(z_gm, local, n)
    pipe.release_event_id(added, asc.HardEvent.V_MTE3)


@asc.jit
def part_of(total: int, TILE: asc.ConstExpr[int]):
    begin = asc.get_block_idx() * TILE
    size = total - begin
    if size > TILE:
        size = TILE
    return begin, size


@asc.jit
def scale(x: asc.GlobalAddress, y: asc.GlobalAddress, total: int, factor: float, TILE: asc.ConstExpr[int]):
    begin, size = part_of(total, TILE)
    if size <= 0:
        return
    x_gm = asc.GlobalTensor()
    y_gm = asc.GlobalTensor()
    x_gm.set_global_buffer(x + begin, size)
    y_gm.set_global_buffer(y + begin, size)
    step = TILE // BUFFERS
    local = asc.LocalTensor(x.dtype, asc.TPosition.VECCALC, 0, TILE)
    for i in range(size // step):
        buf = i % BUFFERS
        asc.data_copy(local[buf * step :], x_gm[i * step :], step)
        asc.set_flag(asc.HardEvent.MTE2_V, buf)
        asc.wait_flag(asc.HardEvent.MTE2_V, buf)
        asc.muls(local[buf * step :], local[buf * step :], factor, step)
        if factor < 0.0:
            asc.relu(local[buf * step :], local[buf * step :], step)
        asc.set_flag(asc.HardEvent.V_MTE3, buf)
        asc.wait_flag(asc.HardEvent.V_MTE3, buf)
        asc.data_copy(y_gm[i * step :], local[buf * step :], step)
        asc.set_flag(asc.HardEvent.MTE3_MTE2, buf)
        asc.wait_flag(asc.HardEvent.MTE3_MTE2, buf)


def vectors(count, n, dtype=np.float32):
    rng = np.random.default_rng(7)
    inputs = [rng.normal(0, 4, n).astype(dtype) for _ in range(count)]
    return [*inputs, np.zeros(n, dtype)]


CASES = [
    ("flags", add_by_flags, 2, lambda: (*vectors(2, 2048), 1024)),
    ("flags_half", add_by_flags, 4, lambda: (*vectors(2, 2048, np.float16), 512)),
    ("queues", add_by_queues, 2, lambda: (*vectors(2, 2048), 1024, 256)),
    ("buffer", add_twice_in_a_buffer, 1, lambda: (*vectors(1, 512), 512)),
    ("scale", scale, 3, lambda: (*vectors(1, 1280), 1280, -0.5, 512)),
]
