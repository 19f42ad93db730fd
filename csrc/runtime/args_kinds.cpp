// SPDX-License-Identifier: Apache-2.0
#include "runtime/args_kinds.h"

#include <algorithm>

#include "base/format.h"
#include "lower/objects.h"
#include "runtime/args.h"
#include "runtime/launcher_gil.h"

namespace asc::runtime {
namespace {

PyObject* g_mock_tensor = nullptr;
PyObject* g_mock_value = nullptr;

bool has(PyObject* object, const char* name) {
  PyObject* attribute = PyObject_GetAttrString(object, name);
  drop_error();
  Py_XDECREF(attribute);
  return attribute != nullptr && attribute != Py_None;
}

// Does the tensor's class see its operators itself? Then its memory may be anywhere, or nowhere.
TypeClass tensor_class(PyObject* value) {
  PyObject* base = imported_module("torch");  // borrowed
  PyObject* tensor = base ? PyObject_GetAttrString(base, "Tensor") : nullptr;
  PyObject* plain = tensor ? PyObject_GetAttrString(tensor, "__torch_dispatch__") : nullptr;
  PyObject* own = PyObject_GetAttrString(reinterpret_cast<PyObject*>(Py_TYPE(value)), "__torch_dispatch__");
  const int same = plain && own ? PyObject_RichCompareBool(plain, own, Py_EQ) : 0;
  Py_XDECREF(own);
  Py_XDECREF(plain);
  Py_XDECREF(tensor);
  drop_error();
  return same > 0 ? TypeClass::Tensor : TypeClass::TensorSubclass;
}

// The order decides for what speaks several protocols: first the libraries whose own ways are exact, then the
// buffer protocol (it keeps the memory in place while it is used, and says what is read-only), then DLPack,
// then __array_interface__.
TypeClass learn(PyObject* value) {
  if (PyBool_Check(value)) return TypeClass::Bool;
  if (is_raw(value)) return TypeClass::Raw;
  if (is_pointers(value)) return TypeClass::Pointers;
  if (is_mock_tensor(value)) return TypeClass::MockTensor;
  if (is_mock_value(value)) return TypeClass::MockValue;
  if (is_instance_of(value, "numpy.ma", "MaskedArray")) return TypeClass::MaskedArray;
  if (is_instance_of(value, "numpy", "ndarray")) return TypeClass::NumpyArray;
  if (is_instance_of(value, "numpy", "generic")) return TypeClass::NumpyScalar;
  if (is_instance_of(value, "torch", "Tensor")) return tensor_class(value);
  if (lower::is_struct_class(reinterpret_cast<PyObject*>(Py_TYPE(value)))) return TypeClass::Struct;
  EnumId id;
  int64_t member;
  if (lower::as_enum(value, &id, &member)) return TypeClass::Other;
  if (PyLong_Check(value)) return TypeClass::Int;
  if (PyFloat_Check(value)) return TypeClass::Float;
  if (PyUnicode_Check(value) || PyType_Check(value) || PyFunction_Check(value)) return TypeClass::Other;
  if (PyObject_CheckBuffer(value)) return TypeClass::Buffer;
  if (has(value, "__dlpack__")) return TypeClass::DLPack;
  if (has(value, "__array_interface__")) return TypeClass::Interface;
  if (PyComplex_Check(value) || has(value, "__array__") || has(value, "__cuda_array_interface__"))
    return TypeClass::Foreign;
  return TypeClass::Other;
}

// Does the type itself have the protocol by which its object is of this class?
bool is_of_type(PyObject* type, TypeClass cls) {
  switch (cls) {
    case TypeClass::DLPack: return has(type, "__dlpack__");
    case TypeClass::Interface: return has(type, "__array_interface__");
    case TypeClass::Foreign:
      return type == reinterpret_cast<PyObject*>(&PyComplex_Type) || has(type, "__array__") ||
             has(type, "__cuda_array_interface__");
    default: return true;
  }
}

// What to pass instead of an array of a dtype that kernels do not have.
std::string_view cure_of(std::string_view dtype) {
  if (dtype.starts_with("complex")) return "pass x.real and x.imag as arrays of their own";
  if (dtype.starts_with("datetime64") || dtype.starts_with("timedelta64")) return "pass x.view('int64')";
  if (dtype == "object") return "pass x.astype('float32')";
  if (dtype.starts_with("void") || dtype.starts_with("record"))
    return "a structured array: pass one field as a contiguous array, or an asc.Struct";
  if (dtype == "longdouble" || dtype == "float128" || dtype == "float96") return "pass x.astype('float32')";
  if (dtype.starts_with("qint") || dtype.starts_with("quint")) return "pass x.int_repr()";
  return {};
}

}  // namespace

bool is_instance_of(PyObject* value, const char* module, const char* name) {
  PyObject* found = imported_module(module);
  if (!found) return false;
  PyObject* cls = PyObject_GetAttrString(found, name);
  const int result = cls ? PyObject_IsInstance(value, cls) : 0;
  Py_XDECREF(cls);
  if (result < 0 || !cls) drop_error();
  return result > 0;
}

KnownType g_known_types[kKnownTypes];

TypeClass learn_class(PyObject* value) {
  PyTypeObject* type = Py_TYPE(value);
  const TypeClass cls = learn(value);
  drop_error();
  // It says what its array says, and keeps nothing alive.
  if (PyWeakref_CheckProxy(value) && is_array_class(cls)) return TypeClass::Foreign;
  // One object's own attributes say nothing of others of its type.
  if (!is_of_type(reinterpret_cast<PyObject*>(type), cls)) return cls;
  // A heap type made at run time may gain meaning only by inheritance, which its class already shows.
  Py_INCREF(type);
  KnownType* places = known_places(type);
  size_t last = 0;  // where the type is already, or the place that is longest in use
  while (last + 1 < kPlaces && places[last].type != type) last++;
  PyTypeObject* old = places[last].type;
  std::move_backward(places, places + last, places + last + 1);
  places[0] = {type, cls};
  Py_XDECREF(old);
  return cls;
}

bool is_array_class(TypeClass cls) {
  switch (cls) {
    case TypeClass::NumpyArray:
    case TypeClass::Tensor:
    case TypeClass::TensorSubclass:
    case TypeClass::Buffer:
    case TypeClass::DLPack:
    case TypeClass::Interface: return true;
    default: return false;
  }
}

bool read_attr_string(PyObject* object, const char* name, std::string* out) {
  PyObject* attribute = PyObject_GetAttrString(object, name);
  PyObject* text = attribute ? PyObject_Str(attribute) : nullptr;
  Py_XDECREF(attribute);
  const char* utf8 = text ? PyUnicode_AsUTF8(text) : nullptr;
  if (utf8) *out = utf8;
  Py_XDECREF(text);
  drop_error();
  return utf8 != nullptr;
}

bool call_flag(PyObject* object, const char* name) {
  PyObject* result = PyObject_CallMethod(object, name, nullptr);
  const bool yes = result && PyObject_IsTrue(result) > 0;
  Py_XDECREF(result);
  drop_error();
  return yes;
}

int64_t call_int(PyObject* object, const char* name) {
  PyObject* result = PyObject_CallMethod(object, name, nullptr);
  if (!result) return -1;
  const int64_t value = PyLong_AsLongLong(result);
  Py_DECREF(result);
  return value;
}

std::string ArgName::text() const { return fmt::format("{}() argument '{}'", kernel, parameter); }

bool fail(PyObject* kind, const ArgName& name, std::string_view text) {
  PyErr_SetString(kind, fmt::format("{}: {}", name.text(), text).c_str());
  return false;
}

bool fail_dtype(const ArgName& name, std::string_view dtype) {
  const std::string_view cure = cure_of(dtype);
  return fail(PyExc_TypeError, name,
              fmt::format("arrays of {} are not supported; {}{}supported are bool, int8 to int64, uint8 to "
                          "uint64, float16, bfloat16, float32, float64",
                          dtype, cure, cure.empty() ? "" : "; "));
}

bool fail_big_endian(const ArgName& name) {
  return fail(PyExc_TypeError, name, "the array is big-endian; pass x.astype(x.dtype.newbyteorder('='))");
}

bool is_mock_tensor(PyObject* value) {
  return g_mock_tensor && PyObject_TypeCheck(value, reinterpret_cast<PyTypeObject*>(g_mock_tensor));
}
bool is_mock_value(PyObject* value) {
  return g_mock_value && PyObject_TypeCheck(value, reinterpret_cast<PyTypeObject*>(g_mock_value));
}

void register_mock_types(PyObject* mock_tensor, PyObject* mock_value) {
  Py_XSETREF(g_mock_tensor, Py_NewRef(mock_tensor));
  Py_XSETREF(g_mock_value, Py_NewRef(mock_value));
}

}  // namespace asc::runtime
