// SPDX-License-Identifier: Apache-2.0
// Struct arguments: the bytes of asc.language.core.struct's ctypes instance, copied for the launch, so that
// a kernel never sees what the host changes later.
#include "runtime/args.h"

namespace asc::runtime {

bool pack_struct(PyObject* value, std::string* out) {
  static PyObject* const name = PyUnicode_InternFromString("ctypes_struct");
  PyObject* memory = PyObject_GetAttr(value, name);
  if (!memory) return false;
  Py_buffer buffer;
  const bool good = PyObject_GetBuffer(memory, &buffer, PyBUF_SIMPLE) == 0;
  if (good) {
    out->assign(static_cast<const char*>(buffer.buf), static_cast<size_t>(buffer.len));
    PyBuffer_Release(&buffer);
  }
  Py_DECREF(memory);
  return good;
}

}  // namespace asc::runtime
