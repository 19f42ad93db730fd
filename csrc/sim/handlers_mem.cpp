// SPDX-License-Identifier: Apache-2.0
// Tensors and memory: copies in count form, scalar access, views, construction, queries, addresses.
#include <algorithm>
#include <bit>

#include "base/format.h"
#include "base/half.h"
#include "sim/access.h"

namespace asc::sim {

namespace {

// ---- scalar access ----

template <class T>
uint64_t load_scalar(const uint8_t* from) {
  T value;
  std::memcpy(&value, from, sizeof(T));
  if constexpr (std::is_same_v<T, half_t> || std::is_same_v<T, bfloat16_t> || std::is_same_v<T, float>) {
    return std::bit_cast<uint32_t>(static_cast<float>(value));
  } else if constexpr (std::is_same_v<T, double>) {
    return std::bit_cast<uint64_t>(value);
  } else {
    return static_cast<uint64_t>(static_cast<int64_t>(value));
  }
}

template <class T>
void store_scalar(uint8_t* to, uint64_t slot) {
  T value;
  if constexpr (std::is_same_v<T, half_t> || std::is_same_v<T, bfloat16_t> || std::is_same_v<T, float>) {
    value = static_cast<T>(std::bit_cast<float>(static_cast<uint32_t>(slot)));
  } else if constexpr (std::is_same_v<T, double>) {
    value = std::bit_cast<double>(slot);
  } else {
    value = static_cast<T>(slot);
  }
  std::memcpy(to, &value, sizeof(T));
}

// A bool in memory is a byte; any bit makes it true.
struct BoolByte {
  uint8_t byte;
};
template <>
uint64_t load_scalar<BoolByte>(const uint8_t* from) {
  return *from != 0;
}
template <>
void store_scalar<BoolByte>(uint8_t* to, uint64_t slot) {
  *to = slot != 0;
}

template <Mode M, class T>
OpStatus global_get(Core& core, const CallSite& site, uint64_t* frame, uint64_t* result) {
  const Operands args(core, site, frame);
  const uint64_t address = move_address(args.tensor(0).address, args.integer(1), sizeof(T));
  const GlobalBytes from = global_bytes<M>(core, site, 0, address, site.vars[0], sizeof(T), Access::Read);
  if (from.whole(sizeof(T)) && from.at) [[likely]] {
    *result = load_scalar<T>(from.at);
  } else {
    uint8_t poison[8];
    fill_poison(poison, sizeof(poison));
    *result = load_scalar<T>(poison);
  }
  return OpStatus::Done;
}

template <Mode M, class T>
OpStatus global_set(Core& core, const CallSite& site, uint64_t* frame, uint64_t*) {
  const Operands args(core, site, frame);
  const uint64_t address = move_address(args.tensor(0).address, args.integer(1), sizeof(T));
  const GlobalBytes to = global_bytes<M>(core, site, 0, address, site.vars[0], sizeof(T), Access::Write);
  if (to.whole(sizeof(T)) && to.at) [[likely]]
    store_scalar<T>(to.at, args.bits(2));
  return OpStatus::Done;
}

// One element of a local tensor; its own bounds, since an index is no start of an operand.
template <Mode M, class T>
uint8_t* local_element(Core& core, const CallSite& site, const Operands& args, Access access) {
  const Tensor tensor = args.tensor(0);
  const int64_t index = args.integer(1);
  if constexpr (M == Mode::Check) {
    if ((index < 0 || index >= tensor.length()) && place_of(tensor.address).owner < kSpaceCount &&
        core.banks[place_of(tensor.address).owner].base) [[unlikely]] {
      if (Finding* f = core.log.add(FindingId::LocalOutsideTensor, core.here())) {
        f->op = op_name(site);
        f->pipe = "S";
        f->range_begin = place_of(move_address(tensor.address, index, sizeof(T))).offset;
        f->range_end = f->range_begin + static_cast<int64_t>(sizeof(T));
        f->message = fmt::format("{}: element {} of a tensor of {} elements", f->op, index, tensor.length());
        f->fix = "keep the index below the tensor's size";
      }
    }
  }
  Tensor one = tensor;
  one.address = move_address(tensor.address, index, sizeof(T));
  one.info = tensor.with_length(tensor.length() > 0 ? tensor.length() : 1);
  return local_bytes<M>(core, site, 0, one, site.vars[0], sizeof(T), access);
}

template <Mode M, class T>
OpStatus local_get(Core& core, const CallSite& site, uint64_t* frame, uint64_t* result) {
  const Operands args(core, site, frame);
  const uint8_t* from = local_element<M, T>(core, site, args, Access::Read);
  uint8_t poison[8];
  fill_poison(poison, sizeof(poison));
  *result = load_scalar<T>(from ? from : poison);
  return OpStatus::Done;
}

template <Mode M, class T>
OpStatus local_set(Core& core, const CallSite& site, uint64_t* frame, uint64_t*) {
  const Operands args(core, site, frame);
  if (uint8_t* to = local_element<M, T>(core, site, args, Access::Write)) store_scalar<T>(to, args.bits(2));
  return OpStatus::Done;
}

template <class T>
void bind_access(CallSite* site) {
  site->any_alignment = true;
  auto both = [site](OpFn check, OpFn fast) {
    site->fn[static_cast<int>(Mode::Check)] = check;
    site->fn[static_cast<int>(Mode::Fast)] = fast;
  };
  switch (site->op) {
    case OpId::GlobalTensor_GetValue: return both(global_get<Mode::Check, T>, global_get<Mode::Fast, T>);
    case OpId::GlobalTensor_SetValue: return both(global_set<Mode::Check, T>, global_set<Mode::Fast, T>);
    case OpId::LocalTensor_GetValue: return both(local_get<Mode::Check, T>, local_get<Mode::Fast, T>);
    default: return both(local_set<Mode::Check, T>, local_set<Mode::Fast, T>);
  }
}

bool bind_access(CallSite* site, DType type) {
  switch (type) {
    case DType::Bool: bind_access<BoolByte>(site); return true;
    case DType::I8: bind_access<int8_t>(site); return true;
    case DType::U8: bind_access<uint8_t>(site); return true;
    case DType::I16: bind_access<int16_t>(site); return true;
    case DType::U16: bind_access<uint16_t>(site); return true;
    case DType::I32: bind_access<int32_t>(site); return true;
    case DType::U32: bind_access<uint32_t>(site); return true;
    case DType::I64: bind_access<int64_t>(site); return true;
    case DType::U64: bind_access<uint64_t>(site); return true;
    case DType::F16: bind_access<half_t>(site); return true;
    case DType::BF16: bind_access<bfloat16_t>(site); return true;
    case DType::F32: bind_access<float>(site); return true;
    case DType::F64: bind_access<double>(site); return true;
    case DType::Void: break;
  }
  return false;
}

// ---- copies ----

// Bytes that a copy of `count` elements (a uint32) moves; 0: there is nothing to do here.
template <Mode M>
int64_t bytes_to_copy(Core& core, const CallSite& site, int64_t count) {
  if (!runs_here<M>(core, site)) return 0;
  const DType elem = site.vars[0];
  if constexpr (M == Mode::Check) {
    if ((count * size_of(elem)) % kBlockBytes != 0) [[unlikely]]
      core.log.add(check_copy_count("data_copy", count, elem), core.here(), op_name(site),
                   to_string(site.pipe));
  }
  return copy_bytes(count, elem);
}

template <Mode M>
OpStatus copy_in(Core& core, const CallSite& site, uint64_t* frame, uint64_t*) {
  const Operands args(core, site, frame);
  const DType elem = site.vars[0];
  const int64_t bytes = bytes_to_copy<M>(core, site, args.integer(3));
  if (bytes == 0) return OpStatus::Done;
  uint8_t* to = local_bytes<M>(core, site, 1, args.tensor(1), elem, bytes, Access::Write);
  if (!to) return OpStatus::Done;
  const GlobalBytes from = global_bytes<M>(core, site, 2, args.tensor(2).address, elem, bytes, Access::Read);
  if (from.whole(bytes) && from.at) [[likely]] {
    std::memcpy(to, from.at, static_cast<size_t>(bytes));
    return OpStatus::Done;
  }
  fill_poison(to, static_cast<size_t>(bytes));
  if (from.at) std::memcpy(to + from.begin, from.at + from.begin, static_cast<size_t>(from.end - from.begin));
  return OpStatus::Done;
}

template <Mode M>
OpStatus copy_out(Core& core, const CallSite& site, uint64_t* frame, uint64_t*) {
  const Operands args(core, site, frame);
  const DType elem = site.vars[0];
  const int64_t bytes = bytes_to_copy<M>(core, site, args.integer(3));
  if (bytes == 0) return OpStatus::Done;
  const uint8_t* from = local_bytes<M>(core, site, 2, args.tensor(2), elem, bytes, Access::Read);
  if (!from) return OpStatus::Done;
  const GlobalBytes to = global_bytes<M>(core, site, 1, args.tensor(1).address, elem, bytes, Access::Write);
  if (to.at && to.end > to.begin)
    std::memcpy(to.at + to.begin, from + to.begin, static_cast<size_t>(to.end - to.begin));
  return OpStatus::Done;
}

template <Mode M>
OpStatus copy_local(Core& core, const CallSite& site, uint64_t* frame, uint64_t*) {
  const Operands args(core, site, frame);
  const DType elem = site.vars[0];
  const int64_t bytes = bytes_to_copy<M>(core, site, args.integer(3));
  if (bytes == 0) return OpStatus::Done;
  const uint8_t* from = local_bytes<M>(core, site, 2, args.tensor(2), elem, bytes, Access::Read);
  uint8_t* to = from ? local_bytes<M>(core, site, 1, args.tensor(1), elem, bytes, Access::Write) : nullptr;
  if (to) std::memmove(to, from, static_cast<size_t>(bytes));
  return OpStatus::Done;
}

// ---- handles, views, queries: the same in every mode ----

OpStatus set_global_buffer(Core& core, const CallSite& site, uint64_t* frame, uint64_t*) {
  const Operands args(core, site, frame);
  uint64_t* self = args.variable(0);
  const int64_t size = args.integer(2);
  self[0] = args.bits(1);
  self[1] = Tensor::pack(size < 0 ? 0 : static_cast<uint64_t>(size), tposition::GM, 0);
  return OpStatus::Done;
}

OpStatus set_size(Core& core, const CallSite& site, uint64_t* frame, uint64_t*) {
  const Operands args(core, site, frame);
  uint64_t* self = args.variable(0);
  self[1] = Tensor{self[0], self[1]}.with_length(args.integer(1));
  return OpStatus::Done;
}

OpStatus subindex(Core& core, const CallSite& site, uint64_t* frame, uint64_t* result) {
  const Operands args(core, site, frame);
  const Tensor tensor = args.tensor(0);
  const int64_t offset = args.integer(1);
  const bool known = tensor.length() != 0 || site.op == OpId::LocalTensor_Subindex;
  int64_t length = 0;
  if (known && __builtin_sub_overflow(tensor.length(), offset, &length)) length = offset < 0 ? INT64_MAX : 0;
  // A part that reaches beyond its tensor keeps the tensor's end: the access is the fault, not the view.
  if (site.operand_count > 2) length = known && args.integer(2) > length ? length : args.integer(2);
  result[1] = tensor.with_length(length);
  result[0] = move_address(tensor.address, offset, size_of(site.vars[0]));
  return OpStatus::Done;
}

OpStatus reinterpret_cast_(Core& core, const CallSite& site, uint64_t* frame, uint64_t* result) {
  const Operands args(core, site, frame);
  const Tensor tensor = args.tensor(0);
  const int64_t bytes = tensor.length() * size_of(site.vars[0]);
  result[0] = tensor.address;
  result[1] = tensor.with_length(bytes / std::max(1, size_of(site.vars[1])));
  return OpStatus::Done;
}

OpStatus make_local(Core& core, const CallSite& site, uint64_t* frame, uint64_t* result) {
  const Operands args(core, site, frame);
  const int names = site.proto->params[0].type.form == TypePattern::Form::DTypeOf ? 1 : 0;
  const int64_t position = args.integer(names + 1), offset = args.integer(names + 2),
                size = args.integer(names + 3);
  const Space space = space_of_position(static_cast<int>(position));
  // A tensor beyond its memory is wrong before anything touches it.
  if (core.mode == Mode::Check && space != Space::GM)
    core.log.add(check_local_range("LocalTensor", {"the tensor", space, site.vars[0], offset},
                                   count_bytes(std::max<int64_t>(size, 0), site.vars[0]),
                                   core.launch->platform->memory_bytes[static_cast<int>(space)]),
                 core.here(), "asc.LocalTensor");
  result[0] = move_address(make_address(static_cast<uint32_t>(space), 0), offset, 1);
  result[1] = Tensor::pack(size < 0 ? 0 : static_cast<uint64_t>(size), static_cast<uint32_t>(position), 0);
  return OpStatus::Done;
}

OpStatus tensor_query(Core& core, const CallSite& site, uint64_t* frame, uint64_t* result) {
  const Operands args(core, site, frame);
  const Tensor tensor = args.tensor(0);
  const int64_t size = size_of(site.vars[0]);
  switch (site.op) {
    case OpId::GlobalTensor_GetSize:
    case OpId::LocalTensor_GetSize: *result = static_cast<uint64_t>(tensor.length()); break;
    case OpId::LocalTensor_GetLength: *result = static_cast<uint64_t>(tensor.length() * size); break;
    case OpId::LocalTensor_GetPosition: *result = static_cast<uint64_t>(tensor.position()); break;
    default: *result = move_address(tensor.address, args.integer(1), size); break;
  }
  return OpStatus::Done;
}

OpStatus core_query(Core& core, const CallSite& site, uint64_t*, uint64_t* result) {
  int64_t value = 0;
  switch (site.op) {
    case OpId::GetBlockIdx: value = core.block_idx(); break;
    case OpId::GetBlockNum: value = core.launch->grid; break;
    case OpId::GetSubBlockIdx: value = core.aic ? 0 : core.sub_block; break;
    default: value = core.aic ? 1 : core.launch->aiv_per_block; break;
  }
  *result = static_cast<uint64_t>(value);
  return OpStatus::Done;
}

OpStatus offset_pointer(Core& core, const CallSite& site, uint64_t* frame, uint64_t* result) {
  const Operands args(core, site, frame);
  const int64_t size = size_of(site.vars[0]);
  if (site.proto->params[0].type.form == TypePattern::Form::Pointer) {  // elements between two addresses
    *result = static_cast<uint64_t>(static_cast<int64_t>(args.bits(0) - args.bits(1)) / size);
    return OpStatus::Done;
  }
  *result = move_address(args.bits(0), args.integer(1), site.op == OpId::Pointer_OffsetBack ? -size : size);
  return OpStatus::Done;
}

OpStatus address_of_number(Core& core, const CallSite& site, uint64_t* frame, uint64_t* result) {
  *result = Operands(core, site, frame).bits(1);
  return OpStatus::Done;
}

void bind_all(CallSite* site, OpFn fn) {
  for (OpFn& f : site->fn) f = fn;
}

void bind_modes(CallSite* site, OpFn check, OpFn fast) {
  site->fn[static_cast<int>(Mode::Check)] = check;
  site->fn[static_cast<int>(Mode::Fast)] = fast;
}

}  // namespace

bool bind_memory(CallSite* site) {
  switch (site->op) {
    case OpId::DataCopy: {
      const bool from_gm = site->proto->params[1].type.form == TypePattern::Form::GlobalTensor;
      const bool to_gm = site->proto->params[0].type.form == TypePattern::Form::GlobalTensor;
      if (from_gm)
        bind_modes(site, copy_in<Mode::Check>, copy_in<Mode::Fast>);
      else if (to_gm)
        bind_modes(site, copy_out<Mode::Check>, copy_out<Mode::Fast>);
      else
        bind_modes(site, copy_local<Mode::Check>, copy_local<Mode::Fast>);
      return true;
    }
    case OpId::GlobalTensor_GetValue:
    case OpId::GlobalTensor_SetValue:
    case OpId::LocalTensor_GetValue:
    case OpId::LocalTensor_SetValue: return bind_access(site, site->vars[0]);
    case OpId::GlobalTensor_SetGlobalBuffer: bind_all(site, set_global_buffer); return true;
    case OpId::LocalTensor_SetSize: bind_all(site, set_size); return true;
    case OpId::GlobalTensor_Subindex:
    case OpId::LocalTensor_Subindex: bind_all(site, subindex); return true;
    case OpId::LocalTensor_ReinterpretCast: bind_all(site, reinterpret_cast_); return true;
    case OpId::LocalTensor_Init: bind_all(site, make_local); return true;
    case OpId::GlobalTensor_GetSize:
    case OpId::GlobalTensor_GetPhyAddr:
    case OpId::LocalTensor_GetSize:
    case OpId::LocalTensor_GetLength:
    case OpId::LocalTensor_GetPosition:
    case OpId::LocalTensor_GetPhyAddr: bind_all(site, tensor_query); return true;
    case OpId::GetBlockIdx:
    case OpId::GetBlockNum:
    case OpId::GetSubBlockIdx:
    case OpId::GetSubBlockNum: bind_all(site, core_query); return true;
    case OpId::Pointer_Offset:
    case OpId::Pointer_OffsetRight:
    case OpId::Pointer_OffsetBack: bind_all(site, offset_pointer); return true;
    case OpId::Pointer_Init: bind_all(site, address_of_number); return true;
    default: return false;
  }
}

}  // namespace asc::sim
