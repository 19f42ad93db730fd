// SPDX-License-Identifier: Apache-2.0
// Arithmetic on one element as the vector unit does it, on float, half, bfloat16 and integers. Every function
// rounds once, to its element type (the fused ones twice); vector.h composes them into ops.
// What the device does where IEEE or C++ leave a choice is marked RULE; "appendix" is the manual's tables of
// boundary values of the vector interfaces. Compiled with every printed kernel on the host, hence no header
// but <stdint.h>: in C++ <math.h> alone takes 0.2 s.
#pragma once

#include <stdint.h>

#include "base/half.h"

// The instruction set that a translation unit is compiled for: sim/isa has one for each.
#ifndef ASC_ISA
#define ASC_ISA baseline
#endif

namespace asc::bodies {
inline namespace ASC_ISA {

// ---- bit patterns: float, half and bfloat16 as signed integers, so that one body serves the three ----

template <class T>
struct FloatBits;
template <>
struct FloatBits<float> {
  using Raw = int32_t;
  static constexpr Raw kInfinity = 0x7f800000, kQuietNan = 0x7fc00000, kMagnitude = 0x7fffffff;
  static Raw raw(float value) { return __builtin_bit_cast(Raw, value); }
  static float value(Raw raw) { return __builtin_bit_cast(float, raw); }
};
template <class T, int kInf, int kNan>
struct ShortFloatBits {
  using Raw = int16_t;
  static constexpr Raw kInfinity = kInf, kQuietNan = kNan, kMagnitude = 0x7fff;
  static Raw raw(T value) { return static_cast<Raw>(value.bits); }
  static T value(Raw raw) { return T::from_bits(static_cast<uint16_t>(raw)); }
};
template <>
struct FloatBits<half_t> : ShortFloatBits<half_t, 0x7c00, 0x7e00> {};
template <>
struct FloatBits<bfloat16_t> : ShortFloatBits<bfloat16_t, 0x7f80, 0x7fc0> {};

template <class T>
inline constexpr bool kIsFloat = false;
template <>
inline constexpr bool kIsFloat<float> = true;
template <>
inline constexpr bool kIsFloat<half_t> = true;
template <>
inline constexpr bool kIsFloat<bfloat16_t> = true;

template <class T>
inline constexpr bool kIsSigned = static_cast<T>(-1) < static_cast<T>(1);

// All ones where the value is a NaN.
template <class T>
auto nan_mask(T value) {
  using Raw = typename FloatBits<T>::Raw;
  return static_cast<Raw>(-((FloatBits<T>::raw(value) & FloatBits<T>::kMagnitude) > FloatBits<T>::kInfinity));
}

template <class T, class Raw>
T select(Raw mask, Raw yes, Raw no) {
  return FloatBits<T>::value(static_cast<Raw>(no ^ (mask & (yes ^ no))));
}

// RULE NaN: a NaN result is the quiet NaN with sign and payload zero. The device's NaN has no sign (appendix,
// table 1); a processor lets sign and payload depend on the order of the operands, which the compiler
// chooses, and so two builds would differ.
template <class T>
T one_nan(T value) {
  return select<T>(nan_mask(value), FloatBits<T>::kQuietNan, FloatBits<T>::raw(value));
}
// The comparison is cheaper where the value comes out of float arithmetic.
inline float one_nan(float value) {
  return value != value ? FloatBits<float>::value(FloatBits<float>::kQuietNan) : value;
}

// A float result rounded to T. Sums, products, quotients and square roots of half or bfloat16 values are
// rounded correctly that way: float has more than twice their digits plus two.
template <class T>
T rounded(float value) {
  return one_nan(static_cast<T>(value));
}

// ---- arithmetic ----
// RULE integers wrap (appendix, tables 9 to 16, default mode). In uint32_t, for a signed overflow is
// undefined.

template <class T>
T add(T a, T b) {
  if constexpr (kIsFloat<T>)
    return rounded<T>(static_cast<float>(a) + static_cast<float>(b));
  else
    return static_cast<T>(static_cast<uint32_t>(a) + static_cast<uint32_t>(b));
}
template <class T>
T sub(T a, T b) {
  if constexpr (kIsFloat<T>)
    return rounded<T>(static_cast<float>(a) - static_cast<float>(b));
  else
    return static_cast<T>(static_cast<uint32_t>(a) - static_cast<uint32_t>(b));
}
template <class T>
T mul(T a, T b) {
  if constexpr (kIsFloat<T>)
    return rounded<T>(static_cast<float>(a) * static_cast<float>(b));
  else
    return static_cast<T>(static_cast<uint32_t>(a) * static_cast<uint32_t>(b));
}
template <class T>
T div(T a, T b) {
  return rounded<T>(static_cast<float>(a) / static_cast<float>(b));
}

// RULE max, min: a NaN operand gives NaN; -0 is below +0 (appendix, tables 13, 14, 17, 18). Sign-magnitude
// turned into two's complement orders exactly so, without a floating point comparison.
template <class Raw>
Raw ordered(Raw raw) {
  constexpr int kSignBit = 8 * sizeof(Raw) - 1;
  constexpr Raw kMagnitude = static_cast<Raw>((1u << kSignBit) - 1);
  return static_cast<Raw>(raw ^ ((raw >> kSignBit) & kMagnitude));
}
// NaN if a or b is one, otherwise the value whose ordered() pattern is given.
template <class T>
T nan_or(T a, T b, typename FloatBits<T>::Raw order) {
  const auto any = static_cast<typename FloatBits<T>::Raw>(nan_mask(a) | nan_mask(b));
  return select<T>(any, FloatBits<T>::kQuietNan, ordered(order));
}
template <class T>
T max(T a, T b) {
  if constexpr (!kIsFloat<T>) {
    return a > b ? a : b;
  } else {
    const auto x = ordered(FloatBits<T>::raw(a)), y = ordered(FloatBits<T>::raw(b));
    return nan_or(a, b, x > y ? x : y);
  }
}
template <class T>
T min(T a, T b) {
  if constexpr (!kIsFloat<T>) {
    return a < b ? a : b;
  } else {
    const auto x = ordered(FloatBits<T>::raw(a)), y = ordered(FloatBits<T>::raw(b));
    return nan_or(a, b, x < y ? x : y);
  }
}

// RULE relu: max(0, x), so NaN stays and -0 becomes +0 (tables 8, 24, 25).
template <class T>
T relu(T x) {
  if constexpr (kIsFloat<T>)
    return max(x, FloatBits<T>::value(0));
  else
    return max(x, T{0});
}

// RULE abs clears the sign bit; a NaN keeps its payload.
template <class T>
T abs(T x) {
  using Bits = FloatBits<T>;
  return Bits::value(static_cast<typename Bits::Raw>(Bits::raw(x) & Bits::kMagnitude));
}

// RULE leaky_relu: the sign bit decides, not a comparison with zero: -0 is multiplied (table 19: -0, inf:
// NaN).
template <class T>
T leaky_relu(T x, T slope) {
  using Raw = typename FloatBits<T>::Raw;
  const Raw negative = static_cast<Raw>(-(FloatBits<T>::raw(x) < 0));
  return one_nan(select<T>(negative, FloatBits<T>::raw(mul(x, slope)), FloatBits<T>::raw(x)));
}

// RULE fused ops round twice, after the product and after the sum, each time to the element type: the samples
// that the manual prints for FusedMulAdd and MulAddRelu in half come out so and not with one rounding, and
// the intermediate column of tables 20 to 23 overflows to infinity. With half sources and a float result the
// product is exact (the printed sample of MulAddDst).
template <class T>
T mul_add(T a, T b, T c) {
  return add(mul(a, b), c);
}

// ---- bits and shifts ----
template <class T>
T bit_not(T a) {
  return static_cast<T>(~a);
}
template <class T>
T bit_and(T a, T b) {
  return static_cast<T>(a & b);
}
template <class T>
T bit_or(T a, T b) {
  return static_cast<T>(a | b);
}

// A distance equal to the width is allowed: shifts go in two halves. More, or less than 0, counts as the
// width.
template <class T>
uint32_t shift_distance(T distance) {
  const uint32_t width = 8 * sizeof(T), given = static_cast<uint32_t>(distance);
  return given < width ? given : width;
}
// RULE shift_left of a signed type keeps the sign bit and drops the bit below it (manual, ShiftLeft: 0xaaaa
// shifted by one is 0xd554); unsigned types shift logically.
template <class T>
T shift_left(T x, T distance) {
  const uint32_t count = shift_distance(distance), first = count / 2, bits = static_cast<uint32_t>(x);
  const uint32_t shifted = (bits << first) << (count - first);
  const uint32_t kSign = kIsSigned<T> ? 1u << (8 * sizeof(T) - 1) : 0;
  return static_cast<T>((shifted & ~kSign) | (bits & kSign));
}
template <class T>
T shift_right(T x, T distance) {
  const uint32_t count = shift_distance(distance), first = count / 2;
  return static_cast<T>((x >> first) >> (count - first));
}

}  // namespace ASC_ISA
}  // namespace asc::bodies
