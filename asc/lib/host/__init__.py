# SPDX-License-Identifier: Apache-2.0
"""Host-side tiling: not built yet, each name says so when used."""

from asc._unbuilt import module_getattr

__getattr__ = module_getattr(__name__, "asc.lib.host")
