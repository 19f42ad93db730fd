// SPDX-License-Identifier: Apache-2.0
// Bodies of the walks declared in ir/visit.h.
#pragma once

#include "ir/visit.h"

namespace asc::ir {

namespace visit_detail {
template <class Pointer, class Fn>
void each(std::span<Pointer> items, Fn& fn) {
  for (Pointer& item : items)
    if (item) fn(item);
}
template <class Pointer, class Fn>
void one(Pointer& item, Fn& fn) {
  if (item) fn(item);
}
}  // namespace visit_detail

template <class Fn>
void for_each_operand(Expr* e, Fn&& fn) {
  using namespace visit_detail;
  switch (e->kind) {
    case ExprKind::Const:
    case ExprKind::Var:
    case ExprKind::CorePredicate: return;
    case ExprKind::Unary: return one(static_cast<Unary*>(e)->operand, fn);
    case ExprKind::Binary:
      one(static_cast<Binary*>(e)->left, fn);
      return one(static_cast<Binary*>(e)->right, fn);
    case ExprKind::Logical:
      one(static_cast<Logical*>(e)->left, fn);
      return one(static_cast<Logical*>(e)->right, fn);
    case ExprKind::Select:
      one(static_cast<Select*>(e)->condition, fn);
      one(static_cast<Select*>(e)->then_value, fn);
      return one(static_cast<Select*>(e)->else_value, fn);
    case ExprKind::Cast: return one(static_cast<Cast*>(e)->operand, fn);
    case ExprKind::OpCall:
      one(static_cast<OpCall*>(e)->self, fn);
      return each(static_cast<OpCall*>(e)->args, fn);
    case ExprKind::Call: return each(static_cast<Call*>(e)->args, fn);
    case ExprKind::Field: return one(static_cast<Field*>(e)->object, fn);
    case ExprKind::Workspace: return one(static_cast<Workspace*>(e)->base, fn);
  }
}

template <class Fn>
void for_each_expr(Stmt* s, Fn&& fn) {
  using namespace visit_detail;
  switch (s->kind) {
    case StmtKind::ConstDecl:
    case StmtKind::Break:
    case StmtKind::Continue: return;
    case StmtKind::Decl: return one(static_cast<Decl*>(s)->init, fn);
    case StmtKind::Assign: return one(static_cast<Assign*>(s)->value, fn);
    case StmtKind::SetField:  // Python evaluates the value first
      one(static_cast<SetField*>(s)->value, fn);
      return one(static_cast<SetField*>(s)->object, fn);
    case StmtKind::Eval: return one(static_cast<Eval*>(s)->value, fn);
    case StmtKind::CallAssign: return each(static_cast<CallAssign*>(s)->args, fn);
    case StmtKind::If: return one(static_cast<If*>(s)->condition, fn);
    case StmtKind::For:
      one(static_cast<For*>(s)->start, fn);
      one(static_cast<For*>(s)->stop, fn);
      return one(static_cast<For*>(s)->step, fn);
    case StmtKind::While: return one(static_cast<While*>(s)->condition, fn);
    case StmtKind::Return: return each(static_cast<Return*>(s)->values, fn);
    case StmtKind::Assert:
      one(static_cast<Assert*>(s)->condition, fn);
      return each(static_cast<Assert*>(s)->message.values, fn);
    case StmtKind::Print: return each(static_cast<Print*>(s)->text.values, fn);
  }
}

template <class Fn>
void for_each_block(Stmt* s, Fn&& fn) {
  auto one = [&fn](Block* block) {
    if (block) fn(block);
  };
  switch (s->kind) {
    case StmtKind::If: one(static_cast<If*>(s)->then_block); return one(static_cast<If*>(s)->else_block);
    case StmtKind::For: one(static_cast<For*>(s)->body); return one(static_cast<For*>(s)->orelse);
    case StmtKind::While:
      one(static_cast<While*>(s)->condition_pre);
      one(static_cast<While*>(s)->body);
      return one(static_cast<While*>(s)->orelse);
    default: return;
  }
}

template <class Fn>
void walk(Block* block, Fn&& fn) {
  // By index: `fn` may change the statement it is given, and append behind it.
  for (size_t i = 0; i < block->size(); i++) {
    Stmt* s = (*block)[i];
    fn(s);
    for_each_block(s, [&fn](Block* child) { walk(child, fn); });
  }
}

template <class Fn>
void walk_expr(Expr* e, Fn&& fn) {
  for_each_operand(e, [&fn](Expr* operand) { walk_expr(operand, fn); });
  fn(e);
}

// The walks read the node through a mutable pointer but hand out constant ones only.
template <class Fn>
void for_each_operand(const Expr* e, Fn&& fn) {
  for_each_operand(const_cast<Expr*>(e), [&fn](Expr*& operand) { fn(static_cast<const Expr*>(operand)); });
}
template <class Fn>
void for_each_expr(const Stmt* s, Fn&& fn) {
  for_each_expr(const_cast<Stmt*>(s), [&fn](Expr*& e) { fn(static_cast<const Expr*>(e)); });
}
template <class Fn>
void for_each_block(const Stmt* s, Fn&& fn) {
  for_each_block(const_cast<Stmt*>(s), [&fn](Block* block) { fn(static_cast<const Block*>(block)); });
}
template <class Fn>
void walk(const Block* block, Fn&& fn) {
  walk(const_cast<Block*>(block), [&fn](Stmt* s) { fn(static_cast<const Stmt*>(s)); });
}
template <class Fn>
void walk_expr(const Expr* e, Fn&& fn) {
  walk_expr(const_cast<Expr*>(e), [&fn](Expr* node) { fn(static_cast<const Expr*>(node)); });
}

}  // namespace asc::ir
