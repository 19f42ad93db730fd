// SPDX-License-Identifier: Apache-2.0
// Bytecode of the device simulator: 16-byte instructions over a frame of 64-bit slots.
//
// A slot holds an integer (sign- or zero-extended), a bool, a float's bits (float16 and bfloat16 as the float
// of the same value), a double's bits, a simulated address, the index of an object, or a pointer to a slot
// (references). A tensor takes two: address and packed length, position and buffer (sim/memory.h). A struct
// takes one slot a field. A callee's frame overlaps its caller's: arguments are written where the callee's
// first slots will be. There is no recursion, so the depth and the size of the whole stack are known when the
// program is assembled.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "ir/ir.h"
#include "sim/simulator.h"
#include "sim/workspace.h"

namespace asc::sim {

// X(Name, operand form): the form is what the disassembler prints.
//   abc: three slots; abi: two slots and imm; ai: slot and imm; aw: slot and 64-bit constant; j: target; aj:
//   slot, target; abj: two slots, target; akj: slot, constant, target; abcj: three slots, target; op, call,
//   text: see the disassembler
// clang-format off
#define ASC_SIM_PLAIN_OPCODES(X)                                                                          \
  X(Mov, ab) X(Mov2, ab) X(Const, aw) X(LoadRef, ab) X(LoadRef2, ab) X(StoreRef, ab) X(StoreRef2, ab)     \
  X(AddrOf, ab) X(Add, abc) X(Sub, abc) X(Mul, abc) X(And, abc) X(Or, abc) X(Xor, abc) X(Neg, ab)         \
  X(Inv, ab) X(AddK, abi) X(MulK, abi) X(AndK, abi) X(ShlK, abi) X(SarK, abi) X(ShrK, abi) X(Add32, abc)  \
  X(Sub32, abc) X(Mul32, abc) X(AddK32, abi) X(MulK32, abi) X(MulAdd, abcs) X(MulAdd32, abcs)             \
  X(MulKAdd, abci) X(MulKAdd32, abci) X(Data, w) X(AddO, abc) X(SubO, abc) X(MulO, abc) X(NegO, ab)       \
  X(Div, abc) X(Mod, abc) X(DivU, abc) X(ModU, abc) X(DivP, abc) X(ModP, abc) X(DivK, abi) X(ModK, abi)   \
  X(Shl, abci) X(Shr, abci) X(Fit32, ab) X(Fit, abi) X(WrapU32, ab) X(Wrap, abi) X(NotB, ab) X(LtS, abc)  \
  X(LeS, abc) X(Eq, abc) X(Ne, abc) X(LtU, abc) X(LeU, abc) X(LtK, abi) X(GtK, abi) X(EqK, abi)           \
  X(NeK, abi) X(MinS, abc) X(MaxS, abc) X(AddF, abc) X(SubF, abc) X(MulF, abc) X(MulAddF, abcs)           \
  X(DivF, abc) X(NegF, ab) X(LtF, abc) X(LeF, abc) X(EqF, abc) X(NeF, abc) X(RoundH, ab) X(RoundB, ab)    \
  X(SToF, ab) X(Slow, abci) X(Cast, abi) X(Jmp, j) X(JmpIf, aj) X(JmpNot, aj) X(JltS, abj) X(JleS, abj)   \
  X(Jeq, abj) X(Jne, abj) X(JltU, abj) X(JleU, abj) X(JltK, akj) X(JgtK, akj) X(JeqK, akj) X(JneK, akj)   \
  X(JltF, abj) X(JleF, abj) X(JeqF, abj) X(JneF, abj) X(JnltF, abj) X(JnleF, abj) X(ForCheck, abci)       \
  X(ForPrep, abcj) X(ForPrepU, abcj) X(ForPrep1, abcj) X(ForEnter, abc) X(ForNext, abcj)                  \
  X(ForNext1, abj) X(ForNextR, abcj) X(ForNext1R, abj) X(Loop, j) X(Call, call) X(Ret, none)              \
  X(CallOp, op) ASC_SIM_GET_OPCODES(X) ASC_SIM_SET_OPCODES(X) X(NewObject, object) X(IsAic, a) X(Block, a)           \
  X(Print, text) X(AssertFail, text)
// Scalar accesses by memory and width: CallOp instructions (a: result or value, b: tensor, c: index) that take
// the short way where the access is nothing special.
#define ASC_SIM_GET_OPCODES(X)                                                                            \
  X(GetLocalI32, op) X(GetLocalU32, op) X(GetLocal64, op) X(GetGlobalI32, op) X(GetGlobalU32, op)         \
  X(GetGlobal64, op)
#define ASC_SIM_SET_OPCODES(X)                                                                            \
  X(SetLocal32, op) X(SetLocal64, op) X(SetGlobal32, op) X(SetGlobal64, op)
// Instructions with a second form, NameA, that takes its first operand (MulAdd: its addend) from the
// accumulator, which holds what the instruction before wrote: slots are memory, and a value just stored there
// takes some cycles to come back.
#define ASC_SIM_ACC_OPCODES(X)                                                                            \
  X(Add, abc) X(Sub, abc) X(Mul, abc) X(And, abc) X(Or, abc) X(Xor, abc) X(AddK, abi) X(MulK, abi)        \
  X(AndK, abi) X(ShlK, abi) X(SarK, abi) X(Add32, abc) X(Sub32, abc) X(Mul32, abc) X(AddK32, abi)         \
  X(MulK32, abi) X(MulAdd, abcs) X(MulAdd32, abcs) X(MulKAdd, abci) X(MulKAdd32, abci) X(DivK, abi)       \
  X(ModK, abi) X(Fit32, ab) X(AddF, abc) X(SubF, abc) X(MulF, abc) X(MulAddF, abcs) X(DivF, abc)          \
  X(JltK, akj) X(JgtK, akj) X(JeqK, akj) X(JneK, akj)
// clang-format on

enum class Op : uint16_t {
#define ASC_X(Name, form) Name,
  ASC_SIM_PLAIN_OPCODES(ASC_X)
#undef ASC_X
#define ASC_X(Name, form) Name##A,
      ASC_SIM_ACC_OPCODES(ASC_X)
#undef ASC_X
          kCount,
};

struct Instr {
  int32_t handler = 0;  // offset of the handler's label, for one mode
  Op op{};
  uint16_t a = 0;
  union {
    struct {
      uint16_t b, c;
      int32_t imm;  // constant, relative jump target, or index
    };
    struct {
      int32_t target, k;  // compare with a constant and jump
    };
    int64_t wide;
  };
  Instr() : wide(0) {}
};
static_assert(sizeof(Instr) == 16);

// Slow: rare arithmetic by node kind; imm = dtype | code << 8. Codes past the binary ones are unary.
inline constexpr int kSlowUnary = 64;

// Cast: imm = from | to << 8 | explicit << 16.
inline constexpr int kCastExplicit = 1 << 16;

// An operand of a call: a slot, or with this bit an entry of the constant pool.
inline constexpr uint16_t kPoolOperand = 0x8000;
inline constexpr uint16_t kNoOperand = 0xFFFF;

struct Core;
struct CallSite;
// Finish: this core has nothing more to run; Stop: the launch has not.
enum class OpStatus : uint8_t { Done, Blocked, Finish, Stop };
using OpFn = OpStatus (*)(Core& core, const CallSite& site, uint64_t* frame, uint64_t* result);

inline constexpr int kModeCount = 2;

// A call of an op-table row at one place of the program. Operand 0 is the receiver, operand 1 + i parameter i
// of the overload.
struct CallSite {
  OpId op{};
  uint8_t overload = 0;
  uint8_t operand_count = 0;
  uint16_t result = 0;
  DType vars[4] = {DType::Void, DType::Void, DType::Void, DType::Void};
  Pipe pipe = Pipe::S;
  bool any_alignment = false;    // scalar accesses: an element may lie anywhere
  bool unsigned_offset = false;  // the index of a scalar access is of an unsigned type: for messages
  CoreSet cores = CoreSet::Any;
  uint32_t operands = 0;  // index of operand 0 in Program::operands
  OpFn fn[kModeCount] = {};
  void (*kernel)() = nullptr;  // the typed body of a regular op
  const OverloadDesc* proto = nullptr;
};

struct TextPiece {
  std::string text;  // before the value
  Type type;
  uint16_t operand = kNoOperand;
  std::string spec;  // as ir::FormatText
};
// What Print and AssertFail show: pieces, the last without a value.
struct TextFormat {
  std::vector<TextPiece> pieces;
};

struct FunctionCode {
  std::string name;
  uint32_t first = 0, end = 0;                      // instructions
  uint32_t slots = 0;                               // of its own frame
  uint32_t objects = 0;                             // pipes, queues and buffers that it declares
  uint32_t stack = 0, depth = 0, object_stack = 0;  // with its callees
};

// A declaration of a pipe, queue or buffer.
struct ObjectDecl {
  Type type;
  std::string name;
  friend bool operator==(const ObjectDecl&, const ObjectDecl&) = default;
};

struct KernelParam {
  // A number of a struct: where it is in the packed bytes, its slot behind the struct's first.
  struct Leaf {
    uint32_t offset;
    uint16_t slot;
    DType dtype;
  };
  std::string name;
  Type type;
  uint16_t slot = 0;
  bool may_read = true, may_write = true;  // arrays: by the kernel
  uint32_t bytes = 0;                      // Struct
  std::vector<Leaf> leaves;                // Struct
};

// What the last launches cost, to tell small ones; a hint only.
struct CostHint {
  std::atomic<int64_t> bytes{-1}, block_ns{0};
  std::atomic<bool> cores_met{
      false};  // in global memory: at once they would not compute what in order they do
};

struct Program {
  std::vector<Instr> code[kModeCount];
  std::vector<uint32_t> locs_of;  // by instruction: index in locs
  std::vector<Loc> locs;
  std::vector<uint64_t> pool;
  std::vector<uint16_t> operands;
  std::vector<CallSite> sites;
  std::vector<FunctionCode> functions;
  std::vector<TextFormat> texts;
  std::vector<ObjectDecl> object_decls;
  std::vector<KernelParam> params;
  WorkspacePlan workspace;
  SourceTable sources;
  ir::KernelType kernel_type = ir::KernelType::AIV_ONLY;
  bool lockstep = false;  // cores wait for each other: they run interleaved on one thread
  mutable CostHint cost;

  const FunctionCode& kernel() const { return functions.back(); }
};

std::string_view to_string(Op op);
// Slots that a value takes: two for a tensor, one for everything else but a struct.
int slots_of(const Type& type, const ir::Module& module);
// Bytes and leaves of a struct argument (structs.cpp).
void add_struct(KernelParam* param, const ir::Module& module);
struct Argument;
// Puts the packed numbers into the kernel's slots; false if the bytes are not the struct's.
bool unpack_struct(const KernelParam& param, const Argument& argument, uint64_t* slots);
// The first slot of a struct's field.
int field_slot(const Type& type, int index, const ir::Module& module);
// A field's default or a constant as a slot holds it.
int64_t field_bits(const Type& type, int64_t bits);

}  // namespace asc::sim
