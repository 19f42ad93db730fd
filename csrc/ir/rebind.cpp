// SPDX-License-Identifier: Apache-2.0
#include "ir/rebind.h"

#include <algorithm>

#include "ir/visit.h"

namespace asc::ir {
namespace {

std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> lines;
  for (size_t at = 0;;) {
    const size_t end = text.find('\n', at);
    lines.push_back(text.substr(at, end == std::string_view::npos ? end : end - at));
    if (end == std::string_view::npos) return lines;
    at = end + 1;
  }
}

std::string_view without_indent(std::string_view line) {
  return line.substr(std::min(line.find_first_not_of(" \t\f"), line.size()));
}

// How far the columns of each line move, by source and line; empty where none does.
using Moves = std::vector<std::vector<int64_t>>;

bool find_moves(std::string_view before, std::string_view after, std::vector<int64_t>* moves) {
  if (before == after) return true;
  const std::vector<std::string_view> old_lines = lines_of(before), new_lines = lines_of(after);
  if (old_lines.size() != new_lines.size()) return false;
  for (size_t i = 0; i < old_lines.size(); i++) {
    const std::string_view a = old_lines[i], b = new_lines[i];
    if (without_indent(a) != without_indent(b)) return false;
    moves->push_back(static_cast<int64_t>(b.size()) - static_cast<int64_t>(a.size()));
  }
  return true;
}

class Mover {
 public:
  explicit Mover(const Moves& moves) : moves_(moves) {}

  void move(Loc& loc) const {
    if (!loc.valid() || loc.source >= moves_.size()) return;
    const std::vector<int64_t>& lines = moves_[loc.source];
    shift(lines, loc.line, loc.col);
    shift(lines, loc.end_line, loc.end_col);
  }
  void move(Module& module) const {
    for (NamedConst* constant : module.constants) move(*constant);
    for (WorkspaceArea& area : module.workspace) move(area.loc);
    for (auto& function : module.functions) {
      move(function->loc);
      for (Var* var : function->vars) move(var->loc);
      walk(function->body, [&](Stmt* s) {
        move(s->loc);
        if (auto* decl = as<ConstDecl>(s)) move(*decl->constant);
        for_each_expr(s, [&](Expr* e) { walk_expr(e, [&](Expr* x) { move(*x); }); });
      });
    }
  }

 private:
  static void shift(const std::vector<int64_t>& lines, uint32_t line, uint32_t& col) {
    if (line < lines.size()) col = static_cast<uint32_t>(std::max<int64_t>(0, col + lines[line]));
  }
  void move(NamedConst& constant) const {
    move(constant.loc);
    if (constant.spelling) move_spelling(constant.spelling);
  }
  void move(Expr& expr) const {
    move(expr.loc);
    if (const auto* c = as<Const>(&expr); c && c->spelling) move_spelling(c->spelling);
  }
  // Spellings are read only, but they are the module's own.
  void move_spelling(const Expr* spelling) const {
    walk_expr(const_cast<Expr*>(spelling), [&](Expr* x) { move(*x); });
  }
  const Moves& moves_;
};

}  // namespace

bool rebind_sources(Module& module, std::vector<Diagnostic>& diagnostics,
                    std::span<const SourceText* const> sources) {
  if (sources.size() != module.sources.size()) return false;
  Moves moves(sources.size());
  bool any = false;
  for (uint32_t i = 0; i < sources.size(); i++) {
    if (!find_moves(module.sources[i].text, sources[i]->text, &moves[i])) return false;
    any = any || !moves[i].empty();
  }
  for (uint32_t i = 0; i < sources.size(); i++) module.sources.replace(i, *sources[i]);
  if (!any) return true;
  const Mover mover(moves);
  mover.move(module);
  for (Diagnostic& diagnostic : diagnostics)
    for (Loc& loc : diagnostic.where) mover.move(loc);
  return true;
}

}  // namespace asc::ir
