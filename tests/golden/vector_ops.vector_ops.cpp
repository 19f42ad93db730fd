#include "kernel_operator.h"

constexpr int32_t COUNT = 64;

extern "C" __global__ __aicore__ void vector_ops(__gm__ half* x, __gm__ half* y, float slope, int32_t n) {
  AscendC::GlobalTensor<half> x_gm;
  AscendC::GlobalTensor<half> y_gm;
  x_gm.SetGlobalBuffer(x);
  y_gm.SetGlobalBuffer(y);
  AscendC::TPipe pipe;
  AscendC::TQue<AscendC::TPosition::VECIN, 1> queue;
  AscendC::TBuf<AscendC::TPosition::VECCALC> buf;
  pipe.InitBuffer(queue, 1, COUNT * 2);
  pipe.InitBuffer(buf, 2 * COUNT * 2);
  AscendC::LocalTensor<half> a = queue.AllocTensor<half>();
  AscendC::DataCopy(a, x_gm, COUNT);
  queue.EnQue(a);
  a = queue.DeQue<half>();
  AscendC::LocalTensor<half> both = buf.Get<half>();
  AscendC::LocalTensor<half> b = both[COUNT];
  AscendC::LocalTensor<half> c = both[0];
  AscendC::Duplicate(b, static_cast<half>(2.0f), COUNT);
  AscendC::Adds(c, a, static_cast<half>(0.5f), COUNT);
  AscendC::Mul(b, b, c, COUNT);
  AscendC::LeakyRelu(b, b, static_cast<half>(slope), COUNT);
  AscendC::Abs(c, a, COUNT);
  AscendC::Axpy(b, c, static_cast<half>(n), COUNT);
  AscendC::MulAddDst(b, c, a, COUNT);
  AscendC::SetFlag<AscendC::HardEvent::V_MTE3>(0);
  AscendC::WaitFlag<AscendC::HardEvent::V_MTE3>(0);
  AscendC::DataCopy(y_gm, b, COUNT);
  queue.FreeTensor(a);
}
