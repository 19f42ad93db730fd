// SPDX-License-Identifier: Apache-2.0
// What an expression of a kernel is while it is lowered: a compile-time Python object, a typed IR expression,
// a container that may hold either, or a method of something. Values are plain and copied freely; the session
// keeps what they point to.
#pragma once

#include <Python.h>

#include <cstdint>
#include <utility>
#include <vector>

#include "ir/ir.h"

namespace asc::lower {

struct Value;
struct Seq;
struct Map;

enum class ValueKind : uint8_t {
  Unset,
  Static,  // object; a number may have a spelling (expr, a Const of the same value) and a pinned type
  Expr,    // expr
  Seq,     // tuple or list display, comprehension, what zip and enumerate give
  Map,     // dict display
  Method,  // op of the table bound to the receiver expr
};

struct Value {
  ValueKind kind = ValueKind::Unset;
  DType pinned =
      DType::Void;         // Static number: the type the user gave it; Void: a Python literal, which adapts
  OpId op = OpId::kCount;  // Method
  PyObject* object = nullptr;  // Static
  ir::Expr* expr = nullptr;    // Expr; Static: its spelling or null; Method: the receiver
  union {
    Seq* seq = nullptr;  // Seq
    Map* map;            // Map
  };

  static Value of(PyObject* object) {
    Value v;
    v.kind = ValueKind::Static;
    v.object = object;
    return v;
  }
  static Value of(ir::Expr* expr) {
    Value v;
    v.kind = ValueKind::Expr;
    v.expr = expr;
    return v;
  }
  static Value of(Seq* seq) {
    Value v;
    v.kind = ValueKind::Seq;
    v.seq = seq;
    return v;
  }
  static Value of(Map* map) {
    Value v;
    v.kind = ValueKind::Map;
    v.map = map;
    return v;
  }
  static Value method(ir::Expr* receiver, OpId op) {
    Value v;
    v.kind = ValueKind::Method;
    v.op = op;
    v.expr = receiver;
    return v;
  }

  bool is_static() const { return kind == ValueKind::Static; }
  bool is_expr() const { return kind == ValueKind::Expr; }
  bool is_seq() const { return kind == ValueKind::Seq; }
};

// Identity matters for both: names that are bound to one list see its changes. `region` is the runtime branch
// or loop body in which it was made: under another one it may not be changed.
struct Seq {
  bool is_list = false;
  uint32_t region = 0;
  std::vector<Value> items;
};
struct Map {
  uint32_t region = 0;
  std::vector<std::pair<PyObject*, Value>> items;
};

}  // namespace asc::lower
