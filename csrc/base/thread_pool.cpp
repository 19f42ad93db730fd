// SPDX-License-Identifier: Apache-2.0
// The pool of threads behind parallel_for.
#include "base/thread_pool.h"

#include <pthread.h>
#include <sched.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdlib>
#include <mutex>
#include <thread>
#include <vector>

#include "base/signals.h"

namespace asc {

namespace {

struct Job {
  void (*run)(void*, int, int);
  void* context;
  int items;
  int worker_limit;     // worker numbers, the caller's included
  int next_worker = 1;  // under the pool's mutex
  int active = 0;       // pool threads inside, under the pool's mutex
  std::atomic<int> next{0};

  void work(int worker) {
    for (int item = next.fetch_add(1, std::memory_order_relaxed); item < items;
         item = next.fetch_add(1, std::memory_order_relaxed))
      run(context, worker, item);
  }
};

struct Pool {
  std::mutex mutex;
  std::condition_variable wake, done;
  std::vector<Job*> jobs;
  std::vector<std::thread> threads;
  int idle = 0;
  int generation = 0;  // threads of an earlier one end

  Job* pick() {
    for (Job* job : jobs)
      if (job->next_worker < job->worker_limit && job->next.load(std::memory_order_relaxed) < job->items)
        return job;
    return nullptr;
  }

  // Under the mutex. Where the machine gives no thread, those that are there do the work.
  void start(int missing, int most) {
    if (missing <= 0 || static_cast<int>(threads.size()) >= most) return;
    const SignalsLeftToOthers signals;
    try {
      for (int i = 0; i < missing && static_cast<int>(threads.size()) < most; i++)
        threads.emplace_back([this, own = generation] { serve(own); });
    } catch (const std::exception&) {}
  }

  void serve(int own_generation) {
    std::unique_lock lock(mutex);
    while (true) {
      Job* job = pick();
      if (!job) {
        if (generation != own_generation) return;
        idle++;
        wake.wait(lock);
        idle--;
        continue;
      }
      const int worker = job->next_worker++;
      job->active++;
      lock.unlock();
      job->work(worker);
      lock.lock();
      if (--job->active == 0) done.notify_all();
    }
  }
};

// Replaced in a forked child, whose copy has threads that no longer exist; never destroyed.
Pool* pool = new Pool;
std::once_flag hooks;

void before_fork() { pool->mutex.lock(); }
void after_fork_in_parent() { pool->mutex.unlock(); }
// The old pool stays as it is: its mutex is held and its threads are gone.
void after_fork_in_child() { pool = new Pool; }

void install_hooks() {
  pthread_atfork(before_fork, after_fork_in_parent, after_fork_in_child);
  std::atexit(shutdown_thread_pool);
}

}  // namespace

int hardware_threads() {
  cpu_set_t set;
  CPU_ZERO(&set);
  if (sched_getaffinity(0, sizeof(set), &set) == 0) return std::max(1, CPU_COUNT(&set));
  return std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
}

void parallel_for(int items, int threads, void (*run)(void*, int, int), void* context,
                  void (*waiting)(void*)) {
  threads = std::min(threads, items);
  if (threads <= 1) {
    for (int i = 0; i < items; i++) run(context, 0, i);
    return;
  }
  std::call_once(hooks, install_hooks);
  Job job{run, context, items, threads};
  Pool& p = *pool;
  {
    std::lock_guard lock(p.mutex);
    p.jobs.push_back(&job);
    const int wanted = threads - 1;
    p.start(wanted - p.idle, wanted);
    if (wanted == 1)
      p.wake.notify_one();
    else
      p.wake.notify_all();
  }
  job.work(0);
  // Most helpers end within microseconds of the caller: a short spin saves a sleep and its wake-up.
  const auto limit = std::chrono::steady_clock::now() + std::chrono::microseconds(30);
  std::unique_lock lock(p.mutex);
  job.next_worker = job.worker_limit;  // nobody else joins
  while (job.active > 0 && std::chrono::steady_clock::now() < limit) {
    lock.unlock();
    for (int i = 0; i < 64; i++) __asm__ __volatile__("" ::: "memory");
    lock.lock();
  }
  while (!p.done.wait_for(lock, std::chrono::milliseconds(50), [&job] { return job.active == 0; })) {
    if (!waiting) continue;
    lock.unlock();
    waiting(context);
    lock.lock();
  }
  p.jobs.erase(std::find(p.jobs.begin(), p.jobs.end(), &job));
}

void shutdown_thread_pool() {
  Pool& p = *pool;
  std::vector<std::thread> threads;
  {
    std::lock_guard lock(p.mutex);
    if (p.jobs.empty()) {
      p.generation++;
      threads.swap(p.threads);
      p.wake.notify_all();
    }
  }
  for (std::thread& t : threads) t.join();
}

}  // namespace asc
