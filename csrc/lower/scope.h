// SPDX-License-Identifier: Apache-2.0
// What names are bound to, and how the bindings of two paths meet. One mechanism (Frame::merge) serves
// branches, loop heads, loop exits, conditional expressions and short circuits.
//
// A binding is one of
//   Unset    not assigned on any path to here
//   static   a compile-time value; a number has an anchor, the constant's declaration at the user's line
//   slot     a variable that belongs to the name: assignments of the same type write it
//   alias    a variable that other names may share: tensors before they are re-bound, queues, pipes,
//   parameters by reference Maybe    one of these on some paths, unset on others: reading it is an error with
//   both lines Conflict two paths that do not meet: reading it is an error that names both types and both
//   lines
// Where paths meet, equal bindings stay as they are; numbers, enums, pointers and tensors become one slot,
// and what each path bound is put into it: an anchor turns into the declaration or an assignment of that
// variable, in its place.
#pragma once

#include "ir/ir.h"
#include "lower/ast.h"
#include "lower/value.h"

namespace asc::lower {

// A statement that gave a name its compile-time number, or nothing any more once it has become a variable's.
struct Anchor {
  ir::Block* block = nullptr;
  ir::Stmt* stmt = nullptr;  // ConstDecl
  const ir::NamedConst* constant = nullptr;
  uint32_t depth = 0;      // of the region that holds it
  ir::Var* var = nullptr;  // the variable it became
};

struct Binding {
  enum class State : uint8_t { Unset, Bound, Maybe, Conflict } state = State::Unset;
  bool slot = false;       // the value lives in `var`, which is this name's own
  bool literal = false;    // slot: began as a Python literal: may take another number's type where paths meet
  Value value;             // not for slots
  ir::Var* var = nullptr;  // slot or alias; for a static value: the name's last variable, to be used again
  Anchor* anchor = nullptr;
  bool stale = false;  // Conflict: a copy of a tensor whose handle changed; no assignment made it so
  const ast::Node* set_at = nullptr;  // where it was last assigned
  const ast::Node* other =
      nullptr;  // Maybe: the construct that may leave it unset; Conflict: the other assignment

  bool bound() const { return state == State::Bound || state == State::Maybe; }
  bool is_alias() const { return bound() && !slot && value.kind == ValueKind::Expr; }
};

// One path into a merge: its bindings of the names that count, and the block at whose end copies may be
// added.
struct Edge {
  ir::Block* block = nullptr;
  std::vector<Binding> bindings;
  bool jump = false;  // the block ends with a break or continue
};

// A variable that may hold the handle of another one's tensor.
struct Copy {
  ir::Var *copy, *original;
  friend bool operator==(const Copy&, const Copy&) = default;
};

struct VarInfo {
  ir::Block* block = nullptr;
  ir::Stmt* decl = nullptr;
  uint32_t depth = 0;
  bool aliased = false;  // more than one name or container may hold it
  bool rebound = false;  // written by assignments: an alias must copy it
  bool fresh = false;    // made for a result, not yet anyone's
  uint32_t refs = 0;
  const ast::Node* elem_at = nullptr;  // where an untyped GlobalTensor got its element type
};

}  // namespace asc::lower
