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

// RULE exp is at most 0.91 units in the last place of float off (all floats were tried). ln is computed in
// double and rounded once to float: at most 0.501 units. Both are rounded once more for half. The device's
// error is larger and its method unpublished.

// exp(x) = 2^k * exp(r), x = k * ln 2 + r, |r| <= ln 2 / 2, in float alone: twice the lanes of double. k *
// kHigh is exact, and so is `high`; `low`, a millionth of k, is taken away where the sum is small. The
// polynomial is the best one of its degree (error 3.2e-9, relative); its short chain counts more than its
// operations. 2^k goes in two halves, neither of which is subnormal or infinite: the second product alone
// rounds, or overflows.
inline float exp_of(float x) {
  constexpr float kLog2e = 0x1.715476p0f, kHigh = 0x1.62e4p-1f, kLow = 0x1.7f7d1cp-20f;
  constexpr float kToInteger = 0x1.8p23f + 254.0f;  // its sum with k has k + 2 * 127 in the low bits
  using Bits = FloatBits<float>;
  const int32_t raw = Bits::raw(x), magnitude = raw & Bits::kMagnitude;
  constexpr int32_t kFar = 0x42d20000;  // 105: the results are infinity and 0
  const float held = Bits::value((magnitude < kFar ? magnitude : kFar) | (raw & ~Bits::kMagnitude));
  const float shifted = held * kLog2e + kToInteger, k = shifted - kToInteger;
  const float high = held - k * kHigh, low = k * kLow, r = high - low, z = r * r;
  const float p =
      (0x1.fffffcp-2f + 0x1.555492p-3f * r) + z * ((0x1.5558bp-5f + 0x1.12398ep-7f * r) + z * 0x1.6a4d6p-10f);
  const float sum = 1.0f + (high + (z * p - low));
  const uint32_t exponents = static_cast<uint32_t>(Bits::raw(shifted)), half = exponents >> 1;
  const float result = sum * Bits::value(static_cast<int32_t>(half << 23)) *
                       Bits::value(static_cast<int32_t>((exponents - half) << 23));
  return x != x ? Bits::value(Bits::kQuietNan) : result;
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
  return static_cast<T>(exp_of(static_cast<float>(x)));  // a NaN is the one NaN already
}
template <class T>
T ln(T x) {
  return rounded<T>(ln_of(static_cast<float>(x)));
}

}  // namespace ASC_ISA
}  // namespace asc::bodies
