// SPDX-License-Identifier: Apache-2.0
// Cuts a decorated def out of a text by indentation. It reads tokens just as far as needed to know which
// lines begin a logical line: strings, f-strings, brackets, comments and continuation lines. Knows nothing of
// Python objects.
#include "lower/source.h"

namespace asc::ast {
namespace {

bool is_name_start(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' ||
         static_cast<unsigned char>(c) >= 0x80;
}
bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_name_char(char c) { return is_name_start(c) || is_digit(c); }

// f, fr and rf in any case. A keyword may stand before a quote too: `1 if"a"else 2`.
bool is_fstring_prefix(std::string_view name) {
  auto is = [&](size_t i, char lower) { return (name[i] | 0x20) == lower; };
  if (name.size() == 1) return is(0, 'f');
  return name.size() == 2 && ((is(0, 'f') && is(1, 'r')) || (is(0, 'r') && is(1, 'f')));
}

class Scanner {
 public:
  Scanner(std::string_view text, bool nested_fstrings, Block& block)
      : text_(text), nested_fstrings_(nested_fstrings), block_(block) {
    begin_line();
  }

  bool failed() const { return failed_; }
  size_t pos() const { return pos_; }
  uint32_t line() const { return static_cast<uint32_t>(block_.line_starts.size() - 1); }

  // Skips blank and comment lines. Returns false at the end of the text; else the position is at the first
  // token of a logical line and *column its indentation, counted as Python's tokenizer counts it.
  bool next_logical_line(uint32_t* column) {
    uint32_t col = 0;
    while (pos_ < text_.size()) {
      switch (text_[pos_]) {
        case ' ': col++, pos_++; break;
        case '\t': col = (col / 8 + 1) * 8, pos_++; break;
        case '\f': col = 0, pos_++; break;
        case '#': skip_comment(); break;
        case '\n': newline(), col = 0; break;
        default: *column = col; return true;
      }
    }
    return false;
  }

  // Reads to the end of the logical line: the position is at its newline, or at the end of the text.
  void read_logical_line() {
    int depth = 0;
    while (pos_ < text_.size() && !failed_) {
      char c = text_[pos_];
      if (c == '\n') {
        if (depth <= 0) return;
        newline();
      } else if (c == '#') {
        skip_comment();
      } else if (c == ' ' || c == '\t' || c == '\f') {
        pos_++;
      } else {
        read_token(&depth);
      }
    }
    if (depth > 0) failed_ = true;
  }

  std::string_view read_name() {
    size_t begin = pos_;
    while (pos_ < text_.size() && is_name_char(text_[pos_])) pos_++;
    return text_.substr(begin, pos_ - begin);
  }
  // White space and backslash-newlines inside a logical line.
  void skip_space() {
    while (pos_ < text_.size()) {
      char c = text_[pos_];
      if (c == '\\' && peek(1) == '\n') {
        pos_++, newline();
      } else if (c == ' ' || c == '\t' || c == '\f') {
        pos_++;
      } else {
        return;
      }
    }
  }
  char peek(size_t ahead = 0) const { return pos_ + ahead < text_.size() ? text_[pos_ + ahead] : '\0'; }
  void mark_token() { block_.line_has_token.back() = 1; }
  void newline() {
    pos_++;
    begin_line();
  }

 private:
  void begin_line() {
    block_.line_starts.push_back(static_cast<uint32_t>(pos_));
    block_.line_starts_in_string.push_back(string_depth_ > 0);
    block_.line_has_token.push_back(string_depth_ > 0);
  }

  void skip_comment() {
    while (pos_ < text_.size() && text_[pos_] != '\n') pos_++;
  }

  // One token that is neither white space, a comment nor a newline.
  void read_token(int* depth) {
    char c = text_[pos_];
    mark_token();
    if (is_name_start(c)) {
      std::string_view name = read_name();
      char quote = peek();
      if (quote != '"' && quote != '\'') return;
      nested_fstrings_&& is_fstring_prefix(name) ? read_fstring(name.size() == 2) : read_string();
    } else if (is_digit(c)) {  // letters too: 0x1f, 1e5, 2j
      while (is_name_char(peek()) || peek() == '.') pos_++;
    } else if (c == '"' || c == '\'') {
      read_string();
    } else if (c == '\\') {
      pos_++;
      if (peek() == '\n') newline();
    } else {
      if (c == '(' || c == '[' || c == '{') ++*depth;
      if (c == ')' || c == ']' || c == '}') --*depth;
      pos_++;
    }
  }

  // The opening quotes: *triple says whether there are three.
  char open_quotes(bool* triple) {
    char quote = text_[pos_];
    *triple = peek(1) == quote && peek(2) == quote;
    pos_ += *triple ? 3 : 1;
    return quote;
  }
  // True, and the position behind it, if the closing quotes stand here.
  bool close_quotes(char quote, bool triple) {
    if (text_[pos_] != quote) return false;
    if (triple && !(peek(1) == quote && peek(2) == quote)) return false;
    pos_ += triple ? 3 : 1;
    return true;
  }
  // A character of a string's content; a backslash takes the next one along, in raw strings too.
  void skip_content(bool take_next) {
    for (int n = take_next ? 2 : 1; n > 0 && pos_ < text_.size(); n--)
      text_[pos_] == '\n' ? newline() : void(pos_++);
  }

  void read_string() {
    bool triple;
    char quote = open_quotes(&triple);
    string_depth_++;
    while (pos_ < text_.size()) {
      if (close_quotes(quote, triple)) {
        string_depth_--;
        return;
      }
      if (text_[pos_] == '\n' && !triple) break;
      skip_content(text_[pos_] == '\\');
    }
    failed_ = true;
  }

  void read_fstring(bool raw) {
    bool triple;
    char quote = open_quotes(&triple);
    if (++string_depth_ > kMaxNesting) failed_ = true;
    while (pos_ < text_.size() && !failed_) {
      char c = text_[pos_];
      if (close_quotes(quote, triple)) {
        string_depth_--;
        return;
      }
      if (c == '{') {
        pos_++;
        peek() == '{' ? void(pos_++) : read_field(raw);
      } else if (c == '\n' && !triple) {
        break;
      } else {
        read_literal_char(raw);
      }
    }
    failed_ = true;
  }

  // Python 3.12 ends an escape before a brace, so `\{x}` holds a field, and `\N{DASH}` holds none.
  void read_literal_char(bool raw) {
    char next = peek(1);
    if (text_[pos_] != '\\' || next == '{' || next == '}') return skip_content(false);
    if (!raw && next == 'N' && peek(2) == '{') {
      while (pos_ < text_.size() && text_[pos_] != '}' && text_[pos_] != '\n') pos_++;
      if (peek() == '}') pos_++;
      return;
    }
    skip_content(true);
  }

  // A replacement field, behind its `{`; ends behind its `}`.
  void read_field(bool raw) {
    int depth = 0;
    while (pos_ < text_.size() && !failed_) {
      char c = text_[pos_];
      if (c == '}' && depth == 0) {
        pos_++;
        return;
      }
      if (c == ':' && depth == 0) {
        pos_++;
        return read_format_spec(raw);
      }
      if (c == '\n') {
        newline();
      } else if (c == '#') {
        skip_comment();
      } else {
        read_token(&depth);
      }
    }
    failed_ = true;
  }

  void read_format_spec(bool raw) {
    if (++string_depth_ > kMaxNesting) failed_ = true;
    while (pos_ < text_.size() && !failed_) {
      char c = text_[pos_];
      if (c == '}') {
        pos_++;
        string_depth_--;
        return;
      }
      if (c == '{') {
        pos_++;
        read_field(raw);
      } else {
        read_literal_char(raw);
      }
    }
    failed_ = true;
  }

  static constexpr int kMaxNesting = 400;  // Python stops at 150 f-strings

  std::string_view text_;
  bool nested_fstrings_;
  Block& block_;
  size_t pos_ = 0;
  int string_depth_ = 0;
  bool failed_ = false;
};

}  // namespace

Block cut_block(std::string_view text, bool nested_fstrings) {
  Block block;
  Scanner scanner(text, nested_fstrings, block);
  uint32_t def_column = 0, column = 0;
  bool first = true, seen_def = false;
  while (scanner.next_logical_line(&column)) {
    scanner.mark_token();
    uint32_t line = scanner.line();
    if (first) {
      if (line != 0) break;  // the first line is blank or a comment
      def_column = column;
      block.indent_bytes = static_cast<uint32_t>(scanner.pos());
      first = false;
    }
    if (seen_def ? column <= def_column : column != def_column) break;
    if (!seen_def && scanner.peek() != '@') {
      block.def_line = line;
      std::string_view word = scanner.read_name();
      block.is_async = word == "async";
      if (block.is_async) scanner.skip_space(), word = scanner.read_name();
      block.is_class = word == "class";
      if (word != "def" && !block.is_class) break;
      scanner.skip_space();
      block.name = scanner.read_name();
      seen_def = true;
    }
    scanner.read_logical_line();
    if (scanner.failed()) {
      block.error = Block::Error::Unterminated;
      return block;
    }
    block.size = scanner.pos();
    if (scanner.peek() == '\n') scanner.newline();
  }
  if (!seen_def) block.error = Block::Error::NotADef;
  // Lines behind the end: trailing blank and comment lines, and the line that ended the block.
  while (!block.line_starts.empty() && block.line_starts.back() > block.size) {
    block.line_starts.pop_back();
    block.line_starts_in_string.pop_back();
    block.line_has_token.pop_back();
  }
  return block;
}

}  // namespace asc::ast
