// SPDX-License-Identifier: Apache-2.0
// The launch handle `kernel[cores, stream]`: its grid and stream, and a call of it.
#include <cstddef>
#include <utility>

#include "base/format.h"
#include "runtime/args_kinds.h"
#include "runtime/launcher_errors.h"
#include "runtime/launcher_gil.h"
#include "runtime/launcher_types.h"

#include <structmember.h>

namespace asc::runtime {
namespace {

constexpr long kMaxGrid = 65535;

PyTypeObject* g_handle_type = nullptr;
PyObject* g_default_stream = nullptr;
thread_local bool t_skips_launches = false;

HandleObject* as_handle(PyObject* object) { return reinterpret_cast<HandleObject*>(object); }
PyObject* jit_of(HandleObject* handle) { return reinterpret_cast<PyObject*>(handle->jit); }

// Anything but None and the stream that everything runs on is looked at in Python. False with an error set.
bool check_stream(PyObject* jit, PyObject* stream) {
  if (stream == Py_None || stream == g_default_stream) return true;
  PyObject* checked = call_in_module("asc.lib.runtime", "_check_stream", "(NO)",
                                     PyUnicode_FromFormat("%s[cores, stream]", name_of(jit).c_str()), stream);
  Py_XDECREF(checked);
  return checked != nullptr;
}

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
  out->state = JitState(base);
  out->has_options = true;
  out->args.assign(args, args + nargs);
  std::vector<PyObject*> names;
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(kwnames); i++) {
    PyObject* name = PyTuple_GET_ITEM(kwnames, i);
    const char* utf8 = PyUnicode_AsUTF8(name);
    if (!utf8) return false;
    if (std::string_view(utf8) == "core_num" || std::string_view(utf8) == "stream") {
      PyErr_Format(PyExc_TypeError,
                   "%s() got '%s' as a keyword; it is given in brackets: %s[cores, stream](...)",
                   base.function->name.c_str(), utf8, base.function->name.c_str());
      return false;
    }
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

// A grid function gets one dict of the bound arguments and returns the core count.
bool resolve_grid(HandleObject* handle, const Call& call, int* grid) {
  *grid = handle->grid;
  if (!handle->grid_function) return true;
  if (!PyCallable_Check(handle->grid_function)) {
    PyErr_Format(
        PyExc_RuntimeError,
        "%s[%R]: this handle was made while a torch operator was traced; its core count is a symbol, "
        "not a number",
        call.function->name.c_str(), handle->grid_function);
    return false;
  }
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

// Binds and classifies; then `fn(state, call)`, but for launches that are skipped.
template <class Fn>
PyObject* with_call(HandleObject* handle, PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames, Fn&& fn,
                    bool is_launch = false) {
  return guarded(static_cast<PyObject*>(nullptr), [&]() -> PyObject* {
    const JitState& base = *handle->jit->state;
    if (interpreter_ends() && !PySys_GetObject("modules"))  // an import would end the process
      return PyErr_Format(PyExc_RuntimeError, "%s: nothing can be launched after the interpreter shut down",
                          base.function->name.c_str());
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
    call.function = base.function;
    if (!bind_arguments(*call.function, handle->jit->head.bound_self, args, nargs, kwnames, &call.values))
      return nullptr;
    if (is_launch && t_skips_launches) Py_RETURN_NONE;
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
        if (!check_stream(jit_of(handle), handle->stream) || !resolve_grid(handle, call, &grid))
          return nullptr;
        if (!launch_call(jit_of(handle), state, call, grid, handle->stream)) return nullptr;
        Py_RETURN_NONE;
      },
      true);
}

PyObject* handle_compile(PyObject* self, PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames) {
  HandleObject* handle = as_handle(self);
  return with_call(handle, args, nargs, kwnames, [&](const JitState& state, const Call& call) -> PyObject* {
    auto made = specialise(jit_of(handle), state, call, true);
    return call_in_module("asc.runtime.compiled", "CompiledKernel", "(N)", compiled_capsule(made->kernel));
  });
}

// time_compile(repeat, *args): for benchmarks, the path from the AST arena to Ascend C text.
PyObject* handle_time_compile(PyObject* self, PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames) {
  const long repeat = nargs ? PyLong_AsLong(args[0]) : -1;
  if (repeat < 1)
    return PyErr_Occurred() ? nullptr
                            : PyErr_Format(PyExc_TypeError, "time_compile takes a repeat count first");
  HandleObject* handle = as_handle(self);
  return with_call(handle, args + 1, nargs - 1, kwnames,
                   [&](const JitState& state, const Call& call) -> PyObject* {
                     const std::vector<double> seconds =
                         time_compile(jit_of(handle), state, call, static_cast<int>(repeat));
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
  HandleObject* handle = as_handle(self);
  const char* name = name_of(jit_of(handle)).c_str();
  return handle->grid_function ? PyUnicode_FromFormat("<asc kernel %s[%R]>", name, handle->grid_function)
                               : PyUnicode_FromFormat("<asc kernel %s[%d]>", name, handle->grid);
}
// Immutable: its own copy. Pickled as `kernel[cores, stream]`, with the kernel by its name.
PyObject* handle_self(PyObject* self, PyObject*) { return Py_NewRef(self); }
PyObject* handle_reduce(PyObject* self, PyObject*) {
  HandleObject* handle = as_handle(self);
  const PyRef module = PyRef::steal(PyImport_ImportModule("operator"));
  PyObject* getitem = module ? PyObject_GetAttrString(module.get(), "getitem") : nullptr;
  if (!getitem) return nullptr;
  return handle->grid_function
             ? Py_BuildValue("N(O(OO))", getitem, jit_of(handle), handle->grid_function, handle->stream)
             : Py_BuildValue("N(O(iO))", getitem, jit_of(handle), handle->grid, handle->stream);
}
PyMemberDef kHandleMembers[] = {
    {"__vectorcalloffset__", T_PYSSIZET, offsetof(HandleObject, vectorcall), READONLY, nullptr},
    {nullptr, 0, 0, 0, nullptr}};
PyMethodDef kHandleMethods[] = {
    {"compile", reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(handle_compile)),
     METH_FASTCALL | METH_KEYWORDS,
     "compile(*args, **kwargs)\n--\n\nCompiles for these arguments (arrays, or MockTensor and MockValue) without launching."},
    {"__copy__", handle_self, METH_NOARGS, nullptr},
    {"__deepcopy__", handle_self, METH_O, nullptr},
    {"__reduce__", handle_reduce, METH_NOARGS, nullptr},
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
}  // namespace

PyObject* make_handle(PyObject* self, PyObject* key) {
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
  if ((PyIndex_Check(stream) || PyFloat_Check(stream)) && !PySequence_Check(stream))
    return PyErr_Format(PyExc_TypeError,
                        "%s[%R, %R]: grids are one-dimensional, and the second item is a stream "
                        "(asc.lib.runtime.current_stream() or None)",
                        name_of(self).c_str(), grid, stream);
  if (!check_stream(self, stream)) return nullptr;
  long cores = 0;
  // A symbol of torch's would become a number for good if it were looked at.
  const bool is_symbol = t_skips_launches && is_instance_of(grid, "torch", "SymInt");
  const bool is_function = is_symbol || (!PyIndex_Check(grid) && PyCallable_Check(grid));
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

PyObject* bound_arguments(const Call& call) {
  PyObject* dict = PyDict_New();
  for (size_t i = 0; dict && i < call.values.size(); i++)
    if (PyDict_SetItem(dict, call.function->params[i].name, call.values[i]) < 0) Py_CLEAR(dict);
  return dict;
}

bool skip_launches(bool skip) { return std::exchange(t_skips_launches, skip); }

void register_default_stream(PyObject* stream) { Py_XSETREF(g_default_stream, Py_NewRef(stream)); }

int init_handle_type(PyObject* module) {
  g_handle_type = reinterpret_cast<PyTypeObject*>(PyType_FromSpec(&kHandleSpec));
  return g_handle_type
             ? PyModule_AddObjectRef(module, "LaunchHandle", reinterpret_cast<PyObject*>(g_handle_type))
             : -1;
}

}  // namespace asc::runtime
