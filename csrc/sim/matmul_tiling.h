// SPDX-License-Identifier: Apache-2.0
// What a TCubeTiling says, and whether a cube core could compute with it.
#pragma once

#include <cstdint>
#include <string>

#include "ops/limits.h"
#include "ops/matmul_type.h"
#include "ops/op_table.h"

namespace asc::sim {

// Fields of TCubeTiling, in the order of its rows in ops/structs.def.
enum TilingField {
  kUsedCoreNum,
  kM,
  kN,
  kKa,
  kKb,
  kSingleM,
  kSingleN,
  kSingleK,
  kBaseM,
  kBaseN,
  kBaseK,
  kDepthA1,
  kDepthB1,
  kStepM,
  kStepN,
  kIsBias,
  kTransLength,
  kIterateOrder,
};

struct SizeFault {
  std::string what, fix;  // both empty: none
};

// The first of its sizes that no cube core of the platform can compute with (Matmul tiling, TCubeTiling,
// tables 1 and 2). Depths and steps of 0 count as not given.
SizeFault tiling_fault(const PlatformDesc& platform, const uint64_t* fields, const MatmulMatrix& a,
                       const MatmulMatrix& b);

}  // namespace asc::sim
