#include "kernel_operator.h"

namespace {

template <typename T>
__aicore__ inline T asc_abs(T x) {
  return x > 0 ? x : 0 - x;
}

template <typename T>
__aicore__ inline T asc_max(T a, T b) {
  return b > a ? b : a;
}

template <typename T>
__aicore__ inline T asc_min(T a, T b) {
  return b < a ? b : a;
}

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

}  // namespace

extern "C" __global__ __aicore__ void functions(__gm__ int64_t* out, int32_t a, int32_t b, int64_t big) {
  AscendC::GlobalTensor<int64_t> gm;
  gm.SetGlobalBuffer(out);
  gm.SetValue(0, asc_min(a, b));
  gm.SetValue(1, asc_max(asc_max(a, b), 4));
  gm.SetValue(2, asc_abs(b));
  gm.SetValue(3, a * a * a);
  gm.SetValue(4, asc_pow(2, a));
  gm.SetValue(5, asc_min<int64_t>(a, big));
  gm.SetValue(6, (a + 3) / 4);
  gm.SetValue(7, asc_max(0, b));
}
