# SPDX-License-Identifier: Apache-2.0
"""The language's oracle: the same source run by Python over arrays, compared with the simulator and, in one
batch, with the printed programs compiled on the host.

    CASES = Cases()

    @CASES.add([0] * 8, 5)          # arguments: a list stands for an int32 array
    @asc.jit
    def kernel(out: asc.GlobalAddress, n: int): ...

Kernels here keep within what Python and the device agree on: no overflow, floats that float32 holds exactly.
"""

import types

import host_exec
import numpy as np

import asc


class _Pointer:
    def __init__(self, array, offset=0):
        self.array, self.offset = array, offset
        self.dtype = getattr(asc, array.dtype.name)

    def __add__(self, n):
        return _Pointer(self.array, self.offset + int(n))

    __radd__ = __add__

    def __sub__(self, n):
        return _Pointer(self.array, self.offset - int(n))


class _GlobalTensor:
    def __init__(self):
        self.at = None

    @property
    def dtype(self):
        return self.at.dtype

    def set_global_buffer(self, pointer, size=0):
        self.at, self.size = pointer, size

    def get_size(self):
        return self.size

    def get_value(self, i):
        return self.at.array[self.at.offset + int(i)].item()

    def set_value(self, i, value):
        self.at.array[self.at.offset + int(i)] = value

    def __getitem__(self, key):
        if isinstance(key, slice):
            start = key.start or 0
            view = _GlobalTensor()
            view.at = self.at + start
            view.size = 0 if key.stop is None else key.stop - start
            return view
        return self[key:]


def _cast(value, dtype):
    return np.dtype(dtype.name).type(value).item()


_FAKE = types.SimpleNamespace(
    GlobalTensor=_GlobalTensor,
    get_block_idx=lambda: 0,
    get_block_num=lambda: 1,
    ceildiv=lambda a, b: -(-a // b),
    number=lambda v, dtype=None: v if dtype is None else _cast(v, dtype),
    range=range,
    static_range=range,
    jit=lambda f: f,
    ascend_is_aic=lambda: False,
    ascend_is_aiv=lambda: True,
    ConstExpr=asc.ConstExpr,
    int32=asc.int32,
    int64=asc.int64,
    float32=asc.float32,
    TPosition=asc.TPosition,
)


def plain(function, made=None):
    """The Python function behind a kernel, with helpers and `asc` replaced by what Python can run."""
    made = {} if made is None else made
    fn = getattr(function, "fn", function)
    if fn in made:
        return made[fn]
    scope = dict(fn.__globals__)
    closure = tuple(
        types.CellType(
            plain(c.cell_contents, made) if isinstance(c.cell_contents, asc.JITFunction) else c.cell_contents
        )
        for c in fn.__closure__ or ()
    )
    copy = types.FunctionType(fn.__code__, scope, fn.__name__, fn.__defaults__, closure or None)
    copy.__kwdefaults__ = fn.__kwdefaults__
    made[fn] = copy
    for name, value in list(scope.items()):
        if isinstance(value, asc.JITFunction):
            scope[name] = plain(value, made)
    scope["asc"] = _FAKE
    return copy


def _arrays(args):
    return [
        np.array(a, np.int32) if isinstance(a, list) else a.copy() if isinstance(a, np.ndarray) else a
        for a in args
    ]


def expected(kernel, *args):
    """The arrays as Python leaves them."""
    made = _arrays(args)
    plain(kernel)(*[_Pointer(a) if isinstance(a, np.ndarray) else a for a in made])
    return [a for a in made if isinstance(a, np.ndarray)]


class Cases:
    def __init__(self):
        self.items = []

    def add(self, *args):
        def register(kernel):
            self.items.append((kernel, args))
            return kernel

        return register

    @property
    def names(self):
        return [f"{kernel.__name__}-{i}" for i, (kernel, _) in enumerate(self.items)]

    def check_simulator(self, index):
        kernel, args = self.items[index]
        wanted = expected(kernel, *args)
        made = _arrays(args)
        kernel[1](*made)
        for got, want in zip([a for a in made if isinstance(a, np.ndarray)], wanted):
            np.testing.assert_array_equal(got, want)

    def check_host(self):
        """Every printed program in one shared object; what differs, by name."""
        texts, passed = [], []
        for kernel, args in self.items:
            made = _arrays(args)
            texts.append(kernel[1].compile(*made).text["ascendc"])
            names = kernel.fn.__code__.co_varnames[: kernel.fn.__code__.co_argcount]
            values = dict(zip(names, made))
            printed = [p.name for p in host_exec.parse_signature(texts[-1])[1]]
            passed.append(
                [values[name.rstrip("_")] if name not in values else values[name] for name in printed]
            )
        wrong = []
        for (kernel, args), compiled, given in zip(self.items, host_exec.compile_batch(texts), passed):
            result = compiled.run("AIV_ONLY", 1, given)
            for got, want in zip(result.arrays, expected(kernel, *args)):
                if not np.array_equal(got, want):
                    wrong.append(f"{kernel.__name__}{args[1:]}: {got.tolist()}, Python {want.tolist()}")
        assert not wrong, "\n".join(wrong)
