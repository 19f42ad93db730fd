// SPDX-License-Identifier: Apache-2.0
// Well-formedness of modules, functions and statements (rules: ir/verify.h).
#include "ir/verify.h"

#include <algorithm>

#include "base/format.h"
#include "ir/verifier.h"
#include "ir/visit.h"

namespace asc::ir {

namespace {

constexpr Type kBool = Type::scalar(DType::Bool);

}  // namespace

std::vector<VerifyError> verify(const Module& module) { return Verifier(module).run(); }

// Marks are never 0, which new nodes have.
Verifier::Verifier(const Module& module)
    : module_(module), mark_(static_cast<uint8_t>(module.last_mark == 255 ? 1 : module.last_mark + 1)) {
  module.last_mark = mark_;
}

std::vector<VerifyError> Verifier::run() {
  verify_structs();
  for (const NamedConst* c : module_.constants) {
    if (!c)
      error({}, "a null constant in the module's list");
    else
      verify_named(*c);
  }
  for (size_t i = 0; i < module_.functions.size(); i++) {
    const Function& f = *module_.functions[i];
    if (f.id != i) error(f.loc, fmt::format("function {} has id {} at place {}", f.name, f.id, i));
    if (f.is_kernel && i + 1 != module_.functions.size()) error(f.loc, "the kernel is not the last function");
    verify_function(f);
  }
  verify_args();
  return std::move(errors_);
}

void Verifier::verify_structs() {
  for (size_t i = 0; i < module_.structs.size(); i++) {
    const StructDesc& desc = module_.structs[i];
    for (const StructField& field : desc.fields) {
      if (field.type.is_void() || field.offset >= desc.bytes)
        error({}, fmt::format("field {} of struct {} has no type or lies outside", field.name, desc.name));
      if (field.type.kind == Kind::Struct && field.type.id >= kStructCount + i)
        error({}, fmt::format("field {} of struct {} is a struct that comes later", field.name, desc.name));
    }
  }
}

void Verifier::verify_args() {
  const Function* kernel = module_.kernel();
  for (const KernelArg& arg : module_.args) {
    if (!kernel || !kernel->is_kernel) {
      error({}, fmt::format("argument {} without a kernel", arg.name));
      continue;
    }
    if (!arg.var) continue;
    const auto& params = kernel->params;
    if (std::find(params.begin(), params.end(), arg.var) == params.end())
      error(kernel->loc, fmt::format("argument {} is no parameter of the kernel", arg.name));
    else if (arg.var->type != arg.type)
      error(kernel->loc, fmt::format("argument {} is {}, its parameter {}", arg.name, to_string(arg.type),
                                     to_string(arg.var->type)));
  }
}

void Verifier::verify_named(const NamedConst& constant) {
  if (constant.name.empty()) error(constant.loc, "a constant without a name");
  verify_value(constant.type, constant.bits, constant.loc);
  if (constant.spelling) verify_spelling(constant.spelling, constant.type, constant.bits, constant.loc);
}

// ---- functions -----------------------------------------------------------------------------------

void Verifier::verify_function(const Function& function) {
  function_ = &function;
  loops_ = 0;
  scopes_.assign(function.vars.size(), Scope::Undeclared);
  visible_.clear();
  if (function.name.empty()) error(function.loc, "a function without a name");
  if (function.is_kernel && !function.results.empty()) error(function.loc, "a kernel has no results");
  for (const Type& type : function.results)
    if (type.is_void() || type.is_object())
      error(function.loc, fmt::format("{} cannot be a result", to_string(type)));
  verify_vars(function);
  for (const Var* param : function.params)
    if (owns(param)) scopes_[param->id] = Scope::Visible;
  if (function.body)
    verify_scope(function.body);
  else
    error(function.loc, fmt::format("function {} has no body", function.name));
  function_ = nullptr;
}

void Verifier::verify_vars(const Function& function) {
  for (size_t i = 0; i < function.vars.size(); i++) {
    const Var* var = function.vars[i];
    if (!var || var->id != i) {
      error(function.loc, fmt::format("variable {} of {} is null or has another id", i, function.name));
      continue;
    }
    if (var->type.is_void()) error(var->loc, fmt::format("variable {} has no type", var->name));
    if (var->is_param != (i < function.params.size()))
      error(var->loc, fmt::format("variable {}: parameters come first, and only they are", var->name));
  }
  for (size_t i = 0; i < function.params.size(); i++) {
    const Var* param = function.params[i];
    if (i >= function.vars.size() || function.vars[i] != param)
      error(function.loc, fmt::format("parameter {} of {} is not its variable {}", i, function.name, i));
    else if (param->type.is_object() && !param->by_ref)
      error(param->loc, fmt::format("parameter {} is an object and not by reference", param->name));
  }
}

bool Verifier::owns(const Var* var) const {
  return var && var->id < function_->vars.size() && function_->vars[var->id] == var;
}

bool Verifier::declare(const Var* var, const Loc& loc) {
  if (!owns(var)) {
    error(loc, "a declaration of a variable that is not the function's");
    return false;
  }
  if (scopes_[var->id] != Scope::Undeclared)
    error(loc, fmt::format("variable {} is declared twice", var->name));
  scopes_[var->id] = Scope::Visible;
  visible_.push_back(var->id);
  return true;
}

bool Verifier::is_visible(const Var* var, const Loc& loc, const char* what) {
  if (!owns(var)) {
    error(loc, fmt::format("{}: the variable is not the function's", what));
    return false;
  }
  const Scope scope = scopes_[var->id];
  if (scope == Scope::Undeclared)
    error(loc, fmt::format("{}: variable {} is not declared before", what, var->name));
  else if (scope == Scope::Gone)
    error(loc, fmt::format("{}: variable {} is out of scope", what, var->name));
  return true;
}

// ---- statements ----------------------------------------------------------------------------------

void Verifier::verify_scope(const Block* block) {
  const size_t before = visible_.size();
  for (const Stmt* s : *block) {
    if (s)
      verify_statement(*s);
    else
      error({}, "a null statement");
  }
  for (size_t i = before; i < visible_.size(); i++) scopes_[visible_[i]] = Scope::Gone;
  visible_.resize(before);
}

void Verifier::verify_block(const Block* block, const Loc& loc) {
  if (block)
    verify_scope(block);
  else
    error(loc, "a missing block");
}

void Verifier::verify_statement(const Stmt& statement) {
  const Loc& loc = statement.loc;
  switch (statement.kind) {
    case StmtKind::ConstDecl: {
      const NamedConst* constant = static_cast<const ConstDecl&>(statement).constant;
      if (!constant || constant->scope != function_)
        return error(loc, "a constant of another scope is declared");
      return verify_named(*constant);
    }
    case StmtKind::Decl: return verify_decl(static_cast<const Decl&>(statement));
    case StmtKind::Assign: return verify_assign(static_cast<const Assign&>(statement));
    case StmtKind::SetField: return verify_set_field(static_cast<const SetField&>(statement));
    case StmtKind::Eval: verify_expr(static_cast<const Eval&>(statement).value, "an expression", loc); return;
    case StmtKind::CallAssign: return verify_call_assign(static_cast<const CallAssign&>(statement));
    case StmtKind::If: {
      const auto& s = static_cast<const If&>(statement);
      verify_typed(s.condition, kBool, "the condition", loc);
      verify_block(s.then_block, loc);
      if (s.else_block) verify_scope(s.else_block);
      return;
    }
    case StmtKind::For: return verify_for(static_cast<const For&>(statement));
    case StmtKind::While: return verify_while(static_cast<const While&>(statement));
    case StmtKind::Break:
      if (loops_ == 0) error(loc, "break outside a loop");
      return;
    case StmtKind::Continue:
      if (loops_ == 0) error(loc, "continue outside a loop");
      return;
    case StmtKind::Return: return verify_return(static_cast<const Return&>(statement));
    case StmtKind::Assert: {
      const auto& s = static_cast<const Assert&>(statement);
      verify_typed(s.condition, kBool, "the condition", loc);
      return verify_format(s.message, /*may_be_empty=*/true, loc);
    }
    case StmtKind::Print: return verify_format(static_cast<const Print&>(statement).text, false, loc);
  }
  error(loc, "a statement of no known kind");
}

void Verifier::verify_decl(const Decl& s) {
  if (!s.var) return error(s.loc, "a declaration of nothing");
  // The variable is not visible in its own first value.
  if (s.init && s.var->type.is_object()) {
    // The constructor of a queue does not know the position and depth of its type.
    const OpCall* made = verify_expr(s.init, "first value", s.loc) ? as<OpCall>(s.init) : nullptr;
    if (!made || made->desc().family != Family::Construct || made->type.kind != s.var->type.kind)
      error(s.loc, fmt::format("object {} can only be declared from its constructor", s.var->name));
  } else if (s.init) {
    verify_typed(s.init, s.var->type, "the first value", s.loc);
  }
  declare(s.var, s.loc);
}

void Verifier::verify_assign(const Assign& s) {
  if (!is_visible(s.var, s.loc, "an assignment")) return;
  if (s.var->type.is_object()) error(s.loc, fmt::format("object {} cannot be assigned", s.var->name));
  verify_typed(s.value, s.var->type, "the value", s.loc);
}

void Verifier::verify_set_field(const SetField& s) {
  if (!verify_expr(s.object, "the object", s.loc)) return;
  if (!is_place(s.object)) error(s.loc, "a field is set of something that is no named object");
  const Type type = field_type(module_, s.object->type, s.index);
  if (type.is_void())
    error(s.loc, fmt::format("{} has no field {}", to_string(s.object->type), s.index));
  else
    verify_typed(s.value, type, "the value", s.loc);
}

void Verifier::verify_call_assign(const CallAssign& s) {
  verify_call_args(s.callee, s.args, s.loc);
  if (!s.callee) return;
  const auto& results = s.callee->results;
  if (results.size() < 2 || s.results.size() != results.size())
    return error(s.loc, fmt::format("{} variables take the {} results of {}", s.results.size(),
                                    results.size(), s.callee->name));
  for (size_t i = 0; i < results.size(); i++) {
    const Var* var = s.results[i];
    if (!var || !is_visible(var, s.loc, "a result")) continue;
    if (var->type != results[i])
      error(s.loc, fmt::format("result {} of {} is {}, its variable {}", i, s.callee->name,
                               to_string(results[i]), to_string(var->type)));
    for (size_t j = 0; j < i; j++)
      if (s.results[j] == var) error(s.loc, fmt::format("variable {} takes two results", var->name));
  }
}

void Verifier::verify_for(const For& s) {
  const size_t before = visible_.size();
  if (s.var && s.var->type.is_scalar() && is_int(s.var->type.elem)) {
    verify_typed(s.start, s.var->type, "the start", s.loc);
    verify_typed(s.stop, s.var->type, "the stop", s.loc);
    if (s.step) verify_typed(s.step, s.var->type, "the step", s.loc);
  } else {
    error(s.loc, "a loop variable that is no integer");
  }
  if (s.declares_var)
    declare(s.var, s.loc);
  else
    is_visible(s.var, s.loc, "a loop");
  loops_++;
  verify_block(s.body, s.loc);
  loops_--;
  for (size_t i = before; i < visible_.size(); i++) scopes_[visible_[i]] = Scope::Gone;
  visible_.resize(before);
  if (s.orelse) verify_scope(s.orelse);
}

// What `condition_pre` declares is visible in the condition and the body: they run in one turn.
void Verifier::verify_while(const While& s) {
  const size_t before = visible_.size();
  if (s.condition_pre) {
    const int outer =
        std::exchange(loops_, 0);  // its break would leave before the first test: not in the language
    for (const Stmt* inner : *s.condition_pre) {
      if (inner)
        verify_statement(*inner);
      else
        error(s.loc, "a null statement");
    }
    loops_ = outer;
  }
  verify_typed(s.condition, kBool, "the condition", s.loc);
  loops_++;
  verify_block(s.body, s.loc);
  loops_--;
  for (size_t i = before; i < visible_.size(); i++) scopes_[visible_[i]] = Scope::Gone;
  visible_.resize(before);
  if (s.orelse) verify_scope(s.orelse);
}

void Verifier::verify_return(const Return& s) {
  const auto& results = function_->results;
  if (s.values.size() != results.size())
    error(s.loc, fmt::format("{} returns {} values, it has {} results", function_->name, s.values.size(),
                             results.size()));
  for (size_t i = 0; i < s.values.size(); i++) {
    if (i < results.size())
      verify_typed(s.values[i], results[i], "a returned value", s.loc);
    else
      verify_expr(s.values[i], "a returned value", s.loc);
  }
}

void Verifier::verify_format(const FormatText& text, bool may_be_empty, const Loc& loc) {
  const bool empty = may_be_empty && text.pieces.empty() && text.values.empty();
  if (!empty && text.pieces.size() != text.values.size() + 1)
    error(loc, fmt::format("{} pieces of text around {} values", text.pieces.size(), text.values.size()));
  if (!text.specs.empty() && text.specs.size() != text.values.size())
    error(loc, fmt::format("{} formats of {} values", text.specs.size(), text.values.size()));
  for (size_t i = 0; i < text.values.size(); i++) {
    const Expr* value = text.values[i];
    if (!verify_expr(value, "a value in the text", loc)) continue;
    const std::string_view spec = text.spec(i);
    const bool wants_float = !spec.empty() && (spec.back() == 'f' || spec.back() == 'F');
    if (!spec.empty() && (!value->type.is_scalar() || is_float(value->type.elem) != wants_float))
      error(loc, fmt::format("the format {} of {}", spec, to_string(value->type)));
    if (value->type.is_void() || value->type.is_object())
      error(value->loc, fmt::format("{} cannot be printed", to_string(value->type)));
  }
}

}  // namespace asc::ir
