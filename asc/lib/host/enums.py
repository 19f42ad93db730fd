# SPDX-License-Identifier: Apache-2.0
"""Enums of the host side, under the reference's names and values."""

from enum import IntEnum


class CubeFormat(IntEnum):
    """How a matrix lies in memory, for tilings."""

    ND = 0
    ROW_MAJOR = 0
    NZ = 1
    ZN = 2
    ZZ = 3
    NN = 4
    ND_ALIGN = 5
    SCALAR = 6
    VECTOR = 7
    COLUMN_MAJOR = 8


class DataType(IntEnum):
    """Element types, for tilings."""

    DT_FLOAT = 0
    DT_FLOAT16 = 1
    DT_INT8 = 2
    DT_INT32 = 3
    DT_UINT8 = 4
    DT_INT16 = 6
    DT_UINT16 = 7
    DT_UINT32 = 8
    DT_INT64 = 9
    DT_UINT64 = 10
    DT_DOUBLE = 11
    DT_BOOL = 12
    DT_STRING = 13
    DT_COMPLEX64 = 16
    DT_COMPLEX128 = 17
    DT_QINT8 = 18
    DT_QINT16 = 19
    DT_QINT32 = 20
    DT_QUINT8 = 21
    DT_QUINT16 = 22
    DT_STRING_REF = 24
    DT_DUAL = 25
    DT_VARIANT = 26
    DT_BF16 = 27
    DT_UNDEFINED = 28
    DT_INT4 = 29
    DT_UINT1 = 30
    DT_INT2 = 31
    DT_BFLOAT16 = 33
    DT_MAX = 40


class DequantType(IntEnum):
    """Whether a dequantisation has one factor or one a column."""

    SCALAR = 0
    TENSOR = 1


class MatrixMadType(IntEnum):
    """How products are added up."""

    NORMAL = 0
    HF32 = 1
    MXMODE = 2


class MatrixTraverse(IntEnum):
    """Which way a matrix is gone through first."""

    NOSET = 0
    FIRSTM = 1
    FIRSTN = 2


class ScheduleType(IntEnum):
    """The loop order of a matrix multiplication."""

    INNER_PRODUCT = 0
    OUTER_PRODUCT = 1


class TPosition(IntEnum):
    """Positions of tensors, for tilings."""

    GM = 0
    A1 = 1
    A2 = 2
    B1 = 3
    B2 = 4
    C1 = 5
    C2 = 6
    CO1 = 7
    CO2 = 8
    VECIN = 9
    VECOUT = 10
    LCM = 11
    VECCALC = 11
    SHM = 12
    SPM = 12
    TSCM = 13
    MAX = 14
