// SPDX-License-Identifier: Apache-2.0
// "Did you mean": names that are close to a misspelt one.
#pragma once

#include <Python.h>

#include <span>
#include <string>
#include <string_view>

namespace asc::lower {

// The name that is closest to a wrong one; empty if none is close.
std::string closest(std::string_view wrong, std::span<const std::string> names);

// The hint for an attribute that `object` does not have: the closest of its names, or the members of a small
// enum.
std::string did_you_mean(PyObject* object, std::string_view wrong, std::string_view prefix);

}  // namespace asc::lower
