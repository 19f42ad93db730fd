# SPDX-License-Identifier: Apache-2.0
"""The driver of printed programs: cores, text, faults, batches, arguments. No part of asc is needed."""

import host_exec
import numpy as np
import pytest

pytestmark = pytest.mark.host

HEAD = '#include "kernel_operator.h"\n\n'


def kernel(parameters, *lines, name="kernel", before=""):
    body = "".join(f"  {line}\n" for line in lines)
    return f'{HEAD}{before}extern "C" __global__ __aicore__ void {name}({parameters}) {{\n{body}}}\n'


def run(text, *args, kernel_type="AIV_ONLY", grid=1):
    return host_exec.compile_printed(text).run(kernel_type, grid, args)


# ---- cores ----


def test_block_numbers_of_every_kernel_type():
    text = kernel(
        "__gm__ int64_t* log",
        "int64_t at = AscendC::GetBlockIdx() * 4;",
        "if ASCEND_IS_AIC {",
        "  at += 64;",
        "}",
        "log[at] = 1 + AscendC::GetBlockIdx();",
        "log[at + 1] = AscendC::GetBlockNum();",
        "log[at + 2] = AscendC::GetSubBlockIdx();",
        "log[at + 3] = AscendC::GetSubBlockNum();",
    )
    compiled = host_exec.compile_printed(text)
    for kernel_type, (aic, aiv) in host_exec.CORES.items():
        expected = np.zeros((2, 16, 4), np.int64)
        for block in range(3):
            if aic:
                expected[1, block] = [1 + block, 3, 0, 1]
            for sub in range(aiv):
                expected[0, block * aiv + sub] = [1 + block * aiv + sub, 3, sub, aiv]
        log = compiled.run(kernel_type, 3, [np.zeros(128, np.int64)]).arrays[0]
        np.testing.assert_array_equal(log, expected.reshape(-1), kernel_type)


HANDSHAKE = """namespace {

__aicore__ inline void tell(int32_t flag) {
  AscendC::CrossCoreSetFlag<2, PIPE_S>(flag);
}

__aicore__ inline void hear(int32_t flag) {
  AscendC::CrossCoreWaitFlag<2, PIPE_S>(flag);
}

}  // namespace

"""


def test_cube_and_vector_cores_of_a_block_wait_for_each_other():
    text = kernel(
        "__gm__ int32_t* log, int32_t turns",
        "int64_t block = AscendC::GetBlockIdx();",
        "if ASCEND_IS_AIC {",
        "  for (int32_t i = 0; i < turns; i++) {",
        "    hear(3);",
        "    log[block * 8] = log[block * 8] * 3 + log[block * 8 + 1] + log[block * 8 + 2];",
        "    tell(4);",
        "  }",
        "} else {",
        "  block = block / 2;",
        "  int64_t mine = block * 8 + 1 + AscendC::GetSubBlockIdx();",
        "  for (int32_t i = 0; i < turns; i++) {",
        "    log[mine] = mine + i;",
        "    tell(3);",
        "    hear(4);",
        "    log[mine + 3] = log[block * 8] + mine;",
        "  }",
        "}",
        before=HANDSHAKE,
    )
    log = run(text, np.zeros(16, np.int32), 3, kernel_type="MIX_AIC_1_2", grid=2).arrays[0]
    for block in range(2):
        total = 0
        for i in range(3):
            total = total * 3 + 2 * (block * 8) + 3 + 2 * i
        assert log[block * 8] == total
        assert log[block * 8 + 4 : block * 8 + 6].tolist() == [total + block * 8 + 1, total + block * 8 + 2]


@pytest.mark.parametrize("mode", [0, 1])
def test_vector_cores_wait_for_all_of_the_launch_or_of_the_block(mode):
    text = kernel(
        "__gm__ int32_t* log",
        "if ASCEND_IS_AIC {",
        "  return;",
        "}",
        "int64_t me = AscendC::GetBlockIdx();",
        "log[me] = me + 1;",
        f"AscendC::CrossCoreSetFlag<{mode}, PIPE_MTE3>(7);",
        f"AscendC::CrossCoreWaitFlag<{mode}, PIPE_MTE3>(7);",
        "for (int32_t i = 0; i < 4; i++) {",
        "  log[8 + me] += log[i];",
        "}",
    )
    log = run(text, np.zeros(16, np.int32), kernel_type="MIX_AIC_1_2", grid=2).arrays[0]
    # Mode 1: the second core of a block goes on at once, the first at its next turn, when all have begun.
    assert log[8:12].tolist() == ([10, 3, 10, 10] if mode else [10] * 4)


def test_a_deadlock_names_the_cores():
    text = kernel("__gm__ int32_t* x", "AscendC::CrossCoreWaitFlag<2, PIPE_S>(5);")
    with pytest.raises(
        host_exec.HostError, match=r"deadlock: \[block 0, AIC waits for flag 5\] \[block 0, AIV 0 waits"
    ):
        run(text, np.zeros(1, np.int32), kernel_type="MIX_AIC_1_1")


def test_vector_ops_do_nothing_on_a_cube_core():
    text = kernel(
        "__gm__ float* x",
        "AscendC::GlobalTensor<float> x_gm;",
        "x_gm.SetGlobalBuffer(x);",
        "AscendC::LocalTensor<float> local(AscendC::TPosition::VECCALC, 0, 8);",
        "local.SetValue(0, 2.0f);",
        "AscendC::Duplicate(local, 5.0f, 8);",
        "x_gm.SetValue(0, local.GetValue(0));",
    )
    for kernel_type, expected in (("AIC_ONLY", 2), ("AIV_ONLY", 5)):
        assert run(text, np.zeros(8, np.float32), kernel_type=kernel_type).arrays[0][0] == expected


# ---- text, asserts, faults ----


def test_printed_text_comes_in_block_order():
    text = kernel(
        "__gm__ half* x, int64_t n, bool flag",
        'AscendC::printf("block %ld: %f of %ld, %d%%\\n", AscendC::GetBlockIdx(), x[0], n, flag);',
    )
    assert run(text, np.array([1.5], np.float16), -5, True, grid=2).printed == (
        "block 0: 1.500000 of -5, 1%\nblock 1: 1.500000 of -5, 1%\n"
    )


def test_a_failed_assertion_shows_its_text():
    text = kernel(
        "__gm__ int32_t* x",
        "ascendc_assert(x[0] == 1);",
        'ascendc_assert((x[0] < 1), "x is %d, not %d", x[0], 0);',
    )
    with pytest.raises(
        host_exec.HostError, match=r"block 0, AIV 0: assertion failed: .*x\[0\] < 1.*\n.*x is 1, not 0"
    ):
        run(text, np.array([1], np.int32))


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("x[0] = 7 / x[1];", "division by zero"),
        ("x[int64_t{1} << 40] = 1;", "crashed"),
        ("x[8] = 1;", "wrote outside of an array argument of 32 bytes"),
        ("while (x[1] == 0) {\n    x[0] += 1;\n  }", "did not end in time"),
    ],
)
def test_faults_become_errors_and_the_next_run_works(line, message):
    compiled = host_exec.compile_printed(kernel("__gm__ int32_t* x", line))
    with pytest.raises(host_exec.HostError, match=message):
        compiled.run("AIV_ONLY", 1, [np.zeros(8, np.int32)], seconds=0.2)
    fine = kernel("__gm__ int32_t* x", "x[0] = 5;")
    assert run(fine, np.zeros(1, np.int32)).arrays[0][0] == 5


# ---- batches and signatures ----


def test_programs_of_a_batch_do_not_see_each_other():
    helper = (
        "namespace {{\n\nconstexpr int32_t N = {n};\n\n"
        "__aicore__ inline int32_t twice(int32_t x) {{\n  return x * N;\n}}\n\n}}\n\n"
    )
    texts = [kernel("__gm__ int32_t* x", "x[0] = twice(x[0]);", before=helper.format(n=n)) for n in range(5)]
    for n, compiled in enumerate(host_exec.compile_batch(texts)):
        assert compiled.run("AIV_ONLY", 1, [np.array([3], np.int32)]).arrays[0][0] == 3 * n
    assert host_exec.compile_batch([]) == []


def test_a_program_that_does_not_compile_is_named():
    texts = [
        kernel("__gm__ int32_t* x", "x[0] = 1;"),
        kernel("__gm__ int32_t* x", "x[0] = nothing;", name="bad"),
    ]
    with pytest.raises(host_exec.HostError, match=r"program 1: bad:4:10.*nothing"):
        host_exec.compile_batch(texts)


def test_wrong_arguments_are_told():
    text = kernel("__gm__ float* x, uint8_t n", "x[0] = n;")
    assert host_exec.parse_signature(text)[1][1] == host_exec.Parameter("uint8_t", "n", False)
    with pytest.raises(host_exec.HostError, match="float.* the array is int32"):
        run(text, np.zeros(8, np.int32), 1)
    with pytest.raises(host_exec.HostError, match="cannot be 256"):
        run(text, np.zeros(8, np.float32), 256)
    with pytest.raises(host_exec.HostError, match="takes 2 arguments"):
        run(text, np.zeros(8, np.float32))
    with pytest.raises(host_exec.HostError, match="cannot pass"):
        host_exec.parse_signature(kernel("__gm__ Tiling* t"))


def test_arguments_that_overlap_share_their_copy():
    text = kernel("__gm__ int32_t* x, __gm__ int32_t* y", "y[0] = x[2] + 1;", "x[3] = y[1];")
    x = np.arange(8, dtype=np.int32)
    whole, part = run(text, x, x[2:]).arrays
    assert whole.tolist() == [0, 1, 3, 3, 4, 5, 6, 7] and part.tolist() == [3, 3, 4, 5, 6, 7]
    left, right = run(text, x[:6], x[2:]).arrays
    assert left.tolist() == [0, 1, 3, 3, 4, 5] and right.tolist() == [3, 3, 4, 5, 6, 7]
    assert x.tolist() == list(range(8))
