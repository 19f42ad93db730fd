// SPDX-License-Identifier: Apache-2.0
// The floor of the simulated vector add: the same copies and additions in plain C++ with the same threads.
// Each block copies two tiles into its thread's own buffers, adds them, and copies the sum out.
// `floor_work` is arithmetic alone: how much faster two threads are than one on this machine, at this moment.
// A shared library, so that the benchmark can time it in turn with the simulator in one process.
#include <atomic>
#include <cstdint>
#include <cstring>
#include <memory>
#include <thread>
#include <vector>

namespace {

struct Job {
  const float* x;
  const float* y;
  float* z;
  int64_t share;
  int64_t tile;
  int blocks;
};

void add_block(const Job& job, int block, float* local) {
  constexpr int kBuffers = 2;
  const int64_t start = block * job.share;
  float* x_local = local;
  float* y_local = x_local + kBuffers * job.tile;
  float* z_local = y_local + kBuffers * job.tile;
  const size_t bytes = static_cast<size_t>(job.tile) * sizeof(float);
  for (int64_t i = 0; i < job.share / job.tile; i++) {
    const int64_t slot = (i % kBuffers) * job.tile;
    std::memcpy(x_local + slot, job.x + start + i * job.tile, bytes);
    std::memcpy(y_local + slot, job.y + start + i * job.tile, bytes);
    for (int64_t k = 0; k < job.tile; k++) {
      z_local[slot + k] = x_local[slot + k] + y_local[slot + k];
    }
    std::memcpy(job.z + start + i * job.tile, z_local + slot, bytes);
  }
}

// A chain on each element of a tile in cache, `count` elements in all; tile and results stay local.
void work_block(const Job& job, float* local) {
  for (int64_t done = 0; done < job.share; done += job.tile)
    for (int64_t k = 0; k < job.tile; k++) {
      float value = local[k];
      for (int i = 0; i < 16; i++) value = value * 0.75f + 0.125f;
      local[k] = value;
    }
}

// Workers wait for the number of the next round; the caller takes blocks too.
class Pool {
 public:
  Pool(int threads, int64_t tile) : tile_(tile), locals_(static_cast<size_t>(threads)) {
    for (auto& local : locals_) {
      local = std::make_unique<float[]>(static_cast<size_t>(tile) * 6);
    }
    for (int t = 1; t < threads; t++) {
      workers_.emplace_back([this, t] { work(t); });
    }
  }
  ~Pool() {
    stop_ = true;
    round_.fetch_add(1);
    round_.notify_all();
    for (auto& worker : workers_) {
      worker.join();
    }
  }
  int64_t tile() const { return tile_; }
  void run(const Job& job) {
    job_ = job;
    next_.store(0);
    busy_.store(static_cast<int>(workers_.size()));
    round_.fetch_add(1);
    round_.notify_all();
    take(0);
    for (int left = busy_.load(); left != 0; left = busy_.load()) {
      busy_.wait(left);
    }
  }

 private:
  void take(int thread) {
    for (int block = next_.fetch_add(1); block < job_.blocks; block = next_.fetch_add(1)) {
      float* const local = locals_[static_cast<size_t>(thread)].get();
      if (job_.x) {
        add_block(job_, block, local);
      } else {
        work_block(job_, local);
      }
    }
  }
  void work(int thread) {
    for (int seen = 0;; seen++) {
      round_.wait(seen);
      if (stop_) {
        return;
      }
      take(thread);
      busy_.fetch_sub(1);
      busy_.notify_one();
    }
  }

  int64_t tile_;
  Job job_{};
  std::vector<std::unique_ptr<float[]>> locals_;
  std::vector<std::thread> workers_;
  std::atomic<int> round_{0};
  std::atomic<int> next_{0};
  std::atomic<int> busy_{0};
  std::atomic<bool> stop_{false};
};

}  // namespace

extern "C" void* floor_new(int threads, int64_t tile) { return new Pool(threads, tile); }

extern "C" void floor_add(void* pool, const float* x, const float* y, float* z, int64_t count, int blocks,
                          int64_t tile) {
  static_cast<Pool*>(pool)->run({x, y, z, count / blocks, tile, blocks});
}

extern "C" void floor_work(void* pool, int blocks, int64_t share) {
  Pool* const own = static_cast<Pool*>(pool);
  own->run({nullptr, nullptr, nullptr, share, own->tile(), blocks});
}

extern "C" void floor_delete(void* pool) { delete static_cast<Pool*>(pool); }
