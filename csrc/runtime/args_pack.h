// SPDX-License-Identifier: Apache-2.0
// All arguments of one launch, as a device takes them. Needs the GIL.
#pragma once

#include <deque>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ir/ir.h"
#include "runtime/args_array.h"
#include "sim/simulator.h"

namespace asc::runtime {

struct Call;

class PackedArguments {
 public:
  // Opens every array and copies those that are not contiguous. What a copy would lose is refused. False with
  // a Python error set; throws LaunchError. Call, module and options outlive this.
  bool open(const Call& call, const ir::Module& module, int grid, const sim::Options& options);
  // The kernel's arguments in its order, then what tables of addresses point to.
  std::span<const sim::Argument> arguments() const { return packed_; }
  // After the launch: copies back what the kernel may have written, and tells torch. `clean`: it ran to its
  // end and found nothing; if not, an array that was not copied in may hold anything, and stays as it is.
  // False with a Python error set.
  bool finish(bool clean);

 private:
  struct Use {
    ArrayArgument array;
    std::string_view name;
    bool may_read = true, may_write = true, certain = true;  // not certain: an address may have gone anywhere
    bool copy_in = true, copy_back = false;                  // of an array that is not contiguous
    size_t packed = 0;                                       // its place in `packed_`
  };

  bool pack(const Call& call, const ir::Module& module);
  bool pack_array(PyObject* value, const ir::KernelArg& arg, sim::Argument* out);
  void pack_table(PyObject* value, sim::Argument* out);
  bool pack_targets();
  void check_devices() const;
  void check_autograd() const;
  bool settle(const ir::Module& module, int grid, const sim::Options& options);
  void skip_overwritten(const ir::Module& module, int grid, const sim::Options& options);
  bool warn_copies() const;

  std::string_view kernel_;
  const std::string* kernel_name_ = nullptr;
  std::vector<sim::Argument> packed_;
  std::unique_ptr<Use[]> uses_;
  size_t count_ = 0;
  std::deque<std::string> texts_;                      // packed structs, names of targets
  std::deque<std::vector<uint64_t>> tables_;           // what asc.pointers arguments point at
  std::vector<std::pair<size_t, PyObject*>> pending_;  // tables in `packed_`, and their entries (borrowed)
};

// A list that finished launches of this thread append (begin, end) to, the addresses of each array that they
// may have written; null for none. Gives the list before it, a new reference.
PyObject* note_writes(PyObject* list);

// Of this process: how many arrays were copied because they are not contiguous, and how many of these had
// nothing copied in because the launch overwrites them. For tests.
struct CopyCounts {
  uint64_t copies = 0, overwritten = 0;
};
const CopyCounts& copy_counts();

}  // namespace asc::runtime
