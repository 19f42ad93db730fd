// SPDX-License-Identifier: Apache-2.0
// Limits of the device and footprints of ops, as pure functions: the verifier applies them to constants, the
// simulator to values, and the sync pass shares the footprints.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "base/error.h"
#include "ops/op_table.h"

namespace asc {

// ---- what can be found
enum class FindingId : uint8_t {
#define ASC_FINDING(Name, id, kind, severity, text) Name,
#include "ops/finding_ids.def"
  kCount,
};
struct FindingInfo {
  std::string_view id, kind;
  Severity severity;
  std::string_view text;  // one line of explanation
};
const FindingInfo& finding_info(FindingId id);
std::span<const FindingInfo> finding_table();
// By "ASC-B101"; null if there is none.
const FindingInfo* find_finding(std::string_view id);

// ---- platforms
// One row a platform: cores and memory sizes in bytes.
struct PlatformDesc {
  std::string_view name;
  uint16_t aic_cores, aiv_cores;
  uint32_t memory_bytes[kSpaceCount];  // by Space; GM 0
};
std::span<const PlatformDesc> platforms();
const PlatformDesc* find_platform(std::string_view name);

// Start alignment in bytes of an address in a memory (GM 1, UB 32, ...), for a copy or compute operand.
uint32_t start_alignment(Space space);

// ---- limits
// A limit that does not hold: what was found, the text and what to do. `op` is the Python name ("data_copy").
struct LimitViolation {
  FindingId finding;
  std::string message, fix;
  std::string_view id() const { return finding_info(finding).id; }
  std::string_view kind() const { return finding_info(finding).kind; }
};
using Verdict = std::optional<LimitViolation>;

// Facts about one memory operand of a call, as far as they are known.
struct OperandFacts {
  std::string_view name;
  Space space;
  DType elem;
  std::optional<int64_t> byte_offset;  // in its memory
};

// Count-form data copy: whole 32-byte blocks (the device rounds down).
Verdict check_copy_count(std::string_view op, int64_t count, DType elem);
// Blocks of a data_copy_pad; `padding` in elements, left and right.
struct PadCopy {
  int64_t blocks, bytes, left, right;
};
Verdict check_pad_copy(std::string_view op, DType elem, const PadCopy& copy);
Verdict check_alignment(std::string_view op, const OperandFacts& operand);
// A source and the destination of an op on `bytes` of each: the same bytes, none in common, or the source far
// enough ahead that no repeat (256 bytes) writes what it or a later one reads.
Verdict check_overlap(std::string_view op, const OperandFacts& dst, const OperandFacts& src, int64_t bytes);
bool overlaps_in_part(int64_t dst, int64_t src, int64_t bytes);
// The operand's memory is one of the parameter's (`allowed`: ParamDesc::spaces; 0 allows all).
Verdict check_space(std::string_view op, std::string_view param, Space space, uint8_t allowed);
// `bytes` from the operand's start lie inside its memory.
Verdict check_local_range(std::string_view op, const OperandFacts& operand, int64_t bytes,
                          int64_t memory_bytes);
Verdict check_event_id(std::string_view op, int64_t id);
Verdict check_cross_core_id(std::string_view op, int64_t id, int64_t mode);
// `needed` is the overload's; `present` one core type (or both, which is fine for every op).
Verdict check_core(std::string_view op, CoreSet needed, CoreSet present);
Verdict check_count(std::string_view op, std::string_view param, int64_t count);
Verdict check_cube_shape(std::string_view op, int64_t m, int64_t n, int64_t k);
Verdict check_shift(std::string_view op, DType elem, int64_t distance);
Verdict check_barrier_pipe(std::string_view op, int pipe_id);
// Cores that wait for each other must all be running: at most one block a core.
Verdict check_grid(int64_t blocks, const PlatformDesc& platform, CoreSet cores);
Verdict check_buffer_total(std::string_view op, int64_t buffers);

// One stretch of a local memory that a queue or TBuf holds.
struct MemoryHolder {
  std::string_view name;  // the variable
  int64_t begin, bytes;   // bytes in all
  int buffers = 1;
};
// The buffers fit; the message is the map of who holds what, the fix what would fit.
Verdict check_memory(std::string_view op, Space space, int64_t memory_bytes,
                     std::span<const MemoryHolder> holders, const MemoryHolder& wanted);

// ---- footprints: bytes an op touches, from the start address of an operand
// -------------------------------------------------- Of a count-form op: [0, bytes).
int64_t count_bytes(int64_t count, DType elem);
// Of a count-form copy: `count_bytes` rounded down to whole 32-byte blocks.
int64_t copy_bytes(int64_t count, DType elem);
// A buffer of init_buffer: rounded up to whole 32-byte blocks.
int64_t buffer_bytes(int64_t len);

// Of load_data: `repeats` fractals of 512 bytes, `src_step` and `dst_step` bytes apart (src_step may be
// negative or 0).
struct FractalCopy {
  int64_t repeats, src_begin, src_step, dst_step;
};
FractalCopy load_data_2d(int64_t start_index, int64_t repeat_times, int64_t src_stride, int64_t dst_gap,
                         bool backwards);

// Of mmad: bytes of each operand, whole fractals but for a vector on the left.
struct MmadFootprint {
  int64_t dst, fm, filter;
};
MmadFootprint mmad_footprint(int64_t m, int64_t n, int64_t k, DType fm, DType dst);

inline constexpr int kBlockBytes = 32, kRepeatBytes = 256, kFractalBytes = 512;
inline constexpr int kEventIds = 8, kCrossCoreIds = 16, kCrossCoreMax = 15, kMaxBuffers = 64,
                     kMaxCubeSide = 4095;

}  // namespace asc
