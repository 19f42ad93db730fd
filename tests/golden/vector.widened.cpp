#include "kernel_operator.h"

constexpr int32_t N = 128;

extern "C" __global__ __aicore__ void widened(__gm__ half* x, __gm__ float* z, float s) {
  AscendC::GlobalTensor<half> x_gm;
  AscendC::GlobalTensor<float> z_gm;
  x_gm.SetGlobalBuffer(x);
  z_gm.SetGlobalBuffer(z);
  AscendC::LocalTensor<half> a(AscendC::TPosition::VECIN, 0, N);
  AscendC::LocalTensor<float> r(AscendC::TPosition::VECOUT, 1024, N);
  AscendC::LocalTensor<uint16_t> bits = r.ReinterpretCast<uint16_t>();
  AscendC::DataCopy(a, x_gm, N);
  AscendC::SetFlag<AscendC::HardEvent::MTE2_V>(0);
  AscendC::WaitFlag<AscendC::HardEvent::MTE2_V>(0);
  AscendC::Duplicate(bits, static_cast<uint16_t>(0), bits.GetSize());
  AscendC::PipeBarrier<PIPE_V>();
  AscendC::MulAddDst(r, a, a, N);
  AscendC::PipeBarrier<PIPE_V>();
  AscendC::Axpy(r, a, static_cast<half>(s), N);
  AscendC::SetFlag<AscendC::HardEvent::V_MTE3>(0);
  AscendC::WaitFlag<AscendC::HardEvent::V_MTE3>(0);
  AscendC::DataCopy(z_gm, r, N);
}
