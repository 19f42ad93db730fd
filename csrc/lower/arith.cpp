// SPDX-License-Identifier: Apache-2.0
// Operators. Numbers are the only values whose arithmetic is built in: for the others an operator is a method
// with Python's name, looked up by kind in the op table.
#include <bit>
#include <cmath>
#include <cstring>

#include "base/format.h"
#include "ir/scalar.h"
#include "lower/frame.h"

namespace asc::lower {

using ast::CompareOperator;
using ast::Node;
using ast::Operator;
using ast::UnaryOperator;
using ir::BinaryOp;

namespace {

struct OperatorInfo {
  const char *method, *reflected;
  BinaryOp op;
  PyObject* (*evaluate)(PyObject*, PyObject*);
};

PyObject* power(PyObject* a, PyObject* b) { return PyNumber_Power(a, b, Py_None); }

// In the order of ast::Operator.
constexpr OperatorInfo kOperators[] = {
    {"__add__", "__radd__", BinaryOp::Add, PyNumber_Add},
    {"__sub__", "__rsub__", BinaryOp::Sub, PyNumber_Subtract},
    {"__mul__", "__rmul__", BinaryOp::Mul, PyNumber_Multiply},
    {"__matmul__", "__rmatmul__", BinaryOp::Mul, PyNumber_MatrixMultiply},
    {"__truediv__", "__rtruediv__", BinaryOp::Div, PyNumber_TrueDivide},
    {"__mod__", "__rmod__", BinaryOp::Mod, PyNumber_Remainder},
    {"__pow__", "__rpow__", BinaryOp::Pow, power},
    {"__lshift__", "__rlshift__", BinaryOp::Shl, PyNumber_Lshift},
    {"__rshift__", "__rrshift__", BinaryOp::Shr, PyNumber_Rshift},
    {"__or__", "__ror__", BinaryOp::Or, PyNumber_Or},
    {"__xor__", "__rxor__", BinaryOp::Xor, PyNumber_Xor},
    {"__and__", "__rand__", BinaryOp::And, PyNumber_And},
    {"__floordiv__", "__rfloordiv__", BinaryOp::FloorDiv, PyNumber_FloorDivide},
};

struct CompareInfo {
  const char *method, *reflected;
  BinaryOp op;
  int python;
};
// In the order of ast::CompareOperator, up to GtE.
constexpr CompareInfo kCompares[] = {
    {"__eq__", "__eq__", BinaryOp::Eq, Py_EQ}, {"__ne__", "__ne__", BinaryOp::Ne, Py_NE},
    {"__lt__", "__gt__", BinaryOp::Lt, Py_LT}, {"__le__", "__ge__", BinaryOp::Le, Py_LE},
    {"__gt__", "__lt__", BinaryOp::Gt, Py_GT}, {"__ge__", "__le__", BinaryOp::Ge, Py_GE},
};

bool is_bitwise(BinaryOp op) { return op == BinaryOp::And || op == BinaryOp::Or || op == BinaryOp::Xor; }
bool needs_integers(BinaryOp op) { return is_bitwise(op) || op == BinaryOp::Shl || op == BinaryOp::Shr; }

}  // namespace

// ---- numbers as expressions
// --------------------------------------------------------------------------------------

// A compile-time number as a constant of a type, with the spelling it has. The node is new.
ir::Const* Frame::spelling(const Value& v, DType type, const Node* at) {
  const Number n = *number(v);
  const Type t = Type::scalar(type);
  if (v.expr) {
    auto* c = static_cast<ir::Const*>(v.expr);
    if (c->type == t) return copy_const(c, loc(at));
    if (is_float(type) == is_float(c->type.elem))
      if (auto* cast = ir::as<ir::Const>(build_.cast(t, copy_const(c, loc(at)), false, loc(at)))) return cast;
  }
  if (n.form == Number::Form::Float) return static_cast<ir::Const*>(build_.float_const(t, n.real, loc(at)));
  if (is_float(type)) {
    const double real = n.is_u64 ? ir::round_integer_to(type, static_cast<uint64_t>(n.bits))
                                 : ir::round_integer_to(type, n.bits);
    return static_cast<ir::Const*>(build_.float_const(t, real, loc(at)));
  }
  return static_cast<ir::Const*>(build_.int_const(t, n.bits, loc(at)));
}

ir::Expr* Frame::as_scalar(const Value& v, DType type, const Node* at) {
  const Type want = Type::scalar(type);
  if (v.is_expr()) {
    if (is_address(v)) return address_as(v, type, at);
    if (!v.expr->type.is_scalar()) fail(at, fmt::format("{} is not a number", shown(v)));
    return build_.cast(want, v.expr, false, loc(at));
  }
  const auto n = number(v);
  if (!n) {
    EnumId id;
    int64_t value;
    if (v.is_static() && as_enum(v.object, &id, &value)) {
      const Type type = Type::of_enum(static_cast<uint16_t>(id));
      return build_.cast(want, build_.int_const(type, value, loc(at)), false, loc(at));
    }
    fail(at, fmt::format("{} is not a number", shown(v)));
  }
  if (n->form == Number::Form::Float && !is_float(type))
    fail(at, fmt::format("{} is not an integer", shown(v)));
  if (is_bool(type) && n->form != Number::Form::Bool) return build_.int_const(want, n->bits != 0, loc(at));
  if (!n->fits(type))
    fail(at, fmt::format("{} does not fit {}", shown(v), py_name(type)), "use a wider type");
  ir::Const* c = spelling(v, type, at);
  if (c->named || c->spelling) session_.mark_used(c);
  return c;
}

ir::Expr* Frame::natural(const Value& v, const Node* at) {
  if (v.is_expr()) return v.expr;
  if (const auto n = number(v)) return as_scalar(v, n->natural(), at);
  EnumId id;
  int64_t value;
  if (v.is_static() && as_enum(v.object, &id, &value))
    return build_.int_const(Type::of_enum(static_cast<uint16_t>(id)), value, loc(at));
  fail(at, fmt::format("{} has no value on the device", shown(v)));
}

// The common type of two numbers, at least one of them a runtime value.
DType Frame::meet(const Value& left, const Value& right, const Node* at) {
  const auto a = number(left), b = number(right);
  const auto type_of = [&](const Value& v) {
    if (v.is_expr() && v.expr->type.is_scalar()) return v.expr->type.elem;
    EnumId id;
    int64_t value;
    if (v.is_static() && as_enum(v.object, &id, &value)) return DType::I32;
    if (v.is_expr() && v.expr->type.kind == Kind::Enum) return DType::I32;
    fail(at, fmt::format("TypeError: {} and {} do not go together", shown(left), shown(right)));
  };
  Promotion p;
  if (a && b)
    p = promote(a->natural(), b->natural());
  else if (a)
    p = promote_literal(*a, type_of(right));
  else if (b)
    p = promote_literal(*b, type_of(left));
  else
    p = promote(type_of(left), type_of(right));
  if (p.error) fail(at, p.error, p.hint);
  return p.type;
}

// ---- binary
// ------------------------------------------------------------------------------------------------------

// Operators that compute in 64 bits.
static bool leaves_type(Operator op) {
  return op == Operator::Add || op == Operator::Sub || op == Operator::Mult || op == Operator::LShift ||
         op == Operator::BitAnd || op == Operator::BitOr || op == Operator::BitXor;
}

// A typed number that is used must lie in its type.
void Frame::check_range(const Value& v, const Node* at) const {
  if (v.pinned == DType::Void || !v.is_static()) return;
  const auto n = number(v);
  if (n && n->form != Number::Form::Float && !n->fits(v.pinned))
    fail(at, fmt::format("the result {} does not fit {}", shown(v), py_name(v.pinned)), "use a wider type");
}

// Floats of a given type are computed as the device would: operands in the type of the operation, the result
// rounded to it. `object`: what Python's doubles give.
Value Frame::static_float(BinaryOp op, Value left, Value right, PyObject* object, const Node* at) {
  left.expr = right.expr = nullptr;  // by value: nothing uses their names
  const auto* folded = ir::as_const(arithmetic(op, left, right, at).expr);
  const double real = folded ? std::bit_cast<double>(folded->bits) : PyFloat_AsDouble(object);
  const DType type = folded ? folded->type.elem : DType::F32;
  return number_value(session_.keep(PyFloat_FromDouble(ir::round_to(type, real))), type);
}

Value Frame::static_binary(Operator op, const Value& left, const Value& right, const Node* at) {
  const OperatorInfo& info = kOperators[static_cast<int>(op)];
  if (!leaves_type(op)) check_range(left, at), check_range(right, at);
  session_.touch(left.object);
  session_.touch(right.object);
  PyObject* object = session_.derive(check(info.evaluate(left.object, right.object), at));
  Value result = number_value(object);
  if (left.pinned != DType::Void || right.pinned != DType::Void) {
    const auto a = number(left), b = number(right);
    if (a && b && result.pinned == DType::Void && number_of(object)) {
      const Promotion p = left.pinned == DType::Void    ? promote_literal(*a, b->natural())
                          : right.pinned == DType::Void ? promote_literal(*b, a->natural())
                                                        : promote(a->natural(), b->natural());
      if (p.error) fail(at, p.error, p.hint);
      if (number_of(object)->form == Number::Form::Float)
        return static_float(info.op, left, right, object, at);
      // Unsigned numbers wrap around. Signed ones may leave their type, as long as only + - * and their like
      // read them: every other use looks at the range.
      if (is_unsigned_int(p.type) && PyLong_Check(object) && !number_of(object)->fits(p.type)) {
        PyObject* mask = check(PyLong_FromUnsignedLongLong(unsigned_max(p.type)), at);
        object = check(PyNumber_And(object, mask), at);
        result = number_value(object);
      }
      result.pinned = p.type;
      if (!leaves_type(op)) check_range(result, at);
    }
  }
  // Integers keep how they are spelt, as long as C++ gives the same value.
  if (!left.expr && !right.expr) return result;
  if (op == Operator::Div || op == Operator::Pow || op == Operator::MatMult) return result;
  const auto a = number(left), b = number(right), r = number(result);
  if (!a || !b || !r) return result;
  const DType type = r->natural();
  for (const auto* n : {&*a, &*b, &*r})
    if (n->form != Number::Form::Int || n->is_u64 || !n->fits(type) ||
        (type != DType::I32 && type != DType::I64))
      return result;
  if ((op == Operator::FloorDiv || op == Operator::Mod) && (a->bits < 0 || b->bits <= 0)) return result;
  ir::Expr* e = build_.binary(info.op, spelling(left, type, at), spelling(right, type, at), loc(at));
  const auto* c = ir::as_const(e);
  if (!c || c->bits != r->bits || c->type.elem != type) return result;
  result.expr = e;
  // Both operands are known to be where C++ and Python agree (see above); of a tree the printer cannot see
  // it.
  const auto* tree = ir::as<ir::Binary>(c->spelling);
  if (tree && (op == Operator::FloorDiv || op == Operator::Mod) &&
      (!ir::as_const(tree->left) || !ir::as_const(tree->right)))
    const_cast<ir::Binary*>(tree)->facts |= ir::kPlainDiv;
  return result;
}

Value Frame::binary(Operator op, Value left, Value right, const Node* at) {
  if (left.is_static() && right.is_static()) return static_binary(op, left, right, at);
  const OperatorInfo& info = kOperators[static_cast<int>(op)];
  const bool numbers = (is_scalar(left) || number(left)) && (is_scalar(right) || number(right));
  if (numbers && op != Operator::MatMult) return arithmetic(info.op, left, right, at);
  // Methods of values that are not numbers, Python's way: the left one's, then the right one's reflected one.
  const bool left_object = left.is_expr() && !left.expr->type.is_scalar();
  const bool right_object = right.is_expr() && !right.expr->type.is_scalar();
  if (left_object)
    if (const auto method = find_method(left.expr->type.kind, info.method)) {
      Argument arg{right, at, nullptr};
      return call_op(*method, left.expr, std::span(&arg, 1), at);
    }
  if (right_object)
    if (const auto method = find_method(right.expr->type.kind, info.reflected)) {
      Argument arg{left, at, nullptr};
      return call_op(*method, right.expr, std::span(&arg, 1), at);
    }
  // What asks where an address lies is done with its number.
  const bool asks = op == Operator::Sub || op == Operator::Mod || op == Operator::FloorDiv ||
                    op == Operator::BitAnd || op == Operator::RShift;
  const auto numeric = [this](const Value& v) { return is_scalar(v) || number(v) || is_address(v); };
  if ((is_address(left) || is_address(right)) && numeric(left) && numeric(right) && asks)
    return arithmetic(info.op, address_number(left, &right, at), address_number(right, &left, at), at);
  if (!left_object && !right_object) {
    if (PyObject* a = to_object(left), *b = a ? to_object(right) : nullptr;
        a && b && op != Operator::Add && op != Operator::Mult)
      return static_binary(op, Value::of(a), Value::of(b), at);
    drop_error();
    const auto count = number(left.is_seq() ? right : left);
    if (op == Operator::Add) {
      std::vector<Value> a, b;
      const auto sequence = [](const Value& v) {
        return v.is_seq() || (v.is_static() && (PyTuple_Check(v.object) || PyList_Check(v.object)));
      };
      const auto is_list = [](const Value& v) {
        return v.is_seq() ? v.seq->is_list : PyList_Check(v.object) != 0;
      };
      if (sequence(left) && sequence(right) && is_list(left) == is_list(right) && iterate(left, at, &a) &&
          iterate(right, at, &b)) {
        Seq* seq = session_.new_seq(is_list(left), regions_.back().id);
        seq->items = std::move(a);
        seq->items.insert(seq->items.end(), b.begin(), b.end());
        return Value::of(seq);
      }
    } else if (op == Operator::Mult && (left.is_seq() || right.is_seq()) && count &&
               count->form == Number::Form::Int) {
      const Seq& from = *(left.is_seq() ? left : right).seq;
      constexpr int64_t kMostItems = 100000;
      if (!from.items.empty() && count->bits > kMostItems / static_cast<int64_t>(from.items.size()))
        fail(at, "this list is too long");
      Seq* seq = session_.new_seq(from.is_list, regions_.back().id);
      for (int64_t i = 0; i < count->bits; i++)
        for (const Value& item : from.items) seq->items.push_back(again(item, at));
      return Value::of(seq);
    }
  }
  fail(at, fmt::format("TypeError: {} {} {} is not possible", shown(left), ast::sign(op), shown(right)),
       op == Operator::Mult && (left.is_seq() || right.is_seq())
           ? "a list has a length that is known at compile time; local memory is asc.LocalTensor(...)"
           : tensor_hint(op, left, right, at));
}

Value Frame::arithmetic(BinaryOp op, const Value& left, const Value& right, const Node* at) {
  const auto is_bool_value = [&](const Value& v) {
    const auto n = number(v);
    return n ? n->form == Number::Form::Bool : is_bool(v.expr->type.elem);
  };
  DType type;
  if (is_bitwise(op) && is_bool_value(left) && is_bool_value(right))
    type = DType::Bool;
  else
    type = meet(left, right, at);
  if (needs_integers(op) && is_float(type)) {
    const char* sign = op == BinaryOp::Shl   ? "<<"
                       : op == BinaryOp::Shr ? ">>"
                       : op == BinaryOp::And ? "&"
                       : op == BinaryOp::Or  ? "|"
                                             : "^";
    fail(at, fmt::format("TypeError: {} {} {} needs integers", shown(left), sign, shown(right)));
  }
  if (op == BinaryOp::Div && !is_float(type)) type = DType::F32;
  if (op == BinaryOp::Pow && !is_float(type)) {
    if (const auto n = number(right); n && n->is_negative()) type = DType::F32;
  }
  if ((op == BinaryOp::FloorDiv || op == BinaryOp::Mod || op == BinaryOp::Div) && !is_float(type)) {
    if (const auto n = number(right); n && n->bits == 0)
      fail(at, "ZeroDivisionError: integer division or modulo by zero");
  }
  ir::Expr* a = as_scalar(left, type, at);
  ir::Expr* b = as_scalar(right, type, at);
  return Value::of(build_.binary(op, a, b, loc(at)));
}

// ---- unary
// -------------------------------------------------------------------------------------------------------

Value Frame::unary(UnaryOperator op, Value v, const Node* at) {
  if (op == UnaryOperator::Not) {
    std::optional<bool> known;
    ir::Expr* e = truth(v, at, &known);
    if (known) return Value::of(*known ? Py_False : Py_True);
    return Value::of(build_.unary(ir::UnaryOp::Not, e, loc(at)));
  }
  if (v.is_static()) {
    session_.touch(v.object);
    PyObject* object = check(op == UnaryOperator::USub   ? PyNumber_Negative(v.object)
                             : op == UnaryOperator::UAdd ? PyNumber_Positive(v.object)
                                                         : PyNumber_Invert(v.object),
                             at);
    Value result = number_value(session_.derive(object), v.pinned);
    const auto n = number(v), r = number(result);
    if (r && is_unsigned_int(v.pinned) && !r->fits(v.pinned)) {
      PyObject* mask = check(PyLong_FromUnsignedLongLong(unsigned_max(v.pinned)), at);
      result = number_value(check(PyNumber_And(object, mask), at), v.pinned);
    }
    if (v.expr && n && r && n->form == Number::Form::Int && n->natural() == r->natural() &&
        is_signed_int(n->natural()) && op != UnaryOperator::UAdd) {
      ir::Expr* e = build_.unary(op == UnaryOperator::USub ? ir::UnaryOp::Neg : ir::UnaryOp::Invert,
                                 spelling(v, n->natural(), at), loc(at));
      if (const auto* c = ir::as_const(e); c && c->bits == r->bits) result.expr = e;
    }
    return result;
  }
  if (!is_scalar(v)) {
    const char* method = op == UnaryOperator::USub   ? "__neg__"
                         : op == UnaryOperator::UAdd ? "__pos__"
                                                     : "__invert__";
    const auto found = v.is_expr() ? find_method(v.expr->type.kind, method) : std::nullopt;
    if (!found) fail(at, fmt::format("TypeError: {}{} is not possible", ast::sign(op), shown(v)));
    return call_op(*found, v.expr, {}, at);
  }
  const DType type = computed(v.expr->type.elem);
  if (op == UnaryOperator::Invert && is_float(type))
    fail(at, fmt::format("TypeError: ~ of {} needs an integer", shown(v)));
  ir::Expr* e = as_scalar(v, type, at);
  if (op == UnaryOperator::UAdd) return Value::of(e);
  return Value::of(
      build_.unary(op == UnaryOperator::USub ? ir::UnaryOp::Neg : ir::UnaryOp::Invert, e, loc(at)));
}

// ---- comparison
// --------------------------------------------------------------------------------------------------

Value Frame::contains(const Value& item, const Value& container, bool negate, const Node* at) {
  PyObject* object = to_object(container);
  if (object && item.is_static()) {
    session_.touch(object);
    session_.touch(item.object);
    const int found = PySequence_Contains(object, item.object);
    if (found < 0) fail_python(at);
    return Value::of((found == 1) != negate ? Py_True : Py_False);
  }
  drop_error();
  std::vector<Value> items;
  if (container.is_expr() || !iterate(container, at, &items))
    fail(at, fmt::format("TypeError: `in` {} is not possible", shown(container)));
  const Value shared_item = shared(item, at);
  ir::Expr* any = nullptr;
  for (const Value& candidate : items) {
    const Value equal = compare(CompareOperator::Eq, again(shared_item, at), again(candidate, at), at);
    std::optional<bool> known;
    ir::Expr* e = truth(equal, at, &known);
    if (known && !*known) continue;
    if (known) return Value::of(negate ? Py_False : Py_True);
    any = any ? build_.logical(ir::LogicalOp::Or, any, e, loc(at)) : e;
  }
  if (!any) return Value::of(negate ? Py_True : Py_False);
  return Value::of(negate ? build_.unary(ir::UnaryOp::Not, any, loc(at)) : any);
}

Value Frame::compare(CompareOperator op, Value left, Value right, const Node* at) {
  if (op == CompareOperator::In || op == CompareOperator::NotIn)
    return contains(left, right, op == CompareOperator::NotIn, at);
  if (op == CompareOperator::Is || op == CompareOperator::IsNot) {
    const bool negate = op == CompareOperator::IsNot;
    bool same;
    if (left.is_static() && right.is_static()) {
      session_.ask_identity(left.object, right.object);
      same = left.object == right.object;
    } else if (left.is_seq() && right.is_seq())
      same = left.seq == right.seq;
    else if (left.is_expr() && right.is_expr()) {
      const auto *a = ir::as<ir::VarRef>(left.expr), *b = ir::as<ir::VarRef>(right.expr);
      if (left.expr->type.is_scalar() || !a || !b)
        fail(at, "`is` compares objects, and these are runtime values", "use ==");
      same = a->var == b->var;
    } else {
      same = false;
      const Value& object = left.is_static() ? left : right;
      if (!object.is_static() || number(object))
        fail(at, "`is` compares objects, and one of these is a runtime value", "use ==");
    }
    return Value::of(same != negate ? Py_True : Py_False);
  }
  const CompareInfo& info = kCompares[static_cast<int>(op)];
  const bool containers = !left.is_expr() && !right.is_expr();
  if (containers) {
    check_range(left, at);
    check_range(right, at);
    const auto x = number(left), y = number(right);
    if (x && y && (x->pinned != DType::Void || y->pinned != DType::Void))
      if (const DType type = promote(x->natural(), y->natural()).type; is_float(type)) {
        const auto value = [&](const Value& v) { return as_scalar(Value::of(v.object), type, at); };
        const auto* folded = ir::as_const(build_.binary(info.op, value(left), value(right), loc(at)));
        if (folded) return Value::of(folded->bits ? Py_True : Py_False);
      }
    PyObject* a = to_object(left);
    PyObject* b = a ? to_object(right) : nullptr;
    if (a && b) {
      session_.touch(a);
      session_.touch(b);
      return number_value(session_.derive(check(PyObject_RichCompare(a, b, info.python), at)));
    }
    drop_error();
    fail(at,
         fmt::format("{} {} {} compares runtime values in containers", shown(left), ast::sign(op),
                     shown(right)),
         "compare the items");
  }
  const auto enumish = [](const Value& v) {
    EnumId id;
    int64_t value;
    return v.is_expr() ? v.expr->type.kind == Kind::Enum : v.is_static() && as_enum(v.object, &id, &value);
  };
  if (is_address(left) && is_address(right) && left.expr->type == right.expr->type)
    return Value::of(build_.binary(info.op, left.expr, right.expr, loc(at)));
  if (is_address(left) || is_address(right)) {
    const Value a = address_number(left, &right, at);
    right = address_number(right, &left, at);
    left = a;
  }
  const auto numeric = [&](const Value& v) { return is_scalar(v) || number(v) || enumish(v); };
  if (numeric(left) && numeric(right)) {
    if (enumish(left) && enumish(right)) {
      const Type type = (left.is_expr() ? left : right).expr->type;
      return Value::of(
          build_.binary(info.op, convert_to(left, type, at), convert_to(right, type, at), loc(at)));
    }
    const auto is_bool_value = [&](const Value& v) {
      const auto n = number(v);
      return n ? n->form == Number::Form::Bool : is_scalar(v) && is_bool(v.expr->type.elem);
    };
    const bool bools = is_bool_value(left) && is_bool_value(right) &&
                       (op == CompareOperator::Eq || op == CompareOperator::NotEq);
    const DType type = bools ? DType::Bool : meet(left, right, at);
    const auto as = [&](const Value& v) {
      if (v.is_expr() && v.expr->type.kind == Kind::Enum)
        return build_.cast(Type::scalar(type), v.expr, false, loc(at));
      return as_scalar(v, type, at);
    };
    ir::Expr* a = as(left);
    ir::Expr* b = as(right);
    return Value::of(build_.binary(info.op, a, b, loc(at)));
  }
  // A number is never equal to None, a string, ...
  const bool equality = op == CompareOperator::Eq || op == CompareOperator::NotEq;
  const bool foreign = (numeric(left) && right.is_static()) || (numeric(right) && left.is_static());
  if (equality && foreign) return Value::of(op == CompareOperator::Eq ? Py_False : Py_True);
  for (const auto& [self, other, method] :
       {std::tuple(&left, &right, info.method), std::tuple(&right, &left, info.reflected)})
    if (self->is_expr() && !self->expr->type.is_scalar())
      if (const auto found = find_method(self->expr->type.kind, method)) {
        Argument arg{*other, at, nullptr};
        return call_op(*found, self->expr, std::span(&arg, 1), at);
      }
  fail(at, fmt::format("TypeError: {} {} {} is not possible", shown(left), ast::sign(op), shown(right)));
}

// a < b < c: each operand evaluates once, the rest only while the comparisons hold.
Value Frame::compare_chain(const ast::Compare* e, uint32_t index, Value left) {
  if (index == 0) left = expression(e->left);
  Pending pending[2] = {pend(&left)};
  Value right = expression(e->comparators[index]);
  pending[1] = pend(&right);
  settle(pending, e);
  const bool last = index + 1 == e->ops.size();
  if (!last) right = shared(right, e);
  const Value first = compare(e->ops[index], left, right, e);
  if (last) return first;
  std::optional<bool> known;
  ir::Expr* holds = truth(first, e, &known);
  if (known) return *known ? compare_chain(e, index + 1, again(right, e)) : first;

  ir::Block* block = build_.new_block();
  enter(block);
  const Value rest = compare_chain(e, index + 1, again(right, e));
  std::optional<bool> decided;
  ir::Expr* then = truth(rest, e, &decided);
  const std::vector<uint32_t> names = changed();
  Edge evaluated = edge(names, block);
  leave();
  set_if_true_.insert(set_if_true_.end(), names.begin(), names.end());
  if (decided) then = build_.int_const(Type::scalar(DType::Bool), *decided, loc(e));
  if (block->empty() && names.empty())
    return Value::of(decided == true ? holds : prepend(ir::LogicalOp::And, holds, then, e));
  ir::Var* var = temporary("condition", holds, e);
  Edge skipped = edge(names, nullptr);
  build_.set_block(block);
  assign_var(var, then, e);
  build_.set_block(regions_.back().block);
  Edge* paths[] = {&evaluated, &skipped};
  merge_all(names, paths, e);
  build_.if_(ref(var, e), block, nullptr, loc(e));
  return Value::of(ref(var, e));
}

}  // namespace asc::lower
