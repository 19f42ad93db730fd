// SPDX-License-Identifier: Apache-2.0
// Statements, loops apart.
#include "base/format.h"
#include "ir/visit.h"
#include "lower/frame.h"
#include "lower/lower.h"

namespace asc::lower {

using ast::Node;
using ast::NodeKind;

void Frame::block(const ast::NodeList& body) {
  for (const Node* s : body) {
    if (!reachable_) return;
    statement(s);
  }
}

void Frame::statement(const Node* s) {
  // Ctrl-C, and other signals with a handler of Python's, do not wait for the end of a long kernel.
  if (PyErr_CheckSignals() < 0) throw PythonErrorSet{};
  switch (s->kind) {
    case NodeKind::Assign: return assign(ast::as<ast::Assign>(s));
    case NodeKind::AugAssign: return aug_assign(ast::as<ast::AugAssign>(s));
    case NodeKind::AnnAssign: return ann_assign(ast::as<ast::AnnAssign>(s));
    case NodeKind::Expr: return expression_statement(ast::as<ast::ExprStmt>(s));
    case NodeKind::If: return if_statement(ast::as<ast::If>(s));
    case NodeKind::For: return for_statement(ast::as<ast::For>(s));
    case NodeKind::While: return while_statement(ast::as<ast::While>(s));
    case NodeKind::Return: return return_statement(ast::as<ast::Return>(s));
    case NodeKind::Assert: return assert_statement(ast::as<ast::Assert>(s));
    case NodeKind::Break:
    case NodeKind::Continue: return break_or_continue(s);
    case NodeKind::Pass: return;
    case NodeKind::With: return with_statement(ast::as<ast::With>(s));
    default: fail_syntax(s);
  }
}

// Names that an assignment gives to the results of the call on its right.
static bool target_names(const Node* target, std::vector<const ast::Name*>* names) {
  if (const auto* name = ast::dyn<ast::NameExpr>(target)) {
    names->push_back(name->name);
    return true;
  }
  if (!ast::Sequence::is(target->kind)) return false;
  for (const Node* e : ast::as<ast::Sequence>(target)->elts) {
    const auto* name = ast::dyn<ast::NameExpr>(e);
    if (!name) return false;
    names->push_back(name->name);
  }
  return true;
}

static bool is_display(const Node* e) {
  return ast::Sequence::is(e->kind) || e->kind == NodeKind::ListComp || e->kind == NodeKind::Dict ||
         e->kind == NodeKind::DictComp;
}

// The right side of an assignment: what it makes gets the target's name.
Value Frame::value_for(const Node* target, const Node* value) {
  const auto* names = ast::Sequence::is(target->kind) ? ast::as<ast::Sequence>(target) : nullptr;
  const auto* tuple = value->kind == NodeKind::Tuple ? ast::as<ast::Sequence>(value) : nullptr;
  if (!names || !tuple || names->elts.size() != tuple->elts.size()) {
    const auto* name = is_display(value) ? ast::dyn<ast::NameExpr>(target) : nullptr;
    if (name) {
      const std::string outer = std::exchange(item_name_, std::string(name->name->utf8));
      const Value v = expression(value);
      item_name_ = outer;
      return v;
    }
    if (value->kind != NodeKind::Call) return expression(value);
    hint_names_.clear();
    hint_call_ = target_names(target, &hint_names_) ? value : nullptr;
    const Value v = expression(value);
    hint_call_ = nullptr;
    return v;
  }
  // a, b = x, y: each item has a statement of its own.
  Seq* seq = session_.new_seq(false, regions_.back().id);
  seq->items.resize(tuple->elts.size());
  std::vector<Pending> pending;
  for (uint32_t i = 0; i < tuple->elts.size(); i++) {
    if (tuple->elts[i]->kind == NodeKind::Starred) fail_syntax(tuple->elts[i]);
    seq->items[i] = value_for(names->elts[i], tuple->elts[i]);
    pending.push_back(pend(&seq->items[i]));
  }
  settle(pending, value, true);
  return Value::of(seq);
}

void Frame::assign(const ast::Assign* s) {
  const Node* first = s->targets[0];
  Value v = value_for(first, s->value);
  if (s->targets.size() > 1 && v.is_expr() && !ir::as<ir::VarRef>(v.expr) && !ir::as_const(v.expr)) {
    const auto* name = ast::dyn<ast::NameExpr>(first);
    if (!name) v = Value::of(ref(temporary("value", v.expr, s->value), s->value));
  }
  for (const Node* target : s->targets) {
    store(target, v, target);
    const auto* name = ast::dyn<ast::NameExpr>(target);
    if (name && s->targets.size() > 1 && v.is_expr()) v = read(name->name, target);
  }
}

// A dtype as annotation of a local pins its type; every other annotation means nothing here.
DType Frame::annotated_dtype(const Node* annotation) {
  PyObject* object = nullptr;
  if (const auto* name = ast::dyn<ast::NameExpr>(annotation)) {
    object = PyDict_GetItem(spec_.function->globals, name->name->str);
    if (object) session_.depend(Dependency::Via::Global, spec_.function->globals, name->name->str, object);
  } else if (const auto* attribute = ast::dyn<ast::Attribute>(annotation)) {
    const auto* owner = ast::dyn<ast::NameExpr>(attribute->value);
    PyObject* module = owner ? PyDict_GetItem(spec_.function->globals, owner->name->str) : nullptr;
    if (module && PyModule_Check(module)) object = PyObject_GetAttr(module, attribute->attr->str);
    if (object) {
      session_.keep(object);
      session_.depend(Dependency::Via::Global, spec_.function->globals, owner->name->str, module);
      session_.depend(Dependency::Via::Attribute, module, attribute->attr->str, object);
    }
    drop_error();
  }
  DType dtype = DType::Void;
  if (object) as_dtype(object, &dtype);
  return dtype;
}

void Frame::ann_assign(const ast::AnnAssign* s) {
  if (!s->value) return;
  const DType pin = annotated_dtype(s->annotation);
  const Value v = value_for(s->target, s->value);
  if (const auto* name = ast::dyn<ast::NameExpr>(s->target)) return bind(name->name, v, s->target, pin);
  store(s->target, v, s->target);
}

void Frame::aug_assign(const ast::AugAssign* s) {
  Value left;
  Value object, key;
  if (const auto* name = ast::dyn<ast::NameExpr>(s->target)) {
    left = read(name->name, s->target);
  } else if (const auto* attr = ast::dyn<ast::Attribute>(s->target)) {
    object = expression(attr->value);
    left = attribute(object, attr->attr, s->target);
  } else if (const auto* sub = ast::dyn<ast::Subscript>(s->target)) {
    object = expression(sub->value);
    if (!object.is_seq() && object.kind != ValueKind::Map && !object.is_expr())
      fail_from_outside(object, s->target);
    if (object.is_expr())
      fail(s->target, fmt::format("an item of {} cannot be changed in place", shown(object)),
           "use get_value and set_value");
    key = expression(sub->slice);
    left = item(object, key, s->target);
  } else {
    fail_syntax(s->target);
  }
  Pending pending[2] = {pend(&left)};
  Value right = expression(s->value);
  if (left.is_seq() && left.seq->is_list &&
      s->binary() == ast::Operator::Add) {  // a list is extended in place
    std::vector<Value> items;
    if (!iterate(right, s->value, &items)) fail(s->value, fmt::format("{} is not iterable", shown(right)));
    if (left.seq->region != regions_.back().id)
      fail(s, "a list may not change under runtime control flow",
           "build it before, or unroll with asc.static_range");
    left.seq->items.insert(left.seq->items.end(), items.begin(), items.end());
    return;
  }
  pending[1] = pend(&right);
  settle(pending, s);
  const Value result = binary(s->binary(), left, right, s);
  if (const auto* name = ast::dyn<ast::NameExpr>(s->target)) return bind(name->name, result, s->target);
  if (const auto* attr = ast::dyn<ast::Attribute>(s->target)) return store_attribute(attr, result, s->target);
  store_item(ast::as<ast::Subscript>(s->target), result, s->target);
}

void Frame::store(const Node* target, const Value& v, const Node* at) {
  switch (target->kind) {
    case NodeKind::Name: return bind(ast::as<ast::NameExpr>(target)->name, v, at);
    case NodeKind::Tuple:
    case NodeKind::List: return unpack(ast::as<ast::Sequence>(target), v, at);
    case NodeKind::Attribute: return store_attribute(ast::as<ast::Attribute>(target), v, at);
    case NodeKind::Subscript: return store_item(ast::as<ast::Subscript>(target), v, at);
    default: fail_syntax(target);
  }
}

static bool mentions(const ir::Expr* e, const ir::Var* var) {
  if (const auto* r = ir::as<ir::VarRef>(e)) return r->var == var;
  bool found = false;
  ir::for_each_operand(e, [&](const ir::Expr* operand) { found = found || mentions(operand, var); });
  return found;
}

void Frame::unpack(const ast::Sequence* target, const Value& v, const Node* at) {
  std::vector<Value> items;
  if (v.is_expr() || v.kind == ValueKind::Method || !iterate(v, at, &items))
    fail(at, fmt::format("cannot unpack {} into {} names", shown(v), target->elts.size()));
  for (const Node* t : target->elts)
    if (t->kind == NodeKind::Starred) fail_syntax(t);
  if (items.size() != target->elts.size())
    fail(at, fmt::format("ValueError: {} values for {} names", items.size(), target->elts.size()));
  // The container may be unpacked again: its items keep their nodes.
  for (Value& item : items) item = again(item, nullptr);
  // An item that reads a variable which an earlier target writes is saved first.
  for (uint32_t i = 1; i < target->elts.size(); i++) {
    if (!items[i].is_expr() || items[i].expr->type.is_object()) continue;
    for (uint32_t j = 0; j < i; j++) {
      const auto* name = ast::dyn<ast::NameExpr>(target->elts[j]);
      const Binding* b = name ? &bindings_[name->name->id] : nullptr;
      if (!name && order_effect(items[i].expr) == Effect::Read) {  // a field or an element may be the target
        items[i] = Value::of(ref(temporary("value", items[i].expr, at), at));
        break;
      }
      if (!b || !b->slot || !mentions(items[i].expr, b->var)) continue;
      // A tensor that nothing re-binds only gets a second name: nothing is written.
      const auto* other = items[j].is_expr() ? ir::as<ir::VarRef>(items[j].expr) : nullptr;
      if (items[i].expr->type.is_tensor() && other && !info(other->var).rebound) continue;
      items[i] = Value::of(ref(temporary("value", items[i].expr, at), at));
      break;
    }
  }
  for (uint32_t i = 0; i < target->elts.size(); i++) store(target->elts[i], items[i], target->elts[i]);
}

void Frame::if_statement(const ast::If* s) {
  std::optional<bool> known;
  set_if_true_.clear();
  ir::Expr* test = condition(s->test, &known);
  const std::vector<uint32_t> sure = std::move(set_if_true_);
  set_if_true_.clear();
  if (known) return block(*known ? s->body : s->orelse);
  const Construct& c = analysis_.of(s);
  ir::Block* blocks[2] = {build_.new_block(), build_.new_block()};
  Edge edges[2];
  Edge* live[2];
  size_t count = 0;
  for (int i = 0; i < 2; i++) {
    const ast::NodeList& body = i == 0 ? s->body : s->orelse;
    enter_guarded(blocks[i], i == 0 ? sure : std::vector<uint32_t>());
    block(body);
    if (reachable_) {
      edges[i] = edge(c.join, body.empty() ? nullptr : blocks[i]);
      live[count++] = &edges[i];
    }
    leave();
    reachable_ = true;
  }
  merge_all(c.join, std::span<Edge* const>(live, count), s);
  reachable_ = count > 0;
  if (blocks[0]->empty() && blocks[1]->empty()) {
    if (test->effect != Effect::Pure) build_.eval(test, loc(s->test));
    return;
  }
  if (blocks[0]->empty()) {
    test = build_.unary(ir::UnaryOp::Not, test, loc(s->test));
    std::swap(blocks[0], blocks[1]);
  }
  build_.if_(test, blocks[0], blocks[1]->empty() ? nullptr : blocks[1], loc(s));
}

void Frame::return_statement(const ast::Return* s) {
  ReturnSite site{nullptr, nullptr, Value::of(Py_None), s->value ? s->value : static_cast<const Node*>(s)};
  if (s->value) {
    site.value = s->value->kind == NodeKind::Tuple ? sequence(ast::as<ast::Sequence>(s->value), true)
                                                   : expression(s->value);
    if (fn_->is_kernel && !(site.value.is_static() && site.value.object == Py_None))
      fail(s->value,
           fmt::format("the kernel {} returns {}: a kernel returns nothing", fn_->name, shown(site.value)),
           "write the result to an argument in global memory");
    if (site.value.is_static() && site.value.expr && number(site.value)) session_.mark_used(site.value.expr);
  }
  site.stmt = build_.return_({}, loc(s));
  site.block = build_.block();
  returns_.push_back(site);
  reachable_ = false;
}

void Frame::assert_statement(const ast::Assert* s) {
  std::optional<bool> known;
  ir::Expr* test = condition(s->test, &known);
  if (known && *known) return;
  Text message;
  if (s->msg) format_piece(s->msg, &message);
  if (known) {
    std::string text = "AssertionError";
    for (size_t i = 0; s->msg && i < message.pieces.size(); i++) {
      if (i == 0) text += ": ";
      text += message.pieces[i];
      if (i < message.values.size()) text += fmt::format("<{}>", to_string(message.values[i]->type));
    }
    fail(s, text);
  }
  std::vector<std::string_view> pieces;
  if (s->msg) pieces.assign(message.pieces.begin(), message.pieces.end());
  build_.assert_(test, pieces, message.values, loc(s), message.spec_views());
}

void Frame::expression_statement(const ast::ExprStmt* s) {
  if (s->value->kind == NodeKind::Constant) return;  // a docstring
  const Value v = expression(s->value);
  if (v.is_expr() && (v.expr->effect != Effect::Pure || v.expr->kind == ir::ExprKind::Call))
    build_.eval(v.expr, loc(s));
}

void Frame::break_or_continue(const Node* s) {
  LoopState& loop = *loops_.back();
  const bool is_break = s->kind == NodeKind::Break;
  if (loop.unrolled) {
    return unrolled_jump(loop, s);
  } else if (is_break) {
    build_.break_(loc(s));
    loop.breaks_out.push_back(edge(loop.construct->join, build_.block(), true));
  } else {
    flow_to_head(loop, s);
    build_.continue_(loc(s));
    loop.turns.back().jump = true;
  }
  reachable_ = false;
}

}  // namespace asc::lower
