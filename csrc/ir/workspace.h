// SPDX-License-Identifier: Apache-2.0
// Where the areas of a kernel's workspace lie: shared ones, then a stretch for each block with that block's
// own areas. The printed program, the simulator and a launch on a device all follow this.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "ir/ir.h"

namespace asc::ir {

inline constexpr int64_t kWorkspaceAlign = 512;  // of every area: what any op asks of global memory at most
inline constexpr int64_t kMaxWorkspaceBytes = int64_t{1} << 40;  // of one area: more than any device has

constexpr int64_t workspace_room(int64_t bytes) {
  return (bytes + kWorkspaceAlign - 1) / kWorkspaceAlign * kWorkspaceAlign;
}

struct WorkspaceLayout {
  std::vector<int64_t> offsets;   // of each area: in the workspace, or in the block's stretch
  int64_t shared = 0, block = 0;  // bytes of the shared areas, and of one block's
  int64_t total(int64_t blocks) const { return shared + blocks * block; }
};
WorkspaceLayout lay_out(std::span<const WorkspaceArea> areas);

}  // namespace asc::ir
