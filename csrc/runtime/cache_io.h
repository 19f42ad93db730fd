// SPDX-License-Identifier: Apache-2.0
// Reading, writing and renaming files, also where they lie on another machine.
#pragma once

#include <unistd.h>

#include <string>
#include <string_view>

namespace asc::runtime::cache {

class File {
 public:
  explicit File(int fd) : fd_(fd) {}
  File(const File&) = delete;
  File& operator=(const File&) = delete;
  ~File() { close(); }
  bool is_open() const { return fd_ >= 0; }
  int fd() const { return fd_; }
  bool close() {
    const int fd = fd_;
    fd_ = -1;
    return fd < 0 || ::close(fd) == 0;
  }

 private:
  int fd_;
};

// The file's content; false if there is none to be had, which says nothing about the file.
bool read_all(const std::string& path, std::string* out);
bool write_all(int fd, std::string_view bytes);
bool flush(int fd);
// Gives a file, open as `fd`, another name. False with errno set.
bool rename_file(int fd, const std::string& from, const std::string& to);

}  // namespace asc::runtime::cache
