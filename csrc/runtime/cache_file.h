// SPDX-License-Identifier: Apache-2.0
// Files of the kernel cache: keys, the bytes inside, and the sealed container around them. A container says
// its version, what it is and under which key it was stored, and carries a checksum over all of that:
// truncated, altered, swapped and foreign files do not open.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace asc::runtime::cache {

// XXH3-128 of content.
struct Key {
  uint64_t high = 0, low = 0;
  friend bool operator==(const Key&, const Key&) = default;
  std::string hex() const;  // 32 digits
};
Key hash(std::string_view bytes);
bool parse_key(std::string_view hex, Key* out);

// Little-endian numbers, and strings with their length in front.
class ByteWriter {
 public:
  void u8(uint8_t value) { out_ += static_cast<char>(value); }
  void u32(uint32_t value) { number(value, 4); }
  void u64(uint64_t value) { number(value, 8); }
  void text(std::string_view value) {
    u64(value.size());
    out_ += value;
  }
  void key(const Key& value) {
    u64(value.high);
    u64(value.low);
  }
  std::string take() { return std::move(out_); }
  const std::string& bytes() const { return out_; }

 private:
  void number(uint64_t value, int bytes) {
    for (int i = 0; i < bytes; i++) out_ += static_cast<char>(value >> (8 * i));
  }
  std::string out_;
};

// What is not there reads as zero or empty, and `good` is false from then on.
class ByteReader {
 public:
  explicit ByteReader(std::string_view bytes) : rest_(bytes) {}
  uint8_t u8() { return static_cast<uint8_t>(number(1)); }
  uint32_t u32() { return static_cast<uint32_t>(number(4)); }
  uint64_t u64() { return number(8); }
  std::string_view text() {
    const uint64_t size = u64();
    return take(size);
  }
  Key key() {
    Key key;
    key.high = u64();
    key.low = u64();
    return key;
  }
  // How many items follow; each takes at least `least` bytes, so that a wrong count is seen before memory is
  // asked for.
  uint32_t count(size_t least) {
    const uint32_t n = u32();
    if (n > rest_.size() / least) good_ = false;
    return good_ ? n : 0;
  }
  bool good() const { return good_; }
  bool at_end() const { return rest_.empty(); }

 private:
  std::string_view take(uint64_t size) {
    if (size > rest_.size()) {
      good_ = false;
      rest_ = {};
      return {};
    }
    const std::string_view taken = rest_.substr(0, size);
    rest_.remove_prefix(size);
    return taken;
  }
  uint64_t number(size_t bytes) {
    const std::string_view digits = take(bytes);
    uint64_t value = 0;
    for (size_t i = digits.size(); i-- > 0;) value = value << 8 | static_cast<uint8_t>(digits[i]);
    return value;
  }
  std::string_view rest_;
  bool good_ = true;
};

enum class FileKind : uint32_t {
  Manifest = 1,  // of a level-1 key: what lowering read, and which objects came of it
  Object = 2,    // one compiled kernel
};

constexpr size_t kSealBytes = 56;  // around a payload
std::string seal(FileKind kind, const Key& key, std::string_view payload);
// The payload inside `file`; nothing if it is not the file that was sealed.
std::optional<std::string_view> unseal(std::string_view file, FileKind kind, const Key& key);
// The kind that the header claims, for listings; false if the file is no container of this version.
bool claimed_kind(std::string_view file, FileKind* out);

}  // namespace asc::runtime::cache
