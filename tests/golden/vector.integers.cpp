#include "kernel_operator.h"

constexpr int32_t N = 128;

extern "C" __global__ __aicore__ void integers(__gm__ int16_t* x, __gm__ int16_t* y, __gm__ int16_t* z, int32_t distance) {
  AscendC::GlobalTensor<int16_t> x_gm;
  AscendC::GlobalTensor<int16_t> y_gm;
  AscendC::GlobalTensor<int16_t> z_gm;
  x_gm.SetGlobalBuffer(x);
  y_gm.SetGlobalBuffer(y);
  z_gm.SetGlobalBuffer(z);
  AscendC::LocalTensor<int16_t> a(AscendC::TPosition::VECIN, 0, N);
  AscendC::LocalTensor<int16_t> b(AscendC::TPosition::VECIN, 512, N);
  AscendC::LocalTensor<int16_t> r(AscendC::TPosition::VECOUT, 1024, 8 * N);
  AscendC::DataCopy(a, x_gm, N);
  AscendC::DataCopy(b, y_gm, N);
  AscendC::SetFlag<AscendC::HardEvent::MTE2_V>(0);
  AscendC::WaitFlag<AscendC::HardEvent::MTE2_V>(0);
  AscendC::Not(r, a, N);
  AscendC::And(r[N], a, b, N);
  AscendC::Or(r[2 * N], a, b, N);
  AscendC::ShiftLeft(r[3 * N], a, static_cast<int16_t>(3), N);
  AscendC::ShiftRight(r[4 * N], a, static_cast<int16_t>(distance), N);
  AscendC::Adds(r[5 * N], a, static_cast<int16_t>(-1), N);
  AscendC::Mul(r[6 * N], a, b, N);
  AscendC::Duplicate(r[7 * N], static_cast<int16_t>(distance), N);
  AscendC::SetFlag<AscendC::HardEvent::V_MTE3>(0);
  AscendC::WaitFlag<AscendC::HardEvent::V_MTE3>(0);
  AscendC::DataCopy(z_gm, r, 8 * N);
}
