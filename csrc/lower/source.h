// SPDX-License-Identifier: Apache-2.0
// Source capture: the text of a Python function, found when it is decorated, cut from its file or notebook
// cell and checked against the function's code object. Everything later (lowering, cache key, error carets)
// works from this copy.
#pragma once

#include <cstdint>
#include <exception>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.h"

struct _object;  // Python's own name; NOLINT(bugprone-reserved-identifier)
using PyObject = _object;

namespace asc::ast {

// A range inside one captured text, in the units of asc::Loc: `line` counts from 0 at the first captured line
// (the first decorator), columns are 0-based UTF-8 bytes of the original, not dedented, line. `end_col` is
// exclusive.
struct Range {
  uint32_t line = 0, col = 0;
  uint32_t end_line = 0, end_col = 0;

  Loc loc(uint32_t source) const { return {source, line, col, end_line, end_col}; }
  friend bool operator==(const Range&, const Range&) = default;
};

// The base holds what error messages need: file, first line, function name and text (UTF-8, line ends are
// "\n", the last line has none). A Source is a plain value: it refers to no Python object and may be used
// without the GIL.
struct Source : SourceText {
  std::string qualname;  // `__qualname__`, for private names in classes and for messages
  bool indented =
      false;  // the def is nested: it is parsed behind an `if 1:` line, so that columns stay the file's
  uint32_t indent_bytes = 0;  // leading white space of the first line
  int future_flags = 0;       // `from __future__` flags of the code object, for compile()
  // What the code object says, for the comparison with the parsed text.
  std::vector<std::string> arg_names;  // positional, keyword-only, *args, **kwargs: the order of co_varnames
  std::vector<uint32_t> code_lines;    // lines that have bytecode, relative, ascending, nested code included

  std::vector<uint32_t> line_starts;           // byte offset of each line in `text`
  std::vector<uint8_t> line_starts_in_string;  // 1 for a line that begins inside a string literal

  uint32_t line_count() const { return static_cast<uint32_t>(line_starts.size()); }
  std::string_view line(uint32_t relative) const;  // without its newline; empty past the end
  std::string_view slice(
      const Range& range) const;  // the original text of a node; empty if the range is not in the text
  uint32_t absolute_line(uint32_t relative) const { return first_line + relative; }
  Site site() const;  // of the first line
  // The text with the first line's indentation taken off every line that has it and does not begin inside a
  // string: equal for a function that was only moved or nested elsewhere. For cache keys.
  std::string dedented() const;
};

// Why a text cannot be used. The caller turns it into a CompileError; `message` names the function and says
// what to do.
class SourceError : public std::exception {
 public:
  enum class Kind : uint8_t {
    NotFound,     // there is no text: exec, `python -c`, the plain interactive prompt
    Changed,      // the text is not the function's: edited after import
    Unsupported,  // a lambda, an async def, a builtin, ...
    Syntax,  // compile() refuses the text for a reason other than a change (too deeply nested, out of memory)
  };
  SourceError(Kind kind, std::string message, std::string hint, Site site = {})
      : kind_(kind), message_(std::move(message)), hint_(std::move(hint)), site_(std::move(site)) {}

  const char* what() const noexcept override { return message_.c_str(); }
  Kind kind() const { return kind_; }
  const std::string& message() const { return message_; }
  const std::string& hint() const { return hint_; }
  const Site& site() const {
    return site_;
  }  // the first line of the function; its `text` is empty if there is none

 private:
  Kind kind_;
  std::string message_, hint_;
  Site site_;
};

// Captures the text of a Python function (not of a wrapper: unwrap `__wrapped__` first). Needs the GIL;
// imports nothing when the function comes from a file. Throws SourceError; leaves no Python error set.
Source capture_source(PyObject* function);

// A block cut out of a text by indentation. `text` begins at the first decorator or at `def`.
struct Block {
  enum class Error : uint8_t { None, NotADef, Unterminated };
  Error error = Error::None;
  size_t size = 0;        // bytes, without the last newline
  uint32_t def_line = 0;  // relative line of `def`
  std::string_view name;  // the name after `def`
  bool is_async = false, is_class = false;
  uint32_t indent_bytes = 0;
  std::vector<uint32_t> line_starts;
  std::vector<uint8_t> line_starts_in_string;
  std::vector<uint8_t> line_has_token;  // 0 for blank and comment lines
};

// Knows strings (prefixes, triple quotes, f-strings by the rules of `nested_fstrings`: Python 3.12 and
// later), brackets, comments, continuation lines and form feeds; nothing else of the grammar. Ends with the
// last logical line of the def.
Block cut_block(std::string_view text, bool nested_fstrings);

// The bytes of a source file as UTF-8 with "\n" line ends, by its coding cookie or byte order mark, as Python
// reads it. False if the bytes cannot be decoded. Needs the GIL only for encodings other than UTF-8.
bool decode_source(std::string bytes, std::string* text);

}  // namespace asc::ast
