// SPDX-License-Identifier: Apache-2.0
// asc.JITFunction and the launch handle `kernel[cores, stream]`: C types with vectorcall. A call binds
// arguments, forms a signature, finds or makes the specialisation, packs and launches. Needs the GIL.
#pragma once

#include <Python.h>

#include <memory>
#include <string>
#include <vector>

#include "base/small_vector.h"
#include "lower/function.h"
#include "lower/objects.h"
#include "lower/pyref.h"
#include "runtime/args.h"
#include "runtime/cache_index.h"
#include "runtime/compiled.h"
#include "runtime/deps.h"
#include "runtime/options.h"

namespace asc::runtime {

// What changes the compiled kernel.
struct CompileOptions {
  ir::KernelType kernel_type = ir::KernelType::Auto;
  bool auto_sync = true;
  bool matmul_cube_only = false;
  const PlatformDesc* platform = nullptr;  // null: the current one
  bool always_compile = false;
};

// One compiled variant of a kernel, and what it was compiled for.
struct Specialisation {
  std::vector<ArgCode> codes;
  std::vector<Mark> constants;  // one for each compile-time parameter, in order
  CompileOptions options;
  Dependencies dependencies;
  std::shared_ptr<CompiledKernel> kernel;
  std::string why;    // why it was made: what differed from the nearest one kept then
  cache::Key object;  // of the kernel on disk, if it is there

  void depend_on(Dependencies made);
};

// What is known of a kernel that was looked for on disk and not found.
struct DiskMiss {
  std::string why;  // empty: the level-1 key is not there; `fields` tell which part is new
  std::string folder;
  cache::Key manifest;
  cache::Fields fields;
};

// A function keeps so many; what was used longest ago goes, and comes again from disk.
constexpr size_t kMostSpecialisations = 256;

// The specialisations of one function.
struct SpecialisationCache {
  std::vector<std::shared_ptr<Specialisation>> entries;  // most recently used first
  uint64_t hits = 0, misses = 0;
  std::string last_miss;  // which field or dependency differed from the nearest entry
  std::string unkept;     // why the kernel compiled last is for one launch only
  uint64_t disk_hits = 0, disk_misses = 0, compiled = 0;
  DiskMiss disk_miss;      // the last one
  std::string not_stored;  // why the kernel compiled last is in this process only
};

// What every JITFunction of one Python function shares; options() and method access make more of them. An
// object of Python's own, so that its collector sees each reference in here once.
struct KernelObject {
  PyObject_HEAD lower::KernelFunction* function;
  SpecialisationCache* cache;
};

struct JitState {
  JitState() = default;
  JitState(const JitState& other);
  JitState(JitState&&) = default;
  JitState& operator=(JitState&&) = default;

  PyRef kernel;                               // KernelObject
  lower::KernelFunction* function = nullptr;  // the kernel's
  SpecialisationCache* cache = nullptr;       // the kernel's
  CompileOptions compile;
  SimSettings sim;
  bool strip_loc = false;  // dumps without the Python text of each line
  PyRef options;           // dict of what the user gave
  PyRef root;              // the JITFunction that options() were asked of first; null: this is one
};

struct JitFunctionObject {
  lower::JitObject head;
  vectorcallfunc vectorcall;
  JitState* state;
  PyObject* dict;
  PyObject* weakrefs;
};

struct HandleObject {
  PyObject_HEAD vectorcallfunc vectorcall;
  JitFunctionObject* jit;   // strong
  int grid;                 // 0: `grid_function` tells
  PyObject* grid_function;  // or, made while launches are skipped, a symbolic core count
  PyObject* stream;
};

// Adds JITFunction, LaunchHandle, launch_hooks and functions over them to `module`. -1 with a Python error
// set.
int init_launcher(PyObject* module);

// ---- parts (launcher_bind.cpp, launcher_options.cpp)

using Bound = SmallVector<PyObject*, 16>;

// Binds a call's arguments to parameters: `values` gets one borrowed reference a parameter (defaults filled
// in). `bound_self` is the receiver of a bound method, or null. False with Python's own kind of TypeError
// set.
bool bind_arguments(const lower::KernelFunction& function, PyObject* bound_self, PyObject* const* args,
                    Py_ssize_t nargs, PyObject* kwnames, Bound* values);

bool is_option_name(std::string_view name);
// One option by name, all of a dict (or null); false with a Python error set.
bool set_option(JitState& state, const char* name, PyObject* value, const char* where);
bool set_options(JitState& state, PyObject* options, const char* where);
// The names that may not be parameters of a kernel.
std::string clashing_parameters(const lower::KernelFunction& function);

// The platform that kernels are compiled for where they say none.
const PlatformDesc& current_platform();
void set_current_platform(const PlatformDesc& platform);

}  // namespace asc::runtime
