// SPDX-License-Identifier: Apache-2.0
// Stands for the toolkit's header of the Matmul object. As in the toolkit the cube core of a mixed kernel
// leaves at REGIST_MATMUL_OBJ; what it would serve, the vector core computes by itself, with the simulator's
// bodies.
#pragma once

#include <stdlib.h>

#include "host_tensor.h"
#include "sim/bodies/matmul.h"

// The toolkit has both outside of its namespace.
using AscendC::CubeFormat;
using AscendC::TCubeTiling;

// Of a program that defines ASCENDC_CUBE_ONLY as nothing the text is empty: asked where the macro is used, so
// that programs of a batch need not agree.
#define ASC_HOST_TEXT_OF(x) #x
#define ASC_HOST_TEXT(x) ASC_HOST_TEXT_OF(x)
#define REGIST_MATMUL_OBJ(tpipe, workspace, ...)                                                         \
  if (AscendC::host_leaves(sizeof(ASC_HOST_TEXT(ASCENDC_CUBE_ONLY)) == 1, (tpipe), (workspace))) return; \
  AscendC::host_register(__VA_ARGS__)

namespace AscendC {

template <typename Pipe>
bool host_leaves(bool cube_only, Pipe*, const void*) {
  return cube_only ? ASCEND_IS_AIV : ASCEND_IS_AIC;
}

template <TPosition position, CubeFormat format, typename Type, bool is_trans = false>
struct MatmulType {
  using T = Type;
  static constexpr bool isTrans = is_trans;
};

template <typename T>
struct HostSum {
  using Type = float;
};
template <>
struct HostSum<int8_t> {
  using Type = int32_t;
};

template <typename A, typename B, typename C, typename Bias = C>
class Matmul {
  using TA = typename A::T;
  using TB = typename B::T;
  using TC = typename C::T;
  using TBias = typename Bias::T;
  using Acc = typename HostSum<TA>::Type;

 public:
  Matmul() = default;
  Matmul(const Matmul&) = delete;
  ~Matmul() {
    free(left_);
    free(right_);
    free(sums_);
  }

  void Init(const TCubeTiling* tiling) {
    shape_ = {tiling->singleCoreM, tiling->singleCoreN, tiling->singleCoreK,
              tiling->baseM,       tiling->baseN,       tiling->iterateOrder == 1};
    org_m_ = tiling->M;
    org_n_ = tiling->N;
    org_ka_ = tiling->Ka;
    org_kb_ = tiling->Kb;
    wants_bias_ = tiling->isBias != 0;
  }
  void SetTensorA(const GlobalTensor<TA>& a, bool transpose = false) {
    a_ = a.GetPhyAddr();
    a_transposed_ = transpose;
    next_ = 0;
  }
  void SetTensorB(const GlobalTensor<TB>& b, bool transpose = false) {
    b_ = b.GetPhyAddr();
    b_transposed_ = transpose;
    next_ = 0;
  }
  void SetBias(const GlobalTensor<TBias>& bias) {
    bias_ = bias.GetPhyAddr();
    wants_bias_ = true;
  }
  void DisableBias() { wants_bias_ = false; }
  void SetTail(int m = -1, int n = -1, int k = -1) {
    if (m != -1) shape_.m = m;
    if (n != -1) shape_.n = n;
    if (k != -1) shape_.k = k;
  }
  void SetSingleShape(int m, int n, int k) { SetTail(m, n, k); }
  void SetOrgShape(int m, int n, int k) { SetOrgShape(m, n, k, k); }
  void SetOrgShape(int m, int n, int ka, int kb, int kc = 0) {
    org_m_ = m;
    org_n_ = n;
    org_ka_ = ka;
    org_kb_ = kb;
    org_kc_ = kc;
  }

  template <bool sync = true>
  bool Iterate(bool = false) {
    if (next_ >= shape_.blocks()) return false;
    block_ = asc::bodies::matmul_block(shape_, next_++);
    const int64_t rows = block_.rows, columns = block_.columns, k = shape_.k;
    left_ = static_cast<Acc*>(realloc(left_, static_cast<size_t>(rows * k) * sizeof(Acc)));
    right_ = static_cast<Acc*>(realloc(right_, static_cast<size_t>(columns * k) * sizeof(Acc)));
    sums_ = static_cast<Acc*>(realloc(sums_, static_cast<size_t>(rows * columns) * sizeof(Acc)));
    for (int64_t r = 0; r < rows; r++)
      for (int64_t d = 0; d < k; d++)
        left_[r * k + d] =
            element<TA>(a_, a_transposed_ ? d * org_m_ + block_.row + r : (block_.row + r) * org_ka_ + d);
    for (int64_t d = 0; d < k; d++)
      for (int64_t c = 0; c < columns; c++)
        right_[d * columns + c] = element<TB>(
            b_, b_transposed_ ? (block_.column + c) * org_kb_ + d : d * org_n_ + block_.column + c);
    for (int64_t r = 0; r < rows; r++)
      for (int64_t c = 0; c < columns; c++)
        sums_[r * columns + c] = wants_bias_ ? element<TBias>(bias_, block_.column + c) : Acc{0};
    asc::bodies::matmul_add(sums_, left_, right_, rows, columns, k);
    return true;
  }
  template <bool sync = true>
  void GetTensorC(const GlobalTensor<TC>& c, uint8_t atomic = 0, bool sequential = false) {
    put(c.GetPhyAddr(), atomic, sequential);
  }
  template <bool sync = true>
  void GetTensorC(const LocalTensor<TC>& c, uint8_t atomic = 0, bool sequential = false) {
    put(c.GetPhyAddr(), atomic, sequential);
  }
  template <bool sync = true>
  void GetTensorC(const GlobalTensor<TC>& c, const LocalTensor<TC>& local, uint8_t atomic = 0,
                  bool sequential = false) {
    put(c.GetPhyAddr(), atomic, sequential);
    __builtin_memcpy(local.GetPhyAddr(), c.GetPhyAddr(), local.GetLength() / 32 * 32);
  }
  template <bool sync = true>
  void IterateAll(const GlobalTensor<TC>& c, uint8_t atomic = 0, bool sequential = false, bool = false,
                  bool = false) {
    TC* to = c.GetPhyAddr();
    while (Iterate()) {
      put(to, atomic, sequential);
      if (sequential) to += block_.rows * block_.columns;
    }
  }
  void WaitIterateAll() {}
  void End() {}

 private:
  template <typename T>
  static Acc element(const T* from, int64_t index) {
    return static_cast<Acc>(asc::bodies::load(from + index));
  }
  void put(TC* to, int64_t atomic, bool sequential) const {
    const int64_t stride = sequential ? block_.columns : org_kc_ > 0 ? org_kc_ : org_n_;
    if (!sequential) to += block_.row * stride + block_.column;
    for (int64_t r = 0; r < block_.rows; r++)
      for (int64_t c = 0; c < block_.columns; c++) {
        TC* at = to + r * stride + c;
        TC value = asc::bodies::matmul_result<TC>(sums_[r * block_.columns + c]);
        if (atomic != 0) value = asc::bodies::matmul_combine(atomic, asc::bodies::load(at), value);
        asc::bodies::store(at, value);
      }
  }

  asc::bodies::MatmulShape shape_;
  asc::bodies::MatmulBlock block_;
  int64_t org_m_ = 0, org_n_ = 0, org_ka_ = 0, org_kb_ = 0, org_kc_ = 0, next_ = 0;
  const TA* a_ = nullptr;
  const TB* b_ = nullptr;
  const TBias* bias_ = nullptr;
  bool a_transposed_ = false, b_transposed_ = false, wants_bias_ = false;
  Acc *left_ = nullptr, *right_ = nullptr, *sums_ = nullptr;
};

template <typename Object>
void host_register(Object&) {}
template <typename Object>
void host_register(Object& object, const TCubeTiling* tiling) {
  object.Init(tiling);
}

}  // namespace AscendC
