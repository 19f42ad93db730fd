// SPDX-License-Identifier: Apache-2.0
// The log of global memory, against a plain map of bytes.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <vector>

#include "sim/gm_log.h"

namespace asc::sim {
namespace {

using Lists = std::vector<std::vector<GmTouch>>;

TEST(SimGmLog, WhoMeets) {
  EXPECT_FALSE(cores_met({}));
  EXPECT_FALSE(cores_met(Lists{{{0, 8, 0, true}, {8, 16, 1, true}}}));    // neighbours
  EXPECT_TRUE(cores_met(Lists{{{0, 9, 0, true}, {8, 16, 1, true}}}));     // written twice
  EXPECT_TRUE(cores_met(Lists{{{0, 9, 0, false}, {8, 16, 1, true}}}));    // read and written
  EXPECT_TRUE(cores_met(Lists{{{8, 16, 1, false}}, {{0, 9, 0, true}}}));  // of two workers
  EXPECT_FALSE(cores_met(Lists{{{0, 9, 0, false}, {8, 16, 1, false}}}));  // read twice
  EXPECT_FALSE(cores_met(Lists{{{0, 9, 3, true}, {4, 16, 3, false}}}));   // its own
  EXPECT_TRUE(cores_met(Lists{{{0, 100, 0, true}, {200, 300, 1, true}, {50, 60, 2, false}}}));  // within
  EXPECT_TRUE(cores_met(Lists{{{0, 50, 1, true}, {0, 90, 0, true}, {40, 45, 0, true}}}));
}

TEST(SimGmLog, AsAMapOfBytesSays) {
  std::mt19937 random(7);
  const auto below = [&random](int n) { return static_cast<int>(random() % static_cast<unsigned>(n)); };
  int meetings = 0;
  for (int round = 0; round < 4000; round++) {
    constexpr int kBytes = 200, kItems = 3;
    std::vector<int> readers(kBytes, 0), writers(kBytes, 0);  // a bit an item
    std::vector<Lists> touches(2);                            // of two workers
    GmLog log;
    const int steps = 1 + below(12);
    for (int item = 0; item < kItems; item++) {
      log.begin(2, 1000);
      for (int step = 0; step < steps; step++) {
        const int begin = below(kBytes), end = std::min(kBytes, begin + below(6));
        const bool write = below(3) == 0;
        log.note(1, begin, end, write);
        for (int i = begin; i < end; i++) (write ? writers : readers)[static_cast<size_t>(i)] |= 1 << item;
      }
      log.take(static_cast<uint32_t>(item), &touches[static_cast<size_t>(item % 2)]);
    }
    bool expected = false;
    for (size_t i = 0; i < kBytes; i++) {
      const int all = readers[i] | writers[i];
      expected = expected || (writers[i] != 0 && (all & (all - 1)) != 0);
    }
    EXPECT_FALSE(cores_met({touches[0][0], touches[1][0]}));
    EXPECT_EQ(cores_met({touches[0][1], touches[1][1]}), expected);
    meetings += expected;
  }
  EXPECT_GT(meetings, 500);
  EXPECT_LT(meetings, 3500);
}

TEST(SimGmLog, KeepsItsLimitAndLosesNothing) {
  GmLog log;
  log.begin(1, 16);
  std::mt19937 random(3);
  std::vector<bool> touched(100'000);
  for (int i = 0; i < 20'000; i++) {
    const int64_t at = static_cast<int64_t>(random() % 99'000);
    log.note(0, at, at + 4, true);
    for (int64_t b = at; b < at + 4; b++) touched[static_cast<size_t>(b)] = true;
  }
  Lists groups;
  log.take(5, &groups);
  std::vector<GmTouch>& touches = groups.at(0);
  EXPECT_LE(touches.size(), 16u);
  for (size_t i = 0; i < touched.size(); i++) {
    if (!touched[i]) continue;
    const auto at = static_cast<int64_t>(i);
    EXPECT_TRUE(std::any_of(touches.begin(), touches.end(), [at](const GmTouch& t) {
      return t.item == 5 && t.write && t.begin <= at && at < t.end;
    }));
  }
  touches.clear();
  log.take(6, &groups);
  EXPECT_TRUE(touches.empty());
}

}  // namespace
}  // namespace asc::sim
