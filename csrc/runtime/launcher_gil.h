// SPDX-License-Identifier: Apache-2.0
// A launch without the GIL, which still sees Python's signals.
#pragma once

#include <Python.h>

#include <utility>

#include "sim/simulator.h"

namespace asc::runtime {

// Gives the GIL up while it lives. As the launch's watch it lets the main thread run Python's signal handlers
// meanwhile: one that raises stops the launch, and its exception stays set; one that returns lets it go on.
// Other threads get no signals in Python, and their launches none here.
class GilPause final : public sim::Watch {
 public:
  GilPause() : state_(PyEval_SaveThread()) {}
  GilPause(const GilPause&) = delete;
  GilPause& operator=(const GilPause&) = delete;
  ~GilPause() override { take_gil(state_); }
  bool go_on() override;

 private:
  static void take_gil(PyThreadState* state);
  PyThreadState* state_;
};

// Is Python taking its modules apart? What is warm can still be launched; nothing can be compiled.
bool interpreter_ends();

// sys.modules, and a module in it; borrowed. Null where there is none, also when a finaliser asks so late
// that Python has taken the table away (PyImport_GetModuleDict ends the process then).
PyObject* imported_modules();
PyObject* imported_module(const char* name);

// A raised exception put aside.
class PyErrorState {
 public:
  PyErrorState() = default;
  static PyErrorState take() {
    PyErrorState error;
    PyErr_Fetch(&error.type_, &error.value_, &error.traceback_);
    return error;
  }
  PyErrorState(PyErrorState&& other) noexcept
      : type_(std::exchange(other.type_, nullptr)),
        value_(std::exchange(other.value_, nullptr)),
        traceback_(std::exchange(other.traceback_, nullptr)) {}
  ~PyErrorState() {
    Py_XDECREF(type_);
    Py_XDECREF(value_);
    Py_XDECREF(traceback_);
  }
  // Raises it again, in the place of any other.
  void restore() {
    PyErr_Restore(std::exchange(type_, nullptr), std::exchange(value_, nullptr),
                  std::exchange(traceback_, nullptr));
  }

 private:
  PyObject *type_ = nullptr, *value_ = nullptr, *traceback_ = nullptr;
};

}  // namespace asc::runtime
