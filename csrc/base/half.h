// SPDX-License-Identifier: Apache-2.0
// half_t (IEEE binary16) and bfloat16_t: storage types and exact conversions, round to nearest even.
// C headers only and constexpr: the simulator and the host build of printed kernels share these bits.
//
// Conversions from and to float have no branches on the data, so that a loop over them vectorises. Subnormals
// go through one float addition of normal numbers: a flush-to-zero mode of the process does not change a
// result. A NaN keeps its sign and the upper bits of its payload and becomes quiet, as the F16C instructions
// do.
#pragma once

#include <stdint.h>

// Never out of line: one translation unit an instruction set includes this (csrc/sim/isa), and of their
// copies the linker would keep any.
#define ASC_INLINE [[gnu::always_inline]]

namespace asc {

namespace half_detail {

ASC_INLINE constexpr uint32_t float_bits(float value) { return __builtin_bit_cast(uint32_t, value); }
ASC_INLINE constexpr float bits_float(uint32_t bits) { return __builtin_bit_cast(float, bits); }

// All ones if a < b. Signed, since all operands are below 2^31 and SSE2 has no unsigned comparison; a mask,
// since a compiler turns `?:` back into branches around the floating point operations and then does not
// vectorise.
ASC_INLINE constexpr uint32_t below(uint32_t a, uint32_t b) {
  return 0u - static_cast<uint32_t>(static_cast<int32_t>(a) < static_cast<int32_t>(b));
}
ASC_INLINE constexpr uint32_t select(uint32_t mask, uint32_t yes, uint32_t no) {
  return no ^ (mask & (yes ^ no));
}

ASC_INLINE constexpr float half_to_float(uint16_t half) {
  const uint32_t magnitude = (half & 0x7fffu) << 13;
  const uint32_t sign = (half & 0x8000u) << 16;
  const uint32_t kMinNormal = 1u << 23;
  const uint32_t kInfinity = 31u << 23;
  // Subnormal: the fraction is placed under the exponent of 2^-14, whose implicit one is then taken away.
  const uint32_t is_subnormal = below(magnitude, kMinNormal);
  const uint32_t fraction = magnitude & is_subnormal;
  const uint32_t subnormal = float_bits(bits_float(fraction + (113u << 23)) - bits_float(113u << 23));
  const uint32_t quiet = below(kInfinity, magnitude) & (1u << 22);
  const uint32_t rebias = select(below(magnitude, kInfinity), 112u << 23, 224u << 23);
  return bits_float(select(is_subnormal, subnormal, (magnitude + rebias) | quiet) | sign);
}

ASC_INLINE constexpr uint16_t float_to_half(float value) {
  const uint32_t bits = float_bits(value);
  const uint32_t magnitude = bits & 0x7fffffff;
  const uint32_t sign = (bits >> 16) & 0x8000;
  const uint32_t kMinNormal = 113u << 23;  // 2^-14
  const uint32_t kOverflow = 143u << 23;   // 2^16; from 65520 on the carry of the rounding gives infinity
  // Subnormal: adding 0.5 puts the last bit of the half at the last bit of the float; the addition rounds.
  const uint32_t is_subnormal = below(magnitude, kMinNormal);
  const uint32_t small = magnitude & is_subnormal;
  const uint32_t subnormal = float_bits(bits_float(small) + 0.5f) - float_bits(0.5f);
  const uint32_t normal = (magnitude - (112u << 23) + 0xfff + ((magnitude >> 13) & 1)) >> 13;
  const uint32_t nan = below(0x7f800000, magnitude) & (0x0200 | ((magnitude >> 13) & 0x3ff));
  const uint32_t finite = select(is_subnormal, subnormal, normal);
  return static_cast<uint16_t>(select(below(magnitude, kOverflow), finite, 0x7c00 | nan) | sign);
}

ASC_INLINE constexpr float bfloat16_to_float(uint16_t bits) {
  const uint32_t wide = static_cast<uint32_t>(bits) << 16;
  return bits_float(wide | (below(0x7f800000, wide & 0x7fffffff) & (1u << 22)));
}

ASC_INLINE constexpr uint16_t float_to_bfloat16(float value) {
  const uint32_t bits = float_bits(value);
  const uint32_t rounded = (bits + 0x7fff + ((bits >> 16) & 1)) >> 16;
  const uint32_t is_nan = below(0x7f800000, bits & 0x7fffffff);
  return static_cast<uint16_t>(select(is_nan, (bits >> 16) | 0x40, rounded));
}

// double -> float, round to odd: a further rounding to at most 22 bits is then as if made once, from the
// double.
ASC_INLINE constexpr float double_to_float_odd(double value) {
  const uint64_t bits = __builtin_bit_cast(uint64_t, value);
  const uint64_t magnitude = bits & 0x7fffffffffffffff;
  const uint32_t sign = static_cast<uint32_t>(bits >> 32) & 0x80000000;
  const uint64_t kInfinity = 0x7ff0000000000000;
  uint32_t result = 0;
  if (magnitude >= kInfinity) {
    const uint32_t payload = static_cast<uint32_t>(magnitude >> 29) & 0x7fffff;
    result = magnitude == kInfinity ? 0x7f800000 : 0x7fc00000 | payload;
  } else if (magnitude >= static_cast<uint64_t>(1023 + 128) << 52) {
    result = 0x7f7fffff;  // beyond float: odd, and every narrower type makes it infinite
  } else if (magnitude >= static_cast<uint64_t>(1023 - 126) << 52) {
    const uint64_t rebiased = magnitude - (static_cast<uint64_t>(1023 - 127) << 52);
    result = static_cast<uint32_t>(rebiased >> 29) | ((rebiased & 0x1fffffff) != 0 ? 1u : 0u);
  } else {
    const int exponent = static_cast<int>(magnitude >> 52);
    const uint64_t fraction = (magnitude & 0xfffffffffffff) | (exponent != 0 ? 1ull << 52 : 0);
    const int shift = 1023 - 126 - exponent + 29;
    const bool gone = shift > 53;
    const uint64_t kept = gone ? 0 : fraction >> shift;
    const bool inexact = gone ? fraction != 0 : (kept << shift) != fraction;
    result = static_cast<uint32_t>(kept) | (inexact ? 1u : 0u);
  }
  return bits_float(result | sign);
}

// Integer -> float, round to odd, for the same reason.
ASC_INLINE constexpr float integer_to_float_odd(uint64_t magnitude, bool negative) {
  // Above 2^53 a double is not exact: the bits that would be lost are gathered in one sticky bit.
  const uint64_t sticky = (magnitude & 0x7ff) != 0 ? 0x800 : 0;
  const uint64_t exact = magnitude >> 53 != 0 ? (magnitude & ~0x7ffull) | sticky : magnitude;
  const double wide = static_cast<double>(exact);
  return double_to_float_odd(negative ? -wide : wide);
}

ASC_INLINE constexpr float integer_to_float_odd(int64_t value) {
  const uint64_t bits = static_cast<uint64_t>(value);
  return integer_to_float_odd(value < 0 ? 0 - bits : bits, value < 0);
}

}  // namespace half_detail

struct Binary16 {
  ASC_INLINE static constexpr uint16_t narrow(float value) { return half_detail::float_to_half(value); }
  ASC_INLINE static constexpr float widen(uint16_t bits) { return half_detail::half_to_float(bits); }
};
struct BrainFloat16 {
  ASC_INLINE static constexpr uint16_t narrow(float value) { return half_detail::float_to_bfloat16(value); }
  ASC_INLINE static constexpr float widen(uint16_t bits) { return half_detail::bfloat16_to_float(bits); }
};

// Behaves as an arithmetic type does: numbers convert to and from it without a cast, rounded once, and an
// expression is computed in float. Raw bits go in by from_bits() and are read from `bits`.
template <class Format>
struct ShortFloat {
  uint16_t bits;

  ShortFloat() = default;
  ASC_INLINE constexpr ShortFloat(float value) : bits(Format::narrow(value)) {}
  ASC_INLINE constexpr ShortFloat(double value)
      : bits(Format::narrow(half_detail::double_to_float_odd(value))) {}
  ASC_INLINE constexpr ShortFloat(bool value) : ShortFloat(value ? 1.0f : 0.0f) {}
  // One constructor an integer type: a template would accept classes and enums too.
  ASC_INLINE constexpr ShortFloat(signed char value) : ShortFloat(static_cast<float>(value)) {}
  ASC_INLINE constexpr ShortFloat(unsigned char value) : ShortFloat(static_cast<float>(value)) {}
  ASC_INLINE constexpr ShortFloat(short value) : ShortFloat(static_cast<float>(value)) {}
  ASC_INLINE constexpr ShortFloat(unsigned short value) : ShortFloat(static_cast<float>(value)) {}
  ASC_INLINE constexpr ShortFloat(int value) : ShortFloat(static_cast<double>(value)) {}
  ASC_INLINE constexpr ShortFloat(unsigned value) : ShortFloat(static_cast<double>(value)) {}
  ASC_INLINE constexpr ShortFloat(long value) : ShortFloat(half_detail::integer_to_float_odd(value)) {}
  ASC_INLINE constexpr ShortFloat(unsigned long value)
      : ShortFloat(half_detail::integer_to_float_odd(value, false)) {}
  ASC_INLINE constexpr ShortFloat(long long value) : ShortFloat(half_detail::integer_to_float_odd(value)) {}
  ASC_INLINE constexpr ShortFloat(unsigned long long value)
      : ShortFloat(half_detail::integer_to_float_odd(value, false)) {}

  ASC_INLINE constexpr operator float() const { return Format::widen(bits); }

  ASC_INLINE static constexpr ShortFloat from_bits(uint16_t raw) {
    ShortFloat result{};
    result.bits = raw;
    return result;
  }
};

using half_t = ShortFloat<Binary16>;
using bfloat16_t = ShortFloat<BrainFloat16>;

static_assert(sizeof(half_t) == 2 && sizeof(bfloat16_t) == 2, "storage types of two bytes");

}  // namespace asc
