// SPDX-License-Identifier: Apache-2.0
// The VM's loop: direct-threaded scalar instructions, one instance a mode.
#include "sim/vm.h"

#include <bit>
#include <cstring>

#include "base/half.h"
#include "ir/scalar.h"
#include "sim/access.h"

namespace asc::sim {

namespace {

// Back edges between two looks at the clock and the interrupt; a call of an op counts as several.
// Sixty ops of the largest tiles take some milliseconds.
constexpr int64_t kFuel = 1 << 18, kOpFuel = 1 << 12;

float as_float(uint64_t slot) { return std::bit_cast<float>(static_cast<uint32_t>(slot)); }
uint64_t float_bits(float value) { return std::bit_cast<uint32_t>(value); }

int64_t signed_of(uint64_t slot) { return static_cast<int64_t>(slot); }

uint64_t high_product(uint64_t x, uint64_t y) {
  return static_cast<uint64_t>(static_cast<unsigned __int128>(x) * y >> 64);
}

uint64_t turns(int64_t start, int64_t stop, int64_t step) {
  const uint64_t from = static_cast<uint64_t>(start), to = static_cast<uint64_t>(stop);
  if (step > 0) return start < stop ? (to - from - 1) / static_cast<uint64_t>(step) + 1 : 0;
  return start > stop ? (from - to - 1) / (0 - static_cast<uint64_t>(step)) + 1 : 0;
}

// Does start, moved by step once a turn, leave the type behind the last turn?
bool steps_beyond(DType type, uint64_t start, uint64_t stop, uint64_t step) {
  if (step == 0) return false;
  if (type == DType::U64) {
    const uint64_t count = start < stop ? (stop - start - 1) / step + 1 : 0;
    return count != 0 && start + static_cast<unsigned __int128>(count) * step > UINT64_MAX;
  }
  const uint64_t count = turns(signed_of(start), signed_of(stop), signed_of(step));
  const __int128 beyond = signed_of(start) + static_cast<__int128>(count) * signed_of(step);
  const __int128 most = is_unsigned_int(type) ? static_cast<__int128>(unsigned_max(type)) : int_max(type);
  return count != 0 && (beyond < int_min(type) || beyond > most);
}

template <class T>
T read(const uint8_t* from) {
  T value;
  std::memcpy(&value, from, sizeof(T));
  return value;
}
template <class T>
void write(uint8_t* to, uint64_t slot) {
  const T value = static_cast<T>(slot);
  std::memcpy(to, &value, sizeof(T));
}

// The text of a core is kept until the launch ends: a kernel that prints for ever must not take all memory.
constexpr size_t kMaxPrinted = size_t{4} << 20;

void print(Core& core, const TextFormat& text) {
  if (core.printed.size() > kMaxPrinted) return;
  core.printed += format_text(core, text);
  if (core.printed.size() > kMaxPrinted)
    core.printed += "... (" + core.name() + " prints more than 4 MiB: cut)\n";
}

// One instruction a line reads as a table.
// clang-format off
// GCC's computed goto; `core` null: only the table of label offsets is asked for.
template <Mode M>
[[gnu::noinline, gnu::noclone]] RunStatus loop(Core* core_or_null, const int32_t** table) {
  static const int32_t kLabels[] = {
#define ASC_LABEL(Name) \
  static_cast<int32_t>(static_cast<const char*>(&&L_##Name) - static_cast<const char*>(&&L_Mov))
#define ASC_X(Name, form) ASC_LABEL(Name),
      ASC_SIM_PLAIN_OPCODES(ASC_X)
#undef ASC_X
#define ASC_X(Name, form) ASC_LABEL(Name##A),
      ASC_SIM_ACC_OPCODES(ASC_X)
#undef ASC_X
#undef ASC_LABEL
  };
  if (!core_or_null) {
    *table = kLabels;
    return RunStatus::Done;
  }
  Core& core = *core_or_null;
  const Instr* pc = core.pc;
  uint64_t* r = core.r;
  int64_t fuel = core.fuel;
  // What the last scalar instruction wrote, of float arithmetic and loads as a float too: from a register of one
  // kind to one of the other takes some cycles. Turns left and value of the innermost loop.
  uint64_t acc = 0, loop_left = 0, loop_at = 0;
  float real = 0;
  const Instr* loop_head = nullptr;

#define NEXT_AT() goto* static_cast<const void*>(static_cast<const char*>(&&L_Mov) + pc->handler)
#define NEXT() \
  do {         \
    ++pc;      \
    NEXT_AT(); \
  } while (0)
#define A r[pc->a]
#define B r[pc->b]
#define C r[pc->c]
#define SAVE() (core.pc = pc, core.r = r)
#define OP(Name, expression)         \
  L_##Name : A = acc = (expression); \
  NEXT();
// Two forms: the first operand x from its slot, or from the accumulator.
#define OP_ACC(Name, expression) \
  L_##Name : {                   \
    const uint64_t x = B;        \
    A = acc = (expression);      \
    NEXT();                      \
  }                              \
  L_##Name##A : {                \
    const uint64_t x = acc;      \
    A = acc = (expression);      \
    NEXT();                      \
  }
#define OP_REAL(Name, expression)       \
  L_##Name : {                          \
    const float x = as_float(B);        \
    real = (expression);                \
    A = acc = float_bits(real);         \
    NEXT();                             \
  }                                     \
  L_##Name##A : {                       \
    const float x = real;               \
    real = (expression);                \
    A = acc = float_bits(real);         \
    NEXT();                             \
  }
#define JUMP_IF(Name, condition)              \
  L_##Name : pc += (condition) ? pc->imm : 1; \
  NEXT_AT();
#define JUMP_IF_K(Name, comparison)                                     \
  L_##Name : pc += signed_of(A) comparison pc->k ? pc->target : 1;      \
  NEXT_AT();                                                            \
  L_##Name##A : pc += signed_of(acc) comparison pc->k ? pc->target : 1; \
  NEXT_AT();

  NEXT_AT();

  OP(Mov, B)
L_Mov2 : {
  const uint64_t address = r[pc->b], info = r[pc->b + 1];
  r[pc->a] = address;
  r[pc->a + 1] = info;
  NEXT();
}
  OP(Const, static_cast<uint64_t>(pc->wide))
  OP(LoadRef, *reinterpret_cast<const uint64_t*>(B))
L_LoadRef2 : {
  const uint64_t* from = reinterpret_cast<const uint64_t*>(B);
  const uint64_t address = from[0], info = from[1];
  r[pc->a] = address;
  r[pc->a + 1] = info;
  NEXT();
}
L_StoreRef:
  *reinterpret_cast<uint64_t*>(A) = B;
  NEXT();
L_StoreRef2 : {
  uint64_t* to = reinterpret_cast<uint64_t*>(A);
  to[0] = r[pc->b];
  to[1] = r[pc->b + 1];
  NEXT();
}
  OP(AddrOf, reinterpret_cast<uint64_t>(&B))

  OP_ACC(Add, x + C)
  OP_ACC(Sub, x - C)
  OP_ACC(Mul, x * C)
  OP_ACC(And, x & C)
  OP_ACC(Or, x | C)
  OP_ACC(Xor, x ^ C)
  OP(Neg, 0 - B)
  OP(Inv, ~B)
  OP_ACC(AddK, x + static_cast<uint64_t>(int64_t{pc->imm}))
  OP_ACC(MulK, x * static_cast<uint64_t>(int64_t{pc->imm}))
  OP_ACC(AndK, x & static_cast<uint64_t>(int64_t{pc->imm}))
  OP_ACC(ShlK, x << pc->imm)
  OP_ACC(SarK, static_cast<uint64_t>(signed_of(x) >> pc->imm))
  OP(ShrK, B >> pc->imm)

#define FIT_32(expression)                                                 \
  {                                                                        \
    const int64_t value = static_cast<int64_t>(expression);                \
    if constexpr (M == Mode::Check) {                                      \
      if (value != static_cast<int32_t>(value)) [[unlikely]] {             \
        SAVE();                                                            \
        report_outside_type(core, DType::I32, value);                      \
      }                                                                    \
    }                                                                      \
    A = acc = static_cast<uint64_t>(int64_t{static_cast<int32_t>(value)}); \
    NEXT();                                                                \
  }
#define OP_32(Name, expression) \
  L_##Name : {                  \
    const uint64_t x = B;       \
    FIT_32(expression)          \
  }                             \
  L_##Name##A : {               \
    const uint64_t x = acc;     \
    FIT_32(expression)          \
  }
  OP_32(Add32, x + C)
  OP_32(Sub32, x - C)
  OP_32(Mul32, x * C)
  OP_32(AddK32, x + static_cast<uint64_t>(int64_t{pc->imm}))
  OP_32(MulK32, x * static_cast<uint64_t>(int64_t{pc->imm}))
  OP_32(Fit32, x)
L_MulAdd32:
  FIT_32(B * C + r[pc->imm])
L_MulAdd32A:
  FIT_32(B * C + acc)
  OP_32(MulKAdd32, x * static_cast<uint64_t>(int64_t{pc->imm}) + C)
  OP(MulAdd, B * C + r[pc->imm])
  OP(MulAddA, B * C + acc)
  OP_ACC(MulKAdd, x * static_cast<uint64_t>(int64_t{pc->imm}) + C)
L_Data:  // stands behind an instruction that reads and skips it
  NEXT();

#define OP_OVERFLOW(Name, builtin, wrapped)      \
  L_##Name : {                                   \
    int64_t value;                               \
    const bool over = builtin;                   \
    if (M == Mode::Check && over) [[unlikely]] { \
      SAVE();                                    \
      report_overflow64(core);                   \
    }                                            \
    A = static_cast<uint64_t>(value);            \
    NEXT();                                      \
  }
  OP_OVERFLOW(AddO, __builtin_add_overflow(signed_of(B), signed_of(C), &value), )
  OP_OVERFLOW(SubO, __builtin_sub_overflow(signed_of(B), signed_of(C), &value), )
  OP_OVERFLOW(MulO, __builtin_mul_overflow(signed_of(B), signed_of(C), &value), )
  OP_OVERFLOW(NegO, __builtin_sub_overflow(int64_t{0}, signed_of(B), &value), )

#define OP_DIVIDE(Name, by_zero, normal) \
  L_##Name : {                           \
    const uint64_t x = B, y = C;         \
    if (y == 0) [[unlikely]] {           \
      SAVE();                            \
      report_division_by_zero(core);     \
      A = (by_zero);                     \
      NEXT();                            \
    }                                    \
    A = (normal);                        \
    NEXT();                              \
  }
  // The smallest value by -1 wraps. It is found here in int64; of narrower types by the check that follows.
L_Div : {
  const uint64_t x = B, y = C;
  if (y + 1 <= 1) [[unlikely]] {  // 0 or -1
    SAVE();
    if (y == 0)
      report_division_by_zero(core);
    else if (M == Mode::Check && signed_of(x) == INT64_MIN)
      report_overflow64(core);
    A = y == 0 ? 0 : 0 - x;
    NEXT();
  }
  A = static_cast<uint64_t>(ir::floor_div(signed_of(x), signed_of(y)));
  NEXT();
}
  OP_DIVIDE(Mod, 0, y == UINT64_MAX ? 0 : static_cast<uint64_t>(ir::floor_mod(signed_of(x), signed_of(y))))
  OP_DIVIDE(DivU, 0, x / y)
  OP_DIVIDE(ModU, 0, x % y)
  // Both non-negative: a short division where both are short.
  OP_DIVIDE(DivP, 0, ((x | y) >> 32) == 0 ? static_cast<uint32_t>(x) / static_cast<uint32_t>(y) : x / y)
  OP_DIVIDE(ModP, 0, ((x | y) >> 32) == 0 ? static_cast<uint32_t>(x) % static_cast<uint32_t>(y) : x % y)

#define OP_BY_CONSTANT(Name, short_way, long_way)        \
  L_##Name : {                                           \
    const uint64_t x = B;                                \
    A = acc = (x >> 32) == 0 ? (short_way) : (long_way); \
    pc += 2;                                             \
    NEXT_AT();                                           \
  }                                                      \
  L_##Name##A : {                                        \
    const uint64_t x = acc;                              \
    A = acc = (x >> 32) == 0 ? (short_way) : (long_way); \
    pc += 2;                                             \
    NEXT_AT();                                           \
  }
  OP_BY_CONSTANT(DivK, high_product(static_cast<uint64_t>(pc[1].wide), x),
                 static_cast<uint64_t>(ir::floor_div(signed_of(x), int64_t{pc->imm})))
  OP_BY_CONSTANT(ModK, high_product(static_cast<uint64_t>(pc[1].wide) * x, static_cast<uint32_t>(pc->imm)),
                 static_cast<uint64_t>(ir::floor_mod(signed_of(x), int64_t{pc->imm})))

L_Shl : {
  const DType type = static_cast<DType>(pc->imm);
  const int64_t x = signed_of(B), distance = signed_of(C);
  if (static_cast<uint64_t>(distance) >= 8u * static_cast<unsigned>(size_of(type))) [[unlikely]] {
    SAVE();
    report_shift(core, type, distance);
    A = 0;
    NEXT();
  }
  const uint64_t shifted = static_cast<uint64_t>(x) << distance;
  if constexpr (M == Mode::Check) {
    if (is_signed_int(type) && (signed_of(shifted) >> distance) != x) [[unlikely]] {
      SAVE();
      report_overflow64(core);
    }
  }
  A = shifted;
  NEXT();
}
L_Shr : {
  const DType type = static_cast<DType>(pc->imm);
  int64_t distance = signed_of(C);
  if (static_cast<uint64_t>(distance) >= 8u * static_cast<unsigned>(size_of(type))) [[unlikely]] {
    SAVE();
    report_shift(core, type, distance);
    distance = 63;
  }
  A = is_signed_int(type) ? static_cast<uint64_t>(signed_of(B) >> distance)
      : distance == 63    ? 0
                          : B >> distance;
  NEXT();
}
L_Fit : {
  const DType to = static_cast<DType>(pc->imm & 0xFF), from = static_cast<DType>(pc->imm >> 8);
  const int64_t value = signed_of(B);
  if constexpr (M == Mode::Check) {
    const bool above = from == DType::U64 && value < 0;
    const bool inside = above ? to == DType::U64 : to == DType::U64 ? value >= 0 : ir::fits(to, value);
    if (!inside) [[unlikely]] {
      SAVE();
      report_outside_type(core, to, value, above);
    }
  }
  A = static_cast<uint64_t>(ir::wrap_to(to, value));
  NEXT();
}
  OP(WrapU32, static_cast<uint32_t>(B))
  OP(Wrap, static_cast<uint64_t>(ir::wrap_to(static_cast<DType>(pc->imm), signed_of(B))))
  OP(NotB, B == 0)

  OP(LtS, signed_of(B) < signed_of(C))
  OP(LeS, signed_of(B) <= signed_of(C))
  OP(Eq, B == C)
  OP(Ne, B != C)
  OP(LtU, B < C)
  OP(LeU, B <= C)
  OP(LtK, signed_of(B) < pc->imm)
  OP(GtK, signed_of(B) > pc->imm)
  OP(EqK, signed_of(B) == pc->imm)
  OP(NeK, signed_of(B) != pc->imm)
  OP(MinS, static_cast<uint64_t>(ir::scalar_min(signed_of(B), signed_of(C))))
  OP(MaxS, static_cast<uint64_t>(ir::scalar_max(signed_of(B), signed_of(C))))

  OP_REAL(AddF, x + as_float(C))
  OP_REAL(SubF, x - as_float(C))
  OP_REAL(MulF, x * as_float(C))
  OP_REAL(MulAddF, x * as_float(C) + as_float(r[pc->imm]))  // rounds twice
  OP_REAL(DivF, x / as_float(C))
  OP(NegF, B ^ 0x80000000u)
  OP(LtF, as_float(B) < as_float(C))
  OP(LeF, as_float(B) <= as_float(C))
  OP(EqF, as_float(B) == as_float(C))
  OP(NeF, as_float(B) != as_float(C))
  OP(RoundH, float_bits(static_cast<float>(half_t(as_float(B)))))
  OP(RoundB, float_bits(static_cast<float>(bfloat16_t(as_float(B)))))
  OP(SToF, float_bits(static_cast<float>(signed_of(B))))
L_Slow:
  SAVE();
  A = slow_arithmetic(core, pc->imm >> 8, static_cast<DType>(pc->imm & 0xFF), B, C);
  NEXT();
L_Cast:
  SAVE();
  A = convert_scalar(core, static_cast<DType>(pc->imm & 0xFF), static_cast<DType>(pc->imm >> 8 & 0xFF),
                     (pc->imm & kCastExplicit) != 0, B);
  NEXT();

L_Jmp:
  pc += pc->imm;
  NEXT_AT();
  JUMP_IF(JmpIf, A != 0)
  JUMP_IF(JmpNot, A == 0)
  JUMP_IF(JltS, signed_of(A) < signed_of(B))
  JUMP_IF(JleS, signed_of(A) <= signed_of(B))
  JUMP_IF(Jeq, A == B)
  JUMP_IF(Jne, A != B)
  JUMP_IF(JltU, A < B)
  JUMP_IF(JleU, A <= B)
  JUMP_IF_K(JltK, <)
  JUMP_IF_K(JgtK, >)
  JUMP_IF_K(JeqK, ==)
  JUMP_IF_K(JneK, !=)
  JUMP_IF(JltF, as_float(A) < as_float(B))
  JUMP_IF(JleF, as_float(A) <= as_float(B))
  JUMP_IF(JeqF, as_float(A) == as_float(B))
  JUMP_IF(JneF, as_float(A) != as_float(B))
  JUMP_IF(JnltF, !(as_float(A) < as_float(B)))
  JUMP_IF(JnleF, !(as_float(A) <= as_float(B)))

L_ForCheck : {
  if constexpr (M == Mode::Check) {
    // The printed loop adds the step once more after its last turn.
    const DType type = static_cast<DType>(pc->imm);
    if (steps_beyond(type, B, C, r[pc->a + 1])) [[unlikely]] {
      SAVE();
      report_step_beyond(core, type, r[pc->a + 1]);
    }
  }
  NEXT();
}
L_ForPrep : {
  const int64_t step = signed_of(r[pc->a + 1]);
  if (step == 0) [[unlikely]] {
    SAVE();
    report_step_zero(core);
    pc += pc->imm;
    NEXT_AT();
  }
  A = turns(signed_of(B), signed_of(C), step);
  pc += A == 0 ? pc->imm : 1;
  NEXT_AT();
}
L_ForPrepU : {
  const uint64_t step = r[pc->a + 1], start = B, stop = C;
  if (step == 0) [[unlikely]] {
    SAVE();
    report_step_zero(core);
    pc += pc->imm;
    NEXT_AT();
  }
  A = start < stop ? (stop - start - 1) / step + 1 : 0;
  pc += A == 0 ? pc->imm : 1;
  NEXT_AT();
}
L_ForPrep1 : {
  const int64_t start = signed_of(B), stop = signed_of(C);
  A = start < stop ? static_cast<uint64_t>(stop) - static_cast<uint64_t>(start) : 0;
  pc += A == 0 ? pc->imm : 1;
  NEXT_AT();
}
L_ForEnter:  // a loop whose counters stay in registers; C: what its first instruction takes as accumulator
  loop_left = A;
  loop_at = B;
  loop_head = pc + 1;
  acc = C;
  real = as_float(acc);
  NEXT();
L_ForNextR:
  if (--loop_left == 0) {
    ++pc;
    NEXT_AT();
  }
  B = loop_at += C;
  if (--fuel < 0) [[unlikely]]
    goto out_of_fuel_in_registers;
  pc = loop_head;  // known without a look at the instruction
  NEXT_AT();
L_ForNext1R:
  if (--loop_left == 0) {
    ++pc;
    NEXT_AT();
  }
  B = ++loop_at;
  if (--fuel < 0) [[unlikely]]
    goto out_of_fuel_in_registers;
  pc = loop_head;  // known without a look at the instruction
  NEXT_AT();
L_ForNext:
  if (--A == 0) {
    ++pc;
    NEXT_AT();
  }
  B += C;
  pc += pc->imm;
  if (--fuel < 0) [[unlikely]]
    goto out_of_fuel;
  NEXT_AT();
L_ForNext1:
  if (--A == 0) {
    ++pc;
    NEXT_AT();
  }
  B += 1;
  pc += pc->imm;
  if (--fuel < 0) [[unlikely]]
    goto out_of_fuel;
  NEXT_AT();
L_Loop:
  pc += pc->imm;
  if (--fuel < 0) [[unlikely]]
    goto out_of_fuel;
  NEXT_AT();

L_Call : {
  const FunctionCode& callee = core.program->functions[static_cast<size_t>(pc->imm)];
  Frame& frame = core.frames[static_cast<size_t>(core.depth++)];
  frame.return_pc = pc + 1;
  frame.base = r;
  frame.object_base = core.object_base;
  core.object_base += pc->b;
  r += pc->a;
  pc = core.code + callee.first;
  NEXT_AT();
}
L_Ret:
  if (core.depth == 0) {
    SAVE();
    core.fuel = fuel;
    return RunStatus::Done;
  }
  {
    const Frame& frame = core.frames[static_cast<size_t>(--core.depth)];
    pc = frame.return_pc;
    r = frame.base;
    core.object_base = frame.object_base;
  }
  NEXT_AT();

L_CallOp : {
  const CallSite& site = core.program->sites[static_cast<size_t>(pc->imm)];
  SAVE();
  fuel -= kOpFuel;
  const OpStatus status = site.fn[static_cast<int>(M)](core, site, r, r + pc->a);
  if (status != OpStatus::Done) [[unlikely]] {
    core.fuel = fuel;
    return status == OpStatus::Blocked  ? RunStatus::Blocked
           : status == OpStatus::Finish ? RunStatus::Done
                                        : RunStatus::Stopped;
  }
  acc = A;  // of an access that took this way
  real = as_float(acc);
  NEXT();
}
#define ACCESS(Name, way, bytes, access, action)                                                  \
  L_##Name : {                                                                                    \
    const CallSite& site = core.program->sites[static_cast<size_t>(pc->imm)];                     \
    uint8_t* at;                                                                                  \
    if (!quick_##way<M>(core, site, &B, C, bytes, Access::access, &at)) [[unlikely]]              \
      goto L_CallOp;                                                                              \
    action;                                                                                       \
    NEXT();                                                                                       \
  }
#define GET(Name, way, T) ACCESS(Name, way, sizeof(T), Read, A = acc = static_cast<uint64_t>(read<T>(at)))
#define GET_32(Name, way) ACCESS(Name, way, 4, Read, (real = read<float>(at), A = acc = read<uint32_t>(at)))
#define SET(Name, way, T) ACCESS(Name, way, sizeof(T), Write, write<T>(at, A))
  GET(GetLocalI32, local, int32_t)
  GET_32(GetLocalU32, local)
  GET(GetLocal64, local, uint64_t)
  GET(GetGlobalI32, global, int32_t)
  GET_32(GetGlobalU32, global)
  GET(GetGlobal64, global, uint64_t)
  SET(SetLocal32, local, uint32_t)
  SET(SetLocal64, local, uint64_t)
  SET(SetGlobal32, global, uint32_t)
  SET(SetGlobal64, global, uint64_t)
L_NewObject : {
  const uint32_t index = core.object_base + pc->b;
  const ObjectDecl& decl = core.program->object_decls[static_cast<size_t>(pc->imm)];
  core.objects[index].reset(decl.type, decl.name);
  A = index;
  NEXT();
}
  OP(IsAic, core.aic)
  OP(Block, static_cast<uint64_t>(core.block))
L_Print:
  SAVE();
  print(core, core.program->texts[static_cast<size_t>(pc->imm)]);
  NEXT();
L_AssertFail : {
  SAVE();
  core.fuel = fuel;
  const std::string text = format_text(core, core.program->texts[static_cast<size_t>(pc->imm)]);
  if (Finding* f = core.log.add(FindingId::AssertFailed, core.here()))
    f->message = text.empty() ? "assertion failed" : "assertion failed: " + text;
  return RunStatus::Stopped;  // the device traps
}

out_of_fuel_in_registers:
  A = loop_left;
  pc = loop_head - 1;  // ForEnter, which stands before the first instruction of the loop
out_of_fuel:
  SAVE();
  core.fuel = kFuel;
  if (!core.launch->poll()) return RunStatus::Stopped;
  if (core.launch->cross) return RunStatus::Yielded;
  fuel = kFuel;
  NEXT_AT();

#undef NEXT_AT
#undef NEXT
#undef A
#undef B
#undef C
#undef SAVE
#undef OP
#undef OP_ACC
#undef OP_REAL
#undef FIT_32
#undef OP_32
#undef OP_OVERFLOW
#undef OP_DIVIDE
#undef OP_BY_CONSTANT
#undef JUMP_IF
#undef JUMP_IF_K
#undef ACCESS
#undef GET
#undef GET_32
#undef SET
}
// clang-format on

}  // namespace

const int32_t* handler_offsets(Mode mode) {
  const int32_t* table = nullptr;
  if (mode == Mode::Check)
    loop<Mode::Check>(nullptr, &table);
  else
    loop<Mode::Fast>(nullptr, &table);
  return table;
}

RunStatus run(Core& core) {
  return core.mode == Mode::Check ? loop<Mode::Check>(&core, nullptr) : loop<Mode::Fast>(&core, nullptr);
}

}  // namespace asc::sim
