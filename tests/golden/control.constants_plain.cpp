#include "kernel_operator.h"

constexpr int32_t WIDTH = 32;

extern "C" __global__ __aicore__ void constants(__gm__ half* x, __gm__ half* out) {
  constexpr int32_t TILE = 128;
  AscendC::GlobalTensor<half> gm;
  AscendC::GlobalTensor<half> out_gm;
  gm.SetGlobalBuffer(x);
  out_gm.SetGlobalBuffer(out);
  constexpr int32_t bytes_of_tile = TILE * 2;
  AscendC::LocalTensor<half> a(AscendC::TPosition::VECIN, 0, TILE);
  AscendC::LocalTensor<half> b(AscendC::TPosition::VECIN, bytes_of_tile, TILE);
  AscendC::DataCopy(a, gm, TILE);
  AscendC::SetFlag<AscendC::HardEvent::MTE2_V>(0);
  AscendC::WaitFlag<AscendC::HardEvent::MTE2_V>(0);
  AscendC::Muls(b, a, static_cast<half>(0.125f), TILE);
  AscendC::PipeBarrier<PIPE_V>();
  AscendC::Adds(b[WIDTH], b[WIDTH], static_cast<half>(24.0f), TILE - WIDTH);
  AscendC::SetFlag<AscendC::HardEvent::V_MTE3>(0);
  AscendC::WaitFlag<AscendC::HardEvent::V_MTE3>(0);
  AscendC::DataCopy(out_gm, b, TILE);
}
