// SPDX-License-Identifier: Apache-2.0
// Walks what certainly runs of a launch whose numbers are known, and notes what it writes. Internal to
// passes/overwrites.
#pragma once

#include <array>
#include <vector>

#include "passes/affine.h"
#include "passes/overwrites.h"

namespace asc::passes {

// Whole numbers and addresses are affine in symbols: one for the blocks, one for the turns of each loop
// around. A loop's body is walked for all its turns at once. A variable that moves by the same amount in
// every turn is affine as well: one turn shows by how much, and a turn from anywhere that the guess holds.
//
// A number is the one that the kernel computes: where the value leaves the type of an expression, whatever it
// then is on a device, it is not known any more.
class OverwritesWalk {
 public:
  struct Write {
    uint32_t argument;
    Footprint footprint;
  };

  OverwritesWalk(const ir::Module& module, std::span<const LaunchArgument> arguments, int grid);
  void run();
  std::span<const Write> writes() const { return writes_; }
  const Symbols& symbols() const { return symbols_; }

 private:
  struct Value {
    enum class Kind : uint8_t { Unknown, Number, Address, Local, Struct } kind = Kind::Unknown;
    uint32_t index = 0;  // Address: of which argument; Local: a tensor in which Space; Struct: in structs_
    Affine at;           // Number: itself; Address: bytes from the argument's start
    bool is_number() const { return kind == Kind::Number; }
    bool is_address() const { return kind == Kind::Address; }
    static Value local(int position) {
      return {Kind::Local, static_cast<uint32_t>(space_of_position(position)), {}};
    }
  };
  // How control goes on behind a statement. Certainly: to the next one, out of the function, or out of the
  // turn of a loop. Maybe: any of them.
  enum class Flow : uint8_t { Next, Return, Turn, Maybe };

  // -- statements
  Flow block(const ir::Block* block);
  Flow statement(const ir::Stmt* s);
  Flow if_(const ir::If& s);
  Flow for_(const ir::For& s);
  std::optional<int64_t> turns_of(const ir::For& s, Value* start, Value* step);
  bool all_turns(const ir::For& s, const Value& start, const Value& step, int64_t turns);
  void declare(const ir::Decl& s);
  void set_field(const ir::SetField& s);
  Value as_field(const Value& value, const Type& type, size_t index) const;
  Flow skip(const ir::Stmt* s);  // it may run or not

  // -- expressions
  Value eval(const ir::Expr* e);
  Value eval_maybe(const ir::Expr* e);  // it may not be evaluated
  Value unary(const ir::Unary& e);
  Value binary(const ir::Binary& e);
  Value compare(const ir::Binary& e, const Value& left, const Value& right) const;
  Value smaller(const ir::Binary& e, const Value& left, const Value& right) const;
  Value logical(const ir::Logical& e);
  Value select(const ir::Select& e);
  Value cast(const ir::Cast& e);
  Value op_call(const ir::OpCall& e);
  Value call(const ir::Function& callee, std::span<ir::Expr* const> args);
  Value number(const std::optional<Affine>& value, const Type& type) const;
  Value number(int64_t value, const Type& type) const { return number(Affine::of(value), type); }
  Value moved(const Value& address, const Value& elements, int64_t size) const;

  // -- writes
  void copy(const ir::OpCall& e, const Value& to, const Value& count);
  void copy_pad(const ir::OpCall& e, const Value& to);
  void write(const Value& to, const std::optional<Affine>& at, int64_t bytes);

  Value& value_of(const ir::Var* var) { return values_[frame_ + var->id]; }
  void assign(const ir::Var* var, const Value& value) { value_of(var) = value; }
  void forget_given(const ir::Function& callee, std::span<ir::Expr* const> args);

  // A walk is not to cost more than the copies that it can save, about a step (a statement or expression) for
  // 32 bytes; what comes later counts for nothing.
  static constexpr int64_t kFewestSteps = 2000, kMostSteps = 100000, kBytesOfStep = 32;
  static constexpr size_t kMaxWrites = 4096;

  const ir::Module& module_;
  std::span<const LaunchArgument> arguments_;
  int grid_;
  Symbols symbols_;
  uint32_t block_symbol_ = 0;
  std::vector<Value> values_;  // of the functions being walked, by variable id from frame_ on
  size_t frame_ = 0;
  std::vector<Value> returned_;  // by the last helper
  // Parameters of copies: block_count, block_len, src_stride, dst_stride.
  static constexpr size_t kFields = 4;
  std::vector<std::array<Value, kFields>> structs_;
  std::vector<Write> writes_;
  bool certain_ = true;
  int64_t steps_left_ = kFewestSteps;
};

}  // namespace asc::passes
