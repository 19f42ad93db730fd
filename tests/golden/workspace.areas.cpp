#include "kernel_operator.h"

namespace {

__aicore__ inline AscendC::GlobalTensor<int32_t> ints(__gm__ uint8_t* address) {
  constexpr int32_t count = 256;
  AscendC::GlobalTensor<int32_t> tensor;
  tensor.SetGlobalBuffer(reinterpret_cast<__gm__ int32_t*>(address), count);
  return tensor;
}

__aicore__ inline AscendC::GlobalTensor<int32_t> ints_2(__gm__ uint8_t* address) {
  constexpr int32_t count = 64;
  AscendC::GlobalTensor<int32_t> tensor;
  tensor.SetGlobalBuffer(reinterpret_cast<__gm__ int32_t*>(address), count);
  return tensor;
}

__aicore__ inline AscendC::GlobalTensor<int32_t> ints_3(__gm__ uint8_t* address) {
  constexpr int32_t count = 1;
  AscendC::GlobalTensor<int32_t> tensor;
  tensor.SetGlobalBuffer(reinterpret_cast<__gm__ int32_t*>(address), count);
  return tensor;
}

}  // namespace

extern "C" __global__ __aicore__ void areas(__gm__ int32_t* workspace, int32_t n, __gm__ uint8_t* workspace_gm) {
  constexpr int32_t ROOM = 64;
  AscendC::GlobalTensor<int32_t> out;
  out.SetGlobalBuffer(workspace);
  int64_t block = AscendC::GetBlockIdx();
  int64_t row = block * 8;
  AscendC::GlobalTensor<int32_t> shared = ints(workspace_gm);
  AscendC::GlobalTensor<int32_t> parts_0 = ints_2(workspace_gm + 1024 + AscendC::GetBlockIdx() * 2048);
  AscendC::GlobalTensor<int32_t> parts_1 = ints_2(workspace_gm + 1536 + AscendC::GetBlockIdx() * 2048);
  AscendC::GlobalTensor<int32_t> parts_2 = ints_2(workspace_gm + 2048 + AscendC::GetBlockIdx() * 2048);
  for (int32_t i = 0; i < n; i++) {
    AscendC::GlobalTensor<int32_t> one = ints_3(workspace_gm + 2560 + AscendC::GetBlockIdx() * 2048);
    if (i == 0) {
      one.SetValue(0, 0);
    }
    one.SetValue(0, one.GetValue(0) + i);
    out.SetValue(row + 4, one.GetValue(0));
  }
  parts_0.SetValue(ROOM - 1, 10 * block + 0);
  parts_1.SetValue(ROOM - 1, 10 * block + 1);
  parts_2.SetValue(ROOM - 1, 10 * block + 2);
  shared.SetValue(block * 8, block + 100);
  out.SetValue(row + 0, parts_0.GetValue(ROOM - 1));
  out.SetValue(row + 1, parts_1.GetValue(ROOM - 1));
  out.SetValue(row + 2, parts_2.GetValue(ROOM - 1));
  out.SetValue(row + 3, shared.GetValue(block * 8));
}
