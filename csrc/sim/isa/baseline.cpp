// SPDX-License-Identifier: Apache-2.0
// What every processor of the platform has: SSE2 on x86-64, NEON on 64-bit ARM.
#define ASC_ISA baseline
#include "sim/isa/kernels.h"
