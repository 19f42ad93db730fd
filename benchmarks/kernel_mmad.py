# SPDX-License-Identifier: Apache-2.0
"""C = A * B by load_data, mmad and fixpipe: what the Matmul object does, written by hand.

A and B lie in global memory as fractals, in the order that L0A and L0B want; a core computes 256 x 256
of C."""

import asc

FRACTAL = 256  # elements of 16 x 16
CORE, ROWS, DEPTH = (
    256,
    128,
    64,
)  # a core's side of C; what one mmad takes: rows, all columns of the core, depth


@asc.jit
def multiply(
    a: asc.GlobalAddress,
    b: asc.GlobalAddress,
    c: asc.GlobalAddress,
    m: int,
    n: int,
    k: int,
):
    core = asc.get_block_idx()
    parts = m // CORE
    row = core % parts * CORE
    column = core // parts * CORE
    a_gm, b_gm, c_gm = asc.GlobalTensor(), asc.GlobalTensor(), asc.GlobalTensor()
    a_gm.set_global_buffer(a, m * k)
    b_gm.set_global_buffer(b, k * n)
    c_gm.set_global_buffer(c, m * n)
    a_l1 = asc.LocalTensor(a.dtype, asc.TPosition.A1, 0, ROWS * DEPTH)
    b_l1 = asc.LocalTensor(b.dtype, asc.TPosition.B1, ROWS * DEPTH * 2, DEPTH * CORE)
    a_l0 = asc.LocalTensor(a.dtype, asc.TPosition.A2, 0, ROWS * DEPTH)
    b_l0 = asc.LocalTensor(b.dtype, asc.TPosition.B2, 0, DEPTH * CORE)
    c_l0 = asc.LocalTensor(c.dtype, asc.TPosition.CO1, 0, ROWS * CORE)
    a_count = DEPTH // 16 * FRACTAL  # of a row of fractals in a slice of A, and of B
    b_count = CORE // 16 * FRACTAL
    for half in range(CORE // ROWS):
        for depth in range(0, k, DEPTH):
            for i in range(ROWS // 16):
                at = (row + half * ROWS) // 16 + i
                asc.data_copy(a_l1[i * a_count :], a_gm[(at * (k // 16) + depth // 16) * FRACTAL :], a_count)
            for i in range(DEPTH // 16):
                at = depth // 16 + i
                asc.data_copy(b_l1[i * b_count :], b_gm[(at * (n // 16) + column // 16) * FRACTAL :], b_count)
            asc.set_flag(asc.HardEvent.MTE2_MTE1, 0)
            asc.wait_flag(asc.HardEvent.MTE2_MTE1, 0)
            asc.load_data(
                a_l0, a_l1, asc.LoadData2DParams(repeat_times=ROWS * DEPTH // FRACTAL, src_stride=1)
            )
            asc.load_data(
                b_l0, b_l1, asc.LoadData2DParams(repeat_times=DEPTH * CORE // FRACTAL, src_stride=1)
            )
            asc.set_flag(asc.HardEvent.MTE1_MTE2, 0)
            asc.wait_flag(asc.HardEvent.MTE1_MTE2, 0)
            asc.set_flag(asc.HardEvent.MTE1_M, 0)
            asc.wait_flag(asc.HardEvent.MTE1_M, 0)
            asc.mmad(c_l0, a_l0, b_l0, asc.MmadParams(ROWS, CORE, DEPTH, cmatrix_init_val=depth == 0))
            asc.set_flag(asc.HardEvent.M_MTE1, 0)
            asc.wait_flag(asc.HardEvent.M_MTE1, 0)
        asc.set_flag(asc.HardEvent.M_FIX, 0)
        asc.wait_flag(asc.HardEvent.M_FIX, 0)
        first = (row + half * ROWS) * n + column
        asc.fixpipe(c_gm[first:], c_l0, asc.FixpipeParamsV220(CORE, ROWS, ROWS, n))
        asc.set_flag(asc.HardEvent.FIX_M, 0)
        asc.wait_flag(asc.HardEvent.FIX_M, 0)


def to_fractals(matrix, column_order):
    """Fractals in row order; elements of a fractal in row order (L0A) or in column order (L0B)."""
    rows, columns = matrix.shape
    blocks = matrix.reshape(rows // 16, 16, columns // 16, 16)
    return blocks.transpose(0, 2, *((3, 1) if column_order else (1, 3))).copy().reshape(-1)
