#include "kernel_operator.h"

constexpr int32_t BUFFERS = 2;

namespace {

__aicore__ inline void part_of(int32_t total, int64_t& begin, int64_t& size) {
  constexpr int32_t TILE = 512;
  begin = AscendC::GetBlockIdx() * TILE;
  size = total - begin;
  if (size > TILE) {
    size = TILE;
  }
}

}  // namespace

extern "C" __global__ __aicore__ void scale(__gm__ float* x, __gm__ float* y, int32_t total, float factor) {
  constexpr int32_t TILE = 512;
  int64_t begin;
  int64_t size;
  part_of(total, begin, size);
  if (size <= 0) {
    return;
  }
  AscendC::GlobalTensor<float> x_gm;
  AscendC::GlobalTensor<float> y_gm;
  x_gm.SetGlobalBuffer(x + begin, size);
  y_gm.SetGlobalBuffer(y + begin, size);
  constexpr int32_t step = TILE / BUFFERS;
  AscendC::LocalTensor<float> local(AscendC::TPosition::VECCALC, 0, TILE);
  for (int64_t i = 0; i < size / step; i++) {
    int64_t buf = i % BUFFERS;
    AscendC::DataCopy(local[buf * step], x_gm[i * step], step);
    AscendC::SetFlag<AscendC::HardEvent::MTE2_V>(buf);
    AscendC::WaitFlag<AscendC::HardEvent::MTE2_V>(buf);
    AscendC::Muls(local[buf * step], local[buf * step], factor, step);
    if (factor < 0.0f) {
      AscendC::Relu(local[buf * step], local[buf * step], step);
    }
    AscendC::SetFlag<AscendC::HardEvent::V_MTE3>(buf);
    AscendC::WaitFlag<AscendC::HardEvent::V_MTE3>(buf);
    AscendC::DataCopy(y_gm[i * step], local[buf * step], step);
    AscendC::SetFlag<AscendC::HardEvent::MTE3_MTE2>(buf);
    AscendC::WaitFlag<AscendC::HardEvent::MTE3_MTE2>(buf);
  }
}
