// SPDX-License-Identifier: Apache-2.0
// Element and scalar types. One list; everything else about a dtype is derived from its row.
#pragma once

#include <cstdint>
#include <string_view>

namespace asc {

// X(Id, Python name, Ascend C name, bytes, class, short name in the op table)
#define ASC_FOR_EACH_DTYPE(X)                         \
  X(Void, "void", "void", 0, Void, "void")            \
  X(Bool, "bool", "bool", 1, Bool, "bool")            \
  X(I8, "int8", "int8_t", 1, Int, "i8")               \
  X(U8, "uint8", "uint8_t", 1, UInt, "u8")            \
  X(I16, "int16", "int16_t", 2, Int, "i16")           \
  X(U16, "uint16", "uint16_t", 2, UInt, "u16")        \
  X(I32, "int32", "int32_t", 4, Int, "i32")           \
  X(U32, "uint32", "uint32_t", 4, UInt, "u32")        \
  X(I64, "int64", "int64_t", 8, Int, "i64")           \
  X(U64, "uint64", "uint64_t", 8, UInt, "u64")        \
  X(F16, "float16", "half", 2, Float, "half")         \
  X(BF16, "bfloat16", "bfloat16_t", 2, Float, "bf16") \
  X(F32, "float32", "float", 4, Float, "float")       \
  X(F64, "float64", "double", 8, Float, "double")

enum class DTypeClass : uint8_t { Void, Bool, Int, UInt, Float };

enum class DType : uint8_t {
#define ASC_X(Id, py, cpp, bytes, cls, short_name) Id,
  ASC_FOR_EACH_DTYPE(ASC_X)
#undef ASC_X
};

struct DTypeDesc {
  std::string_view py_name, cpp_name, short_name;
  uint8_t bytes;
  DTypeClass cls;
};

inline constexpr DTypeDesc kDTypes[] = {
#define ASC_X(Id, py, cpp, bytes, cls, short_name) {py, cpp, short_name, bytes, DTypeClass::cls},
    ASC_FOR_EACH_DTYPE(ASC_X)
#undef ASC_X
};
inline constexpr int kDTypeCount = sizeof(kDTypes) / sizeof(kDTypes[0]);

constexpr const DTypeDesc& desc(DType t) { return kDTypes[static_cast<int>(t)]; }
constexpr int size_of(DType t) { return desc(t).bytes; }
constexpr std::string_view py_name(DType t) { return desc(t).py_name; }
constexpr std::string_view cpp_name(DType t) { return desc(t).cpp_name; }
constexpr bool is_float(DType t) { return desc(t).cls == DTypeClass::Float; }
constexpr bool is_signed_int(DType t) { return desc(t).cls == DTypeClass::Int; }
constexpr bool is_unsigned_int(DType t) { return desc(t).cls == DTypeClass::UInt; }
constexpr bool is_int(DType t) { return is_signed_int(t) || is_unsigned_int(t); }
constexpr bool is_bool(DType t) { return t == DType::Bool; }

// Smallest and largest value of a signed integer type (or bool); unsigned ones through `unsigned_max`.
constexpr int64_t int_min(DType t) {
  return is_signed_int(t) ? (t == DType::I64 ? INT64_MIN : -(int64_t{1} << (8 * size_of(t) - 1))) : 0;
}
constexpr int64_t int_max(DType t) {
  if (t == DType::Bool) return 1;
  return t == DType::I64 ? INT64_MAX : (int64_t{1} << (8 * size_of(t) - 1)) - 1;
}
constexpr uint64_t unsigned_max(DType t) {
  return size_of(t) == 8 ? UINT64_MAX : (uint64_t{1} << (8 * size_of(t))) - 1;
}

// Looks a dtype up by Python name ("float16"), Ascend C name ("half") or short name ("f32" is not one:
// "float").
constexpr bool find_dtype(std::string_view name, DType* out) {
  for (int i = 0; i < kDTypeCount; i++)
    if (kDTypes[i].py_name == name || kDTypes[i].cpp_name == name || kDTypes[i].short_name == name) {
      *out = static_cast<DType>(i);
      return true;
    }
  return false;
}

}  // namespace asc
