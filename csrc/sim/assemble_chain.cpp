// SPDX-License-Identifier: Apache-2.0
// Assembler: chains of + - * and bit operations on signed types, which compute in 64 bits and are checked
// where they end.
#include <algorithm>

#include "sim/assemble.h"

namespace asc::sim {

namespace {

// Bounds of magnitudes: |value| <= limit.
unsigned __int128 type_limit(DType type) {
  return static_cast<unsigned __int128>(1) << (8 * size_of(type) - 1);
}
constexpr unsigned __int128 kInt64Limit = INT64_MAX;

unsigned __int128 magnitude(int64_t value) {
  return value < 0 ? 0 - static_cast<uint64_t>(value) : static_cast<uint64_t>(value);
}

}  // namespace

// The integer constant behind an expression, if it fits an immediate.
bool immediate(const ir::Expr* e, int32_t* out) {
  const auto* c = ir::as<ir::Const>(e);
  if (!c || c->is_float()) return false;
  if (c->bits < INT32_MIN || c->bits > INT32_MAX) return false;
  *out = static_cast<int32_t>(c->bits);
  return true;
}

bool is_chain_op(const ir::Expr* e) {
  if (!e->type.is_scalar() || !is_signed_int(e->type.elem)) return false;
  if (const auto* u = ir::as<ir::Unary>(e)) return u->op == ir::UnaryOp::Neg || u->op == ir::UnaryOp::Invert;
  if (const auto* b = ir::as<ir::Binary>(e)) {
    switch (b->op) {
      case ir::BinaryOp::Add:
      case ir::BinaryOp::Sub:
      case ir::BinaryOp::Mul:
      case ir::BinaryOp::Shl:
      case ir::BinaryOp::And:
      case ir::BinaryOp::Or:
      case ir::BinaryOp::Xor: return true;
      default: return false;
    }
  }
  return false;
}

FunctionAssembler::Chain FunctionAssembler::chain(const ir::Expr* e, int want, bool root) {
  const DType type = e->type.elem;
  if (!is_chain_op(e)) {
    const auto* c = ir::as<ir::Const>(e);
    return {expr(e, want), c ? magnitude(c->bits) : type_limit(type), true};
  }
  Chain out;
  if (const auto* u = ir::as<ir::Unary>(e)) {
    const Chain x = chain(u->operand, kAny, false);
    if (e->loc.valid()) loc_ = e->loc;
    const bool invert = u->op == ir::UnaryOp::Invert;
    out = {target(want), x.limit + (invert ? 1 : 0), invert && x.inside};
    emit(invert ? Op::Inv : out.limit > kInt64Limit ? Op::NegO : Op::Neg, out.slot, x.slot);
  } else {
    out = chain_binary(*ir::as<ir::Binary>(e), want, root);
  }
  if ((e->facts & ir::kFits) != 0) out.inside = true;
  if (out.limit < type_limit(type)) out.inside = true;
  if (out.inside) out.limit = std::min(out.limit, type_limit(type));
  out.limit = std::min(out.limit, kInt64Limit + 1);  // what is beyond was found and wrapped
  // Of int64 the operation itself finds what does not fit.
  if (root && !out.inside && type != DType::I64) {
    if (type == DType::I32)
      emit(Op::Fit32, out.slot, out.slot);
    else
      emit(Op::Fit, out.slot, out.slot, 0, static_cast<int32_t>(type));
  }
  return out;
}

FunctionAssembler::Chain FunctionAssembler::chain_shift(const ir::Binary& e, int want) {
  const DType type = e.type.elem;
  const Chain x = chain(e.left, kAny, false);
  int32_t k = 0;
  const bool fixed = immediate(e.right, &k) && k >= 0 && k < 8 * size_of(type);
  if (fixed && ((e.facts & ir::kFits) != 0 || (x.limit << k) <= kInt64Limit)) {
    const Slot to = target(want);
    emit(Op::ShlK, to, x.slot, 0, k);
    return {to, x.limit << k, false};
  }
  const Slot y = expr(e.right);
  if (e.loc.valid()) loc_ = e.loc;
  const Slot to = target(want);
  emit(Op::Shl, to, x.slot, y, static_cast<int32_t>(type));
  return {to, kInt64Limit, false};
}

// x * y + z and x * k + z in one instruction, where 64 bits hold them.
bool FunctionAssembler::chain_multiply_add(const ir::Binary& e, int want, bool root, Chain* out) {
  const auto* product = ir::as<ir::Binary>(e.right);
  const ir::Expr* addend = e.left;
  if (!product || product->op != ir::BinaryOp::Mul) {
    product = ir::as<ir::Binary>(e.left);
    addend = e.right;
  }
  if (!product || product->op != ir::BinaryOp::Mul) return false;
  const DType type = e.type.elem;
  // Of int64 the sum and the product must fit: a sum may, though its product was found outside.
  if (type == DType::I64 && (e.facts & product->facts & ir::kFits) == 0) return false;
  const bool product_first = addend == e.right;
  int32_t k = 0;
  if (immediate(addend, &k)) return false;  // adding a constant is as short
  Chain z;
  if (!product_first) z = chain(addend, kAny, false);
  const Chain x = chain(product->left, kAny, false);
  const bool has_k = immediate(product->right, &k) && k != INT32_MIN;
  const Chain y = has_k ? Chain{0, magnitude(k), true} : chain(product->right, kAny, false);
  if (product_first) z = chain(addend, kAny, false);
  const bool fits = (e.facts & ir::kFits) != 0;
  const Limit limit = x.limit * y.limit + z.limit;
  if (e.loc.valid()) loc_ = e.loc;
  const Slot to = target(want);
  const bool fuse = root && !fits && type == DType::I32 && limit <= kInt64Limit;
  if (limit > kInt64Limit && !fits) {  // checked step by step
    const Slot middle = temp();
    Slot factor = y.slot;
    if (has_k) {
      factor = temp();
      emit_wide(Op::Const, factor, k);
    }
    emit(Op::MulO, middle, x.slot, factor);
    emit(Op::AddO, to, product_first ? middle : z.slot, product_first ? z.slot : middle);
    *out = {to, limit, false};
    return true;
  }
  if (has_k)
    emit(fuse ? Op::MulKAdd32 : Op::MulKAdd, to, x.slot, z.slot, k);
  else
    emit(fuse ? Op::MulAdd32 : Op::MulAdd, to, x.slot, y.slot, z.slot);
  *out = {to, limit, fuse};
  return true;
}

FunctionAssembler::Chain FunctionAssembler::chain_binary(const ir::Binary& e, int want, bool root) {
  using B = ir::BinaryOp;
  const DType type = e.type.elem;
  const bool fits = (e.facts & ir::kFits) != 0;
  if (e.op == B::Shl) return chain_shift(e, want);
  Chain fused;
  if (e.op == B::Add && chain_multiply_add(e, want, root, &fused)) return fused;
  const Chain x = chain(e.left, kAny, false);
  int32_t k = 0;
  const bool has_k = immediate(e.right, &k) && k != INT32_MIN;
  auto bound = [&](Limit right) {
    switch (e.op) {
      case B::Mul: return x.limit * right;
      case B::Add:
      case B::Sub: return x.limit + right;
      default: return std::max(x.limit, right) * 2;  // bits below the higher one of the two
    }
  };
  // The one fused check: a 32-bit operation at the root that may leave its type.
  const bool fuse = root && !fits && type == DType::I32;
  const bool arithmetic = e.op == B::Add || e.op == B::Sub || e.op == B::Mul;
  if (has_k && e.op == B::And && k >= 0) {
    const Slot to = target(want);
    emit(Op::AndK, to, x.slot, 0, k);
    return {to, static_cast<Limit>(k), true};
  }
  if (has_k && arithmetic && (fits || bound(magnitude(k)) <= kInt64Limit)) {
    if (e.loc.valid()) loc_ = e.loc;
    const Slot to = target(want);
    const bool mul = e.op == B::Mul;
    emit(fuse ? (mul ? Op::MulK32 : Op::AddK32) : (mul ? Op::MulK : Op::AddK), to, x.slot, 0,
         e.op == B::Sub ? -k : k);
    return {to, bound(magnitude(k)), fuse};
  }
  const Chain y = chain(e.right, kAny, false);
  if (e.loc.valid()) loc_ = e.loc;
  const Limit result = bound(y.limit);
  const bool checked = !fits && result > kInt64Limit;
  const Slot to = target(want);
  switch (e.op) {
    case B::Add: emit(checked ? Op::AddO : fuse ? Op::Add32 : Op::Add, to, x.slot, y.slot); break;
    case B::Sub: emit(checked ? Op::SubO : fuse ? Op::Sub32 : Op::Sub, to, x.slot, y.slot); break;
    case B::Mul: emit(checked ? Op::MulO : fuse ? Op::Mul32 : Op::Mul, to, x.slot, y.slot); break;
    case B::And: emit(Op::And, to, x.slot, y.slot); return {to, result, x.inside && y.inside};
    case B::Or: emit(Op::Or, to, x.slot, y.slot); return {to, result, x.inside && y.inside};
    default: emit(Op::Xor, to, x.slot, y.slot); return {to, result, x.inside && y.inside};
  }
  return {to, result, fuse && !checked};
}

}  // namespace asc::sim
