// SPDX-License-Identifier: Apache-2.0
// Scalars in the VM: every operator, control flow, helpers, conversions, and what goes wrong with values.
// Expected values are Python's (and NumPy's for unsigned and float types).
#include <chrono>
#include <cmath>
#include <limits>

#include "sim_fixture.h"

namespace asc::sim {
namespace {

constexpr int64_t kMax = std::numeric_limits<int64_t>::max(), kMin = std::numeric_limits<int64_t>::min();

std::string kernel_of(const std::string& type, const std::string& out_type, const std::string& expression) {
  return "kernel @k(%x: GlobalAddress<" + out_type + ">, %a: " + type + ", %b: " + type + ") {\n" +
         "  var %g: GlobalTensor<" + out_type + ">\n  asc_GlobalTensor_SetGlobalBuffer(%g, %x)\n" +
         "  asc_GlobalTensor_SetValue(%g, 0, " + expression + ")\n}\n";
}

// The value of an expression over %a and %b of a type, computed by a kernel.
int64_t ints(const std::string& type, const std::string& expression, int64_t a, int64_t b,
             std::vector<std::string>* found = nullptr, const Options& options = {}) {
  DType dtype = DType::Void;
  EXPECT_TRUE(find_dtype(type, &dtype));
  const ProgramPtr program = program_of(kernel_of(type, "int64", "cast<int64>(" + expression + ")"));
  std::vector<int64_t> out(1, -999);
  const std::vector<Argument> args = {array("x", out, DType::I64), scalar("a", a, dtype),
                                      scalar("b", b, dtype)};
  const LaunchResult result = launch(*program, 1, args, options);
  if (found)
    *found = ids(result);
  else
    EXPECT_TRUE(result.findings.empty()) << expression << "\n" << messages(result);
  return out[0];
}

bool bools(const std::string& type, const std::string& expression, int64_t a, int64_t b) {
  DType dtype = DType::Void;
  EXPECT_TRUE(find_dtype(type, &dtype));
  const ProgramPtr program = program_of(kernel_of(type, "bool", expression));
  std::vector<uint8_t> out(1, 7);
  const std::vector<Argument> args = {array("x", out, DType::Bool), scalar("a", a, dtype),
                                      scalar("b", b, dtype)};
  EXPECT_TRUE(launch(*program, 1, args, {}).findings.empty());
  EXPECT_LE(out[0], 1);
  return out[0] != 0;
}

float floats(const std::string& type, const std::string& expression, double a, double b) {
  DType dtype = DType::Void;
  EXPECT_TRUE(find_dtype(type, &dtype));
  const ProgramPtr program = program_of(kernel_of(type, "float32", "cast<float32>(" + expression + ")"));
  std::vector<float> out(1, -999);
  const std::vector<Argument> args = {array("x", out, DType::F32), real("a", a, dtype), real("b", b, dtype)};
  EXPECT_TRUE(launch(*program, 1, args, {}).findings.empty());
  return out[0];
}

bool float_bools(const std::string& expression, double a, double b) {
  const ProgramPtr program = program_of(kernel_of("float32", "bool", expression));
  std::vector<uint8_t> out(1, 7);
  const std::vector<Argument> args = {array("x", out, DType::Bool), real("a", a), real("b", b)};
  EXPECT_TRUE(launch(*program, 1, args, {}).findings.empty());
  return out[0] != 0;
}

TEST(SimScalar, IntegerArithmetic) {
  EXPECT_EQ(ints("int32", "%a + %b", 40, 2), 42);
  EXPECT_EQ(ints("int32", "%a - %b", 40, 52), -12);
  EXPECT_EQ(ints("int32", "%a * %b", -6, 7), -42);
  EXPECT_EQ(ints("int32", "-%a", 5, 0), -5);
  EXPECT_EQ(ints("int32", "abs(%a)", -5, 0), 5);
  EXPECT_EQ(ints("int32", "%a & %b", 12, 10), 8);
  EXPECT_EQ(ints("int32", "%a | %b", 12, 10), 14);
  EXPECT_EQ(ints("int32", "%a ^ %b", 12, 10), 6);
  EXPECT_EQ(ints("int32", "~%a", 12, 0), -13);
  EXPECT_EQ(ints("int32", "%a << %b", 3, 4), 48);
  EXPECT_EQ(ints("int32", "%a >> %b", -17, 2), -5);
  EXPECT_EQ(ints("int32", "%a >> 2", -17, 0), -5);
  EXPECT_EQ(ints("int32", "%a << 4", -3, 0), -48);
  EXPECT_EQ(ints("int32", "min(%a, %b)", 3, -4), -4);
  EXPECT_EQ(ints("int32", "max(%a, %b)", 3, -4), 3);
  EXPECT_EQ(ints("int32", "%a ** %b", -3, 5), -243);
  EXPECT_EQ(ints("int64", "%a + %b", kMax - 1, 1), kMax);
  EXPECT_EQ(ints("int64", "%a * %b", int64_t{1} << 40, 1 << 20), int64_t{1} << 60);
  EXPECT_EQ(ints("int32", "%a + 5", 40, 0), 45);
  EXPECT_EQ(ints("int32", "%a - 5", 40, 0), 35);
  EXPECT_EQ(ints("int32", "%a * 5", 40, 0), 200);
  EXPECT_EQ(ints("int32", "%a & 5", 13, 0), 5);
}

TEST(SimScalar, DivisionIsPythons) {
  struct Row {
    int64_t a, b, quotient, remainder;
  };
  for (const Row& r :
       {Row{7, 2, 3, 1}, Row{-7, 2, -4, 1}, Row{7, -2, -4, -1}, Row{-7, -2, 3, -1}, Row{-8, 2, -4, 0},
        Row{0, 5, 0, 0}, Row{2147483647, 65536, 32767, 65535}, Row{-2147483648, 3, -715827883, 1}}) {
    for (const char* type : {"int32", "int64"}) {
      EXPECT_EQ(ints(type, "%a // %b", r.a, r.b), r.quotient);
      EXPECT_EQ(ints(type, "%a % %b", r.a, r.b), r.remainder);
      if (r.b > 0) {
        EXPECT_EQ(ints(type, "%a // " + std::to_string(r.b), r.a, 0), r.quotient);
        EXPECT_EQ(ints(type, "%a % " + std::to_string(r.b), r.a, 0), r.remainder);
      }
      if (r.a >= 0 && r.b > 0) {
        EXPECT_EQ(ints(type, "(%a // %b)!plaindiv", r.a, r.b), r.quotient);
        EXPECT_EQ(ints(type, "(%a % %b)!plaindiv", r.a, r.b), r.remainder);
      }
    }
  }
  EXPECT_EQ(ints("int64", "(%a // %b)!plaindiv", int64_t{1} << 40, 3), (int64_t{1} << 40) / 3);
  EXPECT_EQ(ints("int64", "%a // 7", -(int64_t{1} << 40), 0), -157073089683);  // Python: -(1 << 40) // 7
  EXPECT_EQ(ints("int64", "%a % 7", -(int64_t{1} << 40), 0), 5);
}

TEST(SimScalar, DivisionByConstantsOverTheWholeRange) {
  for (const int64_t k : {1, 2, 3, 5, 7, 10, 64, 641, 1000003, 65537, 1 << 30, 2147483647}) {
    const std::string by = std::to_string(k);
    for (const int64_t a : {int64_t{0}, int64_t{1}, k - 1, k, k + 1, 7 * k - 1, int64_t{4294967295},
                            int64_t{4294967296}, -int64_t{1}, -k, kMax, kMin}) {
      const int64_t quotient = a / k - (a % k < 0 ? 1 : 0);
      EXPECT_EQ(ints("int64", "%a // " + by, a, 0), quotient) << a << " // " << k;
      EXPECT_EQ(ints("int64", "%a % " + by, a, 0), a % k < 0 ? a % k + k : a % k) << a << " % " << k;
    }
  }
}

TEST(SimScalar, ChainsOfProductsAndSums) {
  EXPECT_EQ(ints("int32", "%a * %b + %a", 1000, 7), 8000);
  EXPECT_EQ(ints("int32", "%a + %a * %b", 1000, 7), 8000);
  EXPECT_EQ(ints("int32", "%a * 3 + %b", 1000, 7), 3007);
  EXPECT_EQ(ints("int32", "%b + %a * 3", 1000, 7), 3007);
  EXPECT_EQ(ints("int32", "%a * %b + %a * %b - %b", 1000, 7), 13993);
  EXPECT_EQ(ints("int64", "%a * %b + %a", int64_t{1} << 31, 1 << 20),
            (int64_t{1} << 51) + (int64_t{1} << 31));
  EXPECT_EQ(ints("int64", "(%a * %b + %a)!fits", int64_t{1} << 31, 1 << 20),
            (int64_t{1} << 51) + (int64_t{1} << 31));
  // Four factors: 64 bits may not hold them, and are checked on the way.
  EXPECT_EQ(ints("int32", "%a * %a * %b * %b + %a", 1000, 7), 49001000);
  std::vector<std::string> found;
  ints("int32", "%a * %a * %a * %b + %a", 2147483647, 2, &found);
  EXPECT_FALSE(found.empty());
  EXPECT_EQ(ints("int32", "%a * %b + %b", 2147483647, 2, &found), 0);
  EXPECT_EQ(found, std::vector<std::string>{"ASC-S101"});
}

TEST(SimScalar, DivisionByZeroIsAFindingInBothModes) {
  for (const Mode mode : {Mode::Check, Mode::Fast}) {
    Options options;
    options.mode = mode;
    for (const char* e : {"%a // %b", "%a % %b", "(%a // %b)!plaindiv"}) {
      std::vector<std::string> found;
      EXPECT_EQ(ints("int32", e, 5, 0, &found, options), 0);
      EXPECT_EQ(found, std::vector<std::string>{"ASC-S102"});
    }
    std::vector<std::string> found;
    ints("uint64", "%a // %b", 5, 0, &found, options);
    EXPECT_EQ(found, std::vector<std::string>{"ASC-S102"});
  }
}

TEST(SimScalar, UnsignedWraps) {
  EXPECT_EQ(ints("uint32", "%a + %b", 4294967295, 3), 2);
  EXPECT_EQ(ints("uint32", "%a - %b", 1, 2), 4294967295);
  EXPECT_EQ(ints("uint32", "%a * %b", 65536, 65537), 65536);
  EXPECT_EQ(ints("uint32", "-%a", 1, 0), 4294967295);
  EXPECT_EQ(ints("uint32", "~%a", 0, 0), 4294967295);
  EXPECT_EQ(ints("uint32", "%a + 1", 4294967295, 0), 0);
  EXPECT_EQ(ints("uint8", "%a + %b", 250, 10), 4);
  EXPECT_EQ(ints("uint8", "%a << %b", 129, 1), 2);
  EXPECT_EQ(ints("uint16", "%a - %b", 0, 1), 65535);
  EXPECT_EQ(ints("uint32", "%a >> %b", 4294967295, 28), 15);
  EXPECT_EQ(ints("uint32", "%a // %b", 4294967295, 2), 2147483647);
  EXPECT_EQ(ints("uint64", "explicit_cast<int64>(%a + %b)", -1, 3), 2);
  EXPECT_EQ(ints("uint64", "explicit_cast<int64>(%a // %b)", -1, 2), kMax);
  EXPECT_EQ(ints("uint64", "explicit_cast<int64>(%a >> 1)", -1, 0), kMax);
  EXPECT_TRUE(bools("uint64", "%a > %b", -1, 1));
  EXPECT_TRUE(bools("uint64", "%a >= %b", -1, 1));
  EXPECT_FALSE(bools("uint64", "%a < %b", -1, 1));
  EXPECT_EQ(ints("uint64", "explicit_cast<int64>(min(%a, %b))", -1, 1), 1);
}

TEST(SimScalar, Comparisons) {
  for (const char* type : {"int32", "int64", "uint32"}) {
    for (int64_t a = 0; a < 3; a++) {
      for (int64_t b = 0; b < 3; b++) {
        EXPECT_EQ(bools(type, "%a < %b", a, b), a < b);
        EXPECT_EQ(bools(type, "%a <= %b", a, b), a <= b);
        EXPECT_EQ(bools(type, "%a > %b", a, b), a > b);
        EXPECT_EQ(bools(type, "%a >= %b", a, b), a >= b);
        EXPECT_EQ(bools(type, "%a == %b", a, b), a == b);
        EXPECT_EQ(bools(type, "%a != %b", a, b), a != b);
      }
      EXPECT_EQ(bools(type, "%a < 1", a, 0), a < 1);
      EXPECT_EQ(bools(type, "%a <= 1", a, 0), a <= 1);
      EXPECT_EQ(bools(type, "%a > 1", a, 0), a > 1);
      EXPECT_EQ(bools(type, "%a >= 1", a, 0), a >= 1);
      EXPECT_EQ(bools(type, "%a == 1", a, 0), a == 1);
      EXPECT_EQ(bools(type, "%a != 1", a, 0), a != 1);
      EXPECT_EQ(bools(type, "not (%a < 1)", a, 0), !(a < 1));
    }
  }
  EXPECT_TRUE(bools("int32", "%a < %b", -1, 0));
}

TEST(SimScalar, FloatsAndNan) {
  EXPECT_EQ(floats("float32", "%a + %b", 0.1, 0.2), 0.1f + 0.2f);
  EXPECT_EQ(floats("float32", "%a - %b", 0.1, 0.2), 0.1f - 0.2f);
  EXPECT_EQ(floats("float32", "%a * %b", 0.1, 0.2), 0.1f * 0.2f);
  EXPECT_EQ(floats("float32", "%a / %b", 1, 3), 1.0f / 3.0f);
  EXPECT_EQ(floats("float32", "%a / %b", 1, 0), std::numeric_limits<float>::infinity());
  EXPECT_EQ(floats("float32", "-%a", 2.5, 0), -2.5f);
  EXPECT_EQ(floats("float32", "abs(%a)", -2.5, 0), 2.5f);
  EXPECT_EQ(floats("float32", "%a // %b", -7.5, 2), -4.0f);
  EXPECT_EQ(floats("float32", "%a % %b", -7.5, 2), 0.5f);
  EXPECT_EQ(floats("float32", "%a ** %b", 2, 0.5), std::sqrt(2.0f));
  EXPECT_EQ(floats("float32", "min(%a, %b)", 2, 1), 1.0f);
  EXPECT_TRUE(std::isnan(floats("float32", "min(%a, %b)", NAN, 1)));  // Python: the first stays
  EXPECT_EQ(floats("int32", "%a / %b", std::bit_cast<double>(int64_t{1}), std::bit_cast<double>(int64_t{3})),
            1.0f / 3.0f);
  EXPECT_EQ(floats("float64", "%a * %b", 0.1, 3), static_cast<float>(0.1 * 3));
  for (const bool negate : {false, true}) {
    const std::string before = negate ? "not (" : "", after = negate ? ")" : "";
    EXPECT_EQ(float_bools(before + "%a < %b" + after, NAN, 1), negate);
    EXPECT_EQ(float_bools(before + "%a >= %b" + after, NAN, 1), negate);
    EXPECT_EQ(float_bools(before + "%a == %b" + after, NAN, NAN), negate);
    EXPECT_EQ(float_bools(before + "%a != %b" + after, NAN, NAN), !negate);
    EXPECT_EQ(float_bools(before + "%a <= %b" + after, 1, 1), !negate);
    // As conditions of branches, where the jump is on the negated comparison.
    EXPECT_EQ(float_bools("select(" + before + "%a < %b" + after + ", true, false)", NAN, 1), negate);
    EXPECT_EQ(float_bools("select(" + before + "%a >= %b" + after + ", true, false)", NAN, 1), negate);
    EXPECT_EQ(float_bools("select(" + before + "%a == %b" + after + ", true, false)", NAN, 1), negate);
    EXPECT_EQ(float_bools("select(" + before + "%a > %b" + after + ", true, false)", 2, 1), !negate);
  }
}

TEST(SimScalar, HalfAndBfloatRoundAtEachOperation) {
  // numpy: float16(2048) + float16(1) == 2048; float16(0.1) * float16(3) == 0.2998
  EXPECT_EQ(floats("float16", "%a + %b", 2048, 1), 2048.0f);
  EXPECT_EQ(floats("float16", "(%a + %b) + %b", 2048, 1), 2048.0f);
  EXPECT_EQ(floats("float16", "%a * %b", 0.1, 3), 0.29980469f);
  EXPECT_EQ(floats("bfloat16", "%a + %b", 256, 1), 256.0f);
  EXPECT_EQ(floats("float16", "%a / %b", 1, 3), 1.0f / 3.0f);  // division gives float32
  EXPECT_EQ(floats("float32", "cast<float16>(%a)", 0.1, 0), 0.099975586f);
}

TEST(SimScalar, Casts) {
  EXPECT_EQ(ints("int32", "cast<int64>(cast<float32>(%a))", 16777217, 0), 16777216);
  EXPECT_EQ(ints("int32", "explicit_cast<int8>(%a)", 300, 0), 44);
  EXPECT_EQ(ints("int32", "explicit_cast<uint32>(%a)", -1, 0), 4294967295);
  EXPECT_EQ(ints("int32", "cast<int16>(%a)", -300, 0), -300);
  EXPECT_EQ(ints("int32", "cast<bool>(%a)", -300, 0), 1);
  std::vector<std::string> found;
  EXPECT_EQ(ints("int32", "cast<int8>(%a)", 300, 0, &found), 44);
  EXPECT_EQ(found, std::vector<std::string>{"ASC-S101"});
  EXPECT_EQ(ints("int32", "explicit_cast<int64>(cast<uint64>(%a))", -1, 0, &found), -1);
  EXPECT_EQ(found, (std::vector<std::string>{"ASC-S101"}));
  const auto truncated = [](double value) {
    const ProgramPtr p = program_of(kernel_of("float32", "int64", "cast<int64>(explicit_cast<int32>(%a))"));
    std::vector<int64_t> out(1);
    const std::vector<Argument> args = {array("x", out, DType::I64), real("a", value), real("b", 0)};
    const LaunchResult r = launch(*p, 1, args, {});
    return std::make_pair(out[0], ids(r));
  };
  EXPECT_EQ(truncated(-2.9).first, -2);
  EXPECT_EQ(truncated(2.9).first, 2);
  EXPECT_EQ(truncated(1e20).second, std::vector<std::string>{"ASC-S101"});
}

TEST(SimScalar, OverflowIsFoundWhereTheValueIsUsed) {
  std::vector<std::string> found;
  // The chain computes in 64 bits: what comes back into the type is no fault.
  EXPECT_EQ(ints("int32", "%a * %b - %a * %b", 60000, 60000), 0);
  EXPECT_EQ(ints("int32", "%a + %b - %b", 2147483647, 5), 2147483647);
  EXPECT_EQ(ints("int32", "%a * %b", 60000, 60000, &found), -694967296);
  EXPECT_EQ(found, std::vector<std::string>{"ASC-S101"});
  EXPECT_EQ(ints("int32", "(%a + %b) // 2", 2147483647, 1, &found), -1073741824);
  EXPECT_EQ(found, std::vector<std::string>{"ASC-S101"});
  EXPECT_EQ(ints("int32", "-%a", -2147483648, 0, &found), -2147483648);
  EXPECT_EQ(found, std::vector<std::string>{"ASC-S101"});
  EXPECT_EQ(ints("int64", "%a + %b", kMax, 1, &found), kMin);
  EXPECT_EQ(found, std::vector<std::string>{"ASC-S101"});
  EXPECT_EQ(ints("int64", "%a * %b", kMax, 2, &found), -2);
  EXPECT_EQ(found, std::vector<std::string>{"ASC-S101"});
  EXPECT_EQ(ints("int32", "%a ** %b", 10, 10, &found), 1410065408);
  EXPECT_EQ(found, std::vector<std::string>{"ASC-S101"});
  EXPECT_EQ(ints("int32", "%a // %b", -2147483648, -1, &found), -2147483648);
  EXPECT_EQ(found, std::vector<std::string>{"ASC-S101"});
  EXPECT_EQ(ints("int64", "%a // %b", kMin, -1, &found), kMin);
  EXPECT_EQ(found, std::vector<std::string>{"ASC-S101"});
  EXPECT_EQ(ints("int64", "%a // %b", kMin + 1, -1), kMax);
  EXPECT_EQ(ints("int64", "%a % %b", kMin, -1), 0);
  EXPECT_EQ(ints("int32", "%a << %b", 1, 40, &found), 0);
  EXPECT_EQ(found, std::vector<std::string>{"ASC-S104"});
  EXPECT_EQ(ints("int32", "%a << %b", 3, 31, &found), -2147483648);
  EXPECT_EQ(found, std::vector<std::string>{"ASC-S101"});
  // `fast` computes what the device would and says nothing.
  EXPECT_EQ(ints("int32", "%a * %b", 60000, 60000, &found, fast()), -694967296);
  EXPECT_TRUE(found.empty());
  EXPECT_EQ(ints("int8", "%a + %b", 127, 1, &found), -128);
  EXPECT_EQ(found, std::vector<std::string>{"ASC-S101"});
  // The sum is said to fit, its product is not.
  EXPECT_EQ(ints("int64", "(%a * %b + (%b - %b))!fits", int64_t{1} << 40, int64_t{1} << 40, &found), 0);
  EXPECT_EQ(found, std::vector<std::string>{"ASC-S101"});
  // A proven range has no check.
  EXPECT_EQ(ints("int32", "(%a * %b)!fits", 100, 100), 10000);
}

// Runs a kernel with an int32 output of n elements and one int argument.
std::vector<int32_t> outputs(const std::string& text, int n, int64_t argument = 0,
                             LaunchResult* result = nullptr) {
  const ProgramPtr program = program_of(text);
  std::vector<int32_t> out(static_cast<size_t>(n), -999);
  const std::vector<Argument> args = {array("x", out, DType::I32), scalar("n", argument)};
  LaunchResult r = launch(*program, 1, args, {});
  if (result)
    *result = r;
  else
    EXPECT_TRUE(r.findings.empty()) << messages(r);
  return out;
}

const std::string kHead =
    "kernel @k(%x: GlobalAddress<int32>, %n: int32) {\n  var %g: GlobalTensor<int32>\n"
    "  asc_GlobalTensor_SetGlobalBuffer(%g, %x)\n";

TEST(SimScalar, LoopsBreakContinueElse) {
  // Python: total of i over range(n) without 2, until 6 -> 13; else runs only without a break.
  const std::string text = kHead + R"(
  var %total: int32 = 0
  var %done: int32 = 0
  for var %i: int32 in range(0, %n) {
    if %i == 2 { continue }
    if %i == 6 { break }
    %total = %total + %i
  } else {
    %done = 1
  }
  asc_GlobalTensor_SetValue(%g, 0, %total)
  asc_GlobalTensor_SetValue(%g, 1, %done)
})";
  EXPECT_EQ(outputs(text, 2, 20), (std::vector<int32_t>{13, 0}));
  EXPECT_EQ(outputs(text, 2, 5), (std::vector<int32_t>{8, 1}));
  EXPECT_EQ(outputs(text, 2, 0), (std::vector<int32_t>{0, 1}));
}

TEST(SimScalar, RangesCountAsPythons) {
  const std::string text = kHead + R"(
  var %i: int32 = 77
  var %turns: int32 = 0
  for %i in range(10, 0, %n) {
    %turns = %turns + 1
    %i = %i * 100
  }
  asc_GlobalTensor_SetValue(%g, 0, %turns)
  asc_GlobalTensor_SetValue(%g, 1, %i)
  for %i in range(%i, %n) { %turns = %turns + 1 }
  asc_GlobalTensor_SetValue(%g, 2, %i)
})";
  EXPECT_EQ(outputs(text, 3, -3), (std::vector<int32_t>{4, 100, 100}));  // 10, 7, 4, 1
  EXPECT_EQ(outputs(text, 3, -10), (std::vector<int32_t>{1, 1000, 1000}));
  EXPECT_EQ(outputs(text, 3, 3), (std::vector<int32_t>{0, 77, 77}));  // never entered: the old value stays
  LaunchResult result;
  EXPECT_EQ(outputs(text, 3, 0, &result), (std::vector<int32_t>{0, 77, 77}));
  EXPECT_EQ(ids(result), std::vector<std::string>{"ASC-S103"});
}

TEST(SimScalar, ACounterThatStepsOutOfItsTypeIsFound) {
  const std::string text = kHead + R"(
  var %turns: int32 = 0
  for var %i: int32 in range(2147483640, 2147483647, %n) { %turns = %turns + 1 }
  asc_GlobalTensor_SetValue(%g, 0, %turns)
})";
  LaunchResult result;
  EXPECT_EQ(outputs(text, 1, 4, &result), std::vector<int32_t>{2});  // 2147483644 + 4 is outside
  EXPECT_EQ(ids(result), std::vector<std::string>{"ASC-S101"});
  EXPECT_EQ(outputs(text, 1, 7), std::vector<int32_t>{1});
}

// Loops whose values stay in the VM's registers are put down and taken up again when a core pauses.
TEST(SimScalar, LongLoopsSurvivePauses) {
  const std::string body = R"(
  var %sum: int32 = 0
  for var %i: int32 in range(0, %n) { %sum = (%sum + %i * 3) % 1000003 }
  asc_GlobalTensor_SetValue(%g, 0, %sum)
  var %odd: int32 = 0
  for var %j: int32 in range(%n, 0, -3) {
    if %j % 2 == 1 { %odd = %odd + 1 } else { continue }
    if %odd == 100000 { break }
  }
  asc_GlobalTensor_SetValue(%g, 1, %odd)
  var %left: int32 = %n
  var %turns: int32 = 0
  while %left > 1 {
    %left = select(%left % 2 == 0, %left // 2, %left * 3 + 1)
    %turns = %turns + 1
  }
  asc_GlobalTensor_SetValue(%g, 2, %turns)
  var %bits: int32 = 0
  for var %m: int32 in range(0, %n) { %bits = %bits ^ (%m & 255) }
  asc_GlobalTensor_SetValue(%g, 3, %bits)
})";
  int64_t sum = 0, odd = 0, bits = 0;
  const int n = 1000001;
  for (int i = 0; i < n; i++) sum = (sum + i * int64_t{3}) % 1000003, bits ^= i & 255;
  for (int i = n; i > 0 && odd < 100000; i -= 3) odd += i % 2;
  int64_t left = n, turns = 0;
  for (; left > 1; turns++) left = left % 2 == 0 ? left / 2 : left * 3 + 1;
  const std::vector<int32_t> expected = {static_cast<int32_t>(sum), static_cast<int32_t>(odd),
                                         static_cast<int32_t>(turns), static_cast<int32_t>(bits)};
  EXPECT_EQ(outputs(kHead + body, 4, n), expected);
  // With a cross-core op anywhere cores run in turns, and each pause lets another one run.
  const std::string never = "  if %n < 0 { asc_CrossCoreSetFlag(1, 0, PipeID.PIPE_S) }\n";
  EXPECT_EQ(outputs(kHead + never + body, 4, n), expected);
}

TEST(SimScalar, WhileSeesItsUpdates) {
  const std::string text = kHead + R"(
  var %i: int32 = 0
  var %sum: int32 = 0
  while do {
    var %next: int32 = %i + 1
  } %i < %n and %sum < 100 {
    %i = %next
    if %i % 2 == 0 { continue }
    %sum = %sum + %i
    if %sum == 25 { break }
  } else {
    %sum = -%sum
  }
  asc_GlobalTensor_SetValue(%g, 0, %sum)
  asc_GlobalTensor_SetValue(%g, 1, %i)
})";
  EXPECT_EQ(outputs(text, 2, 8), (std::vector<int32_t>{-16, 8}));
  EXPECT_EQ(outputs(text, 2, 50), (std::vector<int32_t>{25, 9}));
}

TEST(SimScalar, ShortCircuitAndSelect) {
  const std::string text = kHead + R"(
  var %v: int32 = 0
  if %n < 4 and asc_GlobalTensor_GetValue(%g, cast<uint64>(%n)) > 0 { %v = 1 }
  if %n >= 4 or asc_GlobalTensor_GetValue(%g, cast<uint64>(%n)) > 0 { %v = %v + 10 }
  asc_GlobalTensor_SetValue(%g, 0, %v)
  %v = select(%n < 4, asc_GlobalTensor_GetValue(%g, cast<uint64>(%n)), 5)
  asc_GlobalTensor_SetValue(%g, 1, %v)
  var %b: bool = %n > 1 and not (%n == 3 or %n == 5)
  asc_GlobalTensor_SetValue(%g, 2, select(%b, %v, -%v))
  %b = %b or %n == 3
  asc_GlobalTensor_SetValue(%g, 3, select(%b, 1, 0))
})";
  EXPECT_EQ(outputs(text, 4, 1000000), (std::vector<int32_t>{10, 5, 5, 1}));
  EXPECT_EQ(outputs(text, 4, 3), (std::vector<int32_t>{0, -999, 999, 1}));
}

TEST(SimScalar, HelpersReturnFromLoops) {
  const std::string text = R"(
func @first_multiple(%n: int32, %d: int32) -> (int32) {
  for var %i: int32 in range(1, %n) {
    if %i % %d == 0 { return %i }
  }
  return -1
}
func @divmod(%a: int32, %b: int32) -> (int32 q, int32 r) {
  return %a // %b, %a % %b
}
func @swap(%a: int32, %b: int32) -> (int32, int32) {
  return %b, %a
}
)" + kHead + R"(
  asc_GlobalTensor_SetValue(%g, 0, @first_multiple(%n, 5))
  asc_GlobalTensor_SetValue(%g, 1, @first_multiple(3, 5))
  var %q: int32
  var %r: int32
  call (%q, %r) = @divmod(-7, 2)
  asc_GlobalTensor_SetValue(%g, 2, %q)
  asc_GlobalTensor_SetValue(%g, 3, %r)
  call (%q, %r) = @swap(%q, %r)
  asc_GlobalTensor_SetValue(%g, 4, %q)
  asc_GlobalTensor_SetValue(%g, 5, %r)
  call (_, %r) = @divmod(@first_multiple(%n, 7), @first_multiple(%n, 3) + 1)
  asc_GlobalTensor_SetValue(%g, 6, %r)
})";
  EXPECT_EQ(outputs(text, 7, 20), (std::vector<int32_t>{5, -1, -4, 1, 1, -4, 3}));
}

TEST(SimScalar, DeepCallsNeedNoStackOfOurs) {
  std::string text = "func @f0(%a: int32) -> (int32) { return %a + 1 }\n";
  for (int i = 1; i <= 300; i++)
    text += "func @f" + std::to_string(i) + "(%a: int32) -> (int32) { return @f" + std::to_string(i - 1) +
            "(%a) + 1 }\n";
  text += kHead + "  asc_GlobalTensor_SetValue(%g, 0, @f300(%n))\n}\n";
  EXPECT_EQ(outputs(text, 1, 7), std::vector<int32_t>{308});
}

TEST(SimScalar, ReferencesReachTheCallersVariable) {
  const std::string text = R"(
func @bind(%t: GlobalTensor<int32> ref, %p: GlobalAddress<int32>, %count: int32 ref) {
  asc_GlobalTensor_SetGlobalBuffer(%t, %p, 4)
  %count = %count + 1
}
func @outer(%t: GlobalTensor<int32> ref, %p: GlobalAddress<int32>, %count: int32 ref) {
  @bind(%t, asc_Pointer_Offset(%p, 1), %count)
  %count = %count * 10
}
kernel @k(%x: GlobalAddress<int32>, %n: int32) {
  var %g: GlobalTensor<int32>
  var %count: int32 = %n
  @outer(%g, %x, %count)
  asc_GlobalTensor_SetValue(%g, 0, %count)
  asc_GlobalTensor_SetValue(%g, 1, cast<int32>(asc_GlobalTensor_GetSize(%g)))
})";
  EXPECT_EQ(outputs(text, 3, 4), (std::vector<int32_t>{-999, 50, 4}));
}

TEST(SimScalar, ALentLoopVariableIsSetAtEachTurn) {
  const std::string text = R"(
func @jump(%i: int32 ref) { %i = %i + 100 }
)" + kHead + R"(
  var %turns: int32 = 0
  var %i: int32 = 0
  for %i in range(0, %n) {
    %turns = %turns + 1
    @jump(%i)
  }
  asc_GlobalTensor_SetValue(%g, 0, %turns)
  asc_GlobalTensor_SetValue(%g, 1, %i)
})";
  EXPECT_EQ(outputs(text, 2, 3), (std::vector<int32_t>{3, 102}));
}

TEST(SimScalar, ArgumentsAreCounted) {
  const ProgramPtr program = program_of(kHead + "}");
  EXPECT_THROW(launch(*program, 1, {}, {}), LaunchError);
  std::vector<int32_t> none;
  const std::vector<Argument> args = {array("x", none, DType::I32), scalar("n", 0)};
  EXPECT_TRUE(launch(*program, 0, args, {}).findings.empty());
  EXPECT_TRUE(launch(*program, 1, args, {}).findings.empty());
}

TEST(SimScalar, StructsHoldTheirFields) {
  const std::string text = R"(
struct Tiling "Tiling" bytes 16 {
  rows: int32 = 3 at 0
  params: MmadParams = 0 at 4
}
func @twice(%t: struct<Tiling> ref) { %t.rows = %t.rows * 2 }
)" + kHead + R"(
  var %t: struct<Tiling>
  @twice(%t)
  asc_GlobalTensor_SetValue(%g, 0, %t.rows)
  %t.params.n = 9
  asc_GlobalTensor_SetValue(%g, 1, cast<int32>(%t.params.n))
  var %m: MmadParams = asc_Struct_MmadParams(16, 32, cast<uint16>(%n))
  %t.params = %m
  asc_GlobalTensor_SetValue(%g, 2, cast<int32>(%t.params.k))
  asc_GlobalTensor_SetValue(%g, 3, cast<int32>(%t.params.cmatrix_init_val))
})";
  EXPECT_EQ(outputs(text, 4, 48), (std::vector<int32_t>{6, 9, 48, 1}));
}

TEST(SimScalar, PrintIsPythonsAndInBlockOrder) {
  const ProgramPtr program = program_of(R"(
kernel @k(%n: int32, %f: float32) {
  var %b: bool = %n > 0
  print "block " asc_GetBlockIdx() " of " asc_GetBlockNum() ": " %n " " %f " " %b " " TPosition.VECIN "\n"
})");
  const std::vector<Argument> args = {scalar("n", -3), real("f", 2)};
  for (int threads = 1; threads <= 4; threads++) {
    Options options;
    options.threads = threads;
    const LaunchResult r = launch(*program, 3, args, options);
    EXPECT_EQ(r.printed,
              "block 0 of 3: -3 2.0 False TPosition.VECIN\nblock 1 of 3: -3 2.0 False TPosition.VECIN\n"
              "block 2 of 3: -3 2.0 False TPosition.VECIN\n");
  }
}

TEST(SimScalar, AssertStopsItsCore) {
  const ProgramPtr program = program_of(kHead + R"(
  assert %n > 0, "n is " %n ""
  asc_GlobalTensor_SetValue(%g, 0, 1)
})");
  std::vector<int32_t> out(1, 0);
  std::vector<Argument> args = {array("x", out, DType::I32), scalar("n", -3)};
  const LaunchResult bad = launch(*program, 1, args, {});
  ASSERT_EQ(ids(bad), std::vector<std::string>{"ASC-E101"});
  EXPECT_EQ(bad.findings[0].message, "assertion failed: n is -3");
  EXPECT_EQ(out[0], 0);
  args[1] = scalar("n", 3);
  EXPECT_TRUE(launch(*program, 1, args, {}).findings.empty());
  EXPECT_EQ(out[0], 1);
}

TEST(SimScalar, TimeoutSaysWhereTheCoreStands) {
  const std::string text = R"(source 0 "k.py" line 10 function "k"
  "def k(n):\n"
  "    while n == n:\n"
  "        n = n\n"
@s0:0:0-2:13 kernel @k(%n: int32) {
  @1:4-2:13 while (%n == %n)@1:10-16 {
    @2:8-13 %n = %n@2:12-13
  }
})";
  const ProgramPtr program = program_of(text);
  Options options;
  options.timeout_seconds = 0.2;
  const auto start = std::chrono::steady_clock::now();
  const LaunchResult r = launch(*program, 2, std::vector<Argument>{scalar("n", 1)}, options);
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(2));
  ASSERT_EQ(ids(r), std::vector<std::string>{"ASC-T101"});
  EXPECT_EQ(r.findings[0].sites.at(0).file, "k.py");
  EXPECT_GE(r.findings[0].sites.at(0).line, 11u);
  struct Stops final : Watch {
    int asked = 0;
    bool go_on() override { return ++asked < 3; }
  } watch;
  options.timeout_seconds = 0;
  const LaunchResult stopped = launch(*program, 2, std::vector<Argument>{scalar("n", 1)}, options, &watch);
  EXPECT_TRUE(stopped.interrupted);
  EXPECT_EQ(watch.asked, 3);
  EXPECT_TRUE(stopped.findings.empty());
}

TEST(SimScalar, DisassemblyIsTheSameEachTime) {
  const std::string text = kHead + R"(
  for var %i: int32 in range(0, %n) {
    if %i < 5 { asc_GlobalTensor_SetValue(%g, cast<uint64>(%i), %i * 2) }
  }
})";
  const std::string once = disassemble(*program_of(text)), again = disassemble(*program_of(text));
  EXPECT_EQ(once, again);
  EXPECT_NE(once.find("ForPrep1"), std::string::npos);
  EXPECT_NE(once.find("asc_GlobalTensor_SetValue<int32>"), std::string::npos);
}

}  // namespace
}  // namespace asc::sim
