#include "kernel_operator.h"

namespace {

__aicore__ inline int32_t auto_(int32_t register_) {
  return register_ + register_;
}

__aicore__ inline float auto_2(float register_) {
  return register_ + register_;
}

}  // namespace

extern "C" __global__ __aicore__ void names(__gm__ float* half_, int32_t int_, float NULL_) {
  AscendC::GlobalTensor<float> gm;
  gm.SetGlobalBuffer(half_);
  int32_t signed_ = auto_(int_);
  gm.SetValue(0, signed_);
  float signed_2 = auto_2(NULL_);
  gm.SetValue(1, signed_2);
  AscendC::printf("signed %f 100%% %d\n", signed_2, int_);
  ascendc_assert(int_ > 0, "int is %d", int_);
  bool names_ = signed_2 > 2.0f;
  gm.SetValue(2, names_ ? 1 : 0);
}
