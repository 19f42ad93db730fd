// SPDX-License-Identifier: Apache-2.0
// Facts of expressions by value ranges: what is proven, and what must not be.
#include "passes_text.h"

namespace {

using namespace asc;
using passes_test::line_of;
using passes_test::parse;

// A kernel of these statements; `n` is any int32, `m` is not negative, `t` an int32 tensor in global memory.
std::unique_ptr<ir::Module> facts(const std::string& body, const std::string& before = "") {
  auto module = parse(before + R"(
kernel @k(%x: GlobalAddress<int32>, %n: int32, %m: int32, %big: int64, %u: uint32, %w: uint64, %f: float32) {
  arg x: GlobalAddress<int32> = %x
  arg n: int32 = %n
  arg m: int32 = %m nonneg
  arg big: int64 = %big
  arg u: uint32 = %u
  arg w: uint64 = %w
  arg f: float32 = %f
  var %t: GlobalTensor<int32> = asc_GlobalTensor_Init<T=i32>()
  asc_GlobalTensor_SetGlobalBuffer<T=i32>(%t, %x, _)
)" + body + "\n}\n");
  passes::intervals(*module);
  passes_test::expect_valid(*module);
  return module;
}

// The line of `var %r: int32 = <expression>`.
std::string fact(const std::string& expression, const std::string& type = "int32") {
  const std::string start = "var %r: " + type + " = ";
  return line_of(*facts(start + expression), start).substr(start.size());
}

TEST(Intervals, SignsOfArguments) {
  EXPECT_EQ(fact("%m // 4"), "(%m!nonneg // 4)!fits!nonneg!plaindiv");
  EXPECT_EQ(fact("%m % 4"), "(%m!nonneg % 4)!fits!nonneg!plaindiv");
  EXPECT_EQ(fact("%n // 4"), "(%n // 4)!fits");
  EXPECT_EQ(fact("%n % 4"), "(%n % 4)!fits!nonneg") << "Python's remainder has the divisor's sign";
  EXPECT_EQ(fact("%m // %n"), "(%m!nonneg // %n)!fits");
}

TEST(Intervals, DivisionOfTheSmallestValueByMinusOneLeavesTheType) {
  EXPECT_EQ(fact("%n // -1"), "%n // -1");
  EXPECT_EQ(fact("%n // -2"), "(%n // -2)!fits");
}

TEST(Intervals, UnsignedIsPlainAndWraps) {
  EXPECT_EQ(fact("%u // 3", "uint32"), "(%u!nonneg // 3)!fits!nonneg!plaindiv");
  EXPECT_EQ(fact("%w % %w", "uint64"), "(%w!nonneg % %w!nonneg)!fits!nonneg!plaindiv");
  EXPECT_EQ(fact("%u - 1", "uint32"), "(%u!nonneg - 1)!nonneg");
  EXPECT_EQ(fact("%w + %w", "uint64"), "(%w!nonneg + %w!nonneg)!nonneg");
  EXPECT_EQ(fact("(%u - 1) // 2 + 2147483648", "uint32"),
            "(((%u!nonneg - 1)!nonneg // 2)!fits!nonneg!plaindiv + 2147483648)!fits!nonneg");
}

TEST(Intervals, QueriesOfTheDevice) {
  EXPECT_EQ(fact("asc_GetBlockIdx() // 8", "int64"), "(asc_GetBlockIdx()!nonneg // 8)!fits!nonneg!plaindiv");
  EXPECT_EQ(fact("100 // asc_GetBlockNum()", "int64"),
            "(100 // asc_GetBlockNum()!nonneg)!fits!nonneg!plaindiv");
  EXPECT_EQ(fact("cast<int32>(asc_GetBlockIdx()) * 16384"),
            "(cast<int32>(asc_GetBlockIdx()!nonneg)!fits!nonneg * 16384)!fits!nonneg")
      << "131,070 x 16,384 = 2,147,450,880 is below 2^31";
  EXPECT_EQ(fact("cast<int32>(asc_GetBlockIdx()) * 16385"),
            "(cast<int32>(asc_GetBlockIdx()!nonneg)!fits!nonneg * 16385)!nonneg")
      << "131,070 x 16,385 = 2,147,581,950 is above it";
  EXPECT_EQ(fact("asc_GlobalTensor_GetSize<T=i32>(%t) // 2", "uint64"),
            "(asc_GlobalTensor_GetSize<T=i32>(%t)!nonneg // 2)!fits!nonneg!plaindiv");
}

TEST(Intervals, ChainsComputeInSixtyFourBits) {
  // The products leave int32; the whole does not: 65,536 x (65,535 or 65,536) - 65,536 x 65,535 is 0 or
  // 65,536.
  EXPECT_EQ(
      fact("((%m & 1) + 65535) * 65536 - 65535 * 65536"),
      "((((%m!nonneg & 1)!fits!nonneg + 65535)!fits!nonneg * 65536)!nonneg - (65535 * 65536)!nonneg)!fits!nonneg");
  EXPECT_EQ(fact("(%m * 2 - %m) // 2"), "(((%m!nonneg * 2)!nonneg - %m!nonneg) // 2)!fits")
      << "ranges do not know that both are one variable";
  EXPECT_EQ(fact("%n * %n", "int32"), "%n * %n");
  EXPECT_EQ(fact("%big + 1", "int64"), "%big + 1") << "may leave int64";
  EXPECT_EQ(fact("cast<int64>(%n) * cast<int64>(%n)", "int64"),
            "(cast<int64>(%n)!fits * cast<int64>(%n)!fits)!fits");
}

TEST(Intervals, ValuesOutsideTheirTypeAreFindingsSoWhatFollowsIsInside) {
  const auto module = facts(R"(
  var %sum: int32 = %m + %m
  var %half: int32 = %sum // 2
  var %narrow: int32 = cast<int32>(%big)
  var %next: int64 = cast<int64>(%narrow) + 1
)");
  EXPECT_EQ(line_of(*module, "var %half"), "var %half: int32 = (%sum!nonneg // 2)!fits!nonneg!plaindiv");
  EXPECT_EQ(line_of(*module, "var %next"), "var %next: int64 = (cast<int64>(%narrow)!fits + 1)!fits");
}

TEST(Intervals, ExplicitCastsWrapAround) {
  EXPECT_EQ(fact("explicit_cast<int32>(%u)"), "explicit_cast<int32>(%u!nonneg)");
  EXPECT_EQ(fact("explicit_cast<int32>(%m)"), "explicit_cast<int32>(%m!nonneg)!fits!nonneg");
  EXPECT_EQ(fact("cast<uint64>(%n)", "uint64"), "cast<uint64>(%n)!nonneg");
  EXPECT_EQ(fact("cast<int32>(%f)"), "cast<int32>(%f)");
  EXPECT_EQ(fact("cast<int32>(%n > 0) + 2147483646"),
            "(cast<int32>(%n > 0)!fits!nonneg + 2147483646)!fits!nonneg");
}

TEST(Intervals, MinMaxAbsBitsAndShifts) {
  EXPECT_EQ(fact("max(%n, 0) // 2"), "(max(%n, 0)!fits!nonneg // 2)!fits!nonneg!plaindiv");
  EXPECT_EQ(fact("min(%n, 7) // 2"), "(min(%n, 7)!fits // 2)!fits");
  EXPECT_EQ(fact("abs(%n)"), "abs(%n)!nonneg") << "of the smallest value it leaves the type";
  EXPECT_EQ(fact("-(%m)"), "(-%m!nonneg)!fits");
  EXPECT_EQ(fact("-(%n)"), "-%n");
  EXPECT_EQ(fact("%n & 255"), "(%n & 255)!fits!nonneg");
  EXPECT_EQ(fact("(%n & 7) | 8"), "((%n & 7)!fits!nonneg | 8)!fits!nonneg");
  EXPECT_EQ(fact("((%n & 7) ^ 8) + 2147483632"),
            "(((%n & 7)!fits!nonneg ^ 8)!fits!nonneg + 2147483632)!fits!nonneg")
      << "at most 15 + 2,147,483,632";
  EXPECT_EQ(fact("(%n & 7) << 28"), "((%n & 7)!fits!nonneg << 28)!fits!nonneg") << "7 x 2^28 is below 2^31";
  EXPECT_EQ(fact("(%n & 8) << 28"), "((%n & 8)!fits!nonneg << 28)!nonneg");
  EXPECT_EQ(fact("%n << 1"), "%n << 1");
  EXPECT_EQ(fact("%m >> 3"), "(%m!nonneg >> 3)!fits!nonneg");
  EXPECT_EQ(fact("%n >> 31"), "(%n >> 31)!fits");
  EXPECT_EQ(fact("(%n >> 31) + 2147483647"), "((%n >> 31)!fits + 2147483647)!fits!nonneg") << "-1 or 0";
}

TEST(Intervals, ConditionsNarrow) {
  const auto module = facts(R"(
  if %n > 10 {
    var %a: int32 = %n - 11
  } else {
    var %b: int32 = 10 - %n
  }
  if %n >= 0 and %n + 1 < 100 {
    var %c: int32 = %n * 21913098
  }
  if not (%n < 0 or %n == 0) {
    var %d: int32 = (%n - 1) // 2
  }
  if %n < %m {
    var %e: int32 = %m - 1
  }
  if %n != 0 {
    var %g: int32 = %n // 2
  }
  if cast<int64>(%n) > 5:int64 {
    var %h: int32 = %n - 6
  }
  var %i: int32 = select(%n < 0, 0 - (%n + 1), %n) // 2
  if %n > 0 and %m // %n > 2 {
    return
  }
)");
  EXPECT_EQ(line_of(*module, "var %a"), "var %a: int32 = (%n!nonneg - 11)!fits!nonneg");
  EXPECT_EQ(line_of(*module, "var %b"), "var %b: int32 = (10 - %n)!nonneg");
  EXPECT_EQ(line_of(*module, "var %c"), "var %c: int32 = (%n!nonneg * 21913098)!fits!nonneg")
      << "98 x 21,913,098 = 2,147,483,604";
  EXPECT_EQ(line_of(*module, "var %d"),
            "var %d: int32 = ((%n!nonneg - 1)!fits!nonneg // 2)!fits!nonneg!plaindiv");
  EXPECT_EQ(line_of(*module, "var %e"), "var %e: int32 = (%m!nonneg - 1)!fits");
  EXPECT_EQ(line_of(*module, "var %g"), "var %g: int32 = (%n // 2)!fits") << "!= takes a bound away only";
  EXPECT_EQ(line_of(*module, "var %h"), "var %h: int32 = (%n!nonneg - 6)!fits!nonneg");
  EXPECT_EQ(
      line_of(*module, "var %i"),
      "var %i: int32 = (select(%n < 0, (0 - (%n + 1)!fits)!fits!nonneg, %n!nonneg)!nonneg // 2)!fits!nonneg!plaindiv");
  EXPECT_EQ(line_of(*module, "if (%n > 0) and"),
            "if (%n > 0) and ((%m!nonneg // %n!nonneg)!fits!nonneg!plaindiv > 2) {");
}

// Is `expression` known not to be negative where `condition` holds?
bool is_nonnegative(const std::string& condition, const std::string& expression) {
  const auto module = facts("  if " + condition + " {\n    var %r: int32 = " + expression + "\n  }");
  const std::string line = line_of(*module, "var %r");
  EXPECT_NE(line.find("var %r"), std::string::npos) << line;
  return line.ends_with("!nonneg");
}
// The least and the largest value that n is known to have where `condition` holds are exactly these.
void expect_least(const std::string& condition, int least) {
  EXPECT_TRUE(is_nonnegative(condition, fmt::format("%n - {}", least))) << condition;
  EXPECT_FALSE(is_nonnegative(condition, fmt::format("%n - {}", least + 1))) << condition;
}
void expect_largest(const std::string& condition, int largest) {
  EXPECT_TRUE(is_nonnegative(condition, fmt::format("{} - %n", largest))) << condition;
  EXPECT_FALSE(is_nonnegative(condition, fmt::format("{} - %n", largest - 1))) << condition;
}

TEST(Intervals, BoundsOfComparisonsAreExact) {
  expect_least("%n > 10", 11);
  expect_least("10 < %n", 11);
  expect_least("%n >= 10", 10);
  expect_least("not (%n < 10)", 10);
  expect_least("not (10 > %n)", 10);
  expect_least("%n == 10", 10);
  expect_least("(%n >= 10) and (%n != 10)", 11);
  expect_least("%n + 3 > 10", 8);
  expect_least("3 + %n > 10", 8);
  expect_least("%n - 3 > 10", 14);
  expect_least("%n > (%m & 7) + 10", 11);
  expect_largest("%n < 10", 9);
  expect_largest("10 > %n", 9);
  expect_largest("%n <= 10", 10);
  expect_largest("not (%n > 10)", 10);
  expect_largest("not (10 <= %n)", 9);
  expect_largest("%n == 10", 10);
  expect_largest("(%n <= 10) and not (%n == 10)", 9);
  expect_largest("%n + 3 < 10", 6);
  expect_largest("cast<int64>(%n) < 10:int64", 9);
  expect_largest("%n < (%m & 7) + 10", 16);
}

TEST(Intervals, BranchesJoinAndReturnsEndThem) {
  const auto module = facts(R"(
  var %c: int32 = %n
  if %c > 64 {
    %c = 64
  }
  if %c <= 0 {
    return
  }
  var %after: int32 = %c * 33554431
  var %d: int32
  if %n > 0 {
    %d = 1
  } else {
    %d = -1
  }
  var %joined: int32 = %d // 2
  assert %n > 3
  var %asserted: int32 = %n // 2
)");
  EXPECT_EQ(line_of(*module, "var %after"), "var %after: int32 = (%c!nonneg * 33554431)!fits!nonneg")
      << "64 x 33,554,431";
  EXPECT_EQ(line_of(*module, "var %joined"), "var %joined: int32 = (%d // 2)!fits");
  EXPECT_EQ(line_of(*module, "var %asserted"),
            "var %asserted: int32 = (%n!nonneg // 2)!fits!nonneg!plaindiv");
}

TEST(Intervals, RangesOfFor) {
  const auto module = facts(R"(
  for var %a: int32 in range(0, %n) {
    var %a2: int32 = (%a + 1) // 2
  }
  for var %b: int32 in range(%m, -1, -1) {
    var %b2: int32 = %b // 2
  }
  for var %c: int32 in range(%n, %m, %n) {
    var %c2: int32 = %c // 2
  }
  for var %d: int32 in range(0, 100, 30) {
    var %d2: int32 = %d * 23860929
  }
  for var %e: int32 in range(%m, 2, -2) {
    var %e2: int32 = %e - 3
  }
)");
  EXPECT_EQ(line_of(*module, "var %a2"),
            "var %a2: int32 = ((%a!nonneg + 1)!fits!nonneg // 2)!fits!nonneg!plaindiv")
      << "a is below n, so a + 1 is inside int32";
  EXPECT_EQ(line_of(*module, "var %b2"), "var %b2: int32 = (%b!nonneg // 2)!fits!nonneg!plaindiv");
  EXPECT_EQ(line_of(*module, "var %c2"), "var %c2: int32 = (%c // 2)!fits");
  EXPECT_EQ(line_of(*module, "var %d2"), "var %d2: int32 = (%d!nonneg * 23860929)!fits!nonneg")
      << "0, 30, 60, 90: 90 x 23,860,929 = 2,147,483,610";
  EXPECT_EQ(line_of(*module, "var %e2"), "var %e2: int32 = (%e!nonneg - 3)!fits!nonneg");
}

TEST(Intervals, WhatALoopChangesIsWidened) {
  const auto module = facts(R"(
  var %up: int32 = 0
  var %down: int32 = 0
  var %late: int32 = 0
  var %same: int32 = 5
  for var %i: int32 in range(0, %m) {
    var %in: int32 = %up // 2
    var %in2: int32 = %late // 2
    var %in3: int32 = %same * 400000000
    %late = %down
    %up = %up + 3
    %down = %down - 1
  }
  var %out: int32 = %up // 2
  var %out2: int32 = %down // 2
  while %up > 0 {
    %up = %up - 1
    var %in4: int32 = %up // 2
  }
  var %end: int32 = %up * 400000000
)");
  EXPECT_EQ(line_of(*module, "var %in:"), "var %in: int32 = (%up!nonneg // 2)!fits!nonneg!plaindiv");
  EXPECT_EQ(line_of(*module, "var %in2"), "var %in2: int32 = (%late // 2)!fits");
  EXPECT_EQ(line_of(*module, "var %in3"), "var %in3: int32 = (%same!nonneg * 400000000)!fits!nonneg");
  EXPECT_EQ(line_of(*module, "var %out:"), "var %out: int32 = (%up!nonneg // 2)!fits!nonneg!plaindiv");
  EXPECT_EQ(line_of(*module, "var %out2"), "var %out2: int32 = (%down // 2)!fits");
  EXPECT_EQ(line_of(*module, "%up = (%up!nonneg + 3)"), "%up = (%up!nonneg + 3)!nonneg") << "may leave int32";
  EXPECT_EQ(line_of(*module, "%up = (%up!nonneg - 1)"), "%up = (%up!nonneg - 1)!fits!nonneg");
  EXPECT_EQ(line_of(*module, "var %in4"), "var %in4: int32 = (%up!nonneg // 2)!fits!nonneg!plaindiv");
  EXPECT_EQ(line_of(*module, "var %end"), "var %end: int32 = (%up!nonneg * 400000000)!fits!nonneg") << "zero";
}

TEST(Intervals, WhileConditionsHoldInTheBodyAndNotBehindIt) {
  const auto module = facts(R"(
  var %i: int32 = 0
  while %i < %n {
    var %in: int32 = (%i + 1) // 2
    %i = %i + 1
  }
  var %behind: int32 = %i // 2
  var %j: int32 = 100
  while %j > 0 {
    %j = %j - 7
  }
  var %below: int32 = %j * 306783378
  var %k: int32 = 0
  while true {
    if %k >= 10 {
      break
    }
    %k = %k + 1
  }
  var %ten: int32 = %k - 10
)");
  EXPECT_EQ(line_of(*module, "var %in"),
            "var %in: int32 = ((%i!nonneg + 1)!fits!nonneg // 2)!fits!nonneg!plaindiv");
  EXPECT_EQ(line_of(*module, "var %behind"), "var %behind: int32 = (%i!nonneg // 2)!fits!nonneg!plaindiv");
  EXPECT_EQ(line_of(*module, "var %below"), "var %below: int32 = (%j * 306783378)!fits") << "-6 to 0";
  EXPECT_EQ(line_of(*module, "var %ten"), "var %ten: int32 = (%k!nonneg - 10)!fits!nonneg");
}

TEST(Intervals, BreakContinueAndElse) {
  const auto module = facts(R"(
  var %a: int32 = 0
  for var %i: int32 in range(0, 10) {
    if %n == 3 {
      %a = -5
      break
    }
    if %n == 4 {
      %a = 7
      continue
    }
    %a = 2
  } else {
    var %whole: int32 = %a // 2
  }
  var %behind: int32 = %a // 2
  var %once: int32 = -1
  for var %q: int32 in range(0, 4) {
    %once = %q
  }
  var %surely: int32 = %once // 2
)");
  EXPECT_EQ(line_of(*module, "var %whole"), "var %whole: int32 = (%a!nonneg // 2)!fits!nonneg!plaindiv");
  EXPECT_EQ(line_of(*module, "var %behind"), "var %behind: int32 = (%a // 2)!fits");
  EXPECT_EQ(line_of(*module, "var %surely"), "var %surely: int32 = (%once!nonneg // 2)!fits!nonneg!plaindiv")
      << "range(0, 4) runs";
}

TEST(Intervals, HelpersTakeAllTheirCalls) {
  const std::string helpers = R"(
func @half(%v: int32) -> (int32) {
  return %v // 2
}
func @clip(%v: int32) -> (int32) {
  if %v < 0 {
    return 0
  }
  return min(%v, 100)
}
func @unused(%v: int32) -> (int32) {
  return %v // 2
}
func @pair(%v: int32) -> (int32 a, int32 b) {
  return %v % 8, -1
}
)";
  auto module = facts(R"(
  var %a: int32 = @half(%m)
  var %b: int32 = @half(7)
  var %c: int32 = @clip(%n) * 21474836
  var %d: int32
  var %e: int32
  call (%d, %e) = @pair(%n)
  var %g: int32 = %d // 2
  var %h: int32 = %e // 2
)",
                      helpers);
  EXPECT_EQ(line_of(*module, "return (%v!nonneg"), "return (%v!nonneg // 2)!fits!nonneg!plaindiv");
  EXPECT_EQ(line_of(*module, "var %c"), "var %c: int32 = (@clip(%n)!nonneg * 21474836)!fits!nonneg");
  EXPECT_EQ(line_of(*module, "var %g"), "var %g: int32 = (%d!nonneg // 2)!fits!nonneg!plaindiv");
  EXPECT_EQ(line_of(*module, "var %h"), "var %h: int32 = (%e // 2)!fits");

  module = facts("  var %a: int32 = @half(%m)\n  var %b: int32 = @half(%n)", helpers);
  EXPECT_EQ(line_of(*module, "return (%v // 2)!fits"), "return (%v // 2)!fits")
      << "one call may pass less than zero";
  EXPECT_EQ(line_of(*module, "return %v // 2"), "return %v // 2") << "never called: nothing is known";
}

TEST(Intervals, NestedLoopsAndHelpersInThem) {
  const auto module = facts(R"(
  for var %i: int32 in range(0, 8) {
    for var %j: int32 in range(0, 8) {
      for var %k: int32 in range(0, 8) {
        for var %l: int32 in range(0, 8) {
          for var %o: int32 in range(0, 8) {
            var %sum: int32 = @index(%i, %j) + %k + %l + %o
            var %quotient: int32 = %sum // 8
          }
        }
      }
    }
  }
)",
                            R"(
func @index(%a: int32, %b: int32) -> (int32) {
  return %a * 8 + %b
}
)");
  EXPECT_EQ(line_of(*module, "var %quotient"),
            "var %quotient: int32 = (%sum!nonneg // 8)!fits!nonneg!plaindiv");
  EXPECT_EQ(line_of(*module, "return"), "return ((%a!nonneg * 8)!fits!nonneg + %b!nonneg)!fits!nonneg");
}

}  // namespace
