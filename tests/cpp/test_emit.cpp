// SPDX-License-Identifier: Apache-2.0
// The Ascend C printer: modules in the IR's text form, and the text that a careful person would write for
// them.
#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <string_view>

#include "emit/ascendc.h"
#include "emit/names.h"
#include "emit/printer.h"
#include "ir/builder.h"
#include "ir/text.h"

namespace asc {
namespace {

std::string print(const std::string& ir) {
  const auto module = ir::parse_module(ir);
  return emit::print_ascendc(*module);
}

// What follows `#include "kernel_operator.h"` and its blank line.
std::string program(const std::string& rest) {
  const std::string text = print("module kernel_type=AIV_ONLY auto_sync=true\n" + rest);
  const std::string head = "#include \"kernel_operator.h\"\n\n";
  EXPECT_EQ(text.substr(0, head.size()), head);
  return text.substr(head.size());
}

// The statements of a kernel, two columns to the left.
std::string body(const std::string& params, const std::string& statements) {
  const std::string text = program("kernel @k(" + params + ") {\n" + statements + "\n}\n");
  const size_t kernel = text.find("extern \"C\"");
  const size_t begin = text.find("{\n", kernel) + 2;
  std::string out;
  for (size_t at = begin; at < text.size();) {
    const size_t end = text.find('\n', at);
    const std::string line = text.substr(at, end - at);
    if (line == "}") break;
    out += (line.substr(0, 2) == "  " ? line.substr(2) : line) + "\n";
    at = end + 1;
  }
  return out;
}

// An expression, as the value of a variable of its type.
std::string value(const std::string& params, const std::string& type, const std::string& expr) {
  const std::string text = body(params, "var %r: " + type + " = " + expr);
  const size_t begin = text.find(" = ") + 3;
  return text.substr(begin, text.rfind(';') - begin);
}

// ---- frame
// -------------------------------------------------------------------------------------------------------

TEST(Emit, KernelFrame) {
  EXPECT_EQ(
      print(
          "module kernel_type=AIV_ONLY auto_sync=true\nkernel @k(%x: GlobalAddress<float16>, %n: int32, %s: float32, %b: bool) {\n}\n"),
      "#include \"kernel_operator.h\"\n"
      "\n"
      "extern \"C\" __global__ __aicore__ void k(__gm__ half* x, int32_t n, float s, bool b) {\n"
      "}\n");
}

TEST(Emit, ModuleConstantsOnlyWhenUsed) {
  EXPECT_EQ(program("const $A: int32 = 2\nconst $B: int32 = 3\nconst $F: float32 = 0.5\n"
                    "kernel @k(%n: int32) {\n  var %m: int32 = %n * $B\n  var %f: float32 = $F\n}\n"),
            "constexpr int32_t B = 3;\n"
            "constexpr float F = 0.5f;\n"
            "\n"
            "extern \"C\" __global__ __aicore__ void k(int32_t n) {\n"
            "  int32_t m = n * B;\n"
            "  float f = F;\n"
            "}\n");
}

TEST(Emit, LocalConstantsOnlyWhenUsed) {
  // `unused` is dropped, and with it the only use of `base`; `piece` keeps TILE alive.
  EXPECT_EQ(body("%n: int32",
                 "const $TILE: int32 = 2048\n"
                 "const $base: int32 = 7\n"
                 "const $unused: int32 = spelt(14, $base * 2)\n"
                 "const $piece: int32 = spelt(1024, $TILE // 2)\n"
                 "var %m: int32 = %n + $piece"),
            "constexpr int32_t TILE = 2048;\n"
            "constexpr int32_t piece = TILE / 2;\n"
            "int32_t m = n + piece;\n");
}

TEST(Emit, SpellingOutOfScopeIsANumber) {
  EXPECT_EQ(body("%n: int32",
                 "var %m: int32\n"
                 "if %n > 0 {\n  const $W: int32 = 6\n  %m = %n * $W\n}\n"
                 "%m = %m + spelt(12, $W * 2)"),
            "int32_t m;\n"
            "if (n > 0) {\n"
            "  constexpr int32_t W = 6;\n"
            "  m = n * W;\n"
            "}\n"
            "m += 12;\n");
}

TEST(Emit, ConstantOfAHelperThatIsTheGlobal) {
  EXPECT_EQ(
      program("const $TILE: int32 = 64\n"
              "func @f(%n: int32) -> (int32 m) {\n  const $TILE.1: int32 = $TILE\n  return %n * $TILE.1\n}\n"
              "kernel @k(%n: int32) {\n  var %m: int32 = @f(%n)\n}\n"),
      "constexpr int32_t TILE = 64;\n"
      "\n"
      "namespace {\n"
      "\n"
      "__aicore__ inline int32_t f(int32_t n) {\n"
      "  return n * TILE;\n"
      "}\n"
      "\n"
      "}  // namespace\n"
      "\n"
      "extern \"C\" __global__ __aicore__ void k(int32_t n) {\n"
      "  int32_t m = f(n);\n"
      "}\n");
}

TEST(Emit, LocalHidesGlobalConstant) {
  // The global cannot be named where a local has its name.
  const std::string text = program(
      "const $n: int32 = 8\n"
      "kernel @k(%n: int32) {\n  var %m: int32 = %n * $n\n}\n");
  EXPECT_NE(text.find("int32_t m = n * 8;"), std::string::npos) << text;
  EXPECT_EQ(text.find("constexpr"), std::string::npos) << text;
}

TEST(Emit, ResultsByReference) {
  EXPECT_EQ(program("func @share(%total: int32) -> (int64 first, int64 count) {\n"
                    "  const $TILE: int32 = 2048\n"
                    "  var %first: int64 = asc_GetBlockIdx() * spelt(2048, cast<int64>($TILE))\n"
                    "  var %count: int64 = cast<int64>(%total) - %first\n"
                    "  return %first, %count\n}\n"
                    "kernel @k(%total: int32) {\n"
                    "  var %first: int64\n  var %count: int64\n"
                    "  call (%first, %count) = @share(%total)\n"
                    "  if %count <= 0 {\n    return\n  }\n"
                    "  call (%first, _) = @share(%total)\n}\n"),
            "namespace {\n"
            "\n"
            "__aicore__ inline void share(int32_t total, int64_t& first, int64_t& count) {\n"
            "  constexpr int32_t TILE = 2048;\n"
            "  first = AscendC::GetBlockIdx() * TILE;\n"
            "  count = total - first;\n"
            "}\n"
            "\n"
            "}  // namespace\n"
            "\n"
            "extern \"C\" __global__ __aicore__ void k(int32_t total) {\n"
            "  int64_t first;\n"
            "  int64_t count;\n"
            "  share(total, first, count);\n"
            "  if (count <= 0) {\n"
            "    return;\n"
            "  }\n"
            "  int64_t count_2;\n"
            "  share(total, first, count_2);\n"
            "}\n");
}

TEST(Emit, ResultsThatAreNoVariables) {
  const std::string text = program(
      "func @swap(%a: int32, %b: int32) -> (int32 b, int32 a) {\n"
      "  if %a > %b {\n    return %b, %a\n  }\n"
      "  return %a, %b + 1\n}\n"
      "kernel @k(%a: int32, %b: int32) {\n  call (%a, %b) = @swap(%a, %b)\n}\n");
  EXPECT_NE(text.find("__aicore__ inline void swap(int32_t a, int32_t b, int32_t& b_2, int32_t& a_2) {\n"
                      "  if (a > b) {\n"
                      "    b_2 = b;\n"
                      "    a_2 = a;\n"
                      "    return;\n"
                      "  }\n"
                      "  b_2 = a;\n"
                      "  a_2 = b + 1;\n"
                      "}\n"),
            std::string::npos)
      << text;
}

TEST(Emit, SpecialisationsOfOneHelper) {
  const std::string text = program(
      "func @f(%n: int32) -> (int32 r) {\n  return %n\n}\n"
      "func @f.1(%n: int64) -> (int64 r) {\n  return %n\n}\n"
      "kernel @k(%n: int32, %m: int64) {\n  var %a: int32 = @f(%n)\n  var %b: int64 = @f.1(%m)\n}\n");
  EXPECT_NE(text.find("inline int32_t f(int32_t n)"), std::string::npos) << text;
  EXPECT_NE(text.find("inline int64_t f_2(int64_t n)"), std::string::npos) << text;
  EXPECT_NE(text.find("int64_t b = f_2(m);"), std::string::npos) << text;
}

// ---- names
// -------------------------------------------------------------------------------------------------------

TEST(Emit, ReservedNames) {
  EXPECT_EQ(body("%half: int32, %int: int32, %k: int32, %PIPE: int32",
                 "var %assert: int32 = %half + %int + %k + %PIPE"),
            "int32_t assert_ = half_ + int_ + k_ + PIPE;\n");
  // A version of a name with a suffix: C++ reserves two underscores in a row.
  EXPECT_EQ(body("%signed: int32", "var %signed.1: float32 = cast<float32>(%signed)\nvar %a__b: int32 = 1"),
            "float signed_2 = signed_;\nint32_t a_b_ = 1;\n");
  EXPECT_TRUE(emit::is_reserved("AscendC"));
  EXPECT_TRUE(emit::is_reserved("bfloat16_t"));
  EXPECT_FALSE(emit::is_reserved("block_idx"));
}

TEST(Emit, FunctionsKeepClearOfTheCLibrary) {
  const std::string text = program(
      "func @exp(%x: float32) -> (float32 r) {\n  return %x\n}\n"
      "kernel @index(%x: float32) {\n  var %exp: float32 = @exp(%x)\n}\n");
  EXPECT_NE(text.find("inline float exp_(float x)"), std::string::npos) << text;
  EXPECT_NE(text.find("void index_(float x)"), std::string::npos) << text;
  EXPECT_NE(text.find("float exp = exp_(x);"), std::string::npos) << text;
}

TEST(Emit, VersionsOfOneVariable) {
  EXPECT_EQ(body("%n: int32", "var %x: int32 = %n\nvar %x.1: float32 = cast<float32>(%x)\n%x.1 = %x.1 + 1.0"),
            "int32_t x = n;\n"
            "float x_2 = x;\n"
            "x_2 += 1.0f;\n");
}

TEST(Emit, NamesOfClosedScopesAreFree) {
  EXPECT_EQ(body("%n: int32",
                 "for var %i: int32 in range(0, %n) {\n  var %t: int32 = %i\n}\n"
                 "for var %i.1: int32 in range(0, %n) {\n  var %t.1: int32 = %i.1\n}"),
            "for (int32_t i = 0; i < n; i++) {\n"
            "  int32_t t = i;\n"
            "}\n"
            "for (int32_t i = 0; i < n; i++) {\n"
            "  int32_t t = i;\n"
            "}\n");
}

// ---- expressions
// -------------------------------------------------------------------------------------------------

TEST(Emit, Precedence) {
  const std::string p = "%a: int32, %b: int32, %c: int32";
  EXPECT_EQ(value(p, "int32", "(%a + %b) * %c"), "(a + b) * c");
  EXPECT_EQ(value(p, "int32", "%a + (%b * %c)"), "a + b * c");
  EXPECT_EQ(value(p, "int32", "%a - (%b - %c)"), "a - (b - c)");
  EXPECT_EQ(value(p, "int32", "(%a - %b) - %c"), "a - b - c");
  EXPECT_EQ(value(p, "int32", "-(%a + %b)"), "-(a + b)");
  EXPECT_EQ(value(p, "int32", "-(-%a)"), "-(-a)");
  EXPECT_EQ(value(p, "int32", "%a - -5"), "a - -5");
  EXPECT_EQ(value(p, "int32", "(%a & %b) | %c"), "(a & b) | c");
  EXPECT_EQ(value(p, "int32", "(%a | %b) | %c"), "a | b | c");
  EXPECT_EQ(value(p, "int32", "%a & (%b - 1)"), "a & (b - 1)");
  EXPECT_EQ(value(p, "int32", "(%a + %b) << %c"), "(a + b) << c");
  EXPECT_EQ(value(p, "bool", "(%a < %b) and ((%b < %c) or (%a == %c))"), "a < b && (b < c || a == c)");
  EXPECT_EQ(value(p, "bool", "((%a < %b) and (%b < %c)) or (%a == %c)"), "(a < b && b < c) || a == c");
  EXPECT_EQ(value(p, "bool", "not (%a < %b)"), "!(a < b)");
  EXPECT_EQ(value(p, "bool", "not (%a != 0)"), "a == 0");
  EXPECT_EQ(value(p, "int32", "select(%a < %b, %a, %b) + 1"), "(a < b ? a : b) + 1");
  EXPECT_EQ(value(p, "int32", "select(%a < %b, %a, select(%b < %c, %b, %c))"), "a < b ? a : b < c ? b : c");
}

TEST(Emit, IntegerWidths) {
  const std::string p =
      "%i: int32, %j: int32, %l: int64, %u: uint32, %c: int8, %d: int8, %v: uint8, %w: uint8";
  // A wide operand makes C++ compute wide; two narrow ones need one cast.
  EXPECT_EQ(value(p, "int64", "cast<int64>(%i) * %l"), "i * l");
  EXPECT_EQ(value(p, "int64", "%l + cast<int64>(%i)"), "l + i");
  EXPECT_EQ(value(p, "int64", "cast<int64>(%i) * cast<int64>(%j)"), "static_cast<int64_t>(i) * j");
  EXPECT_EQ(value(p, "int64", "cast<int64>(%i) * 4"), "static_cast<int64_t>(i) * 4");
  EXPECT_EQ(value(p, "int64", "4 * cast<int64>(%i)"), "4 * static_cast<int64_t>(i)");
  // int with unsigned would be computed unsigned.
  EXPECT_EQ(value(p, "int64", "cast<int64>(%i) + cast<int64>(%u)"), "static_cast<int64_t>(i) + u");
  EXPECT_EQ(value(p, "bool", "cast<int64>(%i) < cast<int64>(%u)"), "static_cast<int64_t>(i) < u");
  EXPECT_EQ(value(p, "int64", "cast<int64>(%u) + %l"), "u + l");
  // int8 is computed in int; a signed value that leaves its type is a finding, an unsigned one wraps.
  EXPECT_EQ(value(p, "int8", "%c + %d"), "c + d");
  EXPECT_EQ(value(p, "uint8", "%v + %w"), "v + w");
  EXPECT_EQ(value(p, "bool", "(%v + %w) < 100"), "static_cast<uint8_t>(v + w) < 100");
  EXPECT_EQ(value(p, "bool", "(%v + %w)!fits < 100"), "v + w < 100");
  EXPECT_EQ(value(p, "bool", "(%v & %w) < 100"), "(v & w) < 100");
  EXPECT_EQ(value(p, "uint32", "~%u"), "~u");
  EXPECT_EQ(value(p, "bool", "~%v == 0"), "static_cast<uint8_t>(~v) == 0");
  // Conversions that an initialisation makes are not written.
  EXPECT_EQ(value(p, "int64", "cast<int64>(%i + %j)"), "i + j");
  EXPECT_EQ(value(p, "int32", "cast<int32>(%l)"), "l");
  EXPECT_EQ(value(p, "int32", "explicit_cast<int32>(%l)"), "static_cast<int32_t>(l)");
  EXPECT_EQ(value(p, "int32", "cast<int32>(%l) + %i"), "static_cast<int32_t>(l) + i");
  // Shifts take the type of their left side.
  EXPECT_EQ(value(p, "int64", "1 << cast<int64>(%i)"), "1LL << i");
  EXPECT_EQ(value(p, "int64", "cast<int64>(%i) << 3"), "static_cast<int64_t>(i) << 3");
  EXPECT_EQ(value(p, "int64", "%l << cast<int64>(%i)"), "l << i");
}

TEST(Emit, Literals) {
  EXPECT_EQ(value("", "int32", "-2147483648"), "INT32_MIN");
  EXPECT_EQ(value("", "int64", "-9223372036854775808"), "INT64_MIN");
  EXPECT_EQ(value("", "int64", "5000000000"), "5000000000");
  EXPECT_EQ(value("", "uint32", "4294967295"), "4294967295u");
  EXPECT_EQ(value("", "uint64", "18446744073709551615"), "18446744073709551615u");
  EXPECT_EQ(value("", "float32", "0.0"), "0.0f");
  EXPECT_EQ(value("", "float32", "-0.0"), "-0.0f");
  EXPECT_EQ(value("", "float32", "0.1"), "0.1f");
  EXPECT_EQ(value("", "float32", "1e+20"), "1e+20f");
  EXPECT_EQ(value("", "float32", "inf"), "__builtin_inff()");
  EXPECT_EQ(value("", "float16", "0.5"), "0.5f");
  EXPECT_EQ(value("", "bool", "true"), "true");
}

TEST(Emit, Floats) {
  const std::string p = "%i: int32, %j: int32, %f: float32, %h: float16, %g: float16";
  EXPECT_EQ(value(p, "float32", "cast<float32>(%i) / cast<float32>(%j)"), "static_cast<float>(i) / j");
  EXPECT_EQ(value(p, "float32", "cast<float32>(%i) * %f"), "i * f");
  EXPECT_EQ(value(p, "float32", "cast<float32>(%i)"), "i");
  EXPECT_EQ(value(p, "float32", "%f / 2.0"), "f / 2.0f");
  EXPECT_EQ(value(p, "int32", "cast<int32>(%f)"), "static_cast<int32_t>(f)");
  EXPECT_EQ(value(p, "bool", "cast<bool>(%i)"), "i != 0");
  EXPECT_EQ(value(p, "bool", "not cast<bool>(%i)"), "i == 0");
  EXPECT_EQ(value(p, "bool", "cast<bool>(%f)"), "f != 0.0f");
  EXPECT_EQ(value(p, "float32", "cast<float32>(%h) * %f"), "static_cast<float>(h) * f");
  EXPECT_EQ(value(p, "float16", "%h + %g"), "static_cast<float>(h) + static_cast<float>(g)");
  EXPECT_EQ(value(p, "bool", "(%h + %g) < 1.0:float16"),
            "static_cast<float>(static_cast<half>(static_cast<float>(h) + static_cast<float>(g))) < 1.0f");
}

TEST(Emit, Division) {
  const std::string p = "%a: int32, %b: int32, %l: int64, %u: uint32, %f: float32";
  EXPECT_EQ(value(p, "int32", "(%a // %b)!plaindiv"), "a / b");
  EXPECT_EQ(value(p, "int32", "(%a % 2)!plaindiv"), "a % 2");
  EXPECT_EQ(value(p, "uint32", "%u // 3"), "u / 3");
  EXPECT_EQ(value(p, "int32", "%a // %b"), "asc_floor_div(a, b)");
  EXPECT_EQ(value(p, "int32", "%a % %b"), "asc_floor_mod(a, b)");
  EXPECT_EQ(value(p, "int64", "%l // 3"), "asc_floor_div<int64_t>(l, 3)");
  EXPECT_EQ(value(p, "int64", "%l % cast<int64>(%a)"), "asc_floor_mod<int64_t>(l, a)");
  EXPECT_EQ(value(p, "float32", "%f // 2.0"), "asc_floor_div(f, 2.0f)");
  EXPECT_EQ(value(p, "int32", "min(%a, %b)"), "asc_min(a, b)");
  EXPECT_EQ(value(p, "int64", "max(%l, 0)"), "asc_max<int64_t>(l, 0)");
  EXPECT_EQ(value(p, "int32", "abs(%a)"), "asc_abs(a)");
  EXPECT_EQ(value(p, "int32", "%a ** 3"), "a * a * a");
  EXPECT_EQ(value(p, "int32", "%a ** 5"), "asc_pow(a, 5)");
}

TEST(Emit, HelpersOnlyWhenUsed) {
  const std::string text = program("kernel @k(%a: int32, %b: int32) {\n  var %c: int32 = %a % %b\n}\n");
  EXPECT_EQ(text,
            "namespace {\n"
            "\n"
            "template <typename T>\n"
            "__aicore__ inline T asc_floor_mod(T a, T b) {\n"
            "  T remainder = b == -1 ? 0 : a % b;\n"
            "  return remainder != 0 && (remainder < 0) != (b < 0) ? remainder + b : remainder;\n"
            "}\n"
            "\n"
            "}  // namespace\n"
            "\n"
            "extern \"C\" __global__ __aicore__ void k(int32_t a, int32_t b) {\n"
            "  int32_t c = asc_floor_mod(a, b);\n"
            "}\n");
}

// ---- statements
// --------------------------------------------------------------------------------------------------

TEST(Emit, Branches) {
  EXPECT_EQ(
      body("%n: int32",
           "var %m: int32 = 0\n"
           "if %n < 0 {\n  %m = 1\n} else {\n  if %n == 0 {\n    %m = 2\n  } else {\n    %m = 3\n  }\n}"),
      "int32_t m = 0;\n"
      "if (n < 0) {\n"
      "  m = 1;\n"
      "} else if (n == 0) {\n"
      "  m = 2;\n"
      "} else {\n"
      "  m = 3;\n"
      "}\n");
}

TEST(Emit, PlainFor) {
  EXPECT_EQ(body("%n: int32", "for var %i: int32 in range(0, %n) {\n}"),
            "for (int32_t i = 0; i < n; i++) {\n}\n");
  EXPECT_EQ(body("%n: int32", "for var %i: int32 in range(%n, 0, -1) {\n}"),
            "for (int32_t i = n; i > 0; i--) {\n}\n");
  EXPECT_EQ(body("%n: int32", "for var %i: int32 in range(2, %n, 3) {\n}"),
            "for (int32_t i = 2; i < n; i += 3) {\n}\n");
  EXPECT_EQ(body("%n: int32", "for var %i: int32 in range(%n, 2, -3) {\n}"),
            "for (int32_t i = n; i > 2; i -= 3) {\n}\n");
  EXPECT_EQ(body("%n: int32, %s: int32", "for var %i: int32 in range(0, %n + 1, %s!nonneg) {\n}"),
            "for (int32_t i = 0; i < n + 1; i += s) {\n}\n");
}

TEST(Emit, ForWithACounterOfItsOwn) {
  // The variable outlives the loop.
  EXPECT_EQ(body("%n: int32", "var %i: int32 = 0\nfor %i in range(0, %n) {\n}\nvar %m: int32 = %i"),
            "int32_t i = 0;\n"
            "for (int32_t i_next = 0; i_next < n; i_next++) {\n"
            "  i = i_next;\n"
            "}\n"
            "int32_t m = i;\n");
  // The body assigns the variable.
  EXPECT_EQ(body("%n: int32", "for var %i: int32 in range(0, %n) {\n  %i = %i + 1\n}"),
            "for (int32_t i_next = 0; i_next < n; i_next++) {\n"
            "  int32_t i = i_next;\n"
            "  i += 1;\n"
            "}\n");
  // The body changes the bound: Python has read it before.
  EXPECT_EQ(body("%n: int32", "for var %i: int32 in range(0, %n) {\n  %n = %n - 1\n}"),
            "const int32_t i_stop = n;\n"
            "for (int32_t i_next = 0; i_next < i_stop; i_next++) {\n"
            "  int32_t i = i_next;\n"
            "  n -= 1;\n"
            "}\n");
  // The sign of the step is not known.
  EXPECT_EQ(body("%n: int32, %s: int32", "for var %i: int32 in range(0, %n, %s) {\n}"),
            "for (int32_t i_next = 0; s > 0 ? i_next < n : i_next > n; i_next += s) {\n"
            "  int32_t i = i_next;\n"
            "}\n");
}

TEST(Emit, LoopElse) {
  EXPECT_EQ(
      body("%n: int32",
           "var %m: int32 = 0\n"
           "for var %i: int32 in range(0, %n) {\n  if %i == 3 {\n    break\n  }\n} else {\n  %m = 1\n}"),
      "int32_t m = 0;\n"
      "bool broken = false;\n"
      "for (int32_t i = 0; i < n; i++) {\n"
      "  if (i == 3) {\n"
      "    broken = true;\n"
      "    break;\n"
      "  }\n"
      "}\n"
      "if (!broken) {\n"
      "  m = 1;\n"
      "}\n");
  EXPECT_EQ(
      body("%n: int32", "var %m: int32 = 0\nfor var %i: int32 in range(0, %n) {\n} else {\n  %m = 1\n}"),
      "int32_t m = 0;\n"
      "for (int32_t i = 0; i < n; i++) {\n"
      "}\n"
      "m = 1;\n");
}

TEST(Emit, While) {
  EXPECT_EQ(body("%n: int32", "while %n > 0 {\n  %n = %n - 1\n}"),
            "while (n > 0) {\n"
            "  n -= 1;\n"
            "}\n");
  EXPECT_EQ(body("%n: int32", "while do {\n  var %t: int32 = %n * 2\n} %t > 4 {\n  %n = %n - 1\n}"),
            "while (true) {\n"
            "  int32_t t = n * 2;\n"
            "  if (!(t > 4)) {\n"
            "    break;\n"
            "  }\n"
            "  n -= 1;\n"
            "}\n");
}

TEST(Emit, CorePredicates) {
  EXPECT_EQ(body("%n: int32", "if is_aic() {\n  %n = 1\n} else {\n  %n = 2\n}"),
            "if ASCEND_IS_AIC {\n"
            "  n = 1;\n"
            "} else {\n"
            "  n = 2;\n"
            "}\n");
  EXPECT_EQ(body("%n: int32", "if not is_aic() {\n  %n = 1\n}"),
            "if ASCEND_IS_AIV {\n"
            "  n = 1;\n"
            "}\n");
  EXPECT_EQ(body("%n: int32", "if is_aiv() and (%n > 3) {\n  %n = 1\n}"),
            "if ASCEND_IS_AIV {\n"
            "  if (n > 3) {\n"
            "    n = 1;\n"
            "  }\n"
            "}\n");
  EXPECT_EQ(body("%n: int32", "var %cube: bool = is_aic()\nif %cube {\n  %n = 1\n}"),
            "bool cube;\n"
            "if ASCEND_IS_AIC {\n"
            "  cube = true;\n"
            "} else {\n"
            "  cube = false;\n"
            "}\n"
            "if (cube) {\n"
            "  n = 1;\n"
            "}\n");
  EXPECT_EQ(body("%n: int32", "if is_aic() or (%n > 3) {\n  %n = 1\n}"),
            "bool is_aic = false;\n"
            "if ASCEND_IS_AIC {\n"
            "  is_aic = true;\n"
            "}\n"
            "if (is_aic || n > 3) {\n"
            "  n = 1;\n"
            "}\n");
}

TEST(Emit, AssertAndPrint) {
  const std::string p = "%n: int32, %l: int64, %f: float32, %u: uint32, %b: bool";
  EXPECT_EQ(body(p, "assert %n > 0"), "ascendc_assert(n > 0);\n");
  EXPECT_EQ(body(p, "assert %n > 0, \"n is \" %n \", 100%\""),
            "ascendc_assert(n > 0, \"n is %d, 100%%\", n);\n");
}

TEST(Emit, PrintFormats) {
  const std::string p = "%n: int32, %l: int64, %f: float32, %u: uint32, %b: bool";
  EXPECT_EQ(body(p, "print \"a \\\"b\\\" \" %n \" \" %l \" \" %f \" \" %u \" \" %b \"\\n\""),
            "AscendC::printf(\"a \\\"b\\\" %d %ld %f %u %s\\n\", n, l, f, u, b ? \"True\" : \"False\");\n");
}

// ---- calls
// -------------------------------------------------------------------------------------------------------

TEST(Emit, ScalarsThatATemplateDeduces) {
  const std::string p =
      "%x: LocalTensor<float32>, %h: LocalTensor<float16>, %c: LocalTensor<int16>, %s: float32, %n: int32";
  const std::string vec = "%n";
  const auto call = [&](const std::string& op, const std::string& t, const std::string& tensor,
                        const std::string& scalar) {
    return program("func @f(" + p + ") {\n  asc_" + op + "<T=" + t + ">(" + tensor + ", " + tensor + ", " +
                   scalar + ", 64, _)\n}\nkernel @k() {\n}\n");
  };
  const auto has = [](const std::string& text, const std::string& wanted) {
    EXPECT_NE(text.find(wanted), std::string::npos) << text;
  };
  has(call("Adds", "float", "%x", "5.0"), "AscendC::Adds(x, x, 5.0f, 64);");
  has(call("Adds", "float", "%x", "%s"), "AscendC::Adds(x, x, s, 64);");
  has(call("Adds", "float", "%x", "cast<float32>(%n)"), "AscendC::Adds(x, x, static_cast<float>(n), 64);");
  has(call("Adds", "half", "%h", "0.5:float16"), "AscendC::Adds(h, h, static_cast<half>(0.5f), 64);");
  has(call("Adds", "half", "%h", "cast<float16>(%s)"), "AscendC::Adds(h, h, static_cast<half>(s), 64);");
  has(call("Adds", "i16", "%c", "5:int16"), "AscendC::Adds(c, c, static_cast<int16_t>(5), 64);");
}

TEST(Emit, ObjectsAndViews) {
  EXPECT_EQ(
      body(
          "%x: GlobalAddress<float32>, %n: int32",
          "const $DEPTH: int32 = 2\n"
          "var %gm: GlobalTensor<float32> = asc_GlobalTensor_Init<T=float>()\n"
          "asc_GlobalTensor_SetGlobalBuffer<T=float>(%gm, asc_Pointer_Offset<T=float>(%x, cast<int64>(%n)), _)\n"
          "asc_GlobalTensor_SetGlobalBuffer<T=float>(%gm, asc_Pointer_OffsetBack<T=float>(%x, 3), 64)\n"
          "var %pipe: TPipe = asc_TPipe_Init()\n"
          "var %que: TQue<VECIN, 2> = asc_TQue_Init(TPosition.VECIN, $DEPTH)\n"
          "var %buf: TBuf<VECCALC> = asc_TBuf_Init(TPosition.VECCALC)\n"
          "asc_TPipe_InitBuffer(%pipe, %que, 2, 256)\n"
          "var %a: LocalTensor<float32> = asc_TQue_AllocTensor<T=float>(%que, _)\n"
          "var %b: LocalTensor<float32> = asc_TBuf_Get<T=float>(%buf, _, 16)\n"
          "asc_DataCopy<T=float>(asc_LocalTensor_Subindex<T=float>(%a, 8), %gm, 64)\n"
          "asc_TQue_FreeTensor<T=float>(%que, asc_LocalTensor_Subindex<T=float>(%a, 0))"),
      "constexpr int32_t DEPTH = 2;\n"
      "AscendC::GlobalTensor<float> gm;\n"
      "gm.SetGlobalBuffer(x + n);\n"
      "gm.SetGlobalBuffer(x - 3, 64);\n"
      "AscendC::TPipe pipe;\n"
      "AscendC::TQue<AscendC::TPosition::VECIN, DEPTH> que;\n"
      "AscendC::TBuf<AscendC::TPosition::VECCALC> buf;\n"
      "pipe.InitBuffer(que, 2, 256);\n"
      "AscendC::LocalTensor<float> a = que.AllocTensor<float>();\n"
      "AscendC::LocalTensor<float> b = buf.Get<float>(16);\n"
      "AscendC::DataCopy(a[8], gm, 64);\n"
      // FreeTensor takes a non-const reference: a view gets a name.
      "AscendC::LocalTensor<float> tensor = a[0];\n"
      "que.FreeTensor(tensor);\n");
}

TEST(Emit, DefaultsThatAscendCHasNot) {
  // SetFlag has no default event id in C++; CrossCoreWaitFlag has defaults for its template arguments.
  EXPECT_EQ(
      body(
          "",
          "asc_SetFlag(HardEvent.MTE2_V, _)\nasc_CrossCoreWaitFlag(3, _, _)\nasc_CrossCoreWaitFlag(3, 2, _)\n"
          "asc_PipeBarrier(PipeID.PIPE_ALL)"),
      "AscendC::SetFlag<AscendC::HardEvent::MTE2_V>(0);\n"
      "AscendC::CrossCoreWaitFlag(3);\n"
      "AscendC::CrossCoreWaitFlag<2>(3);\n"
      "AscendC::PipeBarrier<PIPE_ALL>();\n");
}

TEST(Emit, StructsBuiltInACall) {
  const std::string head =
      "var %m: LocalTensor<float16> = asc_LocalTensor_Init<T=half>(_, TPosition.A2, 0, 256)\n"
      "var %gm: GlobalTensor<float16> = asc_GlobalTensor_Init<T=half>()\n";
  const std::string declared =
      "AscendC::LocalTensor<half> m(AscendC::TPosition::A2, 0, 256);\n"
      "AscendC::GlobalTensor<half> gm;\n";
  const std::string build =
      "var %p: LoadData2DParams hoisted = asc_Struct_LoadData2DParams(0, 4, _, _, _, _, _)\n";
  EXPECT_EQ(body("", head + build + "asc_LoadData<T=half>(%m, %gm, %p)"),
            declared + "AscendC::LoadData(m, gm, AscendC::LoadData2DParams(0, 4, 0, 0, 0, false, 0));\n");
  // Read again: it keeps its variable.
  EXPECT_EQ(body("", head + build + "asc_LoadData<T=half>(%m, %gm, %p)\nasc_LoadData<T=half>(%m, %gm, %p)"),
            declared +
                "AscendC::LoadData2DParams p(0, 4, 0, 0, 0, false, 0);\n"
                "AscendC::LoadData(m, gm, p);\n"
                "AscendC::LoadData(m, gm, p);\n");
}

TEST(Emit, SliceLengthsOnlyWhereSizesAreAskedFor) {
  const std::string view =
      "var %t: LocalTensor<float32> = asc_LocalTensor_Init<T=float>(_, TPosition.VECIN, 0, 64)\n"
      "var %p: LocalTensor<float32> = asc_LocalTensor_Subindex.1<T=float>(%t, 8, 16)\n";
  const std::string tensor = "AscendC::LocalTensor<float> t(AscendC::TPosition::VECIN, 0, 64);\n";
  EXPECT_EQ(body("", view), tensor + "AscendC::LocalTensor<float> p = t[8];\n");
  EXPECT_EQ(body("", view + "var %n: uint32 = asc_LocalTensor_GetSize<T=float>(%p)"),
            tensor + "AscendC::LocalTensor<float> p = asc_slice(t, 8, 16);\nuint32_t n = p.GetSize();\n");
}

TEST(Emit, ExceptionsAreFew) {
  EXPECT_LE(emit::emit_exceptions().size() * 100, static_cast<size_t>(kOpCount) * 15);
}

// ---- comments
// ----------------------------------------------------------------------------------------------------

TEST(Emit, CommentsShowEachLineOnce) {
  ir::Module module;
  const uint32_t source =
      module.sources.add({"kernel.py", 10, "k", "def k(n: int):\n    m = n \\\n        + 1\n"});
  ir::Builder b(module);
  ir::Function* f = b.function("k", source, {source, 0, 0, 0, 5});
  f->is_kernel = true;
  ir::Var* n = b.new_var(f, "n", Type::scalar(DType::I32), {});
  n->is_param = true;
  f->params.push_back(n);
  f->body = b.new_block();
  b.set_block(f->body);
  const Loc loc{source, 1, 4, 2, 11};
  ir::Var* m = b.new_var(f, "m", Type::scalar(DType::I32), loc);
  b.decl(m, nullptr, loc);
  b.assign(m, b.binary(ir::BinaryOp::Add, b.var(n, loc), b.int_const(n->type, 1, loc), loc), loc);
  emit::Options options;
  options.comments = true;
  EXPECT_EQ(emit::print_ascendc(module, options),
            "#include \"kernel_operator.h\"\n"
            "\n"
            "extern \"C\" __global__ __aicore__ void k(int32_t n) {\n"
            "  int32_t m;  // m = n\n"
            "  m = n + 1;\n"
            "}\n");
}

}  // namespace
}  // namespace asc
