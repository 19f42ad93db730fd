// SPDX-License-Identifier: Apache-2.0
// Finds the text of a Python function: in its file, in `linecache` (notebook cells), or through its module's
// loader. Files are read here directly, because importing linecache imports tokenize and re.
#include <Python.h>

#include <sys/stat.h>

#include <algorithm>
#include <cctype>
#include <cstdio>
#include <memory>
#include <optional>

#include "base/format.h"
#include "lower/pyref.h"
#include "lower/source.h"

namespace asc::ast {
namespace {

constexpr bool kNestedFstrings = PY_VERSION_HEX >= 0x030C0000;

// ---- Python helpers: a failed look-up means "not there"

PyRef get_attr(PyObject* object, const char* name) {
  PyRef value = PyRef::steal(object ? PyObject_GetAttrString(object, name) : nullptr);
  if (!value) drop_error();
  return value;
}

PyRef get_item(PyObject* dict, PyObject* key) {
  if (!dict || !PyDict_Check(dict)) return {};
  PyRef value = PyRef::borrow(PyDict_GetItemWithError(dict, key));
  if (!value) drop_error();
  return value;
}
PyRef get_item(PyObject* dict, const char* name) {
  PyRef key = PyRef::steal(PyUnicode_FromString(name));
  if (!key) return drop_error(), PyRef();
  return get_item(dict, key.get());
}

// Lone surrogates (file names that are not UTF-8) become escapes.
std::string to_utf8(PyObject* str) {
  if (!str || !PyUnicode_Check(str)) return {};
  Py_ssize_t size = 0;
  if (const char* text = PyUnicode_AsUTF8AndSize(str, &size))
    return std::string(text, static_cast<size_t>(size));
  drop_error();
  PyRef bytes = PyRef::steal(PyUnicode_AsEncodedString(str, "utf-8", "backslashreplace"));
  if (!bytes) return drop_error(), std::string();
  return std::string(PyBytes_AS_STRING(bytes.get()), static_cast<size_t>(PyBytes_GET_SIZE(bytes.get())));
}

bool is_ascii(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char c) { return static_cast<unsigned char>(c) < 0x80; });
}

bool is_utf8(std::string_view text) {
  if (is_ascii(text)) return true;
  PyRef str = PyRef::steal(PyUnicode_DecodeUTF8(text.data(), static_cast<Py_ssize_t>(text.size()), "strict"));
  if (!str) drop_error();
  return static_cast<bool>(str);
}

// ---- what the code object says

// Lines of a code object and of those nested in it. Reports lines below `first` as none: no edit of the text
// makes such.
void collect_lines(PyObject* code, long first, std::vector<uint32_t>* lines) {
  PyRef method = get_attr(code, "co_lines");
  PyRef iterator = PyRef::steal(method ? PyObject_CallNoArgs(method.get()) : nullptr);
  iterator = PyRef::steal(iterator ? PyObject_GetIter(iterator.get()) : nullptr);
  while (PyRef item = PyRef::steal(iterator ? PyIter_Next(iterator.get()) : nullptr)) {
    PyObject* line = PyTuple_Check(item.get()) && PyTuple_GET_SIZE(item.get()) == 3
                         ? PyTuple_GET_ITEM(item.get(), 2)
                         : Py_None;
    if (line == Py_None) continue;
    long value = PyLong_AsLong(line);
    if (value >= first && value - first < long{UINT32_MAX})
      lines->push_back(static_cast<uint32_t>(value - first));
  }
  drop_error();
  PyRef consts = get_attr(code, "co_consts");
  if (!consts || !PyTuple_Check(consts.get())) return;
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(consts.get()); i++)
    if (PyCode_Check(PyTuple_GET_ITEM(consts.get(), i)))
      collect_lines(PyTuple_GET_ITEM(consts.get(), i), first, lines);
}

void collect_arg_names(PyCodeObject* code, std::vector<std::string>* names) {
  Py_ssize_t count = code->co_argcount + code->co_kwonlyargcount + ((code->co_flags & CO_VARARGS) != 0) +
                     ((code->co_flags & CO_VARKEYWORDS) != 0);
  PyRef varnames = get_attr(reinterpret_cast<PyObject*>(code), "co_varnames");
  if (!varnames || !PyTuple_Check(varnames.get())) return;
  for (Py_ssize_t i = 0; i < std::min(count, PyTuple_GET_SIZE(varnames.get())); i++)
    names->push_back(to_utf8(PyTuple_GET_ITEM(varnames.get(), i)));
}

// ---- decoding

bool is_cookie_char(char c) {
  return isalnum(static_cast<unsigned char>(c)) || c == '-' || c == '_' || c == '.';
}

// The name in a comment like `# -*- coding: latin-1 -*-`; only the first two lines count, the second one if
// the first is blank or a comment.
std::string coding_cookie(std::string_view bytes) {
  for (int n = 0; n < 2; n++) {
    size_t end = std::min(bytes.find_first_of("\r\n"), bytes.size());
    std::string_view line = bytes.substr(0, end);
    size_t begin = line.find_first_not_of(" \t\f");
    if (begin != std::string_view::npos && line[begin] != '#') return {};
    for (size_t at = begin; (at = line.find("coding", at)) != std::string_view::npos; at++) {
      size_t i = at + 6;
      if (i >= line.size() || (line[i] != ':' && line[i] != '=')) continue;
      i = std::min(line.find_first_not_of(" \t", i + 1), line.size());
      size_t stop = i;
      while (stop < line.size() && is_cookie_char(line[stop])) stop++;
      if (stop > i) return std::string(line.substr(i, stop - i));
    }
    if (bytes.substr(end, 2) == "\r\n") end++;
    bytes.remove_prefix(std::min(end + 1, bytes.size()));
  }
  return {};
}

bool names_utf8(std::string name) {
  for (char& c : name) c = c == '_' ? '-' : static_cast<char>(tolower(static_cast<unsigned char>(c)));
  return name.empty() || name == "utf-8" || name == "utf8" || name == "u8" || name.rfind("utf-8-", 0) == 0;
}

void normalise_newlines(std::string* text) {
  size_t out = text->find('\r');
  if (out == std::string::npos) return;
  for (size_t in = out; in < text->size(); in++) {
    char c = (*text)[in];
    if (c == '\r' && in + 1 < text->size() && (*text)[in + 1] == '\n') continue;
    (*text)[out++] = c == '\r' ? '\n' : c;
  }
  text->resize(out);
}

std::optional<std::string> read_file(const char* path) {
  struct stat info;
  if (stat(path, &info) != 0 || !S_ISREG(info.st_mode)) return {};
  std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path, "rb"), &std::fclose);
  if (!file) return {};
  std::string bytes(static_cast<size_t>(info.st_size) + 1, '\0');  // one more, to see a file that has grown
  size_t size = 0;
  while (size_t got = std::fread(bytes.data() + size, 1, bytes.size() - size, file.get())) {
    size += got;
    if (size == bytes.size()) bytes.resize(2 * size);
  }
  bytes.resize(size);
  return bytes;
}

// ---- candidates

// One capture: looks at each place where the text may be, in the order of trust, until one agrees with the
// code object.
class Capture {
 public:
  explicit Capture(PyFunctionObject* function)
      : code_(reinterpret_cast<PyCodeObject*>(function->func_code)), globals_(function->func_globals) {
    source_.function = to_utf8(code_->co_name);
    source_.qualname = to_utf8(function->func_qualname);
    source_.file = to_utf8(code_->co_filename);
    if (source_.function == "<lambda>") {
      fail(SourceError::Kind::Unsupported, "a lambda cannot be compiled: it has no text of its own",
           "write it as a `def`");
    }
    if (code_->co_flags & (CO_COROUTINE | CO_ASYNC_GENERATOR)) {
      fail(SourceError::Kind::Unsupported,
           fmt::format("`{}` is an `async def`, which is not supported", source_.function),
           "write it as a plain `def`");
    }
    source_.first_line = static_cast<uint32_t>(std::max(code_->co_firstlineno, 1));
    source_.future_flags = code_->co_flags & PyCF_MASK;
    collect_arg_names(code_, &source_.arg_names);
    collect_lines(reinterpret_cast<PyObject*>(code_), code_->co_firstlineno, &source_.code_lines);
    std::sort(source_.code_lines.begin(), source_.code_lines.end());
    source_.code_lines.erase(std::unique(source_.code_lines.begin(), source_.code_lines.end()),
                             source_.code_lines.end());
  }

  Source run() {
    PyObject* modules = PySys_GetObject("modules");
    linecache_ = modules ? get_item(modules, "linecache") : PyRef();
    if (try_given_lines() || try_file() || try_linecache() || try_loader()) return std::move(source_);
    // "<string>" and "<stdin>" name no text in particular, so a text of that name is no sign of an edit.
    if (found_ && source_.file != "<string>" && source_.file != "<stdin>") {
      fail(SourceError::Kind::Changed,
           fmt::format("source text of `{}` has changed since import: {}", source_.function, mismatch_),
           "import the module again, or run the notebook cell again");
    }
    fail(SourceError::Kind::NotFound,
         fmt::format("source text of `{}` cannot be found (file '{}')", source_.function, source_.file),
         "define it in a file or a notebook cell; text given to `exec` needs its lines in `linecache.cache`");
  }

 private:
  [[noreturn]] void fail(SourceError::Kind kind, std::string message, std::string hint) const {
    throw SourceError(kind, std::move(message), std::move(hint), source_.site());
  }

  bool in_angle_brackets() const {
    return source_.file.size() >= 2 && source_.file.front() == '<' && source_.file.back() == '>';
  }

  // Lines that somebody put into linecache on purpose: their entry has no modification time. Python 3.13's
  // prompt stores them by code object.
  bool try_given_lines() {
    if (!linecache_) return false;
    PyRef cache = get_attr(linecache_.get(), "cache");
    for (PyObject* key : {reinterpret_cast<PyObject*>(code_), code_->co_filename}) {
      PyRef entry = get_item(cache.get(), key);
      if (!entry || !PyTuple_Check(entry.get()) || PyTuple_GET_SIZE(entry.get()) != 4) continue;
      if (PyTuple_GET_ITEM(entry.get(), 1) == Py_None && try_lines(PyTuple_GET_ITEM(entry.get(), 2)))
        return true;
    }
    PyRef by_code = get_attr(linecache_.get(), "_getlines_from_code");  // later 3.13 versions
    if (!by_code) return false;
    PyRef lines = PyRef::steal(PyObject_CallOneArg(by_code.get(), reinterpret_cast<PyObject*>(code_)));
    if (!lines) drop_error();
    return try_lines(lines.get());
  }

  bool try_file() {
    if (in_angle_brackets()) return false;
    if (try_path(code_->co_filename)) return true;
    // A relative name whose folder is no longer the current one: the module may know better.
    PyRef file = get_item(globals_, "__file__");
    if (source_.file.starts_with('/') || !file || !PyUnicode_Check(file.get())) return false;
    std::string absolute = to_utf8(file.get());
    return absolute.ends_with("/" + source_.file) && try_path(file.get());
  }

  bool try_path(PyObject* name) {
    PyRef path = PyRef::steal(PyUnicode_EncodeFSDefault(name));
    if (!path) return drop_error(), false;
    std::optional<std::string> bytes = read_file(PyBytes_AS_STRING(path.get()));
    std::string text;
    return bytes && decode_source(std::move(*bytes), &text) && try_text(text);
  }

  // Names that are no files, as those of notebook cells and doctests; doctest replaces `getlines`.
  bool try_linecache() {
    PyRef getlines = get_attr(linecache_.get(), "getlines");
    if (!getlines) return false;
    PyRef lines =
        PyRef::steal(PyObject_CallFunctionObjArgs(getlines.get(), code_->co_filename, globals_, nullptr));
    if (!lines) drop_error();
    return try_lines(lines.get());
  }

  // Modules in zip files and the like.
  bool try_loader() {
    if (in_angle_brackets()) return false;
    PyRef loader = get_item(globals_, "__loader__"), name = get_item(globals_, "__name__");
    if (!loader || loader.get() == Py_None) loader = get_attr(get_item(globals_, "__spec__").get(), "loader");
    PyRef method = get_attr(loader.get(), "get_source");
    if (!method || !name) return false;
    PyRef text = PyRef::steal(PyObject_CallOneArg(method.get(), name.get()));
    if (!text) drop_error();
    return text && PyUnicode_Check(text.get()) && try_text(to_utf8(text.get()));
  }

  bool try_lines(PyObject* lines) {
    if (!lines || !PyList_Check(lines)) return false;
    std::string text;
    for (Py_ssize_t i = 0; i < PyList_GET_SIZE(lines); i++) text += to_utf8(PyList_GET_ITEM(lines, i));
    return try_text(std::move(text));
  }

  bool try_text(std::string text) {
    if (text.empty()) return false;
    normalise_newlines(&text);
    found_ = true;
    size_t at = 0;
    for (uint32_t line = 1; line < source_.first_line; line++) {
      size_t newline = text.find('\n', at);
      if (newline == std::string::npos)
        return reject(fmt::format("the text ends before line {}", source_.first_line));
      at = newline + 1;
    }
    Block block = cut_block(std::string_view(text).substr(at), kNestedFstrings);
    if (block.error == Block::Error::NotADef || block.is_class)
      return reject(fmt::format("line {} does not begin a `def`", source_.first_line));
    if (block.error == Block::Error::Unterminated)
      return reject(fmt::format("the text from line {} on does not end", source_.first_line));
    if (block.name != source_.function &&
        is_ascii(block.name)) {  // others are compared after normalisation, in the AST
      return reject(fmt::format("line {} defines `{}`", source_.absolute_line(block.def_line), block.name));
    }
    for (uint32_t line : source_.code_lines)
      if (line >= block.line_has_token.size() || !block.line_has_token[line])
        return reject(fmt::format("line {} has no code any more", source_.absolute_line(line)));
    if (!is_utf8(std::string_view(text).substr(at, block.size))) return reject("it is not UTF-8 text");

    source_.text = text.substr(at, block.size);
    source_.indent_bytes = block.indent_bytes;
    source_.indented =
        block.indent_bytes > 0 && source_.text[block.indent_bytes - 1] != '\f';  // a form feed resets
    source_.line_starts = std::move(block.line_starts);
    source_.line_starts_in_string = std::move(block.line_starts_in_string);
    return true;
  }

  // Keeps the first reason: the first candidate is the most trusted one.
  bool reject(std::string_view why) {
    if (mismatch_.empty()) mismatch_ = why;
    return false;
  }

  PyCodeObject* code_;
  PyObject* globals_;
  PyRef linecache_;
  Source source_;
  bool found_ = false;
  std::string mismatch_;
};

}  // namespace

std::string_view Source::line(uint32_t relative) const {
  if (relative >= line_starts.size()) return {};
  size_t begin = line_starts[relative];
  size_t end = relative + 1 < line_starts.size() ? line_starts[relative + 1] - 1 : text.size();
  return std::string_view(text).substr(begin, end - begin);
}

Site Source::site() const {
  Site site;
  site.file = file;
  site.line = first_line;
  site.text = line(0);
  site.col = indent_bytes;
  site.function = function;
  return site;
}

std::string_view Source::slice(const Range& range) const {
  if (range.line >= line_starts.size() || range.end_line >= line_starts.size()) return {};
  size_t begin = line_starts[range.line] + range.col, end = line_starts[range.end_line] + range.end_col;
  if (begin > end || end > text.size()) return {};
  return std::string_view(text).substr(begin, end - begin);
}

std::string Source::dedented() const {
  std::string_view indent = std::string_view(text).substr(0, indent_bytes);
  std::string result;
  result.reserve(text.size());
  for (uint32_t i = 0; i < line_count(); i++) {
    std::string_view content = line(i);
    if (!line_starts_in_string[i] && content.starts_with(indent)) content.remove_prefix(indent.size());
    if (i > 0) result += '\n';
    result += content;
  }
  return result;
}

bool decode_source(std::string bytes, std::string* text) {
  if (bytes.starts_with("\xEF\xBB\xBF")) {
    bytes.erase(0, 3);
  } else if (std::string encoding = coding_cookie(bytes); !names_utf8(encoding)) {
    PyRef str = PyRef::steal(
        PyUnicode_Decode(bytes.data(), static_cast<Py_ssize_t>(bytes.size()), encoding.c_str(), "strict"));
    if (!str) return drop_error(), false;
    bytes = to_utf8(str.get());
  }
  normalise_newlines(&bytes);
  *text = std::move(bytes);
  return true;
}

Source capture_source(PyObject* function) {
  if (!PyFunction_Check(function)) {
    throw SourceError(SourceError::Kind::Unsupported,
                      fmt::format("a function written in Python is needed, not an object of type '{}'",
                                  Py_TYPE(function)->tp_name),
                      "decorate a `def`");
  }
  return Capture(reinterpret_cast<PyFunctionObject*>(function)).run();
}

}  // namespace asc::ast
