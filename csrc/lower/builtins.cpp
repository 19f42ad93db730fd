// SPDX-License-Identifier: Apache-2.0
// Functions that the lowering itself knows: asc.range, asc.number, ..., and Python's own len, min, int, ...
// of runtime values.
#include <algorithm>

#include "base/format.h"
#include "ir/scalar.h"
#include "lower/frame.h"

namespace asc::lower {

using ast::Node;
using ast::Operator;

Value Frame::cast_to(const Value& v, DType type, const Node* at) {
  if (v.is_expr()) {
    if (is_address(v)) return Value::of(address_as(v, type, at));
    if (v.expr->type.kind != Kind::Scalar && v.expr->type.kind != Kind::Enum)
      fail(at, fmt::format("{} cannot be cast to {}", shown(v), py_name(type)));
    return Value::of(build_.cast(Type::scalar(type), v.expr, true, loc(at)));
  }
  const auto n = number(v);
  if (!n) fail(at, fmt::format("{} cannot be cast to {}", shown(v), py_name(type)));
  if (is_bool(type))
    return Value::of(n->form == Number::Form::Float ? (n->real != 0 ? Py_True : Py_False)
                                                    : (n->bits != 0 ? Py_True : Py_False));
  PyObject* object = v.object;
  session_.touch(object);  // a class of its own may answer by __float__ or __int__
  if (is_float(type)) {
    double real = 0;
    if (PyType_HasFeature(Py_TYPE(object), Py_TPFLAGS_HEAPTYPE))
      real = ir::round_to(type, PyFloat_AsDouble(check(PyNumber_Float(object), at)));
    else if (n->form == Number::Form::Float)
      real = ir::round_to(type, n->real);
    else
      real = n->is_u64 ? ir::round_integer_to(type, static_cast<uint64_t>(n->bits))
                       : ir::round_integer_to(type, n->bits);
    object = session_.keep(PyFloat_FromDouble(real));
  } else if (n->form != Number::Form::Int)
    object = check(PyNumber_Long(object), at);
  Value result = Value::of(object);
  result.pinned = type;
  if (const auto r = number(result); !r || !r->fits(type))
    fail(at, fmt::format("{} does not fit {}", shown(v), py_name(type)));
  return result;
}

Value Frame::min_max(ir::BinaryOp op, std::span<const Argument> args, const Node* at) {
  std::vector<Value> values;
  if (args.size() == 1)
    values = items_of(args[0]);
  else
    for (const Argument& a : args) values.push_back(a.value);
  if (values.empty()) fail(at, "ValueError: min() or max() of nothing");
  Value best = values[0];
  for (size_t i = 1; i < values.size(); i++) {
    if (best.is_static() && values[i].is_static()) {
      session_.touch(best.object);
      session_.touch(values[i].object);
      const int better =
          PyObject_RichCompareBool(values[i].object, best.object, op == ir::BinaryOp::Min ? Py_LT : Py_GT);
      if (better < 0) fail_python(at);
      if (better) best = values[i];
    } else {
      best = arithmetic(op, again(best, at), again(values[i], at), at);
    }
  }
  return best;
}

Value Frame::call_builtin(BuiltinId id, std::span<const Argument> args, const ast::Call* e) {
  const auto argument = [&](size_t i, const char* name) -> const Argument* {
    size_t position = 0;
    for (const Argument& a : args) {
      if (a.keyword ? a.keyword->utf8 == name : position == i) return &a;
      position += a.keyword == nullptr;
    }
    return nullptr;
  };
  const auto expect = [&](size_t count, const char* signature) {
    if (args.size() != count)
      fail(e, fmt::format("TypeError: {}: {} arguments given", signature, args.size()));
  };
  switch (id) {
    case BuiltinId::Range:
    case BuiltinId::StaticRange: {
      for (const Argument& a : args)
        if (!to_object(a.value))
          fail(a.node,
               id == BuiltinId::Range
                   ? "range with runtime bounds is only supported in `for`"
                   : fmt::format("static_range needs compile-time bounds, and this is {}", shown(a.value)),
               id == BuiltinId::Range ? "" : "use range for a loop that runs on the device");
      static PyObject* range = PyDict_GetItemString(PyEval_GetBuiltins(), "range");
      return call_static(Value::of(range), args, e);
    }
    case BuiltinId::CeilDiv: {
      expect(2, "ceildiv(x, y)");
      const Value a = args[0].value, b = args[1].value;
      const auto n = number(b);
      const auto is_unsigned = [this](const Value& v) {
        const auto known = number(v);
        return known ? is_unsigned_int(known->pinned) : is_scalar(v) && is_unsigned_int(v.expr->type.elem);
      };
      if (is_unsigned(a) || is_unsigned(b)) {  // neither -x nor x + y - 1 stays in an unsigned type
        const Value x = shared(a, e), y = shared(b, e), zero = Value::of(session_.keep(PyLong_FromLong(0)));
        const Value rest = compare(ast::CompareOperator::NotEq, binary(Operator::Mod, x, y, e), zero, e);
        const Value quotient = binary(Operator::FloorDiv, again(x, e), again(y, e), e);
        return binary(Operator::Add, quotient, cast_to(rest, natural(quotient, e)->type.elem, e), e);
      }
      if (!number(a) && n && n->form == Number::Form::Int && n->bits > 0) {
        const Value one = Value::of(session_.keep(PyLong_FromLong(1)));
        return binary(Operator::FloorDiv, binary(Operator::Add, a, binary(Operator::Sub, b, one, e), e), b,
                      e);
      }
      return unary(ast::UnaryOperator::USub,
                   binary(Operator::FloorDiv, unary(ast::UnaryOperator::USub, a, e), b, e), e);
    }
    case BuiltinId::Number: {
      const Argument *value = argument(0, "value"), *type = argument(1, "dtype");
      if (!value) fail(e, "TypeError: number(value, dtype) needs a value");
      DType dtype = DType::Void;
      if (type && (!type->value.is_static() || !as_dtype(type->value.object, &dtype)))
        fail(type->node, fmt::format("{} is not a dtype", shown(type->value)));
      if (type) return cast_to(value->value, dtype, e);
      return Value::of(natural(value->value, e));
    }
    case BuiltinId::Property: {
      expect(1, "property(name)");
      const PropertyDesc* desc = args[0].value.is_static() ? as_property(args[0].value.object) : nullptr;
      if (!desc)
        fail(args[0].node, fmt::format("TypeError: property({})", shown(args[0].value)),
             "it takes asc.TOTAL_L1_SIZE, asc.TOTAL_L0C_SIZE, asc.DEFAULT_C0_SIZE or asc.ONE_BLK_SIZE");
      const int64_t value = desc->value(session_.platform());
      Value number = Value::of(session_.keep(PyLong_FromLongLong(value)));
      number.expr =
          build_.named_const(session_.property_const(*desc, Type::scalar(desc->dtype), value), loc(e));
      return number;
    }
    case BuiltinId::AscendIsAic:
      expect(0, "ascend_is_aic()");
      return Value::of(build_.core_predicate(true, loc(e)));
    case BuiltinId::AscendIsAiv:
      expect(0, "ascend_is_aiv()");
      return Value::of(build_.core_predicate(false, loc(e)));
    case BuiltinId::Workspace: return workspace(args, e);
    case BuiltinId::Print: break;  // see call
  }
  ASC_BUG("a builtin without a meaning");
}

// ---- Python's own functions, of runtime values
// -------------------------------------------------------------------

// A row for each; `call` gets arguments of which at least one is not a plain Python object.
struct Frame::PythonBuiltin {
  const char* name;
  size_t least, most;
  Value (Frame::*call)(std::span<const Argument> args, const ast::Call* e);
};

const Frame::PythonBuiltin Frame::kPythonBuiltins[] = {
    {"len", 1, 1, &Frame::python_len},
    {"min", 1, 99, &Frame::python_min},
    {"max", 1, 99, &Frame::python_max},
    {"abs", 1, 1, &Frame::python_abs},
    {"int", 1, 1, &Frame::python_int},
    {"float", 1, 1, &Frame::python_float},
    {"bool", 1, 1, &Frame::python_bool},
    {"isinstance", 2, 2, &Frame::python_isinstance},
    {"sum", 1, 2, &Frame::python_sum},
    {"divmod", 2, 2, &Frame::python_divmod},
    {"pow", 2, 2, &Frame::python_pow},
    {"any", 1, 1, &Frame::python_any},
    {"all", 1, 1, &Frame::python_all},
    {"zip", 1, 99, &Frame::python_zip},
    {"enumerate", 1, 2, &Frame::python_enumerate},
    {"reversed", 1, 1, &Frame::python_reversed},
    {"list", 1, 1, &Frame::python_list},
    {"tuple", 1, 1, &Frame::python_tuple},
};

bool Frame::call_python_builtin(PyObject* callee, std::span<const Argument> args, const ast::Call* e,
                                Value* out) {
  constexpr size_t kCount = std::size(kPythonBuiltins);
  static PyObject* objects[kCount];
  if (!objects[0])
    for (size_t i = 0; i < kCount; i++)
      objects[i] = PyDict_GetItemString(PyEval_GetBuiltins(), kPythonBuiltins[i].name);
  const size_t row = static_cast<size_t>(std::find(objects, objects + kCount, callee) - objects);
  if (row == kCount) return false;
  if (std::all_of(args.begin(), args.end(), [](const Argument& a) { return a.value.is_static(); }))
    return false;
  const PythonBuiltin& builtin = kPythonBuiltins[row];
  for (const Argument& a : args)
    if (a.keyword && !(builtin.call == &Frame::python_enumerate && a.keyword->utf8 == "start"))
      fail(a.node, fmt::format("the argument '{}' of {} is not supported with runtime values",
                               a.keyword->utf8, builtin.name));
  if (args.size() < builtin.least || args.size() > builtin.most)
    fail(e,
         fmt::format("TypeError: {} takes {} arguments, {} given", builtin.name, builtin.least, args.size()));
  *out = (this->*builtin.call)(args, e);
  return true;
}

std::vector<Value> Frame::items_of(const Argument& a) {
  std::vector<Value> items;
  if (a.value.is_expr() || !iterate(a.value, a.node, &items))
    fail(a.node, fmt::format("TypeError: {} is not iterable at compile time", shown(a.value)));
  return items;
}

Value Frame::new_sequence(bool is_list, std::vector<Value> items, const Node* at) {
  Seq* seq = session_.new_seq(is_list, regions_.back().id);
  seq->items = std::move(items);
  for (Value& v : seq->items) v = again(v, at);
  return Value::of(seq);
}

Value Frame::python_len(std::span<const Argument> args, const ast::Call* e) {
  const Value& v = args[0].value;
  if (v.is_seq()) return Value::of(check(PyLong_FromSize_t(v.seq->items.size()), e));
  if (v.kind == ValueKind::Map) return Value::of(check(PyLong_FromSize_t(v.map->items.size()), e));
  const auto method = v.is_expr() ? find_method(v.expr->type.kind, "__len__") : std::nullopt;
  if (!method)
    fail(e, fmt::format("TypeError: {} has no len()", shown(v)),
         !v.is_expr()                         ? ""
         : v.expr->type.is_tensor()           ? "use get_size()"
         : v.expr->type.kind == Kind::Pointer ? "pass the number of elements as an argument"
                                              : "");
  return call_op(*method, v.expr, {}, e);
}

Value Frame::python_min(std::span<const Argument> args, const ast::Call* e) {
  return min_max(ir::BinaryOp::Min, args, e);
}
Value Frame::python_max(std::span<const Argument> args, const ast::Call* e) {
  return min_max(ir::BinaryOp::Max, args, e);
}

Value Frame::python_abs(std::span<const Argument> args, const ast::Call* e) {
  const Value& v = args[0].value;
  if (!is_scalar(v)) fail(e, fmt::format("TypeError: abs of {}", shown(v)));
  return Value::of(build_.unary(ir::UnaryOp::Abs, as_scalar(v, computed(v.expr->type.elem), e), loc(e)));
}

Value Frame::python_int(std::span<const Argument> args, const ast::Call* e) {
  const Value& v = args[0].value;
  if (is_address(v)) return address_number(v, nullptr, e);
  return is_scalar(v) && is_int(v.expr->type.elem) ? v : cast_to(v, DType::I32, e);
}
Value Frame::python_float(std::span<const Argument> args, const ast::Call* e) {
  return cast_to(args[0].value, DType::F32, e);
}

Value Frame::python_bool(std::span<const Argument> args, const ast::Call* e) {
  std::optional<bool> known;
  ir::Expr* test = truth(args[0].value, e, &known);
  return known ? Value::of(*known ? Py_True : Py_False) : Value::of(test);
}

// isinstance of a runtime value: int, float, bool, or a kind of the API.
static bool is_instance(const Value& v, PyObject* cls) {
  if (PyTuple_Check(cls)) {
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(cls); i++)
      if (is_instance(v, PyTuple_GET_ITEM(cls, i))) return true;
    return false;
  }
  const auto is = [cls](PyTypeObject& type) { return cls == reinterpret_cast<PyObject*>(&type); };
  if (is(PyBaseObject_Type)) return true;
  if (v.is_seq()) return is(v.seq->is_list ? PyList_Type : PyTuple_Type);
  if (v.kind == ValueKind::Map) return is(PyDict_Type);
  if (!v.is_expr()) return false;
  const Type& type = v.expr->type;
  if (const auto kind = as_kind(cls)) return type.kind == *kind;
  if (!type.is_scalar()) return false;
  if (is(PyBool_Type)) return is_bool(type.elem);
  if (is(PyLong_Type)) return is_int(type.elem) || is_bool(type.elem);
  return is(PyFloat_Type) && is_float(type.elem);
}

Value Frame::python_isinstance(std::span<const Argument> args, const ast::Call*) {
  PyObject* cls = to_object(args[1].value);
  if (!cls) fail(args[1].node, "isinstance needs a compile-time class");
  if (args[0].value.is_static()) {  // the classes are a display of the kernel's
    session_.touch(args[0].value.object);
    session_.touch(cls);
    const int is = PyObject_IsInstance(args[0].value.object, cls);
    if (is < 0) fail_python(args[1].node);
    return Value::of(is ? Py_True : Py_False);
  }
  return Value::of(is_instance(args[0].value, cls) ? Py_True : Py_False);
}

Value Frame::python_sum(std::span<const Argument> args, const ast::Call* e) {
  Value total = args.size() == 2 ? args[1].value : Value::of(session_.keep(PyLong_FromLong(0)));
  bool begun = args.size() == 2;
  for (const Value& v : items_of(args[0])) {
    total = begun ? binary(Operator::Add, total, again(v, e), e) : again(v, e);
    begun = true;
  }
  return total;
}

Value Frame::python_divmod(std::span<const Argument> args, const ast::Call* e) {
  const Value a = shared(args[0].value, e), b = shared(args[1].value, e);
  return new_sequence(
      false, {binary(Operator::FloorDiv, a, b, e), binary(Operator::Mod, again(a, e), again(b, e), e)}, e);
}

Value Frame::python_pow(std::span<const Argument> args, const ast::Call* e) {
  return binary(Operator::Pow, args[0].value, args[1].value, e);
}

Value Frame::any_all(bool is_all, const Argument& items, const ast::Call* e) {
  ir::Expr* result = nullptr;
  for (const Value& v : items_of(items)) {
    std::optional<bool> known;
    ir::Expr* test = truth(again(v, e), e, &known);
    if (known && *known != is_all) return Value::of(is_all ? Py_False : Py_True);
    if (known) continue;
    result =
        result ? build_.logical(is_all ? ir::LogicalOp::And : ir::LogicalOp::Or, result, test, loc(e)) : test;
  }
  return result ? Value::of(result) : Value::of(is_all ? Py_True : Py_False);
}
Value Frame::python_any(std::span<const Argument> args, const ast::Call* e) {
  return any_all(false, args[0], e);
}
Value Frame::python_all(std::span<const Argument> args, const ast::Call* e) {
  return any_all(true, args[0], e);
}

Value Frame::python_zip(std::span<const Argument> args, const ast::Call* e) {
  std::vector<std::vector<Value>> columns;
  for (const Argument& a : args) columns.push_back(items_of(a));
  size_t count = columns[0].size();
  for (const auto& column : columns) count = std::min(count, column.size());
  std::vector<Value> rows;
  for (size_t i = 0; i < count; i++) {
    std::vector<Value> row;
    for (const auto& column : columns) row.push_back(column[i]);
    rows.push_back(new_sequence(false, std::move(row), e));
  }
  return new_sequence(true, std::move(rows), e);
}

Value Frame::python_enumerate(std::span<const Argument> args, const ast::Call* e) {
  const auto start = args.size() == 2 ? number(args[1].value) : std::optional<Number>(Number{});
  if (!start) fail(args[1].node, "enumerate needs a compile-time start");
  std::vector<Value> rows;
  int64_t i = start->bits;
  for (const Value& v : items_of(args[0]))
    rows.push_back(new_sequence(false, {Value::of(check(PyLong_FromLongLong(i++), e)), v}, e));
  return new_sequence(true, std::move(rows), e);
}

Value Frame::python_reversed(std::span<const Argument> args, const ast::Call* e) {
  const std::vector<Value> items = items_of(args[0]);
  return new_sequence(true, std::vector<Value>(items.rbegin(), items.rend()), e);
}
Value Frame::python_list(std::span<const Argument> args, const ast::Call* e) {
  return new_sequence(true, items_of(args[0]), e);
}
Value Frame::python_tuple(std::span<const Argument> args, const ast::Call* e) {
  return new_sequence(false, items_of(args[0]), e);
}

}  // namespace asc::lower
