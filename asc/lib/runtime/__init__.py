# SPDX-License-Identifier: Apache-2.0
"""Devices and streams, under the reference's names.

On the simulator these work as far as it has something to tell. What only a device can do (its memory, its
binaries, its profiler) raises RuntimeError and says so.
"""

from asc import _asc
from asc.lib.runtime.support import (
    CoreType,
    DeviceInfoType,
    DeviceModuleType,
    MsprofTaskType,
    Stream,
)
from asc.lib.runtime.support import check_stream as _check_stream  # the launch calls it

__all__ = [
    "CoreType",
    "DeviceInfoType",
    "DeviceModuleType",
    "MsprofTaskType",
    "Stream",
    "check_device_handle",
    "create_stream",
    "current_device",
    "current_platform",
    "current_stream",
    "default_device",
    "destroy_stream",
    "device_count",
    "device_info",
    "free_mem",
    "get_soc_version",
    "is_available",
    "is_initialized",
    "is_model",
    "msprof_task_type",
    "reset_device",
    "set_device",
    "set_soc_version",
    "synchronize",
    "synchronize_device",
    "use_model",
    "use_npu",
]

_default_stream = Stream()
_asc.register_default_stream(_default_stream)


def _no_npu(what: str) -> RuntimeError:
    return RuntimeError(
        f"{what} needs an NPU, and driving one is not yet supported; "
        'asc.runtime.config.set_platform("Model") chooses the simulator'
    )


def use_model(custom_lib_prefix: str | None = None) -> None:
    """Kernels run on the embedded simulator. It needs no library: `custom_lib_prefix` is not used."""
    _asc.set_backend("sim")


def use_npu(custom_lib_prefix: str | None = None) -> None:
    """Kernels are meant for an NPU: they compile, and a launch needs the device."""
    _asc.set_backend("npu")


def is_model() -> bool:
    """Do kernels run on the embedded simulator?"""
    return _asc.get_backend() == "sim"


def is_available() -> bool:
    """Can kernels run here? The simulator can, always; driving an NPU is not yet supported."""
    return is_model()


def is_initialized() -> bool:
    """Is the device ready? The simulator needs nothing."""
    return is_model()


def check_device_handle(device_id: int) -> None:
    """Raises RuntimeError if this is no number of a device (an int, 0 or more)."""
    if not isinstance(device_id, int) or isinstance(device_id, bool) or device_id < 0:
        raise RuntimeError(f"a device is an int, 0 or more; got {device_id!r}")


def _check_device(device_id: int | None) -> None:
    if not is_model():
        raise _no_npu("a device")
    if device_id is None:
        return
    check_device_handle(device_id)
    if device_id:
        raise ValueError(f"device {device_id} does not exist; the simulator has device 0")


def default_device() -> int:
    """The device that launches go to first."""
    return 0


def current_device() -> int:
    """The device that launches go to."""
    return 0


def device_count() -> int:
    """How many devices can be launched on: the simulator is one."""
    return 1 if is_model() else 0


def device_info(
    module_type: DeviceModuleType, info_type: DeviceInfoType, device_id: int | None = None
) -> int:
    """A number about a part of the device. The simulator knows its cores: INFO_TYPE_CORE_NUM of
    RT_MODULE_TYPE_AICORE (cube cores) and RT_MODULE_TYPE_VECTOR_CORE, and INFO_TYPE_CUBE_NUM."""
    _check_device(device_id)
    cube, vector = _asc.core_counts(_asc.get_platform())
    if info_type is DeviceInfoType.INFO_TYPE_CORE_NUM:
        if module_type is DeviceModuleType.RT_MODULE_TYPE_AICORE:
            return cube
        if module_type is DeviceModuleType.RT_MODULE_TYPE_VECTOR_CORE:
            return vector
    if info_type is DeviceInfoType.INFO_TYPE_CUBE_NUM:
        return cube
    raise _no_npu(f"device_info({module_type}, {info_type})")


def set_device(device_id: int) -> None:
    """Chooses the device; the simulator has one, number 0.

    Raises:
        RuntimeError: no number of a device, or the backend is NPU.
        ValueError: a device that does not exist.
    """
    check_device_handle(device_id)
    _check_device(device_id)


def reset_device(device_id: int | None = None) -> None:
    """Frees what a device holds; the simulator holds nothing between launches."""
    _check_device(device_id)


def current_stream(device_id: int | None = None) -> Stream:
    """The stream that launches go to when none is given."""
    if device_id is not None:
        _check_device(device_id)
    return _default_stream


def create_stream(priority: int = 0) -> Stream:
    """A new stream. On the simulator all are equal: `priority` is not used."""
    return Stream()


def destroy_stream(stream_handle: Stream | None) -> None:
    """Ends a stream: a launch on it is an error from now on.

    Raises:
        ValueError: the default stream, which is not the caller's to end.
        TypeError: anything that create_stream() did not make.
    """
    if stream_handle is None:
        return
    if stream_handle is _default_stream:
        raise ValueError("the default stream (current_stream()) cannot be destroyed")
    if not isinstance(stream_handle, Stream):
        raise TypeError(f"destroy_stream takes a stream from create_stream(), got {stream_handle!r}")
    stream_handle._alive = False


def synchronize(stream_handle: Stream | None = None, timeout: int = 0) -> None:
    """Waits for a stream's work, at most `timeout` milliseconds (0: for ever). A launch on the simulator is
    complete when its call returns."""
    if stream_handle is not None and stream_handle is not _default_stream:
        _check_stream("synchronize()", stream_handle)


def synchronize_device() -> None:
    """Waits for a device's work. A launch on the simulator is complete when its call returns."""


def free_mem() -> None:
    """Frees what the process holds on the device; the simulator holds nothing between launches."""


def set_soc_version(soc_verison) -> None:
    """Chooses the platform that kernels are compiled for and simulated on: a Platform of asc.runtime.config
    or its name. (The parameter is spelled as in the reference.)"""
    _asc.set_platform(getattr(soc_verison, "value", soc_verison))


def get_soc_version():
    """The platform, as a member of asc.runtime.config.Platform."""
    from asc.runtime.config import Platform

    return Platform(_asc.get_platform())


def current_platform() -> str:
    """The platform's name."""
    return _asc.get_platform()


def msprof_task_type(core_type: CoreType) -> int:
    """The profiler's number for a kernel on these cores (a value of MsprofTaskType)."""
    if not isinstance(core_type, CoreType):
        raise RuntimeError(f"msprof_task_type takes a CoreType, got {core_type!r}")
    kinds = {CoreType.VectorCore: MsprofTaskType.MSPROF_TASK_TYPE_AIV,
             CoreType.AiCpu: MsprofTaskType.MSPROF_TASK_TYPE_AI_CPU}  # fmt: skip
    return kinds.get(core_type, MsprofTaskType.MSPROF_TASK_TYPE_AI_CORE).value


# Functions and types that only a device can serve.
_FUNCTIONS = frozenset(
    """
    acl_finalize acl_init c2c_ctrl_addr call_print_interface copy_data_from_device copy_data_to_device
    current_tick free launch_kernel magic_elf_value malloc memcpy npu_utils register_device_binary_kernel
    MemorySizes ProfilingCommandHandle register_function set_pro_switch unregister_device_binary_kernel
    """.split()
)
_HANDLES = frozenset(("Function", "Kernel", "Memory"))


def __getattr__(name: str):
    if name in _FUNCTIONS:

        def needs_a_device(*args, **kwargs):
            raise _no_npu(f"asc.lib.runtime.{name}()")

        needs_a_device.__name__ = needs_a_device.__qualname__ = name
        return needs_a_device
    if name in _HANDLES:
        import ctypes

        return ctypes.c_void_p
    raise AttributeError(f"module 'asc.lib.runtime' has no attribute '{name}'")
