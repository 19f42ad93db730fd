// SPDX-License-Identifier: Apache-2.0
#include "runtime/args_dlpack.h"

#include "base/format.h"
#include "lower/pyref.h"
#include "runtime/args_array.h"

namespace asc::runtime::dlpack {
namespace {

constexpr uint32_t kMajor = 1;
constexpr const char* kApi = "dlpack_exchange_api";
constexpr const char *kPlain = "dltensor", *kPlainUsed = "used_dltensor";
constexpr const char *kVersioned = "dltensor_versioned", *kVersionedUsed = "used_dltensor_versioned";

// The object's capsule: of version 1 where it can, which also says what is read-only. New reference.
PyObject* ask(PyObject* value) {
  PyObject* method = PyObject_GetAttrString(value, "__dlpack__");
  if (!method) return nullptr;
  PyObject* none = PyTuple_New(0);
  PyObject* keywords = Py_BuildValue("{s:(II)}", "max_version", kMajor, 0);
  PyObject* capsule = none && keywords ? PyObject_Call(method, none, keywords) : nullptr;
  if (!capsule && PyErr_ExceptionMatches(PyExc_TypeError)) {  // from before version 1
    drop_error();
    capsule = PyObject_CallNoArgs(method);
  }
  Py_XDECREF(keywords);
  Py_XDECREF(none);
  Py_DECREF(method);
  return capsule;
}

// An error of the object's own becomes the cause of ours.
bool fail_export(const ArgName& name) {
  PyObject *type, *error, *trace;
  PyErr_Fetch(&type, &error, &trace);
  PyErr_NormalizeException(&type, &error, &trace);
  std::string text = "its __dlpack__ gives no tensor";
  PyObject* shown = error ? PyObject_Str(error) : nullptr;
  if (const char* utf8 = shown ? PyUnicode_AsUTF8(shown) : nullptr) text += fmt::format(" ({})", utf8);
  Py_XDECREF(shown);
  drop_error();
  const bool fatal = type && !PyErr_GivenExceptionMatches(type, PyExc_Exception);
  if (fatal) {  // KeyboardInterrupt goes through
    PyErr_Restore(type, error, trace);
    return false;
  }
  Py_XDECREF(type);
  Py_XDECREF(error);
  Py_XDECREF(trace);
  return fail(PyExc_TypeError, name, text + "; pass a numpy array or torch tensor");
}

}  // namespace

const ExchangeApi* exchange_api(PyObject* type) {
  PyObject* capsule = PyObject_GetAttrString(type, "__dlpack_c_exchange_api__");
  const ExchangeHeader* header = capsule && PyCapsule_IsValid(capsule, kApi)
                                     ? static_cast<const ExchangeHeader*>(PyCapsule_GetPointer(capsule, kApi))
                                     : nullptr;
  Py_XDECREF(capsule);  // the table lives as long as the process
  drop_error();
  while (header && header->version.major != kMajor) header = header->previous;
  const ExchangeApi* api = reinterpret_cast<const ExchangeApi*>(header);
  return api && api->tensor_from_object ? api : nullptr;
}

Managed::~Managed() {
  if (versioned_ && versioned_->deleter) versioned_->deleter(versioned_);
  if (plain_ && plain_->deleter) plain_->deleter(plain_);
}

bool Managed::unpack(PyObject* capsule, const ArgName& name) {
  if (PyCapsule_IsValid(capsule, kVersioned)) {
    auto* tensor = static_cast<ManagedTensorVersioned*>(PyCapsule_GetPointer(capsule, kVersioned));
    if (tensor->version.major != kMajor)  // its other fields may mean anything; the capsule still owns it
      return fail(PyExc_TypeError, name,
                  fmt::format("its DLPack tensor has version {}.{}, known is version {}",
                              tensor->version.major, tensor->version.minor, kMajor));
    if (PyCapsule_SetName(capsule, kVersionedUsed) < 0) return false;
    versioned_ = tensor;
    return true;
  }
  if (PyCapsule_IsValid(capsule, kPlain)) {
    auto* tensor = static_cast<ManagedTensor*>(PyCapsule_GetPointer(capsule, kPlain));
    if (PyCapsule_SetName(capsule, kPlainUsed) < 0) return false;
    plain_ = tensor;
    return true;
  }
  return fail(PyExc_TypeError, name,
              fmt::format("its __dlpack__ returned a {}, no DLPack capsule", Py_TYPE(capsule)->tp_name));
}

bool Managed::take(PyObject* value, const ArgName& name) {
  PyObject* capsule = ask(value);
  if (!capsule) return fail_export(name);
  const bool good = unpack(capsule, name);
  Py_DECREF(capsule);
  return good;
}

bool find_dtype(const DataType& type, DType* out) {
  if (type.lanes != 1) return false;
  const auto pick = [&](DType b8, DType b16, DType b32, DType b64) {
    *out = type.bits == 8    ? b8
           : type.bits == 16 ? b16
           : type.bits == 32 ? b32
           : type.bits == 64 ? b64
                             : DType::Void;
    return *out != DType::Void;
  };
  switch (static_cast<TypeCode>(type.code)) {
    case TypeCode::Int: return pick(DType::I8, DType::I16, DType::I32, DType::I64);
    case TypeCode::UInt: return pick(DType::U8, DType::U16, DType::U32, DType::U64);
    case TypeCode::Float: return pick(DType::Void, DType::F16, DType::F32, DType::F64);
    case TypeCode::Bfloat: return pick(DType::Void, DType::BF16, DType::Void, DType::Void);
    case TypeCode::Bool: return pick(DType::Bool, DType::Void, DType::Void, DType::Void);
    default: return false;
  }
}

std::string describe(const DataType& type) {
  constexpr std::string_view kNames[] = {"int", "uint", "float", "opaque", "bfloat", "complex", "bool"};
  std::string text = type.code < std::size(kNames) ? std::string(kNames[type.code])
                                                   : fmt::format("DLPack type {} of ", type.code);
  text += fmt::format("{}", type.bits);
  if (type.lanes != 1) text += fmt::format("x{}", type.lanes);
  return text;
}

bool in_host_memory(const Device& device) {
  switch (static_cast<DeviceType>(device.type)) {
    case DeviceType::Cpu:
    case DeviceType::CudaHost:
    case DeviceType::RocmHost: return true;
    default: return false;
  }
}

std::string describe(const Device& device) {
  switch (device.type) {
    case 2: return fmt::format("cuda:{}", device.id);
    case 8: return fmt::format("metal:{}", device.id);
    case 10: return fmt::format("rocm:{}", device.id);
    default: return fmt::format("DLPack device ({}, {})", device.type, device.id);
  }
}

bool read_layout(const Tensor& tensor, const ArgName& name, HostArray* out) {
  out->data = static_cast<uint8_t*>(tensor.data) + (tensor.data ? tensor.byte_offset : 0);
  out->item = tensor.dtype.bits / 8;
  if (!in_host_memory(tensor.device)) out->device = describe(tensor.device);
  return out->set_layout(tensor.ndim, tensor.shape, tensor.strides, out->item) || fail_layout(name);
}

bool read_dtype(PyObject* value, const ArgName& name, DType* out) {
  Managed managed;
  if (!managed.take(value, name)) return false;
  return find_dtype(managed.tensor().dtype, out) || fail_dtype(name, describe(managed.tensor().dtype));
}

bool read(PyObject* value, const ArgName& name, Managed* managed, HostArray* out) {
  if (!managed->take(value, name)) return false;
  if (!read_layout(managed->tensor(), name, out)) return false;
  out->read_only = (managed->flags() & kReadOnly) != 0;
  if (managed->flags() & kIsCopied)
    return fail(
        PyExc_TypeError, name,
        "its __dlpack__ gives a copy: what the kernel writes would be lost; pass a numpy array or torch "
        "tensor");
  return true;
}

}  // namespace asc::runtime::dlpack
