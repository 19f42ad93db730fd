// SPDX-License-Identifier: Apache-2.0
// Methods of numbers, lists and dicts: what Python's do, where their values may be runtime ones.
#include <algorithm>

#include "base/format.h"
#include "lower/frame.h"

namespace asc::lower {

using ast::Node;

// Those of Python's mutable objects: a kernel does not change what it takes from outside.
static bool is_mutator(std::string_view name) {
  constexpr std::string_view kMutators[] = {"append",  "extend", "insert",  "pop",        "remove",
                                            "clear",   "sort",   "reverse", "update",     "setdefault",
                                            "popitem", "add",    "discard", "__setitem__"};
  return std::find(std::begin(kMutators), std::end(kMutators), name) != std::end(kMutators);
}

void Frame::check_may_change(uint32_t region, const Value& container, const Node* at) const {
  if (region != regions_.back().id)
    fail(at, fmt::format("{} may not change under runtime control flow", shown(container)),
         "build it before, or unroll with asc.static_range");
}

// False: the object has no such method here; Python may know it.
bool Frame::call_member(const Value& receiver, const ast::Attribute* func, std::vector<Argument>& args,
                        const ast::Call* e, Value* out) {
  const std::string_view name = func->attr->utf8;
  if (is_scalar(receiver) || number(receiver)) {
    if (name == "ceildiv" && args.size() == 1 && !args[0].keyword) {
      const Argument both[] = {{receiver, func->value, nullptr}, args[0]};
      *out = call_builtin(BuiltinId::CeilDiv, both, e);
      return true;
    }
    if (name != "cast" && name != "to") return false;
    DType dtype;
    if (args.size() != 1 || !args[0].value.is_static() || !as_dtype(args[0].value.object, &dtype))
      fail(e, fmt::format("TypeError: {}(dtype) takes one dtype", name));
    *out = cast_to(receiver, dtype, e);
    return true;
  }
  if (receiver.is_static()) {
    if (is_mutator(name))
      fail(e, fmt::format("{} would change an object from outside the kernel", text_of(func)),
           "copy it first: list(x), dict(x)");
    return false;
  }
  return receiver.is_seq() ? list_method(receiver, name, args, e, out)
                           : dict_method(receiver, name, args, e, out);
}

// Methods that change the list.
bool Frame::list_change(const Value& list, std::string_view name, std::vector<Argument>& args,
                        const ast::Call* e, Value* out) {
  std::vector<Value>& items = list.seq->items;
  const auto size = static_cast<int64_t>(items.size());
  const auto index = [&](const Argument& a) {
    const auto n = number(a.value);
    if (!n || n->form == Number::Form::Float)
      fail(a.node, fmt::format("{} needs a compile-time index", name));
    return n->bits < 0 ? n->bits + size : n->bits;
  };
  check_may_change(list.seq->region, list, e);
  *out = Value::of(Py_None);
  if (name == "append" && args.size() == 1) {
    keep_value(&args[0].value, args[0].node);
    items.push_back(args[0].value);
  } else if (name == "extend" && args.size() == 1) {
    std::vector<Value> more;
    if (args[0].value.is_expr() || !iterate(args[0].value, args[0].node, &more))
      fail(args[0].node, fmt::format("TypeError: {} is not iterable at compile time", shown(args[0].value)));
    for (Value& v : more) {
      keep_value(&v, e);
      items.push_back(again(v, e));
    }
  } else if (name == "pop" && args.size() <= 1) {
    const int64_t i = args.empty() ? size - 1 : index(args[0]);
    if (i < 0 || i >= size) fail(e, "IndexError: pop index out of range");
    *out = again(items[static_cast<size_t>(i)], e);
    items.erase(items.begin() + i);
  } else if (name == "insert" && args.size() == 2) {
    const int64_t i = std::clamp<int64_t>(index(args[0]), 0, size);
    keep_value(&args[1].value, args[1].node);
    items.insert(items.begin() + i, args[1].value);
  } else if (name == "reverse" && args.empty()) {
    std::reverse(items.begin(), items.end());
  } else if (name == "clear" && args.empty()) {
    items.clear();
  } else {
    fail(e, fmt::format("list.{} is not supported in a kernel", name),
         "build the list in the order you need");
  }
  return true;
}

bool Frame::list_method(const Value& list, std::string_view name, std::vector<Argument>& args,
                        const ast::Call* e, Value* out) {
  if (list.seq->is_list && is_mutator(name)) return list_change(list, name, args, e, out);
  if (name == "__len__" && args.empty()) {
    *out = Value::of(check(PyLong_FromSize_t(list.seq->items.size()), e));
    return true;
  }
  if (name == "copy" && list.seq->is_list && args.empty()) {
    Seq* seq = session_.new_seq(true, regions_.back().id);
    for (const Value& v : list.seq->items) seq->items.push_back(again(v, e));
    *out = Value::of(seq);
    return true;
  }
  return false;
}

bool Frame::dict_method(const Value& dict, std::string_view name, std::vector<Argument>& args,
                        const ast::Call* e, Value* out) {
  const auto& items = dict.map->items;
  if (is_mutator(name))
    fail(e, fmt::format("dict.{} is not supported in a kernel", name), "assign the items: d[key] = value");
  if (name == "get" && (args.size() == 1 || args.size() == 2)) {
    PyObject* key = to_object(args[0].value);
    if (!key) fail(args[0].node, "a dict needs a compile-time key");
    touch_index(key);
    *out = args.size() == 2 ? args[1].value : Value::of(Py_None);
    for (const auto& [known, value] : items) {
      const int equal = PyObject_RichCompareBool(known, key, Py_EQ);
      if (equal < 0) fail_python(e);
      if (equal) *out = again(value, e);
    }
    return true;
  }
  const bool keys = name == "keys" || name == "items", values = name == "values" || name == "items";
  if (args.empty() && (keys || values)) {
    Seq* seq = session_.new_seq(true, regions_.back().id);
    for (const auto& [key, value] : items) {
      if (!keys || !values) {
        seq->items.push_back(keys ? number_value(key) : again(value, e));
        continue;
      }
      Seq* pair = session_.new_seq(false, regions_.back().id);
      pair->items = {number_value(key), again(value, e)};
      seq->items.push_back(Value::of(pair));
    }
    *out = Value::of(seq);
    return true;
  }
  return false;
}

}  // namespace asc::lower
