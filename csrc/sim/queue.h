// SPDX-License-Identifier: Apache-2.0
// Pipes, queues and buffers of one core, and the stretches of local memory that they hold.
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "sim/findings.h"
#include "sim/matmul.h"

namespace asc::sim {

// A stretch of local memory that init_buffer gave to a queue or a TBuf.
struct Buffer {
  enum class State : uint8_t { Free, Taken, Queued, Plain };  // Plain: of a TBuf
  uint32_t offset = 0, bytes = 0;
  Space space = Space::UB;
  State state = State::Free;
  bool lent = false;  // handed out after a finding, without an allocation: nobody owes it back
  uint16_t object = 0;
  Origin taken_at;
};

// A TPipe, TQue, TBuf or Matmul, by its type. Storage is reused when a declaration runs again.
struct Object {
  Type type;
  std::string_view name;  // of the variable
  // queues and TBufs
  uint32_t first_buffer = 0, buffer_count = 0;
  // Buffer numbers that it was given, and by which life of which pipe: numbers are few, and a loop may make
  // pipe and queue anew at each turn.
  uint32_t first_kept = 0, kept_count = 0, kept_pipe = 0, kept_life = 0;
  uint32_t pipe = 0;           // the object whose init_buffer it was, and 1; 0: none yet
  bool refused = false;        // its init_buffer gave it nothing, with a finding
  bool taken_back = false;     // its pipe was reset or destroyed since
  bool stuck = false;          // the device would wait for ever at it: what follows at it is no news
  uint32_t cursor = 0;         // where the search for a free buffer starts
  std::vector<uint16_t> fifo;  // buffer numbers, oldest first
  // pipes
  uint32_t life = 0;  // counts declarations and resets
  uint32_t used[kSpaceCount] = {};
  uint8_t events[35] = {};  // reserved event ids, one bit each
  uint32_t total_buffers = 0;
  bool destroyed = false;
  std::unique_ptr<MatmulState> matmul;  // of a Matmul alone

  void reset(const Type& new_type, std::string_view new_name) {
    life++;
    type = new_type;
    name = new_name;
    refused = stuck = taken_back = destroyed = false;
    first_buffer = buffer_count = pipe = cursor = total_buffers = 0;
    fifo.clear();
    for (uint32_t& u : used) u = 0;
    for (uint8_t& e : events) e = 0;
    if (type.kind == Kind::Matmul) {
      if (!matmul) matmul = std::make_unique<MatmulState>();
      matmul->reset();
    }
  }
};

}  // namespace asc::sim
