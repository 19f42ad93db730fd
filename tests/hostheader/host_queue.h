// SPDX-License-Identifier: Apache-2.0
// TPipe, TQue, TBuf: buffers lie one behind the other in each memory, and a search for a free one goes on
// where the last one ended.
#pragma once

#include "host_tensor.h"

namespace AscendC {

template <TPosition pos>
class TBuf;

using TEventID = int8_t;

class TPipe {
 public:
  template <class Que>
  bool InitBuffer(Que& que, uint8_t num, uint32_t len) {
    que.host_init(num);
    for (uint8_t i = 0; i < num; i++) {
      HostBuffer* buffer = que.host_buffer(i);
      *buffer = {};
      place(Que::kPosition, len, buffer);
    }
    return true;
  }
  template <TPosition pos>
  bool InitBuffer(TBuf<pos>& buf, uint32_t len) {
    place(pos, len, buf.host_buffer());
    return true;
  }

  template <HardEvent event>
  TEventID AllocEventID() {
    const TEventID id = FetchEventID<event>();
    events_[static_cast<int>(event)] |= static_cast<uint8_t>(1u << id);
    return id;
  }
  template <HardEvent event>
  void ReleaseEventID(TEventID id) {
    events_[static_cast<int>(event)] &= static_cast<uint8_t>(~(1u << id));
  }
  template <HardEvent event>
  TEventID FetchEventID() {
    const uint8_t taken = events_[static_cast<int>(event)];
    for (TEventID id = 0; id < 8; id++)
      if ((taken >> id & 1) == 0) return id;
    asc_host_core->fail(asc_host_core, "TPipe: all 8 ids of event %d are taken", static_cast<int>(event));
    return 0;
  }
  void Reset() { *this = {}; }
  void Destroy() { *this = {}; }

 private:
  void place(TPosition position, uint32_t len, HostBuffer* buffer) {
    uint32_t& used = used_[host_space(position)];
    buffer->offset = used;
    buffer->bytes = (len + 31) / 32 * 32;
    used += buffer->bytes;
  }

  uint32_t used_[kHostSpaces] = {};
  uint8_t events_[64] = {};
};

template <TPosition pos, int32_t depth, int32_t mask = 0>
class TQue {
 public:
  static constexpr TPosition kPosition = pos;

  template <typename T>
  LocalTensor<T> AllocTensor() {
    for (int turn = 0; turn < count_; turn++) {
      HostBuffer* buffer = &buffers_[cursor_];
      cursor_ = (cursor_ + 1) % count_;
      if (buffer->state != HostBuffer::Free) continue;
      buffer->state = HostBuffer::Taken;
      return tensor<T>(buffer);
    }
    asc_host_core->fail(asc_host_core, "TQue: AllocTensor, but none of %d buffers is free", count_);
    return {};
  }
  template <typename T>
  bool EnQue(const LocalTensor<T>& tensor) {
    if (queued_ == kMost || (depth > 0 && queued_ >= depth))
      asc_host_core->fail(asc_host_core, "TQue: EnQue into a queue that holds %d already", queued_);
    tensor.host_buffer()->state = HostBuffer::Queued;
    fifo_[(first_ + queued_++) % kMost] = tensor.host_buffer();
    return true;
  }
  template <typename T>
  LocalTensor<T> DeQue() {
    if (queued_ == 0) asc_host_core->fail(asc_host_core, "TQue: DeQue from an empty queue");
    HostBuffer* buffer = fifo_[first_];
    first_ = (first_ + 1) % kMost;
    queued_--;
    buffer->state = HostBuffer::Taken;
    return tensor<T>(buffer);
  }
  template <typename T>
  void FreeTensor(LocalTensor<T>& tensor) {
    tensor.host_buffer()->state = HostBuffer::Free;
  }
  bool VacantInQue() { return queued_ < depth; }
  bool HasTensorInQue() { return queued_ != 0; }
  int32_t GetTensorCountInQue() { return queued_; }
  bool HasIdleBuffer() {
    for (int i = 0; i < count_; i++)
      if (buffers_[i].state == HostBuffer::Free) return true;
    return false;
  }

  void host_init(int count) {
    if (count < 1 || count > kMost)
      asc_host_core->fail(asc_host_core, "TPipe: InitBuffer with %d buffers", count);
    count_ = count;
    cursor_ = first_ = queued_ = 0;
  }
  HostBuffer* host_buffer(int i) { return &buffers_[i]; }

 private:
  static constexpr int kMost = 64;  // buffers of a kernel

  template <typename T>
  LocalTensor<T> tensor(HostBuffer* buffer) {
    return {pos, buffer->offset, static_cast<uint32_t>(buffer->bytes / sizeof(T)), buffer};
  }

  HostBuffer buffers_[kMost];
  HostBuffer* fifo_[kMost] = {};
  int count_ = 0, cursor_ = 0, first_ = 0, queued_ = 0;
};

template <TPosition pos>
class TBuf {
 public:
  template <typename T>
  LocalTensor<T> Get(uint32_t len = 0) {
    return {pos, buffer_.offset, len != 0 ? len : static_cast<uint32_t>(buffer_.bytes / sizeof(T)), &buffer_};
  }
  HostBuffer* host_buffer() { return &buffer_; }

 private:
  HostBuffer buffer_;
};

}  // namespace AscendC
