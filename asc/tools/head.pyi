# SPDX-License-Identifier: Apache-2.0
# What the core's tables do not say: `python -m asc.tools.gen` puts this file at the head of asc/_asc.pyi.

import builtins
import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import (
    Any,
    Concatenate,
    Final,
    Generic,
    Literal,
    ParamSpec,
    Protocol,
    SupportsFloat,
    SupportsIndex,
    TypeAlias,
    TypedDict,
    overload,
)

from typing_extensions import Self, TypeVar, Unpack

from asc.errors import Finding
from asc.lib.runtime import Stream
from asc.runtime.compiled import CompiledKernel, LaunchRecord
from asc.runtime.config import KernelType, Platform

__version__: str

_T = TypeVar("_T", default=Any)
_U = TypeVar("_U", default=Any)
_Receiver = TypeVar("_Receiver")
_Result = TypeVar("_Result")
_Params = ParamSpec("_Params")
_Rest = ParamSpec("_Rest")
# What a scalar parameter takes: Python's numbers and numpy's, at compile time or at run time.
_Int: TypeAlias = SupportsIndex
_Number: TypeAlias = SupportsFloat | SupportsIndex
_Cores: TypeAlias = SupportsIndex | Callable[[dict[str, Any]], SupportsIndex]

# ---- kernels

class _CallOptions(TypedDict, total=False):
    """Options of @asc.jit that a call may override by keyword."""

    always_compile: bool
    auto_sync: bool
    auto_sync_log: str
    bisheng_options: Sequence[str] | None
    capture_exceptions: bool
    debug: bool
    insert_sync: bool | None
    ir_multithreading: bool
    kernel_type: KernelType | str | None
    matmul_cube_only: bool
    opt_level: int
    print_ir_before_all: bool
    run_passes: bool
    strip_loc: bool
    verify_sync: bool

class _JitOptions(_CallOptions, total=False):
    """Options of @asc.jit(...) and kernel.options(...)."""

    core_num: int
    ignore: str | Sequence[str]
    max_findings: int
    mode: Literal["check", "fast"]
    on_finding: Literal["raise", "warn", "collect"]
    platform: Platform | str | None
    stream: Stream | None
    threads: int
    timeout: float

class LaunchHandle:
    """A kernel with its core count and stream; immutable, call it to launch."""

    def __call__(self, *args: Any, **kwargs: Any) -> None: ...
    def compile(self, *args: Any, **kwargs: Any) -> CompiledKernel:
        """Compiles for these arguments (arrays, or MockTensor and MockValue) without launching."""

class JITFunction(Generic[_Params, _Result]):
    """A kernel, or a helper of kernels: made by @asc.jit, launched by kernel[cores, stream](*args)."""

    __name__: str
    __qualname__: str
    __wrapped__: Final[Callable[..., Any]]
    fn: Final[Callable[..., Any]]
    src: Final[str]
    default_options: Final[dict[str, Any]]
    def __init__(self, fn: Callable[_Params, _Result], /, **options: Unpack[_JitOptions]) -> None: ...
    def __getitem__(self, launch: _Cores | tuple[_Cores] | tuple[_Cores, Stream | None], /) -> LaunchHandle:
        """kernel[cores] or kernel[cores, stream]; cores may be a function of the dict of bound arguments."""

    def __call__(self, *args: _Params.args, **kwargs: _Params.kwargs) -> _Result:
        """Inside a kernel: calls this function as a helper."""

    @overload
    def __get__(self, instance: None, owner: Any = None, /) -> Self: ...
    @overload
    def __get__(
        self: JITFunction[Concatenate[_Receiver, _Rest], _Result], instance: _Receiver, owner: Any = None, /
    ) -> JITFunction[_Rest, _Result]: ...
    def options(self, **options: Unpack[_JitOptions]) -> Self:
        """The same kernel with these options; compiled variants are shared."""

    def cache_info(self) -> dict[str, Any]:
        """What is known of the kernel's compiled variants, in memory and on disk.

        In memory: `specialisations` (arguments, and why each was made), `hits`, `misses`, `last_miss` (what
        differed from the nearest). A miss is a disk hit or compiled: `disk_hits`, `compiled`; `disk_misses`,
        `last_disk_miss` (what differed from the nearest on disk), `not_stored` (why the kernel compiled last
        stays in this process).
        """

    def clear_cache(self) -> None:
        """Forgets the specialisations kept in memory."""

class _LaunchHook(Protocol):
    def __call__(self, record: LaunchRecord, /) -> object: ...

launch_hooks: list[_LaunchHook]

def last_findings() -> list[Finding]:
    """The findings of the last launch on the simulator."""

# ---- how an argument is passed

class raw:
    """Passes an array as it lies in memory, for kernels that take its strides.

    The kernel gets the address of the first element, with the whole storage behind the view as bounds.
    Nothing is copied. TypeError for what is no array.
    """

    array: Final[Any]
    def __init__(self, x: Any) -> None: ...

class pointers:
    """Passes a table of the arrays' addresses, one uint64 each (0 for None).

    The kernel reads one with get_value() and makes an address of it: asc.GlobalAddress(number, dtype). The
    table is read-only. Items are arrays, asc.raw(array) or None, else TypeError.
    """

    def __init__(self, arrays: Iterable[Any]) -> None: ...
    def __getitem__(self, index: SupportsIndex, /) -> Any: ...
    def __iter__(self) -> Iterator[Any]: ...
    def __len__(self) -> int: ...

def cache_info() -> dict[str, dict[str, Any]]:
    """The kernel cache: `process` counts what this process did, `disk` is the folder that all share.

    `process`: `hits` in memory, `disk_hits`, `compiled`, `stored`, `not_stored` (kernels that stay in this
    process), `failed` writes and the `last_error`. `disk`: `folder`, `files`, `bytes`, `max_bytes`, and over
    all processes `hits`, `misses`, `stored`, `evicted` and `damaged` files, or None while no index is there.
    """

# ---- what asc's own Python files use

def cache_build() -> str: ...
def cache_clear(folder: str = ..., /) -> int: ...
def cache_drain() -> bool: ...
def cache_files(folder: str = ..., /) -> list[tuple[str, str, str, int, int, bool]]: ...
def cache_remove(key: str, folder: str = ..., /) -> None: ...
def cache_sweep(folder: str = ..., /) -> int: ...
def compiled_diagnostics(handle: object, /) -> list[Finding]: ...
def compiled_save(handle: object, folder: str | bytes | os.PathLike[Any], comments: bool, /) -> str: ...
def compiled_text(handle: object, name: str, /) -> str: ...
def core_counts(platform: str, /) -> tuple[int, int]:
    """A platform's cube and vector cores."""

def get_backend() -> str: ...
def get_platform() -> str: ...
def op_table() -> list[dict[str, Any]]:
    """Every row of the op table as a dict."""

def parse_ir(text: str) -> str:
    """Reads the text form of the IR and prints it again."""

def platforms() -> list[str]: ...
def register_default_stream(stream: object, /) -> None: ...
def register_mock_types(tensor: type, value: type, /) -> None: ...
def set_backend(backend: Literal["auto", "sim", "npu"], platform: Platform | str | None = None) -> None:
    """Chooses where kernels run from now on.

    backend: "auto" (where the tensors are; arrays of the host go to the simulator), "sim" or "npu", whose
    launches raise LaunchError where there is no device. platform: a Platform or its name, for which kernels
    are compiled.

    Raises:
        ValueError: an unknown backend or platform.
    """

def set_platform(name: str, /) -> None: ...
def shutdown_pool() -> None: ...
def note_writes(writes: list[tuple[int, int]] | None, /) -> list[tuple[int, int]] | None: ...
def skip_launches(skip: bool, /) -> bool:
    """While on, launches on this thread bind their arguments and do nothing else. Returns what it was."""

def unsupported(name: str) -> Any:
    """Stands for a name of the API that is not built yet."""

# ---- functions of the language

@overload
def range(stop: _Int, /) -> builtins.range: ...
@overload
def range(start: _Int, stop: _Int, step: _Int = 1, /) -> builtins.range: ...
@overload
def static_range(stop: _Int, /) -> builtins.range: ...
@overload
def static_range(start: _Int, stop: _Int, step: _Int = 1, /) -> builtins.range: ...
def ceildiv(x: _Int, y: _Int, /) -> int:
    """x / y, rounded up."""

@overload
def number(value: _Number, dtype: type[_T]) -> _T: ...
@overload
def number(value: _Number, dtype: DataType = ...) -> Any: ...

class _Property: ...

DEFAULT_C0_SIZE: Final[_Property]
ONE_BLK_SIZE: Final[_Property]
TOTAL_L0C_SIZE: Final[_Property]
TOTAL_L1_SIZE: Final[_Property]

def property(prop: _Property) -> int:
    """A constant of Ascend C for the platform: a compile-time number, printed by its name. Sizes in bytes."""

def ascend_is_aic() -> bool:
    """Is this core a cube core?"""

def ascend_is_aiv() -> bool:
    """Is this core a vector core?"""

def workspace(bytes: _Int, per_block: bool = True) -> GlobalAddress[uint8]:
    """Scratch global memory that the launch allocates, for as long as the kernel runs.

    per_block: every block has `bytes` of its own, which its cores share; False: one area for all blocks. The
    address is aligned to 512 bytes; what is there at first is not defined. Each call in the text is one area,
    also in a loop; each call of a helper has areas of its own. Both arguments must be known at compile time.
    """

def print(*values: object, sep: str | None = " ", end: str | None = "\n") -> None:
    """Prints values from inside a kernel."""

# ---- element types

class DataType(type):
    """An element type, such as asc.float16.

    At run time a plain object. Here it is the class of the classes below, so that a dtype may also stand as
    an annotation (`n: asc.int64`) and as a cast (`asc.int64(n)`).
    """

    name: Final[str]
    bitwidth: Final[int | None]
    def __new__(cls, name: str) -> DataType: ...
    def sizeof(self) -> int:
        """Size of one element in bytes."""

    def is_int(self) -> bool: ...
    def is_float(self) -> bool: ...
    def is_numeric(self) -> bool: ...
    def is_signed(self) -> bool: ...
    def is_unsigned(self) -> bool: ...
    def is_void(self) -> bool: ...
