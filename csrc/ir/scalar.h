// SPDX-License-Identifier: Apache-2.0
// Scalar arithmetic of the kernel language, in one place: constant folding, the VM and the tests of printed
// code follow it.
//
// Floats: every operation is computed in the operands' type (float16 and bfloat16 in float32, then rounded
// once). FloorDiv and Mod are Python's: the remainder has the divisor's sign, a zero remainder too, and the
// quotient is the exact floor up to one rounding; by zero they are IEEE's (infinity or NaN, as NumPy gives).
// Min and Max are Python's: the second operand only if it is strictly smaller or larger, so that the first of
// equal ones (0.0 and -0.0) and a first NaN stay.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <type_traits>

#include "base/dtype.h"
#include "base/half.h"

namespace asc::ir {

// Integers: floor division and its remainder; the divisor is not zero, and not INT_MIN / -1.
template <class T>
constexpr T floor_div(T a, T b) {
  static_assert(std::is_integral_v<T>);
  const T quotient = static_cast<T>(a / b);
  return a % b != 0 && ((a < 0) != (b < 0)) ? static_cast<T>(quotient - 1) : quotient;
}
template <class T>
constexpr T floor_mod(T a, T b) {
  static_assert(std::is_integral_v<T>);
  const T remainder = static_cast<T>(a % b);
  return remainder != 0 && ((remainder < 0) != (b < 0)) ? static_cast<T>(remainder + b) : remainder;
}

template <class T>
T float_floor_mod(T a, T b) {
  static_assert(std::is_floating_point_v<T>);
  const T remainder = std::fmod(a, b);
  if (b == 0) return remainder;
  if (remainder == 0) return std::copysign(T(0), b);
  return (b < 0) != (remainder < 0) ? remainder + b : remainder;
}

template <class T>
T float_floor_div(T a, T b) {
  static_assert(std::is_floating_point_v<T>);
  if (b == 0) return a / b;
  const T remainder = std::fmod(a, b);
  T quotient = (a - remainder) / b;  // a whole number, up to rounding
  if (remainder != 0 && (b < 0) != (remainder < 0)) quotient -= T(1);
  if (quotient == 0) return std::copysign(T(0), a / b);
  const T whole = std::floor(quotient);
  return quotient - whole > T(0.5) ? whole + T(1) : whole;
}

template <class T>
constexpr T scalar_min(T a, T b) {
  return b < a ? b : a;
}
template <class T>
constexpr T scalar_max(T a, T b) {
  return b > a ? b : a;
}

// The value a float type keeps of a double: rounded once, to nearest even.
inline double round_to(DType type, double value) {
  switch (type) {
    case DType::F16: return static_cast<double>(static_cast<float>(half_t(value)));
    case DType::BF16: return static_cast<double>(static_cast<float>(bfloat16_t(value)));
    case DType::F32: return static_cast<double>(static_cast<float>(value));
    default: return value;
  }
}

// The same for a 64-bit integer, which a double need not hold: rounded once as well.
template <class Int>
double round_integer_to(DType type, Int value) {
  static_assert(std::is_same_v<Int, int64_t> || std::is_same_v<Int, uint64_t>);
  switch (type) {
    case DType::F16: return static_cast<double>(static_cast<float>(half_t(value)));
    case DType::BF16: return static_cast<double>(static_cast<float>(bfloat16_t(value)));
    case DType::F32: return static_cast<double>(static_cast<float>(value));
    default: return static_cast<double>(value);
  }
}

// Is the value one that the integer type (or bool) holds? `value` of uint64 by bit pattern, hence always.
constexpr bool fits(DType type, int64_t value) {
  if (type == DType::U64) return true;
  if (is_unsigned_int(type)) return value >= 0 && static_cast<uint64_t>(value) <= unsigned_max(type);
  return value >= int_min(type) && value <= int_max(type);
}

// The bits that a C++ (and NumPy) conversion keeps of an integer: modulo 2^width; bool is a test against
// zero.
constexpr int64_t wrap_to(DType type, int64_t value) {
  switch (type) {
    case DType::Bool: return value != 0;
    case DType::I8: return static_cast<int8_t>(value);
    case DType::U8: return static_cast<uint8_t>(value);
    case DType::I16: return static_cast<int16_t>(value);
    case DType::U16: return static_cast<uint16_t>(value);
    case DType::I32: return static_cast<int32_t>(value);
    case DType::U32: return static_cast<uint32_t>(value);
    default: return value;
  }
}

}  // namespace asc::ir
