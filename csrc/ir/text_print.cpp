// SPDX-License-Identifier: Apache-2.0
// Prints the text form of the IR (described in ir/text.h): names, modules, functions, statements.
#include "ir/text.h"
#include "ir/text_printer.h"
#include "ir/visit.h"

namespace asc::ir {

namespace text {

// ---- words ---------------------------------------------------------------------------------------

void Printer::put_quoted(std::string_view text) {
  put('"');
  for (char c : text) {
    if (c == '"' || c == '\\') {
      put('\\');
      put(c);
    } else if (c == '\n') {
      out_ += "\\n";
    } else if (c == '\t') {
      out_ += "\\t";
    } else if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) {
      put("\\x{:02x}", static_cast<unsigned>(c));
    } else {
      put(c);
    }
  }
  put('"');
}

void Printer::put_word(std::string_view name) {
  if (is_plain_name(name))
    out_ += name;
  else
    put_quoted(name);
}

void Printer::put_type(const Type& type) {
  const size_t own = static_cast<size_t>(type.id) - kStructCount;  // huge for a device struct
  if (type.kind == Kind::Struct && module_ && own < module_->structs.size()) {
    out_ += "struct<";
    put_word(module_->structs[own].name);
    put('>');
  } else {
    out_ += to_string(type);
  }
}

void Printer::put_field(const Type& object, uint16_t index) {
  put('.');
  const std::string_view name = module_ ? field_name(*module_, object, index) : std::string_view();
  if (!name.empty())
    put_word(name);
  else
    put("#{}", index);
}

void Printer::put_loc(const Loc& loc) {
  if (!loc.valid()) {
    out_ += "@none";
    return;
  }
  put('@');
  if (!function_ || loc.source != function_->source) put("s{}:", loc.source);
  put("{}:{}-", loc.line, loc.col);
  if (loc.end_line != loc.line) put("{}:", loc.end_line);
  put("{}", loc.end_col);
}

void Printer::put_name(char sigil, const void* thing, std::string_view name) {
  put(sigil);
  const auto found = names_.find(thing);
  if (found != names_.end())
    out_ += found->second;
  else
    put_word(name);
}

void Printer::line() {
  put('\n');
  out_.append(static_cast<size_t>(indent_) * 2, ' ');
}

// The first of equal names prints as it is, the others as name.1, name.2, in the order of the text.
void Printer::number_names(const Module& module) {
  std::unordered_map<std::string_view, int> constants, functions, vars;
  auto number = [this](std::unordered_map<std::string_view, int>& seen, const void* thing,
                       std::string_view name) {
    Printer word(nullptr, false);
    word.put_word(name);
    const int ordinal = seen[name]++;
    names_[thing] = ordinal == 0 ? word.take() : fmt::format("{}.{}", word.take(), ordinal);
  };
  for (const NamedConst* c : module.constants) number(constants, c, c->name);
  for (const auto& f : module.functions) {
    number(functions, f.get(), f->name);
    vars.clear();
    for (const Var* v : f->vars) number(vars, v, v->name);
    if (!f->body) continue;
    walk(static_cast<const Block*>(f->body), [&](const Stmt* s) {
      if (const ConstDecl* decl = as<ConstDecl>(s)) number(constants, decl->constant, decl->constant->name);
    });
  }
}

// ---- module --------------------------------------------------------------------------------------

void Printer::print(const Module& module) {
  number_names(module);
  put("module kernel_type={} auto_sync={}\n", to_string(module.kernel_type), module.auto_sync);
  for (uint32_t i = 0; with_locations_ && i < module.sources.size(); i++) print_source(i);
  for (const StructDesc& desc : module.structs) print_struct(desc);
  if (!module.constants.empty()) put('\n');
  for (const NamedConst* c : module.constants) {
    if (with_locations_ && c->loc.valid()) {
      put_loc(c->loc);
      put(' ');
    }
    print_named(*c);
    put('\n');
  }
  if (!module.workspace.empty()) put('\n');
  for (const WorkspaceArea& area : module.workspace) {
    if (with_locations_ && area.loc.valid()) {
      put_loc(area.loc);
      put(' ');
    }
    put("workspace {} {}\n", area.bytes, area.per_block ? "per_block" : "shared");
  }
  for (const auto& f : module.functions) print_function(*f);
}

void Printer::print_source(uint32_t index) {
  const SourceText& source = module_->sources[index];
  put("\nsource {} ", index);
  put_quoted(source.file);
  put(" line {} function ", source.first_line);
  put_quoted(source.function);
  std::string_view rest = source.text;
  while (!rest.empty()) {
    const size_t newline = rest.find('\n');
    const size_t length = newline == std::string_view::npos ? rest.size() : newline + 1;
    out_ += "\n  ";
    put_quoted(rest.substr(0, length));
    rest.remove_prefix(length);
  }
  put('\n');
}

void Printer::print_struct(const StructDesc& desc) {
  out_ += "\nstruct ";
  put_word(desc.name);
  put(' ');
  put_quoted(desc.cpp_name);
  put(" bytes {} {{\n", desc.bytes);
  for (const StructField& field : desc.fields) {
    out_ += "  ";
    put_word(field.name);
    out_ += ": ";
    put_type(field.type);
    put(" = {} at {}\n", field.default_bits, field.offset);
  }
  out_ += "}\n";
}

void Printer::print_named(const NamedConst& constant) {
  Const value;
  value.kind = ExprKind::Const;
  value.type = constant.type;
  value.loc = constant.loc;
  value.bits = constant.bits;
  value.spelling = constant.spelling;
  out_ += "const ";
  put_name('$', &constant, constant.name);
  out_ += ": ";
  put_type(constant.type);
  out_ += " = ";
  print(&value, constant.type, constant.loc);
  declared_.insert(&constant);
}

void Printer::print_function(const Function& function) {
  put('\n');
  const bool located = with_locations_ && function.loc.valid();
  if (located) {
    put_loc(function.loc);  // with its source, which is the function's too if no other is named
    put(' ');
  }
  function_ = &function;
  out_ += function.is_kernel ? "kernel " : "func ";
  put_name('@', &function, function.name);
  if (with_locations_ && function.source != (located ? function.loc.source : Loc::kNone)) {
    out_ += " source ";
    if (function.source == Loc::kNone)
      out_ += "none ";
    else
      put("{} ", function.source);
  }
  put('(');
  for (size_t i = 0; i < function.params.size(); i++) {
    if (i > 0) out_ += ", ";
    print_var(*function.params[i], function.loc);
  }
  put(')');
  print_results(function);
  if (!function.is_kernel && function.effect != effect_of(function))
    put(" effect {}", to_string(function.effect));
  out_ += " {";
  indent_++;
  if (function.is_kernel) print_args(function);
  if (!declares_in_order(function)) {
    for (const Var* v : function.vars) {
      if (v->is_param) continue;
      line();
      out_ += "local ";
      print_var(*v, function.loc);
    }
  }
  indent_--;
  print_block(function.body);
  line();
  out_ += "}\n";
  function_ = nullptr;
}

void Printer::print_results(const Function& function) {
  if (function.results.empty()) return;
  out_ += " -> (";
  for (size_t i = 0; i < function.results.size(); i++) {
    if (i > 0) out_ += ", ";
    put_type(function.results[i]);
    if (i >= function.result_names.size()) continue;
    put(' ');
    put_word(function.result_names[i]);
  }
  put(')');
}

// Arguments of the launch; left out where they only repeat the parameters.
void Printer::print_args(const Function& kernel) {
  const auto& args = module_->args;
  bool as_params = args.size() == kernel.params.size();
  for (size_t i = 0; as_params && i < args.size(); i++) {
    const Var* var = kernel.params[i];
    as_params = args[i].var == var && args[i].name == var->name && args[i].type == var->type &&
                !args[i].nonnegative && args[i].may_read && args[i].may_write && !args[i].escapes &&
                !args[i].is_workspace;
  }
  if (as_params) return;
  if (args.empty()) {
    line();
    out_ += "no_args";
  }
  for (const KernelArg& arg : args) {
    line();
    out_ += "arg ";
    put_word(arg.name);
    out_ += ": ";
    put_type(arg.type);
    if (arg.var) {
      out_ += " = ";
      put_name('%', arg.var, arg.var->name);
    }
    if (arg.nonnegative) out_ += " nonneg";
    if (!arg.may_read) out_ += " noread";
    if (!arg.may_write) out_ += " nowrite";
    if (arg.escapes) out_ += " escapes";
    if (arg.is_workspace) out_ += " workspace";
  }
}

// Does reading the declarations in the order of the text give every variable its id?
bool Printer::declares_in_order(const Function& function) const {
  size_t next = function.params.size();
  bool in_order = true;
  for (size_t i = 0; i < next && in_order; i++)
    in_order = i < function.vars.size() && function.vars[i] == function.params[i];
  if (function.body) {
    walk(static_cast<const Block*>(function.body), [&](const Stmt* s) {
      const Var* var = nullptr;
      if (const Decl* decl = as<Decl>(s)) var = decl->var;
      if (const For* loop = as<For>(s)) var = loop->declares_var ? loop->var : nullptr;
      if (!var) return;
      in_order = in_order && next < function.vars.size() && function.vars[next] == var;
      next++;
    });
  }
  return in_order && next == function.vars.size();
}

void Printer::print_var(const Var& var, const Loc& parent) {
  put_name('%', &var, var.name);
  if (with_locations_ && var.loc != parent) put_loc(var.loc);
  out_ += ": ";
  put_type(var.type);
  if (var.by_ref) out_ += " ref";
  if (var.is_result) out_ += " result";
  if (var.hoisted) out_ += " hoisted";
}

// ---- statements ----------------------------------------------------------------------------------

void Printer::print_block(const Block* block) {
  if (!block) return;
  indent_++;
  for (const Stmt* s : *block) {
    line();
    if (with_locations_ && s->loc.valid()) {
      put_loc(s->loc);
      put(' ');
    }
    print_statement(*s);
  }
  indent_--;
}

void Printer::print_statement(const Stmt& statement) {
  const Loc& loc = statement.loc;
  switch (statement.kind) {
    case StmtKind::ConstDecl: return print_named(*static_cast<const ConstDecl&>(statement).constant);
    case StmtKind::Decl: {
      const auto& s = static_cast<const Decl&>(statement);
      out_ += "var ";
      print_var(*s.var, loc);
      if (!s.init) return;
      out_ += " = ";
      return print(s.init, s.var->type, loc);
    }
    case StmtKind::Assign: {
      const auto& s = static_cast<const Assign&>(statement);
      put_name('%', s.var, s.var->name);
      out_ += " = ";
      return print(s.value, s.var->type, loc);
    }
    case StmtKind::SetField: {
      const auto& s = static_cast<const SetField&>(statement);
      print_object(s.object, loc);
      put_field(s.object->type, s.index);
      out_ += " = ";
      return print(s.value, field_type(*module_, s.object->type, s.index), loc);
    }
    case StmtKind::Eval: return print(static_cast<const Eval&>(statement).value, {}, loc);
    case StmtKind::CallAssign: return print_call_assign(static_cast<const CallAssign&>(statement));
    case StmtKind::If: {
      const auto& s = static_cast<const If&>(statement);
      out_ += "if ";
      print(s.condition, kBoolType, loc);
      out_ += " {";
      print_block(s.then_block);
      return print_orelse(s.else_block);
    }
    case StmtKind::For: return print_for(static_cast<const For&>(statement));
    case StmtKind::While: return print_while(static_cast<const While&>(statement));
    case StmtKind::Break: out_ += "break"; return;
    case StmtKind::Continue: out_ += "continue"; return;
    case StmtKind::Return: {
      const auto& s = static_cast<const Return&>(statement);
      out_ += "return";
      for (size_t i = 0; i < s.values.size(); i++) {
        out_ += i > 0 ? ", " : " ";
        print(s.values[i], result_type(*function_, i), loc);
      }
      return;
    }
    case StmtKind::Assert: {
      const auto& s = static_cast<const Assert&>(statement);
      out_ += "assert ";
      print(s.condition, kBoolType, loc);
      if (s.message.pieces.empty()) return;
      put(',');
      return print_format(s.message, loc);
    }
    case StmtKind::Print:
      out_ += "print";
      return print_format(static_cast<const Print&>(statement).text, loc);
  }
}

// call (%a, _) = @helper(args)
void Printer::print_call_assign(const CallAssign& s) {
  out_ += "call (";
  for (size_t i = 0; i < s.results.size(); i++) {
    if (i > 0) out_ += ", ";
    if (s.results[i])
      put_name('%', s.results[i], s.results[i]->name);
    else
      put('_');
  }
  out_ += ") = ";
  print_call(s.callee, s.args, s.loc);
}

// Closes the block before it, and prints an else block if there is one.
void Printer::print_orelse(const Block* orelse) {
  line();
  put('}');
  if (!orelse) return;
  out_ += " else {";
  print_block(orelse);
  line();
  put('}');
}

void Printer::print_for(const For& s) {
  out_ += "for ";
  if (s.declares_var) {
    out_ += "var ";
    print_var(*s.var, s.loc);
  } else {
    put_name('%', s.var, s.var->name);
  }
  out_ += " in range(";
  print(s.start, s.var->type, s.loc);
  out_ += ", ";
  print(s.stop, s.var->type, s.loc);
  if (s.step) {
    out_ += ", ";
    print(s.step, s.var->type, s.loc);
  }
  out_ += ") {";
  print_block(s.body);
  print_orelse(s.orelse);
}

void Printer::print_while(const While& s) {
  out_ += "while ";
  if (s.condition_pre) {
    out_ += "do {";
    print_block(s.condition_pre);
    line();
    out_ += "} ";
  }
  print(s.condition, kBoolType, s.loc);
  out_ += " {";
  print_block(s.body);
  print_orelse(s.orelse);
}

void Printer::print_format(const FormatText& text, const Loc& loc) {
  for (size_t i = 0; i < text.pieces.size(); i++) {
    put(' ');
    put_quoted(text.pieces[i]);
    if (i >= text.values.size()) continue;
    put(' ');
    print(text.values[i], {}, loc, true);
    if (text.spec(i).empty()) continue;
    out_ += " as ";
    put_quoted(text.spec(i));
  }
}

}  // namespace text

std::string print_module(const Module& module, bool with_locations) {
  text::Printer printer(&module, with_locations);
  printer.print(module);
  return printer.take();
}

std::string print_expr(const Expr& expr) {
  text::Printer printer(nullptr, false);
  printer.print(&expr, {}, expr.loc);
  return printer.take();
}

}  // namespace asc::ir
