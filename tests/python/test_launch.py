# SPDX-License-Identifier: Apache-2.0
"""Launches: arguments, grids, options, hooks, dry runs, dumps."""

import os
import pathlib

import numpy as np
import pytest

import asc
import asc.runtime
from asc.runtime import config
from asc.runtime.jit import MockTensor, MockValue


@asc.jit
def fill(x: asc.GlobalAddress, n: int, value: float):
    g = asc.GlobalTensor()
    g.set_global_buffer(x)
    for i in range(n):
        g.set_value(i, value)


@asc.jit
def scalars(out: asc.GlobalAddress, a: int, b: bool, c: float):
    o = asc.GlobalTensor()
    o.set_global_buffer(out)
    o.set_value(0, a)
    o.set_value(1, 1 if b else 0)
    o.set_value(2, int(c * 2.0))


@asc.jit
def add_one(x: asc.GlobalAddress, y: asc.GlobalAddress, n: asc.ConstExpr[int]):
    x_gm = asc.GlobalTensor()
    y_gm = asc.GlobalTensor()
    x_gm.set_global_buffer(x)
    y_gm.set_global_buffer(y)
    x_local = asc.LocalTensor(x.dtype, asc.TPosition.VECIN, 0, n)
    y_local = asc.LocalTensor(x.dtype, asc.TPosition.VECOUT, n * x.dtype.sizeof(), n)
    asc.data_copy(x_local, x_gm, n)
    asc.set_flag(asc.HardEvent.MTE2_V, 0)
    asc.wait_flag(asc.HardEvent.MTE2_V, 0)
    asc.adds(y_local, x_local, 1, n)
    asc.set_flag(asc.HardEvent.V_MTE3, 0)
    asc.wait_flag(asc.HardEvent.V_MTE3, 0)
    asc.data_copy(y_gm, y_local, n)


def test_numpy_arrays_are_used_in_place():
    x = np.arange(64, dtype=np.float32)
    y = np.zeros_like(x)
    add_one[1](x, y, 64)
    np.testing.assert_array_equal(y, x + 1)


def test_torch_tensors_are_used_in_place():
    torch = pytest.importorskip("torch")
    x = torch.arange(64, dtype=torch.float16)
    y = torch.zeros_like(x)
    add_one[1](x, y, 64)
    assert torch.equal(y, x + 1)


def test_array_array_and_memoryview():
    import array

    x = array.array("f", range(16))
    y = array.array("f", [0.0] * 16)
    add_one[1](x, memoryview(y), 16)
    assert list(y) == [i + 1.0 for i in range(16)]


def test_strided_arrays_are_seen_in_logical_order():
    base = np.arange(128, dtype=np.float32)
    out = np.zeros(128, np.float32)
    with pytest.warns(asc.PerformanceWarning, match="arguments 'x' and 'y' are not contiguous"):
        add_one[1](base[::2], out[1::2], 64)
    np.testing.assert_array_equal(out[1::2], base[::2] + 1)
    np.testing.assert_array_equal(out[::2], 0)


def test_transposed_torch_tensor():
    torch = pytest.importorskip("torch")
    x = torch.arange(64, dtype=torch.float32).reshape(8, 8)
    y = torch.zeros(8, 8)
    with pytest.warns(asc.PerformanceWarning):
        add_one[1](x.t(), y, 64)
    assert torch.equal(y, x.t() + 1)


def test_scalar_arguments():
    out = np.zeros(8, np.int32)
    scalars[1](out, -7, True, 2.5)
    assert out[:3].tolist() == [-7, 1, 5]
    scalars[1](out, np.int32(9), False, np.float64(-1.5))
    assert out[:3].tolist() == [9, 0, -3]


def test_empty_and_zero_dimensional_arrays():
    empty = np.zeros((0, 4), np.float32)
    fill[1](empty, 0, 1.0)
    fill[1](empty, 0, 1.0)
    scalar = np.zeros((), np.float32)
    fill[1](scalar, 1, 3.0)
    assert float(scalar) == 3.0


@pytest.mark.parametrize(
    ("cores", "error"),
    [(0, ValueError), (-1, ValueError), (1.5, TypeError), (10**9, ValueError), ("8", TypeError)],
)
def test_core_count_is_checked_cold_and_warm(cores, error):
    x = np.zeros(4, np.float32)
    for _ in range(2):
        with pytest.raises(error, match="core count"):
            fill[cores](x, 1, 1.0)
        fill[1](x, 1, 2.0)
    assert x[0] == 2.0


def test_two_dimensional_grids_are_refused():
    with pytest.raises(TypeError, match="one-dimensional"):
        fill[4, 8](np.zeros(4, np.float32), 1, 1.0)


def test_call_without_cores_says_so():
    with pytest.raises(TypeError, match=r"launch it with fill\[cores\]"):
        fill(np.zeros(4, np.float32), 1, 1.0)


def test_grid_function_gets_the_bound_arguments():
    seen = {}

    def grid(arguments):
        seen.update(arguments)
        return 1

    x = np.zeros(4, np.float32)
    fill[grid](x, n=2, value=5.0)
    assert x.tolist() == [5.0, 5.0, 0.0, 0.0]
    assert seen["n"] == 2 and seen["x"] is x
    with pytest.raises(ValueError, match="core count"):
        fill[lambda arguments: 0](x, 1, 1.0)


@pytest.mark.parametrize(
    ("args", "kwargs", "message"),
    [
        ((), {}, r"fill\(\) missing 3 required positional arguments: 'x', 'n', and 'value'"),
        ((1, 2), {}, r"fill\(\) missing 1 required positional argument: 'value'"),
        (
            (1, 2, 3, 4),
            {},
            r"fill\(\) takes 3 positional arguments but 4 were given; argument 4 is left over",
        ),
        ((1, 2, 3), {"n": 1}, r"fill\(\) got multiple values for argument 'n'"),
        ((1, 2), {"nn": 1}, r"fill\(\) got an unexpected keyword argument 'nn'"),
    ],
)
def test_binding_errors_are_pythons(args, kwargs, message):
    with pytest.raises(TypeError, match=message):
        fill[1](*args, **kwargs)


def test_positional_only_parameters_are_pythons():
    @asc.jit
    def kernel(x: asc.GlobalAddress, n: int = 3, /, m: int = 4):
        pass

    x = np.zeros(4, np.float32)
    kernel[1](x, 1, m=2)
    for keyword in ("x", "n"):
        with pytest.raises(TypeError) as pythons:
            kernel.fn(*([x] if keyword == "n" else []), **{keyword: x})
        with pytest.raises(TypeError) as ours:
            kernel[1](*([x] if keyword == "n" else []), **{keyword: x})
        assert str(pythons.value).endswith(str(ours.value))


def test_integers_past_64_bits_are_named():
    with pytest.raises(OverflowError, match=r"fill\(\) argument 'n'"):
        fill[1](np.zeros(4, np.float32), 2**70, 1.0)


def test_big_endian_and_complex_arrays_are_refused_by_name():
    with pytest.raises(TypeError, match=r"argument 'x'.*big-endian"):
        fill[1](np.zeros(4, ">f4"), 1, 1.0)
    with pytest.raises(TypeError, match=r"argument 'x'.*complex64"):
        fill[1](np.zeros(4, np.complex64), 1, 1.0)


def test_read_only_array_that_is_only_read_is_fine():
    x = np.arange(64, dtype=np.float32)
    x.flags.writeable = False
    y = np.zeros(64, np.float32)
    add_one[1](x, y, 64)
    np.testing.assert_array_equal(y, x + 1)


def test_read_only_array_is_not_written():
    x = np.zeros(8, np.float32)
    x.flags.writeable = False
    with pytest.raises(asc.KernelError, match="read-only.*x|x.*read-only"):
        fill[1](x, 1, 4.0)
    assert x[0] == 0


def test_reserved_option_names_are_not_parameters():
    with pytest.raises(RuntimeError, match="stream"):

        @asc.jit
        def clash(x: asc.GlobalAddress, stream: int):
            pass


def test_unknown_option_names_the_known_ones():
    with pytest.raises(TypeError, match=r"unknown option 'colour'.*always_compile"):

        @asc.jit(colour="red")
        def coloured():
            pass


def test_hooks_see_each_launch_and_dry_runs_execute_nothing(monkeypatch):
    records = []
    asc.runtime.launch_hooks.append(records.append)
    try:
        x = np.zeros(4, np.float32)
        fill[2](x, 0, 1.0)
        monkeypatch.setenv("PYASC_DRY_RUN", "1")
        fill[2](x, 4, 1.0)
        fill[2](MockTensor(asc.float32), MockValue(asc.int32), 2.0)
    finally:
        asc.runtime.launch_hooks.clear()
    assert [record.grid for record in records] == [2, 2, 2]
    assert records[0].kernel.__name__ == "fill"
    assert list(records[1].arguments) == ["x", "n", "value"]
    assert "fill" in records[2].compiled.text["ascendc"]
    assert x.tolist() == [0.0] * 4


@pytest.mark.parametrize(
    ("word", "runs"), [("0", True), ("", True), ("false", True), ("No", True), ("OFF", True), ("true", False)]
)
def test_words_for_a_dry_run(monkeypatch, word, runs):
    monkeypatch.setenv("PYASC_DRY_RUN", word)
    x = np.zeros(4, np.float32)
    fill[2](x, 4, 1.0)
    assert x.any() == runs


def test_none_is_the_setting_of_the_layer_below(monkeypatch):
    names = ("mode", "on_finding", "ignore", "max_findings", "threads", "timeout")
    kernel = fill.options(
        mode="check", on_finding="collect", ignore="bounds", max_findings=3, threads=1, timeout=9
    )
    kernel = kernel.options(**dict.fromkeys(names))
    monkeypatch.setenv("PYASC_SIM", "check,on_finding=raise")
    x = np.zeros(4, np.float32)
    with pytest.raises(asc.BoundsError):
        kernel[1](x, 5, 1.0)


def test_mock_arguments_cannot_run():
    with pytest.raises(TypeError, match="mock"):
        fill[1](MockTensor(asc.float32), 1, 1.0)


def test_specialisations_are_found_again():
    kernel = fill.options()
    kernel.clear_cache()
    before = kernel.cache_info()
    x = np.zeros(4, np.float32)
    for value in (1.0, 2.0, 3.0):
        kernel[1](x, 1, value)
    info = kernel.cache_info()
    assert (info["misses"] - before["misses"], info["hits"] - before["hits"]) == (1, 2)
    kernel[1](x.astype(np.float16), 1, 1.0)
    assert kernel.cache_info()["last_miss"].startswith("argument 'x'")


def test_always_compile_keeps_nothing():
    kernel = fill.options()
    kernel.clear_cache()
    kernel[1](np.zeros(4, np.float32), 1, 1.0, always_compile=True)
    assert kernel.cache_info()["specialisations"] == []


def test_compile_gives_every_text_without_launching(tmp_path):
    compiled = add_one[8].compile(MockTensor(asc.float32), MockTensor(asc.float32), 64)
    assert set(compiled.text) == {"ascendc", "ir", "ir.lowered", "bytecode"}
    for name in compiled.text:
        assert "add_one" in compiled.text[name], name
    assert compiled.meta["kernel"] == "add_one"
    assert compiled.meta["kernel_type"] == "AIV_ONLY"
    assert compiled.diagnostics == []
    folder = pathlib.Path(compiled.save(tmp_path))
    assert sorted(os.listdir(folder)) == [
        "ascendc.cpp",
        "bytecode.txt",
        "ir.lowered.txt",
        "ir.txt",
        "meta.json",
    ]


def test_texts_are_saved_to_a_folder_of_any_name(tmp_path):
    compiled = add_one[8].compile(MockTensor(asc.float32), MockTensor(asc.float32), 64)
    plain = compiled.save(tmp_path)
    for name in (b"bytes", b"not UTF-8 \xff"):
        folder = os.path.join(os.fsencode(tmp_path), name)
        for given in (folder, os.fsdecode(folder), pathlib.Path(os.fsdecode(folder))):
            saved = compiled.save(given)
            assert os.fsencode(saved) == os.path.join(folder, os.fsencode(os.path.basename(plain)))
            assert os.path.isfile(os.path.join(saved, "ir.txt"))
    with pytest.raises(TypeError):
        compiled.save(5)


def test_dumps_are_equal_to_the_byte_in_two_processes(tmp_path):
    import subprocess
    import sys

    program = (
        "import sys, numpy as np\n"
        f"sys.path.insert(0, {str(pathlib.Path(__file__).parent)!r})\n"
        "import test_launch as t\n"
        "x = np.arange(64, dtype=np.float32)\n"
        "t.add_one[1](x, np.zeros_like(x), 64)\n"
    )
    contents = []
    for seed in ("1", "2"):
        root = tmp_path / seed
        environment = dict(os.environ, PYASC_DUMP_PATH=str(root), PYTHONHASHSEED=seed)
        subprocess.run([sys.executable, "-c", program], env=environment, check=True)
        contents.append(
            {str(f.relative_to(root)): f.read_bytes() for f in sorted(root.rglob("*")) if f.is_file()}
        )
    assert len(contents[0]) == 5
    assert contents[0] == contents[1]


def test_handles_are_independent():
    @asc.jit
    def who(out: asc.GlobalAddress):
        o = asc.GlobalTensor()
        o.set_global_buffer(out)
        o.set_value(asc.get_block_idx() * 16, asc.get_block_num())

    two, four = who[2], who[4]
    for handle, expected in ((two, [2, 2, 0, 0]), (four, [4, 4, 4, 4])):
        out = np.zeros(64, np.int32)
        handle(out)
        assert out[::16].tolist() == expected


def test_same_array_twice_is_the_same_memory():
    @asc.jit
    def bump(x: asc.GlobalAddress, z: asc.GlobalAddress, n: int):
        gx = asc.GlobalTensor()
        gx.set_global_buffer(x)
        gz = asc.GlobalTensor()
        gz.set_global_buffer(z)
        for i in range(n):
            gz.set_value(i, gx.get_value(i) + 1)
        gx.set_value(0, gz.get_value(0) * 10)

    v = np.arange(4, dtype=np.int32)
    bump[1](v, v, 4)
    assert v.tolist() == [10, 2, 3, 4]
    b = np.arange(6, dtype=np.int32)
    bump[1](b[:4], b[1:5], 4)
    assert b.tolist() == [10, 1, 2, 3, 4, 5]


def test_platforms_are_set_by_name():
    config.set_platform("Model", config.Platform.Ascend910B3)
    try:
        import asc.lib.runtime as rt

        assert rt.get_soc_version() is config.Platform.Ascend910B3
        with pytest.raises(ValueError):
            config.set_platform("Model", "Ascend310")
        with pytest.raises(ValueError):
            config.set_platform("Abacus")
        with pytest.raises(ValueError, match="device 1 does not exist"):
            config.set_platform("Model", "Ascend910B2", 1)
        with pytest.raises(RuntimeError, match="got -1"):
            config.set_platform("Model", "Ascend910B2", -1)
        for wrong in (5, None, "Ascend310", config.Backend.Model):
            with pytest.raises(ValueError, match="unknown platform"):
                rt.set_soc_version(wrong)
        for wrong in (5, "Ascend310", config.Backend.Model):
            with pytest.raises(ValueError, match="unknown platform"):
                asc.set_backend("npu", wrong)
        # What is refused changes nothing.
        assert rt.get_soc_version() is config.Platform.Ascend910B3 and rt.is_model()
    finally:
        config.set_platform("Model")


def test_bfloat16_from_torch():
    torch = pytest.importorskip("torch")

    @asc.jit
    def copy(x: asc.GlobalAddress, y: asc.GlobalAddress):
        x_gm = asc.GlobalTensor()
        y_gm = asc.GlobalTensor()
        x_gm.set_global_buffer(x)
        y_gm.set_global_buffer(y)
        for i in range(8):
            y_gm.set_value(i, x_gm.get_value(i) + x_gm.get_value(i))

    x = torch.linspace(-3, 3, 8).to(torch.bfloat16)
    y = torch.zeros_like(x)
    copy[1](x, y)
    assert torch.equal(y, x + x)


@pytest.mark.parametrize("seconds", ["inf", float("inf"), 1e300, 1e10, 9.3e9])
def test_a_long_time_limit_is_no_short_one(seconds):
    x = np.zeros(4, np.float32)
    fill.options(timeout=seconds)[1](x, 4, 1.0)
    assert x.tolist() == [1.0] * 4


def test_settings_come_from_the_environment(monkeypatch):
    monkeypatch.setenv("PYASC_SIM", "quick")
    with pytest.raises(asc.LaunchError, match="PYASC_SIM.*check or fast"):
        fill[1](np.zeros(4, np.float32), 1, 1.0)
    monkeypatch.setenv("PYASC_SIM", "fast,threads=2")
    x = np.zeros(4, np.float32)
    fill[1](x, 4, 1.0)
    assert x.tolist() == [1.0] * 4


def test_cache_info_tells_what_was_compiled_and_why():
    kernel = add_one.options()
    kernel.clear_cache()
    x, y = np.zeros(64, np.float32), np.zeros(64, np.float32)
    kernel[1](x, y, 64)
    kernel[1](x, y, 32)
    newest, oldest = kernel.cache_info()["specialisations"]
    assert oldest["arguments"] == {"x": "float32 array", "y": "float32 array", "n": 64}
    assert newest["arguments"]["n"] == 32 and newest["why"] == "compile-time argument 'n'"


@pytest.mark.parametrize("how", ["collect", "warn"])
@pytest.mark.filterwarnings("ignore::asc.FindingWarning")
def test_a_finding_known_early_and_found_again_is_one(how):
    @asc.jit(on_finding=how)
    def misaligned(x: asc.GlobalAddress):
        local = asc.LocalTensor(asc.int32, asc.TPosition.VECCALC, 8, 64)
        asc.duplicate(local, 1, 64)

    assert [finding.id for finding in misaligned[1].compile(np.zeros(8, np.int32)).diagnostics] == [
        "ASC-A101"
    ]
    misaligned[1](np.zeros(8, np.int32))
    assert [finding.id for finding in asc.last_findings()] == ["ASC-A101"]
    assert asc.last_findings()[0].core


def test_an_allow_comment_silences_a_finding_known_early():
    @asc.jit
    def misaligned(x: asc.GlobalAddress):
        local = asc.LocalTensor(asc.int32, asc.TPosition.VECCALC, 8, 64)
        asc.duplicate(local, 1, 64)  # asc: allow(alignment): the test wants it

    misaligned[1](np.zeros(8, np.int32))
    assert asc.last_findings() == []
