// SPDX-License-Identifier: Apache-2.0
// Binding of a call's arguments to parameters, with the errors Python itself gives.
#include <algorithm>

#include "base/format.h"
#include "runtime/launcher.h"

namespace asc::runtime {
namespace {

bool fail(const std::string& text) {
  PyErr_SetString(PyExc_TypeError, text.c_str());
  return false;
}

// "'a'", "'a' and 'b'", "'a', 'b', and 'c'": as Python lists missing arguments.
std::string join_names(const std::vector<std::string>& names) {
  std::string out;
  for (size_t i = 0; i < names.size(); i++) {
    if (i) out += names.size() == 2 ? " and " : i + 1 == names.size() ? ", and " : ", ";
    out += "'" + names[i] + "'";
  }
  return out;
}

bool report_missing(const lower::KernelFunction& function, const Bound& values) {
  for (const bool keyword_only : {false, true}) {
    std::vector<std::string> missing;
    for (size_t i = 0; i < values.size(); i++)
      if (!values[i] && function.params[i].keyword_only == keyword_only)
        missing.push_back(function.params[i].utf8);
    if (missing.empty()) continue;
    return fail(fmt::format("{}() missing {} required {} argument{}: {}", function.name, missing.size(),
                            keyword_only ? "keyword-only" : "positional", missing.size() == 1 ? "" : "s",
                            join_names(missing)));
  }
  return true;
}

bool bind_keyword(const lower::KernelFunction& function, PyObject* name, PyObject* value, Bound* values) {
  for (size_t i = 0; i < function.params.size(); i++) {
    const lower::Parameter& parameter = function.params[i];
    if (parameter.name != name && PyUnicode_Compare(parameter.name, name) != 0) continue;
    if (parameter.positional_only)
      return fail(fmt::format("{}() got some positional-only arguments passed as keyword arguments: '{}'",
                              function.name, parameter.utf8));
    if ((*values)[i])
      return fail(fmt::format("{}() got multiple values for argument '{}'", function.name, parameter.utf8));
    (*values)[i] = value;
    return true;
  }
  const char* utf8 = PyUnicode_AsUTF8(name);
  return utf8 && fail(fmt::format("{}() got an unexpected keyword argument '{}'", function.name, utf8));
}

}  // namespace

bool bind_arguments(const lower::KernelFunction& function, PyObject* bound_self, PyObject* const* args,
                    Py_ssize_t nargs, PyObject* kwnames, Bound* values) {
  const size_t count = function.params.size();
  const size_t positional =
      static_cast<size_t>(std::count_if(function.params.begin(), function.params.end(),
                                        [](const lower::Parameter& p) { return !p.keyword_only; }));
  const size_t given = static_cast<size_t>(nargs) + (bound_self ? 1 : 0);
  values->assign(count, nullptr);
  if (given > positional) {
    const size_t optional = static_cast<size_t>(
        std::count_if(function.params.begin(), function.params.end(),
                      [](const lower::Parameter& p) { return !p.keyword_only && p.default_value; }));
    const std::string range = optional ? fmt::format("from {} to {}", positional - optional, positional)
                                       : fmt::format("{}", positional);
    std::vector<std::string> names;
    for (const lower::Parameter& p : function.params)
      if (!p.keyword_only) names.push_back(p.utf8);
    const std::string taken =
        names.empty()
            ? ""
            : fmt::format(": the parameter{} {}", names.size() == 1 ? " is" : "s are", join_names(names));
    return fail(fmt::format("{}() takes {} positional argument{} but {} {} given; argument {} is left over{}",
                            function.name, range, positional == 1 && !optional ? "" : "s", given,
                            given == 1 ? "was" : "were", positional + 1, taken));
  }
  size_t at = 0;
  if (bound_self) (*values)[at++] = bound_self;
  for (Py_ssize_t i = 0; i < nargs; i++) (*values)[at++] = args[i];
  const Py_ssize_t keywords = kwnames ? PyTuple_GET_SIZE(kwnames) : 0;
  for (Py_ssize_t i = 0; i < keywords; i++)
    if (!bind_keyword(function, PyTuple_GET_ITEM(kwnames, i), args[nargs + i], values)) return false;
  bool missing = false;
  for (size_t i = 0; i < count; i++) {
    if (!(*values)[i]) (*values)[i] = function.params[i].default_value;
    missing |= !(*values)[i];
  }
  return !missing || report_missing(function, *values);
}

}  // namespace asc::runtime
