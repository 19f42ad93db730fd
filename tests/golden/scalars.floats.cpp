#include "kernel_operator.h"

namespace {

template <typename T>
__aicore__ inline T asc_abs(T x) {
  return x > 0 ? x : 0 - x;
}

__aicore__ inline float asc_remainder(float a, float b) {
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

__aicore__ inline float asc_floor_div(float a, float b) {
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

__aicore__ inline float asc_floor_mod(float a, float b) {
  float remainder = asc_remainder(a, b);
  if (remainder == 0) {
    return b < 0 ? -0.0f : 0.0f;
  }
  return (remainder < 0) != (b < 0) ? remainder + b : remainder;
}

template <typename T>
__aicore__ inline T asc_max(T a, T b) {
  return b > a ? b : a;
}

template <typename T>
__aicore__ inline T asc_min(T a, T b) {
  return b < a ? b : a;
}

}  // namespace

extern "C" __global__ __aicore__ void floats(__gm__ float* out, float x, float y) {
  AscendC::GlobalTensor<float> gm;
  gm.SetGlobalBuffer(out);
  gm.SetValue(0, x / y);
  gm.SetValue(1, asc_floor_div(x, y));
  gm.SetValue(2, asc_floor_mod(x, y));
  gm.SetValue(3, asc_min(x, y) + asc_max(x, 0.5f));
  gm.SetValue(4, asc_abs(y));
  gm.SetValue(5, -x * 0.1f);
  gm.SetValue(6, x * 0.001f + 2.0f);
  gm.SetValue(7, static_cast<int32_t>(x));
  gm.SetValue(8, x > y ? x : y);
  gm.SetValue(9, x * x);
}
