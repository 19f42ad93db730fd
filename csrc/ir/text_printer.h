// SPDX-License-Identifier: Apache-2.0
// The printer of the text form. Internal: text_print.cpp has modules, functions and statements,
// text_print_expr.cpp expressions and constants.
#pragma once

#include <iterator>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "base/format.h"
#include "ir/text_common.h"

namespace asc::ir::text {

class Printer {
 public:
  Printer(const Module* module, bool with_locations) : module_(module), with_locations_(with_locations) {}

  std::string take() { return std::move(out_); }
  void print(const Module& module);
  // Prints an expression; `nested`: as an operand, in parentheses where it would not hold together. A
  // location equal to `parent`'s is left out, and so is a number's type where it is the `expected` one.
  void print(const Expr* e, const Type& expected, const Loc& parent, bool nested = false);

 private:
  template <class... Args>
  void put(fmt::format_string<Args...> format, Args&&... args) {
    fmt::format_to(std::back_inserter(out_), format, std::forward<Args>(args)...);
  }
  void put(char c) { out_ += c; }
  void put_quoted(std::string_view text);
  void put_word(std::string_view name);  // a name, quoted if it needs it
  void put_type(const Type& type);
  void put_field(const Type& object, uint16_t index);
  void put_loc(const Loc& loc);
  void put_name(char sigil, const void* thing, std::string_view name);
  void line();

  void number_names(const Module& module);
  void print_source(uint32_t index);
  void print_struct(const StructDesc& desc);
  void print_named(const NamedConst& constant);
  void print_function(const Function& function);
  void print_results(const Function& function);
  void print_args(const Function& kernel);
  bool declares_in_order(const Function& function) const;
  void print_var(const Var& var, const Loc& parent);
  void print_block(const Block* block);
  void print_statement(const Stmt& statement);
  void print_call_assign(const CallAssign& s);
  void print_for(const For& s);
  void print_while(const While& s);
  void print_orelse(const Block* orelse);
  void print_format(const FormatText& text, const Loc& loc);

  void print_node(const Expr& e, const Type& expected);
  void print_const(const Const& c, const Type& expected);
  void print_float(const Const& c, const Type& expected);
  void print_infix(const Expr* left, std::string_view op, const Expr* right, const Type& expected,
                   const Loc& loc);
  void print_binary(const Binary& b, const Type& expected);
  void print_op(const OpCall& call);
  void print_call(const Function* callee, std::span<Expr* const> args, const Loc& loc);
  void print_object(const Expr* object, const Loc& parent);

  const Module* module_;
  bool with_locations_;
  const Function* function_ = nullptr;
  std::unordered_map<const void*, std::string> names_;  // with ordinals where names repeat; never iterated
  // Constants declared so far. One of another function further down is not in scope: its uses print as the
  // number, as they do in the printed program.
  std::unordered_set<const NamedConst*> declared_;
  std::string out_;
  int indent_ = 0;
};

}  // namespace asc::ir::text
