// SPDX-License-Identifier: Apache-2.0
// What the driver (driver.cpp) tells a printed kernel about the core that it runs on. C layout: the two are
// compiled apart.
#pragma once

#include <stdint.h>

// By number, as in Space (ops/op_table.h).
enum AscHostSpace : int {
  kHostGM,
  kHostUB,
  kHostL1,
  kHostL0A,
  kHostL0B,
  kHostL0C,
  kHostBT,
  kHostFB,
  kHostSpaces
};

struct AscHostCore {
  uint8_t* memory[kHostSpaces];   // GM: null
  int64_t block, grid;            // of the launch
  int64_t sub_block, sub_blocks;  // vector cores of a block; 0 of 1 on a cube core
  int32_t aic;

  void (*cross_set)(AscHostCore* core, int32_t mode, int32_t id);
  void (*cross_wait)(AscHostCore* core, int32_t id);
  void (*print)(AscHostCore* core, const char* format, ...);
  void (*fail)(AscHostCore* core, const char* format, ...);  // ends the launch; does not return
};
