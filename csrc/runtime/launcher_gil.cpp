// SPDX-License-Identifier: Apache-2.0
#include "runtime/launcher_gil.h"

#include <unistd.h>

#include "lower/pyref.h"

namespace asc::runtime {

bool interpreter_ends() {
#if PY_VERSION_HEX >= 0x030D0000
  return Py_IsFinalizing() != 0;
#else
  return _Py_IsFinalizing() != 0;
#endif
}

PyObject* imported_modules() {
  if (!interpreter_ends()) return PyImport_GetModuleDict();
  PyObject* modules = PySys_GetObject("modules");
  return modules && PyDict_Check(modules) ? modules : nullptr;
}

PyObject* imported_module(const char* name) {
  PyObject* modules = imported_modules();
  return modules ? PyDict_GetItemString(modules, name) : nullptr;
}

void GilPause::take_gil(PyThreadState* state) {
  // When the interpreter has ended meanwhile, Python ends a thread that comes back by unwinding its stack
  // (newer ones park it). Destructors on the way would let go of Python objects without the GIL: park it
  // here.
  try {
    PyEval_RestoreThread(state);
  } catch (...) {  // the unwinding, which is no exception of C++'s
    while (true) pause();
  }
}

bool GilPause::go_on() {
  if (!is_main_thread()) return true;
  take_gil(state_);
  const bool quiet = PyErr_CheckSignals() == 0;
  state_ = PyEval_SaveThread();
  return quiet;
}

}  // namespace asc::runtime
