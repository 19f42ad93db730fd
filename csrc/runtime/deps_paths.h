// SPDX-License-Identifier: Apache-2.0
// What lowering read, as paths from the kernel's function: what another process follows to see whether a
// stored object is right there too. Each path carries a hash of the content at its end. Needs the GIL.
#pragma once

#include <Python.h>

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "lower/function.h"
#include "lower/lower.h"
#include "lower/pyref.h"
#include "runtime/cache_file.h"
#include "runtime/deps_content.h"

namespace asc::runtime {

// Where an object is found.
struct PathRef {
  enum class Kind : uint8_t {
    Function,     // a function of the kernel, by index: 0 is the kernel itself
    Entry,        // what an earlier path leads to
    Argument,     // a compile-time argument, by parameter
    TypeOfEntry,  // the class of those
    TypeOfArgument,
  } kind = Kind::Function;
  uint32_t index = 0;
  friend bool operator==(const PathRef&, const PathRef&) = default;
};

struct Path {
  lower::Dependency::Via via = lower::Dependency::Via::Global;
  PathRef from;
  std::string
      name;  // of a global, captured variable, attribute, parameter; an item's key: "i" or "s" in front
  cache::Key content;
  std::string shown() const;  // "global 'K'"
};

// The paths of one lowering, and where its functions are found.
struct Paths {
  std::vector<Path> paths;
  std::vector<PathRef> functions;  // by index in the module's source table, the kernel left out
  bool exact = false;              // in memory, data goes by identity too

  void write(cache::ByteWriter& out, bool with_content) const;
  static Paths read(cache::ByteReader& in);
  bool same_places(const Paths& other) const;
  cache::Key object_key(const cache::Key& manifest) const;
};

// Compile-time arguments by parameter; null for those that are none.
using PathArguments = std::vector<PyObject*>;
// The kernel and its arguments are met first. What the arguments hold is part of level 1.
void number_call(const lower::KernelFunction& kernel, const PathArguments& arguments, Identities* identities);
// Leaves no Python error set. False if the value (null: none) has no content; `encoder` knows why then.
bool add_read(PyObject* value, Encoder* encoder, cache::Key* content);

// Nothing if some value has no path or no content; `why` then says which.
std::optional<Paths> find_paths(const lower::Result& lowered, const PathArguments& arguments,
                                std::string* why);

// What the paths lead to here and now.
struct Followed {
  Paths paths;                                          // with the content found here
  std::vector<lower::Dependency> dependencies;          // for the in-memory check; dropped with it
  std::vector<const lower::KernelFunction*> functions;  // the kernel first
  std::vector<PyRef> kept;
  std::string changed;  // the first path whose content differs from the recorded one
  Followed() = default;
  Followed(Followed&&) = default;
  Followed& operator=(Followed&&) = default;
  ~Followed();
};
// Nothing if a path does not lead anywhere; `why` then names it.
std::optional<Followed> follow(const Paths& recorded, const lower::KernelFunction& kernel,
                               const PathArguments& arguments, std::string* why);

}  // namespace asc::runtime
