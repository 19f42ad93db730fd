// SPDX-License-Identifier: Apache-2.0
// Places the areas of asc.workspace. Each call in the text is one area, each turn of an unrolled loop and
// each call of a helper has areas of its own: a helper is given the address of the first of its areas, one
// for those of a block and one for those that blocks share, and its caller has room for all of them. The
// kernel gets the whole workspace as its last parameter.
#include <array>
#include <string>

#include "base/format.h"
#include "ir/builder.h"
#include "ir/visit.h"
#include "ir/workspace.h"
#include "passes/passes.h"

namespace asc::passes {

namespace {

// A helper's count once for each way to it. The simulator has an owner in its addresses for each.
constexpr size_t kMostAreas = 4096;

// What a function needs of one kind, with all that it calls.
struct Need {
  std::vector<ir::WorkspaceArea> areas;
  int64_t bytes = 0;
};

class Placer {
 public:
  explicit Placer(ir::Module& module) : module_(module), build_(module), needs_(module.functions.size()) {}
  void run();

 private:
  using Needs = std::array<Need, 2>;  // shared, per block

  void function(ir::Function& function);
  void expression(ir::Expr* e);
  std::span<ir::Expr*> with_areas(const ir::Function& callee, std::span<ir::Expr*> args, Loc loc);
  void place(ir::Workspace* e, std::span<const ir::WorkspaceArea> areas, int64_t bytes);
  ir::Var* add_parameter(ir::Function& function, std::string_view name) const;
  void place_in_kernel(ir::Function& kernel);

  ir::Module& module_;
  ir::Builder build_;
  std::vector<Needs> needs_;  // by function id
  Needs* need_ = nullptr;
  std::vector<ir::Workspace*> placed_;  // in the function at hand
};

void Placer::run() {
  for (auto& f : module_.functions) function(*f);  // callees come first
}

void Placer::function(ir::Function& f) {
  need_ = &needs_[f.id];
  placed_.clear();
  ir::walk(f.body, [this](ir::Stmt* s) {
    ir::for_each_expr(s, [this](ir::Expr* e) { ir::walk_expr(e, [this](ir::Expr* x) { expression(x); }); });
    if (auto* call = ir::as<ir::CallAssign>(s)) call->args = with_areas(*call->callee, call->args, call->loc);
  });
  if (placed_.empty()) return;
  if (f.is_kernel) return place_in_kernel(f);
  for (const bool per_block : {false, true}) {
    if ((*need_)[per_block].areas.empty()) continue;
    ir::Var* base = add_parameter(f, per_block ? "workspace" : "shared_workspace");
    for (ir::Workspace* e : placed_)
      if (e->per_block == per_block) e->base = build_.var(base, e->loc);
  }
}

void Placer::expression(ir::Expr* e) {
  if (auto* call = ir::as<ir::Call>(e)) call->args = with_areas(*call->callee, call->args, call->loc);
  auto* w = ir::as<ir::Workspace>(e);
  if (!w) return;
  const ir::WorkspaceArea area{w->bytes, w->per_block, w->loc};
  place(w, std::span(&area, 1), ir::workspace_room(w->bytes));
}

// Behind the arguments of a call: the addresses of the areas that it needs.
std::span<ir::Expr*> Placer::with_areas(const ir::Function& callee, std::span<ir::Expr*> args, Loc loc) {
  std::vector<ir::Expr*> all(args.begin(), args.end());
  for (const bool per_block : {false, true}) {
    const Need& need = needs_[callee.id][per_block];
    if (need.areas.empty()) continue;
    ir::Workspace* first = build_.workspace(need.bytes, per_block, loc);
    place(first, need.areas, need.bytes);
    all.push_back(first);
  }
  return all.size() == args.size() ? args : module_.arena.copy(std::span<ir::Expr* const>(all));
}

void Placer::place(ir::Workspace* e, std::span<const ir::WorkspaceArea> areas, int64_t bytes) {
  Need& need = (*need_)[e->per_block];
  e->area = static_cast<uint32_t>(need.areas.size());
  e->offset = need.bytes;
  need.areas.insert(need.areas.end(), areas.begin(), areas.end());
  need.bytes += bytes;
  placed_.push_back(e);
  if ((*need_)[0].areas.size() + (*need_)[1].areas.size() > kMostAreas)
    throw CompileError(fmt::format("the kernel has more than {} workspaces", kMostAreas),
                       "allocate one and divide it", {module_.sources.resolve(e->loc)});
  if (need.bytes > ir::kMaxWorkspaceBytes)
    throw CompileError(
        fmt::format("the workspaces up to here take {} bytes: no device has that much", need.bytes), {},
        {module_.sources.resolve(e->loc)});
}

// Behind the function's own parameters. The user's names stay theirs.
ir::Var* Placer::add_parameter(ir::Function& f, std::string_view name) const {
  std::string own(name);
  const auto is_taken = [&f](std::string_view candidate) {
    for (const ir::Var* var : f.vars)
      if (var->name == candidate) return true;
    return false;
  };
  while (is_taken(own)) own += "_gm";
  auto* var = module_.arena.make<ir::Var>();
  var->name = module_.arena.copy(own);
  var->type = Type::pointer(DType::U8);
  var->loc = f.loc;
  var->is_param = true;
  f.vars.insert(f.vars.begin() + static_cast<std::ptrdiff_t>(f.params.size()), var);
  f.params.push_back(var);
  for (size_t i = 0; i < f.vars.size(); i++) f.vars[i]->id = static_cast<uint32_t>(i);
  return var;
}

void Placer::place_in_kernel(ir::Function& kernel) {
  const Need &shared = (*need_)[false], &block = (*need_)[true];
  module_.workspace = shared.areas;
  module_.workspace.insert(module_.workspace.end(), block.areas.begin(), block.areas.end());
  ir::Var* base = add_parameter(kernel, "workspace");
  for (ir::Workspace* e : placed_) {
    e->base = build_.var(base, e->loc);
    if (!e->per_block) continue;
    e->area += static_cast<uint32_t>(shared.areas.size());
    e->offset += shared.bytes;
    e->stride = block.bytes;
  }
  ir::KernelArg arg;
  arg.name = base->name;
  arg.type = base->type;
  arg.var = base;
  arg.is_workspace = true;
  module_.args.push_back(arg);
}

}  // namespace

void place_workspace(ir::Module& module) { Placer(module).run(); }

}  // namespace asc::passes
