// SPDX-License-Identifier: Apache-2.0
#include "runtime/deps.h"

#include <string>

#include "base/format.h"
#include "runtime/args.h"

namespace asc::runtime {
namespace {

using Via = lower::Dependency::Via;

// The value now; a borrowed or new reference by `*is_new`; null (no error set) if it is gone.
PyObject* read_now(const lower::Dependency& dependency, bool* is_new) {
  *is_new = false;
  switch (dependency.via) {
    case Via::Global: return PyDict_GetItemWithError(dependency.owner, dependency.name);
    case Via::Builtin: {
      // A global of the same name would hide the builtin.
      if (PyDict_GetItemWithError(dependency.owner, dependency.name)) return nullptr;
      return PyDict_GetItemWithError(PyEval_GetBuiltins(), dependency.name);
    }
    case Via::Cell: return PyCell_GET(dependency.owner);
    case Via::Attribute:
      if (PyModule_CheckExact(dependency.owner)) {
        PyObject* value = PyDict_GetItemWithError(PyModule_GetDict(dependency.owner), dependency.name);
        if (value) return value;
      }
      *is_new = true;
      return PyObject_GetAttr(dependency.owner, dependency.name);
    case Via::Item: *is_new = true; return PyObject_GetItem(dependency.owner, dependency.name);
  }
  return nullptr;
}

}  // namespace

Dependencies::Dependencies(std::vector<lower::Dependency> read) : read_(std::move(read)) {
  for (lower::Dependency& dependency : read_)
    Py_SETREF(dependency.value, snapshot_constant(dependency.value));
}

Dependencies::~Dependencies() {
  for (lower::Dependency& dependency : read_) {
    Py_XDECREF(dependency.owner);
    Py_XDECREF(dependency.name);
    Py_XDECREF(dependency.value);
  }
}

int Dependencies::traverse(visitproc visit, void* arg) const {
  for (const lower::Dependency& dependency : read_) {
    Py_VISIT(dependency.owner);
    Py_VISIT(dependency.value);
  }
  return 0;
}

bool Dependencies::holds(const lower::Dependency& dependency) {
  bool is_new;
  PyObject* now = read_now(dependency, &is_new);
  bool same = now != nullptr;
  if (now && (now != dependency.value || PyList_CheckExact(now) || PyDict_CheckExact(now) ||
              PyTuple_CheckExact(now))) {
    // The comparison may run Python code that drops the last reference to a borrowed value.
    Py_INCREF(now);
    same = same_constant(dependency.value, now) > 0;
    Py_DECREF(now);
  }
  if (is_new) Py_XDECREF(now);
  if (PyErr_Occurred()) PyErr_Clear();
  return same;
}

bool Dependencies::hold() const {
  for (const lower::Dependency& dependency : read_)
    if (!holds(dependency)) return false;
  return true;
}

std::string Dependencies::changed() const {
  static constexpr const char* kWords[] = {"global", "builtin", "captured variable", "attribute", "item"};
  for (const lower::Dependency& dependency : read_) {
    if (holds(dependency)) continue;
    PyObject* text = dependency.name ? PyObject_Repr(dependency.name) : nullptr;
    const char* utf8 = text ? PyUnicode_AsUTF8(text) : nullptr;
    std::string shown = fmt::format("{} {}", kWords[static_cast<int>(dependency.via)], utf8 ? utf8 : "");
    Py_XDECREF(text);
    PyErr_Clear();
    return shown;
  }
  return {};
}

}  // namespace asc::runtime
