// SPDX-License-Identifier: Apache-2.0
// Diagnostics of the kernel: limits that are broken for certain, where, and what is left to the checks while
// running.
#include "passes_text.h"

namespace {

using namespace asc;
using passes_test::parse;

const std::string kHelpers = R"(
func @relu(%t: LocalTensor<float32>, %n: int32) {
  asc_Relu<T=float>(%t, %t, %n)
}
func @early(%t: LocalTensor<float32>, %n: int32) {
  if %n > 0 {
    return
  }
  asc_Relu<T=float>(%t, %t, -3)
}
func @tile() -> (int32) {
  return 100
}
func @by_core() -> (int32) {
  if is_aic() {
    return 3
  }
  return 9
}
func @prepare(%p: TPipe, %q: TQue<VECIN, 1>, %n: int32) {
  asc_TPipe_InitBuffer(%p, %q, 2, cast<uint32>(%n))
}
)";

std::vector<ir::Diagnostic> diagnostics(const std::string& body, const std::string& type = "Auto") {
  auto module = parse("module kernel_type=" + type + " auto_sync=true\n" + kHelpers + R"(
kernel @k(%x: GlobalAddress<float32>, %n: int32) {
  var %g: GlobalTensor<float32> = asc_GlobalTensor_Init<T=float>()
  asc_GlobalTensor_SetGlobalBuffer<T=float>(%g, %x, _)
  var %t: LocalTensor<float32> = asc_LocalTensor_Init<T=float>(_, TPosition.VECIN, 64, 1024)
)" + body + "\n}\n");
  return passes::run(*module, *find_platform("Ascend910B1")).diagnostics;
}

// Ids and first lines of the messages.
std::string found(const std::string& body, const std::string& type = "Auto") {
  std::string out;
  for (const ir::Diagnostic& d : diagnostics(body, type))
    out += (out.empty() ? "" : "; ") + d.id + " " + d.message.substr(0, d.message.find('\n'));
  return out;
}

std::string copy(const std::string& dst, const std::string& count) {
  return "  asc_DataCopy<T=float>(" + dst + ", %g, " + count + ")\n";
}

const std::string kCount63 =
    "ASC-A102 data_copy: 63 float32 are 252 bytes, not a multiple of 32: the device copies 224 bytes (56 "
    "elements) and leaves out the rest";

TEST(Limits, NothingToTell) {
  EXPECT_EQ(
      found(copy("%t", "64") + "  asc_SetFlag(HardEvent.MTE2_V, 7)\n  asc_WaitFlag(HardEvent.MTE2_V, _)"),
      "");
}

TEST(Limits, Constants) {
  EXPECT_EQ(found(copy("%t", "63")), kCount63);
  EXPECT_EQ(found(copy("%t", "0")), "");
  EXPECT_EQ(found("  asc_SetFlag(HardEvent.MTE2_V, 8)"),
            "ASC-L101 set_flag: event_id is 8; events have ids 0 to 7");
  EXPECT_EQ(found("  asc_WaitFlag(HardEvent.MTE2_V, -1)"),
            "ASC-L101 wait_flag: event_id is -1; events have ids 0 to 7");
  EXPECT_EQ(found("  asc_CrossCoreSetFlag(16, 0, PipeID.PIPE_S)"),
            "ASC-L102 cross_core_set_flag: flag_id is 16; ids are 0 to 15");
  EXPECT_EQ(found("  asc_CrossCoreSetFlag(3, 3, PipeID.PIPE_S)"),
            "ASC-L103 cross_core_set_flag: mode_id is 3; modes are 0, 1 and 2");
  EXPECT_EQ(found("  asc_CrossCoreWaitFlag(99, _, _)"),
            "ASC-L102 cross_core_wait_flag: flag_id is 99; ids are 0 to 15");
  EXPECT_EQ(found("  asc_PipeBarrier(PipeID.PIPE_S)"), "ASC-L110 pipe_barrier: PIPE_S takes no barrier");
  EXPECT_EQ(found("  asc_Relu<T=float>(%t, %t, -1)"), "ASC-L104 relu: count is -1");
  EXPECT_EQ(found("  var %i: LocalTensor<int32> = asc_LocalTensor_ReinterpretCast<T=float, U=i32>(%t, _)\n"
                  "  asc_ShiftLeft<T=i32>(%i, %i, 33, 8, _)"),
            "ASC-L108 shift_left: a shift by 33; int32 elements shift by 0 to 32");
}

TEST(Limits, AddressesOfLocalOperands) {
  EXPECT_EQ(found(copy("asc_LocalTensor_Subindex<T=float>(%t, 3)", "8")),
            "ASC-A101 data_copy: dst starts at byte 76 of UB, not a multiple of 32");
  EXPECT_EQ(
      found(copy("asc_LocalTensor_Subindex<T=float>(asc_LocalTensor_Subindex<T=float>(%t, 3), 5)", "8")), "");
  EXPECT_EQ(found(copy("asc_LocalTensor_Subindex<T=float>(%t, cast<uint32>(%n))", "8")), "") << "not known";
  EXPECT_EQ(found(copy("asc_LocalTensor_Subindex<T=float>(%t, 3)", "cast<uint32>(%n)")), "") << "n may be 0";
  EXPECT_EQ(
      found(
          "  var %a: LocalTensor<float32> = asc_LocalTensor_Init<T=float>(_, TPosition.VECIN, 196576, 16)\n" +
          copy("%a", "16")),
      "ASC-B104 data_copy: dst takes bytes 196576..196639 of UB, which has 196608 bytes");
  EXPECT_EQ(found("  var %a: LocalTensor<float32> = asc_LocalTensor_Init<T=float>(_, TPosition.A1, 0, 16)\n"
                  "  asc_Relu<T=float>(%a, %a, 8)"),
            "ASC-L106 relu: dst lies in L1, the op takes it from UB");
}

TEST(Limits, OnlyWhatIsCertainlyReached) {
  EXPECT_EQ(found("  if %n > 3 {\n" + copy("%t", "63") + "  }"), "");
  EXPECT_EQ(found("  for var %i: int32 in range(0, %n) {\n" + copy("%t", "63") + "  }"), "");
  EXPECT_EQ(found("  for var %i: int32 in range(0, 0) {\n" + copy("%t", "63") + "  }"), "");
  EXPECT_EQ(found("  for var %i: int32 in range(0, 3) {\n" + copy("%t", "63") + "  }"), kCount63);
  EXPECT_EQ(found("  for var %i: int32 in range(0, 3) {\n    if %n > 3 {\n      break\n    }\n" +
                  copy("%t", "63") + "  }"),
            "");
  EXPECT_EQ(found("  for var %i: int32 in range(0, 3) {\n    if %n > 3 {\n      break\n    }\n  }\n" +
                  copy("%t", "63")),
            kCount63)
      << "a break leaves its loop only";
  EXPECT_EQ(found("  if %n > 3 {\n    return\n  }\n" + copy("%t", "63")), "");
  EXPECT_EQ(found("  for var %i: int32 in range(0, 3) {\n    if %n > 3 {\n      return\n    }\n  }\n" +
                  copy("%t", "63")),
            "");
  EXPECT_EQ(found("  assert %n > 3\n" + copy("%t", "63")), kCount63);
  EXPECT_EQ(found("  while true {\n" + copy("%t", "63") + "    break\n  }"), kCount63);
  EXPECT_EQ(found("  if 3 > 2 {\n" + copy("%t", "63") + "  } else {\n" + copy("%t", "62") + "  }"), kCount63);
}

TEST(Limits, ValuesOnTheWay) {
  EXPECT_EQ(found("  var %c: int32 = 60\n  %c = %c + 3\n" + copy("%t", "cast<uint32>(%c)")), kCount63);
  EXPECT_EQ(found("  var %c: int32 = 63\n  if %n > 3 {\n    %c = 64\n  }\n" + copy("%t", "cast<uint32>(%c)")),
            "");
  EXPECT_EQ(found("  var %c: int32 = 63\n  for var %i: int32 in range(0, %n) {\n    %c = 64\n  }\n" +
                  copy("%t", "cast<uint32>(%c)")),
            "");
  EXPECT_EQ(found("  for var %i: int32 in range(0, 3) {\n" + copy("%t", "cast<uint32>(%i + 63)") + "  }"),
            kCount63)
      << "in the first turn";
  EXPECT_EQ(found(copy("%t", "cast<uint32>(@tile() - 37)")), kCount63);
  EXPECT_EQ(found("  @early(%t, 0)"), "ASC-L104 relu: count is -3")
      << "the helper's branch is known from the call";
  EXPECT_EQ(found("  @early(%t, %n)\n" + copy("%t", "63")), kCount63) << "a helper returns to its caller";
}

TEST(Limits, WrongCore) {
  EXPECT_EQ(
      found("  @relu(%t, 8)", "AIC_ONLY"),
      "ASC-L105 relu does nothing on a cube core (AIC): it needs a vector core (AIV); kernel type AIC_ONLY has none");
  EXPECT_EQ(found("  @relu(%t, 8)", "MIX_AIC_1_2"), "") << "the cube core skips it";
  EXPECT_EQ(found("  if is_aic() {\n    @relu(%t, 8)\n  }", "MIX_AIC_1_2"),
            "ASC-L105 relu does nothing on a cube core (AIC): it needs a vector core (AIV)");
  EXPECT_EQ(found("  if is_aic() {\n    @relu(%t, 8)\n  }\n  @relu(%t, 8)", "MIX_AIC_1_2"), "")
      << "the line works for the other call";
  EXPECT_EQ(found("  if is_aic() {\n    @relu(%t, 8)\n  }", "AIV_ONLY"), "") << "no core comes there";
  EXPECT_EQ(found("  if is_aiv() {\n    @relu(%t, -8)\n    return\n  }\n" + copy("%t", "63"), "MIX_AIC_1_2"),
            "ASC-L104 relu: count is -8; " + kCount63)
      << "each core type takes one side, and both are certain";
  const std::string set = "  asc_SetFlag(HardEvent.MTE1_M, @by_core())\n";
  EXPECT_EQ(found(set, "AIC_ONLY"), "");
  EXPECT_EQ(found(set, "AIV_ONLY"), "ASC-L101 set_flag: event_id is 9; events have ids 0 to 7");
  EXPECT_EQ(
      found("  var %e: int32 = @by_core()\n  if is_aic() {\n    asc_SetFlag(HardEvent.MTE1_M, %e)\n  }\n",
            "MIX_AIC_1_2"),
      "")
      << "what a helper gives back on one core type is not what the other gets";
}

TEST(Limits, BuffersThatDoNotFit) {
  const std::string queues = R"(
  var %p: TPipe = asc_TPipe_Init()
  var %q: TQue<VECIN, 1> = asc_TQue_Init(TPosition.VECIN, 1)
  var %r: TQue<VECIN, 1> = asc_TQue_Init(TPosition.VECIN, 1)
  var %b: TBuf<A1> = asc_TBuf_Init(TPosition.A1)
)";
  const auto all = diagnostics(queues + R"(
  @prepare(%p, %q, 65536)
  asc_TPipe_InitBuffer.2(%p, %b, 524288)
  asc_TPipe_InitBuffer(%p, %r, 1, 65537)
)");
  ASSERT_EQ(all.size(), 1u);
  EXPECT_EQ(all[0].id, "ASC-B107");
  EXPECT_EQ(all[0].message,
            "init_buffer: r does not fit into UB (196608 bytes):\n"
            "        0 ..  131072  q (2 x 65536 bytes)\n"
            "   131072 ..  196640  r (1 x 65568 bytes)  <- ends 32 bytes outside")
      << "65,537 bytes round up to 65,568; L1 is another memory";
  EXPECT_EQ(
      found(queues +
            "  if %n > 3 {\n    @prepare(%p, %q, 65536)\n  }\n  asc_TPipe_InitBuffer(%p, %r, 1, 200000)"),
      "")
      << "what stands in memory is not known";
  EXPECT_EQ(found(queues + "  asc_TPipe_InitBuffer(%p, %q, 40, 32)\n  asc_TPipe_InitBuffer(%p, %r, 25, 32)"),
            "ASC-Q106 init_buffer: 65 buffers in this kernel; the device has 64");
}

TEST(Limits, WhereItHappens) {
  auto module = parse(R"(module kernel_type=AIC_ONLY auto_sync=true

source 0 "helper.py" line 5 function "relu"
  "def relu(t):\n"
  "    asc.relu(t, t, 8)\n"

source 1 "kernel.py" line 20 function "k"
  "def k(x):\n"
  "    relu(t)\n"
  "    relu(t)\n"

func @relu source 0 (%t: LocalTensor<float32>) {
  @1:4-21 asc_Relu<T=float>(%t, %t, 8)
}
kernel @k source 1 (%x: GlobalAddress<float32>) {
  var %t: LocalTensor<float32> = asc_LocalTensor_Init<T=float>(_, TPosition.VECIN, 64, 1024)
  @1:4-11 @relu(%t)
  @2:4-11 @relu(%t)
}
)");
  const auto all = passes::run(*module, *find_platform("Ascend910B1")).diagnostics;
  ASSERT_EQ(all.size(), 1u) << "one line, one finding";
  ASSERT_EQ(all[0].where.size(), 2u);
  const Site inner = module->sources.resolve(all[0].where[0]),
             outer = module->sources.resolve(all[0].where[1]);
  EXPECT_EQ(inner.file, "helper.py");
  EXPECT_EQ(inner.line, 6u);
  EXPECT_EQ(outer.file, "kernel.py");
  EXPECT_EQ(outer.line, 21u);
  EXPECT_EQ(outer.col, 4u);
}

}  // namespace
