// SPDX-License-Identifier: Apache-2.0
// What a launch certainly writes (overwrites_walk.h): values, and the writes themselves.
#include "ir/builder.h"
#include "ops/limits.h"
#include "passes/overwrites_walk.h"

namespace asc::passes {

namespace {

bool is_whole(const Type& type) {
  return type.kind == Kind::Enum || (type.is_scalar() && (is_int(type.elem) || is_bool(type.elem)));
}

// What a helper does to one of two references that are the same variable, it does to both.
bool gives_one_twice(const ir::Function& callee, std::span<ir::Expr* const> args) {
  std::vector<const ir::Var*> given;
  for (size_t i = 0; i < args.size(); i++) {
    const auto* ref = ir::as<ir::VarRef>(args[i]);
    if (!ref || !callee.params[i]->by_ref || ref->type.is_object()) continue;
    if (std::ranges::find(given, ref->var) != given.end()) return true;
    given.push_back(ref->var);
  }
  return false;
}

}  // namespace

OverwritesWalk::Value OverwritesWalk::number(const std::optional<Affine>& value, const Type& type) const {
  if (!value || !is_whole(type) || !range_of(type).contains(range_of(*value, symbols_))) return {};
  return {Value::Kind::Number, 0, *value};
}

OverwritesWalk::Value OverwritesWalk::eval(const ir::Expr* e) {
  steps_left_--;
  switch (e->kind) {
    case ir::ExprKind::Const: {
      const std::optional<int64_t> value = ir::const_int(e);
      return value ? number(*value, e->type) : Value();
    }
    case ir::ExprKind::Var: return value_of(static_cast<const ir::VarRef*>(e)->var);
    case ir::ExprKind::Unary: return unary(*static_cast<const ir::Unary*>(e));
    case ir::ExprKind::Binary: return binary(*static_cast<const ir::Binary*>(e));
    case ir::ExprKind::Logical: return logical(*static_cast<const ir::Logical*>(e));
    case ir::ExprKind::Select: return select(*static_cast<const ir::Select*>(e));
    case ir::ExprKind::Cast: return cast(*static_cast<const ir::Cast*>(e));
    case ir::ExprKind::OpCall: return op_call(*static_cast<const ir::OpCall*>(e));
    case ir::ExprKind::Call: {
      const auto* c = static_cast<const ir::Call*>(e);
      return call(*c->callee, c->args);
    }
    case ir::ExprKind::CorePredicate:  // only vector cores run (overwrites.cpp)
      return number(static_cast<const ir::CorePredicate*>(e)->aic ? 0 : 1, e->type);
    case ir::ExprKind::Field: eval(static_cast<const ir::Field*>(e)->object); return {};
    case ir::ExprKind::Workspace: return {};
  }
  return {};
}

OverwritesWalk::Value OverwritesWalk::eval_maybe(const ir::Expr* e) {
  const bool certain = certain_;
  certain_ = false;
  const Value value = eval(e);
  certain_ = certain;
  return value;
}

// ---- numbers ------------------------------------------------------------------------------------

OverwritesWalk::Value OverwritesWalk::unary(const ir::Unary& e) {
  const Value value = eval(e.operand);
  if (!value.is_number()) return {};
  if (e.op == ir::UnaryOp::Neg) return number(scale(value.at, -1), e.type);
  if (!value.at.single()) return {};
  const std::optional<int64_t> folded = ir::fold_bits(e.op, e.operand->type, value.at.base);
  return folded ? number(*folded, e.type) : Value();
}

OverwritesWalk::Value OverwritesWalk::binary(const ir::Binary& e) {
  using B = ir::BinaryOp;
  const Value left = eval(e.left), right = eval(e.right);
  if (!left.is_number() || !right.is_number()) return {};
  const Affine &a = left.at, &b = right.at;
  switch (e.op) {
    case B::Add: return number(add(a, b), e.type);
    case B::Sub: return number(subtract(a, b), e.type);
    case B::Mul:
      if (b.single()) return number(scale(a, b.base), e.type);
      return a.single() ? number(scale(b, a.base), e.type) : Value();
    case B::FloorDiv:
    case B::Mod:
      if (!b.single() || b.base <= 0) break;
      return number(e.op == B::Mod ? remainder(a, b.base, symbols_) : divide(a, b.base, symbols_), e.type);
    case B::Min:
    case B::Max: return smaller(e, left, right);
    case B::Shl: {
      constexpr int64_t kMost = 62;
      if (!b.single() || b.base < 0 || b.base > kMost) break;
      return number(scale(a, int64_t{1} << b.base), e.type);
    }
    default:
      if (ir::is_comparison(e.op)) return compare(e, left, right);
  }
  if (!a.single() || !b.single() || !is_whole(e.type)) return {};
  const std::optional<int64_t> folded = ir::fold_bits(e.op, e.left->type, a.base, b.base);
  return folded ? number(*folded, e.type) : Value();
}

// Decided where it is the same in every block and turn.
OverwritesWalk::Value OverwritesWalk::compare(const ir::Binary& e, const Value& left,
                                              const Value& right) const {
  using B = ir::BinaryOp;
  const std::optional<Affine> difference = subtract(left.at, right.at);
  if (!difference) return {};
  const auto [lo, hi] = range_of(*difference, symbols_);
  const auto decided = [&](bool yes, bool no) {
    return yes ? number(1, e.type) : no ? number(0, e.type) : Value();
  };
  switch (e.op) {
    case B::Lt: return decided(hi < 0, lo >= 0);
    case B::Le: return decided(hi <= 0, lo > 0);
    case B::Gt: return decided(lo > 0, hi <= 0);
    case B::Ge: return decided(lo >= 0, hi < 0);
    case B::Eq: return decided(lo == 0 && hi == 0, lo > 0 || hi < 0);
    case B::Ne: return decided(lo > 0 || hi < 0, lo == 0 && hi == 0);
    default: return {};
  }
}

OverwritesWalk::Value OverwritesWalk::smaller(const ir::Binary& e, const Value& left,
                                              const Value& right) const {
  const std::optional<Affine> difference = subtract(left.at, right.at);
  if (!difference) return {};
  const auto [lo, hi] = range_of(*difference, symbols_);
  const bool min = e.op == ir::BinaryOp::Min;
  if (hi <= 0) return min ? left : right;
  return lo >= 0 ? (min ? right : left) : Value();
}

OverwritesWalk::Value OverwritesWalk::logical(const ir::Logical& e) {
  const Value left = eval(e.left);
  if (!left.is_number() || !left.at.single()) {
    eval_maybe(e.right);
    return {};
  }
  return (left.at.base != 0) == (e.op == ir::LogicalOp::And) ? eval(e.right) : left;
}

OverwritesWalk::Value OverwritesWalk::select(const ir::Select& e) {
  const Value condition = eval(e.condition);
  if (condition.is_number() && condition.at.single())
    return eval(condition.at.base != 0 ? e.then_value : e.else_value);
  eval_maybe(e.then_value);
  eval_maybe(e.else_value);
  return {};
}

OverwritesWalk::Value OverwritesWalk::cast(const ir::Cast& e) {
  const Value value = eval(e.operand);
  if (value.is_address()) return e.type.kind == Kind::Pointer ? value : Value();
  if (!value.is_number()) return {};
  if (!e.type.is_scalar() || !is_bool(e.type.elem)) return number(value.at, e.type);
  const auto [lo, hi] = range_of(value.at, symbols_);
  if (lo > 0 || hi < 0) return number(1, e.type);
  return lo == 0 && hi == 0 ? number(0, e.type) : Value();
}

// ---- calls --------------------------------------------------------------------------------------

void OverwritesWalk::forget_given(const ir::Function& callee, std::span<ir::Expr* const> args) {
  for (size_t i = 0; i < args.size(); i++)
    if (const auto* ref = ir::as<ir::VarRef>(args[i]); ref && callee.params[i]->by_ref)
      assign(ref->var, Value());
}

OverwritesWalk::Value OverwritesWalk::call(const ir::Function& callee, std::span<ir::Expr* const> args) {
  std::vector<Value> given;
  for (const ir::Expr* arg : args) given.push_back(eval(arg));
  if (!certain_ || steps_left_ < 0 || gives_one_twice(callee, args)) {
    forget_given(callee, args);
    returned_.assign(callee.results.size(), Value());
    return {};
  }
  const size_t frame = values_.size(), outer = frame_;
  values_.resize(frame + callee.vars.size());
  for (size_t i = 0; i < given.size(); i++)
    if (!callee.params[i]->type.is_object()) values_[frame + i] = given[i];
  frame_ = frame;
  const Flow flow = block(callee.body);
  frame_ = outer;
  if (flow != Flow::Return) returned_.assign(callee.results.size(), Value());
  forget_given(callee, args);
  for (size_t i = 0; i < args.size() && flow != Flow::Maybe; i++)
    if (const auto* ref = ir::as<ir::VarRef>(args[i]);
        ref && callee.params[i]->by_ref && !ref->type.is_object())
      assign(ref->var, values_[frame + i]);
  values_.resize(frame);
  return returned_.empty() ? Value() : returned_[0];
}

namespace {

// The operands whose values an op is followed by: bit 0 the receiver, then one an argument.
constexpr int kFollowed = 4;
constexpr unsigned kSelf = 1, kFirst = 2, kSecond = 4, kThird = 8;
unsigned followed(const ir::OpCall& e) {
  switch (e.op) {
    case OpId::Pointer_Offset:
    case OpId::Pointer_OffsetRight:
    case OpId::Pointer_OffsetBack:
    case OpId::GlobalTensor_Subindex:
    case OpId::GlobalTensor_GetPhyAddr:
    case OpId::GlobalTensor_SetValue: return kSelf | kFirst;
    case OpId::GlobalTensor_SetGlobalBuffer: return kFirst;
    case OpId::LocalTensor_Init: return kSecond;
    case OpId::LocalTensor_Subindex:
    case OpId::LocalTensor_ReinterpretCast: return kSelf;
    case OpId::DataCopy:
    case OpId::DataCopyPad: {
      const bool out = e.proto().params[0].type.form == TypePattern::Form::GlobalTensor;
      return out ? kFirst | kSecond | kThird : 0;
    }
    default: return 0;
  }
}

}  // namespace

OverwritesWalk::Value OverwritesWalk::op_call(const ir::OpCall& e) {
  Value values[kFollowed];
  const unsigned wanted = followed(e);
  const auto evaluate = [&](size_t index, const ir::Expr* operand) {
    if (index < kFollowed && (wanted >> index & 1) != 0)
      values[index] = eval(operand);
    else if (operand->effect >= Effect::Write)  // a helper in it may do something
      eval(operand);
  };
  if (e.self) evaluate(0, e.self);
  for (size_t i = 0; i < e.args.size(); i++) {
    const ParamDesc& param = e.proto().params[i];
    if (e.args[i])
      evaluate(i + 1, e.args[i]);
    else if (i + 1 < kFollowed && param.has_default)
      values[i + 1] = {Value::Kind::Number, 0, Affine::of(static_cast<int64_t>(param.default_value))};
  }
  const int64_t size = size_of(e.vars[0]);
  switch (e.op) {
    case OpId::GetBlockIdx: return number(grid_ > 1 ? Affine::of(block_symbol_, 1) : Affine::of(0), e.type);
    case OpId::GetBlockNum: return number(grid_, e.type);
    case OpId::Pointer_Offset:
    case OpId::Pointer_OffsetRight:
    case OpId::GlobalTensor_Subindex:
    case OpId::GlobalTensor_GetPhyAddr: return moved(values[0], values[1], size);
    case OpId::Pointer_OffsetBack: return moved(values[0], values[1], -size);
    case OpId::GlobalTensor_SetGlobalBuffer:
      if (const auto* ref = ir::as<ir::VarRef>(e.self)) assign(ref->var, values[1]);
      return {};
    case OpId::GlobalTensor_SetValue: {
      const Value element = moved(values[0], values[1], size);
      write(element, element.at, size);
      return {};
    }
    case OpId::DataCopy:
    case OpId::DataCopyPad:
      // From a memory that a vector core has: it skips copies from others.
      if (values[2].kind != Value::Kind::Local || values[2].index != static_cast<uint32_t>(Space::UB))
        return {};
      e.op == OpId::DataCopy ? copy(e, values[1], values[3]) : copy_pad(e, values[1]);
      return {};
    case OpId::LocalTensor_Init:
      if (!values[2].is_number() || !values[2].at.single()) return {};
      return Value::local(static_cast<int>(values[2].at.base));
    case OpId::TQue_AllocTensor:
    case OpId::TQue_DeQue:
    case OpId::TBuf_Get: return Value::local(e.self->type.position);
    case OpId::LocalTensor_Subindex:
    case OpId::LocalTensor_ReinterpretCast: return values[0];
    default: return {};
  }
}

// ---- writes -------------------------------------------------------------------------------------

OverwritesWalk::Value OverwritesWalk::moved(const Value& address, const Value& elements, int64_t size) const {
  constexpr Wide kFar = Wide{1} << 46;  // far beyond every array; further out nothing is added up any more
  if (!address.is_address() || !elements.is_number() || size == 0) return {};
  const std::optional<Affine> way = scale(elements.at, size);
  const std::optional<Affine> to = way ? add(address.at, *way) : std::nullopt;
  if (!to) return {};
  const Interval range = range_of(*to, symbols_);
  if (range.lo < -kFar || range.hi > kFar) return {};
  return {Value::Kind::Address, address.index, *to};
}

void OverwritesWalk::write(const Value& to, const std::optional<Affine>& at, int64_t bytes) {
  if (!certain_ || !to.is_address() || !at || bytes <= 0 || writes_.size() >= kMaxWrites) return;
  writes_.push_back({to.index, {*at, bytes}});
}

void OverwritesWalk::copy(const ir::OpCall& e, const Value& to, const Value& count) {
  constexpr int64_t kMost = UINT32_MAX;  // what the parameter takes
  if (!count.is_number() || !count.at.single() || count.at.base > kMost) return;
  write(to, to.at, copy_bytes(count.at.base, e.vars[0]));
}

// Blocks of `block_len` bytes, `dst_stride` bytes from the end of one to the start of the next.
void OverwritesWalk::copy_pad(const ir::OpCall& e, const Value& to) {
  const auto* params = ir::as<ir::VarRef>(e.args[2]);
  if (!params || value_of(params->var).kind != Value::Kind::Struct) return;
  const std::array<Value, kFields>& fields = structs_[value_of(params->var).index];
  for (const Value& field : fields)
    if (!field.is_number() || !field.at.single()) return;
  const int64_t blocks = fields[0].at.base, bytes = fields[1].at.base, gap = fields[3].at.base;
  if (blocks == 1 || gap == 0) return write(to, to.at, blocks * bytes);
  if (blocks > 1) write(to, add(to.at, Affine::of(symbols_.add(blocks), bytes + gap)), bytes);
}

}  // namespace asc::passes
