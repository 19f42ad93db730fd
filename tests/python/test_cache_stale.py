# SPDX-License-Identifier: Apache-2.0
"""Changes that are hard to see: what Python code can ask for at compile time beyond the values it names."""

import cache_programs as programs
import pytest
from test_cache_changes import KERNEL, check

FIELDS = """
import dataclasses
from typing import Annotated, get_args
M = {'m': 1}


@dataclasses.dataclass
class C:
    x: int = dataclasses.field(default=0, metadata=M)


def make(n):
    @dataclasses.dataclass
    class D:
        x: Annotated[int, n] = 0
    return D


def f():
    return %s
"""
ABSTRACT = """
import abc, collections.abc, numbers
class A(abc.ABC):
    pass
class C:
    pass
c = C()
def f():
    return 7 if isinstance(c, %s) else 1
"""
PLAIN = "class C:\n    def __init__(self, x=0):\n        self.x = x\n"
INDEX = """
class I:
    def __index__(self):
        return 0
class K:
    def __hash__(self):
        return 0
    def __eq__(self, other):
        return other == 0
i, k = I(), K()
L, D = [1, 7], {0: 1, 1: 7}
"""
ATTRIBUTES = "@asc.jit\ndef h(y):\n    return y\ndef f():\n    return getattr(h, 'tile', 1)\n"
STRUCT = """
from asc.language.core import struct
class S(struct.Struct):
    x = struct.Field(asc.int32, default=0)
    size = 1
    def get(self):
        return self.size
def f():
    return S.size
"""

# What is defined; the expression; the state before, with its value; the state after, with its value.
KINDS = {
    "metadata of a field": (FIELDS % "dataclasses.fields(C)[0].metadata['m']", "f()", "", 1, "M['m'] = 7", 7),
    "annotation of a field": (
        FIELDS % "get_args(dataclasses.fields(A)[0].type)[1]",
        "f()",
        "A = make(1)",
        1,
        "A = make(7)",
        7,
    ),
    "fields of an argument": (
        "import dataclasses\nM = {'m': 1}\n@dataclasses.dataclass\nclass C:\n"
        "    x: int = dataclasses.field(default=0, metadata=M)\nc = C()\n"
        "def f(c):\n    return dataclasses.fields(c)[0].metadata['m']\n",
        "f(c)",
        "",
        1,
        "M['m'] = 7",
        7,
    ),
    "arguments of an alias": (
        FIELDS % "get_args(A)[1]",
        "f()",
        "A = Annotated[int, 1]",
        1,
        "A = Annotated[int, 7]",
        7,
    ),
    "metadata of an alias": (
        FIELDS % "A.__metadata__[0]",
        "f()",
        "A = Annotated[int, 1]",
        1,
        "A = Annotated[int, 7]",
        7,
    ),
    "annotations": (
        FIELDS % "C.__annotations__['x'](1)",
        "f()",
        "",
        1,
        "C.__annotations__['x'] = lambda x: 7",
        7,
    ),
    "registered": (ABSTRACT % "A", "f()", "", 1, "A.register(C)", 7),
    "registered with a library's": (
        ABSTRACT % "numbers.Number",
        "f()",
        "",
        1,
        "numbers.Integral.register(C)",
        7,
    ),
    "registered below": (
        ABSTRACT % "collections.abc.Sized",
        "f()",
        "",
        1,
        "collections.abc.Sequence.register(C)",
        7,
    ),
    "metadata of a dtype": (
        "import numpy as np\ndef f():\n    return D.metadata['m']\n",
        "f()",
        "D = np.dtype('i4', metadata={'m': 1})",
        1,
        "D = np.dtype('i4', metadata={'m': 7})",
        7,
    ),
    "metadata of an array's field": (
        "import numpy as np\ndef of(m):\n    return np.zeros(1, [('a', np.dtype('i4', metadata={'m': m}))])\n"
        "def f():\n    return A.dtype['a'].metadata['m']\n",
        "f()",
        "A = of(1)",
        1,
        "A = of(7)",
        7,
    ),
    "names of a dtype": (
        "import numpy as np\ndef f():\n    return len(D.names[0])\n",
        "f()",
        "D = np.dtype([('a', 'i4')])",
        1,
        "D.names = ('abcdefg',)",
        7,
    ),
    "scalar that is a view": (
        "import numpy as np\nA = np.array([(1,)], dtype=[('a', 'i4')])\nv = A[0]\n"
        "def f():\n    return int(v['a'])\n",
        "f()",
        "",
        1,
        "A['a'] = 7",
        7,
    ),
    "order of a class": (
        "class C:\n    v2 = 0\n    v1 = 0\n"
        "def f():\n    return 1 + 6 * [k for k in C.__dict__ if k in ('v1', 'v2')].index('v2')\n",
        "f()",
        "",
        1,
        "del C.v2\nC.v2 = 0",
        7,
    ),
    "name": (
        "def g():\n    pass\ndef f():\n    return len(g.__name__)\n",
        "f()",
        "",
        1,
        "g.__name__ = 'g234567'",
        7,
    ),
    "qualified name": (
        "def g():\n    pass\ndef f():\n    return len(g.__qualname__)\n",
        "f()",
        "",
        1,
        "g.__qualname__ = 'g234567'",
        7,
    ),
    "name of a class": (
        PLAIN + "def f():\n    return len(C.__name__)\n",
        "f()",
        "",
        1,
        "C.__name__ = 'C234567'",
        7,
    ),
    "name under a made name": (
        PLAIN + "def f(n):\n    return len(getattr(C, '__' + n + '__'))\n",
        "f('name')",
        "",
        1,
        "C.__name__ = 'C234567'",
        7,
    ),
    "docstring": (
        PLAIN + "def f():\n    return len(C.__doc__ or 'n')\n",
        "f()",
        "",
        1,
        "C.__doc__ = 'seven 7'",
        7,
    ),
    "__index__": (INDEX, "L[i]", "", 1, "I.__index__ = lambda self: 1", 7),
    "__index__ in a slice": (INDEX, "L[i:][0]", "", 1, "I.__index__ = lambda self: 1", 7),
    "__eq__ and __hash__": (
        INDEX,
        "D[k]",
        "",
        1,
        "K.__hash__ = lambda self: 1\nK.__eq__ = lambda self, other: other == 1",
        7,
    ),
    "__float__": (
        "class F(float):\n    pass\nx = F(1)\n",
        "asc.int32(asc.float32(x))",
        "",
        1,
        "F.__float__ = lambda self: 7.0",
        7,
    ),
    "attribute of a kernel function": (ATTRIBUTES, "f()", "h.tile = 1", 1, "h.tile = 7", 7),
    "new attribute of a kernel function": (ATTRIBUTES, "f()", "", 1, "h.tile = 7", 7),
    "new attribute of a function": (
        "def g():\n    pass\ndef f():\n    return getattr(g, 'tile', 1)\n",
        "f()",
        "",
        1,
        "g.tile = 7",
        7,
    ),
    "attribute of a struct": (STRUCT, "f()", "", 1, "S.size = 7", 7),
    "method of a struct": (
        STRUCT.replace("return S.size", "return S.get(S)"),
        "f()",
        "",
        1,
        "S.get = lambda self: 7",
        7,
    ),
    "order of a set": (
        "def f():\n    return list(S)[0]\n",
        "f()",
        "S = {1}\nS.add(9)",
        1,
        "S = {9}\nS.add(1)",
        9,
    ),
    "one object or two": (
        PLAIN + "def f():\n    return 1 if A is B else 7\n",
        "f()",
        "A = B = C(1)",
        1,
        "B = C(1)",
        7,
    ),
    "one list or two": ("def f():\n    return 1 if A is B else 7\n", "f()", "A = B = []", 1, "B = []", 7),
    "method of a builtin": (
        "D = {'a': 1}\ng = D.get\ndef f():\n    return g('a')\n",
        "f()",
        "",
        1,
        "D['a'] = 7",
        7,
    ),
    "attribute of an enum": (
        "import enum\nclass E(enum.Enum):\n    A = 1\ndef f():\n    return E.A.size\n",
        "f()",
        "E.A.size = 1",
        1,
        "E.A.size = 7",
        7,
    ),
    "bases": (
        "class P:\n    v = 1\nclass Q:\n    v = 7\nclass C(P):\n    pass\ndef f():\n    return C.v\n",
        "f()",
        "",
        1,
        "C.__bases__ = (Q,)",
        7,
    ),
    "subclasses": (
        "class P:\n    pass\nclass Q(P):\n    pass\ndef f():\n    return len(P.__subclasses__())\n",
        "f()",
        "",
        1,
        "class R(P):\n    pass",
        2,
    ),
    "level of a logger": (
        "import logging\nlog = logging.getLogger('a.b')\n"
        "def f():\n    return 7 if log.isEnabledFor(10) else 1\n",
        "f()",
        "",
        1,
        "logging.getLogger('a').setLevel(10)",
        7,
    ),
    "context variable": (
        "import contextvars\nv = contextvars.ContextVar('v', default=1)\ndef f():\n    return v.get()\n",
        "f()",
        "",
        1,
        "v.set(7)",
        7,
    ),
    "weak reference": (
        PLAIN + "import weakref\nc = C()\nr = weakref.ref(c)\ndef f():\n    return 1 if r() else 7\n",
        "f()",
        "",
        1,
        "del c",
        7,
    ),
    "ctypes array": (
        "import ctypes\nA = (ctypes.c_int * 1)(1)\ndef f():\n    return A[0]\n",
        "f()",
        "",
        1,
        "A[0] = 7",
        7,
    ),
    "ctypes pointer": (
        "import ctypes\nx = ctypes.c_int(1)\nA = ctypes.pointer(x)\ndef f():\n    return A[0]\n",
        "f()",
        "",
        1,
        "x.value = 7",
        7,
    ),
    "mapped file": (
        "import mmap\nA = mmap.mmap(-1, 8)\nA[0] = 1\ndef f():\n    return A[0]\n",
        "f()",
        "",
        1,
        "A[0] = 7",
        7,
    ),
    "globals()": ("X = 1\ndef f():\n    return globals()['X']\n", "f()", "", 1, "X = 7", 7),
    "eval()": ("X = 1\ndef f():\n    return eval('X')\n", "f()", "", 1, "X = 7", 7),
    "held lock": (
        "import threading\nA = threading.Lock()\ndef f():\n    return 7 if A.locked() else 1\n",
        "f()",
        "",
        1,
        "A.acquire()",
        7,
    ),
}


@pytest.mark.parametrize("kind", KINDS)
def test_a_change_is_seen(tmp_path, kind):
    check(tmp_path, *KINDS[kind])


# Kinds that need not be compiled at each launch, and are found again by the next process.
KEPT = [
    "metadata of a field",
    "annotation of a field",
    "fields of an argument",
    "arguments of an alias",
    "registered",
    "registered with a library's",
    "metadata of a dtype",
    "metadata of an array's field",
    "order of a class",
    "name",
    "name of a class",
    "__index__",
    "__index__ in a slice",
    "__eq__ and __hash__",
    "__float__",
    "attribute of a kernel function",
    "new attribute of a function",
    "attribute of a struct",
    "order of a set",
    "one object or two",
    "one list or two",
    "method of a builtin",
    "attribute of an enum",
    "bases",
]
KEPT_IN_MEMORY = ["level of a logger", "held lock"]


@pytest.mark.parametrize("kind", [*KEPT, *KEPT_IN_MEMORY])
def test_what_did_not_change_is_not_compiled_again(tmp_path, kind):
    head, expression, before, first, _, _ = KINDS[kind]
    text = f"{head}\n{before}\n{KERNEL.format(expression)}"
    text += '\nvalues = [launch(kern) for i in range(3)]\nprint([values, counts("compiled", "hits")])'
    program = programs.write(tmp_path / "program.py", text)
    assert programs.run(program, tmp_path / "cache") == [[first] * 3, [1, 2]]
    again = [[first] * 3, [0 if kind in KEPT else 1, 2]]
    for seed in ("1", "2"):
        assert programs.run(program, tmp_path / "cache", PYTHONHASHSEED=seed) == again


def test_what_cannot_be_compared_is_compiled_at_each_launch_and_says_so(tmp_path):
    head, expression, _, _, _, _ = KINDS["ctypes array"]
    text = f"{head}\n{KERNEL.format(expression)}\nlaunch(kern)\nlaunch(kern)\ninfo = kern.cache_info()\n"
    text += "print([info['compiled'], info['last_miss'], info['not_stored'], len(info['specialisations'])])"
    compiled, last_miss, not_stored, kept = programs.run(
        programs.write(tmp_path / "program.py", text), tmp_path / "cache"
    )
    assert (compiled, kept) == (2, 0)
    assert last_miss.startswith("compiled for one launch: ") and "c_int_Array_1" in last_miss
    assert "c_int_Array_1" in not_stored


# Texts that say where in memory an object is: another one in each process.
ADDRESSES = {
    "in the kernel": ("", "len(f'{c}') + at(f'{c}')"),
    "of a helper": ("def f():\n    return f'{c}'\n", "at(f())"),
    "in a helper": ("def f():\n    return at(repr(c))\n", "f()"),
    "in a tuple": ("def f():\n    return 1, str(c)\n", "at(f()[1])"),
}


@pytest.mark.parametrize("kind", ADDRESSES)
def test_a_text_with_an_address_stays_in_the_process(tmp_path, kind):
    head, expression = ADDRESSES[kind]
    text = f"{PLAIN}c = C()\ndef at(text):\n    return int(text[-10:-1], 16) % 1000003\n{head}"
    text += (
        f"{KERNEL.format(expression)}\nprint([launch(kern), {expression}, kern.cache_info()['not_stored']])"
    )
    program = programs.write(tmp_path / "program.py", text)
    for _ in range(3):
        got, wanted, not_stored = programs.run(program, tmp_path / "cache")
        assert got == wanted and "in memory" in not_stored


def test_the_order_of_a_set_that_is_an_argument(tmp_path):
    text = """
@asc.jit
def kern(out: asc.GlobalAddress, S: asc.ConstExpr):
    o = asc.GlobalTensor()
    o.set_global_buffer(out)
    o.set_value(0, [x for x in S][0])

def of(*items):
    made = set()
    for item in items:
        made.add(item)
    return made

print([launch(kern, of(*items)) for items in %s])
"""
    for orders in ([(1, 9)], [(9, 1)], [(1, 9), (9, 1), (1, 9)]):
        program = programs.write(tmp_path / "program.py", text % orders)
        assert programs.run(program, tmp_path / "cache") == [items[0] for items in orders]


def test_a_tensor_that_changes_in_place():
    torch = pytest.importorskip("torch")
    import array

    import asc

    size = torch.tensor([1])

    def read():
        return int(size[0])

    @asc.jit
    def kern(out: asc.GlobalAddress):
        o = asc.GlobalTensor()
        o.set_global_buffer(out)
        o.set_value(0, read())

    out = array.array("i", [0] * 8)
    for value in (1, 7, 2):
        size[0] = value
        kern[1](out)
        assert out[0] == value


# Names of builtins that are something else's attributes here.
NAMESAKES = """
import re
class X:
    def open(self):
        return 3
    def hash(self):
        return len(re.compile('ab').pattern)
    eval = 2
x = X()
def f():
    return x.open() + x.hash() + x.eval
"""


def test_attributes_with_the_names_of_builtins_are_stored(tmp_path):
    text = NAMESAKES + KERNEL.format("f()")
    text += "print([launch(kern), kern.cache_info()['not_stored'], counts('compiled')])"
    program = programs.write(tmp_path / "program.py", text)
    assert programs.run(program, tmp_path / "cache") == [7, "", [1]]
    assert programs.run(program, tmp_path / "cache") == [7, "", [0]]
