// SPDX-License-Identifier: Apache-2.0
// Code objects: as keys, and what they look up by name. Needs the GIL.
#pragma once

#include <Python.h>

#include <vector>

#include "lower/pyref.h"
#include "runtime/cache_file.h"

namespace asc::runtime {

// Code as it runs: without file and lines.
cache::Key code_key(PyObject* code);

// Of a code object and those nested in it; each name once.
struct CodeNames {
  std::vector<PyObject*> globals;     // read as globals or builtins, and modules that are imported
  std::vector<PyObject*> attributes;  // all names, and texts that may name attributes
  bool compares_identity = false;     // `is`, with another than None, True or False
  std::vector<PyRef> kept;
};
CodeNames names_of(PyObject* code);

}  // namespace asc::runtime
