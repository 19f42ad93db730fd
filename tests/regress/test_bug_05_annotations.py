# SPDX-License-Identifier: Apache-2.0
"""BUG-05: annotations that are strings, unusual, or name what only a type checker knows."""

from __future__ import annotations

import linecache
import typing
from typing import TYPE_CHECKING, Optional, Union

import numpy as np
import pytest
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


Alias = asc.ConstExpr


@asc.jit
def optional(
    out: asc.GlobalAddress,
    a: Optional[asc.ConstExpr[int]],  # noqa: UP045
    b: asc.ConstExpr[int] | None = None,
    c: Optional[Alias] = None,  # noqa: UP045
    d: Annotated[asc.ConstExpr[int], 3] = 1,  # noqa: F821 - known to type checkers only
):
    o = asc.GlobalTensor()
    o.set_global_buffer(out)
    o.set_value(0, (1 if a is None else a) + (10 if b is None else b) + (100 if c is None else c) + d)


def test_constexpr_inside_of_others():
    def launch():
        a = np.zeros(8, np.int32)
        results = []
        for args in ((None,), (2, 20), (2, None, 200), (2, 20, 200, 1000)):
            optional[1](a, *args)
            results.append(int(a[0]))
        return results

    assert launch() == [112, 123, 213, 1222]
    assert len(optional.cache_info()["specialisations"]) == 4


def annotated_with(parameters, module, flags=0):
    source = f"def kernel({parameters}): pass"
    name = f"<annotation {parameters} {flags}>"
    linecache.cache[name] = (len(source), None, [source], name)
    exec(compile(source, name, "exec", flags, dont_inherit=True), module)
    return asc.jit(module["kernel"])


@pytest.mark.parametrize("flags", [0, annotations.compiler_flag])
def test_a_literal_is_no_annotation(flags):
    module = {"asc": asc, "Literal": typing.Literal, "Optional": Optional}
    kernel = annotated_with("p: Literal['ConstExpr'], q: Optional[asc.ConstExpr[int]]", module, flags)
    kernel[1](3, 4)
    arguments = kernel.cache_info()["specialisations"][0]["arguments"]
    assert "int32" in arguments["p"] and arguments["q"] == 4


def test_constexpr_inside_of_others_as_objects():
    module = {
        "asc": asc,
        "Alias": asc.ConstExpr,
        "Literal": typing.Literal,
        "Optional": Optional,
        "Union": Union,
        "Annotated": typing.Annotated,
    }
    for text in (
        "Optional[asc.ConstExpr[int]]",
        "Optional[asc.ConstExpr]",
        "Union[None, asc.ConstExpr[int], float]",
        "Annotated[asc.ConstExpr[int], 3]",
        "Annotated[int, asc.ConstExpr]",
        "Optional['asc.ConstExpr[int]']",
        "Optional['Alias[int]']",
        "asc.ConstExpr[int] | None",
        "None | asc.ConstExpr[int]",
        "asc.ConstExpr | None",
    ):
        kernel = annotated_with(f"p: {text}, q: Optional[int]", module)
        kernel[1](3, 4)
        assert kernel.cache_info()["specialisations"][0]["arguments"]["p"] == 3, text
        assert "int32" in kernel.cache_info()["specialisations"][0]["arguments"]["q"]
