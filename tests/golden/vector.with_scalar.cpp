#include "kernel_operator.h"

constexpr int32_t N = 128;

extern "C" __global__ __aicore__ void with_scalar(__gm__ float* x, __gm__ float* z, float s) {
  AscendC::GlobalTensor<float> x_gm;
  AscendC::GlobalTensor<float> z_gm;
  x_gm.SetGlobalBuffer(x);
  z_gm.SetGlobalBuffer(z);
  AscendC::LocalTensor<float> a(AscendC::TPosition::VECIN, 0, N);
  AscendC::LocalTensor<float> r(AscendC::TPosition::VECOUT, 1024, 6 * N);
  AscendC::DataCopy(a, x_gm, N);
  AscendC::SetFlag<AscendC::HardEvent::MTE2_V>(0);
  AscendC::WaitFlag<AscendC::HardEvent::MTE2_V>(0);
  AscendC::Adds(r, a, 1.0f, N);
  AscendC::Muls(r[N], a, s, N);
  AscendC::Maxs(r[2 * N], a, s * 2.0f, N);
  AscendC::Mins(r[3 * N], a, -0.25f, N);
  AscendC::LeakyRelu(r[4 * N], a, 0.1f, N);
  AscendC::Duplicate(r[5 * N], s, N);
  AscendC::PipeBarrier<PIPE_V>();
  AscendC::Axpy(r[5 * N], a, s + 1.0f, N);
  AscendC::SetFlag<AscendC::HardEvent::V_MTE3>(0);
  AscendC::WaitFlag<AscendC::HardEvent::V_MTE3>(0);
  AscendC::DataCopy(z_gm, r, 6 * N);
}
