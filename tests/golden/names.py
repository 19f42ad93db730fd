# SPDX-License-Identifier: Apache-2.0
"""Names that C++ does not allow, versions of one name, specialisations of one helper, text from inside."""

import numpy as np

import asc


@asc.jit
def auto(register):
    return register + register


@asc.jit
def names(half: asc.GlobalAddress, int: int, NULL: float):
    gm = asc.GlobalTensor()
    gm.set_global_buffer(half)
    signed = auto(int)
    gm.set_value(0, signed)
    signed = auto(NULL)
    gm.set_value(1, signed)
    print("signed", signed, "100%", int)
    assert int > 0, f"int is {int}"
    names = signed > 2.0
    gm.set_value(2, 1 if names else 0)


def arguments():
    return [np.zeros(8, np.float32), 21, 1.25]


CASES = [("names", names, 1, arguments)]
