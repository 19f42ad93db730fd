// SPDX-License-Identifier: Apache-2.0
// Threads that share the items of a job. They start at first need, park between jobs, and do not survive into
// a forked child, where new ones start at need.
#pragma once

#include <cstdint>

namespace asc {

// Calls run(context, worker, item) for each item in [0, items), items in ascending order of their start, on
// at most `threads` threads, the caller being worker 0. Returns when all are done. Worker numbers are below
// `threads` and distinct at any time. Several jobs may be posted at once from several threads. While the
// caller only waits for the others, it calls waiting(context) about every 50 ms. Neither may throw.
void parallel_for(int items, int threads, void (*run)(void* context, int worker, int item), void* context,
                  void (*waiting)(void* context) = nullptr);

// Threads the machine has for this process, at least 1.
int hardware_threads();

// Joins the pool's threads, when no job runs. They start again at need.
void shutdown_thread_pool();

}  // namespace asc
