#include "kernel_operator.h"

constexpr int32_t BUFFERS = 2;

namespace {

__aicore__ inline void load(int32_t i, AscendC::GlobalTensor<float> gm, AscendC::TQue<AscendC::TPosition::VECIN, BUFFERS>& queue) {
  constexpr int32_t tile = 256;
  AscendC::LocalTensor<float> local = queue.AllocTensor<float>();
  AscendC::DataCopy(local, gm[i * tile], tile);
  queue.EnQue(local);
}

__aicore__ inline void store(int32_t i, AscendC::GlobalTensor<float> gm, AscendC::TQue<AscendC::TPosition::VECOUT, BUFFERS>& queue) {
  constexpr int32_t tile = 256;
  AscendC::LocalTensor<float> local = queue.DeQue<float>();
  AscendC::DataCopy(gm[i * tile], local, tile);
  queue.FreeTensor(local);
}

}  // namespace

extern "C" __global__ __aicore__ void add_by_queues(__gm__ float* x, __gm__ float* y, __gm__ float* z, int32_t share) {
  constexpr int32_t tile = 256;
  int64_t first = AscendC::GetBlockIdx() * share;
  AscendC::GlobalTensor<float> x_gm;
  AscendC::GlobalTensor<float> y_gm;
  AscendC::GlobalTensor<float> z_gm;
  x_gm.SetGlobalBuffer(x + first);
  y_gm.SetGlobalBuffer(y + first);
  z_gm.SetGlobalBuffer(z + first);
  AscendC::TPipe pipe;
  AscendC::TQue<AscendC::TPosition::VECIN, BUFFERS> x_in;
  AscendC::TQue<AscendC::TPosition::VECIN, BUFFERS> y_in;
  AscendC::TQue<AscendC::TPosition::VECOUT, BUFFERS> z_out;
  pipe.InitBuffer(x_in, BUFFERS, tile * 4);
  pipe.InitBuffer(y_in, BUFFERS, tile * 4);
  pipe.InitBuffer(z_out, BUFFERS, tile * 4);
  for (int32_t i = 0; i < share / tile; i++) {
    load(i, x_gm, x_in);
    load(i, y_gm, y_in);
    AscendC::LocalTensor<float> x_local = x_in.DeQue<float>();
    AscendC::LocalTensor<float> y_local = y_in.DeQue<float>();
    AscendC::LocalTensor<float> z_local = z_out.AllocTensor<float>();
    AscendC::Add(z_local, x_local, y_local, tile);
    z_out.EnQue(z_local);
    x_in.FreeTensor(x_local);
    y_in.FreeTensor(y_local);
    store(i, z_gm, z_out);
  }
}
