// SPDX-License-Identifier: Apache-2.0
// What a block that may or may not run can do to the code behind it. Internal to passes.
#pragma once

#include "ir/ir.h"
#include "ir/visit.h"

namespace asc::passes {

// How control may leave a block, or a statement, other than by its end: the function, or the turn of the loop
// around it.
struct Leaves {
  bool function = false, turn = false;
};
Leaves leaves(const ir::Block* block);
Leaves leaves(const ir::Stmt* s);

// Calls fn(const Var*) for each variable that the statement, or what is nested in it, may change: declares,
// assigns, binds to an address, sets fields of, or gives to a helper by reference (but for pipes, queues and
// the like, which have no value). A variable may come more than once.
template <class Fn>
void for_each_changed(const ir::Stmt* s, Fn&& fn);
template <class Fn>
void for_each_changed(const ir::Block* block, Fn&& fn);

// ---- bodies -------------------------------------------------------------------------------------

namespace control_detail {

template <class Fn>
void given_away(const ir::Function& callee, std::span<ir::Expr* const> args, Fn& fn) {
  for (size_t i = 0; i < args.size(); i++) {
    const auto* ref = ir::as<ir::VarRef>(args[i]);
    if (!ref || !callee.params[i]->by_ref) continue;
    if (!ref->type.is_object() || ref->type.kind == Kind::Struct) fn(ref->var);
  }
}

template <class Fn>
void changed_by(const ir::Expr* root, Fn& fn) {
  ir::walk_expr(root, [&](const ir::Expr* e) {
    if (const auto* c = ir::as<ir::Call>(e)) given_away(*c->callee, c->args, fn);
    if (const auto* op = ir::as<ir::OpCall>(e); op && op->self && op->proto().self_dir != Dir::In)
      if (const auto* ref = ir::as<ir::VarRef>(op->self); ref && ref->type.kind == Kind::GlobalTensor)
        fn(ref->var);
  });
}

template <class Fn>
void changed_by(const ir::Stmt* s, Fn& fn) {
  if (const auto* decl = ir::as<ir::Decl>(s)) fn(decl->var);
  if (const auto* a = ir::as<ir::Assign>(s)) fn(a->var);
  if (const auto* loop = ir::as<ir::For>(s)) fn(loop->var);
  if (const auto* set = ir::as<ir::SetField>(s)) {
    const ir::Expr* object = set->object;
    while (const auto* field = ir::as<ir::Field>(object)) object = field->object;
    if (const auto* ref = ir::as<ir::VarRef>(object)) fn(ref->var);
  }
  if (const auto* a = ir::as<ir::CallAssign>(s)) {
    given_away(*a->callee, a->args, fn);
    for (const ir::Var* var : a->results)
      if (var) fn(var);
  }
  ir::for_each_expr(s, [&fn](const ir::Expr* root) { changed_by(root, fn); });
}

}  // namespace control_detail

template <class Fn>
void for_each_changed(const ir::Stmt* s, Fn&& fn) {
  control_detail::changed_by(s, fn);
  ir::for_each_block(s, [&fn](const ir::Block* child) { for_each_changed(child, fn); });
}

template <class Fn>
void for_each_changed(const ir::Block* block, Fn&& fn) {
  for (const ir::Stmt* s : *block) for_each_changed(s, fn);
}

}  // namespace asc::passes
