// SPDX-License-Identifier: Apache-2.0
#include "sim/kernels.h"

namespace asc::sim {

namespace {

bool runs(Isa isa) {
#if defined(__x86_64__)
  switch (isa) {
    case Isa::baseline: return true;
    case Isa::avx2:
      // Every one with these has F16C too, whose name not every compiler knows.
      return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
    case Isa::avx512:
      return runs(Isa::avx2) && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
             __builtin_cpu_supports("avx512cd") && __builtin_cpu_supports("avx512dq") &&
             __builtin_cpu_supports("avx512vl");
  }
#endif
  return isa == Isa::baseline;
}

Isa find_best() {
  Isa best = Isa::baseline;
#define ASC_X(name) \
  if (runs(Isa::name)) best = Isa::name;
  ASC_FOR_EACH_ISA(ASC_X)
#undef ASC_X
  return best;
}

}  // namespace

Isa best_isa() {
  static const Isa best = find_best();
  return best;
}

Kernel vector_kernel(OpId op, DType t, DType u, Isa isa) {
  switch (isa) {
#if defined(__x86_64__)
    case Isa::avx512: return avx512::vector_kernel(op, t, u);
    case Isa::avx2: return avx2::vector_kernel(op, t, u);
#endif
    default: return baseline::vector_kernel(op, t, u);
  }
}

MatmulKernels matmul_kernels(DType elements, Isa isa) {
  switch (isa) {
#if defined(__x86_64__)
    case Isa::avx512: return avx512::matmul_kernels(elements);
    case Isa::avx2: return avx2::matmul_kernels(elements);
#endif
    default: return baseline::matmul_kernels(elements);
  }
}

}  // namespace asc::sim
