#include "kernel_operator.h"

constexpr int32_t ROWS = 3;

namespace {

template <typename T>
__aicore__ inline T asc_floor_div(T a, T b) {
  T quotient = a / b;
  return a % b != 0 && (a < 0) != (b < 0) ? quotient - 1 : quotient;
}

}  // namespace

extern "C" __global__ __aicore__ void ranges(__gm__ int32_t* out, int32_t n, int32_t first, int32_t step) {
  AscendC::GlobalTensor<int32_t> gm;
  gm.SetGlobalBuffer(out);
  for (int32_t i = 0; i < n; i++) {
    gm.SetValue(i, i);
  }
  for (int32_t i = 1; i < n; i += 2) {
    gm.SetValue(i, -i);
  }
  for (int32_t i = n - 1; i > -1; i--) {
    gm.SetValue(16 + static_cast<int64_t>(n) - 1 - i, i);
  }
  for (int32_t i = first; i < first + n * step; i += step) {
    gm.SetValue(32 + static_cast<int64_t>(asc_floor_div(i - first, step)), i);
  }
  for (int32_t i = 0; i < ROWS; i++) {
    for (int32_t j = i; j < ROWS; j++) {
      gm.SetValue(48 + i * ROWS + j, 10 * i + j);
    }
  }
}
