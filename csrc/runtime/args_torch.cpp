// SPDX-License-Identifier: Apache-2.0
// torch tensors, without torch's headers: by the table of C functions that torch.Tensor carries, or by
// attributes where there is no table or the tensor's class has operators of its own.
#include "base/error.h"
#include "base/format.h"
#include "lower/pyref.h"
#include "runtime/args_array.h"
#include "runtime/launcher_gil.h"

namespace asc::runtime {
namespace {

// Things of torch, fetched when the first tensor comes; torch is never unloaded.
struct Torch {
  const dlpack::ExchangeApi* api = nullptr;
  PyObject* is_neg = nullptr;             // torch.Tensor.is_neg, strong
  PyObject* is_grad_enabled = nullptr;    // torch.is_grad_enabled, strong
  PyObject* increment_version = nullptr;  // torch.autograd.graph.increment_version, strong or null
};

PyObject* get_path(PyObject* object, std::initializer_list<const char*> names) {
  Py_XINCREF(object);
  for (const char* name : names) {
    if (!object) break;
    PyObject* next = PyObject_GetAttrString(object, name);
    Py_SETREF(object, next);
  }
  drop_error();
  return object;
}

// Looking attributes up may let another thread run, so this is no static with an initialiser: two threads may
// both look, and the first to end is kept.
const Torch& torch() {
  static const Torch* kept = nullptr;
  if (kept) return *kept;
  Torch t;
  PyObject* module = imported_module("torch");  // borrowed
  PyObject* tensor = get_path(module, {"Tensor"});
  if (tensor) t.api = dlpack::exchange_api(tensor);
  if (!t.api) {  // an older torch: by our own module, if it was built for this one
    PyObject* reader = PyImport_ImportModule("asc._asc_torch");
    drop_error();
    if (reader) t.api = dlpack::exchange_api(reader);
    Py_XDECREF(reader);
  }
  t.is_neg = get_path(tensor, {"is_neg"});
  t.is_grad_enabled = get_path(module, {"is_grad_enabled"});
  t.increment_version = get_path(module, {"autograd", "graph", "increment_version"});
  Py_XDECREF(tensor);
  if (!kept) kept = new Torch(t);
  return *kept;
}

bool is_functorch_wrapped(PyObject* tensor) {
  PyObject* module = imported_module("torch");  // borrowed
  PyObject* ask = get_path(module, {"_C", "_functorch", "is_functorch_wrapped_tensor"});
  PyObject* answer = ask ? PyObject_CallOneArg(ask, tensor) : nullptr;
  const bool yes = answer && PyObject_IsTrue(answer) > 0;
  Py_XDECREF(answer);
  Py_XDECREF(ask);
  drop_error();
  return yes;
}

bool attribute_is_true(PyObject* object, const char* name) {
  PyObject* value = PyObject_GetAttrString(object, name);
  const bool yes = value && value == Py_True;
  Py_XDECREF(value);
  drop_error();
  return yes;
}

bool is_fake(PyObject* tensor) {
  return is_instance_of(tensor, "torch._subclasses.fake_tensor", "FakeTensor");
}

std::string device_of(PyObject* tensor) {
  std::string device;
  if (!read_attr_string(tensor, "device", &device)) device.clear();
  return device;
}

// Why a tensor has no memory that a kernel could use. False with a Python TypeError set.
bool fail_memory(PyObject* tensor, const ArgName& name) {
  drop_error();
  const auto say = [&](std::string_view text) { return fail(PyExc_TypeError, name, text); };
  if (is_fake(tensor))
    return say(
        "the tensor is fake: it has a shape and no memory; launch kernels on real tensors, and for "
        "torch.compile put the launch into an operator (asc.torch_op)");
  if (is_functorch_wrapped(tensor))
    return say(
        "the tensor is wrapped by a transform of torch.func (vmap, grad, jvp), which a kernel cannot see "
        "through; put the launch into a torch.autograd.Function or an operator (asc.torch_op)");
  if (attribute_is_true(tensor, "is_nested"))
    return say("the tensor is nested; pass x.values(), or torch.nested.to_padded_tensor(x, 0)");
  std::string layout;
  if (read_attr_string(tensor, "layout", &layout) && layout != "torch.strided")
    return say(fmt::format("the tensor's layout is {}; pass x.to_dense()", layout));
  if (attribute_is_true(tensor, "is_meta"))
    return say("the tensor is on device 'meta': it has a shape and no memory; pass a real tensor");
  if (attribute_is_true(tensor, "is_quantized"))
    return say("the tensor is quantized; pass x.int_repr() or x.dequantize()");
  if (is_instance_of(tensor, "torch.nn.parameter", "UninitializedTensorMixin"))
    return say("the parameter is not initialised yet; run the module once, or materialize it");
  if (call_flag(tensor, "_is_zerotensor")) return say("the tensor is a lazy zero; pass x.clone()");
  return say(fmt::format("the tensor (of class {}) has no memory of its own; pass the plain tensor behind it",
                         Py_TYPE(tensor)->tp_name));
}

// x.shape or x.stride() as integers.
bool read_sequence(PyObject* sequence, std::vector<int64_t>* out) {
  PyObject* items = sequence ? PySequence_Fast(sequence, "expected a sequence") : nullptr;
  Py_XDECREF(sequence);
  if (!items) return false;
  for (Py_ssize_t i = 0; i < PySequence_Fast_GET_SIZE(items); i++)
    out->push_back(PyLong_AsLongLong(PySequence_Fast_GET_ITEM(items, i)));
  Py_DECREF(items);
  return !PyErr_Occurred();
}

// By attributes: classes with a __torch_dispatch__ of their own, and torch without the table.
bool read_attributes(PyObject* tensor, const ArgName& name, HostArray* out) {
  if (is_fake(tensor)) return fail_memory(tensor, name);
  PyObject* device_object = PyObject_GetAttrString(tensor, "device");
  std::string type;
  if (device_object && !read_attr_string(device_object, "type", &type)) type.clear();
  Py_XDECREF(device_object);
  drop_error();
  if (type == "meta") return fail_memory(tensor, name);
  if (type != "cpu") {
    out->device = device_of(tensor);
    return true;
  }
  std::string layout;
  if (!read_attr_string(tensor, "layout", &layout) || layout != "torch.strided")
    return fail_memory(tensor, name);
  std::vector<int64_t> shape, strides;
  const int64_t address = call_int(tensor, "data_ptr");
  if (address == -1 && PyErr_Occurred()) return fail_memory(tensor, name);
  const int64_t item = call_int(tensor, "element_size");
  if (item <= 0 || !read_sequence(PyObject_GetAttrString(tensor, "shape"), &shape) ||
      !read_sequence(PyObject_CallMethod(tensor, "stride", nullptr), &strides) ||
      shape.size() != strides.size())
    return fail_memory(tensor, name);
  out->data = reinterpret_cast<uint8_t*>(address);
  out->item = item;
  return out->set_layout(static_cast<int>(shape.size()), shape.data(), strides.data(), item) ||
         fail_layout(name);
}

bool read_table(PyObject* tensor, const ArgName& name, HostArray* out) {
  dlpack::Tensor view = {};
  if (torch().api->tensor_from_object(tensor, &view) != 0) return fail_memory(tensor, name);
  if (!read_layout(view, name, out)) return false;
  if (out->device.empty()) return true;
  out->device = device_of(tensor);  // torch's name of it
  return out->device != "meta" || fail_memory(tensor, name);
}

// Is the memory negated when it is read?
bool is_negated(PyObject* tensor) {
  PyObject* ask = torch().is_neg;
  PyObject* answer = ask ? PyObject_Vectorcall(ask, &tensor, 1, nullptr) : nullptr;
  const bool yes = answer == Py_True;
  Py_XDECREF(answer);
  drop_error();
  return yes;
}

}  // namespace

bool read_tensor(PyObject* tensor, TypeClass cls, const ArgName& name, HostArray* out) {
  const bool table = cls == TypeClass::Tensor && torch().api;
  if (!(table ? read_table(tensor, name, out) : read_attributes(tensor, name, out))) return false;
  if (!out->device.empty()) return true;
  if (!out->data &&
      (out->bytes > 0 || is_instance_of(tensor, "torch.nn.parameter", "UninitializedTensorMixin")))
    return fail_memory(tensor, name);
  // Complex tensors, the only ones with a conj bit, are refused by dtype.
  return !is_negated(tensor) ||
         fail(PyExc_TypeError, name,
              "the tensor is a lazy negation: its memory holds -x; pass x.resolve_neg()");
}

bool read_tensor_dtype(PyObject* tensor, const ArgName& name, DType* out) {
  std::string text;
  if (!read_attr_string(tensor, "dtype", &text)) text = "an unknown dtype";
  if (text.starts_with("torch.")) text.erase(0, 6);
  return find_dtype(text, out) || fail_dtype(name, text);
}

void check_tensor_writable(PyObject* tensor, const ArgName& name) {
  if (!attribute_is_true(tensor, "requires_grad")) return;
  PyObject* ask = torch().is_grad_enabled;
  PyObject* enabled = ask ? PyObject_CallNoArgs(ask) : nullptr;
  const bool recorded = enabled == Py_True;
  Py_XDECREF(enabled);
  drop_error();
  if (!recorded) return;
  throw LaunchError(
      fmt::format("{}: the tensor requires grad and the kernel may write it, which autograd would not see",
                  name.text()),
      "launch it under torch.no_grad(), pass x.detach(), or put the launch into a torch.autograd.Function");
}

bool note_tensors_written(std::span<PyObject* const> tensors) {
  PyObject* increment = tensors.empty() ? nullptr : torch().increment_version;
  if (!increment) return true;
  PyObject* list = PyTuple_New(static_cast<Py_ssize_t>(tensors.size()));
  if (!list) return false;
  for (size_t i = 0; i < tensors.size(); i++)
    PyTuple_SET_ITEM(list, static_cast<Py_ssize_t>(i), Py_NewRef(tensors[i]));
  PyObject* done = PyObject_CallOneArg(increment, list);
  Py_DECREF(list);
  Py_XDECREF(done);
  return done != nullptr;
}

}  // namespace asc::runtime
