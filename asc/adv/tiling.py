# SPDX-License-Identifier: Apache-2.0
"""Tiling data of the high-level API, as the host makes it and kernels take it."""

from asc import _asc
from asc.language.core.struct import Field, Struct


class TCubeTiling(Struct, _device="TCubeTiling"):
    """How a Matmul cuts its work: sizes in elements, all int32, 0 where not given.

    m, n, k_a, k_b: the whole matrices A (m, k_a) and B (k_b, n), whose rows are so far apart in memory.
    single_core_m, single_core_n, single_core_k: what one core computes. base_m, base_n, base_k: the block of
    one step; base_m and base_n are multiples of 16. iterate_order: 0 goes down M first, 1 along N.
    is_bias: 1 if a bias is added. The others choose buffers on the device and change no result.
    """

    used_core_num = Field(_asc.int32, default=0)
    m = Field(_asc.int32, default=0)
    n = Field(_asc.int32, default=0)
    k_a = Field(_asc.int32, default=0)
    k_b = Field(_asc.int32, default=0)
    single_core_m = Field(_asc.int32, default=0)
    single_core_n = Field(_asc.int32, default=0)
    single_core_k = Field(_asc.int32, default=0)
    base_m = Field(_asc.int32, default=0)
    base_n = Field(_asc.int32, default=0)
    base_k = Field(_asc.int32, default=0)
    depth_a1 = Field(_asc.int32, default=0)
    depth_b1 = Field(_asc.int32, default=0)
    step_m = Field(_asc.int32, default=0)
    step_n = Field(_asc.int32, default=0)
    is_bias = Field(_asc.int32, default=0)
    trans_length = Field(_asc.int32, default=0)
    iterate_order = Field(_asc.int32, default=0)
    share_mode = Field(_asc.int32, default=0)
    share_l1_size = Field(_asc.int32, default=0)
    share_l0c_size = Field(_asc.int32, default=0)
    share_ub_size = Field(_asc.int32, default=0)
    batch_m = Field(_asc.int32, default=0)
    batch_n = Field(_asc.int32, default=0)
    single_batch_m = Field(_asc.int32, default=0)
    single_batch_n = Field(_asc.int32, default=0)
    step_k_a = Field(_asc.int32, default=0)
    step_k_b = Field(_asc.int32, default=0)
    depth_a_l1_cache_ub = Field(_asc.int32, default=0)
    depth_b_l1_cache_ub = Field(_asc.int32, default=0)
    db_l0a = Field(_asc.int32, default=0)
    db_l0b = Field(_asc.int32, default=0)
    db_l0c = Field(_asc.int32, default=0)
    a_layout_info_b = Field(_asc.int32, default=0)
    a_layout_info_s = Field(_asc.int32, default=0)
    a_layout_info_n = Field(_asc.int32, default=0)
    a_layout_info_g = Field(_asc.int32, default=0)
    a_layout_info_d = Field(_asc.int32, default=0)
    b_layout_info_b = Field(_asc.int32, default=0)
    b_layout_info_s = Field(_asc.int32, default=0)
    b_layout_info_n = Field(_asc.int32, default=0)
    b_layout_info_g = Field(_asc.int32, default=0)
    b_layout_info_d = Field(_asc.int32, default=0)
    c_layout_info_b = Field(_asc.int32, default=0)
    c_layout_info_s1 = Field(_asc.int32, default=0)
    c_layout_info_n = Field(_asc.int32, default=0)
    c_layout_info_g = Field(_asc.int32, default=0)
    c_layout_info_s2 = Field(_asc.int32, default=0)
    batch_num = Field(_asc.int32, default=0)
    mx_type_para = Field(_asc.int32, default=0)
