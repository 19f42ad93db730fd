// SPDX-License-Identifier: Apache-2.0
// The kinds of AST nodes and operators, each from one list, with the words that messages use for them.
#pragma once

#include <cstdint>
#include <string_view>

namespace asc::ast {

// X(Kind, word a message uses). Every node kind of Python 3.10 to 3.13, so that lowering can refuse each by
// its name. "opaque" kinds carry their kind and range alone (struct Opaque).
// clang-format off
#define ASC_FOR_EACH_STMT(X)                                \
  X(FunctionDef, "def")                                     \
  X(AsyncFunctionDef, "async def")                          \
  X(ClassDef, "class")                                      \
  X(Return, "return")                                       \
  X(Delete, "del")                                          \
  X(Assign, "assignment")                                   \
  X(TypeAlias, "type")                      /* opaque */    \
  X(AugAssign, "augmented assignment")                      \
  X(AnnAssign, "annotated assignment")                      \
  X(For, "for")                                             \
  X(AsyncFor, "async for")                  /* opaque */    \
  X(While, "while")                                         \
  X(If, "if")                                               \
  X(With, "with")                                           \
  X(AsyncWith, "async with")                /* opaque */    \
  X(Match, "match")                         /* opaque */    \
  X(Raise, "raise")                         /* opaque */    \
  X(Try, "try")                             /* opaque */    \
  X(TryStar, "try ... except*")             /* opaque */    \
  X(Assert, "assert")                                       \
  X(Import, "import")                       /* opaque */    \
  X(ImportFrom, "from ... import")          /* opaque */    \
  X(Global, "global")                                       \
  X(Nonlocal, "nonlocal")                                   \
  X(Expr, "expression")                                     \
  X(Pass, "pass")                                           \
  X(Break, "break")                                         \
  X(Continue, "continue")

#define ASC_FOR_EACH_EXPR(X)                                \
  X(BoolOp, "and/or")                                       \
  X(NamedExpr, ":=")                                        \
  X(BinOp, "binary operation")                              \
  X(UnaryOp, "unary operation")                             \
  X(Lambda, "lambda")                                       \
  X(IfExp, "conditional expression")                        \
  X(Dict, "dict display")                                   \
  X(Set, "set display")                                     \
  X(ListComp, "list comprehension")                         \
  X(SetComp, "set comprehension")                           \
  X(DictComp, "dict comprehension")                         \
  X(GeneratorExp, "generator expression")                   \
  X(Await, "await")                         /* opaque */    \
  X(Yield, "yield")                         /* opaque */    \
  X(YieldFrom, "yield from")                /* opaque */    \
  X(Compare, "comparison")                                  \
  X(Call, "call")                                           \
  X(FormattedValue, "f-string field")                       \
  X(JoinedStr, "f-string")                                  \
  X(Constant, "constant")                                   \
  X(Attribute, "attribute")                                 \
  X(Subscript, "subscript")                                 \
  X(Starred, "starred expression")                          \
  X(Name, "name")                                           \
  X(List, "list display")                                   \
  X(Tuple, "tuple")                                         \
  X(Slice, "slice")

// The helper nodes of Python's AST (its lower-case kinds), and the type parameters of `def f[T]`.
#define ASC_FOR_EACH_AST_PART(X)                            \
  X(comprehension, "comprehension")                         \
  X(keyword, "keyword argument")                            \
  X(arg, "parameter")                                       \
  X(arguments, "parameters")                                \
  X(withitem, "with item")                                  \
  X(TypeParam, "type parameter")            /* opaque */

// clang-format on

enum class NodeKind : uint8_t {
#define ASC_X(Kind, word) Kind,
  ASC_FOR_EACH_STMT(ASC_X) ASC_FOR_EACH_EXPR(ASC_X) ASC_FOR_EACH_AST_PART(ASC_X)
#undef ASC_X
      Count
};

constexpr bool is_stmt(NodeKind k) { return k <= NodeKind::Continue; }
constexpr bool is_expr(NodeKind k) { return k >= NodeKind::BoolOp && k <= NodeKind::Slice; }
std::string_view kind_name(NodeKind kind);  // Python's name: "FunctionDef", "comprehension"
std::string_view kind_word(NodeKind kind);  // for messages: "def", "list comprehension"

// X(Python's class, its sign)
// clang-format off
#define ASC_FOR_EACH_OPERATOR(X)                                                                             \
  X(Add, "+") X(Sub, "-") X(Mult, "*") X(MatMult, "@") X(Div, "/") X(Mod, "%") X(Pow, "**") X(LShift, "<<")  \
  X(RShift, ">>") X(BitOr, "|") X(BitXor, "^") X(BitAnd, "&") X(FloorDiv, "//")
#define ASC_FOR_EACH_UNARY_OPERATOR(X) X(Invert, "~") X(Not, "not") X(UAdd, "+") X(USub, "-")
#define ASC_FOR_EACH_COMPARE_OPERATOR(X)                                                                     \
  X(Eq, "==") X(NotEq, "!=") X(Lt, "<") X(LtE, "<=") X(Gt, ">") X(GtE, ">=") X(Is, "is") X(IsNot, "is not")  \
  X(In, "in") X(NotIn, "not in")
// clang-format on

#define ASC_X(Id, sign) Id,
enum class Operator : uint8_t { ASC_FOR_EACH_OPERATOR(ASC_X) };
enum class UnaryOperator : uint8_t { ASC_FOR_EACH_UNARY_OPERATOR(ASC_X) };
enum class CompareOperator : uint8_t { ASC_FOR_EACH_COMPARE_OPERATOR(ASC_X) };
#undef ASC_X
enum class BoolOperator : uint8_t { And, Or };
enum class Context : uint8_t { Load, Store, Del };

std::string_view sign(Operator op);
std::string_view sign(UnaryOperator op);
std::string_view sign(CompareOperator op);
std::string_view sign(BoolOperator op);  // "and", "or"

}  // namespace asc::ast
