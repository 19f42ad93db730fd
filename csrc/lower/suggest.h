// SPDX-License-Identifier: Apache-2.0
// "Did you mean": names that are close to a misspelt one, and those for habits of other languages
// (habits.cpp).
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

// What people write here in place of a name of another kernel language, as of `program_id`; empty for others.
std::string habit_hint(std::string_view name);
// Of a name that is not defined: `tl`, `threadIdx`.
std::string other_language_hint(std::string_view name);
// An array of numpy or torch, and what stands for it in a kernel.
bool is_host_array(PyObject* object);
std::string host_array_hint();
// For a Python function that cannot be called with a runtime value: what computes it on the device.
std::string python_call_hint(PyObject* callee);

}  // namespace asc::lower
