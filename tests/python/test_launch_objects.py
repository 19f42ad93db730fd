# SPDX-License-Identifier: Apache-2.0
"""Kernels and handles as Python objects: copied, pickled, collected; streams, backends, interpreters."""

import copy
import ctypes
import gc
import importlib.util
import os
import pathlib
import pickle
import subprocess
import sys
import textwrap
import weakref

import numpy as np
import pytest

import asc
import asc.lib.runtime as rt
from asc.runtime import config


@asc.jit
def fill(x: asc.GlobalAddress, n: int, value: float):
    g = asc.GlobalTensor()
    g.set_global_buffer(x)
    for i in range(n):
        g.set_value(i, value)


quick_fill = fill.options(mode="fast")


class Holder:
    @asc.jit
    def filled(self, x: asc.GlobalAddress):
        g = asc.GlobalTensor()
        g.set_global_buffer(x)
        g.set_value(0, self.value)

    quickly = filled.options(mode="fast")

    def __init__(self, value):
        self.value = value

    def __eq__(self, other):
        return self.value == other.value

    __hash__ = None


def run_python(program, **options):
    return subprocess.run(
        [sys.executable, "-c", textwrap.dedent(program)],
        capture_output=True,
        text=True,
        timeout=120,
        **options,
    )


# ---- copies and pickles


def test_a_copy_of_a_kernel_is_the_kernel():
    handle = fill[4]
    for thing in (fill, quick_fill, handle):
        assert copy.copy(thing) is thing
        assert copy.deepcopy(thing) is thing
    assert copy.deepcopy({"k": [fill, handle]}) == {"k": [fill, handle]}


@pytest.mark.parametrize("protocol", range(pickle.HIGHEST_PROTOCOL + 1))
def test_kernels_are_pickled_by_name(protocol):
    assert pickle.loads(pickle.dumps(fill, protocol)) is fill
    again = pickle.loads(pickle.dumps(quick_fill, protocol))
    assert again.default_options == {"mode": "fast"} and again.fn is fill.fn
    handle = pickle.loads(pickle.dumps(fill[3], protocol))
    assert repr(handle) == "<asc kernel fill[3]>"
    x = np.zeros(4, np.float32)
    handle(x, 4, 2.0)
    assert x.tolist() == [2.0] * 4


def test_a_kernel_of_an_instance_is_pickled_with_it():
    bound = pickle.loads(pickle.dumps(Holder(7.0).filled))
    x = np.zeros(4, np.float32)
    bound[1](x)
    assert x[0] == 7.0


@pytest.mark.parametrize(
    ("kernel", "options"),
    [
        (lambda holder: holder.filled.options(mode="fast"), {"mode": "fast"}),
        (lambda holder: holder.quickly, {"mode": "fast"}),
        (lambda holder: holder.quickly.options(threads=1), {"mode": "fast", "threads": 1}),
        (
            lambda holder: holder.filled.options(mode="fast").options(threads=1),
            {"mode": "fast", "threads": 1},
        ),
    ],
)
def test_a_method_is_pickled_with_its_options(kernel, options):
    again = pickle.loads(pickle.dumps(kernel(Holder(7.0))))
    assert again.default_options == options
    x = np.zeros(4, np.float32)
    again[1](x)
    assert x[0] == 7.0


def test_what_wraps_itself_is_no_function():
    class Itself:
        def __getattr__(self, name):
            return self

    class Endless:
        @property
        def __wrapped__(self):
            return Endless()

    class Interrupted:
        @property
        def __wrapped__(self):
            raise KeyboardInterrupt

    for thing in (Itself(), Endless()):
        with pytest.raises(TypeError, match="takes a function written with def"):
            asc.jit(thing)
    with pytest.raises(KeyboardInterrupt):
        asc.jit(Interrupted())


def test_a_kernel_without_a_name_is_refused_as_functions_are():
    @asc.jit
    def inner(x: asc.GlobalAddress):
        pass

    with pytest.raises((pickle.PicklingError, AttributeError), match="inner"):
        pickle.dumps(inner)


def test_torch_modules_with_kernels_are_copied():
    torch = pytest.importorskip("torch")

    class Layer(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.kernel = fill
            self.launch = fill[2]

    layer = copy.deepcopy(Layer())
    assert layer.kernel is fill


def test_a_kernel_travels_to_a_spawned_process(tmp_path):
    (tmp_path / "work.py").write_text(
        textwrap.dedent(
            """
            import multiprocessing, sys
            import numpy as np
            import asc

            @asc.jit
            def fill(x: asc.GlobalAddress, n: int, value: float):
                g = asc.GlobalTensor()
                g.set_global_buffer(x)
                for i in range(n):
                    g.set_value(i, value)

            def run(kernel, handle):
                x = np.zeros(4, np.float32)
                kernel[1](x, 2, 3.0)
                handle(x[2:], 2, 4.0)
                return x.tolist()

            if __name__ == "__main__":
                with multiprocessing.get_context("spawn").Pool(1) as pool:
                    print(pool.apply(run, (fill, fill[1])))
            """
        )
    )
    done = subprocess.run(
        [sys.executable, str(tmp_path / "work.py")], capture_output=True, text=True, timeout=120
    )
    assert done.stdout.strip() == "[3.0, 3.0, 4.0, 4.0]", done.stderr


# ---- references

MODULE = """
import asc

K = [3]

class Box:
    def __init__(self):
        self.kernel = kernel

@asc.jit
def helper(g, i):
    g.set_value(i, K[0])

@asc.jit
def kernel(x: asc.GlobalAddress, n: asc.ConstExpr[int] = 2):
    g = asc.GlobalTensor()
    g.set_global_buffer(x)
    for i in range(n):
        helper(g, i)

fast = kernel.options(mode="fast")
handle = kernel[2]
box = Box()
"""


def load_module(path):
    spec = importlib.util.spec_from_file_location("asc_test_module", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_kernels_that_only_hold_themselves_are_collected(tmp_path):
    path = tmp_path / "kernels.py"
    path.write_text(MODULE)
    module = load_module(path)
    x = np.zeros(4, np.int32)
    module.handle(x)
    module.fast[1](x, 3)
    assert x.tolist() == [3, 3, 3, 0]
    watched = [weakref.ref(thing) for thing in (module.kernel, module.helper, module.fast, module.kernel.fn)]
    del module
    gc.collect()
    assert [ref() for ref in watched] == [None] * 4


def test_a_kernel_in_its_own_closure_is_collected():
    def make():
        n = [5]

        @asc.jit
        def inner(x: asc.GlobalAddress):
            g = asc.GlobalTensor()
            g.set_global_buffer(x)
            g.set_value(0, n[0])

        n.append(inner)
        return inner

    kernel = make()
    x = np.zeros(2, np.int32)
    kernel[1](x)
    assert x[0] == 5
    watched = weakref.ref(kernel)
    del kernel
    gc.collect()
    assert watched() is None


def test_a_kernel_called_while_its_cycle_is_taken_apart_does_not_crash():
    done = run_python(
        """
        import gc, linecache, sys
        import numpy as np
        import asc
        text = '''
        import asc
        N = 3
        @asc.jit
        def kernel(x: asc.GlobalAddress):
            g = asc.GlobalTensor()
            g.set_global_buffer(x)
            g.set_value(0, N)
        class Last:
            def __init__(self): self.handle, self.np, self.seen = kernel[1], np, seen
            def __del__(self):
                x = self.np.zeros(1, self.np.int32)
                try:
                    self.handle(x)
                except Exception as error:
                    self.seen.append(type(error).__name__)
                else:
                    self.seen.append(int(x[0]))
        '''
        import textwrap
        text = textwrap.dedent(text)
        linecache.cache["<cycle>"] = (len(text), None, text.splitlines(True), "<cycle>")
        seen = []
        for i in range(200):
            space = {"np": np, "seen": seen, "__name__": "cycle"}
            exec(compile(text, "<cycle>", "exec"), space)
            space["last"] = space["Last"]()
            if i % 2:
                space["kernel"][1](np.zeros(1, np.int32))
            del space
            gc.collect()
        print(len(seen), sorted(set(map(str, seen))))
        """
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("200 ["), done.stdout + done.stderr


def resident():
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * 4096


@pytest.mark.skipif("ASC_UNDER_SANITIZER" in os.environ, reason="a sanitizer keeps freed memory")
def test_loading_and_dropping_kernels_keeps_no_memory(tmp_path):
    (tmp_path / "kernels.py").write_text(MODULE)
    done = run_python(  # alone in a process: what other tests left would be in the figure
        f"""
        import gc, sys
        sys.path.insert(0, {str(pathlib.Path(__file__).parent)!r})
        import numpy as np
        from test_launch_objects import load_module, resident

        def turns(count):
            for _ in range(count):
                load_module({str(tmp_path / "kernels.py")!r}).handle(np.zeros(4, np.int32))
            gc.collect()

        turns(300)
        before = resident()
        turns(600)
        print(resident() - before)
        """
    )
    assert int(done.stdout) < 2_000_000, done.stderr  # it was 25 KB each


# ---- streams


def test_streams_of_the_package_and_of_torch_are_taken():
    x = np.zeros(2, np.float32)
    streams = [None, rt.current_stream(), rt.create_stream(), ctypes.c_void_p(0)]
    torch = sys.modules.get("torch")
    if torch:
        streams += [torch.cpu.current_stream(), torch.cpu.Stream()]
    for value, stream in enumerate(streams):
        fill[1, stream](x, 1, float(value))
        assert x[0] == value


@pytest.mark.parametrize("stream", [object(), "0", [1], {}, rt.Stream, np.zeros(1), lambda: None])
def test_what_is_no_stream_is_refused_by_name(stream):
    with pytest.raises(TypeError, match=r"fill\[cores, stream\]: the stream is .*; expected None"):
        fill[1, stream]


@pytest.mark.parametrize("second", [8, 0, np.int64(3), 1.5, True])
def test_a_second_number_is_no_stream(second):
    with pytest.raises(TypeError, match="grids are one-dimensional"):
        fill[4, second]


def test_a_destroyed_stream_takes_no_launch():
    stream = rt.create_stream()
    handle = fill[1, stream]
    x = np.zeros(1, np.float32)
    handle(x, 1, 1.0)
    rt.destroy_stream(stream)
    for attempt in (lambda: handle(x, 1, 2.0), lambda: fill[1, stream](x, 1, 2.0)):
        with pytest.raises(asc.LaunchError, match="stream has been destroyed"):
            attempt()
    with pytest.raises(asc.LaunchError, match="stream has been destroyed"):
        rt.synchronize(stream)
    assert x[0] == 1.0
    with pytest.raises(ValueError, match="default stream"):
        rt.destroy_stream(rt.current_stream())


@pytest.mark.parametrize("name", ["core_num", "stream"])
def test_cores_and_stream_as_keywords_are_refused(name):
    with pytest.raises(TypeError, match=rf"fill\(\) got '{name}' as a keyword; it is given in brackets"):
        fill[1](np.zeros(1, np.float32), 1, 1.0, **{name: 1})


# ---- options


@pytest.mark.parametrize("ignore", ["bound", ("bounds", "Sync"), "bounds+ASC-B999"])
def test_unknown_kinds_to_ignore_are_refused_with_the_list(ignore, monkeypatch):
    with pytest.raises(ValueError, match="ignore=.*is no kind of finding; known are .*bounds.*sync"):
        fill.options(ignore=ignore)
    if isinstance(ignore, str):
        monkeypatch.setenv("PYASC_SIM", f"ignore={ignore}")
        with pytest.raises(asc.LaunchError, match="PYASC_SIM: ignore=.*is no kind of finding"):
            fill[1](np.zeros(1, np.float32), 1, 1.0)


@pytest.mark.parametrize("ignore", [5, [1], [None, "bounds"]])
def test_what_are_no_kinds_is_refused_by_name(ignore):
    with pytest.raises(TypeError, match=r"options\(\): ignore takes kinds of findings.*, got "):
        fill.options(ignore=ignore)


@pytest.mark.parametrize("ignore", ["bounds", ("bounds",), ["sync", "ASC-B102"], ()])
def test_kinds_and_ids_can_be_ignored(ignore):
    kernel = fill.options(ignore=ignore, on_finding="collect")
    kernel[1](np.zeros(1, np.float32), 2, 1.0)
    assert len(asc.last_findings()) == (0 if ignore else 1)


# ---- backends


def test_an_npu_backend_without_a_device_says_so(monkeypatch):
    x = np.zeros(2, np.float32)
    with pytest.raises(RuntimeError, match="NPU"):
        config.set_platform(config.Backend.NPU)
    assert rt.is_model()
    config.set_platform(config.Backend.NPU, config.Platform.Ascend910B3, check=False)
    try:
        assert not rt.is_model() and not rt.is_available() and rt.device_count() == 0
        for _ in range(2):
            with pytest.raises(asc.LaunchError, match="backend is NPU"):
                fill[1](x, 1, 1.0)
        assert x[0] == 0
        with pytest.raises(ValueError, match="core count"):
            fill[0](x, 1, 1.0)
        compiled = fill[1].compile(x, 1, 1.0)
        assert compiled.meta["platform"] == "Ascend910B3"
        monkeypatch.setenv("PYASC_DRY_RUN", "1")
        fill[1](x, 1, 1.0)
    finally:
        config.set_platform("Model")
        monkeypatch.delenv("PYASC_DRY_RUN", raising=False)
    fill[1](x, 1, 1.0)
    assert x[0] == 1.0 and rt.is_available()


# ---- the module itself


@pytest.mark.skipif(sys.version_info >= (3, 13), reason="the module has another name")
def test_a_sub_interpreter_is_refused_cleanly():
    done = run_python(
        """
        import _xxsubinterpreters as interpreters
        import sys
        tries = '''
        import sys
        sys.path[:0] = %r
        for _ in range(2):
            try:
                import asc
            except ImportError as error:
                print("refused:", error)
        ''' % (sys.path,)
        import textwrap
        for asc_first in (False, True):
            if asc_first:
                import asc
            interpreter = interpreters.create()
            interpreters.run_string(interpreter, textwrap.dedent(tries))
            interpreters.destroy(interpreter)
        import asc, numpy
        print("still works:", asc.float32.sizeof())
        """
    )
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    assert len(lines) == 5 and lines[-1] == "still works: 4", done.stdout
    assert all("main interpreter only" in line for line in lines[:-1])


def test_a_second_import_finds_the_same_core():
    done = run_python(
        """
        import sys
        import asc
        first = asc._asc.JITFunction
        for name in [name for name in sys.modules if name == "asc" or name.startswith("asc.")]:
            del sys.modules[name]
        import asc
        assert asc._asc.JITFunction is first and asc.float32.sizeof() == 4
        print("same")
        """
    )
    assert done.stdout.strip() == "same", done.stderr
