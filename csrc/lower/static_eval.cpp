// SPDX-License-Identifier: Apache-2.0
// Compile-time evaluation, by Python itself. Every outside value that it reads becomes a dependency of the
// kernel.
#include <algorithm>

#include "base/format.h"
#include "lower/frame.h"
#include "lower/suggest.h"

namespace asc::lower {

using ast::Node;
using Via = Dependency::Via;

PyObject* Frame::check(PyObject* owned, const Node* at) {
  if (!owned) fail_python(at);
  return session_.keep(owned);
}

Value Frame::number_value(PyObject* object, DType pinned) {
  Value v = Value::of(object);
  v.pinned = pinned;
  if (pinned == DType::Void && !PyLong_CheckExact(object) && !PyFloat_CheckExact(object) &&
      !PyBool_Check(object))
    if (const auto n = number_of(object)) v.pinned = n->pinned;
  return v;
}

std::optional<Number> Frame::number(const Value& v) const {
  if (!v.is_static()) return std::nullopt;
  std::optional<Number> n = number_of(v.object);
  if (n && v.pinned != DType::Void) n->pinned = v.pinned;
  return n;
}

// The Python object that a value is, containers and all.
PyObject* Frame::to_object(const Value& v) {
  if (v.is_static()) return v.object;
  if (v.is_seq()) {
    const auto size = static_cast<Py_ssize_t>(v.seq->items.size());
    PyObject* object = session_.keep(v.seq->is_list ? PyList_New(size) : PyTuple_New(size));
    for (Py_ssize_t i = 0; i < size; i++) {
      PyObject* item = to_object(v.seq->items[static_cast<size_t>(i)]);
      if (!item) return nullptr;
      if (v.seq->is_list)
        PyList_SET_ITEM(object, i, Py_NewRef(item));
      else
        PyTuple_SET_ITEM(object, i, Py_NewRef(item));
    }
    return object;
  }
  if (v.kind == ValueKind::Map) {
    PyObject* object = session_.keep(PyDict_New());
    for (const auto& [key, item] : v.map->items) {
      PyObject* value = to_object(item);
      if (!value || PyDict_SetItem(object, key, value) < 0) return nullptr;
    }
    return object;
  }
  return nullptr;
}

// Objects of ours that never change: reading them is no dependency.
static bool is_fixed(PyObject* object) {
  DType dtype;
  EnumId id;
  int64_t value;
  return as_op(object) || as_kind(object) || as_builtin(object) || as_dtype(object, &dtype) ||
         as_enum_class(object, &id) || as_enum(object, &id, &value);
}

Value Frame::static_attribute(PyObject* object, PyObject* name, const Node* at) {
  PyObject* value = PyObject_GetAttr(object, name);
  if (!value) {
    std::string hint;
    if (PyErr_ExceptionMatches(PyExc_AttributeError)) {
      PyObject *type, *error, *trace;
      PyErr_Fetch(&type, &error, &trace);
      const auto* a = ast::dyn<ast::Attribute>(at);
      std::string prefix = a ? fmt::format("{}.", text_of(a->value)) : std::string();
      if (const char* wrong = PyUnicode_AsUTF8(name)) hint = did_you_mean(object, wrong, prefix);
      PyErr_Restore(type, error, trace);
    }
    fail_python(at, std::move(hint));
  }
  session_.keep(value);
  if (const char* unsupported = as_unsupported(value))
    fail(at, fmt::format("{} is not yet supported", unsupported));
  DType dtype;
  if (is_fixed(value) || as_dtype(object, &dtype)) return Value::of(value);
  const bool bound_jit = as_jit(value) && reinterpret_cast<JitObject*>(value)->bound_self;
  if (PyMethod_Check(value) ||
      bound_jit) {  // made by each access: the class's function is what is kept in mind
    PyObject* self = bound_jit ? reinterpret_cast<JitObject*>(value)->bound_self : PyMethod_GET_SELF(value);
    PyObject* type = reinterpret_cast<PyObject*>(Py_TYPE(self));
    if (self != object || !PyObject_HasAttr(type, name)) type = object;
    if (PyObject* function = PyObject_GetAttr(type, name)) {
      session_.keep(function);
      if (type != object) session_.depend(Via::Attribute, type, name, function);
    }
    PyErr_Clear();
  } else if (!PyCFunction_Check(value) || PyModule_Check(object)) {
    const bool immutable =
        PyUnicode_Check(object) || PyLong_Check(object) || PyFloat_Check(object) || PyTuple_Check(object);
    if (!immutable) session_.depend(Via::Attribute, object, name, value);
  }
  return number_value(value);
}

// The names that a code object and those nested in it (comprehensions, inner functions) look up outside.
static void outside_names(PyObject* code, std::vector<PyObject*>* names, std::vector<PyObject*>* kept) {
  PyObject* own = PyObject_GetAttrString(code, "co_names");
  PyObject* constants = PyObject_GetAttrString(code, "co_consts");
  for (PyObject* object : {own, constants})
    if (object) kept->push_back(object);
  for (Py_ssize_t i = 0; own && i < PyTuple_GET_SIZE(own); i++) names->push_back(PyTuple_GET_ITEM(own, i));
  for (Py_ssize_t i = 0; constants && i < PyTuple_GET_SIZE(constants); i++)
    if (PyCode_Check(PyTuple_GET_ITEM(constants, i)))
      outside_names(PyTuple_GET_ITEM(constants, i), names, kept);
}

// What an ordinary Python function reads from its module, or from what it closes over, is read by the kernel
// too; of objects and classes there, the attributes that it names.
void Frame::depend_on_function(PyObject* function, int depth) {
  if (PyMethod_Check(function)) function = PyMethod_GET_FUNCTION(function);
  if (!PyFunction_Check(function) || depth > 8) return;
  if (std::find(followed_.begin(), followed_.end(), function) != followed_.end()) return;
  followed_.push_back(session_.keep(Py_NewRef(function)));
  PyObject* code = PyFunction_GET_CODE(function);
  PyObject* globals = PyFunction_GET_GLOBALS(function);
  static PyObject* code_name = PyUnicode_InternFromString("__code__");
  session_.depend(Via::Attribute, function, code_name, code);
  std::vector<PyObject*> names, kept;
  outside_names(code, &names, &kept);
  for (PyObject* object : kept) session_.keep(object);
  const auto attributes_of = [&](PyObject* object) {
    DType dtype;
    if (is_fixed(object) || as_dtype(object, &dtype) || as_jit(object)) return;
    const char* module = PyModule_Check(object) ? PyModule_GetName(object) : nullptr;
    if (module && std::string_view(module).starts_with("asc")) return;
    for (PyObject* name : names) {
      // Only what is stored there: a computed attribute may be new at each access.
      PyObject* computed = PyObject_GetAttr(reinterpret_cast<PyObject*>(Py_TYPE(object)), name);
      if (computed) session_.keep(computed);
      const bool is_computed = computed && Py_TYPE(computed)->tp_descr_set;
      PyErr_Clear();
      PyObject* value = is_computed ? nullptr : PyObject_GetAttr(object, name);
      PyErr_Clear();
      if (!value) continue;
      session_.keep(value);
      if (PyFunction_Check(value) && !module) depend_on_function(value, depth + 1);
      if (!PyCFunction_Check(value) && !PyMethod_Check(value) && !PyType_Check(value) &&
          !PyModule_Check(value))
        session_.depend(Via::Attribute, object, name, value);
    }
  };
  PyObject* closure = PyFunction_GetClosure(function);
  for (Py_ssize_t i = 0; closure && i < PyTuple_GET_SIZE(closure); i++) {
    PyObject* cell = PyTuple_GET_ITEM(closure, i);
    PyObject* value = PyCell_GET(cell);
    if (!value) continue;
    if (PyFunction_Check(value)) depend_on_function(value, depth + 1);
    session_.depend(Via::Cell, cell, nullptr, value);
    attributes_of(value);
  }
  for (PyObject* name : names) {
    PyObject* value = PyDict_GetItem(globals, name);
    if (!value) continue;
    if (PyFunction_Check(value) && value != function) depend_on_function(value, depth + 1);
    if (!PyModule_Check(value) && !PyType_Check(value)) session_.depend(Via::Global, globals, name, value);
    if (!PyFunction_Check(value)) attributes_of(value);
  }
  PyErr_Clear();
}

// What a Python function may read of an object that it gets: the object's own attributes.
void Frame::depend_on_instance(PyObject* object) {
  constexpr Py_ssize_t kMost = 64;
  if (!(Py_TYPE(object)->tp_flags & Py_TPFLAGS_HEAPTYPE) || PyType_Check(object) || PyModule_Check(object))
    return;
  PyObject* attributes = PyObject_GetAttrString(object, "__dict__");
  if (!attributes) return PyErr_Clear();
  session_.keep(attributes);
  if (!PyDict_CheckExact(attributes) || PyDict_GET_SIZE(attributes) > kMost) return;
  PyObject *name, *value;
  for (Py_ssize_t at = 0; PyDict_Next(attributes, &at, &name, &value);)
    session_.depend(Via::Attribute, object, name, value);
}

// A call whose arguments are all known: Python makes it.
Value Frame::call_static(const Value& callee, std::span<const Argument> args, const Node* at) {
  size_t positional = 0;
  for (const Argument& a : args) positional += a.keyword == nullptr;
  PyObject* tuple = session_.keep(PyTuple_New(static_cast<Py_ssize_t>(positional)));
  PyObject* keywords = positional < args.size() ? session_.keep(PyDict_New()) : nullptr;
  size_t next = 0;
  for (const Argument& a : args) {
    check_range(a.value, a.node);
    PyObject* object = to_object(a.value);
    if (!object) {
      if (PyErr_Occurred()) fail_python(a.node);
      fail(a.node, fmt::format("{} is called with a runtime value: {}", shown(callee), shown(a.value)),
           "Python functions run at compile time; one that should run on the device needs @asc.jit");
    }
    if (a.keyword)
      PyDict_SetItem(keywords, a.keyword->str, object);
    else
      PyTuple_SET_ITEM(tuple, static_cast<Py_ssize_t>(next++), Py_NewRef(object));
  }
  depend_on_function(callee.object, 0);
  if (PyMethod_Check(callee.object)) depend_on_instance(PyMethod_GET_SELF(callee.object));
  for (const Argument& a : args)
    if (a.value.is_static()) depend_on_instance(a.value.object);
  PyObject* result = check(PyObject_Call(callee.object, tuple, keywords), at);
  if (const char* unsupported = as_unsupported(result))
    fail(at, fmt::format("{} is not yet supported", unsupported));
  if (PyList_CheckExact(result)) {  // the kernel's own from now on
    Seq* seq = session_.new_seq(true, regions_.back().id);
    for (Py_ssize_t i = 0; i < PyList_GET_SIZE(result); i++)
      seq->items.push_back(number_value(PyList_GET_ITEM(result, i)));
    return Value::of(seq);
  }
  return number_value(result);
}

bool is_plain_container(PyObject* object) {
  return PyList_CheckExact(object) || PyTuple_CheckExact(object) || PyDict_CheckExact(object) ||
         PyRange_Check(object) || PyUnicode_Check(object) || PyBytes_Check(object);
}

// The items of a compile-time iterable.
bool Frame::iterate(const Value& v, const Node* at, std::vector<Value>* items) {
  if (v.is_seq()) {
    *items = v.seq->items;
    return true;
  }
  if (v.kind == ValueKind::Map) {
    for (const auto& [key, value] : v.map->items) items->push_back(number_value(key));
    return true;
  }
  if (!v.is_static()) return false;
  PyObject* iterator = check(PyObject_GetIter(v.object), at);
  constexpr size_t kMost = 100000;
  while (PyObject* item = PyIter_Next(iterator)) {
    items->push_back(number_value(session_.keep(item)));
    if (items->size() > kMost)
      fail(at, "this iterable has more than 100000 items", "use range for a loop that runs on the device");
  }
  if (PyErr_Occurred()) fail_python(at);
  // What Python's own containers hold was kept in mind with them; others may change between launches.
  const bool outside = PySequence_Check(v.object) && !is_plain_container(v.object);
  for (size_t i = 0; outside && i < items->size(); i++)
    session_.depend(Via::Item, v.object, session_.keep(PyLong_FromSize_t(i)), (*items)[i].object);
  return true;
}

}  // namespace asc::lower
