// SPDX-License-Identifier: Apache-2.0
// The storage behind a view, for asc.raw: all memory that a kernel may reach from the view's first element.
#include <algorithm>

#include "lower/pyref.h"
#include "runtime/args_array.h"

namespace asc::runtime {
namespace {

void widen(const Extent& outer, Extent* extent) {
  if (outer.begin > extent->begin || outer.end < extent->end) return;  // no storage of this view
  *extent = outer;
}

// The whole of what an object exports as a buffer; nothing if it exports none.
bool buffer_extent(PyObject* value, Extent* out) {
  Py_buffer buffer;
  if (PyObject_GetBuffer(value, &buffer, PyBUF_STRIDED_RO) < 0) {
    drop_error();
    return false;
  }
  HostArray array;
  array.data = static_cast<uint8_t*>(buffer.buf);
  array.item = buffer.itemsize;
  const bool good = array.set_layout(buffer.ndim, reinterpret_cast<const int64_t*>(buffer.shape),
                                     reinterpret_cast<const int64_t*>(buffer.strides), 1);
  if (good) *out = extent_of(array);
  PyBuffer_Release(&buffer);
  return good;
}

// numpy: along `base` to whatever owns the memory; memoryviews: their object.
void follow_owners(PyObject* value, const char* link, Extent* extent) {
  PyObject* at = Py_NewRef(value);
  for (int depth = 0; at && depth < 64; depth++) {
    PyObject* next = PyObject_GetAttrString(at, link);
    if (!next || next == Py_None) {
      Py_XDECREF(next);
      break;
    }
    Py_SETREF(at, next);
    Extent outer;
    if (buffer_extent(at, &outer)) {
      widen(outer, extent);
      continue;
    }
    HostArray array;  // ml_dtypes' arrays export no buffer
    DType dtype;
    const std::string none;
    if (class_of(at) == TypeClass::NumpyArray && read_interface(at, {none, ""}, &array, &dtype))
      widen(extent_of(array), extent);
    drop_error();
  }
  Py_XDECREF(at);
  drop_error();
}

}  // namespace

bool read_storage(PyObject* value, TypeClass cls, const HostArray& array, Extent* out) {
  *out = extent_of(array);
  if (cls == TypeClass::Tensor || cls == TypeClass::TensorSubclass) {
    PyObject* storage = PyObject_CallMethod(value, "untyped_storage", nullptr);
    const int64_t address = storage ? call_int(storage, "data_ptr") : -1;
    const int64_t bytes = address != -1 ? call_int(storage, "nbytes") : -1;
    Py_XDECREF(storage);
    if (bytes < 0) return false;
    widen({static_cast<intptr_t>(address), static_cast<intptr_t>(address + bytes)}, out);
  } else if (cls == TypeClass::NumpyArray) {
    follow_owners(value, "base", out);
  } else if (PyMemoryView_Check(value)) {
    follow_owners(value, "obj", out);
  }
  return true;
}

}  // namespace asc::runtime
