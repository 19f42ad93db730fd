// SPDX-License-Identifier: Apache-2.0
// Cross-core flags of a launch. Each core has a counter an id. Mode 0: when all cores of a type have set the
// id, each of them counts up. Mode 1: the same among the vector cores of a block. Mode 2: a cube core's set
// counts up each vector core of its block; when all vector cores of a block have set it, their cube core
// counts up.
#pragma once

#include <vector>

#include "sim/vm.h"

namespace asc::sim {

struct CrossCore {
  // A core as the others see it.
  struct Member {
    Core* core;
    // How often it has set an id in each mode, less the rounds that all members have completed.
    uint8_t sets[3][kCrossCoreIds] = {};
    Origin set_at[kCrossCoreIds];
  };
  std::vector<Member> members;  // in block order: AIC, then its AIVs
  uint64_t progress = 0;        // grows with each set and each wait that went through

  Member& of(const Core& core);
  // The cores whose sets release `core` by id and mode, itself included where it takes part.
  std::vector<Member*> setters(const Core& core, int mode);
};

}  // namespace asc::sim
