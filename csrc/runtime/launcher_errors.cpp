// SPDX-License-Identifier: Apache-2.0
#include "runtime/launcher_errors.h"

#include <new>

#include "lower/lower.h"
#include "lower/source.h"

namespace asc::runtime {
namespace {

PyObject* errors_attribute(const char* name) {
  PyObject* module = PyImport_ImportModule("asc.errors");
  PyObject* found = module ? PyObject_GetAttrString(module, name) : nullptr;
  Py_XDECREF(module);
  return found;
}

PyObject* sites_to_python(const std::vector<Site>& sites) {
  PyObject* list = PyList_New(0);
  for (const Site& site : sites) {
    PyObject* tuple = Py_BuildValue("(sIIIss)", site.file.c_str(), site.line, site.col, site.end_col,
                                    site.text.c_str(), site.function.c_str());
    if (!tuple || PyList_Append(list, tuple) < 0) {
      Py_XDECREF(tuple);
      Py_DECREF(list);
      return nullptr;
    }
    Py_DECREF(tuple);
  }
  return list;
}

// `asc.errors.<name>(text, message, hint, sites)`, raised.
void raise_error(const char* name, const Error& error, PyObject* cause = nullptr) {
  PyObject* cls = errors_attribute(name);
  PyObject* sites = cls ? sites_to_python(error.sites()) : nullptr;
  PyObject* object = sites ? PyObject_CallFunction(cls, "sssO", error.what(), error.message().c_str(),
                                                   error.hint().c_str(), sites)
                           : nullptr;
  if (object && cause) PyException_SetCause(object, Py_NewRef(cause));
  if (object) PyErr_SetObject(reinterpret_cast<PyObject*>(Py_TYPE(object)), object);
  Py_XDECREF(object);
  Py_XDECREF(sites);
  Py_XDECREF(cls);
}

PyObject* finding_to_python(PyObject* cls, const Finding& f) {
  PyObject* sites = sites_to_python(f.sites);
  PyObject* other = sites ? sites_to_python(f.other) : nullptr;
  PyObject* object = nullptr;
  if (other)
    object = PyObject_CallFunction(cls, "sssssOOssss(LL)Ks", f.id.c_str(), f.kind.c_str(),
                                   f.severity == Severity::Error ? "error" : "warning", f.message.c_str(),
                                   f.fix.c_str(), sites, other, f.op.c_str(), f.core.c_str(), f.pipe.c_str(),
                                   f.buffer.c_str(), static_cast<long long>(f.range_begin),
                                   static_cast<long long>(f.range_end),
                                   static_cast<unsigned long long>(f.count), render_finding(f).c_str());
  Py_XDECREF(sites);
  Py_XDECREF(other);
  return object;
}

}  // namespace

void set_python_error_from_exception() {
  try {
    throw;
  } catch (const lower::PythonErrorSet&) {
    // set already
  } catch (const lower::PythonCompileError& error) {
    raise_error("CompileError", error, error.cause->get());
  } catch (const CompileError& error) {
    raise_error("CompileError", error);
  } catch (const ast::SourceError& error) {
    std::vector<Site> sites;
    if (!error.site().file.empty()) sites.push_back(error.site());
    raise_error("CompileError", CompileError(error.message(), error.hint(), std::move(sites)));
  } catch (const LaunchError& error) {
    raise_error("LaunchError", error);
  } catch (const KernelError& error) {
    raise_findings(error.findings());
  } catch (const std::bad_alloc&) {
    PyErr_NoMemory();
  } catch (const std::exception& error) {
    PyErr_Format(PyExc_SystemError, "asc has a bug: %s", error.what());
  }
}

PyObject* findings_to_python(std::span<const Finding> findings) {
  PyObject* cls = errors_attribute("Finding");
  PyObject* list = cls ? PyList_New(0) : nullptr;
  for (size_t i = 0; list && i < findings.size(); i++) {
    PyObject* object = finding_to_python(cls, findings[i]);
    if (!object || PyList_Append(list, object) < 0) Py_CLEAR(list);
    Py_XDECREF(object);
  }
  Py_XDECREF(cls);
  return list;
}

void raise_findings(std::span<const Finding> findings) {
  PyObject* list = findings_to_python(findings);
  PyObject* make = list ? errors_attribute("kernel_error") : nullptr;
  PyObject* object = make ? PyObject_CallFunctionObjArgs(make, list, nullptr) : nullptr;
  if (object) PyErr_SetObject(reinterpret_cast<PyObject*>(Py_TYPE(object)), object);
  Py_XDECREF(object);
  Py_XDECREF(make);
  Py_XDECREF(list);
}

bool warn_findings(std::span<const Finding> findings) {
  PyObject* category = errors_attribute("FindingWarning");
  if (!category) return false;
  bool good = true;
  for (const Finding& finding : findings) {
    if (PyErr_WarnEx(category, render_finding(finding).c_str(), 1) == 0) continue;
    good = false;
    break;
  }
  Py_DECREF(category);
  return good;
}

}  // namespace asc::runtime
