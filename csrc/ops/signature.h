// SPDX-License-Identifier: Apache-2.0
// Overload choice: matches the arguments of one call against an op's prototypes. The one place that checks
// number, names, kinds and dtypes of arguments; its error names the nearest candidates and why each failed.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ops/op_table.h"

namespace asc {

// One argument of a call as the lowering sees it.
struct CallArg {
  enum class Form : uint8_t {
    Runtime,
    IntConst,
    FloatConst,
    BoolConst,
    EnumConst,
    DTypeConst,
    StrConst,
    NoneConst,
    Other
  };
  Form form = Form::Other;
  Type type;               // Runtime: its type; EnumConst: its enum; IntConst etc.: natural scalar type
  int64_t int_value = 0;   // IntConst, BoolConst, EnumConst; UB for values past int64 is avoided by `is_u64`
  bool is_u64 = false;     // int_value holds the bits of a uint64 above int64's range
  double float_value = 0;  // FloatConst
  DType dtype = DType::Void;  // DTypeConst
  std::string_view keyword;   // empty: positional
  std::string shown;          // for messages: "LocalTensor<float32>", "5", "TPosition.VECIN", "'abc'"
};

struct Match {
  int overload = -1;          // -1: no candidate fits
  std::vector<int16_t> args;  // for each parameter (Python order): index of its argument, or -1 (default)
  DType vars[4] = {DType::Void, DType::Void, DType::Void, DType::Void};  // bound type variables
  std::string error, hint;  // when nothing fits: what was given, the nearest candidates, why each failed
  int error_arg = -1;       // the argument to mark, or -1 for the call
};

// `self` is the receiver's type for methods. Scalar parameters take ints, floats and bools that convert (a
// float constant never to an integer parameter; an int constant must fit); type variables are bound by
// tensors, pointers and dtype arguments first, scalars of type T then convert to it.
Match match_call(const OpDesc& op, const Type* self, std::span<const CallArg> args);

// The type a pattern stands for under bound variables.
Type resolve(const TypePattern& pattern, const DType (&vars)[4], const Type* self);

// "asc.add(dst: LocalTensor[T], src0: LocalTensor[T], src1: LocalTensor[T], count: int32, is_set_mask: bool =
// True)"
std::string python_signature(const OpDesc& op, const OverloadDesc& overload);

}  // namespace asc
