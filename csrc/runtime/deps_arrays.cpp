// SPDX-License-Identifier: Apache-2.0
// Arrays, scalars and dtypes of numpy, and whatever else shows its memory.
#include <cstring>
#include <string_view>
#include <utility>

#include "base/format.h"
#include "runtime/deps_content.h"
#include "runtime/deps_facts.h"
#include "runtime/launcher_gil.h"

namespace asc::runtime {
namespace {

constexpr size_t kLargest = 32u << 20;  // bytes of an encoding that may go to disk

bool is_array_class(PyTypeObject* type) {
  for (; type; type = type->tp_base)
    if (std::strcmp(type->tp_name, "numpy.ndarray") == 0) return true;
  return false;
}

}  // namespace

// What it shows, its metadata, and the dtypes inside.
bool Encoder::add_dtype(PyObject* value) {
  const PyRef text = PyRef::steal(PyObject_Repr(value));
  out_.u8('=');
  out_.text(Py_TYPE(value)->tp_name);
  if (!text || !add_str(text.get())) return fail("a dtype");
  for (const char* name : {"byteorder", "metadata", "fields", "subdtype"}) {
    const PyRef part = attribute(value, name);
    if (!add_fresh(part ? part.get() : Py_Ellipsis)) return false;
  }
  return true;
}

// Texts of arrays follow these.
bool Encoder::add_print_options() {
  if (std::exchange(has_print_options_, true)) return true;
  PyObject* const numpy = imported_module("numpy");
  const PyRef options =
      PyRef::steal(numpy ? PyObject_CallMethod(numpy, "get_printoptions", nullptr) : nullptr);
  return options && PyDict_CheckExact(options.get()) ? add_dict('{', options.get()) : fail("an array");
}

// Arrays and scalars of numpy, array.array, bytearray, memoryview: type of element, shape, bytes in logical
// order.
bool Encoder::add_array(PyObject* value, char tag) {
  out_.u8(static_cast<uint8_t>(tag));
  if (tag == 'q' && (exact() || on_read) && is_unequal(value)) note_unequal(value);
  const PyRef dtype = attribute(value, "dtype");
  if (dtype) {
    const PyRef has_object = attribute(dtype.get(), "hasobject");
    if (has_object.get() != Py_False) {
      const PyRef flat = PyRef::steal(PyObject_CallMethod(value, "ravel", nullptr));
      const PyRef items = PyRef::steal(flat ? PyObject_CallMethod(flat.get(), "tolist", nullptr) : nullptr);
      if (!items || !PyList_CheckExact(items.get())) return opaque(value, "an array of Python objects");
      return add_attributes(value, {"shape"}) && add_items('[', items.get());
    }
    if (tag == 'a') {  // the order in memory
      const PyRef flags = attribute(value, "flags");
      if (!flags || !add_attributes(value, {"strides"}) || !add_attributes(flags.get(), {"writeable"}))
        return fail("an array");
      if (whole() && !add_print_options()) return false;
    }
    if (!add_dtype(dtype.get()) || !add_attributes(value, {"shape"})) return fail("an array");
  }
  if (add_buffer(value, !dtype)) return true;
  if (!why_.empty()) return false;
  const PyRef bytes = PyRef::steal(PyObject_CallMethod(value, "tobytes", nullptr));
  if (!bytes || !PyBytes_CheckExact(bytes.get())) return opaque(value, "an array without a buffer");
  out_.text({PyBytes_AS_STRING(bytes.get()), static_cast<size_t>(PyBytes_GET_SIZE(bytes.get()))});
  return true;
}

bool Encoder::add_buffer(PyObject* value, bool with_format) {
  Py_buffer buffer;
  if (PyObject_GetBuffer(value, &buffer, PyBUF_FORMAT | PyBUF_C_CONTIGUOUS) != 0) return drop_error(), false;
  if (with_format) {
    out_.text(buffer.format ? buffer.format : "B");
    out_.u64(static_cast<uint64_t>(buffer.itemsize));
  }
  out_.text({static_cast<const char*>(buffer.buf), static_cast<size_t>(buffer.len)});
  PyBuffer_Release(&buffer);
  return in_memory() || out_.bytes().size() <= kLargest || fail("an array of more than 32 MiB");
}

bool Encoder::add_numpy(PyObject* value, bool* done) {
  *done = true;
  const std::string_view type = Py_TYPE(value)->tp_name;
  if (type.starts_with("numpy.dtype")) return add_dtype(value);
  if (type == "numpy.ndarray") return add_array(value, 'a');
  if (PyMemoryView_Check(value)) return add_array(value, 'v');
  if (is_array_class(Py_TYPE(value))) {  // np.matrix, np.ma: masks and the like are attributes
    const PyRef attributes = PyRef::steal(PyObject_GenericGetDict(value, nullptr));
    if (!attributes) drop_error();
    return add(reinterpret_cast<PyObject*>(Py_TYPE(value))) && add_array(value, 'a') &&
           (!attributes || add(attributes.get()));
  }
  const bool scalar = type.starts_with("numpy.") && attribute(value, "dtype") && attribute(value, "item");
  if (scalar || type == "ml_dtypes.bfloat16" || type == "bfloat16") return add_array(value, 'q');
  if (type == "array.array") return add_array(value, 'A');
  *done = false;
  return true;
}

}  // namespace asc::runtime
