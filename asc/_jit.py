# SPDX-License-Identifier: Apache-2.0
"""The decorator, compile-time annotations and option groups."""

from asc._asc import JITFunction


class _ConstExprAlias:
    """What `asc.ConstExpr[int]` is: an annotation for a compile-time parameter."""

    __asc_constexpr__ = True
    __slots__ = ("item",)

    def __init__(self, item):
        self.item = item

    def __repr__(self):
        return f"asc.ConstExpr[{getattr(self.item, '__name__', self.item)!s}]"

    def __call__(self, *args, **kwargs):  # typing constructs such as Optional[...] ask for a callable
        raise TypeError(f"{self!r} is an annotation")

    def __or__(self, other):  # `asc.ConstExpr[int] | None` is as much compile-time
        return self

    __ror__ = __or__


class ConstExpr:
    """Marks a parameter as compile-time: `n: asc.ConstExpr[int]`. Each value makes a specialisation of its
    own."""

    __asc_constexpr__ = True
    __slots__ = ("value",)

    def __init__(self, value):
        self.value = value

    def __class_getitem__(cls, item):
        return _ConstExprAlias(item)

    @staticmethod
    def unwrap(obj):
        """The value inside a ConstExpr; any other object as it is."""
        return obj.value if isinstance(obj, ConstExpr) else obj


def jit(fn=None, **options):
    """Makes a kernel, or a helper of kernels, of a Python function.

    Use it bare or with options: `kernel_type`, `auto_sync`, `always_compile`, ... (the reference's names,
    which a call may override by keyword), and those of the simulator (`mode`, `on_finding`, ...).

    Raises:
        asc.CompileError: the function's source text cannot be found or is not a plain `def`.
        TypeError: an unknown option.
        RuntimeError: a parameter has the name of an option.
    """
    if fn is None:
        return lambda function: JITFunction(function, **options)
    return JITFunction(fn, **options)


def _with_options(kernel, options, receiver=None):
    """What a kernel made by `kernel.options(...)` is pickled as; `receiver`: it is a method of it."""
    made = kernel.options(**options)
    return made if receiver is None else made.__get__(receiver)


class _Options:
    """A group of options by name; unknown names are errors."""

    _defaults: dict = {}

    def __init__(self, *args, **kwargs):
        values = dict(self._defaults)
        names = list(values)
        if len(args) > len(names):
            raise TypeError(f"{type(self).__name__} takes at most {len(names)} arguments, got {len(args)}")
        given = dict(zip(names, args, strict=False))
        for name, value in kwargs.items():
            if name not in values or name in given:
                raise TypeError(f"{type(self).__name__} got an unexpected or repeated argument '{name}'")
            given[name] = value
        values.update(given)
        self.__dict__.update(values)

    def __repr__(self):
        return f"{type(self).__name__}({', '.join(f'{k}={v!r}' for k, v in vars(self).items())})"

    def __eq__(self, other):
        return type(self) is type(other) and vars(self) == vars(other)

    __hash__ = None


class CodegenOptions(_Options):
    """Options of the lowering, kept for files written for the reference."""

    _defaults = {"capture_exceptions": True, "ir_multithreading": True}


class CompileOptions(_Options):
    """Options of the compilation; as keywords of `@asc.jit(...)` or of a call."""

    _defaults = {
        "debug": False,
        "strip_loc": False,
        "verify_sync": False,
        "print_ir_before_all": False,
        "run_passes": True,
        "kernel_type": None,
        "opt_level": 3,
        "auto_sync": True,
        "auto_sync_log": "",
        "bisheng_options": None,
        "always_compile": False,
        "matmul_cube_only": False,
        "insert_sync": None,
    }


class LaunchOptions(_Options):
    """Core count and stream of a launch."""

    _defaults = {"core_num": 0, "stream": None}
