// SPDX-License-Identifier: Apache-2.0
#include "runtime/deps_facts.h"

#include <algorithm>
#include <array>
#include <cstring>

#include "runtime/launcher_gil.h"

namespace asc::runtime {
namespace {

bool contains(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

// The folder of Python's own library.
const std::string& library_folder() {
  static const std::string folder = [] {
    PyObject* os = imported_module("os");
    const PyRef file = os ? attribute(os, "__file__") : PyRef();
    const std::string_view path = text_of(file.get());
    return std::string(path.substr(0, path.rfind('/') + 1));
  }();
  return folder;
}

bool is_builtin_module(std::string_view name) {
  PyObject* names = PySys_GetObject("builtin_module_names");
  const PyRef key =
      PyRef::steal(PyUnicode_FromStringAndSize(name.data(), static_cast<Py_ssize_t>(name.size())));
  const bool found = names && key && PySequence_Contains(names, key.get()) == 1;
  drop_error();
  return found;
}

// Facts of a class that do not change.
struct TypeFacts {
  bool library = false, is_enum = false, known_state = false;
};

bool is_known_base(PyTypeObject* type) {
  const std::array<PyTypeObject*, 12> known = {
      &PyBaseObject_Type, &PyLong_Type, &PyFloat_Type, &PyUnicode_Type, &PyBytes_Type, &PyByteArray_Type,
      &PyTuple_Type,      &PyList_Type, &PyDict_Type,  &PyODict_Type,   &PySet_Type,   &PyFrozenSet_Type};
  return std::find(known.begin(), known.end(), type) != known.end() ||
         std::strcmp(type->tp_name, "types.SimpleNamespace") == 0 ||
         std::strcmp(type->tp_name, "torch.Size") == 0;
}

TypeFacts find_facts(PyTypeObject* type) {
  TypeFacts facts;
  facts.library =
      !(type->tp_flags & Py_TPFLAGS_HEAPTYPE) || origin_of_module(module_of(type)) != Origin::User;
  PyObject* enums = loaded_module("enum");
  const PyRef meta = enums ? attribute(enums, "EnumMeta") : PyRef();
  facts.is_enum = meta && PyObject_IsInstance(reinterpret_cast<PyObject*>(type), meta.get()) == 1;
  drop_error();
  facts.known_state = true;
  for (; type->tp_flags & Py_TPFLAGS_HEAPTYPE; type = type->tp_base) {
    if (origin_of_module(module_of(type)) == Origin::Native) facts.known_state = false;
    // A class statement adds its slots, a dict and a list of weak references; a C type more.
    Py_ssize_t room = 2;
    PyObject *name, *member;
    for (Py_ssize_t at = 0; type->tp_dict && PyDict_Next(type->tp_dict, &at, &name, &member);)
      room += Py_TYPE(member) == &PyMemberDescr_Type;
    const Py_ssize_t more = type->tp_basicsize - type->tp_base->tp_basicsize;
    if (more > room * static_cast<Py_ssize_t>(sizeof(PyObject*))) facts.known_state = false;
  }
  if (!is_known_base(type)) facts.known_state = false;
  return facts;
}

TypeFacts facts_of(PyTypeObject* type) {
  static auto* memo = new Memo<TypeFacts>;
  auto* object = reinterpret_cast<PyObject*>(type);
  if (const TypeFacts* known = memo->find(object)) return *known;
  const TypeFacts facts = find_facts(type);
  memo->keep(object, facts);
  return facts;
}

}  // namespace

PyRef attribute(PyObject* object, const char* name) {
  PyRef value = PyRef::steal(PyObject_GetAttrString(object, name));
  if (!value) drop_error();
  return value;
}

std::string_view text_of(PyObject* str) {
  Py_ssize_t size = 0;
  const char* text = str && PyUnicode_Check(str) ? PyUnicode_AsUTF8AndSize(str, &size) : nullptr;
  if (!text) drop_error();
  return text ? std::string_view(text, static_cast<size_t>(size)) : std::string_view();
}

PyObject* given_attributes(PyObject* function) {
  PyObject** dict = _PyObject_GetDictPtr(function);
  return dict ? *dict : nullptr;
}

Py_ssize_t count_attributes(PyObject* function) {
  PyObject* dict = given_attributes(function);
  return dict ? PyDict_GET_SIZE(dict) : 0;
}

bool is_library_file(std::string_view file) {
  if (file.starts_with("<frozen ")) return true;
  return !library_folder().empty() && file.starts_with(library_folder()) &&
         !contains(file, "/site-packages/") && !contains(file, "/dist-packages/");
}

PyObject* loaded_module(std::string_view name) {
  const PyRef key =
      PyRef::steal(PyUnicode_FromStringAndSize(name.data(), static_cast<Py_ssize_t>(name.size())));
  PyObject* const modules = imported_modules();
  PyObject* module = key && modules ? PyDict_GetItemWithError(modules, key.get()) : nullptr;
  drop_error();
  return module;
}

Origin origin_of_module(std::string_view name) {
  if (is_builtin_module(name)) return Origin::Native;
  PyObject* module = loaded_module(name);
  const PyRef file = module ? attribute(module, "__file__") : PyRef();
  const std::string_view path = text_of(file.get());
  if (path.ends_with(".so")) return Origin::Native;
  return is_library_file(path) ? Origin::Library : Origin::User;
}

bool is_importable(PyObject* name) {
  std::string found(text_of(name));
  // Looking into a package would load it.
  for (size_t dot = found.rfind('.'); dot != std::string::npos && !loaded_module(found.substr(0, dot));
       dot = found.rfind('.'))
    found.resize(dot);
  const PyRef finder = PyRef::steal(PyImport_ImportModule("importlib.util"));
  const PyRef spec =
      PyRef::steal(finder ? PyObject_CallMethod(finder.get(), "find_spec", "s", found.c_str()) : nullptr);
  drop_error();
  return spec && spec.get() != Py_None;
}

// `__version__` of the package around a module that is not Python's own.
std::string version_of(std::string_view module) {
  PyObject* package = loaded_module(module.substr(0, module.find('.')));
  const PyRef version = package ? attribute(package, "__version__") : PyRef();
  return std::string(text_of(version.get()));
}

// Of a package that was installed, or of Python's own: not edited between two runs.
bool is_users_module(PyObject* module, std::string_view name) {
  const PyRef file = attribute(module, "__file__");
  const std::string_view path = text_of(file.get());
  return origin_of_module(name) == Origin::User && !contains(path, "/site-packages/") &&
         !contains(path, "/dist-packages/");
}

std::string_view module_of(PyTypeObject* type) {
  if (!(type->tp_flags & Py_TPFLAGS_HEAPTYPE)) {
    const std::string_view name = type->tp_name;
    const size_t dot = name.rfind('.');
    return dot == std::string_view::npos ? "builtins" : name.substr(0, dot);
  }
  return text_of(type->tp_dict ? PyDict_GetItemString(type->tp_dict, "__module__") : nullptr);
}

bool is_type(PyObject* value, const char* module, const char* name) {
  PyTypeObject* type = Py_TYPE(value);
  const char* dot = std::strrchr(type->tp_name, '.');
  if (std::strcmp(dot ? dot + 1 : type->tp_name, name) != 0) return false;
  PyObject* found = imported_module(module);
  const PyRef cls = found ? attribute(found, name) : PyRef();
  return cls.get() == reinterpret_cast<PyObject*>(type);
}

bool is_library_type(PyTypeObject* type) { return facts_of(type).library; }
bool is_enum_class(PyTypeObject* type) { return facts_of(type).is_enum; }
bool has_known_state(PyTypeObject* type) { return facts_of(type).known_state; }
bool compares_by_value(PyTypeObject* type) {
  return type->tp_richcompare && type->tp_richcompare != PyBaseObject_Type.tp_richcompare &&
         type->tp_hash != PyBaseObject_Type.tp_hash;
}

bool is_unequal(PyObject* value) {
  const PyRef equal = PyRef::steal(PyObject_RichCompare(value, value, Py_EQ));
  const int is_equal = equal ? PyObject_IsTrue(equal.get()) : 1;
  drop_error();
  return is_equal == 0;
}

}  // namespace asc::runtime
