# SPDX-License-Identifier: Apache-2.0
"""Kernels that overwrite an array as a whole, and kernels that nearly do: an element is left out, or nobody
can tell before the launch. Arrays are int32."""

import numpy as np

import asc

TILE = 8  # elements of a tile: one 32-byte block


@asc.jit
def sevens(count: asc.ConstExpr[int]):
    """A tensor of sevens in local memory, ready to be copied out."""
    local = asc.LocalTensor(asc.int32, asc.TPosition.VECOUT, 0, count)
    asc.duplicate(local, 7, count)
    asc.set_flag(asc.HardEvent.V_MTE3, 0)
    asc.wait_flag(asc.HardEvent.V_MTE3, 0)
    return local


@asc.jit
def bound(out: asc.GlobalAddress):
    g = asc.GlobalTensor()
    g.set_global_buffer(out)
    return g


@asc.jit
def seen(x: asc.GlobalAddress):
    """Another one, for what is only read: what one helper gives is all that its calls are given."""
    g = asc.GlobalTensor()
    g.set_global_buffer(x)
    return g


# ---- overwritten ----


@asc.jit
def one_copy(out: asc.GlobalAddress, n: int):
    asc.data_copy(bound(out), sevens(64), n)


@asc.jit
def tiles(out: asc.GlobalAddress, n: int):
    g, local = bound(out), sevens(TILE)
    for i in range(n // TILE):
        asc.data_copy(g[i * TILE :], local, TILE)


@asc.jit
def tiles_backwards(out: asc.GlobalAddress, n: int):
    g, local = bound(out), sevens(TILE)
    for i in range(n // TILE - 1, -1, -1):
        asc.data_copy(g[i * TILE :], local, TILE)


@asc.jit
def tiles_by_steps(out: asc.GlobalAddress, n: int):
    g, local = bound(out), sevens(TILE)
    for i in range(0, n, TILE):
        asc.data_copy(g[i:], local, TILE)


@asc.jit
def tiles_unrolled(out: asc.GlobalAddress, n: int):
    g, local = bound(out), sevens(TILE)
    for i in asc.static_range(8):
        asc.data_copy(g[i * TILE :], local, TILE)


@asc.jit
def carried_offset(out: asc.GlobalAddress, n: int):
    g, local = bound(out), sevens(TILE)
    at = 0
    for _ in range(n // TILE):
        asc.data_copy(g[at:], local, TILE)
        at += TILE


@asc.jit
def carried_address(out: asc.GlobalAddress, n: int):
    g, local = asc.GlobalTensor(), sevens(TILE)
    for _ in range(n // TILE):
        g.set_global_buffer(out)
        asc.data_copy(g, local, TILE)
        out = out + TILE


@asc.jit
def blocks(out: asc.GlobalAddress, n: int):
    share = n // asc.get_block_num()
    g, local = bound(out + asc.get_block_idx() * share), sevens(TILE)
    for i in range(share // TILE):
        asc.data_copy(g[i * TILE :], local, TILE)


@asc.jit
def blocks_take_turns(out: asc.GlobalAddress, n: int):
    g, local = bound(out), sevens(TILE)
    for i in range(n // TILE // asc.get_block_num()):
        asc.data_copy(g[(i * asc.get_block_num() + asc.get_block_idx()) * TILE :], local, TILE)


@asc.jit
def every_block_all(out: asc.GlobalAddress, n: int):
    g, local = bound(out), sevens(TILE)
    for i in range(n // TILE):
        asc.data_copy(g[i * TILE :], local, TILE)


@asc.jit
def rows_and_columns(out: asc.GlobalAddress, n: int):
    g, local = bound(out), sevens(TILE)
    for row in range(n // 16):
        for column in range(2):
            asc.data_copy(g[row * 16 + column * TILE :], local, TILE)


@asc.jit
def elements(out: asc.GlobalAddress, n: int):
    g = bound(out)
    for i in range(n):
        g.set_value(i, i * i)


@asc.jit
def queued(out: asc.GlobalAddress, n: int):
    g = bound(out)
    pipe = asc.TPipe()
    queue = asc.TQue(asc.TPosition.VECOUT, 2)
    pipe.init_buffer(queue, 2, TILE * 4)
    for i in range(n // TILE):
        made = queue.alloc_tensor(asc.int32)
        asc.duplicate(made, 7, TILE)
        queue.enque(made)
        done = queue.deque(asc.int32)
        asc.data_copy(g[i * TILE :], done, TILE)
        queue.free_tensor(done)


@asc.jit
def put(g: asc.GlobalTensor, i: int, local: asc.LocalTensor):
    asc.data_copy(g[i * TILE :], local, TILE)


@asc.jit
def by_helper(out: asc.GlobalAddress, n: int):
    g, local = bound(out), sevens(TILE)
    for i in range(n // TILE):
        put(g, i, local)


@asc.jit
def tail_if_there_is_one(out: asc.GlobalAddress, n: int):
    g, local = bound(out), sevens(24)
    for i in range(n // 24):
        asc.data_copy(g[i * 24 :], local, 24)
    if n % 24 != 0:
        asc.data_copy(g[n // 24 * 24 :], local, n % 24)


@asc.jit
def padded_tail(out: asc.GlobalAddress, n: int):
    """Any number of elements, in every block."""
    g, local = bound(out + asc.get_block_idx() * n), sevens(24)
    for i in range(n // 24):
        asc.data_copy(g[i * 24 :], local, 24)
    rest = n % 24
    if rest > 0:
        asc.data_copy_pad(g[n - rest :], local, asc.DataCopyExtParams(1, rest * 4))


@asc.jit
def two_halves(out: asc.GlobalAddress, n: int):
    g, local = bound(out), sevens(TILE)
    half = n // 2
    for i in range(half // TILE):
        asc.data_copy(g[i * TILE :], local, TILE)
    for i in range(half // TILE):
        asc.data_copy(g[half + i * TILE :], local, TILE)


@asc.jit
def chosen_by_argument(out: asc.GlobalAddress, n: int, whole: bool):
    g, local = bound(out), sevens(64)
    if whole and n >= 64:
        asc.data_copy(g, local, n)
    else:
        asc.data_copy(g, local, n // 2)


@asc.jit
def loop_that_never_breaks(out: asc.GlobalAddress, n: int):
    g, local = bound(out), sevens(TILE)
    for i in range(n // TILE):
        if i > n:
            break
        asc.data_copy(g[i * TILE :], local, TILE)


@asc.jit
def early_return_of_no_block(out: asc.GlobalAddress, n: int):
    if asc.get_block_idx() >= asc.get_block_num():
        return
    share = n // asc.get_block_num()
    g, local = bound(out + asc.get_block_idx() * share), sevens(TILE)
    for i in range(share // TILE):
        asc.data_copy(g[i * TILE :], local, TILE)


# ---- not overwritten, or not to be told ----


@asc.jit
def last_tile_missing(out: asc.GlobalAddress, n: int):
    g, local = bound(out), sevens(TILE)
    for i in range(n // TILE - 1):
        asc.data_copy(g[i * TILE :], local, TILE)


@asc.jit
def first_tile_missing(out: asc.GlobalAddress, n: int):
    g, local = bound(out), sevens(TILE)
    for i in range(1, n // TILE):
        asc.data_copy(g[i * TILE :], local, TILE)


@asc.jit
def gaps_between_tiles(out: asc.GlobalAddress, n: int):
    g, local = bound(out), sevens(TILE)
    for i in range(n // (TILE + 1)):
        asc.data_copy(g[i * (TILE + 1) :], local, TILE)


@asc.jit
def every_second_tile(out: asc.GlobalAddress, n: int):
    g, local = bound(out), sevens(TILE)
    for i in range(0, n // TILE, 2):
        asc.data_copy(g[i * TILE :], local, TILE)


@asc.jit
def backwards_not_to_the_first(out: asc.GlobalAddress, n: int):
    g, local = bound(out), sevens(TILE)
    for i in range(n // TILE - 1, 0, -1):
        asc.data_copy(g[i * TILE :], local, TILE)


@asc.jit
def the_wrong_way(out: asc.GlobalAddress, n: int):
    g, local = bound(out), sevens(TILE)
    for i in range(0, n // TILE, -1):
        asc.data_copy(g[i * TILE :], local, TILE)


@asc.jit
def continues(out: asc.GlobalAddress, n: int, one: int):
    g, local = bound(out), sevens(TILE)
    for i in range(n // TILE):
        if i == one:
            continue
        asc.data_copy(g[i * TILE :], local, TILE)


@asc.jit
def breaks(out: asc.GlobalAddress, n: int, one: int):
    g, local = bound(out), sevens(TILE)
    for i in range(n // TILE):
        if i == one:
            break
        asc.data_copy(g[i * TILE :], local, TILE)


@asc.jit
def breaks_behind(out: asc.GlobalAddress, n: int, one: int):
    g, local = bound(out), sevens(TILE)
    for i in range(n // TILE):
        asc.data_copy(g[i * TILE :], local, TILE)
        if i == one:
            break


@asc.jit
def returns_in_a_loop(out: asc.GlobalAddress, n: int, one: int):
    g, local = bound(out), sevens(64)
    for i in range(n // TILE):
        if i == one:
            return
    asc.data_copy(g, local, n)


@asc.jit
def one_block_returns(out: asc.GlobalAddress, n: int):
    if asc.get_block_idx() == 1:
        return
    share = n // asc.get_block_num()
    g, local = bound(out + asc.get_block_idx() * share), sevens(TILE)
    for i in range(share // TILE):
        asc.data_copy(g[i * TILE :], local, TILE)


@asc.jit
def one_block_writes(out: asc.GlobalAddress, n: int):
    g, local = bound(out), sevens(TILE)
    if asc.get_block_idx() == 1:
        for i in range(n // TILE - 1):
            asc.data_copy(g[i * TILE :], local, TILE)


@asc.jit
def short_copies(out: asc.GlobalAddress, n: int):
    g, local = bound(out), sevens(2 * TILE)
    for i in range(n // (2 * TILE)):
        asc.data_copy(g[i * 2 * TILE :], local, TILE)


@asc.jit
def rounded_down(out: asc.GlobalAddress, n: int):
    g, local = bound(out), sevens(2 * TILE)
    for i in range(n // 12):
        asc.data_copy(g[i * 12 :], local, 12)  # 48 bytes: one block of 32


@asc.jit
def spread_blocks(out: asc.GlobalAddress, n: int):
    g, local = bound(out), sevens(64)
    asc.data_copy_pad(g, local, asc.DataCopyExtParams(n // 16, 32, 0, 32))


@asc.jit
def spread_by_a_field(out: asc.GlobalAddress, n: int):
    g, local = bound(out), sevens(64)
    params = asc.DataCopyExtParams(n // 16, 32)
    params.dst_stride = 32
    asc.data_copy_pad(g, local, params)


@asc.jit
def spread_by_a_helper(out: asc.GlobalAddress, n: int):
    g, local = bound(out), sevens(64)
    params = asc.DataCopyExtParams(n // 16, 32)
    spread(params)
    asc.data_copy_pad(g, local, params)


@asc.jit
def spread(params: asc.DataCopyExtParams):
    params.dst_stride = 32


@asc.jit
def spread_perhaps(out: asc.GlobalAddress, n: int, x: asc.GlobalAddress):
    g, local = bound(out), sevens(64)
    params = asc.DataCopyExtParams(n // 16, 32)
    if seen(x).get_value(0) == 0:
        params.dst_stride = 32
    asc.data_copy_pad(g, local, params)


@asc.jit
def while_loop(out: asc.GlobalAddress, n: int):
    g, local = bound(out), sevens(TILE)
    i = 0
    while i < n // TILE:
        asc.data_copy(g[i * TILE :], local, TILE)
        i += 2


@asc.jit
def block_twice(out: asc.GlobalAddress, n: int):
    share = n // 8
    g, local = bound(out + asc.get_block_idx() * share), sevens(TILE)
    asc.data_copy(g[asc.get_block_idx() * share :], local, TILE)


@asc.jit
def half_the_blocks(out: asc.GlobalAddress, n: int):
    g, local = bound(out), sevens(TILE)
    asc.data_copy(g[asc.get_block_idx() // 2 * TILE :], local, TILE)


@asc.jit
def sub_blocks(out: asc.GlobalAddress, n: int):
    g, local = bound(out), sevens(64)
    asc.data_copy(g[asc.get_sub_block_idx() * (n // 2) :], local, n // 2)


@asc.jit
def sub_block_count(out: asc.GlobalAddress, n: int):
    g, local = bound(out), sevens(64)
    asc.data_copy(g, local, n * asc.get_sub_block_num() // 2)


@asc.jit
def unsigned_wrap(out: asc.GlobalAddress, n: int):
    g, local = bound(out), sevens(TILE)
    for i in range(n // TILE):
        j: asc.uint32 = i
        asc.data_copy(g[j * 1073741825 // 1073741825 * TILE :], local, TILE)  # i * (2**30 + 1)


@asc.jit
def rebound_in_the_loop(out: asc.GlobalAddress, n: int):
    g, local = bound(out), sevens(TILE)
    for i in range(n // TILE // 2):
        g.set_global_buffer(out + i * TILE)
        asc.data_copy(g[i * TILE :], local, TILE)


@asc.jit
def rebound_perhaps(out: asc.GlobalAddress, n: int, x: asc.GlobalAddress):
    g, local = bound(out), sevens(TILE)
    if seen(x).get_value(0) == 0:
        g.set_global_buffer(out + TILE)
    for i in range(n // TILE - 1):
        asc.data_copy(g[i * TILE :], local, TILE)


@asc.jit
def rebound_by_a_helper(out: asc.GlobalAddress, n: int):
    g, local = bound(out), sevens(TILE)
    shift(g, out)
    for i in range(n // TILE - 1):
        asc.data_copy(g[i * TILE :], local, TILE)


@asc.jit
def shift(g: asc.GlobalTensor, out: asc.GlobalAddress):
    g.set_global_buffer(out + TILE)


@asc.jit
def helper_that_may_return(out: asc.GlobalAddress, n: int):
    g, local = bound(out), sevens(TILE)
    for i in range(n // TILE):
        put_but(g, i, local)


@asc.jit
def put_but(g: asc.GlobalTensor, i: int, local: asc.LocalTensor):
    if i == 3:
        return
    asc.data_copy(g[i * TILE :], local, TILE)


class Where(asc.Struct):
    start = asc.Field(asc.int32)
    step = asc.Field(asc.int32)


@asc.jit
def offsets_of_a_struct(out: asc.GlobalAddress, n: int, where: Where):
    g, local = bound(out), sevens(TILE)
    for i in range(n // TILE - 1):
        asc.data_copy(g[where.start + i * where.step :], local, TILE)


@asc.jit
def into_the_workspace(out: asc.GlobalAddress, n: int):
    g, local = bound(out), sevens(TILE)
    kept = asc.GlobalTensor()
    kept.set_global_buffer(asc.GlobalAddress(asc.workspace(256), asc.int32))
    for i in range(n // TILE):
        asc.data_copy(kept[i * TILE :], local, TILE)
    asc.data_copy(g, local, TILE)


@asc.jit
def smaller_elements(out: asc.GlobalAddress, n: int):
    g = asc.GlobalTensor()
    g.set_global_buffer(asc.GlobalAddress(out, asc.int16))
    for i in range(n):
        g.set_value(i, 7)


@asc.jit
def count_as_bytes(out: asc.GlobalAddress, n: int):
    """64 elements of one byte, not of four."""
    g = bound(out)
    local = asc.LocalTensor(asc.int32, asc.TPosition.VECOUT, 0, 64)
    asc.duplicate(local, 7, 64)
    asc.set_flag(asc.HardEvent.V_MTE3, 0)
    asc.wait_flag(asc.HardEvent.V_MTE3, 0)
    asc.data_copy_pad(g, local, asc.DataCopyExtParams(1, n))


@asc.jit
def the_same_tile(out: asc.GlobalAddress, n: int, at: int):
    g, local = bound(out), sevens(TILE)
    for _ in range(n // TILE):
        asc.data_copy(g[at * TILE :], local, TILE)


@asc.jit
def triangle(out: asc.GlobalAddress, n: int):
    g, local = bound(out), sevens(TILE)
    for i in range(n // TILE):
        for j in range(i):
            asc.data_copy(g[j * TILE :], local, TILE)


@asc.jit
def loops_that_depend_on_the_block(out: asc.GlobalAddress, n: int):
    g, local = bound(out), sevens(TILE)
    for i in range(asc.get_block_idx()):
        asc.data_copy(g[i * TILE :], local, TILE)


@asc.jit
def remainder_of_the_turn(out: asc.GlobalAddress, n: int):
    g, local = bound(out), sevens(TILE)
    for i in range(n // TILE):
        asc.data_copy(g[i % 3 * TILE :], local, TILE)


@asc.jit
def short_last_copy(out: asc.GlobalAddress, n: int):
    g, local = bound(out), sevens(24)
    for i in range((n + 23) // 24):
        asc.data_copy(g[i * 24 :], local, min(24, n - TILE - i * 24))


@asc.jit
def else_of_a_loop(out: asc.GlobalAddress, n: int, one: int):
    g, local = bound(out), sevens(64)
    for i in range(n):
        if i == one:
            break
    else:
        asc.data_copy(g, local, n)


@asc.jit
def offset_from_memory(out: asc.GlobalAddress, n: int, x: asc.GlobalAddress):
    g, local = bound(out), sevens(64)
    asc.data_copy(g[seen(x).get_value(0) :], local, n // 2)


@asc.jit
def count_from_memory(out: asc.GlobalAddress, n: int, x: asc.GlobalAddress):
    g, local = bound(out), sevens(64)
    asc.data_copy(g, local, n // 2 + seen(x).get_value(0))


@asc.jit
def turns_from_memory(out: asc.GlobalAddress, n: int, x: asc.GlobalAddress):
    g, local = bound(out), sevens(TILE)
    for i in range(seen(x).get_value(0), n // TILE - 1):
        asc.data_copy(g[i * TILE :], local, TILE)


@asc.jit
def choice_from_memory(out: asc.GlobalAddress, n: int, x: asc.GlobalAddress):
    g, local = bound(out), sevens(64)
    asc.data_copy(g, local, n if seen(x).get_value(0) == 5 else n // 2)


@asc.jit
def condition_from_memory(out: asc.GlobalAddress, n: int, x: asc.GlobalAddress):
    g, local = bound(out), sevens(64)
    if seen(x).get_value(0) == 5:
        asc.data_copy(g, local, n)


@asc.jit
def turn_changed_in_the_loop(out: asc.GlobalAddress, n: int):
    g, local = bound(out), sevens(TILE)
    for i in range(n // TILE - 1):
        i = i + 1
        asc.data_copy(g[i * TILE :], local, TILE)


@asc.jit
def offset_that_doubles(out: asc.GlobalAddress, n: int):
    g, local = bound(out), sevens(TILE)
    at = TILE
    for _ in range(4):
        asc.data_copy(g[at - TILE :], local, TILE)
        at = at * 2


@asc.jit
def offset_that_stops(out: asc.GlobalAddress, n: int):
    g, local = bound(out), sevens(TILE)
    at = 0
    for _ in range(n // TILE):
        asc.data_copy(g[at:], local, TILE)
        at = min(at + TILE, 3 * TILE)


@asc.jit
def offset_that_moves_at_times(out: asc.GlobalAddress, n: int):
    g, local = bound(out), sevens(TILE)
    at = 0
    for i in range(n // TILE):
        asc.data_copy(g[at:], local, TILE)
        if i % 2 == 0:
            at += TILE


@asc.jit
def offset_a_turn_late(out: asc.GlobalAddress, n: int):
    g, local = bound(out), sevens(TILE)
    at = 0
    later = 0
    for _ in range(n // TILE):
        asc.data_copy(g[at:], local, TILE)
        at = later
        later = later + TILE


@asc.jit
def from_another_memory(out: asc.GlobalAddress, n: int):
    local = asc.LocalTensor(asc.int32, asc.TPosition.A1, 0, 64)  # a cube core's
    asc.data_copy(bound(out), local, n)


@asc.jit
def reads_it_too(out: asc.GlobalAddress, n: int):
    g = bound(out)
    for i in range(n):
        g.set_value(i, g.get_value(i) + 1)


@asc.jit
def reads_it_by_another_name(out: asc.GlobalAddress, n: int, x: asc.GlobalAddress):
    g, h = bound(out), seen(x)
    for i in range(n):
        g.set_value(i, h.get_value(n - 1 - i))


@asc.jit
def address_as_a_number(out: asc.GlobalAddress, n: int):
    g = asc.GlobalTensor()
    number: asc.uint64 = bound(out).get_phy_addr()
    g.set_global_buffer(asc.GlobalAddress(number + 32, asc.int32))
    for i in range(n - 8):
        g.set_value(i, 7)


@asc.jit
def bound_of_a_float(out: asc.GlobalAddress, n: int, part: float):
    g, local = bound(out), sevens(TILE)
    for i in range(int(part * (n // TILE))):
        asc.data_copy(g[i * TILE :], local, TILE)


@asc.jit
def beyond_and_short(out: asc.GlobalAddress, n: int):
    """Block 0 begins behind the first element."""
    share = n // 4
    g, local = bound(out + (asc.get_block_idx() * share + TILE)), sevens(TILE)
    for i in range(share // TILE - 1):
        asc.data_copy(g[i * TILE :], local, TILE)


def zeros(count):
    return np.zeros(count, np.int32)


# name: kernel, cores, elements, further arguments
OVERWRITTEN = {
    "one copy": (one_copy, 1, 64, (64,)),
    "tiles": (tiles, 1, 64, (64,)),
    "backwards": (tiles_backwards, 1, 64, (64,)),
    "by steps": (tiles_by_steps, 1, 64, (64,)),
    "unrolled": (tiles_unrolled, 1, 64, (64,)),
    "a carried offset": (carried_offset, 1, 64, (64,)),
    "a carried address": (carried_address, 1, 64, (64,)),
    "blocks": (blocks, 4, 64, (64,)),
    "one block": (blocks, 1, 64, (64,)),
    "blocks take turns": (blocks_take_turns, 4, 64, (64,)),
    "every block all of it": (every_block_all, 3, 64, (64,)),
    "rows and columns": (rows_and_columns, 1, 64, (64,)),
    "elements": (elements, 1, 61, (61,)),
    "a queue": (queued, 1, 64, (64,)),
    "smaller elements, twice as many": (smaller_elements, 1, 64, (128,)),
    "a helper": (by_helper, 1, 64, (64,)),
    "a tail": (tail_if_there_is_one, 1, 64, (64,)),
    "no tail": (tail_if_there_is_one, 1, 72, (72,)),
    "a padded tail": (padded_tail, 1, 61, (61,)),
    "padded tails of blocks": (padded_tail, 3, 183, (61,)),
    "two halves": (two_halves, 1, 64, (64,)),
    "chosen by an argument": (chosen_by_argument, 1, 64, (64, True)),
    "a continue that never comes": (continues, 1, 64, (64, 8)),
    "a break that never comes": (loop_that_never_breaks, 1, 64, (64,)),
    "a return that never comes": (early_return_of_no_block, 4, 64, (64,)),
    "more blocks than are needed": (every_block_all, 7, 64, (64,)),
}

# name: kernel, cores, elements, further arguments, options
NOT_OVERWRITTEN = {
    "a trip too few": (last_tile_missing, 1, 64, (64,)),
    "from the second tile on": (first_tile_missing, 1, 64, (64,)),
    "gaps between tiles": (gaps_between_tiles, 1, 64, (64,)),
    "step 2": (every_second_tile, 1, 64, (64,)),
    "backwards, without the first": (backwards_not_to_the_first, 1, 64, (64,)),
    "a step the wrong way": (the_wrong_way, 1, 64, (64,)),
    "continue": (continues, 1, 64, (64, 3)),
    "break": (breaks, 1, 64, (64, 3)),
    "break behind the copy": (breaks_behind, 1, 64, (64, 3)),
    "return in a loop": (returns_in_a_loop, 1, 64, (64, 3)),
    "a block returns early": (one_block_returns, 4, 64, (64,)),
    "one block writes": (one_block_writes, 4, 64, (64,)),
    "counts smaller than tiles": (short_copies, 1, 64, (64,)),
    "counts rounded down": (rounded_down, 1, 60, (60,), {"mode": "fast"}),
    "blocks with a stride": (spread_blocks, 1, 64, (64,)),
    "a stride set later": (spread_by_a_field, 1, 64, (64,)),
    "a stride set by a helper": (spread_by_a_helper, 1, 64, (64,)),
    "a stride set perhaps": (spread_perhaps, 1, 64, (64, zeros(1))),
    "count 0": (one_copy, 1, 64, (0,)),
    "while": (while_loop, 1, 64, (64,)),
    "the block's share twice": (block_twice, 4, 64, (64,)),
    "half the blocks": (half_the_blocks, 8, 64, (64,)),
    "sub-blocks": (sub_blocks, 2, 64, (64,)),
    "number of sub-blocks": (sub_block_count, 1, 64, (64,)),
    "unsigned wrap": (unsigned_wrap, 1, 64, (64,)),
    "rebound in the loop": (rebound_in_the_loop, 1, 64, (64,)),
    "rebound perhaps": (rebound_perhaps, 1, 64, (64, zeros(1))),
    "rebound by a helper": (rebound_by_a_helper, 1, 64, (64,)),
    "a helper that returns early": (helper_that_may_return, 1, 64, (64,)),
    "offsets of a struct": (offsets_of_a_struct, 1, 64, (64, Where(start=8, step=8))),
    "offsets of a struct, by luck": (offsets_of_a_struct, 1, 56, (64, Where(start=0, step=8))),
    "into the workspace": (into_the_workspace, 1, 64, (64,)),
    "smaller elements": (smaller_elements, 1, 64, (64,)),
    "bytes for elements": (count_as_bytes, 1, 64, (64,)),
    "a negative number": (tiles, 1, 64, (-64,)),
    "no turn": (tiles, 1, 64, (0,)),
    "fewer turns": (tiles, 1, 64, (56,)),
    "fewer blocks than it takes": (padded_tail, 2, 183, (61,)),
    "a longer array": (tiles, 1, 65, (64,)),
    "a share that is rounded": (blocks, 5, 64, (64,)),
    "the other choice": (chosen_by_argument, 1, 64, (64, False)),
    "the same tile in each turn": (the_same_tile, 1, 64, (64, 2)),
    "a triangle": (triangle, 1, 64, (64,)),
    "turns by block": (loops_that_depend_on_the_block, 8, 64, (64,)),
    "remainders of the turn": (remainder_of_the_turn, 1, 64, (64,)),
    "a short last copy": (short_last_copy, 1, 64, (64,)),
    "else of a loop": (else_of_a_loop, 1, 64, (64, 3)),
    "an offset from memory": (offset_from_memory, 1, 64, (64, zeros(1))),
    "a count from memory": (count_from_memory, 1, 64, (64, zeros(1))),
    "turns from memory": (turns_from_memory, 1, 64, (64, zeros(1))),
    "a choice from memory": (choice_from_memory, 1, 64, (64, zeros(1))),
    "a condition from memory": (condition_from_memory, 1, 64, (64, zeros(1))),
    "the turn changed in the loop": (turn_changed_in_the_loop, 1, 64, (64,)),
    "an offset that doubles": (offset_that_doubles, 1, 64, (64,)),
    "an offset that stops": (offset_that_stops, 1, 64, (64,)),
    "an offset that moves at times": (offset_that_moves_at_times, 1, 64, (64,)),
    "an offset a turn late": (offset_a_turn_late, 1, 64, (64,)),
    "a memory the core has not": (from_another_memory, 1, 64, (64,), {"mode": "fast"}),
    "an address as a number": (address_as_a_number, 1, 64, (64,)),
    "a float decides": (bound_of_a_float, 1, 64, (64, 0.5)),
    "behind the first element": (beyond_and_short, 4, 64, (64,)),
}
