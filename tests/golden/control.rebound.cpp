#include "kernel_operator.h"

extern "C" __global__ __aicore__ void rebound(__gm__ int32_t* x, __gm__ int32_t* out, int32_t n) {
  AscendC::GlobalTensor<int32_t> first;
  AscendC::GlobalTensor<int32_t> second;
  first.SetGlobalBuffer(x);
  second.SetGlobalBuffer(x + n);
  AscendC::GlobalTensor<int32_t> chosen = second;
  if (n > 4) {
    chosen = first;
  }
  AscendC::GlobalTensor<int32_t> out_gm;
  out_gm.SetGlobalBuffer(out);
  out_gm.SetValue(0, chosen.GetValue(0));
  out_gm.SetValue(1, second.GetValue(1));
}
