// SPDX-License-Identifier: Apache-2.0
// Arithmetic on intervals. Bounds of operands lie between INT64_MIN and UINT64_MAX; results that 128 bits do
// not hold stop at a bound far outside every type.
#include "passes/interval.h"

namespace asc::passes {

namespace {

constexpr Wide kFar = Wide{1} << 126;

Wide multiply(Wide a, Wide b) {
  Wide product = 0;
  if (__builtin_mul_overflow(a, b, &product)) return (a < 0) == (b < 0) ? kFar : -kFar;
  return std::clamp(product, -kFar, kFar);
}

Interval multiply(const Interval& a, const Interval& b) {
  const Wide p = multiply(a.lo, b.lo), q = multiply(a.lo, b.hi), r = multiply(a.hi, b.lo),
             s = multiply(a.hi, b.hi);
  return {std::min({p, q, r, s}), std::max({p, q, r, s})};
}

bool is_int64(Wide a) { return a >= INT64_MIN && a <= INT64_MAX; }

// Rounds down. `b` is positive.
Wide floor_div(Wide a, Wide b) {
  if (is_int64(a) && is_int64(b)) {
    const int64_t x = static_cast<int64_t>(a), y = static_cast<int64_t>(b);
    return x / y - (x % y < 0 ? 1 : 0);
  }
  return a / b - (a % b < 0 ? 1 : 0);
}

Interval floor_div_by_positive(const Interval& a, const Interval& b) {
  return {floor_div(a.lo, a.lo >= 0 ? b.hi : b.lo), floor_div(a.hi, a.hi >= 0 ? b.lo : b.hi)};
}

Interval negate(const Interval& a) { return {-a.hi, -a.lo}; }

Interval floor_div(const Interval& a, const Interval& b) {
  Interval out = kNoValue;
  if (b.hi >= 1) out = floor_div_by_positive(a, {std::max<Wide>(b.lo, 1), b.hi});
  if (b.lo <= -1) {
    const Interval divisor = negate({b.lo, std::min<Wide>(b.hi, -1)});
    out = join(out, floor_div_by_positive(negate(a), divisor));
  }
  return out;
}

// The remainder has the divisor's sign.
Interval modulo(const Interval& a, const Interval& b) {
  Interval out = kNoValue;
  if (b.hi >= 1) {
    const bool is_itself = a.lo >= 0 && b.lo >= 1 && a.hi < b.lo;
    out = is_itself ? a : Interval{0, a.lo >= 0 ? std::min(a.hi, b.hi - 1) : b.hi - 1};
  }
  if (b.lo <= -1) out = join(out, {b.lo + 1, 0});
  return out;
}

Interval power(const Interval& a, const Interval& b, const Interval& type) {
  if (b.lo < 0) return type;
  const Wide base = std::max(a.hi, -a.lo);
  Wide highest = 1;
  for (Wide i = 0; i < b.hi && base > 1 && highest < kFar; i++) highest = multiply(highest, base);
  const bool nonnegative = a.lo >= 0 || (b.single() && b.lo % 2 == 0);
  return {nonnegative ? 0 : -highest, highest};
}

Interval shift_left(const Interval& a, const Interval& count, DType type) {
  if (count.lo < 0 || count.hi >= 8 * size_of(type)) return {-kFar, kFar};
  return multiply(a, {Wide{1} << static_cast<int>(count.lo), Wide{1} << static_cast<int>(count.hi)});
}

Interval shift_right(const Interval& a, const Interval& count, const Interval& type) {
  if (count.lo < 0) return type;
  const int least = static_cast<int>(std::min<Wide>(count.lo, 64)),
            most = static_cast<int>(std::min<Wide>(count.hi, 64));
  return {a.lo >> (a.lo >= 0 ? most : least), a.hi >> (a.hi >= 0 ? least : most)};
}

// All ones up to the highest bit of `a`.
Wide fill_bits(Wide a) {
  for (int shift = 1; shift < 64; shift *= 2) a |= a >> shift;
  return a;
}

Interval bitwise(ir::BinaryOp op, const Interval& a, const Interval& b, const Interval& type) {
  const bool is_and = op == ir::BinaryOp::And;
  if (a.lo >= 0 && b.lo >= 0) {
    if (is_and) return {0, std::min(a.hi, b.hi)};
    return {op == ir::BinaryOp::Or ? std::max(a.lo, b.lo) : 0, fill_bits(std::max(a.hi, b.hi))};
  }
  if (is_and && a.lo >= 0) return {0, a.hi};
  if (is_and && b.lo >= 0) return {0, b.hi};
  return type.contains(a) && type.contains(b) ? type : kInt64;
}

}  // namespace

Interval result_range(ir::BinaryOp op, DType dtype, const Interval& a, const Interval& b) {
  const Interval type = range_of(dtype);
  using B = ir::BinaryOp;
  switch (op) {
    case B::Add: return {a.lo + b.lo, a.hi + b.hi};
    case B::Sub: return {a.lo - b.hi, a.hi - b.lo};
    case B::Mul: return multiply(a, b);
    case B::FloorDiv: {
      const Interval out = floor_div(a, b);
      return out.empty() ? type : out;
    }
    case B::Mod: {
      const Interval out = modulo(a, b);
      return out.empty() ? type : out;
    }
    case B::Pow: return power(a, b, type);
    case B::Min: return {std::min(a.lo, b.lo), std::min(a.hi, b.hi)};
    case B::Max: return {std::max(a.lo, b.lo), std::max(a.hi, b.hi)};
    case B::Shl: return shift_left(a, b, dtype);
    case B::Shr: return shift_right(a, b, type);
    case B::And:
    case B::Or:
    case B::Xor: return bitwise(op, a, b, type);
    default: return type;
  }
}

Interval result_range(ir::UnaryOp op, const Interval& a) {
  switch (op) {
    case ir::UnaryOp::Neg: return negate(a);
    case ir::UnaryOp::Invert: return {-a.hi - 1, -a.lo - 1};
    case ir::UnaryOp::Abs:
      if (a.lo >= 0) return a;
      return a.hi <= 0 ? negate(a) : Interval{0, std::max(a.hi, -a.lo)};
    case ir::UnaryOp::Not: return {0, 1};
  }
  return a;
}

}  // namespace asc::passes
