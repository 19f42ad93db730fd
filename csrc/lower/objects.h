// SPDX-License-Identifier: Apache-2.0
// The Python objects that mean something inside a kernel: dtypes, device enums, ops (`asc.add`), kinds of
// value
// (`asc.GlobalTensor`), builtins (`asc.range`), names that are known but not supported yet. C types,
// recognised by exact type. Everything here needs the GIL. Types are made once by `init_objects`.
#pragma once

#include <Python.h>

#include <optional>
#include <string_view>

#include "ops/op_table.h"
#include "ops/properties.h"

namespace asc::lower {

// Words that the lowering itself understands.
// clang-format off
#define ASC_FOR_EACH_BUILTIN(X)                                                                        \
  X(Range, "range") X(StaticRange, "static_range") X(CeilDiv, "ceildiv") X(Number, "number") X(Property, "property") \
  X(AscendIsAic, "ascend_is_aic") X(AscendIsAiv, "ascend_is_aiv") X(Print, "print") \
  X(Workspace, "workspace")
// clang-format on

enum class BuiltinId : uint8_t {
#define ASC_X(Id, py) Id,
  ASC_FOR_EACH_BUILTIN(ASC_X)
#undef ASC_X
};

struct DTypeObject {
  PyObject_HEAD DType dtype;
};
struct OpObject {  // asc.add; calling it outside a kernel raises and says so
  PyObject_HEAD OpId op;
};
struct KindObject {  // asc.GlobalTensor: an annotation, and inside a kernel a constructor
  PyObject_HEAD Kind kind;
};
struct BuiltinObject {
  PyObject_HEAD BuiltinId builtin;
};
struct PropertyObject {  // asc.TOTAL_L1_SIZE: what asc.property takes
  PyObject_HEAD const PropertyDesc* desc;
};
struct UnsupportedObject {  // a name of the API that is not built yet; any use raises "asc.xyz is not yet
                            // supported"
  PyObject_HEAD PyObject* name;  // "asc.data_copy_pad"
};

// Makes the types; adds asc.DataType, the dtypes, ops, kinds, enums and builtins to `module`. Returns -1 with
// a Python error set.
bool is_asc_module(std::string_view name);  // "asc" or one in it

int init_objects(PyObject* module);
int init_dtypes(PyObject* module);  // a part of it

// Recognition; the object may be anything. Borrowed results.
bool as_dtype(PyObject* object, DType* out);  // asc.float32 and its aliases; not numpy dtypes
std::optional<OpId> as_op(PyObject* object);
std::optional<Kind> as_kind(PyObject* object);
std::optional<BuiltinId> as_builtin(
    PyObject* object);  // also Python's own range, print (the builtins of the same meaning)
bool as_enum(PyObject* object, EnumId* id, int64_t* value);  // a member of a device enum
bool as_enum_class(PyObject* object, EnumId* id);
const PropertyDesc* as_property(PyObject* object);
bool is_struct_class(PyObject* object);        // a subclass of asc.language.core.struct.Struct
const char* as_unsupported(PyObject* object);  // its name, or nullptr
// Is this a name of the API ("asc.LocalTensor.print"), built or not? Reads asc._names at first use.
bool is_known_name(std::string_view qualified);
PyObject* unsupported_object(std::string_view qualified);  // a new reference

PyObject* dtype_object(DType dtype);
PyObject* enum_member(EnumId id, int64_t value);  // nullptr (no error set) if there is none
PyObject* kind_object(Kind kind);

// ---- functions decorated with @asc.jit
// -----------------------------------------------------------------------------------
struct KernelFunction;  // lower/function.h

// The head that every JITFunction object starts with; the runtime derives its type from it.
struct JitObject {
  PyObject_HEAD KernelFunction* function;
  PyObject* bound_self;  // the receiver of a bound method (a compile-time value: its first argument), or
                         // null; strong
};
void register_jit_type(PyTypeObject* type);  // by the runtime
const KernelFunction* as_jit(
    PyObject* object);                    // nullptr if it is none; subclasses of the registered type count
PyObject* jit_bound_self(PyObject* jit);  // borrowed, or null

}  // namespace asc::lower
