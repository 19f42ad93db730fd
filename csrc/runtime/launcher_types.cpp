// SPDX-License-Identifier: Apache-2.0
// The Python types of the launch: asc.JITFunction, the launch handle `kernel[cores, stream]`, and
// launch_hooks.
#include <cstddef>

#include "base/format.h"
#include "runtime/launcher_call.h"
#include "runtime/launcher_errors.h"

#include <structmember.h>

namespace asc::runtime {
namespace {

constexpr long kMaxGrid = 65535;
constexpr const char* kCompiledCapsule = "asc.CompiledKernel";

PyTypeObject* g_jit_type = nullptr;
PyTypeObject* g_handle_type = nullptr;
PyObject* g_launch_hooks = nullptr;
PyObject* g_last_findings = nullptr;

JitFunctionObject* as_jit_function(PyObject* object) { return reinterpret_cast<JitFunctionObject*>(object); }
HandleObject* as_handle(PyObject* object) { return reinterpret_cast<HandleObject*>(object); }
const std::string& name_of(PyObject* jit) { return as_jit_function(jit)->state->function->name; }

PyObject* handle_call(PyObject* self, PyObject* const* args, size_t nargsf, PyObject* kwnames);

// ---- JITFunction
// -----------------------------------------------------------------------------------------------------------

PyObject* jit_call(PyObject* self, PyObject* const*, size_t, PyObject*) {
  return PyErr_Format(PyExc_TypeError,
                      "%s is a kernel: launch it with %s[cores](...), for example %s[8](...)",
                      name_of(self).c_str(), name_of(self).c_str(), name_of(self).c_str());
}

PyObject* new_jit(PyTypeObject* type, JitState state, PyObject* bound_self) {
  auto* self = as_jit_function(type->tp_alloc(type, 0));
  if (!self) return nullptr;
  self->state = new JitState(std::move(state));
  Py_XINCREF(self->state->options);
  self->head.function = self->state->function.get();
  self->head.bound_self = bound_self ? Py_NewRef(bound_self) : nullptr;
  self->vectorcall = jit_call;
  return reinterpret_cast<PyObject*>(self);
}

bool set_options(JitState& state, PyObject* options, const char* where) {
  PyObject *key, *value;
  Py_ssize_t at = 0;
  while (options && PyDict_Next(options, &at, &key, &value)) {
    const char* name = PyUnicode_AsUTF8(key);
    if (!name || !set_option(state, name, value, where)) return false;
  }
  return true;
}

PyObject* jit_new(PyTypeObject* type, PyObject* args, PyObject* kwargs) {
  PyObject* fn;
  if (!PyArg_UnpackTuple(args, "JITFunction", 1, 1, &fn)) return nullptr;
  if (lower::as_jit(fn))
    return PyErr_Format(PyExc_TypeError, "%s is decorated with @asc.jit twice", name_of(fn).c_str());
  // Decorators below ours may have wrapped the function.
  PyObject* inner = Py_NewRef(fn);
  while (!PyFunction_Check(inner)) {
    PyObject* wrapped = PyObject_GetAttrString(inner, "__wrapped__");
    if (!wrapped) break;
    Py_SETREF(inner, wrapped);
  }
  PyErr_Clear();
  if (!PyFunction_Check(inner)) {
    PyErr_Format(PyExc_TypeError, "@asc.jit takes a function written with def, got %R", fn);
    Py_DECREF(inner);
    return nullptr;
  }
  return guarded(static_cast<PyObject*>(nullptr), [&]() -> PyObject* {
    JitState state;
    const struct Drop {
      PyObject* object;
      ~Drop() { Py_DECREF(object); }
    } drop{inner};
    state.function = std::make_shared<lower::KernelFunction>(inner);
    state.cache = std::make_shared<SpecialisationCache>();
    const std::string clash = clashing_parameters(*state.function);
    if (!clash.empty())
      return PyErr_Format(PyExc_RuntimeError,
                          "%s: these parameter names are options of @asc.jit: %s; rename them",
                          state.function->name.c_str(), clash.c_str());
    if (!set_options(state, kwargs, "@asc.jit")) return nullptr;
    PyObject* options = kwargs ? PyDict_Copy(kwargs) : PyDict_New();
    if (!options) return nullptr;
    state.options = options;
    PyObject* self = new_jit(type, std::move(state), nullptr);
    Py_DECREF(options);
    if (!self) return nullptr;
    // What functools.wraps would do: the kernel shows as the function it is.
    for (const char* name : {"__name__", "__qualname__", "__doc__", "__module__"}) {
      PyObject* value = PyObject_GetAttrString(fn, name);
      if (value && PyObject_SetAttrString(self, name, value) < 0) PyErr_Clear();
      Py_XDECREF(value);
      PyErr_Clear();
    }
    return self;
  });
}

int jit_traverse(PyObject* self, visitproc visit, void* arg) {
  Py_VISIT(Py_TYPE(self));
  Py_VISIT(as_jit_function(self)->dict);
  Py_VISIT(as_jit_function(self)->head.bound_self);
  if (as_jit_function(self)->state) Py_VISIT(as_jit_function(self)->state->options);
  return 0;
}
int jit_clear(PyObject* self) {
  Py_CLEAR(as_jit_function(self)->dict);
  Py_CLEAR(as_jit_function(self)->head.bound_self);
  if (as_jit_function(self)->state) Py_CLEAR(as_jit_function(self)->state->options);
  return 0;
}
void jit_dealloc(PyObject* self) {
  PyTypeObject* type = Py_TYPE(self);
  PyObject_GC_UnTrack(self);
  if (as_jit_function(self)->weakrefs) PyObject_ClearWeakRefs(self);
  jit_clear(self);
  delete as_jit_function(self)->state;
  type->tp_free(self);
  Py_DECREF(type);
}

// kernel[...]: the launch handle.
PyObject* jit_subscript(PyObject* self, PyObject* key) {
  PyObject* grid = key;
  PyObject* stream = Py_None;
  if (PyTuple_Check(key)) {
    const Py_ssize_t size = PyTuple_GET_SIZE(key);
    if (size < 1 || size > 2)
      return PyErr_Format(PyExc_TypeError,
                          "grids are one-dimensional: %s[...] takes a core count and a stream, got %zd items",
                          name_of(self).c_str(), size);
    grid = PyTuple_GET_ITEM(key, 0);
    if (size == 2) stream = PyTuple_GET_ITEM(key, 1);
  }
  const bool is_data =
      PyNumber_Check(stream) || PySequence_Check(stream) || PyMapping_Check(stream) || PyType_Check(stream);
  if (is_data)
    return PyErr_Format(PyExc_TypeError,
                        "%s[%R, %R]: grids are one-dimensional, and the second item is a stream "
                        "(asc.lib.runtime.current_stream() or None)",
                        name_of(self).c_str(), grid, stream);
  long cores = 0;
  const bool is_function = !PyIndex_Check(grid) && PyCallable_Check(grid);
  if (!is_function) {
    if (!PyIndex_Check(grid) || PyBool_Check(grid))
      return PyErr_Format(
          PyExc_TypeError,
          "%s[%R]: the core count must be an int from 1 to %ld, or a function that returns one",
          name_of(self).c_str(), grid, kMaxGrid);
    int overflow = 0;
    PyObject* index = PyNumber_Index(grid);
    if (!index) return nullptr;
    cores = PyLong_AsLongAndOverflow(index, &overflow);
    Py_DECREF(index);
    if (overflow || cores < 1 || cores > kMaxGrid)
      return PyErr_Format(PyExc_ValueError, "%s[%R]: the core count must be from 1 to %ld",
                          name_of(self).c_str(), grid, kMaxGrid);
  }
  HandleObject* handle = PyObject_GC_New(HandleObject, g_handle_type);
  if (!handle) return nullptr;
  handle->vectorcall = handle_call;
  handle->jit = as_jit_function(Py_NewRef(self));
  handle->grid = static_cast<int>(cores);
  handle->grid_function = is_function ? Py_NewRef(grid) : nullptr;
  handle->stream = Py_NewRef(stream);
  PyObject_GC_Track(handle);
  return reinterpret_cast<PyObject*>(handle);
}

// As a method: the receiver is a compile-time value, the kernel's first argument.
PyObject* jit_descr_get(PyObject* self, PyObject* object, PyObject*) {
  if (!object || object == Py_None) return Py_NewRef(self);
  PyObject* bound = new_jit(Py_TYPE(self), *as_jit_function(self)->state, object);
  if (bound && as_jit_function(self)->dict)
    as_jit_function(bound)->dict = PyDict_Copy(as_jit_function(self)->dict);
  return bound;
}

PyObject* jit_options(PyObject* self, PyObject* args, PyObject* kwargs) {
  if (PyTuple_GET_SIZE(args)) return PyErr_Format(PyExc_TypeError, "options() takes keywords only");
  JitState state = *as_jit_function(self)->state;
  if (!set_options(state, kwargs, "options()")) return nullptr;
  PyObject* options = PyDict_Copy(state.options);
  if (!options || (kwargs && PyDict_Update(options, kwargs) < 0)) {
    Py_XDECREF(options);
    return nullptr;
  }
  state.options = options;
  PyObject* made = new_jit(Py_TYPE(self), std::move(state), as_jit_function(self)->head.bound_self);
  Py_DECREF(options);
  if (made && as_jit_function(self)->dict)
    as_jit_function(made)->dict = PyDict_Copy(as_jit_function(self)->dict);
  return made;
}

// One kept specialisation: {"arguments": {name: type or compile-time value}, "why": ...}.
PyObject* describe_specialisation(const lower::KernelFunction& function, const Specialisation& kept) {
  PyObject* arguments = PyDict_New();
  size_t constant = 0;
  for (size_t i = 0; arguments && i < kept.codes.size(); i++) {
    const ArgInfo info = ArgInfo::of_code(kept.codes[i]);
    PyObject* shown = nullptr;
    if (info.form == ArgInfo::Form::Constant || info.form == ArgInfo::Form::Struct) {
      shown = Py_NewRef(kept.constants[constant++]);
    } else {
      const std::string text =
          fmt::format("{}{}{}", py_name(info.dtype), info.form == ArgInfo::Form::Array ? " array" : "",
                      info.nonnegative ? ", not negative" : "");
      shown = PyUnicode_FromStringAndSize(text.data(), static_cast<Py_ssize_t>(text.size()));
    }
    if (!shown || PyDict_SetItem(arguments, function.params[i].name, shown) < 0) Py_CLEAR(arguments);
    Py_XDECREF(shown);
  }
  return arguments ? Py_BuildValue("{s:N,s:s}", "arguments", arguments, "why", kept.why.c_str()) : nullptr;
}

PyObject* jit_cache_info(PyObject* self, PyObject*) {
  const SpecialisationCache& cache = *as_jit_function(self)->state->cache;
  PyObject* list = PyList_New(0);
  for (size_t i = 0; list && i < cache.entries.size(); i++) {
    PyObject* entry = describe_specialisation(*as_jit_function(self)->state->function, *cache.entries[i]);
    if (!entry || PyList_Append(list, entry) < 0) Py_CLEAR(list);
    Py_XDECREF(entry);
  }
  if (!list) return nullptr;
  return Py_BuildValue("{s:N,s:K,s:K,s:s}", "specialisations", list, "hits",
                       static_cast<unsigned long long>(cache.hits), "misses",
                       static_cast<unsigned long long>(cache.misses), "last_miss", cache.last_miss.c_str());
}
PyObject* jit_clear_cache(PyObject* self, PyObject*) {
  as_jit_function(self)->state->cache->entries.clear();
  Py_RETURN_NONE;
}

PyObject* jit_get_fn(PyObject* self, void*) { return Py_NewRef(as_jit_function(self)->state->function->fn); }
PyObject* jit_get_options(PyObject* self, void*) {
  return PyDict_Copy(as_jit_function(self)->state->options);
}
PyObject* jit_get_src(PyObject* self, void*) {
  const std::string& text = as_jit_function(self)->state->function->source.text;
  return PyUnicode_FromStringAndSize(text.data(), static_cast<Py_ssize_t>(text.size()));
}
PyObject* jit_repr(PyObject* self) { return PyUnicode_FromFormat("<asc kernel %s>", name_of(self).c_str()); }

PyMemberDef kJitMembers[] = {
    {"__vectorcalloffset__", T_PYSSIZET, offsetof(JitFunctionObject, vectorcall), READONLY, nullptr},
    {"__dictoffset__", T_PYSSIZET, offsetof(JitFunctionObject, dict), READONLY, nullptr},
    {"__weaklistoffset__", T_PYSSIZET, offsetof(JitFunctionObject, weakrefs), READONLY, nullptr},
    {nullptr, 0, 0, 0, nullptr}};
PyGetSetDef kJitGetSet[] = {{"fn", jit_get_fn, nullptr, "The Python function.", nullptr},
                            {"__wrapped__", jit_get_fn, nullptr, "The Python function.", nullptr},
                            {"src", jit_get_src, nullptr, "The captured source text.", nullptr},
                            {"default_options", jit_get_options, nullptr, "The options given.", nullptr},
                            {"__dict__", PyObject_GenericGetDict, PyObject_GenericSetDict, nullptr, nullptr},
                            {nullptr, nullptr, nullptr, nullptr, nullptr}};
PyMethodDef kJitMethods[] = {
    {"options", reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(jit_options)),
     METH_VARARGS | METH_KEYWORDS,
     "options(**options)\n--\n\nThe same kernel with these options; compiled variants are shared."},
    {"cache_info", jit_cache_info, METH_NOARGS,
     "The specialisations kept in memory (arguments, and why each was made), hits, misses, why the last miss was one."},
    {"clear_cache", jit_clear_cache, METH_NOARGS, "Forgets the specialisations kept in memory."},
    {nullptr, nullptr, 0, nullptr}};
PyType_Slot kJitSlots[] = {
    {Py_tp_new, reinterpret_cast<void*>(jit_new)},
    {Py_tp_call, reinterpret_cast<void*>(PyVectorcall_Call)},
    {Py_tp_dealloc, reinterpret_cast<void*>(jit_dealloc)},
    {Py_tp_traverse, reinterpret_cast<void*>(jit_traverse)},
    {Py_tp_clear, reinterpret_cast<void*>(jit_clear)},
    {Py_tp_repr, reinterpret_cast<void*>(jit_repr)},
    {Py_tp_descr_get, reinterpret_cast<void*>(jit_descr_get)},
    {Py_mp_subscript, reinterpret_cast<void*>(jit_subscript)},
    {Py_tp_members, kJitMembers},
    {Py_tp_getset, kJitGetSet},
    {Py_tp_methods, kJitMethods},
    {Py_tp_doc, const_cast<char*>(
                    "JITFunction(fn, **options)\n--\n\nA kernel, or a helper of kernels: made by @asc.jit, "
                    "launched by kernel[cores, stream](*args).")},
    {0, nullptr}};
PyType_Spec kJitSpec = {
    "asc.JITFunction", sizeof(JitFunctionObject), 0,
    Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_HAVE_VECTORCALL, kJitSlots};

// ---- launch handles
// --------------------------------------------------------------------------------------------------------

// A call's options (always_compile=True, ...) are taken out of its keywords.
struct SplitKeywords {
  std::vector<PyObject*> args;  // positional, then the remaining keywords' values
  PyObject* kwnames = nullptr;  // strong, or null
  bool has_options = false;
  JitState state;  // only when has_options
  ~SplitKeywords() { Py_XDECREF(kwnames); }
};

bool split_keywords(const JitState& base, PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames,
                    SplitKeywords* out) {
  out->state = base;
  out->has_options = true;
  out->args.assign(args, args + nargs);
  std::vector<PyObject*> names;
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(kwnames); i++) {
    PyObject* name = PyTuple_GET_ITEM(kwnames, i);
    const char* utf8 = PyUnicode_AsUTF8(name);
    if (!utf8) return false;
    if (is_option_name(utf8)) {
      if (!set_option(out->state, utf8, args[nargs + i], base.function->name.c_str())) return false;
      continue;
    }
    names.push_back(name);
    out->args.push_back(args[nargs + i]);
  }
  out->kwnames = PyTuple_New(static_cast<Py_ssize_t>(names.size()));
  if (!out->kwnames) return false;
  for (size_t i = 0; i < names.size(); i++)
    PyTuple_SET_ITEM(out->kwnames, static_cast<Py_ssize_t>(i), Py_NewRef(names[i]));
  return true;
}

PyObject* bound_arguments(const Call& call) {
  PyObject* dict = PyDict_New();
  for (size_t i = 0; dict && i < call.values.size(); i++)
    if (PyDict_SetItem(dict, call.function->params[i].name, call.values[i]) < 0) Py_CLEAR(dict);
  return dict;
}

// A grid function gets one dict of the bound arguments and returns the core count.
bool resolve_grid(HandleObject* handle, const Call& call, int* grid) {
  *grid = handle->grid;
  if (!handle->grid_function) return true;
  PyObject* arguments = bound_arguments(call);
  PyObject* result = arguments ? PyObject_CallOneArg(handle->grid_function, arguments) : nullptr;
  Py_XDECREF(arguments);
  if (!result) return false;
  int overflow = 0;
  const bool is_int = PyIndex_Check(result) && !PyBool_Check(result);
  PyObject* index = is_int ? PyNumber_Index(result) : nullptr;
  const long cores = index ? PyLong_AsLongAndOverflow(index, &overflow) : 0;
  Py_XDECREF(index);
  if (is_int && index && !overflow && cores >= 1 && cores <= kMaxGrid) {
    *grid = static_cast<int>(cores);
  } else if (!PyErr_Occurred()) {
    PyErr_Format(is_int ? PyExc_ValueError : PyExc_TypeError,
                 "%s: the grid function returned %R; the core count must be an int from 1 to %ld",
                 call.function->name.c_str(), result, kMaxGrid);
  }
  Py_DECREF(result);
  return !PyErr_Occurred();
}

// Binds and classifies; then `fn(state, call)`.
template <class Fn>
PyObject* with_call(HandleObject* handle, PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames,
                    Fn&& fn) {
  return guarded(static_cast<PyObject*>(nullptr), [&]() -> PyObject* {
    const JitState& base = *handle->jit->state;
    SplitKeywords split;
    bool has_options = false;
    if (kwnames)
      for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(kwnames) && !has_options; i++) {
        const char* utf8 = PyUnicode_AsUTF8(PyTuple_GET_ITEM(kwnames, i));
        if (!utf8) return nullptr;
        has_options = is_option_name(utf8);
      }
    if (has_options) {
      if (!split_keywords(base, args, nargs, kwnames, &split)) return nullptr;
      args = split.args.data();
      kwnames = split.kwnames;
    }
    Call call;
    call.function = base.function.get();
    if (!bind_arguments(*call.function, handle->jit->head.bound_self, args, nargs, kwnames, &call.values))
      return nullptr;
    if (!classify_call(&call)) return nullptr;
    return fn(has_options ? split.state : base, call);
  });
}

PyObject* handle_call(PyObject* self, PyObject* const* args, size_t nargsf, PyObject* kwnames) {
  HandleObject* handle = as_handle(self);
  return with_call(
      handle, args, PyVectorcall_NARGS(nargsf), kwnames,
      [&](const JitState& state, const Call& call) -> PyObject* {
        int grid;
        if (!resolve_grid(handle, call, &grid)) return nullptr;
        if (!launch_call(reinterpret_cast<PyObject*>(handle->jit), state, call, grid, handle->stream))
          return nullptr;
        Py_RETURN_NONE;
      });
}

void delete_compiled(PyObject* capsule) {
  delete static_cast<std::shared_ptr<CompiledKernel>*>(PyCapsule_GetPointer(capsule, kCompiledCapsule));
}

PyObject* handle_compile(PyObject* self, PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames) {
  HandleObject* handle = as_handle(self);
  return with_call(handle, args, nargs, kwnames, [&](const JitState& state, const Call& call) -> PyObject* {
    auto made = specialise(reinterpret_cast<PyObject*>(handle->jit), state, call, true);
    PyObject* capsule =
        PyCapsule_New(new std::shared_ptr<CompiledKernel>(made->kernel), kCompiledCapsule, delete_compiled);
    PyObject* module = capsule ? PyImport_ImportModule("asc.runtime.compiled") : nullptr;
    PyObject* result = module ? PyObject_CallMethod(module, "CompiledKernel", "O", capsule) : nullptr;
    Py_XDECREF(module);
    Py_XDECREF(capsule);
    return result;
  });
}

// time_compile(repeat, *args): for benchmarks, the path from the AST arena to Ascend C text.
PyObject* handle_time_compile(PyObject* self, PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames) {
  const long repeat = nargs ? PyLong_AsLong(args[0]) : -1;
  if (repeat < 1)
    return PyErr_Occurred() ? nullptr
                            : PyErr_Format(PyExc_TypeError, "time_compile takes a repeat count first");
  HandleObject* handle = as_handle(self);
  return with_call(
      handle, args + 1, nargs - 1, kwnames, [&](const JitState& state, const Call& call) -> PyObject* {
        const std::vector<double> seconds =
            time_compile(reinterpret_cast<PyObject*>(handle->jit), state, call, static_cast<int>(repeat));
        PyObject* list = PyList_New(static_cast<Py_ssize_t>(seconds.size()));
        for (size_t i = 0; list && i < seconds.size(); i++)
          PyList_SET_ITEM(list, static_cast<Py_ssize_t>(i), PyFloat_FromDouble(seconds[i]));
        return list;
      });
}

int handle_traverse(PyObject* self, visitproc visit, void* arg) {
  Py_VISIT(Py_TYPE(self));
  Py_VISIT(as_handle(self)->jit);
  Py_VISIT(as_handle(self)->grid_function);
  Py_VISIT(as_handle(self)->stream);
  return 0;
}
void handle_dealloc(PyObject* self) {
  PyTypeObject* type = Py_TYPE(self);
  PyObject_GC_UnTrack(self);
  Py_XDECREF(as_handle(self)->jit);
  Py_XDECREF(as_handle(self)->grid_function);
  Py_XDECREF(as_handle(self)->stream);
  PyObject_GC_Del(self);
  Py_DECREF(type);
}
PyObject* handle_repr(PyObject* self) {
  return as_handle(self)->grid_function
             ? PyUnicode_FromFormat("<asc kernel %s[%R]>",
                                    name_of(reinterpret_cast<PyObject*>(as_handle(self)->jit)).c_str(),
                                    as_handle(self)->grid_function)
             : PyUnicode_FromFormat("<asc kernel %s[%d]>",
                                    name_of(reinterpret_cast<PyObject*>(as_handle(self)->jit)).c_str(),
                                    as_handle(self)->grid);
}
PyMemberDef kHandleMembers[] = {
    {"__vectorcalloffset__", T_PYSSIZET, offsetof(HandleObject, vectorcall), READONLY, nullptr},
    {nullptr, 0, 0, 0, nullptr}};
PyMethodDef kHandleMethods[] = {
    {"compile", reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(handle_compile)),
     METH_FASTCALL | METH_KEYWORDS,
     "compile(*args, **kwargs)\n--\n\nCompiles for these arguments (arrays, or MockTensor and MockValue) without launching."},
    {"_time_compile", reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(handle_time_compile)),
     METH_FASTCALL | METH_KEYWORDS, nullptr},
    {nullptr, nullptr, 0, nullptr}};
PyType_Slot kHandleSlots[] = {
    {Py_tp_call, reinterpret_cast<void*>(PyVectorcall_Call)},
    {Py_tp_dealloc, reinterpret_cast<void*>(handle_dealloc)},
    {Py_tp_traverse, reinterpret_cast<void*>(handle_traverse)},
    {Py_tp_repr, reinterpret_cast<void*>(handle_repr)},
    {Py_tp_members, kHandleMembers},
    {Py_tp_methods, kHandleMethods},
    {Py_tp_doc, const_cast<char*>("A kernel with its core count and stream; immutable, call it to launch.")},
    {0, nullptr}};
PyType_Spec kHandleSpec = {"asc.LaunchHandle", sizeof(HandleObject), 0,
                           Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_HAVE_VECTORCALL |
                               Py_TPFLAGS_IMMUTABLETYPE | Py_TPFLAGS_DISALLOW_INSTANTIATION,
                           kHandleSlots};

// ---- functions for the Python side
// ------------------------------------------------------------------------------------------

std::shared_ptr<CompiledKernel>* compiled_of(PyObject* capsule) {
  return static_cast<std::shared_ptr<CompiledKernel>*>(PyCapsule_GetPointer(capsule, kCompiledCapsule));
}
PyObject* compiled_text(PyObject*, PyObject* args) {
  PyObject* capsule;
  const char* which;
  if (!PyArg_ParseTuple(args, "Os", &capsule, &which)) return nullptr;
  auto* kernel = compiled_of(capsule);
  if (!kernel) return nullptr;
  return guarded(static_cast<PyObject*>(nullptr), [&]() -> PyObject* {
    const std::string_view name = which;
    std::string text;
    if (name == "ascendc")
      text = (*kernel)->ascendc();
    else if (name == "ir")
      text = (*kernel)->ir_text();
    else if (name == "ir.lowered")
      text = (*kernel)->ir_lowered();
    else if (name == "bytecode")
      text = (*kernel)->bytecode();
    else if (name == "meta")
      text = meta_json(**kernel);
    else
      return PyErr_Format(PyExc_KeyError, "%s", which);
    return PyUnicode_FromStringAndSize(text.data(), static_cast<Py_ssize_t>(text.size()));
  });
}
PyObject* compiled_diagnostics(PyObject*, PyObject* capsule) {
  auto* kernel = compiled_of(capsule);
  if (!kernel) return nullptr;
  return guarded(static_cast<PyObject*>(nullptr),
                 [&] { return findings_to_python((*kernel)->early_findings()); });
}
PyObject* compiled_save(PyObject*, PyObject* args) {
  PyObject* capsule;
  const char* folder;
  if (!PyArg_ParseTuple(args, "Os", &capsule, &folder)) return nullptr;
  auto* kernel = compiled_of(capsule);
  if (!kernel) return nullptr;
  return guarded(static_cast<PyObject*>(nullptr),
                 [&] { return PyUnicode_FromString(save_compiled(**kernel, folder).c_str()); });
}
PyObject* set_platform(PyObject*, PyObject* name) {
  const char* utf8 = PyUnicode_AsUTF8(name);
  if (!utf8) return nullptr;
  const PlatformDesc* platform = find_platform(utf8);
  if (!platform) return PyErr_Format(PyExc_ValueError, "unknown platform '%s'", utf8);
  set_current_platform(*platform);
  Py_RETURN_NONE;
}
PyObject* get_platform(PyObject*, PyObject*) {
  const std::string_view name = current_platform().name;
  return PyUnicode_FromStringAndSize(name.data(), static_cast<Py_ssize_t>(name.size()));
}
PyObject* mock_types(PyObject*, PyObject* args) {
  PyObject *tensor, *value;
  if (!PyArg_UnpackTuple(args, "register_mock_types", 2, 2, &tensor, &value)) return nullptr;
  register_mock_types(tensor, value);
  Py_RETURN_NONE;
}
PyObject* last_findings(PyObject*, PyObject*) {
  return PyList_GetSlice(g_last_findings, 0, PyList_GET_SIZE(g_last_findings));
}
PyObject* py_shutdown_pool(PyObject*, PyObject*) {
  Py_BEGIN_ALLOW_THREADS;
  sim::shutdown_pool();
  Py_END_ALLOW_THREADS;
  Py_RETURN_NONE;
}

PyMethodDef kFunctions[] = {
    {"compiled_text", compiled_text, METH_VARARGS, nullptr},
    {"compiled_diagnostics", compiled_diagnostics, METH_O, nullptr},
    {"compiled_save", compiled_save, METH_VARARGS, nullptr},
    {"set_platform", set_platform, METH_O, nullptr},
    {"get_platform", get_platform, METH_NOARGS, nullptr},
    {"register_mock_types", mock_types, METH_VARARGS, nullptr},
    {"last_findings", last_findings, METH_NOARGS, "The findings of the last launch on the simulator."},
    {"shutdown_pool", py_shutdown_pool, METH_NOARGS, nullptr},
    {nullptr, nullptr, 0, nullptr}};

}  // namespace

bool call_launch_hooks(PyObject* jit, const Call& call, const Specialisation& specialisation, int grid,
                       PyObject* stream) {
  if (PyList_GET_SIZE(g_launch_hooks) == 0) return true;
  PyObject* arguments = bound_arguments(call);
  PyObject* capsule = arguments ? PyCapsule_New(new std::shared_ptr<CompiledKernel>(specialisation.kernel),
                                                kCompiledCapsule, delete_compiled)
                                : nullptr;
  PyObject* module = capsule ? PyImport_ImportModule("asc.runtime.compiled") : nullptr;
  PyObject* record =
      module ? PyObject_CallMethod(module, "LaunchRecord", "OiOOO", jit, grid, stream, arguments, capsule)
             : nullptr;
  Py_XDECREF(module);
  Py_XDECREF(capsule);
  Py_XDECREF(arguments);
  if (!record) return false;
  // A hook may change the list: each is fetched anew.
  for (Py_ssize_t i = 0; i < PyList_GET_SIZE(g_launch_hooks); i++) {
    PyObject* hook = Py_NewRef(PyList_GET_ITEM(g_launch_hooks, i));
    PyObject* done = PyObject_CallOneArg(hook, record);
    Py_DECREF(hook);
    Py_XDECREF(done);
    if (!done) {
      Py_DECREF(record);
      return false;
    }
  }
  Py_DECREF(record);
  return true;
}

bool keep_last_findings(const std::vector<Finding>& findings) {
  if (findings.empty() && PyList_GET_SIZE(g_last_findings) == 0) return true;
  PyObject* list = findings.empty() ? PyList_New(0) : findings_to_python(findings);
  if (!list) return false;
  Py_SETREF(g_last_findings, list);
  return true;
}

int init_launcher(PyObject* module) {
  g_jit_type = reinterpret_cast<PyTypeObject*>(PyType_FromSpec(&kJitSpec));
  g_handle_type = reinterpret_cast<PyTypeObject*>(PyType_FromSpec(&kHandleSpec));
  g_launch_hooks = PyList_New(0);
  g_last_findings = PyList_New(0);
  if (!g_jit_type || !g_handle_type || !g_launch_hooks || !g_last_findings) return -1;
  lower::register_jit_type(g_jit_type);
  if (PyModule_AddObjectRef(module, "JITFunction", reinterpret_cast<PyObject*>(g_jit_type)) < 0 ||
      PyModule_AddObjectRef(module, "LaunchHandle", reinterpret_cast<PyObject*>(g_handle_type)) < 0 ||
      PyModule_AddObjectRef(module, "launch_hooks", g_launch_hooks) < 0)
    return -1;
  return PyModule_AddFunctions(module, kFunctions);
}

}  // namespace asc::runtime
