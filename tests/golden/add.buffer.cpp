#include "kernel_operator.h"

extern "C" __global__ __aicore__ void add_twice_in_a_buffer(__gm__ float* x, __gm__ float* z) {
  constexpr int32_t n = 512;
  AscendC::GlobalTensor<float> x_gm;
  AscendC::GlobalTensor<float> z_gm;
  x_gm.SetGlobalBuffer(x);
  z_gm.SetGlobalBuffer(z);
  AscendC::TPipe pipe;
  AscendC::TBuf<AscendC::TPosition::VECCALC> work;
  AscendC::TBuf<AscendC::TPosition::VECCALC> spare;
  pipe.InitBuffer(spare, 32);
  pipe.InitBuffer(work, n * 4);
  AscendC::LocalTensor<float> local = work.Get<float>();
  AscendC::LocalTensor<float> half_ = work.Get<float>(n / 2);
  int32_t loaded = pipe.FetchEventID<AscendC::HardEvent::MTE2_V>();
  int32_t added = pipe.AllocEventID<AscendC::HardEvent::V_MTE3>();
  AscendC::DataCopy(local, x_gm, n);
  AscendC::SetFlag<AscendC::HardEvent::MTE2_V>(loaded);
  AscendC::WaitFlag<AscendC::HardEvent::MTE2_V>(loaded);
  AscendC::Add(half_, half_, half_, half_.GetSize());
  AscendC::PipeBarrier<PIPE_V>();
  AscendC::Add(local, local, local, n);
  AscendC::SetFlag<AscendC::HardEvent::V_MTE3>(added);
  AscendC::WaitFlag<AscendC::HardEvent::V_MTE3>(added);
  AscendC::DataCopy(z_gm, local, n);
  pipe.ReleaseEventID<AscendC::HardEvent::V_MTE3>(added);
}
