// SPDX-License-Identifier: Apache-2.0
// The arithmetic of vector ops behind untyped signatures, compiled once for each instruction set (sim/isa)
// and chosen at run time. All of them give the same bits: bodies use IEEE operations alone, never contracted.
#pragma once

#include "ops/op_table.h"

namespace asc::sim {

// Ordered: a processor that has one has those before it.
#define ASC_FOR_EACH_ISA(X) X(baseline) X(avx2) X(avx512)
enum class Isa : uint8_t {
#define ASC_X(name) name,
  ASC_FOR_EACH_ISA(ASC_X)
#undef ASC_X
};

// Any function pointer; which of the signatures below it has follows from the family of the op.
using Kernel = void (*)();
// Pointers of any alignment; counts in elements. A scalar is a slot: float bits, or the value of an integer.
using UnaryKernel = void (*)(void* dst, const void* src, int64_t count);
using BinaryKernel = void (*)(void* dst, const void* src0, const void* src1, int64_t count);
using ScalarKernel = void (*)(void* dst, const void* src, uint64_t scalar, int64_t count);
using FillKernel = void (*)(void* dst, uint64_t scalar, int64_t count);

// The best instruction set that was compiled and that this processor runs.
Isa best_isa();

// The kernel of an op of a vector family for its dtypes (`u`: the row's second type variable, if it has one).
// Null if the row allows no such dtypes.
Kernel vector_kernel(OpId op, DType t, DType u, Isa isa = best_isa());

// Of float matrix products, by the type of A's and B's elements (bodies/matmul.h, bodies/cube.h).
struct MatmulKernels {
  void (*widen)(float* to, const void* from, int64_t count);  // elements to floats
  // c (rows x columns) += a (rows x k) * b (k x columns), each without gaps.
  void (*add)(float* c, const float* a, const float* b, int64_t rows, int64_t columns, int64_t k);
  // The same on fractals.
  void (*mmad)(float* l0c, const void* l0a, const void* l0b, int64_t m, int64_t k, int64_t n, bool init);
};
MatmulKernels matmul_kernels(DType elements, Isa isa = best_isa());

// One a translation unit of sim/isa.
#define ASC_X(name)                                \
  namespace name {                                 \
  Kernel vector_kernel(OpId op, DType t, DType u); \
  MatmulKernels matmul_kernels(DType elements);    \
  }
ASC_FOR_EACH_ISA(ASC_X)
#undef ASC_X

}  // namespace asc::sim
