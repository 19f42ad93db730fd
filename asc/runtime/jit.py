# SPDX-License-Identifier: Apache-2.0
"""Kernels and stand-ins for arguments."""

from asc import _asc
from asc._asc import JITFunction
from asc._jit import jit

__all__ = ["JITFunction", "MockTensor", "MockValue", "jit"]


class MockTensor:
    """Stands for an array of a dtype when compiling; it has no memory."""

    def __init__(self, dtype) -> None:
        self.dtype = dtype


class MockValue:
    """Stands for a scalar of a dtype when compiling. `nonnegative=True` compiles for values >= 0."""

    def __init__(self, dtype, nonnegative: bool | None = None) -> None:
        self.dtype = dtype
        self.nonnegative = nonnegative


_asc.register_mock_types(MockTensor, MockValue)
