// SPDX-License-Identifier: Apache-2.0
// Text form of the IR: printed deterministically, read back by `parse_module` (parse(print(m)) prints the
// same).
//
//   module kernel_type=AIV_ONLY auto_sync=true
//
//   const $TILE: int32 = 2048
//   const $HALF: int32 = spelt(1024, $TILE // 2)
//
//   func @scaled(%dst: LocalTensor<float32>, %factor: float32) -> (int32) {
//     asc_Adds<T=float>(%dst, %dst, %factor * 2.0, $HALF, _)
//     return $HALF
//   }
//
//   kernel @add(%x: GlobalAddress<float32>, %n: int32) {
//     var %gm: GlobalTensor<float32>
//     var %pipe: TPipe = asc_TPipe_Init()
//     asc_GlobalTensor_SetGlobalBuffer(%gm, %x)
//     for var %i: int32 in range(0, %n, 1) {
//       if %i % 2 == 0 and not is_aic() { break } else { continue }
//     }
//   }
//
// Lines
// - `module` (optional), `source N "file" line L function "name"` with its text as strings, `struct`,
//   `const`, `workspace BYTES per_block|shared` (an area), `func`, `kernel`; functions before their callers.
//   A statement ends with its line or with `;`.
//   `#` starts a comment.
// - `var %x: type [= value]`, `%x = value`, `%s.field = value`, an expression alone, `const $c: type =
//   value`, `call (%a, _) = @f(...)`, `if c { } else { }`, `for [var] %i[: type] in range(start, stop[,
//   step]) { } else { }`, `while [do { } ]c { } else { }` (`do`: what runs before each test), `break`,
//   `continue`, `return a, b`, `assert c[, "text" value "text"]`, `print "text" value "text"`.
// - Behind a variable's type: `ref`, `result`, `hoisted`. A function may begin with `local %x: type` lines:
//   they give the order (the ids) of variables where that of their declarations is another one; their
//   declarations follow all the same. A kernel may begin with `arg name: type = %param [nonneg] [noread]
//   [nowrite] [escapes] [workspace]` lines, or `no_args`; without them its parameters are its arguments.
// - `-> (type [name], ...)` are results; `effect pure|read|write|block` is printed where the body does not
//   say so itself.
//
// Expressions
// - Python's operators and precedence (comparisons do not chain), `abs(a)`, `min(a, b)`, `max(a, b)`,
//   `select(condition, a, b)`, `cast<type>(a)`, `explicit_cast<type>(a)`, `is_aic()`, `is_aiv()`, `@f(a)`,
//   `%s.field`.
// - `workspace(BYTES, per_block|shared)`, and once it is placed `workspace(BYTES, ..., %base area N at OFFSET
//   stride BYTES)`.
// - `asc_Name[.overload]<T=dtype>(receiver, operands...)`: `_` is a default, and so are operands left out at
//   the end. Type variables left out come from the operands.
// - Numbers `4`, `0x1f`, `2.5`, `inf`, `4:int64`. Without a type they have the one that the place asks for
//   (the variable's, the parameter's, that of the operand to the left), else int32, or float32 with a point.
//   `true`, `HardEvent.MTE2_V`.
// - `spelt(value, expression)` is a constant and how it is spelt; `bits<type>(0x...)` one that has no other
//   text.
// - Facts follow as `!fits`, `!nonneg`, `!plaindiv`, then the location, without a space: `(%a +
//   %b)!fits@3:4-9`.
//
// Names: `%variable`, `$constant`, `@function`; what is not letters, digits, `_` or beyond ASCII stands in
// quotes. The second of two equal names is `%x.1`. Constants of functions further down print as their
// numbers.
//
// Locations: `@line:col-[line:]col`, with `s2:` before the line for another source than the function's;
// before a statement, behind an expression. An expression without one has that of what it stands in. A
// function's own location names its source, or `source N` behind its name does.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "ir/ir.h"

namespace asc::ir {

// `with_locations` off leaves out locations and sources.
std::string print_module(const Module& module, bool with_locations = true);
// Without a module: equal names are not told apart, and fields print as `.#index`.
std::string print_expr(const Expr& expr);
// Throws CompileError (sites in `name`) on bad text. Nothing is folded and little is checked: `verify` does
// that.
std::unique_ptr<Module> parse_module(std::string_view text, std::string_view name = "<ir>");

}  // namespace asc::ir
