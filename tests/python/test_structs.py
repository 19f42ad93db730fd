# SPDX-License-Identifier: Apache-2.0
"""Structs of the user: on the host, as arguments of a kernel, as locals, printed and run."""

import copy
import pickle
import struct as packing

import numpy as np
import pytest
from host_exec import run_printed

import asc
from asc.language.core.struct import Field, Struct, StructField


class Tile(Struct):
    rows = Field(asc.int32, default=2)
    scale = Field(asc.float32, default=0.5)


class Tiling(Struct):
    flag = Field(asc.int8)
    total = Field(asc.int64, default=7)
    tile = StructField(Tile)
    other = StructField(Tile, default=Tile(rows=9))
    last = Field(asc.uint16, default=65535)


class Point(Struct):
    x = Field(asc.int32, default=3)
    y = Field(asc.int32)


# ---- on the host ----


def test_layout_is_the_one_of_c():
    tiling = Tiling(flag=-1, total=1 << 40)
    expected = packing.pack("<b7xqififH6x", -1, 1 << 40, 2, 0.5, 9, 0.5, 65535)
    assert tiling.pack() == expected and len(expected) == 40
    layout = Tiling.ctypes_class
    assert [getattr(layout, f).offset for f in Tiling.struct_fields] == [0, 8, 16, 24, 32]
    assert tiling.addressof() != Tiling(flag=-1).addressof()


def test_fields_are_read_set_and_nested_on_the_host():
    tiling = Tiling(flag=1, tile=Tile(rows=4))
    assert (tiling.tile.rows, tiling.other.rows, tiling.total) == (4, 9, 7)
    tiling.tile.rows = 11
    part = Tile(scale=2.0)
    tiling.other = part
    part.rows = 100  # a copy was made
    assert (tiling.tile.rows, tiling.other.rows, tiling.other.scale) == (11, 2, 2.0)
    local = tiling.create_local()
    local.total = 1
    assert tiling.total == 7 and local != tiling and tiling == tiling.create_local()


@pytest.mark.parametrize("again", [copy.copy, copy.deepcopy, lambda value: pickle.loads(pickle.dumps(value))])
def test_copies_have_memory_of_their_own(again):
    tiling = Tiling(flag=1, tile=Tile(rows=4))
    other = again(tiling)
    assert other == tiling and type(other) is Tiling
    other.tile.rows = 5
    assert (tiling.tile.rows, other.tile.rows) == (4, 5)
    matrix = asc.adv.MatmulType(asc.TPosition.GM, asc.CubeFormat.ND, asc.float16, True)
    assert again(matrix) == matrix and hash(again(matrix)) == hash(matrix)
    assert again(asc.adv.TCubeTiling(m=3, base_k=16)) == asc.adv.TCubeTiling(m=3, base_k=16)


@pytest.mark.parametrize(
    ("make", "kind", "text"),
    [
        (lambda: Tiling(), RuntimeError, "does not have a default value for 'flag'"),
        (lambda: Tile(row=1), RuntimeError, "Tile does not have a field 'row'"),
        (lambda: setattr(Tile(), "row", 1), RuntimeError, "Tile does not have a field 'row'"),
        (lambda: Tile(rows=1 << 31), OverflowError, "field 'rows': 2147483648 is not a value of int32"),
        (lambda: Tile(rows=1.5), TypeError, "field 'rows': 1.5 is not a value of int32"),
        (lambda: Tile(scale=1e39), OverflowError, "is not a value of float32"),
        (lambda: Tiling(flag=1, tile=Point(y=1)), TypeError, "field 'tile': .* is no Tile"),
        (lambda: Field(asc.float16), TypeError, "a field cannot be"),
        (lambda: type("Empty", (Struct,), {}), RuntimeError, "must have at least one field"),
    ],
)
def test_what_a_struct_refuses_on_the_host(make, kind, text):
    with pytest.raises(kind, match=text):
        make()


# ---- in kernels: simulator and host compiler give the same ----


def run_both(kernel, *args, out):
    """The array `out` after a launch; the printed program leaves the same."""
    before = [a.copy() if isinstance(a, np.ndarray) else a for a in args]
    text = kernel[1].compile(*args).text["ascendc"]
    kernel[1](*args)
    printed = run_printed(text, kernel.__name__, "AIV_ONLY", 1, before)
    arrays = [a for a in args if isinstance(a, np.ndarray)]
    for ours, theirs in zip(arrays, printed):
        np.testing.assert_array_equal(ours, theirs)
    return out.copy()


@asc.jit
def read_fields(out: asc.GlobalAddress, tiling: Tiling, scale: asc.GlobalAddress):
    o = asc.GlobalTensor()
    o.set_global_buffer(out)
    s = asc.GlobalTensor()
    s.set_global_buffer(scale)
    o.set_value(0, tiling.flag)
    o.set_value(1, tiling.total)
    o.set_value(2, tiling.tile.rows)
    o.set_value(3, tiling.other.rows)
    o.set_value(4, tiling.last)
    s.set_value(0, tiling.tile.scale)
    s.set_value(1, tiling.other.scale * 2)


def test_a_kernel_reads_the_fields_of_its_argument():
    for values in ({"flag": -5}, {"flag": 127, "total": -(1 << 50), "last": 40000}):
        out, scale = np.zeros(5, np.int64), np.zeros(2, np.float32)
        tiling = Tiling(tile=Tile(rows=-3, scale=0.1), **values)
        run_both(read_fields, out, tiling, scale, out=out)
        assert out.tolist() == [tiling.flag, tiling.total, -3, 9, tiling.last]
        assert scale.tolist() == [np.float32(0.1), 1.0]


def test_values_do_not_specialise_and_classes_do():
    @asc.jit
    def kernel(out: asc.GlobalAddress, point):
        o = asc.GlobalTensor()
        o.set_global_buffer(out)
        o.set_value(0, point.x)

    class Other(Struct):
        y = Field(asc.int32, default=0)
        x = Field(asc.int32, default=5)

    out = np.zeros(1, np.int32)
    for point, misses in ((Point(y=1), 1), (Point(x=-8, y=1), 1), (Other(), 2), (Point(x=4, y=0), 2)):
        kernel[1](out, point)
        assert out[0] == point.x
        assert len(kernel.cache_info()["specialisations"]) == misses


def test_the_host_may_change_its_struct_after_the_launch():
    out, scale = np.zeros(5, np.int64), np.zeros(2, np.float32)
    tiling = Tiling(flag=1)
    for total in (3, 4):
        tiling.total = total
        read_fields[1](out, tiling, scale)
        assert out[1] == total


@asc.jit
def area(point: Point):
    return point.x * point.y


@asc.jit
def move(point: Point, by: int):
    point.x += by
    point.y = point.x * 2


@asc.jit
def local_structs(out: asc.GlobalAddress, given: Point, n: int):
    o = asc.GlobalTensor()
    o.set_global_buffer(out)
    p = Point()
    o.set_value(0, p.x)
    o.set_value(1, p.y)
    p.y = n
    q = p
    q.x = 10
    o.set_value(2, p.x)
    move(p, n)
    o.set_value(3, area(q))
    for i in range(3):
        r = Point(y=i)
        r.x += i
        move(r, r.y)
        o.set_value(4 + i, area(r))
    copy = given.create_local()
    move(copy, 1)
    if n > 2:
        copy.y = 100
    o.set_value(7, copy.x + copy.y)
    o.set_value(8, area(given))


def test_local_structs_are_objects_of_python():
    for n in (2, 5):
        out = np.zeros(9, np.int32)
        run_both(local_structs, out, Point(x=6, y=7), n, out=out)

        def moved(x, by):
            return (x + by) * (x + by) * 2

        assert out[:4].tolist() == [3, 0, 10, moved(10, n)]
        assert out[4:7].tolist() == [moved(3 + i, i) for i in range(3)]
        assert out[7:].tolist() == [7 + (100 if n > 2 else 14), 42]


@asc.jit
def grow(tile: Tile):
    tile.rows += 1


@asc.jit
def nested_structs(out: asc.GlobalAddress, given: Tiling):
    o = asc.GlobalTensor()
    o.set_global_buffer(out)
    t = Tiling(total=given.total, tile=given.tile)
    grow(t.tile)
    t.other.rows += t.tile.rows
    o.set_value(0, t.tile.rows)
    o.set_value(1, t.other.rows)
    t.tile = t.other
    grow(t.other)
    o.set_value(2, t.tile.rows)
    o.set_value(3, t.other.rows)
    o.set_value(4, t.flag + t.last)
    copy = given.tile.create_local()
    grow(copy)
    o.set_value(5, copy.rows - given.tile.rows)


def test_nested_structs():
    out = np.zeros(6, np.int64)
    run_both(nested_structs, out, Tiling(flag=3, tile=Tile(rows=20)), out=out)
    assert out.tolist() == [21, 30, 30, 31, 65535, 1]


def test_a_container_keeps_what_a_field_was():
    @asc.jit
    def kernel(out: asc.GlobalAddress, n: int):
        o = asc.GlobalTensor()
        o.set_global_buffer(out)
        p = Point(x=n)
        kept = [p.x]
        old = p.x
        p.x = 50
        o.set_value(0, kept[0])
        o.set_value(1, old)

    out = np.zeros(2, np.int32)
    run_both(kernel, out, 4, out=out)
    assert out.tolist() == [4, 4]


def test_a_loop_runs_to_what_its_bound_was():
    @asc.jit
    def kernel(out: asc.GlobalAddress, n: int):
        o = asc.GlobalTensor()
        o.set_global_buffer(out)
        p = Point(x=n)
        for i in range(p.x):
            p.x += 1
            o.set_value(i, p.x)

    out = np.zeros(8, np.int32)
    run_both(kernel, out, 4, out=out)
    assert out.tolist() == [5, 6, 7, 8, 0, 0, 0, 0]


@asc.jit
def bump(point: Point):
    point.x += 1
    return point.x


def test_a_field_is_read_where_it_stands():
    @asc.jit
    def kernel(out: asc.GlobalAddress, n: int):
        o = asc.GlobalTensor()
        o.set_global_buffer(out)
        p = Point(x=n)
        o.set_value(0, p.x * 100 + bump(p))
        o.set_value(1, bump(p) * 100 + p.x)
        o.set_value(2, min(p.x, bump(p)) + max(bump(p), p.x))
        p.x, p.y = p.y, p.x
        o.set_value(3, p.x * 100 + p.y)

    out = np.zeros(4, np.int32)
    run_both(kernel, out, 4, out=out)
    assert out.tolist() == [405, 606, 6 + 8, 8]


def test_a_struct_of_a_base_class_and_reserved_names():
    class Longer(Point):
        double = Field(asc.float64, default=1e-300)
        i = Field(asc.bool_, default=True)

    @asc.jit
    def kernel(out: asc.GlobalAddress, longer: Longer, i: int):
        o = asc.GlobalTensor()
        o.set_global_buffer(out)
        own = Longer(y=i)
        o.set_value(0, longer.x + own.y)
        if longer.i and own.double == longer.double:
            o.set_value(1, longer.y)

    out = np.zeros(2, np.int32)
    run_both(kernel, out, Longer(y=5), 2, out=out)
    assert out.tolist() == [5, 5]
    with pytest.raises(RuntimeError, match="a field cannot be named 'pack'"):
        type("Bad", (Struct,), {"pack": Field(asc.int32)})


OUTSIDE = Point(x=8, y=9)


def test_structs_of_compile_time():
    @asc.jit
    def kernel(out: asc.GlobalAddress, point: asc.ConstExpr[Point]):
        o = asc.GlobalTensor()
        o.set_global_buffer(out)
        o.set_value(0, point.x)
        o.set_value(1, OUTSIDE.y)

    out = np.zeros(2, np.int32)
    for x, y in ((1, 9), (2, 9), (2, 10)):
        OUTSIDE.y = y
        kernel[1](out, Point(x=x, y=0))
        assert out.tolist() == [x, y]
    OUTSIDE.y = 9


@asc.jit
def tiled_add(x: asc.GlobalAddress, y: asc.GlobalAddress, z: asc.GlobalAddress, tile: Tile, block: Point):
    base = asc.get_block_idx() * block.x
    x_gm = asc.GlobalTensor()
    y_gm = asc.GlobalTensor()
    z_gm = asc.GlobalTensor()
    x_gm.set_global_buffer(x + base)
    y_gm.set_global_buffer(y + base)
    z_gm.set_global_buffer(z + base)
    pipe = asc.TPipe()
    inputs = asc.TQue(asc.TPosition.VECIN, 2)
    outputs = asc.TQue(asc.TPosition.VECOUT, 2)
    pipe.init_buffer(que=inputs, num=2, len=2 * block.y * 4)
    pipe.init_buffer(que=outputs, num=2, len=block.y * 4)
    for i in range(tile.rows):
        both = inputs.alloc_tensor(asc.float32)
        asc.data_copy(both, x_gm[i * block.y :], count=block.y)
        asc.data_copy(both[block.y :], y_gm[i * block.y :], count=block.y)
        inputs.enque(both)
        both = inputs.deque(asc.float32)
        total = outputs.alloc_tensor(asc.float32)
        asc.add(total, both, both[block.y :], block.y)
        inputs.free_tensor(both)
        asc.muls(total, total, tile.scale, block.y)
        outputs.enque(total)
        total = outputs.deque(asc.float32)
        asc.data_copy(z_gm[i * block.y :], total, count=block.y)
        outputs.free_tensor(total)


def test_a_tiled_kernel_of_many_cores():
    x = np.arange(8 * 3 * 64, dtype=np.float32)
    y = x[::-1].copy()
    z = np.zeros_like(x)
    args = x, y, z, Tile(rows=3, scale=0.25), Point(x=3 * 64, y=64)
    tiled_add[8](*args)
    np.testing.assert_array_equal(z, (x + y) * np.float32(0.25))
    text = tiled_add[8].compile(*args).text["ascendc"]
    printed = run_printed(text, "tiled_add", "AIV_ONLY", 8, [x, y, np.zeros_like(z), *args[3:]])
    np.testing.assert_array_equal(printed[2], z)


# ---- refused ----


def refused(body, message, hint=""):
    with pytest.raises(asc.CompileError, match=message) as error:
        body[1](np.zeros(4, np.int32), Point(y=1), Tiling(flag=0))
    assert hint in error.value.hint


def test_a_struct_argument_is_read_only_wherever_it_goes():
    @asc.jit
    def direct(out: asc.GlobalAddress, point, tiling):
        point.x = 4

    @asc.jit
    def by_alias(out: asc.GlobalAddress, point, tiling):
        p = point
        p.x += 4

    @asc.jit
    def nested(out: asc.GlobalAddress, point, tiling):
        tiling.tile.rows = 1

    @asc.jit
    def outer(p):
        move(p, 1)

    @asc.jit
    def by_helper(out: asc.GlobalAddress, point, tiling):
        outer(point)

    @asc.jit
    def part_by_helper(out: asc.GlobalAddress, point, tiling):
        grow(tiling.tile)

    message = "'{}' is an argument of the kernel: structs arrive read-only from the host"
    names = {
        direct: "point",
        by_alias: "point",
        nested: "tiling",
        by_helper: "point",
        part_by_helper: "tiling",
    }
    for body, name in names.items():
        refused(body, message.format(name), f"change a copy: local = {name}.create_local()")


def test_what_a_struct_refuses_in_a_kernel():
    @asc.jit
    def no_field(out: asc.GlobalAddress, point, tiling):
        point.z

    @asc.jit
    def set_no_field(out: asc.GlobalAddress, point, tiling):
        p = Point()
        p.z = 1

    @asc.jit
    def made_with_no_field(out: asc.GlobalAddress, point, tiling):
        Point(z=1)

    @asc.jit
    def positional(out: asc.GlobalAddress, point, tiling):
        Point(1)

    @asc.jit
    def other_struct(out: asc.GlobalAddress, point, tiling):
        t = Tiling()
        t.tile = point

    @asc.jit
    def named_part(out: asc.GlobalAddress, point, tiling):
        t = tiling.tile
        out + t.rows

    refused(no_field, "Point has no attribute 'z'")
    refused(set_no_field, "Point has no field 'z'")
    refused(made_with_no_field, "Point does not have a field 'z'")
    refused(positional, "takes its fields by name")
    refused(other_struct, "Point is no Tile")
    refused(named_part, "'t' would be a second name of a part of a struct", "create_local")


# ---- printed text and IR ----


def test_the_printed_struct_and_its_copy():
    text = tiled_add[8].compile(*[np.zeros(1, np.float32)] * 3, Tile(), Point(y=0)).text["ascendc"]
    assert (
        "struct Tile {\n  int32_t rows = 2;\n  float scale = 0.5f;\n};\n"
        'static_assert(sizeof(Tile) == 8, "the host packs 8 bytes");\n'
    ) in text
    assert "__gm__ uint8_t* tile_gm, __gm__ uint8_t* block_gm) {\n  Tile tile;\n" in text
    assert "for (uint32_t i = 0; i < sizeof(tile); i++) {\n" in text


def test_the_ir_text_comes_back():
    compiled = nested_structs[1].compile(np.zeros(6, np.int64), Tiling(flag=3))
    text = compiled.text["ir"]
    assert "struct Tiling" in text
    assert str(asc._asc.parse_ir(text)) == text
