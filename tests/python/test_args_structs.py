# SPDX-License-Identifier: Apache-2.0
"""The layout of structs is C's: random structs, nested, against the host's compiler."""

import ctypes
import os
import random
import subprocess

import numpy as np
import pytest

import asc
from asc.language.core.struct import Field, Struct, StructField

pytestmark = pytest.mark.host

CPP = {
    "bool": "bool", "int8": "int8_t", "int16": "int16_t", "int32": "int32_t", "int64": "int64_t",
    "uint8": "uint8_t", "uint16": "uint16_t", "uint32": "uint32_t", "uint64": "uint64_t",
    "float32": "float", "float64": "double",
}  # fmt: skip


def random_structs(rng, count):
    made = []
    for index in range(count):
        fields = {}
        for f in range(rng.randint(1, 7)):
            if made and rng.random() < 0.3:
                fields[f"f{f}"] = StructField(rng.choice(made))
            else:
                fields[f"f{f}"] = Field(asc.DataType(rng.choice(list(CPP))), default=0)
        made.append(type(f"S{index}", (Struct,), fields))
    return made


def cpp_of(cls):
    lines = [
        f"  {f.struct_cls.__name__ if isinstance(f, StructField) else CPP[f.dtype.name]} {name};"
        for name, f in cls.struct_fields.items()
    ]
    return f"struct {cls.__name__} {{\n" + "\n".join(lines) + "\n};\n"


def test_size_and_offsets(tmp_path):
    structs = random_structs(random.Random(5), 60)
    text = "#include <cstddef>\n#include <cstdint>\n#include <cstdio>\n" + "".join(map(cpp_of, structs))
    text += "int main() {\n"
    for cls in structs:
        offsets = "".join(f", offsetof({cls.__name__}, {name})" for name in cls.struct_fields)
        text += (
            f'  std::printf("%zu{" %zu" * len(cls.struct_fields)}\\n", sizeof({cls.__name__}){offsets});\n'
        )
    (tmp_path / "layout.cpp").write_text(text + "}\n")
    compiler = os.environ.get("CXX", "c++")
    subprocess.run(
        [compiler, "-Wno-invalid-offsetof", "-o", tmp_path / "layout", tmp_path / "layout.cpp"], check=True
    )
    printed = subprocess.run(
        [tmp_path / "layout"], capture_output=True, text=True, check=True
    ).stdout.splitlines()
    for cls, line in zip(structs, printed, strict=True):
        size, *offsets = map(int, line.split())
        name, told_size, told = cls.__asc_layout__
        assert (told_size, ctypes.sizeof(cls.ctypes_class), len(cls().pack())) == (size, size, size), name
        assert [field[2] for field in told] == offsets, name


class Inner(Struct):
    flag = Field(asc.bool_, default=False)
    wide = Field(asc.int64, default=0)


class Outer(Struct):
    small = Field(asc.int8, default=0)
    inner = StructField(Inner)
    half = Field(asc.int16, default=0)
    real = Field(asc.float32, default=0.0)


@asc.jit
def unpack(p, out: asc.GlobalAddress, real: asc.GlobalAddress):
    o = asc.GlobalTensor()
    o.set_global_buffer(out)
    r = asc.GlobalTensor()
    r.set_global_buffer(real)
    o.set_value(0, p.small)
    o.set_value(1, p.inner.wide)
    o.set_value(2, 1 if p.inner.flag else 0)
    o.set_value(3, p.half)
    r.set_value(0, p.real)


def test_a_kernel_reads_nested_fields_from_where_the_host_put_them():
    p = Outer(small=-3, half=-300, real=0.5)
    p.inner.wide, p.inner.flag = -(2**40), True
    out, real = np.zeros(4, np.int64), np.zeros(1, np.float32)
    for _ in range(2):
        unpack[1](p, out, real)
        assert out.tolist() == [-3, -(2**40), 1, -300]
        assert real[0] == 0.5
        p.small = -3
    p.half = 12
    unpack[1](p, out, real)
    assert out[3] == 12


def test_a_struct_is_no_array():
    @asc.jit
    def kernel(x: asc.GlobalAddress):
        g = asc.GlobalTensor()
        g.set_global_buffer(x)

    with pytest.raises(TypeError, match=r"kernel\(\) argument 'x': .* takes an array or tensor, got Outer"):
        kernel[1](Outer())
