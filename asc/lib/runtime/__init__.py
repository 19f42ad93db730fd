# SPDX-License-Identifier: Apache-2.0
"""Devices and streams, under the reference's names, as far as they need no NPU."""

from asc import _asc

__all__ = [
    "Stream", "create_stream", "current_device", "current_platform", "current_stream", "default_device", "destroy_stream",
    "device_count", "get_soc_version", "is_available", "is_initialized", "is_model", "reset_device", "set_device",
    "set_soc_version", "synchronize", "synchronize_device", "use_model",
]  # fmt: skip


class Stream:
    """An order of launches. On the simulator every launch is complete when the call returns."""

    __slots__ = ("__weakref__",)

    def synchronize(self):
        """Waits for the stream's work; nothing to wait for on the simulator."""


_default_stream = Stream()
_device = 0


def current_stream():
    """The stream that launches go to when none is given."""
    return _default_stream


def create_stream():
    """A new stream."""
    return Stream()


def destroy_stream(stream):
    """Ends a stream."""


def synchronize(stream=None):
    """Waits for a stream's work."""


def synchronize_device(device_id=None):
    """Waits for a device's work."""


def use_model():
    """Kernels run on the embedded simulator."""


def is_model():
    """True: kernels run on the embedded simulator."""
    return True


def is_available():
    """True: the simulator needs nothing but this package."""
    return True


def is_initialized():
    """True: there is nothing to initialise."""
    return True


def default_device():
    """The device launches go to first."""
    return 0


def current_device():
    """The device launches go to."""
    return _device


def set_device(device_id):
    """Chooses the device; the simulator has one, number 0."""
    if device_id != 0:
        raise ValueError(f"device {device_id} does not exist; the simulator has device 0")


def reset_device(device_id=None):
    """Frees what a device holds; nothing on the simulator."""


def device_count():
    """One: the simulator."""
    return 1


def set_soc_version(platform):
    """Chooses the simulated device: a Platform of asc.runtime.config or its name."""
    _asc.set_platform(getattr(platform, "value", platform))


def get_soc_version():
    """The simulated device, as a Platform of asc.runtime.config."""
    from asc.runtime.config import Platform

    return Platform(_asc.get_platform())


def current_platform():
    """The simulated device's name."""
    return _asc.get_platform()
