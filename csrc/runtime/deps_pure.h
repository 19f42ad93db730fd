// SPDX-License-Identifier: Apache-2.0
// What libraries give that depends on nothing but its arguments. Whatever is not named here may read the
// world outside (clock, files, the process, settings of a library): kernels that it had a part in stay in the
// process.
#pragma once

#include <string_view>

namespace asc::runtime {

bool is_pure_function(std::string_view module, std::string_view name);
bool is_pure_type(std::string_view module, std::string_view name);
// Of the module `sys`: fixed while the version of Python is.
bool is_fixed_in_sys(std::string_view name);
// Reads the program itself, under names or in places that cannot be told: each launch would have to ask anew.
bool reads_the_program(std::string_view module, std::string_view name);
// Tells whether two objects are one.
bool asks_identity(std::string_view module, std::string_view name);
// Attributes by which code sees what is not compared: texts, annotations, frames, hashes.
bool is_introspection(std::string_view attribute);
// Attributes and functions whose answers are compared only where some code asks for them.
bool asks_for_facts(std::string_view name);
// Attributes and functions by which code reads others under names that it makes.
bool reads_by_computed_name(std::string_view name);

}  // namespace asc::runtime
