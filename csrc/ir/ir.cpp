// SPDX-License-Identifier: Apache-2.0
// Storage of the IR (arena, blocks), names of its enums, and the effect of functions.
#include "ir/ir.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <utility>

#include "ir/visit.h"

namespace asc::ir {

void* Arena::allocate_slow(size_t bytes, size_t align) {
  // Most kernels fit one block of 16 KiB; later blocks double up to 256 KiB.
  const size_t usual = size_t{16384} << std::min<size_t>(blocks_.size(), 4);
  const size_t size = std::max(usual, bytes + align);
  blocks_.emplace_back(new std::byte[size]);
  at_ = blocks_.back().get();
  end_ = at_ + size;
  return allocate(bytes, align);
}

std::string_view Arena::copy(std::string_view text) {
  if (text.empty()) return {};
  char* to = static_cast<char*>(allocate(text.size(), 1));
  std::memcpy(to, text.data(), text.size());
  return {to, text.size()};
}

double Const::as_double() const {
  if (is_float()) return std::bit_cast<double>(bits);
  const bool is_unsigned = type.is_scalar() && is_unsigned_int(type.elem);
  return is_unsigned ? static_cast<double>(static_cast<uint64_t>(bits)) : static_cast<double>(bits);
}

Block* Module::make_block() {
  blocks.push_back(std::make_unique<Block>());
  return blocks.back().get();
}

namespace {

constexpr std::string_view kKernelTypes[] = {"Auto",        "AIV_ONLY",    "AIC_ONLY",   "MIX_AIC_1_1",
                                             "MIX_AIC_1_2", "MIX_AIV_1_0", "MIX_AIC_1_0"};
constexpr std::string_view kUnaryNames[] = {"-", "~", "not", "abs"};
constexpr std::string_view kBinaryNames[] = {"+",  "-", "*", "/", "//", "%",  "**", "min", "max", "<<",
                                             ">>", "&", "|", "^", "<",  "<=", ">",  ">=",  "==",  "!="};
constexpr std::string_view kLogicalNames[] = {"and", "or"};
constexpr std::string_view kEffectNames[] = {"pure", "read", "write", "block"};
static_assert(std::size(kBinaryNames) == static_cast<size_t>(BinaryOp::Ne) + 1);

// The module's own struct that a type names, or null.
const StructDesc* own_struct(const Module& module, const Type& type) {
  const size_t index = static_cast<size_t>(type.id) - kStructCount;  // huge for a device struct
  return type.kind == Kind::Struct && index < module.structs.size() ? &module.structs[index] : nullptr;
}
const StructInfo* device_struct(const Type& type) {
  if (type.kind != Kind::Struct || type.id >= kStructCount) return nullptr;
  return &struct_info(static_cast<StructId>(type.id));
}

Effect statement_effect(const Stmt& s) {
  switch (s.kind) {
    case StmtKind::Assign: return static_cast<const Assign&>(s).var->by_ref ? Effect::Write : Effect::Pure;
    case StmtKind::CallAssign: {
      const auto& call = static_cast<const CallAssign&>(s);
      Effect effect = call.callee->effect;
      for (const Var* result : call.results)
        if (result && result->by_ref) effect = std::max(effect, Effect::Write);
      return effect;
    }
    case StmtKind::SetField:
    case StmtKind::Assert:
    case StmtKind::Print: return Effect::Write;
    default: return Effect::Pure;
  }
}

}  // namespace

std::string_view to_string(KernelType type) { return kKernelTypes[static_cast<int>(type)]; }
std::string_view to_string(UnaryOp op) { return kUnaryNames[static_cast<int>(op)]; }
std::string_view to_string(BinaryOp op) { return kBinaryNames[static_cast<int>(op)]; }
std::string_view to_string(LogicalOp op) { return kLogicalNames[static_cast<int>(op)]; }
std::string_view to_string(Effect effect) { return kEffectNames[static_cast<int>(effect)]; }

bool parse_kernel_type(std::string_view name, KernelType* out) {
  const auto* found = std::find(std::begin(kKernelTypes), std::end(kKernelTypes), name);
  if (found == std::end(kKernelTypes)) return false;
  *out = static_cast<KernelType>(found - kKernelTypes);
  return true;
}

size_t field_count(const Module& module, const Type& object) {
  if (const StructInfo* info = device_struct(object)) return info->fields.size();
  const StructDesc* desc = own_struct(module, object);
  return desc ? desc->fields.size() : 0;
}

Type field_type(const Module& module, const Type& object, size_t index) {
  if (index >= field_count(module, object)) return {};
  if (const StructInfo* info = device_struct(object)) {
    const DType dtype = info->fields[index].dtype;
    return Type::scalar(dtype == DType::Void ? object.elem : dtype);
  }
  return own_struct(module, object)->fields[index].type;
}

std::string_view field_name(const Module& module, const Type& object, size_t index) {
  if (index >= field_count(module, object)) return {};
  if (const StructInfo* info = device_struct(object)) return info->fields[index].py_name;
  return own_struct(module, object)->fields[index].name;
}

Effect own_effect(const Expr& expr) {
  if (expr.kind == ExprKind::OpCall) return static_cast<const OpCall&>(expr).desc().effect;
  if (expr.kind == ExprKind::Call) return static_cast<const Call&>(expr).callee->effect;
  return Effect::Pure;
}

Effect effect_of(const Function& function) {
  Effect effect = Effect::Pure;
  if (!function.body) return Effect::Block;
  walk(static_cast<const Block*>(function.body), [&effect](const Stmt* s) {
    effect = std::max(effect, statement_effect(*s));
    for_each_expr(s, [&effect](const Expr* e) { effect = std::max(effect, e->effect); });
  });
  return effect;
}

}  // namespace asc::ir
