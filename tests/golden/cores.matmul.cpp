#include "kernel_operator.h"

extern "C" __global__ __aicore__ void matmul(__gm__ half* a, __gm__ half* b, __gm__ float* c) {
  AscendC::GlobalTensor<half> a_gm;
  AscendC::GlobalTensor<half> b_gm;
  AscendC::GlobalTensor<float> c_gm;
  a_gm.SetGlobalBuffer(a);
  b_gm.SetGlobalBuffer(b);
  c_gm.SetGlobalBuffer(c);
  AscendC::LocalTensor<half> l0a(AscendC::TPosition::A2, 0, 256);
  AscendC::LocalTensor<half> l0b(AscendC::TPosition::B2, 0, 256);
  AscendC::LocalTensor<float> l0c(AscendC::TPosition::CO1, 0, 256);
  AscendC::LoadData(l0a, a_gm, AscendC::LoadData2DParams());
  AscendC::LoadData(l0b, b_gm, AscendC::LoadData2DParams(0, 1, 1, 0, 0, false, 0));
  AscendC::SetFlag<AscendC::HardEvent::MTE2_M>(0);
  AscendC::WaitFlag<AscendC::HardEvent::MTE2_M>(0);
  AscendC::MmadParams params(16, 16, 16, 0, false, true);
  AscendC::Mmad(l0c, l0a, l0b, params);
  AscendC::PipeBarrier<PIPE_M>();
  params.cmatrixInitVal = false;
  AscendC::Mmad(l0c, l0a, l0b, params);
  AscendC::SetFlag<AscendC::HardEvent::M_FIX>(0);
  AscendC::WaitFlag<AscendC::HardEvent::M_FIX>(0);
  AscendC::Fixpipe(c_gm, l0c, AscendC::FixpipeParamsV220(16, 16, 16, 16, true));
}
