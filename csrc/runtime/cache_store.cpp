// SPDX-License-Identifier: Apache-2.0
#include "runtime/cache_store.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <charconv>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <filesystem>

#include "base/format.h"
#include "runtime/cache_io.h"

namespace asc::runtime::cache {
namespace {

constexpr std::string_view kTemporary = ".writing-";
constexpr uint64_t kDefaultMaxBytes = 1ull << 30;

std::string environment(const char* name) {
  const char* value = std::getenv(name);
  return value ? value : "";
}

// Where the process was when this was loaded: a folder that is given relative to it stays where it is.
const std::string& start_folder() {
  static const std::string folder = [] {
    std::error_code error;
    return std::filesystem::current_path(error).string();
  }();
  return folder;
}
[[maybe_unused]] const std::string& g_at_load = start_folder();

std::string absolute(std::string folder) {
  if (folder.empty() || folder[0] == '/' || start_folder().empty()) return folder;
  return start_folder() + "/" + folder;
}

// Like mkdir -p; folders of ours are the user's alone.
bool make_folders(const std::string& path) {
  if (::mkdir(path.c_str(), 0700) == 0 || errno == EEXIST) return true;
  const size_t slash = path.rfind('/');
  if (errno != ENOENT || slash == std::string::npos || slash == 0) return false;
  return make_folders(path.substr(0, slash)) && (::mkdir(path.c_str(), 0700) == 0 || errno == EEXIST);
}

void each_name(const std::string& folder, const std::function<void(const char*)>& fn) {
  DIR* dir = ::opendir(folder.c_str());
  if (!dir) return;
  while (const dirent* entry = ::readdir(dir))
    if (std::strcmp(entry->d_name, ".") != 0 && std::strcmp(entry->d_name, "..") != 0) fn(entry->d_name);
  ::closedir(dir);
}

void each_folder(const std::string& root, const std::function<void(const std::string&)>& fn) {
  if (root.empty()) return;  // no cache, and not the file system's root
  each_name(root + "/objects", [&](const char* name) {
    if (std::strlen(name) == 2) fn(root + "/objects/" + name);
  });
}

// Folders of the cache that something else is in the place of are made anew.
bool make_cache_folders(const std::string& root, const std::string& folder) {
  for (const std::string& one : {root + "/objects", folder}) {
    struct stat info;
    if (::lstat(one.c_str(), &info) == 0 && !S_ISDIR(info.st_mode) && ::stat(one.c_str(), &info) != 0)
      ::unlink(one.c_str());  // a link that leads nowhere
    if (::stat(one.c_str(), &info) == 0 && !S_ISDIR(info.st_mode)) remove_anything(one);
    if (!make_folders(one)) return false;
  }
  return true;
}

// Unlinks the file unless the rename has taken it away.
struct Unlink {
  const std::string& path;
  bool armed = true;
  ~Unlink() {
    if (armed) ::unlink(path.c_str());
  }
};

}  // namespace

bool remove_anything(const std::string& path) {
  if (::unlink(path.c_str()) == 0) return true;
  struct stat info;
  if (::lstat(path.c_str(), &info) != 0 || !S_ISDIR(info.st_mode)) return false;
  if (::rmdir(path.c_str()) == 0) return true;
  // Out of the way first: deleting it takes time, and may fail inside.
  const std::string away =
      fmt::format("{}/{}{}-gone", path.substr(0, path.rfind('/')), kTemporary, ::getpid());
  if (::rename(path.c_str(), away.c_str()) != 0) return false;
  std::error_code error;
  std::filesystem::remove_all(away, error);
  return true;
}

std::string default_folder() {
  std::string folder = environment("PYASC_CACHE_DIR");
  if (!folder.empty()) return absolute(std::move(folder));
  std::string home = environment("PYASC_HOME");
  if (home.empty()) home = environment("HOME");
  return home.empty() ? home : absolute(home + "/.pyasc/cache");
}

uint64_t max_bytes() {
  const std::string text = environment("PYASC_CACHE_MAX_BYTES");
  uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return text.empty() || error != std::errc() || end != text.data() + text.size() ? kDefaultMaxBytes : value;
}

bool injected_fault(WriteStep step) {
  static constexpr std::string_view kNames[] = {"open", "write", "sync", "rename", "index", "done"};
  static const std::string fault = environment("PYASC_TEST_CACHE_FAULT");
  if (fault.empty()) return false;
  const std::string_view name = kNames[static_cast<int>(step)];
  if (fault == fmt::format("kill:{}", name)) ::kill(::getpid(), SIGKILL);
  return fault == fmt::format("fail:{}", name);
}

std::string Store::path(const Key& key) const {
  const std::string name = key.hex();
  return fmt::format("{}/objects/{}/{}", folder_, name.substr(0, 2), name);
}

std::optional<std::string> Store::read(FileKind kind, const Key& key, bool* damaged) const {
  std::string bytes;
  const std::string file = path(key);
  if (folder_.empty() || !read_all(file, &bytes)) return {};
  if (const auto payload = unseal(bytes, kind, key)) return std::string(*payload);
  remove_anything(file);
  if (damaged) *damaged = true;
  return {};
}

bool Store::write(FileKind kind, const Key& key, std::string_view payload, std::string* error) const {
  static std::atomic<uint32_t> counter{0};
  const std::string to = path(key);
  const std::string folder = to.substr(0, to.rfind('/'));
  const auto fail = [&](const char* what) {
    const int code = errno;
    *error = fmt::format("{} in {}: {}", what, folder, code ? std::strerror(code) : "a fault was injected");
    return false;
  };
  errno = 0;
  if (folder_.empty() || !make_cache_folders(folder_, folder)) return fail("cannot make a folder");
  const std::string temporary =
      fmt::format("{}/{}{}-{}", folder, kTemporary, ::getpid(), counter.fetch_add(1));
  if (injected_fault(WriteStep::Open)) return fail("cannot create a file");
  File file(::open(temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
  if (!file.is_open()) return fail("cannot create a file");
  Unlink leftover{temporary};
  const std::string bytes = seal(kind, key, payload);
  // In two parts, so that a writer killed between them has left half a file.
  const std::string_view first = std::string_view(bytes).substr(0, bytes.size() / 2);
  if (!write_all(file.fd(), first) || injected_fault(WriteStep::Write) ||
      !write_all(file.fd(), std::string_view(bytes).substr(first.size())))
    return fail("cannot write");
  if (injected_fault(WriteStep::Sync) || !flush(file.fd())) return fail("cannot flush");
  const File same(::fcntl(file.fd(), F_DUPFD_CLOEXEC, 0));
  if (!file.close()) return fail("cannot flush");
  if (injected_fault(WriteStep::Rename)) return fail("cannot rename a file");
  const auto rename = [&] { return rename_file(same.fd(), temporary, to); };
  if (!rename() && !(errno == EISDIR && remove_anything(to) && rename())) return fail("cannot rename a file");
  leftover.armed = false;
  return true;
}

void Store::touch(const Key& key) const {
  constexpr int64_t kHour = 3600;
  const std::string file = path(key);
  struct stat info;
  if (::stat(file.c_str(), &info) != 0 || std::time(nullptr) - info.st_mtime < kHour) return;
  ::utimensat(AT_FDCWD, file.c_str(), nullptr, 0);
}

bool Store::remove(const Key& key) const { return remove_anything(path(key)); }

void Store::each(bool with_content,
                 const std::function<void(const StoredFile&, std::string_view)>& fn) const {
  each_folder(folder_, [&](const std::string& folder) {
    each_name(folder, [&](const char* name) {
      StoredFile file;
      struct stat info;
      const std::string path = folder + "/" + name;
      if (!parse_key(name, &file.key) || ::lstat(path.c_str(), &info) != 0) return;
      file.bytes = S_ISREG(info.st_mode) ? static_cast<uint64_t>(info.st_size) : 0;
      file.used = info.st_mtime;
      std::string bytes;
      if (with_content && S_ISREG(info.st_mode) && !read_all(path, &bytes)) return;
      claimed_kind(bytes, &file.kind);
      fn(file, bytes);
    });
  });
}

int Store::sweep(int64_t older_than_seconds) const {
  int removed = 0;
  const int64_t now = std::time(nullptr);
  each_folder(folder_, [&](const std::string& folder) {
    each_name(folder, [&](const char* name) {
      struct stat info;
      const std::string path = folder + "/" + name;
      if (!std::string_view(name).starts_with(kTemporary) || ::lstat(path.c_str(), &info) != 0) return;
      if (older_than_seconds && now - info.st_mtime < older_than_seconds) return;
      removed += remove_anything(path);
    });
  });
  return removed;
}

std::vector<StoredFile> Store::evict(uint64_t most) const {
  std::vector<StoredFile> files;
  uint64_t total = 0;
  each(false, [&](const StoredFile& file, std::string_view) {
    files.push_back(file);
    total += file.bytes;
  });
  std::sort(files.begin(), files.end(),
            [](const StoredFile& a, const StoredFile& b) { return a.used < b.used; });
  std::vector<StoredFile> gone;
  for (size_t i = 0; i < files.size() && total > most; i++) {
    if (!remove(files[i].key)) continue;
    gone.push_back(files[i]);
    total -= files[i].bytes;
  }
  return gone;
}

uint64_t Store::bytes() const {
  uint64_t total = 0;
  each(false, [&](const StoredFile& file, std::string_view) { total += file.bytes; });
  return total;
}

int Store::clear() const {
  int removed = sweep(0);
  each(false, [&](const StoredFile& file, std::string_view) { removed += remove(file.key); });
  each_folder(folder_, [](const std::string& folder) { ::rmdir(folder.c_str()); });
  return removed;
}

}  // namespace asc::runtime::cache
