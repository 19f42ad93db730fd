// SPDX-License-Identifier: Apache-2.0
// The folder of the kernel cache: objects/xx/<key>, one sealed file each. Paths follow from keys, so reading
// needs nothing but the file. A file is written under another name in the same folder, flushed and renamed:
// readers see all of it or nothing. Nothing here throws; what cannot be done is not done.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/cache_file.h"

namespace asc::runtime::cache {

// $PYASC_CACHE_DIR, else $PYASC_HOME/.pyasc/cache, else the same below the home folder; empty if there is
// none.
std::string default_folder();
// $PYASC_CACHE_MAX_BYTES (1 GiB if it is not set or no number); 0: nothing is stored.
uint64_t max_bytes();

// Steps of writing one file, in order; tests stop or break a writer at each.
enum class WriteStep : uint8_t { Open, Write, Sync, Rename, Index, Done };

// PYASC_TEST_CACHE_FAULT=kill:STEP ends the process at that step of its first write, fail:STEP makes the step
// fail (names in lower case). True if the step is to fail.
bool injected_fault(WriteStep step);

// A file, or a folder with all that it holds (no link is followed). False if it stays.
bool remove_anything(const std::string& path);

struct StoredFile {
  Key key;
  FileKind kind = FileKind::Object;
  uint64_t bytes = 0;
  int64_t used = 0;  // seconds since 1970: last stored or read
};

class Store {
 public:
  explicit Store(std::string folder) : folder_(std::move(folder)) {}
  const std::string& folder() const { return folder_; }
  std::string path(const Key& key) const;

  // The payload; nothing if there is no such file. One that does not open is removed and counts as `damaged`.
  std::optional<std::string> read(FileKind kind, const Key& key, bool* damaged = nullptr) const;
  // False with the reason.
  bool write(FileKind kind, const Key& key, std::string_view payload, std::string* error) const;
  // The file was of use: it is evicted last. At most one update an hour.
  void touch(const Key& key) const;
  // Whatever is there; false if it stays.
  bool remove(const Key& key) const;

  uint64_t bytes() const;  // of all files

  // Everything with the name of a key; kinds as their headers claim. `fn(file, content)`; content is empty
  // unless asked for, and of what is no file.
  void each(bool with_content, const std::function<void(const StoredFile&, std::string_view)>& fn) const;
  // Removes what killed writers left an hour ago or earlier (0: all of it); returns how many files.
  int sweep(int64_t older_than_seconds) const;
  // Removes files, least recently used first, until at most `most` bytes are left. Returns what went.
  std::vector<StoredFile> evict(uint64_t most) const;
  // Removes every file of the cache; returns how many.
  int clear() const;

 private:
  std::string folder_;
};

}  // namespace asc::runtime::cache
