# SPDX-License-Identifier: Apache-2.0
"""Launching: options, backends, hooks."""

from asc._asc import launch_hooks

__all__ = ["launch_hooks"]


def __getattr__(name: str):
    if name not in ("compiled", "config", "jit"):
        raise AttributeError(f"module 'asc.runtime' has no attribute '{name}'")
    import importlib

    return importlib.import_module(f"asc.runtime.{name}")
