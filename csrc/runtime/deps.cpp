// SPDX-License-Identifier: Apache-2.0
#include "runtime/deps.h"

#include <algorithm>
#include <string>

#include "base/format.h"

namespace asc::runtime {

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
  }
  return nullptr;
}

Dependencies::Dependencies(const std::vector<lower::Dependency>& read) {
  using From = lower::Dependency::Via;
  watches_.reserve(read.size());
  for (const lower::Dependency& d : read) {
    switch (d.via) {
      case From::Whole: watch_whole(d.owner); break;
      case From::Default: watch(Via::Self, d.value, d.name, d.value, How::InMemory); break;
      default: watch(static_cast<Via>(d.via), d.owner, d.name, d.value, How::InMemory);
    }
  }
}

void Dependencies::watch(Via via, PyObject* owner, PyObject* name, PyObject* value, How how) {
  const bool known = std::any_of(watches_.begin(), watches_.end(), [&](const Watch& w) {
    return w.via == via && w.owner.get() == owner && w.name.get() == name && w.mark.how() == how;
  });
  if (!known) watches_.push_back({via, PyRef::borrow(owner), PyRef::borrow(name), Mark(value, how)});
}

// The object as data, and each read of the functions and classes in it.
void Dependencies::watch_whole(PyObject* object) {
  if (!is_unchanging(object)) watch(Via::Self, object, nullptr, object, How::WholeInMemory);
  std::vector<Read> reads;
  std::vector<PyRef> kept;  // what was read, until it is watched
  Encoder encoder(How::WholeInMemory);
  encoder.on_read = [&](const Read& read) {
    reads.push_back(read);
    for (PyObject* part : {read.owner, read.name, read.value}) kept.push_back(PyRef::borrow(part));
  };
  encoder.add(object);
  constexpr Via kVia[] = {Via::Global,     Via::Cell,      Via::Code,      Via::Defaults,
                          Via::KwDefaults, Via::Attribute, Via::ClassItem, Via::ClassSize};
  for (const Read& read : reads)
    watch(kVia[static_cast<int>(read.via)], read.owner, read.name, read.value, How::WholeInMemory);
}

bool Dependencies::holds(const Watch& w) {
  PyRef made;
  PyObject* now = read_now(w, &made);
  if (!now && PyErr_Occurred()) PyErr_Clear();
  if (now == w.mark.value() && w.mark.by_identity()) [[likely]]
    return true;
  const bool same = w.mark.holds(now);
  if (PyErr_Occurred()) PyErr_Clear();
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
  static constexpr const char* kWords[] = {
      "global", "builtin",  "captured variable", "attribute",       "item", "contents",
      "code",   "defaults", "keyword defaults",  "class attribute", "class"};
  for (const Watch& w : watches_) {
    if (holds(w)) continue;
    PyObject* subject = w.name ? w.name.get() : w.owner.get();
    const PyRef text = PyRef::steal(w.via == Via::Cell ? nullptr : PyObject_Repr(subject));
    const char* utf8 = text ? PyUnicode_AsUTF8(text.get()) : nullptr;
    std::string shown = fmt::format("{} {}", kWords[static_cast<int>(w.via)], utf8 ? utf8 : "");
    PyErr_Clear();
    if (shown.size() > 200) shown.resize(200);
    return shown;
  }
  return {};
}

}  // namespace asc::runtime
