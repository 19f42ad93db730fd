// SPDX-License-Identifier: Apache-2.0
// Scalar instructions off the hot path: rare arithmetic, conversions, texts, and what their findings say.
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdio>

#include "base/format.h"
#include "ir/builder.h"
#include "ir/scalar.h"
#include "sim/vm.h"

namespace asc::sim {

namespace {

float as_float(uint64_t slot) { return std::bit_cast<float>(static_cast<uint32_t>(slot)); }

double as_double(DType type, uint64_t slot) {
  return type == DType::F64 ? std::bit_cast<double>(slot) : static_cast<double>(as_float(slot));
}

uint64_t slot_of_float(DType type, double value) {
  if (type == DType::F64) return std::bit_cast<uint64_t>(value);
  return std::bit_cast<uint32_t>(static_cast<float>(value));
}

uint64_t float_arithmetic(int code, DType type, uint64_t x, uint64_t y) {
  const double a = as_double(type, x), b = as_double(type, y);
  if (code >= kSlowUnary) {
    const auto value = ir::fold_float(static_cast<ir::UnaryOp>(code - kSlowUnary), a);
    return slot_of_float(type, value.value_or(0));
  }
  const auto op = static_cast<ir::BinaryOp>(code);
  const auto value = ir::fold_float(op, type, a, b);
  if (ir::is_comparison(op)) return value.value_or(0) != 0;
  return slot_of_float(type, value.value_or(0));
}

uint64_t wrapping_power(uint64_t base, uint64_t exponent) {
  uint64_t result = 1;
  for (; exponent != 0; exponent >>= 1, base *= base)
    if ((exponent & 1) != 0) result *= base;
  return result;
}

}  // namespace

uint64_t slow_arithmetic(Core& core, int code, DType type, uint64_t x, uint64_t y) {
  if (is_float(type)) return float_arithmetic(code, type, x, y);
  const int64_t a = static_cast<int64_t>(x), b = static_cast<int64_t>(y);
  if (code >= kSlowUnary) {
    const auto op = static_cast<ir::UnaryOp>(code - kSlowUnary);
    if (const auto value = ir::fold_int(op, type, a)) return static_cast<uint64_t>(*value);
    const auto result = static_cast<int64_t>(0 - x);  // of the smallest value: of int64 as bits
    if (core.mode == Mode::Check) report_outside_type(core, type, result, type == DType::I64);
    return static_cast<uint64_t>(ir::wrap_to(type, result));
  }
  const auto op = static_cast<ir::BinaryOp>(code);
  if (const auto value = ir::fold_int(op, type, a, b)) return static_cast<uint64_t>(*value);
  if (op == ir::BinaryOp::Pow) {
    if (b < 0) {
      if (core.mode == Mode::Check) {
        if (Finding* f = core.log.add(FindingId::OutsideType, core.here())) {
          f->message = fmt::format("{} ** {} is no integer", a, b);
          f->fix = "make the base a float";
        }
      }
      return 0;
    }
    if (core.mode == Mode::Check) {
      if (Finding* f = core.log.add(FindingId::OutsideType, core.here())) {
        f->message = fmt::format("{} ** {} is outside {} ({} to {})", a, b, py_name(type), int_min(type),
                                 int_max(type));
        f->fix = "use a wider type for the base, such as asc.int64";
      }
    }
    return static_cast<uint64_t>(ir::wrap_to(type, static_cast<int64_t>(wrapping_power(x, y))));
  }
  ASC_BUG("integer arithmetic that has its own instruction");
}

uint64_t convert_scalar(Core& core, DType from, DType to, bool is_explicit, uint64_t value) {
  int64_t bits = static_cast<int64_t>(value);
  if (is_float(from)) bits = std::bit_cast<int64_t>(as_double(from, value));
  std::optional<int64_t> result = ir::fold_cast(to, from, bits, is_explicit);
  if (!result && is_float(to)) {  // beyond the type: infinity
    const double wide = is_float(from)       ? std::bit_cast<double>(bits)
                        : from == DType::U64 ? static_cast<double>(value)
                                             : static_cast<double>(bits);
    result = std::bit_cast<int64_t>(ir::round_to(to, wide));
  }
  if (result)
    return is_float(to) ? slot_of_float(to, std::bit_cast<double>(*result)) : static_cast<uint64_t>(*result);
  if (core.mode == Mode::Check) {
    if (Finding* f = core.log.add(FindingId::OutsideType, core.here())) {
      const std::string shown =
          is_float(from) ? fmt::format("{}", as_double(from, value)) : fmt::format("{}", bits);
      f->message = fmt::format("{} does not fit into {}", shown, py_name(to));
      f->fix = "use a wider type, or bring the value into its range first";
    }
  }
  if (!is_float(from)) return static_cast<uint64_t>(ir::wrap_to(to, bits));
  // What the device's conversion gives: the nearest value of the type, 0 for a NaN.
  const double wide = std::bit_cast<double>(bits);
  if (std::isnan(wide)) return 0;
  if (is_unsigned_int(to)) return wide < 0 ? 0 : unsigned_max(to);
  return static_cast<uint64_t>(wide < 0 ? int_min(to) : int_max(to));
}

static std::string range_text(DType type) {
  return is_unsigned_int(type) ? fmt::format("0 to {}", unsigned_max(type))
                               : fmt::format("{} to {}", int_min(type), int_max(type));
}

void report_outside_type(Core& core, DType type, int64_t value, bool is_unsigned_value) {
  Finding* f = core.log.add(FindingId::OutsideType, core.here());
  if (!f) return;
  const std::string shown =
      is_unsigned_value ? fmt::format("{}", static_cast<uint64_t>(value)) : fmt::format("{}", value);
  const bool is_32 = size_of(type) == 4;
  f->message = fmt::format("{}overflow: the value {} is outside {} ({})", is_32 ? "32-bit " : "", shown,
                           py_name(type), range_text(type));
  f->fix = size_of(type) < 8 ? "declare an operand as asc.int64, so that the device computes in 64 bits"
                             : "bring the value into the range of its type first";
}

void report_overflow64(Core& core) {
  Finding* f = core.log.add(FindingId::OutsideType, core.here());
  if (!f) return;
  f->message = "64-bit overflow: the result is outside int64";
  f->fix = "keep the operands smaller; there is no wider integer type";
}

void report_division_by_zero(Core& core) {
  if (Finding* f = core.log.add(FindingId::DivisionByZero, core.here())) {
    f->message = "integer division by zero";
    f->fix = "test the divisor first; the simulator goes on with 0";
  }
}

void report_shift(Core& core, DType type, int64_t distance) {
  if (Finding* f = core.log.add(FindingId::ShiftAmount, core.here())) {
    f->message = fmt::format("shift by {}: {} has {} bits", distance, py_name(type), 8 * size_of(type));
    f->fix = fmt::format("shift by 0 to {}", 8 * size_of(type) - 1);
  }
}

void report_step_zero(Core& core) {
  if (Finding* f = core.log.add(FindingId::StepZero, core.here())) {
    f->message = "the step of a range is zero";
    f->fix = "the loop makes no turn; give range() a step other than 0";
  }
}

void report_step_beyond(Core& core, DType type, uint64_t step) {
  if (Finding* f = core.log.add(FindingId::OutsideType, core.here())) {
    const std::string by =
        is_unsigned_int(type) ? std::to_string(step) : std::to_string(static_cast<int64_t>(step));
    f->message = fmt::format("the counter of this range steps by {} out of {} ({}) behind its last turn", by,
                             py_name(type), range_text(type));
    f->fix =
        "the device's loop would not end: keep stop plus step inside the type, or make the bounds asc.int64";
  }
}

namespace {

// Python's spelling: the shortest digits that give the value back, with a point or an exponent.
std::string python_float(DType type, double value) {
  if (std::isnan(value)) return "nan";
  if (std::isinf(value)) return value < 0 ? "-inf" : "inf";
  std::string text =
      type == DType::F64 ? fmt::format("{}", value) : fmt::format("{}", static_cast<float>(value));
  if (text.find_first_of(".e") == text.npos) text += ".0";
  return text;
}

std::string formatted(const Type& type, uint64_t slot, const std::string& spec) {
  const bool real = is_float(type.elem);
  const double value = real ? as_double(type.elem, slot) : 0;
  // C shows a NaN's sign, Python does not.
  const std::string format =
      fmt::format("%{}{}{}", spec.substr(0, spec.size() - 1), real ? "" : "l", spec.back());
  char text[512];
  const int count =
      real ? std::snprintf(text, sizeof(text), format.c_str(), std::isnan(value) ? std::fabs(value) : value)
           : std::snprintf(text, sizeof(text), format.c_str(), static_cast<int64_t>(slot));
  return std::string(text, static_cast<size_t>(std::clamp(count, 0, static_cast<int>(sizeof(text)) - 1)));
}

std::string show_value(const Type& type, const uint64_t* slot, const std::string& spec) {
  if (!spec.empty()) return formatted(type, *slot, spec);
  switch (type.kind) {
    case Kind::Scalar: break;
    case Kind::Enum: {
      const EnumDesc& desc = enum_desc(static_cast<EnumId>(type.id));
      const EnumMember* member = desc.find(static_cast<int64_t>(*slot));
      return member ? fmt::format("{}.{}", desc.py_name, member->name)
                    : fmt::format("{}", static_cast<int64_t>(*slot));
    }
    case Kind::Pointer: {
      const Place place = place_of(*slot);
      return fmt::format("GlobalAddress({} bytes)", place.offset);
    }
    case Kind::GlobalTensor:
    case Kind::LocalTensor: {
      const Tensor tensor{slot[0], slot[1]};
      return fmt::format("{}({} elements)", to_string(type), tensor.length());
    }
    default: return to_string(type);
  }
  if (type.elem == DType::Bool) return *slot != 0 ? "True" : "False";
  if (is_float(type.elem)) return python_float(type.elem, as_double(type.elem, *slot));
  if (type.elem == DType::U64) return fmt::format("{}", *slot);
  return fmt::format("{}", static_cast<int64_t>(*slot));
}

}  // namespace

std::string format_text(const Core& core, const TextFormat& format) {
  std::string out;
  for (const TextPiece& piece : format.pieces) {
    out += piece.text;
    if (piece.operand != kNoOperand) out += show_value(piece.type, core.r + piece.operand, piece.spec);
  }
  return out;
}

}  // namespace asc::sim
