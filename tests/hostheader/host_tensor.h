// SPDX-License-Identifier: Apache-2.0
// Global and local tensors as plain pointers. Sizes follow the toolkit: a view of a local tensor loses what
// lies before it, a view of a global tensor keeps the number that SetGlobalBuffer was given.
#pragma once

#include "host_base.h"
#include "sim/bodies/vector.h"

namespace AscendC {

// A buffer of a queue; tensors made of it remember it.
struct HostBuffer {
  enum State : uint8_t { Free, Taken, Queued };
  uint32_t offset = 0, bytes = 0;
  State state = Free;
};

constexpr AscHostSpace host_space(TPosition position) {
  switch (position) {
    case TPosition::A1:
    case TPosition::B1:
    case TPosition::C1: return kHostL1;
    case TPosition::A2: return kHostL0A;
    case TPosition::B2: return kHostL0B;
    case TPosition::CO1: return kHostL0C;
    case TPosition::C2: return kHostBT;
    case TPosition::GM:
    case TPosition::CO2: return kHostGM;
    default: return kHostUB;
  }
}

template <typename T>
class GlobalTensor {
 public:
  void SetGlobalBuffer(__gm__ T* buffer, uint64_t size = 0) {
    at_ = buffer;
    size_ = size;
  }
  GlobalTensor operator[](uint64_t offset) const {
    GlobalTensor view = *this;
    view.at_ += offset;
    return view;
  }
  T GetValue(uint64_t offset) const { return asc::bodies::load(at_ + offset); }
  void SetValue(uint64_t offset, T value) const { asc::bodies::store(at_ + offset, value); }
  uint64_t GetSize() const { return size_; }
  T* GetPhyAddr() const { return at_; }
  T* GetPhyAddr(uint64_t offset) const { return at_ + offset; }

 private:
  T* at_ = nullptr;
  uint64_t size_ = 0;
};

template <typename T>
class LocalTensor {
 public:
  LocalTensor() = default;
  LocalTensor(TPosition position, uint32_t address, uint32_t size)
      : LocalTensor(position, address, size, nullptr) {}
  LocalTensor(TPosition position, uint32_t address, uint32_t size, HostBuffer* buffer)
      : at_(reinterpret_cast<T*>(asc_host_core->memory[host_space(position)] + address)),
        buffer_(buffer),
        bytes_(size * sizeof(T)),
        position_(position) {}

  LocalTensor operator[](uint32_t offset) const {
    LocalTensor view = *this;
    view.at_ += offset;
    view.bytes_ -= offset * sizeof(T);
    return view;
  }
  T GetValue(uint32_t index) const { return asc::bodies::load(at_ + index); }
  void SetValue(uint32_t index, T value) const { asc::bodies::store(at_ + index, value); }
  uint32_t GetSize() const { return bytes_ / sizeof(T); }
  uint32_t GetLength() const { return bytes_; }
  int32_t GetPosition() const { return static_cast<int32_t>(position_); }
  void SetSize(uint32_t size) { bytes_ = size * sizeof(T); }
  template <typename U>
  LocalTensor<U> ReinterpretCast() const {
    LocalTensor<U> view;
    view.at_ = reinterpret_cast<U*>(at_);
    view.buffer_ = buffer_;
    view.bytes_ = bytes_;
    view.position_ = position_;
    return view;
  }
  T* GetPhyAddr() const { return at_; }
  T* GetPhyAddr(uint32_t offset) const { return at_ + offset; }
  HostBuffer* host_buffer() const { return buffer_; }

 private:
  template <typename U>
  friend class LocalTensor;

  T* at_ = nullptr;
  HostBuffer* buffer_ = nullptr;
  uint32_t bytes_ = 0;
  TPosition position_ = TPosition::VECIN;
};

}  // namespace AscendC
