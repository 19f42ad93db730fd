// SPDX-License-Identifier: Apache-2.0
// The extension module asc._asc: conversions only, no logic.
#include <pybind11/pybind11.h>

#include "ops/op_table.h"
#include "ops/signature.h"
#include "lower/objects.h"
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

py::dict describe_op(const asc::OpDesc& op) {
  py::dict row;
  row["name"] = std::string(op.name);
  row["py_name"] = std::string(op.py_name);
  row["owner"] = op.owner == asc::Kind::Void ? std::string() : std::string(asc::kKinds[static_cast<int>(op.owner)].py_name);
  row["family"] = kFamilyNames[static_cast<int>(op.family)];
  row["doc"] = std::string(op.doc);
  py::dict dtypes;
  for (const asc::TypeVar& var : op.vars) dtypes[py::str(std::string(1, var.name))] = dtype_names(var.dtypes);
  row["dtypes"] = dtypes;
  py::list combos;  // of tied variables: what they may be together
  for (const auto& combo : op.combos)
    combos.append(dtype_names(std::vector<asc::DType>(combo.begin(), combo.begin() + static_cast<long>(op.vars.size()))));
  row["combos"] = combos;
  py::list overloads;
  for (const asc::OverloadDesc& overload : op.overloads) {
    py::dict entry;
    entry["text"] = std::string(overload.text);
    entry["signature"] = asc::python_signature(op, overload);
    entry["pipe"] = std::string(asc::to_string(overload.pipe));
    overloads.append(entry);
  }
  row["overloads"] = overloads;
  return row;
}

}  // namespace

PYBIND11_MODULE(_asc, m) {
  m.doc() = "The core of asc.";
  m.attr("__version__") = ASC_VERSION;
  if (asc::lower::init_objects(m.ptr()) < 0 || asc::runtime::init_launcher(m.ptr()) < 0) throw py::error_already_set();
  m.def(
      "op_table",
      [] {
        py::list rows;
        for (const asc::OpDesc& op : asc::op_table()) rows.append(describe_op(op));
        return rows;
      },
      "Every row of the op table as a dict: names, family, dtypes, overloads, doc.");
  m.def(
      "unsupported",
      [](const std::string& name) {
        PyObject* object = asc::lower::unsupported_object(name);
        if (!object) throw py::error_already_set();
        return py::reinterpret_steal<py::object>(object);
      },
      "Stands for a name of the API that is not built yet.");
  m.def("platforms", [] {
    py::list names;
    for (const asc::PlatformDesc& platform : asc::platforms()) names.append(std::string(platform.name));
    return names;
  });
}
