// SPDX-License-Identifier: Apache-2.0
#include "base/stack.h"

#include <pthread.h>

#include <algorithm>
#include <cstddef>

namespace asc::stack_detail {

uintptr_t find_lowest() {
  constexpr size_t kReserve = 96 * 1024;
  pthread_attr_t attributes;
  if (pthread_getattr_np(pthread_self(), &attributes) != 0) return 1;  // not known: no limit
  void* end = nullptr;
  size_t size = 0;
  const bool known = pthread_attr_getstack(&attributes, &end, &size) == 0;
  pthread_attr_destroy(&attributes);
  return known ? reinterpret_cast<uintptr_t>(end) + std::min(kReserve, size / 2) : 1;
}

}  // namespace asc::stack_detail
