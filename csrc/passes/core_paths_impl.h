// SPDX-License-Identifier: Apache-2.0
// Bodies of the walk declared in passes/core_paths.h.
#pragma once

#include "ir/visit.h"
#include "passes/core_paths.h"

namespace asc::passes {

template <class Visitor>
Cores CoreWalk<Visitor>::block(const ir::Block* block, Cores cores) {
  if (entry_ == 0) entry_ = cores;
  for (const ir::Stmt* s : *block) {
    if (cores == 0) break;
    cores = statement(s, cores);
  }
  return cores;
}

template <class Visitor>
Cores CoreWalk<Visitor>::statement(const ir::Stmt* s, Cores cores) {
  if (const auto* w = ir::as<ir::While>(s); w && w->condition_pre) cores = block(w->condition_pre, cores);
  ir::for_each_expr(s, [&](const ir::Expr* e) { expr(e, cores); });
  if (const auto* call = ir::as<ir::CallAssign>(s)) {
    visitor_.call(*call->callee, cores);
    return cores;
  }
  if (const auto* branch = ir::as<ir::If>(s)) {
    const Truth truth = stored_.truth(branch->condition);
    const Cores then_out = block(branch->then_block, cores & truth.may_true);
    const Cores else_in = cores & truth.may_false;
    return then_out | (branch->else_block ? block(branch->else_block, else_in) : else_in);
  }
  if (!falls_through(s)) return 0;
  if (entry_ == kBothCores && registers_matmul(s)) return cores & kAiv;
  if (const auto* w = ir::as<ir::While>(s)) {
    const Truth truth = stored_.truth(w->condition);
    block(w->body, cores & truth.may_true);
    if (w->orelse) block(w->orelse, cores & truth.may_false);
  } else if (const auto* f = ir::as<ir::For>(s)) {
    block(f->body, cores);
    if (f->orelse) block(f->orelse, cores);
  }
  // A loop may run no turn at all, so every core that came can go on behind it.
  return cores;
}

template <class Visitor>
void CoreWalk<Visitor>::expr(const ir::Expr* e, Cores cores) {
  if (cores == 0) return;
  if (const auto* logical = ir::as<ir::Logical>(e)) {
    const Truth left = stored_.truth(logical->left);
    expr(logical->left, cores);
    return expr(logical->right, cores & (logical->op == ir::LogicalOp::And ? left.may_true : left.may_false));
  }
  if (const auto* select = ir::as<ir::Select>(e)) {
    const Truth truth = stored_.truth(select->condition);
    expr(select->condition, cores);
    expr(select->then_value, cores & truth.may_true);
    return expr(select->else_value, cores & truth.may_false);
  }
  ir::for_each_operand(e, [&](const ir::Expr* operand) { expr(operand, cores); });
  if (const auto* op = ir::as<ir::OpCall>(e)) visitor_.op(*op, cores);
  if (const auto* call = ir::as<ir::Call>(e)) visitor_.call(*call->callee, cores);
}

}  // namespace asc::passes
