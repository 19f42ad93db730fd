// SPDX-License-Identifier: Apache-2.0
// Writes down where lowering found what it read.
#include <algorithm>
#include <unordered_map>

#include "base/format.h"
#include "lower/objects.h"
#include "runtime/deps_facts.h"
#include "runtime/deps_paths.h"

namespace asc::runtime {
namespace {

using Via = lower::Dependency::Via;
using Kind = PathRef::Kind;

// Indexes that can be written down: ints and texts.
bool write_item(PyObject* index, std::string* out) {
  if (PyUnicode_CheckExact(index)) {
    *out = "s" + std::string(text_of(index));
    return true;
  }
  if (!PyLong_CheckExact(index)) return false;
  int overflow = 0;
  const long long number = PyLong_AsLongLongAndOverflow(index, &overflow);
  *out = fmt::format("i{}", number);
  return overflow == 0;
}

std::string cell_name(PyObject* function, PyObject* cell) {
  PyObject* closure = PyFunction_GetClosure(function);
  const PyRef names = PyRef::steal(PyObject_GetAttrString(PyFunction_GET_CODE(function), "co_freevars"));
  for (Py_ssize_t i = 0; closure && names && i < PyTuple_GET_SIZE(closure); i++)
    if (PyTuple_GET_ITEM(closure, i) == cell) return std::string(text_of(PyTuple_GET_ITEM(names.get(), i)));
  drop_error();
  return {};
}

// Finds the way from the kernel to each object that lowering met, in the order in which it met them.
class Finder {
 public:
  Finder(const lower::Result& lowered, const PathArguments& arguments) : lowered_(lowered) {
    found_function(lowered.functions[0], {Kind::Function, 0});
    number_call(*lowered.functions[0], arguments, &identities_);
    for (size_t i = 0; i < arguments.size(); i++)
      if (arguments[i]) found(arguments[i], {Kind::Argument, static_cast<uint32_t>(i)});
  }

  bool run(std::string* why) {
    if (lowered_.shows_address) {
      *why = "a text says where in memory an object is";
      return false;
    }
    for (const lower::Dependency& d : lowered_.dependencies)
      if (!add(d, why)) return false;
    for (size_t i = 1; i < lowered_.functions.size(); i++) {
      const Known* known = find_known(lowered_.functions[i]);
      if (!known) {
        *why = fmt::format("no path leads to the helper '{}'", lowered_.functions[i]->name);
        return false;
      }
      result_.functions.push_back(known->ref);
    }
    if (calls_repr_ && has_bare_) *why = "repr() may show where in memory an object is";
    if (keeps_results_) *why = "a function of lru_cache may have given a result from before a change";
    return why->empty();
  }
  Paths take() { return std::move(result_); }

 private:
  struct Known {  // a function in the order found; its index in `lowered_.functions` is only its own
    const lower::KernelFunction* function;
    PathRef ref;
  };

  const Known* find_known(const lower::KernelFunction* function) const {
    const auto at =
        std::find_if(known_.begin(), known_.end(), [&](const Known& k) { return k.function == function; });
    return at == known_.end() ? nullptr : &*at;
  }
  void found_function(const lower::KernelFunction* function, PathRef ref) {
    if (!find_known(function)) known_.push_back({function, ref});
  }
  void found(PyObject* object, PathRef ref) {
    objects_.emplace(object, ref);
    const Kind type_kind = ref.kind == Kind::Entry ? Kind::TypeOfEntry : Kind::TypeOfArgument;
    types_.emplace(reinterpret_cast<PyObject*>(Py_TYPE(object)), PathRef{type_kind, ref.index});
    if (const auto* function = lower::as_jit(object)) found_function(function, ref);
  }
  // Functions are named by their index in the source table, whose order is that of the module.
  bool function_ref(const lower::KernelFunction* function, PathRef* out) const {
    const auto& all = lowered_.functions;
    const auto at = std::find(all.begin(), all.end(), function);
    if (at == all.end()) return false;
    *out = {Kind::Function, static_cast<uint32_t>(at - all.begin())};
    return true;
  }

  bool find_owner(const lower::Dependency& d, Path* path) const {
    const bool of_function =
        d.via == Via::Global || d.via == Via::Builtin || d.via == Via::Cell || d.via == Via::Default;
    if (of_function) {
      for (const Known& k : known_) {
        const bool owns = d.via == Via::Default ? k.function->fn == d.owner
                          : d.via == Via::Cell  ? !(path->name = cell_name(k.function->fn, d.owner)).empty()
                                                : k.function->globals == d.owner;
        if (owns && function_ref(k.function, &path->from)) return true;
      }
      return false;
    }
    if (const auto at = objects_.find(d.owner); at != objects_.end()) {
      path->from = at->second;
      return true;
    }
    const auto at = types_.find(d.owner);
    if (at == types_.end()) return false;
    path->from = at->second;
    return true;
  }

  bool add(const lower::Dependency& d, std::string* why) {
    Path path;
    path.via = d.via;
    const bool whole = d.via == Via::Whole;
    if (d.derived && !whole) return true;
    Encoder encoder(whole ? How::Whole : How::Own);
    if (!d.derived) encoder.identities = &identities_;  // other processes do not look at the others
    const bool good = add_read(whole ? d.owner : d.value, &encoder, &path.content);
    calls_repr_ = calls_repr_ || encoder.calls_repr();
    has_bare_ = has_bare_ || encoder.has_bare();
    keeps_results_ = keeps_results_ || encoder.keeps_results();
    if (!good) {
      path.name = text_of(d.name);
      *why = d.name ? fmt::format("{}: {}", path.shown(), encoder.why()) : encoder.why();
      return false;
    }
    if (d.derived) return true;
    if (d.via == Via::Item) {
      if (!write_item(d.name, &path.name)) {
        *why = "an item whose key is neither an int nor a str";
        return false;
      }
    } else {
      path.name = text_of(d.name);
    }
    if (!find_owner(d, &path)) {
      *why = fmt::format("no path leads to the owner of {}", path.shown());
      return false;
    }
    result_.paths.push_back(std::move(path));
    if (d.value) found(d.value, {Kind::Entry, static_cast<uint32_t>(result_.paths.size() - 1)});
    return true;
  }

  const lower::Result& lowered_;
  bool calls_repr_ = false, has_bare_ = false, keeps_results_ = false;
  std::vector<Known> known_;
  std::unordered_map<PyObject*, PathRef> objects_, types_;
  Identities identities_;
  Paths result_;
};

}  // namespace

std::optional<Paths> find_paths(const lower::Result& lowered, const PathArguments& arguments,
                                std::string* why) {
  Finder finder(lowered, arguments);
  if (!finder.run(why)) return {};
  return finder.take();
}

}  // namespace asc::runtime
