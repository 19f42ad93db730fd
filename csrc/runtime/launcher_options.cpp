// SPDX-License-Identifier: Apache-2.0
// Options of @asc.jit(...), of a call, and of kernel.options(...): their names, and what they set.
#include <algorithm>
#include <iterator>
#include <string_view>

#include "base/format.h"
#include "runtime/launcher.h"

namespace asc::runtime {
namespace {

// The reference's option names: keywords of a call, so no parameter may have one.
constexpr std::string_view kReservedOptions[] = {
    "always_compile",   "auto_sync",  "auto_sync_log",       "bisheng_options",   "capture_exceptions",
    "core_num",         "debug",      "insert_sync",         "ir_multithreading", "kernel_type",
    "matmul_cube_only", "opt_level",  "print_ir_before_all", "run_passes",        "stream",
    "strip_loc",        "verify_sync"};
// Ours: only through @asc.jit(...) and kernel.options(...), so they never clash with a parameter.
constexpr std::string_view kOwnOptions[] = {"ignore",   "max_findings", "mode",   "on_finding",
                                            "platform", "threads",      "timeout"};

bool set_bool(bool* to, PyObject* value, const char* name, const char* where) {
  const int truth = PyObject_IsTrue(value);
  if (truth < 0) return false;
  if (!PyBool_Check(value) && value != Py_None) {
    PyErr_Format(PyExc_TypeError, "%s: %s takes True or False, got %R", where, name, value);
    return false;
  }
  *to = truth == 1;
  return true;
}

// An enum member (asc.runtime.config.KernelType, Platform) or its text.
bool option_text(PyObject* value, const char* attribute, std::string* out) {
  PyObject* text = PyUnicode_Check(value) ? Py_NewRef(value) : PyObject_GetAttrString(value, attribute);
  const char* utf8 = text && PyUnicode_Check(text) ? PyUnicode_AsUTF8(text) : nullptr;
  if (utf8) *out = utf8;
  Py_XDECREF(text);
  drop_error();
  return utf8 != nullptr;
}

bool set_kernel_type(JitState& state, PyObject* value, const char* where) {
  std::string name;
  if (value == Py_None) {
    state.compile.kernel_type = ir::KernelType::Auto;
    return true;
  }
  if (option_text(value, "name", &name) && ir::parse_kernel_type(name, &state.compile.kernel_type))
    return true;
  PyErr_Format(PyExc_TypeError,
               "%s: kernel_type takes a member of asc.runtime.config.KernelType that this device has, got %R",
               where, value);
  return false;
}

bool set_platform_option(JitState& state, PyObject* value, const char* where) {
  std::string name;
  state.compile.platform = nullptr;
  if (value == Py_None) return true;
  if (option_text(value, "value", &name)) state.compile.platform = find_platform(name);
  if (state.compile.platform) return true;
  PyErr_Format(PyExc_ValueError, "%s: %R is no known platform", where, value);
  return false;
}

// ('bounds', 'sync') as "bounds+sync", the form that PYASC_SIM has; null with an error set.
PyRef joined_kinds(PyObject* value, const char* where) {
  const PyRef plus = PyRef::steal(PyUnicode_FromString("+"));
  const PyRef items = PyRef::steal(PySequence_Fast(value, ""));
  PyRef joined = plus && items ? PyRef::steal(PyUnicode_Join(plus.get(), items.get())) : PyRef();
  if (!joined && PyErr_ExceptionMatches(PyExc_TypeError))
    PyErr_Format(PyExc_TypeError, "%s: ignore takes kinds of findings, such as ('bounds',), got %R", where,
                 value);
  return joined;
}

bool set_own_option(JitState& state, std::string_view name, PyObject* value, const char* where) {
  if (value == Py_None) {
    clear_sim_setting(state.sim, name);
    return true;
  }
  const bool kinds = name == "ignore" && !PyUnicode_Check(value);
  const PyRef text = kinds ? joined_kinds(value, where) : PyRef::steal(PyObject_Str(value));
  const char* utf8 = text ? PyUnicode_AsUTF8(text.get()) : nullptr;
  if (!utf8) return false;
  try {
    set_sim_setting(state.sim, name, utf8, where);
  } catch (const LaunchError& error) {
    PyErr_SetString(PyExc_ValueError, error.message().c_str());
    return false;
  }
  return true;
}

}  // namespace

bool is_option_name(std::string_view name) {
  return std::find(std::begin(kReservedOptions), std::end(kReservedOptions), name) !=
         std::end(kReservedOptions);
}

bool set_option(JitState& state, const char* name, PyObject* value, const char* where) {
  const std::string_view key = name;
  if (key == "always_compile") return set_bool(&state.compile.always_compile, value, name, where);
  if (key == "auto_sync") return set_bool(&state.compile.auto_sync, value, name, where);
  if (key == "strip_loc") return set_bool(&state.strip_loc, value, name, where);
  if (key == "matmul_cube_only") return set_bool(&state.compile.matmul_cube_only, value, name, where);
  if (key == "kernel_type") return set_kernel_type(state, value, where);
  if (key == "platform") return set_platform_option(state, value, where);
  if (std::find(std::begin(kOwnOptions), std::end(kOwnOptions), key) != std::end(kOwnOptions))
    return set_own_option(state, key, value, where);
  if (is_option_name(key))
    return true;  // settings of the device compiler: kept in `options`, no effect on the simulator
  std::string known;
  for (const std::string_view other : kReservedOptions)
    known += (known.empty() ? "" : ", ") + std::string(other);
  for (const std::string_view other : kOwnOptions) known += ", " + std::string(other);
  PyErr_SetString(PyExc_TypeError,
                  fmt::format("{}: unknown option '{}'; known are {}", where, name, known).c_str());
  return false;
}

bool set_options(JitState& state, PyObject* options, const char* where) {
  PyObject *key, *value;
  Py_ssize_t at = 0;
  while (options && PyDict_Next(options, &at, &key, &value)) {
    const char* name = PyUnicode_AsUTF8(key);
    if (!name || !set_option(state, name, value, where)) return false;
  }
  return true;
}

std::string clashing_parameters(const lower::KernelFunction& function) {
  std::string clash;
  for (const lower::Parameter& parameter : function.params)
    if (is_option_name(parameter.utf8)) clash += (clash.empty() ? "" : ", ") + parameter.utf8;
  return clash;
}

}  // namespace asc::runtime
