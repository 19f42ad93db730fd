# SPDX-License-Identifier: Apache-2.0
"""asc.workspace: whose it is, how far it reaches, what it holds, and what is refused."""

import json
import linecache
import os
import subprocess
import sys
import textwrap
from pathlib import Path

import numpy as np
import pytest

import asc

ROOT = Path(asc.__file__).absolute().parents[1]  # of the package that runs here


@asc.jit
def ints(address, count: asc.ConstExpr[int]):
    tensor = asc.GlobalTensor()
    tensor.set_global_buffer(asc.GlobalAddress(address, asc.int32), count)
    return tensor


def line_of(kernel, text):
    """The line of the file in which the kernel's text says this."""
    first = kernel.fn.__code__.co_firstlineno
    return next(first + i for i, line in enumerate(kernel.src.splitlines()) if text in line)


@asc.jit
def remember(out: asc.GlobalAddress, PER_BLOCK: asc.ConstExpr[bool]):
    o = asc.GlobalTensor()
    o.set_global_buffer(out)
    block = asc.get_block_idx()
    kept = ints(asc.workspace(4, PER_BLOCK), 1)
    o.set_value(block, kept.get_value(0))
    kept.set_value(0, block + 1)


@pytest.mark.parametrize("mode", ["check", "fast"])
@pytest.mark.parametrize("threads", [1, 3])
def test_a_shared_area_is_one_for_all_blocks_and_results_do_not_depend_on_threads(mode, threads):
    out = np.zeros(64, np.int32)
    kernel = remember.options(mode=mode, threads=threads)
    for _ in range(2):  # the second launch knows that cores meet
        kernel[64](out, False)
        assert out[1:].tolist() == list(range(1, 64))
        assert out[0] not in (0, 64)  # what nobody wrote, of this launch


def pass_on():
    """A fresh kernel, whose cost nobody knows: its first block runs alone, the others at once."""

    @asc.jit
    def kernel(out: asc.GlobalAddress, spin: int):
        o = asc.GlobalTensor()
        o.set_global_buffer(out)
        block = asc.get_block_idx()
        shared = ints(asc.workspace(4096, per_block=False), 1024)
        if block == 0:
            shared.set_value(0, 1)
        total = 0
        for i in range(spin):
            total = total + (i & 3)
        seen = shared.get_value(0)
        shared.set_value(0, seen + 1)
        o.set_value(seen & 63, total)

    return kernel


@pytest.mark.parametrize("threads", [1, 4])
def test_blocks_that_take_long_pass_on_what_they_share_in_their_order(threads):
    """Long enough for more threads than one; where each block writes depends on what it reads."""
    out = np.full(64, -1, np.int32)
    pass_on().options(threads=threads)[8](out, 200_000)
    assert out.tolist() == [-1] + [sum(i & 3 for i in range(200_000))] * 8 + [-1] * 55


@pytest.mark.parametrize("mode", ["check", "fast"])
def test_each_block_has_its_own_and_it_is_neither_zero_nor_left_from_before(mode):
    out = np.zeros(64, np.int32)
    remember.options(mode=mode)[64](out, True)
    first = out.copy()
    assert len(set(first)) == 1 and first[0] != 0
    remember.options(mode=mode)[64](out, True)
    assert (out == first).all()


@asc.jit
def element_type(out: asc.GlobalAddress):
    o = asc.GlobalTensor()
    o.set_global_buffer(out)
    area = asc.GlobalTensor()
    area.set_global_buffer(asc.workspace(32))
    area.set_value(31, 250)
    o.set_value(0, area.get_value(31))
    area16 = asc.GlobalTensor()
    area16.set_global_buffer(asc.GlobalAddress(asc.workspace(32) + 8, asc.float16))
    area16.set_value(11, 1.5)
    o.set_value(1, int(area16.get_value(11) * 2))


def test_it_is_an_address_of_bytes_until_it_is_seen_as_another_type():
    out = np.zeros(2, np.int32)
    element_type[1](out)
    assert out.tolist() == [250, 3]


@asc.jit
def moved(x: asc.GlobalAddress, y: asc.GlobalAddress, n: int):
    """Copies x to y by way of the workspace, a tile at a time."""
    x_gm = asc.GlobalTensor()
    y_gm = asc.GlobalTensor()
    scratch = asc.GlobalTensor()
    start = asc.get_block_idx() * n
    x_gm.set_global_buffer(x + start)
    y_gm.set_global_buffer(y + start)
    scratch.set_global_buffer(asc.GlobalAddress(asc.workspace(4096), x.dtype))
    pipe = asc.TPipe()
    buffer = asc.TBuf(asc.TPosition.VECCALC)
    pipe.init_buffer(buffer, 8192)
    tile = buffer.get(x.dtype)
    asc.data_copy(tile, x_gm, n)
    asc.set_flag(asc.HardEvent.MTE2_MTE3)
    asc.wait_flag(asc.HardEvent.MTE2_MTE3)
    asc.data_copy(scratch, tile, n)
    asc.set_flag(asc.HardEvent.MTE3_MTE2)
    asc.wait_flag(asc.HardEvent.MTE3_MTE2)
    asc.data_copy(tile, scratch, n)
    asc.set_flag(asc.HardEvent.MTE2_MTE3)
    asc.wait_flag(asc.HardEvent.MTE2_MTE3)
    asc.data_copy(y_gm, tile, n)


@pytest.mark.parametrize("mode", ["check", "fast"])
def test_copies_go_there_and_back(mode):
    x = np.random.default_rng(1).normal(size=8 * 512).astype(np.float32)
    y = np.zeros_like(x)
    moved.options(mode=mode)[8](x, y, 512)
    np.testing.assert_array_equal(x, y)


@pytest.mark.parametrize("mode", ["check", "fast"])
def test_a_copy_beyond_the_own_area_is_a_finding_that_names_it(mode):
    x = np.zeros(2 * 1040, np.float32)
    with pytest.raises(
        asc.BoundsError, match="outside the block's workspace: bytes 0..4159 of 4096"
    ) as caught:
        moved.options(mode=mode)[2](x, np.zeros_like(x), 1040)
    finding = next(f for f in caught.value.findings if f.buffer == "workspace")
    assert finding.range == (0, 4160)
    assert finding.site.line == line_of(moved, "data_copy(scratch, tile")
    assert finding.other.line == line_of(moved, "asc.workspace")


@asc.jit
def stray(out: asc.GlobalAddress, index: int, SHARED: asc.ConstExpr[bool]):
    o = asc.GlobalTensor()
    o.set_global_buffer(out)
    first = ints(asc.workspace(512, per_block=not SHARED), 128)
    second = ints(asc.workspace(512, per_block=not SHARED), 128)
    second.set_value(0, 7)
    first.set_value(index, 1)
    o.set_value(asc.get_block_idx(), second.get_value(0))


@pytest.mark.parametrize("mode", ["check", "fast"])
@pytest.mark.parametrize("shared", [False, True])
@pytest.mark.parametrize("index", [-1, 128, 129, 256, 300, 2**40])
def test_the_area_beside_is_out_of_bounds_and_is_not_written(index, shared, mode):
    out = np.zeros(3, np.int32)
    with pytest.raises(asc.BoundsError) as caught:
        stray.options(mode=mode)[3](out, index, shared)
    assert {f.buffer for f in caught.value.findings} == {"workspace"}
    assert out.tolist() == [7, 7, 7]
    if index < 2**40:
        assert caught.value.findings[0].range == (4 * index, 4 * index + 4)


@asc.jit
def trespass(out: asc.GlobalAddress):
    o = asc.GlobalTensor()
    o.set_global_buffer(out)
    area = asc.workspace(64)
    if asc.get_block_idx() == 0:
        o.set_value(0, int(area))
    else:
        ints(asc.GlobalAddress(o.get_value(0), asc.uint8), 16).set_value(0, 1)


def test_the_area_of_another_block_is_out_of_bounds():
    with pytest.raises(asc.BoundsError, match=r"block's workspace: bytes -512\.\.-509 of 64"):
        trespass[2](np.zeros(1, np.int64))


@asc.jit
def beside_a_table(table: asc.GlobalAddress, out: asc.GlobalAddress):
    t = asc.GlobalTensor()
    t.set_global_buffer(table)
    o = asc.GlobalTensor()
    o.set_global_buffer(out)
    kept = ints(asc.workspace(8), 2)
    for i in range(2):
        kept.set_value(i, ints(asc.GlobalAddress(t.get_value(i), asc.int32), 1).get_value(0))
    o.set_value(0, kept.get_value(0) * 10 + kept.get_value(1))


def test_with_a_table_of_addresses_and_arrays_that_overlap():
    x = np.array([3, 4], np.int32)
    beside_a_table[1](asc.pointers([x, x[1:]]), x)
    assert x.tolist() == [34, 4]


@asc.jit
def one_of_a_loop(out: asc.GlobalAddress, n: int):
    o = asc.GlobalTensor()
    o.set_global_buffer(out)
    for i in range(n):
        area = asc.workspace(16)
        if i > 0:
            o.set_value(i, ints(area, 4).get_value(0))
        ints(area, 4).set_value(0, i)
        if i > 1:
            o.set_value(0, int(area) - int(asc.workspace(16, per_block=True)))


def test_a_call_in_a_loop_is_one_area_and_each_call_in_the_text_another():
    out = np.zeros(4, np.int64)
    compiled = one_of_a_loop[1].compile(out, 4)
    assert compiled.meta["workspace"] == {"shared": 0, "per_block": 1024}
    assert [a["name"] for a in compiled.meta["arguments"]] == ["out", "n"]
    one_of_a_loop[1](out, 4)
    assert out[0] != 0 and out[1:].tolist() == [0, 1, 2]


@asc.jit
def nothing(out: asc.GlobalAddress):
    asc.GlobalTensor().set_global_buffer(out)


def test_a_kernel_without_it_takes_none():
    compiled = nothing[1].compile(np.zeros(1, np.int32))
    assert compiled.meta["workspace"] == {"shared": 0, "per_block": 0}
    assert "workspace" not in compiled.text["ascendc"]


def test_what_other_arguments_may_be_does_not_change():
    x = np.zeros(8, np.float32)
    arguments = moved[1].compile(x, x, 8).meta["arguments"]
    assert [(a["name"], a["reads"], a["writes"]) for a in arguments] == [
        ("x", True, False),
        ("y", False, True),
        ("n", True, False),
    ]


# ---- refused ----


def refused(text, *arguments, n=3):
    source = f"@asc.jit\ndef kernel(out: asc.GlobalAddress, n: int, b: bool):\n    w = {text}\n"
    name = f"<workspace {text}>"
    linecache.cache[name] = (len(source), None, source.splitlines(True), name)
    scope = {"asc": asc, "np": np}
    exec(compile(source, name, "exec"), scope)
    with pytest.raises(asc.CompileError) as caught:
        scope["kernel"][1](np.zeros(1, np.int32), n, True)
    assert f"{name}:3:" in str(caught.value)
    return str(caught.value)


@pytest.mark.parametrize(
    ("text", "error"),
    [
        ("asc.workspace(n)", "'bytes' of workspace must be known at compile time, and is int32"),
        ("asc.workspace(64, b)", "'per_block' of workspace must be known at compile time, and is bool"),
        ("asc.workspace(64, per_block=1)", "TypeError: 'per_block' is True or False, not 1"),
        ("asc.workspace(0)", "ValueError: a workspace of 0 bytes"),
        ("asc.workspace(-4)", "ValueError: a workspace of -4 bytes"),
        ("asc.workspace(2**40 + 1)", f"ValueError: a workspace of {2**40 + 1} bytes"),
        ("asc.workspace(2**64 - 1)", f"ValueError: a workspace of {2**64 - 1} bytes"),
        ("asc.workspace(4.0)", "TypeError: workspace() takes a number of bytes, not 4.0"),
        ("asc.workspace(True)", "TypeError: workspace() takes a number of bytes, not True"),
        ("asc.workspace('a')", "TypeError: workspace() takes a number of bytes, not 'a'"),
        ("asc.workspace()", "TypeError: workspace() is missing the argument 'bytes'"),
        ("asc.workspace(1, True, 2)", "TypeError: workspace(bytes, per_block=True): 3 arguments given"),
        ("asc.workspace(1, size=2)", "TypeError: workspace() got an unexpected keyword argument 'size'"),
        ("asc.workspace(1, bytes=2)", "TypeError: workspace() got multiple values for argument 'bytes'"),
    ],
)
def test_refused(text, error):
    assert error in refused(text)


def test_sizes_may_be_numbers_of_numpy():
    @asc.jit
    def kernel(out: asc.GlobalAddress, SIZE: asc.ConstExpr):
        o = asc.GlobalTensor()
        o.set_global_buffer(out)
        ints(asc.workspace(SIZE), 1).set_value(0, 1)
        o.set_value(0, 5)

    out = np.zeros(1, np.int32)
    kernel[1](out, np.int64(4))
    assert out[0] == 5


def test_outside_of_a_kernel():
    with pytest.raises(RuntimeError, match="asc.workspace"):
        asc.workspace(64)


def test_more_areas_than_there_may_be():
    @asc.jit
    def leaf():
        ints(asc.workspace(4), 1).set_value(0, 1)

    @asc.jit
    def kernel(out: asc.GlobalAddress):
        for _ in asc.static_range(5000):
            leaf()

    with pytest.raises(asc.CompileError, match="more than 4096 workspaces"):
        kernel[1](np.zeros(1, np.int32))


def test_more_memory_than_a_device_or_this_machine_has():
    @asc.jit
    def kernel(out: asc.GlobalAddress, COUNT: asc.ConstExpr[int]):
        for _ in asc.static_range(COUNT):
            ints(asc.workspace(2**40), 1).set_value(0, 1)

    with pytest.raises(asc.CompileError, match="no device has that much"):
        kernel[1](np.zeros(1, np.int32), 2)
    with pytest.raises(asc.LaunchError, match=f"takes {100 * 2**40} bytes, more than this machine has"):
        kernel[100](np.zeros(1, np.int32), 1)
    kernel[100].compile(np.zeros(1, np.int32), 1)


# ---- stored kernels ----

PROGRAM = """
    import json, sys
    import numpy as np
    import asc

    @asc.jit
    def helper(o, block):
        t = asc.GlobalTensor()
        t.set_global_buffer(asc.GlobalAddress(asc.workspace(40), asc.int32), 10)
        t.set_value(9, block + 1)
        u = asc.GlobalTensor()
        u.set_global_buffer(asc.GlobalAddress(asc.workspace(400, per_block=False), asc.int32), 100)
        u.set_value(block, 2 * block)
        o.set_value(block, t.get_value(9) * 100 + u.get_value(block))

    @asc.jit
    def kernel(out: asc.GlobalAddress):
        o = asc.GlobalTensor()
        o.set_global_buffer(out)
        helper(o, asc.get_block_idx())

    out = np.zeros(3, np.int32)
    kernel[3](out)
    text = kernel[3].compile(out).text
    asc._asc.cache_drain()
    print(json.dumps([out.tolist(), text["ir"], text["ascendc"], asc.cache_info()["process"]["disk_hits"]]))
"""


def test_a_kernel_from_the_disk_is_the_same(tmp_path):
    program = tmp_path / "program.py"
    program.write_text(textwrap.dedent(PROGRAM), encoding="utf-8")
    env = {**os.environ, "PYASC_CACHE_DIR": str(tmp_path / "cache"), "PYTHONPATH": str(ROOT)}
    runs = []
    for _ in range(2):
        done = subprocess.run([sys.executable, program], env=env, capture_output=True, text=True, check=True)
        runs.append(json.loads(done.stdout))
    first, second = runs
    assert first[0] == [100, 202, 304]
    assert first[:3] == second[:3]
    assert (first[3], second[3]) == (0, 1)
