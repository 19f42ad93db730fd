# SPDX-License-Identifier: Apache-2.0
"""The Matmul object: all of C at once, by blocks through a queue, with a helper that registers."""

import numpy as np

import asc
from asc.adv import MatmulType, TCubeTiling

M, N, K = 80, 96, 40
ND = asc.CubeFormat.ND
GM = asc.TPosition.GM


@asc.jit
def part_of_core(tiling: TCubeTiling):
    """Where this core's part of A, B and C begins, and how many rows of it there are."""
    core = asc.get_block_idx()
    parts = asc.ceildiv(tiling.m, tiling.single_core_m)
    row = core % parts * tiling.single_core_m
    column = core // parts * tiling.single_core_n
    rows = min(tiling.m - row, tiling.single_core_m)
    return row * tiling.k_a, column, row * tiling.n + column, rows


@asc.jit
def product(
    a: asc.GlobalAddress,
    b: asc.GlobalAddress,
    c: asc.GlobalAddress,
    tiling: TCubeTiling,
    workspace: asc.GlobalAddress,
):
    a_at, b_at, c_at, rows = part_of_core(tiling)
    left = asc.GlobalTensor()
    right = asc.GlobalTensor()
    result = asc.GlobalTensor()
    left.set_global_buffer(a + a_at)
    right.set_global_buffer(b + b_at)
    result.set_global_buffer(c + c_at)
    pipe = asc.TPipe()
    matmul = asc.adv.Matmul(
        MatmulType(GM, ND, a.dtype), MatmulType(GM, ND, b.dtype), MatmulType(GM, ND, c.dtype)
    )
    asc.adv.register_matmul(pipe, workspace, matmul, tiling)
    if asc.get_block_idx() < tiling.used_core_num:
        matmul.set_tensor_a(left)
        matmul.set_tensor_b(right)
        matmul.set_tail(rows)
        matmul.iterate_all(result)
        matmul.end()


@asc.jit
def relu_of_product(
    a: asc.GlobalAddress,
    b: asc.GlobalAddress,
    bias: asc.GlobalAddress,
    c: asc.GlobalAddress,
    tiling: TCubeTiling,
    workspace: asc.GlobalAddress,
):
    a_at, b_at, c_at, rows = part_of_core(tiling)
    left = asc.GlobalTensor()
    right = asc.GlobalTensor()
    row = asc.GlobalTensor()
    result = asc.GlobalTensor()
    left.set_global_buffer(a + a_at)
    right.set_global_buffer(b + b_at)
    row.set_global_buffer(bias + b_at)
    result.set_global_buffer(c + c_at)
    pipe = asc.TPipe()
    matmul = asc.adv.Matmul(
        a=MatmulType(GM, ND, a.dtype),
        b=MatmulType(GM, ND, b.dtype, True),
        c=MatmulType(asc.TPosition.VECCALC, ND, c.dtype),
        bias=MatmulType(GM, ND, bias.dtype),
    )
    asc.adv.register_matmul(pipe, workspace, matmul)
    matmul.init(tiling)
    size = tiling.base_m * tiling.base_n
    blocks = asc.TQue(asc.TPosition.VECOUT, 1)
    pipe.init_buffer(blocks, 1, size * c.dtype.sizeof())
    matmul.set_tensor_a(left)
    matmul.set_tensor_b(right)
    matmul.set_bias(row)
    down = tiling.single_core_m // tiling.base_m
    with matmul.iterate() as i:
        block = blocks.alloc_tensor(c.dtype)
        matmul.get_tensor_c(block, en_sequential_write=True)
        asc.relu(block, block, size)
        blocks.enque(block)
        block = blocks.deque(c.dtype)
        at = i % down * tiling.base_m * tiling.n + i // down * tiling.base_n
        for k in range(tiling.base_m):
            asc.data_copy(result[at + k * tiling.n :], block[k * tiling.base_n :], tiling.base_n)
        blocks.free_tensor(block)
    matmul.end()


@asc.jit
def start(pipe: asc.TPipe, workspace: asc.GlobalAddress, matmul: asc.adv.Matmul, tiling: TCubeTiling):
    asc.adv.register_matmul(pipe, workspace, matmul, tiling)
    return tiling.single_core_m * tiling.single_core_n


@asc.jit
def multiply(matmul: asc.adv.Matmul, left: asc.GlobalTensor, right: asc.GlobalTensor, into: asc.GlobalTensor):
    matmul.set_tensor_a(left)
    matmul.set_tensor_b(right)
    with matmul.iterate():
        matmul.get_tensor_c(into)


@asc.jit(matmul_cube_only=True)
def twice(
    a: asc.GlobalAddress,
    b: asc.GlobalAddress,
    c: asc.GlobalAddress,
    tiling: TCubeTiling,
    workspace: asc.GlobalAddress,
):
    left = asc.GlobalTensor()
    right = asc.GlobalTensor()
    result = asc.GlobalTensor()
    left.set_global_buffer(a)
    right.set_global_buffer(b)
    result.set_global_buffer(c)
    pipe = asc.TPipe()
    matmul = asc.adv.Matmul(
        MatmulType(GM, ND, a.dtype), MatmulType(GM, ND, b.dtype), MatmulType(GM, ND, c.dtype)
    )
    step = start(pipe, workspace, matmul, tiling)
    multiply(matmul, left, right, result)
    multiply(matmul, left, right, result[step:])
    matmul.end()


def matrices(rows, columns, depth, bias=False):
    rng = np.random.default_rng(5)
    a = rng.integers(-8, 8, (rows, depth)).astype(np.float16)
    b = rng.integers(-8, 8, (depth, columns)).astype(np.float16)
    row = rng.integers(-9, 9, columns).astype(np.float32)
    return (a, b, row) if bias else (a, b)


def product_arguments():
    tiling = TCubeTiling(
        used_core_num=4, m=M, n=N, k_a=K, k_b=K, single_core_m=48, single_core_n=48, single_core_k=K,
        base_m=32, base_n=16, base_k=16,
    )  # fmt: skip
    a, b = matrices(M, N, K)
    return a, b, np.zeros((M, N), np.float32), tiling, np.zeros(64, np.uint8)


def relu_arguments():
    tiling = TCubeTiling(
        used_core_num=2, m=64, n=64, k_a=24, k_b=24, single_core_m=32, single_core_n=64, single_core_k=24,
        base_m=16, base_n=32, base_k=16, is_bias=1,
    )  # fmt: skip
    a, b, bias = matrices(64, 64, 24, True)
    return a, b, bias, np.zeros((64, 64), np.float32), tiling, np.zeros(64, np.uint8)


def twice_arguments():
    tiling = TCubeTiling(
        used_core_num=1, m=20, n=36, k_a=9, k_b=9, single_core_m=20, single_core_n=36, single_core_k=9,
        base_m=16, base_n=16, base_k=16, iterate_order=1,
    )  # fmt: skip
    a, b = matrices(20, 36, 9)
    return a, b, np.zeros((2, 20, 36), np.float32), tiling, np.zeros(64, np.uint8)


CASES = [
    ("product", product, 2, product_arguments),
    ("relu_of_product", relu_of_product, 1, relu_arguments),
    ("twice", twice, 1, twice_arguments),
]
