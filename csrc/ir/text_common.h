// SPDX-License-Identifier: Apache-2.0
// What the printer and the parser of the text form must agree on. Internal to ir/text_*.cpp.
#pragma once

#include <string_view>

#include "ir/ir.h"
#include "ops/signature.h"

namespace asc::ir::text {

struct FactName {
  uint8_t bit;
  std::string_view name;
};
inline constexpr FactName kFactNames[] = {{kFits, "fits"}, {kNonNegative, "nonneg"}, {kPlainDiv, "plaindiv"}};

// Characters of a name that needs no quotes: letters, digits, `_` and every byte of non-ASCII UTF-8.
constexpr bool is_name_char(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
         static_cast<unsigned char>(c) >= 0x80;
}
constexpr bool is_plain_name(std::string_view name) {
  for (char c : name)
    if (!is_name_char(c)) return false;
  return !name.empty() && !(name[0] >= '0' && name[0] <= '9');
}

// The type of a number written without a type, where the place expects `expected`.
constexpr Type implied_type(bool has_point, const Type& expected) {
  const bool takes =
      expected.is_scalar() && (is_float(expected.elem) || (!has_point && is_int(expected.elem)));
  return takes ? expected : Type::scalar(has_point ? DType::F32 : DType::I32);
}

constexpr Type kBoolType = Type::scalar(DType::Bool);

// What an op expects for a parameter, as far as numbers are concerned; else Void.
inline Type operand_type(const TypePattern& pattern, const DType (&vars)[4], const Expr* self) {
  if (pattern.form != TypePattern::Form::Scalar && pattern.form != TypePattern::Form::Var) return {};
  return resolve(pattern, vars, self ? &self->type : nullptr);
}

inline Type param_type(const Function& callee, size_t index) {
  return index < callee.params.size() ? callee.params[index]->type : Type{};
}
inline Type result_type(const Function& function, size_t index) {
  return index < function.results.size() ? function.results[index] : Type{};
}

}  // namespace asc::ir::text
