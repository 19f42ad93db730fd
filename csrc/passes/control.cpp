// SPDX-License-Identifier: Apache-2.0
#include "passes/control.h"

namespace asc::passes {

Leaves leaves(const ir::Stmt* s) {
  Leaves out;
  out.function = s->kind == ir::StmtKind::Return;
  out.turn = s->kind == ir::StmtKind::Break || s->kind == ir::StmtKind::Continue;
  const bool is_loop = s->kind == ir::StmtKind::For || s->kind == ir::StmtKind::While;
  ir::for_each_block(s, [&](const ir::Block* child) {
    const Leaves inner = leaves(child);
    out.function = out.function || inner.function;
    // A loop's own `else` may leave the turn around it; that it takes no turn is not told apart from its
    // body.
    out.turn = out.turn || (inner.turn && !is_loop);
  });
  if (const auto* loop = ir::as<ir::For>(s)) out.turn = leaves(loop->orelse).turn;
  if (const auto* loop = ir::as<ir::While>(s)) out.turn = leaves(loop->orelse).turn;
  return out;
}

Leaves leaves(const ir::Block* block) {
  Leaves out;
  if (!block) return out;
  for (const ir::Stmt* s : *block) {
    const Leaves one = leaves(s);
    out.function = out.function || one.function;
    out.turn = out.turn || one.turn;
  }
  return out;
}

}  // namespace asc::passes
