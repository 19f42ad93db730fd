// SPDX-License-Identifier: Apache-2.0
#include "runtime/cache_file.h"

#include "base/format.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace asc::runtime::cache {
namespace {

// ORDER: magic, version, kind, key, payload size, checksum, payload. A change of any layout inside raises the
// version.
constexpr std::string_view kMagic = "asc-kern";
constexpr uint32_t kVersion = 1;
constexpr size_t kChecksumAt = 8 + 4 + 4 + 16 + 8, kPayloadAt = kChecksumAt + 16;
static_assert(kPayloadAt == kSealBytes);

Key checksum(std::string_view header, std::string_view payload) {
  XXH3_state_t state;
  XXH3_128bits_reset(&state);
  XXH3_128bits_update(&state, header.data(), header.size());
  XXH3_128bits_update(&state, payload.data(), payload.size());
  const XXH128_hash_t sum = XXH3_128bits_digest(&state);
  return {sum.high64, sum.low64};
}

}  // namespace

std::string Key::hex() const { return fmt::format("{:016x}{:016x}", high, low); }

Key hash(std::string_view bytes) {
  const XXH128_hash_t sum = XXH3_128bits(bytes.data(), bytes.size());
  return {sum.high64, sum.low64};
}

bool parse_key(std::string_view hex, Key* out) {
  if (hex.size() != 32) return false;
  uint64_t parts[2] = {0, 0};
  for (size_t i = 0; i < 32; i++) {
    const char c = hex[i];
    const int digit = c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
    if (digit < 0) return false;
    parts[i / 16] = parts[i / 16] << 4 | static_cast<uint64_t>(digit);
  }
  *out = {parts[0], parts[1]};
  return true;
}

std::string seal(FileKind kind, const Key& key, std::string_view payload) {
  ByteWriter header;
  for (const char c : kMagic) header.u8(static_cast<uint8_t>(c));
  header.u32(kVersion);
  header.u32(static_cast<uint32_t>(kind));
  header.key(key);
  header.u64(payload.size());
  header.key(checksum(header.bytes(), payload));
  std::string file = header.take();
  file += payload;
  return file;
}

bool claimed_kind(std::string_view file, FileKind* out) {
  if (file.size() < kPayloadAt || !file.starts_with(kMagic)) return false;
  ByteReader reader(file.substr(kMagic.size()));
  if (reader.u32() != kVersion) return false;
  *out = static_cast<FileKind>(reader.u32());
  return *out == FileKind::Manifest || *out == FileKind::Object;
}

std::optional<std::string_view> unseal(std::string_view file, FileKind kind, const Key& key) {
  FileKind claimed;
  if (!claimed_kind(file, &claimed) || claimed != kind) return {};
  ByteReader reader(file.substr(kMagic.size() + 8));
  const Key stored = reader.key();
  const uint64_t size = reader.u64();
  const Key sum = reader.key();
  const std::string_view payload = file.substr(kPayloadAt);
  if (stored != key || size != payload.size() || sum != checksum(file.substr(0, kChecksumAt), payload))
    return {};
  return payload;
}

}  // namespace asc::runtime::cache
