// SPDX-License-Identifier: Apache-2.0
// The assembler: tree IR to bytecode. One FunctionAssembler a function; slots of temporaries are reused as a
// stack.
#pragma once

#include <unordered_map>
#include <utility>
#include <vector>

#include "ir/ir.h"
#include "sim/bytecode.h"

namespace asc::sim {

// What the functions of one program share while it is assembled.
struct ProgramBuilder {
  ProgramBuilder(const ir::Module& m, Program& p) : module(m), program(p) {}

  const ir::Module& module;
  Program& program;
  std::vector<Instr> code;
  std::unordered_map<uint64_t, uint16_t> pool_index;

  uint32_t loc_index(const Loc& loc);
  // The operand code of a constant, or kNoOperand when the pool is full.
  uint16_t pool_operand(uint64_t bits);
  uint32_t object_decl(const Type& type, std::string_view name);

 private:
  Loc last_loc_;
};

// The integer constant behind an expression, if it fits an immediate.
bool immediate(const ir::Expr* e, int32_t* out);
// An operation that may be a link of a chain (FunctionAssembler::chain).
bool is_chain_op(const ir::Expr* e);

class FunctionAssembler {
 public:
  FunctionAssembler(ProgramBuilder& builder, const ir::Function& function);
  void run(FunctionCode* out);

 private:
  using Slot = uint16_t;
  static constexpr int kAny = -1;

  // -- emission
  int emit(Op op, int a = 0, int b = 0, int c = 0, int32_t imm = 0);
  int emit_wide(Op op, int a, int64_t wide);
  int emit_compare_k(Op op, int a, int32_t k);
  // Values kept out of memory (assemble_fuse.cpp).
  void fuse(int at);
  const Instr* straight_before(int at) const;
  void keep_in_registers(int enter, int head, int next);
  void patch(int at, int target);
  void patch_all(std::vector<int>& jumps, int target);
  int here() const { return static_cast<int>(b_.code.size()); }

  // -- slots
  Slot temp(int count = 1);
  Slot target(int want) { return want == kAny ? temp() : static_cast<Slot>(want); }
  Slot target2(int want) { return want == kAny ? temp(2) : static_cast<Slot>(want); }
  int width(const Type& type) const { return slots_of(type, b_.module); }
  bool is_reference(const ir::Var& var) const;
  bool two_slots(const Type& type) const { return type.is_tensor(); }
  void move(const Type& type, int to, int from);

  // -- expressions: the slot that holds the value; `want` asks for a slot (written last, after every read)
  Slot expr(const ir::Expr* e, int want = kAny);
  Slot constant(const ir::Const& c, int want);
  Slot bits(uint64_t value, int want = kAny);
  Slot variable(const ir::Var& var, int want);
  Slot unary(const ir::Unary& e, int want);
  Slot binary(const ir::Binary& e, int want);
  Slot int_binary(const ir::Binary& e, int want);
  Slot float_binary(const ir::Binary& e, int want);
  bool float_multiply_add(const ir::Binary& e, int want, Slot* out);
  Slot comparison(const ir::Binary& e, int want);
  Slot division(const ir::Binary& e, int want);
  Slot shift_right(const ir::Binary& e, int want);
  Slot true_division(const ir::Binary& e, int want);
  Slot as_float32(const ir::Expr* e);
  Slot slow(const ir::Expr& e, int code, DType type, Slot x, Slot y, int want);
  Slot cast(const ir::Cast& e, int want);
  Slot convert(Slot from, DType from_type, DType to, bool is_explicit, const Loc& loc, int want);
  Slot value_by_branches(const ir::Expr& e, int want);
  Slot field(const ir::Field& e, int want);
  Slot workspace(const ir::Workspace& e, int want);
  // Chains of + - * and bit operations on signed types compute in 64 bits. `limit` bounds the magnitude,
  // |value| <= limit; `inside`: surely a value of the type.
  using Limit = unsigned __int128;
  struct Chain {
    Slot slot = 0;
    Limit limit = 0;
    bool inside = false;
  };
  Chain chain(const ir::Expr* e, int want, bool root);
  Chain chain_binary(const ir::Binary& e, int want, bool root);
  Chain chain_shift(const ir::Binary& e, int want);
  bool chain_multiply_add(const ir::Binary& e, int want, bool root, Chain* out);
  // Jumps where `e` is `sense`; the jumps to patch are appended to `out`.
  void branch(const ir::Expr* e, bool sense, std::vector<int>* out);
  void branch_compare(const ir::Binary& e, bool sense, std::vector<int>* out);

  // -- calls
  Slot call(const ir::Function& callee, std::span<ir::Expr* const> args, const Loc& loc);
  void pass_argument(const ir::Var& param, const ir::Expr* arg, int to);
  Slot op_call(const ir::OpCall& e, int want);
  void emit_op(const CallSite& site, const std::vector<uint16_t>& operands, Slot to);
  Slot construct_struct(const ir::OpCall& e);
  uint16_t operand(const ir::Expr* arg, const TypePattern& pattern, const ir::OpCall& e);
  uint16_t default_operand(const ParamDesc& param, const ir::OpCall& e);
  uint16_t handle_reference(const ir::Expr* self);
  uint16_t object_slot(const ir::Expr* e);
  Type constructed_type(const ir::OpCall& e) const;
  Slot new_object(const Type& type, int want, const Loc& loc);

  // -- statements
  void block(const ir::Block* block);
  void statement(const ir::Stmt& s);
  void store(const ir::Var& var, const ir::Expr* value);
  void declare(const ir::Decl& s);
  void set_field(const ir::SetField& s);
  void default_fields(const Type& type, int slot);
  void copy_struct(int to, int from, int slots);  // both pointers
  void call_assign(const ir::CallAssign& s);
  void if_(const ir::If& s);
  void for_(const ir::For& s);
  void while_(const ir::While& s);
  void return_(const ir::Return& s);
  void print(const ir::FormatText& text, Op op, const Loc& loc);
  bool assigned_in(const ir::Block* block, const ir::Var* var) const;

  [[noreturn]] void unsupported(const Loc& loc, std::string_view what) const;

  ProgramBuilder& b_;
  const ir::Function& f_;
  std::vector<Slot> slot_of_;                         // by variable id
  std::vector<std::pair<uint64_t, Slot>> constants_;  // preloaded at the function's entry
  std::unordered_map<uint64_t, size_t> constant_at_;  // where they stand there
  bool preload_ = false;
  int next_ = 0, max_ = 0;
  int barrier_ = 0;  // the last instruction that a jump may reach, or the function's first
  uint32_t objects_ = 0;
  const ir::Var* naming_ = nullptr;  // the variable that the next object belongs to
  uint32_t stack_below_ = 0, depth_below_ = 0, objects_below_ = 0;  // of the deepest callee
  Loc loc_;
  struct LoopJumps {
    std::vector<int> breaks, continues;
  };
  std::vector<LoopJumps> loops_;
};

}  // namespace asc::sim
