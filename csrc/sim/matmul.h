// SPDX-License-Identifier: Apache-2.0
// State of one Matmul object on one core: its tiling, matrices, and where its iteration stands.
#pragma once

#include <cstdint>
#include <vector>

#include "sim/bodies/matmul.h"

namespace asc::sim {

struct MatmulState {
  enum class Tiling : uint8_t { None, Good, Bad };  // Bad: a finding was made of it

  struct Matrix {
    uint64_t address = 0;
    bool set = false, transposed = false;
  };

  bool registered = false;
  Tiling tiling = Tiling::None;
  bool wants_bias = false;  // the tiling's is_bias, until disable_bias
  bool tiling_bias = false;
  bodies::MatmulShape shape;  // of this core
  int64_t org_m = 0, org_n = 0, org_ka = 0, org_kb = 0, org_kc = 0;
  Matrix a, b, bias;
  bool fresh = false;      // set_tensor_a or set_tensor_b since the last computation began
  bool iterating = false;  // its blocks are not all done
  bool pending = false;    // an iterate_all that was not synchronous
  bool block_ready = false;
  int64_t next = 0;
  bodies::MatmulBlock block;
  std::vector<float> sums, left, right;  // of the block, and the panels of A and B
  std::vector<int32_t> int_sums, int_left, int_right;

  void reset() {
    registered = wants_bias = tiling_bias = fresh = iterating = pending = block_ready = false;
    tiling = Tiling::None;
    shape = {};
    org_m = org_n = org_ka = org_kb = org_kc = next = 0;
    a = b = bias = {};
    block = {};
  }
};

}  // namespace asc::sim
