// SPDX-License-Identifier: Apache-2.0
// The Python AST of one function as typed C++ nodes in an arena. ast.cpp is the only file that reads Python's
// `_ast` objects; lowering works from these nodes as often as it specialises. All of it is immutable and
// readable without the GIL, except for the PyObject pointers, which the module owns.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>

#include "lower/ast_kinds.h"
#include "lower/source.h"

namespace asc::ast {

// A view of consecutive elements in the arena.
template <class T>
struct Span {
  const T* data = nullptr;
  uint32_t count = 0;

  const T* begin() const { return data; }
  const T* end() const { return data + count; }
  const T& operator[](uint32_t i) const { return data[i]; }
  const T& front() const { return data[0]; }
  const T& back() const { return data[count - 1]; }
  uint32_t size() const { return count; }
  bool empty() const { return count == 0; }
};

// An identifier, one object a module: equal names have equal pointers and ids. Ids are 0 ..
// module.names.size()-1 in the order of first appearance, so that a scope can be an array.
struct Name {
  std::string_view utf8;    // normalised (NFKC), as Python compares names
  PyObject* str = nullptr;  // interned str
  uint32_t id = 0;
};

struct Node {
  NodeKind kind;
  uint8_t op = 0;   // the operator or context of the kinds that have one; use their typed accessors
  uint32_t id = 0;  // dense in the module, parents before children
  Range range;
};

using NodeList = Span<const Node*>;  // an entry is null only where a comment says so

template <class T>
const T* as(const Node* node) {  // the kind must be known: checked in debug builds
#ifndef NDEBUG
  ASC_ASSERT(node != nullptr && T::is(node->kind));
#endif
  return static_cast<const T*>(node);
}
template <class T>
const T* dyn(const Node* node) {  // null if the node is null or of another kind
  return node != nullptr && T::is(node->kind) ? static_cast<const T*>(node) : nullptr;
}

#define ASC_AST_KIND(Kind) \
  static constexpr bool is(NodeKind k) { return k == NodeKind::Kind; }

// ---- parts ------------------------------------------------------------

struct Arg : Node {
  ASC_AST_KIND(arg)
  const Name* name;
  const Node* annotation;  // or null
};

struct Arguments : Node {  // its range is empty at 0:0: Python gives none
  ASC_AST_KIND(arguments)
  Span<const Arg*> posonly, args, kwonly;
  const Arg* vararg;     // or null
  const Arg* kwarg;      // or null
  NodeList defaults;     // of the last of posonly + args
  NodeList kw_defaults;  // one a keyword-only argument, null where it has none
};

struct Keyword : Node {
  ASC_AST_KIND(keyword)
  const Name* name;  // null for `**value`
  const Node* value;
};

struct Comprehension : Node {
  ASC_AST_KIND(comprehension)
  const Node* target;
  const Node* iter;
  NodeList ifs;
  bool is_async;
};

struct WithItem : Node {  // its range is that of its expression and variable
  ASC_AST_KIND(withitem)
  const Node* context;
  const Node* var;  // or null
};

// A kind that carries nothing but itself and its range.
struct Opaque : Node {};

// ---- statements ------------------------------------------------------------

struct FunctionDef : Node {  // range: from `def` (decorators excluded) to the end of the body
  ASC_AST_KIND(FunctionDef)
  const Name* name;
  const Arguments* args;
  NodeList body;
  NodeList decorators;
  const Node* returns;   // or null
  NodeList type_params;  // of `def f[T]`, opaque
};

struct Definition : Node {  // ClassDef and AsyncFunctionDef, without their bodies
  static constexpr bool is(NodeKind k) { return k == NodeKind::ClassDef || k == NodeKind::AsyncFunctionDef; }
  const Name* name;
  NodeList decorators;  // before the range, as for FunctionDef
};

struct Return : Node {
  ASC_AST_KIND(Return)
  const Node* value;  // or null
};

struct Delete : Node {
  ASC_AST_KIND(Delete)
  NodeList targets;
};

struct Assign : Node {
  ASC_AST_KIND(Assign)
  NodeList targets;  // a = b = value has two
  const Node* value;
};

struct AugAssign : Node {
  ASC_AST_KIND(AugAssign)
  Operator binary() const { return static_cast<Operator>(op); }
  const Node* target;  // Name, Attribute or Subscript, context Store
  const Node* value;
};

struct AnnAssign : Node {
  ASC_AST_KIND(AnnAssign)
  const Node* target;
  const Node* annotation;
  const Node* value;  // or null
  bool simple;        // a bare name without parentheses
};

struct For : Node {
  ASC_AST_KIND(For)
  const Node* target;
  const Node* iter;
  NodeList body, orelse;
};

struct While : Node {
  ASC_AST_KIND(While)
  const Node* test;
  NodeList body, orelse;
};

struct If : Node {  // `elif` is an If alone in orelse
  ASC_AST_KIND(If)
  const Node* test;
  NodeList body, orelse;
};

struct With : Node {
  ASC_AST_KIND(With)
  Span<const WithItem*> items;
  NodeList body;
};

struct Assert : Node {
  ASC_AST_KIND(Assert)
  const Node* test;
  const Node* msg;  // or null
};

struct NamesStmt : Node {  // Global and Nonlocal
  static constexpr bool is(NodeKind k) { return k == NodeKind::Global || k == NodeKind::Nonlocal; }
  Span<const Name*> names;
};

struct ExprStmt : Node {
  ASC_AST_KIND(Expr)
  const Node* value;
};
// Pass, Break, Continue: Opaque.

// ---- expressions ------------------------------------------------------------

struct BoolOp : Node {
  ASC_AST_KIND(BoolOp)
  BoolOperator boolean() const { return static_cast<BoolOperator>(op); }
  NodeList values;  // two or more
};

struct NamedExpr : Node {
  ASC_AST_KIND(NamedExpr)
  const Node* target;
  const Node* value;
};

struct BinOp : Node {
  ASC_AST_KIND(BinOp)
  Operator binary() const { return static_cast<Operator>(op); }
  const Node* left;
  const Node* right;
};

struct UnaryOp : Node {
  ASC_AST_KIND(UnaryOp)
  UnaryOperator unary() const { return static_cast<UnaryOperator>(op); }
  const Node* operand;
};

struct Lambda : Node {
  ASC_AST_KIND(Lambda)
  const Arguments* args;
  const Node* body;
};

struct IfExp : Node {
  ASC_AST_KIND(IfExp)
  const Node* test;
  const Node* body;
  const Node* orelse;
};

struct Dict : Node {
  ASC_AST_KIND(Dict)
  NodeList keys;  // null for `**value`
  NodeList values;
};

struct Comp : Node {  // ListComp, SetComp, GeneratorExp, DictComp
  static constexpr bool is(NodeKind k) { return k >= NodeKind::ListComp && k <= NodeKind::GeneratorExp; }
  const Node* elt;    // the key of a DictComp
  const Node* value;  // of a DictComp; else null
  Span<const Comprehension*> generators;
};

struct Compare : Node {  // left ops[0] comparators[0] ops[1] comparators[1] ...
  ASC_AST_KIND(Compare)
  const Node* left;
  Span<CompareOperator> ops;
  NodeList comparators;
};

struct Call : Node {
  ASC_AST_KIND(Call)
  const Node* func;
  NodeList args;  // may hold Starred
  Span<const Keyword*> keywords;
};

struct FormattedValue : Node {  // {value!conversion:format_spec}
  ASC_AST_KIND(FormattedValue)
  const Node* value;
  const Node* format_spec;  // a JoinedStr, or null
  char conversion;          // 's', 'r', 'a', or 0
};

struct JoinedStr : Node {
  ASC_AST_KIND(JoinedStr)
  NodeList values;  // Constant (str) and FormattedValue
};

struct Constant : Node {
  ASC_AST_KIND(Constant)
  enum class Type : uint8_t { None, False, True, Int, Float, Complex, Str, Bytes, Ellipsis };
  Type type;
  bool fits_int64;        // Int only: int_value holds it
  PyObject* object;       // owned by the module; reading it needs the GIL
  int64_t int_value;      // Int that fits; 0 and 1 for False and True
  double float_value;     // Float
  std::string_view text;  // Str as UTF-8 (empty if it has lone surrogates), or the content of Bytes
};

struct Attribute : Node {
  ASC_AST_KIND(Attribute)
  Context context() const { return static_cast<Context>(op); }
  Range attr_range() const;  // of the name after the dot
  const Node* value;
  const Name* attr;
};

struct Subscript : Node {
  ASC_AST_KIND(Subscript)
  Context context() const { return static_cast<Context>(op); }
  const Node* value;
  const Node* slice;  // Slice, Tuple or any expression
};

struct Starred : Node {
  ASC_AST_KIND(Starred)
  Context context() const { return static_cast<Context>(op); }
  const Node* value;
};

struct NameExpr : Node {
  ASC_AST_KIND(Name)
  Context context() const { return static_cast<Context>(op); }
  const Name* name;
};

struct Sequence : Node {  // List, Tuple, Set
  static constexpr bool is(NodeKind k) {
    return k == NodeKind::List || k == NodeKind::Tuple || k == NodeKind::Set;
  }
  Context context() const { return static_cast<Context>(op); }
  NodeList elts;
};

struct Slice : Node {
  ASC_AST_KIND(Slice)
  const Node* lower;  // each may be null
  const Node* upper;
  const Node* step;
};

#undef ASC_AST_KIND

// ---- module ------------------------------------------------------------

class Builder;

// One parsed function with its arena. Destruction takes the GIL by itself.
class Module {
 public:
  Module(Module&&) = delete;
  ~Module();

  const FunctionDef* function = nullptr;
  Span<const Name*> names;  // by id
  uint32_t node_count = 0;  // ids of nodes are below this

  const Name* find_name(std::string_view utf8) const;  // null if the function never mentions it
  size_t bytes() const { return bytes_; }              // size of the arena

 private:
  friend class Builder;
  Module() = default;
  void* allocate(size_t size);  // aligned to 8
  void add_chunk(size_t size);

  std::vector<std::unique_ptr<char[]>> chunks_;  // one, unless the text is unusually dense
  char* next_ = nullptr;
  char* end_ = nullptr;
  size_t bytes_ = 0;
  std::vector<PyObject*> owned_;  // a reference each: names and constants
};

// The function in what compile() made of a captured text; null if that is not one `def`. For parse_function.
std::unique_ptr<Module> convert_module(const Source& source, PyObject* module);

// Parses a captured text and checks that it is the function's: name, argument names, and lines that have
// code. Needs the GIL. Throws SourceError; leaves no Python error set.
std::unique_ptr<Module> parse_function(const Source& source);

// Compares a parsed function with what its code object says (Source::arg_names, Source::code_lines). Empty if
// they agree, else what differs. Bytecode itself is not compared: pytest, coverage and -O rewrite it, but
// keep its lines.
std::string find_mismatch(const Source& source, const Module& module);

}  // namespace asc::ast
