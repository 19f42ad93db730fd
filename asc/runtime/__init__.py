# SPDX-License-Identifier: Apache-2.0
"""Launching: options, backends, hooks."""

from asc._asc import launch_hooks

__all__ = ["launch_hooks"]
