#include "kernel_operator.h"

extern "C" __global__ __aicore__ void after_the_loop(__gm__ int32_t* out, int32_t n, int32_t limit) {
  AscendC::GlobalTensor<int32_t> gm;
  gm.SetGlobalBuffer(out);
  int32_t i = -1;
  for (int32_t i_next = 0; i_next < n; i_next++) {
    i = i_next;
    if (i * i > limit) {
      break;
    }
  }
  gm.SetValue(0, i);
  int32_t total = 0;
  for (int32_t k = 0; k < n; k++) {
    if (k % 3 == 0) {
      continue;
    }
    total += k;
  }
  gm.SetValue(1, total);
  for (int32_t m_next = 0; m_next < n; m_next++) {
    int32_t m = m_next;
    m += 100;
    gm.SetValue(2 + static_cast<int64_t>(m) - 100, m);
  }
  int32_t end = n;
  const int32_t p_stop = end;
  for (int32_t p_next = 0; p_next < p_stop; p_next++) {
    int32_t p = p_next;
    end -= 1;
    gm.SetValue(20 + static_cast<int64_t>(p), end);
  }
}
