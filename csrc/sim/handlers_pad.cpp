// SPDX-License-Identifier: Apache-2.0
// data_copy_pad: blocks of any number of bytes between global memory and UB, where each fills whole 32-byte
// blocks.
#include <algorithm>

#include "base/half.h"
#include "sim/access.h"

namespace asc::sim {

namespace {

// Fields of the parameter structs, in the order of their rows in ops/structs.def; DataCopyParams and
// DataCopyExtParams begin alike, as do the two of the padding.
enum CopyField { kBlockCount, kBlockLen, kSrcStride, kDstStride };
enum PadField { kIsPad, kLeftPadding, kRightPadding, kPaddingValue };

int64_t whole_blocks(int64_t bytes) { return (bytes + kBlockBytes - 1) / kBlockBytes * kBlockBytes; }

PadCopy read_params(const uint64_t* copy, const uint64_t* pad) {
  return {static_cast<int64_t>(copy[kBlockCount]), static_cast<int64_t>(copy[kBlockLen]),
          pad ? static_cast<int64_t>(pad[kLeftPadding]) : 0,
          pad ? static_cast<int64_t>(pad[kRightPadding]) : 0};
}

template <Mode M>
bool runs(Core& core, const CallSite& site, const PadCopy& copy) {
  if (!runs_here<M>(core, site)) return false;
  if constexpr (M == Mode::Check)
    core.log.add(check_pad_copy(op_desc(site.op).py_name, site.vars[0], copy), core.here(), op_name(site),
                 to_string(site.pipe));
  return copy.blocks > 0 && copy.bytes > 0;
}

// An element's bytes: the extended struct has a value of the element's type, the short one its bits.
void element_bytes(const CallSite& site, uint64_t slot, uint8_t* out) {
  const DType elem = site.vars[0];
  if (site.overload == 0 && is_float(elem) && elem != DType::F64) {
    const float value = __builtin_bit_cast(float, static_cast<uint32_t>(slot));
    if (elem == DType::F16) {
      const half_t half(value);
      std::memcpy(out, &half, sizeof(half));
    } else if (elem == DType::BF16) {
      const bfloat16_t half(value);
      std::memcpy(out, &half, sizeof(half));
    } else {
      std::memcpy(out, &value, sizeof(value));
    }
    return;
  }
  std::memcpy(out, &slot, static_cast<size_t>(size_of(elem)));
}

void fill(uint8_t* at, int64_t bytes, const uint8_t* element, int64_t size) {
  for (int64_t i = 0; i < bytes; i += size)
    std::memcpy(at + i, element, static_cast<size_t>(std::min(size, bytes - i)));
}

// RULE padding (manual, DataCopyPad from GM to UB): is_pad: the value everywhere beside the data; not, and no
// padding: the data's first element behind it; not, but a padding: anything.
template <Mode M>
OpStatus pad_in(Core& core, const CallSite& site, uint64_t* frame, uint64_t*) {
  const Operands args(core, site, frame);
  const uint64_t *params = args.fields(3), *pad = args.fields(4);
  const PadCopy copy = read_params(params, pad);
  if (!runs<M>(core, site, copy)) return OpStatus::Done;
  const DType elem = site.vars[0];
  const int64_t size = std::max(1, size_of(elem));
  const int64_t left = copy.left * size, used = left + copy.bytes + copy.right * size,
                block = whole_blocks(used);
  const int64_t step = block + static_cast<int64_t>(params[kDstStride]) * kBlockBytes;
  const int64_t gap = static_cast<int64_t>(params[kSrcStride]);
  uint8_t* dst =
      local_bytes<M>(core, site, 1, args.tensor(1), elem, (copy.blocks - 1) * step + block, Access::Write);
  for (int64_t i = 0; i < copy.blocks; i++) {
    const uint64_t at = move_address(args.tensor(2).address, i * (copy.bytes + gap), 1);
    const GlobalBytes from = global_bytes<M>(core, site, 2, at, elem, copy.bytes, Access::Read);
    if (!dst) continue;
    uint8_t* to = dst + i * step;
    fill_poison(to, static_cast<size_t>(block));
    if (from.at)
      std::memcpy(to + left + from.begin, from.at + from.begin, static_cast<size_t>(from.end - from.begin));
    uint8_t element[8];
    if (pad[kIsPad] != 0) {
      element_bytes(site, pad[kPaddingValue], element);
      fill(to, left, element, size);
      fill(to + left + copy.bytes, block - left - copy.bytes, element, size);
    } else if (copy.left == 0 && copy.right == 0) {
      std::memcpy(element, to, static_cast<size_t>(size));
      fill(to + copy.bytes, block - copy.bytes, element, size);
    }
  }
  return OpStatus::Done;
}

template <Mode M>
OpStatus pad_out(Core& core, const CallSite& site, uint64_t* frame, uint64_t*) {
  const Operands args(core, site, frame);
  const uint64_t* params = args.fields(3);
  const PadCopy copy = read_params(params, nullptr);
  if (!runs<M>(core, site, copy)) return OpStatus::Done;
  const DType elem = site.vars[0];
  const int64_t step = whole_blocks(copy.bytes) + static_cast<int64_t>(params[kSrcStride]) * kBlockBytes;
  const int64_t gap = static_cast<int64_t>(params[kDstStride]);
  const uint8_t* src = local_bytes<M>(core, site, 2, args.tensor(2), elem,
                                      (copy.blocks - 1) * step + copy.bytes, Access::Read);
  for (int64_t i = 0; i < copy.blocks; i++) {
    const uint64_t at = move_address(args.tensor(1).address, i * (copy.bytes + gap), 1);
    const GlobalBytes to = global_bytes<M>(core, site, 1, at, elem, copy.bytes, Access::Write);
    if (src && to.at)
      std::memcpy(to.at + to.begin, src + i * step + to.begin, static_cast<size_t>(to.end - to.begin));
  }
  return OpStatus::Done;
}

}  // namespace

bool bind_pad_copy(CallSite* site) {
  if (site->op != OpId::DataCopyPad) return false;
  const bool in = site->proto->params[1].type.form == TypePattern::Form::GlobalTensor;
  site->fn[static_cast<int>(Mode::Check)] = in ? pad_in<Mode::Check> : pad_out<Mode::Check>;
  site->fn[static_cast<int>(Mode::Fast)] = in ? pad_in<Mode::Fast> : pad_out<Mode::Fast>;
  return true;
}

}  // namespace asc::sim
