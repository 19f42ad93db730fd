# SPDX-License-Identifier: Apache-2.0
"""The fuzzer's oracle: runs an annotated kernel in Python over arrays, with a stand-in for the `asc`
namespace."""

import numpy as np
from language_types import Finding, OutOfFuel, Unclear, fits
from values import Scalar, binary, cast, convert

FUEL = 20_000
LOCAL_BYTES = 192 * 1024


class Pointer:
    def __init__(self, array, offset=0):
        self.array, self.offset = array, offset
        self.dtype = array.dtype.name

    def __add__(self, n):
        return Pointer(self.array, self.offset + number(n))

    __radd__ = __add__

    def __sub__(self, n):
        return Pointer(self.array, self.offset - number(n))


def number(value):
    return value.__index__() if isinstance(value, Scalar) else int(value)


class Tensor:
    """A window of an array: global, or local over the bytes of one core's memory."""

    def __init__(self, array=None, offset=0, size=0, local=None):
        """`local`: of a local tensor, which bytes of its memory have been written."""
        self.array, self.offset, self.size, self.local = array, offset, size, local

    @property
    def dtype(self):
        return self.array.dtype.name

    def set_global_buffer(self, pointer, size=0):
        self.array, self.offset, self.size = pointer.array, pointer.offset, number(size)

    def _index(self, i):
        i = number(i)
        if i < 0:
            raise Finding("scalar", "a negative index")
        at = self.offset + i
        if not 0 <= at < len(self.array) or self.local is not None and i >= self.size:
            raise Finding("bounds", f"element {i}")
        return at

    def get_value(self, i):
        at, dtype = self._index(i), self.dtype
        self._read(at, 1)
        value = self.array[at]
        return Scalar(dtype, value if dtype.startswith("f") else value.item())

    def set_value(self, i, value):
        at = self._index(i)
        self.array[at] = convert(value, self.dtype).value
        self._wrote(at, 1)

    def _bytes(self, first, count):
        size = self.array.itemsize
        return slice(first * size, (first + count) * size)

    def _read(self, first, count):
        if self.local is not None and not self.local[self._bytes(first, count)].all():
            raise Unclear("memory that nobody wrote")

    def _wrote(self, first, count):
        if self.local is not None:
            self.local[self._bytes(first, count)] = True

    def __getitem__(self, key):
        start = number(key.start or 0) if isinstance(key, slice) else number(key)
        stop = None if not isinstance(key, slice) or key.stop is None else number(key.stop)
        if start < 0 or stop is not None and stop < start:
            raise Finding("scalar", "a negative offset or length")
        size = stop - start if stop is not None else max(self.size - start, 0)
        if self.local is not None and start + size > self.size:
            raise Finding("bounds", "a view beyond its tensor")
        return Tensor(self.array, self.offset + start, size, self.local)

    def _inside(self, count):
        end = self.offset + count
        if not 0 <= self.offset or end > len(self.array) or self.local is not None and count > self.size:
            raise Finding("bounds", f"{count} elements")
        return slice(self.offset, end)

    def read(self, count):
        """The first elements as a NumPy array of its own."""
        inside = self._inside(count)
        self._read(self.offset, count)
        return self.array[inside].copy()

    def write(self, count, values):
        self.array[self._inside(count)] = values
        self._wrote(self.offset, count)


def maximum(a, b):
    """The larger one; +0 is above -0, which NumPy leaves open."""
    return np.where((a == 0) & (b == 0), a + b, np.maximum(a, b))


def minimum(a, b):
    return np.where((a == 0) & (b == 0), -(-a + -b), np.minimum(a, b))


def _scalar(value, dtype):
    return convert(value, dtype).value


_BINARY = {
    "add": np.add,
    "sub": np.subtract,
    "mul": np.multiply,
    "max": maximum,
    "min": minimum,
    "bitwise_and": np.bitwise_and,
    "bitwise_or": np.bitwise_or,
}
_WITH_SCALAR = {
    "adds": np.add,
    "muls": np.multiply,
    "maxs": maximum,
    "mins": minimum,
    "shift_left": np.left_shift,
    "shift_right": np.right_shift,
}


class Machine:
    """The `asc` that an annotated kernel sees on one core."""

    def __init__(self, block, blocks):
        self._block, self._blocks = block, blocks
        self._memory = np.zeros(LOCAL_BYTES, np.uint8)
        self._written = np.zeros(LOCAL_BYTES, bool)

    class _Names:
        def __getattr__(self, name):
            return self

    TPosition = HardEvent = PipeID = _Names()

    def get_block_idx(self):
        return Scalar("int64", self._block)

    def get_block_num(self):
        return Scalar("int64", self._blocks)

    @staticmethod
    def GlobalTensor():
        return Tensor()

    def LocalTensor(self, dtype, position, address, count):
        return Tensor(
            self._memory.view(dtype),
            number(address) // np.dtype(dtype).itemsize,
            number(count),
            self._written,
        )

    @staticmethod
    def ceildiv(a, b):
        quotient = a // b  # a division by zero is found here
        if isinstance(quotient, int):
            return -(-a // b)
        dtype = quotient.dtype
        a, b = convert(a, dtype).value, convert(b, dtype).value
        return convert(Scalar("int64", -(-a // b)), dtype)

    @staticmethod
    def static_range(*bounds):
        return range(*(number(b) for b in bounds))

    @staticmethod
    def data_copy(dst, src, count):
        count = number(count)
        dst.write(count, src.read(count))

    @staticmethod
    def duplicate(dst, value, count):
        dst.write(number(count), _scalar(value, dst.dtype))

    @staticmethod
    def relu(dst, src, count):
        count = number(count)
        dst.write(count, maximum(src.read(count), np.zeros(1, dst.dtype)))

    @staticmethod
    def abs(dst, src, count):
        count = number(count)
        dst.write(count, np.abs(src.read(count)))

    @staticmethod
    def bitwise_not(dst, src, count):
        count = number(count)
        dst.write(count, ~src.read(count))

    def set_flag(self, *_):
        pass

    wait_flag = pipe_barrier = set_flag


def _vector(name, operation):
    def run(dst, a, b, count):
        count = number(count)
        right = b.read(count) if isinstance(b, Tensor) else np.full(count, _scalar(b, dst.dtype), dst.dtype)
        dst.write(count, operation(a.read(count), right))

    run.__name__ = name
    return staticmethod(run)


for _name, _operation in (_BINARY | _WITH_SCALAR).items():
    setattr(Machine, _name, _vector(_name, _operation))


# ---- what annotated code calls ----


def convert_to(value, spec):
    """`_c`: the value as a number of a type, where one is asked for; sequences item by item."""
    if spec is None:
        return value
    if isinstance(spec, tuple):
        return type(value)(convert_to(item, part) for item, part in zip(value, spec))
    return convert(value, spec)


def checked(value, dtype):
    """`_a`: an assignment; the annotator's type must be the one that Python's own evaluation gives."""
    if not isinstance(value, Scalar) or value.dtype != dtype:
        raise AssertionError(f"the annotator says {dtype}, the value is {value!r}")
    value.used()
    return value


def used(value):
    if isinstance(value, Scalar):
        value.used()
    return value


class Struct:
    def __init__(self, dtypes, defaults, **fields):
        for name, dtype in dtypes.items():
            setattr(self, name, fields[name] if name in fields else convert(defaults[name], dtype))

    def create_local(self):
        made = Struct({}, {})
        vars(made).update(vars(self))
        return made


def hold(condition):
    if not condition:
        raise Finding("assert", "an assert does not hold")


def second(_, value):
    return value


def negated(value):
    return Scalar("bool", not value)


def _fold(op):
    def fold(*values):
        values = list(values[0]) if len(values) == 1 else values
        best = values[0]
        for value in values[1:]:
            if isinstance(best, Scalar) or isinstance(value, Scalar):
                best = binary(op, best, value)
            else:
                best = min(best, value) if op == "min" else max(best, value)
        return best

    return fold


def to_int(value):
    if not isinstance(value, Scalar):
        return int(value)
    return cast(value, "int32") if value.dtype in ("bool", "float16", "float32") else value


def to_float(value):
    return cast(value, "float32") if isinstance(value, Scalar) else float(value)


def to_bool(value):
    return cast(value, "bool") if isinstance(value, Scalar) else bool(value)


def to_abs(value):
    return abs(value)


def total(values, *start):
    values = [*start, *values]
    result = values[0] if values else 0
    for value in values[1:]:
        result = result + value
    return result


class Counter:
    """Turns of loops; too many make a program useless here."""

    def __init__(self):
        self.left = FUEL

    def turn(self):
        self.left -= 1
        if self.left < 0:
            raise OutOfFuel

    def downwards(self, dtype, *bounds):
        start, stop = (0, number(bounds[0])) if len(bounds) == 1 else map(number, bounds)
        return self.range(dtype, stop - 1, start - 1, -1)

    def range(self, dtype, *bounds):
        values = [number(b) for b in bounds]
        start, stop, step = (0, values[0], 1) if len(values) == 1 else (*values, 1)[:3]
        if step == 0:
            raise Finding("scalar", "a step of zero")
        turns = range(start, stop, step)
        if len(turns) and not fits(dtype, turns[-1] + step):
            raise Finding("scalar", "the counter leaves its type")
        for i in turns:
            self.turn()
            yield Scalar(dtype, i)


def any_of(values):
    return Scalar("bool", any(values))


def all_of(values):
    return Scalar("bool", all(values))


def divide(a, b):
    return a // b, a % b


def scope(machine, counter):
    return {
        "asc": machine,
        "_c": convert_to,
        "_a": checked,
        "_u": used,
        "_not": negated,
        "_assert": hold,
        "_second": second,
        "_struct": Struct,
        "_cast": cast,
        "range": counter.range,
        "min": _fold("min"),
        "max": _fold("max"),
        "int": to_int,
        "float": to_float,
        "bool": to_bool,
        "abs": to_abs,
        "sum": total,
        "any": any_of,
        "all": all_of,
        "divmod": divide,
        "pow": lambda a, b: a**b,
        "_turn": counter.turn,
        "_downwards": counter.downwards,
    }


def run(module, name, constants, arguments, blocks):
    """Runs an annotated kernel. `arguments`: {name: array or number}; arrays are changed."""
    code = compile(module, "<annotated>", "exec")
    counter = Counter()
    for block in range(blocks):
        names = scope(Machine(block, blocks), counter) | constants
        exec(code, names)
        names[name](**{k: Pointer(v) if isinstance(v, np.ndarray) else v for k, v in arguments.items()})
