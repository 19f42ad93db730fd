// SPDX-License-Identifier: Apache-2.0
// Platforms, the table of findings, device limits and footprints.
#include "ops/limits.h"

#include <algorithm>

#include "base/format.h"

namespace asc {
namespace {

constexpr FindingInfo kFindings[] = {
#define ASC_FINDING(Name, id, kind, severity, text) {id, #kind, Severity::severity, text},
#include "ops/finding_ids.def"
};

constexpr bool ids_are_distinct() {
  for (size_t i = 0; i < std::size(kFindings); i++)
    for (size_t j = 0; j < i; j++)
      if (kFindings[i].id == kFindings[j].id) return false;
  return true;
}
static_assert(ids_are_distinct(), "finding_ids.def: an id stands twice");

// Memory sizes are those of the architecture, the same on all of its platforms.
constexpr uint32_t kKiB = 1024;
#define ASC_PLATFORM(name, aic, aiv)                                                                    \
  {                                                                                                     \
    name, aic, aiv, { 0, 192 * kKiB, 512 * kKiB, 64 * kKiB, 64 * kKiB, 128 * kKiB, 1 * kKiB, 2 * kKiB } \
  }
constexpr PlatformDesc kPlatforms[] = {
    ASC_PLATFORM("Ascend910B1", 24, 48),    ASC_PLATFORM("Ascend910B2", 24, 48),
    ASC_PLATFORM("Ascend910B2C", 24, 48),   ASC_PLATFORM("Ascend910B3", 20, 40),
    ASC_PLATFORM("Ascend910B4", 20, 40),    ASC_PLATFORM("Ascend910B4-1", 20, 40),
    ASC_PLATFORM("Ascend910_9362", 20, 40), ASC_PLATFORM("Ascend910_9372", 20, 40),
    ASC_PLATFORM("Ascend910_9381", 24, 48), ASC_PLATFORM("Ascend910_9382", 24, 48),
    ASC_PLATFORM("Ascend910_9391", 24, 48), ASC_PLATFORM("Ascend910_9392", 24, 48),
};
#undef ASC_PLATFORM

LimitViolation violation(FindingId id, std::string message, std::string fix) {
  return {id, std::move(message), std::move(fix)};
}

std::string_view core_name(CoreSet core) {
  return core == CoreSet::AIC ? "cube core (AIC)" : core == CoreSet::AIV ? "vector core (AIV)" : "core";
}

std::string space_list(uint8_t spaces) {
  std::string out;
  for (int s = 0; s < kSpaceCount; s++)
    if (spaces >> s & 1) {
      if (!out.empty()) out += " or ";
      out += to_string(static_cast<Space>(s));
    }
  return out;
}

int64_t round_up(int64_t value, int64_t to) { return (value + to - 1) / to * to; }
int64_t ceil_div(int64_t value, int64_t by) { return (value + by - 1) / by; }

}  // namespace

const FindingInfo& finding_info(FindingId id) { return kFindings[static_cast<int>(id)]; }
std::span<const FindingInfo> finding_table() { return kFindings; }
const FindingInfo* find_finding(std::string_view id) {
  for (const FindingInfo& f : kFindings)
    if (f.id == id) return &f;
  return nullptr;
}

std::span<const PlatformDesc> platforms() { return kPlatforms; }
const PlatformDesc* find_platform(std::string_view name) {
  for (const PlatformDesc& p : kPlatforms)
    if (p.name == name) return &p;
  return nullptr;
}

// General constraints of the programming guide, address alignment by memory.
uint32_t start_alignment(Space space) {
  switch (space) {
    case Space::GM: return 1;
    case Space::UB:
    case Space::L1: return 32;
    case Space::L0A:
    case Space::L0B: return 512;
    case Space::L0C:
    case Space::BT:
    case Space::FB: return 64;
  }
  return 1;
}

Verdict check_copy_count(std::string_view op, int64_t count, DType elem) {
  const int64_t bytes = count_bytes(count, elem);
  if (bytes <= 0 || bytes % kBlockBytes == 0) return std::nullopt;
  const int64_t per_block = kBlockBytes / size_of(elem);
  const std::string near =
      count < per_block ? fmt::format("at least {}", per_block)
                        : fmt::format("{} or {}", count / per_block * per_block, round_up(count, per_block));
  return violation(
      FindingId::CopyCount,
      fmt::format(
          "{}: {} {} are {} bytes, not a multiple of {}: the device copies {} bytes ({} elements) and leaves "
          "out the rest",
          op, count, py_name(elem), bytes, kBlockBytes, copy_bytes(count, elem),
          copy_bytes(count, elem) / size_of(elem)),
      fmt::format("copy a multiple of {} bytes ({} elements: {}), or use data_copy_pad for the tail",
                  kBlockBytes, per_block, near));
}

// DataCopyPad, table 3: parameters of DataCopyExtParams and DataCopyPadExtParams.
Verdict check_pad_copy(std::string_view op, DType elem, const PadCopy& copy) {
  constexpr int64_t kMostBlocks = 4095, kMostBytes = (1 << 21) - 1;
  const int64_t size = std::max(1, size_of(elem));
  if (copy.blocks < 1 || copy.blocks > kMostBlocks)
    return violation(FindingId::CopyBlocks,
                     fmt::format("{}: block_count is {}, not in 1 to {}", op, copy.blocks, kMostBlocks),
                     "copy in several calls");
  if (copy.bytes < 1 || copy.bytes > kMostBytes)
    return violation(FindingId::CopyBlocks,
                     fmt::format("{}: block_len is {} bytes, not in 1 to {}", op, copy.bytes, kMostBytes),
                     "block_len counts bytes of a block; copy in several blocks");
  if (copy.bytes % size != 0)
    return violation(FindingId::CopyBlocks,
                     fmt::format("{}: block_len is {} bytes, not a multiple of the {} of a {}", op,
                                 copy.bytes, size, py_name(elem)),
                     "block_len counts bytes: multiply the number of elements by dtype.sizeof()");
  if (copy.left * size > kBlockBytes || copy.right * size > kBlockBytes)
    return violation(FindingId::CopyBlocks,
                     fmt::format("{}: a padding of {} and {} {} elements; more than {} bytes on a side", op,
                                 copy.left, copy.right, py_name(elem), kBlockBytes),
                     "pad the rest with asc.duplicate");
  return std::nullopt;
}

Verdict check_alignment(std::string_view op, const OperandFacts& operand) {
  if (!operand.byte_offset) return std::nullopt;
  const int64_t at = *operand.byte_offset;
  if (operand.space == Space::GM) {
    const int64_t size = size_of(operand.elem);
    if (size <= 1 || at % size == 0) return std::nullopt;
    return violation(
        FindingId::ElementAlignment,
        fmt::format("{}: {} starts at byte {} of its argument, not a multiple of its {}-byte elements", op,
                    operand.name, at, size),
        fmt::format("start it at a multiple of {} bytes", size));
  }
  const int64_t align = start_alignment(operand.space);
  if (at % align == 0) return std::nullopt;
  const int64_t per_step = std::max<int64_t>(1, align / std::max(1, size_of(operand.elem)));
  return violation(FindingId::StartAlignment,
                   fmt::format("{}: {} starts at byte {} of {}, not a multiple of {}", op, operand.name, at,
                               to_string(operand.space), align),
                   fmt::format("start it at a multiple of {} {} elements", per_step, py_name(operand.elem)));
}

// General constraints: address overlap of source and destination operands.
bool overlaps_in_part(int64_t dst, int64_t src, int64_t bytes) {
  const int64_t ahead = src - dst;
  return ahead != 0 && ahead > -bytes && ahead < bytes && ahead < kRepeatBytes;
}

Verdict check_overlap(std::string_view op, const OperandFacts& dst, const OperandFacts& src, int64_t bytes) {
  if (dst.space != src.space || dst.space == Space::GM || !dst.byte_offset || !src.byte_offset)
    return std::nullopt;
  const int64_t to = *dst.byte_offset, from = *src.byte_offset;
  if (!overlaps_in_part(to, from, bytes)) return std::nullopt;
  return violation(
      FindingId::OperandOverlap,
      fmt::format("{}: {} at bytes {} to {} of {} overlaps {} at bytes {} to {} in part", op, dst.name, to,
                  to + bytes - 1, to_string(dst.space), src.name, from, from + bytes - 1),
      "let both be the same elements, or lie apart: the device reads what it has just written");
}

Verdict check_space(std::string_view op, std::string_view param, Space space, uint8_t allowed) {
  if (allowed == 0 || (allowed >> static_cast<int>(space) & 1)) return std::nullopt;
  return violation(FindingId::WrongMemory,
                   fmt::format("{}: {} lies in {}, the op takes it from {}", op, param, to_string(space),
                               space_list(allowed)),
                   fmt::format("give it a position in {}", space_list(allowed)));
}

Verdict check_local_range(std::string_view op, const OperandFacts& operand, int64_t bytes,
                          int64_t memory_bytes) {
  if (!operand.byte_offset || bytes <= 0) return std::nullopt;
  const int64_t begin = *operand.byte_offset;
  if (begin >= 0 && begin + bytes <= memory_bytes) return std::nullopt;
  return violation(FindingId::LocalOutsideMemory,
                   fmt::format("{}: {} takes bytes {}..{} of {}, which has {} bytes", op, operand.name, begin,
                               begin + bytes - 1, to_string(operand.space), memory_bytes),
                   "keep the start address and the count inside the memory");
}

Verdict check_event_id(std::string_view op, int64_t id) {
  if (id >= 0 && id < kEventIds) return std::nullopt;
  return violation(FindingId::EventId,
                   fmt::format("{}: event_id is {}; events have ids 0 to {}", op, id, kEventIds - 1),
                   "reuse an id whose wait is done, or take one from alloc_event_id");
}

Verdict check_cross_core_id(std::string_view op, int64_t id, int64_t mode) {
  if (id < 0 || id >= kCrossCoreIds)
    return violation(FindingId::CrossCoreId,
                     fmt::format("{}: flag_id is {}; ids are 0 to {}", op, id, kCrossCoreIds - 1),
                     "use an id from 0 to 10 (11 to 14 belong to sync_all)");
  if (mode < 0 || mode > 2)
    return violation(
        FindingId::CrossCoreMode, fmt::format("{}: mode_id is {}; modes are 0, 1 and 2", op, mode),
        "0: all cores of a type, 1: the vector cores of a block, 2: the cube core and its vector cores");
  return std::nullopt;
}

Verdict check_core(std::string_view op, CoreSet needed, CoreSet present) {
  if ((static_cast<int>(needed) & static_cast<int>(present)) != 0) return std::nullopt;
  return violation(
      FindingId::WrongCore,
      fmt::format("{} does nothing on a {}: it needs a {}", op, core_name(present), core_name(needed)),
      needed == CoreSet::AIV
          ? "put it under `if asc.ascend_is_aiv():`, or choose a kernel_type with vector cores"
          : "put it under `if asc.ascend_is_aic():`, or choose a kernel_type with cube cores");
}

Verdict check_count(std::string_view op, std::string_view param, int64_t count) {
  if (count >= 0) return std::nullopt;
  return violation(FindingId::NegativeCount, fmt::format("{}: {} is {}", op, param, count),
                   "a count is 0 or more");
}

Verdict check_cube_shape(std::string_view op, int64_t m, int64_t n, int64_t k) {
  const auto fits = [](int64_t side) { return side >= 0 && side <= kMaxCubeSide; };
  if (fits(m) && fits(n) && fits(k)) return std::nullopt;
  return violation(FindingId::CubeShape,
                   fmt::format("{}: m = {}, n = {}, k = {}; a side is 0 to {}", op, m, n, k, kMaxCubeSide),
                   "multiply in smaller pieces");
}

// The manual allows 0 to 16 for 16-bit and 0 to 32 for 32-bit elements, ends included.
Verdict check_shift(std::string_view op, DType elem, int64_t distance) {
  const int64_t bits = 8 * size_of(elem);
  if (distance >= 0 && distance <= bits) return std::nullopt;
  return violation(
      FindingId::ShiftDistance,
      fmt::format("{}: a shift by {}; {} elements shift by 0 to {}", op, distance, py_name(elem), bits),
      "keep the distance within the element's bits");
}

Verdict check_barrier_pipe(std::string_view op, int pipe_id) {
  const Pipe pipe = pipe_of_id(pipe_id);
  if (pipe != Pipe::S && pipe != Pipe::None) return std::nullopt;
  const EnumMember* member = enum_desc(EnumId::PipeID).find(pipe_id);
  return violation(FindingId::BarrierPipe,
                   fmt::format("{}: {} takes no barrier", op, member ? member->name : "this pipe"),
                   pipe == Pipe::S ? "scalar code is in order by itself; PIPE_ALL waits for every pipe"
                                   : "name a pipe that this architecture has");
}

Verdict check_grid(int64_t blocks, const PlatformDesc& platform, CoreSet cores) {
  const bool mixed_or_cube = (static_cast<int>(cores) & static_cast<int>(CoreSet::AIC)) != 0;
  const int64_t present = mixed_or_cube ? platform.aic_cores : platform.aiv_cores;
  if (blocks <= present) return std::nullopt;
  return violation(
      FindingId::TooManyBlocks,
      fmt::format("{} blocks wait for each other, but {} runs {} at a time: the others never start", blocks,
                  platform.name, present),
      fmt::format("launch at most {} blocks and give each more work", present));
}

Verdict check_buffer_total(std::string_view op, int64_t buffers) {
  if (buffers <= kMaxBuffers) return std::nullopt;
  return violation(FindingId::TooManyBuffers,
                   fmt::format("{}: {} buffers in this kernel; the device has {}", op, buffers, kMaxBuffers),
                   "use fewer buffers a queue, or TBuf pieces");
}

Verdict check_memory(std::string_view op, Space space, int64_t memory_bytes,
                     std::span<const MemoryHolder> holders, const MemoryHolder& wanted) {
  if (wanted.begin + wanted.bytes <= memory_bytes) return std::nullopt;
  if (space == Space::GM)
    return violation(FindingId::WrongMemory,
                     fmt::format("{}: {} cannot lie in GM: a pipe gives out local memory", op, wanted.name),
                     "give it a local position, such as VECIN, VECCALC or VECOUT");
  std::string map;
  const auto line = [&](const MemoryHolder& h, std::string_view note) {
    map += fmt::format("\n  {:>7} .. {:>7}  {} ({} x {} bytes){}", h.begin, h.begin + h.bytes, h.name,
                       h.buffers, h.bytes / std::max(1, h.buffers), note);
  };
  for (const MemoryHolder& h : holders) line(h, "");
  line(wanted, fmt::format("  <- ends {} bytes outside", wanted.begin + wanted.bytes - memory_bytes));
  const int64_t left = std::max<int64_t>(0, memory_bytes - wanted.begin) / std::max(1, wanted.buffers) /
                       kBlockBytes * kBlockBytes;
  return violation(FindingId::MemoryOverflow,
                   fmt::format("{}: {} does not fit into {} ({} bytes):{}", op, wanted.name, to_string(space),
                               memory_bytes, map),
                   left > 0 ? fmt::format("{} x {} bytes would fit", wanted.buffers, left)
                            : "nothing is left: make the others smaller");
}

int64_t count_bytes(int64_t count, DType elem) { return count * size_of(elem); }
int64_t copy_bytes(int64_t count, DType elem) { return count_bytes(count, elem) / kBlockBytes * kBlockBytes; }
int64_t buffer_bytes(int64_t len) { return round_up(len, kBlockBytes); }

FractalCopy load_data_2d(int64_t start_index, int64_t repeat_times, int64_t src_stride, int64_t dst_gap,
                         bool backwards) {
  const int64_t step = src_stride * kFractalBytes;
  return {repeat_times, start_index * kFractalBytes, backwards ? -step : step, (dst_gap + 1) * kFractalBytes};
}

// L0A and L0B hold fractals of 16 x 32 bytes, L0C fractals of 16 x 16 elements; of a vector (m = 1) L0A holds
// the k elements alone.
MmadFootprint mmad_footprint(int64_t m, int64_t n, int64_t k, DType fm, DType dst) {
  const int64_t c0 = kBlockBytes / size_of(fm);
  const int64_t rows = ceil_div(m, 16), columns = ceil_div(n, 16), depth = ceil_div(k, c0);
  const int64_t left = m == 1 ? k * size_of(fm) : rows * depth * kFractalBytes;
  return {rows * columns * 256 * size_of(dst), left, depth * columns * kFractalBytes};
}

}  // namespace asc
