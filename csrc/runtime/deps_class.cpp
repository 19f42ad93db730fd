// SPDX-License-Identifier: Apache-2.0
// Classes, by what is in them, and what stands in their dicts.
#include <algorithm>
#include <cstring>
#include <string_view>

#include "base/format.h"
#include "lower/matmul_object.h"
#include "lower/objects.h"
#include "runtime/deps_code.h"
#include "runtime/deps_facts.h"
#include "runtime/deps_pure.h"
#include "runtime/launcher_gil.h"

namespace asc::runtime {
namespace {

// Made by Python for each class, or said elsewhere.
bool is_class_noise(std::string_view name) {
  constexpr std::string_view kNoise[] = {"__module__",
                                         "__dict__",
                                         "__weakref__",
                                         "__doc__",
                                         "__annotations__",
                                         "__abstractmethods__",
                                         "_abc_impl",
                                         "__dataclass_fields__",
                                         "__dataclass_params__",
                                         "__parameters__",
                                         "__orig_bases__",
                                         "__firstlineno__",
                                         "__slotnames__",
                                         "__static_attributes__",
                                         "__annotate__",
                                         "__annotations_cache__",
                                         "__qualname__",
                                         "__annotate_func__"};
  return std::find(std::begin(kNoise), std::end(kNoise), name) != std::end(kNoise);
}

// Made by numpy.frompyfunc: it knows objects only. What it calls cannot be seen.
bool calls_python(PyObject* ufunc) {
  const PyRef types = attribute(ufunc, "types");
  bool all = types && PyList_CheckExact(types.get());
  for (Py_ssize_t i = 0; all && i < PyList_GET_SIZE(types.get()); i++)
    all = text_of(PyList_GET_ITEM(types.get(), i)).find_first_not_of("O->") == std::string_view::npos;
  return all;
}

// A function of lru_cache that has answered from its cache.
bool has_given_kept(PyObject* function) {
  const PyRef info = PyRef::steal(PyObject_CallMethod(function, "cache_info", nullptr));
  const PyRef hits = info ? attribute(info.get(), "hits") : PyRef();
  drop_error();
  return hits && PyObject_IsTrue(hits.get()) == 1;
}

// The classes registered with an abstract base class, and with those that derive from it.
bool collect_registered(PyObject* abc, PyObject* dump, int depth, std::vector<std::string>* out) {
  constexpr int kDeepest = 50;
  const PyRef parts = PyRef::steal(PyObject_CallOneArg(dump, abc));
  if (depth > kDeepest || !parts || !PyTuple_Check(parts.get())) return false;
  const PyRef registry = PyRef::steal(PySequence_List(PyTuple_GET_ITEM(parts.get(), 0)));
  if (!registry) return false;
  for (Py_ssize_t i = 0; i < PyList_GET_SIZE(registry.get()); i++) {
    const PyRef cls = PyRef::steal(PyObject_CallNoArgs(PyList_GET_ITEM(registry.get(), i)));
    if (!cls) return false;
    if (!PyType_Check(cls.get())) continue;  // let go meanwhile
    const PyRef name = attribute(cls.get(), "__qualname__");
    out->push_back(
        fmt::format("{}.{}", module_of(reinterpret_cast<PyTypeObject*>(cls.get())), text_of(name.get())));
  }
  const PyRef below = PyRef::steal(
      PyObject_CallMethod(reinterpret_cast<PyObject*>(&PyType_Type), "__subclasses__", "O", abc));
  for (Py_ssize_t i = 0; below && i < PyList_GET_SIZE(below.get()); i++) {
    PyObject* cls = PyList_GET_ITEM(below.get(), i);
    if (Py_TYPE(cls) == Py_TYPE(abc) && !collect_registered(cls, dump, depth + 1, out)) return false;
  }
  return below.get() != nullptr;
}

}  // namespace

// What isinstance() asks of an abstract base class beside the classes themselves.
bool CodeEncoder::add_registered(PyTypeObject* type) {
  auto* object = reinterpret_cast<PyObject*>(type);
  PyObject* const abc = imported_module("abc");
  const PyRef meta = abc ? attribute(abc, "ABCMeta") : PyRef();
  if (!meta || PyObject_IsInstance(object, meta.get()) != 1) return drop_error(), true;
  read(Read::Via::Abcs, object, nullptr,
       PyRef::steal(PyObject_CallMethod(abc, "get_cache_token", nullptr)).get());
  PyObject* const core = imported_module("_abc");
  const PyRef dump = core ? attribute(core, "_get_dump") : PyRef();
  std::vector<std::string> names;
  if (!dump || !collect_registered(object, dump.get(), 0, &names))
    return e_.fail(fmt::format("what is registered with '{}' cannot be told", type->tp_name));
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
  for (const std::string& name : names) e_.out_.text(name);
  return true;
}

bool CodeEncoder::add_class(PyTypeObject* type) {
  auto* object = reinterpret_cast<PyObject*>(type);
  if (!add_library_name(object, 't')) return false;
  if (lower::is_matmul_type_class(object)) return true;  // of this package
  if (lower::is_struct_class(object)) {  // name, bytes and fields are all that it means to the device
    const PyRef layout = attribute(object, "__asc_layout__");
    if (!layout || !e_.add(layout.get())) return false;
  }
  if (e_.how_ == How::Own || lower::is_asc_module(module_of(type))) return true;
  if (!add_registered(type)) return false;
  return is_library_type(type) || walk_class(type);
}

bool CodeEncoder::walk_class(PyTypeObject* type) {
  bool good = true;
  auto* object = reinterpret_cast<PyObject*>(type);
  read(Read::Via::Bases, object, nullptr, type->tp_bases);
  for (Py_ssize_t i = 0; type->tp_bases && i < PyTuple_GET_SIZE(type->tp_bases); i++)
    good = e_.add(PyTuple_GET_ITEM(type->tp_bases, i)) && good;
  if (Py_TYPE(object) != &PyType_Type) good = e_.add(reinterpret_cast<PyObject*>(Py_TYPE(object))) && good;
  if (type->tp_flags & Py_TPFLAGS_HEAPTYPE)
    e_.out_.text(text_of(reinterpret_cast<PyHeapTypeObject*>(type)->ht_name));
  const PyRef size = PyRef::steal(PyLong_FromSsize_t(PyDict_GET_SIZE(type->tp_dict)));
  read(Read::Via::ClassSize, object, nullptr, size.get());
  std::vector<std::pair<PyRef, PyRef>> items;  // in their order
  PyObject *name, *value;
  for (Py_ssize_t at = 0; PyDict_Next(type->tp_dict, &at, &name, &value);) {
    const bool fields = e_.deep() && text_of(name) == "__dataclass_fields__";
    if (fields || !is_class_noise(text_of(name)))
      items.emplace_back(PyRef::borrow(name), PyRef::borrow(value));
  }
  for (const auto& [key, item] : items) {
    e_.out_.text(text_of(key.get()));
    read(Read::Via::ClassItem, object, key.get(), item.get());
    good = e_.add(item.get()) && good;
  }
  return good;
}

// Methods, properties and the like in the dict of a class.
bool CodeEncoder::add_descriptor(PyObject* value, bool* done) {
  PyTypeObject* type = Py_TYPE(value);
  std::vector<const char*> parts;
  if (type == &PyProperty_Type)
    parts = {"fget", "fset", "fdel"};
  else if (type == &PyStaticMethod_Type || type == &PyClassMethod_Type)
    parts = {"__func__"};
  else if (std::strcmp(type->tp_name, "functools._lru_cache_wrapper") == 0)
    parts = {"__wrapped__"};
  else if (std::strcmp(type->tp_name, "cached_property") == 0 && is_library_type(type))
    parts = {"func", "attrname"};
  else if (std::strcmp(type->tp_name, "numpy.ufunc") == 0 || type == &PyMethodDescr_Type ||
           type == &PyWrapperDescr_Type || type == &PyGetSetDescr_Type || type == &PyMemberDescr_Type ||
           type == &PyClassMethodDescr_Type ||
           std::strcmp(type->tp_name, "numpy._ArrayFunctionDispatcher") == 0) {
    const PyRef owner = attribute(value, "__objclass__"), name = attribute(value, "__name__");
    e_.out_.u8('D');
    e_.out_.text(type->tp_name);
    e_.out_.text(text_of(name.get()));
    if (!owner) e_.out_.text(version_of("numpy"));
    if (std::strcmp(type->tp_name, "numpy.ufunc") == 0 && calls_python(value))
      return e_.opaque(value, "a ufunc made from a Python function");
    if (!e_.in_memory() && std::strcmp(type->tp_name, "numpy._ArrayFunctionDispatcher") == 0 &&
        !is_pure_function("numpy", text_of(name.get())))
      return e_.fail(fmt::format("numpy.{} may read the world outside", text_of(name.get())));
    return !owner || add_library_name(owner.get(), 't');
  }
  *done = parts.size() > 0;
  if (!*done) return true;
  e_.library_identity(value);
  e_.out_.u8('P');
  e_.out_.text(type->tp_name);
  const size_t read_before = e_.values_read_;
  bool reads = false;
  for (const char* part : parts) {
    const PyRef inner = attribute(value, part);
    reads = reads || e_.seen_.contains(inner.get());  // what it reads is written already
    if (!e_.add(inner ? inner.get() : Py_None)) return false;
  }
  reads = reads || e_.values_read_ > read_before;
  e_.keeps_results_ = e_.keeps_results_ || (reads && has_given_kept(value));
  return true;
}

}  // namespace asc::runtime
