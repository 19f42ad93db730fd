# SPDX-License-Identifier: Apache-2.0
"""Names of the API that are not built yet, for modules that have nothing else: they import, and say so
when used."""

from asc import _asc


def module_getattr(module, prefix):
    """A module's `__getattr__`: `prefix.name` of the list of known names, else AttributeError."""

    def find(name):
        from asc._names import NAMES

        if f"{prefix}.{name}" in NAMES:
            return _asc.unsupported(f"{prefix}.{name}")
        raise AttributeError(f"module '{module}' has no attribute '{name}'")

    return find
