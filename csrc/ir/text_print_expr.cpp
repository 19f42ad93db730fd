// SPDX-License-Identifier: Apache-2.0
// Prints the expressions and constants of the text form of the IR (described in ir/text.h).
#include <bit>
#include <charconv>
#include <cmath>

#include "ir/text_printer.h"

namespace asc::ir::text {

// ---- expressions ---------------------------------------------------------------------------------

// Does the form need parentheses to be an operand or to carry facts and a location?
static bool is_open(const Expr& e) {
  if (e.kind == ExprKind::Binary) {
    const BinaryOp op = static_cast<const Binary&>(e).op;
    return op != BinaryOp::Min && op != BinaryOp::Max;
  }
  if (e.kind == ExprKind::Unary) return static_cast<const Unary&>(e).op != UnaryOp::Abs;
  return e.kind == ExprKind::Logical;
}

void Printer::print(const Expr* e, const Type& expected, const Loc& parent, bool nested) {
  if (!e) {
    out_ += "null";
    return;
  }
  const bool shows_loc = with_locations_ && e->loc != parent;
  const bool parentheses = is_open(*e) && (nested || shows_loc || e->facts != 0);
  if (parentheses) put('(');
  print_node(*e, expected);
  if (parentheses) put(')');
  for (const FactName& fact : kFactNames)
    if (e->facts & fact.bit) put("!{}", fact.name);
  if (shows_loc) put_loc(e->loc);
}

void Printer::print_infix(const Expr* left, std::string_view op, const Expr* right, const Type& expected,
                          const Loc& loc) {
  print(left, expected, loc, true);
  put(" {} ", op);
  print(right, left ? left->type : expected, loc, true);
}

void Printer::print_binary(const Binary& b, const Type& expected) {
  if (is_open(b)) return print_infix(b.left, to_string(b.op), b.right, expected, b.loc);
  put("{}(", to_string(b.op));
  print(b.left, expected, b.loc);
  out_ += ", ";
  print(b.right, b.left ? b.left->type : expected, b.loc);
  put(')');
}

void Printer::print_node(const Expr& e, const Type& expected) {
  switch (e.kind) {
    case ExprKind::Const: return print_const(static_cast<const Const&>(e), expected);
    case ExprKind::Var: {
      const Var* var = static_cast<const VarRef&>(e).var;
      return put_name('%', var, var->name);
    }
    case ExprKind::Unary: {
      const auto& u = static_cast<const Unary&>(e);
      const Type type = u.op == UnaryOp::Not ? kBoolType : expected;
      // A minus sign before digits would be read as a part of the number.
      const bool call = u.op == UnaryOp::Abs || (u.operand && u.operand->kind == ExprKind::Const);
      put("{}{}", to_string(u.op), call ? "(" : u.op == UnaryOp::Not ? " " : "");
      print(u.operand, type, e.loc, !call);
      if (call) put(')');
      return;
    }
    case ExprKind::Binary: return print_binary(static_cast<const Binary&>(e), expected);
    case ExprKind::Logical: {
      const auto& l = static_cast<const Logical&>(e);
      return print_infix(l.left, to_string(l.op), l.right, expected, e.loc);
    }
    case ExprKind::Select: {
      const auto& s = static_cast<const Select&>(e);
      out_ += "select(";
      print(s.condition, kBoolType, e.loc);
      out_ += ", ";
      print(s.then_value, expected, e.loc);
      out_ += ", ";
      print(s.else_value, s.then_value ? s.then_value->type : expected, e.loc);
      return put(')');
    }
    case ExprKind::Cast: {
      const auto& c = static_cast<const Cast&>(e);
      out_ += c.is_explicit ? "explicit_cast<" : "cast<";
      put_type(e.type);
      out_ += ">(";
      print(c.operand, {}, e.loc);
      return put(')');
    }
    case ExprKind::OpCall: return print_op(static_cast<const OpCall&>(e));
    case ExprKind::Call: {
      const auto& c = static_cast<const Call&>(e);
      return print_call(c.callee, c.args, e.loc);
    }
    case ExprKind::CorePredicate:
      out_ += static_cast<const CorePredicate&>(e).aic ? "is_aic()" : "is_aiv()";
      return;
    case ExprKind::Field: {
      const auto& f = static_cast<const Field&>(e);
      print_object(f.object, e.loc);
      return put_field(f.object->type, f.index);
    }
    case ExprKind::Workspace: {
      const auto& w = static_cast<const Workspace&>(e);
      put("workspace({}, {}", w.bytes, w.per_block ? "per_block" : "shared");
      if (w.base) {
        out_ += ", ";
        print(w.base, {}, e.loc);
        put(" area {} at {} stride {}", w.area, w.offset, w.stride);
      }
      return put(')');
    }
  }
}

// The object of a field: in parentheses where its own location would part it from the field's name.
void Printer::print_object(const Expr* object, const Loc& parent) {
  const bool parentheses = with_locations_ && object->loc != parent;
  if (parentheses) put('(');
  print(object, {}, parent, true);
  if (parentheses) put(')');
}

void Printer::print_op(const OpCall& call) {
  const OpDesc& desc = call.desc();
  out_ += desc.ir_name;
  if (call.overload != 0) put(".{}", static_cast<int>(call.overload));
  for (size_t i = 0; i < desc.vars.size() && i < std::size(call.vars); i++) {
    put("{}{}={}", i == 0 ? "<" : ", ", desc.vars[i].name, asc::desc(call.vars[i]).short_name);
    if (i + 1 == desc.vars.size()) put('>');
  }
  put('(');
  const bool has_self = call.proto().has_self;
  if (has_self) print(call.self, {}, call.loc);
  for (size_t i = 0; i < call.args.size(); i++) {
    if (i > 0 || has_self) out_ += ", ";
    if (!call.args[i]) {
      put('_');
      continue;
    }
    const bool known = i < call.proto().params.size();
    const Type type = known ? operand_type(call.proto().params[i].type, call.vars, call.self) : Type{};
    print(call.args[i], type, call.loc);
  }
  put(')');
}

void Printer::print_call(const Function* callee, std::span<Expr* const> args, const Loc& loc) {
  put_name('@', callee, callee->name);
  put('(');
  for (size_t i = 0; i < args.size(); i++) {
    if (i > 0) out_ += ", ";
    print(args[i], param_type(*callee, i), loc);
  }
  put(')');
}

// ---- constants -----------------------------------------------------------------------------------

void Printer::print_const(const Const& c, const Type& expected) {
  if (c.named && (!module_ || declared_.count(c.named))) return put_name('$', c.named, c.named->name);
  if (c.spelling) {
    out_ += "spelt(";
    Const value = c;
    value.spelling = nullptr;
    print_const(value, expected);
    out_ += ", ";
    print(c.spelling, c.type, c.loc);
    return put(')');
  }
  if (c.type == kBoolType && (c.bits == 0 || c.bits == 1)) {
    out_ += c.bits ? "true" : "false";
    return;
  }
  if (c.type.kind == Kind::Enum && c.type.id < enum_table().size()) {
    const EnumDesc& desc = enum_desc(static_cast<EnumId>(c.type.id));
    const EnumMember* member = desc.find(c.bits);
    return member ? put("{}.{}", desc.py_name, member->name) : put("{}({})", desc.py_name, c.bits);
  }
  if (c.is_float()) return print_float(c, expected);
  if (!c.type.is_scalar() || !is_int(c.type.elem)) {
    out_ += "bits<";
    put_type(c.type);
    return put(">({:#x})", static_cast<uint64_t>(c.bits));
  }
  if (is_unsigned_int(c.type.elem))
    put("{}", static_cast<uint64_t>(c.bits));
  else
    put("{}", c.bits);
  if (c.type != implied_type(false, expected)) {
    put(':');
    put_type(c.type);
  }
}

// The shortest digits that give the value back in its type; always with a point or an exponent.
void Printer::print_float(const Const& c, const Type& expected) {
  const double value = c.as_double();
  const bool narrow = c.type.elem != DType::F64;
  if (std::isnan(value) && std::bit_cast<uint64_t>(value) << 1 != 0x7ff8000000000000ull << 1) {
    out_ += "bits<";
    put_type(c.type);
    return put(">({:#x})", static_cast<uint64_t>(c.bits));
  }
  if (!std::isfinite(value)) {
    put("{}{}", std::signbit(value) ? "-" : "", std::isnan(value) ? "nan" : "inf");
  } else {
    char digits[64];
    const auto end = narrow ? std::to_chars(digits, std::end(digits), static_cast<float>(value))
                            : std::to_chars(digits, std::end(digits), value);
    const std::string_view text(digits, static_cast<size_t>(end.ptr - digits));
    out_ += text;
    if (text.find_first_of(".e") == std::string_view::npos) out_ += ".0";
  }
  if (c.type != implied_type(true, expected)) {
    put(':');
    put_type(c.type);
  }
}

}  // namespace asc::ir::text
