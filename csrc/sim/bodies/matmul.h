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
inline constexpr int64_t kMatmulRows = 4, kMatmulWidth = 2 * kMatmulLanes, kMatmulDepth = 256;

// tile (kMatmulRows x kMatmulWidth) += rows of a * strip (depth x kMatmulWidth); the sums stay in registers.
inline void matmul_tile(float* tile, const float* const (&a)[kMatmulRows], const float* strip,
                        int64_t depth) {
  // Variables, not arrays: an array of registers would go through memory.
  MatmulLanes s00, s01, s10, s11, s20, s21, s30, s31;
  const auto load = [](const float* at) {
    MatmulLanes lanes;
    __builtin_memcpy(&lanes, at, sizeof(lanes));
    return lanes;
  };
  constexpr int64_t kL = kMatmulLanes;
  s00 = load(tile), s01 = load(tile + kL), s10 = load(tile + 2 * kL), s11 = load(tile + 3 * kL);
  s20 = load(tile + 4 * kL), s21 = load(tile + 5 * kL), s30 = load(tile + 6 * kL), s31 = load(tile + 7 * kL);
  for (int64_t d = 0; d < depth; d++) {
    const MatmulLanes b0 = load(strip + d * kMatmulWidth), b1 = load(strip + d * kMatmulWidth + kL);
    s00 += a[0][d] * b0, s01 += a[0][d] * b1;
    s10 += a[1][d] * b0, s11 += a[1][d] * b1;
    s20 += a[2][d] * b0, s21 += a[2][d] * b1;
    s30 += a[3][d] * b0, s31 += a[3][d] * b1;
  }
  const MatmulLanes sums[] = {s00, s01, s10, s11, s20, s21, s30, s31};
  __builtin_memcpy(tile, sums, sizeof(sums));
}

// c (rows x columns) += a (rows x k) * b (k x columns).
// RULE sums run over ascending k, one float rounding a product and one a sum; the manual states no order. The
// same bits on every machine: tiles and strips change no order.
inline void matmul_add(float* c, const float* a, const float* b, int64_t rows, int64_t columns, int64_t k) {
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
        float tile[kMatmulRows * kMatmulWidth] = {};
        const float* from[kMatmulRows];
        for (int64_t i = 0; i < kMatmulRows; i++) from[i] = a + (r + (i < height ? i : 0)) * k + first;
        for (int64_t i = 0; i < height; i++)
          for (int64_t e = 0; e < width; e++) tile[i * kMatmulWidth + e] = c[(r + i) * columns + j + e];
        matmul_tile(tile, from, strip, depth);
        for (int64_t i = 0; i < height; i++)
          for (int64_t e = 0; e < width; e++) c[(r + i) * columns + j + e] = tile[i * kMatmulWidth + e];
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
