// SPDX-License-Identifier: Apache-2.0
// asc.raw(x) and asc.pointers([...]): how an argument is passed, said by the caller.
#include <cstddef>

#include "runtime/args.h"
#include "runtime/args_kinds.h"

#include <structmember.h>

namespace asc::runtime {
namespace {

struct WrapObject {
  PyObject_HEAD PyObject* held;  // strong: raw: the array; pointers: a tuple of arrays, asc.raw and None
};
PyTypeObject* g_raw_type = nullptr;
PyTypeObject* g_pointers_type = nullptr;

PyObject*& held_by(PyObject* self) { return reinterpret_cast<WrapObject*>(self)->held; }

bool is_array(PyObject* value) { return is_array_class(array_class_of(value)); }

PyObject* wrap(PyTypeObject* type, PyObject* held) {  // takes the reference
  PyObject* self = held ? type->tp_alloc(type, 0) : nullptr;
  if (self)
    held_by(self) = held;
  else
    Py_XDECREF(held);
  return self;
}

PyObject* raw_new(PyTypeObject* type, PyObject* args, PyObject* kwargs) {
  PyObject* array;
  static const char* names[] = {"x", nullptr};
  if (!PyArg_ParseTupleAndKeywords(args, kwargs, "O:raw", const_cast<char**>(names), &array)) return nullptr;
  if (Py_TYPE(array) == type) return Py_NewRef(array);
  if (!is_array(array))
    return PyErr_Format(PyExc_TypeError, "asc.raw() takes an array or tensor, got %s",
                        Py_TYPE(array)->tp_name);
  return wrap(type, Py_NewRef(array));
}

PyObject* pointers_new(PyTypeObject* type, PyObject* args, PyObject* kwargs) {
  PyObject* arrays;
  static const char* names[] = {"arrays", nullptr};
  if (!PyArg_ParseTupleAndKeywords(args, kwargs, "O:pointers", const_cast<char**>(names), &arrays))
    return nullptr;
  if (is_array(arrays) || PyUnicode_Check(arrays))
    return PyErr_Format(PyExc_TypeError, "asc.pointers() takes a list of arrays, got %s",
                        Py_TYPE(arrays)->tp_name);
  PyObject* entries = PySequence_Tuple(arrays);
  for (Py_ssize_t i = 0; entries && i < PyTuple_GET_SIZE(entries); i++) {
    PyObject* entry = PyTuple_GET_ITEM(entries, i);
    if (entry == Py_None || is_raw(entry) || is_array(entry)) continue;
    PyErr_Format(PyExc_TypeError,
                 "asc.pointers(): item %zd is a %s; items are arrays, asc.raw(array) or None", i,
                 Py_TYPE(entry)->tp_name);
    Py_CLEAR(entries);
  }
  return wrap(type, entries);
}

int wrap_traverse(PyObject* self, visitproc visit, void* arg) {
  Py_VISIT(Py_TYPE(self));
  Py_VISIT(held_by(self));
  return 0;
}
int wrap_clear(PyObject* self) {
  Py_CLEAR(held_by(self));
  return 0;
}
void wrap_dealloc(PyObject* self) {
  PyTypeObject* type = Py_TYPE(self);
  PyObject_GC_UnTrack(self);
  wrap_clear(self);
  type->tp_free(self);
  Py_DECREF(type);
}
PyObject* wrap_repr(PyObject* self) {
  const bool raw = Py_TYPE(self) == g_raw_type;
  if (!raw && held_by(self))
    return PyUnicode_FromFormat("asc.pointers(<%zd arrays>)", PyTuple_GET_SIZE(held_by(self)));
  return PyUnicode_FromFormat("asc.raw(<%s>)", held_by(self) ? Py_TYPE(held_by(self))->tp_name : "nothing");
}
Py_ssize_t pointers_length(PyObject* self) { return held_by(self) ? PyTuple_GET_SIZE(held_by(self)) : 0; }
PyObject* pointers_item(PyObject* self, Py_ssize_t index) {
  if (index < 0 || index >= pointers_length(self)) {
    PyErr_SetString(PyExc_IndexError, "asc.pointers index out of range");
    return nullptr;
  }
  return Py_NewRef(PyTuple_GET_ITEM(held_by(self), index));
}

PyMemberDef kRawMembers[] = {{"array", T_OBJECT, offsetof(WrapObject, held), READONLY, "The array."},
                             {nullptr, 0, 0, 0, nullptr}};
PyType_Slot kRawSlots[] = {
    {Py_tp_new, reinterpret_cast<void*>(raw_new)},
    {Py_tp_dealloc, reinterpret_cast<void*>(wrap_dealloc)},
    {Py_tp_traverse, reinterpret_cast<void*>(wrap_traverse)},
    {Py_tp_clear, reinterpret_cast<void*>(wrap_clear)},
    {Py_tp_repr, reinterpret_cast<void*>(wrap_repr)},
    {Py_tp_members, kRawMembers},
    {Py_tp_doc,
     const_cast<char*>(
         "raw(x)\n--\n\nPasses an array as it lies in memory, for kernels that take its strides: the address of "
         "its first element, with the whole storage behind the view as bounds. Nothing is copied.")},
    {0, nullptr}};
PyType_Slot kPointersSlots[] = {
    {Py_tp_new, reinterpret_cast<void*>(pointers_new)},
    {Py_tp_dealloc, reinterpret_cast<void*>(wrap_dealloc)},
    {Py_tp_traverse, reinterpret_cast<void*>(wrap_traverse)},
    {Py_tp_clear, reinterpret_cast<void*>(wrap_clear)},
    {Py_tp_repr, reinterpret_cast<void*>(wrap_repr)},
    {Py_sq_length, reinterpret_cast<void*>(pointers_length)},
    {Py_sq_item, reinterpret_cast<void*>(pointers_item)},
    {Py_tp_doc,
     const_cast<char*>(
         "pointers(arrays)\n--\n\nPasses a table of the arrays' addresses, one uint64 each (0 for None): the "
         "kernel reads one with get_value() and gives it to set_global_buffer(). The table is read-only.")},
    {0, nullptr}};
constexpr unsigned long kFlags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_IMMUTABLETYPE;
PyType_Spec kRawSpec = {"asc.raw", sizeof(WrapObject), 0, kFlags, kRawSlots};
PyType_Spec kPointersSpec = {"asc.pointers", sizeof(WrapObject), 0, kFlags, kPointersSlots};

}  // namespace

bool is_raw(PyObject* value) { return Py_TYPE(value) == g_raw_type; }
PyObject* raw_array(PyObject* value) { return held_by(value); }
bool is_pointers(PyObject* value) { return Py_TYPE(value) == g_pointers_type; }
PyObject* pointers_tuple(PyObject* value) { return held_by(value); }

int init_argument_types(PyObject* module) {
  g_raw_type = reinterpret_cast<PyTypeObject*>(PyType_FromSpec(&kRawSpec));
  g_pointers_type = reinterpret_cast<PyTypeObject*>(PyType_FromSpec(&kPointersSpec));
  if (!g_raw_type || !g_pointers_type) return -1;
  if (PyModule_AddObjectRef(module, "raw", reinterpret_cast<PyObject*>(g_raw_type)) < 0) return -1;
  return PyModule_AddObjectRef(module, "pointers", reinterpret_cast<PyObject*>(g_pointers_type));
}

}  // namespace asc::runtime
