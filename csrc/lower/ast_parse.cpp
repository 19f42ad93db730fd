// SPDX-License-Identifier: Apache-2.0
// From a captured text to its AST: Python's compile(), the conversion, and the check that the text is the
// function's.
#include <Python.h>

#include <optional>

#include "base/format.h"
#include "lower/ast.h"
#include "lower/pyref.h"

namespace asc::ast {
namespace {

// Text and type of the pending Python error, which is cleared.
std::string take_python_error(bool* is_syntax_error) {
  PyObject *type = nullptr, *value = nullptr, *traceback = nullptr;
  PyErr_Fetch(&type, &value, &traceback);
  PyErr_NormalizeException(&type, &value, &traceback);
  PyRef owned_type = PyRef::steal(type), owned_value = PyRef::steal(value),
        owned_traceback = PyRef::steal(traceback);
  *is_syntax_error = type != nullptr && PyErr_GivenExceptionMatches(type, PyExc_SyntaxError);
  // A SyntaxError's own text adds a file and line that are not the user's.
  PyRef text = PyRef::steal(*is_syntax_error ? PyObject_GetAttrString(value, "msg") : PyObject_Str(value));
  const char* utf8 = text && PyUnicode_Check(text.get()) ? PyUnicode_AsUTF8(text.get()) : nullptr;
  std::string message = type != nullptr ? reinterpret_cast<PyTypeObject*>(type)->tp_name : "no error";
  if (utf8 != nullptr) message.append(": ").append(utf8);
  drop_error();
  return message;
}

// Python warns of escapes like "\d" when it parses; the user has seen that warning when the file was
// imported.
bool has_odd_escape(std::string_view text) {
  for (size_t i = 0; (i = text.find('\\', i)) != std::string_view::npos && i + 1 < text.size(); i += 2)
    if (std::string_view("\n\\'\"abfnrtvx01234567NuU").find(text[i + 1]) == std::string_view::npos)
      return true;
  return false;
}

class SilenceWarnings {
 public:
  SilenceWarnings() {
    PyRef module = PyRef::steal(PyImport_ImportModule("warnings"));
    context_ = PyRef::steal(module ? PyObject_CallMethod(module.get(), "catch_warnings", nullptr) : nullptr);
    PyRef entered =
        PyRef::steal(context_ ? PyObject_CallMethod(context_.get(), "__enter__", nullptr) : nullptr);
    if (!entered) context_ = PyRef();
    PyRef done =
        PyRef::steal(entered ? PyObject_CallMethod(module.get(), "simplefilter", "s", "ignore") : nullptr);
    if (!done) drop_error();
  }
  ~SilenceWarnings() {
    if (!context_) return;
    PyObject *type = nullptr, *value = nullptr, *traceback = nullptr;
    PyErr_Fetch(&type, &value, &traceback);
    PyRef left =
        PyRef::steal(PyObject_CallMethod(context_.get(), "__exit__", "OOO", Py_None, Py_None, Py_None));
    if (!left) drop_error();
    PyErr_Restore(type, value, traceback);
  }
  SilenceWarnings(const SilenceWarnings&) = delete;
  SilenceWarnings& operator=(const SilenceWarnings&) = delete;

 private:
  PyRef context_;
};

// A tree of many hundred new objects would set off the garbage collector; it may walk the whole heap.
class PauseGc {
 public:
  PauseGc() : was_enabled_(PyGC_Disable() != 0) {}
  ~PauseGc() {
    if (was_enabled_) PyGC_Enable();
  }
  PauseGc(const PauseGc&) = delete;
  PauseGc& operator=(const PauseGc&) = delete;

 private:
  bool was_enabled_;
};

PyRef compile_to_ast(const Source& source) {
  PyRef file = PyRef::steal(
      PyUnicode_DecodeUTF8(source.file.data(), static_cast<Py_ssize_t>(source.file.size()), "replace"));
  if (!file) return {};
  std::optional<SilenceWarnings> silence;
  if (has_odd_escape(source.text)) silence.emplace();
  // A cookie in a comment says how the file was encoded; the text here is UTF-8.
  PyCompilerFlags flags{};
  flags.cf_flags = PyCF_ONLY_AST | PyCF_IGNORE_COOKIE | source.future_flags;
  flags.cf_feature_version = PY_MINOR_VERSION;
  std::string text = source.indented ? "if 1:\n" + source.text + "\n" : source.text + "\n";
  return PyRef::steal(Py_CompileStringObject(text.c_str(), file.get(), Py_file_input, &flags, -1));
}

}  // namespace

std::unique_ptr<Module> parse_function(const Source& source) {
  auto changed = [&](std::string_view why) {
    return SourceError(SourceError::Kind::Changed,
                       fmt::format("source text of `{}` has changed since import: {}", source.function, why),
                       "import the module again, or run the notebook cell again", source.site());
  };
  PauseGc pause;  // until the tree is gone again
  PyRef tree = compile_to_ast(source);
  if (!tree) {
    bool is_syntax_error = false;
    std::string text = take_python_error(&is_syntax_error);
    if (is_syntax_error) throw changed(text);
    throw SourceError(SourceError::Kind::Syntax,
                      fmt::format("`{}` cannot be parsed: {}", source.function, text), "split the function",
                      source.site());
  }
  std::unique_ptr<Module> module = convert_module(source, tree.get());
  if (module == nullptr) throw changed("it is not one `def`");
  if (std::string mismatch = find_mismatch(source, *module); !mismatch.empty()) throw changed(mismatch);
  return module;
}

}  // namespace asc::ast
