// SPDX-License-Identifier: Apache-2.0
// The pool against itself: jobs posted while its threads are told to end.
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <future>
#include <thread>

#include "base/thread_pool.h"

namespace asc {
namespace {

void add_item(void* sum, int, int item) { static_cast<std::atomic<int>*>(sum)->fetch_add(item); }

// Threads that were told to end do so, also if a job comes before they have heard of it.
TEST(ThreadPool, ShutdownBesideJobs) {
  constexpr int kRounds = 1000;
  std::atomic<int> sum{0}, closings{0};
  std::atomic<bool> done{false};
  std::thread poster([&] {
    for (int round = 0; round < kRounds; round++) {
      parallel_for(20, 3, add_item, &sum);
      const int seen = closings;  // the next job comes right after the next closing has begun
      for (int i = 0; i < 1000 && closings == seen; i++) std::this_thread::yield();
    }
    done = true;
  });
  std::future<void> closer = std::async(std::launch::async, [&] {
    while (!done) {
      closings++;
      shutdown_thread_pool();
    }
  });
  if (closer.wait_for(std::chrono::minutes(2)) != std::future_status::ready) {
    ADD_FAILURE() << "shutdown_thread_pool hangs";
    std::abort();  // its thread cannot be joined
  }
  poster.join();
  EXPECT_EQ(sum, kRounds * 190);
}

// A signal for the process finds the thread that waits for it, and not one of the pool.
TEST(ThreadPool, SignalsAreForOtherThreads) {
  std::atomic<int> open{0};
  shutdown_thread_pool();
  parallel_for(
      64, 4,
      [](void* count, int worker, int) {
        sigset_t blocked;
        pthread_sigmask(SIG_SETMASK, nullptr, &blocked);
        if (worker > 0 && (!sigismember(&blocked, SIGTERM) || sigismember(&blocked, SIGSEGV)))
          static_cast<std::atomic<int>*>(count)->fetch_add(1);
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
      },
      &open);
  EXPECT_EQ(open, 0);
  sigset_t own;
  pthread_sigmask(SIG_SETMASK, nullptr, &own);
  EXPECT_FALSE(sigismember(&own, SIGTERM));
}

}  // namespace
}  // namespace asc
