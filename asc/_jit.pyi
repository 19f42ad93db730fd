# SPDX-License-Identifier: Apache-2.0
from collections.abc import Callable
from typing import Annotated, Any, ParamSpec, TypeAlias, overload

from typing_extensions import TypeVar, Unpack

from asc._asc import JITFunction, _JitOptions
from asc.lib.runtime import Stream
from asc.runtime.config import KernelType

_T = TypeVar("_T", default=Any)
_Params = ParamSpec("_Params")
_Result = TypeVar("_Result")

# A type checker sees the value's own type.
ConstExpr: TypeAlias = Annotated[_T, "known at compile time"]

@overload
def jit(
    fn: Callable[_Params, _Result], /, **options: Unpack[_JitOptions]
) -> JITFunction[_Params, _Result]: ...
@overload
def jit(
    **options: Unpack[_JitOptions],
) -> Callable[[Callable[_Params, _Result]], JITFunction[_Params, _Result]]: ...

class _Options:
    def __eq__(self, other: object) -> bool: ...

class CodegenOptions(_Options):
    """Options of the lowering, kept for files written for the reference."""

    capture_exceptions: bool
    ir_multithreading: bool
    def __init__(self, capture_exceptions: bool = True, ir_multithreading: bool = True) -> None: ...

class CompileOptions(_Options):
    """Options of the compilation; as keywords of `@asc.jit(...)` or of a call."""

    debug: bool
    strip_loc: bool
    verify_sync: bool
    print_ir_before_all: bool
    run_passes: bool
    kernel_type: KernelType | None
    opt_level: int
    auto_sync: bool
    auto_sync_log: str
    bisheng_options: Any
    always_compile: bool
    matmul_cube_only: bool
    insert_sync: bool | None
    def __init__(
        self,
        debug: bool = False,
        strip_loc: bool = False,
        verify_sync: bool = False,
        print_ir_before_all: bool = False,
        run_passes: bool = True,
        kernel_type: KernelType | None = None,
        opt_level: int = 3,
        auto_sync: bool = True,
        auto_sync_log: str = "",
        bisheng_options: Any = None,
        always_compile: bool = False,
        matmul_cube_only: bool = False,
        insert_sync: bool | None = None,
    ) -> None: ...

class LaunchOptions(_Options):
    """Core count and stream of a launch."""

    core_num: int
    stream: Stream | None
    def __init__(self, core_num: int = 0, stream: Stream | None = None) -> None: ...
