#include "kernel_operator.h"

struct Tile {
  uint32_t length = 64;
  int32_t count = 1;
};
static_assert(sizeof(Tile) == 8, "the host packs 8 bytes");

struct Tiling {
  int64_t share = 0;
  float scale = 0.5f;
  Tile tile;
};
static_assert(sizeof(Tiling) == 24, "the host packs 24 bytes");

struct Window {
  int64_t first = 0;
  int32_t length = 32;
};
static_assert(sizeof(Window) == 16, "the host packs 16 bytes");

namespace {

__aicore__ inline void step(Window& window, const Tile& tile) {
  window.first += tile.length;
  window.length = tile.length;
}

}  // namespace

extern "C" __global__ __aicore__ void scale_tiles(__gm__ float* x, __gm__ float* y, __gm__ uint8_t* tiling_gm) {
  Tiling tiling;
  for (uint32_t i = 0; i < sizeof(tiling); i++) {
    reinterpret_cast<uint8_t*>(&tiling)[i] = tiling_gm[i];
  }
  AscendC::GlobalTensor<float> x_gm;
  AscendC::GlobalTensor<float> y_gm;
  x_gm.SetGlobalBuffer(x);
  y_gm.SetGlobalBuffer(y);
  AscendC::TPipe pipe;
  AscendC::TBuf<AscendC::TPosition::VECCALC> buffer;
  pipe.InitBuffer(buffer, tiling.tile.length * 4);
  AscendC::LocalTensor<float> local = buffer.Get<float>();
  Window window;
  window.first = AscendC::GetBlockIdx() * tiling.share;
  window.length = tiling.tile.length;
  for (int32_t i = 0; i < tiling.tile.count; i++) {
    AscendC::DataCopy(local, x_gm[window.first], window.length);
    AscendC::SetFlag<AscendC::HardEvent::MTE2_V>(0);
    AscendC::WaitFlag<AscendC::HardEvent::MTE2_V>(0);
    AscendC::Muls(local, local, tiling.scale, window.length);
    AscendC::SetFlag<AscendC::HardEvent::V_MTE3>(0);
    AscendC::WaitFlag<AscendC::HardEvent::V_MTE3>(0);
    AscendC::DataCopy(y_gm[window.first], local, window.length);
    AscendC::SetFlag<AscendC::HardEvent::MTE3_MTE2>(0);
    AscendC::WaitFlag<AscendC::HardEvent::MTE3_MTE2>(0);
    step(window, tiling.tile);
  }
}
