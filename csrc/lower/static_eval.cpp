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
    PyObject* object = session_.derive(session_.keep(v.seq->is_list ? PyList_New(size) : PyTuple_New(size)));
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
    PyObject* object = session_.derive(session_.keep(PyDict_New()));
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
         as_property(object) || as_enum_class(object, &id) || as_enum(object, &id, &value);
}

// One of this package's modules: its ops, dtypes and enums stand there for good.
static bool is_own_module(PyObject* object) {
  const char* name = PyModule_Check(object) ? PyModule_GetName(object) : nullptr;
  if (!name) drop_error();
  return name && is_asc_module(name);
}

// Does an attribute stay what it is as long as its object does? An attribute of the user's does not, whatever
// its value is; nor does one of a class of the user's that derives from tuple, int or the like.
static bool is_fixed_attribute(PyObject* object, PyObject* value) {
  return is_fixed(object) || (is_own_module(object) && value && is_fixed(value)) ||
         PyUnicode_CheckExact(object) || PyLong_CheckExact(object) || PyFloat_CheckExact(object) ||
         PyTuple_CheckExact(object);
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
  if (is_fixed_attribute(object, value) && is_fixed(value)) return Value::of(value);
  DType dtype;
  if (as_dtype(object, &dtype)) return Value::of(value);
  // A method of Python's own objects is what it is; any other attribute may be set, or hidden by another.
  const auto of_python = [](PyTypeObject* type) { return !PyType_HasFeature(type, Py_TPFLAGS_HEAPTYPE); };
  const bool fixed =
      PyCFunction_Check(value) && PyCFunction_GET_SELF(value) == object && !PyModule_Check(object) &&
      of_python(PyType_Check(object) ? reinterpret_cast<PyTypeObject*>(object) : Py_TYPE(object));
  if (!fixed && !is_fixed_attribute(object, value)) session_.depend(Via::Attribute, object, name, value);
  return number_value(value);
}

// getattr(object, "name"[, default]) and hasattr(object, "name") read one attribute. Null, with no error set,
// for other calls and where Python has to say what is wrong.
PyObject* Frame::read_by_name(PyObject* callee, PyObject* args, PyObject* keywords) {
  static PyObject* get = PyDict_GetItemString(PyEval_GetBuiltins(), "getattr");
  static PyObject* has = PyDict_GetItemString(PyEval_GetBuiltins(), "hasattr");
  const Py_ssize_t count = PyTuple_GET_SIZE(args);
  if ((callee != get && callee != has) || keywords || count < 2 || count > (callee == get ? 3 : 2))
    return nullptr;
  PyObject *object = PyTuple_GET_ITEM(args, 0), *name = PyTuple_GET_ITEM(args, 1);
  if (!PyUnicode_CheckExact(name)) return nullptr;
  PyObject* value = PyObject_GetAttr(object, name);
  if (!value) {
    const bool missing = PyErr_ExceptionMatches(PyExc_AttributeError);
    drop_error();
    if (!missing || (callee == get && count < 3)) return nullptr;
  } else {
    session_.keep(value);
  }
  if (!is_fixed_attribute(object, value)) session_.depend(Via::Attribute, object, name, value);
  if (callee == has) return value ? Py_True : Py_False;
  return value ? value : PyTuple_GET_ITEM(args, 2);
}

// A call whose arguments are all known: Python makes it.
Value Frame::call_static(const Value& callee, std::span<const Argument> args, const Node* at) {
  if (std::string_view(Py_TYPE(callee.object)->tp_name) == "asc.LaunchHandle") {
    const auto* launched =
        at->kind == ast::NodeKind::Call ? ast::dyn<ast::Subscript>(ast::as<ast::Call>(at)->func) : nullptr;
    const std::string name(launched ? text_of(launched->value) : "kernel");
    fail(at, fmt::format("{} is a launch: a kernel launches no kernel", shown(callee)),
         fmt::format("without [cores] it is called as a function, on the cores that run this one: {}(...)",
                     name));
  }
  size_t positional = 0;
  for (const Argument& a : args) positional += a.keyword == nullptr;
  PyObject* tuple = session_.derive(session_.keep(PyTuple_New(static_cast<Py_ssize_t>(positional))));
  PyObject* keywords = positional < args.size() ? session_.derive(session_.keep(PyDict_New())) : nullptr;
  size_t next = 0;
  for (const Argument& a : args) {
    check_range(a.value, a.node);
    PyObject* object = to_object(a.value);
    if (!object) {
      if (PyErr_Occurred()) fail_python(a.node);
      std::string hint = python_call_hint(callee.object);
      if (hint.empty()) hint = "one that should run on the device needs @asc.jit";
      fail(a.node, fmt::format("{} is called with a runtime value: {}", shown(callee), shown(a.value)),
           fmt::format("Python functions run at compile time; {}", hint));
    }
    if (a.keyword)
      PyDict_SetItem(keywords, a.keyword->str, object);
    else
      PyTuple_SET_ITEM(tuple, static_cast<Py_ssize_t>(next++), Py_NewRef(object));
  }
  PyObject* result = read_by_name(callee.object, tuple, keywords);
  if (!result) {
    session_.touch(callee.object);
    session_.touch(tuple);
    if (keywords) session_.touch(keywords);
    result = session_.derive(check(PyObject_Call(callee.object, tuple, keywords), at));
  }
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

bool is_leaf(PyObject* object) {
  return object == Py_None || PyBool_Check(object) || PyLong_CheckExact(object) ||
         PyFloat_CheckExact(object) || PyUnicode_CheckExact(object) || PyBytes_CheckExact(object) ||
         is_fixed(object);
}

bool is_plain_container(PyObject* object) {
  return PyList_CheckExact(object) || PyTuple_CheckExact(object) || PyDict_CheckExact(object) ||
         PyRange_Check(object) || PyUnicode_CheckExact(object) || PyBytes_CheckExact(object);
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
  if (PyList_CheckExact(v.object) || PyTuple_CheckExact(v.object)) {
    for (size_t i = 0; i < items->size(); i++)
      if (!is_leaf((*items)[i].object))
        session_.depend(Via::Item, v.object, session_.keep(PyLong_FromSize_t(i)), (*items)[i].object);
  } else if (!PyDict_CheckExact(v.object)) {
    session_.touch(v.object);
    for (const Value& item : *items) session_.derive(item.object);
  }
  return true;
}

}  // namespace asc::lower
