// SPDX-License-Identifier: Apache-2.0
// Which objects are one. Needs the GIL.
#pragma once

#include <Python.h>

#include <unordered_map>
#include <vector>

#include "lower/function.h"
#include "lower/pyref.h"

namespace asc::runtime {

// Numbers objects in the order in which they are first met, over all that is encoded with it: equal encodings
// then mean that the same objects are one in both. It keeps them, so that none takes another's address.
class Identities {
 public:
  uint32_t number(PyObject* object) {
    const auto [at, is_new] = numbers_.emplace(object, static_cast<uint32_t>(numbers_.size()));
    if (is_new) kept_.push_back(PyRef::borrow(object));
    return at->second;
  }
  // The function with its globals and captured variables, which another may share. `visit` gets each number.
  template <class Visit>
  void number_function(const lower::KernelFunction& function, Visit&& visit) {
    for (PyObject* part : {function.fn, function.globals}) visit(number(part));
    PyObject* closure = PyFunction_GetClosure(function.fn);
    for (Py_ssize_t i = 0; closure && i < PyTuple_GET_SIZE(closure); i++)
      visit(number(PyTuple_GET_ITEM(closure, i)));
  }

 private:
  std::unordered_map<PyObject*, uint32_t> numbers_;
  std::vector<PyRef> kept_;
};

}  // namespace asc::runtime
