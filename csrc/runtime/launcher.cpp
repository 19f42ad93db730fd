// SPDX-License-Identifier: Apache-2.0
// The launch: from a bound call to a finished kernel. The Python types around it are in launcher_jit.cpp and
// launcher_handle.cpp.
#include "runtime/launcher.h"

#include <algorithm>
#include <chrono>

#include "base/format.h"
#include "runtime/args_pack.h"
#include "runtime/device.h"
#include "runtime/launcher_cache.h"
#include "runtime/launcher_call.h"
#include "runtime/launcher_errors.h"
#include "runtime/launcher_gil.h"
#include "sim/findings.h"

namespace asc::runtime {
namespace {

const PlatformDesc* g_platform = nullptr;
bool same_options(const CompileOptions& a, const CompileOptions& b) {
  return a.kernel_type == b.kernel_type && a.auto_sync == b.auto_sync &&
         a.matmul_cube_only == b.matmul_cube_only && a.platform == b.platform;
}

}  // namespace

void Specialisation::depend_on(Dependencies made) {
  dependencies = std::move(made);
  if (!dependencies.exact()) return;
  for (Mark& constant : constants) constant = Mark(constant.value(), How::ExactInMemory);
}

namespace {

// Does a kept specialisation serve this call? Says in `why`, if it is given, what differs.
bool serves(const Specialisation& kept, const Call& call, const CompileOptions& options, std::string* why) {
  const auto no = [why](auto&& text) {
    if (why) *why = text();
    return false;
  };
  if (!same_options(kept.options, options)) return no([] { return "options"; });
  size_t constant = 0;
  for (size_t i = 0; i < call.infos.size(); i++) {
    const ArgInfo& info = call.infos[i];
    const std::string& name = call.function->params[i].utf8;
    if (kept.codes[i] != info.code())
      return no([&] { return fmt::format("argument '{}' ({})", name, py_name(info.dtype)); });
    if (info.form == ArgInfo::Form::Struct) {  // its class is what specialises
      const PyTypeObject* cls = Py_TYPE(call.values[i]);
      if (kept.constants[constant++].value() != reinterpret_cast<const PyObject*>(cls))
        return no([&] { return fmt::format("argument '{}' (struct {})", name, cls->tp_name); });
    } else if (info.form == ArgInfo::Form::Constant && !kept.constants[constant++].holds(call.values[i])) {
      return no([&] { return fmt::format("compile-time argument '{}'", name); });
    }
  }
  return kept.dependencies.hold() || no([&] { return kept.dependencies.changed(); });
}

// The calls that this thread is compiling. Python code that runs meanwhile may launch kernels, but not one
// that waits for the result of this very launch.
class Compiling {
 public:
  explicit Compiling(const Call& call) : call_(call), around_(innermost_) {
    const std::string& name = call.function->name;
    int depth = 0;
    for (const Compiling* other = around_; other; other = other->around_, depth++) {
      if (!same(other->call_)) continue;
      PyErr_Format(PyExc_RecursionError, "%s is launched by Python code that runs to compile it",
                   name.c_str());
      throw lower::PythonErrorSet();
    }
    if (depth >= kDeepest) {
      PyErr_Format(PyExc_RecursionError,
                   "%s: %d kernels are being compiled, each for a launch by the last one", name.c_str(),
                   depth);
      throw lower::PythonErrorSet();
    }
    innermost_ = this;
  }
  Compiling(const Compiling&) = delete;
  ~Compiling() { innermost_ = around_; }

 private:
  static constexpr int kDeepest = 8;
  bool same(const Call& other) const {
    if (other.function != call_.function) return false;
    for (size_t i = 0; i < call_.infos.size(); i++) {
      if (other.infos[i].code() != call_.infos[i].code()) return false;
      const ArgInfo::Form form = call_.infos[i].form;
      if (form == ArgInfo::Form::Constant && other.values[i] != call_.values[i]) return false;
      if (form == ArgInfo::Form::Struct && Py_TYPE(other.values[i]) != Py_TYPE(call_.values[i])) return false;
    }
    return true;
  }
  const Call& call_;
  const Compiling* around_;
  static thread_local const Compiling* innermost_;
};
thread_local const Compiling* Compiling::innermost_ = nullptr;

// `disk`: where the result is stored too, or null.
std::shared_ptr<Specialisation> compile_call(PyObject* jit, const JitState& state, const Call& call,
                                             const CompileOptions& options, bool keep_lowered,
                                             DiskEntry* disk) {
  if (interpreter_ends()) {
    PyErr_Format(PyExc_RuntimeError, "%s: no kernel can be compiled while the interpreter shuts down",
                 call.function->name.c_str());
    throw lower::PythonErrorSet();
  }
  lower::Request request;
  request.jit_function = jit;
  request.kernel_type = options.kernel_type;
  request.auto_sync = options.auto_sync;
  request.matmul_cube_only = options.matmul_cube_only;
  request.platform = options.platform;
  std::shared_ptr<Specialisation> made = new_specialisation(call, options);
  size_t constant = 0;
  for (const ArgInfo& info : call.infos) {
    lower::ParamSpec spec;
    spec.form = info.form == ArgInfo::Form::Array    ? lower::ParamSpec::Form::Array
                : info.form == ArgInfo::Form::Scalar ? lower::ParamSpec::Form::Scalar
                : info.form == ArgInfo::Form::Struct ? lower::ParamSpec::Form::Struct
                                                     : lower::ParamSpec::Form::Constant;
    spec.dtype = info.dtype;
    spec.nonnegative = info.nonnegative;
    if (info.form == ArgInfo::Form::Constant || info.form == ArgInfo::Form::Struct)
      spec.constant = made->constants[constant++].value();
    request.params.push_back(spec);
  }
  const Compiling compiling(call);
  lower::Result lowered = lower::lower_kernel(request);
  made->kernel = std::make_shared<CompiledKernel>(std::move(lowered.module), *options.platform, keep_lowered);
  made->depend_on(Dependencies(lowered.dependencies, lowered.asks_identity));
  if (disk) disk->store(*state.cache, lowered, *made);
  return made;
}

}  // namespace

const PlatformDesc& current_platform() {
  if (!g_platform) g_platform = find_platform("Ascend910B1");
  return *g_platform;
}
void set_current_platform(const PlatformDesc& platform) { g_platform = &platform; }

bool classify_call(Call* call) {
  call->infos.assign(call->values.size(), ArgInfo{});
  for (size_t i = 0; i < call->values.size(); i++)
    if (!classify_argument(call->values[i], call->function->params[i], call->function->name, &call->infos[i]))
      return false;
  return true;
}

// In front of the others; those used longest ago make room. What goes is let go last: that may run Python
// code.
static void keep(SpecialisationCache& cache, const std::shared_ptr<Specialisation>& made) {
  std::vector<std::shared_ptr<Specialisation>> gone;
  auto& entries = cache.entries;
  entries.insert(entries.begin(), made);
  for (; entries.size() > kMostSpecialisations; entries.pop_back()) gone.push_back(std::move(entries.back()));
}

// Not in memory: from disk, or compiled. `why`: what differs from the nearest one in memory.
[[gnu::noinline]] static std::shared_ptr<Specialisation> make_specialisation(
    PyObject* jit, const JitState& state, const Call& call, const CompileOptions& options, bool keep_lowered,
    std::string why) {
  for (size_t i = 0; i < call.values.size(); i++)
    if (!check_annotation(call.values[i], *call.function, call.function->params[i], call.infos[i]))
      throw lower::PythonErrorSet();
  SpecialisationCache& cache = *state.cache;
  DiskEntry disk(jit, call, options);
  std::shared_ptr<Specialisation> made;
  if (!options.always_compile) made = disk.load(cache, keep_lowered);
  cache.misses++;
  cache.last_miss = why;
  if (!made) {
    made = compile_call(jit, state, call, options, keep_lowered, options.always_compile ? nullptr : &disk);
    cache.compiled++;
    process_counts().compiled++;
  }
  made->why = std::move(why);
  cache.unkept.clear();
  if (!options.always_compile && made->dependencies.lasting())
    keep(cache, made);
  else if (!options.always_compile)
    cache.unkept = made->dependencies.unknown();
  return made;
}

std::shared_ptr<Specialisation> specialise(PyObject* jit, const JitState& state, const Call& call,
                                           bool keep_lowered) {
  CompileOptions options = state.compile;
  if (!options.platform) options.platform = &current_platform();
  SpecialisationCache& cache = *state.cache;
  std::string nearest;
  if (!options.always_compile) {
    for (size_t i = 0; i < cache.entries.size(); i++) {
      std::shared_ptr<Specialisation> kept =
          cache.entries[i];  // comparing may run Python code that changes the list
      if (!serves(*kept, call, options, nearest.empty() ? &nearest : nullptr)) continue;
      if (keep_lowered && kept->kernel->ir_lowered().empty()) break;
      cache.hits++;
      process_counts().hits++;
      if (i && i < cache.entries.size() && cache.entries[i] == kept)
        std::rotate(cache.entries.begin(), cache.entries.begin() + static_cast<std::ptrdiff_t>(i),
                    cache.entries.begin() + static_cast<std::ptrdiff_t>(i) + 1);
      return kept;
    }
  }
  if (nearest.empty() && !cache.unkept.empty())
    nearest = "compiled for one launch: " + cache.unkept;
  else if (nearest.empty())
    nearest = options.always_compile ? "always_compile" : "first call";
  return make_specialisation(jit, state, call, options, keep_lowered, std::move(nearest));
}

std::vector<double> time_compile(PyObject* jit, const JitState& state, const Call& call, int repeat) {
  CompileOptions options = state.compile;
  if (!options.platform) options.platform = &current_platform();
  std::vector<double> seconds;
  for (int i = 0; i < repeat; i++) {
    const auto start = std::chrono::steady_clock::now();
    const std::shared_ptr<Specialisation> made = compile_call(jit, state, call, options, false, nullptr);
    made->kernel->ascendc();
    seconds.push_back(std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
  }
  return seconds;
}

namespace {

bool print_text(const std::string& text) {
  if (text.empty()) return true;
  const PyRef out = PyRef::borrow(PySys_GetObject("stdout"));  // writing may replace it
  if (!out || out.get() == Py_None) return true;
  PyObject* string = PyUnicode_DecodeUTF8(text.data(), static_cast<Py_ssize_t>(text.size()), "replace");
  const int failed = string ? PyFile_WriteObject(string, out.get(), Py_PRINT_RAW) : -1;
  Py_XDECREF(string);
  return failed == 0;
}

// What the launch found, as the settings want it: raised, warned about, or only kept.
bool report(std::vector<Finding> findings, sim::OnFinding how) {
  if (!keep_last_findings(findings)) return false;
  if (findings.empty() || how == sim::OnFinding::Collect) return true;
  if (how == sim::OnFinding::Warn) return warn_findings(findings);
  raise_findings(findings);
  return false;
}

// A finding known early obeys the same settings and comments as one found while running.
bool is_ignored(const Finding& finding, const std::vector<std::string>& ignore) {
  if (!finding.sites.empty() && sim::allows_kind(finding.sites.front().text, finding.kind)) return true;
  return std::any_of(ignore.begin(), ignore.end(),
                     [&](const std::string& word) { return word == finding.kind || word == finding.id; });
}

bool same_place(const Finding& a, const Finding& b) {
  if (a.id != b.id || a.sites.empty() || b.sites.empty()) return false;
  const Site &x = a.sites.front(), &y = b.sites.front();
  return x.file == y.file && x.line == y.line && x.col == y.col;
}

bool run_on_device(Device& device, const Call& call, CompiledKernel& kernel, int grid,
                   const sim::Options& options) {
  std::vector<Finding> early = kernel.early_findings();
  std::erase_if(early, [&](const Finding& finding) { return is_ignored(finding, options.ignore); });
  if (!early.empty() && options.on_finding == sim::OnFinding::Raise)
    return report(std::move(early), options.on_finding);
  PackedArguments packed;
  if (!packed.open(call, kernel.module(), grid, options)) return false;
  kernel.program();  // assembled with the GIL held, so that a bug of ours is raised before anything runs
  sim::LaunchResult result;
  std::exception_ptr error;
  {
    GilPause pause;
    try {
      result = device.launch(kernel, grid, packed.arguments(), options, &pause);
    } catch (...) {
      error = std::current_exception();
    }
  }
  if (error) std::rethrow_exception(error);
  // What stopped the launch is raised at its end; the arrays keep what was written until then, but for those
  // whose elements were not copied in: they keep what they had.
  PyErrorState raised = result.interrupted ? PyErrorState::take() : PyErrorState();
  bool good = print_text(result.printed);
  good = packed.finish(result.findings.empty() && !result.interrupted) && good;
  if (result.interrupted) {
    raised.restore();
    return false;
  }
  if (!good) return false;
  // What was known early and is found again while running is one finding: the run's, which knows core and
  // pipe.
  std::erase_if(early, [&](const Finding& known) {
    return std::any_of(result.findings.begin(), result.findings.end(),
                       [&](const Finding& found) { return same_place(known, found); });
  });
  result.findings.insert(result.findings.begin(), early.begin(), early.end());
  return report(std::move(result.findings), options.on_finding);
}

}  // namespace

bool launch_call(PyObject* jit, const JitState& state, const Call& call, int grid, PyObject* stream) {
  Device& device = dry_run() ? null_device() : current_device();
  device.require();
  const std::string dump = dump_path();
  const std::shared_ptr<Specialisation> specialisation = specialise(jit, state, call, !dump.empty());
  if (!dump.empty()) save_compiled(*specialisation->kernel, dump, !state.strip_loc);
  if (!call_launch_hooks(jit, call, *specialisation, grid, stream)) return false;
  if (!device.executes())
    return specialisation->kernel->diagnostics().empty() ||
           warn_findings(specialisation->kernel->early_findings());
  const sim::Options options = resolve_sim_options(state.sim, specialisation->options.platform);
  return run_on_device(device, call, *specialisation->kernel, grid, options);
}

}  // namespace asc::runtime
