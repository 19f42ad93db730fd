// SPDX-License-Identifier: Apache-2.0
// Which handler runs a row: asked of each family file in turn, once a call site.
#include "sim/handlers.h"

#include "base/format.h"

namespace asc::sim {

namespace {

bool bind(CallSite* site) {
  return bind_vector(site) || bind_memory(site) || bind_pad_copy(site) || bind_sync(site) ||
         bind_queue(site) || bind_cube(site) || bind_matmul(site);
}

// Constructors of objects and structs have instructions, not handlers.
bool has_instruction(OpId op) {
  if (family_of(op) != Family::Construct) return false;
  return op != OpId::LocalTensor_Init;
}

}  // namespace

void bind_handlers(CallSite* site) {
  if (!bind(site)) ASC_BUG(fmt::format("no handler runs {}", op_desc(site->op).ir_name));
  if (site->fn[0] == nullptr)
    ASC_BUG(fmt::format("no handler runs {} on these types", op_desc(site->op).ir_name));
}

bool has_handler(OpId op) {
  if (has_instruction(op)) return true;
  const OpDesc& desc = op_desc(op);
  CallSite site;
  site.op = op;
  for (size_t i = 0; i < desc.vars.size() && i < 4; i++)
    site.vars[i] = desc.vars[i].dtypes.empty() ? DType::F32 : desc.vars[i].dtypes.front();
  if (!desc.combos.empty())
    for (size_t i = 0; i < 4; i++) site.vars[i] = desc.combos.front()[i];
  for (const OverloadDesc& overload : desc.overloads) {
    site.proto = &overload;
    if (!bind(&site)) return false;
    for (OpFn fn : site.fn)
      if (!fn) return false;
  }
  return true;
}

}  // namespace asc::sim
