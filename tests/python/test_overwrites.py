# SPDX-License-Identifier: Apache-2.0
"""A strided output that the launch overwrites from end to end is not copied in; every other one is. What a
kernel writes is seen on contiguous arrays: an element that keeps what it had, whatever that is, is not
written."""

import importlib.util
import os
import pathlib
import signal
import threading
import time

import cache_programs as programs
import numpy as np
import overwrites_kernels as kernels
import pytest
from args_kernels import bump, quietly

import asc
from asc import _asc

ROOT = pathlib.Path(__file__).resolve().parents[2]


def skipped(launch, *args):
    """How many arrays the launch made a copy of without copying their elements in."""
    before = _asc._copy_counts()
    quietly(launch, *args)
    return _asc._copy_counts()[1] - before[1]


def run(kernel, cores, count, args, options=None):
    """(is it proven, which elements are written): the strided result is that of a contiguous array."""
    launch = (kernel.options(**options) if options else kernel)[cores]
    results = []
    for value in (-1, -2):
        x = np.full(count, value, np.int32)
        quietly(launch, x, *args)
        results.append(x)
    written = results[0] == results[1]
    assert (results[0][~written] == -1).all()
    assert (results[1][~written] == -2).all()
    base = np.full((count, 2), -1, np.int32)
    proven = skipped(launch, base[:, 0], *args)
    assert base[:, 0].tolist() == results[0].tolist()
    assert (base[:, 1] == -1).all(), "beside the view"
    return bool(proven), written


@pytest.mark.parametrize("name", kernels.OVERWRITTEN)
def test_it_is_overwritten(name):
    proven, written = run(*kernels.OVERWRITTEN[name])
    assert written.all()
    assert proven


@pytest.mark.parametrize("name", kernels.NOT_OVERWRITTEN)
def test_it_is_not_or_cannot_be_told(name):
    proven, written = run(*kernels.NOT_OVERWRITTEN[name])
    assert not proven
    assert written.all() == (name == "offsets of a struct, by luck")
    kernel, cores, count, args = kernels.NOT_OVERWRITTEN[name][:4]
    out = kernel[cores].compile(kernels.zeros(count), *args).meta["arguments"][0]
    # An address that becomes a number may go anywhere; all others are only written.
    assert out["writes"] and out["reads"] == (name == "an address as a number")


def test_the_tutorial(monkeypatch):
    monkeypatch.delenv("PYASC_DUMP_PATH", raising=False)
    spec = importlib.util.spec_from_file_location("tutorial_add", ROOT / "examples" / "01_add.py")
    add = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(add)
    monkeypatch.delenv("PYASC_DUMP_PATH", raising=False)
    n = add.CORES * add.TILES * 64
    x, y = np.arange(n, dtype=np.float32), np.ones(n, np.float32)
    z = np.full((n, 2), np.nan, np.float32)
    assert skipped(add.add_vectors[add.CORES], x, y, z[:, 1], n // add.CORES) == 1
    assert (z[:, 1] == x + y).all() and np.isnan(z[:, 0]).all()
    z[:] = np.nan
    assert skipped(add.add_vectors[add.CORES - 1], x, y, z[:, 1], n // add.CORES) == 0
    assert np.isnan(z[-n // add.CORES :, 1]).all()


def test_golden_kernels():
    from test_golden import CASES

    wanted = {"add.flags": 1, "add.flags_half": 1, "add.queues": 1, "add.buffer": 1, "copies.tails": 0}
    seen = {}
    for case in CASES:
        name, kernel, grid, arguments = case.values
        if name not in wanted:
            continue
        plain, args = arguments(), list(arguments())
        outputs = [i for i, a in enumerate(kernel[grid].compile(*args).meta["arguments"]) if a["writes"]]
        quietly(kernel[grid], *plain)
        for i in outputs:
            wide = np.full((args[i].size, 2), 77, args[i].dtype)
            wide[:, 0] = args[i].ravel()
            args[i] = wide[:, 0]
        seen[name] = skipped(kernel[grid], *args)
        for i in outputs:
            assert args[i].tobytes() == plain[i].tobytes(), name
    assert seen == wanted


# ---- arrays ----


@pytest.mark.parametrize("dtype", ["int8", "uint16", "float16", "float32", "int64"])
def test_elements_of_every_size(dtype):
    @asc.jit
    def fill(out: asc.GlobalAddress, n: int):
        g = asc.GlobalTensor()
        g.set_global_buffer(out)
        for i in range(n):
            g.set_value(i, 1)

    for n, size, proven in ((30, 30, 1), (30, 31, 0), (29, 30, 0)):
        out = np.full((size, 3), 9, dtype)
        assert skipped(fill[1], out[:, 1], n) == proven
        assert out[:n, 1].tolist() == [1] * min(n, size) and (out[n:, 1] == 9).all()


def test_layouts():
    for view in (
        lambda b: b[::2],
        lambda b: b[::-1],
        lambda b: b.reshape(8, 16).T,
        lambda b: b.reshape(8, 16)[:, 3:11],
        lambda b: b.reshape(2, 8, 8).transpose(2, 0, 1)[:, :, ::2],
    ):
        base = np.full(128, -1, np.int32)
        out = view(base)
        assert skipped(kernels.elements[1], out, out.size) == 1
        assert out.ravel().tolist() == [i * i for i in range(out.size)]
        assert (base == -1).sum() == 128 - out.size
    torch = pytest.importorskip("torch")
    out = torch.full((8, 16), -1, dtype=torch.int32)
    assert skipped(kernels.elements[1], out.t(), 128) == 1
    assert out.t().flatten().tolist() == [i * i for i in range(128)]


def test_empty_and_contiguous_arrays_are_not_copied_at_all():
    before = _asc._copy_counts()
    kernels.tiles[1](np.zeros(64, np.int32), 64)
    kernels.tiles[1](np.zeros((4, 0), np.int32)[::2], 0)
    kernels.tiles[1](np.zeros((64, 1), np.int32)[:, 0], 64)
    assert _asc._copy_counts() == before


def test_inputs_are_copied_in():
    x, y = np.arange(64, dtype=np.int32), np.zeros(64, np.int32)
    assert skipped(bump[1], x[::2], y[::2], 32) == 1, "the output alone"
    assert y[::2].tolist() == list(range(1, 64, 2))


def test_what_is_read_is_copied_in():
    x = np.arange(64, dtype=np.int32)
    assert skipped(kernels.reads_it_too[1], x[::2], 32) == 0
    assert x.tolist() == [i + 1 - i % 2 for i in range(64)]


def test_the_same_array_under_two_names():
    x = np.arange(64, dtype=np.int32)
    assert skipped(kernels.reads_it_by_another_name[1], x[::2], 32, x[::2]) == 0
    assert x[1::2].tolist() == list(range(1, 64, 2))
    half = list(range(62, 30, -2))
    assert x[::2].tolist() == half + half[::-1]
    a, b = x[::2], x[1::2]  # interleaved: no element in common
    want = b[::-1].copy()
    assert skipped(kernels.reads_it_by_another_name[1], a, 32, b) == 1
    assert a.tolist() == want.tolist()

    @asc.jit
    def both(x: asc.GlobalAddress, y: asc.GlobalAddress, n: int, m: int):
        g, h = kernels.seen(x), kernels.bound(y)
        for i in range(n):
            g.set_value(i, 1)
        for i in range(m):
            h.set_value(i, 2)

    x[:] = 5
    assert skipped(both[1], x[::2], x[::2], 32, 32) == 1, "one copy"
    assert x.tolist() == [2, 5] * 32
    x[:] = 5
    assert skipped(both[1], x[::2], x[::2], 32, 8) == 0, "by one name only"
    assert x[::2].tolist() == [2] * 8 + [1] * 24
    x[:] = 5
    assert skipped(both[1], x[::2], x[::2], 8, 8) == 0
    assert x[::2].tolist() == [2] * 8 + [5] * 24


def test_tables_of_addresses_and_raw_arrays():
    @asc.jit
    def through_a_table(table: asc.GlobalAddress, n: int):
        t = asc.GlobalTensor()
        t.set_global_buffer(table)
        g = asc.GlobalTensor()
        g.set_global_buffer(asc.GlobalAddress(t.get_value(0), asc.int32))
        for i in range(n):
            g.set_value(i, 7)

    x = np.arange(64, dtype=np.int32)
    assert skipped(through_a_table[1], asc.pointers([x[::2]]), 20) == 0
    assert x[::2].tolist() == [7] * 20 + list(range(40, 64, 2))
    before = _asc._copy_counts()
    kernels.elements[1](asc.raw(x[::2]), 32)
    assert _asc._copy_counts() == before
    assert x[:32].tolist() == [i * i for i in range(32)]


def test_read_only_outputs():
    x = np.arange(64, dtype=np.int32)
    x.flags.writeable = False
    with pytest.raises(asc.KernelError, match="read-only"):
        quietly(kernels.elements[1], x[::2], 32)
    assert x.tolist() == list(range(64))


def test_a_dry_run_copies_nothing(monkeypatch):
    monkeypatch.setenv("PYASC_DRY_RUN", "1")
    x = np.full(128, -1, np.int32)
    assert skipped(kernels.elements[1], x[::2], 64) == 0
    assert (x == -1).all()


# ---- launches that end with an error ----


@asc.jit
def fails_at_the_end(out: asc.GlobalAddress, n: int, limit: int):
    g = asc.GlobalTensor()
    g.set_global_buffer(out)
    for i in range(n):
        g.set_value(i, i)
        assert i < limit, "too far"


@asc.jit
def reads_outside(out: asc.GlobalAddress, n: int, x: asc.GlobalAddress, m: int):
    g, h = kernels.bound(out), kernels.seen(x)
    for i in range(n):
        g.set_value(i, h.get_value(i * m))


@asc.jit
def never_ends(out: asc.GlobalAddress, n: int, x: asc.GlobalAddress):
    g, h = kernels.bound(out), kernels.seen(x)
    turns = 0
    while h.get_value(0) == 0:
        turns += 1
    for i in range(n):
        g.set_value(i, turns)


def strided(n):
    base = np.full((n, 2), -1, np.int32)
    return base, base[:, 0]


def test_after_an_error_it_is_as_it_was():
    base, view = strided(8)
    assert skipped(fails_at_the_end[1], view, 8, 8) == 1
    assert view.tolist() == list(range(8))
    base, view = strided(8)
    before = _asc._copy_counts()[1]
    with pytest.raises(asc.KernelError, match="too far"):
        quietly(fails_at_the_end[1], view, 8, 5)
    assert _asc._copy_counts()[1] == before + 1
    assert (base == -1).all()
    plain = np.full(8, -1, np.int32)  # used in place, it keeps what was written
    with pytest.raises(asc.KernelError, match="too far"):
        fails_at_the_end[1](plain, 8, 5)
    assert plain.tolist() == [0, 1, 2, 3, 4, 5, -1, -1]
    # A finding that does not stop the kernel ends the launch with an error as well.
    base, view = strided(8)
    with pytest.raises(asc.BoundsError):
        quietly(reads_outside[1], view, 8, np.arange(4, dtype=np.int32), 1)
    assert (base == -1).all()


def test_outputs_that_were_copied_in_keep_what_was_written():
    base, view = strided(9)
    with pytest.raises(asc.KernelError, match="too far"):
        quietly(fails_at_the_end[1], view, 8, 5)  # the ninth element is not written
    assert view.tolist() == [0, 1, 2, 3, 4, 5, -1, -1, -1]


@pytest.mark.parametrize(
    "options", [{"on_finding": "collect"}, {"on_finding": "warn"}, {"ignore": ("scalar", "bounds")}]
)
@pytest.mark.filterwarnings("ignore::asc.FindingWarning")
def test_where_findings_do_not_raise_it_is_copied_in(options):
    x = np.arange(4, dtype=np.int32)
    kernel = reads_outside.options(**options)[1]
    base, view = strided(8)
    plain = np.full(8, -1, np.int32)
    quietly(kernel, plain, 8, x, 1)
    assert skipped(kernel, view, 8, x, 1) == 0
    assert view.tolist() == plain.tolist()
    assert view[:4].tolist() == [0, 1, 2, 3]
    # Writes that are dropped leave what was there.
    base, view = strided(8)
    kernel = writes_a_part_outside.options(**options)[1]
    assert skipped(kernel, view, 8) == 0
    assert view.tolist() == [-1, 7, 7, 7, 7, 7, 7, 7]


@asc.jit
def writes_a_part_outside(out: asc.GlobalAddress, n: int):
    g = kernels.bound(out)
    for i in range(n):
        g.set_value(i + 1, 7)


@asc.jit
def allows(out: asc.GlobalAddress, n: int):
    g = asc.GlobalTensor()
    g.set_global_buffer(out)
    local = kernels.sevens(16)
    far = asc.LocalTensor(asc.int32, asc.TPosition.VECOUT, 1 << 20, n)  # asc: allow(bounds): it has no memory
    asc.data_copy(g, far, n)  # asc: allow(bounds): the copy is skipped
    asc.data_copy(g, local, 8)


def test_where_a_comment_allows_a_finding_it_is_copied_in():
    base, view = strided(16)
    assert skipped(allows[1], view, 16) == 0
    assert view.tolist() == [7] * 8 + [-1] * 8
    assert (base[:, 1] == -1).all()


def test_settings_of_the_environment_count_too(monkeypatch):
    base, view = strided(8)
    assert skipped(kernels.elements[1], view, 8) == 1
    monkeypatch.setenv("PYASC_SIM", "on_finding=collect")
    assert skipped(kernels.elements[1], view, 8) == 0
    monkeypatch.setenv("PYASC_SIM", "fast")
    assert skipped(kernels.elements[1], view, 8) == 1


def test_after_a_timeout_and_an_interrupt_it_is_as_it_was():
    x = np.zeros(1, np.int32)
    base, view = strided(8)
    with pytest.raises(asc.TimeoutError):
        quietly(never_ends.options(timeout=0.2)[2], view, 8, x)
    assert (base == -1).all()
    timer = threading.Timer(0.2, os.kill, (os.getpid(), signal.SIGINT))
    timer.start()
    start = time.monotonic()
    before = _asc._copy_counts()[1]
    with pytest.raises(KeyboardInterrupt):
        quietly(never_ends[2], view, 8, x)
    assert time.monotonic() - start < 30
    assert _asc._copy_counts()[1] == before + 1
    assert (base == -1).all()
    x[0] = 1
    assert skipped(never_ends[2], view, 8, x) == 1
    assert (view == 0).all()


# ---- kernels from disk ----

PROGRAM = """
import warnings
import numpy as np
from asc import _asc


@asc.jit
def tiles(out: asc.GlobalAddress, n: int):
    g = asc.GlobalTensor()
    g.set_global_buffer(out + asc.get_block_idx() * n)
    local = asc.LocalTensor(asc.int32, asc.TPosition.VECOUT, 0, 8)
    asc.duplicate(local, 7, 8)
    asc.set_flag(asc.HardEvent.V_MTE3, 0)
    asc.wait_flag(asc.HardEvent.V_MTE3, 0)
    for i in range(n // 8):
        asc.data_copy(g[i * 8 :], local, 8)


warnings.simplefilter("ignore")
out = np.full((128, 2), -1, np.int32)
tiles[2](out[:, 0], 64)
assert out.tolist() == [[7, -1]] * 128
proven = _asc._copy_counts()
tiles[2](out[:, 0], 56)
print([*counts("compiled", "disk_hits"), *proven, *_asc._copy_counts()])
"""


def test_a_kernel_from_disk_is_as_good(tmp_path):
    path = programs.write(tmp_path / "program.py", PROGRAM)
    assert programs.run(path, tmp_path / "cache") == [1, 0, 1, 1, 2, 1]
    assert programs.run(path, tmp_path / "cache") == [0, 1, 1, 1, 2, 1]


def test_grids_and_numbers_are_those_of_each_launch():
    """One specialisation, many launches, cold and warm."""
    for _ in range(2):
        for cores, n, size in ((4, 64, 64), (2, 64, 64), (8, 64, 64), (1, 64, 64), (4, 32, 64), (4, 64, 63)):
            base, view = strided(size)
            share = n // cores // 8 * 8 * cores
            if share > size:
                with pytest.raises(asc.BoundsError):
                    quietly(kernels.blocks[cores], view, n)
                assert (base == -1).all() or view[:56].tolist() == [7] * 56
                continue
            assert skipped(kernels.blocks[cores], view, n) == (share == size)
            assert (view == 7).sum() == share
