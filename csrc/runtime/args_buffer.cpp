// SPDX-License-Identifier: Apache-2.0
// Arrays by the buffer protocol (numpy, array.array, memoryview, ctypes, ...) and by __array_interface__
// (ml_dtypes' arrays, whose dtypes have no buffer format; objects of other libraries).
#include <cstring>

#include "base/format.h"
#include "lower/pyref.h"
#include "runtime/args_array.h"

namespace asc::runtime {
namespace {

// A struct module format of one element, native byte order.
bool dtype_of_format(const char* format, Py_ssize_t itemsize, DType* out) {
  if (!format) format = "B";
  if (*format == '=' || *format == '@' || *format == '<') format++;
  if (!*format || format[1]) return false;
  const auto pick = [&](DType b1, DType b2, DType b4, DType b8) {
    *out = itemsize == 1 ? b1 : itemsize == 2 ? b2 : itemsize == 4 ? b4 : b8;
    return itemsize == 1 || itemsize == 2 || itemsize == 4 || itemsize == 8;
  };
  switch (*format) {
    case '?': *out = DType::Bool; return itemsize == 1;
    case 'e': *out = DType::F16; return itemsize == 2;
    case 'f': *out = DType::F32; return itemsize == 4;
    case 'd': *out = DType::F64; return itemsize == 8;
    case 'b':
    case 'h':
    case 'i':
    case 'l':
    case 'n':
    case 'q': return pick(DType::I8, DType::I16, DType::I32, DType::I64);
    case 'B':
    case 'H':
    case 'I':
    case 'L':
    case 'N':
    case 'Q': return pick(DType::U8, DType::U16, DType::U32, DType::U64);
    default: return false;
  }
}

// str(value.dtype.name); empty where there is none.
std::string dtype_name(PyObject* value) {
  std::string name;
  PyObject* dtype = PyObject_GetAttrString(value, "dtype");
  if (dtype && !read_attr_string(dtype, "name", &name)) name.clear();
  Py_XDECREF(dtype);
  drop_error();
  return name;
}

// The typestr of an __array_interface__, such as "<f4"; the dtype's name goes before it, since "<V2" is how
// bfloat16 shows.
bool dtype_of_typestr(PyObject* value, const ArgName& name, const char* text, DType* out) {
  const std::string named = dtype_name(value);
  if (!named.empty() && find_dtype(named, out)) return true;
  const size_t size = std::strlen(text);
  if (size >= 3) {
    const int bytes = text[2] - '0';
    if (text[0] == '>' && bytes > 1) return fail_big_endian(name);
    const auto pick = [&](DType b1, DType b2, DType b4, DType b8) {
      *out = bytes == 1 ? b1 : bytes == 2 ? b2 : bytes == 4 ? b4 : bytes == 8 ? b8 : DType::Void;
      return size == 3 && *out != DType::Void;
    };
    switch (text[1]) {
      case 'b':
        if (pick(DType::Bool, DType::Void, DType::Void, DType::Void)) return true;
        break;
      case 'i':
        if (pick(DType::I8, DType::I16, DType::I32, DType::I64)) return true;
        break;
      case 'u':
        if (pick(DType::U8, DType::U16, DType::U32, DType::U64)) return true;
        break;
      case 'f':
        if (pick(DType::Void, DType::F16, DType::F32, DType::F64)) return true;
        break;
      default: break;
    }
  }
  return fail_dtype(name, named.empty() ? std::string_view(text) : std::string_view(named));
}

bool fail_interface(const ArgName& name, std::string_view what) {
  drop_error();
  return fail(PyExc_TypeError, name,
              fmt::format("its __array_interface__ {}; pass a numpy array or torch tensor", what));
}

bool read_sizes(PyObject* tuple, std::vector<int64_t>* out) {
  if (!tuple || !PyTuple_Check(tuple)) return false;
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(tuple); i++)
    out->push_back(PyLong_AsLongLong(PyTuple_GET_ITEM(tuple, i)));
  return !PyErr_Occurred();
}

bool read_interface_dict(PyObject* value, PyObject* interface, const ArgName& name, HostArray* out,
                         DType* dtype) {
  if (!PyDict_Check(interface)) return fail_interface(name, "is no dict");
  // What is looked at below may run Python code, which may change the dict: its items are kept meanwhile.
  const auto item = [&](const char* key) { return PyRef::borrow(PyDict_GetItemString(interface, key)); };
  const PyRef typestr = item("typestr"), mask = item("mask"), pair = item("data"), steps = item("strides"),
              sizes = item("shape");
  const char* text = typestr && PyUnicode_Check(typestr.get()) ? PyUnicode_AsUTF8(typestr.get()) : nullptr;
  if (!text) return fail_interface(name, "has no typestr");
  if (!dtype_of_typestr(value, name, text, dtype)) return false;
  if (mask && mask.get() != Py_None) return fail_interface(name, "has a mask, which a kernel would not see");
  if (!pair || !PyTuple_Check(pair.get()) || PyTuple_GET_SIZE(pair.get()) != 2)
    return fail_interface(name, "has no address in 'data'");
  PyObject* address = PyTuple_GET_ITEM(pair.get(), 0);
  out->data = PyLong_Check(address) ? static_cast<uint8_t*>(PyLong_AsVoidPtr(address)) : nullptr;
  const int read_only = PyObject_IsTrue(PyTuple_GET_ITEM(pair.get(), 1));
  out->read_only = read_only != 0;
  if (read_only < 0 || PyErr_Occurred() || !PyLong_Check(address))
    return fail_interface(name, "has no address");
  std::vector<int64_t> shape, strides;
  const bool has_strides = steps && steps.get() != Py_None;
  if (!read_sizes(sizes.get(), &shape) ||
      (has_strides && (!read_sizes(steps.get(), &strides) || strides.size() != shape.size())))
    return fail_interface(name, "has no shape and strides that fit each other");
  out->item = size_of(*dtype);
  return out->set_layout(static_cast<int>(shape.size()), shape.data(), has_strides ? strides.data() : nullptr,
                         1) ||
         fail_layout(name);
}

}  // namespace

bool read_buffer(PyObject* value, Py_buffer* buffer, HostArray* out) {
  if (PyObject_GetBuffer(value, buffer, PyBUF_STRIDED_RO) < 0) return false;
  out->data = static_cast<uint8_t*>(buffer->buf);
  out->read_only = buffer->readonly != 0;
  out->item = buffer->itemsize;
  out->bytes = buffer->len;
  if (PyBuffer_IsContiguous(buffer, 'C') ||
      out->set_layout(buffer->ndim, reinterpret_cast<const int64_t*>(buffer->shape),
                      reinterpret_cast<const int64_t*>(buffer->strides), 1))
    return true;
  PyBuffer_Release(buffer);
  PyErr_SetString(PyExc_BufferError, "a buffer whose shape and strides no memory can have");
  return false;
}

bool fail_layout(const ArgName& name) {
  return fail(PyExc_ValueError, name,
              "its shape and strides count more bytes than 64 bits can, or a size is negative");
}

bool read_buffer_dtype(PyObject* value, const ArgName& name, DType* out) {
  Py_buffer buffer;
  if (PyObject_GetBuffer(value, &buffer, PyBUF_RECORDS_RO) < 0) {
    if (!PyErr_ExceptionMatches(PyExc_Exception)) return false;
    const bool numpy = class_of(value) == TypeClass::NumpyArray;
    const bool is_released = !numpy && PyErr_ExceptionMatches(PyExc_ValueError);
    drop_error();
    if (is_released && dtype_name(value).empty())
      return fail(PyExc_ValueError, name, "its buffer cannot be had (released, or closed)");
    std::string named = dtype_name(value);
    if (find_dtype(named, out)) return true;  // ml_dtypes' bfloat16 has no buffer format
    return fail_dtype(name, named.empty() ? "objects without a buffer" : named);
  }
  const char* format = buffer.format;
  const bool big = format && (*format == '>' || *format == '!') && buffer.itemsize > 1;
  const bool known = !big && dtype_of_format(format, buffer.itemsize, out);
  std::string shown = format ? format : "";
  PyBuffer_Release(&buffer);
  if (known) return true;
  if (big) return fail_big_endian(name);
  const std::string named = dtype_name(value);
  return fail_dtype(name, named.empty() ? fmt::format("the buffer format '{}'", shown) : named);
}

bool read_interface(PyObject* value, const ArgName& name, HostArray* out, DType* dtype) {
  PyObject* interface = PyObject_GetAttrString(value, "__array_interface__");
  if (!interface) return PyErr_ExceptionMatches(PyExc_Exception) && fail_interface(name, "cannot be had");
  const bool good = read_interface_dict(value, interface, name, out, dtype);
  Py_DECREF(interface);
  return good;
}

}  // namespace asc::runtime
