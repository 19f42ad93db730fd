// SPDX-License-Identifier: Apache-2.0
// Constants: by name where the name is in scope, by their spelling where C++ computes the same value from it,
// else the number.
#include <bit>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <iterator>

#include "base/half.h"
#include "emit/printer.h"

namespace asc::emit {

using ir::as;
using ir::BinaryOp;

namespace {

bool is_number(const ir::Expr* e) { return e->type.is_scalar(); }
constexpr bool is_short_float(DType t) { return t == DType::F16 || t == DType::BF16; }

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

std::string_view Printer::visible_name(const ir::NamedConst& c) const {
  if (c.scope) {
    for (size_t i = visible_.size(); i-- > 0;)
      if (visible_[i].constant == &c) return visible_[i].name;
    return {};
  }
  const std::string_view name = constant_names_[c.id];
  if (is_declared_elsewhere(c)) return name;
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
  for (size_t i = printed_.size(); i-- > 0;) {
    if (printed_[i].constant != used) continue;
    printed_[i].used = true;
    return;
  }
}

// A spelling prints if every name in it is in scope and C++ computes the same value from it.
bool Printer::spelling_value(const ir::Expr* e, double* value) const {
  if (const auto* c = as<ir::Const>(e)) {
    if (c->type.kind == Kind::Enum) {
      *value = static_cast<double>(c->bits);
      return true;
    }
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
    return !is_short_float(c->type.elem) && c->type.elem != DType::Bool;
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
        *value = static_cast<double>(op->op == BinaryOp::And  ? x & y
                                     : op->op == BinaryOp::Or ? x | y
                                                              : x ^ y);
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

void Printer::constant(const ir::Const& c, int min, bool converts) {
  switch (const_form(c)) {
    case ConstForm::Name: put(visible_name(*c.named)); return use_constant(*c.named);
    case ConstForm::Spelling: return expr(c.spelling, min);
    case ConstForm::Literal: return literal(c.type, c.bits, min, converts);
  }
}

void Printer::number(int64_t value) {
  char text[24];
  const auto end = std::to_chars(text, std::end(text), value).ptr;
  put({text, static_cast<size_t>(end - text)});
}

void Printer::literal(const Type& type, int64_t bits, int min, bool converts) {
  if (type.kind == Kind::Enum) return enum_value(type.id, bits);
  const DType t = type.elem;
  if (type.kind == Kind::Pointer) return put("nullptr");
  if (t == DType::Bool) return put(bits ? "true" : "false");
  if (is_float(t)) return float_literal(t, std::bit_cast<double>(bits), min, converts);
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

// The fewest digits that mean this value once they are a half: 0.1f for 0.099975586.
static float as_written(float value) {
  for (int digits = 1; digits < 9; digits++) {
    char text[40];
    const auto end =
        std::to_chars(text, std::end(text), value, std::chars_format::scientific, digits - 1).ptr;
    float shorter = 0;
    std::from_chars(text, end, shorter);
    if (static_cast<float>(half_t(shorter)) == value) return shorter;
  }
  return value;
}

// `converts`: the literal of a half becomes one where it stands.
void Printer::float_literal(DType type, double value, int min, bool converts) {
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
    const auto end =
        is_double ? std::to_chars(text, std::end(text), value).ptr
                  : std::to_chars(text, std::end(text),
                                  converts && type == DType::F16 ? as_written(static_cast<float>(value))
                                                                 : static_cast<float>(value))
                        .ptr;
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

// A constant that prints as its spelling stands for that tree.
const ir::Expr* Printer::spelt_tree(const ir::Expr* e) const {
  const auto* c = as<ir::Const>(e);
  return c && c->spelling && const_form(*c) == ConstForm::Spelling ? c->spelling : e;
}

}  // namespace asc::emit
