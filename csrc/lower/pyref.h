// SPDX-License-Identifier: Apache-2.0
// An owned reference to a Python object, and errors that mean nothing. Everything here needs the GIL.
#pragma once

#include <Python.h>

#include <utility>

namespace asc {

class PyRef {
 public:
  PyRef() = default;
  PyRef(PyRef&& other) noexcept : object_(std::exchange(other.object_, nullptr)) {}
  PyRef& operator=(PyRef&& other) noexcept {
    std::swap(object_, other.object_);
    return *this;
  }
  ~PyRef() { Py_XDECREF(object_); }

  // `steal` takes over a reference that the caller owns (or null), `borrow` adds one.
  static PyRef steal(PyObject* object) {
    PyRef ref;
    ref.object_ = object;
    return ref;
  }
  static PyRef borrow(PyObject* object) {
    Py_XINCREF(object);
    return steal(object);
  }

  PyObject* get() const { return object_; }
  PyObject* release() { return std::exchange(object_, nullptr); }
  explicit operator bool() const { return object_ != nullptr; }

 private:
  PyObject* object_ = nullptr;
};

// Is this Python's main thread? Also in a forked child, whose only thread Python takes for it.
bool is_main_thread();

// Puts the error that is set aside and raises it when this thread is back in Python; `raise_now` does, in the
// place of the error that is set.
void raise_later();
void raise_now();

// Forgets the error that is set, if one is. What asks the program to end (KeyboardInterrupt, SystemExit,
// raised by a signal while Python code ran for us) is no answer to our question: it is raised later.
inline void drop_error() {
  PyObject* type = PyErr_Occurred();
  if (!type) return;
  if (PyErr_GivenExceptionMatches(type, PyExc_Exception))
    PyErr_Clear();
  else
    raise_later();
}

}  // namespace asc
