# SPDX-License-Identifier: Apache-2.0
"""Attributes read at compile time are compared again, whatever their value or their object's class is."""

import enum
from typing import NamedTuple

import numpy as np
import pytest
from outcomes import run_file

import asc


class Config:
    pass


class Shape(NamedTuple):
    n: int = 64

    @property
    def tile(self):
        return self.n // SPLIT


class Count(enum.IntEnum):
    ONE = 1

    @property
    def parts(self):
        return self.value * SPLIT


class Text(str):
    pass


CONFIG = Config()
TYPES, NAMED = [asc.int32], {"type": asc.int32}
TEXT = Text("ab")
SHAPE = Shape()
TYPE, SPLIT = asc.int32, 2
FAST, SLOW = object(), object()
SIZES, MODE = {FAST: 1, SLOW: 7}, FAST


@pytest.fixture(autouse=True)
def values():
    def put(dtype, split):
        CONFIG.dtype = TYPES[0] = NAMED["type"] = dtype
        CONFIG.position = asc.TPosition.VECIN if split == 2 else asc.TPosition.VECOUT
        TEXT.k = split
        globals().update(TYPE=dtype, SPLIT=split)

    put(asc.int32, 2)
    yield put
    put(asc.int32, 2)


def run(kernel, *args):
    out = np.zeros(1, np.int32)
    kernel[1](out, *args)
    return int(out[0])


@asc.jit
def attribute(out: asc.GlobalAddress):
    o = asc.GlobalTensor()
    o.set_global_buffer(out)
    o.set_value(0, CONFIG.dtype.sizeof())


@asc.jit
def attribute_by_name(out: asc.GlobalAddress):
    o = asc.GlobalTensor()
    o.set_global_buffer(out)
    o.set_value(0, getattr(CONFIG, "dtype").sizeof())


@asc.jit
def enum_member(out: asc.GlobalAddress):
    o = asc.GlobalTensor()
    o.set_global_buffer(out)
    o.set_value(0, 4 if CONFIG.position == asc.TPosition.VECIN else 1)


@asc.jit
def item(out: asc.GlobalAddress):
    o = asc.GlobalTensor()
    o.set_global_buffer(out)
    o.set_value(0, TYPES[0].sizeof())


@asc.jit
def named_item(out: asc.GlobalAddress):
    o = asc.GlobalTensor()
    o.set_global_buffer(out)
    o.set_value(0, NAMED["type"].sizeof())


@asc.jit
def in_a_loop(out: asc.GlobalAddress):
    o = asc.GlobalTensor()
    o.set_global_buffer(out)
    for dtype in TYPES:
        o.set_value(0, dtype.sizeof())


@asc.jit
def of_a_global(out: asc.GlobalAddress):
    o = asc.GlobalTensor()
    o.set_global_buffer(out)
    o.set_value(0, TYPE.sizeof())


@pytest.mark.parametrize(
    "kernel", [attribute, attribute_by_name, enum_member, item, named_item, in_a_loop, of_a_global]
)
def test_values_of_this_package(kernel, values):
    assert run(kernel) == 4
    values(asc.int8, 4)
    assert run(kernel) == 1
    values(asc.int32, 2)
    assert run(kernel) == 4


@asc.jit
def of_an_argument(out: asc.GlobalAddress, config: asc.ConstExpr):
    o = asc.GlobalTensor()
    o.set_global_buffer(out)
    o.set_value(0, config.dtype.sizeof())


def test_two_objects_of_one_class():
    wide, narrow = Config(), Config()
    wide.dtype, narrow.dtype = asc.int32, asc.int8
    assert [run(of_an_argument, config) for config in (wide, narrow, wide)] == [4, 1, 4]
    wide.dtype = asc.int16
    assert run(of_an_argument, wide) == 2


@asc.jit
def of_a_named_tuple(out: asc.GlobalAddress):
    o = asc.GlobalTensor()
    o.set_global_buffer(out)
    o.set_value(0, SHAPE.tile)


@asc.jit
def of_an_int_enum(out: asc.GlobalAddress):
    o = asc.GlobalTensor()
    o.set_global_buffer(out)
    o.set_value(0, Count.ONE.parts)


@asc.jit
def of_a_text(out: asc.GlobalAddress):
    o = asc.GlobalTensor()
    o.set_global_buffer(out)
    o.set_value(0, TEXT.k)


@pytest.mark.parametrize(
    ("kernel", "two", "four"), [(of_a_named_tuple, 32, 16), (of_an_int_enum, 2, 4), (of_a_text, 2, 4)]
)
def test_classes_that_derive_from_pythons_own(kernel, two, four, values):
    assert run(kernel) == two
    values(asc.int32, 4)
    assert run(kernel) == four


def size_of(mode):
    return 1 if mode is FAST else 7


@asc.jit
def by_a_mark(out: asc.GlobalAddress):
    o = asc.GlobalTensor()
    o.set_global_buffer(out)
    o.set_value(0, SIZES[MODE] + 10 * size_of(MODE) + 100 * (1 if MODE in [FAST] else 7))


def test_marks_that_only_identity_tells_apart(monkeypatch):
    assert run(by_a_mark) == 111
    monkeypatch.setitem(globals(), "MODE", SLOW)
    assert run(by_a_mark) == 777
    monkeypatch.setitem(globals(), "MODE", FAST)
    assert run(by_a_mark) == 111
    assert by_a_mark.cache_info()["not_stored"] == ""


def modes(*names):
    """What the kernel reads under each."""
    values = []
    for name in names:
        globals()["MODE"] = globals()[name]
        values.append(run(by_a_mark))
    return values


def test_marks_over_processes(tmp_path):
    for names, wanted in ((["FAST"], [111]), (["SLOW"], [777]), (["SLOW", "FAST"], [777, 111])):
        printed = run_file(__file__, tmp_path / "cache", call=f"print(m.modes(*{names}))")
        assert printed == f"{wanted}\n"
    compiled = "print(m.modes('SLOW', 'FAST'), m.asc.cache_info()['process']['compiled'])"
    assert run_file(__file__, tmp_path / "cache", call=compiled) == "[777, 111] 0\n"
