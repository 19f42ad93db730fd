// SPDX-License-Identifier: Apache-2.0
// asc.JITFunction: what @asc.jit makes of a Python function.
#include <cstddef>

#include "base/format.h"
#include "runtime/launcher_cache.h"
#include "runtime/launcher_errors.h"
#include "runtime/launcher_types.h"

#include <structmember.h>

namespace asc::runtime {
namespace {

PyTypeObject* g_jit_type = nullptr;
PyTypeObject* g_kernel_type = nullptr;

// ---- what JITFunctions share

KernelObject* as_kernel(PyObject* object) { return reinterpret_cast<KernelObject*>(object); }

// Dropping them may run Python code that looks at the cache.
void forget_specialisations(SpecialisationCache& cache) {
  std::vector<std::shared_ptr<Specialisation>> dropped;
  dropped.swap(cache.entries);
}

// Fills `kernel`, `function` and `cache`. False with a Python error set; throws SourceError, CompileError.
bool make_kernel(PyObject* fn, JitState* state) {
  auto function = std::make_unique<lower::KernelFunction>(fn);
  auto cache = std::make_unique<SpecialisationCache>();
  KernelObject* kernel = PyObject_GC_New(KernelObject, g_kernel_type);
  if (!kernel) return false;
  state->kernel = PyRef::steal(reinterpret_cast<PyObject*>(kernel));
  state->function = kernel->function = function.release();
  state->cache = kernel->cache = cache.release();
  PyObject_GC_Track(kernel);
  return true;
}

int kernel_traverse(PyObject* self, visitproc visit, void* arg) {
  Py_VISIT(Py_TYPE(self));
  if (const int stopped = as_kernel(self)->function->traverse(visit, arg)) return stopped;
  for (const std::shared_ptr<Specialisation>& kept : as_kernel(self)->cache->entries) {
    for (const Mark& constant : kept->constants)
      if (const int stop = constant.traverse(visit, arg)) return stop;
    if (const int stopped = kept->dependencies.traverse(visit, arg)) return stopped;
  }
  return 0;
}
// The function stays, for the finalisers that still call the kernel: its own clear breaks its cycles.
int kernel_clear(PyObject* self) {
  forget_specialisations(*as_kernel(self)->cache);
  return 0;
}
void kernel_dealloc(PyObject* self) {
  PyTypeObject* type = Py_TYPE(self);
  PyObject_GC_UnTrack(self);
  delete as_kernel(self)->cache;
  delete as_kernel(self)->function;
  PyObject_GC_Del(self);
  Py_DECREF(type);
}
PyType_Slot kKernelSlots[] = {{Py_tp_dealloc, reinterpret_cast<void*>(kernel_dealloc)},
                              {Py_tp_traverse, reinterpret_cast<void*>(kernel_traverse)},
                              {Py_tp_clear, reinterpret_cast<void*>(kernel_clear)},
                              {0, nullptr}};
PyType_Spec kKernelSpec = {"asc.Kernel", sizeof(KernelObject), 0,
                           Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_DISALLOW_INSTANTIATION,
                           kKernelSlots};

// ---- JITFunction

PyObject* jit_call(PyObject* self, PyObject* const*, size_t, PyObject*) {
  return PyErr_Format(PyExc_TypeError,
                      "%s is a kernel: launch it with %s[cores](...), for example %s[8](...)",
                      name_of(self).c_str(), name_of(self).c_str(), name_of(self).c_str());
}

// What the launch handle has, asked of the kernel.
PyObject* jit_getattro(PyObject* self, PyObject* name) {
  PyObject* found = PyObject_GenericGetAttr(self, name);
  if (found || !PyErr_ExceptionMatches(PyExc_AttributeError) || !PyUnicode_Check(name) ||
      PyUnicode_CompareWithASCIIString(name, "compile") != 0)
    return found;
  const std::string kernel = name_of(self);
  return PyErr_Format(
      PyExc_AttributeError,
      "%s is a kernel: compile it with %s[cores].compile(...), for example %s[8].compile(...)",
      kernel.c_str(), kernel.c_str(), kernel.c_str());
}

PyObject* new_jit(PyTypeObject* type, JitState state, PyObject* bound_self) {
  auto* self = as_jit_function(type->tp_alloc(type, 0));
  if (!self) return nullptr;
  self->state = new JitState(std::move(state));
  self->head.function = self->state->function;
  self->head.bound_self = bound_self ? Py_NewRef(bound_self) : nullptr;
  self->vectorcall = jit_call;
  return reinterpret_cast<PyObject*>(self);
}

// The function below decorators that have wrapped it. Null with a Python error set.
PyRef unwrapped(PyObject* fn) {
  constexpr int kMostWrappers = 1000;  // an object may name itself, or make a new one each time it is asked
  PyRef inner = PyRef::borrow(fn);
  for (int i = 0; i < kMostWrappers && !PyFunction_Check(inner.get()); i++) {
    PyRef wrapped = PyRef::steal(PyObject_GetAttrString(inner.get(), "__wrapped__"));
    if (!wrapped) break;
    inner = std::move(wrapped);
  }
  if (PyFunction_Check(inner.get())) return inner;
  if (PyErr_Occurred() && !PyErr_ExceptionMatches(PyExc_Exception)) return {};  // KeyboardInterrupt
  PyErr_Format(PyExc_TypeError, "@asc.jit takes a function written with def, got %R", fn);
  return {};
}

PyObject* jit_new(PyTypeObject* type, PyObject* args, PyObject* kwargs) {
  PyObject* fn;
  if (!PyArg_UnpackTuple(args, "JITFunction", 1, 1, &fn)) return nullptr;
  if (lower::as_jit(fn))
    return PyErr_Format(PyExc_TypeError, "%s is decorated with @asc.jit twice", name_of(fn).c_str());
  const PyRef inner = unwrapped(fn);
  if (!inner) return nullptr;
  return guarded(static_cast<PyObject*>(nullptr), [&]() -> PyObject* {
    JitState state;
    if (!make_kernel(inner.get(), &state)) return nullptr;
    const std::string clash = clashing_parameters(*state.function);
    if (!clash.empty())
      return PyErr_Format(PyExc_RuntimeError,
                          "%s: these parameter names are options of @asc.jit: %s; rename them",
                          state.function->name.c_str(), clash.c_str());
    if (!set_options(state, kwargs, "@asc.jit")) return nullptr;
    state.options = PyRef::steal(kwargs ? PyDict_Copy(kwargs) : PyDict_New());
    if (!state.options) return nullptr;
    PyObject* self = new_jit(type, std::move(state), nullptr);
    if (!self) return nullptr;
    // What functools.wraps would do: the kernel shows as the function it is.
    for (const char* name : {"__name__", "__qualname__", "__doc__", "__module__"}) {
      PyObject* value = PyObject_GetAttrString(fn, name);
      if (value && PyObject_SetAttrString(self, name, value) < 0) drop_error();
      Py_XDECREF(value);
      drop_error();
    }
    return self;
  });
}

int jit_traverse(PyObject* self, visitproc visit, void* arg) {
  Py_VISIT(Py_TYPE(self));
  Py_VISIT(as_jit_function(self)->dict);
  Py_VISIT(as_jit_function(self)->head.bound_self);
  const JitState* state = as_jit_function(self)->state;
  if (!state) return 0;
  for (const PyRef* held : {&state->kernel, &state->options, &state->root}) Py_VISIT(held->get());
  return 0;
}
// The kernel stays: a finaliser that runs while a cycle is taken apart may still call this object.
int jit_clear(PyObject* self) {
  Py_CLEAR(as_jit_function(self)->dict);
  Py_CLEAR(as_jit_function(self)->head.bound_self);
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

// One that shares the kernel of `self`, and has its attributes.
PyObject* new_beside(PyObject* self, JitState state, PyObject* bound_self) {
  PyRef made = PyRef::steal(new_jit(Py_TYPE(self), std::move(state), bound_self));
  PyObject* dict = as_jit_function(self)->dict;
  if (made && dict && !(as_jit_function(made.get())->dict = PyDict_Copy(dict))) return nullptr;
  return made.release();
}

// As a method: the receiver is a compile-time value, the kernel's first argument.
PyObject* jit_descr_get(PyObject* self, PyObject* object, PyObject*) {
  if (!object || object == Py_None) return Py_NewRef(self);
  return guarded(static_cast<PyObject*>(nullptr),
                 [&] { return new_beside(self, *as_jit_function(self)->state, object); });
}

PyObject* jit_options(PyObject* self, PyObject* args, PyObject* kwargs) {
  if (PyTuple_GET_SIZE(args)) return PyErr_Format(PyExc_TypeError, "options() takes keywords only");
  return guarded(static_cast<PyObject*>(nullptr), [&]() -> PyObject* {
    JitState state = *as_jit_function(self)->state;
    if (!set_options(state, kwargs, "options()")) return nullptr;
    state.options = PyRef::steal(PyDict_Copy(state.options.get()));
    if (!state.options || (kwargs && PyDict_Update(state.options.get(), kwargs) < 0)) return nullptr;
    if (!state.root) state.root = PyRef::borrow(self);
    return new_beside(self, std::move(state), as_jit_function(self)->head.bound_self);
  });
}

// One kept specialisation: {"arguments": {name: type or compile-time value}, "why": ...}.
PyObject* describe_specialisation(const lower::KernelFunction& function, const Specialisation& kept) {
  PyObject* arguments = PyDict_New();
  size_t constant = 0;
  for (size_t i = 0; arguments && i < kept.codes.size(); i++) {
    const ArgInfo info = ArgInfo::of_code(kept.codes[i]);
    PyObject* shown = nullptr;
    if (info.form == ArgInfo::Form::Constant || info.form == ArgInfo::Form::Struct) {
      shown = Py_NewRef(kept.constants[constant++].value());
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
  return guarded(static_cast<PyObject*>(nullptr), [&]() -> PyObject* {
    const JitState& state = *as_jit_function(self)->state;
    const SpecialisationCache& cache = *state.cache;
    const auto entries = cache.entries;  // a finaliser that the collector runs meanwhile may change the list
    const PyRef list = PyRef::steal(PyList_New(0));
    if (!list) return nullptr;
    for (const std::shared_ptr<Specialisation>& kept : entries) {
      const PyRef entry = PyRef::steal(describe_specialisation(*state.function, *kept));
      if (!entry || PyList_Append(list.get(), entry.get()) < 0) return nullptr;
    }
    const std::string disk_miss = explain_disk_miss(*state.function, cache.disk_miss);
    const auto count = [](uint64_t value) { return static_cast<unsigned long long>(value); };
    return Py_BuildValue("{s:O,s:K,s:K,s:s,s:K,s:K,s:K,s:s,s:s}", "specialisations", list.get(), "hits",
                         count(cache.hits), "misses", count(cache.misses), "last_miss",
                         cache.last_miss.c_str(), "compiled", count(cache.compiled), "disk_hits",
                         count(cache.disk_hits), "disk_misses", count(cache.disk_misses), "last_disk_miss",
                         disk_miss.c_str(), "not_stored", cache.not_stored.c_str());
  });
}
PyObject* jit_clear_cache(PyObject* self, PyObject*) {
  forget_specialisations(*as_jit_function(self)->state->cache);
  Py_RETURN_NONE;
}

PyObject* jit_self(PyObject* self, PyObject*) { return Py_NewRef(self); }
// As functions are: by name. What options() or an instance made is made again from the one with a name.
PyObject* jit_reduce(PyObject* self, PyObject*) {
  JitFunctionObject* jit = as_jit_function(self);
  PyObject* receiver = jit->head.bound_self;
  PyObject* root = jit->state->root.get();
  if (receiver && !root) {
    PyObject* getattr = PyDict_GetItemString(PyEval_GetBuiltins(), "getattr");  // borrowed
    return Py_BuildValue("O(Os)", getattr, receiver, name_of(self).c_str());
  }
  if (!root) return PyObject_GetAttrString(self, "__qualname__");
  if (receiver && as_jit_function(root)->head.bound_self) receiver = nullptr;  // the root brings it
  const PyRef module = PyRef::steal(PyImport_ImportModule("asc._jit"));
  PyObject* make = module ? PyObject_GetAttrString(module.get(), "_with_options") : nullptr;
  return make ? Py_BuildValue("N(OOO)", make, root, jit->state->options.get(), receiver ? receiver : Py_None)
              : nullptr;
}
PyObject* jit_get_fn(PyObject* self, void*) { return Py_NewRef(as_jit_function(self)->state->function->fn); }
PyObject* jit_get_options(PyObject* self, void*) {
  return PyDict_Copy(as_jit_function(self)->state->options.get());
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
    {"__copy__", jit_self, METH_NOARGS, nullptr},
    {"__deepcopy__", jit_self, METH_O, nullptr},
    {"__reduce__", jit_reduce, METH_NOARGS, nullptr},
    {nullptr, nullptr, 0, nullptr}};
PyType_Slot kJitSlots[] = {
    {Py_tp_new, reinterpret_cast<void*>(jit_new)},
    {Py_tp_call, reinterpret_cast<void*>(PyVectorcall_Call)},
    {Py_tp_getattro, reinterpret_cast<void*>(jit_getattro)},
    {Py_tp_dealloc, reinterpret_cast<void*>(jit_dealloc)},
    {Py_tp_traverse, reinterpret_cast<void*>(jit_traverse)},
    {Py_tp_clear, reinterpret_cast<void*>(jit_clear)},
    {Py_tp_repr, reinterpret_cast<void*>(jit_repr)},
    {Py_tp_descr_get, reinterpret_cast<void*>(jit_descr_get)},
    {Py_mp_subscript, reinterpret_cast<void*>(make_handle)},
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
}  // namespace

JitState::JitState(const JitState& other)
    : kernel(PyRef::borrow(other.kernel.get())),
      function(other.function),
      cache(other.cache),
      compile(other.compile),
      sim(other.sim),
      strip_loc(other.strip_loc),
      options(PyRef::borrow(other.options.get())),
      root(PyRef::borrow(other.root.get())) {}

int init_jit_type(PyObject* module) {
  g_kernel_type = reinterpret_cast<PyTypeObject*>(PyType_FromSpec(&kKernelSpec));
  g_jit_type = reinterpret_cast<PyTypeObject*>(PyType_FromSpec(&kJitSpec));
  if (!g_kernel_type || !g_jit_type) return -1;
  lower::register_jit_type(g_jit_type);
  return PyModule_AddObjectRef(module, "JITFunction", reinterpret_cast<PyObject*>(g_jit_type));
}

}  // namespace asc::runtime
