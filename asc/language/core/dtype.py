# SPDX-License-Identifier: Apache-2.0
"""Data types under the reference's import path."""

from asc import _asc
from asc._asc import DataType

_NAMES = """
    void int1 int8 int16 int32 int64 uint8 uint16 uint32 uint64 float16 bfloat16 float32 float64 bit bool_
    int_ half float_ double
    """.split()


class KnownTypes:
    """Every data type as an attribute."""


for _name in _NAMES:
    globals()[_name] = getattr(_asc, _name)
    setattr(KnownTypes, _name, getattr(_asc, _name))

__all__ = ["DataType", "KnownTypes", *_NAMES]
