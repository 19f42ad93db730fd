// SPDX-License-Identifier: Apache-2.0
// DLPack, as its specification (version 1) lays it out: tensors by capsule (`__dlpack__`), and the table of C
// functions that torch.Tensor carries as `__dlpack_c_exchange_api__`, which tells a tensor's memory without a
// capsule. Declared here, so that neither torch nor another library is needed to build.
#pragma once

#include <Python.h>

#include <cstdint>

#include "base/dtype.h"
#include "runtime/args_kinds.h"

namespace asc::runtime {

struct HostArray;

namespace dlpack {

struct Version {
  uint32_t major, minor;
};

enum class DeviceType : int32_t { Cpu = 1, CudaHost = 3, RocmHost = 11 };  // those in host memory
struct Device {
  int32_t type;
  int32_t id;
};

enum class TypeCode : uint8_t { Int = 0, UInt = 1, Float = 2, Bfloat = 4, Complex = 5, Bool = 6 };
struct DataType {
  uint8_t code, bits;
  uint16_t lanes;
};

struct Tensor {
  void* data;
  Device device;
  int32_t ndim;
  DataType dtype;
  int64_t* shape;
  int64_t* strides;  // in elements; null: row-major
  uint64_t byte_offset;
};

struct ManagedTensor {  // capsules "dltensor"
  Tensor tensor;
  void* context;
  void (*deleter)(ManagedTensor*);
};

constexpr uint64_t kReadOnly = 1, kIsCopied = 2;
struct ManagedTensorVersioned {  // capsules "dltensor_versioned"
  Version version;
  void* context;
  void (*deleter)(ManagedTensorVersioned*);
  uint64_t flags;
  Tensor tensor;
};

struct ExchangeHeader {
  Version version;
  ExchangeHeader* previous;  // of an older major version, or null
};
struct ExchangeApi {
  ExchangeHeader header;
  void* allocate;
  void* managed_from_object;
  void* managed_to_object;
  // Fills `out`, which is valid as long as the object and its shape; 0, or -1 with a Python error set.
  int (*tensor_from_object)(void* object, Tensor* out);
  void* current_stream;
};
static_assert(sizeof(Tensor) == 48 && sizeof(ManagedTensorVersioned) == 80 && sizeof(ExchangeApi) == 56);

// The table of a type, or null with no error set: none, or of a version that is not known here.
const ExchangeApi* exchange_api(PyObject* type);

// A tensor taken out of a capsule; gives it back when destroyed.
class Managed {
 public:
  Managed() = default;
  Managed(const Managed&) = delete;
  Managed& operator=(const Managed&) = delete;
  ~Managed();
  // Asks `value.__dlpack__`. False with a Python error set that names the argument.
  bool take(PyObject* value, const ArgName& name);
  const Tensor& tensor() const { return versioned_ ? versioned_->tensor : plain_->tensor; }
  uint64_t flags() const { return versioned_ ? versioned_->flags : 0; }

 private:
  bool unpack(PyObject* capsule, const ArgName& name);
  ManagedTensor* plain_ = nullptr;
  ManagedTensorVersioned* versioned_ = nullptr;
};

bool find_dtype(const DataType& type, DType* out);
// "complex64", "float8 (code 10)": for errors.
std::string describe(const DataType& type);
bool in_host_memory(const Device& device);
std::string describe(const Device& device);
bool read_layout(const Tensor& tensor, const ArgName& name, HostArray* out);

// The dtype, and the memory, of what has __dlpack__. False with a Python error set that names the argument.
bool read_dtype(PyObject* value, const ArgName& name, DType* out);
bool read(PyObject* value, const ArgName& name, Managed* managed, HostArray* out);

}  // namespace dlpack
}  // namespace asc::runtime
