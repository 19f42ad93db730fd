#include "kernel_operator.h"

extern "C" __global__ __aicore__ void two_sides(__gm__ int32_t* out, int32_t n) {
  AscendC::GlobalTensor<int32_t> gm;
  gm.SetGlobalBuffer(out);
  bool on_cube;
  if ASCEND_IS_AIC {
    on_cube = true;
  } else {
    on_cube = false;
  }
  int64_t place = AscendC::GetBlockIdx() * 16;
  if (on_cube) {
    place += 64;
  }
  if (n > 2) {
    if ASCEND_IS_AIV {
      gm.SetValue(place, n);
    }
  }
  if ASCEND_IS_AIC {
    gm.SetValue(place, -n);
  }
  gm.SetValue(place + 1, on_cube ? 1 : 2);
}
