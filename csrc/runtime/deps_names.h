// SPDX-License-Identifier: Apache-2.0
// Code objects: as keys, and what they look up by name. Needs the GIL.
#pragma once

#include <Python.h>

#include <memory>
#include <vector>

#include "runtime/cache_file.h"

namespace asc::runtime {

// Code as it runs: without file and lines.
cache::Key code_key(PyObject* code);

// Of a code object and those nested in it; each name once. All objects are the code's, borrowed.
struct CodeNames {
  std::vector<PyObject*> globals;     // read as globals or builtins
  std::vector<PyObject*> attributes;  // all names, and texts that may name attributes
  // What `is` compares with: a global or captured variable, or an attribute of it.
  struct Compared {
    bool captured;
    PyObject *name, *attribute;  // null: none
  };
  std::vector<Compared> compared;
  struct Import {
    PyObject* name;
    long level;       // 0: absolute
    PyObject* parts;  // a tuple of what is taken from it, or None
  };
  std::vector<Import> imports;
  bool compares_identity = false;  // `is`, with anything else than constants and classes
};
std::shared_ptr<const CodeNames> names_of(PyObject* code);

}  // namespace asc::runtime
