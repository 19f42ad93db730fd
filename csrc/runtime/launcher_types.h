// SPDX-License-Identifier: Apache-2.0
// The Python types of the launch, as their parts see each other: JITFunction (launcher_jit.cpp), the launch
// handle (launcher_handle.cpp), functions over both (launcher_module.cpp). Needs the GIL.
#pragma once

#include <Python.h>

#include <memory>
#include <string>

#include "runtime/launcher_call.h"

namespace asc::runtime {

inline JitFunctionObject* as_jit_function(PyObject* object) {
  return reinterpret_cast<JitFunctionObject*>(object);
}
inline const std::string& name_of(PyObject* jit) { return as_jit_function(jit)->state->function->name; }

int init_jit_type(PyObject* module);     // -1 with a Python error set
int init_handle_type(PyObject* module);  // -1 with a Python error set

// kernel[cores, stream]: a new launch handle, or null with a Python error set.
PyObject* make_handle(PyObject* jit, PyObject* key);

// While this is on, launches on this thread bind their arguments and do nothing else: for functions that are
// run to see which tensors they make (asc/torch_ops.py). Returns what it was before.
bool skip_launches(bool skip);

// The stream that launches go to when none is given: checked no further.
void register_default_stream(PyObject* stream);

// A new dict {parameter: argument}.
PyObject* bound_arguments(const Call& call);

// A compiled kernel in the hands of Python.
PyObject* compiled_capsule(std::shared_ptr<CompiledKernel> kernel);
// `asc.<module>.<name>(*arguments)` by Py_BuildValue's format of a tuple; new reference or null.
PyObject* call_in_module(const char* module, const char* name, const char* format, ...);

}  // namespace asc::runtime
