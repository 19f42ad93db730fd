// SPDX-License-Identifier: Apache-2.0
// Which build of the core this is: two that could compile a kernel differently never share an object.
#pragma once

#include <string>

namespace asc::runtime::cache {

// The linker's build id of the file that holds this code, which follows from all that was linked; without
// one, a hash of the file. Empty if neither can be had: then nothing is cached on disk.
const std::string& build_id();

}  // namespace asc::runtime::cache
