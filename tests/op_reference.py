# SPDX-License-Identifier: Apache-2.0
"""NumPy reference of every op: what it computes, on which inputs it is tried, how close a result has to be.

    for case in cases("add", "float16"):
        actual = ...run the op on case.sources, case.scalar, case.old_dst...
        check(case, actual)

One entry of OPS an op, by Python name. dtypes are not listed here: they come from the op table. Where
destination and source types differ (mul_add_dst, axpy) give both: cases("axpy", "float32", "float16").
NumPy has no bfloat16: arrays of it hold the bits as uint16.
"""

import dataclasses
import os
from collections.abc import Callable

import numpy as np

EXACT, WITHIN, UNKNOWN = "exact", "within", "unknown"


@dataclasses.dataclass(frozen=True)
class Reference:
    """An op: function(*operands) gives the result in the destination's dtype.

    operands: "a", "b" (source tensors), "scalar", "dst" (the old destination).
    ulp: how far the simulator may be from `function`, in units in the last place (0: same bits, NaN for NaN).
    device: what is known of the hardware against `function`: EXACT (IEEE or the manual defines every bit),
    WITHIN (the manual gives a bound, see `note`) or UNKNOWN.
    """

    operands: tuple
    function: Callable
    ulp: int = 0
    device: str = EXACT
    note: str = ""
    domain: tuple | None = None  # range of the random values, where most others overflow
    scalars: Callable | None = None  # dtype name -> scalars to try, when not the special values


def _is_float(x):
    return x.dtype.kind == "f"


def _same(x, result):
    return np.asarray(result).astype(x.dtype)


def _wide(function):
    """function computed in float64 and rounded to the operand's type."""
    return lambda x: _same(x, function(x.astype(np.float64)))


def _maximum(a, b):
    """The larger; NaN if one is NaN; +0 over -0, which np.maximum leaves open."""
    picked = np.where(a > b, a, b)
    if not _is_float(a):
        return picked
    picked = np.where((a == b) & np.signbit(b), a, picked)
    return _same(a, np.where(np.isnan(a) | np.isnan(b), np.nan, picked))


def _minimum(a, b):
    return -_maximum(-a, -b) if _is_float(a) else np.where(a < b, a, b)


def _relu(x):
    return _maximum(x, np.zeros_like(x))


def _multiply_add(a, b, c):
    """Two roundings, both to the type of c; half operands of a float32 result widen first."""
    return a.astype(c.dtype) * np.asarray(b).astype(c.dtype) + c


def _shift_left(x, distance):
    """A signed type keeps its sign bit, and the bit below it is dropped."""
    bits = 8 * x.dtype.itemsize
    wide = x.astype(np.int64) << int(distance)
    if x.dtype.kind == "u":
        return (wide & ((1 << bits) - 1)).astype(x.dtype)
    sign = 1 << (bits - 1)
    return np.where(x < 0, (wide & (sign - 1)) - sign, wide & (sign - 1)).astype(x.dtype)


def _shift_right(x, distance):
    return (x.astype(np.int64) >> int(distance)).astype(x.dtype)


def _shift_distances(dtype):
    bits = 8 * storage(dtype).itemsize
    return (0, 1, 3, bits // 2, bits - 1, bits)


_APPROXIMATE = "hardware approximation; its error passes 2e-3 (half), 2e-4 (float), no bound given"
_UNDOCUMENTED = "no error bound for this platform in the manual"
_ONE, _TWO, _SCALAR = ("a",), ("a", "b"), ("a", "scalar")
_SUM = "integers: whether the inner sum wraps or saturates is not documented for the fused op; it wraps here"

OPS = {
    "abs": Reference(_ONE, np.abs),
    "exp": Reference(_ONE, _wide(np.exp), ulp=1, device=UNKNOWN, note=_UNDOCUMENTED, domain=(-20, 20)),
    "ln": Reference(_ONE, _wide(np.log), ulp=1, device=UNKNOWN, note=_UNDOCUMENTED),
    "sqrt": Reference(_ONE, np.sqrt, device=UNKNOWN, note=_UNDOCUMENTED + "; zero and less may be unknown"),
    "rsqrt": Reference(_ONE, _wide(lambda x: 1 / np.sqrt(x)), device=UNKNOWN, note=_APPROXIMATE),
    "reciprocal": Reference(_ONE, lambda x: _same(x, 1) / x, device=UNKNOWN, note=_APPROXIMATE),
    "relu": Reference(_ONE, _relu),
    "bitwise_not": Reference(_ONE, np.invert),
    "add": Reference(_TWO, np.add),
    "sub": Reference(_TWO, np.subtract),
    "mul": Reference(_TWO, np.multiply),
    "div": Reference(_TWO, np.divide, device=UNKNOWN, note=_UNDOCUMENTED),
    "max": Reference(_TWO, _maximum),
    "min": Reference(_TWO, _minimum),
    "bitwise_and": Reference(_TWO, np.bitwise_and),
    "bitwise_or": Reference(_TWO, np.bitwise_or),
    "add_relu": Reference(_TWO, lambda a, b: _relu(a + b), note=_SUM),
    "sub_relu": Reference(_TWO, lambda a, b: _relu(a - b), note=_SUM),
    "mul_add_dst": Reference(("a", "b", "dst"), _multiply_add),
    "fused_mul_add": Reference(("a", "b", "dst"), lambda a, b, dst: _multiply_add(a, dst, b)),
    "fused_mul_add_relu": Reference(("a", "b", "dst"), lambda a, b, dst: _relu(_multiply_add(a, dst, b))),
    "adds": Reference(_SCALAR, np.add),
    "muls": Reference(_SCALAR, np.multiply),
    "maxs": Reference(_SCALAR, _maximum),
    "mins": Reference(_SCALAR, _minimum),
    "shift_left": Reference(_SCALAR, _shift_left, scalars=_shift_distances),
    "shift_right": Reference(_SCALAR, _shift_right, scalars=_shift_distances),
    "leaky_relu": Reference(_SCALAR, lambda x, slope: np.where(np.signbit(x), x * slope, x)),
    "axpy": Reference(("a", "scalar", "dst"), _multiply_add),
    "duplicate": Reference(("scalar", "dst"), lambda scalar, dst: np.full_like(dst, scalar)),
}


# ---- inputs ----


def storage(dtype):
    """NumPy dtype that holds a device dtype, both by Python name."""
    return np.dtype(np.uint16 if dtype == "bfloat16" else dtype)


def bfloat16_bits(values):
    """float32 -> bits of the nearest bfloat16, ties to even, by the distances to both neighbours."""
    values = np.atleast_1d(np.asarray(values, np.float32))
    below = (values.view(np.uint32) >> 16).astype(np.uint32)
    with np.errstate(all="ignore"):
        exact = values.astype(np.float64)
        low = (below << 16).view(np.float32).astype(np.float64)
        high = ((below + 1) << 16).view(np.float32).astype(np.float64)
        high = np.where(np.isfinite(high), high, np.copysign(2.0**128, exact))
        up = np.abs(high - exact) < np.abs(exact - low)
        tie = (np.abs(high - exact) == np.abs(exact - low)) & (below % 2 == 1)
        bits = below + (up | tie)
    bits = np.where(np.isinf(values), below, bits)
    return np.where(np.isnan(values), np.uint32(0x7FC0), bits).astype(np.uint16)


def special_values(dtype):
    """Signed zeros, subnormals, neighbours of one, extremes, infinities, NaN; for integers the edges."""
    if dtype == "bfloat16":
        return bfloat16_bits([0.0, -0.0, 1.0, -2.5, 3.3895e38, 1e-40, np.inf, -np.inf, np.nan])
    kind = np.dtype(dtype)
    if kind.kind in "iu":
        info = np.iinfo(kind)
        edges = {0, 1, 2, 7, info.max, info.max - 1, info.max // 2, info.max // 2 + 1, info.min, info.min + 1}
        return np.array(sorted(edges | ({-1, -2, -7, info.min // 2} if info.min else set())), kind)
    info = np.finfo(kind)
    tiny, least = float(info.smallest_normal), float(info.smallest_subnormal)
    positive = [
        0.0,
        least,
        3 * least,
        tiny - least,
        tiny,
        0.1,
        0.5,
        1 - float(info.epsneg),
        1.0,
        1 + float(info.eps),
        1.5,
        2.0,
        3.0,
        1 / float(info.eps),
        float(info.max) / 2,
        float(info.max),
        np.inf,
    ]
    return np.array(positive + [-x for x in positive] + [np.nan], kind)


def random_values(rng, dtype, count, domain=None):
    """Half over all bit patterns (or the domain), half of common size."""
    kind = storage(dtype)
    if kind.kind in "iu":
        info = np.iinfo(kind)
        return rng.integers(info.min, info.max, count, kind, endpoint=True)
    wide = (
        rng.uniform(*domain, count).astype(kind)
        if domain
        else rng.integers(0, 256, count * kind.itemsize, np.uint8).view(kind)
    )
    return np.where(np.arange(count) % 2 == 0, wide, rng.normal(0, 4, count).astype(kind))


@dataclasses.dataclass
class Case:
    """One run of an op over `count` elements; sources are [] or arrays of shape (count,)."""

    op: str
    dtype: str
    source: str
    count: int
    seed: int
    sources: list
    scalar: object
    old_dst: np.ndarray
    expected: np.ndarray

    def __str__(self):
        scalar = "" if self.scalar is None else f", scalar={self.scalar!r}"
        types = f"{self.source} -> {self.dtype}"
        return f"{self.op}: {types}, {self.count} elements{scalar}, ASC_TEST_SEED={self.seed}"


def default_seed():
    return int(os.environ.get("ASC_TEST_SEED", "20240917"))


def cases(op, dtype, source=None, extra=500, seed=None):
    """Yields the cases of an op: all combinations of special values, then `extra` random elements."""
    reference, source = OPS[op], source or dtype
    seed = default_seed() if seed is None else seed
    rng = np.random.default_rng(seed)
    tensors = [name for name in reference.operands if name in ("a", "b")]
    special = special_values(source)
    grid = [axis.ravel() for axis in np.meshgrid(*[special] * len(tensors))] if tensors else []
    scalars = [None]
    if "scalar" in reference.operands:
        make = reference.scalars
        scalars = (
            [storage(source).type(x) for x in make(source)] if make else list(special[::3]) + [special[-1]]
        )
    for scalar in scalars:
        sources = [
            np.concatenate([axis, random_values(rng, source, extra, reference.domain)]) for axis in grid
        ]
        count = sources[0].size if sources else special.size + extra
        old = np.concatenate(
            [np.resize(special_values(dtype), special.size), random_values(rng, dtype, extra)]
        )
        old = np.resize(rng.permutation(old), count)
        with np.errstate(all="ignore"):
            expected = expect(op, sources, scalar, old)
        yield Case(op, dtype, source, count, seed, sources, scalar, old, expected)


def expect(op, sources, scalar, old_dst):
    """The result of an op for given operands, in the dtype of old_dst."""
    operands = dict(zip("ab", sources), scalar=scalar, dst=old_dst)
    with np.errstate(all="ignore"):
        result = OPS[op].function(*[operands[name] for name in OPS[op].operands])
    return np.asarray(result, old_dst.dtype)


# ---- comparison ----


def ulp_distance(actual, expected):
    """Steps between two arrays of one float type; +0 and -0 are one step apart, NaN and NaN none."""
    signed = {2: np.int16, 4: np.int32, 8: np.int64}[expected.dtype.itemsize]
    least = np.iinfo(signed).min
    a, b = (x.view(signed).astype(np.int64) for x in (actual, expected))
    a, b = (np.where(x < 0, least - x - 1, x) for x in (a, b))
    both, one = np.isnan(actual) & np.isnan(expected), np.isnan(actual) ^ np.isnan(expected)
    return np.where(both, 0, np.where(one, np.iinfo(np.int64).max, np.abs(a - b)))


def check(case, actual):
    """Raises AssertionError with the seed, the first bad element and its operands."""
    assert actual.dtype == case.expected.dtype, f"{case}: result is {actual.dtype}"
    assert actual.shape == case.expected.shape, f"{case}: shape {actual.shape}"
    if _is_float(actual):
        bad = np.flatnonzero(ulp_distance(actual, case.expected) > OPS[case.op].ulp)
    else:
        bad = np.flatnonzero(actual != case.expected)
    if bad.size:
        i = bad[0]
        operands = ", ".join(repr(x[i]) for x in [*case.sources, case.old_dst])
        raise AssertionError(
            f"{case}: {bad.size} elements differ, first at {i}: operands and old dst {operands}: "
            f"got {actual[i]!r}, expected {case.expected[i]!r}"
        )


# ---- cube ----


def mmad(a, b, c=None):
    """float32 product of half matrices, added in ascending k, one rounding an addition; c: start value."""
    total = np.zeros((a.shape[0], b.shape[1]), np.float32) if c is None else c.astype(np.float32)
    with np.errstate(all="ignore"):
        for k in range(a.shape[1]):
            total = total + a[:, k : k + 1].astype(np.float32) * b[k : k + 1].astype(np.float32)
    return total


def to_fractals(matrix, layout):
    """Matrix -> flat array of fractals, zero padded; layout "zz" (L0A), "zn" (L0B) or "nz" (L0C, 16 x 16)."""
    rows, cols = matrix.shape
    c0 = 16 if layout == "nz" else 32 // matrix.itemsize
    height, width = (c0, 16) if layout == "zn" else (16, c0)
    padded = np.zeros((-(-rows // height) * height, -(-cols // width) * width), matrix.dtype)
    padded[:rows, :cols] = matrix
    blocks = padded.reshape(padded.shape[0] // height, height, padded.shape[1] // width, width)
    order = {"zz": (0, 2, 1, 3), "zn": (0, 2, 3, 1), "nz": (2, 0, 1, 3)}[layout]
    return blocks.transpose(order).reshape(-1)
