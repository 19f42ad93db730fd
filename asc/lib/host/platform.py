# SPDX-License-Identifier: Apache-2.0
"""The platform that tilings are made for."""

from asc import _asc


class PlatformAscendC:
    """One platform's cores and memories; made by PlatformAscendCManager.get_instance()."""

    __slots__ = ("soc_version",)

    def __init__(self, soc_version: str) -> None:
        _asc.core_counts(soc_version)  # ValueError for an unknown one
        self.soc_version = soc_version

    def __repr__(self) -> str:
        return f"<platform {self.soc_version}>"


class PlatformAscendCManager:
    """Keeps one PlatformAscendC for each platform."""

    _instances: dict[str, PlatformAscendC] = {}

    @staticmethod
    def get_instance(soc_version: str | None = None) -> PlatformAscendC:
        """The platform of this name; without one, the platform that kernels are compiled for.

        Raises:
            ValueError: an unknown platform.
        """
        name = _asc.get_platform() if soc_version is None else soc_version
        if name not in PlatformAscendCManager._instances:
            PlatformAscendCManager._instances[name] = PlatformAscendC(name)
        return PlatformAscendCManager._instances[name]
