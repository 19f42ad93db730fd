// SPDX-License-Identifier: Apache-2.0
// Text formatting: fmt::format and fmt::format_to with format strings checked at compile time.
// Only fmt's small header is included here; its bodies are compiled once, in base/format.cpp.
#pragma once

#include <fmt/core.h>
