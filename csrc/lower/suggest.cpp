// SPDX-License-Identifier: Apache-2.0
// Hints for the commonest mistakes: a misspelt name, arithmetic on tensors, a view where an element is meant.
#include "lower/suggest.h"

#include <algorithm>

#include "base/format.h"
#include "lower/frame.h"
#include "lower/pyref.h"

namespace asc::lower {

using ast::Node;
using ast::NodeKind;

namespace {

char lower_case(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

// Edits from one word to another: insert, delete, replace a letter, swap two neighbours. Case does not count.
size_t distance(std::string_view a, std::string_view b) {
  std::vector<size_t> before, last(b.size() + 1), row(b.size() + 1);
  for (size_t j = 0; j <= b.size(); j++) last[j] = j;
  for (size_t i = 1; i <= a.size(); i++) {
    row[0] = i;
    for (size_t j = 1; j <= b.size(); j++) {
      const char x = lower_case(a[i - 1]), y = lower_case(b[j - 1]);
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, last[j - 1] + (x != y)});
      if (i > 1 && j > 1 && x == lower_case(b[j - 2]) && lower_case(a[i - 2]) == y)
        row[j] = std::min(row[j], before[j - 2] + 1);
    }
    before = last;
    last = row;
  }
  return last[b.size()];
}

// Are all letters of `a` in `b`, in order, and the first one first?
bool is_part_of(std::string_view a, std::string_view b) {
  size_t i = 0;
  for (char c : b) i += i < a.size() && a[i] == c;
  return i == a.size() && a.front() == b.front();
}

}  // namespace

std::string closest(std::string_view wrong, std::span<const std::string> names) {
  std::string best;
  size_t least = wrong.size() <= 3 ? 1 : wrong.size() <= 7 ? 2 : 3;
  least++;
  for (const std::string& name : names) {
    if (name.empty() || (name[0] == '_' && !wrong.starts_with('_'))) continue;
    size_t d = distance(wrong, name);
    // PIPE_V for V, count for cnt: the last word, or the consonants.
    if (wrong.size() < name.size() && name.ends_with(wrong) && name[name.size() - wrong.size() - 1] == '_')
      d = 1;
    if (wrong.size() >= 3 && name.size() <= 2 * wrong.size() && is_part_of(wrong, name)) d = 1;
    if (d < least || (d == least && !best.empty() && name < best)) {
      least = d;
      best = name;
    }
  }
  return best;
}

std::string did_you_mean(PyObject* object, std::string_view wrong, std::string_view prefix) {
  const char* module = PyModule_Check(object) ? PyModule_GetName(object) : nullptr;
  if (module && std::string_view(module) == "asc")
    if (std::string hint = habit_hint(wrong); !hint.empty()) return hint;
  drop_error();
  std::vector<std::string> names;
  const PyRef list = PyRef::steal(PyObject_Dir(object));
  for (Py_ssize_t i = 0; list && i < PyList_GET_SIZE(list.get()); i++)
    if (const char* utf8 = PyUnicode_AsUTF8(PyList_GET_ITEM(list.get(), i))) names.emplace_back(utf8);
  drop_error();
  if (const std::string name = closest(wrong, names); !name.empty())
    return fmt::format("did you mean {}{}?", prefix, name);
  EnumId id;
  if (!as_enum_class(object, &id) || enum_desc(id).members.size() > 16) return {};
  std::string all;
  for (const EnumMember& m : enum_desc(id).members)
    all += fmt::format("{}{}", all.empty() ? "" : ", ", m.name);
  return fmt::format("its members: {}", all);
}

std::string Frame::attribute_hint(const Value& object, std::string_view wrong, const Node* at) const {
  const Type& type = object.expr->type;
  const bool sizes = wrong == "shape" || wrong == "size" || wrong == "ndim" || wrong == "nbytes";
  if (sizes && type.kind == Kind::Pointer)
    return fmt::format("an address has no {} on the device: pass the number of elements as an argument",
                       wrong);
  if (sizes && type.is_tensor()) return "get_size() gives the number of its elements";
  if (type.is_tensor() && (wrong == "load" || wrong == "item")) return "get_value(i) reads an element";
  if (type.is_tensor() && (wrong == "store" || wrong == "fill"))
    return "set_value(i, value) writes an element";
  if (type.is_scalar() && wrong == "astype") return "cast(dtype) converts a number";
  if (type.is_scalar() && wrong == "item") return "it is a number already";
  const auto* whole = ast::dyn<ast::Attribute>(at);
  if (whole && find_method(Kind::GlobalTensor, wrong))
    if (std::string hint = address_hint(object, whole->value, fmt::format("g.{}(...)", wrong)); !hint.empty())
      return hint;
  std::vector<std::string> names;
  for (const OpDesc& op : op_table())
    if (op.owner == type.kind && type.kind != Kind::Void) names.emplace_back(op.py_name);
  const size_t fields = ir::field_count(session_.module, type);
  for (size_t i = 0; i < fields; i++) names.emplace_back(ir::field_name(session_.module, type, i));
  if (type.elem != DType::Void) names.emplace_back("dtype");
  const std::string name = closest(wrong, names);
  return name.empty() ? name : fmt::format("did you mean {}?", name);
}

std::string Frame::keyword_hint(const OpDesc& op, std::string_view wrong) const {
  std::vector<std::string> names;
  for (const OverloadDesc& overload : op.overloads)
    for (const ParamDesc& p : overload.params)
      if (std::find(names.begin(), names.end(), p.name) == names.end()) names.emplace_back(p.name);
  if (const std::string name = closest(wrong, names); !name.empty())
    return fmt::format("did you mean {}=?", name);
  std::string all;
  for (const std::string& name : names) all += fmt::format("{}{}", all.empty() ? "" : ", ", name);
  return all.empty() ? all : fmt::format("its parameters: {}", all);
}

// `x[i]` written where an element was meant: the hint, or nothing.
std::string Frame::element_hint(const Value& v, const Node* node) const {
  const auto* sub = node ? ast::dyn<ast::Subscript>(node) : nullptr;
  if (!sub || sub->slice->kind == NodeKind::Slice || !v.is_expr() || !v.expr->type.is_tensor()) return {};
  return fmt::format("{} is a view that starts at element {}; write {}.get_value({})", text_of(node),
                     text_of(sub->slice), text_of(sub->value), text_of(sub->slice));
}

// An address used as a tensor: how to make one of it, and then `use` it, as `g`.
std::string Frame::address_hint(const Value& v, const Node* node, std::string_view use) const {
  if (v.expr->type.kind != Kind::Pointer) return {};
  return fmt::format("make a tensor of it: g = asc.GlobalTensor(); g.set_global_buffer({}); {}",
                     text_of(node), use);
}

// Arithmetic on tensors is an instruction, with a destination.
std::string Frame::tensor_hint(ast::Operator op, const Value& left, const Value& right,
                               const Node* at) const {
  const Node *a = nullptr, *b = nullptr;
  if (const auto* e = ast::dyn<ast::BinOp>(at)) a = e->left, b = e->right;
  if (const auto* s = ast::dyn<ast::AugAssign>(at)) a = s->target, b = s->value;
  if (std::string hint = element_hint(left, a); !hint.empty()) return hint;
  if (std::string hint = element_hint(right, b); !hint.empty()) return hint;
  const auto is = [](const Value& v, Kind kind) { return v.is_expr() && v.expr->type.kind == kind; };
  if (is(left, Kind::Pointer) || is(right, Kind::Pointer))
    return "address + n counts elements; the address as a number of bytes is int(address)";
  if (is(left, Kind::GlobalTensor) || is(right, Kind::GlobalTensor))
    return "instructions compute on local tensors: copy it with asc.data_copy, or take one element with get_value";
  const bool tensors = is(left, Kind::LocalTensor) && is(right, Kind::LocalTensor);
  const bool scalar = is(left, Kind::LocalTensor) && (is_scalar(right) || number(right));
  const char* name = nullptr;
  switch (op) {
    case ast::Operator::Add: name = tensors ? "add" : "adds"; break;
    case ast::Operator::Sub: name = tensors ? "sub" : nullptr; break;
    case ast::Operator::Mult: name = tensors ? "mul" : "muls"; break;
    case ast::Operator::Div: name = tensors ? "div" : nullptr; break;
    case ast::Operator::BitAnd: name = tensors ? "bitwise_and" : nullptr; break;
    case ast::Operator::BitOr: name = tensors ? "bitwise_or" : nullptr; break;
    default: break;
  }
  if ((!tensors && !scalar) || !name || !find_function(name)) return {};
  return fmt::format("write asc.{}(dst, {}, {}, count)", name, a ? text_of(a) : "a", b ? text_of(b) : "b");
}

}  // namespace asc::lower
