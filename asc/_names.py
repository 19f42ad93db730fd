# SPDX-License-Identifier: Apache-2.0
"""Every public name of the kernel API, built or not: a name that is not built yet says so instead of
failing as unknown."""

NAMES = frozenset(
    """
asc.AippChannelPaddingParams asc.AippChannelPaddingParams.c_padding_mode
asc.AippChannelPaddingParams.c_padding_value asc.AippColorSpaceConvParams
asc.AippColorSpaceConvParams.csc_bias_in_0 asc.AippColorSpaceConvParams.csc_bias_in_1
asc.AippColorSpaceConvParams.csc_bias_in_2 asc.AippColorSpaceConvParams.csc_bias_out_0
asc.AippColorSpaceConvParams.csc_bias_out_1 asc.AippColorSpaceConvParams.csc_bias_out_2
asc.AippColorSpaceConvParams.csc_matrix_r0_c0 asc.AippColorSpaceConvParams.csc_matrix_r0_c1
asc.AippColorSpaceConvParams.csc_matrix_r0_c2 asc.AippColorSpaceConvParams.csc_matrix_r1_c0
asc.AippColorSpaceConvParams.csc_matrix_r1_c1 asc.AippColorSpaceConvParams.csc_matrix_r1_c2
asc.AippColorSpaceConvParams.csc_matrix_r2_c0 asc.AippColorSpaceConvParams.csc_matrix_r2_c1
asc.AippColorSpaceConvParams.csc_matrix_r2_c2 asc.AippColorSpaceConvParams.is_enable_csc
asc.AippDataTypeConvParams asc.AippDataTypeConvParams.dtc_mean_ch0 asc.AippDataTypeConvParams.dtc_mean_ch1
asc.AippDataTypeConvParams.dtc_mean_ch2 asc.AippDataTypeConvParams.dtc_min_ch0
asc.AippDataTypeConvParams.dtc_min_ch1 asc.AippDataTypeConvParams.dtc_min_ch2
asc.AippDataTypeConvParams.dtc_round_mode asc.AippDataTypeConvParams.dtc_var_ch0
asc.AippDataTypeConvParams.dtc_var_ch1 asc.AippDataTypeConvParams.dtc_var_ch2 asc.AippInputFormat
asc.AippPaddingParams asc.AippPaddingParams.padding_mode asc.AippPaddingParams.padding_value_ch0
asc.AippPaddingParams.padding_value_ch1 asc.AippPaddingParams.padding_value_ch2
asc.AippPaddingParams.padding_value_ch3 asc.AippParams asc.AippSingleLineParams
asc.AippSingleLineParams.is_single_line_copy asc.AippSwapParams asc.AippSwapParams.is_swap_ax
asc.AippSwapParams.is_swap_rb asc.AippSwapParams.is_swap_uv asc.AtomicDtype asc.AtomicOp asc.BatchMode
asc.BinaryRepeatParams asc.BlockMode asc.BrcbRepeatParams asc.CMPMODE asc.CO2Layout asc.CacheLine
asc.CacheMode asc.CacheRwMode asc.CheckLocalMemoryIAParam asc.CodegenOptions
asc.CodegenOptions.capture_exceptions asc.CodegenOptions.ir_multithreading asc.CompileOptions
asc.CompileOptions.always_compile asc.CompileOptions.auto_sync asc.CompileOptions.auto_sync_log
asc.CompileOptions.bisheng_options asc.CompileOptions.debug asc.CompileOptions.insert_sync
asc.CompileOptions.kernel_type asc.CompileOptions.matmul_cube_only asc.CompileOptions.opt_level
asc.CompileOptions.print_ir_before_all asc.CompileOptions.run_passes asc.CompileOptions.strip_loc
asc.CompileOptions.verify_sync asc.ConstExpr asc.ConstExpr.unwrap asc.CopyRepeatParams asc.CubeFormat
asc.DEFAULT_C0_SIZE asc.DataCopyCO12DstParams asc.DataCopyEnhancedParams asc.DataCopyExtParams
asc.DataCopyPadExtParams asc.DataCopyPadParams asc.DataCopyParams asc.DataFormat asc.DataType
asc.DataType.is_float asc.DataType.is_int asc.DataType.is_numeric asc.DataType.is_signed
asc.DataType.is_unsigned asc.DataType.is_void asc.DataType.sizeof asc.DcciDst asc.DeqScale
asc.FixpipeConfig asc.FixpipeConfig.cfg_nz asc.FixpipeConfig.cfg_row_major asc.FixpipeParamsV220
asc.GatherMaskMode asc.GatherMaskParams asc.GatherRepeatParams asc.GlobalAddress asc.GlobalAddress.__add__
asc.GlobalTensor asc.GlobalTensor.__call__ asc.GlobalTensor.__getitem__ asc.GlobalTensor.get_phy_addr
asc.GlobalTensor.get_shape_info asc.GlobalTensor.get_size asc.GlobalTensor.get_value
asc.GlobalTensor.set_global_buffer asc.GlobalTensor.set_l2_cache_hint asc.GlobalTensor.set_shape_info
asc.GlobalTensor.set_value asc.HardEvent asc.Hardware asc.InitConstValueParams asc.IterateMode
asc.IterateOrder asc.LaunchOptions asc.LaunchOptions.core_num asc.LaunchOptions.stream asc.LayoutMode
asc.ListTensorDesc asc.ListTensorDesc.get_data_ptr asc.ListTensorDesc.get_desc asc.ListTensorDesc.get_size
asc.ListTensorDesc.init asc.LoadData2DParams asc.LoadData2DParamsV2 asc.LoadData2dTransposeParams
asc.LoadData2dTransposeParamsV2 asc.LoadData3DParamsV1 asc.LoadData3DParamsV2 asc.LoadData3DParamsV2Pro
asc.LoadDataRepeatParam asc.LoadImageToLocalParams asc.LocalMemAllocator asc.LocalMemAllocator.alloc
asc.LocalMemAllocator.get_cur_addr asc.LocalTensor asc.LocalTensor.__call__ asc.LocalTensor.__getitem__
asc.LocalTensor.get_length asc.LocalTensor.get_phy_addr asc.LocalTensor.get_position
asc.LocalTensor.get_shape_info asc.LocalTensor.get_size asc.LocalTensor.get_user_tag
asc.LocalTensor.get_value asc.LocalTensor.print asc.LocalTensor.reinterpret_cast
asc.LocalTensor.set_addr_with_offset asc.LocalTensor.set_buffer_len asc.LocalTensor.set_shape_info
asc.LocalTensor.set_size asc.LocalTensor.set_user_tag asc.LocalTensor.set_value asc.LocalTensor.to_file
asc.LocalTensorAuto asc.MaskMode asc.MatmulConfigMode asc.MemDsbT asc.MmadParams asc.MrgSort4Info
asc.MrgSortSrcList asc.Nd2NzParams asc.Nz2NdParamsFull asc.ONE_BLK_SIZE asc.PipeID asc.QuantModes
asc.ReduceOrder asc.RoundMode asc.ScheduleType asc.SelMode asc.ShapeInfo asc.ShapeInfo.original_shape
asc.ShapeInfo.shape asc.SliceInfo asc.SliceInfo.__getitem__ asc.TBuf asc.TBuf.get asc.TBuf.get_with_offset
asc.TBufPool asc.TBufPool.init_buf_pool asc.TBufPool.init_buffer asc.TBufPool.reset asc.TOTAL_L0C_SIZE
asc.TOTAL_L1_SIZE asc.TPipe asc.TPipe.alloc_event_id asc.TPipe.destroy asc.TPipe.fetch_event_id
asc.TPipe.get_base_addr asc.TPipe.init asc.TPipe.init_buf_pool asc.TPipe.init_buffer
asc.TPipe.release_event_id asc.TPipe.reset asc.TPosition asc.TQue asc.TQueBind asc.TQueBind.alloc_tensor
asc.TQueBind.deque asc.TQueBind.enque asc.TQueBind.free_all_event asc.TQueBind.free_tensor
asc.TQueBind.get_tensor_count_in_que asc.TQueBind.has_idle_buffer asc.TQueBind.has_tensor_in_que
asc.TQueBind.init_buf_handle asc.TQueBind.init_start_buf_handle asc.TQueBind.vacant_in_que asc.TensorDesc
asc.TensorDesc.get_data_obj asc.TensorDesc.get_data_ptr asc.TensorDesc.get_dim asc.TensorDesc.get_index
asc.TensorDesc.get_shape asc.TensorDesc.set_shape_addr asc.TransDataTo5HDParams asc.TransposeParamsExt
asc.TransposeType asc.UnaryRepeatParams asc.VdeqInfo asc.abs asc.add asc.add_deq_relu asc.add_relu
asc.add_relu_cast asc.adds asc.adv.Matmul asc.adv.Matmul.async_get_tensor_c asc.adv.Matmul.disable_bias
asc.adv.Matmul.end asc.adv.Matmul.get_batch_tensor_c asc.adv.Matmul.get_offset_c
asc.adv.Matmul.get_tensor_c asc.adv.Matmul.init asc.adv.Matmul.iterate asc.adv.Matmul.iterate_all
asc.adv.Matmul.iterate_batch asc.adv.Matmul.iterate_n_batch asc.adv.Matmul.set_batch_num
asc.adv.Matmul.set_bias asc.adv.Matmul.set_hf32 asc.adv.Matmul.set_org_shape
asc.adv.Matmul.set_quant_scalar asc.adv.Matmul.set_quant_vector asc.adv.Matmul.set_self_define_data
asc.adv.Matmul.set_single_shape asc.adv.Matmul.set_sparse_index asc.adv.Matmul.set_tail
asc.adv.Matmul.set_tensor_a asc.adv.Matmul.set_tensor_b asc.adv.Matmul.set_user_def_info
asc.adv.Matmul.set_workspace asc.adv.Matmul.wait_get_tensor_c asc.adv.Matmul.wait_iterate_all
asc.adv.Matmul.wait_iterate_batch asc.adv.MatmulApiStaticTiling
asc.adv.MatmulApiStaticTiling.a_layout_info_b asc.adv.MatmulApiStaticTiling.a_layout_info_d
asc.adv.MatmulApiStaticTiling.a_layout_info_g asc.adv.MatmulApiStaticTiling.a_layout_info_n
asc.adv.MatmulApiStaticTiling.a_layout_info_s asc.adv.MatmulApiStaticTiling.b_layout_info_b
asc.adv.MatmulApiStaticTiling.b_layout_info_d asc.adv.MatmulApiStaticTiling.b_layout_info_g
asc.adv.MatmulApiStaticTiling.b_layout_info_n asc.adv.MatmulApiStaticTiling.b_layout_info_s
asc.adv.MatmulApiStaticTiling.base_k asc.adv.MatmulApiStaticTiling.base_m
asc.adv.MatmulApiStaticTiling.base_n asc.adv.MatmulApiStaticTiling.batch_num
asc.adv.MatmulApiStaticTiling.c_layout_info_b asc.adv.MatmulApiStaticTiling.c_layout_info_g
asc.adv.MatmulApiStaticTiling.c_layout_info_n asc.adv.MatmulApiStaticTiling.c_layout_info_s1
asc.adv.MatmulApiStaticTiling.c_layout_info_s2 asc.adv.MatmulApiStaticTiling.db_l0a
asc.adv.MatmulApiStaticTiling.db_l0b asc.adv.MatmulApiStaticTiling.db_l0c
asc.adv.MatmulApiStaticTiling.depth_a1 asc.adv.MatmulApiStaticTiling.depth_a_l1_cache_ub
asc.adv.MatmulApiStaticTiling.depth_b1 asc.adv.MatmulApiStaticTiling.depth_b_l1_cache_ub
asc.adv.MatmulApiStaticTiling.is_bias asc.adv.MatmulApiStaticTiling.iterate_order
asc.adv.MatmulApiStaticTiling.k_a asc.adv.MatmulApiStaticTiling.k_b asc.adv.MatmulApiStaticTiling.m
asc.adv.MatmulApiStaticTiling.mx_type_para asc.adv.MatmulApiStaticTiling.n
asc.adv.MatmulApiStaticTiling.share_l0c_size asc.adv.MatmulApiStaticTiling.share_l1_size
asc.adv.MatmulApiStaticTiling.share_mode asc.adv.MatmulApiStaticTiling.share_ub_size
asc.adv.MatmulApiStaticTiling.single_core_k asc.adv.MatmulApiStaticTiling.single_core_m
asc.adv.MatmulApiStaticTiling.single_core_n asc.adv.MatmulApiStaticTiling.step_k_a
asc.adv.MatmulApiStaticTiling.step_k_b asc.adv.MatmulApiStaticTiling.step_m
asc.adv.MatmulApiStaticTiling.step_n asc.adv.MatmulApiStaticTiling.trans_length
asc.adv.MatmulApiStaticTiling.used_core_num asc.adv.MatmulBatchParams asc.adv.MatmulConfig
asc.adv.MatmulFuncParams asc.adv.MatmulQuantParams asc.adv.MatmulShapeParams asc.adv.MatmulType
asc.adv.MatmulType.dtype asc.adv.MatmulType.format asc.adv.MatmulType.is_trans asc.adv.MatmulType.layout
asc.adv.MatmulType.position asc.adv.QuantConfig asc.adv.RmsNormTiling asc.adv.RmsNormTiling.b_length
asc.adv.RmsNormTiling.h_length asc.adv.RmsNormTiling.input_tail_pos asc.adv.RmsNormTiling.loop_round
asc.adv.RmsNormTiling.main_bs_length asc.adv.RmsNormTiling.main_bs_length_align
asc.adv.RmsNormTiling.main_bsh_length asc.adv.RmsNormTiling.original_h_length
asc.adv.RmsNormTiling.reciprocal_of_h_length asc.adv.RmsNormTiling.s_length
asc.adv.RmsNormTiling.tail_bs_length asc.adv.RmsNormTiling.tail_bsh_length asc.adv.SoftmaxTiling
asc.adv.SoftmaxTiling.out_max_k asc.adv.SoftmaxTiling.out_max_m asc.adv.SoftmaxTiling.out_max_size
asc.adv.SoftmaxTiling.range_m asc.adv.SoftmaxTiling.reduce_k asc.adv.SoftmaxTiling.reduce_m
asc.adv.SoftmaxTiling.reduce_size asc.adv.SoftmaxTiling.split_k asc.adv.SoftmaxTiling.split_m
asc.adv.SoftmaxTiling.split_size asc.adv.SoftmaxTiling.src_k asc.adv.SoftmaxTiling.src_m
asc.adv.SoftmaxTiling.src_size asc.adv.SoftmaxTiling.tail_m asc.adv.SoftmaxTiling.tail_reduce_size
asc.adv.SoftmaxTiling.tail_split_size asc.adv.TCubeTiling asc.adv.TCubeTiling.a_layout_info_b
asc.adv.TCubeTiling.a_layout_info_d asc.adv.TCubeTiling.a_layout_info_g asc.adv.TCubeTiling.a_layout_info_n
asc.adv.TCubeTiling.a_layout_info_s asc.adv.TCubeTiling.b_layout_info_b asc.adv.TCubeTiling.b_layout_info_d
asc.adv.TCubeTiling.b_layout_info_g asc.adv.TCubeTiling.b_layout_info_n asc.adv.TCubeTiling.b_layout_info_s
asc.adv.TCubeTiling.base_k asc.adv.TCubeTiling.base_m asc.adv.TCubeTiling.base_n
asc.adv.TCubeTiling.batch_m asc.adv.TCubeTiling.batch_n asc.adv.TCubeTiling.batch_num
asc.adv.TCubeTiling.c_layout_info_b asc.adv.TCubeTiling.c_layout_info_g asc.adv.TCubeTiling.c_layout_info_n
asc.adv.TCubeTiling.c_layout_info_s1 asc.adv.TCubeTiling.c_layout_info_s2 asc.adv.TCubeTiling.db_l0a
asc.adv.TCubeTiling.db_l0b asc.adv.TCubeTiling.db_l0c asc.adv.TCubeTiling.depth_a1
asc.adv.TCubeTiling.depth_a_l1_cache_ub asc.adv.TCubeTiling.depth_b1
asc.adv.TCubeTiling.depth_b_l1_cache_ub asc.adv.TCubeTiling.is_bias asc.adv.TCubeTiling.iterate_order
asc.adv.TCubeTiling.k_a asc.adv.TCubeTiling.k_b asc.adv.TCubeTiling.m asc.adv.TCubeTiling.n
asc.adv.TCubeTiling.share_l0c_size asc.adv.TCubeTiling.share_l1_size asc.adv.TCubeTiling.share_mode
asc.adv.TCubeTiling.share_ub_size asc.adv.TCubeTiling.single_batch_m asc.adv.TCubeTiling.single_batch_n
asc.adv.TCubeTiling.single_core_k asc.adv.TCubeTiling.single_core_m asc.adv.TCubeTiling.single_core_n
asc.adv.TCubeTiling.step_k_a asc.adv.TCubeTiling.step_k_b asc.adv.TCubeTiling.step_m
asc.adv.TCubeTiling.step_n asc.adv.TCubeTiling.trans_length asc.adv.TCubeTiling.used_core_num asc.adv.acos
asc.adv.acosh asc.adv.asin asc.adv.asinh asc.adv.atan asc.adv.atanh asc.adv.axpy asc.adv.ceil
asc.adv.concat asc.adv.cos asc.adv.cosh asc.adv.digamma asc.adv.erf asc.adv.erfc asc.adv.exp
asc.adv.extract asc.adv.floor asc.adv.frac asc.adv.get_basic_config asc.adv.get_ib_share_norm_config
asc.adv.get_matmul_api_tiling asc.adv.get_mdl_config asc.adv.get_mm_config asc.adv.get_normal_config
asc.adv.get_special_basic_config asc.adv.get_special_mdl_config asc.adv.lgamma asc.adv.log asc.adv.power
asc.adv.quant asc.adv.register_matmul asc.adv.rmsnorm asc.adv.round asc.adv.sign asc.adv.sin asc.adv.sinh
asc.adv.softmax asc.adv.tan asc.adv.tanh asc.adv.trunc asc.adv.xor asc.array asc.ascend_is_aic
asc.ascend_is_aiv asc.axpy asc.bilinear_interpolation asc.bitwise_and asc.bitwise_not asc.bitwise_or
asc.block_reduce_max asc.block_reduce_min asc.block_reduce_sum asc.brcb asc.cast asc.cast_deq asc.ceildiv
asc.check_local_memory_ia asc.compare asc.compare_scalar asc.copy asc.count_bits_cnt_same_as_sign_bit
asc.cross_core_set_flag asc.cross_core_wait_flag asc.data_cache_clean_and_invalid asc.data_cache_preload
asc.data_copy asc.data_copy_pad asc.data_sync_barrier asc.div asc.double asc.dump_acc_chk_point
asc.dump_tensor asc.duplicate asc.exp asc.fixpipe asc.float16 asc.float32 asc.float64 asc.float_
asc.fused_mul_add asc.fused_mul_add_relu asc.gather asc.gather_mask asc.gatherb asc.get_arch_version
asc.get_block_idx asc.get_block_num asc.get_cmp_mask asc.get_data_block_size_in_bytes
asc.get_gather_mask_remain_count asc.get_hccl_context asc.get_icache_preload_status asc.get_mrg_sort_result
asc.get_program_counter asc.get_shape_size asc.get_sort_len asc.get_sort_offset asc.get_store_atomic_config
asc.get_sub_block_idx asc.get_sub_block_num asc.get_sys_workspace asc.get_system_cycle asc.get_task_ratio
asc.get_tpipe_ptr asc.half asc.ib_set asc.ib_wait asc.icache_preload asc.init_const_value
asc.init_soc_state asc.inline asc.int16 asc.int32 asc.int64 asc.int8 asc.int_ asc.jit
asc.language.core.struct.Field asc.language.core.struct.Struct asc.language.core.struct.Struct.__setattr__
asc.language.core.struct.Struct.addressof asc.language.core.struct.Struct.create_local
asc.language.core.struct.Struct.get_field asc.language.core.struct.Struct.pack
asc.language.core.struct.StructField asc.leaky_relu asc.lib.host.BatchMatmulTiling
asc.lib.host.BatchMatmulTiling.enable_bias asc.lib.host.BatchMatmulTiling.get_base_k
asc.lib.host.BatchMatmulTiling.get_base_m asc.lib.host.BatchMatmulTiling.get_base_n
asc.lib.host.BatchMatmulTiling.get_core_num asc.lib.host.BatchMatmulTiling.get_tiling
asc.lib.host.BatchMatmulTiling.set_a_layout asc.lib.host.BatchMatmulTiling.set_a_type
asc.lib.host.BatchMatmulTiling.set_b_layout asc.lib.host.BatchMatmulTiling.set_b_type
asc.lib.host.BatchMatmulTiling.set_batch_info_for_normal asc.lib.host.BatchMatmulTiling.set_batch_num
asc.lib.host.BatchMatmulTiling.set_bias_type asc.lib.host.BatchMatmulTiling.set_buffer_space
asc.lib.host.BatchMatmulTiling.set_c_layout asc.lib.host.BatchMatmulTiling.set_c_type
asc.lib.host.BatchMatmulTiling.set_dequant_type asc.lib.host.BatchMatmulTiling.set_double_buffer
asc.lib.host.BatchMatmulTiling.set_fix_split asc.lib.host.BatchMatmulTiling.set_mad_type
asc.lib.host.BatchMatmulTiling.set_matmul_config_params asc.lib.host.BatchMatmulTiling.set_org_shape
asc.lib.host.BatchMatmulTiling.set_shape asc.lib.host.BatchMatmulTiling.set_sparse
asc.lib.host.BatchMatmulTiling.set_split_range asc.lib.host.BatchMatmulTiling.set_traverse
asc.lib.host.CubeFormat asc.lib.host.DataType asc.lib.host.DequantType asc.lib.host.MatmulApiTiling
asc.lib.host.MatmulApiTiling.en_vec_nd2nz asc.lib.host.MatmulApiTiling.enable_bias
asc.lib.host.MatmulApiTiling.enable_l1_cache_ub asc.lib.host.MatmulApiTiling.get_base_k
asc.lib.host.MatmulApiTiling.get_base_m asc.lib.host.MatmulApiTiling.get_base_n
asc.lib.host.MatmulApiTiling.get_tiling asc.lib.host.MatmulApiTiling.mm_config_type
asc.lib.host.MatmulApiTiling.schedule_type asc.lib.host.MatmulApiTiling.set_a_layout
asc.lib.host.MatmulApiTiling.set_a_type asc.lib.host.MatmulApiTiling.set_b_layout
asc.lib.host.MatmulApiTiling.set_b_type asc.lib.host.MatmulApiTiling.set_batch_info_for_normal
asc.lib.host.MatmulApiTiling.set_batch_num asc.lib.host.MatmulApiTiling.set_bias_type
asc.lib.host.MatmulApiTiling.set_buffer_space asc.lib.host.MatmulApiTiling.set_c_layout
asc.lib.host.MatmulApiTiling.set_c_type asc.lib.host.MatmulApiTiling.set_dequant_type
asc.lib.host.MatmulApiTiling.set_double_buffer asc.lib.host.MatmulApiTiling.set_fix_split
asc.lib.host.MatmulApiTiling.set_mad_type asc.lib.host.MatmulApiTiling.set_matmul_config_params
asc.lib.host.MatmulApiTiling.set_org_shape asc.lib.host.MatmulApiTiling.set_shape
asc.lib.host.MatmulApiTiling.set_sparse asc.lib.host.MatmulApiTiling.set_split_range
asc.lib.host.MatmulApiTiling.set_traverse asc.lib.host.MatmulApiTiling.traverse
asc.lib.host.MatmulConfigParams asc.lib.host.MatrixMadType asc.lib.host.MatrixTraverse
asc.lib.host.MultiCoreMatmulTiling asc.lib.host.MultiCoreMatmulTiling.enable_bias
asc.lib.host.MultiCoreMatmulTiling.enable_multi_core_split_k asc.lib.host.MultiCoreMatmulTiling.get_base_k
asc.lib.host.MultiCoreMatmulTiling.get_base_m asc.lib.host.MultiCoreMatmulTiling.get_base_n
asc.lib.host.MultiCoreMatmulTiling.get_core_num asc.lib.host.MultiCoreMatmulTiling.get_single_shape
asc.lib.host.MultiCoreMatmulTiling.get_tiling asc.lib.host.MultiCoreMatmulTiling.set_a_layout
asc.lib.host.MultiCoreMatmulTiling.set_a_type asc.lib.host.MultiCoreMatmulTiling.set_align_split
asc.lib.host.MultiCoreMatmulTiling.set_b_layout asc.lib.host.MultiCoreMatmulTiling.set_b_type
asc.lib.host.MultiCoreMatmulTiling.set_batch_info_for_normal
asc.lib.host.MultiCoreMatmulTiling.set_batch_num asc.lib.host.MultiCoreMatmulTiling.set_bias_type
asc.lib.host.MultiCoreMatmulTiling.set_buffer_space asc.lib.host.MultiCoreMatmulTiling.set_c_layout
asc.lib.host.MultiCoreMatmulTiling.set_c_type asc.lib.host.MultiCoreMatmulTiling.set_dequant_type
asc.lib.host.MultiCoreMatmulTiling.set_dim asc.lib.host.MultiCoreMatmulTiling.set_double_buffer
asc.lib.host.MultiCoreMatmulTiling.set_fix_split asc.lib.host.MultiCoreMatmulTiling.set_mad_type
asc.lib.host.MultiCoreMatmulTiling.set_matmul_config_params
asc.lib.host.MultiCoreMatmulTiling.set_org_shape asc.lib.host.MultiCoreMatmulTiling.set_shape
asc.lib.host.MultiCoreMatmulTiling.set_single_range asc.lib.host.MultiCoreMatmulTiling.set_single_shape
asc.lib.host.MultiCoreMatmulTiling.set_sparse asc.lib.host.MultiCoreMatmulTiling.set_split_range
asc.lib.host.MultiCoreMatmulTiling.set_traverse asc.lib.host.PlatformAscendC
asc.lib.host.PlatformAscendCManager asc.lib.host.PlatformAscendCManager.get_instance
asc.lib.host.ScheduleType asc.lib.host.TPosition asc.lib.host.get_ascendc_platform
asc.lib.utils.get_ascend_path asc.lib.utils.get_cxx_compiler asc.lib.utils.get_py_include_dir asc.ln
asc.load_data asc.load_data_with_sparse asc.load_data_with_transpose asc.load_image_to_local asc.max
asc.maxs asc.metrics_prof_start asc.metrics_prof_stop asc.min asc.mins asc.mmad asc.mmad_with_sparse
asc.mrg_sort asc.mrg_sort4 asc.mul asc.mul_add_dst asc.mul_cast asc.muls asc.notify_next_block asc.number
asc.pad_t asc.pair_reduce_sum asc.pipe_barrier asc.print_time_stamp asc.printf asc.property
asc.proposal_concat asc.proposal_extract asc.range asc.range.__iter__ asc.reciprocal asc.reduce_max
asc.reduce_min asc.reduce_sum asc.relu asc.repeat_reduce_sum asc.reset_mask asc.rp_sort16 asc.rsqrt
asc.scalar_cast asc.scalar_count_leading_zero asc.scalar_get_count_of_value asc.scalar_get_sff_value
asc.scatter asc.select asc.set_aipp_functions asc.set_atomic_add asc.set_atomic_max asc.set_atomic_min
asc.set_atomic_none asc.set_atomic_type asc.set_cmp_mask asc.set_deq_scale asc.set_fix_pipe_pre_quant_flag
asc.set_flag asc.set_hccl_context asc.set_hf32_mode asc.set_hf32_trans_mode asc.set_load_data_boundary
asc.set_load_data_padding_value asc.set_load_data_repeat asc.set_mask_count asc.set_mask_norm
asc.set_mm_layout_transform asc.set_pad_value asc.set_store_atomic_config asc.set_sys_workspace
asc.set_vector_mask asc.shift_left asc.shift_right asc.sort asc.sort32 asc.sqrt asc.static_assert
asc.static_range asc.static_range.__iter__ asc.sub asc.sub_relu asc.sub_relu_cast asc.sync_all
asc.trans_data_to_5hd asc.transpose asc.trap asc.uint16 asc.uint32 asc.uint64 asc.uint8 asc.void
asc.wait_flag asc.wait_pre_block asc.whole_reduce_max asc.whole_reduce_min asc.whole_reduce_sum
""".split()
)
