// SPDX-License-Identifier: Apache-2.0
// Intervals of integers and their arithmetic, exact in 128 bits. Internal to passes/intervals.
#pragma once

#include <algorithm>

#include "ir/ir.h"

namespace asc::passes {

__extension__ using Wide = __int128;

// All integers from lo to hi; none when lo > hi (a variable that has no value yet).
struct Interval {
  Wide lo, hi;
  bool empty() const { return lo > hi; }
  bool contains(const Interval& other) const { return other.empty() || (lo <= other.lo && other.hi <= hi); }
  bool single() const { return lo == hi; }
  friend bool operator==(const Interval&, const Interval&) = default;
};
inline constexpr Interval kNoValue{1, 0};
inline constexpr Interval kInt64{INT64_MIN, INT64_MAX};

inline Interval join(const Interval& a, const Interval& b) {
  if (a.empty()) return b;
  if (b.empty()) return a;
  return {std::min(a.lo, b.lo), std::max(a.hi, b.hi)};
}
inline Interval meet(const Interval& a, const Interval& b) {
  return {std::max(a.lo, b.lo), std::min(a.hi, b.hi)};
}
// The value nearest to each bound inside `range`.
inline Interval clamp(const Interval& a, const Interval& range) {
  return {std::clamp(a.lo, range.lo, range.hi), std::clamp(a.hi, range.lo, range.hi)};
}

// What an integer type or bool holds; {0, 0} for types that are no integers.
inline Interval range_of(DType type) {
  if (is_unsigned_int(type)) return {0, unsigned_max(type)};
  if (is_signed_int(type) || is_bool(type)) return {int_min(type), int_max(type)};
  return {0, 0};
}
// Of a value: enums compare as int32.
inline Interval range_of(const Type& type) {
  if (type.kind == Kind::Enum) return range_of(DType::I32);
  return range_of(type.is_scalar() ? type.elem : DType::Void);
}

// The mathematical result of an operation on values of `type` (operands may lie outside it, inside a chain),
// before any wrap-around. Division by zero and shifts by impossible counts give the type's range. Not for
// comparisons and Div.
Interval result_range(ir::BinaryOp op, DType type, const Interval& a, const Interval& b);
Interval result_range(ir::UnaryOp op, const Interval& a);

// Operations that compute in 64 bits inside an expression and are checked where the expression is used
// (ir/ir.h).
inline bool is_chain_op(ir::BinaryOp op) {
  using B = ir::BinaryOp;
  return op == B::Add || op == B::Sub || op == B::Mul || op == B::Shl || op == B::And || op == B::Or ||
         op == B::Xor;
}
inline bool is_chain_op(ir::UnaryOp op) { return op == ir::UnaryOp::Neg || op == ir::UnaryOp::Invert; }

}  // namespace asc::passes
