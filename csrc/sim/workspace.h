// SPDX-License-Identifier: Apache-2.0
// The scratch memory of one launch (asc.workspace), in the layout of ir/workspace.h.
//
// Each area is an owner of its own in addresses, so that an access that leaves it is seen, whatever lies
// behind. The address of a block's own area carries block * stride as its offset: another block's is no place
// of it.
#pragma once

#include <cstdint>
#include <memory>
#include <new>
#include <span>

#include "ir/workspace.h"

namespace asc::sim {

struct Launch;

// What a program knows of it.
struct WorkspacePlan {
  std::vector<ir::WorkspaceArea> areas;
  ir::WorkspaceLayout layout;
  uint16_t slot = 0;  // of the kernel's parameter
};

class WorkspaceMemory {
 public:
  // Allocates for the launch's grid and puts the areas behind the arguments. Throws LaunchError.
  void bind(Launch& launch);
  bool empty() const { return size_ == 0; }
  void poison();  // as memory that nobody wrote
  // What all blocks share and the first `blocks` blocks have.
  std::span<uint8_t> first_blocks(int blocks) const {
    return {bytes_.get(), static_cast<size_t>(layout_.total(blocks))};
  }

 private:
  struct Free {
    void operator()(uint8_t* at) const { ::operator delete (at, std::align_val_t{ir::kWorkspaceAlign}); }
  };
  std::unique_ptr<uint8_t, Free> bytes_;
  size_t size_ = 0;
  ir::WorkspaceLayout layout_;
};

}  // namespace asc::sim
