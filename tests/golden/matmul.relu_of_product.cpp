#include "kernel_operator.h"
#include "lib/matmul_intf.h"

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

template <typename T>
__aicore__ inline T asc_min(T a, T b) {
  return b < a ? b : a;
}

__aicore__ inline void part_of_core(const TCubeTiling& tiling, int64_t& result, int64_t& column, int64_t& result_2, int64_t& rows) {
  int64_t core = AscendC::GetBlockIdx();
  int32_t parts = -asc_floor_div(-tiling.M, tiling.singleCoreM);
  int64_t row = asc_floor_mod<int64_t>(core, parts) * tiling.singleCoreM;
  column = asc_floor_div<int64_t>(core, parts) * tiling.singleCoreN;
  rows = asc_min<int64_t>(tiling.M - row, tiling.singleCoreM);
  result = row * tiling.Ka;
  result_2 = row * tiling.N + column;
}

}  // namespace

extern "C" __global__ __aicore__ void relu_of_product(__gm__ half* a, __gm__ half* b, __gm__ float* bias, __gm__ float* c, __gm__ uint8_t* tiling_gm, __gm__ uint8_t* workspace) {
  TCubeTiling tiling;
  for (uint32_t i = 0; i < sizeof(tiling); i++) {
    reinterpret_cast<uint8_t*>(&tiling)[i] = tiling_gm[i];
  }
  int64_t a_at;
  int64_t b_at;
  int64_t c_at;
  int64_t rows;
  part_of_core(tiling, a_at, b_at, c_at, rows);
  AscendC::GlobalTensor<half> left;
  AscendC::GlobalTensor<half> right;
  AscendC::GlobalTensor<float> row;
  AscendC::GlobalTensor<float> result;
  left.SetGlobalBuffer(a + a_at);
  right.SetGlobalBuffer(b + b_at);
  row.SetGlobalBuffer(bias + b_at);
  result.SetGlobalBuffer(c + c_at);
  AscendC::TPipe pipe;
  AscendC::Matmul<AscendC::MatmulType<AscendC::TPosition::GM, CubeFormat::ND, half>, AscendC::MatmulType<AscendC::TPosition::GM, CubeFormat::ND, half, true>, AscendC::MatmulType<AscendC::TPosition::VECCALC, CubeFormat::ND, float>, AscendC::MatmulType<AscendC::TPosition::GM, CubeFormat::ND, float>> matmul;
  REGIST_MATMUL_OBJ(&pipe, workspace, matmul);
  matmul.Init(&tiling);
  int32_t size = tiling.baseM * tiling.baseN;
  AscendC::TQue<AscendC::TPosition::VECOUT, 1> blocks;
  pipe.InitBuffer(blocks, 1, size * 4);
  matmul.SetTensorA(left);
  matmul.SetTensorB(right);
  matmul.SetBias(row);
  int32_t down = asc_floor_div(tiling.singleCoreM, tiling.baseM);
  int32_t turn = 0;
  while (matmul.Iterate()) {
    int32_t i = turn;
    turn += 1;
    AscendC::LocalTensor<float> block = blocks.AllocTensor<float>();
    matmul.GetTensorC(block, 0, true);
    AscendC::Relu(block, block, size);
    blocks.EnQue(block);
    block = blocks.DeQue<float>();
    int64_t at = static_cast<int64_t>(asc_floor_mod(i, down)) * tiling.baseM * tiling.N + static_cast<int64_t>(asc_floor_div(i, down)) * tiling.baseN;
    for (int32_t k = 0; k < tiling.baseM; k++) {
      AscendC::DataCopy(result[at + static_cast<int64_t>(k) * tiling.N], block[k * tiling.baseN], tiling.baseN);
    }
    blocks.FreeTensor(block);
  }
  matmul.End();
}
