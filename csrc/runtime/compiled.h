// SPDX-License-Identifier: Apache-2.0
// A specialisation after lowering and passes. Its texts and its bytecode are made when first asked for, and
// kept.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ir/ir.h"
#include "ops/limits.h"
#include "sim/simulator.h"

namespace asc::runtime {

class CompiledKernel {
 public:
  // Runs the passes on what the lowering made. `keep_lowered`: keep the text of the IR before passes too
  // (dumps and `compile` show it; it costs a print).
  CompiledKernel(std::unique_ptr<ir::Module> module, const PlatformDesc& platform, bool keep_lowered);

  // What the kernel cache keeps of it. For threads that work while this process may fork: no lock is held.
  std::string serialise() const;
  // Reads that back; `sources` are the texts of its functions now, by index. Null if it cannot be read or
  // does not fit them.
  static std::shared_ptr<CompiledKernel> load(std::string_view bytes,
                                              std::span<const SourceText* const> sources,
                                              const PlatformDesc& platform);

  // The kernel's name in what `serialise` made; empty if it has none.
  static std::string stored_name(std::string_view bytes);

  const ir::Module& module() const { return *module_; }
  const PlatformDesc& platform() const { return platform_; }
  const std::vector<ir::Diagnostic>& diagnostics() const { return diagnostics_; }
  // The diagnostics as findings with resolved sites.
  std::vector<Finding> early_findings() const;

  // Thread-safe; references stay valid as long as the kernel. Making what is not there yet takes a lock,
  // which a forked child would find locked for ever: that is for threads that hold the GIL. A launch asks for
  // `program` once with it, and then without.
  const std::string& ascendc();
  const std::string& ir_text();
  const std::string& ir_lowered() const { return ir_lowered_; }  // before passes; empty unless kept
  std::string bytecode();
  const sim::Program& program();

 private:
  explicit CompiledKernel(const PlatformDesc& platform) : platform_(platform) {}

  std::unique_ptr<ir::Module> module_;
  const PlatformDesc& platform_;
  std::vector<ir::Diagnostic> diagnostics_;
  std::string ir_lowered_;
  std::mutex mutex_;
  std::unique_ptr<std::string> ascendc_, ir_text_;
  sim::ProgramPtr program_;
  std::atomic<const sim::Program*> ready_{nullptr};  // program_, once it is there
};

// Writes one folder for the kernel below `root`: ir.lowered.txt, ir.txt, ascendc.cpp, bytecode.txt,
// meta.json. `comments`: the Ascend C has the Python text of each line. The folder's name and every byte
// follow from the content. Returns the folder; throws LaunchError if it cannot be written.
std::string save_compiled(CompiledKernel& kernel, const std::string& root, bool comments);
std::string meta_json(CompiledKernel& kernel);

}  // namespace asc::runtime
