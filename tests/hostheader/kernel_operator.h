// SPDX-License-Identifier: Apache-2.0
// Stands for the toolkit's kernel_operator.h where a printed kernel is compiled with the host's C++ compiler
// and run by driver.cpp. Covers the rows of csrc/ops; vector ops come from the rows themselves and compute
// with the simulator's op bodies. One translation unit a shared object; C headers only, for compile time.
//
// Program order is all the order there is: flags and barriers within a core do nothing. Bounds, alignment and
// limits are the simulator's business; here a program is believed.
#pragma once

#include "host_cube.h"
#include "host_ops.h"
#include "host_queue.h"
#include "host_tensor.h"
