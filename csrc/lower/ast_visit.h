// SPDX-License-Identifier: Apache-2.0
// The children of an AST node, for scans that do not care about most kinds.
#pragma once

#include "lower/ast.h"

namespace asc::ast {

// Calls visit(const Node*) for each child that is there, in the order of the text where Python's AST keeps it
// (a decorated def gives its decorators first; a comprehension its element before its generators).
template <class F>
void for_each_child(const Node* node, F&& visit) {
  auto one = [&](const Node* child) {
    if (child != nullptr) visit(child);
  };
  auto all = [&](const auto& list) {
    for (const Node* child : list) one(child);
  };
  switch (node->kind) {
    case NodeKind::FunctionDef: {
      auto* n = as<FunctionDef>(node);
      return all(n->decorators), all(n->type_params), one(n->args), one(n->returns), all(n->body);
    }
    case NodeKind::AsyncFunctionDef:
    case NodeKind::ClassDef: return all(as<Definition>(node)->decorators);
    case NodeKind::Return: return one(as<Return>(node)->value);
    case NodeKind::Delete: return all(as<Delete>(node)->targets);
    case NodeKind::Assign: return all(as<Assign>(node)->targets), one(as<Assign>(node)->value);
    case NodeKind::AugAssign: return one(as<AugAssign>(node)->target), one(as<AugAssign>(node)->value);
    case NodeKind::AnnAssign: {
      auto* n = as<AnnAssign>(node);
      return one(n->target), one(n->annotation), one(n->value);
    }
    case NodeKind::For: {
      auto* n = as<For>(node);
      return one(n->target), one(n->iter), all(n->body), all(n->orelse);
    }
    case NodeKind::While: {
      auto* n = as<While>(node);
      return one(n->test), all(n->body), all(n->orelse);
    }
    case NodeKind::If: {
      auto* n = as<If>(node);
      return one(n->test), all(n->body), all(n->orelse);
    }
    case NodeKind::With: return all(as<With>(node)->items), all(as<With>(node)->body);
    case NodeKind::Assert: return one(as<Assert>(node)->test), one(as<Assert>(node)->msg);
    case NodeKind::Expr: return one(as<ExprStmt>(node)->value);
    case NodeKind::BoolOp: return all(as<BoolOp>(node)->values);
    case NodeKind::NamedExpr: return one(as<NamedExpr>(node)->target), one(as<NamedExpr>(node)->value);
    case NodeKind::BinOp: return one(as<BinOp>(node)->left), one(as<BinOp>(node)->right);
    case NodeKind::UnaryOp: return one(as<UnaryOp>(node)->operand);
    case NodeKind::Lambda: return one(as<Lambda>(node)->args), one(as<Lambda>(node)->body);
    case NodeKind::IfExp: {
      auto* n = as<IfExp>(node);
      return one(n->body), one(n->test), one(n->orelse);
    }
    case NodeKind::Dict: {
      auto* n = as<Dict>(node);
      for (uint32_t i = 0; i < n->values.size(); i++) one(n->keys[i]), one(n->values[i]);
      return;
    }
    case NodeKind::ListComp:
    case NodeKind::SetComp:
    case NodeKind::DictComp:
    case NodeKind::GeneratorExp: {
      auto* n = as<Comp>(node);
      return one(n->elt), one(n->value), all(n->generators);
    }
    case NodeKind::Compare: return one(as<Compare>(node)->left), all(as<Compare>(node)->comparators);
    case NodeKind::Call: {
      auto* n = as<Call>(node);
      return one(n->func), all(n->args), all(n->keywords);
    }
    case NodeKind::FormattedValue:
      return one(as<FormattedValue>(node)->value), one(as<FormattedValue>(node)->format_spec);
    case NodeKind::JoinedStr: return all(as<JoinedStr>(node)->values);
    case NodeKind::Attribute: return one(as<Attribute>(node)->value);
    case NodeKind::Subscript: return one(as<Subscript>(node)->value), one(as<Subscript>(node)->slice);
    case NodeKind::Starred: return one(as<Starred>(node)->value);
    case NodeKind::List:
    case NodeKind::Tuple:
    case NodeKind::Set: return all(as<Sequence>(node)->elts);
    case NodeKind::Slice: {
      auto* n = as<Slice>(node);
      return one(n->lower), one(n->upper), one(n->step);
    }
    case NodeKind::comprehension: {
      auto* n = as<Comprehension>(node);
      return one(n->target), one(n->iter), all(n->ifs);
    }
    case NodeKind::keyword: return one(as<Keyword>(node)->value);
    case NodeKind::arg: return one(as<Arg>(node)->annotation);
    case NodeKind::arguments: {
      auto* n = as<Arguments>(node);
      all(n->posonly), all(n->args), one(n->vararg), all(n->kwonly), one(n->kwarg);
      return all(n->defaults), all(n->kw_defaults);
    }
    case NodeKind::withitem: return one(as<WithItem>(node)->context), one(as<WithItem>(node)->var);
    default: return;
  }
}

}  // namespace asc::ast
