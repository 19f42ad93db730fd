#include "kernel_operator.h"

namespace {

template <typename T>
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

__aicore__ inline float asc_pow(float base, int32_t exponent) {
  float product = 1;
  for (int32_t i = exponent < 0 ? -exponent : exponent; i > 0; i--) {
    product *= base;
  }
  return exponent < 0 ? 1 / product : product;
}

__aicore__ inline float asc_pow(float base, float exponent) {
  if (exponent >= -4 && exponent <= 4 && static_cast<float>(static_cast<int32_t>(exponent)) == exponent) {
    return asc_pow(base, static_cast<int32_t>(exponent));
  }
  return __builtin_powf(base, exponent);
}

}  // namespace

extern "C" __global__ __aicore__ void powers(__gm__ float* out, __gm__ int32_t* ints, float x, int32_t n, int16_t s) {
  AscendC::GlobalTensor<float> gm;
  gm.SetGlobalBuffer(out);
  AscendC::GlobalTensor<int32_t> whole;
  whole.SetGlobalBuffer(ints);
  gm.SetValue(0, x * x);
  gm.SetValue(1, x * x * x + x);
  gm.SetValue(2, asc_pow(x + 1.0f, 4));
  gm.SetValue(3, 1.0f / x - 1.0f / (x * x));
  gm.SetValue(4, asc_pow(x, 0.5f));
  gm.SetValue(5, asc_pow(x, static_cast<float>(n)));
  gm.SetValue(6, asc_pow(n * x, -3));
  gm.SetValue(7, -(x * x) / (x * x));
  whole.SetValue(0, n * n);
  whole.SetValue(1, 7 - n * n * n % 5);
  whole.SetValue(2, asc_pow(n + 1, 2));
  whole.SetValue(3, asc_pow<int16_t>(s, 2));
  whole.SetValue(4, asc_pow(2, n));
}
