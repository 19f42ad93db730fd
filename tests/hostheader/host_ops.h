// SPDX-License-Identifier: Apache-2.0
// Functions on tensors and cores. Each row of a vector family becomes the function of its name, over the op
// body of that name; what has no such family is written out.
#pragma once

#include "host_tensor.h"

namespace AscendC {

// ---- vector ops: nothing happens on a cube core ----

#define ASC_HOST_VecUnary(Name)                                                             \
  template <typename T>                                                                     \
  void Name(const LocalTensor<T>& dst, const LocalTensor<T>& src, const int32_t& count) {   \
    if ASCEND_IS_AIV                                                                        \
      asc::bodies::run_unary<asc::bodies::Name>(dst.GetPhyAddr(), src.GetPhyAddr(), count); \
  }
#define ASC_HOST_VecBinary(Name)                                                                         \
  template <typename T>                                                                                  \
  void Name(const LocalTensor<T>& dst, const LocalTensor<T>& src0, const LocalTensor<T>& src1,           \
            const int32_t& count) {                                                                      \
    if ASCEND_IS_AIV                                                                                     \
      asc::bodies::run_binary<asc::bodies::Name>(dst.GetPhyAddr(), src0.GetPhyAddr(), src1.GetPhyAddr(), \
                                                 count);                                                 \
  }
#define ASC_HOST_VecBinaryAcc(Name)                                                                          \
  template <typename T, typename U>                                                                          \
  void Name(const LocalTensor<T>& dst, const LocalTensor<U>& src0, const LocalTensor<U>& src1,               \
            const int32_t& count) {                                                                          \
    if ASCEND_IS_AIV                                                                                         \
      asc::bodies::run_binary_acc<asc::bodies::Name>(dst.GetPhyAddr(), src0.GetPhyAddr(), src1.GetPhyAddr(), \
                                                     count);                                                 \
  }
#define ASC_HOST_VecScalar(Name)                                                                           \
  template <typename T, bool isSetMask = true>                                                             \
  void Name(const LocalTensor<T>& dst, const LocalTensor<T>& src, const T& scalar, const int32_t& count) { \
    if ASCEND_IS_AIV                                                                                       \
      asc::bodies::run_scalar<asc::bodies::Name>(dst.GetPhyAddr(), src.GetPhyAddr(), scalar, count);       \
  }
#define ASC_HOST_VecScalarAcc(Name)                                                                        \
  template <typename T, typename U>                                                                        \
  void Name(const LocalTensor<T>& dst, const LocalTensor<U>& src, const U& scalar, const int32_t& count) { \
    if ASCEND_IS_AIV                                                                                       \
      asc::bodies::run_scalar_acc<asc::bodies::Name>(dst.GetPhyAddr(), src.GetPhyAddr(), scalar, count);   \
  }
#define ASC_HOST_VecFill(Name)                                                  \
  template <typename T>                                                         \
  void Name(const LocalTensor<T>& dst, const T& scalar, const int32_t& count) { \
    if ASCEND_IS_AIV                                                            \
      asc::bodies::duplicate(dst.GetPhyAddr(), scalar, count);                  \
  }
#define ASC_HOST_DataCopy(Name)
#define ASC_HOST_Flag(Name)
#define ASC_HOST_CrossCore(Name)
#define ASC_HOST_Query(Name)
#define ASC_HOST_Cube(Name)
#define ASC_HOST_Matmul(Name)

#define ASC_OP(Name, py, family, dtypes, overloads, doc) ASC_HOST_##family(Name)
#include "ops/all.def"

#undef ASC_HOST_VecUnary
#undef ASC_HOST_VecBinary
#undef ASC_HOST_VecBinaryAcc
#undef ASC_HOST_VecScalar
#undef ASC_HOST_VecScalarAcc
#undef ASC_HOST_VecFill
#undef ASC_HOST_DataCopy
#undef ASC_HOST_Flag
#undef ASC_HOST_CrossCore
#undef ASC_HOST_Query
#undef ASC_HOST_Cube
#undef ASC_HOST_Matmul

// ---- copies: whole 32-byte blocks, rounded down ----

template <typename T>
uint64_t host_copy_bytes(uint32_t count) {
  return static_cast<int32_t>(count) <= 0 ? 0 : uint64_t{count} * sizeof(T) / 32 * 32;
}
template <typename T>
void DataCopy(const LocalTensor<T>& dst, const GlobalTensor<T>& src, const uint32_t count) {
  __builtin_memcpy(dst.GetPhyAddr(), src.GetPhyAddr(), host_copy_bytes<T>(count));
}
template <typename T>
void DataCopy(const GlobalTensor<T>& dst, const LocalTensor<T>& src, const uint32_t count) {
  __builtin_memcpy(dst.GetPhyAddr(), src.GetPhyAddr(), host_copy_bytes<T>(count));
}
template <typename T>
void DataCopy(const LocalTensor<T>& dst, const LocalTensor<T>& src, const uint32_t count) {
  if ASCEND_IS_AIV
    __builtin_memmove(dst.GetPhyAddr(), src.GetPhyAddr(), host_copy_bytes<T>(count));
}

// Blocks of bytes, each in whole 32-byte blocks of local memory.
template <typename T, typename Copy, typename Pad>
void host_pad_in(const LocalTensor<T>& dst, const GlobalTensor<T>& src, const Copy& copy, const Pad& pad) {
  if ASCEND_IS_AIC
    return;
  uint8_t* to = reinterpret_cast<uint8_t*>(dst.GetPhyAddr());
  const uint8_t* from = reinterpret_cast<const uint8_t*>(src.GetPhyAddr());
  const uint64_t left = pad.leftPadding * sizeof(T), right = pad.rightPadding * sizeof(T);
  const uint64_t whole = (left + copy.blockLen + right + 31) / 32 * 32;
  for (uint32_t i = 0; i < copy.blockCount; i++) {
    __builtin_memcpy(to + left, from, copy.blockLen);
    const bool repeats_first = !pad.isPad && left + right == 0;
    for (uint64_t at = 0; (pad.isPad || repeats_first) && at < whole; at += sizeof(T))
      if (at < left || at >= left + copy.blockLen)
        __builtin_memcpy(to + at, repeats_first ? static_cast<const void*>(from) : &pad.paddingValue,
                         sizeof(T));
    to += whole + copy.dstStride * 32ull;
    from += copy.blockLen + copy.srcStride;
  }
}
template <typename T, typename Copy>
void host_pad_out(const GlobalTensor<T>& dst, const LocalTensor<T>& src, const Copy& copy) {
  if ASCEND_IS_AIC
    return;
  uint8_t* to = reinterpret_cast<uint8_t*>(dst.GetPhyAddr());
  const uint8_t* from = reinterpret_cast<const uint8_t*>(src.GetPhyAddr());
  for (uint32_t i = 0; i < copy.blockCount; i++) {
    __builtin_memcpy(to, from, copy.blockLen);
    to += copy.blockLen + copy.dstStride;
    from += (copy.blockLen + 31ull) / 32 * 32 + copy.srcStride * 32ull;
  }
}
template <typename T>
void DataCopyPad(const LocalTensor<T>& dst, const GlobalTensor<T>& src, const DataCopyExtParams& copy,
                 const DataCopyPadExtParams<T>& pad) {
  host_pad_in(dst, src, copy, pad);
}
template <typename T>
void DataCopyPad(const GlobalTensor<T>& dst, const LocalTensor<T>& src, const DataCopyExtParams& copy) {
  host_pad_out(dst, src, copy);
}
template <typename T>
void DataCopyPad(const LocalTensor<T>& dst, const GlobalTensor<T>& src, const DataCopyParams& copy,
                 const DataCopyPadParams& pad) {
  host_pad_in(dst, src, copy, pad);
}
template <typename T>
void DataCopyPad(const GlobalTensor<T>& dst, const LocalTensor<T>& src, const DataCopyParams& copy) {
  host_pad_out(dst, src, copy);
}

// ---- order ----

template <HardEvent event>
void SetFlag(int32_t) {}
template <HardEvent event>
void WaitFlag(int32_t) {}
template <pipe_t pipe>
void PipeBarrier() {}
template <uint8_t modeId, pipe_t pipe>
void CrossCoreSetFlag(uint16_t flagId) {
  asc_host_core->cross_set(asc_host_core, modeId, flagId);
}
template <uint8_t modeId = 0, pipe_t pipe = PIPE_S>
void CrossCoreWaitFlag(uint16_t flagId) {
  asc_host_core->cross_wait(asc_host_core, flagId);
}

// ---- where a core stands ----

inline int64_t GetBlockIdx() {
  if ASCEND_IS_AIC
    return asc_host_core->block;
  return asc_host_core->block * asc_host_core->sub_blocks + asc_host_core->sub_block;
}
inline int64_t GetBlockNum() { return asc_host_core->grid; }
inline int64_t GetSubBlockIdx() { return asc_host_core->sub_block; }
inline int64_t GetSubBlockNum() { return asc_host_core->sub_blocks; }

// ---- numbers and text ----

inline float ToFloat(bfloat16_t value) { return value; }
inline bfloat16_t ToBfloat16(float value) { return value; }

template <typename T>
T host_text_argument(T value) {
  return value;
}
inline double host_text_argument(half value) { return value; }
inline double host_text_argument(bfloat16_t value) { return value; }

template <typename... Values>
void printf(const char* format, Values... values) {
  asc_host_core->print(asc_host_core, format, host_text_argument(values)...);
}
template <typename... Values>
void host_assert(const char* condition, const char* format, Values... values) {
  asc_host_core->print(asc_host_core, format, host_text_argument(values)...);
  asc_host_core->fail(asc_host_core, "assertion failed: %s", condition);
}

}  // namespace AscendC
