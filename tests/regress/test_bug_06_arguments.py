# SPDX-License-Identifier: Apache-2.0
"""BUG-06: defaults and keywords, of kernels and of helpers."""

import numpy as np
import pytest
from outcomes import everywhere

import asc


@asc.jit
def scale(v: int, by: int = 2) -> int:
    return v * by


@asc.jit
def scaled(out: asc.GlobalAddress, n: int = 7, K: asc.ConstExpr[int] = 3):
    o = asc.GlobalTensor()
    o.set_global_buffer(out)
    o.set_value(0, scale(n))
    o.set_value(1, scale(n, by=K))
    o.set_value(2, scale(by=K, v=n))


def launches():
    a = np.zeros(8, np.int32)
    scaled[1](a)
    defaults = a[:3].tolist()
    scaled[1](K=4, n=1, out=a)
    return [defaults, a[:3].tolist()]


def refusals():
    """The texts of three calls that do not fit, and whether anything was compiled for them."""
    scaled.clear_cache()
    before = scaled.cache_info()
    a = np.zeros(8, np.int32)
    texts = []
    for args, keywords in (((a, 1, 2, 3), {}), ((a,), {"nn": 1}), ((), {})):
        try:
            scaled[1](*args, **keywords)
        except TypeError as error:
            texts.append(str(error))
    after = scaled.cache_info()
    return texts, after["misses"] - before["misses"], len(after["specialisations"])


def test_defaults_and_keywords(tmp_path):
    assert everywhere(launches, tmp_path / "cache") == [[14, 21, 21], [2, 4, 4]]


def test_calls_that_do_not_fit(tmp_path):
    texts, misses, specialisations = everywhere(refusals, tmp_path / "cache")
    assert texts == [
        "scaled() takes from 1 to 3 positional arguments but 4 were given; argument 4 is left over: "
        "the parameters are 'out', 'n', and 'K'",
        "scaled() got an unexpected keyword argument 'nn'",
        "scaled() missing 1 required positional argument: 'out'",
    ]
    assert (misses, specialisations) == (0, 0)


@pytest.mark.parametrize("order", [(0, 1), (1, 0)])
def test_a_default_left_out_or_written_out_is_one_kernel(order):
    scaled.clear_cache()
    before = scaled.cache_info()
    a = np.zeros(8, np.int32)
    calls = ({}, {"K": 3})
    for i in order:
        scaled[1](a, **calls[i])
    after = scaled.cache_info()
    assert [after[name] - before[name] for name in ("misses", "hits")] == [1, 1]
    assert len(after["specialisations"]) == 1


@pytest.mark.parametrize("value", ["text", [1, 2], (1,), {"a": 1}])
def test_a_compile_time_object_needs_its_annotation(value):
    name = type(value).__name__
    with pytest.raises(
        TypeError, match=rf"scaled\(\) argument 'n'.* not supported: {name}.*ConstExpr\[{name}\]"
    ):
        scaled[1](np.zeros(8, np.int32), value)
