// SPDX-License-Identifier: Apache-2.0
// Source table, the text of diagnostics (source line with a mark, callers, hint) and the error classes.
#include "base/error.h"

#include <algorithm>

#include "base/format.h"

namespace asc {
namespace {

// Columns a terminal gives to one code point: 0 for combining marks, 2 for wide East Asian and emoji ranges,
// else 1.
int display_width(uint32_t c) {
  struct Range {
    uint32_t first, last;
  };
  static constexpr Range kZero[] = {
      {0x0300, 0x036F}, {0x200B, 0x200F}, {0x20D0, 0x20FF}, {0xFE00, 0xFE0F}, {0xFE20, 0xFE2F}};
  static constexpr Range kWide[] = {
      {0x1100, 0x115F}, {0x2E80, 0x303E},   {0x3041, 0x33FF},   {0x3400, 0x4DBF},  {0x4E00, 0x9FFF},
      {0xA000, 0xA4CF}, {0xAC00, 0xD7A3},   {0xF900, 0xFAFF},   {0xFE30, 0xFE6F},  {0xFF00, 0xFF60},
      {0xFFE0, 0xFFE6}, {0x1F300, 0x1F64F}, {0x1F900, 0x1F9FF}, {0x20000, 0x3FFFD}};
  if (c < 0x300) return 1;
  for (const Range& r : kZero)
    if (c >= r.first && c <= r.last) return 0;
  for (const Range& r : kWide)
    if (c >= r.first && c <= r.last) return 2;
  return 1;
}

// Decodes the code point at `*at` and moves past it; a stray byte counts as one character.
uint32_t next_code_point(std::string_view text, size_t* at) {
  const auto byte = [&](size_t i) { return static_cast<uint8_t>(text[i]); };
  const uint8_t lead = byte(*at);
  int length = lead < 0x80 ? 1 : lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : lead >= 0xC0 ? 2 : 1;
  if (*at + length > text.size()) length = 1;
  uint32_t c = length == 1 ? lead : lead & (0xFF >> (length + 1));
  for (int i = 1; i < length; i++) c = (c << 6) | (byte(*at + i) & 0x3F);
  *at += length;
  return c;
}

// Blanks as wide as text[0, bytes); tabs stay tabs, so that both lines reach the same tab stops.
std::string blanks_for(std::string_view text, size_t bytes) {
  std::string blanks;
  for (size_t at = 0; at < bytes;) {
    const uint32_t c = next_code_point(text, &at);
    if (c == '\t')
      blanks += '\t';
    else
      blanks.append(display_width(c), ' ');
  }
  return blanks;
}

int width_of(std::string_view text) {
  int width = 0;
  for (size_t at = 0; at < text.size();) width += display_width(next_code_point(text, &at));
  return width;
}

// 1-based column in characters, as editors count.
int character_column(const Site& site) {
  int column = 1;
  const size_t end = std::min<size_t>(site.col, site.text.size());
  for (size_t at = 0; at < end; column++) next_code_point(site.text, &at);
  return column;
}

std::string place_of(const Site& site) {
  if (site.line == 0) return site.file.empty() ? "<unknown>" : site.file;
  return fmt::format("{}:{}:{}", site.file, site.line, character_column(site));
}

// The source line without its indentation and a mark under [col, end_col), both behind four blanks.
std::string marked_line(const Site& site) {
  const std::string_view text = site.text;
  const size_t first = text.find_first_not_of(" \t\f");
  if (first == std::string_view::npos) return {};
  const std::string_view line = text.substr(first, text.find_last_not_of(" \t\r\n") + 1 - first);
  std::string out = "    ";
  out.append(line);
  out += '\n';
  if (site.col < first || site.col - first > line.size()) return out;
  const size_t begin = site.col - first;
  size_t end = site.end_col > site.col ? site.end_col - first : begin + 1;
  if (end > line.size()) end = line.size();
  const int width = end > begin ? width_of(line.substr(begin, end - begin)) : 1;
  out += "    " + blanks_for(line, begin) + '^' + std::string(width > 1 ? width - 1 : 0, '~') + '\n';
  return out;
}

void append_sites(std::string* out, const std::vector<Site>& sites, std::string_view first_word) {
  constexpr size_t kFirst = 6, kLast = 3;  // of a long chain of calls; the data has all
  for (size_t i = 0; i < sites.size(); i++) {
    if (i == kFirst && sites.size() > kFirst + kLast + 1) {
      *out += fmt::format("  ... {} more calls ...\n", sites.size() - kFirst - kLast);
      i = sites.size() - kLast;
    }
    const Site& site = sites[i];
    *out += fmt::format("  {} {}{}{}\n", i == 0 ? first_word : "called from", place_of(site),
                        site.function.empty() ? "" : " in ", site.function);
    *out += marked_line(site);
  }
}

std::string without_last_newline(std::string text) {
  while (!text.empty() && text.back() == '\n') text.pop_back();
  return text;
}

}  // namespace

std::string_view SourceText::line(uint32_t relative) const {
  std::string_view rest = text;
  for (; relative > 0; relative--) {
    const size_t end = rest.find('\n');
    if (end == std::string_view::npos) return {};
    rest.remove_prefix(end + 1);
  }
  std::string_view found = rest.substr(0, rest.find('\n'));
  if (!found.empty() && found.back() == '\r') found.remove_suffix(1);
  return found;
}

uint32_t SourceTable::add(SourceText source) {
  sources_.push_back(std::move(source));
  return static_cast<uint32_t>(sources_.size() - 1);
}

Site SourceTable::resolve(const Loc& loc) const {
  Site site;
  if (!loc.valid() || loc.source >= sources_.size()) return site;
  const SourceText& source = sources_[loc.source];
  site.file = source.file;
  site.line = source.first_line + loc.line;
  site.col = loc.col;
  site.text = std::string(source.line(loc.line));
  // A range over several lines is marked up to the end of its first one.
  site.end_col = loc.end_line > loc.line ? static_cast<uint32_t>(site.text.size()) : loc.end_col;
  site.function = source.function;
  return site;
}

std::string render_site(const Site& site) {
  return without_last_newline(place_of(site) + "\n" + marked_line(site));
}

std::string render_error(std::string_view message, std::string_view hint, const std::vector<Site>& sites) {
  std::string out(message);
  if (!sites.empty()) out += '\n';
  append_sites(&out, sites, "at");
  out = without_last_newline(std::move(out));
  if (!hint.empty()) out += fmt::format("\nhint: {}", hint);
  return out;
}

std::string render_finding(const Finding& f) {
  std::string out = fmt::format("{} ({}): {}", f.id, f.kind, f.message);
  if (f.count > 1) out += fmt::format(" (seen {} times)", f.count);
  out += '\n';
  append_sites(&out, f.sites, "at");
  append_sites(&out, f.other, "and");
  std::string facts;
  const auto add = [&](std::string_view name, std::string_view value) {
    if (!value.empty()) facts += fmt::format("{}{}{}", facts.empty() ? "  " : ", ", name, value);
  };
  add("", f.core);
  add("op ", f.op);
  add("pipe ", f.pipe);
  add("in ", f.buffer);
  if (f.range_begin != f.range_end) add("range ", fmt::format("[{}, {})", f.range_begin, f.range_end));
  if (!facts.empty()) out += facts + '\n';
  out = without_last_newline(std::move(out));
  if (!f.fix.empty()) out += fmt::format("\nfix: {}", f.fix);
  return out;
}

Error::Error(std::string message, std::string hint, std::vector<Site> sites)
    : message_(std::move(message)),
      hint_(std::move(hint)),
      sites_(std::move(sites)),
      text_(render_error(message_, hint_, sites_)) {}

KernelError::KernelError(std::vector<Finding> findings)
    : Error(findings.empty() ? "" : findings[0].message, findings.empty() ? "" : findings[0].fix,
            findings.empty() ? std::vector<Site>{} : findings[0].sites),
      findings_(std::move(findings)) {
  if (findings_.empty()) ASC_BUG("a KernelError without a finding");
  text_.clear();
  for (size_t i = 0; i < findings_.size(); i++) {
    if (i == 1)
      text_ += fmt::format("\n\n{} more finding{}:", findings_.size() - 1, findings_.size() == 2 ? "" : "s");
    if (i > 0) text_ += i == 1 ? "\n" : "\n\n";
    text_ += render_finding(findings_[i]);
  }
}

Bug::Bug(const char* file, int line, std::string_view message) {
  // The part of the path inside the project: what a report needs, and the same for every build folder.
  std::string_view path = file;
  const size_t at = path.rfind("csrc/");
  if (at != std::string_view::npos) path.remove_prefix(at);
  text_ = fmt::format("internal error in asc at {}:{}: {} (this is a fault of asc, please report it)", path,
                      line, message);
}

}  // namespace asc
