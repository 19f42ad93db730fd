// SPDX-License-Identifier: Apache-2.0
// Which global memory each core of a launch touched, as ranges that grow with each access; and whether cores
// met. Cores that run at once must not: what they compute would depend on the threads.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace asc::sim {

struct GmTouch {
  int64_t begin, end;
  uint32_t item;  // of the launch: one core's run
  bool write;
};

class GmLog {
 public:
  // Before a core runs. Beyond `limit` ranges of one kind ranges close together become one: the log then says
  // more than was touched, never less.
  void begin(size_t groups, size_t limit) {
    streams_.resize(2 * groups);
    limit_ = limit;
  }
  void note(uint32_t group, int64_t begin, int64_t end, bool write) {
    Stream& stream = streams_[2 * group + (write ? 1 : 0)];
    if (begin <= stream.open.end && begin >= stream.open.begin) [[likely]] {
      if (end > stream.open.end) stream.open.end = end;
      return;
    }
    start_range(stream, {begin, end});
  }
  // After it: appends what it touched to the list of each group, and forgets it.
  void take(uint32_t item, std::vector<std::vector<GmTouch>>* groups);

 private:
  struct Range {
    int64_t begin, end;
  };
  struct Stream {
    Range open{0, -1};  // grows; none yet
    std::vector<Range> closed;
  };
  void start_range(Stream& stream, Range range);
  static void join(std::vector<Range>& ranges);
  static void coarsen(std::vector<Range>& ranges, size_t limit);

  std::vector<Stream> streams_;  // by group: reads, writes
  size_t limit_ = 0;
};

// Did one core write bytes of a group that another one read or wrote? Takes the lists of all workers.
bool cores_met(std::vector<std::vector<GmTouch>> lists);

}  // namespace asc::sim
