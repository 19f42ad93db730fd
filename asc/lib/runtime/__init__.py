# SPDX-License-Identifier: Apache-2.0
"""Devices and streams, under the reference's names, as far as they need no NPU."""

from asc import _asc

__all__ = [
    "Stream",
    "create_stream",
    "current_device",
    "current_platform",
    "current_stream",
    "default_device",
    "destroy_stream",
    "device_count",
    "get_soc_version",
    "is_available",
    "is_initialized",
    "is_model",
    "reset_device",
    "set_device",
    "set_soc_version",
    "synchronize",
    "synchronize_device",
    "use_model",
]


class Stream:
    """An order of launches. On the simulator every launch is complete when the call returns."""

    __slots__ = ("__weakref__",)

    def synchronize(self) -> None:
        """Waits for the stream's work; nothing to wait for on the simulator."""


_default_stream = Stream()
_device = 0


def current_stream() -> Stream:
    """The stream that launches go to when none is given."""
    return _default_stream


def create_stream() -> Stream:
    """A new stream."""
    return Stream()


def destroy_stream(stream: Stream) -> None:
    """Ends a stream."""


def synchronize(stream: Stream | None = None) -> None:
    """Waits for a stream's work."""


def synchronize_device(device_id: int | None = None) -> None:
    """Waits for a device's work."""


def use_model() -> None:
    """Kernels run on the embedded simulator."""


def is_model() -> bool:
    """True: kernels run on the embedded simulator."""
    return True


def is_available() -> bool:
    """True: the simulator needs nothing but this package."""
    return True


def is_initialized() -> bool:
    """True: there is nothing to initialise."""
    return True


def default_device() -> int:
    """The device launches go to first."""
    return 0


def current_device() -> int:
    """The device launches go to."""
    return _device


def set_device(device_id: int) -> None:
    """Chooses the device; the simulator has one, number 0."""
    if device_id != 0:
        raise ValueError(f"device {device_id} does not exist; the simulator has device 0")


def reset_device(device_id: int | None = None) -> None:
    """Frees what a device holds; nothing on the simulator."""


def device_count() -> int:
    """One: the simulator."""
    return 1


def set_soc_version(platform) -> None:
    """Chooses the simulated device: a Platform of asc.runtime.config or its name."""
    _asc.set_platform(getattr(platform, "value", platform))


def get_soc_version():
    """The simulated device, as a Platform of asc.runtime.config."""
    from asc.runtime.config import Platform

    return Platform(_asc.get_platform())


def current_platform() -> str:
    """The simulated device's name."""
    return _asc.get_platform()
