// SPDX-License-Identifier: Apache-2.0
// Findings: places to sites, silencing, merging.
#include "sim/findings.h"

#include <algorithm>

namespace asc::sim {

std::vector<Site> sites_of(const Program& program, const Origin& at) {
  std::vector<Site> out;
  if (!at.valid()) return out;
  auto push = [&](uint32_t pc) {
    if (pc >= program.locs_of.size()) return;
    const Loc& loc = program.locs[program.locs_of[pc]];
    if (loc.valid()) out.push_back(program.sources.resolve(loc));
  };
  push(at.pc);
  for (int i = 0; i < at.depth; i++) push(at.callers[i]);
  return out;
}

namespace {

constexpr std::string_view kMark = "# asc: allow(";

}  // namespace

bool has_allow_comment(std::string_view text) { return text.find(kMark) != text.npos; }

bool allows_kind(std::string_view line, std::string_view kind) {
  for (size_t at = line.find(kMark); at != line.npos; at = line.find(kMark, at + 1)) {
    std::string_view list = line.substr(at + kMark.size());
    const size_t end = list.find(')');
    if (end == list.npos) return false;
    list = list.substr(0, end);
    while (!list.empty()) {
      const size_t comma = std::min(list.find(','), list.size());
      std::string_view word = list.substr(0, comma);
      while (!word.empty() && word.front() == ' ') word.remove_prefix(1);
      while (!word.empty() && word.back() == ' ') word.remove_suffix(1);
      if (word == kind) return true;
      list.remove_prefix(std::min(comma + 1, list.size()));
    }
  }
  return false;
}

void FindingLog::begin(const Program& program, const Options& options, std::string_view core) {
  program_ = &program;
  options_ = &options;
  core_ = core;
  entries_.clear();
  keys_.clear();
}

bool FindingLog::is_silenced(const Finding& finding) const {
  for (const std::string& word : options_->ignore)
    if (word == finding.kind || word == finding.id) return true;
  for (const auto* sites : {&finding.sites, &finding.other})
    if (!sites->empty() && allows_kind(sites->front().text, finding.kind)) return true;
  return false;
}

Finding* FindingLog::add(FindingId id, const Origin& at, const Origin* other, uint64_t variant) {
  const uint32_t other_pc = other ? other->pc : UINT32_MAX;
  for (const Key& key : keys_) {
    if (key.id != id || key.pc != at.pc || key.other != other_pc || key.variant != variant) continue;
    if (key.entry < entries_.size()) entries_[key.entry].finding.count++;
    return nullptr;
  }
  // Beyond what one launch shows there is nothing to keep; a silenced one is kept for its count.
  constexpr size_t kMaxKeys = 256;
  if (keys_.size() >= kMaxKeys) return nullptr;
  const auto shown =
      std::count_if(entries_.begin(), entries_.end(), [](const Entry& e) { return !e.silenced; });
  const FindingInfo& info = finding_info(id);
  Entry entry;
  entry.pc = at.pc;
  entry.variant = variant;
  entry.finding.id = std::string(info.id);
  entry.finding.kind = std::string(info.kind);
  entry.finding.severity = info.severity;
  entry.finding.core = core_;
  entry.finding.sites = sites_of(*program_, at);
  if (other) entry.finding.other = sites_of(*program_, *other);
  entry.silenced = is_silenced(entry.finding);
  if (!entry.silenced && shown >= options_->max_findings) {
    keys_.push_back({id, at.pc, other_pc, variant, SIZE_MAX});
    return nullptr;
  }
  keys_.push_back({id, at.pc, other_pc, variant, entries_.size()});
  entries_.push_back(std::move(entry));
  return &entries_.back().finding;
}

void FindingLog::add(const Verdict& verdict, const Origin& at, std::string_view op, std::string_view pipe,
                     uint64_t variant) {
  if (!verdict) return;
  Finding* f = add(verdict->finding, at, nullptr, variant);
  if (!f) return;
  f->message = verdict->message;
  f->fix = verdict->fix;
  f->op = std::string(op);
  f->pipe = std::string(pipe);
}

namespace {

bool same_line(const std::vector<Site>& a, const std::vector<Site>& b) {
  if (a.empty() || b.empty()) return a.empty() == b.empty();
  return a.front().line == b.front().line && a.front().file == b.front().file;
}

}  // namespace

std::vector<Finding> merge_findings(std::span<std::vector<FindingLog::Entry>> cores, int max_findings,
                                    uint64_t* silenced) {
  std::vector<Finding> out;
  std::vector<std::pair<uint32_t, uint64_t>> origins;  // place and variant of each in `out`
  *silenced = 0;
  for (auto& entries : cores) {
    for (FindingLog::Entry& entry : entries) {
      Finding& f = entry.finding;
      if (entry.silenced) {
        *silenced += f.count;
        continue;
      }
      const auto known = std::find_if(out.begin(), out.end(), [&](const Finding& g) {
        const auto& [pc, variant] = origins[static_cast<size_t>(&g - out.data())];
        if (g.id != f.id || variant != entry.variant) return false;
        // Where no line is known, the instruction stands for it.
        if (f.sites.empty()) return g.sites.empty() && pc == entry.pc;
        return same_line(g.sites, f.sites) && same_line(g.other, f.other);
      });
      if (known != out.end()) {
        known->count += f.count;
      } else if (static_cast<int>(out.size()) < max_findings) {
        out.push_back(std::move(f));
        origins.emplace_back(entry.pc, entry.variant);
      }
    }
  }
  return out;
}

}  // namespace asc::sim
