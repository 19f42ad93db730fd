# SPDX-License-Identifier: Apache-2.0
"""The kernel cache on file systems that are not local: a library put before libc gives the answers that those
give. Slower at worst: results are right, no good file is lost, and the cache works again afterwards."""

import os
import shutil
import subprocess

import cache_programs as programs
import pytest
from test_cache_crash import PROGRAM

SHIM = r"""
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int is(const char* name) {
  const char* wanted = getenv("CACHE_TEST_REMOTE");
  return wanted && strcmp(wanted, name) == 0;
}
static int of_cache(int fd) {
  char link[64], path[1024];
  snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
  ssize_t size = readlink(link, path, sizeof path - 1);
  if (size < 0) return 0;
  path[size] = 0;
  return strstr(path, "/objects/") != 0;
}
static int failed;

ssize_t read(int fd, void* to, size_t size) {
  ssize_t (*real)(int, void*, size_t) = dlsym(RTLD_NEXT, "read");
  if ((is("stale") || is("stale once") || is("broken")) && of_cache(fd)) {
    if (!is("stale once") || failed++ % 2 == 0) return errno = is("broken") ? EIO : ESTALE, -1;
  }
  return real(fd, to, size);
}
int fsync(int fd) {
  int (*real)(int) = dlsym(RTLD_NEXT, "fsync");
  if (is("no flush") && of_cache(fd)) return errno = EINVAL, -1;
  return real(fd);
}
int rename(const char* from, const char* to) {
  int (*real)(const char*, const char*) = dlsym(RTLD_NEXT, "rename");
  int result = real(from, to);
  if (is("lost answer") && strstr(to, "/objects/")) return errno = ENOENT, -1;
  return result;
}
static int control(const char* name, int fd, int command, void* argument) {
  int (*real)(int, int, ...) = dlsym(RTLD_NEXT, name);
  if (is("no locks") && (command == F_SETLK || command == F_SETLKW)) return errno = ENOLCK, -1;
  return real(fd, command, argument);
}
int fcntl(int fd, int command, ...) {
  va_list list;
  va_start(list, command);
  void* argument = va_arg(list, void*);
  va_end(list);
  return control("fcntl", fd, command, argument);
}
int fcntl64(int fd, int command, ...) {
  va_list list;
  va_start(list, command);
  void* argument = va_arg(list, void*);
  va_end(list);
  return control("fcntl64", fd, command, argument);
}
"""

pytestmark = pytest.mark.skipif(
    not shutil.which("cc") or "ASC_UNDER_SANITIZER" in os.environ,
    reason="needs cc, and LD_PRELOAD for itself",
)
COUNT = 4


@pytest.fixture(scope="module")
def shim(tmp_path_factory):
    folder = tmp_path_factory.mktemp("shim")
    (folder / "shim.c").write_text(SHIM)
    subprocess.run(
        ["cc", "-shared", "-fPIC", "-O1", "-o", folder / "shim.so", folder / "shim.c", "-ldl"], check=True
    )
    return folder / "shim.so"


@pytest.fixture
def run(tmp_path, shim):
    """[compiled, disk_hits, stored, failed] of a process; `how` the file system answers."""
    program, cache = programs.write(tmp_path / "program.py", PROGRAM), tmp_path / "cache"

    def run(how=""):
        if not how:
            return programs.run(program, cache, COUNT)
        return programs.run(program, cache, COUNT, LD_PRELOAD=str(shim), CACHE_TEST_REMOTE=how)

    run.cache = cache
    return run


@pytest.mark.parametrize("how", ["stale", "broken"])
def test_files_that_cannot_be_read_are_compiled_and_left_alone(run, how):
    assert run() == [COUNT, 0, COUNT, 0]
    before = {path: path.read_bytes() for path in programs.files(run.cache)}
    assert run(how)[:2] == [COUNT, 0]
    assert {path: path.read_bytes() for path in programs.files(run.cache)} == before
    assert run() == [0, COUNT, 0, 0]


def test_a_file_that_another_machine_replaced_is_read_again(run):
    assert run() == [COUNT, 0, COUNT, 0]
    assert run("stale once") == [0, COUNT, 0, 0]


@pytest.mark.parametrize("how", ["no flush", "lost answer", "no locks"])
def test_what_is_missing_or_lost_while_storing(run, how):
    assert run(how) == [COUNT, 0, COUNT, 0]
    assert not list(run.cache.glob("objects/??/.writing-*"))
    assert run() == [0, COUNT, 0, 0]
    assert run(how) == [0, COUNT, 0, 0]
