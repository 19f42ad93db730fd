// SPDX-License-Identifier: Apache-2.0
// Device limits that are broken for certain, each by the pure function of ops/limits.h that the simulator
// applies to values.
//
// Only what certainly happens is told (certain_walk.h): a call that every run reaches, unless an earlier
// finding ends it, with operands known on the way there. Everything else is left to the checks while running.
// Told are: ops that no core of the kernel runs, event and cross-core ids, barriers, shift distances, counts,
// alignment, memory and range of local operands, buffers that do not fit, more buffers than the device has.
#include <algorithm>

#include "base/format.h"
#include "passes/certain_walk.h"
#include "passes/passes.h"

namespace asc::passes {

namespace {

// Ops of a mixed kernel that only core types without them reach, over all calls of their function.
struct OpsOfNoCore {
  std::vector<Cores> reached;  // by function id
  std::vector<const ir::OpCall*> ops;

  void op(const ir::OpCall& call, Cores cores) {
    if ((static_cast<Cores>(call.proto().core) & cores) == 0) ops.push_back(&call);
  }
  void call(const ir::Function& callee, Cores cores) { reached[callee.id] |= cores; }
};

std::vector<const ir::OpCall*> ops_of_no_core(const ir::Module& module) {
  OpsOfNoCore out;
  out.reached.assign(module.functions.size(), 0);
  out.reached.back() = kBothCores;
  for (size_t i = module.functions.size(); i-- > 0;) {
    const ir::Function& f = *module.functions[i];
    if (out.reached[i] != 0) CoreWalk<OpsOfNoCore>(f, out).block(f.body, out.reached[i]);
  }
  return std::move(out.ops);
}

size_t param_index(const OverloadDesc& proto, std::string_view name) {
  for (size_t i = 0; i < proto.params.size(); i++)
    if (proto.params[i].name == name) return i;
  return proto.params.size();
}

}  // namespace

std::vector<ir::Diagnostic> limits(const ir::Module& module, const PlatformDesc& platform) {
  return module.kernel() ? CertainWalk(module, platform).run() : std::vector<ir::Diagnostic>();
}

std::vector<ir::Diagnostic> CertainWalk::run() {
  const ir::Function& kernel = *module_.kernel();
  const Cores cores = cores_of(module_.kernel_type);
  if (cores == kBothCores) nowhere_ = ops_of_no_core(module_);
  values_.resize(kernel.vars.size());
  function(kernel, cores);
  return std::move(diagnostics_);
}

void CertainWalk::report(const ir::OpCall& e, Verdict verdict) {
  if (!verdict) return;
  const std::pair<const ir::OpCall*, FindingId> key(&e, verdict->finding);
  if (std::find(reported_.begin(), reported_.end(), key) != reported_.end()) return;
  reported_.push_back(key);
  ir::Diagnostic d;
  d.id = verdict->id();
  d.kind = verdict->kind();
  d.message = std::move(verdict->message);
  d.fix = std::move(verdict->fix);
  d.where.push_back(e.loc.valid() ? e.loc : statement_loc_);
  d.where.insert(d.where.end(), calls_.rbegin(), calls_.rend());
  diagnostics_.push_back(std::move(d));
}

void CertainWalk::check_op(const ir::OpCall& e, std::span<const Value> args, Cores cores) {
  if (runs_on_no_core(e, cores)) return;
  switch (e.desc().family) {
    case Family::Flag:
    case Family::CrossCore: return check_flags(e, args);
    case Family::VecUnary:
    case Family::VecBinary:
    case Family::VecBinaryAcc:
    case Family::VecScalar:
    case Family::VecScalarAcc:
    case Family::VecFill:
    case Family::DataCopy: return check_count_and_operands(e, args);
    default: return;
  }
}

bool CertainWalk::runs_on_no_core(const ir::OpCall& e, Cores cores) {
  const CoreSet needed = e.proto().core;
  if (needed == CoreSet::Any || (static_cast<Cores>(needed) & cores) != 0) return false;
  const Cores present = cores_of(module_.kernel_type);
  if (present == kBothCores && std::find(nowhere_.begin(), nowhere_.end(), &e) == nowhere_.end()) return true;
  Verdict verdict = check_core(e.desc().py_name, needed, static_cast<CoreSet>(cores));
  if (verdict && present != kBothCores)
    verdict->message += fmt::format("; kernel type {} has none", ir::to_string(module_.kernel_type));
  report(e, std::move(verdict));
  return true;
}

void CertainWalk::check_flags(const ir::OpCall& e, std::span<const Value> args) {
  const std::string_view name = e.desc().py_name;
  const OverloadDesc& proto = e.proto();
  const auto value = [&](std::string_view param) {
    const size_t index = param_index(proto, param);
    return index < proto.params.size() ? operand(e, index, args) : Value();
  };
  switch (e.op) {
    case OpId::SetFlag:
    case OpId::WaitFlag:
      if (const Value id = value("event_id"); id.is_int()) report(e, check_event_id(name, id.number));
      return;
    case OpId::PipeBarrier:
      if (const Value pipe = value("pipe"); pipe.is_int())
        report(e, check_barrier_pipe(name, static_cast<int>(pipe.number)));
      return;
    case OpId::CrossCoreSetFlag:
    case OpId::CrossCoreWaitFlag: {
      const Value id = value("flag_id"),
                  mode = e.op == OpId::CrossCoreSetFlag ? value("mode_id") : Value::of_int(0);
      if (id.is_int() && mode.is_int()) report(e, check_cross_core_id(name, id.number, mode.number));
      return;
    }
    default: return;
  }
}

// Ops on the first `count` elements of their operands; with a count that may be 0 nothing is certain.
void CertainWalk::check_count_and_operands(const ir::OpCall& e, std::span<const Value> args) {
  const OpDesc& desc = e.desc();
  const OverloadDesc& proto = e.proto();
  const size_t index = param_index(proto, "count");
  const Value count = index < proto.params.size() ? operand(e, index, args) : Value();
  if (!count.is_int()) return;
  if (count.number <= 0) return report(e, check_count(desc.py_name, "count", count.number));
  const bool copies = desc.family == Family::DataCopy;
  if (copies) report(e, check_copy_count(desc.py_name, count.number, e.vars[0]));
  if (e.op == OpId::ShiftLeft || e.op == OpId::ShiftRight) {
    const Value distance = operand(e, param_index(proto, "scalar"), args);
    if (distance.is_int()) report(e, check_shift(desc.py_name, e.vars[0], distance.number));
  }
  const size_t written = param_index(proto, "dst");
  for (size_t i = 0; i < args.size(); i++) {
    const ParamDesc& param = proto.params[i];
    if (args[i].kind != Value::Kind::Tensor || param.type.form != TypePattern::Form::LocalTensor) continue;
    const DType elem = e.args[i]->type.elem;
    const OperandFacts facts{param.name, args[i].space, elem, args[i].number};
    const int64_t bytes = copies ? copy_bytes(count.number, elem) : count_bytes(count.number, elem);
    if (bytes == 0) continue;
    report(e, check_alignment(desc.py_name, facts));
    report(e, check_space(desc.py_name, param.name, facts.space, param.spaces));
    if (!copies && written < args.size() && i != written && args[written].kind == Value::Kind::Tensor &&
        size_of(e.args[written]->type.elem) == size_of(elem))
      report(e, check_overlap(desc.py_name,
                              {proto.params[written].name, args[written].space, elem, args[written].number},
                              facts, bytes));
    report(e, check_local_range(desc.py_name, facts, bytes,
                                platform_.memory_bytes[static_cast<int>(facts.space)]));
  }
}

void CertainWalk::init_buffer(const ir::OpCall& e, const Value& self, std::span<const Value> args) {
  const bool known =
      certain_ && self.kind == Value::Kind::Object && !args.empty() && args[0].kind == Value::Kind::Object;
  if (!known || !pipes_known_) {
    pipes_known_ = false;
    return;
  }
  Object& pipe = objects_[static_cast<size_t>(self.number)];
  const Object& target = objects_[static_cast<size_t>(args[0].number)];
  const bool is_queue = target.type.kind == Kind::TQue;
  const Value count = is_queue ? operand(e, 1, args) : Value::of_int(1);
  const Value length = operand(e, is_queue ? 2 : 1, args);
  if (!count.is_int() || !length.is_int() || count.number < 0 || length.number < 0) {
    pipes_known_ = false;
    return;
  }
  const Space space = space_of_position(target.type.position);
  int64_t& used = pipe.used[static_cast<int>(space)];
  const int64_t bytes = count.number * buffer_bytes(length.number);
  const MemoryHolder wanted{target.name, used, bytes, static_cast<int>(count.number)};
  std::vector<MemoryHolder> holders;
  for (const Holder& h : holders_)
    if (h.pipe == self.number && h.space == space) holders.push_back(h.holder);
  Verdict verdict =
      check_memory("init_buffer", space, platform_.memory_bytes[static_cast<int>(space)], holders, wanted);
  if (verdict) return report(e, std::move(verdict));  // it gets nothing
  used += bytes;
  pipe.buffers += count.number;
  holders_.push_back({self.number, space, wanted});
  report(e, check_buffer_total("init_buffer", pipe.buffers));
}

}  // namespace asc::passes
