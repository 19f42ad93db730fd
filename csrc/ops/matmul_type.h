// SPDX-License-Identifier: Apache-2.0
// The type of a Matmul object: what C++ has as the template arguments MatmulType of A, B, C and bias, packed
// into the 48 bits that Type has behind kind and element, so that two objects of one type compare equal and a
// Type stays small.
#pragma once

#include "ops/type.h"

namespace asc {

struct MatmulMatrix {
  uint8_t position = 0, format = 0;  // TPosition, CubeFormat
  DType dtype = DType::Void;         // Void: there is none (a Matmul without bias)
  bool is_trans = false;             // it may be given transposed
  friend constexpr bool operator==(const MatmulMatrix&, const MatmulMatrix&) = default;
};

inline constexpr int kMatmulMatrices = 4;
enum MatmulSide : int { kMatmulA, kMatmulB, kMatmulC, kMatmulBias };

// Bits of one matrix: dtype (4), position (4), format (3), is_trans (1).
static_assert(kDTypeCount <= 16);

constexpr uint16_t matmul_bits(const MatmulMatrix& m) {
  return static_cast<uint16_t>(static_cast<unsigned>(m.dtype) | (m.position & 15u) << 4 |
                               (m.format & 7u) << 8 | (m.is_trans ? 1u : 0u) << 11);
}

constexpr Type matmul_type(const MatmulMatrix (&matrices)[kMatmulMatrices]) {
  uint64_t bits = 0;
  for (int i = 0; i < kMatmulMatrices; i++) bits |= uint64_t{matmul_bits(matrices[i])} << (12 * i);
  Type type = Type::object(Kind::Matmul);
  type.position = static_cast<uint8_t>(bits);
  type.pad = static_cast<uint8_t>(bits >> 8);
  type.id = static_cast<uint16_t>(bits >> 16);
  type.pad2 = static_cast<uint16_t>(bits >> 32);
  return type;
}

constexpr MatmulMatrix matmul_matrix(const Type& type, int side) {
  const uint64_t bits =
      type.position | uint64_t{type.pad} << 8 | uint64_t{type.id} << 16 | uint64_t{type.pad2} << 32;
  const auto own = static_cast<unsigned>(bits >> (12 * side) & 0xFFF);
  return {static_cast<uint8_t>(own >> 4 & 15), static_cast<uint8_t>(own >> 8 & 7),
          static_cast<DType>(own & 15), (own >> 11 & 1) != 0};
}

}  // namespace asc
