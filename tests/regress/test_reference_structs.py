# SPDX-License-Identifier: Apache-2.0
"""Struct and bool arguments: what pyasc's kernel changes in a copy without a word, and packs at another size.

pyasc copies a struct argument at the kernel's start, so that a write in the kernel is lost for the host; here
it is refused at the line. A bool argument is one byte wherever it is declared.
"""

import numpy as np
import pytest
from outcomes import everywhere

import asc
from asc.language.core.struct import Field, Struct


class Counter(Struct):
    done = Field(asc.bool_, default=False)
    count = Field(asc.int32, default=3)


@asc.jit
def counts_up(out: asc.GlobalAddress, counter: Counter):
    o = asc.GlobalTensor()
    o.set_global_buffer(out)
    counter.count += 1
    o.set_value(0, counter.count)


@asc.jit
def counts_copy(out: asc.GlobalAddress, counter: Counter, flag: bool, last: int):
    o = asc.GlobalTensor()
    o.set_global_buffer(out)
    copy = counter.create_local()
    copy.count += 1
    copy.done = flag
    o.set_value(0, copy.count)
    o.set_value(1, counter.count)
    o.set_value(2, last)
    if copy.done and not counter.done:
        o.set_value(3, 1)


def test_a_write_that_the_host_would_never_see_is_refused():
    counter = Counter()
    with pytest.raises(asc.CompileError, match="'counter' is an argument of the kernel") as error:
        counts_up[1](np.zeros(1, np.int32), counter)
    assert error.value.sites[-1].text.strip() == "counter.count += 1"
    assert "create_local()" in error.value.hint
    assert counter.count == 3


def launches():
    results = []
    for flag, count, done in ((True, 5, False), (False, -1, False), (True, 2**31 - 2, True)):
        a = np.zeros(4, np.int32)
        counter = Counter(count=count, done=done)
        counts_copy[1](a, counter, flag, 1 << 20)
        results.append((a.tolist(), counter.count, counter.pack().hex()))
    return results


def test_copies_and_bools_are_what_the_host_gave(tmp_path):
    assert everywhere(launches, tmp_path / "cache") == [
        ([6, 5, 1 << 20, 1], 5, "0000000005000000"),
        ([0, -1, 1 << 20, 0], -1, "00000000ffffffff"),
        ([2**31 - 1, 2**31 - 2, 1 << 20, 0], 2**31 - 2, "01000000feffff7f"),
    ]
