// SPDX-License-Identifier: Apache-2.0
// Reading characters and words of the text form. Internal to ir/text_parse*.cpp.
//
// A statement ends with its line; inside parentheses lines do not count. `#` starts a comment.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/error.h"
#include "ir/text_common.h"

namespace asc::ir::text {

class Cursor {
 public:
  Cursor(std::string_view text, std::string_view name) : text_(text), name_(name) {}

  [[noreturn]] void fail(std::string message) const { fail_at(at_, std::move(message)); }
  [[noreturn]] void fail_at(size_t where, std::string message) const;

  size_t position() const { return at_; }
  void rewind(size_t position) { at_ = position; }

  char raw(size_t ahead = 0) const { return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0'; }
  char peek() {
    skip();
    return raw();
  }
  bool at_end() { return peek() == '\0'; }
  // Spaces and comments; line ends too, but only inside parentheses.
  void skip();
  // Spaces, comments, line ends and `;`.
  void skip_lines();

  bool accept(std::string_view punctuation);
  void expect(std::string_view punctuation);
  void open() {  // an opening parenthesis
    expect("(");
    depth_++;
  }
  void close() {
    expect(")");
    depth_--;
  }

  // The plain word that comes next, without taking it; "" if there is none.
  std::string_view peek_word();
  bool accept_word(std::string_view word);
  void expect_word(std::string_view word);
  std::string word(std::string_view what);  // plain or quoted; `what` is for the error
  std::string quoted();
  uint64_t number(std::string_view what);  // decimal or 0x hexadecimal
  int64_t integer(std::string_view what);
  std::string_view slice(size_t from) const { return text_.substr(from, at_ - from); }
  void advance(size_t count) { at_ += count; }

 private:
  std::string_view text_, name_;
  size_t at_ = 0;
  int depth_ = 0;
};

}  // namespace asc::ir::text
