// SPDX-License-Identifier: Apache-2.0
// Reads the overload column of a row (grammar: op_table.h). One reader, constexpr: at compile time it checks
// every row (op_table.cpp), at run time it fills the table. Private to ops.
#pragma once

#include "ops/op_table.h"

namespace asc::detail {

enum class Fault : uint8_t {
  None,
  Dtypes,
  ExpectedOpen,
  ExpectedClose,
  BadName,
  ExpectedColon,
  UnknownType,
  UnknownVariable,
  BadElement,
  UnknownSpace,
  SpaceNeedsTensor,
  BadDefault,
  BadDirection,
  DuplicateName,
  DefaultNotLast,
  ExpectedArrow,
  UnknownPipe,
  UnknownCore,
  TooManyParams,
  SelfNotFirst,
  Empty
};

constexpr std::string_view fault_text(Fault fault) {
  constexpr std::string_view kTexts[] = {"no fault",
                                         "the dtypes column cannot be read",
                                         "expected '('",
                                         "expected ',' or a closing bracket",
                                         "expected a parameter name",
                                         "expected ':' and a type",
                                         "no such type",
                                         "type variable without dtypes",
                                         "expected an element type and '>'",
                                         "no such memory space",
                                         "only local tensors have a memory space",
                                         "the default does not fit the type",
                                         "only tensors and objects are written",
                                         "two parameters have one name",
                                         "a default that Ascend C shares must come last",
                                         "expected '->'",
                                         "no such pipe",
                                         "no such core type",
                                         "too many parameters",
                                         "self must come first",
                                         "no overload"};
  return kTexts[static_cast<int>(fault)];
}

struct Prototype {
  static constexpr int kMaxParams = 16;
  ParamDesc params[kMaxParams];  // C++ order, `py` and `kw` ones where they stand
  uint8_t count = 0, template_count = 0, leading_vars = 0;
  bool has_self = false;
  Dir self_dir = Dir::In;
  TypePattern result;
  Pipe pipe = Pipe::S;
  CoreSet core = CoreSet::Any;
  bool waits = false;
};

inline constexpr std::string_view kEnumNames[] = {
#define ASC_ENUM(Name, cpp) #Name,
#include "ops/enums.def"
};
struct NamedValue {
  EnumId owner;
  std::string_view name;
  int32_t value;
};
inline constexpr NamedValue kEnumValues[] = {
#define ASC_ENUM_MEMBER(Name, member, value) {EnumId::Name, #member, value},
#include "ops/enums.def"
};
inline constexpr std::string_view kStructNames[] = {
#define ASC_STRUCT(Name, cpp) #Name,
#include "ops/structs.def"
};
inline constexpr std::string_view kSpaceNames[] = {"GM", "UB", "L1", "L0A", "L0B", "L0C", "BT", "FB"};
inline constexpr std::string_view kPipeNames[] = {"S",    "V",   "M",   "MTE1", "MTE2",
                                                  "MTE3", "FIX", "All", "none", "addr"};

template <size_t N>
constexpr int index_of(const std::string_view (&names)[N], std::string_view name) {
  for (size_t i = 0; i < N; i++)
    if (names[i] == name) return static_cast<int>(i);
  return -1;
}

constexpr Fault parse_element(Cursor& in, const VarColumn& vars, TypePattern* out) {
  if (!in.eat("<")) return Fault::BadElement;
  const std::string_view name = in.word();
  if (name.size() == 1) {
    out->var = static_cast<int8_t>(vars.find(name[0]));
    if (out->var < 0) return Fault::UnknownVariable;
  } else if (!find_short_dtype(name, &out->dtype)) {
    return Fault::BadElement;
  }
  return in.eat(">") ? Fault::None : Fault::BadElement;
}

constexpr Fault parse_type(Cursor& in, const VarColumn& vars, TypePattern* out) {
  using Form = TypePattern::Form;
  const std::string_view name = in.word();
  const auto element = [&](Form form) {
    out->form = form;
    return parse_element(in, vars, out);
  };
  if (name.size() == 1) {
    out->form = Form::Var;
    out->var = static_cast<int8_t>(vars.find(name[0]));
    return out->var < 0 ? Fault::UnknownVariable : Fault::None;
  }
  if (find_short_dtype(name, &out->dtype)) {
    out->form = Form::Scalar;
    return Fault::None;
  }
  if (name == "LT") return element(Form::LocalTensor);
  if (name == "GT") return element(Form::GlobalTensor);
  if (name == "ptr") return element(Form::Pointer);
  if (name == "dtype") return element(Form::DTypeOf);
  if (name == "str" || name == "any") {
    out->form = name == "str" ? Form::Str : Form::Any;
    return Fault::None;
  }
  for (int k = 0; k < kKindCount; k++)
    if (kKinds[k].passed == Passed::Object && static_cast<Kind>(k) != Kind::Struct &&
        kKinds[k].py_name == name) {
      out->form = Form::Object;
      out->object = static_cast<Kind>(k);
      return Fault::None;
    }
  int id = index_of(kEnumNames, name);
  out->form = Form::Enum;
  if (id < 0) {
    id = index_of(kStructNames, name);
    out->form = Form::Struct;
  }
  out->enum_id = static_cast<uint16_t>(id);
  if (id >= 0 && out->form == Form::Struct && in.peek() == '<') return parse_element(in, vars, out);
  return id < 0 ? Fault::UnknownType : Fault::None;
}

// A number (digits, one '.', a sign), true, false or a member of the parameter's enum; it must fit the type.
constexpr Fault parse_default(Cursor& in, const TypePattern& type, double* out) {
  using Form = TypePattern::Form;
  const bool negative = in.eat("-");
  const std::string_view word = in.word();
  if (word.empty()) return Fault::BadDefault;
  if (type.form == Form::Enum) {
    for (const NamedValue& v : kEnumValues)
      if (static_cast<uint16_t>(v.owner) == type.enum_id && v.name == word) {
        *out = v.value;
        return negative ? Fault::BadDefault : Fault::None;
      }
    return Fault::BadDefault;
  }
  if (word == "true" || word == "false") {
    *out = word == "true";
    return type.form == Form::Scalar && is_bool(type.dtype) && !negative ? Fault::None : Fault::BadDefault;
  }
  if (type.form != Form::Scalar && type.form != Form::Var) return Fault::BadDefault;
  double value = 0, scale = 1;
  const auto digits = [&](std::string_view text, bool fraction) {
    for (char c : text) {
      if (c < '0' || c > '9') return false;
      value = value * 10 + (c - '0');
      if (fraction) scale *= 10;
    }
    return !text.empty();
  };
  if (!digits(word, false)) return Fault::BadDefault;
  const bool fraction = in.eat(".");
  if (fraction && !digits(in.word(), true)) return Fault::BadDefault;
  *out = (negative ? -value : value) / scale;
  if (type.form == Form::Var) return Fault::None;
  const DType t = type.dtype;
  if (is_bool(t) || (fraction && !is_float(t)) || (negative && is_unsigned_int(t))) return Fault::BadDefault;
  if (is_unsigned_int(t) && *out > static_cast<double>(unsigned_max(t))) return Fault::BadDefault;
  if (is_signed_int(t) && (*out < static_cast<double>(int_min(t)) || *out > static_cast<double>(int_max(t))))
    return Fault::BadDefault;
  return Fault::None;
}

constexpr bool is_written(const TypePattern& type) {
  using Form = TypePattern::Form;
  return type.form == Form::LocalTensor || type.form == Form::GlobalTensor || type.form == Form::Object ||
         type.form == Form::Struct;
}

constexpr Fault parse_spaces(Cursor& in, ParamDesc* p) {
  if (!in.eat("@")) return Fault::None;
  if (p->type.form != TypePattern::Form::LocalTensor) return Fault::SpaceNeedsTensor;
  do {
    const int space = index_of(kSpaceNames, in.word());
    if (space <= 0) return Fault::UnknownSpace;
    p->spaces |= static_cast<uint8_t>(1u << space);
  } while (in.eat("|"));
  return Fault::None;
}

// One parameter; its direction word has been read. Sets `*in_self` for `self`.
constexpr Fault parse_param(Cursor& in, const VarColumn& vars, Prototype* out, bool is_template) {
  std::string_view word = in.word();
  ParamDesc p;
  p.is_template = is_template;
  const bool more = Cursor::is_word(in.peek());
  if (more && !is_template) {
    if (word == "out")
      p.dir = Dir::Out;
    else if (word == "inout")
      p.dir = Dir::InOut;
    else if (word == "py")
      p.dir = Dir::PythonOnly;
    else if (word == "kw")
      p.keyword_only = true;
    else if (word != "in")
      return Fault::BadName;
    word = in.word();
  }
  if (word.empty() || (word[0] >= '0' && word[0] <= '9')) return Fault::BadName;
  if (word == "self" && !is_template && in.peek() != ':') {
    if (out->count != out->template_count || out->has_self) return Fault::SelfNotFirst;
    out->has_self = true;
    out->self_dir = p.dir;
    return Fault::None;
  }
  for (int i = 0; i < out->count; i++)
    if (out->params[i].name == word) return Fault::DuplicateName;
  if (out->count == Prototype::kMaxParams) return Fault::TooManyParams;
  p.name = word;
  if (!in.eat(":")) return Fault::ExpectedColon;
  if (const Fault f = parse_type(in, vars, &p.type); f != Fault::None) return f;
  if ((p.dir == Dir::Out || p.dir == Dir::InOut) && !is_written(p.type)) return Fault::BadDirection;
  if (const Fault f = parse_spaces(in, &p); f != Fault::None) return f;
  const bool printed = in.eat(":=");
  if (printed || in.eat("=")) {
    p.has_default = true;
    p.cpp_default = !printed;
    if (const Fault f = parse_default(in, p.type, &p.default_value); f != Fault::None) return f;
  }
  const bool same_group = out->count > 0 && out->params[out->count - 1].is_template == is_template;
  if (same_group && out->params[out->count - 1].cpp_default && !p.cpp_default && p.dir != Dir::PythonOnly &&
      out->params[out->count - 1].dir != Dir::PythonOnly)
    return Fault::DefaultNotLast;
  out->params[out->count++] = p;
  return Fault::None;
}

constexpr Fault parse_list(Cursor& in, const VarColumn& vars, Prototype* out, bool is_template) {
  const std::string_view close = is_template ? ">" : ")";
  if (in.eat(close)) return Fault::None;
  do {
    if (is_template) {
      // A bare variable: deduced, printed only before a printed template argument.
      Cursor ahead = in;
      const std::string_view word = ahead.word();
      const char next = ahead.peek();
      if (word.size() == 1 && (next == ',' || next == '>')) {
        if (out->count > 0 || vars.find(word[0]) != out->leading_vars) return Fault::UnknownVariable;
        out->leading_vars++;
        in = ahead;
        continue;
      }
    }
    if (const Fault f = parse_param(in, vars, out, is_template); f != Fault::None) return f;
  } while (in.eat(","));
  return in.eat(close) ? Fault::None : Fault::ExpectedClose;
}

constexpr Fault parse_overload(Cursor& in, const VarColumn& vars, Prototype* out) {
  if (in.eat("<"))
    if (const Fault f = parse_list(in, vars, out, true); f != Fault::None) return f;
  out->template_count = out->count;
  if (!in.eat("(")) return Fault::ExpectedOpen;
  if (const Fault f = parse_list(in, vars, out, false); f != Fault::None) return f;
  if (in.eat(":"))
    if (const Fault f = parse_type(in, vars, &out->result); f != Fault::None) return f;
  if (!in.eat("->")) return Fault::ExpectedArrow;
  const int pipe = index_of(kPipeNames, in.word());
  if (pipe < 0) return Fault::UnknownPipe;
  out->pipe = static_cast<Pipe>(pipe);
  if (in.eat("!")) {
    const std::string_view core = in.word();
    if (core != "AIV" && core != "AIC" && core != "ANY") return Fault::UnknownCore;
    out->core = core == "AIV" ? CoreSet::AIV : core == "AIC" ? CoreSet::AIC : CoreSet::Any;
  }
  Cursor ahead = in;
  if (ahead.word() == "waits") {
    out->waits = true;
    in = ahead;
  }
  return Fault::None;
}

struct RowCheck {
  Fault fault = Fault::None;
  size_t at = 0;      // offset in the overload column
  int overloads = 0;  // read without fault
};

constexpr RowCheck check_row(std::string_view dtypes, std::string_view overloads) {
  const VarColumn vars = parse_vars(dtypes);
  if (!vars.ok) return {Fault::Dtypes, 0, 0};
  Cursor in{overloads};
  RowCheck check;
  while (!in.done()) {
    Prototype proto;
    check.fault = parse_overload(in, vars, &proto);
    check.at = in.at;
    if (check.fault != Fault::None) return check;
    check.overloads++;
  }
  if (check.overloads == 0) check.fault = Fault::Empty;
  return check;
}

}  // namespace asc::detail
