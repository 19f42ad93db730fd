// SPDX-License-Identifier: Apache-2.0
// Loops: over ranges and conditions (they stay loops), over compile-time iterables (they are unrolled).
#include "base/format.h"
#include "lower/frame.h"

namespace asc::lower {

using ast::Node;
using ast::NodeKind;

// Is this a call of `range`? Its function is evaluated (a name or an attribute, without effect).
static const ast::Call* plain_call(const Node* e) {
  const auto* call = ast::dyn<ast::Call>(e);
  return call && (call->func->kind == NodeKind::Name || call->func->kind == NodeKind::Attribute) ? call
                                                                                                 : nullptr;
}

void Frame::for_statement(const ast::For* s) {
  if (const ast::Call* call = plain_call(s->iter)) {
    const auto* root = call->func;
    while (const auto* a = ast::dyn<ast::Attribute>(root)) root = a->value;
    const auto* name = ast::dyn<ast::NameExpr>(root);
    if (name && !analysis_.locals.test(name->name->id) && !bindings_[name->name->id].bound()) {
      const Value callee = expression(call->func);
      const auto builtin = callee.is_static() ? as_builtin(callee.object) : std::nullopt;
      if (builtin == BuiltinId::Range) {
        std::vector<Argument> args;
        arguments(call, &args);
        return range_loop(s, args, call, false);
      }
      if (builtin == BuiltinId::StaticRange) {
        std::vector<Value> items;
        iterate(expression(s->iter), s->iter, &items);
        return unroll(s, items);
      }
      const ast::Call* inner =
          call->args.size() == 1 && call->keywords.empty() ? plain_call(call->args[0]) : nullptr;
      if (inner && callee.is_static() && callee.object == reinterpret_cast<PyObject*>(&PyReversed_Type)) {
        const Value range = expression(inner->func);
        if (range.is_static() && as_builtin(range.object) == BuiltinId::Range) {
          std::vector<Argument> args;
          arguments(inner, &args);
          return range_loop(s, args, inner, true);
        }
      }
    }
  }
  const Value v = expression(s->iter);
  if (v.is_static() && PyRange_Check(v.object)) {
    std::vector<Argument> args;
    for (const char* field : {"start", "stop", "step"})
      args.push_back(
          {number_value(check(PyObject_GetAttrString(v.object, field), s->iter)), s->iter, nullptr});
    return range_loop(s, args, s->iter, false);
  }
  std::vector<Value> items;
  if (!iterate(v, s->iter, &items))
    fail(s->iter, fmt::format("for over {} is not possible", shown(v)),
         "loop over range(...), or over something that is known at compile time");
  unroll(s, items);
}

void Frame::prepare_head(LoopState& loop) {
  loop.head.clear();
  loop.turns.clear();
  loop.breaks_out.clear();
  loop.retry = false;
  for (uint32_t name : loop.construct->join) {
    const size_t known = fn_->vars.size();
    Binding b = head_binding(name, loop);
    if (fn_->vars.size() > known) loop.made.push_back(b.var);
    if (b.slot) set(name, b);
    loop.head.push_back(b);
  }
}

// After the body: what the names are behind the loop. `exit`: the path from the head, or null if only breaks
// leave the loop.
void Frame::finish_loop(LoopState& loop, Edge* exit, const ast::NodeList& orelse, bool runs,
                        ir::Block** orelse_block) {
  const std::vector<uint32_t>& names = loop.construct->join;
  std::vector<Edge*> turns;
  for (Edge& e : loop.turns) turns.push_back(&e);
  for (size_t i = 0; exit && i < names.size(); i++) {
    Binding& b = exit->bindings[i];
    if (!b.bound()) {
      b = merge(names[i], i, turns, loop.node);
      if (b.bound() && !runs) {
        b.state = Binding::State::Maybe;
        b.other = loop.node;
      }
    } else if (!b.slot && !turns.empty()) {
      // Not a variable: the body may have bound something else, which no turn reads.
      std::vector<Edge*> paths = turns;
      Edge head = *exit;
      paths.push_back(&head);
      bool same = true;
      for (Edge* e : turns) same = same && same_binding(b, e->bindings[i]);
      if (!same) b = merge(names[i], i, paths, loop.node);
    }
  }
  std::vector<Edge*> edges;
  Edge out;
  if (exit && (!orelse.empty() || !loop.breaks_out.empty())) {
    *orelse_block = build_.new_block();
    enter(*orelse_block);
    for (size_t i = 0; i < names.size(); i++) set(names[i], exit->bindings[i]);
    block(orelse);
    if (reachable_) {
      out = edge(names, *orelse_block);
      edges.push_back(&out);
    }
    leave();
  } else if (exit) {
    edges.push_back(exit);
  }
  for (Edge& e : loop.breaks_out) edges.push_back(&e);
  merge_all(names, edges, loop.node);
  reachable_ = !edges.empty();
  if (*orelse_block && (*orelse_block)->empty()) *orelse_block = nullptr;
}

void Frame::range_loop(const ast::For* s, std::span<const Argument> given, const Node* call, bool reversed) {
  if (given.empty() || given.size() > 3)
    fail(call, fmt::format("TypeError: range expected 1 to 3 arguments, got {}", given.size()));
  Value values[3];  // start, stop, step
  const Node* nodes[3] = {call, call, call};
  for (size_t i = 0; i < given.size(); i++) {
    if (given[i].keyword) fail(given[i].node, "TypeError: range takes no keyword arguments");
    const size_t at = given.size() == 1 ? 1 : i;
    values[at] = given[i].value;
    nodes[at] = given[i].node;
  }
  bool all_static = true;
  DType type = DType::Void;
  for (int i = 0; i < 3; i++) {
    if (values[i].kind == ValueKind::Unset) {
      values[i] = Value::of(session_.keep(PyLong_FromLong(i == 2)));
      continue;
    }
    const auto n = number(values[i]);
    if ((n && n->form == Number::Form::Float) || (!n && !is_scalar(values[i])) ||
        (is_scalar(values[i]) && is_float(values[i].expr->type.elem)))
      fail(nodes[i], fmt::format("TypeError: range over {}: it must be an integer", shown(values[i])));
    if (n) continue;
    all_static = false;
    const DType own = computed(values[i].expr->type.elem);
    const Promotion p = type == DType::Void ? Promotion{own} : promote(type, own);
    if (p.error) fail(nodes[i], p.error, p.hint);
    type = p.type;
  }
  for (int i = 0; i < 3; i++)
    if (const auto n = number(values[i])) {
      if (i == 2 && n->bits == 0) fail(nodes[i], "ValueError: range() arg 3 must not be zero");
      const Promotion p = type == DType::Void || (i == 2 && is_unsigned_int(type))
                              ? Promotion{type == DType::Void ? computed(n->natural()) : type}
                              : promote_literal(*n, type);
      if (p.error) fail(nodes[i], p.error, p.hint);
      type = p.type;
    }
  if (all_static && type != DType::I64) type = DType::I32;
  if (const auto n = number(values[2]); n && n->is_negative() && is_unsigned_int(type)) type = DType::I64;

  bool runs = false;
  if (all_static) {
    const int64_t start = number(values[0])->bits, stop = number(values[1])->bits,
                  step = number(values[2])->bits;
    runs = step > 0 ? start < stop : start > stop;
  }
  if (reversed) {
    const auto step = number(values[2]);
    if (!step || step->bits != 1)
      fail(call, "reversed(range(...)) with a step is not supported",
           "write the range downwards: range(last, first - 1, -step)");
    PyObject* one = session_.keep(PyLong_FromLong(1));
    const Value last = binary(ast::Operator::Sub, values[1], Value::of(one), call);
    values[1] = binary(ast::Operator::Sub, values[0], Value::of(one), call);
    values[0] = last;
    values[2] = Value::of(session_.keep(PyLong_FromLong(-1)));
    if (is_unsigned_int(type)) type = DType::I64;
  }
  ir::Expr* bounds[3];
  for (int i = 0; i < 3; i++) bounds[i] = as_scalar(values[i], type, nodes[i]);
  if (ir::const_int(bounds[2]) == 1) bounds[2] = nullptr;
  for (ir::Expr*& e : bounds)  // evaluated once, before anything of the loop
    if (e && e->effect >= Effect::Write) e = ref(temporary("bound", e, call), call);

  LoopState loop{};
  loop.node = s;
  loop.construct = &analysis_.of(s);
  loop.depth = depth();
  const size_t returns = returns_.size();
  const auto* name = ast::dyn<ast::NameExpr>(s->target);
  ir::Block* body;
  ir::Var* var;
  for (;;) {
    prepare_head(loop);
    body = build_.new_block();
    loops_.push_back(&loop);
    enter(body);
    Binding* old = name ? &bindings_[name->name->id] : nullptr;
    const bool outside = old && old->bound() && old->slot && old->var->type == Type::scalar(type) &&
                         !old->var->by_ref && info(old->var).depth < depth();
    bool joined = false;
    for (uint32_t id : loop.construct->join) joined = joined || (name && id == name->name->id);
    if (outside && joined) {
      var = old->var;
      info(var).rebound = true;
      info(var).literal = false;
      Binding b = *old;
      b.state = Binding::State::Bound;
      b.set_at = s->target;
      set(name->name->id, b);
    } else {
      var = new_var(name ? name->name->utf8 : "item", Type::scalar(type), s->target);
      VarInfo& v = info(var);
      v.block = body;
      v.depth = depth();
      v.fresh = true;
      store(s->target, Value::of(build_.var(var, loc(s->target))), s->target);
    }
    block(s->body);
    if (reachable_) flow_to_head(loop, s);
    leave();
    loops_.pop_back();
    reachable_ = true;
    if (!loop.retry) break;
    retried_ = true;
    returns_.resize(returns);
  }
  Edge exit;
  exit.bindings = loop.head;
  ir::Block* orelse = nullptr;
  finish_loop(loop, &exit, s->orelse, runs, &orelse);
  const bool declares = info(var).depth > depth();
  build_.for_(var, bounds[0], bounds[1], bounds[2], body, orelse, declares, loc(s));
}

void Frame::while_statement(const ast::While* s) {
  LoopState loop{};
  loop.node = s;
  loop.construct = &analysis_.of(s);
  loop.depth = depth();
  const size_t returns = returns_.size();
  ir::Block *pre, *body;
  ir::Expr* test;
  std::optional<bool> known;
  Edge exit;
  std::vector<uint32_t> bound_in_test;
  for (;;) {
    prepare_head(loop);
    pre = build_.new_block();
    enter(pre);
    known.reset();
    test = condition(s->test, &known);
    if (known && !*known) {
      leave();
      return block(s->orelse);
    }
    exit = edge(loop.construct->join, nullptr);
    bound_in_test = changed();
    body = build_.new_block();
    loops_.push_back(&loop);
    enter(body);
    block(s->body);
    if (reachable_) flow_to_head(loop, s);
    leave();
    loops_.pop_back();
    reachable_ = true;
    std::vector<ir::Var*> outer;  // what the condition binds is seen by the body and behind the loop
    for (uint32_t name : bound_in_test)
      if (bindings_[name].bound() && bindings_[name].var) outer.push_back(bindings_[name].var);
    leave();
    for (ir::Var* var : outer) hoist(var, s);
    if (!loop.retry) break;
    retried_ = true;
    returns_.resize(returns);
  }
  ir::Block* orelse = nullptr;
  finish_loop(loop, known ? nullptr : &exit, s->orelse, true, &orelse);
  if (known) test = build_.int_const(Type::scalar(DType::Bool), 1, loc(s->test));
  build_.while_(pre->empty() ? nullptr : pre, test, body, orelse, loc(s));
}

}  // namespace asc::lower
