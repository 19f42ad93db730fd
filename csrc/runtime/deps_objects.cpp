// SPDX-License-Identifier: Apache-2.0
// Objects: ours, those of Python's library whose content is known, and instances of classes.
#include <algorithm>
#include <bit>
#include <string_view>

#include "base/format.h"
#include "lower/matmul_object.h"
#include "lower/objects.h"
#include "runtime/deps_content.h"
#include "runtime/deps_facts.h"
#include "runtime/launcher_gil.h"

namespace asc::runtime {
namespace {

std::string_view type_name(PyObject* value) { return Py_TYPE(value)->tp_name; }

template <size_t N>
bool is_one_of(std::string_view text, const std::string_view (&list)[N]) {
  return std::find(std::begin(list), std::end(list), text) != std::end(list);
}

// Types of C that never change, by how they show themselves, and by what they are made again from.
constexpr std::string_view kShown[] = {"torch.dtype",         "torch.device",     "torch.layout",
                                       "torch.memory_format", "torch.finfo",      "torch.iinfo",
                                       "typing.TypeVar",      "typing.ParamSpec", "_ctypes.CField"};
constexpr std::string_view kReduced[] = {
    "operator.itemgetter", "operator.attrgetter", "operator.methodcaller",     "datetime.datetime",
    "datetime.date",       "datetime.time",       "datetime.timedelta",        "datetime.timezone",
    "types.GenericAlias",  "asc.LaunchHandle",    "_collections._tuplegetter", "method-wrapper"};

bool is_logger(PyObject* value) {
  PyObject* logging = imported_module("logging");
  const PyRef cls = logging ? attribute(logging, "Logger") : PyRef();
  const bool is = cls && PyObject_IsInstance(value, cls.get()) == 1;
  drop_error();
  return is && is_library_type(Py_TYPE(value));
}

}  // namespace

// By its text, which must not say where in memory it is.
bool Encoder::add_shown(PyObject* value) {
  const PyRef text = PyRef::steal(PyObject_Repr(value));
  out_.u8('#');
  out_.text(type_name(value));
  if (!text || text_of(text.get()).find(" at 0x") != std::string_view::npos) return opaque(value, "a value");
  return add_str(text.get());
}

// Singletons of the core: what they are is their name.
bool Encoder::add_named(PyObject* value, bool* done) {
  *done = true;
  DType dtype;
  EnumId id;
  int64_t member;
  const bool ours = lower::as_dtype(value, &dtype) || lower::as_op(value) || lower::as_kind(value) ||
                    lower::as_builtin(value) || lower::as_property(value) ||
                    lower::as_enum_class(value, &id) || lower::as_unsupported(value);
  if (ours || is_one_of(type_name(value), kShown)) return add_shown(value);
  if (lower::as_enum(value, &id, &member)) {
    out_.u8('e');
    out_.u32(static_cast<uint32_t>(id));
    out_.u64(static_cast<uint64_t>(member));
    return true;
  }
  if (lower::is_struct_class(reinterpret_cast<PyObject*>(Py_TYPE(value)))) return add_struct(value);
  if (lower::is_matmul_type(value)) {
    out_.u8('M');
    for (const char* name : lower::kMatmulTypeFields)
      if (const PyRef part = attribute(value, name); !part || !add(part.get())) return fail("a MatmulType");
    return true;
  }
  *done = false;
  return true;
}

bool Encoder::add_library(PyObject* value, bool* done) {
  *done = true;
  const std::string_view type = type_name(value);
  if (PyDictViewSet_Check(value) || PyDictValues_Check(value)) {
    const PyRef items = PyRef::steal(PySequence_List(value));
    library_identity(value);
    if (!items) return fail("a view of a dict");
    if (!PyDictItems_Check(value)) return add_items('V', items.get());
    out_.u8('W');
    return add_pairs(items.get());
  }
  if (type == "collections.deque") {
    const PyRef items = PyRef::steal(PySequence_List(value));
    out_.u8('d');
    return items ? add_attributes(value, {"maxlen"}) && add_items('d', items.get()) : fail("a deque");
  }
  if (is_type(value, "collections", "OrderedDict") || is_type(value, "collections", "defaultdict") ||
      Py_TYPE(value) == &PyDictProxy_Type) {
    const PyRef items = PyRef::steal(PyMapping_Items(value));
    out_.u8('w');
    out_.text(type);
    if (!items || !PyList_CheckExact(items.get())) return fail("a mapping");
    return add_attributes(value, {"default_factory"}) && add_pairs(items.get());
  }
  if (is_type(value, "functools", "partial")) {
    library_identity(value);
    out_.u8('p');
    return add_attributes(value, {"func", "args", "keywords"});
  }
  if (is_one_of(type, kReduced)) {
    const PyRef parts = PyRef::steal(PyObject_CallMethod(value, "__reduce__", nullptr));
    if (!parts || !PyTuple_Check(parts.get())) return opaque(value, type);
    library_identity(value);
    out_.u8('R');
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(parts.get()); i++)
      if (!add_fresh(PyTuple_GET_ITEM(parts.get(), i))) return false;
    return true;
  }
  if (type == "types.UnionType") {
    out_.u8('|');
    return add_attributes(value, {"__args__"});
  }
  if (is_type(value, "re", "Pattern") || is_type(value, "decimal", "Decimal")) {
    if (on_read && is_unequal(value)) note_unequal(value);
    return add_shown(value);
  }
  if (is_type(value, "dataclasses", "Field")) return add_field(value);
  if (in_memory() &&
      (type == "_thread.lock" || type == "_thread.RLock")) {  // its text says whether it is held
    const PyRef text = PyRef::steal(PyObject_Repr(value));
    return text ? identity(value) && add_str(text.get()) : fail("a lock");
  }
  if (in_memory() && whole() && is_logger(value)) return add_logger(value);
  *done = false;
  return true;
}

// What decides whether it logs: the other loggers, which the library keeps in it, are not its content.
bool Encoder::add_logger(PyObject* value) {
  identity(value);
  const PyRef manager = attribute(value, "manager");
  for (const char* name : {"handlers", "filters"}) {
    const PyRef items = attribute(value, name);
    if (!items || !PyList_Check(items.get())) return fail("a logger");
    for (Py_ssize_t i = 0; i < PyList_GET_SIZE(items.get()); i++) identity(PyList_GET_ITEM(items.get(), i));
  }
  return (!manager || add_attributes(manager.get(), {"disable"})) &&
         add_attributes(value, {"name", "level", "disabled", "propagate", "parent"});
}

// A field of a dataclass. Its annotation is a text, a class or an object that shows what it is.
bool Encoder::add_field(PyObject* value) {
  library_identity(value);
  out_.u8('%');
  const PyRef type = attribute(value, "type");
  if (!type) return fail("a field");
  if (PyType_Check(type.get())) {
    auto* cls = reinterpret_cast<PyTypeObject*>(type.get());
    out_.text(module_of(cls));
    if (!add_attributes(type.get(), {"__qualname__"})) return false;
  } else if (!PyUnicode_CheckExact(type.get()) ? !add_shown(type.get()) : !add_str(type.get())) {
    return false;
  }
  return add_attributes(value, {"name", "default", "default_factory", "init", "repr", "hash", "compare",
                                "kw_only", "metadata"});
}

// A struct of asc.language.core.struct: its class and its fields.
bool Encoder::add_struct(PyObject* value) {
  auto* type = reinterpret_cast<PyObject*>(Py_TYPE(value));
  const PyRef layout = attribute(type, "__asc_layout__");
  PyObject* fields = layout ? PyTuple_GET_ITEM(layout.get(), 2) : nullptr;
  library_identity(value);
  out_.u8('U');
  if (!fields || !add(type)) return fail("a struct");
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(fields); i++) {
    const PyRef field =
        PyRef::steal(PyObject_GetAttr(value, PyTuple_GET_ITEM(PyTuple_GET_ITEM(fields, i), 0)));
    if (!field || !add(field.get())) return fail("a struct");
  }
  return true;
}

bool Encoder::add_slots(PyObject* value) {
  PyObject* mro = Py_TYPE(value)->tp_mro;
  for (Py_ssize_t i = 0; mro && i < PyTuple_GET_SIZE(mro); i++) {
    auto* cls = reinterpret_cast<PyTypeObject*>(PyTuple_GET_ITEM(mro, i));
    if (!(cls->tp_flags & Py_TPFLAGS_HEAPTYPE) || !cls->tp_dict) continue;
    PyObject *name, *descriptor;
    for (Py_ssize_t at = 0; PyDict_Next(cls->tp_dict, &at, &name, &descriptor);) {
      if (Py_TYPE(descriptor) != &PyMemberDescr_Type || !PyUnicode_Check(name)) continue;
      const PyRef slot = PyRef::steal(
          Py_TYPE(descriptor)->tp_descr_get(descriptor, value, reinterpret_cast<PyObject*>(cls)));
      if (!slot) drop_error();
      if (!add_str(name) || !add(slot ? slot.get() : Py_Ellipsis)) return false;
    }
  }
  return true;
}

// The value of the built-in type that its class derives from, its attributes, its slots.
bool Encoder::add_state(PyObject* value) {
  if (PyTuple_Check(value) || PyList_Check(value)) {
    if (!add_items(PyTuple_Check(value) ? '(' : '[', value)) return false;
  } else if (PyODict_Check(value)) {  // in its own order
    const PyRef view =
        PyRef::steal(PyObject_CallMethod(reinterpret_cast<PyObject*>(&PyODict_Type), "items", "O", value));
    const PyRef items = PyRef::steal(view ? PySequence_List(view.get()) : nullptr);
    if (!items || !add_items('w', items.get())) return fail("a mapping");
  } else if (PyDict_Check(value)) {
    if (!add_dict('{', value)) return false;
  } else if (PyAnySet_Check(value)) {
    if (!add_set(value)) return false;
  } else if (PyLong_Check(value)) {
    if (!add_int(value)) return false;
  } else if (PyFloat_Check(value)) {
    out_.u64(std::bit_cast<uint64_t>(PyFloat_AS_DOUBLE(value)));
  } else if (PyUnicode_Check(value)) {
    if (!add_str(value)) return false;
  } else if (PyBytes_Check(value)) {
    out_.text({PyBytes_AS_STRING(value), static_cast<size_t>(PyBytes_GET_SIZE(value))});
  } else if (PyByteArray_Check(value)) {
    if (!add_array(value, 'y')) return false;
  }
  const PyRef attributes = PyRef::steal(PyObject_GenericGetDict(value, nullptr));
  if (!attributes) drop_error();
  if (attributes && PyDict_CheckExact(attributes.get()) && !add_dict('.', attributes.get())) return false;
  return add_slots(value);
}

bool Encoder::add_instance(PyObject* value) {
  PyTypeObject* type = Py_TYPE(value);
  const bool by_value = compares_by_value(type), enum_member = is_enum_class(type);
  if (!whole() && in_memory() && (!by_value || enum_member)) return identity(value);
  if (!has_known_state(type)) return opaque(value, fmt::format("an object of '{}'", type->tp_name));
  if (how_ == How::Own && !by_value && !enum_member) {
    out_.u8('o');
    return add(reinterpret_cast<PyObject*>(type));
  }
  has_bare_ = has_bare_ || type->tp_repr == PyBaseObject_Type.tp_repr;
  if (in_memory() && !by_value) identity(value);
  if (by_value && on_read && is_unequal(value)) note_unequal(value);
  out_.u8('O');
  return add(reinterpret_cast<PyObject*>(type)) && add_state(value);
}

}  // namespace asc::runtime
