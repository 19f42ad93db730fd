// SPDX-License-Identifier: Apache-2.0
// Launches: cores of a grid on the thread pool, or, where cores wait for each other, interleaved on one
// thread.
#include <algorithm>
#include <cstring>
#include <exception>

#include "base/format.h"
#include "base/thread_pool.h"
#include "ir/scalar.h"
#include "sim/cross_core.h"
#include "sim/handlers.h"

namespace asc::sim {

namespace {

using Clock = std::chrono::steady_clock;

// Below this much work, waking another thread costs more than it brings.
constexpr int64_t kInlineNanoseconds = 60'000;

struct CoreResult {
  std::vector<FindingLog::Entry> entries;
  std::string printed;
};

// The cores of a launch in order: block by block, the cube core before its vector cores.
struct CoreId {
  int block, sub_block;
  bool aic;
};

int cores_per_block(const Launch& launch) {
  return (launch.has_aic ? 1 : 0) + (launch.has_aiv ? launch.aiv_per_block : 0);
}

CoreId core_id(const Launch& launch, int item) {
  const int per_block = cores_per_block(launch), within = item % per_block;
  const bool aic = launch.has_aic && within == 0;
  return {item / per_block, aic ? 0 : within - (launch.has_aic ? 1 : 0), aic};
}

void choose_cores(Launch& launch, ir::KernelType type) {
  switch (type) {
    case ir::KernelType::AIC_ONLY:
    case ir::KernelType::MIX_AIC_1_0:
      launch.has_aic = true;
      launch.has_aiv = false;
      break;
    case ir::KernelType::MIX_AIC_1_1: launch.has_aic = true; break;
    case ir::KernelType::MIX_AIC_1_2:
      launch.has_aic = true;
      launch.aiv_per_block = 2;
      break;
    default: break;
  }
}

void bind_arguments(Launch& launch, std::span<const Argument> arguments) {
  const Program& program = *launch.program;
  size_t targets = 0;
  for (const Argument& a : arguments) targets += a.target_count;
  if (arguments.size() != program.params.size() + targets)
    throw LaunchError(fmt::format("the kernel takes {} arguments, {} were given", program.params.size(),
                                  arguments.size() - targets));
  std::vector<uint64_t> addresses;
  launch.gm.bind(arguments, &addresses);
  for (size_t i = 0; i < program.params.size(); i++) {
    const KernelParam& param = program.params[i];
    const size_t end = param.slot + std::max<size_t>(1, param.leaves.size());
    if (launch.entry.size() < end) launch.entry.resize(end, 0);
    if (param.type.kind == Kind::Struct) {
      if (!unpack_struct(param, arguments[i], &launch.entry[param.slot]))
        throw LaunchError(fmt::format("argument '{}' has {} bytes, the kernel's struct {}", param.name,
                                      arguments[i].bytes, param.bytes));
      continue;
    }
    uint64_t value = arguments[i].is_array ? addresses[i] : arguments[i].bits;
    if (!arguments[i].is_array && param.type.is_scalar() && is_float(param.type.elem) &&
        param.type.elem != DType::F64)
      value = std::bit_cast<uint32_t>(
          static_cast<float>(ir::round_to(param.type.elem, std::bit_cast<double>(value))));
    launch.entry[param.slot] = value;
  }
}

// A core that the launch stopped, and where it stood.
void report_timeout(Core& core) {
  if (!core.launch->timed_out.load(std::memory_order_relaxed)) return;
  Finding* f = core.log.add(FindingId::Timeout, core.here());
  if (!f) return;
  f->message =
      fmt::format("{} was still running here after {} s", core.name(), core.launch->options->timeout_seconds);
  f->fix = "look for a loop that does not end, or give the launch more time";
}

CoreResult result_of(Core& core, RunStatus status) {
  if (status == RunStatus::Done) core.end();
  if (status == RunStatus::Stopped) report_timeout(core);
  CoreResult result;
  if (!core.log.empty()) result.entries = core.log.take();
  result.printed.swap(core.printed);
  return result;
}

// ---- independent cores
// --------------------------------------------------------------------------------------------------

struct Worker {
  Core core;
  GmLog gm_log;
  std::unique_ptr<LocalMemory> memory[2];  // AIV, AIC
  bool ready = false;
};

struct ParallelRun {
  Launch& launch;
  std::span<const Argument> arguments;
  std::vector<Worker> workers{};
  std::vector<CoreResult> results{};
  // By item, so that the first one is the same for any number of threads.
  std::vector<std::exception_ptr> faults{};
  int first = 0;           // items before it are done
  size_t ranges_kept = 0;  // by the log of one item; 0: items run in order, and none is needed
  std::vector<std::vector<std::vector<GmTouch>>> touches{};  // by worker and group of arguments

  void run_item(int worker_index, int item) {
    // The launching thread looks outside between items too: a block may be too short to do so itself.
    if (worker_index == 0 && item > 0 ? !launch.poll() : launch.stop.load(std::memory_order_relaxed)) return;
    Worker& worker = workers[static_cast<size_t>(worker_index)];
    if (!worker.ready) {
      worker.core.prepare(launch);
      worker.ready = true;
    }
    const CoreId id = core_id(launch, item);
    std::unique_ptr<LocalMemory>& memory = worker.memory[id.aic ? 1 : 0];
    if (!memory)
      memory = acquire_memory(*launch.platform, id.aic);
    else
      memory->poison();
    worker.core.begin(id.block, id.sub_block, id.aic, memory->banks());
    worker.core.gm_log = ranges_kept ? &worker.gm_log : nullptr;
    if (ranges_kept) worker.gm_log.begin(launch.gm.groups.size(), ranges_kept);
    const RunStatus status = run(worker.core);
    if (ranges_kept)
      worker.gm_log.take(static_cast<uint32_t>(item), &touches[static_cast<size_t>(worker_index)]);
    results[static_cast<size_t>(item)] = result_of(worker.core, status);
  }

  static void call(void* context, int worker, int item) {
    auto* self = static_cast<ParallelRun*>(context);
    try {
      self->run_item(worker, item);
    } catch (...) {
      self->faults[static_cast<size_t>(item)] = std::current_exception();
      self->launch.stop.store(true, std::memory_order_relaxed);
    }
  }
  static void call_rest(void* context, int worker, int item) {
    call(context, worker, item + static_cast<ParallelRun*>(context)->first);
  }
  static void waiting(void* context) { static_cast<ParallelRun*>(context)->launch.poll(); }
};

int64_t nanoseconds_since(Clock::time_point start) {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(Clock::now() - start).count();
}

// What the cores may write, kept for running them again. Needed only where they may read it too: all others
// compute the same again from what they read.
class Snapshot {
 public:
  Snapshot(Launch& launch, std::span<const Argument> arguments) : workspace_(launch.workspace) {
    std::vector<bool> read(launch.gm.groups.size()), written(launch.gm.groups.size());
    size_t array = 0;
    for (size_t i = 0; i < arguments.size(); i++) {
      if (!arguments[i].is_array) continue;
      const uint32_t group = launch.gm.arguments[array++].group;
      const bool known = i < launch.program->params.size() && arguments[i].target_count == 0;
      if (!known || launch.program->params[i].may_read) read[group] = true;
      if (!known || launch.program->params[i].may_write) written[group] = true;
    }
    // A workspace is read and written. Of it only what the first block and all blocks together have may hold
    // something by now; the rest is poison.
    bool both = !workspace_.empty();
    keep(workspace_.first_blocks(1));
    for (size_t g = 0; g < read.size(); g++) both = both || (read[g] && written[g]);
    for (size_t g = 0; both && g < read.size(); g++) {
      const GlobalGroup& group = launch.gm.groups[g];
      if (written[g] && !group.read_only) keep({group.base, static_cast<size_t>(group.bytes)});
    }
  }
  void restore() {
    workspace_.poison();
    for (const Kept& kept : kept_) std::memcpy(kept.at.data(), kept.bytes.get(), kept.at.size());
  }

 private:
  struct Kept {
    std::span<uint8_t> at;
    std::unique_ptr<uint8_t[]> bytes;
  };
  void keep(std::span<uint8_t> at) {
    if (at.empty()) return;
    kept_.push_back({at, std::make_unique_for_overwrite<uint8_t[]>(at.size())});
    std::memcpy(kept_.back().bytes.get(), at.data(), at.size());
  }

  WorkspaceMemory& workspace_;
  std::vector<Kept> kept_;
};

// On several threads; where cores then met in global memory, once more in order, from where they started. So
// the number of threads changes no result.
void run_at_once(ParallelRun& run, int items, int threads) {
  constexpr size_t kRangesOfLaunch = size_t{1} << 20, kMostRanges = size_t{1} << 14, kFewestRanges = 64;
  Snapshot before(run.launch, run.arguments);
  run.ranges_kept = std::clamp(kRangesOfLaunch / static_cast<size_t>(items), kFewestRanges, kMostRanges);
  run.touches.resize(run.workers.size());
  parallel_for(items, threads, ParallelRun::call_rest, &run, ParallelRun::waiting);
  run.ranges_kept = 0;
  if (run.launch.stop.load(std::memory_order_relaxed)) return;
  bool met = false;
  for (size_t g = 0; g < run.launch.gm.groups.size() && !met; g++) {
    std::vector<std::vector<GmTouch>> lists;
    for (auto& groups : run.touches)
      if (!groups.empty()) lists.push_back(std::move(groups[g]));
    met = cores_met(std::move(lists));
  }
  if (!met) return;
  run.launch.program->cost.cores_met.store(true, std::memory_order_relaxed);
  before.restore();
  parallel_for(items, 1, ParallelRun::call_rest, &run);
}

// Items on one thread or on many, by what they cost. A program whose cost is not known runs its first item
// alone.
void run_items(ParallelRun& run, int items, int64_t argument_bytes) {
  CostHint& hint = run.launch.program->cost;
  const int threads = static_cast<int>(run.workers.size());
  const auto start = Clock::now();
  int64_t item_ns = hint.block_ns.load(std::memory_order_relaxed);
  int done = 0;
  if (threads > 1 && hint.bytes.load(std::memory_order_relaxed) != argument_bytes) {
    ParallelRun::call(&run, 0, done++);
    item_ns = nanoseconds_since(start);
  }
  run.first = done;
  const bool small = item_ns * (items - done) < kInlineNanoseconds;
  const bool in_order = small || hint.cores_met.load(std::memory_order_relaxed);
  const int used = in_order ? 1 : std::min(threads, items - done);
  const auto rest = Clock::now();
  if (used > 1)
    run_at_once(run, items - done, used);
  else
    parallel_for(items - done, 1, ParallelRun::call_rest, &run);
  const int64_t spent = nanoseconds_since(rest) * std::max(1, used) + (done ? item_ns : 0);
  hint.block_ns.store(spent / items, std::memory_order_relaxed);
  hint.bytes.store(argument_bytes, std::memory_order_relaxed);
}

std::vector<CoreResult> run_parallel(Launch& launch, std::span<const Argument> arguments) {
  int64_t argument_bytes = 0;
  for (const Argument& a : arguments) argument_bytes += a.is_array ? a.bytes : 0;
  const int items = launch.grid * cores_per_block(launch);
  const int threads = launch.options->threads > 0 ? launch.options->threads : hardware_threads();
  ParallelRun run{launch, arguments};
  run.workers = std::vector<Worker>(static_cast<size_t>(std::min(threads, items)));
  run.results.resize(static_cast<size_t>(items));
  run.faults.resize(static_cast<size_t>(items));
  run_items(run, items, argument_bytes);
  for (Worker& worker : run.workers)
    for (auto& memory : worker.memory) release_memory(std::move(memory));
  for (const std::exception_ptr& fault : run.faults)
    if (fault) std::rethrow_exception(fault);
  return std::move(run.results);
}

// ---- cores that wait for each other
// -------------------------------------------------------------------------------------

struct LockstepCore {
  Core core;
  std::unique_ptr<LocalMemory> memory;
  RunStatus status = RunStatus::Yielded;
  bool done = false;
};

// Whose set a blocked core could be waiting for.
std::string possible_setters(const Launch& launch, const Core& core) {
  std::string out;
  auto add = [&out](std::string_view text) { out += fmt::format("{}{}", out.empty() ? "" : ", or ", text); };
  if (launch.mixed()) {
    add(core.aic
            ? (launch.aiv_per_block == 2 ? fmt::format("both vector cores of block {} (mode 2)", core.block)
                                         : fmt::format("the vector core of block {} (mode 2)", core.block))
            : fmt::format("the cube core of block {} (mode 2)", core.block));
  }
  if (!core.aic && launch.aiv_per_block == 2)
    add(fmt::format("both vector cores of block {} (mode 1)", core.block));
  add(core.aic ? "all cube cores (mode 0)" : "all vector cores (mode 0)");
  return out;
}

void report_deadlock(Launch& launch, std::vector<LockstepCore>& cores) {
  std::vector<Core*> waiters;
  for (LockstepCore& c : cores)
    if (!c.done) waiters.push_back(&c.core);
  constexpr size_t kShown = 16;
  Core& first = *waiters.front();
  Finding* f = first.log.add(FindingId::Deadlock, first.here());
  if (!f) return;
  f->op = "asc.cross_core_wait_flag";
  f->message = fmt::format("deadlock: {} of {} cores wait and none can go on:", waiters.size(), cores.size());
  for (size_t i = 0; i < waiters.size(); i++) {
    const Core& w = *waiters[i];
    const std::vector<Site> sites = sites_of(*launch.program, w.here());
    if (i < kShown) {
      const std::string where =
          sites.empty() ? "?" : fmt::format("{}:{}", sites.front().file, sites.front().line);
      f->message += fmt::format("\n  {} waits for flag {} at {}; it is set by {}", w.name(), w.waiting_for,
                                where, possible_setters(launch, w));
    }
    auto same = [&](const Site& s) { return s.line == sites.front().line && s.file == sites.front().file; };
    if (!sites.empty() && !f->sites.empty() && !same(f->sites.front()) && f->other.size() < kShown &&
        std::none_of(f->other.begin(), f->other.end(), same))
      f->other.push_back(sites.front());
  }
  if (waiters.size() > kShown) f->message += fmt::format("\n  and {} more", waiters.size() - kShown);
  f->fix = "each cross_core_wait_flag needs a cross_core_set_flag with its id on the cores named";
}

void report_left_counts(Launch& launch, CrossCore& cross) {
  if (launch.options->mode != Mode::Check) return;
  for (CrossCore::Member& m : cross.members) {
    for (int id = 0; id < kCrossCoreIds; id++) {
      if (m.core->cross_count[id] == 0) continue;
      // The set is another core's; any that set this id shows where.
      const auto setter = std::find_if(cross.members.begin(), cross.members.end(),
                                       [id](const CrossCore::Member& s) { return s.set_at[id].valid(); });
      if (setter == cross.members.end()) continue;
      Finding* f =
          m.core->log.add(FindingId::CrossCoreLeft, setter->set_at[id], nullptr, static_cast<uint64_t>(id));
      if (!f) continue;
      f->op = "asc.cross_core_set_flag";
      f->message = fmt::format("cross_core_set_flag: flag {} of {} is {} at the end: set, not waited for", id,
                               m.core->name(), int{m.core->cross_count[id]});
      f->fix = "wait for it as often as it is set: what is left disturbs the next kernel";
    }
  }
}

// One turn for each core that can run; false when nothing moved.
bool run_round(CrossCore& cross, std::vector<LockstepCore>& cores) {
  const uint64_t before = cross.progress;
  bool moved = false;
  for (LockstepCore& c : cores) {
    if (c.done) continue;
    c.status = run(c.core);
    c.done = c.status == RunStatus::Done || c.status == RunStatus::Stopped;
    moved = moved || c.status != RunStatus::Blocked;
  }
  return moved || cross.progress != before;
}

std::vector<CoreResult> run_lockstep(Launch& launch) {
  const int items = launch.grid * cores_per_block(launch);
  CrossCore cross;
  launch.cross = &cross;
  std::vector<LockstepCore> cores(static_cast<size_t>(items));
  for (int i = 0; i < items; i++) {
    LockstepCore& c = cores[static_cast<size_t>(i)];
    const CoreId id = core_id(launch, i);
    c.core.prepare(launch);
    c.memory = acquire_memory(*launch.platform, id.aic);
    c.core.begin(id.block, id.sub_block, id.aic, c.memory->banks());
    cross.members.emplace_back().core = &c.core;
  }
  auto left = [&cores] {
    return std::any_of(cores.begin(), cores.end(), [](const LockstepCore& c) { return !c.done; });
  };
  bool deadlock = false;
  while (left() && !deadlock && launch.poll()) deadlock = !run_round(cross, cores) && left();
  if (deadlock)
    report_deadlock(launch, cores);
  else if (!left())
    report_left_counts(launch, cross);
  std::vector<CoreResult> results;
  for (LockstepCore& c : cores) {
    const bool stopped = !c.done && !deadlock;
    results.push_back(result_of(c.core, stopped ? RunStatus::Stopped : c.status));
    release_memory(std::move(c.memory));
  }
  return results;
}

}  // namespace

LaunchResult launch(const Program& program, int grid, std::span<const Argument> arguments,
                    const Options& options, Watch* watch) {
  Launch launch;
  launch.program = &program;
  launch.options = &options;
  launch.platform = options.platform ? options.platform : &platforms().front();
  launch.grid = grid;
  launch.watch = watch;
  constexpr double kLongest = 1e9;  // thirty years; the clock counts no more than ten times that
  if (options.timeout_seconds > 0) {
    launch.has_deadline = true;
    const std::chrono::duration<double> most(std::min(options.timeout_seconds, kLongest));
    launch.deadline = Clock::now() + std::chrono::duration_cast<Clock::duration>(most);
  }
  choose_cores(launch, program.kernel_type);
  bind_arguments(launch, arguments);
  if (!program.workspace.areas.empty()) launch.workspace.bind(launch);

  LaunchResult out;
  std::vector<CoreResult> results;
  const Verdict too_many = program.lockstep ? check_grid(grid, *launch.platform, launch.cores()) : Verdict();
  if (too_many) {
    // The blocks beyond the cores would never start, and the others wait for them: there is nothing to run.
    FindingLog log;
    log.begin(program, options, "");
    Origin at;
    at.pc = program.kernel().first;
    for (size_t i = 0; i < program.code[0].size(); i++) {  // the first call that waits or is waited for
      const Instr& in = program.code[0][i];
      if (in.op != Op::CallOp) continue;
      const OpDesc& desc = op_desc(program.sites[static_cast<size_t>(in.imm)].op);
      if (desc.family != Family::CrossCore) continue;
      at.pc = static_cast<uint32_t>(i);
      break;
    }
    log.add(too_many, at, "");
    results.push_back({log.take(), {}});
  } else if (grid > 0) {
    results = program.lockstep ? run_lockstep(launch) : run_parallel(launch, arguments);
  }
  std::vector<std::vector<FindingLog::Entry>> entries;
  for (CoreResult& r : results) {
    if (!r.entries.empty()) entries.push_back(std::move(r.entries));
    out.printed += r.printed;
  }
  out.findings = merge_findings(entries, options.max_findings, &out.silenced);
  out.interrupted = launch.interrupted.load();
  return out;
}

void shutdown_pool() { shutdown_thread_pool(); }

}  // namespace asc::sim
