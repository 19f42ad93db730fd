// SPDX-License-Identifier: Apache-2.0
#include "runtime/deps_paths.h"

#include <algorithm>

#include "base/format.h"

namespace asc::runtime {
namespace {

using Via = lower::Dependency::Via;
using Kind = PathRef::Kind;

void write_ref(cache::ByteWriter& out, const PathRef& ref) {
  out.u8(static_cast<uint8_t>(ref.kind));
  out.u32(ref.index);
}
PathRef read_ref(cache::ByteReader& in) {
  PathRef ref;
  ref.kind = static_cast<Kind>(std::min<uint8_t>(in.u8(), static_cast<uint8_t>(Kind::TypeOfArgument)));
  ref.index = in.u32();
  return ref;
}

}  // namespace

void number_call(const lower::KernelFunction& kernel, const PathArguments& arguments,
                 Identities* identities) {
  identities->number_function(kernel, [](uint32_t) {});
  Encoder encoder(How::Own);
  encoder.identities = identities;
  for (PyObject* argument : arguments)
    if (argument) encoder.add(argument);
}

bool add_read(PyObject* value, Encoder* encoder, cache::Key* content) {
  constexpr cache::Key kNotThere = {0, 1};
  const bool good = !value || encoder->add(value);
  *content = value ? encoder->key() : kNotThere;
  return good;
}

std::string Path::shown() const {
  static constexpr const char* kWords[] = {"global", "builtin", "captured variable",        "attribute",
                                           "item",   "default", "the contents of an object"};
  const char* word = kWords[static_cast<int>(via)];
  if (via == Via::Whole) return word;
  return fmt::format("{} '{}'", word,
                     via == Via::Item ? name.substr(std::min<size_t>(1, name.size())) : name);
}

void Paths::write(cache::ByteWriter& out, bool with_content) const {
  out.u8(exact);
  out.u32(static_cast<uint32_t>(functions.size()));
  for (const PathRef& ref : functions) write_ref(out, ref);
  out.u32(static_cast<uint32_t>(paths.size()));
  for (const Path& path : paths) {
    out.u8(static_cast<uint8_t>(path.via));
    write_ref(out, path.from);
    out.text(path.name);
    if (with_content) out.key(path.content);
  }
}

Paths Paths::read(cache::ByteReader& in) {
  Paths out;
  out.exact = in.u8() != 0;
  for (uint32_t n = in.count(5); n > 0; n--) out.functions.push_back(read_ref(in));
  for (uint32_t n = in.count(30); n > 0; n--) {
    Path& path = out.paths.emplace_back();
    path.via = static_cast<Via>(std::min<uint8_t>(in.u8(), static_cast<uint8_t>(Via::Whole)));
    path.from = read_ref(in);
    path.name = in.text();
    path.content = in.key();
  }
  return out;
}

bool Paths::same_places(const Paths& other) const {
  cache::ByteWriter a, b;
  write(a, false);
  other.write(b, false);
  return a.bytes() == b.bytes();
}

cache::Key Paths::object_key(const cache::Key& manifest) const {
  cache::ByteWriter out;
  out.text("object");
  out.key(manifest);
  write(out, true);
  return cache::hash(out.bytes());
}

}  // namespace asc::runtime
