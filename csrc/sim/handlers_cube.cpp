// SPDX-License-Identifier: Apache-2.0
// Cube ops: fractals into L0A, L0B and L1, matrix multiply-add into L0C, results out of L0C.
#include <algorithm>

#include "sim/access.h"
#include "sim/bodies/cube.h"
#include "sim/kernels.h"

namespace asc::sim {

namespace {

// Fields of the parameter structs, in the order of their rows in ops/structs.def.
enum LoadField { kStartIndex, kRepeatTimes, kSrcStride, kSid, kDstGap, kIfTranspose, kAddrMode };
enum MmadField { kM, kN, kK, kUnitFlag, kCmatrixSource, kCmatrixInitVal };
enum FixpipeField { kNSize, kMSize, kFixSrcStride, kDstStride, kReluEn };

void copy_fractal(uint8_t* dst, const uint8_t* src, bool transpose) {
  if (!transpose) {
    std::memcpy(dst, src, kFractalBytes);
    return;
  }
  for (int i = 0; i < 16; i++)
    for (int j = 0; j < 16; j++) std::memcpy(dst + (j * 16 + i) * 2, src + (i * 16 + j) * 2, 2);
}

template <Mode M, bool FromGlobal>
OpStatus load_data(Core& core, const CallSite& site, uint64_t* frame, uint64_t*) {
  if (!runs_here<M>(core, site)) return OpStatus::Done;
  const Operands args(core, site, frame);
  const uint64_t* p = args.fields(3);
  const DType elem = site.vars[0];
  const FractalCopy copy =
      load_data_2d(static_cast<int64_t>(p[kStartIndex]), static_cast<int64_t>(p[kRepeatTimes]),
                   static_cast<int64_t>(p[kSrcStride]), static_cast<int64_t>(p[kDstGap]), p[kAddrMode] == 1);
  if (copy.repeats <= 0) return OpStatus::Done;
  // RULE if_transpose works on 16-bit elements only (manual, LoadData 2D); elsewhere it is ignored.
  const bool transpose = p[kIfTranspose] != 0 && size_of(elem) == 2;
  const int64_t dst_bytes = (copy.repeats - 1) * copy.dst_step + kFractalBytes;
  uint8_t* dst = local_bytes<M>(core, site, 1, args.tensor(1), elem, dst_bytes, Access::Write);
  if (!dst) return OpStatus::Done;
  Tensor src = args.tensor(2);
  if constexpr (FromGlobal) {
    for (int64_t i = 0; i < copy.repeats; i++) {
      const uint64_t at = move_address(src.address, copy.src_begin + i * copy.src_step, 1);
      const GlobalBytes from = global_bytes<M>(core, site, 2, at, elem, kFractalBytes, Access::Read);
      uint8_t fractal[kFractalBytes];
      fill_poison(fractal, sizeof(fractal));
      if (from.at)
        std::memcpy(fractal + from.begin, from.at + from.begin, static_cast<size_t>(from.end - from.begin));
      copy_fractal(dst + i * copy.dst_step, fractal, transpose);
    }
  } else {
    const int64_t last = copy.src_begin + (copy.repeats - 1) * copy.src_step;
    const int64_t low = std::min(copy.src_begin, last), high = std::max(copy.src_begin, last) + kFractalBytes;
    // From the tensor's start, so that a finding counts as the tensor does; backwards, from before it.
    const int64_t back = std::min<int64_t>(low, 0);
    src.address = move_address(src.address, back, 1);
    src.info = src.with_length(src.length() - back / std::max(1, size_of(elem)));
    const uint8_t* from = local_bytes<M>(core, site, 2, src, elem, high - back, Access::Read);
    if (!from) return OpStatus::Done;
    from += low - back;
    for (int64_t i = 0; i < copy.repeats; i++)
      copy_fractal(dst + i * copy.dst_step, from + (copy.src_begin + i * copy.src_step - low), transpose);
  }
  return OpStatus::Done;
}

// The bodies take elements: a start off its element's alignment (a finding in `check`) is rounded down.
template <class T, class Byte>
T* elements(Byte* at, DType elem) {
  return reinterpret_cast<T*>(reinterpret_cast<uintptr_t>(at) & ~static_cast<uintptr_t>(size_of(elem) - 1));
}

template <Mode M>
OpStatus mmad(Core& core, const CallSite& site, uint64_t* frame, uint64_t*) {
  if (!runs_here<M>(core, site)) return OpStatus::Done;
  const Operands args(core, site, frame);
  const uint64_t* p = args.fields(4);
  const int64_t m = static_cast<int64_t>(p[kM]), n = static_cast<int64_t>(p[kN]),
                k = static_cast<int64_t>(p[kK]);
  if constexpr (M == Mode::Check)
    core.log.add(check_cube_shape("mmad", m, n, k), core.here(), op_name(site), "M");
  if (m <= 0 || n <= 0 || k <= 0) return OpStatus::Done;
  const DType acc = site.vars[0], elem = site.vars[1];
  const MmadFootprint bytes = mmad_footprint(m, n, k, elem, acc);
  const uint8_t* a = local_bytes<M>(core, site, 2, args.tensor(2), elem, bytes.fm, Access::Read);
  const uint8_t* b = local_bytes<M>(core, site, 3, args.tensor(3), elem, bytes.filter, Access::Read);
  uint8_t* c = local_bytes<M>(core, site, 1, args.tensor(1), acc, bytes.dst, Access::ReadWrite);
  if (!a || !b || !c) return OpStatus::Done;
  const bool init = p[kCmatrixInitVal] != 0;
  if (elem == DType::I8)
    bodies::mmad(elements<int32_t>(c, acc), elements<const int8_t>(a, elem), elements<const int8_t>(b, elem),
                 m, k, n, init);
  else
    matmul_kernels(elem).mmad(elements<float>(c, acc), elements<const void>(a, elem),
                              elements<const void>(b, elem), m, k, n, init);
  return OpStatus::Done;
}

template <class T>
void fixpipe_row(uint8_t* to, const uint8_t* l0c, int64_t row, int64_t begin, int64_t end, int64_t src_stride,
                 bool relu) {
  for (int64_t col = begin; col < end; col++) {
    T value;
    std::memcpy(&value, l0c + bodies::nz_index(row, col, src_stride) * static_cast<int64_t>(sizeof(T)),
                sizeof(T));
    if (relu) value = bodies::relu_result(value);
    std::memcpy(to + col * static_cast<int64_t>(sizeof(T)), &value, sizeof(T));
  }
}

template <Mode M>
OpStatus fixpipe(Core& core, const CallSite& site, uint64_t* frame, uint64_t*) {
  if (!runs_here<M>(core, site)) return OpStatus::Done;
  const Operands args(core, site, frame);
  const uint64_t* p = args.fields(3);
  const int64_t n = static_cast<int64_t>(p[kNSize]), m = static_cast<int64_t>(p[kMSize]);
  const int64_t src_stride = static_cast<int64_t>(p[kFixSrcStride]),
                dst_stride = static_cast<int64_t>(p[kDstStride]);
  if (n <= 0 || m <= 0) return OpStatus::Done;
  const DType elem = site.vars[0];
  const int64_t size = size_of(elem), src_bytes = (((n + 15) / 16 - 1) * src_stride * 16 + m * 16) * size;
  const uint8_t* from = local_bytes<M>(core, site, 2, args.tensor(2), elem, src_bytes, Access::Read);
  if (!from) return OpStatus::Done;
  const Tensor dst = args.tensor(1);
  const bool relu = p[kReluEn] != 0;
  for (int64_t row = 0; row < m; row++) {
    const uint64_t at = move_address(dst.address, row * dst_stride, size);
    const GlobalBytes to = global_bytes<M>(core, site, 1, at, elem, n * size, Access::Write);
    if (!to.at) continue;
    const int64_t begin = (to.begin + size - 1) / size, end = to.end / size;
    if (elem == DType::I32)
      fixpipe_row<int32_t>(to.at, from, row, begin, end, src_stride, relu);
    else
      fixpipe_row<float>(to.at, from, row, begin, end, src_stride, relu);
  }
  return OpStatus::Done;
}

}  // namespace

bool bind_cube(CallSite* site) {
  auto both = [site](OpFn check, OpFn fast) {
    site->fn[static_cast<int>(Mode::Check)] = check;
    site->fn[static_cast<int>(Mode::Fast)] = fast;
    return true;
  };
  switch (site->op) {
    case OpId::LoadData:
      if (site->proto->params[1].type.form == TypePattern::Form::GlobalTensor)
        return both(load_data<Mode::Check, true>, load_data<Mode::Fast, true>);
      return both(load_data<Mode::Check, false>, load_data<Mode::Fast, false>);
    case OpId::Mmad: return both(mmad<Mode::Check>, mmad<Mode::Fast>);
    case OpId::Fixpipe: return both(fixpipe<Mode::Check>, fixpipe<Mode::Fast>);
    default: return false;
  }
}

}  // namespace asc::sim
