// SPDX-License-Identifier: Apache-2.0
// Arithmetic of affine numbers, and whether the bytes that writes touch leave none out.
#include "passes/affine.h"

#include "ir/scalar.h"

namespace asc::passes {

std::optional<Affine> add(const Affine& a, const Affine& b) {
  Affine sum;
  if (__builtin_add_overflow(a.base, b.base, &sum.base)) return std::nullopt;
  uint32_t i = 0, j = 0;
  while (i < a.size || j < b.size) {
    Affine::Term term;
    if (j == b.size || (i < a.size && a.terms[i].symbol < b.terms[j].symbol)) {
      term = a.terms[i++];
    } else if (i == a.size || b.terms[j].symbol < a.terms[i].symbol) {
      term = b.terms[j++];
    } else {
      term.symbol = a.terms[i].symbol;
      if (__builtin_add_overflow(a.terms[i++].factor, b.terms[j++].factor, &term.factor)) return std::nullopt;
      if (term.factor == 0) continue;
    }
    if (sum.size == Affine::kMostTerms) return std::nullopt;
    sum.terms[sum.size++] = term;
  }
  return sum;
}

std::optional<Affine> scale(const Affine& a, int64_t factor) {
  if (factor == 0) return Affine::of(0);
  Affine product = a;
  if (__builtin_mul_overflow(a.base, factor, &product.base)) return std::nullopt;
  for (uint32_t i = 0; i < a.size; i++)
    if (__builtin_mul_overflow(a.terms[i].factor, factor, &product.terms[i].factor)) return std::nullopt;
  return product;
}

std::optional<Affine> at(const Affine& a, uint32_t symbol, int64_t value) {
  for (const Affine::Term& term : a.all()) {
    int64_t part = 0;
    if (term.symbol != symbol) continue;
    if (__builtin_mul_overflow(term.factor, value, &part)) return std::nullopt;
    const std::optional<Affine> rest = subtract(a, Affine::of(symbol, term.factor));
    return rest ? add(*rest, Affine::of(part)) : std::nullopt;
  }
  return a;
}

std::optional<Affine> divide(const Affine& a, int64_t divisor, const Symbols& symbols) {
  const auto divides = [divisor](const Affine::Term& term) { return term.factor % divisor == 0; };
  if (std::ranges::all_of(a.all(), divides)) {
    Affine quotient = a;
    quotient.base = ir::floor_div(a.base, divisor);
    for (uint32_t i = 0; i < a.size; i++) quotient.terms[i].factor /= divisor;
    return quotient;
  }
  const Interval range = range_of(a, symbols);
  if (range.lo < INT64_MIN || range.hi > INT64_MAX) return std::nullopt;
  const int64_t low = ir::floor_div(static_cast<int64_t>(range.lo), divisor);
  if (low != ir::floor_div(static_cast<int64_t>(range.hi), divisor)) return std::nullopt;
  return Affine::of(low);
}

std::optional<Affine> remainder(const Affine& a, int64_t divisor, const Symbols& symbols) {
  const std::optional<Affine> quotient = divide(a, divisor, symbols);
  const std::optional<Affine> whole = quotient ? scale(*quotient, divisor) : std::nullopt;
  return whole ? subtract(a, *whole) : std::nullopt;
}

// A factor is below 2^63, a count at most 2^40: six products stay far inside 128 bits.
Interval range_of(const Affine& a, const Symbols& symbols) {
  Interval range{a.base, a.base};
  for (const Affine::Term& term : a.all()) {
    const Wide reach = Wide{term.factor} * (symbols.count(term.symbol) - 1);
    (reach < 0 ? range.lo : range.hi) += reach;
  }
  return range;
}

namespace {

// Footprints that differ in nothing but where they begin, and leave no gap between them, are one.
void join_neighbours(std::vector<Footprint>& parts) {
  const auto key = [](const Affine::Term& term) { return std::pair(term.symbol, term.factor); };
  std::ranges::sort(parts, [&](const Footprint& a, const Footprint& b) {
    if (std::ranges::equal(a.at.all(), b.at.all())) return a.at.base < b.at.base;
    return std::ranges::lexicographical_compare(a.at.all(), b.at.all(), {}, key, key);
  });
  size_t kept = 0;
  for (size_t i = 1; i < parts.size(); i++) {
    Footprint& last = parts[kept];
    if (std::ranges::equal(last.at.all(), parts[i].at.all()) && parts[i].at.base <= last.at.base + last.bytes)
      last.bytes = std::max(last.bytes, parts[i].at.base + parts[i].bytes - last.at.base);
    else
      parts[++kept] = parts[i];
  }
  parts.resize(kept + 1);
}

// Puts the symbol with the shortest step into the length, if no step leaves a gap.
bool widen(Footprint& part, const Symbols& symbols) {
  const auto step = [](const Affine::Term& term) { return term.factor < 0 ? -term.factor : term.factor; };
  const auto shortest = std::ranges::min_element(part.at.all(), {}, step);
  if (shortest == part.at.all().end() || step(*shortest) > part.bytes) return false;
  const Affine::Term term = *shortest;
  const int64_t turns = symbols.count(term.symbol) - 1;
  const std::optional<Affine> first = at(part.at, term.symbol, term.factor < 0 ? turns : 0);
  if (!first) return false;
  part.at = *first;
  part.bytes += step(term) * turns;
  return true;
}

}  // namespace

bool covers(std::vector<Footprint> parts, const Symbols& symbols, int64_t bytes) {
  if (bytes <= 0 || parts.empty()) return false;
  bool changed = true;
  while (changed) {
    join_neighbours(parts);
    changed = false;
    for (Footprint& part : parts) changed = widen(part, symbols) || changed;
  }
  return std::ranges::any_of(parts, [bytes](const Footprint& part) {
    return part.at.single() && part.at.base <= 0 && part.at.base + part.bytes >= bytes;
  });
}

}  // namespace asc::passes
