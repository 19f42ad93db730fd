# SPDX-License-Identifier: Apache-2.0
"""Every example of docs/language.md: accepted ones run on the simulator and, printed, on the host; refused
ones fail as shown.

The info string of a block says what the test does with it:

    python prelude     stands before every example; its kernel is the one that statements are the body of
    python accepted    a launch is checked by asserts; statements by `# value` behind `o.set_value(i, x)` and
                       `r.set_value(i, x)` and by `# prints: text`; what stands above `# in the kernel` stands
                       above the kernel
    python refused     its whole error is the `text` block behind it
    cpp                lines that the example before it prints

A row of a table `| refused | error | hint |` is an example whose last line is at fault.
`sim` behind accepted: not run on the host. `xfail: why` behind a block (`<!-- xfail: why -->` behind a row):
fails today, and passing is a failure too; `xfail-host: why`: on the host only.
"""

import ast
import contextlib
import dataclasses
import inspect
import io
import re
import textwrap
import types
import warnings
from pathlib import Path

import host_exec
import numpy as np
import pytest

import asc

DOC = Path(__file__).resolve().parents[2] / "docs" / "language.md"
_FENCE = re.compile(r"^```(\w+) *([^\n]*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_ROW = re.compile(r"^\| (`.*`) \| (.*?) \| (.*?) ?\|(?: <!-- xfail: (.*) -->)?$", re.MULTILINE)
_VALUE = re.compile(r"^ *([or])\.set_value\((\d+), .*\)  +# (.+)$", re.MULTILINE)
_PRINTS = re.compile(r"# prints: (.*)$", re.MULTILINE)
_DIVIDER = "# in the kernel\n"

# What has a row of its own, how often at least; and what completes a header that a row shows alone.
_UNSUPPORTED = {
    ast.Lambda: 1, ast.FunctionDef: 1, ast.ClassDef: 1, ast.Try: 1, ast.Raise: 1, ast.GeneratorExp: 1,
    ast.Yield: 1, ast.Delete: 1, ast.Global: 1, ast.Nonlocal: 1, ast.AsyncFunctionDef: 1, ast.Match: 1,
    ast.Starred: 2,
}  # fmt: skip
_COMPLETED = {"try:": "    pass\nfinally:\n    pass", "match n:": "    case 5:\n        pass"}


@dataclasses.dataclass
class Block:
    language: str
    words: list
    text: str
    line: int
    section: str
    below: list = dataclasses.field(default_factory=list)  # the blocks that belong to it: text, cpp
    error: str = ""  # of a row
    hint: str = ""
    outside: str = ""  # the functions of the example above a row

    @property
    def launches(self):
        return re.search(r"^example\(|\]\(|^exec\(|always_compile: int", self.text, re.MULTILINE) is not None


def _split(text):
    return text.split(_DIVIDER) if _DIVIDER in text else ("", text)


def _read():
    text = DOC.read_text(encoding="utf-8")
    prelude, examples = None, []

    def place(match):
        before = text[: match.start()]
        return before.count("\n") + 1, re.findall(r"^## (.*)$", before, re.MULTILINE)[-1:]

    for match in _FENCE.finditer(text):
        language, info, inside = match.groups()
        block = Block(language, info.split(), inside, *place(match))
        if language == "python" and block.words[:1] == ["prelude"]:
            prelude = inside
        elif language == "python":
            examples.append(block)
        else:
            examples[-1].below.append(block)
    for match in _ROW.finditer(text):
        code, error, hint, why = match.groups()
        code = "\n".join(part.strip("`") for part in code.split("<br>"))
        words = ["refused", *(["xfail:", why] if why else [])]
        plain = [re.sub(r"\\([<*|])", r"\1", cell) for cell in (error, hint)]
        line, section = place(match)
        above = [b for b in examples if b.line < line and b.section == section and b.words[0] == "accepted"]
        outside = _split(above[-1].text)[0] if above else ""
        examples.append(Block("python", words, code + "\n", line, section, [], *plain, outside))
    return prelude, examples


PRELUDE, EXAMPLES = _read()
_KERNEL = re.compile(r"(.*?)(@asc\.jit\ndef example\(.*?\n)    \.\.\.\n.*", re.DOTALL)
HEAD, BODY_HEAD = _KERNEL.fullmatch(PRELUDE).groups()
LAUNCH = re.search(r"^ints = .*", PRELUDE, re.MULTILINE | re.DOTALL)[0]
ROWS = [block for block in EXAMPLES if block.error]


def _params(kind, rows=False, key="xfail:"):
    out = []
    for block in EXAMPLES:
        if block.words[0] == kind and bool(block.error) == rows:
            why = " ".join(block.words[block.words.index(key) + 1 :]) if key in block.words else None
            marks = [pytest.mark.xfail(reason=why, strict=True)] if why else []
            out.append(pytest.param(block, id=f"line-{block.line}", marks=marks))
    return out


# ---- running an example ----


@dataclasses.dataclass
class Launch:
    """One launch of an example: what its printed program needs, and what the simulator left."""

    text: str
    kernel_type: str
    grid: int
    values: dict  # copies of the arguments, before
    arrays: dict  # the arrays among them, after
    printed: str = ""


def _is_launch(statement):
    call = statement.value if isinstance(statement, ast.Expr) else None
    return isinstance(call, ast.Call) and isinstance(call.func, ast.Subscript)


def _copies(values):
    return {name: v.copy() if isinstance(v, np.ndarray) else v for name, v in values.items()}


class Runner:
    """The namespace of an example. Statements run one by one, so that a launch is seen before and after."""

    def __init__(self, folder):
        self.path = str(folder / "example.py")
        self.names = types.ModuleType("example").__dict__
        self.names["__file__"] = self.path
        self.launches, self.output = [], io.StringIO()

    def prepare(self, text):
        """The prelude's names, from a file of its own."""
        path = Path(self.path).with_name("prelude.py")
        path.write_text(text, encoding="utf-8")
        exec(compile(text, str(path), "exec"), self.names)

    def run(self, text, watch=False):
        Path(self.path).write_text(text, encoding="utf-8")
        with contextlib.redirect_stdout(self.output):
            for statement in ast.parse(text, self.path).body:
                launch = self._before(statement.value) if watch and _is_launch(statement) else None
                start = len(self.output.getvalue())
                exec(compile(ast.Module([statement], []), self.path, "exec", 0, True), self.names)
                if launch:
                    launch.arrays = _copies(launch.arrays)
                    launch.printed = self.output.getvalue()[start:]
                    self.launches.append(launch)

    def _before(self, call):
        def value(node):
            return eval(compile(ast.Expression(node), self.path, "eval"), self.names)

        handle = value(call.func.value)
        kernel = getattr(handle, "kernel", handle)
        signature = inspect.signature(kernel.fn)
        args = [value(a) for a in call.args]
        keywords = {k.arg: value(k.value) for k in call.keywords if k.arg in signature.parameters}
        bound = signature.bind(*args, **keywords).arguments
        grid = value(call.func.slice)
        compiled = kernel[grid].compile(*args, **keywords)
        arrays = {name: v for name, v in bound.items() if isinstance(v, np.ndarray)}
        count = grid(bound) if callable(grid) else grid
        return Launch(compiled.text["ascendc"], compiled.meta["kernel_type"], count, _copies(bound), arrays)


def _file(block):
    """(the file of an example, {line of the file: line of the example})."""
    if block.launches:
        return block.text, {i: i for i in range(1, 100)}
    outside, statements = _split(block.text)
    outside = outside or block.outside
    completed = f"{statements}{_COMPLETED.get(statements.strip(), '')}\n"
    kernel = BODY_HEAD + textwrap.indent(completed, "    ")
    if statements.startswith("nonlocal"):  # needs a function around the kernel
        kernel = textwrap.indent(kernel, "    ")
        kernel = f"def around(count=1):\n{kernel}    return example\nexample = around()\n"
    first = outside.count("\n") + kernel[: kernel.index(statements.splitlines()[0])].count("\n") + 1
    shown = 1 if block.error else outside.count("\n") + 1 + (_DIVIDER in block.text)
    lines = {i: i for i in range(1, shown)}
    lines |= {first + i: shown + i for i in range(completed.count("\n"))}
    return outside + kernel + LAUNCH, lines


def _prepared(block, folder):
    runner = Runner(folder)
    runner.prepare(PRELUDE if block.launches else HEAD)
    return runner


def run_accepted(block, folder):
    """The Runner after an example; AssertionError where a value differs from the one shown."""
    runner = _prepared(block, folder)
    prints = _PRINTS.findall(block.text)
    runner.run(_file(block)[0], watch=True)
    if block.launches:
        assert "assert " in block.text, "what launches something checks what it computes"
    else:
        values = _VALUE.findall(block.text)
        assert values or prints, "statements show what they compute"
        arrays = {"o": runner.names["ints"], "r": runner.names["reals"]}
        for name, index, shown in values:
            got = arrays[name][int(index)]
            wanted = arrays[name].dtype.type(ast.literal_eval(shown))
            assert got == wanted, f"{name}[{index}] is {got}, shown is {shown}"
    assert runner.output.getvalue() == "".join(line.strip() + "\n" for line in prints)
    return runner


# ---- accepted ----


def _lines(text):
    return "\n".join(line.strip() for line in text.strip().splitlines())


@pytest.mark.parametrize("block", _params("accepted"))
def test_accepted(block, tmp_path):
    runner = run_accepted(block, tmp_path)
    for shown in block.below:
        assert shown.language == "cpp"
        printed = runner.launches[-1].text
        assert _lines(shown.text) in _lines(printed), printed


def _on_host():
    both = _params("accepted", key="xfail-host:")
    return [p for p in both if not {"sim", "xfail:"} & set(p.values[0].words)]


@pytest.fixture(scope="module")
def printed_programs(tmp_path_factory):
    """Line of the example -> [(launch, compiled program)], all compiled as one shared object."""
    made = []
    for (block,) in (p.values for p in _on_host()):
        with contextlib.suppress(Exception):  # test_accepted shows it
            runner = run_accepted(block, tmp_path_factory.mktemp("doc"))
            made += [(block.line, launch) for launch in runner.launches]
    out = {}
    for (line, launch), program in zip(made, host_exec.compile_batch([launch.text for _, launch in made])):
        out.setdefault(line, []).append((launch, program))
    return out


def _host_argument(name, values):
    """What a printed parameter gets: a struct goes as its bytes, and a name that clashes has a `_` more."""
    if name.endswith("_gm") and hasattr(values.get(name[:-3]), "pack"):
        return np.frombuffer(values[name[:-3]].pack(), np.uint8).copy()
    return values[name if name in values else name.rstrip("_")]


@pytest.mark.host
@pytest.mark.parametrize("block", _on_host())
def test_printed_program(block, printed_programs):
    assert printed_programs.get(block.line), "an example that launches nothing is marked `sim`"
    for launch, program in printed_programs[block.line]:
        args = {p.name: _host_argument(p.name, launch.values) for p in program.parameters}
        result = program.run(launch.kernel_type, launch.grid, list(args.values()))
        arrays = [name for name, value in args.items() if isinstance(value, np.ndarray)]
        for name, array in zip(arrays, result.arrays):
            wanted = launch.arrays.get(name.rstrip("_"), args[name])  # a struct stays as it is
            np.testing.assert_array_equal(array, wanted, name)
        assert result.printed == launch.printed


# ---- refused ----


def _error_of(block, folder):
    """(the error, its text with the lines of the example, the file's lines -> the example's)."""
    runner = _prepared(block, folder)
    text, lines = _file(block)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            runner.run(text)
        except (asc.CompileError, asc.KernelError, TypeError, RuntimeError) as error:
            return error, lines
    pytest.fail(f"accepted:\n{text}")


def _here(text, lines):
    """An error's text with the lines and columns of the example, and without its folder."""
    text = re.sub(r"\bline (\d+)\b", lambda m: f"line {lines[int(m[1])]}", text)
    text = re.sub(r"\bat \S*example\.py:", "at example.py:", text)
    text = re.sub(r"\bfrom \S*example\.py:", "from example.py:", text)

    def place(match):
        line, column = int(match[1]), int(match[2])
        moved = 4 if lines[line] != line else 0
        return f"example.py:{lines[line]}:{column - moved}"

    return re.sub(r"example\.py:(\d+):(\d+)", place, text)


@pytest.mark.parametrize("block", _params("refused"))
def test_refused(block, tmp_path):
    (shown,) = block.below
    error, lines = _error_of(block, tmp_path)
    located = isinstance(error, (asc.CompileError, asc.KernelError))
    text = _here(str(error), lines) if located else f"{type(error).__name__}: {error}"
    kept = [line for line in text.splitlines() if not line.startswith("  block ")]
    assert "\n".join(kept).strip() == shown.text.strip()


@pytest.mark.parametrize("block", _params("refused", rows=True))
def test_refused_row(block, tmp_path):
    error, lines = _error_of(block, tmp_path)
    if isinstance(error, asc.KernelError):
        (finding,) = error.findings
        got, hint, site = f"{finding.id} ({finding.kind}): {finding.message}", finding.fix, finding.sites[-1]
    elif isinstance(error, asc.CompileError):
        got, hint, site = error.message.split("\n")[0], error.hint, error.sites[-1]
    else:
        got, hint, site = f"{type(error).__name__}: {error}", "", None
    assert (_here(got, lines), _here(hint, lines)) == (block.error, block.hint)
    if not block.launches:
        assert (lines[site.line], site.text.strip()) == (block.text.count("\n"), block.text.splitlines()[-1])


# ---- the document ----


def test_each_unsupported_construct_has_its_own_message():
    rows = [block for block in ROWS if block.section == ["Functions"] and not block.launches]
    kinds = {kind: [] for kind in _UNSUPPORTED}
    for block in rows:
        code = block.text + _COMPLETED.get(block.text.strip(), "")
        for node in ast.walk(ast.parse(code)):
            if type(node) in kinds:
                kinds[type(node)].append(block.error)
    for kind, least in _UNSUPPORTED.items():
        assert len(kinds[kind]) >= least, kind
    errors = [block.error for block in rows]
    assert len(errors) == len(set(errors))
    assert any("called with a runtime value" in error for error in errors)


def test_every_section_shows_both_kinds():
    sections = {}
    for block in EXAMPLES:
        sections.setdefault(*block.section, set()).add(block.words[0])
    for section in ("Binding times", "Numbers", "Objects", "Control flow", "Functions", "Errors"):
        assert sections[section] == {"accepted", "refused"}


def test_no_example_is_overlooked():
    lines = DOC.read_text(encoding="utf-8").splitlines()
    assert len(ROWS) == sum(line.startswith("| `") for line in lines)
    below = sum(len(block.below) for block in EXAMPLES)
    assert 1 + len(EXAMPLES) - len(ROWS) + below == sum(line.startswith("```") for line in lines) / 2
    assert {block.words[0] for block in EXAMPLES} == {"accepted", "refused"}


def test_the_prelude_runs(tmp_path):
    runner = Runner(tmp_path)
    runner.run(PRELUDE)
    assert not runner.names["ints"].any()
