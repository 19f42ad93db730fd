#include "kernel_operator.h"

extern "C" __global__ __aicore__ void speaks(__gm__ int32_t* x, int32_t n, int64_t big, float factor) {
  AscendC::GlobalTensor<int32_t> gm;
  gm.SetGlobalBuffer(x);
  int64_t block = AscendC::GetBlockIdx();
  AscendC::printf("block %ld: n = %d, 100%%\n", block, n);
  ascendc_assert(n > 0, "n is %d", n);
  ascendc_assert(gm.GetValue(0) != 0);
  if (n > 3) {
    AscendC::printf("big %ld %f %s\n", big, factor, n > 4 ? "True" : "False");
  }
  gm.SetValue(block * 16, n);
}
