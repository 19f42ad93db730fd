// SPDX-License-Identifier: Apache-2.0
// For tests of the simulator: kernels as IR text, arrays as arguments, findings by id.
#pragma once

#include <gtest/gtest.h>

#include <bit>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "ir/text.h"
#include "ir/verify.h"
#include "sim/simulator.h"

namespace asc::sim {

inline std::unique_ptr<ir::Module> parse(const std::string& text) {
  auto module = ir::parse_module(text);
  for (const ir::VerifyError& e : ir::verify(*module)) ADD_FAILURE() << e.message << "\n" << text;
  return module;
}

inline ProgramPtr program_of(const std::string& text) { return assemble(*parse(text)); }

template <class T>
Argument array(std::string_view name, std::vector<T>& data, DType dtype, bool read_only = false) {
  Argument a;
  a.name = name;
  a.data = data.data();
  a.bytes = static_cast<int64_t>(data.size() * sizeof(T));
  a.is_array = true;
  a.read_only = read_only;
  a.dtype = dtype;
  return a;
}
inline Argument scalar(std::string_view name, int64_t value, DType dtype = DType::I32) {
  Argument a;
  a.name = name;
  a.dtype = dtype;
  a.bits = static_cast<uint64_t>(value);
  return a;
}
inline Argument real(std::string_view name, double value, DType dtype = DType::F32) {
  return scalar(name, std::bit_cast<int64_t>(value), dtype);
}

inline Options fast() {
  Options o;
  o.mode = Mode::Fast;
  return o;
}

inline std::vector<std::string> ids(const LaunchResult& result) {
  std::vector<std::string> out;
  for (const Finding& f : result.findings) out.push_back(f.id);
  return out;
}

inline std::string messages(const LaunchResult& result) {
  std::string out;
  for (const Finding& f : result.findings)
    out += f.id + " " + f.core + ": " + f.message + " [" + f.fix + "]\n";
  return out;
}

}  // namespace asc::sim
