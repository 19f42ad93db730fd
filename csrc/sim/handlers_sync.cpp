// SPDX-License-Identifier: Apache-2.0
// Order between pipes and between cores. Flags are one bit an event and id; cross-core flags are counters.
//
// A core runs in program order, so a flag orders nothing here: what is watched is the pairing. A wait may
// stand before its set (the waiting pipe is held up, the scalar unit goes on), unless the scalar unit itself
// waits.
#include "base/format.h"
#include "sim/cross_core.h"
#include "sim/handlers.h"

namespace asc::sim {

namespace {

std::string event_text(int event, int64_t id) {
  const EnumMember* member = enum_desc(EnumId::HardEvent).find(event);
  return fmt::format("{}, id {}", member ? member->name : "?", id);
}

std::string waiting_pipe(int event) { return std::string(to_string(pipes_of_event(event).second)); }

FlagCell& cell_of(Core& core, int64_t event, int64_t id) {
  return core.cells[static_cast<size_t>(event * kEventIds + id)];
}

bool flag_operands(Core& core, const CallSite& site, uint64_t* frame, int64_t* event, int64_t* id) {
  const Operands args(core, site, frame);
  *event = args.integer(1);
  *id = args.integer(2);
  if (static_cast<uint64_t>(*event) < kHardEvents && static_cast<uint64_t>(*id) < kEventIds) [[likely]]
    return true;
  core.log.add(check_event_id(op_desc(site.op).py_name, *id), core.here(), op_name(site), "S");
  return false;
}

OpStatus set_flag(Core& core, const CallSite& site, uint64_t* frame, uint64_t*) {
  int64_t event, id;
  if (!flag_operands(core, site, frame, &event, &id)) return OpStatus::Done;
  const uint8_t bit = static_cast<uint8_t>(1u << id);
  if ((core.waits[event] & bit) != 0) {  // the wait before it goes through now
    core.waits[event] = static_cast<uint8_t>(core.waits[event] & ~bit);
    return OpStatus::Done;
  }
  FlagCell& cell = cell_of(core, event, id);
  if ((core.flags[event] & bit) != 0) {
    if (Finding* f = core.log.add(FindingId::FlagSetTwice, core.here(), &cell.set_at)) {
      f->op = op_name(site);
      f->pipe = std::string(to_string(pipes_of_event(static_cast<int>(event)).first));
      f->message = fmt::format("set_flag: {} is set a second time with no wait between",
                               event_text(static_cast<int>(event), id));
      f->fix = "a flag is one bit: wait for it before it is set again, or use another id";
    }
  }
  core.flags[event] |= bit;
  core.mark(cell.set_at);
  return OpStatus::Done;
}

void report_wait(Core& core, const Origin& at, int event, int64_t id) {
  Finding* f =
      core.log.add(FindingId::WaitWithoutSet, at, nullptr, static_cast<uint64_t>(event * kEventIds + id));
  if (!f) return;
  f->op = "asc.wait_flag";
  f->pipe = waiting_pipe(event);
  f->message =
      fmt::format("wait_flag: {} is never set; the device would wait here for ever", event_text(event, id));
  std::string set;
  for (int other = 0; other < kEventIds; other++)
    if ((core.flags[event] >> other & 1) != 0) set += fmt::format("{}{}", set.empty() ? "" : ", ", other);
  f->fix =
      set.empty()
          ? "set the flag before, with the same event and id"
          : fmt::format("set the same event and id; of this event, id {} is set and not waited for", set);
}

OpStatus wait_flag(Core& core, const CallSite& site, uint64_t* frame, uint64_t*) {
  int64_t event, id;
  if (!flag_operands(core, site, frame, &event, &id)) return OpStatus::Done;
  const uint8_t bit = static_cast<uint8_t>(1u << id);
  if ((core.flags[event] & bit) != 0) [[likely]] {
    core.flags[event] = static_cast<uint8_t>(core.flags[event] & ~bit);
    return OpStatus::Done;
  }
  const bool scalar_waits = pipes_of_event(static_cast<int>(event)).second == Pipe::S;
  if (scalar_waits || (core.waits[event] & bit) != 0) {
    report_wait(core, core.here(), static_cast<int>(event), id);
    return OpStatus::Done;
  }
  core.waits[event] |= bit;
  core.mark(cell_of(core, event, id).wait_at);
  return OpStatus::Done;
}

OpStatus pipe_barrier(Core& core, const CallSite& site, uint64_t* frame, uint64_t*) {
  const Operands args(core, site, frame);
  if (core.mode == Mode::Check)
    core.log.add(check_barrier_pipe("pipe_barrier", static_cast<int>(args.integer(1))), core.here(),
                 op_name(site), "S");
  return OpStatus::Done;
}

// ---- between cores ----

void count_up(Core& core, int64_t id, const Core& setter) {
  if (core.cross_count[id] < kCrossCoreMax) {
    core.cross_count[id]++;
    return;
  }
  if (Finding* f = const_cast<Core&>(setter).log.add(FindingId::CrossCoreOverflow, setter.here())) {
    f->op = "asc.cross_core_set_flag";
    f->message = fmt::format("cross_core_set_flag: flag {} of {} would count beyond {}", id, core.name(),
                             kCrossCoreMax);
    f->fix = "let the other core wait for the flag as often as it is set";
  }
}

// Does the launch have the cores that a mode speaks of?
bool mode_fits(const Core& core, int64_t mode) {
  if (mode == 2) return core.launch->mixed();
  if (mode == 1) return !core.aic && core.launch->aiv_per_block == 2;
  return true;
}

OpStatus cross_core_set(Core& core, const CallSite& site, uint64_t* frame, uint64_t*) {
  const Operands args(core, site, frame);
  const int64_t id = args.integer(1), mode = args.integer(2);
  if (const Verdict verdict = check_cross_core_id("cross_core_set_flag", id, mode)) {
    core.log.add(verdict, core.here(), op_name(site), "S");
    return OpStatus::Done;
  }
  if (!mode_fits(core, mode)) {
    if (Finding* f = core.log.add(FindingId::CrossCoreMode, core.here())) {
      f->op = op_name(site);
      f->message =
          mode == 2 ? "cross_core_set_flag: mode 2 is between cube and vector cores; this kernel has one type"
                    : "cross_core_set_flag: mode 1 is between the two vector cores of a block, not here";
      f->fix = "choose a kernel_type that has both cores, or another mode";
    }
    return OpStatus::Done;
  }
  CrossCore& cross = *core.launch->cross;
  cross.progress++;
  CrossCore::Member& self = cross.of(core);
  core.mark(self.set_at[id]);
  if (mode == 2 && core.aic) {
    for (CrossCore::Member& m : cross.members)
      if (!m.core->aic && m.core->block == core.block) count_up(*m.core, id, core);
    return OpStatus::Done;
  }
  if (self.sets[mode][id] < kCrossCoreMax) self.sets[mode][id]++;
  const std::vector<CrossCore::Member*> group = cross.setters(core, static_cast<int>(mode));
  for (const CrossCore::Member* m : group)
    if (m->sets[mode][id] == 0) return OpStatus::Done;
  for (CrossCore::Member* m : group) m->sets[mode][id]--;
  if (mode != 2) {
    for (CrossCore::Member* m : group) count_up(*m->core, id, core);
    return OpStatus::Done;
  }
  for (CrossCore::Member& m : cross.members)
    if (m.core->aic && m.core->block == core.block) count_up(*m.core, id, core);
  return OpStatus::Done;
}

OpStatus cross_core_wait(Core& core, const CallSite& site, uint64_t* frame, uint64_t*) {
  const Operands args(core, site, frame);
  const int64_t id = args.integer(1);
  if (const Verdict verdict = check_cross_core_id("cross_core_wait_flag", id, 0)) {
    core.log.add(verdict, core.here(), op_name(site), "S");
    return OpStatus::Done;
  }
  if (core.cross_count[id] == 0) {
    core.waiting_for = static_cast<int>(id);
    return OpStatus::Blocked;
  }
  core.cross_count[id]--;
  core.waiting_for = -1;
  core.launch->cross->progress++;
  return OpStatus::Done;
}

}  // namespace

CrossCore::Member& CrossCore::of(const Core& core) {
  for (Member& m : members)
    if (m.core == &core) return m;
  ASC_BUG("a core that is not in the launch");
}

std::vector<CrossCore::Member*> CrossCore::setters(const Core& core, int mode) {
  std::vector<Member*> out;
  for (Member& m : members) {
    const Core& c = *m.core;
    const bool takes_part = c.aic == core.aic && (mode == 0 || c.block == core.block);
    if (takes_part) out.push_back(&m);
  }
  return out;
}

void end_flags(Core& core) {
  // Waits first: a flag that is left over is often the one that a wait meant.
  for (int event = 0; event < kHardEvents; event++)
    for (int id = 0; core.waits[event] >> id != 0; id++)
      if ((core.waits[event] >> id & 1) != 0) report_wait(core, cell_of(core, event, id).wait_at, event, id);
  for (int event = 0; event < kHardEvents; event++) {
    for (int id = 0; core.flags[event] >> id != 0; id++) {
      if ((core.flags[event] >> id & 1) == 0) continue;
      const Origin& at = cell_of(core, event, id).set_at;
      Finding* f =
          core.log.add(FindingId::FlagLeftSet, at, nullptr, static_cast<uint64_t>(event * kEventIds + id));
      if (!f) continue;
      f->op = "asc.set_flag";
      f->pipe = std::string(to_string(pipes_of_event(event).first));
      f->message = fmt::format("set_flag: {} is set and never waited for", event_text(event, id));
      f->fix = "wait for it before the kernel ends: the flag stays set for the next kernel";
    }
  }
}

bool bind_sync(CallSite* site) {
  OpFn fn = nullptr;
  switch (site->op) {
    case OpId::SetFlag: fn = set_flag; break;
    case OpId::WaitFlag: fn = wait_flag; break;
    case OpId::PipeBarrier: fn = pipe_barrier; break;
    case OpId::CrossCoreSetFlag: fn = cross_core_set; break;
    case OpId::CrossCoreWaitFlag: fn = cross_core_wait; break;
    default: return false;
  }
  for (OpFn& f : site->fn) f = fn;
  return true;
}

}  // namespace asc::sim
