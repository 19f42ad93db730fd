// SPDX-License-Identifier: Apache-2.0
// Vector op bodies in count form: one line an op, named as in Ascend C, and one runner a family.
// dst, src: element pointers of any alignment; n: elements, 0 or less does nothing. dst may be a source.
// Shared by the simulator and the host build of printed kernels.
#pragma once

#include <stdint.h>

#include "sim/bodies/arith.h"
#include "sim/bodies/functions.h"

namespace asc::bodies {
inline namespace ASC_ISA {

// ---- ops ----

#define ASC_BODY_UNARY(Id, expr)         \
  template <class T>                     \
  struct Id {                            \
    static T apply(T a) { return expr; } \
  };
#define ASC_BODY_BINARY(Id, expr)             \
  template <class T>                          \
  struct Id {                                 \
    static T apply(T a, T b) { return expr; } \
  };
#define ASC_BODY_BINARY_ACC(Id, expr)                \
  template <class T>                                 \
  struct Id {                                        \
    static T apply(T a, T b, T dst) { return expr; } \
  };

ASC_BODY_UNARY(Abs, abs(a))
ASC_BODY_UNARY(Exp, exp(a))
ASC_BODY_UNARY(Ln, ln(a))
ASC_BODY_UNARY(Sqrt, sqrt(a))
ASC_BODY_UNARY(Rsqrt, rsqrt(a))
ASC_BODY_UNARY(Reciprocal, reciprocal(a))
ASC_BODY_UNARY(Relu, relu(a))
ASC_BODY_UNARY(Not, bit_not(a))

ASC_BODY_BINARY(Add, add(a, b))
ASC_BODY_BINARY(Sub, sub(a, b))
ASC_BODY_BINARY(Mul, mul(a, b))
ASC_BODY_BINARY(Div, div(a, b))
ASC_BODY_BINARY(Max, max(a, b))
ASC_BODY_BINARY(Min, min(a, b))
ASC_BODY_BINARY(And, bit_and(a, b))
ASC_BODY_BINARY(Or, bit_or(a, b))
ASC_BODY_BINARY(AddRelu, relu(add(a, b)))
ASC_BODY_BINARY(SubRelu, relu(sub(a, b)))

// Tensor and scalar: b is the scalar.
ASC_BODY_BINARY(Adds, add(a, b))
ASC_BODY_BINARY(Muls, mul(a, b))
ASC_BODY_BINARY(Maxs, max(a, b))
ASC_BODY_BINARY(Mins, min(a, b))
ASC_BODY_BINARY(ShiftLeft, shift_left(a, b))
ASC_BODY_BINARY(ShiftRight, shift_right(a, b))
ASC_BODY_BINARY(LeakyRelu, leaky_relu(a, b))

// dst is read too.
ASC_BODY_BINARY_ACC(MulAddDst, mul_add(a, b, dst))
ASC_BODY_BINARY_ACC(FusedMulAdd, mul_add(a, dst, b))
ASC_BODY_BINARY_ACC(FusedMulAddRelu, relu(mul_add(a, dst, b)))
ASC_BODY_BINARY_ACC(Axpy, mul_add(a, b, dst))

#undef ASC_BODY_UNARY
#undef ASC_BODY_BINARY
#undef ASC_BODY_BINARY_ACC

// ---- loops ----

// By memcpy: local memory is bytes, in `fast` mode of any alignment.
template <class T>
T load(const T* from) {
  T value;
  __builtin_memcpy(&value, from, sizeof(T));
  return value;
}
template <class T>
void store(T* to, T value) {
  __builtin_memcpy(to, &value, sizeof(T));
}

// True if a write to one range may be read through the other by a later element. The very same range is not
// such a case: each element is read before it is written.
template <class T, class U>
bool overlaps_shifted(const T* dst, const U* src, int64_t n) {
  const uintptr_t a = reinterpret_cast<uintptr_t>(dst), b = reinterpret_cast<uintptr_t>(src);
  if (a == b && sizeof(T) == sizeof(U)) return false;
  return a < b + static_cast<uint64_t>(n) * sizeof(U) && b < a + static_cast<uint64_t>(n) * sizeof(T);
}

#if defined(__clang__)
#define ASC_INDEPENDENT _Pragma("clang loop vectorize(assume_safety)")
#else
#define ASC_INDEPENDENT _Pragma("GCC ivdep")
#endif

// dst[i] = op(dst[i], a[i], b[i]) for ranges that do not overlap shifted. A load that op ignores is not made.
// Not inlined: one loop serves both uses below.
template <class T, class U, class Op>
[[gnu::noinline]] void independent_lanes(T* dst, const U* a, const U* b, int64_t n, Op op) {
  ASC_INDEPENDENT
  for (int64_t i = 0; i < n; ++i) store(dst + i, op(load(dst + i), load(a + i), load(b + i)));
}

// RULE shifted overlap (the manual allows none): a repeat of 256 bytes is read before it is written, as the
// vector unit does, so that the result depends neither on the compiler nor on its vector width.
template <class T, class U, class Op>
void lanes(T* dst, const U* a, const U* b, int64_t n, Op op) {
  if (n <= 0) return;
  if (!overlaps_shifted(dst, a, n) && !overlaps_shifted(dst, b, n))
    return independent_lanes(dst, a, b, n, op);
  constexpr int64_t kRepeat = 256 / (sizeof(T) > sizeof(U) ? sizeof(T) : sizeof(U));
  for (int64_t i = 0; i < n; i += kRepeat) {
    const int64_t count = n - i < kRepeat ? n - i : kRepeat;
    T d[kRepeat];
    U x[kRepeat], y[kRepeat];
    __builtin_memcpy(d, dst + i, static_cast<uint64_t>(count) * sizeof(T));
    __builtin_memcpy(x, a + i, static_cast<uint64_t>(count) * sizeof(U));
    __builtin_memcpy(y, b + i, static_cast<uint64_t>(count) * sizeof(U));
    independent_lanes(d, x, y, count, op);
    __builtin_memcpy(dst + i, d, static_cast<uint64_t>(count) * sizeof(T));
  }
}
#undef ASC_INDEPENDENT

// ---- families ----

template <template <class> class Op, class T>
void run_unary(T* dst, const T* src, int64_t n) {
  lanes(dst, src, src, n, [](T, T a, T) { return Op<T>::apply(a); });
}

template <template <class> class Op, class T>
void run_binary(T* dst, const T* src0, const T* src1, int64_t n) {
  lanes(dst, src0, src1, n, [](T, T a, T b) { return Op<T>::apply(a, b); });
}

// U may be half where T is float: the sources widen exactly.
template <template <class> class Op, class T, class U>
void run_binary_acc(T* dst, const U* src0, const U* src1, int64_t n) {
  lanes(dst, src0, src1, n,
        [](T old, U a, U b) { return Op<T>::apply(static_cast<T>(a), static_cast<T>(b), old); });
}

template <template <class> class Op, class T>
void run_scalar(T* dst, const T* src, T scalar, int64_t n) {
  lanes(dst, src, src, n, [scalar](T, T a, T) { return Op<T>::apply(a, scalar); });
}

template <template <class> class Op, class T, class U>
void run_scalar_acc(T* dst, const U* src, U scalar, int64_t n) {
  const T wide = static_cast<T>(scalar);
  lanes(dst, src, src, n, [wide](T old, U a, U) { return Op<T>::apply(static_cast<T>(a), wide, old); });
}

template <class T>
void duplicate(T* dst, T scalar, int64_t n) {
  for (int64_t i = 0; i < n; ++i) store(dst + i, scalar);
}

}  // namespace ASC_ISA
}  // namespace asc::bodies
