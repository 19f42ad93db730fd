// SPDX-License-Identifier: Apache-2.0
// The launch's functions for the Python side, launch hooks, and what the module starts with.
#include <cstdarg>

#include "runtime/args_pack.h"
#include "runtime/device.h"
#include "runtime/launcher_cache.h"
#include "runtime/launcher_errors.h"
#include "runtime/launcher_types.h"

namespace asc::runtime {
namespace {

constexpr const char* kCompiledCapsule = "asc.CompiledKernel";

PyObject* g_launch_hooks = nullptr;
PyObject* g_last_findings = nullptr;

void delete_compiled(PyObject* capsule) {
  delete static_cast<std::shared_ptr<CompiledKernel>*>(PyCapsule_GetPointer(capsule, kCompiledCapsule));
}
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
  PyObject *capsule, *path = nullptr;
  int comments;
  if (!PyArg_ParseTuple(args, "OO&p", &capsule, PyUnicode_FSConverter, &path, &comments)) return nullptr;
  const PyRef folder = PyRef::steal(path);  // bytes
  auto* kernel = compiled_of(capsule);
  if (!kernel) return nullptr;
  return guarded(static_cast<PyObject*>(nullptr), [&] {
    const std::string saved = save_compiled(**kernel, PyBytes_AS_STRING(folder.get()), comments != 0);
    return PyUnicode_DecodeFSDefaultAndSize(saved.data(), static_cast<Py_ssize_t>(saved.size()));
  });
}
PyObject* set_platform(PyObject*, PyObject* name) {
  const char* utf8 = PyUnicode_Check(name) ? PyUnicode_AsUTF8(name) : nullptr;
  drop_error();
  const PlatformDesc* platform = utf8 ? find_platform(utf8) : nullptr;
  if (!platform) return PyErr_Format(PyExc_ValueError, "unknown platform %R", name);
  set_current_platform(*platform);
  Py_RETURN_NONE;
}
PyObject* get_platform(PyObject*, PyObject*) {
  const std::string_view name = current_platform().name;
  return PyUnicode_FromStringAndSize(name.data(), static_cast<Py_ssize_t>(name.size()));
}
PyObject* py_set_backend(PyObject*, PyObject* args, PyObject* kwargs) {
  static const char* keywords[] = {"backend", "platform", nullptr};
  const char* backend;
  PyObject* platform = Py_None;
  if (!PyArg_ParseTupleAndKeywords(args, kwargs, "s|O:set_backend", const_cast<char**>(keywords), &backend,
                                   &platform))
    return nullptr;
  PyRef name = PyRef::steal(PyUnicode_Check(platform) ? Py_NewRef(platform)
                                                      : PyObject_GetAttrString(platform, "value"));
  if (!name) name = PyRef::borrow(platform);  // neither a name nor a Platform: no platform
  drop_error();
  const std::string_view asked = backend;
  // Where tensors say nothing of a device, launches of "auto" go to the simulator.
  if (asked != "auto" && asked != "sim" && asked != "npu")
    return PyErr_Format(PyExc_ValueError, "set_backend: '%s' is no backend; known are auto, sim, npu",
                        backend);
  if (platform != Py_None) {
    const PyRef done = PyRef::steal(set_platform(nullptr, name.get()));
    if (!done) return nullptr;
  }
  set_current_device(asked == "auto" ? "sim" : asked);
  Py_RETURN_NONE;
}
PyObject* py_get_backend(PyObject*, PyObject*) {
  const std::string_view name = current_device().name();
  return PyUnicode_FromStringAndSize(name.data(), static_cast<Py_ssize_t>(name.size()));
}
PyObject* py_register_default_stream(PyObject*, PyObject* stream) {
  register_default_stream(stream);
  Py_RETURN_NONE;
}
PyObject* py_skip_launches(PyObject*, PyObject* skip) {
  const int on = PyObject_IsTrue(skip);
  return on < 0 ? nullptr : PyBool_FromLong(skip_launches(on != 0));
}
PyObject* py_note_writes(PyObject*, PyObject* list) {
  if (list != Py_None && !PyList_CheckExact(list))
    return PyErr_Format(PyExc_TypeError, "note_writes takes a list or None, not %R", list);
  return note_writes(list == Py_None ? nullptr : list);
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
PyObject* py_copy_counts(PyObject*, PyObject*) {
  const CopyCounts& counts = copy_counts();
  return Py_BuildValue("(KK)", static_cast<unsigned long long>(counts.copies),
                       static_cast<unsigned long long>(counts.overwritten));
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
    {"set_backend", reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(py_set_backend)),
     METH_VARARGS | METH_KEYWORDS,
     "set_backend(backend, platform=None)\n--\n\nWhere kernels run from now on: 'auto', 'sim' or 'npu'."},
    {"get_backend", py_get_backend, METH_NOARGS, nullptr},
    {"register_default_stream", py_register_default_stream, METH_O, nullptr},
    {"skip_launches", py_skip_launches, METH_O, nullptr},
    {"note_writes", py_note_writes, METH_O, nullptr},
    {"register_mock_types", mock_types, METH_VARARGS, nullptr},
    {"last_findings", last_findings, METH_NOARGS, "The findings of the last launch on the simulator."},
    {"_copy_counts", py_copy_counts, METH_NOARGS, nullptr},
    {"shutdown_pool", py_shutdown_pool, METH_NOARGS, nullptr},
    {nullptr, nullptr, 0, nullptr}};

}  // namespace

PyObject* compiled_capsule(std::shared_ptr<CompiledKernel> kernel) {
  return PyCapsule_New(new std::shared_ptr<CompiledKernel>(std::move(kernel)), kCompiledCapsule,
                       delete_compiled);
}

PyObject* call_in_module(const char* module, const char* name, const char* format, ...) {
  va_list list;
  va_start(list, format);
  const PyRef arguments = PyRef::steal(Py_VaBuildValue(format, list));
  va_end(list);
  const PyRef owner = arguments ? PyRef::steal(PyImport_ImportModule(module)) : PyRef();
  const PyRef callee = owner ? PyRef::steal(PyObject_GetAttrString(owner.get(), name)) : PyRef();
  return callee ? PyObject_CallObject(callee.get(), arguments.get()) : nullptr;
}

bool call_launch_hooks(PyObject* jit, const Call& call, const Specialisation& specialisation, int grid,
                       PyObject* stream) {
  if (PyList_GET_SIZE(g_launch_hooks) == 0) return true;
  PyObject* record = call_in_module("asc.runtime.compiled", "LaunchRecord", "(OiONN)", jit, grid, stream,
                                    bound_arguments(call), compiled_capsule(specialisation.kernel));
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
  g_launch_hooks = PyList_New(0);
  g_last_findings = PyList_New(0);
  if (!g_launch_hooks || !g_last_findings || init_jit_type(module) < 0 || init_handle_type(module) < 0 ||
      PyModule_AddObjectRef(module, "launch_hooks", g_launch_hooks) < 0)
    return -1;
  if (PyModule_AddFunctions(module, kFunctions) < 0) return -1;
  return PyModule_AddFunctions(module, kCacheFunctions);
}

}  // namespace asc::runtime
