// SPDX-License-Identifier: Apache-2.0
#include "sim/matmul_tiling.h"

#include <algorithm>
#include <utility>

#include "base/format.h"

namespace asc::sim {
namespace {

constexpr int64_t kSide = 16;  // base_m and base_n are whole fractals

std::string_view name_of(int field) {
  return struct_info(StructId::TCubeTiling).fields[static_cast<size_t>(field)].py_name;
}

}  // namespace

SizeFault tiling_fault(const PlatformDesc& platform, const uint64_t* fields, const MatmulMatrix& a,
                       const MatmulMatrix& b) {
  const auto value = [&](int i) { return static_cast<int64_t>(fields[i]); };
  for (int i = kM; i <= kBaseK; i++)
    if (value(i) <= 0)
      return {fmt::format("{} is {}", name_of(i), value(i)), "every size of the tiling must be above 0"};
  for (int i = kDepthA1; i <= kStepN; i++)
    if (value(i) < 0)
      return {fmt::format("{} is {}", name_of(i), value(i)), "depths and steps count blocks in L1"};
  const int64_t a_bytes = size_of(a.dtype), b_bytes = size_of(b.dtype);
  const int64_t k_side = std::max({kSide, 32 / a_bytes, 32 / b_bytes});
  for (const auto& [field, side] :
       {std::pair(kBaseM, kSide), std::pair(kBaseN, kSide), std::pair(kBaseK, k_side)})
    if (value(field) % side != 0)
      return {fmt::format("{} is {}, no multiple of {}", name_of(field), value(field), side),
              "a block is made of whole fractals"};
  if (value(kIterateOrder) != 0 && value(kIterateOrder) != 1)
    return {fmt::format("iterate_order is {}", value(kIterateOrder)), "0 goes down M first, 1 along N"};
  struct Part {
    int rows, columns;
    int64_t bytes;
    Space space;
  };
  const auto bytes_of = [&](const Part& p) {
    return static_cast<__int128>(value(p.rows)) * value(p.columns) * p.bytes;
  };
  const Part left{kBaseM, kBaseK, a_bytes, Space::L0A}, right{kBaseN, kBaseK, b_bytes, Space::L0B};
  for (const Part& p : {left, right, Part{kBaseM, kBaseN, 4, Space::L0C}}) {
    const int64_t room = platform.memory_bytes[static_cast<int>(p.space)];
    if (const __int128 bytes = bytes_of(p); bytes > room)
      return {fmt::format("a block of {} {} x {} {} takes {} bytes of {}, which has {}", name_of(p.rows),
                          value(p.rows), name_of(p.columns), value(p.columns), static_cast<int64_t>(bytes),
                          to_string(p.space), room),
              "make the block smaller"};
  }
  const int64_t l1 = platform.memory_bytes[static_cast<int>(Space::L1)];
  const __int128 kept = bytes_of(left) * value(kDepthA1) + bytes_of(right) * value(kDepthB1);
  if (kept > l1)
    return {fmt::format("{} blocks of A (depth_a1) and {} of B (depth_b1) take more than the {} bytes of L1",
                        value(kDepthA1), value(kDepthB1), l1),
            "keep fewer blocks there"};
  return {};
}

}  // namespace asc::sim
