// SPDX-License-Identifier: Apache-2.0
// Well-formedness of the IR: structure, types, operands against their rows. Returns every error it finds,
// with its location.
//
// What holds of a verified module
// - Functions stand before their callers and are numbered by place; the kernel is the last one and has no
//   results.
// - A function's variables are numbered by place, parameters first; each is declared once (a parameter, a
//   Decl, or a For that declares its variable) and used only below that, inside its block. What a While's
//   `condition_pre` declares is visible in its condition and body. A For's own variable is gone behind its
//   body.
// - Each expression node has one parent, and the type its parts give it: ir.h and Builder say which. Operands
//   of a Binary have one type. Constants lie inside their type; a name or spelling has the constant's type
//   and value.
// - An op call has an operand for each parameter of its row (null only for a default or a dtype), of the type
//   the row and the type variables give; template arguments are constants. Memory spaces are not part of
//   types and are not looked at.
// - Objects (TPipe, TQue, TBuf, structs) are named variables or fields of them wherever they are used; they
//   are not assigned, and a declaration's first value is a constructor. An argument passed by reference is
//   such a place too.
// - break and continue stand inside a loop; a Return has as many values as the function has results.
// - `effect` is at least what the node and its operands may do.
#pragma once

#include <string>
#include <vector>

#include "ir/ir.h"

namespace asc::ir {

struct VerifyError {
  Loc loc;
  std::string message;
};
std::vector<VerifyError> verify(const Module& module);

}  // namespace asc::ir
