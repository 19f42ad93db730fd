// SPDX-License-Identifier: Apache-2.0
#include "passes/overwrites.h"

#include "passes/core_paths.h"
#include "passes/overwrites_walk.h"

namespace asc::passes {

std::vector<bool> overwritten(const ir::Module& module, std::span<const LaunchArgument> arguments, int grid) {
  std::vector<bool> out(arguments.size(), false);
  const auto may_be = [&](size_t i) {
    const ir::KernelArg& arg = module.args[i];
    return arguments[i].bytes > 0 && arg.may_write && !arg.may_read && !arg.escapes;
  };
  bool any = false;
  for (size_t i = 0; i < out.size(); i++) any = any || may_be(i);
  // On a cube core, or where both kinds run, the number of a block means something else, and not every core
  // gets to every write.
  if (!any || grid < 1 || cores_of(module.kernel_type) != kAiv) return out;
  OverwritesWalk walk(module, arguments, grid);
  walk.run();
  for (size_t i = 0; i < out.size(); i++) {
    if (!may_be(i)) continue;
    std::vector<Footprint> footprints;
    for (const OverwritesWalk::Write& write : walk.writes())
      if (write.argument == i) footprints.push_back(write.footprint);
    out[i] = covers(std::move(footprints), walk.symbols(), arguments[i].bytes);
  }
  return out;
}

}  // namespace asc::passes
