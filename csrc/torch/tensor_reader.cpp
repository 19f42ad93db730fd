// SPDX-License-Identifier: Apache-2.0
// The optional module asc._asc_torch: for a torch whose tensors carry no table of C functions
// (runtime/args_dlpack.h), a table made here from torch's own headers. It fits the torch it was built with
// only.
#include <torch/csrc/autograd/python_variable.h>
#include <torch/version.h>

#include <cstring>
#include <string>

#include "runtime/args_dlpack.h"

namespace {

namespace dlpack = asc::runtime::dlpack;

dlpack::TypeCode code_of(at::ScalarType type) {
  if (type == at::kBool) return dlpack::TypeCode::Bool;
  if (type == at::kBFloat16) return dlpack::TypeCode::Bfloat;
  if (at::isComplexType(type)) return dlpack::TypeCode::Complex;
  if (at::isFloatingType(type)) return dlpack::TypeCode::Float;
  return at::isSignedType(type) ? dlpack::TypeCode::Int : dlpack::TypeCode::UInt;
}

// Devices are told apart as "the host" and "elsewhere"; torch names the latter itself.
int read_tensor(void* object, dlpack::Tensor* out) {
  constexpr int32_t kElsewhere = 12;
  try {
    const at::Tensor& tensor = THPVariable_Unpack(static_cast<PyObject*>(object));
    out->device = {tensor.is_cpu() ? static_cast<int32_t>(dlpack::DeviceType::Cpu) : kElsewhere, 0};
    out->ndim = static_cast<int32_t>(tensor.dim());
    out->dtype = {static_cast<uint8_t>(code_of(tensor.scalar_type())),
                  static_cast<uint8_t>(tensor.element_size() * 8), 1};
    out->shape = const_cast<int64_t*>(tensor.sizes().data());
    out->strides = const_cast<int64_t*>(tensor.strides().data());
    out->byte_offset = 0;
    out->data = tensor.numel() == 0 ? nullptr : const_cast<void*>(tensor.const_data_ptr());
    return 0;
  } catch (const std::exception& error) {
    PyErr_SetString(PyExc_RuntimeError, error.what());
    return -1;
  }
}

dlpack::ExchangeApi g_api = {{{1, 0}, nullptr}, nullptr, nullptr, nullptr, read_tensor, nullptr};

// Is the running torch the one whose headers were used?
bool fits_running_torch() {
  PyObject* torch = PyImport_ImportModule("torch");
  PyObject* version = torch ? PyObject_GetAttrString(torch, "__version__") : nullptr;
  PyObject* text = version ? PyObject_Str(version) : nullptr;
  const char* utf8 = text ? PyUnicode_AsUTF8(text) : nullptr;
  const std::string running = utf8 ? utf8 : "";
  Py_XDECREF(text);
  Py_XDECREF(version);
  Py_XDECREF(torch);
  if (!utf8) return false;
  if (running.substr(0, running.find('+')) == TORCH_VERSION) return true;
  PyErr_Format(PyExc_ImportError, "asc._asc_torch was built with torch %s, and torch %s is running",
               TORCH_VERSION, running.c_str());
  return false;
}

PyModuleDef kModule = {PyModuleDef_HEAD_INIT,
                       "asc._asc_torch",
                       "Reads torch tensors.",
                       -1,
                       nullptr,
                       nullptr,
                       nullptr,
                       nullptr,
                       nullptr};

}  // namespace

extern "C" __attribute__((visibility("default"))) PyObject* PyInit__asc_torch() {
  if (!fits_running_torch()) return nullptr;
  PyObject* module = PyModule_Create(&kModule);
  PyObject* table = module ? PyCapsule_New(&g_api, "dlpack_exchange_api", nullptr) : nullptr;
  if (!table || PyModule_AddObjectRef(module, "__dlpack_c_exchange_api__", table) < 0 ||
      PyModule_AddStringConstant(module, "torch_version", TORCH_VERSION) < 0)
    Py_CLEAR(module);
  Py_XDECREF(table);
  return module;
}
