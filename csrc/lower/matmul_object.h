// SPDX-License-Identifier: Apache-2.0
// Recognises asc.adv.MatmulType (asc/adv/matmul.py), which is Python: the class, and a value of it.
#pragma once

#include <Python.h>

namespace asc::lower {

// Of that class itself: what another derived from it does is its own.
bool is_matmul_type_class(PyObject* object);
bool is_matmul_type(PyObject* object);

// All that a value of it is.
inline constexpr const char* kMatmulTypeFields[] = {"position", "format", "dtype", "is_trans", "layout"};

}  // namespace asc::lower
