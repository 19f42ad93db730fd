// SPDX-License-Identifier: Apache-2.0
// How a launch on the simulator is to run, and where the settings come from: PYASC_SIM, then a kernel's own
// options.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sim/simulator.h"

namespace asc::runtime {

// Settings that were given; what is not set falls back to the next layer.
struct SimSettings {
  std::optional<sim::Mode> mode;
  std::optional<sim::OnFinding> on_finding;
  std::optional<int> max_findings, threads;
  std::optional<double> timeout_seconds;
  std::optional<std::vector<std::string>> ignore;
};

// "fast,threads=2,on_finding=warn,ignore=bounds+sync": a bare word is the mode. Throws LaunchError naming
// `where`.
SimSettings parse_sim_settings(std::string_view text, std::string_view where);
// One setting by name; throws LaunchError for an unknown name or a bad value.
void set_sim_setting(SimSettings& settings, std::string_view name, std::string_view value,
                     std::string_view where);
// Back to the layer below.
void clear_sim_setting(SimSettings& settings, std::string_view name);

// PYASC_SIM as it is now, below `own`.
sim::Options resolve_sim_options(const SimSettings& own, const PlatformDesc* platform);

bool dry_run();           // PYASC_DRY_RUN (or the reference's DRY_RUN) is set, and says neither no nor 0
std::string dump_path();  // PYASC_DUMP_PATH, or empty

}  // namespace asc::runtime
