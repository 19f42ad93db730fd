// SPDX-License-Identifier: Apache-2.0
// Addresses in global memory as numbers, and back. An address is a 64-bit number wherever a number is wanted;
// a 64-bit number becomes an address where its element type is known. The simulator keeps the provenance in
// the number itself (sim/memory.h), so that both ways are free.
#include "base/format.h"
#include "lower/frame.h"

namespace asc::lower {

using ast::Node;

bool is_address_number(DType type) { return type == DType::I64 || type == DType::U64; }

bool Frame::is_address(const Value& v) const { return v.is_expr() && v.expr->type.kind == Kind::Pointer; }

// int64 where nothing says which: differences of addresses have a sign, and no address is negative.
Value Frame::address_number(const Value& v, const Value* beside, const Node* at) {
  if (!is_address(v)) return v;
  DType type = DType::I64;
  if (beside && is_scalar(*beside) && beside->expr->type.elem == DType::U64) type = DType::U64;
  return Value::of(build_.cast(Type::scalar(type), v.expr, true, loc(at)));
}

ir::Expr* Frame::address_as(const Value& v, DType type, const Node* at) {
  if (!is_address_number(type))
    fail(at, fmt::format("{} is a 64-bit number; {} does not hold it", shown(v), py_name(type)),
         "keep addresses in int64 or uint64");
  return build_.cast(Type::scalar(type), v.expr, true, loc(at));
}

ir::Expr* Frame::as_address(const Value& v, Type pointer, const Node* at) {
  if (is_address(v) && v.expr->type == pointer) return v.expr;
  return build_.cast(pointer, v.expr, true, loc(at));
}

}  // namespace asc::lower
