// SPDX-License-Identifier: Apache-2.0
// Assembler: expressions without calls.
#include <bit>
#include <cmath>

#include "base/format.h"
#include "ir/builder.h"
#include "ir/scalar.h"
#include "sim/assemble.h"
#include "sim/memory.h"

namespace asc::sim {

namespace {

DType elem_of(const Type& type) {
  switch (type.kind) {
    case Kind::Scalar: return type.elem;
    case Kind::Enum: return DType::I32;
    default: return DType::U64;  // addresses compare as bits
  }
}

// Floats live in slots as float bits; only float64 as a double's.
uint64_t float_slot(DType type, double value) {
  if (type == DType::F64) return std::bit_cast<uint64_t>(value);
  return std::bit_cast<uint32_t>(static_cast<float>(ir::round_to(type, value)));
}

bool small_float(DType type) { return is_float(type) && type != DType::F64; }

}  // namespace

// Defaults of float fields are doubles' bits, as constants are.
int64_t field_bits(const Type& type, int64_t bits) {
  if (!type.is_scalar() || !is_float(type.elem)) return bits;
  return static_cast<int64_t>(float_slot(type.elem, std::bit_cast<double>(bits)));
}

FunctionAssembler::Slot FunctionAssembler::bits(uint64_t value, int want) {
  if (want == kAny && preload_) {
    if (const auto known = constant_at_.find(value); known != constant_at_.end())
      return constants_[known->second].second;
    constexpr size_t kMostPreloaded =
        4096;  // the others are made where they are used, and take no slot for long
    if (constants_.size() < kMostPreloaded) {  // the first of the two passes only collects them
      constant_at_.emplace(value, constants_.size());
      constants_.emplace_back(value, Slot{0});
      return 0;
    }
  }
  const Slot to = target(want);
  emit_wide(Op::Const, to, static_cast<int64_t>(value));
  return to;
}

FunctionAssembler::Slot FunctionAssembler::constant(const ir::Const& c, int want) {
  if (c.is_float()) return bits(float_slot(c.type.elem, c.as_double()), want);
  return bits(static_cast<uint64_t>(c.bits), want);
}

FunctionAssembler::Slot FunctionAssembler::variable(const ir::Var& var, int want) {
  const Slot slot = slot_of_.at(var.id);
  if (var.type.kind == Kind::Struct) {  // a struct's value is a pointer to its fields
    if (is_reference(var)) return slot;
    const Slot to = target(want);
    emit(Op::AddrOf, to, slot);
    return to;
  }
  if (!is_reference(var)) return slot;
  if (two_slots(var.type)) {
    const Slot to = target2(want);
    emit(Op::LoadRef2, to, slot);
    return to;
  }
  const Slot to = target(want);
  emit(Op::LoadRef, to, slot);
  return to;
}

FunctionAssembler::Slot FunctionAssembler::expr(const ir::Expr* e, int want) {
  if (e->loc.valid()) loc_ = e->loc;
  switch (e->kind) {
    case ir::ExprKind::Const: return constant(*ir::as<ir::Const>(e), want);
    case ir::ExprKind::Var: return variable(*ir::as<ir::VarRef>(e)->var, want);
    case ir::ExprKind::Unary: return unary(*ir::as<ir::Unary>(e), want);
    case ir::ExprKind::Binary: return binary(*ir::as<ir::Binary>(e), want);
    case ir::ExprKind::Logical:
    case ir::ExprKind::Select: return value_by_branches(*e, want);
    case ir::ExprKind::Cast: return cast(*ir::as<ir::Cast>(e), want);
    case ir::ExprKind::OpCall: return op_call(*ir::as<ir::OpCall>(e), want);
    case ir::ExprKind::Call: {
      const auto* c = ir::as<ir::Call>(e);
      return call(*c->callee, c->args, e->loc);
    }
    case ir::ExprKind::CorePredicate: {
      const Slot to = target(want);
      emit(Op::IsAic, to);
      if (!ir::as<ir::CorePredicate>(e)->aic) emit(Op::NotB, to, to);
      return to;
    }
    case ir::ExprKind::Field: return field(*ir::as<ir::Field>(e), want);
    case ir::ExprKind::Workspace: return workspace(*ir::as<ir::Workspace>(e), want);
  }
  ASC_BUG("an expression of unknown kind");
}

FunctionAssembler::Slot FunctionAssembler::field(const ir::Field& e, int want) {
  const Slot object = expr(e.object);
  const int offset = field_slot(e.object->type, e.index, b_.module);
  if (offset == 0 && e.type.kind == Kind::Struct) return object;
  const Slot at = offset == 0 ? object : temp();
  if (offset != 0) emit(Op::AddK, at, object, 0, offset * 8);
  if (e.type.kind == Kind::Struct) return at;
  if (e.type.is_tensor()) {
    const Slot to = target2(want);
    emit(Op::LoadRef2, to, at);
    return to;
  }
  const Slot to = target(want);
  emit(Op::LoadRef, to, at);
  return to;
}

// Each area is an owner of its own in addresses (sim/workspace.h): the next one is a step in the upper bits.
FunctionAssembler::Slot FunctionAssembler::workspace(const ir::Workspace& e, int want) {
  const Slot base = expr(e.base);
  if (e.area == 0 && e.stride == 0) return base;
  const Slot step = bits(uint64_t{e.area} << kOwnerShift);
  if (e.stride == 0) {
    const Slot to = target(want);
    emit(Op::Add, to, base, step);
    return to;
  }
  const Slot stride = bits(static_cast<uint64_t>(e.stride));
  const Slot at = temp();
  emit(Op::Block, at);
  emit(Op::Mul, at, at, stride);
  emit(Op::Add, at, at, step);
  const Slot to = target(want);
  emit(Op::Add, to, at, base);
  return to;
}

// Both ways of a value meet in a slot of its own: the wanted one may be read by the second way.
FunctionAssembler::Slot FunctionAssembler::value_by_branches(const ir::Expr& e, int) {
  const Slot to = temp(width(e.type));
  std::vector<int> other, done;
  if (const auto* s = ir::as<ir::Select>(&e)) {
    branch(s->condition, false, &other);
    move(e.type, to, expr(s->then_value, to));
    done.push_back(emit(Op::Jmp));
    patch_all(other, here());
    move(e.type, to, expr(s->else_value, to));
    patch_all(done, here());
    return to;
  }
  branch(&e, false, &other);
  emit_wide(Op::Const, to, 1);
  done.push_back(emit(Op::Jmp));
  patch_all(other, here());
  emit_wide(Op::Const, to, 0);
  patch_all(done, here());
  return to;
}

FunctionAssembler::Slot FunctionAssembler::slow(const ir::Expr& e, int code, DType type, Slot x, Slot y,
                                                int want) {
  if (e.loc.valid()) loc_ = e.loc;
  const Slot to = target(want);
  emit(Op::Slow, to, x, y, static_cast<int32_t>(type) | code << 8);
  return to;
}

FunctionAssembler::Slot FunctionAssembler::unary(const ir::Unary& e, int want) {
  const DType type = elem_of(e.operand->type);
  if (e.op == ir::UnaryOp::Not) {
    const Slot x = expr(e.operand);
    const Slot to = target(want);
    emit(Op::NotB, to, x);
    return to;
  }
  if (is_chain_op(&e)) return chain(&e, want, true).slot;
  const Slot x = expr(e.operand);
  if (e.op == ir::UnaryOp::Neg && small_float(type)) {
    const Slot to = target(want);
    emit(Op::NegF, to, x);
    return to;
  }
  return slow(e, kSlowUnary + static_cast<int>(e.op), type, x, x, want);
}

FunctionAssembler::Slot FunctionAssembler::binary(const ir::Binary& e, int want) {
  const DType type = elem_of(e.left->type);
  if (ir::is_comparison(e.op)) return comparison(e, want);
  if (e.op == ir::BinaryOp::Div) return true_division(e, want);
  if (is_float(type)) return float_binary(e, want);
  return int_binary(e, want);
}

// x * y + z and z + x * y of float32 in one instruction, which rounds twice as the two would.
bool FunctionAssembler::float_multiply_add(const ir::Binary& e, int want, Slot* out) {
  auto product = [](const ir::Expr* side) {
    const auto* b = ir::as<ir::Binary>(side);
    return b && b->op == ir::BinaryOp::Mul && b->type.elem == DType::F32 ? b : nullptr;
  };
  const ir::Binary *left = product(e.left), *right = left ? nullptr : product(e.right);
  if (e.op != ir::BinaryOp::Add || e.type.elem != DType::F32 || (!left && !right)) return false;
  const ir::Binary& p = left ? *left : *right;
  Slot z = left ? Slot{0} : expr(e.left);
  const Slot x = expr(p.left);
  const Slot y = expr(p.right);
  if (left) z = expr(e.right);
  *out = target(want);
  emit(Op::MulAddF, *out, x, y, z);
  return true;
}

FunctionAssembler::Slot FunctionAssembler::float_binary(const ir::Binary& e, int want) {
  const DType type = elem_of(e.left->type);
  Slot fused = 0;
  if (float_multiply_add(e, want, &fused)) return fused;
  const Slot x = expr(e.left);
  const Slot y = expr(e.right);
  Op op;
  switch (e.op) {
    case ir::BinaryOp::Add: op = Op::AddF; break;
    case ir::BinaryOp::Sub: op = Op::SubF; break;
    case ir::BinaryOp::Mul: op = Op::MulF; break;
    default: return slow(e, static_cast<int>(e.op), type, x, y, want);
  }
  if (type == DType::F64) return slow(e, static_cast<int>(e.op), type, x, y, want);
  const Slot to = target(want);
  emit(op, to, x, y);
  if (type == DType::F16) emit(Op::RoundH, to, to);
  if (type == DType::BF16) emit(Op::RoundB, to, to);
  return to;
}

FunctionAssembler::Slot FunctionAssembler::as_float32(const ir::Expr* e) {
  const Slot x = expr(e);
  const DType type = elem_of(e->type);
  return small_float(type) ? x : convert(x, type, DType::F32, true, e->loc, kAny);
}

// Divides in float32, whatever the operands are; float64 stays itself.
FunctionAssembler::Slot FunctionAssembler::true_division(const ir::Binary& e, int want) {
  if (elem_of(e.left->type) == DType::F64) {
    const Slot x = expr(e.left);
    const Slot y = expr(e.right);
    return slow(e, static_cast<int>(e.op), DType::F64, x, y, want);
  }
  const Slot x = as_float32(e.left);
  const Slot y = as_float32(e.right);
  const Slot to = target(want);
  emit(Op::DivF, to, x, y);
  if (e.type.elem == DType::F16) emit(Op::RoundH, to, to);
  if (e.type.elem == DType::BF16) emit(Op::RoundB, to, to);
  return to;
}

FunctionAssembler::Slot FunctionAssembler::int_binary(const ir::Binary& e, int want) {
  const DType type = elem_of(e.left->type);
  if (e.op == ir::BinaryOp::FloorDiv || e.op == ir::BinaryOp::Mod) return division(e, want);
  if (e.op == ir::BinaryOp::Shr) return shift_right(e, want);
  if (is_chain_op(&e)) return chain(&e, want, true).slot;
  const Slot x = expr(e.left);
  int32_t k = 0;
  const bool has_k = immediate(e.right, &k);
  if (has_k && (e.op == ir::BinaryOp::Add || e.op == ir::BinaryOp::Mul || e.op == ir::BinaryOp::And)) {
    const Slot to = target(want);
    emit(e.op == ir::BinaryOp::Add ? Op::AddK : e.op == ir::BinaryOp::Mul ? Op::MulK : Op::AndK, to, x, 0, k);
    if (type == DType::U32)
      emit(Op::WrapU32, to, to);
    else if (is_unsigned_int(type) && type != DType::U64)
      emit(Op::Wrap, to, to, 0, static_cast<int32_t>(type));
    return to;
  }
  const Slot y = expr(e.right);
  Op op;
  bool wraps = true;
  switch (e.op) {
    case ir::BinaryOp::Add: op = Op::Add; break;
    case ir::BinaryOp::Sub: op = Op::Sub; break;
    case ir::BinaryOp::Mul: op = Op::Mul; break;
    case ir::BinaryOp::And:
      op = Op::And;
      wraps = false;
      break;
    case ir::BinaryOp::Or:
      op = Op::Or;
      wraps = false;
      break;
    case ir::BinaryOp::Xor:
      op = Op::Xor;
      wraps = false;
      break;
    case ir::BinaryOp::Min:
    case ir::BinaryOp::Max:
      if (type == DType::U64) return slow(e, static_cast<int>(e.op), type, x, y, want);
      op = e.op == ir::BinaryOp::Min ? Op::MinS : Op::MaxS;
      wraps = false;
      break;
    case ir::BinaryOp::Shl: {
      const Slot to = target(want);
      emit(Op::Shl, to, x, y, static_cast<int32_t>(type));
      if (type != DType::U64) emit(Op::Wrap, to, to, 0, static_cast<int32_t>(type));
      return to;
    }
    default: return slow(e, static_cast<int>(e.op), type, x, y, want);
  }
  const Slot to = target(want);
  emit(op, to, x, y);
  if (wraps && type == DType::U32)
    emit(Op::WrapU32, to, to);
  else if (wraps && is_unsigned_int(type) && type != DType::U64)
    emit(Op::Wrap, to, to, 0, static_cast<int32_t>(type));
  return to;
}

FunctionAssembler::Slot FunctionAssembler::division(const ir::Binary& e, int want) {
  const DType type = elem_of(e.left->type);
  const bool is_div = e.op == ir::BinaryOp::FloorDiv;
  const Slot x = expr(e.left);
  int32_t k = 0;
  if (type != DType::U64 && immediate(e.right, &k) && k > 0) {
    const Slot to = target(want);
    if ((k & (k - 1)) == 0) {  // floor division and its remainder by a power of two are a shift and a mask
      emit(is_div ? Op::SarK : Op::AndK, to, x, 0,
           is_div ? std::countr_zero(static_cast<uint32_t>(k)) : k - 1);
      return to;
    }
    // The reciprocal for 32-bit dividends stands in the next instruction (Lemire, Kaser, Kurz: "Faster
    // remainder by direct computation").
    emit(is_div ? Op::DivK : Op::ModK, to, x, 0, k);
    emit_wide(Op::Data, 0, static_cast<int64_t>(UINT64_MAX / static_cast<uint64_t>(k) + 1));
    return to;
  }
  const Slot y = expr(e.right);
  if (e.loc.valid()) loc_ = e.loc;
  const Slot to = target(want);
  if (type == DType::U64) {
    emit(is_div ? Op::DivU : Op::ModU, to, x, y);
  } else if ((e.facts & ir::kPlainDiv) != 0 || is_unsigned_int(type)) {
    emit(is_div ? Op::DivP : Op::ModP, to, x, y);
  } else {
    emit(is_div ? Op::Div : Op::Mod, to, x, y);
    // The smallest value by -1 is the one quotient outside the type.
    if (is_div && (e.facts & ir::kFits) == 0 && type != DType::I64)
      type == DType::I32 ? emit(Op::Fit32, to, to) : emit(Op::Fit, to, to, 0, static_cast<int32_t>(type));
  }
  return to;
}

FunctionAssembler::Slot FunctionAssembler::shift_right(const ir::Binary& e, int want) {
  const DType type = elem_of(e.left->type);
  const Slot x = expr(e.left);
  int32_t k = 0;
  if (immediate(e.right, &k) && k >= 0 && k < 8 * size_of(type)) {
    const Slot to = target(want);
    emit(is_signed_int(type) ? Op::SarK : Op::ShrK, to, x, 0, k);
    return to;
  }
  const Slot y = expr(e.right);
  if (e.loc.valid()) loc_ = e.loc;
  const Slot to = target(want);
  emit(Op::Shr, to, x, y, static_cast<int32_t>(type));
  return to;
}

// ---- comparisons and branches
// -------------------------------------------------------------------------------------------

FunctionAssembler::Slot FunctionAssembler::comparison(const ir::Binary& e, int want) {
  using B = ir::BinaryOp;
  const DType type = elem_of(e.left->type);
  const Slot x = expr(e.left);
  int32_t k = 0;
  if (!is_float(type) && type != DType::U64 && immediate(e.right, &k) && k != INT32_MIN && k != INT32_MAX) {
    const Slot to = target(want);
    switch (e.op) {
      case B::Lt: emit(Op::LtK, to, x, 0, k); break;
      case B::Le: emit(Op::LtK, to, x, 0, k + 1); break;
      case B::Gt: emit(Op::GtK, to, x, 0, k); break;
      case B::Ge: emit(Op::GtK, to, x, 0, k - 1); break;
      case B::Eq: emit(Op::EqK, to, x, 0, k); break;
      default: emit(Op::NeK, to, x, 0, k); break;
    }
    return to;
  }
  const Slot y = expr(e.right);
  if (type == DType::F64) return slow(e, static_cast<int>(e.op), type, x, y, want);
  const Slot to = target(want);
  const bool f = is_float(type), u = type == DType::U64;
  const Op lt = f ? Op::LtF : u ? Op::LtU : Op::LtS, le = f ? Op::LeF : u ? Op::LeU : Op::LeS;
  switch (e.op) {
    case B::Lt: emit(lt, to, x, y); break;
    case B::Le: emit(le, to, x, y); break;
    case B::Gt: emit(lt, to, y, x); break;
    case B::Ge: emit(le, to, y, x); break;
    case B::Eq: emit(f ? Op::EqF : Op::Eq, to, x, y); break;
    default: emit(f ? Op::NeF : Op::Ne, to, x, y); break;
  }
  return to;
}

void FunctionAssembler::branch(const ir::Expr* e, bool sense, std::vector<int>* out) {
  if (const auto* c = ir::as<ir::Const>(e)) {
    if ((c->bits != 0) == sense) out->push_back(emit(Op::Jmp));
    return;
  }
  if (const auto* u = ir::as<ir::Unary>(e); u && u->op == ir::UnaryOp::Not)
    return branch(u->operand, !sense, out);
  if (const auto* l = ir::as<ir::Logical>(e)) {
    const bool is_and = l->op == ir::LogicalOp::And;
    if (is_and != sense) {  // either part alone decides
      branch(l->left, sense, out);
      branch(l->right, sense, out);
    } else {
      std::vector<int> skip;
      branch(l->left, !sense, &skip);
      branch(l->right, sense, out);
      patch_all(skip, here());
    }
    return;
  }
  if (const auto* b = ir::as<ir::Binary>(e);
      b && ir::is_comparison(b->op) && elem_of(b->left->type) != DType::F64)
    return branch_compare(*b, sense, out);
  const Slot x = expr(e);
  out->push_back(emit(sense ? Op::JmpIf : Op::JmpNot, x));
}

void FunctionAssembler::branch_compare(const ir::Binary& e, bool sense, std::vector<int>* out) {
  using B = ir::BinaryOp;
  const DType type = elem_of(e.left->type);
  const Slot x = expr(e.left);
  B op = e.op;
  if (!is_float(type) && !sense) {  // integers: jump on the opposite comparison
    constexpr B kOpposite[] = {B::Ge, B::Gt, B::Le, B::Lt, B::Ne, B::Eq};
    op = kOpposite[static_cast<int>(op) - static_cast<int>(B::Lt)];
  }
  int32_t k = 0;
  if (!is_float(type) && type != DType::U64 && immediate(e.right, &k) && k != INT32_MIN && k != INT32_MAX) {
    switch (op) {
      case B::Lt: out->push_back(emit_compare_k(Op::JltK, x, k)); break;
      case B::Le: out->push_back(emit_compare_k(Op::JltK, x, k + 1)); break;
      case B::Gt: out->push_back(emit_compare_k(Op::JgtK, x, k)); break;
      case B::Ge: out->push_back(emit_compare_k(Op::JgtK, x, k - 1)); break;
      case B::Eq: out->push_back(emit_compare_k(Op::JeqK, x, k)); break;
      default: out->push_back(emit_compare_k(Op::JneK, x, k)); break;
    }
    return;
  }
  const Slot y = expr(e.right);
  if (is_float(type)) {  // a NaN makes both a comparison and its opposite false
    const Op lt = sense ? Op::JltF : Op::JnltF, le = sense ? Op::JleF : Op::JnleF;
    switch (op) {
      case B::Lt: out->push_back(emit(lt, x, y)); break;
      case B::Le: out->push_back(emit(le, x, y)); break;
      case B::Gt: out->push_back(emit(lt, y, x)); break;
      case B::Ge: out->push_back(emit(le, y, x)); break;
      case B::Eq: out->push_back(emit(sense ? Op::JeqF : Op::JneF, x, y)); break;
      default: out->push_back(emit(sense ? Op::JneF : Op::JeqF, x, y)); break;
    }
    return;
  }
  const bool u = type == DType::U64;
  switch (op) {
    case B::Lt: out->push_back(emit(u ? Op::JltU : Op::JltS, x, y)); break;
    case B::Le: out->push_back(emit(u ? Op::JleU : Op::JleS, x, y)); break;
    case B::Gt: out->push_back(emit(u ? Op::JltU : Op::JltS, y, x)); break;
    case B::Ge: out->push_back(emit(u ? Op::JleU : Op::JleS, y, x)); break;
    case B::Eq: out->push_back(emit(Op::Jeq, x, y)); break;
    default: out->push_back(emit(Op::Jne, x, y)); break;
  }
}

// ---- conversions
// --------------------------------------------------------------------------------------------------------

FunctionAssembler::Slot FunctionAssembler::cast(const ir::Cast& e, int want) {
  const Type& from = e.operand->type;
  if (!e.type.is_scalar() || !(from.is_scalar() || from.kind == Kind::Enum || from.kind == Kind::Pointer))
    return expr(e.operand, want);  // handles and addresses keep their bits
  const bool fits = (e.facts & ir::kFits) != 0;
  const Slot x = expr(e.operand);
  return convert(x, elem_of(from), e.type.elem, e.is_explicit || fits, e.loc, want);
}

FunctionAssembler::Slot FunctionAssembler::convert(Slot from, DType from_type, DType to, bool is_explicit,
                                                   const Loc& loc, int want) {
  if (from_type == to) return from;
  if (loc.valid()) loc_ = loc;
  const bool from_float = is_float(from_type);
  if (small_float(from_type) && (to == DType::F32 || to == DType::F16 || to == DType::BF16)) {
    // A narrower one is exact in float; float16 and bfloat16 hold different values.
    if (to == DType::F32) return from;
    const Slot slot = target(want);
    emit(to == DType::F16 ? Op::RoundH : Op::RoundB, slot, from);
    return slot;
  }
  if (!from_float && !is_float(to) && to != DType::Bool) {
    // Every value of a narrower type fits a wider one of the same kind; between int64 and uint64 bits stay.
    const bool widens =
        from_type == DType::Bool || (is_signed_int(to) && size_of(to) > size_of(from_type)) ||
        (is_signed_int(to) && is_signed_int(from_type) && size_of(to) >= size_of(from_type)) ||
        (is_unsigned_int(to) && is_unsigned_int(from_type) && size_of(to) >= size_of(from_type));
    if (widens || (is_explicit && size_of(to) == 8)) return from;
  }
  const Slot slot = target(want);
  if (!from_float && to == DType::Bool) {
    emit(Op::NeK, slot, from, 0, 0);
  } else if (!from_float && !is_float(to)) {
    if (is_explicit) {
      to == DType::U32 ? emit(Op::WrapU32, slot, from)
                       : emit(Op::Wrap, slot, from, 0, static_cast<int32_t>(to));
    } else if (to == DType::I32 && from_type != DType::U64) {
      emit(Op::Fit32, slot, from);
    } else {
      emit(Op::Fit, slot, from, 0, static_cast<int32_t>(to) | static_cast<int32_t>(from_type) << 8);
    }
  } else if (!from_float && to == DType::F32 && from_type != DType::U64) {
    emit(Op::SToF, slot, from);
  } else {
    emit(Op::Cast, slot, from, 0,
         static_cast<int32_t>(from_type) | static_cast<int32_t>(to) << 8 | (is_explicit ? kCastExplicit : 0));
  }
  return slot;
}

}  // namespace asc::sim
