// SPDX-License-Identifier: Apache-2.0
// Widens address arithmetic to int64: chains of + - * and unary minus on signed integers that only form a
// global address, an offset into global memory or the size of a global tensor, and the variables, parameters
// and results of helpers between them.
//
// Decisions
// - What asks for it: such a chain, narrower than 64 bits, with an operation that is not proven to fit
// (kFits) and whose result
//   reaches a 64-bit operand of a method of GlobalTensor or of address arithmetic. Views of local tensors
//   never do.
// - A variable is widened only with all its uses: addresses, definitions of variables that are widened too,
// comparisons (the
//   other side widens with it) and printed values. Any other use (a count, a division, a loop bound) keeps
//   its type, and then an overflow stays a finding.
// - & | ^ ~ and << by a constant belong to the same 64-bit computation (ir/ir.h): they go along inside a
// chain that is widened,
//   so that no value is checked against the narrow type where it was not before; they alone ask for nothing.
// - Loop variables, the kernel's parameters and unsigned arithmetic (it wraps by definition) keep their
// types.
// - Leaves that keep their type get an implicit cast each; in C++ one cast in an operation is enough, which
// is the printer's.
#include <optional>
#include <vector>

#include "ir/builder.h"
#include "ir/visit.h"
#include "passes/passes.h"

namespace asc::passes {

namespace {

constexpr Type kInt64 = Type::scalar(DType::I64);

bool is_signed(const Type& type) { return type.is_scalar() && is_signed_int(type.elem); }
bool is_narrow(const Type& type) { return is_signed(type) && type.elem != DType::I64; }

bool is_sum(const ir::Expr* e) {
  if (!is_signed(e->type)) return false;
  if (const auto* b = ir::as<ir::Binary>(e))
    return b->op == ir::BinaryOp::Add || b->op == ir::BinaryOp::Sub || b->op == ir::BinaryOp::Mul;
  const auto* u = ir::as<ir::Unary>(e);
  return u && u->op == ir::UnaryOp::Neg;
}

// Operations whose operands compute in 64 bits with them, and whose result does not depend on the type's
// width.
bool goes_along(const ir::Expr* e) {
  if (is_sum(e)) return true;
  if (!is_signed(e->type)) return false;
  if (const auto* u = ir::as<ir::Unary>(e)) return u->op == ir::UnaryOp::Invert;
  const auto* b = ir::as<ir::Binary>(e);
  if (!b) return false;
  if (b->op == ir::BinaryOp::Shl) {
    const auto count = ir::const_int(b->right);
    return count && *count >= 0 && *count < 8 * size_of(e->type.elem);
  }
  return b->op == ir::BinaryOp::And || b->op == ir::BinaryOp::Or || b->op == ir::BinaryOp::Xor;
}

// A cast that every value survives, or that turns an offset into the unsigned type of an operand.
bool is_link(const ir::Cast* c) {
  if (c->is_explicit || !is_signed(c->operand->type) || !c->type.is_scalar()) return false;
  return c->type.elem == DType::U64 ||
         (is_signed_int(c->type.elem) && size_of(c->type.elem) >= size_of(c->operand->type.elem));
}

// fn(Expr*&) for the operands through which a chain goes on; false if the expression is a leaf of its chain.
template <class Fn>
bool for_each_link(ir::Expr* e, Fn&& fn) {
  const auto* c = ir::as<ir::Cast>(e);
  if (!goes_along(e) && !(c && is_link(c))) return false;
  ir::for_each_operand(e, fn);
  return true;
}

bool overflows(ir::Expr* e) {
  if (is_sum(e) && is_narrow(e->type) && (e->facts & ir::kFits) == 0) return true;
  bool found = false;
  for_each_link(e, [&](ir::Expr* operand) { found = found || overflows(operand); });
  return found;
}

// Is argument `index` of the call a number of elements in global memory?
bool is_address_operand(const OpDesc& desc, const OverloadDesc& proto, size_t index) {
  if (desc.owner != Kind::GlobalTensor && desc.owner != Kind::Pointer) return false;
  const TypePattern& type = proto.params[index].type;
  return type.form == TypePattern::Form::Scalar && is_int(type.dtype) && size_of(type.dtype) == 8;
}

// What an expression's value is used for.
enum class Use : uint8_t { Other, Compare, Address, Define };

class Widening {
 public:
  explicit Widening(ir::Module& module) : module_(module), build_(module) {}
  bool run();

 private:
  using Cell = uint32_t;  // a variable of a function, or one of its results
  struct CellState {
    bool kept = false;       // some use or its kind forbids a change
    bool address = false;    // some use is an address
    bool overflows = false;  // some definition is a chain that may leave its type
    bool narrow = false;     // narrower than int64
    bool widened = false;
  };
  struct Flow {  // the value of `from` is a link of a definition of `to`
    Cell from, to;
    bool same = false;  // nothing stands between them: they have one type
  };

  void number_cells();
  Cell cell(const ir::Function& f, const ir::Var* var) const { return first_cell_[f.id] + var->id; }
  Cell result_cell(const ir::Function& f, size_t index) const {
    return first_cell_[f.id] + static_cast<Cell>(f.vars.size() + index);
  }

  // The two turns, over every statement and expression: first collects uses, then (rewriting_) rewrites.
  void function(const ir::Function& f);
  void statement(ir::Stmt* s);
  void call(const ir::Function& callee, std::span<ir::Expr*> args);
  void root(ir::Expr*& e, Use use, Cell defined = 0);
  void walk(ir::Expr* e, Use use, Cell defined);
  void used(Cell at, Use use, Cell defined);
  void other_operands(ir::Expr* e);

  bool decide();
  std::optional<Cell> leaf_cell(const ir::Expr* e) const;
  bool has_widened(ir::Expr* e) const;
  void rewrite(ir::Expr*& e, Use use, Cell defined);
  void rewrite_links(ir::Expr*& e, bool overflows_widen);
  void widen(ir::Expr*& e);
  void retype();

  ir::Module& module_;
  ir::Builder build_;
  std::vector<Cell> first_cell_;  // by function id
  std::vector<CellState> cells_;
  std::vector<Flow> flows_;
  const ir::Function* function_ = nullptr;
  bool rewriting_ = false;
  bool chain_overflows_ = false;  // some chain asks for int64 itself
};

bool Widening::run() {
  number_cells();
  for (const auto& f : module_.functions) function(*f);
  if (!decide()) return false;
  rewriting_ = true;
  retype();
  for (const auto& f : module_.functions) function(*f);
  return true;
}

void Widening::number_cells() {
  size_t count = 0;
  for (const auto& f : module_.functions) count += f->vars.size() + f->results.size();
  cells_.reserve(count);
  first_cell_.reserve(module_.functions.size());
  const auto add = [this](const Type& type, bool kept) {
    CellState state;
    state.kept = kept || !is_signed(type);
    state.narrow = is_narrow(type);
    cells_.push_back(state);
  };
  for (const auto& f : module_.functions) {
    first_cell_.push_back(static_cast<Cell>(cells_.size()));
    for (const ir::Var* v : f->vars) add(v->type, v->by_ref || v->is_result || (v->is_param && f->is_kernel));
    for (const Type& type : f->results) add(type, f->is_kernel);
  }
}

// ---- both turns ---------------------------------------------------------------------------------

void Widening::function(const ir::Function& f) {
  function_ = &f;
  ir::walk(f.body, [this](ir::Stmt* s) { statement(s); });
}

void Widening::statement(ir::Stmt* s) {
  switch (s->kind) {
    case ir::StmtKind::Decl: {
      auto* decl = static_cast<ir::Decl*>(s);
      if (decl->init) root(decl->init, Use::Define, cell(*function_, decl->var));
      return;
    }
    case ir::StmtKind::Assign: {
      auto* assign = static_cast<ir::Assign*>(s);
      return root(assign->value, Use::Define, cell(*function_, assign->var));
    }
    case ir::StmtKind::Return: {
      auto* result = static_cast<ir::Return*>(s);
      for (size_t i = 0; i < result->values.size() && i < function_->results.size(); i++)
        root(result->values[i], Use::Define, result_cell(*function_, i));
      return;
    }
    case ir::StmtKind::CallAssign: {
      auto* assign = static_cast<ir::CallAssign*>(s);
      call(*assign->callee, assign->args);
      if (rewriting_) return;
      for (size_t i = 0; i < assign->results.size() && i < assign->callee->results.size(); i++)
        if (const ir::Var* var = assign->results[i])
          flows_.push_back({result_cell(*assign->callee, i), cell(*function_, var), true});
      return;
    }
    case ir::StmtKind::For: cells_[cell(*function_, static_cast<ir::For*>(s)->var)].kept = true; break;
    case ir::StmtKind::Print:
      for (ir::Expr*& value : static_cast<ir::Print*>(s)->text.values) root(value, Use::Compare);
      return;
    case ir::StmtKind::Assert:
      for (ir::Expr*& value : static_cast<ir::Assert*>(s)->message.values) root(value, Use::Compare);
      return root(static_cast<ir::Assert*>(s)->condition, Use::Other);
    default: break;
  }
  ir::for_each_expr(s, [this](ir::Expr*& e) { root(e, Use::Other); });
}

void Widening::call(const ir::Function& callee, std::span<ir::Expr*> args) {
  for (size_t i = 0; i < args.size(); i++) {
    const bool defines = is_signed(callee.params[i]->type) && !callee.params[i]->by_ref;
    root(args[i], defines ? Use::Define : Use::Other, cell(callee, callee.params[i]));
  }
}

void Widening::root(ir::Expr*& e, Use use, Cell defined) {
  walk(e, use, defined);
  if (rewriting_)
    rewrite(e, use, defined);
  else if (use == Use::Address)
    chain_overflows_ = chain_overflows_ || overflows(e);
  else if (use == Use::Define)
    cells_[defined].overflows = cells_[defined].overflows || overflows(e);
}

// Down the links of a chain with the chain's use; what hangs on its leaves is used otherwise.
void Widening::walk(ir::Expr* e, Use use, Cell defined) {
  if (use != Use::Other && for_each_link(e, [&](ir::Expr* operand) { walk(operand, use, defined); })) return;
  if (const auto at = leaf_cell(e); at && !rewriting_) used(*at, use, defined);
  other_operands(e);
}

void Widening::used(Cell at, Use use, Cell defined) {
  switch (use) {
    case Use::Other: cells_[at].kept = true; return;
    case Use::Compare: return;
    case Use::Address: cells_[at].address = true; return;
    case Use::Define: flows_.push_back({at, defined}); return;
  }
}

void Widening::other_operands(ir::Expr* e) {
  switch (e->kind) {
    case ir::ExprKind::Const:
    case ir::ExprKind::Var: return;
    case ir::ExprKind::Call: return call(*static_cast<ir::Call*>(e)->callee, static_cast<ir::Call*>(e)->args);
    case ir::ExprKind::OpCall: {
      auto* op = static_cast<ir::OpCall*>(e);
      if (op->self) root(op->self, Use::Other);
      const OpDesc& desc = op->desc();
      const bool has_addresses = desc.owner == Kind::GlobalTensor || desc.owner == Kind::Pointer;
      for (size_t i = 0; i < op->args.size(); i++)
        if (op->args[i]) {
          const bool is_address = has_addresses && is_address_operand(desc, op->proto(), i);
          root(op->args[i], is_address ? Use::Address : Use::Other);
        }
      return;
    }
    case ir::ExprKind::Binary: {
      auto* b = static_cast<ir::Binary*>(e);
      if (!ir::is_comparison(b->op)) break;
      walk(b->left, Use::Compare, 0);
      walk(b->right, Use::Compare, 0);
      if (!rewriting_ || (!has_widened(b->left) && !has_widened(b->right))) return;
      for (ir::Expr** side : {&b->left, &b->right})
        is_narrow((*side)->type) ? widen(*side) : rewrite_links(*side, false);
      return;
    }
    default: break;
  }
  ir::for_each_operand(e, [this](ir::Expr*& operand) { root(operand, Use::Other); });
}

// ---- the decision -------------------------------------------------------------------------------

// Something is to be rewritten. Flows are in program order: against it facts of uses go back to definitions.
bool Widening::decide() {
  bool any = chain_overflows_;
  for (const CellState& c : cells_) any = any || (c.overflows && !c.kept);
  if (!any) return false;
  for (bool changed = true; changed;) {
    changed = false;
    for (size_t i = flows_.size(); i-- > 0;) {
      CellState &from = cells_[flows_[i].from], &to = cells_[flows_[i].to];
      const bool kept = from.kept || to.kept, address = from.address || to.address;
      changed = changed || (!from.kept && kept) || (!from.address && address);
      from.kept = kept;
      from.address = address;
      if (!flows_[i].same) continue;
      changed = changed || (!to.kept && kept) || (!to.address && address);
      to.kept = kept;
      to.address = address;
    }
  }
  any = chain_overflows_;
  for (CellState& c : cells_) {
    c.widened = c.narrow && c.overflows && c.address && !c.kept;
    // The chain that overflows may lie inside the definition of a variable that is int64 already.
    any = any || (c.overflows && c.address && !c.kept);
  }
  for (bool changed = true; changed;) {
    changed = false;
    for (const Flow& flow : flows_) {
      CellState &from = cells_[flow.from], &to = cells_[flow.to];
      const bool forward = from.widened && to.narrow && !to.widened;
      const bool back = flow.same && to.widened && !from.widened;
      to.widened = to.widened || forward;
      from.widened = from.widened || back;
      changed = changed || forward || back;
    }
  }
  return any;
}

// ---- rewriting ----------------------------------------------------------------------------------

void Widening::retype() {
  for (const auto& f : module_.functions) {
    for (ir::Var* v : f->vars)
      if (cells_[cell(*f, v)].widened) v->type = kInt64;
    for (size_t i = 0; i < f->results.size(); i++)
      if (cells_[result_cell(*f, i)].widened) f->results[i] = kInt64;
  }
}

// The cell whose value the expression is, if it is one.
std::optional<Widening::Cell> Widening::leaf_cell(const ir::Expr* e) const {
  if (!is_signed(e->type)) return std::nullopt;
  if (const auto* ref = ir::as<ir::VarRef>(e)) return cell(*function_, ref->var);
  if (const auto* c = ir::as<ir::Call>(e)) return result_cell(*c->callee, 0);
  return std::nullopt;
}

bool Widening::has_widened(ir::Expr* e) const {
  bool found = false;
  if (for_each_link(e, [&](ir::Expr* operand) { found = found || has_widened(operand); })) return found;
  const auto at = leaf_cell(e);
  return at && cells_[*at].widened;
}

void Widening::rewrite(ir::Expr*& e, Use use, Cell defined) {
  switch (use) {
    case Use::Other: return;
    case Use::Address: return rewrite_links(e, true);
    case Use::Compare:
      if (has_widened(e)) is_narrow(e->type) ? widen(e) : rewrite_links(e, false);
      return;
    case Use::Define: {
      const CellState& c = cells_[defined];
      if (c.widened) return widen(e);
      // Inside the definition of an int64 variable; narrow variables that stay have nothing widened in
      // theirs.
      if (!c.narrow) rewrite_links(e, c.address && !c.kept);
      return;
    }
  }
}

// Widens the narrow chains below the 64-bit part of a chain: those with something widened in them, and if
// asked for those that may overflow.
void Widening::rewrite_links(ir::Expr*& e, bool overflows_widen) {
  auto* c = ir::as<ir::Cast>(e);
  if (c && is_link(c) && is_narrow(c->operand->type)) {
    if (has_widened(c->operand) || (overflows_widen && overflows(c->operand))) {
      widen(c->operand);
      if (c->type == kInt64) e = c->operand;
    }
    return;
  }
  for_each_link(e, [&](ir::Expr*& operand) { rewrite_links(operand, overflows_widen); });
}

// Makes a chain int64.
void Widening::widen(ir::Expr*& e) {
  if (!is_narrow(e->type)) return rewrite_links(e, true);
  if (goes_along(e)) {
    e->type = kInt64;
    e->facts = 0;
    ir::for_each_operand(e, [this](ir::Expr*& operand) { widen(operand); });
    return;
  }
  if (auto* c = ir::as<ir::Cast>(e); c && is_link(c)) {
    e = c->operand;
    return widen(e);
  }
  if (const auto at = leaf_cell(e); at && cells_[*at].widened) {
    e->type = kInt64;
    e->facts = 0;
    return;
  }
  e = build_.cast(kInt64, e, /*is_explicit=*/false, e->loc);
}

}  // namespace

bool widen_addresses(ir::Module& module) { return Widening(module).run(); }

}  // namespace asc::passes
