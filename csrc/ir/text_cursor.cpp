// SPDX-License-Identifier: Apache-2.0
// Characters and words of the text form of the IR.
#include "ir/text_cursor.h"

#include <algorithm>
#include <charconv>

#include "base/format.h"

namespace asc::ir::text {

void Cursor::fail_at(size_t where, std::string message) const {
  where = std::min(where, text_.size());
  const size_t before = where == 0 ? std::string_view::npos : text_.rfind('\n', where - 1);
  const size_t start = before == std::string_view::npos ? 0 : before + 1;
  const size_t end = std::min(text_.find('\n', where), text_.size());
  Site site;
  site.file = name_;
  site.line = 1 + static_cast<uint32_t>(
                      std::count(text_.begin(), text_.begin() + static_cast<ptrdiff_t>(start), '\n'));
  site.col = static_cast<uint32_t>(where - start);
  site.end_col = site.col + 1;
  site.text = text_.substr(start, end - start);
  throw CompileError("bad text form of the IR: " + std::move(message), {}, {std::move(site)});
}

void Cursor::skip() {
  while (true) {
    const char c = raw();
    if (c == '#') {
      while (raw() != '\0' && raw() != '\n') at_++;
    } else if (c == ' ' || c == '\t' || c == '\r' || (c == '\n' && depth_ > 0)) {
      at_++;
    } else {
      return;
    }
  }
}

void Cursor::skip_lines() {
  while (true) {
    const char c = peek();
    if (c != '\n' && c != ';') return;
    at_++;
  }
}

bool Cursor::accept(std::string_view punctuation) {
  skip();
  if (!text_.substr(at_).starts_with(punctuation)) return false;
  at_ += punctuation.size();
  return true;
}

void Cursor::expect(std::string_view punctuation) {
  if (!accept(punctuation)) fail(fmt::format("'{}' expected", punctuation));
}

std::string_view Cursor::peek_word() {
  skip();
  size_t length = 0;
  if (raw() < '0' || raw() > '9')
    while (is_name_char(raw(length))) length++;
  return text_.substr(std::min(at_, text_.size()), length);
}

bool Cursor::accept_word(std::string_view word) {
  if (peek_word() != word) return false;
  at_ += word.size();
  return true;
}

void Cursor::expect_word(std::string_view word) {
  if (!accept_word(word)) fail(fmt::format("'{}' expected", word));
}

std::string Cursor::word(std::string_view what) {
  if (raw() == '"') return quoted();
  const std::string_view found = peek_word();
  if (found.empty()) fail(fmt::format("{} expected", what));
  at_ += found.size();
  return std::string(found);
}

std::string Cursor::quoted() {
  const size_t start = at_;
  expect("\"");
  std::string out;
  while (true) {
    const char c = raw();
    if (c == '\0' || c == '\n') fail_at(start, "the string does not end on its line");
    at_++;
    if (c == '"') return out;
    if (c != '\\') {
      out += c;
      continue;
    }
    const char escape = raw();
    at_++;
    if (escape == 'n') {
      out += '\n';
    } else if (escape == 't') {
      out += '\t';
    } else if (escape == '"' || escape == '\\') {
      out += escape;
    } else if (escape == 'x') {
      unsigned code = 0;
      const char* digits = text_.data() + std::min(at_, text_.size());
      const auto [end, error] =
          std::from_chars(digits, digits + std::min<size_t>(2, text_.size() - at_), code, 16);
      if (error != std::errc() || end != digits + 2) fail("two hexadecimal digits expected");
      at_ += 2;
      out += static_cast<char>(code);
    } else {
      fail_at(at_ - 2, "unknown escape in a string");
    }
  }
}

uint64_t Cursor::number(std::string_view what) {
  skip();
  uint64_t value = 0;
  const bool hex = raw() == '0' && raw(1) == 'x';
  const char* first = text_.data() + at_ + (hex ? 2 : 0);
  const auto [end, error] = std::from_chars(first, text_.data() + text_.size(), value, hex ? 16 : 10);
  if (error == std::errc::result_out_of_range) fail("the number does not fit 64 bits");
  if (error != std::errc()) fail(fmt::format("{} expected", what));
  at_ = static_cast<size_t>(end - text_.data());
  return value;
}

int64_t Cursor::integer(std::string_view what) {
  const bool negative = accept("-");
  const uint64_t value = number(what);
  return static_cast<int64_t>(negative ? 0 - value : value);
}

}  // namespace asc::ir::text
