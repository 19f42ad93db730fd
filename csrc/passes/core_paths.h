// SPDX-License-Identifier: Apache-2.0
// Which core types reach which code: predicates (ascend_is_aic, ascend_is_aiv) evaluated over the set of core
// types, through `not`, `and`, `or`, stored predicates and helpers. Internal to passes.
#pragma once

#include <cstdint>
#include <vector>

#include "ir/ir.h"

namespace asc::passes {

// A set of core types, as the bits of CoreSet.
using Cores = uint8_t;
inline constexpr Cores kAiv = static_cast<Cores>(CoreSet::AIV);
inline constexpr Cores kAic = static_cast<Cores>(CoreSet::AIC);
inline constexpr Cores kBothCores = static_cast<Cores>(CoreSet::Any);

// The core types on which a condition may be true, and on which it may be false.
struct Truth {
  Cores may_true = kBothCores, may_false = kBothCores;
  friend bool operator==(const Truth&, const Truth&) = default;
};

// The core types that a kernel of this type runs on; both for Auto.
Cores cores_of(ir::KernelType type);

// Truth values of the stored predicates of one function: bool variables whose every value is known by core.
class StoredPredicates {
 public:
  explicit StoredPredicates(const ir::Function& function);
  Truth truth(const ir::Expr* condition) const;

 private:
  bool collect(const ir::Block* block);
  bool add(const ir::Var* var, Truth value);

  std::vector<Truth> by_var_;  // by variable id; empty: the function stores none
};

// Whether control can go on behind the statement or block (it does not behind return, break, continue on
// every path).
bool falls_through(const ir::Stmt* statement);
bool falls_through(const ir::Block* block);

// Is it the registration of a Matmul? In a mixed kernel a cube core goes no further: it serves from there on.
bool registers_matmul(const ir::Stmt* statement);

// Walks what can run, with the core types that reach it:
//   void op(const ir::OpCall&, Cores)                 for every op call
//   void call(const ir::Function& callee, Cores)      for every call of a helper
template <class Visitor>
class CoreWalk {
 public:
  CoreWalk(const ir::Function& function, Visitor& visitor) : stored_(function), visitor_(visitor) {}
  // Returns the cores that go on behind the block.
  Cores block(const ir::Block* block, Cores cores);

 private:
  Cores statement(const ir::Stmt* s, Cores cores);
  void expr(const ir::Expr* e, Cores cores);

  StoredPredicates stored_;
  Visitor& visitor_;
  Cores entry_ = 0;  // that come into the function
};

}  // namespace asc::passes

#include "passes/core_paths_impl.h"
