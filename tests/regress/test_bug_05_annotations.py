# SPDX-License-Identifier: Apache-2.0
"""BUG-05: annotations that are strings, unusual, or name what only a type checker knows."""

from __future__ import annotations

from typing import TYPE_CHECKING, Optional

import numpy as np
from outcomes import everywhere

import asc

if TYPE_CHECKING:
    from nowhere import Missing


@asc.jit
def annotated(
    out: asc.GlobalAddress,
    n: int,
    K: asc.ConstExpr[int],
    W: "asc.ConstExpr[float]",  # noqa: UP037 - quoted on purpose
    m: Missing,
    p: Optional[int],  # noqa: UP045
):
    o = asc.GlobalTensor()
    o.set_global_buffer(out)
    for i in asc.static_range(K):
        o.set_value(i, n + i + m + p)


def launch():
    a = np.zeros(8, np.int32)
    annotated[1](a, 10, 8, 0.5, 100, 1000)
    return a.tolist()


def test_values(tmp_path):
    assert everywhere(launch, tmp_path / "cache") == list(range(1110, 1118))


def test_only_constexpr_parameters_make_another_kernel():
    annotated.clear_cache()
    a = np.zeros(8, np.int32)
    for args, kernels in (
        ((10, 8, 0.5, 100, 1000), 1),
        ((11, 8, 0.5, 101, 1001), 1),
        ((10, 4, 0.5, 100, 1000), 2),
        ((10, 4, 0.25, 100, 1000), 3),
    ):
        a[:] = 0
        annotated[1](a, *args)
        assert len(annotated.cache_info()["specialisations"]) == kernels, args
    assert a.tolist() == [1110, 1111, 1112, 1113, 0, 0, 0, 0]
    text = annotated[1].compile(a, 10, 4, 0.5, 100, 1000).text["ascendc"]
    head = next(line for line in text.splitlines() if "__global__" in line)
    assert "int32_t n, int32_t m, int32_t p" in head
    assert "K" not in head.split("(")[1] and "W" not in head.split("(")[1]
