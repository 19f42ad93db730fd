// SPDX-License-Identifier: Apache-2.0
// One array argument for one launch: its memory, kept alive and, where it is not contiguous, copied.
#include "runtime/args_array.h"

#include "base/format.h"
#include "lower/pyref.h"

namespace asc::runtime {

bool read_dtype(PyObject* value, TypeClass cls, const ArgName& name, DType* out) {
  switch (cls) {
    case TypeClass::Tensor:
    case TypeClass::TensorSubclass: return read_tensor_dtype(value, name, out);
    case TypeClass::DLPack: return dlpack::read_dtype(value, name, out);
    case TypeClass::Interface: {
      HostArray array;
      return read_interface(value, name, &array, out);
    }
    default: return read_buffer_dtype(value, name, out);
  }
}

ArrayArgument::~ArrayArgument() {
  if (has_buffer_) PyBuffer_Release(&buffer_);
  Py_XDECREF(owner_);
}

bool ArrayArgument::open_memory(PyObject* value, TypeClass cls, const ArgName& name) {
  DType dtype;
  switch (cls) {
    case TypeClass::Tensor:
    case TypeClass::TensorSubclass: is_tensor_ = true; return read_tensor(value, cls, name, &array_);
    case TypeClass::DLPack: return dlpack::read(value, name, &managed_, &array_);
    case TypeClass::Interface: return read_interface(value, name, &array_, &dtype);
    default: break;
  }
  has_buffer_ = read_buffer(value, &buffer_, &array_);
  if (has_buffer_) return true;
  if (cls != TypeClass::NumpyArray) return false;
  drop_error();  // ml_dtypes
  return read_interface(value, name, &array_, &dtype);
}

bool ArrayArgument::open(PyObject* value, DType dtype, const ArgName& name) {
  const bool raw = is_raw(value);
  if (raw) value = raw_array(value);
  const TypeClass cls = array_class_of(value);
  owner_ = Py_NewRef(value);
  if (!open_memory(value, cls, name)) return false;
  data = array_.data;
  bytes = array_.bytes;
  if (!array_.device.empty()) return true;
  if (!data && bytes > 0)
    return fail(PyExc_ValueError, name, "it has elements, and says that they lie at address 0");
  if (array_.item != size_of(dtype))  // by a grid function, a launch hook, or the object itself
    return fail(PyExc_TypeError, name,
                fmt::format("its element type changed while the kernel was launched; "
                            "it was {}",
                            py_name(dtype)));
  if (!raw) return true;
  Extent storage;
  if (!read_storage(value, cls, array_, &storage)) return false;
  const intptr_t at = reinterpret_cast<intptr_t>(data);
  before = at - storage.begin;
  bytes = storage.end - at;
  // From here on it is all of its storage, in order.
  const bool read_only = array_.read_only;
  array_ = HostArray();
  array_.data = reinterpret_cast<uint8_t*>(storage.begin);
  array_.item = 1;
  array_.bytes = storage.end - storage.begin;
  array_.read_only = read_only;
  return true;
}

void ArrayArgument::stage(bool copy_in) {
  copy_ = std::make_unique_for_overwrite<uint8_t[]>(static_cast<size_t>(array_.bytes));
  if (copy_in) gather(array_, copy_.get());
  data = copy_.get();
  staged_ = true;
}

void ArrayArgument::share(const ArrayArgument& first) {
  data = first.data;
  staged_ = shared_ = true;
}

void ArrayArgument::finish() const {
  if (staged_ && !shared_) scatter(copy_.get(), array_);
}

bool ArrayArgument::same_elements(const ArrayArgument& other) const {
  const HostArray &a = array_, &b = other.array_;
  return a.data == b.data && a.item == b.item && a.bytes == b.bytes && a.shape == b.shape &&
         a.strides == b.strides;
}

}  // namespace asc::runtime
