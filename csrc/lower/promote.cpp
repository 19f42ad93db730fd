// SPDX-License-Identifier: Apache-2.0
// Scalar types and promotion.
#include "lower/promote.h"

#include <algorithm>
#include <string_view>

#include "lower/objects.h"
#include "lower/pyref.h"

namespace asc::lower {

namespace {

DType signed_of(int bytes) {
  switch (bytes) {
    case 1: return DType::I8;
    case 2: return DType::I16;
    case 4: return DType::I32;
    default: return DType::I64;
  }
}

// numpy's scalars without numpy: their class lives in a module "numpy" and they say their dtype. So do those
// of ml_dtypes, whose class names are bare.
bool is_numpy_scalar(PyObject* object) {
  const std::string_view name = Py_TYPE(object)->tp_name;
  if (name == "bfloat16" || name == "ml_dtypes.bfloat16") return PyObject_HasAttrString(object, "dtype");
  return name.starts_with("numpy.") && name != "numpy.ndarray" && PyObject_HasAttrString(object, "dtype");
}

std::optional<Number> numpy_number(PyObject* object) {
  PyObject* dtype = PyObject_GetAttrString(object, "dtype");
  PyObject* name = dtype ? PyObject_Str(dtype) : nullptr;
  const char* text = name ? PyUnicode_AsUTF8(name) : nullptr;
  DType type = DType::Void;
  const bool known = text && find_dtype(text, &type) && type != DType::Void;
  Py_XDECREF(dtype);
  Py_XDECREF(name);
  PyObject* item = known ? PyObject_CallMethod(object, "item", nullptr) : nullptr;
  std::optional<Number> number = item ? number_of(item) : std::nullopt;
  if (!number && known && is_float(type) && item) {  // of a dtype that Python has no number for
    const double real = PyFloat_AsDouble(object);
    number = Number{};
    number->form = Number::Form::Float;
    number->real = real;
  }
  Py_XDECREF(item);
  drop_error();
  if (number) number->pinned = type == DType::F64 ? DType::F32 : type;
  return number;
}

}  // namespace

bool Number::fits(DType t) const {
  if (form == Form::Float) return is_float(t);
  if (is_float(t)) return true;
  if (is_u64) return t == DType::U64;
  if (is_unsigned_int(t)) return bits >= 0 && static_cast<uint64_t>(bits) <= unsigned_max(t);
  return (is_signed_int(t) || is_bool(t)) && bits >= int_min(t) && bits <= int_max(t);
}

DType Number::natural() const {
  if (pinned != DType::Void) return pinned;
  if (form == Form::Float) return DType::F32;
  if (form == Form::Bool) return DType::Bool;
  if (is_u64) return DType::U64;
  return fits(DType::I32) ? DType::I32 : DType::I64;
}

std::optional<Number> number_of(PyObject* object) {
  Number n;
  if (PyFloat_CheckExact(object)) {
    n.form = Number::Form::Float;
    n.real = PyFloat_AS_DOUBLE(object);
    return n;
  }
  if (PyBool_Check(object)) {
    n.form = Number::Form::Bool;
    n.bits = object == Py_True;
    return n;
  }
  if (PyLong_Check(object)) {
    EnumId id;
    int64_t value;
    if (!PyLong_CheckExact(object) && as_enum(object, &id, &value)) return std::nullopt;
    int overflow = 0;
    n.bits = PyLong_AsLongLongAndOverflow(object, &overflow);
    if (!overflow) return n;
    if (overflow < 0) return std::nullopt;
    n.bits = static_cast<int64_t>(PyLong_AsUnsignedLongLong(object));
    n.is_u64 = true;
    if (!PyErr_Occurred()) return n;
    drop_error();
    return std::nullopt;
  }
  if (is_numpy_scalar(object)) return numpy_number(object);
  if (PyFloat_Check(object)) {
    n.form = Number::Form::Float;
    n.real = PyFloat_AS_DOUBLE(object);
    return n;
  }
  return std::nullopt;
}

DType computed(DType t) {
  if (is_bool(t)) return DType::I32;
  return is_float(t) && t != DType::F64 ? DType::F32 : t;
}

Promotion promote(DType a, DType b) {
  a = computed(a);
  b = computed(b);
  if (a == b) return {a};
  if (is_float(a) || is_float(b)) return {a == DType::F64 || b == DType::F64 ? DType::F64 : DType::F32};
  if (is_signed_int(a) == is_signed_int(b)) return {size_of(a) > size_of(b) ? a : b};
  const DType u = is_unsigned_int(a) ? a : b, s = is_unsigned_int(a) ? b : a;
  if (size_of(s) > size_of(u)) return {s};
  if (u == DType::U64)
    return {DType::Void, "uint64 and a signed integer have no common type",
            "cast one side: x.cast(asc.int64) or x.cast(asc.uint64)"};
  return {signed_of(2 * size_of(u))};
}

Promotion promote_literal(const Number& literal, DType other) {
  if (literal.pinned != DType::Void) return promote(literal.pinned, other);
  if (literal.form == Number::Form::Float) return {other == DType::F64 ? DType::F64 : DType::F32};
  if (is_bool(other)) return {computed(literal.natural())};
  if (is_float(other)) return {computed(other)};
  if (literal.fits(other)) return {other};
  if (is_unsigned_int(other) && literal.is_negative())
    return {DType::Void, "a negative number and an unsigned integer have no common type",
            "cast the unsigned side: x.cast(asc.int64)"};
  return promote(literal.natural(), other);
}

DType join(DType a, bool a_literal, DType b, bool b_literal) {
  if (a == b) return a;
  if (!a_literal && !b_literal) return DType::Void;
  const DType literal = a_literal ? a : b, other = a_literal ? b : a;
  if (a_literal && b_literal) {
    if (is_float(a) || is_float(b)) return is_float(a) ? a : b;
    return size_of(a) >= size_of(b) ? a : b;
  }
  if (is_float(literal)) return is_float(other) ? other : DType::Void;
  if (is_float(other)) return other;
  if (is_bool(other)) return literal;
  if (is_unsigned_int(other) || is_unsigned_int(literal)) return promote(literal, other).type;
  return size_of(literal) > size_of(other) ? literal : other;
}

}  // namespace asc::lower
