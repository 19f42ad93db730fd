# SPDX-License-Identifier: Apache-2.0
"""The high-level API (Matmul, activations, reductions): not built yet, each name says so when used."""

from asc._unbuilt import module_getattr

__getattr__ = module_getattr(__name__, "asc.adv")
