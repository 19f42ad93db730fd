// SPDX-License-Identifier: Apache-2.0
// Expressions: few parentheses, and a cast only where C++'s own conversions would give another value.
//
// C++ computes in the common type of its operands (integers below 32 bits become int), the IR in the operands' one type.
// For each operation the plan below takes off the casts that C++ makes by itself and keeps the rest: if what C++ then
// computes in is not the IR's type, the casts stay; if the result could leave the type where the IR wraps or rounds, it is
// cut back by a cast.
#include <bit>
#include <charconv>
#include <cmath>
#include <iterator>
#include <limits>
#include <optional>

#include "emit/printer.h"

namespace asc::emit {

using ir::as;
using ir::BinaryOp;

namespace {

constexpr bool is_small_int(DType t) { return t == DType::Bool || (is_int(t) && size_of(t) < 4); }
constexpr bool is_small_float(DType t) { return t == DType::F16 || t == DType::BF16; }
constexpr DType promoted(DType t) { return is_small_int(t) ? DType::I32 : t; }

// C++'s usual arithmetic conversions. Short floats do not mix: their casts are always printed.
constexpr DType common_type(DType a, DType b) {
  a = promoted(a);
  b = promoted(b);
  if (a == b) return a;
  if (is_float(a) || is_float(b)) {
    if (!is_float(a)) return b;
    if (!is_float(b)) return a;
    if (is_small_float(a) || is_small_float(b)) return DType::Void;
    return DType::F64;
  }
  if (size_of(a) != size_of(b)) return size_of(a) > size_of(b) ? a : b;
  return is_unsigned_int(a) ? a : b;
}

// Does `to` hold every value of `from`?
constexpr bool preserves(DType from, DType to) {
  if (from == to) return true;
  if (from == DType::Bool) return is_int(to) || is_float(to);
  if (!is_int(from) || !is_int(to)) return is_float(from) && is_float(to) && size_of(from) < size_of(to);
  if (is_unsigned_int(from)) return size_of(to) > size_of(from);
  return is_signed_int(to) && size_of(to) >= size_of(from);
}

bool is_number(const ir::Expr* e) { return e->type.is_scalar(); }

// Operations that stay inside an unsigned or short float type by themselves.
constexpr bool stays_inside(BinaryOp op) {
  switch (op) {
    case BinaryOp::FloorDiv:
    case BinaryOp::Mod:
    case BinaryOp::Shr:
    case BinaryOp::And:
    case BinaryOp::Or:
    case BinaryOp::Xor: return true;
    default: return false;
  }
}

struct OperatorText {
  std::string_view text;
  int prec;
};
OperatorText operator_text(BinaryOp op) {
  switch (op) {
    case BinaryOp::Add: return {" + ", kAdditive};
    case BinaryOp::Sub: return {" - ", kAdditive};
    case BinaryOp::Mul: return {" * ", kMultiplicative};
    case BinaryOp::Div:
    case BinaryOp::FloorDiv: return {" / ", kMultiplicative};
    case BinaryOp::Mod: return {" % ", kMultiplicative};
    case BinaryOp::Shl: return {" << ", kShift};
    case BinaryOp::Shr: return {" >> ", kShift};
    case BinaryOp::And: return {" & ", kBitAnd};
    case BinaryOp::Or: return {" | ", kBitOr};
    case BinaryOp::Xor: return {" ^ ", kBitXor};
    case BinaryOp::Lt: return {" < ", kRelational};
    case BinaryOp::Le: return {" <= ", kRelational};
    case BinaryOp::Gt: return {" > ", kRelational};
    case BinaryOp::Ge: return {" >= ", kRelational};
    case BinaryOp::Eq: return {" == ", kEquality};
    case BinaryOp::Ne: return {" != ", kEquality};
    case BinaryOp::Pow:
    case BinaryOp::Min:
    case BinaryOp::Max: break;
  }
  return {"", kPostfix};
}

// The value of a constant integer tree, or nothing.
std::optional<int64_t> known_int(const ir::Expr* e) {
  if (const auto* c = as<ir::Const>(e)) return c->is_float() ? std::nullopt : std::optional(c->bits);
  if (const auto* c = as<ir::Cast>(e); c && is_number(c) && is_int(c->type.elem)) return known_int(c->operand);
  const auto* b = as<ir::Binary>(e);
  if (!b || !is_int(b->type.elem)) return std::nullopt;
  const auto left = known_int(b->left), right = known_int(b->right);
  if (!left || !right) return std::nullopt;
  int64_t result = 0;
  bool overflow = false;
  switch (b->op) {
    case BinaryOp::Add: overflow = __builtin_add_overflow(*left, *right, &result); break;
    case BinaryOp::Sub: overflow = __builtin_sub_overflow(*left, *right, &result); break;
    case BinaryOp::Mul: overflow = __builtin_mul_overflow(*left, *right, &result); break;
    case BinaryOp::FloorDiv:
      if (*left < 0 || *right <= 0) return std::nullopt;
      result = *left / *right;
      break;
    case BinaryOp::Mod:
      if (*left < 0 || *right <= 0) return std::nullopt;
      result = *left % *right;
      break;
    default: return std::nullopt;
  }
  return overflow ? std::nullopt : std::optional(result);
}

bool known_nonnegative(const ir::Expr* e) {
  if (e->facts & ir::kNonNegative) return true;
  const auto value = known_int(e);
  return value && *value >= 0;
}

bool in_range(int64_t value, DType type) {
  switch (type) {
    case DType::I32: return value >= INT32_MIN && value <= INT32_MAX;
    case DType::U32: return value >= 0 && value <= static_cast<int64_t>(UINT32_MAX);
    case DType::I64: return true;
    case DType::U64: return value >= 0;
    default: return false;
  }
}

}  // namespace

// ---- constants ---------------------------------------------------------------------------------------------------

std::string_view Printer::visible_name(const ir::NamedConst& c) const {
  if (c.scope) {
    for (size_t i = visible_.size(); i-- > 0;)
      if (visible_[i].constant == &c) return visible_[i].name;
    return {};
  }
  const std::string_view name = constant_names_[c.id];
  if (locals_.has(name)) return {};  // a local of that name hides it
  if (constants_in_scope_ < module_.constants.size()) {
    for (size_t i = 0; i < constants_in_scope_; i++)
      if (module_.constants[i] == &c) return name;
    return {};
  }
  return name;
}

void Printer::use_constant(const ir::NamedConst& c) {
  const ir::NamedConst* used = &c;
  if (c.scope) {
    for (size_t i = visible_.size(); i-- > 0;) {
      if (visible_[i].constant != &c) continue;
      if (visible_[i].printed < 0) used = visible_[i].alias;
      break;
    }
  }
  if (const_in_print_ >= 0) {
    printed_[static_cast<size_t>(const_in_print_)].uses.push_back(used);
    return;
  }
  if (!used->scope) {
    constant_used_[used->id] = 1;
    return;
  }
  for (PrintedConst& p : printed_)
    if (p.constant == used) p.used = true;
}

// A spelling prints if every name in it is in scope and C++ computes the same value from it.
bool Printer::spelling_value(const ir::Expr* e, double* value) const {
  if (const auto* c = as<ir::Const>(e)) {
    if (!is_number(c) || (c->named && visible_name(*c->named).empty())) return false;
    *value = c->as_double();
    return true;
  }
  double a = 0, b = 0;
  const DType type = natural(e);
  if (const auto* c = as<ir::Cast>(e)) {
    if (!is_number(c) || !spelling_value(c->operand, &a)) return false;
    if (is_int(c->type.elem) && a != std::trunc(a)) return false;
    *value = c->type.elem == DType::F32 ? static_cast<double>(static_cast<float>(a)) : a;
    return !is_small_float(c->type.elem) && c->type.elem != DType::Bool;
  }
  if (const auto* u = as<ir::Unary>(e)) {
    if (u->op != ir::UnaryOp::Neg || !spelling_value(u->operand, &a)) return false;
    *value = -a;
  } else {
    const auto* op = as<ir::Binary>(e);
    if (!op || !spelling_value(op->left, &a) || !spelling_value(op->right, &b)) return false;
    if (is_float(op->left->type.elem)) {
      if (plan(*op).common != DType::F32) return false;
      const float x = static_cast<float>(a), y = static_cast<float>(b);
      switch (op->op) {
        case BinaryOp::Add: *value = static_cast<double>(x + y); break;
        case BinaryOp::Sub: *value = static_cast<double>(x - y); break;
        case BinaryOp::Mul: *value = static_cast<double>(x * y); break;
        case BinaryOp::Div:
          if (y == 0) return false;
          *value = static_cast<double>(x / y);
          break;
        default: return false;
      }
      return std::isfinite(*value);
    }
    switch (op->op) {
      case BinaryOp::Add: *value = a + b; break;
      case BinaryOp::Sub: *value = a - b; break;
      case BinaryOp::Mul: *value = a * b; break;
      case BinaryOp::FloorDiv:
      case BinaryOp::Mod:
        if (a < 0 || b <= 0) return false;
        *value = op->op == BinaryOp::FloorDiv ? std::floor(a / b) : std::fmod(a, b);
        break;
      case BinaryOp::Shl:
        if (a < 0 || b < 0 || b > 62) return false;
        *value = std::ldexp(a, static_cast<int>(b));
        break;
      case BinaryOp::Shr:
        if (a < 0 || b < 0 || b > 62) return false;
        *value = std::floor(std::ldexp(a, -static_cast<int>(b)));
        break;
      case BinaryOp::And:
      case BinaryOp::Or:
      case BinaryOp::Xor: {
        if (a < 0 || b < 0) return false;
        const auto x = static_cast<uint64_t>(a), y = static_cast<uint64_t>(b);
        *value = static_cast<double>(op->op == BinaryOp::And ? x & y : op->op == BinaryOp::Or ? x | y : x ^ y);
        break;
      }
      default: return false;
    }
  }
  // Beyond 2^53 a double is not exact: such a spelling gives way to the number.
  if (std::fabs(*value) > 9007199254740992.0) return false;
  if (is_float(type)) return true;
  return in_range(static_cast<int64_t>(*value), type);
}

Printer::ConstForm Printer::const_form(const ir::Const& c) const {
  if (c.named && !visible_name(*c.named).empty()) return ConstForm::Name;
  if (!c.spelling || !is_number(&c)) return ConstForm::Literal;
  double value = 0;
  if (!spelling_value(c.spelling, &value)) return ConstForm::Literal;
  if (c.is_float() ? value != c.as_double() : value != static_cast<double>(c.bits)) return ConstForm::Literal;
  return ConstForm::Spelling;
}

void Printer::constant(const ir::Const& c, int min) {
  switch (const_form(c)) {
    case ConstForm::Name:
      put(visible_name(*c.named));
      return use_constant(*c.named);
    case ConstForm::Spelling: return expr(c.spelling, min);
    case ConstForm::Literal: return literal(c.type, c.bits, min);
  }
}

void Printer::number(int64_t value) {
  char text[24];
  const auto end = std::to_chars(text, std::end(text), value).ptr;
  put({text, static_cast<size_t>(end - text)});
}

void Printer::literal(const Type& type, int64_t bits, int min) {
  if (type.kind == Kind::Enum) return enum_value(type.id, bits);
  const DType t = type.elem;
  if (type.kind == Kind::Pointer) return put("nullptr");
  if (t == DType::Bool) return put(bits ? "true" : "false");
  if (is_float(t)) return float_literal(t, std::bit_cast<double>(bits), min);
  if (t == DType::U64 && bits < 0) {
    char text[24];
    const auto end = std::to_chars(text, std::end(text), static_cast<uint64_t>(bits)).ptr;
    put({text, static_cast<size_t>(end - text)});
    return put('u');
  }
  if (bits == INT64_MIN) return put("INT64_MIN");
  if (bits == INT32_MIN) return put("INT32_MIN");
  const bool parens = bits < 0 && open(kUnary, min);
  number(bits);
  if (t == DType::U32 && bits > INT32_MAX) put('u');
  close(parens);
}

void Printer::float_literal(DType type, double value, int min) {
  const bool is_double = type == DType::F64;
  const std::string_view suffix = is_double ? "" : "f";
  const bool parens = std::signbit(value) && open(kUnary, min);
  if (std::isnan(value)) {
    put(is_double ? "__builtin_nan(\"\")" : "__builtin_nanf(\"\")");
  } else if (std::isinf(value)) {
    if (value < 0) put('-');
    put(is_double ? "__builtin_inf()" : "__builtin_inff()");
  } else {
    char text[40];
    const auto end = is_double ? std::to_chars(text, std::end(text), value).ptr
                               : std::to_chars(text, std::end(text), static_cast<float>(value)).ptr;
    const std::string_view digits(text, static_cast<size_t>(end - text));
    put(digits);
    if (digits.find_first_of(".e") == std::string_view::npos) put(".0");
    put(suffix);
  }
  close(parens);
}

void Printer::enum_value(uint16_t enum_id, int64_t value) {
  const EnumDesc& desc = enum_desc(static_cast<EnumId>(enum_id));
  const EnumMember* member = desc.find(value);
  if (!member) {
    put("static_cast<");
    type_name(Type::of_enum(enum_id));
    put(">(");
    number(value);
    return put(')');
  }
  if (!desc.cpp_type.empty()) {
    put(desc.cpp_type);
    put("::");
  }
  put(member->name);
}

// ---- C++ types ---------------------------------------------------------------------------------------------------

DType Printer::natural(const ir::Expr* e, bool converts) const {
  if (!is_number(e)) return DType::Void;
  const DType type = e->type.elem;
  switch (e->kind) {
    case ir::ExprKind::Const: {
      const auto& c = *as<ir::Const>(e);
      const ConstForm form = const_form(c);
      if (form == ConstForm::Name) return c.named->type.elem;
      if (form == ConstForm::Spelling) return natural(c.spelling);
      if (type == DType::Bool || type == DType::F64) return type;
      if (is_float(type)) return DType::F32;
      if (type == DType::U64 && c.bits < 0) return type;
      if (c.bits >= INT32_MIN && c.bits <= INT32_MAX) return DType::I32;
      return type == DType::U32 ? type : DType::I64;
    }
    case ir::ExprKind::Unary: {
      const auto& u = *as<ir::Unary>(e);
      if (u.op == ir::UnaryOp::Not) return DType::Bool;
      if (u.op == ir::UnaryOp::Abs) return is_small_float(type) ? DType::F32 : type;
      if (is_small_float(type)) return converts && type != DType::BF16 ? DType::F32 : type;
      if (!is_small_int(type)) return type;
      const bool wraps = is_unsigned_int(type) && !(u.facts & ir::kFits) && !converts;
      return wraps ? type : DType::I32;
    }
    case ir::ExprKind::Binary: {
      const auto& b = *as<ir::Binary>(e);
      if (ir::is_comparison(b.op)) return DType::Bool;
      if (operator_text(b.op).text.empty() || (is_division(b.op) && !is_plain_division(b))) return type;
      const BinaryPlan p = plan(b);
      return p.wrap && !(converts && type != DType::BF16) ? type : p.common;
    }
    case ir::ExprKind::Select: {
      return plan_select(*as<ir::Select>(e)).common;
    }
    case ir::ExprKind::Logical:
    case ir::ExprKind::CorePredicate: return DType::Bool;
    default: return type;
  }
}

// A constant that prints as its spelling stands for that tree.
const ir::Expr* Printer::spelt_tree(const ir::Expr* e) const {
  const auto* c = as<ir::Const>(e);
  return c && c->spelling && const_form(*c) == ConstForm::Spelling ? c->spelling : e;
}

// The operand below a cast that C++ may make by itself.
static const ir::Expr* below_cast(const ir::Expr* e) {
  const auto* c = as<ir::Cast>(e);
  if (!c || !is_number(c) || !is_number(c->operand)) return nullptr;
  const DType from = c->operand->type.elem, to = c->type.elem;
  if (to == DType::Bool || is_small_float(from) || is_small_float(to)) return nullptr;
  if (is_small_int(to) && !preserves(from, to)) return nullptr;
  if (is_float(from) && is_int(to)) return nullptr;
  return c->operand;
}

Printer::BinaryPlan Printer::plan_operands(const ir::Expr* left, const ir::Expr* right, DType type) const {
  left = spelt_tree(left);
  right = spelt_tree(right);
  BinaryPlan p{left, right};
  p.common = promoted(type);
  if (is_small_float(type)) {
    p.exact_left = p.exact_right = true;
    p.common = DType::F32;  // each operand gets a cast to float
    return p;
  }
  const ir::Expr* const inner_left = below_cast(left);
  const ir::Expr* const inner_right = below_cast(right);
  const auto fits = [&](const ir::Expr* l, const ir::Expr* r) {
    const DType a = natural(l), b = natural(r);
    // A type that holds all values of the IR's type may take its place where nothing wraps.
    const DType c = common_type(a, b);
    if (c == promoted(type)) return true;
    return is_signed_int(type) && c == DType::I64 && l == left && r == right && (p.common = c, true);
  };
  if (inner_left && inner_right && fits(inner_left, inner_right)) {
    p.left = inner_left;
    p.right = inner_right;
  } else if (inner_right && fits(left, inner_right)) {
    p.right = inner_right;
  } else if (inner_left && fits(inner_left, right)) {
    p.left = inner_left;
  } else if (!fits(left, right)) {
    p.exact_left = true;
  }
  return p;
}

static bool is_shift(BinaryOp op) { return op == BinaryOp::Shl || op == BinaryOp::Shr; }

Printer::BinaryPlan Printer::plan(const ir::Binary& e) const {
  const DType type = e.left->type.elem;
  BinaryPlan p{spelt_tree(e.left), spelt_tree(e.right)};
  if (is_shift(e.op)) {
    // The left operand alone gives the type.
    p.common = promoted(type);
    const ir::Expr* inner = below_cast(p.left);
    if (inner && promoted(natural(inner)) == p.common) {
      p.left = inner;
    } else {
      p.exact_left = promoted(natural(p.left)) != p.common;
    }
    if (const ir::Expr* count = below_cast(p.right)) p.right = count;
  } else {
    p = plan_operands(e.left, e.right, type);
  }
  if (ir::is_comparison(e.op)) return p;
  const bool narrow = is_small_float(type) || (is_unsigned_int(type) && is_small_int(type) && !(e.facts & ir::kFits));
  p.wrap = narrow && (is_small_float(type) || !stays_inside(e.op));
  if (e.op == BinaryOp::Div && is_small_float(type)) p.wrap = false;  // its result is float32
  return p;
}

bool Printer::is_division(BinaryOp op) { return op == BinaryOp::FloorDiv || op == BinaryOp::Mod; }

bool Printer::is_plain_division(const ir::Binary& e) const {
  const DType type = e.left->type.elem;
  if (is_float(type)) return false;
  if (is_unsigned_int(type) || (e.facts & ir::kPlainDiv)) return true;
  return known_nonnegative(e.left) && known_nonnegative(e.right);
}

// The values only meet in a common type: any that holds both will do.
Printer::BinaryPlan Printer::plan_select(const ir::Select& e) const {
  BinaryPlan p{e.then_value, e.else_value};
  if (!is_number(&e)) return p;
  p.common = e.type.elem;
  const DType a = natural(e.then_value), b = natural(e.else_value);
  if (a == b) {
    p.common = a;
  } else if (is_small_float(p.common)) {
    p.exact_left = a != p.common;
    p.exact_right = b != p.common;
  } else {
    const DType c = common_type(a, b);
    if (is_int(c) && preserves(a, c) && preserves(b, c)) {
      p.common = c;
    } else {
      p = plan_operands(e.then_value, e.else_value, p.common);
    }
  }
  return p;
}

// ---- expressions -------------------------------------------------------------------------------------------------

void Printer::expr(const ir::Expr* e, int min, bool converts) {
  switch (e->kind) {
    case ir::ExprKind::Const: return constant(*as<ir::Const>(e), min);
    case ir::ExprKind::Var: return put(name_of(*as<ir::VarRef>(e)->var));
    case ir::ExprKind::Unary: return unary(*as<ir::Unary>(e), min, converts);
    case ir::ExprKind::Binary: return binary(*as<ir::Binary>(e), min, converts);
    case ir::ExprKind::Logical: return logical(*as<ir::Logical>(e), min);
    case ir::ExprKind::Select: return select(*as<ir::Select>(e), min);
    case ir::ExprKind::Cast: return cast(*as<ir::Cast>(e), min);
    case ir::ExprKind::OpCall: return op_call(*as<ir::OpCall>(e), min);
    case ir::ExprKind::Call: return call(*as<ir::Call>(e)->callee, as<ir::Call>(e)->args, {});
    case ir::ExprKind::CorePredicate: return core_predicate(as<ir::CorePredicate>(e)->aic);
    case ir::ExprKind::Field: {
      const auto& f = *as<ir::Field>(e);
      expr(f.object, kPostfix);
      put('.');
      return put(field_name(f.object->type, f.index));
    }
  }
}

// What is printed where the context converts to `to`: a cast to that type is made by C++ itself, unless the user wrote one
// that cuts.
const ir::Expr* Printer::conversion_source(const ir::Expr* e, DType to) const {
  e = spelt_tree(e);
  const auto* c = as<ir::Cast>(e);
  if (!c || !is_number(c) || !is_number(c->operand) || c->type.elem != to || to == DType::Bool) return e;
  const DType from = c->operand->type.elem;
  if (from == DType::BF16 || to == DType::BF16 || (is_float(from) && is_int(to))) return e;
  return c->is_explicit && is_int(from) && is_int(to) && !preserves(from, to) ? e : c->operand;
}

void Printer::converted(const ir::Expr* e, DType to, int min) {
  e = conversion_source(e, to);
  if (to == DType::BF16 && natural(e) != DType::BF16) return exact(e, min);
  expr(e, min, is_number(e) && e->type.elem == to);
}

void Printer::exact(const ir::Expr* e, int min) {
  if (!is_number(e) || natural(e) == e->type.elem) return expr(e, min);
  if (e->type.elem == DType::BF16) {
    put("AscendC::ToBfloat16(");
    expr(e);
    return put(')');
  }
  put("static_cast<");
  put(cpp_name(e->type.elem));
  put(">(");
  expr(e, kAny, true);
  put(')');
}

void Printer::condition(const ir::Expr* e) { expr(e); }

void Printer::operand(const ir::Expr* e, DType type, bool as_exact, int min) {
  if (!as_exact) return expr(e, min);
  if (is_small_float(type)) {  // computed in float
    if (natural(e) == DType::F32) return expr(e, min);
    put(type == DType::BF16 ? "AscendC::ToFloat(" : "static_cast<float>(");
    expr(e);
    return put(')');
  }
  exact(e, min);
}

void Printer::open_wrap(DType type) {
  put(type == DType::BF16 ? "AscendC::ToBfloat16(" : "static_cast<");
  if (type == DType::BF16) return;
  put(cpp_name(type));
  put(">(");
}

void Printer::binary(const ir::Binary& e, int min, bool converts) {
  const DType type = e.left->type.elem;
  switch (e.op) {
    case BinaryOp::Min: return helper_call(Helper::Min, e.left, e.right, e.type.elem);
    case BinaryOp::Max: return helper_call(Helper::Max, e.left, e.right, e.type.elem);
    case BinaryOp::Pow: return helper_call(is_float(type) ? Helper::PowFloat : Helper::Pow, e.left, e.right, e.type.elem);
    default: break;
  }
  if (is_division(e.op) && !is_plain_division(e)) {
    const bool div = e.op == BinaryOp::FloorDiv;
    const Helper helper = is_float(type) ? (div ? Helper::FloorDivFloat : Helper::FloorModFloat)
                                         : (div ? Helper::FloorDiv : Helper::FloorMod);
    return helper_call(helper, e.left, e.right, e.type.elem);
  }
  const auto [text, prec] = operator_text(e.op);
  const BinaryPlan p = is_number(e.left) ? plan(e) : BinaryPlan{e.left, e.right};
  const bool wraps = p.wrap && !(converts && type != DType::BF16);
  if (wraps) open_wrap(e.type.elem);
  const bool parens = open(prec, wraps ? static_cast<int>(kAny) : min);
  int left_min = prec, right_min = prec + 1;
  const auto* left_binary = as<ir::Binary>(p.left);
  if (ir::is_comparison(e.op)) {
    left_min = right_min = kShift;
  } else if (is_shift(e.op)) {
    left_min = right_min = kUnary;
  } else if (prec == kBitAnd || prec == kBitOr || prec == kBitXor) {
    if (!left_binary || left_binary->op != e.op) left_min = kUnary;
    right_min = kUnary;
  }
  if (is_shift(e.op) && p.exact_left && p.common == DType::I64 && as<ir::Const>(p.left)) {
    expr(p.left, left_min);
    put("LL");
  } else {
    operand(p.left, type, p.exact_left, left_min);
  }
  put(text);
  operand(p.right, type, p.exact_right, right_min);
  close(parens);
  if (wraps) put(')');
}

// asc_min(a, b), or asc_min<int64_t>(a, b) where C++ would not deduce that type. Short floats compute in float.
void Printer::helper_call(Helper helper, const ir::Expr* left, const ir::Expr* right, DType type) {
  helpers_[static_cast<size_t>(helper)] = true;
  if (helper == Helper::FloorDivFloat || helper == Helper::FloorModFloat)
    helpers_[static_cast<size_t>(Helper::FloatRemainder)] = true;
  const bool is_order = helper == Helper::Min || helper == Helper::Max;
  if (is_float(type) && !is_order) return float_helper_call(helper, left, right, type);
  put(helper_name(helper));
  const auto printed = [&](const ir::Expr* e) {
    const ir::Expr* source = conversion_source(e, type);
    return natural(source, source->type.elem == type);
  };
  if (printed(left) != type || (right && printed(right) != type)) {
    put('<');
    put(cpp_name(type));
    put('>');
  }
  put('(');
  converted(left, type);
  if (right) {
    put(", ");
    converted(right, type);
  }
  put(')');
}

// The overloads for float: an integer argument would choose the template.
void Printer::float_helper_call(Helper helper, const ir::Expr* left, const ir::Expr* right, DType type) {
  const bool rounds = is_small_float(type) && helper != Helper::Abs;
  if (rounds) open_wrap(type);
  put(helper_name(helper));
  put('(');
  is_small_float(type) ? operand(left, type, true, kAny) : exact(left);
  if (right) {
    put(", ");
    is_small_float(type) ? operand(right, type, true, kAny) : exact(right);
  }
  put(')');
  if (rounds) put(')');
}

void Printer::unary(const ir::Unary& e, int min, bool converts) {
  const DType type = e.operand->type.elem;
  if (e.op == ir::UnaryOp::Abs) return helper_call(Helper::Abs, e.operand, nullptr, type);
  const bool narrow = is_small_float(type) || (is_unsigned_int(type) && is_small_int(type) && !(e.facts & ir::kFits));
  const bool wraps = e.op != ir::UnaryOp::Not && narrow && !(converts && type != DType::BF16);
  if (wraps) open_wrap(type);
  const bool parens = open(kUnary, wraps ? static_cast<int>(kAny) : min);
  put(e.op == ir::UnaryOp::Neg ? '-' : e.op == ir::UnaryOp::Invert ? '~' : '!');
  if (is_small_float(type)) {
    operand(e.operand, type, true, kPostfix);
  } else if (e.op != ir::UnaryOp::Not && size_of(type) >= 4 && natural(e.operand) != type && is_int(type)) {
    exact(e.operand, kPostfix);  // ~ and - compute in the operand's own type
  } else {
    expr(e.operand, e.op == ir::UnaryOp::Neg ? kPostfix : kUnary);
  }
  close(parens);
  if (wraps) put(')');
}

void Printer::cast(const ir::Cast& e, int min) {
  const Type& to = e.type;
  const Type& from = e.operand->type;
  if (to.kind == Kind::Pointer || from.kind == Kind::Pointer) {
    put(to.kind == Kind::Scalar && to.elem == DType::Bool ? "static_cast<" : "reinterpret_cast<");
  } else if (to.is_scalar() && to.elem == DType::Bool && from.is_scalar()) {
    const bool parens = open(kEquality, min);
    expr(e.operand, kShift);
    put(is_float(from.elem) ? " != 0.0f" : " != 0");
    return close(parens);
  } else if (to.is_scalar() && to.elem == DType::BF16) {
    put("AscendC::ToBfloat16(");
    converted(e.operand, DType::F32);
    return put(')');
  } else if (from.is_scalar() && from.elem == DType::BF16) {
    const bool again = to.elem != DType::F32;
    if (again) open_wrap(to.elem);
    put("AscendC::ToFloat(");
    expr(e.operand);
    put(again ? "))" : ")");
    return;
  } else {
    put("static_cast<");
  }
  type_name(to);
  put(">(");
  expr(e.operand, kAny, false);
  put(')');
}

void Printer::select(const ir::Select& e, int min) {
  const bool parens = open(kConditional, min);
  const BinaryPlan p = plan_select(e);
  expr(e.condition, kOr);
  put(" ? ");
  p.exact_left ? exact(p.left, kConditional + 1) : expr(p.left, kConditional + 1);
  put(" : ");
  p.exact_right ? exact(p.right, kConditional) : expr(p.right, kConditional);
  close(parens);
}

void Printer::logical(const ir::Logical& e, int min) {
  const bool is_and = e.op == ir::LogicalOp::And;
  const int prec = is_and ? kAnd : kOr;
  const bool parens = open(prec, min);
  const auto side = [&](const ir::Expr* x) {
    const auto* l = as<ir::Logical>(x);
    expr(x, l && l->op == e.op ? prec : kAnd + 1);
  };
  side(e.left);
  put(is_and ? " && " : " || ");
  side(e.right);
  close(parens);
}

// Inside a larger expression: through a flag that is set at the head of the function.
void Printer::core_predicate(bool aic) {
  std::string_view& flag = core_flags_[aic ? 1 : 0];
  if (flag.empty()) {
    flag = pinned_.add(pool_, aic ? "is_aic" : "is_aiv", &locals_);
  }
  put(flag);
}

}  // namespace asc::emit
