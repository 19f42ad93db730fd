// SPDX-License-Identifier: Apache-2.0
// The outside values that a specialisation was lowered from, re-checked at each launch: identity first, then
// content. Needs the GIL.
#pragma once

#include <Python.h>

#include <string>
#include <vector>

#include "lower/lower.h"
#include "runtime/deps_content.h"

namespace asc::runtime {

class Dependencies {
 public:
  Dependencies() = default;
  // `exact`: data goes by identity, as the kernel itself asks whether two objects are one.
  Dependencies(const std::vector<lower::Dependency>& read, bool exact);

  // True if every value is still what it was. Never leaves a Python error set: what cannot be read any more
  // has changed.
  bool hold() const {
    for (const Watch& watch : watches_)
      if (!holds(watch)) return false;
    return true;
  }
  // False: some value never holds; the specialisation is for one launch.
  bool lasting() const {
    if (!unknown_.empty()) return false;
    for (const Watch& watch : watches_)
      if (!watch.mark.good()) return false;
    return true;
  }
  // Compile-time arguments go by identity too.
  bool exact() const { return exact_; }
  // What it is that never holds; empty if all may.
  const std::string& unknown() const { return unknown_; }
  // Visits the references held here, for tp_traverse of what owns them.
  int traverse(visitproc visit, void* arg) const;
  // The first that does not hold, as "global 'K'"; empty if all do.
  std::string changed() const;

 private:
  // As lower::Dependency::Via, and what functions and classes that Python runs read themselves.
  enum class Via : uint8_t {
    Global,
    Builtin,
    Cell,
    Attribute,
    Item,
    Self,
    Code,
    Defaults,
    KwDefaults,
    ClassItem,
    ClassSize,
    Bases,
    Abcs,
    Attributes,
    Import,
    Method
  };
  struct Watch {
    Via via;
    PyRef owner, name;
    Mark mark;
    bool binds = false;  // each access makes the bound method that is read
  };
  static bool holds(const Watch& watch);
  static PyObject* read_now(const Watch& watch, PyRef* made);
  // Null if it is watched already.
  Watch* watch(Via via, PyObject* owner, PyObject* name, PyObject* value, How how, bool made_here = false);
  void watch_attribute(const lower::Dependency& read, How how);
  struct Asked {
    bool facts = false, identity = false;
  };
  Asked asked_by(const lower::Dependency& whole);
  void watch_whole(const lower::Dependency& whole, How how);

  std::vector<Watch> watches_;
  bool exact_ = false;
  std::string unknown_;
};

}  // namespace asc::runtime
