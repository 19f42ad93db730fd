# SPDX-License-Identifier: Apache-2.0
"""Kernels as operators of torch: `asc.torch_op`, over torch.library.custom_op.

The operator's fake implementation is the function itself: run on tensors without memory, with its launches
left out (`_asc.skip_launches`), it allocates the outputs that the real run allocates. torch is imported when
the decorator is used, not before.
"""

from asc import _asc

_owners: dict = {}  # qualified name -> (module, qualified name, place) of the function that has it


def _place(fn):
    code = fn.__code__
    return f"{fn.__qualname__} ({code.co_filename}:{code.co_firstlineno})"


def _custom_op(what):
    """torch.library.custom_op, or one error for its absence."""
    try:
        import torch
    except ImportError as e:
        raise ImportError(f"{what} needs torch, which cannot be imported: {e}") from e
    try:
        return torch, torch.library.custom_op
    except AttributeError:
        raise ImportError(
            f"{what} needs torch 2.4 or newer, for torch.library.custom_op; this is torch {torch.__version__}"
        ) from None


def _check_name(what, name):
    if not isinstance(name, str):
        raise TypeError(f"{what}: the name is a str, such as 'my::gelu', not {type(name).__name__}")
    parts = name.split("::")
    if len(parts) != 2 or not all(part.isidentifier() for part in parts):
        raise ValueError(f"{what}: a name is 'namespace::operator', such as 'my::gelu'")
    return parts


def _check_function(what, fn):
    if isinstance(fn, _asc.JITFunction):
        raise TypeError(
            f"{what}: {fn.__name__} is a kernel; decorate an ordinary function that allocates the outputs "
            "and launches the kernel"
        )
    if not hasattr(fn, "__code__"):
        raise TypeError(f"{what} decorates a function, not {type(fn).__name__}")


def _check_free(what, torch, name, fn):
    """A name has one function. The same one again, as when a notebook's cell is run twice, replaces it."""
    owner = _owners.get(name)
    namespace, operator = name.split("::")
    if owner is None:
        if hasattr(getattr(torch.ops, namespace), operator):
            raise ValueError(f"{what} of {_place(fn)}: torch has an operator of this name")
    elif owner[:2] != (fn.__module__, fn.__qualname__):
        raise ValueError(f"{what} of {_place(fn)}: the name is that of {owner[2]}")


def _fake(name, fn):
    """What the function makes of tensors without memory."""

    def fake(*args, **kwargs):
        before = _asc.skip_launches(True)
        try:
            return fn(*args, **kwargs)
        except Exception as e:
            if hasattr(e, "add_note"):  # Python 3.11; torch looks at the class of the error, which stays
                e.add_note(
                    f"{_place(fn)} was run on tensors without memory, to see which outputs {name} has; if it "
                    "needs their values, say what it returns with @register_fake"
                )
            raise
        finally:
            _asc.skip_launches(before)

    return fake


def _extents(torch, value):
    """The memory of an argument's tensors, from the first byte to behind the last."""
    for t in value if isinstance(value, (list, tuple)) else (value,):
        if isinstance(t, torch.Tensor) and t.numel() > 0:
            last = sum((size - 1) * stride for size, stride in zip(t.shape, t.stride(), strict=True))
            yield t.data_ptr(), t.data_ptr() + (last + 1) * t.element_size()


def _checked(what, torch, fn, mutates_args):
    """The function, with an error for a tensor that its launches write and that is not named as such."""
    from inspect import signature

    names = tuple(signature(fn).parameters)  # those of what a decorator wraps, as torch sees them

    def run(*args, **kwargs):
        writes = []
        outer = _asc.note_writes(writes)
        try:
            result = fn(*args, **kwargs)
        finally:
            _asc.note_writes(outer)
            if outer is not None:
                outer += writes
        given = (*zip(names, args, strict=False), *kwargs.items()) if writes else ()
        memory = [(p, extent) for p, value in given for extent in _extents(torch, value)]
        for begin, end in writes:
            written = [p for p, extent in memory if extent[0] < end and begin < extent[1]]
            if written and not any(p in mutates_args for p in written):
                raise RuntimeError(
                    f"{what} of {_place(fn)}: '{written[0]}' may be written, and mutates_args does not name "
                    "it; under torch.compile what is written would be lost. "
                    f"Write mutates_args={(*mutates_args, written[0])}"
                )
        return result

    return run


def torch_op(name, fn=None, /, *, mutates_args, **options):
    """Makes an operator of torch of a function that allocates its outputs and launches kernels.

        @asc.torch_op("my::double", mutates_args=())
        def double(x: torch.Tensor) -> torch.Tensor:
            y = torch.empty_like(x)
            double_kernel[8](x, y, x.numel())
            return y

    It is called as `double(x)` or `torch.ops.my.double(x)` and goes through torch.compile in one piece. What
    the function returns for tensors without memory is found by running it with its launches left out.

    Args:
        name: "namespace::operator".
        mutates_args: names of the parameters whose tensors the function writes. A call in which a launch may
            write the memory of another raises RuntimeError.
        options: those of torch.library.custom_op (`device_types`, `schema`, `tags`).

    Returns:
        What torch.library.custom_op returns, with `register_autograd`, `register_vmap`, `register_kernel` and
        `register_fake`, which replaces the fake implementation made here.

    Raises:
        ImportError: no torch, or one without torch.library.custom_op.
        TypeError: not a function, or a kernel.
        ValueError: a name that is none or that another function has; a signature that is no schema.
    """
    what = f"asc.torch_op({name!r})"
    _check_name(what, name)
    if fn is None:
        return lambda function: torch_op(name, function, mutates_args=mutates_args, **options)
    _check_function(what, fn)
    torch, custom_op = _custom_op(what)
    _check_free(what, torch, name, fn)
    if not isinstance(mutates_args, str):
        try:
            mutates_args = tuple(mutates_args)
        except TypeError:
            raise TypeError(f"{what}: mutates_args takes names of parameters, not {mutates_args!r}") from None
    try:
        op = custom_op(name, fn, mutates_args=mutates_args, **options)
    except (ValueError, RuntimeError, NotImplementedError) as e:
        raise ValueError(f"{what} of {_place(fn)}: {e}") from None
    if mutates_args != "unknown":
        run = _checked(what, torch, fn, mutates_args)
        op.register_kernel(options.get("device_types"))(run)
    if not (getattr(op, "_is_inplace", False) or getattr(op, "_is_out", False)):  # torch makes theirs
        op.register_fake(_fake(name, fn))
    _owners[name] = (fn.__module__, fn.__qualname__, _place(fn))
    return op
