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

extern "C" __global__ __aicore__ void copies(__gm__ int64_t* out, __gm__ uint8_t* tiling_gm, int32_t n) {
  Tiling tiling;
  for (uint32_t i = 0; i < sizeof(tiling); i++) {
    reinterpret_cast<uint8_t*>(&tiling)[i] = tiling_gm[i];
  }
  AscendC::GlobalTensor<int64_t> gm;
  gm.SetGlobalBuffer(out);
  Tiling local = tiling;
  local.share += n;
  Tile tile = local.tile;
  tile.count += 5;
  for (int32_t i = 0; i < n; i++) {
    Tile again = tile;
    again.count += i;
    gm.SetValue(i, again.count);
  }
  gm.SetValue(n, local.share + tiling.share);
  gm.SetValue(static_cast<int64_t>(n) + 1, local.tile.count + tile.count);
  gm.SetValue(static_cast<int64_t>(n) + 2, local.share * local.share);
}
