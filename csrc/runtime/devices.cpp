// SPDX-License-Identifier: Apache-2.0
// The devices: the simulator, the null device, and the hardware, which no build of this package drives yet.
#include <atomic>

#include "base/error.h"
#include "runtime/device.h"

namespace asc::runtime {
namespace {

class SimDevice final : public Device {
 public:
  std::string_view name() const override { return "sim"; }
  sim::LaunchResult launch(CompiledKernel& kernel, int grid, std::span<const sim::Argument> arguments,
                           const sim::Options& options, sim::Watch* watch) override {
    return sim::launch(kernel.program(), grid, arguments, options, watch);
  }
};

class NullDevice final : public Device {
 public:
  std::string_view name() const override { return "null"; }
  bool executes() const override { return false; }
  sim::LaunchResult launch(CompiledKernel&, int, std::span<const sim::Argument>, const sim::Options&,
                           sim::Watch*) override {
    return {};
  }
};

class NpuDevice final : public Device {
 public:
  std::string_view name() const override { return "npu"; }
  void require() const override {
    throw LaunchError(
        "the backend is NPU, and launching on an NPU is not yet supported",
        "asc.runtime.config.set_platform(\"Model\") chooses the simulator; kernel[cores].compile(...) and "
        "PYASC_DRY_RUN=1 need no device");
  }
  sim::LaunchResult launch(CompiledKernel&, int, std::span<const sim::Argument>, const sim::Options&,
                           sim::Watch*) override {
    require();
    return {};
  }
};

std::atomic<Device*> g_current{nullptr};

}  // namespace

Device& sim_device() {
  static SimDevice device;
  return device;
}
Device& null_device() {
  static NullDevice device;
  return device;
}
Device& npu_device() {
  static NpuDevice device;
  return device;
}

Device& current_device() {
  Device* current = g_current.load(std::memory_order_relaxed);
  return current ? *current : sim_device();
}
bool set_current_device(std::string_view name) {
  for (Device* device : {&sim_device(), &npu_device()}) {
    if (device->name() != name) continue;
    g_current.store(device, std::memory_order_relaxed);
    return true;
  }
  return false;
}

}  // namespace asc::runtime
