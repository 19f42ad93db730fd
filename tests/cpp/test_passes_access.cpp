// SPDX-License-Identifier: Apache-2.0
// Which arguments a kernel may read and write, and whose addresses escape.
#include "passes_text.h"

namespace {

using namespace asc;
using passes_test::parse;

// "r", "w", "rw", "-" or "rw!" (escapes) for x, y, z.
std::string access_of(const std::string& body, const std::string& before = "",
                      const std::string& extra = "") {
  auto module = parse(before + R"(
kernel @k(%x: GlobalAddress<float32>, %y: GlobalAddress<float32>, %z: GlobalAddress<float32>, %n: int32, %c: bool)" +
                      extra +
                      R"() {
  var %a: GlobalTensor<float32> = asc_GlobalTensor_Init<T=float>()
  var %b: GlobalTensor<float32> = asc_GlobalTensor_Init<T=float>()
  var %ub: LocalTensor<float32> = asc_LocalTensor_Init<T=float>(_, TPosition.VECIN, 0, 1024)
)" + body + "\n}\n");
  passes::access(*module);
  passes_test::expect_valid(*module);
  std::string out;
  for (const ir::KernelArg& arg : module->args) {
    if (arg.type.kind != Kind::Pointer) continue;
    const std::string one =
        std::string(arg.may_read ? "r" : "") + (arg.may_write ? "w" : "") + (arg.escapes ? "!" : "");
    out += (out.empty() ? "" : " ") + (one.empty() ? "-" : one);
  }
  return out;
}

const std::string kBindA =
    "  asc_GlobalTensor_SetGlobalBuffer<T=float>(%a, asc_Pointer_Offset<T=float>(%x, 8), _)\n";
const std::string kBindB =
    "  asc_GlobalTensor_SetGlobalBuffer<T=float>(%b, asc_Pointer_OffsetRight<T=float>(%y, 8), _)\n";
const std::string kReadA = "  asc_DataCopy<T=float>(%ub, asc_GlobalTensor_Subindex<T=float>(%a, 8), 8)\n";
const std::string kWriteB =
    "  asc_DataCopy.1<T=float>(asc_GlobalTensor_Subindex.1<T=float>(%b, 8, 8), %ub, 8)\n";
const std::string kWriteA = "  asc_DataCopy.1<T=float>(%a, %ub, 8)\n";

TEST(Access, AMatmulReadsItsMatricesAndWritesC) {
  const std::string object = "  var %m: Matmul<GM ND float32, GM ND float32, GM ND float32>\n";
  const std::string all = "  asc_Matmul_IterateAll<T=float>(%m, %b, _, _, _, _, _)\n";
  EXPECT_EQ(access_of(kBindA + kBindB + object + "  asc_Matmul_SetTensorA<T=float>(%m, %a, _)\n" + all),
            "r w -");
  EXPECT_EQ(access_of(kBindA + object + "  asc_Matmul_SetBias<T=float>(%m, %a)\n"), "r - -");
  EXPECT_EQ(access_of(kBindB + object + "  asc_Matmul_GetTensorC<T=float>(%m, %b, 0, _, _)\n"), "- w -");
  EXPECT_EQ(access_of(kBindB + object + "  asc_Matmul_GetTensorC<T=float>(%m, %b, 1, _, _)\n"), "- rw -")
      << "an atomic combines with what is there";
  EXPECT_EQ(access_of(kBindB + object + "  asc_Matmul_GetTensorC.2<T=float>(%m, %b, %ub, _, _, _)\n"),
            "- rw -")
      << "the local copy comes from there";
}

TEST(Access, DirectionsOfTheOpTable) {
  EXPECT_EQ(access_of(kBindA + kBindB + kReadA + kWriteB), "r w -");
  EXPECT_EQ(access_of(kBindA + kReadA + kWriteA), "rw - -");
  EXPECT_EQ(access_of(kBindA + kBindB), "- - -") << "bound and not used";
  EXPECT_EQ(access_of(kBindA + "  asc_GlobalTensor_SetValue<T=float>(%a, 0, 1.0)"), "w - -");
  EXPECT_EQ(access_of(kBindA + "  var %v: float32 = asc_GlobalTensor_GetValue<T=float>(%a, 0)"), "r - -");
  EXPECT_EQ(access_of(kBindA + "  var %v: uint64 = asc_GlobalTensor_GetSize<T=float>(%a)"), "- - -");
  EXPECT_EQ(access_of(kReadA), "- - -") << "a tensor bound to nothing is a finding, not an access";
}

TEST(Access, ScalarsAreRead) {
  auto module = parse("kernel @k(%x: GlobalAddress<float32>, %n: int32) {\n}\n");
  passes::access(*module);
  EXPECT_TRUE(module->args[1].may_read);
  EXPECT_FALSE(module->args[1].may_write);
  EXPECT_FALSE(module->args[0].may_read || module->args[0].may_write || module->args[0].escapes);
}

TEST(Access, AssignmentCopiesTheHandle) {
  EXPECT_EQ(access_of(kBindA + "  var %d: GlobalTensor<float32> = %a\n" +
                      "  asc_GlobalTensor_SetGlobalBuffer<T=float>(%a, %y, _)\n" +
                      "  asc_DataCopy<T=float>(%ub, %d, 8)\n" + kWriteA),
            "r w -");
  EXPECT_EQ(access_of("  var %p: GlobalAddress<float32> = asc_Pointer_OffsetBack<T=float>(%z, 1)\n"
                      "  asc_GlobalTensor_SetGlobalBuffer<T=float>(%a, %p, _)\n" +
                      kWriteA),
            "- - w");
}

TEST(Access, RebindingInAStraightLineReplaces) {
  EXPECT_EQ(access_of(kBindA + kReadA + "  asc_GlobalTensor_SetGlobalBuffer<T=float>(%a, %y, _)\n" + kWriteA),
            "r w -");
}

TEST(Access, RebindingUnderABranchAdds) {
  EXPECT_EQ(access_of(kBindA + "  if %c {\n    asc_GlobalTensor_SetGlobalBuffer<T=float>(%a, %y, _)\n  }\n" +
                      kWriteA),
            "w w -");
  EXPECT_EQ(access_of(kBindA + kBindB + "  var %d: GlobalTensor<float32> = select(%c, %a, %b)\n" +
                      "  asc_DataCopy<T=float>(%ub, %d, 8)\n"),
            "r r -");
}

TEST(Access, LoopsCarryBindingsBack) {
  // Each turn writes what an earlier turn bound: x first, then y, then z.
  EXPECT_EQ(access_of(kBindA + kBindB + R"(
  var %d: GlobalTensor<float32> = asc_GlobalTensor_Init<T=float>()
  asc_GlobalTensor_SetGlobalBuffer<T=float>(%d, %z, _)
  for var %i: int32 in range(0, %n) {
    asc_DataCopy.1<T=float>(%a, %ub, 8)
    %a = %b
    %b = %d
  }
)"),
            "w w w");
  EXPECT_EQ(access_of(kBindA + kBindB + R"(
  while %c {
    asc_DataCopy<T=float>(%ub, %b, 8)
    if %n > 3 {
      %b = %a
      break
    }
  }
)"),
            "r r -")
      << "conservative: the loop may turn again as far as this pass can tell";
}

TEST(Access, Helpers) {
  const std::string helpers = R"(
func @bind(%t: GlobalTensor<float32> ref, %p: GlobalAddress<float32>) {
  asc_GlobalTensor_SetGlobalBuffer<T=float>(%t, %p, _)
}
func @maybe(%t: GlobalTensor<float32> ref, %p: GlobalAddress<float32>, %c: bool) {
  if %c {
    return
  }
  asc_GlobalTensor_SetGlobalBuffer<T=float>(%t, %p, _)
}
func @part(%t: GlobalTensor<float32>, %i: int32) -> (GlobalTensor<float32>) {
  return asc_GlobalTensor_Subindex<T=float>(%t, cast<uint64>(%i))
}
func @store(%t: GlobalTensor<float32>, %from: LocalTensor<float32>) {
  asc_DataCopy.1<T=float>(%t, %from, 8)
}
func @two(%p: GlobalAddress<float32>, %q: GlobalAddress<float32>) -> (GlobalAddress<float32> r, GlobalAddress<float32> s) {
  return asc_Pointer_Offset<T=float>(%q, 1), asc_Pointer_Offset<T=float>(%p, 1)
}
)";
  EXPECT_EQ(access_of("  @bind(%a, %z)\n" + kReadA, helpers), "- - r");
  EXPECT_EQ(access_of("  @bind(%a, %x)\n  @maybe(%a, %y, %c)\n" + kReadA, helpers), "r r -");
  EXPECT_EQ(access_of("  @bind(%a, %x)\n  @store(@part(%a, %n), %ub)", helpers), "w - -");
  EXPECT_EQ(
      access_of("  @bind(%a, %x)\n  @store(%a, %ub)\n  @bind(%b, %y)\n  asc_DataCopy<T=float>(%ub, %b, 8)",
                helpers),
      "rw r -")
      << "conservative: a helper's calls are joined, so b may be bound to x too";
  EXPECT_EQ(access_of(R"(
  var %p: GlobalAddress<float32>
  var %q: GlobalAddress<float32>
  call (%p, %q) = @two(%x, %y)
  asc_GlobalTensor_SetGlobalBuffer<T=float>(%a, %p, _)
  asc_GlobalTensor_SetGlobalBuffer<T=float>(%b, %q, _)
)" + kReadA + kWriteB,
                      helpers),
            "w r -");
}

TEST(Access, AVariablePassedTwiceMayBeAnything) {
  EXPECT_EQ(access_of("  @same(%a, %a, %x, %ub)\n", R"(
func @same(%s: GlobalTensor<float32> ref, %t: GlobalTensor<float32> ref, %p: GlobalAddress<float32>, %u: LocalTensor<float32>) {
  asc_GlobalTensor_SetGlobalBuffer<T=float>(%s, %p, _)
  asc_DataCopy<T=float>(%u, %t, 8)
}
)"),
            "r r r");
}

TEST(Access, AddressesInStructsEscape) {
  const std::string table = R"(
struct Table "Table" bytes 8 {
  at: GlobalAddress<float32> = 0 at 0
}
)";
  EXPECT_EQ(access_of("  var %s: struct<Table>\n  %s.at = asc_Pointer_Offset<T=float>(%y, 4)", table),
            "- rw! -");
  EXPECT_EQ(access_of("  asc_GlobalTensor_SetGlobalBuffer<T=float>(%b, %s.at, _)\n" + kWriteB, table,
                      ", %s: struct<Table>"),
            "w w w")
      << "it may hold any argument's address";
  EXPECT_EQ(access_of(kBindA +
                      "  asc_GlobalTensor_SetGlobalBuffer<T=float>(%b, "
                      "asc_GlobalTensor_GetPhyAddr<T=float>(%a, 4), _)\n" +
                      kWriteB),
            "w - -")
      << "an address that stays one is followed";
}

}  // namespace
