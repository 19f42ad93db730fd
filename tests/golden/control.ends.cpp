#include "kernel_operator.h"

namespace {

__aicore__ inline void ordered(int32_t a, int32_t b, int32_t& a_2, int32_t& result) {
  if (a < b) {
    a_2 = a;
    result = b;
  } else if (a > b) {
    a_2 = b;
    result = a;
  } else {
    a_2 = a;
    result = a + 1;
  }
}

__aicore__ inline void put(AscendC::GlobalTensor<int32_t> gm, int32_t at, int32_t value) {
  gm.SetValue(at, value);
  if (value < 0) {
    gm.SetValue(at + 1, 0);
    return;
  }
  gm.SetValue(at + 1, value);
}

__aicore__ inline int32_t first_above(AscendC::GlobalTensor<int32_t> gm, int32_t n) {
  for (int32_t i = 0; i < n; i++) {
    if (gm.GetValue(i) > n) {
      return i;
    }
  }
  return n;
}

}  // namespace

extern "C" __global__ __aicore__ void ends(__gm__ int32_t* out, int32_t n) {
  AscendC::GlobalTensor<int32_t> gm;
  gm.SetGlobalBuffer(out);
  int32_t low;
  int32_t high;
  ordered(n, 3, low, high);
  put(gm, 0, low);
  put(gm, 2, -high);
  int32_t place = first_above(gm, n);
  gm.SetValue(4, place);
}
