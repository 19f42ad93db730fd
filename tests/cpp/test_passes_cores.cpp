// SPDX-License-Identifier: Apache-2.0
// The kernel's type by the ops that each core type reaches, and kernels whose cores must run together.
#include "passes_text.h"

namespace {

using namespace asc;
using passes_test::parse;

const std::string kHelpers = R"(
func @vector(%t: LocalTensor<float32>) {
  asc_Relu<T=float>(%t, %t, 8)
}
func @cube(%c: LocalTensor<float32>, %a: LocalTensor<float16>) {
  var %p: MmadParams = asc_Struct_MmadParams(16, 16, 16, _, _, _)
  asc_Mmad<T=float, U=half>(%c, %a, %a, %p)
}
func @either(%t: LocalTensor<float32>, %c: LocalTensor<float32>, %a: LocalTensor<float16>) {
  if is_aic() {
    @cube(%c, %a)
    return
  }
  @vector(%t)
}
func @flag() {
  asc_CrossCoreSetFlag(1, 2, PipeID.PIPE_MTE3)
}
)";

std::unique_ptr<ir::Module> detected(const std::string& body, const std::string& type = "Auto") {
  auto module = parse("module kernel_type=" + type + " auto_sync=true\n" + kHelpers + R"(
kernel @k(%x: GlobalAddress<float32>, %n: int32) {
  var %t: LocalTensor<float32> = asc_LocalTensor_Init<T=float>(_, TPosition.VECIN, 0, 64)
  var %c: LocalTensor<float32> = asc_LocalTensor_Init<T=float>(_, TPosition.CO1, 0, 256)
  var %a: LocalTensor<float16> = asc_LocalTensor_Init<T=half>(_, TPosition.A2, 0, 256)
)" + body + "\n}\n");
  passes::detect_kernel_type(*module);
  passes_test::expect_valid(*module);
  return module;
}
std::string_view type_of(const std::string& body, const std::string& type = "Auto") {
  return to_string(detected(body, type)->kernel_type);
}

TEST(DetectKernelType, ByTheOpsUsed) {
  EXPECT_EQ(type_of(""), "AIV_ONLY");
  EXPECT_EQ(type_of("  @vector(%t)"), "AIV_ONLY");
  EXPECT_EQ(type_of("  @cube(%c, %a)"), "AIC_ONLY");
  EXPECT_EQ(type_of("  @vector(%t)\n  @cube(%c, %a)"), "MIX_AIC_1_2");
  EXPECT_EQ(type_of("  @flag()"), "MIX_AIC_1_2") << "a flag between the core types asks for both";
  EXPECT_EQ(type_of("  asc_CrossCoreSetFlag(1, 0, PipeID.PIPE_S)"), "AIV_ONLY")
      << "other flags ask for nothing";
  EXPECT_EQ(type_of("  @cube(%c, %a)\n  asc_CrossCoreSetFlag(1, 0, PipeID.PIPE_S)"), "AIC_ONLY");
  EXPECT_EQ(type_of("  @vector(%t)", "MIX_AIC_1_1"), "MIX_AIC_1_1") << "what was given stays";
}

TEST(DetectKernelType, AMatmulNeedsBothAndEndsTheCubeCore) {
  const std::string begin =
      "  var %pipe: TPipe\n  var %m: Matmul<GM ND float16, GM ND float16, GM ND float32>\n"
      "  asc_REGIST_MATMUL_OBJ<T=float>(%pipe, %x, %m)\n";
  EXPECT_EQ(type_of(begin), "MIX_AIC_1_2");
  EXPECT_EQ(type_of(begin, "AIC_ONLY"), "AIC_ONLY");
  // Behind it only vector cores go on: a vector op there is in its place, a cube op is on no core.
  const auto behind = detected(begin + "  @vector(%t)\n", "MIX_AIC_1_1");
  EXPECT_TRUE(passes::limits(*behind, *find_platform("Ascend910B1")).empty());
  const auto nowhere = detected(begin + "  @cube(%c, %a)\n", "MIX_AIC_1_1");
  const auto found = passes::limits(*nowhere, *find_platform("Ascend910B1"));
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].id, finding_info(FindingId::WrongCore).id);
}

TEST(DetectKernelType, OpsCountForTheCoresThatReachThem) {
  EXPECT_EQ(type_of("  if is_aic() {\n    @cube(%c, %a)\n  } else {\n    @vector(%t)\n  }"), "MIX_AIC_1_2");
  EXPECT_EQ(type_of("  if is_aic() {\n    @vector(%t)\n  }\n  if is_aiv() {\n    @vector(%t)\n  }"),
            "AIV_ONLY");
  EXPECT_EQ(type_of("  if is_aiv() {\n    @cube(%c, %a)\n  }\n  @vector(%t)"), "AIV_ONLY");
  EXPECT_EQ(type_of("  if not is_aic() {\n    @cube(%c, %a)\n  } else {\n    @cube(%c, %a)\n  }"),
            "AIC_ONLY");
  EXPECT_EQ(type_of("  if is_aic() and (%n > 3) {\n    @vector(%t)\n  } else {\n    @cube(%c, %a)\n  }"),
            "AIC_ONLY")
      << "a cube core takes the other side when n is small";
  EXPECT_EQ(type_of("  if is_aic() {\n    return\n  }\n  @cube(%c, %a)\n  @vector(%t)"), "AIV_ONLY");
  EXPECT_EQ(type_of("  @either(%t, %c, %a)"), "MIX_AIC_1_2");
  EXPECT_EQ(type_of("  if is_aiv() {\n    @either(%t, %c, %a)\n  }"), "AIV_ONLY");
}

TEST(DetectKernelType, StoredPredicates) {
  EXPECT_EQ(
      type_of(
          "  var %cube: bool = is_aic()\n  if %cube {\n    @vector(%t)\n  } else {\n    @cube(%c, %a)\n  }"),
      "AIV_ONLY");
  EXPECT_EQ(type_of("  var %cube: bool = is_aic()\n  var %same: bool = %cube or (%n > 3)\n"
                    "  if %same {\n    @vector(%t)\n  } else {\n    @cube(%c, %a)\n  }"),
            "AIV_ONLY")
      << "a vector core may take either side, a cube core the first only";
  EXPECT_EQ(type_of(R"(
  var %p: bool = is_aiv()
  for var %i: int32 in range(0, %n) {
    if %p {
      @cube(%c, %a)
    }
    %p = is_aic()
  }
)"),
            "AIC_ONLY")
      << "a later turn reads what the loop stored";
}

TEST(DetectKernelType, ShortCircuits) {
  EXPECT_EQ(type_of("  var %q: TQue<VECIN, 1> = asc_TQue_Init(TPosition.VECIN, 1)\n"
                    "  if is_aic() and asc_TQue_VacantInQue(%q) {\n    @cube(%c, %a)\n  }"),
            "AIC_ONLY");
}

TEST(NeedsLockstep, CrossCoreOpsThatTheKernelReaches) {
  EXPECT_FALSE(passes::needs_lockstep(*detected("  @vector(%t)")))
      << "a helper with a flag that nothing calls";
  EXPECT_TRUE(passes::needs_lockstep(*detected("  for var %i: int32 in range(0, %n) {\n    @flag()\n  }")));
  EXPECT_TRUE(passes::needs_lockstep(*detected("  asc_CrossCoreWaitFlag(1, _, _)")));
  EXPECT_FALSE(
      passes::needs_lockstep(*detected("  if is_aic() {\n    @flag()\n  }\n  @vector(%t)", "AIV_ONLY")))
      << "on vector cores alone the branch is never taken";
}

}  // namespace
