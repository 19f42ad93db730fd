// SPDX-License-Identifier: Apache-2.0
// Tensors in the simulator: copies, vector ops, queues, bounds, alignment, flags; the findings and what
// happens after them.
#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/half.h"
#include "sim/handlers.h"
#include "sim_fixture.h"

namespace asc::sim {
namespace {

std::vector<float> iota(size_t n, float first = 0) {
  std::vector<float> out(n);
  std::iota(out.begin(), out.end(), first);
  return out;
}

TEST(SimTensor, EveryRowHasAHandler) {
  for (const OpDesc& op : op_table()) EXPECT_TRUE(has_handler(op.id)) << op.ir_name;
}

// Tutorial-style vector add: each block its part, in tiles, with flags.
const std::string kAdd = R"(
kernel @add(%x: GlobalAddress<float32>, %y: GlobalAddress<float32>, %z: GlobalAddress<float32>,
            %per_block: int32, %tile: int32) {
  var %size: uint32 = cast<uint32>(%tile)
  var %first: int64 = asc_GetBlockIdx() * cast<int64>(%per_block)
  var %gx: GlobalTensor<float32>
  var %gy: GlobalTensor<float32>
  var %gz: GlobalTensor<float32>
  asc_GlobalTensor_SetGlobalBuffer(%gx, asc_Pointer_Offset(%x, %first))
  asc_GlobalTensor_SetGlobalBuffer(%gy, asc_Pointer_Offset(%y, %first))
  asc_GlobalTensor_SetGlobalBuffer(%gz, asc_Pointer_Offset(%z, %first))
  var %lx: LocalTensor<float32> = asc_LocalTensor_Init<T=float>(_, TPosition.VECIN, 0, %size)
  var %ly: LocalTensor<float32> = asc_LocalTensor_Init<T=float>(_, TPosition.VECIN, %size * 4, %size)
  var %lz: LocalTensor<float32> = asc_LocalTensor_Init<T=float>(_, TPosition.VECOUT, %size * 8, %size)
  for var %i: int32 in range(0, %per_block // %tile) {
    asc_DataCopy(%lx, asc_GlobalTensor_Subindex(%gx, cast<uint64>(%i * %tile)), cast<uint32>(%tile))
    asc_DataCopy(%ly, asc_GlobalTensor_Subindex(%gy, cast<uint64>(%i * %tile)), cast<uint32>(%tile))
    asc_SetFlag(HardEvent.MTE2_V, 0)
    asc_WaitFlag(HardEvent.MTE2_V, 0)
    asc_Add(%lz, %lx, %ly, %tile)
    asc_SetFlag(HardEvent.V_MTE3, 0)
    asc_WaitFlag(HardEvent.V_MTE3, 0)
    asc_DataCopy.1(asc_GlobalTensor_Subindex(%gz, cast<uint64>(%i * %tile)), %lz, cast<uint32>(%tile))
    asc_SetFlag(HardEvent.MTE3_MTE2, 0)
    asc_WaitFlag(HardEvent.MTE3_MTE2, 0)
  }
})";

TEST(SimTensor, VectorAddOnAnyNumberOfThreads) {
  const ProgramPtr program = program_of(kAdd);
  const std::vector<float> x = iota(8192), y = iota(8192, 0.5f);
  for (const Mode mode : {Mode::Check, Mode::Fast}) {
    for (int threads = 1; threads <= 4; threads++) {
      std::vector<float> a = x, b = y, z(8192, -1);
      const std::vector<Argument> args = {array("x", a, DType::F32), array("y", b, DType::F32),
                                          array("z", z, DType::F32), scalar("per_block", 1024),
                                          scalar("tile", 256)};
      Options options;
      options.mode = mode;
      options.threads = threads;
      const LaunchResult r = launch(*program, 8, args, options);
      EXPECT_TRUE(r.findings.empty()) << messages(r);
      for (size_t i = 0; i < z.size(); i++) ASSERT_EQ(z[i], x[i] + y[i]);
      EXPECT_EQ(a, x);
    }
  }
}

// Findings come in block order with their counts, whatever the threads.
TEST(SimTensor, FindingsAreTheSameOnAnyNumberOfThreads) {
  const ProgramPtr program = program_of(kAdd);
  std::string first;
  for (int threads = 1; threads <= 4; threads++) {
    std::vector<float> x(8000), y(8192), z(4096);
    const std::vector<Argument> args = {array("x", x, DType::F32), array("y", y, DType::F32),
                                        array("z", z, DType::F32), scalar("per_block", 1024),
                                        scalar("tile", 256)};
    Options options;
    options.threads = threads;
    const LaunchResult r = launch(*program, 8, args, options);
    std::string all;
    for (const Finding& f : r.findings) all += render_finding(f) + std::to_string(f.count) + "\n";
    if (threads == 1) first = all;
    EXPECT_EQ(all, first);
    EXPECT_EQ(r.findings.size(), 2u) << all;
  }
}

TEST(SimTensor, GlobalBoundsNameTheArgumentAndTheElements) {
  const ProgramPtr program = program_of(R"(
kernel @mem(%x: GlobalAddress<float32>, %z: GlobalAddress<float32>, %off: int32) {
  var %gx: GlobalTensor<float32>
  var %gz: GlobalTensor<float32>
  asc_GlobalTensor_SetGlobalBuffer(%gx, %x)
  asc_GlobalTensor_SetGlobalBuffer(%gz, %z)
  var %t: LocalTensor<float32> = asc_LocalTensor_Init<T=float>(_, TPosition.VECIN, 0, 64)
  asc_DataCopy(%t, asc_GlobalTensor_Subindex(%gx, cast<uint64>(%off)), 64)
  asc_SetFlag(HardEvent.MTE2_MTE3, 0)
  asc_WaitFlag(HardEvent.MTE2_MTE3, 0)
  asc_DataCopy.1(%gz, %t, 64)
})");
  for (const Mode mode : {Mode::Check, Mode::Fast}) {
    Options options;
    options.mode = mode;
    std::vector<float> x = iota(64), z(64, -1);
    std::vector<Argument> args = {array("x", x, DType::F32), array("z", z, DType::F32), scalar("off", 0)};
    EXPECT_TRUE(launch(*program, 1, args, options).findings.empty());
    EXPECT_EQ(z, x);
    args[2] = scalar("off", 8);
    LaunchResult r = launch(*program, 1, args, options);
    ASSERT_EQ(ids(r), std::vector<std::string>{"ASC-B101"});
    EXPECT_EQ(r.findings[0].message, "asc.data_copy: reads outside argument `x`: elements 8..71 of 64");
    EXPECT_EQ(r.findings[0].buffer, "x");
    EXPECT_EQ(r.findings[0].core, "block 0, AIV 0");
    EXPECT_EQ(r.findings[0].pipe, "MTE2");
    EXPECT_EQ(r.findings[0].range_begin, 8);
    EXPECT_EQ(r.findings[0].range_end, 72);
    EXPECT_EQ(z[55], 63.0f);  // what exists is copied, the rest is poison
    EXPECT_TRUE(std::isnan(z[56]));
    args[2] = scalar("off", -8);
    r = launch(*program, 1, args, options);
    ASSERT_EQ(ids(r), std::vector<std::string>{"ASC-B101"});
    EXPECT_EQ(r.findings[0].message, "asc.data_copy: reads outside argument `x`: elements -8..55 of 64");
    EXPECT_TRUE(std::isnan(z[7]));
    EXPECT_EQ(z[8], 0.0f);
  }
}

TEST(SimTensor, FarOffsetsStayTrueAndWriteNothing) {
  const ProgramPtr program = program_of(R"(
kernel @far(%x: GlobalAddress<int32>, %n: int64) {
  var %g: GlobalTensor<int32>
  asc_GlobalTensor_SetGlobalBuffer(%g, asc_Pointer_Offset(%x, %n * %n))
  asc_GlobalTensor_SetValue(%g, 0, 1)
})");
  std::vector<int32_t> x(4, 7);
  const LaunchResult r = launch(
      *program, 1, std::vector<Argument>{array("x", x, DType::I32), scalar("n", 60000, DType::I64)}, fast());
  ASSERT_EQ(ids(r), std::vector<std::string>{"ASC-B102"});
  EXPECT_EQ(r.findings[0].range_begin, 3600000000);
  EXPECT_EQ(x, std::vector<int32_t>(4, 7));
}

TEST(SimTensor, OverlappingArgumentsAreOneMemory) {
  const ProgramPtr program = program_of(R"(
kernel @bump(%x: GlobalAddress<int32>, %z: GlobalAddress<int32>, %n: int32) {
  var %gx: GlobalTensor<int32>
  var %gz: GlobalTensor<int32>
  asc_GlobalTensor_SetGlobalBuffer(%gx, %x)
  asc_GlobalTensor_SetGlobalBuffer(%gz, %z)
  for var %i: int32 in range(0, %n) {
    asc_GlobalTensor_SetValue(%gz, cast<uint64>(%i), asc_GlobalTensor_GetValue(%gx, cast<uint64>(%i)) + 1)
  }
  asc_GlobalTensor_SetValue(%gx, 0, asc_GlobalTensor_GetValue(%gz, 0) * 10)
})");
  std::vector<int32_t> v = {0, 1, 2, 3};
  launch(*program, 1,
         std::vector<Argument>{array("x", v, DType::I32), array("z", v, DType::I32), scalar("n", 4)}, {});
  EXPECT_EQ(v, (std::vector<int32_t>{10, 2, 3, 4}));
  std::vector<int32_t> b = {0, 1, 2, 3, 4, 5};
  Argument x = array("x", b, DType::I32), z = x;
  x.bytes = z.bytes = 16;
  z.name = "z";
  z.data = b.data() + 1;
  EXPECT_TRUE(launch(*program, 1, std::vector<Argument>{x, z, scalar("n", 4)}, {}).findings.empty());
  EXPECT_EQ(b, (std::vector<int32_t>{10, 1, 2, 3, 4, 5}));
  std::vector<int32_t> w = {0, 1, 2, 3}, u(4, 0);
  Argument ro = array("z", u, DType::I32, /*read_only=*/true);
  const LaunchResult r =
      launch(*program, 1, std::vector<Argument>{array("x", w, DType::I32), ro, scalar("n", 4)}, {});
  EXPECT_EQ(ids(r), std::vector<std::string>{"ASC-B108"});
  EXPECT_EQ(u, std::vector<int32_t>(4, 0));
}

TEST(SimTensor, AddressesThatNeverWereAreRefused) {
  // Not verified: no source can say this, a table of addresses in memory can.
  const ProgramPtr program = assemble(*ir::parse_module(R"(
kernel @k(%x: GlobalAddress<int32>, %n: int64) {
  var %g: GlobalTensor<int32>
  asc_GlobalTensor_SetValue(%g, 0, 1)
  asc_GlobalTensor_SetGlobalBuffer(%g, cast<GlobalAddress<int32>>(%n))
  asc_GlobalTensor_SetValue(%g, 0, 1)
  var %l: LocalTensor<int32>
  asc_LocalTensor_SetValue(%l, 0, 1)
})"));
  std::vector<int32_t> x(4, 7);
  const LaunchResult r =
      launch(*program, 1,
             std::vector<Argument>{array("x", x, DType::I32),
                                   scalar("n", reinterpret_cast<int64_t>(x.data()), DType::I64)},
             {});
  EXPECT_EQ(ids(r), (std::vector<std::string>{"ASC-B105", "ASC-B106", "ASC-B105"}));
  EXPECT_EQ(x, std::vector<int32_t>(4, 7));
}

// MODE 1 and 2 of the tail case: 40 bytes, and a start of 4 bytes into UB.
TEST(SimTensor, TailsRoundDownToBlocks) {
  const auto tail = [](const std::string& copy, const Options& options, std::vector<float>* z) {
    const ProgramPtr program = program_of(R"(
kernel @tail(%x: GlobalAddress<float32>, %z: GlobalAddress<float32>) {
  var %gx: GlobalTensor<float32>
  var %gz: GlobalTensor<float32>
  asc_GlobalTensor_SetGlobalBuffer(%gx, %x)
  asc_GlobalTensor_SetGlobalBuffer(%gz, %z)
  var %t: LocalTensor<float32> = asc_LocalTensor_Init<T=float>(_, TPosition.VECIN, 0, 32)
)" + copy + R"(
  asc_DataCopy.1(%gz, %t, 16)
})");
    std::vector<float> x = iota(16, 1);
    z->assign(16, 99);
    return launch(*program, 1, std::vector<Argument>{array("x", x, DType::F32), array("z", *z, DType::F32)},
                  options);
  };
  std::vector<float> z;
  LaunchResult r = tail("  asc_DataCopy(%t, %gx, 10)", {}, &z);
  ASSERT_EQ(ids(r), std::vector<std::string>{"ASC-A102"});
  EXPECT_EQ(r.findings[0].kind, "alignment");
  EXPECT_NE(r.findings[0].message.find("40 bytes"), std::string::npos) << r.findings[0].message;
  EXPECT_NE(r.findings[0].fix.find("data_copy_pad"), std::string::npos) << r.findings[0].fix;
  EXPECT_EQ(z[7], 8.0f);
  EXPECT_TRUE(std::isnan(z[8]));  // never a kind ten
  EXPECT_TRUE(tail("  asc_DataCopy(%t, %gx, 10)", fast(), &z).findings.empty());
  EXPECT_TRUE(std::isnan(z[8]));
  r = tail("  asc_DataCopy(asc_LocalTensor_Subindex(%t, 1), %gx, 16)", {}, &z);
  ASSERT_EQ(ids(r), std::vector<std::string>{"ASC-A101"});
  EXPECT_NE(r.findings[0].message.find("byte 4 of UB"), std::string::npos) << r.findings[0].message;
  EXPECT_EQ(z[1], 1.0f);
  // Global memory needs no more than the element's alignment.
  EXPECT_TRUE(tail("  asc_DataCopy(%t, asc_GlobalTensor_Subindex(%gx, 1), 8)", {}, &z).findings.empty());
}

TEST(SimTensor, LocalBounds) {
  const auto run = [](const std::string& body, const Options& options = {}) {
    const ProgramPtr program = program_of(
        "kernel @k(%x: GlobalAddress<float32>) {\n  var %g: GlobalTensor<float32>\n"
        "  asc_GlobalTensor_SetGlobalBuffer(%g, %x)\n"
        "  var %t: LocalTensor<float32> = asc_LocalTensor_Init<T=float>(_, TPosition.VECIN, 0, 32)\n"
        "  var %end: LocalTensor<float32> = asc_LocalTensor_Init<T=float>(_, TPosition.VECIN, 196576, 8)\n" +
        body + "\n}");
    std::vector<float> x(256, 1);
    return launch(*program, 1, std::vector<Argument>{array("x", x, DType::F32)}, options);
  };
  LaunchResult r = run("  asc_DataCopy(%t, %g, 64)");
  ASSERT_EQ(ids(r), std::vector<std::string>{"ASC-B103"});
  EXPECT_EQ(r.findings[0].message, "asc.data_copy: writes 64 elements of dst, a tensor of 32 elements");
  EXPECT_TRUE(run("  asc_DataCopy(%t, %g, 64)", fast()).findings.empty());
  EXPECT_EQ(ids(run("  asc_DataCopy(%end, %g, 64)")), (std::vector<std::string>{"ASC-B103", "ASC-B104"}));
  EXPECT_EQ(ids(run("  asc_DataCopy(%end, %g, 64)", fast())), std::vector<std::string>{"ASC-B104"});
  EXPECT_EQ(ids(run("  asc_Add(%t, %t, asc_LocalTensor_Subindex(%t, 16), 32)")),
            (std::vector<std::string>{"ASC-B103", "ASC-L111"}));
  EXPECT_EQ(ids(run("  asc_LocalTensor_SetValue(%t, 32, 1.0)")), std::vector<std::string>{"ASC-B103"});
  EXPECT_EQ(ids(run("  asc_LocalTensor_SetValue(%t, 4294967295, 1.0)", fast())),
            std::vector<std::string>{"ASC-B104"});
  EXPECT_EQ(ids(run("  asc_Add(%t, %t, %t, -1)")), std::vector<std::string>{"ASC-L104"});
  EXPECT_TRUE(run("  asc_Add(%t, %t, %t, 0)").findings.empty());
}

// Modes 0, 2, 3, 4 of the flag case.
TEST(SimTensor, ATensorBeyondItsMemoryIsWrongWhenItIsMade) {
  const auto run = [](const std::string& position, int64_t address, int64_t size, const Options& options) {
    const ProgramPtr program = program_of(
        "kernel @k(%x: GlobalAddress<float32>) {\n  var %t: LocalTensor<float32> = "
        "asc_LocalTensor_Init<T=float>(_, TPosition." +
        position + ", " + std::to_string(address) + ", " + std::to_string(size) + ")\n}");
    std::vector<float> x(8);
    return launch(*program, 2, std::vector<Argument>{array("x", x, DType::F32)}, options);
  };
  const LaunchResult r = run("VECIN", 196576, 9, {});
  ASSERT_EQ(ids(r), std::vector<std::string>{"ASC-B104"});
  EXPECT_EQ(r.findings[0].message,
            "LocalTensor: the tensor takes bytes 196576..196611 of UB, which has 196608 bytes");
  EXPECT_EQ(r.findings[0].count, 2u);
  EXPECT_TRUE(run("VECIN", 196576, 9, fast()).findings.empty());
  EXPECT_TRUE(run("VECIN", 196576, 8, {}).findings.empty());
  EXPECT_TRUE(run("VECIN", 0, 49152, {}).findings.empty());
  EXPECT_EQ(ids(run("VECIN", 0, 49153, {})), std::vector<std::string>{"ASC-B104"});
  EXPECT_EQ(ids(run("VECIN", 0, 4294967295, {})), std::vector<std::string>{"ASC-B104"});
}

// An address that moves further than its offset can say stays out of every argument, for good.
TEST(SimTensor, FarOffsetsNeverMeetAnArgument) {
  for (const int64_t step : {int64_t{1} << 34, int64_t{1} << 45, (int64_t{1} << 46) - 3, int64_t{1} << 46,
                             int64_t{1} << 61, int64_t{1} << 62, INT64_MAX, INT64_MIN, -(int64_t{1} << 45),
                             -(int64_t{1} << 46), -(int64_t{1} << 62)}) {
    for (const int64_t size : {1, 2, 4, 8}) {
      const uint64_t from = make_address(9, 64);
      const uint64_t to = move_address(from, step, size);
      const __int128 exact = 64 + static_cast<__int128>(step) * size;
      EXPECT_EQ(place_of(to).owner, 9u);
      if (exact < kFarOffset && exact > -kFarOffset) {
        EXPECT_EQ(place_of(to).offset, static_cast<int64_t>(exact));
      } else {
        EXPECT_EQ(place_of(to).offset, exact < 0 ? -kFarOffset : kFarOffset);
        for (const int64_t back :
             {step == INT64_MIN ? INT64_MAX : -step, int64_t{1}, -kFarOffset, kFarOffset})
          EXPECT_EQ(move_address(to, back, size), to);
      }
    }
  }
  EXPECT_EQ(move_address(0, 5, 4), 0u);  // what is no address becomes none
  EXPECT_EQ(move_address(12345, INT64_MAX, 4), 12345u);
}

TEST(SimTensor, FarAccessesAreFindingsAndDropped) {
  const std::string head = R"(
kernel @k(%x: GlobalAddress<float32>, %y: GlobalAddress<float32>, %far: int64) {
  var %gx: GlobalTensor<float32>
  var %gy: GlobalTensor<float32>
  var %gz: GlobalTensor<float32>
  asc_GlobalTensor_SetGlobalBuffer(%gx, %x)
  asc_GlobalTensor_SetGlobalBuffer(%gy, %y)
  var %t: LocalTensor<float32> = asc_LocalTensor_Init<T=float>(_, TPosition.VECOUT, 0, 64)
  asc_Duplicate(%t, 7.0, 64)
  asc_SetFlag(HardEvent.V_MTE3, 0)
  asc_WaitFlag(HardEvent.V_MTE3, 0)
)";
  const struct {
    const char* body;
    const char* id;
  } kCases[] = {
      {"asc_GlobalTensor_SetValue(%gy, cast<uint64>(%far), 1.0)", "ASC-B102"},
      {"asc_GlobalTensor_SetValue(asc_GlobalTensor_Subindex(%gy, cast<uint64>(%far)), 0, 1.0)", "ASC-B102"},
      {"asc_DataCopy.1(asc_GlobalTensor_Subindex(%gy, cast<uint64>(%far)), %t, 64)", "ASC-B102"},
      {"asc_DataCopy(%t, asc_GlobalTensor_Subindex(%gx, cast<uint64>(%far)), 64)", "ASC-B101"},
      {"asc_GlobalTensor_SetGlobalBuffer(%gz, asc_Pointer_Offset(%y, %far))\n"
       "  asc_GlobalTensor_SetValue(%gz, 0, 1.0)",
       "ASC-B102"},
      {"asc_GlobalTensor_SetGlobalBuffer(%gz, asc_Pointer_OffsetBack(%y, %far))\n"
       "  asc_GlobalTensor_SetValue(%gz, 0, 1.0)",
       "ASC-B102"},
  };
  for (const auto& c : kCases) {
    const ProgramPtr program = program_of(head + "  " + c.body + "\n}");
    for (const int64_t far :
         {int64_t{1} << 38, int64_t{1} << 46, int64_t{1} << 62, -(int64_t{1} << 46), -(int64_t{1} << 62)}) {
      for (const Mode mode : {Mode::Check, Mode::Fast}) {
        Options options;
        options.mode = mode;
        std::vector<float> x = iota(64), y = iota(64);
        const LaunchResult r =
            launch(*program, 1,
                   std::vector<Argument>{array("x", x, DType::F32), array("y", y, DType::F32),
                                         scalar("far", far, DType::I64)},
                   options);
        ASSERT_EQ(ids(r), std::vector<std::string>{c.id}) << c.body << far;
        EXPECT_EQ(r.findings[0].buffer, c.id == std::string("ASC-B101") ? "x" : "y");
        if (c.body == kCases[0].body) {
          EXPECT_EQ(r.findings[0].message,
                    "asc.GlobalTensor.set_value: writes outside argument `y`: element " +
                        std::to_string(far) + " of 64");
        }
        EXPECT_EQ(x, iota(64)) << c.body << far;
        EXPECT_EQ(y, iota(64)) << c.body << far;
      }
    }
  }
}

TEST(SimTensor, FlagsPair) {
  const auto sync = [](int mode, const Options& options = {}) {
    const ProgramPtr program = program_of(R"(
kernel @sync(%x: GlobalAddress<float32>, %z: GlobalAddress<float32>, %mode: int32) {
  var %gx: GlobalTensor<float32>
  var %gz: GlobalTensor<float32>
  asc_GlobalTensor_SetGlobalBuffer(%gx, %x)
  asc_GlobalTensor_SetGlobalBuffer(%gz, %z)
  var %t: LocalTensor<float32> = asc_LocalTensor_Init<T=float>(_, TPosition.VECIN, 0, 64)
  var %u: LocalTensor<float32> = asc_LocalTensor_Init<T=float>(_, TPosition.VECOUT, 256, 64)
  asc_DataCopy(%t, %gx, 64)
  asc_SetFlag(HardEvent.MTE2_V, 0)
  asc_WaitFlag(HardEvent.MTE2_V, 0)
  asc_Adds(%u, %t, 1.0, 64)
  asc_SetFlag(HardEvent.V_MTE3, 0)
  if %mode == 3 { asc_SetFlag(HardEvent.V_MTE3, 0) }
  asc_WaitFlag(HardEvent.V_MTE3, select(%mode == 2, 2, 0))
  if %mode == 4 { asc_SetFlag(HardEvent.V_MTE2, 9) }
  if %mode == 5 { asc_WaitFlag(HardEvent.V_S, 1) }
  if %mode == 6 { asc_WaitFlag(HardEvent.V_MTE2, 1) }
  if %mode == 6 { asc_SetFlag(HardEvent.V_MTE2, 1) }
  asc_DataCopy.1(%gz, %u, 64)
})");
    std::vector<float> x = iota(64), z(64, 0);
    LaunchResult r = launch(
        *program, 1,
        std::vector<Argument>{array("x", x, DType::F32), array("z", z, DType::F32), scalar("mode", mode)},
        options);
    EXPECT_EQ(z, iota(64, 1));
    return r;
  };
  for (const Mode m : {Mode::Check, Mode::Fast}) {
    Options o;
    o.mode = m;
    EXPECT_TRUE(sync(0, o).findings.empty());
    const LaunchResult two = sync(2, o);
    ASSERT_EQ(ids(two), (std::vector<std::string>{"ASC-Y103", "ASC-Y101"})) << messages(two);
    EXPECT_NE(two.findings[1].message.find("V_MTE3, id 0"), std::string::npos);
    EXPECT_NE(two.findings[0].message.find("V_MTE3, id 2"), std::string::npos);
    EXPECT_NE(two.findings[0].fix.find("id 0 is set"), std::string::npos) << two.findings[0].fix;
    EXPECT_EQ(ids(sync(3, o)), std::vector<std::string>{"ASC-Y102"});
    EXPECT_EQ(ids(sync(4, o)), std::vector<std::string>{"ASC-L101"});
    EXPECT_EQ(ids(sync(5, o)), std::vector<std::string>{"ASC-Y103"});
    EXPECT_TRUE(sync(6, o).findings.empty());  // a wait may stand before its set
  }
}

const std::string kQueueHead = R"(
kernel @k(%x: GlobalAddress<float32>, %z: GlobalAddress<float32>) {
  var %gx: GlobalTensor<float32>
  var %gz: GlobalTensor<float32>
  asc_GlobalTensor_SetGlobalBuffer(%gx, %x)
  asc_GlobalTensor_SetGlobalBuffer(%gz, %z)
  var %pipe: TPipe = asc_TPipe_Init()
  var %in: TQue<VECIN, 2> = asc_TQue_Init(TPosition.VECIN, 2)
  var %out: TQue<VECOUT, 2> = asc_TQue_Init(TPosition.VECOUT, 2)
)";

LaunchResult queue(const std::string& body, std::vector<float>* z, const Options& options = {}) {
  const ProgramPtr program = program_of(kQueueHead + body + "\n}");
  std::vector<float> x = iota(64);
  z->assign(64, -1);
  return launch(*program, 1, std::vector<Argument>{array("x", x, DType::F32), array("z", *z, DType::F32)},
                options);
}

TEST(SimQueue, DoubleBuffering) {
  std::vector<float> z;
  const LaunchResult r = queue(R"(
  asc_TPipe_InitBuffer(%pipe, %in, 2, 60)
  asc_TPipe_InitBuffer(%pipe, %out, 2, 64)
  for var %i: int32 in range(0, 4) {
    var %a: LocalTensor<float32> = asc_TQue_AllocTensor<T=float>(%in, _)
    asc_DataCopy(%a, asc_GlobalTensor_Subindex(%gx, cast<uint64>(%i * 16)), 16)
    asc_TQue_EnQue(%in, %a)
    var %b: LocalTensor<float32> = asc_TQue_DeQue<T=float>(%in, _)
    var %c: LocalTensor<float32> = asc_TQue_AllocTensor<T=float>(%out, _)
    asc_Muls(%c, %b, 2.0, 16)
    asc_TQue_FreeTensor(%in, %b)
    asc_TQue_EnQue(%out, %c)
    assert asc_TQue_HasTensorInQue(%out) and asc_TQue_VacantInQue(%out) and asc_TQue_HasIdleBuffer(%out)
    var %d: LocalTensor<float32> = asc_TQue_DeQue<T=float>(%out, _)
    asc_DataCopy.1(asc_GlobalTensor_Subindex(%gz, cast<uint64>(%i * 16)), %d, 16)
    asc_TQue_FreeTensor(%out, %d)
  })",
                               &z);
  EXPECT_TRUE(r.findings.empty()) << messages(r);
  for (int i = 0; i < 64; i++) EXPECT_EQ(z[static_cast<size_t>(i)], 2.0f * static_cast<float>(i));
}

TEST(SimQueue, Misuse) {
  std::vector<float> z;
  const std::string init =
      "  asc_TPipe_InitBuffer(%pipe, %in, 1, 64)\n  asc_TPipe_InitBuffer(%pipe, %out, 1, 64)\n";
  const std::string alloc = "  var %a: LocalTensor<float32> = asc_TQue_AllocTensor<T=float>(%in, _)\n";
  const std::string again = "  var %b: LocalTensor<float32> = asc_TQue_AllocTensor<T=float>(%in, _)\n";
  const std::string done = "  asc_TQue_FreeTensor(%in, %a)\n";
  const auto found = [&](const std::string& body) { return ids(queue(body, &z)); };
  using Ids = std::vector<std::string>;
  EXPECT_EQ(found(init + alloc + done), Ids{});
  EXPECT_EQ(found(init + alloc), Ids{"ASC-Q107"});
  EXPECT_EQ(found(init + alloc + again + done), Ids{"ASC-Q101"});
  EXPECT_EQ(found(init + alloc + "  asc_TQue_FreeTensor(%out, %a)\n" + done), Ids{"ASC-Q102"});
  EXPECT_EQ(found(init + alloc + done + "  asc_Adds(%a, %a, 1.0, 16)\n"), Ids{"ASC-Q103"});
  EXPECT_EQ(found(init + alloc + done + done), Ids{"ASC-Q111"});
  EXPECT_EQ(found(init + "  var %a: LocalTensor<float32> = asc_TQue_DeQue<T=float>(%in, _)\n" + done),
            Ids{"ASC-Q105"});
  EXPECT_EQ(found(alloc), Ids{"ASC-Q108"});
  // What follows a wait for ever says nothing new: not of the tensor that never was, but of one left
  // allocated.
  EXPECT_EQ(found(init + alloc + again + done + "  asc_TQue_FreeTensor(%in, %b)\n"), Ids{"ASC-Q101"});
  EXPECT_EQ(found(init + alloc + again), (Ids{"ASC-Q101", "ASC-Q107"}));
  const std::string empty = "  var %a: LocalTensor<float32> = asc_TQue_DeQue<T=float>(%in, _)\n";
  EXPECT_EQ(found(init + empty), Ids{"ASC-Q105"});
  EXPECT_EQ(found(init + empty + "  asc_Adds(%a, %a, 1.0, 16)\n" + done + done), Ids{"ASC-Q105"});
  // After reset the pipe hands out anew; after destroy nothing of it works.
  const std::string reset = "  asc_TPipe_Reset(%pipe)\n", destroy = "  asc_TPipe_Destroy(%pipe)\n";
  EXPECT_EQ(found(init + alloc + done + reset + init + again + "  asc_TQue_FreeTensor(%in, %b)\n"), Ids{});
  EXPECT_EQ(found(init + reset + alloc), Ids{"ASC-Q114"});
  EXPECT_EQ(found(init + alloc + reset + done), (Ids{"ASC-Q114", "ASC-Q107"}));
  EXPECT_EQ(found(init + destroy + alloc), Ids{"ASC-Q114"});
  EXPECT_EQ(found(init + destroy + "  asc_TPipe_InitBuffer(%pipe, %in, 1, 64)\n"), Ids{"ASC-Q114"});
  EXPECT_EQ(found(init + destroy + destroy), Ids{"ASC-Q114"});
  EXPECT_EQ(found(init + destroy + "  assert asc_TPipe_FetchEventID(%pipe) == 0\n"), Ids{"ASC-Q114"});
  EXPECT_EQ(found("  asc_TPipe_InitBuffer(%pipe, %in, 0, 64)\n" + alloc), Ids{"ASC-Q113"});
  EXPECT_EQ(found("  asc_TPipe_InitBuffer(%pipe, %in, 1, 0)\n" + alloc), Ids{"ASC-Q113"});
  EXPECT_EQ(found(init + init), (Ids{"ASC-Q112", "ASC-Q112"}));
  EXPECT_EQ(found("  asc_TPipe_InitBuffer(%pipe, %in, 65, 32)\n"), Ids{"ASC-Q106"});
  EXPECT_EQ(
      found("  asc_TPipe_InitBuffer(%pipe, %in, 3, 64)\n" + alloc + "  asc_TQue_EnQue(%in, %a)\n" + again +
            "  asc_TQue_EnQue(%in, %b)\n"
            "  %a = asc_TQue_AllocTensor<T=float>(%in, _)\n  asc_TQue_EnQue(%in, %a)\n"
            "  %a = asc_TQue_DeQue<T=float>(%in, _)\n" +
            done + "  %a = asc_TQue_DeQue<T=float>(%in, _)\n" + done +
            "  %a = asc_TQue_DeQue<T=float>(%in, _)\n" + done),
      Ids{"ASC-Q104"});
}

TEST(SimQueue, MemoryMapAtOverflow) {
  std::vector<float> z;
  LaunchResult r = queue(R"(
  var %big: TBuf<VECCALC> = asc_TBuf_Init(TPosition.VECCALC)
  asc_TPipe_InitBuffer(%pipe, %in, 2, 1024)
  asc_TPipe_InitBuffer.2(%pipe, %big, 262144)
  var %t: LocalTensor<float32> = asc_TBuf_Get<T=float>(%big, _, _))",
                         &z);
  ASSERT_EQ(ids(r), std::vector<std::string>{"ASC-B107"});
  for (const char* part : {"196608", "262144", "in (2 x 1024 bytes)", "big"})
    EXPECT_NE(r.findings[0].message.find(part), std::string::npos) << r.findings[0].message;
  r = queue(R"(
  var %buf: TBuf<VECIN> = asc_TBuf_Init(TPosition.VECIN)
  asc_TPipe_InitBuffer.2(%pipe, %buf, 128)
  var %t: LocalTensor<float32> = asc_TBuf_Get<T=float>(%buf, _, _)
  var %e: int32 = asc_TPipe_FetchEventID(%pipe, HardEvent.MTE2_MTE3)
  asc_DataCopy(%t, %gx, 64)
  asc_SetFlag(HardEvent.MTE2_MTE3, %e)
  asc_WaitFlag(HardEvent.MTE2_MTE3, %e)
  asc_DataCopy.1(%gz, %t, 64))",
            &z);
  EXPECT_EQ(ids(r), (std::vector<std::string>{"ASC-B103", "ASC-B103"}));
  EXPECT_EQ(r.findings[0].buffer, "buf");
  EXPECT_EQ(r.findings[0].message,
            "asc.data_copy: writes 64 elements of dst of `buf`, a tensor of 32 elements");
  EXPECT_EQ(z, iota(64));
}

// Numbers of buffers have 16 bits in a tensor: a loop that makes its queues anew uses theirs again.
TEST(SimQueue, QueuesMadeAnewInALongLoop) {
  for (const bool reset : {true, false}) {
    const std::string make = "  var %p: TPipe = asc_TPipe_Init()\n  var %q: TQue<VECIN, 2>\n";
    const ProgramPtr program = program_of(
        "kernel @k(%x: GlobalAddress<int32>) {\n  var %g: GlobalTensor<int32>\n"
        "  asc_GlobalTensor_SetGlobalBuffer(%g, %x)\n" +
        (reset ? make : "") + "  for var %i: int32 in range(0, 40000) {\n" + (reset ? "" : make) + R"(
    asc_TPipe_InitBuffer(%p, %q, 2, 32)
    var %a: LocalTensor<int32> = asc_TQue_AllocTensor<T=i32>(%q)
    asc_Duplicate(%a, %i, 8)
    asc_TQue_EnQue(%q, %a)
    %a = asc_TQue_DeQue<T=i32>(%q)
    asc_GlobalTensor_SetValue(%g, 0, asc_LocalTensor_GetValue(%a, 0))
    asc_TQue_FreeTensor(%q, %a)
)" + (reset ? "    asc_TPipe_Reset(%p)\n" : "") +
        "  }\n}\n");
    std::vector<int32_t> x(8);
    const std::vector<Argument> args = {array("x", x, DType::I32)};
    const LaunchResult result = launch(*program, 1, args, {});
    EXPECT_TRUE(result.findings.empty()) << messages(result);
    EXPECT_EQ(x[0], 39999);
  }
}

TEST(SimQueue, EventIds) {
  std::vector<float> z;
  std::string take = "  var %e: int32 = asc_TPipe_AllocEventID(%pipe, HardEvent.MTE2_V)\n";
  for (int i = 1; i < 8; i++) {
    take +=
        "  %e = asc_TPipe_AllocEventID(%pipe, HardEvent.MTE2_V)\n  assert %e == " + std::to_string(i) + "\n";
  }
  EXPECT_TRUE(queue(take, &z).findings.empty());
  EXPECT_EQ(ids(queue(take + "  %e = asc_TPipe_AllocEventID(%pipe, HardEvent.MTE2_V)\n", &z)),
            std::vector<std::string>{"ASC-Q109"});
  EXPECT_TRUE(queue(take + R"(
  asc_TPipe_ReleaseEventID(%pipe, 3, HardEvent.MTE2_V)
  %e = asc_TPipe_FetchEventID(%pipe, HardEvent.MTE2_V)
  assert %e == 3
  %e = asc_TPipe_AllocEventID(%pipe, HardEvent.MTE2_V)
  assert %e == 3)",
                    &z)
                  .findings.empty());
  EXPECT_EQ(ids(queue("  asc_TPipe_ReleaseEventID(%pipe, 3, HardEvent.MTE2_V)\n", &z)),
            std::vector<std::string>{"ASC-Q110"});
}

TEST(SimTensor, IgnoreAndAllowComments) {
  const std::string text = R"(source 0 "k.py" line 10 function "k"
  "def k(x):\n"
  "    g.set_value(9, 1)  # asc: allow(alignment, bounds): the host reads it\n"
  "    g.set_value(9, 1)\n"
@s0:0:0-2:20 kernel @k(%x: GlobalAddress<int32>) {
  var %g: GlobalTensor<int32>
  asc_GlobalTensor_SetGlobalBuffer(%g, %x)
  @1:4-1:21 asc_GlobalTensor_SetValue(%g, 9, 1)
  @2:4-2:21 asc_GlobalTensor_SetValue(%g, 9, 1)
})";
  const ProgramPtr program = program_of(text);
  std::vector<int32_t> x(4);
  const std::vector<Argument> args = {array("x", x, DType::I32)};
  LaunchResult r = launch(*program, 3, args, {});
  ASSERT_EQ(r.findings.size(), 1u);
  EXPECT_EQ(r.findings[0].sites.at(0).line, 12u);
  EXPECT_EQ(r.findings[0].count, 3u);
  EXPECT_EQ(r.silenced, 3u);
  for (const char* word : {"bounds", "ASC-B102"}) {
    Options options;
    options.ignore = {word};
    r = launch(*program, 3, args, options);
    EXPECT_TRUE(r.findings.empty());
    EXPECT_EQ(r.silenced, 6u);
  }
}

TEST(SimTensor, CallersLinesAndDistinctLimit) {
  std::string text = R"(source 0 "h.py" line 1 function "h"
  "def h(g):\n"
  "    g.set_value(9, 1)\n"
source 1 "k.py" line 10 function "k"
  "def k(x):\n"
  "    h(g)\n"
@s0:0:0-1:20 func @h(%g: GlobalTensor<int32>) {
  @1:4-1:21 asc_GlobalTensor_SetValue(%g, 9, 1)
}
@s1:0:0-2:20 kernel @k(%x: GlobalAddress<int32>) {
  var %g: GlobalTensor<int32>
  asc_GlobalTensor_SetGlobalBuffer(%g, %x)
  @1:4-1:8 @h(%g)
)";
  std::vector<int32_t> x(4);
  const std::vector<Argument> args = {array("x", x, DType::I32)};
  const LaunchResult r = launch(*program_of(text + "}"), 1, args, {});
  ASSERT_EQ(r.findings.size(), 1u);
  ASSERT_EQ(r.findings[0].sites.size(), 2u);
  EXPECT_EQ(r.findings[0].sites[0].file, "h.py");
  EXPECT_EQ(r.findings[0].sites[0].line, 2u);
  EXPECT_EQ(r.findings[0].sites[1].file, "k.py");
  EXPECT_EQ(r.findings[0].sites[1].line, 11u);
  for (int i = 0; i < 50; i++)
    text += "  @" + std::to_string(100 + i) + ":4-6 asc_GlobalTensor_SetValue(%g, 9, 1)\n";
  EXPECT_EQ(launch(*program_of(text + "}"), 1, args, {}).findings.size(), 20u);
}

TEST(SimTensor, ScalarsReachEveryDtype) {
  for (const char* name : {"int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64",
                           "float16", "bfloat16", "float32", "float64", "bool"}) {
    DType dtype;
    ASSERT_TRUE(find_dtype(name, &dtype));
    const std::string t(name), three = dtype == DType::Bool ? "true" : "3";
    const ProgramPtr program =
        program_of("kernel @k(%x: GlobalAddress<" + t + ">) {\n  var %g: GlobalTensor<" + t +
                   ">\n  asc_GlobalTensor_SetGlobalBuffer(%g, %x)\n  var %l: LocalTensor<" + t +
                   "> = asc_LocalTensor_Init<T=" + std::string(desc(dtype).short_name) +
                   ">(_, TPosition.VECIN, 0, 8)\n"
                   "  asc_LocalTensor_SetValue(%l, 2, asc_GlobalTensor_GetValue(%g, 0))\n"
                   "  asc_GlobalTensor_SetValue(%g, 1, asc_LocalTensor_GetValue(%l, 2))\n"
                   "  asc_GlobalTensor_SetValue(%g, 2, " +
                   three + ")\n}\n");
    std::vector<uint8_t> x(static_cast<size_t>(3 * size_of(dtype)), 0);
    x[static_cast<size_t>(size_of(dtype)) - 1] =
        dtype == DType::Bool ? 1 : 0x43;  // a value with its top byte in use
    const LaunchResult r = launch(*program, 1, std::vector<Argument>{array("x", x, dtype)}, {});
    EXPECT_TRUE(r.findings.empty()) << messages(r);
    const auto size = static_cast<ptrdiff_t>(size_of(dtype));
    EXPECT_TRUE(std::equal(x.begin(), x.begin() + size, x.begin() + size)) << name;
    if (is_int(dtype)) {
      EXPECT_EQ(x[static_cast<size_t>(2 * size)], 3) << name;
    }
  }
}

TEST(SimTensor, VectorOpsOfEachFamily) {
  const auto run = [](const std::string& op, int n = 8) {
    const ProgramPtr program = program_of(R"(
kernel @k(%x: GlobalAddress<float16>, %y: GlobalAddress<float16>) {
  var %gx: GlobalTensor<float16>
  var %gy: GlobalTensor<float16>
  asc_GlobalTensor_SetGlobalBuffer(%gx, %x)
  asc_GlobalTensor_SetGlobalBuffer(%gy, %y)
  var %a: LocalTensor<float16> = asc_LocalTensor_Init<T=half>(_, TPosition.VECIN, 0, 16)
  var %b: LocalTensor<float16> = asc_LocalTensor_Init<T=half>(_, TPosition.VECIN, 32, 16)
  asc_DataCopy(%a, %gx, 16)
  asc_DataCopy(%b, %gx, 16)
)" + op + "\n  asc_DataCopy.1(%gy, %b, 16)\n}\n");
    std::vector<half_t> x(16), y(16);
    for (int i = 0; i < 16; i++) x[static_cast<size_t>(i)] = half_t(static_cast<float>(i - 8));
    const LaunchResult r =
        launch(*program, 1, std::vector<Argument>{array("x", x, DType::F16), array("y", y, DType::F16)}, {});
    EXPECT_TRUE(r.findings.empty()) << messages(r);
    std::vector<float> out;
    for (int i = 0; i < n; i++) out.push_back(y[static_cast<size_t>(i)]);
    return out;
  };
  const std::vector<float> x = {-8, -7, -6, -5, -4, -3, -2, -1};
  const auto map = [&x](auto fn) {
    std::vector<float> out;
    for (float v : x) out.push_back(fn(v));
    return out;
  };
  EXPECT_EQ(run("  asc_Abs(%b, %a, 8)"), map([](float v) { return std::fabs(v); }));
  EXPECT_EQ(run("  asc_Mul(%b, %a, %b, 8)"), map([](float v) { return v * v; }));
  EXPECT_EQ(run("  asc_MulAddDst(%b, %a, %a, 8)"), map([](float v) { return v * v + v; }));
  EXPECT_EQ(run("  asc_Maxs(%b, %a, -3.5, 8)"), map([](float v) { return v > -3.5f ? v : -3.5f; }));
  EXPECT_EQ(run("  asc_Axpy(%b, %a, 2.0, 8)"), map([](float v) { return 3 * v; }));
  EXPECT_EQ(run("  asc_Duplicate(%b, 1.5, 4)"), (std::vector<float>{1.5, 1.5, 1.5, 1.5, -4, -3, -2, -1}));
}

TEST(SimTensor, LocalMemoryIsPoisonedForEachBlock) {
  const ProgramPtr program = program_of(R"(
kernel @k(%x: GlobalAddress<float32>) {
  var %g: GlobalTensor<float32>
  asc_GlobalTensor_SetGlobalBuffer(%g, %x)
  var %t: LocalTensor<float32> = asc_LocalTensor_Init<T=float>(_, TPosition.VECIN, 64, 8)
  asc_GlobalTensor_SetValue(%g, cast<uint64>(asc_GetBlockIdx()), asc_LocalTensor_GetValue(%t, 3))
  asc_Duplicate(%t, 5.0, 8)
})");
  for (int round = 0; round < 3; round++) {
    std::vector<float> x(6, 0);
    launch(*program, 6, std::vector<Argument>{array("x", x, DType::F32)}, {});
    for (float v : x) EXPECT_TRUE(std::isnan(v));
  }
}

}  // namespace
}  // namespace asc::sim
