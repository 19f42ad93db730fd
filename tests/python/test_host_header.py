# SPDX-License-Identifier: Apache-2.0
"""The stand-in for kernel_operator.h, by programs written out here. No part of asc is needed."""

import re
import subprocess

import host_exec
import numpy as np
import op_reference as ref
import pytest
from test_host_exec import kernel, run

pytestmark = pytest.mark.host

CPP = {
    "float16": "half", "bfloat16": "bfloat16_t", "float32": "float", "int16": "int16_t", "uint16": "uint16_t",
    "int32": "int32_t", "uint32": "uint32_t",
}  # fmt: skip
SHORT = {
    "half": "float16", "bf16": "bfloat16", "float": "float32", "i16": "int16", "u16": "uint16",
    "i32": "int32", "u32": "uint32",
}  # fmt: skip


# ---- vector ops, each at each dtype of its row ----

OPERANDS = {"VecUnary": ("a",), "VecBinary": ("a", "b"), "VecBinaryAcc": ("a", "b"), "VecScalar": ("a", "s"),
            "VecScalarAcc": ("a", "s"), "VecFill": ("s",)}  # fmt: skip


def vector_rows():
    rows = (host_exec.CSRC / "ops/basic/vector.def").read_text(encoding="utf-8")
    for name, py_name, family, dtypes in re.findall(
        r'^ASC_OP\((\w+), (\w+), (\w+), "([^"]*)"', rows, re.MULTILINE
    ):
        variables, words = dtypes.split(":")
        for group in words.split(",") if "U" in variables else words.split():
            pair = group.split()
            yield name, py_name, family, SHORT[pair[0]], SHORT[pair[-1]]


def vector_program(name, family, dtype, source):
    to, of = CPP[dtype], CPP[source]
    operands = OPERANDS[family]
    tensors = [x for x in operands if x != "s"]
    lines = [f"AscendC::GlobalTensor<{to}> z_gm;", "z_gm.SetGlobalBuffer(z);",
             f"AscendC::LocalTensor<{to}> z_local(AscendC::TPosition::VECOUT, 65536, 16384);",
             "AscendC::DataCopy(z_local, z_gm, 16384);"]  # fmt: skip
    for i, x in enumerate(tensors):
        lines += [f"AscendC::GlobalTensor<{of}> {x}_gm;", f"{x}_gm.SetGlobalBuffer({x});",
                  f"AscendC::LocalTensor<{of}> {x}_local(AscendC::TPosition::VECIN, {32768 * i}, 8192);",
                  f"AscendC::DataCopy({x}_local, {x}_gm, 8192);"]  # fmt: skip
    arguments = ["z_local", *(f"{x}_local" if x != "s" else "s" for x in operands), "n"]
    lines += [f"AscendC::{name}({', '.join(arguments)});", "AscendC::DataCopy(z_gm, z_local, 16384);"]
    parameters = [f"__gm__ {to}* z", *(f"__gm__ {of}* {x}" for x in tensors)]
    parameters += [f"{of} s"] if "s" in operands else []
    return kernel(", ".join([*parameters, "int32_t n"]), *lines)


def test_every_vector_row_against_numpy():
    rows = list(vector_rows())
    assert len({row[0] for row in rows}) == len(ref.OPS)
    kernels = host_exec.compile_batch(
        vector_program(name, family, to, of) for name, _, family, to, of in rows
    )
    for (_, py_name, family, dtype, source), compiled in zip(rows, kernels):
        for case in ref.cases(py_name, dtype, source):
            assert case.count <= 8192
            z = np.zeros(16384, ref.storage(dtype))
            z[: case.count] = case.old_dst
            inputs = [np.resize(x, 8192) for x in case.sources]
            scalar = [case.scalar] if "s" in OPERANDS[family] else []
            if scalar and source == "bfloat16":
                scalar = [np.uint32(int(case.scalar) << 16).view(np.float32)]
            result = compiled.run("AIV_ONLY", 1, [z, *inputs, *scalar, case.count]).arrays[0]
            ref.check(case, result[: case.count])
            np.testing.assert_array_equal(result[case.count :], z[case.count :])


# ---- memories, tensors, copies ----


def test_count_copies_move_whole_blocks():
    text = kernel(
        "__gm__ half* x, __gm__ half* y, int32_t n",
        "AscendC::GlobalTensor<half> x_gm;",
        "AscendC::GlobalTensor<half> y_gm;",
        "x_gm.SetGlobalBuffer(x);",
        "y_gm.SetGlobalBuffer(y);",
        "AscendC::LocalTensor<half> local(AscendC::TPosition::VECIN, 0, 1024);",
        "AscendC::LocalTensor<half> other(AscendC::TPosition::VECCALC, 2048, 1024);",
        "AscendC::DataCopy(local, x_gm, n);",
        "AscendC::PipeBarrier<PIPE_ALL>();",
        "AscendC::DataCopy(other, local, n);",
        "AscendC::DataCopy(y_gm, other, n);",
    )
    x = np.arange(64, dtype=np.float16)
    compiled = host_exec.compile_printed(text)
    for n in (0, 15, 16, 17, 47, 64):
        y = compiled.run("AIV_ONLY", 1, [x, np.full(64, -1, np.float16), n]).arrays[1]
        np.testing.assert_array_equal(y, np.where(np.arange(64) < n // 16 * 16, x, np.float16(-1)))


def test_memory_nobody_wrote_holds_poison_on_every_core():
    text = kernel(
        "__gm__ uint32_t* y",
        "AscendC::GlobalTensor<uint32_t> y_gm;",
        "y_gm.SetGlobalBuffer(y + AscendC::GetBlockIdx() * 8, 8);",
        "AscendC::LocalTensor<uint32_t> local(AscendC::TPosition::VECIN, 64, 8);",
        "AscendC::DataCopy(y_gm, local, 8);",
        "AscendC::Duplicate(local, static_cast<uint32_t>(1), 8);",
    )
    assert (run(text, np.zeros(24, np.uint32), grid=3).arrays[0] == 0xFFADFFAD).all()


def test_sizes_views_and_scalar_access():
    text = kernel(
        "__gm__ int64_t* y, __gm__ half* h, __gm__ bfloat16_t* b, __gm__ bool* t, bool flag, int64_t wide",
        "AscendC::GlobalTensor<int64_t> y_gm;",
        "y_gm.SetGlobalBuffer(y, 32);",
        "AscendC::LocalTensor<float> local(AscendC::TPosition::VECCALC, 64, 48);",
        "AscendC::LocalTensor<float> part = local[8];",
        "y_gm.SetValue(0, y_gm.GetSize());",
        "y_gm.SetValue(1, y_gm[8].GetSize());",
        "y_gm.SetValue(2, part.GetSize());",
        "y_gm.SetValue(3, part.GetLength());",
        "y_gm.SetValue(4, part.ReinterpretCast<half>().GetSize());",
        "y_gm.SetValue(5, part.GetPosition() == static_cast<int32_t>(AscendC::TPosition::VECCALC));",
        "part.SetSize(5);",
        "y_gm.SetValue(6, part.GetSize());",
        "part.SetValue(1, -1.5f);",
        "y_gm.SetValue(7, local.ReinterpretCast<uint16_t>().GetValue(19));",
        "uint64_t begin = reinterpret_cast<uint64_t>(local.GetPhyAddr());",
        "y_gm.SetValue(8, reinterpret_cast<uint64_t>(part.GetPhyAddr(2)) - begin);",
        "y_gm.SetValue(9, y_gm.GetPhyAddr(3) - y);",
        "y_gm[10].SetValue(1, wide);",
        "y_gm.SetValue(12, flag ? 7 : 8);",
        "AscendC::GlobalTensor<half> h_gm;",
        "h_gm.SetGlobalBuffer(h);",
        "h_gm.SetValue(1, h_gm.GetValue(0) + 0.5f);",
        "AscendC::GlobalTensor<bfloat16_t> b_gm;",
        "b_gm.SetGlobalBuffer(b);",
        "b_gm.SetValue(1, AscendC::ToBfloat16(AscendC::ToFloat(b_gm.GetValue(0)) * 3.0f));",
        "AscendC::GlobalTensor<bool> t_gm;",
        "t_gm.SetGlobalBuffer(t);",
        "t_gm.SetValue(0, !t_gm.GetValue(1));",
    )
    h, b = np.array([2.25, 0], np.float16), np.array([0x3F80, 0], np.uint16)
    done = run(text, np.zeros(32, np.int64), h, b, np.array([False, False]), True, -(2**40))
    y, h, b, t = done.arrays
    assert y[:13].tolist() == [32, 32, 40, 160, 80, 1, 5, 0xBFC0, 40, 3, 0, -(2**40), 7]
    assert h[1] == 2.75 and b[1] == 0x4040 and t.tolist() == [True, False]


# ---- queues ----

QUEUES = """namespace {

using Queue = AscendC::TQue<AscendC::TPosition::VECIN, 2>;

__aicore__ inline void copy_in(Queue& in, AscendC::GlobalTensor<float> x_gm, int32_t i) {
  AscendC::LocalTensor<float> tile = in.AllocTensor<float>();
  AscendC::DataCopy(tile, x_gm[i * 64], 64);
  in.EnQue(tile);
}

}  // namespace

"""


def test_queues_and_buffers():
    text = kernel(
        "__gm__ float* x, __gm__ float* y, __gm__ int32_t* log, int32_t tiles",
        "AscendC::TPipe pipe;",
        "AscendC::TQue<AscendC::TPosition::VECIN, 2> in;",
        "AscendC::TQue<AscendC::TPosition::VECOUT, 1> out;",
        "AscendC::TBuf<AscendC::TPosition::VECCALC> one;",
        "pipe.InitBuffer(in, 2, 250);",
        "pipe.InitBuffer(out, 1, 256);",
        "pipe.InitBuffer(one, 256);",
        "AscendC::GlobalTensor<float> x_gm;",
        "AscendC::GlobalTensor<float> y_gm;",
        "x_gm.SetGlobalBuffer(x);",
        "y_gm.SetGlobalBuffer(y);",
        "AscendC::LocalTensor<float> ones = one.Get<float>();",
        "log[0] = ones.GetSize();",
        "log[1] = one.Get<float>(8).GetSize();",
        "AscendC::Duplicate(ones, 1.0f, 64);",
        "copy_in(in, x_gm, 0);",
        "for (int32_t i = 0; i < tiles; i++) {",
        "  if (i + 1 < tiles) {",
        "    copy_in(in, x_gm, i + 1);",
        "  }",
        "  log[2 + i] = in.GetTensorCountInQue() * 100 + in.VacantInQue() * 10 + in.HasIdleBuffer();",
        "  AscendC::LocalTensor<float> tile = in.DeQue<float>();",
        "  AscendC::LocalTensor<float> sum = out.AllocTensor<float>();",
        "  AscendC::Add(sum, tile, ones, 64);",
        "  out.EnQue(sum);",
        "  in.FreeTensor(tile);",
        "  AscendC::LocalTensor<float> ready = out.DeQue<float>();",
        "  AscendC::DataCopy(y_gm[i * 64], ready, 64);",
        "  out.FreeTensor(ready);",
        "}",
        "AscendC::LocalTensor<half> again = in.AllocTensor<half>();",
        "uint64_t first = reinterpret_cast<uint64_t>(again.GetPhyAddr());",
        "log[6] = reinterpret_cast<uint64_t>(ones.GetPhyAddr()) - first;",
        "log[7] = pipe.AllocEventID<AscendC::HardEvent::V_S>();",
        "log[7] += 10 * pipe.AllocEventID<AscendC::HardEvent::V_S>();",
        "pipe.ReleaseEventID<AscendC::HardEvent::V_S>(0);",
        "log[8] = pipe.FetchEventID<AscendC::HardEvent::V_S>();",
        "log[9] = in.HasTensorInQue();",
        before=QUEUES,
    )
    x = np.arange(256, dtype=np.float32)
    _, y, log = run(text, x, np.zeros_like(x), np.zeros(16, np.int32), 4).arrays
    np.testing.assert_array_equal(y, x + 1)
    # The fifth tile of two buffers lies in the first again; 2 * 256 and 256 bytes come before the TBuf.
    assert log[:10].tolist() == [64, 8, 200, 200, 200, 111, 768, 10, 0, 0]


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("in.DeQue<float>();", "empty queue"),
        ("in.AllocTensor<float>(); in.AllocTensor<float>();", "none of 1 buffers is free"),
    ],
)
def test_misused_queues_are_told(line, message):
    text = kernel(
        "__gm__ float* x",
        "AscendC::TPipe pipe;",
        "AscendC::TQue<AscendC::TPosition::VECIN, 1> in;",
        "pipe.InitBuffer(in, 1, 256);",
        line,
    )
    with pytest.raises(host_exec.HostError, match=message):
        run(text, np.zeros(8, np.float32))


# ---- cube ----


@pytest.mark.parametrize(("m", "k", "n"), [(16, 16, 16), (32, 48, 16), (20, 32, 24)])
@pytest.mark.parametrize("more", ["", "relu"])
def test_matrix_product_from_fractals_to_rows(m, k, n, more):
    m1, n1 = -(-m // 16), -(-n // 16)
    text = kernel(
        "__gm__ half* a, __gm__ half* b, __gm__ float* c",
        "AscendC::GlobalTensor<half> a_gm;",
        "AscendC::GlobalTensor<half> b_gm;",
        "AscendC::GlobalTensor<float> c_gm;",
        "a_gm.SetGlobalBuffer(a);",
        "b_gm.SetGlobalBuffer(b);",
        "c_gm.SetGlobalBuffer(c);",
        "AscendC::LocalTensor<half> l1(AscendC::TPosition::A1, 1024, 8192);",
        "AscendC::LocalTensor<half> l0a(AscendC::TPosition::A2, 0, 8192);",
        "AscendC::LocalTensor<half> l0b(AscendC::TPosition::B2, 0, 8192);",
        "AscendC::LocalTensor<float> l0c(AscendC::TPosition::CO1, 0, 8192);",
        f"AscendC::LoadData(l1, a_gm, AscendC::LoadData2DParams(0, {m1 * k // 16}, 1, 0, 0, false, 0));",
        f"AscendC::LoadData(l0a, l1, AscendC::LoadData2DParams(0, {m1 * k // 16}, 1, 0, 0, false, 0));",
        f"AscendC::LoadData(l0b, b_gm, AscendC::LoadData2DParams(0, {k * n1 // 16}, 1, 0, 0, true, 0));",
        f"AscendC::MmadParams params({m}, {n}, {k}, 0, false, true);",
        "AscendC::Mmad(l0c, l0a, l0b, params);",
        "params.cmatrixInitVal = false;",
        "AscendC::Mmad(l0c, l0a, l0b, params);",
        f"AscendC::FixpipeParamsV220 rows({n}, {m}, {m1 * 16}, {n + 3}, {str(bool(more)).lower()});",
        "AscendC::Fixpipe(c_gm, l0c, rows);",
    )
    rng = np.random.default_rng(ref.default_seed())
    a, b = rng.normal(size=(m, k)).astype(np.float16), rng.normal(size=(k, n)).astype(np.float16)
    zz, zn = ref.to_fractals(a, "zz"), ref.to_fractals(b, "zn")
    turned = np.ascontiguousarray(zn.reshape(-1, 16, 16).transpose(0, 2, 1)).reshape(-1)
    c = (
        run(text, zz, turned, np.full(m * (n + 3), -7, np.float32), kernel_type="AIC_ONLY")
        .arrays[2]
        .reshape(m, n + 3)
    )
    once = ref.mmad(a, b)
    twice = once.copy()
    for i in range(k):
        twice = twice + a[:, i : i + 1].astype(np.float32) * b[i : i + 1].astype(np.float32)
    np.testing.assert_array_equal(c[:, :n], np.maximum(twice, 0) if more else twice)
    assert (c[:, n:] == -7).all()


def test_int8_matrices_accumulate_in_int32_and_saturate():
    text = kernel(
        "__gm__ int8_t* a, __gm__ int8_t* b, __gm__ int32_t* c, int32_t turns",
        "AscendC::GlobalTensor<int8_t> a_gm;",
        "AscendC::GlobalTensor<int8_t> b_gm;",
        "AscendC::GlobalTensor<int32_t> c_gm;",
        "a_gm.SetGlobalBuffer(a);",
        "b_gm.SetGlobalBuffer(b);",
        "c_gm.SetGlobalBuffer(c);",
        "AscendC::LocalTensor<int8_t> l0a(AscendC::TPosition::A2, 0, 512);",
        "AscendC::LocalTensor<int8_t> l0b(AscendC::TPosition::B2, 0, 512);",
        "AscendC::LocalTensor<int32_t> l0c(AscendC::TPosition::CO1, 0, 256);",
        "AscendC::LoadData(l0a, a_gm, AscendC::LoadData2DParams(0, 1, 1, 0, 0, false, 0));",
        "AscendC::LoadData(l0b, b_gm, AscendC::LoadData2DParams(0, 1, 1, 0, 0, false, 0));",
        "for (int32_t i = 0; i < turns; i++) {",
        "  AscendC::Mmad(l0c, l0a, l0b, AscendC::MmadParams(16, 16, 32, 0, false, i == 0));",
        "}",
        "AscendC::Fixpipe(c_gm, l0c, AscendC::FixpipeParamsV220(16, 16, 16, 16, false));",
    )
    rng = np.random.default_rng(3)
    a, b = (rng.integers(-128, 128, shape).astype(np.int8) for shape in ((16, 32), (32, 16)))
    a[0], b[:, 0], b[:, 1] = -128, -128, 127
    product = a.astype(np.int64) @ b.astype(np.int64)
    inputs = [ref.to_fractals(a, "zz"), ref.to_fractals(b, "zn"), np.zeros((16, 16), np.int32)]
    compiled = host_exec.compile_printed(text)
    np.testing.assert_array_equal(compiled.run("AIC_ONLY", 1, [*inputs, 1]).arrays[2], product)
    c = compiled.run("AIC_ONLY", 1, [*inputs, 5000]).arrays[2]
    assert c[0, 0] == 2**31 - 1 and c[0, 1] == -(2**31)
    np.testing.assert_array_equal(c[1:, 2:], np.clip(product * 5000, -(2**31), 2**31 - 1)[1:, 2:])


def test_a_load_strides_and_gaps_in_fractals():
    text = kernel(
        "__gm__ int8_t* x, __gm__ int8_t* y",
        "AscendC::GlobalTensor<int8_t> x_gm;",
        "x_gm.SetGlobalBuffer(x);",
        "AscendC::LocalTensor<int8_t> l1(AscendC::TPosition::B1, 0, 4096);",
        "for (int32_t i = 0; i < 4096; i++) {",
        "  l1.SetValue(i, 0);",
        "}",
        "AscendC::LoadData(l1, x_gm, AscendC::LoadData2DParams(7, 3, 2, 0, 1, false, 1));",
        "for (int32_t i = 0; i < 4096; i++) {",
        "  y[i] = l1.GetValue(i);",
        "}",
    )
    x = np.random.default_rng(1).integers(-128, 128, (8, 512)).astype(np.int8)
    y = run(text, x, np.zeros((8, 512), np.int8), kernel_type="AIC_ONLY").arrays[1]
    expected = np.zeros_like(x)
    expected[[0, 2, 4]] = x[[7, 5, 3]]
    np.testing.assert_array_equal(y, expected)


def test_the_header_needs_no_cpp_library():
    """A few lines must compile in about 0.05 s; one header of the C++ library takes four times that."""
    header = str(host_exec.HEADERS / "kernel_operator.h")
    command = [
        host_exec.COMPILER,
        "-std=c++20",
        "-M",
        f"-I{host_exec.HEADERS}",
        f"-I{host_exec.CSRC}",
        header,
    ]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    files = done.stdout.replace("\\\n", " ").split()
    assert len(files) > 5 and not [name for name in files if "/c++/" in name]
