// SPDX-License-Identifier: Apache-2.0
// The extension module asc._asc: conversions only, no logic.
#include <pybind11/pybind11.h>

#include "ir/text.h"
#include "lower/objects.h"
#include "ops/op_table.h"
#include "ops/signature.h"
#include "runtime/launcher.h"

namespace py = pybind11;

namespace {

constexpr const char* kFamilyNames[] = {
#define ASC_X(Name) #Name,
    ASC_FOR_EACH_FAMILY(ASC_X)
#undef ASC_X
};

py::list dtype_names(const std::vector<asc::DType>& dtypes) {
  py::list names;
  for (const asc::DType dtype : dtypes) names.append(py::str(std::string(asc::py_name(dtype))));
  return names;
}

constexpr const char* kFormNames[] = {"scalar", "var",  "local_tensor", "global_tensor", "pointer",
                                      "dtype",  "enum", "struct",       "object",        "str",
                                      "any",    "self", "none"};
constexpr const char* kDirNames[] = {"in", "out", "inout", "py"};

py::str text_of(std::string_view text) { return {text.data(), text.size()}; }

// {"form", "name"}: name is the dtype, type variable, enum, struct or kind; of tensors and pointers the
// element's.
py::dict describe_type(const asc::OpDesc& op, const asc::TypePattern& type) {
  using Form = asc::TypePattern::Form;
  py::dict out;
  out["form"] = kFormNames[static_cast<int>(type.form)];
  std::string_view name = asc::py_name(type.dtype);
  if (type.form == Form::Enum) name = asc::enum_desc(static_cast<asc::EnumId>(type.enum_id)).py_name;
  if (type.form == Form::Struct) name = asc::struct_info(static_cast<asc::StructId>(type.enum_id)).py_name;
  if (type.form == Form::Object) name = asc::kKinds[static_cast<int>(type.object)].py_name;
  if (type.var >= 0 && type.form != Form::Struct)
    name = std::string_view(&op.vars[static_cast<size_t>(type.var)].name, 1);
  out["name"] = text_of(name);
  return out;
}

// As Python writes it: a bool, an int, a float, or the name of an enum's member.
py::object default_of(const asc::ParamDesc& param) {
  using Form = asc::TypePattern::Form;
  const auto whole = static_cast<int64_t>(param.default_value);
  if (param.type.form == Form::Enum) {
    const auto* member = asc::enum_desc(static_cast<asc::EnumId>(param.type.enum_id)).find(whole);
    return text_of(member ? member->name : "?");
  }
  if (asc::is_bool(param.type.dtype)) return py::bool_(whole != 0);
  if (asc::is_int(param.type.dtype)) return py::int_(whole);
  return py::float_(param.default_value);
}

py::dict describe_param(const asc::OpDesc& op, const asc::ParamDesc& param) {
  py::dict out;
  out["name"] = text_of(param.name);
  out["type"] = describe_type(op, param.type);
  out["direction"] = kDirNames[static_cast<int>(param.dir)];
  out["template"] = param.is_template;
  out["keyword_only"] = param.keyword_only;
  py::list spaces;
  for (int i = 0; i < asc::kSpaceCount; i++)
    if (param.spaces >> i & 1) spaces.append(text_of(asc::to_string(static_cast<asc::Space>(i))));
  out["spaces"] = spaces;
  if (param.has_default) out["default"] = default_of(param);
  return out;
}

py::dict describe_overload(const asc::OpDesc& op, const asc::OverloadDesc& overload) {
  py::dict out;
  out["text"] = text_of(overload.text);
  out["signature"] = asc::python_signature(op, overload);
  py::list params;
  for (const asc::ParamDesc& param : overload.params) params.append(describe_param(op, param));
  out["params"] = params;
  out["result"] = describe_type(op, overload.result);
  out["pipe"] = text_of(asc::to_string(overload.pipe));
  out["core"] = overload.core == asc::CoreSet::AIV   ? "AIV"
                : overload.core == asc::CoreSet::AIC ? "AIC"
                                                     : "any";
  out["waits"] = overload.waits;
  return out;
}

py::dict describe_op(const asc::OpDesc& op) {
  py::dict row;
  row["name"] = std::string(op.name);
  row["py_name"] = std::string(op.py_name);
  row["owner"] = op.owner == asc::Kind::Void ? std::string()
                                             : std::string(asc::kKinds[static_cast<int>(op.owner)].py_name);
  row["family"] = kFamilyNames[static_cast<int>(op.family)];
  row["doc"] = std::string(op.doc);
  py::dict dtypes;
  for (const asc::TypeVar& var : op.vars) dtypes[py::str(std::string(1, var.name))] = dtype_names(var.dtypes);
  row["dtypes"] = dtypes;
  py::list combos;  // of tied variables: what they may be together
  for (const auto& combo : op.combos)
    combos.append(dtype_names(
        std::vector<asc::DType>(combo.begin(), combo.begin() + static_cast<long>(op.vars.size()))));
  row["combos"] = combos;
  py::list overloads;
  for (const asc::OverloadDesc& overload : op.overloads) overloads.append(describe_overload(op, overload));
  row["overloads"] = overloads;
  return row;
}

void fill_module(py::module_& m) {
  m.attr("__version__") = ASC_VERSION;
  if (asc::lower::init_objects(m.ptr()) < 0 || asc::runtime::init_launcher(m.ptr()) < 0 ||
      asc::runtime::init_argument_types(m.ptr()) < 0)
    throw py::error_already_set();
  m.def(
      "op_table",
      [] {
        py::list rows;
        for (const asc::OpDesc& op : asc::op_table()) rows.append(describe_op(op));
        return rows;
      },
      "Every row of the op table as a dict; its overloads with parameters, result, pipe and core.");
  m.def(
      "unsupported",
      [](const std::string& name) {
        PyObject* object = asc::lower::unsupported_object(name);
        if (!object) throw py::error_already_set();
        return py::reinterpret_steal<py::object>(object);
      },
      "Stands for a name of the API that is not built yet.");
  m.def(
      "parse_ir", [](const std::string& text) { return asc::ir::print_module(*asc::ir::parse_module(text)); },
      "Reads the text form of the IR and prints it again.");
  m.def(
      "core_counts",
      [](const std::string& name) {
        const asc::PlatformDesc* platform = asc::find_platform(name);
        if (!platform) throw py::value_error("unknown platform '" + name + "'");
        return py::make_tuple(platform->aic_cores, platform->aiv_cores);
      },
      "A platform's cube and vector cores.");
  m.def("platforms", [] {
    py::list names;
    for (const asc::PlatformDesc& platform : asc::platforms()) names.append(std::string(platform.name));
    return names;
  });
}

// The types and tables exist once in the process: a second import of the module gets the first one's content,
// a sub-interpreter would get objects of another one.
int exec_module(PyObject* object) {
  static PyObject* content = nullptr;  // strong, for the process
  if (PyInterpreterState_Get() != PyInterpreterState_Main()) {
    PyErr_SetString(
        PyExc_ImportError,
        "asc works in the main interpreter only, not in sub-interpreters; use threads or processes");
    return -1;
  }
  if (content) return PyDict_Update(PyModule_GetDict(object), content);
  try {
    auto module = py::reinterpret_borrow<py::module_>(object);
    fill_module(module);
    content = PyDict_Copy(PyModule_GetDict(object));
    return content ? 0 : -1;
  } catch (py::error_already_set& error) {
    error.restore();
  } catch (const std::exception& error) {
    PyErr_SetString(PyExc_ImportError, error.what());
  }
  return -1;
}

PyModuleDef_Slot kSlots[] = {{Py_mod_exec, reinterpret_cast<void*>(exec_module)},
#ifdef Py_MOD_MULTIPLE_INTERPRETERS_NOT_SUPPORTED
                             {Py_mod_multiple_interpreters, Py_MOD_MULTIPLE_INTERPRETERS_NOT_SUPPORTED},
#endif
                             {0, nullptr}};
PyModuleDef kModule = {
    PyModuleDef_HEAD_INIT, "_asc", "The core of asc.", 0, nullptr, kSlots, nullptr, nullptr, nullptr};

}  // namespace

PyMODINIT_FUNC PyInit__asc() { return PyModuleDef_Init(&kModule); }
