#include "kernel_operator.h"

constexpr int32_t N = 128;

extern "C" __global__ __aicore__ void with_scalar(__gm__ half* x, __gm__ half* z, float s) {
  AscendC::GlobalTensor<half> x_gm;
  AscendC::GlobalTensor<half> z_gm;
  x_gm.SetGlobalBuffer(x);
  z_gm.SetGlobalBuffer(z);
  AscendC::LocalTensor<half> a(AscendC::TPosition::VECIN, 0, N);
  AscendC::LocalTensor<half> r(AscendC::TPosition::VECOUT, 1024, 6 * N);
  AscendC::DataCopy(a, x_gm, N);
  AscendC::SetFlag<AscendC::HardEvent::MTE2_V>(0);
  AscendC::WaitFlag<AscendC::HardEvent::MTE2_V>(0);
  AscendC::Adds(r, a, static_cast<half>(1.0f), N);
  AscendC::Muls(r[N], a, static_cast<half>(s), N);
  AscendC::Maxs(r[2 * N], a, static_cast<half>(s * 2.0f), N);
  AscendC::Mins(r[3 * N], a, static_cast<half>(-0.25f), N);
  AscendC::LeakyRelu(r[4 * N], a, static_cast<half>(0.1f), N);
  AscendC::Duplicate(r[5 * N], static_cast<half>(s), N);
  AscendC::PipeBarrier<PIPE_V>();
  AscendC::Axpy(r[5 * N], a, static_cast<half>(s + 1.0f), N);
  AscendC::SetFlag<AscendC::HardEvent::V_MTE3>(0);
  AscendC::WaitFlag<AscendC::HardEvent::V_MTE3>(0);
  AscendC::DataCopy(z_gm, r, 6 * N);
}
