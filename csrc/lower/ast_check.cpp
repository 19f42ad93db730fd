// SPDX-License-Identifier: Apache-2.0
// Does a parsed text belong to a function? Compares names and the lines that have bytecode, in both
// directions, and claims a difference only where every supported compiler agrees: dead code, constant
// conditions and `assert` prove nothing.
#include <algorithm>
#include <optional>

#include "base/format.h"
#include "lower/ast_visit.h"

namespace asc::ast {
namespace {

class Check {
 public:
  Check(const Source& source, const Module& module) : source_(source), function_(*module.function) {}

  std::string run() {
    if (function_.name->utf8 != source_.function) return fmt::format("it defines `{}`", function_.name->utf8);
    if (std::string text = compare_args(); !text.empty()) return text;
    node_lines_.assign(source_.line_count(), false);
    node_lines_[0] = true;  // the function's own first instruction
    mark(&function_);
    for (uint32_t line : source_.code_lines)
      if (line >= node_lines_.size() || !node_lines_[line])
        return fmt::format("line {} has no code any more", source_.absolute_line(line));
    check_block(function_.body);
    if (missing_) return fmt::format("line {} has code that was not there", source_.absolute_line(*missing_));
    return {};
  }

 private:
  std::string compare_args() const {
    std::vector<std::string_view> text;
    auto add = [&](const Arg* arg) {
      if (arg != nullptr) text.push_back(arg->name->utf8);
    };
    const Arguments& args = *function_.args;
    for (const Arg* arg : args.posonly) add(arg);
    for (const Arg* arg : args.args) add(arg);
    for (const Arg* arg : args.kwonly) add(arg);
    add(args.vararg);
    add(args.kwarg);
    // In a class, `__x` is compiled as `_Class__x`.
    auto same = [](std::string_view written, std::string_view compiled) {
      return written == compiled ||
             (written.starts_with("__") && compiled.starts_with('_') && compiled.ends_with(written));
    };
    if (std::equal(text.begin(), text.end(), source_.arg_names.begin(), source_.arg_names.end(), same))
      return {};
    std::string now, then;
    for (std::string_view name : text) now.append(now.empty() ? "" : ", ").append(name);
    for (std::string_view name : source_.arg_names) then.append(then.empty() ? "" : ", ").append(name);
    return fmt::format("the parameters are ({}), and were ({})", now, then);
  }

  // Bytecode has the line where its node begins, or for a method call the line of the name after the dot.
  // Opaque nodes and f-strings count with all their lines.
  void mark(const Node* node) {
    bool whole = node->kind == NodeKind::JoinedStr || is_opaque(node->kind);
    if (node->kind != NodeKind::arguments)
      for (uint32_t line = node->range.line; line <= (whole ? node->range.end_line : node->range.line);
           line++)
        mark_line(line);
    if (node->kind == NodeKind::Attribute) mark_line(node->range.end_line);
    for_each_child(node, [&](const Node* child) { mark(child); });
  }
  void mark_line(uint32_t line) {
    if (line < node_lines_.size()) node_lines_[line] = true;
  }

  static bool is_opaque(NodeKind kind) {
    switch (kind) {
      case NodeKind::AsyncFunctionDef:
      case NodeKind::ClassDef:
      case NodeKind::TypeAlias:
      case NodeKind::AsyncFor:
      case NodeKind::AsyncWith:
      case NodeKind::Match:
      case NodeKind::Raise:
      case NodeKind::Try:
      case NodeKind::TryStar:
      case NodeKind::Import:
      case NodeKind::ImportFrom:
      case NodeKind::Await:
      case NodeKind::Yield:
      case NodeKind::YieldFrom:
      case NodeKind::TypeParam: return true;
      default: return false;
    }
  }

  // Notes the first statement without code among those that are reached for certain. Returns whether the end
  // of the block is reached for certain.
  bool check_block(NodeList block) {
    return std::all_of(block.begin(), block.end(), [&](const Node* stmt) { return check_stmt(stmt); });
  }

  bool check_stmt(const Node* stmt) {
    switch (stmt->kind) {
      case NodeKind::Assign:
      case NodeKind::AugAssign: return expect_code(stmt->range.line, stmt->range.end_line), true;
      case NodeKind::AnnAssign:
        if (as<AnnAssign>(stmt)->value != nullptr) expect_code(stmt->range.line, stmt->range.end_line);
        return true;
      case NodeKind::Expr:
        if (as<ExprStmt>(stmt)->value->kind == NodeKind::Call)
          expect_code(stmt->range.line, stmt->range.end_line);
        return true;
      case NodeKind::Return: return expect_code(stmt->range.line, stmt->range.end_line), false;
      case NodeKind::Assert: return may_vary(as<Assert>(stmt)->test);
      case NodeKind::If: return check_if(as<If>(stmt));
      case NodeKind::While: {
        auto* loop = as<While>(stmt);
        if (!may_vary(loop->test)) return false;
        expect_code(stmt->range.line, loop->test->range.end_line);
        check_block(loop->body);
        return check_block(loop->orelse);
      }
      case NodeKind::For: {
        auto* loop = as<For>(stmt);
        expect_code(stmt->range.line, loop->iter->range.end_line);
        check_block(loop->body);
        return check_block(loop->orelse);
      }
      case NodeKind::With: {
        auto* with = as<With>(stmt);
        expect_code(stmt->range.line, with->items.back()->range.end_line);
        return check_block(with->body);
      }
      case NodeKind::FunctionDef:
      case NodeKind::ClassDef:
      case NodeKind::Delete:  // `del ()` has none
      case NodeKind::Global:
      case NodeKind::Nonlocal:
      case NodeKind::Pass: return true;
      default: return false;
    }
  }

  bool check_if(const If* node) {
    if (!may_vary(node->test)) return false;
    expect_code(node->range.line, node->test->range.end_line);
    bool body = check_block(node->body);
    bool orelse = check_block(node->orelse);
    return body || orelse;
  }

  // False if a compiler may know the value, wholly or for a part that decides.
  static bool may_vary(const Node* test) {
    auto all = [](NodeList list) { return std::all_of(list.begin(), list.end(), may_vary); };
    switch (test->kind) {
      case NodeKind::Name: return as<NameExpr>(test)->name->utf8 != "__debug__";
      case NodeKind::Attribute:
      case NodeKind::Call:
      case NodeKind::Compare: return true;
      case NodeKind::Subscript: return may_vary(as<Subscript>(test)->value);
      case NodeKind::BinOp: return may_vary(as<BinOp>(test)->left) || may_vary(as<BinOp>(test)->right);
      case NodeKind::UnaryOp: return may_vary(as<UnaryOp>(test)->operand);
      case NodeKind::BoolOp: return all(as<BoolOp>(test)->values);
      default: return false;
    }
  }

  void expect_code(uint32_t begin, uint32_t end) {
    auto at = std::lower_bound(source_.code_lines.begin(), source_.code_lines.end(), begin);
    if ((at == source_.code_lines.end() || *at > end) && !missing_) missing_ = begin;
  }

  const Source& source_;
  const FunctionDef& function_;
  std::vector<bool> node_lines_;  // lines where a node begins
  std::optional<uint32_t> missing_;
};

}  // namespace

std::string find_mismatch(const Source& source, const Module& module) { return Check(source, module).run(); }

}  // namespace asc::ast
