// SPDX-License-Identifier: Apache-2.0
// AVX2, FMA and F16C; nothing on other processors than x86-64.
#if defined(__x86_64__)
#define ASC_ISA avx2
#include "sim/isa/kernels.h"
#endif
