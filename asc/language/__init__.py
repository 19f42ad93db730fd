# SPDX-License-Identifier: Apache-2.0
"""Import paths of the reference: `import asc.language as asc` has the names of `asc`."""

import asc


def __getattr__(name: str):
    if name in ("core", "fwk"):
        import importlib

        return importlib.import_module(f"asc.language.{name}")
    return getattr(asc, name)


def __dir__():
    return dir(asc)
