# SPDX-License-Identifier: Apache-2.0
"""Printed Ascend C, compiled with the host's C++ compiler against tests/hostheader and run.

    arrays = run_printed(text, "add", "AIV_ONLY", 8, [x, y, z, n])      # copies; x, y, z stay as they are
    kernels = compile_batch([text, text, ...])                          # one shared object for all
    result = kernels[0].run("MIX_AIC_1_2", 2, [x, n])                   # result.arrays, result.printed

Arguments follow the printed signature: compile-time ones are not in it. A kernel with asc.workspace takes
that memory last: `run(..., workspace=bytes)` makes it, `workspace_bytes(compiled, grid)` says how much.
Shared objects are kept by content in a folder below the system's temporary one.
"""

import ctypes
import dataclasses
import functools
import hashlib
import os
import pathlib
import re
import subprocess
import tempfile
import threading

import numpy as np

TESTS = pathlib.Path(__file__).resolve().parents[1]
HEADERS = TESTS / "hostheader"
CSRC = TESTS.parent / "csrc"
COMPILER = os.environ.get("CXX", "c++")
# -fwrapv: a sum that leaves its type and comes back is right in the language, whose + - * compute in 64 bits.
# -frounding-math: without it GCC 12 makes -x of 0.0f - x where x is an integer, and so -0 of 0.
FLAGS = ("-std=c++20", "-O1", "-fPIC", "-shared", "-ffp-contract=off", "-fwrapv", "-frounding-math")
TIMEOUT_SECONDS = 20.0

# Cores of a block by kernel type: cube, vector.
CORES = {
    "AIV_ONLY": (0, 1),
    "AIC_ONLY": (1, 0),
    "MIX_AIV_1_0": (0, 1),
    "MIX_AIC_1_0": (1, 0),
    "MIX_AIC_1_1": (1, 1),
    "MIX_AIC_1_2": (1, 2),
}

_SIGNATURE = re.compile(r'^extern "C" __global__ __aicore__ void (\w+)\((.*)\) \{$', re.MULTILINE)
_PARAMETER = re.compile(r"(__gm__ )?(\w+)(\*)? (\w+)")
_DTYPES = {
    "bool": "bool", "int8_t": "int8", "uint8_t": "uint8", "int16_t": "int16", "uint16_t": "uint16",
    "int32_t": "int32", "uint32_t": "uint32", "int64_t": "int64", "uint64_t": "uint64",
    "half": "float16", "float": "float32", "double": "float64",
}  # fmt: skip


class HostError(RuntimeError):
    """A printed program that the compiler refuses, or whose run fails."""


@dataclasses.dataclass(frozen=True)
class Parameter:
    """One parameter of a printed kernel; `type` of an array is its element's."""

    type: str
    name: str
    is_array: bool


@dataclasses.dataclass
class Result:
    """What a run left: the array arguments, in kernel order, and the text that the kernel printed."""

    arrays: list
    printed: str


def parse_signature(text, kernel_name=None):
    """(name, parameters) of the kernel in a printed program."""
    found = [m for m in _SIGNATURE.finditer(text) if kernel_name in (None, m[1])]
    if len(found) != 1:
        raise HostError(f"{len(found)} kernels named {kernel_name or 'anything'} in the printed program")
    name, inside = found[0].groups()
    parameters = []
    for part in filter(None, inside.split(", ")):
        match = _PARAMETER.fullmatch(part)
        if not match or bool(match[1]) != bool(match[3]) or match[2] not in (*_DTYPES, "bfloat16_t"):
            raise HostError(f"{name}: cannot pass the parameter '{part}'")
        parameters.append(Parameter(match[2], match[4], bool(match[3])))
    return name, parameters


# ---- compiling ----


def _folder():
    path = pathlib.Path(tempfile.gettempdir()) / f"asc-host-{os.getuid()}"
    path.mkdir(mode=0o700, exist_ok=True)
    return path


@functools.cache
def _base_key():
    """Everything but its own source that a shared object is made of."""
    digest = hashlib.sha256()
    folders = [HEADERS.glob("**/*.*"), (CSRC / "sim/bodies").iterdir(), CSRC.glob("ops/**/*.def")]
    for path in sorted([CSRC / "base/half.h", *(path for folder in folders for path in folder)]):
        digest.update(path.read_bytes())
    digest.update(subprocess.run([COMPILER, "--version"], capture_output=True, check=True).stdout)
    return digest.hexdigest()


def _compile(source, name, flags=FLAGS):
    """The shared object of a source text; HostError with the compiler's words."""
    key = hashlib.sha256("\0".join((_base_key(), source, *flags)).encode()).hexdigest()[:32]
    path = _folder() / f"{key}-{name}.so"
    if path.exists():
        return str(path)
    with tempfile.TemporaryDirectory(dir=_folder()) as scratch:
        code, made = pathlib.Path(scratch, f"{name}.cpp"), pathlib.Path(scratch, "made.so")
        code.write_text(source, encoding="utf-8")
        command = [COMPILER, *flags, f"-I{HEADERS}", f"-I{CSRC}", str(code), "-o", str(made), "-lm"]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode != 0:
            raise HostError(f"the host compiler refuses {name}:\n{done.stderr[:4000]}")
        os.replace(made, path)
    return str(path)


_launch_lock = threading.Lock()  # the driver runs one launch at a time


@functools.cache
def _driver():
    source = (HEADERS / "driver.cpp").read_text(encoding="utf-8")
    driver = ctypes.CDLL(_compile(source, "driver", (*FLAGS, "-Wall", "-Wextra", "-Werror")))
    pointer, number, text = ctypes.c_void_p, ctypes.c_int, ctypes.POINTER(ctypes.c_void_p)
    driver.asc_host_launch.argtypes = [
        pointer,
        pointer,
        pointer,
        number,
        number,
        number,
        ctypes.c_double,
        text,
        text,
    ]
    driver.asc_host_free.argtypes = [pointer]
    return driver


# Behind the printed text: where the driver puts the core, and a function for each kernel that takes its
# arguments as 64-bit words.
_TAIL = """
#line 1 "entries"
extern "C" AscHostCore** asc_host_slot() { return &asc_host_core; }
template <class T>
static T asc_host_word(const uint64_t* word) {
  T value;
  __builtin_memcpy(&value, word, sizeof(T));
  return value;
}
"""
_ENTRY = """extern "C" void asc_host_entry_{index}([[maybe_unused]] const uint64_t* words) {{
  {call}({words});
}}
"""


def _entry(index, call, parameters):
    types = [f"{p.type}*" if p.is_array else p.type for p in parameters]
    words = ", ".join(f"asc_host_word<{type_}>(words + {i})" for i, type_ in enumerate(types))
    return _ENTRY.format(index=index, call=call, words=words)


class HostKernel:
    """A compiled printed kernel."""

    def __init__(self, library, index, name, parameters):
        self.name, self.parameters = name, parameters
        self._entry = ctypes.cast(getattr(library, f"asc_host_entry_{index}"), ctypes.c_void_p)
        library.asc_host_slot.restype = ctypes.c_void_p
        self._slot = library.asc_host_slot()

    def run(self, kernel_type, grid, args, seconds=TIMEOUT_SECONDS, workspace=0):
        """Runs it on copies of the arrays. HostError if it crashes, hangs or writes outside an array."""
        if workspace:
            args = [*args, np.full(workspace, 0xA7, np.uint8)]
        result = self._run(kernel_type, grid, args, seconds)
        if workspace:
            result.arrays.pop()
        return result

    def _run(self, kernel_type, grid, args, seconds):
        if len(args) != len(self.parameters):
            raise HostError(f"{self.name} takes {len(self.parameters)} arguments, got {len(args)}")
        structs = [is_struct(a) for a in args]
        args = [np.frombuffer(a.pack(), np.uint8) if is_struct(a) else a for a in args]
        memory = _Memory([a for a, p in zip(args, self.parameters) if p.is_array])
        words = np.zeros(max(1, len(args)), np.uint64)
        array = 0
        for i, (value, parameter) in enumerate(zip(args, self.parameters)):
            if parameter.is_array:
                memory.check_type(array, parameter)
                words[i] = memory.address(array)
                array += 1
            else:
                raw = _scalar_bytes(value, parameter)
                words[i : i + 1].view(np.uint8)[: len(raw)] = np.frombuffer(raw, np.uint8)
        with _launch_lock:
            printed = self._launch(words, kernel_type, grid, seconds)
        memory.check_guards(self.name)
        given = [packed for packed, p in zip(structs, self.parameters) if p.is_array]
        return Result([a for a, packed in zip(memory.results(), given) if not packed], printed)

    def _launch(self, words, kernel_type, grid, seconds):
        driver = _driver()
        printed, error = ctypes.c_void_p(), ctypes.c_void_p()
        aic, aiv = CORES[str(getattr(kernel_type, "name", kernel_type))]
        failed = driver.asc_host_launch(self._slot, self._entry, words.ctypes.data, grid, aic, aiv, seconds,
                                        ctypes.byref(printed), ctypes.byref(error))  # fmt: skip
        texts = [ctypes.string_at(text.value).decode(errors="replace") for text in (printed, error)]
        for text in (printed, error):
            driver.asc_host_free(text)
        if failed:
            before = f"\nprinted before: {texts[0]}" if texts[0] else ""
            raise HostError(f"{self.name}: {texts[1]}{before}")
        return texts[0]


def compile_printed(text, kernel_name=None, flags=FLAGS):
    """Compiles one printed program, the text as it is with an entry behind it."""
    name, parameters = parse_signature(text, kernel_name)
    source = f'#line 1 "{name}.cpp"\n{text}{_TAIL}{_entry(0, "::" + name, parameters)}'
    return HostKernel(ctypes.CDLL(_compile(source, name, flags)), 0, name, parameters)


def compile_batch(texts, kernel_names=None):
    """Compiles printed programs as one shared object, each in a namespace: a list of HostKernel.

    Kernels may have one name. If a program does not compile, HostError names it by its place in the list.
    """
    texts = list(texts)
    if not texts:
        return []
    names = kernel_names or [None] * len(texts)
    signatures = [parse_signature(text, name) for text, name in zip(texts, names)]
    source = ['#include "kernel_operator.h"\n']
    if any("matmul_intf.h" in text for text in texts):
        source.append('#include "lib/matmul_intf.h"\n')
    for i, text in enumerate(texts):
        body = text.replace('extern "C" __global__', "__global__")
        source.append(f'namespace program_{i} {{\n#line 1 "program {i}: {signatures[i][0]}"\n{body}}}\n')
        source.append("#undef ASCENDC_CUBE_ONLY\n")
    source.append(_TAIL)
    source += [
        _entry(i, f"program_{i}::{name}", parameters) for i, (name, parameters) in enumerate(signatures)
    ]
    library = ctypes.CDLL(_compile("".join(source), f"batch-of-{len(texts)}"))
    return [HostKernel(library, i, *signature) for i, signature in enumerate(signatures)]


def workspace_bytes(compiled, grid):
    """What a launch of this grid allocates for the kernel's asc.workspace calls."""
    sizes = compiled.meta["workspace"]
    return sizes["shared"] + grid * sizes["per_block"]


def run_printed(text, kernel_name, kernel_type, grid, args):
    """The array arguments after a run of a printed program, as copies in kernel order."""
    return compile_printed(text, kernel_name).run(kernel_type, grid, args).arrays


# ---- arguments ----


def is_struct(value):
    """Is it a struct: passed as its bytes, and no array of the results?"""
    return hasattr(type(value), "ctypes_class")


def _as_numpy(array):
    """(numpy view of an array argument, whether it is bfloat16: then the view is of its bits)."""
    if type(array).__module__.split(".")[0] == "torch":
        torch = __import__("torch")
        array = array.detach()
        if array.dtype == torch.bfloat16:
            return array.view(torch.int16).numpy().view(np.uint16), True
        array = array.numpy()
    array = np.asarray(array)
    if array.dtype.name == "bfloat16":
        return array.view(np.uint16), True
    return array, False


class _Memory:
    """Copies of the array arguments between guard bytes; arguments that overlap share a copy."""

    PAD, GUARD = 4096, 0xA5

    def __init__(self, arrays):
        viewed = [_as_numpy(a) for a in arrays]
        self.arrays = [a for a, _ in viewed]
        self.is_bfloat16 = [special for _, special in viewed]
        groups = []
        for begin, end in sorted({(a.ctypes.data, a.ctypes.data + a.nbytes) for a in self.arrays}):
            if groups and begin < groups[-1][1]:
                groups[-1][1] = max(groups[-1][1], end)
            else:
                groups.append([begin, end])
        self.copies = []
        for begin, end in groups:
            copy = np.full(end - begin + 2 * self.PAD, self.GUARD, np.uint8)
            ctypes.memmove(copy.ctypes.data + self.PAD, begin, end - begin)
            self.copies.append((begin, end, copy))

    def check_type(self, index, parameter):
        array = self.arrays[index]
        wanted = _DTYPES.get(parameter.type)
        fits = array.dtype.name == wanted if wanted else self.is_bfloat16[index] or array.dtype == np.uint16
        if not fits:
            found = array.dtype
            raise HostError(
                f"'{parameter.name}' is {parameter.type}* in the printed program, the array is {found}"
            )
        if not array.flags.c_contiguous:
            raise HostError(f"'{parameter.name}': the array is not contiguous")

    def _place(self, index):
        begin = self.arrays[index].ctypes.data
        for first, end, copy in self.copies:
            if first <= begin < max(end, first + 1):
                return copy, self.PAD + begin - first
        raise AssertionError("every array lies in a copy")

    def address(self, index):
        copy, offset = self._place(index)
        return copy.ctypes.data + offset

    def check_guards(self, name):
        for begin, end, copy in self.copies:
            size = end - begin
            if (copy[: self.PAD] != self.GUARD).any() or (copy[self.PAD + size :] != self.GUARD).any():
                raise HostError(f"{name} wrote outside of an array argument of {size} bytes")

    def results(self):
        out = []
        for index, array in enumerate(self.arrays):
            copy, offset = self._place(index)
            out.append(copy[offset : offset + array.nbytes].view(array.dtype).reshape(array.shape).copy())
        return out


def _scalar_bytes(value, parameter):
    if parameter.type == "bfloat16_t":  # to nearest, ties to even
        bits = int(np.asarray(value, np.float32).view(np.uint32))
        return np.uint16((bits + 0x7FFF + (bits >> 16 & 1)) >> 16).tobytes()
    dtype = np.dtype(_DTYPES[parameter.type])
    if dtype.kind in "iu" and not np.iinfo(dtype).min <= int(value) <= np.iinfo(dtype).max:
        raise HostError(
            f"'{parameter.name}' is {parameter.type} in the printed program and cannot be {value}"
        )
    return dtype.type(value).tobytes()
