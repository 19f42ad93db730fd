// SPDX-License-Identifier: Apache-2.0
#include "ir/workspace.h"

namespace asc::ir {

WorkspaceLayout lay_out(std::span<const WorkspaceArea> areas) {
  WorkspaceLayout layout;
  for (const WorkspaceArea& area : areas) {
    int64_t& end = area.per_block ? layout.block : layout.shared;
    layout.offsets.push_back(end);
    end += workspace_room(area.bytes);
  }
  return layout;
}

}  // namespace asc::ir
