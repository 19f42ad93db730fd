#include "kernel_operator.h"

extern "C" __global__ __aicore__ void unpacked(__gm__ int32_t* x, __gm__ int32_t* y, int32_t n) {
  AscendC::GlobalTensor<int32_t> x_gm;
  AscendC::GlobalTensor<int32_t> y_gm;
  x_gm.SetGlobalBuffer(x);
  y_gm.SetGlobalBuffer(y);
  int32_t low = n;
  int64_t mid = static_cast<int64_t>(n) + 1;
  int64_t high = static_cast<int64_t>(n) + 2;
  y_gm.SetValue(0, x_gm.GetValue(low) + x_gm.GetValue(mid) * x_gm.GetValue(high));
}
