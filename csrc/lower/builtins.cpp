// SPDX-License-Identifier: Apache-2.0
// Functions that the lowering itself knows: asc.range, asc.number, ..., and Python's own len, min, int, ...
// of runtime values.
#include <cmath>

#include "base/format.h"
#include "lower/frame.h"

namespace asc::lower {

using ast::Node;
using ast::Operator;

Value Frame::cast_to(const Value& v, DType type, const Node* at) {
  if (v.is_expr()) {
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
  if (is_float(type))
    object = check(PyNumber_Float(object), at);
  else if (n->form != Number::Form::Int)
    object = check(PyNumber_Long(object), at);
  Value result = Value::of(object);
  result.pinned = type;
  if (const auto r = number(result); !r || !r->fits(type))
    fail(at, fmt::format("{} does not fit {}", shown(v), py_name(type)));
  return result;
}

Value Frame::min_max(ir::BinaryOp op, std::span<const Value> values, const Node* at) {
  Value best = values[0];
  for (size_t i = 1; i < values.size(); i++) {
    if (best.is_static() && values[i].is_static()) {
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
    case BuiltinId::Property: fail(e, "asc.property is not yet supported");
    case BuiltinId::AscendIsAic:
      expect(0, "ascend_is_aic()");
      return Value::of(build_.core_predicate(true, loc(e)));
    case BuiltinId::AscendIsAiv:
      expect(0, "ascend_is_aiv()");
      return Value::of(build_.core_predicate(false, loc(e)));
    case BuiltinId::Print: break;  // see call
  }
  ASC_BUG("a builtin without a meaning");
}

// ---- Python's own functions, of runtime values
// -------------------------------------------------------------------

namespace {

enum class Known : uint8_t {
  Len,
  Min,
  Max,
  Abs,
  Int,
  Float,
  Bool,
  Isinstance,
  Sum,
  Divmod,
  Pow,
  Any,
  All,
  Zip,
  Enumerate,
  Reversed,
  List,
  Tuple,
  Type,
  Round
};
struct KnownBuiltin {
  const char* name;
  Known known;
};
constexpr KnownBuiltin kKnown[] = {
    {"len", Known::Len},
    {"min", Known::Min},
    {"max", Known::Max},
    {"abs", Known::Abs},
    {"int", Known::Int},
    {"float", Known::Float},
    {"bool", Known::Bool},
    {"isinstance", Known::Isinstance},
    {"sum", Known::Sum},
    {"divmod", Known::Divmod},
    {"pow", Known::Pow},
    {"any", Known::Any},
    {"all", Known::All},
    {"zip", Known::Zip},
    {"enumerate", Known::Enumerate},
    {"reversed", Known::Reversed},
    {"list", Known::List},
    {"tuple", Known::Tuple},
    {"type", Known::Type},
    {"round", Known::Round},
};

std::optional<Known> known_builtin(PyObject* callee) {
  static PyObject* objects[std::size(kKnown)];
  if (!objects[0])
    for (size_t i = 0; i < std::size(kKnown); i++)
      objects[i] = PyDict_GetItemString(PyEval_GetBuiltins(), kKnown[i].name);
  for (size_t i = 0; i < std::size(kKnown); i++)
    if (objects[i] == callee) return kKnown[i].known;
  return std::nullopt;
}

// isinstance of a runtime value: int, float, bool, or a kind of the API.
bool is_instance(const Type& type, PyObject* cls) {
  if (PyTuple_Check(cls)) {
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(cls); i++)
      if (is_instance(type, PyTuple_GET_ITEM(cls, i))) return true;
    return false;
  }
  if (const auto kind = as_kind(cls)) return type.kind == *kind;
  if (cls == reinterpret_cast<PyObject*>(&PyBaseObject_Type)) return true;
  if (!type.is_scalar()) return false;
  if (cls == reinterpret_cast<PyObject*>(&PyBool_Type)) return is_bool(type.elem);
  if (cls == reinterpret_cast<PyObject*>(&PyLong_Type)) return is_int(type.elem) || is_bool(type.elem);
  if (cls == reinterpret_cast<PyObject*>(&PyFloat_Type)) return is_float(type.elem);
  return false;
}

}  // namespace

bool Frame::call_python_builtin(PyObject* callee, std::span<const Argument> args, const ast::Call* e,
                                Value* out) {
  const auto known = known_builtin(callee);
  if (!known) return false;
  bool all_static = true;
  for (const Argument& a : args) all_static = all_static && a.value.is_static();
  if (all_static) return false;  // Python itself
  for (const Argument& a : args)
    if (a.keyword) {
      PyObject* object = to_object(a.value);
      PyErr_Clear();
      if (!object || *known != Known::Enumerate)
        fail(a.node, fmt::format("the argument '{}' of {} is not supported with runtime values",
                                 a.keyword->utf8, shown(Value::of(callee))));
    }
  const auto arity = [&](size_t least, size_t most) {
    if (args.size() < least || args.size() > most)
      fail(e,
           fmt::format("TypeError: {} takes {} arguments, {} given", text_of(e->func), least, args.size()));
  };
  const auto items_of = [&](const Argument& a) {
    std::vector<Value> items;
    if (a.value.is_expr() || !iterate(a.value, a.node, &items))
      fail(a.node, fmt::format("TypeError: {} is not iterable at compile time", shown(a.value)));
    return items;
  };
  const auto make = [&](bool is_list, std::vector<Value> items) {
    Seq* seq = session_.new_seq(is_list, regions_.back().id);
    seq->items = std::move(items);
    for (Value& v : seq->items) v = again(v, e);
    return Value::of(seq);
  };
  const Value first = args.empty() ? Value() : args[0].value;
  switch (*known) {
    case Known::Len:
      arity(1, 1);
      if (first.is_seq())
        *out = Value::of(check(PyLong_FromSize_t(first.seq->items.size()), e));
      else if (first.kind == ValueKind::Map)
        *out = Value::of(check(PyLong_FromSize_t(first.map->items.size()), e));
      else {
        const auto method = first.is_expr() ? find_method(first.expr->type.kind, "__len__") : std::nullopt;
        if (!method)
          fail(e, fmt::format("TypeError: {} has no len()", shown(first)),
               first.is_expr() && first.expr->type.is_tensor() ? "use get_size()" : "");
        *out = call_op(*method, first.expr, {}, e);
      }
      return true;
    case Known::Min:
    case Known::Max: {
      std::vector<Value> values;
      if (args.size() == 1)
        values = items_of(args[0]);
      else
        for (const Argument& a : args) values.push_back(a.value);
      if (values.empty()) fail(e, "ValueError: min() or max() of nothing");
      *out = min_max(*known == Known::Min ? ir::BinaryOp::Min : ir::BinaryOp::Max, values, e);
      return true;
    }
    case Known::Abs: {
      arity(1, 1);
      if (!is_scalar(first)) fail(e, fmt::format("TypeError: abs of {}", shown(first)));
      const DType type = computed(first.expr->type.elem);
      *out = Value::of(build_.unary(ir::UnaryOp::Abs, as_scalar(first, type, e), loc(e)));
      return true;
    }
    case Known::Int: {
      arity(1, 1);
      if (!is_scalar(first)) {
        if (first.is_expr() && first.expr->type.kind == Kind::Enum)
          return *out = cast_to(first, DType::I32, e), true;
        fail(e, fmt::format("TypeError: int of {}", shown(first)));
      }
      const DType type = first.expr->type.elem;
      *out = is_int(type) ? first : cast_to(first, DType::I32, e);
      return true;
    }
    case Known::Float:
      arity(1, 1);
      if (!is_scalar(first)) fail(e, fmt::format("TypeError: float of {}", shown(first)));
      *out = cast_to(first, DType::F32, e);
      return true;
    case Known::Bool: {
      arity(1, 1);
      std::optional<bool> decided;
      ir::Expr* test = truth(first, e, &decided);
      *out = decided ? Value::of(*decided ? Py_True : Py_False) : Value::of(test);
      return true;
    }
    case Known::Isinstance: {
      arity(2, 2);
      PyObject* cls = to_object(args[1].value);
      if (!cls) fail(args[1].node, "isinstance needs a compile-time class");
      PyObject* container =
          first.is_seq() ? reinterpret_cast<PyObject*>(first.seq->is_list ? &PyList_Type : &PyTuple_Type)
          : first.kind == ValueKind::Map ? reinterpret_cast<PyObject*>(&PyDict_Type)
                                         : nullptr;
      bool yes = false;
      if (first.is_expr())
        yes = is_instance(first.expr->type, cls);
      else if (container && PyTuple_Check(cls))
        yes = PySequence_Contains(cls, container) == 1;
      else
        yes = container == cls;
      *out = Value::of(yes ? Py_True : Py_False);
      return true;
    }
    case Known::Sum: {
      arity(1, 2);
      Value total = args.size() == 2 ? args[1].value : Value::of(session_.keep(PyLong_FromLong(0)));
      bool begun = args.size() == 2;
      for (const Value& v : items_of(args[0])) {
        total = begun ? binary(Operator::Add, total, again(v, e), e) : again(v, e);
        begun = true;
      }
      *out = total;
      return true;
    }
    case Known::Divmod: {
      arity(2, 2);
      const Value a = shared(first, e), b = shared(args[1].value, e);
      *out = make(false,
                  {binary(Operator::FloorDiv, a, b, e), binary(Operator::Mod, again(a, e), again(b, e), e)});
      return true;
    }
    case Known::Pow:
      arity(2, 2);
      *out = binary(Operator::Pow, first, args[1].value, e);
      return true;
    case Known::Any:
    case Known::All: {
      arity(1, 1);
      const bool is_all = *known == Known::All;
      ir::Expr* result = nullptr;
      for (const Value& v : items_of(args[0])) {
        std::optional<bool> decided;
        ir::Expr* test = truth(again(v, e), e, &decided);
        if (decided && *decided == is_all) continue;
        if (decided) return *out = Value::of(is_all ? Py_False : Py_True), true;
        result = result
                     ? build_.logical(is_all ? ir::LogicalOp::And : ir::LogicalOp::Or, result, test, loc(e))
                     : test;
      }
      *out = result ? Value::of(result) : Value::of(is_all ? Py_True : Py_False);
      return true;
    }
    case Known::Zip: {
      std::vector<std::vector<Value>> columns;
      for (const Argument& a : args) columns.push_back(items_of(a));
      std::vector<Value> rows;
      for (size_t i = 0; !columns.empty(); i++) {
        std::vector<Value> row;
        for (const auto& column : columns)
          if (i < column.size()) row.push_back(column[i]);
        if (row.size() < columns.size()) break;
        rows.push_back(make(false, std::move(row)));
      }
      *out = make(true, std::move(rows));
      return true;
    }
    case Known::Enumerate: {
      arity(1, 2);
      const auto start = args.size() == 2 ? number(args[1].value) : std::optional<Number>(Number{});
      if (!start) fail(args[1].node, "enumerate needs a compile-time start");
      std::vector<Value> rows;
      int64_t i = start->bits;
      for (const Value& v : items_of(args[0]))
        rows.push_back(make(false, {Value::of(check(PyLong_FromLongLong(i++), e)), v}));
      *out = make(true, std::move(rows));
      return true;
    }
    case Known::Reversed: {
      arity(1, 1);
      const std::vector<Value> items = items_of(args[0]);
      *out = make(true, std::vector<Value>(items.rbegin(), items.rend()));
      return true;
    }
    case Known::List:
    case Known::Tuple:
      arity(1, 1);
      *out = make(*known == Known::List, items_of(args[0]));
      return true;
    case Known::Round:
    case Known::Type:
      fail(e, fmt::format("{}() of a runtime value is not supported", text_of(e->func)),
           *known == Known::Type ? "use isinstance, or x.dtype of a tensor"
                                 : "use int(x + 0.5) where x is not negative");
  }
  return false;
}

// ---- methods of numbers and containers
// ---------------------------------------------------------------------------

bool Frame::call_member(const Value& receiver, const ast::Attribute* func, std::vector<Argument>& args,
                        const ast::Call* e, Value* out) {
  const std::string_view name = func->attr->utf8;
  if (is_scalar(receiver) || number(receiver)) {
    if (name != "cast" && name != "to") return false;
    DType dtype;
    if (args.size() != 1 || !args[0].value.is_static() || !as_dtype(args[0].value.object, &dtype))
      fail(e, fmt::format("TypeError: {}(dtype) takes one dtype", name));
    *out = cast_to(receiver, dtype, e);
    return true;
  }
  if (receiver.is_static()) {
    constexpr std::string_view kMutators[] = {"append",  "extend", "insert",  "pop",        "remove",
                                              "clear",   "sort",   "reverse", "update",     "setdefault",
                                              "popitem", "add",    "discard", "__setitem__"};
    for (std::string_view mutator : kMutators)
      if (mutator == name)
        fail(e, fmt::format("{} would change an object from outside the kernel", text_of(func)),
             "copy it first: list(x), dict(x)");
    return false;
  }
  const auto may_change = [&](uint32_t region) {
    if (region != regions_.back().id)
      fail(e, fmt::format("{} may not change under runtime control flow", shown(receiver)),
           "build it before, or unroll with asc.static_range");
  };
  if (receiver.is_seq()) {
    std::vector<Value>& items = receiver.seq->items;
    if (name == "__len__" && args.empty())
      return *out = Value::of(check(PyLong_FromSize_t(items.size()), e)), true;
    if (!receiver.seq->is_list) return false;
    if (name == "append" && args.size() == 1) {
      may_change(receiver.seq->region);
      keep_value(&args[0].value, args[0].node);
      items.push_back(args[0].value);
    } else if (name == "extend" && args.size() == 1) {
      may_change(receiver.seq->region);
      std::vector<Value> more;
      if (args[0].value.is_expr() || !iterate(args[0].value, args[0].node, &more))
        fail(args[0].node,
             fmt::format("TypeError: {} is not iterable at compile time", shown(args[0].value)));
      for (Value& v : more) keep_value(&v, e), items.push_back(again(v, e));
    } else if (name == "pop" && args.size() <= 1) {
      may_change(receiver.seq->region);
      const auto n =
          args.empty() ? std::optional<Number>(Number{Number::Form::Int, -1}) : number(args[0].value);
      if (!n) fail(args[0].node, "pop needs a compile-time index");
      const int64_t i = n->bits < 0 ? n->bits + static_cast<int64_t>(items.size()) : n->bits;
      if (i < 0 || i >= static_cast<int64_t>(items.size())) fail(e, "IndexError: pop index out of range");
      *out = again(items[static_cast<size_t>(i)], e);
      items.erase(items.begin() + i);
      return true;
    } else if (name == "insert" && args.size() == 2) {
      may_change(receiver.seq->region);
      const auto n = number(args[0].value);
      if (!n) fail(args[0].node, "insert needs a compile-time index");
      const auto size = static_cast<int64_t>(items.size());
      const int64_t i = std::min(size, std::max<int64_t>(0, n->bits < 0 ? n->bits + size : n->bits));
      keep_value(&args[1].value, args[1].node);
      items.insert(items.begin() + i, args[1].value);
    } else if (name == "reverse" && args.empty()) {
      may_change(receiver.seq->region);
      items = std::vector<Value>(items.rbegin(), items.rend());
    } else if (name == "clear" && args.empty()) {
      may_change(receiver.seq->region);
      items.clear();
    } else if (name == "copy" && args.empty()) {
      Seq* seq = session_.new_seq(true, regions_.back().id);
      for (const Value& v : items) seq->items.push_back(again(v, e));
      return *out = Value::of(seq), true;
    } else if (name == "remove" || name == "sort") {
      fail(e, fmt::format("list.{} is not supported in a kernel", name),
           "build the list in the order you need");
    } else {
      return false;
    }
    *out = Value::of(Py_None);
    return true;
  }
  auto& items = receiver.map->items;
  const auto list_of = [&](auto&& item) {
    Seq* seq = session_.new_seq(true, regions_.back().id);
    for (const auto& [key, value] : items) seq->items.push_back(item(key, value));
    return Value::of(seq);
  };
  if (name == "keys" && args.empty())
    return *out = list_of([&](PyObject* k, const Value&) { return number_value(k); }), true;
  if (name == "values" && args.empty())
    return *out = list_of([&](PyObject*, const Value& v) { return again(v, e); }), true;
  if (name == "items" && args.empty())
    return *out = list_of([&](PyObject* k, const Value& v) {
      Seq* pair = session_.new_seq(false, regions_.back().id);
      pair->items = {number_value(k), again(v, e)};
      return Value::of(pair);
    }),
           true;
  if (name == "get" && (args.size() == 1 || args.size() == 2)) {
    PyObject* key = to_object(args[0].value);
    if (!key) fail(args[0].node, "a dict needs a compile-time key");
    for (const auto& [known, value] : items) {
      const int equal = PyObject_RichCompareBool(known, key, Py_EQ);
      if (equal < 0) fail_python(e);
      if (equal) return *out = again(value, e), true;
    }
    *out = args.size() == 2 ? args[1].value : Value::of(Py_None);
    return true;
  }
  return false;
}

}  // namespace asc::lower
