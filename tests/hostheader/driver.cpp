// SPDX-License-Identifier: Apache-2.0
// Runs a printed kernel that was compiled for the host: every core of a launch has a stack and local memories
// of its own, all on one thread. A core runs until it ends or waits for another core's flag; then the next
// one in block order goes on, so that a launch has one result. A crash, a failed assertion or a deadlock
// becomes the text of an error.
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <ucontext.h>

#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include "host_core.h"

namespace {

constexpr size_t kStackBytes = size_t{1} << 20;
constexpr size_t kPad = 1 << 16;  // around each memory: a small step outside hurts nobody
constexpr size_t kBytes[kHostSpaces] = {0,        192 << 10, 512 << 10, 64 << 10,
                                        64 << 10, 128 << 10, 1 << 10,   2 << 10};
constexpr int kIds = 16;
constexpr uint32_t kPoison = 0xFFADFFADu;  // as the simulator fills memory that nobody wrote

// Stack and memories of a core, used again by later cores.
struct Room {
  std::unique_ptr<char[]> stack{new char[kStackBytes]};
  std::unique_ptr<uint8_t[]> storage;
  uint8_t* memory[kHostSpaces] = {};

  Room() {
    size_t total = 0;
    for (int s = kHostUB; s < kHostSpaces; s++) total += kBytes[s] + 2 * kPad;
    storage.reset(new uint8_t[total]());
    uint8_t* at = storage.get();
    for (int s = kHostUB; s < kHostSpaces; s++) {
      memory[s] = at + kPad;
      at += kBytes[s] + 2 * kPad;
    }
  }
  void poison(bool aic) {
    for (int s = kHostUB; s < kHostSpaces; s++)
      if (aic != (s == kHostUB))
        for (size_t i = 0; i < kBytes[s]; i += sizeof(kPoison))
          memcpy(memory[s] + i, &kPoison, sizeof(kPoison));
  }
};
std::vector<std::unique_ptr<Room>> idle_rooms;

struct Core : AscHostCore {  // the base comes first: the kernel's pointer is ours
  std::unique_ptr<Room> room;
  ucontext_t context;
  bool started = false, finished = false;
  int waits_for = -1;
  uint8_t counts[kIds] = {};
  uint8_t sets[3][kIds] = {};
  std::string printed;
};

struct Launch {
  std::vector<Core> cores;  // in block order: the cube core, then the vector cores
  void (*entry)(const uint64_t*) = nullptr;
  const uint64_t* args = nullptr;
  AscHostCore** slot = nullptr;
  ucontext_t scheduler;
  Core* running = nullptr;
  std::string error;
  sigjmp_buf crash;
  volatile sig_atomic_t signal = 0;
  pthread_t thread;
};
Launch* launch = nullptr;

std::string format(const char* text, va_list values) {
  va_list again;
  va_copy(again, values);
  const int n = vsnprintf(nullptr, 0, text, values);
  std::string out(n > 0 ? static_cast<size_t>(n) : 0, '\0');
  if (n > 0) vsnprintf(out.data(), out.size() + 1, text, again);
  va_end(again);
  return out;
}

std::string name_of(const Core& core) {
  char text[64];
  if (core.aic)
    snprintf(text, sizeof(text), "block %d, AIC", static_cast<int>(core.block));
  else
    snprintf(text, sizeof(text), "block %d, AIV %d", static_cast<int>(core.block),
             static_cast<int>(core.sub_block));
  return text;
}

// ---- what kernels call ----

void on_print(AscHostCore* core, const char* text, ...) {
  va_list values;
  va_start(values, text);
  static_cast<Core*>(core)->printed += format(text, values);
  va_end(values);
}

void on_fail(AscHostCore* core, const char* text, ...) {
  va_list values;
  va_start(values, text);
  launch->error = name_of(*static_cast<Core*>(core)) + ": " + format(text, values);
  va_end(values);
  swapcontext(&launch->running->context, &launch->scheduler);  // never comes back
  abort();
}

// Counts the flag up on `receivers` when each of `senders` has set it.
template <class Senders, class Receivers>
void set_when_all(int mode, int id, Senders senders, Receivers receivers) {
  for (Core& core : launch->cores)
    if (senders(core) && core.sets[mode][id] == 0) return;
  for (Core& core : launch->cores) {
    if (senders(core)) core.sets[mode][id]--;
    if (receivers(core)) core.counts[id]++;
  }
}

void on_cross_set(AscHostCore* raw, int32_t mode, int32_t id) {
  Core& me = *static_cast<Core*>(raw);
  if (mode < 0 || mode > 2 || id < 0 || id >= kIds)
    on_fail(raw, "CrossCoreSetFlag: mode %d, id %d", mode, id);
  me.sets[mode][id]++;
  const auto same_type = [&](const Core& c) { return c.aic == me.aic; };
  const auto same_block = [&](const Core& c) { return c.block == me.block; };
  const auto peers = [&](const Core& c) { return same_type(c) && same_block(c); };
  const auto others = [&](const Core& c) { return !same_type(c) && same_block(c); };
  if (mode == 0) return set_when_all(0, id, same_type, same_type);
  if (mode == 1) return set_when_all(1, id, peers, peers);
  set_when_all(2, id, peers, others);
}

void on_cross_wait(AscHostCore* raw, int32_t id) {
  Core& me = *static_cast<Core*>(raw);
  if (id < 0 || id >= kIds) on_fail(raw, "CrossCoreWaitFlag: id %d", id);
  while (me.counts[id] == 0) {
    me.waits_for = id;
    swapcontext(&me.context, &launch->scheduler);
  }
  me.waits_for = -1;
  me.counts[id]--;
}

// ---- cores ----

void run_core() {
  launch->entry(launch->args);
  launch->running->finished = true;
  swapcontext(&launch->running->context, &launch->scheduler);
}

void resume(Core& core) {
  if (!core.started) {
    core.started = true;
    if (idle_rooms.empty()) {
      core.room = std::make_unique<Room>();
    } else {
      core.room = std::move(idle_rooms.back());
      idle_rooms.pop_back();
    }
    core.room->poison(core.aic != 0);
    memcpy(core.memory, core.room->memory, sizeof(core.memory));
    getcontext(&core.context);
    core.context.uc_stack.ss_sp = core.room->stack.get();
    core.context.uc_stack.ss_size = kStackBytes;
    core.context.uc_link = nullptr;
    makecontext(&core.context, run_core, 0);
  }
  launch->running = &core;
  *launch->slot = &core;
  swapcontext(&launch->scheduler, &core.context);
  if (core.finished) idle_rooms.push_back(std::move(core.room));
}

void run_cores() {
  bool all_finished = false;
  while (!all_finished) {
    all_finished = true;
    bool progress = false;
    for (Core& core : launch->cores) {
      if (core.finished) continue;
      all_finished = false;
      if (core.waits_for >= 0 && core.counts[core.waits_for] == 0) continue;
      resume(core);
      progress = true;
      if (!launch->error.empty()) return;
    }
    if (all_finished || progress) continue;
    launch->error = "deadlock:";
    for (const Core& core : launch->cores)
      if (!core.finished)
        launch->error += " [" + name_of(core) + " waits for flag " + std::to_string(core.waits_for) + "]";
    return;
  }
}

// ---- signals ----

constexpr int kSignals[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGALRM};

void on_signal(int number) {
  // The clock's signal goes to any thread of the process.
  if (!pthread_equal(pthread_self(), launch->thread)) {
    if (number == SIGALRM) pthread_kill(launch->thread, number);
    return;
  }
  launch->signal = number;
  siglongjmp(launch->crash, 1);
}

std::string signal_text(int number) {
  switch (number) {
    case SIGFPE: return "integer division by zero (SIGFPE)";
    case SIGALRM: return "did not end in time";
    default: return std::string("crashed: ") + strsignal(number);
  }
}

void run_guarded(double seconds) {
  static char handler_stack[1 << 16];
  stack_t stack = {}, old_stack;
  stack.ss_sp = handler_stack;
  stack.ss_size = sizeof(handler_stack);
  sigaltstack(&stack, &old_stack);
  struct sigaction action = {}, old[sizeof(kSignals) / sizeof(kSignals[0])];
  action.sa_handler = on_signal;
  action.sa_flags = SA_ONSTACK | SA_NODEFER;
  for (size_t i = 0; i < sizeof(kSignals) / sizeof(kSignals[0]); i++)
    sigaction(kSignals[i], &action, &old[i]);
  itimerval timer = {}, old_timer;
  timer.it_value.tv_sec = static_cast<time_t>(seconds);
  timer.it_value.tv_usec =
      static_cast<suseconds_t>((seconds - static_cast<double>(timer.it_value.tv_sec)) * 1e6);
  setitimer(ITIMER_REAL, &timer, &old_timer);
  if (sigsetjmp(launch->crash, 1) == 0) run_cores();
  setitimer(ITIMER_REAL, &old_timer, nullptr);
  for (size_t i = 0; i < sizeof(kSignals) / sizeof(kSignals[0]); i++)
    sigaction(kSignals[i], &old[i], nullptr);
  sigaltstack(&old_stack, nullptr);
  if (launch->signal != 0) launch->error = name_of(*launch->running) + ": " + signal_text(launch->signal);
}

char* copied(const std::string& text) { return strdup(text.c_str()); }

}  // namespace

// Launches `grid` blocks of `aic` (0 or 1) cube cores and `aiv` vector cores each. args: one word an
// argument. Returns 0, or 1 with *error set; *printed is what the cores printed, in block order. Both are
// freed by asc_host_free.
extern "C" int asc_host_launch(AscHostCore** slot, void (*entry)(const uint64_t*), const uint64_t* args,
                               int grid, int aic, int aiv, double seconds, char** printed, char** error) {
  auto now = std::make_unique<Launch>();
  launch = now.get();
  launch->entry = entry;
  launch->args = args;
  launch->slot = slot;
  launch->thread = pthread_self();
  launch->cores = std::vector<Core>(static_cast<size_t>(grid) * static_cast<size_t>(aic + aiv));
  size_t i = 0;
  for (int block = 0; block < grid; block++) {
    for (int sub = -aic; sub < aiv; sub++, i++) {
      Core& core = launch->cores[i];
      core.block = block;
      core.grid = grid;
      core.aic = sub < 0;
      core.sub_block = sub < 0 ? 0 : sub;
      core.sub_blocks = sub < 0 ? 1 : aiv;
      core.cross_set = on_cross_set;
      core.cross_wait = on_cross_wait;
      core.print = on_print;
      core.fail = on_fail;
    }
  }
  run_guarded(seconds);
  std::string text;
  for (Core& core : launch->cores) {
    text += core.printed;
    if (core.room) idle_rooms.push_back(std::move(core.room));
  }
  *slot = nullptr;
  *printed = copied(text);
  *error = copied(launch->error);
  const bool failed = !launch->error.empty();
  launch = nullptr;
  return failed ? 1 : 0;
}

extern "C" void asc_host_free(char* text) { free(text); }
