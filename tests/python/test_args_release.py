# SPDX-License-Identifier: Apache-2.0
"""A launch leaves no reference and no lock behind: after success, after every kind of error, after Ctrl-C;
and whatever is thrown at the binding of arguments."""

import array
import ctypes
import gc
import os
import signal
import subprocess
import sys
import textwrap
import threading
import weakref

import numpy as np
import pytest
from args_kernels import OnlyDLPack, OnlyInterface, bump, copy, fill, quietly
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import asc


def tensor(*args, **kwargs):
    return pytest.importorskip("torch").zeros(*args, **kwargs)


MAKERS = {
    "numpy": lambda: np.zeros(64, np.float32),
    "numpy-strided": lambda: np.zeros(128, np.float32)[::2],
    "numpy-read-only": lambda: np.frombuffer(bytes(256), np.float32),
    "ml_dtypes": lambda: np.zeros(64, pytest.importorskip("ml_dtypes").bfloat16),
    "array": lambda: array.array("f", [0.0] * 64),
    "memoryview": lambda: memoryview(np.zeros(64, np.float32)),
    "memoryview-strided": lambda: memoryview(np.zeros(128, np.float32))[::2],
    "ctypes": lambda: (ctypes.c_float * 64)(),
    "dlpack": lambda: OnlyDLPack(np.zeros(64, np.float32)),
    "dlpack-old": lambda: OnlyDLPack(np.zeros(64, np.float32), versioned=False),
    "interface": lambda: OnlyInterface(np.zeros(64, np.float32)),
    "torch": lambda: tensor(64),
    "torch-strided": lambda: tensor(128)[::2],
    "torch-grad": lambda: tensor(64, requires_grad=True),
    "torch-meta": lambda: tensor(64, device="meta"),
    "raw": lambda: asc.raw(np.zeros(64, np.float32)),
    "raw-torch": lambda: asc.raw(tensor(64)),
    "pointers": lambda: asc.pointers([np.zeros(64, np.float32), tensor(4), None]),
    "complex": lambda: np.zeros(4, complex),
    "big-endian": lambda: np.zeros(4, ">f4"),
    "masked": lambda: np.ma.zeros(4),
    "none": lambda: None,
    "object": lambda: object(),
}


def launches(value):
    """Every way a launch may end, with `value` as one of its arrays."""
    good = np.zeros(64, np.float32)
    return [
        lambda: quietly(copy[1], value, good, 1),
        lambda: quietly(copy[1], good, value, 1),
        lambda: quietly(copy[1], value, value, 1),
        lambda: quietly(copy[1], value, good, 1000),  # out of bounds
        lambda: quietly(copy[1], value, object(), 1),
        lambda: quietly(fill[1], value, 1, "text"),
        lambda: quietly(fill[1], value, 1, 1.0, 5),
        lambda: fill[0](value, 1, 1.0),
        lambda: fill[1].compile(value, 1, 1.0),
    ]


@pytest.mark.parametrize("kind", MAKERS)
def test_no_reference_is_left(kind):
    value = MAKERS[kind]()
    inner = getattr(value, "array", value)  # not None, whose count Python itself changes
    calls = launches(value)

    def run():
        for call in calls:
            try:
                call()
            except (TypeError, ValueError, RuntimeError, OverflowError, asc.CompileError):
                pass

    run()
    run()
    gc.collect()
    before = sys.getrefcount(value), sys.getrefcount(inner)
    for _ in range(20):
        run()
    gc.collect()
    assert (sys.getrefcount(value), sys.getrefcount(inner)) == before


@pytest.mark.parametrize(
    "kind", ["numpy", "numpy-strided", "torch", "torch-strided", "dlpack", "raw", "pointers"]
)
def test_arrays_die_with_their_last_name(kind):
    pytest.importorskip("torch")
    owner = np.zeros(256, np.float32) if "torch" not in kind else tensor(256)
    made = {
        "numpy": owner,
        "torch": owner,
        "numpy-strided": owner[::2],
        "torch-strided": owner[::2],
        "dlpack": OnlyDLPack(owner),
        "raw": asc.raw(owner[::2]),
        "pointers": asc.pointers([owner]),
    }
    value = made[kind]
    seen = weakref.ref(owner)
    if kind != "pointers":
        quietly(fill[1], value, 4, 1.0)
    else:
        first_word[1](value, np.zeros(1, np.uint64))
    del value, made, owner
    gc.collect()
    assert seen() is None


@asc.jit
def first_word(table: asc.GlobalAddress, out: asc.GlobalAddress):
    t = asc.GlobalTensor()
    t.set_global_buffer(table)
    o = asc.GlobalTensor()
    o.set_global_buffer(out)
    o.set_value(0, t.get_value(0))


def test_buffers_are_released():
    """A locked buffer would forbid resizing and closing."""
    a = array.array("f", [0.0] * 8)
    b = bytearray(8)
    m = memoryview(np.zeros(8, np.float32))
    for call in (
        lambda: fill[1](a, 8, 1.0),
        lambda: fill[1](a, 9, 1.0),
        lambda: bump[1](a, object(), 1),
        lambda: copy[1](b, b, 8),
        lambda: fill[1](m, 8, 1.0),
        lambda: fill[1](asc.raw(a), 8, 1.0),
        lambda: quietly(fill[1], m[::2], 4, 1.0),
    ):
        try:
            call()
        except (TypeError, RuntimeError):
            pass
    a.append(1.0)
    b.extend(b"x")
    m.release()


def test_capsules_give_their_tensor_back_once():
    calls = []

    class Counted(OnlyDLPack):
        def __dlpack__(self, **keywords):
            capsule = super().__dlpack__(**keywords)
            calls.append(1)
            return capsule

    base = np.zeros(8, np.float32)
    value = Counted(base)
    fill[1](value, 8, 1.0)
    assert calls
    before = sys.getrefcount(base)
    for _ in range(100):
        fill[1](value, 8, 1.0)
    assert sys.getrefcount(base) == before


def test_after_ctrl_c():
    @asc.jit
    def forever(x: asc.GlobalAddress, y: asc.GlobalAddress, z: asc.GlobalAddress):
        g = asc.GlobalTensor()
        g.set_global_buffer(x)
        i = 0
        while g.get_value(0) == 0:
            i = 1 - i

    values = [np.zeros(4, np.int32), tensor(8)[::2], array.array("i", [0])]
    before = [sys.getrefcount(v) for v in values]
    timer = threading.Timer(0.5, os.kill, (os.getpid(), signal.SIGINT))
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        quietly(forever[1], *values)
    timer.join()
    gc.collect()
    assert [sys.getrefcount(v) for v in values] == before
    values[2].append(1)


# ---- whatever is thrown at it ----


def odd(answers):
    """An object, of a class of its own, that answers questions about arrays with something odd."""
    made = type("Odd", (), {})()
    vars(made).update(answers)
    return made


SMALL = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-(2**70), 2**70),
    st.floats(),
    st.text(max_size=3),
    st.binary(max_size=3),
    st.complex_numbers(),
)
ODD_TUPLES = st.lists(SMALL, max_size=4).map(tuple)
INTERFACES = st.dictionaries(
    st.sampled_from(["typestr", "shape", "strides", "data", "mask", "version", "descr"]),
    st.one_of(SMALL, ODD_TUPLES, st.sampled_from(["<f4", ">f4", "|b1", "<V2", "<f", "f4", "<i9", "|O"])),
)


@st.composite
def numpy_views(draw):
    dtype = draw(st.sampled_from("b1 i1 u1 i2 u2 i4 u4 i8 u8 f2 f4 f8 c8 >f4 >i2 M8[s] S3 U2 V5 O".split()))
    base = np.zeros(draw(st.integers(0, 40)), dtype)
    for _ in range(draw(st.integers(0, 2))):
        start, stop = draw(st.integers(-5, 45)), draw(st.integers(-5, 45))
        base = base[start : stop : draw(st.sampled_from([-3, -2, -1, 1, 2, 3]))]
    if base.size % 2 == 0 and base.size and draw(st.booleans()):
        base = base.reshape(2, -1).T
    if draw(st.booleans()):
        base.flags.writeable = False
    return base


ARRAYS = st.one_of(
    numpy_views(),
    numpy_views().map(lambda a: asc.raw(a)),
    st.binary(max_size=40),
    st.binary(max_size=40).map(bytearray),
    st.lists(numpy_views(), max_size=4).map(asc.pointers),
    st.builds(
        lambda n, t: (t * n)(),
        st.integers(0, 9),
        st.sampled_from([ctypes.c_int32, ctypes.c_double, ctypes.c_bool]),
    ),
    INTERFACES.map(lambda d: odd({"__array_interface__": d})),
    SMALL.map(lambda v: odd({"__dlpack__": lambda **k: v})),
    SMALL.map(lambda v: odd({"__array_interface__": v})),
)


def no_wild_address(value):
    """An interface with an address of hypothesis' own choice would be real memory of nobody's."""
    interface = vars(value).get("__array_interface__") if type(value).__name__ == "Odd" else None
    if isinstance(interface, dict) and isinstance(interface.get("data"), tuple) and interface["data"]:
        interface["data"] = (ODD_MEMORY.ctypes.data, *interface["data"][1:])
        interface["shape"] = (2,)
        interface.pop("strides", None)


ODD_MEMORY = np.zeros(64)


@settings(
    max_examples=int(os.environ.get("ASC_FUZZ_EXAMPLES", "300")),
    deadline=None,
    suppress_health_check=list(HealthCheck),
)
@given(x=st.one_of(ARRAYS, SMALL), y=st.one_of(ARRAYS, SMALL), n=st.one_of(st.integers(-3, 50), SMALL))
def test_any_arguments(x, y, n):
    """A launch gives a result or one of the documented errors, and no reference is left behind."""
    no_wild_address(x)
    no_wild_address(y)
    # Others share Nones and small numbers.
    watched = [
        value for value in (x, y) if type(value).__module__ != "builtins" or isinstance(value, bytearray)
    ]
    before = [sys.getrefcount(value) for value in watched]
    for args in ((x, y, n), (y, x, n)):
        try:
            quietly(copy.options(on_finding="collect", timeout=5.0)[1], *args)
        except (
            TypeError,
            ValueError,
            OverflowError,
            BufferError,
            asc.CompileError,
            asc.LaunchError,
        ) as error:
            assert "copy" in str(error) or isinstance(error, asc.CompileError)
    del args
    assert [sys.getrefcount(value) for value in watched] == before


def test_launch_hooks_that_change_arguments():
    """What a hook does to an array between binding and launch is seen, and stays inside the array."""
    import asc.runtime

    a = array.array("f", [0.0] * 64)

    def shrink(record):
        del a[4:]

    asc.runtime.launch_hooks.append(shrink)
    try:
        with pytest.raises(asc.BoundsError, match="element 4 of 4"):
            fill[1](a, 64, 1.0)
    finally:
        asc.runtime.launch_hooks.remove(shrink)
    assert list(a) == [1.0] * 4


def test_without_numpy_and_torch():
    """Buffers alone: nothing imports the large libraries."""
    code = """
        import array, sys, asc, warnings
        warnings.simplefilter("ignore", asc.PerformanceWarning)
        exec(open(sys.argv[1]).read().split("@asc.jit")[0].replace("import numpy as np", ""))
        import linecache
        src = "@asc.jit\\n" + open(sys.argv[1]).read().split("@asc.jit")[2].split("@asc")[0]
        linecache.cache["k"] = (len(src), None, src.splitlines(True), "k")
        exec(compile(src, "k", "exec"))
        x, y = array.array("i", range(16)), array.array("i", [0] * 16)
        copy[1](memoryview(x)[::2], y, 8)
        assert list(y)[:8] == list(range(0, 16, 2))
        copy[1](memoryview(x)[::2], memoryview(x)[1::2], 8)
        assert list(x) == [i - i % 2 for i in range(16)]
        try:
            copy[1](memoryview(x)[::2], x, 8)
        except TypeError as error:
            assert "share memory" in str(error)
        else:
            raise SystemExit("not refused")
        assert "numpy" not in sys.modules and "torch" not in sys.modules
    """
    kernels = os.path.join(os.path.dirname(__file__), "args_kernels.py")
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(code), kernels],
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONPATH": ":".join(sys.path)},
    )
    assert done.returncode == 0, done.stderr
