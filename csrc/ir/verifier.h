// SPDX-License-Identifier: Apache-2.0
// The verifier's state. Internal: verify.cpp has modules, functions and statements, verify_expr.cpp
// expressions.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "ir/verify.h"

namespace asc::ir {

class Verifier {
 public:
  explicit Verifier(const Module& module);
  std::vector<VerifyError> run();

 private:
  void error(const Loc& loc, std::string message) { errors_.push_back({loc, std::move(message)}); }

  // -- verify.cpp
  void verify_args();
  void verify_structs();
  void verify_named(const NamedConst& constant);
  void verify_function(const Function& function);
  void verify_vars(const Function& function);
  void verify_block(const Block* block, const Loc& loc);
  void verify_scope(const Block* block);
  void verify_statement(const Stmt& statement);
  void verify_decl(const Decl& s);
  void verify_assign(const Assign& s);
  void verify_set_field(const SetField& s);
  void verify_call_assign(const CallAssign& s);
  void verify_for(const For& s);
  void verify_while(const While& s);
  void verify_return(const Return& s);
  void verify_format(const FormatText& text, bool may_be_empty, const Loc& loc);
  bool declare(const Var* var, const Loc& loc);
  bool is_visible(const Var* var, const Loc& loc, const char* what);
  bool owns(const Var* var) const;

  // -- verify_expr.cpp
  // Verifies an expression; null is an error ("no <what>"). False if its type means nothing.
  bool verify_expr(const Expr* e, const char* what, const Loc& loc);
  void verify_typed(const Expr* e, const Type& type, const char* what, const Loc& loc);
  void verify_node(const Expr& e);
  void verify_const(const Const& c);
  void verify_value(const Type& type, int64_t bits, const Loc& loc);
  void verify_spelling(const Expr* spelling, const Type& type, int64_t bits, const Loc& loc);
  void verify_unary(const Unary& e);
  void verify_binary(const Binary& e);
  void verify_logical(const Logical& e);
  void verify_select(const Select& e);
  void verify_cast(const Cast& e);
  void verify_field(const Field& e);
  void verify_workspace(const Workspace& e);
  void verify_op(const OpCall& e);
  void verify_type_variables(const OpCall& e);
  void verify_operand(const OpCall& e, const ParamDesc& param, const Expr* arg);
  void verify_call(const Call& e);
  void verify_call_args(const Function* callee, std::span<Expr* const> args, const Loc& loc);
  void verify_result(const Expr& e, const Type& type);
  void verify_effect(const Expr& e);

  const Module& module_;
  const uint8_t mark_;
  const Function* function_ = nullptr;
  enum class Scope : uint8_t { Undeclared, Visible, Gone };
  std::vector<Scope> scopes_;      // of the function's variables, by id
  std::vector<uint32_t> visible_;  // ids in the order of declaration; a block takes its own away at its end
  int loops_ = 0;
  std::vector<VerifyError> errors_;
};

// A variable, or a field of one: what may stand for an object.
bool is_place(const Expr* e);

}  // namespace asc::ir
