// SPDX-License-Identifier: Apache-2.0
// Cube op bodies: the fractal layouts of L0A, L0B, L0C and the matrix product over them.
// A fractal is 512 bytes: 16 rows of one 32-byte block, C0 = 32 / sizeof(T) elements (16 of half). L0C holds
// fractals of 16 x 16. Sizes and indices are in elements.
#pragma once

#include <stdint.h>

#include "base/half.h"
#include "sim/bodies/arith.h"

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

// C(m x n) = A(m x k) * B(k x n), added to the old C unless init. A size of 0 does nothing.
// RULE m = 1 is a vector times a matrix: A is k contiguous elements (manual, Mmad, constraints: GEMV).
// RULE the tail of a fractal outside m, k, n is neither read nor written ("invalid data is ignored").
// RULE sums run over ascending k, one float rounding an addition; the manual does not state the order. A
// product of two halves is exact in float.
template <class T>
void mmad(float* l0c, const T* l0a, const T* l0b, int64_t m, int64_t k, int64_t n, bool init) {
  if (m <= 0 || k <= 0 || n <= 0) return;
  for (int64_t col = 0; col < n; col += kFractalSide) {
    const int64_t width = n - col < kFractalSide ? n - col : kFractalSide;
    for (int64_t depth = 0; depth < k; ++depth) {
      float b[kFractalSide];
      for (int64_t j = 0; j < width; ++j) b[j] = static_cast<float>(l0b[l0b_index<T>(depth, col + j, n)]);
      for (int64_t row = 0; row < m; ++row) {
        const float a = static_cast<float>(l0a[m == 1 ? depth : l0a_index<T>(row, depth, k)]);
        float* c = l0c + l0c_index(row, col, m);
        const bool fresh = init && depth == 0;
        for (int64_t j = 0; j < width; ++j) c[j] = one_nan((fresh ? 0.0f : c[j]) + a * b[j]);
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
