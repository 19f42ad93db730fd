// SPDX-License-Identifier: Apache-2.0
// Whole numbers that follow the turns of loops and the block: base + sum of factor * symbol, exact in 64
// bits. Internal to passes/overwrites.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "passes/interval.h"

namespace asc::passes {

// A symbol takes every whole number below its count, whatever the others are.
class Symbols {
 public:
  static constexpr int64_t kMostTurns = int64_t{1} << 40;
  uint32_t add(int64_t count) {  // 1..kMostTurns
    counts_.push_back(count);
    return static_cast<uint32_t>(counts_.size() - 1);
  }
  int64_t count(uint32_t symbol) const { return counts_[symbol]; }

 private:
  std::vector<int64_t> counts_;
};

struct Affine {
  static constexpr uint32_t kMostTerms = 6;
  struct Term {
    uint32_t symbol = 0;
    int64_t factor = 0;
    friend bool operator==(const Term&, const Term&) = default;
  };

  int64_t base = 0;
  uint32_t size = 0;
  Term terms[kMostTerms];  // by symbol, no factor 0

  static Affine of(int64_t value) { return {.base = value, .size = 0, .terms = {}}; }
  static Affine of(uint32_t symbol, int64_t factor) {
    return {.base = 0, .size = factor != 0, .terms = {{symbol, factor}}};
  }
  bool single() const { return size == 0; }  // the same for every value of the symbols
  std::span<const Term> all() const { return {terms, size}; }
  friend bool operator==(const Affine& a, const Affine& b) {
    return a.base == b.base && std::ranges::equal(a.all(), b.all());
  }
};

// No value: beyond 64 bits, or more terms than one has room for.
std::optional<Affine> add(const Affine& a, const Affine& b);
std::optional<Affine> scale(const Affine& a, int64_t factor);
inline std::optional<Affine> subtract(const Affine& a, const Affine& b) {
  const std::optional<Affine> minus = scale(b, -1);
  return minus ? add(a, *minus) : std::nullopt;
}
// With one symbol's value put in.
std::optional<Affine> at(const Affine& a, uint32_t symbol, int64_t value);
// Floor division and its remainder by a divisor above 0, where the result has such a form.
std::optional<Affine> divide(const Affine& a, int64_t divisor, const Symbols& symbols);
std::optional<Affine> remainder(const Affine& a, int64_t divisor, const Symbols& symbols);
// The smallest and the largest value.
Interval range_of(const Affine& a, const Symbols& symbols);

// Bytes [at, at + bytes) for every value of the symbols: what one write touches.
struct Footprint {
  Affine at;
  int64_t bytes = 0;
};
// Are all bytes [0, bytes) touched? False where it takes a closer look than at strides and ends. Addresses
// lie within 2^47 bytes of 0.
bool covers(std::vector<Footprint> footprints, const Symbols& symbols, int64_t bytes);

}  // namespace asc::passes
