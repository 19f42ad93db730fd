// SPDX-License-Identifier: Apache-2.0
// TPipe, TQue, TBuf. Buffers are handed out from the bottom of the memory of their position, in whole 32-byte
// blocks.
#include <algorithm>

#include "base/format.h"
#include "sim/handlers.h"

namespace asc::sim {

namespace {

Object& object_of(Core& core, uint64_t slot) { return core.objects.at(slot); }

Finding* queue_finding(Core& core, const CallSite& site, FindingId id, const Object& queue,
                       const Origin* other = nullptr) {
  if (queue.stuck) return nullptr;
  Finding* f = core.log.add(id, core.here(), other);
  if (!f) return nullptr;
  f->op = op_name(site);
  f->buffer = std::string(queue.name);
  return f;
}

Tensor tensor_of(const Core& core, const Object& queue, uint32_t buffer, DType elem) {
  const Buffer& b = core.buffers[buffer];
  return {make_address(static_cast<uint32_t>(b.space), b.offset),
          Tensor::pack(b.bytes / static_cast<uint32_t>(std::max(1, size_of(elem))), queue.type.position,
                       buffer + 1)};
}

void put(uint64_t* result, const Tensor& tensor) {
  result[0] = tensor.address;
  result[1] = tensor.info;
}

// ---- TPipe ----

// Does the pipe still manage anything? A finding if not.
bool is_alive(Core& core, const CallSite& site, const Object& pipe) {
  if (!pipe.destroyed) return true;
  if (Finding* f = queue_finding(core, site, FindingId::PipeGone, pipe)) {
    f->message = fmt::format("{}: `{}` has been destroyed", op_desc(site.op).py_name, pipe.name);
    f->fix = "make another pipe: pipe = asc.TPipe()";
  }
  return false;
}

// Who holds what in a memory, for the message of an overflow.
std::vector<MemoryHolder> holders(const Core& core, Space space) {
  std::vector<MemoryHolder> out;
  for (const Buffer& b : core.buffers) {
    if (b.space != space || core.objects[b.object].buffer_count == 0) continue;
    const std::string_view name = core.objects[b.object].name;
    if (!out.empty() && out.back().name == name && out.back().begin + out.back().bytes == b.offset) {
      out.back().bytes += b.bytes;
      out.back().buffers++;
    } else {
      out.push_back({name, b.offset, b.bytes, 1});
    }
  }
  return out;
}

// `count` buffer numbers in a row: those that the queue had of a pipe that is gone, unless a tensor of one
// was never freed.
uint32_t take_numbers(Core& core, Object& queue, uint32_t pipe, uint32_t count) {
  const auto is_owed = [&](uint32_t number) {
    const Buffer::State state = core.buffers[number].state;
    return state == Buffer::State::Taken || state == Buffer::State::Queued;
  };
  bool again = queue.kept_count >= count && core.objects[queue.kept_pipe].life != queue.kept_life;
  for (uint32_t i = 0; again && i < queue.kept_count; i++) again = !is_owed(queue.first_kept + i);
  if (!again) {
    queue.first_kept = static_cast<uint32_t>(core.buffers.size());
    queue.kept_count = count;
    core.buffers.resize(core.buffers.size() + count);
  }
  queue.kept_pipe = pipe;
  queue.kept_life = core.objects[pipe].life;
  return queue.first_kept;
}

OpStatus init_buffer(Core& core, const CallSite& site, uint64_t* frame, uint64_t*) {
  const Operands args(core, site, frame);
  Object& pipe = object_of(core, args.bits(0));
  const uint64_t index = args.bits(1);
  Object& queue = object_of(core, index);
  if (!is_alive(core, site, pipe)) return OpStatus::Done;
  const bool is_queue = queue.type.kind == Kind::TQue;
  const int64_t count = is_queue ? args.integer(2) : 1;
  const int64_t asked = args.integer(is_queue ? 3 : 2);
  if (core.mode == Mode::Check && queue.buffer_count != 0) {
    if (Finding* f = queue_finding(core, site, FindingId::BufferTwice, queue)) {
      f->message = fmt::format("init_buffer: `{}` has its buffers already", queue.name);
      f->fix = "call init_buffer once for each queue and TBuf";
    }
  }
  const Space space = space_of_position(queue.type.position);
  if (count <= 0 || asked <= 0) {
    if (Finding* f = queue_finding(core, site, FindingId::NothingAsked, queue)) {
      f->message = count <= 0 ? fmt::format("init_buffer: {} buffers for `{}`", count, queue.name)
                              : fmt::format("init_buffer: buffers of {} bytes for `{}`", asked, queue.name);
      f->fix = "ask for at least one buffer of at least one byte; a TBuf has one";
    }
    queue.refused = true;
    return OpStatus::Done;
  }
  const int64_t memory = core.launch->platform->memory_bytes[static_cast<int>(space)];
  const int64_t bytes = buffer_bytes(asked);
  uint32_t& used = pipe.used[static_cast<int>(space)];
  const MemoryHolder wanted{queue.name, used, bytes * count, static_cast<int>(count)};
  if (wanted.begin + wanted.bytes > memory) {
    core.log.add(check_memory("init_buffer", space, memory, holders(core, space), wanted), core.here(),
                 op_name(site), "S");
    // Nothing that fits can be handed out; the queue stays without buffers.
    queue.refused = true;
    return OpStatus::Done;
  }
  queue.pipe = static_cast<uint32_t>(args.bits(0)) + 1;
  queue.taken_back = false;
  queue.first_buffer = take_numbers(core, queue, queue.pipe - 1, static_cast<uint32_t>(count));
  queue.buffer_count = static_cast<uint32_t>(count);
  pipe.total_buffers += queue.buffer_count;
  if (core.mode == Mode::Check)
    core.log.add(check_buffer_total("init_buffer", pipe.total_buffers), core.here(), op_name(site), "S");
  for (int64_t i = 0; i < count; i++) {
    Buffer b;
    b.offset = used;
    b.bytes = static_cast<uint32_t>(bytes);
    b.space = space;
    b.state = is_queue ? Buffer::State::Free : Buffer::State::Plain;
    b.object = static_cast<uint16_t>(index);
    core.buffers[queue.first_buffer + static_cast<uint32_t>(i)] = b;
    used += static_cast<uint32_t>(bytes);
  }
  return OpStatus::Done;
}

// The lowest event id of a pair of pipes that is not reserved.
int free_event(const Object& pipe, int64_t event) {
  for (int id = 0; id < kEventIds; id++)
    if ((pipe.events[event] >> id & 1) == 0) return id;
  return -1;
}

OpStatus event_ids(Core& core, const CallSite& site, uint64_t* frame, uint64_t* result) {
  const Operands args(core, site, frame);
  Object& pipe = object_of(core, args.bits(0));
  const bool release = site.op == OpId::TPipe_ReleaseEventID;
  if (!release) *result = 0;
  if (!is_alive(core, site, pipe)) return OpStatus::Done;
  const int64_t event = args.integer(release ? 2 : 1);
  if (static_cast<uint64_t>(event) >= std::size(pipe.events)) return OpStatus::Done;
  if (release) {
    const int64_t id = args.integer(1);
    const bool reserved = static_cast<uint64_t>(id) < kEventIds && (pipe.events[event] >> id & 1) != 0;
    if (reserved) {
      pipe.events[event] = static_cast<uint8_t>(pipe.events[event] & ~(1u << id));
    } else if (Finding* f = queue_finding(core, site, FindingId::ForeignEventId, pipe)) {
      f->message = fmt::format("release_event_id: id {} is not allocated", id);
      f->fix = "release what alloc_event_id gave, once, with the same event";
    }
    return OpStatus::Done;
  }
  const int id = free_event(pipe, event);
  if (id < 0) {
    if (Finding* f = queue_finding(core, site, FindingId::NoEventId, pipe)) {
      f->message = fmt::format("{}: all {} event ids of {} are allocated", op_desc(site.op).py_name,
                               kEventIds, enum_desc(EnumId::HardEvent).find(event)->name);
      f->fix = "release ids when their wait is done";
    }
  } else if (site.op == OpId::TPipe_AllocEventID) {
    pipe.events[event] = static_cast<uint8_t>(pipe.events[event] | 1u << id);
  }
  if (id > 0) *result = static_cast<uint64_t>(id);
  return OpStatus::Done;
}

// What it gave out is taken back: its queues and TBufs have no buffers any more.
OpStatus reset_pipe(Core& core, const CallSite& site, uint64_t* frame, uint64_t*) {
  const Operands args(core, site, frame);
  const uint64_t index = args.bits(0);
  Object& pipe = object_of(core, index);
  if (!is_alive(core, site, pipe)) return OpStatus::Done;
  for (Object& queue : core.objects) {
    if (queue.pipe != index + 1) continue;
    queue.reset(queue.type, queue.name);
    queue.taken_back = true;
  }
  pipe.reset(pipe.type, pipe.name);
  pipe.destroyed = site.op == OpId::TPipe_Destroy;
  return OpStatus::Done;
}

// ---- TQue ----

bool has_buffers(Core& core, const CallSite& site, const Object& queue) {
  if (queue.buffer_count != 0) return true;
  if (queue.refused) return false;  // its init_buffer said why
  if (queue.taken_back) {
    if (Finding* f = queue_finding(core, site, FindingId::PipeGone, queue)) {
      f->message = fmt::format("{}: the pipe of `{}` has been reset or destroyed", op_desc(site.op).py_name,
                               queue.name);
      f->fix = "call init_buffer again, of a pipe that is alive";
    }
    return false;
  }
  if (Finding* f = queue_finding(core, site, FindingId::NoBuffer, queue)) {
    f->message = fmt::format("{}: `{}` has no buffers", op_desc(site.op).py_name, queue.name);
    f->fix = "call init_buffer first";
  }
  return false;
}

OpStatus alloc_tensor(Core& core, const CallSite& site, uint64_t* frame, uint64_t* result) {
  const Operands args(core, site, frame);
  Object& queue = object_of(core, args.bits(0));
  put(result, {});
  if (!has_buffers(core, site, queue)) return OpStatus::Done;
  uint32_t chosen = queue.cursor;
  for (uint32_t i = 0; i < queue.buffer_count; i++) {
    const uint32_t candidate = (queue.cursor + i) % queue.buffer_count;
    if (core.buffers[queue.first_buffer + candidate].state != Buffer::State::Free) continue;
    chosen = candidate;
    break;
  }
  Buffer& buffer = core.buffers[queue.first_buffer + chosen];
  if (buffer.state != Buffer::State::Free) {
    if (Finding* f = queue_finding(core, site, FindingId::NoFreeBuffer, queue, &buffer.taken_at)) {
      f->message =
          fmt::format("alloc_tensor: all {} buffers of `{}` are taken; the device would wait here for ever",
                      queue.buffer_count, queue.name);
      f->fix = "free_tensor what was allocated before, or give the queue more buffers";
    }
    queue.stuck = true;
  }
  if (buffer.state == Buffer::State::Free) {
    buffer.state = Buffer::State::Taken;
    buffer.lent = false;
    core.mark(buffer.taken_at);
  }
  queue.cursor = (chosen + 1) % queue.buffer_count;
  put(result, tensor_of(core, queue, queue.first_buffer + chosen, site.vars[0]));
  return OpStatus::Done;
}

// The buffer behind a tensor if it is this queue's, else -1 with a finding.
int64_t own_buffer(Core& core, const CallSite& site, const Object& queue, const Tensor& tensor) {
  const int64_t number = int64_t{tensor.buffer()} - 1;
  if (number >= queue.first_buffer && number < int64_t{queue.first_buffer} + queue.buffer_count)
    return number;
  if (Finding* f = queue_finding(core, site, FindingId::ForeignFree, queue)) {
    f->message = fmt::format("{}: the tensor is not from `{}`", op_desc(site.op).py_name, queue.name);
    f->fix = number < 0 ? "only tensors from this queue's alloc_tensor can go back to it"
                        : fmt::format("it belongs to `{}`",
                                      core.objects[core.buffers[static_cast<size_t>(number)].object].name);
  }
  return -1;
}

void wrong_state(Core& core, const CallSite& site, const Object& queue, const Buffer& buffer) {
  Finding* f = queue_finding(core, site, FindingId::QueueState, queue, &buffer.taken_at);
  if (!f) return;
  const char* state = buffer.state == Buffer::State::Queued ? "is enqueued" : "went back to the queue";
  f->message = fmt::format("{}: the tensor {} already", op_desc(site.op).py_name, state);
  f->fix = "the order is alloc_tensor, enque, deque, free_tensor, each once";
}

OpStatus enque(Core& core, const CallSite& site, uint64_t* frame, uint64_t*) {
  const Operands args(core, site, frame);
  Object& queue = object_of(core, args.bits(0));
  if (!has_buffers(core, site, queue)) return OpStatus::Done;
  const int64_t number = own_buffer(core, site, queue, args.tensor(1));
  if (number < 0) return OpStatus::Done;
  Buffer& buffer = core.buffers[static_cast<size_t>(number)];
  if (core.mode == Mode::Check) {
    if (buffer.state != Buffer::State::Taken) wrong_state(core, site, queue, buffer);
    if (queue.type.id != 0 && queue.fifo.size() >= queue.type.id) {
      if (Finding* f = queue_finding(core, site, FindingId::QueueFull, queue)) {
        f->message = fmt::format("enque: `{}` holds {} tensors, its depth", queue.name, queue.fifo.size());
        f->fix = "deque before the next enque, or make the queue deeper";
      }
    }
  }
  buffer.state = Buffer::State::Queued;
  queue.fifo.push_back(static_cast<uint16_t>(number));
  return OpStatus::Done;
}

OpStatus deque(Core& core, const CallSite& site, uint64_t* frame, uint64_t* result) {
  const Operands args(core, site, frame);
  Object& queue = object_of(core, args.bits(0));
  put(result, {});
  if (!has_buffers(core, site, queue)) return OpStatus::Done;
  uint32_t number = queue.first_buffer;
  if (queue.fifo.empty()) {
    if (Finding* f = queue_finding(core, site, FindingId::QueueEmpty, queue)) {
      f->message = fmt::format("deque: `{}` is empty; the device would wait here for ever", queue.name);
      f->fix = "enque a tensor first";
    }
    queue.stuck = true;
    core.buffers[number].lent = core.buffers[number].state == Buffer::State::Free;
  } else {
    number = queue.fifo.front();
    queue.fifo.erase(queue.fifo.begin());
  }
  core.buffers[number].state = Buffer::State::Taken;
  put(result, tensor_of(core, queue, number, site.vars[0]));
  return OpStatus::Done;
}

OpStatus free_tensor(Core& core, const CallSite& site, uint64_t* frame, uint64_t*) {
  const Operands args(core, site, frame);
  Object& queue = object_of(core, args.bits(0));
  if (!has_buffers(core, site, queue)) return OpStatus::Done;
  const int64_t number = own_buffer(core, site, queue, args.tensor(1));
  if (number < 0) return OpStatus::Done;
  Buffer& buffer = core.buffers[static_cast<size_t>(number)];
  if (core.mode == Mode::Check && buffer.state != Buffer::State::Taken)
    wrong_state(core, site, queue, buffer);
  if (buffer.state == Buffer::State::Queued) std::erase(queue.fifo, static_cast<uint16_t>(number));
  buffer.state = Buffer::State::Free;
  return OpStatus::Done;
}

OpStatus queue_state(Core& core, const CallSite& site, uint64_t* frame, uint64_t* result) {
  const Operands args(core, site, frame);
  const Object& queue = object_of(core, args.bits(0));
  const uint64_t count = queue.fifo.size();
  switch (site.op) {
    case OpId::TQue_VacantInQue: *result = count < queue.type.id; break;
    case OpId::TQue_HasTensorInQue: *result = count != 0; break;
    case OpId::TQue_GetTensorCountInQue: *result = count; break;
    default: {
      *result = 0;
      for (uint32_t i = 0; i < queue.buffer_count; i++)
        if (core.buffers[queue.first_buffer + i].state == Buffer::State::Free) *result = 1;
      break;
    }
  }
  return OpStatus::Done;
}

// ---- TBuf ----

OpStatus get_buffer(Core& core, const CallSite& site, uint64_t* frame, uint64_t* result) {
  const Operands args(core, site, frame);
  const Object& buf = object_of(core, args.bits(0));
  put(result, {});
  if (!has_buffers(core, site, buf)) return OpStatus::Done;
  Tensor tensor = tensor_of(core, buf, buf.first_buffer, site.vars[0]);
  const int64_t length = args.integer(2);
  if (length > 0 && length < tensor.length()) tensor.info = tensor.with_length(length);
  if (core.mode == Mode::Check && length > tensor.length()) {
    if (Finding* f = queue_finding(core, site, FindingId::LocalOutsideTensor, buf)) {
      f->message = fmt::format("get: {} elements of `{}`, which holds {}", length, buf.name, tensor.length());
      f->fix = "ask for fewer elements, or give the TBuf more bytes";
    }
  }
  put(result, tensor);
  return OpStatus::Done;
}

}  // namespace

void end_queues(Core& core) {
  for (const Buffer& b : core.buffers) {
    if ((b.state != Buffer::State::Taken && b.state != Buffer::State::Queued) || b.lent) continue;
    Finding* f = core.log.add(FindingId::BufferLeft, b.taken_at);
    if (!f) continue;
    const Object& queue = core.objects[b.object];
    f->op = "asc.TQue.alloc_tensor";
    f->buffer = std::string(queue.name);
    f->range_begin = b.offset;
    f->range_end = b.offset + b.bytes;
    f->message = fmt::format("alloc_tensor: a tensor of `{}` is never freed", queue.name);
    f->fix = "call free_tensor when the tensor is no longer used";
  }
}

bool bind_queue(CallSite* site) {
  OpFn fn = nullptr;
  switch (site->op) {
    case OpId::TPipe_InitBuffer: fn = init_buffer; break;
    case OpId::TPipe_AllocEventID:
    case OpId::TPipe_ReleaseEventID:
    case OpId::TPipe_FetchEventID: fn = event_ids; break;
    case OpId::TPipe_Reset:
    case OpId::TPipe_Destroy: fn = reset_pipe; break;
    case OpId::TQue_AllocTensor: fn = alloc_tensor; break;
    case OpId::TQue_EnQue: fn = enque; break;
    case OpId::TQue_DeQue: fn = deque; break;
    case OpId::TQue_FreeTensor: fn = free_tensor; break;
    case OpId::TQue_VacantInQue:
    case OpId::TQue_HasTensorInQue:
    case OpId::TQue_GetTensorCountInQue:
    case OpId::TQue_HasIdleBuffer: fn = queue_state; break;
    case OpId::TBuf_Get: fn = get_buffer; break;
    default: return false;
  }
  for (OpFn& f : site->fn) f = fn;
  return true;
}

}  // namespace asc::sim
