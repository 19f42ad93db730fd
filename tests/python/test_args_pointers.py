# SPDX-License-Identifier: Apache-2.0
"""asc.pointers: a table of addresses, each with the bounds of its array."""

import numpy as np
import pytest
from args_kernels import OnlyDLPack, quietly

import asc


@asc.jit
def concat(table: asc.GlobalAddress, sizes: asc.GlobalAddress, out: asc.GlobalAddress, count: int):
    """out = the arrays of the table, one after the other."""
    t = asc.GlobalTensor()
    t.set_global_buffer(table)
    n = asc.GlobalTensor()
    n.set_global_buffer(sizes)
    o = asc.GlobalTensor()
    o.set_global_buffer(out)
    at = 0
    for i in range(count):
        x = asc.GlobalTensor()
        x.set_global_buffer(asc.GlobalAddress(t.get_value(i), asc.float32))
        for j in range(n.get_value(i)):
            o.set_value(at, x.get_value(j))
            at += 1


@asc.jit
def poke(table: asc.GlobalAddress, i: int, j: int, value: float):
    t = asc.GlobalTensor()
    t.set_global_buffer(table)
    x = asc.GlobalTensor()
    x.set_global_buffer(asc.GlobalAddress(t.get_value(i), asc.float32))
    x.set_value(j, value)


@asc.jit
def overwrite(table: asc.GlobalAddress):
    t = asc.GlobalTensor()
    t.set_global_buffer(table)
    t.set_value(0, 5)


def arrays():
    return [np.arange(n, dtype=np.float32) + 10 * n for n in (3, 5, 1, 8)]


@pytest.mark.parametrize("library", ["numpy", "torch", "dlpack", "mixed"])
def test_a_kernel_reads_through_the_table(library):
    torch = pytest.importorskip("torch")
    parts = arrays()
    given = {
        "numpy": lambda: parts,
        "torch": lambda: [torch.from_numpy(p) for p in parts],
        "dlpack": lambda: [OnlyDLPack(p) for p in parts],
        "mixed": lambda: [parts[0], torch.from_numpy(parts[1]), memoryview(parts[2]), asc.raw(parts[3])],
    }[library]()
    out = np.zeros(17, np.float32)
    for _ in range(2):
        out[:] = 0
        concat[1](asc.pointers(given), np.array([3, 5, 1, 8], np.int32), out, 4)
        assert out.tolist() == np.concatenate(parts).tolist()
    assert concat.cache_info()["last_miss"] in ("first call", "")


def test_a_kernel_writes_through_the_table():
    parts = arrays()
    poke[1](asc.pointers(parts), 1, 4, -1.0)
    assert parts[1].tolist() == [50.0, 51.0, 52.0, 53.0, -1.0]


def test_strided_entries_are_copied_in_and_back():
    base = np.zeros(8, np.float32)
    with pytest.warns(asc.PerformanceWarning, match=r"argument 'table\[1\]' is not contiguous"):
        poke[1](asc.pointers([np.zeros(2, np.float32), base[::2]]), 1, 3, 7.0)
    assert base.tolist() == [0, 0, 0, 0, 0, 0, 7, 0]


@pytest.mark.parametrize(("i", "j"), [(0, 3), (0, -1), (2, 1), (3, 8)])
def test_each_entry_has_its_own_bounds(i, j):
    parts = arrays()
    kept = [p.copy() for p in parts]
    with pytest.raises(
        asc.BoundsError, match=rf"writes outside argument `table\[{i}\]`: element {j} of {parts[i].size}"
    ):
        poke[1](asc.pointers(parts), i, j, 1.0)
    assert all((a == b).all() for a, b in zip(parts, kept, strict=True))


def test_the_table_has_bounds_and_is_read_only():
    with pytest.raises(asc.BoundsError, match="outside argument `table`: element 4 of 4"):
        poke[1](asc.pointers(arrays()), 4, 0, 1.0)
    with pytest.raises(asc.KernelError, match="writes argument `table`, a read-only array"):
        overwrite[1](asc.pointers(arrays()))


def test_none_is_the_null_address():
    x = np.zeros(4, np.float32)
    poke[1](asc.pointers([None, x]), 1, 0, 1.0)
    assert x[0] == 1.0
    with pytest.raises(asc.KernelError, match="never bound|never was an address"):
        poke[1](asc.pointers([None, x]), 0, 0, 1.0)


def test_an_empty_table_and_one_array_twice():
    x = np.zeros(4, np.float32)
    table = asc.pointers([x, x[1:], x])
    poke[1](table, 1, 0, 1.0)
    poke[1](table, 2, 0, 2.0)
    assert x.tolist() == [2.0, 1.0, 0.0, 0.0]
    with pytest.raises(asc.BoundsError, match="outside argument `table`: element 0 of 0"):
        poke[1](asc.pointers([]), 0, 0, 1.0)


def test_read_only_entries():
    x = np.zeros(4, np.float32)
    x.flags.writeable = False
    with pytest.raises(asc.KernelError, match=r"writes argument `table\[0\]`, a read-only array"):
        poke[1](asc.pointers([x]), 0, 0, 1.0)


def test_entries_are_checked_as_arguments_are():
    for bad in (np.zeros(4, ">f4"), np.zeros(4, complex)):
        with pytest.raises(TypeError, match=r"poke\(\) argument 'table\[1\]'"):
            poke[1](asc.pointers([np.zeros(4, np.float32), bad]), 0, 0, 1.0)
    torch = pytest.importorskip("torch")
    with pytest.raises(TypeError, match=r"poke\(\) argument 'table\[0\]': the tensor is on device 'meta'"):
        poke[1](asc.pointers([torch.zeros(4, device="meta")]), 0, 0, 1.0)


@pytest.mark.parametrize("bad", [5, "abc", np.zeros(4), None])
def test_pointers_takes_a_list(bad):
    with pytest.raises(TypeError):
        asc.pointers(bad)


def test_items():
    x, y = np.zeros(3), np.zeros(4)
    table = asc.pointers(a for a in (x, y, None))
    assert len(table) == 3 and table[0] is x and table[2] is None and table[-1] is None
    assert list(table)[1] is y
    with pytest.raises(IndexError):
        table[3]
    with pytest.raises(TypeError, match="item 1 is a int; items are arrays, asc.raw"):
        asc.pointers([x, 5])
    assert repr(table) == "asc.pointers(<3 arrays>)"


def test_many_entries():
    parts = [np.full(1, i, np.float32) for i in range(2000)]
    out = np.zeros(2000, np.float32)
    concat[1](asc.pointers(parts), np.ones(2000, np.int32), out, 2000)
    assert out.tolist() == list(range(2000))
    with pytest.raises(asc.LaunchError, match="at most 32768"):
        concat[1](asc.pointers([out] * 40000), np.ones(1, np.int32), out, 1)


def test_printed_program():
    text = poke[1].compile(asc.pointers(arrays()), 0, 0, 1.0).text["ascendc"]
    assert "__gm__ uint64_t* table" in text
    quietly(poke[1], asc.pointers(arrays()), 0, 0, 1.0)
