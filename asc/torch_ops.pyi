# SPDX-License-Identifier: Apache-2.0
# Types of asc/torch_ops.py. torch's own are left out, so that checkers need no torch.

from collections.abc import Callable, Iterable, Sequence
from contextlib import AbstractContextManager
from typing import Any, ParamSpec, Protocol, TypeVar, overload

_Params = ParamSpec("_Params")
_Result = TypeVar("_Result", covariant=True)
_Fn = TypeVar("_Fn", bound=Callable[..., Any])

class TorchOp(Protocol[_Params, _Result]):
    """An operator: torch.library.CustomOpDef."""

    def __call__(self, *args: _Params.args, **kwargs: _Params.kwargs) -> _Result: ...
    def register_autograd(
        self, backward: Callable[..., Any], /, *, setup_context: Callable[..., Any] | None = None
    ) -> None:
        """backward(ctx, *grads) gives a gradient an argument; setup_context(ctx, inputs, output) saves."""

    def register_fake(self, fn: _Fn, /) -> _Fn:
        """What the operator returns for tensors without memory, in place of the function itself."""

    def register_kernel(
        self, device_types: str | Sequence[str] | None, fn: Callable[..., Any] | None = None, /
    ) -> Any:
        """Another implementation for tensors of a device."""

    def register_vmap(self, func: Callable[..., Any] | None = None) -> Any:
        """func(info, in_dims, *args) gives outputs and out_dims for torch.func.vmap."""

    def set_kernel_enabled(self, device_type: str, enabled: bool = True) -> AbstractContextManager[None]: ...

@overload
def torch_op(
    name: str,
    fn: None = None,
    /,
    *,
    mutates_args: str | Iterable[str],
    device_types: str | Sequence[str] | None = ...,
    schema: str | None = ...,
    tags: Any = ...,
) -> Callable[[Callable[_Params, _Result]], TorchOp[_Params, _Result]]:
    """Makes an operator of torch of a function that allocates its outputs and launches kernels.

    name: "namespace::operator". mutates_args: names of the parameters whose tensors the function writes.
    Others are those of torch.library.custom_op.

    Raises:
        ImportError: no torch, or one without torch.library.custom_op.
        TypeError: not a function, or a kernel.
        ValueError: a name that is none or that another function has; a signature that is no schema.
    """

@overload
def torch_op(
    name: str,
    fn: Callable[_Params, _Result],
    /,
    *,
    mutates_args: str | Iterable[str],
    device_types: str | Sequence[str] | None = ...,
    schema: str | None = ...,
    tags: Any = ...,
) -> TorchOp[_Params, _Result]: ...
