// SPDX-License-Identifier: Apache-2.0
// The abstract interpreter behind passes/intervals. Internal.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "passes/interval.h"

namespace asc::passes {

// Rows of intervals, one row a state of a function; taken and given back like a stack, never moved.
class RowStack {
 public:
  Interval* take(size_t count) {
    if (chunks_.empty() || used_ + count > capacity_) grow(count);
    Interval* row = chunks_.back().get() + used_;
    used_ += count;
    return row;
  }
  struct Mark {
    size_t chunk, used;
  };
  Mark mark() const { return {chunks_.size(), used_}; }
  void release(const Mark& mark) {
    // A chunk begun behind the mark stays, as the one in use, unless that lost the rows below it.
    if (mark.chunk != chunks_.size()) return;
    used_ = mark.used;
  }

 private:
  void grow(size_t count) {
    capacity_ = std::max(capacity_ * 2, std::max<size_t>(count, 512));
    chunks_.push_back(std::make_unique_for_overwrite<Interval[]>(capacity_));
    used_ = 0;
  }
  std::vector<std::unique_ptr<Interval[]>> chunks_;
  size_t used_ = 0, capacity_ = 0;
};

// Interprets every function that the kernel reaches and sets the facts of its expressions. A node may be
// interpreted several times, each time with states that hold what the earlier ones held; the facts of the
// last time stay.
//
// States are rows: one interval for each integer variable of the function, empty while it has no value.
class IntervalAnalysis {
 public:
  explicit IntervalAnalysis(ir::Module& module);
  void run();

 private:
  struct FunctionState {
    uint32_t first_slot = 0;      // of slots_: its variables by id
    uint32_t slots = 0;           // length of its rows
    int runs = 0;                 // how often it was interpreted
    Interval* params = nullptr;   // joined over the calls seen
    Interval* results = nullptr;  // with those
  };
  struct Loop {
    Interval *breaks, *continues;  // states joined over `break` and `continue`
    bool has_break = false, has_continue = false;
    Loop* outer = nullptr;
  };

  // -- functions
  void interpret(const ir::Function& function);
  std::span<const Interval> call(const ir::Function& callee, std::span<ir::Expr* const> args);
  void widen_params(FunctionState& callee, const ir::Function& function, const Interval* args);

  // -- statements
  void block(const ir::Block* block);
  void statement(const ir::Stmt* s);
  void if_(const ir::If& s);
  void for_(const ir::For& s);
  void while_(const ir::While& s);
  void return_(const ir::Return& s);
  void call_assign(const ir::CallAssign& s);
  // One turn of a loop's body from the state in row_; afterwards row_ and live_ are the state at the end of
  // the turn.
  void turn(const ir::Block* body, Loop& loop);
  void finish_loop(const ir::Block* orelse, Loop& loop);
  // Widens the state at a loop's head by the one at the end of a turn; false if it holds that already.
  bool widen_head(Interval* head, const Interval* end, int turns, const ir::Block* body, int skip_slot);
  void widen_assigned(Interval* head, const ir::Block* body, bool keep_sign);

  // -- expressions: their intervals; sets facts on the way
  Interval eval(ir::Expr* e);   // inside the type: a value outside it is a finding where it is used
  Interval chain(ir::Expr* e);  // of an operation that computes in 64 bits: the number itself
  Interval unary(ir::Unary& e);
  Interval binary(ir::Binary& e);
  Interval cast(ir::Cast& e);
  Interval select(ir::Select& e);
  void logical(ir::Logical& e);
  Interval op_call(ir::OpCall& e);
  Interval constant(const ir::Const& c) const;
  Interval variable(const ir::Var& var) const;

  // -- conditions: narrows the state by what holds where `e` is `sense`
  void refine(ir::Expr* e, bool sense);
  void refine_comparison(const ir::Binary& e, bool sense);
  void refine_value(ir::Expr* e, const Interval& bound);

  // -- states
  int slot(const ir::Var& var) const { return slots_[state_->first_slot + var.id]; }
  void assign(const ir::Var* var, const Interval& value);
  Interval* copy_row() {
    Interval* to = rows_.take(width_);
    std::copy_n(row_, width_, to);
    return to;
  }
  void join_into(Interval* to, bool* has, const Interval* from) const;

  ir::Module& module_;
  RowStack rows_;
  std::vector<int32_t> slots_;  // -1: not an integer
  std::vector<FunctionState> functions_;

  // of the function being interpreted
  const ir::Function* function_ = nullptr;
  FunctionState* state_ = nullptr;
  size_t width_ = 0;
  Interval* row_ = nullptr;
  bool live_ = true;
  Loop* loop_ = nullptr;
  int loop_depth_ = 0;
};

}  // namespace asc::passes
