// SPDX-License-Identifier: Apache-2.0
// Names of the printed program: the user's own wherever C++ allows it, else with a suffix from one reserved
// table.
#pragma once

#include <cstddef>
#include <memory>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

namespace asc::emit {

// Owns the few names that differ from the user's.
class TextPool {
 public:
  std::string_view keep(std::string_view text);

 private:
  std::vector<std::unique_ptr<char[]>> blocks_;
  char* at_ = nullptr;
  size_t room_ = 0;
};

// C++ keywords, types the text spells, macros of the device headers and the C headers below them.
bool is_reserved(std::string_view name);
// C library functions of the global namespace: a printed function of that name would clash or be ambiguous.
bool is_global_function(std::string_view name);

// `name`, or `name_` where C++ does not allow it.
std::string_view legal_name(TextPool& pool, std::string_view name, bool is_function = false);
std::string_view with_suffix(TextPool& pool, std::string_view name, std::string_view suffix);

// Names taken in a scope and its parents: `mark` opens a scope, `release` closes it.
class NameSet {
 public:
  bool has(std::string_view name) const { return taken_.count(name) != 0; }
  // Takes `name`, or `name_2`, `name_3`, ... if it is taken here or in `also`. `name` outlives the set.
  std::string_view add(TextPool& pool, std::string_view name, const NameSet* also = nullptr);
  size_t mark() const { return names_.size(); }
  void release(size_t mark);
  void clear() { *this = {}; }

 private:
  struct Name {
    std::string_view name, wanted;
    int version;  // 0: as wanted
  };
  std::vector<Name> names_;
  std::unordered_set<std::string_view> taken_;
  // By wanted name: versions below are taken. A loop that is unrolled declares one name thousands of times.
  std::unordered_map<std::string_view, int> next_version_;
};

}  // namespace asc::emit
