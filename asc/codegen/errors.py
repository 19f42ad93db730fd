# SPDX-License-Identifier: Apache-2.0
"""The reference's place for compile errors; see asc.errors."""

from asc.errors import CodegenError, CompileError, UnsupportedSyntaxError

__all__ = ["CodegenError", "CompileError", "UnsupportedSyntaxError"]
