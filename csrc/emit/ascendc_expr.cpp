// SPDX-License-Identifier: Apache-2.0
// Expressions: few parentheses, and a cast only where C++'s own conversions would give another value.
//
// C++ computes in the common type of its operands (integers below 32 bits become int), the IR in the
// operands' one type. For each operation the plan below takes off the casts that C++ makes by itself and
// keeps the rest: if what C++ then computes in is not the IR's type, the casts stay; if the result could
// leave the type where the IR wraps or rounds, it is cut back by a cast.
#include <bit>
#include <cmath>
#include <optional>

#include "emit/printer.h"
#include "ir/power.h"
#include "ir/visit.h"

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
  if (const auto* c = as<ir::Cast>(e); c && is_number(c) && is_int(c->type.elem))
    return known_int(c->operand);
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

}  // namespace

// ---- C++ types
// ---------------------------------------------------------------------------------------------------

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
    case ir::ExprKind::OpCall: {  // TEventID is a byte
      const OpId op = as<ir::OpCall>(e)->op;
      return op == OpId::TPipe_AllocEventID || op == OpId::TPipe_FetchEventID ? DType::I8 : type;
    }
    default: return type;
  }
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
  const bool narrow =
      is_small_float(type) || (is_unsigned_int(type) && is_small_int(type) && !(e.facts & ir::kFits));
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

// ---- expressions
// -------------------------------------------------------------------------------------------------

void Printer::expr(const ir::Expr* e, int min, bool converts) {
  switch (e->kind) {
    case ir::ExprKind::Const: return constant(*as<ir::Const>(e), min, converts);
    case ir::ExprKind::Var: return variable(*as<ir::VarRef>(e)->var);
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
    case ir::ExprKind::Workspace: return workspace(*as<ir::Workspace>(e), min);
  }
}

void Printer::variable(const ir::Var& v) {
  for (const ir::Decl* decl : in_place_)
    if (decl->var == &v) return op_call(*as<ir::OpCall>(decl->init), kAny);
  put(name_of(v));
}

// What is printed where the context converts to `to`: a cast to that type is made by C++ itself, unless the
// user wrote one that cuts.
const ir::Expr* Printer::conversion_source(const ir::Expr* e, DType to) const {
  e = spelt_tree(e);
  const auto* c = as<ir::Cast>(e);
  if (!c || !is_number(c) || !is_number(c->operand) || c->type.elem != to || to == DType::Bool) return e;
  const DType from = c->operand->type.elem;
  if (from == DType::BF16 || to == DType::BF16 || (is_float(from) && is_int(to))) return e;
  if (c->is_explicit && is_int(from) && is_int(to) && !preserves(from, to)) return e;
  // A cast below it that keeps the value changes nothing either: int(flag) into an int64.
  const ir::Expr* source = spelt_tree(c->operand);
  for (const auto* below = as<ir::Cast>(source); below; below = as<ir::Cast>(source)) {
    const Type& inner = below->operand->type;
    if (!inner.is_scalar() || is_float(inner.elem) || is_float(below->type.elem) ||
        !preserves(inner.elem, below->type.elem))
      break;
    source = spelt_tree(below->operand);
  }
  return source;
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
    case BinaryOp::Pow: return power(e, min, converts);
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
  const auto* constant = as<ir::Const>(p.left);
  const bool digits = constant && !constant->named && !constant->spelling && constant->bits != INT32_MIN &&
                      constant->bits != INT64_MIN;
  if (is_shift(e.op) && p.exact_left && p.common == DType::I64 && digits) {
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

std::string_view Printer::compound_sign(const ir::Binary& e) const {
  if (is_division(e.op) && !is_plain_division(e)) return {};
  switch (e.op) {
    case BinaryOp::Add: return " += ";
    case BinaryOp::Sub: return " -= ";
    case BinaryOp::Mul: return " *= ";
    case BinaryOp::Div:
    case BinaryOp::FloorDiv: return " /= ";
    case BinaryOp::Mod: return " %= ";
    case BinaryOp::Shl: return " <<= ";
    case BinaryOp::Shr: return " >>= ";
    case BinaryOp::And: return " &= ";
    case BinaryOp::Or: return " |= ";
    case BinaryOp::Xor: return " ^= ";
    default: return {};
  }
}

// x ** 3 of a name is x * x * x, and x ** -1 is 1 / x. Of anything else a helper makes the product; the
// device has a power of floats only as a function of the compiler's.
void Printer::power(const ir::Binary& e, int min, bool converts) {
  const DType type = e.type.elem;
  const auto* exponent = as<ir::Const>(e.right);
  const double count = exponent ? exponent->as_double() : 0.5;
  const bool is_product = std::abs(count) <= ir::kLargestProduct && count == std::trunc(count);
  const bool is_name = (as<ir::VarRef>(e.left) || as<ir::Field>(e.left)) &&
                       (type == DType::F32 || !(is_float(type) || is_small_int(type)));
  if (is_product && is_name && (count >= 1 || (count < 0 && type == DType::F32))) {
    ir::Binary products[ir::kLargestProduct];
    const ir::Expr* product = e.left;
    for (int i = 1; i < std::abs(count); i++) {
      products[i] = e;
      products[i].op = BinaryOp::Mul;
      products[i].left = const_cast<ir::Expr*>(product);
      products[i].right = e.left;
      product = &products[i];
    }
    if (count > 0) return expr(product, min, converts);
    ir::Const one;
    one.kind = ir::ExprKind::Const;
    one.type = e.type;
    one.bits = std::bit_cast<int64_t>(1.0);
    ir::Binary quotient = e;
    quotient.op = BinaryOp::Div;
    quotient.left = &one;
    quotient.right = const_cast<ir::Expr*>(product);
    return binary(quotient, min, converts);
  }
  if (!is_float(type)) return helper_call(Helper::Pow, e.left, e.right, type);
  helpers_[static_cast<size_t>(Helper::PowWhole)] = true;
  if (!exponent || !is_product) return helper_call(Helper::PowFloat, e.left, e.right, type);
  const bool rounds = is_small_float(type);
  if (rounds) open_wrap(type);
  put(helper_name(Helper::PowWhole));
  put('(');
  rounds ? operand(e.left, type, true, kAny) : exact(e.left);
  put(", ");
  number(static_cast<int64_t>(count));
  put(rounds ? "))" : ")");
}

static bool holds_literal(const ir::Expr* e) {
  if (as<ir::Const>(e)) return true;
  if (e->kind == ir::ExprKind::Call || e->kind == ir::ExprKind::OpCall) return false;
  bool found = false;
  ir::for_each_operand(e, [&](const ir::Expr* operand) { found = found || holds_literal(operand); });
  return found;
}

// asc_min(a, b), or asc_min<int64_t>(a, b) where C++ would not deduce that type. Short floats compute in
// float.
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
  // A 64-bit literal is a long long, which int64_t need not be.
  const bool mixes = size_of(type) == 8 && right && (holds_literal(left) || holds_literal(right));
  if (mixes || printed(left) != type || (right && printed(right) != type)) {
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
  if (e.op == ir::UnaryOp::Not) return negated(e.operand, min);
  if (e.op == ir::UnaryOp::Abs) return helper_call(Helper::Abs, e.operand, nullptr, type);
  const bool narrow =
      is_small_float(type) || (is_unsigned_int(type) && is_small_int(type) && !(e.facts & ir::kFits));
  const bool wraps = narrow && !(converts && type != DType::BF16);
  if (wraps) open_wrap(type);
  const bool parens = open(kUnary, wraps ? static_cast<int>(kAny) : min);
  put(e.op == ir::UnaryOp::Neg ? '-' : '~');
  if (is_small_float(type)) {
    operand(e.operand, type, true, kPostfix);
  } else if (size_of(type) >= 4 && natural(e.operand) != type && is_int(type)) {
    exact(e.operand, kPostfix);  // ~ and - compute in the operand's own type
  } else {
    expr(e.operand, e.op == ir::UnaryOp::Neg ? kPostfix : kUnary);
  }
  close(parens);
  if (wraps) put(')');
}

void Printer::compare_to_zero(const ir::Expr* e, std::string_view op, int min) {
  const bool parens = open(kEquality, min);
  expr(e, kShift);
  put(op);
  put(is_float(e->type.elem) ? "0.0f" : "0");
  close(parens);
}

// `!c`; of a number `c == 0`, and == and != turn around.
void Printer::negated(const ir::Expr* e, int min) {
  if (const auto* u = as<ir::Unary>(e); u && u->op == ir::UnaryOp::Not) return expr(u->operand, min);
  if (const auto* b = as<ir::Binary>(e); b && (b->op == BinaryOp::Eq || b->op == BinaryOp::Ne)) {
    ir::Binary turned = *b;
    turned.op = b->op == BinaryOp::Eq ? BinaryOp::Ne : BinaryOp::Eq;
    return binary(turned, min, false);
  }
  const auto* c = as<ir::Cast>(e);
  if (c && c->operand->type.is_scalar() && c->type == Type::scalar(DType::Bool))
    return compare_to_zero(c->operand, " == ", min);
  const bool parens = open(kUnary, min);
  put('!');
  expr(e, kUnary);
  close(parens);
}

void Printer::cast(const ir::Cast& e, int min) {
  const Type& to = e.type;
  const Type& from = e.operand->type;
  if (to.kind == Kind::Pointer || from.kind == Kind::Pointer) {
    put(to.kind == Kind::Scalar && to.elem == DType::Bool ? "static_cast<" : "reinterpret_cast<");
  } else if (to.is_scalar() && to.elem == DType::Bool && from.is_scalar()) {
    return compare_to_zero(e.operand, " != ", min);
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
  p.exact_left ? exact(p.left, kConditional + 1) : tensor(p.left, kConditional + 1);
  put(" : ");
  p.exact_right ? exact(p.right, kConditional) : tensor(p.right, kConditional);
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

// Inside a larger expression: through a flag that is set at the head of the function, where all that is
// global is still to be named.
void Printer::core_predicate(bool aic) {
  std::string_view& flag = core_flags_[aic ? 1 : 0];
  if (flag.empty()) {
    std::string_view wanted = aic ? "is_aic" : "is_aiv";
    while (globals_.has(wanted)) wanted = with_suffix(pool_, wanted, wanted.ends_with('_') ? "2" : "_");
    flag = pinned_.add(pool_, wanted, &locals_);
  }
  put(flag);
}

}  // namespace asc::emit
