// SPDX-License-Identifier: Apache-2.0
#include "runtime/launcher_cache.h"

#include <algorithm>

#include "base/format.h"
#include "lower/objects.h"
#include "runtime/cache_build.h"
#include "runtime/cache_store.h"
#include "runtime/cache_writer.h"
#include "runtime/launcher_gil.h"

namespace asc::runtime {
namespace {

constexpr uint32_t kMostLists = 8;       // ways through a kernel's text that read different values
constexpr int kWaitMilliseconds = 2000;  // for a kernel that this process is just storing

// The paths of one way through the kernel, with what was found at their ends last, and the object then.
struct Listed {
  Paths paths;
  cache::Key object;
};

std::string write_manifest(const std::vector<Listed>& lists) {
  cache::ByteWriter out;
  out.u32(static_cast<uint32_t>(lists.size()));
  for (const Listed& listed : lists) {
    listed.paths.write(out, true);
    out.key(listed.object);
  }
  return out.take();
}

std::vector<Listed> read_manifest(std::string_view bytes) {
  cache::ByteReader in(bytes);
  std::vector<Listed> lists;
  for (uint32_t n = in.count(24); n > 0; n--) {
    Paths paths = Paths::read(in);
    lists.push_back({std::move(paths), in.key()});
  }
  if (!in.good()) lists.clear();
  return lists;
}

std::string add_to_manifest(std::string_view old, const Paths& paths, const cache::Key& object) {
  std::vector<Listed> lists = read_manifest(old);
  std::erase_if(lists, [&](const Listed& listed) { return listed.paths.same_places(paths); });
  lists.insert(lists.begin(), {paths, object});
  if (lists.size() > kMostLists) lists.resize(kMostLists);
  return write_manifest(lists);
}

std::string hash_of(const Encoder& encoder) { return encoder.key().hex().substr(0, 16); }

long optimisation_level() {
  PyObject* flags = PySys_GetObject("flags");
  const PyRef level = PyRef::steal(flags ? PyObject_GetAttrString(flags, "optimize") : nullptr);
  if (!level) drop_error();
  return level ? PyLong_AsLong(level.get()) : 0;
}

}  // namespace

std::shared_ptr<Specialisation> new_specialisation(const Call& call, const CompileOptions& options) {
  auto made = std::make_shared<Specialisation>();
  made->options = options;
  for (size_t i = 0; i < call.infos.size(); i++) {
    const ArgInfo& info = call.infos[i];
    made->codes.push_back(info.code());
    if (info.form == ArgInfo::Form::Constant) {
      made->constants.emplace_back(call.values[i]);
      if (made->constants.back().good()) continue;
      PyErr_Format(PyExc_RecursionError, "%s() argument '%s': a compile-time value is nested too deeply",
                   call.function->name.c_str(), call.function->params[i].utf8.c_str());
      throw lower::PythonErrorSet();
    }
    if (info.form == ArgInfo::Form::Struct)
      made->constants.emplace_back(reinterpret_cast<PyObject*>(Py_TYPE(call.values[i])));
  }
  return made;
}

DiskEntry::DiskEntry(PyObject* jit, const Call& call, const CompileOptions& options)
    : call_(call), options_(options) {
  if (options.always_compile || cache::max_bytes() == 0 || cache::build_id().empty()) return;
  std::string why;
  if (make_key(jit, &why)) folder_ = cache::default_folder();
  unusable_ = std::move(why);
}

// Level 1: everything that is known before the function's text is looked at.
bool DiskEntry::make_key(PyObject* jit, std::string* why) {
  const lower::KernelFunction& function = *call_.function;
  Encoder source(How::Own), types(How::Own), constants(How::Own);
  Identities identities;
  constants.identities = &identities;
  arguments_.assign(call_.infos.size(), nullptr);
  if (!source.add(jit)) return *why = source.why(), false;
  for (size_t i = 0; i < call_.infos.size(); i++) {
    const ArgInfo& info = call_.infos[i];
    types.add_text(fmt::format("{:x}", info.code()));
    if (info.form == ArgInfo::Form::Struct &&
        !types.add(reinterpret_cast<PyObject*>(Py_TYPE(call_.values[i]))))
      return *why = types.why(), false;
    if (info.form != ArgInfo::Form::Constant) continue;
    arguments_[i] = call_.values[i];
    if (!constants.add(call_.values[i])) {
      *why = fmt::format("compile-time argument '{}': {}", function.params[i].utf8, constants.why());
      return false;
    }
  }
  fields_ = {
      {"build of asc", cache::build_id().substr(0, 16)},
      {"Python", fmt::format("{} -O{}", PY_VERSION, optimisation_level())},
      {"source text", hash_of(source)},
      {"argument types", hash_of(types)},
      {"compile-time arguments", hash_of(constants)},
      {"options", fmt::format("{} auto_sync={} matmul_cube_only={}", ir::to_string(options_.kernel_type),
                              options_.auto_sync, options_.matmul_cube_only)},
      {"platform", std::string(options_.platform->name)}};
  cache::ByteWriter key;
  key.text("manifest");
  key.text(cache::build_id());
  for (const Encoder* part : {&source, &types, &constants}) key.text(part->bytes());
  for (const auto& [name, value] : fields_) key.text(value);
  manifest_ = cache::hash(key.bytes());
  return true;
}

std::shared_ptr<CompiledKernel> DiskEntry::read_object(const cache::Key& key, const Followed& followed) {
  const cache::Store store(folder_);
  bool damaged = false;
  const auto payload = store.read(cache::FileKind::Object, key, &damaged);
  cache::Counters counted;
  counted.damaged = damaged;
  if (damaged && cache::count_in(folder_, counted)) register_drain();
  if (!payload) return nullptr;
  std::vector<const SourceText*> sources;
  for (const lower::KernelFunction* function : followed.functions) sources.push_back(&function->source);
  auto kernel = CompiledKernel::load(*payload, sources, *options_.platform);
  if (kernel)
    store.touch(key);
  else
    store.remove(key);
  return kernel;
}

std::shared_ptr<Specialisation> DiskEntry::made_of(const Followed& followed,
                                                   std::shared_ptr<CompiledKernel> kernel) {
  std::shared_ptr<Specialisation> made = new_specialisation(call_, options_);
  made->depend_on(Dependencies(followed.dependencies, followed.paths.exact));
  made->kernel = std::move(kernel);
  return made;
}

std::shared_ptr<Specialisation> DiskEntry::load(SpecialisationCache& cache, bool keep_lowered) {
  cache.disk_miss = {};
  if (folder_.empty()) {
    cache.disk_miss.why = unusable_;
    return nullptr;
  }
  // A kernel of the same text may be on its way: a notebook cell that was run again.
  {
    const GilPause pause;
    cache::wait_for(manifest_, kWaitMilliseconds);
  }
  const cache::Store store(folder_);
  const auto bytes = store.read(cache::FileKind::Manifest, manifest_);
  cache::Counters counted;
  std::vector<std::shared_ptr<Specialisation>> replaced;  // dropping them may run Python code
  for (const Listed& listed : bytes ? read_manifest(*bytes) : std::vector<Listed>()) {
    std::string why;
    const std::optional<Followed> followed = follow(listed.paths, *call_.function, arguments_, &why);
    if (!followed) {
      if (cache.disk_miss.why.empty()) cache.disk_miss.why = why;
      continue;
    }
    const cache::Key key = followed->paths.object_key(manifest_);
    std::shared_ptr<CompiledKernel> kernel;
    const auto same = std::find_if(cache.entries.begin(), cache.entries.end(),
                                   [&](const auto& kept) { return kept->object == key; });
    if (same != cache.entries.end()) {  // equal values in other objects: the kernel is at hand
      replaced.push_back(std::move(*same));
      cache.entries.erase(same);
      kernel = replaced.back()->kernel;
    } else {
      kernel = read_object(key, *followed);
    }
    if (!kernel || (keep_lowered && kernel->ir_lowered().empty())) {
      if (cache.disk_miss.why.empty())
        cache.disk_miss.why = kernel ? "the IR before passes is not stored" : followed->changed;
      continue;
    }
    std::shared_ptr<Specialisation> made = made_of(*followed, std::move(kernel));
    made->object = key;
    cache.disk_hits++;
    process_counts().disk_hits++;
    counted.hits = 1;
    if (cache::count_in(folder_, counted)) register_drain();
    return made;
  }
  cache.disk_misses++;
  counted.misses = 1;
  if (cache::count_in(folder_, counted)) register_drain();
  cache.disk_miss.folder = folder_;
  cache.disk_miss.manifest = manifest_;
  cache.disk_miss.fields = fields_;
  return nullptr;
}

void DiskEntry::store(SpecialisationCache& cache, const lower::Result& lowered, Specialisation& made) {
  cache.not_stored.clear();
  if (folder_.empty()) {
    cache.not_stored = unusable_;
    process_counts().not_stored += !unusable_.empty();
    return;
  }
  std::string why;
  std::optional<Paths> paths = find_paths(lowered, arguments_, &why);
  if (!paths) {
    cache.not_stored = why;
    process_counts().not_stored++;
    return;
  }
  paths->exact = made.dependencies.exact();
  cache::StoreJob job;
  job.folder = folder_;
  job.most = cache::max_bytes();
  job.row.key = made.object = paths->object_key(manifest_);
  job.row.manifest = manifest_;
  job.row.kernel = call_.function->qualname;
  job.row.fields = fields_;
  job.object = [kernel = made.kernel] { return kernel->serialise(); };
  job.manifest = [paths = std::move(*paths), key = made.object](std::string_view old) {
    return add_to_manifest(old, paths, key);
  };
  if (cache::enqueue(std::move(job))) register_drain();
}

std::string explain_disk_miss(const lower::KernelFunction& function, const DiskMiss& miss) {
  if (!miss.why.empty() || miss.folder.empty()) return miss.why;
  const auto nearest = cache::Index(miss.folder).nearest(function.qualname, miss.manifest, miss.fields);
  if (!nearest) return "no such kernel is stored";
  std::string differs;
  for (const auto& field : miss.fields)
    if (std::find(nearest->begin(), nearest->end(), field) == nearest->end())
      differs += (differs.empty() ? "" : ", ") + field.first;
  return differs.empty() ? "no such kernel is stored" : differs;
}

}  // namespace asc::runtime
