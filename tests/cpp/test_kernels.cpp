// SPDX-License-Identifier: Apache-2.0
// Vector kernels of every instruction set: the same bits for every op and dtype; exp and ln against the C
// library's long double functions; no code of one instruction set where another could run it.
#include "sim/kernels.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <random>
#include <string>
#include <vector>

#include "base/half.h"
#include "ops/op_table.h"
#include "sim/bodies/cube.h"

namespace {

using asc::DType;
using asc::Family;
using asc::OpId;
using asc::sim::Isa;
using asc::sim::vector_kernel;

constexpr Isa kIsas[] = {
#define ASC_X(name) Isa::name,
    ASC_FOR_EACH_ISA(ASC_X)
#undef ASC_X
};

bool is_vector(OpId op) {
  switch (asc::op_desc(op).family) {
    case Family::VecUnary:
    case Family::VecBinary:
    case Family::VecBinaryAcc:
    case Family::VecScalar:
    case Family::VecScalarAcc:
    case Family::VecFill: return true;
    default: return false;
  }
}

// More than two of the widest registers and a tail; random patterns, so that NaNs, infinities, subnormals and
// both zeros occur in each type, and the two zeros next to each other.
constexpr int64_t kCount = 1037;
using Bytes = std::array<uint8_t, kCount * 8>;

Bytes noise(uint32_t seed) {
  std::mt19937 random(seed);
  Bytes bytes;
  for (uint8_t& byte : bytes) byte = static_cast<uint8_t>(random());
  std::memset(bytes.data(), 0, 64);
  for (int i = 0; i < 64; i += 16) bytes[static_cast<size_t>(i) + 7] = 0x80;
  return bytes;
}

Bytes run(OpId op, DType t, DType u, Isa isa) {
  const asc::sim::Kernel kernel = vector_kernel(op, t, u, isa);
  Bytes dst = noise(1);
  if (!kernel) return dst;
  const Bytes a = noise(2), b = noise(3);
  const uint64_t scalar =
      t == DType::F16 || t == DType::F32 || t == DType::BF16 ? 0x40490fdb : 5;  // 3.1415927f, or 5
  switch (asc::op_desc(op).family) {
    case Family::VecUnary:
      reinterpret_cast<asc::sim::UnaryKernel>(kernel)(dst.data(), a.data(), kCount);
      break;
    case Family::VecBinary:
    case Family::VecBinaryAcc:
      reinterpret_cast<asc::sim::BinaryKernel>(kernel)(dst.data(), a.data(), b.data(), kCount);
      break;
    case Family::VecScalar:
    case Family::VecScalarAcc:
      reinterpret_cast<asc::sim::ScalarKernel>(kernel)(dst.data(), a.data(), scalar, kCount);
      break;
    default: reinterpret_cast<asc::sim::FillKernel>(kernel)(dst.data(), scalar, kCount);
  }
  return dst;
}

TEST(Kernels, SameBitsForEveryInstructionSet) {
  constexpr DType kTypes[] = {DType::Void, DType::I8,  DType::U8,  DType::I16, DType::U16,  DType::I32,
                              DType::U32,  DType::I64, DType::U64, DType::F16, DType::BF16, DType::F32};
  int compared = 0;
  for (int id = 0; id < asc::kOpCount; id++) {
    const auto op = static_cast<OpId>(id);
    if (!is_vector(op)) continue;
    for (const DType t : kTypes) {
      for (const DType u : kTypes) {
        if (t == DType::Void || !vector_kernel(op, t, u, Isa::baseline)) continue;
        const Bytes expected = run(op, t, u, Isa::baseline);
        for (const Isa isa : kIsas) {
          if (isa > asc::sim::best_isa()) continue;
          EXPECT_EQ(run(op, t, u, isa), expected)
              << asc::op_desc(op).name << " on " << asc::py_name(t) << ", " << asc::py_name(u) << ", isa "
              << static_cast<int>(isa);
          compared++;
        }
      }
    }
  }
  EXPECT_GT(compared, 100);
}

// Each sum in ascending order, rounded after each product and each addition.
std::vector<float> plain_product(const std::vector<float>& a, const std::vector<float>& b, size_t rows,
                                 size_t columns, size_t k) {
  std::vector<float> sums(rows * columns, 0.5f);
  for (size_t r = 0; r < rows; r++)
    for (size_t c = 0; c < columns; c++)
      for (size_t d = 0; d < k; d++) {
        const volatile float product = a[r * k + d] * b[d * columns + c];
        sums[r * columns + c] += product;
      }
  return sums;
}

// Magnitudes over the whole of half, among them its subnormals.
template <class T>
std::vector<T> wide_numbers(size_t count, std::mt19937& random) {
  std::vector<T> out(count);
  for (T& x : out)
    x = T(std::ldexp(static_cast<float>(random()) * 0x1p-31f - 1.0f, static_cast<int>(random() % 36) - 21));
  return out;
}

template <class T>
void same_products(DType dtype) {
  std::mt19937 random(4);
  for (const auto& [rows, columns, k] :
       {std::array<int64_t, 3>{1, 1, 1}, {4, 8, 16}, {7, 19, 5}, {16, 33, 40}, {25, 70, 259}, {1, 300, 70}}) {
    const auto a = wide_numbers<T>(static_cast<size_t>(rows * k), random);
    const auto b = wide_numbers<T>(static_cast<size_t>(k * columns), random);
    const std::vector<float> wide_a(a.begin(), a.end()), wide_b(b.begin(), b.end());
    const std::vector<float> expected = plain_product(wide_a, wide_b, static_cast<size_t>(rows),
                                                      static_cast<size_t>(columns), static_cast<size_t>(k));
    for (const Isa isa : kIsas) {
      if (isa > asc::sim::best_isa()) continue;
      SCOPED_TRACE(::testing::Message() << asc::py_name(dtype) << " " << rows << " x " << columns << " x "
                                        << k << ", isa " << static_cast<int>(isa));
      const asc::sim::MatmulKernels kernels = asc::sim::matmul_kernels(dtype, isa);
      std::vector<float> left(a.size()), right(b.size()), sums(expected.size(), 0.5f);
      kernels.widen(left.data(), a.data(), rows * k);
      kernels.widen(right.data(), b.data(), k * columns);
      EXPECT_EQ(left, wide_a);
      EXPECT_EQ(right, wide_b);
      kernels.add(sums.data(), left.data(), right.data(), rows, columns, k);
      EXPECT_EQ(sums, expected);
      // The same through fractals, whose tails are NaN.
      namespace bodies = asc::bodies;
      const T nan = T(NAN);
      std::vector<T> l0a(static_cast<size_t>(bodies::l0a_elements<T>(rows, k)), nan);
      std::vector<T> l0b(static_cast<size_t>(bodies::l0b_elements<T>(k, columns)), nan);
      std::vector<float> l0c(static_cast<size_t>(bodies::l0c_elements(rows, columns)), 0.5f);
      for (int64_t i = 0; i < rows * k; i++) {
        const int64_t at = rows == 1 ? i : bodies::l0a_index<T>(i / k, i % k, k);
        l0a[static_cast<size_t>(at)] = a[static_cast<size_t>(i)];
      }
      for (int64_t i = 0; i < k * columns; i++)
        l0b[static_cast<size_t>(bodies::l0b_index<T>(i / columns, i % columns, columns))] =
            b[static_cast<size_t>(i)];
      kernels.mmad(l0c.data(), l0a.data(), l0b.data(), rows, k, columns, false);
      for (int64_t i = 0; i < rows * columns; i++) {
        float& sum = l0c[static_cast<size_t>(bodies::l0c_index(i / columns, i % columns, rows))];
        ASSERT_EQ(sum, expected[static_cast<size_t>(i)]) << i / columns << ", " << i % columns;
        sum = 0.5f;
      }
      EXPECT_EQ(std::count(l0c.begin(), l0c.end(), 0.5f), static_cast<int64_t>(l0c.size()));
    }
  }
}

TEST(Kernels, MatmulGivesTheSameBitsOnEveryInstructionSet) {
  same_products<float>(DType::F32);
  same_products<asc::half_t>(DType::F16);
  same_products<asc::bfloat16_t>(DType::BF16);
}

// The distance of `actual` from the true value in units of the last place of a float at that value.
double ulps(float actual, long double exact) {
  const int exponent = std::max(std::ilogb(exact), -126);
  return static_cast<double>(std::fabs(static_cast<long double>(actual) - exact) *
                             std::ldexp(1.0L, 23 - exponent));
}

void within(OpId op, long double (*exact)(long double), double limit) {
  std::vector<float> x;
  for (uint64_t bits = 0; bits < (1ull << 32); bits += 4999)
    x.push_back(__builtin_bit_cast(float, static_cast<uint32_t>(bits)));
  const float inf = INFINITY;
  for (const float value : {0.0f, -0.0f, 1.0f, inf, -inf, NAN, 88.72283f, 88.72284f, -87.33655f, -103.97208f,
                            -103.97209f, 1e-45f, 3.4028235e38f, 0.99999994f, 1.0000001f})
    x.push_back(value);
  const auto results = [&](Isa isa) {
    std::vector<float> y(x.size());
    const auto kernel =
        reinterpret_cast<asc::sim::UnaryKernel>(vector_kernel(op, DType::F32, DType::Void, isa));
    kernel(y.data(), x.data(), static_cast<int64_t>(x.size()));
    return y;
  };
  const std::vector<float> y = results(Isa::baseline);
  for (const Isa isa : kIsas) {
    if (isa > asc::sim::best_isa()) continue;
    EXPECT_EQ(std::memcmp(results(isa).data(), y.data(), y.size() * sizeof(float)), 0)
        << "isa " << static_cast<int>(isa);
  }
  for (size_t i = 0; i < x.size(); i++) {
    const long double want = exact(static_cast<long double>(x[i]));
    if (std::isnan(want)) {
      ASSERT_TRUE(std::isnan(y[i])) << x[i];
    } else if (std::isinf(y[i]) || want == 0) {
      ASSERT_EQ(y[i], static_cast<float>(want)) << x[i];
    } else {
      ASSERT_LT(ulps(y[i], want), limit) << x[i];
    }
  }
}

TEST(Kernels, ExpIsWithinAUnit) { within(OpId::Exp, &std::exp, 0.91); }
TEST(Kernels, LnIsWithinHalfAUnit) { within(OpId::Ln, &std::log, 0.501); }

// Of two inline functions of one name the linker keeps either: an AVX-512 one might then run anywhere.
TEST(Kernels, WhatIsCompiledForAnInstructionSetIsNamedSo) {
  std::string paths = ASC_ISA_OBJECTS;
  int objects = 0;
  for (size_t at = 0; at < paths.size();) {
    const size_t end = std::min(paths.find(':', at), paths.size());
    const std::string path = paths.substr(at, end - at);
    at = end + 1;
    const size_t slash = path.rfind('/'), dot = path.find('.', slash);
    const std::string isa = "::" + path.substr(slash + 1, dot - slash - 1) + "::";
    FILE* symbols = popen(("nm -C --defined-only '" + path + "'").c_str(), "r");
    ASSERT_TRUE(symbols);
    std::vector<char> line(1 << 16);
    int seen = 0;
    while (std::fgets(line.data(), static_cast<int>(line.size()), symbols)) {
      const std::string text = line.data();
      if (text.find(" W ") == std::string::npos && text.find(" V ") == std::string::npos) continue;
      EXPECT_NE(text.find(isa), std::string::npos) << path << ": " << text;
      seen++;
    }
    EXPECT_EQ(pclose(symbols), 0) << path;
    objects += seen > 0 ? 1 : 0;
  }
  EXPECT_GE(objects, 1);
}

}  // namespace
