# SPDX-License-Identifier: Apache-2.0
"""The smallest kernel: launching it shows what is wrong with the settings, and nothing else."""

import asc


@asc.jit
def nothing():
    pass
