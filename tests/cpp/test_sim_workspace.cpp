// SPDX-License-Identifier: Apache-2.0
// The workspace of a launch: each block's own areas and shared ones, their ends, and what they hold at first.
#include "base/error.h"
#include "sim_fixture.h"

namespace asc::sim {
namespace {

// Each block writes `value` at byte `at` of an area of its own, then reads byte `from` of it into y[block],
// and byte `from` of a shared area into z[block].
const char* const kKernel = R"(
workspace 8 shared
workspace 40 per_block
workspace 100 per_block
kernel @k(%y: GlobalAddress<uint8>, %z: GlobalAddress<uint8>, %at: int64, %from: int64, %w: GlobalAddress<uint8>) {
  arg y: GlobalAddress<uint8> = %y
  arg z: GlobalAddress<uint8> = %z
  arg at: int64 = %at
  arg from: int64 = %from
  arg w: GlobalAddress<uint8> = %w workspace
  var %first: GlobalTensor<uint8>
  asc_GlobalTensor_SetGlobalBuffer(%first, workspace(40, per_block, %w area 1 at 512 stride 1024), _)
  var %second: GlobalTensor<uint8>
  asc_GlobalTensor_SetGlobalBuffer(%second, workspace(100, per_block, %w area 2 at 1024 stride 1024), _)
  var %shared: GlobalTensor<uint8>
  asc_GlobalTensor_SetGlobalBuffer(%shared, workspace(8, shared, %w area 0 at 0 stride 0), _)
  var %yt: GlobalTensor<uint8>
  asc_GlobalTensor_SetGlobalBuffer(%yt, %y, _)
  var %zt: GlobalTensor<uint8>
  asc_GlobalTensor_SetGlobalBuffer(%zt, %z, _)
  var %block: int64 = asc_GetBlockIdx()
  asc_GlobalTensor_SetValue(%first, cast<uint64>(%at), cast<uint8>(%block + 1))
  asc_GlobalTensor_SetValue(%second, 0, 200)
  asc_GlobalTensor_SetValue(%yt, cast<uint64>(%block), asc_GlobalTensor_GetValue(%first, cast<uint64>(%from)))
  asc_GlobalTensor_SetValue(%zt, cast<uint64>(%block), asc_GlobalTensor_GetValue(%shared, cast<uint64>(%from)))
}
)";

struct Outcome {
  std::vector<uint8_t> y, z;
  LaunchResult result;
};

Outcome run(int blocks, int64_t at, int64_t from, const Options& options = {}) {
  Outcome r;
  r.y.assign(static_cast<size_t>(blocks), 0);
  r.z = r.y;
  const Argument arguments[] = {array("y", r.y, DType::U8), array("z", r.z, DType::U8),
                                scalar("at", at, DType::I64), scalar("from", from, DType::I64)};
  r.result = launch(*program_of(kKernel), blocks, arguments, options);
  return r;
}

TEST(SimWorkspace, BlocksHaveTheirOwn) {
  for (const int threads : {1, 4}) {
    Options options = threads == 1 ? Options{} : fast();
    options.threads = threads;
    const Outcome r = run(50, 7, 7, options);
    EXPECT_EQ(messages(r.result), "");
    for (size_t block = 0; block < r.y.size(); block++) EXPECT_EQ(r.y[block], block + 1);
  }
}

TEST(SimWorkspace, WhatNobodyWroteIsPoisonInEveryLaunch) {
  for (int turn = 0; turn < 2; turn++) {
    const Outcome r = run(3, 0, 4);
    EXPECT_EQ(r.y,
              (std::vector<uint8_t>{0xAD, 0xAD, 0xAD}));  // the first byte of the pattern, as memory has it
    EXPECT_EQ(r.z, r.y);
  }
}

TEST(SimWorkspace, TheLastByteIsInsideAndTheNextIsNot) {
  for (const Options& options : {Options{}, fast()}) {
    EXPECT_EQ(messages(run(2, 39, 0, options).result), "");
    for (const int64_t at : {int64_t{40}, int64_t{512}, int64_t{1024}, int64_t{1} << 45}) {
      const Outcome r = run(1, at, 0, options);
      ASSERT_FALSE(r.result.findings.empty());
      const Finding& f = r.result.findings.front();
      EXPECT_EQ(f.buffer, "workspace");
      EXPECT_EQ(f.range_begin, at);
      EXPECT_NE(f.message.find(" of 40"), std::string::npos) << f.message;
    }
  }
  const Outcome r = run(2, 0, 8);
  ASSERT_EQ(r.result.findings.size(), 1u);
  EXPECT_NE(r.result.findings[0].message.find("reads outside the workspace: bytes 8..8 of 8"),
            std::string::npos)
      << r.result.findings[0].message;
}

TEST(SimWorkspace, MoreThanTheMachineHasIsRefused) {
  const std::string text = R"(
workspace 1099511627776 per_block
kernel @k(%w: GlobalAddress<uint8>) {
  arg w: GlobalAddress<uint8> = %w workspace
  var %a: GlobalAddress<uint8> = workspace(1099511627776, per_block, %w area 0 at 0 stride 1099511627776)
}
)";
  EXPECT_THROW(launch(*program_of(text), 65535, {}, {}), LaunchError);
}

}  // namespace
}  // namespace asc::sim
