#include "kernel_operator.h"

constexpr int32_t N = 128;

extern "C" __global__ __aicore__ void unary(__gm__ float* x, __gm__ float* z) {
  AscendC::GlobalTensor<float> x_gm;
  AscendC::GlobalTensor<float> z_gm;
  x_gm.SetGlobalBuffer(x);
  z_gm.SetGlobalBuffer(z);
  AscendC::LocalTensor<float> a(AscendC::TPosition::VECIN, 0, N);
  AscendC::LocalTensor<float> r(AscendC::TPosition::VECOUT, 1024, 7 * N);
  AscendC::DataCopy(a, x_gm, N);
  AscendC::SetFlag<AscendC::HardEvent::MTE2_V>(0);
  AscendC::WaitFlag<AscendC::HardEvent::MTE2_V>(0);
  AscendC::Abs(r, a, N);
  AscendC::Exp(r[N], a, N);
  AscendC::Ln(r[2 * N], a, N);
  AscendC::Sqrt(r[3 * N], a, N);
  AscendC::Rsqrt(r[4 * N], a, N);
  AscendC::Reciprocal(r[5 * N], a, N);
  AscendC::Relu(r[6 * N], a, N);
  AscendC::SetFlag<AscendC::HardEvent::V_MTE3>(0);
  AscendC::WaitFlag<AscendC::HardEvent::V_MTE3>(0);
  AscendC::DataCopy(z_gm, r, 7 * N);
}
