#include "kernel_operator.h"

extern "C" __global__ __aicore__ void bits(__gm__ int32_t* out, int32_t a, int32_t b) {
  AscendC::GlobalTensor<int32_t> gm;
  gm.SetGlobalBuffer(out);
  gm.SetValue(0, a << 3);
  gm.SetValue(1, a >> 1);
  gm.SetValue(2, (a & b) | 1);
  gm.SetValue(3, a ^ b);
  gm.SetValue(4, ~a);
  gm.SetValue(5, (a + b) << (b & 3));
  gm.SetValue(6, -(a - b));
  gm.SetValue(7, a - (b - 1));
  gm.SetValue(8, a == 0);
}
