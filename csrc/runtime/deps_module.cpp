// SPDX-License-Identifier: Apache-2.0
// Modules, by what functions read of them.
#include <algorithm>
#include <string_view>

#include "base/format.h"
#include "lower/objects.h"
#include "runtime/deps_code.h"
#include "runtime/deps_facts.h"
#include "runtime/deps_pure.h"
#include "runtime/launcher_gil.h"

namespace asc::runtime {

bool CodeEncoder::walk_value(PyObject* value) {
  return PyModule_Check(value) ? walk_module(value) : e_.add(value);
}

// Of a module, the attributes that the function at hand may name.
bool CodeEncoder::walk_module(PyObject* module) {
  const PyRef name = attribute(module, "__name__");
  e_.out_.u8('m');
  e_.out_.text(text_of(name.get()));
  e_.number(module);
  if (lower::is_asc_module(text_of(name.get()))) return true;
  if (std::find(modules_.begin(), modules_.end(), module) != modules_.end()) return true;
  modules_.push_back(module);
  const bool is_users = is_users_module(module, text_of(name.get()));
  std::vector<PyObject*> names = names_->attributes;
  const PyRef maker = PyRef::steal(PyUnicode_InternFromString("__getattr__"));
  if (is_users) {
    names.push_back(maker.get());
    PyObject* dict = PyModule_GetDict(module);
    if (!e_.in_memory() && (!PyModule_CheckExact(module) || PyDict_GetItemString(dict, "__getattr__")))
      return e_.fail(fmt::format("module '{}' makes its attributes when they are read", text_of(name.get())));
    if (computed_) return e_.add(module);
  }
  PyObject* dict = PyModule_GetDict(module);
  bool good = true;
  for (PyObject* attribute_name : names) {
    const PyRef value = PyRef::borrow(PyDict_GetItemWithError(dict, attribute_name));
    drop_error();
    if (!value && is_users) read(Read::Via::Global, dict, attribute_name, nullptr);
    if (!value) continue;
    if (text_of(name.get()) == "sys" && !is_fixed_in_sys(text_of(attribute_name))) {
      if (!e_.in_memory() || reads_the_program("sys", text_of(attribute_name)))
        good = e_.fail(fmt::format("sys.{} is of this process", text_of(attribute_name)));
      continue;
    }
    e_.out_.text(text_of(attribute_name));
    read(Read::Via::Global, dict, attribute_name, value.get());
    good = walk_value(value.get()) && good;
  }
  return good;
}

// A module that the function imports, by its full name: as it is loaded, or whether it could be.
bool CodeEncoder::walk_imported(std::string_view name) {
  const PyRef full =
      PyRef::steal(PyUnicode_FromStringAndSize(name.data(), static_cast<Py_ssize_t>(name.size())));
  PyObject* module = loaded_module(name);
  e_.out_.text(name);
  read(Read::Via::Global, imported_modules(), full.get(), module);
  if (module) return !PyModule_Check(module) || walk_module(module);
  const bool is_there = is_importable(full.get());
  if (!is_there) read(Read::Via::Import, imported_modules(), full.get(), Py_False);
  return e_.add(is_there ? Py_True : Py_False);
}

bool CodeEncoder::walk_import(PyObject* function, const CodeNames::Import& import) {
  std::string name(text_of(import.name));
  if (import.level > 0) {
    std::string package(text_of(PyDict_GetItemString(PyFunction_GET_GLOBALS(function), "__package__")));
    for (long up = 1; up < import.level; up++)
      package.resize(package.rfind('.') == std::string::npos ? 0 : package.rfind('.'));
    name = package + (name.empty() ? "" : ".") + name;
  }
  bool good = walk_imported(name);
  if (!PyTuple_Check(import.parts)) {  // the packages around it are read by the same name
    for (size_t dot = name.find('.'); dot != std::string::npos; dot = name.find('.', dot + 1))
      good = walk_imported(name.substr(0, dot)) && good;
    return good;
  }
  PyObject* module = loaded_module(name);
  for (Py_ssize_t i = 0; module && i < PyTuple_GET_SIZE(import.parts); i++) {
    PyObject* part = PyTuple_GET_ITEM(import.parts, i);
    const PyRef value = PyRef::steal(PyObject_GetAttr(module, part));
    drop_error();
    if (!value) good = walk_imported(name + "." + std::string(text_of(part))) && good;
  }
  return good;
}

// A module as a value: what is done with it is not known, so that it counts as all that it holds.
bool CodeEncoder::add_module(PyObject* module) {
  const PyRef name = attribute(module, "__name__");
  e_.out_.u8('m');
  e_.out_.text(text_of(name.get()));
  e_.out_.text(version_of(text_of(name.get())));
  if (e_.how_ == How::Own || lower::is_asc_module(text_of(name.get()))) return true;
  if (!is_users_module(module, text_of(name.get()))) {
    return e_.in_memory() ||
           e_.fail(fmt::format("module '{}' is given to a Python function", text_of(name.get())));
  }
  if (!e_.in_memory() && !PyModule_CheckExact(module))
    return e_.fail(fmt::format("module '{}' makes its attributes when they are read", text_of(name.get())));
  PyObject* dict = PyModule_GetDict(module);
  const PyRef count = PyRef::steal(PyLong_FromSsize_t(count_attributes(module)));
  read(Read::Via::Attributes, module, nullptr, count.get());
  const PyRef names = PyRef::steal(PyDict_Keys(dict));
  if (!names || PyList_Sort(names.get()) < 0) return e_.fail("a module");
  bool good = true;
  for (Py_ssize_t i = 0; i < PyList_GET_SIZE(names.get()); i++) {
    PyObject* key = PyList_GET_ITEM(names.get(), i);
    const PyRef value = PyRef::borrow(PyDict_GetItemWithError(dict, key));
    if (!value || (text_of(key).starts_with("__") && text_of(key) != "__getattr__")) continue;
    e_.out_.text(text_of(key));
    read(Read::Via::Global, dict, key, value.get());
    good = e_.add(value.get()) && good;
  }
  return good;
}

}  // namespace asc::runtime
