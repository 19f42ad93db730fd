// SPDX-License-Identifier: Apache-2.0
// The walk over what certainly runs (certain_walk.h): control flow and values. Its checks: limits.cpp.
#include "passes/certain_walk.h"

#include <algorithm>
#include <optional>

#include "ir/builder.h"
#include "ir/visit.h"
#include "passes/control.h"

namespace asc::passes {

namespace {

bool is_integer(const Type& type) { return type.is_scalar() && is_int(type.elem); }

bool may_change_pipes(const ir::Block* block) {
  bool found = false;
  ir::walk(block, [&](const ir::Stmt* s) {
    if (s->kind == ir::StmtKind::CallAssign) found = true;
    ir::for_each_expr(s, [&](const ir::Expr* root) {
      ir::walk_expr(root, [&](const ir::Expr* e) {
        const auto* op = ir::as<ir::OpCall>(e);
        found = found || e->kind == ir::ExprKind::Call || (op && op->desc().owner == Kind::TPipe);
      });
    });
  });
  return found;
}

}  // namespace

// ---- statements ---------------------------------------------------------------------------------

void CertainWalk::function(const ir::Function& f, Cores cores) {
  const StoredPredicates stored(f);
  const StoredPredicates* callers = stored_;
  std::vector<Value> results(f.results.size());
  std::vector<Value>* callers_results = results_;
  const Cores callers_cores = function_cores_;
  stored_ = &stored;
  results_ = &results;
  function_cores_ = cores;
  block(f.body, cores);
  stored_ = callers;
  results_ = callers_results;
  function_cores_ = callers_cores;
  returned_ = std::move(results);
}

Cores CertainWalk::block(const ir::Block* block, Cores cores) {
  for (const ir::Stmt* s : *block) {
    if (cores == 0) break;
    if (++steps_ > kMaxSteps) {
      pipes_known_ = false;
      return 0;
    }
    cores = statement(s, cores);
  }
  return cores;
}

Cores CertainWalk::statement(const ir::Stmt* s, Cores cores) {
  statement_loc_ = s->loc;
  switch (s->kind) {
    case ir::StmtKind::Decl: {
      const auto* decl = static_cast<const ir::Decl*>(s);
      Value value = decl->init ? eval(decl->init, cores) : Value();
      if (decl->var->type.is_object()) {
        value = {Value::Kind::Object, Space::GM, static_cast<int64_t>(objects_.size())};
        objects_.push_back({decl->var->name, decl->var->type});
      }
      assign(decl->var, value);
      return cores;
    }
    case ir::StmtKind::Assign: {
      const auto* a = static_cast<const ir::Assign*>(s);
      assign(a->var, eval(a->value, cores));
      return cores;
    }
    case ir::StmtKind::CallAssign: {
      const auto* a = static_cast<const ir::CallAssign*>(s);
      call(*a->callee, a->args, s->loc, cores);
      for (size_t i = 0; i < a->results.size(); i++)
        if (a->results[i]) assign(a->results[i], i < returned_.size() ? returned_[i] : Value());
      return cores;
    }
    case ir::StmtKind::If: return if_(*static_cast<const ir::If*>(s), cores);
    case ir::StmtKind::For: return for_(*static_cast<const ir::For*>(s), cores);
    case ir::StmtKind::While: return while_(*static_cast<const ir::While*>(s), cores);
    case ir::StmtKind::Return: {
      const auto* result = static_cast<const ir::Return*>(s);
      for (size_t i = 0; i < result->values.size(); i++) {
        const Value value = eval(result->values[i], cores);
        // What one core type gives back, the other may not.
        if (i < results_->size()) (*results_)[i] = cores == function_cores_ ? value : Value();
      }
      return 0;
    }
    case ir::StmtKind::Break:
    case ir::StmtKind::Continue: return 0;
    case ir::StmtKind::Assert:  // one that fails is a finding of its own; its message is evaluated only then
      eval(static_cast<const ir::Assert*>(s)->condition, cores);
      return cores;
    default:
      ir::for_each_expr(s, [&](const ir::Expr* e) { eval(e, cores); });
      return cores_of(module_.kernel_type) == kBothCores && registers_matmul(s) ? cores & kAiv : cores;
  }
}

Cores CertainWalk::if_(const ir::If& s, Cores cores) {
  const Value condition = eval(s.condition, cores);
  const Truth truth = stored_->truth(s.condition);
  Cores then_in = cores & truth.may_true, else_in = cores & truth.may_false;
  if (condition.is_int()) (condition.number != 0 ? else_in : then_in) = 0;
  if ((then_in & else_in) != 0) {
    const Leaves then_leaves = leaves(s.then_block), else_leaves = leaves(s.else_block);
    skip(s.then_block);
    if (s.else_block) skip(s.else_block);
    const bool may_leave =
        then_leaves.function || then_leaves.turn || else_leaves.function || else_leaves.turn;
    if (may_leave) pipes_known_ = false;
    return may_leave ? 0 : cores;
  }
  // Each core type takes one side.
  if (else_in == 0) return block(s.then_block, then_in);
  if (then_in == 0) return s.else_block ? block(s.else_block, else_in) : else_in;
  const std::vector<Value> before(values_.begin() + static_cast<ptrdiff_t>(frame_), values_.end());
  const std::vector<Value> results = *results_;
  const Cores then_out = block(s.then_block, then_in);
  std::copy(before.begin(), before.end(), values_.begin() + static_cast<ptrdiff_t>(frame_));
  const Cores else_out = s.else_block ? block(s.else_block, else_in) : else_in;
  if (then_out != 0) skip(s.then_block);
  if (else_out != 0 && s.else_block) skip(s.else_block);
  // What came back is known only if one side alone gave it back; that is not worth telling apart.
  *results_ = results;
  return then_out | else_out;
}

// A loop whose first turn runs, or may not run at all; afterwards nothing that it assigns is known.
Cores CertainWalk::first_turn(const ir::Stmt& loop, const ir::Block* body, bool runs, Cores cores) {
  if (runs) block(body, cores);
  statement_loc_ = loop.loc;
  bool may_leave = false;
  ir::for_each_block(&loop, [&](const ir::Block* child) {
    skip(child);
    may_leave = may_leave || leaves(child).function;
  });
  if (may_leave) pipes_known_ = false;
  return may_leave ? 0 : cores;
}

Cores CertainWalk::for_(const ir::For& s, Cores cores) {
  const Value start = eval(s.start, cores), stop = eval(s.stop, cores);
  const Value step = s.step ? eval(s.step, cores) : Value::of_int(1);
  bool runs = start.is_int() && stop.is_int() && step.is_int();
  runs =
      runs && (step.number > 0 ? start.number < stop.number : step.number < 0 && start.number > stop.number);
  assign(s.var, runs ? start : Value());
  const Cores out = first_turn(s, s.body, runs, cores);
  assign(s.var, Value());
  return out & (leaves(s.orelse).turn ? Cores{0} : kBothCores);
}

Cores CertainWalk::while_(const ir::While& s, Cores cores) {
  if (s.condition_pre) block(s.condition_pre, cores);
  const Value condition = eval(s.condition, cores);
  const Cores out = first_turn(s, s.body, condition.is_int() && condition.number != 0, cores);
  return out & (leaves(s.orelse).turn ? Cores{0} : kBothCores);
}

// The block may run or not: what it assigns is not known behind it.
void CertainWalk::skip(const ir::Block* block) {
  for_each_changed(block, [this](const ir::Var* var) { assign(var, Value()); });
  if (!objects_.empty() && pipes_known_) pipes_known_ = !may_change_pipes(block);
}

void CertainWalk::assign(const ir::Var* var, const Value& value) { value_of(var) = value; }

// ---- expressions --------------------------------------------------------------------------------

Value CertainWalk::eval(const ir::Expr* e, Cores cores) {
  switch (e->kind) {
    case ir::ExprKind::Const: {
      const auto value = ir::const_int(e);
      return value ? Value::of_int(*value) : Value();
    }
    case ir::ExprKind::Var: return value_of(static_cast<const ir::VarRef*>(e)->var);
    case ir::ExprKind::Unary: {
      const auto* u = static_cast<const ir::Unary*>(e);
      const Value operand = eval(u->operand, cores);
      if (!operand.is_int() || !u->operand->type.is_scalar()) return {};
      const auto value = ir::fold_int(u->op, u->operand->type.elem, operand.number);
      return value ? Value::of_int(*value) : Value();
    }
    case ir::ExprKind::Binary: {
      const auto* b = static_cast<const ir::Binary*>(e);
      const Value left = eval(b->left, cores), right = eval(b->right, cores);
      if (!left.is_int() || !right.is_int() || !is_integer(b->left->type)) return {};
      const auto value = ir::fold_int(b->op, b->left->type.elem, left.number, right.number);
      return value ? Value::of_int(*value) : Value();
    }
    case ir::ExprKind::Logical: {
      const auto* l = static_cast<const ir::Logical*>(e);
      const Value left = eval(l->left, cores);
      if (!left.is_int()) {
        eval_maybe(l->right, cores);
        return {};
      }
      return (left.number != 0) == (l->op == ir::LogicalOp::And) ? eval(l->right, cores) : left;
    }
    case ir::ExprKind::Select: {
      const auto* s = static_cast<const ir::Select*>(e);
      const Value condition = eval(s->condition, cores);
      if (condition.is_int()) return eval(condition.number != 0 ? s->then_value : s->else_value, cores);
      eval_maybe(s->then_value, cores);
      eval_maybe(s->else_value, cores);
      return {};
    }
    case ir::ExprKind::Cast: {
      const auto* c = static_cast<const ir::Cast*>(e);
      const Value operand = eval(c->operand, cores);
      if (!operand.is_int() || !c->type.is_scalar() || !c->operand->type.is_scalar()) return {};
      if (is_float(c->type.elem) || is_float(c->operand->type.elem)) return {};
      const auto value = ir::fold_cast(c->type.elem, c->operand->type.elem, operand.number, c->is_explicit);
      return value ? Value::of_int(*value) : Value();
    }
    case ir::ExprKind::OpCall: return op_call(*static_cast<const ir::OpCall*>(e), cores);
    case ir::ExprKind::Call: {
      const auto* c = static_cast<const ir::Call*>(e);
      return call(*c->callee, c->args, e->loc, cores);
    }
    case ir::ExprKind::CorePredicate: {
      const Cores wanted = static_cast<const ir::CorePredicate*>(e)->aic ? kAic : kAiv;
      return cores == kBothCores ? Value() : Value::of_int(cores == wanted);
    }
    case ir::ExprKind::Field: eval(static_cast<const ir::Field*>(e)->object, cores); return {};
    case ir::ExprKind::Workspace: return {};
  }
  return {};
}

Value CertainWalk::eval_maybe(const ir::Expr* e, Cores cores) {
  const bool certain = certain_;
  certain_ = false;
  const Value value = eval(e, cores);
  certain_ = certain;
  return value;
}

// The value of a parameter, its default where the call leaves it out.
Value CertainWalk::operand(const ir::OpCall& e, size_t index, std::span<const Value> args) const {
  if (index < e.args.size() && e.args[index]) return args[index];
  const ParamDesc& param = e.proto().params[index];
  return param.has_default ? Value::of_int(static_cast<int64_t>(param.default_value)) : Value();
}

Value CertainWalk::op_call(const ir::OpCall& e, Cores cores) {
  constexpr size_t kMaxArgs = 16;
  Value args[kMaxArgs];
  const Value self = e.self ? eval(e.self, cores) : Value();
  const size_t count = std::min(e.args.size(), kMaxArgs);
  for (size_t i = 0; i < count; i++)
    if (e.args[i]) args[i] = eval(e.args[i], cores);
  const std::span<const Value> values(args, count);
  if (e.op == OpId::TPipe_InitBuffer) {
    init_buffer(e, self, values);
    return {};
  }
  if (e.desc().owner == Kind::TPipe && e.proto().self_dir == Dir::InOut)
    pipes_known_ = pipes_known_ && e.op != OpId::TPipe_Reset;
  if (certain_) check_op(e, values, cores);
  const int64_t size = size_of(e.vars[0]);
  switch (e.op) {
    case OpId::LocalTensor_Init: {
      const Value position = operand(e, 1, values), address = operand(e, 2, values);
      if (!position.is_int() || !address.is_int()) return {};
      return {Value::Kind::Tensor, space_of_position(static_cast<int>(position.number)), address.number};
    }
    case OpId::LocalTensor_Subindex: {
      if (self.kind != Value::Kind::Tensor || !args[0].is_int()) return {};
      return {Value::Kind::Tensor, self.space, self.number + args[0].number * size};
    }
    case OpId::LocalTensor_ReinterpretCast: return self.kind == Value::Kind::Tensor ? self : Value();
    default: return {};
  }
}

Value CertainWalk::call(const ir::Function& callee, std::span<ir::Expr* const> args, const Loc& loc,
                        Cores cores) {
  const size_t frame = values_.size();
  std::vector<Value> given;
  for (const ir::Expr* arg : args) given.push_back(eval(arg, cores));
  if (certain_) {
    values_.resize(frame + callee.vars.size());
    std::copy_n(given.begin(), std::min(given.size(), callee.vars.size()),
                values_.begin() + static_cast<ptrdiff_t>(frame));
    const size_t outer = frame_;
    const Loc statement = statement_loc_;
    frame_ = frame;
    calls_.push_back(loc.valid() ? loc : statement);
    function(callee, cores);
    calls_.pop_back();
    frame_ = outer;
    statement_loc_ = statement;
    values_.resize(frame);
  } else {
    returned_.assign(callee.results.size(), Value());
    if (!objects_.empty()) pipes_known_ = false;
  }
  for (size_t i = 0; i < args.size(); i++)
    if (const auto* ref = ir::as<ir::VarRef>(args[i]);
        ref && callee.params[i]->by_ref && ref->type.is_tensor())
      assign(ref->var, Value());
  return returned_.empty() ? Value() : returned_[0];
}

}  // namespace asc::passes
