# SPDX-License-Identifier: Apache-2.0
"""One layout rule: every dtype, layout and library, cold and warm; the same memory under two names; what
copies would lose is refused. The right values are NumPy's."""

import itertools
import warnings

import numpy as np
import pytest
from args_kernels import OnlyDLPack, bump, copy, fill, first, quietly, total

import asc

# Each gives a view, of 24 elements or fewer, of a base of 48.
LAYOUTS = {
    "contiguous": lambda b: b[:24],
    "offset": lambda b: b[5:29],
    "strided": lambda b: b[::2],
    "strided-offset": lambda b: b[1::3],
    "reversed": lambda b: b[23::-1],
    "reversed-strided": lambda b: b[::-2],
    "transposed": lambda b: b[:24].reshape(4, 6).T,
    "columns": lambda b: b.reshape(6, 8)[:, 2:6],
    "rows-reversed": lambda b: b[:24].reshape(4, 6)[::-1],
    "permuted": lambda b: b[:24].reshape(2, 3, 4).transpose(2, 0, 1),
    "permuted-strided": lambda b: b.reshape(2, 4, 6).transpose(2, 0, 1)[::2, :, ::3],
    "newaxis": lambda b: b[:24:2][:, None, None],
    "fortran": lambda b: b[:24].reshape(4, 6, order="F"),
    "one": lambda b: b[7:8],
    "empty": lambda b: b[4:4],
    "empty-strided": lambda b: b.reshape(6, 8)[::2, 3:3],
    "0-d": lambda b: b[3:4].reshape(()),
}
DTYPES = "int8 uint8 int16 uint16 int32 uint32 int64 uint64 float16 float32 float64 bool bfloat16".split()
TORCH_LAYOUTS = [name for name in LAYOUTS if "reversed" not in name]  # torch has no negative strides


def numbers(dtype, count):
    """Distinct values that the dtype holds exactly."""
    if dtype == "bfloat16":
        return np.arange(count).astype(pytest.importorskip("ml_dtypes").bfloat16)
    return (np.arange(count) % (2 if dtype == "bool" else 97)).astype(dtype)


def as_torch(base, view):
    """The same layout as a torch tensor over its own memory."""
    torch = pytest.importorskip("torch")
    bits = {1: torch.uint8, 2: torch.int16, 4: torch.int32, 8: torch.int64}[base.itemsize]
    name = base.dtype.name
    memory = (
        torch.from_numpy(np.frombuffer(base.tobytes(), np.uint8).copy()).view(bits).view(getattr(torch, name))
    )
    offset = (view.__array_interface__["data"][0] - base.__array_interface__["data"][0]) // base.itemsize
    steps = [s // base.itemsize for s in view.strides]
    return memory, memory.as_strided(view.shape, steps, offset if view.size else 0)


def bits_of(array):
    """Elements in logical order, as bytes."""
    if isinstance(array, np.ndarray):
        return np.ascontiguousarray(array).tobytes()
    import torch

    return array.contiguous().view(-1).view(torch.uint8).numpy().tobytes() if array.numel() else b""


def make(library, dtype, layout, start):
    base = numbers(dtype, 48 + start)[start:].copy()
    view = LAYOUTS[layout](base)
    return (base, view) if library == "numpy" else as_torch(base, view)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("library", ["numpy", "torch"])
def test_reads_and_writes_in_logical_order(library, dtype):
    """Every layout as input and as output; elements beside the view stay as they were; cold and warm."""
    for layout in LAYOUTS if library == "numpy" else TORCH_LAYOUTS:
        for warm in range(2):
            _, source = make(library, dtype, layout, 1)
            base, target = make(library, dtype, layout, 0)
            expected_base, expected = make("numpy", dtype, layout, 0)
            expected[...] = make("numpy", dtype, layout, 1)[1]
            count = int(np.prod(source.shape))
            quietly(copy[1], source, target, count)
            assert bits_of(target) == bits_of(source), (layout, warm)
            assert bits_of(base) == bits_of(expected_base), (layout, warm)


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("library", ["numpy", "torch"])
def test_in_place_only_where_contiguous(library, layout):
    """The warning comes exactly where a copy is made."""
    if library == "torch" and layout not in TORCH_LAYOUTS:
        pytest.skip("torch has no negative strides")
    _, view = make(library, "float32", layout, 0)
    contiguous = view.flags.c_contiguous if library == "numpy" else view.is_contiguous()
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        fill[1](view, int(np.prod(view.shape)), 3.0)
    texts = [str(w.message) for w in caught if w.category is asc.PerformanceWarning]
    assert len(texts) == (0 if contiguous else 1)
    assert all("fill() argument 'x' is not contiguous: it is copied for the launch" in t for t in texts)


def test_one_warning_a_call_site():
    x, y = np.zeros(32, np.int32)[::2], np.zeros(32, np.int32)[::2]

    def site():
        bump[1](x, y, 16)

    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("default")
        for _ in range(5):
            site()
    assert len(caught) == 1
    assert caught[0].filename == __file__
    assert caught[0].lineno == site.__code__.co_firstlineno + 1
    assert "arguments 'x' and 'y' are not contiguous: they are copied" in str(caught[0].message)


def test_a_warning_made_an_error_launches_nothing():
    y = np.zeros(32, np.int32)
    with warnings.catch_warnings():
        warnings.simplefilter("error", asc.PerformanceWarning)
        with pytest.raises(asc.PerformanceWarning):
            bump[1](y[::2], y[1::2], 16)
    assert not y.any()
    quietly(bump[1], y[::2], y[1::2], 16)
    assert y[1::2].tolist() == [1] * 16


def test_only_what_may_be_written_is_copied_back():
    """A strided input whose memory is read-only, and an output of which the kernel writes a part."""
    x = np.arange(32, dtype=np.int32)
    x.flags.writeable = False
    base = np.full(32, 7, np.int32)
    quietly(copy[1], x[::2], base[::2], 4)
    assert base[::2].tolist() == [0, 2, 4, 6] + [7] * 12
    assert base[1::2].tolist() == [7] * 16


def test_a_strided_read_only_output_is_found_while_running():
    y = np.zeros(32, np.int32)
    y.flags.writeable = False
    with pytest.raises(asc.KernelError, match="writes argument `y`, a read-only array"):
        quietly(copy[1], np.ones(16, np.int32), y[::2], 16)
    assert not y.any()


def test_read_only_is_enforced_where_it_is_written_not_by_analysis():
    """A kernel that could write, and does not, may have a read-only array."""

    @asc.jit
    def maybe(x: asc.GlobalAddress, n: int):
        g = asc.GlobalTensor()
        g.set_global_buffer(x)
        if n > 0:
            g.set_value(0, n)

    x = np.zeros(4, np.int32)
    x.flags.writeable = False
    maybe[1](x, 0)
    with pytest.raises(asc.KernelError, match="argument `x`, a read-only array: element 0"):
        maybe[1](x, 1)
    assert x[0] == 0


def test_a_read_only_view_of_memory_that_another_argument_writes():
    x = np.arange(8, dtype=np.int32)
    view = x.view()
    view.flags.writeable = False
    bump[1](view, x, 8)
    assert x.tolist() == list(range(1, 9))
    with pytest.raises(asc.KernelError, match="argument `y`, a read-only array"):
        bump[1](x.copy(), view, 8)


# ---- the same memory ----


@asc.jit
def both(x: asc.GlobalAddress, z: asc.GlobalAddress, n: int):
    gx = asc.GlobalTensor()
    gx.set_global_buffer(x)
    gz = asc.GlobalTensor()
    gz.set_global_buffer(z)
    for i in range(n):
        gz.set_value(i, gx.get_value(i) + 1)
    gx.set_value(0, gz.get_value(0) * 10)


def each_library(array):
    yield array
    torch = pytest.importorskip("torch")
    yield torch.from_numpy(array.copy())


@pytest.mark.parametrize("library", ["numpy", "torch"])
@pytest.mark.parametrize("warm", [False, True])
def test_one_array_as_two_arguments(library, warm):
    def array(count):
        a = np.arange(count, dtype=np.int32)
        return a if library == "numpy" else pytest.importorskip("torch").from_numpy(a)

    for _ in range(2 if warm else 1):
        v = array(4)
        both[1](v, v, 4)
        assert v.tolist() == [10, 2, 3, 4]
        w, u = array(4), array(4) * 0
        both[1](w, u, 4)
        assert (w.tolist(), u.tolist()) == ([10, 1, 2, 3], [1, 2, 3, 4])
        b = array(6)
        both[1](b[:4], b[1:5], 4)
        assert b.tolist() == [10, 1, 2, 3, 4, 5]


def test_two_libraries_over_one_memory():
    torch = pytest.importorskip("torch")
    a = np.arange(4, dtype=np.int32)
    both[1](a, torch.from_numpy(a), 4)
    assert a.tolist() == [10, 2, 3, 4]
    b = np.arange(8, dtype=np.int32)
    quietly(both[1], b[::2], torch.from_numpy(b)[::2], 4)  # one copy: they are the same elements
    assert b.tolist() == [10, 1, 3, 3, 5, 5, 7, 7]


def test_the_same_strided_array_twice_is_one_copy():
    for make_view in (lambda b: b[::2], lambda b: b[::-2], lambda b: b.reshape(2, 4).T):
        base, expected = np.arange(8, dtype=np.int32), np.arange(8, dtype=np.int32)
        view, want = make_view(base), make_view(expected)
        flat = want.ravel().tolist()
        for i in range(4):
            flat[i] = flat[i] + 1
        flat[0] *= 10
        want[...] = np.reshape(flat, want.shape)
        quietly(both[1], view, make_view(base), 4)
        assert base.tolist() == expected.tolist()


@asc.jit
def write_then_read(
    first: asc.GlobalAddress, x: asc.GlobalAddress, y: asc.GlobalAddress, out: asc.GlobalAddress, n: int
):
    first_gm = asc.GlobalTensor()
    x_gm = asc.GlobalTensor()
    y_gm = asc.GlobalTensor()
    out_gm = asc.GlobalTensor()
    first_gm.set_global_buffer(first)
    x_gm.set_global_buffer(x)
    y_gm.set_global_buffer(y)
    out_gm.set_global_buffer(out)
    for i in range(n):
        y_gm.set_value(i, first_gm.get_value(i) + 1)
    for i in range(n):
        out_gm.set_value(i, x_gm.get_value(i))


@pytest.mark.parametrize("step", [1, 2, -3])
def test_one_array_under_three_names_two_of_which_are_only_read(step):
    base = np.arange(24, dtype=np.int32)
    view, out = base[::step][:8], np.zeros(8, np.int32)
    wanted = view + 1
    quietly(write_then_read[1], view, view, view, out, 8)
    np.testing.assert_array_equal(view, wanted)
    np.testing.assert_array_equal(out, wanted)  # in place, x sees what was written as y


def test_a_copy_that_two_arguments_share_is_written_back_for_either():
    base = np.arange(8, dtype=np.int32)
    quietly(bump[1], base[::2], base[::2], 4)  # x is only read, y only written
    assert base.tolist() == [1, 1, 3, 3, 5, 5, 7, 7]


REFUSED = {
    "a view and its base": lambda b: (b[::2], b),
    "its base and a view": lambda b: (b, b[::2]),
    "two steps": lambda b: (b[::2], b[::3]),
    "shifted": lambda b: (b[0:16:2], b[2:18:2]),
    "reversed": lambda b: (b[::-1], b),
    "transposed": lambda b: (b.reshape(4, 6).T, b.reshape(4, 6)),
    "bytes of it": lambda b: (b[::2], b.view(np.uint8)),
}


@pytest.mark.parametrize("case", REFUSED)
def test_what_copies_would_lose_is_refused(case):
    base = np.arange(24, dtype=np.int32)
    x, y = REFUSED[case](base)
    with pytest.raises(
        TypeError, match=r"copy\(\) arguments 'x' and 'y' share memory, and '[xy]' is not contiguous"
    ):
        copy[1](x, y, 4)
    assert base.tolist() == list(range(24))
    out = np.zeros(1, np.int32)  # two names that are only read may share anything
    quietly(read_two[1], x, y, out)
    assert out[0] == int(x.ravel()[1]) + int(y.ravel()[1])


@asc.jit
def read_two(x: asc.GlobalAddress, y: asc.GlobalAddress, out: asc.GlobalAddress):
    g = asc.GlobalTensor()
    h = asc.GlobalTensor()
    o = asc.GlobalTensor()
    g.set_global_buffer(x)
    h.set_global_buffer(y)
    o.set_global_buffer(out)
    o.set_value(0, g.get_value(1) + h.get_value(1))


def test_interleaved_views_do_not_share():
    base = np.arange(24, dtype=np.int32)
    quietly(copy[1], base[::2], base[1::2], 12)
    assert base.tolist() == [i - i % 2 for i in range(24)]
    pairs = np.arange(24, dtype=np.int32).reshape(4, 6)
    quietly(copy[1], pairs[:, :3], pairs[:, 3:], 12)
    assert pairs[:, 3:].tolist() == pairs[:, :3].tolist()


@pytest.mark.parametrize("seed", range(40))
def test_random_pairs_of_views_are_right_or_refused(seed):
    """Against NumPy: a launch either does what the elements' memory says, or is refused."""
    rng = np.random.default_rng(seed)
    base = np.arange(30, dtype=np.int32)

    def view(b, spec):
        start, step, count = spec
        return b[start : start + step * count if start + step * count >= 0 else None : step]

    specs = []
    for _ in range(2):
        step = int(rng.choice([-3, -2, -1, 1, 2, 3]))
        count = int(rng.integers(1, 9))
        low, high = (0, 29 - step * (count - 1)) if step > 0 else (-step * (count - 1), 29)
        specs.append((int(rng.integers(low, high + 1)), step, count))
    n = min(s[2] for s in specs)
    expected = base.copy()
    x, y = (view(expected, s) for s in specs)
    for i in range(n):
        y[i] = x[i] + 1
    x, y = (view(base, s) for s in specs)
    shares = np.shares_memory(x, y)
    same = specs[0] == specs[1]
    try:
        quietly(bump[1], x, y, n)
    except TypeError as error:
        assert "share memory" in str(error)
        assert shares and not same
        return
    assert base.tolist() == expected.tolist()


# ---- stride 0 ----


def test_broadcast_inputs_are_read_and_outputs_refused():
    out = np.zeros(6, np.float32)
    quietly(copy[1], np.broadcast_to(np.float32(2), (2, 3)), out, 6)
    assert out.tolist() == [2.0] * 6
    writable = np.lib.stride_tricks.as_strided(np.zeros(1, np.float32), (4,), (0,))
    with pytest.raises(
        TypeError, match=r"fill\(\) argument 'x': several elements of this array lie in the same"
    ):
        fill[1](writable, 4, 1.0)
    windows = np.lib.stride_tricks.as_strided(np.zeros(8, np.float32), (4, 4), (4, 4))
    with pytest.raises(TypeError, match="overlapping view"):
        fill[1](windows, 4, 1.0)
    torch = pytest.importorskip("torch")
    quietly(copy[1], torch.ones(1).expand(6), out, 6)
    assert out.tolist() == [1.0] * 6
    with pytest.raises(TypeError, match="argument 'x': several elements of this array"):
        fill[1](torch.zeros(1).expand(4), 4, 1.0)


# ---- nothing to do ----


@pytest.mark.parametrize("shape", [(0,), (0, 4), (4, 0), (2, 0, 3)])
def test_empty_arrays(shape):
    for array in each_library(np.zeros(shape, np.float32)):
        fill[1](array, 0, 1.0)
        with pytest.raises(asc.BoundsError, match="outside argument `x`: element 0 of 0"):
            fill[1](array, 1, 1.0)


def test_zero_dimensional_arrays():
    for array in each_library(np.zeros((), np.float32)):
        fill[1](array, 1, 3.5)
        assert float(array) == 3.5


@pytest.mark.parametrize(
    ("cores", "error"), [(0, ValueError), (-1, ValueError), (1.5, TypeError), (10**9, ValueError)]
)
def test_core_counts_fail_before_anything_is_opened_or_copied(cores, error):
    """BUG-11: the same cold or warm, with the limits in the text; a strided argument gives no warning."""
    s = np.zeros(8, np.float32)[::2]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for _ in range(2):
            with pytest.raises(error, match=r"core count must be .*from 1 to 65535"):
                fill[cores](s, 1, 1.0)
    quietly(fill[1], s, 1, 2.0)
    assert s[0] == 2.0


# ---- raw ----


@asc.jit
def rows(x: asc.GlobalAddress, y: asc.GlobalAddress, n: int, m: int, step_n: int, step_m: int):
    """y = x for an x that lies with these steps, in elements."""
    g = asc.GlobalTensor()
    o = asc.GlobalTensor()
    g.set_global_buffer(x)
    o.set_global_buffer(y)
    for i in range(n):
        for j in range(m):
            o.set_value(i * m + j, g.get_value(i * step_n + j * step_m))


@asc.jit
def poke(x: asc.GlobalAddress, index: int, value: int):
    g = asc.GlobalTensor()
    g.set_global_buffer(x + index)
    g.set_value(0, value)


@pytest.mark.parametrize("layout", ["transposed", "columns", "rows-reversed", "fortran"])
@pytest.mark.parametrize("library", ["numpy", "torch", "memoryview", "dlpack"])
def test_raw_gives_the_first_element_and_nothing_is_copied(library, layout):
    base = np.arange(48, dtype=np.int32)
    view = LAYOUTS[layout](base)
    if library == "torch" and layout == "rows-reversed":
        pytest.skip("torch has no negative strides")
    x = {
        "numpy": lambda: view,
        "torch": lambda: as_torch(base, view)[1],
        "memoryview": lambda: memoryview(view),
        "dlpack": lambda: OnlyDLPack(view),
    }[library]()
    y = np.zeros(view.size, np.int32)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        rows[1](asc.raw(x), y, *view.shape, *(s // 4 for s in view.strides))
    assert y.tolist() == view.ravel().tolist()


@pytest.mark.parametrize("library", ["numpy", "torch"])
def test_raw_reaches_the_storage_and_no_further(library):
    base = np.arange(10, dtype=np.int32)
    if library == "torch":
        base = pytest.importorskip("torch").arange(10, dtype=pytest.importorskip("torch").int32)
    x = asc.raw(base[4:8:2])
    poke[1](x, -4, 100)
    poke[1](x, 5, 200)
    assert base.tolist() == [100, 1, 2, 3, 4, 5, 6, 7, 8, 200]
    for index in (-5, 6):
        with pytest.raises(asc.BoundsError, match=f"outside argument `x`: element {index} of"):
            poke[1](x, index, 0)
    assert base.tolist() == [100, 1, 2, 3, 4, 5, 6, 7, 8, 200]


def test_raw_of_views_in_bytes_and_of_ml_dtypes():
    memory = bytearray(40)
    view = np.frombuffer(memory, np.int32)[2:4]
    poke[1](asc.raw(view), 7, 5)
    assert np.frombuffer(memory, np.int32)[9] == 5
    with pytest.raises(asc.BoundsError):
        poke[1](asc.raw(view), 8, 5)
    a = np.zeros(8, pytest.importorskip("ml_dtypes").bfloat16)
    poke[1](asc.raw(a[4:]), -4, 3)
    assert float(a[0]) == 3.0


def test_raw_and_its_base_are_the_same_memory():
    base = np.arange(8, dtype=np.int32)
    bump[1](asc.raw(base[4:]), base, 4)
    assert base.tolist() == [5, 6, 7, 8, 4, 5, 6, 7]
    with pytest.raises(TypeError, match="share memory"):
        bump[1](asc.raw(base[4:]), base[::2], 4)
    base.flags.writeable = False
    with pytest.raises(asc.KernelError, match="read-only"):
        poke[1](asc.raw(base[::2]), 0, 1)


def test_raw_takes_arrays_only():
    for value in (None, 5, [1], "x", np.float32(1)):
        with pytest.raises(TypeError, match="asc.raw\\(\\) takes an array or tensor"):
            asc.raw(value)
    x = np.zeros(3)
    assert asc.raw(x).array is x
    assert asc.raw(asc.raw(x)).array is x
    assert repr(asc.raw(x)) == "asc.raw(<numpy.ndarray>)"


def test_layouts_times_layouts():
    """Every pair of layouts of input and output, float32."""
    for a, b in itertools.product(LAYOUTS, LAYOUTS):
        x = LAYOUTS[a](np.arange(48, dtype=np.float32))
        base = np.zeros(48, np.float32)
        y = LAYOUTS[b](base)
        count = min(x.size, y.size)
        quietly(copy[1], x, y, count)
        assert y.ravel()[:count].tolist() == x.ravel()[:count].tolist(), (a, b)
        assert np.count_nonzero(base) == np.count_nonzero(x.ravel()[:count])


def test_first_of_a_view_of_a_view():
    base = np.arange(64, dtype=np.int32).reshape(8, 8)
    out = np.zeros(1, np.int32)
    quietly(first[1], base.T[3:, 1:][::2, ::3], out)
    assert out[0] == base.T[3:, 1:][::2, ::3][0, 0]


def test_sums_of_read_only_parts():
    x = np.arange(64, dtype=np.int64).reshape(8, 8)
    out = np.zeros(1, np.int64)
    quietly(total[1], x[1::2, ::-3], out, 12)
    assert out[0] == x[1::2, ::-3].sum()
