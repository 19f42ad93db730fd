// SPDX-License-Identifier: Apache-2.0
// Findings of one core while it runs, and their merge over a launch.
// A place of the program is an instruction and the calls that led to it; texts are made only when a place is
// new.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "ops/limits.h"
#include "sim/bytecode.h"

namespace asc::sim {

// An instruction with its callers, innermost first; as deep as fits.
struct Origin {
  static constexpr int kCallers = 6;
  uint32_t pc = UINT32_MAX;
  uint32_t callers[kCallers];
  uint8_t depth = 0;
  bool valid() const { return pc != UINT32_MAX; }
};

class FindingLog {
 public:
  void begin(const Program& program, const Options& options, std::string_view core);

  // A new finding at `at`, to be filled in; null if the place has it already (counted), or nobody wants to
  // know.
  Finding* add(FindingId id, const Origin& at, const Origin* other = nullptr, uint64_t variant = 0);
  // The same for a limit that a pure function of ops/limits.h found broken.
  void add(const Verdict& verdict, const Origin& at, std::string_view op, std::string_view pipe = {},
           uint64_t variant = 0);

  struct Entry {
    Finding finding;
    uint32_t pc = 0;
    uint64_t variant = 0;  // what differs at one place: the operand
    bool silenced = false;
  };
  std::vector<Entry> take() { return std::move(entries_); }
  bool empty() const { return entries_.empty(); }

 private:
  struct Key {
    FindingId id;
    uint32_t pc, other;
    uint64_t variant;
    size_t entry;
  };
  bool is_silenced(const Finding& finding) const;

  const Program* program_ = nullptr;
  const Options* options_ = nullptr;
  std::string core_;
  std::vector<Entry> entries_;
  std::vector<Key> keys_;
};

std::vector<Site> sites_of(const Program& program, const Origin& at);

// Cores in block order to what the launch reports: one finding for each pair of lines, at most
// `max_findings`. `silenced` counts what allow comments and `ignore` kept back.
std::vector<Finding> merge_findings(std::span<std::vector<FindingLog::Entry>> cores, int max_findings,
                                    uint64_t* silenced);

// Does a source line carry a comment that allows this kind: "# asc: allow(bounds, alignment): why".
bool allows_kind(std::string_view line, std::string_view kind);
// Is there such a comment, of whatever kind?
bool has_allow_comment(std::string_view text);

}  // namespace asc::sim
