// SPDX-License-Identifier: Apache-2.0
// Folding of constants with the language's meaning (declared and described in ir/builder.h).
#include <bit>
#include <cmath>
#include <optional>

#include "ir/builder.h"
#include "ir/power.h"
#include "ir/scalar.h"

namespace asc::ir {

namespace {

template <class T>
bool compare(BinaryOp op, T left, T right) {
  switch (op) {
    case BinaryOp::Lt: return left < right;
    case BinaryOp::Le: return left <= right;
    case BinaryOp::Gt: return left > right;
    case BinaryOp::Ge: return left >= right;
    case BinaryOp::Eq: return left == right;
    default: return left != right;
  }
}

std::optional<int64_t> checked_power(int64_t base, int64_t exponent) {
  int64_t result = 1;
  while (true) {
    if ((exponent & 1) != 0 && __builtin_mul_overflow(result, base, &result)) return std::nullopt;
    exponent >>= 1;
    if (exponent == 0) return result;
    if (__builtin_mul_overflow(base, base, &base)) return std::nullopt;
  }
}

uint64_t wrapping_power(uint64_t base, uint64_t exponent) {
  uint64_t result = 1;
  for (; exponent != 0; exponent >>= 1, base *= base)
    if ((exponent & 1) != 0) result *= base;
  return result;
}

// Signed types and bool, in 64 bits; the caller looks whether the type holds the result.
std::optional<int64_t> fold_signed(BinaryOp op, int64_t a, int64_t b) {
  int64_t result = 0;
  switch (op) {
    case BinaryOp::Add: return __builtin_add_overflow(a, b, &result) ? std::nullopt : std::optional(result);
    case BinaryOp::Sub: return __builtin_sub_overflow(a, b, &result) ? std::nullopt : std::optional(result);
    case BinaryOp::Mul: return __builtin_mul_overflow(a, b, &result) ? std::nullopt : std::optional(result);
    case BinaryOp::FloorDiv:
      if (b == 0 || (b == -1 && a == INT64_MIN)) return std::nullopt;
      return floor_div(a, b);
    case BinaryOp::Mod:
      if (b == 0) return std::nullopt;
      return b == -1 ? 0 : floor_mod(a, b);
    case BinaryOp::Pow: return b < 0 ? std::nullopt : checked_power(a, b);
    case BinaryOp::Min: return scalar_min(a, b);
    case BinaryOp::Max: return scalar_max(a, b);
    case BinaryOp::Shl:
      if (b < 0) return std::nullopt;
      if (a == 0) return 0;
      result = b > 63 ? 0 : static_cast<int64_t>(static_cast<uint64_t>(a) << b);
      if (b > 63 || (result >> b) != a) return std::nullopt;
      return result;
    case BinaryOp::Shr:
      if (b < 0) return std::nullopt;
      return a >> (b > 63 ? 63 : b);
    case BinaryOp::And: return a & b;
    case BinaryOp::Or: return a | b;
    case BinaryOp::Xor: return a ^ b;
    case BinaryOp::Div: return std::nullopt;
    default: return compare(op, a, b);
  }
}

std::optional<uint64_t> fold_unsigned(BinaryOp op, uint64_t a, uint64_t b) {
  switch (op) {
    case BinaryOp::Add: return a + b;
    case BinaryOp::Sub: return a - b;
    case BinaryOp::Mul: return a * b;
    case BinaryOp::FloorDiv: return b == 0 ? std::nullopt : std::optional(a / b);
    case BinaryOp::Mod: return b == 0 ? std::nullopt : std::optional(a % b);
    case BinaryOp::Pow: return wrapping_power(a, b);
    case BinaryOp::Min: return scalar_min(a, b);
    case BinaryOp::Max: return scalar_max(a, b);
    case BinaryOp::Shl: return b > 63 ? 0 : a << b;
    case BinaryOp::Shr: return b > 63 ? 0 : a >> b;
    case BinaryOp::And: return a & b;
    case BinaryOp::Or: return a | b;
    case BinaryOp::Xor: return a ^ b;
    case BinaryOp::Div: return std::nullopt;
    default: return compare(op, a, b);
  }
}

// A small whole exponent is a product, as the printed program has it: exact where products are.
template <class T>
T float_power(T base, T exponent) {
  if (!(exponent >= -kLargestProduct && exponent <= kLargestProduct) || exponent != std::trunc(exponent))
    return std::pow(base, exponent);
  T product = 1;
  for (T i = 0; i < std::abs(exponent); i++) product *= base;
  return exponent < 0 ? 1 / product : product;
}

template <class T>
std::optional<double> fold_in(BinaryOp op, T a, T b) {
  switch (op) {
    case BinaryOp::Add: return a + b;
    case BinaryOp::Sub: return a - b;
    case BinaryOp::Mul: return a * b;
    case BinaryOp::Div: return a / b;
    case BinaryOp::FloorDiv: return float_floor_div(a, b);
    case BinaryOp::Mod: return float_floor_mod(a, b);
    case BinaryOp::Pow: return float_power(a, b);
    case BinaryOp::Min: return scalar_min(a, b);
    case BinaryOp::Max: return scalar_max(a, b);
    case BinaryOp::Shl:
    case BinaryOp::Shr:
    case BinaryOp::And:
    case BinaryOp::Or:
    case BinaryOp::Xor: return std::nullopt;
    default: return compare(op, a, b);
  }
}

std::optional<int64_t> float_to_int(DType to, double value) {
  const double whole = std::trunc(value);
  // 2^63 and 2^64 are exact doubles, the largest integers below them are not: hence `<`. NaN fails both.
  if (is_unsigned_int(to)) {
    if (!(whole >= 0 && whole < 0x1p64)) return std::nullopt;
    const uint64_t magnitude = static_cast<uint64_t>(whole);
    return magnitude <= unsigned_max(to) ? std::optional(static_cast<int64_t>(magnitude)) : std::nullopt;
  }
  if (!(whole >= -0x1p63 && whole < 0x1p63)) return std::nullopt;
  const int64_t result = static_cast<int64_t>(whole);
  return fits(to, result) ? std::optional(result) : std::nullopt;
}

}  // namespace

std::optional<int64_t> fold_int(BinaryOp op, DType type, int64_t left, int64_t right) {
  if (is_unsigned_int(type)) {
    const auto result = fold_unsigned(op, static_cast<uint64_t>(left), static_cast<uint64_t>(right));
    if (!result) return std::nullopt;
    return is_comparison(op) ? static_cast<int64_t>(*result) : wrap_to(type, static_cast<int64_t>(*result));
  }
  const auto result = fold_signed(op, left, right);
  return result && (is_comparison(op) || fits(type, *result)) ? result : std::nullopt;
}

std::optional<double> fold_float(BinaryOp op, DType type, double left, double right) {
  if (type == DType::F64) return fold_in(op, left, right);
  const auto result = fold_in(op, static_cast<float>(left), static_cast<float>(right));
  return result && !is_comparison(op) ? round_to(type, *result) : result;
}

std::optional<int64_t> fold_int(UnaryOp op, DType type, int64_t value) {
  if (op == UnaryOp::Not) return type == DType::Bool ? std::optional<int64_t>(value == 0) : std::nullopt;
  if (type == DType::Bool) return std::nullopt;
  const uint64_t bits = static_cast<uint64_t>(value);
  if (is_unsigned_int(type)) {
    const uint64_t result = op == UnaryOp::Neg ? 0 - bits : op == UnaryOp::Invert ? ~bits : bits;
    return wrap_to(type, static_cast<int64_t>(result));
  }
  if (op == UnaryOp::Invert) return ~value;
  if (op == UnaryOp::Abs && value >= 0) return value;
  return value == int_min(type) ? std::nullopt : std::optional(-value);
}

std::optional<double> fold_float(UnaryOp op, double value) {
  if (op == UnaryOp::Neg) return -value;
  if (op == UnaryOp::Abs) return std::fabs(value);
  return std::nullopt;
}

std::optional<int64_t> fold_cast(DType to, DType from, int64_t bits, bool is_explicit) {
  if (is_float(from)) {
    const double value = std::bit_cast<double>(bits);
    if (to == DType::Bool) return value != 0;
    if (!is_float(to)) return float_to_int(to, value);
    const double rounded = round_to(to, value);
    if (std::isinf(rounded) && std::isfinite(value)) return std::nullopt;
    return std::bit_cast<int64_t>(rounded);
  }
  if (is_float(to)) {
    const double rounded =
        from == DType::U64 ? round_integer_to(to, static_cast<uint64_t>(bits)) : round_integer_to(to, bits);
    return std::isinf(rounded) ? std::nullopt : std::optional(std::bit_cast<int64_t>(rounded));
  }
  if (to == DType::Bool) return bits != 0;
  const bool above_int64 = from == DType::U64 && bits < 0;  // such a value fits in uint64 alone
  const bool inside = above_int64 ? to == DType::U64 : to == DType::U64 ? bits >= 0 : fits(to, bits);
  if (!inside && !is_explicit) return std::nullopt;
  return wrap_to(to, bits);
}

// ---- on the bits of constants --------------------------------------------------------------------

namespace {

// The integer type that an enum's value is compared as.
DType dtype_of(const Type& type) { return type.kind == Kind::Enum ? DType::I32 : type.elem; }

// A value in the float type that an operation computes in, rounded once.
double in_type(DType type, DType from, int64_t bits) {
  if (is_float(from)) return std::bit_cast<double>(bits);
  return from == DType::U64 ? round_integer_to(type, static_cast<uint64_t>(bits))
                            : round_integer_to(type, bits);
}

}  // namespace

Type result_type(BinaryOp op, const Type& operand) {
  if (is_comparison(op)) return Type::scalar(DType::Bool);
  if (op == BinaryOp::Div) return Type::scalar(operand.elem == DType::F64 ? DType::F64 : DType::F32);
  return operand;
}

std::optional<int64_t> fold_bits(UnaryOp op, const Type& type, int64_t value) {
  const DType dtype = dtype_of(type);
  if (!is_float(dtype)) return fold_int(op, dtype, value);
  const auto result = fold_float(op, std::bit_cast<double>(value));
  return result ? std::optional(std::bit_cast<int64_t>(*result)) : std::nullopt;
}

std::optional<int64_t> fold_bits(BinaryOp op, const Type& type, int64_t left, int64_t right) {
  const DType dtype = dtype_of(type);
  if (op != BinaryOp::Div && !is_float(dtype)) return fold_int(op, dtype, left, right);
  const DType computed = op == BinaryOp::Div ? result_type(op, type).elem : dtype;
  const double a = in_type(computed, dtype, left), b = in_type(computed, dtype, right);
  if (b == 0 && (op == BinaryOp::Div || op == BinaryOp::FloorDiv || op == BinaryOp::Mod)) return std::nullopt;
  const auto result = fold_float(op, computed, a, b);
  if (!result) return std::nullopt;
  if (is_comparison(op)) return *result != 0;
  if (!std::isfinite(*result) && std::isfinite(a) && std::isfinite(b)) return std::nullopt;
  return std::bit_cast<int64_t>(*result);
}

std::optional<int64_t> fold_cast(const Type& to, const Type& from, int64_t bits, bool is_explicit) {
  return fold_cast(dtype_of(to), dtype_of(from), bits, is_explicit);
}

}  // namespace asc::ir
