# SPDX-License-Identifier: Apache-2.0
"""Addresses as numbers: stored, loaded, compared, computed with, and used again."""

import numpy as np

import asc


@asc.jit
def far(address, count):
    return address + count


@asc.jit
def numbers(out: asc.GlobalAddress, table: asc.GlobalAddress, reals: asc.GlobalAddress):
    o = asc.GlobalTensor()
    o.set_global_buffer(out, 32)
    t = asc.GlobalTensor()
    t.set_global_buffer(table, 8)
    t.set_value(0, o.get_phy_addr(8))
    t.set_value(1, reals)
    begin: asc.uint64 = o.get_phy_addr()
    local = asc.LocalTensor(asc.int32, asc.TPosition.VECCALC, 64, 64)
    o.set_value(0, o.get_phy_addr(8) == t.get_value(0))
    o.set_value(1, o.get_phy_addr(8) - out)
    o.set_value(2, int(o.get_phy_addr(8)) - int(out))
    o.set_value(3, t.get_value(0) - begin)
    o.set_value(4, (o.get_phy_addr(5) & 7) - o.get_phy_addr() % 8)
    o.set_value(5, out < far(out, 3))
    o.set_value(6, local.get_phy_addr(5) - local.get_phy_addr())
    o.set_value(7, begin == 0)
    o.set_global_buffer(t.get_value(0), 8)
    o.set_value(0, 10)
    o.set_global_buffer(asc.GlobalAddress(t.get_value(0) + 4, asc.int32) + 1)
    o.set_value(0, 20)
    r = asc.GlobalTensor()
    r.set_global_buffer(asc.GlobalAddress(t.get_value(1), asc.float32))
    r.set_value(3, 0.5)
    t.set_value(0, 0)
    t.set_value(1, 1)


CASES = [
    (
        "numbers",
        numbers,
        1,
        lambda: (np.zeros(32, np.int32), np.zeros(8, np.uint64), np.zeros(8, np.float32)),
    ),
]
