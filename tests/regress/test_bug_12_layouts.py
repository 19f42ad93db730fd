# SPDX-License-Identifier: Apache-2.0
"""BUG-12, arrays of every layout: exactly what the loop does in Python, or an error that names arguments."""

import warnings

import numpy as np
import pytest
from outcomes import everywhere
from test_bug_12_same_array import bump

import asc

N = 4
# Two arguments as views of one array of 24.
RIGHT = {
    "one array": lambda b: (b[:4], b[:4]),
    "overlapping": lambda b: (b[:4], b[1:5]),
    "overlapping backwards": lambda b: (b[1:5], b[:4]),
    "strided, apart": lambda b: (b[:8:2], b[8:16:2]),
    "strided, between each other": lambda b: (b[:8:2], b[1:9:2]),
    "strided and contiguous": lambda b: (b[:8:2], b[8:12]),
    "contiguous and strided": lambda b: (b[:4], b[8:16:2]),
    "transposed": lambda b: (b[:4].reshape(2, 2).T, b[8:12]),
    "into transposed": lambda b: (b[:4], b[8:12].reshape(2, 2).T),
    "two transposed": lambda b: (b[:4].reshape(2, 2).T, b[8:12].reshape(2, 2).T),
}
# One object twice; torch has no negative strides.
SAME = {
    "strided twice": lambda b: b[:8:2],
    "transposed twice": lambda b: b[:4].reshape(2, 2).T,
}
REVERSED = {
    "reversed": lambda b: (b[3::-1], b[8:12]),
    "into reversed": lambda b: (b[:4], b[11:7:-1]),
    "two reversed": lambda b: (b[3::-1], b[11:7:-1]),
}
REVERSED_SAME = {"reversed twice": lambda b: b[3::-1]}
SHARED = {
    "strided, overlapping": (lambda b: (b[:8:2], b[2:10:2]), "x"),
    "strided over contiguous": (lambda b: (b[:4], b[:8:2]), "z"),
    "transposed over contiguous": (lambda b: (b[:4].reshape(2, 2).T, b[:4].reshape(2, 2)), "x"),
}


def pairs(of_numpy):
    """Each case that must be exact, as a function of the array of 24 to the two arguments."""
    twice = lambda view: lambda b: (view(b),) * 2  # noqa: E731
    chosen = {**RIGHT, **{name: twice(view) for name, view in SAME.items()}}
    if of_numpy:
        chosen.update(REVERSED)
        chosen.update({name: twice(view) for name, view in REVERSED_SAME.items()})
    return chosen


def in_python(x, z):
    """The kernel's loop on numpy's own views, in row-major order."""
    at = [tuple(map(int, np.unravel_index(i, x.shape))) for i in range(N)]
    to = [tuple(map(int, np.unravel_index(i, z.shape))) for i in range(N)]
    for i in range(N):
        z[to[i]] = x[at[i]] + 1
    x[at[0]] = z[to[0]] * 10


def expected(of_numpy):
    results = {}
    for name, views in pairs(of_numpy).items():
        base = np.arange(24, dtype=np.int32)
        in_python(*views(base))
        results[name] = base.tolist()
    return results


def launched(make, of_numpy):
    results = {}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", asc.PerformanceWarning)
        for name, views in pairs(of_numpy).items():
            base = make()
            bump[1](*views(base), N)
            results[name] = base.tolist()
    return results


def of_numpy():
    return launched(lambda: np.arange(24, dtype=np.int32), True)


def of_torch():
    import torch

    return launched(lambda: torch.arange(24, dtype=torch.int32), False)


def test_numpy(tmp_path):
    assert everywhere(of_numpy, tmp_path / "cache") == expected(True)


def test_torch(tmp_path):
    pytest.importorskip("torch")
    assert everywhere(of_torch, tmp_path / "cache") == expected(False)


def refusals(make):
    """Error texts, and whether the array stayed as it was."""
    results = {}
    for name, (views, _) in SHARED.items():
        base = make()
        try:
            bump[1](*views(base), N)
        except TypeError as error:
            results[name] = str(error), base.tolist() == list(range(24))
    return results


def refused_of_numpy():
    return refusals(lambda: np.arange(24, dtype=np.int32))


def refused_of_torch():
    import torch

    return refusals(lambda: torch.arange(24, dtype=torch.int32))


@pytest.mark.parametrize("function", [refused_of_numpy, refused_of_torch])
def test_views_that_a_copy_would_part_are_refused_by_name(tmp_path, function):
    if function is refused_of_torch:
        pytest.importorskip("torch")
    results = everywhere(function, tmp_path / "cache")
    assert list(results) == list(SHARED)
    for name, (text, unchanged) in results.items():
        assert "'x' and 'z' share memory" in text and f"'{SHARED[name][1]}' is not contiguous" in text
        assert unchanged


def one_of(kind):
    """A good array and one of the kind, as x and z, then as z and x: what each launch ends with."""
    ends = []
    for turn in (0, 1):
        good = np.arange(N, dtype=np.int32)
        if kind == "big-endian":
            other = np.arange(N, dtype=">i4")
        elif kind == "read-only":
            other = np.arange(N, dtype=np.int32)
            other.flags.writeable = False
        else:
            other = np.lib.stride_tricks.as_strided(np.zeros(1, np.int32), (N,), (0,))
        before = other.tolist()
        try:
            bump[1](*((other, good) if turn == 0 else (good, other)), N)
            ends.append(("", ""))
        except (TypeError, asc.BoundsError) as error:
            ends.append((type(error).__name__, str(error).splitlines()[0]))
        assert other.tolist() == before
    return ends


def big_endian():
    return one_of("big-endian")


def read_only():
    return one_of("read-only")


def broadcast():
    return one_of("broadcast")


def test_big_endian_arrays_are_refused_by_name(tmp_path):
    for (kind, text), name in zip(everywhere(big_endian, tmp_path / "cache"), "xz"):
        assert kind == "TypeError" and f"argument '{name}': the array is big-endian" in text


def test_read_only_arrays_stay_as_they_are(tmp_path):
    for (kind, text), name in zip(everywhere(read_only, tmp_path / "cache"), "xz"):
        assert kind == "BoundsError" and f"writes argument `{name}`, a read-only array" in text


def test_broadcast_arrays_that_would_be_written_are_refused_by_name(tmp_path):
    for (kind, text), name in zip(everywhere(broadcast, tmp_path / "cache"), "xz"):
        assert kind == "TypeError" and f"argument '{name}'" in text and "in the same memory" in text


def test_an_expanded_tensor_of_torch_is_refused_by_name():
    torch = pytest.importorskip("torch")
    with pytest.raises(TypeError, match="argument 'z'.*in the same memory"):
        bump[1](torch.arange(N, dtype=torch.int32), torch.zeros(1, dtype=torch.int32).expand(N), N)
