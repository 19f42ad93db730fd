// SPDX-License-Identifier: Apache-2.0
// Walking the IR: calls a function on each operand of an expression, each expression of a statement, each
// child block. Each walk has a second form for constant nodes, whose function gets pointers to constants. The
// spelling of a Const is not an operand: nothing evaluates it.
#pragma once

#include "ir/ir.h"

namespace asc::ir {

// fn(Expr*& operand), left to right (evaluation order); null operands are skipped.
template <class Fn>
void for_each_operand(Expr* e, Fn&& fn);
// fn(Expr*& expression) for each expression directly in the statement, in evaluation order.
template <class Fn>
void for_each_expr(Stmt* s, Fn&& fn);
// fn(Block*) for each child block.
template <class Fn>
void for_each_block(Stmt* s, Fn&& fn);
// Every statement of a block and its child blocks, parents first: fn(Stmt*).
template <class Fn>
void walk(Block* block, Fn&& fn);
// Every expression below and including `e`, operands first: fn(Expr*).
template <class Fn>
void walk_expr(Expr* e, Fn&& fn);

template <class Fn>
void for_each_operand(const Expr* e, Fn&& fn);
template <class Fn>
void for_each_expr(const Stmt* s, Fn&& fn);
template <class Fn>
void for_each_block(const Stmt* s, Fn&& fn);
template <class Fn>
void walk(const Block* block, Fn&& fn);
template <class Fn>
void walk_expr(const Expr* e, Fn&& fn);

}  // namespace asc::ir

#include "ir/visit_impl.h"
