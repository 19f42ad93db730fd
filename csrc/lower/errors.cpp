// SPDX-License-Identifier: Apache-2.0
// Compile errors: where, who called, what is wrong, what to write instead.
#include "base/format.h"
#include "lower/frame.h"
#include "lower/lower.h"
#include "lower/pyref.h"

namespace asc::lower {

using ast::Node;
using ast::NodeKind;

namespace {

struct Refusal {
  NodeKind kind;
  const char* message;
  const char* hint;
};

// One line a construct that kernels do not have.
constexpr Refusal kRefusals[] = {
    {NodeKind::FunctionDef, "a def inside a kernel is not supported",
     "define the function outside with @asc.jit and call it"},
    {NodeKind::AsyncFunctionDef, "async def is not supported in a kernel",
     "write a plain @asc.jit function outside"},
    {NodeKind::ClassDef, "a class inside a kernel is not supported",
     "define it outside; its instances are compile-time values"},
    {NodeKind::Delete, "del is not supported in a kernel", "leave the name: what is not used costs nothing"},
    {NodeKind::TypeAlias, "a type statement is not supported in a kernel", "put it at module level"},
    {NodeKind::AsyncFor, "async for is not supported in a kernel", "use for"},
    {NodeKind::AsyncWith, "async with is not supported in a kernel", "write the steps out"},
    {NodeKind::Match, "match is not supported in a kernel", "use if and elif"},
    {NodeKind::Raise, "raise is not supported in a kernel", "use assert: a device cannot throw"},
    {NodeKind::Try, "try is not supported in a kernel", "test with if: a device cannot throw"},
    {NodeKind::TryStar, "try is not supported in a kernel", "test with if: a device cannot throw"},
    {NodeKind::Import, "import inside a kernel is not supported", "import at module level"},
    {NodeKind::ImportFrom, "import inside a kernel is not supported", "import at module level"},
    {NodeKind::Global, "global is not supported: a kernel cannot change a module's variable",
     "pass the value as an argument or return it"},
    {NodeKind::Nonlocal, "nonlocal is not supported: a kernel cannot change a variable around it",
     "pass the value as an argument or return it"},
    {NodeKind::With, "with is not supported for this value", "write the steps out"},
    {NodeKind::Lambda, "lambda is not supported in a kernel",
     "define an @asc.jit function outside and call it"},
    {NodeKind::Set, "a set is not supported in a kernel", "use a tuple or a list"},
    {NodeKind::SetComp, "a set comprehension is not supported in a kernel", "use a list comprehension"},
    {NodeKind::GeneratorExp, "a generator expression is not supported in a kernel",
     "use a list comprehension: [...]"},
    {NodeKind::Await, "await is not supported in a kernel",
     "device work is ordered by flags, queues and barriers"},
    {NodeKind::Yield, "yield is not supported in a kernel", "return a tuple or a list"},
    {NodeKind::YieldFrom, "yield from is not supported in a kernel", "return a tuple or a list"},
    {NodeKind::Starred, "a starred expression is not supported here", "write the items out"},
    {NodeKind::Slice, "a slice is only supported as an index", "write x[a:b]"},
};

}  // namespace

void Frame::fail(const Node* node, std::string message, std::string hint) const {
  fail(node, nullptr, std::move(message), std::move(hint));
}

// `second` is the other line that the message names: shown with its text.
void Frame::fail(const Node* node, const Node* second, std::string message, std::string hint) const {
  fail_beside(node, second ? loc(second) : Loc{}, std::move(message), std::move(hint));
}

void Frame::fail_beside(const Node* node, Loc second, std::string message, std::string hint) const {
  std::vector<Site> sites;
  const SourceTable& table = session_.module.sources;
  sites.push_back(table.resolve(loc(node)));
  if (second.valid() && (second.source != source_ || second.line != loc(node).line)) {
    const Site other = table.resolve(second);
    if (const size_t text = other.text.find_first_not_of(" \t"); text != std::string::npos)
      message += fmt::format("\n  line {}: {}", other.line, other.text.substr(text));
  }
  for (const Frame* f = this; f->caller_; f = f->caller_)
    sites.push_back(table.resolve(f->caller_->loc(f->call_)));
  throw CompileError(std::move(message), std::move(hint), std::move(sites));
}

void Frame::fail_syntax(const Node* node) const {
  for (const Refusal& r : kRefusals)
    if (r.kind == node->kind) fail(node, r.message, r.hint);
  fail(node, fmt::format("{} is not supported in a kernel", ast::kind_word(node->kind)));
}

void Frame::fail_python(const Node* node, std::string hint) const {
  if (!PyErr_ExceptionMatches(PyExc_Exception)) throw PythonErrorSet{};
  PyObject *type, *value, *trace;
  PyErr_Fetch(&type, &value, &trace);
  PyErr_NormalizeException(&type, &value, &trace);
  std::string message = "a Python error";
  if (value) {
    const PyRef text = PyRef::steal(PyObject_Str(value));
    const char* utf8 = text ? PyUnicode_AsUTF8(text.get()) : nullptr;
    message = Py_TYPE(value)->tp_name;
    if (const size_t dot = message.rfind('.'); dot != std::string::npos) message.erase(0, dot + 1);
    if (utf8 && *utf8) message.append(": ").append(utf8);
  }
  if (value && trace) PyException_SetTraceback(value, trace);
  Py_XDECREF(type);
  Py_XDECREF(trace);
  drop_error();
  PyRef cause = PyRef::steal(value);
  try {
    fail(node, std::move(message), std::move(hint));
  } catch (const CompileError& error) {
    throw PythonCompileError(error, std::move(cause));
  }
}

// What a value is, as messages say it.
std::string Frame::shown(const Value& v) const {
  switch (v.kind) {
    case ValueKind::Expr: return type_text(v.expr->type);
    case ValueKind::Seq: return v.seq->is_list ? "a list" : "a tuple";
    case ValueKind::Map: return "a dict";
    case ValueKind::Method: return fmt::format("the method {}", op_desc(v.op).py_name);
    case ValueKind::Unset: return "nothing";
    case ValueKind::Static: break;
  }
  DType dtype;
  if (as_dtype(v.object, &dtype)) return fmt::format("asc.{}", py_name(dtype));
  EnumId id;
  int64_t member;
  if (as_enum(v.object, &id, &member)) {
    const EnumMember* m = enum_desc(id).find(member);
    return fmt::format("{}.{}", enum_desc(id).py_name, m ? m->name : "?");
  }
  if (as_jit(v.object)) return fmt::format("the function {}", as_jit(v.object)->name);
  if (auto op = as_op(v.object)) return fmt::format("asc.{}", op_desc(*op).py_name);
  if (PyFunction_Check(v.object) || PyCFunction_Check(v.object)) {
    const PyRef name = PyRef::steal(PyObject_GetAttrString(v.object, "__qualname__"));
    const char* utf8 = name ? PyUnicode_AsUTF8(name.get()) : nullptr;
    drop_error();
    return fmt::format("the Python function {}", utf8 ? utf8 : "?");
  }
  const PyRef text = PyRef::steal(PyObject_Repr(v.object));
  const char* utf8 = text ? PyUnicode_AsUTF8(text.get()) : nullptr;
  drop_error();
  const std::string result = utf8 ? utf8 : "";
  // An address says nothing, and differs from run to run.
  const bool plain = !result.empty() && result.size() <= 60 && result.find(" at 0x") == std::string::npos;
  return plain ? result : fmt::format("a {} object", Py_TYPE(v.object)->tp_name);
}

}  // namespace asc::lower
