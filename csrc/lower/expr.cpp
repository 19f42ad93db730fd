// SPDX-License-Identifier: Apache-2.0
// Expressions: names, constants, attributes, conditions, displays, comprehensions; the order in which
// operands evaluate. Nothing here knows a kind of value other than numbers: what others can do is found in
// the op table.
#include <algorithm>

#include "base/format.h"
#include "base/stack.h"
#include "ir/visit.h"
#include "lower/frame.h"

namespace asc::lower {

using ast::Node;
using ast::NodeKind;

Value Frame::expression(const Node* e) {
  if (stack_is_low()) [[unlikely]]
    fail(e, "RecursionError: this expression is nested too deeply for the stack of this thread",
         "give a part of it a name, or start the thread with more (threading.stack_size)");
  switch (e->kind) {
    case NodeKind::Name: return read(ast::as<ast::NameExpr>(e)->name, e);
    case NodeKind::Constant: return constant(ast::as<ast::Constant>(e));
    case NodeKind::Attribute: {
      const auto* a = ast::as<ast::Attribute>(e);
      return attribute(expression(a->value), a->attr, e);
    }
    case NodeKind::Call: return call(ast::as<ast::Call>(e));
    case NodeKind::Subscript: return subscript(ast::as<ast::Subscript>(e));
    case NodeKind::BinOp: {
      const auto* b = ast::as<ast::BinOp>(e);
      Value left = expression(b->left);
      Pending pending[2] = {pend(&left)};
      Value right = expression(b->right);
      pending[1] = pend(&right);
      settle(pending, e);
      return binary(b->binary(), left, right, e);
    }
    case NodeKind::UnaryOp: {
      const auto* u = ast::as<ast::UnaryOp>(e);
      return unary(u->unary(), expression(u->operand), e);
    }
    case NodeKind::BoolOp: return short_circuit(ast::as<ast::BoolOp>(e), 0);
    case NodeKind::Compare: {
      const size_t before = set_if_true_.size();
      const Value v = compare_chain(ast::as<ast::Compare>(e), 0, {});
      set_if_true_.resize(before);
      return v;
    }
    case NodeKind::IfExp: return conditional(ast::as<ast::IfExp>(e));
    case NodeKind::NamedExpr: {
      const auto* n = ast::as<ast::NamedExpr>(e);
      const auto* name = ast::as<ast::NameExpr>(n->target);
      bind(name->name, expression(n->value), n->target);
      epoch_++;
      return read(name->name, n->target);
    }
    case NodeKind::Tuple:
    case NodeKind::List: return sequence(ast::as<ast::Sequence>(e));
    case NodeKind::Dict: return dict(ast::as<ast::Dict>(e));
    case NodeKind::ListComp:
    case NodeKind::DictComp: return comprehension(ast::as<ast::Comp>(e));
    case NodeKind::JoinedStr: return joined(ast::as<ast::JoinedStr>(e));
    default: fail_syntax(e);
  }
}

static bool is_bool_type(const Type& type) { return type == Type::scalar(DType::Bool); }

Value Frame::constant(const ast::Constant* c) { return Value::of(c->object); }

// ---- order of evaluation
// -----------------------------------------------------------------------------------------

Frame::Pending Frame::pend(Value* v) { return {v, build_.block()->size(), epoch_}; }

void Frame::settle(std::span<Pending> operands, const Node* at, bool in_order) {
  const size_t end = build_.block()->size();
  size_t inserted = 0;
  for (size_t i = 0; i < operands.size(); i++) {
    Value& v = *operands[i].value;
    if (!v.is_expr() || ir::as_const(v.expr)) continue;
    if (const auto* r = ir::as<ir::VarRef>(v.expr); r && !r->type.is_scalar() && !info(r->var).rebound)
      continue;
    const Effect own = order_effect(v.expr);
    // Statements that came after it: they may change what it reads, or must come after its effect.
    bool save = operands[i].mark < end && (own != Effect::Pure || operands[i].epoch != epoch_);
    for (size_t j = i + 1; !save && !in_order && j < operands.size(); j++) {
      const Value& w = *operands[j].value;
      const Effect later = w.is_expr() ? order_effect(w.expr) : Effect::Pure;
      save =
          (later >= Effect::Write && own >= Effect::Read) || (own >= Effect::Write && later >= Effect::Read);
    }
    if (!save) continue;
    ir::Var* var = temporary("value", v.expr, at);
    ir::Block& block = *build_.block();
    const auto to = block.begin() + static_cast<ptrdiff_t>(operands[i].mark + inserted);
    std::rotate(to, block.end() - 1, block.end());
    inserted++;
    v = Value::of(ref(var, at));
  }
}

// ---- attributes
// --------------------------------------------------------------------------------------------------

// In a class, `__x` means `_Class__x`.
PyObject* Frame::private_name(const ast::Name* name, const Node* at) {
  const std::string_view text = name->utf8;
  if (!text.starts_with("__") || text.ends_with("__")) return name->str;
  std::string_view qualname = spec_.function->qualname;
  size_t dot = qualname.rfind('.');
  if (dot == std::string_view::npos) return name->str;
  qualname = qualname.substr(0, dot);
  dot = qualname.rfind('.');
  if (dot != std::string_view::npos) qualname = qualname.substr(dot + 1);
  while (qualname.starts_with('_')) qualname.remove_prefix(1);
  if (qualname.empty() || qualname.ends_with('>')) return name->str;
  const std::string full = fmt::format("_{}{}", qualname, text);
  return check(PyUnicode_FromStringAndSize(full.data(), static_cast<Py_ssize_t>(full.size())), at);
}

Value Frame::attribute(const Value& object, const ast::Name* name, const Node* at) {
  if (object.is_static()) return static_attribute(object.object, private_name(name, at), at);
  if (object.is_expr()) {
    const Type& type = object.expr->type;
    if (type.elem != DType::Void && name->utf8 == "dtype") return Value::of(dtype_object(type.elem));
    if (name->utf8 == "dtype" && !type.is_object()) fail_untyped(object.expr, at);
    if (const auto op = find_method(type.kind, name->utf8)) return Value::method(object.expr, *op);
    if (const auto field = field_of(type, name->utf8)) {
      // A struct that was just made has no name yet, and a field is read from a place.
      const bool placed = object.expr->kind == ir::ExprKind::Var || object.expr->kind == ir::ExprKind::Field;
      ir::Expr* from = placed ? object.expr : ref(temporary("params", object.expr, at), at);
      return Value::of(build_.field(from, *field, loc(at)));
    }
    const std::string known = fmt::format("{}.{}", qualified_name(type.kind), name->utf8);
    if (is_known_name(known)) fail(at, fmt::format("{} is not yet supported", known));
    fail(at, fmt::format("AttributeError: {} has no attribute '{}'", shown(object), name->utf8),
         attribute_hint(object, name->utf8, at));
  }
  if (PyObject* plain = to_object(object)) return static_attribute(plain, name->str, at);
  drop_error();
  fail(at, fmt::format("AttributeError: {} that holds runtime values has no attribute '{}'", shown(object),
                       name->utf8));
}

std::optional<uint16_t> Frame::field_of(const Type& type, std::string_view name) const {
  const size_t count = ir::field_count(session_.module, type);
  for (size_t i = 0; i < count; i++)
    if (ir::field_name(session_.module, type, i) == name) return static_cast<uint16_t>(i);
  return std::nullopt;
}

void Frame::store_attribute(const ast::Attribute* target, const Value& v, const Node* at) {
  const Value object = expression(target->value);
  if (object.is_expr() && ir::field_count(session_.module, object.expr->type) > 0) {
    const Type& type = object.expr->type;
    const auto field = field_of(type, target->attr->utf8);
    if (!field)
      fail(at, fmt::format("AttributeError: {} has no field '{}'", shown(object), target->attr->utf8));
    const Type want = ir::field_type(session_.module, type, *field);
    check_field_value(v, want, at);
    change_struct(object.expr, at);
    epoch_++;
    build_.set_field(object.expr, *field, convert_to(v, want, at), loc(at));
    return;
  }
  if (object.is_expr())
    fail(at, fmt::format("attribute '{}' of {} cannot be set", target->attr->utf8, shown(object)));
  fail(at,
       fmt::format("attribute '{}' of a compile-time object cannot be set in a kernel", target->attr->utf8),
       "make the object outside, or use a local variable");
}

// ---- conditions
// --------------------------------------------------------------------------------------------------

ir::Expr* Frame::truth(const Value& v, const Node* at, std::optional<bool>* known) {
  known->reset();
  switch (v.kind) {
    case ValueKind::Static: {
      session_.touch(v.object);
      const int yes = PyObject_IsTrue(v.object);
      if (yes < 0) fail_python(at);
      *known = yes == 1;
      return nullptr;
    }
    case ValueKind::Seq: *known = !v.seq->items.empty(); return nullptr;
    case ValueKind::Map: *known = !v.map->items.empty(); return nullptr;
    case ValueKind::Method: *known = true; return nullptr;
    case ValueKind::Expr: break;
    case ValueKind::Unset: ASC_BUG("no value");
  }
  const Type& type = v.expr->type;
  if (type.is_scalar()) {
    ir::Expr* e = v.expr;
    if (type.elem != DType::Bool) {
      ir::Expr* zero =
          is_float(type.elem) ? build_.float_const(type, 0, loc(at)) : build_.int_const(type, 0, loc(at));
      e = build_.binary(ir::BinaryOp::Ne, e, zero, loc(at));
    }
    if (const ir::Const* c = ir::as_const(e)) *known = c->bits != 0;
    return *known ? nullptr : e;
  }
  fail(at, fmt::format("{} has no truth value", shown(v)), "compare it with something");
}

// `first and rest`, written from left to right: (first and a) and b.
ir::Expr* Frame::prepend(ir::LogicalOp op, ir::Expr* first, ir::Expr* rest, const Node* at) {
  const auto* chain = ir::as<ir::Logical>(rest);
  if (!chain || chain->op != op) return build_.logical(op, first, rest, loc(at));
  return build_.logical(op, prepend(op, first, chain->left, at), chain->right, loc(at));
}

// The operands of and/or from `index` on. A right side that needs statements gets an if: it runs only where
// it is evaluated.
ir::Expr* Frame::condition_from(const ast::BoolOp* b, uint32_t index, std::optional<bool>* known) {
  const bool is_and = b->boolean() == ast::BoolOperator::And;
  const ir::LogicalOp op = is_and ? ir::LogicalOp::And : ir::LogicalOp::Or;
  ir::Expr* first = condition(b->values[index], known);
  if (index + 1 == b->values.size()) return first;
  if (*known) return **known == is_and ? condition_from(b, index + 1, known) : nullptr;

  ir::Block* block = build_.new_block();
  enter(block);
  std::optional<bool> decided;
  ir::Expr* rest = condition_from(b, index + 1, &decided);
  const std::vector<uint32_t> names = changed();
  Edge evaluated = edge(names, block);
  leave();
  set_if_true_.insert(set_if_true_.end(), names.begin(), names.end());
  if (decided) rest = build_.int_const(Type::scalar(DType::Bool), *decided, loc(b));
  if (block->empty() && names.empty()) return decided == is_and ? first : prepend(op, first, rest, b);
  ir::Var* var = temporary("condition", first, b);
  Edge skipped = edge(names, nullptr);
  build_.set_block(block);
  assign_var(var, rest, b);
  build_.set_block(regions_.back().block);
  Edge* paths[] = {&evaluated, &skipped};
  merge_all(names, paths, b);
  ir::Expr* test = ref(var, b);
  if (!is_and) test = build_.unary(ir::UnaryOp::Not, test, loc(b));
  build_.if_(test, block, nullptr, loc(b));
  return ref(var, b);
}

// An expression as a condition: known at compile time, or a bool expression. `set_if_true_` gets the names
// that are set if it holds, perhaps not otherwise.
ir::Expr* Frame::condition(const Node* e, std::optional<bool>* known) {
  const size_t before = set_if_true_.size();
  if (const auto* b = ast::dyn<ast::BoolOp>(e)) {
    ir::Expr* test = condition_from(b, 0, known);
    if (b->boolean() == ast::BoolOperator::Or) set_if_true_.resize(before);
    return test;
  }
  if (const auto* c = ast::dyn<ast::Compare>(e)) return truth(compare_chain(c, 0, {}), e, known);
  ir::Expr* test;
  if (const auto* u = ast::dyn<ast::UnaryOp>(e); u && u->unary() == ast::UnaryOperator::Not) {
    test = condition(u->operand, known);
    if (*known) *known = !**known;
    if (test) test = build_.unary(ir::UnaryOp::Not, test, loc(e));
  } else {
    test = truth(expression(e), e, known);
  }
  set_if_true_.resize(before);
  return test;
}

// Inside what a condition guards: the names that it has set.
void Frame::enter_guarded(ir::Block* block, const std::vector<uint32_t>& names) {
  enter(block);
  for (uint32_t name : names) {
    Binding b = bindings_[name];
    if (b.state != Binding::State::Maybe) continue;
    b.state = Binding::State::Bound;
    set(name, b);
  }
}

// `a and b`, `a or b` as values: Python gives one of the operands.
Value Frame::short_circuit(const ast::BoolOp* e, uint32_t index) {
  const bool is_and = e->boolean() == ast::BoolOperator::And;
  const ir::LogicalOp op = is_and ? ir::LogicalOp::And : ir::LogicalOp::Or;
  Value left = expression(e->values[index]);
  if (index + 1 == e->values.size()) return left;
  std::optional<bool> known;
  const bool is_bool = is_scalar(left) && is_bool_type(left.expr->type);
  if (left.is_expr() && !is_bool) left = shared(left, e);
  ir::Expr* test = truth(is_bool ? left : again(left, e), e->values[index], &known);
  if (known) return *known == is_and ? short_circuit(e, index + 1) : left;

  ir::Block* block = build_.new_block();
  enter(block);
  const Value right = short_circuit(e, index + 1);
  const std::vector<uint32_t> names = changed();
  Edge evaluated = edge(names, block);
  leave();
  if (block->empty() && names.empty()) {
    const auto literal = number(right);
    if (is_bool && literal && literal->form == Number::Form::Bool) {
      ir::Expr* decided = build_.int_const(Type::scalar(DType::Bool), literal->bits, loc(e));
      return (literal->bits != 0) == is_and ? left
                                            : Value::of(build_.logical(op, left.expr, decided, loc(e)));
    }
    if (is_bool && is_scalar(right) && is_bool_type(right.expr->type))
      return Value::of(prepend(op, left.expr, right.expr, e));
    if (is_bool) {
      left = shared(left, e);
      test = again(left, e).expr;
    }
    return is_and ? choose(test, right, left, e) : choose(test, left, right, e);
  }
  const DType type = chosen_type(left, right, e);
  ir::Var* var = temporary("value", as_scalar(left, type, e), e);
  Edge skipped = edge(names, nullptr);
  build_.set_block(block);
  assign_var(var, as_scalar(right, type, e), e);
  build_.set_block(regions_.back().block);
  Edge* paths[] = {&evaluated, &skipped};
  merge_all(names, paths, e);
  test = truth(Value::of(ref(var, e)), e, &known);
  if (!is_and) test = build_.unary(ir::UnaryOp::Not, test, loc(e));
  build_.if_(test, block, nullptr, loc(e));
  return Value::of(ref(var, e));
}

// The type of a number that is one of two: theirs if it is the same, bool where both are truth values.
DType Frame::chosen_type(const Value& yes, const Value& no, const Node* at) {
  const auto x = number(yes), y = number(no);
  if (x && y) {
    const DType type = join(x->natural(), x->pinned == DType::Void, y->natural(), y->pinned == DType::Void);
    return type == DType::Void ? promote(x->natural(), y->natural()).type : type;
  }
  const auto own = [](const Value& v, const std::optional<Number>& n) {
    if (n) return n->form == Number::Form::Bool ? DType::Bool : DType::Void;
    return v.is_expr() && v.expr->type.is_scalar() ? v.expr->type.elem : DType::Void;
  };
  const DType type = own(yes, x);
  return type != DType::Void && type == own(no, y) ? type : meet(yes, no, at);
}

// One value by a runtime condition, both sides free of statements.
Value Frame::choose(ir::Expr* test, const Value& yes, const Value& no, const Node* at) {
  Binding a, b;
  a.state = b.state = Binding::State::Bound;
  a.value = yes;
  b.value = no;
  if (!yes.is_expr() && !no.is_expr() && same_binding(a, b)) {
    Value v = yes;
    v.expr = nullptr;
    return v;
  }
  const auto scalar = [&](const Value& v) { return number(v) || is_scalar(v); };
  if (scalar(yes) && scalar(no)) {
    const DType type = chosen_type(yes, no, at);
    return Value::of(build_.select(test, as_scalar(yes, type, at), as_scalar(no, type, at), loc(at)));
  }
  Type t, u;
  bool literal;
  const bool t_known = yes.is_expr() ? (t = yes.expr->type, true) : form_of(a, &t, &literal);
  const bool u_known = no.is_expr() ? (u = no.expr->type, true) : form_of(b, &u, &literal);
  if (!t_known || !u_known || t != u || t.is_object())
    fail(at,
         fmt::format("one side is {}, the other {}: a runtime condition cannot choose between them",
                     shown(yes), shown(no)),
         "only numbers, enums and tensors of one type may depend on a runtime condition");
  return Value::of(build_.select(test, convert_to(yes, t, at), convert_to(no, t, at), loc(at)));
}

Value Frame::conditional(const ast::IfExp* e) {
  std::optional<bool> known;
  const size_t before = set_if_true_.size();
  ir::Expr* test = condition(e->test, &known);
  const std::vector<uint32_t> sure(set_if_true_.begin() + static_cast<ptrdiff_t>(before), set_if_true_.end());
  set_if_true_.resize(before);
  if (known) return expression(*known ? e->body : e->orelse);
  const Node* nodes[2] = {e->body, e->orelse};
  ir::Block* blocks[2];
  Value values[2];
  std::vector<uint32_t> names;
  std::vector<std::pair<uint32_t, Binding>> bound[2];
  for (int i = 0; i < 2; i++) {
    blocks[i] = build_.new_block();
    enter_guarded(blocks[i], i == 0 ? sure : std::vector<uint32_t>());
    values[i] = expression(nodes[i]);
    for (uint32_t name : changed()) {
      bound[i].emplace_back(name, bindings_[name]);
      if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
    }
    leave();
  }
  if (blocks[0]->empty() && blocks[1]->empty() && names.empty()) return choose(test, values[0], values[1], e);

  // A side needs statements: an if that sets a variable.
  Edge edges[2] = {edge(names, blocks[0]), edge(names, blocks[1])};
  for (int i = 0; i < 2; i++)
    for (const auto& [name, binding] : bound[i])
      edges[i].bindings[static_cast<size_t>(std::find(names.begin(), names.end(), name) - names.begin())] =
          binding;
  const Value chosen =
      choose(build_.core_predicate(true, loc(e)), values[0], values[1], e);  // for the type alone
  Value result = chosen;
  if (chosen.is_expr()) {
    ir::Var* var = new_var("value", chosen.expr->type, e);
    var->hoisted = true;
    declare_here(var, nullptr, e);
    for (int i = 0; i < 2; i++) {
      build_.set_block(blocks[i]);
      assign_var(var, convert_to(values[i], var->type, nodes[i]), nodes[i]);
    }
    build_.set_block(regions_.back().block);
    result = Value::of(ref(var, e));
  }
  Edge* paths[] = {&edges[0], &edges[1]};
  merge_all(names, paths, e);
  epoch_++;
  build_.if_(test, blocks[0], blocks[1]->empty() ? nullptr : blocks[1], loc(e));
  return result;
}

// ---- displays
// ----------------------------------------------------------------------------------------------------

Value Frame::sequence(const ast::Sequence* e, bool raw) {
  Seq* seq = session_.new_seq(e->kind == NodeKind::List, regions_.back().id);
  seq->items.resize(e->elts.size());
  std::vector<Pending> pending;
  pending.reserve(e->elts.size());
  for (uint32_t i = 0; i < e->elts.size(); i++) {
    if (e->elts[i]->kind == NodeKind::Starred) fail_syntax(e->elts[i]);
    seq->items[i] = expression(e->elts[i]);
    pending.push_back(pend(&seq->items[i]));
  }
  settle(pending, e);
  // A display evaluates once: an effect does not wait for the item to be used.
  if (!raw)
    for (size_t i = 0; i < seq->items.size(); i++)
      if (Value& item = seq->items[i]; item.is_expr() && item.expr->effect != Effect::Pure)
        keep_value(&item, e, false, item_name(i));
  return Value::of(seq);
}

// Does the value stay what it is, whatever the function assigns later?
bool Frame::is_stable(const ir::Expr* e) {
  if (e->effect != Effect::Pure) return false;
  if (e->kind == ir::ExprKind::Field) return false;  // may be set
  if (const auto* r = ir::as<ir::VarRef>(e)) {
    if (info(r->var).rebound) return false;
    if (r->type.is_tensor() || r->type.is_object() || r->var->hoisted) return true;
    const ast::Name* name = module_.find_name(r->var->name);
    return !name || !analysis_.reassigned.test(name->id);
  }
  bool stable = true;
  ir::for_each_operand(e, [&](const ir::Expr* operand) { stable = stable && is_stable(operand); });
  return stable;
}

// What a container holds must not change with the variables that it came from. `once`: nothing reads it
// twice.
void Frame::keep_value(Value* v, const Node* at, bool once, std::string_view name) {
  if (v->is_seq()) {
    for (size_t i = 0; i < v->seq->items.size(); i++)
      keep_value(&v->seq->items[i], at, once, name.empty() ? name : fmt::format("{}_{}", name, i));
    return;
  }
  if (!v->is_expr() || ir::as_const(v->expr)) return;
  auto* r = ir::as<ir::VarRef>(v->expr);
  if ((r || once) && is_stable(v->expr)) {
    if (r && (r->type.is_tensor() || r->type.is_object())) info(r->var).aliased = true;
    return;
  }
  const std::string_view kept = name.empty() ? "item" : session_.module.arena.copy(name);
  *v = Value::of(ref(temporary(kept, v->expr, at), at));
}

// `views[2]`, as one that is evaluated with its list is called.
std::string Frame::item_name(size_t index) const {
  return item_name_.empty() ? item_name_ : fmt::format("{}_{}", item_name_, index);
}

// Nodes have one parent: a value that is used again needs a node of its own. `at` null: where it was.
Value Frame::again(const Value& v, const Node* at) {
  if (!v.is_expr()) return v;
  Value copy = v;
  if (auto* r = ir::as<ir::VarRef>(v.expr)) {
    info(r->var).refs++;
    copy.expr = build_.var(r->var, at ? loc(at) : r->loc);
  } else if (const auto* c = ir::as_const(v.expr)) {
    copy.expr = copy_const(c, at ? loc(at) : c->loc);
  }
  return copy;
}

ir::Const* Frame::copy_const(const ir::Const* c, Loc where) {
  auto* copy = static_cast<ir::Const*>(build_.spelt_const(c->type, c->bits, c->spelling, where));
  copy->named = c->named;
  return copy;
}

// A value that several expressions use: evaluated once.
Value Frame::shared(const Value& v, const Node* at) {
  if (!v.is_expr() || ir::as_const(v.expr) || v.expr->kind == ir::ExprKind::Var) return v;
  return Value::of(ref(temporary("value", v.expr, at), at));
}

Value Frame::dict(const ast::Dict* e) {
  Map* map = session_.new_map(regions_.back().id);
  for (uint32_t i = 0; i < e->values.size(); i++) {
    if (!e->keys[i])
      fail(e->values[i], "** in a dict display is not supported in a kernel", "write the items out");
    const Value key = expression(e->keys[i]);
    PyObject* object = to_object(key);
    if (!object) fail(e->keys[i], fmt::format("{} as a key: keys must be known at compile time", shown(key)));
    Value v = expression(e->values[i]);
    keep_value(&v, e->values[i], false, item_name(i));
    store_in_map(map, object, v, e->keys[i]);
  }
  return Value::of(map);
}

void Frame::store_in_map(Map* map, PyObject* key, const Value& v, const Node* at) {
  session_.touch(key);
  if (PyObject_Hash(key) == -1) fail_python(at);
  for (auto& [known, value] : map->items) {
    const int equal = PyObject_RichCompareBool(known, key, Py_EQ);
    if (equal < 0) fail_python(at);
    if (equal) {
      value = v;
      return;
    }
  }
  map->items.emplace_back(key, v);
}

void Frame::comprehend(const ast::Comp* e, uint32_t index, Seq* list, Map* map) {
  if (index == e->generators.size()) {
    Value v = expression(e->elt);
    if (!map) {
      keep_value(&v, e->elt, false, item_name(list->items.size()));
      list->items.push_back(v);
      return;
    }
    PyObject* key = to_object(v);
    if (!key) fail(e->elt, fmt::format("{} as a key: keys must be known at compile time", shown(v)));
    Value item = expression(e->value);
    keep_value(&item, e->value, false, item_name(map->items.size()));
    return store_in_map(map, key, item, e->elt);
  }
  const ast::Comprehension& g = *e->generators[index];
  if (g.is_async) fail(&g, "async for is not supported in a kernel", "use for");
  const Value over = expression(g.iter);
  std::vector<Value> items;
  if (!iterate(over, g.iter, &items))
    fail(g.iter, fmt::format("a comprehension over {} is not possible", shown(over)),
         "its iterable must be known at compile time");
  for (const Value& item : items) {
    store_hidden(g.target, item);
    bool take = true;
    for (const Node* test : g.ifs) {
      std::optional<bool> known;
      condition(test, &known);
      if (!known) fail(test, "a condition of a comprehension must be known at compile time", "use a loop");
      take = take && *known;
    }
    if (take) comprehend(e, index + 1, list, map);
  }
}

// Names of a comprehension are its own: bound without a declaration, given back afterwards.
void Frame::store_hidden(const Node* target, const Value& v) {
  if (const auto* name = ast::dyn<ast::NameExpr>(target)) {
    Binding b;
    b.state = Binding::State::Bound;
    b.value = v;
    if (v.is_expr()) {  // read as often as the element says, evaluated once
      const bool named = v.expr->kind == ir::ExprKind::Var;
      b.var = named ? ir::as<ir::VarRef>(v.expr)->var : temporary("item", v.expr, target);
      b.value = Value::of(build_.var(b.var, loc(target)));
    }
    b.set_at = target;
    bindings_[name->name->id] = b;
    return;
  }
  if (!ast::Sequence::is(target->kind)) fail_syntax(target);
  const auto* names = ast::as<ast::Sequence>(target);
  std::vector<Value> items;
  if (v.is_expr() || !iterate(v, target, &items) || items.size() != names->elts.size())
    fail(target, fmt::format("cannot unpack {} into {} names", shown(v), names->elts.size()));
  for (uint32_t i = 0; i < names->elts.size(); i++) store_hidden(names->elts[i], again(items[i], target));
}

static void hidden_names(const Node* target, std::vector<uint32_t>* names) {
  if (const auto* name = ast::dyn<ast::NameExpr>(target)) return names->push_back(name->name->id);
  if (ast::Sequence::is(target->kind))
    for (const Node* e : ast::as<ast::Sequence>(target)->elts) hidden_names(e, names);
}

Value Frame::comprehension(const ast::Comp* e) {
  std::vector<uint32_t> names;
  for (const ast::Comprehension* g : e->generators) hidden_names(g->target, &names);
  std::vector<Binding> saved;
  for (uint32_t name : names) saved.push_back(bindings_[name]);
  Seq* list = nullptr;
  Map* map = nullptr;
  if (e->kind == NodeKind::DictComp)
    map = session_.new_map(regions_.back().id);
  else
    list = session_.new_seq(true, regions_.back().id);
  comprehend(e, 0, list, map);
  for (size_t i = names.size(); i-- > 0;) bindings_[names[i]] = saved[i];
  return map ? Value::of(map) : Value::of(list);
}

}  // namespace asc::lower
