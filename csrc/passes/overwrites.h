// SPDX-License-Identifier: Apache-2.0
// Which arrays a launch overwrites as a whole, whatever they held before.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "ir/ir.h"

namespace asc::passes {

// What a launch gives for one of Module::args.
struct LaunchArgument {
  std::optional<int64_t> number;  // of a scalar: its value, if it is a whole one
  int64_t bytes = 0;              // of an array that is asked about: its size
};

// By argument: is it an array asked about that the kernel never reads and writes every byte of, in each
// launch of `grid` blocks with these numbers that ends without a finding? Only what is certain counts: a
// write that is not understood, or that may not run, is as good as none.
//
// The module is the one that the passes are done with. This reads its IR with the launch's numbers, so there
// is nothing to be kept with it, and conditions on arguments are known.
std::vector<bool> overwritten(const ir::Module& module, std::span<const LaunchArgument> arguments, int grid);

}  // namespace asc::passes
