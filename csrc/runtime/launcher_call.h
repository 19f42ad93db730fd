// SPDX-License-Identifier: Apache-2.0
// One call of a kernel between its parts: bound and classified arguments, and the steps from there.
#pragma once

#include <Python.h>

#include <memory>
#include <vector>

#include "runtime/launcher.h"

namespace asc::runtime {

struct Call {
  const lower::KernelFunction* function = nullptr;
  Bound values;                    // one for each parameter, borrowed
  SmallVector<ArgInfo, 16> infos;  // by classify_call
};

bool classify_call(Call* call);  // false with a Python error set
// Finds the specialisation or makes it. Throws CompileError.
std::shared_ptr<Specialisation> specialise(PyObject* jit, const JitState& state, const Call& call,
                                           bool keep_lowered);
// For benchmarks: lowers from the AST arena, runs the passes and prints Ascend C `repeat` times; seconds of
// each.
std::vector<double> time_compile(PyObject* jit, const JitState& state, const Call& call, int repeat);
// Everything from a classified call to the end of the launch. False with a Python error set; throws
// CompileError, LaunchError.
bool launch_call(PyObject* jit, const JitState& state, const Call& call, int grid, PyObject* stream);

// launcher_module.cpp: the record for each of asc.runtime.launch_hooks; the findings for asc.last_findings().
bool call_launch_hooks(PyObject* jit, const Call& call, const Specialisation& specialisation, int grid,
                       PyObject* stream);
bool keep_last_findings(const std::vector<Finding>& findings);

}  // namespace asc::runtime
