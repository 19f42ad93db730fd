// SPDX-License-Identifier: Apache-2.0
// The pipeline as a whole, on a kernel with a helper, shares of a block and two buffers.
#include "passes_text.h"

namespace {

using namespace asc;
using passes_test::line_of;
using passes_test::parse;

const std::string kScalePositive = R"(
const $BUFFER_NUM: int32 = 2

func @my_share(%total: int32) -> (int64 first, int64 count) {
  const $TILE: int32 = 2048
  var %first: int64 = asc_GetBlockIdx() * cast<int64>($TILE)
  var %count: int64 = cast<int64>(%total) - %first
  if %count > cast<int64>($TILE) {
    %count = cast<int64>($TILE)
  }
  return %first, %count
}

kernel @scale_positive(%x: GlobalAddress<float32>, %y: GlobalAddress<float32>, %total: int32, %factor: float32) {
  const $TILE.1: int32 = 2048
  var %first: int64
  var %count: int64
  call (%first, %count) = @my_share(%total)
  if %count <= 0 {
    return
  }
  var %x_gm: GlobalTensor<float32> = asc_GlobalTensor_Init<T=float>()
  var %y_gm: GlobalTensor<float32> = asc_GlobalTensor_Init<T=float>()
  asc_GlobalTensor_SetGlobalBuffer<T=float>(%x_gm, asc_Pointer_Offset<T=float>(%x, %first), cast<uint64>(%count))
  asc_GlobalTensor_SetGlobalBuffer<T=float>(%y_gm, asc_Pointer_Offset<T=float>(%y, %first), cast<uint64>(%count))
  const $piece: int32 = spelt(1024, $TILE.1 // $BUFFER_NUM)
  var %x_local: LocalTensor<float32> = asc_LocalTensor_Init<T=float>(_, TPosition.VECIN, 0, cast<uint32>($TILE.1))
  var %y_local: LocalTensor<float32> = asc_LocalTensor_Init<T=float>(_, TPosition.VECOUT, 8192, cast<uint32>($TILE.1))
  for var %i: int64 in range(0, %count // cast<int64>($piece)) {
    var %buf: int64 = %i % cast<int64>($BUFFER_NUM)
    asc_DataCopy<T=float>(asc_LocalTensor_Subindex<T=float>(%x_local, cast<uint32>(%buf * cast<int64>($piece))), asc_GlobalTensor_Subindex<T=float>(%x_gm, cast<uint64>(%i * cast<int64>($piece))), cast<uint32>($piece))
    asc_SetFlag(HardEvent.MTE2_V, cast<int32>(%buf))
    asc_WaitFlag(HardEvent.MTE2_V, cast<int32>(%buf))
    asc_Muls<T=float>(asc_LocalTensor_Subindex<T=float>(%y_local, cast<uint32>(%buf * cast<int64>($piece))), asc_LocalTensor_Subindex<T=float>(%x_local, cast<uint32>(%buf * cast<int64>($piece))), %factor, cast<int32>($piece), _)
    asc_DataCopy.1<T=float>(asc_GlobalTensor_Subindex<T=float>(%y_gm, cast<uint64>(%i * cast<int64>($piece))), asc_LocalTensor_Subindex<T=float>(%y_local, cast<uint32>(%buf * cast<int64>($piece))), cast<uint32>($piece))
  }
}
)";

TEST(Pipeline, ProvesWhatThePrinterNeeds) {
  const auto module = parse(kScalePositive);
  EXPECT_TRUE(passes::run(*module, *find_platform("Ascend910B1")).diagnostics.empty());
  EXPECT_EQ(
      line_of(*module, "for var %i"),
      "for var %i: int64 in range(0, (%count!nonneg // cast<int64>($piece)!fits!nonneg)!fits!nonneg!plaindiv) {");
  EXPECT_EQ(line_of(*module, "var %buf"),
            "var %buf: int64 = (%i!nonneg % cast<int64>($BUFFER_NUM)!fits!nonneg)!fits!nonneg!plaindiv");
  EXPECT_EQ(line_of(*module, "asc_SetFlag"),
            "asc_SetFlag(HardEvent.MTE2_V, cast<int32>(%buf!nonneg)!fits!nonneg)");
  EXPECT_EQ(
      line_of(*module, "asc_GlobalTensor_SetGlobalBuffer<T=float>(%x_gm"),
      "asc_GlobalTensor_SetGlobalBuffer<T=float>(%x_gm, asc_Pointer_Offset<T=float>(%x, %first!nonneg), "
      "cast<uint64>(%count!nonneg)!fits!nonneg)");
  EXPECT_EQ(module->kernel_type, ir::KernelType::AIV_ONLY);
  EXPECT_FALSE(passes::needs_lockstep(*module));
  EXPECT_TRUE(module->args[0].may_read && !module->args[0].may_write);
  EXPECT_TRUE(!module->args[1].may_read && module->args[1].may_write);
}

TEST(Pipeline, ASecondRunChangesNothing) {
  const auto module = parse(kScalePositive);
  passes::run(*module, *find_platform("Ascend910B1"));
  const std::string once = ir::print_module(*module);
  passes::run(*module, *find_platform("Ascend910B1"));
  EXPECT_EQ(ir::print_module(*module), once);
}

TEST(Pipeline, AnEmptyModuleIsFine) {
  ir::Module module;
  EXPECT_TRUE(passes::run(module, *find_platform("Ascend910B1")).diagnostics.empty());
}

TEST(Pipeline, WhatIsNotWellFormedIsOurFault) {
  const auto module = ir::parse_module("kernel @k(%n: int32) {\n  %n = 1:int64\n}\n");
  try {
    passes::run(*module, *find_platform("Ascend910B1"));
    FAIL() << "an int64 was assigned to an int32";
  } catch (const Bug& bug) {
    const std::string text = bug.what();
    EXPECT_NE(text.find("not well-formed after lowering"), std::string::npos) << text;
    EXPECT_NE(text.find("kernel @k(%n: int32)"), std::string::npos) << "the module's text is shown: " << text;
  }
}

}  // namespace
