// SPDX-License-Identifier: Apache-2.0
// Simulated addresses, tensor handles, and the memories of a core.
//
// An address is one 64-bit word: owner in the upper 16 bits, a signed byte offset in the lower 48, summed, so
// that adding a plain integer moves it whatever its sign. Owners 1 to 7 are the local memories of the core at
// hand (by Space), from 8 on the groups of overlapping arguments. Owner numbers start high, so that ordinary
// integers are no addresses.
#pragma once

#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "ops/limits.h"
#include "sim/simulator.h"

namespace asc::sim {

inline constexpr uint64_t kOwnerBase = 0x6B00;
inline constexpr uint32_t kFirstGlobalOwner = kSpaceCount;

inline constexpr int kOwnerShift = 48;

constexpr uint64_t make_address(uint32_t owner, int64_t offset) {
  return ((kOwnerBase + owner) << kOwnerShift) + static_cast<uint64_t>(offset);
}

// The lower bits: the offset of an address whose offset is not negative.
inline constexpr uint64_t kOffsetMask = (uint64_t{1} << 48) - 1;

struct Place {
  uint64_t owner;  // huge: the word is no address
  int64_t offset;
};
constexpr Place place_of(uint64_t word) {
  const int64_t offset = static_cast<int64_t>(word << 16) >> 16;
  return {((word - static_cast<uint64_t>(offset)) >> 48) - kOwnerBase, offset};
}

// Where an address stays that was moved further than its offset can say: no way back, so that it never meets
// an argument's bytes again. A multiple of every alignment.
inline constexpr int64_t kFarOffset = (int64_t{1} << 47) - 512;
constexpr bool is_far(int64_t offset) { return offset <= -kFarOffset || offset >= kFarOffset; }

// The address `count` elements of `size` bytes (negative: back) from another. The owner stays; so does a word
// that is no address.
constexpr uint64_t move_address(uint64_t word, int64_t count, int64_t size) {
  const Place place = place_of(word);
  if (place.owner >= (uint64_t{1} << 16) - kOwnerBase || is_far(place.offset)) [[unlikely]]
    return word;
  int64_t offset = 0;
  if (__builtin_mul_overflow(count, size, &offset) || __builtin_add_overflow(place.offset, offset, &offset))
      [[unlikely]]
    offset = (count < 0) != (size < 0) ? -kFarOffset : kFarOffset;
  if (is_far(offset)) [[unlikely]]
    offset = offset < 0 ? -kFarOffset : kFarOffset;
  return make_address(static_cast<uint32_t>(place.owner), offset);
}

// A tensor's two slots. `info`: length in elements (40 bits; a GlobalTensor's 0: not told), TPosition (8),
// buffer of a queue or TBuf (16; 0: none, else its number plus one).
struct Tensor {
  uint64_t address = 0, info = 0;

  static constexpr uint64_t kLengthMask = (uint64_t{1} << 40) - 1;
  static constexpr uint64_t pack(uint64_t length, uint32_t position, uint32_t buffer) {
    return (length > kLengthMask ? kLengthMask : length) | uint64_t{position} << 40 | uint64_t{buffer} << 48;
  }
  int64_t length() const { return static_cast<int64_t>(info & kLengthMask); }
  int position() const { return static_cast<int>(info >> 40 & 0xFF); }
  uint32_t buffer() const { return static_cast<uint32_t>(info >> 48); }
  uint64_t with_length(int64_t length) const {
    const uint64_t clipped = length < 0 ? 0 : static_cast<uint64_t>(length);
    return (info & ~kLengthMask) | (clipped > kLengthMask ? kLengthMask : clipped);
  }
};

// What memory holds that nobody wrote: a NaN in float, float16 and bfloat16, an odd number in integers.
inline constexpr uint32_t kPoison = 0xFFADFFADu;
void fill_poison(void* at, size_t bytes);

// One local memory of a core. Bytes from `dirty` on still hold poison.
struct Bank {
  uint8_t* base = nullptr;  // null: this kind of core has no such memory
  uint32_t bytes = 0;
  uint32_t dirty = 0;
};

// The local memories of one core, reused from core to core and launch to launch.
class LocalMemory {
 public:
  LocalMemory(const PlatformDesc& platform, bool aic);
  Bank& bank(Space space) { return banks_[static_cast<int>(space)]; }
  Bank* banks() { return banks_; }
  bool fits(const PlatformDesc& platform, bool aic) const { return platform_ == &platform && aic_ == aic; }
  void poison();  // whatever was written since the last time

 private:
  const PlatformDesc* platform_;
  bool aic_;
  Bank banks_[kSpaceCount];
  std::unique_ptr<uint8_t[]> storage_;
};

// Takes a poisoned memory from the store, or makes one; gives it back for later launches.
std::unique_ptr<LocalMemory> acquire_memory(const PlatformDesc& platform, bool aic);
void release_memory(std::unique_ptr<LocalMemory> memory);

// Arguments that overlap on the host are one group with one owner.
struct GlobalGroup {
  uint8_t* base = nullptr;
  int64_t bytes = 0;
  bool read_only = false;  // some argument in it is
  // An area of the workspace. Of one that each block has, a block's own part begins at block * stride, and
  // `bytes` is 0: whoever looks at nothing else finds every access outside.
  const ir::WorkspaceArea* area = nullptr;
  int64_t stride = 0;

  struct Part {
    int64_t begin, end;
    int64_t bytes() const { return end - begin; }
  };
  // What a block may touch of it.
  Part part_of(int64_t block) const {
    return stride ? Part{stride * block, stride * block + area->bytes} : Part{0, bytes};
  }
};
struct GlobalArgument {
  std::string name;
  uint32_t group = 0;
  int64_t shift = 0;  // of its first byte in the group
  int64_t bytes = 0;
  int64_t before = 0;  // bytes in front that belong to it too
  DType dtype = DType::Void;
  bool read_only = false;
  bool covers(int64_t begin, int64_t end) const { return begin >= shift - before && end <= shift + bytes; }
};

// Global memory as a launch sees it: its array arguments, and behind them the areas of its workspace.
struct GlobalMemory {
  std::vector<GlobalGroup> groups;
  std::vector<GlobalArgument> arguments;  // arrays only, in kernel order

  // Groups the array arguments; addresses[i] receives the address of argument i (0 for scalars).
  void bind(std::span<const Argument> launch_arguments, std::vector<uint64_t>* addresses);
  // The argument that bytes [begin, end) of a group belong to, or are nearest to.
  const GlobalArgument* nearest(uint32_t group, int64_t begin, int64_t end) const;
};

}  // namespace asc::sim
