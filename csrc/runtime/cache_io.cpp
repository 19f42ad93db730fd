// SPDX-License-Identifier: Apache-2.0
#include "runtime/cache_io.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <cerrno>
#include <cstdio>

namespace asc::runtime::cache {

// Reads with read(2): a file that shrinks under a mapping would be a SIGBUS. False with errno set.
static bool read_once(const std::string& path, std::string* out) {
  const File file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
  struct stat info;
  if (!file.is_open() || fstat(file.fd(), &info) != 0 || !S_ISREG(info.st_mode)) return false;
  out->resize(static_cast<size_t>(info.st_size));
  size_t size = 0;
  while (size < out->size()) {
    const ssize_t got = ::read(file.fd(), out->data() + size, out->size() - size);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return false;  // no content: what is there may be whole
    if (got == 0) break;
    size += static_cast<size_t>(got);
  }
  out->resize(size);
  return true;
}

// Over a network a file that another machine replaced meanwhile is stale; under its name is the new one.
bool read_all(const std::string& path, std::string* out) {
  constexpr int kAttempts = 3;
  for (int i = 0; i < kAttempts; i++) {
    errno = 0;
    if (read_once(path, out)) return true;
    if (errno != ESTALE) return false;
  }
  return false;
}

// File systems that cannot flush say so; the checksum tells what a crash left.
bool flush(int fd) { return ::fsync(fd) == 0 || errno == EINVAL || errno == ENOSYS || errno == EOPNOTSUPP; }

// A server that answered a rename, and whose answer was lost, says to the second request that there is no
// such file.
static bool is_renamed(int fd, const std::string& to) {
  struct stat ours, there;
  return errno == ENOENT && ::fstat(fd, &ours) == 0 && ::stat(to.c_str(), &there) == 0 &&
         ours.st_ino == there.st_ino && ours.st_dev == there.st_dev;
}

bool write_all(int fd, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t done = ::write(fd, bytes.data(), bytes.size());
    if (done < 0 && errno == EINTR) continue;
    if (done <= 0) return false;
    bytes.remove_prefix(static_cast<size_t>(done));
  }
  return true;
}

bool rename_file(int fd, const std::string& from, const std::string& to) {
  return std::rename(from.c_str(), to.c_str()) == 0 || is_renamed(fd, to);
}

}  // namespace asc::runtime::cache
