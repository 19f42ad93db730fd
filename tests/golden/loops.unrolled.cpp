#include "kernel_operator.h"

extern "C" __global__ __aicore__ void unrolled(__gm__ int32_t* out, int32_t n) {
  constexpr int32_t COUNT = 3;
  AscendC::GlobalTensor<int32_t> gm;
  gm.SetGlobalBuffer(out);
  constexpr int32_t i = 0;
  gm.SetValue(i, n * i);
  constexpr int32_t i_2 = 1;
  gm.SetValue(i_2, n * i_2);
  constexpr int32_t i_3 = 2;
  gm.SetValue(i_3, n * i_3);
  constexpr int32_t value = 9;
  gm.SetValue(COUNT, value);
  constexpr int32_t place = 0;
  int32_t value_2 = n;
  gm.SetValue(COUNT + 1 + place, value_2);
  constexpr int32_t place_2 = 1;
  value_2 = n + 1;
  gm.SetValue(COUNT + 1 + place_2, value_2);
}
