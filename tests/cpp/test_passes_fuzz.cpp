// SPDX-License-Identifier: Apache-2.0
// Random kernels of integer statements, run by a plain interpreter: every fact that `intervals` noted must
// hold for every value seen, and `widen_addresses` must leave the addresses as they are. A failure prints the
// seed and the kernel.
#include <algorithm>
#include <optional>
#include <random>
#include <vector>

#include "ir/builder.h"
#include "ir/visit.h"
#include "passes_text.h"

namespace {

using namespace asc;
__extension__ using Wide = __int128;

constexpr DType kTypes[] = {DType::I32, DType::I32, DType::I32, DType::I32, DType::I32, DType::I64,
                            DType::I64, DType::U32, DType::I16, DType::I8,  DType::U64};

bool holds_all_of(DType wide, DType narrow) {
  if (wide == narrow) return true;
  if (size_of(wide) <= size_of(narrow)) return false;
  return is_signed_int(wide) || is_unsigned_int(narrow);
}

// ---- the generator ------------------------------------------------------------------------------

class Generator {
 public:
  explicit Generator(uint64_t seed)
      : random_(seed), module_(std::make_unique<ir::Module>()), build_(*module_, false) {}

  std::unique_ptr<ir::Module> make() {
    for (int i = 0; i < 2; i++) function(false);
    function(true);
    return std::move(module_);
  }

 private:
  int pick(int count) { return static_cast<int>(random_() % static_cast<uint64_t>(count)); }
  bool chance(int percent) { return pick(100) < percent; }
  DType any_type() { return kTypes[pick(std::size(kTypes))]; }

  void function(bool is_kernel) {
    f_ = build_.function(is_kernel ? "k" : "h" + std::to_string(module_->functions.size()), Loc::kNone, {});
    f_->is_kernel = is_kernel;
    visible_.clear();
    if (is_kernel) param("x", Type::pointer(DType::F32));
    const int params = is_kernel ? 3 : 2;
    for (int i = 0; i < params; i++)
      param("p" + std::to_string(i), Type::scalar(chance(70) ? DType::I32 : any_type()));
    if (!is_kernel) {
      for (int i = 0, n = 1 + pick(2); i < n; i++) {
        f_->results.push_back(Type::scalar(i == 0 ? DType::I32 : any_type()));
        f_->result_names.push_back("");
      }
    }
    f_->body = build_.new_block();
    build_.set_block(f_->body);
    if (is_kernel) {
      global_ = build_.new_var(f_, "g", Type::global_tensor(DType::F32), {});
      build_.decl(global_, nullptr, {});
      for (const ir::Var* p : f_->params)
        module_->args.push_back({p->name, p->type, const_cast<ir::Var*>(p), is_number(*p) && chance(50)});
    }
    block(3, is_kernel ? 8 : 4, false);
    if (!is_kernel) return_values();
    f_->effect = effect_of(*f_);
    if (!is_kernel) helpers_.push_back(f_);
  }

  static bool is_number(const ir::Var& v) { return v.type.is_scalar(); }

  void param(const std::string& name, Type type) {
    ir::Var* v = build_.new_var(f_, name, type, {});
    v->is_param = true;
    f_->params.push_back(v);
    if (type.is_scalar()) visible_.push_back(v);
  }

  void return_values() {
    std::vector<ir::Expr*> values;
    for (const Type& t : f_->results) values.push_back(expr(t.elem, 2));
    build_.return_(values, {});
  }

  ir::Block* nested(int depth, bool in_loop) {
    ir::Block* outer = build_.block();
    ir::Block* inner = build_.new_block();
    build_.set_block(inner);
    const size_t before = visible_.size();
    block(depth - 1, 3, in_loop);
    visible_.resize(before);
    build_.set_block(outer);
    return inner;
  }

  void block(int depth, int statements, bool in_loop) {
    for (int i = 0; i < statements; i++)
      if (statement(depth, in_loop)) return;
  }

  ir::Var* new_var(DType type) {
    ir::Var* v = build_.new_var(f_, "v", Type::scalar(type), {});
    return v;
  }

  bool statement(int depth, bool in_loop) {
    const int kind = pick(depth > 0 ? 14 : 8);
    if (kind < 3) {
      ir::Var* v = new_var(any_type());
      build_.decl(v, expr(v->type.elem, 3), {});
      visible_.push_back(v);
    } else if (kind < 5) {
      if (visible_.empty()) return false;
      ir::Var* v = visible_[static_cast<size_t>(pick(static_cast<int>(visible_.size())))];
      if (std::find(loop_vars_.begin(), loop_vars_.end(), v) == loop_vars_.end() || chance(20))
        build_.assign(v, expr(v->type.elem, 3), {});
    } else if (kind == 5) {
      if (global_ && f_->is_kernel) access();
    } else if (kind == 6) {
      call();
    } else if (kind == 7) {
      if (in_loop && chance(30)) {
        chance(50) ? static_cast<void>(build_.break_({})) : static_cast<void>(build_.continue_({}));
        return true;
      }
      if (chance(10)) build_.assert_(condition(2), {}, {}, {});
    } else if (kind < 11) {
      ir::Expr* test = condition(2);
      ir::Block* then_block = nested(depth, in_loop);
      ir::Block* else_block = chance(50) ? nested(depth, in_loop) : nullptr;
      build_.if_(test, then_block, else_block, {});
    } else if (kind < 13) {
      loop(depth, in_loop);
    } else {
      while_loop(depth, in_loop);
    }
    return false;
  }

  void while_loop(int depth, bool in_loop) {
    ir::Block* pre = nullptr;
    ir::Expr* test = condition(2);
    if (chance(40)) {  // what is evaluated before the condition, in each turn
      ir::Var* v = new_var(DType::I32);
      build_.decl(v, nullptr, {});
      ir::Block* outer = build_.block();
      pre = build_.new_block();
      build_.set_block(pre);
      build_.assign(v, expr(DType::I32, 2), {});
      build_.set_block(outer);
      visible_.push_back(v);
      test = condition(2);
    }
    ir::Block* body = nested(depth, true);
    build_.while_(pre, test, body, chance(20) ? nested(depth, in_loop) : nullptr, {});
  }

  void loop(int depth, bool in_loop) {
    const DType type = chance(80) ? DType::I32 : DType::I64;
    ir::Var* v = new_var(type);
    ir::Expr* start = chance(60) ? number(type, 0) : expr(type, 1);
    ir::Expr* stop = chance(40) ? number(type, pick(9)) : expr(type, 2);
    ir::Expr* step = chance(70)   ? nullptr
                     : chance(70) ? number(type, chance(50) ? 1 + pick(5) : -1 - pick(5))
                                  : expr(type, 1);
    visible_.push_back(v);
    loop_vars_.push_back(v);
    ir::Block* body = nested(depth, true);
    loop_vars_.pop_back();
    visible_.pop_back();
    build_.for_(v, start, stop, step, body, chance(20) ? nested(depth, in_loop) : nullptr, true, {});
  }

  void access() {
    const bool unsigned_operand = chance(30);
    ir::Expr* offset = expr(chance(70) ? DType::I32 : DType::I64, 3);
    ir::Expr* args[] = {
        build_.cast(Type::scalar(unsigned_operand ? DType::U64 : DType::I64), offset, false, {})};
    if (args[0]->type == offset->type) args[0] = offset;
    const DType vars[4] = {DType::F32, DType::Void, DType::Void, DType::Void};
    if (unsigned_operand) {
      build_.eval(build_.op_call(OpId::GlobalTensor_GetValue, 0, vars, build_.var(global_, {}), args, {}),
                  {});
    } else {
      ir::Var* at = build_.new_var(f_, "a", Type::pointer(DType::F32), {});
      build_.decl(at, build_.op_call(OpId::Pointer_Offset, 0, vars, build_.var(f_->params[0], {}), args, {}),
                  {});
    }
  }

  void call() {
    if (helpers_.empty()) return;
    ir::Function* h = helpers_[static_cast<size_t>(pick(static_cast<int>(helpers_.size())))];
    std::vector<ir::Expr*> args;
    for (const ir::Var* p : h->params) args.push_back(expr(p->type.elem, 2));
    std::vector<ir::Var*> results;
    for (const Type& t : h->results) results.push_back(new_var(t.elem));
    for (ir::Var* v : results) build_.decl(v, nullptr, {});
    if (results.size() == 1)
      build_.assign(results[0], build_.call(h, args, {}), {});
    else
      build_.call_assign(h, args, results, {});
    visible_.insert(visible_.end(), results.begin(), results.end());
  }

  ir::Expr* number(DType type, int64_t value) { return build_.int_const(Type::scalar(type), value, {}); }

  ir::Expr* any_number(DType type) {
    if (chance(95)) return number(type, is_signed_int(type) ? pick(20) - 5 : pick(15));
    if (is_unsigned_int(type))
      return number(type, chance(50) ? static_cast<int64_t>(unsigned_max(type)) : pick(1 << 20) % 200);
    const int64_t extremes[] = {int_min(type), int_max(type), int_max(type) / 2, int_max(type) / 3 + 1};
    return number(type, extremes[pick(4)]);
  }

  ir::Expr* leaf(DType type) {
    for (int tries = 0; tries < 4 && !visible_.empty() && chance(80); tries++) {
      ir::Var* v = visible_[static_cast<size_t>(pick(static_cast<int>(visible_.size())))];
      if (v->type.elem == type) return build_.var(v, {});
      if (chance(50)) return converted(type, build_.var(v, {}));
    }
    if (chance(10) && type == DType::I64) {
      const DType none[4] = {DType::Void, DType::Void, DType::Void, DType::Void};
      return build_.op_call(OpId::GetBlockIdx, 0, none, nullptr, {}, {});
    }
    return any_number(type);
  }

  ir::Expr* expr(DType type, int depth) {
    if (depth == 0 || chance(20)) return leaf(type);
    using B = ir::BinaryOp;
    constexpr B kOps[] = {B::Add, B::Add, B::Sub, B::Sub, B::Mul, B::Mul, B::FloorDiv, B::FloorDiv, B::Mod,
                          B::Mod, B::Min, B::Max, B::Shl, B::Shr, B::And, B::Or,       B::Xor};
    const int kind = pick(24);
    if (kind < 17) {
      ir::Expr* left = expr(type, depth - 1);
      const B op = kOps[kind];
      const bool shifts = op == B::Shl || op == B::Shr, divides = op == B::FloorDiv || op == B::Mod;
      ir::Expr* right = shifts ? number(type, pick(6)) : expr(type, depth - 1);
      // Mostly a divisor that is not zero, of either sign.
      if (divides && chance(90))
        right = chance(60) ? number(type, 1 + pick(9)) : build_.binary(B::Or, right, number(type, 1), {});
      return build_.binary(op, left, right, {});
    }
    if (kind == 17) return build_.unary(ir::UnaryOp::Neg, expr(type, depth - 1), {});
    if (kind == 18)
      return build_.unary(chance(50) ? ir::UnaryOp::Invert : ir::UnaryOp::Abs, expr(type, depth - 1), {});
    if (kind == 19)
      return build_.select(condition(depth - 1), expr(type, depth - 1), expr(type, depth - 1), {});
    if (kind == 20) return build_.cast(Type::scalar(type), condition(depth - 1), false, {});
    DType from = any_type();
    if (from == type) from = type == DType::I32 ? DType::I64 : DType::I32;
    return converted(type, expr(from, depth - 1));
  }

  // Mostly explicit where a value might not fit, so that runs do not end at once.
  ir::Expr* converted(DType type, ir::Expr* e) {
    const bool explicitly = chance(holds_all_of(type, e->type.elem) ? 20 : 85);
    return build_.cast(Type::scalar(type), e, explicitly, {});
  }

  ir::Expr* condition(int depth) {
    if (depth > 0 && chance(30))
      return build_.logical(chance(50) ? ir::LogicalOp::And : ir::LogicalOp::Or, condition(depth - 1),
                            condition(depth - 1), {});
    if (depth > 0 && chance(15)) return build_.unary(ir::UnaryOp::Not, condition(depth - 1), {});
    const DType type = chance(70) ? DType::I32 : any_type();
    const auto op = static_cast<ir::BinaryOp>(static_cast<int>(ir::BinaryOp::Lt) + pick(6));
    return build_.binary(op, expr(type, std::min(depth, 1)), chance(60) ? leaf(type) : expr(type, depth), {});
  }

  std::mt19937_64 random_;
  std::unique_ptr<ir::Module> module_;
  ir::Builder build_;
  ir::Function* f_ = nullptr;
  ir::Var* global_ = nullptr;
  std::vector<ir::Var*> visible_, loop_vars_;
  std::vector<ir::Function*> helpers_;
};

// ---- the interpreter ----------------------------------------------------------------------------

struct Stop {};  // a finding, or enough steps

Wide low(DType t) { return is_unsigned_int(t) ? 0 : int_min(t); }
Wide high(DType t) { return is_unsigned_int(t) ? Wide(unsigned_max(t)) : Wide(int_max(t)); }
bool inside(DType t, Wide v) { return v >= low(t) && v <= high(t); }
Wide wrapped(DType t, Wide v) {
  const Wide size = Wide{1} << (8 * size_of(t));
  v = ((v % size) + size) % size;
  return is_signed_int(t) && v > high(t) ? v - size : v;
}
Wide floor_div(Wide a, Wide b) { return a / b - (a % b != 0 && (a % b < 0) != (b < 0) ? 1 : 0); }

class Interpreter {
 public:
  explicit Interpreter(const ir::Module& module) : module_(module) {}

  // The offsets into global memory, in order, until a finding or the end.
  std::vector<Wide> run(const std::vector<Wide>& args, int64_t block) {
    block_ = block;
    try {
      Frame frame{module_.kernel(), std::vector<std::optional<Wide>>(module_.kernel()->vars.size()), {}};
      for (size_t i = 0; i < args.size(); i++) frame.values[i] = args[i];
      run_body(frame);
      ended = true;
    } catch (Stop) {}
    return offsets_;
  }

  bool ended = false;
  std::string broken;  // the first fact that does not hold

 private:
  static constexpr int kMaxSteps = 2000;  // statements and turns, which no pass changes
  enum class Flow { Next, Break, Continue, Return };
  struct Frame {
    const ir::Function* f;
    std::vector<std::optional<Wide>> values;
    std::vector<Wide> results;
  };

  void run_body(Frame& frame) {
    Frame* outer = frame_;
    frame_ = &frame;
    block(frame.f->body);
    frame_ = outer;
  }

  Flow block(const ir::Block* b) {
    for (const ir::Stmt* s : *b)
      if (const Flow flow = statement(s); flow != Flow::Next) return flow;
    return Flow::Next;
  }

  std::optional<Wide>& value(const ir::Var* v) { return frame_->values[v->id]; }

  Flow statement(const ir::Stmt* s) {
    if (++steps_ > kMaxSteps) throw Stop();
    switch (s->kind) {
      case ir::StmtKind::Decl: {
        const auto* d = static_cast<const ir::Decl*>(s);
        value(d->var) = d->init ? std::optional(use(d->init)) : std::nullopt;
        return Flow::Next;
      }
      case ir::StmtKind::Assign: {
        const auto* a = static_cast<const ir::Assign*>(s);
        value(a->var) = use(a->value);
        return Flow::Next;
      }
      case ir::StmtKind::Eval: use(static_cast<const ir::Eval*>(s)->value); return Flow::Next;
      case ir::StmtKind::CallAssign: {
        const auto* c = static_cast<const ir::CallAssign*>(s);
        const std::vector<Wide> results = call(c->callee, c->args);
        for (size_t i = 0; i < results.size(); i++) value(c->results[i]) = results[i];
        return Flow::Next;
      }
      case ir::StmtKind::Assert:
        if (use(static_cast<const ir::Assert*>(s)->condition) == 0) throw Stop();
        return Flow::Next;
      case ir::StmtKind::If: {
        const auto* i = static_cast<const ir::If*>(s);
        if (use(i->condition) != 0) return block(i->then_block);
        return i->else_block ? block(i->else_block) : Flow::Next;
      }
      case ir::StmtKind::For: return for_(static_cast<const ir::For*>(s));
      case ir::StmtKind::While: {
        const auto* w = static_cast<const ir::While*>(s);
        while (true) {
          if (++steps_ > kMaxSteps) throw Stop();
          if (w->condition_pre) block(w->condition_pre);
          if (use(w->condition) == 0) break;
          const Flow flow = block(w->body);
          if (flow == Flow::Return) return flow;
          if (flow == Flow::Break) return Flow::Next;
        }
        return w->orelse ? block(w->orelse) : Flow::Next;
      }
      case ir::StmtKind::Break: return Flow::Break;
      case ir::StmtKind::Continue: return Flow::Continue;
      case ir::StmtKind::Return:
        for (const ir::Expr* e : static_cast<const ir::Return*>(s)->values) frame_->results.push_back(use(e));
        return Flow::Return;
      default: ADD_FAILURE() << "no such statement here"; throw Stop();
    }
  }

  Flow for_(const ir::For* f) {
    const Wide start = use(f->start), stop = use(f->stop), step = f->step ? use(f->step) : 1;
    if (step == 0) throw Stop();
    for (Wide i = start; step > 0 ? i < stop : i > stop; i += step) {
      if (++steps_ > kMaxSteps) throw Stop();
      value(f->var) = i;
      const Flow flow = block(f->body);
      if (flow == Flow::Return) return flow;
      if (flow == Flow::Break) return Flow::Next;
    }
    return f->orelse ? block(f->orelse) : Flow::Next;
  }

  std::vector<Wide> call(const ir::Function* callee, std::span<ir::Expr* const> args) {
    Frame frame{callee, std::vector<std::optional<Wide>>(callee->vars.size()), {}};
    for (size_t i = 0; i < args.size(); i++) frame.values[i] = use(args[i]);
    run_body(frame);
    return frame.results;
  }

  static bool is_integer(const ir::Expr* e) { return e->type.is_scalar() && is_int(e->type.elem); }

  // The value where it is used: outside its type it is a finding.
  Wide use(const ir::Expr* e) {
    const Wide v = number(e);
    if (is_integer(e) && !inside(e->type.elem, v)) throw Stop();
    return v;
  }

  // The number that a node computes; of an operation of a chain on a signed type before it is used.
  Wide number(const ir::Expr* e) {
    const bool chains = is_integer(e) && is_signed_int(e->type.elem);
    Wide v = 0;
    switch (e->kind) {
      case ir::ExprKind::Const: {
        const int64_t bits = static_cast<const ir::Const*>(e)->bits;
        return e->type.elem == DType::U64 ? Wide(static_cast<uint64_t>(bits)) : Wide(bits);
      }
      case ir::ExprKind::Var: {
        const auto& known = value(static_cast<const ir::VarRef*>(e)->var);
        if (!known) throw Stop();
        v = *known;
        break;
      }
      case ir::ExprKind::Unary: v = unary(static_cast<const ir::Unary*>(e), chains); break;
      case ir::ExprKind::Binary: v = binary(static_cast<const ir::Binary*>(e), chains); break;
      case ir::ExprKind::Logical: {
        const auto* l = static_cast<const ir::Logical*>(e);
        const bool left = use(l->left) != 0;
        return left == (l->op == ir::LogicalOp::And) ? use(l->right) : Wide(left);
      }
      case ir::ExprKind::Select: {
        const auto* s = static_cast<const ir::Select*>(e);
        v = use(use(s->condition) != 0 ? s->then_value : s->else_value);
        break;
      }
      case ir::ExprKind::Cast: {
        const auto* c = static_cast<const ir::Cast*>(e);
        v = use(c->operand);
        const bool fits = inside(e->type.elem, v);
        check(e, (e->facts & ir::kFits) == 0 || fits, "fits");
        if (!fits && !c->is_explicit) throw Stop();
        v = wrapped(e->type.elem, v);
        break;
      }
      case ir::ExprKind::OpCall: {
        const auto* op = static_cast<const ir::OpCall*>(e);
        if (op->op == OpId::GetBlockIdx) {
          v = block_;
          break;
        }
        offsets_.push_back(use(op->args[0]));
        return 0;
      }
      case ir::ExprKind::Call: {
        const auto* c = static_cast<const ir::Call*>(e);
        const std::vector<Wide> results = call(c->callee, c->args);
        if (results.empty()) throw Stop();
        v = results[0];
        break;
      }
      default: ADD_FAILURE() << "no such expression here"; throw Stop();
    }
    check(e, (e->facts & ir::kNonNegative) == 0 || v >= 0, "nonneg");
    return v;
  }

  // Signed: outside int64 is a finding at once, outside the type where it is used. Unsigned wraps around.
  Wide settled(const ir::Expr* e, Wide v) {
    check(e, (e->facts & ir::kFits) == 0 || inside(e->type.elem, v), "fits");
    if (is_unsigned_int(e->type.elem)) return wrapped(e->type.elem, v);
    if (!inside(DType::I64, v)) throw Stop();
    return v;
  }

  Wide unary(const ir::Unary* u, bool chains) {
    if (u->op == ir::UnaryOp::Not) return use(u->operand) == 0;
    const bool in_chain = chains && u->op != ir::UnaryOp::Abs;
    const Wide a = in_chain ? number(u->operand) : use(u->operand);
    const Wide v = settled(u, u->op == ir::UnaryOp::Neg      ? -a
                              : u->op == ir::UnaryOp::Invert ? -a - 1
                              : a < 0                        ? -a
                                                             : a);
    if (!in_chain && !inside(u->type.elem, v)) throw Stop();
    return v;
  }

  Wide binary(const ir::Binary* b, bool chains) {
    using B = ir::BinaryOp;
    if (ir::is_comparison(b->op)) {
      const Wide x = use(b->left), y = use(b->right);
      switch (b->op) {
        case B::Lt: return x < y;
        case B::Le: return x <= y;
        case B::Gt: return x > y;
        case B::Ge: return x >= y;
        case B::Eq: return x == y;
        default: return x != y;
      }
    }
    const bool shifts = b->op == B::Shl || b->op == B::Shr;
    const bool in_chain = chains && (b->op == B::Add || b->op == B::Sub || b->op == B::Mul ||
                                     b->op == B::And || b->op == B::Or || b->op == B::Xor || b->op == B::Shl);
    const Wide x = in_chain ? number(b->left) : use(b->left);
    const Wide y = in_chain && !shifts ? number(b->right) : use(b->right);
    check(b, (b->facts & ir::kPlainDiv) == 0 || (x >= 0 && y >= 0), "plaindiv");
    if ((b->op == B::FloorDiv || b->op == B::Mod) && y == 0) throw Stop();
    if (shifts && (y < 0 || y >= 8 * size_of(b->type.elem))) throw Stop();
    Wide v = 0;
    switch (b->op) {
      case B::Add: v = x + y; break;
      case B::Sub: v = x - y; break;
      case B::Mul:
        if (x > 0 && y > 0 && x > (Wide{1} << 125) / y) throw Stop();
        v = x * y;
        break;
      case B::FloorDiv: v = floor_div(x, y); break;
      case B::Mod: v = x - floor_div(x, y) * y; break;
      case B::Min: v = std::min(x, y); break;
      case B::Max: v = std::max(x, y); break;
      case B::Shl: v = x * (Wide{1} << static_cast<int>(y)); break;
      case B::Shr: v = x >> static_cast<int>(y); break;
      case B::And: v = x & y; break;
      case B::Or: v = x | y; break;
      default: v = x ^ y;
    }
    v = settled(b, v);
    if (!in_chain && !inside(b->type.elem, v)) throw Stop();
    return v;
  }

  void check(const ir::Expr* e, bool holds, const char* fact) {
    if (!holds && broken.empty()) broken = std::string(fact) + " of " + ir::print_expr(*e);
  }

  const ir::Module& module_;
  Frame* frame_ = nullptr;
  int64_t block_ = 0;
  int steps_ = 0;
  std::vector<Wide> offsets_;
};

// ---- the test -----------------------------------------------------------------------------------

std::vector<Wide> arguments(const ir::Module& module, std::mt19937_64& random) {
  std::vector<Wide> out;
  for (const ir::KernelArg& arg : module.args) {
    if (!arg.type.is_scalar()) {
      out.push_back(0);
      continue;
    }
    const DType t = arg.type.elem;
    Wide v = static_cast<int64_t>(random() % 24) - 8;
    if (random() % 8 == 0) v = static_cast<int64_t>(random());
    if (random() % 16 == 0) v = random() % 2 ? high(t) : low(t);
    v = wrapped(t, v);
    out.push_back(arg.nonnegative && v < 0 ? -(v + 1) : v);
  }
  return out;
}

class PassesFuzz : public testing::TestWithParam<int> {};

TEST_P(PassesFuzz, FactsHoldAndAddressesStay) {
  int ended = 0, accesses = 0, retyped = 0, plain = 0;
  for (int i = 0; i < 150; i++) {
    const uint64_t seed = static_cast<uint64_t>(GetParam()) * 1000 + static_cast<uint64_t>(i);
    const auto module = Generator(seed).make(), before = Generator(seed).make();
    SCOPED_TRACE("seed " + std::to_string(seed));
    passes_test::expect_valid(*module);
    passes::intervals(*module);
    const std::string first = ir::print_module(*module);
    plain += first.find("!plaindiv") != std::string::npos;
    std::mt19937_64 random(seed);
    std::vector<std::vector<Wide>> runs;
    for (int r = 0; r < 12; r++) runs.push_back(arguments(*module, random));
    const auto check = [&](const ir::Module& m, const std::vector<Wide>& args) {
      Interpreter interpreter(m);
      const std::vector<Wide> offsets = interpreter.run(args, static_cast<int64_t>(args.size() * 5));
      EXPECT_EQ(interpreter.broken, "") << ir::print_module(m);
      return std::pair(offsets, interpreter.ended);
    };
    for (const auto& args : runs) check(*module, args);
    const bool changed = passes::widen_addresses(*module);
    retyped += changed;
    if (changed) passes::intervals(*module);
    passes_test::expect_valid(*module);
    for (const auto& args : runs) {
      const auto [want, want_end] = check(*before, args);
      const auto [got, got_end] = check(*module, args);
      ended += want_end;
      accesses += static_cast<int>(want.size());
      ASSERT_GE(got.size(), want.size()) << first << ir::print_module(*module);
      ASSERT_TRUE(std::equal(want.begin(), want.end(), got.begin())) << first << ir::print_module(*module);
      ASSERT_TRUE(!want_end || (got_end && got.size() == want.size())) << first << ir::print_module(*module);
    }
    if (HasFailure()) return;
  }
  // What was drawn must have been worth running.
  EXPECT_GT(ended, 90);
  EXPECT_GT(accesses, 200);
  EXPECT_GT(retyped, 3);
  EXPECT_GT(plain, 50);
}

INSTANTIATE_TEST_SUITE_P(Seeds, PassesFuzz, testing::Range(1, 5));

}  // namespace
