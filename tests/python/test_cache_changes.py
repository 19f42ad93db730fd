# SPDX-License-Identifier: Apache-2.0
"""Changes that a kept kernel must not survive: each program runs with one text, then with another on the same
folder, and then the change is made while the process runs."""

import cache_programs as programs
import pytest

KERNEL = """

@asc.jit
def kern(out: asc.GlobalAddress):
    o = asc.GlobalTensor()
    o.set_global_buffer(out)
    o.set_value(0, {})

"""

CLASS = """
class C:
    def __init__(self, x):
        self.x = x

    def get(self):
        return self.x

    @asc.jit
    def add(self, y):
        return y + self.x
"""

CLOSURES = """
def make(v):
    @asc.jit
    def h(y):
        return y + v
    return h


def pair(v, w):
    @asc.jit
    def f(y):
        return y + v
    @asc.jit
    def g(y):
        return y + w
    return f, g


def shared(v):
    @asc.jit
    def f(y):
        return y + v
    @asc.jit
    def g(y):
        return y + v
    return f, g


def of_class(v):
    class Q:
        def get(self):
            return v
    return Q
"""

MODULES = """
import types

one, two = types.ModuleType("m"), types.ModuleType("m")
one.x, two.x = 1, 5
"""

# What is defined; the expression; the state before, with its value; the state after, with its value.
ALIASES = {
    "globals": (CLASS, "A.x * 10 + B.x", "A = C(1)\nB = A", 11, "B = C(5)", 15),
    "items": (CLASS, "L[0].x * 10 + L[1].x", "a = C(1)\nL = [a, a]", 11, "L[1] = C(5)", 15),
    "loop": (CLASS, "sum([q.x for q in L])", "a = C(1)\nL = [a, a]", 2, "L[1] = C(5)", 6),
    "attributes": (CLASS, "A.x.x * 10 + B.x.x", "s = C(1)\nA, B = C(s), C(s)", 11, "B.x = C(5)", 15),
    "classes": (
        CLASS + "class P:\n    v = 1\nclass Q:\n    v = 5\n",
        "A.v * 10 + B.v",
        "A = B = P",
        11,
        "B = Q",
        15,
    ),
    "classes of objects": (
        CLOSURES,
        "A.get() * 10 + B.get()",
        "q = of_class(1)\nA, B = q(), q()",
        11,
        "B = of_class(5)()",
        15,
    ),
    "kernel functions": (CLOSURES, "A(0) * 10 + B(0)", "A = make(1)\nB = A", 11, "B = make(5)", 15),
    "captured variables": (CLOSURES, "A(0) * 10 + B(0)", "A, B = shared(1)", 11, "B = pair(1, 5)[1]", 15),
    "cells": (CLOSURES, "A(0) * 10 + B(0)", "A, B = shared(1)", 11, "B = shared(5)[1]", 15),
    "jit methods": (CLASS, "A.add(0) * 10 + B.add(0)", "A = C(1)\nB = A", 11, "B = C(5)", 15),
    "bound methods": (CLASS, "A() * 10 + B()", "a = C(1)\nA, B = a.get, a.get", 11, "B = C(5).get", 15),
    "bound jit methods of others": (
        CLASS,
        "A.m(0) * 10 + B.m(0)",
        "c = C(1)\nA, B = C(2), C(2)\nA.m = B.m = c.add",
        11,
        "B.m = C(5).add",
        15,
    ),
    "modules": (MODULES, "A.x * 10 + B.x", "A = B = one", 11, "B = two", 15),
    "defaults": (
        CLASS,
        "A.x * 10 + h(0)",
        "A = C(1)\nD = A\n@asc.jit\ndef h(y, c=D):\n    return y + c.x",
        11,
        "D = C(5)\n@asc.jit\ndef h(y, c=D):\n    return y + c.x",
        15,
    ),
}


def check(tmp_path, head, expression, before, first, after, second):
    """The kernel gives `first`, and `second` after the change: in one process, and in one for each text."""
    cache, program = tmp_path / "cache", tmp_path / "program.py"
    kernel = KERNEL.format(expression)
    texts = (
        (f"{head}\n{before}\n{kernel}\nprint(launch(kern))", first),
        (f"{head}\n{before}\n{after}\n{kernel}\nprint(launch(kern))", second),
        (
            f"{head}\n{before}\n{kernel}\na1 = launch(kern)\n{after}\nprint([a1, launch(kern)])",
            [first, second],
        ),
    )
    for text, value in texts + texts[:1]:
        assert programs.run(programs.write(program, text), cache) == value


@pytest.mark.parametrize("kind", ALIASES)
def test_one_object_under_two_names_then_two_objects(tmp_path, kind):
    check(tmp_path, *ALIASES[kind])


def test_one_argument_given_twice_then_two_arguments(tmp_path):
    text = CLASS + KERNEL.format("A.x * 10 + B.x").replace(
        "out: asc.GlobalAddress", "out: asc.GlobalAddress, A: asc.ConstExpr, B: asc.ConstExpr"
    )
    cache, program = tmp_path / "cache", tmp_path / "program.py"
    for arguments, value in (("a, a", 11), ("a, C(5)", 15), ("a, a", 11)):
        programs.write(program, f"{text}\na = C(1)\nprint(launch(kern, {arguments}))")
        assert programs.run(program, cache) == value
    programs.write(program, f"{text}\na = C(1)\nprint([launch(kern, a, a), launch(kern, a, C(5))])")
    assert programs.run(program, cache) == [11, 15]


def test_an_unchanged_program_with_aliases_is_found_again(tmp_path):
    text = f"{CLASS}\nA = C(1)\nB = A\nL = [A, B, C(2)]\n{KERNEL.format('A.x + B.x + L[1].x + L[2].x')}"
    program = programs.write(tmp_path / "program.py", text + '\nprint([launch(kern), counts("compiled")])')
    assert programs.run(program, tmp_path / "cache") == [5, [1]]
    assert programs.run(program, tmp_path / "cache") == [5, [0]]


# Modules that Python functions are given as values; `cfg` is a file of the program's own.
GIVEN_MODULES = {
    "argument": ("def f(m):\n    return m.T", "f(cfg)"),
    "default": ("def f(m=cfg):\n    return m.T", "f()"),
    "in a dict": ("D = {'m': cfg}\ndef f():\n    return D['m'].T", "f()"),
    "attribute": (
        "class A:\n    def __init__(self):\n        self.m = cfg\n"
        "    def g(self):\n        return self.m.T\na = A()",
        "a.g()",
    ),
    "computed name": ("def f(n):\n    return getattr(cfg, n)", "f('T')"),
    "formatted name": ("def f(n):\n    return getattr(cfg, f'T{n}')", "f('')"),
    "dict of a module": ("def f(n):\n    return cfg.__dict__[n]", "f('T')"),
    "returned": ("def f():\n    return cfg", "f().T"),
    "imported by name": ("import importlib\ndef f():\n    return importlib.import_module('cfg').T", "f()"),
    "of sys": ("def f():\n    return sys.modules['cfg'].T", "f()"),
    "frame": ("cfg_T = cfg.T\ndef f(n):\n    return sys._getframe().f_globals[n]", "f('cfg' + '_T')"),
}


@pytest.mark.parametrize("kind", GIVEN_MODULES)
def test_modules_as_values(tmp_path, kind):
    head, expression = GIVEN_MODULES[kind]
    kernel = KERNEL.format(expression)
    cache, program = tmp_path / "cache", tmp_path / "program.py"
    programs.write(program, f"import cfg\n{head}\n{kernel}\nprint(launch(kern))")
    for value in (1, 25, 1):
        (tmp_path / "cfg.py").write_text(f"T = {value}\nL = [1]\n", encoding="utf-8")
        assert programs.run(program, cache, PYTHONDONTWRITEBYTECODE="1") == value
    programs.write(
        program,
        f"import cfg\n{head}\n{kernel}\ngot = launch(kern)\ncfg.T = cfg_T = 7\nprint([got, launch(kern)])",
    )
    assert programs.run(program, cache, PYTHONDONTWRITEBYTECODE="1") == [1, 7]


def test_a_module_that_is_given_as_a_value_is_stored_by_what_it_holds(tmp_path):
    (tmp_path / "cfg.py").write_text("T = 3\n", encoding="utf-8")
    text = f"import cfg\ndef f(m):\n    return m.T\n{KERNEL.format('f(cfg)')}"
    program = programs.write(tmp_path / "program.py", text + '\nprint([launch(kern), counts("compiled")])')
    assert programs.run(program, tmp_path / "cache") == [3, [1]]
    assert programs.run(program, tmp_path / "cache") == [3, [0]]


# Expressions that take something from outside, and a word of the reason.
WORLD = {
    "datetime.datetime.now().microsecond": "datetime",
    "pathlib.Path('here').exists() + 0": "pathlib",
    "int(np.random.rand() * 9)": "",
    "int(np.fromfile('/dev/zero', dtype=np.int8, count=1)[0])": "fromfile",
    "helper(lambda: os.path.getsize('/dev/null'))": "getsize",
    "helper(lambda: sys.getrecursionlimit())": "sys",
    "helper(lambda: decimal.getcontext().prec)": "getcontext",
    "helper(lambda: int(decimal.Decimal(10) / decimal.Decimal(6) * 1000))": "decimal",
    "helper(lambda: len(inspect.signature(helper).parameters))": "inspect",
    "helper(lambda: len(helper.__doc__ or ''))": "__doc__",
    "helper(lambda: len(threading.current_thread().name))": "threading",
    "helper(lambda: eval('3'))": "eval",
}
PURE = [
    "helper(lambda: math.ceil(math.log2(9)) + round(2.5) + len(sorted({3: 1})))",
    "helper(lambda: functools.reduce(operator.add, itertools.chain([1], [2])))",
    "helper(lambda: int(np.prod(np.arange(1, 4)) + np.float32(1) + np.maximum(1, 2)))",
    "helper(lambda: collections.Counter('aab')['a'] + len(re.findall('a', 'aa')))",
    "helper(lambda: dataclasses.asdict(point)['x'] + len(dataclasses.fields(point)))",
]
LIBRARIES = """
import collections, dataclasses, datetime, decimal, functools, inspect, itertools, math, operator, os, pathlib
import re, threading
import numpy as np


@dataclasses.dataclass
class Point:
    x: int = 3


point = Point()


def helper(f):
    return f()


"""


@pytest.mark.parametrize("expression", [*WORLD, *PURE])
def test_library_functions_are_stored_if_they_are_known_to_be_pure(tmp_path, expression):
    head = LIBRARIES
    if expression.startswith("helper("):
        head += f"function = {expression[len('helper(') : -1]}\n"
        expression = "helper(function)"
    reason = WORLD.get(expression if head == LIBRARIES else f"helper({head.splitlines()[-1][11:]})")
    text = head + KERNEL.format(expression) + "launch(kern)\nprint([kern.cache_info()['not_stored']])"
    program = programs.write(tmp_path / "program.py", text)
    (not_stored,) = programs.run(program, tmp_path / "cache")
    assert bool(not_stored) == (reason is not None), not_stored
    assert (reason or "") in not_stored


def test_a_builtin_that_is_replaced(tmp_path):
    head = "import builtins\ndef f():\n    return round(1.2)\n"
    check(tmp_path, head, "f()", "", 1, "builtins.round = lambda x: 7", 7)


def test_what_functools_wraps_kept(tmp_path):
    head = "import functools\ndef g():\n    return 1\n"
    head += "@functools.wraps(g)\ndef f():\n    return f.__wrapped__()\n"
    check(tmp_path, head, "f()", "", 1, "f.__wrapped__ = lambda: 7", 7)


# Objects, and changes in them that their identity does not show.
IN_PLACE = {
    "matrix": ("A = np.matrix([[1]])", "int(A[0, 0])", "A[0, 0] = 7"),
    "recarray": ("A = np.rec.array([(1,)], dtype=[('a', 'i4')])", "int(A.a[0])", "A.a[0] = 7"),
    "masked": ("A = np.ma.array([1])", "int(A[0])", "A[0] = 7"),
    "objects": ("A = np.array([1, [2]], dtype=object)", "A[0]", "A[0] = 7"),
    "memoryview": ("A = memoryview(bytearray([1]))", "A[0]", "A[0] = 7"),
    "mapping proxy": ("D = {'a': 1}\nA = types.MappingProxyType(D)", "A['a']", "D['a'] = 7"),
    "dict view": ("D = {'a': 1}\nA = D.values()", "sum(A)", "D['a'] = 7"),
    "order": ("A = np.zeros((7, 7), np.int8, 'F')", "A.strides[0]", "A = np.zeros((7, 7), np.int8)"),
}


@pytest.mark.parametrize("kind", IN_PLACE)
def test_changes_in_place(tmp_path, kind):
    before, expression, after = IN_PLACE[kind]
    head = f"import types\nimport numpy as np\ndef f():\n    return {expression}\n"
    check(tmp_path, head, "f()", before, 1, after, 7)


def test_the_order_of_a_set_of_texts_stays_in_the_process(tmp_path):
    head = "S = {'a', 'b', 'c', 'd'}\ndef f():\n    return ord(list(S)[0])\n"
    text = head + KERNEL.format("f()") + "print([launch(kern), ord(list(S)[0])])"
    program = programs.write(tmp_path / "program.py", text)
    for seed in range(5):
        got, wanted = programs.run(program, tmp_path / "cache", PYTHONHASHSEED=str(seed))
        assert got == wanted
