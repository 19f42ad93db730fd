// SPDX-License-Identifier: Apache-2.0
// Parameters of a function from its code object, defaults and annotations. Annotations are looked at, never
// evaluated: a string is resolved name by name in the function's globals, and whatever cannot be resolved is
// an ordinary annotation.
#include "lower/function.h"

#include <algorithm>
#include <cctype>

#include "base/format.h"
#include "lower/analysis.h"
#include "lower/objects.h"
#include "lower/pyref.h"

namespace asc::lower {

namespace {

std::string utf8_of(PyObject* str) {
  Py_ssize_t size = 0;
  const char* text = str && PyUnicode_Check(str) ? PyUnicode_AsUTF8AndSize(str, &size) : nullptr;
  if (!text) {
    drop_error();
    return {};
  }
  return {text, static_cast<size_t>(size)};
}

PyRef attribute(PyObject* object, const char* name) {
  PyRef value = PyRef::steal(PyObject_GetAttrString(object, name));
  if (!value) drop_error();
  return value;
}

long int_attribute(PyObject* object, const char* name) {
  PyRef value = attribute(object, name);
  return value ? PyLong_AsLong(value.get()) : 0;
}

std::string_view strip(std::string_view text) {
  while (!text.empty() && std::isspace(static_cast<unsigned char>(text.front()))) text.remove_prefix(1);
  while (!text.empty() && std::isspace(static_cast<unsigned char>(text.back()))) text.remove_suffix(1);
  return text;
}

// "asc.int64" as an object: first name from the function's globals, the rest by getattr. Null if any step
// fails.
PyRef resolve_dotted(PyObject* globals, std::string_view text) {
  PyRef object;
  while (!text.empty()) {
    const size_t dot = text.find('.');
    const std::string part(strip(text.substr(0, dot)));
    text = dot == std::string_view::npos ? std::string_view() : text.substr(dot + 1);
    if (part.empty()) return {};
    if (!object)
      object = PyRef::borrow(PyDict_GetItemString(globals, part.c_str()));
    else
      object = attribute(object.get(), part.c_str());
    if (!object) return {};
  }
  return object;
}

bool is_of_dotted_name(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '.' ||
         static_cast<unsigned char>(c) >= 0x80;
}

bool is_constexpr_annotation(PyObject* globals, PyObject* annotation, int depth);

// Behind the bracket that closes the one at the start of the text.
std::string_view behind_brackets(std::string_view text) {
  int open = 0;
  for (size_t i = 0; i < text.size(); i++) {
    open += text[i] == '[' ? 1 : text[i] == ']' ? -1 : 0;
    if (open == 0) return text.substr(i + 1);
  }
  return {};
}

// Does a text such as "Optional[asc.ConstExpr[int]]" name it? What is imported for type checkers only is
// known by its own name. What stands in Literal[...] are values.
bool names_constexpr(PyObject* globals, std::string_view text, int depth) {
  while (!text.empty()) {
    size_t size = 0;
    while (size < text.size() && is_of_dotted_name(text[size])) size++;
    const std::string_view name = text.substr(0, size);
    text.remove_prefix(std::max<size_t>(size, 1));
    if (name.empty()) continue;
    const std::string_view last = name.substr(name.rfind('.') + 1);
    if (last == "Literal" && text.starts_with('[')) {
      text = behind_brackets(text);
    } else if (const PyRef object = resolve_dotted(globals, name)) {
      if (is_constexpr_annotation(globals, object.get(), depth)) return true;
    } else if (last == "ConstExpr") {
      return true;
    }
  }
  return false;
}

// `asc.ConstExpr` itself, what `asc.ConstExpr[X]` gives, or Optional, Union, Annotated around it, also as a
// text.
bool is_constexpr_annotation(PyObject* globals, PyObject* annotation, int depth = 0) {
  constexpr int kDeepest = 8;
  if (depth > kDeepest) return false;
  for (const char* text : {"", "__forward_arg__"}) {  // of a str, of what typing makes of one
    const PyRef written = *text ? attribute(annotation, text) : PyRef::borrow(annotation);
    if (written && PyUnicode_Check(written.get()))
      return names_constexpr(globals, utf8_of(written.get()), depth + 1);
  }
  for (PyObject* object : {annotation, reinterpret_cast<PyObject*>(Py_TYPE(annotation))}) {
    const PyRef flag = attribute(object, "__asc_constexpr__");
    if (flag && PyObject_IsTrue(flag.get()) == 1) return true;
    drop_error();
  }
  const PyRef origin = attribute(annotation, "__origin__");
  const PyRef name = origin ? attribute(origin.get(), "_name") : PyRef();
  if (name && PyUnicode_Check(name.get()) && utf8_of(name.get()) == "Literal") return false;
  for (const char* parts_name : {"__args__", "__metadata__"}) {
    const PyRef parts = attribute(annotation, parts_name);
    if (!parts || !PyTuple_Check(parts.get())) continue;
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(parts.get()); i++) {
      PyObject* part = PyTuple_GET_ITEM(parts.get(), i);
      if (!PyUnicode_Check(part) && is_constexpr_annotation(globals, part, depth + 1)) return true;
    }
  }
  return false;
}

// What an annotation names, also as a string; null where that cannot be found.
PyRef annotated_object(PyObject* globals, PyObject* annotation) {
  if (!PyUnicode_Check(annotation)) return PyRef::borrow(annotation);
  const std::string text = utf8_of(annotation);
  std::string_view head = strip(text);
  if (head.size() > 1 && (head.front() == '\'' || head.front() == '"') && head.back() == head.front())
    head = strip(
        head.substr(1, head.size() - 2));  // a quoted annotation under `from __future__ import annotations`
  return resolve_dotted(globals, head);
}

void read_annotation(PyObject* globals, PyObject* annotation, Parameter* param) {
  param->is_constexpr = is_constexpr_annotation(globals, annotation);
  const PyRef object = annotated_object(globals, annotation);
  if (!object || param->is_constexpr || as_dtype(object.get(), &param->pinned)) return;
  param->is_address = as_kind(object.get()) == Kind::Pointer;
}

}  // namespace

KernelFunction::KernelFunction(PyObject* function) : fn(function), globals(PyFunction_GetGlobals(function)) {
  name = utf8_of(attribute(fn, "__name__").get());
  qualname = utf8_of(attribute(fn, "__qualname__").get());
  source = ast::capture_source(fn);

  PyObject* code = PyFunction_GET_CODE(fn);
  constexpr long kVarArgs = 0x04, kVarKeywords = 0x08;
  if (int_attribute(code, "co_flags") & (kVarArgs | kVarKeywords)) {
    Site site;
    site.file = source.file;
    site.line = source.first_line;
    site.text = std::string(source.line(0));
    site.function = name;
    throw CompileError(fmt::format("{} has *args or **kwargs, which a kernel function cannot have", name),
                       "name every parameter", {site});
  }
  const long positional = int_attribute(code, "co_argcount");
  const long positional_only = int_attribute(code, "co_posonlyargcount");
  const long count = positional + int_attribute(code, "co_kwonlyargcount");
  PyRef names = attribute(code, "co_varnames"), annotations = attribute(fn, "__annotations__");
  PyObject* defaults = PyFunction_GetDefaults(fn);
  PyObject* kw_defaults = PyFunction_GetKwDefaults(fn);
  const long default_count = defaults ? static_cast<long>(PyTuple_GET_SIZE(defaults)) : 0;
  params.resize(static_cast<size_t>(count));
  for (long i = 0; i < count; i++) {
    Parameter& p = params[static_cast<size_t>(i)];
    p.name = Py_NewRef(PyTuple_GET_ITEM(names.get(), i));
    p.utf8 = utf8_of(p.name);
    p.keyword_only = i >= positional;
    p.positional_only = i < positional_only;
    if (p.keyword_only)
      p.default_value = kw_defaults ? PyDict_GetItem(kw_defaults, p.name) : nullptr;
    else if (i >= positional - default_count)
      p.default_value = PyTuple_GET_ITEM(defaults, i - (positional - default_count));
    Py_XINCREF(p.default_value);
    PyObject* annotation =
        annotations && PyDict_Check(annotations.get()) ? PyDict_GetItem(annotations.get(), p.name) : nullptr;
    if (annotation) read_annotation(globals, annotation, &p);
  }
  Py_INCREF(fn);
  Py_INCREF(globals);
}

KernelFunction::~KernelFunction() {
  for (Parameter& p : params) {
    Py_XDECREF(p.name);
    Py_XDECREF(p.default_value);
  }
  Py_XDECREF(globals);
  Py_XDECREF(fn);
}

PyRef KernelFunction::annotation(const Parameter& param) const {
  const PyRef all = attribute(fn, "__annotations__");
  drop_error();
  PyObject* annotation = all && PyDict_Check(all.get()) ? PyDict_GetItem(all.get(), param.name) : nullptr;
  PyRef object = annotation ? annotated_object(globals, annotation) : PyRef();
  drop_error();
  return object;
}

int KernelFunction::traverse(visitproc visit, void* arg) const {
  for (const Parameter& p : params) Py_VISIT(p.default_value);
  Py_VISIT(globals);
  Py_VISIT(fn);
  return 0;
}

const ast::Module& KernelFunction::ast() const {
  if (!ast_) {
    try {
      std::unique_ptr<ast::Module> parsed = ast::parse_function(source);
      if (!ast_) ast_ = std::move(parsed);  // another thread may have come in while Python parsed
    } catch (const ast::SourceError& error) {
      std::vector<Site> sites;
      if (!error.site().file.empty()) sites.push_back(error.site());
      throw CompileError(error.message(), error.hint(), std::move(sites));
    }
  }
  return *ast_;
}

const Analysis& KernelFunction::analysis() const {
  if (!analysis_) analysis_ = std::make_unique<const Analysis>(ast());
  return *analysis_;
}

}  // namespace asc::lower
