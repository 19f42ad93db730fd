// SPDX-License-Identifier: Apache-2.0
// Address arithmetic becomes int64: chains, variables, parameters and results; what keeps its type.
#include "passes_text.h"

namespace {

using namespace asc;
using passes_test::line_of;
using passes_test::parse;

std::string kernel(const std::string& body, const std::string& before = "") {
  return before + R"(
kernel @k(%x: GlobalAddress<float32>, %rows: int32, %cols: int32, %far: int64) {
  var %g: GlobalTensor<float32> = asc_GlobalTensor_Init<T=float>()
  asc_GlobalTensor_SetGlobalBuffer<T=float>(%g, %x, _)
  var %ub: LocalTensor<float32> = asc_LocalTensor_Init<T=float>(_, TPosition.VECIN, 0, 1024)
)" + body +
         "\n}\n";
}

// After the pass and a second turn of intervals; `changes`: whether the pass should retype anything.
std::unique_ptr<ir::Module> widened(const std::string& body, const std::string& before = "",
                                    bool changes = true) {
  auto module = parse(kernel(body, before));
  passes::intervals(*module);
  EXPECT_EQ(passes::widen_addresses(*module), changes);
  passes::intervals(*module);
  passes_test::expect_valid(*module);
  return module;
}

constexpr const char* kCols = "cast<int64>(%cols)!fits";
constexpr const char* kRows = "cast<int64>(%rows)!fits";

TEST(WidenAddresses, AVariableThatOnlyFormsAnOffset) {
  const auto module = widened(R"(
  for var %i: int32 in range(0, %rows) {
    var %offset: int32 = %i * %cols
    asc_DataCopy<T=float>(%ub, asc_GlobalTensor_Subindex<T=float>(%g, cast<uint64>(%offset)), 8)
  }
)");
  EXPECT_EQ(line_of(*module, "var %offset"),
            fmt::format("var %offset: int64 = (cast<int64>(%i!nonneg)!fits!nonneg * {})!fits", kCols));
  EXPECT_EQ(line_of(*module, "for"), "for var %i: int32 in range(0, %rows) {")
      << "the loop variable keeps its type";
  EXPECT_EQ(
      line_of(*module, "asc_DataCopy"),
      "asc_DataCopy<T=float>(%ub, asc_GlobalTensor_Subindex<T=float>(%g, cast<uint64>(%offset)!nonneg), 8)");
}

TEST(WidenAddresses, ChainsInPlace) {
  const auto module = widened(R"(
  var %p: GlobalAddress<float32> = asc_Pointer_Offset<T=float>(%x, cast<int64>(%rows * %cols + 1))
  var %q: GlobalAddress<float32> = asc_Pointer_OffsetBack<T=float>(%x, %far + cast<int64>(-(%rows * 2)))
  var %v: float32 = asc_GlobalTensor_GetValue<T=float>(%g, cast<uint64>(%rows - %cols))
  asc_GlobalTensor_SetValue<T=float>(%g, cast<uint64>(%rows * 3), 1.0)
  asc_GlobalTensor_SetGlobalBuffer<T=float>(%g, %p, cast<uint64>(%rows * %cols))
)");
  EXPECT_EQ(line_of(*module, "var %p"),
            fmt::format(
                "var %p: GlobalAddress<float32> = asc_Pointer_Offset<T=float>(%x, (({} * {})!fits + 1)!fits)",
                kRows, kCols));
  EXPECT_EQ(
      line_of(*module, "var %q"),
      fmt::format(
          "var %q: GlobalAddress<float32> = asc_Pointer_OffsetBack<T=float>(%x, %far + (-({} * 2)!fits)!fits)",
          kRows));
  EXPECT_EQ(
      line_of(*module, "var %v"),
      fmt::format(
          "var %v: float32 = asc_GlobalTensor_GetValue<T=float>(%g, cast<uint64>(({} - {})!fits)!nonneg)",
          kRows, kCols));
  EXPECT_EQ(
      line_of(*module, "asc_GlobalTensor_SetValue"),
      fmt::format("asc_GlobalTensor_SetValue<T=float>(%g, cast<uint64>(({} * 3)!fits)!nonneg, 1.0)", kRows));
  EXPECT_EQ(
      line_of(*module, "asc_GlobalTensor_SetGlobalBuffer<T=float>(%g, %p"),
      fmt::format("asc_GlobalTensor_SetGlobalBuffer<T=float>(%g, %p, cast<uint64>(({} * {})!fits)!nonneg)",
                  kRows, kCols));
}

TEST(WidenAddresses, WhatFitsKeepsItsType) {
  const auto module = widened(R"(
  for var %i: int32 in range(0, 64) {
    var %offset: int32 = %i * 1024
    asc_DataCopy<T=float>(%ub, asc_GlobalTensor_Subindex<T=float>(%g, cast<uint64>(%offset + 8)), 8)
  }
)",
                              "", /*changes=*/false);
  EXPECT_EQ(line_of(*module, "var %offset"), "var %offset: int32 = (%i!nonneg * 1024)!fits!nonneg");
}

TEST(WidenAddresses, LocalViewsAndOtherUsesKeepTheirType) {
  const auto module = widened(R"(
  var %local: int32 = %rows * %cols
  asc_DataCopy<T=float>(asc_LocalTensor_Subindex<T=float>(%ub, cast<uint32>(%local)), %g, 8)
  var %count: int32 = %rows * 2
  asc_DataCopy<T=float>(%ub, asc_GlobalTensor_Subindex<T=float>(%g, cast<uint64>(%count)), cast<uint32>(%count))
  var %divided: int32 = %rows * 3
  asc_DataCopy<T=float>(%ub, asc_GlobalTensor_Subindex<T=float>(%g, cast<uint64>(%divided // 2)), 8)
  var %chosen: int32 = explicit_cast<int32>(%rows * 5)
  asc_DataCopy<T=float>(%ub, asc_GlobalTensor_Subindex<T=float>(%g, cast<uint64>(%chosen)), 8)
)",
                              "", /*changes=*/false);
  EXPECT_EQ(line_of(*module, "var %local"), "var %local: int32 = %rows * %cols");
  EXPECT_EQ(line_of(*module, "var %count"), "var %count: int32 = %rows * 2");
  EXPECT_EQ(line_of(*module, "var %divided"), "var %divided: int32 = %rows * 3");
  EXPECT_EQ(line_of(*module, "var %chosen"), "var %chosen: int32 = explicit_cast<int32>(%rows * 5)!fits");
}

TEST(WidenAddresses, ComparisonsAndPrintsGoAlong) {
  const auto module = widened(R"(
  var %offset: int32 = %rows * %cols
  if %offset > %cols + 1 {
    return
  }
  if %far < cast<int64>(%offset) {
    print "at " %offset ""
  }
  asc_DataCopy<T=float>(%ub, asc_GlobalTensor_Subindex<T=float>(%g, cast<uint64>(%offset)), 8)
)");
  EXPECT_EQ(line_of(*module, "if %offset"), fmt::format("if %offset > ({} + 1)!fits {{", kCols));
  EXPECT_EQ(line_of(*module, "if %far"), "if %far < %offset {");
  EXPECT_EQ(line_of(*module, "print"), "print \"at \" %offset \"\"");
}

TEST(WidenAddresses, VariablesThatDefineEachOther) {
  const auto module = widened(R"(
  var %start: int32 = %cols + 1
  var %at: int32 = %start
  var %wide: int64 = cast<int64>(%rows * 4)
  var %count: int32 = 7
  var %kept: int32 = %count * %cols
  for var %i: int32 in range(0, %rows) {
    asc_DataCopy<T=float>(%ub, asc_GlobalTensor_Subindex<T=float>(%g, cast<uint64>(%at)), 8)
    asc_DataCopy<T=float>(%ub, asc_GlobalTensor_Subindex<T=float>(%g, cast<uint64>(%wide + cast<int64>(%kept))), cast<uint32>(%kept))
    %at = %at + %cols
  }
)");
  EXPECT_EQ(line_of(*module, "var %start"), fmt::format("var %start: int64 = ({} + 1)!fits", kCols));
  EXPECT_EQ(line_of(*module, "var %at"), "var %at: int64 = %start");
  EXPECT_EQ(line_of(*module, "%at ="), fmt::format("%at = %at + {}", kCols));
  EXPECT_EQ(line_of(*module, "var %wide"), fmt::format("var %wide: int64 = ({} * 4)!fits", kRows))
      << "the chain inside an int64 variable that is an offset";
  EXPECT_EQ(line_of(*module, "var %kept"), "var %kept: int32 = %count!nonneg * %cols") << "it is a count too";
}

TEST(WidenAddresses, ADefinitionOfSomethingThatStaysKeepsAll) {
  const auto module = widened(R"(
  var %offset: int32 = %rows * %cols
  var %copy: int32 = %offset + 1
  asc_DataCopy<T=float>(%ub, asc_GlobalTensor_Subindex<T=float>(%g, cast<uint64>(%offset)), cast<uint32>(%copy))
)",
                              "", /*changes=*/false);
  EXPECT_EQ(line_of(*module, "var %offset"), "var %offset: int32 = %rows * %cols");
}

TEST(WidenAddresses, ParametersAndResultsOfHelpers) {
  const auto module = widened(R"(
  @load(%g, 16, %ub)
  @load(%g, @row(%rows, %cols), %ub)
  var %first: int32
  var %count: int32
  call (%first, %count) = @share(%rows, %cols)
  @load(%g, %first, %ub)
  @load(%g, %count, %ub)
)",
                              R"(
func @load(%g: GlobalTensor<float32>, %at: int32, %to: LocalTensor<float32>) {
  asc_DataCopy<T=float>(%to, asc_GlobalTensor_Subindex<T=float>(%g, cast<uint64>(%at)), 8)
}
func @row(%row: int32, %cols: int32) -> (int32) {
  return %row * %cols
}
func @share(%row: int32, %cols: int32) -> (int32 first, int32 count) {
  return %row * %cols, %row
}
)");
  EXPECT_EQ(line_of(*module, "func @load"),
            "func @load(%g: GlobalTensor<float32>, %at: int64, %to: LocalTensor<float32>) {");
  EXPECT_EQ(line_of(*module, "func @row"), "func @row(%row: int32, %cols: int32) -> (int64) {");
  EXPECT_EQ(line_of(*module, "func @share"),
            "func @share(%row: int32, %cols: int32) -> (int64 first, int32 count) {");
  EXPECT_EQ(line_of(*module, "return (cast<int64>(%row)!fits * cast<int64>(%cols)!fits)!fits,"),
            "return (cast<int64>(%row)!fits * cast<int64>(%cols)!fits)!fits, %row");
  EXPECT_EQ(line_of(*module, "@load(%g, 16"), "@load(%g, 16, %ub)");
  EXPECT_EQ(line_of(*module, "@load(%g, @row"), "@load(%g, @row(%rows, %cols), %ub)");
  EXPECT_EQ(line_of(*module, "var %first"), "var %first: int64");
  EXPECT_EQ(line_of(*module, "@load(%g, cast<int64>(%count)"), "@load(%g, cast<int64>(%count)!fits, %ub)");
}

TEST(WidenAddresses, TheTextReadsBack) {
  auto module = parse(kernel(R"(
  var %offset: int32 = %rows * %cols
  asc_DataCopy<T=float>(%ub, asc_GlobalTensor_Subindex<T=float>(%g, cast<uint64>(%offset)), 8)
)"));
  passes::run(*module, *find_platform("Ascend910B1"));
  const std::string text = ir::print_module(*module);
  EXPECT_EQ(ir::print_module(*parse(text)), text);
}

}  // namespace
