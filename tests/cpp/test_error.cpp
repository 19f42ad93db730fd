// SPDX-License-Identifier: Apache-2.0
// Source tables, marks under source lines, and the texts of errors and findings.
#include <gtest/gtest.h>

#include "base/error.h"

namespace asc {
namespace {

Site site_of(std::string text, uint32_t col, uint32_t end_col) {
  Site site;
  site.file = "k.py";
  site.line = 7;
  site.col = col;
  site.end_col = end_col;
  site.text = std::move(text);
  return site;
}

TEST(SourceText, GivesLinesWithoutTheirEnds) {
  const SourceText source{"k.py", 1, "k", "@asc.jit\r\ndef k():\n  pass"};
  EXPECT_EQ(source.line(0), "@asc.jit");
  EXPECT_EQ(source.line(1), "def k():");
  EXPECT_EQ(source.line(2), "  pass");
  EXPECT_EQ(source.line(3), "");
}

TEST(SourceTable, ResolvesRelativeLines) {
  SourceTable table;
  const uint32_t id = table.add({"k.py", 10, "kernel", "def kernel(x):\n    y = x +\\\n      1\n"});
  const Site site = table.resolve({id, 1, 4, 1, 9});
  EXPECT_EQ(site.file, "k.py");
  EXPECT_EQ(site.line, 11u);
  EXPECT_EQ(site.col, 4u);
  EXPECT_EQ(site.end_col, 9u);
  EXPECT_EQ(site.function, "kernel");
  EXPECT_EQ(site.text, "    y = x +\\");
}

TEST(SourceTable, ARangeOverLinesEndsWithItsFirst) {
  SourceTable table;
  const uint32_t id = table.add({"k.py", 1, "k", "f(a,\n  b)\n"});
  EXPECT_EQ(table.resolve({id, 0, 0, 1, 4}).end_col, 4u);
}

TEST(SourceTable, AnInvalidLocationHasNoSite) {
  SourceTable table;
  EXPECT_EQ(table.resolve(Loc{}).line, 0u);
  EXPECT_EQ(table.resolve({5, 0, 0, 0, 0}).line, 0u);
}

TEST(RenderSite, MarksTheRange) {
  EXPECT_EQ(render_site(site_of("    z = x + y", 8, 13)), "k.py:7:9\n    z = x + y\n        ^~~~~");
}

TEST(RenderSite, MarksOneColumnWithoutAnEnd) {
  EXPECT_EQ(render_site(site_of("ab", 1, 0)), "k.py:7:2\n    ab\n     ^");
}

TEST(RenderSite, KeepsTabsInFrontOfTheMark) {
  // The indentation goes; a tab inside the line stays in both lines.
  EXPECT_EQ(render_site(site_of("\tx\t= y", 3, 4)), "k.py:7:4\n    x\t= y\n     \t^");
}

TEST(RenderSite, CountsUtf8AsCharacters) {
  // "größe" is 5 characters in 7 bytes; the mark goes below "y".
  const std::string text = "größe = y";
  EXPECT_EQ(render_site(site_of(text, 10, 11)), "k.py:7:9\n    größe = y\n            ^");
  EXPECT_EQ(render_site(site_of(text, 0, 7)), "k.py:7:1\n    größe = y\n    ^~~~~");
}

TEST(RenderSite, WideCharactersTakeTwoColumns) {
  EXPECT_EQ(render_site(site_of("s = '和' + y", 12, 13)), "k.py:7:11\n    s = '和' + y\n               ^");
  EXPECT_EQ(render_site(site_of("和和", 0, 6)), "k.py:7:1\n    和和\n    ^~~~");
}

TEST(RenderSite, SurvivesColumnsOutsideTheLine) {
  EXPECT_EQ(render_site(site_of("x", 40, 50)), "k.py:7:2\n    x");
  EXPECT_EQ(render_site(site_of("  x", 0, 1)), "k.py:7:1\n    x");
  EXPECT_EQ(render_site(site_of("", 0, 0)), "k.py:7:1");
  EXPECT_EQ(render_site(Site{}), "<unknown>");
  EXPECT_EQ(render_site(site_of("ab\xff", 2, 3)), "k.py:7:3\n    ab\xff\n      ^");
}

TEST(RenderError, NamesCallersAndHint) {
  Site inner = site_of("  return f(x)", 9, 13);
  inner.function = "helper";
  Site outer = site_of("helper(x)", 0, 9);
  outer.line = 20;
  outer.function = "kernel";
  EXPECT_EQ(render_error("x is wrong", "write y", {inner, outer}),
            "x is wrong\n"
            "  at k.py:7:10 in helper\n"
            "    return f(x)\n"
            "           ^~~~\n"
            "  called from k.py:20:1 in kernel\n"
            "    helper(x)\n"
            "    ^~~~~~~~~\n"
            "hint: write y");
}

TEST(RenderError, NeedsNoSites) { EXPECT_EQ(render_error("no device", "", {}), "no device"); }

Finding finding_of(std::string id, std::string message) {
  Finding f;
  f.id = std::move(id);
  f.kind = "bounds";
  f.message = std::move(message);
  return f;
}

TEST(RenderFinding, ShowsWhereAndFacts) {
  Finding f = finding_of("ASC-B102", "y is written at element 64 of 64");
  f.fix = "stop earlier";
  f.sites = {site_of("asc.data_copy(y, z, n)", 0, 22)};
  f.op = "asc.data_copy";
  f.core = "block 3, AIV 0";
  f.pipe = "MTE3";
  f.buffer = "y";
  f.range_begin = 64;
  f.range_end = 128;
  f.count = 2;
  EXPECT_EQ(render_finding(f),
            "ASC-B102 (bounds): y is written at element 64 of 64 (seen 2 times)\n"
            "  at k.py:7:1\n"
            "    asc.data_copy(y, z, n)\n"
            "    ^~~~~~~~~~~~~~~~~~~~~~\n"
            "  block 3, AIV 0, op asc.data_copy, pipe MTE3, in y, range [64, 128)\n"
            "fix: stop earlier");
}

TEST(RenderFinding, ShowsTheSecondPlaceOfAPair) {
  Finding f = finding_of("ASC-Y102", "set twice");
  f.sites = {site_of("a()", 0, 3)};
  f.other = {site_of("b()", 0, 3)};
  EXPECT_EQ(
      render_finding(f),
      "ASC-Y102 (bounds): set twice\n  at k.py:7:1\n    a()\n    ^~~\n  and k.py:7:1\n    b()\n    ^~~");
}

TEST(KernelError, TellsTheFirstFindingThenTheOthers) {
  const KernelError error(
      {finding_of("ASC-B101", "first"), finding_of("ASC-B102", "second"), finding_of("ASC-B103", "third")});
  EXPECT_EQ(error.message(), "first");
  EXPECT_EQ(error.findings().size(), 3u);
  EXPECT_STREQ(
      error.what(),
      "ASC-B101 (bounds): first\n\n2 more findings:\nASC-B102 (bounds): second\n\nASC-B103 (bounds): third");
}

TEST(KernelError, OneFindingStandsAlone) {
  EXPECT_STREQ(KernelError({finding_of("ASC-B101", "first")}).what(), "ASC-B101 (bounds): first");
}

TEST(KernelError, NeedsAFinding) { EXPECT_THROW(KernelError({}), Bug); }

TEST(Errors, CarryTheirFields) {
  try {
    throw CompileError("bad", "better", {site_of("x", 0, 1)});
  } catch (const Error& e) {
    EXPECT_EQ(e.message(), "bad");
    EXPECT_EQ(e.hint(), "better");
    ASSERT_EQ(e.sites().size(), 1u);
    EXPECT_STREQ(e.what(), "bad\n  at k.py:7:1\n    x\n    ^\nhint: better");
  }
  EXPECT_STREQ(LaunchError("no device", "plug it in").what(), "no device\nhint: plug it in");
}

TEST(Bug, NamesItsPlaceInTheProject) {
  try {
    ASC_ASSERT(1 + 1 == 3);
    FAIL() << "the assertion holds";
  } catch (const Bug& bug) {
    EXPECT_NE(std::string(bug.what()).find("1 + 1 == 3"), std::string::npos);
  }
  EXPECT_EQ(std::string(Bug("/somewhere/csrc/ir/ir.cpp", 5, "lost").what()).find("/somewhere"),
            std::string::npos);
}

}  // namespace
}  // namespace asc
