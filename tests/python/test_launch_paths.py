# SPDX-License-Identifier: Apache-2.0
"""Import paths of users' files beside the kernel language: runtime, devices, host side."""

import importlib

import numpy as np
import pytest

import asc
import asc.lib.runtime as rt
from asc.lib import host, runtime
from asc.runtime import config


@pytest.mark.parametrize(
    ("statement", "name"),
    [
        ("import asc.language as thing", "asc.language"),
        ("import asc.lib.host as thing", "asc.lib.host"),
        ("import asc.lib.runtime as thing", "asc.lib.runtime"),
        ("import asc.runtime.config as thing", "asc.runtime.config"),
        ("from asc.lib import host as thing, runtime", "asc.lib.host"),
        ("from asc.runtime import config as thing", "asc.runtime.config"),
        ("from asc.runtime.jit import JITFunction as thing, MockTensor, MockValue", "JITFunction"),
        ("from asc.lib.runtime import CoreType as thing", "CoreType"),
        ("from asc.language.fwk.tpipe import TQueBind as thing", "TQueBind"),
        ("from asc.language.core.struct import Struct as thing, Field, StructField", "Struct"),
        ("from asc.language.core.dtype import KnownTypes as thing", "KnownTypes"),
        ("from asc.codegen.errors import CodegenError as thing", "CodegenError"),
    ],
)
def test_import_paths(statement, name):
    space = {}
    exec(statement, space)
    if name != "TQueBind":  # not built yet: it says so when used
        assert space["thing"].__name__ == name


def test_language_has_the_names_of_asc():
    language = importlib.import_module("asc.language")
    assert language.add is asc.add and language.jit is asc.jit and "GlobalTensor" in dir(language)
    with pytest.raises(AttributeError):
        language.no_such_name


def test_platforms_and_kernel_types():
    assert len(config.Platform) == 12 and config.Platform("Ascend910B4-1") is config.Platform.Ascend910B4_1
    assert [kind.value for kind in config.KernelType] == list(range(8))
    assert config.Backend("NPU") is config.Backend.NPU


def test_devices_of_the_simulator():
    assert rt.is_model() and rt.is_available() and rt.is_initialized()
    assert (rt.default_device(), rt.current_device(), rt.device_count()) == (0, 0, 1)
    rt.set_device(0)
    rt.reset_device()
    rt.synchronize()
    rt.synchronize(rt.current_stream(0), timeout=5)
    rt.synchronize_device()
    rt.free_mem()
    with pytest.raises(ValueError, match="device 3 does not exist"):
        rt.set_device(3)
    for wrong in (-1, "0", None, 1.0, True):
        with pytest.raises(RuntimeError, match="int, 0 or more"):
            rt.set_device(wrong)


def test_soc_versions():
    assert rt.get_soc_version() is config.Platform.Ascend910B1 and rt.current_platform() == "Ascend910B1"
    rt.set_soc_version(config.Platform.Ascend910B4)
    try:
        assert rt.get_soc_version() is config.Platform.Ascend910B4
        kind, info = rt.DeviceModuleType, rt.DeviceInfoType.INFO_TYPE_CORE_NUM
        assert rt.device_info(kind.RT_MODULE_TYPE_AICORE, info) == 20
        assert rt.device_info(kind.RT_MODULE_TYPE_VECTOR_CORE, info) == 40
        assert host.get_ascendc_platform().soc_version == "Ascend910B4"
    finally:
        rt.set_soc_version("Ascend910B1")
    with pytest.raises(ValueError, match="unknown platform"):
        rt.set_soc_version("Ascend310")


@pytest.mark.parametrize(
    "name", ["malloc", "launch_kernel", "acl_init", "current_tick", "register_device_binary_kernel"]
)
def test_what_needs_a_device_says_so(name):
    function = getattr(rt, name)
    with pytest.raises(RuntimeError, match=rf"asc\.lib\.runtime\.{name}\(\) needs an NPU"):
        function(1)


def test_device_info_of_a_device_says_so():
    with pytest.raises(RuntimeError, match="needs an NPU"):
        rt.device_info(rt.DeviceModuleType.RT_MODULE_TYPE_PCIE, rt.DeviceInfoType.INFO_TYPE_IP)


def test_profiler_kinds():
    assert rt.msprof_task_type(rt.CoreType.VectorCore) == 2
    assert rt.msprof_task_type(rt.CoreType.CubeCore) == 0
    assert rt.MsprofTaskType.MSPROF_TASK_TYPE_INVALID.value == 11
    with pytest.raises(RuntimeError):
        rt.msprof_task_type("VectorCore")


def test_host_enums_and_platforms():
    assert (host.CubeFormat.NZ, host.CubeFormat.ROW_MAJOR, host.CubeFormat.COLUMN_MAJOR) == (1, 0, 8)
    assert (host.DataType.DT_FLOAT, host.DataType.DT_FLOAT16, host.DataType.DT_BF16) == (0, 1, 27)
    assert host.TPosition.GM == 0 and host.MatrixTraverse.FIRSTM.name == "FIRSTM"
    platform = host.PlatformAscendCManager.get_instance(runtime.get_soc_version().value)
    assert platform is host.PlatformAscendCManager.get_instance() is host.get_ascendc_platform()
    with pytest.raises(ValueError, match="unknown platform"):
        host.PlatformAscendCManager.get_instance("Ascend1")


@pytest.mark.parametrize("name", ["MatmulApiTiling", "BatchMatmulTiling"])
def test_tilings_say_that_they_are_not_built(name):
    with pytest.raises(NotImplementedError, match=rf"asc\.lib\.host\.{name} is not yet"):
        getattr(host, name)(host.get_ascendc_platform())


def test_a_stream_of_the_reference_style_launch():
    @asc.jit
    def one(x: asc.GlobalAddress):
        g = asc.GlobalTensor()
        g.set_global_buffer(x)
        g.set_value(0, 1)

    x = np.zeros(1, np.int32)
    config.set_platform(config.Backend("Model"), config.Platform("Ascend910B1"), 0, check=True)
    one[1, rt.current_stream()](x)
    assert x[0] == 1


def test_set_backend():
    x = np.zeros(1, np.int32)

    @asc.jit
    def one(x: asc.GlobalAddress):
        g = asc.GlobalTensor()
        g.set_global_buffer(x)
        g.set_value(0, g.get_value(0) + 1)

    try:
        asc.set_backend("npu", platform=config.Platform.Ascend910B3)
        assert not rt.is_model() and rt.current_platform() == "Ascend910B3"
        with pytest.raises(asc.LaunchError, match="backend is NPU"):
            one[1](x)
        for backend in ("auto", "sim"):
            asc.set_backend(backend, "Ascend910B1")
            one[1](x)
        with pytest.raises(ValueError, match="'model' is no backend; known are auto, sim, npu"):
            asc.set_backend("model")
        with pytest.raises(ValueError, match="unknown platform"):
            asc.set_backend("npu", "Ascend0")
        assert rt.is_model() and x[0] == 2
    finally:
        asc.set_backend("auto", "Ascend910B1")
