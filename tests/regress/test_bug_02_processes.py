# SPDX-License-Identifier: Apache-2.0
"""BUG-02: processes on one cache, files cut in half, a folder that cannot be written: slower, but right."""

import glob
import multiprocessing as mp
import os

import numpy as np
import pytest
from outcomes import run_file

import asc


@asc.jit
def kern(out: asc.GlobalAddress, N: asc.ConstExpr[int]):
    o = asc.GlobalTensor()
    o.set_global_buffer(out)
    o.set_value(0, N * 3)


def work(n):
    a = np.zeros(8, np.int32)
    kern[1](a, n)
    return int(a[0])


def cut_in_half():
    for path in glob.glob(os.environ["PYASC_CACHE_DIR"] + "/**/*", recursive=True):
        if os.path.isfile(path):
            os.truncate(path, os.path.getsize(path) // 2)


def pool(method, workers, arguments):
    with mp.get_context(method).Pool(workers) as workers_of_it:
        return workers_of_it.map(work, arguments, chunksize=1)


def case(method):
    """Eight processes at once, damage, two processes, and then what is compiled here."""
    if method == "fork":
        work(0)  # the parent has launched
    right = pool(method, 8, [n % 4 for n in range(64)]) == [0, 3, 6, 9] * 16
    cut_in_half()
    return right, pool(method, 2, range(4))


@pytest.mark.parametrize("method", ["spawn", "fork"])
def test_many_processes_and_a_damaged_cache(tmp_path, method):
    if method == "fork" and "ASC_UNDER_SANITIZER" in os.environ:
        pytest.skip("a sanitizer's own locks do not survive every fork")
    cache = tmp_path / "cache"
    assert run_file(__file__, cache, call=f"print(m.case({method!r}))") == "(True, [0, 3, 6, 9])\n"
    # The cache works again: what the last processes compiled is found.
    counts = "print([m.work(n) for n in range(4)], m.asc.cache_info()['process']['compiled'])"
    run_file(__file__, cache, call=counts)
    assert run_file(__file__, cache, call=counts) == "[0, 3, 6, 9] 0\n"


def test_a_folder_that_cannot_be_written(tmp_path):
    (tmp_path / "file").write_text("")  # root may write everywhere but here
    call = "print([m.work(n) for n in range(4)])"
    for folder in (tmp_path / "file", tmp_path / "file" / "below"):
        assert run_file(__file__, folder, call=call) == "[0, 3, 6, 9]\n"
    if os.geteuid() != 0:
        (tmp_path / "fixed").mkdir(mode=0o500)
        assert run_file(__file__, tmp_path / "fixed", call=call) == "[0, 3, 6, 9]\n"


def test_a_full_disk(tmp_path):
    """Each write of a file fails, as on a full disk."""
    call = "print([m.work(n) for n in range(4)])"
    for _ in range(2):
        printed = run_file(__file__, tmp_path / "cache", call=call, PYASC_TEST_CACHE_FAULT="fail:write")
        assert printed == "[0, 3, 6, 9]\n"
