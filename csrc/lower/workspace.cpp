// SPDX-License-Identifier: Apache-2.0
// asc.workspace: scratch global memory that the launch allocates. Where it lies is decided when the whole
// kernel is known (passes/place_workspace).
#include <algorithm>

#include "base/format.h"
#include "ir/workspace.h"
#include "lower/frame.h"

namespace asc::lower {

Value Frame::workspace(std::span<const Argument> args, const ast::Call* e) {
  static constexpr std::string_view kNames[] = {"bytes", "per_block"};
  const Argument* given[2] = {};
  size_t position = 0;
  for (const Argument& a : args) {
    size_t i = position;
    if (a.keyword)
      i = static_cast<size_t>(std::find(std::begin(kNames), std::end(kNames), a.keyword->utf8) - kNames);
    else
      position++;
    if (i >= std::size(kNames))
      fail(a.node, a.keyword ? fmt::format("TypeError: workspace() got an unexpected keyword argument '{}'",
                                           a.keyword->utf8)
                             : fmt::format("TypeError: workspace(bytes, per_block=True): {} arguments given",
                                           args.size()));
    if (given[i])
      fail(a.node, fmt::format("TypeError: workspace() got multiple values for argument '{}'", kNames[i]));
    given[i] = &a;
  }
  if (!given[0]) fail(e, "TypeError: workspace() is missing the argument 'bytes'");
  const auto need_static = [&](size_t i) {
    if (!to_object(given[i]->value))
      fail(
          given[i]->node,
          fmt::format("'{}' of workspace must be known at compile time, and is {}", kNames[i],
                      shown(given[i]->value)),
          "take it from an asc.ConstExpr parameter or a constant: the launch allocates before the kernel runs");
  };
  need_static(0);
  const auto bytes = number(given[0]->value);
  if (!bytes || bytes->form != Number::Form::Int)
    fail(given[0]->node,
         fmt::format("TypeError: workspace() takes a number of bytes, not {}", shown(given[0]->value)));
  if (bytes->bits < 1 || bytes->is_u64 || bytes->bits > ir::kMaxWorkspaceBytes)
    fail(given[0]->node, fmt::format("ValueError: a workspace of {} bytes", shown(given[0]->value)),
         "it takes 1 to 2**40 bytes");
  bool per_block = true;
  if (given[1]) {
    need_static(1);
    const auto flag = number(given[1]->value);
    if (!flag || flag->form != Number::Form::Bool)
      fail(given[1]->node,
           fmt::format("TypeError: 'per_block' is True or False, not {}", shown(given[1]->value)));
    per_block = flag->bits != 0;
  }
  return Value::of(build_.workspace(bytes->bits, per_block, loc(e)));
}

}  // namespace asc::lower
