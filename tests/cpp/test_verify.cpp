// SPDX-License-Identifier: Apache-2.0
// The verifier: each rule of ir/verify.h is broken once, from text where the text can say it, else by hand.
#include "ir/verify.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "ir/builder.h"
#include "ir/text.h"

namespace asc::ir {
namespace {

constexpr Type kI32 = Type::scalar(DType::I32), kI64 = Type::scalar(DType::I64),
               kF32 = Type::scalar(DType::F32);
constexpr Type kBool = Type::scalar(DType::Bool);

std::string messages(const Module& module) {
  std::string all;
  for (const VerifyError& e : verify(module)) all += (all.empty() ? "" : "; ") + e.message;
  return all;
}

// Messages for statements in a kernel with variables of several types.
std::string check(const std::string& statements) {
  return messages(*parse_module(
      "struct P \"P\" bytes 8 {\n a: int32 = 0 at 0\n b: float32 = 0 at 4\n}\n"
      "func @one(%v: int32) -> int32 { return %v }\n"
      "func @two(%v: int32, %p: struct<P>) -> (int32, float32) { return %v, %p.b }\n"
      "func @bind(%g: GlobalTensor<float32> ref, %x: GlobalAddress<float32>) {\n"
      "  asc_GlobalTensor_SetGlobalBuffer(%g, %x)\n}\n"
      "kernel @k(%x: GlobalAddress<float32>, %i: int32, %j: int64, %u: uint32, %f: float32, %b: bool, "
      "%p: struct<P>) {\n"
      "  var %l: LocalTensor<float32>\n  var %g: GlobalTensor<float32>\n"
      "  var %pipe: TPipe = asc_TPipe_Init()\n  var %q: TQue<VECIN, 1>\n" +
      statements + "\n}\n"));
}

TEST(Verify, GoodKernels) {
  EXPECT_EQ(check("%i = (%i + 1) * abs(-%i)"), "");
  EXPECT_EQ(check("%b = %i < 3 and not %b or %f != %f"), "");
  EXPECT_EQ(check("%f = 1:int32 / %i; %f = %f ** 0.5 // 2.0"), "");
  EXPECT_EQ(check("%i = @one(%i) + @one(2)"), "");
  EXPECT_EQ(check("var %c: float32 = 0; call (_, %c) = @two(1, %p)"), "");
  EXPECT_EQ(check("@bind(%g, %x)"), "");
  EXPECT_EQ(check("asc_TPipe_InitBuffer(%pipe, %q, 2, 4096)"), "");
  EXPECT_EQ(
      check("%l = asc_TQue_AllocTensor<T=float>(%q); asc_Adds(%l, %l, 2.0, 16); asc_TQue_EnQue(%q, %l)"), "");
  EXPECT_EQ(check("asc_DataCopy(%l, asc_GlobalTensor_Subindex(%g, cast<uint64>(%j)), 16)"), "");
  EXPECT_EQ(check("%p.a = 3; %f = %p.b"), "");
  EXPECT_EQ(check("for %i in range(0, 9) { if %b { break } } else { %b = true }"), "");
  EXPECT_EQ(check("while do { var %t: bool = %b } %t { %b = %t }"), "");
  EXPECT_EQ(check("%b = asc_TQue_HasIdleBuffer(%q) == true"), "");
}

TEST(Verify, Operands) {
  EXPECT_EQ(check("%j = %i"), "the value is int32, not int64");
  EXPECT_EQ(check("var %c: int32 = %f"), "the first value is float32, not int32");
  EXPECT_EQ(check("%i + %j"), "+ of int32 and int64");
  EXPECT_EQ(check("%f & %f"), "& of float32 operands");
  EXPECT_EQ(check("%b + %b"), "+ of bool operands");
  EXPECT_EQ(check("%l + %l"), "+ of LocalTensor<float32> operands");
  EXPECT_EQ(check("HardEvent.MTE2_V < HardEvent.MTE2_V"), "< of HardEvent operands");
  EXPECT_EQ(check("HardEvent.MTE2_V == HardEvent.MTE2_V"), "");
  EXPECT_EQ(check("~%f"), "~ of float32");
  EXPECT_EQ(check("-%b"), "- of bool");
  EXPECT_EQ(check("not %i"), "not of int32; the expression says bool and gives int32");
  EXPECT_EQ(check("%b and %i == 0"), "");
  EXPECT_EQ(check("%b and %i"), "right operand is int32, not bool");
  EXPECT_EQ(check("select(%i, %f, %f)"), "condition is int32, not bool");
  EXPECT_EQ(check("select(%b, %i, %f)"), "a choice of int32 and float32");
  EXPECT_EQ(check("select(%b, %p, %p)"), "a choice of struct<0>");
  EXPECT_EQ(check("cast<int32>(%l)"), "a cast of LocalTensor<float32> to int32");
  EXPECT_EQ(check("cast<GlobalAddress<float16>>(%x)"), "");
  EXPECT_EQ(check("if %i { }"), "the condition is int32, not bool");
  EXPECT_EQ(check("while %f { }"), "the condition is float32, not bool");
  EXPECT_EQ(check("assert %i"), "the condition is int32, not bool");
  EXPECT_EQ(check("print \"\" %pipe \"\""), "TPipe cannot be printed");
  EXPECT_EQ(check("for var %v: float32 in range(0.0, 1.0) { }"), "a loop variable that is no integer");
  EXPECT_EQ(check("for var %v: int64 in range(%i, %j) { }"), "the start is int32, not int64");
  EXPECT_EQ(check("(%i + 1)!plaindiv"), "plaindiv is a fact of // and % only");
}

TEST(Verify, Scopes) {
  EXPECT_EQ(check("if %b { var %c: int32 = 0 }\n%c = 1"), "an assignment: variable c is out of scope");
  EXPECT_EQ(check("for var %c: int32 in range(0, 2) { }\n%i = %c"), "a use: variable c is out of scope");
  EXPECT_EQ(check("if %b { var %c: int32 = 0 } else { %c = 1 }"),
            "an assignment: variable c is out of scope");
  EXPECT_EQ(check("while do { var %t: bool = %b } %t { } else { %b = %t }"),
            "a use: variable t is out of scope");
  EXPECT_EQ(check("break"), "break outside a loop");
  EXPECT_EQ(check("if %b { continue }"), "continue outside a loop");
  EXPECT_EQ(check("while %b { } else { break }"), "break outside a loop");
  EXPECT_EQ(check("while %b { for var %c: int32 in range(0, 2) { } else { break } }"), "");
  EXPECT_EQ(check("return 1"), "k returns 1 values, it has 0 results");
  EXPECT_EQ(messages(*parse_module("func @f() -> (int32, int32) { return 1 }")),
            "f returns 1 values, it has 2 results");
  EXPECT_EQ(messages(*parse_module("func @f() -> int32 { return 1.0 }")),
            "a returned value is float32, not int32");
}

TEST(Verify, UseBeforeDeclaration) {
  Module module;
  Builder build(module);
  Function* f = build.function("f", Loc::kNone, {});
  f->body = build.new_block();
  build.set_block(f->body);
  Var* a = build.new_var(f, "a", kI32, {});
  build.assign(a, build.int_const(kI32, 1, {}), {});
  build.decl(a, build.var(a, {}), {});
  build.decl(a, nullptr, {});
  EXPECT_EQ(messages(module),
            "an assignment: variable a is not declared before; a use: variable a is not declared before; "
            "variable a is declared twice");
}

TEST(Verify, Objects) {
  EXPECT_EQ(check("%pipe = %pipe"), "object pipe cannot be assigned");
  EXPECT_EQ(check("var %other: TPipe = %pipe"), "object other can only be declared from its constructor");
  EXPECT_EQ(check("asc_TPipe_Reset(asc_TPipe_Init())"), "asc_TPipe_Reset needs a named variable");
  EXPECT_EQ(check("asc_TPipe_InitBuffer(%pipe, asc_TQue_Init(_, _), 2, 4096)"),
            "asc_TPipe_InitBuffer: object que is not a named variable");
  EXPECT_EQ(check("asc_GlobalTensor_SetGlobalBuffer(asc_GlobalTensor_Subindex(%g, 0), %x)"),
            "asc_GlobalTensor_SetGlobalBuffer needs a named variable");
  EXPECT_EQ(check("@bind(asc_GlobalTensor_Subindex(%g, 0), %x)"),
            "argument g of bind is passed by reference and is no variable");
}

TEST(Verify, Calls) {
  EXPECT_EQ(check("@one(1.5)"), "argument v of one is float32, not int32");
  EXPECT_EQ(check("@one()"), "one takes 1 arguments, not 0");
  EXPECT_EQ(check("@two(1, %p)"), "two has several results");
  EXPECT_EQ(check("call (%i) = @two(1, %p)"), "1 variables take the 2 results of two");
  EXPECT_EQ(check("call (%i, %i) = @two(1, %p)"),
            "result 1 of two is float32, its variable int32; variable i takes two results");
}

TEST(Verify, OpsAgainstTheirRows) {
  EXPECT_EQ(check("asc_Adds<T=half>(%l, %l, 2.0:float16, 16)"),
            "asc_Adds: operand dst is LocalTensor<float32>, not LocalTensor<float16>; "
            "asc_Adds: operand src is LocalTensor<float32>, not LocalTensor<float16>");
  EXPECT_EQ(check("asc_Adds<T=u8>(_, _, 2:uint8, 16)"),
            "asc_Adds does not take T = uint8; asc_Adds: operand dst has no default; "
            "asc_Adds: operand src has no default");
  EXPECT_EQ(check("asc_Adds(%l, %l, 2.0, %j)"), "asc_Adds: operand count is int64, not int32");
  EXPECT_EQ(check("asc_SetFlag(%i, 0)"),
            "asc_SetFlag: operand event is int32, not HardEvent; "
            "asc_SetFlag: template argument event is not a constant");
  EXPECT_EQ(check("asc_SetFlag(PipeID.PIPE_V, 0)"), "asc_SetFlag: operand event is PipeID, not HardEvent");
  EXPECT_EQ(check("asc_TQue_AllocTensor<T=float>(%q, 1)"),
            "asc_TQue_AllocTensor: dtype is a dtype, which the type variables hold");
  EXPECT_EQ(check("asc_TQue_VacantInQue(%pipe)"), "asc_TQue_VacantInQue of TPipe");
}

TEST(Verify, Constants) {
  Module module;
  Builder build(module);
  Function* f = build.function("f", Loc::kNone, {});
  f->body = build.new_block();
  build.set_block(f->body);
  const auto error_of = [&](Expr* e) {
    f->body->clear();
    build.eval(e, {});
    return messages(module);
  };
  EXPECT_EQ(error_of(build.int_const(kI32, int64_t{1} << 31, {})),
            "the constant 2147483648 is outside int32");
  EXPECT_EQ(error_of(build.int_const(kBool, 2, {})), "the constant 2 is outside bool");
  EXPECT_EQ(error_of(build.int_const(Type::scalar(DType::U64), -1, {})), "");
  EXPECT_EQ(error_of(build.int_const(Type::scalar(DType::U32), -1, {})), "the constant -1 is outside uint32");
  Expr* rough = build.float_const(Type::scalar(DType::F64), 0.1, {});
  rough->type = kF32;
  EXPECT_EQ(error_of(rough), "the constant 0.1 is not rounded to float32");
  EXPECT_EQ(error_of(build.int_const(Type::pointer(DType::F32), 0, {})),
            "GlobalAddress<float32> has no constants");
  NamedConst* n = build.new_const(nullptr, "n", kI32, 5, nullptr, {});
  Expr* other = build.named_const(n, {});
  static_cast<Const*>(other)->bits = 6;
  EXPECT_EQ(error_of(other), "the constant differs from n, its name");
  Expr* twice = build.binary(BinaryOp::Mul, build.named_const(n, {}), build.int_const(kI32, 2, {}), {});
  EXPECT_EQ(error_of(twice), "");
  static_cast<Const*>(twice)->bits = 11;
  EXPECT_EQ(error_of(twice), "a spelling of another type or value than its constant");
  Var* v = build.new_var(f, "v", kI32, {});
  EXPECT_EQ(error_of(build.spelt_const(kI32, 0, build.var(v, {}), {})),
            "a spelling that is no expression of constants, or has no value");
}

TEST(Verify, Structure) {
  Module module;
  Builder build(module);
  Function* f = build.function("f", Loc::kNone, {});
  EXPECT_EQ(messages(module), "function f has no body");
  f->body = build.new_block();
  build.set_block(f->body);
  Function* g = build.function("g", Loc::kNone, {});
  g->body = build.new_block();
  f->is_kernel = true;
  EXPECT_EQ(messages(module), "the kernel is not the last function");
  f->is_kernel = false;
  Expr* call = build.call(g, {}, {});
  build.eval(call, {});
  EXPECT_EQ(messages(module), "a call of a function that does not stand before its caller");
  f->body->clear();
  Var* v = build.new_var(f, "v", kI32, {});
  build.decl(v, nullptr, {});
  Expr* shared = build.var(v, {});
  build.eval(build.binary(BinaryOp::Add, shared, shared, {}), {});
  EXPECT_EQ(messages(module), "right operand is a node that has another parent too");
  EXPECT_EQ(messages(module), "right operand is a node that has another parent too");  // and the second time
  shared->type = kI64;
  EXPECT_NE(messages(module).find("the expression says int64 and gives int32"), std::string::npos);
  f->body->clear();
  build.decl(v, nullptr, {});
  Expr* negation = build.unary(UnaryOp::Neg, build.var(v, {}), {});
  build.eval(negation, {});
  as<Unary>(negation)->operand = nullptr;
  EXPECT_EQ(messages(module), "no operand");
}

TEST(Verify, EffectsMayNotBeTooLow) {
  const auto module = parse_module(
      "kernel @k(%l: LocalTensor<float32>) { var %x: float32 = asc_LocalTensor_GetValue(%l, 0) + 1.0 }");
  EXPECT_EQ(messages(*module), "");
  Expr* sum = as<Decl>((*module->kernel()->body)[0])->init;
  sum->effect = Effect::Pure;
  EXPECT_EQ(messages(*module), "the effect is said to be pure and is read");
  sum->effect = Effect::Block;
  EXPECT_EQ(messages(*module), "");
}

TEST(Verify, AMatmulTakesTensorsOfItsMatrices) {
  const auto found = [](const std::string& call) {
    return messages(
        *parse_module("kernel @k(%h: GlobalTensor<float16>, %f: GlobalTensor<float32>) {\n"
                      "  var %m: Matmul<GM ND float16, GM ND float16 T, GM ND float32>\n  " +
                      call + "\n}"));
  };
  EXPECT_EQ(found("asc_Matmul_SetTensorA<T=half>(%m, %h, _)"), "");
  EXPECT_EQ(found("asc_Matmul_IterateAll<T=float>(%m, %f, _, _, _, _, _)"), "");
  EXPECT_EQ(found("asc_Matmul_SetBias<T=float>(%m, %f)"), "");
  EXPECT_EQ(found("asc_Matmul_SetTensorB<T=float>(%m, %f, _)"),
            "asc_Matmul_SetTensorB of float32, not float16");
  EXPECT_EQ(found("asc_Matmul_GetTensorC<T=half>(%m, %h, _, _, _)"),
            "asc_Matmul_GetTensorC of float16, not float32");
  EXPECT_EQ(found("asc_Matmul_SetBias<T=half>(%m, %h)"), "asc_Matmul_SetBias of float16, not float32");
}

TEST(Verify, EveryErrorHasItsPlace) {
  const auto module = parse_module(
      "source 0 \"a.py\" line 1 function \"k\"\n \"one\\n\" \"two\\n\"\n"
      "@s0:0:0-1:3 kernel @k(%i: int32) {\n  @1:0-3 %i = 1.5@1:2-3\n  @1:0-2 break\n}\n");
  const auto errors = verify(*module);
  ASSERT_EQ(errors.size(), 2u);
  EXPECT_EQ(errors[0].loc, (Loc{0, 1, 2, 1, 3}));
  EXPECT_EQ(errors[1].loc, (Loc{0, 1, 0, 1, 2}));
}

}  // namespace
}  // namespace asc::ir
