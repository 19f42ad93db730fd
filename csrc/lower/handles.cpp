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
static void copied_vars(const ir::Expr* e, std::vector<const ir::Var*>* vars) {
  if (const auto* r = ir::as<ir::VarRef>(e)) return vars->push_back(r->var);
  if (const auto* s = ir::as<ir::Select>(e)) {
    copied_vars(s->then_value, vars);
    copied_vars(s->else_value, vars);
  }
}

void Frame::note_copy(ir::Var* copy, const ir::Expr* value) {
  std::vector<const ir::Var*> vars;
  if (value && value->type.is_tensor()) copied_vars(value, &vars);
  const size_t known = copies_.size();
  for (size_t i = 0; i < vars.size(); i++) {
    const auto add = [&](const ir::Var* original) {
      const Copy made{copy, original};
      if (original != copy && std::find(copies_.begin(), copies_.end(), made) == copies_.end())
        copies_.push_back(made);
    };
    add(vars[i]);
    for (size_t j = 0; j < known; j++)  // a copy of a copy
      if (copies_[j].copy == vars[i]) add(copies_[j].original);
  }
}

static bool is_copy(std::span<const Copy> copies, const ir::Var* copy, const ir::Var* original) {
  return std::any_of(copies.begin(), copies.end(),
                     [&](const Copy& c) { return c.copy == copy && c.original == original; });
}

// May both hold the handle of one tensor?
bool Frame::share_handle(const ir::Var* a, const ir::Var* b) const {
  if (is_copy(copies_, a, b) || is_copy(copies_, b, a)) return true;
  return std::any_of(copies_.begin(), copies_.end(),
                     [&](const Copy& c) { return c.copy == a && is_copy(copies_, b, c.original); });
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
  for (uint32_t name = 0; name < bindings_.size(); name++) {
    const Binding& b = bindings_[name];
    if (!b.bound() || !b.var || b.var == var || !b.var->type.is_tensor() || !share_handle(b.var, var))
      continue;
    const std::string text =
        fmt::format("may be the tensor '{}', whose handle line {} changes", var->name, line_of(at));
    Binding stale = conflict(b, at, text, "use a tensor of its own for each buffer");
    stale.stale = true;
    set(name, stale);
  }
}

// Has a turn copied, into a variable of the loop's head, a tensor whose handle the loop changes? Then the
// body is lowered again, now that a change is known to meet the copy.
bool Frame::meets_change(const LoopState& loop) const {
  for (size_t i = loop.copies; i < copies_.size(); i++) {
    const auto holds = [&](const Binding& b) { return b.slot && b.var == copies_[i].copy; };
    if (std::none_of(loop.head.begin(), loop.head.end(), holds)) continue;
    for (const auto& [node, var] : changed_in_)
      if (copies_[i].original == var && node == loop.node) return true;
  }
  return false;
}

}  // namespace asc::lower
