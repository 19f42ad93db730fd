// SPDX-License-Identifier: Apache-2.0
// Value ranges by abstract interpretation: functions, statements, loops. Expressions: intervals_expr.cpp.
//
// What a value may be comes from types, constants, the signs of the kernel's arguments, the ranges of device
// queries, bounds and steps of `for`, and conditions (branches, loop conditions, asserts). Two assumptions: a
// value that leaves its type and an assert that fails are findings, so what follows may take the value as
// inside its type, the assert as true.
//
// Functions: a helper is interpreted at its first call, and again when a call has arguments outside those
// seen so far, with all of them joined (widened from the third time on); so a helper's facts hold for every
// call.
//
// Loops: a turn from the state before the loop; if that changes what a turn starts from, the changed bounds
// are widened, to zero if that keeps the sign, and the turn repeats; then everything the loop assigns is
// widened. Three turns, four if signs change late. Loops nested deeper than kMaxCarefulDepth start widened.
#include <tuple>

#include "ir/visit.h"
#include "passes/intervals_analysis.h"
#include "passes/passes.h"

namespace asc::passes {

namespace {

constexpr int kMaxCarefulDepth = 3;
constexpr int kMaxCarefulCalls = 2, kMaxCalls = 4;

bool is_tracked(const ir::Var& var) { return var.type.is_scalar() && is_int(var.type.elem); }

// `a` widened so that it holds `b`: bounds that moved go to zero, or to the type's end.
Interval widen(const Interval& a, const Interval& b, const Interval& type) {
  if (a.empty()) return b;
  Interval out = a;
  if (b.lo < a.lo) out.lo = b.lo >= 0 ? 0 : type.lo;
  if (b.hi > a.hi) out.hi = b.hi <= 0 ? 0 : type.hi;
  return out;
}

// The loop variable at the head of a turn.
Interval values_of_range(const Interval& start, const Interval& stop, const Interval& step) {
  Interval out;
  if (start.single() && step.single() && step.lo > 0 && stop.hi > start.lo)
    out = {start.lo, start.lo + (stop.hi - 1 - start.lo) / step.lo * step.lo};
  else if (step.lo > 0)
    out = {start.lo, stop.hi - 1};
  else if (step.hi < 0)
    out = {stop.lo + 1, start.hi};
  else
    out = {std::min(start.lo, stop.lo + 1), std::max(start.hi, stop.hi - 1)};
  return out.empty() ? start : out;  // a loop that runs no turn
}

bool runs_a_turn(const Interval& start, const Interval& stop, const Interval& step) {
  return (step.lo > 0 && start.hi < stop.lo) || (step.hi < 0 && start.lo > stop.hi);
}

}  // namespace

void intervals(ir::Module& module) {
  if (module.kernel()) IntervalAnalysis(module).run();
}

// ---- functions ----------------------------------------------------------------------------------

IntervalAnalysis::IntervalAnalysis(ir::Module& module) : module_(module) {
  functions_.resize(module.functions.size());
  size_t vars = 0;
  for (const auto& f : module.functions) vars += f->vars.size();
  slots_.reserve(vars);
  for (const auto& f : module.functions) {
    FunctionState& state = functions_[f->id];
    state.first_slot = static_cast<uint32_t>(slots_.size());
    for (const ir::Var* var : f->vars)
      slots_.push_back(is_tracked(*var) ? static_cast<int>(state.slots++) : -1);
    state.params = rows_.take(f->params.size());
    state.results = rows_.take(f->results.size());
  }
}

void IntervalAnalysis::run() {
  const ir::Function& kernel = *module_.kernel();
  FunctionState& state = functions_[kernel.id];
  for (size_t i = 0; i < kernel.params.size(); i++) {
    const ir::Var* var = kernel.params[i];
    state.params[i] = range_of(var->type);
    for (const ir::KernelArg& arg : module_.args)
      if (arg.var == var && arg.nonnegative) state.params[i].lo = std::max<Wide>(state.params[i].lo, 0);
  }
  interpret(kernel);
}

// Interprets the body with the joined parameters of its state; fills its results.
void IntervalAnalysis::interpret(const ir::Function& function) {
  const auto saved = std::tuple(function_, state_, width_, row_, live_, loop_, loop_depth_);
  const RowStack::Mark mark = rows_.mark();
  function_ = &function;
  state_ = &functions_[function.id];
  state_->runs++;
  width_ = state_->slots;
  row_ = rows_.take(width_);
  live_ = true;
  loop_ = nullptr;
  loop_depth_ = 0;
  std::fill_n(row_, width_, kNoValue);
  std::fill_n(state_->results, function.results.size(), kNoValue);
  for (size_t i = 0; i < function.params.size(); i++)
    if (is_tracked(*function.params[i])) row_[slot(*function.params[i])] = state_->params[i];
  block(function.body);
  rows_.release(mark);
  std::tie(function_, state_, width_, row_, live_, loop_, loop_depth_) = saved;
}

void IntervalAnalysis::widen_params(FunctionState& callee, const ir::Function& function,
                                    const Interval* args) {
  for (size_t i = 0; i < function.params.size(); i++) {
    Interval& known = callee.params[i];
    const Interval type = range_of(function.params[i]->type);
    if (callee.runs == 0)
      known = args[i];
    else if (callee.runs < kMaxCarefulCalls)
      known = join(known, args[i]);
    else if (!known.contains(args[i]))
      known = callee.runs < kMaxCalls ? widen(known, args[i], type) : type;
  }
}

std::span<const Interval> IntervalAnalysis::call(const ir::Function& callee,
                                                 std::span<ir::Expr* const> args) {
  FunctionState& state = functions_[callee.id];
  const RowStack::Mark mark = rows_.mark();
  Interval* values = rows_.take(args.size());
  bool is_known = state.runs > 0;
  for (size_t i = 0; i < args.size(); i++) {
    values[i] = eval(args[i]);
    is_known = is_known && state.params[i].contains(values[i]);
  }
  if (!is_known) {
    widen_params(state, callee, values);
    interpret(callee);
  }
  rows_.release(mark);
  return {state.results, callee.results.size()};
}

// ---- statements ---------------------------------------------------------------------------------

void IntervalAnalysis::block(const ir::Block* block) {
  for (const ir::Stmt* s : *block) {
    if (!live_) return;
    statement(s);
  }
}

void IntervalAnalysis::statement(const ir::Stmt* s) {
  switch (s->kind) {
    case ir::StmtKind::ConstDecl: return;
    case ir::StmtKind::Decl: {
      const auto* decl = static_cast<const ir::Decl*>(s);
      return assign(decl->var, decl->init ? eval(decl->init) : kNoValue);
    }
    case ir::StmtKind::Assign: {
      const auto* assignment = static_cast<const ir::Assign*>(s);
      return assign(assignment->var, eval(assignment->value));
    }
    case ir::StmtKind::CallAssign: return call_assign(*static_cast<const ir::CallAssign*>(s));
    case ir::StmtKind::If: return if_(*static_cast<const ir::If*>(s));
    case ir::StmtKind::For: return for_(*static_cast<const ir::For*>(s));
    case ir::StmtKind::While: return while_(*static_cast<const ir::While*>(s));
    case ir::StmtKind::Return: return return_(*static_cast<const ir::Return*>(s));
    case ir::StmtKind::Break:
      join_into(loop_->breaks, &loop_->has_break, row_);
      live_ = false;
      return;
    case ir::StmtKind::Continue:
      join_into(loop_->continues, &loop_->has_continue, row_);
      live_ = false;
      return;
    case ir::StmtKind::Assert: {
      const auto* check = static_cast<const ir::Assert*>(s);
      eval(check->condition);
      for (ir::Expr* value : check->message.values) eval(value);
      return refine(check->condition, true);
    }
    case ir::StmtKind::SetField:
    case ir::StmtKind::Eval:
    case ir::StmtKind::Print: ir::for_each_expr(const_cast<ir::Stmt*>(s), [this](ir::Expr* e) { eval(e); });
  }
}

void IntervalAnalysis::assign(const ir::Var* var, const Interval& value) {
  if (const int at = slot(*var); at >= 0) row_[at] = value;
}

void IntervalAnalysis::join_into(Interval* to, bool* has, const Interval* from) const {
  if (*has)
    for (size_t i = 0; i < width_; i++) to[i] = join(to[i], from[i]);
  else
    std::copy_n(from, width_, to);
  *has = true;
}

void IntervalAnalysis::return_(const ir::Return& s) {
  for (size_t i = 0; i < s.values.size(); i++) {
    const Interval value = eval(s.values[i]);
    if (i < function_->results.size()) state_->results[i] = join(state_->results[i], value);
  }
  live_ = false;
}

void IntervalAnalysis::call_assign(const ir::CallAssign& s) {
  const std::span<const Interval> results = call(*s.callee, s.args);
  for (size_t i = 0; i < s.results.size() && i < results.size(); i++)
    if (s.results[i]) assign(s.results[i], results[i]);
}

void IntervalAnalysis::if_(const ir::If& s) {
  eval(s.condition);
  const RowStack::Mark mark = rows_.mark();
  Interval* row = row_;
  Interval* other = copy_row();
  refine(s.condition, true);
  block(s.then_block);
  bool live = live_;
  row_ = other;
  live_ = true;
  refine(s.condition, false);
  if (s.else_block) block(s.else_block);
  if (live_) join_into(row, &live, other);
  row_ = row;
  live_ = live;
  rows_.release(mark);
}

// ---- loops --------------------------------------------------------------------------------------

void IntervalAnalysis::turn(const ir::Block* body, Loop& loop) {
  loop.has_break = loop.has_continue = false;
  loop.outer = loop_;
  loop_ = &loop;
  loop_depth_++;
  live_ = true;
  block(body);
  if (loop.has_continue) join_into(row_, &live_, loop.continues);
  loop_depth_--;
  loop_ = loop.outer;
}

bool IntervalAnalysis::widen_head(Interval* head, const Interval* end, int turns, const ir::Block* body,
                                  int skip_slot) {
  // A variable without a value at the head is assigned in the turn before it is read: the lowering sees to
  // that.
  const auto moved = [&](int at) {
    return at != skip_slot && !head[at].empty() && !head[at].contains(end[at]);
  };
  bool changed = false;
  for (const ir::Var* var : function_->vars) {
    const int at = slot(*var);
    if (at < 0 || !moved(at)) continue;
    changed = true;
    head[at] = widen(head[at], end[at], range_of(var->type));
  }
  if (changed && turns > 0) widen_assigned(head, body, /*keep_sign=*/turns == 1);
  return changed;
}

// Of what the body assigns, only the sign is kept, or nothing.
void IntervalAnalysis::widen_assigned(Interval* head, const ir::Block* body, bool keep_sign) {
  const auto widen_var = [&](const ir::Var* var) {
    const int at = var ? slot(*var) : -1;
    if (at < 0 || head[at].empty()) return;
    const Interval type = range_of(var->type);
    const bool nonnegative = keep_sign && head[at].lo >= 0;
    head[at] = {nonnegative ? 0 : type.lo, type.hi};
  };
  ir::walk(body, [&](const ir::Stmt* s) {
    if (const auto* decl = ir::as<ir::Decl>(s)) widen_var(decl->var);
    if (const auto* assignment = ir::as<ir::Assign>(s)) widen_var(assignment->var);
    if (const auto* loop = ir::as<ir::For>(s)) widen_var(loop->var);
    if (const auto* results = ir::as<ir::CallAssign>(s))
      for (const ir::Var* var : results->results) widen_var(var);
  });
}

// The state behind a loop: its end without `break` in row_, then `else`, then the breaks.
void IntervalAnalysis::finish_loop(const ir::Block* orelse, Loop& loop) {
  if (live_ && orelse) block(orelse);
  if (loop.has_break) join_into(row_, &live_, loop.breaks);
}

void IntervalAnalysis::for_(const ir::For& s) {
  const Interval start = eval(s.start), stop = eval(s.stop), step = s.step ? eval(s.step) : Interval{1, 1};
  const Interval values = clamp(values_of_range(start, stop, step), range_of(s.var->type));
  const int var = slot(*s.var);
  const RowStack::Mark mark = rows_.mark();
  const Interval* entry = copy_row();
  Interval* head = copy_row();
  Loop loop{rows_.take(width_), rows_.take(width_)};
  if (loop_depth_ >= kMaxCarefulDepth) widen_assigned(head, s.body, /*keep_sign=*/true);
  for (int turns = 0;; turns++) {
    std::copy_n(head, width_, row_);
    if (var >= 0) row_[var] = values;
    turn(s.body, loop);
    if (!live_ || !widen_head(head, row_, turns, s.body, var)) break;
  }
  if (!runs_a_turn(start, stop, step)) join_into(row_, &live_, entry);
  finish_loop(s.orelse, loop);
  rows_.release(mark);
}

void IntervalAnalysis::while_(const ir::While& s) {
  const RowStack::Mark mark = rows_.mark();
  const Interval* entry = copy_row();
  Interval* head = copy_row();
  Interval* exit = rows_.take(width_);
  Loop loop{rows_.take(width_), rows_.take(width_)};
  const auto* constant = ir::as<ir::Const>(s.condition);
  const auto check = [&](const Interval* from) {
    std::copy_n(from, width_, row_);
    if (s.condition_pre) block(s.condition_pre);
    eval(s.condition);
    Interval* row = row_;
    std::copy_n(row_, width_, exit);
    row_ = exit;
    refine(s.condition, false);
    row_ = row;
    refine(s.condition, true);
  };
  if (loop_depth_ >= kMaxCarefulDepth) widen_assigned(head, s.body, /*keep_sign=*/true);
  int turns = 0;
  for (;; turns++) {
    check(head);
    turn(s.body, loop);
    if (!live_ || !widen_head(head, row_, turns, s.body, -1)) break;
  }
  if (live_ && turns > 0) {
    // What a turn starts from is the entry or the end of a turn, which may be less than the head was widened
    // to.
    for (size_t i = 0; i < width_; i++) head[i] = entry[i].empty() ? head[i] : join(entry[i], row_[i]);
    check(head);
  }
  std::copy_n(exit, width_, row_);
  live_ = !constant || constant->bits == 0;
  finish_loop(s.orelse, loop);
  rows_.release(mark);
}

}  // namespace asc::passes
