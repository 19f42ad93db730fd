// SPDX-License-Identifier: Apache-2.0
// Op bodies: the boundary values that the Ascend C manual tabulates, every half through the unary ops,
// wrapping and shifts, overlap, and the cube product over fractals.
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <set>
#include <vector>

#include "sim/bodies/cube.h"
#include "sim/bodies/vector.h"

namespace {

namespace bodies = asc::bodies;
using asc::half_t;

template <class T>
struct Limits {
  static T max() { return std::numeric_limits<T>::max(); }
  static T inf() { return std::numeric_limits<T>::infinity(); }
  static T nan() { return std::numeric_limits<T>::quiet_NaN(); }
};
template <>
struct Limits<half_t> {
  static half_t max() { return 65504.0f; }
  static half_t inf() { return std::numeric_limits<float>::infinity(); }
  static half_t nan() { return std::numeric_limits<float>::quiet_NaN(); }
};

// Same value, same sign of zero; a NaN must be the one quiet NaN.
template <class T>
::testing::AssertionResult same(T actual, T expected) {
  if (std::isnan(static_cast<float>(expected))) expected = Limits<T>::nan();
  if (std::memcmp(&actual, &expected, sizeof(T)) == 0) return ::testing::AssertionSuccess();
  return ::testing::AssertionFailure()
         << static_cast<float>(actual) << " is not " << static_cast<float>(expected);
}

template <template <class> class Op, class T>
T unary(T a) {
  T result{};
  bodies::run_unary<Op>(&result, &a, 1);
  return result;
}
template <template <class> class Op, class T>
T binary(T a, T b) {
  T result{}, by_scalar{};
  bodies::run_binary<Op>(&result, &a, &b, 1);
  bodies::run_scalar<Op>(&by_scalar, &a, b, 1);
  EXPECT_EQ(std::memcmp(&result, &by_scalar, sizeof(T)), 0);
  return result;
}
template <template <class> class Op, class T, class U>
T accumulate(T dst, U a, U b) {
  bodies::run_binary_acc<Op>(&dst, &a, &b, 1);
  return dst;
}

template <class T>
class FloatBodies : public ::testing::Test {};
using FloatTypes = ::testing::Types<float, half_t>;
TYPED_TEST_SUITE(FloatBodies, FloatTypes);

// Appendix "boundary values of the vector interfaces", tables 2 to 8, INF/NAN mode.
TYPED_TEST(FloatBodies, UnaryBoundaryValues) {
  using T = TypeParam;
  const T max = Limits<T>::max(), min = -max, inf = Limits<T>::inf(), minus_inf = -inf,
          nan = Limits<T>::nan();
  const T zero = 0.0f, minus_zero = -0.0f;
  EXPECT_TRUE(same(unary<bodies::Exp>(min), zero));
  EXPECT_TRUE(same(unary<bodies::Exp>(max), inf));
  EXPECT_TRUE(same(unary<bodies::Exp>(minus_zero), T(1.0f)));
  EXPECT_TRUE(same(unary<bodies::Exp>(minus_inf), zero));
  EXPECT_TRUE(same(unary<bodies::Exp>(nan), nan));
  EXPECT_TRUE(same(unary<bodies::Ln>(min), nan));
  EXPECT_TRUE(same(unary<bodies::Ln>(zero), minus_inf));
  EXPECT_TRUE(same(unary<bodies::Ln>(minus_zero), minus_inf));
  EXPECT_TRUE(same(unary<bodies::Ln>(inf), inf));
  EXPECT_TRUE(same(unary<bodies::Ln>(minus_inf), nan));
  EXPECT_TRUE(same(unary<bodies::Abs>(min), max));
  EXPECT_TRUE(same(unary<bodies::Abs>(minus_zero), zero));
  EXPECT_TRUE(same(unary<bodies::Abs>(minus_inf), inf));
  EXPECT_TRUE(same(unary<bodies::Abs>(T(-nan)), nan));
  EXPECT_TRUE(same(unary<bodies::Reciprocal>(zero), inf));
  EXPECT_TRUE(same(unary<bodies::Reciprocal>(minus_zero), minus_inf));
  EXPECT_TRUE(same(unary<bodies::Reciprocal>(inf), zero));
  EXPECT_TRUE(same(unary<bodies::Reciprocal>(minus_inf), minus_zero));
  EXPECT_TRUE(same(unary<bodies::Sqrt>(min), nan));
  EXPECT_TRUE(same(unary<bodies::Sqrt>(minus_zero), minus_zero));
  EXPECT_TRUE(same(unary<bodies::Sqrt>(inf), inf));
  EXPECT_TRUE(same(unary<bodies::Rsqrt>(zero), inf));
  EXPECT_TRUE(same(unary<bodies::Rsqrt>(minus_zero), minus_inf));
  EXPECT_TRUE(same(unary<bodies::Rsqrt>(inf), zero));
  EXPECT_TRUE(same(unary<bodies::Rsqrt>(minus_inf), nan));
  EXPECT_TRUE(same(unary<bodies::Relu>(min), zero));
  EXPECT_TRUE(same(unary<bodies::Relu>(minus_zero), zero));
  EXPECT_TRUE(same(unary<bodies::Relu>(nan), nan));
  EXPECT_TRUE(same(unary<bodies::Relu>(T(-nan)), nan));
  EXPECT_TRUE(same(unary<bodies::Relu>(minus_inf), zero));
  EXPECT_TRUE(same(unary<bodies::Relu>(max), max));
}

// Tables 9 to 19.
TYPED_TEST(FloatBodies, BinaryBoundaryValues) {
  using T = TypeParam;
  const T max = Limits<T>::max(), min = -max, inf = Limits<T>::inf(), minus_inf = -inf,
          nan = Limits<T>::nan();
  const T zero = 0.0f, minus_zero = -0.0f;
  EXPECT_TRUE(same(binary<bodies::Add>(max, max), inf));
  EXPECT_TRUE(same(binary<bodies::Add>(minus_zero, minus_zero), minus_zero));
  EXPECT_TRUE(same(binary<bodies::Add>(inf, minus_inf), nan));
  EXPECT_TRUE(same(binary<bodies::Sub>(minus_zero, zero), minus_zero));
  EXPECT_TRUE(same(binary<bodies::Sub>(inf, inf), nan));
  EXPECT_TRUE(same(binary<bodies::Mul>(min, zero), minus_zero));
  EXPECT_TRUE(same(binary<bodies::Mul>(zero, inf), nan));
  EXPECT_TRUE(same(binary<bodies::Div>(zero, zero), nan));
  EXPECT_TRUE(same(binary<bodies::Div>(max, minus_zero), minus_inf));
  EXPECT_TRUE(same(binary<bodies::Div>(minus_zero, min), zero));
  for (const auto& [a, b, larger, smaller] :
       std::vector<std::array<T, 4>>{{zero, minus_zero, zero, minus_zero},
                                     {minus_zero, zero, zero, minus_zero},
                                     {min, minus_inf, min, minus_inf},
                                     {min, minus_zero, minus_zero, min},
                                     {max, inf, inf, max},
                                     {inf, minus_inf, inf, minus_inf},
                                     {nan, inf, nan, nan},
                                     {minus_inf, nan, nan, nan},
                                     {T(-nan), zero, nan, nan}}) {
    EXPECT_TRUE(same(binary<bodies::Max>(a, b), larger));
    EXPECT_TRUE(same(binary<bodies::Min>(a, b), smaller));
    EXPECT_TRUE(same(binary<bodies::Maxs>(b, a), larger));
    EXPECT_TRUE(same(binary<bodies::Mins>(b, a), smaller));
  }
  EXPECT_TRUE(same(binary<bodies::LeakyRelu>(min, minus_zero), zero));
  EXPECT_TRUE(same(binary<bodies::LeakyRelu>(zero, nan), zero));
  EXPECT_TRUE(same(binary<bodies::LeakyRelu>(minus_zero, min), zero));
  EXPECT_TRUE(same(binary<bodies::LeakyRelu>(minus_zero, max), minus_zero));
  EXPECT_TRUE(same(binary<bodies::LeakyRelu>(minus_zero, inf), nan));
  EXPECT_TRUE(same(binary<bodies::LeakyRelu>(inf, nan), inf));
  EXPECT_TRUE(same(binary<bodies::LeakyRelu>(minus_inf, zero), nan));
  EXPECT_TRUE(same(binary<bodies::LeakyRelu>(nan, max), nan));
  EXPECT_TRUE(same(binary<bodies::AddRelu>(minus_zero, minus_zero), zero));
  EXPECT_TRUE(same(binary<bodies::AddRelu>(min, min), zero));
  EXPECT_TRUE(same(binary<bodies::AddRelu>(inf, minus_inf), nan));
  EXPECT_TRUE(same(binary<bodies::SubRelu>(minus_zero, zero), zero));
  EXPECT_TRUE(same(binary<bodies::SubRelu>(minus_inf, minus_inf), nan));
}

// Tables 20 to 23: the product overflows to infinity before the sum.
TYPED_TEST(FloatBodies, FusedOpsRoundTwice) {
  using T = TypeParam;
  const T max = Limits<T>::max(), min = -max, inf = Limits<T>::inf(), minus_inf = -inf,
          nan = Limits<T>::nan();
  EXPECT_TRUE(same(accumulate<bodies::MulAddDst>(minus_inf, max, max), nan));
  EXPECT_TRUE(same(accumulate<bodies::MulAddDst>(min, max, max), inf));
  EXPECT_TRUE(same(accumulate<bodies::FusedMulAdd>(max, max, minus_inf), nan));
  EXPECT_TRUE(same(accumulate<bodies::FusedMulAddRelu>(max, min, T(1.0f)), T(0.0f)));
  // (1 + e)^2 - (1 + 2e) is e^2 exactly, and 0 once the product is rounded.
  const float epsilon = sizeof(T) == 2 ? 0x1p-10f : 0x1p-23f;
  const T x = 1 + epsilon, y = -(1 + 2 * epsilon);
  EXPECT_TRUE(same(accumulate<bodies::MulAddDst>(y, x, x), T(0.0f)));
  EXPECT_TRUE(same(accumulate<bodies::FusedMulAdd>(x, x, y), T(0.0f)));
  T axpy = y;
  bodies::run_scalar_acc<bodies::Axpy>(&axpy, &x, x, 1);
  EXPECT_TRUE(same(axpy, T(0.0f)));
}

TEST(Bodies, HalfProductOfAFloatResultIsExact) {
  const half_t x = 1 + 0x1p-10f, max = 65504.0f;
  EXPECT_EQ(accumulate<bodies::MulAddDst>(-(1 + 0x1p-9f), x, x), 0x1p-20f);
  EXPECT_EQ(accumulate<bodies::MulAddDst>(1.0f, max, max), 65504.0f * 65504.0f + 1.0f);
  float dst = -(1 + 0x1p-9f);
  bodies::run_scalar_acc<bodies::Axpy>(&dst, &x, x, 1);
  EXPECT_EQ(dst, 0x1p-20f);
}

// Distance of a body from the correctly rounded function over every half. `tolerated` halves may be one unit
// off.
template <template <class> class Op>
void every_half(long double (*function)(long double), int tolerated = 0) {
  int one_off = 0;
  for (int pattern = 0; pattern < 0x10000; ++pattern) {
    if ((pattern & 0x7fff) > 0x7c00 && (pattern & 0x7fff) != 0x7e00)
      continue;  // of the NaNs the two quiet ones
    const half_t x = half_t::from_bits(static_cast<uint16_t>(pattern));
    const long double exact = function(static_cast<float>(x));
    // Rounding to odd in double keeps the half correct; a float or plain double step could round twice.
    double wide = static_cast<double>(exact);
    if (static_cast<long double>(wide) != exact && std::isfinite(wide)) {
      uint64_t bits;
      if (std::fabs(static_cast<long double>(wide)) > std::fabs(exact)) wide = std::nextafter(wide, 0.0);
      std::memcpy(&bits, &wide, sizeof bits);
      bits |= 1;
      std::memcpy(&wide, &bits, sizeof bits);
    }
    const half_t actual = unary<Op>(x), expected = wide;
    if (one_off < tolerated && std::abs(actual.bits - expected.bits) == 1) {
      ++one_off;
    } else {
      ASSERT_TRUE(same(actual, expected)) << "input bits " << pattern;
    }
  }
}
TEST(Bodies, EveryHalfIsRoundedCorrectly) {
  every_half<bodies::Sqrt>([](long double x) { return std::sqrt(x); });
  every_half<bodies::Reciprocal>([](long double x) { return 1 / x; });
  every_half<bodies::Rsqrt>([](long double x) { return 1 / std::sqrt(x); });
  // By way of float: for these few the float result is a tie between two halves.
  every_half<bodies::Exp>([](long double x) { return std::exp(x); }, 2);
  every_half<bodies::Ln>([](long double x) { return std::log(x); }, 1);
  every_half<bodies::Relu>([](long double x) { return std::isnan(x) || x > 0 ? x : 0.0L; });
  every_half<bodies::Abs>([](long double x) { return std::fabs(x); });
}

// r is 1/sqrt(x) rounded if 1/x lies between the squares of the midpoints below and above r: in integers,
// exactly.
TEST(Bodies, RsqrtOfFloatIsRoundedCorrectly) {
  for (uint32_t step = 0; step < 1u << 24; step += 61) {
    const float x =
        std::ldexp(1.0f + std::ldexp(static_cast<float>(step & 0x7fffff), -23), step >> 23 != 0 ? 1 : 0);
    const float r = unary<bodies::Rsqrt>(x);
    __extension__ using Wide = unsigned __int128;
    const auto fraction_of_x = static_cast<Wide>(std::ldexp(x, 23));  // x = fraction * 2^-23
    const int scale = r < 1.0f ? 25 : 24;                             // half a last place of r is 2^-scale
    const auto twice_r = static_cast<Wide>(std::ldexp(r, scale));
    const Wide one = Wide{1} << (2 * scale + 23);
    const Wide below = r == 1.0f ? twice_r * 2 - 1 : (twice_r - 1) * 2, above = (twice_r + 1) * 2;
    ASSERT_TRUE(below * below * fraction_of_x <= one * 4 && one * 4 <= above * above * fraction_of_x) << x;
  }
}

TEST(Bodies, ExpAndLnOfFloatAreWithinAUnit) {
  for (int i = -8000; i <= 8000; ++i) {
    const float x = static_cast<float>(i) / 91.0f;
    const double e = std::exp(static_cast<double>(x));
    const float actual = unary<bodies::Exp>(x);
    if (e > 1e-37 && e < 3e38) {
      ASSERT_LE(std::fabs(actual - e), e * 0x1p-23) << x;
    }
    if (x <= 0) continue;
    const double l = std::log(static_cast<double>(x));
    ASSERT_LE(std::fabs(unary<bodies::Ln>(x) - l), std::fabs(l) * 0x1p-23) << x;
  }
}

template <class T>
void integers_wrap() {
  const T max = std::numeric_limits<T>::max(), min = std::numeric_limits<T>::min();
  EXPECT_EQ(binary<bodies::Add>(min, min), T{0});
  EXPECT_EQ(binary<bodies::Add>(max, max), T{-2});
  EXPECT_EQ(binary<bodies::Sub>(min, max), T{1});
  EXPECT_EQ(binary<bodies::Sub>(max, min), T{-1});
  EXPECT_EQ(binary<bodies::Mul>(min, min), T{0});
  EXPECT_EQ(binary<bodies::Mul>(min, max), min);
  EXPECT_EQ(binary<bodies::Mul>(max, max), T{1});
  EXPECT_EQ(binary<bodies::Adds>(max, T{1}), min);
  EXPECT_EQ(binary<bodies::Muls>(T{-3}, T{5}), T{-15});
  EXPECT_EQ(binary<bodies::Max>(min, max), max);
  EXPECT_EQ(binary<bodies::Mins>(T{-1}, T{1}), T{-1});
}
TEST(Bodies, IntegersWrap) {
  integers_wrap<int16_t>();
  integers_wrap<int32_t>();
  EXPECT_EQ(unary<bodies::Relu>(std::numeric_limits<int32_t>::min()), 0);
  EXPECT_EQ(binary<bodies::AddRelu>(int16_t{32767}, int16_t{1}), 0);
  EXPECT_EQ(binary<bodies::SubRelu>(int16_t{5}, int16_t{3}), 2);
  EXPECT_EQ(unary<bodies::Not>(uint16_t{0x0ff0}), 0xf00f);
  EXPECT_EQ(unary<bodies::Not>(int16_t{0}), -1);
  EXPECT_EQ(binary<bodies::And>(int16_t{-2}, int16_t{0x7f}), 0x7e);
  EXPECT_EQ(binary<bodies::Or>(uint16_t{0x8001}, uint16_t{0x0180}), 0x8181);
}

// The first six are the examples of the manual.
TEST(Bodies, Shifts) {
  const int16_t negative = static_cast<int16_t>(0xaaaa);
  EXPECT_EQ(binary<bodies::ShiftLeft>(negative, int16_t{1}), static_cast<int16_t>(0xd554));
  EXPECT_EQ(binary<bodies::ShiftLeft>(negative, int16_t{3}), static_cast<int16_t>(0xd550));
  EXPECT_EQ(binary<bodies::ShiftLeft>(uint16_t{0xaaaa}, uint16_t{1}), 0x5554);
  EXPECT_EQ(binary<bodies::ShiftRight>(uint16_t{0xaaaa}, uint16_t{1}), 0x5555);
  EXPECT_EQ(binary<bodies::ShiftRight>(negative, int16_t{1}), static_cast<int16_t>(0xd555));
  EXPECT_EQ(binary<bodies::ShiftRight>(negative, int16_t{3}), static_cast<int16_t>(0xf555));
  EXPECT_EQ(binary<bodies::ShiftLeft>(7, 2), 28);
  EXPECT_EQ(binary<bodies::ShiftLeft>(-7, 2), -28);
  // A distance of the whole width is allowed.
  EXPECT_EQ(binary<bodies::ShiftLeft>(uint32_t{5}, uint32_t{32}), 0u);
  EXPECT_EQ(binary<bodies::ShiftRight>(uint32_t{0xffffffff}, uint32_t{32}), 0u);
  EXPECT_EQ(binary<bodies::ShiftRight>(std::numeric_limits<int32_t>::min(), 32), -1);
  EXPECT_EQ(binary<bodies::ShiftRight>(int16_t{-1}, int16_t{16}), -1);
  EXPECT_EQ(binary<bodies::ShiftLeft>(uint16_t{1}, uint16_t{16}), 0);
  EXPECT_EQ(binary<bodies::ShiftLeft>(uint16_t{1}, uint16_t{15}), 0x8000);
}

TEST(Bodies, TailsUnalignedAndInPlace) {
  for (int64_t n : {0, 1, 7, 64, 65, 1000}) {
    std::vector<char> memory(3 * 4 * 1001 + 3);
    float* a = reinterpret_cast<float*>(memory.data() + 1);  // never dereferenced but by memcpy
    float* b = reinterpret_cast<float*>(memory.data() + 2 + 4 * 1001);
    float* d = reinterpret_cast<float*>(memory.data() + 3 + 8 * 1001);
    auto at = [](const float* p, int64_t i) {
      float value;
      std::memcpy(&value, p + i, sizeof value);
      return value;
    };
    for (int64_t i = 0; i < n; ++i) {
      const float x = static_cast<float>(i), y = 0.5f * static_cast<float>(i * i);
      std::memcpy(a + i, &x, sizeof x);
      std::memcpy(b + i, &y, sizeof y);
    }
    bodies::run_binary<bodies::Sub>(d, a, b, n);
    EXPECT_EQ(at(d, n), 0.0f) << "written past the end";
    for (int64_t i = 0; i < n; ++i)
      ASSERT_EQ(at(d, i), static_cast<float>(i) - 0.5f * static_cast<float>(i * i));
    bodies::run_binary<bodies::Sub>(b, a, b, n);  // dst is the second source
    ASSERT_EQ(std::memcmp(b, d, static_cast<size_t>(n) * 4), 0);
    bodies::run_binary<bodies::Add>(a, a, a, n);
    for (int64_t i = 0; i < n; ++i) ASSERT_EQ(at(a, i), static_cast<float>(2 * i));
  }
}

// dst eight elements after src: a repeat of 64 reads what the repeats before it wrote, and nothing of its
// own.
TEST(Bodies, ShiftedOverlapGoesByRepeats) {
  std::vector<float> memory(208, 1.0f), expected = memory;
  for (int begin = 0; begin < 200; begin += 64) {
    const std::vector<float> before = expected;
    for (int i = begin; i < std::min(begin + 64, 200); ++i) expected[i + 8] = before[i] + 1;
  }
  bodies::run_scalar<bodies::Adds>(memory.data() + 8, memory.data(), 1.0f, 200);
  EXPECT_EQ(memory, expected);
}

TEST(Bodies, DuplicateKeepsBits) {
  std::vector<half_t> half(5, half_t(7));
  bodies::duplicate(half.data(), half_t::from_bits(0xfdef), 4);  // a NaN with a payload
  for (int i = 0; i < 4; ++i) EXPECT_EQ(half[i].bits, 0xfdef);
  EXPECT_EQ(half[4].bits, half_t(7).bits);
}

// ---- cube ----

static_assert(bodies::kC0<half_t> == 16 && bodies::kC0<float> == 8 && bodies::kC0<int8_t> == 32);
// A 32 x 48 matrix of half: 2 x 3 fractals of 256 elements.
static_assert(bodies::l0a_index<half_t>(0, 15, 48) == 15 && bodies::l0a_index<half_t>(1, 0, 48) == 16);
static_assert(bodies::l0a_index<half_t>(0, 16, 48) == 256 && bodies::l0a_index<half_t>(16, 0, 48) == 3 * 256);
static_assert(bodies::l0b_index<half_t>(15, 0, 48) == 15 && bodies::l0b_index<half_t>(0, 1, 48) == 16);
static_assert(bodies::l0b_index<half_t>(0, 16, 48) == 256 && bodies::l0b_index<half_t>(16, 0, 48) == 3 * 256);
static_assert(bodies::l0c_index(0, 15, 32) == 15 && bodies::l0c_index(1, 0, 32) == 16);
static_assert(bodies::l0c_index(16, 0, 32) == 256 && bodies::l0c_index(0, 16, 32) == 2 * 256);
static_assert(bodies::l0a_index<float>(0, 8, 16) == 128 && bodies::l0b_index<float>(8, 0, 32) == 256);
static_assert(bodies::l0a_elements<half_t>(30, 70) == 2 * 5 * 256 &&
              bodies::l0b_elements<half_t>(70, 40) == 15 * 256);
static_assert(bodies::l0c_elements(30, 40) == 2 * 3 * 256 && bodies::l0a_elements<half_t>(1, 70) == 70);

TEST(Cube, LayoutsAreOneToOne) {
  const int64_t rows = 37, cols = 53;
  std::set<int64_t> a, b, c;
  for (int64_t i = 0; i < rows; ++i) {
    for (int64_t j = 0; j < cols; ++j) {
      a.insert(bodies::l0a_index<half_t>(i, j, cols));
      b.insert(bodies::l0b_index<half_t>(i, j, cols));
      c.insert(bodies::l0c_index(i, j, rows));
    }
  }
  EXPECT_EQ(a.size(), rows * cols);
  EXPECT_EQ(b.size(), rows * cols);
  EXPECT_EQ(c.size(), rows * cols);
  EXPECT_LT(*a.rbegin(), bodies::l0a_elements<half_t>(rows, cols));
  EXPECT_LT(*b.rbegin(), bodies::l0b_elements<half_t>(rows, cols));
  EXPECT_LT(*c.rbegin(), bodies::l0c_elements(rows, cols));
}

// Small integers: every order of summation gives the same float, so that the layout alone is tested.
void check_product(int64_t m, int64_t k, int64_t n, bool init) {
  SCOPED_TRACE(::testing::Message() << m << " x " << k << " x " << n << ", init " << init);
  auto value_a = [](int64_t i, int64_t j) { return static_cast<float>((i * 7 + j * 3) % 11 - 5); };
  auto value_b = [](int64_t i, int64_t j) { return static_cast<float>((i * 5 + j * 2) % 13 - 6); };
  const half_t poison = std::numeric_limits<float>::quiet_NaN();  // outside the matrix: must not be read
  std::vector<half_t> a(bodies::l0a_elements<half_t>(m, k), poison),
      b(bodies::l0b_elements<half_t>(k, n), poison);
  std::vector<float> c(bodies::l0c_elements(m, n), -1000.0f);
  for (int64_t i = 0; i < m; ++i)
    for (int64_t j = 0; j < k; ++j) a[m == 1 ? j : bodies::l0a_index<half_t>(i, j, k)] = value_a(i, j);
  for (int64_t i = 0; i < k; ++i)
    for (int64_t j = 0; j < n; ++j) b[bodies::l0b_index<half_t>(i, j, n)] = value_b(i, j);
  bodies::mmad(c.data(), a.data(), b.data(), m, k, n, init);
  int64_t untouched = 0;
  for (float x : c) untouched += x == -1000.0f;
  EXPECT_EQ(untouched, init ? bodies::l0c_elements(m, n) - m * n : untouched);
  for (int64_t i = 0; i < m; ++i) {
    for (int64_t j = 0; j < n; ++j) {
      float sum = init ? 0.0f : -1000.0f;
      for (int64_t t = 0; t < k; ++t) sum += value_a(i, t) * value_b(t, j);
      ASSERT_EQ(c[bodies::l0c_index(i, j, m)], sum) << i << ", " << j;
    }
  }
}
TEST(Cube, Product) {
  for (bool init : {true, false}) {
    check_product(16, 16, 16, init);
    check_product(32, 48, 64, init);
    check_product(30, 70, 40, init);
    check_product(1, 70, 40, init);  // a vector: A is not in fractals
  }
  float c = 5;
  const half_t one = 1;
  bodies::mmad(&c, &one, &one, 0, 1, 1, true);
  bodies::mmad(&c, &one, &one, 1, 0, 1, true);
  EXPECT_EQ(c, 5.0f);
}

TEST(Cube, RoundsInAscendingOrderOfK) {
  half_t a[16], b[16 * 16];
  float c[16 * 16];
  for (half_t& x : b) x = 0;
  for (half_t& x : a) x = 0;
  a[0] = 4096, a[1] = 0x1p-12f, a[2] = -4096;  // 2^24 + 2^-12 rounds to 2^24
  for (int k = 0; k < 3; ++k) b[bodies::l0b_index<half_t>(k, 0, 1)] = k == 1 ? 1.0f : 4096.0f;
  bodies::mmad(c, a, b, 1, 3, 1, true);
  EXPECT_EQ(c[0], 0.0f);
}

}  // namespace
