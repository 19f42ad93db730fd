#include "kernel_operator.h"

namespace {

template <typename T>
__aicore__ inline AscendC::LocalTensor<T> asc_slice(AscendC::LocalTensor<T> tensor, uint32_t offset, uint32_t length) {
  AscendC::LocalTensor<T> slice = tensor[offset];
  if (length < slice.GetSize()) {
    slice.SetSize(length);
  }
  return slice;
}

template <typename T>
__aicore__ inline AscendC::GlobalTensor<T> asc_slice(AscendC::GlobalTensor<T> tensor, uint64_t offset,
                                                     uint64_t length = ~0ull) {
  uint64_t size = tensor.GetSize();
  uint64_t rest = size > offset ? size - offset : 0;
  if (length == ~0ull || (size > 0 && length > rest)) {
    length = rest;
  }
  AscendC::GlobalTensor<T> slice;
  slice.SetGlobalBuffer(tensor.GetPhyAddr(offset), length);
  return slice;
}

}  // namespace

extern "C" __global__ __aicore__ void sizes(__gm__ int32_t* out, int32_t n) {
  AscendC::GlobalTensor<int32_t> gm;
  gm.SetGlobalBuffer(out, 64);
  AscendC::LocalTensor<float> local(AscendC::TPosition::VECCALC, 0, 64);
  AscendC::LocalTensor<float> part = asc_slice(local, 8, 16);
  gm.SetValue(0, part.GetSize());
  gm.SetValue(1, local[n].GetSize());
  gm.SetValue(2, asc_slice(gm, 16).GetSize());
  gm.SetValue(3, asc_slice(gm, 16, 16).GetSize());
  gm.SetValue(4, gm.GetSize());
  gm.SetValue(5, local.ReinterpretCast<half>().GetSize());
  part.SetSize(5);
  gm.SetValue(6, part.GetLength());
  gm.SetValue(7, local.GetPosition() == static_cast<int32_t>(AscendC::TPosition::VECCALC));
}
