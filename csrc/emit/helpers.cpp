// SPDX-License-Identifier: Apache-2.0
// The helper templates of printed programs. Device code has neither <algorithm> nor <cmath>; these need
// nothing. They mean what Python means: floor division and its remainder (a zero remainder has the divisor's
// sign), min and max that keep the first of equal values.
#include <iterator>

#include "emit/printer.h"
#include "ir/power.h"

namespace asc::emit {

namespace {

constexpr std::string_view kAbs = R"(template <typename T>
__aicore__ inline T asc_abs(T x) {
  return x > 0 ? x : 0 - x;
}
)";

constexpr std::string_view kMax = R"(template <typename T>
__aicore__ inline T asc_max(T a, T b) {
  return b > a ? b : a;
}
)";

constexpr std::string_view kMin = R"(template <typename T>
__aicore__ inline T asc_min(T a, T b) {
  return b < a ? b : a;
}
)";

constexpr std::string_view kFloorDiv = R"(template <typename T>
__aicore__ inline T asc_floor_div(T a, T b) {
  T quotient = a / b;
  return a % b != 0 && (a < 0) != (b < 0) ? quotient - 1 : quotient;
}
)";

// By -1 the quotient of the smallest number would leave its type: a processor may trap.
constexpr std::string_view kFloorMod = R"(template <typename T>
__aicore__ inline T asc_floor_mod(T a, T b) {
  T remainder = b == -1 ? 0 : a % b;
  return remainder != 0 && (remainder < 0) != (b < 0) ? remainder + b : remainder;
}
)";

// The remainder by long division: each subtraction takes the divisor times the largest power of two that
// fits, and is exact.
constexpr std::string_view kFloatRemainder = R"(__aicore__ inline float asc_remainder(float a, float b) {
  float rest = a < 0 ? -a : a;
  float divisor = b < 0 ? -b : b;
  if (!(divisor > 0) || rest - rest != 0) {
    return (a - a) / (b - b);
  }
  while (rest >= divisor) {
    float part = divisor;
    while (part + part <= rest) {
      part += part;
    }
    rest -= part;
  }
  return a < 0 ? -rest : rest;
}
)";

constexpr std::string_view kFloatFloorMod = R"(__aicore__ inline float asc_floor_mod(float a, float b) {
  float remainder = asc_remainder(a, b);
  if (remainder == 0) {
    return b < 0 ? -0.0f : 0.0f;
  }
  return (remainder < 0) != (b < 0) ? remainder + b : remainder;
}
)";

constexpr std::string_view kFloatFloorDiv = R"(__aicore__ inline float asc_floor_div(float a, float b) {
  if (b == 0) {
    return a / b;
  }
  float remainder = asc_remainder(a, b);
  float quotient = (a - remainder) / b;
  if (remainder != 0 && (b < 0) != (remainder < 0)) {
    quotient -= 1;
  }
  if (quotient == 0) {
    return a / b * 0.0f;
  }
  if (!(quotient > -8388608.0f && quotient < 8388608.0f)) {
    return quotient;
  }
  float whole = static_cast<float>(static_cast<int32_t>(quotient));
  if (whole > quotient) {
    whole -= 1;
  }
  return quotient - whole > 0.5f ? whole + 1 : whole;
}
)";

constexpr std::string_view kPow = R"(template <typename T>
__aicore__ inline T asc_pow(T base, T exponent) {
  T result = 1;
  while (true) {
    if (exponent & 1) {
      result *= base;
    }
    exponent >>= 1;
    if (exponent == 0) {
      return result;
    }
    base *= base;
  }
}
)";

constexpr std::string_view kWholePow = R"(__aicore__ inline float asc_pow(float base, int32_t exponent) {
  float product = 1;
  for (int32_t i = exponent < 0 ? -exponent : exponent; i > 0; i--) {
    product *= base;
  }
  return exponent < 0 ? 1 / product : product;
}
)";

constexpr std::string_view kFloatPow = R"(__aicore__ inline float asc_pow(float base, float exponent) {
  if (exponent >= -4 && exponent <= 4 && static_cast<float>(static_cast<int32_t>(exponent)) == exponent) {
    return asc_pow(base, static_cast<int32_t>(exponent));
  }
  return __builtin_powf(base, exponent);
}
)";
static_assert(ir::kLargestProduct == 4);

// A slice ends where its tensor ends, as Python's do. `tensor[offset]` of a LocalTensor takes the offset off
// its size, that of a GlobalTensor does not; a size of 0 is not known.
constexpr std::string_view kSliceLocal = R"(template <typename T>
__aicore__ inline AscendC::LocalTensor<T> asc_slice(AscendC::LocalTensor<T> tensor, uint32_t offset, uint32_t length) {
  AscendC::LocalTensor<T> slice = tensor[offset];
  if (length < slice.GetSize()) {
    slice.SetSize(length);
  }
  return slice;
}
)";

constexpr std::string_view kSliceGlobal = R"(template <typename T>
__aicore__ inline AscendC::GlobalTensor<T> asc_slice(AscendC::GlobalTensor<T> tensor, uint64_t offset,
                                                     uint64_t length = ~0ull) {
  uint64_t size = tensor.GetSize();
  uint64_t rest = size > offset ? size - offset : 0;
  if (length == ~0ull || (size > 0 && length > rest)) {
    length = rest;
  }
  AscendC::GlobalTensor<T> slice;
  slice.SetGlobalBuffer(tensor.GetPhyAddr(offset), length);
  return slice;
}
)";

struct HelperText {
  std::string_view name, text;
};
// ORDER Helper: a text may use those before it.
constexpr HelperText kHelpers[] = {
    {"asc_abs", kAbs},
    {"asc_floor_div", kFloorDiv},
    {"asc_floor_mod", kFloorMod},
    {"asc_remainder", kFloatRemainder},
    {"asc_floor_div", kFloatFloorDiv},
    {"asc_floor_mod", kFloatFloorMod},
    {"asc_max", kMax},
    {"asc_min", kMin},
    {"asc_pow", kPow},
    {"asc_pow", kWholePow},
    {"asc_pow", kFloatPow},
    {"asc_slice", kSliceLocal},
    {"asc_slice", kSliceGlobal},
};
static_assert(std::size(kHelpers) == static_cast<size_t>(Helper::kCount));

}  // namespace

std::string_view helper_name(Helper helper) { return kHelpers[static_cast<size_t>(helper)].name; }
std::string_view helper_text(Helper helper) { return kHelpers[static_cast<size_t>(helper)].text; }

}  // namespace asc::emit
