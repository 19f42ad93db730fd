// SPDX-License-Identifier: Apache-2.0
// The Matmul object. In a mixed kernel a vector core's call is a request that the cube core of its block
// serves while it waits: what is computed is the same as if the vector core did it, so it does. Each vector
// core has its own object; nothing of one request is seen by another (normal configuration). The cube core
// itself ends at register_matmul, from where on it only serves.
//
// A computation reads A, B and bias when iterate or iterate_all runs, block by block with all of K.
#include <algorithm>
#include <limits>

#include "base/format.h"
#include "ops/matmul_type.h"
#include "sim/access.h"
#include "sim/kernels.h"
#include "sim/matmul_tiling.h"

namespace asc::sim {

namespace {

void report(Core& core, const CallSite& site, FindingId id, std::string message, std::string fix) {
  Finding* f = core.log.add(id, core.here());
  if (!f) return;
  f->op = op_name(site);
  f->message = std::move(message);
  f->fix = std::move(fix);
}

struct Request {
  Object& object;
  MatmulState& state;
  std::string_view op;
  MatmulMatrix matrix(int side) const { return matmul_matrix(object.type, side); }
};

Request request(Core& core, const CallSite& site, uint64_t* frame, int operand = 0) {
  const Operands args(core, site, frame);
  Object& object = core.objects[args.bits(operand)];
  ASC_ASSERT(object.matmul);
  return {object, *object.matmul, op_desc(site.op).py_name};
}

bool is_registered(Core& core, const CallSite& site, const Request& r) {
  if (r.state.registered) return true;
  report(core, site, FindingId::MatmulNotRegistered,
         fmt::format("{}: `{}` is not registered", r.op, r.object.name),
         "call asc.adv.register_matmul(pipe, workspace, matmul, tiling) before");
  return false;
}

// ---- tiling ----

void take_tiling(Core& core, const CallSite& site, const Request& r, const uint64_t* fields) {
  MatmulState& s = r.state;
  const SizeFault fault =
      tiling_fault(*core.launch->platform, fields, r.matrix(kMatmulA), r.matrix(kMatmulB));
  s.tiling = fault.what.empty() ? MatmulState::Tiling::Good : MatmulState::Tiling::Bad;
  if (!fault.what.empty())
    return report(core, site, FindingId::MatmulSize,
                  fmt::format("{}: {} in the tiling of `{}`", r.op, fault.what, r.object.name), fault.fix);
  const auto value = [&](int i) { return static_cast<int64_t>(fields[i]); };
  s.shape = {value(kSingleM), value(kSingleN), value(kSingleK),
             value(kBaseM),   value(kBaseN),   value(kIterateOrder) == 1};
  s.org_m = value(kM);
  s.org_n = value(kN);
  s.org_ka = value(kKa);
  s.org_kb = value(kKb);
  s.org_kc = 0;
  s.tiling_bias = s.wants_bias = value(kIsBias) != 0;
}

bool has_tiling(Core& core, const CallSite& site, const Request& r) {
  if (!is_registered(core, site, r)) return false;
  if (r.state.tiling == MatmulState::Tiling::None)
    report(core, site, FindingId::MatmulNoTiling, fmt::format("{}: `{}` has no tiling", r.op, r.object.name),
           "pass it to register_matmul, or call init(tiling) before");
  return r.state.tiling == MatmulState::Tiling::Good;
}

OpStatus register_matmul(Core& core, const CallSite& site, uint64_t* frame, uint64_t*) {
  if (core.launch->mixed() && core.aic) return OpStatus::Finish;
  const Operands args(core, site, frame);
  const Request r = request(core, site, frame, 3);
  r.state.reset();
  r.state.registered = true;
  if (site.operand_count > 4) take_tiling(core, site, r, args.fields(4));
  return OpStatus::Done;
}

OpStatus init(Core& core, const CallSite& site, uint64_t* frame, uint64_t*) {
  const Request r = request(core, site, frame);
  if (is_registered(core, site, r)) take_tiling(core, site, r, Operands(core, site, frame).fields(1));
  return OpStatus::Done;
}

// Sizes given one by one; -1 keeps one where `keeps`.
bool take_sizes(Core& core, const CallSite& site, const Request& r, const int64_t* sizes, int64_t* const* to,
                int count, bool keeps) {
  for (int i = 0; i < count; i++) {
    if (keeps && sizes[i] == -1) continue;
    if (sizes[i] <= 0) {
      report(core, site, FindingId::MatmulSize,
             fmt::format("{}: {} is {}", r.op, site.proto->params[static_cast<size_t>(i)].name, sizes[i]),
             "a size must be above 0: a core without work skips the computation");
      r.state.tiling = MatmulState::Tiling::Bad;
      return false;
    }
    *to[i] = sizes[i];
  }
  return true;
}

OpStatus set_single(Core& core, const CallSite& site, uint64_t* frame, uint64_t*) {
  const Request r = request(core, site, frame);
  if (!has_tiling(core, site, r)) return OpStatus::Done;
  const Operands args(core, site, frame);
  const int64_t sizes[] = {args.integer(1), args.integer(2), args.integer(3)};
  int64_t* const to[] = {&r.state.shape.m, &r.state.shape.n, &r.state.shape.k};
  take_sizes(core, site, r, sizes, to, 3, site.op == OpId::Matmul_SetTail);
  return OpStatus::Done;
}

OpStatus set_org_shape(Core& core, const CallSite& site, uint64_t* frame, uint64_t*) {
  const Request r = request(core, site, frame);
  if (!has_tiling(core, site, r)) return OpStatus::Done;
  const Operands args(core, site, frame);
  MatmulState& s = r.state;
  const bool all = site.operand_count > 4;
  int64_t sizes[] = {args.integer(1), args.integer(2), args.integer(3), 0, 0};
  for (int i = 3; all && i < 5; i++) sizes[i] = args.integer(i + 1);
  int64_t* const to[] = {&s.org_m, &s.org_n, &s.org_ka, &s.org_kb, &s.org_kc};
  const int given = !all ? 3 : sizes[4] == 0 ? 4 : 5;
  if (!take_sizes(core, site, r, sizes, to, given, false)) return OpStatus::Done;
  if (!all) s.org_kb = s.org_ka;
  if (given < 5) s.org_kc = 0;
  return OpStatus::Done;
}

// ---- matrices ----

OpStatus set_tensor(Core& core, const CallSite& site, uint64_t* frame, uint64_t*) {
  const Request r = request(core, site, frame);
  if (!is_registered(core, site, r)) return OpStatus::Done;
  const Operands args(core, site, frame);
  const bool left = site.op == OpId::Matmul_SetTensorA;
  MatmulState::Matrix& matrix = left ? r.state.a : r.state.b;
  matrix = {args.tensor(1).address, true, args.bits(2) != 0};
  r.state.fresh = true;
  r.state.iterating = r.state.block_ready = false;
  if (matrix.transposed && !r.matrix(left ? kMatmulA : kMatmulB).is_trans)
    report(core, site, FindingId::MatmulMode,
           fmt::format("{}: transpose=True, and the MatmulType of '{}' has is_trans=False", r.op,
                       left ? "a" : "b"),
           "make the MatmulType with is_trans=True");
  return OpStatus::Done;
}

OpStatus set_bias(Core& core, const CallSite& site, uint64_t* frame, uint64_t*) {
  const Request r = request(core, site, frame);
  if (!has_tiling(core, site, r)) return OpStatus::Done;
  if (!r.state.tiling_bias)
    report(core, site, FindingId::MatmulBias, fmt::format("{}: the tiling has is_bias=0", r.op),
           "make the tiling with is_bias=1");
  r.state.bias = {Operands(core, site, frame).tensor(1).address, true, false};
  r.state.wants_bias = r.state.tiling_bias;
  return OpStatus::Done;
}

OpStatus disable_bias(Core& core, const CallSite& site, uint64_t* frame, uint64_t*) {
  const Request r = request(core, site, frame);
  if (is_registered(core, site, r)) r.state.wants_bias = false;
  return OpStatus::Done;
}

// ---- computing ----

// `count` elements from an address as numbers of Acc; bytes outside of the argument are nobody's.
template <Mode M, class Acc, class T>
void read_row(Core& core, const CallSite& site, uint64_t address, DType dtype, int64_t count, Acc* to,
              int64_t step) {
  const int64_t bytes = count * static_cast<int64_t>(sizeof(T));
  const GlobalBytes from = global_bytes<M>(core, site, 0, address, dtype, bytes, Access::Read);
  const bool whole = from.at && from.whole(bytes);
  if constexpr (std::is_same_v<Acc, float> && bodies::kIsFloat<T>) {
    if (whole && step == 1) return matmul_kernels(dtype).widen(to, from.at, count);
  }
  for (int64_t i = 0; i < count; i++) {
    const int64_t at = i * static_cast<int64_t>(sizeof(T));
    T value;
    if (whole || (from.at && at >= from.begin && at + static_cast<int64_t>(sizeof(T)) <= from.end))
      std::memcpy(&value, from.at + at, sizeof(T));
    else
      fill_poison(&value, sizeof(T));
    to[i * step] = static_cast<Acc>(value);  // NOLINT(bugprone-signed-char-misuse): an int8 is a number here
  }
}

template <Mode M, class Acc>
void read_elements(Core& core, const CallSite& site, uint64_t address, DType dtype, int64_t count, Acc* to,
                   int64_t step) {
  if constexpr (!std::is_same_v<Acc, int32_t>) {
    if (dtype == DType::F16) return read_row<M, Acc, half_t>(core, site, address, dtype, count, to, step);
    if (dtype == DType::BF16)
      return read_row<M, Acc, bfloat16_t>(core, site, address, dtype, count, to, step);
  }
  switch (dtype) {
    case DType::F32: return read_row<M, Acc, float>(core, site, address, dtype, count, to, step);
    case DType::I32: return read_row<M, Acc, int32_t>(core, site, address, dtype, count, to, step);
    case DType::I8: return read_row<M, Acc, int8_t>(core, site, address, dtype, count, to, step);
    default: break;
  }
  ASC_BUG("a matrix of a type that no Matmul has");
}

// A panel that no argument can hold is a finding, not an allocation. Smaller ones are read as far as they
// exist.
template <Mode M>
bool can_exist(Core& core, const CallSite& site, uint64_t address, DType dtype, int64_t rows, int64_t columns,
               int64_t stride) {
  constexpr int64_t kCertain = int64_t{1} << 22, kMost = int64_t{1} << 46;  // elements, bytes
  if (rows * columns <= kCertain) return true;
  const GlobalMemory& gm = core.launch->gm;
  const uint64_t group = place_of(address).owner - kFirstGlobalOwner;
  const __int128 span = (static_cast<__int128>(rows - 1) * stride + columns) * size_of(dtype);
  if (group < gm.groups.size() && span <= gm.groups[group].part_of(core.block).bytes()) return true;
  global_bytes<M>(core, site, 0, address, dtype, static_cast<int64_t>(std::min<__int128>(span, kMost)),
                  Access::Read);
  return false;
}

// The part of A or B that a block is made of: `inner` elements of K from `from` on, `outer` rows of A or
// columns of B from `place` on, as they lie in memory.
struct Panel {
  int64_t row, column, rows, columns, stride;
  bool across;  // what is read is the transpose of what lies there
};
Panel panel_of(const MatmulState& s, bool left, int64_t from, int64_t inner) {
  const bodies::MatmulBlock& b = s.block;
  if (left)
    return s.a.transposed ? Panel{from, b.row, inner, b.rows, s.org_m, true}
                          : Panel{b.row, from, b.rows, inner, s.org_ka, false};
  return s.b.transposed ? Panel{b.column, from, b.columns, inner, s.org_kb, true}
                        : Panel{from, b.column, inner, b.columns, s.org_n, false};
}

template <Mode M>
bool can_exist(Core& core, const CallSite& site, const MatmulState::Matrix& matrix, DType dtype,
               const Panel& p) {
  const uint64_t start = move_address(matrix.address, p.row * p.stride + p.column, size_of(dtype));
  return can_exist<M>(core, site, start, dtype, p.rows, p.columns, p.stride);
}

template <Mode M, class Acc>
void read_panel(Core& core, const CallSite& site, const MatmulState::Matrix& matrix, DType dtype,
                const Panel& p, std::vector<Acc>* panel) {
  panel->resize(static_cast<size_t>(p.rows * p.columns));
  for (int64_t i = 0; i < p.rows; i++) {
    const int64_t at = (p.row + i) * p.stride + p.column;
    Acc* to = panel->data() + (p.across ? i : i * p.columns);
    read_elements<M>(core, site, move_address(matrix.address, at, size_of(dtype)), dtype, p.columns, to,
                     p.across ? p.rows : 1);
  }
}

// False: the launch has been stopped. K in slices, however long it is: the panels stay small and somebody may
// stop the launch; sums over ascending k are the same.
template <Mode M, class Acc>
bool compute_block(Core& core, const CallSite& site, const Request& r, std::vector<Acc>* left,
                   std::vector<Acc>* right, std::vector<Acc>* sums) {
  constexpr int64_t kSlice = 4096;
  MatmulState& s = r.state;
  const bodies::MatmulBlock& b = s.block;
  const DType a_type = r.matrix(kMatmulA).dtype, b_type = r.matrix(kMatmulB).dtype;
  sums->assign(static_cast<size_t>(b.rows * b.columns), Acc{0});
  if (s.wants_bias && s.bias.set) {
    const MatmulMatrix own = r.matrix(kMatmulBias), c = r.matrix(kMatmulC);
    const DType dtype = own.dtype == DType::Void ? c.dtype : own.dtype;
    // RULE the sum starts from the bias, which the cube core preloads (manual, Mmad with a bias table).
    read_elements<M>(core, site, move_address(s.bias.address, b.column, size_of(dtype)), dtype, b.columns,
                     sums->data(), 1);
    for (int64_t i = 1; i < b.rows; i++) std::copy_n(sums->data(), b.columns, sums->data() + i * b.columns);
  }
  if (!can_exist<M>(core, site, s.a, a_type, panel_of(s, true, 0, s.shape.k)) ||
      !can_exist<M>(core, site, s.b, b_type, panel_of(s, false, 0, s.shape.k))) {
    fill_poison(sums->data(), sums->size() * sizeof(Acc));
    return true;
  }
  for (int64_t from = 0; from < s.shape.k; from += kSlice) {
    if (!core.launch->poll()) return false;
    const int64_t k = std::min(kSlice, s.shape.k - from);
    read_panel<M>(core, site, s.a, a_type, panel_of(s, true, from, k), left);
    read_panel<M>(core, site, s.b, b_type, panel_of(s, false, from, k), right);
    if constexpr (std::is_same_v<Acc, float>)
      matmul_kernels(a_type).add(sums->data(), left->data(), right->data(), b.rows, b.columns, k);
    else
      bodies::matmul_add(sums->data(), left->data(), right->data(), b.rows, b.columns, k);
  }
  return true;
}

template <Mode M>
bool compute(Core& core, const CallSite& site, const Request& r) {
  MatmulState& s = r.state;
  s.block = bodies::matmul_block(s.shape, s.next++);
  s.block_ready = true;
  if (r.matrix(kMatmulA).dtype == DType::I8)
    return compute_block<M>(core, site, r, &s.int_left, &s.int_right, &s.int_sums);
  return compute_block<M>(core, site, r, &s.left, &s.right, &s.sums);
}

// What is computed is a part of the matrices: beyond it memory goes on, with the next row or another matrix.
SizeFault part_fault(const MatmulState& s) {
  struct Size {
    std::string_view computed, whole;
    int64_t count, room;
    bool counts = true;
  };
  const Size sizes[] = {
      {"single_core_k", "k_a", s.shape.k, s.org_ka},
      {"single_core_k", "k_b", s.shape.k, s.org_kb},
      {"single_core_m", "m", s.shape.m, s.org_m, s.a.transposed},
      {"single_core_n", "n", s.shape.n, s.org_n, !s.b.transposed || s.org_kc == 0},
      {"single_core_n", "org_kc", s.shape.n, s.org_kc, s.org_kc > 0},
  };
  for (const Size& size : sizes)
    if (size.counts && size.count > size.room)
      return {fmt::format("{} is {}, and {} is {}", size.computed, size.count, size.whole, size.room),
              "a part of a matrix is no larger than the matrix"};
  return {};
}

// Is there all that a new computation needs?
bool can_begin(Core& core, const CallSite& site, const Request& r) {
  MatmulState& s = r.state;
  if (!has_tiling(core, site, r)) return false;
  for (const auto& [matrix, side] : {std::pair(&s.a, "a"), std::pair(&s.b, "b")}) {
    if (matrix->set) continue;
    report(core, site, FindingId::MatmulNoInput,
           fmt::format("{}: `{}` has no tensor {}", r.op, r.object.name, side),
           fmt::format("call set_tensor_{} before", side));
    return false;
  }
  if (!s.fresh) {
    report(core, site, FindingId::MatmulNoInput,
           fmt::format("{}: `{}` has computed with these tensors already", r.op, r.object.name),
           "call set_tensor_a and set_tensor_b again before the next computation");
    return false;
  }
  if (s.wants_bias && !s.bias.set) {
    report(core, site, FindingId::MatmulBias,
           fmt::format("{}: the tiling has is_bias=1 and `{}` has no bias", r.op, r.object.name),
           "call set_bias or disable_bias before");
    return false;
  }
  if (const SizeFault fault = part_fault(s); !fault.what.empty()) {
    report(core, site, FindingId::MatmulSize, fmt::format("{}: {} of `{}`", r.op, fault.what, r.object.name),
           fault.fix);
    return false;
  }
  s.fresh = false;
  s.next = 0;
  return true;
}

template <Mode M>
OpStatus iterate(Core& core, const CallSite& site, uint64_t* frame, uint64_t* result) {
  const Request r = request(core, site, frame);
  MatmulState& s = r.state;
  *result = 0;
  if (s.fresh || !s.iterating) {
    // Behind the last block there is none, until new tensors are set.
    if (s.registered && !s.fresh && s.next > 0) return OpStatus::Done;
    if (!can_begin(core, site, r)) return OpStatus::Done;
    s.iterating = true;
  }
  if (s.next >= s.shape.blocks()) {
    s.iterating = s.block_ready = false;
    return OpStatus::Done;
  }
  if (!compute<M>(core, site, r)) return OpStatus::Stop;
  *result = 1;
  return OpStatus::Done;
}

// ---- results ----

template <class T, class Acc>
void put_row(uint8_t* to, const Acc* sums, int64_t begin, int64_t end, int64_t atomic) {
  for (int64_t i = begin; i < end; i++) {
    T value = bodies::matmul_result<T>(sums[i]);
    uint8_t* at = to + i * static_cast<int64_t>(sizeof(T));
    if (atomic != 0) {
      T old;
      std::memcpy(&old, at, sizeof(T));
      value = bodies::matmul_combine(atomic, old, value);
    }
    std::memcpy(at, &value, sizeof(T));
  }
}

void put_elements(const MatmulState& s, DType dtype, int64_t row, uint8_t* to, int64_t begin, int64_t end,
                  int64_t atomic) {
  const int64_t first = row * s.block.columns;
  switch (dtype) {
    case DType::F32: return put_row<float>(to, s.sums.data() + first, begin, end, atomic);
    case DType::F16: return put_row<half_t>(to, s.sums.data() + first, begin, end, atomic);
    case DType::BF16: return put_row<bfloat16_t>(to, s.sums.data() + first, begin, end, atomic);
    case DType::I32: return put_row<int32_t>(to, s.int_sums.data() + first, begin, end, atomic);
    default: ASC_BUG("a result of a type that no Matmul has");
  }
}

bool check_atomic(Core& core, const CallSite& site, const Request& r, int64_t atomic, bool local) {
  if (atomic >= 0 && atomic <= (local ? 0 : 3)) return true;
  report(core, site, FindingId::MatmulMode, fmt::format("{}: en_atomic is {}", r.op, atomic),
         local ? "local memory is written only: en_atomic=0"
               : "0 writes, 1 adds, 2 takes the maximum, 3 the minimum");
  return false;
}

// RULE a block goes to its place in C, whose rows are as far apart as the whole matrix is wide; written
// sequentially, to the start of the tensor, its rows one behind another (manual, GetTensorC).
// False: not one element of it exists.
template <Mode M>
bool put_block(Core& core, const CallSite& site, const Request& r, uint64_t address, int64_t atomic,
               bool sequential) {
  const MatmulState& s = r.state;
  const DType dtype = site.vars[0];
  const int64_t size = size_of(dtype), stride = sequential     ? s.block.columns
                                                : s.org_kc > 0 ? s.org_kc
                                                               : s.org_n;
  const int64_t first = sequential ? 0 : s.block.row * stride + s.block.column;
  bool exists = false;
  for (int64_t row = 0; row < s.block.rows; row++) {
    const uint64_t at = move_address(address, first + row * stride, size);
    const GlobalBytes to = global_bytes<M>(core, site, 1, at, dtype, s.block.columns * size,
                                           atomic != 0 ? Access::ReadWrite : Access::Write);
    if (to.at) put_elements(s, dtype, row, to.at, (to.begin + size - 1) / size, to.end / size, atomic);
    exists = exists || to.at;
  }
  return exists;
}

bool block_waits(Core& core, const CallSite& site, const Request& r) {
  if (!has_tiling(core, site, r)) return false;
  if (r.state.block_ready) return true;
  report(core, site, FindingId::MatmulNoBlock,
         fmt::format("{}: `{}` has no block to give", r.op, r.object.name),
         "each turn of `with matmul.iterate()` computes one block, and get_tensor_c takes it once");
  return false;
}

template <Mode M>
OpStatus get_to_global(Core& core, const CallSite& site, uint64_t* frame, uint64_t*) {
  const Request r = request(core, site, frame);
  const Operands args(core, site, frame);
  const int64_t atomic = args.integer(2);
  if (!block_waits(core, site, r) || !check_atomic(core, site, r, atomic, false)) return OpStatus::Done;
  r.state.block_ready = false;
  put_block<M>(core, site, r, args.tensor(1).address, atomic, args.bits(3) != 0);
  return OpStatus::Done;
}

// The block goes to global memory; then as much as the local tensor holds comes from where that tensor
// starts.
template <Mode M>
OpStatus get_to_both(Core& core, const CallSite& site, uint64_t* frame, uint64_t*) {
  const Request r = request(core, site, frame);
  const Operands args(core, site, frame);
  const int64_t atomic = args.integer(3);
  if (!block_waits(core, site, r) || !check_atomic(core, site, r, atomic, false)) return OpStatus::Done;
  r.state.block_ready = false;
  put_block<M>(core, site, r, args.tensor(1).address, atomic, args.bits(4) != 0);
  const Tensor local = args.tensor(2);
  const DType dtype = site.vars[0];
  const int64_t bytes = copy_bytes(local.length(), dtype);
  uint8_t* to = local_bytes<M>(core, site, 2, local, dtype, bytes, Access::Write);
  const GlobalBytes from = global_bytes<M>(core, site, 1, args.tensor(1).address, dtype, bytes, Access::Read);
  if (!to || !from.at) return OpStatus::Done;
  fill_poison(to, static_cast<size_t>(bytes));
  std::memcpy(to + from.begin, from.at + from.begin, static_cast<size_t>(from.end - from.begin));
  return OpStatus::Done;
}

template <Mode M>
OpStatus get_to_local(Core& core, const CallSite& site, uint64_t* frame, uint64_t*) {
  const Request r = request(core, site, frame);
  const Operands args(core, site, frame);
  if (!block_waits(core, site, r) || !check_atomic(core, site, r, args.integer(2), true))
    return OpStatus::Done;
  MatmulState& s = r.state;
  s.block_ready = false;
  const DType dtype = site.vars[0];
  const bool sequential = args.bits(3) != 0;
  const int64_t size = size_of(dtype), stride = sequential     ? s.block.columns
                                                : s.org_kc > 0 ? s.org_kc
                                                               : s.org_n;
  const int64_t first = sequential ? 0 : s.block.row * stride + s.block.column;
  const int64_t end = first + (s.block.rows - 1) * stride + s.block.columns;
  // RULE the tensor holds a whole block even where the last one is smaller (manual, GetTensorC); behind what
  // was computed it gets what the way there held. A place that no memory reaches counts as many bytes as no
  // memory has, so that the product stays a number.
  constexpr int64_t kBeyond = int64_t{1} << 40;
  const int64_t whole = std::min(sequential ? s.shape.base_m * s.shape.base_n : end, kBeyond);
  uint8_t* to = local_bytes<M>(core, site, 1, args.tensor(1), dtype, whole * size, Access::Write);
  if (!to) return OpStatus::Done;
  if (whole > end) fill_poison(to + end * size, static_cast<size_t>((whole - end) * size));
  for (int64_t row = 0; row < s.block.rows; row++)
    put_elements(s, dtype, row, to + (first + row * stride) * size, 0, s.block.columns, 0);
  return OpStatus::Done;
}

template <Mode M>
OpStatus iterate_all(Core& core, const CallSite& site, uint64_t* frame, uint64_t*) {
  const Request r = request(core, site, frame);
  const Operands args(core, site, frame);
  MatmulState& s = r.state;
  const int64_t atomic = args.integer(2);
  if (s.iterating && !s.fresh) {
    report(core, site, FindingId::MatmulUnfinished,
           fmt::format("{}: `{}` is in the middle of an iteration", r.op, r.object.name),
           "end the iteration first, or call set_tensor_a and set_tensor_b again");
    return OpStatus::Done;
  }
  if (!can_begin(core, site, r) || !check_atomic(core, site, r, atomic, false)) return OpStatus::Done;
  // Parameters in Python's order: tensor, en_atomic, sync, en_sequential_write, wait_iterate_all.
  const bool sequential = args.bits(4) != 0;
  const int64_t blocks = s.shape.blocks();
  const int64_t size = size_of(site.vars[0]);
  int64_t written = 0;
  while (s.next < blocks) {
    if (!compute<M>(core, site, r)) return OpStatus::Stop;
    // Written sequentially, each block lies behind the one before.
    const uint64_t at = move_address(args.tensor(1).address, sequential ? written : 0, size);
    if (!put_block<M>(core, site, r, at, atomic, sequential)) break;  // C has ended
    if (!core.launch->poll()) return OpStatus::Stop;
    written += s.block.rows * s.block.columns;
  }
  s.block_ready = s.iterating = false;
  s.pending = args.bits(3) == 0 && args.bits(5) != 0;
  return OpStatus::Done;
}

OpStatus wait_iterate_all(Core& core, const CallSite& site, uint64_t* frame, uint64_t*) {
  const Request r = request(core, site, frame);
  if (!is_registered(core, site, r)) return OpStatus::Done;
  if (!r.state.pending)
    report(core, site, FindingId::MatmulUnfinished, fmt::format("{}: nothing to wait for", r.op),
           "it belongs to iterate_all(c, sync=False, wait_iterate_all=True)");
  r.state.pending = false;
  return OpStatus::Done;
}

OpStatus end(Core& core, const CallSite& site, uint64_t* frame, uint64_t*) {
  const Request r = request(core, site, frame);
  if (!is_registered(core, site, r)) return OpStatus::Done;
  r.state.iterating = r.state.block_ready = r.state.fresh = false;
  return OpStatus::Done;
}

}  // namespace

bool bind_matmul(CallSite* site) {
  const auto both = [site](OpFn check, OpFn fast) {
    site->fn[static_cast<int>(Mode::Check)] = check;
    site->fn[static_cast<int>(Mode::Fast)] = fast;
    return true;
  };
  switch (site->op) {
    case OpId::REGIST_MATMUL_OBJ: return both(register_matmul, register_matmul);
    case OpId::Matmul_Init: return both(init, init);
    case OpId::Matmul_SetTensorA:
    case OpId::Matmul_SetTensorB: return both(set_tensor, set_tensor);
    case OpId::Matmul_SetBias: return both(set_bias, set_bias);
    case OpId::Matmul_DisableBias: return both(disable_bias, disable_bias);
    case OpId::Matmul_SetTail:
    case OpId::Matmul_SetSingleShape: return both(set_single, set_single);
    case OpId::Matmul_SetOrgShape: return both(set_org_shape, set_org_shape);
    case OpId::Matmul_Iterate: return both(iterate<Mode::Check>, iterate<Mode::Fast>);
    case OpId::Matmul_GetTensorC:
      if (site->proto->params[0].type.form == TypePattern::Form::LocalTensor)
        return both(get_to_local<Mode::Check>, get_to_local<Mode::Fast>);
      if (site->proto->params[1].type.form == TypePattern::Form::LocalTensor)
        return both(get_to_both<Mode::Check>, get_to_both<Mode::Fast>);
      return both(get_to_global<Mode::Check>, get_to_global<Mode::Fast>);
    case OpId::Matmul_IterateAll: return both(iterate_all<Mode::Check>, iterate_all<Mode::Fast>);
    case OpId::Matmul_WaitIterateAll: return both(wait_iterate_all, wait_iterate_all);
    case OpId::Matmul_End: return both(end, end);
    default: return false;
  }
}

}  // namespace asc::sim
