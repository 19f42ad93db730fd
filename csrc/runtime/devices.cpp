// SPDX-License-Identifier: Apache-2.0
// The devices that need no hardware: the simulator, and the null device that measures the host path and
// serves dry runs.
#include "runtime/device.h"

namespace asc::runtime {
namespace {

class SimDevice final : public Device {
 public:
  std::string_view name() const override { return "sim"; }
  bool executes() const override { return true; }
  sim::LaunchResult launch(CompiledKernel& kernel, int grid, std::span<const sim::Argument> arguments,
                           const sim::Options& options, const std::atomic<bool>* interrupt) override {
    return sim::launch(kernel.program(), grid, arguments, options, interrupt);
  }
};

class NullDevice final : public Device {
 public:
  std::string_view name() const override { return "null"; }
  bool executes() const override { return false; }
  sim::LaunchResult launch(CompiledKernel&, int, std::span<const sim::Argument>, const sim::Options&,
                           const std::atomic<bool>*) override {
    return {};
  }
};

}  // namespace

Device& sim_device() {
  static SimDevice device;
  return device;
}
Device& null_device() {
  static NullDevice device;
  return device;
}

}  // namespace asc::runtime
