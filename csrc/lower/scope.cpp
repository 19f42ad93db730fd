// SPDX-License-Identifier: Apache-2.0
// Names, their bindings, and variables. How bindings of two paths meet is in join.cpp.
#include "lower/scope.h"

#include <cmath>

#include "base/format.h"
#include "lower/frame.h"
#include "lower/suggest.h"

namespace asc::lower {

using ast::Node;
using Via = Dependency::Via;

// ---- regions
// -----------------------------------------------------------------------------------------------------

// A region that is not nested shares its parent's block and depth: it is there for its bindings to be undone.
void Frame::enter(ir::Block* block, bool nested) {
  const uint32_t depth = regions_.empty() ? 0 : regions_.back().depth + (nested ? 1 : 0);
  regions_.push_back({block, ++next_region_, depth, trail_.size()});
  build_.set_block(block);
}

// `carry`: what became stale stays so, for no assignment ends it here; not if the region is lowered again.
void Frame::leave(bool keep, bool carry) {
  const size_t mark = regions_.back().trail;
  std::vector<std::pair<uint32_t, Binding>> stale;  // no assignment of theirs: they are in no join
  while (!keep && trail_.size() > mark) {
    const uint32_t name = trail_.back().first;
    if (carry && bindings_[name].stale) stale.emplace_back(name, bindings_[name]);
    bindings_[name] = trail_.back().second;
    trail_.pop_back();
  }
  regions_.pop_back();
  if (!regions_.empty()) build_.set_block(regions_.back().block);
  for (const auto& [name, binding] : stale)
    if (bindings_[name].bound()) set(name, binding);
}

void Frame::set(uint32_t name, const Binding& b) {
  if (regions_.size() > 1 && saved_in_[name] != regions_.back().id) {
    trail_.emplace_back(name, bindings_[name]);
    saved_in_[name] = regions_.back().id;
  }
  bindings_[name] = b;
}

std::vector<uint32_t> Frame::changed() const {
  std::vector<uint32_t> names;
  for (size_t i = regions_.back().trail; i < trail_.size(); i++) {
    const uint32_t name = trail_[i].first;
    bool known = false;
    for (uint32_t n : names) known = known || n == name;
    if (!known) names.push_back(name);
  }
  return names;
}

// ---- reading
// -----------------------------------------------------------------------------------------------------

ir::Expr* Frame::ref(ir::Var* var, const Node* at) {
  info(var).refs++;
  return build_.var(var, loc(at));
}

Value Frame::read(const ast::Name* name, const Node* at) {
  Binding& b = bindings_[name->id];
  switch (b.state) {
    case Binding::State::Bound: return b.slot || b.is_alias() ? Value::of(ref(b.var, at)) : b.value;
    case Binding::State::Maybe:
      fail(at, b.set_at,
           fmt::format("'{}' may be unset here: line {} assigns it, but not on every path", name->utf8,
                       b.set_at ? line_of(b.set_at) : 0),
           fmt::format("assign {} before line {}", name->utf8, b.other ? line_of(b.other) : 0));
    case Binding::State::Conflict: {
      const bool at_head = PyTuple_GET_SIZE(b.value.object) == 3;
      fail(at_head ? b.other : at, at_head ? b.set_at : b.other,
           fmt::format("'{}' {}", name->utf8, PyUnicode_AsUTF8(PyTuple_GET_ITEM(b.value.object, 0))),
           PyUnicode_AsUTF8(PyTuple_GET_ITEM(b.value.object, 1)));
    }
    case Binding::State::Unset: break;
  }
  if (analysis_.locals.test(name->id)) {
    // Assigned further down, perhaps in a loop around this line.
    const Node* where = Analysis::find_assignment(module_.function, name);
    for (size_t i = loops_.size(); where && i-- > 0;) {
      const Node* inside = Analysis::find_assignment(loops_[i]->node, name);
      if (inside && inside != where) where = inside;
    }
    if (where && where != at)
      fail(at, where, fmt::format("'{}' is read before line {} assigns it", name->utf8, line_of(where)),
           "assign it first, before the loop or branch");
    fail(at, fmt::format("'{}' is read before it is assigned", name->utf8));
  }
  return global(name, at);
}

// A name of the world outside: closure, globals, builtins. Read once a function.
Value Frame::global(const ast::Name* name, const Node* at) {
  Value& cached = globals_[name->id];
  if (cached.kind != ValueKind::Unset) return cached;
  const KernelFunction& fn = *spec_.function;
  PyObject* object = nullptr;
  PyObject* scope = fn.globals;
  if (PyObject* closure = PyFunction_GetClosure(fn.fn)) {
    PyObject* names = check(PyObject_GetAttrString(PyFunction_GET_CODE(fn.fn), "co_freevars"), at);
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(names) && !object; i++) {
      if (PyUnicode_Compare(PyTuple_GET_ITEM(names, i), name->str) != 0) continue;
      scope = PyTuple_GET_ITEM(closure, i);
      object = PyCell_GET(scope);
      if (!object) fail(at, fmt::format("NameError: free variable '{}' has no value yet", name->utf8));
      session_.depend(Via::Cell, scope, nullptr, object);
    }
  }
  if (!object && (object = PyDict_GetItemWithError(fn.globals, name->str)))
    session_.depend(Via::Global, fn.globals, name->str, object);
  if (!object && !PyErr_Occurred() && (object = PyDict_GetItemWithError(PyEval_GetBuiltins(), name->str)))
    session_.depend(Via::Builtin, fn.globals, name->str, object);
  if (!object) {
    drop_error();
    std::vector<std::string> names;
    for (size_t i = 0; i < bindings_.size(); i++)
      if (bindings_[i].bound()) names.emplace_back(name_of(static_cast<uint32_t>(i))->utf8);
    PyObject *key, *value;
    for (Py_ssize_t i = 0; PyDict_Next(fn.globals, &i, &key, &value);)
      if (const char* utf8 = PyUnicode_Check(key) ? PyUnicode_AsUTF8(key) : nullptr) names.emplace_back(utf8);
    const std::string near = closest(name->utf8, names);
    std::string hint = other_language_hint(name->utf8);
    if (hint.empty() && !near.empty()) hint = fmt::format("did you mean {}?", near);
    fail(at, fmt::format("NameError: name '{}' is not defined", name->utf8), std::move(hint));
  }
  if (const char* unsupported = as_unsupported(object))
    fail(at, fmt::format("{} is not yet supported", unsupported));
  session_.keep(Py_NewRef(object));
  cached = number_value(object);
  if (const auto n = number(cached); n && (n->form != Number::Form::Float || std::isfinite(n->real))) {
    const Type type = Type::scalar(n->natural());
    const int64_t bits =
        static_cast<ir::Const*>(n->form == Number::Form::Float ? build_.float_const(type, n->real, loc(at))
                                                               : build_.int_const(type, n->bits, loc(at)))
            ->bits;
    cached.expr = build_.named_const(session_.global_const(scope, name, type, bits, loc(at)), loc(at));
  }
  return cached;
}

// ---- variables
// ---------------------------------------------------------------------------------------------------

ir::Var* Frame::new_var(std::string_view name, Type type, const Node* at) {
  ir::Var* var = build_.new_var(fn_, name, type, loc(at));
  vars_.resize(fn_->vars.size());
  return var;
}

void Frame::declare_here(ir::Var* var, ir::Expr* init, const Node* at) {
  VarInfo& v = info(var);
  note_copy(var, init);
  v.decl = build_.decl(var, init, loc(at));
  v.block = build_.block();
  v.depth = depth();
}

ir::Var* Frame::declare(std::string_view name, ir::Expr* init, const Node* at) {
  if (init->kind == ir::ExprKind::Field && init->type.is_object())
    fail(at, fmt::format("'{}' would be a second name of a part of a struct", name),
         "write the part out where it is used, pass it to a function, or copy it with create_local()");
  ir::Var* var = new_var(name, init->type, at);
  declare_here(var, init, at);
  return var;
}

ir::Var* Frame::temporary(std::string_view name, ir::Expr* init, const Node* at) {
  ir::Var* var = declare(name, init, at);
  var->hoisted = true;
  return var;
}

void Frame::assign_var(ir::Var* var, ir::Expr* value, const Node* at) {
  note_copy(var, value);
  build_.assign(var, value, loc(at));
  info(var).rebound = true;
  epoch_++;
}

// Takes the declaration away: with a value it becomes an assignment in its place.
ir::Assign* Frame::undeclare(ir::Var* var) {
  VarInfo& v = info(var);
  ir::Assign* made = nullptr;
  if (!v.decl) return made;
  if (auto* loop = ir::as<ir::For>(v.decl)) {
    loop->declares_var = false;
  } else {
    auto* decl = static_cast<ir::Decl*>(v.decl);
    for (size_t i = v.block->size(); i-- > 0;) {
      if ((*v.block)[i] != decl) continue;
      if (decl->init) {
        auto* assign = session_.module.arena.make<ir::Assign>();
        assign->kind = ir::StmtKind::Assign;
        assign->loc = decl->loc;
        assign->var = var;
        assign->value = decl->init;
        (*v.block)[i] = made = assign;
        v.rebound = true;
      } else {
        v.block->erase(v.block->begin() + static_cast<ptrdiff_t>(i));
        if (is_user_struct(var->type)) make_anew(var, v.block, i, decl->loc);
      }
      break;
    }
  }
  v.decl = nullptr;
  return made;
}

void Frame::hoist(ir::Var* var, const Node* at) {
  if (info(var).depth <= depth()) return;
  undeclare(var);
  declare_here(var, nullptr, at);
}

void Frame::bring_out(const Value& v, const Node* at) {
  if (v.kind == ValueKind::Expr || v.kind == ValueKind::Method) {
    if (auto* r = ir::as<ir::VarRef>(v.expr)) hoist(r->var, at);
  } else if (v.kind == ValueKind::Seq) {
    for (const Value& item : v.seq->items) bring_out(item, at);
  } else if (v.kind == ValueKind::Map) {
    for (const auto& [key, item] : v.map->items) bring_out(item, at);
  }
}

// ---- assigning
// ---------------------------------------------------------------------------------------------------

void Frame::bind(const ast::Name* name, Value v, const Node* at, DType pin) {
  if (pin != DType::Void) {
    if (!number(v) && !is_scalar(v) && !is_address(v))
      fail(at,
           fmt::format("'{}' is annotated with {}, but its value is {}", name->utf8, py_name(pin), shown(v)));
    v = cast_to(v, pin, at);
  }
  if (v.is_expr()) return bind_expr(name, v.expr, at);
  if (v.is_static() && number(v)) return bind_number(name, v, at);
  if (v.is_seq()) keep_value(&v, at, false, name->utf8);
  if (v.kind == ValueKind::Method) v.expr = shared(Value::of(v.expr), at).expr;
  Binding b;
  b.state = Binding::State::Bound;
  b.value = v;
  b.set_at = at;
  set(name->id, b);
}

void Frame::bind_number(const ast::Name* name, Value v, const Node* at) {
  const Binding& old = bindings_[name->id];
  Binding b;
  b.state = Binding::State::Bound;
  b.set_at = at;
  if (old.bound() && old.var && !old.is_alias()) b.var = old.var;
  check_range(v, at);
  const Number n = *number(v);
  if (n.form != Number::Form::Float || std::isfinite(n.real)) {
    const Type type = Type::scalar(n.natural());
    ir::Const* literal = spelling(v, type.elem, at);
    const ir::Expr* spelt = literal->named ? literal : literal->spelling;
    ir::NamedConst* constant = build_.new_const(fn_, name->utf8, type, literal->bits, spelt, loc(at));
    Anchor& anchor = anchors_.emplace_back();
    anchor.block = build_.block();
    anchor.stmt = build_.const_decl(constant, loc(at));
    anchor.constant = constant;
    anchor.depth = depth();
    b.anchor = &anchor;
    v.expr = plain_numbers_ ? literal : build_.named_const(constant, loc(at));
  }
  b.value = v;
  set(name->id, b);
}

void Frame::adopt(const ast::Name* name, ir::Var* var, const Node* at) {
  info(var).fresh = false;
  Binding b;
  b.state = Binding::State::Bound;
  b.slot = !var->type.is_object();
  b.var = var;
  b.set_at = at;
  if (!b.slot) b.value = Value::of(build_.var(var, loc(at)));
  set(name->id, b);
}

// `n + 1` of a counter that began as a literal is still as good as one.
static bool counts_on(const ir::Expr* e, const ir::Var* var) {
  const auto* b = ir::as<ir::Binary>(e);
  const auto* left = b ? ir::as<ir::VarRef>(static_cast<const ir::Expr*>(b->left)) : nullptr;
  return left && left->var == var && ir::as_const(b->right);
}

void Frame::bind_expr(const ast::Name* name, ir::Expr* e, const Node* at) {
  const Binding& old = bindings_[name->id];
  const Type type = e->type;
  const bool plain = !type.is_tensor() && !type.is_object();
  if (auto* r = ir::as<ir::VarRef>(e)) {
    VarInfo& v = info(r->var);
    if (v.fresh && r->var->name == name->utf8) return adopt(name, r->var, at);
    if (old.bound() && old.var == r->var && (old.slot || old.is_alias())) {
      Binding b = old;
      b.state = Binding::State::Bound;
      b.set_at = at;
      return set(name->id, b);
    }
    if (!plain && !v.rebound) {
      v.aliased = true;
      Binding b;
      b.state = Binding::State::Bound;
      b.value = Value::of(e);
      b.var = r->var;
      b.set_at = at;
      return set(name->id, b);
    }
  }
  if (type.is_object()) {
    adopt(name, declare(name->utf8, e, at), at);
    return;
  }
  const bool own = old.bound() && old.var && !old.is_alias() && old.var->type == type && !old.var->by_ref &&
                   (plain || (!info(old.var).aliased && !old.var->is_param));
  if (!own) return adopt(name, declare(name->utf8, e, at), at);
  assign_var(old.var, e, at);
  const bool literal = old.literal && counts_on(e, old.var);
  adopt(name, old.var, at);
  bindings_[name->id].literal = literal;
}

}  // namespace asc::lower
