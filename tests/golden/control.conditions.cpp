#include "kernel_operator.h"

extern "C" __global__ __aicore__ void conditions(__gm__ int32_t* x, __gm__ int32_t* out, int32_t n, int32_t k) {
  AscendC::GlobalTensor<int32_t> x_gm;
  AscendC::GlobalTensor<int32_t> out_gm;
  x_gm.SetGlobalBuffer(x);
  out_gm.SetGlobalBuffer(out);
  if (0 <= k && k < n) {
    out_gm.SetValue(0, 1);
  }
  if (k < n && x_gm.GetValue(k) > 5) {
    out_gm.SetValue(1, 2);
  }
  if (k >= n || x_gm.GetValue(k) == 0) {
    out_gm.SetValue(2, 3);
  }
  if (!(k == 1 || n == 1)) {
    out_gm.SetValue(3, 4);
  }
  int32_t which = k > 2 ? 7 : k == 2 ? -7 : 0;
  out_gm.SetValue(4, which);
  bool inside = k > 0 && k < n;
  out_gm.SetValue(5, inside);
  int32_t twice = k * 2;
  if (twice > n) {
    out_gm.SetValue(6, twice);
  }
}
