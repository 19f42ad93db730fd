// SPDX-License-Identifier: Apache-2.0
// Assembler: values that need not go through memory. An instruction that takes what the one before it wrote
// has a form that takes it from the accumulator; a loop without calls keeps its counters in the VM's
// registers.
#include <algorithm>

#include "sim/assemble.h"

namespace asc::sim {

namespace {

// The form that takes its first operand from the accumulator; the op itself if there is none.
Op accumulator_form(Op op) {
  switch (op) {
#define ASC_X(Name, form) \
  case Op::Name: return Op::Name##A;
    ASC_SIM_ACC_OPCODES(ASC_X)
#undef ASC_X
    default: return op;
  }
}

bool is_jump_on_constant(Op op) { return op >= Op::JltK && op <= Op::JneK; }
bool is_multiply_add(Op op) { return op == Op::MulAdd || op == Op::MulAdd32; }

bool commutes(Op op) {
  return op == Op::Add || op == Op::Mul || op == Op::Add32 || op == Op::Mul32 || op == Op::And ||
         op == Op::Or || op == Op::Xor || op == Op::MulAddF;
}

// Instructions that leave in the accumulator what they write to slot a.
bool sets_accumulator(Op op) {
  if (op == Op::Mov || op == Op::Neg || op == Op::Inv || op == Op::LoadRef) return true;
  if (op >= Op::GetLocalI32 && op <= Op::GetGlobal64) return true;
  const bool plain = accumulator_form(op) != op && !is_jump_on_constant(op);
  return plain || (op >= Op::AddA && op <= Op::DivFA);
}

bool is_real(Op op) { return (op >= Op::AddF && op <= Op::DivF) || (op >= Op::AddFA && op <= Op::DivFA); }
// Those that leave it as a float too.
bool sets_real(Op op) { return is_real(op) || op == Op::GetLocalU32 || op == Op::GetGlobalU32; }

// Changes the instruction to the accumulator's form if its first operand is what the one before wrote.
bool take_from_accumulator(Instr& in, const Instr& before) {
  if (!sets_accumulator(before.op) || (is_real(in.op) && !sets_real(before.op))) return false;
  const Op form = accumulator_form(in.op);
  const uint16_t from = before.a;
  if (form == in.op) return false;
  if (is_multiply_add(in.op)) {
    if (in.imm != from) return false;
  } else if (is_jump_on_constant(in.op)) {
    if (in.a != from) return false;
  } else if (in.b != from) {
    if (!commutes(in.op) || in.c != from) return false;
    in.c = in.b;
  }
  in.op = form;
  return true;
}

}  // namespace

// The instruction that ran before `at`, if every way to `at` comes from it; else null.
const Instr* FunctionAssembler::straight_before(int at) const {
  if (at <= barrier_) return nullptr;
  const Instr* before = &b_.code[static_cast<size_t>(at - 1)];
  if (before->op != Op::Data) return before;
  return at - 1 > barrier_ ? before - 1 : nullptr;
}

void FunctionAssembler::fuse(int at) {
  if (const Instr* before = straight_before(at))
    take_from_accumulator(b_.code[static_cast<size_t>(at)], *before);
}

// A loop of [head, next] whose body neither calls nor loops; `enter` stands before it.
void FunctionAssembler::keep_in_registers(int enter, int head, int next) {
  bool straight = true;
  for (int i = head; i < next; i++) {
    const Instr& in = b_.code[static_cast<size_t>(i)];
    switch (in.op) {
      case Op::Call:
      case Op::Ret:
      case Op::Loop:
      case Op::ForPrep:
      case Op::ForPrepU:
      case Op::ForPrep1: return;
      case Op::CallOp:  // a blocked core leaves the VM
        if (b_.program.sites[static_cast<size_t>(in.imm)].proto->waits) return;
        break;
      default: break;
    }
    if ((in.op >= Op::Jmp && in.op <= Op::JnleF) || (in.op >= Op::JltKA && in.op <= Op::JneKA))
      straight = false;
  }
  Instr& last = b_.code[static_cast<size_t>(next)];
  last.op = last.op == Op::ForNext1 ? Op::ForNext1R : Op::ForNextR;
  // What the last instruction of a turn writes, the first one of the next turn may read.
  if (!straight || next == head) return;
  const Instr* end = &b_.code[static_cast<size_t>(next - 1)];
  if (end->op == Op::Data) end--;
  const uint16_t carried = end->a;
  if (carried != last.b && take_from_accumulator(b_.code[static_cast<size_t>(head)], *end))
    b_.code[static_cast<size_t>(enter)].c = carried;
}

}  // namespace asc::sim
