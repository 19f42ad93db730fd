// SPDX-License-Identifier: Apache-2.0
// Several cores: numbering, cross-core flags, deadlock, mixed programs, the cube op, the thread pool.
#include <sys/wait.h>
#include <unistd.h>

#include <cmath>
#include <thread>

#include "base/half.h"
#include "base/thread_pool.h"
#include "sim_fixture.h"

namespace asc::sim {
namespace {

TEST(SimCores, BlockNumbering) {
  const auto numbers = [](const std::string& type, int grid, int cores) {
    const ProgramPtr program = program_of("module kernel_type=" + type + " auto_sync=true\n" + R"(
kernel @k(%x: GlobalAddress<int64>) {
  var %g: GlobalTensor<int64>
  asc_GlobalTensor_SetGlobalBuffer(%g, %x)
  var %at: int64 = asc_GetBlockIdx() * 4
  if is_aic() { %at = %at + 100 }
  asc_GlobalTensor_SetValue(%g, cast<uint64>(%at), asc_GetBlockIdx())
  asc_GlobalTensor_SetValue(%g, cast<uint64>(%at + 1), asc_GetSubBlockIdx())
  asc_GlobalTensor_SetValue(%g, cast<uint64>(%at + 2), asc_GetSubBlockNum())
  asc_GlobalTensor_SetValue(%g, cast<uint64>(%at + 3), asc_GetBlockNum())
})");
    std::vector<int64_t> x(200, -1);
    EXPECT_TRUE(
        launch(*program, grid, std::vector<Argument>{array("x", x, DType::I64)}, {}).findings.empty());
    return std::vector<int64_t>(x.begin() + (cores < 0 ? 100 : 0),
                                x.begin() + (cores < 0 ? 100 : 0) + std::abs(cores) * 4);
  };
  using V = std::vector<int64_t>;
  EXPECT_EQ(numbers("AIV_ONLY", 2, 3), (V{0, 0, 1, 2, 1, 0, 1, 2, -1, -1, -1, -1}));
  EXPECT_EQ(numbers("AIC_ONLY", 2, -3), (V{0, 0, 1, 2, 1, 0, 1, 2, -1, -1, -1, -1}));
  EXPECT_EQ(numbers("MIX_AIC_1_1", 2, 3), (V{0, 0, 1, 2, 1, 0, 1, 2, -1, -1, -1, -1}));
  EXPECT_EQ(numbers("MIX_AIC_1_2", 2, 5),
            (V{0, 0, 2, 2, 1, 1, 2, 2, 2, 0, 2, 2, 3, 1, 2, 2, -1, -1, -1, -1}));
  EXPECT_EQ(numbers("MIX_AIC_1_2", 2, -3), (V{0, 0, 1, 2, 1, 0, 1, 2, -1, -1, -1, -1}));
}

// Two blocks; the cube core waits for its vector cores inside a helper, then they wait for it.
const std::string kHandshake = R"(
module kernel_type=MIX_AIC_1_2 auto_sync=true
func @meet(%g: GlobalTensor<int32>, %at: int64) {
  if is_aic() {
    asc_CrossCoreWaitFlag(3, _, _)
    var %first: int32 = asc_GlobalTensor_GetValue(%g, cast<uint64>(%at))
    var %second: int32 = asc_GlobalTensor_GetValue(%g, cast<uint64>(%at + 1))
    asc_GlobalTensor_SetValue(%g, cast<uint64>(%at + 4), %first + %second)
    asc_CrossCoreSetFlag(4, 2, PipeID.PIPE_S)
  } else {
    var %mine: int64 = %at + asc_GetSubBlockIdx()
    asc_GlobalTensor_SetValue(%g, cast<uint64>(%mine), cast<int32>(asc_GetBlockIdx()) + 10)
    asc_CrossCoreSetFlag(3, 2, PipeID.PIPE_MTE3)
    asc_CrossCoreWaitFlag(4, _, _)
    var %sum: int32 = asc_GlobalTensor_GetValue(%g, cast<uint64>(%at + 4))
    asc_GlobalTensor_SetValue(%g, cast<uint64>(%mine + 2), %sum * 2)
  }
}
kernel @k(%x: GlobalAddress<int32>) {
  var %g: GlobalTensor<int32>
  asc_GlobalTensor_SetGlobalBuffer(%g, %x)
  var %block: int64 = asc_GetBlockIdx()
  if is_aiv() { %block = %block // asc_GetSubBlockNum() }
  @meet(%g, %block * 8)
  print "" asc_GetBlockIdx() " "
})";

TEST(SimCores, CrossCoreFlagsInsideAHelper) {
  const ProgramPtr program = program_of(kHandshake);
  for (const Mode mode : {Mode::Check, Mode::Fast}) {
    Options options;
    options.mode = mode;
    std::vector<int32_t> x(16, 0);
    const LaunchResult r = launch(*program, 2, std::vector<Argument>{array("x", x, DType::I32)}, options);
    EXPECT_TRUE(r.findings.empty()) << messages(r);
    EXPECT_EQ(x, (std::vector<int32_t>{10, 11, 42, 42, 21, 0, 0, 0, 12, 13, 50, 50, 25, 0, 0, 0}));
    EXPECT_EQ(r.printed, "0 0 1 1 2 3 ");
  }
}

TEST(SimCores, ModesZeroAndOne) {
  // Each vector core writes, all wait for all, each reads its neighbour's: the same whatever the order.
  const auto run = [](const std::string& type, int mode, int grid, int cores) {
    const ProgramPtr program = program_of("module kernel_type=" + type + " auto_sync=true\n" + R"(
kernel @k(%x: GlobalAddress<int32>, %n: int32) {
  if is_aiv() {
    var %g: GlobalTensor<int32>
    asc_GlobalTensor_SetGlobalBuffer(%g, %x)
    var %me: int32 = cast<int32>(asc_GetBlockIdx())
    for var %i: int32 in range(0, 20) {
      asc_GlobalTensor_SetValue(%g, cast<uint64>(%me), %me + %i)
      asc_CrossCoreSetFlag(5, )" + std::to_string(mode) +
                                          R"(, PipeID.PIPE_MTE3)
      asc_CrossCoreWaitFlag(5, _, _)
      var %other: int32 = asc_GlobalTensor_GetValue(%g, cast<uint64>((%me + 1) % %n))
      asc_CrossCoreSetFlag(6, )" + std::to_string(mode) +
                                          R"(, PipeID.PIPE_MTE3)
      asc_CrossCoreWaitFlag(6, _, _)
      assert %other == (%me + 1) % %n + %i, "core " %me " saw " %other ""
    }
  }
})");
    std::vector<int32_t> x(static_cast<size_t>(cores), 0);
    return launch(*program, grid, std::vector<Argument>{array("x", x, DType::I32), scalar("n", cores)}, {});
  };
  EXPECT_TRUE(run("AIV_ONLY", 0, 5, 5).findings.empty());
  EXPECT_TRUE(run("MIX_AIC_1_2", 0, 3, 6).findings.empty());
  EXPECT_TRUE(run("MIX_AIC_1_2", 1, 1, 2).findings.empty());
  // No pair of vector cores: nothing is set.
  EXPECT_EQ(ids(run("AIV_ONLY", 1, 2, 2)), (std::vector<std::string>{"ASC-L103", "ASC-D101"}));
  EXPECT_EQ(ids(run("AIV_ONLY", 0, 49, 49)), std::vector<std::string>{"ASC-L109"});
}

TEST(SimCores, DeadlockNamesEveryWaiter) {
  const std::string text = R"(module kernel_type=MIX_AIC_1_1 auto_sync=true
source 0 "k.py" line 10 function "k"
  "def k():\n"
  "    if asc.ascend_is_aic():\n"
  "        asc.cross_core_wait_flag(3)\n"
  "    else:\n"
  "        asc.cross_core_wait_flag(4)\n"
@s0:0:0-4:30 kernel @k() {
  if is_aic() {
    @2:8-34 asc_CrossCoreWaitFlag(3, _, _)
  } else {
    @4:8-34 asc_CrossCoreWaitFlag(4, _, _)
  }
})";
  const LaunchResult r = launch(*program_of(text), 2, {}, {});
  ASSERT_EQ(ids(r), std::vector<std::string>{"ASC-D101"});
  const Finding& f = r.findings[0];
  EXPECT_EQ(f.kind, "deadlock");
  for (const char* part : {"4 of 4 cores", "block 0, AIC waits for flag 3 at k.py:12",
                           "block 1, AIV 0 waits for flag 4 at k.py:14", "the cube core of block 1 (mode 2)",
                           "all vector cores (mode 0)"})
    EXPECT_NE(f.message.find(part), std::string::npos) << f.message;
  EXPECT_EQ(f.sites.at(0).line, 12u);
  ASSERT_EQ(f.other.size(), 1u);
  EXPECT_EQ(f.other[0].line, 14u);
}

TEST(SimCores, CrossCoreCounts) {
  const auto run = [](const std::string& body) {
    const ProgramPtr program = program_of(
        "module kernel_type=MIX_AIC_1_1 auto_sync=true\nkernel @k(%n: int32) {\n" + body + "\n}\n");
    return ids(launch(*program, 1, std::vector<Argument>{scalar("n", 16)}, {}));
  };
  using Ids = std::vector<std::string>;
  EXPECT_EQ(
      run("for var %i: int32 in range(0, %n) { if is_aic() { asc_CrossCoreSetFlag(1, 2, PipeID.PIPE_S) } }"),
      (Ids{"ASC-Y104", "ASC-Y105"}));
  EXPECT_EQ(run("if is_aic() { asc_CrossCoreSetFlag(1, 2, PipeID.PIPE_FIX) }"), Ids{"ASC-Y105"});
  EXPECT_EQ(run("if is_aic() { asc_CrossCoreSetFlag(16, 2, PipeID.PIPE_FIX) }"), Ids{"ASC-L102"});
  EXPECT_EQ(run("if is_aic() { asc_CrossCoreSetFlag(1, 3, PipeID.PIPE_FIX) }"), Ids{"ASC-L103"});
}

TEST(SimCores, OpsOfTheOtherCore) {
  const auto run = [](const std::string& type, const std::string& body) {
    const ProgramPtr program = program_of(
        "module kernel_type=" + type + " auto_sync=true\nkernel @k(%x: GlobalAddress<float32>) {\n" +
        "  var %g: GlobalTensor<float32>\n  asc_GlobalTensor_SetGlobalBuffer(%g, %x)\n"
        "  var %t: LocalTensor<float32> = asc_LocalTensor_Init<T=float>(_, TPosition.VECIN, 0, 16)\n" +
        body + "\n}\n");
    std::vector<float> x(16, 3);
    const LaunchResult r = launch(*program, 1, std::vector<Argument>{array("x", x, DType::F32)}, {});
    return std::make_pair(ids(r), x[0]);
  };
  const std::string body =
      "  asc_DataCopy(%t, %g, 16)\n  asc_Relu(%t, %t, 16)\n  asc_Adds(%t, %t, 1.0, 16)\n"
      "  asc_DataCopy.1(%g, %t, 16)";
  using Ids = std::vector<std::string>;
  EXPECT_EQ(run("AIV_ONLY", body), std::make_pair(Ids{}, 4.0f));
  // A mixed kernel runs as a whole on both cores; each skips what is not for it.
  EXPECT_EQ(run("MIX_AIC_1_1", body), std::make_pair(Ids{}, 4.0f));
  const auto [found, value] = run("AIC_ONLY", "  asc_Relu(%t, %t, 16)");
  EXPECT_EQ(found, Ids{"ASC-L105"});
  EXPECT_EQ(value, 3.0f);
}

// C = relu(A @ B) over one 16 x 32 by 32 x 16 product of halves, with the fractals laid out by hand.
TEST(SimCores, CubeMultipliesFractals) {
  const ProgramPtr program = program_of(R"(
module kernel_type=AIC_ONLY auto_sync=true
kernel @k(%a: GlobalAddress<float16>, %b: GlobalAddress<float16>, %c: GlobalAddress<float32>) {
  var %ga: GlobalTensor<float16>
  var %gb: GlobalTensor<float16>
  var %gc: GlobalTensor<float32>
  asc_GlobalTensor_SetGlobalBuffer(%ga, %a)
  asc_GlobalTensor_SetGlobalBuffer(%gb, %b)
  asc_GlobalTensor_SetGlobalBuffer(%gc, %c)
  var %l1: LocalTensor<float16> = asc_LocalTensor_Init<T=half>(_, TPosition.A1, 0, 512)
  var %la: LocalTensor<float16> = asc_LocalTensor_Init<T=half>(_, TPosition.A2, 0, 512)
  var %lb: LocalTensor<float16> = asc_LocalTensor_Init<T=half>(_, TPosition.B2, 0, 512)
  var %lc: LocalTensor<float32> = asc_LocalTensor_Init<T=float>(_, TPosition.CO1, 0, 256)
  var %two: LoadData2DParams = asc_Struct_LoadData2DParams(0, 2, 1)
  asc_LoadData(%l1, %ga, %two)
  asc_LoadData.1(%la, %l1, %two)
  var %turned: LoadData2DParams = asc_Struct_LoadData2DParams(0, 2, 1, 0, 0, true)
  asc_LoadData(%lb, %gb, %turned)
  var %shape: MmadParams = asc_Struct_MmadParams(16, 16, 32)
  asc_Mmad(%lc, %la, %lb, %shape)
  var %fix: FixpipeParamsV220 = asc_Struct_FixpipeParamsV220(16, 16, 16, 20, true)
  asc_Fixpipe(%gc, %lc, %fix)
})");
  const auto value_a = [](int m, int k) { return static_cast<float>((m * 7 + k * 3) % 11 - 5); };
  const auto value_b = [](int k, int n) { return static_cast<float>((k * 5 + n * 2) % 13 - 6) / 4; };
  std::vector<half_t> a(512), b(512);
  for (int k = 0; k < 32; k++) {
    for (int i = 0; i < 16; i++) {
      a[static_cast<size_t>(k / 16 * 256 + i * 16 + k % 16)] = half_t(value_a(i, k));  // Zz
      b[static_cast<size_t>(k / 16 * 256 + k % 16 * 16 + i)] =
          half_t(value_b(k, i));  // row-major fractals: loaded transposed
    }
  }
  std::vector<float> c(16 * 20, -7);
  const LaunchResult r = launch(
      *program, 1,
      std::vector<Argument>{array("a", a, DType::F16), array("b", b, DType::F16), array("c", c, DType::F32)},
      {});
  EXPECT_TRUE(r.findings.empty()) << messages(r);
  for (int m = 0; m < 16; m++) {
    for (int n = 0; n < 16; n++) {
      float sum = 0;
      for (int k = 0; k < 32; k++) sum += value_a(m, k) * value_b(k, n);
      EXPECT_EQ(c[static_cast<size_t>(m * 20 + n)], sum < 0 ? 0 : sum);
    }
    EXPECT_EQ(c[static_cast<size_t>(m * 20 + 16)], -7);
  }
}

TEST(SimCores, LaunchesFromManyThreads) {
  const ProgramPtr program = program_of(R"(
kernel @who(%x: GlobalAddress<int64>, %n: int64) {
  var %g: GlobalTensor<int64>
  asc_GlobalTensor_SetGlobalBuffer(%g, %x)
  var %sum: int64 = 0
  for var %i: int64 in range(0, %n) { %sum = %sum + %i }
  asc_GlobalTensor_SetValue(%g, cast<uint64>(asc_GetBlockIdx()), %sum + asc_GetBlockNum())
})");
  std::vector<std::thread> threads;
  std::atomic<int> wrong{0};
  for (int t = 1; t <= 4; t++) {
    threads.emplace_back([&, t] {
      for (int round = 0; round < 50; round++) {
        std::vector<int64_t> x(8, 0);
        Options options;
        options.threads = 1 + (t + round) % 4;
        launch(*program, t, std::vector<Argument>{array("x", x, DType::I64), scalar("n", 2000, DType::I64)},
               options);
        for (int i = 0; i < 8; i++)
          if (x[static_cast<size_t>(i)] != (i < t ? 1999000 + t : 0)) wrong++;
      }
    });
  }
  for (std::thread& t : threads) t.join();
  EXPECT_EQ(wrong, 0);
}

TEST(SimCores, ThreadPool) {
  std::atomic<int> sum{0};
  const auto add = [](void* context, int worker, int item) {
    EXPECT_LT(worker, 3);
    static_cast<std::atomic<int>*>(context)->fetch_add(item);
  };
  for (int round = 0; round < 20; round++) {
    parallel_for(100, 3, add, &sum);
    if (round == 10) shutdown_pool();
  }
  EXPECT_EQ(sum, 20 * 4950);
#if !defined(__SANITIZE_THREAD__)
  const pid_t child = fork();
  if (child == 0) {
    std::atomic<int> own{0};
    parallel_for(
        100, 3,
        [](void* context, int, int item) { static_cast<std::atomic<int>*>(context)->fetch_add(item); }, &own);
    shutdown_pool();
    _exit(own == 4950 ? 0 : 1);
  }
  int status = -1;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
#endif
  parallel_for(100, 3, add, &sum);
  EXPECT_EQ(sum, 21 * 4950);
}

}  // namespace
}  // namespace asc::sim
