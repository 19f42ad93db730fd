# SPDX-License-Identifier: Apache-2.0
"""The vector add for Triton; with TRITON_INTERPRET=1 its interpreter runs it on the CPU."""

import triton
import triton.language as tl


@triton.jit
def add_kernel(x_ptr, y_ptr, z_ptr, count, TILE: tl.constexpr):
    offsets = tl.program_id(axis=0) * TILE + tl.arange(0, TILE)
    mask = offsets < count
    x = tl.load(x_ptr + offsets, mask=mask)
    y = tl.load(y_ptr + offsets, mask=mask)
    tl.store(z_ptr + offsets, x + y, mask=mask)
