// SPDX-License-Identifier: Apache-2.0
// How much of the calling thread's stack is left, for code that recurses as deep as its input is nested.
#pragma once

#include <cstdint>

namespace asc {

namespace stack_detail {
// The lowest address that recursion may reach on this thread: its stack's end and a reserve above it.
inline thread_local uintptr_t lowest = 0;
uintptr_t find_lowest();
}  // namespace stack_detail

// Has the thread used all of its stack but a reserve, and `more` bytes? What runs later on the same tree
// (passes, printer, assembler) takes less of it than the lowering does.
inline bool stack_is_low(uintptr_t more = 0) {
  if (stack_detail::lowest == 0) [[unlikely]]
    stack_detail::lowest = stack_detail::find_lowest();
  return reinterpret_cast<uintptr_t>(__builtin_frame_address(0)) < stack_detail::lowest + more;
}

}  // namespace asc
