// SPDX-License-Identifier: Apache-2.0
// Types of values in a kernel, small enough to pass by value. Kinds are one list; what a kind can do
// (methods, operators) is rows of the op table, found by kind, so that a new kind of value needs no change in
// the lowering.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/dtype.h"

namespace asc {

// X(Id, Python name, C++ class or "", passed: Value = by value, Object = by reference, has identity)
#define ASC_FOR_EACH_KIND(X)                                      \
  X(Void, "None", "void", Value)                                  \
  X(Scalar, "scalar", "", Value)                                  \
  X(Enum, "enum", "", Value)                                      \
  X(Pointer, "GlobalAddress", "", Value)                          \
  X(GlobalTensor, "GlobalTensor", "AscendC::GlobalTensor", Value) \
  X(LocalTensor, "LocalTensor", "AscendC::LocalTensor", Value)    \
  X(TPipe, "TPipe", "AscendC::TPipe", Object)                     \
  X(TQue, "TQue", "AscendC::TQue", Object)                        \
  X(TBuf, "TBuf", "AscendC::TBuf", Object)                        \
  X(Matmul, "Matmul", "AscendC::Matmul", Object)                  \
  X(Struct, "struct", "", Object)

enum class Kind : uint8_t {
#define ASC_X(Id, py, cpp, pass) Id,
  ASC_FOR_EACH_KIND(ASC_X)
#undef ASC_X
};

enum class Passed : uint8_t { Value, Object };

struct KindDesc {
  std::string_view py_name, cpp_class;
  Passed passed;
};

inline constexpr KindDesc kKinds[] = {
#define ASC_X(Id, py, cpp, pass) {py, cpp, Passed::pass},
    ASC_FOR_EACH_KIND(ASC_X)
#undef ASC_X
};
inline constexpr int kKindCount = sizeof(kKinds) / sizeof(kKinds[0]);

struct Type {
  Kind kind = Kind::Void;
  DType elem = DType::Void;  // Scalar: its dtype; tensors, Pointer: the element's (Void: not known yet); a
                             // struct that is a template: its argument
  uint8_t position = 0;      // TQue, TBuf: TPosition value
  uint8_t pad = 0;
  // Enum: EnumId; TQue: depth; Struct: a StructId below kStructCount, else kStructCount + index in the
  // module's table
  uint16_t id = 0;
  uint16_t pad2 = 0;  // Matmul: its four matrices take all from `position` on (ops/matmul_type.h)

  static constexpr Type scalar(DType t) { return {Kind::Scalar, t}; }
  static constexpr Type pointer(DType t) { return {Kind::Pointer, t}; }
  static constexpr Type global_tensor(DType t) { return {Kind::GlobalTensor, t}; }
  static constexpr Type local_tensor(DType t) { return {Kind::LocalTensor, t}; }
  static constexpr Type of_enum(uint16_t enum_id) { return {Kind::Enum, DType::Void, 0, 0, enum_id}; }
  static constexpr Type of_struct(uint16_t struct_id, DType elem = DType::Void) {
    return {Kind::Struct, elem, 0, 0, struct_id};
  }
  static constexpr Type object(Kind k) { return {k}; }
  static constexpr Type queue(uint8_t position, uint16_t depth) {
    return {Kind::TQue, DType::Void, position, 0, depth};
  }
  static constexpr Type buffer(uint8_t position) { return {Kind::TBuf, DType::Void, position}; }

  constexpr bool is_void() const { return kind == Kind::Void; }
  constexpr bool is_scalar() const { return kind == Kind::Scalar; }
  constexpr bool is_tensor() const { return kind == Kind::GlobalTensor || kind == Kind::LocalTensor; }
  constexpr bool is_object() const { return kKinds[static_cast<int>(kind)].passed == Passed::Object; }
  friend constexpr bool operator==(const Type&, const Type&) = default;
};
static_assert(sizeof(Type) == 8);

// "asc.TQue", "asc.adv.Matmul": where Python finds the kind.
std::string qualified_name(Kind kind);
// "int32", "GlobalTensor<float16>", "TQue<VECIN, 2>": as messages and the text form of the IR print it.
std::string to_string(const Type& type);
// Reads what `to_string` prints; false if it is no type.
bool parse_type(std::string_view text, Type* out);

}  // namespace asc
