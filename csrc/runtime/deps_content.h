// SPDX-License-Identifier: Apache-2.0
// The canonical encoding of Python values: equal bytes mean that a kernel cannot tell them apart. `1`, `1.0`
// and `True` differ, and so do `0.0` and `-0.0`. Keys of the kernel cache, compile-time arguments and
// dependencies all use it. Needs the GIL.
//
//   how           data (numbers, texts,      functions, classes,       objects of classes
//                 containers, arrays)        modules
//   Own           by content                 by name and code          that compare by value: by content;
//   others
//                                                                      by class
//   Whole         by content                 by content, with what     by content, with their class
//                                            they read
//   InMemory      by content                 by identity               as Own, but by identity
//   WholeInMemory by content                 by identity               by content
//
// Data is content through all levels of containers. What has no content (locks, generators, objects of C
// types) fails the first two and goes by identity in the others.
#pragma once

#include <Python.h>

#include <functional>
#include <string>
#include <unordered_map>
#include <vector>

#include "lower/pyref.h"
#include "runtime/cache_file.h"

namespace asc::runtime {

enum class How : uint8_t { Own, Whole, InMemory, WholeInMemory };

// What an encoding read behind a function or a class: the in-memory check watches each.
struct Read {
  enum class Via : uint8_t { Global, Cell, Code, Defaults, KwDefaults, Attribute, ClassItem, ClassSize } via;
  PyObject* owner;
  PyObject* name;   // null for some
  PyObject* value;  // null: it was not there
};

class Encoder {
 public:
  explicit Encoder(How how) : how_(how) {}
  // Told of each read, and of each object that went by identity: it must be kept alive with the encoding.
  std::function<void(const Read&)> on_read;
  std::vector<PyRef>* kept = nullptr;

  // Appends the value; false if it has no content (`why` then). Leaves no Python error set.
  bool add(PyObject* value);
  void add_text(std::string_view text) { out_.text(text); }
  const std::string& bytes() const { return out_.bytes(); }
  cache::Key key() const { return cache::hash(out_.bytes()); }
  const std::string& why() const { return why_; }

 private:
  friend class CodeEncoder;
  friend class Mark;
  struct Level;

  bool whole() const { return how_ == How::Whole || how_ == How::WholeInMemory; }
  bool in_memory() const { return how_ == How::InMemory || how_ == How::WholeInMemory; }
  bool fail(std::string why);
  bool opaque(PyObject* value, std::string_view what);
  bool add_int(PyObject* value);
  bool add_str(PyObject* value);
  bool add_items(char tag, PyObject* fast_sequence);
  bool add_dict(char tag, PyObject* dict);
  bool add_set(PyObject* set);
  bool add_array(PyObject* value, char tag);
  bool add_exact(PyObject* value, bool* done);      // Python's own types
  bool add_named(PyObject* value, bool* done);      // objects of ours, dtypes of others
  bool add_code_like(PyObject* value, bool* done);  // functions, methods, classes, modules
  bool add_instance(PyObject* value);
  bool add_state(PyObject* value);
  bool add_slots(PyObject* value);
  bool add_struct(PyObject* value);

  How how_;
  cache::ByteWriter out_;
  std::vector<PyObject*> levels_;                      // objects around the one at hand: cycles
  std::unordered_map<PyObject*, uint32_t> seen_code_;  // functions, classes, modules: once each
  std::string why_;
};

// True if identity proves that nothing in it changed: numbers, texts, functions and classes (what they read
// is watched apart), tuples of those.
bool is_unchanging(PyObject* value);
// Like that, and nothing stands behind it that could be read: not a function, class or module.
bool is_plain_leaf(PyObject* value);
// Instances of its classes are compared with `==` by value, not by identity.
bool compares_by_value(PyTypeObject* type);

// A value as it was, for the in-memory checks.
class Mark {
 public:
  Mark() = default;
  explicit Mark(PyObject* value, How how = How::InMemory);
  bool holds(PyObject* now) const {
    if (now == value_.get() && by_identity_) [[likely]]
      return true;
    return same_content(now);
  }
  PyObject* value() const { return value_.get(); }
  int traverse(visitproc visit, void* arg) const {
    Py_VISIT(value_.get());
    for (const PyRef& object : kept_) Py_VISIT(object.get());
    return 0;
  }
  bool by_identity() const { return by_identity_; }  // the same object is the same content
  How how() const { return how_; }
  // False: its content cannot be told (nested too deeply), so that it never holds.
  bool good() const { return good_; }

 private:
  bool same_content(PyObject* now) const;
  PyRef value_;
  bool by_identity_ = false, unchanging_ = false, good_ = true;
  How how_ = How::InMemory;
  cache::Key content_;  // if it can change
  std::vector<PyRef> kept_;
};

}  // namespace asc::runtime
