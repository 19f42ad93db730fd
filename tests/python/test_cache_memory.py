# SPDX-License-Identifier: Apache-2.0
"""The in-memory check: each launch sees what changed outside of the kernel since it was compiled, however
deep, and compiles nothing when nothing did."""

import collections
import dataclasses
import functools
import gc
import threading
import types
import weakref

import numpy as np
import pytest

import asc

deque, ordered, raw = collections.deque([3]), collections.OrderedDict(a=3), bytearray([3])
with_lock = [3, threading.Lock()]
inside = (1, ([3], 2))
array = np.array([3, 4])
settings = types.ModuleType("settings")
settings.size = 3
flags = types.SimpleNamespace(size=3)
counters = collections.Counter("aaa")
table = {"f": (lambda: 3)}


class Base:
    size = 3

    @classmethod
    def of_class(cls):
        return cls.size

    def of_base(self):
        return self.size


class Derived(Base):
    sizes = [3]

    def above(self):
        return super().of_base()

    def first(self):
        return self.sizes[0]


class Slots:
    __slots__ = ("size",)

    def __init__(self):
        self.size = 3

    def get(self):
        return self.size


class Built:
    def __init__(self):
        self.size = LIMIT


class Scale:
    def __init__(self):
        self.factor = 3

    def __call__(self, x):
        return x * self.factor


@dataclasses.dataclass
class Config:
    size: int = 3
    more: list = dataclasses.field(default_factory=lambda: [3])


LIMIT = 3
derived, slots, scale, config = Derived(), Slots(), Scale(), Config()


def reads_flag():
    return 8 if hasattr(flags, "fast") else getattr(flags, "size")


def default(x=3):
    return x


def keyword(*, x=3):
    return x


def nested():
    return (lambda: settings.size)()


def chained():
    return nested()


def wrapped():
    @functools.wraps(chained)
    def inner():
        return chained()

    return inner()


box = [default]
cell = 3


def reader():
    value = cell

    def read():
        return value

    def write(new):
        nonlocal value
        value = new

    return read, write


read_cell, write_cell = reader()


def set_attribute(owner, name, value):
    return lambda: setattr(owner, name, value)


def set_global(name, value):
    return lambda: globals().__setitem__(name, value)


# What the kernel reads, how it is changed, and what it reads then.
CASES = {
    "deque[0]": (lambda: deque.__setitem__(0, 7), 7),
    "len(deque) + 2": (lambda: deque.append(1), 4),
    "ordered['a']": (lambda: ordered.__setitem__("a", 7), 7),
    "raw[0]": (lambda: raw.__setitem__(0, 7), 7),
    "with_lock[0]": (lambda: with_lock.__setitem__(0, 7), 7),
    "inside[1][0][0]": (lambda: inside[1][0].__setitem__(0, 7), 7),
    "int(array[0])": (lambda: array.__setitem__(0, 7), 7),
    "settings.size": (set_attribute(settings, "size", 7), 7),
    "flags.size": (set_attribute(flags, "size", 7), 7),
    "reads_flag()": (set_attribute(flags, "fast", True), 8),
    "counters['a']": (lambda: counters.update("aa"), 5),
    "table['f']()": (lambda: table.__setitem__("f", lambda: 7), 7),
    "derived.size": (set_attribute(Derived, "size", 7), 7),
    "derived.above()": (set_attribute(Base, "size", 7), 7),
    "Base.of_class()": (set_attribute(Base, "size", 7), 7),
    "derived.of_base()": (set_attribute(derived, "size", 7), 7),
    "derived.first()": (lambda: Derived.sizes.__setitem__(0, 7), 7),
    "slots.get()": (set_attribute(slots, "size", 7), 7),
    "Built().size": (set_global("LIMIT", 7), 7),
    "scale(1)": (set_attribute(scale, "factor", 7), 7),
    "config.more[0]": (lambda: config.more.__setitem__(0, 7), 7),
    "sum(config.more)": (lambda: config.more.append(4), 7),
    "default()": (set_attribute(default, "__defaults__", (7,)), 7),
    "keyword()": (set_attribute(keyword, "__kwdefaults__", {"x": 7}), 7),
    "nested()": (set_attribute(settings, "size", 7), 7),
    "wrapped()": (set_attribute(settings, "size", 7), 7),
    "box[0]()": (lambda: box.__setitem__(0, lambda: 7), 7),
    "read_cell()": (lambda: write_cell(7), 7),
    "max(LIMIT, 2)": (set_global("LIMIT", 7), 7),
    "(LIMIT if config == Config() else 9)": (set_attribute(config, "size", 4), 9),
    "(9 if LIMIT in (7, 8) else LIMIT)": (set_global("LIMIT", 7), 9),
    "len(f'{config}') - 23": (set_attribute(config, "size", 44), 2),
    "(3 if deque else 7)": (lambda: deque.clear(), 7),
    "(3 if hasattr(settings, 'fast') else 4)": (set_attribute(settings, "fast", 1), 3),
    "getattr(settings, 'absent', 3)": (set_attribute(settings, "absent", 7), 7),
}


def make_kernel(expression, tmp_path, number):
    """Kernels are made of text here: each expression has one of its own, in this module's globals."""
    path = tmp_path / f"kernel_{number}.py"
    path.write_text(
        "@asc.jit\ndef kernel(out: asc.GlobalAddress):\n    o = asc.GlobalTensor()\n"
        f"    o.set_global_buffer(out)\n    o.set_value(0, {expression})\n"
    )
    space = globals()
    exec(compile(path.read_text(), str(path), "exec"), space)
    return space.pop("kernel")


def launch(kernel):
    out = np.zeros(8, np.int32)
    kernel[1](out)
    return int(out[0])


@pytest.fixture
def own_state(monkeypatch):
    """Fresh objects under the module's names, as some changes last."""
    import importlib.util

    spec = importlib.util.spec_from_file_location("cache_memory_again", __file__)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize("expression", CASES)
def test_a_change_is_seen(expression, tmp_path, own_state):
    number = list(CASES).index(expression)
    kernel = own_state.make_kernel(expression, tmp_path, number)
    change, changed = own_state.CASES[expression]
    before = own_state.launch(kernel)
    assert own_state.launch(kernel) == before
    info = kernel.cache_info()
    assert (info["hits"], info["misses"]) == (1, 1), info["last_miss"]
    change()
    assert own_state.launch(kernel) == changed != before
    assert own_state.launch(kernel) == changed
    info = kernel.cache_info()
    assert (info["hits"], info["misses"]) == (2, 2), info["last_miss"]


@asc.jit
def constant(out: asc.GlobalAddress, C: asc.ConstExpr):
    o = asc.GlobalTensor()
    o.set_global_buffer(out)
    o.set_value(0, C[0] if isinstance(C, (list, tuple)) else C.size)


def test_compile_time_arguments_are_compared_by_content(tmp_path):
    def misses(value):
        before = constant.cache_info()["misses"]
        out = np.zeros(8, np.int32)
        constant[1](out, value)
        return int(out[0]), constant.cache_info()["misses"] - before

    assert misses(Config(5)) == (5, 1)
    assert misses(Config(5)) == (5, 0)  # another object, equal in each field
    assert misses(Config(6)) == (6, 1)
    config = Config(7)
    assert misses(config) == (7, 1)
    config.size = 8
    assert misses(config) == (8, 1)
    point = collections.namedtuple("Point", "x")
    assert misses(point(1)) == (1, 1)
    assert misses(point(1)) == (1, 0)
    assert misses((1,)) == (1, 1)  # another type
    one, other = Slots(), Slots()  # compare by identity
    assert misses(one) == (3, 1)
    assert misses(one) == (3, 0)
    other.size = 4
    assert misses(other) == (4, 1)
    one.size = 5
    assert misses(one) == (5, 1)


def used_and_left():
    class Held:
        def __init__(self):
            self.size = 3

        def get(self):
            return self.size

    held = Held()

    @asc.jit
    def kernel(out: asc.GlobalAddress):
        o = asc.GlobalTensor()
        o.set_global_buffer(out)
        o.set_value(0, held.get())

    assert launch(kernel) == 3
    return weakref.ref(held), weakref.ref(Held), weakref.ref(kernel)


def test_the_kept_objects_are_let_go():
    references = used_and_left()
    asc._asc.cache_drain()
    gc.collect()
    assert [reference() for reference in references] == [None, None, None]
