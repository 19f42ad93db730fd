// SPDX-License-Identifier: Apache-2.0
// Types of scalars and how they meet. Pure functions; the language's rules for numbers are here and nowhere
// else.
#pragma once

#include <Python.h>

#include <optional>
#include <string>

#include "base/dtype.h"
#include "ops/type.h"

namespace asc::lower {

// A compile-time number. Python's int beyond 64 bits is none.
struct Number {
  enum class Form : uint8_t { Int, Float, Bool } form = Form::Int;
  int64_t bits = 0;  // Int, Bool: the value; above int64's range by the bits of a uint64
  bool is_u64 = false;
  double real = 0;             // Float
  DType pinned = DType::Void;  // of a numpy scalar

  bool is_negative() const { return form == Form::Float ? real < 0 : !is_u64 && bits < 0; }
  bool fits(DType t) const;  // an integer, by value; floats fit float types only
  DType natural() const;     // pinned, or: bool; int32, int64, uint64 (the first that holds it); float32
};
// Python's bool, int and float, and numpy's scalars (by their `dtype`); not device enums.
std::optional<Number> number_of(PyObject* object);

struct Promotion {
  DType type = DType::Void;
  const char* error = nullptr;  // why the two do not go together
  const char* hint = nullptr;
};
// The type two runtime scalars are computed in. float16 and bfloat16 meet in float32; bool counts as an int32
// in arithmetic.
Promotion promote(DType a, DType b);
// A literal beside a runtime scalar: it takes the other side's type where it fits.
Promotion promote_literal(const Number& literal, DType other);
// One scalar alone under an arithmetic operator: bool as int32, float16 and bfloat16 as float32.
DType computed(DType t);

// Versions of a name where control flow merges. `a_literal`: the version is, or began as, a Python literal,
// which may take the other's type. Void: they do not join.
DType join(DType a, bool a_literal, DType b, bool b_literal);

}  // namespace asc::lower
