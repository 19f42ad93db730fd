# SPDX-License-Identifier: Apache-2.0
"""The host side of matrix multiplication: its enums, platforms and the tiling of several cores. The other
tilings are not built yet, and say so when used."""

from asc._unbuilt import module_getattr
from asc.lib.host.enums import (
    CubeFormat,
    DataType,
    DequantType,
    MatrixMadType,
    MatrixTraverse,
    ScheduleType,
    TPosition,
)
from asc.lib.host.platform import PlatformAscendC, PlatformAscendCManager
from asc.lib.host.tiling import MultiCoreMatmulTiling

__all__ = [
    "CubeFormat",
    "DataType",
    "DequantType",
    "MatrixMadType",
    "MatrixTraverse",
    "MultiCoreMatmulTiling",
    "PlatformAscendC",
    "PlatformAscendCManager",
    "ScheduleType",
    "TPosition",
    "get_ascendc_platform",
]


def get_ascendc_platform() -> PlatformAscendC:
    """The platform that kernels are compiled for and simulated on."""
    return PlatformAscendCManager.get_instance()


__getattr__ = module_getattr(__name__, "asc.lib.host")
