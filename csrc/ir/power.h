// SPDX-License-Identifier: Apache-2.0
// Powers of floats, as the simulator computes them and the printed program spells them.
#pragma once

namespace asc::ir {

// A float to a whole power of at most this size is a product, from the left, or one over it.
constexpr int kLargestProduct = 4;

}  // namespace asc::ir
