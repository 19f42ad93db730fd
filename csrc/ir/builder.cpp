// SPDX-License-Identifier: Apache-2.0
// Makes nodes: result types, effects, folding with kept spelling. Nothing is allocated outside the module's
// arena but blocks, functions and their variable lists.
#include "ir/builder.h"

#include <algorithm>
#include <bit>

#include "ir/scalar.h"
#include "ir/visit.h"
#include "ops/signature.h"

namespace asc::ir {

namespace {

bool is_number(const Type& type) {
  return (type.is_scalar() && type.elem != DType::Void) || type.kind == Kind::Enum;
}
bool has_spelling(const Const& c) { return c.named || c.spelling; }

// The tree that spells a constant: its own, or the constant itself.
Expr* spelling_of(Const* c) { return c->spelling ? const_cast<Expr*>(c->spelling) : c; }

void count_leaves(const Expr* e, int* leaves) {
  if (e->kind == ExprKind::Const) ++*leaves;
  if (*leaves > kMaxSpellingLeaves) return;
  for_each_operand(e, [leaves](const Expr* operand) { count_leaves(operand, leaves); });
}

bool holds_all_of(DType wide, DType narrow) {
  if (!is_int(wide) || !is_int(narrow) || size_of(wide) <= size_of(narrow)) return false;
  return is_signed_int(wide) || is_unsigned_int(narrow);
}

// Does C's wrap-around happen in this unsigned operation? Then its text would need C's own types to mean the
// same.
bool wraps(BinaryOp op, DType type, int64_t left, int64_t right) {
  if (!is_unsigned_int(type)) return false;
  const uint64_t a = static_cast<uint64_t>(left), b = static_cast<uint64_t>(right);
  uint64_t result = 0;
  switch (op) {
    case BinaryOp::Add: return __builtin_add_overflow(a, b, &result) || result > unsigned_max(type);
    case BinaryOp::Sub: return a < b;
    case BinaryOp::Mul: return __builtin_mul_overflow(a, b, &result) || result > unsigned_max(type);
    case BinaryOp::Shl: return b > 63 || ((a << b) >> b) != a || (a << b) > unsigned_max(type);
    case BinaryOp::Pow: return true;  // has no operator in C++: the number is as good
    default: return false;
  }
}

Effect max_effect(Effect effect, std::span<Expr* const> operands) {
  for (const Expr* e : operands)
    if (e) effect = std::max(effect, e->effect);
  return effect;
}

std::span<std::string_view> copy_pieces(Arena& arena, std::span<const std::string_view> pieces) {
  const std::span<std::string_view> to = arena.copy(pieces);
  for (std::string_view& piece : to) piece = arena.copy(piece);
  return to;
}

}  // namespace

template <class T>
T* Builder::make_expr(Type type, Effect effect, Loc loc) {
  T* e = module_.arena.make<T>();
  e->kind = T::kKind;
  e->effect = effect;
  e->type = type;
  e->loc = loc;
  return e;
}

template <class T>
T* Builder::append(Loc loc) {
  T* s = module_.arena.make<T>();
  s->kind = T::kKind;
  s->loc = loc;
  block_->push_back(s);
  return s;
}

// ---- expressions ---------------------------------------------------------------------------------

Expr* Builder::int_const(Type type, int64_t value, Loc loc) {
  Const* c = make_expr<Const>(type, Effect::Pure, loc);
  c->bits = value;
  return c;
}

Expr* Builder::float_const(Type type, double value, Loc loc) {
  return int_const(type, std::bit_cast<int64_t>(round_to(type.elem, value)), loc);
}

Expr* Builder::named_const(const NamedConst* constant, Loc loc) {
  Const* c = make_expr<Const>(constant->type, Effect::Pure, loc);
  c->bits = constant->bits;
  c->named = constant;
  return c;
}

Expr* Builder::spelt_const(Type type, int64_t bits, const Expr* spelling, Loc loc) {
  Const* c = make_expr<Const>(type, Effect::Pure, loc);
  c->bits = bits;
  c->spelling = spelling;
  return c;
}

Expr* Builder::spelt_result(Type type, int64_t bits, Expr* tree, bool keep, Loc loc) {
  if (keep) {
    int leaves = 0;
    count_leaves(tree, &leaves);
    keep = leaves <= kMaxSpellingLeaves;
  }
  return spelt_const(type, bits, keep ? tree : nullptr, loc);
}

Expr* Builder::var(Var* v, Loc loc) {
  VarRef* e = make_expr<VarRef>(v->type, Effect::Pure, loc);
  e->var = v;
  return e;
}

Expr* Builder::unary(UnaryOp op, Expr* operand, Loc loc) {
  const Type type = op == UnaryOp::Not ? Type::scalar(DType::Bool) : operand->type;
  Const* c = as<Const>(operand);
  const bool spelt = c && has_spelling(*c);
  std::optional<int64_t> bits;
  if (fold_ && c && is_number(c->type)) {
    bits = fold_bits(op, c->type, c->bits);
    if (bits && !spelt) return int_const(type, *bits, loc);
  }
  Unary* e = make_expr<Unary>(type, operand->effect, loc);
  e->op = op;
  e->operand = bits ? spelling_of(c) : operand;
  if (!bits) return e;
  const bool wrapped = c->type.is_scalar() && is_unsigned_int(c->type.elem) && op != UnaryOp::Abs;
  return spelt_result(type, *bits, e, !wrapped, loc);
}

Expr* Builder::binary(BinaryOp op, Expr* left, Expr* right, Loc loc) {
  const Type type = result_type(op, left->type);
  Const *a = as<Const>(left), *b = as<Const>(right);
  std::optional<int64_t> bits;
  if (fold_ && a && b && a->type == b->type && is_number(a->type)) {
    bits = fold_bits(op, a->type, a->bits, b->bits);
    if (bits && !has_spelling(*a) && !has_spelling(*b)) return int_const(type, *bits, loc);
  }
  Binary* e = make_expr<Binary>(type, std::max(left->effect, right->effect), loc);
  e->op = op;
  e->left = bits ? spelling_of(a) : left;
  e->right = bits ? spelling_of(b) : right;
  if (!bits) return e;
  const bool keep = !(a->type.is_scalar() && wraps(op, a->type.elem, a->bits, b->bits));
  return spelt_result(type, *bits, e, keep, loc);
}

Expr* Builder::logical(LogicalOp op, Expr* left, Expr* right, Loc loc) {
  if (const Const* c = fold_ ? as<Const>(left) : nullptr)
    return (c->bits != 0) == (op == LogicalOp::And) ? right : left;
  Logical* e = make_expr<Logical>(Type::scalar(DType::Bool), std::max(left->effect, right->effect), loc);
  e->op = op;
  e->left = left;
  e->right = right;
  return e;
}

Expr* Builder::select(Expr* condition, Expr* then_value, Expr* else_value, Loc loc) {
  if (const Const* c = fold_ ? as<Const>(condition) : nullptr) return c->bits != 0 ? then_value : else_value;
  const Effect effect = std::max({condition->effect, then_value->effect, else_value->effect});
  Select* e = make_expr<Select>(then_value->type, effect, loc);
  e->condition = condition;
  e->then_value = then_value;
  e->else_value = else_value;
  return e;
}

Expr* Builder::cast(Type to, Expr* operand, bool is_explicit, Loc loc) {
  if (fold_ && operand->type == to) return operand;
  Const* c = as<Const>(operand);
  std::optional<int64_t> bits;
  bool spelt = false;
  if (fold_ && c && is_number(c->type) && is_number(to)) {
    bits = fold_cast(to, c->type, c->bits, is_explicit);
    // A value that stays what it is keeps its spelling: a count is an int32 constant in a place of uint32.
    const bool same = bits && *bits == c->bits && *bits >= 0 && is_int(to.elem) && is_int(c->type.elem);
    spelt = has_spelling(*c) && to.is_scalar() && c->type.is_scalar() &&
            (same || holds_all_of(to.elem, c->type.elem));
    spelt |= bits && *bits == c->bits && c->type.kind == Kind::Enum && to.is_scalar() && is_int(to.elem);
    if (bits && !spelt) return int_const(to, *bits, loc);
  }
  Cast* e = make_expr<Cast>(to, operand->effect, loc);
  e->operand = bits ? spelling_of(c) : operand;
  e->is_explicit = is_explicit;
  return bits ? spelt_const(to, *bits, e, loc) : e;
}

Expr* Builder::op_call(OpId op, int overload, const DType (&vars)[4], Expr* self, std::span<Expr* const> args,
                       Loc loc) {
  const OpDesc& desc = op_desc(op);
  const Effect effect = max_effect(self ? std::max(desc.effect, self->effect) : desc.effect, args);
  const Type type = resolve(desc.overloads[overload].result, vars, self ? &self->type : nullptr);
  OpCall* e = make_expr<OpCall>(type, effect, loc);
  e->op = op;
  e->overload = static_cast<uint8_t>(overload);
  std::copy(std::begin(vars), std::end(vars), e->vars);
  e->self = self;
  e->args = module_.arena.copy(args);
  return e;
}

Expr* Builder::call(Function* callee, std::span<Expr* const> args, Loc loc) {
  const Type type = callee->results.size() == 1 ? callee->results[0] : Type{};
  Call* e = make_expr<Call>(type, max_effect(callee->effect, args), loc);
  e->callee = callee;
  e->args = module_.arena.copy(args);
  return e;
}

Expr* Builder::core_predicate(bool aic, Loc loc) {
  CorePredicate* e = make_expr<CorePredicate>(Type::scalar(DType::Bool), Effect::Pure, loc);
  e->aic = aic;
  return e;
}

Expr* Builder::field(Expr* object, uint16_t index, Loc loc) {
  Field* e = make_expr<Field>(field_type(module_, object->type, index), object->effect, loc);
  e->object = object;
  e->index = index;
  return e;
}

Workspace* Builder::workspace(int64_t bytes, bool per_block, Loc loc) {
  Workspace* e = make_expr<Workspace>(Type::pointer(DType::U8), Effect::Pure, loc);
  e->bytes = bytes;
  e->per_block = per_block;
  module_.uses_workspace = true;
  return e;
}

// ---- statements ----------------------------------------------------------------------------------

ConstDecl* Builder::const_decl(NamedConst* constant, Loc loc) {
  ConstDecl* s = append<ConstDecl>(loc);
  s->constant = constant;
  return s;
}

Decl* Builder::decl(Var* var, Expr* init, Loc loc) {
  Decl* s = append<Decl>(loc);
  s->var = var;
  s->init = init;
  return s;
}

Assign* Builder::assign(Var* var, Expr* value, Loc loc) {
  Assign* s = append<Assign>(loc);
  s->var = var;
  s->value = value;
  return s;
}

SetField* Builder::set_field(Expr* object, uint16_t index, Expr* value, Loc loc) {
  SetField* s = append<SetField>(loc);
  s->object = object;
  s->index = index;
  s->value = value;
  return s;
}

Eval* Builder::eval(Expr* value, Loc loc) {
  Eval* s = append<Eval>(loc);
  s->value = value;
  return s;
}

CallAssign* Builder::call_assign(Function* callee, std::span<Expr* const> args, std::span<Var* const> results,
                                 Loc loc) {
  CallAssign* s = append<CallAssign>(loc);
  s->callee = callee;
  s->args = module_.arena.copy(args);
  s->results = module_.arena.copy(results);
  return s;
}

If* Builder::if_(Expr* condition, Block* then_block, Block* else_block, Loc loc) {
  If* s = append<If>(loc);
  s->condition = condition;
  s->then_block = then_block;
  s->else_block = else_block;
  return s;
}

For* Builder::for_(Var* var, Expr* start, Expr* stop, Expr* step, Block* body, Block* orelse,
                   bool declares_var, Loc loc) {
  For* s = append<For>(loc);
  s->var = var;
  s->start = start;
  s->stop = stop;
  s->step = step;
  s->body = body;
  s->orelse = orelse;
  s->declares_var = declares_var;
  return s;
}

While* Builder::while_(Block* condition_pre, Expr* condition, Block* body, Block* orelse, Loc loc) {
  While* s = append<While>(loc);
  s->condition_pre = condition_pre;
  s->condition = condition;
  s->body = body;
  s->orelse = orelse;
  return s;
}

Break* Builder::break_(Loc loc) { return append<Break>(loc); }
Continue* Builder::continue_(Loc loc) { return append<Continue>(loc); }

Return* Builder::return_(std::span<Expr* const> values, Loc loc) {
  Return* s = append<Return>(loc);
  s->values = module_.arena.copy(values);
  return s;
}

Assert* Builder::assert_(Expr* condition, std::span<const std::string_view> pieces,
                         std::span<Expr* const> values, Loc loc, std::span<const std::string_view> specs) {
  Assert* s = append<Assert>(loc);
  s->condition = condition;
  s->message = {copy_pieces(module_.arena, pieces), module_.arena.copy(values),
                copy_pieces(module_.arena, specs)};
  return s;
}

Print* Builder::print(std::span<const std::string_view> pieces, std::span<Expr* const> values, Loc loc,
                      std::span<const std::string_view> specs) {
  Print* s = append<Print>(loc);
  s->text = {copy_pieces(module_.arena, pieces), module_.arena.copy(values),
             copy_pieces(module_.arena, specs)};
  return s;
}

// ---- names ---------------------------------------------------------------------------------------

Function* Builder::function(std::string_view name, uint32_t source, Loc loc) {
  module_.functions.push_back(std::make_unique<Function>());
  Function* f = module_.functions.back().get();
  f->name = module_.arena.copy(name);
  f->id = static_cast<uint32_t>(module_.functions.size() - 1);
  f->source = source;
  f->loc = loc;
  return f;
}

Var* Builder::new_var(Function* f, std::string_view name, Type type, Loc loc) {
  Var* v = module_.arena.make<Var>();
  v->name = module_.arena.copy(name);
  v->type = type;
  v->loc = loc;
  v->id = static_cast<uint32_t>(f->vars.size());
  f->vars.push_back(v);
  return v;
}

NamedConst* Builder::new_const(const Function* scope, std::string_view name, Type type, int64_t bits,
                               const Expr* spelling, Loc loc) {
  NamedConst* c = module_.arena.make<NamedConst>();
  c->name = module_.arena.copy(name);
  c->type = type;
  c->bits = bits;
  c->spelling = spelling;
  c->scope = scope;
  c->loc = loc;
  c->id = module_.next_constant++;
  if (!scope) module_.constants.push_back(c);
  return c;
}

const Const* as_const(const Expr* e) { return as<Const>(e); }

std::optional<int64_t> const_int(const Expr* e) {
  const Const* c = as<Const>(e);
  if (!c || !is_number(c->type) || c->is_float()) return std::nullopt;
  if (c->type.is_scalar() && c->type.elem == DType::U64 && c->bits < 0) return std::nullopt;
  return c->bits;
}

}  // namespace asc::ir
