// SPDX-License-Identifier: Apache-2.0
// Where the areas of a workspace lie: behind each other, in helpers once for each call, per block and shared.
#include "base/error.h"
#include "ir/workspace.h"
#include "passes_text.h"

namespace {

using namespace asc;
using passes_test::line_of;
using passes_test::parse;

constexpr const char* kKernel = R"(
func @leaf(%n: int32) -> int32 {
  var %a: GlobalAddress<uint8> = workspace(100, per_block)
  var %b: GlobalAddress<uint8> = workspace(5, shared)
  return %n
}
func @both(%n: int32) -> (int32, int32) {
  var %workspace: GlobalAddress<uint8> = workspace(600, per_block)
  return @leaf(%n), @leaf(2)
}
kernel @k(%x: GlobalAddress<uint8>, %n: int32) {
  var %p: GlobalAddress<uint8> = workspace(1, per_block)
  var %s: GlobalAddress<uint8> = workspace(512, shared)
  var %i: int32
  var %j: int32
  call (%i, %j) = @both(%n)
  %i = @leaf(%j)
}
)";

std::unique_ptr<ir::Module> placed() {
  auto module = parse(kKernel);
  passes::place_workspace(*module);
  passes_test::expect_valid(*module);
  return module;
}

TEST(Workspace, HelpersGetTheAddressOfTheFirstOfTheirAreas) {
  const auto module = placed();
  EXPECT_EQ(
      line_of(*module, "func @leaf"),
      "func @leaf(%n: int32, %shared_workspace: GlobalAddress<uint8>, %workspace: GlobalAddress<uint8>) -> "
      "(int32) {");
  EXPECT_EQ(line_of(*module, "var %a"),
            "var %a: GlobalAddress<uint8> = workspace(100, per_block, %workspace area 0 at 0 stride 0)");
  EXPECT_EQ(line_of(*module, "return @leaf"),
            "return @leaf(%n, workspace(512, shared, %shared_workspace area 0 at 0 stride 0), "
            "workspace(512, per_block, %workspace_gm area 1 at 1024 stride 0)), "
            "@leaf(2, workspace(512, shared, %shared_workspace area 1 at 512 stride 0), "
            "workspace(512, per_block, %workspace_gm area 2 at 1536 stride 0))");
}

TEST(Workspace, TheKernelAddsTheBlock) {
  const auto module = placed();
  EXPECT_EQ(line_of(*module, "kernel"),
            "kernel @k(%x: GlobalAddress<uint8>, %n: int32, %workspace: GlobalAddress<uint8>) {");
  EXPECT_EQ(line_of(*module, "var %p"),
            "var %p: GlobalAddress<uint8> = workspace(1, per_block, %workspace area 4 at 2048 stride 3072)");
  EXPECT_EQ(line_of(*module, "var %s"),
            "var %s: GlobalAddress<uint8> = workspace(512, shared, %workspace area 0 at 0 stride 0)");
  EXPECT_EQ(line_of(*module, "call"),
            "call (%i, %j) = @both(%n, workspace(1024, shared, %workspace area 1 at 512 stride 0), "
            "workspace(2048, per_block, %workspace area 5 at 2560 stride 3072))");
  ASSERT_EQ(module->args.size(), 3u);
  EXPECT_TRUE(module->args[2].is_workspace);
}

TEST(Workspace, AreasAreListedInOrder) {
  const auto module = placed();
  std::vector<int64_t> shared, block;
  for (const ir::WorkspaceArea& area : module->workspace) {
    EXPECT_TRUE(!area.per_block || block.size() + shared.size() >= 4) << "shared ones come first";
    (area.per_block ? block : shared).push_back(area.bytes);
  }
  EXPECT_EQ(shared, (std::vector<int64_t>{512, 5, 5, 5}));
  EXPECT_EQ(block, (std::vector<int64_t>{1, 600, 100, 100, 100}));
  const ir::WorkspaceLayout layout = ir::lay_out(module->workspace);
  EXPECT_EQ(layout.shared, 2048);
  EXPECT_EQ(layout.block, 3072);
  EXPECT_EQ(layout.total(3), 2048 + 3 * 3072);
  EXPECT_EQ(layout.offsets, (std::vector<int64_t>{0, 512, 1024, 1536, 0, 512, 1536, 2048, 2560}));
}

TEST(Workspace, TextReadsBack) {
  for (const auto& module : {parse(kKernel), placed()}) {
    const std::string text = ir::print_module(*module);
    EXPECT_EQ(ir::print_module(*ir::parse_module(text)), text);
  }
}

TEST(Workspace, OtherArgumentsAreNotItsBytes) {
  const auto module = parse(R"(
kernel @k(%x: GlobalAddress<int32>) {
  var %g: GlobalTensor<int32> = asc_GlobalTensor_Init<T=i32>()
  asc_GlobalTensor_SetGlobalBuffer(%g, explicit_cast<GlobalAddress<int32>>(workspace(64, per_block)))
  asc_GlobalTensor_SetValue(%g, 0, 1)
}
)");
  passes::place_workspace(*module);
  passes::access(*module);
  EXPECT_FALSE(module->args[0].may_read || module->args[0].may_write || module->args[0].escapes);
  EXPECT_TRUE(module->args[1].may_write);
}

std::string refused(const std::string& expression) {
  const auto module = ir::parse_module("workspace 64 per_block\nkernel @k(%w: GlobalAddress<uint8>) {\n  " +
                                       std::string("var %a: GlobalAddress<uint8> = ") + expression + "\n}\n");
  std::string all;
  for (const ir::VerifyError& e : ir::verify(*module)) all += (all.empty() ? "" : "; ") + e.message;
  return all;
}

TEST(Workspace, Verified) {
  EXPECT_EQ(refused("workspace(64, per_block, %w area 0 at 0 stride 512)"), "");
  EXPECT_EQ(refused("workspace(64, per_block)"), "the workspace has no place, and others have");
  EXPECT_EQ(refused("workspace(0, per_block, %w area 0 at 0 stride 0)"), "a workspace of 0 bytes");
  EXPECT_EQ(refused("workspace(64, per_block, %w area 1 at 0 stride 0)"),
            "area 1 at 0 stride 0: no such place");
  EXPECT_EQ(refused("workspace(64, per_block, %w area 0 at 8 stride 0)"),
            "area 0 at 8 stride 0: no such place");
  EXPECT_EQ(refused("workspace(64, per_block, asc_Pointer_Offset(%w, 1) area 0 at 0 stride 0)"),
            "the base of a workspace is no parameter of its type");
}

}  // namespace
