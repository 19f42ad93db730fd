// SPDX-License-Identifier: Apache-2.0
// Which arrays a launch overwrites as a whole: affine numbers against all their values, coverage against
// every byte, and kernels as IR text.
#include "passes/overwrites.h"

#include <random>

#include "ir/scalar.h"
#include "passes/affine.h"
#include "passes_text.h"

namespace {

using namespace asc;
using passes::Affine;
using passes::Footprint;
using passes::Symbols;

// ---- affine numbers, one value of the symbols after the other -----------------------------------

struct Space3 {
  Symbols symbols;
  std::vector<int64_t> counts;
  uint32_t add(int64_t count) {
    counts.push_back(count);
    return symbols.add(count);
  }
  template <class Fn>
  void each(Fn&& fn) const {
    std::vector<int64_t> at(counts.size(), 0);
    while (true) {
      fn(at);
      size_t i = 0;
      while (i < at.size() && ++at[i] == counts[i]) at[i++] = 0;
      if (i == at.size()) return;
    }
  }
};

int64_t value(const Affine& a, const std::vector<int64_t>& at) {
  int64_t sum = a.base;
  for (const Affine::Term& term : a.all()) sum += term.factor * at[term.symbol];
  return sum;
}

Affine random_affine(std::mt19937_64& rng, const Space3& space, int64_t most) {
  const auto pick = [&] { return std::uniform_int_distribution<int64_t>(-most, most)(rng); };
  Affine a = Affine::of(pick());
  for (uint32_t i = 0; i < space.counts.size(); i++)
    if (rng() % 3 != 0) a = *passes::add(a, Affine::of(i, pick()));
  return a;
}

TEST(Overwrites, AffineNumbersAreWhatTheirValuesAre) {
  std::mt19937_64 rng(7);
  for (int round = 0; round < 400; round++) {
    Space3 space;
    for (int i = 0; i < 3; i++) space.add(2 + static_cast<int64_t>(rng() % 4));
    const Affine a = random_affine(rng, space, 9), b = random_affine(rng, space, 9);
    const int64_t factor = static_cast<int64_t>(rng() % 9) - 4, divisor = 1 + static_cast<int64_t>(rng() % 6);
    const auto sum = passes::add(a, b), difference = passes::subtract(a, b),
               scaled = passes::scale(a, factor);
    const auto fixed = passes::at(a, 1, 1);
    const auto quotient = passes::divide(a, divisor, space.symbols);
    const auto rest = passes::remainder(a, divisor, space.symbols);
    ASSERT_TRUE(sum && difference && scaled && fixed);
    int64_t low = INT64_MAX, high = INT64_MIN;
    space.each([&](const std::vector<int64_t>& at) {
      const int64_t x = value(a, at), y = value(b, at);
      ASSERT_EQ(value(*sum, at), x + y);
      ASSERT_EQ(value(*difference, at), x - y);
      ASSERT_EQ(value(*scaled, at), x * factor);
      ASSERT_TRUE(at[1] != 1 || value(*fixed, at) == x);
      ASSERT_TRUE(!quotient || value(*quotient, at) == ir::floor_div(x, divisor));
      ASSERT_TRUE(!rest || value(*rest, at) == ir::floor_mod(x, divisor));
      low = std::min(low, x);
      high = std::max(high, x);
    });
    const passes::Interval range = passes::range_of(a, space.symbols);
    EXPECT_TRUE(range.lo == low && range.hi == high);
    EXPECT_TRUE(passes::subtract(a, a) == Affine::of(0));
  }
}

TEST(Overwrites, AffineNumbersEndAt64Bits) {
  EXPECT_FALSE(passes::add(Affine::of(INT64_MAX), Affine::of(1)));
  EXPECT_FALSE(passes::scale(Affine::of(0, INT64_MAX), 2));
  EXPECT_FALSE(passes::scale(Affine::of(INT64_MIN), -1));
  EXPECT_FALSE(passes::at(Affine::of(0, INT64_MAX), 0, 3));
  Affine many = Affine::of(0);
  for (uint32_t i = 0; i < Affine::kMostTerms; i++) many = *passes::add(many, Affine::of(i, 1));
  EXPECT_FALSE(passes::add(many, Affine::of(99, 1)));
}

// ---- coverage, byte by byte ---------------------------------------------------------------------

TEST(Overwrites, CoverageMissesNoByte) {
  std::mt19937_64 rng(11);
  int proven = 0, whole = 0;
  for (int round = 0; round < 20000; round++) {
    Space3 space;
    const int symbols = 1 + static_cast<int>(rng() % 3);
    for (int i = 0; i < symbols; i++) space.add(2 + static_cast<int64_t>(rng() % 3));
    std::vector<Footprint> parts;
    const int count = 1 + static_cast<int>(rng() % 4);
    for (int i = 0; i < count; i++) {
      Affine at = random_affine(rng, space, 12);
      at.base = static_cast<int64_t>(rng() % 9) - 4;
      parts.push_back({at, 1 + static_cast<int64_t>(rng() % 8)});
    }
    const int64_t bytes = 1 + static_cast<int64_t>(rng() % 24);
    std::vector<bool> touched(static_cast<size_t>(bytes), false);
    for (const Footprint& part : parts)
      space.each([&](const std::vector<int64_t>& at) {
        const int64_t begin = value(part.at, at);
        for (int64_t i = std::max<int64_t>(begin, 0); i < std::min(begin + part.bytes, bytes); i++)
          touched[static_cast<size_t>(i)] = true;
      });
    const bool all = std::ranges::find(touched, false) == touched.end();
    const bool covered = passes::covers(parts, space.symbols, bytes);
    ASSERT_TRUE(all || !covered) << "round " << round;
    proven += covered;
    whole += all;
  }
  EXPECT_GT(proven, whole / 2) << "of " << whole;
}

TEST(Overwrites, CoverageSeesThroughSymbols) {
  Symbols symbols;
  const uint32_t block = symbols.add(4), turn = symbols.add(8), back = symbols.add(8);
  const auto at = [](int64_t base, std::vector<Affine::Term> terms) {
    Affine a = Affine::of(base);
    for (const Affine::Term& t : terms) a = *passes::add(a, Affine::of(t.symbol, t.factor));
    return a;
  };
  const auto covers = [&](std::vector<Footprint> parts, int64_t bytes) {
    return passes::covers(std::move(parts), symbols, bytes);
  };
  EXPECT_TRUE(covers({{at(0, {{block, 64}, {turn, 8}}), 8}}, 256));
  EXPECT_FALSE(covers({{at(0, {{block, 64}, {turn, 8}}), 8}}, 257));
  EXPECT_FALSE(covers({{at(0, {{block, 65}, {turn, 8}}), 8}}, 256)) << "a gap between blocks";
  EXPECT_FALSE(covers({{at(1, {{block, 64}, {turn, 8}}), 8}}, 256)) << "the first byte";
  EXPECT_TRUE(covers({{at(0, {{block, 8}, {turn, 32}}), 8}}, 256)) << "blocks take turns";
  EXPECT_TRUE(covers({{at(56, {{block, 64}, {back, -8}}), 8}}, 256)) << "backwards";
  // A tail of each block, by a write of its own or a loop of its own.
  EXPECT_FALSE(covers({{at(0, {{block, 80}, {turn, 8}}), 8}}, 320));
  EXPECT_TRUE(covers({{at(0, {{block, 80}, {turn, 8}}), 8}, {at(64, {{block, 80}}), 16}}, 320));
  EXPECT_TRUE(covers({{at(64, {{block, 80}, {back, 2}}), 2}, {at(0, {{block, 80}, {turn, 8}}), 8}}, 320));
  EXPECT_FALSE(covers({{at(0, {{block, 80}, {turn, 8}}), 8}, {at(65, {{block, 80}}), 15}}, 320));
  EXPECT_FALSE(covers({}, 1));
  EXPECT_FALSE(covers({{at(0, {}), 8}}, 0));
}

// ---- kernels ------------------------------------------------------------------------------------

struct Launch {
  int64_t n = 64, m = 0;
  int grid = 1;
  int64_t bytes = 256;
};

// `%z` is asked about; `%a` is bound to it, `%ub` a tensor in UB; `%n`, `%m` are numbers.
bool proven(const std::string& body, Launch launch = {}, const std::string& before = "",
            const std::string& type = "AIV_ONLY") {
  auto module = passes_test::parse("module kernel_type=" + type + " auto_sync=true\n" + before +
                                   R"(
kernel @k(%x: GlobalAddress<float32>, %z: GlobalAddress<float32>, %n: int32, %m: int32) {
  var %a: GlobalTensor<float32>
  asc_GlobalTensor_SetGlobalBuffer<T=float>(%a, %z, _)
  var %b: GlobalTensor<float32>
  asc_GlobalTensor_SetGlobalBuffer<T=float>(%b, %x, _)
  var %ub: LocalTensor<float32> = asc_LocalTensor_Init<T=float>(_, TPosition.VECIN, 0, 1024)
)" + body + "\n}\n");
  passes::access(*module);
  std::vector<passes::LaunchArgument> given(4);
  given[1].bytes = launch.bytes;
  given[2].number = launch.n;
  given[3].number = launch.m;
  return passes::overwritten(*module, given, launch.grid)[1];
}

std::string copy_at(const std::string& offset, const std::string& count) {
  return "asc_DataCopy.1<T=float>(asc_GlobalTensor_Subindex<T=float>(%a, cast<uint64>(" + offset +
         ")), %ub, cast<uint32>(" + count + "))\n";
}
std::string loop(const std::string& range, const std::string& body) {
  return "for var %i: int32 in range(" + range + ") {\n" + body + "}\n";
}

TEST(Overwrites, OneCopy) {
  EXPECT_TRUE(proven("asc_DataCopy.1<T=float>(%a, %ub, 64)"));
  EXPECT_TRUE(proven("asc_DataCopy.1<T=float>(%a, %ub, 72)"));
  EXPECT_FALSE(proven("asc_DataCopy.1<T=float>(%a, %ub, 63)")) << "rounded down to whole blocks";
  EXPECT_FALSE(proven("asc_DataCopy.1<T=float>(%a, %ub, 63)", {.bytes = 252}));
  EXPECT_TRUE(proven("asc_DataCopy.1<T=float>(%a, %ub, 63)", {.bytes = 224}));
  EXPECT_FALSE(proven("asc_DataCopy.1<T=float>(%a, %ub, 56)"));
  EXPECT_FALSE(proven("asc_DataCopy.1<T=float>(%a, %ub, 0)"));
  EXPECT_TRUE(proven("asc_DataCopy.1<T=float>(%a, %ub, cast<uint32>(%n))"));
  EXPECT_FALSE(proven("asc_DataCopy.1<T=float>(%a, %ub, cast<uint32>(%n))", {.n = 56}));
  EXPECT_FALSE(proven("asc_DataCopy.1<T=float>(%a, %ub, cast<uint32>(%n))", {.n = -64}));
  EXPECT_FALSE(proven("asc_DataCopy<T=float>(%ub, %a, 64)")) << "it reads";
  EXPECT_FALSE(proven("asc_DataCopy.1<T=float>(%a, %ub, 64)\nasc_DataCopy<T=float>(%ub, %a, 64)"));
  EXPECT_FALSE(proven("asc_DataCopy.1<T=float>(%b, %ub, 64)")) << "another argument";
  EXPECT_FALSE(proven(copy_at("1", "64"))) << "the first element";
  const std::string back = "asc_GlobalTensor_SetGlobalBuffer<T=float>(%a, asc_Pointer_OffsetBack<T=float>(";
  EXPECT_TRUE(proven(back + "asc_Pointer_OffsetRight<T=float>(%z, 8), 8), _)\n" + copy_at("0", "64")));
  EXPECT_TRUE(proven(back + "%z, 8), _)\n" + copy_at("8", "64")));
  EXPECT_FALSE(proven(back + "%z, 8), _)\n" + copy_at("0", "64")));
  EXPECT_FALSE(proven(back + "%z, -8), _)\n" + copy_at("0", "64")));
  EXPECT_FALSE(proven(""));
}

TEST(Overwrites, OnlyWhatAVectorCoreCopies) {
  const std::string whole = "asc_DataCopy.1<T=float>(%a, %ub, 64)";
  EXPECT_FALSE(proven(whole, {}, "", "AIC_ONLY"));
  EXPECT_FALSE(proven(whole, {}, "", "MIX_AIC_1_2"));
  EXPECT_FALSE(proven(whole, {}, "", "Auto"));
  EXPECT_TRUE(proven(whole, {}, "", "MIX_AIV_1_0"));
  EXPECT_FALSE(
      proven("var %l1: LocalTensor<float32> = asc_LocalTensor_Init<T=float>(_, TPosition.A1, 0, 64)\n"
             "asc_DataCopy.1<T=float>(%a, %l1, 64)"))
      << "no memory of a vector core: it skips the copy";
  EXPECT_FALSE(proven("var %none: LocalTensor<float32>\nasc_DataCopy.1<T=float>(%a, %none, 64)"));
  EXPECT_TRUE(proven("if is_aiv() {\n" + whole + "\n}"));
  EXPECT_FALSE(proven("if is_aic() {\n" + whole + "\n}"));
  EXPECT_TRUE(
      proven("var %q: TQue<VECOUT, 1> = asc_TQue_Init(TPosition.VECOUT, 1)\n"
             "var %l: LocalTensor<float32> = asc_TQue_DeQue<T=float>(%q, _)\n"
             "asc_DataCopy.1<T=float>(%a, asc_LocalTensor_Subindex<T=float>(%l, 8), 64)"));
}

TEST(Overwrites, Loops) {
  EXPECT_TRUE(proven(loop("0, %n // 8", copy_at("%i * 8", "8"))));
  EXPECT_TRUE(proven(loop("0, %n, 8", copy_at("%i", "8"))));
  EXPECT_TRUE(proven(loop("%n // 8 - 1, -1, -1", copy_at("%i * 8", "8"))));
  EXPECT_TRUE(proven(
      loop("0, 2", "for var %j: int32 in range(0, 4) {\n" + copy_at("%i * 32 + %j * 8", "8") + "}\n")));
  EXPECT_FALSE(proven(loop("0, %n // 8 - 1", copy_at("%i * 8", "8"))));
  EXPECT_FALSE(proven(loop("1, %n // 8", copy_at("%i * 8", "8"))));
  EXPECT_FALSE(proven(loop("0, %n // 8, 2", copy_at("%i * 8", "8"))));
  EXPECT_FALSE(proven(loop("%n // 8 - 1, 0, -1", copy_at("%i * 8", "8"))));
  EXPECT_FALSE(proven(loop("0, %n // 8", copy_at("%i * 9", "8"))));
  EXPECT_FALSE(proven(loop("0, %n // 8", copy_at("%i * 16", "8")), {.bytes = 512}));
  EXPECT_FALSE(proven(loop("0, %n // 8", copy_at("%m * 8", "8")))) << "the same place in each turn";
  EXPECT_FALSE(proven(loop("0, %m", copy_at("0", "64")))) << "no turn";
  EXPECT_FALSE(proven(loop("%m, %m - 5", copy_at("0", "64")))) << "no turn";
  EXPECT_TRUE(proven(loop("0, %m", "") + copy_at("0", "64")));
  EXPECT_FALSE(proven(loop("0, 8, %m", copy_at("%i * 8", "8")))) << "step 0 is a finding";
  EXPECT_TRUE(proven(loop("0, %n", "asc_GlobalTensor_SetValue<T=float>(%a, cast<uint64>(%i), 1.0)\n")));
  EXPECT_FALSE(proven(loop("0, %n, 2", "asc_GlobalTensor_SetValue<T=float>(%a, cast<uint64>(%i), 1.0)\n")));
  EXPECT_FALSE(
      proven(loop("0, 8", "for var %j: int32 in range(0, %i) {\n" + copy_at("%j * 8", "8") + "}\n")));
}

TEST(Overwrites, LoopsThatMayEndOtherwise) {
  const std::string copy = copy_at("%i * 8", "8");
  EXPECT_FALSE(proven(loop("0, 8", "if %i == 3 {\ncontinue\n}\n" + copy)));
  EXPECT_FALSE(proven(loop("0, 8", "if %i == 3 {\nbreak\n}\n" + copy)));
  EXPECT_FALSE(proven(loop("0, 8", "if %i == 3 {\nreturn\n}\n" + copy)));
  EXPECT_FALSE(proven(loop("0, 8", copy + "if %i == 3 {\nbreak\n}\n")));
  EXPECT_TRUE(proven(loop("0, 8", "if %i == 8 {\nbreak\n}\n" + copy))) << "never";
  EXPECT_TRUE(proven(loop("0, 8", "if %m == 1 {\nbreak\n}\n" + copy)));
  EXPECT_FALSE(proven(loop("0, 8", "if %m == 1 {\nbreak\n}\n" + copy), {.m = 1}));
  EXPECT_FALSE(proven(loop("0, 8", "if %i == 3 {\nreturn\n}\n") + copy_at("0", "64"))) << "behind it";
  EXPECT_TRUE(proven(loop("0, 8", "if %i == 3 {\nbreak\n}\n") + copy_at("0", "64"))) << "behind it";
  EXPECT_FALSE(proven("while %n > 0 {\n" + copy_at("0", "64") + "%n = %n - 1\n}\n"));
  EXPECT_FALSE(proven("while %n > 0 {\n%n = %n - 1\n}\n" + copy_at("0", "%n"))) << "n is another number now";
  EXPECT_TRUE(proven("while %n > 0 {\n%n = %n - 1\n}\n" + copy_at("0", "64")));
  EXPECT_FALSE(proven("for var %i: int32 in range(0, 8) {\nif %i == 3 {\nbreak\n}\n} else {\n" +
                      copy_at("0", "64") + "}\n"));
  EXPECT_TRUE(proven("for var %i: int32 in range(0, 8) {\n} else {\n" + copy_at("0", "64") + "}\n"));
}

TEST(Overwrites, WhatTurnsCarry) {
  const std::string begin = "var %at: int32 = 0\n";
  EXPECT_TRUE(proven(begin + loop("0, 8", copy_at("%at", "8") + "%at = %at + 8\n")));
  EXPECT_FALSE(proven(begin + loop("0, 8", "%at = %at + 8\n" + copy_at("%at", "8"))));
  EXPECT_TRUE(proven("var %at: int32 = -8\n" + loop("0, 8", "%at = %at + 8\n" + copy_at("%at", "8"))));
  EXPECT_FALSE(proven(begin + loop("0, 8", copy_at("%at", "8") + "%at = %at + 9\n")));
  EXPECT_FALSE(proven(begin + loop("0, 8", copy_at("%at", "8") + "if %i == 3 {\n%at = %at + 8\n}\n")));
  EXPECT_FALSE(proven("var %at: int32 = 8\n" + loop("0, 8", copy_at("%at - 8", "8") + "%at = %at * 2\n")));
  // The first two turns move by the same; only one from anywhere shows that later ones do not.
  EXPECT_FALSE(proven(begin + loop("0, 8", copy_at("%at", "8") + "%at = min(%at + 8, 16)\n")));
  EXPECT_FALSE(proven(begin + loop("0, 8", copy_at("%at", "8") + "%at = (%at + 8) % 32\n")));
  // Addresses and handles move as well; one that another variable gives is late by a turn.
  EXPECT_TRUE(proven("var %p: GlobalAddress<float32> = %z\n" +
                     loop("0, 8", "asc_GlobalTensor_SetGlobalBuffer<T=float>(%a, %p, _)\n" +
                                      copy_at("0", "8") + "%p = asc_Pointer_Offset<T=float>(%p, 8)\n")));
  EXPECT_FALSE(proven(loop("0, 8", copy_at("%i * 8", "8") + "%a = %b\n")));
  EXPECT_FALSE(proven(
      loop("0, 8", copy_at("%i * 8", "8") + "asc_GlobalTensor_SetGlobalBuffer<T=float>(%a, %x, _)\n")));
  EXPECT_FALSE(proven(begin + "var %next: int32 = 8\n" +
                      loop("0, 8", copy_at("%at", "8") + "%at = %next\n%next = %next + 9\n")));
  EXPECT_TRUE(proven(begin + "var %next: int32 = 8\n" +
                     loop("0, 8", copy_at("%at", "8") + "%at = %next\n%next = %next + 8\n")));
  // Behind the loop variables have what the last turn left.
  EXPECT_TRUE(proven(
      begin + loop("0, 8", copy_at("%at", "8") + "%at = %at + 7\n%at = %at + 1\n") + copy_at("%at", "8"),
      {.bytes = 288}));
  EXPECT_FALSE(proven(begin + loop("0, 8", "%at = %at + 8\n") + copy_at("%at - 8", "8"))) << "the last only";
  EXPECT_TRUE(proven("var %i: int32\nfor %i in range(0, 7) {\n" + copy_at("%i * 8", "8") + "}\n" +
                     copy_at("%i * 8 + 8", "8")));
}

TEST(Overwrites, Blocks) {
  const std::string start = "var %s: int64 = asc_GetBlockIdx() * 16:int64\n";
  EXPECT_TRUE(proven(start + copy_at("%s", "16"), {.grid = 4}));
  EXPECT_TRUE(proven(start + copy_at("%s", "16"), {.grid = 9}));
  EXPECT_FALSE(proven(start + copy_at("%s", "16"), {.grid = 3}));
  EXPECT_FALSE(proven(start + copy_at("%s + %s", "16"), {.grid = 4}));
  EXPECT_FALSE(
      proven(start + "if asc_GetBlockIdx() == 1:int64 {\nreturn\n}\n" + copy_at("%s", "16"), {.grid = 4}));
  EXPECT_FALSE(proven("if asc_GetBlockIdx() == 0:int64 {\n" + copy_at("0", "64") + "}\n", {.grid = 4}));
  EXPECT_TRUE(proven("if asc_GetBlockIdx() == 0:int64 {\n" + copy_at("0", "64") + "}\n", {.grid = 1}));
  EXPECT_TRUE(
      proven("if asc_GetBlockIdx() < asc_GetBlockNum() {\n" + copy_at("0", "64") + "}\n", {.grid = 4}));
  EXPECT_FALSE(proven(copy_at("(asc_GetBlockIdx() // 2:int64) * 32:int64", "16"), {.grid = 4}));
  EXPECT_FALSE(proven(copy_at("asc_GetSubBlockIdx() * 32:int64", "32"), {.grid = 2}));
  EXPECT_TRUE(proven(start + loop("0, 2", copy_at("%s + cast<int64>(%i * 8)", "8")), {.grid = 4}));
  EXPECT_TRUE(proven("var %s: int64 = asc_GetBlockIdx() * 8:int64\n" +
                         loop("0, 2", copy_at("%s + cast<int64>(%i * 32)", "8")),
                     {.grid = 4}))
      << "blocks take turns";
  EXPECT_FALSE(
      proven(start + "for var %i: int64 in range(0, asc_GetBlockIdx()) {\n" + copy_at("0", "64") + "}\n",
             {.grid = 4}));
}

TEST(Overwrites, ConditionsOnArgumentsAreKnown) {
  const std::string body = loop("0, %n // 24", copy_at("%i * 24", "24")) + "if %n % 24 != 0 {\n" +
                           copy_at("%n // 24 * 24", "%n % 24") + "}\n";
  EXPECT_TRUE(proven(body, {.n = 64}));
  EXPECT_TRUE(proven(body, {.n = 72}));
  EXPECT_FALSE(proven(body, {.n = 56}));
  const std::string choice =
      "if %m > 0 and %n > %m {\n" + copy_at("0", "64") + "} else {\n" + copy_at("0", "8") + "}\n";
  EXPECT_TRUE(proven(choice, {.m = 1}));
  EXPECT_FALSE(proven(choice, {.m = 0}));
  EXPECT_FALSE(proven(choice, {.m = 64}));
  EXPECT_TRUE(proven(copy_at("0", "select(%m == 0, 64, 8)")));
  EXPECT_FALSE(proven(copy_at("0", "select(%m == 0, 64, 8)"), {.m = 1}));
  EXPECT_TRUE(proven(copy_at("min(%m, 0)", "max(%n, 8)")));
}

TEST(Overwrites, NumbersStayInTheirTypes) {
  // What 64 bits would give is not what the type holds.
  EXPECT_FALSE(proven(copy_at("(%n + 2147483647) - 2147483647 - %n", "64")));
  EXPECT_FALSE(proven(copy_at("%m * 65536 * 65536", "64"), {.m = 1}));
  EXPECT_TRUE(proven(copy_at("%m * 65536 * 65536", "64")));
  const std::string wraps = "var %j: uint32 = cast<uint32>(%i)\n";
  EXPECT_FALSE(
      proven(loop("0, 17", wraps + copy_at("%j * 268435457:uint32 // 268435457:uint32 * 8:uint32", "8")),
             {.bytes = 544}))
      << "16 * 268435457 is beyond 32 bits";
  EXPECT_TRUE(
      proven(loop("0, 8", wraps + copy_at("%j * 268435457:uint32 // 268435457:uint32 * 8:uint32", "8"))));
  EXPECT_FALSE(proven("var %c: int8 = explicit_cast<int8>(%n)\n" + copy_at("0", "%c"), {.n = 320}))
      << "an int8 holds 64 of it";
  EXPECT_TRUE(proven("var %c: int8 = explicit_cast<int8>(%n)\n" + copy_at("0", "%c")));
  EXPECT_FALSE(proven(copy_at("-%n + 64", "64"), {.n = INT64_C(1) << 32})) << "no int32 argument";
}

TEST(Overwrites, SizesOfElements) {
  // The same bytes as elements of another size.
  const std::string as =
      "var %h: GlobalTensor<float16>\n"
      "asc_GlobalTensor_SetGlobalBuffer<T=half>(%h, cast<GlobalAddress<float16>>(%z), _)\n"
      "var %lh: LocalTensor<float16> = asc_LocalTensor_Init<T=half>(_, TPosition.VECIN, 0, 256)\n";
  EXPECT_TRUE(proven(as + "asc_DataCopy.1<T=half>(%h, %lh, 128)"));
  EXPECT_FALSE(proven(as + "asc_DataCopy.1<T=half>(%h, %lh, 64)"));
  EXPECT_FALSE(proven(as + loop("0, 8",
                                "asc_DataCopy.1<T=half>(asc_GlobalTensor_Subindex<T=half>(%h, "
                                "cast<uint64>(%i * 8)), %lh, 16)\n")));
  EXPECT_TRUE(proven(as + loop("0, 8",
                               "asc_DataCopy.1<T=half>(asc_GlobalTensor_Subindex<T=half>(%h, "
                               "cast<uint64>(%i * 16)), %lh, 16)\n")));
}

TEST(Overwrites, PaddedCopies) {
  const auto pad = [](const std::string& params) {
    return "var %p: DataCopyExtParams = asc_Struct_DataCopyExtParams(" + params +
           ")\nasc_DataCopyPad.1<T=float>(%a, %ub, %p)\n";
  };
  EXPECT_TRUE(proven(pad("1, 256, _, _, _")));
  EXPECT_FALSE(proven(pad("1, 255, _, _, _")));
  EXPECT_TRUE(proven(pad("1, 255, _, _, _"), {.bytes = 255}));
  EXPECT_TRUE(proven(pad("8, 32, 5, _, _"))) << "the source's stride is local";
  EXPECT_FALSE(proven(pad("8, 32, _, 4, _")));
  EXPECT_FALSE(proven(pad("8, 28, _, 4, _")));
  EXPECT_FALSE(proven(pad("0, 256, _, _, _")));
  EXPECT_TRUE(proven(pad("_, cast<uint32>(%n * 4), _, _, _")));
  EXPECT_FALSE(proven(pad("_, cast<uint32>(%n * 4), _, _, _"), {.n = 63}));
  EXPECT_FALSE(proven(pad("cast<uint16>(%n), 4, _, _, _"), {.n = 65600}));
  const std::string helper = R"(
func @spread(%p: DataCopyExtParams ref) {
  %p.dst_stride = 4
}
)";
  const std::string made = "var %p: DataCopyExtParams = asc_Struct_DataCopyExtParams(8, 32, _, _, _)\n";
  const std::string use = "asc_DataCopyPad.1<T=float>(%a, %ub, %p)\n";
  EXPECT_TRUE(proven(made + use));
  EXPECT_FALSE(proven(made + "%p.dst_stride = 4\n" + use));
  EXPECT_TRUE(proven(made + "%p.dst_stride = 4\n%p.dst_stride = 0\n" + use));
  EXPECT_FALSE(proven(
      made + "if asc_GlobalTensor_GetValue<T=float>(%b, 0) > 0.0 {\n%p.dst_stride = 4\n}\n" + use, {}, ""))
      << "it may have changed";
  EXPECT_FALSE(proven(made + loop("0, 8", use + "%p.dst_stride = 4\n")));
  EXPECT_FALSE(proven(made + "if asc_GlobalTensor_GetValue<T=float>(%b, 0) > 0.0 {\n@spread(%p)\n}\n" + use,
                      {}, helper));
  EXPECT_FALSE(proven(made + "@spread(%p)\n" + use, {}, helper));
  EXPECT_TRUE(proven("var %p: DataCopyExtParams\n%p.block_len = 256\n" + use)) << "one block, by default";
}

TEST(Overwrites, Helpers) {
  const std::string helpers = R"(
func @store(%t: GlobalTensor<float32>, %from: LocalTensor<float32>, %at: int32) {
  asc_DataCopy.1<T=float>(asc_GlobalTensor_Subindex<T=float>(%t, cast<uint64>(%at)), %from, 8)
}
func @maybe(%t: GlobalTensor<float32>, %from: LocalTensor<float32>, %at: int32, %stop: int32) {
  if %at == %stop {
    return
  }
  asc_DataCopy.1<T=float>(asc_GlobalTensor_Subindex<T=float>(%t, cast<uint64>(%at)), %from, 8)
}
func @part(%t: GlobalTensor<float32>, %at: int32) -> (GlobalTensor<float32>) {
  return asc_GlobalTensor_Subindex<T=float>(%t, cast<uint64>(%at))
}
func @bind(%t: GlobalTensor<float32> ref, %p: GlobalAddress<float32>) {
  asc_GlobalTensor_SetGlobalBuffer<T=float>(%t, %p, _)
}
func @two(%n: int32) -> (int32 q, int32 r) {
  return %n // 8, %n % 8
}
func @bind_or_not(%t: GlobalTensor<float32> ref, %p: GlobalAddress<float32>, %n: int32) -> (bool) {
  if %n == 0 {
    return false
  }
  asc_GlobalTensor_SetGlobalBuffer<T=float>(%t, %p, _)
  return true
}
func @swap(%s: GlobalTensor<float32> ref, %t: GlobalTensor<float32> ref, %p: GlobalAddress<float32>) {
  asc_GlobalTensor_SetGlobalBuffer<T=float>(%t, %p, _)
  asc_GlobalTensor_SetGlobalBuffer<T=float>(%s, %p, _)
}
)";
  const auto with = [&](const std::string& body, Launch launch = {}) {
    return proven(body, launch, helpers);
  };
  EXPECT_TRUE(with(loop("0, 8", "@store(%a, %ub, %i * 8)\n")));
  EXPECT_FALSE(with(loop("0, 8", "@store(%a, %ub, %i * 9)\n")));
  EXPECT_TRUE(with(loop("0, 8", "@maybe(%a, %ub, %i * 8, 100)\n")));
  EXPECT_FALSE(with(loop("0, 8", "@maybe(%a, %ub, %i * 8, 16)\n")));
  EXPECT_TRUE(with(loop("0, 8", "@maybe(%a, %ub, %i * 8, 16)\n") + copy_at("0", "64")))
      << "the caller goes on";
  EXPECT_TRUE(with(loop("0, 8", "asc_DataCopy.1<T=float>(@part(%a, %i * 8), %ub, 8)\n")));
  EXPECT_FALSE(with("@bind(%a, %x)\n" + copy_at("0", "64")));
  EXPECT_TRUE(with("@bind(%b, %z)\nasc_DataCopy.1<T=float>(%b, %ub, 64)"));
  const std::string read = "var %v: int32 = cast<int32>(asc_GlobalTensor_GetValue<T=float>(%b, 0))\n";
  EXPECT_FALSE(with(read + "@bind_or_not(%a, %x, %v)\n" + copy_at("0", "64"))) << "it may have returned";
  EXPECT_FALSE(with(read + "var %ok: bool = @bind_or_not(%b, %z, %v)\nasc_DataCopy.1<T=float>(%b, %ub, 64)"));
  EXPECT_FALSE(with(read + "var %ok: bool = %v > 3 and @bind_or_not(%b, %z, 1)\n"
                           "asc_DataCopy.1<T=float>(%b, %ub, 64)"))
      << "it may not have been called";
  EXPECT_TRUE(
      with("var %ok: bool = %n > 3 and @bind_or_not(%b, %z, 1)\nasc_DataCopy.1<T=float>(%b, %ub, 64)"));
  EXPECT_FALSE(with("@swap(%b, %b, %z)\nasc_DataCopy.1<T=float>(%b, %ub, 64)")) << "one variable as two";
  EXPECT_TRUE(with("var %q: int32\nvar %r: int32\ncall (%q, %r) = @two(%n)\n" +
                   loop("0, %q", copy_at("%i * 8 + %r", "8"))));
  EXPECT_FALSE(with(
      "var %q: int32\nvar %r: int32\ncall (%q, %r) = @two(%n)\n" + loop("0, %q", copy_at("%i * 8 + %r", "8")),
      {.n = 65}));
}

TEST(Overwrites, WhatIsNotKnownIsNoProof) {
  const std::string read = "var %v: int32 = cast<int32>(asc_GlobalTensor_GetValue<T=float>(%b, 0))\n";
  EXPECT_FALSE(proven(read + copy_at("%v", "64")));
  EXPECT_FALSE(proven(read + copy_at("0", "%v")));
  EXPECT_FALSE(proven(read + loop("0, %v", copy_at("%i * 8", "8"))));
  EXPECT_FALSE(proven(read + "if %v == 0 {\n" + copy_at("0", "64") + "}\n"));
  EXPECT_FALSE(proven(read + "if %v == 0 {\nreturn\n}\n" + copy_at("0", "64")));
  EXPECT_TRUE(proven(read + "if %v == 0 {\n%v = 3\n}\n" + copy_at("0", "64")));
  EXPECT_FALSE(proven(read + "if %v == 0 {\n%n = 3\n}\n" + copy_at("0", "%n")));
  EXPECT_FALSE(proven(read + "if %v == 0 {\n%a = %b\n}\n" + copy_at("0", "64")));
  EXPECT_FALSE(proven(read + "if %v == 0 {\nasc_GlobalTensor_SetGlobalBuffer<T=float>(%a, %x, _)\n}\n" +
                      copy_at("0", "64")));
  EXPECT_FALSE(proven(read + "var %c: GlobalTensor<float32> = select(%v == 0, %a, %b)\n"
                             "asc_DataCopy.1<T=float>(%c, %ub, 64)"));
}

TEST(Overwrites, TheTableHasNothingThatIsOverlooked) {
  for (const OpDesc& op : op_table()) {
    EXPECT_EQ(op.name.find("Atomic"), op.name.npos)
        << op.ir_name << ": copies that add are reads too; passes/access must say so";
    for (const OverloadDesc& overload : op.overloads) {
      const bool binds = op.owner == Kind::GlobalTensor && op.family == Family::Handle && overload.has_self &&
                         overload.self_dir != Dir::In;
      EXPECT_TRUE(!binds || op.id == OpId::GlobalTensor_SetGlobalBuffer) << op.ir_name << " moves a handle";
      for (const ParamDesc& param : overload.params) {
        const bool is_changed = param.dir == Dir::Out || param.dir == Dir::InOut;
        const TypePattern::Form form = param.type.form;
        EXPECT_FALSE(is_changed && (form == TypePattern::Form::Scalar || form == TypePattern::Form::Var ||
                                    form == TypePattern::Form::Pointer))
            << op.ir_name << " changes " << param.name << ", which the walk still knows";
      }
    }
  }
}

TEST(Overwrites, AWalkIsBounded) {
  // Each level around takes another guess of what is carried: some 2^6 walks of the innermost body.
  std::string body, begin = "var %at: int32 = 0\n";
  for (int i = 0; i < 50; i++) body += copy_at("0", "%n");
  for (int i = 0; i < 6; i++)
    body = fmt::format("for var %i{}: int32 in range(0, 2) {{\n{}%at = %at + 1\n}}\n", i, body);
  EXPECT_FALSE(proven(begin + body));
  EXPECT_TRUE(proven(begin + body, {.n = 1 << 20, .bytes = 4 << 20})) << "a large copy is worth more";
  EXPECT_TRUE(proven(begin + copy_at("0", "64") + body)) << "what was known before counts";
  std::string deep = begin + copy_at("0", "64");
  for (int i = 0; i < 100; i++) deep = fmt::format("for var %d{}: int32 in range(0, 2) {{\n{}}}\n", i, deep);
  EXPECT_TRUE(proven(deep));
}

}  // namespace
