// SPDX-License-Identifier: Apache-2.0
// Assembler: calls of helpers and of op-table rows.
#include <bit>

#include "ir/builder.h"
#include "ir/scalar.h"
#include "sim/assemble.h"

namespace asc::sim {

namespace {

// An integer operand that says where: its value is taken as it is, so that a bounds finding tells the true
// offset (a plain conversion to the parameter's unsigned type would hide a negative one).
bool takes_raw_offset(Family family) {
  return family == Family::View || family == Family::Access || family == Family::Operator;
}

const ir::Expr* without_int_casts(const ir::Expr* e) {
  while (const auto* c = ir::as<ir::Cast>(e)) {
    const Type& from = c->operand->type;
    if (c->is_explicit || !from.is_scalar() || !is_int(from.elem) || !e->type.is_scalar() ||
        !is_int(e->type.elem))
      break;
    e = c->operand;
  }
  return e;
}

// The instruction that does a scalar access by the short way; CallOp for dtypes that have none.
Op access_op(OpId op, DType elem) {
  const bool wide = size_of(elem) == 8, is_word = size_of(elem) == 4;
  if (!wide && !is_word) return Op::CallOp;
  switch (op) {
    case OpId::LocalTensor_GetValue:
      return wide ? Op::GetLocal64 : elem == DType::I32 ? Op::GetLocalI32 : Op::GetLocalU32;
    case OpId::GlobalTensor_GetValue:
      return wide ? Op::GetGlobal64 : elem == DType::I32 ? Op::GetGlobalI32 : Op::GetGlobalU32;
    case OpId::LocalTensor_SetValue: return wide ? Op::SetLocal64 : Op::SetLocal32;
    case OpId::GlobalTensor_SetValue: return wide ? Op::SetGlobal64 : Op::SetGlobal32;
    default: return Op::CallOp;
  }
}

}  // namespace

FunctionAssembler::Slot FunctionAssembler::call(const ir::Function& callee, std::span<ir::Expr* const> args,
                                                const Loc& loc) {
  if (callee.params.size() != args.size()) ASC_BUG("a call with the wrong number of arguments");
  const FunctionCode& code = b_.program.functions.at(callee.id);
  // References first: what they point to must lie below the callee's frame.
  std::vector<int> pointers(args.size(), -1);
  for (size_t i = 0; i < args.size(); i++) {
    const ir::Var& param = *callee.params[i];
    const bool is_struct = param.type.kind == Kind::Struct;
    if (!is_struct && !(param.by_ref && !param.type.is_object())) continue;
    if (is_struct) {
      pointers[i] = expr(args[i]);
      continue;
    }
    const auto* ref = ir::as<ir::VarRef>(args[i]);
    if (ref && is_reference(*ref->var)) {
      pointers[i] = slot_of_.at(ref->var->id);
      continue;
    }
    const int slot = ref ? slot_of_.at(ref->var->id) : expr(args[i]);
    pointers[i] = temp();
    emit(Op::AddrOf, pointers[i], slot);
  }
  int slots = 0;
  for (const ir::Var* p : callee.params) slots += p->type.is_tensor() && !p->by_ref ? 2 : 1;
  int results = 0;
  for (const Type& t : callee.results) results += width(t);
  const Slot window = temp(std::max(slots, results));
  int to = window;
  for (size_t i = 0; i < args.size(); i++) {
    if (pointers[i] >= 0) {
      emit(Op::Mov, to++, pointers[i]);
      continue;
    }
    move(callee.params[i]->type, to, expr(args[i], to));
    to += width(callee.params[i]->type);
  }
  if (loc.valid()) loc_ = loc;
  emit(Op::Call, window, 0, 0, static_cast<int32_t>(callee.id));
  stack_below_ = std::max(stack_below_, window + code.stack);
  depth_below_ = std::max(depth_below_, code.depth);
  objects_below_ = std::max(objects_below_, code.object_stack);
  return window;
}

FunctionAssembler::Slot FunctionAssembler::new_object(const Type& type, int want, const Loc& loc) {
  if (loc.valid()) loc_ = loc;
  const Slot to = target(want);
  emit(Op::NewObject, to, static_cast<int>(objects_++), 0,
       static_cast<int32_t>(b_.object_decl(type, naming_ ? naming_->name : "")));
  return to;
}

// A struct in slots of its own; the value is a pointer to them.
FunctionAssembler::Slot FunctionAssembler::construct_struct(const ir::OpCall& e) {
  const int fields = width(e.type);
  const Slot first = temp(fields);
  const OverloadDesc& proto = e.proto();
  // Parameters are fields, in their order, behind the dtype of a template.
  const size_t skipped = proto.params.size() - static_cast<size_t>(fields);
  for (int i = 0; i < fields; i++) {
    const ParamDesc& param = proto.params.at(static_cast<size_t>(i) + skipped);
    const ir::Expr* arg = e.args[static_cast<size_t>(i) + skipped];
    const DType field = param.type.var >= 0 ? e.vars[param.type.var] : param.type.dtype;
    if (e.op == OpId::Struct_MmadParams && param.name == "cmatrix_source" && arg) {
      const auto* c = ir::as<ir::Const>(arg);
      if (!c || c->bits != 0) unsupported(e.loc, "mmad that starts from the bias table (cmatrix_source)");
    }
    if (!arg) {
      emit_wide(Op::Const, first + i, static_cast<int64_t>(param.default_value));
      continue;
    }
    Slot value = expr(arg, first + i);
    if (arg->type.is_scalar()) value = convert(value, arg->type.elem, field, false, arg->loc, first + i);
    move(Type::scalar(DType::I64), first + i, value);
  }
  const Slot to = temp();
  emit(Op::AddrOf, to, first);
  return to;
}

uint16_t FunctionAssembler::default_operand(const ParamDesc& param, const ir::OpCall& e) {
  using Form = TypePattern::Form;
  const TypePattern& pattern = param.type;
  if (pattern.form != Form::Scalar && pattern.form != Form::Var && pattern.form != Form::Enum)
    return kNoOperand;
  const DType type = pattern.form == Form::Var ? e.vars[pattern.var] : pattern.dtype;
  uint64_t bits = 0;
  if (pattern.form != Form::Enum && is_float(type)) {
    bits = type == DType::F64
               ? std::bit_cast<uint64_t>(param.default_value)
               : std::bit_cast<uint32_t>(static_cast<float>(ir::round_to(type, param.default_value)));
  } else {
    bits = static_cast<uint64_t>(static_cast<int64_t>(param.default_value));
  }
  const uint16_t pooled = b_.pool_operand(bits);
  return pooled != kNoOperand ? pooled : this->bits(bits);
}

uint16_t FunctionAssembler::operand(const ir::Expr* arg, const TypePattern& pattern, const ir::OpCall& e) {
  using Form = TypePattern::Form;
  if (pattern.form == Form::DTypeOf || pattern.form == Form::Str) return kNoOperand;
  const bool raw = pattern.form == Form::Scalar && takes_raw_offset(e.desc().family) && is_int(pattern.dtype);
  if (raw) arg = without_int_casts(arg);
  const bool scalar = pattern.form == Form::Scalar || pattern.form == Form::Var;
  const DType to = pattern.form == Form::Var ? e.vars[pattern.var] : pattern.dtype;
  if (const auto* c = ir::as<ir::Const>(arg)) {
    // Converted now where that has a value; else at run time, where it is a finding.
    DType type = c->type.is_scalar() ? c->type.elem : DType::I64;
    std::optional<int64_t> value = c->bits;
    if (scalar && !raw && c->type.is_scalar() && to != DType::Void && type != to) {
      value = ir::fold_cast(to, type, c->bits, false);
      type = to;
    }
    if (value && is_float(type) && type != DType::F64)
      value = std::bit_cast<uint32_t>(static_cast<float>(ir::round_to(type, std::bit_cast<double>(*value))));
    const uint16_t pooled = value ? b_.pool_operand(static_cast<uint64_t>(*value)) : kNoOperand;
    if (pooled != kNoOperand) return pooled;
  }
  const Slot slot = expr(arg);
  if (!scalar || raw || !arg->type.is_scalar() || to == DType::Void) return slot;
  return convert(slot, arg->type.elem, to, false, arg->loc, kAny);
}

// Position and depth of a queue or TBuf: its variable's type says them, else the constructor's arguments.
Type FunctionAssembler::constructed_type(const ir::OpCall& e) const {
  Type type = naming_ && naming_->type.kind == e.type.kind ? naming_->type : e.type;
  if (type.kind == Kind::TPipe || type.position != 0) return type;
  const OverloadDesc& proto = e.proto();
  for (size_t i = 0; i < proto.params.size(); i++) {
    const auto* c = i < e.args.size() ? ir::as<ir::Const>(e.args[i]) : nullptr;
    const int64_t value = c ? c->bits : static_cast<int64_t>(proto.params[i].default_value);
    if (proto.params[i].name == "pos") type.position = static_cast<uint8_t>(value);
    if (proto.params[i].name == "depth") type.id = static_cast<uint16_t>(value);
  }
  return type;
}

// The call of the last site, whose operands these are.
void FunctionAssembler::emit_op(const CallSite& site, const std::vector<uint16_t>& operands, Slot to) {
  const auto index = static_cast<int32_t>(b_.program.sites.size() - 1);
  const Op op = access_op(site.op, site.vars[0]);
  if (op == Op::CallOp) {
    emit(op, to, 0, 0, index);
    return;
  }
  auto slot = [this](uint16_t code) {
    return (code & kPoolOperand) != 0 ? bits(b_.program.pool[code & ~kPoolOperand]) : code;
  };
  const Slot element = slot(operands[1]);
  const bool sets = operands.size() > 2;
  emit(op, sets ? slot(operands[2]) : to, operands[0], element, index);
}

FunctionAssembler::Slot FunctionAssembler::op_call(const ir::OpCall& e, int want) {
  const OpDesc& desc = e.desc();
  const OverloadDesc& proto = e.proto();
  if (desc.family == Family::Construct) {
    switch (e.type.kind) {
      case Kind::TPipe:
      case Kind::TQue:
      case Kind::TBuf: return new_object(constructed_type(e), want, e.loc);
      case Kind::Struct: return construct_struct(e);
      case Kind::GlobalTensor: {
        const Slot to = target2(want);
        emit_wide(Op::Const, to, 0);
        emit_wide(Op::Const, to + 1, 0);
        return to;
      }
      default: break;
    }
  }
  CallSite site;
  site.op = e.op;
  site.overload = e.overload;
  for (int i = 0; i < 4; i++) site.vars[i] = e.vars[i];
  site.pipe = proto.pipe;
  site.cores = proto.core;
  site.proto = &proto;
  if (desc.family == Family::Access && !e.args.empty()) {
    const Type& index = without_int_casts(e.args[0])->type;
    site.unsigned_offset = index.is_scalar() && index.elem == DType::U64;
  }
  std::vector<uint16_t> operands(1 + proto.params.size(), kNoOperand);
  // Handles that the op changes and that the caller lent: read, changed, written back.
  std::vector<std::pair<Slot, Slot>> write_back;
  auto handle = [&](const ir::Expr* arg, bool changes) -> uint16_t {
    const auto* ref = ir::as<ir::VarRef>(arg);
    const Slot slot = expr(arg);
    if (changes && ref && is_reference(*ref->var) && ref->var->type.is_tensor())
      write_back.emplace_back(slot_of_.at(ref->var->id), slot);
    return slot;
  };
  const bool handles_change = desc.family == Family::Handle || desc.family == Family::Queue;
  if (e.self) operands[0] = handle(e.self, handles_change && proto.self_dir != Dir::In);
  for (size_t i = 0; i < proto.params.size(); i++) {
    const ParamDesc& param = proto.params[i];
    const ir::Expr* arg = i < e.args.size() ? e.args[i] : nullptr;
    if (!arg)
      operands[i + 1] = default_operand(param, e);
    else if (arg->type.is_tensor())
      operands[i + 1] = handle(arg, handles_change && param.dir == Dir::InOut);
    else
      operands[i + 1] = operand(arg, param.type, e);
  }
  if (e.loc.valid()) loc_ = e.loc;
  Slot to = 0;
  if (!e.type.is_void()) to = e.type.is_tensor() ? target2(want) : target(want);
  site.result = to;
  site.operand_count = static_cast<uint8_t>(operands.size());
  site.operands = static_cast<uint32_t>(b_.program.operands.size());
  b_.program.operands.insert(b_.program.operands.end(), operands.begin(), operands.end());
  b_.program.sites.push_back(site);
  emit_op(site, operands, to);
  for (const auto& [pointer, slot] : write_back) emit(Op::StoreRef2, pointer, slot);
  return to;
}

}  // namespace asc::sim
