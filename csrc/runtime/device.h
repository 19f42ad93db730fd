// SPDX-License-Identifier: Apache-2.0
// What runs a compiled kernel: the simulator, the null device, later the hardware. No Python here.
#pragma once

#include <atomic>
#include <span>
#include <string_view>

#include "runtime/compiled.h"
#include "sim/simulator.h"

namespace asc::runtime {

class Device {
 public:
  virtual ~Device() = default;
  virtual std::string_view name() const = 0;
  virtual bool executes() const = 0;  // false: arguments are never touched, diagnostics are warnings
  // Runs the kernel and returns when it is done. Findings come back; they are not thrown here.
  virtual sim::LaunchResult launch(CompiledKernel& kernel, int grid, std::span<const sim::Argument> arguments,
                                   const sim::Options& options, const std::atomic<bool>* interrupt) = 0;
};

Device& sim_device();
Device& null_device();

}  // namespace asc::runtime
