// SPDX-License-Identifier: Apache-2.0
// Numbers, texts, containers, and the order of the questions.
#include "runtime/deps_content.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <string_view>

#include "base/format.h"
#include "runtime/deps_facts.h"

namespace asc::runtime {
namespace {

constexpr int kDeepest = 200;
constexpr size_t kLargest = 32u << 20;  // bytes of an encoding that may go to disk

}  // namespace

bool Encoder::fail(std::string why) {
  if (why_.empty()) why_ = std::move(why);
  drop_error();
  return false;
}

bool Encoder::identity(PyObject* value) {
  out_.u8('@');
  out_.u64(reinterpret_cast<uintptr_t>(value));
  if (kept) kept->push_back(PyRef::borrow(value));
  return true;
}

void Encoder::number(PyObject* value) {
  if (identities) out_.u32(identities->number(value));
}

// Objects of libraries that compare by identity; Exact forms have it already where it is none.
void Encoder::library_identity(PyObject* value) {
  if (in_memory() && !compares_by_value(Py_TYPE(value))) identity(value);
}

// What is not equal to itself, as NaN, is found by its identity alone: in a list, as a key.
void Encoder::note_unequal(PyObject* value) {
  compares_identity_ = true;
  if (exact()) identity(value);
  if (is_plain_leaf(value)) number(value);  // the others have one
}

// Data has its identity in the Exact forms; numbers and texts never, which Python shares as it likes.
void Encoder::data_identity(PyObject* value) {
  const bool is_fresh = std::exchange(fresh_, false);
  if (!exact() || is_fresh || !compares_by_value(Py_TYPE(value))) return;
  if (PyTuple_CheckExact(value) ? !is_plain_leaf(value) : !is_unchanging(value)) identity(value);
}

// What cannot be looked into: by identity, where nothing but identity was read.
bool Encoder::opaque(PyObject* value, std::string_view what) {
  if (how_ == How::InMemory || (in_memory() && made_here_)) return identity(value);
  return fail(fmt::format("{} has no content that could be compared", what));
}

bool Encoder::add_int(PyObject* value) {
  int overflow = 0;
  const long long number = PyLong_AsLongLongAndOverflow(value, &overflow);
  if (!overflow) {
    out_.u8('i');
    out_.u64(static_cast<uint64_t>(number));
    return true;
  }
  const PyRef hex = PyRef::steal(PyNumber_ToBase(value, 16));
  const char* text = hex ? PyUnicode_AsUTF8(hex.get()) : nullptr;
  if (!text) return fail("an int");
  out_.u8('I');
  out_.text(text);
  return true;
}

bool Encoder::add_str(PyObject* value) {
  Py_ssize_t size = 0;
  if (const char* text = PyUnicode_AsUTF8AndSize(value, &size)) {
    out_.u8('s');
    out_.text({text, static_cast<size_t>(size)});
    return true;
  }
  drop_error();  // lone surrogates
  const PyRef bytes = PyRef::steal(PyUnicode_AsEncodedString(value, "utf-8", "surrogatepass"));
  if (!bytes) return fail("a str");
  out_.u8('S');
  out_.text({PyBytes_AS_STRING(bytes.get()), static_cast<size_t>(PyBytes_GET_SIZE(bytes.get()))});
  return true;
}

bool Encoder::add_items(char tag, PyObject* items) {
  out_.u8(static_cast<uint8_t>(tag));
  out_.u64(static_cast<uint64_t>(PySequence_Fast_GET_SIZE(items)));
  for (Py_ssize_t i = 0; i < PySequence_Fast_GET_SIZE(items); i++) {
    const PyRef item = PyRef::borrow(PySequence_Fast_GET_ITEM(items, i));
    if (!add(item.get())) return false;
  }
  return true;
}

// Of what a question has made: nobody else has it.
bool Encoder::add_fresh(PyObject* value) {
  fresh_ = true;
  const bool good = add(value);
  fresh_ = false;
  return good;
}

// A new list of new pairs.
bool Encoder::add_pairs(PyObject* list) {
  out_.u64(static_cast<uint64_t>(PyList_GET_SIZE(list)));
  for (Py_ssize_t i = 0; i < PyList_GET_SIZE(list); i++) {
    PyObject* pair = PyList_GET_ITEM(list, i);
    if (!add(PyTuple_GET_ITEM(pair, 0)) || !add(PyTuple_GET_ITEM(pair, 1))) return false;
  }
  return true;
}

// Order counts: what iterates sees it.
bool Encoder::add_dict(char tag, PyObject* dict) {
  out_.u8(static_cast<uint8_t>(tag));
  out_.u64(static_cast<uint64_t>(PyDict_GET_SIZE(dict)));
  PyObject *key, *value;
  for (Py_ssize_t at = 0; PyDict_Next(dict, &at, &key, &value);) {
    const PyRef kept_key = PyRef::borrow(key), kept_value = PyRef::borrow(value);
    if (!add(key) || !add(value)) return false;
  }
  return true;
}

// Whoever iterates sees the order, which follows from hashes and from how the set was made. Those of others
// than ints differ from process to process; Own is for what is not iterated.
bool Encoder::add_set(PyObject* set) {
  const PyRef items = PyRef::steal(PySequence_List(set));
  if (!items) return fail("a set");
  out_.u8(PyFrozenSet_Check(set) ? 'z' : 'Z');
  const Py_ssize_t size = PyList_GET_SIZE(items.get());
  if (how_ != How::Own) {
    for (Py_ssize_t i = 0; how_ == How::Whole && size > 1 && i < size; i++)
      if (!PyLong_CheckExact(PyList_GET_ITEM(items.get(), i)))
        return fail("a set of others than ints, which may be iterated: its order is of this process");
    return add_items('Z', items.get());
  }
  return add_sorted(items.get());
}

// The items in the order of their content. Two that hold the same have none between them.
bool Encoder::add_sorted(PyObject* items) {
  std::vector<std::pair<std::string, PyObject*>> parts;
  for (Py_ssize_t i = 0; i < PyList_GET_SIZE(items); i++) {
    Encoder one(how_);
    one.depth_ = depth_ + 1;
    if (!one.add(PyList_GET_ITEM(items, i))) return fail(one.why_);
    parts.emplace_back(one.out_.take(), PyList_GET_ITEM(items, i));
  }
  std::sort(parts.begin(), parts.end());
  out_.u64(parts.size());
  for (size_t i = 0; i < parts.size(); i++) {
    out_.text(parts[i].first);
    if (!identities) continue;
    if (i > 0 && parts[i].first == parts[i - 1].first)
      return fail("a set of objects that hold the same: its order is of this process");
    if (!add(parts[i].second)) return false;
  }
  return true;
}

// Those that are nothing but their value: met again, they are written again.
bool Encoder::add_exact(PyObject* value, bool* done) {
  *done = true;
  if (value == Py_None) return out_.u8('n'), true;
  if (PyBool_Check(value)) return out_.u8(value == Py_True ? 'T' : 'F'), true;
  if (PyLong_CheckExact(value)) return add_int(value);
  if (PyFloat_CheckExact(value)) {
    out_.u8('f');
    out_.u64(std::bit_cast<uint64_t>(PyFloat_AS_DOUBLE(value)));
    if (std::isnan(PyFloat_AS_DOUBLE(value))) note_unequal(value);
    return true;
  }
  if (PyUnicode_CheckExact(value)) return add_str(value);
  if (PyBytes_CheckExact(value)) {
    out_.u8('b');
    out_.text({PyBytes_AS_STRING(value), static_cast<size_t>(PyBytes_GET_SIZE(value))});
    return true;
  }
  if (PyComplex_CheckExact(value)) {
    out_.u8('c');
    out_.u64(std::bit_cast<uint64_t>(PyComplex_RealAsDouble(value)));
    out_.u64(std::bit_cast<uint64_t>(PyComplex_ImagAsDouble(value)));
    if (std::isnan(PyComplex_RealAsDouble(value)) || std::isnan(PyComplex_ImagAsDouble(value)))
      note_unequal(value);
    return true;
  }
  if (value == Py_Ellipsis) return out_.u8('.'), true;
  *done = false;
  return true;
}

bool Encoder::add_container(PyObject* value, bool* done) {
  *done = true;
  data_identity(value);
  if (value == Py_NotImplemented) return out_.u8('N'), true;
  if (PyTuple_CheckExact(value)) return add_items('(', value);
  if (PyList_CheckExact(value)) return add_items('[', value);
  if (PyDict_CheckExact(value)) return add_dict('{', value);
  if (PyAnySet_CheckExact(value)) return add_set(value);
  if (PyByteArray_CheckExact(value)) return add_array(value, 'y');
  if (PyRange_Check(value) || PySlice_Check(value)) {
    out_.u8(PyRange_Check(value) ? 'r' : ':');
    for (const char* name : {"start", "stop", "step"}) {
      const PyRef part = attribute(value, name);
      if (!part || !add(part.get())) return false;
    }
    return true;
  }
  *done = false;
  return true;
}

// Attributes by name; those that are not there count as that.
bool Encoder::add_attributes(PyObject* value, std::initializer_list<const char*> names) {
  for (const char* name : names) {
    const PyRef part = attribute(value, name);
    if (!add(part ? part.get() : Py_Ellipsis)) return false;
  }
  return true;
}

bool Encoder::add(PyObject* value) {
  bool done = false;
  if (const bool good = add_exact(value, &done); done) return good;
  if (!PyTuple_CheckExact(value) ||
      !is_plain_leaf(value)) {  // constant tuples are one or many as Python likes
    const auto [known, is_new] = seen_.emplace(value, static_cast<uint32_t>(seen_.size()));
    if (!is_new) {
      out_.u8('&');
      out_.u32(known->second);
      return true;
    }
    alive_.push_back(PyRef::borrow(value));
    number(value);
  }
  if (depth_ >= kDeepest) return fail("a value nested more than 200 levels deep");
  if (!in_memory() && out_.bytes().size() > kLargest) return fail("more than 32 MiB of compile-time values");
  depth_++;
  bool good = add_container(value, &done);
  if (!done) good = add_code_like(value, &done);
  if (!done) good = add_named(value, &done);
  if (!done) good = add_numpy(value, &done);
  if (!done) good = add_library(value, &done);
  if (!done) good = add_instance(value);
  depth_--;
  return good;
}

}  // namespace asc::runtime
