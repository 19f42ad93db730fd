# SPDX-License-Identifier: Apache-2.0
"""Stubs and op list: as the core's tables have them now, complete, and of use to a type checker."""

import ast
import re
import shutil
from pathlib import Path

import pytest

import asc
from asc import _asc, _jit
from asc.tools import gen, stubs

ROOT = Path(__file__).resolve().parents[2]
TYPECHECK = ROOT / "tests" / "typecheck"


def stub(name):
    """Top-level names of a stub -> their nodes; of overloads all."""
    names = {}
    for node in ast.parse((ROOT / "asc" / name).read_text(encoding="utf-8")).body:
        if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            names.setdefault(node.name, []).append(node)
        elif isinstance(node, (ast.Assign, ast.AnnAssign)):
            target = node.targets[0] if isinstance(node, ast.Assign) else node.target
            names.setdefault(target.id, []).append(node)
        elif isinstance(node, ast.ImportFrom):
            names.update({alias.asname: [node] for alias in node.names if alias.asname})
    return names


# ---- fresh, and said so when not ----


def test_generated_files_are_fresh():
    diffs = [diff for _, _, diff in gen.stale()]
    assert not diffs, f"write them with: {gen.COMMAND}\n" + "\n".join(diffs)


def test_check_names_the_stale_file_and_the_command(tmp_path, capsys):
    (tmp_path / "csrc").mkdir()
    assert gen.main([], tmp_path) == 0
    written = capsys.readouterr().out
    assert gen.main(["--check"], tmp_path) == 0
    page = tmp_path / "docs" / "ops.md"
    page.write_text(page.read_text(encoding="utf-8").replace("asc.relu", "asc.rely"), encoding="utf-8")
    assert gen.main(["--check"], tmp_path) == 1
    said = capsys.readouterr().err
    assert "docs/ops.md is stale" in said and gen.COMMAND in said and "+### `asc.relu`" in said
    assert "docs/ops.md" in written and "_asc.pyi" not in said
    assert gen.main([], tmp_path) == 0
    assert capsys.readouterr().out == "wrote docs/ops.md\n"


def test_outside_a_source_tree_it_writes_nothing(tmp_path):
    with pytest.raises(SystemExit, match="source tree"):
        gen.main([], tmp_path)
    assert not list(tmp_path.iterdir())


# ---- complete ----


def test_the_core_stub_has_the_names_of_the_core():
    real = {name for name in vars(_asc) if not name.startswith("_")}
    assert real == {name for name in stub("_asc.pyi") if not name.startswith("_")}


def test_the_package_stub_has_the_names_of_the_package():
    names = stub("__init__.pyi")
    assert ast.literal_eval(names["__all__"][0].value) == sorted(asc.__all__)
    assert set(asc.__all__) <= set(names)
    for name in names:
        assert hasattr(asc, name), name
    assert set(asc._ERRORS) <= set(names)


def test_every_row_is_in_stub_and_page():
    names = {**stub("_asc.pyi"), **stub("adv/__init__.pyi")}
    page = (ROOT / "docs" / "ops.md").read_text(encoding="utf-8")
    for row in _asc.op_table():
        inside = {"struct": row["py_name"]}.get(row["owner"], row["owner"])
        definitions = names[stubs.own_name(row)] if not inside else names[inside][0].body
        if inside:
            method = "__init__" if row["family"] == "Construct" else row["py_name"]
            definitions = [d for d in definitions if isinstance(d, ast.FunctionDef) and d.name == method]
        for overload in row["overloads"]:
            wanted = [p["name"] for p in overload["params"]]
            found = [[a.arg for a in d.args.args + d.args.kwonlyargs if a.arg != "self"] for d in definitions]
            assert wanted in found or row["py_name"] == "__getitem__", (row["py_name"], wanted, found)
        if row["family"] not in ("Operator", "View"):
            for overload in row["overloads"]:
                assert f"- `{overload['signature']}`\n" in page
        for dtypes in row["dtypes"].values():
            assert ", ".join(dtypes) in page or row["combos"]


def test_defaults_and_kinds_of_parameters():
    wait = stub("_asc.pyi")["cross_core_wait_flag"][0]
    assert ast.unparse(wait.args) == "flag_id: _Int, mode_id: _Int=0, pipe: PipeID=PipeID.PIPE_S"
    fixpipe = next(n for n in stub("_asc.pyi")["FixpipeParamsV220"][0].body if isinstance(n, ast.FunctionDef))
    assert [a.arg for a in fixpipe.args.kwonlyargs] == ["relu_en"]
    # Two forms that differ in one name: by position the first one is meant.
    pipe = stub("_asc.pyi")["TPipe"][0]
    forms = [ast.unparse(n.args) for n in pipe.body if getattr(n, "name", "") == "init_buffer"]
    assert forms[1:] == ["self, buf: TBuf, num: _Int", "self, buf: TBuf, *, len: _Int"]


def test_enums_have_their_members():
    for name, enum in stubs.public_objects(_asc)["enums"].items():
        body = stub("_asc.pyi")[name][0].body
        assert {n.targets[0].id: n.value.value for n in body} == {m.name: m.value for m in enum}


def test_options_are_those_that_the_core_knows():
    names = stub("_asc.pyi")
    keys = {
        n.target.id
        for cls in ("_CallOptions", "_JitOptions")
        for n in names[cls][0].body
        if hasattr(n, "target")
    }

    @asc.jit
    def kernel(x: asc.GlobalAddress):
        pass

    with pytest.raises(TypeError) as caught:
        kernel.options(no_such_option=1)
    known = str(caught.value).split("known are ")[1]
    assert keys == set(re.findall(r"\w+", known))


@pytest.mark.parametrize("group", ["CodegenOptions", "CompileOptions", "LaunchOptions"])
def test_option_groups_have_their_defaults(group):
    init = stub("_jit.pyi")[group][0].body[-1]
    defaults = [ast.literal_eval(d) for d in init.args.defaults]
    found = dict(zip((a.arg for a in init.args.args[1:]), defaults, strict=True))
    assert found == getattr(_jit, group)._defaults


# ---- of use: a type checker finds nothing in good kernels and each fault in others ----


def check_types(path, tmp_path):
    """[(line, message)] of mypy."""
    api = pytest.importorskip("mypy.api", reason="mypy is not installed")
    # The stubs where a checker finds an installed package, apart from the tree.
    package = tmp_path / "site" / "asc"
    shutil.copytree(ROOT / "asc", package, ignore=shutil.ignore_patterns("*.so", "__pycache__"))
    options = ["--config-file=", f"--cache-dir={tmp_path / 'cache'}", "--no-error-summary"]
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("MYPYPATH", str(tmp_path / "site"))
        patch.chdir(tmp_path)
        out, err, _ = api.run([*options, str(path)])
    assert not err
    return [(int(m[1]), m[2]) for m in re.finditer(rf"{path.name}:(\d+): error: (.*)", out)], out


def test_kernels_are_well_typed(tmp_path):
    found, out = check_types(TYPECHECK / "kernels.py", tmp_path)
    assert not found and "error:" not in out, out


def test_faults_are_found(tmp_path):
    path = TYPECHECK / "faults.py"
    lines = path.read_text(encoding="utf-8").splitlines()
    marked = {i for i, line in enumerate(lines, 1) if "# fault:" in line}
    found, out = check_types(path, tmp_path)
    assert len(marked) >= 20
    assert {line for line, _ in found} == marked, out
