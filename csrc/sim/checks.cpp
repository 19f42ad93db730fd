// SPDX-License-Identifier: Apache-2.0
// What a wrong access says: names, ranges in elements and bytes, what to do. Off the hot path.
#include <algorithm>

#include "base/format.h"
#include "sim/access.h"

namespace asc::sim {

namespace {

std::string pipe_name(const CallSite& site) {
  return site.pipe == Pipe::None ? std::string() : std::string(to_string(site.pipe));
}

std::string_view verb(bool write) { return write ? "writes" : "reads"; }

int64_t floor_div(int64_t a, int64_t b) { return a >= 0 ? a / b : -((-a + b - 1) / b); }

// "elements 8..71" of bytes [begin, end), by the size of an element.
std::string element_range(int64_t begin, int64_t end, int64_t size) {
  const int64_t first = floor_div(begin, size), last = floor_div(end - 1, size);
  if (first == last) return fmt::format("element {}", first);
  return fmt::format("elements {}..{}", first, last);
}

// Where an access beyond what an address can say would be: an index is known, an offset on the way is not.
std::string far_element(const Core& core, const CallSite& site, int64_t shift, int64_t size, int64_t elements,
                        Finding* f) {
  constexpr __int128 kLeast = INT64_MIN, kMost = INT64_MAX;
  const std::string beyond = fmt::format("2^47 bytes or more {} its start; it has {} elements",
                                         f->range_begin < 0 ? "before" : "behind", elements);
  if (op_desc(site.op).family != Family::Access) return beyond;
  const Operands args(core, site, core.r);
  const Place place = place_of(args.tensor(0).address);
  if (is_far(place.offset)) return beyond;
  const __int128 index = site.unsigned_offset ? __int128{args.bits(1)} : __int128{args.integer(1)};
  const __int128 element = floor_div(place.offset - shift, size) + index * size_of(site.vars[0]) / size;
  f->range_begin = static_cast<int64_t>(std::clamp(element, kLeast, kMost - 1));
  f->range_end = f->range_begin + 1;
  return fmt::format("element {} of {}", element, elements);
}

// Outside an area of the workspace: of a block's own, counted from where that begins.
void tell_workspace(const Core& core, const GlobalGroup& group, int64_t begin, int64_t bytes, bool write,
                    Finding* f) {
  const ir::WorkspaceArea& area = *group.area;
  const int64_t first = begin - group.stride * core.block;
  f->buffer = "workspace";
  f->range_begin = first;
  f->range_end = first + bytes;
  f->other = {core.program->sources.resolve(area.loc)};
  const std::string where = is_far(begin)
                                ? fmt::format("2^47 bytes or more {} its start; it has {} bytes",
                                              begin < 0 ? "before" : "behind", area.bytes)
                                : fmt::format("bytes {}..{} of {}", first, first + bytes - 1, area.bytes);
  f->message = fmt::format("{}: {} outside {} workspace: {}", f->op, verb(write),
                           area.per_block ? "the block's" : "the", where);
  f->fix = area.per_block
               ? "ask asc.workspace for more bytes, or for memory that blocks share (per_block=False)"
               : "ask asc.workspace for more bytes";
}

// The queue or buffer behind a tensor, for messages.
std::string buffer_name(const Core& core, const Tensor& tensor) {
  if (tensor.buffer() == 0) return {};
  const Buffer& buffer = core.buffers[tensor.buffer() - 1];
  return std::string(core.objects[buffer.object].name);
}

}  // namespace

std::string operand_name(const CallSite& site, int operand) {
  if (operand == 0) return "the tensor";
  return std::string(site.proto->params[static_cast<size_t>(operand - 1)].name);
}

void report_no_address(Core& core, const CallSite& site, int operand, uint64_t address) {
  const bool unbound = address == 0;
  Finding* f = core.log.add(unbound ? FindingId::UnboundTensor : FindingId::NotAnAddress, core.here());
  if (!f) return;
  f->op = op_name(site);
  f->pipe = pipe_name(site);
  f->buffer = operand_name(site, operand);
  const Place place = place_of(address);
  if (unbound) {
    f->message = fmt::format("{}: {} was never bound to memory", f->op, f->buffer);
    f->fix =
        "call set_global_buffer() first, or make the tensor from a queue, a TBuf or asc.LocalTensor(...)";
  } else if (place.owner < kSpaceCount + core.launch->gm.groups.size()) {
    f->message =
        fmt::format("{}: the address of {} lies in {}, where this operand cannot be", f->op, f->buffer,
                    place.owner < kSpaceCount ? to_string(static_cast<Space>(place.owner)) : "global memory");
    f->fix = "global tensors take addresses of arguments, local tensors those of local memory";
  } else {
    f->message = fmt::format("{}: {} is used with the number {:#x}, which never was an address", f->op,
                             f->buffer, address);
    f->fix = "addresses come from kernel arguments and get_phy_addr()";
  }
}

void report_local_outside_memory(Core& core, const CallSite& site, int operand, Space space, int64_t begin,
                                 int64_t bytes) {
  Finding* f =
      core.log.add(FindingId::LocalOutsideMemory, core.here(), nullptr, static_cast<uint64_t>(operand));
  if (!f) return;
  f->op = op_name(site);
  f->pipe = pipe_name(site);
  f->buffer = std::string(to_string(space));
  f->range_begin = begin;
  f->range_end = begin + bytes;
  f->message =
      fmt::format("{}: {} takes bytes {}..{} of {}, which has {} bytes", f->op, operand_name(site, operand),
                  begin, begin + bytes - 1, f->buffer, core.banks[static_cast<int>(space)].bytes);
  f->fix = "keep the start address and the count inside the memory; the simulator skipped the call";
}

void report_local_outside_tensor(Core& core, const CallSite& site, int operand, const Tensor& tensor,
                                 DType elem, int64_t bytes, Access access) {
  Finding* f =
      core.log.add(FindingId::LocalOutsideTensor, core.here(), nullptr, static_cast<uint64_t>(operand));
  if (!f) return;
  const int64_t begin = place_of(tensor.address).offset, size = std::max(1, size_of(elem));
  f->op = op_name(site);
  f->pipe = pipe_name(site);
  f->buffer = buffer_name(core, tensor);
  f->range_begin = begin;
  f->range_end = begin + bytes;
  const std::string where = f->buffer.empty() ? std::string() : fmt::format(" of `{}`", f->buffer);
  f->message =
      fmt::format("{}: {} {} elements of {}{}, a tensor of {} elements", f->op, verb(access != Access::Read),
                  bytes / size, operand_name(site, operand), where, tensor.length());
  f->fix = "make the tensor or its buffer larger, or the count smaller";
}

void report_missing_memory(Core& core, const CallSite& site, int operand, Space space) {
  // In a mixed kernel each core runs the whole program and skips what is not for it.
  if (core.mode != Mode::Check || core.launch->mixed()) return;
  Finding* f = core.log.add(FindingId::WrongCore, core.here());
  if (!f) return;
  f->op = op_name(site);
  f->pipe = pipe_name(site);
  f->buffer = std::string(to_string(space));
  f->message = fmt::format("{}: {} lies in {}, a memory that a {} core does not have", f->op,
                           operand_name(site, operand), f->buffer, core.aic ? "cube (AIC)" : "vector (AIV)");
  f->fix = "use a position of this core's memories, or another kernel_type";
}

void report_used_after_free(Core& core, const CallSite& site, int operand, const Tensor& tensor) {
  const Buffer& buffer = core.buffers[tensor.buffer() - 1];
  if (core.objects[buffer.object].stuck) return;
  Finding* f = core.log.add(FindingId::UseAfterFree, core.here(), &buffer.taken_at);
  if (!f) return;
  f->op = op_name(site);
  f->pipe = pipe_name(site);
  f->buffer = buffer_name(core, tensor);
  f->range_begin = buffer.offset;
  f->range_end = buffer.offset + buffer.bytes;
  f->message = fmt::format("{}: {} is used after its buffer went back to `{}`", f->op,
                           operand_name(site, operand), f->buffer);
  f->fix = "call free_tensor after the last use";
}

void report_gm_outside(Core& core, const CallSite& site, uint32_t group, int64_t begin, int64_t bytes,
                       DType elem, bool write) {
  Finding* f = core.log.add(write ? FindingId::GmWriteOutside : FindingId::GmReadOutside, core.here());
  if (!f) return;
  f->op = op_name(site);
  f->pipe = pipe_name(site);
  if (core.launch->gm.groups[group].area)
    return tell_workspace(core, core.launch->gm.groups[group], begin, bytes, write, f);
  const GlobalArgument* a = core.launch->gm.nearest(group, begin, begin + bytes);
  if (!a) return;
  const int64_t size = std::max(1, size_of(a->dtype == DType::Void ? elem : a->dtype));
  const int64_t first = begin - a->shift;
  f->buffer = a->name;
  f->range_begin = floor_div(first, size);
  f->range_end = floor_div(first + bytes - 1, size) + 1;
  const int64_t elements = a->bytes / size;
  const std::string where =
      is_far(begin) ? far_element(core, site, a->shift, size, elements, f)
                    : fmt::format("{} of {}", element_range(first, first + bytes, size), elements);
  f->message = fmt::format("{}: {} outside argument `{}`: {}", f->op, verb(write), a->name, where);
  f->fix = f->range_begin < 0
               ? "the offset is negative: an address before the argument is another array's memory"
               : "keep offset plus count within the argument; the rest belongs to other arrays";
}

bool report_read_only(Core& core, const CallSite& site, uint32_t group, int64_t begin, int64_t bytes) {
  const std::vector<GlobalArgument>& all = core.launch->gm.arguments;
  // A read-only view of memory that another argument may write does not forbid it.
  for (const GlobalArgument& a : all)
    if (a.group == group && !a.read_only && a.covers(begin, begin + bytes)) return false;
  for (const GlobalArgument& a : all) {
    if (a.group != group || !a.read_only || begin >= a.shift + a.bytes || begin + bytes <= a.shift - a.before)
      continue;
    if (Finding* f = core.log.add(FindingId::ReadOnlyWritten, core.here())) {
      const int64_t size = std::max(1, size_of(a.dtype));
      f->op = op_name(site);
      f->pipe = pipe_name(site);
      f->buffer = a.name;
      f->range_begin = floor_div(begin - a.shift, size);
      f->range_end = floor_div(begin - a.shift + bytes - 1, size) + 1;
      f->message = fmt::format("{}: writes argument `{}`, a read-only array: {}", f->op, a.name,
                               element_range(begin - a.shift, begin - a.shift + bytes, size));
      f->fix = "pass a writable array; the simulator dropped the write";
    }
    return true;
  }
  return false;
}

void check_operand(Core& core, const CallSite& site, int operand, Space space, int64_t offset, DType elem) {
  const std::string name = operand_name(site, operand);
  const std::string_view op = op_desc(site.op).py_name;
  const std::string pipe = pipe_name(site);
  core.log.add(check_alignment(op, {name, space, elem, offset}), core.here(), op_name(site), pipe,
               static_cast<uint64_t>(operand));
  if (operand == 0 || space == Space::GM) return;
  const uint8_t spaces = site.proto->params[static_cast<size_t>(operand - 1)].spaces;
  core.log.add(check_space(op, name, space, spaces), core.here(), op_name(site), pipe,
               static_cast<uint64_t>(operand));
}

}  // namespace asc::sim
