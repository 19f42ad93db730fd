// SPDX-License-Identifier: Apache-2.0
// Vector ops in count form: one handler a family and mode. The arithmetic is a kernel of sim/kernels.h.
#include "sim/access.h"
#include "sim/kernels.h"

namespace asc::sim {

namespace {

// ---- handlers ----

template <Mode M>
bool count_of(Core& core, const CallSite& site, int64_t count) {
  if constexpr (M == Mode::Check) {
    if (count < 0) [[unlikely]]
      core.log.add(check_count(op_desc(site.op).py_name, "count", count), core.here(), op_name(site),
                   to_string(site.pipe));
  }
  return count > 0;
}

template <Mode M>
void check_scalar(Core& core, const CallSite& site, uint64_t value) {
  if constexpr (M == Mode::Check) {
    if (site.op != OpId::ShiftLeft && site.op != OpId::ShiftRight) return;
    core.log.add(check_shift(op_desc(site.op).py_name, site.vars[0], static_cast<int64_t>(value)),
                 core.here(), op_name(site), to_string(site.pipe));
  }
}

// The destination and a source of the same element size: operands 1 and `source`.
template <Mode M>
void check_overlap_of(Core& core, const CallSite& site, const Operands& args, int source, DType elem,
                      int64_t bytes) {
  if constexpr (M == Mode::Check) {
    const uint64_t dst = args.tensor(1).address, src = args.tensor(source).address;
    const int64_t ahead = static_cast<int64_t>(src - dst);
    if (ahead == 0 || ahead <= -bytes || ahead >= bytes) [[likely]]
      return;
    const Place to = place_of(dst), from = place_of(src);
    if (to.owner != from.owner || to.owner >= kSpaceCount) return;
    const Space space = static_cast<Space>(to.owner);
    core.log.add(check_overlap(op_desc(site.op).py_name, {operand_name(site, 1), space, elem, to.offset},
                               {operand_name(site, source), space, elem, from.offset}, bytes),
                 core.here(), op_name(site), to_string(site.pipe));
  }
}

template <Mode M>
OpStatus vec_unary(Core& core, const CallSite& site, uint64_t* frame, uint64_t*) {
  const Operands args(core, site, frame);
  const int64_t count = args.integer(3);
  if (!runs_here<M>(core, site) || !count_of<M>(core, site, count)) return OpStatus::Done;
  const DType elem = site.vars[0];
  const int64_t bytes = count_bytes(count, elem);
  const uint8_t* src = local_bytes<M>(core, site, 2, args.tensor(2), elem, bytes, Access::Read);
  uint8_t* dst = local_bytes<M>(core, site, 1, args.tensor(1), elem, bytes, Access::Write);
  check_overlap_of<M>(core, site, args, 2, elem, bytes);
  if (src && dst) reinterpret_cast<UnaryKernel>(site.kernel)(dst, src, count);
  return OpStatus::Done;
}

// `Acc`: dst is read too; the sources may be of another type.
template <Mode M, bool Acc>
OpStatus vec_binary(Core& core, const CallSite& site, uint64_t* frame, uint64_t*) {
  const Operands args(core, site, frame);
  const int64_t count = args.integer(4);
  if (!runs_here<M>(core, site) || !count_of<M>(core, site, count)) return OpStatus::Done;
  const DType elem = site.vars[0];
  const DType source = Acc && site.vars[1] != DType::Void ? site.vars[1] : elem;
  const int64_t bytes = count_bytes(count, elem), source_bytes = count_bytes(count, source);
  const uint8_t* a = local_bytes<M>(core, site, 2, args.tensor(2), source, source_bytes, Access::Read);
  const uint8_t* b = local_bytes<M>(core, site, 3, args.tensor(3), source, source_bytes, Access::Read);
  uint8_t* dst =
      local_bytes<M>(core, site, 1, args.tensor(1), elem, bytes, Acc ? Access::ReadWrite : Access::Write);
  if (source_bytes == bytes) {
    check_overlap_of<M>(core, site, args, 2, elem, bytes);
    check_overlap_of<M>(core, site, args, 3, elem, bytes);
  }
  if (a && b && dst) reinterpret_cast<BinaryKernel>(site.kernel)(dst, a, b, count);
  return OpStatus::Done;
}

template <Mode M, bool Acc>
OpStatus vec_scalar(Core& core, const CallSite& site, uint64_t* frame, uint64_t*) {
  const Operands args(core, site, frame);
  const int64_t count = args.integer(4);
  if (!runs_here<M>(core, site) || !count_of<M>(core, site, count)) return OpStatus::Done;
  const DType elem = site.vars[0];
  const DType source = Acc && site.vars[1] != DType::Void ? site.vars[1] : elem;
  check_scalar<M>(core, site, args.bits(3));
  const uint8_t* src =
      local_bytes<M>(core, site, 2, args.tensor(2), source, count_bytes(count, source), Access::Read);
  uint8_t* dst = local_bytes<M>(core, site, 1, args.tensor(1), elem, count_bytes(count, elem),
                                Acc ? Access::ReadWrite : Access::Write);
  if (size_of(source) == size_of(elem))
    check_overlap_of<M>(core, site, args, 2, elem, count_bytes(count, elem));
  if (src && dst) reinterpret_cast<ScalarKernel>(site.kernel)(dst, src, args.bits(3), count);
  return OpStatus::Done;
}

template <Mode M>
OpStatus vec_fill(Core& core, const CallSite& site, uint64_t* frame, uint64_t*) {
  const Operands args(core, site, frame);
  const int64_t count = args.integer(3);
  if (!runs_here<M>(core, site) || !count_of<M>(core, site, count)) return OpStatus::Done;
  const DType elem = site.vars[0];
  uint8_t* dst = local_bytes<M>(core, site, 1, args.tensor(1), elem, count_bytes(count, elem), Access::Write);
  if (dst) reinterpret_cast<FillKernel>(site.kernel)(dst, args.bits(2), count);
  return OpStatus::Done;
}

// ---- handlers by family ----

void bind(CallSite* site, OpFn check, OpFn fast) {
  site->fn[static_cast<int>(Mode::Check)] = check;
  site->fn[static_cast<int>(Mode::Fast)] = fast;
}

bool bind_family(CallSite* site) {
  switch (family_of(site->op)) {
    case Family::VecUnary: bind(site, vec_unary<Mode::Check>, vec_unary<Mode::Fast>); return true;
    case Family::VecBinary:
      bind(site, vec_binary<Mode::Check, false>, vec_binary<Mode::Fast, false>);
      return true;
    case Family::VecBinaryAcc:
      bind(site, vec_binary<Mode::Check, true>, vec_binary<Mode::Fast, true>);
      return true;
    case Family::VecScalar:
      bind(site, vec_scalar<Mode::Check, false>, vec_scalar<Mode::Fast, false>);
      return true;
    case Family::VecScalarAcc:
      bind(site, vec_scalar<Mode::Check, true>, vec_scalar<Mode::Fast, true>);
      return true;
    case Family::VecFill: bind(site, vec_fill<Mode::Check>, vec_fill<Mode::Fast>); return true;
    default: return false;
  }
}

}  // namespace

bool bind_vector(CallSite* site) {
  if (!bind_family(site)) return false;
  site->kernel = vector_kernel(site->op, site->vars[0], site->vars[1]);
  return true;
}

}  // namespace asc::sim
