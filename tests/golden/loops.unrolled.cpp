#include "kernel_operator.h"

extern "C" __global__ __aicore__ void unrolled(__gm__ int32_t* out, int32_t n) {
  constexpr int32_t COUNT = 3;
  AscendC::GlobalTensor<int32_t> gm;
  gm.SetGlobalBuffer(out);
  gm.SetValue(0, n * 0);
  gm.SetValue(1, n * 1);
  gm.SetValue(2, n * 2);
  gm.SetValue(COUNT, 9);
  int32_t value = n;
  gm.SetValue(COUNT + 1 + 0, value);
  value = n + 1;
  gm.SetValue(COUNT + 1 + 1, value);
}
