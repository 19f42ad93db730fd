// SPDX-License-Identifier: Apache-2.0
// Compile-time values as specialisations keep and compare them.
#include <bit>
#include <cstring>

#include "lower/objects.h"
#include "runtime/args.h"
#include "runtime/args_kinds.h"

namespace asc::runtime {
namespace {

// Counts the levels of containers within each other: what is nested deeper, or holds itself, is refused.
struct Nesting {
  Nesting()
      : entered(Py_EnterRecursiveCall(" in a compile-time value: it is nested too deeply or holds itself") ==
                0) {}
  ~Nesting() {
    if (entered) Py_LeaveRecursiveCall();
  }
  const bool entered;
};

// Bytes of an array or numpy scalar in logical order.
class ArrayBytes {
 public:
  explicit ArrayBytes(PyObject* array) {
    if (PyObject_GetBuffer(array, &buffer_, PyBUF_C_CONTIGUOUS) < 0) {
      PyErr_Clear();
      PyObject* bytes = PyObject_CallMethod(array, "tobytes", nullptr);
      if (!bytes || PyObject_GetBuffer(bytes, &buffer_, PyBUF_SIMPLE) < 0) buffer_.obj = nullptr;
      Py_XDECREF(bytes);
      PyErr_Clear();
    }
  }
  ArrayBytes(const ArrayBytes&) = delete;
  ArrayBytes& operator=(const ArrayBytes&) = delete;
  ~ArrayBytes() { PyBuffer_Release(&buffer_); }
  bool same(const ArrayBytes& other) const {
    return buffer_.obj && other.buffer_.obj && buffer_.len == other.buffer_.len &&
           std::memcmp(buffer_.buf, other.buffer_.buf, static_cast<size_t>(buffer_.len)) == 0;
  }

 private:
  Py_buffer buffer_ = {};
};

// Is an attribute of two objects equal? No where it cannot be told.
bool same_attribute(PyObject* kept, PyObject* value, const char* name) {
  PyObject* a = PyObject_GetAttrString(kept, name);
  PyObject* b = a ? PyObject_GetAttrString(value, name) : nullptr;
  const int same = b ? PyObject_RichCompareBool(a, b, Py_EQ) : 0;
  Py_XDECREF(a);
  Py_XDECREF(b);
  if (same < 0 || !b) PyErr_Clear();
  return same > 0;
}

// Arrays and numpy scalars: dtype, shape and bytes. What holds Python objects is never the same: it may
// change within.
bool same_numpy(PyObject* kept, PyObject* value) {
  if (!same_attribute(kept, value, "dtype") || !same_attribute(kept, value, "shape")) return false;
  PyObject* dtype = PyObject_GetAttrString(kept, "dtype");
  PyObject* holds = dtype ? PyObject_GetAttrString(dtype, "hasobject") : nullptr;
  const bool plain = holds == Py_False;
  Py_XDECREF(holds);
  Py_XDECREF(dtype);
  PyErr_Clear();
  return plain && ArrayBytes(kept).same(ArrayBytes(value));
}

bool is_true_answer(PyObject* equal) {
  if (equal == Py_True) return true;
  if (!is_instance_of(equal, "numpy", "bool_"))
    return false;  // an array's elementwise answer is not equality
  const int truth = PyObject_IsTrue(equal);
  if (truth < 0) PyErr_Clear();
  return truth > 0;
}

}  // namespace

PyObject* snapshot_constant(PyObject* value) {
  const bool immutable = value == Py_None || PyBool_Check(value) || PyLong_Check(value) ||
                         PyFloat_Check(value) || PyUnicode_Check(value) || PyBytes_Check(value) ||
                         PyType_Check(value) || PyFunction_Check(value) || PyModule_Check(value) ||
                         lower::as_jit(value) || PyCFunction_Check(value);
  DType dtype;
  if (immutable || lower::as_dtype(value, &dtype)) return Py_NewRef(value);
  if (class_of(value) == TypeClass::NumpyArray) {
    PyObject* copy = PyObject_CallMethod(value, "copy", nullptr);
    if (copy) return copy;
    PyErr_Clear();
  }
  if (!PyList_CheckExact(value) && !PyDict_CheckExact(value) && !PyTuple_CheckExact(value) &&
      !PyAnySet_Check(value))
    return Py_NewRef(value);
  PyObject* copy = PyImport_ImportModule("copy");
  PyObject* result = copy ? PyObject_CallMethod(copy, "deepcopy", "O", value) : nullptr;
  Py_XDECREF(copy);
  if (result) return result;
  PyErr_Clear();  // holds something that cannot be copied: kept by identity
  return Py_NewRef(value);
}

namespace {
int same_items(PyObject* kept, PyObject* value) {
  const Nesting nesting;
  if (!nesting.entered) return -1;
  const Py_ssize_t size = PySequence_Fast_GET_SIZE(kept);
  if (size != PySequence_Fast_GET_SIZE(value)) return 0;
  for (Py_ssize_t i = 0; i < size; i++) {
    const int same = same_constant(PySequence_Fast_GET_ITEM(kept, i), PySequence_Fast_GET_ITEM(value, i));
    if (same <= 0) return same;
  }
  return 1;
}
int same_dict(PyObject* kept, PyObject* value) {
  const Nesting nesting;
  if (!nesting.entered) return -1;
  if (PyDict_GET_SIZE(kept) != PyDict_GET_SIZE(value)) return 0;
  // Order counts: a kernel that iterates unrolls in this order.
  PyObject *kept_key, *kept_item, *key, *item;
  Py_ssize_t kept_at = 0, at = 0;
  while (PyDict_Next(kept, &kept_at, &kept_key, &kept_item) && PyDict_Next(value, &at, &key, &item)) {
    int same = same_constant(kept_key, key);
    if (same > 0) same = same_constant(kept_item, item);
    if (same <= 0) return same;
  }
  return 1;
}
}  // namespace

int same_constant(PyObject* kept, PyObject* value) {
  if (Py_TYPE(kept) != Py_TYPE(value)) return 0;
  if (PyList_CheckExact(kept) || PyTuple_CheckExact(kept)) return same_items(kept, value);
  if (PyDict_CheckExact(kept)) return same_dict(kept, value);
  if (kept == value) return 1;
  if (PyFloat_CheckExact(kept))
    return std::bit_cast<uint64_t>(PyFloat_AS_DOUBLE(kept)) ==
           std::bit_cast<uint64_t>(PyFloat_AS_DOUBLE(value));
  if (PyLong_Check(kept) || PyUnicode_Check(kept) || PyBytes_Check(kept))
    return PyObject_RichCompareBool(kept, value, Py_EQ);
  if (PyFunction_Check(kept) || PyType_Check(kept) || PyModule_Check(kept) || lower::as_jit(kept)) return 0;
  const TypeClass cls = class_of(kept);
  if (cls == TypeClass::NumpyArray || cls == TypeClass::NumpyScalar) return same_numpy(kept, value);
  PyObject* equal = PyObject_RichCompare(kept, value, Py_EQ);
  if (!equal) {
    PyErr_Clear();
    return 0;
  }
  const int same = is_true_answer(equal);
  Py_DECREF(equal);
  return same;
}

}  // namespace asc::runtime
