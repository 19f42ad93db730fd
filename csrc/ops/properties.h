// SPDX-License-Identifier: Apache-2.0
// Constants of Ascend C that differ by platform, as asc.property(asc.NAME) gives them: a compile-time number
// that is printed by its name.
#pragma once

#include <cstdint>
#include <string_view>

#include "ops/limits.h"

namespace asc {

struct PropertyDesc {
  std::string_view name, cpp_name;
  DType dtype;  // as Ascend C declares it
  int64_t (*value)(const PlatformDesc& platform);
};

// Of L1 Ascend C keeps 128 bytes for the messages of its Matmul service.
inline constexpr PropertyDesc kProperties[] = {
    {"DEFAULT_C0_SIZE", "AscendC::DEFAULT_C0_SIZE", DType::I32,
     [](const PlatformDesc&) -> int64_t { return 32; }},
    {"ONE_BLK_SIZE", "AscendC::ONE_BLK_SIZE", DType::U16, [](const PlatformDesc&) -> int64_t { return 32; }},
    {"TOTAL_L0C_SIZE", "AscendC::TOTAL_L0C_SIZE", DType::U32,
     [](const PlatformDesc& p) -> int64_t { return p.memory_bytes[static_cast<int>(Space::L0C)]; }},
    {"TOTAL_L1_SIZE", "AscendC::TOTAL_L1_SIZE", DType::U32,
     [](const PlatformDesc& p) -> int64_t { return p.memory_bytes[static_cast<int>(Space::L1)] - 128; }},
};

}  // namespace asc
