#include "kernel_operator.h"

namespace {

template <typename T>
__aicore__ inline T asc_abs(T x) {
  return x > 0 ? x : 0 - x;
}

template <typename T>
__aicore__ inline T asc_max(T a, T b) {
  return b > a ? b : a;
}

}  // namespace

extern "C" __global__ __aicore__ void narrow(__gm__ half* h, __gm__ int32_t* out, int16_t s, uint8_t u) {
  AscendC::GlobalTensor<half> h_gm;
  h_gm.SetGlobalBuffer(h);
  AscendC::GlobalTensor<int32_t> out_gm;
  out_gm.SetGlobalBuffer(out);
  half a = h_gm.GetValue(0);
  half b = h_gm.GetValue(1);
  h_gm.SetValue(2, static_cast<float>(a) + static_cast<float>(b));
  h_gm.SetValue(3, static_cast<float>(a) * static_cast<float>(b) - static_cast<float>(a));
  h_gm.SetValue(4, static_cast<float>(a) / static_cast<float>(b));
  h_gm.SetValue(5, asc_max<float>(a, b));
  h_gm.SetValue(6, asc_abs(static_cast<float>(a)));
  out_gm.SetValue(0, s + s);
  out_gm.SetValue(1, static_cast<uint8_t>(u + u));
  out_gm.SetValue(2, static_cast<uint8_t>(u + 200) / 3);
  out_gm.SetValue(3, static_cast<float>(a) > static_cast<float>(b));
}
