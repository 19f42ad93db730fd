// SPDX-License-Identifier: Apache-2.0
// Cube ops in the narrow forms that have rows: fractals in, multiply, row-major result out. Nothing happens
// on a vector core.
#pragma once

#include "host_tensor.h"
#include "sim/bodies/cube.h"

namespace AscendC {

template <typename T>
void host_load_fractals(T* dst, const T* src, const LoadData2DParams& params) {
  if ASCEND_IS_AIV
    return;
  constexpr int64_t kElements = 512 / sizeof(T);
  for (int64_t i = 0; i < params.repeatTimes; i++) {
    const int64_t step = params.addrMode == 0 ? i * params.srcStride : -i * params.srcStride;
    const T* from = src + (params.startIndex + step) * kElements;
    T* to = dst + i * (params.dstGap + 1) * kElements;
    for (int64_t e = 0; e < kElements; e++) {
      const int64_t source = params.ifTranspose && sizeof(T) == 2 ? e % 16 * 16 + e / 16 : e;
      asc::bodies::store(to + e, asc::bodies::load(from + source));
    }
  }
}
template <typename T>
void LoadData(const LocalTensor<T>& dst, const GlobalTensor<T>& src, const LoadData2DParams& params) {
  host_load_fractals(dst.GetPhyAddr(), src.GetPhyAddr(), params);
}
template <typename T>
void LoadData(const LocalTensor<T>& dst, const LocalTensor<T>& src, const LoadData2DParams& params) {
  host_load_fractals(dst.GetPhyAddr(), src.GetPhyAddr(), params);
}

template <typename T, typename U>
void Mmad(const LocalTensor<T>& dst, const LocalTensor<U>& fm, const LocalTensor<U>& filter,
          const MmadParams& params) {
  if ASCEND_IS_AIV
    return;
  if (params.cmatrixSource)
    asc_host_core->fail(asc_host_core, "Mmad: a start value from the bias table is not supported here");
  asc::bodies::mmad(dst.GetPhyAddr(), fm.GetPhyAddr(), filter.GetPhyAddr(), params.m, params.k, params.n,
                    params.cmatrixInitVal);
}

template <typename T>
void Fixpipe(const GlobalTensor<T>& dst, const LocalTensor<T>& src, const FixpipeParamsV220& params) {
  if ASCEND_IS_AIV
    return;
  for (int64_t m = 0; m < params.mSize; m++) {
    for (int64_t n = 0; n < params.nSize; n++) {
      T value = src.GetValue(static_cast<uint32_t>(asc::bodies::nz_index(m, n, params.srcStride)));
      if (params.reluEn) value = asc::bodies::relu_result(value);
      dst.SetValue(static_cast<uint64_t>(m * params.dstStride + n), value);
    }
  }
}

}  // namespace AscendC
