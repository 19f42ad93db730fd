// SPDX-License-Identifier: Apache-2.0
// Reads the text form of the IR: modules, functions, statements (grammar: ir/text.h).
#include <algorithm>

#include "base/format.h"
#include "ir/text.h"
#include "ir/text_parser.h"

namespace asc::ir {

std::unique_ptr<Module> parse_module(std::string_view text, std::string_view name) {
  return text::Parser(text, name).parse();
}

namespace text {

namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }

}  // namespace

// ---- names, types, locations ---------------------------------------------------------------------

// Reads a name with its ordinal ("x", "x.1", "\"a b\"") behind the sigil; the whole identifies, `name` is the
// user's.
std::string Parser::parse_key(std::string_view what, std::string* name) {
  *name = in_.word(what);
  std::string key = *name;
  if (in_.raw() == '.' && is_digit(in_.raw(1))) {
    in_.advance(1);
    key += '.' + std::to_string(in_.number("an ordinal"));
  }
  return key;
}

Type Parser::parse_type() {
  in_.skip();
  const size_t start = in_.position();
  if (in_.accept_word("struct") && in_.accept("<")) {
    const std::string name = in_.word("the name of a struct");
    in_.expect(">");
    for (size_t i = 0; i < module_->structs.size(); i++)
      if (module_->structs[i].name == name) return Type::of_struct(static_cast<uint16_t>(kStructCount + i));
    in_.fail_at(start, "no such struct in the module");
  }
  in_.rewind(start);
  in_.word("a type");
  if (in_.raw() == '<') {
    while (in_.raw() != '>' && in_.raw() != '\n' && in_.raw() != '\0') in_.advance(1);
    in_.expect(">");
  }
  Type type;
  if (!asc::parse_type(in_.slice(start), &type)) in_.fail_at(start, "unknown type");
  return type;
}

bool Parser::at_loc(bool suffix) const {
  if (in_.raw() != '@') return false;
  if (is_digit(in_.raw(1))) return true;
  if (in_.raw(1) == 's' && is_digit(in_.raw(2))) {
    size_t ahead = 3;
    while (is_digit(in_.raw(ahead))) ahead++;
    return in_.raw(ahead) == ':';
  }
  return suffix;
}

// @[sSOURCE:]LINE:COL-[LINE:]COL or @none
Loc Parser::parse_loc() {
  in_.expect("@");
  if (in_.accept_word("none")) return {};
  Loc loc;
  loc.source = function_ ? function_->source : Loc::kNone;
  if (in_.raw() == 's') {
    in_.advance(1);
    loc.source = static_cast<uint32_t>(in_.number("a source"));
    in_.expect(":");
  }
  if (loc.source >= module_->sources.size()) in_.fail("no such source");
  loc.line = static_cast<uint32_t>(in_.number("a line"));
  in_.expect(":");
  loc.col = static_cast<uint32_t>(in_.number("a column"));
  in_.expect("-");
  loc.end_line = loc.line;
  loc.end_col = static_cast<uint32_t>(in_.number("a column"));
  if (in_.raw() == ':' && is_digit(in_.raw(1))) {
    in_.advance(1);
    loc.end_line = loc.end_col;
    loc.end_col = static_cast<uint32_t>(in_.number("a column"));
  }
  return loc;
}

Loc Parser::parse_prefix_loc() {
  in_.skip();
  return at_loc(/*suffix=*/false) ? parse_loc() : Loc{};
}

// ---- module --------------------------------------------------------------------------------------

std::unique_ptr<Module> Parser::parse() {
  in_.skip_lines();
  if (in_.accept_word("module")) parse_header();
  while (true) {
    in_.skip_lines();
    if (in_.at_end()) return std::move(module_);
    if (in_.accept_word("source")) {
      parse_source();
    } else if (in_.accept_word("struct")) {
      parse_struct();
    } else {
      const Loc loc = parse_prefix_loc();
      if (in_.accept_word("const"))
        parse_const(loc);
      else if (in_.accept_word("workspace"))
        parse_area(loc);
      else if (in_.accept_word("func"))
        parse_function(loc, /*is_kernel=*/false);
      else if (in_.accept_word("kernel"))
        parse_function(loc, /*is_kernel=*/true);
      else
        in_.fail("'source', 'struct', 'const', 'workspace', 'func' or 'kernel' expected");
    }
  }
}

void Parser::parse_header() {
  while (in_.peek() != '\n' && !in_.at_end()) {
    const size_t start = in_.position();
    const std::string key = in_.word("a module attribute");
    in_.expect("=");
    const size_t value_start = in_.position();
    const std::string value = in_.word("a value");
    if (key == "kernel_type") {
      if (!parse_kernel_type(value, &module_->kernel_type)) in_.fail_at(value_start, "unknown kernel type");
    } else if (key == "auto_sync") {
      if (value != "true" && value != "false") in_.fail_at(value_start, "true or false expected");
      module_->auto_sync = value == "true";
    } else {
      in_.fail_at(start, "unknown module attribute");
    }
  }
}

void Parser::parse_source() {
  const size_t start = in_.position();
  if (in_.number("the number of the source") != module_->sources.size())
    in_.fail_at(start, "sources are numbered in order, from 0");
  SourceText source;
  source.file = (in_.skip(), in_.quoted());
  in_.expect_word("line");
  source.first_line = static_cast<uint32_t>(in_.number("a line"));
  in_.expect_word("function");
  source.function = (in_.skip(), in_.quoted());
  while (in_.skip_lines(), in_.raw() == '"') source.text += in_.quoted();
  module_->sources.add(std::move(source));
}

void Parser::parse_struct() {
  StructDesc desc;
  desc.name = module_->arena.copy((in_.skip(), in_.word("a name")));
  desc.cpp_name = module_->arena.copy((in_.skip(), in_.quoted()));
  in_.expect_word("bytes");
  desc.bytes = static_cast<uint32_t>(in_.number("a size"));
  in_.expect("{");
  while (in_.skip_lines(), !in_.accept("}")) {
    StructField field;
    field.name = module_->arena.copy(in_.word("a field"));
    in_.expect(":");
    field.type = parse_type();
    in_.expect("=");
    field.default_bits = in_.integer("a value");
    in_.expect_word("at");
    field.offset = static_cast<uint32_t>(in_.number("an offset"));
    desc.fields.push_back(field);
  }
  module_->structs.push_back(std::move(desc));
}

// workspace BYTES per_block|shared
void Parser::parse_area(Loc loc) {
  WorkspaceArea area;
  area.bytes = in_.integer("a size");
  area.per_block = parse_is_per_block();
  area.loc = loc;
  module_->workspace.push_back(area);
}

bool Parser::parse_is_per_block() {
  if (in_.accept_word("per_block")) return true;
  in_.expect_word("shared");
  return false;
}

// const $name: type = value
void Parser::parse_const(Loc loc) {
  in_.expect("$");
  const size_t start = in_.position();
  std::string name;
  const std::string key = parse_key("a name", &name);
  if (constants_.count(key)) in_.fail_at(start, fmt::format("constant ${} is declared twice", key));
  in_.expect(":");
  const Type type = parse_type();
  in_.expect("=");
  const size_t value_start = (in_.skip(), in_.position());
  const Const* value = as<Const>(expression(type, loc));
  if (!value) in_.fail_at(value_start, "a constant expected");
  const Expr* spelling = value->named ? value : value->spelling;
  NamedConst* constant = build_.new_const(function_, name, type, value->bits, spelling, loc);
  constants_[key] = constant;
  if (function_) build_.const_decl(constant, loc);
}

// ---- functions -----------------------------------------------------------------------------------

// %name[@loc]: type [ref] [result] [hoisted]
Var* Parser::parse_var_declaration(Loc parent) {
  in_.expect("%");
  const size_t start = in_.position();
  std::string name;
  const std::string key = parse_key("a name", &name);
  const bool is_local = locals_.erase(key) != 0;  // numbered by a `local` line before
  if (!is_local && vars_.count(key)) in_.fail_at(start, fmt::format("variable %{} is declared twice", key));
  const Loc loc = at_loc(/*suffix=*/true) ? parse_loc() : parent;
  in_.expect(":");
  const size_t type_start = (in_.skip(), in_.position());
  const Type type = parse_type();
  Var* var = is_local ? vars_[key] : build_.new_var(function_, name, type, loc);
  if (var->type != type)
    in_.fail_at(type_start, fmt::format("variable %{} has another type in its `local` line", key));
  while (true) {
    if (in_.accept_word("ref"))
      var->by_ref = true;
    else if (in_.accept_word("result"))
      var->is_result = true;
    else if (in_.accept_word("hoisted"))
      var->hoisted = true;
    else
      break;
  }
  vars_[key] = var;
  last_key_ = key;
  return var;
}

// func|kernel @name [source N|none] (params) [-> (results)] [effect E] { ... }
void Parser::parse_function(Loc loc, bool is_kernel) {
  in_.expect("@");
  const size_t start = in_.position();
  std::string name;
  const std::string key = parse_key("a name", &name);
  if (functions_.count(key)) in_.fail_at(start, fmt::format("function @{} is declared twice", key));
  Function* f = build_.function(name, loc.source, loc);
  f->is_kernel = is_kernel;
  if (in_.accept_word("source"))
    f->source = in_.accept_word("none") ? Loc::kNone : static_cast<uint32_t>(in_.number("a source"));
  function_ = f;
  vars_.clear();
  parse_params(f);
  parse_results(f);
  const bool has_effect = in_.accept_word("effect");
  if (has_effect) parse_effect(f);
  in_.expect("{");
  if (is_kernel) parse_kernel_args();
  std::unordered_set<std::string> locals;
  while (in_.skip_lines(), in_.accept_word("local")) {
    parse_var_declaration(f->loc);
    locals.insert(last_key_);
  }
  locals_ = std::move(locals);
  f->body = parse_block();
  if (!has_effect) f->effect = effect_of(*f);
  functions_[key] = f;
  function_ = nullptr;
  locals_.clear();
}

void Parser::parse_params(Function* f) {
  in_.open();
  while (in_.peek() != ')') {
    if (!f->params.empty()) in_.expect(",");
    Var* var = parse_var_declaration(f->loc);
    var->is_param = true;
    var->by_ref = var->by_ref || var->type.is_object();
    f->params.push_back(var);
  }
  in_.close();
}

// -> type, or -> (type [name], ...)
void Parser::parse_results(Function* f) {
  if (!in_.accept("->")) return;
  if (in_.peek() != '(') {
    f->results.push_back(parse_type());
    return;
  }
  in_.open();
  while (in_.peek() != ')') {
    if (!f->results.empty()) in_.expect(",");
    f->results.push_back(parse_type());
    if (in_.peek() != ',' && in_.peek() != ')')
      f->result_names.push_back(module_->arena.copy(in_.word("the name of a result")));
  }
  in_.close();
}

void Parser::parse_effect(Function* f) {
  in_.skip();
  const size_t start = in_.position();
  const std::string word = in_.word("an effect");
  for (const Effect effect : {Effect::Pure, Effect::Read, Effect::Write, Effect::Block})
    if (to_string(effect) == word) {
      f->effect = effect;
      return;
    }
  in_.fail_at(start, "pure, read, write or block expected");
}

// `arg` lines, or `no_args`; without either the arguments are the parameters.
void Parser::parse_kernel_args() {
  in_.skip_lines();
  if (in_.accept_word("no_args")) return;
  while (in_.skip_lines(), in_.accept_word("arg")) parse_arg();
  if (!module_->args.empty()) return;
  for (Var* var : function_->params) {
    KernelArg arg;
    arg.name = var->name;
    arg.type = var->type;
    arg.var = var;
    module_->args.push_back(arg);
  }
}

// arg name: type [= %param] [nonneg] [noread] [nowrite] [escapes] [workspace]
void Parser::parse_arg() {
  KernelArg arg;
  arg.name = module_->arena.copy((in_.skip(), in_.word("the name of an argument")));
  in_.expect(":");
  arg.type = parse_type();
  if (in_.accept("=")) {
    in_.expect("%");
    arg.var = parse_reference(vars_, '%', "variable");
  }
  arg.nonnegative = in_.accept_word("nonneg");
  arg.may_read = !in_.accept_word("noread");
  arg.may_write = !in_.accept_word("nowrite");
  arg.escapes = in_.accept_word("escapes");
  arg.is_workspace = in_.accept_word("workspace");
  module_->args.push_back(arg);
}

// ---- statements ----------------------------------------------------------------------------------

// The statements up to the closing brace; the opening one has been read.
Block* Parser::parse_block() {
  check_depth();
  Block* outer = build_.block();
  Block* block = build_.new_block();
  build_.set_block(block);
  while (in_.skip_lines(), !in_.accept("}")) {
    if (in_.at_end()) in_.fail("'}' expected");
    parse_statement();
    const char c = in_.peek();
    if (c != '\n' && c != ';' && c != '}' && c != '\0') in_.fail("the end of the statement expected");
  }
  build_.set_block(outer);
  return block;
}

void Parser::parse_statement() {
  const Loc loc = parse_prefix_loc();
  if (in_.accept_word("const")) return parse_const(loc);
  if (in_.accept_word("if")) return parse_if(loc);
  if (in_.accept_word("for")) return parse_for(loc);
  if (in_.accept_word("while")) return parse_while(loc);
  if (in_.accept_word("return")) return parse_return(loc);
  if (in_.accept_word("call")) return parse_call_assign(loc);
  if (in_.accept_word("var")) {
    Var* var = parse_var_declaration(loc);
    Expr* init = in_.accept("=") ? expression(var->type, loc) : nullptr;
    build_.decl(var, init, loc);
  } else if (in_.accept_word("break")) {
    build_.break_(loc);
  } else if (in_.accept_word("continue")) {
    build_.continue_(loc);
  } else if (in_.accept_word("assert")) {
    Expr* condition = expression(kBoolType, loc);
    const FormatText text = in_.accept(",") ? parse_format(loc) : FormatText{};
    build_.assert_(condition, text.pieces, text.values, loc, text.specs);
  } else if (in_.accept_word("print")) {
    const FormatText text = parse_format(loc);
    build_.print(text.pieces, text.values, loc, text.specs);
  } else {
    parse_assignment(loc);
  }
}

// %x = value, object.field = value, or an expression for its effect
void Parser::parse_assignment(Loc loc) {
  in_.skip();
  const size_t start = in_.position();
  Expr* target = expression({}, loc);
  if (in_.peek() != '=' || in_.raw(1) == '=') {
    build_.eval(target, loc);
    return;
  }
  in_.expect("=");
  if (VarRef* ref = as<VarRef>(target)) {
    build_.assign(ref->var, expression(ref->var->type, loc), loc);
  } else if (Field* field = as<Field>(target)) {
    build_.set_field(field->object, field->index, expression(field->type, loc), loc);
  } else {
    in_.fail_at(start, "only a variable or a field can be assigned");
  }
}

// call (%a, _, %b) = @helper(args)
void Parser::parse_call_assign(Loc loc) {
  std::vector<Var*> results;
  in_.open();
  while (in_.peek() != ')') {
    if (!results.empty()) in_.expect(",");
    if (in_.accept_word("_")) {
      results.push_back(nullptr);
    } else {
      in_.expect("%");
      results.push_back(parse_reference(vars_, '%', "variable"));
    }
  }
  in_.close();
  in_.expect("=");
  in_.expect("@");
  Function* callee = parse_reference(functions_, '@', "function");
  const std::vector<Expr*> args = call_args(*callee);
  for (Expr* arg : args) settle(arg, loc);
  build_.call_assign(callee, args, results, loc);
}

void Parser::parse_if(Loc loc) {
  Expr* condition = expression(kBoolType, loc);
  in_.expect("{");
  Block* then_block = parse_block();
  build_.if_(condition, then_block, parse_orelse(), loc);
}

Block* Parser::parse_orelse() {
  if (!in_.accept_word("else")) return nullptr;
  in_.expect("{");
  return parse_block();
}

// for var %i: type in range(start, stop[, step]) { } [else { }]; without `var` for a variable declared before
void Parser::parse_for(Loc loc) {
  const bool declares_var = in_.accept_word("var");
  if (!declares_var) in_.expect("%");
  Var* var = declares_var ? parse_var_declaration(loc) : parse_reference(vars_, '%', "variable");
  in_.expect_word("in");
  in_.expect_word("range");
  in_.open();
  Expr* start = expression(var->type, loc);
  in_.expect(",");
  Expr* stop = expression(var->type, loc);
  Expr* step = in_.accept(",") ? expression(var->type, loc) : nullptr;
  in_.close();
  in_.expect("{");
  Block* body = parse_block();
  build_.for_(var, start, stop, step, body, parse_orelse(), declares_var, loc);
}

// while [do { statements before each test }] condition { } [else { }]
void Parser::parse_while(Loc loc) {
  Block* condition_pre = nullptr;
  if (in_.accept_word("do")) {
    in_.expect("{");
    condition_pre = parse_block();
  }
  Expr* condition = expression(kBoolType, loc);
  in_.expect("{");
  Block* body = parse_block();
  build_.while_(condition_pre, condition, body, parse_orelse(), loc);
}

void Parser::parse_return(Loc loc) {
  std::vector<Expr*> values;
  const auto ends = [this] {
    return in_.peek() == '\n' || in_.raw() == ';' || in_.raw() == '}' || in_.raw() == '\0';
  };
  while (!ends()) {
    if (!values.empty()) in_.expect(",");
    values.push_back(expression(result_type(*function_, values.size()), loc));
  }
  build_.return_(values, loc);
}

// "piece" value [as "spec"] "piece" ...; the pieces begin and end it.
FormatText Parser::parse_format(Loc loc) {
  std::vector<std::string_view> pieces, specs;
  std::vector<Expr*> values;
  bool any_spec = false;
  while (in_.peek() == '"') {
    pieces.push_back(module_->arena.copy(in_.quoted()));
    const char c = in_.peek();
    if (c == '\n' || c == ';' || c == '}' || c == '\0') break;
    values.push_back(expression({}, loc, /*operand=*/true));
    const bool has_spec = in_.accept_word("as");
    specs.push_back(has_spec ? module_->arena.copy(in_.quoted()) : std::string_view{});
    any_spec |= has_spec;
    if (in_.peek() != '"') in_.fail("a string expected");
  }
  return {module_->arena.copy(std::span<const std::string_view>(pieces)),
          module_->arena.copy(std::span<Expr* const>(values)),
          any_spec ? module_->arena.copy(std::span<const std::string_view>(specs))
                   : std::span<std::string_view>{}};
}

}  // namespace text
}  // namespace asc::ir
