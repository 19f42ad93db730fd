# SPDX-License-Identifier: Apache-2.0
"""asc.torch_op: what torch expects of an operator, what is refused, and the examples of docs/torch.md."""

import functools
import linecache
import os
import re
import subprocess
import sys
import textwrap
import threading
import traceback
import warnings
from pathlib import Path

import numpy as np
import pytest
from args_kernels import fill

import asc

torch = pytest.importorskip("torch")
pytest.importorskip("torch.library", reason="torch has no custom operators")

ROOT = Path(__file__).resolve().parents[2]
BLOCKS = re.findall(r"```python\n(.*?)```", (ROOT / "docs/torch.md").read_text(encoding="utf-8"), re.S)
Tensor = torch.Tensor


@pytest.fixture(autouse=True)
def no_warnings_of_torch():
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", module="torch")
        yield
    torch._dynamo.reset()


def test_examples():
    scope = {"asc": asc, "torch": torch, "__name__": "torch_examples"}
    assert len(BLOCKS) == 4
    for i, code in enumerate(BLOCKS):
        name = f"<docs/torch.md {i}>"
        linecache.cache[name] = (len(code), None, code.splitlines(True), name)
        exec(compile(code, name, "exec"), scope)


@asc.jit
def axpy_kernel(x: asc.GlobalAddress, y: asc.GlobalAddress, z: asc.GlobalAddress, n: int, a: float):
    x_gm, y_gm, z_gm = asc.GlobalTensor(), asc.GlobalTensor(), asc.GlobalTensor()
    x_gm.set_global_buffer(x)
    y_gm.set_global_buffer(y)
    z_gm.set_global_buffer(z)
    share = asc.ceildiv(n, asc.get_block_num())
    first = asc.get_block_idx() * share
    for i in range(first, min(first + share, n)):
        z_gm.set_value(i, x_gm.get_value(i) * a + y_gm.get_value(i))


@asc.torch_op("asctest::axpy", mutates_args=())
def axpy(x: Tensor, y: Tensor, a: float = 1.0) -> Tensor:
    """a * x + y."""
    z = torch.empty_like(x)
    n = x.numel()
    axpy_kernel[min(8, n)](x, y, z, n, a)
    return z


@asc.torch_op("asctest::fill_", mutates_args=("x",))
def fill_(x: Tensor, value: float) -> None:
    fill[1](x, x.numel(), value)


@asc.torch_op("asctest::split", mutates_args=())
def split(x: Tensor, parts: int) -> list[Tensor]:
    rows = asc.ceildiv(x.shape[0], parts)
    out = [torch.empty_like(part) for part in x.split(rows)]
    for part, to in zip(x.split(rows), out):
        axpy_kernel[asc.ceildiv(part.numel(), 4)](part, part, to, part.numel(), 0.0)
    return out


def test_eager_and_by_name():
    x, y = torch.arange(10.0), torch.ones(10)
    expected = 2.5 * x + y
    torch.testing.assert_close(axpy(x, y, 2.5), expected)
    torch.testing.assert_close(torch.ops.asctest.axpy(x, y, 2.5), expected)
    torch.testing.assert_close(torch.ops.asctest.axpy.default(x, y, a=2.5), expected)
    assert str(torch.ops.asctest.axpy.default._schema) == (
        "asctest::axpy(Tensor x, Tensor y, float a=1.) -> Tensor"
    )


def test_a_written_argument():
    x = torch.zeros(4)
    before = x._version
    fill_(x, 3.0)
    assert x.tolist() == [3.0] * 4 and x._version > before
    assert str(torch.ops.asctest.fill_.default._schema) == "asctest::fill_(Tensor(a0!) x, float value) -> ()"


def test_a_written_argument_must_be_named():
    @asc.torch_op("asctest::unnamed", mutates_args=())
    def unnamed(x: Tensor, value: float) -> Tensor:
        fill[1](x, x.numel(), value)
        return torch.empty_like(x)

    x = torch.zeros(4)
    for call in (unnamed, torch.compile(unnamed, backend="eager")):
        with pytest.raises(
            RuntimeError, match=r"'x' may be written, and mutates_args does not name it"
        ) as caught:
            call(x, 3.0)
    assert "asctest::unnamed" in str(caught.value) and "mutates_args=('x',)" in str(caught.value)
    assert f"{__file__}:" in str(caught.value)


WAYS = {
    "itself": lambda x: x,
    "view": lambda x: x.view(-1),
    "slice": lambda x: x[0:],
    "reshape": lambda x: x.reshape(2, 2).T,
    "detach": lambda x: x.detach(),
    "data": lambda x: x.data,
    "unbind": lambda x: x.reshape(2, 2).unbind()[1],
    "numpy": lambda x: x.numpy(),
    "raw": asc.raw,
}


@pytest.mark.filterwarnings("ignore::asc.PerformanceWarning")
@pytest.mark.parametrize("backend", [None, "eager", "aot_eager"])
@pytest.mark.parametrize("way", WAYS)
def test_an_argument_may_be_written_through_whatever_shares_its_memory(way, backend):
    @asc.torch_op(f"asctest::through_{way}_{backend}", mutates_args=())
    def through(w: Tensor, x: Tensor) -> Tensor:
        fill[1](WAYS[way](x), 2, 1.0)
        return torch.empty_like(w)

    through.register_fake(lambda w, x: torch.empty_like(w))  # tensors without memory have no numpy()

    def model(x):
        y = x * 2
        return through(x, y) + y

    run = torch.compile(model, backend=backend) if backend else model
    with pytest.raises(RuntimeError, match="'x' may be written, and mutates_args does not name it"):
        run(torch.ones(4))


def test_the_argument_that_shares_the_memory_is_named():
    @asc.torch_op("asctest::halves", mutates_args=("z",))
    def halves(x: Tensor, y: Tensor, z: Tensor) -> None:
        fill[1](y, y.numel(), 1.0)

    whole = torch.zeros(8)
    with pytest.raises(RuntimeError, match=r"'y' may be written.*mutates_args=\('z', 'y'\)"):
        halves(whole[:3], whole[3:6], whole[6:])
    halves(whole[:3], whole[3:6], whole[3:])  # what is written is memory of z too
    with torch.inference_mode(), pytest.raises(RuntimeError, match="'y' may be written"):
        halves(torch.zeros(3), torch.zeros(3), torch.zeros(3))


def test_an_operator_in_an_operator():
    @asc.torch_op("asctest::inner", mutates_args=("x",))
    def inner(x: Tensor) -> None:
        fill[1](x, x.numel(), 1.0)

    @asc.torch_op("asctest::outer", mutates_args=())
    def outer(x: Tensor) -> Tensor:
        inner(x)
        return torch.empty_like(x)

    with pytest.raises(RuntimeError, match=r"asctest::outer.*'x' may be written"):
        outer(torch.zeros(3))
    inner(torch.zeros(3))


def test_a_written_argument_of_a_decorated_function():
    def decorated(fn):
        @functools.wraps(fn)
        def inner(*args, **kwargs):
            return fn(*args, **kwargs)

        return inner

    @asc.torch_op("asctest::decorated", mutates_args=())
    @decorated
    def unnamed(x: Tensor, value: float) -> Tensor:
        fill[1](x, x.numel(), value)
        return torch.empty_like(x)

    with pytest.raises(RuntimeError, match="'x' may be written, and mutates_args"):
        unnamed(torch.zeros(4), 3.0)


def test_a_list_of_written_tensors_and_views_of_one():
    @asc.torch_op("asctest::fill_all", mutates_args=("out",))
    def fill_all(x: Tensor, out: list[Tensor]) -> None:
        for t in out:
            fill[1](t, t.numel(), 2.0)

    whole = torch.zeros(8)
    x = whole[:4]  # shares the counter of writes with what is written
    fill_all(x, [whole[4:], torch.zeros(3)])
    assert whole.tolist() == [0.0] * 4 + [2.0] * 4
    with torch.inference_mode():  # tensors without a counter
        y = torch.zeros(4)
        fill_all(y, [y])
    assert y.tolist() == [2.0] * 4

    @asc.torch_op("asctest::fill_listed", mutates_args=())
    def fill_listed(out: list[Tensor]) -> None:
        fill[1](out[1], out[1].numel(), 2.0)

    with pytest.raises(RuntimeError, match="'out' may be written"):
        fill_listed([torch.zeros(2), torch.zeros(2)])


def test_several_outputs():
    x = torch.arange(10.0).reshape(5, 2)
    for got, expected in zip(split(x, 2), x.split(3), strict=True):
        torch.testing.assert_close(got, expected)


@pytest.mark.parametrize(
    ("op", "arguments"),
    [
        (axpy, lambda: (torch.randn(7), torch.randn(7))),
        (axpy, lambda: (torch.randn(3, 4), torch.randn(3, 4), -2.0)),
        (fill_, lambda: (torch.zeros(5), 2.0)),
        (split, lambda: (torch.randn(5, 3), 2)),
    ],
)
def test_opcheck(op, arguments):
    tests = ("test_schema", "test_autograd_registration", "test_faketensor", "test_aot_dispatch_dynamic")
    assert set(torch.library.opcheck(op, arguments(), test_utils=tests).values()) == {"SUCCESS"}


@pytest.mark.parametrize("dynamic", [False, True, None])
@pytest.mark.parametrize("backend", ["eager", "aot_eager"])
def test_compiled_in_one_piece(backend, dynamic):
    def model(x, y):
        z = axpy(x, y, 3.0).relu()
        fill_(y, 2.0)
        return axpy(z, y) + split(z, 2)[0].sum()

    compiled = torch.compile(model, backend=backend, fullgraph=True, dynamic=dynamic)
    for n in (6, 9, 12):
        x, y = torch.randn(n), torch.randn(n)
        y2 = y.clone()
        expected_z = torch.relu(3.0 * x + y)
        expected = expected_z + 2.0 + expected_z[: -(-n // 2)].sum()
        torch.testing.assert_close(compiled(x, y2), expected)
        assert y2.tolist() == [2.0] * n


def test_sizes_stay_symbols():
    sizes = []

    def backend(graph, inputs):
        sizes.append([type(i).__name__ for i in inputs])
        return graph

    compiled = torch.compile(lambda x: axpy(x, x), backend=backend, fullgraph=True, dynamic=True)
    for n in (10, 11, 12, 300):
        torch.testing.assert_close(compiled(torch.ones(n)), torch.full((n,), 2.0))
    assert len(sizes) == 1, "one graph serves every size"


def test_exported():
    class Model(torch.nn.Module):
        def forward(self, x):
            return axpy(x, x, 2.0)

    program = torch.export.export(Model(), (torch.ones(4),))
    assert "torch.ops.asctest.axpy.default" in program.graph_module.code
    torch.testing.assert_close(program.module()(torch.arange(4.0)), 3 * torch.arange(4.0))


def test_meta_tensors_have_meta_results():
    x = torch.zeros(3, 5, device="meta", dtype=torch.float32)
    z = axpy(x, x)
    assert z.device.type == "meta" and z.shape == (3, 5)


def test_gradients():
    @asc.torch_op("asctest::times", mutates_args=())
    def times(x: Tensor, a: float) -> Tensor:
        y = torch.empty(x.shape)
        axpy_kernel[2](x.contiguous(), torch.zeros_like(y), y, x.numel(), a)
        return y

    x = torch.randn(5, requires_grad=True)
    with pytest.raises(RuntimeError, match="asctest.times.default but no autograd formula"):
        times(x, 2.0).sum().backward()

    def setup_context(ctx, inputs, output):
        ctx.a = inputs[1]

    times.register_autograd(lambda ctx, grad: (times(grad, ctx.a), None), setup_context=setup_context)
    times(x, 2.0).sum().backward()
    assert x.grad.tolist() == [2.0] * 5
    torch.library.opcheck(times, (x, 2.0))
    x.grad = None
    compiled = torch.compile(lambda x: times(times(x, 2.0), 3.0).sum(), backend="aot_eager", fullgraph=True)
    compiled(x).backward()
    assert x.grad.tolist() == [6.0] * 5


def test_vmap():
    @asc.torch_op("asctest::plus", mutates_args=())
    def plus(x: Tensor, y: Tensor) -> Tensor:
        z = torch.empty_like(x)
        axpy_kernel[1](x, y, z, x.numel(), 1.0)
        return z

    @plus.register_vmap
    def _(info, in_dims, x, y):
        x = x.movedim(in_dims[0], 0).contiguous()
        return plus(x, y.expand_as(x).contiguous()), 0

    x = torch.randn(4, 3)
    result = torch.func.vmap(plus, in_dims=(0, None))(x, torch.ones(3))
    torch.testing.assert_close(result, x + 1)


def test_values_are_asked_for():
    @asc.torch_op("asctest::repeat", mutates_args=())
    def repeat(x: Tensor) -> Tensor:
        y = torch.zeros(int(x[0].item()))
        fill[1](y, y.numel(), 1.0)
        return y

    assert repeat(torch.tensor([3.0])).tolist() == [1.0] * 3
    from torch._subclasses.fake_tensor import FakeTensorMode

    with FakeTensorMode(), pytest.raises(Exception) as caught:  # the class is torch's
        repeat(torch.zeros(1))
    if sys.version_info >= (3, 11):
        text = "".join(traceback.format_exception(caught.value))
        assert "repeat (" in text and f"{__file__}:" in text and "@register_fake" in text

    @repeat.register_fake
    def _(x):
        return x.new_empty(torch.library.get_ctx().new_dynamic_size())

    with torch._dynamo.config.patch(capture_dynamic_output_shape_ops=True):
        compiled = torch.compile(lambda x: repeat(x) * 2, backend="aot_eager", fullgraph=True)
        assert compiled(torch.tensor([4.0])).tolist() == [2.0] * 4


# ---- launches are left out in the fake run alone ----


def test_other_launches_on_tensors_without_memory_stay_errors():
    seen = []

    @asc.torch_op("asctest::threads", mutates_args=())
    def threads(x: Tensor) -> Tensor:
        real = []

        def elsewhere():
            y = torch.zeros(4)
            try:
                fill[1](torch.zeros(4, device="meta"), 4, 1.0)
            except TypeError as e:
                real.append(str(e))
            fill[1](y, 4, 1.0)
            real.append(y.tolist())

        thread = threading.Thread(target=elsewhere)
        thread.start()
        thread.join(60)
        seen.append(real)
        return torch.empty_like(x)

    threads(torch.zeros(2, device="meta"))
    ((message, values),) = seen
    assert "has a shape and no memory" in message and values == [1.0] * 4
    with pytest.raises(TypeError, match="has a shape and no memory"):
        fill[1](torch.zeros(4, device="meta"), 4, 1.0)


def test_wrong_arguments_of_a_launch_are_errors_in_the_fake_run_too():
    @asc.torch_op("asctest::wrong", mutates_args=())
    def wrong(x: Tensor) -> Tensor:
        fill[1](x)
        return torch.empty_like(x)

    with pytest.raises(TypeError, match=r"fill\(\) missing 2 required positional arguments"):
        wrong(torch.zeros(2, device="meta"))
    with pytest.raises(TypeError, match=r"fill\(\) missing 2 required positional arguments"):
        wrong(torch.zeros(2))
    y = torch.zeros(2)
    fill[1](y, 2, 1.0)  # an error in the fake run leaves nothing switched off
    assert y.tolist() == [1.0, 1.0]


def test_a_number_of_numpy_is_a_count_in_the_trace_too():
    kept = {}

    @asc.torch_op("asctest::kept_count", mutates_args=())
    def keep(x: Tensor) -> Tensor:
        y = torch.empty_like(x)
        handle = kept.setdefault("handle", fill[np.int64(2)])  # made once, in the trace
        handle(y, x.numel(), 1.0)
        return y

    compiled = torch.compile(keep, backend="aot_eager", fullgraph=True, dynamic=True)
    assert compiled(torch.zeros(5)).tolist() == [1.0] * 5
    assert repr(kept["handle"]) == "<asc kernel fill[2]>"


def test_a_handle_with_a_symbolic_count_does_not_outlive_the_trace():
    kept = []

    @asc.torch_op("asctest::kept", mutates_args=())
    def keep(x: Tensor) -> Tensor:
        y = torch.empty_like(x)
        kept.append(fill[x.numel()])
        kept[-1](y, x.numel(), 1.0)
        return y

    compiled = torch.compile(keep, backend="aot_eager", fullgraph=True, dynamic=True)
    assert compiled(torch.zeros(5)).tolist() == [1.0] * 5
    assert "fill[5]" in repr(kept[-1])
    symbolic = next(handle for handle in kept if "[5]" not in repr(handle))
    with pytest.raises(
        RuntimeError, match=r"fill\[.*\]: this handle was made while a torch operator was traced"
    ):
        symbolic(torch.zeros(5), 5, 1.0)


def test_findings_of_a_launch_come_through():
    @asc.torch_op("asctest::outside", mutates_args=())
    def outside(x: Tensor) -> Tensor:
        y = torch.empty_like(x)
        fill[1](y, y.numel() + 1, 1.0)
        return y

    with pytest.raises(asc.BoundsError, match="outside argument `x`: element 3 of 3") as caught:
        outside(torch.zeros(3))
    assert caught.value.findings
    with pytest.raises(asc.BoundsError, match="outside argument `x`: element 3 of 3"):
        torch.compile(outside, backend="aot_eager", fullgraph=True)(torch.zeros(3))


# ---- refused ----


def test_a_name_belongs_to_one_function():
    def define():
        @asc.torch_op("asctest::taken", mutates_args=())
        def taken(x: Tensor) -> Tensor:
            return x.clone()

        return taken

    define()
    assert define()(torch.ones(2)).tolist() == [1.0, 1.0]  # a cell that is run again
    with pytest.raises(ValueError) as caught:

        @asc.torch_op("asctest::taken", mutates_args=())
        def other(x: Tensor) -> Tensor:
            return x.clone()

    text = str(caught.value)
    assert "asc.torch_op('asctest::taken') of" in text and "other (" in text
    assert "the name is that of" in text and "define.<locals>.taken (" in text
    with pytest.raises(ValueError, match="torch has an operator of this name"):

        @asc.torch_op("aten::relu", mutates_args=())
        def relu(x: Tensor) -> Tensor:
            return x


@pytest.mark.parametrize("name", ["gelu", "a::b::c", "::gelu", "my::", "my::ge-lu", "my.gelu"])
def test_names(name):
    with pytest.raises(ValueError, match="a name is 'namespace::operator', such as 'my::gelu'"):
        asc.torch_op(name, mutates_args=())


def test_what_is_no_function():
    with pytest.raises(TypeError, match="the name is a str, such as 'my::gelu', not function"):
        asc.torch_op(lambda x: x, mutates_args=())
    with pytest.raises(TypeError, match="fill is a kernel; decorate an ordinary function"):
        asc.torch_op("asctest::kernel", mutates_args=())(fill)
    with pytest.raises(TypeError, match="decorates a function, not int"):
        asc.torch_op("asctest::number", mutates_args=())(5)
    with pytest.raises(TypeError, match="mutates_args"):
        asc.torch_op("asctest::nothing")


def test_what_is_no_schema():
    def unannotated(x):
        return x

    def returns_dict(x: Tensor) -> dict:
        return {}

    def plain(x: Tensor) -> Tensor:
        return x

    for fn, mutates in ((unannotated, ()), (returns_dict, ()), (plain, {"z"})):
        with pytest.raises(ValueError) as caught:
            asc.torch_op("asctest::bad", fn, mutates_args=mutates)
        line = fn.__code__.co_firstlineno
        assert f"asc.torch_op('asctest::bad') of {fn.__qualname__} ({__file__}:{line}): " in str(caught.value)


@pytest.mark.parametrize(
    ("torch", "message"),
    [
        (None, "asc.torch_op('my::gelu') needs torch, which cannot be imported"),
        ("old", "needs torch 2.4 or newer, for torch.library.custom_op; this is torch 2.1.0"),
    ],
)
def test_without_torch(torch, message):
    code = f"""
        import sys, types
        import asc
        assert "torch" not in sys.modules
        asc.torch_op
        assert "torch" not in sys.modules
        if {torch!r}:
            module = types.ModuleType("torch")
            module.library, module.__version__ = types.SimpleNamespace(), "2.1.0"
            sys.modules["torch"] = module
        else:
            sys.modules["torch"] = None
        try:
            @asc.torch_op("my::gelu", mutates_args=())
            def gelu(x): ...
        except ImportError as error:
            print(error)
    """
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(code)],
        env={**os.environ, "PYTHONPATH": str(Path(asc.__file__).absolute().parents[1])},
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    assert message in done.stdout
