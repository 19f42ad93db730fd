// SPDX-License-Identifier: Apache-2.0
// What runs a compiled kernel: the simulator, nothing at all, or the hardware. No Python here.
#pragma once

#include <span>
#include <string_view>

#include "runtime/compiled.h"
#include "sim/simulator.h"

namespace asc::runtime {

class Device {
 public:
  virtual ~Device() = default;
  virtual std::string_view name() const = 0;
  virtual bool executes() const { return true; }  // false: arguments are never touched, findings are warnings
  // Throws LaunchError where this machine cannot run kernels on it.
  virtual void require() const {}
  // Runs the kernel and returns when it is done. Findings come back; they are not thrown here.
  virtual sim::LaunchResult launch(CompiledKernel& kernel, int grid, std::span<const sim::Argument> arguments,
                                   const sim::Options& options, sim::Watch* watch) = 0;
};

Device& sim_device();
Device& null_device();  // does nothing: dry runs, and measuring the host path
Device& npu_device();

// Where launches go: asc.runtime.config.set_platform.
Device& current_device();
bool set_current_device(std::string_view name);  // "sim" or "npu"; false for another

}  // namespace asc::runtime
