// SPDX-License-Identifier: Apache-2.0
// What finding paths and following them have in common. Needs the GIL.
#pragma once

#include <Python.h>

#include <string>
#include <unordered_map>

#include "lower/objects.h"
#include "runtime/deps_content.h"
#include "runtime/deps_facts.h"
#include "runtime/deps_paths.h"

namespace asc::runtime {

constexpr cache::Key kNotThere = {0, 1};

// One object under two names is read once: which names lead to one object is content too. Objects by the
// order in which they were first met, their classes, the globals and captured variables of kernel functions
// with them.
class Identities {
 public:
  void note_function(const lower::KernelFunction& function) {
    number(function.globals);
    PyObject* closure = PyFunction_GetClosure(function.fn);
    for (Py_ssize_t i = 0; closure && i < PyTuple_GET_SIZE(closure); i++)
      number(PyTuple_GET_ITEM(closure, i));
  }
  // Adds which of the objects before it the value is.
  void note(PyObject* value, cache::Key* content) {
    if (!value || is_plain_leaf(value)) return;
    bytes_ = {};
    bytes_.key(*content);
    number(value);
    number(reinterpret_cast<PyObject*>(Py_TYPE(value)));
    if (PyMethod_Check(value)) {
      number(PyMethod_GET_FUNCTION(value));
      number(PyMethod_GET_SELF(value));
    }
    if (const lower::KernelFunction* function = lower::as_jit(value)) {
      number(function->fn);
      note_function(*function);
      if (PyObject* self = lower::jit_bound_self(value)) number(self);
    }
    *content = cache::hash(bytes_.bytes());
  }

 private:
  void number(PyObject* object) {
    bytes_.u32(numbers_.emplace(object, static_cast<uint32_t>(numbers_.size())).first->second);
  }
  std::unordered_map<PyObject*, uint32_t> numbers_;
  cache::ByteWriter bytes_;
};

// Which of a kernel's compile-time arguments are one object is part of level 1.
inline void note_arguments(const PathArguments& arguments, Identities* identities) {
  cache::Key unused;
  for (PyObject* argument : arguments) identities->note(argument, &unused);
}

}  // namespace asc::runtime
