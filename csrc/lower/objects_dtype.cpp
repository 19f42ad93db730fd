// SPDX-License-Identifier: Apache-2.0
// The C type behind asc.float32 and the other element types; see objects.h.
#define PY_SSIZE_T_CLEAN
#include <string>
#include <utility>

#include "lower/objects.h"
#include "lower/pyref.h"

namespace asc::lower {
namespace {

PyTypeObject* g_dtype_type = nullptr;
PyObject* g_dtypes[kDTypeCount] = {};

DType dtype_of(PyObject* self) { return reinterpret_cast<DTypeObject*>(self)->dtype; }

// Names of the reference that are not dtype names here.
bool find_dtype_alias(std::string_view name, DType* out) {
  if (name == "int1") {
    *out = DType::Bool;
    return true;
  }
  return find_dtype(name, out);
}

PyObject* dtype_new(PyTypeObject*, PyObject* args, PyObject* kwargs) {
  static const char* keywords[] = {"name", nullptr};
  const char* name = nullptr;
  Py_ssize_t size = 0;
  if (!PyArg_ParseTupleAndKeywords(args, kwargs, "s#:DataType", const_cast<char**>(keywords), &name, &size))
    return nullptr;
  DType dtype;
  if (!find_dtype_alias({name, static_cast<size_t>(size)}, &dtype)) {
    std::string known;
    for (int i = 0; i < kDTypeCount; i++) known += (i ? ", " : "") + std::string(kDTypes[i].py_name);
    PyErr_Format(PyExc_ValueError, "unknown data type '%s'; known are %s", name, known.c_str());
    return nullptr;
  }
  return Py_NewRef(dtype_object(dtype));
}

PyObject* dtype_repr(PyObject* self) {
  return PyUnicode_FromFormat("DataType('%s')", std::string(py_name(dtype_of(self))).c_str());
}
PyObject* dtype_str(PyObject* self) {
  const std::string_view name = py_name(dtype_of(self));
  return PyUnicode_FromStringAndSize(name.data(), static_cast<Py_ssize_t>(name.size()));
}
PyObject* dtype_get_name(PyObject* self, void*) { return dtype_str(self); }
PyObject* dtype_get_bitwidth(PyObject* self, void*) {
  const DType t = dtype_of(self);
  if (t == DType::Void) Py_RETURN_NONE;
  return PyLong_FromLong(t == DType::Bool ? 1 : 8 * size_of(t));
}
PyObject* dtype_sizeof(PyObject* self, PyObject*) {
  if (dtype_of(self) == DType::Void) return PyErr_Format(PyExc_ValueError, "void has no size");
  return PyLong_FromLong(size_of(dtype_of(self)));
}
PyObject* dtype_is_int(PyObject* self, PyObject*) { return PyBool_FromLong(is_int(dtype_of(self))); }
PyObject* dtype_is_float(PyObject* self, PyObject*) { return PyBool_FromLong(is_float(dtype_of(self))); }
PyObject* dtype_is_numeric(PyObject* self, PyObject*) {
  return PyBool_FromLong(is_int(dtype_of(self)) || is_float(dtype_of(self)));
}
PyObject* dtype_is_signed(PyObject* self, PyObject*) {
  return PyBool_FromLong(is_signed_int(dtype_of(self)));
}
PyObject* dtype_is_unsigned(PyObject* self, PyObject*) {
  return PyBool_FromLong(is_unsigned_int(dtype_of(self)));
}
PyObject* dtype_is_void(PyObject* self, PyObject*) { return PyBool_FromLong(dtype_of(self) == DType::Void); }
PyObject* dtype_reduce(PyObject* self, PyObject*) {
  const std::string_view name = py_name(dtype_of(self));
  return Py_BuildValue("O(s#)", g_dtype_type, name.data(), static_cast<Py_ssize_t>(name.size()));
}

// The name of another library's dtype: torch.float32, numpy.dtype('float32'), numpy.float32, "float32".
PyRef foreign_name(PyObject* other) {
  if (PyUnicode_Check(other)) return PyRef::borrow(other);
  const bool is_class = PyType_Check(other);
  const std::string_view type = (is_class ? reinterpret_cast<PyTypeObject*>(other) : Py_TYPE(other))->tp_name;
  PyRef name;
  if (type == "torch.dtype" && !is_class)
    name = PyRef::steal(PyObject_Str(other));
  else if (type.starts_with("numpy.dtype") && !is_class)
    name = PyRef::steal(PyObject_GetAttrString(other, "name"));
  else if (type.starts_with("numpy.") && is_class)
    name = PyRef::steal(PyObject_GetAttrString(other, "__name__"));
  drop_error();
  return name && PyUnicode_Check(name.get()) ? std::move(name) : PyRef();
}

// There is one object of each dtype. Those of other libraries are equal by name, as numpy has it with names
// and classes, so that `x.dtype == torch.float32` says what it seems to say; in a dict they are others.
PyObject* dtype_compare(PyObject* self, PyObject* other, int op) {
  if (op != Py_EQ && op != Py_NE) Py_RETURN_NOTIMPLEMENTED;
  bool equal = self == other;
  if (!equal && Py_TYPE(other) != Py_TYPE(self)) {
    const PyRef name = foreign_name(other);
    Py_ssize_t size = 0;
    const char* text = name ? PyUnicode_AsUTF8AndSize(name.get(), &size) : nullptr;
    if (!text) {
      drop_error();
      Py_RETURN_NOTIMPLEMENTED;
    }
    std::string_view word(text, static_cast<size_t>(size));
    if (word.starts_with("torch.")) word.remove_prefix(6);
    DType dtype;
    equal = find_dtype_alias(word, &dtype) && dtype == dtype_of(self);
  }
  return PyBool_FromLong(equal == (op == Py_EQ));
}
Py_hash_t dtype_hash(PyObject* self) { return PyBaseObject_Type.tp_hash(self); }

PyMethodDef kDTypeMethods[] = {{"sizeof", dtype_sizeof, METH_NOARGS, "Size of one element in bytes."},
                               {"is_int", dtype_is_int, METH_NOARGS, "Signed or unsigned integer."},
                               {"is_float", dtype_is_float, METH_NOARGS, "Floating point."},
                               {"is_numeric", dtype_is_numeric, METH_NOARGS, "Integer or floating point."},
                               {"is_signed", dtype_is_signed, METH_NOARGS, "Signed integer."},
                               {"is_unsigned", dtype_is_unsigned, METH_NOARGS, "Unsigned integer."},
                               {"is_void", dtype_is_void, METH_NOARGS, "The type of nothing."},
                               {"__reduce__", dtype_reduce, METH_NOARGS, nullptr},
                               {nullptr, nullptr, 0, nullptr}};
PyGetSetDef kDTypeGetSet[] = {{"name", dtype_get_name, nullptr, "Name: 'float32'.", nullptr},
                              {"bitwidth", dtype_get_bitwidth, nullptr, "Bits of an element.", nullptr},
                              {nullptr, nullptr, nullptr, nullptr, nullptr}};
PyType_Slot kDTypeSlots[] = {
    {Py_tp_new, reinterpret_cast<void*>(dtype_new)},
    {Py_tp_repr, reinterpret_cast<void*>(dtype_repr)},
    {Py_tp_str, reinterpret_cast<void*>(dtype_str)},
    {Py_tp_richcompare, reinterpret_cast<void*>(dtype_compare)},
    {Py_tp_hash, reinterpret_cast<void*>(dtype_hash)},
    {Py_tp_methods, kDTypeMethods},
    {Py_tp_getset, kDTypeGetSet},
    {Py_tp_doc, const_cast<char*>("DataType(name)\n--\n\nAn element type, such as asc.float16.")},
    {0, nullptr}};
PyType_Spec kDTypeSpec = {"asc.DataType", sizeof(DTypeObject), 0,
                          Py_TPFLAGS_DEFAULT | Py_TPFLAGS_IMMUTABLETYPE, kDTypeSlots};

}  // namespace

int init_dtypes(PyObject* module) {
  if (!(g_dtype_type = reinterpret_cast<PyTypeObject*>(PyType_FromSpec(&kDTypeSpec)))) return -1;
  if (PyModule_AddObjectRef(module, "DataType", reinterpret_cast<PyObject*>(g_dtype_type)) < 0) return -1;
  for (int i = 0; i < kDTypeCount; i++) {
    auto* object = PyObject_New(DTypeObject, g_dtype_type);
    if (!object) return -1;
    object->dtype = static_cast<DType>(i);
    g_dtypes[i] = reinterpret_cast<PyObject*>(object);
    const std::string_view name = kDTypes[i].py_name;
    if (PyModule_AddObjectRef(module, name == "bool" ? "bool_" : std::string(name).c_str(), g_dtypes[i]) < 0)
      return -1;
  }
  const std::pair<const char*, DType> aliases[] = {{"half", DType::F16},   {"float_", DType::F32},
                                                   {"double", DType::F64}, {"int_", DType::I32},
                                                   {"int1", DType::Bool},  {"bit", DType::Bool}};
  for (auto& [name, dtype] : aliases)
    if (PyModule_AddObjectRef(module, name, dtype_object(dtype)) < 0) return -1;
  return 0;
}

bool as_dtype(PyObject* object, DType* out) {
  if (Py_TYPE(object) != g_dtype_type) return false;
  *out = dtype_of(object);
  return true;
}

PyObject* dtype_object(DType dtype) { return g_dtypes[static_cast<int>(dtype)]; }

}  // namespace asc::lower
