# SPDX-License-Identifier: Apache-2.0
"""Kernels of every usual form, for a type checker: it must find nothing here. They are not run."""

import asc
import asc.lib.runtime as rt
import asc.runtime.config as config
from asc.adv import MatmulType, TCubeTiling
from asc.runtime.jit import MockTensor, MockValue

BUFFERS = 2


@asc.jit
def copy_in(
    i: int,
    x_gm: asc.GlobalTensor,
    queue: asc.TQue,
    tile: asc.ConstExpr[int],
):
    x_local = queue.alloc_tensor(x_gm.dtype)
    asc.data_copy(x_local, x_gm[i * tile :], tile)
    queue.enque(x_local)


@asc.jit
def scaled(x: asc.LocalTensor, factor: float, count: int) -> int:
    asc.muls(x, x, factor, count)
    asc.muls(x, x, factor, count, is_set_mask=False)
    return count * 2


@asc.jit(kernel_type=config.KernelType.AIV_ONLY, auto_sync=False, mode="fast", ignore=("bounds",))
def framework(
    x: asc.GlobalAddress,
    y: asc.GlobalAddress,
    n: int,
    big: asc.int64,
    scale: asc.float32,
    tile: asc.ConstExpr[int],
):
    offset = asc.get_block_idx() * n
    x_gm = asc.GlobalTensor()
    y_gm = asc.GlobalTensor()
    x_gm.set_global_buffer(x + offset)
    y_gm.set_global_buffer(offset + y - 1, n)
    pipe = asc.TPipe()
    queue = asc.TQue(asc.TPosition.VECIN, BUFFERS)
    out = asc.TQue(asc.TPosition.VECOUT, depth=1)
    room = asc.TBuf(asc.TPosition.VECCALC)
    pipe.init_buffer(queue, BUFFERS, tile * x.dtype.sizeof())
    pipe.init_buffer(que=out, num=BUFFERS, len=tile * asc.float32.sizeof())
    pipe.init_buffer(room, 1024)
    pipe.init_buffer(room, len=1024)
    for i in range(n // tile):
        copy_in(i, x_gm, queue, tile)
        x_local = queue.deque(x_gm.dtype)
        result = out.alloc_tensor(asc.half)
        spare = room.get(asc.float32)
        asc.add(result, x_local, spare, tile)
        asc.maxs(result, result, 0, tile)
        asc.adds(result, result, x_gm.get_value(0), tile)
        if x_gm.dtype == asc.half and i > 0:
            asc.duplicate(result, 1.5, scaled(result, scale, tile))
        out.enque(result)
        queue.free_tensor(x_local)
        result = out.deque(asc.half)
        asc.data_copy(y_gm[i * tile : (i + 1) * tile], result, tile)
        out.free_tensor(result)
    count: int = min(n, 5) + big // 2
    wide = asc.int64(count) + asc.number(n, asc.int64)
    y_gm.set_value(0, wide % 3)
    print("core", asc.get_block_idx(), y_gm.get_value(0))
    assert n > 0, f"n is {n}"


@asc.jit
def cores(a: asc.GlobalAddress, l0: asc.ConstExpr[int], flag: bool, label: asc.ConstExpr):
    if asc.ascend_is_aic():
        a_gm = asc.GlobalTensor()
        a_gm.set_global_buffer(a)
        l0a = asc.LocalTensor(a.dtype, asc.TPosition.A2, 0, l0)
        l0c = asc.LocalTensor(asc.float32, pos=asc.TPosition.CO1, addr=0, tile_size=l0)
        params = asc.LoadData2DParams(repeat_times=l0 // 256, src_stride=1)
        params.sid = 0
        asc.load_data(l0a, a_gm, params)
        asc.mmad(l0c, l0a, l0a, asc.MmadParams(m=16, n=16, k=16))
        asc.fixpipe(a_gm, l0c.reinterpret_cast(a.dtype), asc.FixpipeParamsV220(16, 16, 16, 16, relu_en=flag))
    else:
        for i in asc.static_range(asc.ceildiv(l0, 16)):
            asc.cross_core_set_flag(i, 2, asc.PipeID.PIPE_MTE3)
        for _ in asc.range(0, l0, 2):
            asc.cross_core_wait_flag(3)
    asc.set_flag(asc.HardEvent.MTE2_V)
    asc.wait_flag(asc.HardEvent.MTE2_V, 1)
    asc.pipe_barrier(asc.PipeID.PIPE_ALL)


class Family:
    """Kernels as methods."""

    def __init__(self, tile: int):
        self.tile = tile

    @asc.jit
    def fill(self, x: asc.GlobalAddress, n: int):
        x_gm = asc.GlobalTensor()
        x_gm.set_global_buffer(x, n)
        local = asc.LocalTensor(x.dtype, asc.TPosition.VECCALC, 0, self.tile)
        asc.data_copy(x_gm, local, local.get_size())


def launch(x: object, y: object) -> None:
    framework[8, rt.current_stream()](x, y, 100, 1, 1.0, 16)
    framework[lambda args: asc.ceildiv(args["n"], 16)](x, y, 100, 1, 1.0, tile=16, always_compile=True)
    compiled = framework.options(mode="check", timeout=5.0)[8].compile(
        MockTensor(asc.half), MockTensor(asc.half), 1, 1, 1.0, 16
    )
    print(compiled.text["ascendc"], compiled.meta, compiled.diagnostics)
    cores[4](x, MockValue(asc.int32), True, "label")
    Family(64).fill[1](x, 64)
    config.set_platform(config.Backend.Model, config.Platform.Ascend910B1)
    try:
        framework[1](x, y, 1, 1, 1.0, 16)
    except asc.KernelError as error:
        for finding in [*error.findings, *asc.last_findings()]:
            print(finding.id, finding.message, finding.site)
    except asc.CompileError as error:
        print(error.line, error.hint)
    name: str = asc.HardEvent(4).name
    members: list[asc.TPosition] = list(asc.TPosition)
    kinds: dict[asc.DataType, int] = {asc.half: 2, asc.DataType("int8"): 1}
    print(name, members, kinds, asc.HardEvent["V_S"].value, framework.cache_info()["hits"])


@asc.jit
def scratch(x: asc.GlobalAddress, n: asc.ConstExpr[int]):
    kept = asc.GlobalTensor()
    kept.set_global_buffer(asc.GlobalAddress(asc.workspace(4 * n, per_block=False) + 8, asc.int32))
    kept.set_global_buffer(asc.GlobalAddress(int(asc.workspace(4 * n)) + 4, asc.int32))


@asc.jit
def product(
    a: asc.GlobalTensor, c: asc.GlobalTensor, out: asc.TQue, tiling: TCubeTiling, workspace: asc.GlobalAddress
):
    ours = MatmulType(asc.TPosition.GM, asc.CubeFormat.ND, asc.float16)
    matmul = asc.adv.Matmul(ours, MatmulType(asc.TPosition.GM, asc.CubeFormat.ND, asc.float16, True), ours)
    pipe = asc.TPipe()
    asc.adv.register_matmul(pipe, workspace, matmul, tiling)
    matmul.set_tensor_a(a)
    matmul.set_tensor_b(a, True)
    with matmul.iterate() as i:
        tile = out.alloc_tensor(asc.float16)
        matmul.get_tensor_c(tile, en_sequential_write=True)
        asc.data_copy(c[i * tiling.base_m :], tile, tiling.base_m * tiling.base_n)
    matmul.iterate_all(c)
    matmul.end()


@asc.torch_op("typecheck::twice", mutates_args=())
def twice(x: object, factor: float = 2.0) -> list[object]:
    scratch[1](x, 16)
    return [x]


def operators() -> None:
    results: list[object] = twice(object(), factor=3.0)
    twice.register_autograd(lambda ctx, grad: (grad, None), setup_context=lambda ctx, inputs, output: None)
    named = asc.torch_op("typecheck::named", operators, mutates_args="unknown", device_types="cpu")
    named()
    print(results)
