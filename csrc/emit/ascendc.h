// SPDX-License-Identifier: Apache-2.0
// Prints the Ascend C program of a module: what a careful person would have written.
#pragma once

#include <string>

#include "ir/ir.h"

namespace asc::emit {

struct Options {
  bool comments =
      false;  // trailing comments with the Python text of each line (for dumps; never part of cached text)
};

std::string print_ascendc(const ir::Module& module, const Options& options = {});

}  // namespace asc::emit
