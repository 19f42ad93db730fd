// SPDX-License-Identifier: Apache-2.0
// Calls of ops, methods, operators and constructors: one path, through the op table's matcher.
#include <algorithm>

#include "base/format.h"
#include "lower/frame.h"
#include "lower/suggest.h"
#include "ops/signature.h"

namespace asc::lower {

using ast::Node;

namespace {

CallArg call_arg(const Argument& a, const std::optional<Number>& n) {
  CallArg c;
  if (a.keyword) c.keyword = a.keyword->utf8;
  const Value& v = a.value;
  if (v.is_expr()) {
    c.form = CallArg::Form::Runtime;
    c.type = v.expr->type;
    return c;
  }
  if (n) {
    c.type = Type::scalar(n->natural());
    c.int_value = n->bits;
    c.is_u64 = n->is_u64;
    c.float_value = n->real;
    c.form = n->form == Number::Form::Float  ? CallArg::Form::FloatConst
             : n->form == Number::Form::Bool ? CallArg::Form::BoolConst
                                             : CallArg::Form::IntConst;
    return c;
  }
  if (!v.is_static()) return c;
  EnumId id;
  if (as_enum(v.object, &id, &c.int_value)) {
    c.form = CallArg::Form::EnumConst;
    c.type = Type::of_enum(static_cast<uint16_t>(id));
  } else if (as_dtype(v.object, &c.dtype)) {
    c.form = CallArg::Form::DTypeConst;
  } else if (v.object == Py_None) {
    c.form = CallArg::Form::NoneConst;
  } else if (PyUnicode_Check(v.object)) {
    c.form = CallArg::Form::StrConst;
  }
  return c;
}

}  // namespace

// A GlobalTensor that was made without an element type gets it, and so do those that control flow may have
// chosen it from, or for which it may have been chosen.
bool Frame::complete(ir::Expr* self, DType elem, const Node* at) {
  auto* r = ir::as<ir::VarRef>(self);
  if (!r || elem == DType::Void) return false;
  for (ir::Var* var : related(r->var)) {
    if (var->type.elem != DType::Void) continue;
    VarInfo& v = info(var);
    var->type.elem = elem;
    v.elem_at = at;
    session_.typed++;
    if (v.refs > 1 || var != r->var) session_.needs_sweep = true;
  }
  r->type.elem = elem;
  return true;
}

Loc Frame::element_type_from(const ir::Var* var) const {
  if (const Node* at = vars_[var->id].elem_at) return loc(at);
  for (size_t i = 0; caller_ && i < passed_.size() && i < fn_->params.size(); i++)
    if (const auto* r = ir::as<ir::VarRef>(static_cast<const ir::Expr*>(passed_[i].first));
        r && fn_->params[i] == var)
      return caller_->element_type_from(r->var);
  return {};
}

ir::Expr* Frame::operand(const Value& v, const TypePattern& pattern, Type type, const Node* at) {
  switch (pattern.form) {
    case TypePattern::Form::Scalar:
    case TypePattern::Form::Var: return as_scalar(v, type.elem, at);
    case TypePattern::Form::DTypeOf:
    case TypePattern::Form::Str: return nullptr;
    case TypePattern::Form::Enum:
      if (const auto n = number(v)) return build_.int_const(type, n->bits, loc(at));
      return convert_to(v, type, at);
    case TypePattern::Form::Any: return natural(v, at);
    case TypePattern::Form::Pointer: return as_address(v, type, at);
    default: break;
  }
  if (!v.is_expr()) fail(at, fmt::format("{} is not a {}", shown(v), to_string(type)));
  if (v.expr->type.is_tensor() && v.expr->type.elem == DType::Void) {
    const auto* r = ir::as<ir::VarRef>(static_cast<const ir::Expr*>(v.expr));
    if (!r || is_copy(r->var)) fail_untyped(v.expr, at);
    session_.has_untyped = true;  // it may get one behind this op, at the end of a loop's body
  }
  // Objects are named wherever they are used.
  if (v.expr->type.is_object() && v.expr->kind != ir::ExprKind::Var && v.expr->kind != ir::ExprKind::Field)
    return ref(temporary("params", v.expr, at), at);
  return v.expr;
}

// numpy's default dtype comes in with an argument of the kernel: that is what the user can change, not the
// operand where it shows.
static void name_float64_argument(const ir::Module& module, std::string* hint) {
  const size_t at = hint->find(" is float64, numpy's default");
  if (at == std::string::npos) return;
  for (const ir::KernelArg& arg : module.args) {
    if (arg.type.kind != Kind::Pointer || arg.type.elem != DType::F64) continue;
    hint->replace(0, at, arg.name);
    for (const std::string_view call : {"x.astype(", "x.float()"})
      if (const size_t found = hint->find(call); found != std::string::npos)
        hint->replace(found, 1, arg.name);
    return;
  }
}

Match Frame::match(OpId op, const Type* self, std::span<Argument> args, const Node* at) {
  const OpDesc& desc = op_desc(op);
  std::vector<CallArg> given;
  given.reserve(args.size());
  for (const Argument& a : args) given.push_back(call_arg(a, number(a.value)));
  Match m = match_call(desc, self, given);
  if (m.overload >= 0) return m;
  for (size_t i = 0; i < args.size(); i++) given[i].shown = shown(args[i].value);
  m = match_call(desc, self, given);
  const bool has_arg = m.error_arg >= 0 && static_cast<size_t>(m.error_arg) < args.size();
  for (const Argument& a : args) {
    const auto takes = [&](const OverloadDesc& o) {
      return std::any_of(o.params.begin(), o.params.end(),
                         [&](const ParamDesc& p) { return p.name == a.keyword->utf8; });
    };
    if (a.keyword && std::none_of(desc.overloads.begin(), desc.overloads.end(), takes))
      fail(has_arg ? args[static_cast<size_t>(m.error_arg)].node : at, std::move(m.error),
           keyword_hint(desc, a.keyword->utf8));
  }
  name_float64_argument(session_.module, &m.hint);
  for (const Argument& a : args)
    if (m.hint.empty() && a.value.is_static() && is_host_array(a.value.object)) m.hint = host_array_hint();
  if (has_arg && m.hint.empty()) {
    const Argument& a = args[static_cast<size_t>(m.error_arg)];
    m.hint = element_hint(a.value, a.node);
  }
  fail(has_arg ? args[static_cast<size_t>(m.error_arg)].node : at, std::move(m.error), std::move(m.hint));
}

Value Frame::call_op(OpId op, ir::Expr* self, std::span<Argument> args, const Node* at) {
  const OpDesc& desc = op_desc(op);
  Type self_type = self ? self->type : Type{};
  const bool untyped = self && self_type.is_tensor() && self_type.elem == DType::Void;
  if (self && desc.family == Family::Handle && self_type.is_tensor() && !untyped) {
    // A second element type, with the line of the first.
    const auto* r = ir::as<ir::VarRef>(self);
    for (const Argument& a : args)
      if (r && a.value.is_expr() && a.value.expr->type.kind == Kind::Pointer &&
          a.value.expr->type.elem != self_type.elem) {
        const Loc first = element_type_from(r->var);
        const std::string since =
            first.valid() ? fmt::format(" since line {}", session_.module.sources.resolve(first).line) : "";
        fail_beside(a.node, first,
                    fmt::format("'{}' is {}{}, this buffer holds {}", r->var->name, to_string(self_type),
                                since, py_name(a.value.expr->type.elem)),
                    "use another GlobalTensor");
      }
  }
  if (untyped && desc.family != Family::Handle) fail_untyped(self, at);
  if (desc.family == Family::Matmul) args = matmul_arguments(op, args, at);
  const Match m = match(op, self ? &self_type : nullptr, args, at);
  const OverloadDesc& proto = desc.overloads[static_cast<size_t>(m.overload)];
  if (untyped && complete(self, m.vars[0], at)) self_type = self->type;
  if (op == OpId::Matmul_Iterate)
    fail(at, "iterate() is a loop: it stands in `with`", "with matmul.iterate() as i: ...");
  if (self_type.kind == Kind::Matmul && !args.empty()) {
    const Argument& first = args[static_cast<size_t>(std::max<int16_t>(m.args[0], 0))];
    check_matmul_call(
        {op, self_type, m.vars[0], proto.params[0].type.form == TypePattern::Form::LocalTensor, first.node},
        at);
  }
  if (self && self_type.is_tensor() && desc.family == Family::Handle && proto.self_dir != Dir::In) {
    if (self->kind != ir::ExprKind::Var)
      fail(at, fmt::format("{} changes the tensor, and this one has no name", desc.py_name),
           "give it a name first");
    note_handle_change(self, at);
  }
  ir::Expr* operands[24];
  ASC_ASSERT(proto.params.size() <= std::size(operands));
  for (size_t i = 0; i < proto.params.size(); i++) {
    const ParamDesc& p = proto.params[i];
    operands[i] = nullptr;
    if (m.args[i] < 0) continue;
    const Argument& a = args[static_cast<size_t>(m.args[i])];
    const Type want = resolve(p.type, m.vars, self ? &self_type : nullptr);
    operands[i] = operand(a.value, p.type, want, a.node);
    if (p.is_template && operands[i] && !ir::as_const(operands[i]))
      fail(a.node,
           fmt::format("'{}' of {} must be known at compile time, and is {}", p.name, desc.py_name,
                       shown(a.value)),
           "take it from an asc.ConstExpr parameter or a constant");
  }
  if (self_type.kind == Kind::Matmul)
    check_matmul_options(op, proto, std::span(operands, proto.params.size()), at);
  ir::Expr* e = build_.op_call(op, m.overload, m.vars, self,
                               std::span<ir::Expr* const>(operands, proto.params.size()), loc(at));
  if (proto.result.form != TypePattern::Form::None) return Value::of(e);
  build_.eval(e, loc(at));
  return Value::of(Py_None);
}

// asc.GlobalTensor(), asc.TQue(position, depth), ...: objects are declared, tensors at an address are values.
Value Frame::call_kind(Kind kind, std::span<Argument> args, const Node* at) {
  if (kind == Kind::Matmul) return construct_matmul(args, at);
  const std::string_view name = kKinds[static_cast<int>(kind)].py_name;
  const auto constructor = find_function(name);
  if (!constructor) fail(at, fmt::format("asc.{} cannot be made in a kernel", name));
  const Match m = match(*constructor, nullptr, args, at);
  const OverloadDesc& proto = op_desc(*constructor).overloads[static_cast<size_t>(m.overload)];
  if (kind == Kind::Pointer)  // an address seen as one of other elements stays what it is
    for (const Argument& a : args)
      if (is_address(a.value))
        return Value::of(build_.cast(Type::pointer(m.vars[0]), a.value.expr, true, loc(at)));
  const bool plain = kKinds[static_cast<int>(kind)].passed == Passed::Object || kind == Kind::GlobalTensor;
  for (const ParamDesc& p : proto.params)
    if (!plain || !p.is_template) return call_op(*constructor, nullptr, args, at);
  int64_t values[2] = {0, 0};  // position, depth
  for (size_t i = 0; i < proto.params.size() && i < 2; i++) {
    values[i] = static_cast<int64_t>(proto.params[i].default_value);
    if (m.args[i] < 0) continue;
    const Argument& a = args[static_cast<size_t>(m.args[i])];
    EnumId id;
    const auto n = number(a.value);
    if (n)
      values[i] = n->bits;
    else if (!a.value.is_static() || !as_enum(a.value.object, &id, &values[i]))
      fail(a.node,
           fmt::format("'{}' of asc.{} must be known at compile time, and is {}", proto.params[i].name, name,
                       shown(a.value)),
           "take it from an asc.ConstExpr parameter or a constant");
  }
  Type type = Type::object(kind);
  if (kind == Kind::TQue) {
    if (values[1] < 0 || values[1] > 0xFFFF) fail(at, fmt::format("a queue of depth {}", values[1]));
    type = Type::queue(static_cast<uint8_t>(values[0]), static_cast<uint16_t>(values[1]));
  }
  if (kind == Kind::TBuf) type = Type::buffer(static_cast<uint8_t>(values[0]));
  const bool named = hint_call_ == at && hint_names_.size() == 1;
  ir::Var* var = new_var(named                        ? hint_names_[0]->utf8
                         : kind == Kind::GlobalTensor ? "tensor"
                                                      : "object",
                         type, at);
  var->hoisted = !named;
  // Position and depth are in the type; the constructor says how the user spelt them.
  ir::Expr* init = nullptr;
  if (kind == Kind::TQue || kind == Kind::TBuf) {
    ir::Expr* operands[2] = {};
    for (size_t i = 0; i < proto.params.size() && i < 2; i++) {
      if (m.args[i] < 0) continue;
      const Argument& a = args[static_cast<size_t>(m.args[i])];
      operands[i] =
          operand(a.value, proto.params[i].type, resolve(proto.params[i].type, m.vars, nullptr), a.node);
    }
    init = build_.op_call(*constructor, m.overload, m.vars, nullptr,
                          std::span<ir::Expr* const>(operands, proto.params.size()), loc(at));
  }
  declare_here(var, init, at);
  info(var).fresh = named;
  return Value::of(ref(var, at));
}

}  // namespace asc::lower
