// SPDX-License-Identifier: Apache-2.0
// print and assert: text with holes as a format string and its values.
#include "emit/printer.h"

namespace asc::emit {

namespace {

std::string_view conversion(DType type) {
  switch (type) {
    case DType::Bool: return "%s";
    case DType::I8:
    case DType::I16:
    case DType::I32: return "%d";
    case DType::I64: return "%ld";
    case DType::U8:
    case DType::U16:
    case DType::U32: return "%u";
    case DType::U64: return "%lu";
    case DType::F16:
    case DType::BF16:
    case DType::F32:
    case DType::F64: return "%f";
    case DType::Void: break;
  }
  return "%p";
}

void put_escaped(std::string& out, std::string_view text) {
  static constexpr char kHex[] = "01234567";
  for (const char c : text) {
    switch (c) {
      case '%': out += "%%"; break;
      case '"': out += "\\\""; break;
      case '\\': out += "\\\\"; break;
      case '\n': out += "\\n"; break;
      case '\t': out += "\\t"; break;
      case '\r': out += "\\r"; break;
      default:
        if (static_cast<unsigned char>(c) >= 32 && c != 127) {
          out += c;
        } else {  // three octal digits: a fourth cannot join them
          const auto byte = static_cast<unsigned char>(c);
          out += '\\';
          out += kHex[byte >> 6];
          out += kHex[(byte >> 3) & 7];
          out += kHex[byte & 7];
        }
    }
  }
}

}  // namespace

// "text %d\n", value, ...
void Printer::format_text(const ir::FormatText& text, std::string_view tail) {
  put('"');
  for (size_t i = 0; i < text.pieces.size(); i++) {
    put_escaped(out_, text.pieces[i]);
    if (i >= text.values.size()) continue;
    const Type& type = text.values[i]->type;
    if (const std::string_view spec = text.spec(i); !spec.empty()) {
      put('%');
      put(spec.substr(0, spec.size() - 1));
      if (is_int(type.elem) && size_of(type.elem) == 8) put('l');
      put(spec.back());
      continue;
    }
    put(type.kind == Kind::Enum ? "%d" : conversion(type.is_scalar() ? type.elem : DType::Void));
  }
  put_escaped(out_, tail);
  put('"');
  for (size_t i = 0; i < text.values.size(); i++) {
    const ir::Expr* value = text.values[i];
    put(", ");
    if (value->type.is_scalar() && is_bool(value->type.elem) && text.spec(i).empty()) {
      expr(value, kOr);
      put(" ? \"True\" : \"False\"");
    } else if (value->type.kind == Kind::Enum) {
      put("static_cast<int32_t>(");
      expr(value);
      put(')');
    } else {
      exact(value);
    }
  }
}

void Printer::assert_(const ir::Assert& s) {
  indent();
  put("ascendc_assert(");
  const size_t begin = out_.size();
  expr(s.condition);
  // The preprocessor splits at commas that no parenthesis holds: those of template arguments.
  int depth = 0;
  bool splits = false;
  for (size_t i = begin; i < out_.size(); i++) {
    depth += out_[i] == '(' ? 1 : out_[i] == ')' ? -1 : 0;
    splits |= depth == 0 && out_[i] == ',';
  }
  if (splits) {
    out_.insert(begin, 1, '(');
    put(')');
  }
  if (!s.message.pieces.empty()) {
    put(", ");
    format_text(s.message, {});
  }
  put(");");
  end_line(s.loc);
}

void Printer::print_(const ir::Print& s) {
  indent();
  put("AscendC::printf(");
  format_text(s.text, {});
  put(");");
  end_line(s.loc);
}

}  // namespace asc::emit
