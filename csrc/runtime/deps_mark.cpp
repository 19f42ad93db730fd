// SPDX-License-Identifier: Apache-2.0
// Values as they were, for the in-memory checks.
#include <string_view>

#include "lower/objects.h"
#include "runtime/deps_content.h"
#include "runtime/deps_facts.h"

namespace asc::runtime {

bool is_plain_leaf(PyObject* value) {
  if (value == Py_None || PyBool_Check(value) || PyLong_CheckExact(value) || PyFloat_CheckExact(value) ||
      PyUnicode_CheckExact(value) || PyBytes_CheckExact(value) || PyComplex_CheckExact(value) ||
      value == Py_Ellipsis || PyRange_Check(value))
    return true;
  if (PyTuple_CheckExact(value)) {
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(value); i++)
      if (!is_plain_leaf(PyTuple_GET_ITEM(value, i))) return false;
    return true;
  }
  DType dtype;
  EnumId id;
  int64_t member;
  return lower::as_dtype(value, &dtype) || lower::as_enum(value, &id, &member) || lower::as_op(value) ||
         lower::as_kind(value) || lower::as_enum_class(value, &id);
}

// A method of an object reads the object.
static bool is_plain_builtin(PyObject* value) {
  if (!PyCFunction_Check(value)) return false;
  PyObject* self = PyCFunction_GET_SELF(value);
  return !self || PyModule_Check(self) || PyType_Check(self);
}

bool is_unchanging(PyObject* value) {
  if (PyFunction_Check(value) || PyType_Check(value) || PyModule_Check(value) || PyCode_Check(value) ||
      is_plain_builtin(value) || lower::as_jit(value) || is_plain_leaf(value))
    return true;
  if (PyTuple_CheckExact(value)) {
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(value); i++)
      if (!is_unchanging(PyTuple_GET_ITEM(value, i))) return false;
    return true;
  }
  // Scalars of numpy but structured ones, which are views, and dtypes but those whose fields can be renamed.
  const std::string_view type = Py_TYPE(value)->tp_name;
  if (type.starts_with("numpy.dtype")) return attribute(value, "fields").get() == Py_None;
  return type.starts_with("numpy.") && type != "numpy.void" && type != "numpy.ndarray" &&
         std::string_view(Py_TYPE(value)->tp_base->tp_name) != "object";
}

Mark::Mark(PyObject* value, How how, bool made_here)
    : value_(PyRef::borrow(value)), made_here_(made_here), how_(how) {
  unchanging_ = !value || (how == How::DeepInMemory ? is_plain_leaf(value) : is_unchanging(value));
  by_identity_ = unchanging_;
  if (unchanging_) return;
  Encoder encoder(how, made_here);
  encoder.kept = &kept_;
  good_ = encoder.add(value);
  content_ = encoder.key();
  Encoder identity(How::InMemory);
  identity.identity(value);
  unchanging_ = encoder.bytes() == identity.bytes();  // nothing but its identity counts
  // Of an instance, what was read is watched: each attribute, or all of it if Python code got it.
  std::string_view content = encoder.bytes();
  if (content.starts_with(identity.bytes())) content.remove_prefix(identity.bytes().size());
  by_identity_ = unchanging_ || (!encoder.whole() && content.starts_with('O'));
}

bool Mark::same_content(PyObject* now) const {
  if (!value_ || !now || !good_) return false;
  if (Py_TYPE(now) != Py_TYPE(value_.get())) return false;
  if (PyLong_CheckExact(now)) return PyObject_RichCompareBool(now, value_.get(), Py_EQ) == 1;
  const PyRef hold = PyRef::borrow(now);  // encoding may run Python code
  Encoder encoder(how_, made_here_);
  if (!encoder.add(now)) return false;
  if (!unchanging_) return encoder.key() == content_;
  Encoder before(how_, made_here_);
  return before.add(value_.get()) && before.bytes() == encoder.bytes();
}

}  // namespace asc::runtime
