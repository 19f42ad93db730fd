// SPDX-License-Identifier: Apache-2.0
// Tensors whose handle changes (set_global_buffer, set_size) after control flow has copied it. In Python the
// names that control flow may have given one tensor all see the change. A variable that holds a copy cannot,
// so from then on reading it is an error.
#include <algorithm>

#include "base/format.h"
#include "lower/frame.h"

namespace asc::lower {

using ast::Node;

// The variables whose handles a value may be a copy of.
static void copied_vars(const ir::Expr* e, std::vector<ir::Var*>* vars) {
  if (const auto* r = ir::as<ir::VarRef>(e)) return vars->push_back(r->var);
  if (const auto* s = ir::as<ir::Select>(e)) {
    copied_vars(s->then_value, vars);
    copied_vars(s->else_value, vars);
  }
}

void Frame::note_copy(ir::Var* copy, const ir::Expr* value) {
  if (!value || !value->type.is_tensor()) return;
  std::vector<ir::Var*> originals;
  copied_vars(value, &originals);
  for (ir::Var* original : originals)
    if (original != copy) copies_.push_back({copy, original});
}

static bool among(std::span<const ir::Var* const> vars, const ir::Var* var) {
  return std::find(vars.begin(), vars.end(), var) != vars.end();
}

// All variables that may hold the handle of one tensor with this one: what it is a copy of, and their copies.
std::vector<const ir::Var*> Frame::sharing(const ir::Var* var) const {
  std::vector<const ir::Var*> vars{var};
  const auto follow = [&](ir::Var* Copy::*from, ir::Var* Copy::*to) {
    for (size_t i = 0; i < vars.size(); i++)
      for (const Copy& c : copies_)
        if (c.*from == vars[i] && !among(vars, c.*to)) vars.push_back(c.*to);
  };
  follow(&Copy::copy, &Copy::original);
  follow(&Copy::original, &Copy::copy);
  return vars;
}

// All variables that hold handles of one element type with this one: it, its originals and copies, and so on.
std::vector<ir::Var*> Frame::related(ir::Var* var) const {
  std::vector<ir::Var*> vars{var};
  for (size_t i = 0; i < vars.size(); i++)
    for (const Copy& c : copies_) {
      ir::Var* other = c.copy == vars[i] ? c.original : c.original == vars[i] ? c.copy : nullptr;
      if (other && std::find(vars.begin(), vars.end(), other) == vars.end()) vars.push_back(other);
    }
  return vars;
}

bool Frame::is_copy(const ir::Var* var) const {
  return std::any_of(copies_.begin(), copies_.end(), [&](const Copy& c) { return c.copy == var; });
}

// "'a'", "'a' and 'b'": the tensors that control flow may have chosen this one from; itself if there are
// none.
std::string Frame::chosen_from(const ir::Expr* tensor) const {
  std::vector<ir::Var*> all;
  copied_vars(tensor, &all);
  for (size_t i = 0; i < all.size(); i++)
    for (const Copy& c : copies_)
      if (c.copy == all[i] && std::find(all.begin(), all.end(), c.original) == all.end())
        all.push_back(c.original);
  std::vector<std::string_view> names;
  for (const ir::Var* var : all)
    if (!is_copy(var) && !var->hoisted && std::find(names.begin(), names.end(), var->name) == names.end())
      names.push_back(var->name);
  std::string text;
  for (size_t i = 0; i < names.size(); i++)
    text += fmt::format("{}'{}'", i == 0 ? "" : i + 1 == names.size() ? " and " : ", ", names[i]);
  return text;
}

void Frame::fail_untyped(const ir::Expr* tensor, const Node* at) const {
  const auto* r = ir::as<ir::VarRef>(tensor);
  const std::string from = chosen_from(tensor);
  const std::string name = r && !r->var->hoisted ? std::string(r->var->name) : "";
  std::string message = name.empty() ? "the tensor" : fmt::format("the tensor '{}'", name);
  message += " has no dtype yet";
  if (from.empty()) fail(at, message, "call its set_global_buffer(address) before");
  if (from == fmt::format("'{}'", name))
    fail(at, message, fmt::format("call {}.set_global_buffer(address) before", name));
  fail(at, fmt::format("{}: it is one of {}", message, from),
       "call their set_global_buffer(address) before control flow chooses one");
}

// The handle itself changes, not only what it refers to: a parameter must be the caller's.
void Frame::note_handle_change(ir::Expr* self, const Node* at) {
  auto* r = ir::as<ir::VarRef>(self);
  if (!r) return;
  ir::Var* var = r->var;
  if (var->is_param) var->by_ref = true;
  for (const LoopState* loop : loops_)
    if (!loop->unrolled && info(var).depth <= loop->depth) changed_in_.emplace_back(loop->node, var);
  if (copies_.empty()) return;
  const std::vector<const ir::Var*> others = sharing(var);
  for (uint32_t name = 0; name < bindings_.size(); name++) {
    const Binding& b = bindings_[name];
    if (!b.bound() || !b.var || b.var == var || !among(others, b.var)) continue;
    const std::string text =
        fmt::format("may be the tensor '{}', whose handle line {} changes", var->name, line_of(at));
    Binding stale = conflict(b, at, text, "use a tensor of its own for each buffer");
    stale.stale = true;
    set(name, stale);
  }
}

// Has a turn copied, into a variable of the loop's head, a tensor whose handle the loop changes? Then the
// body is lowered again, now that a change is known to meet the copy.
bool Frame::meets_change(LoopState& loop) const {
  if (copies_.size() == loop.copies) return false;
  const size_t known = loop.met.size();
  for (const Binding& head : loop.head) {
    if (!head.slot || !head.var->type.is_tensor()) continue;
    const std::vector<const ir::Var*> others = sharing(head.var);
    for (const auto& [node, var] : changed_in_) {
      const Copy meeting{head.var, var};
      if (node != loop.node || var == head.var || !among(others, var)) continue;
      if (std::find(loop.met.begin(), loop.met.end(), meeting) == loop.met.end()) loop.met.push_back(meeting);
    }
  }
  return loop.met.size() > known;
}

}  // namespace asc::lower
