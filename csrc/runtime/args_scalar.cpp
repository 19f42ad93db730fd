// SPDX-License-Identifier: Apache-2.0
// Numbers as arguments: Python's, numpy's, and what a pinned parameter (n: asc.int64) makes of them.
#include "runtime/args_scalar.h"

#include <bit>
#include <cmath>

#include "base/format.h"
#include "ir/scalar.h"

namespace asc::runtime {
namespace {

uint64_t float_bits(double value) { return std::bit_cast<uint64_t>(value); }

// A finite number of a float type stays finite.
bool round_float(double value, DType to, const ArgName& name, ArgInfo* out) {
  const double rounded = ir::round_to(to, value);
  if (std::isfinite(value) && !std::isfinite(rounded))
    return fail(PyExc_OverflowError, name, fmt::format("{} is not a value of {}", value, py_name(to)));
  *out = {ArgInfo::Form::Scalar, to, false, float_bits(rounded)};
  return true;
}

bool fits(const ArgInfo& info, DType to) {
  const bool wide = is_unsigned_int(info.dtype) && info.bits > static_cast<uint64_t>(INT64_MAX);
  const auto value = static_cast<int64_t>(info.bits);
  if (is_unsigned_int(to)) return (wide || value >= 0) && info.bits <= unsigned_max(to);
  return !wide && value >= int_min(to) && value <= int_max(to);
}

}  // namespace

bool pin(ArgInfo* info, DType to, const ArgName& name) {
  if (to == DType::Void) return true;
  info->nonnegative = false;
  if (info->dtype == to) return true;
  const bool wide = is_unsigned_int(info->dtype);
  const auto shown = [&] {
    return is_float(info->dtype) ? fmt::format("{}", std::bit_cast<double>(info->bits))
           : wide                ? fmt::format("{}", info->bits)
                                 : fmt::format("{}", static_cast<int64_t>(info->bits));
  };
  if (is_float(to)) {
    const double value = is_float(info->dtype) ? std::bit_cast<double>(info->bits)
                         : wide                ? static_cast<double>(info->bits)
                                               : static_cast<double>(static_cast<int64_t>(info->bits));
    return round_float(value, to, name, info);
  }
  if (is_float(info->dtype) || !fits(*info, to))
    return fail(is_float(info->dtype) ? PyExc_TypeError : PyExc_OverflowError, name,
                fmt::format("{} is not a value of {}", shown(), py_name(to)));
  info->dtype = to;
  return true;
}

bool classify_int(PyObject* value, DType pinned, const ArgName& name, ArgInfo* out) {
  int overflow = 0;
  const long long number = PyLong_AsLongLongAndOverflow(value, &overflow);
  if (overflow > 0 && pinned == DType::U64) {
    const unsigned long long wide = PyLong_AsUnsignedLongLong(value);
    if (!PyErr_Occurred()) {
      *out = {ArgInfo::Form::Scalar, DType::U64, true, wide};
      return true;
    }
    drop_error();
  }
  if (overflow) return fail(PyExc_OverflowError, name, "the integer does not fit in 64 bits");
  *out = {ArgInfo::Form::Scalar, number >= INT32_MIN && number <= INT32_MAX ? DType::I32 : DType::I64,
          number >= 0, static_cast<uint64_t>(number)};
  return true;
}

bool classify_float(double value, DType pinned, const ArgName& name, ArgInfo* out) {
  if (pinned == DType::F64) {
    *out = {ArgInfo::Form::Scalar, DType::F64, false, float_bits(value)};
    return true;
  }
  // The device's float: what arrives is the float32 nearest to the argument.
  return round_float(value, DType::F32, name, out);
}

bool classify_numpy_scalar(PyObject* value, DType pinned, const ArgName& name, ArgInfo* out) {
  PyObject* dtype = PyObject_GetAttrString(value, "dtype");
  std::string text;
  const bool named = dtype && read_attr_string(dtype, "name", &text);
  Py_XDECREF(dtype);
  drop_error();
  DType found;
  if (!named || !find_dtype(text, &found))
    return fail(PyExc_TypeError, name,
                fmt::format("numpy scalars of {} are not supported; pass a Python int, float or bool", text));
  if (is_float(found)) {
    const double number = PyFloat_AsDouble(value);
    if (number == -1.0 && PyErr_Occurred()) return false;
    // float64 is the type of Python's own floats: it means float32, as they do.
    if (found == DType::F64) return classify_float(number, pinned, name, out);
    *out = {ArgInfo::Form::Scalar, found, false, float_bits(number)};
    return true;
  }
  PyObject* number = PyNumber_Long(value);
  if (!number) return false;
  const uint64_t bits = is_unsigned_int(found) ? PyLong_AsUnsignedLongLong(number)
                                               : static_cast<uint64_t>(PyLong_AsLongLong(number));
  Py_DECREF(number);
  *out = {ArgInfo::Form::Scalar, found, false, bits};
  return !PyErr_Occurred();
}

}  // namespace asc::runtime
