#include "kernel_operator.h"

namespace {

__aicore__ inline void min_and_max(AscendC::GlobalTensor<int32_t> gm, int32_t n, int32_t& low, int32_t& high) {
  low = gm.GetValue(0);
  high = low;
  for (int32_t i = 1; i < n; i++) {
    int32_t value = gm.GetValue(i);
    if (value < low) {
      low = value;
    } else if (value > high) {
      high = value;
    }
  }
}

__aicore__ inline int32_t sign(int32_t x) {
  if (x < 0) {
    return -1;
  }
  if (x == 0) {
    return 0;
  }
  return 1;
}

}  // namespace

extern "C" __global__ __aicore__ void helpers(__gm__ int32_t* x, __gm__ int32_t* out, int32_t n) {
  AscendC::GlobalTensor<int32_t> x_gm;
  AscendC::GlobalTensor<int32_t> out_gm;
  x_gm.SetGlobalBuffer(x);
  out_gm.SetGlobalBuffer(out);
  int32_t low;
  int32_t high;
  min_and_max(x_gm, n, low, high);
  out_gm.SetValue(0, low);
  out_gm.SetValue(1, high);
  int32_t value = low;
  low = high;
  high = value;
  out_gm.SetValue(2, low - high);
  out_gm.SetValue(3, sign(low) * 10 + sign(high));
  int32_t _;
  min_and_max(x_gm[2], n - 2, _, high);
  out_gm.SetValue(4, high);
}
