// SPDX-License-Identifier: Apache-2.0
// Follows paths in another process, or later in this one.
#include <algorithm>
#include <charconv>

#include "lower/objects.h"
#include "runtime/deps_facts.h"
#include "runtime/deps_paths.h"

namespace asc::runtime {
namespace {

using Via = lower::Dependency::Via;
using Kind = PathRef::Kind;

PyRef to_str(std::string_view text) {
  PyObject* str = PyUnicode_FromStringAndSize(text.data(), static_cast<Py_ssize_t>(text.size()));
  if (str) PyUnicode_InternInPlace(&str);
  return PyRef::steal(str);
}

PyRef read_item(std::string_view text) {
  if (text.starts_with('s')) return to_str(text.substr(1));
  long long number = 0;
  const auto [end, error] = std::from_chars(text.data() + 1, text.data() + text.size(), number);
  if (!text.starts_with('i') || error != std::errc() || end != text.data() + text.size()) return {};
  return PyRef::steal(PyLong_FromLongLong(number));
}

PyObject* cell_of(PyObject* function, std::string_view name) {
  PyObject* closure = PyFunction_GetClosure(function);
  const PyRef names = PyRef::steal(PyObject_GetAttrString(PyFunction_GET_CODE(function), "co_freevars"));
  for (Py_ssize_t i = 0; closure && names && i < PyTuple_GET_SIZE(closure); i++)
    if (text_of(PyTuple_GET_ITEM(names.get(), i)) == name) return PyTuple_GET_ITEM(closure, i);
  drop_error();
  return nullptr;
}

class Follower {
 public:
  Follower(const Paths& recorded, const lower::KernelFunction& kernel, const PathArguments& arguments)
      : recorded_(recorded), kernel_(kernel), arguments_(arguments) {
    out_.paths.functions = recorded.functions;
    out_.paths.exact = recorded.exact;
    number_call(kernel, arguments, &identities_);
  }

  bool run(std::string* why) {
    for (const Path& path : recorded_.paths) {
      if (step(path)) continue;
      drop_error();
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
    Encoder encoder(path.via == Via::Whole ? How::Whole : How::Own);
    encoder.identities = &identities_;
    if (!add_read(d.value, &encoder, &now.content)) return false;
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
        drop_error();
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

}  // namespace

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
