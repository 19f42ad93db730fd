// SPDX-License-Identifier: Apache-2.0
// What each argument of a call is: an array, a number, a struct, or a value for compile time.
#include "runtime/args.h"

#include "base/format.h"
#include "lower/function.h"
#include "lower/objects.h"
#include "runtime/args_array.h"
#include "runtime/args_scalar.h"

namespace asc::runtime {
namespace {

// dtype objects of numpy and torch are few and mostly singletons: what each means is kept by its address.
struct KnownDType {
  PyObject* object;  // strong
  DType dtype;
};
KnownDType g_known_dtypes[64];
KnownDType& dtype_slot(const PyObject* object) {
  return g_known_dtypes[(reinterpret_cast<uintptr_t>(object) >> 4) * 0x9E3779B97F4A7C15ull >> 58];
}

// The dtype object of an array or tensor: new reference, or null with no error set.
PyObject* dtype_attribute(PyObject* value) {
  static PyObject* const name = PyUnicode_InternFromString("dtype");
  PyObject* dtype = PyObject_GetAttr(value, name);
  if (!dtype) drop_error();
  return dtype;
}

bool classify_array(PyObject* value, TypeClass cls, const ArgName& name, ArgInfo* out) {
  out->form = ArgInfo::Form::Array;
  if (cls != TypeClass::NumpyArray && cls != TypeClass::Tensor)
    return read_dtype(value, cls, name, &out->dtype);
  PyObject* dtype = dtype_attribute(value);
  KnownDType& known = dtype_slot(dtype);
  bool good = true;
  if (dtype && known.object == dtype) {
    out->dtype = known.dtype;
  } else {
    good = read_dtype(value, cls, name, &out->dtype);
    if (good && dtype) {
      PyObject* old = known.object;
      known = {Py_NewRef(dtype), out->dtype};
      Py_XDECREF(old);
    }
  }
  Py_XDECREF(dtype);
  return good;
}

bool classify_mock(PyObject* value, bool array, const ArgName& name, ArgInfo* out) {
  PyObject* dtype = PyObject_GetAttrString(value, "dtype");
  const bool known = dtype && lower::as_dtype(dtype, &out->dtype);
  Py_XDECREF(dtype);
  drop_error();
  if (!known) return fail(PyExc_TypeError, name, "the mock needs an asc data type");
  out->form = array ? ArgInfo::Form::Array : ArgInfo::Form::Scalar;
  out->is_mock = true;
  if (!array) {
    PyObject* sign = PyObject_GetAttrString(value, "nonnegative");
    out->nonnegative = sign && sign == Py_True;
    Py_XDECREF(sign);
    drop_error();
  }
  return true;
}

// What is no array, for a parameter that is annotated as one.
bool fail_address(PyObject* value, const ArgName& name) {
  const bool sequence = PyList_Check(value) || PyTuple_Check(value);
  return fail(
      PyExc_TypeError, name,
      fmt::format("the parameter is an asc.GlobalAddress, which takes an array or tensor, got {}{}",
                  value == Py_None ? "None" : Py_TYPE(value)->tp_name,
                  sequence ? ": pass a numpy array or torch tensor, or asc.pointers([...]) of arrays" : ""));
}

bool fail_masked(const ArgName& name) {
  return fail(PyExc_TypeError, name,
              "a masked array: the kernel would not see its mask; pass x.filled(value), or x.data");
}

bool fail_foreign(PyObject* value, const ArgName& name) {
  if (PyComplex_Check(value))
    return fail(PyExc_TypeError, name, "complex numbers are not supported; pass real and imaginary part");
  return fail(PyExc_TypeError, name,
              fmt::format("a {} gives no memory that a kernel can use in place (no buffer, __dlpack__ or "
                          "__array_interface__); pass a numpy array or torch tensor",
                          Py_TYPE(value)->tp_name));
}

// Objects that mean something while compiling (dtypes, enums, functions, None, the receiver of a method)
// specialise; containers and text need to say so.
bool classify_constant(PyObject* value, const ArgName& name) {
  if (!PyUnicode_Check(value) && !PyList_Check(value) && !PyTuple_Check(value) && !PyDict_Check(value) &&
      !PyAnySet_Check(value))
    return true;
  const char* type = Py_TYPE(value)->tp_name;
  const char* array =
      PyList_Check(value) || PyTuple_Check(value) ? "for an array pass a numpy array or torch tensor; " : "";
  return fail(
      PyExc_TypeError, name,
      fmt::format("Argument type in JIT function is not supported: {}; {}a compile-time value needs the "
                  "annotation asc.ConstExpr[{}]",
                  type, array, type));
}

// What nearly every launch has, without a call: False where the argument needs a closer look.
bool classify_plain(PyObject* value, TypeClass cls, const lower::Parameter& parameter, ArgInfo* out) {
  if (parameter.pinned != DType::Void) return false;
  if (cls == TypeClass::NumpyArray || cls == TypeClass::Tensor) {
    PyObject* dtype = dtype_attribute(value);
    const KnownDType& known = dtype_slot(dtype);
    const bool hit = dtype && known.object == dtype;
    if (hit) *out = {ArgInfo::Form::Array, known.dtype};
    Py_XDECREF(dtype);
    return hit;
  }
  if (cls != TypeClass::Int || parameter.is_address) return false;
  int overflow = 0;
  const long long number = PyLong_AsLongLongAndOverflow(value, &overflow);
  *out = {ArgInfo::Form::Scalar, number >= INT32_MIN && number <= INT32_MAX ? DType::I32 : DType::I64,
          number >= 0, static_cast<uint64_t>(number)};
  return overflow == 0;
}

bool is_scalar_class(TypeClass cls) {
  return cls == TypeClass::Int || cls == TypeClass::Float || cls == TypeClass::Bool ||
         cls == TypeClass::NumpyScalar || cls == TypeClass::MockValue;
}

bool classify_scalar(PyObject* value, TypeClass cls, DType pinned, const ArgName& name, ArgInfo* out) {
  bool good = true;
  switch (cls) {
    case TypeClass::Int: good = classify_int(value, pinned, name, out); break;
    case TypeClass::Float: good = classify_float(PyFloat_AS_DOUBLE(value), pinned, name, out); break;
    case TypeClass::Bool: *out = {ArgInfo::Form::Scalar, DType::Bool, false, value == Py_True}; break;
    case TypeClass::NumpyScalar: good = classify_numpy_scalar(value, pinned, name, out); break;
    default: good = classify_mock(value, false, name, out); break;
  }
  return good && pin(out, pinned, name);
}

}  // namespace

// An array where a number is wanted: one with one element holds it, any other was meant as an array.
static std::string number_wanted(std::string_view kind, PyObject* value, const lower::Parameter& parameter) {
  const PyRef dimensions = PyRef::steal(PyObject_GetAttrString(value, "ndim"));
  const long rank = dimensions && PyLong_Check(dimensions.get()) ? PyLong_AsLong(dimensions.get()) : -1;
  const bool is_one = rank == 0 || (rank == 1 && PySequence_Size(value) == 1);
  drop_error();
  return fmt::format("the parameter is a number, {}, got {}; {}", kind, Py_TYPE(value)->tp_name,
                     is_one ? fmt::format("pass {}.item()", parameter.utf8)
                            : "an array has the annotation asc.GlobalAddress, and brings its dtype");
}

bool classify_argument(PyObject* value, const lower::Parameter& parameter, const std::string& kernel,
                       ArgInfo* out) {
  *out = {};
  if (parameter.is_constexpr) return true;
  TypeClass cls = class_of(value);
  if (classify_plain(value, cls, parameter, out)) return true;
  *out = {};
  if (parameter.is_address && value != Py_None) cls = array_class_of(value);
  const ArgName name{kernel, parameter.utf8};
  if (is_scalar_class(cls))
    return parameter.is_address ? fail_address(value, name)
                                : classify_scalar(value, cls, parameter.pinned, name, out);
  switch (cls) {
    case TypeClass::MaskedArray: return fail_masked(name);
    case TypeClass::Foreign: return fail_foreign(value, name);
    case TypeClass::Struct:
      if (parameter.is_address) return fail_address(value, name);
      out->form = ArgInfo::Form::Struct;
      return true;
    case TypeClass::Other:
      // An array that may be left out: `bias: asc.GlobalAddress = None`.
      if (value == Py_None && parameter.default_value == Py_None) return true;
      return parameter.is_address ? fail_address(value, name) : classify_constant(value, name);
    default: break;
  }
  if (parameter.pinned != DType::Void)
    return fail(PyExc_TypeError, name, number_wanted(py_name(parameter.pinned), value, parameter));
  switch (cls) {
    case TypeClass::MockTensor: return classify_mock(value, true, name, out);
    case TypeClass::Pointers:
      out->form = ArgInfo::Form::Array;
      out->dtype = DType::U64;
      return true;
    case TypeClass::Raw: return classify_array(raw_array(value), array_class_of(raw_array(value)), name, out);
    default: return classify_array(value, cls, name, out);
  }
}

bool check_annotation(PyObject* value, const lower::KernelFunction& function,
                      const lower::Parameter& parameter, const ArgInfo& info) {
  if (parameter.is_constexpr || parameter.is_address || parameter.pinned != DType::Void) return true;
  if (value == parameter.default_value) return true;
  const PyRef wanted = function.annotation(parameter);
  if (!wanted || !PyType_Check(wanted.get())) return true;
  const ArgName name{function.name, parameter.utf8};
  const auto* cls = reinterpret_cast<PyTypeObject*>(wanted.get());
  if (lower::is_struct_class(wanted.get())) {
    if (PyObject_IsInstance(value, wanted.get()) == 1) return true;
    drop_error();
    const bool is_class = PyType_Check(value);
    return fail(
        PyExc_TypeError, name,
        fmt::format("the parameter is a struct {}, got {}{}; pass an instance, {}(...)", cls->tp_name,
                    is_class ? "the class " : "",
                    is_class ? reinterpret_cast<PyTypeObject*>(value)->tp_name : Py_TYPE(value)->tp_name,
                    cls->tp_name));
  }
  const bool number = cls == &PyLong_Type || cls == &PyFloat_Type || cls == &PyBool_Type;
  if (number && info.form == ArgInfo::Form::Array)
    return fail(PyExc_TypeError, name, number_wanted(cls->tp_name, value, parameter));
  return true;
}

}  // namespace asc::runtime
