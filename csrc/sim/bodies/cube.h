// SPDX-License-Identifier: Apache-2.0
// Cube op bodies: the fractal layouts of L0A, L0B, L0C and the matrix product over them.
// A fractal is 512 bytes: 16 rows of one 32-byte block, C0 = 32 / sizeof(T) elements (16 of half). L0C holds
// fractals of 16 x 16. Sizes and indices are in elements.
#pragma once

#include <stdint.h>

#include "base/half.h"
#include "sim/bodies/arith.h"
#include "sim/bodies/matmul.h"

namespace asc::bodies {
inline namespace ASC_ISA {

inline constexpr int64_t kFractalSide = 16;

template <class T>
inline constexpr int64_t kC0 = 32 / static_cast<int64_t>(sizeof(T));

constexpr int64_t fractals(int64_t elements, int64_t side) { return (elements + side - 1) / side; }

// L0A, Zz: fractals in row order, elements in row order. k is the column count of the matrix.
template <class T>
constexpr int64_t l0a_index(int64_t row, int64_t col, int64_t k) {
  const int64_t fractal = row / kFractalSide * fractals(k, kC0<T>) + col / kC0<T>;
  return fractal * kFractalSide * kC0<T> + row % kFractalSide * kC0<T> + col % kC0<T>;
}

// L0B, Zn: fractals in row order over (k, n), elements in column order. n is the column count of the matrix.
template <class T>
constexpr int64_t l0b_index(int64_t row, int64_t col, int64_t n) {
  const int64_t fractal = row / kC0<T> * fractals(n, kFractalSide) + col / kFractalSide;
  return fractal * kFractalSide * kC0<T> + col % kFractalSide * kC0<T> + row % kC0<T>;
}

// L0C, Nz: fractals in column order, elements in row order. m is the row count of the matrix.
constexpr int64_t l0c_index(int64_t row, int64_t col, int64_t m) {
  const int64_t fractal = col / kFractalSide * fractals(m, kFractalSide) + row / kFractalSide;
  return fractal * kFractalSide * kFractalSide + row % kFractalSide * kFractalSide + col % kFractalSide;
}

// Elements of each operand that mmad touches, fractals in full: for bounds.
template <class T>
constexpr int64_t l0a_elements(int64_t m, int64_t k) {
  return m == 1 ? k : fractals(m, kFractalSide) * fractals(k, kC0<T>) * kFractalSide * kC0<T>;
}
template <class T>
constexpr int64_t l0b_elements(int64_t k, int64_t n) {
  return fractals(k, kC0<T>) * fractals(n, kFractalSide) * kFractalSide * kC0<T>;
}
constexpr int64_t l0c_elements(int64_t m, int64_t n) {
  return fractals(m, kFractalSide) * fractals(n, kFractalSide) * kFractalSide * kFractalSide;
}

// What mmad unpacks of B at a time: depth and columns.
inline constexpr int64_t kMmadDepth = 64, kMmadColumns = 256;

// `depth` elements of a row of A as floats; fractals in full.
template <class T>
void mmad_row(float* to, const T* l0a, int64_t row, int64_t first, int64_t depth, int64_t m, int64_t k) {
  if (m == 1) return matmul_widen(to, l0a + first, depth);
  for (int64_t d = 0; d < depth; d += kC0<T>)
    matmul_widen(to + d, l0a + l0a_index<T>(row, first + d, k), kC0<T>);
}

// kMatmulWidth columns of B as matmul_tile takes them; behind the last one zeros.
template <class T>
void mmad_strip(float* strip, const T* l0b, int64_t first, int64_t depth, int64_t col, int64_t n) {
  for (int64_t j = 0; j < kMatmulWidth; ++j) {
    for (int64_t d = 0; d < depth; d += kC0<T>) {
      float column[kC0<T>] = {};
      if (col + j < n) matmul_widen(column, l0b + l0b_index<T>(first + d, col + j, n), kC0<T>);
      for (int64_t i = 0; i < kC0<T>; ++i) strip[(d + i) * kMatmulWidth + j] = column[i];
    }
  }
}

// move(element of a tile, element of L0C, count) for what the tile at (row, col) covers of m x n.
template <class Move>
void mmad_move(float* tile, float* l0c, int64_t row, int64_t col, int64_t m, int64_t n, Move move) {
  constexpr int64_t kTogether = kMatmulWidth < kFractalSide ? kMatmulWidth : kFractalSide;
  for (int64_t i = 0; i < kMatmulRows && row + i < m; ++i)
    for (int64_t j = 0; j < kMatmulWidth && col + j < n; j += kTogether)
      move(tile + i * kMatmulWidth + j, l0c + l0c_index(row + i, col + j, m),
           n - col - j < kTogether ? n - col - j : kTogether);
}

// C(m x n) = A(m x k) * B(k x n), added to the old C unless init. A size of 0 does nothing.
// RULE m = 1 is a vector times a matrix: A is k contiguous elements (manual, Mmad, constraints: GEMV).
// RULE the tail of a fractal outside m, k, n counts for nothing and is not written ("invalid data is
// ignored").
// RULE sums run over ascending k, one float rounding a product and one a sum; the manual states no order.
template <class T>
void mmad(float* l0c, const T* l0a, const T* l0b, int64_t m, int64_t k, int64_t n, bool init) {
  if (m <= 0 || k <= 0 || n <= 0) return;
  float strips[kMmadDepth * kMmadColumns], rows[kMatmulRows][kMmadDepth];
  const auto tile = [&](int64_t row, int64_t col, const float* strip, int64_t depth, bool fresh) {
    float sums[kMatmulRows * kMatmulWidth] = {};
    if (!fresh)
      mmad_move(sums, l0c, row, col, m, n, [](float* sum, const float* c, int64_t count) {
        for (int64_t e = 0; e < count; ++e) sum[e] = c[e];
      });
    const float* from[kMatmulRows];
    for (int64_t i = 0; i < kMatmulRows; ++i) from[i] = rows[i];
    matmul_tile<kExactProducts<T>>(sums, kMatmulWidth, from, strip, depth);
    mmad_move(sums, l0c, row, col, m, n, [](const float* sum, float* c, int64_t count) {
      for (int64_t e = 0; e < count; ++e) c[e] = one_nan(sum[e]);
    });
  };
  for (int64_t left = 0; left < n; left += kMmadColumns) {
    const int64_t right = n - left < kMmadColumns ? n : left + kMmadColumns;
    for (int64_t first = 0; first < k; first += kMmadDepth) {
      const int64_t depth = k - first < kMmadDepth ? k - first : kMmadDepth;
      for (int64_t col = left; col < right; col += kMatmulWidth)
        mmad_strip(strips + (col - left) * kMmadDepth, l0b, first, depth, col, n);
      for (int64_t row = 0; row < m; row += kMatmulRows) {
        for (int64_t i = 0; i < kMatmulRows; ++i)  // behind the last row it again
          mmad_row(rows[i], l0a, row + i < m ? row + i : m - 1, first, depth, m, k);
        for (int64_t col = left; col < right; col += kMatmulWidth)
          tile(row, col, strips + (col - left) * kMmadDepth, depth, init && first == 0);
      }
    }
  }
}

// RULE integer accumulation saturates at every addition (manual, Mmad).
inline void mmad(int32_t* l0c, const int8_t* l0a, const int8_t* l0b, int64_t m, int64_t k, int64_t n,
                 bool init) {
  for (int64_t row = 0; row < m; ++row) {
    for (int64_t col = 0; col < n; ++col) {
      int32_t* c = l0c + l0c_index(row, col, m);
      int64_t sum = init ? 0 : *c;
      for (int64_t depth = 0; depth < k; ++depth) {
        sum += l0a[m == 1 ? depth : l0a_index<int8_t>(row, depth, k)] * l0b[l0b_index<int8_t>(depth, col, n)];
        sum = sum > INT32_MAX ? INT32_MAX : sum < INT32_MIN ? INT32_MIN : sum;
      }
      if (k > 0) *c = static_cast<int32_t>(sum);
    }
  }
}

// Where fixpipe finds a result in L0C whose columns of fractals are `stride` rows apart.
constexpr int64_t nz_index(int64_t row, int64_t col, int64_t stride) {
  return col / kFractalSide * stride * kFractalSide + row * kFractalSide + col % kFractalSide;
}
// What fixpipe's relu makes of a result; a NaN stays.
template <class T>
constexpr T relu_result(T value) {
  return value < T{0} ? T{0} : value;
}

}  // namespace ASC_ISA
}  // namespace asc::bodies
