// SPDX-License-Identifier: Apache-2.0
// Reads the expressions of the text form of the IR (grammar: ir/text.h).
#include <bit>
#include <charconv>
#include <cmath>
#include <limits>
#include <optional>

#include "base/format.h"
#include "ir/scalar.h"
#include "ir/text_parser.h"
#include "ir/visit.h"

namespace asc::ir::text {

namespace {

// Python's order; comparisons do not chain here.
enum Level : int {
  kLevelOr = 1,
  kLevelAnd,
  kLevelNot,
  kLevelComparison,
  kLevelBinaryOr,
  kLevelXor,
  kLevelBinaryAnd,
  kLevelShift,
  kLevelSum,
  kLevelProduct,
  kLevelSign,
  kLevelPower
};

struct Infix {
  std::string_view text;
  int level;
  BinaryOp op;
};
// Longer ones first where one begins another.
constexpr Infix kInfix[] = {
    {"**", kLevelPower, BinaryOp::Pow},     {"//", kLevelProduct, BinaryOp::FloorDiv},
    {"<<", kLevelShift, BinaryOp::Shl},     {">>", kLevelShift, BinaryOp::Shr},
    {"<=", kLevelComparison, BinaryOp::Le}, {">=", kLevelComparison, BinaryOp::Ge},
    {"==", kLevelComparison, BinaryOp::Eq}, {"!=", kLevelComparison, BinaryOp::Ne},
    {"<", kLevelComparison, BinaryOp::Lt},  {">", kLevelComparison, BinaryOp::Gt},
    {"+", kLevelSum, BinaryOp::Add},        {"-", kLevelSum, BinaryOp::Sub},
    {"*", kLevelProduct, BinaryOp::Mul},    {"/", kLevelProduct, BinaryOp::Div},
    {"%", kLevelProduct, BinaryOp::Mod},    {"&", kLevelBinaryAnd, BinaryOp::And},
    {"|", kLevelBinaryOr, BinaryOp::Or},    {"^", kLevelXor, BinaryOp::Xor},
};

bool is_digit(char c) { return c >= '0' && c <= '9'; }

}  // namespace

Expr* Parser::expression(const Type& expected, Loc loc, bool operand) {
  Expr* e = operand ? postfix(expected) : binary(0, expected);
  settle(e, loc);
  return e;
}

// Hands the locations down: parents first.
void Parser::settle(Expr* e, const Loc& parent) {
  if (!e) return;
  if (e->loc == kInherited) e->loc = parent;
  if (const Const* c = as<Const>(e)) settle(const_cast<Expr*>(c->spelling), e->loc);
  for_each_operand(e, [this, e](Expr*& operand) { settle(operand, e->loc); });
}

Expr* Parser::binary(int least, const Type& expected) {
  Expr* left = unary(expected);
  while (true) {
    in_.skip();
    const size_t start = in_.position();
    const bool is_or = in_.accept_word("or");
    if (is_or || in_.accept_word("and")) {
      const int level = is_or ? kLevelOr : kLevelAnd;
      if (level < least) return in_.rewind(start), left;
      Expr* right = binary(level + 1, left->type);
      left = build_.logical(is_or ? LogicalOp::Or : LogicalOp::And, left, right, kInherited);
      continue;
    }
    const Infix* found = nullptr;
    for (const Infix& infix : kInfix)
      if (!found && in_.accept(infix.text)) found = &infix;
    if (!found || found->level < least) return in_.rewind(start), left;
    const int next = found->op == BinaryOp::Pow ? found->level : found->level + 1;
    left = build_.binary(found->op, left, binary(next, left->type), kInherited);
  }
}

Expr* Parser::unary(const Type& expected) {
  check_depth();
  Expr* e = nullptr;
  if (in_.peek() == '-' && !is_digit(in_.raw(1))) {
    in_.expect("-");
    const std::string_view word = in_.peek_word();
    if (word == "inf" || word == "nan")
      in_.rewind(in_.position() - 1), e = postfix(expected);
    else
      e = build_.unary(UnaryOp::Neg, binary(kLevelSign, expected), kInherited);
  } else if (in_.accept("~")) {
    e = build_.unary(UnaryOp::Invert, binary(kLevelSign, expected), kInherited);
  } else if (in_.accept_word("not")) {
    e = build_.unary(UnaryOp::Not, binary(kLevelNot, kBoolType), kInherited);
  } else {
    e = postfix(expected);
  }
  return e;
}

// A primary expression with its fields, facts and location; nothing stands between them.
Expr* Parser::postfix(const Type& expected) {
  Expr* e = primary(expected);
  while (true) {
    if (in_.raw() == '.' && (is_name_char(in_.raw(1)) || in_.raw(1) == '"' || in_.raw(1) == '#')) {
      e = field(e);
    } else if (in_.raw() == '!' && is_name_char(in_.raw(1))) {
      in_.advance(1);
      const size_t start = in_.position();
      const std::string fact = in_.word("a fact");
      uint8_t bit = 0;
      for (const FactName& known : kFactNames)
        if (known.name == fact) bit = known.bit;
      if (bit == 0) in_.fail_at(start, "fits, nonneg or plaindiv expected");
      e->facts |= bit;
    } else if (at_loc(/*suffix=*/true)) {
      e->loc = parse_loc();
    } else {
      return e;
    }
  }
}

Expr* Parser::field(Expr* object) {
  in_.advance(1);
  const size_t start = in_.position();
  size_t index = 0;
  if (in_.raw() == '#') {
    in_.advance(1);
    index = in_.number("the number of a field");
  } else {
    const std::string name = in_.word("a field");
    while (index < field_count(*module_, object->type) && field_name(*module_, object->type, index) != name)
      index++;
  }
  if (index >= field_count(*module_, object->type)) in_.fail_at(start, "no such field");
  return build_.field(object, static_cast<uint16_t>(index), kInherited);
}

Expr* Parser::primary(const Type& expected) {
  const char c = in_.peek();
  if (is_digit(c) || c == '-') return literal(expected);
  if (c == '(') {
    in_.open();
    Expr* e = binary(0, expected);
    in_.close();
    return e;
  }
  if (c == '%') {
    in_.advance(1);
    return build_.var(parse_reference(vars_, '%', "variable"), kInherited);
  }
  if (c == '$') {
    in_.advance(1);
    return build_.named_const(parse_reference(constants_, '$', "constant"), kInherited);
  }
  if (c == '@') {
    in_.advance(1);
    Function* callee = parse_reference(functions_, '@', "function");
    return build_.call(callee, call_args(*callee), kInherited);
  }
  return word_expression(expected);
}

Expr* Parser::word_expression(const Type& expected) {
  const size_t start = in_.position();
  const std::string_view word = in_.peek_word();
  if (word.empty()) in_.fail("an expression expected");
  if (word == "inf" || word == "nan") return literal(expected);
  in_.advance(word.size());
  if (word == "true" || word == "false") return build_.int_const(kBoolType, word == "true", kInherited);
  if (word == "is_aic" || word == "is_aiv") {
    in_.open();
    in_.close();
    return build_.core_predicate(word == "is_aic", kInherited);
  }
  if (word == "cast" || word == "explicit_cast") return cast(word == "explicit_cast");
  if (word == "spelt") return spelt(expected);
  if (word == "bits") return raw_bits();
  if (word == "workspace") return workspace();
  if (word == "abs" || word == "min" || word == "max" || word == "select") {
    in_.open();
    Expr* first = binary(0, word == "select" ? kBoolType : expected);
    if (word == "abs") {
      in_.close();
      return build_.unary(UnaryOp::Abs, first, kInherited);
    }
    in_.expect(",");
    Expr* second = binary(0, word == "select" ? expected : first->type);
    Expr* third = nullptr;
    if (word == "select") {
      in_.expect(",");
      third = binary(0, second->type);
    }
    in_.close();
    if (third) return build_.select(first, second, third, kInherited);
    return build_.binary(word == "min" ? BinaryOp::Min : BinaryOp::Max, first, second, kInherited);
  }
  if (word.starts_with("asc_")) return op_call(word);
  if (find_enum(word)) return enum_const(word);
  in_.fail_at(start, fmt::format("unknown word '{}'", word));
}

// HardEvent.MTE2_V, or HardEvent(77) for a value without a member
Expr* Parser::enum_const(std::string_view name) {
  const EnumId id = *find_enum(name);
  int64_t value = 0;
  if (in_.raw() == '.') {
    in_.advance(1);
    const size_t start = in_.position();
    const EnumMember* member = enum_desc(id).find(in_.word("a member"));
    if (!member) in_.fail_at(start, fmt::format("{} has no such member", name));
    value = member->value;
  } else {
    in_.open();
    value = in_.integer("a value");
    in_.close();
  }
  return build_.int_const(Type::of_enum(static_cast<uint16_t>(id)), value, kInherited);
}

Expr* Parser::cast(bool is_explicit) {
  in_.expect("<");
  const Type to = parse_type();
  in_.expect(">");
  in_.open();
  Expr* operand = binary(0, {});
  in_.close();
  return build_.cast(to, operand, is_explicit, kInherited);
}

// spelt(value, expression of constants)
Expr* Parser::spelt(const Type& expected) {
  in_.open();
  const Const* value = as<Const>(binary(0, expected));
  if (!value) in_.fail("a constant expected");
  in_.expect(",");
  Expr* spelling = binary(0, value->type);
  in_.close();
  return build_.spelt_const(value->type, value->bits, spelling, kInherited);
}

// bits<type>(0x7ff8...)
Expr* Parser::raw_bits() {
  in_.expect("<");
  const Type type = parse_type();
  in_.expect(">");
  in_.open();
  const uint64_t bits = in_.number("a value");
  in_.close();
  return build_.int_const(type, static_cast<int64_t>(bits), kInherited);
}

// workspace(bytes, per_block|shared[, base area N at OFFSET stride BYTES])
Expr* Parser::workspace() {
  in_.open();
  const int64_t bytes = in_.integer("a size");
  in_.expect(",");
  Workspace* e = build_.workspace(bytes, parse_is_per_block(), kInherited);
  if (in_.accept(",")) {
    e->base = binary(0, {});
    in_.expect_word("area");
    e->area = static_cast<uint32_t>(in_.number("the number of an area"));
    in_.expect_word("at");
    e->offset = in_.integer("an offset");
    in_.expect_word("stride");
    e->stride = in_.integer("a size");
  }
  in_.close();
  return e;
}

// The type written behind a number, or the one that its place implies.
Type Parser::literal_type(bool has_point, const Type& expected) {
  if (in_.raw() != ':' || !is_name_char(in_.raw(1)) || is_digit(in_.raw(1)))
    return implied_type(has_point, expected);
  in_.advance(1);
  const size_t start = in_.position();
  const Type type = parse_type();
  if (!type.is_scalar() || is_bool(type.elem)) in_.fail_at(start, "a number type expected");
  return type;
}

Expr* Parser::float_literal(double value, bool negative, const Type& expected) {
  const Type type = literal_type(true, expected);
  if (!is_float(type.elem)) in_.fail("a number with a point has a float type");
  return build_.float_const(type, negative ? -value : value, kInherited);
}

// The printer writes the shortest digits that give a float32 back: read as a double first, some of them
// would be rounded twice and give its neighbour.
Expr* Parser::real_literal(std::string_view digits, size_t start, bool negative, const Type& expected) {
  const Type type = literal_type(true, expected);
  if (!is_float(type.elem)) in_.fail("a number with a point has a float type");
  const char *first = digits.data(), *last = first + digits.size();
  double real = 0;
  const auto [end, error] = std::from_chars(first, last, real);
  if (end != last || error != std::errc()) in_.fail_at(start, "bad number");
  float narrow = 0;
  if (type.elem == DType::F32 && std::from_chars(first, last, narrow).ec == std::errc())
    real = static_cast<double>(narrow);
  return build_.float_const(type, negative ? -real : real, kInherited);
}

// 12, -3, 0x1f, 1.5, 2e-3, inf, -nan, each with an optional `:type`
Expr* Parser::literal(const Type& expected) {
  const bool negative = in_.accept("-");
  if (in_.accept_word("inf"))
    return float_literal(std::numeric_limits<double>::infinity(), negative, expected);
  if (in_.accept_word("nan"))
    return float_literal(std::numeric_limits<double>::quiet_NaN(), negative, expected);
  in_.skip();
  const size_t start = in_.position();
  const bool hex = in_.raw() == '0' && in_.raw(1) == 'x';
  const uint64_t value = hex ? in_.number("a number") : (skip_digits(), 0);
  bool has_point = false;
  if (!hex && in_.raw() == '.' && in_.raw(1) != '.') {
    has_point = true;
    in_.advance(1);
    skip_digits();
  }
  if (!hex && (in_.raw() == 'e' || in_.raw() == 'E')) {
    has_point = true;
    in_.advance(1);
    if (in_.raw() == '+' || in_.raw() == '-') in_.advance(1);
    skip_digits();
  }
  const std::string_view digits = in_.slice(start);
  if (has_point) {
    return real_literal(digits, start, negative, expected);
  }
  if (!hex) in_.rewind(start);
  return int_literal(hex ? value : in_.number("a number"), negative, start, expected);
}

void Parser::skip_digits() {
  while (is_digit(in_.raw())) in_.advance(1);
}

Expr* Parser::int_literal(uint64_t value, bool negative, size_t start, const Type& expected) {
  const Type type = literal_type(false, expected);
  if (is_float(type.elem)) {
    const double real = round_integer_to(type.elem, value);
    return build_.float_const(type, negative ? -real : real, kInherited);
  }
  const uint64_t limit = uint64_t{1} << 63;
  const bool outside = type.elem == DType::U64 ? negative && value != 0 : value > limit - (negative ? 0 : 1);
  if (outside) in_.fail_at(start, fmt::format("the number is outside {}", py_name(type.elem)));
  return build_.int_const(type, static_cast<int64_t>(negative ? 0 - value : value), kInherited);
}

// asc_Add[.overload][<T=dtype, ...>](self, args...): `_` for a default; missing ones at the end are defaults
// too. Without <...> the type variables come from the operands as they are read.
Expr* Parser::op_call(std::string_view ir_name) {
  const size_t start = in_.position() - ir_name.size();
  const auto id = find_op_by_ir_name(ir_name);
  if (!id) in_.fail_at(start, fmt::format("no op is called {}", ir_name));
  const OpDesc& desc = op_desc(*id);
  uint64_t overload = 0;
  if (in_.raw() == '.') {
    in_.advance(1);
    overload = in_.number("an overload");
  }
  if (overload >= desc.overloads.size()) in_.fail("the op has no such overload");
  const OverloadDesc& proto = desc.overloads[overload];
  DType vars[4] = {DType::Void, DType::Void, DType::Void, DType::Void};
  const bool has_vars = in_.accept("<");
  if (has_vars) type_variables(desc, &vars);
  const auto learn = [&vars, has_vars](const TypePattern& pattern, const Expr* e) {
    if (!has_vars && e && pattern.var >= 0 && vars[pattern.var] == DType::Void)
      vars[pattern.var] = e->type.elem;
  };
  in_.open();
  Expr* self = nullptr;
  if (proto.has_self) {
    self = binary(0, {});
    if (!has_vars && !desc.vars.empty() && self->type.elem != DType::Void) vars[0] = self->type.elem;
  }
  std::vector<Expr*> args;
  while (in_.peek() != ')') {
    if (proto.has_self || !args.empty()) in_.expect(",");
    if (args.size() == proto.params.size())
      in_.fail(fmt::format("{} takes {} arguments", ir_name, args.size()));
    const TypePattern& pattern = proto.params[args.size()].type;
    const Type expected = operand_type(pattern, vars, self);
    args.push_back(in_.accept_word("_") ? nullptr : binary(0, expected));
    learn(pattern, args.back());
  }
  in_.close();
  args.resize(proto.params.size(), nullptr);
  return build_.op_call(*id, static_cast<int>(overload), vars, self, args, kInherited);
}

// T=float, U=i32>
void Parser::type_variables(const OpDesc& desc, DType (*vars)[4]) {
  do {
    in_.skip();
    const size_t start = in_.position();
    const std::string name = in_.word("a type variable");
    size_t index = 0;
    while (index < desc.vars.size() && name != std::string_view(&desc.vars[index].name, 1)) index++;
    if (index >= std::min(desc.vars.size(), std::size(*vars)))
      in_.fail_at(start, "the op has no such type variable");
    in_.expect("=");
    const size_t type_start = (in_.skip(), in_.position());
    if (!find_dtype(in_.word("a dtype"), &(*vars)[index])) in_.fail_at(type_start, "unknown dtype");
  } while (in_.accept(","));
  in_.expect(">");
}

std::vector<Expr*> Parser::call_args(const Function& callee) {
  std::vector<Expr*> args;
  in_.open();
  while (in_.peek() != ')') {
    if (!args.empty()) in_.expect(",");
    args.push_back(binary(0, param_type(callee, args.size())));
  }
  in_.close();
  return args;
}

}  // namespace asc::ir::text
