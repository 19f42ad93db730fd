#include "kernel_operator.h"

namespace {

__aicore__ inline __gm__ int32_t* far(__gm__ int32_t* address, int32_t count) {
  return address + count;
}

}  // namespace

extern "C" __global__ __aicore__ void numbers(__gm__ int32_t* out, __gm__ uint64_t* table, __gm__ float* reals) {
  AscendC::GlobalTensor<int32_t> o;
  o.SetGlobalBuffer(out, 32);
  AscendC::GlobalTensor<uint64_t> t;
  t.SetGlobalBuffer(table, 8);
  t.SetValue(0, reinterpret_cast<uint64_t>(o.GetPhyAddr(8)));
  t.SetValue(1, reinterpret_cast<uint64_t>(reals));
  uint64_t begin = reinterpret_cast<uint64_t>(o.GetPhyAddr(0));
  AscendC::LocalTensor<int32_t> local(AscendC::TPosition::VECCALC, 64, 64);
  o.SetValue(0, reinterpret_cast<uint64_t>(o.GetPhyAddr(8)) == t.GetValue(0));
  o.SetValue(1, o.GetPhyAddr(8) - out);
  o.SetValue(2, reinterpret_cast<int64_t>(o.GetPhyAddr(8)) - reinterpret_cast<int64_t>(out));
  o.SetValue(3, t.GetValue(0) - begin);
  o.SetValue(4, (reinterpret_cast<int64_t>(o.GetPhyAddr(5)) & 7) - reinterpret_cast<int64_t>(o.GetPhyAddr(0)) % 8);
  o.SetValue(5, out < far(out, 3));
  o.SetValue(6, reinterpret_cast<uint64_t>(local.GetPhyAddr(5)) - reinterpret_cast<uint64_t>(local.GetPhyAddr()));
  o.SetValue(7, begin == 0);
  o.SetGlobalBuffer(reinterpret_cast<__gm__ int32_t*>(t.GetValue(0)), 8);
  o.SetValue(0, 10);
  o.SetGlobalBuffer(reinterpret_cast<__gm__ int32_t*>(t.GetValue(0) + 4) + 1);
  o.SetValue(0, 20);
  AscendC::GlobalTensor<float> r;
  r.SetGlobalBuffer(reinterpret_cast<__gm__ float*>(t.GetValue(1)));
  r.SetValue(3, 0.5f);
  t.SetValue(0, 0);
  t.SetValue(1, 1);
}
