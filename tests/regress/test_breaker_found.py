# SPDX-License-Identifier: Apache-2.0
"""What hostile use found: far offsets, aliased strided arrays, compile-time values that change in place."""

import numpy as np
import pytest
from outcomes import findings_of

import asc
from asc.lib.runtime import current_stream

pytestmark = pytest.mark.filterwarnings("ignore::asc.PerformanceWarning")


@asc.jit
def far_set(x: asc.GlobalAddress, y: asc.GlobalAddress, at: int, WAY: asc.ConstExpr[int]):
    gy = asc.GlobalTensor()
    gy.set_global_buffer(y)
    if WAY == 0:
        gy.set_value(at, 1.0)
    elif WAY == 1:
        view = gy[at:]
        view.set_value(0, 1.0)
    elif WAY == 2:
        gy.set_global_buffer(y + at)
        gy.set_value(0, 1.0)
    elif WAY == 3:
        gy.set_global_buffer(y - at)
        gy.set_value(0, 1.0)
    else:
        t = asc.LocalTensor(asc.float32, asc.TPosition.VECOUT, 0, 64)
        asc.duplicate(t, 1.0, 64)
        asc.set_flag(asc.HardEvent.V_MTE3, 0)
        asc.wait_flag(asc.HardEvent.V_MTE3, 0)
        asc.data_copy(gy[at:], t, 64)


@pytest.mark.parametrize("mode", ["check", "fast"])
@pytest.mark.parametrize("way", range(5))
@pytest.mark.parametrize("at", [2**38, 2**44, 2**46, 2**61, 2**62])
def test_a_far_offset_writes_nothing(mode, way, at):
    x, y = np.zeros(8192, np.float32), np.zeros(8192, np.float32)
    (found,) = findings_of(lambda: far_set.options(mode=mode)[1](x, y, at, way))
    assert (found.id, found.buffer) == ("ASC-B102", "y")
    if way == 0:
        assert f"element {at} of 8192" in found.message
    assert not x.any() and not y.any()


def test_a_far_constant_offset():
    @asc.jit
    def kernel(y: asc.GlobalAddress):
        gy = asc.GlobalTensor()
        gy.set_global_buffer(y)
        gy.set_value(2**62, 1.0)
        gy.set_value(2**63, 1.0)

    y = np.zeros(8, np.float32)
    first, second = findings_of(lambda: kernel[1](y))
    assert f"element {2**62} of 8" in first.message
    assert f"element {2**63} of 8" in second.message
    assert not y.any()


def test_a_far_address_does_not_come_back():
    @asc.jit
    def kernel(y: asc.GlobalAddress, n: int):
        gy = asc.GlobalTensor()
        gy.set_global_buffer(y + n - n)
        gy.set_value(0, 1.0)

    y = np.zeros(8, np.float32)
    assert [f.id for f in findings_of(lambda: kernel[1](y, 2**50))] == ["ASC-B102"]
    assert not y.any()
    kernel[1](y, 2**40)  # an address can say this
    assert y[0] == 1.0


@asc.jit
def both(x: asc.GlobalAddress, y: asc.GlobalAddress, n: int):
    a = asc.GlobalTensor()
    a.set_global_buffer(x)
    o = asc.GlobalTensor()
    o.set_global_buffer(y)
    for i in range(n):
        a.set_value(i, a.get_value(i) + 1)
        o.set_value(i, o.get_value(i) + 10)


def test_one_strided_array_twice_is_one_memory():
    b = np.zeros(16, np.int32)
    both[1](b[::2], b[::2], 4)
    assert b.tolist() == [11, 0] * 4 + [0] * 8


def test_halves_of_one_array_are_apart():
    b = np.zeros((4, 4), np.int32)
    both[1](b[:, :2], b[:, 2:], 8)
    assert b.tolist() == [[1, 1, 10, 10]] * 4


@pytest.mark.parametrize(
    "pair",
    [lambda b: (b, b[::2]), lambda b: (b[::-1], b), lambda b: (b[::2], b[2::2]), lambda b: (b[::2], b[::4])],
)
def test_what_a_copy_would_lose_is_refused(pair):
    b = np.zeros(16, np.int32)
    with pytest.raises(TypeError, match="'x' and 'y' share memory"):
        both[1](*pair(b), 4)
    assert not b.any()


def test_strided_tensors_share_as_arrays_do():
    torch = pytest.importorskip("torch")
    b = torch.zeros(16, dtype=torch.int32)
    both[1](b[::2], b[::2], 4)
    assert b.tolist() == [11, 0] * 4 + [0] * 8
    with pytest.raises(TypeError, match="'x' and 'y' share memory"):
        both[1](b, b[::2], 4)


@asc.jit
def add_one(x: asc.GlobalAddress, n: int):
    a = asc.GlobalTensor()
    a.set_global_buffer(x)
    for i in range(n):
        a.set_value(i, a.get_value(i) + 1)


def test_an_output_whose_elements_share_memory_is_refused():
    one = np.zeros(1, np.int32)
    with pytest.raises(TypeError, match="'x'.*the same memory"):
        add_one[1](np.lib.stride_tricks.as_strided(one, (8,), (0,)), 4)
    with pytest.raises(TypeError, match="'x'.*the same memory"):
        add_one[1](np.lib.stride_tricks.as_strided(np.zeros(8, np.int32), (3, 3), (8, 4)), 4)
    assert not one.any()


SCALE = np.float32(2)
TABLE = np.arange(4)
NESTED = [np.int64(3), {"table": np.arange(3.0)}]


@asc.jit
def reads_numpy(x: asc.GlobalAddress):
    a = asc.GlobalTensor()
    a.set_global_buffer(x)
    a.set_value(0, float(SCALE))
    a.set_value(1, float(TABLE[1]))
    a.set_value(2, float(NESTED[0]))
    a.set_value(3, float(NESTED[1]["table"][0]))


def test_numpy_values_are_compared_by_content(monkeypatch):
    z = np.zeros(4, np.float32)

    def misses():
        before = reads_numpy.cache_info()["misses"]
        reads_numpy[1](z)
        return reads_numpy.cache_info()["misses"] - before

    misses()
    assert misses() == 0 and z.tolist() == [2, 1, 3, 0]
    monkeypatch.setitem(globals(), "TABLE", TABLE.copy())
    monkeypatch.setitem(globals(), "SCALE", np.float32(2))
    assert misses() == 0
    TABLE[1] = 7
    NESTED[1]["table"][0] = -0.0
    assert misses() == 1 and z.tolist() == [2, 7, 3, 0] and np.signbit(z[3])
    assert misses() == 0
    monkeypatch.setitem(globals(), "SCALE", np.float64(2))
    assert misses() == 1


@asc.jit
def takes_container(x: asc.GlobalAddress, C: asc.ConstExpr):
    a = asc.GlobalTensor()
    a.set_global_buffer(x)
    a.set_value(0, C[0])


def test_containers_that_hold_themselves_or_are_nested_too_deeply():
    z = np.zeros(4, np.int32)
    first, second = [1], [2]
    first.append(first)
    second.append(second)
    for cyclic in (first, second, first):
        takes_container[1](z, cyclic)
        assert z[0] == cyclic[0]
    deep = [1]
    for _ in range(100000):
        deep = [1, deep]
    with pytest.raises(RecursionError):
        for _ in range(2):
            takes_container[1](z, deep)
    takes_container.options()[1](z, [5, [6]])
    assert z[0] == 5


def test_what_is_no_stream_or_grid():
    with pytest.raises(TypeError, match="grids are one-dimensional"):
        add_one[8, 1, 1]
    for wrong in ("a", b"a", 1, [1], (1,), {}, int):
        with pytest.raises(
            TypeError, match="the stream is .*; expected None, a stream of|the second item is a stream"
        ):
            add_one[8, wrong]
    add_one[8, None]
    add_one[8, current_stream()]


def test_a_list_for_an_array():
    with pytest.raises(TypeError, match="pass a numpy array or torch tensor"):
        add_one[1]([1, 2], 1)


def test_no_findings_at_most_is_no_setting():
    with pytest.raises(ValueError, match="max_findings=0 is not valid; expected a whole number, 1 or more"):
        add_one.options(max_findings=0)
    with pytest.raises(ValueError, match="timeout=nan"):
        add_one.options(timeout="nan")


def test_a_queue_needs_local_memory_and_buffers():
    def of(position, count, size):
        @asc.jit
        def kernel(n: int):
            pipe = asc.TPipe()
            queue = asc.TQue(position, 1)
            pipe.init_buffer(queue, count, size)

        return [(f.id, f.message) for f in findings_of(lambda: kernel[1](1))]

    ((id, message),) = of(asc.TPosition.GM, 1, 1024)
    assert id == "ASC-L106" and "cannot lie in GM" in message
    assert [id for id, _ in of(asc.TPosition.VECIN, 0, 1024)] == ["ASC-Q113"]
    assert [id for id, _ in of(asc.TPosition.VECIN, 1, 0)] == ["ASC-Q113"]
    assert of(asc.TPosition.VECIN, 1, 32) == []


def test_two_operands_with_the_same_fault_are_two_findings():
    @asc.jit
    def kernel(n: int):
        c = asc.LocalTensor(asc.float32, asc.TPosition.CO1, 0, 256)
        a = asc.LocalTensor(asc.float16, asc.TPosition.A2, 0, 256)
        b = asc.LocalTensor(asc.float16, asc.TPosition.B2, 0, 256)
        for _ in range(n):
            asc.mmad(c, b, a, asc.MmadParams(16, 16, 16))

    found = findings_of(lambda: kernel[1](2))
    assert [(f.id, f.count) for f in found] == [("ASC-L106", 2), ("ASC-L106", 2)]
    assert "fm lies in L0B" in found[0].message and "filter lies in L0A" in found[1].message


def test_endless_text_is_cut(capsys):
    @asc.jit
    def kernel(n: int):
        for i in range(n):
            print("0123456789" * 10, i)

    kernel[1](100000)
    text = capsys.readouterr().out
    assert 4 << 20 < len(text) < 5 << 20
    assert text.endswith("prints more than 4 MiB: cut)\n")
