// SPDX-License-Identifier: Apache-2.0
#include "runtime/deps_content.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <string_view>

#include "base/format.h"
#include "lower/objects.h"
#include "runtime/deps_code.h"
#include "runtime/launcher_gil.h"

namespace asc::runtime {
namespace {

constexpr size_t kDeepest = 200;
constexpr size_t kLargest = 32u << 20;  // bytes of an encoding that may go to disk

std::string_view type_name(PyObject* value) { return Py_TYPE(value)->tp_name; }

PyRef attribute(PyObject* object, const char* name) {
  PyRef value = PyRef::steal(PyObject_GetAttrString(object, name));
  if (!value) PyErr_Clear();
  return value;
}

// Types of the standard library by module and name, once they are loaded.
bool is_type(PyObject* value, const char* module, const char* name) {
  PyTypeObject* type = Py_TYPE(value);
  const char* dot = std::strrchr(type->tp_name, '.');
  if (std::strcmp(dot ? dot + 1 : type->tp_name, name) != 0) return false;
  PyObject* found = imported_module(module);
  const PyRef cls = found ? attribute(found, name) : PyRef();
  return cls.get() == reinterpret_cast<PyObject*>(type);
}

bool is_array_class(PyTypeObject* type) {
  for (; type; type = type->tp_base)
    if (std::strcmp(type->tp_name, "numpy.ndarray") == 0) return true;
  return false;
}

}  // namespace

// Containers and instances around the object at hand.
struct Encoder::Level {
  Level(Encoder& encoder, PyObject* object) : encoder_(encoder) { encoder_.levels_.push_back(object); }
  ~Level() { encoder_.levels_.pop_back(); }
  Encoder& encoder_;
};

bool Encoder::fail(std::string why) {
  if (why_.empty()) why_ = std::move(why);
  PyErr_Clear();
  return false;
}

// By identity, where that is allowed.
bool Encoder::opaque(PyObject* value, std::string_view what) {
  if (!in_memory()) return fail(fmt::format("{} has no content that could be compared", what));
  out_.u8('@');
  out_.u64(reinterpret_cast<uintptr_t>(value));
  if (kept) kept->push_back(PyRef::borrow(value));
  return true;
}

bool Encoder::add_int(PyObject* value) {
  int overflow = 0;
  const long long number = PyLong_AsLongLongAndOverflow(value, &overflow);
  if (!overflow) {
    out_.u8('i');
    out_.u64(static_cast<uint64_t>(number));
    return true;
  }
  const PyRef hex = PyRef::steal(PyNumber_ToBase(value, 16));
  const char* text = hex ? PyUnicode_AsUTF8(hex.get()) : nullptr;
  if (!text) return fail("an int");
  out_.u8('I');
  out_.text(text);
  return true;
}

bool Encoder::add_str(PyObject* value) {
  Py_ssize_t size = 0;
  if (const char* text = PyUnicode_AsUTF8AndSize(value, &size)) {
    out_.u8('s');
    out_.text({text, static_cast<size_t>(size)});
    return true;
  }
  PyErr_Clear();  // lone surrogates
  const PyRef bytes = PyRef::steal(PyUnicode_AsEncodedString(value, "utf-8", "surrogatepass"));
  if (!bytes) return fail("a str");
  out_.u8('S');
  out_.text({PyBytes_AS_STRING(bytes.get()), static_cast<size_t>(PyBytes_GET_SIZE(bytes.get()))});
  return true;
}

bool Encoder::add_items(char tag, PyObject* items) {
  out_.u8(static_cast<uint8_t>(tag));
  out_.u64(static_cast<uint64_t>(PySequence_Fast_GET_SIZE(items)));
  for (Py_ssize_t i = 0; i < PySequence_Fast_GET_SIZE(items); i++) {
    const PyRef item = PyRef::borrow(PySequence_Fast_GET_ITEM(items, i));
    if (!add(item.get())) return false;
  }
  return true;
}

// Order counts: what iterates sees it.
bool Encoder::add_dict(char tag, PyObject* dict) {
  out_.u8(static_cast<uint8_t>(tag));
  out_.u64(static_cast<uint64_t>(PyDict_GET_SIZE(dict)));
  PyObject *key, *value;
  for (Py_ssize_t at = 0; PyDict_Next(dict, &at, &key, &value);) {
    const PyRef kept_key = PyRef::borrow(key), kept_value = PyRef::borrow(value);
    if (!add(key) || !add(value)) return false;
  }
  return true;
}

// Sets have no order that lasts: it follows from hashes, which differ from process to process.
bool Encoder::add_set(PyObject* set) {
  std::vector<std::string> items;
  const PyRef iterator = PyRef::steal(PyObject_GetIter(set));
  while (const PyRef item = PyRef::steal(iterator ? PyIter_Next(iterator.get()) : nullptr)) {
    Encoder one(how_);
    one.kept = kept;
    one.on_read = on_read;
    one.levels_ = levels_;
    if (!one.add(item.get())) return fail(one.why_);
    if (how_ == How::Whole && PySet_GET_SIZE(set) > 1 && !PyLong_CheckExact(item.get()))
      return fail("a set of others than ints, which may be iterated: its order is of this process");
    items.push_back(one.out_.take());
  }
  PyErr_Clear();
  std::sort(items.begin(), items.end());
  out_.u8(PyFrozenSet_Check(set) ? 'z' : 'Z');
  out_.u64(items.size());
  for (const std::string& item : items) out_.text(item);
  return true;
}

// Arrays and scalars of numpy, array.array, bytearray, memoryview: type of element, shape, bytes in logical
// order.
bool Encoder::add_array(PyObject* value, char tag) {
  out_.u8(static_cast<uint8_t>(tag));
  const PyRef dtype = attribute(value, "dtype");
  if (dtype) {
    const PyRef has_object = attribute(dtype.get(), "hasobject");
    if (has_object.get() != Py_False) {
      const PyRef shape = attribute(value, "shape");
      const PyRef items = PyRef::steal(PyObject_CallMethod(value, "tolist", nullptr));
      if (!shape || !items) return opaque(value, "an array of Python objects");
      return add(shape.get()) && add(items.get());
    }
    if (tag == 'a') {  // the order in memory
      const PyRef strides = attribute(value, "strides"), flags = attribute(value, "flags");
      const PyRef writeable = flags ? attribute(flags.get(), "writeable") : PyRef();
      if (!strides || !writeable || !add(strides.get()) || !add(writeable.get())) return fail("an array");
    }
    const PyRef text = PyRef::steal(PyObject_Repr(dtype.get())), order = attribute(dtype.get(), "byteorder");
    const PyRef shape = attribute(value, "shape");
    if (!text || !order || !shape || !add_str(text.get()) || !add(order.get()) || !add(shape.get()))
      return fail("an array");
  }
  Py_buffer buffer;
  if (PyObject_GetBuffer(value, &buffer, PyBUF_FORMAT | PyBUF_C_CONTIGUOUS) == 0) {
    if (!dtype) {
      out_.text(buffer.format ? buffer.format : "B");
      out_.u64(static_cast<uint64_t>(buffer.itemsize));
    }
    out_.text({static_cast<const char*>(buffer.buf), static_cast<size_t>(buffer.len)});
    PyBuffer_Release(&buffer);
    return in_memory() || out_.bytes().size() <= kLargest || fail("an array of more than 32 MiB");
  }
  PyErr_Clear();
  const PyRef bytes = PyRef::steal(PyObject_CallMethod(value, "tobytes", nullptr));
  if (!bytes || !PyBytes_CheckExact(bytes.get())) return opaque(value, "an array without a buffer");
  out_.text({PyBytes_AS_STRING(bytes.get()), static_cast<size_t>(PyBytes_GET_SIZE(bytes.get()))});
  return true;
}

bool Encoder::add_exact(PyObject* value, bool* done) {
  *done = true;
  if (value == Py_None) return out_.u8('n'), true;
  if (PyBool_Check(value)) return out_.u8(value == Py_True ? 'T' : 'F'), true;
  if (PyLong_CheckExact(value)) return add_int(value);
  if (PyFloat_CheckExact(value)) {
    out_.u8('f');
    out_.u64(std::bit_cast<uint64_t>(PyFloat_AS_DOUBLE(value)));
    return true;
  }
  if (PyUnicode_CheckExact(value)) return add_str(value);
  if (PyBytes_CheckExact(value)) {
    out_.u8('b');
    out_.text({PyBytes_AS_STRING(value), static_cast<size_t>(PyBytes_GET_SIZE(value))});
    return true;
  }
  if (PyComplex_CheckExact(value)) {
    out_.u8('c');
    out_.u64(std::bit_cast<uint64_t>(PyComplex_RealAsDouble(value)));
    out_.u64(std::bit_cast<uint64_t>(PyComplex_ImagAsDouble(value)));
    return true;
  }
  if (value == Py_Ellipsis) return out_.u8('.'), true;
  if (value == Py_NotImplemented) return out_.u8('N'), true;
  if (PyTuple_CheckExact(value)) return add_items('(', value);
  if (PyList_CheckExact(value)) return add_items('[', value);
  if (PyDict_CheckExact(value)) return add_dict('{', value);
  if (PyAnySet_CheckExact(value)) return add_set(value);
  if (PyByteArray_CheckExact(value)) return add_array(value, 'y');
  if (PyRange_Check(value) || PySlice_Check(value)) {
    out_.u8(PyRange_Check(value) ? 'r' : ':');
    for (const char* name : {"start", "stop", "step"}) {
      const PyRef part = attribute(value, name);
      if (!part || !add(part.get())) return false;
    }
    return true;
  }
  *done = false;
  return true;
}

// Singletons of the core, and dtypes of other libraries: what they are is their name.
bool Encoder::add_named(PyObject* value, bool* done) {
  *done = true;
  DType dtype;
  EnumId id;
  int64_t member;
  const std::string_view type = type_name(value);
  const bool ours = lower::as_dtype(value, &dtype) || lower::as_op(value) || lower::as_kind(value) ||
                    type == "asc.Builtin" || lower::as_enum_class(value, &id) || lower::as_unsupported(value);
  if (ours || type == "torch.dtype" || type.starts_with("numpy.dtype")) {
    const PyRef text = PyRef::steal(PyObject_Repr(value));
    out_.u8('=');
    out_.text(type);
    return text ? add_str(text.get()) : fail("a dtype");
  }
  if (lower::as_enum(value, &id, &member)) {
    out_.u8('e');
    out_.u32(static_cast<uint32_t>(id));
    out_.u64(static_cast<uint64_t>(member));
    return true;
  }
  if (lower::is_struct_class(reinterpret_cast<PyObject*>(Py_TYPE(value)))) return add_struct(value);
  if (type == "numpy.ndarray") return add_array(value, 'a');
  if (PyMemoryView_Check(value)) return add_array(value, 'v');
  if (is_array_class(Py_TYPE(value))) {  // np.matrix, np.ma: masks and the like are attributes
    const PyRef attributes = PyRef::steal(PyObject_GenericGetDict(value, nullptr));
    if (!attributes) PyErr_Clear();
    return add(reinterpret_cast<PyObject*>(Py_TYPE(value))) && add_array(value, 'a') &&
           (!attributes || add(attributes.get()));
  }
  if (PyDictViewSet_Check(value) || PyDictValues_Check(value)) {
    const PyRef items = PyRef::steal(PySequence_List(value));
    return items ? add_items('V', items.get()) : fail("a view of a dict");
  }
  const bool scalar = type.starts_with("numpy.") && attribute(value, "dtype") && attribute(value, "item");
  if (scalar || type == "ml_dtypes.bfloat16" || type == "bfloat16") return add_array(value, 'q');
  if (type == "array.array") return add_array(value, 'A');
  if (type == "collections.deque") {
    const PyRef items = PyRef::steal(PySequence_List(value)), limit = attribute(value, "maxlen");
    out_.u8('d');
    return items && limit ? add(limit.get()) && add_items('d', items.get()) : fail("a deque");
  }
  if (is_type(value, "collections", "OrderedDict") || is_type(value, "collections", "defaultdict") ||
      Py_TYPE(value) == &PyDictProxy_Type) {
    const PyRef items = PyRef::steal(PyMapping_Items(value));
    const PyRef factory = attribute(value, "default_factory");
    out_.u8('w');
    out_.text(type);
    return items ? (!factory || add(factory.get())) && add_items('[', items.get()) : fail("a mapping");
  }
  if (is_type(value, "functools", "partial")) {
    out_.u8('p');
    for (const char* name : {"func", "args", "keywords"}) {
      const PyRef part = attribute(value, name);
      if (!part || !add(part.get())) return false;
    }
    return true;
  }
  if (is_type(value, "re", "Pattern") || is_type(value, "decimal", "Decimal")) {
    const PyRef text = PyRef::steal(PyObject_Repr(value));
    out_.u8('#');
    return text ? add_str(text.get()) : fail("a pattern");
  }
  *done = false;
  return true;
}

// A struct of asc.language.core.struct: its class and its fields.
bool Encoder::add_struct(PyObject* value) {
  auto* type = reinterpret_cast<PyObject*>(Py_TYPE(value));
  const PyRef layout = attribute(type, "__asc_layout__");
  PyObject* fields = layout ? PyTuple_GET_ITEM(layout.get(), 2) : nullptr;
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
      if (!slot) PyErr_Clear();
      if (!add_str(name) || !add(slot ? slot.get() : Py_Ellipsis)) return false;
    }
  }
  return true;
}

// The value of the built-in type that its class derives from, its attributes, its slots.
bool Encoder::add_state(PyObject* value) {
  const Level level(*this, value);
  if (PyTuple_Check(value) || PyList_Check(value)) {
    if (!add_items(PyTuple_Check(value) ? '(' : '[', value)) return false;
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
  if (!attributes) PyErr_Clear();
  if (attributes && PyDict_CheckExact(attributes.get()) && !add_dict('.', attributes.get())) return false;
  return add_slots(value);
}

bool Encoder::add_instance(PyObject* value) {
  PyTypeObject* type = Py_TYPE(value);
  const std::string what = fmt::format("an object of '{}'", type->tp_name);
  const bool enum_member = is_enum_class(type);
  const bool by_value = compares_by_value(type);
  if (enum_member && in_memory()) return opaque(value, what);
  const bool library_state = in_memory() && !by_value && is_library_type(type);  // caches, registries
  if (!has_known_state(type) || library_state) return opaque(value, what);
  if (!whole() && !by_value && !enum_member) {
    if (in_memory()) return opaque(value, what);
    out_.u8('o');
    return add(reinterpret_cast<PyObject*>(type));
  }
  out_.u8('O');
  return add(reinterpret_cast<PyObject*>(type)) && add_state(value);
}

bool Encoder::add(PyObject* value) {
  bool done = false;
  if (PyLong_CheckExact(value) || PyUnicode_CheckExact(value)) return add_exact(value, &done);
  const auto around = std::find(levels_.begin(), levels_.end(), value);
  if (around != levels_.end()) {  // it holds itself
    out_.u8('^');
    out_.u32(static_cast<uint32_t>(levels_.end() - around));
    return true;
  }
  if (levels_.size() >= kDeepest) return fail("a value nested more than 200 levels deep");
  if (!in_memory() && out_.bytes().size() > kLargest) return fail("more than 32 MiB of compile-time values");
  const Level level(*this, value);
  if (const bool good = add_exact(value, &done); done) return good;
  if (const bool good = add_code_like(value, &done); done) return good;
  if (const bool good = add_named(value, &done); done) return good;
  levels_.pop_back();  // its own state names it again
  const bool good = add_instance(value);
  levels_.push_back(value);
  return good;
}

bool is_plain_leaf(PyObject* value) {
  if (value == Py_None || PyBool_Check(value) || PyLong_CheckExact(value) || PyFloat_CheckExact(value) ||
      PyUnicode_CheckExact(value) || PyBytes_CheckExact(value) || PyComplex_CheckExact(value) ||
      value == Py_Ellipsis || PyRange_Check(value))
    return true;
  if (PyTuple_CheckExact(value)) {
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(value); i++)
      if (!is_plain_leaf(PyTuple_GET_ITEM(value, i))) return false;
    return true;
  }
  DType dtype;
  EnumId id;
  int64_t member;
  return lower::as_dtype(value, &dtype) || lower::as_enum(value, &id, &member) || lower::as_op(value) ||
         lower::as_kind(value) || lower::as_enum_class(value, &id);
}

bool is_unchanging(PyObject* value) {
  if (PyFunction_Check(value) || PyType_Check(value) || PyModule_Check(value) || PyCFunction_Check(value) ||
      lower::as_jit(value) || is_plain_leaf(value))
    return true;
  if (PyTuple_CheckExact(value)) {
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(value); i++)
      if (!is_unchanging(PyTuple_GET_ITEM(value, i))) return false;
    return true;
  }
  // Scalars of numpy; the other objects of its C types go by identity.
  const std::string_view type = type_name(value);
  return (type.starts_with("numpy.") && type != "numpy.ndarray") || is_enum_class(Py_TYPE(value));
}

Mark::Mark(PyObject* value, How how)
    : value_(PyRef::borrow(value)), unchanging_(!value || is_unchanging(value)), how_(how) {
  by_identity_ = unchanging_;
  if (unchanging_) return;
  Encoder encoder(how);
  encoder.kept = &kept_;
  good_ = encoder.add(value);
  content_ = encoder.key();
  Encoder identity(How::InMemory);
  identity.opaque(value, "");
  unchanging_ = encoder.bytes() == identity.bytes();  // nothing but its identity counts
  // Of an instance, what was read is watched: each attribute, or all of it if Python code got it.
  by_identity_ = unchanging_ || (how == How::InMemory && encoder.bytes().starts_with('O'));
}

bool Mark::same_content(PyObject* now) const {
  if (!value_ || !now || !good_) return false;
  if (Py_TYPE(now) != Py_TYPE(value_.get())) return false;
  if (PyLong_CheckExact(now)) return PyObject_RichCompareBool(now, value_.get(), Py_EQ) == 1;
  const PyRef hold = PyRef::borrow(now);  // encoding may run Python code
  Encoder encoder(how_);
  if (!encoder.add(now)) return false;
  if (!unchanging_) return encoder.key() == content_;
  Encoder before(how_);
  return before.add(value_.get()) && before.bytes() == encoder.bytes();
}

}  // namespace asc::runtime
