// SPDX-License-Identifier: Apache-2.0
// How the bindings of several paths meet: the one place where a name gets a variable because of control flow
// (see scope.h).
#include <algorithm>

#include "base/format.h"
#include "lower/frame.h"

namespace asc::lower {

using ast::Node;

Edge Frame::edge(const std::vector<uint32_t>& names, ir::Block* block, bool jump) const {
  Edge e;
  e.block = block;
  e.jump = jump;
  e.bindings.reserve(names.size());
  for (uint32_t name : names) e.bindings.push_back(bindings_[name]);
  return e;
}

std::string Frame::describe(const Binding& b) const {
  return b.slot || b.is_alias() ? to_string(b.var->type) : shown(b.value);
}

// Two bindings of one name, as a message tells them apart.
std::pair<std::string, std::string> Frame::describe_two(const Binding& a, const Binding& b) const {
  std::string one = describe(a), other = describe(b);
  if (one != other) return {one, other};
  if (one.starts_with("a ")) one.erase(0, 2);
  return {"one " + one, "another"};
}

bool Frame::form_of(const Binding& b, Type* type, bool* literal) const {
  *literal = false;
  if (b.slot || b.is_alias()) {
    *type = b.var->type;
    *literal = b.slot && b.literal;
    return !type->is_object();
  }
  if (!b.value.is_static()) return false;
  EnumId id;
  int64_t value;
  if (as_enum(b.value.object, &id, &value)) {
    *type = Type::of_enum(static_cast<uint16_t>(id));
    return true;
  }
  const auto n = number(b.value);
  if (!n) return false;
  *type = Type::scalar(n->natural());
  *literal = n->pinned == DType::Void && n->form != Number::Form::Bool;
  return true;
}

static bool same_object(PyObject* a, PyObject* b) {
  if (a == b) return true;
  if (Py_TYPE(a) != Py_TYPE(b)) return false;
  if (PyFloat_CheckExact(a)) {  // 0.0 and -0.0 differ
    const double x = PyFloat_AS_DOUBLE(a), y = PyFloat_AS_DOUBLE(b);
    return __builtin_bit_cast(uint64_t, x) == __builtin_bit_cast(uint64_t, y);
  }
  if (PyTuple_CheckExact(a)) {
    if (PyTuple_GET_SIZE(a) != PyTuple_GET_SIZE(b)) return false;
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(a); i++)
      if (!same_object(PyTuple_GET_ITEM(a, i), PyTuple_GET_ITEM(b, i))) return false;
    return true;
  }
  if (!PyLong_Check(a) && !PyUnicode_CheckExact(a) && !PyBytes_CheckExact(a) && !number_of(a)) return false;
  const int equal = PyObject_RichCompareBool(a, b, Py_EQ);
  if (equal < 0) drop_error();
  return equal == 1;
}

bool ArgKey::same(const ArgKey& o) const {
  if (form != o.form) return false;
  if (form == Form::Static) return pinned == o.pinned && same_object(object, o.object);
  if (form == Form::Runtime) return type == o.type;
  return is_list == o.is_list && items.size() == o.items.size() &&
         std::equal(items.begin(), items.end(), o.items.begin(),
                    [](const ArgKey& a, const ArgKey& b) { return a.same(b); });
}

bool Frame::same_binding(const Binding& a, const Binding& b) const {
  const bool a_var = a.slot || a.is_alias(), b_var = b.slot || b.is_alias();
  if (a_var != b_var) return false;
  if (a_var) return a.var == b.var;
  if (a.value.kind != b.value.kind) return false;
  switch (a.value.kind) {
    case ValueKind::Static:
      return a.value.pinned == b.value.pinned && same_object(a.value.object, b.value.object);
    case ValueKind::Seq: return a.value.seq == b.value.seq;
    case ValueKind::Map: return a.value.map == b.value.map;
    case ValueKind::Method: return a.value.op == b.value.op && a.value.expr == b.value.expr;
    default: return false;
  }
}

// The anchor's statement becomes the variable's declaration or an assignment to it, at the line that the user
// wrote.
void Frame::turn_anchor(Anchor* anchor, ir::Var* var, const Value& value, bool declare) {
  Loc where = anchor->stmt->loc;
  ir::Block& block = *anchor->block;
  const auto at = std::find(block.rbegin(), block.rend(), anchor->stmt);
  ASC_ASSERT(at != block.rend());
  const auto n = *number(value);
  ir::Expr* init = n.form == Number::Form::Float ? build_.float_const(Type::scalar(DType::F32), n.real, where)
                                                 : build_.int_const(Type::scalar(n.natural()), n.bits, where);
  // The value keeps how it was spelt, as far as that is not the constant's own name.
  if (const ir::Expr* spelt = anchor->constant->spelling)
    init = build_.spelt_const(anchor->constant->type, anchor->constant->bits, spelt, where);
  init = build_.cast(var->type, init, false, where);
  session_.mark_used(init);
  auto& arena = session_.module.arena;
  if (declare) {
    auto* decl = arena.make<ir::Decl>();
    decl->kind = ir::StmtKind::Decl;
    decl->loc = where;
    decl->var = var;
    decl->init = init;
    *at = decl;
    VarInfo& v = info(var);
    v.decl = decl;
    v.block = anchor->block;
    v.depth = anchor->depth;
    var->loc = where;
  } else {
    auto* assign = arena.make<ir::Assign>();
    assign->kind = ir::StmtKind::Assign;
    assign->loc = where;
    assign->var = var;
    assign->value = init;
    *at = assign;
    info(var).rebound = true;
  }
  anchor->stmt = *at;
  anchor->var = var;
  session_.dissolve(anchor->constant);
}

ir::Expr* Frame::convert_to(const Value& v, Type type, const Node* at) {
  if (type.is_scalar()) return as_scalar(v, type.elem, at);
  if (v.is_expr()) return v.expr;
  EnumId id;
  int64_t value;
  if (type.kind == Kind::Enum && v.is_static() && as_enum(v.object, &id, &value))
    return build_.int_const(type, value, loc(at));
  fail(at, fmt::format("{} cannot become {}", shown(v), to_string(type)));
}

// Puts what a path bound into the variable. `limit`: regions up to this depth lie outside of the construct.
void Frame::put(ir::Var* slot, Binding& b, Edge& e, uint32_t limit, const Node* at) {
  if (b.slot && b.var == slot) return;
  if (b.anchor && b.anchor->var == slot) return;
  const Node* where = b.set_at ? b.set_at : at;
  if (b.anchor && !b.anchor->var && b.anchor->depth > limit)
    return turn_anchor(b.anchor, slot, b.value, false);
  if (b.slot && info(b.var).depth > limit && b.var->type == slot->type && !b.var->is_param &&
      !info(b.var).aliased) {
    if (slot->type.is_tensor()) note_copy(slot, ref(b.var, where));
    undeclare(b.var);
    session_.aliases.emplace_back(b.var, slot);
    session_.needs_sweep = true;
    info(slot).rebound = true;
    return;
  }
  if (b.slot && info(b.var).depth > limit && info(b.var).refs == 0 && !info(b.var).rebound &&
      !b.var->is_param)
    if (const auto* decl = ir::as<ir::Decl>(info(b.var).decl);
        decl && decl->init) {  // a version that nothing read
      ir::Assign* assign = undeclare(b.var);
      assign->value = build_.cast(slot->type, assign->value, false, assign->loc);
      assign->var = slot;
      session_.needs_sweep = true;  // the version is no variable any more
      info(slot).rebound = true;
      return;
    }
  ir::Block* here = build_.block();
  if (e.block) build_.set_block(e.block);
  const Value v = b.slot || b.is_alias() ? Value::of(ref(b.var, where)) : b.value;
  assign_var(slot, convert_to(v, slot->type, where), where);
  ir::Block& block = *build_.block();
  if (e.jump) std::swap(block[block.size() - 1], block[block.size() - 2]);
  build_.set_block(here);
}

Binding Frame::conflict(const Binding& a, const Node* other, const std::string& text, const char* hint) {
  Binding r;
  r.state = Binding::State::Conflict;
  r.set_at = a.set_at;
  r.other = other ? other : a.set_at;
  r.value = Value::of(session_.keep(Py_BuildValue("(ss)", text.c_str(), hint)));
  return r;
}

Binding Frame::merge_slot(uint32_t name, size_t index, std::span<Edge* const> edges, const Node* at) {
  Type type;
  bool literal = false;
  const Binding* first = nullptr;
  const auto line = [&](const Binding& b) {
    return b.set_at ? line_of(b.set_at) : line_of(module_.function);
  };
  for (Edge* e : edges) {
    const Binding& b = e->bindings[index];
    if (!b.bound()) continue;
    Type t;
    bool lit;
    const bool has_form = form_of(b, &t, &lit);
    if (first && has_form && t.is_scalar() && type.is_scalar()) {
      DType joined = join(type.elem, literal, t.elem, lit);
      // Python has one kind of int: behind a branch the wider type holds what either side computed.
      const auto is_int_of = [](DType x) { return x == DType::I32 || x == DType::I64; };
      if (joined == DType::Void && is_int_of(type.elem) && is_int_of(t.elem)) joined = DType::I64;
      if (joined != DType::Void) {
        type = Type::scalar(joined);
        literal = literal && lit;
        continue;
      }
    } else if (!first && has_form) {
      type = t;
      literal = lit;
      first = &b;
      continue;
    } else if (has_form && t == type) {
      continue;
    }
    if (!first) {
      first = &b;
      if (edges.size() > 1) {
        for (Edge* o : edges)
          if (o != e && o->bindings[index].bound()) first = &o->bindings[index];
      }
    }
    const bool no_form = !has_form || !form_of(*first, &t, &lit);
    const auto [one, other] = describe_two(*first, b);
    return conflict(
        *first, b.set_at,
        fmt::format("is {} by line {} and {} by line {}{}", one, line(*first), other, line(b),
                    no_form ? "; only numbers, enums and tensors may change under runtime control flow" : ""),
        other == "another" ? "use two names"
                           : "give it one type before control flow meets, or use another name");
  }

  ir::Var* slot = nullptr;
  const auto usable = [&](ir::Var* v) {
    return v->type == type && !v->by_ref && !(type.is_tensor() && (info(v).aliased || v->is_param));
  };
  for (Edge* e : edges) {  // a variable that is there already
    const Binding& b = e->bindings[index];
    if (!slot && b.bound() && b.var && !b.is_alias() && usable(b.var) && info(b.var).depth <= depth())
      slot = b.var;
  }
  Anchor* anchor = nullptr;
  const Binding* anchored = nullptr;
  for (Edge* e : edges) {
    const Binding& b = e->bindings[index];
    if (slot || !b.bound() || !b.anchor || b.anchor->depth > depth()) continue;
    if (b.anchor->var && usable(b.anchor->var))
      slot = b.anchor->var;
    else if (!b.anchor->var)
      anchor = b.anchor, anchored = &b;
  }
  if (!slot) {
    for (Edge* e : edges) {
      const Binding& b = e->bindings[index];
      if (!slot && b.bound() && b.slot && usable(b.var) && !b.var->is_param) slot = b.var;
    }
    if (slot)
      undeclare(slot);
    else
      slot = new_var(name_of(name)->utf8, type, first->set_at ? first->set_at : at);
    if (anchor) {
      turn_anchor(anchor, slot, anchored->value, true);
    } else {
      ir::Expr* init = nullptr;
      for (Edge* e : edges) {  // the value that a path without statements of its own brings along
        Binding& b = e->bindings[index];
        if (init || !b.bound() || e->block || (b.slot && b.var == slot)) continue;
        const Node* where = b.set_at ? b.set_at : at;
        init = convert_to(b.slot || b.is_alias() ? Value::of(ref(b.var, where)) : b.value, type, where);
        b.slot = true;
        b.var = slot;
      }
      declare_here(slot, init, at);
    }
  }
  for (Edge* e : edges)
    if (e->bindings[index].bound()) put(slot, e->bindings[index], *e, depth(), at);
  Binding r;
  r.literal = literal;
  r.state = Binding::State::Bound;
  r.slot = true;
  r.var = slot;
  r.set_at = first->set_at;
  return r;
}

Binding Frame::merge(uint32_t name, size_t index, std::span<Edge* const> edges, const Node* at) {
  const Binding* first = nullptr;
  bool maybe = false, same = true, same_anchor = true, literal = true;
  for (Edge* e : edges) {
    const Binding& b = e->bindings[index];
    if (b.state == Binding::State::Conflict) return b;
    maybe = maybe || b.state != Binding::State::Bound;
    if (!b.bound()) continue;
    if (!first) {
      first = &b;
      continue;
    }
    same = same && same_binding(*first, b);
    same_anchor = same_anchor && first->anchor == b.anchor;
    literal = literal && b.literal;
  }
  if (!first) return {};
  Binding r;
  if (!same) {
    r = merge_slot(name, index, edges, at);
    if (r.state == Binding::State::Conflict) return r;
  } else {
    r = *first;
    r.literal = r.literal && literal;
    if (r.slot || r.is_alias()) {
      hoist(r.var, at);
    } else {
      bring_out(r.value, at);
      if (!same_anchor || (r.anchor && (r.anchor->var || r.anchor->depth > depth()))) {
        if (r.anchor) r.value.expr = nullptr;  // its constant may be out of sight
        r.anchor = nullptr;
      }
      if (r.var && info(r.var).depth > depth()) r.var = nullptr;
    }
  }
  if (maybe) {
    r.state = Binding::State::Maybe;
    r.other = at;
  }
  return r;
}

void Frame::merge_all(const std::vector<uint32_t>& names, std::span<Edge* const> edges, const Node* at) {
  for (size_t i = 0; i < names.size(); i++) set(names[i], merge(names[i], i, edges, at));
}

// ---- loop heads
// --------------------------------------------------------------------------------------------------

// A name that the loop assigns, at the loop's head: numbers, enums and tensors become variables before the
// first turn.
Binding Frame::head_binding(uint32_t name, const LoopState& loop) {
  Binding b = bindings_[name];
  Type type;
  bool literal;
  for (const auto& [id, unread] : loop.conflicts)
    if (id == name) return unread;
  if (!b.bound() || !form_of(b, &type, &literal)) return b;
  const uint64_t key = (static_cast<uint64_t>(loop.node->id) << 32) | name;
  for (const auto& [hint, dtype] : hints_)
    if (hint == key && literal) type = Type::scalar(dtype);
  if (b.slot && b.var->type != type &&
      std::find(loop.made.begin(), loop.made.end(), b.var) != loop.made.end()) {
    // Made for this loop, and so far only read by a body that is lowered again.
    auto* decl = ir::as<ir::Decl>(info(b.var).decl);
    b.var->type = type;
    if (decl && decl->init) decl->init = build_.cast(type, decl->init, false, decl->loc);
    if (decl) return b;
  }
  const Node* at = b.set_at ? b.set_at : loop.node;
  if (b.slot && b.var->type == type && !b.var->by_ref &&
      !(type.is_tensor() && (info(b.var).aliased || b.var->is_param))) {
    if (type.is_tensor()) info(b.var).rebound = true;  // by the turns: no other name may share it in the body
    return b;
  }
  ir::Var* slot = nullptr;
  if (!b.slot && !b.is_alias()) {
    if (b.anchor && b.anchor->var && b.anchor->var->type == type)
      slot = b.anchor->var;
    else if (b.anchor && !b.anchor->var && (!b.var || b.var->type != type)) {
      slot = new_var(name_of(name)->utf8, type, at);
      turn_anchor(b.anchor, slot, b.value, true);
    } else if (b.var && b.var->type == type && type.is_scalar()) {
      slot = b.var;
      if (b.anchor && !b.anchor->var)
        turn_anchor(b.anchor, slot, b.value, false);
      else
        assign_var(slot, convert_to(b.value, type, at), at);
    }
  }
  if (!slot) {
    const Value v = b.slot || b.is_alias() ? Value::of(ref(b.var, at)) : b.value;
    slot = declare(name_of(name)->utf8, convert_to(v, type, at), at);
  }
  info(slot).rebound = true;
  b.literal = literal;
  b.value = {};
  b.slot = true;
  b.var = slot;
  b.anchor = nullptr;
  return b;
}

// The type in which a value that comes back to a head goes on. A head that is no literal keeps its type: a
// literal takes it where its value fits. A counter's value is not known: it only goes into a type that holds
// its own.
DType Frame::meet_at_head(DType head, bool head_literal, DType now, bool now_literal,
                          const Binding& b) const {
  const DType joined = join(head, head_literal, now, now_literal);
  if (head_literal || joined == DType::Void || joined == head) return joined;
  const auto n = b.value.is_static() ? number(b.value) : std::nullopt;
  return now_literal && n && n->fits(head) ? head : DType::Void;
}

// Notes the type that a literal takes at a loop's head, for the next lowering of the body. False: the head
// has that type or a wider one already, and the path does not meet it. Each note is wider than the last one
// of its name, so the rounds end; of several paths in one round, the widest is noted.
bool Frame::ask_for(const Node* loop, uint32_t name, DType head, DType dtype) {
  const auto rank = [](DType t) { return is_float(t) ? 16 + size_of(t) : size_of(t); };
  const uint64_t key = (static_cast<uint64_t>(loop->id) << 32) | name;
  DType noted = DType::Void;
  for (const auto& [known, type] : hints_)
    if (known == key) noted = type;
  if (noted != DType::Void && rank(noted) >= rank(dtype)) return noted != head;
  hints_.emplace_back(key, dtype);
  return true;
}

void Frame::flow_to_head(LoopState& loop, const Node* at) {
  const std::vector<uint32_t>& names = loop.construct->join;
  Edge back = edge(names, build_.block());
  for (size_t i = 0; i < names.size(); i++) {
    const Binding& head = loop.head[i];
    Binding& now = back.bindings[i];
    const bool wanted = loop.construct->live_head.test(names[i]);
    if (wanted && head.bound() && now.state == Binding::State::Conflict) unread_at_head(loop, names[i], now);
    if (!head.bound() || !now.bound() || same_binding(head, now)) continue;
    const ast::Name* name = name_of(names[i]);
    Type type;
    bool literal;
    if (head.slot && form_of(now, &type, &literal)) {
      const Type target = head.var->type;
      DType meets = DType::Void;
      if (type.is_scalar() && target.is_scalar())
        meets = meet_at_head(target.elem, loop.literals[i] != 0, type.elem, literal, now);
      if (type == target || (target.is_scalar() && meets == target.elem)) {
        put(head.var, now, back, loop.depth, at);
        continue;
      }
      if (meets != DType::Void && ask_for(loop.node, names[i], target.elem, meets)) {
        loop.retry = loop.asked = true;
        continue;
      }
    }
    if (!wanted) continue;
    const Node* set_at = now.set_at ? now.set_at : at;
    const Node* head_at = head.set_at ? head.set_at : module_.function;
    const bool has_form = form_of(now, &type, &literal);
    const auto [one, other] = describe_two(head, now);
    std::string hint = "only numbers, enums and tensors may change in a loop; asc.static_range unrolls it";
    if (other == "another") hint.insert(0, "use two names: ");
    if (has_form) hint = "give it one type before the loop, or use another name";
    if (has_form && head.slot && type.is_scalar() && head.var->type.is_scalar())
      if (const Promotion p = promote(head.var->type.elem, type.elem); !p.error)
        hint = fmt::format("give it the type of both before the loop: {}: asc.{} = ...", name->utf8,
                           py_name(p.type));
    // An error only if a turn, or what follows the loop, reads it: the body is lowered again to see.
    const std::string text = fmt::format("is {} when the loop begins (line {}) and {} for its next turn", one,
                                         line_of(head_at), other);
    Binding unread = conflict(head, set_at, text, hint.c_str());
    unread.set_at = head_at;
    // The third item: the error belongs to the assignment, not to the reader.
    unread.value = Value::of(session_.keep(Py_BuildValue("(sss)", text.c_str(), hint.c_str(), "")));
    unread_at_head(loop, names[i], unread);
  }
  loop.retry = loop.retry || meets_change(loop);
  for (uint32_t name = 0; !copies_.empty() && name < bindings_.size(); name++)
    if (bindings_[name].stale && loop.construct->live_head.test(name) && !loop.construct->assigned.test(name))
      unread_at_head(loop, name, bindings_[name]);
  loop.turns.push_back(std::move(back));
}

// A turn leaves the name with what the next one must not read: the body is lowered again to see whether it
// does.
void Frame::unread_at_head(LoopState& loop, uint32_t name, const Binding& unread) {
  for (const auto& [known, binding] : loop.conflicts)
    if (known == name) return;
  loop.conflicts.emplace_back(name, unread);
  loop.retry = true;
}

}  // namespace asc::lower
