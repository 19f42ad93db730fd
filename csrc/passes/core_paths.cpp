// SPDX-License-Identifier: Apache-2.0
// Core predicates as values over the set of core types; stored predicates; control flow that does not go on.
#include "passes/core_paths.h"

#include <algorithm>

#include "ir/builder.h"
#include "ir/visit.h"

namespace asc::passes {

namespace {

bool is_bool(const ir::Var* var) { return var->type == Type::scalar(DType::Bool); }

}  // namespace

Cores cores_of(ir::KernelType type) {
  switch (type) {
    case ir::KernelType::AIV_ONLY:
    case ir::KernelType::MIX_AIV_1_0: return kAiv;
    case ir::KernelType::AIC_ONLY:
    case ir::KernelType::MIX_AIC_1_0: return kAic;
    case ir::KernelType::Auto:
    case ir::KernelType::MIX_AIC_1_1:
    case ir::KernelType::MIX_AIC_1_2: return kBothCores;
  }
  return kBothCores;
}

StoredPredicates::StoredPredicates(const ir::Function& function) {
  const auto stores = [](const ir::Var* var) { return is_bool(var) && !var->is_param; };
  if (std::none_of(function.vars.begin(), function.vars.end(), stores)) return;
  by_var_.assign(function.vars.size(), Truth{0, 0});
  for (const ir::Var* var : function.vars)
    if (!stores(var)) by_var_[var->id] = {};
  // The sets only grow, so this ends; more than two turns are for copies of copies around loops.
  while (collect(function.body)) {}
}

bool StoredPredicates::add(const ir::Var* var, Truth value) {
  Truth& known = by_var_[var->id];
  const Truth before = known;
  known.may_true |= value.may_true;
  known.may_false |= value.may_false;
  return !(known == before);
}

bool StoredPredicates::collect(const ir::Block* block) {
  bool changed = false;
  ir::walk(block, [&](const ir::Stmt* s) {
    if (const auto* decl = ir::as<ir::Decl>(s)) {
      if (decl->init && is_bool(decl->var)) changed |= add(decl->var, truth(decl->init));
    } else if (const auto* assign = ir::as<ir::Assign>(s)) {
      if (is_bool(assign->var)) changed |= add(assign->var, truth(assign->value));
    } else if (const auto* call = ir::as<ir::CallAssign>(s)) {
      for (const ir::Var* result : call->results)
        if (result && is_bool(result)) changed |= add(result, {});
    }
  });
  return changed;
}

Truth StoredPredicates::truth(const ir::Expr* e) const {
  switch (e->kind) {
    case ir::ExprKind::CorePredicate:
      return static_cast<const ir::CorePredicate*>(e)->aic ? Truth{kAic, kAiv} : Truth{kAiv, kAic};
    case ir::ExprKind::Const: {
      const bool value = static_cast<const ir::Const*>(e)->bits != 0;
      return value ? Truth{kBothCores, 0} : Truth{0, kBothCores};
    }
    case ir::ExprKind::Unary: {
      const auto* u = static_cast<const ir::Unary*>(e);
      if (u->op != ir::UnaryOp::Not) return {};
      const Truth t = truth(u->operand);
      return {t.may_false, t.may_true};
    }
    case ir::ExprKind::Logical: {
      const auto* l = static_cast<const ir::Logical*>(e);
      const Truth a = truth(l->left), b = truth(l->right);
      using C = Cores;
      if (l->op == ir::LogicalOp::And)
        return {static_cast<C>(a.may_true & b.may_true),
                static_cast<C>(a.may_false | (a.may_true & b.may_false))};
      return {static_cast<C>(a.may_true | (a.may_false & b.may_true)),
              static_cast<C>(a.may_false & b.may_false)};
    }
    case ir::ExprKind::Var: {
      const ir::Var* var = static_cast<const ir::VarRef*>(e)->var;
      return var->id < by_var_.size() ? by_var_[var->id] : Truth{};
    }
    default: return {};
  }
}

bool registers_matmul(const ir::Stmt* s) {
  const auto* eval = ir::as<ir::Eval>(s);
  const auto* op = eval ? ir::as<ir::OpCall>(static_cast<const ir::Expr*>(eval->value)) : nullptr;
  return op && op->op == OpId::REGIST_MATMUL_OBJ;
}

bool falls_through(const ir::Stmt* s) {
  switch (s->kind) {
    case ir::StmtKind::Return:
    case ir::StmtKind::Break:
    case ir::StmtKind::Continue: return false;
    case ir::StmtKind::If: {
      const auto* branch = static_cast<const ir::If*>(s);
      return !branch->else_block || falls_through(branch->then_block) || falls_through(branch->else_block);
    }
    default: return true;
  }
}

bool falls_through(const ir::Block* block) {
  return std::all_of(block->begin(), block->end(), [](const ir::Stmt* s) { return falls_through(s); });
}

}  // namespace asc::passes
