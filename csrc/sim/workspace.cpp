// SPDX-License-Identifier: Apache-2.0
#include "sim/workspace.h"

#include <unistd.h>

#include "base/format.h"
#include "sim/vm.h"

namespace asc::sim {

namespace {

// Memory of this machine: what is beyond it cannot be filled, though it may be allocated.
int64_t machine_bytes() {
  return static_cast<int64_t>(sysconf(_SC_PHYS_PAGES)) * static_cast<int64_t>(sysconf(_SC_PAGE_SIZE));
}

}  // namespace

void WorkspaceMemory::bind(Launch& launch) {
  const WorkspacePlan& plan = launch.program->workspace;
  const int64_t total = plan.layout.total(launch.grid);
  size_ = static_cast<size_t>(total);
  layout_ = plan.layout;
  if (total <= machine_bytes())
    bytes_.reset(
        static_cast<uint8_t*>(::operator new (size_, std::align_val_t{ir::kWorkspaceAlign}, std::nothrow)));
  if (!bytes_)
    throw LaunchError(fmt::format("the workspace of {} blocks takes {} bytes, more than this machine has",
                                  launch.grid, total),
                      "launch fewer blocks, or ask asc.workspace for less");
  poison();
  GlobalMemory& gm = launch.gm;
  const auto first = static_cast<uint32_t>(gm.groups.size());
  for (size_t i = 0; i < plan.areas.size(); i++) {
    const ir::WorkspaceArea& area = plan.areas[i];
    GlobalGroup group;
    group.base = bytes_.get() + (area.per_block ? plan.layout.shared : 0) + plan.layout.offsets[i];
    group.bytes = area.per_block ? 0 : area.bytes;
    group.area = &area;
    group.stride = area.per_block ? plan.layout.block : 0;
    gm.groups.push_back(group);
  }
  if (launch.entry.size() <= plan.slot) launch.entry.resize(size_t{plan.slot} + 1, 0);
  launch.entry[plan.slot] = make_address(kFirstGlobalOwner + first, 0);
}

void WorkspaceMemory::poison() {
  if (bytes_) fill_poison(bytes_.get(), size_);
}

}  // namespace asc::sim
