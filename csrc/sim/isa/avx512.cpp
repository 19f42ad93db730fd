// SPDX-License-Identifier: Apache-2.0
// AVX-512 with its F, BW, CD, DQ and VL parts; nothing on other processors than x86-64.
#if defined(__x86_64__)
#define ASC_ISA avx512
#include "sim/isa/kernels.h"
#endif
