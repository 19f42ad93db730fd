// SPDX-License-Identifier: Apache-2.0
// The only way to make nodes. Folds constants (with Python's meaning) and keeps the effect class of each
// expression.
//
// A folded operation on two constants, one of them named or spelt, is a Const whose `spelling` is the
// operation itself, so that it still prints with its names; its tree has Unary, Binary and Cast nodes inside
// and, as leaves, Consts that are named or literal. A cast between integers keeps it where the value stays,
// if it is non-negative or the new type holds all of the old one. Spellings of more than `kMaxSpellingLeaves`
// leaves, and of unsigned values that wrapped, are dropped. Float results that are infinite or NaN while
// their operands are finite are not folded: they stay visible in the text.
#pragma once

#include <optional>
#include <span>
#include <string_view>

#include "ir/ir.h"

namespace asc::ir {

inline constexpr int kMaxSpellingLeaves = 8;

class Builder {
 public:
  // Without `fold` every node is made as asked for (the parser of the text form).
  explicit Builder(Module& module, bool fold = true) : module_(module), fold_(fold) {}
  Module& module() { return module_; }

  // -- expressions
  Expr* int_const(Type type, int64_t value, Loc loc);  // integers, bool, enums; UINT64 by bit pattern
  Expr* float_const(Type type, double value, Loc loc);
  Expr* named_const(const NamedConst* constant, Loc loc);
  Expr* spelt_const(Type type, int64_t bits, const Expr* spelling, Loc loc);
  Expr* var(Var* v, Loc loc);
  // Operands have one type (see ir.h); result type: bool for comparisons, float32 for Div (float64 of
  // float64), else theirs.
  Expr* unary(UnaryOp op, Expr* operand, Loc loc);
  Expr* binary(BinaryOp op, Expr* left, Expr* right, Loc loc);
  Expr* logical(LogicalOp op, Expr* left, Expr* right, Loc loc);
  Expr* select(Expr* condition, Expr* then_value, Expr* else_value, Loc loc);
  Expr* cast(Type to, Expr* operand, bool is_explicit, Loc loc);  // the operand itself when nothing changes
  Expr* op_call(OpId op, int overload, const DType (&vars)[4], Expr* self, std::span<Expr* const> args,
                Loc loc);
  Expr* call(Function* callee, std::span<Expr* const> args, Loc loc);
  Expr* core_predicate(bool aic, Loc loc);
  Expr* field(Expr* object, uint16_t index, Loc loc);
  Workspace* workspace(int64_t bytes, bool per_block, Loc loc);  // not placed

  // -- statements, appended to the current block
  void set_block(Block* block) { block_ = block; }
  Block* block() const { return block_; }
  Block* new_block() { return module_.make_block(); }
  ConstDecl* const_decl(NamedConst* constant, Loc loc);
  Decl* decl(Var* var, Expr* init, Loc loc);
  Assign* assign(Var* var, Expr* value, Loc loc);
  SetField* set_field(Expr* object, uint16_t index, Expr* value, Loc loc);
  Eval* eval(Expr* value, Loc loc);
  CallAssign* call_assign(Function* callee, std::span<Expr* const> args, std::span<Var* const> results,
                          Loc loc);
  If* if_(Expr* condition, Block* then_block, Block* else_block, Loc loc);
  For* for_(Var* var, Expr* start, Expr* stop, Expr* step, Block* body, Block* orelse, bool declares_var,
            Loc loc);
  While* while_(Block* condition_pre, Expr* condition, Block* body, Block* orelse, Loc loc);
  Break* break_(Loc loc);
  Continue* continue_(Loc loc);
  Return* return_(std::span<Expr* const> values, Loc loc);
  Assert* assert_(Expr* condition, std::span<const std::string_view> pieces, std::span<Expr* const> values,
                  Loc loc, std::span<const std::string_view> specs = {});
  Print* print(std::span<const std::string_view> pieces, std::span<Expr* const> values, Loc loc,
               std::span<const std::string_view> specs = {});

  // -- names
  Function* function(std::string_view name, uint32_t source, Loc loc);  // appended to the module
  Var* new_var(Function* f, std::string_view name, Type type, Loc loc);
  NamedConst* new_const(const Function* scope, std::string_view name, Type type, int64_t bits,
                        const Expr* spelling, Loc loc);

 private:
  template <class T>
  T* make_expr(Type type, Effect effect, Loc loc);
  template <class T>
  T* append(Loc loc);

  Expr* spelt_result(Type type, int64_t bits, Expr* tree, bool keep, Loc loc);

  Module& module_;
  bool fold_;
  Block* block_ = nullptr;
};

// Folding with the language's meaning, on values of one type; the result is inside that type (bool for
// comparisons: 0, 1). nullopt where there is no value at compile time.
//
// Integers, bool (values of uint64 by bit pattern): signed results must fit the type, unsigned ones wrap. No
// value: division or remainder by zero, shift by a negative count, power with a negative exponent, Div (it
// gives a float), a bool outside 0, 1. A shift count at or above the width shifts everything out (>> of a
// negative number gives -1).
std::optional<int64_t> fold_int(BinaryOp op, DType type, int64_t left, int64_t right);
// Floats: computed as ir/scalar.h says and rounded to the type once. No value: shifts and bit operations.
std::optional<double> fold_float(BinaryOp op, DType type, double left, double right);
// Unary minus, ~ and abs; Not takes and gives a bool. No value: -INT_MIN, ~ of a bool or float, Not of
// another type.
std::optional<int64_t> fold_int(UnaryOp op, DType type, int64_t value);
std::optional<double> fold_float(UnaryOp op, double value);
// Conversion of a constant's bits between scalar types (Const::bits). Integers to integers: an explicit cast
// wraps, an implicit one must fit. To bool: not equal to zero. Float to integer: towards zero; no value when
// that does not fit (explicit or not: C++ leaves it open). To a float: rounded once; no value when a finite
// number would become infinite.
std::optional<int64_t> fold_cast(DType to, DType from, int64_t bits, bool is_explicit);

// The same on Const::bits of scalars and enums, as the builder folds: no value too for a float division by
// zero, and for a result that is infinite or NaN while the operands are finite. Unary Not and comparisons
// give 0 or 1.
std::optional<int64_t> fold_bits(UnaryOp op, const Type& type, int64_t value);
std::optional<int64_t> fold_bits(BinaryOp op, const Type& type, int64_t left, int64_t right);
std::optional<int64_t> fold_cast(const Type& to, const Type& from, int64_t bits, bool is_explicit);
// bool for comparisons, float32 for Div (float64 of float64), else the operands'.
Type result_type(BinaryOp op, const Type& operand);

// A constant that an expression is, or nullptr.
const Const* as_const(const Expr* e);
// Its value, if it is an integer (inside int64), bool or enum constant.
std::optional<int64_t> const_int(const Expr* e);

}  // namespace asc::ir
