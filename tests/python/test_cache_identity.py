# SPDX-License-Identifier: Apache-2.0
"""Kernels know objects apart that hold the same: in one process, with a folder and without, and over
processes. What Python computes is what is expected; what did not change is compiled once."""

import json
import pathlib
import re
import types

import cache_programs as programs
import pytest


def read_cases():
    """Of the files beside this one: each name with head, expression, state before and change."""
    shared, cases = {"": ""}, {}
    for group in ("objects", "equals", "rare", "hidden", "libraries"):
        text = pathlib.Path(__file__).with_name(f"cache_identity_{group}.txt").read_text(encoding="utf-8")
        for kind, name, base, body in re.findall(
            r"^(%%|==) ([^\n\[]+?)(?: \[(\w+)\])?\n(.*?)(?=\n\n(?:%%|==)|\n*\Z)", text, re.M | re.S
        ):
            if kind == "%%":
                shared[name] = f"{shared[base]}{body}\n"
                continue
            head, question = re.fullmatch(r"(.*\n)?\?\? (.*)", body, re.S).groups()
            expression, before, after = (part.strip() for part in question.split(" ||"))
            cases[f"{group}: {name}"] = (shared[base] + (head or ""), expression, before, after)
    return cases


CASES = read_cases()
NUMBERS = {name: number for number, name in enumerate(CASES)}
# These change what all programs of a process share.
ALONE = [name for name in CASES if name.startswith("libraries")]
TOGETHER = [name for name in CASES if name not in ALONE]

# Kernels that stay in their process, and why; the others are found by the next one.
NOT_STORED = {
    "objects: key in a frozen dataclass": "hash()",
    "objects: bound method as key": "no path",
    "objects: in a set of two": "its order is of this process",
    "objects: sorted": "no path",
    "equals: id": "builtins.id",
    "equals: id in a helper": "id()",
    "equals: id kept": "id()",
    "equals: hashed by id": "id()",
    "equals: hashed by the hash of object": "__hash__",
    "hidden: slot": "no path",
    "rare: weak keys": "weakref",
    "rare: weak values": "weakref",
    "rare: method of a dict": "no path",
    "rare: method of another dict": "no path",
    "rare: key that is a frozen set of two": "its order is of this process",
    "rare: ufunc of Python": "ufunc",
    "rare: attribute that a module makes": "makes its attributes",
    "rare: attribute that a module makes, otherwise": "makes its attributes",
}
EACH_LAUNCH = [
    "equals: hashed by the hash of object",
    "rare: weak keys",
    "rare: weak values",
    "rare: ufunc of Python",
]
NEW_EACH_TIME = ["rare: new object each time"]  # after the change

KERNEL = """
@asc.jit
def {name}(out: asc.GlobalAddress{parameters}):
    o = asc.GlobalTensor()
    o.set_global_buffer(out)
    o.set_value(0, {expression})


def go():
    try:
        return launch({name}, *globals().get("ARGS", ()))
    except Exception as error:
        return repr(error)


def counts_of(*names):
    return [{name}.cache_info()[name] for name in names]


"""
COUNTS = "counts_of('compiled', 'hits', 'not_stored')"
# Imports the modules of a list, and prints what each says.
DRIVER = """
import importlib, json, sys
sys.path.insert(0, sys.argv[1])
print({name: importlib.import_module(name).RESULT for name in json.load(open(sys.argv[2]))})
"""


def program_of(name, state, folder):
    """`before` and `after` are programs in one state; `changes` goes from one to the other."""
    head, expression, before, after = CASES[name]
    parameters = ", P: asc.ConstExpr, Q: asc.ConstExpr" if "ARGS" in before + after else ""
    kernel = KERNEL.format(name=f"kern{NUMBERS[name]}", parameters=parameters, expression=expression)
    start = f"{programs.HEAD}\nFOLDER = {str(folder)!r}\n{head}\n{before}\n"
    if state == "changes":
        return f"{start}{kernel}RESULT = [go(), go()]\n{after}\nRESULT += [go(), go(), {COUNTS}]\n"
    return f"{start}{after if state == 'after' else ''}\n{kernel}RESULT = [go(), go(), {COUNTS}]\n"


def wanted_of(name, folder):
    """What Python computes before and after the change."""
    head, expression, before, after = CASES[name]
    plain = types.SimpleNamespace(jit=lambda function: function, int32=int)
    space = {"__name__": "wanted", "FOLDER": str(folder), "asc": plain}
    exec(f"{head}\n{before}", space)
    values = []
    for change in ("", after):
        exec(change, space)
        if "ARGS" in space:
            space["P"], space["Q"] = space["ARGS"]
        values.append(eval(expression, space))
    return values


class Runs:
    """Each case in one file a state; all of them run in one process."""

    def __init__(self, folder, names):
        self.folder = folder
        self.modules = {name: f"case_{NUMBERS[name]}" for name in names}
        self.driver, self.list = folder / "driver.py", folder / "list.json"
        for state in ("before", "after", "changes"):
            (folder / state / "own").mkdir(parents=True)
            for name, module in self.modules.items():
                text = program_of(name, state, folder / state / "own")
                (folder / state / f"{module}.py").write_text(text, encoding="utf-8")
        self.driver.write_text(DRIVER)
        self.list.write_text(json.dumps(list(self.modules.values())))

    def run(self, state, cache, **environment):
        printed = programs.run(
            self.driver, self.folder / cache, self.folder / state, self.list, **environment
        )
        return {name: printed[module] for name, module in self.modules.items()}


STEPS = {
    "before, first": ("before", "cache", {}),
    "before, again": ("before", "cache", {"PYTHONHASHSEED": "1"}),
    "after, first": ("after", "cache", {}),
    "after, again": ("after", "cache", {"PYTHONHASHSEED": "2"}),
    "before, later": ("before", "cache", {"PYTHONHASHSEED": "3"}),
    "changes, all stored": ("changes", "cache", {}),
    "changes, new folder": ("changes", "other", {}),
    "changes, no folder": ("changes", "none", {"PYASC_CACHE_MAX_BYTES": "0"}),
}


@pytest.fixture(scope="module")
def together(tmp_path_factory):
    runs = Runs(tmp_path_factory.mktemp("identity"), TOGETHER)
    return {step: runs.run(state, cache, **more) for step, (state, cache, more) in STEPS.items()}


def check_values(step, got, before, after):
    wanted = {"before": [before] * 2, "after": [after] * 2, "changes": [before] * 2 + [after] * 2}
    assert got[:-1] == wanted[STEPS[step][0]], step


@pytest.mark.parametrize("name", TOGETHER)
def test_the_change_is_seen(name, together, tmp_path):
    before, after = wanted_of(name, tmp_path)
    assert before != after, "the case shows nothing"
    for step, found in together.items():
        check_values(step, found[name], before, after)


@pytest.mark.parametrize("name", TOGETHER)
def test_what_did_not_change_is_compiled_once(name, together):
    counts = {step: found[name][-1] for step, found in together.items()}
    for step in ("before, first", "before, again", "before, later", "after, again"):
        compiled, hits, not_stored = counts[step]
        if step.startswith("before"):
            reason = NOT_STORED.get(name, "")
            assert bool(reason) == bool(not_stored) and reason in not_stored, step
        assert compiled == 0 or not_stored or step == "before, first", step
        is_new = name in EACH_LAUNCH or (name in NEW_EACH_TIME and step == "after, again")
        assert hits == (0 if is_new else 1), step
    for step in ("changes, new folder", "changes, no folder"):
        assert counts[step][1] == (0 if name in EACH_LAUNCH else 1 if name in NEW_EACH_TIME else 2), step


ORACLE = """
import types
FOLDER = {folder!r}
asc = types.SimpleNamespace(jit=lambda function: function, int32=int)
{head}
{before}
values = [{expression}]
{after}
print(values + [{expression}])
"""


@pytest.mark.parametrize("name", ALONE)
def test_what_libraries_keep(tmp_path, name):
    head, expression, before, after = CASES[name]
    oracle, own = tmp_path / "oracle.py", tmp_path / "own"
    own.mkdir()
    oracle.write_text(
        ORACLE.format(folder=str(own), head=head, before=before, after=after, expression=expression)
    )
    values = programs.run(oracle, tmp_path / "cache")
    assert values[0] != values[1]
    runs = Runs(tmp_path / "runs", [name])
    for step, (state, cache, more) in STEPS.items():
        got = runs.run(state, cache, **more)[name]
        check_values(step, got, *values)
        if step in ("before, again", "before, later"):
            assert got[-1][0] == 0, step
        for left in (runs.folder / state / "own").glob("comes*"):
            left.unlink()


CACHED = """
import functools
X, Y = 1, (lambda: 2)
@functools.lru_cache
def f():
    return X
@functools.lru_cache
def g(n):
    return n + Y()
"""


def test_what_lru_cache_kept_stays_in_its_process(tmp_path):
    program, cache = tmp_path / "program.py", tmp_path / "cache"
    kernel = KERNEL.format(name="kern", parameters="", expression="f() + 10 * g(2)")
    show = "print([go(), f() + 10 * g(2), *counts_of('compiled')])\n"
    programs.write(program, f"{CACHED}f()\nX = 7\n{kernel}{show}")  # Python's answer here is of X = 1
    assert programs.run(program, cache) == [41, 41, 1]
    programs.write(program, f"{CACHED}X = 7\n{kernel}{show}")
    assert programs.run(program, cache) == [47, 47, 1]
    programs.write(program, f"{CACHED}X = 7\ng(2)\n{kernel}{show}")  # reads no value outside
    assert programs.run(program, cache) == [47, 47, 0]


# How a helper imports a module, and what it reads of it.
IMPORTS = {
    "from .cfg import T": "T",
    "from .cfg import T as U": "U",
    "from . import cfg": "cfg.T",
    "from .sub import low": "low.T",
    "from .sub.low import T": "T",
    "from .sub.low import up": "up()",
    "from pkg import cfg": "cfg.T",
    "import pkg.cfg": "pkg.cfg.T",
    "import pkg.cfg as q": "q.T",
    "import pkg.sub.low": "pkg.T",
    "import cfg": "cfg.T",
}


@pytest.mark.parametrize("statement", IMPORTS)
def test_modules_that_helpers_import(tmp_path, statement):
    package, program, cache = tmp_path / "pkg", tmp_path / "program.py", tmp_path / "cache"
    (package / "sub").mkdir(parents=True)
    (package / "sub" / "__init__.py").write_text("")
    (package / "helper.py").write_text(
        f"cfg = 3\ndef f():\n    {statement}\n    return {IMPORTS[statement]}\n"
    )
    kernel = KERNEL.format(name="kern", parameters="", expression="f()")
    start = f"import cfg, pkg.cfg, pkg.sub.low\nfrom pkg.helper import f\n{kernel}"
    programs.write(program, f"{start}print([go(), *counts_of('compiled')])")
    for value, compiled in ((1, 1), (1, 0), (7, 1), (1, 0)):
        for path in (tmp_path / "cfg.py", package / "cfg.py", package / "__init__.py"):
            path.write_text(f"T = {value}\n")
        (package / "sub" / "low.py").write_text(
            f"T = {value}\ndef up():\n    from ..cfg import T\n    return T\n"
        )
        got = programs.run(program, cache, PYTHONDONTWRITEBYTECODE="1")
        assert got == [value, compiled]
    change = "cfg.T = pkg.T = pkg.cfg.T = pkg.sub.low.T = 7"
    programs.write(program, f"{start}first = go()\n{change}\nprint([first, go()])")
    assert programs.run(program, cache, PYTHONDONTWRITEBYTECODE="1") == [1, 7]


# Values of a program that asks whether two objects are one: they are compared with their identity, and those
# that each question makes anew without.
VALUES = """
import array, collections, dataclasses, datetime, decimal, enum, fractions, functools, operator, re, types
import typing
import numpy as np


@dataclasses.dataclass
class Data:
    x: int = 1
    more: list = dataclasses.field(default_factory=lambda: [1])


class Named(typing.NamedTuple):
    a: object = None


class Kind(enum.Enum):
    A = 1


class Number(enum.IntEnum):
    A = 1


class Plain:
    def __init__(self):
        self.x = [1, (2, [3])]

    @property
    def p(self):
        return [1]

    @functools.lru_cache
    def c(self):
        return 1


class Slots:
    __slots__ = ("a",)

    def __init__(self):
        self.a = [1]


class Items(list):
    pass


class Equal:
    def __init__(self):
        self.x = 1

    def __eq__(self, other):
        return self.x == other.x


def function(a=[1]):
    pass


function.attribute = [1]
plain, structured = Plain(), np.dtype([("a", "i4"), ("b", "f4", (2,))])
VALUES = [
    [1, [2]], {"a": [1]}, {1}, frozenset([1]), bytearray(b"x"), (1, [2]), (1, 2), 1.5, 10**30, "abc", 1j,
    Data(), Named([1]), Kind.A, Number.A, plain, Slots(), Items([1]), Equal(), function, Plain,
    types.ModuleType("m"), [plain, plain], types.SimpleNamespace(a=[1]), Plain.__dict__["p"],
    Plain.__dict__["c"], function.__code__, dataclasses.fields(Data)[0],
    np.arange(3), np.zeros(2, structured), np.zeros(2, np.dtype("i4", metadata={"m": [1]})), structured,
    np.array([plain, [1]], dtype=object), np.array([[plain, None]], dtype=object), np.float32(3),
    collections.OrderedDict(a=[1]), collections.defaultdict(list, a=[1]), collections.deque([[1]]),
    types.MappingProxyType({"a": [1]}), collections.ChainMap({}), collections.Counter("a"),
    functools.partial(function, [1]), re.compile("a"), decimal.Decimal(1), fractions.Fraction(1, 2),
    list[int], int | str, typing.List[int], {"a": 1}.keys(), {"a": 1}.values(), {"a": [1]}.items(),
    array.array("i", [1]), memoryview(b"ab"), slice(1, [2]), range(3), operator.itemgetter(1),
    float("nan"), [float("nan")], np.float64("nan"), asc.float32, asc.add, datetime.timezone.utc,
]
V, W = VALUES[NUMBER], [VALUES[NUMBER]]


def f(v):
    return 1 if v is W[0] else 7


"""


def test_values_of_programs_that_compare_identity_are_kept(tmp_path):
    runs = Runs(tmp_path, [])
    count = VALUES[VALUES.index("VALUES = [") :].count(",")  # at least as many as there are
    modules = [f"value_{number}" for number in range(count)]
    for number, module in enumerate(modules):
        kernel = KERNEL.format(name=f"kern{number}", parameters="", expression="f(V)")
        text = VALUES.replace("VALUES[NUMBER]", f"VALUES[{number} % len(VALUES)]") + kernel
        programs.write(tmp_path / "before" / f"{module}.py", f"{text}RESULT = [go(), go(), go(), {COUNTS}]\n")
    runs.modules = {module: module for module in modules}
    runs.list.write_text(json.dumps(modules))
    for compiled, seed in ((1, "1"), (0, "2")):
        for module, found in runs.run("before", "cache", PYTHONHASHSEED=seed).items():
            assert found == [1, 1, 1, [compiled, 2, ""]], module
