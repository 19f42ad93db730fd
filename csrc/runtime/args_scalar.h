// SPDX-License-Identifier: Apache-2.0
// Inside runtime/args*: numbers as arguments. `pinned` is the dtype that the parameter's annotation asks for,
// or Void. False with a Python TypeError or OverflowError set that names the argument.
#pragma once

#include "runtime/args.h"
#include "runtime/args_kinds.h"

namespace asc::runtime {

bool classify_int(PyObject* value, DType pinned, const ArgName& name, ArgInfo* out);
bool classify_float(double value, DType pinned, const ArgName& name, ArgInfo* out);
bool classify_numpy_scalar(PyObject* value, DType pinned, const ArgName& name, ArgInfo* out);
// A pinned parameter takes any number that its dtype holds.
bool pin(ArgInfo* info, DType to, const ArgName& name);

}  // namespace asc::runtime
