// SPDX-License-Identifier: Apache-2.0
#include "lower/pyref.h"

#include <sys/syscall.h>
#include <unistd.h>

namespace asc {
namespace {

PyObject* g_later = nullptr;  // what the main thread raises next

int raise_pending(void*) {
  const PyRef error = PyRef::steal(std::exchange(g_later, nullptr));
  if (!error) return 0;
  PyErr_SetObject(reinterpret_cast<PyObject*>(Py_TYPE(error.get())), error.get());
  return -1;
}

}  // namespace

bool is_main_thread() { return syscall(SYS_gettid) == getpid(); }

void raise_later() {
  PyObject *type, *value, *traceback;
  PyErr_Fetch(&type, &value, &traceback);
  PyErr_NormalizeException(&type, &value, &traceback);
  const PyRef own_type = PyRef::steal(type), own_traceback = PyRef::steal(traceback);
  PyRef error = PyRef::steal(value);
  if (!error) return;
  if (traceback) PyException_SetTraceback(error.get(), traceback);
  // Other threads can be sent a class only; the handlers of signals run in the main thread.
  if (!is_main_thread()) {
    PyThreadState_SetAsyncExc(PyThread_get_thread_ident(), type);
    return;
  }
  if (g_later) return;  // one end is enough
  g_later = error.release();
  if (Py_AddPendingCall(raise_pending, nullptr) == 0) return;
  Py_CLEAR(g_later);  // the queue is full
  PyThreadState_SetAsyncExc(PyThread_get_thread_ident(), type);
}

void raise_now() {
  if (!g_later || !is_main_thread()) return;
  PyErr_Clear();
  raise_pending(nullptr);
}

}  // namespace asc
