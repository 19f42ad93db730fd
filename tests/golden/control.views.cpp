#include "kernel_operator.h"

extern "C" __global__ __aicore__ void views(__gm__ int32_t* out, int32_t n) {
  AscendC::GlobalTensor<int32_t> gm;
  gm.SetGlobalBuffer(out);
  AscendC::GlobalTensor<int32_t> rows_0 = gm[0];
  AscendC::GlobalTensor<int32_t> rows_1 = gm[4];
  AscendC::GlobalTensor<int32_t> rows_2 = gm[8];
  int32_t heads_0 = gm.GetValue(0);
  int32_t heads_2 = gm.GetValue(1);
  rows_0.SetValue(0, heads_0 + n);
  rows_1.SetValue(1, n + n);
  rows_2.SetValue(2, heads_2 + n);
  int32_t head = heads_0;
  rows_0.SetValue(3, head);
  head = n;
  rows_1.SetValue(3, head);
  head = heads_2;
  rows_2.SetValue(3, head);
}
