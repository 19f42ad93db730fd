// SPDX-License-Identifier: Apache-2.0
#include "runtime/deps_code.h"

#include <algorithm>
#include <string_view>

#include "base/format.h"
#include "lower/function.h"
#include "lower/objects.h"
#include "runtime/deps_facts.h"
#include "runtime/deps_pure.h"
#include "runtime/launcher_gil.h"

namespace asc::runtime {
namespace {

PyObject* globals_name(PyObject* function) {
  return PyDict_GetItemString(PyFunction_GET_GLOBALS(function), "__name__");
}

PyObject* captured_value(PyObject* function, PyObject* name) {
  PyObject* closure = PyFunction_GET_CLOSURE(function);
  const PyRef names = attribute(PyFunction_GET_CODE(function), "co_freevars");
  for (Py_ssize_t i = 0; closure && names && i < PyTuple_GET_SIZE(closure); i++)
    if (PyUnicode_Compare(PyTuple_GET_ITEM(names.get(), i), name) == 0)
      return PyCell_GET(PyTuple_GET_ITEM(closure, i));
  return nullptr;
}

}  // namespace

// Functions of libraries; classes too, where Python code may call them.
bool CodeEncoder::is_pure(PyObject* value, std::string_view module, std::string_view name) const {
  if (!PyType_Check(value)) return is_pure_function(module, name);
  return e_.how_ == How::Own || !is_library_type(reinterpret_cast<PyTypeObject*>(value)) ||
         is_pure_type(module, name);
}

// By module and name, with the version of what it belongs to.
bool CodeEncoder::add_library_name(PyObject* value, char tag) {
  PyRef module = attribute(value, "__module__"), name = attribute(value, "__qualname__");
  if (!name) name = attribute(value, "__name__");
  if (PyType_Check(value)) {
    const std::string_view own = module_of(reinterpret_cast<PyTypeObject*>(value));
    module = PyRef::steal(PyUnicode_FromStringAndSize(own.data(), static_cast<Py_ssize_t>(own.size())));
  }
  if (PyFunction_Check(value))  // functools.wraps gives it another's module
    module = PyRef::borrow(globals_name(value));
  const bool pure = e_.in_memory() ? !reads_the_program(text_of(module.get()), text_of(name.get()))
                                   : is_pure(value, text_of(module.get()), text_of(name.get()));
  if (!pure)
    return e_.fail(
        fmt::format("{}.{} may read the world outside", text_of(module.get()), text_of(name.get())));
  e_.out_.u8(static_cast<uint8_t>(tag));
  e_.out_.text(text_of(module.get()));
  e_.out_.text(text_of(name.get()));
  e_.out_.text(version_of(text_of(module.get())));
  return true;
}

// A kernel function: what lowering reads of it beyond this is recorded as it is read.
bool CodeEncoder::add_jit(PyObject* value) {
  const lower::KernelFunction& function = *lower::as_jit(value);
  e_.out_.u8('J');
  e_.out_.text(function.qualname);
  e_.out_.text(function.source.dedented());
  e_.out_.u64(static_cast<uint64_t>(function.source.future_flags));
  e_.out_.u64(function.params.size());
  for (const lower::Parameter& p : function.params) {
    e_.out_.text(p.utf8);
    e_.out_.u8(static_cast<uint8_t>(p.keyword_only | p.is_constexpr << 1 | (p.default_value != nullptr) << 2 |
                                    p.is_address << 3));
    e_.out_.u8(static_cast<uint8_t>(p.pinned));
    if (p.default_value && !e_.add(p.default_value)) return false;
  }
  if (e_.identities) e_.identities->number_function(function, [this](uint32_t n) { e_.out_.u32(n); });
  if (e_.how_ != How::Own && !walk_attributes(value)) return false;
  PyObject* self = lower::jit_bound_self(value);
  return e_.add(self ? self : Py_None);
}

bool CodeEncoder::add_builtin(PyObject* function) {
  PyObject* self = PyCFunction_GET_SELF(function);
  if (self && !PyModule_Check(self)) {  // a method of an object or class
    const PyRef name = attribute(function, "__name__");
    e_.out_.u8('B');
    e_.out_.text(text_of(name.get()));
    return e_.add(self);
  }
  const PyRef module = attribute(function, "__module__"), name = attribute(function, "__name__");
  e_.compares_identity_ = e_.compares_identity_ || asks_identity(text_of(module.get()), text_of(name.get()));
  return add_library_name(function, 'C');
}

bool CodeEncoder::add_function(PyObject* function) {
  PyObject* code = PyFunction_GET_CODE(function);
  if (is_library_file(text_of(reinterpret_cast<PyCodeObject*>(code)->co_filename))) {
    if (!add_library_name(function, 'L')) return false;
    if (text_of(globals_name(function)) == "copy" && !add_copiers()) return false;
  } else {
    e_.out_.u8('F');
  }
  if (e_.how_ != How::Own) return walk_function(function);
  e_.out_.key(code_key(code));
  return true;
}

// How `copy` copies objects of the program's own classes. What is one object is one in the copy too.
bool CodeEncoder::add_copiers() {
  if (e_.how_ == How::Own) return true;
  e_.compares_identity_ = true;
  PyObject* const module = imported_module("copyreg");
  const PyRef name = PyRef::steal(PyUnicode_InternFromString("dispatch_table"));
  PyObject* table = module ? PyDict_GetItemWithError(PyModule_GetDict(module), name.get()) : nullptr;
  if (!table || !PyDict_CheckExact(table)) return drop_error(), true;
  read(Read::Via::Global, PyModule_GetDict(module), name.get(), table);
  const PyRef items = PyRef::steal(PyDict_Items(table));
  bool good = true;
  for (Py_ssize_t i = 0; i < PyList_GET_SIZE(items.get()); i++) {
    PyObject* cls = PyTuple_GET_ITEM(PyList_GET_ITEM(items.get(), i), 0);
    if (!PyType_Check(cls) || is_library_type(reinterpret_cast<PyTypeObject*>(cls))) continue;
    good = e_.add_fresh(PyList_GET_ITEM(items.get(), i)) && good;
  }
  return good;
}

bool CodeEncoder::walk_function(PyObject* function) {
  auto* fn = reinterpret_cast<PyFunctionObject*>(function);
  PyObject* code = fn->func_code;
  read(Read::Via::Code, function, nullptr, code);
  e_.out_.key(code_key(code));
  e_.out_.text(text_of(fn->func_name));
  e_.out_.text(text_of(fn->func_qualname));
  read(Read::Via::Defaults, function, nullptr, fn->func_defaults);
  read(Read::Via::KwDefaults, function, nullptr, fn->func_kwdefaults);
  bool good = e_.add(fn->func_defaults ? fn->func_defaults : Py_None);
  good = e_.add(fn->func_kwdefaults ? fn->func_kwdefaults : Py_None) && good;
  for (Py_ssize_t i = 0; fn->func_closure && i < PyTuple_GET_SIZE(fn->func_closure); i++) {
    PyObject* cell = PyTuple_GET_ITEM(fn->func_closure, i);
    const PyRef value = PyRef::borrow(PyCell_GET(cell));
    read(Read::Via::Cell, cell, nullptr, value.get());
    if (!value)
      e_.out_.u8('0');
    else if (!PyModule_Check(value.get()))  // those below, by what is read of them
      good = e_.add(value.get()) && good;
  }
  good = walk_attributes(function) && good;
  if (is_library_file(text_of(reinterpret_cast<PyCodeObject*>(code)->co_filename))) return good;
  CodeEncoder inner(e_);  // names of its own
  return inner.walk_names(function) && good;
}

// The attributes of a function, in their order.
bool CodeEncoder::walk_attributes(PyObject* function) {
  const PyRef count = PyRef::steal(PyLong_FromSsize_t(count_attributes(function)));
  read(Read::Via::Attributes, function, nullptr, count.get());
  PyObject* dict = given_attributes(function);
  const PyRef items = PyRef::steal(dict ? PyDict_Items(dict) : PyList_New(0));
  bool good = items || e_.fail("attributes of a function");
  for (Py_ssize_t i = 0; items && i < PyList_GET_SIZE(items.get()); i++) {
    PyObject* pair = PyList_GET_ITEM(items.get(), i);
    read(Read::Via::Global, dict, PyTuple_GET_ITEM(pair, 0), PyTuple_GET_ITEM(pair, 1));
    good = e_.add_fresh(pair) && good;
  }
  return good;
}

// Does it ask with `is` for an object that may have an equal? Classes, members of enums and most objects
// have none.
bool CodeEncoder::compares_equals(PyObject* function) const {
  const auto value_of = [&](const CodeNames::Compared& with) -> PyObject* {
    if (with.captured) return captured_value(function, with.name);
    PyObject* global = PyDict_GetItemWithError(PyFunction_GET_GLOBALS(function), with.name);
    return global ? global : PyDict_GetItemWithError(PyEval_GetBuiltins(), with.name);
  };
  const auto may_be_equal = [&](const CodeNames::Compared& with) {
    PyObject* value = value_of(with);
    drop_error();
    if (!value || !with.attribute) return !value || compares_by_value(Py_TYPE(value));
    const bool is_enum = PyType_Check(value) && is_enum_class(reinterpret_cast<PyTypeObject*>(value));
    if (!is_enum && !PyModule_CheckExact(value)) return true;
    const PyRef part = PyRef::steal(PyObject_GetAttr(value, with.attribute));
    drop_error();
    if (!part || (is_enum && !is_enum_class(Py_TYPE(part.get())))) return true;
    return !is_enum && compares_by_value(Py_TYPE(part.get())) && !is_plain_leaf(part.get());
  };
  return std::any_of(names_->compared.begin(), names_->compared.end(), may_be_equal);
}

bool CodeEncoder::walk_names(PyObject* function) {
  names_ = names_of(PyFunction_GET_CODE(function));
  e_.compares_identity_ = e_.compares_identity_ || names_->compares_identity || compares_equals(function);
  bool good = true, part = false;
  for (PyObject* name : names_->attributes) {
    const std::string_view text = text_of(name);
    computed_ = computed_ || reads_by_computed_name(text);
    // The one of `object` may be meant.
    e_.compares_identity_ = e_.compares_identity_ || text == "__eq__" || text == "__ne__";
    part = part || text.starts_with("__") != text.ends_with("__") || text == "__";
    e_.asks_ = e_.asks_ || asks_for_facts(text);
    e_.calls_repr_ = e_.calls_repr_ || text == "repr" || text == "ascii" || text == "__repr__";
    if (is_introspection(text)) good = e_.fail(fmt::format("a Python function reads '{}'", text));
  }
  if (computed_ && part) good = e_.fail("a Python function makes names with '__'");
  PyObject* closure = PyFunction_GET_CLOSURE(function);
  for (Py_ssize_t i = 0; closure && i < PyTuple_GET_SIZE(closure); i++)
    if (const PyRef value = PyRef::borrow(PyCell_GET(PyTuple_GET_ITEM(closure, i)));
        value && PyModule_Check(value.get()))
      good = walk_module(value.get()) && good;
  return walk_globals(function) && good;
}

bool CodeEncoder::walk_builtin(PyObject* builtin, PyObject* name) {
  read(Read::Via::Global, PyEval_GetBuiltins(), name, builtin);
  const std::string_view text = text_of(name);
  const auto* own = PyCFunction_Check(builtin) ? reinterpret_cast<PyCFunctionObject*>(builtin) : nullptr;
  if (!own || text != own->m_ml->ml_name || text_of(own->m_module) != "builtins")
    return e_.add(builtin);  // a class, or another in its place
  e_.compares_identity_ = e_.compares_identity_ || asks_identity("builtins", text);
  if (is_pure_function("builtins", text) || (e_.in_memory() && !reads_the_program("builtins", text)))
    return true;
  return e_.fail(fmt::format("{}() is called at compile time", text));
}

bool CodeEncoder::walk_globals(PyObject* function) {
  PyObject* globals = PyFunction_GET_GLOBALS(function);
  bool good = true;
  for (PyObject* name : names_->globals) {
    const PyRef value = PyRef::borrow(PyDict_GetItemWithError(globals, name));
    drop_error();
    e_.out_.text(text_of(name));
    read(Read::Via::Global, globals, name, value.get());
    if (value) {
      good = walk_value(value.get()) && good;
      continue;
    }
    e_.out_.u8('0');
    if (PyObject* builtin = PyDict_GetItemWithError(PyEval_GetBuiltins(), name))
      good = walk_builtin(builtin, name) && good;
    else
      read(Read::Via::Global, PyEval_GetBuiltins(), name, nullptr);
    drop_error();
  }
  for (const CodeNames::Import& import : names_->imports) good = walk_import(function, import) && good;
  return good;
}

bool CodeEncoder::add(PyObject* value, bool* done) {
  *done = true;
  if (PyMethod_Check(value)) {
    e_.out_.u8('M');
    return e_.add(PyMethod_GET_FUNCTION(value)) && e_.add(PyMethod_GET_SELF(value));
  }
  if (PyCode_Check(value)) return e_.out_.key(code_key(value)), true;
  const bool is_jit = lower::as_jit(value) != nullptr;
  if (PyCFunction_Check(value)) return add_builtin(value);
  const bool code = is_jit || PyFunction_Check(value) || PyType_Check(value) || PyModule_Check(value);
  if (!code) return add_descriptor(value, done);
  if (e_.in_memory()) {
    e_.identity(value);
    if (!e_.on_read && !e_.deep()) return true;
  }
  if (is_jit) return add_jit(value);
  if (PyFunction_Check(value)) return add_function(value);
  if (PyType_Check(value)) return add_class(reinterpret_cast<PyTypeObject*>(value));
  return add_module(value);
}

bool Encoder::add_code_like(PyObject* value, bool* done) { return CodeEncoder(*this).add(value, done); }

}  // namespace asc::runtime
