// SPDX-License-Identifier: Apache-2.0
// Inside runtime/args*: what the type of an argument says about it, learned once a type; and the words that
// errors about arguments share.
#pragma once

#include <Python.h>

#include <cstdint>
#include <string>
#include <string_view>

#include "base/dtype.h"

namespace asc::runtime {

enum class TypeClass : uint8_t {
  Unknown,
  Int,
  Float,
  Bool,
  NumpyScalar,
  NumpyArray,
  MaskedArray,     // numpy.ma: memory and a mask
  Tensor,          // torch.Tensor, and subclasses that leave its operators alone
  TensorSubclass,  // torch.Tensor with a __torch_dispatch__ of its own: its memory is asked for by attributes
  Buffer,          // speaks the buffer protocol
  DLPack,          // has __dlpack__ and no buffer
  Interface,       // has __array_interface__ and neither of these
  Raw,             // asc.raw(x)
  Pointers,        // asc.pointers([...])
  MockTensor,
  MockValue,
  Struct,
  Foreign,  // means nothing while compiling and is no array: refused
  Other     // a compile-time value
};

// A memo of types, kept alive so that an address is never reused. Inline: it is on the path of
// every launch.
struct KnownType {
  PyTypeObject* type;
  TypeClass cls;
};
// A set of four places a hash: int, float and numpy's array always lie the same way to each other, and where
// two of them shared the only place each launch would learn them anew.
inline constexpr size_t kKnownTypes = 64, kPlaces = 4;
extern KnownType g_known_types[kKnownTypes];
inline KnownType* known_places(const PyTypeObject* type) {
  constexpr uint64_t kGolden = 0x9E3779B97F4A7C15;
  const uint64_t hash = (reinterpret_cast<uintptr_t>(type) >> 4) * kGolden;
  return g_known_types + (hash >> 32) % (kKnownTypes / kPlaces) * kPlaces;
}
TypeClass learn_class(PyObject* value);
inline TypeClass class_of(PyObject* value) {
  const PyTypeObject* type = Py_TYPE(value);
  const KnownType* places = known_places(type);
  for (size_t i = 0; i < kPlaces; i++)
    if (places[i].type == type) return places[i].cls;
  return learn_class(value);
}
bool is_array_class(TypeClass cls);
// Of what is meant as an array: also where one object's own attributes make it one.
inline TypeClass array_class_of(PyObject* value) {
  const TypeClass cls = class_of(value);
  return cls == TypeClass::Other ? learn_class(value) : cls;
}

// isinstance(value, sys.modules[module].name), without importing the module.
bool is_instance_of(PyObject* value, const char* module, const char* name);

// str(object.name); false with no error set where that fails.
bool read_attr_string(PyObject* object, const char* name, std::string* out);
// Calls a method of no arguments that says yes or no; false where there is no such method.
bool call_flag(PyObject* object, const char* name);
// Calls a method of no arguments and reads the result as an integer; -1 with a Python error set.
int64_t call_int(PyObject* object, const char* name);

// Which parameter of which kernel: the head of every error about an argument.
struct ArgName {
  const std::string& kernel;
  std::string_view parameter;
  std::string text() const;  // "add() argument 'x'"
};

// Sets a Python error that begins with the argument's name; false.
bool fail(PyObject* kind, const ArgName& name, std::string_view text);
// "arrays of complex64 are not supported; ...", with what to pass instead where that is known.
bool fail_dtype(const ArgName& name, std::string_view dtype);
bool fail_big_endian(const ArgName& name);

// asc.raw and asc.pointers (args_wrap.cpp): what they hold; borrowed.
bool is_raw(PyObject* value);
PyObject* raw_array(PyObject* value);
bool is_pointers(PyObject* value);
PyObject* pointers_tuple(PyObject* value);

bool is_mock_tensor(PyObject* value);
bool is_mock_value(PyObject* value);

}  // namespace asc::runtime
