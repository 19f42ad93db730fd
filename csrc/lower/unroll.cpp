// SPDX-License-Identifier: Apache-2.0
// Loops over compile-time iterables: the body is lowered once for each item. Jumps that are decided at
// compile time only steer the lowering. For jumps under a runtime condition the turns get loops of one turn
// around them, to jump out of.
#include "lower/ast_visit.h"
#include "lower/frame.h"

namespace asc::lower {

using ast::Node;
using ast::NodeKind;

namespace {

struct RuntimeJump {
  const void* loop;
};

struct Jumps {
  bool breaks = false, continues = false;
};

// Jumps of this loop's own in its body.
void find_jumps(const Node* node, Jumps* found) {
  if (node->kind == NodeKind::Break) found->breaks = true;
  if (node->kind == NodeKind::Continue) found->continues = true;
  if (node->kind == NodeKind::For || node->kind == NodeKind::While) {
    const ast::NodeList& orelse =
        node->kind == NodeKind::For ? ast::as<ast::For>(node)->orelse : ast::as<ast::While>(node)->orelse;
    for (const Node* s : orelse) find_jumps(s, found);
    return;
  }
  if (ast::is_stmt(node->kind))
    ast::for_each_child(node, [&](const Node* child) { find_jumps(child, found); });
}

}  // namespace

void Frame::unrolled_jump(LoopState& loop, const Node* s) {
  const bool is_break = s->kind == NodeKind::Break;
  reachable_ = false;
  // Decided at compile time, unless a turn that goes on has left this one already.
  if (depth() == loop.depth && !(is_break && loop.wraps_turns && !loop.turns.empty())) {
    (is_break ? loop.breaks : loop.continues) = true;
    return;
  }
  if (!loop.wraps_all && !loop.wraps_turns) throw RuntimeJump{&loop};
  if (is_break && loop.wraps_turns) {
    build_.assign(loop.stop, build_.int_const(loop.stop->type, 1, loc(s)), loc(s));
    loop.stops = true;
  }
  build_.break_(loc(s));
  (is_break ? loop.breaks_out : loop.turns).push_back(edge(loop.construct->join, build_.block(), true));
}

// A number that a turn has is printed as it is: a constant of the name in each turn would say no more.
void Frame::store_item_of_turn(const Node* target, const Value& item) {
  plain_numbers_ = true;
  store(target, item, target);
  plain_numbers_ = false;
}

// Closes the one turn of a wrapper and joins the ways out of it.
void Frame::end_wrapper(ir::Block* block, std::vector<Edge>& edges, const LoopState& loop) {
  const std::vector<uint32_t>& names = loop.construct->join;
  if (reachable_) {
    build_.break_(loc(loop.node));
    edges.push_back(edge(names, block, true));
  }
  leave();
  std::vector<Edge*> paths;
  for (Edge& e : edges) paths.push_back(&e);
  merge_all(names, paths, loop.node);
  reachable_ = !paths.empty();
  const Loc where = loc(loop.node);
  build_.while_(nullptr, build_.int_const(Type::scalar(DType::Bool), 1, where), block, nullptr, where);
}

void Frame::wrapped_turn(LoopState& loop, const ast::For* s, const Value& item) {
  ir::Block* turn = build_.new_block();
  loop.turns.clear();
  const uint32_t outside = loop.depth;
  enter(turn);
  loop.depth = depth();
  store_item_of_turn(s->target, item);
  block(s->body);
  if (loop.continues || loop.breaks) reachable_ = true;  // decided at compile time: falls out of the turn
  end_wrapper(turn, loop.turns, loop);
  loop.depth = outside;
  if (!loop.stops) return;
  loop.stops = false;
  if (!reachable_) {  // every way out of the turn leaves the loop
    build_.break_(loc(s));
    return;
  }
  ir::Block* leaves = build_.new_block();
  enter(leaves);
  build_.break_(loc(s));
  leave();
  build_.if_(ref(loop.stop, s), leaves, nullptr, loc(s));
}

void Frame::unroll_turns(LoopState& loop, const ast::For* s, std::span<const Value> items) {
  loops_.push_back(&loop);
  for (const Value& item : items) {
    if (loop.wraps_turns) {
      wrapped_turn(loop, s, item);
    } else {
      store_item_of_turn(s->target, again(item, s->target));
      block(s->body);
      if (loop.continues) reachable_ = true;
    }
    loop.continues = false;
    if (!reachable_ || loop.breaks) break;
  }
  loops_.pop_back();
  if (loop.breaks)
    reachable_ = true;
  else if (reachable_ && loop.finished)
    build_.assign(loop.finished, build_.int_const(loop.finished->type, 1, loc(s)), loc(s));
  else if (reachable_)
    block(s->orelse);
}

void Frame::unroll(const ast::For* s, std::span<const Value> given) {
  std::vector<Value> items(given.begin(), given.end());
  for (Value& item : items) keep_value(&item, s->iter, true);
  LoopState loop{};
  loop.node = s;
  loop.construct = &analysis_.of(s);
  loop.unrolled = true;
  loop.depth = depth();
  Jumps jumps;
  for (const Node* n : s->body) find_jumps(n, &jumps);
  if (!jumps.breaks && !jumps.continues) return unroll_turns(loop, s, items);

  // Most jumps are decided at compile time: only when one is not, everything is lowered again inside of
  // wrappers.
  const size_t regions = regions_.size(), loops = loops_.size(), returns = returns_.size();
  const size_t statements = build_.block()->size();
  enter(build_.block(), false);
  try {
    unroll_turns(loop, s, items);
    return leave(true);
  } catch (const RuntimeJump& jump) {
    if (jump.loop != &loop) throw;
  }
  while (regions_.size() > regions) leave(false, false);
  loops_.resize(loops);
  returns_.resize(returns);
  build_.block()->resize(statements);
  retried_ = true;
  reachable_ = true;
  loop.breaks = loop.continues = false;
  loop.depth = depth();
  loop.wraps_turns = jumps.continues;
  loop.wraps_all = jumps.breaks;
  if (loop.wraps_turns && loop.wraps_all) loop.stop = flag("stop", s);
  if (!loop.wraps_all) return unroll_turns(loop, s, items);
  // Jumps of an else belong to a loop further out: it stands behind the wrapper.
  Jumps outer;
  for (const Node* n : s->orelse) find_jumps(n, &outer);
  if (outer.breaks || outer.continues) loop.finished = flag("finished", s);
  ir::Block* all = build_.new_block();
  enter(all);
  loop.depth = depth();
  unroll_turns(loop, s, items);
  end_wrapper(all, loop.breaks_out, loop);
  if (!loop.finished || !reachable_) return;
  ir::Block* orelse = build_.new_block();
  enter(orelse);
  block(s->orelse);
  Edge after = edge(loop.construct->join, orelse);
  const bool ends = reachable_;
  leave();
  Edge broken = edge(loop.construct->join, nullptr);
  Edge* paths[] = {&broken, &after};
  merge_all(loop.construct->join, std::span<Edge* const>(paths, ends ? 2 : 1), s);
  reachable_ = true;
  build_.if_(ref(loop.finished, s), orelse, nullptr, loc(s));
}

ir::Var* Frame::flag(std::string_view name, const Node* at) {
  return temporary(name, build_.int_const(Type::scalar(DType::Bool), 0, loc(at)), at);
}

}  // namespace asc::lower
