// SPDX-License-Identifier: Apache-2.0
// What the arguments of a launch are: arrays of numpy, torch and other libraries, Python and numpy scalars,
// compile-time values. Needs the GIL.
#pragma once

#include <Python.h>

#include <cstdint>
#include <string>

#include "lower/function.h"

namespace asc::runtime {

// What one argument is, without its value: equal codes lower alike.
using ArgCode = uint32_t;

struct ArgInfo {
  enum class Form : uint8_t { Array, Scalar, Constant, Struct } form = Form::Constant;
  DType dtype = DType::Void;
  bool nonnegative = false;
  uint64_t bits = 0;     // Scalar: the value, as sim::Argument has it
  bool is_mock = false;  // no memory, no value behind it
  static ArgInfo of_code(ArgCode code) {
    ArgInfo info;
    info.form = static_cast<Form>(code >> 16);
    info.dtype = static_cast<DType>(code >> 8 & 0xFF);
    info.nonnegative = (code & 1) != 0;
    return info;
  }
  ArgCode code() const {
    return static_cast<ArgCode>(form) << 16 | static_cast<ArgCode>(dtype) << 8 |
           static_cast<ArgCode>(nonnegative);
  }
};

// Sorts an argument into its form. False with a Python TypeError, OverflowError set that names the kernel and
// the argument.
bool classify_argument(PyObject* value, const lower::Parameter& parameter, const std::string& kernel,
                       ArgInfo* out);
// Does the argument have the struct, or the plain number, that the parameter's annotation names? False with a
// TypeError. Needed once a specialisation: what differs here makes another.
bool check_annotation(PyObject* value, const lower::KernelFunction& function,
                      const lower::Parameter& parameter, const ArgInfo& info);

// The bytes of a struct argument; false with a Python error set. args_struct.cpp
bool pack_struct(PyObject* value, std::string* out);

// Adds asc.raw and asc.pointers to `module`; -1 with a Python error set.
int init_argument_types(PyObject* module);

// asc.runtime.jit.MockTensor and MockValue: arguments without memory, for compiling and dry runs.
void register_mock_types(PyObject* mock_tensor, PyObject* mock_value);

}  // namespace asc::runtime
