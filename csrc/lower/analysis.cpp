// SPDX-License-Identifier: Apache-2.0
// Backward liveness over structured statements.
#include "lower/analysis.h"

#include "lower/ast_visit.h"

namespace asc::lower {

using namespace ast;

namespace {

class Walk {
 public:
  Walk(Analysis& out, const Module& module) : out_(out), words_((module.names.size() + 63) / 64) {}

  void run(const FunctionDef& fn) {
    out_.locals = Bits(words_);
    out_.joined = Bits(words_);
    out_.reassigned = Bits(words_);
    auto param = [&](const Arg* a) {
      if (a) out_.locals.set(a->name->id);
    };
    for (const Arg* a : fn.args->posonly) param(a);
    for (const Arg* a : fn.args->args) param(a);
    for (const Arg* a : fn.args->kwonly) param(a);
    param(fn.args->vararg);
    param(fn.args->kwarg);
    Bits assigned(words_);
    for (const Node* s : fn.body) collect_assigned(s, &assigned);
    Bits once = out_.locals;
    for (const Node* s : fn.body) count_assigned(s, &once, false);
    out_.locals |= assigned;
    Bits live(words_);
    block(fn.body, &live);
  }

 private:
  struct Loop {
    Bits brk, cont;
  };

  void targets(const Node* t, Bits* set) {
    if (const auto* name = dyn<NameExpr>(t)) return set->set(name->name->id);
    if (Sequence::is(t->kind))
      for (const Node* e : as<Sequence>(t)->elts) targets(e, set);
    if (const auto* star = dyn<Starred>(t)) targets(star->value, set);
  }
  void kill(const Node* t, Bits* live) {
    if (const auto* name = dyn<NameExpr>(t)) return live->reset(name->name->id);
    if (Sequence::is(t->kind)) {
      for (const Node* e : as<Sequence>(t)->elts) kill(e, live);
      return;
    }
    reads(t, live);  // a[i] = ..., a.b = ... read a
  }

  void collect_assigned(const Node* node, Bits* set) {
    switch (node->kind) {
      case NodeKind::Assign:
        for (const Node* t : as<Assign>(node)->targets) targets(t, set);
        break;
      case NodeKind::AugAssign: targets(as<AugAssign>(node)->target, set); break;
      case NodeKind::AnnAssign: targets(as<AnnAssign>(node)->target, set); break;
      case NodeKind::For: targets(as<For>(node)->target, set); break;
      case NodeKind::NamedExpr: targets(as<NamedExpr>(node)->target, set); break;
      case NodeKind::withitem:
        if (as<WithItem>(node)->var) targets(as<WithItem>(node)->var, set);
        break;
      case NodeKind::FunctionDef: set->set(as<FunctionDef>(node)->name->id); return;
      case NodeKind::Lambda: return;
      default: break;
    }
    for_each_child(node, [&](const Node* child) { collect_assigned(child, set); });
  }

  void count_assigned(const Node* node, Bits* once, bool in_loop) {
    if (const auto* name = dyn<NameExpr>(node)) {
      if (name->context() != Context::Store) return;
      if (in_loop || once->test(name->name->id)) out_.reassigned.set(name->name->id);
      return once->set(name->name->id);
    }
    in_loop = in_loop || node->kind == NodeKind::For || node->kind == NodeKind::While ||
              node->kind == NodeKind::With;
    for_each_child(node, [&](const Node* child) { count_assigned(child, once, in_loop); });
  }

  // Names that an expression reads. A conditional expression is a construct of its own; what is live behind
  // it does not matter to it beyond the statement, and the statement's names are in `live`.
  void reads(const Node* node, Bits* live) {
    if (!node) return;
    if (const auto* name = dyn<NameExpr>(node)) {
      if (name->context() == Context::Load) live->set(name->name->id);
      return;
    }
    for_each_child(node, [&](const Node* child) { reads(child, live); });
  }

  void block(const NodeList& body, Bits* live) {
    for (uint32_t i = body.size(); i-- > 0;) statement(body[i], live);
  }

  Construct& record(const Node* node) {
    if (out_.index[node->id] < 0) {
      out_.index[node->id] = static_cast<int32_t>(out_.constructs.size());
      out_.constructs.emplace_back();
      Construct& c = out_.constructs.back();
      c.assigned = Bits(words_);
      collect_assigned(node, &c.assigned);
    }
    return out_.constructs[static_cast<size_t>(out_.index[node->id])];
  }

  void finish(const Node* node, const Bits& live_out, const Bits* live_head) {
    Construct& c = record(node);
    c.live_out = live_out;
    Bits wanted = live_out;
    if (live_head) {
      c.live_head = *live_head;
      wanted |= *live_head;
    }
    wanted &= c.assigned;
    c.join.clear();
    wanted.each([&](uint32_t id) { c.join.push_back(id); });
    out_.joined |= wanted;
  }

  void loop(const Node* node, const Node* target, const Node* test, const NodeList& body,
            const NodeList& orelse, Bits* live) {
    const Bits out = *live;
    Bits exit = out;
    block(orelse, &exit);
    Bits head = exit;
    reads(test, &head);
    for (;;) {
      loops_.push_back({out, head});
      Bits in = head;
      block(body, &in);
      loops_.pop_back();
      if (target) kill(target, &in);
      in |= exit;
      reads(test, &in);
      if (in == head) break;
      head |= in;
    }
    finish(node, out, &head);
    *live = head;
  }

  void statement(const Node* s, Bits* live) {
    switch (s->kind) {
      case NodeKind::Assign: {
        const auto* n = as<Assign>(s);
        for (const Node* t : n->targets) kill(t, live);
        return reads(n->value, live);
      }
      case NodeKind::AnnAssign: {
        const auto* n = as<AnnAssign>(s);
        if (!n->value) return;
        kill(n->target, live);
        return reads(n->value, live);
      }
      case NodeKind::AugAssign: {
        const auto* n = as<AugAssign>(s);
        if (const auto* name = dyn<NameExpr>(n->target))
          live->set(name->name->id);
        else
          reads(n->target, live);
        return reads(n->value, live);
      }
      case NodeKind::If: {
        const auto* n = as<If>(s);
        const Bits out = *live;
        Bits other = out;
        block(n->body, live);
        block(n->orelse, &other);
        *live |= other;
        finish(s, out, nullptr);
        return reads(n->test, live);
      }
      case NodeKind::For: {
        const auto* n = as<For>(s);
        loop(s, n->target, nullptr, n->body, n->orelse, live);
        return reads(n->iter, live);
      }
      case NodeKind::While: {
        const auto* n = as<While>(s);
        return loop(s, nullptr, n->test, n->body, n->orelse, live);
      }
      case NodeKind::With: {  // a loop: with matmul.iterate() as i
        const auto* n = as<With>(s);
        loop(s, n->items[0]->var, nullptr, n->body, {}, live);
        for (const WithItem* item : n->items) reads(item->context, live);
        return;
      }
      case NodeKind::Return: *live = Bits(words_); return reads(as<Return>(s)->value, live);
      case NodeKind::Break:
        if (!loops_.empty()) *live = loops_.back().brk;
        return;
      case NodeKind::Continue:
        if (!loops_.empty()) *live = loops_.back().cont;
        return;
      default: return reads(s, live);
    }
  }

  Analysis& out_;
  size_t words_;
  std::vector<Loop> loops_;
};

}  // namespace

Analysis::Analysis(const Module& module) : index(module.node_count, -1) {
  Walk(*this, module).run(*module.function);
}

const Node* Analysis::find_assignment(const Node* node, const Name* name) {
  const Node* target = nullptr;
  if (const auto* n = dyn<NameExpr>(node))
    return n->context() == Context::Store && n->name == name ? node : nullptr;
  for_each_child(node, [&](const Node* child) {
    if (!target) target = find_assignment(child, name);
  });
  return target;
}

}  // namespace asc::lower
