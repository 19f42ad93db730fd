// SPDX-License-Identifier: Apache-2.0
// Local memories and their store; grouping of overlapping arguments.
#include "sim/memory.h"

#include <pthread.h>

#include <algorithm>
#include <mutex>

namespace asc::sim {

void fill_poison(void* at, size_t bytes) {
  uint8_t* to = static_cast<uint8_t*>(at);
  const size_t words = bytes / sizeof(kPoison);
  for (size_t i = 0; i < words; i++) std::memcpy(to + i * sizeof(kPoison), &kPoison, sizeof(kPoison));
  std::memcpy(to + words * sizeof(kPoison), &kPoison, bytes % sizeof(kPoison));
}

LocalMemory::LocalMemory(const PlatformDesc& platform, bool aic) : platform_(&platform), aic_(aic) {
  constexpr size_t kAlign = 512;
  size_t total = kAlign;
  for (int s = 1; s < kSpaceCount; s++)
    if ((static_cast<Space>(s) == Space::UB) != aic)
      total += (platform.memory_bytes[s] + kAlign - 1) / kAlign * kAlign;
  storage_ = std::make_unique_for_overwrite<uint8_t[]>(total);
  const uintptr_t address = reinterpret_cast<uintptr_t>(storage_.get());
  uint8_t* at = storage_.get() + (kAlign - address % kAlign) % kAlign;
  for (int s = 1; s < kSpaceCount; s++) {
    if ((static_cast<Space>(s) == Space::UB) == aic) continue;
    banks_[s] = {at, platform.memory_bytes[s], platform.memory_bytes[s]};
    at += (platform.memory_bytes[s] + kAlign - 1) / kAlign * kAlign;
  }
  poison();
}

void LocalMemory::poison() {
  for (Bank& bank : banks_) {
    if (bank.dirty) fill_poison(bank.base, std::min(bank.dirty, bank.bytes));
    bank.dirty = 0;
  }
}

namespace {

struct Store {
  std::mutex mutex;
  std::vector<std::unique_ptr<LocalMemory>> free;
};

// Never destroyed: a thread may still give a memory back while the process ends.
Store& store() {
  static Store* instance = new Store;
  return *instance;
}

constexpr size_t kStoredMemories = 16;

// A fork while another thread is in here would leave the child with a locked store.
void guard_against_fork() {
  static std::once_flag once;
  std::call_once(once, [] {
    const auto lock = [] { store().mutex.lock(); };
    const auto unlock = [] { store().mutex.unlock(); };
    pthread_atfork(lock, unlock, unlock);
  });
}

}  // namespace

std::unique_ptr<LocalMemory> acquire_memory(const PlatformDesc& platform, bool aic) {
  guard_against_fork();
  {
    Store& s = store();
    std::lock_guard lock(s.mutex);
    for (size_t i = s.free.size(); i-- > 0;) {
      if (!s.free[i]->fits(platform, aic)) continue;
      std::unique_ptr<LocalMemory> found = std::move(s.free[i]);
      s.free.erase(s.free.begin() + static_cast<ptrdiff_t>(i));
      return found;
    }
  }
  return std::make_unique<LocalMemory>(platform, aic);
}

void release_memory(std::unique_ptr<LocalMemory> memory) {
  if (!memory) return;
  memory->poison();
  Store& s = store();
  std::lock_guard lock(s.mutex);
  if (s.free.size() < kStoredMemories) s.free.push_back(std::move(memory));
}

void GlobalMemory::bind(std::span<const Argument> launch_arguments, std::vector<uint64_t>* addresses) {
  groups.clear();
  arguments.clear();
  addresses->assign(launch_arguments.size(), 0);
  struct Span {
    uintptr_t begin, end;
    size_t index;
  };
  std::vector<Span> spans;
  for (size_t i = 0; i < launch_arguments.size(); i++) {
    const Argument& a = launch_arguments[i];
    if (!a.is_array) continue;
    const uintptr_t begin = reinterpret_cast<uintptr_t>(a.data);
    spans.push_back({begin - static_cast<uintptr_t>(a.before), begin + static_cast<uintptr_t>(a.bytes), i});
  }
  std::stable_sort(spans.begin(), spans.end(),
                   [](const Span& x, const Span& y) { return x.begin < y.begin; });
  std::vector<uint32_t> group_of(launch_arguments.size(), 0);
  uintptr_t end = 0;
  for (const Span& s : spans) {
    if (s.begin == s.end) continue;
    if (groups.empty() || s.begin >= end) {
      groups.push_back({.base = reinterpret_cast<uint8_t*>(s.begin)});
      end = s.begin;
    }
    end = std::max(end, s.end);
    group_of[s.index] = static_cast<uint32_t>(groups.size() - 1);
    groups.back().bytes = static_cast<int64_t>(end - reinterpret_cast<uintptr_t>(groups.back().base));
    groups.back().read_only |= launch_arguments[s.index].read_only;
  }
  for (const Span& s : spans) {  // an empty array overlaps nothing, wherever it points
    if (s.begin != s.end) continue;
    group_of[s.index] = static_cast<uint32_t>(groups.size());
    groups.push_back({.base = reinterpret_cast<uint8_t*>(s.begin)});
  }
  // Owners follow the kernel's order of arguments, not host addresses, so that addresses are the same in
  // every launch.
  std::vector<uint32_t> order(groups.size(), UINT32_MAX);
  std::vector<GlobalGroup> ordered;
  for (size_t i = 0; i < launch_arguments.size(); i++) {
    const Argument& a = launch_arguments[i];
    if (!a.is_array) continue;
    uint32_t& group = order[group_of[i]];
    if (group == UINT32_MAX) {
      group = static_cast<uint32_t>(ordered.size());
      ordered.push_back(groups[group_of[i]]);
    }
    const int64_t shift = static_cast<uint8_t*>(a.data) - ordered[group].base;
    arguments.push_back({std::string(a.name), group, shift, a.bytes, a.before, a.dtype, a.read_only});
    (*addresses)[i] = make_address(kFirstGlobalOwner + group, shift);
  }
  groups = std::move(ordered);
  for (const Argument& table : launch_arguments)
    for (uint32_t i = 0; i < table.target_count; i++)
      static_cast<uint64_t*>(table.data)[i] = (*addresses)[table.first_target + i];
}

const GlobalArgument* GlobalMemory::nearest(uint32_t group, int64_t begin, int64_t end) const {
  const GlobalArgument* best = nullptr;
  int64_t best_distance = INT64_MAX;
  for (const GlobalArgument& a : arguments) {
    if (a.group != group) continue;
    // How far the range reaches outside this argument.
    const int64_t distance =
        std::max<int64_t>(a.shift - a.before - begin, 0) + std::max<int64_t>(end - (a.shift + a.bytes), 0);
    if (distance < best_distance) best = &a, best_distance = distance;
  }
  return best;
}

}  // namespace asc::sim
