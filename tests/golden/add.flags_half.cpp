#include "kernel_operator.h"

constexpr int32_t TILES = 4;
constexpr int32_t BUFFERS = 2;

extern "C" __global__ __aicore__ void add_by_flags(__gm__ half* x, __gm__ half* y, __gm__ half* z, int32_t share) {
  int64_t first = AscendC::GetBlockIdx() * share;
  AscendC::GlobalTensor<half> x_gm;
  AscendC::GlobalTensor<half> y_gm;
  AscendC::GlobalTensor<half> z_gm;
  x_gm.SetGlobalBuffer(x + first, share);
  y_gm.SetGlobalBuffer(y + first, share);
  z_gm.SetGlobalBuffer(z + first, share);
  int32_t tile = share / TILES;
  int32_t room = tile * BUFFERS * 2;
  AscendC::LocalTensor<half> x_local(AscendC::TPosition::VECIN, 0, tile * BUFFERS);
  AscendC::LocalTensor<half> y_local(AscendC::TPosition::VECIN, room, tile * BUFFERS);
  AscendC::LocalTensor<half> z_local(AscendC::TPosition::VECOUT, room * 2, tile * BUFFERS);
  for (int32_t i = 0; i < TILES; i++) {
    int32_t buf = i % BUFFERS;
    AscendC::DataCopy(x_local[buf * tile], x_gm[i * tile], tile);
    AscendC::DataCopy(y_local[buf * tile], y_gm[i * tile], tile);
    AscendC::SetFlag<AscendC::HardEvent::MTE2_V>(buf);
    AscendC::WaitFlag<AscendC::HardEvent::MTE2_V>(buf);
    AscendC::Add(z_local[buf * tile], x_local[buf * tile], y_local[buf * tile], tile);
    AscendC::SetFlag<AscendC::HardEvent::V_MTE3>(buf);
    AscendC::WaitFlag<AscendC::HardEvent::V_MTE3>(buf);
    AscendC::DataCopy(z_gm[i * tile], z_local[buf * tile], tile);
    AscendC::SetFlag<AscendC::HardEvent::MTE3_MTE2>(buf);
    AscendC::WaitFlag<AscendC::HardEvent::MTE3_MTE2>(buf);
  }
}
