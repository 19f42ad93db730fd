// SPDX-License-Identifier: Apache-2.0
// The kernel's type by the ops that each core type reaches. An op that runs on one core type only asks for
// that core type if that core type reaches it; ops that run on both ask for nothing, cross-core flags among
// them.
#include <vector>

#include "ir/visit.h"
#include "passes/core_paths.h"
#include "passes/passes.h"

namespace asc::passes {

namespace {

struct OpsByCore {
  std::vector<Cores> reached;  // by function id
  Cores needed = 0;
  bool cross_core = false;

  void op(const ir::OpCall& call, Cores cores) {
    const Cores core = static_cast<Cores>(call.proto().core);
    if (core != kBothCores) needed |= core & cores;
    cross_core = cross_core || call.desc().family == Family::CrossCore;
  }
  void call(const ir::Function& callee, Cores cores) { reached[callee.id] |= cores; }
};

// Callers stand behind their callees, so that one turn from the kernel backwards knows all callers of a
// function before it.
OpsByCore ops_by_core(const ir::Module& module, Cores cores) {
  OpsByCore out;
  out.reached.assign(module.functions.size(), 0);
  if (module.functions.empty()) return out;
  out.reached.back() = cores;
  for (size_t i = module.functions.size(); i-- > 0;) {
    const ir::Function& f = *module.functions[i];
    if (out.reached[i] != 0) CoreWalk<OpsByCore>(f, out).block(f.body, out.reached[i]);
  }
  return out;
}

}  // namespace

void detect_kernel_type(ir::Module& module) {
  if (module.kernel_type != ir::KernelType::Auto) return;
  switch (ops_by_core(module, kBothCores).needed) {
    case kAic: module.kernel_type = ir::KernelType::AIC_ONLY; break;
    case kBothCores: module.kernel_type = ir::KernelType::MIX_AIC_1_2; break;
    default: module.kernel_type = ir::KernelType::AIV_ONLY;
  }
}

bool needs_lockstep(const ir::Module& module) {
  return ops_by_core(module, cores_of(module.kernel_type)).cross_core;
}

}  // namespace asc::passes
