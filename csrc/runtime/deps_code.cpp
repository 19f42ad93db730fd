// SPDX-License-Identifier: Apache-2.0
#include "runtime/deps_code.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <string_view>

#include "base/format.h"
#include "lower/function.h"
#include "lower/objects.h"
#include "runtime/deps_pure.h"
#include "runtime/launcher_gil.h"

namespace asc::runtime {
namespace {

PyRef attribute(PyObject* object, const char* name) {
  PyRef value = PyRef::steal(PyObject_GetAttrString(object, name));
  if (!value) PyErr_Clear();
  return value;
}

std::string_view text_of(PyObject* str) {
  Py_ssize_t size = 0;
  const char* text = str && PyUnicode_Check(str) ? PyUnicode_AsUTF8AndSize(str, &size) : nullptr;
  if (!text) PyErr_Clear();
  return text ? std::string_view(text, static_cast<size_t>(size)) : std::string_view();
}

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
  PyErr_Clear();
  return module;
}

bool is_builtin_module(std::string_view name) {
  PyObject* names = PySys_GetObject("builtin_module_names");
  const PyRef key =
      PyRef::steal(PyUnicode_FromStringAndSize(name.data(), static_cast<Py_ssize_t>(name.size())));
  const bool found = names && key && PySequence_Contains(names, key.get()) == 1;
  PyErr_Clear();
  return found;
}

// Where the code of a module comes from.
enum class Origin : uint8_t { User, Library, Native };
Origin origin_of_module(std::string_view name) {
  if (is_builtin_module(name)) return Origin::Native;
  PyObject* module = loaded_module(name);
  const PyRef file = module ? attribute(module, "__file__") : PyRef();
  const std::string_view path = text_of(file.get());
  if (path.ends_with(".so")) return Origin::Native;
  return is_library_file(path) ? Origin::Library : Origin::User;
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

// Facts of a class that do not change; it is kept alive, so that its address means it.
struct TypeFacts {
  bool library = false, is_enum = false, known_state = false;
};

bool is_known_base(PyTypeObject* type) {
  const std::array<PyTypeObject*, 11> known = {
      &PyBaseObject_Type, &PyLong_Type, &PyFloat_Type, &PyUnicode_Type, &PyBytes_Type,    &PyByteArray_Type,
      &PyTuple_Type,      &PyList_Type, &PyDict_Type,  &PySet_Type,     &PyFrozenSet_Type};
  return std::find(known.begin(), known.end(), type) != known.end() ||
         std::strcmp(type->tp_name, "types.SimpleNamespace") == 0 ||
         std::strcmp(type->tp_name, "torch.Size") == 0;
}

std::string_view module_of(PyTypeObject* type) {
  if (!(type->tp_flags & Py_TPFLAGS_HEAPTYPE)) {
    const std::string_view name = type->tp_name;
    const size_t dot = name.rfind('.');
    return dot == std::string_view::npos ? "builtins" : name.substr(0, dot);
  }
  return text_of(type->tp_dict ? PyDict_GetItemString(type->tp_dict, "__module__") : nullptr);
}

TypeFacts find_facts(PyTypeObject* type) {
  TypeFacts facts;
  facts.library =
      !(type->tp_flags & Py_TPFLAGS_HEAPTYPE) || origin_of_module(module_of(type)) != Origin::User;
  PyObject* enums = loaded_module("enum");
  const PyRef meta = enums ? attribute(enums, "EnumMeta") : PyRef();
  facts.is_enum = meta && PyObject_IsInstance(reinterpret_cast<PyObject*>(type), meta.get()) == 1;
  PyErr_Clear();
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

// Facts about objects by address. It keeps none of them alive: what has died is found anew.
template <class Fact>
class Memo {
 public:
  const Fact* find(PyObject* object) const {
    const auto at = known_.find(object);
    return at != known_.end() && is_alive(at->second.reference.get(), object) ? &at->second.fact : nullptr;
  }
  void keep(PyObject* object, const Fact& fact) {
    constexpr size_t kMost = 16384;
    if (known_.size() >= kMost) known_.clear();
    PyRef reference = PyRef::steal(PyWeakref_NewRef(object, nullptr));
    if (reference)
      known_.insert_or_assign(object, Known{std::move(reference), fact});
    else
      PyErr_Clear();
  }

 private:
  struct Known {
    PyRef reference;
    Fact fact;
  };
  static bool is_alive(PyObject* reference, PyObject* object) {
#if PY_VERSION_HEX >= 0x030D0000
    PyObject* referent = nullptr;
    PyWeakref_GetRef(reference, &referent);
    const PyRef drop = PyRef::steal(referent);
    return referent == object;
#else
    return PyWeakref_GetObject(reference) == object;
#endif
  }
  std::unordered_map<PyObject*, Known> known_;
};

TypeFacts facts_of(PyTypeObject* type) {
  static auto* memo = new Memo<TypeFacts>;
  auto* object = reinterpret_cast<PyObject*>(type);
  if (const TypeFacts* known = memo->find(object)) return *known;
  const TypeFacts facts = find_facts(type);
  memo->keep(object, facts);
  return facts;
}

// Names that a code object and those nested in it look up outside, and texts that may name attributes.
void collect_names(PyObject* code, std::vector<PyObject*>* names, std::vector<PyObject*>* attributes,
                   std::vector<PyRef>* kept) {
  const auto add = [](std::vector<PyObject*>* to, PyObject* name) {
    const auto same = [&](PyObject* other) { return PyUnicode_Compare(other, name) == 0; };
    if (PyUnicode_Check(name) && std::none_of(to->begin(), to->end(), same)) to->push_back(name);
  };
  PyRef own = attribute(code, "co_names"), constants = attribute(code, "co_consts");
  for (Py_ssize_t i = 0; own && i < PyTuple_GET_SIZE(own.get()); i++) {
    add(names, PyTuple_GET_ITEM(own.get(), i));
    add(attributes, PyTuple_GET_ITEM(own.get(), i));
  }
  for (Py_ssize_t i = 0; constants && i < PyTuple_GET_SIZE(constants.get()); i++) {
    PyObject* constant = PyTuple_GET_ITEM(constants.get(), i);
    if (PyCode_Check(constant)) collect_names(constant, names, attributes, kept);
    if (PyUnicode_Check(constant) && PyUnicode_IsIdentifier(constant) == 1) add(attributes, constant);
  }
  kept->push_back(std::move(own));
  kept->push_back(std::move(constants));
}

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
                                         "__static_attributes__",
                                         "__annotate__",
                                         "__annotations_cache__",
                                         "__qualname__",
                                         "__annotate_func__"};
  return std::find(std::begin(kNoise), std::end(kNoise), name) != std::end(kNoise);
}

bool is_asc_module(std::string_view name) { return name == "asc" || name.starts_with("asc."); }

void add_code(cache::ByteWriter& out, PyObject* code) {
  for (const char* name : {"co_argcount", "co_posonlyargcount", "co_kwonlyargcount", "co_flags"}) {
    const PyRef number = attribute(code, name);
    out.u64(number ? static_cast<uint64_t>(PyLong_AsLong(number.get())) : 0);
  }
  for (const char* name : {"co_code", "co_exceptiontable"}) {
    const PyRef bytes = attribute(code, name);
    if (bytes && PyBytes_Check(bytes.get()))
      out.text({PyBytes_AS_STRING(bytes.get()), static_cast<size_t>(PyBytes_GET_SIZE(bytes.get()))});
  }
  Encoder data(How::InMemory);  // names and constants are data throughout
  for (const char* name : {"co_name", "co_names", "co_varnames", "co_freevars", "co_cellvars"}) {
    const PyRef names = attribute(code, name);
    if (names) data.add(names.get());
  }
  const PyRef constants = attribute(code, "co_consts");
  for (Py_ssize_t i = 0; constants && i < PyTuple_GET_SIZE(constants.get()); i++) {
    PyObject* constant = PyTuple_GET_ITEM(constants.get(), i);
    if (PyCode_Check(constant))
      data.add_text(code_key(constant).hex());
    else
      data.add(constant);
  }
  out.text(data.bytes());
}

}  // namespace

bool is_library_type(PyTypeObject* type) { return facts_of(type).library; }
bool is_enum_class(PyTypeObject* type) { return facts_of(type).is_enum; }
bool has_known_state(PyTypeObject* type) { return facts_of(type).known_state; }
bool compares_by_value(PyTypeObject* type) {
  return type->tp_richcompare && type->tp_richcompare != PyBaseObject_Type.tp_richcompare;
}

cache::Key code_key(PyObject* code) {
  static auto* memo = new Memo<cache::Key>;
  if (const cache::Key* known = memo->find(code)) return *known;
  cache::ByteWriter out;
  add_code(out, code);
  PyErr_Clear();
  const cache::Key key = cache::hash(out.bytes());
  memo->keep(code, key);
  return key;
}

// Functions of libraries; classes too, where Python code may call them.
bool CodeEncoder::is_pure(PyObject* value, std::string_view module, std::string_view name) const {
  if (!PyType_Check(value)) return is_pure_function(module, name);
  return e_.how_ == How::Own || !is_library_type(reinterpret_cast<PyTypeObject*>(value)) ||
         is_pure_type(module, name);
}

// By module and name, with the version of what it belongs to.
bool CodeEncoder::add_library_name(PyObject* value, char tag) {
  PyRef module = attribute(value, "__module__"), name = attribute(value, "__qualname__");
  if (!name) name = attribute(value, "__name__");
  if (PyType_Check(value)) {
    const std::string_view own = module_of(reinterpret_cast<PyTypeObject*>(value));
    module = PyRef::steal(PyUnicode_FromStringAndSize(own.data(), static_cast<Py_ssize_t>(own.size())));
  }
  if (PyFunction_Check(value))  // functools.wraps gives it another's module
    module = PyRef::borrow(PyDict_GetItemString(PyFunction_GET_GLOBALS(value), "__name__"));
  if (!e_.in_memory() && !is_pure(value, text_of(module.get()), text_of(name.get())))
    return e_.fail(
        fmt::format("{}.{} may read the world outside", text_of(module.get()), text_of(name.get())));
  e_.out_.u8(static_cast<uint8_t>(tag));
  e_.out_.text(text_of(module.get()));
  e_.out_.text(text_of(name.get()));
  e_.out_.text(version_of(text_of(module.get())));
  return true;
}

// A kernel function: what lowering reads of it beyond this is recorded as it is read.
bool CodeEncoder::add_jit(PyObject* value) {
  const lower::KernelFunction& function = *lower::as_jit(value);
  e_.out_.u8('J');
  e_.out_.text(function.qualname);
  e_.out_.text(function.source.dedented());
  e_.out_.u64(static_cast<uint64_t>(function.source.future_flags));
  e_.out_.u64(function.params.size());
  for (const lower::Parameter& p : function.params) {
    e_.out_.text(p.utf8);
    e_.out_.u8(static_cast<uint8_t>(p.keyword_only | p.is_constexpr << 1 | (p.default_value != nullptr) << 2 |
                                    p.is_address << 3));
    e_.out_.u8(static_cast<uint8_t>(p.pinned));
    if (p.default_value && !e_.add(p.default_value)) return false;
  }
  PyObject* self = lower::jit_bound_self(value);
  return e_.add(self ? self : Py_None);
}

bool CodeEncoder::add_builtin(PyObject* function) {
  PyObject* self = PyCFunction_GET_SELF(function);
  if (self && !PyModule_Check(self)) {  // a method of an object or class
    const PyRef name = attribute(function, "__name__");
    e_.out_.u8('B');
    e_.out_.text(text_of(name.get()));
    return e_.add(self);
  }
  return add_library_name(function, 'C');
}

bool CodeEncoder::add_function(PyObject* function) {
  PyObject* code = PyFunction_GET_CODE(function);
  if (is_library_file(text_of(reinterpret_cast<PyCodeObject*>(code)->co_filename))) {
    if (!add_library_name(function, 'L')) return false;
  } else {
    e_.out_.u8('F');
  }
  if (e_.how_ != How::Own || e_.on_read) return walk_function(function);
  e_.out_.key(code_key(code));
  return true;
}

bool CodeEncoder::walk_function(PyObject* function) {
  auto* fn = reinterpret_cast<PyFunctionObject*>(function);
  PyObject* code = fn->func_code;
  read(Read::Via::Code, function, nullptr, code);
  e_.out_.key(code_key(code));
  read(Read::Via::Defaults, function, nullptr, fn->func_defaults);
  read(Read::Via::KwDefaults, function, nullptr, fn->func_kwdefaults);
  bool good = e_.add(fn->func_defaults ? fn->func_defaults : Py_None);
  good = e_.add(fn->func_kwdefaults ? fn->func_kwdefaults : Py_None) && good;
  for (Py_ssize_t i = 0; fn->func_closure && i < PyTuple_GET_SIZE(fn->func_closure); i++) {
    PyObject* cell = PyTuple_GET_ITEM(fn->func_closure, i);
    const PyRef value = PyRef::borrow(PyCell_GET(cell));
    read(Read::Via::Cell, cell, nullptr, value.get());
    good = (value ? walk_value(value.get()) : (e_.out_.u8('0'), true)) && good;
  }
  if (fn->func_dict && PyDict_GET_SIZE(fn->func_dict)) {
    const PyRef items = PyRef::steal(PyDict_Items(fn->func_dict));
    for (Py_ssize_t i = 0; items && i < PyList_GET_SIZE(items.get()); i++) {
      PyObject* pair = PyList_GET_ITEM(items.get(), i);
      read(Read::Via::Global, fn->func_dict, PyTuple_GET_ITEM(pair, 0), PyTuple_GET_ITEM(pair, 1));
      good = e_.add(pair) && good;
    }
  }
  if (is_library_file(text_of(reinterpret_cast<PyCodeObject*>(code)->co_filename))) return good;
  CodeEncoder inner(e_);  // names of its own
  std::vector<PyRef> kept;
  collect_names(code, &inner.names_, &inner.attributes_, &kept);
  for (PyObject* name : inner.attributes_) {
    const std::string_view text = text_of(name);
    inner.computed_ = inner.computed_ || reads_by_computed_name(text);
    if (is_introspection(text) && !e_.in_memory())
      good = e_.fail(fmt::format("a Python function reads '{}'", text));
  }
  return inner.walk_globals(function) && good;
}

bool CodeEncoder::walk_globals(PyObject* function) {
  PyObject* globals = PyFunction_GET_GLOBALS(function);
  bool good = true;
  for (PyObject* name : names_) {
    const PyRef value = PyRef::borrow(PyDict_GetItemWithError(globals, name));
    PyErr_Clear();
    e_.out_.text(text_of(name));
    read(Read::Via::Global, globals, name, value.get());
    if (value) {
      good = walk_value(value.get()) && good;
      continue;
    }
    e_.out_.u8('0');
    if (PyObject* builtin = PyDict_GetItemWithError(PyEval_GetBuiltins(), name)) {
      read(Read::Via::Global, PyEval_GetBuiltins(), name, builtin);
      if (!PyCFunction_Check(builtin)) {
        good = e_.add(builtin) && good;
      } else if (!is_pure_function("builtins", text_of(name)) && !e_.in_memory()) {
        good = e_.fail(fmt::format("{}() is called at compile time", text_of(name)));
      }
    } else if (PyObject* module = loaded_module(text_of(name))) {  // perhaps imported by the function
      read(Read::Via::Global, imported_modules(), name, module);
      if (PyModule_Check(module)) good = walk_module(module) && good;
    }
    PyErr_Clear();
  }
  return good;
}

bool CodeEncoder::walk_value(PyObject* value) {
  return PyModule_Check(value) ? walk_module(value) : e_.add(value);
}

// Of a module, the attributes that the function at hand may name.
bool CodeEncoder::walk_module(PyObject* module) {
  const PyRef name = attribute(module, "__name__");
  e_.out_.u8('m');
  e_.out_.text(text_of(name.get()));
  if (is_asc_module(text_of(name.get()))) return true;
  if (std::find(modules_.begin(), modules_.end(), module) != modules_.end()) return true;
  modules_.push_back(module);
  if (is_users_module(module, text_of(name.get()))) {
    PyObject* dict = PyModule_GetDict(module);
    if (!e_.in_memory() && (!PyModule_CheckExact(module) || PyDict_GetItemString(dict, "__getattr__")))
      return e_.fail(fmt::format("module '{}' makes its attributes when they are read", text_of(name.get())));
    if (computed_) return e_.add(module);
  }
  PyObject* dict = PyModule_GetDict(module);
  bool good = true;
  for (PyObject* attribute_name : attributes_) {
    const PyRef value = PyRef::borrow(PyDict_GetItemWithError(dict, attribute_name));
    PyErr_Clear();
    if (!value) continue;
    if (text_of(name.get()) == "sys" && !is_fixed_in_sys(text_of(attribute_name))) {
      if (!e_.in_memory()) good = e_.fail(fmt::format("sys.{} is of this process", text_of(attribute_name)));
      continue;
    }
    e_.out_.text(text_of(attribute_name));
    read(Read::Via::Global, dict, attribute_name, value.get());
    good = walk_value(value.get()) && good;
  }
  return good;
}

// A module as a value: what is done with it is not known, so that it counts as all that it holds.
bool CodeEncoder::add_module(PyObject* module) {
  const PyRef name = attribute(module, "__name__");
  e_.out_.u8('m');
  e_.out_.text(text_of(name.get()));
  e_.out_.text(version_of(text_of(name.get())));
  if (e_.how_ == How::Own || is_asc_module(text_of(name.get()))) return true;
  if (!is_users_module(module, text_of(name.get()))) {
    return e_.in_memory() ||
           e_.fail(fmt::format("module '{}' is given to a Python function", text_of(name.get())));
  }
  if (!e_.in_memory() && !PyModule_CheckExact(module))
    return e_.fail(fmt::format("module '{}' makes its attributes when they are read", text_of(name.get())));
  PyObject* dict = PyModule_GetDict(module);
  const PyRef names = PyRef::steal(PyDict_Keys(dict));
  if (!names || PyList_Sort(names.get()) < 0) return e_.fail("a module");
  bool good = true;
  for (Py_ssize_t i = 0; i < PyList_GET_SIZE(names.get()); i++) {
    PyObject* key = PyList_GET_ITEM(names.get(), i);
    const PyRef value = PyRef::borrow(PyDict_GetItemWithError(dict, key));
    if (!value || (text_of(key).starts_with("__") && text_of(key) != "__getattr__")) continue;
    e_.out_.text(text_of(key));
    read(Read::Via::Global, dict, key, value.get());
    good = e_.add(value.get()) && good;
  }
  return good;
}

bool CodeEncoder::add_class(PyTypeObject* type) {
  auto* object = reinterpret_cast<PyObject*>(type);
  if (!add_library_name(object, 't')) return false;
  if (lower::is_struct_class(object)) {  // name, bytes and fields are all that a struct class means
    const PyRef layout = attribute(object, "__asc_layout__");
    return layout && e_.add(layout.get());
  }
  if (is_library_type(type) || (e_.how_ == How::Own && !e_.on_read)) return true;
  return walk_class(type);
}

bool CodeEncoder::walk_class(PyTypeObject* type) {
  bool good = true;
  auto* object = reinterpret_cast<PyObject*>(type);
  for (Py_ssize_t i = 0; type->tp_bases && i < PyTuple_GET_SIZE(type->tp_bases); i++)
    good = e_.add(PyTuple_GET_ITEM(type->tp_bases, i)) && good;
  if (Py_TYPE(object) != &PyType_Type) good = e_.add(reinterpret_cast<PyObject*>(Py_TYPE(object))) && good;
  const PyRef size = PyRef::steal(PyLong_FromSsize_t(PyDict_GET_SIZE(type->tp_dict)));
  read(Read::Via::ClassSize, object, nullptr, size.get());
  struct Item {
    std::string_view text;
    PyRef name, value;
  };
  std::vector<Item> items;
  PyObject *name, *value;
  for (Py_ssize_t at = 0; PyDict_Next(type->tp_dict, &at, &name, &value);)
    if (!is_class_noise(text_of(name)))
      items.push_back({text_of(name), PyRef::borrow(name), PyRef::borrow(value)});
  std::sort(items.begin(), items.end(), [](const Item& a, const Item& b) { return a.text < b.text; });
  for (const Item& item : items) {
    e_.out_.text(item.text);
    read(Read::Via::ClassItem, object, item.name.get(), item.value.get());
    good = e_.add(item.value.get()) && good;
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
    if (!e_.in_memory() && std::strcmp(type->tp_name, "numpy._ArrayFunctionDispatcher") == 0 &&
        !is_pure_function("numpy", text_of(name.get())))
      return e_.fail(fmt::format("numpy.{} may read the world outside", text_of(name.get())));
    return !owner || add_library_name(owner.get(), 't');
  }
  *done = parts.size() > 0;
  if (!*done) return true;
  e_.out_.u8('P');
  e_.out_.text(type->tp_name);
  for (const char* part : parts) {
    const PyRef inner = attribute(value, part);
    if (!e_.add(inner ? inner.get() : Py_None)) return false;
  }
  return true;
}

bool CodeEncoder::add(PyObject* value, bool* done) {
  *done = true;
  if (PyMethod_Check(value)) {
    e_.out_.u8('M');
    return e_.add(PyMethod_GET_FUNCTION(value)) && e_.add(PyMethod_GET_SELF(value));
  }
  const bool is_jit = lower::as_jit(value) != nullptr;
  if (PyCFunction_Check(value)) return add_builtin(value);
  const bool code = is_jit || PyFunction_Check(value) || PyType_Check(value) || PyModule_Check(value);
  if (!code) return add_descriptor(value, done);
  if (e_.in_memory()) {
    e_.opaque(value, "");
    if (!e_.on_read) return true;
  }
  const auto [known, is_new] = e_.seen_code_.emplace(value, static_cast<uint32_t>(e_.seen_code_.size()));
  if (!is_new) {
    e_.out_.u8('&');
    e_.out_.u32(known->second);
    return true;
  }
  if (is_jit) return add_jit(value);
  if (PyFunction_Check(value)) return add_function(value);
  if (PyType_Check(value)) return add_class(reinterpret_cast<PyTypeObject*>(value));
  return add_module(value);
}

bool Encoder::add_code_like(PyObject* value, bool* done) { return CodeEncoder(*this).add(value, done); }

}  // namespace asc::runtime
