// SPDX-License-Identifier: Apache-2.0
// Which arguments a kernel may read and write: points-to sets of pointers and global tensors, through address
// arithmetic, views, assignments, helpers and rebinding.
//
// A set is bits, one an array argument. A new binding replaces the old one in a function's own straight line;
// under a branch or in a loop it is added, and a loop repeats until nothing is added. A helper is interpreted
// with the sets of all its calls joined. Directions of operands are those of the op table. Whatever leaves
// this view (an address made a number or stored in a struct) escapes, and an address of unknown origin may be
// any argument's; both count as read and written.
#include <algorithm>
#include <vector>

#include "ir/builder.h"
#include "ir/visit.h"
#include "passes/passes.h"

namespace asc::passes {

namespace {

using Set = uint64_t;
constexpr Set kUnknown = Set{1} << 63;  // any argument
constexpr int kLastBit = 62;            // shared by all arguments from this one on

bool points(const Type& type) { return type.kind == Kind::Pointer || type.kind == Kind::GlobalTensor; }
Set bit_of(size_t arg) { return Set{1} << std::min<size_t>(arg, kLastBit); }

// Ops of these families handle tensors and addresses; they do not touch the bytes behind them.
bool touches_memory(Family family) {
  switch (family) {
    case Family::Query:
    case Family::Handle:
    case Family::View:
    case Family::Construct:
    case Family::Operator: return false;
    default: return true;
  }
}

// Does a Matmul combine its result with what is there (en_atomic)?
bool combines(const ir::OpCall& e) {
  const std::vector<ParamDesc>& params = e.proto().params;
  for (size_t i = 0; i < params.size(); i++)
    if (params[i].name == "en_atomic" && e.args[i]) return ir::const_int(e.args[i]) != 0;
  return false;
}

class PointsTo {
 public:
  explicit PointsTo(ir::Module& module);
  void run();

 private:
  struct FunctionState {
    uint32_t first_var = 0, first_result = 0;
    bool seen = false;
  };

  void interpret(const ir::Function& function);
  void call(const ir::Function& callee, std::span<ir::Expr* const> args);
  void returns();

  void block(const ir::Block* block);
  void statement(const ir::Stmt* s);
  void branch(const ir::Block* block);
  template <class Fn>
  void loop(Fn&& turn);

  Set eval(const ir::Expr* e);
  Set op_call(const ir::OpCall& e);
  void touch(Set set, Dir dir);
  void bind(const ir::Var* var, Set set);
  void values(const ir::FormatText& text);

  Set& set_of(std::vector<Set>& sets, const ir::Function& f, const ir::Var* var) {
    return sets[functions_[f.id].first_var + var->id];
  }

  ir::Module& module_;
  std::vector<FunctionState> functions_;
  std::vector<Set> sets_, in_, out_;  // by variable: now; of parameters: at entry, and at the end (by_ref)
  std::vector<Set> results_;
  Set read_ = 0, written_ = 0, escaped_ = 0;
  const ir::Function* function_ = nullptr;
  int depth_ = 0;  // of branches and loops
  bool grown_ = false;
};

PointsTo::PointsTo(ir::Module& module) : module_(module) {
  functions_.resize(module.functions.size());
  uint32_t vars = 0, results = 0;
  for (const auto& f : module.functions) {
    functions_[f->id] = {vars, results, false};
    vars += static_cast<uint32_t>(f->vars.size());
    results += static_cast<uint32_t>(f->results.size());
  }
  sets_.assign(vars, 0);
  in_.assign(vars, 0);
  out_.assign(vars, 0);
  results_.assign(results, 0);
}

void PointsTo::run() {
  const ir::Function& kernel = *module_.kernel();
  for (size_t i = 0; i < module_.args.size(); i++)
    if (const ir::Var* var = module_.args[i].var; var && points(var->type))
      set_of(in_, kernel, var) = bit_of(i);
  interpret(kernel);
  for (size_t i = 0; i < module_.args.size(); i++) {
    ir::KernelArg& arg = module_.args[i];
    if (!points(arg.type)) {
      arg.may_read = true;
      arg.may_write = arg.escapes = false;
      continue;
    }
    const auto holds = [&](Set set) { return (set & (bit_of(i) | kUnknown)) != 0; };
    arg.escapes = holds(escaped_);
    arg.may_read = arg.escapes || holds(read_);
    arg.may_write = arg.escapes || holds(written_);
  }
}

// ---- functions ----------------------------------------------------------------------------------

void PointsTo::interpret(const ir::Function& function) {
  const ir::Function* caller = function_;
  const int depth = depth_;
  const bool grown = grown_;
  function_ = &function;
  depth_ = 0;
  functions_[function.id].seen = true;
  for (const ir::Var* var : function.vars) set_of(sets_, function, var) = set_of(in_, function, var);
  block(function.body);
  returns();
  function_ = caller;
  depth_ = depth;
  grown_ = grown;
}

// What the parameters passed by reference are bound to when control leaves the function.
void PointsTo::returns() {
  for (const ir::Var* param : function_->params)
    if (param->by_ref) set_of(out_, *function_, param) |= set_of(sets_, *function_, param);
}

// Is the variable passed by reference twice? Then one parameter is rebound by rebinding the other.
bool is_passed_twice(const ir::Function& callee, std::span<ir::Expr* const> args, size_t index) {
  const auto* ref = ir::as<ir::VarRef>(args[index]);
  if (!ref || !callee.params[index]->by_ref || !points(ref->type)) return false;
  for (size_t i = 0; i < args.size(); i++)
    if (const auto* other = ir::as<ir::VarRef>(args[i]); other && i != index && other->var == ref->var)
      return true;
  return false;
}

void PointsTo::call(const ir::Function& callee, std::span<ir::Expr* const> args) {
  bool grown = !functions_[callee.id].seen;
  for (size_t i = 0; i < args.size(); i++) {
    const Set set = eval(args[i]) | (is_passed_twice(callee, args, i) ? kUnknown : 0);
    Set& known = set_of(in_, callee, callee.params[i]);
    grown = grown || (set & ~known) != 0;
    known |= set;
  }
  if (grown) interpret(callee);
  for (size_t i = 0; i < args.size(); i++) {
    const ir::Var* param = callee.params[i];
    if (!param->by_ref || !points(param->type)) continue;
    const Set set = set_of(out_, callee, param);
    if (const auto* ref = ir::as<ir::VarRef>(args[i])) bind(ref->var, set);
  }
}

// ---- statements ---------------------------------------------------------------------------------

void PointsTo::block(const ir::Block* block) {
  for (const ir::Stmt* s : *block) statement(s);
}

void PointsTo::branch(const ir::Block* nested) {
  if (!nested) return;
  depth_++;
  block(nested);
  depth_--;
}

template <class Fn>
void PointsTo::loop(Fn&& turn) {
  const bool outer = grown_;
  bool grew = false;
  do {
    grown_ = false;
    turn();
    grew = grew || grown_;
  } while (grown_);
  grown_ = outer || grew;
}

void PointsTo::statement(const ir::Stmt* s) {
  switch (s->kind) {
    case ir::StmtKind::Decl: {
      const auto* decl = static_cast<const ir::Decl*>(s);
      return bind(decl->var, decl->init ? eval(decl->init) : 0);
    }
    case ir::StmtKind::Assign: {
      const auto* assign = static_cast<const ir::Assign*>(s);
      return bind(assign->var, eval(assign->value));
    }
    case ir::StmtKind::SetField: {
      const auto* set = static_cast<const ir::SetField*>(s);
      escaped_ |= eval(set->value);
      eval(set->object);
      return;
    }
    case ir::StmtKind::CallAssign: {
      const auto* assign = static_cast<const ir::CallAssign*>(s);
      call(*assign->callee, assign->args);
      const uint32_t first = functions_[assign->callee->id].first_result;
      for (size_t i = 0; i < assign->results.size() && i < assign->callee->results.size(); i++)
        if (assign->results[i]) bind(assign->results[i], results_[first + i]);
      return;
    }
    case ir::StmtKind::If: {
      const auto* choice = static_cast<const ir::If*>(s);
      eval(choice->condition);
      branch(choice->then_block);
      return branch(choice->else_block);
    }
    case ir::StmtKind::For: {
      const auto* f = static_cast<const ir::For*>(s);
      ir::for_each_expr(s, [this](const ir::Expr* e) { eval(e); });
      loop([&] { branch(f->body); });
      return branch(f->orelse);
    }
    case ir::StmtKind::While: {
      const auto* w = static_cast<const ir::While*>(s);
      loop([&] {
        branch(w->condition_pre);
        eval(w->condition);
        branch(w->body);
      });
      return branch(w->orelse);
    }
    case ir::StmtKind::Return: {
      const auto* result = static_cast<const ir::Return*>(s);
      const uint32_t first = functions_[function_->id].first_result;
      for (size_t i = 0; i < result->values.size(); i++) {
        const Set set = eval(result->values[i]);
        if (i < function_->results.size()) results_[first + i] |= set;
      }
      return returns();
    }
    case ir::StmtKind::Assert:
      eval(static_cast<const ir::Assert*>(s)->condition);
      return values(static_cast<const ir::Assert*>(s)->message);
    case ir::StmtKind::Print: return values(static_cast<const ir::Print*>(s)->text);
    case ir::StmtKind::Eval: eval(static_cast<const ir::Eval*>(s)->value); return;
    case ir::StmtKind::ConstDecl:
    case ir::StmtKind::Break:
    case ir::StmtKind::Continue: return;
  }
}

// A printed tensor shows what it holds.
void PointsTo::values(const ir::FormatText& text) {
  for (const ir::Expr* e : text.values)
    if (const Set set = eval(e); e->type.kind == Kind::GlobalTensor) touch(set, Dir::In);
}

void PointsTo::bind(const ir::Var* var, Set set) {
  if (!points(var->type)) return;
  Set& bound = set_of(sets_, *function_, var);
  if (depth_ == 0) {
    bound = set;
  } else {
    grown_ = grown_ || (set & ~bound) != 0;
    bound |= set;
  }
}

void PointsTo::touch(Set set, Dir dir) {
  if (dir == Dir::In || dir == Dir::InOut) read_ |= set;
  if (dir == Dir::Out || dir == Dir::InOut) written_ |= set;
}

// ---- expressions --------------------------------------------------------------------------------

Set PointsTo::eval(const ir::Expr* e) {
  switch (e->kind) {
    case ir::ExprKind::Const: return points(e->type) ? kUnknown : 0;
    case ir::ExprKind::Var:
      return points(e->type) ? set_of(sets_, *function_, static_cast<const ir::VarRef*>(e)->var) : 0;
    case ir::ExprKind::Cast: {
      const auto* c = static_cast<const ir::Cast*>(e);
      const Set set = eval(c->operand);
      if (points(e->type)) return points(c->operand->type) ? set : kUnknown;
      if (!is_bool(e->type.elem)) escaped_ |= set;
      return 0;
    }
    case ir::ExprKind::Select: {
      const auto* s = static_cast<const ir::Select*>(e);
      eval(s->condition);
      const Set set = eval(s->then_value);
      return set | eval(s->else_value);
    }
    case ir::ExprKind::OpCall: return op_call(*static_cast<const ir::OpCall*>(e));
    case ir::ExprKind::Call: {
      const auto* c = static_cast<const ir::Call*>(e);
      call(*c->callee, c->args);
      return points(e->type) ? results_[functions_[c->callee->id].first_result] : 0;
    }
    case ir::ExprKind::Field:
      eval(static_cast<const ir::Field*>(e)->object);
      return points(e->type) ? kUnknown : 0;
    case ir::ExprKind::Workspace: return eval(static_cast<const ir::Workspace*>(e)->base);
    case ir::ExprKind::Unary:
    case ir::ExprKind::Binary:
    case ir::ExprKind::Logical:
    case ir::ExprKind::CorePredicate:
      ir::for_each_operand(e, [this](const ir::Expr* operand) { eval(operand); });
  }
  return points(e->type) ? kUnknown : 0;
}

Set PointsTo::op_call(const ir::OpCall& e) {
  const OpDesc& desc = e.desc();
  const OverloadDesc& proto = desc.overloads[e.overload];
  const bool touches = touches_memory(desc.family);
  Set self = 0, operands = 0;
  if (e.self) {
    self = eval(e.self);
    if (touches && e.self->type.kind == Kind::GlobalTensor) touch(self, proto.self_dir);
  }
  for (size_t i = 0; i < e.args.size(); i++) {
    if (!e.args[i]) continue;
    const Set set = eval(e.args[i]);
    if (!points(e.args[i]->type)) continue;
    operands |= set;
    if (!touches) continue;
    if (e.args[i]->type.kind == Kind::GlobalTensor &&
        proto.params[i].type.form == TypePattern::Form::GlobalTensor)
      touch(set, combines(e) ? Dir::InOut : proto.params[i].dir);
    else
      escaped_ |= set;
  }
  // A handle that changes is bound to the addresses it is given.
  if (desc.family == Family::Handle && proto.self_dir != Dir::In && e.self && operands != 0)
    if (const auto* ref = ir::as<ir::VarRef>(e.self)) bind(ref->var, operands);
  if (!points(e.type)) return 0;
  return touches || e.op == OpId::Pointer_Init ? kUnknown : self | operands;
}

}  // namespace

void access(ir::Module& module) {
  if (module.kernel()) PointsTo(module).run();
}

}  // namespace asc::passes
