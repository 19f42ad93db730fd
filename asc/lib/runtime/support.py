# SPDX-License-Identifier: Apache-2.0
"""Types of the device runtime, under the reference's names and values."""

from enum import Enum


class CoreType(Enum):
    """The cores that a binary is for."""

    AiCore = "AiCore"
    VectorCore = "VectorCore"
    CubeCore = "CubeCore"
    AiCpu = "AiCpu"


class DeviceModuleType(Enum):
    """Parts of a device that device_info() can be asked about."""

    RT_MODULE_TYPE_SYSTEM = 0
    RT_MODULE_TYPE_AICPU = 1
    RT_MODULE_TYPE_CCPU = 2
    RT_MODULE_TYPE_DCPU = 3
    RT_MODULE_TYPE_AICORE = 4
    RT_MODULE_TYPE_TSCPU = 5
    RT_MODULE_TYPE_PCIE = 6
    RT_MODULE_TYPE_VECTOR_CORE = 7
    RT_MODULE_TYPE_HOST_AICPU = 8


class DeviceInfoType(Enum):
    """What device_info() can tell of a part."""

    INFO_TYPE_ENV = 0
    INFO_TYPE_VERSION = 1
    INFO_TYPE_MASTERID = 2
    INFO_TYPE_CORE_NUM = 3
    INFO_TYPE_OS_SCHED = 4
    INFO_TYPE_IN_USED = 5
    INFO_TYPE_ERROR_MAP = 6
    INFO_TYPE_OCCUPY = 7
    INFO_TYPE_ID = 8
    INFO_TYPE_IP = 9
    INFO_TYPE_ENDIAN = 10
    INFO_TYPE_CUBE_NUM = 0x775A5A5A


class MsprofTaskType(Enum):
    """Kinds of task in the device's profiler."""

    MSPROF_TASK_TYPE_AI_CORE = 0
    MSPROF_TASK_TYPE_AI_CPU = 1
    MSPROF_TASK_TYPE_AIV = 2
    MSPROF_TASK_TYPE_MIX_AIC = 4
    MSPROF_TASK_TYPE_MIX_AIV = 5
    MSPROF_TASK_TYPE_INVALID = 11


class Stream:
    """An order of launches: the second item of `kernel[cores, stream]`.

    On the simulator every launch is complete when the call returns, on any stream.
    """

    __slots__ = ("__weakref__", "_alive")

    def __init__(self) -> None:
        self._alive = True

    def synchronize(self) -> None:
        """Waits for the stream's work; on the simulator there is nothing to wait for."""

    def __repr__(self) -> str:
        return "<asc stream>" if self._alive else "<asc stream, destroyed>"


def check_stream(where: str, stream: object) -> None:
    """Accepts what a launch can go to: a stream of asc.lib.runtime, ctypes.c_void_p with the handle of a
    stream of the device, a torch stream of the CPU or of an NPU.

    Raises:
        TypeError: anything else.
        asc.LaunchError: a stream that has been destroyed.
    """
    import sys

    if isinstance(stream, Stream):
        if stream._alive:
            return
        from asc.errors import LaunchError

        message = f"{where}: the stream has been destroyed (asc.lib.runtime.destroy_stream)"
        hint = "launch on asc.lib.runtime.current_stream(), or on one from create_stream()"
        raise LaunchError(f"{message}\nhint: {hint}", message, hint)
    torch, ctypes = sys.modules.get("torch"), sys.modules.get("ctypes")
    if ctypes is not None and isinstance(stream, ctypes.c_void_p):
        return
    shown = f"{type(stream).__module__}.{type(stream).__qualname__}"
    if torch is not None:
        if isinstance(stream, torch.cpu.Stream):
            return
        if isinstance(stream, torch.Stream):
            if stream.device.type in ("cpu", "npu"):
                return
            shown = f"a torch stream on {stream.device}"
    raise TypeError(
        f"{where}: the stream is {shown}; expected None, a stream of asc.lib.runtime "
        "(current_stream(), create_stream()), a torch stream of the CPU or an NPU, or ctypes.c_void_p with a "
        "stream's handle"
    )
