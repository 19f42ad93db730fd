# SPDX-License-Identifier: Apache-2.0
"""How objects go to helpers: a handle that changes, a pipe, a queue and a struct by reference."""

import numpy as np

import asc
from asc.language.core.struct import Field, Struct


class Span(Struct):
    first = Field(asc.int32)
    length = Field(asc.int32, default=64)


@asc.jit
def bind_to(tensor: asc.GlobalTensor, address, span: Span):
    tensor.set_global_buffer(address + span.first, span.length)
    span.first += span.length


@asc.jit
def make_room(pipe: asc.TPipe, queue: asc.TQue, room: int):
    pipe.init_buffer(queue, 2, room)


@asc.jit
def double(source: asc.GlobalTensor, target: asc.GlobalTensor, queue: asc.TQue, span: Span):
    local = queue.alloc_tensor(source.dtype)
    asc.data_copy(local, source, span.length)
    queue.enque(local)
    local = queue.deque(source.dtype)
    asc.add(local, local, local, span.length)
    asc.set_flag(asc.HardEvent.V_MTE3, 0)
    asc.wait_flag(asc.HardEvent.V_MTE3, 0)
    asc.data_copy(target, local, span.length)
    queue.free_tensor(local)


@asc.jit
def handles(x: asc.GlobalAddress, y: asc.GlobalAddress, parts: int):
    source = asc.GlobalTensor()
    target = asc.GlobalTensor()
    pipe = asc.TPipe()
    queue = asc.TQue(asc.TPosition.VECIN, 2)
    span = Span()
    make_room(pipe, queue, span.length * x.dtype.sizeof())
    for _ in range(parts):
        there = Span(first=span.first)
        bind_to(source, x, span)
        bind_to(target, y, there)
        double(source, target, queue, span)


def arguments():
    x = np.arange(192, dtype=np.float32)
    return x, np.zeros_like(x), 3


CASES = [("handles", handles, 1, arguments)]
