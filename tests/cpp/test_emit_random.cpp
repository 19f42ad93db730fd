// SPDX-License-Identifier: Apache-2.0
// Random programs, printed, compiled with the host compiler and run: they compute what the VM computes, bit
// for bit. A seed is printed when a program differs; ASC_TEST_SEED replays it, ASC_TEST_COUNT programs from
// there on. Programs in which the VM finds something (a value that leaves its type, a division by zero) have
// no meaning to compare and are left out.
#include <gtest/gtest.h>

#include <bit>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <random>
#include <sstream>
#include <string>
#include <vector>

#include "emit/ascendc.h"
#include "ir/builder.h"
#include "ir/text.h"
#include "ir/verify.h"
#include "passes/passes.h"
#include "sim/simulator.h"

namespace asc {
namespace {

using ir::BinaryOp;
using ir::Expr;

constexpr int kOutputs = 8;
constexpr DType kTypes[] = {DType::I32, DType::I64, DType::I32, DType::F32, DType::U32, DType::I8,
                            DType::U8,  DType::I16, DType::U16, DType::F16, DType::Bool};
constexpr Loc kNowhere{};

struct ScalarArg {
  const char* name;
  DType type;
  double value;
};
constexpr ScalarArg kScalars[] = {
    {"a", DType::I32, -70001}, {"b", DType::I32, 46341},       {"c", DType::I64, 5000000000.0},
    {"d", DType::U32, 40},     {"e", DType::I8, -30},          {"f", DType::F32, 2.75},
    {"g", DType::F32, -9},     {"h", DType::F16, 1.5},         {"i", DType::U8, 250},
    {"j", DType::I16, 300},    {"k", DType::U16, 65000},       {"l", DType::Bool, 1},
    {"m", DType::I32, -7},     {"o", DType::U32, 4000000000.0}};

// One random kernel: variables, branches, loops; at its end every variable is stored.
class Generator {
 public:
  explicit Generator(uint32_t seed) : random_(seed), b_(module_) {}

  void make() {
    ir::Function* f = b_.function("k", Loc::kNone, kNowhere);
    f->is_kernel = true;
    f_ = f;
    ints_ = parameter("ints", Type::pointer(DType::I64));
    floats_ = parameter("floats", Type::pointer(DType::F32));
    for (const ScalarArg& s : kScalars) vars_.push_back(parameter(s.name, Type::scalar(s.type)));
    f->body = b_.new_block();
    b_.set_block(f->body);
    ir::Var* int_gm = tensor("int_gm", ints_, DType::I64);
    ir::Var* float_gm = tensor("float_gm", floats_, DType::F32);
    constant_ = b_.new_const(f, "K", Type::scalar(DType::I32), pick(1, 9), nullptr, kNowhere);
    b_.const_decl(constant_, kNowhere);
    for (int i = pick(2, 5); i > 0; i--) statement(2);
    for (int i = 0; i < kOutputs; i++) {
      const DType type = kTypes[pick(0, std::size(kTypes) - 1)];
      store(is_float(type) ? float_gm : int_gm, i, expr(type, 3));
    }
    for (ir::Var* p : f->params) module_.args.push_back({p->name, p->type, p, false});
    module_.kernel_type = ir::KernelType::AIV_ONLY;
  }

  ir::Module& module() { return module_; }

 private:
  int pick(int low, int high) { return std::uniform_int_distribution<int>(low, high)(random_); }
  bool chance(int percent) { return pick(1, 100) <= percent; }

  ir::Var* parameter(const char* name, Type type) {
    ir::Var* v = b_.new_var(f_, name, type, kNowhere);
    v->is_param = true;
    f_->params.push_back(v);
    return v;
  }

  ir::Var* tensor(const char* name, ir::Var* pointer, DType type) {
    const DType vars[4] = {type};
    ir::Var* v = b_.new_var(f_, name, Type::global_tensor(type), kNowhere);
    b_.decl(v, b_.op_call(OpId::GlobalTensor_Init, 0, vars, nullptr, {}, kNowhere), kNowhere);
    Expr* args[] = {b_.var(pointer, kNowhere), nullptr};
    b_.eval(b_.op_call(OpId::GlobalTensor_SetGlobalBuffer, 0, vars, b_.var(v, kNowhere), args, kNowhere),
            kNowhere);
    return v;
  }

  void store(ir::Var* gm, int index, Expr* value) {
    const DType vars[4] = {gm->type.elem};
    Expr* args[] = {b_.int_const(Type::scalar(DType::U64), index, kNowhere), to(value, gm->type.elem)};
    b_.eval(b_.op_call(OpId::GlobalTensor_SetValue, 0, vars, b_.var(gm, kNowhere), args, kNowhere), kNowhere);
  }

  Expr* to(Expr* e, DType type) {
    const bool cuts = is_int(type) && size_of(type) <= size_of(e->type.elem);
    return b_.cast(Type::scalar(type), e, cuts || chance(30), kNowhere);
  }

  Expr* divisor(DType type, int depth) {
    if (chance(25)) return expr(type, depth);
    Expr* e = literal(type);
    const ir::Const* c = ir::as_const(e);
    return c && c->as_double() != 0 ? e
           : is_float(type)         ? b_.float_const(e->type, 2.5, kNowhere)
                                    : b_.int_const(e->type, 3, kNowhere);
  }

  Expr* literal(DType type) {
    const Type t = Type::scalar(type);
    if (is_float(type)) return b_.float_const(t, pick(-12, 12) * 0.5, kNowhere);
    if (type == DType::Bool) return b_.int_const(t, pick(0, 1), kNowhere);
    if (is_unsigned_int(type)) return b_.int_const(t, pick(0, 200), kNowhere);
    if (type == DType::I32 && chance(20)) return b_.named_const(constant_, kNowhere);
    return b_.int_const(t, type == DType::I8 ? pick(-20, 20) : pick(-300, 300), kNowhere);
  }

  Expr* leaf(DType type) {
    std::vector<ir::Var*> fit;
    for (ir::Var* v : vars_)
      if (v->type == Type::scalar(type)) fit.push_back(v);
    if (fit.empty() || chance(30)) return literal(type);
    return b_.var(fit[pick(0, static_cast<int>(fit.size()) - 1)], kNowhere);
  }

  Expr* condition(int depth) { return expr(DType::Bool, depth); }

  Expr* comparison(int depth) {
    const DType type = kTypes[pick(0, std::size(kTypes) - 2)];
    const auto op =
        static_cast<BinaryOp>(pick(static_cast<int>(BinaryOp::Lt), static_cast<int>(BinaryOp::Ne)));
    return b_.binary(op, expr(type, depth - 1), expr(type, depth - 1), kNowhere);
  }

  Expr* expr(DType type, int depth) {
    if (depth <= 0 || chance(15)) return leaf(type);
    if (type == DType::Bool) {
      switch (pick(0, 4)) {
        case 0: return b_.unary(ir::UnaryOp::Not, condition(depth - 1), kNowhere);
        case 1: return b_.logical(ir::LogicalOp::And, condition(depth - 1), condition(depth - 1), kNowhere);
        case 2: return b_.logical(ir::LogicalOp::Or, condition(depth - 1), condition(depth - 1), kNowhere);
        default: return comparison(depth);
      }
    }
    const int kind = pick(0, 99);
    if (kind < 18) return to(expr(kTypes[pick(0, std::size(kTypes) - 1)], depth - 1), type);
    if (kind < 25)
      return b_.select(condition(depth - 1), expr(type, depth - 1), expr(type, depth - 1), kNowhere);
    if (kind < 32) {
      const bool invert = is_int(type) && chance(40);
      const ir::UnaryOp op = invert ? ir::UnaryOp::Invert : chance(50) ? ir::UnaryOp::Neg : ir::UnaryOp::Abs;
      return b_.unary(op, expr(type, depth - 1), kNowhere);
    }
    if (is_int(type) && kind < 40) {
      const BinaryOp op = chance(50) ? BinaryOp::Shl : BinaryOp::Shr;
      return b_.binary(op, expr(type, depth - 1), b_.int_const(Type::scalar(type), pick(0, 5), kNowhere),
                       kNowhere);
    }
    static constexpr BinaryOp kInt[] = {BinaryOp::Add, BinaryOp::Sub, BinaryOp::Mul, BinaryOp::And,
                                        BinaryOp::Or,  BinaryOp::Xor, BinaryOp::Min, BinaryOp::FloorDiv,
                                        BinaryOp::Max, BinaryOp::Mod};
    static constexpr BinaryOp kFloat[] = {BinaryOp::Add, BinaryOp::Sub,      BinaryOp::Mul, BinaryOp::Min,
                                          BinaryOp::Max, BinaryOp::FloorDiv, BinaryOp::Mod, BinaryOp::Div};
    if (is_float(type)) {
      const BinaryOp op = kFloat[pick(0, type == DType::F32 ? 7 : 6)];
      return b_.binary(op, expr(type, depth - 1), expr(type, depth - 1), kNowhere);
    }
    BinaryOp op = kInt[pick(0, 9)];
    if (op == BinaryOp::Mul && is_signed_int(type) && chance(size_of(type) < 4 ? 90 : 50)) op = BinaryOp::And;
    const bool divides = op == BinaryOp::FloorDiv || op == BinaryOp::Mod;
    Expr* left = expr(type, depth - 1);
    return b_.binary(op, left, divides ? divisor(type, depth - 1) : expr(type, depth - 1), kNowhere);
  }

  ir::Block* block(int depth) {
    ir::Block* outer = b_.block();
    ir::Block* inner = b_.new_block();
    const size_t known = vars_.size();
    b_.set_block(inner);
    for (int i = pick(1, 2); i > 0; i--) statement(depth - 1);
    if (loops_ > 0 && chance(25))
      b_.if_(
          condition(2),
          [&] {
            ir::Block* only = b_.new_block();
            b_.set_block(only);
            chance(50) ? static_cast<ir::Stmt*>(b_.break_(kNowhere)) : b_.continue_(kNowhere);
            b_.set_block(inner);
            return only;
          }(),
          nullptr, kNowhere);
    b_.set_block(outer);
    vars_.resize(known);
    return inner;
  }

  void statement(int depth) {
    const int kind = depth <= 0 ? pick(0, 59) : pick(0, 99);
    if (kind < 35) {
      const DType type = kTypes[pick(0, std::size(kTypes) - 1)];
      ir::Var* v = b_.new_var(f_, chance(50) ? "x" : "y", Type::scalar(type), kNowhere);
      b_.decl(v, expr(type, 3), kNowhere);
      vars_.push_back(v);
    } else if (kind < 60) {
      ir::Var* v = vars_[pick(0, static_cast<int>(vars_.size()) - 1)];
      b_.assign(v, expr(v->type.elem, 3), kNowhere);
    } else if (kind < 75) {
      Expr* c = condition(2);
      ir::Block* yes = block(depth);
      ir::Block* no = chance(50) ? block(depth) : nullptr;
      b_.if_(c, yes, no, kNowhere);
    } else {
      loop(depth);
    }
  }

  void loop(int depth) {
    const Type type = Type::scalar(chance(70) ? DType::I32 : DType::I64);
    const bool outlives = chance(30);
    ir::Var* v = b_.new_var(f_, "n", type, kNowhere);
    if (outlives) {
      b_.decl(v, literal(type.elem), kNowhere);
      vars_.push_back(v);
    }
    Expr* start = b_.int_const(type, pick(-4, 4), kNowhere);
    Expr* stop = chance(50) ? b_.int_const(type, pick(-6, 6), kNowhere) : leaf(type.elem);
    // A step that the body changes must still be read once.
    Expr* step = nullptr;
    if (chance(60))
      step = chance(70) || type.elem == DType::I64
                 ? b_.int_const(type, chance(50) ? pick(1, 3) : pick(-3, -1), kNowhere)
                 : leaf(type.elem);
    if (const auto* c = ir::as_const(step); c && c->bits == 0) step = nullptr;
    const size_t known = vars_.size();
    if (!outlives) vars_.push_back(v);
    loops_++;
    ir::Block* body = block(depth);
    loops_--;
    vars_.resize(known);
    ir::Block* orelse = chance(30) ? block(depth) : nullptr;
    b_.for_(v, start, stop, step, body, orelse, !outlives, kNowhere);
  }

  std::mt19937 random_;
  ir::Module module_;
  ir::Builder b_;
  ir::Function* f_ = nullptr;
  ir::Var *ints_ = nullptr, *floats_ = nullptr;
  ir::NamedConst* constant_ = nullptr;
  std::vector<ir::Var*> vars_;
  int loops_ = 0;
};

struct Outputs {
  int64_t ints[kOutputs] = {};
  float floats[kOutputs] = {};
};

// False if the VM finds something.
bool run_vm(const ir::Module& module, Outputs* out) {
  std::vector<sim::Argument> args;
  for (int i = 0; i < 2; i++) {
    sim::Argument a;
    a.name = i == 0 ? "ints" : "floats";
    a.data = i == 0 ? static_cast<void*>(out->ints) : out->floats;
    a.bytes = i == 0 ? sizeof(out->ints) : sizeof(out->floats);
    a.is_array = true;
    a.dtype = i == 0 ? DType::I64 : DType::F32;
    args.push_back(a);
  }
  for (const ScalarArg& s : kScalars) {
    sim::Argument a;
    a.name = s.name;
    a.dtype = s.type;
    a.bits = is_float(s.type) ? std::bit_cast<uint64_t>(s.value)
                              : static_cast<uint64_t>(static_cast<int64_t>(s.value));
    args.push_back(a);
  }
  sim::Options options;
  options.on_finding = sim::OnFinding::Collect;
  options.timeout_seconds = 0.5;
  options.threads = 1;
  const auto program = sim::assemble(module);
  return sim::launch(*program, 1, args, options).findings.empty();
}

std::string call_of(int index) {
  std::string text = "  program_" + std::to_string(index) + "::k(ints, floats";
  for (const ScalarArg& s : kScalars) {
    text += ", static_cast<" + std::string(cpp_name(s.type)) + ">(" + std::to_string(s.value) + ")";
  }
  return text + ");\n";
}

// Compiles and runs the programs; fills in what each wrote.
bool run_host(const std::vector<std::string>& texts, std::vector<Outputs>* outputs) {
  namespace fs = std::filesystem;
  const fs::path folder = fs::temp_directory_path() / ("asc-emit-random-" + std::to_string(::getpid()));
  fs::create_directories(folder);
  const fs::path source = folder / "programs.cpp", binary = folder / "programs", result = folder / "result";
  {
    std::ofstream out(source);
    out << "#include <stdio.h>\n#include \"kernel_operator.h\"\n";
    for (size_t i = 0; i < texts.size(); i++) {
      std::string text = texts[i];
      text.erase(0, text.find('\n') + 1);
      const size_t external = text.find("extern \"C\" ");
      text.erase(external, std::strlen("extern \"C\" "));
      out << "namespace program_" << i << " {\n" << text << "}\n";
    }
    out << "template <class Fn> static void show(FILE* to, Fn fn) {\n  int64_t ints[" << kOutputs
        << "] = {};\n  float floats[" << kOutputs
        << "] = {};\n  fn(ints, floats);\n  fwrite(ints, sizeof(ints), 1, to);\n  fwrite(floats, sizeof(floats), 1, to);\n}\n";
    out << "int main(int, char** v) {\n  FILE* to = fopen(v[1], \"wb\");\n";
    for (size_t i = 0; i < texts.size(); i++)
      out << "  show(to, [](int64_t* ints, float* floats) {\n  " << call_of(static_cast<int>(i)) << "  });\n";
    out << "  fclose(to);\n}\n";
  }
  const char* compiler = std::getenv("CXX");
  const std::string root = ASC_SOURCE_DIR;
  const std::string command = std::string(compiler ? compiler : "c++") +
                              " -std=c++20 -O0 -w -ffp-contract=off -fwrapv -I" + root + "/csrc -I" + root +
                              "/tests/hostheader " + source.string() + " -o " + binary.string() + " && " +
                              "timeout 20 " + binary.string() + " " + result.string();
  if (std::system(command.c_str()) != 0) {
    ADD_FAILURE() << "the printed programs do not compile or run: " << source;
    return false;
  }
  std::ifstream in(result, std::ios::binary);
  for (Outputs& o : *outputs) in.read(reinterpret_cast<char*>(&o), sizeof(o));
  EXPECT_TRUE(in.good());
  fs::remove_all(folder);
  return true;
}

bool same(float a, float b) {
  return (a != a && b != b) || std::bit_cast<uint32_t>(a) == std::bit_cast<uint32_t>(b);
}

TEST(EmitRandom, PrintedProgramsEqualTheVm) {
  const char* given = std::getenv("ASC_TEST_SEED");
  const uint32_t first = given ? static_cast<uint32_t>(std::strtoul(given, nullptr, 10)) : 1;
  const char* many = std::getenv("ASC_TEST_COUNT");
  const int count = many ? std::atoi(many) : given ? 1 : 80;
  std::vector<std::string> texts;
  std::vector<Outputs> wanted;
  std::vector<uint32_t> seeds;
  for (uint32_t seed = first; seed < first + static_cast<uint32_t>(count); seed++) {
    Generator g(seed);
    g.make();
    const auto errors = ir::verify(g.module());
    ASSERT_TRUE(errors.empty()) << "seed " << seed << ": " << errors[0].message << "\n"
                                << ir::print_module(g.module());
    if (seed % 2 == 0) passes::intervals(g.module());
    Outputs out;
    if (!run_vm(g.module(), &out)) continue;
    texts.push_back(emit::print_ascendc(g.module()));
    wanted.push_back(out);
    seeds.push_back(seed);
  }
  if (count > 20) {
    EXPECT_GT(texts.size(), static_cast<size_t>(count) / 5) << "too few programs have a meaning";
  }
  std::vector<Outputs> printed(texts.size());
  ASSERT_TRUE(run_host(texts, &printed));
  std::printf("%zu of %d programs compared\n", texts.size(), count);
  int shown = 0;
  for (size_t i = 0; i < texts.size() && shown < 3; i++) {
    bool equal = std::memcmp(wanted[i].ints, printed[i].ints, sizeof(wanted[i].ints)) == 0;
    for (int k = 0; k < kOutputs; k++) equal = equal && same(wanted[i].floats[k], printed[i].floats[k]);
    if (equal) continue;
    shown++;
    std::ostringstream why;
    for (int k = 0; k < kOutputs; k++)
      why << "  " << k << ": VM " << wanted[i].ints[k] << " " << wanted[i].floats[k] << ", printed "
          << printed[i].ints[k] << " " << printed[i].floats[k] << "\n";
    ADD_FAILURE() << "ASC_TEST_SEED=" << seeds[i] << "\n" << why.str() << texts[i];
  }
}

}  // namespace
}  // namespace asc
