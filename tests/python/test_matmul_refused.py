# SPDX-License-Identifier: Apache-2.0
"""What is wrong with a Matmul: at compile time with the line, at run time as a finding at the call's line."""

import inspect

import numpy as np
import pytest

import asc
from asc.adv import MatmulType, TCubeTiling

GM, VECIN = asc.TPosition.GM, asc.TPosition.VECIN
ND = asc.CubeFormat.ND


def arguments(**changes):
    sizes = {
        "used_core_num": 1,
        "m": 16,
        "n": 16,
        "k_a": 8,
        "k_b": 8,
        "base_m": 16,
        "base_n": 16,
        "base_k": 16,
    }
    sizes.update(single_core_m=16, single_core_n=16, single_core_k=8)
    a, b, c = np.ones((16, 8), np.float16), np.ones((8, 16), np.float16), np.zeros((16, 16), np.float32)
    return a, b, c, TCubeTiling(**{**sizes, **changes}), np.zeros(64, np.uint8)


def compile_text(body, options=""):
    """A kernel of these lines, with tensors and types at hand; the guilty line ends in `# here`."""
    lines = [f"        {line}" for line in inspect.cleandoc(body).splitlines()]
    source = "\n".join(
        [
            f"    @asc.jit{options}",
            "    def kernel(a: asc.GlobalAddress, b: asc.GlobalAddress, c: asc.GlobalAddress,",
            "               tiling: TCubeTiling, space: asc.GlobalAddress):",
            "        left, right, result = tensor(a), tensor(b), tensor(c)",
            "        A, B = MatmulType(GM, ND, a.dtype), MatmulType(GM, ND, b.dtype)",
            "        C = MatmulType(GM, ND, c.dtype)",
            "        pipe = asc.TPipe()",
            *lines,
        ]
    )
    return source


@asc.jit
def tensor(address):
    t = asc.GlobalTensor()
    t.set_global_buffer(address)
    return t


@asc.jit
def register(pipe: asc.TPipe, space: asc.GlobalAddress, matmul: asc.adv.Matmul, tiling: TCubeTiling):
    asc.adv.register_matmul(pipe, space, matmul, tiling)


@asc.jit
def register_or_not(pipe: asc.TPipe, space: asc.GlobalAddress, matmul: asc.adv.Matmul, tiling: TCubeTiling):
    if tiling.m == 0:
        return
    asc.adv.register_matmul(pipe, space, matmul, tiling)


@asc.jit
def register_in_branch(
    pipe: asc.TPipe, space: asc.GlobalAddress, matmul: asc.adv.Matmul, tiling: TCubeTiling
):
    if tiling.m > 0:
        asc.adv.register_matmul(pipe, space, matmul, tiling)


@asc.jit
def register_one(pipe: asc.TPipe, space: asc.GlobalAddress, matmul: asc.adv.Matmul, tiling: TCubeTiling):
    register(pipe, space, matmul, tiling)


@asc.jit
def register_another(pipe: asc.TPipe, space: asc.GlobalAddress, matmul: asc.adv.Matmul, tiling: TCubeTiling):
    register(pipe, space, matmul, tiling)


def kernel_of(body, tmp_path, monkeypatch, options=""):
    import importlib
    import sys
    import textwrap

    name = f"refused_{abs(hash((body, options)))}"
    head = f"import asc\nfrom asc.adv import MatmulType, TCubeTiling\nfrom {__name__} import *\n"
    (tmp_path / f"{name}.py").write_text(
        head + textwrap.dedent(compile_text(body, options)) + "\n", encoding="utf-8"
    )
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setitem(sys.modules, __name__, sys.modules[__name__])
    return importlib.import_module(name).kernel


MAKE = "matmul = asc.adv.Matmul(A, B, C)\n"
START = MAKE + "asc.adv.register_matmul(pipe, space, matmul, tiling)\n"
REGISTER = MAKE + "asc.adv.register_matmul(pipe, space, matmul, tiling)  # here"
SET = "matmul.set_tensor_a(left)\nmatmul.set_tensor_b(right)\n"

REFUSED = [
    (
        START + "matmul.set_tensor_a(result)  # here",
        "this tensor is of float32, and 'a' of the Matmul is of float16",
    ),
    (
        START + SET + "matmul.iterate_all(left)  # here",
        "this tensor is of float16, and 'c' of the Matmul is of float32",
    ),
    (
        START + "matmul.set_bias(left)  # here",
        "this tensor is of float16, and 'c' of the Matmul is of float32",
    ),
    (
        START + "local = asc.LocalTensor(asc.float32, VECIN, 0, 256)\nmatmul.get_tensor_c(local)  # here",
        "'c' of the Matmul goes to global memory, and this tensor is in local memory",
    ),
    (
        "matmul = asc.adv.Matmul(A, B, MatmulType(VECIN, ND, c.dtype))\nmatmul.iterate_all(result)  # here",
        "iterate_all of a Matmul whose 'c' goes to local memory is not yet supported",
    ),
    (
        "matmul = asc.adv.Matmul(A, B, left)  # here",
        "'c' of asc.adv.Matmul is GlobalTensor<float16>, not an asc.adv.MatmulType",
    ),
    ("matmul = asc.adv.Matmul(A, B)  # here", "c (object) is missing"),
    (
        "matmul = asc.adv.Matmul(A, C, C)  # here",
        "a Matmul of float16 and float32 into float32 is not yet supported",
    ),
    (
        "matmul = asc.adv.Matmul(A, B, MatmulType(GM, asc.CubeFormat.NZ, asc.float32))  # here",
        "a Matmul whose 'c' has CubeFormat.NZ is not yet supported",
    ),
    (
        "matmul = asc.adv.Matmul(MatmulType(asc.TPosition.VECOUT, ND, asc.float16), B, C)  # here",
        "a Matmul whose 'a' is at TPosition.VECOUT is not yet supported",
    ),
    (
        "A = MatmulType(GM, ND, a.dtype, layout=asc.LayoutMode.BSNGD)\n" + MAKE.strip() + "  # here",
        "a Matmul of batches (MatmulType.layout) is not yet supported",
    ),
    (
        "matmul = asc.adv.Matmul(A, B, C, matmul_policy=1)  # here",
        "matmul_policy of asc.adv.Matmul is not yet supported",
    ),
    ("config = asc.adv.MatmulConfig()  # here", "asc.adv.MatmulConfig is not yet supported"),
    (START + "matmul.set_hf32(True)  # here", "asc.adv.Matmul.set_hf32 is not yet supported"),
    (
        START + "matmul.iterate_batch(result, 1, 1, False)  # here",
        "Matmul.iterate_batch is not yet supported",
    ),
    (START + SET + "matmul.iterate()  # here", "iterate() is a loop: it stands in `with`"),
    (
        START + SET + "with matmul.iterate(sync=False):  # here\n    pass",
        "iterate(sync=False) is not yet supported",
    ),
    (
        START + SET + "with matmul.iterate():\n    matmul.get_tensor_c(result, sync=False)  # here",
        "sync of get_tensor_c is not yet supported",
    ),
    (START + "with matmul:  # here\n    pass", "with is not supported for this value"),
    (START + "matmul.set_tensor_a(8)  # here", "set_tensor_a of a number is not yet supported"),
    (
        START + "local = asc.LocalTensor(a.dtype, VECIN, 0, 256)\nmatmul.set_tensor_b(local)  # here",
        "set_tensor_b of a LocalTensor is not yet supported",
    ),
    (
        START + SET + "with matmul.iterate(local_c_matrix=result):  # here\n    pass",
        "local_c_matrix of iterate is not yet supported",
    ),
    (
        START + SET + "with matmul.iterate():\n    block = matmul.get_tensor_c(sync=False)  # here",
        "the form of get_tensor_c that returns a tensor is not yet supported",
    ),
    (START + "matmul.set_tensor_a(transpose=False, tensor=8)  # here", "set_tensor_a of a number is not yet"),
    (
        START + SET + "with matmul.iterate():\n    matmul.get_tensor_c(None, 0)  # here",
        "the form of get_tensor_c that returns a tensor is not yet supported",
    ),
    (
        START + SET + "matmul.iterate_all(result, 0, True, True)  # here",
        "iterate_all",
    ),
    (START + SET + "with matmul.iterate() as i:\n    left.set_value(missing, i)  # here", "'missing'"),
    (START + "matmul.set_tail(1.5)  # here", "tail_m is 1.5"),
    (
        MAKE + "for i in range(2):\n    asc.adv.register_matmul(pipe, space, matmul, tiling)  # here",
        "register_matmul stands in a loop or in a branch",
    ),
    (
        MAKE + "if tiling.m > 3:\n    asc.adv.register_matmul(pipe, space, matmul, tiling)  # here",
        "register_matmul stands in a loop or in a branch",
    ),
    (
        MAKE + "if asc.ascend_is_aiv():\n    asc.adv.register_matmul(pipe, space, matmul, tiling)  # here",
        "register_matmul stands in a loop or in a branch",
    ),
    (
        START + "asc.adv.register_matmul(pipe, space, matmul, tiling)  # here",
        "register_matmul is reached a second time",
    ),
]


@pytest.mark.parametrize(("body", "message"), REFUSED)
def test_refused(body, message, tmp_path, monkeypatch):
    kernel = kernel_of(body, tmp_path, monkeypatch)
    with pytest.raises(asc.CompileError) as caught:
        kernel[1].compile(*arguments())
    assert message in caught.value.message
    assert caught.value.text.rstrip().endswith("# here")


@pytest.mark.parametrize(
    ("body", "message", "text"),
    [
        ("register_in_branch(pipe, space, matmul, tiling)", "in a loop or in a branch", "asc.adv.register"),
        ("register_or_not(pipe, space, matmul, tiling)", "returns before its end", "return"),
        (
            "register(pipe, space, matmul, tiling)\n" * 2,
            "a second time",
            "asc.adv.register_matmul(",
        ),
        (
            "register_one(pipe, space, matmul, tiling)\nregister_another(pipe, space, matmul, tiling)",
            "a second time",
            "asc.adv.register_matmul(",
        ),
        (
            "for i in range(3): register(pipe, space, matmul, tiling)",
            "stands in a loop or in a branch",
            "asc.adv.register_matmul(",
        ),
    ],
)
def test_refused_in_a_helper(body, message, text, tmp_path, monkeypatch):
    kernel = kernel_of(MAKE + body, tmp_path, monkeypatch)
    with pytest.raises(asc.CompileError) as caught:
        kernel[1].compile(*arguments())
    assert message in caught.value.message and text in caught.value.text


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ("(kernel_type='AIV_ONLY')", "register_matmul in a kernel of type AIV_ONLY: there is no cube core"),
        (
            "(kernel_type='MIX_AIC_1_2', matmul_cube_only=True)",
            "matmul_cube_only in a mixed kernel is not yet supported",
        ),
    ],
)
def test_refused_kernel_types(options, message, tmp_path, monkeypatch):
    kernel = kernel_of(START, tmp_path, monkeypatch, options)
    with pytest.raises(asc.CompileError, match="register_matmul|matmul_cube_only") as caught:
        kernel[1].compile(*arguments())
    assert caught.value.message == message


def test_types_are_checked_when_they_are_made():
    with pytest.raises(TypeError, match="MatmulType: format is a CubeFormat, not 3"):
        MatmulType(GM, 3, asc.float16)
    with pytest.raises(AttributeError, match="does not change"):
        MatmulType(GM, ND, asc.float16).dtype = asc.float32
    assert (
        MatmulType(GM, ND, asc.half)
        == MatmulType(GM, ND, asc.float16, False)
        != MatmulType(GM, ND, asc.float32)
    )


# ---- findings ----

LOOP = "with matmul.iterate():\n    matmul.get_tensor_c(result)"
FINDINGS = [
    ("ASC-M101", MAKE + "matmul.set_tensor_a(left)  # here", "`matmul` is not registered", {}),
    (
        "ASC-M102",
        MAKE + "asc.adv.register_matmul(pipe, space, matmul)\n" + SET + "matmul.iterate_all(result)  # here",
        "`matmul` has no tiling",
        {},
    ),
    ("ASC-M103", REGISTER, "base_k is 0 in the tiling", {"base_k": 0}),
    ("ASC-M103", REGISTER, "base_k is 8, no multiple of 16", {"base_k": 8}),
    ("ASC-M103", REGISTER, "depth_a1 is -1 in the tiling", {"depth_a1": -1}),
    (
        "ASC-M103",
        REGISTER,
        "2000 blocks of A (depth_a1) and 2 of B (depth_b1) take more than the 524288 bytes of L1",
        {"depth_a1": 2000, "depth_b1": 2},
    ),
    (
        "ASC-M103",
        START + SET + "matmul.iterate_all(result)  # here",
        "single_core_k is 9, and k_a is 8",
        {"single_core_k": 9, "k_b": 9},
    ),
    (
        "ASC-M103",
        START + SET + "matmul.iterate_all(result)  # here",
        "single_core_k is 8, and k_b is 7",
        {"k_b": 7},
    ),
    (
        "ASC-M103",
        START + SET + LOOP.replace("iterate():", "iterate():  # here"),
        "single_core_n is 17, and n is 16",
        {"single_core_n": 17},
    ),
    (
        "ASC-M103",
        START + SET + "matmul.set_org_shape(16, 16, 8, 8, 12)\nmatmul.iterate_all(result)  # here",
        "single_core_n is 16, and org_kc is 12",
        {},
    ),
    ("ASC-M103", REGISTER, "m is -16 in the tiling", {"m": -16}),
    ("ASC-M103", REGISTER, "base_m is 24, no multiple of 16", {"base_m": 24}),
    (
        "ASC-M103",
        MAKE + "asc.adv.register_matmul(pipe, space, matmul)\nmatmul.init(tiling)  # here",
        "iterate_order is 2",
        {"iterate_order": 2},
    ),
    (
        "ASC-M103",
        REGISTER,
        "base_m 256 x base_k 256 takes 131072 bytes of L0A, which has 65536",
        {"base_m": 256, "base_k": 256},
    ),
    ("ASC-M103", START + "matmul.set_tail(0)  # here", "set_tail: tail_m is 0", {}),
    ("ASC-M103", START + "matmul.set_org_shape(16, 16, 8, 8, -1)  # here", "set_org_shape: org_kc is -1", {}),
    (
        "ASC-M103",
        START + "matmul.set_single_shape(16, -1, 8)  # here",
        "set_single_shape: single_n is -1",
        {},
    ),
    (
        "ASC-M104",
        START + "matmul.set_tensor_a(left)\nmatmul.iterate_all(result)  # here",
        "`matmul` has no tensor b",
        {},
    ),
    ("ASC-M104", START + "with matmul.iterate():  # here\n    pass", "`matmul` has no tensor a", {}),
    (
        "ASC-M104",
        START + SET + "matmul.iterate_all(result)\nmatmul.iterate_all(result)  # here",
        "`matmul` has computed with these tensors already",
        {},
    ),
    ("ASC-M105", START + SET + "matmul.get_tensor_c(result)  # here", "`matmul` has no block to give", {}),
    (
        "ASC-M105",
        START + SET + LOOP + "\n    matmul.get_tensor_c(result)  # here",
        "`matmul` has no block to give",
        {},
    ),
    ("ASC-M106", START + "matmul.set_bias(result)  # here", "the tiling has is_bias=0", {}),
    (
        "ASC-M106",
        START + SET + "matmul.iterate_all(result)  # here",
        "the tiling has is_bias=1 and `matmul` has no bias",
        {"is_bias": 1},
    ),
    (
        "ASC-M107",
        START + "matmul.set_tensor_a(left, True)  # here",
        "the MatmulType of 'a' has is_trans=False",
        {},
    ),
    ("ASC-M107", START + SET + "matmul.iterate_all(result, 4)  # here", "en_atomic is 4", {}),
    (
        "ASC-M108",
        START + SET + LOOP + "\n    matmul.iterate_all(result)  # here",
        "`matmul` is in the middle of an iteration",
        {},
    ),
    ("ASC-M108", START + "matmul.wait_iterate_all()  # here", "nothing to wait for", {}),
    (
        "ASC-B101",
        START + SET + "matmul.iterate_all(result)  # here",
        "reads outside argument `a`: elements 126..133 of 128",
        {"k_a": 9},
    ),
    (
        "ASC-B101",
        START + SET + LOOP.replace("iterate():", "iterate():  # here"),
        "reads outside argument `a`: elements 128..143 of 128",
        {"single_core_k": 16, "k_a": 16, "k_b": 16},
    ),
    (
        "ASC-B102",
        START + "matmul.set_org_shape(16, 16, 8, 8, 17)\n" + SET + "matmul.iterate_all(result)  # here",
        "writes outside argument `c`: elements 255..270 of 256",
        {},
    ),
]


@pytest.mark.parametrize(("finding", "body", "message", "changes"), FINDINGS)
def test_finding(finding, body, message, changes, tmp_path, monkeypatch):
    kernel = kernel_of(body, tmp_path, monkeypatch)
    with pytest.raises(asc.KernelError) as caught:
        kernel[1](*arguments(**changes))
    found = [f for f in caught.value.findings if f.id == finding]
    assert found, [(f.id, f.message) for f in caught.value.findings]
    assert message in found[0].message, found[0].message
    assert found[0].site.text.rstrip().endswith("# here")
    assert {f.id for f in caught.value.findings} == {finding}


@pytest.mark.parametrize("size", ["single_core_k", "single_core_m", "single_core_n"])
def test_a_size_beyond_all_memory_ends(size, tmp_path, monkeypatch):
    """A tiling of garbage is found where it leaves an argument; it allocates nothing and ends."""
    kernel = kernel_of(START + SET + "matmul.iterate_all(result)  # here", tmp_path, monkeypatch)
    with pytest.raises(asc.BoundsError) as caught:
        whole = {"single_core_k": ("k_a", "k_b"), "single_core_m": ("m",), "single_core_n": ("n",)}[size]
        kernel[1](*arguments(**dict.fromkeys((size, *whole), 2**31 - 1)))
    assert {f.id for f in caught.value.findings} <= {"ASC-B101", "ASC-B102"}
    assert all(f.site.text.rstrip().endswith("# here") for f in caught.value.findings)


def test_after_a_finding_the_kernel_goes_on(tmp_path, monkeypatch):
    """A bad tiling computes nothing; a matrix that is too short gives poison where it ends."""
    kernel = kernel_of(START + SET + "matmul.iterate_all(result)", tmp_path, monkeypatch)
    given = arguments(base_m=0)
    kernel.options(on_finding="collect")[1](*given)
    assert {f.id for f in asc.last_findings()} == {"ASC-M103"} and not given[2].any()
    short = arguments()
    kernel.options(on_finding="collect")[1](short[0][:15], *short[1:])
    assert {f.id for f in asc.last_findings()} == {"ASC-B101"}
    np.testing.assert_array_equal(short[2][:15], np.full((15, 16), 8, np.float32))
    assert np.isnan(short[2][15]).all()
