// SPDX-License-Identifier: Apache-2.0
// Text form of the IR: what it looks like, that it reads back, and what is said about bad text.
#include "ir/text.h"

#include <gtest/gtest.h>

#include <bit>
#include <iterator>
#include <random>
#include <string>
#include <vector>

#include "ir/builder.h"
#include "ir/verify.h"

namespace asc::ir {
namespace {

// Parses, verifies and prints; printing the reading of that must give the same bytes.
std::string round_trip(const std::string& text) {
  const auto module = parse_module(text);
  for (const VerifyError& e : verify(*module)) ADD_FAILURE() << e.message;
  const std::string printed = print_module(*module);
  EXPECT_EQ(print_module(*parse_module(printed)), printed);
  return printed;
}

// In the body of a kernel with variables of several types; returns the printed statements.
std::string body(const std::string& statements) {
  const std::string head =
      "kernel @k(%x: GlobalAddress<float32>, %i: int32, %j: int64, %u: uint64, %f: float32, %h: float16, "
      "%b: bool) {\n";
  const std::string printed =
      round_trip("module kernel_type=Auto auto_sync=true\n\n" + head + statements + "}\n");
  const size_t start = printed.find(head);
  EXPECT_NE(start, std::string::npos) << printed;
  return printed.substr(start + head.size(), printed.size() - start - head.size() - 2);
}

std::string error_of(const std::string& text) {
  try {
    parse_module(text, "t.ir");
  } catch (const CompileError& e) {
    EXPECT_EQ(e.sites().size(), 1u);
    const Site& site = e.sites().at(0);
    EXPECT_EQ(site.file, "t.ir");
    return std::to_string(site.line) + ":" + std::to_string(site.col) + ": " + e.message();
  }
  return "no error";
}

constexpr const char* kEverything = R"(module kernel_type=MIX_AIC_1_2 auto_sync=false

source 0 "dir/a \"b\".py" line 12 function "scaled"
  "@asc.jit\n"
  "def scaled(dst, factor):\n"
  "    tab:\there \\ \x01\n"
  "no newline at the end"

source 1 "k.py" line 3 function "k"
  "@asc.jit\n"

struct Tiling "Tiling" bytes 16 {
  rows: int32 = -1 at 0
  params: MmadParams = 0 at 4
}

@s1:0:4-8 const $TILE: int32 = 2048
const $HALF: int32 = spelt(1024, $TILE // 2)
const $WIDE: int64 = spelt(2052, cast<int64>($TILE) + 4)

@s0:0:0-4:10 func @scaled(%dst: LocalTensor<float32>, %factor@1:16-22: float32) -> (int32 count, float32) {
  @2:4-30 asc_Adds<T=float>(%dst@2:8-11, %dst, (%factor * 2.0@2:20-23)@2:10-25, $HALF, _)
  @3:4-10 return $HALF@none, -0.5
}

func @scaled.1 source 1 (%q: TQue<VECIN, 2> ref) -> (bool) {
  @1:0-5 return asc_TQue_VacantInQue(%q@s0:3:1-2)
}

@s1:0:0-9:0 kernel @k(%x: GlobalAddress<float32>, %n: int32, %t: struct<Tiling> ref) {
  arg x: GlobalAddress<float32> = %x nowrite
  arg n: int32 = %n nonneg
  arg t: struct<Tiling> = %t noread nowrite escapes
  const $local: int32 = 7
  const $TILE.1: float32 = 0.1
  var %pipe: TPipe = asc_TPipe_Init()
  var %que: TQue<VECIN, 2>
  var %gm: GlobalTensor<float32> = asc_GlobalTensor_Init<T=float>()
  asc_GlobalTensor_SetGlobalBuffer<T=float>(%gm, %x, _)
  var %view: GlobalTensor<float32> = asc_GlobalTensor_Subindex.1<T=float>(%gm, 0, 16)
  var %l: LocalTensor<float32> = asc_TQue_AllocTensor<T=float>(%que, _)
  asc_DataCopy<T=float>(%l, %view, 16)
  asc_SetFlag(HardEvent.MTE2_V, _)
  asc_WaitFlag(HardEvent(77), $local)
  var %c: int32 hoisted = 0
  var %m: float32 = 0.0
  var %"odd name": bool = false
  call (%c, _) = @scaled(%l, 1.0)
  call (_, %m) = @scaled(%l, $TILE.1)
  %c = %t.rows
  %t.rows = 5
  %t.params.m = 16
  for var %i: int32 in range(0, %n) {
    if ((%i % 2)!nonneg!plaindiv == 0) and (not is_aic()) {
      break
    } else {
      continue
    }
  } else {
    assert %n > 0, "n is " %n ", not good: " (%n * 2) ""
  }
  for %c in range(%n, 0, -1) {
    print "c = " %c ""
  }
  while do {
    var %next: bool = @scaled.1(%que)
  } %next or %"odd name" {
    assert is_aiv()
  } else {
  }
  if true {
  }
}
)";

TEST(IrText, EveryFormReadsBack) {
  const auto module = parse_module(kEverything);
  for (const VerifyError& e : verify(*module)) ADD_FAILURE() << e.message;
  EXPECT_EQ(print_module(*module), kEverything);
}

TEST(IrText, WhatIsReadIsWhatIsMeant) {
  const auto module = parse_module(kEverything);
  EXPECT_EQ(module->kernel_type, KernelType::MIX_AIC_1_2);
  EXPECT_FALSE(module->auto_sync);
  ASSERT_EQ(module->sources.size(), 2u);
  EXPECT_EQ(module->sources[0].file, "dir/a \"b\".py");
  EXPECT_EQ(module->sources[0].first_line, 12u);
  EXPECT_EQ(module->sources[0].function, "scaled");
  EXPECT_EQ(module->sources[0].text,
            "@asc.jit\ndef scaled(dst, factor):\n    tab:\there \\ \x01\nno newline at the end");
  ASSERT_EQ(module->functions.size(), 3u);
  const Function& scaled = *module->functions[0];
  EXPECT_EQ(scaled.source, 0u);
  EXPECT_EQ(scaled.loc, (Loc{0, 0, 0, 4, 10}));
  EXPECT_EQ(scaled.params[0]->loc, scaled.loc);
  EXPECT_EQ(scaled.params[1]->loc, (Loc{0, 1, 16, 1, 22}));
  EXPECT_EQ(scaled.result_names.size(), 1u);
  EXPECT_EQ(scaled.effect, Effect::Write);
  const OpCall* adds = as<OpCall>(as<Eval>((*scaled.body)[0])->value);
  ASSERT_NE(adds, nullptr);
  EXPECT_EQ(adds->vars[0], DType::F32);
  EXPECT_EQ(adds->args.back(), nullptr);
  EXPECT_EQ(adds->args[0]->loc, (Loc{0, 2, 8, 2, 11}));
  EXPECT_EQ(adds->args[1]->loc, (Loc{0, 2, 4, 2, 30}));
  const Binary* product = as<Binary>(adds->args[2]);
  EXPECT_EQ(product->left->loc, (Loc{0, 2, 10, 2, 25}));
  EXPECT_EQ(product->right->loc, (Loc{0, 2, 20, 2, 23}));
  const Function& second = *module->functions[1];
  EXPECT_EQ(second.name, "scaled");
  EXPECT_EQ(second.source, 1u);
  EXPECT_FALSE(second.loc.valid());
  const Function& kernel = *module->kernel();
  EXPECT_TRUE(kernel.is_kernel);
  ASSERT_EQ(module->args.size(), 3u);
  EXPECT_TRUE(module->args[1].nonnegative);
  EXPECT_FALSE(module->args[0].may_write);
  EXPECT_TRUE(module->args[0].may_read);
  EXPECT_TRUE(module->args[2].escapes);
  ASSERT_EQ(module->constants.size(), 3u);
  EXPECT_EQ(module->constants[2]->bits, 2052);
  EXPECT_NE(module->constants[2]->spelling, nullptr);
  EXPECT_EQ(as<ConstDecl>((*kernel.body)[1])->constant->name, "TILE");
  EXPECT_EQ(as<ConstDecl>((*kernel.body)[1])->constant->scope, &kernel);
}

TEST(IrText, WithoutLocationsNothingOfSourcesIsPrinted) {
  const auto module = parse_module(kEverything);
  const std::string printed = print_module(*module, /*with_locations=*/false);
  EXPECT_EQ(printed.find("source"), std::string::npos);
  for (const char* gone : {"@2:", "@3:", "@s0", "@none", "dir/a"})
    EXPECT_EQ(printed.find(gone), std::string::npos);
  EXPECT_EQ(print_module(*parse_module(printed)), printed);
}

TEST(IrText, NumbersTakeTheTypeOfTheirPlace) {
  EXPECT_EQ(body("%j = 4\n"), "  %j = 4\n");
  EXPECT_EQ(body("%u = 18446744073709551615\n"), "  %u = 18446744073709551615\n");
  EXPECT_EQ(body("%j = -9223372036854775808\n"), "  %j = -9223372036854775808\n");
  EXPECT_EQ(body("%b = 4 < 5\n"), "  %b = 4 < 5\n");
  EXPECT_EQ(body("%b = 4:int64 < %j\n"), "  %b = 4:int64 < %j\n");
  EXPECT_EQ(body("%b = %j < 4:int64\n"), "  %b = %j < 4\n");
  EXPECT_EQ(body("%f = 3\n"), "  %f = 3.0\n");
  EXPECT_EQ(body("%h = 0.1\n"), "  %h = 0.099975586\n");  // the float16 next to 0.1
  EXPECT_EQ(body("%f = -inf + nan\n"), "  %f = -inf + nan\n");
  EXPECT_EQ(body("%f = 1e-7 * 0x10\n"), "  %f = 1e-07 * 16.0\n");
  EXPECT_EQ(body("%f = bits<float32>(0x7ff8000000000001)\n"), "  %f = bits<float32>(0x7ff8000000000001)\n");
  // By way of the nearest double these digits would give the float after it (0x15ae43fe).
  EXPECT_EQ(body("%f = bits<float32>(0x3ab5c87fa0000000)\n"), "  %f = 7.038531e-26\n");
  EXPECT_EQ(body("%f = 7.038531e-26\n"), "  %f = 7.038531e-26\n");
  {
    auto read = parse_module("kernel @k() {\n  var %f: float32 = 7.038531e-26\n}\n");
    const auto* decl = as<Decl>(read->kernel()->body->front());
    EXPECT_EQ(std::bit_cast<uint32_t>(static_cast<float>(as<Const>(decl->init)->as_double())), 0x15ae43fdu);
  }
  EXPECT_EQ(body("print \"\" 1 \"\" 1.5 \"\" 2:uint8 \"\" 2.5:float64 \"\"\n"),
            "  print \"\" 1 \"\" 1.5 \"\" 2:uint8 \"\" 2.5:float64 \"\"\n");
}

TEST(IrText, PrecedenceIsPythons) {
  EXPECT_EQ(body("%i = %i + %i * %i - %i\n"), "  %i = (%i + (%i * %i)) - %i\n");
  EXPECT_EQ(body("%i = -%i ** 2 ** 3\n"), "  %i = -(%i ** (2 ** 3))\n");
  EXPECT_EQ(body("%i = ~%i << 1 & 7 | %i ^ %i\n"), "  %i = (((~%i) << 1) & 7) | (%i ^ %i)\n");
  EXPECT_EQ(body("%b = not %b and %i < 3 or %b\n"), "  %b = ((not %b) and (%i < 3)) or %b\n");
  EXPECT_EQ(body("%i = %i - -3\n"), "  %i = %i - -3\n");
  EXPECT_EQ(body("%i = -(3)\n"), "  %i = -(3)\n");
  EXPECT_EQ(body("%i = %i // 4 % 3\n"), "  %i = (%i // 4) % 3\n");
  EXPECT_EQ(body("%i = min(%i, abs(max(%i, 3) - 1))\n"), "  %i = min(%i, abs(max(%i, 3) - 1))\n");
  EXPECT_EQ(body("%i = select(%i != 0, cast<int32>(%j), explicit_cast<int32>(%f))\n"),
            "  %i = select(%i != 0, cast<int32>(%j), explicit_cast<int32>(%f))\n");
}

TEST(IrText, LayoutIsFree) {
  EXPECT_EQ(body("# a comment\n%i = (%i +  # another\n   2)\nif %b { %i = 1; %i = 2 } else { return }\n"),
            "  %i = %i + 2\n  if %b {\n    %i = 1\n    %i = 2\n  } else {\n    return\n  }\n");
}

TEST(IrText, TypeVariablesComeFromTheOperands) {
  EXPECT_EQ(body("var %g: GlobalTensor<float32>\nasc_GlobalTensor_SetGlobalBuffer(%g, %x)\n"
                 "asc_GlobalTensor_SetValue(%g, 3, 5)\n"),
            "  var %g: GlobalTensor<float32>\n  asc_GlobalTensor_SetGlobalBuffer<T=float>(%g, %x, _)\n"
            "  asc_GlobalTensor_SetValue<T=float>(%g, 3, 5.0)\n");
}

TEST(IrText, IdsSurvive) {
  Module module;
  Builder build(module);
  Function* f = build.function("f", Loc::kNone, {});
  f->body = build.new_block();
  build.set_block(f->body);
  Var* first = build.new_var(f, "a", Type::scalar(DType::I32), {});
  Var* second = build.new_var(f, "b", Type::scalar(DType::I32), {});
  Var* unused = build.new_var(f, "a", Type::scalar(DType::F16), {});
  build.decl(second, nullptr, {});
  build.decl(first, build.var(second, {}), {});
  f->effect = effect_of(*f);
  EXPECT_EQ(print_module(module),
            "module kernel_type=Auto auto_sync=true\n\nfunc @f() {\n  local %a: int32\n  local %b: int32\n"
            "  local %a.1: float16\n  var %b: int32\n  var %a: int32 = %b\n}\n");
  const auto read = parse_module(print_module(module));
  const auto& vars = read->functions[0]->vars;
  ASSERT_EQ(vars.size(), 3u);
  EXPECT_EQ(vars[0]->name, "a");
  EXPECT_EQ(vars[1]->name, "b");
  EXPECT_EQ(vars[2]->name, "a");
  EXPECT_EQ(vars[2]->type, unused->type);
  EXPECT_EQ(as<Decl>((*read->functions[0]->body)[0])->var, vars[1]);
  EXPECT_EQ(print_module(*read), print_module(module));
}

// A function may hold a constant under the name it has in a caller, which stands below it.
TEST(IrText, NamesOfLaterFunctionsPrintAsNumbers) {
  Module module;
  Builder build(module);
  const Type i32 = Type::scalar(DType::I32);
  Function* helper = build.function("helper", Loc::kNone, {});
  Function* user = build.function("user", Loc::kNone, {});
  NamedConst* tile = build.new_const(user, "tile", i32, 8, nullptr, {});
  helper->body = build.new_block();
  user->body = build.new_block();
  build.set_block(helper->body);
  Expr* twice = build.binary(BinaryOp::Mul, build.named_const(tile, {}), build.int_const(i32, 2, {}), {});
  build.eval(twice, {});
  build.set_block(user->body);
  build.const_decl(tile, {});
  build.eval(build.named_const(tile, {}), {});
  helper->effect = user->effect = Effect::Pure;
  const std::string printed = print_module(module);
  EXPECT_NE(printed.find("spelt(16, 8 * 2)"), std::string::npos) << printed;
  EXPECT_NE(printed.find("  $tile\n"), std::string::npos) << printed;
  EXPECT_EQ(print_module(*parse_module(printed)), printed);
}

TEST(IrText, AnExpressionAlone) {
  Module module;
  Builder build(module);
  Function* f = build.function("f", Loc::kNone, {});
  Var* n = build.new_var(f, "n", Type::scalar(DType::I64), {});
  Expr* e = build.binary(BinaryOp::FloorDiv, build.var(n, {}), build.int_const(n->type, 2, {}), {});
  e->facts = kFits | kPlainDiv;
  EXPECT_EQ(print_expr(*e), "(%n // 2)!fits!plaindiv");
}

TEST(IrText, ErrorsSayWhere) {
  const std::string bad = "bad text form of the IR: ";
  EXPECT_EQ(error_of("kernel @k() {\n  %x = 3\n}\n"),
            "2:3: " + bad + "variable %x is not declared before this use");
  EXPECT_EQ(error_of("kernel @k() {\n  $x\n}\n"),
            "2:3: " + bad + "constant $x is not declared before this use");
  EXPECT_EQ(error_of("func @f() {\n  @f()\n}\n"),
            "2:3: " + bad + "function @f is not declared before this use");
  EXPECT_EQ(error_of("func @f() {\n  asc_Nothing()\n}\n"), "2:2: " + bad + "no op is called asc_Nothing");
  EXPECT_EQ(error_of("func @f(%a: int33) {\n}\n"), "1:12: " + bad + "unknown type");
  EXPECT_EQ(error_of("func @f(%a: int8, %a: int8) {\n}\n"), "1:19: " + bad + "variable %a is declared twice");
  EXPECT_EQ(error_of("func @f() {\n  break"), "2:7: " + bad + "'}' expected");
  EXPECT_EQ(error_of("func @f() {\n  print \"a\n}\n"), "2:8: " + bad + "the string does not end on its line");
  EXPECT_EQ(error_of("func @f() {\n  HardEvent.NO\n}\n"), "2:12: " + bad + "HardEvent has no such member");
  EXPECT_EQ(error_of("func @f() {\n  1 2\n}\n"), "2:4: " + bad + "the end of the statement expected");
  EXPECT_EQ(error_of("func @f() {\n  1 = 2\n}\n"),
            "2:2: " + bad + "only a variable or a field can be assigned");
  EXPECT_EQ(error_of("func @f() {\n  9223372036854775808:int64\n}\n"),
            "2:2: " + bad + "the number is outside int64");
  EXPECT_EQ(error_of("@0:0-1 func @f() {\n}\n"), "1:1: " + bad + "no such source");
  EXPECT_EQ(error_of("module kernel_type=Best\n"), "1:19: " + bad + "unknown kernel type");
  // As deep as the stack allows, not deeper.
#ifdef __SANITIZE_ADDRESS__
  constexpr size_t kDeep = 1000;  // its frames are several times as large
#else
  constexpr size_t kDeep = 5000;
#endif
  EXPECT_EQ(body("%i = " + std::string(kDeep, '(') + "%i" + std::string(kDeep, ')') + "\n"), "  %i = %i\n");
  const std::string deep =
      "func @f() {\n  " + std::string(1000000, '(') + "1" + std::string(1000000, ')') + "\n}\n";
  EXPECT_NE(error_of(deep).find("nested too deeply"), std::string::npos);
}

// Modules at random, by a generator that knows the types only. The seed is in the message of a failure.
class RandomModule {
 public:
  explicit RandomModule(uint32_t seed) : random_(seed) {
    for (int i = 0; i < 2; i++) module.sources.add({"f.py", 1, "f", "a line\n"});
    for (int i = 0; i < 3; i++) {
      const Type type = Type::scalar(kTypes[i]);
      constants_.push_back(build_.new_const(nullptr, i < 2 ? "same" : "odd name", type, 1, nullptr, loc()));
    }
    for (int i = 0; i < 3; i++) function(i == 2);
  }

  Module module;

 private:
  static constexpr DType kTypes[] = {DType::I32, DType::I64, DType::U64, DType::F32, DType::F16, DType::Bool};

  uint32_t below(uint32_t n) { return static_cast<uint32_t>(random_() % n); }
  Loc loc() {
    if (below(4) == 0) return {};
    const uint32_t line = below(3), col = below(9);
    return {below(2), line, col, line + below(2), col + 2};
  }
  DType any_type() { return kTypes[below(std::size(kTypes))]; }

  void function(bool is_kernel) {
    f_ = build_.function("f", below(3) == 0 ? Loc::kNone : 0, loc());
    f_->is_kernel = is_kernel;
    visible_.clear();
    for (int i = 0; i < 2; i++) {
      Var* param = build_.new_var(f_, "v", Type::scalar(kTypes[i]), loc());
      param->is_param = true;
      f_->params.push_back(param);
      visible_.push_back(param);
    }
    if (!is_kernel) f_->results = {Type::scalar(DType::I64)};
    f_->body = block(3);
    f_->effect = is_kernel || below(2) == 0 ? Effect::Block : effect_of(*f_);
    if (!is_kernel) callees_.push_back(f_);
  }

  Block* block(int depth) {
    Block* outer = build_.block();
    Block* inner = build_.new_block();
    build_.set_block(inner);
    const size_t visible = visible_.size();
    for (uint32_t i = below(5); i > 0; i--) statement(depth);
    visible_.resize(visible);
    build_.set_block(outer);
    return inner;
  }

  void statement(int depth) {
    const Loc at = loc();
    switch (below(depth > 0 ? 7 : 4)) {
      case 0: {
        Var* var = build_.new_var(f_, below(2) ? "v" : "w", Type::scalar(any_type()), loc());
        var->hoisted = below(5) == 0;
        build_.decl(var, below(3) ? expr(var->type.elem, 3) : nullptr, at);
        visible_.push_back(var);
        return;
      }
      case 1: {
        Var* var = visible_[below(static_cast<uint32_t>(visible_.size()))];
        build_.assign(var, expr(var->type.elem, 3), at);
        return;
      }
      case 2: build_.eval(expr(any_type(), 4), at); return;
      case 3: {
        const std::string_view pieces[] = {"a \"b\"", "\n"};
        Expr* value = expr(any_type(), 1);
        build_.print(pieces, {&value, 1}, at);
        return;
      }
      case 4: {
        Expr* condition = expr(DType::Bool, 2);
        Block* yes = block(depth - 1);
        build_.if_(condition, yes, below(2) ? block(depth - 1) : nullptr, at);
        return;
      }
      case 5: {
        const DType type = kTypes[below(2)];
        Expr *start = expr(type, 1), *stop = expr(type, 1), *step = below(2) ? expr(type, 0) : nullptr;
        Var* var = build_.new_var(f_, "i", Type::scalar(type), loc());
        visible_.push_back(var);
        Block* body = block(depth - 1);
        visible_.pop_back();
        build_.for_(var, start, stop, step, body, below(3) ? nullptr : block(depth - 1), true, at);
        return;
      }
      default: {
        Block* before = below(2) ? build_.new_block() : nullptr;
        Expr* condition = expr(DType::Bool, 2);
        build_.while_(before, condition, block(depth - 1), below(3) ? nullptr : block(depth - 1), at);
      }
    }
  }

  Expr* leaf(DType type) {
    for (int tries = 0; tries < 4; tries++) {
      Var* var = visible_[below(static_cast<uint32_t>(visible_.size()))];
      if (var->type.elem == type) return build_.var(var, loc());
    }
    const Type full = Type::scalar(type);
    if (type == DType::Bool) return build_.int_const(full, below(2), loc());
    if (is_float(type)) return build_.float_const(full, static_cast<int32_t>(random_()) * 1e-6, loc());
    const NamedConst* named = constants_[below(3)];
    if (named->type.elem == type && below(2)) return build_.named_const(named, loc());
    return build_.int_const(full, static_cast<int32_t>(random_()) >> below(31), loc());
  }

  Expr* expr(DType type, int depth) {
    Expr* e = depth == 0 ? leaf(type) : node(type, depth - 1);
    const Binary* b = as<Binary>(e);
    if (below(4) == 0) e->facts |= static_cast<uint8_t>(below(4));
    if (b && b->op == BinaryOp::Mod && below(2)) e->facts |= kPlainDiv;
    return e;
  }

  Expr* node(DType type, int depth) {
    const Loc at = loc();
    const DType other = any_type();
    switch (below(6)) {
      case 0: return leaf(type);
      case 1: return build_.select(expr(DType::Bool, depth), expr(type, depth), expr(type, depth), at);
      case 2: return build_.cast(Type::scalar(type), expr(other, depth), below(2), at);
      case 3:
        if (type == DType::I64 && !callees_.empty()) {
          Function* callee = callees_[below(static_cast<uint32_t>(callees_.size()))];
          Expr* args[] = {expr(DType::I32, depth), expr(DType::I64, depth)};
          return build_.call(callee, args, at);
        }
        break;
      default: break;
    }
    if (type == DType::Bool) {
      if (below(3) == 0) return build_.unary(UnaryOp::Not, expr(type, depth), at);
      const auto op = static_cast<LogicalOp>(below(2));
      if (below(2)) return build_.logical(op, expr(type, depth), expr(type, depth), at);
      const auto comparison = static_cast<BinaryOp>(static_cast<uint32_t>(BinaryOp::Lt) + below(6));
      return build_.binary(comparison, expr(other, depth), expr(other, depth), at);
    }
    if (below(4) == 0) return build_.unary(below(2) ? UnaryOp::Neg : UnaryOp::Abs, expr(type, depth), at);
    auto op = static_cast<BinaryOp>(below(is_float(type) ? 9 : 14));  // up to Max, up to Xor
    if (op == BinaryOp::Div && type != DType::F32) op = BinaryOp::Mod;
    return build_.binary(op, expr(type, depth), expr(type, depth), at);
  }

  std::mt19937 random_;
  Builder build_{module, /*fold=*/false};
  Function* f_ = nullptr;
  std::vector<Var*> visible_;
  std::vector<NamedConst*> constants_;
  std::vector<Function*> callees_;
};

TEST(IrText, RandomModulesReadBack) {
  for (uint32_t seed = 0; seed < 300; seed++) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    RandomModule random(seed);
    std::vector<VerifyError> errors = verify(random.module);
    ASSERT_TRUE(errors.empty()) << errors[0].message << "\n" << print_module(random.module);
    for (const bool with_locations : {true, false}) {
      const std::string printed = print_module(random.module, with_locations);
      const auto read = parse_module(printed);
      ASSERT_EQ(print_module(*read, with_locations), printed);
      errors = verify(*read);
      ASSERT_TRUE(errors.empty()) << errors[0].message << "\n" << printed;
    }
  }
}

// Damaged text is refused with an error, or read as something: nothing else happens.
TEST(IrText, DamagedTextIsHarmless) {
  const std::string good = kEverything;
  std::mt19937 random(7);
  int refused = 0;
  for (int i = 0; i < 2000; i++) {
    std::string bad = good;
    const size_t at = random() % bad.size();
    switch (random() % 3) {
      case 0: bad.erase(at, 1 + random() % 5); break;
      case 1: bad.insert(at, 1, "(){}<>@%$#!.,:\"\n-0"[random() % 18]); break;
      default: bad.resize(at);
    }
    try {
      const std::string printed = print_module(*parse_module(bad));
      EXPECT_EQ(print_module(*parse_module(printed)), printed) << bad;
    } catch (const CompileError&) {
      refused++;
    }
  }
  EXPECT_GT(refused, 500);
}

}  // namespace
}  // namespace asc::ir
