// SPDX-License-Identifier: Apache-2.0
#include "runtime/deps.h"

#include <algorithm>
#include <string>

#include "base/format.h"
#include "lower/objects.h"
#include "runtime/deps_facts.h"
#include "runtime/launcher_gil.h"

namespace asc::runtime {

namespace {

// The function of the class that its instance gives as a method, as long as nothing hides it; borrowed.
PyObject* class_method(PyObject* object, PyObject* name) {
  PyTypeObject* type = Py_TYPE(object);
  if (type->tp_getattro != PyObject_GenericGetAttr) return nullptr;
  PyObject* own = given_attributes(object);
  if (own && PyDict_GetItemWithError(own, name)) return nullptr;
  PyObject* found = _PyType_Lookup(type, name);
  return found && (PyFunction_Check(found) || lower::as_jit(found)) ? found : nullptr;
}

// A method's function and its object; nulls of all else.
std::pair<const void*, PyObject*> binding_of(PyObject* value) {
  if (!value) return {};
  if (PyMethod_Check(value)) return {PyMethod_GET_FUNCTION(value), PyMethod_GET_SELF(value)};
  if (const lower::KernelFunction* function = lower::as_jit(value))
    if (PyObject* self = lower::jit_bound_self(value)) return {function, self};
  if (PyCFunction_Check(value) && PyCFunction_GET_SELF(value) && !PyModule_Check(PyCFunction_GET_SELF(value)))
    return {reinterpret_cast<PyCFunctionObject*>(value)->m_ml, PyCFunction_GET_SELF(value)};
  return {};
}

}  // namespace

// The value now, borrowed or kept by `made`; null (perhaps with an error set) if it is not there.
PyObject* Dependencies::read_now(const Watch& w, PyRef* made) {
  PyObject* owner = w.owner.get();
  switch (w.via) {
    case Via::Global: return PyDict_GetItemWithError(owner, w.name.get());
    case Via::Builtin: {
      // A global of the same name would hide the builtin.
      if (PyDict_GetItemWithError(owner, w.name.get())) return nullptr;
      return PyDict_GetItemWithError(PyEval_GetBuiltins(), w.name.get());
    }
    case Via::Cell: return PyCell_GET(owner);
    case Via::Attribute:
      if (PyModule_CheckExact(owner)) {
        PyObject* value = PyDict_GetItemWithError(PyModule_GetDict(owner), w.name.get());
        if (value) return value;
      }
      *made = PyRef::steal(PyObject_GetAttr(owner, w.name.get()));
      return made->get();
    case Via::Item: *made = PyRef::steal(PyObject_GetItem(owner, w.name.get())); return made->get();
    case Via::Self: return owner;
    case Via::Code: return PyFunction_GET_CODE(owner);
    case Via::Defaults: return PyFunction_GET_DEFAULTS(owner);
    case Via::KwDefaults: return PyFunction_GET_KW_DEFAULTS(owner);
    case Via::ClassItem:
      return PyDict_GetItemWithError(reinterpret_cast<PyTypeObject*>(owner)->tp_dict, w.name.get());
    case Via::ClassSize:
      *made =
          PyRef::steal(PyLong_FromSsize_t(PyDict_GET_SIZE(reinterpret_cast<PyTypeObject*>(owner)->tp_dict)));
      return made->get();
    case Via::Bases: return reinterpret_cast<PyTypeObject*>(owner)->tp_bases;
    case Via::Attributes:
      *made = PyRef::steal(PyLong_FromSsize_t(count_attributes(owner)));
      return made->get();
    case Via::Import: return is_importable(w.name.get()) ? Py_True : Py_False;
    case Via::Method: return class_method(owner, w.name.get());
    case Via::Abcs: {  // counts the registrations with all abstract base classes
      PyObject* const abc = imported_module("abc");
      *made = PyRef::steal(abc ? PyObject_CallMethod(abc, "get_cache_token", nullptr) : nullptr);
      return made->get();
    }
  }
  return nullptr;
}

Dependencies::Dependencies(const std::vector<lower::Dependency>& read, bool exact) : exact_(exact) {
  using From = lower::Dependency::Via;
  watches_.reserve(read.size());
  Asked asked;  // of any of them
  for (const lower::Dependency& d : read) {
    if (d.via != From::Whole) continue;
    const Asked by_this = asked_by(d);
    asked.facts |= by_this.facts;
    asked.identity |= by_this.identity;
  }
  exact_ = exact_ || asked.identity;
  const How whole = exact_ ? How::WholeExactInMemory : How::WholeInMemory;
  const How own = exact_ ? How::ExactInMemory : How::InMemory;
  for (const lower::Dependency& d : read) {
    switch (d.via) {
      case From::Whole:
        if (asked.facts)
          watch(Via::Self, d.owner, nullptr, d.owner, How::DeepInMemory, d.derived);
        else
          watch_whole(d, whole);
        break;
      case From::Default: watch(Via::Self, d.value, d.name, d.value, own); break;
      case From::Attribute: watch_attribute(d, own); break;
      default: watch(static_cast<Via>(d.via), d.owner, d.name, d.value, own);
    }
  }
  for (const Watch& w : watches_)
    if (unknown_.empty() && !w.mark.good()) unknown_ = "a value whose content cannot be told";
}

Dependencies::Asked Dependencies::asked_by(const lower::Dependency& whole) {
  Encoder encoder(How::WholeInMemory, whole.derived);
  encoder.on_read = [](const Read&) {};
  if (!encoder.add(whole.owner) && unknown_.empty()) unknown_ = encoder.why();
  return {encoder.asks(), encoder.compares_identity()};
}

Dependencies::Watch* Dependencies::watch(Via via, PyObject* owner, PyObject* name, PyObject* value, How how,
                                         bool made_here) {
  const bool known = std::any_of(watches_.begin(), watches_.end(), [&](const Watch& w) {
    return w.via == via && w.owner.get() == owner && w.name.get() == name && w.mark.how() == how;
  });
  if (known) return nullptr;
  watches_.push_back({via, PyRef::borrow(owner), PyRef::borrow(name), Mark(value, how, made_here)});
  return &watches_.back();
}

// Methods are made by each access: what it makes them from is compared.
void Dependencies::watch_attribute(const lower::Dependency& read, How how) {
  const auto bound = binding_of(read.value);
  if (bound.second && bound.second == read.owner)
    if (PyObject* function = class_method(read.owner, read.name);
        function && (function == bound.first || lower::as_jit(function) == bound.first)) {
      watch(Via::Method, read.owner, read.name, function, how);
      return;
    }
  Watch* const made = watch(Via::Attribute, read.owner, read.name, read.value, how);
  if (!made || !bound.second) return;
  const PyRef again = PyRef::steal(PyObject_GetAttr(read.owner, read.name));
  drop_error();
  made->binds = again.get() != read.value && binding_of(again.get()) == bound;
}

// The object as data, and each read of the functions and classes in it.
void Dependencies::watch_whole(const lower::Dependency& whole, How how) {
  std::vector<Read> reads;
  std::vector<PyRef> kept;  // what was read, until it is watched
  Encoder encoder(how, whole.derived);
  encoder.on_read = [&](const Read& read) {
    reads.push_back(read);
    for (PyObject* part : {read.owner, read.name, read.value}) kept.push_back(PyRef::borrow(part));
  };
  encoder.add(whole.owner);
  if (!is_unchanging(whole.owner)) watch(Via::Self, whole.owner, nullptr, whole.owner, how, whole.derived);
  constexpr Via kVia[] = {Via::Global,     Via::Cell,       Via::Code,      Via::Defaults,
                          Via::KwDefaults, Via::ClassItem,  Via::ClassSize, Via::Bases,
                          Via::Abcs,       Via::Attributes, Via::Import};
  for (const Read& read : reads)
    watch(kVia[static_cast<int>(read.via)], read.owner, read.name, read.value, how, whole.derived);
}

bool Dependencies::holds(const Watch& w) {
  PyRef made;
  PyObject* now = read_now(w, &made);
  if (!now && PyErr_Occurred()) drop_error();
  if (now == w.mark.value() && w.mark.by_identity()) [[likely]]
    return true;
  if (w.binds && binding_of(now) == binding_of(w.mark.value())) return true;
  const bool same = w.mark.holds(now);
  drop_error();
  return same;
}

int Dependencies::traverse(visitproc visit, void* arg) const {
  for (const Watch& w : watches_) {
    Py_VISIT(w.owner.get());
    Py_VISIT(w.name.get());
    if (const int stop = w.mark.traverse(visit, arg)) return stop;
  }
  return 0;
}

std::string Dependencies::changed() const {
  static constexpr const char* kWords[] = {"global",
                                           "builtin",
                                           "captured variable",
                                           "attribute",
                                           "item",
                                           "contents",
                                           "code",
                                           "defaults",
                                           "keyword defaults",
                                           "class attribute",
                                           "class",
                                           "bases",
                                           "classes registered with",
                                           "attributes",
                                           "import of",
                                           "method"};
  for (const Watch& w : watches_) {
    if (holds(w)) continue;
    PyObject* subject = w.name ? w.name.get() : w.owner.get();
    const PyRef text = PyRef::steal(w.via == Via::Cell ? nullptr : PyObject_Repr(subject));
    const char* utf8 = text ? PyUnicode_AsUTF8(text.get()) : nullptr;
    std::string shown = fmt::format("{} {}", kWords[static_cast<int>(w.via)], utf8 ? utf8 : "");
    drop_error();
    if (shown.size() > 200) shown.resize(200);
    return shown;
  }
  return {};
}

}  // namespace asc::runtime
