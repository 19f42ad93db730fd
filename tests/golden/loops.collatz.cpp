#include "kernel_operator.h"

extern "C" __global__ __aicore__ void collatz(__gm__ int32_t* out, int32_t start) {
  AscendC::GlobalTensor<int32_t> gm;
  gm.SetGlobalBuffer(out);
  int32_t value = start;
  int32_t turns = 0;
  while (value != 1 && turns < 100) {
    value = value % 2 == 0 ? value / 2 : 3 * value + 1;
    turns += 1;
  }
  gm.SetValue(0, turns);
  int32_t rest = turns;
  while (true) {
    rest -= 10;
    if (rest < 0) {
      break;
    }
  }
  gm.SetValue(1, rest);
}
