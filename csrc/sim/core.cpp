// SPDX-License-Identifier: Apache-2.0
// Life of a core: prepared once, begun for each block, ended with a look at what was left open.
#include <algorithm>

#include "base/format.h"
#include "sim/handlers.h"

namespace asc::sim {

constexpr std::chrono::milliseconds kBetweenLooks{50};

bool Launch::ask_watch(std::chrono::steady_clock::time_point now) {
  const bool first = next_look == std::chrono::steady_clock::time_point{};
  if (!first && now < next_look) return true;
  const bool goes_on = first || watch->go_on();
  next_look = std::chrono::steady_clock::now() + kBetweenLooks;
  return goes_on;
}

bool Launch::poll() {
  if (stop.load(std::memory_order_relaxed)) return false;
  const bool watched = watch && std::this_thread::get_id() == launcher;
  if (!has_deadline && !watched) return true;
  const auto now = std::chrono::steady_clock::now();
  if (has_deadline && now > deadline)
    timed_out.store(true, std::memory_order_relaxed);
  else if (watched && !ask_watch(now))
    interrupted.store(true, std::memory_order_relaxed);
  else
    return true;
  stop.store(true, std::memory_order_relaxed);
  return false;
}

void Core::prepare(Launch& new_launch) {
  launch = &new_launch;
  program = launch->program;
  mode = launch->options->mode;
  for (int s = 0; s < kSpaceCount; s++) align_mask[s] = start_alignment(static_cast<Space>(s)) - 1;
  code = program->code[static_cast<int>(mode)].data();
  const FunctionCode& kernel = program->kernel();
  stack.assign(kernel.stack + 2, 0);
  frames.resize(kernel.depth + 1);
  objects.resize(kernel.object_stack);
  cells = std::make_unique<FlagCell[]>(static_cast<size_t>(kHardEvents) * kEventIds);
}

void Core::begin(int new_block, int new_sub_block, bool is_aic, Bank* new_banks) {
  block = new_block;
  sub_block = new_sub_block;
  aic = is_aic;
  banks = new_banks;
  std::copy(launch->entry.begin(), launch->entry.end(), stack.begin());
  r = stack.data();
  pc = code + program->kernel().first;
  depth = 0;
  object_base = 0;
  fuel = 0;
  buffers.clear();
  for (Object& object : objects) object.kept_count = 0;
  std::fill(std::begin(flags), std::end(flags), uint8_t{0});
  std::fill(std::begin(waits), std::end(waits), uint8_t{0});
  std::fill(std::begin(cross_count), std::end(cross_count), uint8_t{0});
  waiting_for = -1;
  printed.clear();
  log.begin(*program, *launch->options, name());
}

std::string Core::name() const {
  if (aic) return fmt::format("block {}, AIC", block);
  return fmt::format("block {}, AIV {}", block, sub_block);
}

void Core::end() {
  end_flags(*this);
  if (mode == Mode::Check) end_queues(*this);
}

}  // namespace asc::sim
