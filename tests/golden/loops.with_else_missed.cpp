#include "kernel_operator.h"

extern "C" __global__ __aicore__ void with_else(__gm__ int32_t* out, int32_t n, int32_t wanted) {
  AscendC::GlobalTensor<int32_t> gm;
  gm.SetGlobalBuffer(out);
  bool broken = false;
  for (int32_t i = 0; i < n; i++) {
    if (gm.GetValue(i) == wanted) {
      gm.SetValue(n, i);
      broken = true;
      break;
    }
  }
  if (!broken) {
    gm.SetValue(n, -1);
  }
  int32_t steps = 0;
  while (steps < n) {
    steps += 2;
  }
  gm.SetValue(static_cast<int64_t>(n) + 1, steps);
}
