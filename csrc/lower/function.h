// SPDX-License-Identifier: Apache-2.0
// What is known of one @asc.jit function from its decoration: the Python function, its captured text, its
// parameters. The AST is parsed at first need and kept; specialisations lower from it.
#pragma once

#include <Python.h>

#include <memory>
#include <string>
#include <vector>

#include "lower/ast.h"
#include "lower/pyref.h"
#include "lower/source.h"
#include "ops/type.h"

namespace asc::lower {

struct Analysis;  // lower/analysis.h

struct Parameter {
  PyObject* name = nullptr;  // interned str, owned
  std::string utf8;
  PyObject* default_value = nullptr;  // owned, or null
  bool keyword_only = false;
  bool positional_only = false;
  bool is_constexpr = false;   // annotated asc.ConstExpr[...], also as a string
  bool is_address = false;     // annotated asc.GlobalAddress: takes arrays only
  DType pinned = DType::Void;  // annotated with a dtype (n: asc.int64)
};

struct KernelFunction {
  // Captures everything; throws SourceError or CompileError. `fn` is a Python function (unwrapped).
  explicit KernelFunction(PyObject* fn);
  ~KernelFunction();  // with the GIL
  KernelFunction(const KernelFunction&) = delete;
  KernelFunction& operator=(const KernelFunction&) = delete;

  PyObject* fn;       // strong
  PyObject* globals;  // strong: fn gives its own up when a cycle is taken apart
  std::string name, qualname;
  ast::Source source;
  std::vector<Parameter> params;  // positional, then keyword-only, as the signature has them

  // Visits the references held here, for tp_traverse of the one object that owns this.
  int traverse(visitproc visit, void* arg) const;

  PyRef annotation(const Parameter& param) const;  // the object that it names, or null

  const ast::Module& ast() const;    // parsed at first need; throws CompileError
  const Analysis& analysis() const;  // of the parsed text, made at first need

 private:
  mutable std::unique_ptr<ast::Module> ast_;
  mutable std::unique_ptr<const Analysis> analysis_;
};

}  // namespace asc::lower
