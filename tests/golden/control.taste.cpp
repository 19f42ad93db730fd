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

extern "C" __global__ __aicore__ void taste(__gm__ int32_t* out, __gm__ float* reals, int32_t n, float x) {
  constexpr int32_t limit = 48;
  AscendC::GlobalTensor<int32_t> gm;
  gm.SetGlobalBuffer(out);
  AscendC::GlobalTensor<float> r;
  r.SetGlobalBuffer(reals);
  AscendC::LocalTensor<half> local(AscendC::TPosition::VECCALC, 0, 64);
  int32_t total = n;
  int8_t small = 3;
  for (int32_t i = 0; i < n; i++) {
    total += i;
    total *= i + 1;
    total -= n - i;
    total = asc_floor_mod(total, 1000);
    total /= 2;
    total = asc_floor_div(total, n - 3);
    total <<= 2;
    total ^= n;
    x -= i * 0.5f;
    x /= 2.0f;
    small += 1;
  }
  gm.SetValue(0, total + small);
  gm.SetValue(1, 0 < n && n < 9);
  gm.SetValue(2, limit > n && n > 0);
  int32_t value = gm.GetValue(0);
  if (0 < value && value < limit) {
    gm.SetValue(3, 1);
  }
  gm.SetValue(4, local.GetPosition() == static_cast<int32_t>(AscendC::TPosition::VECCALC));
  gm.SetValue(5, local.GetPosition() != static_cast<int32_t>(AscendC::TPosition::VECIN));
  r.SetValue(0, x * x);
  half half_ = x;
  if (static_cast<float>(half_) < 0.1f) {
    half_ = 0.2f;
  }
  AscendC::Duplicate(local, static_cast<half>(0.1f), 64);
  AscendC::Muls(local, local, static_cast<half>(0.3333f), 64);
  local.SetValue(0, 0.7f);
  r.SetValue(1, half_);
  r.SetValue(2, static_cast<float>(local.GetValue(0)) + static_cast<float>(local.GetValue(1)));
}
