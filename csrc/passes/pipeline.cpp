// SPDX-License-Identifier: Apache-2.0
// The list of passes in their order, with the verifier behind each that changes the tree.
#include "base/format.h"
#include "ir/text.h"
#include "ir/verify.h"
#include "passes/passes.h"

namespace asc::passes {

namespace {

void verify_after(std::string_view pass, const ir::Module& module) {
  const std::vector<ir::VerifyError> errors = ir::verify(module);
  if (errors.empty()) return;
  std::string text = fmt::format("the IR is not well-formed after {}:", pass);
  for (const ir::VerifyError& error : errors) {
    const Site site = module.sources.resolve(error.loc);
    text += fmt::format("\n  {}:{}:{}: {}", site.file, site.line, site.col + 1, error.message);
  }
  ASC_BUG(text + "\n" + ir::print_module(module));
}

// Passes that only note facts (of expressions, arguments, the module) leave the tree as it is: verifying
// behind them as well is for builds that look for our own faults.
void verify_facts(std::string_view pass, const ir::Module& module) {
#ifndef NDEBUG
  verify_after(pass, module);
#else
  (void)pass, (void)module;
#endif
}

}  // namespace

PipelineResult run(ir::Module& module, const PlatformDesc& platform) {
  verify_after("lowering", module);
  if (module.uses_workspace) {
    place_workspace(module);
    verify_after("place_workspace", module);
  }
  intervals(module);
  verify_facts("intervals", module);
  if (widen_addresses(module)) {
    verify_after("widen_addresses", module);
    intervals(module);
    verify_facts("intervals", module);
  }
  access(module);
  verify_facts("access", module);
  detect_kernel_type(module);
  verify_facts("detect_kernel_type", module);
  return {limits(module, platform)};
}

}  // namespace asc::passes
