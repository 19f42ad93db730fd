// SPDX-License-Identifier: Apache-2.0
// Roots, quotients, exp and ln of one element. No call of the C library and no branch, so that loops
// vectorise and every processor gives the same bits.
#pragma once

#include "sim/bodies/arith.h"

namespace asc::bodies {
inline namespace ASC_ISA {

// RULE reciprocal and rsqrt are rounded correctly. The device approximates (errors above 2e-3 in half, 2e-4
// in float are possible), by an unpublished method. rsqrt goes through double, whose error never crosses a
// rounding boundary of float (checked for every fraction).
template <class T>
T reciprocal(T x) {
  return rounded<T>(1.0f / static_cast<float>(x));
}
template <class T>
T sqrt(T x) {
  return rounded<T>(__builtin_sqrtf(static_cast<float>(x)));
}
template <class T>
T rsqrt(T x) {
  return rounded<T>(static_cast<float>(1.0 / __builtin_sqrt(static_cast<double>(static_cast<float>(x)))));
}

// RULE exp and ln are computed in double and rounded once to float: at most 0.501 units in the last place
// off, and once more for half. The device's error is larger and its method unpublished.

// exp(x) = 2^k * exp(r), x = k * ln 2 + r, |r| <= ln 2 / 2. The polynomial is the best one of its degree
// (error 4.3e-11, relative); a double holds 2^k of every float result, so that subnormals are rounded once
// too.
inline float exp_of(float x) {
  constexpr double kLog2e = 0x1.71547652b82fep0, kLn2 = 0x1.62e42fefa39efp-1;
  constexpr double kToInteger = 0x1.8p52;  // its sum with k has k in the low bits, rounded to nearest
  const float held = x < -150.0f ? -150.0f : x > 130.0f ? 130.0f : x;
  const double wide = static_cast<double>(held), shifted = wide * kLog2e + kToInteger;
  const double r = wide - (shifted - kToInteger) * kLn2;
  double p = 0x1.a17e052cd2c8fp-13;
  p = p * r + 0x1.6da767a4988a9p-10;
  p = p * r + 0x1.1110a6173845ep-7;
  p = p * r + 0x1.555464884204ep-5;
  p = p * r + 0x1.5555557e7777ep-3;
  p = p * r + 0x1.0000005c981fcp-1;
  p = p * r + 0x1.fffffffff61ddp-1;
  p = p * r + 0x1.ffffffffa7011p-1;
  const uint64_t scaled = __builtin_bit_cast(uint64_t, p) + (__builtin_bit_cast(uint64_t, shifted) << 52);
  const float result = static_cast<float>(__builtin_bit_cast(double, scaled));
  return x != x ? x : result;
}

// ln(x) = e * ln 2 + ln(m), x = 2^e * m, sqrt(1/2) <= m < sqrt(2), and ln(m) = 2 atanh(s), s = (m - 1) / (m +
// 1), as s times a polynomial in s * s (error 8.6e-12, relative). m - 1 is exact, so that results near 0 keep
// their digits.
inline float ln_of(float x) {
  constexpr double kLn2 = 0x1.62e42fefa39efp-1;
  constexpr uint64_t kSqrtHalf = 0x3fe6a09e00000000,
                     kBias = 1024;  // every exponent of a float is above -kBias
  const uint64_t bits = __builtin_bit_cast(uint64_t, static_cast<double>(x));
  const uint64_t exponent = (bits - kSqrtHalf + (kBias << 52)) >> 52;
  const double m = __builtin_bit_cast(double, bits - ((exponent - kBias) << 52));
  // An integer below 2^52 as a double, by its bits: older instruction sets convert no 64-bit integers.
  const double e = __builtin_bit_cast(double, exponent | 0x4330000000000000) - (0x1p52 + 1024.0);
  const double s = (m - 1.0) / (m + 1.0), z = s * s;
  double p = 0x1.e3aa7f87ec3e2p-3;
  p = p * z + 0x1.2432e793be597p-2;
  p = p * z + 0x1.999a9bd409d19p-2;
  p = p * z + 0x1.555554db60926p-1;
  p = p * z + 0x1.0000000004991p+1;
  const float inf = FloatBits<float>::value(FloatBits<float>::kInfinity);
  float result = static_cast<float>(e * kLn2 + s * p);
  result = x == inf ? inf : result;
  result = x == 0.0f ? -inf : result;
  return x >= 0.0f ? result : FloatBits<float>::value(FloatBits<float>::kQuietNan);
}

template <class T>
T exp(T x) {
  return rounded<T>(exp_of(static_cast<float>(x)));
}
template <class T>
T ln(T x) {
  return rounded<T>(ln_of(static_cast<float>(x)));
}

}  // namespace ASC_ISA
}  // namespace asc::bodies
