// SPDX-License-Identifier: Apache-2.0
// index.sqlite3: what the objects cannot say without being opened all: sizes at once, what each was compiled
// for, and counts over all processes. Nothing is read through it: a lost, locked or broken index costs a
// rebuild, and is made anew by the next writer. Opened for each use and closed again, so that no connection
// crosses a fork.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "runtime/cache_file.h"
#include "runtime/cache_store.h"

namespace asc::runtime::cache {

// What a kernel was compiled for, as "argument types" -> a hash of them: two that differ tell why the second
// missed.
using Fields = std::vector<std::pair<std::string, std::string>>;

struct IndexRow {
  Key key;             // of the object
  Key manifest;        // level 1
  std::string kernel;  // qualified name
  uint64_t bytes = 0;
  Fields fields;
};

struct Counters {
  uint64_t hits = 0, misses = 0, stored = 0, evicted = 0, damaged = 0;
};

class Index {
 public:
  explicit Index(std::string folder) : folder_(std::move(folder)) {}

  // Adds rows, drops others, adds to the counters, in one transaction. The bytes of all rows then; nothing if
  // the index cannot be had.
  std::optional<uint64_t> update(const std::vector<IndexRow>& stored, const std::vector<StoredFile>& gone,
                                 const Counters& counted);
  std::optional<Counters> counters() const;
  // Fields of the row of this kernel, not of `manifest`, that shares most with `fields`.
  std::optional<Fields> nearest(const std::string& kernel, const Key& manifest, const Fields& fields) const;
  std::optional<uint64_t> rows() const;
  // Deletes the file; the next update makes it anew from what is stored.
  void drop() const;

 private:
  std::string path() const { return folder_ + "/index.sqlite3"; }
  std::string folder_;
};

// For fork handlers: no thread is inside SQLite while this is held.
void lock_index();
void unlock_index();

}  // namespace asc::runtime::cache
