// SPDX-License-Identifier: Apache-2.0
// A call against the kernel cache on disk: its level-1 key, the object that its paths name, and storing what
// was compiled. Nothing here fails: what cannot be cached is compiled. Needs the GIL.
#pragma once

#include <Python.h>

#include <memory>
#include <string>

#include "runtime/cache_index.h"
#include "runtime/deps_paths.h"
#include "runtime/launcher_call.h"

namespace asc::runtime {

class DiskEntry {
 public:
  DiskEntry(PyObject* jit, const Call& call, const CompileOptions& options);

  // The stored kernel for this call, with the state that its specialisation needs; null if there is none, and
  // the reason goes to the kernel's statistics. `keep_lowered`: only one that has the IR before passes.
  std::shared_ptr<Specialisation> load(SpecialisationCache& cache, bool keep_lowered);
  // Puts the compiled kernel in the queue of the writer.
  void store(SpecialisationCache& cache, const lower::Result& lowered, Specialisation& made);

 private:
  bool make_key(PyObject* jit, std::string* why);
  std::shared_ptr<CompiledKernel> read_object(const cache::Key& key, const Followed& followed);
  std::shared_ptr<Specialisation> made_of(const Followed& followed, std::shared_ptr<CompiledKernel> kernel);

  const Call& call_;
  const CompileOptions& options_;
  std::string folder_;    // empty: not cached
  std::string unusable_;  // why not
  cache::Key manifest_;
  cache::Fields fields_;
  PathArguments arguments_;
};

// Starts a specialisation for the call: its codes, compile-time values and options.
std::shared_ptr<Specialisation> new_specialisation(const Call& call, const CompileOptions& options);

// Why the kernel's last miss on disk was one; looks into the index. Empty if there was none.
std::string explain_disk_miss(const lower::KernelFunction& function, const DiskMiss& miss);

// What this process did.
struct ProcessCounts {
  uint64_t hits = 0, disk_hits = 0, compiled = 0, not_stored = 0;
};
ProcessCounts& process_counts();
void register_drain();  // at the end of the process

extern PyMethodDef kCacheFunctions[];

}  // namespace asc::runtime
