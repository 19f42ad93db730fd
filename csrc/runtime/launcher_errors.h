// SPDX-License-Identifier: Apache-2.0
// C++ errors as the Python exceptions of asc.errors. Needs the GIL.
#pragma once

#include <Python.h>

#include <span>

#include "base/error.h"
#include "lower/pyref.h"

namespace asc::runtime {

// Called inside a catch block: sets the Python error for whatever is being handled.
void set_python_error_from_exception();
// Runs `fn`; on a C++ exception sets the Python error and returns `failed`. What was to end the program
// meanwhile comes before an error that it led to.
template <class Fn, class Result>
Result guarded(Result failed, Fn&& fn) {
  Result result = failed;
  try {
    result = fn();
  } catch (...) {
    set_python_error_from_exception();
  }
  if (result == failed) raise_now();
  return result;
}

// A list of asc.Finding; new reference, null with an error set.
PyObject* findings_to_python(std::span<const Finding> findings);
void raise_findings(
    std::span<const Finding> findings);  // sets asc.KernelError or the subclass of the first one's kind
bool warn_findings(std::span<const Finding> findings);  // asc.FindingWarning each; false with an error set

}  // namespace asc::runtime
