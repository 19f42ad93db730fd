# SPDX-License-Identifier: Apache-2.0
"""Libraries beside the kernel language."""


def __getattr__(name: str):
    if name not in ("host", "runtime"):
        raise AttributeError(f"module 'asc.lib' has no attribute '{name}'")
    import importlib

    return importlib.import_module(f"asc.lib.{name}")
