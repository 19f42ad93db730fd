// SPDX-License-Identifier: Apache-2.0
// Bytecode as text, the same in every run: functions, instructions with their lines, call sites with their
// operands.
#include <array>

#include "base/format.h"
#include "sim/bytecode.h"

namespace asc::sim {

namespace {

constexpr std::array<std::string_view, static_cast<size_t>(Op::kCount)> kNames = {
#define ASC_X(Name, form) #Name,
    ASC_SIM_PLAIN_OPCODES(ASC_X)
#undef ASC_X
#define ASC_X(Name, form) #Name "A",
        ASC_SIM_ACC_OPCODES(ASC_X)
#undef ASC_X
};
constexpr std::array<std::string_view, static_cast<size_t>(Op::kCount)> kForms = {
#define ASC_X(Name, form) #form,
    ASC_SIM_PLAIN_OPCODES(ASC_X)
#undef ASC_X
#define ASC_X(Name, form) #form,
        ASC_SIM_ACC_OPCODES(ASC_X)
#undef ASC_X
};

std::string operand_text(const Program& p, uint16_t code) {
  if (code == kNoOperand) return "-";
  if ((code & kPoolOperand) != 0)
    return fmt::format("#{}", static_cast<int64_t>(p.pool[code & ~kPoolOperand]));
  return fmt::format("r{}", code);
}

std::string site_text(const Program& p, const Instr& in) {
  const CallSite& site = p.sites[static_cast<size_t>(in.imm)];
  const OpDesc& desc = op_desc(site.op);
  std::string types;
  for (DType t : site.vars)
    if (t != DType::Void) types += fmt::format("{}{}", types.empty() ? "" : ", ", py_name(t));
  std::string out = fmt::format("r{} = {}{}", in.a, desc.ir_name, types.empty() ? "" : "<" + types + ">");
  for (int i = 0; i < site.operand_count; i++)
    out += fmt::format("{}{}", i == 0 ? "(" : ", ",
                       operand_text(p, p.operands[site.operands + static_cast<uint32_t>(i)]));
  return out + ")";
}

std::string text_of(const Program& p, int32_t index) {
  std::string out = "\"";
  for (const TextPiece& piece : p.texts[static_cast<size_t>(index)].pieces) {
    for (char c : piece.text) out += c == '\n' ? std::string("\\n") : std::string(1, c);
    if (piece.operand != kNoOperand)
      out += fmt::format("{{r{}{}{}}}", piece.operand, piece.spec.empty() ? "" : ":", piece.spec);
  }
  return out + "\"";
}

std::string operands_text(const Program& p, const Instr& in, int64_t at) {
  const std::string_view form = kForms[static_cast<size_t>(in.op)];
  if (form == "a") return fmt::format("r{}", in.a);
  if (form == "ab") return fmt::format("r{}, r{}", in.a, in.b);
  if (form == "abc") return fmt::format("r{}, r{}, r{}", in.a, in.b, in.c);
  if (form == "abci") return fmt::format("r{}, r{}, r{}, {}", in.a, in.b, in.c, in.imm);
  if (form == "abcs") return fmt::format("r{}, r{}, r{}, r{}", in.a, in.b, in.c, in.imm);
  if (form == "w") return fmt::format("{:#x}", static_cast<uint64_t>(in.wide));
  if (form == "abi") return fmt::format("r{}, r{}, {}", in.a, in.b, in.imm);
  if (form == "aw") return fmt::format("r{}, {}", in.a, in.wide);
  if (form == "j") return fmt::format("-> {}", at + in.imm);
  if (form == "aj") return fmt::format("r{} -> {}", in.a, at + in.imm);
  if (form == "abj") return fmt::format("r{}, r{} -> {}", in.a, in.b, at + in.imm);
  if (form == "abcj") return fmt::format("r{}, r{}, r{} -> {}", in.a, in.b, in.c, at + in.imm);
  if (form == "akj") return fmt::format("r{}, {} -> {}", in.a, in.k, at + in.target);
  if (form == "call") return fmt::format("{} at r{}", p.functions[static_cast<size_t>(in.imm)].name, in.a);
  if (form == "op") return site_text(p, in);
  if (form == "object") {
    const ObjectDecl& decl = p.object_decls[static_cast<size_t>(in.imm)];
    return fmt::format("r{} = object {} {} {}", in.a, in.b, to_string(decl.type), decl.name);
  }
  if (form == "text") return text_of(p, in.imm);
  return {};
}

}  // namespace

std::string_view to_string(Op op) { return kNames[static_cast<size_t>(op)]; }

std::string disassemble(const Program& program) {
  std::string out = fmt::format("kernel {} {}{}\n", program.kernel().name, ir::to_string(program.kernel_type),
                                program.lockstep ? " lockstep" : "");
  for (const KernelParam& param : program.params)
    out += param.leaves.empty()
               ? fmt::format("  argument {} {} r{}\n", param.name, to_string(param.type), param.slot)
               : fmt::format("  argument {} struct of {} bytes r{} to r{}\n", param.name, param.bytes,
                             param.slot, param.slot + param.leaves.size() - 1);
  const std::vector<Instr>& code = program.code[0];
  for (const FunctionCode& f : program.functions) {
    out += fmt::format("\n{}: {} slots, {} with its callees\n", f.name, f.slots, f.stack);
    for (uint32_t at = f.first; at < f.end; at++) {
      const Loc& loc = program.locs[program.locs_of[at]];
      std::string line = fmt::format("{:5}  {:<10} {}", at, kNames[static_cast<size_t>(code[at].op)],
                                     operands_text(program, code[at], at));
      if (loc.valid())
        line += fmt::format("{:>{}}; line {}", "", line.size() < 60 ? 60 - line.size() : 1, loc.line + 1);
      out += line + "\n";
    }
  }
  return out;
}

}  // namespace asc::sim
