// SPDX-License-Identifier: Apache-2.0
// What the text of a function says about its names before anything is lowered: which are local, which a
// branch or a loop assigns, and which of those are read later (liveness). Made once a function, from the AST
// alone.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "lower/ast.h"

namespace asc::lower {

class Bits {
 public:
  Bits() = default;
  explicit Bits(size_t words) : words_(words, 0) {}
  bool test(uint32_t i) const { return (words_[i >> 6] >> (i & 63)) & 1; }
  void set(uint32_t i) { words_[i >> 6] |= uint64_t{1} << (i & 63); }
  void reset(uint32_t i) { words_[i >> 6] &= ~(uint64_t{1} << (i & 63)); }
  bool any() const {
    for (uint64_t w : words_)
      if (w) return true;
    return false;
  }
  Bits& operator|=(const Bits& o) {
    for (size_t i = 0; i < words_.size(); i++) words_[i] |= o.words_[i];
    return *this;
  }
  Bits& operator&=(const Bits& o) {
    for (size_t i = 0; i < words_.size(); i++) words_[i] &= o.words_[i];
    return *this;
  }
  friend bool operator==(const Bits&, const Bits&) = default;
  template <class Fn>
  void each(Fn&& fn) const {
    for (size_t i = 0; i < words_.size(); i++)
      for (uint64_t w = words_[i]; w; w &= w - 1) fn(static_cast<uint32_t>(i * 64 + __builtin_ctzll(w)));
  }

 private:
  std::vector<uint64_t> words_;
};

// Of one if, for, while or conditional expression.
struct Construct {
  Bits assigned;  // names that its text assigns
  std::vector<uint32_t>
      join;  // of these, the ones whose value is wanted at the loop's head or behind the construct, ascending
  Bits live_out;   // names that are read behind it
  Bits live_head;  // loops: names that are read at the head of a turn
};

struct Analysis {
  explicit Analysis(const ast::Module& module);

  Bits locals;      // parameters and names that the function assigns, as Python scopes them
  Bits joined;      // names in some construct's `join`
  Bits reassigned;  // names that more than one place assigns, or one in a loop
  const Construct& of(const ast::Node* node) const { return constructs[index[node->id]]; }
  // The first statement or expression in `node` that assigns the name, for messages; null if none.
  static const ast::Node* find_assignment(const ast::Node* node, const ast::Name* name);

  std::vector<int32_t> index;  // by node id: its construct, or -1
  std::vector<Construct> constructs;
};

}  // namespace asc::lower
