// SPDX-License-Identifier: Apache-2.0
// Value ranges of expressions, and what conditions say about variables.
#include "ir/visit.h"
#include "ops/limits.h"
#include "passes/intervals_analysis.h"

namespace asc::passes {

namespace {

constexpr uint8_t kOurFacts = ir::kFits | ir::kNonNegative | ir::kPlainDiv;

bool is_integer(const Type& type) { return type.is_scalar() && is_int(type.elem); }
// Values that a comparison of conditions understands.
bool is_ordered_integer(const Type& type) {
  return (type.is_scalar() && (is_int(type.elem) || is_bool(type.elem))) || type.kind == Kind::Enum;
}

void set_facts(ir::Expr& e, bool fits, bool nonnegative, bool plain_div = false) {
  e.facts = static_cast<uint8_t>((e.facts & ~kOurFacts) | (fits ? ir::kFits : 0) |
                                 (nonnegative ? ir::kNonNegative : 0) | (plain_div ? ir::kPlainDiv : 0));
}

// The result of an operation whose number is `number`, as the node's own value: signed numbers keep to 64
// bits (a chain), unsigned ones wrap around.
Interval settle(ir::Expr& e, const Interval& number, bool plain_div = false) {
  const Interval type = range_of(e.type.elem);
  const bool fits = type.contains(number);
  const Interval value = is_signed_int(e.type.elem) ? clamp(number, kInt64) : fits ? number : type;
  set_facts(e, fits, value.lo >= 0, plain_div);
  return value;
}

Interval query_range(const ir::OpCall& e) {
  switch (e.op) {
    case OpId::GetBlockIdx: return {0, 131070};  // 65,535 blocks of two vector cores
    case OpId::GetBlockNum: return {1, 65535};
    case OpId::GetSubBlockIdx: return {0, 1};
    case OpId::GetSubBlockNum: return {1, 2};
    case OpId::LocalTensor_GetPosition: return {0, 31};
    case OpId::TPipe_AllocEventID:
    case OpId::TPipe_FetchEventID: return {0, kEventIds - 1};
    case OpId::TQue_GetTensorCountInQue: return {0, kMaxBuffers};
    default: return range_of(e.type);
  }
}

}  // namespace

// ---- values -------------------------------------------------------------------------------------

Interval IntervalAnalysis::eval(ir::Expr* e) {
  const Interval value = chain(e);
  return is_integer(e->type) ? clamp(value, range_of(e->type.elem)) : value;
}

Interval IntervalAnalysis::chain(ir::Expr* e) {
  switch (e->kind) {
    case ir::ExprKind::Const: return constant(*static_cast<ir::Const*>(e));
    case ir::ExprKind::Var: {
      const Interval value = variable(*static_cast<ir::VarRef*>(e)->var);
      if (is_integer(e->type)) set_facts(*e, false, value.lo >= 0);
      return value;
    }
    case ir::ExprKind::Unary: return unary(*static_cast<ir::Unary*>(e));
    case ir::ExprKind::Binary: return binary(*static_cast<ir::Binary*>(e));
    case ir::ExprKind::Logical: logical(*static_cast<ir::Logical*>(e)); return {0, 1};
    case ir::ExprKind::Select: return select(*static_cast<ir::Select*>(e));
    case ir::ExprKind::Cast: return cast(*static_cast<ir::Cast*>(e));
    case ir::ExprKind::OpCall: return op_call(*static_cast<ir::OpCall*>(e));
    case ir::ExprKind::Call: {
      const auto* c = static_cast<ir::Call*>(e);
      const std::span<const Interval> results = call(*c->callee, c->args);
      const Interval value = results.empty() || results[0].empty() ? range_of(e->type) : results[0];
      if (is_integer(e->type)) set_facts(*e, false, value.lo >= 0);
      return value;
    }
    case ir::ExprKind::CorePredicate: return {0, 1};
    case ir::ExprKind::Workspace: return range_of(e->type);
    case ir::ExprKind::Field: {
      eval(static_cast<ir::Field*>(e)->object);
      const Interval value = range_of(e->type);
      if (is_integer(e->type)) set_facts(*e, false, value.lo >= 0);
      return value;
    }
  }
  return range_of(e->type);
}

Interval IntervalAnalysis::constant(const ir::Const& c) const {
  if (!is_ordered_integer(c.type)) return {0, 0};
  if (c.type.is_scalar() && c.type.elem == DType::U64)
    return {static_cast<uint64_t>(c.bits), static_cast<uint64_t>(c.bits)};
  return {c.bits, c.bits};
}

Interval IntervalAnalysis::variable(const ir::Var& var) const {
  const int at = slot(var);
  return at < 0 || row_[at].empty() ? range_of(var.type) : row_[at];
}

Interval IntervalAnalysis::unary(ir::Unary& e) {
  const bool in_chain = is_chain_op(e.op) && is_integer(e.type) && is_signed_int(e.type.elem);
  const Interval operand = in_chain ? chain(e.operand) : eval(e.operand);
  if (!is_integer(e.type)) return {0, 1};
  const Interval value = settle(e, result_range(e.op, operand));
  return in_chain ? value : clamp(value, range_of(e.type.elem));
}

Interval IntervalAnalysis::binary(ir::Binary& e) {
  if (!is_integer(e.type)) {  // comparisons, true division, floats
    eval(e.left);
    eval(e.right);
    return range_of(e.type);
  }
  const bool in_chain = is_chain_op(e.op) && is_signed_int(e.type.elem);
  const bool shifts = e.op == ir::BinaryOp::Shl || e.op == ir::BinaryOp::Shr;
  const Interval left = in_chain ? chain(e.left) : eval(e.left);
  const Interval right = in_chain && !shifts ? chain(e.right) : eval(e.right);
  const bool divides = e.op == ir::BinaryOp::FloorDiv || e.op == ir::BinaryOp::Mod;
  const bool plain_div = divides && left.lo >= 0 && right.lo >= 0;
  const Interval value = settle(e, result_range(e.op, e.type.elem, left, right), plain_div);
  return in_chain ? value : clamp(value, range_of(e.type.elem));
}

Interval IntervalAnalysis::cast(ir::Cast& e) {
  const Interval operand = eval(e.operand);
  const Interval type = range_of(e.type);
  if (!is_integer(e.type)) return type;
  const bool from_integer = is_ordered_integer(e.operand->type);
  const bool fits = from_integer && type.contains(operand);
  // An implicit cast to a type that does not hold the value is a finding; an explicit one wraps around.
  Interval value = fits ? operand : type;
  if (e.operand->type.kind == Kind::Pointer) value.lo = 0;  // no address is a negative number
  if (from_integer && !fits && !e.is_explicit) value = clamp(operand, type);
  set_facts(e, fits, value.lo >= 0);
  return value;
}

Interval IntervalAnalysis::select(ir::Select& e) {
  eval(e.condition);
  const RowStack::Mark mark = rows_.mark();
  const Interval* before = copy_row();
  refine(e.condition, true);
  const Interval then_value = eval(e.then_value);
  std::copy_n(before, width_, row_);
  refine(e.condition, false);
  const Interval else_value = eval(e.else_value);
  std::copy_n(before, width_, row_);
  rows_.release(mark);
  const Interval value = join(then_value, else_value);
  if (is_integer(e.type)) set_facts(e, false, value.lo >= 0);
  return value;
}

void IntervalAnalysis::logical(ir::Logical& e) {
  eval(e.left);
  const RowStack::Mark mark = rows_.mark();
  const Interval* before = copy_row();
  refine(e.left, e.op == ir::LogicalOp::And);
  eval(e.right);
  std::copy_n(before, width_, row_);
  rows_.release(mark);
}

Interval IntervalAnalysis::op_call(ir::OpCall& e) {
  if (e.self) eval(e.self);
  for (ir::Expr* arg : e.args)
    if (arg) eval(arg);
  const Interval value = query_range(e);
  if (is_integer(e.type)) set_facts(e, false, value.lo >= 0);
  return value;
}

// ---- conditions ---------------------------------------------------------------------------------

void IntervalAnalysis::refine(ir::Expr* e, bool sense) {
  if (auto* u = ir::as<ir::Unary>(e); u && u->op == ir::UnaryOp::Not) return refine(u->operand, !sense);
  if (auto* l = ir::as<ir::Logical>(e)) {
    // Both sides are known to be `sense` in `a and b`, and both known not to be in `not (a or b)`.
    if ((l->op == ir::LogicalOp::And) != sense) return;
    refine(l->left, sense);
    return refine(l->right, sense);
  }
  auto* b = ir::as<ir::Binary>(e);
  if (b && ir::is_comparison(b->op) && is_ordered_integer(b->left->type)) refine_comparison(*b, sense);
}

void IntervalAnalysis::refine_comparison(const ir::Binary& e, bool sense) {
  using B = ir::BinaryOp;
  constexpr B kOpposite[] = {B::Ge, B::Gt, B::Le, B::Lt, B::Ne, B::Eq};  // ORDER BinaryOp: Lt Le Gt Ge Eq Ne
  static_assert(static_cast<int>(B::Ne) - static_cast<int>(B::Lt) == 5);
  const B op = sense ? e.op : kOpposite[static_cast<int>(e.op) - static_cast<int>(B::Lt)];
  const Interval left = eval(e.left), right = eval(e.right);
  constexpr Wide kFar = Wide{1} << 100;
  switch (op) {
    case B::Lt:
      refine_value(e.left, {-kFar, right.hi - 1});
      return refine_value(e.right, {left.lo + 1, kFar});
    case B::Le: refine_value(e.left, {-kFar, right.hi}); return refine_value(e.right, {left.lo, kFar});
    case B::Gt:
      refine_value(e.left, {right.lo + 1, kFar});
      return refine_value(e.right, {-kFar, left.hi - 1});
    case B::Ge: refine_value(e.left, {right.lo, kFar}); return refine_value(e.right, {-kFar, left.hi});
    case B::Eq: refine_value(e.left, right); return refine_value(e.right, left);
    default: {  // only a bound can be taken away
      const auto without = [](const Interval& a, const Interval& b) {
        if (!b.single()) return a;
        return Interval{a.lo + (a.lo == b.lo ? 1 : 0), a.hi - (a.hi == b.lo ? 1 : 0)};
      };
      refine_value(e.left, without(left, right));
      return refine_value(e.right, without(right, left));
    }
  }
}

// The value of `e` lies in `bound`: through casts that keep the value, and sums with a constant, to a
// variable.
void IntervalAnalysis::refine_value(ir::Expr* e, const Interval& bound) {
  if (const auto* ref = ir::as<ir::VarRef>(e)) {
    const int at = slot(*ref->var);
    if (at < 0) return;
    const Interval value = meet(variable(*ref->var), bound);
    if (!value.empty()) row_[at] = value;  // else this cannot happen, and any state does
    return;
  }
  if (const auto* c = ir::as<ir::Cast>(e)) {
    const bool keeps = !c->is_explicit || (c->facts & ir::kFits) != 0;
    if (keeps && is_integer(c->type) && is_integer(c->operand->type)) refine_value(c->operand, bound);
    return;
  }
  const auto* b = ir::as<ir::Binary>(e);
  if (!b || !is_integer(b->type) || (is_unsigned_int(b->type.elem) && (b->facts & ir::kFits) == 0)) return;
  const auto* left = ir::as<ir::Const>(b->left);
  const auto* right = ir::as<ir::Const>(b->right);
  if (b->op == ir::BinaryOp::Add && right) {
    const Wide k = constant(*right).lo;
    refine_value(b->left, {bound.lo - k, bound.hi - k});
  } else if (b->op == ir::BinaryOp::Add && left) {
    const Wide k = constant(*left).lo;
    refine_value(b->right, {bound.lo - k, bound.hi - k});
  } else if (b->op == ir::BinaryOp::Sub && right) {
    const Wide k = constant(*right).lo;
    refine_value(b->left, {bound.lo + k, bound.hi + k});
  }
}

}  // namespace asc::passes
