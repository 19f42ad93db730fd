// SPDX-License-Identifier: Apache-2.0
// register_matmul is a macro that declares variables and, on a cube core that serves, returns: it stands in
// the kernel itself, outside of loops and branches. So a function that reaches it becomes part of its caller.
// It runs once, so its body is moved, not copied: its variables become the caller's.
#include <algorithm>
#include <utility>

#include "base/format.h"
#include "ir/visit.h"
#include "lower/session.h"

namespace asc::lower {

namespace {

[[noreturn]] void refuse(const ir::Module& module, const Loc& loc, std::string message, std::string hint) {
  std::vector<Site> sites;
  if (loc.valid()) sites.push_back(module.sources.resolve(loc));
  throw CompileError(std::move(message), std::move(hint), std::move(sites));
}

const ir::OpCall* registration(const ir::Stmt* s) {
  const auto* eval = ir::as<ir::Eval>(s);
  const auto* op = eval ? ir::as<ir::OpCall>(static_cast<const ir::Expr*>(eval->value)) : nullptr;
  return op && op->op == OpId::REGIST_MATMUL_OBJ ? op : nullptr;
}

const ir::OpCall* find_registration(const ir::Block* block) {
  const ir::OpCall* found = nullptr;
  ir::walk(block, [&](const ir::Stmt* s) {
    if (!found) found = registration(s);
  });
  return found;
}

// A statement that is one call of a helper.
struct CallSite {
  ir::Function* callee = nullptr;
  std::span<ir::Expr*> args;
  std::vector<ir::Var*> results;  // null: not used
};

bool is_call(ir::Stmt* s, CallSite* out) {
  ir::Expr* value = nullptr;
  ir::Var* result = nullptr;
  if (auto* eval = ir::as<ir::Eval>(s)) {
    value = eval->value;
  } else if (auto* decl = ir::as<ir::Decl>(s)) {
    value = decl->init;
    result = decl->var;
  } else if (auto* assign = ir::as<ir::Assign>(s)) {
    value = assign->value;
    result = assign->var;
  } else if (auto* several = ir::as<ir::CallAssign>(s)) {
    *out = {several->callee, several->args, {several->results.begin(), several->results.end()}};
    return true;
  }
  auto* call = ir::as<ir::Call>(value);
  if (!call) return false;
  *out = {call->callee, call->args, {result}};
  return true;
}

class Inliner {
 public:
  Inliner(ir::Module& module, ir::Builder& build) : module_(module), build_(build) {}

  // Moves each callee that registers into `caller`, wherever it is called.
  void run(ir::Function* caller) {
    for (size_t i = 0; i < module_.functions.size(); i++) {
      ir::Function* callee = module_.functions[i].get();
      if (callee == caller) break;                        // callees stand before callers
      if (const Loc* registered = where_moved(callee)) {  // by a caller before this one
        if (count_calls(caller, callee) > 0) refuse_second(*registered);
      } else if (find_registration(callee->body)) {
        into(caller, callee);
      }
    }
    caller->effect = ir::effect_of(*caller);
  }
  // Where a function that became part of its caller registers; null for the others.
  const Loc* where_moved(const ir::Function* f) const {
    const auto at = std::find_if(moved_.begin(), moved_.end(), [&](const auto& m) { return m.first == f; });
    return at == moved_.end() ? nullptr : &at->second;
  }

 private:
  void into(ir::Function* caller, ir::Function* callee) {
    std::vector<std::pair<ir::Block*, size_t>> places;
    collect(caller->body, callee, &places);
    const size_t calls = count_calls(caller, callee);
    const ir::OpCall* op = find_registration(callee->body);
    if (calls > places.size())
      refuse(module_, op->loc,
             fmt::format("the call of {}, which registers a Matmul, is part of an expression", callee->name),
             "make it a statement of its own: result = f(...)");
    if (calls > 1) refuse_second(op->loc);
    if (calls == 1) splice(caller, callee, places[0].first, places[0].second);
  }

  void collect(ir::Block* block, const ir::Function* callee,
               std::vector<std::pair<ir::Block*, size_t>>* places) {
    for (size_t i = 0; i < block->size(); i++) {
      CallSite call;
      if (is_call((*block)[i], &call) && call.callee == callee) places->emplace_back(block, i);
      ir::for_each_block((*block)[i], [&](ir::Block* inner) { collect(inner, callee, places); });
    }
  }

  static size_t count_calls(ir::Function* caller, const ir::Function* callee) {
    size_t count = 0;
    ir::walk(caller->body, [&](ir::Stmt* s) {
      if (const auto* several = ir::as<ir::CallAssign>(s)) count += several->callee == callee;
      ir::for_each_expr(s, [&](ir::Expr* e) {
        ir::walk_expr(e, [&](ir::Expr* x) {
          if (const auto* call = ir::as<ir::Call>(x)) count += call->callee == callee;
        });
      });
    });
    return count;
  }

  [[noreturn]] void refuse_second(const Loc& loc) const {
    refuse(module_, loc, "register_matmul is reached a second time: a kernel registers its Matmul once",
           "use one Matmul object, with set_tensor_a and set_tensor_b for each product");
  }

  // A return in the middle would leave the kernel.
  void check_returns(const ir::Function& callee) const {
    const ir::Block& body = *callee.body;
    ir::walk(static_cast<const ir::Block*>(callee.body), [&](const ir::Stmt* s) {
      if (s->kind == ir::StmtKind::Return && s != body.back())
        refuse(
            module_, s->loc,
            fmt::format("{} registers a Matmul, so it becomes part of the kernel, and returns before its end",
                        callee.name),
            "return at the end only");
    });
  }

  static bool is_assigned(const ir::Function& f, const ir::Var* var) {
    bool found = false;
    ir::walk(static_cast<const ir::Block*>(f.body), [&](const ir::Stmt* s) {
      if (const auto* a = ir::as<ir::Assign>(s)) found |= a->var == var;
      if (const auto* loop = ir::as<ir::For>(s)) found |= loop->var == var;
      if (const auto* c = ir::as<ir::CallAssign>(s))
        found |= std::find(c->results.begin(), c->results.end(), var) != c->results.end();
      const auto lent = [&](const ir::Function& callee, std::span<ir::Expr* const> args) {
        for (size_t i = 0; i < args.size(); i++) {
          const auto* r = ir::as<ir::VarRef>(static_cast<const ir::Expr*>(args[i]));
          found |= r && r->var == var && callee.params[i]->by_ref;
        }
      };
      if (const auto* c = ir::as<ir::CallAssign>(s)) lent(*c->callee, c->args);
      ir::for_each_expr(s, [&](const ir::Expr* e) {
        ir::walk_expr(e, [&](const ir::Expr* x) {
          if (const auto* c = ir::as<ir::Call>(x)) lent(*c->callee, c->args);
          const auto* op = ir::as<ir::OpCall>(x);
          const auto* r =
              op && op->self ? ir::as<ir::VarRef>(static_cast<const ir::Expr*>(op->self)) : nullptr;
          found |=
              r && r->var == var && op->desc().family == Family::Handle && op->proto().self_dir != Dir::In;
        });
      });
    });
    return found;
  }

  // Does it read a variable of which `test` holds?
  template <class Test>
  static bool reads(const ir::Expr* e, Test&& test) {
    bool found = false;
    ir::walk_expr(e, [&](const ir::Expr* x) {
      const auto* r = ir::as<ir::VarRef>(x);
      found = found || (r && test(r->var));
    });
    return found;
  }

  ir::Expr* copy_place(const ir::Expr* place) {
    if (const auto* field = ir::as<ir::Field>(place))
      return build_.field(copy_place(field->object), field->index, place->loc);
    return build_.var(ir::as<ir::VarRef>(place)->var, place->loc);
  }

  // Each use of the parameter becomes one of the argument, a variable or a part of a struct.
  void replace(ir::Function* callee, const ir::Var* param, const ir::Expr* argument) {
    const auto swap = [&](auto&& self, ir::Expr*& e) -> void {
      const auto* r = ir::as<ir::VarRef>(static_cast<const ir::Expr*>(e));
      if (r && r->var == param) {
        ir::Expr* place = copy_place(argument);
        place->loc = e->loc;
        e = place;
        return;
      }
      ir::for_each_operand(e, [&](ir::Expr*& operand) { self(self, operand); });
    };
    ir::walk(callee->body, [&](ir::Stmt* s) { ir::for_each_expr(s, [&](ir::Expr*& e) { swap(swap, e); }); });
    if (const auto* r = ir::as<ir::VarRef>(argument)) {
      ir::walk(callee->body, [&](ir::Stmt* s) {
        if (auto* a = ir::as<ir::Assign>(s); a && a->var == param) a->var = r->var;
      });
    }
  }

  void splice(ir::Function* caller, ir::Function* callee, ir::Block* block, size_t at) {
    check_returns(*callee);
    const Loc registered = find_registration(callee->body)->loc;
    ir::Stmt* site = (*block)[at];
    CallSite call;
    is_call(site, &call);
    ir::Block* moved = build_.new_block();
    build_.set_block(moved);
    for (size_t i = 0; i < call.args.size(); i++) {
      ir::Var* param = callee->params[i];
      const auto* ref = ir::as<ir::VarRef>(static_cast<const ir::Expr*>(call.args[i]));
      const bool by_name = param->by_ref || param->type.is_object() || (ref && !is_assigned(*callee, param));
      if (by_name)
        replace(callee, param, call.args[i]);
      else
        build_.decl(param, call.args[i], site->loc);
      param->is_param = param->by_ref = false;
    }
    adopt(caller, callee);
    ir::Return* end = callee->body->empty() ? nullptr : ir::as<ir::Return>(callee->body->back());
    if (end) callee->body->pop_back();
    moved->insert(moved->end(), callee->body->begin(), callee->body->end());
    // A value that reads a variable which an earlier result is given is saved before.
    for (size_t i = 1; end && i < end->values.size() && i < call.results.size(); i++) {
      ir::Expr*& value = end->values[i];
      const auto is_given = [&](const ir::Var* var) {
        return std::find(call.results.begin(), call.results.begin() + static_cast<ptrdiff_t>(i), var) !=
               call.results.begin() + static_cast<ptrdiff_t>(i);
      };
      if (!call.results[i] || !reads(value, is_given)) continue;
      ir::Var* saved = build_.new_var(caller, "value", value->type, site->loc);
      saved->hoisted = true;
      build_.decl(saved, value, site->loc);
      value = build_.var(saved, site->loc);
    }
    for (size_t i = 0; i < call.results.size(); i++) {
      ir::Var* var = call.results[i];
      if (!var) continue;
      ASC_ASSERT(end && i < end->values.size());
      if (ir::as<ir::Decl>(site))
        build_.decl(var, end->values[i], site->loc);
      else
        build_.assign(var, end->values[i], site->loc);
    }
    callee->body->clear();
    moved_.emplace_back(callee, registered);
    block->erase(block->begin() + static_cast<ptrdiff_t>(at));
    block->insert(block->begin() + static_cast<ptrdiff_t>(at), moved->begin(), moved->end());
  }

  void adopt(ir::Function* caller, ir::Function* callee) {
    std::vector<uint8_t> used(callee->vars.size(), 0);
    const auto declare = [&](ir::Stmt* s) {
      if (const auto* d = ir::as<ir::Decl>(s)) used[d->var->id] = 1;
      if (const auto* f = ir::as<ir::For>(s); f && f->declares_var) used[f->var->id] = 1;
      if (auto* c = ir::as<ir::ConstDecl>(s)) c->constant->scope = caller;
    };
    ir::walk(callee->body, declare);
    ir::walk(build_.block(), declare);
    for (ir::Var* var : callee->vars) {
      if (!used[var->id]) continue;
      var->is_param = var->is_result = false;
      caller->vars.push_back(var);
    }
    for (size_t i = 0; i < caller->vars.size(); i++) caller->vars[i]->id = static_cast<uint32_t>(i);
    callee->vars.clear();
    callee->params.clear();
  }

  ir::Module& module_;
  ir::Builder& build_;
  std::vector<std::pair<const ir::Function*, Loc>> moved_;  // nothing is left of them
};

// Where the registration may stand, given the statements of a block at kernel scope. `alone`: on a cube-only
// kernel a branch of ascend_is_aic() is no branch.
size_t at_kernel_scope(const ir::Block& block, bool alone) {
  size_t count = 0;
  for (const ir::Stmt* s : block) {
    count += registration(s) != nullptr;
    const auto* branch = ir::as<ir::If>(s);
    const auto* core =
        branch ? ir::as<ir::CorePredicate>(static_cast<const ir::Expr*>(branch->condition)) : nullptr;
    if (alone && core && core->aic) count += at_kernel_scope(*branch->then_block, alone);
  }
  return count;
}

}  // namespace

void Session::inline_registrations() {
  const auto registers = [](const std::unique_ptr<ir::Function>& f) {
    return find_registration(f->body) != nullptr;
  };
  if (std::none_of(module.functions.begin(), module.functions.end(), registers)) return;
  Inliner inliner(module, build);
  for (auto& f : module.functions) inliner.run(f.get());
  std::erase_if(module.functions, [&](const auto& f) { return inliner.where_moved(f.get()) != nullptr; });
  for (size_t i = 0; i < module.functions.size(); i++) module.functions[i]->id = static_cast<uint32_t>(i);

  const ir::Function& kernel = *module.kernel();
  std::vector<const ir::OpCall*> all;
  ir::walk(static_cast<const ir::Block*>(kernel.body), [&](const ir::Stmt* s) {
    if (const ir::OpCall* op = registration(s)) all.push_back(op);
  });
  if (all.empty()) return;
  const ir::KernelType type = module.kernel_type;
  if (type == ir::KernelType::AIV_ONLY || type == ir::KernelType::MIX_AIV_1_0)
    refuse(module, all[0]->loc,
           fmt::format("register_matmul in a kernel of type {}: there is no cube core", ir::to_string(type)),
           "leave kernel_type out, or take MIX_AIC_1_2");
  const bool mixed = type == ir::KernelType::MIX_AIC_1_1 || type == ir::KernelType::MIX_AIC_1_2;
  if (request.matmul_cube_only && mixed)
    refuse(module, all[0]->loc, "matmul_cube_only in a mixed kernel is not yet supported",
           "leave one of kernel_type and matmul_cube_only out");
  if (request.matmul_cube_only && type == ir::KernelType::Auto) module.kernel_type = ir::KernelType::AIC_ONLY;
  const bool alone =
      module.kernel_type == ir::KernelType::AIC_ONLY || module.kernel_type == ir::KernelType::MIX_AIC_1_0;
  if (at_kernel_scope(*kernel.body, alone) != all.size())
    refuse(module, all[0]->loc, "register_matmul stands in a loop or in a branch",
           "register the Matmul once, at the kernel's own level; only its use may be in loops and branches");
  if (all.size() > 1)
    refuse(module, all[1]->loc,
           "register_matmul is reached a second time: a kernel registers its Matmul once",
           "use one Matmul object, with set_tensor_a and set_tensor_b for each product");
}

}  // namespace asc::lower
