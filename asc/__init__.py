# SPDX-License-Identifier: Apache-2.0
"""Python kernels for Ascend NPUs that run on any machine.

Decorate a function with `@asc.jit`, write calls that map one to one onto Ascend C, and launch it with
`kernel[cores, stream](...)` on torch or numpy arrays. Without an NPU the embedded device simulator runs it
and finds what hardware would punish in silence.
"""

from os.path import isdir as _isdir

try:
    from asc import _asc
except ImportError as e:
    from asc._broken import explain

    raise ImportError(explain(e)) from e
from asc._asc import *  # noqa: F403 - dtypes, enums, ops and kinds, all from the core's tables
from asc._asc import JITFunction, __version__, bool_, int1  # noqa: F401 - not all of them are public below
from asc._jit import CodegenOptions, CompileOptions, ConstExpr, LaunchOptions, jit  # noqa: F401 - by name in __all__

if _isdir(f"{(_folder := __path__[0])}/_C"):  # noqa: F405
    from asc._broken import warn_of_leftovers

    warn_of_leftovers(_folder)

# Names with a meaning of their own in the core, or internal, are not part of `from asc import *`.
_PRIVATE = set(
    """
    BatchOutMode JITFunction LaunchHandle MatmulPolicy bit bool_ cache_build cache_clear cache_drain
    cache_files cache_info cache_remove cache_sweep compiled_diagnostics compiled_save compiled_text
    core_counts get_backend get_platform int1 last_findings launch_hooks note_writes op_table parse_ir
    platforms print register_default_stream register_mock_types set_backend set_platform shutdown_pool
    skip_launches unsupported
    """.split()
)
_ERRORS = frozenset(
    """
    AlignmentError BoundsError CompileError DeadlockError Finding FindingWarning KernelError LaunchError
    PerformanceWarning QueueError RaceError ScalarError SyncError TimeoutError UninitError
    """.split()
)
_STRUCTS = ("Field", "Struct", "StructField")
_MODULES = ("adv", "codegen", "errors", "language", "lib", "runtime")

last_findings = _asc.last_findings
cache_info = _asc.cache_info
__all__ = sorted(
    {name for name in vars(_asc) if not name.startswith("_") and name not in _PRIVATE}
    | {"CodegenOptions", "CompileOptions", "ConstExpr", "LaunchOptions", "jit", "torch_op"}
)


def __getattr__(name: str):
    """What few files use is loaded when first asked for; names of the API that are not built yet say so when
    used."""
    if name in _ERRORS:
        from asc import errors

        return getattr(errors, name)
    if name in _STRUCTS:
        from asc.language.core import struct

        return getattr(struct, name)
    if name == "torch_op":
        from asc.torch_ops import torch_op

        return torch_op
    if name in _MODULES:
        import importlib

        return importlib.import_module(f"asc.{name}")
    from asc._names import NAMES

    qualified = f"asc.{name}"
    if qualified in NAMES:
        return _asc.unsupported(qualified)
    raise AttributeError(f"module 'asc' has no attribute '{name}'")


def __dir__():
    return sorted({*globals(), *__all__, *_ERRORS, *_STRUCTS, *_MODULES})
