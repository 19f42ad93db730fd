// SPDX-License-Identifier: Apache-2.0
// Walks what certainly runs when the kernel runs, with the values known on the way. Internal to
// passes/limits.
#pragma once

#include <string>
#include <vector>

#include "ir/ir.h"
#include "ops/limits.h"
#include "passes/core_paths.h"

namespace asc::passes {

// What is known of a value at compile time.
struct Value {
  enum class Kind : uint8_t { Unknown, Int, Tensor, Object } kind = Kind::Unknown;
  Space space = Space::GM;  // Tensor: the local memory it lies in
  int64_t number = 0;  // Int: itself; Tensor: byte offset of its start; Object: index into the objects seen
  static Value of_int(int64_t value) { return {Kind::Int, Space::GM, value}; }
  bool is_int() const { return kind == Kind::Int; }
};

// Starts in the kernel and follows helpers from calls that certainly run. Of a loop only the first turn
// counts, and only if it is known to run; a branch counts if its condition is known, or is about core types,
// which all run. Behind a statement that may leave the function or the turn, nothing there is certain any
// more.
class CertainWalk {
 public:
  CertainWalk(const ir::Module& module, const PlatformDesc& platform)
      : module_(module), platform_(platform) {}
  std::vector<ir::Diagnostic> run();

 private:
  struct Object {
    std::string_view name;
    Type type;
    int64_t used[kSpaceCount] = {};  // TPipe: bytes handed out
    int64_t buffers = 0;             // TPipe: buffers handed out
  };
  struct Holder {
    int64_t pipe;
    Space space;
    MemoryHolder holder;
  };

  // -- statements: the core types that certainly go on behind it
  Cores block(const ir::Block* block, Cores cores);
  Cores statement(const ir::Stmt* s, Cores cores);
  Cores if_(const ir::If& s, Cores cores);
  Cores for_(const ir::For& s, Cores cores);
  Cores while_(const ir::While& s, Cores cores);
  Cores first_turn(const ir::Stmt& loop, const ir::Block* body, bool runs, Cores cores);
  void skip(const ir::Block* block);
  void function(const ir::Function& f, Cores cores);

  // -- expressions
  Value eval(const ir::Expr* e, Cores cores);
  Value eval_maybe(const ir::Expr* e, Cores cores);  // it may not be evaluated: no checks
  Value op_call(const ir::OpCall& e, Cores cores);
  Value call(const ir::Function& callee, std::span<ir::Expr* const> args, const Loc& loc, Cores cores);
  Value operand(const ir::OpCall& e, size_t index, std::span<const Value> args) const;

  // -- checks (limits.cpp)
  void check_op(const ir::OpCall& e, std::span<const Value> args, Cores cores);
  void check_count_and_operands(const ir::OpCall& e, std::span<const Value> args);
  void check_flags(const ir::OpCall& e, std::span<const Value> args);
  void init_buffer(const ir::OpCall& e, const Value& self, std::span<const Value> args);
  bool runs_on_no_core(const ir::OpCall& e, Cores cores);
  void report(const ir::OpCall& e, Verdict verdict);

  Value& value_of(const ir::Var* var) { return values_[frame_ + var->id]; }
  void assign(const ir::Var* var, const Value& value);

  static constexpr int kMaxSteps = 20000;  // statements; a walk that is longer ends there

  const ir::Module& module_;
  const PlatformDesc& platform_;
  std::vector<Value> values_;  // of the functions being walked, by variable id from frame_ on
  size_t frame_ = 0;
  const StoredPredicates* stored_ = nullptr;
  std::vector<Value>* results_ = nullptr;  // of the function being walked
  Cores function_cores_ = 0;               // that reach it
  std::vector<Value> returned_;            // by the last helper
  std::vector<Loc> calls_;                 // outermost first
  Loc statement_loc_;
  bool certain_ = true;
  int steps_ = 0;

  std::vector<Object> objects_;
  std::vector<Holder> holders_;
  bool pipes_known_ = true;  // every init_buffer so far was seen

  std::vector<const ir::OpCall*> nowhere_;  // ops of a mixed kernel that only core types without them reach
  std::vector<ir::Diagnostic> diagnostics_;
  std::vector<std::pair<const ir::OpCall*, FindingId>> reported_;
};

}  // namespace asc::passes
