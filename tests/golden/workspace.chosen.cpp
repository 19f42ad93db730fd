#include "kernel_operator.h"

namespace {

__aicore__ inline AscendC::GlobalTensor<int32_t> ints(__gm__ uint8_t* address) {
  constexpr int32_t count = 8;
  AscendC::GlobalTensor<int32_t> tensor;
  tensor.SetGlobalBuffer(reinterpret_cast<__gm__ int32_t*>(address), count);
  return tensor;
}

}  // namespace

extern "C" __global__ __aicore__ void chosen(__gm__ int32_t* out, int32_t n, __gm__ uint8_t* workspace) {
  AscendC::GlobalTensor<int32_t> o;
  o.SetGlobalBuffer(out);
  int64_t block = AscendC::GetBlockIdx();
  AscendC::GlobalTensor<int32_t> kept = ints(block > 0 ? workspace + 512 + AscendC::GetBlockIdx() * 1536 : workspace);
  kept.SetValue(7, n + block);
  __gm__ uint8_t* place = workspace + 1024 + AscendC::GetBlockIdx() * 1536;
  int32_t i = 0;
  while (i < n) {
    place = workspace + 1536 + AscendC::GetBlockIdx() * 1536 + i;
    i += 1;
  }
  AscendC::GlobalTensor<uint8_t> last;
  last.SetGlobalBuffer(place);
  last.SetValue(0, 5);
  o.SetValue(block * 8, kept.GetValue(7) * 10 + last.GetValue(0));
}
