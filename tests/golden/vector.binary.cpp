#include "kernel_operator.h"

constexpr int32_t N = 128;

extern "C" __global__ __aicore__ void binary(__gm__ float* x, __gm__ float* y, __gm__ float* z) {
  AscendC::GlobalTensor<float> x_gm;
  AscendC::GlobalTensor<float> y_gm;
  AscendC::GlobalTensor<float> z_gm;
  x_gm.SetGlobalBuffer(x);
  y_gm.SetGlobalBuffer(y);
  z_gm.SetGlobalBuffer(z);
  AscendC::LocalTensor<float> a(AscendC::TPosition::VECIN, 0, N);
  AscendC::LocalTensor<float> b(AscendC::TPosition::VECIN, 512, N);
  AscendC::LocalTensor<float> r(AscendC::TPosition::VECOUT, 1024, 11 * N);
  AscendC::DataCopy(a, x_gm, N);
  AscendC::DataCopy(b, y_gm, N);
  AscendC::SetFlag<AscendC::HardEvent::MTE2_V>(0);
  AscendC::WaitFlag<AscendC::HardEvent::MTE2_V>(0);
  AscendC::Add(r, a, b, N);
  AscendC::Sub(r[N], a, b, N);
  AscendC::Mul(r[2 * N], a, b, N);
  AscendC::Div(r[3 * N], a, b, N);
  AscendC::Max(r[4 * N], a, b, N);
  AscendC::Min(r[5 * N], a, b, N);
  AscendC::AddRelu(r[6 * N], a, b, N);
  AscendC::SubRelu(r[7 * N], a, b, N);
  AscendC::Duplicate(r[8 * N], 1.5f, 3 * N);
  AscendC::PipeBarrier<PIPE_V>();
  AscendC::MulAddDst(r[8 * N], a, b, N);
  AscendC::FusedMulAdd(r[9 * N], a, b, N);
  AscendC::FusedMulAddRelu(r[10 * N], a, b, N);
  AscendC::SetFlag<AscendC::HardEvent::V_MTE3>(0);
  AscendC::WaitFlag<AscendC::HardEvent::V_MTE3>(0);
  AscendC::DataCopy(z_gm, r, 11 * N);
}
