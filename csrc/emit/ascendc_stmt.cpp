// SPDX-License-Identifier: Apache-2.0
// Statements, each the one C++ statement that a person would have written for the Python one. Loops are in
// ascendc_loops.cpp.
#include <algorithm>
#include <cstring>

#include "emit/printer.h"
#include "ir/visit.h"

namespace asc::emit {

using ir::as;

namespace {

// The core predicate that an expression is, with `not` taken in: a core is AIC or AIV.
bool is_core_predicate(const ir::Expr* e, bool* aic) {
  if (const auto* p = as<ir::CorePredicate>(e)) {
    *aic = p->aic;
    return true;
  }
  const auto* u = as<ir::Unary>(e);
  if (!u || u->op != ir::UnaryOp::Not || !is_core_predicate(u->operand, aic)) return false;
  *aic = !*aic;
  return true;
}

void flatten_and(const ir::Expr* e, std::vector<const ir::Expr*>& terms) {
  const auto* l = as<ir::Logical>(e);
  if (!l || l->op != ir::LogicalOp::And) {
    terms.push_back(e);
    return;
  }
  flatten_and(l->left, terms);
  flatten_and(l->right, terms);
}

bool has_core_term(const std::vector<const ir::Expr*>& terms) {
  bool aic = false;
  return std::any_of(terms.begin(), terms.end(),
                     [&](const ir::Expr* e) { return is_core_predicate(e, &aic); });
}

std::string_view core_condition(bool aic) { return aic ? "ASCEND_IS_AIC" : "ASCEND_IS_AIV"; }

bool is_empty(const ir::Block* b) { return !b || b->empty(); }

}  // namespace

void Printer::block(const ir::Block* b) {
  const size_t names = locals_.mark();
  const size_t constants = visible_.size();
  depth_++;
  if (b) statements(b);
  depth_--;
  locals_.release(names);
  visible_.resize(constants);
}

void Printer::statements(const ir::Block* b) {
  for (size_t i = 0; i < b->size(); i++) {
    if (const ir::Decl* built = built_in_place(*b, i)) {
      in_place_.push_back(built);
      continue;
    }
    const auto* made = as<ir::Decl>((*b)[i]);
    const size_t first = made && !made->init ? i + 1 : i;
    if (const ir::Field* from = copied_struct(*b, first)) {
      const ir::SetField& set = *as<ir::SetField>((*b)[first]);
      if (made && as<ir::VarRef>(set.object) && as<ir::VarRef>(set.object)->var == made->var) {
        indent();
        type_name(made->var->type);
        put(' ');
        put(declare(*made->var));
      } else {
        if (first != i) statement((*b)[i]);
        indent();
        expr(set.object, kPostfix);
      }
      put(" = ");
      expr(from->object);
      put(';');
      end_line(set.loc);
      i = first + ir::field_count(module_, set.object->type) - 1;
      continue;
    }
    statement((*b)[i]);
  }
}

static bool same_place(const ir::Expr* a, const ir::Expr* b);

// Statements from `i` on that set each field of a struct of the user's from the same field of one other:
// create_local(). The first of the fields they read, or null.
const ir::Field* Printer::copied_struct(const ir::Block& b, size_t i) const {
  const ir::Field* first = nullptr;
  size_t count = 0;
  for (size_t k = 0; k == 0 || k < count; k++) {
    const auto* set = i + k < b.size() ? as<ir::SetField>(b[i + k]) : nullptr;
    const auto* from = set ? as<ir::Field>(static_cast<const ir::Expr*>(set->value)) : nullptr;
    if (!from || set->index != k || from->index != k || from->object->type != set->object->type)
      return nullptr;
    if (k == 0) {
      if (from->object->type.id < kStructCount) return nullptr;
      count = ir::field_count(module_, set->object->type);
      first = from;
    } else if (!same_place(from->object, first->object) ||
               !same_place(set->object, as<ir::SetField>(b[i])->object)) {
      return nullptr;
    }
  }
  return first;
}

// A parameter struct that the user built inside a call, `load_data(a, b, LoadData2DParams(...))`, has a
// variable in the IR; it is printed where it was written. Only if the next statement is that call and nothing
// else reads it.
const ir::Decl* Printer::built_in_place(const ir::Block& b, size_t i) const {
  const auto* decl = as<ir::Decl>(b[i]);
  if (!decl || !decl->var->hoisted || decl->var->type.kind != Kind::Struct || i + 1 == b.size())
    return nullptr;
  const auto* init = as<ir::OpCall>(decl->init);
  size_t behind = i + 1;  // another struct of the same call may come between
  for (const ir::Decl* other; behind + 1 < b.size() && (other = as<ir::Decl>(b[behind])) != nullptr; behind++)
    if (!other->var->hoisted || other->var->type.kind != Kind::Struct) break;
  const auto* next = as<ir::Eval>(b[behind]);
  const auto* call = next ? as<ir::OpCall>(next->value) : nullptr;
  if (!init || init->desc().family != Family::Construct || !call) return nullptr;
  size_t direct = 0, uses = 0;
  for (size_t k = 0; k < call->args.size(); k++) {
    const auto* ref = as<ir::VarRef>(call->args[k]);
    if (ref && ref->var == decl->var && call->proto().params[k].dir == Dir::In) direct++;
  }
  const auto count = [&](const ir::Expr* e) {
    ir::walk_expr(e, [&](const ir::Expr* x) {
      const auto* ref = as<ir::VarRef>(x);
      uses += ref && ref->var == decl->var;
    });
  };
  for (size_t k = i + 1; k < b.size(); k++) {
    ir::for_each_expr(b[k], count);
    ir::for_each_block(b[k], [&](const ir::Block* inner) {
      ir::walk(inner, [&](const ir::Stmt* s) { ir::for_each_expr(s, count); });
    });
  }
  return direct == 1 && uses == 1 ? decl : nullptr;
}

void Printer::statement(const ir::Stmt* s) {
  using Kind = ir::StmtKind;
  switch (s->kind) {
    case Kind::ConstDecl: return const_decl(*as<ir::ConstDecl>(s));
    case Kind::Decl: return declaration(*as<ir::Decl>(s));
    case Kind::Assign: {
      const auto& a = *as<ir::Assign>(s);
      ir::VarRef place;
      place.kind = ir::ExprKind::Var;
      place.type = a.var->type;
      place.var = a.var;
      return assign(name_of(*a.var), a.var->type, a.value, s->loc, &place);
    }
    case Kind::SetField: {
      const auto& f = *as<ir::SetField>(s);
      indent();
      expr(f.object, kPostfix);
      put('.');
      put(field_name(f.object->type, f.index));
      ir::Field place;
      place.kind = ir::ExprKind::Field;
      place.type = ir::field_type(module_, f.object->type, f.index);
      place.object = f.object;
      place.index = f.index;
      assigned(place.type, f.value, &place);
      put(';');
      return end_line(s->loc);
    }
    case Kind::Eval: return eval(*as<ir::Eval>(s));
    case Kind::CallAssign: return call_assign(*as<ir::CallAssign>(s));
    case Kind::If: return if_(*as<ir::If>(s), false);
    case Kind::For: return for_(*as<ir::For>(s));
    case Kind::While: return while_(*as<ir::While>(s));
    case Kind::Break:
      if (!loops_.empty() && !loops_.back().flag.empty()) {
        indent();
        put(loops_.back().flag);
        put(" = true;");
        end_line(s->loc);
      }
      indent();
      put("break;");
      return end_line(s->loc);
    case Kind::Continue:
      indent();
      put("continue;");
      return end_line(s->loc);
    case Kind::Return: return return_(*as<ir::Return>(s));
    case Kind::Assert: return assert_(*as<ir::Assert>(s));
    case Kind::Print: return print_(*as<ir::Print>(s));
  }
}

// ---- constants and variables
// -------------------------------------------------------------------------------------

void Printer::constant_line(const ir::NamedConst& c, std::string_view name) {
  put("constexpr ");
  type_name(c.type);
  put(' ');
  put(name);
  put(" = ");
  ir::Const value;
  value.kind = ir::ExprKind::Const;
  value.type = c.type;
  value.bits = c.bits;
  value.spelling = c.spelling;
  const auto* same = as<ir::Const>(c.spelling);
  if (same && same->named) {
    value.named = same->named;
    value.spelling = nullptr;
  }
  if (c.type.is_scalar()) {
    converted(&value, c.type.elem);
  } else {
    expr(&value);
  }
  put(';');
}

void Printer::const_decl(const ir::ConstDecl& s) {
  const ir::NamedConst& c = *s.constant;
  const auto* same = as<ir::Const>(c.spelling);
  const ir::NamedConst* global = same ? same->named : nullptr;
  if (global && !global->scope && global->name == c.name && global->type == c.type &&
      global->bits == c.bits) {
    const std::string_view name = visible_name(*global);
    if (!name.empty()) {  // the global of that name is already there
      visible_.push_back({&c, name, -1, global});
      return;
    }
  }
  const size_t begin = out_.size();
  const_in_print_ = static_cast<int>(printed_.size());
  printed_.push_back({&c, begin, begin, {}, false});
  const std::string_view name = local_name(legal_name(pool_, c.name));
  indent();
  constant_line(c, name);
  end_line(s.loc.line == fn_->loc.line ? Loc{} : s.loc);  // a parameter's has no line of its own
  printed_.back().end = out_.size();
  visible_.push_back({&c, name, const_in_print_, nullptr});
  const_in_print_ = -1;
}

void Printer::declaration(const ir::Decl& s) {
  const ir::Var& v = *s.var;
  if (std::find(result_vars_.begin(), result_vars_.end(), &v) != result_vars_.end()) {
    if (s.init) assign(name_of(v), v.type, s.init, s.loc);  // it is a parameter: declared already
    return;
  }
  const auto* call = as<ir::OpCall>(s.init);
  if (call && call->desc().family == Family::Construct) return construct(s, *call);
  bool aic = false;
  if (is_core_predicate(s.init, &aic)) {
    indent();
    put("bool ");
    put(declare(v));
    put(';');
    end_line(s.loc);
    return assign(name_of(v), v.type, s.init, s.loc);
  }
  indent();
  type_name(v.type);
  put(' ');
  if (!s.init) {
    put(declare(v));
    // The toolkit gives fields of a tiling no defaults.
    if (v.type == Type::of_struct(static_cast<uint16_t>(StructId::TCubeTiling))) put("{}");
  } else {
    // The initialiser may name an earlier variable of the same Python name: it is printed before the new one
    // is declared.
    const size_t at = out_.size();
    if (v.type.is_scalar()) {
      converted(s.init, v.type.elem);
    } else {
      tensor(s.init);
    }
    insert_name(at, declare(v));
  }
  put(';');
  end_line(s.loc);
}

// An object's declaration: template arguments and constructor arguments as they were written.
void Printer::construct(const ir::Decl& s, const ir::OpCall& call) {
  const ir::Var& v = *s.var;
  const std::string_view name = declare(v);
  indent();
  constructed_type(call, v.type);
  put(' ');
  put(name);
  if (has_constructor_arguments(call)) {
    put('(');
    arguments(call);
    put(')');
  }
  put(';');
  end_line(s.loc);
}

// "name = " in front of an initialiser that is printed already.
void Printer::insert_name(size_t at, std::string_view name) {
  out_.insert(at, " = ");
  out_.insert(at, name);
}

void Printer::assign(std::string_view name, const Type& type, const ir::Expr* value, Loc loc,
                     const ir::Expr* place) {
  bool aic = false;
  indent();
  if (is_core_predicate(value, &aic)) {
    put("if ");
    put(core_condition(aic));
    put(" {\n");
    for (int arm = 0; arm < 2; arm++) {
      indent();
      put("  ");
      put(name);
      put(arm == 0 ? " = true;\n" : " = false;\n");
      indent();
      put(arm == 0 ? "} else {\n" : "}");
    }
    return end_line(loc);
  }
  put(name);
  assigned(type, value, place);
  put(';');
  end_line(loc);
}

static bool same_place(const ir::Expr* a, const ir::Expr* b) {
  const auto *x = as<ir::VarRef>(a), *y = as<ir::VarRef>(b);
  if (x && y) return x->var == y->var;
  const auto *f = as<ir::Field>(a), *g = as<ir::Field>(b);
  return f && g && f->index == g->index && same_place(f->object, g->object);
}

// " = value", or " += rest" where that is the same: `place` is what is assigned, if it has a value already.
void Printer::assigned(const Type& type, const ir::Expr* value, const ir::Expr* place) {
  const auto* b = place && type.is_scalar() ? as<ir::Binary>(value) : nullptr;
  const std::string_view sign = b ? compound_sign(*b) : "";
  if (!sign.empty() && b->type == type && b->left->type == type && same_place(b->left, place)) {
    const BinaryPlan p = plan(*b);
    if (p.left == b->left && !p.exact_left && !(p.wrap && type.elem == DType::BF16)) {
      put(sign);
      return operand(p.right, type.elem, p.exact_right, kAny);
    }
  }
  put(" = ");
  if (type.is_scalar()) {
    converted(value, type.elem);
  } else {
    tensor(value);
  }
}

// ---- calls
// -------------------------------------------------------------------------------------------------------

void Printer::eval(const ir::Eval& s) {
  // A non-const reference of Ascend C binds to a variable only: a view gets a name first.
  std::string_view named;
  size_t which = 0;
  const auto* call = as<ir::OpCall>(s.value);
  const bool is_handle =
      call && (call->desc().family == Family::Queue || call->desc().family == Family::Buffer);
  for (size_t i = 0; is_handle && i < call->args.size(); i++) {
    const ir::Expr* arg = call->args[i];
    if (!arg || call->proto().params[i].dir != Dir::InOut || as<ir::VarRef>(arg)) continue;
    indent();
    type_name(arg->type);
    put(' ');
    const size_t at = out_.size();
    expr(arg);
    named = fresh(call->proto().params[i].name);
    which = i;
    insert_name(at, named);
    put(";\n");
  }
  indent();
  if (!named.empty()) {
    expr(call->self, kPostfix);
    put('.');
    put(call->desc().name);
    put('(');
    for (size_t i = 0; i < call->args.size(); i++) {
      if (i > 0) put(", ");
      if (i == which) {
        put(named);
      } else {
        argument(*call, static_cast<int>(i));
      }
    }
    put(')');
  } else {
    expr(s.value);
  }
  put(';');
  end_line(s.loc);
}

// Is the variable lent to the callee, which would see its result already while it still reads what it was
// given?
static bool is_lent(const ir::CallAssign& s, const ir::Var* var) {
  for (size_t i = 0; i < s.args.size(); i++) {
    const auto* ref = as<ir::VarRef>(s.args[i]);
    if (ref && ref->var == var && s.callee->params[i]->by_ref) return true;
  }
  return false;
}

void Printer::call_assign(const ir::CallAssign& s) {
  std::array<std::string_view, 16> few;
  std::vector<std::string_view> many;
  std::span<std::string_view> names(few.data(), s.results.size());
  if (s.results.size() > few.size()) {
    many.resize(s.results.size());
    names = many;
  }
  const auto goes_there = [&](size_t i) { return s.results[i] && !is_lent(s, s.results[i]); };
  for (size_t i = 0; i < names.size(); i++) {
    if (goes_there(i)) {
      names[i] = name_of(*s.results[i]);
      continue;
    }
    const auto& wanted = s.callee->result_names;
    indent();
    type_name(s.callee->results[i]);
    put(' ');
    names[i] = fresh(i < wanted.size() && !wanted[i].empty() ? wanted[i] : "unused");
    put(names[i]);
    put(";\n");
  }
  indent();
  call(*s.callee, s.args, names);
  put(';');
  end_line(s.loc);
  for (size_t i = 0; i < names.size(); i++) {
    if (!s.results[i] || goes_there(i)) continue;
    indent();
    put(name_of(*s.results[i]));
    put(" = ");
    put(names[i]);
    put(";\n");
  }
}

// ---- branches
// ----------------------------------------------------------------------------------------------------

void Printer::if_(const ir::If& s, bool chained) {
  bool aic = false;
  if (!chained) indent();
  if (is_core_predicate(s.condition, &aic)) {
    put("if ");
    put(core_condition(aic));
    put(" {");
  } else {
    if (is_empty(s.else_block) && !chained) {
      std::vector<const ir::Expr*> terms;
      if (as<ir::Logical>(s.condition)) flatten_and(s.condition, terms);
      if (has_core_term(terms)) return nested_ifs(s, terms);
    }
    put("if (");
    condition(s.condition);
    put(") {");
  }
  end_line(s.loc);
  block(s.then_block);
  indent();
  put('}');
  if (is_empty(s.else_block)) {
    put('\n');
    return;
  }
  if (s.else_block->size() == 1) {
    const auto* next = as<ir::If>(s.else_block->front());
    std::vector<const ir::Expr*> terms;
    if (next && as<ir::Logical>(next->condition)) flatten_and(next->condition, terms);
    if (next && !has_core_term(terms)) {
      put(" else ");
      return if_(*next, true);
    }
  }
  put(" else {\n");
  block(s.else_block);
  indent();
  put("}\n");
}

// `a and core and b`: on the device the core predicate stands alone in its `if`.
void Printer::nested_ifs(const ir::If& s, std::span<const ir::Expr* const> terms) {
  int levels = 0;
  for (size_t i = 0; i < terms.size(); levels++) {
    bool aic = false;
    if (levels > 0) indent();
    put("if ");
    if (is_core_predicate(terms[i], &aic)) {
      put(core_condition(aic));
      i++;
    } else {
      put('(');
      for (bool first = true; i < terms.size() && !is_core_predicate(terms[i], &aic); i++, first = false) {
        if (!first) put(" && ");
        expr(terms[i], terms.size() > 1 ? kAnd + 1 : kAny);
      }
      put(')');
    }
    put(" {");
    end_line(s.loc);
    depth_++;
  }
  depth_--;
  block(s.then_block);
  for (; levels > 0; levels--, depth_--) {
    indent();
    put("}\n");
  }
  depth_++;
}

void Printer::return_(const ir::Return& s) {
  if (fn_->results.size() == 1 && s.values.size() == 1) {
    const ir::Expr* value = s.values[0];
    bool aic = false;
    indent();
    if (is_core_predicate(value, &aic)) {
      put("if ");
      put(core_condition(aic));
      put(" {\n");
      indent();
      put("  return true;\n");
      indent();
      put("} else {\n");
      indent();
      put("  return false;\n");
      indent();
      put('}');
      return end_line(s.loc);
    }
    put("return ");
    if (fn_->results[0].is_scalar()) {
      converted(value, fn_->results[0].elem);
    } else {
      tensor(value);
    }
    put(';');
    return end_line(s.loc);
  }
  bool assigns = false;
  for (size_t i = 0; i < s.values.size() && i < result_names_.size(); i++) {
    if (result_vars_[i]) continue;
    assign(result_names_[i], fn_->results[i], s.values[i], s.loc);
    assigns = true;
  }
  for (const LastReturn& last : last_returns_)
    if (last.stmt == &s && (assigns || !last.alone)) return;
  indent();
  put("return;");
  end_line(s.loc);
}

}  // namespace asc::emit
