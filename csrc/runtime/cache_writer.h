// SPDX-License-Identifier: Apache-2.0
// Stores compiled kernels behind the back of the launches: one thread a process takes jobs in order, writes
// the object, adds it to its manifest, then tells the index. A launch pays for putting a job in the queue.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "runtime/cache_file.h"
#include "runtime/cache_index.h"

namespace asc::runtime::cache {

struct StoreJob {
  std::string folder;
  uint64_t most = 0;                    // bytes that the folder may hold
  IndexRow row;                         // key, manifest, kernel and fields; the size is filled in
  std::function<std::string()> object;  // makes the object's payload, on the writer's thread
  // The manifest's payload with this object in it, from the one there now (empty: none).
  std::function<std::string(std::string_view)> manifest;
};

// Puts a job in the queue; true if this process has not been told yet to call `drain` when it ends.
bool enqueue(StoreJob job);
// Counts towards the statistics of the folder, written with the next job or by `drain`; true as above.
bool count_in(const std::string& folder, const Counters& counted);
// Waits until the jobs of a level-1 key are written. False if that takes longer.
bool wait_for(const Key& manifest, int milliseconds);
// Waits until everything is written. False if that takes longer.
bool drain(int milliseconds);

struct WriterStatus {
  uint64_t stored = 0, failed = 0, evicted = 0;
  std::string last_error;
};
WriterStatus writer_status();

}  // namespace asc::runtime::cache
