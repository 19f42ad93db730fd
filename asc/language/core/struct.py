# SPDX-License-Identifier: Apache-2.0
"""Struct arguments of kernels: not built yet, each name says so when used."""

from asc._unbuilt import module_getattr

__getattr__ = module_getattr(__name__, "asc.language.core.struct")
