// SPDX-License-Identifier: Apache-2.0
// The raw rows of the op table as constants: what dispatch tables need at compile time. Included by
// op_table.h.
#pragma once

#include "ops/op_table.h"

namespace asc {

struct OpRow {
  OpId id;
  Kind owner;  // Void for functions
  std::string_view name, py_name;
  Family family;
  std::string_view dtypes, overloads, doc, ir_name;
};

inline constexpr OpRow kOpRows[] = {
#define ASC_OP(Name, py, family, dtypes, overloads, doc) \
  {OpId::Name, Kind::Void, #Name, #py, Family::family, dtypes, overloads, doc, "asc_" #Name},
#define ASC_METHOD(Owner, Name, py, family, dtypes, overloads, doc)                         \
  {OpId::Owner##_##Name,   Kind::Owner, #Name, #py, Family::family, dtypes, overloads, doc, \
   "asc_" #Owner "_" #Name},
#include "ops/all.def"
};
static_assert(sizeof(kOpRows) / sizeof(kOpRows[0]) == kOpCount);

constexpr const OpRow& op_row(OpId id) { return kOpRows[static_cast<int>(id)]; }
constexpr Family family_of(OpId id) { return op_row(id).family; }

// The dtypes column, read. Grammar: op_table.h.
struct VarColumn {
  static constexpr int kMaxCombos = 12;
  bool ok = true;
  uint8_t count = 0;
  char names[kMaxTypeVars] = {};
  uint32_t masks[kMaxTypeVars] = {};  // bit of each dtype allowed; 0: any
  uint8_t combo_count = 0;            // tied variables: the allowed tuples
  DType combos[kMaxCombos][kMaxTypeVars] = {};

  constexpr int find(char name) const {
    for (int i = 0; i < count; i++)
      if (names[i] == name) return i;
    return -1;
  }
  constexpr bool allows(int var, DType t) const {
    return var < count && (masks[var] == 0 || (masks[var] >> static_cast<int>(t) & 1) != 0);
  }
  constexpr bool allows_combo(const DType* vars) const {
    if (combo_count == 0) return true;
    for (int c = 0; c < combo_count; c++) {
      bool same = true;
      for (int v = 0; v < count; v++) same = same && combos[c][v] == vars[v];
      if (same) return true;
    }
    return false;
  }
};

namespace detail {

// Words and signs of a column, blanks skipped.
struct Cursor {
  std::string_view text;
  size_t at = 0;

  static constexpr bool is_word(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
  }
  constexpr void skip() {
    while (at < text.size() && text[at] == ' ') at++;
  }
  constexpr bool done() {
    skip();
    return at >= text.size();
  }
  constexpr char peek() { return done() ? '\0' : text[at]; }
  constexpr bool eat(std::string_view sign) {
    skip();
    if (text.substr(at, sign.size()) != sign) return false;
    at += sign.size();
    return true;
  }
  constexpr std::string_view word() {
    skip();
    const size_t begin = at;
    while (at < text.size() && is_word(text[at])) at++;
    return text.substr(begin, at - begin);
  }
};

constexpr bool find_short_dtype(std::string_view name, DType* out) {
  for (int i = 1; i < kDTypeCount; i++)
    if (kDTypes[i].short_name == name) {
      *out = static_cast<DType>(i);
      return true;
    }
  return false;
}

// One group of the dtypes column; false if it cannot be read.
constexpr bool parse_var_group(Cursor& in, VarColumn& out) {
  const int first = out.count;
  while (in.peek() != ':') {
    const std::string_view name = in.word();
    if (name.size() != 1 || name[0] < 'A' || name[0] > 'Z' || out.find(name[0]) >= 0 ||
        out.count == kMaxTypeVars)
      return false;
    out.names[out.count++] = name[0];
  }
  const int size = out.count - first;
  if (!in.eat(":") || size == 0 || (size > 1 && first > 0)) return false;
  if (size > 1 && out.combo_count > 0) return false;
  if (in.eat("any")) return size == 1;
  int column = 0;
  while (!in.done() && in.peek() != ';') {
    if (in.eat(",")) {
      if (size == 1 || column != 0) return false;
      continue;
    }
    DType t = DType::Void;
    if (!find_short_dtype(in.word(), &t)) return false;
    out.masks[first + column] |= 1u << static_cast<int>(t);
    if (size > 1) {
      if (out.combo_count == VarColumn::kMaxCombos) return false;
      out.combos[out.combo_count][column] = t;
      column = (column + 1) % size;
      if (column == 0) out.combo_count++;
    }
  }
  return out.masks[first] != 0 && column == 0;
}

}  // namespace detail

constexpr VarColumn parse_vars(std::string_view dtypes) {
  VarColumn out;
  detail::Cursor in{dtypes};
  while (out.ok && !in.done()) {
    out.ok = detail::parse_var_group(in, out) && (in.done() || in.eat(";"));
    // Tied variables stand alone: a further group would leave the tuples short.
    if (out.combo_count > 0 && !in.done()) out.ok = false;
  }
  return out;
}

constexpr bool op_allows(OpId id, int var, DType t) { return parse_vars(op_row(id).dtypes).allows(var, t); }

constexpr bool op_allows_pair(OpId id, DType t, DType u) {
  const VarColumn vars = parse_vars(op_row(id).dtypes);
  const DType pair[kMaxTypeVars] = {t, u, DType::Void, DType::Void};
  return vars.count >= 2 && vars.allows(0, t) && vars.allows(1, u) && vars.allows_combo(pair);
}

}  // namespace asc
