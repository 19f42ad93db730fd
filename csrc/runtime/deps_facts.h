// SPDX-License-Identifier: Apache-2.0
// Where modules and classes come from, and what the state of their instances is. Needs the GIL.
#pragma once

#include <Python.h>

#include <string>
#include <string_view>
#include <unordered_map>

#include "lower/pyref.h"

namespace asc::runtime {

// An attribute, or null with no error set.
PyRef attribute(PyObject* object, const char* name);
// The text of a str; empty for all others.
std::string_view text_of(PyObject* str);

// The attributes that a function or a kernel function was given, borrowed; null if it has none.
PyObject* given_attributes(PyObject* function);
Py_ssize_t count_attributes(PyObject* function);

// Where the code of a module comes from.
enum class Origin : uint8_t { User, Library, Native };
Origin origin_of_module(std::string_view name);
bool is_library_file(std::string_view file);
PyObject* loaded_module(std::string_view name);  // borrowed, or null
// `__version__` of the package around a module that is not Python's own.
std::string version_of(std::string_view module);
// Would an import of this module, which is not loaded, find it?
bool is_importable(PyObject* name);
// Neither of an installed package nor of Python's own: it may be edited between two runs.
bool is_users_module(PyObject* module, std::string_view name);

std::string_view module_of(PyTypeObject* type);
// Of Python's own library or written in C: fixed while its version is.
bool is_library_type(PyTypeObject* type);
bool is_enum_class(PyTypeObject* type);
// All of an instance's state can be reached: its attributes, slots, and the built-in type it derives from.
bool has_known_state(PyTypeObject* type);
// Two instances may be equal, and found as one key, without being one.
bool compares_by_value(PyTypeObject* type);
// Not equal to itself, as NaN.
bool is_unequal(PyObject* value);
// Is it an instance of just this type of a module that is loaded?
bool is_type(PyObject* value, const char* module, const char* name);

// Facts about objects by address. It keeps none of them alive: what has died is found anew.
template <class Fact>
class Memo {
 public:
  const Fact* find(PyObject* object) const {
    const auto at = known_.find(object);
    return at != known_.end() && is_alive(at->second.reference.get(), object) ? &at->second.fact : nullptr;
  }
  void keep(PyObject* object, const Fact& fact) {
    constexpr size_t kMost = 16384;
    if (known_.size() >= kMost) known_.clear();
    PyRef reference = PyRef::steal(PyWeakref_NewRef(object, nullptr));
    if (reference)
      known_.insert_or_assign(object, Known{std::move(reference), fact});
    else
      drop_error();
  }

 private:
  struct Known {
    PyRef reference;
    Fact fact;
  };
  static bool is_alive(PyObject* reference, PyObject* object) {
#if PY_VERSION_HEX >= 0x030D0000
    PyObject* referent = nullptr;
    PyWeakref_GetRef(reference, &referent);
    const PyRef drop = PyRef::steal(referent);
    return referent == object;
#else
    return PyWeakref_GetObject(reference) == object;
#endif
  }
  std::unordered_map<PyObject*, Known> known_;
};

}  // namespace asc::runtime
