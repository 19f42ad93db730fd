#include "kernel_operator.h"

namespace {

template <typename T>
__aicore__ inline T asc_floor_div(T a, T b) {
  T quotient = a / b;
  return a % b != 0 && (a < 0) != (b < 0) ? quotient - 1 : quotient;
}

template <typename T>
__aicore__ inline T asc_floor_mod(T a, T b) {
  T remainder = b == -1 ? 0 : a % b;
  return remainder != 0 && (remainder < 0) != (b < 0) ? remainder + b : remainder;
}

}  // namespace

extern "C" __global__ __aicore__ void divisions(__gm__ int32_t* out, int32_t a, int32_t b) {
  AscendC::GlobalTensor<int32_t> gm;
  gm.SetGlobalBuffer(out);
  gm.SetValue(0, asc_floor_div(a, b));
  gm.SetValue(1, asc_floor_mod(a, b));
  gm.SetValue(2, asc_floor_div(a + 1, 4));
  gm.SetValue(3, asc_floor_div(-a, 3));
  gm.SetValue(4, asc_floor_mod(-a, 3));
  int64_t block = AscendC::GetBlockIdx();
  gm.SetValue(5, block / 2 + block % 2);
  gm.SetValue(6, static_cast<int32_t>(static_cast<float>(a) / b));
  a = asc_floor_div(a, b);
  b = asc_floor_mod(b, 3);
  gm.SetValue(7, a * 10 + b);
}
