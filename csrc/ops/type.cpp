// SPDX-License-Identifier: Apache-2.0
// Types as text: what messages and the text form of the IR show, and the way back.
#include "ops/type.h"

#include <algorithm>
#include <charconv>

#include "base/format.h"
#include "ops/matmul_type.h"
#include "ops/op_table.h"

namespace asc {
namespace {

constexpr std::string_view kUnknown = "?";

std::string_view position_name(int position) {
  const EnumMember* member = enum_desc(EnumId::TPosition).find(position);
  return member ? member->name : kUnknown;
}

bool parse_number(std::string_view text, uint16_t* out) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), *out);
  return error == std::errc() && end == text.data() + text.size();
}

// The part of "Name<inner>" inside the brackets; false for another name.
bool inside(std::string_view text, std::string_view name, std::string_view* inner) {
  if (text.size() < name.size() + 2 || !text.starts_with(name) || text[name.size()] != '<' ||
      text.back() != '>')
    return false;
  *inner = text.substr(name.size() + 1, text.size() - name.size() - 2);
  return true;
}

bool parse_element_name(std::string_view text, DType* out) {
  if (text == kUnknown) {
    *out = DType::Void;
    return true;
  }
  for (int i = 1; i < kDTypeCount; i++)
    if (kDTypes[i].py_name == text) {
      *out = static_cast<DType>(i);
      return true;
    }
  return false;
}

bool parse_position(std::string_view text, uint8_t* out) {
  if (text == kUnknown) return true;
  const EnumMember* member = enum_desc(EnumId::TPosition).find(text);
  if (member) *out = static_cast<uint8_t>(member->value);
  return member != nullptr;
}

// "GM ND float16", with "T" behind it if it may be transposed.
std::string matrix_text(const MatmulMatrix& m) {
  const EnumMember* format = enum_desc(EnumId::CubeFormat).find(m.format);
  return fmt::format("{} {} {}{}", position_name(m.position), format ? format->name : kUnknown,
                     py_name(m.dtype), m.is_trans ? " T" : "");
}

bool parse_matrix(std::string_view text, MatmulMatrix* out) {
  std::string_view words[4];
  size_t count = 0;
  while (!text.empty()) {
    if (count == 4) return false;
    const size_t space = std::min(text.find(' '), text.size());
    words[count++] = text.substr(0, space);
    text.remove_prefix(std::min(space + 1, text.size()));
  }
  if (count < 3 || (count == 4 && words[3] != "T")) return false;
  const EnumMember* format = enum_desc(EnumId::CubeFormat).find(words[1]);
  if (!format || !parse_position(words[0], &out->position)) return false;
  out->format = static_cast<uint8_t>(format->value);
  out->is_trans = count == 4;
  return parse_element_name(words[2], &out->dtype);
}

}  // namespace

std::string qualified_name(Kind kind) {
  return fmt::format("asc.{}{}", kind == Kind::Matmul ? "adv." : "", kKinds[static_cast<int>(kind)].py_name);
}

std::string to_string(const Type& type) {
  const std::string_view kind = kKinds[static_cast<int>(type.kind)].py_name;
  switch (type.kind) {
    case Kind::Void:
    case Kind::TPipe: return std::string(kind);
    case Kind::Scalar: return std::string(py_name(type.elem));
    case Kind::Enum: return std::string(enum_desc(static_cast<EnumId>(type.id)).py_name);
    case Kind::Struct:
      if (type.id < kStructCount) {
        const std::string_view name = struct_info(static_cast<StructId>(type.id)).py_name;
        return type.elem == DType::Void ? std::string(name) : fmt::format("{}<{}>", name, py_name(type.elem));
      }
      return fmt::format("struct<{}>", type.id - kStructCount);
    case Kind::TQue: return fmt::format("TQue<{}, {}>", position_name(type.position), type.id);
    case Kind::TBuf: return fmt::format("TBuf<{}>", position_name(type.position));
    case Kind::Matmul: {
      std::string text = "Matmul<";
      for (int i = 0; i < kMatmulMatrices; i++) {
        const MatmulMatrix m = matmul_matrix(type, i);
        if (m.dtype != DType::Void) text += (i > 0 ? ", " : "") + matrix_text(m);
      }
      return text + ">";
    }
    case Kind::Pointer:
    case Kind::GlobalTensor:
    case Kind::LocalTensor:
      return fmt::format("{}<{}>", kind, type.elem == DType::Void ? kUnknown : py_name(type.elem));
  }
  return std::string(kUnknown);
}

bool parse_type(std::string_view text, Type* out) {
  std::string_view inner;
  DType elem = DType::Void;
  if (text == "None" || text == "TPipe") {
    *out = Type::object(text == "None" ? Kind::Void : Kind::TPipe);
    return true;
  }
  for (const Kind kind : {Kind::Pointer, Kind::GlobalTensor, Kind::LocalTensor})
    if (inside(text, kKinds[static_cast<int>(kind)].py_name, &inner)) {
      *out = {kind};
      return parse_element_name(inner, &out->elem);
    }
  if (inside(text, "TQue", &inner)) {
    const size_t comma = inner.find(", ");
    if (comma == std::string_view::npos) return false;
    *out = Type::queue(0, 0);
    return parse_position(inner.substr(0, comma), &out->position) &&
           parse_number(inner.substr(comma + 2), &out->id);
  }
  if (inside(text, "TBuf", &inner)) {
    *out = Type::buffer(0);
    return parse_position(inner, &out->position);
  }
  if (inside(text, "Matmul", &inner)) {
    MatmulMatrix matrices[kMatmulMatrices];
    int count = 0;
    for (bool more = true; more; count++) {
      if (count == kMatmulMatrices) return false;
      const size_t comma = inner.find(", ");
      more = comma != std::string_view::npos;
      if (!parse_matrix(inner.substr(0, comma), &matrices[count])) return false;
      if (more) inner.remove_prefix(comma + 2);
    }
    *out = matmul_type(matrices);
    return count >= 3;
  }
  if (inside(text, "struct", &inner)) {
    *out = Type::of_struct(0);
    if (!parse_number(inner, &out->id)) return false;
    out->id = static_cast<uint16_t>(out->id + kStructCount);
    return true;
  }
  if (text != kUnknown && parse_element_name(text, &elem)) {
    *out = Type::scalar(elem);
    return true;
  }
  if (const auto id = find_enum(text)) {
    *out = Type::of_enum(static_cast<uint16_t>(*id));
    return true;
  }
  const size_t angle = text.find('<');
  if (const auto id = find_struct(text.substr(0, angle))) {
    *out = Type::of_struct(static_cast<uint16_t>(*id));
    return angle == text.npos ||
           (inside(text, text.substr(0, angle), &inner) && parse_element_name(inner, &out->elem));
  }
  return false;
}

}  // namespace asc
