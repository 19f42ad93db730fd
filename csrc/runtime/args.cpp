// SPDX-License-Identifier: Apache-2.0
#include "runtime/args.h"

#include <bit>
#include <cstring>
#include <string_view>

#include "base/format.h"
#include "lower/function.h"
#include "lower/objects.h"

namespace asc::runtime {
namespace {

PyObject* g_mock_tensor = nullptr;
PyObject* g_mock_value = nullptr;

// What a type of argument is; learned once a type.
enum class TypeClass : uint8_t {
  Unknown,
  Int,
  Float,
  Bool,
  NumpyScalar,
  NumpyArray,
  Tensor,
  Buffer,
  MockTensor,
  MockValue,
  Struct,
  Other
};

struct KnownType {
  PyTypeObject* type;
  TypeClass cls;
};
KnownType g_known[64];  // a direct-mapped memo; types are kept alive so that an address is never reused
size_t slot_of(const PyTypeObject* type) {
  return (reinterpret_cast<uintptr_t>(type) >> 4) * 0x9E3779B97F4A7C15ull >> 58;
}

// isinstance(value, sys.modules[module].name), without importing the module.
bool is_instance_of(PyObject* value, const char* module, const char* name) {
  PyObject* found = PyDict_GetItemString(PyImport_GetModuleDict(), module);
  if (!found) return false;
  PyObject* cls = PyObject_GetAttrString(found, name);
  const int result = cls ? PyObject_IsInstance(value, cls) : 0;
  Py_XDECREF(cls);
  if (result < 0 || !cls) PyErr_Clear();
  return result > 0;
}

TypeClass learn(PyObject* value) {
  if (PyBool_Check(value)) return TypeClass::Bool;
  if (g_mock_tensor && PyObject_IsInstance(value, g_mock_tensor) > 0) return TypeClass::MockTensor;
  if (g_mock_value && PyObject_IsInstance(value, g_mock_value) > 0) return TypeClass::MockValue;
  if (is_instance_of(value, "numpy", "ndarray")) return TypeClass::NumpyArray;
  if (is_instance_of(value, "numpy", "generic")) return TypeClass::NumpyScalar;
  if (is_instance_of(value, "torch", "Tensor")) return TypeClass::Tensor;
  if (lower::is_struct_class(reinterpret_cast<PyObject*>(Py_TYPE(value)))) return TypeClass::Struct;
  EnumId id;
  int64_t member;
  if (lower::as_enum(value, &id, &member)) return TypeClass::Other;
  if (PyLong_Check(value)) return TypeClass::Int;
  if (PyFloat_Check(value)) return TypeClass::Float;
  if (PyObject_CheckBuffer(value) && !PyUnicode_Check(value)) return TypeClass::Buffer;
  return TypeClass::Other;
}

TypeClass class_of(PyObject* value) {
  PyTypeObject* type = Py_TYPE(value);
  KnownType& known = g_known[slot_of(type)];
  if (known.type == type) return known.cls;
  const TypeClass cls = learn(value);
  PyErr_Clear();
  // A heap type made at run time may gain meaning only by inheritance, which its class already shows.
  Py_INCREF(type);
  Py_XDECREF(known.type);
  known = {type, cls};
  return cls;
}

bool read_attr_string(PyObject* object, const char* name, std::string* out) {
  PyObject* attribute = PyObject_GetAttrString(object, name);
  PyObject* text = attribute ? PyObject_Str(attribute) : nullptr;
  Py_XDECREF(attribute);
  if (!text) {
    PyErr_Clear();
    return false;
  }
  const char* utf8 = PyUnicode_AsUTF8(text);
  if (utf8) *out = utf8;
  Py_DECREF(text);
  return utf8 != nullptr;
}

std::string describe(const std::string& kernel, const std::string& parameter) {
  return fmt::format("{}() argument '{}'", kernel, parameter);
}

bool fail(PyObject* kind, const std::string& text) {
  PyErr_SetString(kind, text.c_str());
  return false;
}

bool unsupported_dtype(const std::string& kernel, const std::string& parameter, std::string_view name) {
  return fail(
      PyExc_TypeError,
      fmt::format("{}: arrays of {} are not supported; supported are bool, int8 to int64, uint8 to uint64, "
                  "float16, bfloat16, float32, float64",
                  describe(kernel, parameter), name));
}

// A struct module format of one element, native byte order.
bool dtype_of_format(const char* format, Py_ssize_t itemsize, DType* out) {
  if (!format) format = "B";
  if (*format == '=' || *format == '@' || *format == '<') format++;
  if (!*format || format[1]) return false;
  switch (*format) {
    case '?': *out = DType::Bool; return true;
    case 'e': *out = DType::F16; return true;
    case 'f': *out = DType::F32; return true;
    case 'd': *out = DType::F64; return true;
    case 'b':
    case 'h':
    case 'i':
    case 'l':
    case 'q':
      *out = itemsize == 1 ? DType::I8 : itemsize == 2 ? DType::I16 : itemsize == 4 ? DType::I32 : DType::I64;
      return true;
    case 'B':
    case 'H':
    case 'I':
    case 'L':
    case 'Q':
      *out = itemsize == 1 ? DType::U8 : itemsize == 2 ? DType::U16 : itemsize == 4 ? DType::U32 : DType::U64;
      return true;
    default: return false;
  }
}

bool classify_int(PyObject* value, const lower::Parameter& parameter, const std::string& kernel,
                  ArgInfo* out) {
  int overflow = 0;
  const long long number = PyLong_AsLongLongAndOverflow(value, &overflow);
  if (overflow > 0 && parameter.pinned == DType::U64) {
    const unsigned long long wide = PyLong_AsUnsignedLongLong(value);
    if (!PyErr_Occurred()) {
      *out = {ArgInfo::Form::Scalar, DType::U64, true, wide};
      return true;
    }
    PyErr_Clear();
  }
  if (overflow)
    return fail(PyExc_OverflowError,
                fmt::format("{}: the integer does not fit in 64 bits", describe(kernel, parameter.utf8)));
  *out = {ArgInfo::Form::Scalar, number >= INT32_MIN && number <= INT32_MAX ? DType::I32 : DType::I64,
          number >= 0, static_cast<uint64_t>(number)};
  return true;
}

// A pinned parameter (n: asc.int64) takes any number that its dtype holds.
bool pin(ArgInfo* info, const lower::Parameter& parameter, const std::string& kernel) {
  const DType to = parameter.pinned;
  if (to == DType::Void || info->form != ArgInfo::Form::Scalar || info->dtype == to) {
    if (to != DType::Void) info->nonnegative = false;
    return true;
  }
  const bool from_float = is_float(info->dtype);
  if (is_float(to)) {
    if (!from_float) {
      const double value = is_unsigned_int(info->dtype)
                               ? static_cast<double>(info->bits)
                               : static_cast<double>(static_cast<int64_t>(info->bits));
      info->bits = std::bit_cast<uint64_t>(value);
    }
  } else {
    const int64_t value = static_cast<int64_t>(info->bits);
    const bool fits = !from_float && (is_unsigned_int(to) ? value >= 0 && info->bits <= unsigned_max(to)
                                                          : value >= int_min(to) && value <= int_max(to));
    if (!fits) {
      const std::string shown =
          from_float ? fmt::format("{}", std::bit_cast<double>(info->bits)) : fmt::format("{}", value);
      return fail(
          from_float ? PyExc_TypeError : PyExc_OverflowError,
          fmt::format("{}: {} is not a value of {}", describe(kernel, parameter.utf8), shown, py_name(to)));
    }
  }
  info->dtype = to;
  info->nonnegative = false;
  return true;
}

bool classify_numpy_scalar(PyObject* value, const lower::Parameter& parameter, const std::string& kernel,
                           ArgInfo* out) {
  PyObject* dtype = PyObject_GetAttrString(value, "dtype");
  std::string name;
  const bool named = dtype && read_attr_string(dtype, "name", &name);
  Py_XDECREF(dtype);
  DType found;
  if (!named || !find_dtype(name, &found)) {
    PyErr_Clear();
    return fail(PyExc_TypeError, fmt::format("{}: numpy scalars of {} are not supported",
                                             describe(kernel, parameter.utf8), name));
  }
  out->form = ArgInfo::Form::Scalar;
  if (is_float(found)) {
    const double number = PyFloat_AsDouble(value);
    if (number == -1.0 && PyErr_Occurred()) return false;
    // float64 is the type of Python's own floats: it means float32, as they do.
    out->dtype = found == DType::F64 ? DType::F32 : found;
    out->bits = std::bit_cast<uint64_t>(found == DType::F64 ? static_cast<double>(static_cast<float>(number))
                                                            : number);
    return true;
  }
  PyObject* number = PyNumber_Long(value);
  if (!number) return false;
  out->dtype = found;
  out->bits = is_unsigned_int(found) ? PyLong_AsUnsignedLongLong(number)
                                     : static_cast<uint64_t>(PyLong_AsLongLong(number));
  Py_DECREF(number);
  return !PyErr_Occurred();
}

// dtype objects of numpy and torch are few and mostly singletons: what each means is kept by its address.
struct KnownDType {
  PyObject* object;  // strong
  DType dtype;
};
KnownDType g_known_dtypes[64];
KnownDType& dtype_slot(const PyObject* object) {
  return g_known_dtypes[(reinterpret_cast<uintptr_t>(object) >> 4) * 0x9E3779B97F4A7C15ull >> 58];
}

// The dtype object of an array or tensor: new reference, or null with no error set.
PyObject* dtype_attribute(PyObject* value) {
  static PyObject* const name = PyUnicode_InternFromString("dtype");
  PyObject* dtype = PyObject_GetAttr(value, name);
  if (!dtype) PyErr_Clear();
  return dtype;
}

bool torch_dtype(PyObject* tensor, DType* out, std::string* name) {
  if (!read_attr_string(tensor, "dtype", name)) return false;
  if (name->starts_with("torch.")) name->erase(0, 6);
  return find_dtype(*name, out);
}

bool read_array_dtype(PyObject* value, TypeClass cls, const lower::Parameter& parameter,
                      const std::string& kernel, ArgInfo* out) {
  if (cls == TypeClass::Tensor) {
    std::string name;
    return torch_dtype(value, &out->dtype, &name) || unsupported_dtype(kernel, parameter.utf8, name);
  }
  Py_buffer buffer;
  if (PyObject_GetBuffer(value, &buffer, PyBUF_RECORDS_RO) == 0) {
    const char* format = buffer.format;
    const bool big = format && (*format == '>' || *format == '!') && buffer.itemsize > 1;
    const bool known = !big && dtype_of_format(format, buffer.itemsize, &out->dtype);
    const std::string shown = format ? format : "";
    PyBuffer_Release(&buffer);
    if (big)
      return fail(PyExc_TypeError,
                  fmt::format("{}: the array is big-endian; pass x.astype(x.dtype.newbyteorder('='))",
                              describe(kernel, parameter.utf8)));
    if (known) return true;
    std::string name = shown;
    PyObject* dtype = PyObject_GetAttrString(value, "dtype");
    if (dtype) read_attr_string(dtype, "name", &name);
    Py_XDECREF(dtype);
    PyErr_Clear();
    return unsupported_dtype(kernel, parameter.utf8, name);
  }
  PyErr_Clear();
  // ml_dtypes' bfloat16 has no buffer format.
  std::string name = "objects without a buffer";
  PyObject* dtype = PyObject_GetAttrString(value, "dtype");
  const bool known = dtype && read_attr_string(dtype, "name", &name) && find_dtype(name, &out->dtype);
  Py_XDECREF(dtype);
  PyErr_Clear();
  return known || unsupported_dtype(kernel, parameter.utf8, name);
}

bool classify_array(PyObject* value, TypeClass cls, const lower::Parameter& parameter,
                    const std::string& kernel, ArgInfo* out) {
  out->form = ArgInfo::Form::Array;
  if (cls == TypeClass::Buffer) return read_array_dtype(value, cls, parameter, kernel, out);
  PyObject* dtype = dtype_attribute(value);
  KnownDType& known = dtype_slot(dtype);
  bool good = true;
  if (dtype && known.object == dtype) {
    out->dtype = known.dtype;
  } else {
    good = read_array_dtype(value, cls, parameter, kernel, out);
    if (good && dtype) {
      Py_XSETREF(known.object, Py_NewRef(dtype));
      known.dtype = out->dtype;
    }
  }
  Py_XDECREF(dtype);
  return good;
}

bool classify_mock(PyObject* value, bool array, const lower::Parameter& parameter, const std::string& kernel,
                   ArgInfo* out) {
  PyObject* dtype = PyObject_GetAttrString(value, "dtype");
  const bool known = dtype && lower::as_dtype(dtype, &out->dtype);
  Py_XDECREF(dtype);
  if (!known) {
    PyErr_Clear();
    return fail(PyExc_TypeError,
                fmt::format("{}: the mock needs an asc data type", describe(kernel, parameter.utf8)));
  }
  out->form = array ? ArgInfo::Form::Array : ArgInfo::Form::Scalar;
  out->is_mock = true;
  if (!array) {
    PyObject* sign = PyObject_GetAttrString(value, "nonnegative");
    out->nonnegative = sign && sign == Py_True;
    Py_XDECREF(sign);
    PyErr_Clear();
  }
  return true;
}

// Calls `name` on a tensor and reads the result as an integer; -1 with a Python error set.
int64_t call_int(PyObject* object, const char* name) {
  PyObject* result = PyObject_CallMethod(object, name, nullptr);
  if (!result) return -1;
  const int64_t value = PyLong_AsLongLong(result);
  Py_DECREF(result);
  return value;
}

// Calls a method of no arguments that says yes or no; false where there is no such method.
bool call_flag(PyObject* object, const char* name) {
  PyObject* result = PyObject_CallMethod(object, name, nullptr);
  const bool yes = result && PyObject_IsTrue(result) > 0;
  Py_XDECREF(result);
  PyErr_Clear();
  return yes;
}

bool warn_staged(const std::string& parameter, const std::string& kernel) {
  PyObject* module = PyImport_ImportModule("asc");
  PyObject* category = module ? PyObject_GetAttrString(module, "PerformanceWarning") : nullptr;
  Py_XDECREF(module);
  if (!category) return false;
  const int failed =
      PyErr_WarnFormat(category, 1, "%s() argument '%s' is not contiguous: it is copied for the launch",
                       kernel.c_str(), parameter.c_str());
  Py_DECREF(category);
  return failed == 0;
}

}  // namespace

void register_mock_types(PyObject* mock_tensor, PyObject* mock_value) {
  Py_XSETREF(g_mock_tensor, Py_NewRef(mock_tensor));
  Py_XSETREF(g_mock_value, Py_NewRef(mock_value));
}

bool classify_argument(PyObject* value, const lower::Parameter& parameter, const std::string& kernel,
                       ArgInfo* out) {
  *out = {};
  if (parameter.is_constexpr) return true;
  bool good = true;
  const TypeClass cls = class_of(value);
  switch (cls) {
    case TypeClass::Int: good = classify_int(value, parameter, kernel, out); break;
    case TypeClass::Float:
      // The device's float: what arrives is the float32 nearest to the argument.
      *out = {ArgInfo::Form::Scalar, DType::F32, false,
              std::bit_cast<uint64_t>(static_cast<double>(static_cast<float>(PyFloat_AS_DOUBLE(value))))};
      if (parameter.pinned == DType::F64)
        *out = {ArgInfo::Form::Scalar, DType::F64, false, std::bit_cast<uint64_t>(PyFloat_AS_DOUBLE(value))};
      break;
    case TypeClass::Bool: *out = {ArgInfo::Form::Scalar, DType::Bool, false, value == Py_True}; break;
    case TypeClass::NumpyScalar: good = classify_numpy_scalar(value, parameter, kernel, out); break;
    case TypeClass::Struct: out->form = ArgInfo::Form::Struct; return true;
    case TypeClass::MockTensor:
    case TypeClass::MockValue:
      good = classify_mock(value, cls == TypeClass::MockTensor, parameter, kernel, out);
      break;
    case TypeClass::NumpyArray:
    case TypeClass::Tensor:
    case TypeClass::Buffer: return classify_array(value, cls, parameter, kernel, out);
    default:
      if (PyUnicode_Check(value) || PyList_Check(value) || PyTuple_Check(value) || PyDict_Check(value) ||
          PyAnySet_Check(value)) {
        const char* type = Py_TYPE(value)->tp_name;
        const char* array = PyList_Check(value) || PyTuple_Check(value)
                                ? "for an array pass a numpy array or torch tensor; "
                                : "";
        return fail(PyExc_TypeError,
                    fmt::format("{}: Argument type in JIT function is not supported: {}; {}a compile-time "
                                "value needs the annotation asc.ConstExpr[{}]",
                                describe(kernel, parameter.utf8), type, array, type));
      }
      // Objects that mean something while compiling (dtypes, enums, functions, the receiver of a method)
      // specialise.
      return true;
  }
  return good && pin(out, parameter, kernel);
}

ArrayArgument::~ArrayArgument() {
  if (has_buffer_) PyBuffer_Release(&buffer_);
  Py_XDECREF(owner_);
  Py_XDECREF(original_);
}

bool ArrayArgument::open_buffer(PyObject* value, bool* contiguous) {
  if (PyObject_GetBuffer(value, &buffer_, PyBUF_STRIDED_RO) < 0) return false;
  has_buffer_ = true;
  data = buffer_.buf;
  bytes = buffer_.len;
  read_only = buffer_.readonly != 0;
  *contiguous = PyBuffer_IsContiguous(&buffer_, 'C') != 0;
  return true;
}

bool ArrayArgument::open_interface(PyObject* value, bool* contiguous) {
  PyObject* interface = PyObject_GetAttrString(value, "__array_interface__");
  if (!interface) return false;
  PyObject* pair = PyDict_GetItemString(interface, "data");
  PyObject* strides = PyDict_GetItemString(interface, "strides");
  bool good = pair && PyTuple_Check(pair) && PyTuple_GET_SIZE(pair) == 2;
  if (good) {
    data = PyLong_AsVoidPtr(PyTuple_GET_ITEM(pair, 0));
    read_only = PyObject_IsTrue(PyTuple_GET_ITEM(pair, 1)) > 0;
    *contiguous = !strides || strides == Py_None;
    PyObject* size = PyObject_GetAttrString(value, "nbytes");
    bytes = size ? PyLong_AsLongLong(size) : -1;
    Py_XDECREF(size);
    good = bytes >= 0 && !PyErr_Occurred();
  }
  Py_DECREF(interface);
  return good;
}

bool ArrayArgument::open_tensor(PyObject* value, bool* contiguous, const std::string& parameter,
                                const std::string& kernel) {
  std::string device, layout;
  PyObject* device_object = PyObject_GetAttrString(value, "device");
  if (device_object) read_attr_string(device_object, "type", &device);
  Py_XDECREF(device_object);
  if (device != "cpu")
    return fail(
        PyExc_TypeError,
        fmt::format(
            "{}: the tensor is on device '{}'; the simulator takes tensors in host memory: pass x.cpu()",
            describe(kernel, parameter), device));
  read_attr_string(value, "layout", &layout);
  if (layout != "torch.strided")
    return fail(PyExc_TypeError, fmt::format("{}: the tensor's layout is {}; pass x.to_dense()",
                                             describe(kernel, parameter), layout));
  if (call_flag(value, "is_neg") || call_flag(value, "is_conj"))
    return fail(
        PyExc_TypeError,
        fmt::format("{}: the tensor is a lazy negation or conjugate; pass x.resolve_neg().resolve_conj()",
                    describe(kernel, parameter)));
  const int64_t address = call_int(value, "data_ptr");
  const int64_t count = address == -1 && PyErr_Occurred() ? -1 : call_int(value, "numel");
  const int64_t size = count < 0 ? -1 : call_int(value, "element_size");
  if (PyErr_Occurred()) return false;
  data = reinterpret_cast<void*>(address);
  bytes = count * size;
  if (!data && bytes > 0)
    return fail(PyExc_TypeError,
                fmt::format("{}: the tensor has no memory (fake or symbolic)", describe(kernel, parameter)));
  *contiguous = call_flag(value, "is_contiguous");
  return true;
}

bool ArrayArgument::open_memory(PyObject* value, bool* contiguous, const std::string& parameter,
                                const std::string& kernel) {
  if (class_of(value) == TypeClass::Tensor) return open_tensor(value, contiguous, parameter, kernel);
  if (open_buffer(value, contiguous)) return true;
  PyErr_Clear();
  return open_interface(value, contiguous);
}

bool ArrayArgument::open(PyObject* value, DType dtype, const std::string& parameter,
                         const std::string& kernel) {
  bool contiguous = false;
  if (!open_memory(value, &contiguous, parameter, kernel)) return false;
  owner_ = Py_NewRef(value);
  dtype_ = dtype;
  layout_.begin = reinterpret_cast<intptr_t>(data);
  layout_.end = layout_.begin + bytes;
  if (contiguous) return true;
  const bool tensor = class_of(value) == TypeClass::Tensor;
  if (!layout_.read(value, data, tensor) || !warn_staged(parameter, kernel)) return false;
  PyObject* copy = nullptr;
  if (tensor) {
    copy = PyObject_CallMethod(value, "contiguous", nullptr);
  } else if (class_of(value) == TypeClass::NumpyArray) {
    copy = PyObject_CallMethod(value, "copy", "s", "C");
  } else {
    return fail(PyExc_TypeError,
                fmt::format("{}: the buffer is not contiguous; pass numpy.asarray(...) of it",
                            describe(kernel, parameter)));
  }
  if (!copy) return false;
  const bool was_read_only = read_only;
  if (has_buffer_) PyBuffer_Release(&buffer_);
  has_buffer_ = false;
  Py_SETREF(owner_, copy);
  original_ = Py_NewRef(value);
  const bool good = open_memory(copy, &contiguous, parameter, kernel) && contiguous;
  read_only = was_read_only;
  return good;
}

bool ArrayArgument::finish(bool may_write) {
  if (!original_ || !may_write || read_only) return true;
  if (class_of(original_) == TypeClass::Tensor) {
    PyObject* done = PyObject_CallMethod(original_, "copy_", "O", owner_);
    Py_XDECREF(done);
    return done != nullptr;
  }
  PyObject* all = Py_Ellipsis;
  return PyObject_SetItem(original_, all, owner_) == 0;
}

namespace {

// Counts the levels of containers within each other: what is nested deeper, or holds itself, is refused.
struct Nesting {
  Nesting()
      : entered(Py_EnterRecursiveCall(" in a compile-time value: it is nested too deeply or holds itself") ==
                0) {}
  ~Nesting() {
    if (entered) Py_LeaveRecursiveCall();
  }
  const bool entered;
};

// Bytes of an array or numpy scalar in logical order.
class ArrayBytes {
 public:
  explicit ArrayBytes(PyObject* array) {
    if (PyObject_GetBuffer(array, &buffer_, PyBUF_C_CONTIGUOUS) < 0) {
      PyErr_Clear();
      PyObject* bytes = PyObject_CallMethod(array, "tobytes", nullptr);
      if (!bytes || PyObject_GetBuffer(bytes, &buffer_, PyBUF_SIMPLE) < 0) buffer_.obj = nullptr;
      Py_XDECREF(bytes);
      PyErr_Clear();
    }
  }
  ArrayBytes(const ArrayBytes&) = delete;
  ArrayBytes& operator=(const ArrayBytes&) = delete;
  ~ArrayBytes() { PyBuffer_Release(&buffer_); }
  bool same(const ArrayBytes& other) const {
    return buffer_.obj && other.buffer_.obj && buffer_.len == other.buffer_.len &&
           std::memcmp(buffer_.buf, other.buffer_.buf, static_cast<size_t>(buffer_.len)) == 0;
  }

 private:
  Py_buffer buffer_ = {};
};

// Is an attribute of two objects equal? No where it cannot be told.
bool same_attribute(PyObject* kept, PyObject* value, const char* name) {
  PyObject* a = PyObject_GetAttrString(kept, name);
  PyObject* b = a ? PyObject_GetAttrString(value, name) : nullptr;
  const int same = b ? PyObject_RichCompareBool(a, b, Py_EQ) : 0;
  Py_XDECREF(a);
  Py_XDECREF(b);
  if (same < 0 || !b) PyErr_Clear();
  return same > 0;
}

// Arrays and numpy scalars: dtype, shape and bytes. What holds Python objects is never the same: it may
// change within.
bool same_numpy(PyObject* kept, PyObject* value) {
  if (!same_attribute(kept, value, "dtype") || !same_attribute(kept, value, "shape")) return false;
  PyObject* dtype = PyObject_GetAttrString(kept, "dtype");
  PyObject* holds = dtype ? PyObject_GetAttrString(dtype, "hasobject") : nullptr;
  const bool plain = holds == Py_False;
  Py_XDECREF(holds);
  Py_XDECREF(dtype);
  PyErr_Clear();
  return plain && ArrayBytes(kept).same(ArrayBytes(value));
}

bool is_true_answer(PyObject* equal) {
  if (equal == Py_True) return true;
  if (!is_instance_of(equal, "numpy", "bool_"))
    return false;  // an array's elementwise answer is not equality
  const int truth = PyObject_IsTrue(equal);
  if (truth < 0) PyErr_Clear();
  return truth > 0;
}

}  // namespace

PyObject* snapshot_constant(PyObject* value) {
  const bool immutable = value == Py_None || PyBool_Check(value) || PyLong_Check(value) ||
                         PyFloat_Check(value) || PyUnicode_Check(value) || PyBytes_Check(value) ||
                         PyType_Check(value) || PyFunction_Check(value) || PyModule_Check(value) ||
                         lower::as_jit(value) || PyCFunction_Check(value);
  DType dtype;
  if (immutable || lower::as_dtype(value, &dtype)) return Py_NewRef(value);
  if (class_of(value) == TypeClass::NumpyArray) {
    PyObject* copy = PyObject_CallMethod(value, "copy", nullptr);
    if (copy) return copy;
    PyErr_Clear();
  }
  if (!PyList_CheckExact(value) && !PyDict_CheckExact(value) && !PyTuple_CheckExact(value) &&
      !PyAnySet_Check(value))
    return Py_NewRef(value);
  PyObject* copy = PyImport_ImportModule("copy");
  PyObject* result = copy ? PyObject_CallMethod(copy, "deepcopy", "O", value) : nullptr;
  Py_XDECREF(copy);
  if (result) return result;
  PyErr_Clear();  // holds something that cannot be copied: kept by identity
  return Py_NewRef(value);
}

namespace {
int same_items(PyObject* kept, PyObject* value) {
  const Nesting nesting;
  if (!nesting.entered) return -1;
  const Py_ssize_t size = PySequence_Fast_GET_SIZE(kept);
  if (size != PySequence_Fast_GET_SIZE(value)) return 0;
  for (Py_ssize_t i = 0; i < size; i++) {
    const int same = same_constant(PySequence_Fast_GET_ITEM(kept, i), PySequence_Fast_GET_ITEM(value, i));
    if (same <= 0) return same;
  }
  return 1;
}
int same_dict(PyObject* kept, PyObject* value) {
  const Nesting nesting;
  if (!nesting.entered) return -1;
  if (PyDict_GET_SIZE(kept) != PyDict_GET_SIZE(value)) return 0;
  // Order counts: a kernel that iterates unrolls in this order.
  PyObject *kept_key, *kept_item, *key, *item;
  Py_ssize_t kept_at = 0, at = 0;
  while (PyDict_Next(kept, &kept_at, &kept_key, &kept_item) && PyDict_Next(value, &at, &key, &item)) {
    int same = same_constant(kept_key, key);
    if (same > 0) same = same_constant(kept_item, item);
    if (same <= 0) return same;
  }
  return 1;
}
}  // namespace

int same_constant(PyObject* kept, PyObject* value) {
  if (Py_TYPE(kept) != Py_TYPE(value)) return 0;
  if (PyList_CheckExact(kept) || PyTuple_CheckExact(kept)) return same_items(kept, value);
  if (PyDict_CheckExact(kept)) return same_dict(kept, value);
  if (kept == value) return 1;
  if (PyFloat_CheckExact(kept))
    return std::bit_cast<uint64_t>(PyFloat_AS_DOUBLE(kept)) ==
           std::bit_cast<uint64_t>(PyFloat_AS_DOUBLE(value));
  if (PyLong_Check(kept) || PyUnicode_Check(kept) || PyBytes_Check(kept))
    return PyObject_RichCompareBool(kept, value, Py_EQ);
  if (PyFunction_Check(kept) || PyType_Check(kept) || PyModule_Check(kept) || lower::as_jit(kept)) return 0;
  const TypeClass cls = class_of(kept);
  if (cls == TypeClass::NumpyArray || cls == TypeClass::NumpyScalar) return same_numpy(kept, value);
  PyObject* equal = PyObject_RichCompare(kept, value, Py_EQ);
  if (!equal) {
    PyErr_Clear();
    return 0;
  }
  const int same = is_true_answer(equal);
  Py_DECREF(equal);
  return same;
}

}  // namespace asc::runtime
