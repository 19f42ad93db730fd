// SPDX-License-Identifier: Apache-2.0
// Bodies of the Matmul object: how the work of one core is cut into blocks, the product of one block, and
// what becomes of it on the way out. Sizes are in elements; panels lie in row-major order without gaps.
#pragma once

#include <stdint.h>

#include "base/half.h"
#include "sim/bodies/arith.h"

namespace asc::bodies {
inline namespace ASC_ISA {

// What one core computes: C (m x n) from A (m x k) and B (k x n), in blocks of base_m x base_n.
struct MatmulShape {
  int64_t m = 0, n = 0, k = 0;
  int64_t base_m = 1, base_n = 1;
  bool n_first = false;  // the order of blocks: along N before M

  constexpr int64_t rows() const { return (m + base_m - 1) / base_m; }
  constexpr int64_t columns() const { return (n + base_n - 1) / base_n; }
  constexpr int64_t blocks() const { return rows() * columns(); }
};

struct MatmulBlock {
  int64_t row = 0, column = 0;  // of its first element in C
  int64_t rows = 0, columns = 0;
};

// RULE blocks go down M first, then along N; with iterateOrder 1 the other way round. The last block of an
// axis is what is left of it (manual, Iterate).
constexpr MatmulBlock matmul_block(const MatmulShape& s, int64_t index) {
  const int64_t down = s.n_first ? index / s.columns() : index % s.rows();
  const int64_t along = s.n_first ? index % s.columns() : index / s.rows();
  MatmulBlock block{down * s.base_m, along * s.base_n, s.base_m, s.base_n};
  if (block.row + block.rows > s.m) block.rows = s.m - block.row;
  if (block.column + block.columns > s.n) block.columns = s.n - block.column;
  return block;
}

// Floats of one register of the instruction set at hand.
#if defined(__AVX512F__)
inline constexpr int64_t kMatmulLanes = 16;
#elif defined(__AVX__)
inline constexpr int64_t kMatmulLanes = 8;
#else
inline constexpr int64_t kMatmulLanes = 4;
#endif
using MatmulLanes = float __attribute__((vector_size(kMatmulLanes * sizeof(float))));
// Twelve sums in registers: enough to hide the latency of an addition, and 16 registers hold what goes with
// them.
inline constexpr int64_t kMatmulRows = 6, kMatmulWidth = 2 * kMatmulLanes, kMatmulDepth = 256;

inline MatmulLanes lanes_at(const float* from) {
  MatmulLanes lanes;
  __builtin_memcpy(&lanes, from, sizeof(lanes));
  return lanes;
}

// Is the product of two elements exact in float? That of halves is; bfloat16 has float's range and leaves it.
template <class T>
inline constexpr bool kExactProducts = false;
template <>
inline constexpr bool kExactProducts<half_t> = true;

// sum + a * b, as one instruction where products are exact: the bits are the same then.
template <bool kExact>
ASC_INLINE inline MatmulLanes multiply_add(float a, MatmulLanes b, MatmulLanes sum) {
#if defined(__FMA__) || defined(__ARM_FEATURE_FMA)
  if constexpr (kExact) {
    for (int64_t i = 0; i < kMatmulLanes; i++) sum[i] = __builtin_fmaf(a, b[i], sum[i]);
    return sum;
  }
#endif
  return sum + a * b;
}

// Unrolled, or the array of sums would lie in memory.
#if defined(__clang__)
#define ASC_UNROLLED _Pragma("clang loop unroll(full)")
#else
#define ASC_UNROLLED _Pragma("GCC unroll 8")
#endif

// to (kMatmulRows x kMatmulWidth, rows `stride` apart) += rows of a * strip (depth x kMatmulWidth).
template <bool kExact>
[[gnu::noinline]] void matmul_tile(float* to, int64_t stride, const float* const (&a)[kMatmulRows],
                                   const float* strip, int64_t depth) {
  constexpr int64_t kL = kMatmulLanes;
  MatmulLanes sums[kMatmulRows][2];
  ASC_UNROLLED
  for (int64_t r = 0; r < kMatmulRows; r++) {
    sums[r][0] = lanes_at(to + r * stride);
    sums[r][1] = lanes_at(to + r * stride + kL);
  }
  for (int64_t d = 0; d < depth; d++) {
    const MatmulLanes b0 = lanes_at(strip + d * kMatmulWidth), b1 = lanes_at(strip + d * kMatmulWidth + kL);
    ASC_UNROLLED
    for (int64_t r = 0; r < kMatmulRows; r++) {
      sums[r][0] = multiply_add<kExact>(a[r][d], b0, sums[r][0]);
      sums[r][1] = multiply_add<kExact>(a[r][d], b1, sums[r][1]);
    }
  }
  ASC_UNROLLED
  for (int64_t r = 0; r < kMatmulRows; r++) {
    __builtin_memcpy(to + r * stride, &sums[r][0], sizeof(MatmulLanes));
    __builtin_memcpy(to + r * stride + kL, &sums[r][1], sizeof(MatmulLanes));
  }
}
#undef ASC_UNROLLED

// Elements of A or B as floats.
template <class T>
void matmul_widen(float* to, const T* from, int64_t count) {
  for (int64_t i = 0; i < count; i++) {
    T element;
    __builtin_memcpy(&element, from + i, sizeof(T));
    to[i] = static_cast<float>(element);
  }
}

// c (rows x columns) += a (rows x k) * b (k x columns).
// RULE sums run over ascending k, one float rounding a product and one a sum; the manual states no order. The
// same bits on every machine: tiles and strips change no order.
template <bool kExact = false>
void matmul_add(float* c, const float* a, const float* b, int64_t rows, int64_t columns, int64_t k) {
  float strip[kMatmulDepth * kMatmulWidth];  // of b, close together; behind its last column zeros
  for (int64_t j = 0; j < columns; j += kMatmulWidth) {
    const int64_t width = columns - j < kMatmulWidth ? columns - j : kMatmulWidth;
    for (int64_t first = 0; first < k; first += kMatmulDepth) {
      const int64_t depth = k - first < kMatmulDepth ? k - first : kMatmulDepth;
      for (int64_t d = 0; d < depth; d++)
        for (int64_t e = 0; e < kMatmulWidth; e++)
          strip[d * kMatmulWidth + e] = e < width ? b[(first + d) * columns + j + e] : 0.0f;
      for (int64_t r = 0; r < rows; r += kMatmulRows) {
        const int64_t height = rows - r < kMatmulRows ? rows - r : kMatmulRows;
        const float* from[kMatmulRows];
        for (int64_t i = 0; i < kMatmulRows; i++) from[i] = a + (r + (i < height ? i : 0)) * k + first;
        float* const to = c + r * columns + j;
        if (height == kMatmulRows && width == kMatmulWidth) {
          matmul_tile<kExact>(to, columns, from, strip, depth);
          continue;
        }
        float tile[kMatmulRows * kMatmulWidth] = {};
        for (int64_t i = 0; i < height; i++)
          for (int64_t e = 0; e < width; e++) tile[i * kMatmulWidth + e] = to[i * columns + e];
        matmul_tile<kExact>(tile, kMatmulWidth, from, strip, depth);
        for (int64_t i = 0; i < height; i++)
          for (int64_t e = 0; e < width; e++) to[i * columns + e] = tile[i * kMatmulWidth + e];
      }
    }
  }
}

// RULE integer accumulation saturates at every addition (manual, Mmad).
inline void matmul_add(int32_t* c, const int32_t* a, const int32_t* b, int64_t rows, int64_t columns,
                       int64_t k) {
  for (int64_t r = 0; r < rows; r++)
    for (int64_t j = 0; j < columns; j++) {
      int64_t sum = c[r * columns + j];
      for (int64_t d = 0; d < k; d++) {
        sum += int64_t{a[r * k + d]} * b[d * columns + j];
        sum = sum > INT32_MAX ? INT32_MAX : sum < INT32_MIN ? INT32_MIN : sum;
      }
      c[r * columns + j] = static_cast<int32_t>(sum);
    }
}

// A sum as an element of C: rounded once.
template <class T>
T matmul_result(float sum) {
  return rounded<T>(sum);
}
template <class T>
T matmul_result(int32_t sum) {
  return static_cast<T>(sum);
}

// RULE enAtomic: 0 writes, 1 adds, 2 takes the maximum, 3 the minimum (manual, GetTensorC). A NaN stays.
template <class T>
T matmul_combine(int64_t atomic, T old, T value) {
  switch (atomic) {
    case 1: return add(old, value);
    case 2: return old != old || old > value ? old : value;
    case 3: return old != old || old < value ? old : value;
    default: return value;
  }
}

}  // namespace ASC_ISA
}  // namespace asc::bodies
