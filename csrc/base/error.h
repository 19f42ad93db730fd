// SPDX-License-Identifier: Apache-2.0
// Source locations, diagnostics and the three kinds of error: CompileError and LaunchError are the user's,
// KernelError is what a running kernel did wrong, and Bug is ours.
#pragma once

#include <cstdint>
#include <exception>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace asc {

// A range inside one captured source text. Lines are relative to the first captured line (0 is that line), so
// that an edit above a kernel moves nothing here; `SourceTable` binds them to a file. Columns are 0-based
// UTF-8 bytes.
struct Loc {
  static constexpr uint32_t kNone = 0xFFFFFFFFu;
  uint32_t source = kNone;  // index into the module's source table
  uint32_t line = 0, col = 0;
  uint32_t end_line = 0, end_col = 0;

  bool valid() const { return source != kNone; }
  friend bool operator==(const Loc&, const Loc&) = default;
};

// One captured function text. `text` holds the original lines, from the first decorator on.
struct SourceText {
  std::string file;
  uint32_t first_line = 1;  // 1-based line of `text`'s first line in `file`
  std::string function;     // the Python name of the function
  std::string text;

  std::string_view line(uint32_t relative) const;
};

// A location as the user sees it: everything resolved, nothing relative.
struct Site {
  std::string file;
  uint32_t line = 0;              // 1-based; 0 means unknown
  uint32_t col = 0, end_col = 0;  // 0-based UTF-8 bytes; end_col on the same line, or 0
  std::string text;               // the source line, without its newline
  std::string function;
};

class SourceTable {
 public:
  uint32_t add(SourceText source);
  void replace(uint32_t index, SourceText source) { sources_[index] = std::move(source); }
  const SourceText& operator[](uint32_t index) const { return sources_[index]; }
  size_t size() const { return sources_.size(); }
  Site resolve(const Loc& loc) const;  // an empty Site for an invalid location

 private:
  std::vector<SourceText> sources_;
};

// "file:line:col", the source line and a mark under the range; then each caller's line.
std::string render_site(const Site& site);
std::string render_error(std::string_view message, std::string_view hint, const std::vector<Site>& sites);

class Error : public std::exception {
 public:
  Error(std::string message, std::string hint, std::vector<Site> sites);

  const char* what() const noexcept override { return text_.c_str(); }
  const std::string& message() const { return message_; }
  const std::string& hint() const { return hint_; }
  // Innermost first: the failing place, then the calls that led to it, up to the kernel.
  const std::vector<Site>& sites() const { return sites_; }

 protected:
  std::string message_, hint_;
  std::vector<Site> sites_;
  std::string text_;
};

// The kernel cannot be compiled as written.
class CompileError : public Error {
 public:
  CompileError(std::string message, std::string hint, std::vector<Site> sites)
      : Error(std::move(message), std::move(hint), std::move(sites)) {}
};

// The launch itself is wrong: arguments, grid, device, toolchain.
class LaunchError : public Error {
 public:
  explicit LaunchError(std::string message, std::string hint = {})
      : Error(std::move(message), std::move(hint), {}) {}
};

enum class Severity : uint8_t { Warning, Error };

// What a check found, at compile time or while running. `id` is stable ("ASC-M102"); `kind` is the word a
// user writes in `ignore=` and in allow comments ("bounds", "alignment", "sync", ...).
struct Finding {
  std::string id, kind;
  Severity severity = Severity::Error;
  std::string message, fix;
  std::vector<Site> sites;   // where, and the calls that led there
  std::vector<Site> other;   // the second place of a pair (the other access, the other set), if any
  std::string op;            // "asc.data_copy"
  std::string core;          // "block 3, AIV 0"
  std::string pipe, buffer;  // "MTE2", the argument or memory
  int64_t range_begin = 0,
          range_end = 0;  // bytes (local) or elements (arguments), [begin, end); 0, 0 if none
  uint64_t count = 1;     // how often it was seen
};

std::string render_finding(const Finding& finding);

// A kernel ran and did wrong. The text is the first finding's, then the others'.
class KernelError : public Error {
 public:
  explicit KernelError(std::vector<Finding> findings);
  const std::vector<Finding>& findings() const { return findings_; }

 private:
  std::vector<Finding> findings_;
};

// A broken invariant of ours, never the user's fault.
class Bug : public std::exception {
 public:
  Bug(const char* file, int line, std::string_view message);
  const char* what() const noexcept override { return text_.c_str(); }

 private:
  std::string text_;
};

#define ASC_BUG(message) throw ::asc::Bug(__FILE__, __LINE__, (message))
#define ASC_ASSERT(condition)      \
  do {                             \
    if (!(condition)) [[unlikely]] \
      ASC_BUG(#condition);         \
  } while (0)

}  // namespace asc
