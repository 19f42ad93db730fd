// SPDX-License-Identifier: Apache-2.0
// A core that can be stopped and resumed: registers, frames, objects, flags; and what all cores of a launch
// share.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "sim/bytecode.h"
#include "sim/findings.h"
#include "sim/gm_log.h"
#include "sim/memory.h"
#include "sim/queue.h"

namespace asc::sim {

inline constexpr int kHardEvents = 35;

enum class RunStatus : uint8_t { Done, Blocked, Yielded, Stopped };

struct CrossCore;  // counters of cross-core flags (sim/cross_core.h)

// One launch, as all of its cores see it. Constant while they run, but for `stop`, and what only the
// launching thread uses.
struct Launch {
  const Program* program = nullptr;
  const Options* options = nullptr;
  const PlatformDesc* platform = nullptr;
  GlobalMemory gm;
  WorkspaceMemory workspace;
  std::vector<uint64_t> entry;  // the kernel's first slots
  int grid = 0;
  bool has_aic = false, has_aiv = true;
  int aiv_per_block = 1;
  CrossCore* cross = nullptr;  // lockstep only
  std::chrono::steady_clock::time_point deadline;
  bool has_deadline = false;
  Watch* watch = nullptr;
  const std::thread::id launcher = std::this_thread::get_id();
  std::chrono::steady_clock::time_point next_look{};  // at `watch`; of the launching thread
  std::atomic<bool> stop{false}, interrupted{false}, timed_out{false};

  bool mixed() const { return has_aic && has_aiv; }
  CoreSet cores() const { return mixed() ? CoreSet::Any : has_aic ? CoreSet::AIC : CoreSet::AIV; }
  bool poll();  // false: stop

 private:
  bool ask_watch(std::chrono::steady_clock::time_point now);
};

struct Frame {
  const Instr* return_pc;
  uint64_t* base;
  uint32_t object_base;
};

// A flag of one core: set or not, who set it last, and a wait that came before any set.
struct FlagCell {
  Origin set_at, wait_at;
};

struct Core {
  // -- the VM's registers, kept here while it is outside its loop
  const Instr* pc = nullptr;
  uint64_t* r = nullptr;
  int64_t fuel = 0;
  int depth = 0;
  uint32_t object_base = 0;
  // -- identity
  Launch* launch = nullptr;
  const Program* program = nullptr;
  const Instr* code = nullptr;
  Mode mode = Mode::Check;
  bool aic = false;
  int block = 0, sub_block = 0;
  Bank* banks = nullptr;
  uint32_t align_mask[kSpaceCount] = {};  // start alignment of each memory, less one
  // -- state
  std::vector<uint64_t> stack;
  std::vector<Frame> frames;
  std::vector<Object> objects;
  std::vector<Buffer> buffers;
  uint8_t flags[kHardEvents] = {}, waits[kHardEvents] = {};
  std::unique_ptr<FlagCell[]> cells;  // [event][id]
  uint8_t cross_count[kCrossCoreIds] = {};
  int waiting_for = -1;  // cross-core id of a blocked core
  FindingLog log;
  GmLog* gm_log = nullptr;  // where cores run at once
  std::string printed;

  void prepare(Launch& launch);  // once a core object
  void begin(int block, int sub_block, bool aic, Bank* banks);
  void end();  // after the last instruction: what was left open
  Origin here() const {
    Origin at;
    mark(at);
    return at;
  }
  void mark(Origin& at) const {  // the instruction at hand and its callers
    at.pc = static_cast<uint32_t>(pc - code);
    at.depth = 0;
    for (int i = depth; i > 0 && at.depth < Origin::kCallers; i--)
      at.callers[at.depth++] = static_cast<uint32_t>(frames[static_cast<size_t>(i - 1)].return_pc - code) - 1;
  }
  std::string name() const;
  int block_idx() const { return aic ? block : block * launch->aiv_per_block + sub_block; }
  uint8_t core_bit() const { return static_cast<uint8_t>(aic ? CoreSet::AIC : CoreSet::AIV); }
};

// Runs until the core ends, blocks or runs out of fuel.
RunStatus run(Core& core);
// Label offsets of the instruction handlers of a mode, by Op.
const int32_t* handler_offsets(Mode mode);

// Slow paths of scalar instructions (scalar.cpp).
uint64_t slow_arithmetic(Core& core, int code, DType type, uint64_t x, uint64_t y);
uint64_t convert_scalar(Core& core, DType from, DType to, bool is_explicit, uint64_t value);
void report_outside_type(Core& core, DType type, int64_t value, bool is_unsigned_value = false);
void report_overflow64(Core& core);
void report_division_by_zero(Core& core);
void report_shift(Core& core, DType type, int64_t distance);
void report_step_zero(Core& core);
void report_step_beyond(Core& core, DType type, uint64_t step);
std::string format_text(const Core& core, const TextFormat& format);

}  // namespace asc::sim
