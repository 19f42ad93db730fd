// SPDX-License-Identifier: Apache-2.0
#include "sim/gm_log.h"

#include <algorithm>

namespace asc::sim {

// Sorted, and one for all that touch or overlap.
void GmLog::join(std::vector<Range>& ranges) {
  const auto before = [](const Range& x, const Range& y) { return x.begin < y.begin; };
  if (!std::is_sorted(ranges.begin(), ranges.end(), before)) std::sort(ranges.begin(), ranges.end(), before);
  size_t kept = 0;
  for (const Range& range : ranges) {
    if (kept && range.begin <= ranges[kept - 1].end)
      ranges[kept - 1].end = std::max(ranges[kept - 1].end, range.end);
    else
      ranges[kept++] = range;
  }
  ranges.resize(kept);
}

// Joins across the narrowest gaps, until no more than `limit` ranges are left.
void GmLog::coarsen(std::vector<Range>& ranges, size_t limit) {
  if (ranges.size() <= limit) return;
  std::vector<int64_t> gaps;
  for (size_t i = 1; i < ranges.size(); i++) gaps.push_back(ranges[i].begin - ranges[i - 1].end);
  const auto narrow = gaps.begin() + static_cast<std::ptrdiff_t>(ranges.size() - limit - 1);
  std::nth_element(gaps.begin(), narrow, gaps.end());
  const int64_t widest = *narrow;
  size_t kept = 1;
  for (size_t i = 1; i < ranges.size(); i++) {
    if (ranges[i].begin - ranges[kept - 1].end <= widest)
      ranges[kept - 1].end = ranges[i].end;
    else
      ranges[kept++] = ranges[i];
  }
  ranges.resize(kept);
}

void GmLog::start_range(Stream& stream, Range range) {
  if (stream.open.end >= stream.open.begin) stream.closed.push_back(stream.open);
  stream.open = range;
  if (stream.closed.size() < 2 * limit_) return;
  join(stream.closed);
  coarsen(stream.closed, limit_);
}

void GmLog::take(uint32_t item, std::vector<std::vector<GmTouch>>* groups) {
  groups->resize(streams_.size() / 2);
  for (size_t i = 0; i < streams_.size(); i++) {
    Stream& stream = streams_[i];
    if (stream.open.end < stream.open.begin) continue;
    stream.closed.push_back(stream.open);
    join(stream.closed);
    coarsen(stream.closed, limit_);
    for (const Range& range : stream.closed)
      (*groups)[i / 2].push_back({range.begin, range.end, item, i % 2 == 1});
    stream.closed.clear();
    stream.open = {0, -1};
  }
}

namespace {

// The furthest ends so far, of two different items: one of them is another's, whoever asks.
struct Furthest {
  int64_t end[2] = {INT64_MIN, INT64_MIN};
  uint32_t item[2] = {UINT32_MAX, UINT32_MAX};

  void add(const GmTouch& touch) {
    if (touch.item == item[0] || touch.end > end[0]) {
      if (touch.item != item[0]) {
        end[1] = end[0];
        item[1] = item[0];
        end[0] = INT64_MIN;
        item[0] = touch.item;
      }
      end[0] = std::max(end[0], touch.end);
    } else if (touch.end > end[1]) {
      end[1] = touch.end;
      item[1] = touch.item;
    }
  }
  bool reaches(const GmTouch& touch) const { return touch.begin < end[touch.item == item[0] ? 1 : 0]; }
};

}  // namespace

bool cores_met(std::vector<std::vector<GmTouch>> lists) {
  const auto is_write = [](const GmTouch& touch) { return touch.write; };
  if (std::none_of(lists.begin(), lists.end(), [&](const std::vector<GmTouch>& list) {
        return std::any_of(list.begin(), list.end(), is_write);
      }))
    return false;
  // A worker's items go up, and so do mostly the ranges they touch.
  const auto before = [](const GmTouch& x, const GmTouch& y) { return x.begin < y.begin; };
  std::vector<GmTouch> all;
  for (std::vector<GmTouch>& list : lists) {
    if (!std::is_sorted(list.begin(), list.end(), before)) std::sort(list.begin(), list.end(), before);
    const auto middle = static_cast<std::ptrdiff_t>(all.size());
    all.insert(all.end(), list.begin(), list.end());
    std::inplace_merge(all.begin(), all.begin() + middle, all.end(), before);
  }
  Furthest reads, writes;
  for (const GmTouch& touch : all) {
    if (touch.end <= touch.begin) continue;
    if (writes.reaches(touch) || (touch.write && reads.reaches(touch))) return true;
    (touch.write ? writes : reads).add(touch);
  }
  return false;
}

}  // namespace asc::sim
