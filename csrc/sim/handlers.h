// SPDX-License-Identifier: Apache-2.0
// Handlers of op-table rows: chosen once, when a program is assembled, by op, dtypes and mode.
#pragma once

#include "sim/vm.h"

namespace asc::sim {

// Fills in `fn` of both modes and `kernel`. A row without a handler is a bug of ours.
void bind_handlers(CallSite* site);
bool has_handler(OpId op);

// One binder a family file: true if it knows the op.
bool bind_vector(CallSite* site);
bool bind_memory(CallSite* site);
bool bind_pad_copy(CallSite* site);
bool bind_sync(CallSite* site);
bool bind_queue(CallSite* site);
bool bind_cube(CallSite* site);
bool bind_matmul(CallSite* site);

// What a core left open at its end: flags set or waited for alone, buffers not given back.
void end_flags(Core& core);
void end_queues(Core& core);

// The operands of a call, read from the frame or the constant pool. 0 is the receiver, 1 + i parameter i.
class Operands {
 public:
  Operands(const Core& core, const CallSite& site, uint64_t* frame)
      : frame_(frame),
        pool_(core.program->pool.data()),
        codes_(core.program->operands.data() + site.operands) {}
  const uint64_t* slot(int i) const {
    const uint16_t code = codes_[i];
    return (code & kPoolOperand) != 0 ? pool_ + (code & ~kPoolOperand) : frame_ + code;
  }
  uint64_t* variable(int i) const { return frame_ + codes_[i]; }  // never a constant
  int64_t integer(int i) const { return static_cast<int64_t>(*slot(i)); }
  uint64_t bits(int i) const { return *slot(i); }
  Tensor tensor(int i) const {
    const uint64_t* s = slot(i);
    return {s[0], s[1]};
  }
  // A struct's fields: its value is a pointer to them.
  const uint64_t* fields(int i) const { return reinterpret_cast<const uint64_t*>(*slot(i)); }

 private:
  uint64_t* frame_;
  const uint64_t* pool_;
  const uint16_t* codes_;
};

inline std::string op_name(const CallSite& site) {
  const OpDesc& desc = op_desc(site.op);
  if (desc.owner == Kind::Void) return "asc." + std::string(desc.py_name);
  return qualified_name(desc.owner) + "." + std::string(desc.py_name);
}

}  // namespace asc::sim
