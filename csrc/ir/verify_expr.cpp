// SPDX-License-Identifier: Apache-2.0
// Well-formedness of expressions (rules: ir/verify.h).
#include <algorithm>
#include <bit>

#include "base/format.h"
#include "ir/builder.h"
#include "ir/scalar.h"
#include "ir/verifier.h"
#include "ir/visit.h"
#include "ir/workspace.h"
#include "ops/matmul_type.h"
#include "ops/signature.h"

namespace asc::ir {

namespace {

using Form = TypePattern::Form;

constexpr Type kBool = Type::scalar(DType::Bool);

bool is_number(const Type& type) {
  return type.is_scalar() && type.elem != DType::Void && !is_bool(type.elem);
}
bool is_value(const Type& type) { return is_number(type) || type == kBool || type.kind == Kind::Enum; }
bool same_bits(const Type& type, int64_t a, int64_t b) {
  if (!type.is_scalar() || !is_float(type.elem)) return a == b;
  const double x = std::bit_cast<double>(a), y = std::bit_cast<double>(b);
  return a == b || (x != x && y != y);
}

// The value of a spelling, by the rules of folding; nothing if it has none or a node that does not belong
// there.
std::optional<int64_t> evaluate(const Expr* e) {
  if (!e || !is_value(e->type)) return std::nullopt;
  if (const Const* c = as<Const>(e)) return c->spelling ? std::nullopt : std::optional(c->bits);
  if (const Unary* u = as<Unary>(e)) {
    const auto value = evaluate(u->operand);
    return value && u->operand->type == e->type ? fold_bits(u->op, e->type, *value) : std::nullopt;
  }
  if (const Binary* b = as<Binary>(e)) {
    const auto left = evaluate(b->left), right = evaluate(b->right);
    if (!left || !right || b->left->type != b->right->type) return std::nullopt;
    return result_type(b->op, b->left->type) == e->type ? fold_bits(b->op, b->left->type, *left, *right)
                                                        : std::nullopt;
  }
  if (const Cast* c = as<Cast>(e)) {
    const auto value = evaluate(c->operand);
    return value ? fold_cast(e->type, c->operand->type, *value, c->is_explicit) : std::nullopt;
  }
  return std::nullopt;
}

// What a parameter's operand must be; nothing where any type will do.
std::optional<Type> required_type(const OpCall& e, const TypePattern& pattern) {
  if (pattern.form == Form::Any || pattern.form == Form::Str) return std::nullopt;
  return resolve(pattern, e.vars, e.self ? &e.self->type : nullptr);
}

// Queues and buffers differ in position and depth, Matmul objects in their matrices, which no row asks for.
bool same_type(const Type& actual, const Type& required) {
  const bool any =
      required.kind == Kind::TQue || required.kind == Kind::TBuf || required.kind == Kind::Matmul;
  return any ? actual.kind == required.kind : actual == required;
}

// The element type of the tensor that a method of a Matmul takes: that of one of the object's matrices.
DType matmul_operand(const Type& object, OpId op) {
  int side = kMatmulC;
  if (op == OpId::Matmul_SetTensorA) side = kMatmulA;
  if (op == OpId::Matmul_SetTensorB) side = kMatmulB;
  if (op == OpId::Matmul_SetBias && matmul_matrix(object, kMatmulBias).dtype != DType::Void)
    side = kMatmulBias;
  return matmul_matrix(object, side).dtype;
}

}  // namespace

bool is_place(const Expr* e) {
  while (const Field* field = as<Field>(e)) e = field->object;
  return e && e->kind == ExprKind::Var;
}

bool Verifier::verify_expr(const Expr* e, const char* what, const Loc& loc) {
  if (!e) {
    error(loc, fmt::format("no {}", what));
    return false;
  }
  if (e->mark == mark_) {
    error(e->loc, fmt::format("{} is a node that has another parent too", what));
    return true;
  }
  e->mark = mark_;
  verify_node(*e);
  return true;
}

void Verifier::verify_typed(const Expr* e, const Type& type, const char* what, const Loc& loc) {
  if (verify_expr(e, what, loc) && e->type != type)
    error(e->loc, fmt::format("{} is {}, not {}", what, to_string(e->type), to_string(type)));
}

void Verifier::verify_result(const Expr& e, const Type& type) {
  if (e.type != type)
    error(e.loc, fmt::format("the expression says {} and gives {}", to_string(e.type), to_string(type)));
}

void Verifier::verify_effect(const Expr& e) {
  Effect effect = own_effect(e);
  for_each_operand(&e, [&effect](const Expr* operand) { effect = std::max(effect, operand->effect); });
  if (e.effect < effect)
    error(e.loc,
          fmt::format("the effect is said to be {} and is {}", to_string(e.effect), to_string(effect)));
}

void Verifier::verify_node(const Expr& e) {
  switch (e.kind) {
    case ExprKind::Const: return verify_const(static_cast<const Const&>(e));
    case ExprKind::Var: {
      const Var* var = static_cast<const VarRef&>(e).var;
      if (is_visible(var, e.loc, "a use")) verify_result(e, var->type);
      return;
    }
    case ExprKind::CorePredicate: return verify_result(e, kBool);
    case ExprKind::Unary: verify_unary(static_cast<const Unary&>(e)); break;
    case ExprKind::Binary: verify_binary(static_cast<const Binary&>(e)); break;
    case ExprKind::Logical: verify_logical(static_cast<const Logical&>(e)); break;
    case ExprKind::Select: verify_select(static_cast<const Select&>(e)); break;
    case ExprKind::Cast: verify_cast(static_cast<const Cast&>(e)); break;
    case ExprKind::OpCall: verify_op(static_cast<const OpCall&>(e)); break;
    case ExprKind::Call: verify_call(static_cast<const Call&>(e)); break;
    case ExprKind::Field: verify_field(static_cast<const Field&>(e)); break;
    case ExprKind::Workspace: verify_workspace(static_cast<const Workspace&>(e)); break;
  }
  verify_effect(e);
  if ((e.facts & kPlainDiv) != 0) {
    const Binary* binary = as<Binary>(&e);
    if (!binary || (binary->op != BinaryOp::FloorDiv && binary->op != BinaryOp::Mod))
      error(e.loc, "plaindiv is a fact of // and % only");
  }
}

// ---- constants -----------------------------------------------------------------------------------

void Verifier::verify_value(const Type& type, int64_t bits, const Loc& loc) {
  if (!is_value(type)) {
    error(loc, fmt::format("{} has no constants", to_string(type)));
  } else if (type.is_scalar() && is_float(type.elem)) {
    const double value = std::bit_cast<double>(bits);
    if (value == value && round_to(type.elem, value) != value)
      error(loc, fmt::format("the constant {} is not rounded to {}", value, to_string(type)));
  } else if (!fits(type.kind == Kind::Enum ? DType::I64 : type.elem, bits)) {
    error(loc, fmt::format("the constant {} is outside {}", bits, to_string(type)));
  }
}

void Verifier::verify_const(const Const& c) {
  verify_value(c.type, c.bits, c.loc);
  if (c.named && (c.named->type != c.type || !same_bits(c.type, c.named->bits, c.bits)))
    error(c.loc, fmt::format("the constant differs from {}, its name", c.named->name));
  if (c.spelling) verify_spelling(c.spelling, c.type, c.bits, c.loc);
}

void Verifier::verify_spelling(const Expr* spelling, const Type& type, int64_t bits, const Loc& loc) {
  const auto value = evaluate(spelling);
  if (!value)
    error(loc, "a spelling that is no expression of constants, or has no value");
  else if (spelling->type != type || !same_bits(type, *value, bits))
    error(loc, "a spelling of another type or value than its constant");
}

// ---- operators -----------------------------------------------------------------------------------

void Verifier::verify_unary(const Unary& e) {
  if (!verify_expr(e.operand, "operand", e.loc)) return;
  const Type& type = e.operand->type;
  const bool good = e.op == UnaryOp::Not      ? type == kBool
                    : e.op == UnaryOp::Invert ? is_number(type) && is_int(type.elem)
                                              : is_number(type);
  if (!good) error(e.loc, fmt::format("{} of {}", to_string(e.op), to_string(type)));
  verify_result(e, type);
}

void Verifier::verify_binary(const Binary& e) {
  const bool has_left = verify_expr(e.left, "left operand", e.loc);
  if (!verify_expr(e.right, "right operand", e.loc) || !has_left) return;
  const Type& type = e.left->type;
  if (e.right->type != type)
    error(e.loc, fmt::format("{} of {} and {}", to_string(e.op), to_string(type), to_string(e.right->type)));
  const bool is_bits = e.op >= BinaryOp::And && e.op <= BinaryOp::Xor;
  const bool is_shift = e.op == BinaryOp::Shl || e.op == BinaryOp::Shr;
  bool good = is_number(type) && !((is_bits || is_shift) && is_float(type.elem));
  if (type == kBool) good = is_bits || is_comparison(e.op) || e.op == BinaryOp::Min || e.op == BinaryOp::Max;
  if (type.kind == Kind::Enum) good = e.op == BinaryOp::Eq || e.op == BinaryOp::Ne;
  if (type.kind == Kind::Pointer) good = is_comparison(e.op);
  if (!good) return error(e.loc, fmt::format("{} of {} operands", to_string(e.op), to_string(type)));
  verify_result(e, result_type(e.op, type));
}

void Verifier::verify_logical(const Logical& e) {
  verify_typed(e.left, kBool, "left operand", e.loc);
  verify_typed(e.right, kBool, "right operand", e.loc);
  verify_result(e, kBool);
}

void Verifier::verify_select(const Select& e) {
  verify_typed(e.condition, kBool, "condition", e.loc);
  const bool has_then = verify_expr(e.then_value, "first value", e.loc);
  if (!verify_expr(e.else_value, "second value", e.loc) || !has_then) return;
  const Type& type = e.then_value->type;
  if (e.else_value->type != type)
    error(e.loc, fmt::format("a choice of {} and {}", to_string(type), to_string(e.else_value->type)));
  if (type.is_void() || type.is_object()) error(e.loc, fmt::format("a choice of {}", to_string(type)));
  verify_result(e, type);
}

void Verifier::verify_cast(const Cast& e) {
  if (!verify_expr(e.operand, "operand", e.loc)) return;
  const Type &from = e.operand->type, &to = e.type;
  const bool values = is_value(from) && is_value(to) && (to.kind != Kind::Enum || is_int(from.elem));
  // An address is a 64-bit number.
  const auto is_word = [](const Type& type) {
    return type.kind == Kind::Pointer ||
           (type.is_scalar() && (type.elem == DType::I64 || type.elem == DType::U64));
  };
  const bool pointers =
      (from.kind == Kind::Pointer || to.kind == Kind::Pointer) && is_word(from) && is_word(to);
  if (!values && !pointers) error(e.loc, fmt::format("a cast of {} to {}", to_string(from), to_string(to)));
}

void Verifier::verify_field(const Field& e) {
  if (!verify_expr(e.object, "object", e.loc)) return;
  if (!is_place(e.object)) error(e.loc, "a field of something that is no named object");
  const Type type = field_type(module_, e.object->type, e.index);
  if (type.is_void())
    return error(e.loc, fmt::format("{} has no field {}", to_string(e.object->type), e.index));
  verify_result(e, type);
}

void Verifier::verify_workspace(const Workspace& e) {
  verify_result(e, Type::pointer(DType::U8));
  if (e.bytes < 1) error(e.loc, fmt::format("a workspace of {} bytes", e.bytes));
  const auto* base = as<VarRef>(e.base);
  if (!e.base) {
    if (!module_.workspace.empty()) error(e.loc, "the workspace has no place, and others have");
  } else if (!base || !base->var->is_param || base->type != Type::pointer(DType::U8)) {
    error(e.loc, "the base of a workspace is no parameter of its type");
  } else {
    verify_expr(e.base, "base", e.loc);
    if (e.area >= module_.workspace.size() || e.offset % kWorkspaceAlign != 0 ||
        e.stride % kWorkspaceAlign != 0 || e.offset < 0 || e.stride < 0)
      error(e.loc, fmt::format("area {} at {} stride {}: no such place", e.area, e.offset, e.stride));
  }
}

// ---- calls ---------------------------------------------------------------------------------------

void Verifier::verify_op(const OpCall& e) {
  if (e.op >= OpId::kCount || e.overload >= e.desc().overloads.size())
    return error(e.loc, "no such op or overload");
  const OpDesc& desc = e.desc();
  const OverloadDesc& proto = e.proto();
  if (proto.has_self) {
    if (!verify_expr(e.self, "receiver", e.loc)) return;
    if (e.self->type.kind != desc.owner)
      error(e.self->loc, fmt::format("{} of {}", desc.ir_name, to_string(e.self->type)));
    // An op that changes the handle itself, not what it refers to, needs the variable.
    const bool changes = desc.family == Family::Handle && proto.self_dir != Dir::In;
    if ((changes || e.self->type.is_object()) && !is_place(e.self))
      error(e.self->loc, fmt::format("{} needs a named variable", desc.ir_name));
  } else if (e.self) {
    error(e.loc, fmt::format("{} has no receiver", desc.ir_name));
  }
  verify_type_variables(e);
  if (e.args.size() != proto.params.size()) {
    error(e.loc,
          fmt::format("{} takes {} operands, not {}", desc.ir_name, proto.params.size(), e.args.size()));
  } else {
    for (size_t i = 0; i < e.args.size(); i++) verify_operand(e, proto.params[i], e.args[i]);
  }
  verify_result(e, resolve(proto.result, e.vars, e.self ? &e.self->type : nullptr));
  if (e.self && e.self->type.kind == Kind::Matmul && !desc.vars.empty()) {
    const DType wanted = matmul_operand(e.self->type, e.op);
    if (e.vars[0] != wanted)
      error(e.loc, fmt::format("{} of {}, not {}", desc.ir_name, py_name(e.vars[0]), py_name(wanted)));
  }
}

void Verifier::verify_type_variables(const OpCall& e) {
  const OpDesc& desc = e.desc();
  for (size_t i = 0; i < desc.vars.size(); i++)
    if (e.vars[i] == DType::Void || !desc.vars[i].allows(e.vars[i]))
      error(e.loc,
            fmt::format("{} does not take {} = {}", desc.ir_name, desc.vars[i].name, py_name(e.vars[i])));
  if (desc.combos.empty()) return;
  for (const auto& combo : desc.combos)
    if (std::equal(desc.vars.begin(), desc.vars.end(), combo.begin(),
                   [&](const TypeVar& var, DType t) { return e.vars[&var - desc.vars.data()] == t; }))
      return;
  error(e.loc, fmt::format("{} does not take these dtypes together", desc.ir_name));
}

void Verifier::verify_operand(const OpCall& e, const ParamDesc& param, const Expr* arg) {
  const std::string_view op = e.desc().ir_name;
  if (!arg) {
    if (!param.has_default && param.type.form != Form::DTypeOf)
      error(e.loc, fmt::format("{}: operand {} has no default", op, param.name));
    return;
  }
  verify_expr(arg, "operand", e.loc);
  if (param.type.form == Form::DTypeOf)
    return error(arg->loc, fmt::format("{}: {} is a dtype, which the type variables hold", op, param.name));
  const auto required = required_type(e, param.type);
  if (required && !same_type(arg->type, *required))
    error(arg->loc, fmt::format("{}: operand {} is {}, not {}", op, param.name, to_string(arg->type),
                                to_string(*required)));
  if (param.is_template && arg->kind != ExprKind::Const)
    error(arg->loc, fmt::format("{}: template argument {} is not a constant", op, param.name));
  if (arg->type.is_object() && !is_place(arg))
    error(arg->loc, fmt::format("{}: object {} is not a named variable", op, param.name));
}

void Verifier::verify_call(const Call& e) {
  verify_call_args(e.callee, e.args, e.loc);
  if (!e.callee) return;
  if (e.callee->results.size() > 1) error(e.loc, fmt::format("{} has several results", e.callee->name));
  verify_result(e, e.callee->results.size() == 1 ? e.callee->results[0] : Type{});
}

void Verifier::verify_call_args(const Function* callee, std::span<Expr* const> args, const Loc& loc) {
  const bool earlier = callee && callee->id < module_.functions.size() &&
                       module_.functions[callee->id].get() == callee && callee->id < function_->id;
  if (!earlier) error(loc, "a call of a function that does not stand before its caller");
  if (!callee) return;
  if (callee->is_kernel) error(loc, "a call of a kernel");
  size_t count = callee->params.size();
  while (count > 0 && callee->params[count - 1]->is_result) count--;  // these carry results out
  if (args.size() != count)
    error(loc, fmt::format("{} takes {} arguments, not {}", callee->name, count, args.size()));
  for (size_t i = 0; i < args.size(); i++) {
    if (!verify_expr(args[i], "argument", loc) || i >= count) continue;
    const Var& param = *callee->params[i];
    if (args[i]->type != param.type)
      error(args[i]->loc, fmt::format("argument {} of {} is {}, not {}", param.name, callee->name,
                                      to_string(args[i]->type), to_string(param.type)));
    if (param.by_ref && !is_place(args[i]))
      error(args[i]->loc, fmt::format("argument {} of {} is passed by reference and is no variable",
                                      param.name, callee->name));
  }
}

}  // namespace asc::ir
