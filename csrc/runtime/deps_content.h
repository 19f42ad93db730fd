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
//   WholeInMemory by content                 by identity; `on_read`    by content, with their identity
//                                            is told what they read
//   DeepInMemory  as WholeInMemory           by identity and content   as WholeInMemory
//
// Data is content through all levels of containers; an object that is met again is a reference to the first
// time. What has no content (generators, tensors, objects of C libraries) goes by identity in InMemory. The
// others are for what Python code got, which may read any of it: there it fails, on disk and in memory alike.
//
// Which objects are one counts too. Over processes each object has a number (`identities`); in memory those
// that compare by identity go by it. Data does only in the Exact forms, for kernels that ask whether two are
// one: with `is`, or by looking for what is not equal to itself.
#pragma once

#include <Python.h>

#include <functional>
#include <initializer_list>
#include <string>
#include <unordered_map>
#include <vector>

#include "lower/pyref.h"
#include "runtime/cache_file.h"
#include "runtime/deps_identities.h"

namespace asc::runtime {

enum class How : uint8_t {
  Own,
  Whole,
  InMemory,
  ExactInMemory,
  WholeInMemory,
  WholeExactInMemory,
  DeepInMemory  // an Exact one
};

// What an encoding read behind a function or a class: the in-memory check watches each.
struct Read {
  enum class Via : uint8_t {
    Global,
    Cell,
    Code,
    Defaults,
    KwDefaults,
    ClassItem,
    ClassSize,
    Bases,
    Abcs,
    Attributes,
    Import
  } via;
  PyObject* owner;
  PyObject* name;   // null for some
  PyObject* value;  // null: it was not there
};

class Encoder {
 public:
  // `made_here`: it was made while lowering, from what is compared elsewhere; what has no content is then its
  // identity.
  explicit Encoder(How how, bool made_here = false) : how_(how), made_here_(made_here) {}
  // Told of each read, and of each object that went by identity: it must be kept alive with the encoding.
  std::function<void(const Read&)> on_read;
  std::vector<PyRef>* kept = nullptr;
  // Shared by all encodings of a kernel's paths.
  Identities* identities = nullptr;

  // Appends the value; false if it has no content (`why` then). Leaves no Python error set.
  bool add(PyObject* value);
  void add_text(std::string_view text) { out_.text(text); }
  const std::string& bytes() const { return out_.bytes(); }
  cache::Key key() const { return cache::hash(out_.bytes()); }
  const std::string& why() const { return why_; }
  // Some function asks for what only DeepInMemory compares: names, the order in a class, fields of
  // dataclasses.
  bool asks() const { return asks_; }
  // Something asks whether two objects that may be equal are one: the Exact forms.
  bool compares_identity() const { return compares_identity_; }
  // Some function calls repr(), and some object shows where in memory it is.
  bool calls_repr() const { return calls_repr_; }
  bool has_bare() const { return has_bare_; }
  // Some function may have given a result that it had kept, from other values than those it reads now.
  bool keeps_results() const { return keeps_results_; }

 private:
  friend class CodeEncoder;
  friend class Mark;

  bool whole() const { return how_ != How::Own && how_ != How::InMemory && how_ != How::ExactInMemory; }
  bool in_memory() const { return how_ != How::Own && how_ != How::Whole; }
  bool exact() const {
    return how_ == How::ExactInMemory || how_ == How::WholeExactInMemory || how_ == How::DeepInMemory;
  }
  bool deep() const { return how_ == How::Whole || how_ == How::DeepInMemory; }
  bool fail(std::string why);
  bool identity(PyObject* value);
  void number(PyObject* value);
  void library_identity(PyObject* value);
  void data_identity(PyObject* value);
  void note_unequal(PyObject* value);
  bool add_fresh(PyObject* value);
  bool add_pairs(PyObject* list);
  bool opaque(PyObject* value, std::string_view what);
  bool add_int(PyObject* value);
  bool add_str(PyObject* value);
  bool add_items(char tag, PyObject* fast_sequence);
  bool add_dict(char tag, PyObject* dict);
  bool add_set(PyObject* set);
  bool add_sorted(PyObject* items);
  bool add_array(PyObject* value, char tag);
  bool add_buffer(PyObject* value, bool with_format);
  bool add_dtype(PyObject* value);
  bool add_print_options();
  bool add_attributes(PyObject* value, std::initializer_list<const char*> names);
  bool add_shown(PyObject* value);
  bool add_exact(PyObject* value, bool* done);  // Python's own types
  bool add_container(PyObject* value, bool* done);
  bool add_named(PyObject* value, bool* done);  // objects of ours, dtypes of others
  bool add_numpy(PyObject* value, bool* done);
  bool add_library(PyObject* value, bool* done);  // of Python's own library
  bool add_logger(PyObject* value);
  bool add_field(PyObject* value);
  bool add_code_like(PyObject* value, bool* done);  // functions, methods, classes, modules
  bool add_instance(PyObject* value);
  bool add_state(PyObject* value);
  bool add_slots(PyObject* value);
  bool add_struct(PyObject* value);

  How how_;
  bool made_here_, asks_ = false, compares_identity_ = false, calls_repr_ = false, has_bare_ = false;
  bool has_print_options_ = false, keeps_results_ = false;
  size_t values_read_ = 0;
  bool fresh_ = false;  // the value at hand was made for this
  cache::ByteWriter out_;
  int depth_ = 0;
  std::unordered_map<PyObject*, uint32_t> seen_;  // by the order in which they were met
  std::vector<PyRef> alive_;                      // those, so that no other object takes an address
  std::string why_;
};

// True if identity proves that nothing in it changed: numbers, texts, functions and classes (what they read
// is watched apart), tuples of those.
bool is_unchanging(PyObject* value);
// Like that, and nothing stands behind it that could be read: not a function, class or module.
bool is_plain_leaf(PyObject* value);
// A value as it was, for the in-memory checks.
class Mark {
 public:
  Mark() = default;
  explicit Mark(PyObject* value, How how = How::InMemory, bool made_here = false);
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
  // False: its content cannot be told, so that it never holds.
  bool good() const { return good_; }

 private:
  bool same_content(PyObject* now) const;
  PyRef value_;
  bool by_identity_ = false, unchanging_ = false, good_ = true, made_here_ = false;
  How how_ = How::InMemory;
  cache::Key content_;  // if it can change
  std::vector<PyRef> kept_;
};

}  // namespace asc::runtime
