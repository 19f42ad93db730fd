// SPDX-License-Identifier: Apache-2.0
// Builder, folding and walks. Expected values of integers come from Python's rules (written out), those of
// floats from Python's and NumPy's results.
#include "ir/ir.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "ir/builder.h"
#include "ir/scalar.h"
#include "ir/text.h"
#include "ir/visit.h"

namespace asc::ir {
namespace {

constexpr Type kI8 = Type::scalar(DType::I8), kI32 = Type::scalar(DType::I32),
               kI64 = Type::scalar(DType::I64);
constexpr Type kU8 = Type::scalar(DType::U8), kU64 = Type::scalar(DType::U64),
               kBool = Type::scalar(DType::Bool);
constexpr Type kF32 = Type::scalar(DType::F32), kF16 = Type::scalar(DType::F16);
constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr auto kNone = std::nullopt;

struct Fixture : testing::Test {
  Module module;
  Builder build{module};
  Function* f = build.function("f", Loc::kNone, {});
  Fixture() {
    f->body = build.new_block();
    build.set_block(f->body);
  }
  Expr* i32(int64_t v) { return build.int_const(kI32, v, {}); }
  Expr* named(const char* name, Type type, int64_t bits) {
    return build.named_const(build.new_const(nullptr, name, type, bits, nullptr, {}), {});
  }
  Expr* variable(const char* name, Type type) { return build.var(build.new_var(f, name, type, {}), {}); }
};
using Build = Fixture;

// ---- integers ------------------------------------------------------------------------------------

TEST(Fold, FloorDivisionIsPythons) {
  struct Row {
    int64_t a, b, quotient, remainder;
  };
  // divmod(a, b) of Python
  const Row rows[] = {{7, 2, 3, 1},    {-7, 2, -4, 1}, {7, -2, -4, -1},
                      {-7, -2, 3, -1}, {6, -3, -2, 0}, {0, -5, 0, 0}};
  for (const Row& r : rows) {
    EXPECT_EQ(fold_int(BinaryOp::FloorDiv, DType::I32, r.a, r.b), r.quotient) << r.a << " // " << r.b;
    EXPECT_EQ(fold_int(BinaryOp::Mod, DType::I32, r.a, r.b), r.remainder) << r.a << " % " << r.b;
    EXPECT_EQ(r.quotient * r.b + r.remainder, r.a);
  }
  EXPECT_EQ(fold_int(BinaryOp::FloorDiv, DType::I32, 1, 0), kNone);
  EXPECT_EQ(fold_int(BinaryOp::Mod, DType::U8, 1, 0), kNone);
  EXPECT_EQ(fold_int(BinaryOp::FloorDiv, DType::I64, INT64_MIN, -1), kNone);
  EXPECT_EQ(fold_int(BinaryOp::Mod, DType::I64, INT64_MIN, -1), 0);
  EXPECT_EQ(fold_int(BinaryOp::FloorDiv, DType::I8, -128, -1), kNone);
}

TEST(Fold, SignedResultsStayInTheirType) {
  EXPECT_EQ(fold_int(BinaryOp::Add, DType::I32, INT32_MAX, 1), kNone);
  EXPECT_EQ(fold_int(BinaryOp::Add, DType::I64, INT32_MAX, 1), int64_t{INT32_MAX} + 1);
  EXPECT_EQ(fold_int(BinaryOp::Add, DType::I64, INT64_MAX, 1), kNone);
  EXPECT_EQ(fold_int(BinaryOp::Sub, DType::I8, -128, 1), kNone);
  EXPECT_EQ(fold_int(BinaryOp::Mul, DType::I32, 65536, 32768), kNone);
  EXPECT_EQ(fold_int(BinaryOp::Mul, DType::I32, -65536, 32768), INT32_MIN);
  EXPECT_EQ(fold_int(BinaryOp::Mul, DType::I64, INT64_MIN, -1), kNone);
  EXPECT_EQ(fold_int(BinaryOp::Min, DType::I32, -3, 2), -3);
  EXPECT_EQ(fold_int(BinaryOp::Max, DType::I32, -3, 2), 2);
  EXPECT_EQ(fold_int(BinaryOp::Div, DType::I32, 4, 2), kNone);
  EXPECT_EQ(fold_int(UnaryOp::Neg, DType::I32, INT32_MIN), kNone);
  EXPECT_EQ(fold_int(UnaryOp::Abs, DType::I64, INT64_MIN), kNone);
  EXPECT_EQ(fold_int(UnaryOp::Abs, DType::I8, -127), 127);
  EXPECT_EQ(fold_int(UnaryOp::Invert, DType::I8, 127), -128);
}

TEST(Fold, UnsignedWraps) {
  EXPECT_EQ(fold_int(BinaryOp::Sub, DType::U8, 3, 5), 254);
  EXPECT_EQ(fold_int(BinaryOp::Mul, DType::U16, 300, 300), 90000 % 65536);
  EXPECT_EQ(fold_int(BinaryOp::Shl, DType::U8, 255, 1), 254);
  EXPECT_EQ(fold_int(BinaryOp::Pow, DType::U8, 3, 6), 729 % 256);
  EXPECT_EQ(fold_int(UnaryOp::Neg, DType::U32, 1), int64_t{4294967295});
  EXPECT_EQ(fold_int(UnaryOp::Invert, DType::U8, 1), 254);
  // above int64's range, by bit pattern
  const int64_t big = static_cast<int64_t>(0xfffffffffffffff0u);
  EXPECT_EQ(fold_int(BinaryOp::FloorDiv, DType::U64, big, 16), 0x0fffffffffffffff);
  EXPECT_EQ(fold_int(BinaryOp::Mod, DType::U64, big, 7), static_cast<int64_t>(0xfffffffffffffff0u % 7));
  EXPECT_EQ(fold_int(BinaryOp::Shr, DType::U64, big, 60), 15);
  EXPECT_EQ(fold_int(BinaryOp::Gt, DType::U64, big, 1), 1);
  EXPECT_EQ(fold_int(BinaryOp::Gt, DType::I64, big, 1), 0);
  EXPECT_EQ(fold_int(BinaryOp::Max, DType::U64, big, 1), big);
  EXPECT_EQ(fold_int(BinaryOp::Add, DType::U64, big, 16), 0);
}

TEST(Fold, ShiftsAndPowers) {
  EXPECT_EQ(fold_int(BinaryOp::Shl, DType::I32, 1, 30), 1 << 30);
  EXPECT_EQ(fold_int(BinaryOp::Shl, DType::I32, 1, 31), kNone);
  EXPECT_EQ(fold_int(BinaryOp::Shl, DType::I32, -1, 31), INT32_MIN);
  EXPECT_EQ(fold_int(BinaryOp::Shl, DType::I64, 1, 63), kNone);
  EXPECT_EQ(fold_int(BinaryOp::Shl, DType::I64, -1, 63), INT64_MIN);
  EXPECT_EQ(fold_int(BinaryOp::Shl, DType::I64, 0, 200), 0);
  EXPECT_EQ(fold_int(BinaryOp::Shl, DType::I64, 1, -1), kNone);
  EXPECT_EQ(fold_int(BinaryOp::Shr, DType::I32, -5, 1), -3);
  EXPECT_EQ(fold_int(BinaryOp::Shr, DType::I32, -5, 100), -1);
  EXPECT_EQ(fold_int(BinaryOp::Shr, DType::I32, 5, -1), kNone);
  EXPECT_EQ(fold_int(BinaryOp::Pow, DType::I32, -3, 3), -27);
  EXPECT_EQ(fold_int(BinaryOp::Pow, DType::I32, 0, 0), 1);
  EXPECT_EQ(fold_int(BinaryOp::Pow, DType::I32, 2, -1), kNone);
  EXPECT_EQ(fold_int(BinaryOp::Pow, DType::I32, 2, 31), kNone);
  EXPECT_EQ(fold_int(BinaryOp::Pow, DType::I64, 2, 62), int64_t{1} << 62);
  EXPECT_EQ(fold_int(BinaryOp::Pow, DType::I64, -2, 63), INT64_MIN);
  EXPECT_EQ(fold_int(BinaryOp::Pow, DType::I64, 10, 1000000000), kNone);
  EXPECT_EQ(fold_int(BinaryOp::Pow, DType::I64, -1, 1000000001), -1);
}

TEST(Fold, Bools) {
  EXPECT_EQ(fold_int(BinaryOp::And, DType::Bool, 1, 0), 0);
  EXPECT_EQ(fold_int(BinaryOp::Xor, DType::Bool, 1, 0), 1);
  EXPECT_EQ(fold_int(BinaryOp::Eq, DType::Bool, 1, 1), 1);
  EXPECT_EQ(fold_int(BinaryOp::Add, DType::Bool, 1, 1), kNone);
  EXPECT_EQ(fold_int(UnaryOp::Not, DType::Bool, 0), 1);
  EXPECT_EQ(fold_int(UnaryOp::Not, DType::I32, 0), kNone);
  EXPECT_EQ(fold_int(UnaryOp::Invert, DType::Bool, 0), kNone);
}

// ---- floats --------------------------------------------------------------------------------------

bool same_float(double a, double b) {
  return std::isnan(a) ? std::isnan(b) : std::bit_cast<uint64_t>(a) == std::bit_cast<uint64_t>(b);
}

TEST(Fold, FloatFloorDivisionIsPythons) {
  struct Row {
    double a, b, quotient, remainder;
  };
  // divmod(a, b) of Python; by zero np.divmod
  const Row rows[] = {{7.5, 2.0, 3.0, 1.5},      {-7.5, 2.0, -4.0, 0.5},  {7.5, -2.0, -4.0, -0.5},
                      {-7.5, -2.0, 3.0, -1.5},   {4.0, 2.0, 2.0, 0.0},    {4.0, -2.0, -2.0, -0.0},
                      {-4.0, 2.0, -2.0, 0.0},    {0.0, 3.0, 0.0, 0.0},    {-0.0, 3.0, -0.0, 0.0},
                      {0.0, -3.0, -0.0, -0.0},   {1.0, kInf, 0.0, 1.0},   {-1.0, kInf, -1.0, kInf},
                      {1.0, -kInf, -1.0, -kInf}, {kInf, 2.0, NAN, NAN},   {NAN, 2.0, NAN, NAN},
                      {1.0, 0.0, kInf, NAN},     {-1.0, 0.0, -kInf, NAN}, {0.0, 0.0, NAN, NAN}};
  for (const DType type : {DType::F32, DType::F64, DType::F16, DType::BF16})
    for (const Row& r : rows) {
      EXPECT_PRED2(same_float, *fold_float(BinaryOp::FloorDiv, type, r.a, r.b), r.quotient)
          << r.a << " // " << r.b;
      EXPECT_PRED2(same_float, *fold_float(BinaryOp::Mod, type, r.a, r.b), r.remainder)
          << r.a << " % " << r.b;
    }
  // 1.0 // 0.1 is 9.0 in float64 (0.1 is a little more than a tenth); in float32, too: np.float32(1) //
  // np.float32(0.1)
  EXPECT_EQ(fold_float(BinaryOp::FloorDiv, DType::F64, 1.0, 0.1), 9.0);
  const double tenth = static_cast<double>(0.1f);
  EXPECT_EQ(fold_float(BinaryOp::FloorDiv, DType::F32, 1.0, tenth), 9.0);
}

TEST(Fold, FloatsRoundToTheirType) {
  const double third = static_cast<double>(1.0f / 3.0f);
  EXPECT_EQ(fold_float(BinaryOp::Div, DType::F32, 1.0, 3.0), third);
  EXPECT_EQ(fold_float(BinaryOp::Add, DType::F32, 16777216.0, 1.0), 16777216.0);
  EXPECT_EQ(fold_float(BinaryOp::Add, DType::F64, 16777216.0, 1.0), 16777217.0);
  EXPECT_EQ(fold_float(BinaryOp::Add, DType::F16, 2048.0, 1.0), 2048.0);
  EXPECT_EQ(fold_float(BinaryOp::Add, DType::F16, 2048.0, 3.0), 2052.0);  // half way: to even
  EXPECT_EQ(fold_float(BinaryOp::Mul, DType::F16, 256.0, 256.0), kInf);
  EXPECT_EQ(fold_float(BinaryOp::Add, DType::BF16, 256.0, 1.0), 256.0);
  EXPECT_EQ(fold_float(BinaryOp::Pow, DType::F32, 2.0, 0.5), static_cast<double>(std::sqrt(2.0f)));
  EXPECT_EQ(fold_float(BinaryOp::And, DType::F32, 1.0, 1.0), kNone);
}

TEST(Fold, FloatMinAndMaxKeepTheFirst) {
  // min(0.0, -0.0) is 0.0 and min(-0.0, 0.0) is -0.0 in Python; min(nan, 1) is nan, min(1, nan) is 1
  EXPECT_PRED2(same_float, *fold_float(BinaryOp::Min, DType::F32, 0.0, -0.0), 0.0);
  EXPECT_PRED2(same_float, *fold_float(BinaryOp::Min, DType::F32, -0.0, 0.0), -0.0);
  EXPECT_PRED2(same_float, *fold_float(BinaryOp::Max, DType::F32, -0.0, 0.0), -0.0);
  EXPECT_PRED2(same_float, *fold_float(BinaryOp::Min, DType::F32, NAN, 1.0), NAN);
  EXPECT_PRED2(same_float, *fold_float(BinaryOp::Min, DType::F32, 1.0, NAN), 1.0);
  EXPECT_EQ(fold_float(BinaryOp::Lt, DType::F32, NAN, 1.0), 0.0);
  EXPECT_EQ(fold_float(BinaryOp::Ne, DType::F32, NAN, NAN), 1.0);
  EXPECT_EQ(fold_float(BinaryOp::Eq, DType::F32, 0.0, -0.0), 1.0);
}

// ---- casts ---------------------------------------------------------------------------------------

int64_t bits(double value) { return std::bit_cast<int64_t>(value); }

TEST(Fold, Casts) {
  EXPECT_EQ(fold_cast(DType::I8, DType::I32, 200, false), kNone);
  EXPECT_EQ(fold_cast(DType::I8, DType::I32, 200, true), -56);
  EXPECT_EQ(fold_cast(DType::U8, DType::I32, -1, true), 255);
  EXPECT_EQ(fold_cast(DType::U64, DType::I32, -1, false), kNone);
  EXPECT_EQ(fold_cast(DType::U64, DType::I32, -1, true), -1);
  EXPECT_EQ(fold_cast(DType::I64, DType::U64, -1, false), kNone);
  EXPECT_EQ(fold_cast(DType::I32, DType::U32, 7, false), 7);
  EXPECT_EQ(fold_cast(DType::Bool, DType::I32, 256, false), 1);
  EXPECT_EQ(fold_cast(DType::I32, DType::Bool, 1, false), 1);
  EXPECT_EQ(fold_cast(DType::Bool, DType::F32, bits(0.5), false), 1);
  EXPECT_EQ(fold_cast(DType::Bool, DType::F32, bits(-0.0), false), 0);
  EXPECT_EQ(fold_cast(DType::I32, DType::F32, bits(-2.75), false), -2);
  EXPECT_EQ(fold_cast(DType::I32, DType::F64, bits(2147483648.0), true), kNone);
  EXPECT_EQ(fold_cast(DType::I32, DType::F64, bits(2147483647.5), false), INT32_MAX);
  EXPECT_EQ(fold_cast(DType::I64, DType::F64, bits(9223372036854775808.0), false), kNone);
  EXPECT_EQ(fold_cast(DType::U64, DType::F64, bits(9223372036854775808.0), false), INT64_MIN);
  EXPECT_EQ(fold_cast(DType::U8, DType::F32, bits(-0.5), false), 0);
  EXPECT_EQ(fold_cast(DType::U8, DType::F32, bits(-1.0), false), kNone);
  EXPECT_EQ(fold_cast(DType::I32, DType::F32, bits(NAN), true), kNone);
  // One rounding: through a double this would be 2^24 + 2 (half way, to even) or less, never the float above.
  const int64_t odd = (int64_t{1} << 54) + (int64_t{1} << 30) + 1;
  EXPECT_EQ(fold_cast(DType::F32, DType::I64, odd, false),
            bits(static_cast<double>(static_cast<float>(odd))));
  EXPECT_EQ(fold_cast(DType::F32, DType::U64, -1, false), bits(0x1p64));
  EXPECT_EQ(fold_cast(DType::F16, DType::I32, 65519, false), bits(65504.0));
  EXPECT_EQ(fold_cast(DType::F16, DType::I32, 65520, false), kNone);  // would become infinite
  EXPECT_EQ(fold_cast(DType::F16, DType::F32, bits(kInf), false), bits(kInf));
  EXPECT_EQ(fold_cast(DType::F16, DType::F64, bits(0.1), false), bits(0.0999755859375));
}

// ---- builder -------------------------------------------------------------------------------------

TEST_F(Build, LiteralsFoldToLiterals) {
  const Const* c = as_const(build.binary(BinaryOp::Add, i32(2), i32(3), {}));
  ASSERT_NE(c, nullptr);
  EXPECT_EQ(c->bits, 5);
  EXPECT_EQ(c->spelling, nullptr);
  EXPECT_EQ(const_int(build.binary(BinaryOp::Lt, i32(2), i32(3), {})), 1);
  EXPECT_EQ(build.binary(BinaryOp::Lt, i32(2), i32(3), {})->type, kBool);
  EXPECT_EQ(const_int(build.unary(UnaryOp::Neg, i32(2), {})), -2);
  EXPECT_EQ(as_const(build.binary(BinaryOp::Div, i32(1), i32(4), {}))->as_double(), 0.25);
  EXPECT_EQ(build.binary(BinaryOp::Div, i32(1), i32(4), {})->type, kF32);
}

TEST_F(Build, WhatHasNoValueIsNotFolded) {
  for (Expr* e :
       {build.binary(BinaryOp::FloorDiv, i32(1), i32(0), {}),
        build.binary(BinaryOp::Add, i32(INT32_MAX), i32(1), {}),
        build.binary(BinaryOp::Div, i32(1), i32(0), {}),
        build.binary(BinaryOp::Mul, build.float_const(kF32, 1e38, {}), build.float_const(kF32, 10, {}), {}),
        build.unary(UnaryOp::Neg, i32(INT32_MIN), {})})
    EXPECT_EQ(as_const(e), nullptr) << print_expr(*e);
  EXPECT_EQ(as_const(build.cast(kI8, i32(300), false, {})), nullptr);
}

TEST_F(Build, NamesStayInTheSpelling) {
  Expr* tile = named("tile", kI32, 2048);
  Expr* e = build.binary(BinaryOp::Mul, tile, i32(4), {});
  EXPECT_EQ(const_int(e), 8192);
  EXPECT_EQ(print_expr(*e), "spelt(8192, $tile * 4)");
  e = build.binary(BinaryOp::Add, e, i32(1), {});
  EXPECT_EQ(print_expr(*e), "spelt(8193, ($tile * 4) + 1)");
  e = build.unary(UnaryOp::Neg, e, {});
  EXPECT_EQ(print_expr(*e), "spelt(-8193, -(($tile * 4) + 1))");
  e = build.cast(kI64, e, false, {});
  EXPECT_EQ(print_expr(*e), "spelt(-8193:int64, cast<int64>(-(($tile * 4) + 1)))");
  e = build.binary(BinaryOp::Lt, e, build.int_const(kI64, 0, {}), {});
  EXPECT_EQ(print_expr(*e), "spelt(true, cast<int64>(-(($tile * 4) + 1)) < 0)");
  walk_expr(as_const(e)->spelling, [](const Expr* node) {
    if (const Const* leaf = as<Const>(node)) {
      EXPECT_EQ(leaf->spelling, nullptr);
    }
  });
}

TEST_F(Build, SpellingsEnd) {
  Expr* e = named("n", kI32, 1);
  for (int i = 0; i < 7; i++) e = build.binary(BinaryOp::Add, e, i32(1), {});
  EXPECT_NE(as_const(e)->spelling, nullptr);
  e = build.binary(BinaryOp::Add, e, i32(1), {});
  EXPECT_EQ(as_const(e)->spelling, nullptr);
  EXPECT_EQ(const_int(e), 9);
  // a conversion that changes the value or its kind, and an unsigned result that wrapped
  EXPECT_EQ(as_const(build.cast(kF32, named("k", kI32, 3), false, {}))->spelling, nullptr);
  EXPECT_EQ(as_const(build.cast(kU64, named("k", kI32, -3), true, {}))->spelling, nullptr);
  EXPECT_EQ(as_const(build.cast(kI8, named("k", kI32, 300), true, {}))->spelling, nullptr);
  EXPECT_NE(as_const(build.cast(kU64, named("k", kI32, 3), false, {}))->spelling, nullptr);
  EXPECT_NE(as_const(build.cast(kI64, named("k", kI32, -3), false, {}))->spelling, nullptr);
  const Const* wrapped =
      as_const(build.binary(BinaryOp::Sub, named("k", kU8, 3), build.int_const(kU8, 5, {}), {}));
  EXPECT_EQ(wrapped->bits, 254);
  EXPECT_EQ(wrapped->spelling, nullptr);
  EXPECT_NE(
      as_const(build.binary(BinaryOp::Sub, named("k", kU8, 5), build.int_const(kU8, 3, {}), {}))->spelling,
      nullptr);
}

TEST_F(Build, ConditionsChooseASide) {
  Expr* yes = build.int_const(kBool, 1, {});
  Expr* no = build.int_const(kBool, 0, {});
  Expr* x = variable("x", kBool);
  EXPECT_EQ(build.logical(LogicalOp::And, yes, x, {}), x);
  EXPECT_EQ(build.logical(LogicalOp::And, no, x, {}), no);
  EXPECT_EQ(build.logical(LogicalOp::Or, yes, x, {}), yes);
  EXPECT_EQ(build.logical(LogicalOp::Or, no, x, {}), x);
  EXPECT_EQ(build.logical(LogicalOp::And, x, no, {})->kind, ExprKind::Logical);
  Expr *a = variable("a", kI32), *b = variable("b", kI32);
  EXPECT_EQ(build.select(yes, a, b, {}), a);
  EXPECT_EQ(build.select(no, a, b, {}), b);
  EXPECT_EQ(build.select(x, a, b, {})->type, kI32);
}

TEST_F(Build, CastsOfTheSameTypeVanish) {
  Expr* a = variable("a", kI32);
  EXPECT_EQ(build.cast(kI32, a, true, {}), a);
  EXPECT_EQ(build.cast(kI64, a, false, {})->kind, ExprKind::Cast);
  EXPECT_EQ(const_int(build.cast(kI64, i32(5), false, {})), 5);
  EXPECT_EQ(as_const(build.float_const(kF16, 0.1, {}))->as_double(), 0.0999755859375);
}

TEST_F(Build, EffectsAreTheHighestOfTheParts) {
  const Type tensor = Type::local_tensor(DType::F32);
  const DType vars[4] = {DType::F32};
  const auto get = [&](Expr* index) {
    return build.op_call(OpId::LocalTensor_GetValue, 0, vars, variable("l", tensor),
                         std::vector<Expr*>{index}, {});
  };
  Expr* read = get(build.int_const(Type::scalar(DType::U32), 0, {}));
  EXPECT_EQ(read->effect, Effect::Read);
  EXPECT_EQ(read->type, kF32);
  Expr* sum = build.binary(BinaryOp::Add, read, build.float_const(kF32, 1, {}), {});
  EXPECT_EQ(sum->effect, Effect::Read);
  EXPECT_EQ(build.binary(BinaryOp::Add, variable("y", kF32), build.float_const(kF32, 1, {}), {})->effect,
            Effect::Pure);
  build.return_(std::vector<Expr*>{sum}, {});
  f->results = {kF32};
  EXPECT_EQ(effect_of(*f), Effect::Read);
  f->effect = effect_of(*f);
  build.function("g", Loc::kNone, {});
  EXPECT_EQ(build.call(f, {}, {})->effect, Effect::Read);
  EXPECT_EQ(build.call(f, {}, {})->type, kF32);
  Expr* flag = build.op_call(OpId::WaitFlag, 0, {}, nullptr,
                             std::vector<Expr*>(op_desc(OpId::WaitFlag).overloads[0].params.size()), {});
  EXPECT_EQ(flag->effect, op_desc(OpId::WaitFlag).effect);
}

TEST_F(Build, EffectOfAFunctionIsWhatItsCallerSees) {
  Var* own = build.new_var(f, "own", kI32, {});
  build.decl(own, i32(0), {});
  build.assign(own, i32(1), {});
  EXPECT_EQ(effect_of(*f), Effect::Pure);
  Var* shared = build.new_var(f, "shared", Type::global_tensor(DType::F32), {});
  shared->by_ref = true;
  build.assign(shared, build.var(shared, {}), {});
  EXPECT_EQ(effect_of(*f), Effect::Write);
}

TEST_F(Build, ConstInt) {
  EXPECT_EQ(const_int(i32(-4)), -4);
  EXPECT_EQ(const_int(build.int_const(kU64, -1, {})), kNone);  // above int64
  EXPECT_EQ(const_int(build.float_const(kF32, 4, {})), kNone);
  EXPECT_EQ(const_int(variable("v", kI32)), kNone);
  EXPECT_EQ(const_int(nullptr), kNone);
}

TEST_F(Build, NamesAreCopied) {
  std::string name = "short lived";
  Var* var = build.new_var(f, name, kI32, {});
  std::string_view piece = name;
  Print* print = build.print({&piece, 1}, {}, {});
  name.assign("overwritten");
  EXPECT_EQ(var->name, "short lived");
  EXPECT_EQ(print->text.pieces[0], "short lived");
  EXPECT_EQ(var->id, 0u);
  EXPECT_EQ(f->vars.size(), 1u);
}

// ---- walks, arena --------------------------------------------------------------------------------

TEST_F(Build, WalksInOrderOfEvaluation) {
  const auto module = parse_module(R"(kernel @k(%a: int32, %b: int32) {
  var %c: bool = (%a + 1) * -%b < select(%a == 2, 3, abs(%b))
  if %c {
    for var %i: int32 in range(%a, %b, 4) { %b = %i }
  } else { return }
  while do { %a = 5 } %c { break } else { continue }
}
)");
  std::string leaves, statements;
  walk(module->kernel()->body, [&](Stmt* s) {
    statements += std::to_string(static_cast<int>(s->kind)) + " ";
    for_each_expr(s, [&](Expr*& e) {
      walk_expr(e, [&](Expr* node) {
        if (node->kind == ExprKind::Const || node->kind == ExprKind::Var) leaves += print_expr(*node) + " ";
      });
    });
  });
  EXPECT_EQ(leaves, "%a 1 %b %a 2 3 %b %c %a %b 4 %i %c 5 ");
  const auto number = [](StmtKind kind) { return std::to_string(static_cast<int>(kind)) + " "; };
  EXPECT_EQ(statements, number(StmtKind::Decl) + number(StmtKind::If) + number(StmtKind::For) +
                            number(StmtKind::Assign) + number(StmtKind::Return) + number(StmtKind::While) +
                            number(StmtKind::Assign) + number(StmtKind::Break) + number(StmtKind::Continue));
  int replaced = 0;
  walk(module->kernel()->body, [&](Stmt* s) {
    for_each_expr(s, [&](Expr*& e) {
      if (e->kind == ExprKind::Var) e = i32(0), replaced++;
    });
  });
  EXPECT_EQ(replaced, 5);  // if, start, stop, value of the assignment, while
  EXPECT_NE(print_module(*module).find("range(0, 0, 4)"), std::string::npos);
}

TEST(Arena, KeepsAlignmentAndLargePieces) {
  Arena arena;
  for (size_t size : {1, 3, 8, 17000, 5, 64, 600000, 2}) {
    for (size_t align : {1, 8, 16}) {
      auto* p = static_cast<unsigned char*>(arena.allocate(size, align));
      EXPECT_EQ(reinterpret_cast<uintptr_t>(p) % align, 0u);
      p[0] = p[size - 1] = 1;
    }
  }
  EXPECT_EQ(arena.copy(std::string_view("abc")), "abc");
  EXPECT_TRUE(arena.copy(std::string_view()).empty());
}

TEST(KernelTypes, ReadBack) {
  for (int i = 0; i <= static_cast<int>(KernelType::MIX_AIC_1_0); i++) {
    KernelType type = KernelType::Auto;
    ASSERT_TRUE(parse_kernel_type(to_string(static_cast<KernelType>(i)), &type));
    EXPECT_EQ(static_cast<int>(type), i);
  }
  KernelType type = KernelType::Auto;
  EXPECT_FALSE(parse_kernel_type("AIV", &type));
}

}  // namespace
}  // namespace asc::ir
