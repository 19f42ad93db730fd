# SPDX-License-Identifier: Apache-2.0
"""The kernel cache over processes: what is found again, and what is compiled again because it changed."""

import os

import cache_programs as programs
import numpy as np
import pytest

import asc
from asc import _asc
from asc.__main__ import main

STALE = """
K = 1


@asc.jit
def twist(v: int) -> int:
    return v + K


@asc.jit
def kern(out: asc.GlobalAddress):
    o = asc.GlobalTensor()
    o.set_global_buffer(out)
    o.set_value(0, twist(10))


r1 = launch(kern)
K = 5
r2 = launch(kern)


@asc.jit
def twist(v: int) -> int:
    return v * 100


print([r1, r2, launch(kern), counts("compiled", "disk_hits")])
"""


def test_stale_code_after_a_global_or_a_helper_changes(tmp_path):
    program, cache = tmp_path / "program.py", tmp_path / "cache"
    edited = STALE.replace("v * 100", "v * 200")
    for text, last, compiled, seed in (
        (STALE, 1000, 3, "0"),
        (STALE, 1000, 0, "1"),
        (edited, 2000, 1, "2"),
        (edited, 2000, 0, "random"),
        (STALE, 1000, 0, "3"),
    ):
        programs.write(program, text)
        got = programs.run(program, cache, PYTHONHASHSEED=seed)
        assert got == [11, 15, last, [compiled, 3 - compiled]]


# Each kernel takes its value from outside in another way; STATE says which value that is.
KINDS = """
import collections, dataclasses, enum, functools, types

STATE = int(sys.argv[1])
V = STATE + 1
by_type = [1, 1.0, True][STATE % 3]


class Plain:
    tile = V

    def double(self):
        return self.tile * 2

    @classmethod
    def of_class(cls):
        return cls.tile * 3

    @property
    def computed(self):
        return self.tile * 5


class Child(Plain):
    def above(self):
        return super().double() + 1


class Made:
    def __init__(self):
        self.size = V * 4


class Callable:
    def __init__(self, factor):
        self.factor = factor

    def __call__(self, x):
        return x * self.factor


@dataclasses.dataclass
class Config:
    a: int = 1
    b: list = dataclasses.field(default_factory=list)

    def total(self):
        return self.a + sum(self.b)


class Mode(enum.Enum):
    SLOW = 3
    FAST = 4


Pair = collections.namedtuple("Pair", "x y")
config = Config(V, [V, 2 * V])
plain, child, call_me = Plain(), Child(), Callable(V)
settings = types.ModuleType("settings")
settings.depth, settings.inner = V, types.SimpleNamespace(deep=V * 7)
sys.modules["settings"] = settings
table = {"a": [V], 2: (V, V)}
queue, ordered, raw_bytes = collections.deque([V]), collections.OrderedDict(a=V), bytearray([V])
nested = (1, [V])
mode = [Mode.SLOW, Mode.FAST][STATE % 2]
pair = Pair(V, 2)
helpers = [None]


def pick():
    return table["a"][0] + settings.depth


def outer():
    return pick() + 1


def with_default(x, extra=V):
    return x + extra


def imports():
    import settings

    return settings.depth * 11


@functools.lru_cache
def cached():
    return V * 13


def factory(value):
    @asc.jit
    def inner(out: asc.GlobalAddress):
        o = asc.GlobalTensor()
        o.set_global_buffer(out)
        o.set_value(0, value + 1)

    return inner


@asc.jit
def low(v: int) -> int:
    return v + V


@asc.jit
def high(v: int) -> int:
    return low(v) * 2


helpers[0] = high


@asc.jit
def defaulted(v: int, c: asc.ConstExpr[int] = V) -> int:
    return v * c


"""
EXPRESSIONS = {
    "V": lambda v: v,
    "low(1)": lambda v: 1 + v,
    "high(1)": lambda v: 2 * (1 + v),
    "helpers[0](2)": lambda v: 2 * (2 + v),
    "defaulted(3)": lambda v: 3 * v,
    "plain.tile": lambda v: v,
    "plain.double()": lambda v: 2 * v,
    "plain.computed": lambda v: 5 * v,
    "Plain.of_class()": lambda v: 3 * v,
    "child.above()": lambda v: 2 * v + 1,
    "Made().size": lambda v: 4 * v,
    "call_me(6)": lambda v: 6 * v,
    "config.a + config.b[1]": lambda v: 3 * v,
    "config.total()": lambda v: 4 * v,
    "settings.inner.deep": lambda v: 7 * v,
    "table['a'][0] + table[2][1]": lambda v: 2 * v,
    "queue[0]": lambda v: v,
    "ordered['a']": lambda v: v,
    "raw_bytes[0]": lambda v: v,
    "nested[1][0]": lambda v: v,
    "mode.value": lambda v: 3 if v % 2 else 4,
    "pair.x + pair.y": lambda v: v + 2,
    "pick()": lambda v: 2 * v,
    "outer()": lambda v: 2 * v + 1,
    "with_default(1)": lambda v: 1 + v,
    "imports()": lambda v: 11 * v,
    "cached()": lambda v: 13 * v,
    "getattr(settings, 'depth')": lambda v: v,
    "(8 if hasattr(settings, f'on{V}') else 9)": lambda v: 9,
    "functools.reduce(lambda_add, [V, 1])": lambda v: v + 1,
    "max(table['a'])": lambda v: v,
    "len(queue) + sum(queue)": lambda v: 1 + v,
}
KERNEL = """
@asc.jit
def kernel_{i}(out: asc.GlobalAddress):
    o = asc.GlobalTensor()
    o.set_global_buffer(out)
    o.set_value(0, {expression})


"""


def kinds_program(path):
    text = KINDS + "def lambda_add(a, b):\n    return a + b\n\n\n"
    for i, expression in enumerate(EXPRESSIONS):
        text += KERNEL.format(i=i, expression=expression)
    text += "made = factory(V)\nresults = []\n"
    names = [f"kernel_{i}" for i in range(len(EXPRESSIONS))] + ["made"]
    text += f"for k in [{', '.join(names)}]:\n"
    text += "    value = launch(k)\n    info = k.cache_info()\n"
    text += "    results.append((value, info['compiled'], info['disk_hits'], info['not_stored']))\n"
    text += "print(results)\n"
    return programs.write(path, text)


def test_every_kind_of_change_is_compiled_and_nothing_else(tmp_path):
    program, cache = kinds_program(tmp_path / "program.py"), tmp_path / "cache"
    names = [*EXPRESSIONS, "made"]
    for run, state in enumerate((0, 1, 0, 1)):
        got = programs.run(program, cache, state)
        wanted = [make(state + 1) for make in EXPRESSIONS.values()] + [state + 2]
        assert {n: g[0] for n, g in zip(names, got)} == dict(zip(names, wanted))
        assert {n: g[3] for n, g in zip(names, got) if g[3]} == {}
        new = run < 2
        for name, (_, compiled, hits, _) in zip(names, got):
            expected = (1, 0) if new else (0, 1)
            if run == 1 and name.startswith("(8 if"):  # its text reads V
                expected = (1, 0)
            assert (compiled, hits) == expected, (run, name)


CONSTANTS = """
@asc.jit
def kern(out: asc.GlobalAddress, C: asc.ConstExpr):
    o = asc.GlobalTensor()
    o.set_global_buffer(out)
    o.set_value(0, len(str(C)) if not isinstance(C, (list, dict)) else len(C))


values = [1, 1.0, True, 0.0, -0.0, float("nan"), "1", b"1", None, (1, 2), [1, 2], [1, 2.0], {1: 2}, {1: 2.0},
          asc.float32, asc.TPosition.VECIN, 10**30, frozenset({1}), range(3), 1j]
print([[launch(kern, v) for v in values], counts("compiled", "disk_hits")])
"""


def test_constants_of_equal_value_and_other_type_differ(tmp_path):
    program, cache = programs.write(tmp_path / "program.py", CONSTANTS), tmp_path / "cache"
    first = programs.run(program, cache, PYTHONHASHSEED="1")
    second = programs.run(program, cache, PYTHONHASHSEED="2")
    assert first[0] == second[0]
    assert first[0][:6] == [1, 3, 4, 3, 4, 3]
    assert (first[1], second[1]) == ([20, 0], [0, 20])


OPTIONS = """
@asc.jit
def kern(out: asc.GlobalAddress, n: int):
    o = asc.GlobalTensor()
    o.set_global_buffer(out)
    o.set_value(0, int(n))


variants = [kern, kern.options(auto_sync=False), kern.options(kernel_type="AIV_ONLY"),
            kern.options(kernel_type="AIC_ONLY"), kern.options(platform="Ascend910B2")]
results = [launch(k, 7) for k in variants] + [launch(kern, 7.0), launch(kern, True), launch(kern, -7)]
print([results, counts("compiled", "disk_hits")])
"""


def test_options_platforms_and_argument_types_make_kernels_of_their_own(tmp_path):
    program, cache = programs.write(tmp_path / "program.py", OPTIONS), tmp_path / "cache"
    first, second = programs.run(program, cache), programs.run(program, cache)
    assert first[0] == second[0] == [7] * 6 + [1, -7]
    assert (first[1], second[1]) == ([8, 0], [0, 8])


FINDING = """{above}
def make():
{pad}@asc.jit
{pad}def helper(o: asc.GlobalTensor, at: int):
{pad}    o.set_value(at, 1)  # the access

{pad}@asc.jit
{pad}def kern(out: asc.GlobalAddress, n: int):
{pad}    o = asc.GlobalTensor()
{pad}    o.set_global_buffer(out, 8)
{pad}    helper(o, n)
{pad}return kern


try:
    launch(make(), 100)
except asc.KernelError as error:
    finding = error.findings[0]
    lines = open(__file__).read().splitlines()
    site = finding.site
    print([lines[site.line - 1].strip(), site.text.strip(), site.file == __file__,
           lines[site.line - 1][site.col:site.end_col], counts("compiled")])
"""


def test_lines_and_columns_are_those_of_the_text_now(tmp_path):
    cache = tmp_path / "cache"
    compiled = []
    for i, (above, pad) in enumerate(
        (("", "    "), ("# one line\n" * 9, "    "), ("", "        "), ("X = 1\n", "  "), ("", "\t"))
    ):
        text = FINDING.format(above=above, pad=pad)
        if len(pad) == 8:
            text = text.replace("def make():", "def make():\n    if True:").replace(
                "        return kern", "    return kern"
            )
        got = programs.run(programs.write(tmp_path / f"program{i}.py", text), cache)
        assert got[:3] == ["o.set_value(at, 1)  # the access"] * 2 + [True]
        assert got[3] == "o.set_value(at, 1)"
        compiled.append(got[4][0])
    assert compiled == [1, 0, 0, 0, 0]


def outcomes(kernel, grid, arguments):
    """Texts, metadata, findings known early, and what a launch gives."""
    compiled = kernel[grid].compile(*arguments())
    texts = {name: compiled.text[name] for name in compiled.text}
    values = [np.array(a) if isinstance(a, np.ndarray) else a for a in arguments()]
    kernel.options(on_finding="collect")[grid](*values)
    arrays = [a.tobytes() for a in values if isinstance(a, np.ndarray)]
    findings = [
        finding.to_dict() if hasattr(finding, "to_dict") else str(finding) for finding in asc.last_findings()
    ]
    return texts, compiled.meta, [str(d) for d in compiled.diagnostics], arrays, findings


def test_a_loaded_kernel_is_the_compiled_one(monkeypatch, tmp_path):
    monkeypatch.setenv("PYASC_CACHE_DIR", str(tmp_path))
    from test_golden import CASES

    for case in CASES:
        name, kernel, grid, arguments = case.values
        fresh = outcomes(kernel.options(always_compile=True), grid, arguments)
        kernel.clear_cache()
        kernel[grid].compile(*arguments())
        kernel.clear_cache()
        assert _asc.cache_drain()
        before = kernel.cache_info()
        loaded = outcomes(kernel, grid, arguments)
        after = kernel.cache_info()
        assert after["disk_hits"] == before["disk_hits"] + 1, (
            name,
            after["not_stored"],
            after["last_disk_miss"],
        )
        assert after["compiled"] == before["compiled"], name
        assert loaded == fresh, name


@asc.jit
def store(out: asc.GlobalAddress, value: asc.ConstExpr):
    o = asc.GlobalTensor()
    o.set_global_buffer(out)
    o.set_value(0, value)


def launch(kernel, *arguments):
    out = np.zeros(8, np.int32)
    kernel[1](out, *arguments)
    return int(out[0])


@pytest.fixture
def cache(monkeypatch, tmp_path):
    """An empty folder, and nothing in memory."""
    monkeypatch.setenv("PYASC_CACHE_DIR", str(tmp_path / "cache"))
    store.clear_cache()
    yield tmp_path / "cache"
    _asc.cache_drain()


def test_always_compile_neither_reads_nor_writes(cache):
    kernel = store.options(always_compile=True)
    assert [launch(kernel, 3) for _ in range(2)] == [3, 3]
    assert _asc.cache_drain() and not cache.exists()
    launch(store, 3)
    assert _asc.cache_drain() and len(programs.files(cache)) == 2
    before = store.cache_info()
    launch(kernel, 3)
    after = store.cache_info()
    assert after["compiled"] == before["compiled"] + 1 and after["disk_hits"] == before["disk_hits"]


def test_the_reason_of_a_miss_is_told(cache):
    launch(store, 3)
    assert store.cache_info()["last_disk_miss"] == "no such kernel is stored"
    _asc.cache_drain()
    launch(store, 4)
    assert store.cache_info()["last_disk_miss"] == "compile-time arguments"
    assert store.cache_info()["last_miss"] == "compile-time argument 'value'"
    launch(store.options(auto_sync=False), 3)
    assert store.cache_info()["last_disk_miss"] == "options"
    with_lock = [3]

    class Opaque:
        __slots__ = ("generator",)

        def __init__(self):
            self.generator = iter(with_lock)

        def __index__(self):
            return 5

    opaque = Opaque()

    @asc.jit
    def reads(out: asc.GlobalAddress):
        o = asc.GlobalTensor()
        o.set_global_buffer(out)
        o.set_value(0, 6 if opaque else 7)

    assert launch(reads) == 6
    assert "list_iterator" in reads.cache_info()["not_stored"]


def test_a_limit_of_nothing_turns_the_cache_off(cache, monkeypatch):
    monkeypatch.setenv("PYASC_CACHE_MAX_BYTES", "0")
    assert launch(store, 3) == 3
    assert _asc.cache_drain() and not cache.exists()


def test_the_command_line(cache, capsys):
    assert launch(store, 3) == 3
    _asc.cache_drain()
    assert main(["cache", "ls"]) == 0
    listed = capsys.readouterr().out.splitlines()
    assert len(listed) == 1 and listed[0].endswith("store")
    assert main(["cache", "stats"]) == 0
    shown = dict(line.split(None, 1) for line in capsys.readouterr().out.splitlines())
    assert shown["folder"] == str(cache) and shown["stored"] == "1" and shown["misses"] == "1"
    assert main(["cache", "verify"]) == 0
    assert capsys.readouterr().out.startswith("2 files, 0 damaged")
    path = programs.files(cache)[0]
    path.write_bytes(path.read_bytes()[:-1])
    assert main(["cache", "verify"]) == 1
    assert not path.exists()
    assert main(["cache", "clear"]) == 0
    assert programs.files(cache) == [] and not (cache / "index.sqlite3").exists()
    store.clear_cache()
    assert launch(store, 3) == 3
    with pytest.raises(SystemExit):
        main(["cache", "mend"])


def test_statistics(cache):
    before = asc.cache_info()["process"]
    launch(store, 3)
    _asc.cache_drain()
    store.clear_cache()
    launch(store, 3)
    launch(store, 3)
    _asc.cache_drain()
    info = asc.cache_info()
    gained = {
        name: info["process"][name] - before[name] for name in ("hits", "disk_hits", "compiled", "stored")
    }
    assert gained == {"hits": 1, "disk_hits": 1, "compiled": 1, "stored": 1}
    assert info["disk"]["folder"] == str(cache)
    assert (info["disk"]["hits"], info["disk"]["misses"], info["disk"]["stored"]) == (1, 1, 1)
    assert info["disk"]["files"] == len(programs.files(cache)) == 2
    assert info["disk"]["bytes"] == sum(os.path.getsize(path) for path in programs.files(cache))


LOOPS = """
import asc
import numpy as np

SIZES = [3, 5, 8]

@asc.jit
def loops(out: asc.GlobalAddress):
    o = asc.GlobalTensor()
    o.set_global_buffer(out)
    at = 0
    for i, v in enumerate(SIZES):
        o.set_value(at + i, v)
    for v in reversed(SIZES):
        o.set_value(at + 3, v)
        at += 1
    for a, b in zip(SIZES, map(abs, SIZES)):
        o.set_value(at + 3, a + b)
        at += 1
    for v in filter(None, SIZES):
        o.set_value(at + 3, v)
        at += 1

out = np.zeros(16, np.int32)
loops[1](out)
info = loops.cache_info()
print([out.tolist(), info["compiled"], info["not_stored"]])
"""


def test_loops_over_what_builtins_make_of_lists_are_stored(tmp_path):
    def run(text, compiled):
        (tmp_path / "loops.py").write_text(text)
        sizes = [int(n) for n in text.split("SIZES = [")[1].split("]")[0].split(",")]
        wanted = [*sizes, *reversed(sizes), *(2 * n for n in sizes), *sizes, 0, 0, 0, 0]
        assert programs.run(tmp_path / "loops.py", tmp_path / "cache") == [wanted, compiled, ""]

    run(LOOPS, 1)
    run(LOOPS, 0)
    changed = LOOPS.replace("[3, 5, 8]", "[3, 6, 8]")
    run(changed, 1)
    run(changed, 0)
