// SPDX-License-Identifier: Apache-2.0
// Array arguments: where an array's elements lie, whichever protocol tells; and its memory for the time of
// one launch. Needs the GIL.
#pragma once

#include <Python.h>

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "runtime/args_dlpack.h"
#include "runtime/args_kinds.h"

namespace asc::runtime {

// The elements of an array, and the memory they lie in.
struct HostArray {
  uint8_t* data = nullptr;  // the first element in logical order
  int64_t item = 0;         // bytes of an element
  int64_t bytes = 0;        // of all elements, each counted once for each index
  bool contiguous = true;   // row-major, without gaps
  bool read_only = false;
  std::vector<int64_t> shape, strides;  // strides in bytes; both empty where contiguous
  std::string device;                   // empty: host memory

  // `unit`: bytes of one step in `steps`; null steps: row-major. False if a size is negative, or bytes or
  // steps are more than 64 bits can count.
  bool set_layout(int ndim, const int64_t* sizes, const int64_t* steps, int64_t unit);
};

// Addresses [begin, end) of host memory.
struct Extent {
  intptr_t begin = 0, end = 0;
  bool meets(const Extent& other) const { return begin < other.end && other.begin < end; }
};
Extent extent_of(const HostArray& array);
// May two indices of the array mean the same memory?
bool meets_itself(const HostArray& array);
// Do two arrays share an element? Yes where it cannot be told in reasonable time.
bool share_elements(const HostArray& a, const HostArray& b);
// Copies between the array and row-major memory of `array.bytes`.
void gather(const HostArray& array, uint8_t* to);
void scatter(const uint8_t* from, const HostArray& array);

// ---- protocols; false with a Python error set that names the argument ----

// What an argument's elements are: `value` is of an array class.
bool read_dtype(PyObject* value, TypeClass cls, const ArgName& name, DType* out);
// args_buffer.cpp
bool read_buffer(PyObject* value, Py_buffer* buffer, HostArray* out);  // a plain Python error
bool fail_layout(const ArgName& name);                                 // where set_layout is false
bool read_buffer_dtype(PyObject* value, const ArgName& name, DType* out);
bool read_interface(PyObject* value, const ArgName& name, HostArray* out, DType* dtype);
// args_torch.cpp
bool read_tensor(PyObject* tensor, TypeClass cls, const ArgName& name, HostArray* out);
bool read_tensor_dtype(PyObject* tensor, const ArgName& name, DType* out);
// A kernel is about to write the tensor: refused where autograd would have to see it. Throws LaunchError.
void check_tensor_writable(PyObject* tensor, const ArgName& name);
// The kernel has written these tensors: autograd's check of saved tensors must see it.
bool note_tensors_written(std::span<PyObject* const> tensors);
// The whole storage behind an array, for asc.raw. args_storage.cpp
bool read_storage(PyObject* value, TypeClass cls, const HostArray& array, Extent* out);

// Memory of one array argument for the time of one launch. Arrays that are not contiguous are staged: copied
// in logical order, and copied back by `finish`.
class ArrayArgument {
 public:
  ArrayArgument() = default;
  ArrayArgument(const ArrayArgument&) = delete;
  ArrayArgument& operator=(const ArrayArgument&) = delete;
  ~ArrayArgument();

  // Finds the memory of an array, or of asc.raw(array), whose dtype was read before. False with a Python
  // error set.
  bool open(PyObject* value, DType dtype, const ArgName& name);
  // Copies an array that is not contiguous.
  void stage(bool copy_in);
  // Uses the copy of an argument that is the same array.
  void share(const ArrayArgument& first);
  void finish() const;  // copies a staged array back

  const HostArray& array() const { return array_; }
  bool is_tensor() const { return is_tensor_; }
  PyObject* owner() const { return owner_; }
  bool same_elements(const ArrayArgument& other) const;

  uint8_t* data = nullptr;
  int64_t bytes = 0;
  int64_t before = 0;  // asc.raw: bytes of the storage in front of `data`

 private:
  bool open_memory(PyObject* value, TypeClass cls, const ArgName& name);

  HostArray array_;
  bool is_tensor_ = false, staged_ = false, shared_ = false;
  std::unique_ptr<uint8_t[]> copy_;
  PyObject* owner_ = nullptr;  // strong: whose memory it is
  Py_buffer buffer_ = {};
  bool has_buffer_ = false;
  dlpack::Managed managed_;
};

}  // namespace asc::runtime
