#include "kernel_operator.h"

namespace {

template <typename T>
__aicore__ inline T asc_floor_div(T a, T b) {
  T quotient = a / b;
  return a % b != 0 && (a < 0) != (b < 0) ? quotient - 1 : quotient;
}

}  // namespace

extern "C" __global__ __aicore__ void mixed_types(__gm__ int64_t* out, int32_t a, int64_t big, uint32_t u, float x, bool flag) {
  AscendC::GlobalTensor<int64_t> gm;
  gm.SetGlobalBuffer(out);
  gm.SetValue(0, a + big);
  gm.SetValue(1, a * 2 - 7);
  gm.SetValue(2, static_cast<int64_t>(a) + u);
  gm.SetValue(3, u * 3);
  gm.SetValue(4, static_cast<int32_t>(a + x));
  gm.SetValue(5, static_cast<int32_t>(x * 3.0f) + flag);
  gm.SetValue(6, a + flag);
  gm.SetValue(7, a != 0);
  gm.SetValue(8, asc_floor_div<int64_t>(big, a));
  gm.SetValue(9, static_cast<int32_t>(a / 2.0f * 1000.0f));
  gm.SetValue(10, a < x);
  gm.SetValue(11, big > a);
}
