// SPDX-License-Identifier: Apache-2.0
// half_t and bfloat16_t against independent formulas in double: every pattern, every rounding boundary.
#include "base/half.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>

namespace {

using asc::bfloat16_t;
using asc::half_t;

static_assert(half_t(1.0f).bits == 0x3c00 && half_t(-2.0).bits == 0xc000 && half_t(0.1).bits == 0x2e66);
static_assert(half_t(65519.0f).bits == 0x7bff && half_t(65520.0f).bits == 0x7c00 &&
              half_t(-1e9).bits == 0xfc00);
static_assert(half_t(2049).bits == half_t(2048).bits && half_t(2051).bits == half_t(2052).bits);
static_assert(half_t::from_bits(1) == 0x1p-24f && bfloat16_t::from_bits(1) == 0x1p-133f);
static_assert(bfloat16_t(1.0f).bits == 0x3f80 && bfloat16_t(3.3961776e38f).bits == 0x7f80);
static_assert(half_t(3) / 2 == 1.5f && -half_t(3) < half_t(0) && half_t(true) == 1.0f);

uint32_t bits_of(float value) {
  uint32_t bits;
  std::memcpy(&bits, &value, sizeof bits);
  return bits;
}

float float_of(uint32_t bits) {
  float value;
  std::memcpy(&value, &bits, sizeof value);
  return value;
}

struct Format {
  int fraction_bits, exponent_bits;
  int bias() const { return (1 << (exponent_bits - 1)) - 1; }
  uint16_t infinity() const { return static_cast<uint16_t>(((1 << exponent_bits) - 1) << fraction_bits); }
  // Value of a magnitude pattern; one past the largest finite one it is the power of two that would follow.
  double value(int pattern) const {
    const int exponent = pattern >> fraction_bits, fraction = pattern & ((1 << fraction_bits) - 1);
    if (exponent == 0) return std::ldexp(fraction, 1 - bias() - fraction_bits);
    return std::ldexp(fraction + (1 << fraction_bits), exponent - bias() - fraction_bits);
  }
  // Nearest pattern of a finite value by the definition: quantum, quotient, ties to even.
  uint16_t nearest(double value) const {
    int exponent = 0;
    std::frexp(value, &exponent);
    const int lowest = 1 - bias() - fraction_bits;
    const int quantum = std::max(exponent - 1 - fraction_bits, lowest);
    const double rounded = std::ldexp(std::nearbyint(std::ldexp(std::fabs(value), -quantum)), quantum);
    const uint16_t sign = std::signbit(value) ? 0x8000 : 0;
    if (rounded >= this->value(infinity())) return static_cast<uint16_t>(infinity() | sign);
    int pattern = 0;
    if (rounded > 0) {
      std::frexp(rounded, &exponent);
      const int biased = std::max(exponent - 1 + bias(), 0);
      const int place = (biased == 0 ? 1 : biased) - bias() - fraction_bits;
      pattern = static_cast<int>(std::ldexp(rounded, -place));
      if (biased > 0) pattern += (biased << fraction_bits) - (1 << fraction_bits);
    }
    return static_cast<uint16_t>(pattern | sign);
  }
};
constexpr Format kHalf{10, 5};
constexpr Format kBrain{7, 8};

template <class T>
void widen_all(const Format& format) {
  for (int pattern = 0; pattern < 0x10000; ++pattern) {
    const int magnitude = pattern & 0x7fff;
    const float actual = T::from_bits(static_cast<uint16_t>(pattern));
    ASSERT_EQ(std::signbit(actual), pattern >= 0x8000) << pattern;
    if (magnitude > format.infinity()) {
      ASSERT_TRUE(std::isnan(actual)) << pattern;
      ASSERT_TRUE(bits_of(actual) & 0x400000) << "not quiet: " << pattern;
      ASSERT_EQ(T(actual).bits, pattern | (1 << (format.fraction_bits - 1))) << "payload kept, made quiet";
    } else if (magnitude == format.infinity()) {
      ASSERT_TRUE(std::isinf(actual)) << pattern;
      ASSERT_EQ(T(actual).bits, pattern);
    } else {
      ASSERT_EQ(std::fabs(actual), format.value(magnitude)) << pattern;
      ASSERT_EQ(T(actual).bits, pattern);
    }
  }
}

TEST(Half, WidensEveryPatternAndBack) { widen_all<half_t>(kHalf); }
TEST(BFloat16, WidensEveryPatternAndBack) { widen_all<bfloat16_t>(kBrain); }

// Between each two neighbours: the floats and doubles nearest to the midpoint, on either side of it and on
// it.
template <class T>
void narrow_at_every_boundary(const Format& format) {
  for (int pattern = 0; pattern < format.infinity(); ++pattern) {
    const double low = format.value(pattern), high = format.value(pattern + 1), middle = (low + high) / 2;
    const int even = pattern % 2 == 0 ? pattern : pattern + 1;
    const double infinity = std::numeric_limits<double>::infinity();
    for (int sign : {0, 0x8000}) {
      const double s = sign != 0 ? -1 : 1;
      ASSERT_EQ(T(s * low).bits, pattern | sign);
      ASSERT_EQ(T(s * middle).bits, even | sign) << middle;
      ASSERT_EQ(T(s * std::nextafter(middle, 0)).bits, pattern | sign) << middle;
      ASSERT_EQ(T(s * std::nextafter(middle, infinity)).bits, (pattern + 1) | sign) << middle;
      ASSERT_EQ(T(s * std::nextafter(high, 0)).bits, (pattern + 1) | sign) << high;
      const float narrow = static_cast<float>(middle);
      if (narrow != middle) continue;  // not for the last bfloat16 step, whose midpoint is beyond float
      const float inf = std::numeric_limits<float>::infinity();
      const float f = static_cast<float>(s);
      ASSERT_EQ(T(f * narrow).bits, even | sign) << middle;
      ASSERT_EQ(T(f * std::nextafterf(narrow, 0)).bits, pattern | sign) << middle;
      ASSERT_EQ(T(f * std::nextafterf(narrow, inf)).bits, (pattern + 1) | sign) << middle;
    }
  }
}

TEST(Half, RoundsAtEveryBoundary) { narrow_at_every_boundary<half_t>(kHalf); }
TEST(BFloat16, RoundsAtEveryBoundary) { narrow_at_every_boundary<bfloat16_t>(kBrain); }

TEST(Half, RoundsFloatsOfEveryExponent) {
  for (uint64_t pattern = 0; pattern < 0x100000000; pattern += 7919) {
    const float value = float_of(static_cast<uint32_t>(pattern));
    if (!std::isfinite(value)) continue;
    ASSERT_EQ(half_t(value).bits, kHalf.nearest(value)) << value;
    ASSERT_EQ(bfloat16_t(value).bits, kBrain.nearest(value)) << value;
  }
}

TEST(Half, RoundsDoublesOnce) {
  uint64_t state = 1;
  for (int i = 0; i < 300000; ++i) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    double value;
    const uint64_t exponent = 1023 - 160 + (state >> 52) % 320;
    const uint64_t bits = (state & 0x800fffffffffffff) | exponent << 52;
    std::memcpy(&value, &bits, sizeof value);
    ASSERT_EQ(half_t(value).bits, kHalf.nearest(value)) << value;
    ASSERT_EQ(bfloat16_t(value).bits, kBrain.nearest(value)) << value;
  }
  EXPECT_EQ(half_t(1 + 0x1p-11 + 0x1p-40).bits, 0x3c01);  // by way of float it would be a tie and stay 1
  EXPECT_EQ(bfloat16_t(1 + 0x1p-8 + 0x1p-40).bits, 0x3f81);
  EXPECT_EQ(half_t(std::numeric_limits<double>::denorm_min()).bits, 0);
  EXPECT_EQ(half_t(-std::numeric_limits<double>::denorm_min()).bits, 0x8000);
  EXPECT_EQ(bfloat16_t(1e300).bits, 0x7f80);
  EXPECT_EQ(half_t(std::numeric_limits<double>::infinity()).bits, 0x7c00);
  EXPECT_GT(half_t(std::numeric_limits<double>::quiet_NaN()).bits & 0x7fff, 0x7c00);
  EXPECT_GT(bfloat16_t(-std::numeric_limits<double>::signaling_NaN()).bits & 0x7fff, 0x7f80);
}

TEST(Half, RoundsIntegersOnce) {
  for (int i = -70000; i <= 70000; ++i) ASSERT_EQ(half_t(i).bits, kHalf.nearest(i)) << i;
  EXPECT_EQ(half_t(0).bits, 0);
  EXPECT_EQ(half_t(std::numeric_limits<int64_t>::min()).bits, 0xfc00);
  EXPECT_EQ(half_t(std::numeric_limits<uint64_t>::max()).bits, 0x7c00);
  // 2^62 and half a unit of bfloat16 above it, and the same plus one: only the last bit of 63 breaks the tie.
  const int64_t tie = (int64_t{1} << 62) + (int64_t{1} << 54);
  EXPECT_EQ(bfloat16_t(tie).bits, bfloat16_t(0x1p62f).bits);
  EXPECT_EQ(bfloat16_t(tie + 1).bits, bfloat16_t(0x1p62f).bits + 1);
  EXPECT_EQ(bfloat16_t(-tie - 1).bits, (bfloat16_t(0x1p62f).bits + 1) | 0x8000);
  EXPECT_EQ(bfloat16_t(std::numeric_limits<int64_t>::min()).bits, bfloat16_t(-0x1p63f).bits);
}

#if defined(__x86_64__)
TEST(Half, DoesNotDependOnFlushToZero) {
  const unsigned saved = __builtin_ia32_stmxcsr();
  __builtin_ia32_ldmxcsr(saved | 0x8040);  // flush results and operands
  bool same = true;
  for (int pattern = 0; pattern < 0x400; ++pattern) {
    volatile uint16_t bits = static_cast<uint16_t>(pattern);
    const half_t half = half_t::from_bits(bits);
    const float wide = half;
    same = same && bits_of(wide) == (pattern == 0 ? 0 : bits_of(static_cast<float>(kHalf.value(pattern))));
    same = same && half_t(wide).bits == pattern;
    volatile uint16_t brain = static_cast<uint16_t>(pattern & 0x7f);  // float subnormals
    same = same && bfloat16_t(static_cast<float>(bfloat16_t::from_bits(brain))).bits == brain;
  }
  __builtin_ia32_ldmxcsr(saved);
  EXPECT_TRUE(same);
}
#endif

}  // namespace
