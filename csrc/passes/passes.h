// SPDX-License-Identifier: Apache-2.0
// Passes over the IR, one file each, and the pipeline that runs them with the verifier between.
#pragma once

#include <vector>

#include "ir/ir.h"
#include "ops/limits.h"

namespace asc::passes {

// Where each area of asc.workspace lies: fills Module::workspace, and adds the parameters that carry
// addresses. Throws CompileError where they are more than a device can have.
void place_workspace(ir::Module& module);

// Integer value ranges, across branches, loops and helpers: sets kFits, kNonNegative and kPlainDiv on
// expressions.
void intervals(ir::Module& module);

// Retypes to int64 the variables and chains of + - * that only form a global address or an offset into global
// memory, unless their intervals show that int32 holds them. Run it after `intervals`; if it returns true,
// types changed: run `intervals` again.
bool widen_addresses(ir::Module& module);

// Which arguments the kernel may read and write: points-to through views, helpers and rebinding. Fills
// Module::args.
void access(ir::Module& module);

// AIV_ONLY, AIC_ONLY or MIX_AIC_1_2 by the ops used on each core; keeps a type that was given.
void detect_kernel_type(ir::Module& module);

// Limits of the device that constants already break, each a finding known early.
std::vector<ir::Diagnostic> limits(const ir::Module& module, const PlatformDesc& platform);

struct PipelineResult {
  std::vector<ir::Diagnostic> diagnostics;
};
// place_workspace, intervals, widen_addresses, intervals again if that changed types, access,
// detect_kernel_type, limits. The verifier runs before them and behind each pass that changes the tree
// (without NDEBUG: behind each). Its errors are ours (Bug), with the module's text.
PipelineResult run(ir::Module& module, const PlatformDesc& platform);

// Whether any op reachable from the kernel needs cores to run together (cross-core flags, and later sync_all,
// atomics).
bool needs_lockstep(const ir::Module& module);

}  // namespace asc::passes
