#define ASCENDC_CUBE_ONLY
#include "kernel_operator.h"
#include "lib/matmul_intf.h"

namespace {

__aicore__ inline void multiply(AscendC::Matmul<AscendC::MatmulType<AscendC::TPosition::GM, CubeFormat::ND, half>, AscendC::MatmulType<AscendC::TPosition::GM, CubeFormat::ND, half>, AscendC::MatmulType<AscendC::TPosition::GM, CubeFormat::ND, float>>& matmul, AscendC::GlobalTensor<half> left, AscendC::GlobalTensor<half> right, AscendC::GlobalTensor<float> into) {
  matmul.SetTensorA(left);
  matmul.SetTensorB(right);
  while (matmul.Iterate()) {
    matmul.GetTensorC(into);
  }
}

}  // namespace

extern "C" __global__ __aicore__ void twice(__gm__ half* a, __gm__ half* b, __gm__ float* c, __gm__ uint8_t* tiling_gm, __gm__ uint8_t* workspace) {
  TCubeTiling tiling;
  for (uint32_t i = 0; i < sizeof(tiling); i++) {
    reinterpret_cast<uint8_t*>(&tiling)[i] = tiling_gm[i];
  }
  AscendC::GlobalTensor<half> left;
  AscendC::GlobalTensor<half> right;
  AscendC::GlobalTensor<float> result;
  left.SetGlobalBuffer(a);
  right.SetGlobalBuffer(b);
  result.SetGlobalBuffer(c);
  AscendC::TPipe pipe;
  AscendC::Matmul<AscendC::MatmulType<AscendC::TPosition::GM, CubeFormat::ND, half>, AscendC::MatmulType<AscendC::TPosition::GM, CubeFormat::ND, half>, AscendC::MatmulType<AscendC::TPosition::GM, CubeFormat::ND, float>> matmul;
  REGIST_MATMUL_OBJ(&pipe, workspace, matmul, &tiling);
  int64_t step = static_cast<int64_t>(tiling.singleCoreM) * tiling.singleCoreN;
  multiply(matmul, left, right, result);
  multiply(matmul, left, right, result[step]);
  matmul.End();
}
