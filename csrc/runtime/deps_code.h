// SPDX-License-Identifier: Apache-2.0
// Functions, classes and modules as content: their code, and what that code may read (globals, captured
// variables, defaults, attributes of modules, of classes). Functions and classes of Python's own library
// count by name and code: Python's version is part of every key. Needs the GIL.
#pragma once

#include <Python.h>

#include <memory>
#include <string_view>
#include <vector>

#include "runtime/deps_content.h"
#include "runtime/deps_names.h"

namespace asc::runtime {

// What stands behind a name of code rather than of data.
inline bool is_code(PyObject* value) {
  return PyFunction_Check(value) || PyType_Check(value) || PyModule_Check(value) || PyCFunction_Check(value);
}

class CodeEncoder {
 public:
  explicit CodeEncoder(Encoder& encoder) : e_(encoder) {}
  bool add(PyObject* value, bool* done);

 private:
  bool add_jit(PyObject* value);
  bool add_function(PyObject* function);
  bool add_class(PyTypeObject* type);
  bool add_builtin(PyObject* function);
  bool add_descriptor(PyObject* value, bool* done);
  bool is_pure(PyObject* value, std::string_view module, std::string_view name) const;
  bool add_module(PyObject* module);
  bool add_library_name(PyObject* value, char tag);
  bool add_registered(PyTypeObject* type);
  bool add_copiers();
  bool walk_function(PyObject* function);
  bool walk_attributes(PyObject* function);
  bool compares_equals(PyObject* function) const;
  bool walk_names(PyObject* function);
  bool walk_globals(PyObject* function);
  bool walk_builtin(PyObject* builtin, PyObject* name);
  bool walk_class(PyTypeObject* type);
  bool walk_value(PyObject* value);
  bool walk_module(PyObject* module);
  bool walk_import(PyObject* function, const CodeNames::Import& import);
  bool walk_imported(std::string_view name);
  void read(Read::Via via, PyObject* owner, PyObject* name, PyObject* value) {
    if (via <= Read::Via::Cell && value && !is_code(value)) e_.values_read_++;
    if (e_.on_read) e_.on_read({via, owner, name, value});
  }

  Encoder& e_;
  std::shared_ptr<const CodeNames> names_;  // that the function at hand looks up
  std::vector<PyObject*> modules_;          // walked for it
  bool computed_ = false;                   // it reads attributes under names that it makes
};

}  // namespace asc::runtime
