# SPDX-License-Identifier: Apache-2.0
"""The high-level API: the Matmul object. What is not built yet (activations, ...) says so when used."""

from asc._asc import _adv
from asc._unbuilt import module_getattr
from asc.adv.matmul import MatmulType
from asc.adv.tiling import TCubeTiling

Matmul = _adv["Matmul"]
register_matmul = _adv["register_matmul"]

__all__ = ["Matmul", "MatmulType", "TCubeTiling", "register_matmul"]
__getattr__ = module_getattr(__name__, "asc.adv")
