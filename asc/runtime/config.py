# SPDX-License-Identifier: Apache-2.0
"""Backends and platforms."""

from enum import Enum

import asc.lib.runtime as rt


class Backend(Enum):
    """Model: the embedded device simulator (the default). NPU: the hardware."""

    Model = "Model"
    NPU = "NPU"


class Platform(Enum):
    """The devices that are known; they differ by a data table (cores, memories)."""

    Ascend910B1 = "Ascend910B1"
    Ascend910B2 = "Ascend910B2"
    Ascend910B2C = "Ascend910B2C"
    Ascend910B3 = "Ascend910B3"
    Ascend910B4 = "Ascend910B4"
    Ascend910B4_1 = "Ascend910B4-1"
    Ascend910_9362 = "Ascend910_9362"
    Ascend910_9372 = "Ascend910_9372"
    Ascend910_9381 = "Ascend910_9381"
    Ascend910_9382 = "Ascend910_9382"
    Ascend910_9391 = "Ascend910_9391"
    Ascend910_9392 = "Ascend910_9392"


class KernelType(Enum):
    """Which cores a kernel runs on."""

    AIV_ONLY = 0
    AIC_ONLY = 1
    MIX_AIV_HARD_SYNC = 2
    MIX_AIC_HARD_SYNC = 3
    MIX_AIV_1_0 = 4
    MIX_AIC_1_0 = 5
    MIX_AIC_1_1 = 6
    MIX_AIC_1_2 = 7


def set_platform(
    backend: Backend | str,
    soc_version: Platform | str | None = None,
    device_id: int | None = None,
    check: bool = True,
) -> None:
    """Chooses where kernels run from now on.

    backend: a Backend or its value. soc_version: a Platform or its value; Ascend910B1 when not given.
    device_id: the device. check: refuse a backend that this machine cannot run kernels on. Without the check
    kernels still compile for it, and the launch says what is missing.

    Raises:
        ValueError: an unknown backend or platform, or a device that does not exist.
        RuntimeError: the backend is not available on this machine (with check), or device_id is no number of
            a device. Nothing is changed then.
    """
    backend = Backend(backend)
    platform = Platform.Ascend910B1 if soc_version is None else Platform(soc_version)
    if device_id is not None:
        rt.check_device_handle(device_id)
    if backend is Backend.NPU:
        if check:
            raise RuntimeError(
                "the NPU backend is not yet supported; use Backend.Model, the embedded simulator"
            )
        rt.use_npu()
        rt.set_soc_version(platform)
        return
    if device_id:
        raise ValueError(f"device {device_id} does not exist; the simulator has device 0")
    rt.use_model()
    rt.set_soc_version(platform)
