// SPDX-License-Identifier: Apache-2.0
// Module and functions: the frame of the printed program, names of globals, parameters and results, and the
// edits that put the text together.
#include "emit/ascendc.h"

#include <algorithm>

#include "emit/printer.h"
#include "ir/visit.h"
#include "ops/matmul_type.h"

namespace asc::emit {

using ir::as;

std::string print_ascendc(const ir::Module& module, const Options& options) {
  return Printer(module, options).print();
}

std::string Printer::print() {
  out_.reserve(4096);
  constant_used_.assign(module_.next_constant, 0);
  name_globals();
  find_queue_spellings();
  size_t kernel_start = 0;
  for (const auto& f : module_.functions) {
    if (f->is_kernel) kernel_start = out_.size();
    function(*f);
  }
  const size_t end = out_.size();
  module_constants();
  struct_definitions();
  return assemble(kernel_start, end);
}

void Printer::name_globals() {
  function_names_.resize(module_.functions.size());
  // The kernel first: its symbol is what a launch looks for.
  for (size_t i = module_.functions.size(); i-- > 0;) {
    const ir::Function& f = *module_.functions[i];
    if (f.is_kernel) function_names_[f.id] = globals_.add(pool_, legal_name(pool_, f.name, true));
  }
  for (const auto& f : module_.functions)
    if (!f->is_kernel) function_names_[f->id] = globals_.add(pool_, legal_name(pool_, f->name, true));

  name_structs();
  constant_names_.resize(module_.next_constant);
  for (size_t i = 0; i < module_.constants.size(); i++) {
    const ir::NamedConst& c = *module_.constants[i];
    if (is_declared_elsewhere(c)) constant_names_[c.id] = c.name;
    for (size_t j = 0; j < i && constant_names_[c.id].empty(); j++) {
      const ir::NamedConst& other = *module_.constants[j];
      if (other.name == c.name && other.type == c.type && other.bits == c.bits)
        constant_names_[c.id] = constant_names_[other.id];
    }
    if (constant_names_[c.id].empty()) constant_names_[c.id] = globals_.add(pool_, legal_name(pool_, c.name));
  }
}

// A queue's type in a helper's parameter list shows the depth as its construction spells it.
void Printer::find_queue_spellings() {
  bool wanted = false;
  for (const auto& f : module_.functions)
    for (const ir::Var* p : f->params) wanted |= !f->is_kernel && p->type.kind == Kind::TQue;
  if (!wanted) return;
  for (const auto& f : module_.functions) {
    ir::walk(static_cast<const ir::Block*>(f->body), [&](const ir::Stmt* s) {
      const ir::Decl* decl = as<ir::Decl>(s);
      const ir::OpCall* init = decl ? as<ir::OpCall>(decl->init) : nullptr;
      if (!init || decl->var->type.kind != Kind::TQue || init->args.size() < 2) return;
      const ir::Const* depth = as<ir::Const>(init->args[1]);
      if (depth && !(depth->named && !depth->named->scope)) depth = nullptr;
      for (QueueSpelling& known : queue_spellings_)
        if (known.type == decl->var->type) {
          const ir::Const* other = as<ir::Const>(known.depth);
          if (!depth || !other || other->named != depth->named) known.depth = nullptr;
          return;
        }
      queue_spellings_.push_back({decl->var->type, depth});
    });
  }
}

// ---- the text as a whole
// -----------------------------------------------------------------------------------------

void Printer::apply_edits(std::string& to, size_t begin, size_t end) const {
  for (const Edit& edit : edits_) {
    if (edit.at < begin || edit.at >= end) continue;
    to.append(out_, begin, edit.at - begin);
    to += edit.insert;
    begin = edit.at + edit.length;
  }
  to.append(out_, begin, end - begin);
}

std::string Printer::assemble(size_t kernel_start, size_t end) const {
  std::string text;
  text.reserve(out_.size() + 1024);
  const std::string_view matmul = matmul_includes();
  // It changes what the header of Matmul makes of its macros.
  const bool alone =
      module_.kernel_type == ir::KernelType::AIC_ONLY || module_.kernel_type == ir::KernelType::MIX_AIC_1_0;
  if (!matmul.empty() && alone) text += "#define ASCENDC_CUBE_ONLY\n";
  text += "#include \"kernel_operator.h\"\n";
  text += matmul;
  text += '\n';
  text.append(out_, struct_text_.first, struct_text_.second);
  if (!constant_lines_.empty()) {
    for (size_t i = constant_lines_.size(); i-- > 0;)
      text.append(out_, constant_lines_[i].first, constant_lines_[i].second);
    text += '\n';
  }
  const bool any_helper = std::find(helpers_.begin(), helpers_.end(), true) != helpers_.end();
  if (any_helper || kernel_start > 0) {
    text += "namespace {\n\n";
    for (size_t i = 0; i < helpers_.size(); i++) {
      if (!helpers_[i]) continue;
      text += helper_text(static_cast<Helper>(i));
      text += '\n';
    }
    apply_edits(text, 0, kernel_start);
    text += "}  // namespace\n\n";
  }
  apply_edits(text, kernel_start, end);
  text.pop_back();  // the blank line behind the last function
  return text;
}

// Printed behind the functions, when it is known which are used, and from the last to the first: a constant's
// own text may name those before it. `assemble` puts the lines in order.
void Printer::module_constants() {
  fn_ = nullptr;
  locals_.clear();
  visible_.clear();
  depth_ = 0;
  std::vector<std::string_view> done;
  for (size_t i = module_.constants.size(); i-- > 0;) {
    const ir::NamedConst& c = *module_.constants[i];
    const std::string_view name = constant_names_[c.id];
    if (!constant_used_[c.id] || is_declared_elsewhere(c) ||
        std::find(done.begin(), done.end(), name) != done.end())
      continue;
    done.push_back(name);
    constants_in_scope_ = i;
    const size_t begin = out_.size();
    constant_line(c, name);
    put('\n');
    constant_lines_.emplace_back(begin, out_.size() - begin);
  }
}

// ---- functions
// ---------------------------------------------------------------------------------------------------

void Printer::reset_function(const ir::Function& f) {
  fn_ = &f;
  depth_ = 0;
  var_names_.assign(f.vars.size(), {});
  locals_.clear();
  pinned_.clear();
  visible_.clear();
  printed_.clear();
  result_vars_.clear();
  result_names_.clear();
  loops_.clear();
  in_place_.clear();
  core_flags_[0] = core_flags_[1] = {};
  last_returns_.clear();
  find_last_returns(f.body, false);
}

void Printer::find_last_returns(const ir::Block* b, bool is_branch) {
  if (!b || b->empty()) return;
  if (const auto* branch = as<ir::If>(b->back())) {
    find_last_returns(branch->then_block, true);
    find_last_returns(branch->else_block, true);
  } else if (b->back()->kind == ir::StmtKind::Return) {
    last_returns_.push_back({b->back(), is_branch && b->size() == 1});
  }
}

void Printer::function(const ir::Function& f) {
  reset_function(f);
  const size_t first_edit = edits_.size();
  constants_in_scope_ = module_.constants.size();
  signature(f);
  copy_struct_arguments();
  body_start_ = out_.size();
  depth_ = 1;
  statements(f.body);
  put("}\n\n");
  drop_unused_constants();
  for (int aic = 0; aic < 2; aic++) {
    if (core_flags_[aic].empty()) continue;
    std::string text = "  bool ";
    text.append(core_flags_[aic]).append(" = false;\n  if ");
    text.append(aic ? "ASCEND_IS_AIC" : "ASCEND_IS_AIV").append(" {\n    ");
    text.append(core_flags_[aic]).append(" = true;\n  }\n");
    edits_.push_back({body_start_, 0, pool_.keep(text)});
  }
  std::stable_sort(
      edits_.begin() + static_cast<std::ptrdiff_t>(first_edit), edits_.end(),
      [](const Edit& a, const Edit& b) { return a.at != b.at ? a.at < b.at : a.length < b.length; });
}

void Printer::signature(const ir::Function& f) {
  if (f.is_kernel) {
    put("extern \"C\" __global__ __aicore__ void ");
  } else {
    put("__aicore__ inline ");
    type_name(f.results.size() == 1 ? f.results[0] : Type{});
    put(' ');
  }
  put(function_names_[f.id]);
  put('(');
  bool first = true;
  for (const ir::Var* p : f.params) {
    if (!first) put(", ");
    first = false;
    declare(*p);
    parameter(*p);
  }
  if (f.results.size() > 1) {
    choose_results(f);
    for (size_t i = 0; i < f.results.size(); i++) {
      if (!first) put(", ");
      first = false;
      type_name(f.results[i]);
      put("& ");
      put(result_names_[i]);
    }
  }
  put(") {\n");
}

void Printer::parameter(const ir::Var& v) {
  if (fn_->is_kernel && v.type.kind == Kind::Struct) return struct_parameter(v);
  const bool tiling = v.type == Type::of_struct(static_cast<uint16_t>(StructId::TCubeTiling));
  if (v.type.kind == Kind::Struct && (v.type.id >= kStructCount || tiling) && !may_change(*fn_, v))
    put("const ");
  type_name(v.type);
  put(v.by_ref || v.type.is_object() ? "& " : " ");
  put(name_of(v));
}

// A result is carried out by the variable itself where every return gives the same one; else by a parameter
// that the returns assign.
void Printer::choose_results(const ir::Function& f) {
  const size_t count = f.results.size();
  result_vars_.assign(count, nullptr);
  std::vector<uint8_t> mixed(count, 0);
  ir::walk(static_cast<const ir::Block*>(f.body), [&](const ir::Stmt* s) {
    const ir::Return* r = as<ir::Return>(s);
    if (!r) return;
    for (size_t i = 0; i < count; i++) {
      const ir::VarRef* ref = i < r->values.size() ? as<ir::VarRef>(r->values[i]) : nullptr;
      const ir::Var* var = ref ? ref->var : nullptr;
      if (var && (var->is_param || var->type != f.results[i] || var->type.is_object())) var = nullptr;
      if (!var || (result_vars_[i] && result_vars_[i] != var)) mixed[i] = 1;
      result_vars_[i] = var;
    }
  });
  for (size_t i = 0; i < count; i++)
    for (size_t j = 0; j < count; j++)
      if (mixed[i] || (i != j && result_vars_[i] == result_vars_[j])) mixed[i] = 1;
  result_names_.resize(count);
  for (size_t i = 0; i < count; i++) {
    if (mixed[i]) result_vars_[i] = nullptr;
    if (result_vars_[i]) {
      result_names_[i] = declare(*result_vars_[i]);
    } else {
      const std::string_view wanted = i < f.result_names.size() ? f.result_names[i] : std::string_view{};
      result_names_[i] = fresh(wanted.empty() ? "result" : wanted);
    }
  }
}

// From the last one up, since a constant's text may be the only use of one before it.
void Printer::drop_unused_constants() {
  for (size_t i = printed_.size(); i-- > 0;) {
    const PrintedConst& c = printed_[i];
    if (!c.used) {
      edits_.push_back({c.begin, c.end - c.begin});
      continue;
    }
    for (const ir::NamedConst* use : c.uses) {
      if (!use->scope) {
        constant_used_[use->id] = 1;
        continue;
      }
      for (size_t j = 0; j < i; j++)
        if (printed_[j].constant == use) printed_[j].used = true;
    }
  }
}

// ---- types, names
// ------------------------------------------------------------------------------------------------

void Printer::type_name(const Type& type) {
  switch (type.kind) {
    case Kind::Scalar: return put(cpp_name(type.elem));
    case Kind::Pointer:
      put("__gm__ ");
      put(cpp_name(type.elem));
      return put('*');
    case Kind::Enum: {
      const std::string_view name = enum_desc(static_cast<EnumId>(type.id)).cpp_type;
      return put(name.empty() ? "pipe_t" : name);
    }
    case Kind::Struct:
      put(type.id < kStructCount ? struct_info(static_cast<StructId>(type.id)).cpp_type
                                 : struct_names_[type.id - kStructCount].type);
      if (type.elem == DType::Void) return;
      put('<');
      put(cpp_name(type.elem));
      return put('>');
    default: break;
  }
  if (type.kind == Kind::Matmul) return matmul_name(type);
  put(kKinds[static_cast<int>(type.kind)].cpp_class);
  if (type.kind == Kind::TQue || type.kind == Kind::TBuf) {
    put('<');
    enum_value(static_cast<uint16_t>(EnumId::TPosition), type.position);
    if (type.kind == Kind::TQue) {
      put(", ");
      const ir::Expr* depth = nullptr;
      for (const QueueSpelling& known : queue_spellings_)
        if (known.type == type) depth = known.depth;
      if (depth) {
        expr(depth, kAdditive);
      } else {
        number(type.id);
      }
    }
    put('>');
  } else if (type.elem != DType::Void) {
    put('<');
    put(cpp_name(type.elem));
    put('>');
  }
}

// Of the bias Ascend C takes the type of C if it is not said.
void Printer::matmul_name(const Type& type) {
  put(kKinds[static_cast<int>(type.kind)].cpp_class);
  for (int side = 0; side < kMatmulMatrices; side++) {
    const MatmulMatrix m = matmul_matrix(type, side);
    if (m.dtype == DType::Void) continue;
    put(side == 0 ? "<AscendC::MatmulType<" : ", AscendC::MatmulType<");
    enum_value(static_cast<uint16_t>(EnumId::TPosition), m.position);
    put(", ");
    enum_value(static_cast<uint16_t>(EnumId::CubeFormat), m.format);
    put(", ");
    put(cpp_name(m.dtype));
    if (m.is_trans) put(", true");
    put('>');
  }
  put('>');
}

// The header of the Matmul object and of its tiling, where one of them has a variable.
std::string_view Printer::matmul_includes() const {
  for (const auto& f : module_.functions)
    for (const ir::Var* v : f->vars)
      if (v->type.kind == Kind::Matmul ||
          v->type == Type::of_struct(static_cast<uint16_t>(StructId::TCubeTiling)))
        return "#include \"lib/matmul_intf.h\"\n";
  return {};
}

std::string_view Printer::field_name(const Type& type, uint16_t index) const {
  if (type.id < kStructCount) return struct_info(static_cast<StructId>(type.id)).fields[index].cpp_name;
  return struct_names_[type.id - kStructCount].fields[index];
}

std::string_view Printer::declare(const ir::Var& v) {
  return var_names_[v.id] = local_name(legal_name(pool_, v.name));
}

// Functions and structs stay visible where a local name is; a constant that one hides prints as its number.
std::string_view Printer::local_name(std::string_view wanted) {
  while (globals_.has(wanted) &&
         (is_struct_name(wanted) ||
          std::find(function_names_.begin(), function_names_.end(), wanted) != function_names_.end()))
    wanted = with_suffix(pool_, wanted, wanted.ends_with('_') ? "2" : "_");
  return locals_.add(pool_, wanted, &pinned_);
}

std::string_view Printer::fresh(std::string_view name, std::string_view suffix) {
  return local_name(suffix.empty() ? legal_name(pool_, name) : with_suffix(pool_, name, suffix));
}

std::string_view Printer::name_of(const ir::Var& v) const {
  if (var_names_[v.id].empty()) ASC_BUG("a variable is used before its declaration is printed");
  return var_names_[v.id];
}

// The comment shows each Python line once, at the first line it became.
void Printer::end_line(Loc loc) {
  if (options_.comments && loc.valid() && loc.source < module_.sources.size()) {
    const uint64_t key = uint64_t{loc.source} << 32 | loc.line;
    std::string_view text = module_.sources[loc.source].line(loc.line);
    while (!text.empty() &&
           (text.back() == '\\' || text.back() == ' ' || text.back() == '\r' || text.back() == '\n'))
      text.remove_suffix(1);
    while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
    if (key != commented_line_ && !text.empty()) {
      put("  // ");
      put(text);
    }
    commented_line_ = key;
  }
  put('\n');
}

}  // namespace asc::emit
