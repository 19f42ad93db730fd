// SPDX-License-Identifier: Apache-2.0
// The kernel's type by what each core type reaches. An op that runs on one core type only asks for that core
// type if that core type reaches it. An op with an effect that stands where only one core type comes (behind
// ascend_is_aic or ascend_is_aiv) asks for that one: the kernel means it to happen. A cross-core flag of mode
// 2 goes between the two types and asks for both, as does a Matmul. All else asks for nothing.
#include <vector>

#include "ir/builder.h"
#include "ir/visit.h"
#include "passes/core_paths.h"
#include "passes/passes.h"

namespace asc::passes {

namespace {

bool between_core_types(const ir::OpCall& call) {
  const std::vector<ParamDesc>& params = call.proto().params;
  for (size_t i = 0; i < params.size(); i++)
    if (params[i].name == "mode_id" && call.args[i]) return ir::const_int(call.args[i]) == 2;
  return false;
}

struct OpsByCore {
  std::vector<Cores> reached;  // by function id
  Cores needed = 0;
  bool cross_core = false;

  void op(const ir::OpCall& call, Cores cores) {
    if (call.op == OpId::REGIST_MATMUL_OBJ) needed |= kBothCores;
    const Cores core = static_cast<Cores>(call.proto().core);
    if (core != kBothCores)
      needed |= core & cores;
    else if (cores != kBothCores && call.desc().effect >= Effect::Write)
      needed |= cores;
    if (call.desc().family != Family::CrossCore) return;
    cross_core = true;
    if (between_core_types(call)) needed |= kBothCores;
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
