// SPDX-License-Identifier: Apache-2.0
#include "runtime/deps_paths.h"

#include <algorithm>
#include <charconv>
#include <unordered_map>

#include "base/format.h"
#include "lower/objects.h"
#include "runtime/deps_content.h"

namespace asc::runtime {
namespace {

using Via = lower::Dependency::Via;
using Kind = PathRef::Kind;

constexpr cache::Key kNotThere = {0, 1};

std::string text_of(PyObject* str) {
  Py_ssize_t size = 0;
  const char* text = str && PyUnicode_Check(str) ? PyUnicode_AsUTF8AndSize(str, &size) : nullptr;
  if (!text) PyErr_Clear();
  return text ? std::string(text, static_cast<size_t>(size)) : std::string();
}

PyRef to_str(std::string_view text) {
  PyObject* str = PyUnicode_FromStringAndSize(text.data(), static_cast<Py_ssize_t>(text.size()));
  if (str) PyUnicode_InternInPlace(&str);
  return PyRef::steal(str);
}

// Indexes that can be written down: ints and texts.
bool write_item(PyObject* index, std::string* out) {
  if (PyUnicode_CheckExact(index)) {
    *out = "s" + text_of(index);
    return true;
  }
  if (!PyLong_CheckExact(index)) return false;
  int overflow = 0;
  const long long number = PyLong_AsLongLongAndOverflow(index, &overflow);
  *out = fmt::format("i{}", number);
  return overflow == 0;
}

PyRef read_item(std::string_view text) {
  if (text.starts_with('s')) return to_str(text.substr(1));
  long long number = 0;
  const auto [end, error] = std::from_chars(text.data() + 1, text.data() + text.size(), number);
  if (!text.starts_with('i') || error != std::errc() || end != text.data() + text.size()) return {};
  return PyRef::steal(PyLong_FromLongLong(number));
}

bool content_of(PyObject* value, How how, cache::Key* out, std::string* why) {
  if (!value) {
    *out = kNotThere;
    return true;
  }
  Encoder encoder(how);
  const bool good = encoder.add(value);
  *out = encoder.key();
  if (!good) *why = encoder.why();
  return good;
}

PyObject* cell_of(PyObject* function, std::string_view name) {
  PyObject* closure = PyFunction_GetClosure(function);
  const PyRef names = PyRef::steal(PyObject_GetAttrString(PyFunction_GET_CODE(function), "co_freevars"));
  for (Py_ssize_t i = 0; closure && names && i < PyTuple_GET_SIZE(closure); i++)
    if (text_of(PyTuple_GET_ITEM(names.get(), i)) == name) return PyTuple_GET_ITEM(closure, i);
  PyErr_Clear();
  return nullptr;
}

std::string cell_name(PyObject* function, PyObject* cell) {
  PyObject* closure = PyFunction_GetClosure(function);
  const PyRef names = PyRef::steal(PyObject_GetAttrString(PyFunction_GET_CODE(function), "co_freevars"));
  for (Py_ssize_t i = 0; closure && names && i < PyTuple_GET_SIZE(closure); i++)
    if (PyTuple_GET_ITEM(closure, i) == cell) return text_of(PyTuple_GET_ITEM(names.get(), i));
  PyErr_Clear();
  return {};
}

// One object under two names is read once: which names lead to one object is content too. Objects by the
// order in which they were first met, their classes, the globals and captured variables of kernel functions
// with them.
class Identities {
 public:
  void note_function(const lower::KernelFunction& function) {
    number(function.globals);
    PyObject* closure = PyFunction_GetClosure(function.fn);
    for (Py_ssize_t i = 0; closure && i < PyTuple_GET_SIZE(closure); i++)
      number(PyTuple_GET_ITEM(closure, i));
  }
  // Adds which of the objects before it the value is.
  void note(PyObject* value, cache::Key* content) {
    if (!value || is_plain_leaf(value)) return;
    bytes_ = {};
    bytes_.key(*content);
    number(value);
    number(reinterpret_cast<PyObject*>(Py_TYPE(value)));
    if (PyMethod_Check(value)) {
      number(PyMethod_GET_FUNCTION(value));
      number(PyMethod_GET_SELF(value));
    }
    if (const lower::KernelFunction* function = lower::as_jit(value)) {
      number(function->fn);
      note_function(*function);
      if (PyObject* self = lower::jit_bound_self(value)) number(self);
    }
    *content = cache::hash(bytes_.bytes());
  }

 private:
  void number(PyObject* object) {
    bytes_.u32(numbers_.emplace(object, static_cast<uint32_t>(numbers_.size())).first->second);
  }
  std::unordered_map<PyObject*, uint32_t> numbers_;
  cache::ByteWriter bytes_;
};

// Which of a kernel's compile-time arguments are one object is part of level 1.
void note_arguments(const PathArguments& arguments, Identities* identities) {
  cache::Key unused;
  for (PyObject* argument : arguments) identities->note(argument, &unused);
}

// Finds the way from the kernel to each object that lowering met, in the order in which it met them.
class Finder {
 public:
  Finder(const lower::Result& lowered, const PathArguments& arguments) : lowered_(lowered) {
    found_function(lowered.functions[0], {Kind::Function, 0});
    identities_.note_function(*lowered.functions[0]);
    note_arguments(arguments, &identities_);
    for (size_t i = 0; i < arguments.size(); i++)
      if (arguments[i]) found(arguments[i], {Kind::Argument, static_cast<uint32_t>(i)});
  }

  bool run(std::string* why) {
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
    return true;
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
    std::string reason;
    if (!content_of(whole ? d.owner : d.value, whole ? How::Whole : How::Own, &path.content, &reason)) {
      path.name = text_of(d.name);
      *why = d.name ? fmt::format("{}: {}", path.shown(), reason) : reason;
      return false;
    }
    if (d.derived) return true;
    identities_.note(d.value, &path.content);
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
  std::vector<Known> known_;
  std::unordered_map<PyObject*, PathRef> objects_, types_;
  Identities identities_;
  Paths result_;
};

// Follows paths in another process, or later in this one.
class Follower {
 public:
  Follower(const Paths& recorded, const lower::KernelFunction& kernel, const PathArguments& arguments)
      : recorded_(recorded), kernel_(kernel), arguments_(arguments) {
    out_.paths.functions = recorded.functions;
    identities_.note_function(kernel);
    note_arguments(arguments, &identities_);
  }

  bool run(std::string* why) {
    for (const Path& path : recorded_.paths) {
      if (step(path)) continue;
      PyErr_Clear();
      *why = path.shown();
      return false;
    }
    for (uint32_t i = 0; i <= recorded_.functions.size(); i++) {
      const lower::KernelFunction* function = function_at(i);
      if (!function) {
        *why = "a helper is no kernel function any more";
        return false;
      }
      out_.functions.push_back(function);
    }
    return true;
  }
  Followed take() { return std::move(out_); }

 private:
  PyObject* object_at(PathRef ref) const {
    const bool argument = ref.kind == Kind::Argument || ref.kind == Kind::TypeOfArgument;
    const bool type = ref.kind == Kind::TypeOfEntry || ref.kind == Kind::TypeOfArgument;
    if (ref.kind == Kind::Function) return nullptr;
    PyObject* object = nullptr;
    if (argument)
      object = ref.index < arguments_.size() ? arguments_[ref.index] : nullptr;
    else
      object = ref.index < values_.size() ? values_[ref.index] : nullptr;
    return object && type ? reinterpret_cast<PyObject*>(Py_TYPE(object)) : object;
  }
  const lower::KernelFunction* function_at(uint32_t index) const {
    if (index == 0) return &kernel_;
    if (index > recorded_.functions.size()) return nullptr;
    PyObject* object = object_at(recorded_.functions[index - 1]);
    return object ? lower::as_jit(object) : nullptr;
  }

  bool step(const Path& path) {
    lower::Dependency d{path.via, nullptr, nullptr, nullptr, false};
    PyRef made;
    if (path.from.kind == Kind::Function) {
      const lower::KernelFunction* function = function_at(path.from.index);
      if (!function || !read_of_function(path, *function, &d)) return false;
    } else {
      d.owner = object_at(path.from);
      if (!d.owner || !read_of_object(path, &d, &made)) return false;
    }
    Path now = path;
    std::string reason;
    if (!content_of(d.value, path.via == Via::Whole ? How::Whole : How::Own, &now.content, &reason))
      return false;
    identities_.note(d.value, &now.content);
    if (out_.changed.empty() && now.content != path.content) out_.changed = path.shown();
    out_.paths.paths.push_back(std::move(now));
    values_.push_back(d.value);
    out_.dependencies.push_back({d.via, Py_XNewRef(d.owner), Py_XNewRef(d.name), Py_XNewRef(d.value), false});
    return true;
  }

  PyObject* keep(PyRef ref) {
    out_.kept.push_back(std::move(ref));
    return out_.kept.back().get();
  }

  bool read_of_function(const Path& path, const lower::KernelFunction& function, lower::Dependency* d) {
    switch (path.via) {
      case Via::Cell:
        d->owner = cell_of(function.fn, path.name);
        d->value = d->owner ? PyCell_GET(d->owner) : nullptr;
        return d->value != nullptr;
      case Via::Global:
      case Via::Builtin: {
        d->owner = function.globals;
        d->name = keep(to_str(path.name));
        PyObject* global = PyDict_GetItemWithError(function.globals, d->name);
        if (path.via == Via::Builtin && global) return false;  // hides the builtin
        d->value = path.via == Via::Global ? global : PyDict_GetItemWithError(PyEval_GetBuiltins(), d->name);
        return d->value != nullptr;
      }
      case Via::Default:
        d->owner = function.fn;
        d->name = keep(to_str(path.name));
        for (const lower::Parameter& p : function.params)
          if (p.utf8 == path.name) d->value = p.default_value;
        return d->value != nullptr;
      default: return false;
    }
  }

  bool read_of_object(const Path& path, lower::Dependency* d, PyRef* made) {
    switch (path.via) {
      case Via::Whole: d->value = d->owner; return true;
      case Via::Attribute:
        d->name = keep(to_str(path.name));
        *made = PyRef::steal(PyObject_GetAttr(d->owner, d->name));
        if (!*made && !PyErr_ExceptionMatches(PyExc_AttributeError)) return false;
        PyErr_Clear();
        break;
      case Via::Item: {
        PyRef index = read_item(path.name);
        if (!index) return false;
        d->name = keep(std::move(index));
        *made = PyRef::steal(PyObject_GetItem(d->owner, d->name));
        if (!*made) return false;
        break;
      }
      default: return false;
    }
    d->value = *made ? keep(std::move(*made)) : nullptr;
    return true;
  }

  const Paths& recorded_;
  const lower::KernelFunction& kernel_;
  const PathArguments& arguments_;
  Identities identities_;
  std::vector<PyObject*> values_;  // borrowed: `out_.dependencies` holds them
  Followed out_;
};

void write_ref(cache::ByteWriter& out, const PathRef& ref) {
  out.u8(static_cast<uint8_t>(ref.kind));
  out.u32(ref.index);
}
PathRef read_ref(cache::ByteReader& in) {
  PathRef ref;
  ref.kind = static_cast<Kind>(std::min<uint8_t>(in.u8(), static_cast<uint8_t>(Kind::TypeOfArgument)));
  ref.index = in.u32();
  return ref;
}

}  // namespace

std::string Path::shown() const {
  static constexpr const char* kWords[] = {"global", "builtin", "captured variable",        "attribute",
                                           "item",   "default", "the contents of an object"};
  const char* word = kWords[static_cast<int>(via)];
  if (via == Via::Whole) return word;
  return fmt::format("{} '{}'", word,
                     via == Via::Item ? name.substr(std::min<size_t>(1, name.size())) : name);
}

void Paths::write(cache::ByteWriter& out, bool with_content) const {
  out.u32(static_cast<uint32_t>(functions.size()));
  for (const PathRef& ref : functions) write_ref(out, ref);
  out.u32(static_cast<uint32_t>(paths.size()));
  for (const Path& path : paths) {
    out.u8(static_cast<uint8_t>(path.via));
    write_ref(out, path.from);
    out.text(path.name);
    if (with_content) out.key(path.content);
  }
}

Paths Paths::read(cache::ByteReader& in) {
  Paths out;
  for (uint32_t n = in.count(5); n > 0; n--) out.functions.push_back(read_ref(in));
  for (uint32_t n = in.count(30); n > 0; n--) {
    Path& path = out.paths.emplace_back();
    path.via = static_cast<Via>(std::min<uint8_t>(in.u8(), static_cast<uint8_t>(Via::Whole)));
    path.from = read_ref(in);
    path.name = in.text();
    path.content = in.key();
  }
  return out;
}

bool Paths::same_places(const Paths& other) const {
  cache::ByteWriter a, b;
  write(a, false);
  other.write(b, false);
  return a.bytes() == b.bytes();
}

cache::Key Paths::object_key(const cache::Key& manifest) const {
  cache::ByteWriter out;
  out.text("object");
  out.key(manifest);
  write(out, true);
  return cache::hash(out.bytes());
}

std::optional<Paths> find_paths(const lower::Result& lowered, const PathArguments& arguments,
                                std::string* why) {
  Finder finder(lowered, arguments);
  if (!finder.run(why)) return {};
  return finder.take();
}

Followed::~Followed() {
  for (const lower::Dependency& d : dependencies) {
    Py_XDECREF(d.owner);
    Py_XDECREF(d.name);
    Py_XDECREF(d.value);
  }
}

std::optional<Followed> follow(const Paths& recorded, const lower::KernelFunction& kernel,
                               const PathArguments& arguments, std::string* why) {
  Follower follower(recorded, kernel, arguments);
  if (!follower.run(why)) return {};
  return follower.take();
}

}  // namespace asc::runtime
