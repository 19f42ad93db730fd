// SPDX-License-Identifier: Apache-2.0
// Bodies of the Matmul object: how the work of one core is cut into blocks, the product of one block, and
// what becomes of it on the way out. Sizes are in elements; panels lie in row-major order without gaps.
#pragma once

#include <stdint.h>

#include "base/half.h"
#include "sim/bodies/arith.h"

namespace asc::bodies {

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

// c (rows x columns) += a (rows x k) * b (k x columns).
// RULE sums run over ascending k, one float rounding a product and one a sum; the manual states no order. The
// same on every machine: four rows by eight columns at a time, which changes no order.
inline void matmul_add(float* c, const float* a, const float* b, int64_t rows, int64_t columns, int64_t k) {
  constexpr int64_t kRows = 4, kColumns = 8;
  for (int64_t r = 0; r < rows; r += kRows) {
    const int64_t height = rows - r < kRows ? rows - r : kRows;
    for (int64_t j = 0; j < columns; j += kColumns) {
      const int64_t width = columns - j < kColumns ? columns - j : kColumns;
      if (height == kRows && width == kColumns) {
        float sums[kRows][kColumns];
        for (int64_t i = 0; i < kRows; i++)
          for (int64_t e = 0; e < kColumns; e++) sums[i][e] = c[(r + i) * columns + j + e];
        for (int64_t d = 0; d < k; d++)
          for (int64_t i = 0; i < kRows; i++)
            for (int64_t e = 0; e < kColumns; e++) sums[i][e] += a[(r + i) * k + d] * b[d * columns + j + e];
        for (int64_t i = 0; i < kRows; i++)
          for (int64_t e = 0; e < kColumns; e++) c[(r + i) * columns + j + e] = sums[i][e];
        continue;
      }
      for (int64_t i = 0; i < height; i++)
        for (int64_t e = 0; e < width; e++) {
          float sum = c[(r + i) * columns + j + e];
          for (int64_t d = 0; d < k; d++) sum += a[(r + i) * k + d] * b[d * columns + j + e];
          c[(r + i) * columns + j + e] = sum;
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

}  // namespace asc::bodies
