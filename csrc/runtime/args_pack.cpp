// SPDX-License-Identifier: Apache-2.0
#include "runtime/args_pack.h"

#include "base/error.h"
#include "base/format.h"
#include "passes/overwrites.h"
#include "runtime/launcher_call.h"
#include "sim/findings.h"

namespace asc::runtime {
namespace {

constexpr size_t kMaxArrays = 32768;  // of one launch: each may need an owner of its own in addresses

CopyCounts g_copy_counts;
thread_local PyObject* t_writes = nullptr;  // strong

bool append_extent(const HostArray& array) {
  const Extent extent = extent_of(array);
  const PyRef pair = PyRef::steal(
      Py_BuildValue("(nn)", static_cast<Py_ssize_t>(extent.begin), static_cast<Py_ssize_t>(extent.end)));
  return pair && PyList_Append(t_writes, pair.get()) == 0;
}

// Does whatever is found end the launch with an error?
bool raises_all(const ir::Module& module, const sim::Options& options) {
  bool raises = options.on_finding == sim::OnFinding::Raise && options.ignore.empty();
  for (uint32_t i = 0; raises && i < module.sources.size(); i++)
    raises = !sim::has_allow_comment(module.sources[i].text);
  return raises;
}

// "'x'", "'x' and 'y'", "'x', 'y' and 'z'".
std::string quote_names(const std::vector<std::string_view>& names) {
  std::string out;
  for (size_t i = 0; i < names.size(); i++)
    out += fmt::format("{}'{}'", i == 0 ? "" : i + 1 == names.size() ? " and " : ", ", names[i]);
  return out;
}

}  // namespace

bool PackedArguments::pack_array(PyObject* value, const ir::KernelArg& arg, sim::Argument* out) {
  Use& use = uses_[count_++];
  use.name = out->name;
  use.may_read = arg.may_read;
  use.may_write = arg.may_write;
  use.certain = !arg.escapes;
  use.packed = packed_.size();
  out->is_array = true;
  return use.array.open(value, out->dtype, {*kernel_name_, out->name});
}

// A table's entries are opened behind the kernel's own arguments.
void PackedArguments::pack_table(PyObject* value, sim::Argument* out) {
  PyObject* entries = pointers_tuple(value);
  std::vector<uint64_t>& table = tables_.emplace_back(static_cast<size_t>(PyTuple_GET_SIZE(entries)), 0);
  out->is_array = true;
  out->read_only = true;
  out->data = table.data();
  out->bytes = static_cast<int64_t>(table.size() * sizeof(uint64_t));
  pending_.emplace_back(packed_.size(), entries);
}

bool PackedArguments::pack_targets() {
  for (const auto& [at, entries] : pending_) {
    const std::string_view table = packed_[at].name;
    packed_[at].first_target = static_cast<uint32_t>(packed_.size());
    packed_[at].target_count = static_cast<uint32_t>(PyTuple_GET_SIZE(entries));
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(entries); i++) {
      PyObject* entry = PyTuple_GET_ITEM(entries, i);
      sim::Argument target;
      target.name = texts_.emplace_back(fmt::format("{}[{}]", table, i));
      if (entry != Py_None) {  // None: the null address
        PyObject* array = is_raw(entry) ? raw_array(entry) : entry;
        const ArgName name{*kernel_name_, target.name};
        if (!read_dtype(array, array_class_of(array), name, &target.dtype)) return false;
        ir::KernelArg any;  // a kernel may do anything with an address that it loads
        any.escapes = true;
        if (!pack_array(entry, any, &target)) return false;
      }
      packed_.push_back(target);
    }
  }
  return true;
}

bool PackedArguments::pack(const Call& call, const ir::Module& module) {
  size_t arrays = 0, targets = 0;
  for (size_t i = 0; i < call.infos.size(); i++) {
    if (call.infos[i].form != ArgInfo::Form::Array) continue;
    arrays++;
    if (is_pointers(call.values[i]))
      targets += static_cast<size_t>(PyTuple_GET_SIZE(pointers_tuple(call.values[i])));
  }
  if (arrays + targets > kMaxArrays)
    throw LaunchError(
        fmt::format("{}() got {} arrays, those of its tables counted; a launch takes at most {}", kernel_,
                    arrays + targets, kMaxArrays));
  uses_ = std::make_unique<Use[]>(arrays + targets);
  packed_.reserve(call.infos.size() + targets);
  for (size_t i = 0; i < call.infos.size(); i++) {
    const ArgInfo& info = call.infos[i];
    if (info.form == ArgInfo::Form::Constant) continue;
    const ir::KernelArg& arg = module.args[packed_.size()];
    sim::Argument argument;
    argument.name = call.function->params[i].utf8;
    argument.dtype = info.dtype;
    argument.bits = info.bits;
    if (info.is_mock)
      return fail(PyExc_TypeError, {*kernel_name_, argument.name},
                  "the value is a mock: it has no memory to run on; use kernel[cores].compile(...)");
    if (info.form == ArgInfo::Form::Array && is_pointers(call.values[i]))
      pack_table(call.values[i], &argument);
    else if (info.form == ArgInfo::Form::Array && !pack_array(call.values[i], arg, &argument))
      return false;
    if (info.form == ArgInfo::Form::Struct) {
      std::string& bytes = texts_.emplace_back();
      if (!pack_struct(call.values[i], &bytes)) return false;
      argument.data = bytes.data();
      argument.bytes = static_cast<int64_t>(bytes.size());
      argument.read_only = true;
    }
    packed_.push_back(argument);
  }
  return pending_.empty() || pack_targets();
}

// The device follows the arrays; so far there is one, in host memory.
void PackedArguments::check_devices() const {
  const Use *here = nullptr, *away = nullptr;
  for (size_t i = 0; i < count_; i++) {
    const Use& use = uses_[i];
    (use.array.array().device.empty() ? here : away) = &use;
  }
  if (!away) return;
  const std::string& device = away->array.array().device;
  if (here)
    throw LaunchError(fmt::format("{}() got arrays of two devices: '{}' is in host memory, '{}' is on {}",
                                  kernel_, here->name, away->name, device),
                      "move them to one device; the simulator takes arrays in host memory (x.cpu())");
  throw LaunchError(fmt::format("{}() argument '{}' is on {}, where this process cannot launch kernels",
                                kernel_, away->name, device),
                    "the simulator takes arrays in host memory: pass x.cpu()");
}

void PackedArguments::check_autograd() const {
  for (size_t i = 0; i < count_; i++) {
    const Use& use = uses_[i];
    if (use.array.is_tensor() && use.may_write && use.certain)
      check_tensor_writable(use.array.owner(), {*kernel_name_, use.name});
  }
}

bool PackedArguments::warn_copies() const {
  std::vector<std::string_view> names;
  for (size_t i = 0; i < count_; i++)
    if (!uses_[i].array.array().contiguous) names.push_back(uses_[i].name);
  PyObject* module = PyImport_ImportModule("asc");
  PyObject* category = module ? PyObject_GetAttrString(module, "PerformanceWarning") : nullptr;
  Py_XDECREF(module);
  if (!category) return false;
  const bool one = names.size() == 1;
  const std::string text = fmt::format(
      "{}() argument{} {} {} not contiguous: {} copied for the launch; pass contiguous arrays, or asc.raw(x) to "
      "a kernel that takes strides",
      kernel_, one ? "" : "s", quote_names(names), one ? "is" : "are", one ? "it is" : "they are");
  const int failed = PyErr_WarnEx(category, text.c_str(), 1);
  Py_DECREF(category);
  return failed == 0;
}

// An array that the launch writes from end to end, and never reads, need not be copied in. Only if nothing
// can be found while the launch goes on: what a finding keeps from being written is to stay as it was.
void PackedArguments::skip_overwritten(const ir::Module& module, int grid, const sim::Options& options) {
  std::vector<passes::LaunchArgument> given(module.args.size());
  bool any = false;
  for (size_t i = 0; i < count_; i++) {
    const Use& use = uses_[i];
    const HostArray& array = use.array.array();
    if (array.contiguous || array.read_only || !use.may_write || use.may_read || !use.certain) continue;
    given[use.packed].bytes = array.bytes;
    any = true;
  }
  if (!any || !raises_all(module, options)) return;
  for (size_t i = 0; i < given.size() && i < packed_.size(); i++) {
    const sim::Argument& argument = packed_[i];
    if (!argument.is_array && (is_int(argument.dtype) || is_bool(argument.dtype)))
      given[i].number = static_cast<int64_t>(argument.bits);
  }
  const std::vector<bool> overwritten = passes::overwritten(module, given, grid);
  for (size_t i = 0; i < count_; i++)
    if (uses_[i].packed < overwritten.size() && overwritten[uses_[i].packed]) uses_[i].copy_in = false;
}

// Arrays that are not contiguous against the others, now that all are open.
bool PackedArguments::settle(const ir::Module& module, int grid, const sim::Options& options) {
  bool any = false;
  for (size_t i = 0; i < count_ && !any; i++) any = !uses_[i].array.array().contiguous;
  if (!any) return true;
  const auto refuse = [](const std::string& text) {
    PyErr_SetString(PyExc_TypeError, text.c_str());
    return false;
  };
  std::vector<size_t> first(count_, SIZE_MAX);  // whose copy an argument shares
  for (size_t i = 0; i < count_; i++) {
    Use& use = uses_[i];
    const HostArray& array = use.array.array();
    if (array.contiguous) continue;
    if (use.may_write && !array.read_only && meets_itself(array))
      return refuse(fmt::format(
          "{}() argument '{}': several elements of this array lie in the same memory (a broadcast or "
          "overlapping view), and the kernel writes it; pass a copy",
          kernel_, use.name));
    use.copy_in = use.may_read || use.may_write;
    use.copy_back = use.may_write && !array.read_only;
    for (size_t j = 0; j < count_; j++) {
      Use& other = uses_[j];
      const bool also_copied = !other.array.array().contiguous;
      if (i == j || (also_copied && j < i)) continue;  // seen from there
      if (also_copied && use.array.same_elements(other.array)) {
        if (first[j] == SIZE_MAX) first[j] = first[i] == SIZE_MAX ? i : first[i];
        continue;
      }
      if (!use.may_write && !other.may_write) continue;
      if (!share_elements(array, other.array.array())) continue;
      return refuse(fmt::format(
          "{}() arguments '{}' and '{}' share memory, and '{}' is not contiguous: it would be copied for the "
          "launch and what the kernel writes through the other name lost; pass contiguous arrays or copies",
          kernel_, uses_[std::min(i, j)].name, uses_[std::max(i, j)].name, use.name));
    }
  }
  if (!warn_copies()) return false;
  skip_overwritten(module, grid, options);
  for (size_t i = 0; i < count_; i++) {
    if (first[i] == SIZE_MAX) continue;
    uses_[first[i]].copy_in |= uses_[i].copy_in;
    uses_[first[i]].copy_back |= uses_[i].copy_back;
  }
  for (size_t i = 0; i < count_; i++) {
    if (uses_[i].array.array().contiguous) continue;
    if (first[i] == SIZE_MAX) {
      uses_[i].array.stage(uses_[i].copy_in);
      g_copy_counts.copies++;
      g_copy_counts.overwritten += uses_[i].copy_back && !uses_[i].copy_in;
    } else
      uses_[i].array.share(uses_[first[i]].array);
  }
  return true;
}

bool PackedArguments::open(const Call& call, const ir::Module& module, int grid,
                           const sim::Options& options) {
  kernel_name_ = &call.function->name;
  kernel_ = call.function->name;
  if (!pack(call, module)) return false;
  check_devices();
  check_autograd();
  if (!settle(module, grid, options)) return false;
  for (size_t i = 0; i < count_; i++) {
    const ArrayArgument& array = uses_[i].array;
    sim::Argument& argument = packed_[uses_[i].packed];
    argument.data = array.data;
    argument.bytes = array.bytes;
    argument.before = array.before;
    argument.read_only = array.array().read_only;
  }
  return true;
}

bool PackedArguments::finish(bool clean) {
  std::vector<PyObject*> written;
  for (size_t i = 0; i < count_; i++) {
    const Use& use = uses_[i];
    if (use.copy_back && (clean || use.copy_in)) use.array.finish();
    if (use.may_write && use.array.is_tensor()) written.push_back(use.array.owner());
    if (t_writes && use.may_write && use.certain && !append_extent(use.array.array())) return false;
  }
  return written.empty() || note_tensors_written(written);
}

PyObject* note_writes(PyObject* list) {
  Py_XINCREF(list);
  PyObject* before = std::exchange(t_writes, list);
  return before ? before : Py_NewRef(Py_None);
}

const CopyCounts& copy_counts() { return g_copy_counts; }

}  // namespace asc::runtime
