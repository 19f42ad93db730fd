// SPDX-License-Identifier: Apache-2.0
// Reads the arguments of a launch: arrays of numpy, torch and whatever speaks the buffer protocol, Python and
// numpy scalars, compile-time values; and compares compile-time values as specialisations do. Needs the GIL.
#pragma once

#include <Python.h>

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "lower/function.h"
#include "lower/lower.h"
#include "sim/simulator.h"

namespace asc::runtime {

// What one argument is, without its value: equal codes lower alike.
using ArgCode = uint32_t;

struct ArgInfo {
  enum class Form : uint8_t { Array, Scalar, Constant, Struct } form = Form::Constant;
  DType dtype = DType::Void;
  bool nonnegative = false;
  uint64_t bits = 0;     // Scalar: the value, as sim::Argument has it
  bool is_mock = false;  // no memory, no value behind it
  static ArgInfo of_code(ArgCode code) {
    ArgInfo info;
    info.form = static_cast<Form>(code >> 16);
    info.dtype = static_cast<DType>(code >> 8 & 0xFF);
    info.nonnegative = (code & 1) != 0;
    return info;
  }
  ArgCode code() const {
    return static_cast<ArgCode>(form) << 16 | static_cast<ArgCode>(dtype) << 8 |
           static_cast<ArgCode>(nonnegative);
  }
};

// Sorts an argument into its form. False with a Python TypeError, OverflowError set that names the kernel and
// the argument.
bool classify_argument(PyObject* value, const lower::Parameter& parameter, const std::string& kernel,
                       ArgInfo* out);

// Where the elements of a host array lie, strides in bytes. args_staged.cpp
struct HostLayout {
  intptr_t begin = 0, end = 0;  // all of its elements
  int64_t item = 0;
  std::vector<int64_t> shape, strides;
  bool meets_itself = false;  // two elements may share memory

  bool read(PyObject* array, const void* first, bool is_tensor);  // false with a Python error set
  bool operator==(const HostLayout&) const = default;
};

class ArrayArgument;
struct ArrayUse {
  ArrayArgument* array;
  std::string_view name;
  bool may_write;
};

// Memory of an array argument for the time of one launch. Not contiguous arrays are staged: copied in logical
// order, and copied back by `finish`.
class ArrayArgument {
 public:
  ArrayArgument() = default;
  ArrayArgument(const ArrayArgument&) = delete;
  ArrayArgument& operator=(const ArrayArgument&) = delete;
  ~ArrayArgument();

  // False with a Python error set that names the kernel and the argument.
  bool open(PyObject* value, DType dtype, const std::string& parameter, const std::string& kernel);
  // Arguments of one launch that are the same memory share one copy; what a copy would lose is refused. False
  // with a Python TypeError set that names the arguments.
  static bool settle(std::span<const ArrayUse> uses, const std::string& kernel);
  bool staged() const { return original_ != nullptr; }
  bool finish(bool may_write);  // copies a staged array back; false with a Python error set

  void* data = nullptr;
  int64_t bytes = 0;
  bool read_only = false;

 private:
  bool open_buffer(PyObject* value, bool* contiguous);
  bool open_interface(PyObject* value, bool* contiguous);
  bool open_tensor(PyObject* value, bool* contiguous, const std::string& parameter,
                   const std::string& kernel);
  bool open_memory(PyObject* value, bool* contiguous, const std::string& parameter,
                   const std::string& kernel);

  void share(const ArrayArgument& first);

  DType dtype_ = DType::Void;
  HostLayout layout_;
  PyObject* original_ = nullptr;  // strong when staged
  PyObject* owner_ = nullptr;     // strong: whose memory it is
  Py_buffer buffer_ = {};
  bool has_buffer_ = false;
};

// The bytes of a struct argument; false with a Python error set. args_struct.cpp
bool pack_struct(PyObject* value, std::string* out);

// asc.runtime.jit.MockTensor and MockValue: arguments without memory, for compiling and dry runs.
void register_mock_types(PyObject* mock_tensor, PyObject* mock_value);

// A compile-time value as a specialisation keeps it: immutable ones as they are, others as a deep copy. New
// reference.
PyObject* snapshot_constant(PyObject* value);
// Same type and same value (1, 1.0 and True differ; floats by their bits). -1 with a Python error set.
int same_constant(PyObject* kept, PyObject* value);

}  // namespace asc::runtime
