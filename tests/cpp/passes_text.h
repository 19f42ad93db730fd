// SPDX-License-Identifier: Apache-2.0
// Kernels for tests of the passes, as text of the IR, and what a pass left in them, as text.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <string_view>

#include "base/format.h"
#include "ir/text.h"
#include "ir/verify.h"
#include "passes/passes.h"

namespace asc::passes_test {

inline std::unique_ptr<ir::Module> parse(const std::string& text) {
  std::unique_ptr<ir::Module> module;
  try {
    module = ir::parse_module(text);
  } catch (const std::exception& error) {
    ADD_FAILURE() << error.what();
    return std::make_unique<ir::Module>();
  }
  for (const ir::VerifyError& error : ir::verify(*module)) ADD_FAILURE() << error.message << "\n" << text;
  return module;
}

inline void expect_valid(const ir::Module& module) {
  for (const ir::VerifyError& error : ir::verify(module))
    ADD_FAILURE() << error.message << "\n" << ir::print_module(module);
}

// The one line of the printed module that starts with `start` (blanks in front left out), or what is wrong.
inline std::string line_of(const ir::Module& module, std::string_view start) {
  const std::string text = ir::print_module(module, /*with_locations=*/false);
  std::string found;
  for (size_t at = 0; at < text.size();) {
    const size_t end = std::min(text.find('\n', at), text.size());
    const size_t first = std::min(text.find_first_not_of(' ', at), end);
    const std::string_view line = std::string_view(text).substr(first, end - first);
    if (line.substr(0, start.size()) == start) {
      if (!found.empty()) return "several lines start so in\n" + text;
      found = line;
    }
    at = end + 1;
  }
  return found.empty() ? "no line starts so in\n" + text : found;
}

}  // namespace asc::passes_test
