// SPDX-License-Identifier: Apache-2.0
// One attempt to fit a call to one prototype, and why it failed; shared by the matcher and its texts. Private
// to ops.
#pragma once

#include "ops/prototype.h"
#include "ops/signature.h"

namespace asc::detail {

enum class Why : uint8_t {
  None,
  TooMany,
  KeywordOnly,
  UnknownKeyword,
  Twice,
  Missing,  // number and names
  Kind,
  NotConstant,
  FloatToInt,  // kinds
  DType,
  Conflict,
  Combo,
  Range  // dtypes and values
};

inline constexpr int kNoParam = -1, kSelf = -2, kNoArg = -1, kNoVar = -1;

struct Fit {
  int16_t arg_of[Prototype::kMaxParams];  // argument of each parameter, or -1
  DType vars[kMaxTypeVars] = {DType::Void, DType::Void, DType::Void, DType::Void};
  int16_t bound_by[kMaxTypeVars] = {kNoParam, kNoParam, kNoParam, kNoParam};  // parameter or kSelf
  int fitted = 0;                                                             // arguments looked at that fit
  Why why = Why::None;
  int param = kNoParam, arg = kNoArg;
  int other = kNoParam;  // Conflict, Combo: the parameter it clashes with, or kSelf; DType: the type
                         // variable, or kNoVar
};

bool fit(const OpDesc& op, const OverloadDesc& overload, const Type* self, std::span<const CallArg> args,
         Fit* out);

// Fills error, hint and error_arg of a match that found nothing.
void explain(const OpDesc& op, const Type* self, std::span<const CallArg> args, Match* match);

}  // namespace asc::detail
