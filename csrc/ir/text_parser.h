// SPDX-License-Identifier: Apache-2.0
// The parser of the text form (grammar: ir/text.h). Internal: text_parse.cpp has modules, functions and
// statements, text_parse_expr.cpp expressions.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "base/stack.h"
#include "ir/builder.h"
#include "ir/text_cursor.h"

namespace asc::ir::text {

class Parser {
 public:
  Parser(std::string_view text, std::string_view name)
      : in_(text, name), module_(std::make_unique<Module>()), build_(*module_, /*fold=*/false) {}

  std::unique_ptr<Module> parse();

 private:
  // An expression without a location of its own takes over that of the node or statement around it, which is
  // read later: until then it has this one.
  static constexpr Loc kInherited{Loc::kNone - 1};

  // -- text_parse.cpp
  void parse_header();
  void parse_source();
  void parse_struct();
  void parse_const(Loc loc);
  void parse_area(Loc loc);
  bool parse_is_per_block();
  void parse_function(Loc loc, bool is_kernel);
  void parse_params(Function* f);
  void parse_results(Function* f);
  void parse_effect(Function* f);
  void parse_kernel_args();
  void parse_arg();
  Block* parse_block();
  void parse_statement();
  void parse_call_assign(Loc loc);
  void parse_if(Loc loc);
  void parse_for(Loc loc);
  void parse_while(Loc loc);
  Block* parse_orelse();
  void parse_return(Loc loc);
  void parse_assignment(Loc loc);
  FormatText parse_format(Loc loc);
  Var* parse_var_declaration(Loc parent);
  Type parse_type();
  Loc parse_prefix_loc();
  bool at_loc(bool suffix) const;
  Loc parse_loc();
  std::string parse_key(std::string_view what, std::string* name);
  template <class T>
  T* parse_reference(const std::unordered_map<std::string, T*>& things, char sigil, std::string_view what);

  // -- text_parse_expr.cpp
  // With all locations settled; `operand`: no operator outside parentheses.
  Expr* expression(const Type& expected, Loc loc, bool operand = false);
  Expr* binary(int least, const Type& expected);
  Expr* unary(const Type& expected);
  Expr* postfix(const Type& expected);
  Expr* primary(const Type& expected);
  Expr* word_expression(const Type& expected);
  Expr* op_call(std::string_view ir_name);
  void type_variables(const OpDesc& desc, DType (*vars)[4]);
  Expr* enum_const(std::string_view name);
  Expr* cast(bool is_explicit);
  Expr* spelt(const Type& expected);
  Expr* raw_bits();
  Expr* workspace();
  Expr* literal(const Type& expected);
  Expr* float_literal(double value, bool negative, const Type& expected);
  Expr* real_literal(std::string_view digits, size_t start, bool negative, const Type& expected);
  Expr* int_literal(uint64_t value, bool negative, size_t start, const Type& expected);
  void skip_digits();
  Expr* field(Expr* object);
  Type literal_type(bool has_point, const Type& expected);
  void settle(Expr* e, const Loc& parent);
  std::vector<Expr*> call_args(const Function& callee);

  Cursor in_;
  std::unique_ptr<Module> module_;
  Builder build_;
  Function* function_ = nullptr;
  std::unordered_map<std::string, Var*> vars_;  // of the function
  std::unordered_set<std::string> locals_;      // those of `local` lines whose declaration is still to come
  std::string last_key_;                        // of the variable declared last
  std::unordered_map<std::string, NamedConst*> constants_;
  std::unordered_map<std::string, Function*> functions_;
  void check_depth() const {
    if (stack_is_low()) in_.fail("nested too deeply for the stack of this thread");
  }
};

template <class T>
T* Parser::parse_reference(const std::unordered_map<std::string, T*>& things, char sigil,
                           std::string_view what) {
  const size_t start = in_.position();
  std::string name;
  const auto found = things.find(parse_key(what, &name));
  if (found == things.end())
    in_.fail_at(start, std::string(what) + " " + sigil + name + " is not declared before this use");
  return found->second;
}

}  // namespace asc::ir::text
