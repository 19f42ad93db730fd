// SPDX-License-Identifier: Apache-2.0
// Loops. Python fixes the turns of a range before the first one and leaves the variable at its last value;
// C++'s `for` tests and counts again at each turn. Where that makes no difference the plain form is printed,
// else a counter of its own.
#include <algorithm>

#include "emit/printer.h"
#include "ir/visit.h"

namespace asc::emit {

using ir::as;

namespace {

const ir::Var* root_var(const ir::Expr* e) {
  while (e) {
    if (const auto* v = as<ir::VarRef>(e)) return v->var;
    const auto* f = as<ir::Field>(e);
    if (!f) return nullptr;
    e = f->object;
  }
  return nullptr;
}

using Vars = std::vector<const ir::Var*>;

// Is `v`, or what it may stand for, among them? Two parameters may have been given one object.
bool holds(const Vars& vars, const ir::Var* v) {
  return v && std::any_of(vars.begin(), vars.end(), [v](const ir::Var* other) {
           return other == v || (other->by_ref && v->by_ref && other->type.kind == v->type.kind);
         });
}

void collect(const ir::Expr* e, Vars& vars) {
  if (!e) return;
  ir::walk_expr(e, [&](const ir::Expr* x) {
    if (const auto* v = as<ir::VarRef>(x)) vars.push_back(v->var);
  });
}

// Does evaluating `e` change one of the variables: an object's own method, or a helper that takes it by
// reference?
bool expr_changes(const ir::Expr* e, const Vars& vars) {
  bool changes = false;
  ir::walk_expr(e, [&](const ir::Expr* x) {
    if (const auto* op = as<ir::OpCall>(x)) {
      const OverloadDesc& proto = op->proto();
      const auto family = op->desc().family;
      const bool handle = family == Family::Handle || family == Family::Pipe || family == Family::Queue ||
                          family == Family::Buffer;
      if (!handle) return;
      if (op->self && proto.self_dir == Dir::InOut) changes |= holds(vars, root_var(op->self));
      for (size_t i = 0; i < op->args.size(); i++)
        if (op->args[i] && proto.params[i].dir == Dir::InOut) changes |= holds(vars, root_var(op->args[i]));
    } else if (const auto* c = as<ir::Call>(x)) {
      for (size_t i = 0; i < c->args.size(); i++)
        if (may_change(*c->callee, *c->callee->params[i])) changes |= holds(vars, root_var(c->args[i]));
    }
  });
  return changes;
}

bool changes_any(const ir::Block* body, const Vars& vars) {
  bool changes = false;
  ir::walk(body, [&](const ir::Stmt* s) {
    if (changes) return;
    if (const auto* a = as<ir::Assign>(s)) {
      changes = holds(vars, a->var);
    } else if (const auto* d = as<ir::Decl>(s)) {
      changes = holds(vars, d->var);
    } else if (const auto* f = as<ir::For>(s)) {
      changes = holds(vars, f->var);
    } else if (const auto* field = as<ir::SetField>(s)) {
      changes = holds(vars, root_var(field->object));
    } else if (const auto* c = as<ir::CallAssign>(s)) {
      for (const ir::Var* r : c->results) changes |= holds(vars, r);
      for (size_t i = 0; i < c->args.size(); i++)
        if (may_change(*c->callee, *c->callee->params[i])) changes |= holds(vars, root_var(c->args[i]));
    }
    ir::for_each_expr(s, [&](const ir::Expr* e) { changes |= expr_changes(e, vars); });
  });
  return changes;
}

// Can it be computed again at every turn: no effect, no memory read, no helper's call?
bool is_cheap(const ir::Expr* e) {
  if (!e) return true;
  bool cheap = e->effect == Effect::Pure;
  ir::walk_expr(e, [&](const ir::Expr* x) { cheap &= x->kind != ir::ExprKind::Call; });
  return cheap;
}

// A `break` of this loop itself: one inside an inner loop's body is that loop's.
bool has_break(const ir::Block* b) {
  if (!b) return false;
  for (const ir::Stmt* s : *b) {
    if (s->kind == ir::StmtKind::Break) return true;
    if (const auto* i = as<ir::If>(s)) {
      if (has_break(i->then_block) || has_break(i->else_block)) return true;
    } else if (const auto* f = as<ir::For>(s)) {
      if (has_break(f->orelse)) return true;
    } else if (const auto* w = as<ir::While>(s)) {
      if (has_break(w->orelse)) return true;
    }
  }
  return false;
}

enum class Sign : uint8_t { Positive, Negative, Unknown };

Sign sign_of(const ir::Expr* step) {
  if (!step) return Sign::Positive;
  if (const auto* c = as<ir::Const>(step)) return c->bits < 0 ? Sign::Negative : Sign::Positive;
  return step->facts & ir::kNonNegative ? Sign::Positive : Sign::Unknown;
}

}  // namespace

struct Printer::LoopPlan {
  Sign sign;
  bool plain;                             // the variable itself counts
  bool hold_stop, hold_step, hold_start;  // evaluate once, into a variable of ours
};

Printer::LoopPlan Printer::plan_for(const ir::For& s) const {
  LoopPlan plan{sign_of(s.step), false, false, false, false};
  Vars own = {s.var};
  const bool assigns_var = changes_any(s.body, own);
  Vars stop, step;
  collect(s.stop, stop);
  collect(s.step, step);
  plan.hold_stop = !is_cheap(s.stop) || holds(stop, s.var) || (!stop.empty() && changes_any(s.body, stop));
  plan.hold_step = !is_cheap(s.step) || holds(step, s.var) || (!step.empty() && changes_any(s.body, step)) ||
                   (plan.sign == Sign::Unknown && !as<ir::VarRef>(s.step));
  // Python evaluates start first.
  plan.hold_start = (plan.hold_stop || plan.hold_step) && s.start->effect != Effect::Pure;
  plan.plain =
      s.declares_var && !assigns_var && !plan.hold_stop && !plan.hold_step && plan.sign != Sign::Unknown;
  return plan;
}

// What must be computed once gets a name of ours in front of the loop.
Printer::HeldBounds Printer::hold_bounds(const ir::For& s, const LoopPlan& plan) {
  const Type& type = s.var->type;
  const auto hold = [&](bool wanted, const ir::Expr* value, std::string_view suffix) -> std::string_view {
    if (!wanted || !value) return {};
    indent();
    put("const ");
    type_name(type);
    put(' ');
    const size_t at = out_.size();
    converted(value, type.elem);
    const std::string_view name = fresh(legal_name(pool_, s.var->name), suffix);
    insert_name(at, name);
    put(";\n");
    return name;
  };
  HeldBounds held;
  held.start = hold(plan.hold_start, s.start, "_start");
  held.stop = hold(plan.hold_stop, s.stop, "_stop");
  held.step = hold(plan.hold_step, s.step, "_step");
  return held;
}

void Printer::for_head(const ir::For& s, const LoopPlan& plan, const HeldBounds& held) {
  const Type& type = s.var->type;
  indent();
  put("for (");
  type_name(type);
  put(' ');
  const size_t at = out_.size();
  if (held.start.empty()) {
    converted(s.start, type.elem);
  } else {
    put(held.start);
  }
  std::string_view counter;
  if (plan.plain) {
    counter = declare(*s.var);
  } else {
    counter = fresh(legal_name(pool_, s.var->name), "_next");
  }
  insert_name(at, counter);
  put("; ");

  const auto compare = [&](std::string_view op) {
    put(counter);
    put(op);
    if (!held.stop.empty()) return put(held.stop);
    beside(s.stop, type.elem, kShift);
  };
  const auto put_step = [&] {
    if (!held.step.empty()) return put(held.step);
    expr(s.step, kRelational + 1);
  };
  if (plan.sign == Sign::Unknown) {
    put_step();
    put(" > 0 ? ");
    compare(" < ");
    put(" : ");
    compare(" > ");
  } else {
    compare(plan.sign == Sign::Positive ? " < " : " > ");
  }
  put("; ");
  put(counter);
  const auto* c = as<ir::Const>(s.step);
  const bool literal_step = c && const_form(*c) == ConstForm::Literal;
  if (!s.step || (literal_step && c->bits == 1)) {
    put("++");
  } else if (literal_step && c->bits == -1) {
    put("--");
  } else if (literal_step && c->bits < 0 && c->bits != INT64_MIN) {
    put(" -= ");
    number(-c->bits);
  } else {
    put(" += ");
    held.step.empty() ? beside(s.step, type.elem, kAny) : put(held.step);
  }
  put(") {");
  end_line(s.loc);
  if (plan.plain) return;
  depth_++;
  indent();
  if (s.declares_var) {
    type_name(type);
    put(' ');
    declare(*s.var);
  }
  put(name_of(*s.var));
  put(" = ");
  put(counter);
  put(";\n");
  depth_--;
}

// The right side of `i < bound` and `i += step`, where C++ must compute in the variable's type.
void Printer::beside(const ir::Expr* right, DType type, int min) {
  ir::Var var;
  var.type = Type::scalar(type);
  ir::VarRef left;
  left.kind = ir::ExprKind::Var;
  left.type = var.type;
  left.var = &var;
  const BinaryPlan p = plan_operands(&left, right, type);
  if (p.exact_right) {
    exact(p.right, min);
  } else {
    expr(p.right, min);
  }
}

void Printer::for_(const ir::For& s) {
  const LoopPlan plan = plan_for(s);
  open_loop(s.body, s.orelse);
  const HeldBounds held = hold_bounds(s, plan);
  const size_t names = locals_.mark();
  for_head(s, plan, held);
  block(s.body);
  locals_.release(names);
  indent();
  put("}\n");
  close_loop(s.orelse);
}

void Printer::while_(const ir::While& s) {
  open_loop(s.body, s.orelse);
  const bool has_pre = s.condition_pre && !s.condition_pre->empty();
  indent();
  put("while (");
  if (has_pre) {
    put("true");
  } else {
    condition(s.condition);
  }
  put(") {");
  end_line(s.loc);
  const size_t names = locals_.mark();
  const size_t constants = visible_.size();
  if (has_pre) {
    depth_++;
    statements(s.condition_pre);
    indent();
    put("if (");
    negated(s.condition, kAny);
    put(") {\n");
    indent();
    put("  break;\n");
    indent();
    put("}\n");
    depth_--;
  }
  block(s.body);
  locals_.release(names);
  visible_.resize(constants);
  indent();
  put("}\n");
  close_loop(s.orelse);
}

// Python's `else` of a loop runs unless a `break` ended it.
void Printer::open_loop(const ir::Block* body, const ir::Block* orelse) {
  Loop loop;
  if (orelse && !orelse->empty() && has_break(body)) {
    indent();
    put("bool ");
    loop.flag = fresh("broken");
    put(loop.flag);
    put(" = false;\n");
  }
  loops_.push_back(loop);
}

void Printer::close_loop(const ir::Block* orelse) {
  const std::string_view flag = loops_.back().flag;
  loops_.pop_back();
  if (!orelse || orelse->empty()) return;
  if (flag.empty()) return statements(orelse);
  indent();
  put("if (!");
  put(flag);
  put(") {\n");
  block(orelse);
  indent();
  put("}\n");
}

}  // namespace asc::emit
