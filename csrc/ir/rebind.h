// SPDX-License-Identifier: Apache-2.0
// Binds a module that was read back to the texts that its functions have now: the same lines, perhaps in
// another file, further down or at another indentation.
#pragma once

#include <span>
#include <vector>

#include "ir/ir.h"

namespace asc::ir {

// `sources` has one text for each of the module's, equal but for indentation; `diagnostics` are the module's.
// False, and nothing is changed, if they do not fit.
bool rebind_sources(Module& module, std::vector<Diagnostic>& diagnostics,
                    std::span<const SourceText* const> sources);

}  // namespace asc::ir
