# SPDX-License-Identifier: Apache-2.0
"""BUG-11: empty and 0-d arrays, and core counts that are none."""

import numpy as np
import pytest
from outcomes import everywhere

import asc


@asc.jit
def fill(x: asc.GlobalAddress, n: int):
    g = asc.GlobalTensor()
    g.set_global_buffer(x)
    for i in range(n):
        g.set_value(i, 1.0)


def launches():
    """Two launches with nothing to do, a 0-d array, four refused core counts, and a launch after that."""
    empty = np.zeros((0, 4), np.float32)
    fill[1](empty, 0)
    fill[1](empty, 0)
    single = np.zeros((), np.float32)
    fill[1](single, 1)
    values, refused = [float(single)], []
    single[...] = 0
    fill.clear_cache()
    before = fill.cache_info()["misses"]
    for cores in (0, -1, 1.5, 10**9):
        try:
            fill[cores](single, 1)
        except (ValueError, TypeError) as error:
            refused.append((type(error).__name__, str(error)))
    compiled = fill.cache_info()["misses"] - before
    values.append(float(single))
    fill[1](single, 1)
    values.append(float(single))
    return values, refused, compiled


def test_empty_and_single_and_wrong_core_counts(tmp_path):
    values, refused, compiled = everywhere(launches, tmp_path / "cache")
    assert values == [1.0, 0.0, 1.0]
    assert [kind for kind, _ in refused] == ["ValueError", "ValueError", "TypeError", "ValueError"]
    for (_, text), cores in zip(refused, ("0", "-1", "1.5", "1000000000")):
        assert "core count" in text and cores in text, text
        assert "1" in text and "65535" in text.replace(",", "").replace("_", ""), text
    assert compiled == 0


def test_torch_tensors_with_nothing_in_them():
    torch = pytest.importorskip("torch")
    fill[1](torch.zeros(0, 4), 0)
    single = torch.zeros(())
    fill[1](single, 1)
    assert float(single) == 1.0
