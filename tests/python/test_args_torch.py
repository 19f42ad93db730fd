# SPDX-License-Identifier: Apache-2.0
"""torch tensors as arguments: what has no memory of its own says so and what to pass, autograd is told, and
the table of C functions and attributes see the same."""

import os
import subprocess
import sys
import textwrap
import warnings

import numpy as np
import pytest
from args_kernels import OnlyDLPack, bump, copy, fill, quietly, total

import asc

torch = pytest.importorskip("torch")

DTYPES = "bool int8 int16 int32 int64 uint8 uint16 uint32 uint64 float16 bfloat16 float32 float64".split()


@pytest.fixture(autouse=True)
def no_warnings_of_torch():
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", module="torch")
        yield


class Plain(torch.Tensor):
    """A subclass that leaves the operators alone."""


class Logged(torch.Tensor):
    """A subclass that sees its operators and has memory of its own."""

    @classmethod
    def __torch_dispatch__(cls, func, types, args=(), kwargs=None):
        return func(*args, **(kwargs or {}))


class Wrapper(torch.Tensor):
    """A subclass that has a shape and keeps the memory in another tensor."""

    @staticmethod
    def __new__(cls, inner):
        made = torch.Tensor._make_wrapper_subclass(cls, inner.shape, dtype=inner.dtype)
        made.inner = inner
        return made

    @classmethod
    def __torch_dispatch__(cls, func, types, args=(), kwargs=None):
        raise NotImplementedError(func)


@pytest.mark.parametrize("dtype", DTYPES)
def test_every_dtype_moves_bit_for_bit(dtype):
    x = torch.randint(0, 0x70, (16, 8), dtype=torch.uint8)  # no NaN of any float type
    x = x[:, 0] > 50 if dtype == "bool" else x.flatten().view(getattr(torch, dtype))[:16].clone()
    y = torch.zeros_like(x)
    copy[1](x, y, 16)
    assert y.view(torch.uint8).tolist() == x.view(torch.uint8).tolist()


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: torch.zeros(4, device="meta"), "on device 'meta': it has a shape and no memory"),
        (lambda: torch.eye(4).to_sparse(), r"layout is torch.sparse_coo; pass x.to_dense\(\)"),
        (lambda: torch.eye(4).to_sparse_csr(), r"layout is torch.sparse_csr; pass x.to_dense\(\)"),
        (lambda: torch.zeros(4, 4).to_mkldnn(), r"layout is torch._mkldnn; pass x.to_dense\(\)"),
        (lambda: torch.nested.nested_tensor([torch.zeros(2), torch.zeros(3)]), "is nested; pass x.values"),
        (
            lambda: torch.nested.nested_tensor([torch.zeros(2), torch.zeros(3)], layout=torch.jagged),
            "is nested; pass x.values",
        ),
        (lambda: torch.zeros(4, dtype=torch.complex64).conj().imag, r"lazy negation.*pass x.resolve_neg\(\)"),
        (lambda: torch._neg_view(torch.ones(4)), r"lazy negation.*pass x.resolve_neg\(\)"),
        (lambda: torch._efficientzerotensor(4), r"lazy zero; pass x.clone\(\)"),
        (lambda: torch.nn.parameter.UninitializedParameter(), "not initialised yet"),
        (lambda: Wrapper(torch.zeros(4)), r"of class Wrapper\) has no memory of its own"),
        (
            lambda: torch.quantize_per_tensor(torch.zeros(4), 0.1, 0, torch.qint8),
            r"arrays of qint8 are not supported; pass x.int_repr\(\)",
        ),
        (
            lambda: torch.zeros(4, dtype=torch.complex64),
            "complex64 are not supported; pass x.real and x.imag",
        ),
        (lambda: torch.zeros(4, dtype=torch.complex64).conj(), "complex64 are not supported"),
        (lambda: torch.zeros(4).to(torch.float8_e4m3fn), "arrays of float8_e4m3fn are not supported"),
    ],
)
def test_tensors_without_usable_memory(make, message):
    x = make()
    for _ in range(2):
        with pytest.raises(TypeError, match=r"fill\(\) argument 'x': .*" + message):
            fill[1](x, 4, 1.0)
        good = torch.zeros(4)
        fill[1](good, 4, 2.0)
        assert good.tolist() == [2.0] * 4


def test_resolved_and_imaginary_parts_work():
    x = torch.complex(torch.arange(4.0), torch.arange(4.0) + 10)
    y = torch.zeros(4)
    quietly(copy[1], x.conj().imag.resolve_neg(), y, 4)
    assert y.tolist() == [-10.0, -11.0, -12.0, -13.0]
    quietly(copy[1], x.imag, y, 4)
    assert y.tolist() == [10.0, 11.0, 12.0, 13.0]


def test_fake_tensors_compile_and_do_not_launch():
    from torch._subclasses.fake_tensor import FakeTensorMode

    with FakeTensorMode():
        fake = torch.zeros(4)
    text = fill[1].compile(fake, 4, 1.0).text["ascendc"]
    assert "__gm__ float* x" in text
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(TypeError, match="argument 'x': the tensor is fake: it has a shape and no memory"):
            fill[1](fake, 4, 1.0)


@pytest.mark.parametrize(
    "transform",
    [
        lambda f: torch.func.vmap(f)(torch.zeros(2, 4)),
        lambda f: torch.func.grad(lambda x: f(x).sum())(torch.zeros(4)),
        lambda f: torch.func.jvp(f, (torch.zeros(4),), (torch.ones(4),)),
        lambda f: torch.func.functionalize(f)(torch.zeros(4)),
    ],
    ids="vmap grad jvp functionalize".split(),
)
def test_transforms_of_torch_func(transform):
    def launch(x):
        fill[1](x, 4, 1.0)
        return x

    with pytest.raises(TypeError, match=r"fill\(\) argument 'x': the tensor"):
        transform(launch)


@pytest.mark.parametrize(
    "wrap", [lambda x: x.as_subclass(Plain), lambda x: x.as_subclass(Logged), torch.nn.Buffer]
)
def test_subclasses(wrap):
    x = torch.zeros(4)
    fill[1](wrap(x), 4, 1.0)
    assert x.tolist() == [1.0] * 4
    quietly(fill[1], wrap(x[::2]), 2, 5.0)
    assert x.tolist() == [5.0, 1.0, 5.0, 1.0]


def test_tensors_on_other_devices():
    class Away(OnlyDLPack):
        def __dlpack__(self, **keywords):
            capsule = self.array.__dlpack__()
            return on_device(capsule, 2, 1)

    here, away = np.zeros(4, np.float32), Away(np.zeros(4, np.float32))
    with pytest.raises(asc.LaunchError, match=r"'x' is in host memory, 'y' is on cuda:1"):
        bump[1](here, away, 4)
    with pytest.raises(
        asc.LaunchError, match=r"fill\(\) argument 'x' is on cuda:1, where this process cannot"
    ):
        fill[1](away, 4, 1.0)
    fill[1](here, 4, 1.0)


def on_device(capsule, kind, index):
    """The capsule, its tensor said to be elsewhere: device type and number are 32-bit words behind `data`."""
    import ctypes

    pointer = ctypes.pythonapi.PyCapsule_GetPointer
    pointer.restype, pointer.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
    words = ctypes.cast(pointer(capsule, b"dltensor"), ctypes.POINTER(ctypes.c_int32))
    words[2], words[3] = kind, index
    return capsule


# ---- autograd ----


def test_tensors_that_require_grad_are_read():
    x = torch.arange(4.0, requires_grad=True)
    out = torch.zeros(1)
    total[1](x, out, 4)
    total[1](torch.nn.Parameter(torch.ones(4)), out, 4)
    assert out.item() == 10.0


@pytest.mark.parametrize("leaf", [True, False])
def test_writing_what_autograd_watches_is_refused(leaf):
    x = torch.zeros(4, requires_grad=True)
    if not leaf:
        x = x * 2
    with pytest.raises(
        asc.LaunchError, match=r"fill\(\) argument 'x': the tensor requires grad and the kernel may"
    ) as caught:
        fill[1](x, 4, 1.0)
    assert "torch.no_grad()" in str(caught.value)
    with torch.no_grad():
        fill[1](x, 4, 1.0)
    fill[1](x.detach(), 4, 2.0)
    assert x.tolist() == [2.0] * 4
    with torch.no_grad():
        quietly(fill[1], x[::2], 2, 3.0)
    assert x.tolist() == [3.0, 2.0, 3.0, 2.0]


def test_inside_an_autograd_function():
    class AddOne(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            y = torch.empty_like(x)
            bump[1](x, y, x.numel())
            return y

        @staticmethod
        def backward(ctx, grad):
            return grad

    x = torch.arange(4.0, requires_grad=True)
    (AddOne.apply(x) * 3).sum().backward()
    assert x.grad.tolist() == [3.0] * 4


def test_a_written_tensor_that_was_saved_for_backward_is_noticed():
    w, x = torch.ones(4, requires_grad=True), torch.arange(4.0)
    y = (w * x).sum()
    fill[1](x, 4, 9.0)
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        y.backward()
    x = torch.arange(4.0)
    y = (w * x).sum()
    total[1](x, torch.zeros(1), 4)  # only read
    y.backward()
    assert w.grad.tolist() == [0.0, 1.0, 2.0, 3.0]


def test_versions_count_views_and_copies_and_inference_tensors_have_none():
    x = torch.zeros(8)
    before = x._version
    quietly(fill[1], x[::2], 4, 1.0)
    assert x._version > before
    with torch.inference_mode():
        y = torch.zeros(4)
        fill[1](y, 4, 1.0)
        assert y.tolist() == [1.0] * 4


# ---- the table and attributes ----


@pytest.mark.parametrize("reader", ["attributes", "_asc_torch"])
def test_without_the_table_everything_is_the_same(reader):
    """A torch without `__dlpack_c_exchange_api__`: by attributes, or by our own module where it is built."""
    if reader == "_asc_torch":
        pytest.importorskip("asc._asc_torch", exc_type=ImportError)
    code = f"""
        import numpy as np, torch, asc, sys, warnings
        reader = "{reader}"
        del torch.Tensor.__dlpack_c_exchange_api__
        if reader == "attributes":
            sys.modules["asc._asc_torch"] = None
        from args_kernels import copy, fill, quietly
        for dtype in (torch.float32, torch.bfloat16, torch.int64, torch.bool):
            x = (torch.arange(24) % 2).to(dtype).reshape(4, 6)
            for view in (x, x.t(), x[1:, ::2], x[:0], x[0, 0]):
                y = torch.zeros(view.shape, dtype=dtype)
                quietly(copy[1], view, y, view.numel())
                assert torch.equal(y, view)
                z = torch.zeros(4, 6, dtype=dtype)
        z = torch.zeros(4, 6)
        quietly(fill[1], z.t(), 24, 1.0)
        assert z.sum() == 24
        for bad in (torch.zeros(4, device="meta"), torch.eye(4).to_sparse(), torch._neg_view(torch.ones(4))):
            try:
                fill[1](bad, 4, 1.0)
            except TypeError as error:
                print(error)
            else:
                raise SystemExit("not refused")
        assert (sys.modules.get("asc._asc_torch") is not None) == (reader == "_asc_torch")
    """
    done = run_python(code)
    assert done.stdout.count("argument 'x': the tensor") == 3


def test_the_module_is_for_one_torch_only():
    pytest.importorskip("asc._asc_torch", exc_type=ImportError)
    code = """
        import torch
        torch.__version__ = "1.0.0"
        try:
            import asc._asc_torch
        except ImportError as error:
            assert "was built with torch" in str(error) and "torch 1.0.0 is running" in str(error)
        else:
            raise SystemExit("not refused")
        del torch.Tensor.__dlpack_c_exchange_api__
        from args_kernels import fill
        x = torch.zeros(4)
        fill[1](x, 4, 1.0)  # by attributes
        assert x.tolist() == [1.0] * 4
    """
    run_python(code)


def run_python(code):
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(code)],
        capture_output=True,
        text=True,
        timeout=120,
        env={**os.environ, "PYTHONPATH": ":".join(sys.path)},
    )
    assert done.returncode == 0, done.stderr
    return done


def test_threads_open_their_first_tensor_together():
    code = """
        import threading, torch, asc
        from args_kernels import fill
        xs = [torch.zeros(4) for _ in range(16)]
        gate = threading.Barrier(16)
        def run(x):
            gate.wait()
            fill[1](x, 4, 1.0)
        threads = [threading.Thread(target=run, args=(x,)) for x in xs]
        [t.start() for t in threads]
        [t.join(60) for t in threads]
        assert not any(t.is_alive() for t in threads)
        assert all(x.tolist() == [1.0] * 4 for x in xs)
    """
    run_python(code)
