// SPDX-License-Identifier: Apache-2.0
// Struct arguments of a kernel: from the packed bytes of the host to one slot a number.
#include <bit>
#include <cstring>

#include "ir/scalar.h"
#include "sim/bytecode.h"

namespace asc::sim {

namespace {

void add_leaves(KernelParam* param, const Type& type, uint32_t offset, const ir::Module& module) {
  if (type.id < kStructCount) {  // of the device: numbers alone, one behind another
    for (const StructFieldInfo& field : struct_info(static_cast<StructId>(type.id)).fields) {
      const auto slot = static_cast<uint16_t>(param->leaves.size());
      const auto size = static_cast<uint32_t>(size_of(field.dtype));
      offset = (offset + size - 1) / size * size;
      param->leaves.push_back({offset, slot, field.dtype});
      offset += size;
    }
    param->bytes = offset;
    return;
  }
  for (const ir::StructField& field : module.structs.at(type.id - kStructCount).fields) {
    if (field.type.kind == Kind::Struct) {
      add_leaves(param, field.type, offset + field.offset, module);
      continue;
    }
    const auto slot = static_cast<uint16_t>(param->leaves.size());
    param->leaves.push_back({offset + field.offset, slot, field.type.elem});
  }
}

template <class T>
T read(const uint8_t* at) {
  T value;
  std::memcpy(&value, at, sizeof(T));
  return value;
}

// Integers are sign- or zero-extended, floats keep their bits.
uint64_t slot_value(const uint8_t* at, DType dtype) {
  switch (dtype) {
    case DType::Bool: return *at != 0;
    case DType::I8: return static_cast<uint64_t>(int64_t{read<int8_t>(at)});
    case DType::U8: return *at;
    case DType::I16: return static_cast<uint64_t>(int64_t{read<int16_t>(at)});
    case DType::U16: return read<uint16_t>(at);
    case DType::I32: return static_cast<uint64_t>(int64_t{read<int32_t>(at)});
    case DType::U32:
    case DType::F32: return read<uint32_t>(at);
    case DType::I64:
    case DType::U64:
    case DType::F64: return read<uint64_t>(at);
    default: ASC_BUG("a struct field of a type that no struct has");
  }
}

}  // namespace

void add_struct(KernelParam* param, const ir::Module& module) {
  if (param->type.id >= kStructCount) param->bytes = module.structs.at(param->type.id - kStructCount).bytes;
  add_leaves(param, param->type, 0, module);
}

bool unpack_struct(const KernelParam& param, const Argument& argument, uint64_t* slots) {
  if (!argument.data || argument.bytes != param.bytes) return false;
  for (const KernelParam::Leaf& leaf : param.leaves)
    slots[leaf.slot] = slot_value(static_cast<const uint8_t*>(argument.data) + leaf.offset, leaf.dtype);
  return true;
}

}  // namespace asc::sim
