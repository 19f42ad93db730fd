// SPDX-License-Identifier: Apache-2.0
// Python function to IR. Everything here runs with the GIL held.
#pragma once

#include <Python.h>

#include <memory>
#include <string>
#include <vector>

#include "ir/ir.h"
#include "lower/pyref.h"
#include "ops/limits.h"

namespace asc::lower {

struct KernelFunction;  // lower/function.h

// What the lowering knows of one argument of the kernel.
struct ParamSpec {
  enum class Form : uint8_t { Array, Scalar, Constant, Struct } form;
  DType dtype = DType::Void;     // Array: of an element; Scalar: its type
  bool nonnegative = false;      // Scalar of Python int: its sign is part of the specialisation
  PyObject* constant = nullptr;  // Constant: its value; Struct: its class; borrowed
};

// An outside value that lowering read: `owner[name]`, what it was. The cache and the launch re-check it.
struct Dependency {
  // Whole: the owner was given to Python code, which may have read all of it. Default: of a helper's
  // parameter; the owner is the Python function.
  enum class Via : uint8_t { Global, Builtin, Cell, Attribute, Item, Default, Whole } via;
  PyObject* owner;  // strong; the globals dict, the cell or the object
  PyObject* name;   // strong; null for cells and whole objects
  PyObject* value;  // strong: what it was
  // The owner was made while lowering, by code and from values that are dependencies themselves: other
  // processes need not look at it.
  bool derived = false;
};

struct Request {
  PyObject* jit_function = nullptr;  // the kernel (asc.JITFunction), borrowed
  std::vector<ParamSpec> params;     // one for each Python parameter, in order
  ir::KernelType kernel_type = ir::KernelType::Auto;
  bool auto_sync = true;
  bool matmul_cube_only = false;  // a kernel that registers a Matmul runs on cube cores alone
  const PlatformDesc* platform = nullptr;
};

struct Result {
  std::unique_ptr<ir::Module> module;
  std::vector<Dependency> dependencies;          // what was read first comes first
  std::vector<const KernelFunction*> functions;  // by index in the module's source table
  bool shows_address = false;                    // a text that Python made says where in memory an object is
  bool asks_identity = false;                    // whether objects that may be equal are one
  Result() = default;
  Result(Result&&) = default;
  Result& operator=(Result&&) = default;
  ~Result();  // drops the references; with the GIL held
};

// A compile error that a Python exception of compile-time code caused; the exception becomes its `__cause__`.
class PythonCompileError : public CompileError {
 public:
  PythonCompileError(const CompileError& error, PyRef cause)
      : CompileError(error), cause(std::make_shared<PyRef>(std::move(cause))) {}
  std::shared_ptr<PyRef> cause;  // used and dropped with the GIL held
};

// Thrown with a Python error set that is no fault of the kernel (KeyboardInterrupt, SystemExit): it goes
// through as it is.
struct PythonErrorSet {};

// Throws CompileError for whatever the kernel's text is guilty of.
Result lower_kernel(const Request& request);

}  // namespace asc::lower
