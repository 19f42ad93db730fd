#include "kernel_operator.h"

namespace {

__aicore__ inline AscendC::GlobalTensor<int32_t> ints(__gm__ uint8_t* address) {
  constexpr int32_t count = 100;
  AscendC::GlobalTensor<int32_t> tensor;
  tensor.SetGlobalBuffer(reinterpret_cast<__gm__ int32_t*>(address), count);
  return tensor;
}

__aicore__ inline void reverse(AscendC::GlobalTensor<int32_t> x, AscendC::GlobalTensor<int32_t> y, int64_t start, int32_t n, __gm__ uint8_t* workspace) {
  AscendC::GlobalTensor<int32_t> kept = ints(workspace);
  for (int32_t i = 0; i < n; i++) {
    kept.SetValue(i, x.GetValue(start + i));
  }
  for (int32_t i = 0; i < n; i++) {
    y.SetValue(start + i, kept.GetValue(n - 1 - i));
  }
}

}  // namespace

extern "C" __global__ __aicore__ void twice_reversed(__gm__ int32_t* x, __gm__ int32_t* y, __gm__ int32_t* z, int32_t n, __gm__ uint8_t* workspace) {
  AscendC::GlobalTensor<int32_t> x_gm;
  x_gm.SetGlobalBuffer(x);
  AscendC::GlobalTensor<int32_t> y_gm;
  y_gm.SetGlobalBuffer(y);
  AscendC::GlobalTensor<int32_t> z_gm;
  z_gm.SetGlobalBuffer(z);
  int64_t start = AscendC::GetBlockIdx() * n;
  reverse(x_gm, y_gm, start, n, workspace + AscendC::GetBlockIdx() * 1024);
  reverse(y_gm, z_gm, start, n, workspace + 512 + AscendC::GetBlockIdx() * 1024);
}
