// SPDX-License-Identifier: Apache-2.0
// The outside values that a specialisation was lowered from, re-checked at each launch. Needs the GIL.
#pragma once

#include <Python.h>

#include <vector>

#include "lower/lower.h"

namespace asc::runtime {

class Dependencies {
 public:
  Dependencies() = default;
  // Takes the references; keeps copies of values that can change in place.
  explicit Dependencies(std::vector<lower::Dependency> read);
  Dependencies(const Dependencies&) = delete;
  Dependencies& operator=(const Dependencies&) = delete;
  Dependencies(Dependencies&& other) noexcept { read_.swap(other.read_); }
  Dependencies& operator=(Dependencies&& other) noexcept {
    read_.swap(other.read_);
    return *this;
  }
  ~Dependencies();

  // True if every value is still what it was. Never leaves a Python error set: what cannot be read any more
  // has changed.
  bool hold() const;
  // Visits the references held here, for tp_traverse of what owns them.
  int traverse(visitproc visit, void* arg) const;
  // The first that does not hold, as "global 'K'"; empty if all do.
  std::string changed() const;

 private:
  static bool holds(const lower::Dependency& dependency);
  std::vector<lower::Dependency> read_;
};

}  // namespace asc::runtime
