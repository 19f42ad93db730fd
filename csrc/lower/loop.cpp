// SPDX-License-Identifier: Apache-2.0
// Loops: over ranges and conditions (they stay loops), over compile-time iterables (they are unrolled).
#include <algorithm>

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
         v.is_expr() && v.expr->type.is_tensor()
             ? fmt::format("loop over range(...) and take elements: {}.get_value(i)", text_of(s->iter))
             : "loop over range(...), or over something that is known at compile time");
  unroll(s, items);
}

void Frame::prepare_head(LoopState& loop) {
  loop.head.clear();
  loop.literals.clear();
  loop.turns.clear();
  loop.breaks_out.clear();
  // What did not meet in a round that asked for wider literals may meet now.
  if (loop.asked) loop.conflicts.resize(loop.settled);
  loop.settled = loop.conflicts.size();
  loop.retry = loop.asked = loop.failed = false;
  loop.failing.clear();
  loop.typed = session_.typed;
  loop.copies = copies_.size();
  for (const auto& [name, unread] : loop.conflicts) set(name, unread);
  for (uint32_t name : loop.construct->join) {
    const size_t known = fn_->vars.size();
    Binding b = head_binding(name, loop);
    if (fn_->vars.size() > known) loop.made.push_back(b.var);
    if (b.slot || b.state == Binding::State::Conflict) set(name, b);
    loop.head.push_back(b);
    loop.literals.push_back(b.bound() && b.slot && b.literal);
  }
}

// A statement that cannot be lowered may be right once the ones after it are known: they give a literal of
// the head its type, or a tensor its element type. It is left out of this round, and counts if there is no
// other.
void Frame::loop_body(LoopState& loop, const ast::NodeList& body) {
  const size_t regions = regions_.size(), loops = loops_.size();
  for (const Node* s : body) {
    if (!reachable_) return;
    const size_t returns = returns_.size(), statements = build_.block()->size();
    const size_t specialisations = session_.specialisations.size();
    try {
      statement(s);
      continue;
    } catch (const CompileError&) {
      const auto known = std::find_if(loop.errors.begin(), loop.errors.end(),
                                      [&](const auto& error) { return error.first == s; });
      if (known == loop.errors.end())
        loop.errors.emplace_back(s, std::current_exception());
      else
        known->second = std::current_exception();
      loop.failing.push_back(s);
    } catch (const Bug&) {
      if (!loop.failed) throw;
    }
    loop.failed = retried_ = reachable_ = true;
    while (regions_.size() > regions) leave(false, false);
    loops_.resize(loops);
    returns_.resize(returns);
    session_.drop_unfinished(specialisations);
    build_.set_block(regions_.back().block);
    build_.block()->resize(statements);
    hint_call_ = nullptr;
    item_name_.clear();
    plain_numbers_ = false;
    set_if_true_.clear();
  }
}

void Frame::round_ends(LoopState& loop) {
  if (!loop.failed) return;
  loop.retry = loop.retry || session_.typed > loop.typed;
  if (loop.retry) return;
  // The one that stood first of all, unless what came behind it made it right.
  for (const auto& [statement, error] : loop.errors)
    if (std::find(loop.failing.begin(), loop.failing.end(), statement) != loop.failing.end())
      std::rethrow_exception(error);
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
    if (b.state == Binding::State::Conflict) continue;
    for (Edge* e : turns) {  // behind the loop it is a literal only if it comes back as one
      Type type;
      bool literal = false;
      if (e->bindings[i].bound() && form_of(e->bindings[i], &type, &literal))
        b.literal = b.literal && literal;
    }
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

// What range(...) was called with: checked, with the type that the loop variable gets.
Frame::RangeBounds Frame::range_bounds(std::span<const Argument> given, const Node* call) {
  if (given.empty() || given.size() > 3)
    fail(call, fmt::format("TypeError: range expected 1 to 3 arguments, got {}", given.size()));
  RangeBounds r;
  for (int i = 0; i < 3; i++) {
    r.values[i] = Value::of(session_.keep(PyLong_FromLong(i == 2)));
    r.nodes[i] = call;
  }
  for (size_t i = 0; i < given.size(); i++) {
    if (given[i].keyword) fail(given[i].node, "TypeError: range takes no keyword arguments");
    const size_t at = given.size() == 1 ? 1 : i;
    r.values[at] = given[i].value;
    r.nodes[at] = given[i].node;
  }
  bool all_static = true;
  for (int i = 0; i < 3; i++) {
    const auto n = number(r.values[i]);
    const bool is_integer =
        n ? n->form != Number::Form::Float : is_scalar(r.values[i]) && !is_float(r.values[i].expr->type.elem);
    if (!is_integer)
      fail(r.nodes[i], fmt::format("TypeError: range over {}: it must be an integer", shown(r.values[i])));
    if (n) continue;
    all_static = false;
    const DType own = computed(r.values[i].expr->type.elem);
    const Promotion p = r.type == DType::Void ? Promotion{own} : promote(r.type, own);
    if (p.error) fail(r.nodes[i], p.error, p.hint);
    r.type = p.type;
  }
  const auto step = number(r.values[2]);
  if (step && step->bits == 0) fail(r.nodes[2], "ValueError: range() arg 3 must not be zero");
  if (step && step->is_negative() && is_unsigned_int(r.type)) r.type = DType::I64;
  for (int i = 0; i < 3; i++) {
    const auto n = number(r.values[i]);
    if (!n) continue;
    const Promotion p =
        r.type == DType::Void ? Promotion{computed(n->natural())} : promote_literal(*n, r.type);
    if (p.error) fail(r.nodes[i], p.error, p.hint);
    r.type = p.type;
    if (step && step->is_negative() && is_unsigned_int(r.type)) r.type = DType::I64;
  }
  if (all_static) {
    if (r.type != DType::I64) r.type = DType::I32;
    const int64_t start = number(r.values[0])->bits, stop = number(r.values[1])->bits;
    r.runs = step->bits > 0 ? start < stop : start > stop;
  }
  return r;
}

// reversed(range(a, b)) is range(b - 1, a - 1, -1).
void Frame::reverse(RangeBounds& r, const Node* call) {
  const auto step = number(r.values[2]);
  if (!step || step->bits != 1)
    fail(call, "reversed(range(...)) with a step is not supported",
         "write the range downwards: range(last, first - 1, -step)");
  if (is_unsigned_int(r.type)) {  // first - 1 may be -1
    r.type = DType::I64;
    for (int i = 0; i < 2; i++) r.values[i] = Value::of(as_scalar(r.values[i], r.type, r.nodes[i]));
  }
  const Value one = Value::of(session_.keep(PyLong_FromLong(1)));
  const Value last = binary(ast::Operator::Sub, r.values[1], one, call);
  r.values[1] = binary(ast::Operator::Sub, r.values[0], one, call);
  r.values[0] = last;
  r.values[2] = Value::of(session_.keep(PyLong_FromLong(-1)));
}

// Binds the target inside the body, to a variable from outside if the name lives on there.
ir::Var* Frame::loop_variable(const ast::For* s, const LoopState& loop, Type type, ir::Block* body) {
  const auto* name = ast::dyn<ast::NameExpr>(s->target);
  const std::vector<uint32_t>& joined = loop.construct->join;
  if (name && std::find(joined.begin(), joined.end(), name->name->id) != joined.end()) {
    Binding b = bindings_[name->name->id];
    if (b.bound() && b.slot && b.var->type == type && !b.var->by_ref && info(b.var).depth < depth()) {
      info(b.var).rebound = true;
      b.literal = false;
      b.state = Binding::State::Bound;
      b.set_at = s->target;
      set(name->name->id, b);
      return b.var;
    }
  }
  ir::Var* var = new_var(name ? name->name->utf8 : "item", type, s->target);
  VarInfo& v = info(var);
  v.block = body;
  v.depth = depth();
  v.fresh = true;
  store(s->target, Value::of(build_.var(var, loc(s->target))), s->target);
  return var;
}

void Frame::range_loop(const ast::For* s, std::span<const Argument> given, const Node* call, bool reversed) {
  RangeBounds r = range_bounds(given, call);
  if (reversed) reverse(r, call);
  ir::Expr* bounds[3];
  for (int i = 0; i < 3; i++) bounds[i] = as_scalar(r.values[i], r.type, r.nodes[i]);
  if (ir::const_int(bounds[2]) == 1) bounds[2] = nullptr;
  for (ir::Expr*& e : bounds)  // evaluated once, before anything of the loop
    if (e && e->effect >= Effect::Write) e = ref(temporary("bound", e, call), call);

  LoopState loop{};
  loop.node = s;
  loop.construct = &analysis_.of(s);
  loop.depth = depth();
  const size_t returns = returns_.size();
  ir::Block* body;
  ir::Var* var;
  do {
    prepare_head(loop);
    returns_.resize(returns);
    body = build_.new_block();
    loops_.push_back(&loop);
    enter(body);
    var = loop_variable(s, loop, Type::scalar(r.type), body);
    loop_body(loop, s->body);
    if (reachable_) flow_to_head(loop, s);
    leave();
    loops_.pop_back();
    round_ends(loop);
    reachable_ = true;
    retried_ = retried_ || loop.retry;
  } while (loop.retry);
  Edge exit;
  exit.bindings = loop.head;
  ir::Block* orelse = nullptr;
  finish_loop(loop, &exit, s->orelse, r.runs, &orelse);
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
    set_if_true_.clear();
    test = condition(s->test, &known);
    const std::vector<uint32_t> sure = std::move(set_if_true_);
    set_if_true_.clear();
    if (known && !*known) {
      leave();
      return block(s->orelse);
    }
    exit = edge(loop.construct->join, nullptr);
    bound_in_test = changed();
    body = build_.new_block();
    loops_.push_back(&loop);
    enter_guarded(body, sure);
    loop_body(loop, s->body);
    if (reachable_) flow_to_head(loop, s);
    leave();
    loops_.pop_back();
    round_ends(loop);
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
  finish_loop(loop, known ? nullptr : &exit, s->orelse, false, &orelse);
  if (known) test = build_.int_const(Type::scalar(DType::Bool), 1, loc(s->test));
  build_.while_(pre->empty() ? nullptr : pre, test, body, orelse, loc(s));
}

}  // namespace asc::lower
