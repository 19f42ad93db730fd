// SPDX-License-Identifier: Apache-2.0
// The device simulator as the runtime sees it: compile a module to a program once, launch it many times, from
// many threads.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "ir/ir.h"
#include "ops/limits.h"

namespace asc::sim {

enum class Mode : uint8_t { Check, Fast };
enum class OnFinding : uint8_t { Raise, Warn, Collect };

struct Program;  // immutable bytecode and tables
using ProgramPtr = std::shared_ptr<const Program>;

ProgramPtr assemble(const ir::Module& module);
std::string disassemble(const Program& program);

// One argument of a launch, in kernel order. Arrays that overlap in memory are found by the simulator and
// share an owner.
struct Argument {
  std::string_view name;
  void* data = nullptr;  // arrays; structs: the packed fields
  int64_t bytes = 0;     // size of `data`
  int64_t before = 0;    // arrays: bytes in front of `data` that belong to it too
  bool is_array = false;
  bool read_only = false;     // writing it is a finding (enforced while running)
  DType dtype = DType::Void;  // arrays: of an element; scalars: their type
  uint64_t bits = 0;          // scalars: integers sign- or zero-extended, floats as the double's bits
  // A table of addresses: `data` (64-bit words) receives those of `target_count` arguments, which stand
  // behind the kernel's own.
  uint32_t first_target = 0, target_count = 0;
};

struct Options {
  Mode mode = Mode::Check;
  OnFinding on_finding = OnFinding::Raise;
  int max_findings = 20;
  std::vector<std::string> ignore;  // kinds or ids
  int threads = 0;                  // 0: as many as the machine has
  double timeout_seconds = 0;       // 0: none
  const PlatformDesc* platform = nullptr;
};

struct LaunchResult {
  std::vector<Finding> findings;  // distinct, in block order
  std::string printed;            // what kernels printed, in block order
  uint64_t silenced = 0;          // how often `ignore` or an allow comment kept one back
  bool interrupted = false;       // stopped by its watch
};

// Looks at the world outside while a launch runs.
class Watch {
 public:
  virtual ~Watch() = default;
  // Called on the launching thread about every 50 ms, the first time when the launch is 50 ms old. False
  // stops the launch. Must not throw.
  virtual bool go_on() = 0;
};

// Runs `grid` blocks. Never touches Python, but through `watch`.
LaunchResult launch(const Program& program, int grid, std::span<const Argument> arguments,
                    const Options& options, Watch* watch = nullptr);

// Before fork and at exit: joins the pool's threads. It starts again lazily.
void shutdown_pool();

}  // namespace asc::sim
