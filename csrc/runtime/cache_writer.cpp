// SPDX-License-Identifier: Apache-2.0
#include "runtime/cache_writer.h"

#include <pthread.h>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <utility>
#include <vector>

#include "base/signals.h"
#include "runtime/cache_store.h"

namespace asc::runtime::cache {
namespace {

// Never destroyed: the thread may still be at work while the process ends. A forked child starts with a new
// one: the parent's jobs are the parent's.
struct Writer {
  std::mutex mutex;
  std::condition_variable changed;
  std::deque<StoreJob> jobs;
  Key at_work;  // level-1 key of the job being written
  bool busy = false, running = false, asked_to_drain = false;
  WriterStatus status;
  std::vector<std::pair<std::string, Counters>> counted;  // by folder, not written yet
};
Writer* g_writer = nullptr;

Counters take_counters(Writer& writer, const std::string& folder) {
  for (auto& [name, counters] : writer.counted)
    if (name == folder) return std::exchange(counters, Counters{});
  return {};
}

Counters& counters_of(Writer& writer, const std::string& folder) {
  for (auto& [name, counters] : writer.counted)
    if (name == folder) return counters;
  return writer.counted.emplace_back(folder, Counters{}).second;
}

bool is_empty(const Counters& c) { return !(c.hits | c.misses | c.stored | c.evicted | c.damaged); }

void fail(Writer& writer, std::string error) {
  const std::lock_guard lock(writer.mutex);
  writer.status.failed++;
  writer.status.last_error = std::move(error);
}

void store(Writer& writer, StoreJob& job) {
  const Store folder(job.folder);
  std::string error;
  const std::string object = job.object();
  if (!folder.write(FileKind::Object, job.row.key, object, &error)) return fail(writer, std::move(error));
  const std::string old = folder.read(FileKind::Manifest, job.row.manifest).value_or("");
  const std::string manifest = job.manifest(old);
  if (manifest != old && !folder.write(FileKind::Manifest, job.row.manifest, manifest, &error))
    return fail(writer, std::move(error));
  Counters counted;
  {
    const std::lock_guard lock(writer.mutex);
    writer.status.stored++;
    counted = take_counters(writer, job.folder);
    counted.stored++;
  }
  if (injected_fault(WriteStep::Index)) return;
  job.row.bytes = object.size() + kSealBytes;
  IndexRow listed;  // the manifest is a file too
  listed.key = job.row.manifest;
  listed.bytes = manifest.size() + kSealBytes;
  Index index(job.folder);
  const auto total = index.update({job.row, listed}, {}, counted);
  injected_fault(WriteStep::Done);
  if (total.value_or(0) <= job.most && (total || folder.bytes() <= job.most)) return;
  folder.sweep(3600);
  const std::vector<StoredFile> gone = folder.evict(job.most / 10 * 9);
  counted = {};
  counted.evicted = gone.size();
  index.update({}, gone, counted);
  const std::lock_guard lock(writer.mutex);
  writer.status.evicted += gone.size();
}

void* run(void* argument) {
  Writer& writer = *static_cast<Writer*>(argument);
  std::unique_lock lock(writer.mutex);
  for (;;) {
    writer.changed.wait(lock, [&] { return !writer.jobs.empty(); });
    StoreJob job = std::move(writer.jobs.front());
    writer.jobs.pop_front();
    writer.busy = true;
    writer.at_work = job.row.manifest;
    lock.unlock();
    try {
      store(writer, job);
    } catch (const std::exception& error) {  // out of memory, or a fault of ours: the kernel is not stored
      fail(writer, error.what());
    }
    job = {};
    lock.lock();
    writer.busy = false;
    writer.changed.notify_all();
  }
  return nullptr;
}

// Jobs hold kernels: a process that compiles faster than its disk writes stores only some.
constexpr size_t kMostJobs = 1024;

bool start(Writer& writer) {
  const SignalsLeftToOthers signals;
  pthread_t thread;
  const bool started = pthread_create(&thread, nullptr, run, &writer) == 0;
  if (started) pthread_detach(thread);
  return started;
}

void before_fork() {
  lock_index();
  g_writer->mutex.lock();
}
void after_fork_in_parent() {
  g_writer->mutex.unlock();
  unlock_index();
}
void after_fork_in_child() {
  g_writer->mutex.unlock();
  g_writer = new Writer;
  unlock_index();
}

Writer& writer() {
  static const bool once = [] {
    g_writer = new Writer;
    pthread_atfork(before_fork, after_fork_in_parent, after_fork_in_child);
    return true;
  }();
  static_cast<void>(once);
  return *g_writer;
}

template <class Done>
bool wait(Writer& writer, int milliseconds, Done&& done) {
  std::unique_lock lock(writer.mutex);
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::milliseconds(milliseconds);
  return writer.changed.wait_until(lock, deadline, done);
}

}  // namespace

bool enqueue(StoreJob job) {
  Writer& w = writer();
  const std::lock_guard lock(w.mutex);
  if (!w.running) {
    w.running = start(w);
    if (!w.running) return false;  // no thread to be had: not stored
  }
  if (w.jobs.size() >= kMostJobs) {
    w.status.failed++;
    w.status.last_error = "kernels are compiled faster than they can be stored";
    return false;
  }
  w.jobs.push_back(std::move(job));
  w.changed.notify_all();
  return !std::exchange(w.asked_to_drain, true);
}

bool count_in(const std::string& folder, const Counters& counted) {
  Writer& w = writer();
  const std::lock_guard lock(w.mutex);
  Counters& sum = counters_of(w, folder);
  sum.hits += counted.hits;
  sum.misses += counted.misses;
  sum.damaged += counted.damaged;
  return !std::exchange(w.asked_to_drain, true);
}

bool wait_for(const Key& manifest, int milliseconds) {
  Writer& w = writer();
  return wait(w, milliseconds, [&] {
    if (w.busy && w.at_work == manifest) return false;
    return std::none_of(w.jobs.begin(), w.jobs.end(),
                        [&](const StoreJob& job) { return job.row.manifest == manifest; });
  });
}

bool drain(int milliseconds) {
  Writer& w = writer();
  if (!wait(w, milliseconds, [&] { return w.jobs.empty() && !w.busy; })) return false;
  std::vector<std::pair<std::string, Counters>> counted;
  {
    const std::lock_guard lock(w.mutex);
    counted.swap(w.counted);
  }
  for (const auto& [folder, counters] : counted)
    if (!is_empty(counters) && Index(folder).rows()) Index(folder).update({}, {}, counters);
  return true;
}

WriterStatus writer_status() {
  Writer& w = writer();
  const std::lock_guard lock(w.mutex);
  return w.status;
}

}  // namespace asc::runtime::cache
