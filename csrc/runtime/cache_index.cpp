// SPDX-License-Identifier: Apache-2.0
#include "runtime/cache_index.h"

#include <sqlite3.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <functional>
#include <mutex>

#include "base/format.h"

namespace asc::runtime::cache {
namespace {

// Raised with every change of the tables: another one is no index of ours.
constexpr int kSchema = 1;
// Others hold the lock for a millisecond or two. Who cannot have it goes without.
constexpr int kBusyMilliseconds = 200;
constexpr const char* kTables =
    "CREATE TABLE IF NOT EXISTS objects (key TEXT PRIMARY KEY, manifest TEXT, kernel TEXT, bytes INTEGER,"
    " fields TEXT) WITHOUT ROWID;"
    "CREATE INDEX IF NOT EXISTS by_kernel ON objects (kernel);"
    "CREATE TABLE IF NOT EXISTS counters (name TEXT PRIMARY KEY, value INTEGER) WITHOUT ROWID;";

std::mutex& index_mutex() {
  static auto* mutex = new std::mutex;  // used by threads that outlive static objects
  return *mutex;
}

class Statement {
 public:
  Statement(sqlite3* db, const char* sql) {
    if (sqlite3_prepare_v2(db, sql, -1, &statement_, nullptr) != SQLITE_OK) statement_ = nullptr;
  }
  Statement(const Statement&) = delete;
  Statement& operator=(const Statement&) = delete;
  ~Statement() { sqlite3_finalize(statement_); }
  Statement& bind(int at, const std::string& text) {
    sqlite3_bind_text(statement_, at, text.data(), static_cast<int>(text.size()), SQLITE_TRANSIENT);
    return *this;
  }
  Statement& bind(int at, uint64_t value) {
    sqlite3_bind_int64(statement_, at, static_cast<sqlite3_int64>(value));
    return *this;
  }
  bool row() { return statement_ && sqlite3_step(statement_) == SQLITE_ROW; }
  bool run() {
    const bool good = statement_ && sqlite3_step(statement_) == SQLITE_DONE;
    sqlite3_reset(statement_);
    return good;
  }
  uint64_t integer(int at) { return static_cast<uint64_t>(sqlite3_column_int64(statement_, at)); }
  std::string text(int at) {
    const auto* bytes = reinterpret_cast<const char*>(sqlite3_column_text(statement_, at));
    return bytes ? std::string(bytes, static_cast<size_t>(sqlite3_column_bytes(statement_, at)))
                 : std::string();
  }

 private:
  sqlite3_stmt* statement_ = nullptr;
};

// Opening a pipe would wait for its writer.
bool is_file_or_missing(const std::string& path) {
  struct stat info;
  return ::lstat(path.c_str(), &info) != 0 || S_ISREG(info.st_mode);
}

// One connection. A rollback journal, not a write-ahead log: that would need shared memory, which network
// file systems do not have and full disks turn into a signal. Nothing is flushed: losing the index costs a
// rebuild.
class Connection {
 public:
  Connection(const std::string& path, bool write) {
    if (!is_file_or_missing(path) || !is_file_or_missing(path + "-journal")) {
      status_ = SQLITE_NOTADB;
      return;
    }
    const int flags = write ? SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE : SQLITE_OPEN_READONLY;
    status_ = sqlite3_open_v2(path.c_str(), &db_, flags | SQLITE_OPEN_NOMUTEX, nullptr);
    if (status_ != SQLITE_OK) return;
    sqlite3_busy_timeout(db_, kBusyMilliseconds);
    if (!run("PRAGMA synchronous=OFF; PRAGMA mmap_size=0; PRAGMA temp_store=MEMORY;")) return;
    if (write && !run("BEGIN IMMEDIATE")) return;
    Statement version(db_, "PRAGMA user_version");
    if (!version.row()) {
      status_ = sqlite3_errcode(db_);
      return;
    }
    found_ = static_cast<int>(version.integer(0));
  }
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;
  ~Connection() { sqlite3_close(db_); }

  bool run(const char* sql) {
    status_ = sqlite3_exec(db_, sql, nullptr, nullptr, nullptr);
    return status_ == SQLITE_OK;
  }
  bool good() const { return status_ == SQLITE_OK; }
  // The file is no index of ours, or one that is broken; others only may not be had now.
  bool broken() const {
    const int status = status_ & 0xFF;
    return status == SQLITE_CORRUPT || status == SQLITE_NOTADB || status == SQLITE_FORMAT ||
           status == SQLITE_ERROR || status == SQLITE_SCHEMA || status == SQLITE_MISMATCH ||
           (good() && found_ != 0 && found_ != kSchema);
  }
  bool is_new() const { return good() && found_ == 0; }
  bool usable() const { return good() && found_ == kSchema; }
  sqlite3* db() const { return db_; }

 private:
  sqlite3* db_ = nullptr;
  int status_ = SQLITE_OK;
  int found_ = 0;
};

std::string fields_text(const Fields& fields) {
  std::string text;
  for (const auto& [name, value] : fields) text += fmt::format("{}={}\n", name, value);
  return text;
}

Fields parse_fields(std::string_view text) {
  Fields fields;
  while (!text.empty()) {
    const size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, end);
    const size_t equals = line.find('=');
    if (equals != std::string_view::npos)
      fields.emplace_back(line.substr(0, equals), line.substr(equals + 1));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return fields;
}

bool add_rows(sqlite3* db, const std::vector<IndexRow>& rows) {
  Statement insert(db, "INSERT OR REPLACE INTO objects VALUES (?,?,?,?,?)");
  for (const IndexRow& row : rows)
    if (!insert.bind(1, row.key.hex())
             .bind(2, row.manifest.hex())
             .bind(3, row.kernel)
             .bind(4, row.bytes)
             .bind(5, fields_text(row.fields))
             .run())
      return false;
  return true;
}

// A new index knows of each file that there is: its size, not what it was compiled for.
bool begin(Connection& connection, const std::string& folder) {
  if (!connection.run(kTables) || !connection.run(fmt::format("PRAGMA user_version={}", kSchema).c_str()))
    return false;
  std::vector<IndexRow> rows;
  Store(folder).each(false, [&](const StoredFile& file, std::string_view) {
    rows.push_back({file.key, {}, {}, file.bytes, {}});
  });
  return add_rows(connection.db(), rows);
}

bool count(sqlite3* db, const char* name, uint64_t value) {
  if (!value) return true;
  Statement add(db, "INSERT INTO counters VALUES (?1,?2) ON CONFLICT (name) DO UPDATE SET value=value+?2");
  return add.bind(1, std::string(name)).bind(2, value).run();
}

}  // namespace

void lock_index() { index_mutex().lock(); }
void unlock_index() { index_mutex().unlock(); }

void Index::drop() const {
  if (folder_.empty()) return;
  remove_anything(path());
  remove_anything(path() + "-journal");
}

std::optional<uint64_t> Index::update(const std::vector<IndexRow>& stored,
                                      const std::vector<StoredFile>& gone, const Counters& counted) {
  const std::lock_guard lock(index_mutex());
  for (int attempt = 0; attempt < 2; attempt++) {
    Connection connection(path(), true);
    if (connection.broken()) {
      drop();
      continue;
    }
    if (!connection.good()) return {};
    sqlite3* db = connection.db();
    bool good = (!connection.is_new() || begin(connection, folder_)) && add_rows(db, stored);
    Statement remove(db, "DELETE FROM objects WHERE key=?");
    for (const StoredFile& file : gone) good = good && remove.bind(1, file.key.hex()).run();
    good = good && count(db, "hits", counted.hits) && count(db, "misses", counted.misses) &&
           count(db, "stored", counted.stored) && count(db, "evicted", counted.evicted) &&
           count(db, "damaged", counted.damaged);
    uint64_t bytes = 0;
    if (good) {
      Statement total(db, "SELECT coalesce(sum(bytes),0) FROM objects");
      good = total.row();
      if (good) bytes = total.integer(0);
    }
    if (good && connection.run("COMMIT")) return bytes;
    const int status = sqlite3_errcode(db) & 0xFF;
    connection.run("ROLLBACK");
    if (status != SQLITE_CORRUPT && status != SQLITE_NOTADB && status != SQLITE_ERROR) return {};
    drop();  // and once more, from the files
  }
  return {};
}

std::optional<Counters> Index::counters() const {
  const std::lock_guard lock(index_mutex());
  Connection connection(path(), false);
  if (!connection.usable()) return {};
  Counters found;
  const std::pair<const char*, uint64_t*> names[] = {{"hits", &found.hits},
                                                     {"misses", &found.misses},
                                                     {"stored", &found.stored},
                                                     {"evicted", &found.evicted},
                                                     {"damaged", &found.damaged}};
  for (const auto& [name, value] : names) {
    Statement select(connection.db(), "SELECT value FROM counters WHERE name=?");
    if (select.bind(1, std::string(name)).row()) *value = select.integer(0);
  }
  return found;
}

std::optional<uint64_t> Index::rows() const {
  const std::lock_guard lock(index_mutex());
  Connection connection(path(), false);
  if (!connection.usable()) return {};
  Statement select(connection.db(), "SELECT count(*) FROM objects");
  if (!select.row()) return {};
  return select.integer(0);
}

std::optional<Fields> Index::nearest(const std::string& kernel, const Key& manifest,
                                     const Fields& fields) const {
  const std::lock_guard lock(index_mutex());
  Connection connection(path(), false);
  if (!connection.usable()) return {};
  Statement select(connection.db(),
                   "SELECT fields FROM objects WHERE kernel=? AND manifest<>? AND fields<>'' LIMIT 1000");
  select.bind(1, kernel).bind(2, manifest.hex());
  std::optional<Fields> best;
  size_t best_shared = 0;
  while (select.row()) {
    Fields other = parse_fields(select.text(0));
    size_t shared = 0;
    for (const auto& field : fields) shared += std::find(other.begin(), other.end(), field) != other.end();
    if (best && shared <= best_shared) continue;
    best = std::move(other);
    best_shared = shared;
  }
  return best;
}

}  // namespace asc::runtime::cache
