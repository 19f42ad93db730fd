# SPDX-License-Identifier: Apache-2.0
"""Control flow and versions of names: simulator and printed program against Python."""

import pytest
from language_oracle import Cases

import asc

CASES = Cases()
LIMIT = 4


@asc.jit
def out_of(out: asc.GlobalAddress):
    o = asc.GlobalTensor()
    o.set_global_buffer(out)
    return o


@asc.jit
def first_multiple(n: int, d: int) -> int:
    for i in range(1, n):
        if i % d == 0:
            return i
    return -1


@CASES.add([0] * 8, 20)
@asc.jit
def jumps(out: asc.GlobalAddress, n: int):
    o = out_of(out)
    total = 0
    for i in range(n):
        if i == 2:
            continue
        if i == 6:
            break
        total += i
    o.set_value(0, total)
    o.set_value(1, first_multiple(n, 5))
    o.set_value(2, first_multiple(3, 5))


@CASES.add([0] * 8, 5)
@CASES.add([0] * 8, 0)
@CASES.add([0] * 8, -3)
@asc.jit
def while_sees_updates(out: asc.GlobalAddress, n: int):
    o = out_of(out)
    i = 0
    total = 0
    while i < n:
        total += i * i
        i += 1
    else:
        total += 1000
    o.set_value(0, total)
    o.set_value(1, i)


@CASES.add([0] * 8, 3)
@CASES.add([0] * 8, 9)
@asc.jit
def loop_else(out: asc.GlobalAddress, n: int):
    o = out_of(out)
    found = -1
    for i in range(8):
        if i * i > n:
            found = i
            break
    else:
        found = 100
    o.set_value(0, found)
    k = 0
    while k < n:
        k += 1
        if k == 7:
            break
    else:
        k = -k
    o.set_value(1, k)


@CASES.add([0] * 8, 1)
@CASES.add([0] * 8, 2)
@CASES.add([0] * 8, 3)
@asc.jit
def assigned_in_branches(out: asc.GlobalAddress, n: int):
    o = out_of(out)
    if n == 1:
        a = 10
    elif n == 2:
        a = n * 20
    else:
        a = -n
    o.set_value(0, a)
    if n > 1:
        b = a
        c = 1.5
    else:
        b = a + 1
        c = 2.5
    o.set_value(1, b)
    o.set_value(2, int(c * 4.0))


@CASES.add([0] * 8, 4, 2)
@CASES.add([0] * 8, 4, 9)
@asc.jit
def nested(out: asc.GlobalAddress, n: int, m: int):
    o = out_of(out)
    total = 0
    for i in range(n):
        row = 0
        for j in range(i, n):
            if j == m:
                continue
            if (i + j) % 2 == 0:
                row += j
            else:
                row -= 1
        if row < 0:
            break
        total += row * (i + 1)
    o.set_value(0, total)


@CASES.add([0] * 8, 10, 1, -3)
@CASES.add([0] * 8, 1, 10, 4)
@CASES.add([0] * 8, 1, 10, -1)
@asc.jit
def steps(out: asc.GlobalAddress, a: int, b: int, s: int):
    o = out_of(out)
    count = 0
    last = -99
    for i in range(a, b, s):
        count += 1
        last = i
    o.set_value(0, count)
    o.set_value(1, last)
    for i in range(10, 0, -3):
        count += i
    o.set_value(2, count)
    for i in reversed(range(3, 6)):
        count = count * 2 + i
    o.set_value(3, count)


@CASES.add([0] * 8, 5)
@asc.jit
def loop_variable_after(out: asc.GlobalAddress, n: int):
    o = out_of(out)
    for i in range(8):
        if i == n:
            break
    o.set_value(0, i)
    j = 77
    for j in range(n):
        pass
    o.set_value(1, j)
    j = 88
    for j in range(n - 5):
        pass
    o.set_value(2, j)
    for k in range(3):
        k = k * 10
        o.set_value(3 + k // 10, k)


@CASES.add([0] * 8, 5)
@asc.jit
def range_is_fixed_before(out: asc.GlobalAddress, n: int):
    o = out_of(out)
    m = n
    count = 0
    for i in range(m):
        m = m - 1
        count += 1
        i += 100
    o.set_value(0, count)
    o.set_value(1, m)


@CASES.add([0] * 8, 6)
@CASES.add([0] * 8, 0)
@asc.jit
def becomes_float(out: asc.GlobalAddress, n: int):
    o = out_of(out)
    total = 0
    for i in range(n):
        total += 0.5
    o.set_value(0, int(total * 2.0))
    best = 0
    while n > 0:
        n -= 1
        if n % 2:
            best = n * 0.25
    o.set_value(1, int(best * 4.0))


@CASES.add([0] * 8, 3)
@asc.jit
def straight_line_types(out: asc.GlobalAddress, n: int):
    o = out_of(out)
    x = n
    o.set_value(0, x)
    x = x * 0.5
    o.set_value(1, int(x * 2.0))
    x = n + 1
    o.set_value(2, x)
    x = x > 3
    o.set_value(3, 1 if x else 0)
    x = 5
    o.set_value(4, x)
    x = x + n
    o.set_value(5, x)


@CASES.add([0] * 8, 3, 5)
@asc.jit
def swap_and_unpack(out: asc.GlobalAddress, a: int, b: int):
    o = out_of(out)
    a, b = b, a
    o.set_value(0, a * 10 + b)
    a, b = a + b, a - b
    o.set_value(1, a * 100 + b)
    x = y = a + 1
    x += 1
    o.set_value(2, x * 100 + y)
    (p, q), r = (a, b), 7
    p, q, r = r, p, q
    o.set_value(3, p * 10000 + q * 100 + r)
    fib, prev = 1, 0
    for _ in range(a):
        fib, prev = fib + prev, fib
    o.set_value(4, fib)


@CASES.add([0] * 8, 7)
@CASES.add([0] * 8, 2)
@asc.jit
def early_return(out: asc.GlobalAddress, n: int):
    o = out_of(out)
    o.set_value(0, 1)
    if n < 3:
        o.set_value(1, 11)
        return
    for i in range(n):
        if i == 5:
            o.set_value(2, i)
            return
    o.set_value(3, 99)


@CASES.add([0] * 8, 7)
@asc.jit
def static_unrolled(out: asc.GlobalAddress, n: int):
    o = out_of(out)
    total = 0
    for i in asc.static_range(6):
        if i == 1:
            continue
        if i == LIMIT:
            break
        total += n * i
    else:
        total = -1
    o.set_value(0, total)
    for i, (a, b) in enumerate(zip([n, n + 1, n + 2], (10, 20, 30))):
        o.set_value(i + 1, a * b)
    for x in reversed([n, 1]):
        total = total * 3 + x
    o.set_value(4, total)
    o.set_value(5, sum([i * n for i in range(4) if i != 2]))


@CASES.add([0] * 8, 2)
@CASES.add([0] * 8, 0)
@CASES.add([0] * 8, 9)
@asc.jit
def unrolled_runtime_jumps(out: asc.GlobalAddress, n: int):
    o = out_of(out)
    total = 0
    for i in asc.static_range(4):
        if i == n:
            break
        total += i + 1
    else:
        total = -total
    o.set_value(0, total)
    for i in (5, 6, 7):
        if n > 5 and i == 6:
            continue
        total += i
    o.set_value(1, total)
    for i in asc.static_range(5):
        if i > n:
            break
        if i == 1:
            continue
        if n == i:
            total = total * 2
            continue
        total += 100 * i
        if i == 3:
            break
    o.set_value(2, total)
    for j in range(n):
        for i in asc.static_range(3):
            if j == i:
                break
            total += 1
        if j > 5:
            continue
        total += 1000
    o.set_value(3, total)


@CASES.add([0] * 8, 3)
@CASES.add([0] * 8, -3)
@asc.jit
def walrus(out: asc.GlobalAddress, n: int):
    o = out_of(out)
    if (m := n * 2) > 0:
        o.set_value(0, m)
    o.set_value(1, m)
    i = 0
    while (square := i * i) < 20:
        i += 1
    o.set_value(2, square)
    o.set_value(3, n + (n := 5) + n)
    if n > 2 and (k := n * 3) > 4 and (j := k + 1):
        o.set_value(4, k + j)
    while i > 0 and (step := i // 2 + 1):
        i -= step
        o.set_value(5, step)
    o.set_value(6, t + 1 if n > 2 and (t := n) else 0)
    o.set_value(7, 1 if n == None or n != "a" else 0)  # noqa: E711


@CASES.add([3, 1, 2, 5, 4, 0, 9, 8], [0] * 8, 4)
@CASES.add([3, 1, 2, 5, 4, 0, 9, 8], [0] * 8, 100)
@asc.jit
def short_circuit(x: asc.GlobalAddress, out: asc.GlobalAddress, n: int):
    g = asc.GlobalTensor()
    g.set_global_buffer(x, 8)
    o = out_of(out)
    o.set_value(0, 1 if n < 8 and g.get_value(n) > 2 else 0)
    o.set_value(1, 1 if n >= 8 or g.get_value(n) > 100 else 0)
    o.set_value(2, 1 if not (n < 8 and (v := g.get_value(n)) > 0 and v < 10) else 0)
    o.set_value(3, n and 7)
    o.set_value(4, (n - n) or n + 1)
    o.set_value(5, 1 if 0 <= n < 8 <= n + 8 else 0)
    o.set_value(6, g.get_value(n) if n < 8 else -1)


@CASES.add([0] * 8, 3)
@asc.jit
def conditions_of_numbers(out: asc.GlobalAddress, n: int):
    o = out_of(out)
    if n:
        o.set_value(0, 1)
    if not n:
        o.set_value(1, 1)
    if n - 3:
        o.set_value(2, 1)
    while n:
        n -= 1
    o.set_value(3, n)
    x = 1.5
    if x * n:
        o.set_value(4, 1)


@CASES.add([0] * 8, 3)
@CASES.add([0] * 8, 1)
@asc.jit
def endless(out: asc.GlobalAddress, n: int):
    o = out_of(out)
    i = 0
    while True:
        i += n
        if i > 10:
            result = i
            break
    o.set_value(0, result)
    for i in range(1, 100):
        last = i * n
        if last > 20:
            break
    o.set_value(1, last)


@CASES.add([1, 2, 3, 4, 5, 6, 7, 8], [0] * 8, 3)
@asc.jit
def rebound_tensors(x: asc.GlobalAddress, out: asc.GlobalAddress, n: int):
    a = asc.GlobalTensor()
    a.set_global_buffer(x)
    b = asc.GlobalTensor()
    b.set_global_buffer(x + 4)
    o = out_of(out)
    cur = a
    for i in range(n):
        o.set_value(i, cur.get_value(0))
        cur = b if i % 2 == 0 else a
    o.set_value(4, cur.get_value(1))
    if n > 2:
        a, b = b, a
    o.set_value(5, a.get_value(0))
    o.set_value(6, b.get_value(0))
    p = x
    for i in range(n):
        p = p + 1
    c = asc.GlobalTensor()
    c.set_global_buffer(p)
    o.set_value(7, c.get_value(0))


@CASES.add([0] * 8, 2)
@asc.jit
def counters_of_branches(out: asc.GlobalAddress, n: int):
    o = out_of(out)
    state = 0
    seen = False
    for i in range(6):
        if state == 0:
            if i >= n:
                state = 1
        elif state == 1:
            state = 2
            seen = True
        else:
            state = 0
    o.set_value(0, state)
    o.set_value(1, 1 if seen else 0)


@CASES.add([0] * 8, 2)
@asc.jit
def set_in_loop_read_after(out: asc.GlobalAddress, n: int):
    o = out_of(out)
    for i in range(4):
        for j in range(3):
            product = (i + 1) * (j + n)
    o.set_value(0, product)
    k = 0
    for i in range(n):
        k = 5
    o.set_value(1, k)


@pytest.mark.parametrize("index", range(len(CASES.items)), ids=CASES.names)
def test_simulator(index):
    CASES.check_simulator(index)


@pytest.mark.host
def test_printed_programs():
    CASES.check_host()
