// SPDX-License-Identifier: Apache-2.0
// From simulated addresses to bytes: the only way to memory. Bounds are checked in every mode; what `check`
// adds is compiled away in `fast`. A null result means: skip the op, the finding is made.
#pragma once

#include "sim/handlers.h"
#include "sim/memory.h"

namespace asc::sim {

enum class Access : uint8_t { Read, Write, ReadWrite };

// ---- what went wrong (checks.cpp) ----
void report_no_address(Core& core, const CallSite& site, int operand, uint64_t address);
void report_local_outside_memory(Core& core, const CallSite& site, int operand, Space space, int64_t begin,
                                 int64_t bytes);
void report_local_outside_tensor(Core& core, const CallSite& site, int operand, const Tensor& tensor,
                                 DType elem, int64_t bytes, Access access);
void report_missing_memory(Core& core, const CallSite& site, int operand, Space space);
void report_used_after_free(Core& core, const CallSite& site, int operand, const Tensor& tensor);
void report_gm_outside(Core& core, const CallSite& site, uint32_t group, int64_t begin, int64_t bytes,
                       DType elem, bool write);
bool report_read_only(Core& core, const CallSite& site, uint32_t group, int64_t begin, int64_t bytes);
void check_operand(Core& core, const CallSite& site, int operand, Space space, int64_t offset, DType elem);
std::string operand_name(const CallSite& site, int operand);

// Does the op take this operand from that memory?
inline bool reaches(const CallSite& site, int operand, Space space) {
  if (operand == 0) return true;
  const uint8_t spaces = site.proto->params[static_cast<size_t>(operand - 1)].spaces;
  return spaces == 0 || (spaces >> static_cast<int>(space) & 1) != 0;
}

// Every access passes here, with the bytes that it really touches: the place for checks of data and races.
template <Mode M>
inline void note_access(Core& core, const CallSite&, Space space, uint64_t address, int64_t bytes,
                        Access access) {
  if (space != Space::GM || !core.gm_log) return;
  const Place place = place_of(address);
  const auto group = static_cast<uint32_t>(place.owner - kFirstGlobalOwner);
  if (access != Access::Write) core.gm_log->note(group, place.offset, place.offset + bytes, false);
  if (access != Access::Read) core.gm_log->note(group, place.offset, place.offset + bytes, true);
}

// `bytes` of a local tensor from its start.
template <Mode M>
inline uint8_t* local_bytes(Core& core, const CallSite& site, int operand, const Tensor& tensor, DType elem,
                            int64_t bytes, Access access) {
  const Place place = place_of(tensor.address);
  if (place.owner - 1 >= kSpaceCount - 1u) [[unlikely]] {
    report_no_address(core, site, operand, tensor.address);
    return nullptr;
  }
  Bank& bank = core.banks[place.owner];
  const Space space = static_cast<Space>(place.owner);
  if (!bank.base) [[unlikely]] {
    report_missing_memory(core, site, operand, space);
    return nullptr;
  }
  if constexpr (M == Mode::Check) {
    if (!site.any_alignment &&
        ((place.offset & core.align_mask[place.owner]) != 0 || !reaches(site, operand, space))) [[unlikely]]
      check_operand(core, site, operand, space, place.offset, elem);
    if (bytes > tensor.length() * size_of(elem)) [[unlikely]]
      report_local_outside_tensor(core, site, operand, tensor, elem, bytes, access);
    if (tensor.buffer() != 0 && core.buffers[tensor.buffer() - 1].state == Buffer::State::Free) [[unlikely]]
      report_used_after_free(core, site, operand, tensor);
  }
  if (place.offset < 0 || place.offset + bytes > bank.bytes) [[unlikely]] {
    report_local_outside_memory(core, site, operand, space, place.offset, bytes);
    return nullptr;
  }
  note_access<M>(core, site, space, tensor.address, bytes, access);
  if (access != Access::Read) {
    const uint32_t end = static_cast<uint32_t>(place.offset + bytes);
    if (end > bank.dirty) bank.dirty = end;
  }
  return bank.base + place.offset;
}

// A stretch of global memory: `at` is where its first byte would be; only [begin, end) of it exists.
struct GlobalBytes {
  uint8_t* at = nullptr;
  int64_t begin = 0, end = 0;
  bool whole(int64_t bytes) const { return begin == 0 && end == bytes; }
};

template <Mode M>
inline GlobalBytes global_bytes(Core& core, const CallSite& site, int operand, uint64_t address, DType elem,
                                int64_t bytes, Access access) {
  const Place place = place_of(address);
  const GlobalMemory& gm = core.launch->gm;
  const uint64_t index = place.owner - kFirstGlobalOwner;
  if (index >= gm.groups.size()) [[unlikely]] {
    report_no_address(core, site, operand, address);
    return {};
  }
  const GlobalGroup& group = gm.groups[index];
  if constexpr (M == Mode::Check) {
    if ((place.offset & (size_of(elem) - 1)) != 0) [[unlikely]]
      check_operand(core, site, operand, Space::GM, place.offset, elem);
  }
  const bool write = access != Access::Read;
  GlobalBytes out{group.base, 0, bytes};
  if (place.offset < 0 || place.offset + bytes > group.bytes) [[unlikely]] {
    const GlobalGroup::Part own = group.part_of(core.block);
    if (place.offset < own.begin || place.offset + bytes > own.end) {
      report_gm_outside(core, site, static_cast<uint32_t>(index), place.offset, bytes, elem, write);
      out.begin = place.offset < own.begin ? own.begin - place.offset : 0;
      out.end = own.end - place.offset < bytes ? own.end - place.offset : bytes;
      if (out.end <= out.begin) return {nullptr, 0, 0};
    }
  }
  if (write && group.read_only) [[unlikely]] {
    if (report_read_only(core, site, static_cast<uint32_t>(index), place.offset, bytes))
      return {nullptr, 0, 0};
  }
  note_access<M>(core, site, Space::GM, address + static_cast<uint64_t>(out.begin), out.end - out.begin,
                 access);
  // `at` alone may lie outside the argument: it is used from `begin` on only.
  out.at = reinterpret_cast<uint8_t*>(reinterpret_cast<uintptr_t>(group.base) +
                                      static_cast<uintptr_t>(place.offset));
  return out;
}

// ---- scalar accesses that are nothing special ----
// False for all that needs a second look: a call of the op then takes it. The scalar unit reaches UB and
// global memory; an address of any other owner, or with a negative offset, lies beyond them.

template <Mode M>
inline bool quick_local(Core& core, const CallSite& site, const uint64_t* slots, uint64_t index,
                        uint64_t bytes, Access access, uint8_t** out) {
  const Tensor tensor{slots[0], slots[1]};
  if constexpr (M == Mode::Check) {
    if (index >= static_cast<uint64_t>(tensor.length())) [[unlikely]]
      return false;
    if (tensor.buffer() != 0 && core.buffers[tensor.buffer() - 1].state == Buffer::State::Free) [[unlikely]]
      return false;
  }
  Bank& ub = core.banks[static_cast<int>(Space::UB)];  // of no bytes on a cube core
  const uint64_t first = tensor.address - make_address(static_cast<uint32_t>(Space::UB), 0);
  if (first > ub.bytes || index >= (ub.bytes - first) / bytes) [[unlikely]]
    return false;
  const uint64_t begin = first + index * bytes, end = begin + bytes;
  note_access<M>(core, site, Space::UB, tensor.address + index * bytes, static_cast<int64_t>(bytes), access);
  if (access != Access::Read && end > ub.dirty) ub.dirty = static_cast<uint32_t>(end);
  *out = ub.base + begin;
  return true;
}

inline constexpr uint64_t kMaxQuickIndex = uint64_t{1} << 40;  // times a size and plus an offset: no overflow

template <Mode M>
inline bool quick_global(Core& core, const CallSite& site, const uint64_t* slots, uint64_t index,
                         uint64_t bytes, Access access, uint8_t** out) {
  const uint64_t address = slots[0], owner = (address >> 48) - kOwnerBase - kFirstGlobalOwner;
  const std::vector<GlobalGroup>& groups = core.launch->gm.groups;
  if (owner >= groups.size() || index >= kMaxQuickIndex) [[unlikely]]
    return false;
  const GlobalGroup& group = groups[owner];
  const uint64_t begin = (address & kOffsetMask) + index * bytes;
  if (begin + bytes > static_cast<uint64_t>(group.bytes)) [[unlikely]] {
    if (!group.stride) return false;
    const uint64_t own = static_cast<uint64_t>(group.area->bytes);
    const uint64_t first = begin - static_cast<uint64_t>(group.stride * core.block);  // huge: before it
    if (first >= own || first + bytes > own) return false;
  }
  if constexpr (M == Mode::Check) {
    if ((begin & (bytes - 1)) != 0) [[unlikely]]
      return false;
  }
  if (access != Access::Read && group.read_only) [[unlikely]]
    return false;
  note_access<M>(core, site, Space::GM, address + index * bytes, static_cast<int64_t>(bytes), access);
  *out = group.base + begin;
  return true;
}

// Not on this type of core: the device skips it. A finding where no core of the launch could do it.
template <Mode M>
inline bool runs_here(Core& core, const CallSite& site) {
  if ((static_cast<uint8_t>(site.cores) & core.core_bit()) != 0) [[likely]]
    return true;
  if constexpr (M == Mode::Check)
    core.log.add(check_core(op_desc(site.op).py_name, site.cores, core.launch->cores()), core.here(),
                 op_name(site));
  return false;
}

}  // namespace asc::sim
