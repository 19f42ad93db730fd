// SPDX-License-Identifier: Apache-2.0
// The names of AST kinds and operators, and the arena that holds the nodes.
#include <Python.h>

#include <algorithm>
#include <iterator>

#include "lower/ast.h"

namespace asc::ast {
namespace {

struct KindText {
  std::string_view name, word;
};
#define ASC_X(Kind, word) {#Kind, word},
constexpr KindText kKinds[] = {ASC_FOR_EACH_STMT(ASC_X) ASC_FOR_EACH_EXPR(ASC_X)
                                   ASC_FOR_EACH_AST_PART(ASC_X)};
#undef ASC_X
static_assert(std::size(kKinds) == static_cast<size_t>(NodeKind::Count));

#define ASC_X(Id, sign) sign,
constexpr std::string_view kOperators[] = {ASC_FOR_EACH_OPERATOR(ASC_X)};
constexpr std::string_view kUnaryOperators[] = {ASC_FOR_EACH_UNARY_OPERATOR(ASC_X)};
constexpr std::string_view kCompareOperators[] = {ASC_FOR_EACH_COMPARE_OPERATOR(ASC_X)};
#undef ASC_X

}  // namespace

std::string_view kind_name(NodeKind kind) { return kKinds[static_cast<size_t>(kind)].name; }
std::string_view kind_word(NodeKind kind) { return kKinds[static_cast<size_t>(kind)].word; }
std::string_view sign(Operator op) { return kOperators[static_cast<size_t>(op)]; }
std::string_view sign(UnaryOperator op) { return kUnaryOperators[static_cast<size_t>(op)]; }
std::string_view sign(CompareOperator op) { return kCompareOperators[static_cast<size_t>(op)]; }
std::string_view sign(BoolOperator op) { return op == BoolOperator::And ? "and" : "or"; }

Range Attribute::attr_range() const {
  uint32_t size = static_cast<uint32_t>(attr->utf8.size());
  return {range.end_line, range.end_col > size ? range.end_col - size : 0, range.end_line, range.end_col};
}

Module::~Module() {
  if (owned_.empty() || !Py_IsInitialized()) return;  // after the interpreter's end the objects are gone
  PyGILState_STATE state = PyGILState_Ensure();
  for (PyObject* object : owned_) Py_DECREF(object);
  PyGILState_Release(state);
}

const Name* Module::find_name(std::string_view utf8) const {
  for (const Name* name : names)
    if (name->utf8 == utf8) return name;
  return nullptr;
}

void Module::add_chunk(size_t size) {
  chunks_.push_back(std::unique_ptr<char[]>(new char[size]));
  next_ = chunks_.back().get();
  end_ = next_ + size;
  bytes_ += size;
}

void* Module::allocate(size_t size) {
  size = (size + 7) & ~size_t{7};
  if (size > static_cast<size_t>(end_ - next_)) add_chunk(std::max(size, bytes_));
  return std::exchange(next_, next_ + size);
}

}  // namespace asc::ast
