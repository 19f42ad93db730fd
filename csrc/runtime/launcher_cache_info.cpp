// SPDX-License-Identifier: Apache-2.0
// What Python sees of the kernel cache: asc.cache_info(), and what `python -m asc cache` uses.
#include <algorithm>

#include "runtime/cache_build.h"
#include "runtime/cache_store.h"
#include "runtime/cache_writer.h"
#include "runtime/launcher_cache.h"
#include "runtime/launcher_errors.h"
#include "runtime/launcher_gil.h"

namespace asc::runtime {
namespace {

constexpr int kDrainMilliseconds = 10000;

ProcessCounts g_counts;

PyObject* number(uint64_t value) { return PyLong_FromUnsignedLongLong(value); }

// Sets a new reference; false with a Python error set.
bool put(PyObject* dict, const char* name, PyObject* value) {
  const bool good = value && PyDict_SetItemString(dict, name, value) == 0;
  Py_XDECREF(value);
  return good;
}

// False with a Python error set.
bool folder_argument(PyObject* args, std::string* out) {
  PyObject* path = nullptr;
  if (!PyArg_ParseTuple(args, "|O&", PyUnicode_FSConverter, &path)) return false;
  const PyRef folder = PyRef::steal(path);  // bytes
  *out = folder ? PyBytes_AS_STRING(folder.get()) : cache::default_folder();
  return true;
}

PyObject* cache_info(PyObject*, PyObject*) {
  return guarded(static_cast<PyObject*>(nullptr), [&]() -> PyObject* {
    const cache::WriterStatus writer = cache::writer_status();
    const std::string folder = cache::default_folder();
    uint64_t files = 0, bytes = 0;
    std::optional<cache::Counters> all;
    {
      const GilPause pause;
      cache::Store(folder).each(false, [&](const cache::StoredFile& file, std::string_view) {
        files++;
        bytes += file.bytes;
      });
      all = cache::Index(folder).counters();
    }
    const PyRef process = PyRef::steal(PyDict_New()), disk = PyRef::steal(PyDict_New());
    if (!process || !disk) return nullptr;
    const std::pair<const char*, uint64_t> own[] = {
        {"hits", g_counts.hits},   {"disk_hits", g_counts.disk_hits},   {"compiled", g_counts.compiled},
        {"stored", writer.stored}, {"not_stored", g_counts.not_stored}, {"failed", writer.failed}};
    for (const auto& [name, value] : own)
      if (!put(process.get(), name, number(value))) return nullptr;
    if (!put(process.get(), "last_error",
             writer.last_error.empty() ? Py_NewRef(Py_None)
                                       : PyUnicode_DecodeFSDefault(writer.last_error.c_str())))
      return nullptr;
    if (!put(disk.get(), "folder", PyUnicode_DecodeFSDefault(folder.c_str())) ||
        !put(disk.get(), "files", number(files)) || !put(disk.get(), "bytes", number(bytes)) ||
        !put(disk.get(), "max_bytes", number(cache::max_bytes())))
      return nullptr;
    const cache::Counters counters = all.value_or(cache::Counters{});
    const std::pair<const char*, uint64_t> ever[] = {{"hits", counters.hits},
                                                     {"misses", counters.misses},
                                                     {"stored", counters.stored},
                                                     {"evicted", counters.evicted},
                                                     {"damaged", counters.damaged}};
    for (const auto& [name, value] : ever)
      if (!put(disk.get(), name, all ? number(value) : Py_NewRef(Py_None))) return nullptr;
    return Py_BuildValue("{s:O,s:O}", "process", process.get(), "disk", disk.get());
  });
}

// cache_files([folder]): [(key, kind, kernel, bytes, last use, good)], each file opened and checked.
PyObject* cache_files(PyObject*, PyObject* args) {
  return guarded(static_cast<PyObject*>(nullptr), [&]() -> PyObject* {
    std::string folder;
    if (!folder_argument(args, &folder)) return nullptr;
    struct Row {
      cache::StoredFile file;
      std::string kernel;
      bool good;
    };
    std::vector<Row> rows;
    {
      const GilPause pause;
      cache::Store(folder).each(true, [&](const cache::StoredFile& file, std::string_view bytes) {
        const auto payload = cache::unseal(bytes, file.kind, file.key);
        std::string kernel;
        if (payload && file.kind == cache::FileKind::Object) kernel = CompiledKernel::stored_name(*payload);
        rows.push_back({file, std::move(kernel), payload.has_value()});
      });
    }
    std::sort(rows.begin(), rows.end(), [](const Row& a, const Row& b) {
      return std::tuple(a.kernel, a.file.key.hex()) < std::tuple(b.kernel, b.file.key.hex());
    });
    PyRef list = PyRef::steal(PyList_New(0));
    for (const Row& row : rows) {
      const PyRef item =
          PyRef::steal(Py_BuildValue("(sssKLO)", row.file.key.hex().c_str(),
                                     row.file.kind == cache::FileKind::Object ? "object" : "manifest",
                                     row.kernel.c_str(), static_cast<unsigned long long>(row.file.bytes),
                                     static_cast<long long>(row.file.used), row.good ? Py_True : Py_False));
      if (!list || !item || PyList_Append(list.get(), item.get()) < 0) return nullptr;
    }
    return list.release();
  });
}

// cache_remove(key[, folder]): one file.
PyObject* cache_remove(PyObject*, PyObject* args) {
  const char* hex;
  PyObject* path = nullptr;
  cache::Key key;
  if (!PyArg_ParseTuple(args, "s|O&", &hex, PyUnicode_FSConverter, &path)) return nullptr;
  const PyRef folder = PyRef::steal(path);  // bytes
  if (!cache::parse_key(hex, &key)) return PyErr_Format(PyExc_ValueError, "'%s' is no key of the cache", hex);
  return guarded(static_cast<PyObject*>(nullptr), [&] {
    cache::Store(folder ? PyBytes_AS_STRING(folder.get()) : cache::default_folder()).remove(key);
    return Py_NewRef(Py_None);
  });
}

// cache_clear([folder]): removes every file and the index; how many files.
PyObject* cache_clear(PyObject*, PyObject* args) {
  return guarded(static_cast<PyObject*>(nullptr), [&]() -> PyObject* {
    std::string folder;
    if (!folder_argument(args, &folder)) return nullptr;
    int removed = 0;
    {
      const GilPause pause;
      cache::drain(kDrainMilliseconds);
      removed = cache::Store(folder).clear();
      cache::Index(folder).drop();
    }
    return PyLong_FromLong(removed);
  });
}

// cache_sweep([folder]): removes what killed writers left; how many files.
PyObject* cache_sweep(PyObject*, PyObject* args) {
  return guarded(static_cast<PyObject*>(nullptr), [&]() -> PyObject* {
    std::string folder;
    if (!folder_argument(args, &folder)) return nullptr;
    constexpr int64_t kHour = 3600;
    return PyLong_FromLong(cache::Store(folder).sweep(kHour));
  });
}

// cache_drain(): waits until what was compiled is stored; False if that takes longer than ten seconds.
PyObject* cache_drain(PyObject*, PyObject*) {
  return guarded(static_cast<PyObject*>(nullptr), [&] {
    bool done = false;
    {
      const GilPause pause;
      done = cache::drain(kDrainMilliseconds);
    }
    return PyBool_FromLong(done);
  });
}

// cache_build(): what tells this build of asc from others; a part of each key.
PyObject* cache_build(PyObject*, PyObject*) { return PyUnicode_FromString(cache::build_id().c_str()); }

PyMethodDef kDrain = {"cache_drain", cache_drain, METH_NOARGS, nullptr};

}  // namespace

ProcessCounts& process_counts() { return g_counts; }

// A process that ends tells its threads nothing: what is queued is written before. Workers of multiprocessing
// end without atexit.
void register_drain() {
  const PyRef drain = PyRef::steal(PyCFunction_New(&kDrain, nullptr));
  const PyRef module = PyRef::steal(PyImport_ImportModule("atexit"));
  const PyRef done = PyRef::steal(
      drain && module ? PyObject_CallMethod(module.get(), "register", "O", drain.get()) : nullptr);
  if (PyObject* util = imported_module("multiprocessing.util")) {
    const PyRef finalizer =
        PyRef::steal(PyObject_CallMethod(util, "Finalize", "OO()Oi", Py_None, drain.get(), Py_None, 0));
  }
  drop_error();
}

PyMethodDef kCacheFunctions[] = {
    {"cache_info", cache_info, METH_NOARGS,
     "cache_info()\n--\n\nThe kernel cache as a dict: `process` counts what this process did, `disk` is the folder."},
    {"cache_build", cache_build, METH_NOARGS, nullptr},
    {"cache_files", cache_files, METH_VARARGS, nullptr},
    {"cache_remove", cache_remove, METH_VARARGS, nullptr},
    {"cache_clear", cache_clear, METH_VARARGS, nullptr},
    {"cache_sweep", cache_sweep, METH_VARARGS, nullptr},
    {"cache_drain", cache_drain, METH_NOARGS, nullptr},
    {nullptr, nullptr, 0, nullptr}};

}  // namespace asc::runtime
