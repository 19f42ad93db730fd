// SPDX-License-Identifier: Apache-2.0
// The C types behind asc.float32, asc.add, asc.GlobalTensor, asc.range and the device enums; see objects.h.
#define PY_SSIZE_T_CLEAN
#include "lower/objects.h"

#include <string>
#include <vector>

#include "lower/pyref.h"
#include "ops/signature.h"

namespace asc::lower {
namespace {

PyTypeObject* g_op_type = nullptr;
PyTypeObject* g_kind_type = nullptr;
PyTypeObject* g_builtin_type = nullptr;
PyTypeObject* g_property_type = nullptr;
PyTypeObject* g_unsupported_type = nullptr;
PyTypeObject* g_enum_meta = nullptr;
PyTypeObject* g_enum_base = nullptr;
PyTypeObject* g_jit_type = nullptr;

PyObject* g_kinds[kKindCount] = {};
PyObject* g_enum_classes[static_cast<int>(EnumId::kCount)] = {};
PyObject* g_python_range = nullptr;
PyObject* g_python_print = nullptr;

constexpr std::string_view kBuiltinNames[] = {
#define ASC_X(Id, py) py,
    ASC_FOR_EACH_BUILTIN(ASC_X)
#undef ASC_X
};

PyObject* to_str(std::string_view text) {
  return PyUnicode_FromStringAndSize(text.data(), static_cast<Py_ssize_t>(text.size()));
}

// ---- ops, kinds, builtins, unsupported names
// -----------------------------------------------------------------------------

PyObject* raise_outside_kernel(const std::string& name) {
  return PyErr_Format(PyExc_RuntimeError, "%s works only inside a function decorated with @asc.jit",
                      name.c_str());
}

OpId op_of(PyObject* self) { return reinterpret_cast<OpObject*>(self)->op; }
std::string op_name(PyObject* self) { return "asc." + std::string(op_desc(op_of(self)).py_name); }

PyObject* op_call(PyObject* self, PyObject*, PyObject*) { return raise_outside_kernel(op_name(self)); }
PyObject* op_repr(PyObject* self) { return PyUnicode_FromFormat("<op %s>", op_name(self).c_str()); }
PyObject* op_get_name(PyObject* self, void*) { return to_str(op_desc(op_of(self)).py_name); }
PyObject* op_get_doc(PyObject* self, void*) {
  const OpDesc& desc = op_desc(op_of(self));
  std::string text(desc.doc);
  text += "\n";
  for (const OverloadDesc& overload : desc.overloads) text += "\n" + python_signature(desc, overload);
  return to_str(text);
}
PyGetSetDef kOpGetSet[] = {{"__name__", op_get_name, nullptr, nullptr, nullptr},
                           {"__doc__", op_get_doc, nullptr, nullptr, nullptr},
                           {nullptr, nullptr, nullptr, nullptr, nullptr}};
PyType_Slot kOpSlots[] = {{Py_tp_call, reinterpret_cast<void*>(op_call)},
                          {Py_tp_repr, reinterpret_cast<void*>(op_repr)},
                          {Py_tp_getset, kOpGetSet},
                          {0, nullptr}};
PyType_Spec kOpSpec = {"asc.Op", sizeof(OpObject), 0,
                       Py_TPFLAGS_DEFAULT | Py_TPFLAGS_IMMUTABLETYPE | Py_TPFLAGS_DISALLOW_INSTANTIATION,
                       kOpSlots};

std::string_view kind_name(PyObject* self) {
  return kKinds[static_cast<int>(reinterpret_cast<KindObject*>(self)->kind)].py_name;
}
PyObject* kind_call(PyObject* self, PyObject*, PyObject*) {
  return raise_outside_kernel(qualified_name(reinterpret_cast<KindObject*>(self)->kind));
}
PyObject* kind_repr(PyObject* self) {
  return PyUnicode_FromFormat("<kind %s>", qualified_name(reinterpret_cast<KindObject*>(self)->kind).c_str());
}
PyObject* kind_get_name(PyObject* self, void*) { return to_str(kind_name(self)); }
PyObject* kind_get_item(PyObject* self, PyObject*) {
  return Py_NewRef(self);
}  // annotations: asc.LocalTensor[asc.half]
PyGetSetDef kKindGetSet[] = {{"__name__", kind_get_name, nullptr, nullptr, nullptr},
                             {nullptr, nullptr, nullptr, nullptr, nullptr}};
PyType_Slot kKindSlots[] = {{Py_tp_call, reinterpret_cast<void*>(kind_call)},
                            {Py_tp_repr, reinterpret_cast<void*>(kind_repr)},
                            {Py_mp_subscript, reinterpret_cast<void*>(kind_get_item)},
                            {Py_tp_getset, kKindGetSet},
                            {0, nullptr}};
PyType_Spec kKindSpec = {"asc.Kind", sizeof(KindObject), 0,
                         Py_TPFLAGS_DEFAULT | Py_TPFLAGS_IMMUTABLETYPE | Py_TPFLAGS_DISALLOW_INSTANTIATION,
                         kKindSlots};

BuiltinId builtin_of(PyObject* self) { return reinterpret_cast<BuiltinObject*>(self)->builtin; }
std::string builtin_name(PyObject* self) {
  return "asc." + std::string(kBuiltinNames[static_cast<int>(builtin_of(self))]);
}

// ceildiv is arithmetic: it works on Python numbers anywhere.
PyObject* host_ceildiv(PyObject* args) {
  PyObject *x, *y;
  if (!PyArg_UnpackTuple(args, "ceildiv", 2, 2, &x, &y)) return nullptr;
  PyObject* negated = PyNumber_Negative(x);
  if (!negated) return nullptr;
  PyObject* quotient = PyNumber_FloorDivide(negated, y);
  Py_DECREF(negated);
  if (!quotient) return nullptr;
  PyObject* result = PyNumber_Negative(quotient);
  Py_DECREF(quotient);
  return result;
}
PyObject* builtin_call(PyObject* self, PyObject* args, PyObject* kwargs) {
  if (builtin_of(self) == BuiltinId::CeilDiv && !(kwargs && PyDict_GET_SIZE(kwargs)))
    return host_ceildiv(args);
  return raise_outside_kernel(builtin_name(self));
}
PyObject* builtin_repr(PyObject* self) {
  return PyUnicode_FromFormat("<builtin %s>", builtin_name(self).c_str());
}
PyObject* builtin_get_name(PyObject* self, void*) {
  return to_str(kBuiltinNames[static_cast<int>(builtin_of(self))]);
}
PyGetSetDef kBuiltinGetSet[] = {{"__name__", builtin_get_name, nullptr, nullptr, nullptr},
                                {nullptr, nullptr, nullptr, nullptr, nullptr}};
PyType_Slot kBuiltinSlots[] = {{Py_tp_call, reinterpret_cast<void*>(builtin_call)},
                               {Py_tp_repr, reinterpret_cast<void*>(builtin_repr)},
                               {Py_tp_getset, kBuiltinGetSet},
                               {0, nullptr}};
PyType_Spec kBuiltinSpec = {"asc.Builtin", sizeof(BuiltinObject), 0,
                            Py_TPFLAGS_DEFAULT | Py_TPFLAGS_IMMUTABLETYPE | Py_TPFLAGS_DISALLOW_INSTANTIATION,
                            kBuiltinSlots};

PyObject* property_repr(PyObject* self) {
  return to_str("asc." + std::string(reinterpret_cast<PropertyObject*>(self)->desc->name));
}
PyType_Slot kPropertySlots[] = {{Py_tp_repr, reinterpret_cast<void*>(property_repr)}, {0, nullptr}};
PyType_Spec kPropertySpec = {
    "asc.Property", sizeof(PropertyObject), 0,
    Py_TPFLAGS_DEFAULT | Py_TPFLAGS_IMMUTABLETYPE | Py_TPFLAGS_DISALLOW_INSTANTIATION, kPropertySlots};

PyObject* unsupported_name(PyObject* self) { return reinterpret_cast<UnsupportedObject*>(self)->name; }
PyObject* unsupported_raise(PyObject* self) {
  return PyErr_Format(PyExc_NotImplementedError, "%U is not yet supported", unsupported_name(self));
}
PyObject* unsupported_call(PyObject* self, PyObject*, PyObject*) { return unsupported_raise(self); }
PyObject* unsupported_getattr(PyObject* self, PyObject* name) {
  // Dunders stay Python's, so that such a name may stand in annotations, typing constructs and repr.
  if (PyUnicode_GET_LENGTH(name) > 1 && PyUnicode_READ_CHAR(name, 0) == '_' &&
      PyUnicode_READ_CHAR(name, 1) == '_')
    return PyObject_GenericGetAttr(self, name);
  return PyErr_Format(PyExc_NotImplementedError, "%U is not yet supported", unsupported_name(self));
}
PyObject* unsupported_repr(PyObject* self) {
  return PyUnicode_FromFormat("<%U, not yet supported>", unsupported_name(self));
}
PyObject* unsupported_get_item(PyObject* self, PyObject*) { return Py_NewRef(self); }
void unsupported_dealloc(PyObject* self) {
  PyTypeObject* type = Py_TYPE(self);
  Py_XDECREF(unsupported_name(self));
  type->tp_free(self);
  Py_DECREF(type);
}
PyType_Slot kUnsupportedSlots[] = {{Py_tp_call, reinterpret_cast<void*>(unsupported_call)},
                                   {Py_tp_getattro, reinterpret_cast<void*>(unsupported_getattr)},
                                   {Py_tp_repr, reinterpret_cast<void*>(unsupported_repr)},
                                   {Py_mp_subscript, reinterpret_cast<void*>(unsupported_get_item)},
                                   {Py_tp_dealloc, reinterpret_cast<void*>(unsupported_dealloc)},
                                   {0, nullptr}};
PyType_Spec kUnsupportedSpec = {
    "asc.Unsupported", sizeof(UnsupportedObject), 0,
    Py_TPFLAGS_DEFAULT | Py_TPFLAGS_IMMUTABLETYPE | Py_TPFLAGS_DISALLOW_INSTANTIATION, kUnsupportedSlots};

// ---- device enums
// --------------------------------------------------------------------------------------------------------
// Each enum is a class whose metaclass speaks enum's protocol (iteration, [name], (value), in, len,
// __members__); members are ints with name and value, singletons kept as class attributes.

int enum_index_of_class(PyObject* cls) {
  for (int i = 0; i < static_cast<int>(EnumId::kCount); i++)
    if (g_enum_classes[i] == cls) return i;
  return -1;
}
const EnumDesc* desc_of_class(PyObject* cls) {
  const int i = enum_index_of_class(cls);
  return i < 0 ? nullptr : &enum_desc(static_cast<EnumId>(i));
}

PyObject* member_of(PyObject* cls, const EnumMember& member) {
  PyObject* name = to_str(member.name);
  if (!name) return nullptr;
  PyObject* result = PyObject_GetAttr(cls, name);
  Py_DECREF(name);
  return result;
}

PyObject* enum_call(PyObject* cls, PyObject* args, PyObject* kwargs) {
  const EnumDesc* desc = desc_of_class(cls);
  if (!desc) return PyType_Type.tp_call(cls, args, kwargs);
  PyObject* value;
  if (!PyArg_UnpackTuple(args, "enum", 1, 1, &value)) return nullptr;
  if (Py_TYPE(value) == reinterpret_cast<PyTypeObject*>(cls)) return Py_NewRef(value);
  int overflow = 0;
  const long long number = PyLong_Check(value) ? PyLong_AsLongLongAndOverflow(value, &overflow) : 0;
  const EnumMember* member = PyLong_Check(value) && !overflow ? desc->find(number) : nullptr;
  if (!member)
    return PyErr_Format(PyExc_ValueError, "%R is not a valid %s", value, std::string(desc->py_name).c_str());
  return member_of(cls, *member);
}

PyObject* enum_members_list(PyObject* cls) {
  const EnumDesc* desc = desc_of_class(cls);
  PyObject* list = PyList_New(0);
  if (!list || !desc) return list;
  for (const EnumMember& member : desc->members) {
    PyObject* object = member_of(cls, member);
    if (!object || PyList_Append(list, object) < 0) {
      Py_XDECREF(object);
      Py_DECREF(list);
      return nullptr;
    }
    Py_DECREF(object);
  }
  return list;
}
PyObject* enum_iter(PyObject* cls) {
  PyObject* list = enum_members_list(cls);
  if (!list) return nullptr;
  PyObject* iterator = PyObject_GetIter(list);
  Py_DECREF(list);
  return iterator;
}
Py_ssize_t enum_len(PyObject* cls) {
  const EnumDesc* desc = desc_of_class(cls);
  return desc ? static_cast<Py_ssize_t>(desc->members.size()) : 0;
}
PyObject* enum_get_item(PyObject* cls, PyObject* key) {
  const EnumDesc* desc = desc_of_class(cls);
  Py_ssize_t size = 0;
  const char* name = PyUnicode_Check(key) ? PyUnicode_AsUTF8AndSize(key, &size) : nullptr;
  const EnumMember* member =
      desc && name ? desc->find(std::string_view(name, static_cast<size_t>(size))) : nullptr;
  if (member) return member_of(cls, *member);
  if (!PyErr_Occurred()) PyErr_SetObject(PyExc_KeyError, key);
  return nullptr;
}
int enum_contains(PyObject* cls, PyObject* value) {
  if (Py_TYPE(value) == reinterpret_cast<PyTypeObject*>(cls)) return 1;
  const EnumDesc* desc = desc_of_class(cls);
  if (!desc || !PyLong_Check(value)) return 0;
  int overflow = 0;
  const long long number = PyLong_AsLongLongAndOverflow(value, &overflow);
  return !overflow && desc->find(number) != nullptr;
}
PyObject* enum_get_members(PyObject* cls, void*) {
  PyObject* dict = PyDict_New();
  const EnumDesc* desc = desc_of_class(cls);
  if (!dict || !desc) return dict;
  for (const EnumMember& member : desc->members) {
    PyObject* name = to_str(member.name);
    PyObject* object = name ? member_of(cls, member) : nullptr;
    const int failed = object ? PyDict_SetItem(dict, name, object) : -1;
    Py_XDECREF(name);
    Py_XDECREF(object);
    if (failed) {
      Py_DECREF(dict);
      return nullptr;
    }
  }
  return dict;
}
PyObject* enum_class_repr(PyObject* cls) {
  return PyUnicode_FromFormat("<enum '%s'>", reinterpret_cast<PyTypeObject*>(cls)->tp_name);
}
PyGetSetDef kEnumMetaGetSet[] = {
    {"__members__", enum_get_members, nullptr, "Name to member, in order.", nullptr},
    {nullptr, nullptr, nullptr, nullptr, nullptr}};
PyType_Slot kEnumMetaSlots[] = {{Py_tp_call, reinterpret_cast<void*>(enum_call)},
                                {Py_tp_iter, reinterpret_cast<void*>(enum_iter)},
                                {Py_tp_repr, reinterpret_cast<void*>(enum_class_repr)},
                                {Py_mp_length, reinterpret_cast<void*>(enum_len)},
                                {Py_mp_subscript, reinterpret_cast<void*>(enum_get_item)},
                                {Py_sq_contains, reinterpret_cast<void*>(enum_contains)},
                                {Py_tp_getset, kEnumMetaGetSet},
                                {0, nullptr}};
PyType_Spec kEnumMetaSpec = {"asc.DeviceEnumType", 0, 0, Py_TPFLAGS_DEFAULT | Py_TPFLAGS_TYPE_SUBCLASS,
                             kEnumMetaSlots};

const EnumMember* member_desc(PyObject* self) {
  const EnumDesc* desc = desc_of_class(reinterpret_cast<PyObject*>(Py_TYPE(self)));
  return desc ? desc->find(static_cast<int64_t>(PyLong_AsLongLong(self))) : nullptr;
}
PyObject* enum_get_name(PyObject* self, void*) {
  const EnumMember* member = member_desc(self);
  if (!member) Py_RETURN_NONE;
  return to_str(member->name);
}
PyObject* enum_get_value(PyObject* self, void*) { return PyLong_FromLongLong(PyLong_AsLongLong(self)); }
PyObject* enum_repr(PyObject* self) {
  const EnumMember* member = member_desc(self);
  return PyUnicode_FromFormat("<%s.%s: %lld>", Py_TYPE(self)->tp_name,
                              member ? std::string(member->name).c_str() : "?", PyLong_AsLongLong(self));
}
PyObject* enum_str(PyObject* self) {
  const EnumMember* member = member_desc(self);
  return PyUnicode_FromFormat("%s.%s", Py_TYPE(self)->tp_name,
                              member ? std::string(member->name).c_str() : "?");
}
PyObject* enum_reduce(PyObject* self, PyObject*) {
  return Py_BuildValue("O(L)", Py_TYPE(self), static_cast<long long>(PyLong_AsLongLong(self)));
}
PyObject* enum_copy(PyObject* self, PyObject*) { return Py_NewRef(self); }
PyGetSetDef kEnumGetSet[] = {{"name", enum_get_name, nullptr, "Name of the member.", nullptr},
                             {"value", enum_get_value, nullptr, "Value as an int.", nullptr},
                             {nullptr, nullptr, nullptr, nullptr, nullptr}};
PyMethodDef kEnumMethods[] = {{"__reduce__", enum_reduce, METH_NOARGS, nullptr},
                              {"__copy__", enum_copy, METH_NOARGS, nullptr},
                              {"__deepcopy__", enum_copy, METH_O, nullptr},
                              {nullptr, nullptr, 0, nullptr}};
PyType_Slot kEnumSlots[] = {{Py_tp_repr, reinterpret_cast<void*>(enum_repr)},
                            {Py_tp_str, reinterpret_cast<void*>(enum_str)},
                            {Py_tp_getset, kEnumGetSet},
                            {Py_tp_methods, kEnumMethods},
                            {0, nullptr}};
PyType_Spec kEnumSpec = {"asc.DeviceEnum", 0, 0, Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE, kEnumSlots};

PyObject* make_member(PyObject* cls, int32_t value) {
  PyObject* args = Py_BuildValue("(i)", value);
  if (!args) return nullptr;
  PyObject* member = PyLong_Type.tp_new(reinterpret_cast<PyTypeObject*>(cls), args, nullptr);
  Py_DECREF(args);
  return member;
}

int make_enum(PyObject* module, EnumId id) {
  const EnumDesc& desc = enum_desc(id);
  PyObject* dict = Py_BuildValue("{s:s,s:()}", "__module__", "asc", "__slots__");
  if (!dict) return -1;
  const std::string name(desc.py_name);
  PyObject* cls = PyObject_CallFunction(reinterpret_cast<PyObject*>(g_enum_meta), "s(O)O", name.c_str(),
                                        g_enum_base, dict);
  Py_DECREF(dict);
  if (!cls) return -1;
  g_enum_classes[static_cast<int>(id)] = cls;  // kept for the process
  for (const EnumMember& member : desc.members) {
    PyObject* object = make_member(cls, member.value);
    PyObject* key = object ? to_str(member.name) : nullptr;
    const int failed = key ? PyType_Type.tp_setattro(cls, key, object) : -1;
    Py_XDECREF(object);
    Py_XDECREF(key);
    if (failed) return -1;
  }
  return PyModule_AddObjectRef(module, name.c_str(), cls);
}

// ---- making everything
// ---------------------------------------------------------------------------------------------------

PyTypeObject* make_type(PyType_Spec* spec, PyObject* bases = nullptr) {
  return reinterpret_cast<PyTypeObject*>(PyType_FromSpecWithBases(spec, bases));
}

int add(PyObject* module, std::string_view name, PyObject* object) {
  const int failed = object ? PyModule_AddObjectRef(module, std::string(name).c_str(), object) : -1;
  Py_XDECREF(object);
  return failed;
}

// Names of asc.adv are in a dict of their own, `_adv`: asc takes over what the module has.
int add_to(PyObject* module, PyObject* adv, std::string_view name, PyObject* object) {
  constexpr std::string_view kAdv = "adv.";
  if (!name.starts_with(kAdv)) return add(module, name, object);
  const std::string own(name.substr(kAdv.size()));
  const int failed = object ? PyDict_SetItemString(adv, own.c_str(), object) : -1;
  Py_XDECREF(object);
  return failed;
}

int init_ops(PyObject* module, PyObject* adv) {
  if (!(g_op_type = make_type(&kOpSpec))) return -1;
  for (const OpDesc& desc : op_table()) {
    // A parameter struct is made by a call of its name: its constructor's row.
    if (desc.owner != Kind::Void && !(desc.owner == Kind::Struct && desc.family == Family::Construct))
      continue;
    auto* object = PyObject_New(OpObject, g_op_type);
    if (!object) return -1;
    object->op = desc.id;
    if (add_to(module, adv, desc.py_name, reinterpret_cast<PyObject*>(object)) < 0) return -1;
  }
  return 0;
}

int init_kinds(PyObject* module, PyObject* adv) {
  if (!(g_kind_type = make_type(&kKindSpec))) return -1;
  for (int i = 0; i < kKindCount; i++) {
    const Kind kind = static_cast<Kind>(i);
    if (kind == Kind::Void || kind == Kind::Scalar || kind == Kind::Enum || kind == Kind::Struct) continue;
    auto* object = PyObject_New(KindObject, g_kind_type);
    if (!object) return -1;
    object->kind = kind;
    g_kinds[i] = reinterpret_cast<PyObject*>(object);
    const std::string name = qualified_name(kind).substr(4);  // behind "asc."
    if (add_to(module, adv, name, Py_NewRef(g_kinds[i])) < 0) return -1;
  }
  return 0;
}

int init_builtins(PyObject* module) {
  if (!(g_builtin_type = make_type(&kBuiltinSpec)) || !(g_unsupported_type = make_type(&kUnsupportedSpec)))
    return -1;
  for (size_t i = 0; i < std::size(kBuiltinNames); i++) {
    auto* object = PyObject_New(BuiltinObject, g_builtin_type);
    if (!object) return -1;
    object->builtin = static_cast<BuiltinId>(i);
    if (add(module, kBuiltinNames[i], reinterpret_cast<PyObject*>(object)) < 0) return -1;
  }
  if (!(g_property_type = make_type(&kPropertySpec))) return -1;
  for (const PropertyDesc& desc : kProperties) {
    auto* object = PyObject_New(PropertyObject, g_property_type);
    if (!object) return -1;
    object->desc = &desc;
    if (add(module, desc.name, reinterpret_cast<PyObject*>(object)) < 0) return -1;
  }
  PyObject* builtins = PyEval_GetBuiltins();  // borrowed
  g_python_range = PyDict_GetItemString(builtins, "range");
  g_python_print = PyDict_GetItemString(builtins, "print");
  return 0;
}

int init_enums(PyObject* module) {
  PyObject* meta_bases = PyTuple_Pack(1, &PyType_Type);
  PyObject* member_bases = PyTuple_Pack(1, &PyLong_Type);
  if (!meta_bases || !member_bases) return -1;
  g_enum_meta = make_type(&kEnumMetaSpec, meta_bases);
  g_enum_base = make_type(&kEnumSpec, member_bases);
  Py_DECREF(meta_bases);
  Py_DECREF(member_bases);
  if (!g_enum_meta || !g_enum_base) return -1;
  for (int i = 0; i < static_cast<int>(EnumId::kCount); i++)
    if (make_enum(module, static_cast<EnumId>(i)) < 0) return -1;
  return 0;
}

}  // namespace

bool is_asc_module(std::string_view name) { return name == "asc" || name.starts_with("asc."); }

int init_objects(PyObject* module) {
  if (g_op_type) return 0;
  PyObject* adv = PyDict_New();
  if (!adv || PyModule_AddObjectRef(module, "_adv", adv) < 0) return -1;
  Py_DECREF(adv);  // the module keeps it
  if (init_dtypes(module) < 0 || init_ops(module, adv) < 0 || init_kinds(module, adv) < 0 ||
      init_builtins(module) < 0 || init_enums(module) < 0)
    return -1;
  return 0;
}

std::optional<OpId> as_op(PyObject* object) {
  if (Py_TYPE(object) != g_op_type) return std::nullopt;
  return op_of(object);
}
std::optional<Kind> as_kind(PyObject* object) {
  if (Py_TYPE(object) != g_kind_type) return std::nullopt;
  return reinterpret_cast<KindObject*>(object)->kind;
}
std::optional<BuiltinId> as_builtin(PyObject* object) {
  if (Py_TYPE(object) == g_builtin_type) return builtin_of(object);
  if (object == g_python_range) return BuiltinId::Range;
  if (object == g_python_print) return BuiltinId::Print;
  return std::nullopt;
}
bool as_enum(PyObject* object, EnumId* id, int64_t* value) {
  if (Py_TYPE(Py_TYPE(object)) != g_enum_meta) return false;
  const int index = enum_index_of_class(reinterpret_cast<PyObject*>(Py_TYPE(object)));
  if (index < 0) return false;
  *id = static_cast<EnumId>(index);
  *value = PyLong_AsLongLong(object);
  return true;
}
bool as_enum_class(PyObject* object, EnumId* id) {
  if (Py_TYPE(object) != g_enum_meta) return false;
  const int index = enum_index_of_class(object);
  if (index < 0) return false;
  *id = static_cast<EnumId>(index);
  return true;
}
const char* as_unsupported(PyObject* object) {
  return Py_TYPE(object) == g_unsupported_type ? PyUnicode_AsUTF8(unsupported_name(object)) : nullptr;
}

bool is_known_name(std::string_view qualified) {
  PyObject* module = PyImport_ImportModule("asc._names");
  PyObject* names = module ? PyObject_GetAttrString(module, "NAMES") : nullptr;
  PyObject* key = names ? to_str(qualified) : nullptr;
  const int found = key ? PySequence_Contains(names, key) : -1;
  Py_XDECREF(key);
  Py_XDECREF(names);
  Py_XDECREF(module);
  if (found < 0) drop_error();
  return found > 0;
}

PyObject* unsupported_object(std::string_view qualified) {
  auto* object = PyObject_New(UnsupportedObject, g_unsupported_type);
  if (!object) return nullptr;
  object->name = to_str(qualified);
  if (!object->name) {
    Py_DECREF(object);
    return nullptr;
  }
  return reinterpret_cast<PyObject*>(object);
}

PyObject* kind_object(Kind kind) { return g_kinds[static_cast<int>(kind)]; }
PyObject* enum_member(EnumId id, int64_t value) {
  const EnumMember* member = enum_desc(id).find(value);
  PyObject* object = member ? member_of(g_enum_classes[static_cast<int>(id)], *member) : nullptr;
  Py_XDECREF(object);  // the class keeps it
  return object;
}

void register_jit_type(PyTypeObject* type) { g_jit_type = type; }
const PropertyDesc* as_property(PyObject* object) {
  return Py_TYPE(object) == g_property_type ? reinterpret_cast<PropertyObject*>(object)->desc : nullptr;
}

const KernelFunction* as_jit(PyObject* object) {
  return g_jit_type && PyObject_TypeCheck(object, g_jit_type) ? reinterpret_cast<JitObject*>(object)->function
                                                              : nullptr;
}
PyObject* jit_bound_self(PyObject* jit) { return reinterpret_cast<JitObject*>(jit)->bound_self; }

}  // namespace asc::lower
