# SPDX-License-Identifier: Apache-2.0
"""Structs: a tiling as argument, with a struct inside, and local ones that helpers change."""

import numpy as np

import asc
from asc.language.core.struct import Field, Struct, StructField


class Tile(Struct):
    length = Field(asc.uint32, default=64)
    count = Field(asc.int32, default=1)


class Tiling(Struct):
    share = Field(asc.int64)
    scale = Field(asc.float32, default=0.5)
    tile = StructField(Tile)


class Window(Struct):
    first = Field(asc.int64)
    length = Field(asc.int32, default=32)


@asc.jit
def step(window: Window, tile: Tile):
    window.first += tile.length
    window.length = tile.length


@asc.jit
def scale_tiles(x: asc.GlobalAddress, y: asc.GlobalAddress, tiling: Tiling):
    x_gm = asc.GlobalTensor()
    y_gm = asc.GlobalTensor()
    x_gm.set_global_buffer(x)
    y_gm.set_global_buffer(y)
    pipe = asc.TPipe()
    buffer = asc.TBuf(asc.TPosition.VECCALC)
    pipe.init_buffer(buffer, tiling.tile.length * x.dtype.sizeof())
    local = buffer.get(x.dtype)
    window = Window(first=asc.get_block_idx() * tiling.share, length=tiling.tile.length)
    for i in range(tiling.tile.count):
        asc.data_copy(local, x_gm[window.first :], window.length)
        asc.set_flag(asc.HardEvent.MTE2_V, 0)
        asc.wait_flag(asc.HardEvent.MTE2_V, 0)
        asc.muls(local, local, tiling.scale, window.length)
        asc.set_flag(asc.HardEvent.V_MTE3, 0)
        asc.wait_flag(asc.HardEvent.V_MTE3, 0)
        asc.data_copy(y_gm[window.first :], local, window.length)
        asc.set_flag(asc.HardEvent.MTE3_MTE2, 0)
        asc.wait_flag(asc.HardEvent.MTE3_MTE2, 0)
        step(window, tiling.tile)


@asc.jit
def copies(out: asc.GlobalAddress, tiling: Tiling, n: int):
    """A copy of an argument, of a part, and of a copy."""
    gm = asc.GlobalTensor()
    gm.set_global_buffer(out)
    local = tiling.create_local()
    local.share += n
    tile = local.tile.create_local()
    tile.count += 5
    for i in range(n):
        again = tile.create_local()
        again.count += i
        gm.set_value(i, again.count)
    gm.set_value(n, local.share + tiling.share)
    gm.set_value(n + 1, local.tile.count + tile.count)
    gm.set_value(n + 2, local.share**2)


def arguments():
    x = np.arange(512, dtype=np.float32)
    return x, np.zeros_like(x), Tiling(share=256, tile=Tile(count=4))


CASES = [
    ("scale_tiles", scale_tiles, 2, arguments),
    ("copies", copies, 1, lambda: (np.zeros(8, np.int64), Tiling(share=256, tile=Tile(count=4)), 3)),
]
