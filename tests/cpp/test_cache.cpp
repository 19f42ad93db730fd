// SPDX-License-Identifier: Apache-2.0
// The kernel cache below Python: sealed files, the folder, the index, the writer.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <thread>

#include "runtime/cache_build.h"
#include "runtime/cache_index.h"
#include "runtime/cache_store.h"
#include "runtime/cache_writer.h"

namespace {

using namespace asc::runtime::cache;
namespace fs = std::filesystem;

struct Folder {
  Folder() {
    char name[] = "/tmp/asc_cache_XXXXXX";
    path = mkdtemp(name);
  }
  ~Folder() { fs::remove_all(path); }
  std::string path;
};

std::string read_file(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}
void write_file(const std::string& path, const std::string& bytes) {
  std::ofstream(path, std::ios::binary) << bytes;
}

StoreJob job_of(const std::string& folder, const std::string& text, uint64_t most = 1 << 30) {
  StoreJob job;
  job.folder = folder;
  job.most = most;
  job.row.key = hash("object " + text);
  job.row.manifest = hash("manifest " + text);
  job.row.kernel = text;
  job.row.fields = {{"source text", text}, {"platform", "p"}};
  job.object = [text] { return text; };
  job.manifest = [text](std::string_view old) { return std::string(old) + text + ";"; };
  return job;
}

TEST(CacheFile, OpensOnlyWhatWasSealed) {
  const Key key = hash("key"), other = hash("other");
  const std::string file = seal(FileKind::Object, key, "payload");
  ASSERT_EQ(unseal(file, FileKind::Object, key), "payload");
  EXPECT_FALSE(unseal(file, FileKind::Object, other));  // swapped
  EXPECT_FALSE(unseal(file, FileKind::Manifest, key));  // another kind
  EXPECT_FALSE(unseal(file + "x", FileKind::Object, key));
  EXPECT_FALSE(unseal("", FileKind::Object, key));
  for (size_t size = 0; size < file.size(); size++)
    EXPECT_FALSE(unseal(file.substr(0, size), FileKind::Object, key)) << size;
  for (size_t bit = 0; bit < 8 * file.size(); bit++) {
    std::string flipped = file;
    flipped[bit / 8] = static_cast<char>(flipped[bit / 8] ^ (1 << bit % 8));
    EXPECT_FALSE(unseal(flipped, FileKind::Object, key)) << bit;
  }
}

TEST(CacheFile, KeysAreXxh3OfContent) {
  // The reference value of XXH3's 128 bits of no input.
  EXPECT_EQ(hash("").hex(), "99aa06d3014798d86001c324468d497f");
  Key key;
  EXPECT_TRUE(parse_key(hash("a").hex(), &key));
  EXPECT_EQ(key, hash("a"));
  EXPECT_FALSE(parse_key("99aa06d3014798d86001c324468d497", &key));
  EXPECT_FALSE(parse_key("99AA06d3014798d86001c324468d497f", &key));
}

TEST(CacheFile, ReaderSurvivesAnything) {
  ByteWriter out;
  out.u32(7);
  out.text("text");
  out.key(hash("k"));
  const std::string bytes = out.take();
  ByteReader in(bytes);
  EXPECT_EQ(in.u32(), 7u);
  EXPECT_EQ(in.text(), "text");
  EXPECT_EQ(in.key(), hash("k"));
  EXPECT_TRUE(in.good() && in.at_end());
  EXPECT_EQ(in.u64(), 0u);
  EXPECT_FALSE(in.good());
  ByteReader huge(std::string_view("\xff\xff\xff\xff"));
  EXPECT_EQ(huge.count(1), 0u);
  EXPECT_FALSE(huge.good());
}

TEST(CacheStore, WritesReadsAndRemovesWhatIsDamaged) {
  const Folder folder;
  const Store store(folder.path + "/not/there/yet");
  const Key key = hash("key");
  std::string error;
  EXPECT_FALSE(store.read(FileKind::Object, key));
  ASSERT_TRUE(store.write(FileKind::Object, key, "payload", &error)) << error;
  EXPECT_EQ(store.read(FileKind::Object, key), "payload");
  struct stat info;
  ASSERT_EQ(::stat(store.path(key).c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0777, 0600u);
  const std::string file = read_file(store.path(key));
  for (const std::string& bytes : {file.substr(0, file.size() / 2), std::string(), std::string("foreign")}) {
    write_file(store.path(key), bytes);
    bool damaged = false;
    EXPECT_FALSE(store.read(FileKind::Object, key, &damaged));
    EXPECT_TRUE(damaged);
    EXPECT_FALSE(fs::exists(store.path(key)));
    ASSERT_TRUE(store.write(FileKind::Object, key, "payload", &error)) << error;
    EXPECT_EQ(store.read(FileKind::Object, key), "payload");
  }
  const Key other = hash("other");
  fs::create_directories(fs::path(store.path(other)).parent_path());
  fs::copy_file(store.path(key), store.path(other));
  EXPECT_FALSE(store.read(FileKind::Object, other));
}

TEST(CacheStore, WhatCannotBeDoneIsNotDone) {
  const Folder folder;
  std::string error;
  write_file(folder.path + "/file", "");
  const Store below_a_file(folder.path + "/file");
  EXPECT_FALSE(below_a_file.write(FileKind::Object, hash("a"), "x", &error));
  EXPECT_NE(error.find("cannot make a folder"), std::string::npos) << error;
  EXPECT_FALSE(below_a_file.read(FileKind::Object, hash("a")));
  EXPECT_FALSE(Store("").write(FileKind::Object, hash("a"), "x", &error));
  const Store store(folder.path);
  fs::create_directories(store.path(hash("b")) + "/deep");  // a folder where the file should be
  EXPECT_FALSE(store.read(FileKind::Object, hash("b")));
  EXPECT_TRUE(store.write(FileKind::Object, hash("b"), "x", &error)) << error;
  EXPECT_EQ(store.read(FileKind::Object, hash("b")), "x");
  fs::create_directories(fs::path(store.path(hash("c"))).parent_path());
  fs::create_symlink("/etc/passwd", store.path(hash("c")));
  EXPECT_FALSE(store.read(FileKind::Object, hash("c")));
  ASSERT_EQ(::mkfifo((folder.path + "/objects/fifo").c_str(), 0600), 0);
  EXPECT_EQ(store.clear(), 2);
  EXPECT_TRUE(fs::exists("/etc/passwd"));
}

TEST(CacheStore, EvictsWhatWasUsedLeastRecently) {
  const Folder folder;
  const Store store(folder.path);
  std::string error;
  uint64_t size = 0;
  for (int i = 0; i < 10; i++) {
    const Key key = hash(std::to_string(i));
    ASSERT_TRUE(store.write(FileKind::Object, key, std::string(1000, 'x'), &error));
    size = fs::file_size(store.path(key));
    const timespec times[2] = {{1000 + i, 0}, {1000 + i, 0}};
    ASSERT_EQ(::utimensat(AT_FDCWD, store.path(key).c_str(), times, 0), 0);
  }
  store.touch(hash("0"));  // read now
  const std::vector<StoredFile> gone = store.evict(4 * size);
  EXPECT_EQ(gone.size(), 6u);
  for (int i = 0; i < 10; i++)
    EXPECT_EQ(store.read(FileKind::Object, hash(std::to_string(i))).has_value(), i == 0 || i >= 7) << i;
}

TEST(CacheStore, SweepsWhatKilledWritersLeft) {
  const Folder folder;
  const Store store(folder.path);
  std::string error;
  ASSERT_TRUE(store.write(FileKind::Object, hash("a"), "x", &error));
  const std::string left = fs::path(store.path(hash("a"))).parent_path().string() + "/.writing-1-0";
  write_file(left, "half");
  EXPECT_EQ(store.sweep(3600), 0);  // perhaps still being written
  EXPECT_EQ(store.sweep(0), 1);
  EXPECT_FALSE(fs::exists(left));
  EXPECT_TRUE(store.read(FileKind::Object, hash("a")));
}

TEST(CacheIndex, CountsAndFindsTheNearest) {
  const Folder folder;
  Index index(folder.path);
  EXPECT_FALSE(index.counters());
  const IndexRow a{hash("a"), hash("ma"), "kernel", 100, {{"source text", "1"}, {"platform", "p"}}};
  const IndexRow b{hash("b"), hash("mb"), "kernel", 50, {{"source text", "2"}, {"platform", "q"}}};
  EXPECT_EQ(index.update({a, b}, {}, {1, 2, 2, 0, 0}), 150u);
  EXPECT_EQ(index.update({b}, {}, {1, 0, 0, 0, 0}), 150u);  // the same row again
  EXPECT_EQ(index.rows(), 2u);
  EXPECT_EQ(index.counters()->hits, 2u);
  EXPECT_EQ(index.counters()->misses, 2u);
  const Fields now = {{"source text", "3"}, {"platform", "q"}};
  EXPECT_EQ(index.nearest("kernel", hash("mc"), now), b.fields);
  EXPECT_EQ(index.nearest("kernel", hash("mb"), now), a.fields);  // its own manifest does not count
  EXPECT_FALSE(index.nearest("another", hash("mc"), now));
  StoredFile gone;
  gone.key = hash("a");
  EXPECT_EQ(index.update({}, {gone}, {}), 50u);
}

TEST(CacheIndex, IsRebuiltWhenLostBrokenOrForeign) {
  const Folder folder;
  const Store store(folder.path);
  std::string error;
  ASSERT_TRUE(store.write(FileKind::Object, hash("a"), "payload", &error));
  const uint64_t size = fs::file_size(store.path(hash("a")));
  Index index(folder.path);
  EXPECT_EQ(index.update({}, {}, {1, 0, 0, 0, 0}), size);
  const std::string file = folder.path + "/index.sqlite3", good = read_file(file);
  for (const std::string& bytes :
       {std::string("this is no database, but longer than a header of one would be: 0123456789 0123456789"),
        good.substr(0, good.size() / 2), good.substr(0, 5000), std::string(good.size(), '\0')}) {
    write_file(file, bytes);
    EXPECT_EQ(index.update({}, {}, {}), size);
  }
  std::string broken = good;  // pages scrambled behind a good header
  for (size_t i = 4096; i < broken.size(); i++) broken[i] = static_cast<char>(i * 7);
  write_file(file, broken);
  index.update({}, {}, {});
  EXPECT_EQ(index.update({}, {}, {}), size);
  fs::remove(file);
  EXPECT_EQ(index.update({}, {}, {}), size);
}

TEST(CacheIndex, ALockedIndexIsDoneWithout) {
  const Folder folder;
  Index index(folder.path);
  ASSERT_TRUE(index.update({}, {}, {}));
  int ready[2], done[2];
  ASSERT_EQ(::pipe(ready) + ::pipe(done), 0);
  const pid_t child = ::fork();
  if (child == 0) {  // holds the lock as SQLite takes it, until told to end
    const int fd = ::open((folder.path + "/index.sqlite3").c_str(), O_RDWR);
    struct flock lock = {};
    lock.l_type = F_WRLCK;
    lock.l_start = 0x40000000;
    lock.l_len = 512;
    char byte = ::fcntl(fd, F_SETLK, &lock) == 0 ? 'y' : 'n';
    if (::write(ready[1], &byte, 1) != 1 || ::read(done[0], &byte, 1) != 1) _exit(1);
    _exit(0);
  }
  char byte = 0;
  ASSERT_EQ(::read(ready[0], &byte, 1), 1);
  ASSERT_EQ(byte, 'y');
  const auto start = std::chrono::steady_clock::now();
  EXPECT_FALSE(index.update({}, {}, {1, 0, 0, 0, 0}));
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(5));
  ASSERT_EQ(::write(done[1], &byte, 1), 1);
  ::waitpid(child, nullptr, 0);
  EXPECT_TRUE(index.update({}, {}, {1, 0, 0, 0, 0}));
  for (const int fd : {ready[0], ready[1], done[0], done[1]}) ::close(fd);
}

TEST(CacheWriter, StoresInOrderAndDrains) {
  const Folder folder;
  for (const char* text : {"a", "b", "a"}) enqueue(job_of(folder.path, text));
  EXPECT_TRUE(wait_for(hash("manifest b"), 10000));
  ASSERT_TRUE(drain(10000));
  const Store store(folder.path);
  EXPECT_EQ(store.read(FileKind::Object, hash("object a")), "a");
  EXPECT_EQ(store.read(FileKind::Manifest, hash("manifest a")), "a;a;");
  EXPECT_EQ(store.read(FileKind::Manifest, hash("manifest b")), "b;");
  EXPECT_EQ(Index(folder.path).counters()->stored, 3u);
  EXPECT_EQ(Index(folder.path).rows(), 4u);
}

TEST(CacheWriter, KeepsTheFolderBelowItsLimit) {
  const Folder folder;
  for (int i = 0; i < 40; i++) {
    StoreJob job = job_of(folder.path, std::to_string(i), 20000);
    job.object = [] { return std::string(1000, 'x'); };
    enqueue(std::move(job));
  }
  ASSERT_TRUE(drain(20000));
  uint64_t total = 0;
  Store(folder.path).each(false, [&](const StoredFile& file, std::string_view) { total += file.bytes; });
  EXPECT_LE(total, 20000u);
  EXPECT_GT(total, 10000u);
  EXPECT_GT(Index(folder.path).counters()->evicted, 0u);
  EXPECT_TRUE(Store(folder.path).read(FileKind::Object, hash("object 39")));
}

TEST(CacheWriter, JobsThatFailDoNotStopIt) {
  const Folder folder;
  const uint64_t failed = writer_status().failed;
  StoreJob bad = job_of(folder.path, "bad");
  bad.object = []() -> std::string { throw std::runtime_error("no text"); };
  enqueue(std::move(bad));
  enqueue(job_of("/proc/no/such", "worse"));
  enqueue(job_of(folder.path, "good"));
  ASSERT_TRUE(drain(10000));
  EXPECT_EQ(writer_status().failed, failed + 2);
  EXPECT_TRUE(Store(folder.path).read(FileKind::Object, hash("object good")));
}

TEST(CacheWriter, ManyThreadsOneFolder) {
  const Folder folder;
  std::vector<std::thread> threads;
  for (int t = 0; t < 8; t++)
    threads.emplace_back([&, t] {
      for (int i = 0; i < 8; i++) {
        enqueue(job_of(folder.path, std::to_string(i)));
        count_in(folder.path, {1, 0, 0, 0, 0});
        if (i == t) wait_for(hash("manifest 0"), 10000);
        Store(folder.path).read(FileKind::Object, hash("object 3"));
      }
    });
  for (std::thread& thread : threads) thread.join();
  ASSERT_TRUE(drain(30000));
  EXPECT_EQ(Index(folder.path).counters()->hits, 64u);
  EXPECT_EQ(Index(folder.path).rows(), 16u);
}

TEST(CacheWriter, AForkedChildHasAWriterOfItsOwn) {
#ifdef __SANITIZE_THREAD__
  GTEST_SKIP() << "TSan starts no thread in a forked child";
#endif
  const Folder folder;
  for (int i = 0; i < 4; i++) enqueue(job_of(folder.path, std::to_string(i)));
  for (int i = 0; i < 8; i++) {
    const pid_t child = ::fork();
    if (child == 0) {
      enqueue(job_of(folder.path, "child " + std::to_string(i)));
      _exit(drain(10000) ? 0 : 1);
    }
    int status = -1;
    ::waitpid(child, &status, 0);
    EXPECT_EQ(status, 0);
    EXPECT_TRUE(Store(folder.path).read(FileKind::Object, hash("object child " + std::to_string(i))));
  }
  ASSERT_TRUE(drain(10000));
  for (int i = 0; i < 4; i++)
    EXPECT_TRUE(Store(folder.path).read(FileKind::Object, hash("object " + std::to_string(i))));
}

TEST(CacheBuild, HasAnId) { EXPECT_GE(build_id().size(), 16u); }

}  // namespace
