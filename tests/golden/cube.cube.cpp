#include "kernel_operator.h"

extern "C" __global__ __aicore__ void cube(__gm__ half* a, __gm__ half* b, __gm__ float* c) {
  constexpr int32_t M = 32;
  constexpr int32_t K = 48;
  AscendC::GlobalTensor<half> a_gm;
  AscendC::GlobalTensor<half> b_gm;
  AscendC::GlobalTensor<float> c_gm;
  a_gm.SetGlobalBuffer(a);
  b_gm.SetGlobalBuffer(b);
  c_gm.SetGlobalBuffer(c);
  AscendC::LocalTensor<half> l0a(AscendC::TPosition::A2, 0, M * K);
  AscendC::LocalTensor<half> l0b(AscendC::TPosition::B2, 0, K * 16);
  AscendC::LocalTensor<float> l0c(AscendC::TPosition::CO1, 0, M * 16);
  AscendC::LoadData(l0a, a_gm, AscendC::LoadData2DParams(0, M * K / 256, 1, 0, 0, false, 0));
  AscendC::LoadData(l0b, b_gm, AscendC::LoadData2DParams(0, K / 16, 1, 0, 0, false, 0));
  AscendC::SetFlag<AscendC::HardEvent::MTE2_M>(0);
  AscendC::WaitFlag<AscendC::HardEvent::MTE2_M>(0);
  AscendC::Mmad(l0c, l0a, l0b, AscendC::MmadParams(M, 16, K, 0, false, true));
  AscendC::SetFlag<AscendC::HardEvent::M_FIX>(0);
  AscendC::WaitFlag<AscendC::HardEvent::M_FIX>(0);
  AscendC::Fixpipe(c_gm, l0c, AscendC::FixpipeParamsV220(16, M, M, 16, false));
}
