// SPDX-License-Identifier: Apache-2.0
// The tree IR: typed, named, located, with structured control flow and mutable variables (no SSA), so that
// the printed text reads like the Python it came from.
//
// Semantics
// - Integer + - * and unary minus, << & | ^ ~ on signed types compute in 64 bits; a value outside the node's
//   type is a scalar finding where it is used (`kFits` set: proven inside, nothing to check). Unsigned
//   arithmetic wraps.
// - FloorDiv and Mod follow Python (floor), for floats too; by integer zero: a finding. Div is true division
//   in float32.
// - float16 and bfloat16 scalars compute as float32. Casts are explicit nodes: operands of one Binary have
//   one type.
// - Logical And/Or and Select evaluate only what they must. Operands evaluate left to right; the lowering
//   guarantees that at most one operand of an expression tree has an effect above Read, or that order cannot
//   be seen.
// - For: start, stop, step are evaluated once, the trip count is fixed before the first turn (Python's
//   range). The loop variable is assigned at the head of each turn and keeps its last value.
// - While: the condition is evaluated before each turn; `condition_pre` (statements) runs before it each
//   time.
// - Tensors (GlobalTensor, LocalTensor) and pointers are values: assignment copies the handle. TPipe, TQue,
//   TBuf and structs are objects: a variable of such a type is declared once and passed by reference.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "ops/op_table.h"
#include "ops/type.h"

namespace asc::ir {

// Bump allocator; nodes are trivially destructible and die with their module.
class Arena {
 public:
  Arena() = default;
  Arena(const Arena&) = delete;
  Arena& operator=(const Arena&) = delete;
  void* allocate(size_t bytes, size_t align) {
    const size_t skip = (0 - reinterpret_cast<uintptr_t>(at_)) & (align - 1);
    if (static_cast<size_t>(end_ - at_) < skip + bytes) [[unlikely]]
      return allocate_slow(bytes, align);
    void* start = at_ + skip;
    at_ += skip + bytes;
    return start;
  }
  template <class T>
  T* make() {
    return new (allocate(sizeof(T), alignof(T))) T();
  }
  template <class T>
  std::span<T> copy(std::span<const T> items) {
    if (items.empty()) return {};
    T* to = static_cast<T*>(allocate(items.size_bytes(), alignof(T)));
    for (size_t i = 0; i < items.size(); i++) new (to + i) T(items[i]);
    return {to, items.size()};
  }
  std::string_view copy(std::string_view text);

 private:
  void* allocate_slow(size_t bytes, size_t align);

  std::vector<std::unique_ptr<std::byte[]>> blocks_;
  std::byte* at_ = nullptr;
  std::byte* end_ = nullptr;
};

// clang-format off
#define ASC_FOR_EACH_IR_EXPR(X) \
  X(Const) X(Var) X(Unary) X(Binary) X(Logical) X(Select) X(Cast) X(OpCall) X(Call) X(CorePredicate) X(Field) \
  X(Workspace)

#define ASC_FOR_EACH_IR_STMT(X) \
  X(ConstDecl) X(Decl) X(Assign) X(SetField) X(Eval) X(CallAssign) X(If) X(For) X(While) X(Break) \
  X(Continue) X(Return) X(Assert) X(Print)
// clang-format on

enum class ExprKind : uint8_t {
#define ASC_X(Name) Name,
  ASC_FOR_EACH_IR_EXPR(ASC_X)
#undef ASC_X
};
enum class StmtKind : uint8_t {
#define ASC_X(Name) Name,
  ASC_FOR_EACH_IR_STMT(ASC_X)
#undef ASC_X
};

enum class UnaryOp : uint8_t { Neg, Invert, Not, Abs };
// Pow, Min and Max are two-operand arithmetic; comparisons give bool. `to_string` has their names in the text
// form.
// clang-format off
enum class BinaryOp : uint8_t {
  Add, Sub, Mul, Div, FloorDiv, Mod, Pow, Min, Max, Shl, Shr, And, Or, Xor,
  Lt, Le, Gt, Ge, Eq, Ne,
};
// clang-format on
enum class LogicalOp : uint8_t { And, Or };
inline bool is_comparison(BinaryOp op) { return op >= BinaryOp::Lt; }

// Facts that passes prove (passes/intervals), as bits of Expr::facts.
enum : uint8_t {
  kFits = 1,         // the result is inside its type: no overflow check
  kNonNegative = 2,  // the value is >= 0
  kPlainDiv = 4,     // FloorDiv, Mod: no operand negative, divisor positive: C's `/` and `%` agree
};

// A node has one parent: passes retype nodes and set facts in place, so a node in two places would be wrong
// in one.
struct Expr {
  ExprKind kind;
  Effect effect = Effect::Pure;
  uint8_t facts = 0;
  mutable uint8_t mark = 0;  // the verifier's, to find nodes with two parents
  Type type;
  Loc loc;
};

// A compile-time number with a name that may be printed: a module's global, or a function's constant.
struct NamedConst {
  std::string_view name;
  Type type;
  int64_t bits = 0;                        // as Const::bits
  const Expr* spelling = nullptr;          // how its value is spelt, or null for a literal
  const struct Function* scope = nullptr;  // null: module scope
  Loc loc;
  uint32_t id = 0;  // unique in the module
};

struct Const : Expr {
  static constexpr ExprKind kKind = ExprKind::Const;
  // Integers, bools and enums: the value (uint64 by bit pattern). Floats: a double's bits, rounded.
  int64_t bits = 0;
  const NamedConst* named = nullptr;  // the constant is this name
  // Or it is spelt as this tree of the same value and type: Unary, Binary, Cast over named or literal Consts.
  const Expr* spelling = nullptr;
  double as_double() const;
  bool is_float() const { return type.is_scalar() && asc::is_float(type.elem); }
};

struct Var {
  std::string_view name;  // the user's; the printer makes it legal and unique
  Type type;
  Loc loc;
  uint32_t id = 0;  // dense in its function
  bool is_param = false;
  // A parameter that refers to the caller's variable (objects; tensors whose handle the callee changes).
  bool by_ref = false;
  bool is_result = false;  // a trailing reference parameter that carries a result out
  bool hoisted = false;    // a name of ours (an effect hoisted out of an expression)
};

struct VarRef : Expr {
  static constexpr ExprKind kKind = ExprKind::Var;
  Var* var = nullptr;
};
struct Unary : Expr {
  static constexpr ExprKind kKind = ExprKind::Unary;
  UnaryOp op;
  Expr* operand = nullptr;
};
struct Binary : Expr {
  static constexpr ExprKind kKind = ExprKind::Binary;
  BinaryOp op;
  Expr *left = nullptr, *right = nullptr;
};
struct Logical : Expr {
  static constexpr ExprKind kKind = ExprKind::Logical;
  LogicalOp op;
  Expr *left = nullptr, *right = nullptr;
};
struct Select : Expr {  // condition ? then_value : else_value
  static constexpr ExprKind kKind = ExprKind::Select;
  Expr *condition = nullptr, *then_value = nullptr, *else_value = nullptr;
};
// Numeric conversion: int to int takes the value (checked as a scalar finding when it does not fit and
// neither side is explicit), to bool tests against zero, float to int truncates, pointers re-typed.
struct Cast : Expr {
  static constexpr ExprKind kKind = ExprKind::Cast;
  Expr* operand = nullptr;
  bool is_explicit = false;  // the user wrote it
};
// A row of the op table applied to operands. `args` follows OverloadDesc::params; a null entry stands for the
// default.
struct OpCall : Expr {
  static constexpr ExprKind kKind = ExprKind::OpCall;
  OpId op;
  uint8_t overload = 0;
  DType vars[4] = {DType::Void, DType::Void, DType::Void, DType::Void};
  Expr* self = nullptr;  // receiver of a method
  std::span<Expr*> args;
  const OpDesc& desc() const { return op_desc(op); }
  const OverloadDesc& proto() const { return op_desc(op).overloads[overload]; }
};
struct Function;
struct Call : Expr {  // a helper's call with no result or one
  static constexpr ExprKind kKind = ExprKind::Call;
  Function* callee = nullptr;
  std::span<Expr*> args;
};
struct CorePredicate : Expr {
  static constexpr ExprKind kKind = ExprKind::CorePredicate;
  bool aic = false;  // ascend_is_aic(), else ascend_is_aiv()
};
struct Field : Expr {
  static constexpr ExprKind kKind = ExprKind::Field;
  Expr* object = nullptr;
  uint16_t index = 0;
};
// The address of an area of scratch memory that the launch allocates (asc.workspace), or of the areas that a
// helper's call needs. passes/place_workspace says where it lies: `base` is a parameter made for it, the
// address is base + offset + (block index) * stride.
struct Workspace : Expr {
  static constexpr ExprKind kKind = ExprKind::Workspace;
  int64_t bytes = 0;
  bool per_block = true;
  Expr* base = nullptr;            // null: not placed yet
  uint32_t area = 0;               // how many areas behind that of `base`
  int64_t offset = 0, stride = 0;  // in bytes; stride 0: `base` is the block's own already, or shared
};

struct Stmt {
  StmtKind kind;
  Loc loc;
};
using Block = std::vector<Stmt*>;  // not in the arena: blocks are edited by passes; owned by the module

struct ConstDecl : Stmt {
  static constexpr StmtKind kKind = StmtKind::ConstDecl;
  NamedConst* constant = nullptr;
};
struct Decl : Stmt {  // declares a variable; init may be null (objects, tensors, variables set in branches)
  static constexpr StmtKind kKind = StmtKind::Decl;
  Var* var = nullptr;
  Expr* init = nullptr;
};
struct Assign : Stmt {
  static constexpr StmtKind kKind = StmtKind::Assign;
  Var* var = nullptr;
  Expr* value = nullptr;
};
struct SetField : Stmt {
  static constexpr StmtKind kKind = StmtKind::SetField;
  Expr* object = nullptr;
  uint16_t index = 0;
  Expr* value = nullptr;
};
struct Eval : Stmt {  // an expression for its effect
  static constexpr StmtKind kKind = StmtKind::Eval;
  Expr* value = nullptr;
};
struct CallAssign : Stmt {  // a call with two or more results; results[i] may be null (not used)
  static constexpr StmtKind kKind = StmtKind::CallAssign;
  Function* callee = nullptr;
  std::span<Expr*> args;
  std::span<Var*> results;  // declared before
};
struct If : Stmt {
  static constexpr StmtKind kKind = StmtKind::If;
  Expr* condition = nullptr;
  Block *then_block = nullptr, *else_block = nullptr;  // else_block may be null
};
struct For : Stmt {
  static constexpr StmtKind kKind = StmtKind::For;
  Var* var = nullptr;
  Expr *start = nullptr, *stop = nullptr, *step = nullptr;  // of the variable's type; step null: 1
  Block* body = nullptr;
  Block* orelse = nullptr;   // Python's loop else, or null
  bool declares_var = true;  // the variable is not used outside: it is declared by the loop
};
struct While : Stmt {
  static constexpr StmtKind kKind = StmtKind::While;
  Block* condition_pre = nullptr;  // null or empty: nothing
  Expr* condition = nullptr;
  Block *body = nullptr, *orelse = nullptr;
};
struct Break : Stmt {
  static constexpr StmtKind kKind = StmtKind::Break;
};
struct Continue : Stmt {
  static constexpr StmtKind kKind = StmtKind::Continue;
};
// values: none, one, or as many as the function has results.
struct Return : Stmt {
  static constexpr StmtKind kKind = StmtKind::Return;
  std::span<Expr*> values;
};
// Text with holes: pieces[0] values[0] pieces[1] ... pieces[n]. An assert without a message has no pieces.
struct FormatText {
  std::span<std::string_view> pieces;
  std::span<Expr*> values;
  // How each value is shown, as C's printf says it without '%' and length ("-8.3f"), "" for as it is; or
  // empty.
  std::span<std::string_view> specs;
  std::string_view spec(size_t i) const { return i < specs.size() ? specs[i] : std::string_view{}; }
};
struct Assert : Stmt {
  static constexpr StmtKind kKind = StmtKind::Assert;
  Expr* condition = nullptr;
  FormatText message;
};
struct Print : Stmt {
  static constexpr StmtKind kKind = StmtKind::Print;
  FormatText text;
};

struct Function {
  std::string_view name;  // the Python name
  uint32_t id = 0;        // index in Module::functions
  uint32_t source = Loc::kNone;
  Loc loc;
  bool is_kernel = false;
  // What a call may do; whoever completes the body sets it to effect_of(function).
  Effect effect = Effect::Block;
  std::vector<Var*> params;   // in Python order; compile-time parameters are not here
  std::vector<Type> results;  // none; one: returned by value; more: trailing reference parameters
  std::vector<std::string_view> result_names;
  std::vector<Var*> vars;  // all, by id (params first)
  Block* body = nullptr;
};

// How one argument of the launch reaches the kernel.
struct KernelArg {
  std::string_view name;
  Type type;  // Pointer or Scalar (or Struct)
  Var* var = nullptr;
  bool nonnegative = false;                                 // the specialisation knows the sign
  bool may_read = true, may_write = true, escapes = false;  // by passes/access
  bool is_workspace = false;  // the last one: no argument of the caller's, but what the launch allocates
};

// An area of the workspace: `bytes` of each block, or of all blocks together. They lie in order, shared ones
// first (ir/workspace.h).
struct WorkspaceArea {
  int64_t bytes = 0;
  bool per_block = true;
  Loc loc;  // of the call of asc.workspace
};

enum class KernelType : uint8_t {
  Auto,
  AIV_ONLY,
  AIC_ONLY,
  MIX_AIC_1_1,
  MIX_AIC_1_2,
  MIX_AIV_1_0,
  MIX_AIC_1_0
};
std::string_view to_string(KernelType type);
bool parse_kernel_type(std::string_view name, KernelType* out);

struct StructField {
  std::string_view name;
  Type type;
  int64_t default_bits = 0;
  uint32_t offset = 0;
};
struct StructDesc {
  std::string_view name, cpp_name;
  std::vector<StructField> fields;
  uint32_t bytes = 0;
};

struct Module {
  Arena arena;
  SourceTable sources;
  std::vector<std::unique_ptr<Function>> functions;  // callees before callers; the kernel last
  std::vector<std::unique_ptr<Block>> blocks;
  std::vector<NamedConst*> constants;  // module scope, in order of first use
  std::vector<StructDesc> structs;
  std::vector<KernelArg> args;
  bool uses_workspace = false;           // some expression is a Workspace
  std::vector<WorkspaceArea> workspace;  // by passes/place_workspace
  KernelType kernel_type = KernelType::Auto;
  bool auto_sync = true;
  uint32_t next_constant = 0;     // id of the next NamedConst
  mutable uint8_t last_mark = 0;  // the verifier's
  Function* kernel() const { return functions.empty() ? nullptr : functions.back().get(); }
  Block* make_block();
};

// Fields of a struct type: a device struct (ops/structs.def) or one of the module's (Type::id from
// kStructCount on). Void and "" for what is not there.
size_t field_count(const Module& module, const Type& object);
Type field_type(const Module& module, const Type& object, size_t index);
std::string_view field_name(const Module& module, const Type& object, size_t index);  // the Python name

// What a call of the function may do, from the effects in its body: writing its own variables and results
// does not count, writing the caller's (by_ref) does.
Effect effect_of(const Function& function);
// What the node itself may do, operands left out; Expr::effect is the maximum of it and the operands'
// effects.
Effect own_effect(const Expr& expr);

std::string_view to_string(UnaryOp op);     // "-" "~" "not" "abs"
std::string_view to_string(BinaryOp op);    // "+" "-" ... "min" "max"
std::string_view to_string(LogicalOp op);   // "and" "or"
std::string_view to_string(Effect effect);  // "pure" "read" "write" "block"

template <class T>
T* as(Expr* e) {
  return e && e->kind == T::kKind ? static_cast<T*>(e) : nullptr;
}
template <class T>
const T* as(const Expr* e) {
  return e && e->kind == T::kKind ? static_cast<const T*>(e) : nullptr;
}
template <class T>
T* as(Stmt* s) {
  return s && s->kind == T::kKind ? static_cast<T*>(s) : nullptr;
}
template <class T>
const T* as(const Stmt* s) {
  return s && s->kind == T::kKind ? static_cast<const T*>(s) : nullptr;
}

// A diagnostic of the kernel: a finding known at compile time. Raised when a device that executes launches
// the kernel.
struct Diagnostic {
  std::string id, kind, message, fix;
  std::vector<Loc> where;  // innermost first
};

}  // namespace asc::ir
