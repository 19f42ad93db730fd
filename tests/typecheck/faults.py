# SPDX-License-Identifier: Apache-2.0
"""Faults that a type checker must find, one a marked line, and no others."""

import asc


@asc.jit
def helper(x: asc.LocalTensor[asc.half], n: int) -> int:
    return n


@asc.jit
def kernel(
    x: asc.GlobalAddress,
    n: int,
    a: asc.LocalTensor[asc.half],
    b: asc.LocalTensor[asc.float32],
    size: asc.ConstExpr[int],
):
    gm = asc.GlobalTensor()
    gm.set_global_buffer(x)
    local = asc.LocalTensor(x.dtype, asc.TPosition.VECIN, 0, 64)
    asc.abs(gm, local, n)  # fault: global memory where a local tensor belongs
    asc.abs(local, local)  # fault: the count is missing
    asc.abs(local, local, 1.5)  # fault: the count is no integer
    asc.abs(local, local, counts=n)  # fault: no such parameter
    asc.no_such(local)  # fault: no such op
    asc.add(a, a, b, n)  # fault: two element types
    asc.set_flag(asc.TPosition.GM)  # fault: another enum
    asc.set_flag(asc.HardEvent.V_GM)  # fault: no such member
    asc.data_copy(local, 5, n)  # fault: no overload
    helper(local)  # fault: an argument of a helper is missing
    helper(b, 1)  # fault: another element type than the helper's
    size.sizeof()  # fault: a ConstExpr[int] is an int
    asc.MmadParams(q=1)  # fault: no such field
    gm.get_valu(0)  # fault: no such method
    asc.TPipe().init_buffer(asc.TBuf(asc.TPosition.VECCALC), size=5)  # fault: no such parameter


kernel[8, 4](1)  # fault: the second item is no stream
kernel["8"](1)  # fault: a text is no core count
kernel.options(mod="fast")  # fault: no such option
kernel.options(mode="quick")  # fault: no such mode
asc.jit(always_compil=True)  # fault: no such option


@asc.torch_op("typecheck::once", mutates_args=())
def once(x: float) -> float:
    asc.workspace(1.5)  # fault: bytes are an integer
    return x


once("text")  # fault: an argument of another type
asc.torch_op("typecheck::other")  # fault: what it writes is not said
