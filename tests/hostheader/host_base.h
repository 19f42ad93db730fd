// SPDX-License-Identifier: Apache-2.0
// Macros, types, enums and parameter structs of kernel_operator.h, and the core that the kernel runs on.
#pragma once

#include <stdint.h>

#include "base/half.h"
#include "host_core.h"

#define __gm__
#define __aicore__
#define __global__

using half = asc::half_t;
using bfloat16_t = asc::bfloat16_t;

static AscHostCore* asc_host_core;

#define ASCEND_IS_AIC (asc_host_core->aic != 0)
#define ASCEND_IS_AIV (asc_host_core->aic == 0)
#define ASCEND_IS_NOT_AIC ASCEND_IS_AIV
#define ASCEND_IS_NOT_AIV ASCEND_IS_AIC
#define ascendc_assert(condition, ...) \
  ((condition) ? (void)0 : AscendC::host_assert(#condition, "" __VA_ARGS__))

// A compiler that knows an exponent may compute the power in another way, with other bits than the
// simulator's powf.
extern "C" float powf(float, float);
__attribute__((noipa, unused)) static float asc_host_powf(float base, float exponent) {
  return powf(base, exponent);
}
#define __builtin_powf asc_host_powf

// ---- enums and parameter structs, from the tables ----
namespace AscendC {

enum class HostNoEnum {
#define ASC_ENUM(Name, cpp) \
  }                         \
  ;                         \
  enum class Name : int32_t {
#define ASC_ENUM_MEMBER(Name, member, value) member = value,
#include "ops/enums.def"
};
using SELMODE = SelMode;

// Of the platforms there are (ops/properties.h).
constexpr int32_t DEFAULT_C0_SIZE = 32;
constexpr uint16_t ONE_BLK_SIZE = 32;
constexpr uint32_t TOTAL_L0C_SIZE = 128 * 1024;
constexpr uint32_t TOTAL_L1_SIZE = 512 * 1024 - 128;

namespace host_dtype {
using U8 = uint8_t;
using U16 = uint16_t;
using U32 = uint32_t;
using U64 = uint64_t;
using I32 = int32_t;
using Bool = bool;
}  // namespace host_dtype

// Aggregates, which C++20 initialises from parentheses too.
struct HostNoStruct {
#define ASC_STRUCT(Name, cpp) \
  }                           \
  ;                           \
  struct Name {
#define ASC_STRUCT_FIELD(Name, py, cpp, dtype, value) \
  host_dtype::dtype cpp = static_cast<host_dtype::dtype>(value);
#define ASC_STRUCT_OF(Name, cpp)
#define ASC_STRUCT_OF_FIELD(Name, py, cpp, dtype, value)
#include "ops/structs.def"
};

template <typename T>
struct DataCopyPadExtParams {
  bool isPad = false;
  uint8_t leftPadding = 0, rightPadding = 0;
  T paddingValue{};
};

}  // namespace AscendC

// The toolkit has the pipes outside of its namespace.
enum pipe_t : int32_t {
#define ASC_HOST_PIPE(name) name = static_cast<int32_t>(AscendC::PipeID::name)
  ASC_HOST_PIPE(PIPE_S),
  ASC_HOST_PIPE(PIPE_V),
  ASC_HOST_PIPE(PIPE_M),
  ASC_HOST_PIPE(PIPE_MTE1),
  ASC_HOST_PIPE(PIPE_MTE2),
  ASC_HOST_PIPE(PIPE_MTE3),
  ASC_HOST_PIPE(PIPE_ALL),
  ASC_HOST_PIPE(PIPE_MTE4),
  ASC_HOST_PIPE(PIPE_MTE5),
  ASC_HOST_PIPE(PIPE_V2),
  ASC_HOST_PIPE(PIPE_FIX),
#undef ASC_HOST_PIPE
};
