# SPDX-License-Identifier: Apache-2.0
"""Tilings of a Matmul, computed on the host: how many cores take part, what each computes, in which blocks.

The documentation of Ascend C says what a tiling must keep to, not which one its library chooses: this one
keeps to all of it, and prefers an even split and large blocks. Setters return 0, or -1 for what cannot be.
"""

from __future__ import annotations

from operator import index
from typing import NamedTuple

from asc._unbuilt import module_getattr
from asc.adv.tiling import TCubeTiling
from asc.lib.host.enums import CubeFormat, DataType, MatrixTraverse, TPosition
from asc.lib.host.platform import PlatformAscendC

FRACTAL = 16  # blocks are made of 16 x 16 elements
# Bytes of the memories, the same on all platforms there are; of L1 the messages of Matmul take 128.
L1, L0A, L0B, L0C, UB, BIAS_TABLE = 512 * 1024 - 128, 64 * 1024, 64 * 1024, 128 * 1024, 192 * 1024, 1024
SIZES = {
    DataType.DT_FLOAT: 4, DataType.DT_FLOAT16: 2, DataType.DT_BF16: 2, DataType.DT_BFLOAT16: 2,
    DataType.DT_INT8: 1, DataType.DT_INT32: 4,
}  # fmt: skip
MOST_BLOCKS = 65535  # of a launch; a mixed one has two vector cores a block
LOCAL = (TPosition.VECIN, TPosition.VECCALC, TPosition.VECOUT)


def ceil_div(a: int, b: int) -> int:
    return -(-a // b)


def fits(*sizes: int) -> bool:
    """Are these sizes: positive, within a tiling's 32 bits? TypeError for what is no integer."""
    return all(0 < index(size) < 2**31 for size in sizes)


def aligned(a: int, b: int) -> int:
    return ceil_div(a, b) * b


class Matrix(NamedTuple):
    """What the setters say of one matrix."""

    position: TPosition = TPosition.GM
    format: CubeFormat = CubeFormat.ND
    dtype: DataType = DataType.DT_FLOAT16
    is_trans: bool = False

    @property
    def size(self) -> int:
        return SIZES[self.dtype]


class MultiCoreMatmulTiling:
    """Computes a TCubeTiling for a product that several cores share.

    `set_dim` gives the most cores: cube cores of a cube-only kernel, vector cores of a mixed one. Shapes are
    in elements, spaces in bytes. `get_tiling(tiling)` fills the tiling in, or returns -1 if there is none.
    """

    def __init__(self, platform: PlatformAscendC) -> None:
        if not isinstance(platform, PlatformAscendC):
            raise TypeError(f"MultiCoreMatmulTiling takes a platform, not {platform!r}")
        self._a = self._b = Matrix()
        self._c = self._bias = Matrix(dtype=DataType.DT_FLOAT)
        self._cores = 1
        self._org = self._shape = (0, 0, 0)
        self._org_kb = 0
        self._is_bias = False
        self._l1, self._l0c, self._ub, self._bt = L1, L0C, UB, BIAS_TABLE
        self._fixed = (-1, -1)
        self._traverse = MatrixTraverse.NOSET
        self._base = (0, 0, 0)

    # ---- what is wanted

    def _matrix(self, name, pos, type, data_type, is_trans=False) -> int:
        if not isinstance(data_type, DataType):
            raise TypeError(
                f"data_type is a member of asc.lib.host.DataType, as DT_FLOAT16, not {data_type!r}"
            )
        if data_type not in SIZES or type != CubeFormat.ND:
            return -1
        setattr(self, name, Matrix(TPosition(pos), CubeFormat(type), DataType(data_type), bool(is_trans)))
        return 0

    def set_a_type(
        self, pos: TPosition, type: CubeFormat, data_type: DataType, is_trans: bool = False
    ) -> int:
        return self._matrix("_a", pos, type, data_type, is_trans)

    def set_b_type(
        self, pos: TPosition, type: CubeFormat, data_type: DataType, is_trans: bool = False
    ) -> int:
        return self._matrix("_b", pos, type, data_type, is_trans)

    def set_c_type(self, pos: TPosition, type: CubeFormat, data_type: DataType) -> int:
        return self._matrix("_c", pos, type, data_type)

    def set_bias_type(self, pos: TPosition, type: CubeFormat, data_type: DataType) -> int:
        return self._matrix("_bias", pos, type, data_type)

    def set_dim(self, dim: int) -> int:
        if not fits(dim) or dim > 2 * MOST_BLOCKS:
            return -1
        self._cores = dim
        return 0

    def set_org_shape(self, org_m_in: int, org_n_in: int, org_k_in: int, org_kb_in: int | None = None) -> int:
        """The whole matrices, whose rows are so long; k_b where it differs."""
        kb = org_k_in if org_kb_in is None else org_kb_in
        if not fits(org_m_in, org_n_in, org_k_in, kb):
            return -1
        self._org, self._org_kb = (org_m_in, org_n_in, org_k_in), kb
        return 0

    def set_shape(self, m: int, n: int, k: int) -> int:
        """What is computed; -1 stands for the whole matrix's size."""
        if not all(index(size) == -1 or fits(size) for size in (m, n, k)):
            return -1
        self._shape = (m, n, k)
        return 0

    def enable_bias(self, is_bias_in: bool = False) -> int:
        self._is_bias = bool(is_bias_in)
        return 0

    def set_buffer_space(
        self, l1_size: int = -1, l0_c_size: int = -1, ub_size: int = -1, bt_size: int = -1
    ) -> int:
        """The most of each memory that may be used; -1: all of it."""
        given = ((l1_size, L1), (l0_c_size, L0C), (ub_size, UB), (bt_size, BIAS_TABLE))
        if any(size != -1 and not 0 < size <= most for size, most in given):
            return -1
        self._l1, self._l0c, self._ub, self._bt = (most if size == -1 else size for size, most in given)
        return 0

    def set_fix_split(self, base_m_in: int = -1, base_n_in: int = -1, base_k_in: int = -1) -> int:
        """Blocks of this size; -1 leaves a side open. base_k is always left open."""
        sides = (base_m_in, base_n_in)
        if base_k_in != -1 or any(side != -1 and (side <= 0 or side % FRACTAL) for side in sides):
            return -1
        self._fixed = sides
        return 0

    def set_traverse(self, traverse: MatrixTraverse) -> int:
        self._traverse = MatrixTraverse(traverse)
        return 0

    # ---- what comes of it

    def get_base_m(self) -> int:
        return self._base[0]

    def get_base_n(self) -> int:
        return self._base[1]

    def get_base_k(self) -> int:
        return self._base[2]

    def _split(self, m: int, n: int) -> tuple[int, int]:
        """single_core_m and single_core_n: the least work of the busiest core, then the fewest reads."""
        step_m, step_n = (side if side > 0 else FRACTAL for side in self._fixed)
        best = None
        for parts_m in range(1, min(self._cores, ceil_div(m, step_m)) + 1):
            single_m = min(aligned(ceil_div(m, parts_m), step_m), m)
            most = min(self._cores // ceil_div(m, single_m), ceil_div(n, step_n))
            single_n = min(aligned(ceil_div(n, most), step_n), n)
            rank = (single_m * single_n, single_m + single_n)
            if best is None or rank < best[0]:
                best = (rank, single_m, single_n)
        return best[1], best[2]

    def _blocks(self, single_m: int, single_n: int, k: int) -> tuple[int, int, int] | None:
        """base_m, base_n, base_k within L0A, L0B, L0C and, where they go there, UB and the bias table."""
        base_m, base_n = (
            fixed if fixed > 0 else min(most, aligned(single, FRACTAL))
            for fixed, most, single in zip(self._fixed, (128, 256), (single_m, single_n), strict=True)
        )

        def too_large():
            too_wide = self._is_bias and base_n * 4 > self._bt
            too_much = self._c.position in LOCAL and base_m * base_n * self._c.size > self._ub
            return base_m * base_n * 4 > self._l0c or too_wide or too_much

        while too_large():
            if self._fixed[1] < 0 and base_n > FRACTAL and (base_n >= base_m or self._fixed[0] > 0):
                base_n = aligned(base_n // 2, FRACTAL)
            elif self._fixed[0] < 0 and base_m > FRACTAL:
                base_m = aligned(base_m // 2, FRACTAL)
            else:
                return None
        # Both halves of a double buffer; whole fractals of either side, 32 bytes deep or 16 elements.
        depth = max(FRACTAL, 32 // self._a.size)
        most = min(L0A // (2 * base_m * self._a.size), L0B // (2 * base_n * self._b.size)) // depth * depth
        return (base_m, base_n, min(most, aligned(k, depth))) if most else None

    def get_tiling(self, tiling: TCubeTiling) -> int:
        m, n, k = (
            whole if part == -1 or part == 0 else part
            for part, whole in zip(self._shape, self._org, strict=True)
        )
        if min(m, n, k) <= 0 or self._a.dtype != self._b.dtype:
            return -1
        if any(0 < whole < part for part, whole in zip((m, n, k), self._org, strict=True)):
            return -1  # more than there is
        single_m, single_n = self._split(m, n)
        blocks = self._blocks(single_m, single_n, k)
        if blocks is None:
            return -1
        self._base = base_m, base_n, base_k = blocks
        # As much of K in L1 as fits beside each other, twice for a double buffer.
        left, right = base_m * base_k * self._a.size, base_n * base_k * self._b.size
        room = self._l1 - (base_n * self._bias.size if self._is_bias else 0)
        double = 2 if 2 * (left + right) <= room else 1
        if left + right > room:
            return -1
        step_k = max(1, min(ceil_div(k, base_k), room // (double * (left + right))))
        values = {
            "used_core_num": ceil_div(m, single_m) * ceil_div(n, single_n),
            "m": self._org[0] or m, "n": self._org[1] or n,
            "k_a": self._org[2] or k, "k_b": self._org_kb or k,
            "single_core_m": single_m, "single_core_n": single_n, "single_core_k": k,
            "base_m": base_m, "base_n": base_n, "base_k": base_k,
            "step_m": 1, "step_n": 1, "step_k_a": step_k, "step_k_b": step_k,
            "depth_a1": double * step_k, "depth_b1": double * step_k,
            "db_l0a": 2, "db_l0b": 2, "db_l0c": 2 if 2 * base_m * base_n * 4 <= self._l0c else 1,
            "is_bias": int(self._is_bias), "iterate_order": int(self._traverse == MatrixTraverse.FIRSTN),
            "share_l1_size": self._l1, "share_l0c_size": self._l0c, "share_ub_size": self._ub,
            "batch_m": 1, "batch_n": 1, "single_batch_m": 1, "single_batch_n": 1,
        }  # fmt: skip
        for name, value in values.items():
            setattr(tiling, name, value)
        return 0

    def __getattr__(self, name: str):
        return module_getattr("asc.lib.host.MultiCoreMatmulTiling", "asc.lib.host.MultiCoreMatmulTiling")(
            name
        )
